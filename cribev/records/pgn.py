"""Games in PGN for cribbage: tags in brackets, then deals by number, each a list of tags.

The format of https://github.com/derpy-pug/cribbage-zero. What it has no tag for goes into our own
tags above the deals, which other programs skip: ``[Game "name"]``, and a cell of a record as
``[Cell "deal", "role", "column", "text"]``.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from cribev.errors import RecordError, quote
from cribev.game.cards import PIP_VALUES, format_card
from cribev.game.deal import Deal, GameRecord, Held, distinct_players
from cribev.game.play import CARDS_KEPT, Play
from cribev.game.roles import ROLES
from cribev.game.score import UNKNOWN, WINNING_SCORE
from cribev.records.cells import ALL_COLUMNS
from cribev.records.games import (
    CellTexts,
    Skip,
    check_points,
    deal_of,
    games_table,
    held_of,
    place_of,
    skipping,
    told_cards,
    with_play,
)
from cribev.records.record import Record, as_record
from cribev.records.tally import show_points
from cribev.rows.columns import as_text
from cribev.rows.names import PEGGED_COLUMNS

_HEADER = re.compile(r"\[\s*(\w+)\s+(.*)")
_HEADERS = {tag.casefold(): tag for tag in ("FirstDealer", "FirstPone", "Result", "Game", "Cell")}
_NUMBER = re.compile(r"([0-9]{1,15})\.")
_COMMENT = re.compile(r"\{[^}]*\}")
_TAGS = ("H1", "D1", "S1", "H2", "D2", "S2", "SC", "SH", "C", "P", "SP")
_TAGS_IN_WORDS = (
    "H1 and H2 (six cards of the first dealer, and of the other), D1 and D2 (what they discard), "
    "C (starter), P (cards played), SP (points pegged by each card), S1, S2 and SC (points of "
    "hands and crib), SH (of his heels)"
)
_LIKE_A_TAG = re.compile(
    r"(?!(pass|[ATJQKCDHS]+)$)[A-Z]{3,}[0-9]?|[E-GIL-PRU-Z][0-9]", re.IGNORECASE
)  # and not like cards, or a go
_RESULTS = ("1-0", "0-1")
_NO_RESULTS = (None, "", "*", "?")
_NEW_COUNT = "|"
_MOST_DEALS = 10_000  # of a game: one to 121 has at most 241, for somebody pegs in every deal
BEGINS_PGN = re.compile(
    r"\s*+((\{[^}]*\}\s*+|[;%][^\n]*\n\s*+)*+(\[\s*[A-Za-z]|[0-9]+\.\s)|\{(?!\s*[\"{}[])[^}]*\Z)"
)  # or all that is seen is a comment
_TOLD_COLUMNS = (*PEGGED_COLUMNS, "score", "score_after")
"""Columns that may need cells: the others follow from the tags."""


def parse_pgn(text: str, *, most: int | None = None, skip: Skip | None = None) -> pd.DataFrame:
    """Read games as the table of a record, as `games_table` makes it."""
    cells = list[CellTexts]()

    def games() -> Iterator[GameRecord]:
        for number, lines in enumerate(_parts(text), 1):
            with skipping(skip):
                game, own = _game(number, *lines)
                cells.append(own)
                yield game

    return games_table(games(), cells, most=most, skip=skip)


def format_pgn(record: Record) -> str:
    """Write a record as PGN, from which `parse_pgn` and `as_record` make the same record."""
    shown = np.stack(show_points(record), axis=1).tolist()
    texts = []
    for _, rows in record.frame.groupby("game", sort=False):
        ordered = rows.sort_values(["deal", "role"])
        cells = [
            {str(name): as_text(value) for name, value in row.items()}
            for row in ordered.to_dict("records")
        ]
        seats = [
            (row, record.deal(index), *shown[index])
            for row, index in zip(cells, ordered.index.tolist(), strict=True)
        ]
        text = _game_text(seats, [])
        texts.append(text if _tells(text, cells) else _game_text(seats, _cell_tags(cells)))
    return "\n".join(texts)


_Seat: TypeAlias = tuple[Mapping[str, str], Deal, int, int]
"""A row of a record: its cells as text, its deal, and the points of hand and crib."""


def _parts(text: str) -> Iterator[tuple[list[re.Match[str]], list[str]]]:
    """Split a file into games: the tags above the deals, and the words of the deals."""
    headers, words = list[re.Match[str]](), list[str]()
    closed, brace, rest = text.rpartition("}")  # a comment without a closing brace stays
    for line in (_COMMENT.sub(" ", closed + brace) + rest).split("\n"):
        header = _HEADER.fullmatch(line.strip().removesuffix("]"))
        if header and words:
            yield headers, words
            headers, words = [], []
        if header:
            headers.append(header)
        elif not line.startswith("%"):  # ; begins a comment, and $ an annotation
            words += (word for word in line.partition(";")[0].split() if word[0] != "$")
    if headers or words:
        yield headers, words


def _game(
    number: int, headers: Iterable[re.Match[str]], words: Iterable[str]
) -> tuple[GameRecord, CellTexts]:
    """Read a game and its cells; unknown tags are dropped."""
    name, tags, cells = str(number), dict[str, str](), dict[tuple[int, str], dict[str, str]]()
    for header in headers:
        tag, text = header[1].casefold(), header[2].rstrip()
        values = _strings(text)
        if tag == "cell":
            if len(values) != 4 or not re.fullmatch("[0-9]{1,15}", values[0]):
                raise RecordError(
                    f"game {quote(name)}, {quote(text)}: expected a cell's deal, role, column and "
                    "text"
                )
            cells.setdefault((int(values[0]), values[1]), {})[values[2]] = values[3]
        elif values:
            if tags.setdefault(tag, values[0].strip()) != values[0].strip():
                raise RecordError(f"game {quote(name)}, {quote(header[1])}: the tag comes twice")
            if tag not in _HEADERS and (near := get_close_matches(tag, _HEADERS, 1, 0.85)):
                raise RecordError(
                    f"game {quote(name)}, {quote(header[1])}: did you mean {_HEADERS[near[0]]}?"
                )
            name = tags.get("game") or name
    result, deals = tags.get("result"), list(_tagged(name, words))
    if result not in (*_RESULTS, *_NO_RESULTS):
        raise RecordError(
            f"game {quote(name)}, Result {quote(str(result))}: expected {', '.join(_RESULTS)} or *"
        )
    game = GameRecord(
        distinct_players(
            tags.get("firstdealer") or "First dealer", tags.get("firstpone") or "First pone"
        ),
        tuple(
            _deal(
                *(name, int(index), own),
                starts=own is deals[0][1] and int(index) == 1 and not cells,
                last=own is deals[-1][1],
            )
            for index, own in deals
        ),
        winner=_RESULTS.index(result) if result in _RESULTS else None,
        name=name,
    )
    return game, cells


def _tagged(game: str, words: Iterable[str]) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Yield the number of each deal and its tags, each with its words."""
    number, tag, tags, values, numbers = "", "", dict[str, list[str]](), None, set[int]()
    for word in words:
        if match := _NUMBER.fullmatch(word):
            if number:
                yield number, tags
            number, tags, values = match[1], {}, None
            if int(number) in numbers:
                raise RecordError(f"{place_of(game, number)}: the deal comes twice")
            numbers.add(int(number))
            if len(numbers) > _MOST_DEALS:
                raise RecordError(f"game {quote(game)}: more than {_MOST_DEALS:,} deals")
        elif not number:
            raise RecordError(
                f"game {quote(game)}, {quote(word)}: expected tags in brackets, or the number of "
                "a deal: 1."
            )
        elif word.upper() in _TAGS:
            tag = word.upper()
            if tag in tags:
                raise RecordError(f"{place_of(game, number)}, {quote(word)}: the tag comes twice")
            values = tags[tag] = []
        elif values is None or (tag[0] != "S" and _LIKE_A_TAG.fullmatch(word)):  # not of points
            why = f"expected a tag: {_TAGS_IN_WORDS}"
            raise RecordError(f"{place_of(game, number)}, {quote(word)}: {why}")
        else:
            values.append(word)
    if number:
        yield number, tags


