"""Each decision graded, and its result split into what was lost and what was luck.

A decision passes levels, each an expected number of points (the player's, net of the crib) that
knows a little more. All come from one evaluation, so that losses and luck add up.

- before the deal: the average of the role;
- after the deal: the best discard of the six cards;
- after the discard: the one thrown;
- after the starter: the same, given the starter;
- after the show: what hand and crib made, and the play at its average;
- after the play: what hand, crib and play made.

`COMPONENTS` lead from one level to the next and add up to the result: luck of the deal, less what
was lost, plus luck of the starter, plus the swings of crib and play. The starter decides the hand,
so the crib swing is what the crib made beyond its average. Swings are not called luck: they mix
chance with what both players chose. Heels count in the score alone.

Few records have the play, so it comes last here. Without it the last level is missing, and the
result takes the play at its average. A review of the show alone leaves it out of all levels.

Where the cards laid are graded, the play swing is parted too: play luck, what the opponent and
chance did, less what the player's own cards lost. Of two players, what the opponent's cards lost
stands beside; it is a part of the luck.

Where the score is known, `WIN_COMPONENTS` split the change in chances to win in the same way:
before the deal, with the best discard, with the one thrown, and after the deal, when the game may
be over. What the cards lost is taken from the last step. The measure before and after is what two
experts who count points win, so the best discard may be worth more than the cards on average.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.advice.exact import ValuesGivenStarter
from cribev.choice import (
    TIE_TOLERANCE,
    WIN_BANDS,
    VerdictBands,
    best_by_points,
    competition_ranks,
    net_points,
    ranking,
)
from cribev.classes.canonical import Floats
from cribev.errors import RecordError, TableError
from cribev.game.index_tables import DISCARDS
from cribev.game.roles import ROLES
from cribev.game.score import UNKNOWN, WINNING_SCORE, near_end
from cribev.opponents.discarders import Opponent
from cribev.reviews.cards import GradedCards
from cribev.reviews.record import Record, show_points
from cribev.reviews.seats import format_card_rows
from cribev.rows.columns import (
    GRADE_COLUMNS,
    PLAY_COLUMNS,
    WIN_COLUMNS,
    WIN_PLAY_COLUMN,
)
from cribev.solution.statistics import WinTable


class Component(NamedTuple):
    """What leads from one level of a deal to the next."""

    name: str
    """Its column, in points."""
    words: str
    kind: Literal["luck", "lost", "swing"]
    """What is lost is subtracted, all else is added."""
    needs: str = ""
    """What a record lacks that leaves it open; if empty, the result does without."""

    @property
    def sign(self) -> int:
        """1 if it is added, -1 if it is subtracted."""
        return -1 if self.kind == "lost" else 1


COMPONENTS = (
    Component("deal_luck", "deal luck", "luck", "the average of the role against this opponent"),
    Component("ev_loss", "lost", "lost"),
    Component("starter_luck", "starter luck", "luck", "the starter"),
    Component("crib_swing", "crib swing", "swing", "the opponent's discard"),
    Component("play_swing", "play swing", "swing"),
)
"""From the deal to the result."""

PLAY_SWING = COMPONENTS[-1]

PLAY_PARTS = (
    Component("play_luck", "play luck", "swing"),
    Component("play_lost", "lost in play", "lost"),
)
"""What the play swing is made of, where the cards are graded."""

WIN_COMPONENTS = (
    Component("win_deal_luck", "luck of the deal", "luck"),
    Component("win_loss", "lost", "lost"),
    Component(WIN_PLAY_COLUMN, "lost in play", "lost"),
    Component("win_luck", "luck after it", "luck"),
)
"""The same in chances to win. What follows the discard is luck, and what the opponent does; and the
player's own play, where its cards are not graded."""

WIN_CHANGE = "win_change"
"""The column of totals for their sum."""


