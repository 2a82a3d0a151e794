"""``cribev score``, ``peg`` and ``deal``: hands counted, one or millions; a play; random hands."""

import argparse
import re
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from cribev.commands import options
from cribev.errors import CribevError
from cribev.game.cards import Cards, numbers_as_text
from cribev.game.scorer import as_hand, count_hands, score_text, score_to_dict
from cribev.rows.lines import format_numbers, parse_lines

if TYPE_CHECKING:
    from cribev.batch.stream import FileSummary

_EXAMPLES = """\
examples:
  cribev score 5C 6D 7D QH 6H
  cribev score "5C 6D 7D QH 6H" --explain
  cribev score 5C 6D 7D QH
  cribev score 10 4 4 4 3
  cribev score 5H 6H 7H 8H 9S --crib
  cribev score 5H 5D JS QC --cuts
  cribev score < hands.txt > points.txt
  cribev score hands.csv -o counted.csv
"""


_DEALT = 6


def _add_arguments(command: options.Parser) -> None:
    command.add(
        "cards CARD", "four cards and the starter, or another number as they are, with suits or "
        "without; if you give none, or -, it reads hands of five from standard input, one per "
        "line, and prints a number for each; or a file of rows (CSV, TSV, JSON lines, Parquet) "
        "with columns hand, starter and crib, four cards or yes and no, to which it adds points; "
        "or of hands of five, one per line",
        nargs="*",
    )  # fmt: skip
    command.add("--crib", "count as a crib")
    command.add("--explain", "list every combination")
    command.add(
        "--cuts", "four cards over every starter, by the rank cut: of 48; or, of six cards, the "
        "four kept first, of 46",
    )  # fmt: skip
    _add_file_options(command)
    options.add_format(command, "text to read (default), or JSON", "text", "json")


def _is_file(words: list[str]) -> bool:
    """Return whether what is given in place of cards is the name of a file."""
    return len(words) == 1 and bool(re.search(r"\.[a-z]\w+$", words[0], re.IGNORECASE))


def _add_file_options(command: options.Parser) -> None:
    """Add the options of a file of rows to which points are added."""
    command.add("-o --output FILE", "of a file: where to (default: -, as CSV)")
    command.add("--force", "replace an existing file")
    options.add_errors(command)
    options.add_headings(command)


def _refuse_file_options(arguments: argparse.Namespace, command: str, *others: str) -> None:
    """Refuse options that go with a file where there is none."""
    skips = "--errors" if arguments.errors == "skip" else None
    if option := options.given(arguments, "output", "force", "columns", *others) or skips:
        raise CribevError(f"{option} goes with a file: cribev {command} rows.csv {option} …")


def _add_to_file(arguments: argparse.Namespace, count: Callable[..., "FileSummary"]) -> None:
    """Add points to a file of rows."""
    done = count(
        arguments.cards[0], arguments.output or "-", errors=arguments.errors,
        force=arguments.force, headings=options.headings(arguments),
    )  # fmt: skip
    options.tell_rows(done, "rows counted")


def _score(arguments: argparse.Namespace) -> None:
    of_file = _is_file(arguments.cards) and not arguments.cuts
    if arguments.numbers and not of_file:
        arguments.cards = [numbers_as_text(text, arguments.numbers) for text in arguments.cards]
    if not of_file:
        _refuse_file_options(arguments, "score")
    if of_file and (option := options.given(arguments, "explain")):
        raise CribevError(f"{option} goes with one hand, and not with a file")
    if arguments.cuts:
        from cribev.game.show import cuts

        counts = cuts(" ".join(arguments.cards), crib=arguments.crib)
        options.print_result(arguments.format, lambda: [counts], plain=counts.to_dict, indent=None)
        return
    if of_file:
        from cribev.batch.stream import score_file

        _add_to_file(arguments, partial(score_file, crib=arguments.crib))
        return
    if arguments.cards in ([], ["-"]):
        if not arguments.cards and sys.stdin.isatty():
            raise CribevError(
                "no cards: give four and the starter (cribev score 5C 6D 7D QH 6H), "
                "or hands on standard input, one a line"
            )
        if option := options.given(arguments, "explain", "numbers"):
            raise CribevError(f"{option} goes with one hand, and not with standard input")
        _score_lines(arguments)
        return
    cards = as_hand(" ".join(arguments.cards))
    if arguments.format == "json" or arguments.explain:
        _print_score(cards, arguments)
    else:
        dealt = "; which two to discard? cribev advise says" * (len(cards) == _DEALT)
        print(f"{score_text(cards, crib=arguments.crib)}{dealt}")


