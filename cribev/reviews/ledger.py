"""The books of a discard: from what the role comes to on average to what was made, step by step.

Everything rests on one identity, from the player's side, net of the crib, with one evaluator for
error and luck. A deal passes levels, each an expected average that knows a little more:

- before the deal: what the role comes to on average;
- after the deal: the best expected average of the six cards;
- after the discard: the expected average of what was thrown;
- after the starter: the same, given the starter;
- after the show: what hand and crib really made.

Each of `STEPS` leads from one to the next, so that they add up to the result: the luck of the deal,
less what the discard lost, plus the luck of the starter, plus the swing of the crib. The swing is
not called luck, for it mixes chance with what the opponent chose. His heels are counted nowhere,
and neither is the play: points pegged are not part of any of it.
"""

from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from cribev.choice import best_of, net, ranks_of
from cribev.classes.forms import Floats
from cribev.errors import RecordError
from cribev.game.indices import DISCARDS, KEEPS
from cribev.game.roles import ROLES
from cribev.game.scoring import score_hands
from cribev.opponents.models import Opponent
from cribev.reviews.cells import cards_text
from cribev.reviews.played import UNKNOWN
from cribev.reviews.records import Record
from cribev.reviews.words import Bands
from cribev.reviews.worth import Worth


class Step(NamedTuple):
    """What leads from one level of a deal to the next."""

    name: str
    """Its column, in points."""
    words: str
    kind: Literal["luck", "lost", "swing"]
    """What is lost is taken away, everything else is added."""
    needs: str
    """What a record that leaves it open lacks."""

    @property
    def sign(self) -> int:
        """1 if it is added, -1 if it is taken away."""
        return -1 if self.kind == "lost" else 1


STEPS = (
    Step("deal_luck", "deal luck", "luck", "the average of the role against this opponent"),
    Step("ev_loss", "lost", "lost", ""),
    Step("starter_luck", "starter luck", "luck", "the starter"),
    Step("crib_swing", "crib swing", "swing", "the opponent's discard"),
)
"""In the order of a deal."""

RESULTS = (
    *("best_discard", "expected", "best_expected", "ev_loss", "rank", "verdict", "margin"),
    *(step.name for step in STEPS if step.kind != "lost"),
    "result",
)
"""The columns a review adds to the record."""


def formula() -> str:
    """Say how the steps make up the result.

    >>> formula()
    'result = deal luck - lost + starter luck + crib swing'
    """
    terms = "".join(f" {'-' if step.sign < 0 else '+'} {step.words}" for step in STEPS)
    return f"result ={terms.removeprefix(' +')}"


def check_free(record: Record) -> None:
    """Check that a record's own columns leave room for the results.

    Those of a former review, all of them there, give way to the new ones.

    Raises
    ------
    RecordError
        If some are there and others not, naming one.

    Examples
    --------
    >>> from io import StringIO
    >>> from cribev.reviews.records import TEMPLATE, as_record
    >>> check_free(as_record(pd.read_csv(StringIO(TEMPLATE)).assign(margin=1)))
    Traceback (most recent call last):
    cribev.errors.RecordError: there is a column 'margin' already, which a review adds: rename it
    """
    taken = [name for name in RESULTS if name in record.frame]
    if taken and len(taken) < len(RESULTS):
        raise RecordError(f"there is a column {taken[0]!r} already, which a review adds: rename it")


def decisions_of(record: Record, worth: Worth, opponent: Opponent, bands: Bands) -> pd.DataFrame:
    """Grade every discard and balance its books.

    Parameters
    ----------
    record
        The discards.
    worth
        What all 15 discards of each are worth.
    opponent
        Who was taken to throw the other two cards.
    bands
        What the verdicts mean.

    Returns
    -------
    The record's columns, then `RESULTS`; NaN where the record does not say enough.
    """
    expected = worth.expected(record.dealer)
    rows = np.arange(len(expected))
    keep, margin = best_of(expected)
    rank = ranks_of(expected)[rows, record.keeps]
    best = expected[rows, keep]
    # What ties with the best comes to as much, before anything is rounded.
    own = np.where(rank == 1, best, expected[rows, record.keeps])
    cut, made = _shown(record, worth)
    before = np.where(record.dealer, *(opponent.before(role, play=False) for role in ROLES))
    levels = [before, best, own, cut, made]
    steps = {
        step.name: step.sign * (after - level)
        for step, (level, after) in zip(STEPS, pairwise(levels), strict=True)
    }
    found = steps | {
        "best_discard": cards_text(np.take_along_axis(record.deals, DISCARDS[keep], axis=1)),
        "expected": own,
        "best_expected": best,
        "rank": rank,
        "verdict": bands.verdicts(steps["ev_loss"], rank == 1),
        "margin": margin,
        "result": levels[-1] - levels[0],
    }
    own_columns = record.frame.drop(columns=list(RESULTS), errors="ignore")
    return pd.concat([own_columns, pd.DataFrame(found, columns=RESULTS)], axis=1)


def _shown(record: Record, worth: Worth) -> tuple[Floats, Floats]:
    """Return what a discard comes to once the starter is known, and what was made at the show."""
    thrown = np.take_along_axis(record.deals, DISCARDS[record.keeps], axis=1)
    kept = np.take_along_axis(record.deals, KEEPS[record.keeps], axis=1)
    cut = record.starters != UNKNOWN
    hand, crib = np.full((2, len(cut)), np.nan)
    hand[cut] = score_hands(kept[cut], record.starters[cut])
    full = cut & (record.theirs[:, 0] != UNKNOWN)
    cribs = np.concatenate([thrown, record.theirs], axis=1)
    crib[full] = score_hands(cribs[full], record.starters[full], crib=True)
    return net(hand, worth.crib_cut, record.dealer), net(hand, crib, record.dealer)
