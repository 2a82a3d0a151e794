"""What is said of a throw: what it cost, why, and what the cards then made of it."""

from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.choice import near_ties, tied_best
from cribev.classes.canonical import Floats
from cribev.deal.explanation import difference_text
from cribev.game.cards import Cards, as_cards, format_cards
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import crib_sign
from cribev.game.scoring import score
from cribev.practice.hands import Hand
from cribev.practice.throws import Throw, decided
from cribev.reviews.wording import format_points, with_article

Line: TypeAlias = list[str | Cards]
"""A line of text in pieces, cards apart, to be drawn as where it is shown draws cards."""


class Verdict(NamedTuple):
    """What is said of a throw, in lines."""

    verdict: str
    """A word of `cribev.reviews.wording.VERDICTS`."""
    cost: Line
    """What was thrown, what it is called, and what it lost."""
    why: Line
    """What the best discard, or for the best the next, has over it."""
    luck: Line
    """What the cut and the opponent's throw made of it."""
    decision: pd.Series
    """Its row among `cribev.practice.throws.decided`."""


def verdict_of(thrown: Throw) -> Verdict:
    """Judge a throw.

    Examples
    --------
    >>> from cribev.practice.hands import hands_of
    >>> from cribev.practice.throws import question_of, throw
    >>> found = verdict_of(throw(question_of(next(hands_of(7))), "9H JC"))
    >>> for line in (found.cost, found.why, found.luck):
    ...     print(plain(line))
    threw 9H JC: a mistake, lost 0.98
    best was TD JC: 0.17 more in hand, 0.53 more in your crib, 0.28 more in the play
    cut 7C, opponent threw 9C JH: hand 5 + crib 5, luck -1.69
    """
    decision = decided([thrown]).iloc[0]
    values = _values(thrown)
    deal = thrown.hand.deal
    cost: Line = [
        "threw ", deal[DISCARDS[thrown.keep]], f": {with_article(decision['verdict'])}"
    ]  # fmt: skip
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


def plain(line: Line) -> str:
    """Write a line as plain text.

    >>> plain(["threw ", as_cards("5H 5D"), ": best"])
    'threw 5H 5D: best'
    """
    return "".join(piece if isinstance(piece, str) else format_cards(piece) for piece in line)


def whose(hand: Hand) -> str:
    """Say whose crib it is.

    >>> from cribev.practice.hands import hands_of
    >>> whose(next(hands_of(7)))
    'as dealer (your crib)'
    """
    owner = "your" if hand.role == "dealer" else "the opponent's"
    return f"as {hand.role} ({owner} crib)"


def _values(thrown: Throw) -> Floats:
    """Return what each of the 15 discards is worth."""
    values: Floats = thrown.worth.discards.expected[0]
    return values


def _why(thrown: Throw, values: Floats) -> Line:
    """Say what the best has over the throw, or what the best thrown has over the next."""
    equal, keep, deal = tied_best(values), thrown.keep, thrown.hand.deal
    if not equal[keep]:
        best = np.flatnonzero(equal)
        return ["best was ", *_listed(deal, best), f": {_more(thrown, int(best[0]), keep)}"]
    if equal.all():
        return ["every discard comes to the same"]
    line: Line = []
    if equal.sum() > 1:
        line = ["equal to ", *_listed(deal, np.flatnonzero(equal & (np.arange(15) != keep))), "; "]
    rival = int(np.where(equal, -np.inf, values).argmax())
    return [
        *line,
        f"{format_points(values[keep] - values[rival])} ahead of ",
        deal[DISCARDS[rival]],
        f": {_more(thrown, keep, rival)}",
    ]


def _more(thrown: Throw, one: int, other: int) -> str:
    """Say how much more one discard has than another, part by part."""
    gains = {
        name: float(part[0, one] - part[0, other])
        for name, part in thrown.worth.discards.averages().items()
    }
    return difference_text(
        gains["hand_mean"], gains["crib_mean"], thrown.hand.role, gains.get("play_mean")
    )


def _listed(deal: Cards, keeps: NDArray[np.intp]) -> Line:
    line: Line = []
    for at, keep in enumerate(keeps):
        line += [" or "] * (at > 0) + [deal[DISCARDS[keep]]]
    return line


def _luck(thrown: Throw, decision: pd.Series) -> Line:
    """Say what hand and crib were in the end, and how far that is from the average."""
    hand = thrown.hand
    deal = hand.deal
    starter, theirs = as_cards(hand.starter), as_cards(hand.opponent_discard)
    own = score(deal[KEEPS[thrown.keep]], int(starter[0]))
    crib = score(np.concatenate([deal[DISCARDS[thrown.keep]], theirs]), int(starter[0]), crib=True)
    luck = decision["starter_luck"] + decision["crib_swing"]
    sign = "+" if crib_sign(hand.role) > 0 else "-"
    return [
        "cut ",
        starter,
        ", opponent threw ",
        theirs,
        f": hand {own} {sign} crib {crib}, luck {format_points(luck, sign=True)}",
    ]
