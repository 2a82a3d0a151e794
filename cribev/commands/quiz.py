"""The command ``cribev quiz``: hands to throw, a verdict on each, and a summary."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from cribev.commands.arguments import Command, add_roles, columns_help, natural, positive
from cribev.commands.input import input_lines, prompt
from cribev.errors import CardError, CribevError
from cribev.files.column_descriptions import GRADE_COLUMNS, RECORD_COLUMNS

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cribev.practice.hands import Hand
    from cribev.practice.session import Session

_NARROW = 30  # columns: a narrower terminal folds the lines itself
_BACK = -1
_EXAMPLES = f"""\
examples:
  cribev quiz
  cribev quiz --hands 20 --hard --pone
  cribev quiz --seed 7
  cribev quiz --again
  printf '5 6\\nTC TD\\n' | cribev quiz --seed 7 --no-save
  cribev quiz --seed 7 --format json --no-save < answers.txt | jq .summary

Answer with two cards, JS QC, or with their places among the six, 5 6. On a
terminal, ? explains, u takes the last answer back, and q or the end of the input
(Ctrl-D) ends the quiz.

A seed deals the same hands to everybody, with the same starter and the same
discard by your opponent, so friends can throw one set and compare:
  points = par - lost + luck
Points are hand and crib as counted, the crib taken off as pone, and the average
play of the cards you keep. Par is the average of the best discards; lost is how
much less yours are worth; luck is what starter and crib then make of them.

A hard hand has a best discard at most 0.5 ahead of the second, and throwing for
the best hand, or for hand and crib without the play, loses 0.3 or more: one in ten.

Every throw is kept in your data folder (CRIBEV_DATA_DIR names another); cribev
history shows how practice goes. With --again come the hands on which your last
throw lost 0.3 or more, the costliest first, until you throw them well.

