"""Figures in a text, each after its source: the name or expression that makes it, or what shows it.

Of ``<!-- one deal -->17 ms<!-- -->`` readers see 17 ms alone. Templates of pages have
``{# one deal #}17 ms{# #}``.
"""

import re

_FIGURE = re.compile(
    r"(?P<before>(?:<!--|\{#) (?P<source>\S.*?) (?:-->|#\}))"
    r"(?P<figure>.*?)(?P<after><!-- -->|\{# #\})",
    re.DOTALL,
)


def sourced(text):
    """List the figures in a text, each after its source.

    >>> sourced("in <!-- one deal -->17 ms<!-- --> or {# one deal #}17 ms{# #}")
    [('one deal', '17 ms'), ('one deal', '17 ms')]
    """
    return [(match["source"], match["figure"]) for match in _FIGURE.finditer(text)]


def filled(text, figures):
    """Put new figures in a text, by their sources; the others stay.

    >>> filled("in <!-- one deal -->17 ms<!-- -->", {"one deal": "16 ms"})
    'in <!-- one deal -->16 ms<!-- -->'
    """

    def replaced(match):
        return match["before"] + figures.get(match["source"], match["figure"]) + match["after"]

    return _FIGURE.sub(replaced, text)


def without_figures(text):
    """Leave out figures that have a source.

    >>> without_figures("in <!-- one deal -->17 ms<!-- --> or 18 ms")
    'in  or 18 ms'
    """
    return _FIGURE.sub("", text)
