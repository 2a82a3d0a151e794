"""Fallible opponents: what they consider before a choice, and how evenly they choose.

Players with habits choose by quantal response [1]_: with chances as ``exp(value / temperature)``.
For a discard, they see the average hand, and a share of the crib and of the play. For a card, they
see the points it pegs at once, minus a danger: what each card left to the other player would peg on
it, if it could be any card. So the value of a card depends only on the count, not on the hand. Two
more numbers say that people like to play high cards before low ones, and to hold back an ace.

References
----------
.. [1] R. McKelvey, T. Palfrey: Quantal Response Equilibria for Normal Form Games. Games and
   Economic Behavior 10, 1995.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from cribev.classes.canonical import Floats
from cribev.game.roles import Role


class Habits(NamedTuple):
    """The points that a player considers, and how evenly they choose."""

    words: str  # what somebody does, in a player's words
    loses: float  # points a deal that our own review finds, measured by ``benchmarks.levels``
    discards: float = 0.0  # the temperature of their discards, in points: 0 chooses the best
    cards: float = 0.0  # the temperature of their cards
    crib: float = 1.0  # how much of the average crib they count
    play: float = 1.0  # how much of the play they count when they discard
    danger: float | None = None
    """None if they see every card to the end of the play. Else they see what a card pegs at once,
    minus this share of what each card the opponent has left would peg on it, if it were any."""
    high: float = 0.0  # points for each pip of a card, for which it is played sooner
    ace: float = 0.0  # points for which an ace is held back
    pairs: float = 0.0  # points for which a rank held twice is led sooner
    flush: float = 1.0  # how much of a flush they count
    feared: float = 1.0  # how many times as much they count the opponent's crib as their own
    to_win: bool = True  # whether one who plays a game looks at chances to win near its end

    def seen(self, hand: Floats, crib: Floats, play: Floats | float, role: Role) -> Floats:
        """Return what discards seem to be worth by average hand, crib and play, in points."""
        share = self.crib if role == "dealer" else -self.crib * self.feared
        return np.asarray(hand + share * crib + self.play * play)


PEOPLE = Habits(
    "Discards with the crib in mind, plays what pegs now and fears what follows, high cards first. "
    "As people peg on average, by published figures.",
    0.7, discards=0.53, cards=0.36, play=0.3, danger=0.65, high=0.045, ace=0.42, pairs=0.53,
    flush=0.56, feared=1.5, to_win=False,
)  # fmt: skip
"""People as you meet them online: fitted to what they peg and discard, `benchmarks.people`."""

LEVELS: Mapping[str, Habits] = {
    "beginner": Habits(
        "Keeps the most points in hand, discards the rest whoever has the crib, and plays what "
        "pegs now. Often overlooks something.",
        3.1, discards=2.1, cards=2.1, crib=0.0, play=0.0, danger=0.0, to_win=False,
    ),
    "casual": Habits(
        "Knows whose crib it is, sees a pair or a fifteen coming, and still lets things slip.",
        1.4, discards=0.98, cards=0.95, crib=0.5, play=0.0, danger=0.5, to_win=False,
    ),
    "club": Habits(
        "Discards with the crib in mind, plays with care, and counts who gets home first. Errs "
        "where it is close.",
        0.7, discards=0.53, cards=0.45, play=0.5, danger=1.0,
    ),
    "greedy": Habits(
        "Keeps the best hand by a printed table of cribs, and plays whatever pegs most now. Never "
        "slips: learn to trap it.",
        0.6, play=0.0, danger=0.0,
    ),
    "strong": Habits(
        "Weighs hand, crib and play together, and sees every card to the end. Wrong only where it "
        "hardly matters.",
        0.25, discards=0.34, cards=0.34,
    ),
    "expert": Habits(
        "Over many deals hardly anybody does better than break even against it.", 0.04
    ),
}  # fmt: skip
"""The levels by name, weakest first."""

HABITS: Mapping[str, Habits] = {"people": PEOPLE, **LEVELS}
"""The habits of all who have a name."""
