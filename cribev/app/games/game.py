"""One game to 121, by the rules: its state, the legal moves, and what follows automatically.

From the rules of the American Cribbage Congress (https://www.cribbage.org/rules): the lower cut
deals first, the deal alternates, pone cuts and the dealer scores two for a jack, pone's hand is
counted before the dealer's and the crib last. A player who reaches 121 wins at once.

The cards depend only on the seed, and not on what is discarded and played. As in duplicate bridge,
everyone who plays a seed gets the same cards, and so do their opponents. Anyone who knows the seed
knows every card. A seed typed by a person is short and can be guessed; one drawn by `draw_seed`
cannot.
"""

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from hashlib import blake2b
from secrets import randbits
from typing import Any, Literal, NamedTuple, Self, TypeAlias, get_args

from cribev.app.games.course import EventKind, GameEvent
from cribev.errors import CribevError, quote
from cribev.game.cards import DECK_SIZE, CardsLike, as_cards, format_cards, random_hands
from cribev.game.deal import Deal, GameRecord, Held, Position
from cribev.game.play import Play
from cribev.game.roles import ROLES, Role
from cribev.game.score import WINNING_SCORE, Score, heels, skunks
from cribev.game.show import explain


class MoveError(CribevError):
    """A move that is against the rules of the game."""


class TurnError(MoveError):
    """A move that is not to be made now."""


class GameError(CribevError):
    """A game that is not there, or cannot be read."""


Phase: TypeAlias = Literal["discard", "play", "next", "over"]
"""The step a game waits for: the discards; a card; that the show is seen; or it is over."""

MoveKind: TypeAlias = Literal["discard", "play", "next", "resign", "hint"]

Doing: TypeAlias = Literal["discard", "play", "next", "over", "wait"]
"""The step a player is to take: discard two cards; play one; see the show and go on; nothing, for
the game is over; or wait for the opponent."""

PLAYER, EXPERT = 0, 1  # who is who in a game against a level: player 0 is a person

SECRET_BITS = 128  # how many bits of a drawn seed nobody can guess
MAX_SEED = 2 ** (SECRET_BITS + 1)
"""Seeds are below this; those that are drawn have its highest bit, so that they are no others."""

_SHORT_SEED = 2**64  # seeds below deal as they always did
_DRAWN = 13  # cards drawn of a deck: six for the dealer, six for pone, the starter
_MOVE_KINDS: dict[str, MoveKind] = {kind: kind for kind in get_args(MoveKind)}


class Move(NamedTuple):
    """Something a player did; a game is its seed, its first dealer and its moves."""

    kind: MoveKind
    player: int
    cards: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.player} {self.kind} {format_cards(self.cards)}".rstrip()

    @classmethod
    def parse(cls, text: str) -> "Move":
        """Read what ``str`` writes; `CribevError` if it is something else."""
        player, _, rest = text.partition(" ")
        kind, _, cards = rest.partition(" ")
        if player not in ("0", "1") or kind not in _MOVE_KINDS:
            raise CribevError(f"invalid move {quote(text)}: expected one as '0 discard 2H 8D'")
        return cls(_MOVE_KINDS[kind], int(player), tuple(as_cards(cards).tolist()))


