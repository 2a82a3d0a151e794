"""The command ``cribev history``: how practice went, exported or deleted."""

import argparse
import json
import sys

from cribev.commands.arguments import Command, columns_help
from cribev.commands.input import prompt
from cribev.errors import CribevError
from cribev.files.atomic import check_writable
from cribev.files.column_descriptions import GRADE_COLUMNS, RECORD_COLUMNS
from cribev.files.formats import STANDARD_STREAM, format_of

_EXAMPLES = f"""\
examples:
  cribev history
  cribev history --format json | jq .periods
  cribev history --export throws.csv && cribev review throws.csv
  cribev history --export - | cribev review -
  cribev history --delete

Shows how many points you lost per hand over time, in at most 20 periods of whole
sessions. Hard hands have a chart of their own. A hand counts only the first time
you throw it. Also shows what well-known ways to discard lose, and how many hands
wait to be thrown again.

columns of --export, a record for cribev review:
{columns_help(*RECORD_COLUMNS)}
and for every throw when it was (at, in UTC), the kind of hand (dealt, hard or
again), and its seed and number; --format csv adds, numbers in points:
{columns_help(*GRADE_COLUMNS)}
"""


def _add_arguments(history: argparse.ArgumentParser) -> None:
    history.add_argument(
        "--export", metavar="FILE",
        help="write all throws as a record that cribev review reads, to a file named .csv, .tsv, "
        ".jsonl or .parquet, text also with .gz; - prints CSV",
    )  # fmt: skip
    history.add_argument("--force", action="store_true", help="replace an existing file")
    history.add_argument("--delete", action="store_true", help="delete every throw that was saved")
    history.add_argument("--yes", action="store_true", help="delete without being asked")
    history.add_argument(
        "--format", choices=["table", "csv", "json"], default="table",
        help="a chart to look at (default), a row for each throw, or the figures in full",
    )  # fmt: skip


def _history(arguments: argparse.Namespace) -> int:
    if arguments.export is not None and arguments.delete:
        raise CribevError("--export and --delete: choose one")
    if arguments.format != "table" and (arguments.delete or arguments.export is not None):
        option = "--delete" if arguments.delete else "--export"
        raise CribevError(f"--format shows what was thrown, and {option} does not")
    if arguments.force and arguments.export in (None, STANDARD_STREAM):
        raise CribevError("--force goes with --export FILE")
    if arguments.yes and not arguments.delete:
        raise CribevError("--yes goes with --delete")
    if arguments.delete:
        return _delete(arguments)
    if arguments.export not in (None, STANDARD_STREAM):
        format_of(arguments.export)
        check_writable(arguments.export, force=arguments.force)
    from cribev.practice.store import Store, store_path

    store, damaged = Store(store_path()), list[str]()
    stored = store.read(tell=damaged.append)
    if damaged and not stored:
        raise CribevError(*damaged)
    for line in damaged:
        print(f"cribev: {line}", file=sys.stderr)
    if not stored:
        raise CribevError(f"no throws are saved in {str(store.path)!r} yet: begin with cribev quiz")
    from cribev.practice.progress import progress_of, stored_decisions, stored_record

    if arguments.export is not None:
        from cribev.files.sinks import open_sink

        record = stored_record(stored)
        with open_sink(arguments.export, force=arguments.force) as sink:
            names = [str(name) for name in record]
            sink.write(names, [record[name].tolist() for name in names], {})
        if arguments.export != STANDARD_STREAM:
            print(f"{arguments.export} written", file=sys.stderr)
    elif arguments.format == "csv":
        print(stored_decisions(stored).to_csv(index=False, lineterminator="\n"), end="")
    elif arguments.format == "json":
        print(json.dumps(progress_of(stored).to_dict(), indent=2, allow_nan=False))
    else:
        from cribev.game import render
        from cribev.practice.displays import ProgressChart

        render.show(ProgressChart(progress_of(stored)), least=40)
    return 0


def _delete(arguments: argparse.Namespace) -> int:
    from cribev.practice.store import Store, store_path
    from cribev.reviews.wording import pluralize

    store = Store(store_path())
    if not arguments.yes:
        if not sys.stdin.isatty():
            raise CribevError("--delete asks first, and there is nobody to ask: add --yes")
        damaged: list[str] = []
        number = len(store.read(tell=damaged.append))
        if not number and not damaged:
            print(f"no throws are saved in {str(store.path)!r}", file=sys.stderr)
            return 0
        for line in damaged:
            print(f"cribev: {line}", file=sys.stderr)
        which = pluralize(number, "throw") + " and what is damaged" * bool(damaged)
        answer = prompt(f"delete {which} for good? yes or no: ")
        if answer.strip().lower() not in ("y", "yes"):
            print("nothing is deleted", file=sys.stderr)
            return 0
    print(f"{pluralize(store.clear(), 'throw')} deleted", file=sys.stderr)
    return 0


COMMAND = Command(
    "history",
    "show how practice went over time; export or delete it",
    _EXAMPLES,
    _add_arguments,
    _history,
)
