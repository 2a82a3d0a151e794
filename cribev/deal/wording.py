"""How differences and chances are written."""

import math
from typing import NamedTuple, Protocol

from cribev.choice import TIE_TOLERANCE
from cribev.game.roles import Role, crib_owner


class Valued(Protocol):
    """A discard and what it is worth, in points."""

    @property
    def rank(self) -> int:
        """Its place, 1 for the best."""

    @property
    def discard(self) -> str:
        """The two cards."""

    @property
    def keep(self) -> str:
        """The other four."""

    @property
    def hand_mean(self) -> float:
        """Average hand."""

    @property
    def crib_mean(self) -> float:
        """Average crib."""

    @property
    def play_own(self) -> float | None:
        """What you peg; like the next two, None where the play does not count."""

    @property
    def play_opponent(self) -> float | None:
        """What your opponent pegs."""

    @property
    def play_mean(self) -> float | None:
        """What the play brings."""

    @property
    def expected(self) -> float:
        """All together."""

    @property
    def win(self) -> float | None:
        """How likely it wins, if there is a score."""


class Alternative(NamedTuple):
    """Another discard, and by how much a discard is ahead of it, in points."""

    discard: str
    is_best: bool
    hand: float
    crib: float
    play: float | None
    """None where the play does not count."""
    expected: float
    win: float | None = None
    """How much more often the game is won, if there is a score."""

    @classmethod
    def of(cls, other: Valued, chosen: Valued) -> "Alternative":
        """Compare a chosen discard with another."""
        return cls(
            other.discard,
            other.rank == 1,
            chosen.hand_mean - other.hand_mean,
            chosen.crib_mean - other.crib_mean,
            _difference(chosen.play_mean, other.play_mean),
            chosen.expected - other.expected,
            _difference(chosen.win, other.win),
        )

    @property
    def better(self) -> str:
        """How much better or worse the chosen discard is: ``0.42 worse``."""
        return f"{abs(self.expected):.2f} {'worse' if self.expected < 0 else 'better'}"

    @property
    def wins(self) -> str:
        """How much more or less often it wins: ``1.1% more wins``; empty without a score."""
        return "" if self.win is None else wins_text(self.win)

    def parts(self, role: Role) -> str:
        """Say what makes the difference, as `difference_text`."""
        return difference_text(self.hand, self.crib, role, self.play)

    def to_dict(self) -> dict[str, object]:
        """Return it as plain values, ready for JSON."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def _difference(one: float | None, another: float | None) -> float | None:
    return None if one is None or another is None else one - another


def difference_text(hand: float, crib: float, role: Role, play: float | None = None) -> str:
    """Say how much more one discard has than another in hand, crib and play, in points.

    >>> difference_text(0.3, -0.271, "pone")
    "0.30 more in hand, 0.27 less in the opponent's crib"
    >>> difference_text(0.3, 0, "dealer", 0.733)
    '0.30 more in hand, 0.73 more in the play'
    """
    parts = [(hand, "hand"), (crib, crib_owner(role))]
    if play is not None:
        parts.append((play, "the play"))
    said = [
        f"{abs(gain):.2f} {'more' if gain > 0 else 'less'} in {place}"
        for gain, place in parts
        if round(gain, 2)
    ]
    same = "hand and crib" if play is None else "hand, crib and play"
    return ", ".join(said) or f"the same in {same}"


def wins_text(gain: float) -> str:
    """Say how much more or less often a game is won.

    >>> wins_text(0.011), wins_text(-0.0301), wins_text(0.00001)
    ('1.1% more wins', '3.0% fewer wins', 'as many wins')
    """
    if round(1000 * abs(gain)) == 0:
        return "as many wins"
    return f"{format_chance(abs(gain))} {'more' if gain > 0 else 'fewer'} wins"


def format_chance(chance: float) -> str:
    """Write a chance in percent: 100.0% and 0.0% are certain; empty where it is not known.

    >>> format_chance(0.9999), format_chance(1 - 1e-12), format_chance(0.0123)
    ('99.9%', '100.0%', '1.2%')
    >>> format_chance(0.00001), format_chance(0), format_chance(float("nan"))
    ('0.1%', '0.0%', '')
    """
    if math.isnan(chance):
        return ""
    if TIE_TOLERANCE < chance < 1 - TIE_TOLERANCE:
        chance = min(max(chance, 0.001), 0.999)
    return f"{100 * chance:.1f}%"
