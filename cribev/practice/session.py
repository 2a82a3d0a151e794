"""A session: some hands, thrown one after another; each throw is graded and saved at once."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from cribev.game.roles import Role
from cribev.practice.hands import Hand, hands_of
from cribev.practice.store import (
    AGAIN,
    DEALT,
    HARD,
    Store,
    StoredThrow,
    StoreError,
    new_session_name,
    stored_throw,
)
from cribev.practice.throws import Throw, throw
from cribev.practice.verdicts import Verdict, verdict_of


class Selection(NamedTuple):
    """Which hands a session has: those of a seed, or without a seed some that come back."""

    seed: int | None = None
    hard: bool = False
    role: Role | None = None

    @property
    def kind(self) -> str:
        """`DEALT`, `HARD` or `AGAIN`."""
        return AGAIN if self.seed is None else HARD if self.hard else DEALT

    def deal(self) -> Iterator[Hand]:
        """Deal the hands of the seed."""
        assert self.seed is not None
        return hands_of(self.seed, role=self.role, hard=self.hard)

    def __str__(self) -> str:
        """Say which hands these are, after how many."""
        role = f" as {self.role}" if self.role else ""
        if self.seed is None:
            return f" again{role}"
        return f", seed {self.seed}{', hard' * self.hard}{role and ','}{role}"


class Session:
    """Hands thrown one after another.

    Throws are saved in the store, if there is one, under the name of the session.
    """

    def __init__(
        self,
        selection: Selection,
        hands: Iterable[Hand],
        number: int,
        *,
        store: Store | None = None,
        name: str = "",
    ) -> None:
        self.selection, self.number, self.store = selection, number, store
        self.name = name or new_session_name()
        self.throws: list[Throw] = []
        self._hands, self._dealt = iter(hands), list[Hand]()

    @property
    def over(self) -> bool:
        """Whether all hands are thrown."""
        return len(self.throws) >= self.number

    def hand(self, number: int) -> Hand:
        """Return a hand by its number, from 1."""
        while len(self._dealt) < number:
            self._dealt.append(next(self._hands))
        return self._dealt[number - 1]

    @property
    def next_hand(self) -> Hand:
        """The hand to throw now."""
        return self.hand(len(self.throws) + 1)

    def throw(self, keep: int) -> Verdict:
        """Throw two cards of the next hand: save the throw, then judge it.

        What cannot be saved is no error here: the store's `trouble` says why.
        """
        thrown = throw(self.next_hand, keep)
        verdict = verdict_of(thrown)
        self.throws.append(thrown)
        if self.store is not None:
            row = stored_throw(
                thrown.hand, verdict.decision, session=self.name, kind=self.selection.kind
            )
            with suppress(StoreError):
                self.store.save(row)
        return verdict

    def take_back(self) -> None:
        """Take the last throw back; `StoreError` if it stays in the store."""
        thrown = self.throws.pop()
        if self.store is not None:
            self.store.remove(self.name, thrown.hand)

    def stored(self) -> dict[Hand, StoredThrow]:
        """Return what the store has of this session, by hand."""
        rows = [] if self.store is None else self.store.read(self.name)
        return {one.hand: one for one in rows}
