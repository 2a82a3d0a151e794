"""Find the opponent that a name, a file or an object stands for."""

import re
from contextlib import suppress
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TypeAlias

from cribev.errors import CribevError, TableError, quote, unknown
from cribev.evaluation.by_habits import ByHabits, parse_person, read_person
from cribev.game.words import require_flags
from cribev.opponents.habits import HABITS
from cribev.opponents.opponents import Discards, Frequencies, Opponent, Solved, Uniform
from cribev.rows.pairs import read_pair_table
from cribev.solution.solution import load

OpponentLike: TypeAlias = str | PathLike[str] | Discards | Opponent
"""An opponent as it can be given: a name, a file of frequencies or habits, or an opponent."""

OPPONENTS = ("expert", *(name for name in HABITS if name != "expert"), "uniform")
"""The names of opponents."""

_EXPECTED = f"{', '.join(OPPONENTS)}, or a file"


def as_opponent(opponent: OpponentLike, *, play: bool = True) -> Opponent:
    """Return an opponent for a name, for a file of habits or frequencies, or as given.

    Habits are JSON, a file or its text, see `read_person`. Frequencies are CSV with columns
    ``rank1,rank2,dealer_pct,pone_pct``. If the play does not count, ``expert`` is the one who
    discards for the show alone. `TableError` if the file cannot be read, `CribevError` if it is
    none of these.
    """
    require_flags(play=play)
    if not isinstance(opponent, Opponent):
        opponent = Opponent.of(_as_discards(opponent, play=play))
    return opponent if play else replace(opponent, cards=None)


def _as_discards(opponent: str | PathLike[str] | Discards, *, play: bool) -> Discards:
    """Return how an opponent discards, for a name, file or JSON, or as given."""
    if isinstance(opponent, Discards):
        return opponent
    if not isinstance(opponent, str | PathLike):
        raise CribevError(
            f"invalid opponent {quote(repr(opponent))}: expected {_EXPECTED}, or an Opponent"
        )
    text = fspath(opponent).strip()
    if (name := text.lower()) == Solved.name:
        return Solved(load(play=play))
    if name == Uniform.name:
        return Uniform()
    if name in HABITS:
        return ByHabits(name, HABITS[name])
    if text.startswith("{") or name.endswith(".json"):
        person = parse_person(text, quote(text)) if text.startswith("{") else read_person(text)
        if person.name.strip().lower() in OPPONENTS and person.text != person.name:
            raise TableError(
                f"habits called {person.name!r}, which is an opponent: expected another name"
            )
        return person
    path = fspath(opponent)
    if re.fullmatch(r"[\w-]*", path) and not _is_there(path):
        raise TableError(unknown("opponent", path, OPPONENTS, expected=_EXPECTED))
    return Frequencies(path, read_pair_table(path, known=f"an opponent ({_EXPECTED})"))


def _is_there(path: str) -> bool:
    with suppress(OSError):  # a name that is too long
        return Path(path).exists()
    return False
