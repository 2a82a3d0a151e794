"""Deals by the million: a table of best discards.

`evaluation`: tables and arrays in memory. `tables`: files of deals, some rows at a time.
"""
