"""A quiz in a terminal or a pipe: a hand, an answer, a verdict, and at the end a summary."""

import argparse
import json
import sys
from contextlib import suppress

from rich.console import RenderableType

from cribev.commands.input import numbered_lines, prompt
from cribev.errors import CardError, CribevError
from cribev.game import render
from cribev.game.cards import format_cards
from cribev.game.roles import ROLES
from cribev.practice.displays import HandPrompt, SummaryText, VerdictText
from cribev.practice.hands import Hand, new_seed
from cribev.practice.progress import hands_to_repeat
from cribev.practice.session import Selection, Session
from cribev.practice.store import Store, StoreError, store_path
from cribev.practice.summary import SessionSummary, summarize
from cribev.practice.throws import hand_values, parse_discard, prepare
from cribev.reviews.wording import DEFAULT_BANDS, pluralize

_NARROW = 30  # columns: a narrower terminal folds the lines itself
_BACK = -1
_HELP = f"""\
Type the two cards to throw, JS QC, or their places, 5 6.
  u  take the last answer back
  q  end the quiz
The verdict says how many points your discard is worth less than the best, on
average over all that can follow: best, close, from {DEFAULT_BANDS.inaccuracy} an inaccuracy,
from {DEFAULT_BANDS.mistake} a mistake, from {DEFAULT_BANDS.blunder} a blunder."""


def run_quiz(arguments: argparse.Namespace) -> None:
    """Ask for a throw from each hand, then say what they add up to."""
    store, number = Store(store_path()), min(arguments.hands, sys.maxsize)
    if arguments.again:
        selection = Selection(role=arguments.role)
        waiting = hands_to_repeat(store.read(tell=_tell), arguments.role)[:number]
        hands, number = iter(waiting), len(waiting)
        if not waiting:
            print("no hand waits to be thrown again", file=sys.stderr)
            return
    else:
        seed = new_seed() if arguments.seed is None else arguments.seed
        selection = Selection(seed, arguments.hard, arguments.role)
        hands = selection.deal()
    session = Session(selection, hands, number, store=store if arguments.save else None)
    _Quiz(session, arguments.format, drawn=arguments.seed is None).run()


class _Quiz:
    def __init__(self, session: Session, form: str, *, drawn: bool) -> None:
        self.session, self.form, self.drawn = session, form, drawn
        self.asks = sys.stdin.isatty()
        self.lines = None if self.asks else numbered_lines()
        self.trouble = ""

    def run(self) -> None:
        session = self.session
        if self.asks:
            role = session.selection.role
            prepare([role] if role else ROLES)  # so that no answer waits for it
            print(f"{pluralize(session.number, 'hand')}{session.selection}", file=sys.stderr)
            print(
                "type the two cards to throw, JS QC, or their places, 5 6; ? for help\n",
                file=sys.stderr,
            )
        while not session.over:
            hand, number = session.next_hand, len(session.throws) + 1
            self._show(HandPrompt(hand, number, session.number, numbered=self.asks))
            hand_values(hand)  # while the player thinks
            answer = self._answer(hand)
            if answer is None:
                break
            if answer == _BACK:
                self._take_back()
                continue
            verdict = session.throw(answer)
            if session.store and session.store.trouble not in ("", self.trouble):
                self.trouble = session.store.trouble
                _tell(f"throws are not saved for now: {self.trouble}")
            self._show(VerdictText(verdict))
            self._show("")
        if session.throws:
            self._end()
        elif not self.asks:
            raise CribevError("no answers on standard input: expected two cards a line")

    def _answer(self, hand: Hand) -> int | None:
        """Return which keep is kept, `_BACK` to take the last throw back, None at the end."""
        if self.lines is not None:
            for number, text in self.lines:
                try:
                    return parse_discard(text, hand.deal)
                except CardError as error:
                    raise CribevError(f"line {number}: {error}") from error
            return None
        while (text := prompt("throw: ")) and (answer := text.strip().lower()) != "q":
            if answer == "?":
                print(f"{_HELP}\n", file=sys.stderr)
            elif answer == "u" and self.session.throws:
                return _BACK
            elif answer == "u":
                print("this is the first hand", file=sys.stderr)
            elif answer:
                try:
                    return parse_discard(text.strip(), hand.deal)
                except CardError as error:
                    print(error, file=sys.stderr)
        return None

    def _take_back(self) -> None:
        try:
            self.session.take_back()
        except StoreError as error:
            _tell(f"the first throw stays in your history: {error}")

    def _end(self) -> None:
        summary = summarize(self.session.throws)
        if self.form == "csv":
            print(summary.review.decisions.to_csv(index=False, lineterminator="\n"), end="")
        elif self.form == "json":
            print(json.dumps(self._to_dict(summary), indent=2, allow_nan=False))
        if self.form == "table" or self.asks:
            self._show(SummaryText(summary, self.session.selection))
        self._save_the_rest()
        if self.asks:
            self._suggest_next()

    def _to_dict(self, summary: SessionSummary) -> dict[str, object]:
        selection, throws = self.session.selection, self.session.throws
        decisions = summary.review.to_dict()["decisions"]
        return {
            "seed": selection.seed,
            "role": selection.role,
            "hard": selection.hard,
            "again": selection.seed is None,
            "hands": [
                {"opponent_cards": format_cards(one.hand.opponent_cards)} | decision
                for one, decision in zip(throws, decisions, strict=True)
            ],
            "summary": summary.to_dict(),
        }

    def _save_the_rest(self) -> None:
        """Try once more to save what is not saved yet, or say how many throws that are."""
        store = self.session.store
        if store and store.trouble:
            try:
                store.save()
                _tell("all throws are saved now")
            except StoreError as error:
                _tell(f"{pluralize(store.pending, 'throw')} could not be saved: {error}")

    def _suggest_next(self) -> None:
        """Say how to have the same hands, and how many come back."""
        session, selection = self.session, self.session.selection
        if selection.seed is not None and self.drawn:
            more = [f"--hands {session.number}"] * (session.number != 10)
            more += ["--hard"] * selection.hard + [f"--{selection.role}"] * bool(selection.role)
            command = " ".join(["cribev quiz --seed", str(selection.seed), *more])
            print(f"the same hands for a friend: {command}", file=sys.stderr)
        with suppress(StoreError):
            if session.store and (back := len(hands_to_repeat(session.store.read()))):
                hands = pluralize(back, "hand")
                print(f"{hands} to throw again: cribev quiz --again", file=sys.stderr)

    def _show(self, result: RenderableType) -> None:
        """Show it on standard output; to a player on standard error, if output is for numbers."""
        if self.form == "table":
            render.show(result, least=_NARROW)
            sys.stdout.flush()
        elif self.asks:
            render.show(result, least=_NARROW, file=sys.stderr)


def _tell(line: str) -> None:
    print(f"cribev: {line}", file=sys.stderr)
