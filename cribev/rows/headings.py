"""Headings of tables, matched to the names of known columns."""

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, NamedTuple

from cribev.errors import CribevError, quote
from cribev.game.cards import numbers_as_text
from cribev.game.words import printable
from cribev.rows.columns import OPPONENT_SCORE, as_text, as_values
from cribev.rows.names import COLUMN_DESCRIPTIONS, SCORE_COLUMNS, SYNONYMS


class Headings(NamedTuple):
    """The meaning of the columns of a file, where their names do not say it."""

    columns: Mapping[str, str] = MappingProxyType({})  # our names, by theirs
    numbers: str | None = None  # how cards are numbered, one of `NUMBERINGS`, if they are
    some: bool = False  # whether files may lack some of the columns, as several records do

    @classmethod
    def read(cls, texts: Sequence[str], *, numbers: str | None = None) -> "Headings":
        """Read ``theirs=ours`` for each column; `CribevError` if one is something else."""
        columns = dict[str, str]()
        for text in texts:
            theirs, _, ours = (side.strip() for side in text.rpartition("="))
            if not theirs or ours not in COLUMN_DESCRIPTIONS.keys() | {"hand", "crib"}:
                raise CribevError(
                    f"{quote(text)}: expected --columns THEIRS=OURS, such as Turn=starter"
                )
            columns[theirs] = ours
        return cls(columns, numbers)


PLAIN = Headings()  # of files whose names of columns say what they mean

_CARDS = re.compile(r"(?:(?:10|[2-9TJQKA])[CDHS♣♦♥♠]\W*){4,6}", re.IGNORECASE)


def require_headings(names: Sequence[str], what: str) -> None:
    """Raise CribevError if a first line has cards in place of names."""
    if any(_CARDS.fullmatch(name.strip()) for name in names):
        line = quote(",".join(names), most=200)
        raise CribevError(f"{what} line 1: {line} has no headings: expected names of columns")


def missing_column(name: str, present: Sequence[str]) -> str:
    """Say that a column is missing, which there are, and which is likely meant."""
    there = quote(", ".join(present), most=200)
    return f"no column {name!r}: there are {there}{column_meant(name, present)}"


def column_meant(name: str, present: Sequence[str]) -> str:
    """Suggest a column that is spelled nearly like the missing one; else empty."""
    plain = {heading.casefold(): heading for heading in present}
    near = get_close_matches(name, plain, 1, 0.7)
    if not near:
        return ""
    meant = plain[near[0]]
    shown = printable(meant)
    quoted = shown if shown != meant else shlex.quote(meant)
    return f"; did you mean {meant!r}? --columns {quoted}={name}"


def normalised_header(names: Sequence[str], known: Collection[str]) -> list[str]:
    """Replace names of columns by known ones with another form, or with the same meaning.

    >>> normalised_header(["cutCard", "Opponent Discard", "id"], ["starter", "opponent_discard"])
    ['starter', 'opponent_discard', 'id']
    """
    meant = {name.casefold(): name for name in known if name not in names}
    plain = [_in_words(name) for name in names]
    for name in {*meant} - {*plain}:
        others = (other for other in SYNONYMS.get(name, "").split() if other not in known)
        if other := next((other_name for other_name in others if other_name in plain), None):
            meant[other] = meant[name]
    return [meant.get(own, name) for own, name in zip(plain, names, strict=True)]


def _in_words(name: str) -> str:
    """Write ``isCrib?`` and ``Is Crib`` as ``is_crib``, and other names likewise."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip().rstrip("?:"))
    return re.sub(r"[\s_-]+", "_", parted).casefold()


_OF_PLAYER = re.compile(r"^(?:p[12]|player[ _]?[12]|pone|dealer)[ _]", re.IGNORECASE)
_A_CARD = ("card", "c")  # with a number, one of the six cards
_OF_CARD = re.compile(r"[ _]?[1-6]$")


def names_known(text: str, known: Collection[str], headings: Headings) -> set[str]:
    """Return the known columns that the first line names, also for a player or for each card."""
    line = re.split(r"[\r\n]", text, maxsplit=1)[0].replace('"', "")
    names = [name.strip() for name in re.split("[,;\t]", line)]
    names = [headings.columns.get(name, name) for name in names]
    plain = list(map(_plain, names))
    return {*known} & {*normalised_header(names, known), *normalised_header(plain, known)}


def _plain(name: str) -> str:
    """Return the name of a column without its player, and without the number of its card."""
    own = _OF_PLAYER.sub("", name)
    plain = _OF_CARD.sub("", own)
    return "cards" if plain != own and plain.casefold() in _A_CARD else plain


_NO_CARDS = {"game", "deal", "player", "role", OPPONENT_SCORE, *SCORE_COLUMNS}


def named_columns(
    names: Sequence[str], columns: list[Any], known: Collection[str], headings: Headings
) -> tuple[list[str], list[Any]]:
    """Rename columns to the known names; columns of one card each are joined."""
    names = normalised_header([headings.columns.get(name, name) for name in names], known)
    plain = [re.sub(r"[\s_-]+", "", name).casefold() for name in names]
    for name in set(known) - {*names} - _NO_CARDS:
        own = [name, *SYNONYMS.get(name, "").split(), *(_A_CARD if name == "cards" else ())]
        numbered = ([f"{stem.replace('_', '')}{number}" for number in range(1, 7)] for stem in own)
        for six in numbered:
            places = [plain.index(heading) for heading in six if heading in plain]
            if len(places) > 1:
                cells = zip(*(as_values(columns[place]) for place in places), strict=True)
                joined = tuple(" ".join(map(as_text, row)).strip() for row in cells)
                kept = [place for place in range(len(names)) if place not in places[1:]]
                names = [name if place == places[0] else names[place] for place in kept]
                columns = [joined if place == places[0] else columns[place] for place in kept]
                plain = [plain[place] for place in kept]
                break
    if headings.numbers:
        cards = set(known) - _NO_CARDS
        own = [normalised_header([_plain(name)], known)[0] for name in names]
        columns = [
            tuple(numbers_as_text(as_text(value), headings.numbers) for value in as_values(column))
            if name in cards
            else column
            for name, column in zip(own, columns, strict=True)
        ]
    return names, columns
