"""Rows of deals, in every format, some at a time.

`formats`: CSV, TSV, JSON Lines, Parquet. `sources` and `sinks`: rows read and written some at a
time; `columns`: what they are in between. `lines`: hands and numbers as lines of text, by the
million. `deal_columns`, `arrow_columns` and `score_columns`: columns of deals, roles and scores.
`pair_tables`: a number for each pair of ranks; `crib_tables`: average cribs among them.
`column_descriptions`: what the columns are.
"""
