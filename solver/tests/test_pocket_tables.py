"""The tables of the page without a server are those that are shipped."""

import gzip
import json

import numpy as np

from cribev.advice.names import as_opponent
from cribev.app.pocket.page import OPPONENTS, TABLES
from solver.pocket import pack_tables


def unpacked(content):
    """Return the line of JSON, and each array by its name, in whole steps."""
    head, _, rest = gzip.decompress(content).partition(b"\n")
    line, arrays = json.loads(head), {}
    for name, shape, _ in line["arrays"]:
        size = int(np.prod(shape))
        low, high = np.frombuffer(rest[: 2 * size], np.uint8).reshape(2, size).astype(np.int64)
        written = low + 256 * high
        steps = np.where(written % 2, -(written + 1) // 2, written // 2)
        arrays[name], rest = steps.cumsum(), rest[2 * size :]
    assert rest == b""
    return line, arrays


def test_shipped_tables_are_those_that_are_packed():
    shipped, packed = map(
        unpacked, (TABLES.read_bytes(), pack_tables([*map(as_opponent, OPPONENTS)]))
    )
    assert shipped[0] == packed[0]
    for name, steps in packed[1].items():
        assert abs(shipped[1][name] - steps).max() <= 1, name  # rounded otherwise elsewhere
