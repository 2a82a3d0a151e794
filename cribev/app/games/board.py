"""A game at a real board, entered card by card as one player sees it, and where it is stored.

You enter a list of short texts, the entries. A game is its first dealer, its first score and its
entries. The page and the terminal ask for the same entries.
"""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, Literal, Self, TypeAlias

from cribev.app.games.course import EventKind, GameCourse, GameEvent
from cribev.app.games.database import (
    MOST_KEPT,
    Database,
    StoreError,
    database_path,
    require_room,
)
from cribev.app.games.errors import GameError, MoveError, TurnError
from cribev.app.games.game import parse_count
from cribev.errors import CribevError, quote
from cribev.game.cards import (
    DECK_SIZE,
    cards_meant,
    format_cards,
)
from cribev.game.deal import Deal, GameRecord, Held
from cribev.game.play import Play
from cribev.game.roles import ROLES, Role, as_role, opposite_role
from cribev.game.score import Score, heels
from cribev.game.show import Show, explain
from cribev.game.stakes import WIN_STAKES, Stakes

Asks: TypeAlias = Literal["hand", "discard", "starter", "card", "reply", "count", "crib", "over"]
"""What is entered next: six cards; two of them; the starter; a card of one's own, or of the
opponent; what a hand is counted for; the opponent's discard, once the crib is turned; nothing."""

NOT_SEEN = "-"
AS_COUNTED = "="
ADVICE = "?"  # the entry of who looked at the advice before choosing
ENDED = "end"  # the entry of who gives up, or leaves the board

_WANTED = {"hand": 6, "discard": 2, "crib": 2}


