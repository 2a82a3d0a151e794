"""The cards of one deal of a game: drawn by its seed, and what was done with them."""

from dataclasses import dataclass

from cribev.errors import CribevError, quote
from cribev.game.cards import random_hands
from cribev.game.play_notation import PlayStep
from cribev.game.roles import Role, role_of
from cribev.games.events import GameEvent
from cribev.games.view import LaidCard

_DRAWN = 13  # cards drawn of a deck: six for the dealer, six for pone, the starter


@dataclass(frozen=True)
class PlayedDeal:
    """The cards of one deal, and what was done with them; pairs are by player."""

    number: int
    """From 1."""
    dealer: int
    score: tuple[int, int]
    """Before it."""
    hands: tuple[tuple[int, ...], tuple[int, ...]]
    """Six cards each, ascending."""
    cut: int
    """The card that will be the starter."""
    discards: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    """Two cards each, ascending; none before they are thrown."""
    steps: tuple[PlayStep, ...] = ()
    laid: tuple[LaidCard, ...] = ()
    """The cards laid and the goes, as player 0 sees them."""
    shown: tuple[GameEvent, ...] = ()
    """The hands and the crib that were counted."""
    hints: tuple[tuple[int, int], ...] = ()
    """Where a player asked what to do: the player, and how many cards were laid, -1 for the
    discard."""

    @property
    def starter(self) -> int | None:
        """The card cut; None before the discards."""
        return self.cut if all(self.discards) else None

    def role(self, player: int) -> Role:
        """Return the role of a player."""
        return role_of(player == self.dealer)

    def player(self, role: Role) -> int:
        """Return who has a role."""
        return self.dealer if role == "dealer" else 1 - self.dealer

    def kept(self, player: int) -> tuple[int, ...]:
        """Return the cards of a player that are not thrown, laid or not, ascending."""
        return tuple(card for card in self.hands[player] if card not in self.discards[player])

    def left(self, player: int) -> tuple[int, ...]:
        """Return the cards a player holds now, ascending."""
        laid = {one.card for one in self.laid}
        return tuple(card for card in self.kept(player) if card not in laid)


def draw_cards(seed: int, number: int) -> tuple[int, ...]:
    """Draw the 13 cards of a deal, or those of the cut for deal, which is number 0.

    The dealer's six come first, then pone's, then the starter. `CribevError` if the
    seed is no whole number from 0 up.

    >>> draw_cards(7, 1) == draw_cards(7, 1), len({*draw_cards(7, 1)})
    (True, 13)
    """
    if type(seed) is not int or seed < 0:
        raise CribevError(f"{quote(repr(seed))} is no seed: expected a whole number from 0 up")
    return tuple(random_hands(number + 1, cards=_DRAWN, seed=seed)[number].tolist())
