"""What a player does in a game, as text and back."""

from typing import Literal, NamedTuple, TypeAlias, get_args

from cribev.errors import CribevError, quote
from cribev.game.cards import as_cards, format_cards

MoveKind: TypeAlias = Literal["discard", "lay", "next", "resign", "hint"]

_MOVE_KINDS: dict[str, MoveKind] = {kind: kind for kind in get_args(MoveKind)}


class Move(NamedTuple):
    """Something a player did; a game is its seed, its first dealer and its moves.

    >>> Move.parse("0 discard 2H 8D"), str(Move("lay", 1, (18,)))
    (Move(kind='discard', player=0, cards=(6, 29)), '1 lay 5H')
    """

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
            raise CribevError(f"{quote(text)} is no move: expected one as '0 discard 2H 8D'")
        return cls(_MOVE_KINDS[kind], int(player), tuple(as_cards(cards).tolist()))
