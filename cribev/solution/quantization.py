"""Tables by class and keep in whole steps, one value for all keeps of the same ranks."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, discard_rank_pairs


def quantize(values: Floats, *, step: float, bytes_each: int) -> NDArray[np.uint8]:
    """Write values by class and keep, ``(18395, 15)``, as multiples of a step: ``(bytes_each, n)``.

    Keeps of the same ranks must have the same value, zero or more. There is a row for each byte,
    the lowest first: high bytes of neighbours are alike and take next to nothing when compressed.

    >>> from cribev.classes.canonical import CLASSES
    >>> quantize(np.full((CLASSES, 15), 2.5), step=0.5, bytes_each=2)[:, 0].tolist()
    [5, 0]
    """
    steps = np.rint(values[_distinct()] / step)
    if steps.min() < 0 or steps.max() >= 256.0**bytes_each:
        raise ValueError(f"{bytes_each} bytes do not hold {values.max()} in steps of {step}")
    return steps.astype("<u8").view(np.uint8).reshape(-1, 8).T[:bytes_each].copy()


def dequantize(planes: NDArray[np.uint8], *, step: float, bytes_each: int) -> Floats:
    """Read what `quantize` wrote; raise ValueError if it is something else.

    >>> from cribev.classes.canonical import CLASSES
    >>> values = np.full((CLASSES, 15), 2.5)
    >>> planes = quantize(values, step=0.5, bytes_each=2)
    >>> bool((dequantize(planes, step=0.5, bytes_each=2) == values).all())
    True
    """
    if planes.shape != (bytes_each, int(_distinct().sum())) or planes.dtype != np.uint8:
        raise ValueError(f"a quantized table of shape {planes.shape}")
    weights = 256.0 ** np.arange(bytes_each) * step  # sums of these are exact
    values = np.empty(_distinct().shape)
    values[_distinct()] = weights @ planes
    return np.take_along_axis(values, _first(), axis=1)


def average_same_ranks(values: Floats) -> Floats:
    """Give keeps of the same ranks the mean of their values, ``(18395, 15)``.

    >>> from cribev.classes.canonical import CLASSES
    >>> values = np.zeros((CLASSES, 15))
    >>> values[0, 0] = 1  # of A A A A 2 2 the aces, which are kept in no other way
    >>> values[0, 1] = 2  # three of them and a deuce, in one of eight ways
    >>> average_same_ranks(values)[0, :4].tolist()
    [1.0, 0.25, 0.25, 0.25]
    """
    cells = np.arange(len(values))[:, None] * 15 + _first()
    totals, number = (
        np.bincount(cells.ravel(), weights, values.size)
        for weights in (values.ravel(), np.ones(values.size))
    )
    means: Floats = (totals / np.maximum(number, 1))[cells]
    return means


@cache
def _first() -> NDArray[np.intp]:
    """For each keep of each class the first that throws, and so keeps, the same ranks."""
    pairs = discard_rank_pairs()
    first: NDArray[np.intp] = (pairs[:, :, None] == pairs[:, None, :]).argmax(axis=2)
    return first


@cache
def _distinct() -> NDArray[np.bool_]:
    """Mark the first keep of each class with its ranks, ``(18395, 15)``."""
    return np.equal(_first(), np.arange(15))
