"""The course of a game to 121, whoever deals and moves: its deals, its score, and what happened."""

from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias

from cribev.advice.decisions import Line
from cribev.app.games.errors import MoveError
from cribev.errors import quote
from cribev.game.deal import Deal, GameRecord, Held, Position
from cribev.game.play import PegKind, Play
from cribev.game.roles import Role
from cribev.game.score import WINNING_SCORE, Score
from cribev.game.show import Show

EventKind: TypeAlias = Literal[
    "cut",
    "deal",
    "discard",
    "starter",
    "lay",
    "go",
    "hand",
    "crib",
    "resign",
    "win",
]


@dataclass(frozen=True)
class GameEvent:
    """One thing that happened."""

    kind: EventKind
    """A card cut for the deal; six cards dealt to each by the dealer; two discarded; the starter; a
    card laid; a go said; a hand or the crib counted; the game given up, or won."""
    deal: int  # the number of the deal, from 1; 0 for a card cut before the first
    player: int  # who does it, 0 or 1
    cards: tuple[int, ...] = ()  # the cards that everybody sees with it
    count: int = 0  # the running count after a card, or at a go
    points: int = 0  # what is scored by it, though fewer may be needed to win
    scorer: int | None = None  # who scores it; None if it scores nothing
    pegs: tuple[tuple[PegKind, int], ...] = ()
    """What a card or a go scores for, and how many points."""
    show: Show | None = None  # how a hand or the crib counts
    score: tuple[int, int] = (0, 0)  # the points of both players after it, at most 121


class GameCourse:
    """A game between players 0 and 1, of which one deals first: what is so in every game."""

    def __init__(self) -> None:
        self.first_dealer = 0
        self.score = (0, 0)
        self.events: list[GameEvent] = []
        self.deals: list[Deal] = []
        self.hints: list[tuple[int, int, int]] = []
        self.winner: int | None = None
        self.resigned = False

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
        """Who deals the deal that is played."""
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
        return [one for one in self.events if one.deal == number and one.show is not None]

    @property
    def score_before(self) -> Score:
        """The score before the deal that is played."""
        return self.deal.score or Score(0, 0)

    def copy(self) -> Self:
        """Return a copy that goes on by itself."""
        copied = copy(self)
        copied.events, copied.deals, copied.hints = [*self.events], [*self.deals], [*self.hints]
        return copied

    def _verify_player(self, player: int) -> None:
        if player not in (0, 1):
            raise MoveError(f"invalid player {quote(repr(player))}: expected 0 or 1")

    def _player(self, role: Role) -> int:
        return self.dealer if role == "dealer" else 1 - self.dealer

    def _held(self, player: int) -> Held:
        return self.deal.held(self.role(player))

    def _note(self, kind: EventKind, player: int, **fields: Any) -> None:
        self.events.append(GameEvent(kind, len(self.deals), player, score=self.score, **fields))

    def _take_step(self, play: Play, at: int) -> None:
        """Note a card laid or a go, and score it."""
        step = play.steps[at]
        so_far = play if at + 1 == len(play.steps) else play.before(at + 1)
        self.deals[-1] = replace(self.deal, play=so_far)
        player, points = self._player(step.role), sum(peg.points for peg in step.pegs)
        scorer = self._player(step.pegs[0].role) if step.pegs else player
        cards = () if step.card is None else (step.card,)
        pegs = tuple((peg.kind, peg.points) for peg in step.pegs)
        fields = {"cards": cards, "count": step.count, "pegs": pegs}
        self._score("go" if step.card is None else "lay", player, points, scorer, **fields)

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

    def _win(self, player: int) -> None:
        self.winner = player
        self._note("win", player)


_PEG_WORDS: dict[str, str] = {
    "fifteen": "fifteen for 2",
    "thirty-one": "thirty-one for 2",
    "go": "1 for the go",
    "last": "1 for the last card",
}
_PAIR_WORDS = {2: "a pair for 2", 6: "three of a kind for 6", 12: "four of a kind for 12"}


def happened(event: GameEvent) -> Line:
    """Say what happened to player 0, text and cards in turn."""
    you, kind = event.player == 0, event.kind
    who, s, whose = ("You", "", "Your") if you else ("Your opponent", "s", "Your opponent’s")
    scorer = "you" if event.scorer == 0 else "your opponent"
    pegs = ", ".join(
        _PEG_WORDS.get(kind) or (_PAIR_WORDS[points] if kind == "pair" else f"a run for {points}")
        for kind, points in event.pegs
    )
    if kind in ("cut", "lay"):
        told = f": {event.count}{', ' * bool(pegs)}{pegs}" if kind == "lay" else ""
        verb = "play" if kind == "lay" else kind
        return [f"{who} {verb}{s} ", event.cards, *([told] if told else [])]
    if kind == "starter":
        two = f": {event.points} for heels, to {scorer}" if event.points else ""
        return ["The starter is ", event.cards, *([two] if two else [])]
    if kind == "go" and pegs and event.scorer == event.player:
        return [f"{who} peg{s} {pegs}"]
    if kind in ("hand", "crib"):
        told = event.show.spoken if event.show else str(event.points)
        return [f"{whose} {kind}: {told}"]
    said: dict[str, str] = {
        "deal": f"{who} deal{s}: the crib is {'yours' if you else whose[0].lower() + whose[1:]}",
        "discard": f"{who} discard{s} two cards to the crib",
        "go": f"{who} say{s} go" + (f": {pegs}, to {scorer}" if pegs else ""),
    }
    return [said.get(kind, f"{who} {kind}{s}")]
