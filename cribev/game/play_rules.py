"""The rules of the play: who pegs what for what as cards are laid.

From the rules of the American Cribbage Congress (https://www.cribbage.org/rules), rule 7. Pone
leads, and the count runs to 31. Two points for 15 and for 31; two, six and twelve for pairs; a
point a card for runs of the last cards laid, three or more in any order; one for the go or the
last card. Suits never matter.
"""

from collections.abc import Iterable, Mapping
from copy import copy

from cribev.errors import RecordError
from cribev.game.cards import PIP_VALUES, RANKS
from cribev.game.play import LIMIT, Peg, points_for_last_card
from cribev.game.roles import ROLES, Role, opposite_role


class PlayState:
    """A play as it stands, and the moves that may follow.

    `hands` are the ranks each keeps, 0..12. Without them any card may turn up, and a go is believed
    where some card would not fit; `cards` says how many each keeps then.

    >>> play = PlayState()
    >>> [play.lay(rank) for rank in (4, 9)]  # a five, and a ten on it
    [[], [Peg(role='dealer', kind='fifteen', points=2, cards=2)]]
    >>> play.turn, play.count, play.points
    ('pone', 15, {'dealer': 2, 'pone': 0})
    >>> play.go()
    Traceback (most recent call last):
    cribev.errors.RecordError: pone cannot say go at a count of 15: any card fits
    """

    def __init__(
        self, hands: Mapping[Role, Iterable[int]] | None = None, *, cards: int = 4
    ) -> None:
        self.hands = None if hands is None else {role: list(hands[role]) for role in ROLES}
        self.turn: Role = "pone"
        """Who is to lay a card or say go."""
        self.laid: list[int] = []
        """Ranks laid since the count began; `count` is what they add up to."""
        self.count = 0
        self.left: dict[Role, int] = dict.fromkeys(ROLES, cards)
        if self.hands is not None:
            self.left = {role: len(self.hands[role]) for role in ROLES}
        self.points: dict[Role, int] = dict.fromkeys(ROLES, 0)
        self._alone = False  # whether the other has said go
        self._last: Role = "pone"  # who laid last

    @property
    def over(self) -> bool:
        """Whether all cards are laid."""
        return not (self.left["pone"] or self.left["dealer"])

    def can_lay(self) -> bool:
        """Tell whether the player to move has a card that fits, or may have one."""
        return bool(self.legal)

    @property
    def legal(self) -> list[int]:
        """The ranks that the player to move can lay, or may have, ascending; with none it is go.

        >>> play = PlayState({"pone": [9, 9, 6, 0], "dealer": [9, 10, 11, 12]})
        >>> for rank in (9, 10, 6):
        ...     _ = play.lay(rank)
        >>> play.turn, play.count, play.legal
        ('dealer', 27, [])
        """
        if not self.left[self.turn]:
            return []
        held = range(len(RANKS)) if self.hands is None else sorted({*self.hands[self.turn]})
        return [rank for rank in held if self.count + PIP_VALUES[rank] <= LIMIT]

    def copy(self) -> "PlayState":
        """Return a copy that goes on by itself.

        >>> play = PlayState({"pone": [4, 4], "dealer": [9, 9]})
        >>> after = play.copy()
        >>> _ = after.lay(4)
        >>> play.turn, play.hands["pone"], after.turn, after.hands["pone"]
        ('pone', [4, 4], 'dealer', [4])
        """
        copied = copy(self)
        if self.hands is not None:
            copied.hands = {role: list(held) for role, held in self.hands.items()}
        copied.laid, copied.left, copied.points = [*self.laid], {**self.left}, {**self.points}
        return copied

    def lay(self, rank: int) -> list[Peg]:
        """Lay a card, and return what it pegs.

        Raises `RecordError` if it does not fit, is not in hand, or the play is over.

        >>> play = PlayState({"pone": [9, 9, 9, 9], "dealer": [10, 0, 0, 0]})
        >>> play.lay(9), play.lay(10), play.lay(9)
        ([], [], [])
        >>> play.lay(10)
        Traceback (most recent call last):
        cribev.errors.RecordError: dealer has no J left: A A A
        """
        who = self.turn
        if self.over:
            raise RecordError(f"{RANKS[rank]} cannot be laid: all cards are")
        if self.hands is not None and rank not in self.hands[who]:
            held = " ".join(RANKS[held] for held in sorted(self.hands[who]))
            raise RecordError(f"{who} has no {RANKS[rank]} left: {held or 'nothing'}")
        if not self.left[who]:
            raise RecordError(f"{RANKS[rank]} cannot be laid: {who} has no cards left")
        if self.count + PIP_VALUES[rank] > LIMIT:
            raise RecordError(f"{RANKS[rank]} does not fit a count of {self.count}")
        if self.hands is not None:
            self.hands[who].remove(rank)
        self.left[who] -= 1
        self._last = who
        self.laid.append(rank)
        self.count += PIP_VALUES[rank]
        pegs = [Peg(who, *found) for found in points_for_last_card(self.laid, self.count)]
        if self.count == LIMIT:
            self._begin(opposite_role(who))
        elif self.over:
            pegs.append(Peg(who, "last", 1, 0))
        elif not self._alone and self.left[opposite_role(who)]:
            self.turn = opposite_role(who)
        for peg in pegs:
            self.points[who] += peg.points
        return pegs

    def go(self) -> list[Peg]:
        """Say go for the player to move, and return the point for it if the count ends here.

        Raises `RecordError` if there is a card to lay.

        >>> play = PlayState({"pone": [9, 9, 9, 9], "dealer": [10, 1, 8, 8]})
        >>> play.lay(9), play.lay(10), play.lay(9)
        ([], [], [])
        >>> play.go(), play.turn
        ([], 'pone')
        >>> play.go(), play.turn
        ([Peg(role='pone', kind='go', points=1, cards=0)], 'dealer')
        """
        who = self.turn
        if self.hands is None:
            if self.count <= LIMIT - max(PIP_VALUES) and not self.over:
                raise RecordError(f"{who} cannot say go at a count of {self.count}: any card fits")
        elif self.can_lay():
            fits = min(self.hands[who])
            raise RecordError(f"{who} cannot say go at a count of {self.count}: {RANKS[fits]} fits")
        if self.over:
            raise RecordError(f"{who} cannot say go: all cards are laid")
        across = opposite_role(who)
        if not self._alone and self.left[across]:
            self._alone, self.turn = True, across
            return []
        self.points[self._last] += 1
        pegs = [Peg(self._last, "go", 1, 0)]
        self._begin(opposite_role(self._last))
        return pegs

    def _begin(self, leads: Role) -> None:
        self.laid, self.count, self._alone = [], 0, False
        self.turn = leads if self.left[leads] else opposite_role(leads)
