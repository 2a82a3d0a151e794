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
from cribev.commands import options
from cribev.errors import CribevError
from cribev.game import render
from cribev.game.cards import format_cards
from cribev.practice.counting import count_progress, count_result, counts_of, parse_count
from cribev.practice.problems import new_seed
from cribev.practice.store import Store, StoredCount, StoreError, new_session_name, store_path


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
    counted: list[StoredCount] = []
    typed = options.numbered_lines()
    for at, hand in enumerate(islice(counts_of(seed), number), 1):
        cards = f"{format_cards(hand.hand)} + {format_cards(hand.cut)}"
        show(Text(f"{at} of {number}, {'crib' if hand.crib else 'hand'}: {cards}"))
        points = _asked() if asks else _typed(typed)
        if points is None:
            break
        counted.append(StoredCount.of(hand, points, session=session, number=at))
        if store:
            with suppress(StoreError):
                store.save(counted[-1])
        line = line_text(count_result(hand, points))
        show(Text(line[0].upper() + line[1:]))
        if points < hand.total:
            show(hand)
        show("")
    progress = count_progress(counted)
    if progress is None and not asks:
        raise CribevError("no answers on standard input: expected points, a number a line")
    if progress and arguments.format == "json":
        answers = [one.show.to_dict() | {"counted": one.counted} for one in counted]
        options.print_json({"seed": seed, "counts": answers, "summary": progress._asdict()})
    elif progress and arguments.format == "csv":
        columns = ["cards", "starter", "crib", "counted"]
        frame = pd.DataFrame(counted, columns=StoredCount._fields)[columns]
        options.print_csv(frame.assign(points=[one.show.total for one in counted]))
    if progress:
        show(Text(f"Seed {seed}: {progress}"))
    if store and store.last_error:
        options.warn(f"{pluralize(store.pending, 'count')} could not be saved: {store.last_error}")


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
    while (text := options.prompt("points: ")) and text.strip().lower() != "q":
        try:
            return parse_count(text)
        except CribevError as error:
            print(error, file=sys.stderr)
    return None
