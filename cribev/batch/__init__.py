"""Deals by the million: a table of best discards.

`evaluation`: tables and arrays in memory. `discards`: the best of each deal, or all; `values`: what
they are worth; `suitless`: where only ranks are known. `columns`: what is needed of a table, and
what is added. `streams`: a file of deals, some rows at a time; `cluster`: many files on Dask.
`dealing`: random deals.
"""
