"""Replays of cribbager (https://cribbager.org), JSON: who did what, event by event."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from cribev.errors import CardError, RecordError, quote
from cribev.game.cards import format_cards, parse_cards
from cribev.game.play_notation import CARDS_LAID
from cribev.game.score import WINNING_SCORE
from cribev.reviews.imported_games import ImportedDeal, ImportedGame, distinct_players

_BETWEEN = re.compile(r"[\s,]*")
_REPLAY = re.compile(r"\s*[\[\s]*\{")


def is_replay(text: str) -> bool:
    """Tell whether a text begins as a JSON object, or as a list of them.

    >>> is_replay('[{"game_id": 7}]'), is_replay('[Result "1-0"]')
    (True, False)
    """
    return _REPLAY.match(text) is not None


def parse_replays(text: str) -> list[ImportedGame]:
    """Read replays: one, a list of them, or one after the other.

    Raises `RecordError`, which names game, deal and event.

    >>> parse_replays('{"game_id": "7", "events": [{"type": "hand_dealt", "dealer": 2}]}')
    Traceback (most recent call last):
    cribev.errors.RecordError: game '7', deal 1, event 1, hand_dealt: 'dealer' is '2': expected 0
    or 1
    """
    games = []
    for number, replay in enumerate(_replays(text), 1):
        name = replay.get("game_id") if isinstance(replay, dict) else None
        name = str(name) if isinstance(name, str | int) and name != "" else str(number)
        if not isinstance(replay, dict) or not isinstance(replay.get("events"), list):
            raise RecordError(f"game {quote(name)}: expected a replay of cribbager, with events")
        games.append(_game(name, replay))
    return games


def _replays(text: str) -> Iterator[Any]:
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        found = _BETWEEN.match(text, at)
        at = found.end() if found else at
        if at == len(text):
            return
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise RecordError(f"not JSON: line {error.lineno}: {error.msg}") from error
        except RecursionError as error:
            raise RecordError("not JSON that can be read: it is nested too deeply") from error
        except ValueError as error:
            raise RecordError("not JSON that can be read: a number is too long") from error
        yield from value if isinstance(value, list) else [value]


def _game(name: str, replay: Mapping[str, Any]) -> ImportedGame:
    target = replay.get("target", WINNING_SCORE)
    if target != WINNING_SCORE:
        raise RecordError(
            f"game {quote(name)}: played to {quote(str(target))}, expected {WINNING_SCORE}"
        )
    deals, events = list[_Deal](), replay["events"]
    won = replay.get("winner")
    for number, fields in enumerate(events, 1):
        event = _Event(f"game {quote(name)}, deal {max(len(deals), 1)}, event {number}", fields)
        if event.kind == "hand_dealt":
            event.place = f"game {quote(name)}, deal {len(deals) + 1}, event {number}"
            deals.append(_Deal(len(deals) + 1, event))
        elif event.kind == "game_won":
            won = event.seat()
        elif event.kind in _Deal.KINDS:
            if not deals:
                raise event.error("no hand is dealt yet")
            deals[-1].take(event)
    winner = won if won in (0, 1) and not isinstance(won, bool) else None
    return ImportedGame(name, _players(replay), [deal.imported() for deal in deals], winner)


def _players(replay: Mapping[str, Any]) -> tuple[str, str]:
    seats = replay.get("seats")
    names = [
        (str(seat.get("name") or "").strip() if isinstance(seat, dict) else "") or f"Seat {at}"
        for at, seat in enumerate(seats if isinstance(seats, list) else [])
    ]
    first, second, *_ = chain(names, ("Seat 0", "Seat 1")[len(names) :], ("",))
    return distinct_players(first, second)


class _Event:
    """An event, whose fields may be anything JSON has."""

    def __init__(self, place: str, fields: Any) -> None:
        self.place = place
        self._fields = fields if isinstance(fields, dict) else {}
        kind = self._fields.get("type")
        self.kind = kind if isinstance(kind, str) else ""

    def seat(self, field: str = "seat") -> int:
        return self._number(field, (0, 1), "0 or 1")

    def points(self, field: str = "points") -> int:
        return self._number(field, range(1000), "points", missing=0)

    def cards(self, value: Any, count: int) -> list[int]:
        texts = value if isinstance(value, list) else []
        try:
            cards: list[int] = parse_cards(" ".join(map(str, texts)), count=count).tolist()
        except CardError as error:
            raise self.error(str(error)) from error
        return cards

    def field(self, name: str) -> Any:
        return self._fields.get(name)

    def error(self, why: str) -> RecordError:
        return RecordError(f"{self.place}, {self.kind}: {why}")

    def _number(
        self, field: str, known: tuple[int, ...] | range, what: str, missing: int | None = None
    ) -> int:
        value = self._fields.get(field, missing)
        if not isinstance(value, int) or isinstance(value, bool) or value not in known:
            raise self.error(f"{field!r} is {quote(repr(value))}: expected {what}")
        return value


class _Deal:
    """A deal, as the events tell it."""

    KINDS = (
        *("discarded", "starter_cut", "card_played", "go"),
        *("hand_shown", "crib_shown"),
    )

    def __init__(self, number: int, event: _Event) -> None:
        self.number = number
        self._dealer = event.seat("dealer")
        hands = event.field("hands")
        both = hands if isinstance(hands, list) and len(hands) == 2 else [None, None]
        self._hands = [event.cards(hand, 6) for hand in both]
        self._discards: list[list[int]] = [[], []]
        self._starter: list[int] = []
        self._heels: int | None = None
        self._play: list[str] = []
        self._pegged = [0, 0]
        self._shown: list[int | None] = [None, None]
        self._crib: int | None = None

    def take(self, event: _Event) -> None:
        """Take the event that comes next."""
        if event.kind == "discarded":
            self._discards[event.seat()] = event.cards(event.field("cards"), 2)
        elif event.kind == "starter_cut":
            self._starter = event.cards([event.field("card")], 1)
            self._heels = event.points()
        elif event.kind == "card_played":
            self._lay(event)
        elif event.kind == "go":
            self._pegged[event.seat()] += event.points()
        elif event.kind == "hand_shown":
            self._shown[event.seat()] = event.points("total")
        else:
            self._crib = event.points("total")

    def _lay(self, event: _Event) -> None:
        seat, points = event.seat(), event.points()
        (card,) = event.cards([event.field("card")], 1)
        if card not in self._hands[seat]:
            raise event.error(
                f"seat {seat} lays {format_cards([card])}, and was dealt "
                f"{format_cards(self._hands[seat])}"
            )
        self._pegged[seat] += points
        self._play.append(f"{format_cards([card])} ({event.points('count')}-{points})")

    def imported(self) -> ImportedDeal:
        """Return the deal; a seat without a discard has no hand."""
        hands = [
            format_cards(hand) if thrown else ""
            for hand, thrown in zip(self._hands, self._discards, strict=True)
        ]
        return ImportedDeal(
            number=self.number,
            dealer=self._dealer,
            hands=(hands[0], hands[1]),
            discards=(format_cards(self._discards[0]), format_cards(self._discards[1])),
            starter=format_cards(self._starter),
            play=" ".join(self._play),
            pegged=(self._pegged[0], self._pegged[1]) if len(self._play) == CARDS_LAID else None,
            hand_points=(self._shown[0], self._shown[1]),
            crib_points=self._crib,
            heels=self._heels,
        )
