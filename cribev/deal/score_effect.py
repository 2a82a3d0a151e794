"""What the score does to the answer: wins and points, beside each other."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from cribev.choice import TIE_TOLERANCE, tied_best
from cribev.game.roles import Role
from cribev.game.score_notation import WINNING_SCORE

CLOSE_WINS = 0.002
"""Within this chance of the best a discard wins nearly as often."""

_RARELY = 0.001  # of deals: where fewer go on it is not said what comes of them


class ScoredDiscard(Protocol):
    """A discard by points and by wins."""

    @property
    def discard(self) -> str:
        """The two cards."""

    @property
    def expected(self) -> float:
        """What it brings on average, in points."""

    @property
    def win(self) -> float | None:
        """How likely it wins, if there is a score."""


class ScoreEffect(NamedTuple):
    """What is best by points, beside what wins most."""

    by_points: str
    """The discard that is best by points, the first of equals."""
    points: float
    """How many points fewer the one that wins most brings."""
    wins: float
    """How much more often it wins, from 0 to 1."""

    @property
    def changes(self) -> bool:
        """Whether the score changes the answer."""
        return self.points > TIE_TOLERANCE

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return self._asdict() | {"changes": self.changes}


def score_effect(discards: Sequence[ScoredDiscard]) -> ScoreEffect:
    """Compare the first discard, which wins most, with what is best by points.

    Examples
    --------
    >>> class One(NamedTuple):
    ...     discard: str
    ...     expected: float
    ...     win: float
    >>> found = score_effect([One("2H 8D", 5.0, 0.51), One("JS QC", 5.5, 0.50)])
    >>> found.by_points, found.points, round(found.wins, 2), found.changes
    ('JS QC', 0.5, 0.01, True)
    """
    values = np.array([one.expected for one in discards])
    best = discards[int(tied_best(values).argmax())]
    first = discards[0]
    if first.expected + TIE_TOLERANCE >= best.expected:
        best = first
    return ScoreEffect(
        best.discard, best.expected - first.expected, (first.win or 0) - (best.win or 0)
    )


class OutcomeProbabilities(NamedTuple):
    """How the game may end with a discard, chances from 0 to 1."""

    win: float
    """The player wins it, now or later."""
    out: float
    """He gets out in this deal."""
    beaten: float
    """The opponent gets out in this deal."""

    def text(self) -> str:
        """Say it.

        >>> OutcomeProbabilities(0.6, 0.4, 0.1).text()
        'In this deal you get out 40.0%, the opponent 10.0%; of games that go on you win 40.0%'
        """
        on = 1 - self.out - self.beaten
        said = f"In this deal you get out {percent(self.out)}, the opponent {percent(self.beaten)}"
        if on < _RARELY:
            return said
        return f"{said}; of games that go on you win {percent((self.win - self.out) / on)}"


def wins_text(gain: float) -> str:
    """Say how much more or less often a game is won.

    >>> wins_text(0.011), wins_text(-0.0301), wins_text(0.00001)
    ('1.1% more wins', '3.0% fewer wins', 'as many wins')
    """
    if round(1000 * abs(gain)) == 0:
        return "as many wins"
    return f"{percent(abs(gain))} {'more' if gain > 0 else 'fewer'} wins"


def close_wins(wins: Sequence[float]) -> list[bool]:
    """Tell which discards win nearly as often as the best, and are not its equals.

    >>> close_wins([0.6, 0.6 - 1e-12, 0.599, 0.5])
    [False, False, True, False]
    """
    table = np.array(wins)
    near: list[bool] = ((table + CLOSE_WINS >= table.max()) & ~tied_best(table)).tolist()
    return near


def needs_text(score: tuple[int, int], role: Role) -> str:
    """Say what each needs and who counts first.

    >>> needs_text((115, 110), "pone"), needs_text((115, 110), "dealer")
    ('you need 6 and count first, the opponent needs 11',
    'you need 6, the opponent needs 11 and counts first')
    """
    mine, his = (WINNING_SCORE - points for points in score)
    if role == "pone":
        return f"you need {mine} and count first, the opponent needs {his}"
    return f"you need {mine}, the opponent needs {his} and counts first"


def percent(chance: float) -> str:
    """Write a chance, never as certain what is not.

    >>> percent(0.9999), percent(1.0), percent(0.0123)
    ('99.9%', '100.0%', '1.2%')
    """
    parts = round(1000 * chance)
    if parts == 1000 and chance < 1:
        parts = 999
    elif parts == 0 and chance > 0:
        return "0.1%"
    return f"{parts / 10:.1f}%"


def score_effect_text(at: ScoreEffect, shown: str) -> str:
    """Say whether and how the score changes the answer.

    Parameters
    ----------
    at
        Wins and points beside each other.
    shown
        The discard that is best by points, as it is to be written.

    Examples
    --------
    >>> score_effect_text(ScoreEffect("JS QC", 0.4, 0.011), "JS QC")
    'the score changes the answer: 0.40 points less than JS QC for 1.1% more wins'
    >>> score_effect_text(ScoreEffect("JS QC", 0.0, 0.0), "JS QC")
    'the score changes nothing: it is best by points too'
    >>> score_effect_text(ScoreEffect("JS QC", 0.4, 0.001), "JS QC")
    'JS QC wins nearly as often, 0.1% less, and brings 0.40 points more'
    """
    if not at.changes:
        return "the score changes nothing: it is best by points too"
    if at.wins < CLOSE_WINS:
        less = f", {percent(at.wins)} less," if at.wins > TIE_TOLERANCE else ""
        often = "nearly as often" if less else "as often"
        return f"{shown} wins {often}{less} and brings {at.points:.2f} points more"
    less = f"{at.points:.2f} points less than {shown} for {wins_text(at.wins)}"
    return f"the score changes the answer: {less}"
