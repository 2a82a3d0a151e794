"""What happens in a game, as both players see it: no event names a card that is not shown."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from cribev.game.cards import format_cards
from cribev.game.play import PegKind
from cribev.game.show import Show

EventKind: TypeAlias = Literal[
    "cut", "deal", "discard", "starter", "lay", "go", "hand", "crib", "resign", "win"
]


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
