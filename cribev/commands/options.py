"""The shared parts of commands: their type, options, standard input and output."""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import BufferedReader
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar, cast

from cribev.errors import CribevError, TableError, quote
from cribev.game.cards import NUMBERINGS
from cribev.game.roles import ROLES
from cribev.game.words import MAX_DIGITS, parse_integer
from cribev.rows.lines import FORMATS, complete_lines
from cribev.rows.names import COLUMN_DESCRIPTIONS

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

    from cribev.batch.stream import FileSummary
    from cribev.rows.headings import Headings
    from cribev.tables.listing import Listing


FORMULAS = "Beware: a spreadsheet takes text that begins with = + - or @ for a formula."


class Parser(argparse.ArgumentParser):
    """A parser that raises what is wrong."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options
        )

    def add(self, usage: str, explained: str, **more: Any) -> None:
        """Add an argument as its usage is written: ``--explain``, ``--top N``, ``cards CARD``."""
        *names, last = usage.split()
        if last.startswith("-"):
            self.add_argument(*names, last, help=explained, action="store_true", **more)
        else:
            self.add_argument(*names, metavar=last, help=explained, **more)

    def print_help(self, file: Any = None) -> None:
        """Print help, or raise `OSError`, which argparse would pass over."""
        (file or sys.stdout).write(self.format_help())

    def format_help(self) -> str:
        """Write the help of a command with its examples first, and what is to be read at the end.

        The first line does not list the options again.
        """
        examples, _, rest = (self.epilog or "").partition("\n\n")
        if not examples.startswith("examples:"):
            return super().format_help()
        formatter = self._get_formatter()
        positional = (action for action in self._actions if not action.option_strings)
        named = (formatter._format_args(action, str(action.metavar)) for action in positional)
        formatter.add_usage(" ".join(["%(prog)s [options]", *named]), (), ())
        for text in (self.description, examples):
            formatter.add_text(text)
        for group in self._action_groups:
            formatter.start_section(group.title)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        formatter.add_text(rest)
        return formatter.format_help()

    @property
    def option_names(self) -> list[str]:
        """The names of all options, as ``--score``."""
        return re.findall(r"--[a-z][a-z-]*", self.format_usage())

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong."""
        if both := re.fullmatch(r"argument (\S+): not allowed with argument (\S+)", message):
            raise CribevError(f"{both[2]} and {both[1]}: choose one")
        raise CribevError(re.sub("'([^']{60,})'", lambda long: quote(long[1]), message))


def with_values(words: Iterable[str]) -> list[str]:
    """Join values that look like options to the option before them: ``--score=-5-3``."""
    joined = list[str]()
    for word in words:
        if re.match("-[0-9]", word) and joined and re.fullmatch("--[a-z][a-z-]*", joined[-1]):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


class Command(NamedTuple):
    """A command: the end of its help, its arguments, and its function; `cli` has its purpose."""

    examples: str
    add_arguments: Callable[[Parser], None]
    run: Callable[[argparse.Namespace], None]


def columns_help(*names: str, descriptions: Mapping[str, str] = COLUMN_DESCRIPTIONS) -> str:
    """List columns and what they are, for the end of a command's help."""
    lines = []
    for name in names:
        first, *more = wrap(descriptions[name], 60)
        lines += [f"  {name:16}  {first}", *(f"{'':20}{line}" for line in more)]
    return "\n".join(lines)


def add_roles(command: Parser) -> None:
    """Add an option for each role; only one of them can be given."""
    role = command.add_mutually_exclusive_group()
    for name, whose in zip(ROLES, ("yours", "your opponent's"), strict=True):
        role.add_argument(
            f"--{name}", dest="role", action="store_const", const=name, help=f"the crib is {whose}"
        )


def add_opponent(command: Parser) -> None:
    """Add the option that says whom you play."""
    command.add(
        "--opponent NAME|FILE",
        "expert (default); people; a level: beginner, casual, club, greedy, strong; a JSON file of "
        "somebody's habits, from cribev review --fit; uniform, any two cards, or a CSV file of "
        "discards (rank1,rank2,dealer_pct,pone_pct): these two play as an expert",
        default="expert",
    )


