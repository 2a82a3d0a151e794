"""Find the opponent or player that a name, a file, a function or an object stands for."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from numpy.typing import ArrayLike

from cribev.errors import CribevError, TableError, quote, unknown
from cribev.opponents.habits import LEVELS, PEOPLE
from cribev.opponents.opponents import (
    CardPlayer,
    ExpertOpponent,
    Frequencies,
    Opponent,
    PublishedCribs,
    Uniform,
    without_play,
)
from cribev.rows.pairs import (
    PUBLISHED_CRIBS,
    crib_table,
    has_average_cribs,
    read_pair_table,
)
from cribev.solution.solution import load, shipped_strategy
from cribev.solution.strategy import PlayStrategy

if TYPE_CHECKING:
    from cribev.opponents.habit_tables import TablesAgainst
    from cribev.opponents.people import Person

OpponentLike: TypeAlias = str | PathLike[str] | Opponent
"""What can be an opponent: a name, a file of frequencies or habits, or an opponent."""

HABITS = {"people": PEOPLE, **{name: one for name, one in LEVELS.items() if name != "expert"}}
"""The habits of opponents who have them, by name."""

PLAYERS = ("expert", *HABITS, "uniform")
"""Who can be named as an opponent in the play."""

OPPONENTS = (*PLAYERS, *PUBLISHED_CRIBS)
"""Who can be named as an opponent."""


def as_opponent(opponent: OpponentLike, *, play: bool = True) -> Opponent:
    """Return an opponent for a name, for a file of habits or frequencies, or as given.

    Habits are JSON, a file or its text, see `read_person`. Frequencies are CSV with columns
    ``rank1,rank2,dealer_pct,pone_pct``, average cribs with ``rank1,rank2,dealer,pone``. Any object
    with the name and the weights of an `Opponent` will do. If the play does not count, ``expert``
    is the one who discards for the show alone. `TableError` if the file cannot be read,
    `CribevError` if it is none of these.
    """
    given: object = opponent
    found: Opponent
    if not isinstance(opponent, str | PathLike):
        if not (hasattr(opponent, "weights") and hasattr(opponent, "name")):
            raise CribevError(
                f"invalid opponent {quote(repr(opponent))}: expected a name, a file, or an object "
                "with a name and weights"
            )
        found = opponent if isinstance(given, Opponent) else _adopted(given)
    elif (name := fspath(opponent).strip().lower()) == ExpertOpponent.name:
        found = ExpertOpponent(load(play=play))
    elif name == Uniform.name:
        found = Uniform()
    elif (person := as_person(opponent)) is not None:
        found = person
    elif name in PUBLISHED_CRIBS or has_average_cribs(opponent):
        named = name if name in PUBLISHED_CRIBS else fspath(opponent)
        found = PublishedCribs(load(play=play), named, table=crib_table(opponent))
    else:
        given = fspath(opponent)
        if re.fullmatch(r"[\w-]*", given) and not _is_there(given):
            expected = f"{', '.join(OPPONENTS)}, or a file"
            raise TableError(unknown("opponent", given, OPPONENTS, expected=expected))
        known = f"an opponent ({', '.join(OPPONENTS)})"
        table = read_pair_table(opponent, suffix="_pct", known=known)
        found = Frequencies(fspath(opponent), table)
    return found if play or not found.counts_play else without_play(found)


def as_person(opponent: object) -> Person | None:
    """Return an opponent with habits, for a name, file or JSON, or as given; else None."""
    if not isinstance(opponent, str | PathLike | Opponent):
        return None
    if isinstance(opponent, str) and opponent.strip().lower() in (
        ExpertOpponent.name,
        Uniform.name,
    ):
        return None

    from cribev.opponents.people import Person, parse_person, read_person  # loads all of the play

    if isinstance(opponent, Opponent):
        return opponent if isinstance(opponent, Person) else None
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


def _is_there(path: str) -> bool:
    with suppress(OSError):  # a name that is too long
        return Path(path).exists()
    return False


def work_out_tables(person: Person) -> TablesAgainst:
    """Compute the tables against a person, see `cribev.evaluation.against`."""
    from cribev.evaluation.against import work_out  # loads all that is worth knowing of the play

    return work_out(person)


PlayerLike: TypeAlias = str | PathLike[str] | Callable[..., ArrayLike] | PlayStrategy | Opponent
"""What can be an opponent in the play: a name, a file of habits, a function that plays (see
`cribev.opponents.strategies.PlayFunction`), or an opponent."""


def as_player(opponent: PlayerLike) -> Opponent:
    """Return an opponent in the play, as `as_play_strategy` does; else CribevError."""
    if isinstance(opponent, Opponent):
        return opponent
    if isinstance(opponent, str) and opponent.strip().lower() == ExpertOpponent.name:
        return ExpertOpponent()
    if opponent is shipped_strategy():
        return ExpertOpponent()
    return as_person(opponent) or CardPlayer(as_play_strategy(opponent))


def as_play_strategy(opponent: PlayerLike) -> PlayStrategy:
    """Return a strategy of the play, by name, function, or as given; else CribevError."""
    given: object = opponent
    if isinstance(opponent, PlayStrategy):
        return opponent
    across = opponent if isinstance(opponent, Opponent) else as_person(opponent)
    if across is not None:
        return across.play_strategy()

    from cribev.opponents.strategies import LockedPlay

    known = _players()
    if callable(opponent):
        expert, name = known["expert"], getattr(opponent, "__name__", "locked")
        return LockedPlay(expert.size, expert.states, opponent, name=name)
    name = given.strip().lower() if isinstance(given, str) else ""
    if name not in known and isinstance(given, str):
        expected = f"{', '.join(PLAYERS)}, or a file"
        raise CribevError(unknown("opponent", given, PLAYERS, expected=expected))
    if name not in known:
        shown = quote(repr(given))
        names = ", ".join(map(repr, PLAYERS))
        raise CribevError(f"invalid player {shown}: expected {names}, a file or a function")
    return known[name]


@functools.cache
def _players() -> dict[str, PlayStrategy]:
    """Return a strategy of the play by name."""
    from cribev.opponents.strategies import UniformPlay

    expert = shipped_strategy()
    players = expert, UniformPlay(expert.size, expert.states)
    return {player.name: player for player in players}


def _adopted(given: object) -> Opponent:
    """Make an opponent of any object; what it lacks comes from `Opponent`."""
    adopted = Opponent()
    names = ("name", *(name for name in vars(Opponent) if not name.startswith("_")))
    vars(adopted).update({name: getattr(given, name) for name in names if hasattr(given, name)})
    return adopted
