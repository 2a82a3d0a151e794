"""Find the opponent that a name, a file or an object stands for."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from cribev.errors import CribevError, TableError, quote, unknown
from cribev.opponents.habits import LEVELS, PEOPLE
from cribev.opponents.opponents import (
    ExpertOpponent,
    Frequencies,
    Opponent,
    Uniform,
    without_play,
)
from cribev.rows.pairs import read_pair_table
from cribev.solution.solution import load

if TYPE_CHECKING:
    from cribev.opponents.habit_tables import TablesAgainst
    from cribev.opponents.people import Person

OpponentLike: TypeAlias = str | PathLike[str] | Opponent
"""What can be an opponent: a name, a file of frequencies or habits, or an opponent."""

HABITS = {"people": PEOPLE, **{name: one for name, one in LEVELS.items() if name != "expert"}}
"""The habits of opponents who have them, by name."""

OPPONENTS = ("expert", *HABITS, "uniform")
"""Who can be named as an opponent."""

_EXPECTED = f"{', '.join(OPPONENTS)}, or a file"


def as_opponent(opponent: OpponentLike, *, play: bool = True) -> Opponent:
    """Return an opponent for a name, for a file of habits or frequencies, or as given.

    Habits are JSON, a file or its text, see `read_person`. Frequencies are CSV with columns
    ``rank1,rank2,dealer_pct,pone_pct``. If the play does not count, ``expert`` is the one who
    discards for the show alone. `TableError` if the file cannot be read, `CribevError` if it is
    none of these.
    """
    found: Opponent
    if isinstance(opponent, Opponent):
        found = opponent
    elif (name := _path(opponent).lower()) == ExpertOpponent.name:
        found = ExpertOpponent(load(play=play))
    elif name == Uniform.name:
        found = Uniform()
    elif (person := _as_person(opponent)) is not None:
        found = person
    else:
        path = fspath(opponent)
        if re.fullmatch(r"[\w-]*", path) and not _is_there(path):
            raise TableError(unknown("opponent", path, OPPONENTS, expected=_EXPECTED))
        found = Frequencies(path, read_pair_table(path, known=f"an opponent ({_EXPECTED})"))
    return found if play or not found.counts_play else without_play(found)


def _as_person(opponent: str | PathLike[str]) -> Person | None:
    """Return an opponent with habits, for a name, file or JSON; else None."""
    from cribev.opponents.people import Person, parse_person, read_person  # loads all of the play

    given = fspath(opponent).strip()
    if (name := given.lower()) in HABITS:
        found = Person(name, HABITS[name])
    elif given.startswith("{"):
        found = parse_person(given, quote(given))
    elif name.endswith(".json"):
        found = read_person(given)
    else:
        return None
    if found.habits != HABITS.get(found.name) and found.name.strip().lower() in OPPONENTS:
        raise TableError(
            f"habits called {found.name!r}, which is an opponent: expected another name"
        )
    return replace(found, work_out=work_out_tables)


def _path(opponent: object) -> str:
    """Take a name or a path as text."""
    if not isinstance(opponent, str | PathLike):
        raise CribevError(
            f"invalid opponent {quote(repr(opponent))}: expected {_EXPECTED}, or an Opponent"
        )
    return fspath(opponent).strip()


def _is_there(path: str) -> bool:
    with suppress(OSError):  # a name that is too long
        return Path(path).exists()
    return False


def work_out_tables(person: Person) -> TablesAgainst:
    """Compute the tables against a person, see `cribev.evaluation.against`."""
    from cribev.evaluation.against import work_out  # loads all that is worth knowing of the play

    return work_out(person)