def add_show_only(command: Parser) -> None:
    """Add the option that leaves the play out."""
    command.add_argument(
        "--show-only", dest="play", action="store_false",
        help="count hand and crib without the play, against an expert who does too",
    )  # fmt: skip


def add_stakes(command: Parser, where: str = "with --score") -> None:
    """Add the option that says what a game is played for, and where that counts."""
    command.add(
        "--stakes acc|games",
        f"{where}, what is played for: win (default); acc, 2 for a win and 3 for a skunk, your own "
        "points; games, 1, 2 and 3 with a double skunk, less your opponent's",
    )


def add_output_format(command: Parser) -> None:
    """Add the options of a file of rows that is written."""
    command.add_argument(
        "--format", choices=FORMATS,
        help="format of the output, if its suffix does not say (default for standard output: csv)",
    )  # fmt: skip
    command.add("--force", "replace an existing file")


def add_format(command: Parser, explained: str, *forms: str) -> None:
    """Add ``--format``: a table, CSV or JSON, or these forms, of which the first is the default."""
    choices = forms or ("table", "csv", "json")
    command.add_argument("--format", choices=choices, default=choices[0], help=explained)


HEADINGS = ("columns", "numbers")


def add_headings(command: Parser) -> None:
    """Add the options that say what the columns of a file mean."""
    command.add_argument(
        "--columns", metavar="THEIRS=OURS", action="append",
        help="what a column of a file means, such as Turn=starter, for each whose name does not "
        "say it",
    )  # fmt: skip
    command.add_argument(
        "--numbers", choices=NUMBERINGS,
        help="cards are numbers 0 to 51: rank-major, 4 times the rank (the ace 0) plus the suit "
        "(clubs 0, diamonds 1, hearts 2, spades 3); or suit-major, 13 times the suit plus the rank",
    )  # fmt: skip


def add_errors(command: Parser) -> None:
    """Add the option that says what to do about bad rows of a file."""
    command.add_argument(
        "--errors", choices=["raise", "skip"], default="raise",
        help="stop at the first bad row (default), or put bad rows in OUTPUT.rejects.csv",
    )  # fmt: skip


def tell_rows(summary: "FileSummary", what: str) -> None:
    """Say on a terminal how many rows were read; and anywhere, how many were rejected."""
    if summary.rejected or sys.stderr.isatty():
        where = f" (see {summary.rejects})" if summary.rejects else ""
        done = f"{what}: {summary.rows:,}; rows rejected: {summary.rejected:,}{where}"
        print(done, file=sys.stderr)


def headings(arguments: argparse.Namespace) -> "Headings":
    """Return what the columns of a file mean."""
    from cribev.rows.headings import Headings

    return Headings.read(arguments.columns or [], numbers=arguments.numbers)


def given(arguments: argparse.Namespace, *names: str) -> str | None:
    """Return the first of these options that was given, as it is typed."""
    for name in names:
        if (value := getattr(arguments, name)) not in (None, False):
            return f"--{value if name == 'role' else name.replace('_', '-')}"
    return None


def whole(text: str, *, least: int = 0, most: int | None = None, digits: int = MAX_DIGITS) -> int:
    """Read a whole number, up to `most` if that is given."""
    if most is None and text.isdecimal() and len(text) > digits:
        raise argparse.ArgumentTypeError(
            f"{quote(text)} has {len(text):,} digits: expected at most {digits}"
        )
    if (number := parse_integer(text, least=least, most=most)) is None:
        there = "up" if most is None else f"to {most}"
        raise argparse.ArgumentTypeError(
            f"{quote(text)} is not a whole number from {least} {there}"
        )
    return number


positive = partial(whole, least=1, digits=18)  # what a machine can count to


