"""What is read and written: whole or not at all, in every format, some rows at a time.

`atomic`: files that appear whole. `formats`: CSV, TSV, JSON Lines, Parquet. `optional`: libraries
that some formats need. `sources` and `sinks`: rows read and written some at a time; `columns`: what
they are in between. `lines`: hands and numbers as lines of text, by the million. `deal_columns`,
`arrow_columns` and `score_columns`: columns of deals, roles and scores. `pair_tables`: a number for
each pair of ranks; `crib_tables`: average cribs among them. `folders`: those of the user;
`unpacking`: what is unpacked once into the cache. `column_descriptions`: what the columns are.
"""
