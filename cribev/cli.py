"""The commands: parse arguments, call one function, print."""

import argparse
import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import cribev
from cribev import batch_commands, review_command
from cribev.arguments import Parser, add_command, add_opponent, add_roles, natural, positive
from cribev.cards import Cards, format_cards, parse_cards, random_hands
from cribev.errors import CribevError, quote
from cribev.lines import format_numbers, parse_lines
from cribev.pairtable import PUBLISHED_CRIBS
from cribev.roles import ROLES, Role
from cribev.scoring import score, score_hands

_COMMANDS = ("advise", "score", "review", "batch", "deal", "tables", "solve")
_CHUNK = 1 << 20  # bytes of standard input at a time

_ADVISE_EXAMPLES = """\
examples:
  cribev advise 5H 5D JS QC 2H 8D --dealer
  cribev advise "5h 5d js qc 2h 8d" --pone --top 5 --explain
  cribev advise 5h5djsqc2h8d --crib-table schell
  cribev advise --random --seed 7
  cribev advise 5H 5D JS QC 2H 8D --dealer --format json | jq .discards[0]

Without --dealer or --pone it answers for both.
"""
_SCORE_EXAMPLES = """\
examples:
  cribev score 5C 6D 7D QH 6H
  cribev score "5C 6D 7D QH 6H" --explain
  cribev score 5H 6H 7H 8H 9S --crib
  cribev score < hands.txt > points.txt
"""


