"""What is read and written: whole or not at all, in every format, some rows at a time.

`whole`: files that are written whole. `formats`: CSV, TSV, JSON Lines, Parquet. `sources` and
`sinks`: rows read and written some at a time. `lines`: hands and numbers as lines of text, by the
million. `deal_columns`: columns of deals and roles. `pair_tables`: a number for each pair of ranks.
"""
