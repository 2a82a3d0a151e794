"""Exact cribbage advice: which two cards to discard, which card to play, and what a game lost.

You give cards as text or as numbers. An answer prints, displays itself in a notebook, and has
attributes, ``table`` and ``to_dict()``:

>>> import cribev
>>> advice = cribev.advise("5H 5D JS QC 2H 8D", role="dealer")
>>> advice.best.discard, round(advice.best.expected, 2)
('2H 8D', 17.19)
>>> cribev.advise_play("4H 5C JD JS", role="pone", starter="7H", played="J 5").best.card
'5'
>>> cribev.score("5C 6D 7D QH 6H")
10

One question
    `advise` (six cards, suits or not), `advise_play` (which card to play), `answer` (a `Question`,
    which holds everything you ask); `Position` (all a player knows, with its text)
Counting
    `score`, `explain`, `score_hands` (arrays); `peg`, `Play` (the cards as they fell)
Many deals
    `evaluate` (a table, a Series or a list; `meta` for Dask), `evaluate_file`, `evaluate_deals`
    (arrays); `parse_cards`, `format_cards`, `random_hands`; `classify_deals` (by ranks);
    `plot_pairs` (a number for each pair of ranks; `advise` and `review` have ``plot()``)
Games
    `review`, `read_record`, `write_page`; `fit_habits` (an opponent of your own);
    `Level` (who discards and plays as players of that strength do)
The solved game
    `win_probability`, `par`, `play_values`; `Opponent`, `Frequencies` (other ways to discard)

``help(cribev.advise)`` explains one of them. Bad input raises `CribevError`, a ValueError that
quotes it. ``dir(cribev)`` lists every name; ``cribev help`` lists the commands.
"""

# Nothing is imported that takes time: until `__main__` is loaded no command hears a signal.
# The stub beside this file says where each public name is.
__version__ = "1.0.0"


def __getattr__(name: str) -> object:
    from lazy_loader import attach_stub

    module = globals()
    module["__getattr__"], module["__dir__"], module["__all__"] = attach_stub(__name__, __file__)
    return module[name] if name in module else module["__getattr__"](name)


def __dir__() -> object:
    return __getattr__("__all__")