class Game:
    """A game between players 0 and 1, as nobody but the rules sees it.

    A seed deals the cards and cuts for the deal; with another ``dealer`` it is the other end of
    it: each gets the cards the other had. With ``play_out`` the deal in which somebody wins is
    played and counted to its end, so that points a deal compare; the score stays as it was when the
    game was won. ``hints`` says where a player asked what to do: the number of the deal, the
    player, and how many cards were played, -1 for the discard.
    """

    def __init__(self, seed: int, *, dealer: int | None = None, play_out: bool = False) -> None:
        if dealer not in (None, 0, 1):
            raise CribevError(f"invalid dealer {quote(repr(dealer))}: expected 0 or 1")
        cut = draw_cards(seed, 0)
        self.seed, self.play_out = seed, play_out
        self.first_dealer, self.score = 0, (0, 0)
        self.events: list[GameEvent] = []
        self.deals: list[Deal] = []
        self.hints: list[tuple[int, int, int]] = []
        self.winner: int | None = None
        self.resigned = False
        self.phase: Phase = "discard"
        self.moves: list[Move] = []
        self.first_dealer = self._cut_for_deal(cut) if dealer is None else dealer
        self._deal()

    @classmethod
    def replay(cls, seed: int, moves: Iterable[Move], *, dealer: int | None = None) -> "Game":
        """Play a game again; `MoveError` if one of the moves is against the rules."""
        game = cls(seed, dealer=dealer)
        for move in moves:
            game.make(move)
        return game

    @property
    def deal(self) -> Deal:
        """The deal that is played."""
        return self.deals[-1]

    @property
    def record(self) -> GameRecord:
        """The game as a record, with the cards of both: for a game that is over."""
        winner = None if self.resigned else self.winner
        return GameRecord(("0", "1"), tuple(self.deals), self.first_dealer, winner)

    @property
    def dealer(self) -> int:
        """The dealer of the deal that is played."""
        return (self.first_dealer + len(self.deals) - 1) % 2

    def role(self, player: int) -> Role:
        """Return the role of a player in the deal that is played."""
        return "dealer" if player == self.dealer else "pone"

    def position(self, player: int) -> Position:
        """Return the deal as a player knows it, with the score before it while the game goes on."""
        self._verify_player(player)
        known = self.deal if self.winner is None else replace(self.deal, score=None)
        return known.seen_by(self.role(player))

    @property
    def shown(self) -> list[GameEvent]:
        """The hands of this deal that are counted, and the crib, in turn."""
        number = self.deal.number
        return [event for event in self.events if event.deal == number and event.show is not None]

    @property
    def skunks(self) -> int:
        """Behind how many lines the loser is, see `cribev.game.score.skunks`; resigned, none."""
        return 0 if self.winner is None or self.resigned else skunks(min(self.score))

    @property
    def reviewable(self) -> bool:
        """Whether it is over, and something was done in it that can be graded."""
        return self.winner is not None and any(deal.starter is not None for deal in self.deals)

    @property
    def turn(self) -> int | None:
        """The player who is to play a card; None if nobody is."""
        return self._player(self.deal.play.turn) if self.phase == "play" else None

    def legal(self, player: int) -> tuple[int, ...]:
        """Return the cards that a player can play now, ascending."""
        if self.turn != player:
            return ()
        return self.deal.play.legal(self.deal.left(self.role(player)))

    def to_do(self, player: int) -> Doing:
        """Return what a player is to do."""
        if self.phase == "discard":
            return "wait" if self._held(player).discard else "discard"
        if self.phase == "play":
            return "play" if self.turn == player else "wait"
        return self.phase

    def discard(self, player: int, cards: CardsLike) -> None:
        """Discard two cards to the crib, as text or numbers; after the second comes the cut."""
        self._verify_player(player)
        if self.phase != "discard":
            raise TurnError(f"there is nothing to discard: {self._waits_for()}")
        if done := self._held(player).discard:
            raise TurnError(f"you have discarded {format_cards(done)}")
        chosen = _among(cards, self._held(player).dealt, 2)
        held = Held(self._held(player).without(chosen), chosen)
        self.deals[-1] = self.deal.with_held(self.role(player), held)
        self.moves.append(Move("discard", player, chosen))
        self._note("discard", player)
        if self.deal.pone.discard and self.deal.dealer.discard:
            cut = draw_cards(self.seed, self.deal.number)[12]
            self.deals[-1] = replace(self.deal, starter=cut)
            self.phase = "play"
            self._score("starter", 1 - self.dealer, heels(cut), self.dealer, cards=(cut,))

    def play(self, player: int, card: CardsLike | int) -> None:
        """Play a card, as text or its number; goes and the show follow by themselves."""
        self._verify_player(player)
        if self.turn is None:
            raise TurnError(f"there is no card to play: {self._waits_for()}")
        if self.turn != player:
            raise TurnError("it is not your turn: the opponent is to play a card")
        cards: CardsLike = [card] if isinstance(card, int) else card
        (chosen,) = _among(cards, self.deal.left(self.role(player)), 1)
        if chosen not in self.legal(player):
            fits = format_cards(self.legal(player))
            raise MoveError(
                f"{format_cards([chosen])} does not fit a count of {self.deal.play.count}: "
                f"expected one of {fits}"
            )
        self.moves.append(Move("play", player, (chosen,)))
        before = len(self.deal.play.steps)
        play = self.deal.play.play(chosen)
        left = {role: play.left_of(self.deal.held(role).kept, role) for role in ROLES}
        play = play.go_while_stuck(left)
        for index in range(before, len(play.steps)):
            if self.phase == "play":  # nobody says go after the last point, unless it is played out
                self._take_step(play, index)
        if self.phase == "play" and self.deal.play.over:
            self._show()

    def next_deal(self, player: int) -> None:
        """Go on to the next deal; `TurnError` if this one is not over, or the game is."""
        self._verify_player(player)
        if self.phase != "next":
            raise TurnError(f"there is no next deal yet: {self._waits_for()}")
        self.moves.append(Move("next", player))
        self._deal()

    def resign(self, player: int) -> None:
        """Give the game up; `TurnError` if it is won already."""
        self._verify_player(player)
        if self.winner is not None:  # its last deal may still be played out
            raise TurnError("the game is over")
        self.moves.append(Move("resign", player))
        self.resigned = True
        self._note("resign", player)
        self._win(1 - player)

    def hint(self, player: int) -> None:
        """Note that a player asks what to do; `TurnError` if there is nothing to decide."""
        self._verify_player(player)
        if (place := self._decision(player)) is None:
            raise TurnError(f"there is nothing to decide: {self._waits_for()}")
        if place not in self.hints:
            self.moves.append(Move("hint", player))
            self.hints.append(place)

    def is_hinted(self, player: int) -> bool:
        """Return whether a player has asked what to do now."""
        return self._decision(player) in self.hints

    def _decision(self, player: int) -> tuple[int, int, int] | None:
        """Return what a player is to decide, as `hints` has it; None if that is nothing."""
        played = -1 if self.phase == "discard" else len(self.deal.play.played)
        decides = self.to_do(player) in ("discard", "play")
        return (self.deal.number, player, played) if decides else None

    def make(self, move: Move) -> None:
        """Do what a move says; `MoveError` if it is against the rules."""
        kind, player, cards = move
        arguments = (cards,) if kind in ("discard", "play") else ()
        getattr(self, "next_deal" if kind == "next" else kind)(player, *arguments)

    def copy(self) -> Self:
        """Return a copy that goes on by itself."""
        copied = copy(self)
        copied.events, copied.deals = [*self.events], [*self.deals]
        copied.hints, copied.moves = [*self.hints], [*self.moves]
        return copied

    def __repr__(self) -> str:
        does = {"discard": "to discard", "next": "show", "over": f"{self.winner} has won"}
        doing = does.get(self.phase, f"{self.turn} to play")
        score = f"{self.score[0]}-{self.score[1]}"
        seed = self.seed if self.seed < _SHORT_SEED else "drawn"
        return f"<Game {seed}: deal {self.deal.number}, score {score}, {doing}>"

    def _verify_player(self, player: int) -> None:
        if player not in (0, 1):
            raise MoveError(f"invalid player {quote(repr(player))}: expected 0 or 1")

    def _player(self, role: Role) -> int:
        return self.dealer if role == "dealer" else 1 - self.dealer

    def _held(self, player: int) -> Held:
        return self.deal.held(self.role(player))

    def _note(self, kind: EventKind, player: int, **fields: Any) -> None:
        self.events.append(GameEvent(kind, len(self.deals), player, score=self.score, **fields))

    def _take_step(self, play: Play, index: int) -> None:
        """Note a card played or a go, and score it."""
        step = play.steps[index]
        so_far = play if index + 1 == len(play.steps) else play.before(index + 1)
        self.deals[-1] = replace(self.deal, play=so_far)
        player, points = self._player(step.role), sum(peg.points for peg in step.pegs)
        scorer = self._player(step.pegs[0].role) if step.pegs else player
        cards = () if step.card is None else (step.card,)
        pegs = tuple((peg.kind, peg.points) for peg in step.pegs)
        fields = {"cards": cards, "count": step.count, "pegs": pegs}
        self._score("go" if step.card is None else "play", player, points, scorer, **fields)

    def _score(self, kind: EventKind, player: int, points: int, scorer: int, **fields: Any) -> None:
        """Return what happens, with its points; whoever has 121 by it has won."""
        won = self.winner is not None
        score = [*self.score]
        if not won:
            score[scorer] = min(WINNING_SCORE, score[scorer] + points)
        self.score = (score[0], score[1])
        if points:
            fields |= {"points": points, "scorer": scorer}
        self._note(kind, player, **fields)
        if not won and score[scorer] == WINNING_SCORE:
            self._win(scorer)

    def _waits_for(self) -> str:
        return {
            "discard": "the discards come first",
            "play": "the play goes on",
            "next": "the deal is over, and the next one comes",
            "over": "the game is over",
        }[self.phase]

    def _cut_for_deal(self, cards: tuple[int, ...]) -> int:
        """Cut until two ranks differ, and return who has the lower; six ties go by suit."""
        pairs = list(zip(cards[::2], cards[1::2], strict=False))
        for pair in pairs:
            for player, card in enumerate(pair):
                self._note("cut", player, cards=(card,))
            if pair[0] >> 2 != pair[1] >> 2:
                break
        return int(pair[1] < pair[0])

    def _deal(self) -> None:
        number = len(self.deals) + 1
        cards = draw_cards(self.seed, number)
        deal = Deal(Held(cards[6:12]), Held(cards[:6]), number=number)
        self.deals.append(deal)  # who deals goes by how many there are
        self.deals[-1] = replace(deal, score=Score.of(*self.score, self.role(0)))
        self.phase = "discard"
        self._note("deal", self.dealer)

    def _show(self) -> None:
        """Count pone's hand, the dealer's, and the crib, until somebody has won."""
        deal, starter = self.deal, self.deal.starter
        hands: tuple[tuple[EventKind, int, tuple[int, ...]], ...] = (
            ("hand", 1 - self.dealer, deal.pone.kept),
            ("hand", self.dealer, deal.dealer.kept),
            ("crib", self.dealer, deal.crib),
        )
        for kind, player, cards in hands:
            if self.winner is None or self.play_out:
                show = explain(list(cards), starter, crib=kind == "crib")
                self._score(kind, player, show.total, player, cards=cards, show=show)
        self.phase = "next" if self.winner is None else "over"

    def _win(self, player: int) -> None:
        self.winner = player
        self._note("win", player)
        if self.resigned or not self.play_out:
            self.phase = "over"


