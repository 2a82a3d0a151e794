"""Games in PGN for cribbage: tags in brackets, then deals by number, each a list of tags.

The format of https://github.com/derpy-pug/cribbage-zero. What it has no tag for is in tags of our
own above the deals, which other programs skip: ``[Game "name"]``, and a cell of a record as
``[Cell "deal", "role", "column", "text"]``.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cribev.errors import CardError, RecordError, quote
from cribev.game.cards import PIP_VALUES, SUITLESS_OFFSET, format_card, parse_cards, parse_rank
from cribev.game.play import LIMIT, Play
from cribev.game.roles import ROLES, Role, as_role
from cribev.game.score import UNKNOWN, WINNING_SCORE
from cribev.reviews.games import ImportedDeal, ImportedGame, distinct_players, imported_table
from cribev.reviews.record import ALL_COLUMNS, Record, as_record, show_points
from cribev.rows.columns import PEGGED_COLUMNS, as_text

_HEADER = re.compile(r"\[\s*(\w+)\s+(.*)")
_NUMBER = re.compile(r"([0-9]{1,15})\.")
_COMMENT = re.compile(r"\{[^}]*\}")
_TAGS = ("H1", "D1", "S1", "H2", "D2", "S2", "SC", "SH", "C", "P", "SP")
_RESULTS = ("1-0", "0-1")
_NEW_COUNT = "|"
_PGN = re.compile(r"\s*(\[\s*[A-Za-z]|[0-9]+\.\s)")
_TOLD_COLUMNS = (*PEGGED_COLUMNS, "score", "score_after")
"""Columns that may need cells: the other ones follow from the tags."""


def is_pgn(text: str) -> bool:
    """Tell whether a text begins as PGN does.

    >>> is_pgn('[FirstDealer "Ann"]'), is_pgn("[3, 17]")
    (True, False)
    """
    return _PGN.match(text) is not None


def parse_pgn(text: str) -> list[ImportedGame]:
    r"""Read the games of a file; raises `RecordError`, which names game, deal and tag.

    >>> (game,) = parse_pgn('[FirstDealer "Ann"] \n 1. H1 5H 5D JS QC 2H 8D D1 2H 8D \n C 5S')
    >>> game.players[0], game.deals[0].discards[0], game.deals[0].starter
    ('Ann', '2H 8D', '5S')
    >>> parse_pgn("1. H3 5H")
    Traceback (most recent call last):
    cribev.errors.RecordError: game '1', deal 1, 'H3': expected a tag: H1, D1, S1, H2, D2, S2, SC,
    SH, C, P, SP
    """
    games: list[_Game] = []
    for line in _without_comments(text).split("\n"):
        header = _HEADER.fullmatch(line.strip().removesuffix("]"))
        if header and (not games or games[-1].begun):
            games.append(_Game(len(games) + 1))
        if header:
            games[-1].header(header[1].casefold(), header[2].rstrip())
        elif line.strip():
            if not games:
                games.append(_Game(1))
            games[-1].words(line.split())
    return [game.imported() for game in games]


def format_pgn(record: Record) -> str:
    """Write a record as PGN, from which `parse_pgn` and `as_record` make the same record.

    >>> from io import StringIO
    >>> import pandas as pd
    >>> from cribev.reviews.record import RECORD_TEMPLATE
    >>> print(format_pgn(as_record(pd.read_csv(StringIO(RECORD_TEMPLATE)))))
    [Game "1"]
    [FirstDealer "Ann"]
    [FirstPone "?"]
    [Result "*"]
    <BLANKLINE>
    1.
      H1 2H 5D 5H 8D JS QC  D1 2H 8D  S1 10
      D2 9S KD
      SC 2
      C 4C
      P 7 5 3 5 A J 8 Q
    <BLANKLINE>
    """
    hands, cribs = show_points(record)
    frame = record.frame.assign(hand_points=hands, crib_points=cribs)
    texts = []
    for _, rows in frame.groupby("game", sort=False):
        ordered = rows.sort_values(["deal", "role"])
        shown = ordered[["hand_points", "crib_points"]].to_numpy().tolist()
        cells = [
            {str(name): as_text(value) for name, value in row.items()}
            for row in ordered.drop(columns=["hand_points", "crib_points"]).to_dict("records")
        ]
        text = _game_text(cells, shown, [])
        texts.append(text if _tells(text, cells) else _game_text(cells, shown, _cell_tags(cells)))
    return "\n".join(texts)


class _Game:
    """A game as its lines are read."""

    def __init__(self, number: int) -> None:
        self._name = str(number)
        self._tags: dict[str, str] = {}
        self._cells: dict[tuple[int, str], dict[str, str]] = {}
        self._deals: list[tuple[str, dict[str, list[str]]]] = []
        self._values: list[str] | None = None  # of the tag before

    @property
    def begun(self) -> bool:
        return bool(self._deals)

    def header(self, tag: str, text: str) -> None:
        """Take a tag above the deals; of those that are not known nothing is kept."""
        values = _strings(text)
        if tag == "cell":
            if len(values) != 4 or not re.fullmatch("[0-9]{1,15}", values[0]):
                raise RecordError(
                    f"game {quote(self._name)}, {quote(text)}: expected a cell's deal, role, "
                    "column and text"
                )
            self._cells.setdefault((int(values[0]), values[1]), {})[values[2]] = values[3]
        elif values:
            self._tags[tag] = values[0].strip()
            self._name = self._tags.get("game") or self._name

    def words(self, words: Sequence[str]) -> None:
        """Take a line of the deals."""
        for word in words:
            if number := _NUMBER.fullmatch(word):
                self._deals.append((number[1], {}))
                self._values = None
            elif not self._deals:
                raise RecordError(
                    f"game {quote(self._name)}, {quote(word)}: expected tags in brackets, or the "
                    "number of a deal: 1."
                )
            elif (tag := word.upper()) in _TAGS:
                if tag in self._deals[-1][1]:
                    raise RecordError(f"{self._place}, {quote(word)}: the tag comes twice")
                self._values = self._deals[-1][1][tag] = []
            elif self._values is None:
                raise RecordError(
                    f"{self._place}, {quote(word)}: expected a tag: {', '.join(_TAGS)}"
                )
            else:
                self._values.append(word)

    @property
    def _place(self) -> str:
        return f"game {quote(self._name)}, deal {self._deals[-1][0]}"

    def imported(self) -> ImportedGame:
        first, second = (
            self._tags.get(tag) or usual
            for tag, usual in (("firstdealer", "First dealer"), ("firstpone", "First pone"))
        )
        result = self._tags.get("result")
        return ImportedGame(
            self._name,
            distinct_players(first, second),
            [
                _deal(int(number), f"game {quote(self._name)}, deal {number}", tags)
                for number, tags in self._deals
            ],
            _RESULTS.index(result) if result in _RESULTS else None,
            self._cells or None,
        )


def _without_comments(text: str) -> str:
    """Leave out what stands in braces; what no brace closes stays, and is not searched for one."""
    closed, brace, rest = text.rpartition("}")
    return _COMMENT.sub(" ", closed + brace) + rest


def _strings(text: str) -> list[str]:
    """Read the value of a tag: strings in quotes, commas between them."""
    try:
        values = json.loads(f"[{text}]", strict=False)
    except (ValueError, RecursionError):
        values = None
    if isinstance(values, list) and all(isinstance(value, str) for value in values):
        return values
    return [text.strip().removeprefix('"').removesuffix('"')]


def _deal(number: int, place: str, tags: Mapping[str, list[str]]) -> ImportedDeal:
    cards = {tag: " ".join(tags.get(tag, ())) for tag in ("H1", "H2", "D1", "D2", "C")}
    points = {
        tag: _points(f"{place}, {tag}", tags[tag])
        for tag in ("S1", "S2", "SC", "SH", "SP")
        if tag in tags
    }
    first, second, crib, heels = (
        _one(f"{place}, {tag}", points.get(tag)) for tag in ("S1", "S2", "SC", "SH")
    )
    pieces = tags.get("P", [])
    laid = [piece for piece in pieces if piece != _NEW_COUNT and piece.lower() != "go"]
    play, pegged = " ".join(pieces), None
    if "SP" in points:
        if len(points["SP"]) != len(laid):
            raise RecordError(f"{place}, SP: {len(points['SP'])} points for {len(laid)} cards laid")
        play = _with_points(pieces, points["SP"])
        pegged = _sums(cards["H1"], cards["H2"], laid, points["SP"])
    return ImportedDeal(
        number=number,
        dealer=(number + 1) % 2,
        hands=(cards["H1"], cards["H2"]),
        discards=(cards["D1"], cards["D2"]),
        starter=cards["C"],
        play=play,
        pegged=pegged,
        hand_points=(first, second),
        crib_points=crib,
        heels=heels,
    )


def _points(place: str, words: Sequence[str]) -> list[int]:
    for word in words:
        if not re.fullmatch("[0-9]{1,3}", word):
            raise RecordError(f"{place}, {quote(word)}: expected points, a whole number")
    return [int(word) for word in words]


def _one(place: str, points: Sequence[int] | None) -> int | None:
    if points is not None and len(points) != 1:
        raise RecordError(f"{place}: expected one number of points, got {len(points)}")
    return points[0] if points else None


def _with_points(pieces: Sequence[str], points: Sequence[int]) -> str:
    """Write the count and the points after each card of a play."""
    written, count, left = list[str](), 0, iter(points)
    for piece in pieces:
        written.append(piece)
        rank = parse_rank(piece) if len(piece) == 1 or piece == "10" else parse_rank(piece[:-1])
        if piece == _NEW_COUNT:
            count = 0
        elif piece.lower() == "go":
            continue
        elif rank is None:  # for who reads the play to refuse
            break
        else:
            pips = PIP_VALUES[rank]
            count = count + pips if count + pips <= LIMIT else pips
            written.append(f"({count}-{next(left)})")
    return " ".join(written)


def _sums(
    first: str, second: str, laid: Sequence[str], points: Sequence[int]
) -> tuple[int, int] | None:
    """Add up what each player pegs, if the hands tell whose the cards are."""
    try:
        hands = [set(parse_cards(hand).tolist()) for hand in (first, second)]
        cards = [parse_cards(card, count=1).tolist()[0] for card in laid]
    except CardError:
        return None
    if not all((card in hands[0]) != (card in hands[1]) for card in cards):
        return None
    sums = [0, 0]
    for card, pegged in zip(cards, points, strict=True):
        sums[card in hands[1]] += pegged
    return sums[0], sums[1]


def _tells(text: str, cells: Sequence[Mapping[str, str]]) -> bool:
    """Tell whether the tags alone bring back all cells of a game."""
    if any(row[column] for row in cells for column in row if column not in ALL_COLUMNS):
        return False
    try:
        frame = as_record(imported_table(parse_pgn(text))).frame
    except RecordError:
        return False
    read: list[dict[Any, Any]] = frame.sort_values(["deal", "role"]).to_dict("records")
    return len(read) == len(cells) and all(
        as_text(found[column]) == row[column]
        for found, row in zip(read, cells, strict=True)
        for column in _TOLD_COLUMNS
    )


def _cell_tags(cells: Sequence[Mapping[str, str]]) -> list[str]:
    """Write what no tag of a deal tells; that the first score is not known, too."""
    tags = []
    for at, row in enumerate(cells):
        for column, text in row.items():
            follows = column in ALL_COLUMNS and (
                column not in _TOLD_COLUMNS or (column in PEGGED_COLUMNS and row["play"])
            )
            if not follows and (text or (column == "score" and not at)):
                values = ", ".join(map(_quoted, (row["deal"], row["role"], column, text)))
                tags.append(f"[Cell {values}]")
    return tags


def _quoted(text: str) -> str:
    # A line ends where one of these stands, and a comment between the other two.
    return re.sub(
        r"[{}\x7f-\x9f\u2028\u2029]",
        lambda found: f"\\u{ord(found[0]):04x}",
        json.dumps(text, ensure_ascii=False),
    )


def _game_text(
    cells: Sequence[Mapping[str, str]], shown: Sequence[Sequence[int]], tags: Sequence[str]
) -> str:
    """Write a game from its rows in the order of its deals."""
    players = ["?", "?"]
    for row in cells:
        players[_side(row)] = row["player"]
    result = "*"
    if WINNING_SCORE in (after := _both(cells[-1]["score_after"])):
        result = _RESULTS[_side(cells[-1]) ^ (after[1] == WINNING_SCORE)]
    named = zip(("FirstDealer", "FirstPone", "Result"), (*players, result), strict=True)
    lines = [f"[Game {_quoted(cells[0]['game'])}]"]
    lines += [f"[{tag} {_quoted(text)}]" for tag, text in named]
    lines += [*tags, ""]
    for number in dict.fromkeys(row["deal"] for row in cells):
        own = [
            (row, points[0], points[1])
            for row, points in zip(cells, shown, strict=True)
            if row["deal"] == number
        ]
        lines += [f"{number}.", *(f"  {line}" for line in _deal_lines(own)), ""]
    return "\n".join(lines)


def _side(row: Mapping[str, str]) -> int:
    """Return 0 for the player who deals the deals of odd numbers, else 1."""
    return int((row["role"] == "dealer") != (int(row["deal"]) % 2 == 1))


def _both(score: str) -> list[int]:
    return [int(points) for points in score.split("-")] if score else [UNKNOWN, UNKNOWN]


def _deal_lines(rows: Sequence[tuple[Mapping[str, str], int, int]]) -> Iterator[str]:
    by_side = {_side(row): (row, points) for row, points, _ in rows}
    some, _, crib = rows[0]
    for side in (0, 1):
        if side in by_side:
            row, points = by_side[side]
            line = f"H{side + 1} {row['cards']}  D{side + 1} {row['discard']}"
            yield line + (f"  S{side + 1} {points}" if points != UNKNOWN else "")
        elif some["opponent_discard"]:
            yield f"D{side + 1} {some['opponent_discard']}"
    if crib != UNKNOWN:
        yield f"SC {crib}"
    if some["starter"]:
        yield f"C {some['starter']}"
    if some["play"]:
        yield from _play_lines([row for row, *_ in rows])


def _play_lines(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Write the play; with both hands known, every card with its suit, and what it pegs."""
    if len(rows) == 1:
        yield f"P {rows[0]['play']}"
        return
    hands: dict[Role, list[int]] = {
        as_role(row["role"]): np.setdiff1d(
            parse_cards(row["cards"]), parse_cards(row["discard"])
        ).tolist()
        for row in rows
    }
    play = Play.parse(rows[0]["play"], hands)
    # Of equal ranks without suits the first that is left was laid.
    left = {role: [card for card in hands[role] if card not in play.laid] for role in ROLES}
    pieces, points = list[str](), list[int]()
    for step in play.steps:
        pegged = sum(one.points for one in step.pegs)
        if step.card is None or step.rank is None:
            points[-1] += pegged
            continue
        if pieces and step.count == PIP_VALUES[step.rank]:
            pieces.append(_NEW_COUNT)
        card = step.card
        if card >= SUITLESS_OFFSET:
            card = next(one for one in left[step.role] if one >> 2 == step.rank)
            left[step.role].remove(card)
        pieces.append(format_card(card))
        points.append(pegged)
    yield f"P {' '.join(pieces)}"
    yield f"SP {' '.join(map(str, points))}"
