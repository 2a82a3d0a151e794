"""What the documents show, made by what it is about: ``python -m docs``.

`readme`: the examples of README and the benchmark's page. `pictures`: what README shows.
`notebooks`: run, figures and all. `reference`: pages from the docstrings. `figures`: numbers in a
text, each with where it comes from.
"""