def _strings(text: str) -> list[str]:
    """Read the value of a tag: quoted strings, separated by commas."""
    try:
        values = json.loads(f"[{text}]", strict=False)
    except (ValueError, RecursionError):
        values = None
    if isinstance(values, list) and all(isinstance(value, str) for value in values):
        return [as_text(value) for value in values]
    return [text.strip().removeprefix('"').removesuffix('"')]


def _deal(
    game: str, number: int, tags: Mapping[str, list[str]], *, starts: bool, last: bool
) -> Deal:
    """Read a deal. The last points of a game may be counted, or not."""
    if not tags:
        return deal_of(number, {}, None, starts=starts)
    place = place_of(game, number)
    sides = dict(zip(ROLES if number % 2 else ROLES[::-1], "12", strict=True))
    texts = {tag: " ".join(words) for tag, words in tags.items()}
    held = {role: _held(place, texts, side) for role, side in sides.items()}
    starter = told_cards(place, "starter", texts["C"], 1)[0] if texts.get("C") else None
    deal = deal_of(number, held, starter, starts=starts)
    deal = with_play(place, deal, texts.get("P", ""))
    pegged = None
    if "SP" in tags:
        points = _points(f"{place}, SP", tags["SP"])
        if len(points) != len(deal.play.played):
            raise RecordError(
                f"{place}, SP: {len(points)} points for {len(deal.play.played)} cards played"
            )
        deal = with_play(place, deal, _with_points(deal.play, points))
        if all(len(hand.kept) == CARDS_KEPT for hand in held.values()):
            roles = [step.role for step in deal.play.steps if step.card is not None]
            pegged = {
                role: sum(hand for hand, by in zip(points, roles, strict=True) if by == role)
                for role in ROLES
            }
    check_points(
        place,
        deal,
        hands={role: _number(place, f"S{side}", tags) for role, side in sides.items()},
        crib=_number(place, "SC", tags),
        starter=_number(place, "SH", tags),
        pegged=pegged,
        last=last,
    )
    return deal


