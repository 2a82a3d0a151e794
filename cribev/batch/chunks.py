"""Rows of any table, evaluated a chunk at a time."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribev.advice.names import OpponentLike, as_opponent
from cribev.advice.question import check_asked
from cribev.batch.evaluate import (
    BEST_COLUMNS,
    EVERY_COLUMNS,
    PLAY,
    WIN,
    WIN_METHOD,
    best_discards,
    every_discards,
    planned,
)
from cribev.classes.canonical import Index
from cribev.errors import CardError, CribevError, quote
from cribev.evaluation.plan import Report, deal_text
from cribev.game.cards import SUITLESS_OFFSET
from cribev.game.outcomes import SCORED_COLUMNS
from cribev.game.roles import as_role
from cribev.game.score import as_score
from cribev.game.stakes import Stakes, StakesLike
from cribev.game.words import require_flags
from cribev.rows import columns
from cribev.rows.columns import OPPONENT_SCORE, SCORE, RowErrors
from cribev.rows.files import Chunk
from cribev.rows.headings import missing_column, normalised_header

ROLE_COLUMN = "role"
VERSION = "cribev"  # the column of the version
REASON = "reason"  # why a row is bad
OPPONENT, STAKES = "opponent", "stakes"  # no columns are read: all rows have the same
ERRORS = ("raise", "skip", "null")
_FORMER = {
    BEST_COLUMNS: {"best_discard", "best_keep", "expected", "margin"},
    EVERY_COLUMNS: {"rank", "discard", "keep", "expected", "behind"},
}
"""Columns by which an evaluated table is recognized: a new evaluation replaces all it added."""


def evaluate_chunk(
    chunk: Chunk,
    *,
    cards: Hashable | list[Hashable] = "cards",
    role: str | None = None,
    opponent: OpponentLike = "expert",
    play: bool = True,
    score: bool | str | tuple[int, int] = False,
    stakes: StakesLike | None = None,
    every_discard: bool = False,
    exact: bool = False,
    workers: int = 1,
    errors: str = "raise",
    provenance: bool = False,
    report: Report = None,
) -> tuple[dict[str, NDArray[Any]], Index, RowErrors]:
    """Evaluate rows: return columns to add, the row of the chunk for each, and the bad rows.

    Cards are numbers, ``(n, 2)`` or ``(n, 4)``. Options are those of `evaluate`; `report` is called
    with the number of slow deals done, in place of a progress bar.
    """
    if errors not in ERRORS:
        raise CribevError(f"errors={errors!r}: expected {', '.join(ERRORS)}")
    require_flags(every_discard=every_discard, exact=exact, provenance=provenance)
    cards, role = card_columns(cards), None if role is None else as_role(role)
    thrower, played_for = as_opponent(opponent, play=play), Stakes.read(stakes)
    scored = score is not False
    check_asked(thrower, played_for, scored=scored)
    added = _added_names(
        play=play, win=scored, worth=played_for.goal is not None, every_discard=every_discard
    )
    if not isinstance(score, bool):
        if there := {SCORE, OPPONENT_SCORE} & {*chunk.names}:
            raise CribevError(
                f"a column {min(there)!r}, and {score!r} for all rows too: choose one"
            )
        text = score if isinstance(score, str) else "{}-{}".format(*as_score(score, role))
        every = [*chunk.columns, [text] * chunk.size]
        chunk = chunk._replace(names=[*chunk.names, SCORE], columns=every)
    taken = [*added, *[VERSION] * provenance, *[REASON] * (errors == "null")]
    try:
        _check_columns(chunk.names, cards, role, taken)
    except CribevError as error:
        raise CribevError(f"{chunk.source!r}: {error}" if chunk.source else str(error)) from error
    table = dict(zip(chunk.names, chunk.columns, strict=True))
    deals, bad = columns.parse_deals([table[name] for name in cards])
    bad_roles, bad_scores, scores = RowErrors(), RowErrors(), None
    if role is not None:
        dealer = np.full(chunk.size, role == "dealer")
    elif ROLE_COLUMN in table:
        dealer, bad_roles = columns.parse_roles(table[ROLE_COLUMN])
    else:
        dealer, bad_roles = columns.parse_stars(table[SCORE])
    if scored:
        points = table[SCORE], table.get(OPPONENT_SCORE)
        scores, bad_scores = columns.parse_score_columns(*points, dealer)
    if exact:
        for row in np.flatnonzero((deals >= SUITLESS_OFFSET).any(axis=1)).tolist():
            said = "lacks suits: exact counting is for cards with suits"
            bad.setdefault(row, CardError(f"{deal_text(deals[row])!r} {said}"))
    bad = {**bad_scores, **bad_roles, **bad, **chunk.bad}
    if errors == "raise":
        chunk.require(bad)
    good = np.delete(np.arange(chunk.size), [*bad])
    rows = (deals, dealer, scores) if not bad else (
        deals[good], dealer[good], None if scores is None else scores[good]
    )  # fmt: skip
    with planned(rows, played_for, thrower, exact, workers, report) as (plan, tell):
        evaluate = every_discards if every_discard else best_discards
        found, deal_rows = evaluate(plan, report=tell).columns()
    told = provenance_of(thrower, played_for, scored=scored) if provenance else {}
    same = {name: np.full(len(deal_rows), text, object) for name, text in told.items()}
    return same | found, good[deal_rows], bad


def score_values(chunk: Chunk) -> list[Any]:
    """Return all values of columns `SCORE`."""
    own = zip(chunk.names, chunk.columns, strict=True)
    return [value for name, column in own if name == SCORE for value in columns.as_values(column)]


def holds_scores(chunk: Chunk) -> bool:
    """Return whether any row has a score."""
    return OPPONENT_SCORE in chunk.names or columns.holds_score(score_values(chunk))


def own_columns(names: Sequence[Hashable], values: Callable[[int], Iterable[Any]]) -> list[int]:
    """List the places of columns that no evaluation added to a table before.

    `values` returns a column. CribevError if rows are discards that are not the best of a deal.
    """
    former = set[Hashable]()
    for added, marks in _FORMER.items():
        if marks <= {*names}:
            former |= {*added, *((OPPONENT, STAKES, VERSION) if VERSION in names else ())}
    if "rank" in former:
        for rank in map(columns.as_text, values(names.index("rank"))):
            if rank not in ("", "1"):
                raise CribevError(
                    f"column 'rank', {quote(rank)}: rows are all discards of an earlier "
                    "evaluation: keep one for each deal, of rank 1"
                )
    ends = former & {"margin", "behind"}
    return [
        place
        for place, (before, name) in enumerate(pairwise([None, *names]))
        if name not in former and not (name == REASON and before in ends)
    ]


def provenance_of(opponent: Any, stakes: Stakes, *, scored: bool) -> dict[str, str]:
    """Say how figures were computed, by column."""
    from cribev import __version__

    played_for = {STAKES: stakes.name} if scored else {}
    return {OPPONENT: opponent.text, **played_for, VERSION: __version__}


def card_columns(cards: Hashable | list[Hashable]) -> list[Hashable]:
    """Take the name of a column of deals, or a list of six names of columns of cards."""
    if not isinstance(cards, list):
        return [cards]
    if len(cards) not in (1, 6):
        raise CribevError(f"cards stand in one column or in six, not {len(cards)}: {cards!r}")
    return cards


def _added_names(*, play: bool, every_discard: bool, win: bool, worth: bool) -> list[str]:
    counts = dict.fromkeys(SCORED_COLUMNS, win and worth)
    counts |= {PLAY: play, WIN: win, WIN_METHOD: win}
    names = EVERY_COLUMNS if every_discard else BEST_COLUMNS
    return [name for name in names if counts.get(name, True)]


def _check_columns(
    present: Sequence[Hashable], cards: Sequence[Hashable], role: str | None, added: Sequence[str]
) -> None:
    """Check that a table has each column it needs, once, and none that the evaluation adds."""
    starred = WIN in added and SCORE in present and OPPONENT_SCORE not in present
    roles = [ROLE_COLUMN] if role is None and not starred else []
    scores = [SCORE, *(name for name in present if name == OPPONENT_SCORE)] if WIN in added else []
    for name in [*cards, *roles, *scores]:
        if name not in present:
            also = ", or give one role for all" if name == ROLE_COLUMN and role is None else ""
            text = missing_column(str(name), list(map(str, present)))
            raise CribevError(text.replace(":", f"{also}:", 1))
        if list(present).count(name) > 1:
            raise CribevError(f"two columns {quote(str(name))}")
    if role is None and list(present).count(ROLE_COLUMN) > 1:
        raise CribevError(f"two columns {ROLE_COLUMN!r}")
    if role is not None and ROLE_COLUMN in present:
        raise CribevError(f"a column {ROLE_COLUMN!r}, and {role!r} for all rows too: choose one")
    for name in added:
        if name in present:
            raise CribevError(f"there is a column {name!r} already: rename it")
    for name in (OPPONENT, STAKES) if WIN in added else (OPPONENT,):
        if name in normalised_header([str(one) for one in present], [name]):
            raise CribevError(
                f"a column {name!r} would stand beside figures that do not go by it: rename it, "
                f"and say {name} once for all rows"
            )
