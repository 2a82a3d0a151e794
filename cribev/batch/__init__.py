"""Deals by the million: a table of best discards.

`in_memory`: tables and arrays in memory. `discards`: the best of each deal, or all; `evaluators`:
what they are worth; `win_expansion`: chances to win far from the end. `schema`: which columns a
table needs, and which are added. `streams`: a file of deals, some rows at a time; `cluster`: many
files on Dask. `random_deals`: deals to try it on.
"""
