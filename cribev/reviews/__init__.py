"""A played game: what was lost, and what was luck.

`records`: the record of a game, held to the rules; `record_files` reads them, `cells` has them as
they were written, `played` the plays and scores in them, `scores` follows these from deal to deal.
`worth`: what every discard of many decisions is worth. `words`: what a discard is called. `ledger`:
what was lost and what was luck, step by step; `totals` adds it up, `standing` sets it beside
well-known ways to discard. `result`: all of it, with `look` for a terminal, `page` and its
`charts` for a browser.
"""
