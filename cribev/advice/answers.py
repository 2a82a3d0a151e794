"""Any question about one deal, with or without suits, and its answer as plain values."""

from typing import Any, NamedTuple

from cribev.advice.comparison import Comparison
from cribev.advice.discards import Advice, advise
from cribev.advice.suitless_advice import SuitlessAdvice, SuitlessExplanation, advise_ranks
from cribev.game.cards import SUITLESS_OFFSET, Cards, format_ranks
from cribev.game.roles import Role


class Answer(NamedTuple):
    """An advice, and a throw set beside the best."""

    advice: Advice | SuitlessAdvice
    comparison: Comparison | SuitlessExplanation | None

    def beside(self, versus: str | None) -> "Answer":
        """Set a throw of two of the six cards beside the best, if there is one."""
        if versus is None:
            return Answer(self.advice, None)
        if isinstance(self.advice, Advice):
            return Answer(self.advice, self.advice.compare(versus))
        return Answer(self.advice, self.advice.explain(versus))

    def to_dict(self, *, top: int | None = None, explain: bool = False) -> dict[str, Any]:
        """Return it as plain values, ready for JSON: all discards or the best few, and why."""
        found = self.advice.to_dict(top=top)
        if self.comparison:
            found["comparison"] = self.comparison.to_dict()
        if explain:
            found["explanation"] = self.advice.explain().to_dict()
        return found


def answer(deal: Cards, role: Role, *, versus: str | None = None, **options: Any) -> Answer:
    """Answer which two cards to discard.

    The cards are as `cribev.game.cards.parse_hand` reads them, with suits or without; `versus`, two
    of them, is set beside the best; options and errors are those of `cribev.advise`.

    >>> from cribev.game.cards import parse_hand
    >>> deal = parse_hand("5 5 J Q 2 8", count=6, suitless=True)
    >>> answer(deal, "dealer", play=False).to_dict(top=1)["discards"][0]["discard"]
    ['2', '8']
    """
    if deal[0] >= SUITLESS_OFFSET:
        ranks = format_ranks(deal - SUITLESS_OFFSET)
        return Answer(advise_ranks(ranks, role=role, **options), None).beside(versus)
    return Answer(advise(deal, role=role, **options), None).beside(versus)
