"""Figures in a text, each after the name or expression that makes it.

Of ``<!-- lost:.2f -->0.42<!-- -->`` readers see 0.42 alone. Templates of pages have
``{# lost:.2f #}0.42{# #}``.
"""

import re

_FIGURE = re.compile(
    r"(?P<before>(?:<!--|\{#) (?P<source>\S.*?) (?:-->|#\}))(.*?)(?P<after><!-- -->|\{# #\})",
    re.DOTALL,
)


def sources(text):
    """List the expressions of the figures in a text, in order.

    >>> sources("lost <!-- lost:.2f -->0.42<!-- --> points")
    ['lost:.2f']
    >>> sources("lost {# lost:.2f #}0.42{# #} points")
    ['lost:.2f']
    """
    return [found["source"] for found in _FIGURE.finditer(text)]


def filled(text, figures):
    """Put new figures in a text, in order.

    >>> filled("lost <!-- lost:.2f -->0.42<!-- --> points", ["0.43"])
    'lost <!-- lost:.2f -->0.43<!-- --> points'
    """
    left = iter(figures)
    return _FIGURE.sub(lambda found: found["before"] + next(left) + found["after"], text)
