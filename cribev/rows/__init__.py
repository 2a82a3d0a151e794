"""Rows of deals, in every format, some at a time.

`files`: files of rows, read and written. `lines`: rows, hands and numbers as lines of text, by the
million, and the formats of files. `names`: what columns are called and mean; `headings`: what else
they may be called; `columns`: those of deals, roles and scores, read. `pairs`: a number for each
pair of ranks, average cribs among them.
"""
