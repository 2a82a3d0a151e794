"""Exact cribbage discard advice: every keep, every starter, every crib that can follow."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cribev.cards import format_cards, parse_cards, random_hands
from cribev.errors import CardError, CribevError, RecordError, TableError
from cribev.scoring import score, score_hands

if TYPE_CHECKING:
    from cribev.advice import Advice, advise
    from cribev.batch import evaluate, evaluate_deals
    from cribev.reviews import Review, review
    from cribev.show import Show, explain

__version__ = "0.1.0"

__all__ = [
    "Advice",
    "CardError",
    "CribevError",
    "RecordError",
    "Review",
    "Show",
    "TableError",
    "__version__",
    "advise",
    "evaluate",
    "evaluate_deals",
    "explain",
    "format_cards",
    "parse_cards",
    "random_hands",
    "review",
    "score",
    "score_hands",
]

# pandas and rich take longer to load than most commands take to run.
_LOADED_ON_USE = {
    "Advice": "cribev.advice",
    "Review": "cribev.reviews",
    "Show": "cribev.show",
    "advise": "cribev.advice",
    "evaluate": "cribev.batch",
    "evaluate_deals": "cribev.batch",
    "explain": "cribev.show",
    "review": "cribev.reviews",
}


def __getattr__(name: str) -> Any:
    if name not in _LOADED_ON_USE:
        raise AttributeError(f"module 'cribev' has no attribute {name!r}")
    return getattr(import_module(_LOADED_ON_USE[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LOADED_ON_USE})
