"""Deals typed in a form, and files sent with one."""

import re
from collections.abc import Mapping, Sequence
from email.message import Message
from email.utils import collapse_rfc2231_value
from typing import Any, NamedTuple

from cribev.errors import CribevError
from cribev.files.formats import delimited_line
from cribev.game.roles import ROLES, as_role
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
"""What is typed of each deal, and what stands above it."""
COLUMNS = tuple(LABELS)
MOST_DEALS = 60
CHOOSE_TWO = "choose two of the six cards"
"""What is asked of who throws fewer or more."""
ROWS = 9
"""As many deals as most games have."""

_COLUMN = re.compile(r"(?<=, )column '(\w+)'")
_HEAD = ("game", "deal", "player", "role", *COLUMNS)


class UploadedFile(NamedTuple):
    """A file that was sent."""

    name: str
    content: bytes


class TypedGame(NamedTuple):
    """Deals as they were typed."""

    game: str
    player: str
    first: str
    """The role in the first deal; the crib goes in turn."""
    rows: list[dict[str, str]]
    """A row for each deal, from the first on; those with nothing in them were not kept note of."""

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
    """Read the deals of a form, its columns as lists.

    Raises
    ------
    CribevError
        If there are more than a game has, or the first role is none.

    Examples
    --------
    >>> parse_deal_form({"player": ["Ann"], "cards": ["", "5H 5D JS QC 2H 8D"]}).rows[1]["cards"]
    '5H 5D JS QC 2H 8D'
    """
    size = max((len(given.get(column, ())) for column in COLUMNS), default=0)
    if size > MOST_DEALS:
        raise CribevError(f"{size} deals are too many for the form, which has {MOST_DEALS}")
    rows: list[dict[str, str]] = [{} for _ in range(size)]
    for column in COLUMNS:
        for row, text in zip(rows, given.get(column, ()), strict=False):
            row[column] = " ".join(text.split())

    def one(name: str, default: str) -> str:
        return " ".join(own[name].split()) or default

    names = {"game": "1", "player": "Me", "first": "dealer"}
    own = dict.fromkeys(names, "") | reject_repeated(
        [(name, value) for name in names for value in given.get(name, ())]
    )
    reject_unknown(given, *names, *COLUMNS, "more", "save")
    return TypedGame(one("game", "1"), one("player", "Me"), as_role(one("first", "dealer")), rows)


def with_form_labels(wrong: str) -> str:
    """Name a column in what is wrong with a record as the form does.

    >>> with_form_labels("game '1', deal 1, column 'discard', 'JS QD': not two of the six cards")
    "game '1', deal 1, Threw, 'JS QD': not two of the six cards"
    """
    return _COLUMN.sub(lambda found: LABELS.get(found[1], found[0]), wrong, count=1)


def parse_multipart(body: bytes, content_type: str) -> dict[str, list[Any]]:
    r"""Read a form with files, ``multipart/form-data``: files and texts.

    Raises
    ------
    CribevError
        If it is no such form.

    Examples
    --------
    >>> body = (b'--x\r\nContent-Disposition: form-data; name="record"; filename="a.csv"\r\n'
    ...         b'\r\ngame,deal\n\r\n--x--\r\n')
    >>> parse_multipart(body, "multipart/form-data; boundary=x")
    {'record': [UploadedFile(name='a.csv', content=b'game,deal\n')]}
    """
    boundary = _header(content_type).get_param("boundary")
    if not isinstance(boundary, str) or not boundary:
        raise CribevError("the form that came is not whole")
    found: dict[str, list[Any]] = {}
    for part in (b"\r\n" + body).split(b"\r\n--" + boundary.encode())[1:]:
        head, blank, content = part.partition(b"\r\n\r\n")
        if not blank:
            continue  # the end
        for line in head.decode("utf-8", "replace").split("\r\n"):
            title, _, value = line.partition(":")
            if title.strip().lower() == "content-disposition":
                header = _header(value)
                name, file = header.get_param("name"), header.get_param("filename")
                if isinstance(file, tuple):  # as RFC 8187 has it, in UTF-8
                    file = collapse_rfc2231_value(("utf-8", *file[1:]))
                if isinstance(name, str):
                    one = content.decode("utf-8", "replace") if file is None else None
                    found.setdefault(name, []).append(
                        UploadedFile(str(file), content) if one is None else one
                    )
    return found


def _header(value: str) -> Message:
    """Take apart a header that has parameters."""
    message = Message()
    message["content-type"] = " ".join(value.split())
    return message
