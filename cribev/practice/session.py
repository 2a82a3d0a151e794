"""A session: problems answered one after another; each answer is graded and saved at once."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from cribev.game.cards import CardsLike
from cribev.game.roles import Role
from cribev.game.score import as_score
from cribev.practice.answers import GradedAnswer, grade_answer
from cribev.practice.problems import CARD_KINDS, Problem, cards_of, discards_of
from cribev.practice.store import (
    AGAIN,
    DEALT,
    GAME,
    HARD,
    SCORED,
    Store,
    StoredDecision,
    StoreError,
    new_session_name,
    stored_decision,
)


class Selection(NamedTuple):
    """Which problems a session has: those of a seed, or without a seed some that come back."""

    seed: int | None = None
    hard: bool = False
    role: Role | None = None
    play: bool = False
    """Whether cards are to be laid, and not thrown."""
    cards: tuple[str, ...] = ()
    """The kinds of cards, `CARD_KINDS`; all if empty."""
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

    def problems(self) -> Iterator[Problem]:
        """Deal the problems of the seed."""
        assert self.seed is not None
        if self.play:
            return cards_of(self.seed, kinds=self.cards, role=self.role, hard=self.hard)
        return discards_of(self.seed, role=self.role, hard=self.hard, score=self.score)

    def __str__(self) -> str:
        """Say which problems these are, after how many.

        >>> str(Selection(7, hard=True)), str(Selection(role="pone", play=True, cards=("lead",)))
        (', seed 7, hard', ' again, lead, as pone')
        """
        first = " again" if self.seed is None else f", seed {self.seed}"
        more = ["hard"] * self.hard + [kind for kind in CARD_KINDS if kind in self.cards]
        more += [f"score {self.score_text}"] * bool(self.score)
        more += [f"as {self.role}"] * bool(self.role)
        return ", ".join([first, *more])


def parse_quiz_score(text: str) -> tuple[int, int] | Literal["close"]:
    """Read a score to practise at, or ``close``; `CribevError` if it is neither.

    >>> parse_quiz_score("103-104"), parse_quiz_score("Close")
    ((103, 104), 'close')
    """
    return "close" if text.strip().lower() == "close" else as_score(text)


class Session:
    """Problems answered one after another.

    Answers are saved in the store, if there is one, under the name of the session.

    >>> selection = Selection(7)
    >>> session = Session(selection, selection.problems(), 2)
    >>> found = session.answer("9H JC")
    >>> found.decision.verdict, str(session.next_problem.position)
    ('mistake', 'pone:3C3H4D9CTDQD')
    """

    def __init__(
        self,
        selection: Selection,
        problems: Iterable[Problem],
        number: int,
        *,
        store: Store | None = None,
        name: str = "",
    ) -> None:
        self.selection, self.number, self.store = selection, number, store
        self.name = name or new_session_name()
        self.answers: list[GradedAnswer] = []
        self._problems, self._dealt = iter(problems), list[Problem]()

    @property
    def over(self) -> bool:
        """Whether all problems are answered."""
        return len(self.answers) >= self.number

    def problem(self, number: int) -> Problem:
        """Return a problem by its number, from 1."""
        while len(self._dealt) < number:
            self._dealt.append(next(self._problems))
        return self._dealt[number - 1]

    @property
    def next_problem(self) -> Problem:
        """The problem to answer now."""
        return self.problem(len(self.answers) + 1)

    def answer(self, chosen: CardsLike) -> GradedAnswer:
        """Answer the next problem: grade the answer, and save it.

        What cannot be saved is no error here: the store's `trouble` says why.
        """
        found = grade_answer(self.next_problem, chosen)
        self.answers.append(found)
        if self.store is not None:
            kind = self.selection.kind
            with suppress(StoreError):
                self.store.save(
                    stored_decision(found.problem, found.row, session=self.name, kind=kind)
                )
        return found

    def take_back(self) -> None:
        """Take the last answer back; `StoreError` if it stays in the store."""
        last = self.answers.pop()
        if self.store is not None:
            self.store.remove(self.name, last.problem)

    def stored(self) -> dict[Problem, StoredDecision]:
        """Return what the store has of this session, by problem."""
        return {one.problem: one for one in (self.store.read(self.name) if self.store else [])}


def save_game(
    store: Store, decisions: Iterable[tuple[Problem, Mapping[str, Any]]], *, name: str = ""
) -> str:
    """Save what was chosen in a game, as a session of kind ``game``; return its name.

    Each decision is as `stored_decision` takes it, under a new name if none is given: hexadecimal
    digits. Saved twice under one name, a game is in the store once. `StoreError` if it cannot be
    saved; the store keeps it and tries again with the next decision.

    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> problems = next(discards_of(7)), next(cards_of(7))
    >>> answers = [grade_answer(*one) for one in zip(problems, ("9H JC", "AH"))]
    >>> with TemporaryDirectory() as folder:
    ...     store = Store(Path(folder) / "practice.sqlite3")
    ...     name = save_game(store, [(one.problem, one.row) for one in answers])
    ...     [(one.kind, one.chosen) for one in store.read(name)]
    [('game', '9H JC'), ('game', 'AH')]
    """
    session = name or new_session_name()
    rows = [stored_decision(*one, session=session, kind=GAME) for one in decisions]
    store.save(*rows)
    return session