def result_columns(*, play: bool, wins: bool = False, cards: bool = False) -> list[str]:
    """List the columns a review adds to a record."""
    grades = [name for name in GRADE_COLUMNS if play or name != PLAY_SWING.name]
    graded = [*PLAY_COLUMNS, *([WIN_PLAY_COLUMN] if wins else [])] if cards else []
    return [*grades, *(WIN_COLUMNS if wins else ()), *graded]


_EVERY_COLUMN = result_columns(play=True, wins=True, cards=True)


def known_components(decisions: pd.DataFrame) -> list[Component]:
    """List the components of a result, the play swing only if a play is recorded."""
    played = PLAY_SWING.name in decisions and decisions[PLAY_SWING.name].notna().any()
    return [step for step in COMPONENTS if played or step != PLAY_SWING]


def known_win_components(table: pd.DataFrame) -> list[Component]:
    """List the components of the change in chances to win that a review knows of."""
    return [step for step in WIN_COMPONENTS if step.name in table]


def component_formula(steps: Iterable[Component], *, of: str = "result") -> str:
    """Write the result, or what the steps lead to, as a sum.

    >>> component_formula(COMPONENTS)
    'result = deal luck - lost + starter luck + crib swing + play swing'
    """
    terms = "".join(f" {'-' if step.sign < 0 else '+'} {step.words}" for step in steps)
    return f"{of} ={terms.removeprefix(' +')}"


def require_free_columns(record: Record) -> None:
    """Refuse a record with some columns of a review; all of a former review are replaced.

    >>> from io import StringIO
    >>> from cribev.reviews.record import RECORD_TEMPLATE, as_record
    >>> require_free_columns(as_record(pd.read_csv(StringIO(RECORD_TEMPLATE)).assign(margin=1)))
    Traceback (most recent call last):
    cribev.errors.RecordError: there is a column 'margin' already, which a review adds: rename it
    """
    taken = [name for name in _EVERY_COLUMN if name in record.frame]
    if taken and not set(result_columns(play=False)) <= set(taken):
        raise RecordError(f"there is a column {taken[0]!r} already, which a review adds: rename it")


def grade_decisions(
    record: Record,
    valued: ValuesGivenStarter,
    opponent: Opponent,
    bands: VerdictBands,
    *,
    win_bands: VerdictBands = WIN_BANDS,
    graded: GradedCards | None = None,
) -> pd.DataFrame:
    """Grade every discard and split its result.

    Returns the record's columns, then `result_columns`; NaN where the record does not say enough.
    """
    values, crib_given_starter = valued
    expected = values.expected
    rows = np.arange(len(expected))
    keep, margin = best_by_points(expected)
    rank = competition_ranks(expected)[rows, record.keeps]
    best = expected[rows, keep]
    # What ties with the best is worth as much, before anything is rounded.
    own = np.where(rank == 1, best, expected[rows, record.keeps])
    play = None if values.play is None else values.play[rows, record.keeps]
    hand, crib = (np.where(of == UNKNOWN, np.nan, of) for of in show_points(record))
    cut = crib_given_starter[rows, record.keeps]
    before = np.where(record.dealer, *(opponent.baseline(role) for role in ROLES))
    made = net_points(hand, crib, record.dealer, play)
    levels = [before, best, own, net_points(hand, cut, record.dealer, play), made]
    found: dict[str, Any] = dict(_decompose(COMPONENTS[:-1], levels))
    if play is not None:
        pegged = record.pegged[:, 0] - record.pegged[:, 1]
        known = (record.pegged != UNKNOWN).all(axis=1)
        found[PLAY_SWING.name] = np.where(known, pegged - play, np.nan)
        made = made + np.where(known, pegged - play, 0.0)
    found |= {
        "best_discard": format_card_rows(np.take_along_axis(record.deals, DISCARDS[keep], axis=1)),
        "expected": own,
        "best_expected": best,
        "rank": rank,
        "verdict": bands.verdicts(found["ev_loss"], rank == 1),
        "margin": margin,
        "result": made - before,
    }
    if values.win is not None:
        found |= _wins(record, expected, values.win, _win_table(opponent))
        tied = found["win"] + TIE_TOLERANCE >= found["best_win"]
        by_wins = win_bands.verdicts(np.nan_to_num(found["win_loss"]), tied)
        found["verdict"] = np.where(found["judged_by"] == "win", by_wins, found["verdict"])
    cards = graded is not None and play is not None
    if graded is not None and play is not None:
        lost, win_lost = graded.lost(record)
        swing = found[PLAY_SWING.name]
        found |= dict(zip(PLAY_COLUMNS, (swing + lost, lost, _across(record, lost)), strict=True))
        if values.win is not None:
            found[WIN_PLAY_COLUMN] = win_lost
            found["win_luck"] = found["win_luck"] + np.nan_to_num(win_lost)
    own_columns = record.frame.drop(columns=_EVERY_COLUMN, errors="ignore")
    columns = result_columns(play=play is not None, wins=values.win is not None, cards=cards)
    return pd.concat([own_columns, pd.DataFrame(found, columns=columns)], axis=1)


