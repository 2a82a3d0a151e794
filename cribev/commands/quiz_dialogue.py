"""A quiz in a terminal or a pipe: a problem, an answer, a verdict, and at the end a summary."""

import argparse
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Generic, TypeVar

import pandas as pd
from rich.console import RenderableType

from cribev.choice import CARD_BANDS, DEFAULT_BANDS, WIN_BANDS
from cribev.commands.options import numbered_lines, prompt
from cribev.errors import CardError, CribevError
from cribev.game import render
from cribev.game.cards import format_cards
from cribev.game.roles import ROLES
from cribev.practice.displays import (
    HandPrompt,
    LaySummaryText,
    SpotPrompt,
    SummaryText,
    VerdictText,
)
from cribev.practice.hands import Hand, new_seed
from cribev.practice.lays import Lay, parse_lay
from cribev.practice.progress import hands_to_repeat, spots_to_repeat
from cribev.practice.session import (
    LaySession,
    Selection,
    Session,
    ThrowSession,
    parse_quiz_score,
)
from cribev.practice.spots import Spot, check_kinds, spot_advice
from cribev.practice.store import Store, StoreError, store_path
from cribev.practice.summary import summarize, summarize_lays
from cribev.practice.throws import Throw, hand_values, parse_discard, prepare, value_ahead
from cribev.reviews.wording import pluralize

_NARROW = 30  # columns: a narrower terminal folds the lines itself
_BACK = -1
_TAKES_BACK = """\
  u  take the last answer back
  q  end the quiz"""

_Problem = TypeVar("_Problem", bound=Hand | Spot)
_Answer = TypeVar("_Answer", bound=Throw | Lay)


def run_quiz(arguments: argparse.Namespace) -> None:
    """Ask for an answer to each problem, then say what they add up to."""
    store, number = Store(store_path()), min(arguments.hands, sys.maxsize)
    play, role = arguments.play is not None, arguments.role
    cards = tuple(arguments.play or ())
    check_kinds(cards, role)
    if arguments.again:
        selection = Selection(role=role, play=play, cards=cards)
    else:
        seed = new_seed() if arguments.seed is None else arguments.seed
        score = None if arguments.score is None else parse_quiz_score(arguments.score)
        selection = Selection(seed, arguments.hard, role, play, cards, score)
    save = store if arguments.save else None
    problems: Any
    if arguments.again:
        if play:
            problems = spots_to_repeat(store.read_lays(tell=_tell), role, cards)[:number]
        else:
            problems = hands_to_repeat(store.read(tell=_tell), role)[:number]
        number = len(problems)
        if not problems:
            which = "card waits to be laid" if play else "hand waits to be thrown"
            print(f"no {which} again", file=sys.stderr)
            return
    else:
        problems = selection.spots() if play else selection.hands()
    quiz: _Quiz[Any, Any]
    if play:
        quiz = _CardQuiz(LaySession(selection, problems, number, store=save), arguments)
    else:
        quiz = _DiscardQuiz(ThrowSession(selection, problems, number, store=save), arguments)
    quiz.run()


