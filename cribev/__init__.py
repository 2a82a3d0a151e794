"""Exact cribbage discard advice: every keep, every starter, every crib that can follow."""

from cribev.errors import CardError, CribevError, RecordError, TableError

# Nothing is imported that takes time: until `__main__` is loaded no command hears a signal.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cribev.batch.discards import Evaluation
    from cribev.batch.in_memory import evaluate, evaluate_deals, meta
    from cribev.deal.advice import Advice, advise
    from cribev.deal.comparison import Comparison
    from cribev.deal.explanation import Explanation
    from cribev.deal.suitless_advice import SuitlessAdvice, advise_ranks
    from cribev.game.cards import format_cards, parse_cards, random_hands
    from cribev.game.play_notation import Pegging, peg
    from cribev.game.scoring import score, score_hands
    from cribev.game.show import Show, explain
    from cribev.opponents.models import Frequencies, Opponent
    from cribev.reviews.page import write_page
    from cribev.reviews.record_files import read_record
    from cribev.reviews.review import Review, review
    from cribev.solved.pegging_tables import PlayValues, play_values
    from cribev.solved.win_probabilities import win_probability

__version__ = "0.2.0"

__all__ = [
    "Advice",
    "CardError",
    "Comparison",
    "CribevError",
    "Evaluation",
    "Explanation",
    "Frequencies",
    "Opponent",
    "Pegging",
    "PlayValues",
    "RecordError",
    "Review",
    "Show",
    "SuitlessAdvice",
    "TableError",
    "__version__",
    "advise",
    "advise_ranks",
    "evaluate",
    "evaluate_deals",
    "explain",
    "format_cards",
    "meta",
    "parse_cards",
    "peg",
    "play_values",
    "random_hands",
    "read_record",
    "review",
    "score",
    "score_hands",
    "win_probability",
    "write_page",
]

# numpy, pandas and rich take longer to load than most commands take to run.
_LOADED_ON_USE = {
    "Advice": "cribev.deal.advice",
    "Comparison": "cribev.deal.comparison",
    "Evaluation": "cribev.batch.discards",
    "Explanation": "cribev.deal.explanation",
    "Frequencies": "cribev.opponents.models",
    "Opponent": "cribev.opponents.models",
    "Review": "cribev.reviews.review",
    "Pegging": "cribev.game.play_notation",
    "PlayValues": "cribev.solved.pegging_tables",
    "Show": "cribev.game.show",
    "SuitlessAdvice": "cribev.deal.suitless_advice",
    "advise": "cribev.deal.advice",
    "advise_ranks": "cribev.deal.suitless_advice",
    "evaluate": "cribev.batch.in_memory",
    "evaluate_deals": "cribev.batch.in_memory",
    "explain": "cribev.game.show",
    "format_cards": "cribev.game.cards",
    "meta": "cribev.batch.in_memory",
    "parse_cards": "cribev.game.cards",
    "random_hands": "cribev.game.cards",
    "read_record": "cribev.reviews.record_files",
    "review": "cribev.reviews.review",
    "score": "cribev.game.scoring",
    "score_hands": "cribev.game.scoring",
    "write_page": "cribev.reviews.page",
    "peg": "cribev.game.play_notation",
    "play_values": "cribev.solved.pegging_tables",
    "win_probability": "cribev.solved.win_probabilities",
}


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name not in _LOADED_ON_USE:
        raise AttributeError(f"module 'cribev' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_LOADED_ON_USE[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LOADED_ON_USE})
