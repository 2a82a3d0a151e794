"""The books of a discard: from what the role comes to on average to what was made, step by step.

Everything rests on one identity, from the player's side, net of the crib, with one evaluator for
error and luck. A deal passes levels, each an expected average that knows a little more:

- before the deal: what the role comes to on average;
- after the deal: the best expected average of the six cards;
- after the discard: the expected average of what was thrown;
- after the starter: the same, given the starter;
- after the show: what hand and crib really made, and still the average of the play;
- after the play: what hand, crib and play really made.

Each of `COMPONENTS` leads from one to the next, so that they add up to the result: the luck of the
deal, less what the discard lost, plus the luck of the starter, plus the swings of the crib and the
play. The crib swing is what the crib made beyond its average, for the hand is known with the
starter. Swings are not called luck, for they mix chance with what both players chose. His heels are
counted in the score alone.

The play comes before the show at the table, and after it here: few records have it. Without it the
books close at the show, and the result has the play at its average for the cards kept: to leave it
out of the last level alone would leave its average in the first. In a review of the show alone it
is part of no level.

Where the score is known, the same books are kept in chances to win the game: what the role has at
the score before the deal, the best discard of the six cards, the one thrown, and what is left after
the deal, at the score it has led to, or 1 or 0 if the game is over. `WIN_COMPONENTS` lead from one
to the next, and add up to the change. What two experts who count points win is the measure before
and after; so the best discard may be worth more than the cards on average.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.choice import TIE_TOLERANCE, best_by_points, competition_ranks, net_points, ranking
from cribev.classes.canonical import Floats
from cribev.deal.many import ValuesGivenStarter
from cribev.errors import RecordError, TableError
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import ROLES
from cribev.game.score_notation import UNKNOWN, WINNING_SCORE
from cribev.opponents.models import Opponent
from cribev.reviews.cells import format_card_rows
from cribev.reviews.deals import known_points
from cribev.reviews.records import Record
from cribev.reviews.wording import NEAR_END, WIN_BANDS, VerdictBands
from cribev.solved.win_table import WinTable


class Component(NamedTuple):
    """What leads from one level of a deal to the next."""

    name: str
    """Its column, in points."""
    words: str
    kind: Literal["luck", "lost", "swing"]
    """What is lost is taken away, everything else is added."""
    needs: str = ""
    """What a record that leaves it open lacks; without any, books close without the step."""

    @property
    def sign(self) -> int:
        """1 if it is added, -1 if it is taken away."""
        return -1 if self.kind == "lost" else 1


COMPONENTS = (
    Component("deal_luck", "deal luck", "luck", "the average of the role against this opponent"),
    Component("ev_loss", "lost", "lost"),
    Component("starter_luck", "starter luck", "luck", "the starter"),
    Component("crib_swing", "crib swing", "swing", "the opponent's discard"),
    Component("play_swing", "play swing", "swing"),
)
"""In the order of the books."""

PLAY_SWING = COMPONENTS[-1]

WIN_COMPONENTS = (
    Component("win_deal_luck", "luck of the deal", "luck"),
    Component("win_loss", "lost", "lost"),
    Component("win_luck", "luck after it", "luck"),
)
"""The same in chances to win; what follows the discard is cards, and what the opponent does."""

WIN_CHANGE = "win_change"
"""The column of totals for what these add up to."""

WIN_COLUMNS = (
    *("judged_by", "win_before", "win", "best_win", "win_discard", "win_loss"),
    *("win_deal_luck", "win_luck", "win_after"),
)
"""The columns of the chances to win."""


def result_columns(*, play: bool, wins: bool = False) -> list[str]:
    """List the columns a review adds to the record, with the play and chances to win or without."""
    return [
        *("best_discard", "expected", "best_expected", "ev_loss", "rank", "verdict", "margin"),
        *(step.name for step in COMPONENTS if step.kind != "lost" and (play or step != PLAY_SWING)),
        "result",
        *(WIN_COLUMNS if wins else ()),
    ]


def known_components(decisions: pd.DataFrame) -> list[Component]:
    """List the steps that are there, the play only where something of it was recorded."""
    played = PLAY_SWING.name in decisions and decisions[PLAY_SWING.name].notna().any()
    return [step for step in COMPONENTS if played or step != PLAY_SWING]


def component_formula(steps: Iterable[Component]) -> str:
    """Say how steps make up the result.

    >>> component_formula(COMPONENTS)
    'result = deal luck - lost + starter luck + crib swing + play swing'
    """
    terms = "".join(f" {'-' if step.sign < 0 else '+'} {step.words}" for step in steps)
    return f"result ={terms.removeprefix(' +')}"


def require_free_columns(record: Record) -> None:
    """Check that a record's own columns leave room for the results.

    Those of a former review, all of them there, give way to the new ones.

    Raises
    ------
    RecordError
        If some are there and others not, naming one.

    Examples
    --------
    >>> from io import StringIO
    >>> from cribev.reviews.records import RECORD_TEMPLATE, as_record
    >>> require_free_columns(as_record(pd.read_csv(StringIO(RECORD_TEMPLATE)).assign(margin=1)))
    Traceback (most recent call last):
    cribev.errors.RecordError: there is a column 'margin' already, which a review adds: rename it
    """
    taken = [name for name in result_columns(play=True, wins=True) if name in record.frame]
    if taken and not set(result_columns(play=False)) <= set(taken):
        raise RecordError(f"there is a column {taken[0]!r} already, which a review adds: rename it")


def grade_decisions(
    record: Record,
    valued: ValuesGivenStarter,
    opponent: Opponent,
    bands: VerdictBands,
    *,
    win_bands: VerdictBands = WIN_BANDS,
) -> pd.DataFrame:
    """Grade every discard and balance its books.

    Parameters
    ----------
    record
        The discards.
    valued
        What all 15 discards of each are worth.
    opponent
        Who was taken to throw the other two cards.
    bands, win_bands
        What the verdicts mean, by points, and by chances to win near the end of a game.

    Returns
    -------
    The record's columns, then `result_columns`; NaN where the record does not say enough.
    """
    values, crib_given_starter = valued
    expected = values.expected
    rows = np.arange(len(expected))
    keep, margin = best_by_points(expected)
    rank = competition_ranks(expected)[rows, record.keeps]
    best = expected[rows, keep]
    # What ties with the best comes to as much, before anything is rounded.
    own = np.where(rank == 1, best, expected[rows, record.keeps])
    play = None if values.play is None else values.play[rows, record.keeps]
    kept, thrown = (
        np.take_along_axis(record.deals, places[record.keeps], axis=1).astype(np.int64)
        for places in (KEEPS, DISCARDS)
    )
    cribs = np.concatenate([thrown, record.opponent_discards], axis=1)
    hand, crib = (
        np.where(points == UNKNOWN, np.nan, points)
        for points in (
            known_points(kept, record.starters),
            known_points(cribs, record.starters, crib=True),
        )
    )
    before = np.where(record.dealer, *(opponent.baseline(role) for role in ROLES))
    made = net_points(hand, crib, record.dealer, play)
    cut = crib_given_starter[rows, record.keeps]
    levels = [before, best, own, net_points(hand, cut, record.dealer, play), made]
    *of_show, of_play = COMPONENTS
    steps = _decompose(of_show, levels)
    if play is not None:
        own_points, theirs = record.pegged.T
        known = (record.pegged != UNKNOWN).all(axis=1)
        swing = steps[of_play.name] = np.where(known, own_points - theirs - play, np.nan)
        made = made + np.where(known, swing, 0.0)
    found: dict[str, Any] = steps | {
        "best_discard": format_card_rows(np.take_along_axis(record.deals, DISCARDS[keep], axis=1)),
        "expected": own,
        "best_expected": best,
        "rank": rank,
        "verdict": bands.verdicts(steps["ev_loss"], rank == 1),
        "margin": margin,
        "result": made - before,
    }
    if values.win is not None:
        found |= _wins(record, expected, values.win, _race(opponent))
        by_win = found["judged_by"] == "win"
        in_wins = win_bands.verdicts(
            np.nan_to_num(found["win_loss"]),
            values.win[rows, record.keeps] + TIE_TOLERANCE >= found["best_win"],
        )
        found["verdict"] = np.where(by_win, in_wins, found["verdict"])
    own_columns = record.frame.drop(columns=result_columns(play=True, wins=True), errors="ignore")
    columns = result_columns(play=play is not None, wins=values.win is not None)
    return pd.concat([own_columns, pd.DataFrame(found, columns=columns)], axis=1)


def _decompose(steps: Iterable[Component], levels: Iterable[Floats]) -> dict[str, Floats]:
    """Say what each step adds or takes away between one level and the next."""
    return {
        step.name: step.sign * (after - level) + 0.0  # and no -0.0
        for step, (level, after) in zip(steps, pairwise(levels), strict=True)
    }


def _race(opponent: Opponent) -> WinTable:
    race = opponent.solved_game().win_table
    if race is None:
        raise TableError("the race to 121 is not in the solution")
    return race


def _wins(record: Record, expected: Floats, win: Floats, race: WinTable) -> dict[str, Any]:
    """Balance the books in chances to win, ``(N, 15)`` for the discards, NaN where not known."""
    known = np.asarray(np.isfinite(win).all(axis=1))
    rows = np.arange(len(win))
    keep = ranking(expected, win).order[:, 0]
    own, best = win[rows, record.keeps], win[rows, keep]
    before = win_at_scores(record.scores, record.dealer, race)
    after = win_at_scores(record.scores_after, ~record.dealer, race)
    best = np.where(own + TIE_TOLERANCE >= best, own, best)
    near = known & (record.scores.max(axis=1) >= WINNING_SCORE - NEAR_END)
    thrown = np.take_along_axis(record.deals, DISCARDS[keep], axis=1).astype(np.int64)
    return {
        "judged_by": np.where(near, "win", "points"),
        "win_before": before,
        "win": own,
        "best_win": best,
        "win_discard": format_card_rows(np.where(known[:, None], thrown, UNKNOWN)),
        "win_after": after,
        **_decompose(WIN_COMPONENTS, [before, best, own, after]),
    }


def win_at_scores(scores: NDArray[np.int64], dealer: NDArray[np.bool_], race: WinTable) -> Floats:
    """Tell how likely players win from a score before a deal, as two experts do.

    Parameters
    ----------
    scores
        The player's points and the opponent's, 121 for who has won, `UNKNOWN` where they are not
        known, ``(N, 2)``.
    dealer
        Whether the player deals, ``(N,)``.
    race
        How likely the dealer wins from every score.

    Returns
    -------
    Chances, ``(N,)``, NaN where the score is not known.

    Examples
    --------
    >>> from cribev.solved.win_probabilities import win_table_of
    >>> scores = np.array([[0, 0], [0, 0], [121, 90], [UNKNOWN, UNKNOWN]])
    >>> win_at_scores(scores, np.array([True, False, True, True]), win_table_of()).round(2).tolist()
    [0.56, 0.44, 1.0, nan]
    """
    own, theirs = np.clip(scores, 0, WINNING_SCORE - 1).T
    chance = np.where(dealer, race.win[own, theirs], 1 - race.win[theirs, own])
    chance = np.where((scores == WINNING_SCORE).any(axis=1), scores[:, 0] == WINNING_SCORE, chance)
    return np.where((scores == UNKNOWN).any(axis=1), np.nan, chance)