class BoardGame(GameCourse):
    """A game under way at a real board; player 0 enters it, and knows what that player sees.

    >>> game = BoardGame("pone")
    >>> for text in ("5H 5D JS QC 2H 8D", "2 8", "4C", "J"): game.enter(text)
    >>> game.asks, game.position(0).play.count, len(game.free)
    ('reply', 10, 45)
    """

    def __init__(self, role: Role = "dealer", score: tuple[int, int] = (0, 0)) -> None:
        super().__init__()
        self.first_dealer = 0 if as_role(role) == "dealer" else 1
        self.score = score
        self.entries: list[str] = []
        self.chosen: tuple[int, ...] = ()
        """The cards entered of six, or of the two that are asked for."""
        self._told = 0  # how many events there were before the last entry
        self.unseen = False  # whether the opponent's discard is not seen in this deal
        self.ended = False  # whether it ended before somebody had won
        self._deal()

    @classmethod
    def replay(cls, role: Role, score: tuple[int, int], entries: Iterable[str]) -> "BoardGame":
        """Enter a game again; `CribevError` at an entry that cannot be."""
        game = cls(role, score)
        for text in entries:
            game.enter(text)
        return game

    @property
    def asks(self) -> Asks:
        """What is entered next."""
        deal, held = self.deal, self._own
        if self.winner is not None or self.ended:
            return "over"
        if not held.discard:
            return "discard" if held.kept else "hand"
        if deal.starter is None:
            return "starter"
        if not deal.play.over:
            return "card" if self.position(0).to_do == "card" else "reply"
        seen = self.unseen or all(deal.held(role).discard for role in ROLES)
        return "count" if seen or self._counted < 2 else "crib"

    @property
    def free(self) -> tuple[int | None, ...]:
        """The cards that may be entered now, ascending; None where a go may be."""
        asks = self.asks
        if asks in ("starter", "card", "reply"):
            return self.position(0).may_follow
        if asks == "discard":
            return tuple(card for card in self._own.kept if card not in self.chosen)
        if asks not in _WANTED:
            return ()
        known = {*self.chosen, *self.known}
        return tuple(card for card in range(DECK_SIZE) if card not in known)

    @property
    def known(self) -> tuple[int, ...]:
        """The cards whose place is known in this deal: own, starter, and laid."""
        cut = self.deal.starter
        return (*self._own.dealt, *self.deal.play.laid, *(() if cut is None else (cut,)))

    @property
    def wanted(self) -> int:
        """How many cards are still to be entered before something else is asked."""
        return _WANTED.get(self.asks, 1) - len(self.chosen)

    @property
    def to_count(self) -> tuple[EventKind, int, Show | None]:
        """What is counted now: a hand or the crib, whose, and how; None for a crib not seen."""
        deal, cut = self.deal, self.deal.starter
        kind: EventKind = "crib" if self._counted == 2 else "hand"
        player = 1 - self.dealer if self._counted == 0 else self.dealer
        cards = deal.crib if kind == "crib" else deal.held(self.role(player)).kept
        if kind == "crib" and self.unseen:
            return kind, player, None
        return kind, player, explain(list(cards), cut, crib=kind == "crib")

    @property
    def record(self) -> GameRecord:
        """The deals that are whole, or by which the game ended, as far as they are known.

        Of a deal that was broken off the discard is told, and the play if all cards were played.
        """
        deals = self.deals if self.winner is not None or self.ended else self.deals[:-1]
        if self.ended and not self.deal.play.over:
            deals = [*deals[:-1], replace(self.deal, play=Play())]
        return replace(super().record, deals=tuple(deals))

    @property
    def can_end(self) -> bool:
        """Whether the game may end here: it goes on, and something in it can be graded."""
        return self.asks != "over" and any(deal.starter is not None for deal in self.deals)

    @property
    def writes_scores(self) -> bool:
        """Whether scores may go otherwise than the cards count: people miscount."""
        return True

    @property
    def question(self) -> str:
        """What is asked, in one line."""
        asks, left = self.asks, self.wanted
        if asks == "count":
            kind, player, show = self.to_count
            whose = "Your" if player == 0 else "Your opponent’s"
            if show is None:
                return f"What was {whose[0].lower()}{whose[1:]} {kind} counted for?"
            return f"{whose} {kind} counts {show.total}"
        more = f"{left} more" if self.chosen else ""
        return {
            "hand": f"Your six cards{': ' * bool(more)}{more}",
            "discard": f"Which two do you discard?{' ' * bool(more)}{more.capitalize()}",
            "starter": "Which card is cut?",
            "card": "Which card do you play?",
            "reply": "What does your opponent play?",
            "crib": f"Which two did your opponent discard?{' ' * bool(more)}{more.capitalize()}",
            "over": {0: "You won", 1: "You lost", None: "The game ended here"}[self.winner],
        }[asks]

    def enter(self, text: str) -> None:
        """Take an entry, as people write it; `CribevError` in one line if it cannot be.

        Cards are text, one or several; the opponent's go is "go"; "-" is a discard not seen; a
        count is a number, or "=" if it is as the cards count; "?" notes that advice was seen;
        "end" ends the game before somebody has won.
        """
        asks, word, told = self.asks, text.strip().lower(), len(self.events)
        if word == ADVICE:
            self._hint()
        elif asks == "over":
            raise TurnError("the game is over")
        elif word == ENDED:
            if not self.can_end:
                raise TurnError("no card is cut yet: there is nothing that can be reviewed")
            self.ended, self.chosen = True, ()
        elif asks == "count":
            word = self._count(word)
        elif asks == "crib" and word in (NOT_SEEN, "not seen"):
            self.unseen, self.chosen, word = True, (), NOT_SEEN
        elif asks in ("reply", "card") and word == "go":
            if None in self.free:
                self._go_on(None)
            elif not self._just_said_go():  # the only thing it could do is said already
                count = self.deal.play.count
                raise MoveError(f"your opponent cannot say go at a count of {count}")
        else:
            cards = self._read(text)
            word = format_cards(cards)
            if asks in _WANTED:
                self._choose(asks, (*self.chosen, *cards))
            else:
                self._go_on(cards[0])
        self.entries.append(word)
        self._told = told

    def copy(self) -> Self:
        """Return a copy that goes on by itself."""
        copied = super().copy()
        copied.entries = [*self.entries]
        return copied

    def without(self, card: str) -> tuple[str, ...]:
        """Return the entries with one of the cards that are chosen put back."""
        entries, taken = [*self.entries], list[str]()
        while len(taken) < len(self.chosen):
            taken = [*entries.pop().split(), *taken]
        return (*entries, *(one for one in taken if one != card))

    @property
    def news(self) -> list[GameEvent]:
        """What happened by the last entry."""
        return self.events[self._told :]

    @property
    def decides(self) -> tuple[int, int, int] | None:
        """What player 0 is to decide now, as `hints` has it; None if that is nothing."""
        if (asks := self.asks) not in ("discard", "card"):
            return None
        return self.deal.number, 0, -1 if asks == "discard" else len(self.deal.play.laid)

    @property
    def _own(self) -> Held:
        return self._held(0)

    @property
    def _counted(self) -> int:
        """How many hands of this deal are counted, the crib among them."""
        number = self.deal.number
        return sum(one.deal == number and one.kind in ("hand", "crib") for one in self.events)

    def _deal(self) -> None:
        self.deals.append(Deal(number=len(self.deals) + 1))
        self.deals[-1] = replace(self.deal, score=Score.of(*self.score, self.role(0)))
        self.unseen = False
        self._note("deal", self.dealer)

    def _hint(self) -> None:
        if (place := self.decides) is None:
            raise TurnError("there is nothing to decide now")
        if place not in self.hints:
            self.hints.append(place)

    def _read(self, text: str) -> tuple[int, ...]:
        """Read as many cards as may come now."""
        asks, free = self.asks, self.free
        own = asks in ("discard", "card")
        held = self._own.kept if asks == "discard" else self.deal.left(self.role(0))
        known = held if own else [card for card in free if card is not None]
        cards = cards_meant(text, known, count=None)
        for card in cards:
            if card not in free:
                why = self._why_not(card, held if own else ())
                raise MoveError(f"{Held((card,))} {why}")
        if len({*cards}) < len(cards):
            raise MoveError(f"a card comes twice in {quote(text.strip())}")
        if not 1 <= len(cards) <= self.wanted:
            many = "one card" if self.wanted == 1 else f"at most {self.wanted} cards"
            raise MoveError(f"expected {many}, got {quote(text.strip())}")
        return cards

    def _why_not(self, card: int, held: Sequence[int]) -> str:
        play = self.deal.play
        if card in self.chosen:
            return "is chosen already"
        if held and card not in held:
            return f"is not among your cards: {format_cards(held)}"
        if card == self.deal.starter:
            return "is the starter"
        if not held and card in self._own.dealt:
            return "is among your own cards"
        if card in play.laid:
            return "was played before"
        if not play.fits(card):
            return f"does not fit a count of {play.count}"
        return "cannot be: your opponent said go where it fits"

    def _choose(self, asks: Asks, cards: tuple[int, ...]) -> None:
        """Take cards of a hand, or of a discard, which is whole with the last of them."""
        self.chosen = cards
        if len(cards) < _WANTED[asks]:
            return
        self.chosen, role = (), self.role(0)
        if asks == "crib":
            theirs = opposite_role(role)
            held = Held.of(self.deal.held(theirs).kept, cards)
            self.deals[-1] = self.deal.with_held(theirs, held)
            return
        held = Held.of(cards) if asks == "hand" else self._own.of_deal(cards)
        self.deals[-1] = self.deal.with_held(role, held)
        if asks == "discard":
            self._note("discard", 0)

    def _go_on(self, card: int | None) -> None:
        """Take the starter, a card laid, or the opponent's go, and the goes that follow."""
        if self.deal.starter is None:
            assert card is not None
            self.deals[-1] = replace(self.deal, starter=card)
            self._score("starter", 1 - self.dealer, heels(card), self.dealer, cards=(card,))
            return
        before, play = len(self.deal.play.steps), self.position(0).then(card).play
        for at in range(before, len(play.steps)):
            if self.winner is None:
                self._take_step(play, at)
        if self.asks == "reply" and self.free == (None,):
            self._go_on(None)
        theirs = opposite_role(self.role(0))
        if not self.deal.play.left[theirs]:
            held = Held.of(self.deal.play.laid_by(theirs))
            self.deals[-1] = self.deal.with_held(theirs, held)

    def _just_said_go(self) -> bool:
        """Tell whether the opponent has said go since the last card."""
        gos = takewhile(lambda step: step.card is None, reversed(self.deal.play.steps))
        return any(step.role != self.role(0) for step in gos)

    def _count(self, word: str) -> str:
        """Count a hand for what it has, or for what its player said."""
        kind, player, show = self.to_count
        said = None if word == AS_COUNTED else parse_count(word)
        if said is None and show is None:
            raise MoveError("the crib was not seen: expected what it was counted for")
        points = show.total if said is None and show is not None else said or 0
        cards = self.deal.crib if kind == "crib" else self.deal.held(self.role(player)).kept
        self._score(kind, player, points, player, cards=cards, show=show, counted=said)
        if kind == "crib" and self.winner is None:
            self._deal()
        return AS_COUNTED if said is None else str(said)


