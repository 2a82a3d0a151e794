"""Our plain C, compiled when needed, if there is a compiler."""

import ctypes
import shutil
import subprocess
import sysconfig
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).with_name("plain.c")
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")


class Compiled:
    """The functions of ``plain.c``, on arrays."""

    def __init__(self, library):
        self._library = library
        library.make_table()

    def count(self, hands, *, crib=False):
        return self._points(self._library.count_hands, hands, crib)

    def look_up(self, hands, *, crib=False):
        return self._points(self._library.look_hands_up, hands, crib)

    def average(self, deal, weights):
        """Average hands and cribs of the 15 keeps of a sorted deal."""
        means = np.empty((2, 15))
        self._library.average_deal(*map(_at, (deal, weights, means[0], means[1])))
        return means

    def discards(self, deal, strategy, parts):
        """Count as `cribev.opponents.counts.exact_weights` does, in parts of a hand."""
        sets, of_deal = strategy
        assert of_deal.dtype == np.uint8
        weights = np.empty((1035, 46), dtype=np.int64)
        number, parts = ctypes.c_int64(len(sets)), ctypes.c_int32(parts)
        self._library.count_discards(
            _at(deal), _at(of_deal), _at(sets), number, parts, _at(weights)
        )
        return weights

    @staticmethod
    def _points(function, hands, crib):
        points = np.empty(len(hands), dtype=np.uint8)
        function(_at(hands), ctypes.c_int64(len(hands)), ctypes.c_int(crib), _at(points))
        return points


@cache
def compiler():
    """Find a C compiler: the one Python was built with, or ``cc``."""
    wanted = [*(sysconfig.get_config_var("CC") or "").split()[:1], "cc", "gcc", "clang"]
    return next(filter(None, map(shutil.which, wanted)), None)


@cache
def compiled():
    """Compile ``plain.c``; None without a compiler."""
    if compiler() is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "plain.so"
        subprocess.run([compiler(), *FLAGS, "-o", str(built), str(SOURCE)], check=True)
        return Compiled(ctypes.CDLL(str(built)))


def _at(array):
    assert array.flags.c_contiguous
    return array.ctypes.data_as(ctypes.c_void_p)
