"""A played game: what was lost, and what was luck.

`record_files` reads a record into a table, also games that other programs wrote: `pgn`, `cribbager`
and `openspiel` make them `imported_games`, whose rows keep the rules; so do `played_games`, those
played here. `cells` holds the text of a table, `seats` gives each row types, `deals` pairs the
rows, `plays` and `scores` hold them to the rules, and `records` puts them together, completed.
`decomposition` grades discards and splits each result into losses and luck, and `card_grades`
grades every card laid. `totals` adds losses up, `error_rates` averages them per choice, and
`baseline_comparison` compares a mean loss with well-known policies. `review` is all of it, in the
terms of `wording`; `terminal` prints it, `listings` deal by deal and card by card. `page` gathers
what a page shows of it, with `page_tiles`, `page_cards` and `charts`; `templating` draws it.
"""
