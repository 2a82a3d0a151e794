"""What happens in a game, and what one player sees of it: made of nothing else.

So nothing else can be told: no event names a card that is not shown.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from cribev.game.cards import format_cards
from cribev.game.deal import Position
from cribev.game.play import PegKind, Step
from cribev.game.roles import Role
from cribev.game.show import Show

EventKind: TypeAlias = Literal[
    "cut", "deal", "discard", "starter", "lay", "go", "hand", "crib", "resign", "win"
]
Doing: TypeAlias = Literal["discard", "play", "next", "over", "wait"]
"""What a player is to do: discard two cards; lay one; see the show and go on; nothing, for the game
is over; or wait for the opponent."""


@dataclass(frozen=True)
class GameEvent:
    """One thing that happened."""

    kind: EventKind
    """A card cut for the deal; six cards dealt to each by the dealer; two thrown; the starter; a
    card laid; a go said; a hand or the crib counted; the game given up, or won."""
    deal: int
    """The number of the deal, from 1; 0 for a card cut before the first."""
    player: int
    """Who does it, 0 or 1."""
    cards: tuple[int, ...] = ()
    """The cards that everybody sees with it."""
    count: int = 0
    """The running count after a card, or at a go."""
    points: int = 0
    """What is scored by it, though fewer may be needed to win."""
    scorer: int | None = None
    """Who scores it; None if it scores nothing."""
    pegs: tuple[tuple[PegKind, int], ...] = ()
    """What a card or a go scores for, and how many points."""
    show: Show | None = None
    """How a hand or the crib counts."""
    score: tuple[int, int] = (0, 0)
    """The points of both players after it, at most 121."""

    def to_dict(self, player: int) -> dict[str, Any]:
        """Return it as plain values, ready for JSON, as one of the players sees it.

        >>> GameEvent("lay", 1, 0, (18,), 15, 2, 0, (("fifteen", 2),), None, (2, 7)).to_dict(1)
        {'kind': 'lay', 'deal': 1, 'you': False, 'cards': ['5H'], 'count': 15, 'points': 2,
        'for_you': False, 'pegs': [['fifteen', 2]], 'score': [7, 2]}
        """
        found: dict[str, Any] = {
            "kind": self.kind,
            "deal": self.deal,
            "you": self.player == player,
            "cards": format_cards(self.cards).split(),
        }
        if self.kind in ("lay", "go"):
            found["count"] = self.count
        if self.scorer is not None:
            found |= {"points": self.points, "for_you": self.scorer == player}
        if self.pegs:
            found["pegs"] = [list(peg) for peg in self.pegs]
        if self.show is not None:
            found["spoken"] = self.show.spoken
        return found | {"score": [self.score[player], self.score[1 - player]]}


class ShownHand(NamedTuple):
    """A hand or the crib that is shown and counted."""

    own: bool
    """Whether its points are the player's."""
    crib: bool
    show: Show

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {"you": self.own, "what": "crib" if self.crib else "hand", **self.show.to_dict()}


@dataclass(frozen=True)
class GameView:
    """What a player sees now; scores have the player's points first.

    >>> from cribev.games.game import Game
    >>> view = Game(7, dealer=0).view(1)
    >>> view.to_do, str(view.position), view.opponent_left
    ('discard', 'pone:3C4D6D7C7H9H@0-0', 6)
    """

    player: int
    """0 or 1."""
    to_do: Doing
    number: int
    """The number of the deal, from 1."""
    position: Position
    """The deal as the player knows it, with the score before it while the game goes on."""
    score: tuple[int, int]
    score_before: tuple[int, int]
    """The score before this deal."""
    crib: int
    """How many cards lie in the crib."""
    opponent_left: int
    """How many cards the opponent holds."""
    shown: tuple[ShownHand, ...]
    """The hands of this deal that are counted, and the crib, in turn."""
    events: tuple[GameEvent, ...]
    """What has happened in the game."""
    won: bool | None
    """Whether the player has won; None while the game goes on."""
    resigned: bool
    """Whether the game was given up."""

    @property
    def role(self) -> Role:
        """The player's role."""
        return self.position.role

    @property
    def legal(self) -> tuple[int, ...]:
        """The cards that can be laid now."""
        return self.position.legal if self.to_do == "play" else ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON.

        >>> from cribev.games.game import Game
        >>> found = Game(7, dealer=0).view(0).to_dict()
        >>> found["to_do"], found["score"], found["hand"]
        ('discard', [0, 0], ['3H', '5C', '6S', '8H', '8S', 'KC'])
        """
        known, play = self.position, self.position.play
        return {
            "to_do": self.to_do,
            "deal": self.number,
            "role": self.role,
            "score": list(self.score),
            "score_before": list(self.score_before),
            "dealt": format_cards(known.held.dealt).split(),
            "discard": format_cards(known.held.discard).split(),
            "hand": format_cards(known.left).split(),
            "legal": format_cards(self.legal).split(),
            "starter": None if known.starter is None else format_cards([known.starter]),
            "crib": self.crib,
            "opponent_left": self.opponent_left,
            "count": play.count,
            "on_table": format_cards(play.on_table).split(),
            "laid": [self._step_dict(step) for step in play.steps],
            "shown": [one.to_dict() for one in self.shown],
            "won": self.won,
            "resigned": self.resigned,
        }

    def _step_dict(self, step: Step) -> dict[str, Any]:
        points = sum(peg.points for peg in step.pegs)
        own = step.role == self.role
        return {"you": own, "card": step.text, "count": step.count, "points": points}
