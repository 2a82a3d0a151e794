"""What to say of a throw: what it cost, why, and what the cards then made of it."""

from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.choice import near_ties, tied_best
from cribev.classes.canonical import Floats
from cribev.deal.formatting import difference_text
from cribev.game.cards import Cards, format_cards
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import crib_sign
from cribev.game.scoring import score
from cribev.practice.hands import Hand
from cribev.practice.throws import Throw, grade_throws
from cribev.reviews.wording import format_points, with_article

Line: TypeAlias = list[str | Cards]
"""A line of text in pieces, cards apart, so that each place can draw cards in its own way."""


class Verdict(NamedTuple):
    """What to say of a throw, in lines."""

    verdict: str
    """A word of `cribev.reviews.wording.VERDICTS`."""
    cost: Line
    """What was thrown, its verdict, and what it lost."""
    why: Line
    """What the best discard has over it; or, if it is the best, what it has over the next."""
    luck: Line
    """What the starter and the opponent's discard made of it."""
    decision: pd.Series
    """Its row of `cribev.practice.throws.grade_throws`."""


def verdict_of(thrown: Throw) -> Verdict:
    """Judge a throw.

    >>> from cribev.practice.hands import hands_of
    >>> from cribev.practice.throws import throw
    >>> found = verdict_of(throw(next(hands_of(7)), "9H JC"))
    >>> for line in (found.cost, found.why, found.luck):
    ...     print(line_text(line))
    threw 9H JC: a mistake, lost 0.99
    best was TD JC: 0.17 more in hand, 0.53 more in your crib, 0.28 more in the play
    cut 7C, your opponent threw 9C JH: hand 5 + crib 5, luck -1.68
    """
    decision = grade_throws([thrown]).iloc[0]
    (values,) = thrown.valued.discards.expected
    cost: Line = ["threw ", thrown.discard, f": {with_article(decision['verdict'])}"]
    if decision["rank"] > 1:
        near = ", a near-tie" if near_ties(values)[thrown.keep] else ""
        cost += [f"{near}, lost {format_points(decision['ev_loss'])}"]
    return Verdict(
        verdict=str(decision["verdict"]),
        cost=cost,
        why=_why(thrown, values),
        luck=_luck(thrown, decision),
        decision=decision,
    )


def line_text(line: Line) -> str:
    """Write a line as plain text.

    >>> line_text(["threw ", np.array([17, 18]), ": best"])
    'threw 5D 5H: best'
    """
    return "".join(piece if isinstance(piece, str) else format_cards(piece) for piece in line)


def role_text(hand: Hand) -> str:
    """Say whose crib it is, as "as dealer (your crib)"."""
    owner = "your" if hand.dealer else "your opponent's"
    return f"as {hand.role} ({owner} crib)"


def _why(thrown: Throw, values: Floats) -> Line:
    """Say what the best has over the throw, or what the best thrown has over the next."""
    tied, keep, deal = tied_best(values), thrown.keep, thrown.hand.deal
    if not tied[keep]:
        best = np.flatnonzero(tied)
        return [
            "best was ",
            *_discard_list(deal, best),
            f": {_difference(thrown, int(best[0]), keep)}",
        ]
    if tied.all():
        return ["all discards are worth the same"]
    line: Line = []
    if tied.sum() > 1:
        line = [
            "equal to ",
            *_discard_list(deal, np.flatnonzero(tied & (np.arange(15) != keep))),
            "; ",
        ]
    second = int(np.where(tied, -np.inf, values).argmax())
    return [
        *line,
        f"{format_points(values[keep] - values[second])} ahead of ",
        deal[DISCARDS[second]],
        f": {_difference(thrown, keep, second)}",
    ]


def _difference(thrown: Throw, one: int, other: int) -> str:
    """Say how much more one discard has than another, part by part."""
    hand, crib, play = (
        float(part[0, one] - part[0, other]) for part in thrown.valued.discards.averages().values()
    )
    return difference_text(hand, crib, thrown.hand.role, play)


def _discard_list(deal: Cards, keeps: NDArray[np.intp]) -> Line:
    line: Line = []
    for at, keep in enumerate(keeps):
        line += [" or "] * (at > 0) + [deal[DISCARDS[keep]]]
    return line


def _luck(thrown: Throw, decision: pd.Series) -> Line:
    """Say what hand and crib were in the end, and how far that is from the average."""
    hand = thrown.hand
    opponent = np.array(hand.opponent_discard, np.uint8)
    own = score(hand.deal[KEEPS[thrown.keep]], hand.starter)
    crib = score(np.concatenate([thrown.discard, opponent]), hand.starter, crib=True)
    luck = decision["starter_luck"] + decision["crib_swing"]
    sign = "+" if crib_sign(hand.role) > 0 else "-"
    return [
        "cut ",
        np.array([hand.starter], np.uint8),
        ", your opponent threw ",
        opponent,
        f": hand {own} {sign} crib {crib}, luck {format_points(luck, sign=True)}",
    ]
