"""Deals by the million: a table of best discards.

`evaluate`: arrays, and which columns are needed and added. `frames`: tables. `stream`: a file of
deals, some rows at a time, many on Dask, or random ones. `by_score`: one deal at every score of one
player.
"""
