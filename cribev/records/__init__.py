"""Records of played games: read, checked and completed.

`formats` reads a record into a table. `pgn` reads games that other programs wrote, and `games`
turns them into tables. `cells` reads each cell of a table of discards, and counts hands and cribs.
`record` checks the table against the rules, and completes it; `tally` says what each player made in
a deal.
"""
