"""Deals by the million: a table of best discards.

`evaluate`: arrays. `frames`: rows of tables, which columns are needed and which added. `stream`:
files of deals, and random deals.
"""
