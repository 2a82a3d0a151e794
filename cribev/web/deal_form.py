"""Deals typed in a form, as a record."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cribev.errors import CribevError
from cribev.game.roles import ROLES, as_role
from cribev.reviews.seats import USUAL_NAMES
from cribev.rows.lines import delimited_line
from cribev.web.parameters import reject_repeated, reject_unknown

LABELS = {
    "cards": "Six cards",
    "discard": "Threw",
    "starter": "Starter",
    "opponent_discard": "They threw",
    "pegged": "I pegged",
    "opponent_pegged": "They pegged",
    "score": "Score before",
}
"""The columns of a deal in the form, with their labels."""
COLUMNS = tuple(LABELS)
MAX_DEALS = 60
CHOOSE_TWO = "choose two of the six cards"
"""What to do after throwing fewer or more."""
EMPTY_ROWS = 9
"""Deals in an empty form, as many as most games have."""

_COLUMN = re.compile(r"(?<=, )column '(\w+)'")
_HEAD = ("game", "deal", "player", "role", *COLUMNS)


class TypedGame(NamedTuple):
    """Deals as they were typed."""

    game: str
    player: str
    first: str
    """The role in the first deal; the crib goes in turn."""
    rows: list[dict[str, str]]
    """A row for each deal, from the first on; empty where nothing was typed."""

    def role(self, deal: int) -> str:
        """Tell the role in a deal, from 1 up.

        >>> TypedGame("1", "Ann", "pone", []).role(2)
        'dealer'
        """
        return ROLES[(deal - 1 + (self.first == "pone")) % 2]

    def to_csv(self) -> str:
        """Write them as a record.

        >>> row = {"cards": "5H 5D JS QC 2H 8D", "discard": "2H 8D"}
        >>> print(TypedGame("1", "Ann", "dealer", [{}, row]).to_csv())
        game,deal,player,role,cards,discard,starter,opponent_discard,pegged,opponent_pegged,score
        1,2,Ann,pone,5H 5D JS QC 2H 8D,2H 8D,,,,,
        <BLANKLINE>
        """
        lines: list[tuple[str, ...]] = [_HEAD]
        lines += [
            (
                *(self.game, str(deal), self.player, self.role(deal)),
                *(row.get(column, "") for column in COLUMNS),
            )
            for deal, row in enumerate(self.rows, start=1)
            if any(row.values())
        ]
        return "".join(f"{delimited_line(line, ',')}\n" for line in lines)


def parse_deal_form(given: Mapping[str, Sequence[str]]) -> TypedGame:
    """Read the deals of a form, its columns as lists; `CribevError` if they are too many.

    >>> parse_deal_form({"player": ["Ann"], "cards": ["", "5H 5D JS QC 2H 8D"]}).rows[1]["cards"]
    '5H 5D JS QC 2H 8D'
    """
    size = max((len(given.get(column, ())) for column in COLUMNS), default=0)
    if size > MAX_DEALS:
        raise CribevError(f"{size} deals are too many for the form, which has {MAX_DEALS}")
    rows: list[dict[str, str]] = [{} for _ in range(size)]
    for column in COLUMNS:
        for row, text in zip(rows, given.get(column, ()), strict=False):
            row[column] = " ".join(text.split())

    names = {**USUAL_NAMES, "first": "dealer"}
    reject_unknown(given, *names, *COLUMNS, "more", "save")
    own = reject_repeated([(name, value) for name in names for value in given.get(name, ())])
    game, player, first = (
        " ".join(own.get(name, "").split()) or default for name, default in names.items()
    )
    return TypedGame(game, player, as_role(first), rows)


def with_form_labels(wrong: str) -> str:
    """Put the form's label for a column into a message about a record.

    >>> with_form_labels("game '1', deal 1, column 'discard', 'JS QD': not two of the six cards")
    "game '1', deal 1, Threw, 'JS QD': not two of the six cards"
    """
    return _COLUMN.sub(lambda found: LABELS.get(found[1], found[0]), wrong, count=1)