def print_result(
    form: str,
    table: "Callable[[], Iterable[RenderableType]]",
    *,
    plain: Callable[[], Any],
    csv: "Callable[[], pd.DataFrame] | None" = None,
    indent: int | None = 2,
) -> None:
    """Print a result in the form of ``--format``, and compute only that form."""
    if form == "json":
        print_json(plain(), indent=indent)
    elif form == "csv" and csv is not None:
        print_csv(csv())
    elif form == "parquet" and csv is not None:
        print_parquet(csv())
    else:
        from cribev.game import render  # rich loads slowly

        for index, renderable in enumerate(table()):
            print(end="\n" if index else "")
            render.show(renderable, least=40)


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Print plain values as JSON."""
    print(json.dumps(value, indent=indent, allow_nan=False))


def print_csv(frame: "pd.DataFrame", *, header: bool = True) -> None:
    """Print rows as CSV, the same on every system."""
    print(frame.to_csv(index=False, header=header, lineterminator="\n"), end="")


def print_parquet(frame: "pd.DataFrame") -> None:
    """Write rows as Parquet to standard output."""
    from cribev.rows.columns import arrow_with

    arrow, parquet = arrow_with("parquet")
    try:
        table = arrow.Table.from_pandas(frame, preserve_index=False)
    except (arrow.ArrowException, TypeError) as error:  # values of several types in one column
        raise CribevError(f"cannot write as Parquet: {str(error).splitlines()[0]}") from error
    sys.stdout.flush()
    parquet.write_table(table, sys.stdout.buffer)


def print_listings(form: str, listings: "Sequence[Listing]") -> None:
    """Print listings to look at, or the rows of them all."""
    from pandas import concat

    rows = concat([listing.table for listing in listings], ignore_index=True)
    print_result(form, lambda: listings, csv=lambda: rows, plain=lambda: records(rows))


def records(frame: "pd.DataFrame") -> list[dict[Any, Any]]:
    """Return rows as JSON has them, with null for what is unknown."""
    return frame.astype(object).where(frame.notna(), None).to_dict(orient="records")


def warn(text: str) -> None:
    """Print a warning on standard error."""
    print(f"cribev: {text}", file=sys.stderr, flush=True)


_CHUNK = 1 << 20  # bytes of standard input at a time
_BLANKS = " \t\r\n,\ufeff"  # what may stand around a hand
Answer = TypeVar("Answer")


def answers(
    read: Callable[[str], Answer | None], question: Callable[[], str], *, end: str, expected: str
) -> Iterator[Answer]:
    """Yield what `read` returns for each line of standard input; prompt on a terminal."""
    asked = sys.stdin.isatty()
    number = 0
    for number, text in _typed_lines(question, end) if asked else _numbered_lines():
        try:
            answer = read(text)
        except TableError:  # of a file that is named, whatever the line
            raise
        except CribevError as error:
            if not asked:
                raise CribevError(f"line {number}: {error}") from error
            print(error, file=sys.stderr)
        else:
            if answer is not None:
                yield answer
    if not (number or asked):
        raise CribevError(f"no {expected} a line")


def _typed_lines(question: Callable[[], str], end: str) -> Iterator[tuple[int, str]]:
    while (text := prompt(question())) and (text := text.strip(_BLANKS)).lower() != end:
        if text:
            yield 0, text


def prompt(question: str) -> str:
    """Prompt on a terminal and return the line that is typed; empty at the end of the input."""
    sys.stdout.flush()
    print(question, end="", file=sys.stderr, flush=True)
    answer = sys.stdin.buffer.readline().decode("utf-8", "replace")
    if not answer:  # the end of the input leaves the question's line open
        print(file=sys.stderr)
    return answer


def _numbered_lines() -> Iterator[tuple[int, str]]:
    number = 0
    for block in input_lines():
        for line in block.decode("utf-8", "replace").splitlines():
            number += 1
            if text := line.strip(_BLANKS):
                yield number, text


def input_lines() -> Iterator[bytes]:
    """Yield what standard input has so far, up to the end of a line."""
    try:
        yield from complete_lines(partial(cast(BufferedReader, sys.stdin.buffer).read1, _CHUNK))
    except OSError as error:
        raise CribevError(f"cannot read standard input: {error.strerror}") from error
