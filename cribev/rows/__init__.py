"""Rows of deals, in every format, a chunk at a time.

`files`: files of rows, read; `writing`: files of rows, written. `lines`: rows, hands and numbers as
lines of text, by the million; formats of files, and files at URLs. `names`: the names of columns
and what they mean; `headings`: other names for them; `columns`: reads deals, roles and scores, and
tables of other libraries. `pairs`: a number for each pair of ranks, such as average cribs.
"""
