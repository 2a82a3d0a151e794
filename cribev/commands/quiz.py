"""The command ``cribev quiz``: hands to throw, each judged, and a summary."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from cribev.commands.arguments import Command, add_roles, columns_help, natural, positive
from cribev.commands.input import input_lines, prompt
from cribev.errors import CardError, CribevError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cribev.game.cards import Cards
    from cribev.game.roles import Role
    from cribev.practice.hands import Hand
    from cribev.practice.throws import Throw
    from cribev.practice.verdicts import Verdict

_COLUMNS = (
    *("game", "deal", "player", "role", "cards", "discard", "starter", "opponent_discard"),
    *("best_discard", "expected", "best_expected", "ev_loss", "rank", "verdict", "margin"),
    *("deal_luck", "starter_luck", "crib_swing", "play_swing", "result"),
)
_NARROW = 30  # columns: a narrower terminal folds the lines itself
_EXAMPLES = f"""\
examples:
  cribev quiz
  cribev quiz --hands 20 --hard --pone
  cribev quiz --seed 7
  cribev quiz --again
  printf '5 6\\nTC TD\\n' | cribev quiz --seed 7 --no-save
  cribev quiz --seed 7 --format json --no-save < answers.txt | jq .summary

Answer with two cards, JS QC, or with their places among the six, 5 6. An empty
line on a terminal, or the end of the input, ends the quiz.

The same seed is the same hands for everybody, and the opponent's throw and the
cut are fixed with them, so that friends can play one set and compare:
  points = par - lost + luck
points are hand and crib as counted, the crib taken off as pone, and the average
play of the cards kept; par is what the best discards come to on average; lost
is what yours come to less; luck is what cut and crib made of them.

A hard hand has a best discard at most 0.5 ahead of the second, and the best hand
alone, or hand and crib without the play, would lose 0.3 or more: one in ten.

Every throw is kept in the user's data folder, which CRIBEV_DATA_DIR moves:
cribev history shows how it went. A hand comes back with --again if you last
lost 0.3 or more on it, what lost most first, until you throw it well.

