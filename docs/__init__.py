"""Make the examples, pictures and figures in the documents: ``python -m docs``.

`outputs`: those of commands in README, the guides and the benchmarks' page. `pictures`: README's.
`notebooks`: the notebooks, run in place. `reference`: pages from the docstrings.
`figures`: numbers in a text, each beside the expression that makes it.
"""
