"""Exact cribbage discard advice: every keep, every starter, every crib that can follow."""

from cribev.errors import CardError, CribevError, RecordError, TableError

# Nothing is imported that takes time: until `__main__` is loaded no command hears a signal.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cribev.advice.cards import PlayAdvice, advise_play
    from cribev.advice.discards import Advice, Comparison, SuitlessAdvice, advise, advise_ranks
    from cribev.advice.reasons import Explanation
    from cribev.batch.evaluate import Evaluation, evaluate, evaluate_deals, meta
    from cribev.game.cards import format_cards, parse_cards, random_hands
    from cribev.game.deal import Position
    from cribev.game.play import Play, peg
    from cribev.game.scoring import score, score_hands
    from cribev.game.show import Show, explain
    from cribev.games.match import MatchResult, match
    from cribev.games.players import Expert, GreedyPlayer, Player, RandomPlayer
    from cribev.opponents.discarders import Frequencies, Opponent
    from cribev.opponents.players import solve_score
    from cribev.reviews.formats import read_record
    from cribev.reviews.page import write_page
    from cribev.reviews.review import Review, review
    from cribev.solution.tables import PlayValues, play_values, win_probability

__version__ = "0.3.0.dev0"

__all__ = [
    "Advice",
    "CardError",
    "Comparison",
    "CribevError",
    "Evaluation",
    "Expert",
    "Explanation",
    "Frequencies",
    "GreedyPlayer",
    "MatchResult",
    "Opponent",
    "Play",
    "PlayAdvice",
    "PlayValues",
    "Player",
    "Position",
    "RandomPlayer",
    "RecordError",
    "Review",
    "Show",
    "SuitlessAdvice",
    "TableError",
    "__version__",
    "advise",
    "advise_play",
    "advise_ranks",
    "evaluate",
    "evaluate_deals",
    "explain",
    "format_cards",
    "match",
    "meta",
    "parse_cards",
    "peg",
    "play_values",
    "random_hands",
    "read_record",
    "review",
    "score",
    "score_hands",
    "solve_score",
    "win_probability",
    "write_page",
]

# numpy, pandas and rich take longer to load than most commands take to run.
_LOADED_ON_USE = {
    "cribev.batch.evaluate": ["Evaluation", "evaluate", "evaluate_deals", "meta"],
    "cribev.advice.discards": [
        "Advice",
        "Comparison",
        "SuitlessAdvice",
        "advise",
        "advise_ranks",
    ],
    "cribev.advice.reasons": ["Explanation"],
    "cribev.game.cards": ["format_cards", "parse_cards", "random_hands"],
    "cribev.game.deal": ["Position"],
    "cribev.game.play": ["Play", "peg"],
    "cribev.game.scoring": ["score", "score_hands"],
    "cribev.game.show": ["Show", "explain"],
    "cribev.games.match": ["MatchResult", "match"],
    "cribev.games.players": ["Expert", "GreedyPlayer", "Player", "RandomPlayer"],
    "cribev.opponents.discarders": ["Frequencies", "Opponent"],
    "cribev.opponents.players": ["solve_score"],
    "cribev.advice.cards": ["PlayAdvice", "advise_play"],
    "cribev.reviews.page": ["write_page"],
    "cribev.reviews.formats": ["read_record"],
    "cribev.reviews.review": ["Review", "review"],
    "cribev.solution.tables": ["PlayValues", "play_values", "win_probability"],
}
_MODULE_OF = {name: module for module, names in _LOADED_ON_USE.items() for name in names}


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name not in _MODULE_OF:
        raise AttributeError(f"module 'cribev' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})
