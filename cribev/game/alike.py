"""Equality by value: two objects are equal where all their fields are."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from types import MethodType
from typing import Any

import numpy as np


class Value:
    """What is equal to another of its type that holds the same, arrays and tables too."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and same(dict(_held(self)), dict(_held(other)))

    def __hash__(self) -> int:
        return hash((type(self), *(_hash(part) for _, part in _held(self))))


def same(one: Any, other: Any) -> bool:
    """Return whether two values hold the same; NaN is the same as NaN.

    >>> same({"a": [np.nan, np.arange(3)]}, {"a": [np.nan, np.arange(3)]})
    True
    """
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, Mapping):
        return list(one) == list(other) and same(list(one.values()), list(other.values()))
    if isinstance(one, list) or _is_plain(one):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, MethodType):
        return one.__func__ is other.__func__ and same(one.__self__, other.__self__)
    if isinstance(one, partial):
        parts = [(part.func, part.args, part.keywords) for part in (one, other)]
        return same(*parts)
    if hasattr(one, "equals"):  # a table of pandas
        return bool(one.equals(other))
    return bool(one == other) or (one != one and other != other)


def _held(value: Any) -> Iterator[tuple[str, Any]]:
    """List what a value holds: the fields of a dataclass, or else its attributes."""
    if is_dataclass(value):
        return ((field.name, getattr(value, field.name)) for field in fields(value))
    return iter(vars(value).items())


def _is_plain(value: Any) -> bool:
    """Return whether a value is a tuple that is compared part by part."""
    return isinstance(value, tuple) and ("__eq__" not in vars(kind := type(value)) or kind is tuple)


def _hash(part: Any) -> int:
    if _is_plain(part):
        return hash(tuple(map(_hash, part)))
    if isinstance(part, MethodType | partial):  # theirs tell one object from another
        return 0
    try:
        found = hash(part)  # before the comparison, which takes long for large arrays
    except TypeError:  # arrays, tables and lists have none
        return 0
    return found if part == part else 0  # the hash of NaN is another in every copy