def _across(record: Record, values: Floats) -> Floats:
    """Return each row's value of the other player's row in the same deal, NaN without one."""
    keys = pd.MultiIndex.from_frame(record.frame[["game", "deal"]]).factorize()[0]
    order = np.argsort(keys, kind="stable")
    second = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    first, other = order[second], order[second + 1]
    found = np.full(len(values), np.nan)
    found[first], found[other] = values[other], values[first]
    return found


def _decompose(steps: Iterable[Component], levels: Iterable[Floats]) -> dict[str, Floats]:
    """Return what each component adds, or what was lost, from level to level."""
    return {
        step.name: step.sign * (after - level) + 0.0  # and no -0.0
        for step, (level, after) in zip(steps, pairwise(levels), strict=True)
    }


def _win_table(opponent: Opponent) -> WinTable:
    table = opponent.solved_game().win_table
    if table is None:
        raise TableError("the solution has no table of chances to win")
    return table


def _wins(record: Record, expected: Floats, win: Floats, table: WinTable) -> dict[str, Any]:
    """Split the change in chances to win, by those of all discards ``(N, 15)``, NaN if unknown."""
    known = np.asarray(np.isfinite(win).all(axis=1))
    rows = np.arange(len(win))
    keep = ranking(expected, win).order[:, 0]
    own, best = win[rows, record.keeps], win[rows, keep]
    before = win_at_scores(record.scores, record.dealer, table)
    after = win_at_scores(record.scores_after, ~record.dealer, table)
    best = np.where(own + TIE_TOLERANCE >= best, own, best)
    near = known & near_end(record.scores)
    thrown = np.take_along_axis(record.deals, DISCARDS[keep], axis=1).astype(np.int64)
    return {
        "judged_by": np.where(near, "win", "points"),
        "win_before": before,
        "win": own,
        "best_win": best,
        "win_discard": format_card_rows(np.where(known[:, None], thrown, UNKNOWN)),
        "win_after": after,
        **_decompose(
            [step for step in WIN_COMPONENTS if step.name != WIN_PLAY_COLUMN],
            [before, best, own, after],
        ),
    }


def win_at_scores(scores: NDArray[np.int64], dealer: NDArray[np.bool_], table: WinTable) -> Floats:
    """Return chances to win before deals ``(N,)``, from the player's points and the opponent's.

    Who has 121 has won; NaN where the score is `UNKNOWN`.

    >>> from cribev.solution.tables import win_table_of
    >>> scores = np.array([[0, 0], [0, 0], [121, 90], [UNKNOWN, UNKNOWN]])
    >>> win_at_scores(scores, np.array([True, False, True, True]), win_table_of()).round(2).tolist()
    [0.56, 0.44, 1.0, nan]
    """
    own, opponent = np.clip(scores, 0, WINNING_SCORE - 1).T
    chance = np.where(dealer, table.win[own, opponent], 1 - table.win[opponent, own])
    chance = np.where((scores == WINNING_SCORE).any(axis=1), scores[:, 0] == WINNING_SCORE, chance)
    return np.where((scores == UNKNOWN).any(axis=1), np.nan, chance)
