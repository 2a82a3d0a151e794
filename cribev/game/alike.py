"""Equality by value: two objects are equal where all their fields are."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from types import MethodType
from typing import Any

import numpy as np


class Value:
    """A value, equal to another of its type that holds the same, arrays and tables too."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and same(dict(_held(self)), dict(_held(other)))

    def __hash__(self) -> int:
        return hash((type(self), *(_hash(value) for _, value in _held(self))))


def same(first: Any, other: Any) -> bool:
    """Return whether two values hold the same; NaN is the same as NaN.

    >>> same({"a": [np.nan, np.arange(3)]}, {"a": [np.nan, np.arange(3)]})
    True
    """
    if first is other:
        return True
    if type(first) is not type(other):
        return False
    if isinstance(first, np.ndarray):
        return np.array_equal(first, other, equal_nan=first.dtype.kind == "f")
    if isinstance(first, Mapping):
        return list(first) == list(other) and same(list(first.values()), list(other.values()))
    if isinstance(first, list) or _is_plain(first):
        return len(first) == len(other) and all(map(same, first, other))
    if isinstance(first, MethodType):
        return first.__func__ is other.__func__ and same(first.__self__, other.__self__)
    if isinstance(first, partial):
        contents = [
            (function.func, function.args, function.keywords) for function in (first, other)
        ]
        return same(*contents)
    if hasattr(first, "equals"):  # a table of pandas
        return bool(first.equals(other))
    return bool(first == other) or (first != first and other != other)


def _held(value: Any) -> Iterator[tuple[str, Any]]:
    """List what a value holds: the fields of a dataclass, or else its attributes."""
    if is_dataclass(value):
        return ((field.name, getattr(value, field.name)) for field in fields(value))
    return iter(vars(value).items())


def _is_plain(value: Any) -> bool:
    """Return whether a value is a tuple that is compared part by part."""
    return isinstance(value, tuple) and ("__eq__" not in vars(kind := type(value)) or kind is tuple)


def _hash(value: Any) -> int:
    if _is_plain(value):
        return hash(tuple(map(_hash, value)))
    if isinstance(value, MethodType | partial):  # theirs tell one object from another
        return 0
    try:
        number = hash(value)  # before the comparison, which takes long for large arrays
    except TypeError:  # arrays, tables and lists have none
        return 0
    return number if value == value else 0  # the hash of NaN is another in every copy
