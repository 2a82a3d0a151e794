"""Deals by the million: a table of best discards.

`evaluate`: tables and arrays, and which columns are needed and added. `stream`: a file of deals,
some rows at a time, many on Dask, or random ones. `evaluators`: what discards are worth, far from
the end of a game by an expansion of the chances to win; `near_end`: near it. `by_score`: one deal
at every score of one player.
"""
