"""What one player sees of a game: made of nothing else, so that nothing else can be told."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from cribev.advice.position import KnownCards, PlayPosition
from cribev.errors import TurnError
from cribev.game.cards import format_cards
from cribev.game.play_notation import PlayStep
from cribev.game.roles import Role
from cribev.game.show import Show
from cribev.games.events import GameEvent

ToDo: TypeAlias = Literal["discard", "play", "next", "over", "wait"]
"""What a player is to do: throw two cards; lay one; see the show and go on; nothing, for the game
is over; or wait for the opponent."""


@dataclass(frozen=True)
class LaidCard:
    """A card laid, or a go, as one player sees it."""

    own: bool
    """Whether the player laid it."""
    card: int | None
    """None for a go."""
    count: int
    points: int
    """What it scores, for whoever it scores."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        card = "go" if self.card is None else format_cards([self.card])
        return {"you": self.own, "card": card, "count": self.count, "points": self.points}


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
    """What a player sees now; cards are numbers 0..51, and scores have the player's points first.

    >>> from cribev.games.game import Game
    >>> view = Game(7, dealer=0).view(1)
    >>> view.to_do, view.role, format_cards(view.hand)
    ('discard', 'pone', '3C 4D 6D 7C 7H 9H')
    """

    player: int
    """0 or 1."""
    to_do: ToDo
    number: int
    """The number of the deal, from 1."""
    role: Role
    score: tuple[int, int]
    score_before: tuple[int, int]
    """The score before this deal."""
    dealt: tuple[int, ...]
    """The six cards of this deal, ascending."""
    discard: tuple[int, ...]
    """The two cards thrown, ascending; none before."""
    hand: tuple[int, ...]
    """The cards still in hand, ascending."""
    legal: tuple[int, ...]
    """The cards that can be laid now."""
    starter: int | None
    crib: int
    """How many cards lie in the crib."""
    opponent_left: int
    """How many cards the opponent holds."""
    count: int
    """The running count."""
    on_table: tuple[int, ...]
    """The cards laid since the count began."""
    laid: tuple[LaidCard, ...]
    """The cards laid in this deal, and the goes, in turn."""
    steps: tuple[PlayStep, ...]
    """The same by role and rank, as `cribev.peg` tells a play."""
    shown: tuple[ShownHand, ...]
    """The hands of this deal that are counted, and the crib, in turn."""
    events: tuple[GameEvent, ...]
    """What has happened in the game."""
    won: bool | None
    """Whether the player has won; None while the game goes on."""
    resigned: bool
    """Whether the game was given up."""

    @cached_property
    def position(self) -> PlayPosition:
        """The play as the player knows it; `TurnError` before the cut.

        >>> from cribev.games.game import Game
        >>> Game(7, dealer=0).view(0).position
        Traceback (most recent call last):
        cribev.errors.TurnError: the play has not begun: the discards come first
        """
        if self.starter is None:
            raise TurnError("the play has not begun: the discards come first")
        kept = [card for card in self.dealt if card not in self.discard]
        cards = (kept, self.discard, [self.starter])
        return PlayPosition(
            self.role,
            tuple(card >> 2 for card in kept),
            self.steps,
            tuple(card >> 2 for card in self.discard),
            self.starter >> 2,
            KnownCards(*(np.array(some, dtype=np.uint8) for some in cards)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON.

        >>> from cribev.games.game import Game
        >>> found = Game(7, dealer=0).view(0).to_dict()
        >>> found["to_do"], found["score"], found["hand"]
        ('discard', [0, 0], ['3H', '5C', '6S', '8H', '8S', 'KC'])
        """
        return {
            "to_do": self.to_do,
            "deal": self.number,
            "role": self.role,
            "score": list(self.score),
            "score_before": list(self.score_before),
            "dealt": format_cards(self.dealt).split(),
            "discard": format_cards(self.discard).split(),
            "hand": format_cards(self.hand).split(),
            "legal": format_cards(self.legal).split(),
            "starter": None if self.starter is None else format_cards([self.starter]),
            "crib": self.crib,
            "opponent_left": self.opponent_left,
            "count": self.count,
            "on_table": format_cards(self.on_table).split(),
            "laid": [one.to_dict() for one in self.laid],
            "shown": [one.to_dict() for one in self.shown],
            "won": self.won,
            "resigned": self.resigned,
        }