columns of --format csv, numbers in points (as a record for cribev review):
{columns_help(*_COLUMNS)}
"""


def _add_arguments(quiz: argparse.ArgumentParser) -> None:
    quiz.add_argument(
        "--hands", type=positive, default=10, metavar="N", help="how many hands (default: 10)"
    )
    quiz.add_argument(
        "--seed", type=natural, metavar="N",
        help="deal the same hands to everybody; without one, others every time, whose seed is told",
    )  # fmt: skip
    add_roles(quiz)
    quiz.add_argument("--hard", action="store_true", help="hard hands only")
    quiz.add_argument(
        "--again", action="store_true", help="hands you lost most on, in place of new ones"
    )
    quiz.add_argument("--no-save", dest="save", action="store_false", help="keep nothing")
    quiz.add_argument(
        "--format", choices=["table", "csv", "json"], default="table",
        help="text to read (default), a row for each throw, or everything, once all is thrown",
    )  # fmt: skip


def _quiz(arguments: argparse.Namespace) -> int:
    if arguments.again and (arguments.seed is not None or arguments.hard):
        option = "--hard" if arguments.hard else "--seed"
        raise CribevError(f"--again brings back hands of your own: {option} deals others")
    # pandas and rich load slowly, so after what can go wrong
    from cribev.practice.hands import hands_of, new_seed

    hands: Iterator[Hand]
    number, seed = min(arguments.hands, sys.maxsize), None
    if arguments.again:
        waiting = _coming_back(arguments.role)[:number]
        if not waiting:
            print("no hand waits to be thrown again", file=sys.stderr)
            return 0
        hands, number = iter(waiting), len(waiting)
    else:
        seed = new_seed() if arguments.seed is None else arguments.seed
        hands = islice(hands_of(seed, role=arguments.role, hard=arguments.hard), number)
    quiz = _Quiz(arguments, number, seed)
    quiz.begin()
    throws = []
    for at, hand in enumerate(hands, 1):
        thrown = quiz.ask(at, hand)
        if thrown is None:
            break
        throws.append(thrown)
    quiz.end(throws)
    return 0


def _coming_back(role: "Role | None") -> "list[Hand]":
    from cribev.practice.progress import waiting
    from cribev.practice.store import all_kept

    return waiting(all_kept(lambda told: print(f"cribev: {told}", file=sys.stderr)), role)


class _Quiz:
    """A quiz under way: what is asked, told and kept."""

    def __init__(self, arguments: argparse.Namespace, number: int, seed: int | None) -> None:
        from cribev.practice import store

        self.form: str = arguments.format
        self.number, self.seed, self.drawn = number, seed, arguments.seed is None
        self.role, self.hard, self.again = arguments.role, arguments.hard, arguments.again
        self.saves: bool = arguments.save
        self.kind = store.AGAIN if self.again else store.HARD if self.hard else store.DEALT
        self.run = store.new_run()
        self.asks = sys.stdin.isatty()
        self.answers = None if self.asks else _lines()

    def begin(self) -> None:
        """Say on a terminal what is asked, once all is there that would hold up the answers."""
        if self.asks:
            from cribev.game.roles import ROLES
            from cribev.practice.throws import prepare
            from cribev.reviews.wording import pluralize

            prepare([self.role] if self.role else ROLES)
            print(f"{pluralize(self.number, 'hand')}{self.title}", file=sys.stderr)
            print("throw two cards, JS QC, or their places, 5 6; nothing to end\n", file=sys.stderr)

    @property
    def title(self) -> str:
        """Say which hands these are, after how many."""
        if self.seed is None:
            return " again" + (f" as {self.role}" if self.role else "")
        parts = ["", f"seed {self.seed}", *["hard"] * self.hard]
        return ", ".join(parts) + (f", as {self.role}" if self.role else "")

    def ask(self, at: int, hand: "Hand") -> "Throw | None":
        """Ask for one throw and judge it; None where there are no more answers."""
        from cribev.practice.session_look import HandPrompt, VerdictText
        from cribev.practice.throws import question_of, throw
        from cribev.practice.verdicts import verdict_of

        self._show(HandPrompt(hand, at, self.number, numbered=self.asks))
        question = question_of(hand)  # while the player thinks
        cards = self._answer(hand)
        if cards is None:
            return None
        thrown = throw(question, cards)
        verdict = verdict_of(thrown)
        self._keep(thrown, verdict)
        self._show(VerdictText(verdict))
        self._show("")
        return thrown

    def end(self, throws: "list[Throw]") -> None:
        """Say what it came to."""
        if not throws:
            if not self.asks:
                raise CribevError("no answers on standard input: expected two cards a line")
            return
        from cribev.practice.summary import summarize

        run = summarize(throws)
        if self.form == "csv":
            print(run.review.decisions.to_csv(index=False, lineterminator="\n"), end="")
        elif self.form == "json":
            found = {
                "seed": self.seed,
                "role": self.role,
                "hard": self.hard,
                "again": self.again,
                "hands": [
                    {"opponent_cards": one.hand.opponent_cards} | decision
                    for one, decision in zip(throws, run.review.to_dict()["decisions"], strict=True)
                ],
                "summary": run.to_dict(),
            }
            print(json.dumps(found, indent=2, allow_nan=False))
        if self.form == "table" or self.asks:
            from cribev.practice.session_look import SummaryText

            self._show(SummaryText(run, self.title))
        if self.asks:
            self._tell_more()

    def _tell_more(self) -> None:
        """Say how the same hands can be had, and how many come back."""
        from cribev.practice.progress import waiting
        from cribev.practice.store import StoreError, all_kept
        from cribev.reviews.wording import pluralize

        if self.seed is not None and self.drawn:
            more = [f"--hands {self.number}"] * (self.number != 10) + ["--hard"] * self.hard
            more += [f"--{self.role}"] * (self.role is not None)
            told = " ".join(["cribev quiz --seed", str(self.seed), *more])
            print(f"the same hands for a friend: {told}", file=sys.stderr)
        with suppress(StoreError):
            if self.saves and (back := len(waiting(all_kept()))):
                print(
                    f"{pluralize(back, 'hand')} to throw again: cribev quiz --again",
                    file=sys.stderr,
                )

    def _answer(self, hand: "Hand") -> "Cards | None":
        from cribev.practice.throws import read_discard

        if self.answers is not None:
            for number, text in self.answers:
                try:
                    return read_discard(text, hand.deal)
                except CardError as error:
                    raise CribevError(f"line {number}: {error}") from error
            return None
        while text := prompt("throw: ").strip():
            try:
                return read_discard(text, hand.deal)
            except CardError as error:
                print(error, file=sys.stderr)
        return None

    def _show(self, look: "RenderableType") -> None:
        """Show it on standard output; or to a player, where that is for numbers."""
        from cribev.game import render

        if self.form == "table":
            render.show(look, least=_NARROW)
            sys.stdout.flush()
        elif self.asks:
            render.show(look, least=_NARROW, file=sys.stderr)

    def _keep(self, thrown: "Throw", verdict: "Verdict") -> None:
        from cribev.practice.store import StoreError, keep, kept_of

        if not self.saves:
            return
        try:
            keep([kept_of(thrown, verdict.decision, run=self.run, kind=self.kind)])
        except StoreError as error:
            self.saves = False
            print(f"cribev: throws are not kept: {error}", file=sys.stderr)


def _lines() -> "Iterator[tuple[int, str]]":
    """Yield the lines of standard input as they come, numbered, but for those that are blank."""
    number = 0
    for block in input_lines():
        for line in block.decode("utf-8", "replace").splitlines():
            number += 1
            if text := line.strip(" \t\r\n,\ufeff"):
                yield number, text


COMMAND = Command(
    "quiz", "practise: throw from hands, and see what it cost", _EXAMPLES, _add_arguments, _quiz
)
