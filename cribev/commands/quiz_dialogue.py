"""A quiz in a terminal or a pipe: a problem, an answer, a verdict, and at the end a summary."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from rich.console import RenderableType

from cribev.choice import CARD_BANDS, DEFAULT_BANDS, WIN_BANDS, pluralize
from cribev.commands.options import numbered_lines, print_csv, prompt, records, warn
from cribev.errors import CardError, CribevError
from cribev.game import render
from cribev.game.cards import format_cards
from cribev.game.roles import ROLES
from cribev.practice.answers import discard_values, prepare, value_ahead
from cribev.practice.problems import Problem, card_advice, check_kinds, new_seed
from cribev.practice.progress import to_repeat
from cribev.practice.session import Selection, Session, parse_quiz_score
from cribev.practice.store import Store, StoreError, store_path
from cribev.practice.summary import SessionSummary, summarize
from cribev.practice.terminal import AnswerText, ProblemPrompt, SummaryText

_NARROW = 30  # columns: a narrower terminal folds the lines itself
_BACK = ()
_VERBS = {"hand": "throw", "card": "lay"}
_HELP = {
    "hand": "type the two cards to throw, JS QC, or their places, 5 6",
    "card": "type the card to lay, JS or J, or its number",
}
_EXPECTED = {"hand": "two cards a line", "card": "a card a line"}
_TAKES_BACK = """\
  u  take the last answer back
  q  end the quiz"""


def run_quiz(arguments: argparse.Namespace) -> None:
    """Ask for an answer to each problem, then say what they add up to."""
    store, number = Store(store_path()), min(arguments.hands, sys.maxsize)
    play, role = arguments.play is not None, arguments.role
    cards = tuple(arguments.play or ())
    check_kinds(cards, role)
    problems: Iterable[Problem]
    if arguments.again:
        selection = Selection(role=role, play=play, cards=cards)
        stored = [one for one in store.read(warn=warn) if one.is_discard != play]
        problems = to_repeat(stored, role, cards)[:number]
        number = len(problems)
        if not problems:
            which = "card waits to be laid" if play else "hand waits to be thrown"
            print(f"no {which} again", file=sys.stderr)
            return
    else:
        seed = new_seed() if arguments.seed is None else arguments.seed
        score = None if arguments.score is None else parse_quiz_score(arguments.score)
        selection = Selection(seed, arguments.hard, role, play, cards, score)
        problems = selection.problems()
    save = store if arguments.save else None
    _Quiz(Session(selection, problems, number, store=save), arguments).run()


class _Quiz:
    """A session in a dialogue, on a terminal or line by line."""

    def __init__(self, session: Session, arguments: argparse.Namespace) -> None:
        self.session, self.form = session, arguments.format
        self.thing = session.selection.thing
        self.verb = _VERBS[self.thing]
        self.drawn = arguments.seed is None
        self.asks = sys.stdin.isatty()
        self.lines: Iterator[tuple[int, str]] | None = None if self.asks else numbered_lines()
        self.trouble = ""

    def run(self) -> None:
        session = self.session
        if self.asks:
            self._prepare()
            print(f"{pluralize(session.number, self.thing)}{session.selection}", file=sys.stderr)
            print(f"{_HELP[self.thing]}; ? for help\n", file=sys.stderr)
        while not session.over:
            problem = session.next_problem
            self._ask(problem)
            self._think(problem)
            chosen = self._answer(problem)
            if chosen is None:
                break
            if chosen == _BACK:
                self._take_back()
                continue
            found = session.answer(chosen)
            if session.store and session.store.trouble not in ("", self.trouble):
                self.trouble = session.store.trouble
                warn(f"{self.verb}s are not saved for now: {self.trouble}")
            self._show(AnswerText(found))
            self._show("")
        if session.answers:
            self._end()
        elif not self.asks:
            expected = _EXPECTED[self.thing]
            raise CribevError(f"no answers on standard input: expected {expected}")

    def _prepare(self) -> None:
        """Load what answers take, so that none waits for it."""
        role = self.session.selection.role
        if self.thing == "hand":
            prepare([role] if role else ROLES)
        else:
            card_advice(self.session.next_problem.position)

    def _ask(self, problem: Problem) -> None:
        number = len(self.session.answers) + 1
        self._show(ProblemPrompt(problem, number, self.session.number, numbered=self.asks))

    def _think(self, problem: Problem) -> None:
        """Work a problem out, while the player thinks."""
        if not problem.is_discard:
            card_advice(problem.position)
        elif problem.deal.score is not None and self.asks:
            value_ahead(problem)
        else:
            discard_values(problem)

    def _parse(self, text: str, problem: Problem) -> tuple[int, ...]:
        chosen = problem.parse(text)
        waits = problem.is_discard and problem.deal.score is not None and self.asks
        if waits and not value_ahead(problem):
            print("counting chances to win …", file=sys.stderr)
        return chosen

    def _answer(self, problem: Problem) -> tuple[int, ...] | None:
        """Return what is chosen, `_BACK` to take the last answer back, None at the end."""
        if self.lines is not None:
            for line, text in self.lines:
                try:
                    return self._parse(text, problem)
                except CardError as error:
                    raise CribevError(f"line {line}: {error}") from error
            return None
        while (text := prompt(f"{self.verb}: ")) and (typed := text.strip().lower()) != "q":
            if typed == "?":
                parts = list(self._explain(problem))
                for part in parts:
                    render.show(part, least=_NARROW, file=sys.stderr)
                print(file=sys.stderr)
                if len(parts) > 1:  # the problem has gone from the screen
                    self._ask(problem)
            elif typed == "u" and self.session.answers:
                return _BACK
            elif typed == "u":
                print(f"this is the first {self.thing}", file=sys.stderr)
            elif typed:
                try:
                    return self._parse(text.strip(), problem)
                except CardError as error:
                    print(error, file=sys.stderr)
        return None

    def _explain(self, problem: Problem) -> Iterator[RenderableType | str]:
        """Say how to answer, and why the last card was judged so."""
        how = f"{_HELP[self.thing][0].upper()}{_HELP[self.thing][1:]}.\n{_TAKES_BACK}"
        if problem.deal.score is not None:
            inaccuracy, mistake, blunder = (f"{100 * least:g}%" for least in WIN_BANDS)
            what = "discard" if problem.is_discard else "card"
            yield f"""\
{how}
The verdict says how much less often your {what} wins the game than the best, if
two experts play on: best, close, from {inaccuracy} of a game an inaccuracy, from {mistake} a
mistake, from {blunder} a blunder."""
        elif problem.is_discard:
            yield f"""\
{how}
The verdict says how many points your discard is worth less than the best, on
average over all that can follow: best, close, from {DEFAULT_BANDS.inaccuracy} an inaccuracy,
from {DEFAULT_BANDS.mistake} a mistake, from {DEFAULT_BANDS.blunder} a blunder."""
        else:
            yield f"""\
{how}
The verdict says how many points the card is worth less than the best, from here
to the end of the play, on average over all that your opponent may hold: best,
close, from {CARD_BANDS.inaccuracy} an inaccuracy, from {CARD_BANDS.mistake} a mistake, from
{CARD_BANDS.blunder} a blunder."""
        if self.thing == "card" and self.session.answers:
            advice = card_advice(self.session.answers[-1].problem.position)
            yield ""
            yield f"Your card number {len(self.session.answers)}:"
            yield advice
            yield advice.explain()

    def _take_back(self) -> None:
        try:
            self.session.take_back()
        except StoreError as error:
            warn(f"the first {self.verb} stays in your history: {error}")

    def _end(self) -> None:
        summary = summarize(self.session.answers)
        if self.form == "csv":
            print_csv(summary.table)
        elif self.form == "json":
            print(json.dumps(self._plain(summary), indent=2, allow_nan=False))
        if self.form == "table" or self.asks:
            self._show(SummaryText(summary, self.session.selection))
        self._save_the_rest()
        if self.asks:
            self._suggest_next()

    def _plain(self, summary: SessionSummary) -> dict[str, Any]:
        """Return what was asked and answered as plain values, ready for JSON."""
        selection = self.session.selection
        answers = [
            {
                "position": str(one.decision.position),
                "opponent_cards": format_cards(one.problem.opponent_held.dealt),
                **row,
                **one.decision.options.to_dict(),
            }
            for one, row in zip(self.session.answers, records(summary.table), strict=True)
        ]
        return {
            "seed": selection.seed,
            "role": selection.role,
            "hard": selection.hard,
            **({"score": selection.score_text} if selection.score else {}),
            "again": selection.seed is None,
            "positions" if selection.play else "hands": answers,
            "summary": summary.to_dict(),
        }

    def _save_the_rest(self) -> None:
        """Try once more to save what is not saved yet, or say how many answers that are."""
        store = self.session.store
        if store and store.trouble:
            try:
                store.save()
                warn(f"all {self.verb}s are saved now")
            except StoreError as error:
                warn(f"{pluralize(store.pending, self.verb)} could not be saved: {error}")

    def _suggest_next(self) -> None:
        """Say how to have the same problems, and how many come back."""
        session, selection = self.session, self.session.selection
        play = " ".join(["--play", *selection.cards]) if selection.play else ""
        if selection.seed is not None and self.drawn:
            more = [play] * selection.play + [f"--hands {session.number}"] * (session.number != 10)
            more += [f"--score {selection.score_text}"] * bool(selection.score)
            more += ["--hard"] * selection.hard + [f"--{selection.role}"] * bool(selection.role)
            command = " ".join(["cribev quiz --seed", str(selection.seed), *more])
            print(f"the same {self.thing}s for a friend: {command}", file=sys.stderr)
        with suppress(StoreError):
            stored = session.store.read() if session.store else []
            if back := to_repeat([one for one in stored if one.is_discard != selection.play]):
                things = pluralize(len(back), self.thing)
                command = f"cribev quiz {'--play ' * selection.play}--again"
                print(f"{things} to {self.verb} again: {command}", file=sys.stderr)

    def _show(self, result: RenderableType) -> None:
        """Show it on standard output; to a player on standard error, if output is for numbers."""
        if self.form == "table":
            render.show(result, least=_NARROW)
            sys.stdout.flush()
        elif self.asks:
            render.show(result, least=_NARROW, file=sys.stderr)
