"""The discards of one deal, a row each, and how two of them differ."""

from typing import Any, NamedTuple, TypeAlias

from cribev.choice import difference_text, wins_text
from cribev.game.roles import Role


class Choice(NamedTuple):
    """One of the 15 discards: a row of `Advice.table`."""

    rank: int
    discard: str
    keep: str
    hand_mean: float
    hand_min: int
    hand_max: int
    hand_sd: float
    crib_mean: float
    crib_min: int
    crib_max: int
    crib_sd: float
    play_own: float | None
    """Points you peg on average; like the next two, None where the play does not count."""
    play_opponent: float | None
    play_mean: float | None
    """Yours less the opponent's."""
    win: float | None
    """How likely you win the game, from 0 to 1; None without a score."""
    expected: float

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values at full precision, ready for JSON."""
        return _to_dict(self)


class SuitlessChoice(NamedTuple):
    """Two ranks to discard: a row of `SuitlessAdvice.table`, averages over suits in points."""

    rank: int
    discard: str
    keep: str
    hand_mean: float
    crib_mean: float
    play_own: float | None
    """Points you peg; like the next two, None where the play does not count."""
    play_opponent: float | None
    play_mean: float | None
    win: float | None
    """How likely you win the game, from 0 to 1; None without a score."""
    expected: float
    expected_min: float
    """With the suits that are worst for it."""
    expected_max: float
    often_best: float
    """In how many of the deals it is the best by points, or equal to it."""

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values at full precision, ready for JSON."""
        return _to_dict(self)


AnyChoice: TypeAlias = Choice | SuitlessChoice


def _to_dict(choice: AnyChoice) -> dict[str, Any]:
    counted = {name: value for name, value in choice._asdict().items() if value is not None}
    return counted | {"discard": choice.discard.split(), "keep": choice.keep.split()}


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
    def of(cls, other: AnyChoice, chosen: AnyChoice) -> "Alternative":
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

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def _difference(one: float | None, another: float | None) -> float | None:
    return None if one is None or another is None else one - another


def sum_text(choice: AnyChoice, role: Role) -> str:
    """Write out an expected average: ``hand 8.00 - crib 4.50 + play 0.50 = 4.00``."""
    text = f"hand {choice.hand_mean:.2f} {'+' if role == 'dealer' else '-'} "
    text += f"crib {choice.crib_mean:.2f}"
    if choice.play_mean is not None:
        text += f" {'-' if choice.play_mean < 0 else '+'} play {abs(choice.play_mean):.2f}"
    return f"{text} = {choice.expected:.2f}"
