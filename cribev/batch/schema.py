"""Which columns an evaluation needs in a table, and which it adds."""

from collections.abc import Hashable, Sequence

from cribev.errors import CribevError, quote
from cribev.rows.score_columns import OPPONENT_SCORE, SCORE

ROLE_COLUMN = "role"
PLAY = "play_mean"
WIN = "win"
WIN_METHOD = "win_method"
SPREAD = ("hand_min", "hand_max", "crib_min", "crib_max")
_MEANS = ("hand_mean", "crib_mean", PLAY, WIN, WIN_METHOD, "expected")
_BEST = ("best_discard", "best_keep", *_MEANS, "margin")
_EVERY = ("rank", "discard", "keep", *_MEANS)


def added_names(*, play: bool, spread: bool, every_discard: bool, win: bool = False) -> list[str]:
    """List the columns that an evaluation adds.

    >>> added_names(play=False, spread=False, every_discard=False)
    ['best_discard', 'best_keep', 'hand_mean', 'crib_mean', 'expected', 'margin']
    """
    counts = {PLAY: play, WIN: win, WIN_METHOD: win}
    names = [name for name in (_EVERY if every_discard else _BEST) if counts.get(name, True)]
    return names + list(SPREAD) * spread


def card_columns(cards: Hashable | list[Hashable]) -> list[Hashable]:
    """Take the name of a column of deals, or a list of six names of columns of cards.

    >>> card_columns("cards")
    ['cards']
    """
    if not isinstance(cards, list):
        return [cards]
    if len(cards) not in (1, 6):
        raise CribevError(f"cards stand in one column or in six, not {len(cards)}: {cards!r}")
    return cards


def check_columns(
    present: Sequence[Hashable], cards: Sequence[Hashable], role: str | None, added: Sequence[str]
) -> None:
    """Check that a table has each column it needs, once, and none that the evaluation adds.

    It needs columns of cards, of roles unless one role is given for all, and of scores if the
    evaluation adds chances to win.

    >>> check_columns(["cards", "margin"], ["cards"], "pone", ["best_discard", "margin"])
    Traceback (most recent call last):
    cribev.errors.CribevError: there is a column 'margin' already: rename it
    """
    roles = [ROLE_COLUMN] if role is None else []
    scores = [SCORE, *(name for name in present if name == OPPONENT_SCORE)] if WIN in added else []
    for name in [*cards, *roles, *scores]:
        if name not in present:
            also = ", or give one role for all" if name == ROLE_COLUMN and role is None else ""
            raise CribevError(
                f"no column {quote(str(name))}{also}: "
                f"there are {quote(', '.join(map(str, present)), most=200)}"
            )
        if list(present).count(name) > 1:
            raise CribevError(f"two columns {quote(str(name))}")
    if role is not None and ROLE_COLUMN in present:
        raise CribevError(f"a column {ROLE_COLUMN!r}, and {role!r} for all rows too: choose one")
    for name in added:
        if name in present:
            raise CribevError(f"there is a column {name!r} already: rename it")