@dataclass(frozen=True)
class StoredBoard:
    """A game at a board as it is kept."""

    role: Role  # of who enters it, in the first deal
    score: tuple[int, int]  # before the first deal, of who enters it first
    stakes: Stakes
    advice: bool  # whether advice is shown while the game is on
    at: str  # when it began, in UTC
    entries: tuple[str, ...] = ()

    def game(self, entries: int | None = None) -> BoardGame:
        """Return the game as it stood after a number of entries, or now."""
        return BoardGame.replay(self.role, self.score, self.entries[:entries])

    def to_text(self) -> str:
        """Write what the database has."""
        return json.dumps(
            {
                "format": 1,
                "role": self.role,
                "score": self.score,
                "stakes": self.stakes.name,
                "advice": self.advice,
                "at": self.at,
                "entries": self.entries,
            }
        )

    @classmethod
    def from_text(cls, text: str) -> "StoredBoard":
        """Read what the database has; `GameError` if it is not a game."""
        try:
            found: Any = json.loads(text)
            if found["format"] != 1:
                raise GameError(f"it has format {found['format']!r}, and 1 is known")
            datetime.fromisoformat(found["at"]).astimezone()  # as it is shown
            role = as_role(found["role"])
            score = Score.read(tuple(found["score"]), role).seen_by(role)
            entries = tuple(map(str, found["entries"]))
            stakes = Stakes.read(found["stakes"])
            return cls(role, score, stakes, found["advice"] is True, found["at"], entries)
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise GameError(f"the game cannot be read: {error}") from error


