"""Deals by the million: a table of best discards.

`evaluation`: tables and arrays in memory. `streams`: a file of deals, some rows at a time;
`cluster`: many files on Dask. `dealing`: random deals.
"""
