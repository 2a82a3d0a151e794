"""What the score does to the answer: wins and points, beside each other."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cribev.advice.choices import AnyChoice
from cribev.choice import CLOSE_WINS, TIE_TOLERANCE, format_chance, tied_best, wins_text
from cribev.game.roles import Role
from cribev.game.score import WINNING_SCORE

_MIN_GOES_ON = 0.001  # of deals: if the game goes on less often, the text leaves out what follows


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

    def text(self, by_points: str | None = None) -> str:
        """Say whether and how the score changes the answer; the discard may be written otherwise.

        >>> ScoreEffect("JS QC", 0.4, 0.011).text()
        'The score changes the answer: 0.40 points less than JS QC for 1.1% more wins.'
        >>> ScoreEffect("JS QC", 0.0, 0.0).text()
        'Also the best discard by points.'
        >>> ScoreEffect("JS QC", 0.4, 0.001).text("the jack and the queen")
        'The jack and the queen wins nearly as often (0.1% less) and brings 0.40 points more.'
        >>> ScoreEffect("JS QC", 0.4, 0.0003).text()
        'JS QC wins nearly as often and brings 0.40 points more.'
        """
        if not self.changes:
            return "Also the best discard by points."
        discard = by_points or self.by_points
        if self.wins >= CLOSE_WINS:
            less = f"{self.points:.2f} points less than {discard} for {wins_text(self.wins)}"
            return f"The score changes the answer: {less}."
        less = f" ({format_chance(self.wins)} less)" if round(1000 * self.wins) else ""
        often = f"nearly as often{less}" if self.wins > TIE_TOLERANCE else "as often"
        discard = f"{discard[:1].upper()}{discard[1:]}"
        return f"{discard} wins {often} and brings {self.points:.2f} points more."


def score_effect(discards: Sequence[AnyChoice]) -> ScoreEffect:
    """Compare the first discard, which wins most, with what is best by points.

    >>> class Scored(NamedTuple):
    ...     discard: str
    ...     expected: float
    ...     win: float
    >>> found = score_effect([Scored("2H 8D", 5.0, 0.51), Scored("JS QC", 5.5, 0.50)])
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
    """How the game may end with a discard, from 0 to 1."""

    win: float
    """You win it, now or later."""
    out: float
    """You win it in this deal."""
    beaten: float
    """Your opponent wins it in this deal."""

    def text(self) -> str:
        """Say how the game may end.

        >>> OutcomeProbabilities(0.6, 0.4, 0.1).text()
        'You win in this deal 40.0% of the time, your opponent 10.0%; if the game goes on you win
        40.0%.'
        """
        out, beaten = format_chance(self.out), format_chance(self.beaten)
        text = f"You win in this deal {out} of the time, your opponent {beaten}"
        on = 1 - self.out - self.beaten
        if on < _MIN_GOES_ON:
            return f"{text}."
        return f"{text}; if the game goes on you win {format_chance((self.win - self.out) / on)}."


def needs_text(score: tuple[int, int], role: Role) -> str:
    """Say what each needs and who counts first.

    >>> needs_text((115, 110), "pone"), needs_text((115, 110), "dealer")
    ('you need 6 and count first, the opponent needs 11',
    'you need 6, the opponent needs 11 and counts first')
    """
    own, opponents = (WINNING_SCORE - points for points in score)
    if role == "pone":
        return f"you need {own} and count first, the opponent needs {opponents}"
    return f"you need {own}, the opponent needs {opponents} and counts first"