_BOARDS = """CREATE TABLE IF NOT EXISTS boards (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, over INTEGER NOT NULL,
    text TEXT NOT NULL)"""


class BoardStore:
    """Games at a board by secret names, in the database of games and practice."""

    def __init__(self, path: Path | None) -> None:
        """Use a database, of `database_path`."""
        self._database = Database(path)

    def begin(
        self,
        role: Role = "dealer",
        score: tuple[int, int] = (0, 0),
        stakes: Stakes = WIN_STAKES,
        *,
        advice: bool = False,
        entries: Sequence[str] = (),
    ) -> str:
        """Keep a new game, and return its name; `StoreError` if nothing can be kept."""
        over = BoardGame.replay(role, score, entries).asks == "over"
        at = datetime.now(UTC).isoformat(timespec="seconds")
        name = token_urlsafe(12)
        stored = StoredBoard(role, score, stakes, advice, at, tuple(entries))
        self.save(name, stored, over=over)
        return name

    def find(self, name: str) -> StoredBoard:
        """Return a game; `GameError` if there is none of that name."""
        with self._database.reading("boards") as database:
            query = "SELECT text FROM boards WHERE name = ?"
            found = database.execute(query, [name]).fetchone() if database else None
        if found is None:
            raise GameError(f"there is no game {quote(name)}")
        return StoredBoard.from_text(found[0])

    def save(self, name: str, stored: StoredBoard, *, over: bool) -> None:
        """Keep a game as it stands now, and whether it is over; `StoreError` if it cannot be."""
        with self._database.writing(_BOARDS) as database:
            query = "SELECT id FROM boards WHERE name = ?"
            if database.execute(query, [name]).fetchone() is None:
                require_room(database, "boards", "games at a board", most=MOST_KEPT)
            database.execute(
                "INSERT OR REPLACE INTO boards (name, over, text) VALUES (?, ?, ?)",
                [name, over, stored.to_text()],
            )

    def forget(self, name: str) -> None:
        """Remove a game; `StoreError` if that cannot be."""
        with self._database.writing(_BOARDS) as database:
            database.execute("DELETE FROM boards WHERE name = ?", [name])

    def latest(self, *, over: bool, most: int = 1) -> list[tuple[str, StoredBoard]]:
        """List games that are over, or go on, the latest touched first; none if unreadable."""
        kept = list[tuple[str, StoredBoard]]()
        with suppress(StoreError), self._database.reading("boards") as database:
            query = "SELECT name, text FROM boards WHERE over = ? ORDER BY id DESC LIMIT ?"
            found = database.execute(query, [over, most]).fetchall() if database else []
            for name, text in found:
                with suppress(CribevError):
                    kept.append((name, StoredBoard.from_text(text)))
        return kept


def local_boards() -> BoardStore:
    """Return the games at a board in the data folder of the user."""
    return _boards_at(database_path())


@lru_cache(1)
def _boards_at(path: Path | None) -> BoardStore:
    return BoardStore(path)
