"""Deals by the million: a table of best discards.

`in_memory`: tables and arrays in memory. `discards`: the best of each deal, or all; `evaluators`:
what they are worth; `suitless`: where only ranks are known. `schema`: what is needed of a table,
and what is added. `streams`: a file of deals, some rows at a time; `cluster`: many files on Dask.
`random_deals`: random deals.
"""
