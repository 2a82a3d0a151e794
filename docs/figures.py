"""Figures in a text, each after the name or expression it comes from.

``<!-- lost:.2f -->0.42<!-- -->`` shows a reader 0.42 alone, and says how to make it again.
"""

import re

_FIGURE = re.compile(r"(<!-- (\S.*?) -->)(.*?)(<!-- -->)", re.DOTALL)


def sources(text):
    """List where the figures of a text come from, in order.

    >>> sources("lost <!-- lost:.2f -->0.42<!-- --> points")
    ['lost:.2f']
    """
    return [found[2] for found in _FIGURE.finditer(text)]


def filled(text, figures):
    """Put new figures in a text, in order.

    >>> filled("lost <!-- lost:.2f -->0.42<!-- --> points", ["0.43"])
    'lost <!-- lost:.2f -->0.43<!-- --> points'
    """
    left = iter(figures)
    return _FIGURE.sub(lambda found: found[1] + next(left) + found[4], text)
