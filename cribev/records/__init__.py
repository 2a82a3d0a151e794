"""Records of played games: read, checked and completed.

`formats` reads a record into a table, `pgn` games that other programs wrote, and `games` makes such
games into tables. `cells` reads each cell of a table of discards; `record` holds the table to the
rules, and completes it.
"""
