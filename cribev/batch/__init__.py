"""Deals by the million: a table of best discards.

`evaluate`: arrays, and which columns are needed and added. `frames`: tables. `stream`: files of
deals in chunks of rows, and random deals.
"""