columns of --format csv, numbers in points (as a record for cribev review):
{columns_help(*RECORD_COLUMNS, *GRADE_COLUMNS)}
"""


def _add_arguments(quiz: argparse.ArgumentParser) -> None:
    quiz.add_argument(
        "--hands", type=positive, default=10, metavar="N", help="how many hands (default: 10)"
    )
    quiz.add_argument(
        "--seed", type=natural, metavar="N",
        help="deal the same hands to everybody; without it, a new seed, which the quiz tells you",
    )  # fmt: skip
    add_roles(quiz)
    quiz.add_argument("--hard", action="store_true", help="hard hands only")
    quiz.add_argument(
        "--again", action="store_true", help="the hands you lost most on, in place of new ones"
    )
    quiz.add_argument("--no-save", dest="save", action="store_false", help="keep nothing")
    quiz.add_argument(
        "--format", choices=["table", "csv", "json"], default="table",
        help="text to read (default); or, at the end, a row for each throw, or everything",
    )  # fmt: skip


def _quiz(arguments: argparse.Namespace) -> int:
    if arguments.again and (arguments.seed is not None or arguments.hard):
        option = "--hard" if arguments.hard else "--seed"
        raise CribevError(f"--again brings back hands of your own: {option} deals others")
    # pandas and rich load slowly, so after what can go wrong
    from cribev.practice.hands import new_seed
    from cribev.practice.session import Selection, Session
    from cribev.practice.store import Store, store_path

    store = Store(store_path())
    number = min(arguments.hands, sys.maxsize)
    hands: Iterator[Hand]
    if arguments.again:
        from cribev.practice.progress import hands_to_repeat

        stored = store.read(tell=lambda line: print(f"cribev: {line}", file=sys.stderr))
        waiting = hands_to_repeat(stored, arguments.role)[:number]
        if not waiting:
            print("no hand waits to be thrown again", file=sys.stderr)
            return 0
        selection = Selection(role=arguments.role)
        hands, number = iter(waiting), len(waiting)
    else:
        seed = new_seed() if arguments.seed is None else arguments.seed
        selection = Selection(seed, arguments.hard, arguments.role)
        hands = selection.deal()
    session = Session(selection, hands, number, store=store if arguments.save else None)
    _Quiz(session, arguments.format, drawn=arguments.seed is None).run()
    return 0


class _Quiz:
    """A session in a terminal or a pipe."""

    def __init__(self, session: "Session", form: str, *, drawn: bool) -> None:
        self.session, self.form, self.drawn = session, form, drawn
        self.asks = sys.stdin.isatty()
        self.lines = None if self.asks else _lines()
        self.trouble = ""

    def run(self) -> None:
        """Ask for one throw after another, then say what they add up to."""
        from cribev.practice.session_look import HandPrompt, VerdictText
        from cribev.practice.throws import hand_values

        session = self.session
        if self.asks:
            self._begin()
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
            self._tell_trouble()
            self._show(VerdictText(verdict))
            self._show("")
        if session.throws:
            self._end()
        elif not self.asks:
            raise CribevError("no answers on standard input: expected two cards a line")

    def _begin(self) -> None:
        from cribev.game.roles import ROLES
        from cribev.practice.throws import prepare
        from cribev.reviews.wording import pluralize

        selection = self.session.selection
        prepare([selection.role] if selection.role else ROLES)  # so that no answer waits for it
        print(f"{pluralize(self.session.number, 'hand')}{selection}", file=sys.stderr)
        print("throw two cards, JS QC, or their places, 5 6; ? explains\n", file=sys.stderr)

    def _answer(self, hand: "Hand") -> int | None:
        """Return which keep is kept, `_BACK` to take the last throw back, None at the end."""
        from cribev.practice.throws import parse_discard

        if self.lines is not None:
            for number, text in self.lines:
                try:
                    return parse_discard(text, hand.deal)
                except CardError as error:
                    raise CribevError(f"line {number}: {error}") from error
            return None
        while (text := prompt("throw: ")) and (answer := text.strip().lower()) != "q":
            if answer == "?":
                print(_help(), file=sys.stderr)
            elif answer == "u":
                if self.session.throws:
                    return _BACK
                print("this is the first hand", file=sys.stderr)
            elif answer:
                try:
                    return parse_discard(text.strip(), hand.deal)
                except CardError as error:
                    print(error, file=sys.stderr)
        return None

    def _take_back(self) -> None:
        from cribev.practice.store import StoreError

        try:
            self.session.take_back()
        except StoreError as error:
            print(f"cribev: the first throw stays in your history: {error}", file=sys.stderr)

    def _end(self) -> None:
        from cribev.practice.session_look import SummaryText
        from cribev.practice.summary import summarize

        session = self.session
        summary = summarize(session.throws)
        if self.form == "csv":
            print(summary.review.decisions.to_csv(index=False, lineterminator="\n"), end="")
        elif self.form == "json":
            from cribev.game.cards import format_cards

            selection = session.selection
            found = {
                "seed": selection.seed,
                "role": selection.role,
                "hard": selection.hard,
                "again": selection.seed is None,
                "hands": [
                    {"opponent_cards": format_cards(one.hand.opponent_cards)} | decision
                    for one, decision in zip(
                        session.throws, summary.review.to_dict()["decisions"], strict=True
                    )
                ],
                "summary": summary.to_dict(),
            }
            print(json.dumps(found, indent=2, allow_nan=False))
        if self.form == "table" or self.asks:
            self._show(SummaryText(summary, session.selection))
        self._tell_lost()
        if self.asks:
            self._tell_more()

    def _tell_more(self) -> None:
        """Say how to have the same hands, and how many come back."""
        from cribev.practice.progress import hands_to_repeat
        from cribev.practice.store import StoreError
        from cribev.reviews.wording import pluralize

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

    def _tell_trouble(self) -> None:
        """Say once why throws are not kept."""
        store = self.session.store
        if store and store.trouble and store.trouble != self.trouble:
            self.trouble = store.trouble
            print(f"cribev: throws are not kept for now: {store.trouble}", file=sys.stderr)

    def _tell_lost(self) -> None:
        """Try once more to keep what is not kept yet, or say how much it is."""
        from cribev.practice.store import StoreError
        from cribev.reviews.wording import pluralize

        store = self.session.store
        if not store or not store.trouble:
            return
        try:
            store.keep()
            print("cribev: all throws are kept now", file=sys.stderr)
        except StoreError as error:
            throws = pluralize(store.pending, "throw")
            print(f"cribev: {throws} could not be kept: {error}", file=sys.stderr)

    def _show(self, look: "RenderableType") -> None:
        """Show it on standard output; to a player on standard error, if output is for numbers."""
        from cribev.game import render

        if self.form == "table":
            render.show(look, least=_NARROW)
            sys.stdout.flush()
        elif self.asks:
            render.show(look, least=_NARROW, file=sys.stderr)


def _help() -> str:
    from cribev.reviews.wording import DEFAULT_BANDS as BANDS

    return f"""\
Throw two of the six cards: type them, JS QC, or their places, 5 6.
  u  take the last answer back
  q  end the quiz
The verdict says how many points your discard is worth less than the best, on
average over all that can follow: best, close, an inaccuracy from {BANDS.inaccuracy}, a mistake
from {BANDS.mistake}, a blunder from {BANDS.blunder}."""


def _lines() -> "Iterator[tuple[int, str]]":
    """Yield the lines of standard input that are not blank, numbered, as they come."""
    number = 0
    for block in input_lines():
        for line in block.decode("utf-8", "replace").splitlines():
            number += 1
            if text := line.strip(" \t\r\n,\ufeff"):
                yield number, text


COMMAND = Command(
    "quiz",
    "practise: throw from hands, and see what each throw costs",
    _EXAMPLES,
    _add_arguments,
    _quiz,
)
