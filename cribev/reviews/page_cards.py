"""What the page of a review shows of the cards laid: each play as it fell, each choice, the range.

Cards have the colour of their verdict, and a sign as in notes on chess, so that colour is not all.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cribev.choice import format_chance, format_points
from cribev.game.cards import PIP_VALUES, RANKS
from cribev.game.play_notation import peg_steps as peg
from cribev.game.roles import role_of
from cribev.reviews.card_grades import ValuedCards
from cribev.reviews.review import Review
from cribev.reviews.wording import format_percent

SIGNS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}
"""What stands beside a card that lost something."""

_SHADES = 4  # of how likely a rank is held


def rank_face(rank: str) -> str:
    """Write a rank as it stands on a card.

    >>> rank_face("T"), rank_face("5")
    ('10', '5')
    """
    return "10" if rank == "T" else rank


def laid_cards(review: Review) -> Callable[[int], list[dict[str, Any]]]:
    """Make what lists the cards of a row's play as they fell, of both players.

    Each has its ``face``, or ``go``; ``own``, whether the row's player laid it; whether the count
    is ``new``; its ``verdict`` and ``sign``, empty where it is not graded; and a ``title``.
    """
    cards = review.cards
    places = {
        key: at
        for at, key in enumerate(zip(cards["game"], cards["deal"], cards["number"], strict=True))
    }
    columns = {name: cards[name].tolist() for name in ("verdict", "choices")}

    def listed(row: int) -> list[dict[str, Any]]:
        decision = review.decisions.iloc[row]
        role, number = role_of(review.record.dealer[row]), 0
        found = list[dict[str, Any]]()
        for step in peg(decision["play"]).steps if decision["play"] else ():
            own = step.role == role
            if step.rank is None:
                found.append({"go": True, "own": own})
                continue
            number += 1
            at = places.get((decision["game"], decision["deal"], number))
            graded = at is not None and columns["choices"][at] > 1
            points = sum(one.points for one in step.pegs if one.role == step.role)
            verdict = columns["verdict"][at] if at is not None and graded else ""
            title = f"count {step.count}{f', pegs {points}' * bool(points)}"
            if at is not None and graded:
                title += f": {verdict}{_lost(review, at)}"
            found.append(
                {
                    "go": False, "own": own, "face": rank_face(RANKS[step.rank]),
                    "new": number > 1 and step.count == PIP_VALUES[step.rank],
                    "verdict": verdict, "sign": SIGNS.get(verdict, ""),
                    "title": title,
                }
            )  # fmt: skip
        return found

    return listed


def card_choices(review: Review) -> Callable[[int], Iterator[dict[str, Any]]]:
    """Make what lists the choices of a card in a row's play, with what could be laid instead."""
    first = np.searchsorted(np.sort(review.graded.rows), np.arange(len(review.decisions) + 1))
    order = np.argsort(review.graded.rows, kind="stable")

    def listed(row: int) -> Iterator[dict[str, Any]]:
        for at in order[first[row] : first[row + 1]].tolist():
            values = review.graded.valued[at]
            if values is not None:
                yield card_choice(review, at, values)

    return listed


def card_choice(review: Review, at: int, values: ValuedCards) -> dict[str, Any]:
    """Tell what a page shows of one card that was a choice."""
    card = review.cards.iloc[at]
    by_win = "win_loss" in review.cards and card["judged_by"] == "win"
    best = card["win_best" if by_win else "best"]
    return {
        "face": rank_face(card["card"]),
        "sign": SIGNS.get(card["verdict"], ""),
        "laid": card["laid"].replace("T", "10"),
        "count": int(card["count"]),
        "verdict": card["verdict"],
        "lost": _lost(review, at).removeprefix(", "),
        "best": rank_face(best),
        "options": [
            {
                "face": rank_face(RANKS[rank]),
                "own": RANKS[rank] == card["card"],
                "expected": format_points(float(values.expected[place]), sign=True),
                "win": "" if values.win is None else format_chance(float(values.win[place])),
                "share": f"{values.share[place]:.0%}",
            }
            for place, rank in enumerate(values.ranks)
        ],
        "held": [
            {
                "face": rank_face(rank),
                "chance": f"{chance:.0%}",
                "shade": min(_SHADES, round(_SHADES * chance / 0.5)),
            }
            for rank, chance in zip(RANKS, values.held.tolist(), strict=True)
        ],
        "hands": [
            f"{cards.replace('T', '10')} {format_chance(chance)}" for cards, chance in values.hands
        ],
        "explained": values.explained,
    }


def _lost(review: Review, at: int) -> str:
    """Say what a card lost in the unit it is judged by, if it lost anything."""
    card = review.cards.iloc[at]
    by_win = "win_loss" in review.cards and card["judged_by"] == "win"
    lost = card["win_loss" if by_win else "loss"]
    if not lost > 0:
        return ""
    return f", {format_percent(lost)} of a game lost" if by_win else f", {format_points(lost)} lost"
