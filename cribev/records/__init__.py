"""Records of played games: read, checked and completed.

`formats` reads a record into a table, `pgn` games that other programs wrote, and `games` makes such
games into tables. `record` holds a table of discards to the rules, and completes it.
"""
