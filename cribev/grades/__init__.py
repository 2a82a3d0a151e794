"""The losses of the decisions of a record, and the luck.

`grading` grades discards and every card played, and splits each result into losses and luck.
`totals` adds up losses and averages them per choice. `summary` says in one sentence how a game
went, and adds up the games against each opponent.
"""
