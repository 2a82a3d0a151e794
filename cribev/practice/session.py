"""A session: some problems answered one after another; each answer is graded and saved at once.

A problem is a hand to throw from or a spot to lay a card in; an answer is a throw or a lay.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Generic, Literal, NamedTuple, TypeVar

from cribev.game.roles import Role
from cribev.game.score import as_score
from cribev.practice.hands import Hand, hands_of
from cribev.practice.lays import Lay, lay
from cribev.practice.spots import SPOT_KINDS, Spot, spots_of
from cribev.practice.store import Store, StoreError
from cribev.practice.stored import (
    AGAIN,
    DEALT,
    HARD,
    SCORED,
    Stored,
    new_session_name,
    stored_lay,
    stored_throw,
)
from cribev.practice.throws import Throw, throw
from cribev.practice.verdicts import Verdict, verdict_of, verdict_of_lay

_Problem = TypeVar("_Problem", bound=Hand | Spot)
_Answer = TypeVar("_Answer", bound=Throw | Lay)


class Selection(NamedTuple):
    """Which problems a session has: those of a seed, or without a seed some that come back."""

    seed: int | None = None
    hard: bool = False
    role: Role | None = None
    play: bool = False
    """Whether they are spots to lay a card in, and not hands."""
    cards: tuple[str, ...] = ()
    """The kinds of spots, `cribev.practice.spots.SPOT_KINDS`; all if empty."""
    score: tuple[int, int] | Literal["close"] | None = None
    """The score of all hands, or of each a close one; then chances to win decide."""

    @property
    def kind(self) -> str:
        """`DEALT`, `HARD`, `SCORED` or `AGAIN`."""
        if self.seed is None:
            return AGAIN
        return SCORED if self.score is not None else HARD if self.hard else DEALT

    @property
    def score_text(self) -> str:
        """The score as it is typed; empty if there is none."""
        return "-".join(map(str, self.score)) if isinstance(self.score, tuple) else self.score or ""

    @property
    def thing(self) -> str:
        """What each answer is about, ``hand`` or ``card``."""
        return "card" if self.play else "hand"

    def hands(self) -> Iterator[Hand]:
        """Deal the hands of the seed."""
        assert self.seed is not None
        return hands_of(self.seed, role=self.role, hard=self.hard, score=self.score)

    def spots(self) -> Iterator[Spot]:
        """Deal the spots of the seed."""
        assert self.seed is not None
        return spots_of(self.seed, kinds=self.cards, role=self.role, hard=self.hard)

    def __str__(self) -> str:
        """Say which problems these are, after how many.

        >>> str(Selection(7, hard=True)), str(Selection(role="pone", play=True, cards=("lead",)))
        (', seed 7, hard', ' again, lead, as pone')
        """
        first = " again" if self.seed is None else f", seed {self.seed}"
        more = ["hard"] * self.hard + [kind for kind in SPOT_KINDS if kind in self.cards]
        more += [f"score {self.score_text}"] * bool(self.score)
        more += [f"as {self.role}"] * bool(self.role)
        return ", ".join([first, *more])


def parse_quiz_score(text: str) -> tuple[int, int] | Literal["close"]:
    """Read a score to practise at, or ``close``; `CribevError` if it is neither.

    >>> parse_quiz_score("103-104"), parse_quiz_score("Close")
    ((103, 104), 'close')
    """
    return "close" if text.strip().lower() == "close" else as_score(text)


class Session(ABC, Generic[_Problem, _Answer]):
    """Problems answered one after another.

    Answers are saved in the store, if there is one, under the name of the session.
    """

    def __init__(
        self,
        selection: Selection,
        problems: Iterable[_Problem],
        number: int,
        *,
        store: Store | None = None,
        name: str = "",
    ) -> None:
        self.selection, self.number, self.store = selection, number, store
        self.name = name or new_session_name()
        self.answers: list[_Answer] = []
        self._problems, self._dealt = iter(problems), list[_Problem]()

    @abstractmethod
    def solve(self, problem: _Problem, choice: int) -> _Answer:
        """Answer a problem: the number of a keep, or of a card."""

    @abstractmethod
    def judge(self, answer: _Answer) -> Verdict:
        """Say what an answer cost, and why."""

    @abstractmethod
    def stored(self) -> dict[_Problem, Stored]:
        """Return what the store has of this session, by problem."""

    @abstractmethod
    def _row(self, answer: _Answer, verdict: Verdict, /) -> Stored:
        """Make the row that is saved."""

    @abstractmethod
    def _problem_of(self, answer: _Answer) -> _Problem:
        """Return the problem that was answered."""

    @property
    def over(self) -> bool:
        """Whether all problems are answered."""
        return len(self.answers) >= self.number

    def problem(self, number: int) -> _Problem:
        """Return a problem by its number, from 1."""
        while len(self._dealt) < number:
            self._dealt.append(next(self._problems))
        return self._dealt[number - 1]

    @property
    def next_problem(self) -> _Problem:
        """The problem to answer now."""
        return self.problem(len(self.answers) + 1)

    def answer(self, choice: int) -> Verdict:
        """Answer the next problem: save the answer, and judge it.

        What cannot be saved is no error here: the store's `trouble` says why.
        """
        answer = self.solve(self.next_problem, choice)
        verdict = self.judge(answer)
        self.answers.append(answer)
        if self.store is not None:
            with suppress(StoreError):
                self.store.save(self._row(answer, verdict))
        return verdict

    def take_back(self) -> None:
        """Take the last answer back; `StoreError` if it stays in the store."""
        answer = self.answers.pop()
        if self.store is not None:
            self.store.remove(self.name, self._problem_of(answer))


class ThrowSession(Session[Hand, Throw]):
    """Hands thrown one after another."""

    def solve(self, problem: Hand, choice: int) -> Throw:
        """Throw two cards: the number of the keep that stays."""
        return throw(problem, choice)

    def judge(self, answer: Throw) -> Verdict:
        """Say what a throw cost, and why."""
        return verdict_of(answer)

    def stored(self) -> dict[Hand, Stored]:
        """Return what the store has of this session, by hand."""
        rows = [] if self.store is None else self.store.read(self.name)
        return {one.hand: one for one in rows}

    def _row(self, answer: Throw, verdict: Verdict, /) -> Stored:
        kind = self.selection.kind
        return stored_throw(answer.hand, verdict.decision, session=self.name, kind=kind)

    def _problem_of(self, answer: Throw) -> Hand:
        return answer.hand


class LaySession(Session[Spot, Lay]):
    """Cards laid one after another, each in a spot of its own."""

    def solve(self, problem: Spot, choice: int) -> Lay:
        """Lay a card: its number."""
        return lay(problem, choice)

    def judge(self, answer: Lay) -> Verdict:
        """Say what a card cost, and why."""
        return verdict_of_lay(answer)

    def stored(self) -> dict[Spot, Stored]:
        """Return what the store has of this session, by spot."""
        rows = [] if self.store is None else self.store.read_lays(self.name)
        return {one.spot: one for one in rows}

    def _row(self, answer: Lay, _verdict: Verdict, /) -> Stored:
        return stored_lay(answer, session=self.name, kind=self.selection.kind)

    def _problem_of(self, answer: Lay) -> Spot:
        return answer.spot
