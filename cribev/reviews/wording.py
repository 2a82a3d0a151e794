"""How figures and cards of a review are written, in text and in the templates of pages."""

from typing import TYPE_CHECKING, Any

import numpy as np

from cribev.choice import format_chance, format_points
from cribev.game.cards import DECK_SIZE, RANKS, SUIT_SYMBOLS, as_cards


def true_minus(text: str) -> str:
    """Write a hyphen before a number as a minus.

    >>> true_minus("hand 8.00 - crib 4.50")
    'hand 8.00 − crib 4.50'
    """
    return text.replace("-", "−")


def format_percent(value: float, digits: int = 1, *, sign: bool = False) -> str:
    """Write a chance, or a difference of chances, in percent; empty for NaN.

    >>> format_percent(0.0312), format_percent(-0.5, sign=True), format_percent(float("nan"))
    ('3.1%', '-50.0%', '')
    """
    text = format_points(100 * value, digits, sign=sign)
    return text and f"{text}%"


def format_win_total(value: float, games: int, *, sign: bool = False) -> str:
    """Write a sum of chances: in percent of one game, or as a number of games.

    >>> format_win_total(0.124, 1), format_win_total(1.24, 8, sign=True)
    ('12.4%', '+1.24')
    """
    return format_percent(value, sign=sign) if games == 1 else format_points(value, sign=sign)


def format_games_lost(value: float) -> str:
    """Write chances to win that were lost, with their unit.

    >>> format_games_lost(0.147), format_games_lost(1.474)
    ('14.7% of a game', '1.47 games')
    """
    return f"{format_percent(value)} of a game" if value < 1 else f"{format_points(value)} games"


def pluralize(number: int, thing: str) -> str:
    """Write a number of things.

    >>> pluralize(1, "game"), pluralize(2000, "discard")
    ('1 game', '2,000 discards')
    """
    return f"{number:,} {thing}{'s' if number != 1 else ''}"


def join_words(parts: list[str], last: str) -> str:
    """Join words, with ``last`` before the last one.

    >>> join_words(["a", "b", "c"], "or"), join_words(["a"], "or")
    ('a, b or c', 'a')
    """
    *most, end = parts
    return f"{', '.join(most)} {last} {end}" if most else end


if TYPE_CHECKING:
    import jinja2

_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
_RANK_NAMES = {"A": "ace", "T": "ten", "J": "jack", "Q": "queen", "K": "king"}
_BIDI_CONTROLS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_ISOLATED = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def page_environment(*packages: str) -> "jinja2.Environment":
    """Make what draws pages, from the templates of reviews and of other packages.

    Everything from outside is escaped; nothing may be missing.

    >>> page_environment().from_string("{{ name }}").render(name="<b>Ann")
    '&lt;b&gt;Ann'
    """
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader(package) for package in (*packages, "cribev.reviews")]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["points"] = points_text
    made.filters["signed"] = lambda value: points_text(value, sign=True)
    made.filters["percent"] = percent_text
    made.filters["share"] = lambda value: percent_text(value, 2)
    made.filters["chance"] = chance_text
    made.filters["change"] = lambda value: percent_text(value, sign=True)
    made.filters["faces"] = _faces
    made.filters["minus"] = true_minus
    made.filters["name"] = _without_bidi
    made.filters["isolated"] = lambda name: _without_bidi(name).join(_ISOLATED)
    return made


def _without_bidi(text: object) -> str:
    """Leave out of a name what would turn the text after it around."""
    return str(text).translate(_BIDI_CONTROLS)


def points_text(value: float, digits: int = 2, *, sign: bool = False) -> str:
    """Write a number of points with a true minus, a dash where it is missing."""
    return true_minus(format_points(value, digits, sign=sign)) or "–"


def percent_text(value: float, digits: int = 1, *, sign: bool = False) -> str:
    """Write a share as a percentage in the same way."""
    return true_minus(format_percent(value, digits, sign=sign)) or "–"


def chance_text(value: float) -> str:
    """Write a chance in the same way."""
    return format_chance(value) or "–"


def _faces(cards: str, out: str = "") -> list[dict[str, Any]]:
    """Tell how to draw cards, and which of them are thrown."""
    thrown = set(as_cards(out).tolist()) if out else set()
    drawn = np.sort(as_cards(cards)).tolist() if cards else []
    return [{**_FACES[card], "out": card in thrown} for card in drawn]


def card_face(card: int) -> dict[str, Any]:
    """Tell how a card is drawn and read aloud.

    >>> card_face(18)
    {'rank': '5', 'suit': '♥', 'red': True, 'name': '5 of hearts'}
    """
    rank, suit = RANKS[card >> 2], card & 3
    return {
        "rank": "10" if rank == "T" else rank,
        "suit": SUIT_SYMBOLS[suit],
        "red": suit in (1, 2),
        "name": f"{_RANK_NAMES.get(rank, rank)} of {_SUIT_NAMES[suit]}",
    }


_FACES = [card_face(card) for card in range(DECK_SIZE)]
CARD_HTML = [
    ("<i>{}</i>" if face["red"] else "{}").format(face["rank"] + face["suit"]) for face in _FACES
]
"""Each card as it stands in a line, by its number."""