class _Quiz(ABC, Generic[_Problem, _Answer]):
    """A session in a dialogue, on a terminal or line by line."""

    does: str
    """What the player does, as the prompt says it."""
    intro: str
    """How to answer, in a line."""
    nothing: str
    """What is wrong with an input without answers."""

    def __init__(self, session: Session[_Problem, _Answer], arguments: argparse.Namespace) -> None:
        self.session, self.form = session, arguments.format
        self.drawn = arguments.seed is None
        self.asks = sys.stdin.isatty()
        self.lines: Iterator[tuple[int, str]] | None = None if self.asks else numbered_lines()
        self.trouble = ""

    @abstractmethod
    def prepare(self) -> None:
        """Load what answers take, so that none waits for it."""

    @abstractmethod
    def ask(self, problem: _Problem, number: int) -> RenderableType:
        """Show a problem."""

    @abstractmethod
    def think(self, problem: _Problem) -> None:
        """Work a problem out, while the player thinks."""

    @abstractmethod
    def parse(self, text: str, problem: _Problem) -> int:
        """Read an answer; `CardError` if it is none."""

    @abstractmethod
    def explain(self) -> Iterator[RenderableType | str]:
        """Say how to answer, and why the last answer was judged so."""

    @abstractmethod
    def summary(self) -> tuple[RenderableType, pd.DataFrame, dict[str, Any]]:
        """Return what the answers add up to: to show, as a table, and for JSON."""

    @abstractmethod
    def waiting(self) -> int:
        """How many problems come back."""

    def run(self) -> None:
        session, thing = self.session, self.session.selection.thing
        if self.asks:
            self.prepare()
            print(f"{pluralize(session.number, thing)}{session.selection}", file=sys.stderr)
            print(f"{self.intro}; ? for help\n", file=sys.stderr)
        while not session.over:
            problem, number = session.next_problem, len(session.answers) + 1
            self._show(self.ask(problem, number))
            self.think(problem)
            answer = self._answer(problem, number)
            if answer is None:
                break
            if answer == _BACK:
                self._take_back()
                continue
            verdict = session.answer(answer)
            if session.store and session.store.trouble not in ("", self.trouble):
                self.trouble = session.store.trouble
                _tell(f"{self.does}s are not saved for now: {self.trouble}")
            self._show(VerdictText(verdict))
            self._show("")
        if session.answers:
            self._end()
        elif not self.asks:
            raise CribevError(f"no answers on standard input: expected {self.nothing}")

    def _answer(self, problem: _Problem, number: int) -> int | None:
        """Return what is chosen, `_BACK` to take the last answer back, None at the end."""
        if self.lines is not None:
            for line, text in self.lines:
                try:
                    return self.parse(text, problem)
                except CardError as error:
                    raise CribevError(f"line {line}: {error}") from error
            return None
        while (text := prompt(f"{self.does}: ")) and (answer := text.strip().lower()) != "q":
            if answer == "?":
                parts = list(self.explain())
                for part in parts:
                    render.show(part, least=_NARROW, file=sys.stderr)
                print(file=sys.stderr)
                if len(parts) > 1:  # the problem has gone from the screen
                    self._show(self.ask(problem, number))
            elif answer == "u" and self.session.answers:
                return _BACK
            elif answer == "u":
                print(f"this is the first {self.session.selection.thing}", file=sys.stderr)
            elif answer:
                try:
                    return self.parse(text.strip(), problem)
                except CardError as error:
                    print(error, file=sys.stderr)
        return None

    def _take_back(self) -> None:
        try:
            self.session.take_back()
        except StoreError as error:
            _tell(f"the first {self.does} stays in your history: {error}")

    def _end(self) -> None:
        shown, table, plain = self.summary()
        if self.form == "csv":
            print(table.to_csv(index=False, lineterminator="\n"), end="")
        elif self.form == "json":
            selection = self.session.selection
            head = {
                "seed": selection.seed,
                "role": selection.role,
                "hard": selection.hard,
                **({"score": selection.score_text} if selection.score else {}),
                "again": selection.seed is None,
            }
            print(json.dumps(head | plain, indent=2, allow_nan=False))
        if self.form == "table" or self.asks:
            self._show(shown)
        self._save_the_rest()
        if self.asks:
            self._suggest_next()

    def _save_the_rest(self) -> None:
        """Try once more to save what is not saved yet, or say how many answers that are."""
        store = self.session.store
        if store and store.trouble:
            try:
                store.save()
                _tell(f"all {self.does}s are saved now")
            except StoreError as error:
                _tell(f"{pluralize(store.pending, self.does)} could not be saved: {error}")

    def _suggest_next(self) -> None:
        """Say how to have the same problems, and how many come back."""
        session, selection = self.session, self.session.selection
        play = " ".join(["--play", *selection.cards]) if selection.play else ""
        if selection.seed is not None and self.drawn:
            more = [play] * selection.play + [f"--hands {session.number}"] * (session.number != 10)
            more += [f"--score {selection.score_text}"] * bool(selection.score)
            more += ["--hard"] * selection.hard + [f"--{selection.role}"] * bool(selection.role)
            command = " ".join(["cribev quiz --seed", str(selection.seed), *more])
            print(f"the same {selection.thing}s for a friend: {command}", file=sys.stderr)
        with suppress(StoreError):
            if session.store and (back := self.waiting()):
                things = pluralize(back, selection.thing)
                command = f"cribev quiz {'--play ' * selection.play}--again"
                print(f"{things} to {self.does} again: {command}", file=sys.stderr)

    def _show(self, result: RenderableType) -> None:
        """Show it on standard output; to a player on standard error, if output is for numbers."""
        if self.form == "table":
            render.show(result, least=_NARROW)
            sys.stdout.flush()
        elif self.asks:
            render.show(result, least=_NARROW, file=sys.stderr)


