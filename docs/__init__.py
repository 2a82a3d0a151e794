"""Make the examples, pictures and figures in the documents: ``python -m docs``.

`readme`: the outputs in README and in the benchmarks' page. `pictures`: the pictures in README.
`notebooks`: the notebooks, run in place. `reference`: pages from the docstrings. `figures`: numbers
in a text, each beside the expression that makes it.
"""
