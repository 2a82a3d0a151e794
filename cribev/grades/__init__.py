"""The losses of the decisions of a record, and the luck.

`grading` grades discards and every card played, and splits each result into losses and luck.
`totals` adds up losses and averages them per choice.
`opponents` has the games against each opponent. `summary` says in one sentence how a game went.
"""
