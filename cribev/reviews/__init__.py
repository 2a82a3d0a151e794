"""A played game: what was lost, and what was luck.

`formats` reads a record into a table, also games that other programs wrote, `pgn` among them;
`games` makes such games into tables. `record` holds a table of discards to
the rules, and completes it. `grades` grades discards and every card laid, and splits each result
into losses and luck; `totals` adds losses up, averages them per choice and compares them with
well-known policies. `leaks` groups decisions by what was decided, `trend` by when. `summary` says
in one sentence how it ended. `review` does all of it, and `findings` is what it found, as a
terminal shows it; `listings` are its deals, cards and leaks in a terminal; `page` draws it, with
`charts`. `fits` finds a player's habits.
"""
