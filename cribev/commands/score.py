"""``cribev score``, ``peg`` and ``deal``: hands counted, one or millions; a play; random hands."""

import argparse
import sys

from cribev.commands import options
from cribev.errors import CribevError
from cribev.game.cards import Cards, format_cards
from cribev.game.scoring import as_four_or_five, score, score_hands, score_to_dict
from cribev.rows.lines import format_numbers, parse_lines

_EXAMPLES = """\
examples:
  cribev score 5C 6D 7D QH 6H
  cribev score "5C 6D 7D QH 6H" --explain
  cribev score 5C 6D 7D QH
  cribev score 5H 6H 7H 8H 9S --crib
  cribev score < hands.txt > points.txt
"""


def _add_arguments(command: options.Parser) -> None:
    command.add(
        "cards CARD", "four cards and the starter, or four before the cut; if you give none, or "
        "-, it reads hands of five from standard input, one per line, and prints a number for each",
        nargs="*",
    )  # fmt: skip
    command.add("--crib", "count as a crib")
    command.add("--explain", "list every combination")
    options.add_random(command)
    options.add_format(command, "text to read (default), or JSON", "text", "json")


def _score(arguments: argparse.Namespace) -> int:
    if not arguments.random and arguments.cards in ([], ["-"]):
        options.check_seed(arguments)
        if not arguments.cards and sys.stdin.isatty():
            raise CribevError(
                "no cards: give four and the starter (cribev score 5C 6D 7D QH 6H), "
                "or hands on standard input, one a line"
            )
        return _score_lines(arguments)
    if arguments.random:
        cards = options.given_cards(arguments, count=5)
    else:
        options.check_seed(arguments)
        cards = as_four_or_five(" ".join(arguments.cards))
    if arguments.format == "json" or arguments.explain:
        _print_score(cards, arguments)
        return 0
    points = score(cards[:4], _starter(cards), crib=arguments.crib)
    if arguments.random:
        print(f"{format_cards(cards)} = {points}")
    else:
        print(points if len(cards) == 5 else f"{points} before the cut")
    return 0


def _starter(cards: Cards) -> int | None:
    return int(cards[4]) if len(cards) == 5 else None


def _print_score(cards: Cards, arguments: argparse.Namespace) -> None:
    """Print one count at more length than a number."""
    if arguments.explain:
        from cribev.game.show import explain

        show = explain(cards[:4], _starter(cards), crib=arguments.crib)
        options.print_result(
            arguments.format, table=lambda: [show], plain=show.to_dict, indent=None
        )
    else:
        options.print_json(score_to_dict(cards, crib=arguments.crib), indent=None)


def _score_lines(arguments: argparse.Namespace) -> int:
    """Score a hand a line from standard input; stop at the first bad line."""
    done = 0
    for block in options.input_lines():
        cards, errors = parse_lines(block, count=5)
        good = cards[: min(errors, default=len(cards))]
        if arguments.format == "json" or arguments.explain:
            for hand in good:
                _print_score(hand, arguments)
        else:
            points = score_hands(good[:, :4], good[:, 4], crib=arguments.crib)
            sys.stdout.flush()
            sys.stdout.buffer.write(format_numbers(points))
        sys.stdout.flush()
        if errors:
            line, error = next(iter(errors.items()))
            raise CribevError(f"line {done + line + 1}: {error}")
        done += len(cards)
    return 0


SCORE = options.Command(
    "score", "count a hand of four cards and a starter", _EXAMPLES, _add_arguments, _score
)


_PEG_EXAMPLES = """\
examples:
  cribev peg 2 5 5 7 6 6
  cribev peg "2 5 5 (12-2) 7 6 (25-3) 6 (31-4)"
  cribev peg T T 9 go A go 4 5
  cribev peg T T 9 A 4 5 --pone "T 9 A 5" --dealer "T K 4 3"

A ten is T or 10. A number in brackets, (15), or with its points, 15-2, is a
count: a 10 that stands alone is a card.
"""


def _add_peg_arguments(command: options.Parser) -> None:
    command.add(
        "cards CARD", "cards as they are laid, pone's first; go where a player cannot lay and the "
        "other goes on; / where the count starts again although a card would fit; a count and "
        "points (15-2) may follow a card, and are checked", nargs="+",
    )  # fmt: skip
    for role in ("pone", "dealer"):
        command.add_argument(
            f"--{role}",
            metavar="CARDS",
            help=f"the cards {role} keeps; with both hands you can leave goes out",
        )
    options.add_format(command, "text to read (default), or JSON", "text", "json")


def _peg(arguments: argparse.Namespace) -> int:
    from cribev.game.play import peg

    play = peg(" ".join(arguments.cards), pone=arguments.pone, dealer=arguments.dealer)
    options.print_result(arguments.format, table=lambda: [play], plain=play.to_dict, indent=None)
    return 0


PEG = options.Command(
    "peg", "show who pegs what in the play, card by card", _PEG_EXAMPLES, _add_peg_arguments, _peg
)

_DEAL_EXAMPLES = """\
examples:
  cribev deal 5 --seed 1
  cribev deal 1000000 --seed 1 -o deals.parquet
"""


def _add_deal_arguments(deal: options.Parser) -> None:
    deal.add("number N", "how many hands", type=options.natural)
    deal.add("--seed N", "deal the same hands every time", type=options.natural)
    deal.add("-o --output FILE", "a file (default: -, standard output)", default="-")
    options.add_output_format(deal)


def _deal(arguments: argparse.Namespace) -> int:
    from cribev.batch.stream import write_random_deals

    write_random_deals(
        arguments.number,
        arguments.output,
        seed=arguments.seed,
        form=arguments.format,
        force=arguments.force,
    )
    return 0


DEAL = options.Command(
    "deal", "deal random hands, with roles", _DEAL_EXAMPLES, _add_deal_arguments, _deal
)
