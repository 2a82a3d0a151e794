"""Exact cribbage advice: which two cards to discard, which card to play, and what a game lost.

You give cards as text or as numbers. An answer prints, displays itself in a notebook, and has
attributes, ``table`` and ``to_dict()``:

>>> import cribev
>>> advice = cribev.advise("5H 5D JS QC 2H 8D", role="dealer")
>>> advice.best.discard, round(advice.best.expected, 2)
('2H 8D', 17.19)
>>> cribev.advise_play("4H 5C JD JS", role="pone", starter="7H", laid="J 5").best.card
'5'
>>> cribev.score("5C 6D 7D QH 6H")
10

One question
    `advise` (six cards, suits or not), `advise_play` (which card to play), `answer` (a `Question`,
    which holds everything you ask); `Position` (all a player knows, with its text)
Counting
    `score`, `explain`, `score_hands` (arrays); `peg`, `Play` (the cards as they fell)
Many deals
    `evaluate` (a table, a Series or a list; `meta` for Dask), `evaluate_deals` (arrays);
    `parse_cards`, `format_cards`, `random_hands`; `classify_deals` (by ranks)
Games
    `review`, `read_record`, `write_page`; `fit_habits` (an opponent of your own);
    `Level` (who discards and lays as players of that strength do)
The solved game
    `win_probability`, `par`, `play_values`; `Opponent`, `Frequencies` (other ways to discard)

``help(cribev.advise)`` explains one of them. Bad input raises `CribevError`, a ValueError that
quotes it. ``dir(cribev)`` lists every name; ``cribev help`` lists the commands.
"""

# Nothing is imported that takes time: until `__main__` is loaded no command hears a signal.
from cribev.errors import CardError as CardError
from cribev.errors import CribevError as CribevError
from cribev.errors import RecordError as RecordError
from cribev.errors import TableError as TableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cribev.advice.answers import advise as advise
    from cribev.advice.answers import advise_play as advise_play
    from cribev.advice.answers import answer as answer
    from cribev.advice.cards import PlayAdvice as PlayAdvice
    from cribev.advice.discards import Advice as Advice
    from cribev.advice.question import Question as Question
    from cribev.advice.reasons import Comparison as Comparison
    from cribev.advice.reasons import Explanation as Explanation
    from cribev.app.games.levels import Level as Level
    from cribev.batch.evaluate import Evaluation as Evaluation
    from cribev.batch.evaluate import EveryDiscard as EveryDiscard
    from cribev.batch.evaluate import evaluate_deals as evaluate_deals
    from cribev.batch.frames import Evaluated as Evaluated
    from cribev.batch.frames import evaluate as evaluate
    from cribev.batch.frames import meta as meta
    from cribev.classes.canonical import classify_deals as classify_deals
    from cribev.game.cards import format_cards as format_cards
    from cribev.game.cards import random_hands as random_hands
    from cribev.game.deal import Position as Position
    from cribev.game.play import Play as Play
    from cribev.game.play import peg as peg
    from cribev.game.scorer import score as score
    from cribev.game.scorer import score_hands as score_hands
    from cribev.game.show import Show as Show
    from cribev.game.show import explain as explain
    from cribev.opponents.opponents import Frequencies as Frequencies
    from cribev.opponents.opponents import Opponent as Opponent
    from cribev.records.formats import read_record as read_record
    from cribev.reviews.findings import Review as Review
    from cribev.reviews.fits import FittedHabits as FittedHabits
    from cribev.reviews.fits import fit_habits as fit_habits
    from cribev.reviews.page import write_page as write_page
    from cribev.reviews.review import review as review
    from cribev.rows.lines import parse_cards as parse_cards
    from cribev.tables.play_values import PlayValues as PlayValues
    from cribev.tables.play_values import play_values as play_values
    from cribev.tables.win_chances import par as par
    from cribev.tables.win_chances import win_probability as win_probability

__version__ = "0.5.0"

# numpy, pandas and rich take longer to load than most commands take to run.
_LOADED_ON_USE = {
    "cribev.advice.cards": ["PlayAdvice"],
    "cribev.advice.answers": ["advise", "advise_play", "answer"],
    "cribev.advice.discards": ["Advice"],
    "cribev.advice.question": ["Question"],
    "cribev.advice.reasons": ["Comparison", "Explanation"],
    "cribev.batch.evaluate": ["EveryDiscard", "Evaluation", "evaluate_deals"],
    "cribev.batch.frames": ["Evaluated", "evaluate", "meta"],
    "cribev.classes.canonical": ["classify_deals"],
    "cribev.game.cards": ["format_cards", "random_hands"],
    "cribev.game.deal": ["Position"],
    "cribev.game.play": ["Play", "peg"],
    "cribev.game.scorer": ["score", "score_hands"],
    "cribev.game.show": ["Show", "explain"],
    "cribev.app.games.levels": ["Level"],
    "cribev.opponents.opponents": ["Frequencies", "Opponent"],
    "cribev.reviews.fits": ["FittedHabits", "fit_habits"],
    "cribev.records.formats": ["read_record"],
    "cribev.reviews.page": ["write_page"],
    "cribev.reviews.review": ["review"],
    "cribev.reviews.findings": ["Review"],
    "cribev.rows.lines": ["parse_cards"],
    "cribev.tables.play_values": ["PlayValues", "play_values"],
    "cribev.tables.win_chances": ["par", "win_probability"],
}
_MODULE_OF = {name: module for module, names in _LOADED_ON_USE.items() for name in names}
_PUBLIC = {"CardError", "CribevError", "RecordError", "TableError", *_MODULE_OF}

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name not in _MODULE_OF:
        raise AttributeError(f"module 'cribev' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*_PUBLIC, *(name for name in globals() if name.startswith("__"))})
