"""Deals by the million: a table of best discards.

`evaluate`: arrays. `chunks`: rows of a table, which columns are needed and which added. `frames`:
tables. `stream`: files of deals, and random deals.
"""
