"""Counting as a drill, on a terminal or in a pipe: a hand, what it counts, what was missed."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

import pandas as pd
from rich.console import RenderableType
from rich.text import Text

from cribev.advice.decisions import line_text
from cribev.choice import pluralize
from cribev.commands.options import numbered_lines, print_csv, print_json, prompt, warn
from cribev.errors import CribevError
from cribev.game import render
from cribev.game.cards import format_card, format_cards
from cribev.game.show import Show
from cribev.practice.counting import Counted, count_progress, counts_of, parse_count
from cribev.practice.problems import new_seed
from cribev.practice.store import Store, StoreError, new_session_name, store_path


def run_count_quiz(arguments: argparse.Namespace) -> None:
    """Ask what hands and cribs count, then say how that went, and what was missed most."""
    seed = new_seed() if arguments.seed is None else arguments.seed
    asks, number = sys.stdin.isatty(), min(arguments.hands, sys.maxsize)
    store, session = Store(store_path()) if arguments.save else None, new_session_name()
    told = sys.stdout if arguments.format == "table" else sys.stderr

    def show(result: RenderableType) -> None:
        if asks or told is sys.stdout:
            render.show(result, least=30, file=told)
            told.flush()

    if asks:
        print(f"{pluralize(number, 'hand')} to count, seed {seed}", file=sys.stderr)
        print("type the points, with the starter; q ends the quiz\n", file=sys.stderr)
    counted: list[Counted] = []
    typed = numbered_lines()
    for at, hand in enumerate(islice(counts_of(seed), number), 1):
        show(Text(f"{at} of {number}, {'crib' if hand.crib else 'hand'}: {_cards(hand)}"))
        points = _asked() if asks else _typed(typed)
        if points is None:
            break
        found = Counted(hand, points)
        counted.append(found)
        if store:
            with suppress(StoreError):
                store.save(found.stored(session=session, number=at))
        line = line_text(found.result)
        show(Text(line[0].upper() + line[1:]))
        if found.verdict == "missed":
            show(hand)
        show("")
    if counted:
        _end(counted, seed, arguments.format)
        show(Text(f"Seed {seed}: {count_progress(counted)}"))
    elif not asks:
        raise CribevError("no answers on standard input: expected points, a number a line")
    if store and store.last_error:
        warn(f"{pluralize(store.pending, 'count')} could not be saved: {store.last_error}")


def _cards(hand: Show) -> str:
    return f"{format_cards(hand.hand)} + {_starter(hand)}"


def _starter(hand: Show) -> str:
    return "" if hand.starter is None else format_card(hand.starter)


def _typed(lines: Iterator[tuple[int, str]]) -> int | None:
    """Return what the next line counts; None at the end of the input."""
    for line, text in lines:
        try:
            return parse_count(text)
        except CribevError as error:
            raise CribevError(f"line {line}: {error}") from error
    return None


def _asked() -> int | None:
    """Ask until it is a number; None at the end."""
    while (text := prompt("points: ")) and text.strip().lower() != "q":
        try:
            return parse_count(text)
        except CribevError as error:
            print(error, file=sys.stderr)
    return None


def _end(counted: list[Counted], seed: int, form: str) -> None:
    """Print the answers as CSV or JSON, if that is asked for."""
    if form == "json":
        answers = [
            one.show.to_dict()
            | {"counted": one.points, "verdict": one.verdict, "missed": one.show.missed(one.points)}
            for one in counted
        ]
        summary = count_progress(counted).to_dict()
        print_json({"seed": seed, "counts": answers, "summary": summary})
    elif form == "csv":
        columns = ["cards", "starter", "crib", "points", "counted", "verdict"]
        rows = [
            (
                format_cards(one.show.hand), _starter(one.show), int(one.show.crib),
                one.show.total, one.points, one.verdict,
            )
            for one in counted
        ]  # fmt: skip
        print_csv(pd.DataFrame(rows, columns=columns))