def _held(place: str, texts: Mapping[str, str], side: str) -> Held:
    """Read the six cards of a player and the discard; or the discard alone, if it is known."""
    hand, discard = texts.get(f"H{side}", ""), texts.get(f"D{side}", "")
    if not (hand or discard):
        return Held()
    gone = told_cards(place, "discard" if hand else "opponent_discard", discard, 2)
    return held_of(place, told_cards(place, "cards", hand, 6), gone) if hand else Held((), gone)


def _points(place: str, words: Sequence[str]) -> list[int]:
    for word in words:
        if not re.fullmatch("[0-9]{1,3}", word):
            raise RecordError(f"{place}, {quote(word)}: expected points, a whole number")
    return [int(word) for word in words]


def _number(place: str, tag: str, tags: Mapping[str, list[str]]) -> int | None:
    if tag not in tags:
        return None
    points = _points(f"{place}, {tag}", tags[tag])
    if len(points) != 1:
        raise RecordError(f"{place}, {tag}: expected one number of points, got {len(points)}")
    return points[0]


def _with_points(play: Play, points: Iterable[int]) -> str:
    """Write the count and the points after each card of a play."""
    left = iter(points)
    return " ".join(
        step.text if step.card is None else f"{step.text} ({step.count}-{next(left)})"
        for step in play.steps
    )


def _tells(text: str, cells: Sequence[Mapping[str, str]]) -> bool:
    """Return whether the tags alone bring back all cells of a game."""
    if any(row[column] for row in cells for column in row if column not in ALL_COLUMNS):
        return False
    try:
        frame = as_record(parse_pgn(text)).frame
    except RecordError:
        return False
    read: list[dict[Any, Any]] = frame.sort_values(["deal", "role"]).to_dict("records")
    told = [[as_text(tags[column]) for column in _TOLD_COLUMNS] for tags in read]
    return told == [[row[column] for column in _TOLD_COLUMNS] for row in cells]