def _print_score(cards: Cards, arguments: argparse.Namespace) -> None:
    if arguments.explain:
        from cribev.game.show import explain

        show = explain(cards.tolist(), crib=arguments.crib)
        options.print_result(arguments.format, lambda: [show], plain=show.to_dict, indent=None)
    else:
        options.print_json(score_to_dict(cards, crib=arguments.crib), indent=None)


def _score_lines(arguments: argparse.Namespace) -> None:
    """Score a hand a line from standard input, past blank lines and a header; stop at a bad one."""
    done = counted = 0
    for block in options.input_lines():
        cards, errors = parse_lines(block, count=5, suitless=True)
        lines = block.split(b"\n") if errors else []
        stripped = {line: lines[line].strip(b" \t\r,\xef\xbb\xbf") for line in errors}
        empty = [line for line, text in stripped.items() if not text or text.startswith(b"#")]
        if not counted and (first := min({*errors} - {*empty}, default=-1)) >= 0:
            header = re.fullmatch(
                rb"[\s,;\xef\xbb\xbf]*(?:([A-Za-z_]{3,}+[\s,;]*+)+|[0-9]+\s*)", lines[first]
            )
            none_yet = {*range(first)} <= {*empty}
            empty += [first] if header and none_yet else []
        errors = {line: error for line, error in errors.items() if line not in empty}
        end = min(errors, default=len(cards))
        good = np.delete(cards[:end], [line for line in empty if line < end], axis=0)
        if arguments.format == "json" or arguments.explain:
            for hand in good:
                _print_score(hand, arguments)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(format_numbers(count_hands(good, crib=arguments.crib)))
        sys.stdout.flush()
        if errors:
            line, error = next(iter(errors.items()))
            raise CribevError(f"line {done + line + 1}: {error}")
        done, counted = done + len(cards), counted + len(good)


SCORE = options.Command(_EXAMPLES, _add_arguments, _score)

_PEG_EXAMPLES = """\
examples:
  cribev peg 2 5 5 7 6 6
  cribev peg "2 5 5 (12-2) 7 6 (25-3) 6 (31-4)"
  cribev peg T-T-9-go-A-go-4-5
  cribev peg T T 9 A 4 5 --pone "T 9 A 5" --dealer "T K 4 3"
  cribev peg plays.csv -o pegged.csv

Plays are read as columns print them: 2-5-5-7-6-6, "Go!", 4?, 31/2. Where a go that
is not written leaves two ways, the answer says which it took. A ten is T or 10. A
number in brackets, (15), or with its points, 15-2, is a count: a 10 that stands
alone is a card. 4!! is a card that fitted when its player said go, and nobody
noticed.
"""


def _add_peg_arguments(command: options.Parser) -> None:
    command.add(
        "cards CARD", "cards as they are played, pone's first; go where a player cannot play and "
        "the other goes on; / where the count starts again although a card would fit; a count and "
        "points (15-2) may follow a card, and are checked; or a file of rows with a column play, "
        "to which it adds pone_points and dealer_points", nargs="+",
    )  # fmt: skip
    for role in ("pone", "dealer"):
        keeps = f"the cards {role} keeps; with both hands you can leave goes out"
        command.add(f"--{role} CARDS", keeps)
    _add_file_options(command)
    options.add_format(command, "text to read (default), or JSON", "text", "json")


def _peg(arguments: argparse.Namespace) -> None:
    if _is_file(arguments.cards):
        from cribev.batch.stream import peg_file

        if option := options.given(arguments, "pone", "dealer"):
            raise CribevError(f"{option} goes with one play, and not with a file")
        _add_to_file(arguments, peg_file)
        return
    from cribev.game.play import peg

    _refuse_file_options(arguments, "peg", "numbers")
    play = peg(" ".join(arguments.cards), pone=arguments.pone, dealer=arguments.dealer)
    options.print_result(arguments.format, lambda: [play], plain=play.to_dict, indent=None)


PEG = options.Command(_PEG_EXAMPLES, _add_peg_arguments, _peg)

_DEAL_EXAMPLES = """\
examples:
  cribev deal 5 --seed 1
  cribev deal 1000000 --seed 1 -o deals.parquet
"""


def _add_deal_arguments(deal: options.Parser) -> None:
    deal.add("number N", "how many hands", type=partial(options.whole, most=10**12))
    deal.add("--seed N", "deal the same hands every time", type=options.whole)
    deal.add("-o --output FILE", "a file (default: -, standard output)", default="-")
    options.add_output_format(deal)


def _deal(arguments: argparse.Namespace) -> None:
    from cribev.batch.stream import write_random_deals

    how = {"seed": arguments.seed, "form": arguments.format, "force": arguments.force}
    write_random_deals(arguments.number, arguments.output, **how)


DEAL = options.Command(_DEAL_EXAMPLES, _add_deal_arguments, _deal)