_TABLES_EXAMPLES = """\
examples:
  cribev tables crib --role dealer
  cribev tables crib --compare hessel
  cribev tables frequency --format csv > frequency.csv
  cribev tables policies
"""
_SOLVE_EXAMPLES = """\
examples:
  cribev solve
  cribev solve -o solution.npz
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv
        Arguments; those of the process if None.

    Returns
    -------
    Exit status: 0, or 2 after one line on standard error about bad input.

    Examples
    --------
    >>> main(["score", "5C 6D 7D QH 6H"])
    10
    0
    """
    _open_closed_streams()
    try:
        status = _run(argv)
        sys.stdout.flush()
        return status
    except CribevError as error:
        return _fail(str(error))
    except BrokenPipeError:
        _give_up_output()  # the reader has had enough
        return 0
    except OSError as error:
        _give_up_output()
        print(f"cribev: error: cannot write: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _open_closed_streams() -> None:
    """Give the process the streams it was started without, and names it cannot spell no errors."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _give_up_output() -> None:
    """Keep the interpreter from flushing, when it ends, into what cannot be written."""
    with suppress(OSError):  # standard output may be no file at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: Sequence[str] | None) -> int:
    parser = _parser()
    arguments, extra = parser.parse_known_args(argv)
    # argparse takes cards up to the first option only; those after it are cards as well.
    if unknown := [text for text in extra if text.startswith("-") and text not in ("-", "--")]:
        parser.error(f"no such option: {unknown[0]!r}")
    if arguments.command is None:
        parser.error(f"no command: expected {', '.join(_COMMANDS)}; cribev --help shows more")
    if more := [text for text in extra if text != "--"]:
        if not hasattr(arguments, "cards"):
            parser.error(f"{quote(more[0])} is one word too many for cribev {arguments.command}")
        arguments.cards += more
    status: int = arguments.run(arguments)
    return status


def _fail(message: str) -> int:
    one_line = " ".join(message.splitlines())  # arguments may hold line breaks
    print(f"cribev: error: {one_line}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="cribev",
        description=cribev.__doc__,
        epilog="cribev COMMAND --help shows the options of a command, with examples.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"cribev {cribev.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command")

    advise = add_command(
        commands, "advise", "say which two of six cards to discard, and why", _ADVISE_EXAMPLES
    )
    advise.set_defaults(run=_advise)
    advise.add_argument(
        "cards", nargs="*", metavar="CARD", help="six cards; - reads them from stdin"
    )
    add_roles(advise)
    add_opponent(advise)
    advise.add_argument(
        "--crib-table", metavar="NAME|FILE",
        help=f"take average cribs from a published table ({', '.join(PUBLISHED_CRIBS)}) or a CSV "
        "file (rank1,rank2,dealer,pone)",
    )  # fmt: skip
    advise.add_argument("--top", type=positive, metavar="N", help="show the best N discards only")
    advise.add_argument(
        "--explain", action="store_true",
        help="for the best discard: what is locked in, which starters help, how it may turn out",
    )  # fmt: skip
    _add_random(advise)
    advise.add_argument("--format", choices=["table", "csv", "json"], default="table")

    score = add_command(
        commands, "score", "count a hand of four cards and a starter", _SCORE_EXAMPLES
    )
    score.set_defaults(run=_score)
    score.add_argument(
        "cards", nargs="*", metavar="CARD",
        help="four cards and the starter; without any, or with -, hands are read from standard "
        "input, one a line, and a number is printed for each",
    )  # fmt: skip
    score.add_argument("--crib", action="store_true", help="count as a crib")
    score.add_argument("--explain", action="store_true", help="list every combination")
    _add_random(score)
    score.add_argument("--format", choices=["text", "json"], default="text")

    review = add_command(
        commands, "review", "review a played game: what was lost, and what was luck",
        review_command.EXAMPLES,
    )  # fmt: skip
    review.set_defaults(run=review_command.run)
    review_command.add_arguments(review)
    batch_commands.add_to(commands)

    tables = add_command(
        commands, "tables", "show what the solved game teaches, by rank pair", _TABLES_EXAMPLES
    )
    tables.set_defaults(run=_tables)
    tables.add_argument(
        "what", choices=["crib", "frequency", "policies"],
        help="average crib by what is thrown; how often each pair is thrown; what other ways to "
        "discard lose against an expert",
    )  # fmt: skip
    tables.add_argument("--role", choices=ROLES, help="who throws; both if not given")
    tables.add_argument(
        "--compare", choices=PUBLISHED_CRIBS, help="crib: the difference from a published table"
    )
    tables.add_argument("--format", choices=["table", "csv", "json"], default="table")

    solve = add_command(
        commands, "solve", "solve the discard game from nothing (a minute)", _SOLVE_EXAMPLES
    )
    solve.set_defaults(run=_solve)
    solve.add_argument("-o", "--output", metavar="FILE", help="write the solution to a file (.npz)")
    solve.add_argument("--force", action="store_true", help="replace a file that is there")
    return parser


def _add_random(command: argparse.ArgumentParser) -> None:
    command.add_argument("--random", action="store_true", help="deal the cards at random")
    command.add_argument("--seed", type=natural, metavar="N", help="deal the same cards every time")


def _advise(arguments: argparse.Namespace) -> int:
    if arguments.explain and arguments.format == "csv":
        raise CribevError("--explain goes with --format table or json, not csv")
    cards = _given_cards(arguments, count=6)
    from cribev.advice import advise  # pandas and rich load slowly, so after what can go wrong

    advices = [
        advise(cards, role=role, opponent=arguments.opponent, crib_table=arguments.crib_table)
        for role in ([arguments.role] if arguments.role else ROLES)
    ]
    explanations = [advice.explain() if arguments.explain else None for advice in advices]
    if arguments.format == "json":
        found = [
            advice.to_dict(top=arguments.top) | ({"explanation": why.to_dict()} if why else {})
            for advice, why in zip(advices, explanations, strict=True)
        ]
        _print_json(found if len(found) > 1 else found[0])
    elif arguments.format == "csv":
        for at, advice in enumerate(advices):
            frame = advice.table.head(arguments.top or 15)
            frame.insert(0, "role", advice.role)
            print(frame.to_csv(index=False, header=at == 0, lineterminator="\n"), end="")
    else:
        from cribev import render

        for at, (advice, why) in enumerate(zip(advices, explanations, strict=True)):
            if at:
                print()
            render.show(advice.top(arguments.top or 15))
            if why:
                render.show(why)
    return 0


def _tables(arguments: argparse.Namespace) -> int:
    if arguments.compare and arguments.what != "crib":
        raise CribevError(f"--compare goes with tables crib, not {arguments.what}")
    if arguments.role and arguments.what == "policies":
        raise CribevError("--role goes with tables crib and frequency, not policies")
    import pandas as pd

    from cribev import lessons, render

    roles: Sequence[Role] = [arguments.role] if arguments.role else ROLES
    if arguments.what == "policies":
        frames = [lessons.policy_losses()]
        looks: list[render.Look] = [lessons.PolicyList(frames[0])]
    elif arguments.compare:
        frames = [lessons.compared_cribs(role, arguments.compare) for role in roles]
        looks = [lessons.comparison_chart(role, arguments.compare) for role in roles]
    else:
        chart = lessons.crib_chart if arguments.what == "crib" else lessons.frequency_chart
        frames = [lessons.thrown_pairs(role) for role in roles]
        if arguments.what == "frequency":
            frames = [frame.drop(columns=["crib_mean", "crib_mean_held"]) for frame in frames]
        looks = [chart(role) for role in roles]
    if arguments.format == "table":
        for at, look in enumerate(looks):
            print(end="\n" if at else "")
            render.show(look)
        return 0
    frame = pd.concat(frames, ignore_index=True)
    if arguments.format == "csv":
        print(frame.to_csv(index=False, lineterminator="\n"), end="")
    else:
        _print_json(frame.astype(object).where(frame.notna(), None).to_dict(orient="records"))
    return 0


def _solve(arguments: argparse.Namespace) -> int:
    output = Path(arguments.output) if arguments.output else None
    if output is not None and output.exists() and not arguments.force:
        raise CribevError(f"{quote(str(output))} is there already: --force replaces it")
    if output is not None and not output.parent.is_dir():
        raise CribevError(f"there is no folder {quote(str(output.parent))} to write to")
    from tqdm import tqdm

    from cribev.deals import DEALS
    from cribev.equilibrium import RoundReport, solve
    from cribev.solution import UNSETTLED, save

    with tqdm(desc="solving", unit=" rounds", disable=None) as bar:

        def report(done: RoundReport) -> None:
            bar.write(
                f"round {done.number}, {done.role}: {done.changed:,} of {DEALS:,} deals changed, "
                f"{done.gain:.3g} points a deal gained",
                file=sys.stderr,
            )
            bar.update(done.role == ROLES[-1])

        solution = solve(report)
    if output is not None:
        save(solution, output)
    for role in ROLES:
        averages = solution.averages[role]
        print(
            f"{role}: hand {averages.hand:.4f}, crib {averages.crib:.4f}, "
            f"expected {averages.expected:.4f}; left to gain {solution.exploitability[role]:.3g} "
            f"points a deal, in {solution.changes[role]:,} deals"
        )
    if solution.cycle == UNSETTLED:
        print(f"{solution.rounds} rounds, and not settled")
    else:
        end = f"a circle of {solution.cycle} rounds" if solution.cycle else "a fixed point"
        print(f"{solution.rounds} rounds, ending in {end}")
    return 0


def _score(arguments: argparse.Namespace) -> int:
    if not arguments.random and arguments.cards in ([], ["-"]):
        _check_seed(arguments)
        if not arguments.cards and sys.stdin.isatty():
            raise CribevError(
                "no cards: give four and the starter (cribev score 5C 6D 7D QH 6H), "
                "or hands on standard input, one a line"
            )
        return _score_lines(arguments)
    cards = _given_cards(arguments, count=5)
    if arguments.format == "json" or arguments.explain:
        _print_score(cards, arguments)
    else:
        points = score(cards[:4], cards[4], crib=arguments.crib)
        print(f"{format_cards(cards)} = {points}" if arguments.random else points)
    return 0


def _print_score(cards: Cards, arguments: argparse.Namespace) -> None:
    """Print one count at more length than a number."""
    result: dict[str, Any]
    if arguments.explain:
        from cribev.show import explain

        show = explain(cards[:4], cards[4], crib=arguments.crib)
        if arguments.format == "text":
            from cribev import render

            render.show(show)
            return
        result = show.to_dict()
    else:
        result = {
            "hand": format_cards(cards[:4]).split(),
            "starter": format_cards(cards[4:]),
            "crib": arguments.crib,
            "points": score(cards[:4], cards[4], crib=arguments.crib),
        }
    print(json.dumps(result))


def _score_lines(arguments: argparse.Namespace) -> int:
    """Score a hand a line from standard input; stop at the first bad line."""
    done = 0
    for block in _whole_lines(sys.stdin.buffer):
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


def _whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield what has come in so far, cut at the end of a line."""
    rest = b""
    while chunk := _read(stream):
        lines, ended, tail = chunk.rpartition(b"\n")
        if ended:
            yield rest + lines + ended
            rest = tail
        else:
            rest += tail
    if rest:
        yield rest


def _read(stream: BinaryIO) -> bytes:
    try:
        chunk: bytes = stream.read1(_CHUNK)  # type: ignore[attr-defined]  # BinaryIO lacks it
    except OSError as error:
        raise CribevError(f"cannot read standard input: {error.strerror}") from error
    return chunk


def _given_cards(arguments: argparse.Namespace, *, count: int) -> Cards:
    if arguments.random:
        if arguments.cards:
            raise CribevError(f"{' '.join(arguments.cards)!r} given, and --random too: choose one")
        hand: Cards = random_hands(1, cards=count, seed=arguments.seed)[0]
        return hand
    _check_seed(arguments)
    if not arguments.cards:
        raise CribevError(f"no cards: give {count}, or --random")
    text = " ".join(arguments.cards)
    if arguments.cards == ["-"]:
        text = b"".join(_whole_lines(sys.stdin.buffer)).decode("utf-8", "replace").strip()
    return parse_cards(text, count=count)


def _check_seed(arguments: argparse.Namespace) -> None:
    if arguments.seed is not None and not arguments.random:
        raise CribevError("--seed goes with --random")


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=2))
