"""A play moved in place by ranks, with the cards of both: for tests and benchmarks."""

from copy import copy

from cribev.errors import RecordError
from cribev.game.cards import RANKS, SUITLESS_OFFSET, rank_of
from cribev.game.play import Play


class Table:
    """`hands` are the ranks each keeps; without them any card may turn up."""

    def __init__(self, hands=None, *, cards=4):
        self.hands = hands and {role: list(held) for role, held in hands.items()}
        number = {role: len(held) for role, held in (hands or {}).items()}
        self.state = Play(**(number or {"pone": cards, "dealer": cards}))

    def __getattr__(self, name):
        return getattr(self.__dict__["state"], name)

    @property
    def played(self):
        return [rank_of(card) for card in self.state.on_table]

    @property
    def legal(self):
        if not self.state.left[self.state.turn]:
            return []
        held = range(13) if self.hands is None else sorted({*self.hands[self.state.turn]})
        return [rank for rank in held if self.state.fits(rank + SUITLESS_OFFSET)]

    def can_play(self):
        return bool(self.legal)

    def copy(self):
        copied = copy(self)
        copied.hands = self.hands and {role: list(held) for role, held in self.hands.items()}
        return copied

    def __copy__(self):
        copied = object.__new__(Table)
        copied.__dict__.update(self.__dict__)
        return copied

    def play(self, rank):
        """Play a card; return what it pegs, with a go that nobody says."""
        if self.hands is not None and rank not in self.hands[self.state.turn]:
            raise RecordError(f"no {RANKS[rank]} is left")
        who = self.state.turn
        pegs = self._then(self.state.play(rank + SUITLESS_OFFSET))
        if self.hands is not None:
            self.hands[who].remove(rank)
        return pegs

    def go(self):
        if self.hands is not None and self.legal:
            raise RecordError("a card fits")
        return self._then(self.state.go())

    def _then(self, after):
        pegs = [one for step in after.steps[len(self.state.steps) :] for one in step.pegs]
        self.state = after
        return pegs