def _cell_tags(cells: Sequence[Mapping[str, str]]) -> list[str]:
    """Write what no tag of a deal says, such as that the first score is not known."""
    tags = []
    for index, row in enumerate(cells):
        for column, text in row.items():
            follows = column in ALL_COLUMNS and (
                column not in _TOLD_COLUMNS or (column in PEGGED_COLUMNS and row["play"])
            )
            if not follows and (text or (column == "score" and not index)):
                values = ", ".join(map(_quoted, (row["deal"], row["role"], column, text)))
                tags.append(f"[Cell {values}]")
    return tags


def _quoted(text: str) -> str:
    # A line ends where one of these stands, and a comment between the other two.
    return re.sub(
        r"[{}\x7f-\x9f\u2028\u2029]",
        lambda match: f"\\u{ord(match[0]):04x}",
        json.dumps(text, ensure_ascii=False),
    )


def _game_text(seats: Sequence[_Seat], tags: Sequence[str]) -> str:
    """Write a game from its rows in the order of its deals, the dealer's first."""
    known = {_side(row): row["player"] for row, *_ in seats}
    # One who is not known gets no name that the other has.
    unknown = "?" if "?" not in known.values() else "-"
    players = [known.get(side, unknown) for side in (0, 1)]
    last, result = seats[-1][0], "*"
    if str(WINNING_SCORE) in (after := last["score_after"].split("-")):
        result = _RESULTS[_side(last) ^ (after[1] == str(WINNING_SCORE))]
    named = zip(("FirstDealer", "FirstPone", "Result"), (*players, result), strict=True)
    lines = [f"[Game {_quoted(last['game'])}]"]
    lines += [f"[{tag} {_quoted(text)}]" for tag, text in named]
    lines += [*tags, ""]
    for number, deal in groupby(seats, key=lambda seat: seat[0]["deal"]):
        lines += [f"{number}.", *(f"  {line}" for line in _deal_lines(list(deal))), ""]
    return "\n".join(lines)


def _side(row: Mapping[str, str]) -> int:
    """Return 0 for the player who deals the deals of odd numbers, else 1."""
    return int((row["role"] == "dealer") != (int(row["deal"]) % 2 == 1))


def _deal_lines(seats: Sequence[_Seat]) -> Iterator[str]:
    by_side = {_side(seat[0]): seat for seat in seats}
    cells, deal, _, crib = seats[0]
    for side in (0, 1):
        if side in by_side:
            row, _, points, _ = by_side[side]
            line = f"H{side + 1} {row['cards']}  D{side + 1} {row['discard']}"
            yield line + (f"  S{side + 1} {points}" if points != UNKNOWN else "")
        elif cells["opponent_discard"]:
            yield f"D{side + 1} {cells['opponent_discard']}"
    if crib != UNKNOWN:
        yield f"SC {crib}"
    if cells["starter"]:
        yield f"C {cells['starter']}"
    if deal.play.steps and len(seats) == 1:
        yield f"P {cells['play']}"
    elif deal.play.steps:
        yield from _play_lines(deal.play)


def _play_lines(play: Play) -> Iterator[str]:
    """Write a play, if both hands are known: the cards, and what each pegs."""
    pieces, points = list[str](), list[int]()
    for step in play.steps:
        pegged = sum(peg.points for peg in step.pegs)
        if step.card is None or step.rank is None:
            points[-1] += pegged
            pieces += [step.text] if step.renege else []
            continue
        if pieces and step.count == PIP_VALUES[step.rank]:
            pieces.append(_NEW_COUNT)
        pieces.append(format_card(step.card))
        points.append(pegged)
    yield f"P {' '.join(pieces)}"
    yield f"SP {' '.join(map(str, points))}"
