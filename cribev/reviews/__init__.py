"""A played game: what was lost, and what was luck.

`record_files` reads a record, `cells` keeps it as text, and `records` checks it: `played` the plays
in it, `scores` the scores, inferred from deal to deal. `worth` values every discard.
`decomposition` splits each result into losses and luck, `totals` adds them up, and
`baseline_comparison` compares a mean loss with well-known policies. `review` puts these together,
in the terms of `wording`; `terminal` prints it, `page` and `charts` make a page of it.
"""