class _DiscardQuiz(_Quiz[Hand, Throw]):
    does = "throw"
    intro = "type the two cards to throw, JS QC, or their places, 5 6"
    nothing = "two cards a line"

    def prepare(self) -> None:
        role = self.session.selection.role
        prepare([role] if role else ROLES)

    def ask(self, problem: Hand, number: int) -> RenderableType:
        return HandPrompt(problem, number, self.session.number, numbered=self.asks)

    def think(self, problem: Hand) -> None:
        if problem.score is not None and self.asks:
            value_ahead(problem)
        else:
            hand_values(problem)

    def parse(self, text: str, problem: Hand) -> int:
        keep = parse_discard(text, problem.deal)
        if problem.score is not None and self.asks and not value_ahead(problem):
            print("counting chances to win …", file=sys.stderr)
        return keep

    def explain(self) -> Iterator[RenderableType | str]:
        how = f"Type the two cards to throw, JS QC, or their places, 5 6.\n{_TAKES_BACK}"
        if self.session.next_problem.score is not None:
            inaccuracy, mistake, blunder = (f"{100 * least:g}%" for least in WIN_BANDS)
            yield f"""\
{how}
The verdict says how much less often your discard wins the game than the best, if
two experts play on: best, close, from {inaccuracy} of a game an inaccuracy, from {mistake} a
mistake, from {blunder} a blunder."""
            return
        yield f"""\
{how}
The verdict says how many points your discard is worth less than the best, on
average over all that can follow: best, close, from {DEFAULT_BANDS.inaccuracy} an inaccuracy,
from {DEFAULT_BANDS.mistake} a mistake, from {DEFAULT_BANDS.blunder} a blunder."""

    def summary(self) -> tuple[RenderableType, pd.DataFrame, dict[str, Any]]:
        session = self.session
        found = summarize(session.answers)
        decisions = found.review.to_dict()["decisions"]
        hands = [
            {"opponent_cards": format_cards(one.hand.opponent_cards)} | decision
            for one, decision in zip(session.answers, decisions, strict=True)
        ]
        plain = {"hands": hands, "summary": found.to_dict()}
        return SummaryText(found, session.selection), found.review.decisions, plain

    def waiting(self) -> int:
        assert self.session.store is not None
        return len(hands_to_repeat(self.session.store.read()))


class _CardQuiz(_Quiz[Spot, Lay]):
    does = "lay"
    intro = "type the card to lay, JS or J, or its number"
    nothing = "a card a line"

    def prepare(self) -> None:
        spot_advice(self.session.next_problem)

    def ask(self, problem: Spot, number: int) -> RenderableType:
        return SpotPrompt(problem, number, self.session.number, numbered=self.asks)

    def think(self, problem: Spot) -> None:
        spot_advice(problem)

    def parse(self, text: str, problem: Spot) -> int:
        return parse_lay(text, problem)

    def explain(self) -> Iterator[RenderableType | str]:
        yield f"""\
Type the card to lay, JS or J, or its number.
{_TAKES_BACK}
The verdict says how many points the card is worth less than the best, from here
to the end of the play, on average over all that your opponent may hold: best,
close, from {CARD_BANDS.inaccuracy} an inaccuracy, from {CARD_BANDS.mistake} a mistake, from
{CARD_BANDS.blunder} a blunder."""
        if self.session.answers:
            advice = self.session.answers[-1].advice
            yield ""
            yield f"Your card number {len(self.session.answers)}:"
            yield advice
            yield advice.explain()

    def summary(self) -> tuple[RenderableType, pd.DataFrame, dict[str, Any]]:
        session = self.session
        found = summarize_lays(session.answers)
        records = found.table.astype(object).where(found.table.notna(), None)
        cards = [
            record | {"cards": [one.to_dict() for one in answer.advice.choices]}
            for record, answer in zip(
                records.to_dict(orient="records"), session.answers, strict=True
            )
        ]
        plain = {"positions": cards, "summary": found.to_dict()}
        return LaySummaryText(found, session.selection), found.table, plain

    def waiting(self) -> int:
        assert self.session.store is not None
        return len(spots_to_repeat(self.session.store.read_lays()))


def _tell(line: str) -> None:
    print(f"cribev: {line}", file=sys.stderr)
