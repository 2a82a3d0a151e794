"""Exact cribbage discard advice: every keep, every starter, every crib that can follow."""

from cribev.cards import format_cards, parse_cards, random_hands
from cribev.errors import CardError, CribevError, TableError
from cribev.scoring import score, score_hands

__version__ = "0.1.0"

__all__ = [
    "CardError",
    "CribevError",
    "TableError",
    "__version__",
    "format_cards",
    "parse_cards",
    "random_hands",
    "score",
    "score_hands",
]