def _among(cards: CardsLike, held: tuple[int, ...], number: int) -> tuple[int, ...]:
    """Return a number of cards, ascending, if they are held."""
    try:
        chosen = sorted(as_cards(cards, count=number).tolist())
    except CribevError as error:
        raise MoveError(str(error)) from error
    for card in chosen:
        if card not in held:
            raise MoveError(f"{format_cards([card])} is not among your cards: {format_cards(held)}")
    return tuple(chosen)


def draw_seed() -> int:
    """Draw a seed that nobody can guess, from the source the system has for secrets."""
    return 1 << SECRET_BITS | randbits(SECRET_BITS)


def draw_cards(seed: int, number: int) -> tuple[int, ...]:
    """Draw the 13 cards of a deal, dealer's, pone's, starter, or of the cut for deal, number 0."""
    if type(seed) is not int or not 0 <= seed < MAX_SEED:
        expected = "expected a whole number from 0 up, below 2**129"
        raise CribevError(f"invalid seed {quote(repr(seed), most=60)}: {expected}")
    if seed < _SHORT_SEED:
        hands = random_hands(number + 1, cards=_DRAWN, seed=seed)
        return tuple(hands[number].tolist())
    drawn, deck, cards = _keyed(seed, b"cards", number), [*range(DECK_SIZE)], list[int]()
    for _ in range(_DRAWN):  # 2**512 of them, for 2**72 ways: every way is as likely
        drawn, place = divmod(drawn, len(deck))
        cards.append(deck.pop(place))
    return tuple(cards)


def choice_seed(seed: int, number: int) -> int | list[int]:
    """Return the seed of the expert's next choice: it tells no card."""
    return [seed, number] if seed < _SHORT_SEED else _keyed(seed, b"choices", number)


def _keyed(seed: int, what: bytes, number: int) -> int:
    """Derive 512 bits of a seed by a keyed hash: none tell the seed, or those of another use."""
    key = seed.to_bytes(SECRET_BITS // 8 + 1, "big")
    digest = blake2b(number.to_bytes(8, "big"), key=key, person=what).digest()
    return int.from_bytes(digest, "big")
