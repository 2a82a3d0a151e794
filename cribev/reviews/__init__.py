"""A played game: what was lost, and what was luck.

`formats` reads a record into a table, also games that other programs wrote, `pgn` among them. For
a table of discards, `seats` gives each row types and pairs the rows to deals, `scores` holds plays
and scores to the rules, and `record` puts them together, completed; it makes games into tables,
too, and so does `played_games` of those played here. `decomposition` grades discards and splits
each result into losses and luck, and `cards` grades every card laid. `totals` adds losses up,
averages them per choice and compares them with well-known policies. `review` is all of it;
`terminal` prints it, and `page` draws it, with `charts`. `wording` writes figures and cards.
"""
