"""Deals by the million: a table of best discards.

`evaluate`: tables and arrays, and which columns are needed and added. `stream`: a file of deals,
some rows at a time, or random ones; `cluster`: many files on Dask. `evaluators`: what discards are
worth; `expansion`: chances to win far from the end.
"""
