"""What is asked of one deal, with or without suits, and the answer as plain values."""

from typing import Any, NamedTuple

from cribev.deal.advice import Advice, advise
from cribev.deal.comparison import Comparison
from cribev.deal.suitless_advice import SuitlessAdvice, SuitlessExplanation, advise_ranks
from cribev.errors import CribevError
from cribev.game.cards import SUITLESS_OFFSET, Cards, format_ranks
from cribev.game.roles import Role


class Answer(NamedTuple):
    """An advice, and a throw set beside the best."""

    advice: Advice | SuitlessAdvice
    comparison: Comparison | SuitlessExplanation | None

    def beside(self, versus: str | None) -> "Answer":
        """Set a throw of two cards beside the best, if there is one.

        Raises
        ------
        CardError
            If they are not two of the six.
        """
        if versus is None:
            return Answer(self.advice, None)
        if isinstance(self.advice, Advice):
            return Answer(self.advice, self.advice.compare(versus))
        return Answer(self.advice, self.advice.explain(versus))

    def to_dict(self, *, top: int | None = None, explain: bool = False) -> dict[str, Any]:
        """Return it as plain values, ready for JSON.

        Parameters
        ----------
        top
            Only the best few discards; all if None.
        explain
            Whether to say why.
        """
        found = self.advice.to_dict(top=top)
        if self.comparison:
            found["comparison"] = self.comparison.to_dict()
        if explain:
            found["explanation"] = self.advice.explain().to_dict()
        return found


def answer(deal: Cards, role: Role, *, versus: str | None = None, **how: Any) -> Answer:
    """Answer which two cards to discard.

    Parameters
    ----------
    deal
        Six cards, as `cribev.game.cards.parse_hand` reads them, with suits or without.
    role
        Who asks.
    versus
        Two cards to set beside the best; none if None.
    how
        What else `cribev.advise` takes.

    Raises
    ------
    CribevError
        As `cribev.advise` and `cribev.advise_ranks` do.

    Examples
    --------
    >>> from cribev.game.cards import parse_hand
    >>> deal = parse_hand("5 5 J Q 2 8", count=6, suitless=True)
    >>> answer(deal, "dealer", play=False).to_dict(top=1)["discards"][0]["discard"]
    ['2', '8']
    """
    if deal[0] >= SUITLESS_OFFSET:
        if how.pop("score", None) is not None:
            raise CribevError("the chance to win is worked out for cards with suits: give all six")
        ranks = format_ranks(deal - SUITLESS_OFFSET)
        return Answer(advise_ranks(ranks, role=role, **how), None).beside(versus)
    return Answer(advise(deal, role=role, **how), None).beside(versus)
