"""How somebody errs: what is looked at before a choice, and how evenly chances fall on choices."""

from collections.abc import Mapping
from typing import NamedTuple


class Habits(NamedTuple):
    """What a level looks at, and how evenly it errs."""

    words: str  # what somebody does, in a player's words
    loses: float  # points a deal that our own review finds, measured by ``benchmarks.levels``
    discards: float = 0.0  # the temperature of its discards, in points: 0 chooses the best
    cards: float = 0.0  # the temperature of its cards
    crib: float = 1.0  # how much of the average crib it counts
    play: float = 1.0  # how much of the play it counts when it discards
    danger: float | None = None
    """None if it sees every card to the end of the play. Else it sees what a card pegs at once,
    less so much of what each card your opponent has left would peg on it, if it were any card."""
    to_win: bool = True  # whether it looks at chances to win near the end of a game


LEVELS: Mapping[str, Habits] = {
    "beginner": Habits(
        "Keeps the most points in hand, throws the rest whoever has the crib, and lays what pegs "
        "now. Often overlooks something.",
        3.1, discards=2.1, cards=2.1, crib=0.0, play=0.0, danger=0.0, to_win=False,
    ),
    "casual": Habits(
        "Knows whose crib it is, sees a pair or a fifteen coming, and still lets things slip.",
        1.4, discards=0.98, cards=0.95, crib=0.5, play=0.0, danger=0.5, to_win=False,
    ),
    "club": Habits(
        "Throws with the crib in mind, lays with care, and counts who gets home first. Errs where "
        "it is close.",
        0.7, discards=0.53, cards=0.45, play=0.5, danger=1.0,
    ),
    "greedy": Habits(
        "Keeps the best hand by a printed table of cribs, and lays whatever pegs most now. Never "
        "slips: learn to trap it.",
        0.6, play=0.0,
    ),
    "strong": Habits(
        "Weighs hand, crib and play together, and sees every card to the end. Wrong only where it "
        "hardly matters.",
        0.25, discards=0.34, cards=0.34,
    ),
    "expert": Habits(
        "Over many deals nobody does better than break even against it.", 0.04
    ),
}  # fmt: skip
"""The levels by their names, the weakest first."""
