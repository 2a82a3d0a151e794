"""The command ``cribev history``: how practice went, exported or deleted."""

import argparse
import json
import sys
from typing import TYPE_CHECKING

from cribev.commands.options import Command, columns_help, prompt
from cribev.errors import CribevError
from cribev.rows.columns import GRADE_COLUMNS, LAY_COLUMNS, RECORD_COLUMNS
from cribev.rows.lines import STANDARD_STREAM, format_of
from cribev.system.files import check_writable

if TYPE_CHECKING:
    from cribev.practice.store import StoredDecision

_EXAMPLES = f"""\
examples:
  cribev history
  cribev history --format json | jq .cards.periods
  cribev history --play --format csv > cards.csv
  cribev history --export throws.csv && cribev review throws.csv
  cribev history --export - | cribev review -
  cribev history --delete

Shows how many points you lost per discard and per card laid over time, and how
many were errors (inaccuracies or worse), in at most 20 periods of whole sessions.
Hard ones, hands at a score and games have charts of their own. A hand or a
position counts only the first time. Also shows what well-known ways to discard
lose, and how many wait to be tried again.

columns of --export, a record for cribev review:
{columns_help(*RECORD_COLUMNS)}
and for every throw when it was (at, in UTC), its kind (dealt, hard, scored, again
or game), its seed and number, and the score if chances to win decide. --format
csv adds, numbers in points:
{columns_help(*GRADE_COLUMNS)}
and at a score win, best_win, win_discard and win_loss, as cribev review has them.

columns of --play --format csv, after at, kind, seed and number:
{columns_help(*LAY_COLUMNS, descriptions=LAY_COLUMNS)}
"""


def _add_arguments(history: argparse.ArgumentParser) -> None:
    history.add_argument(
        "--export", metavar="FILE",
        help="write all throws as a record that cribev review reads, to a file named .csv, .tsv, "
        ".jsonl or .parquet, text also with .gz; - prints CSV",
    )  # fmt: skip
    history.add_argument("--force", action="store_true", help="replace an existing file")
    history.add_argument(
        "--play", action="store_true",
        help="with --format csv: a row for each card laid, in place of each throw",
    )  # fmt: skip
    history.add_argument(
        "--delete", action="store_true", help="delete every decision that was saved"
    )
    history.add_argument("--yes", action="store_true", help="delete without being asked")
    history.add_argument(
        "--format", choices=["table", "csv", "json"], default="table",
        help="a chart to look at (default), a row for each throw, or the figures in full",
    )  # fmt: skip


def _history(arguments: argparse.Namespace) -> int:
    _check(arguments)
    if arguments.delete:
        return _delete(arguments)
    discards, cards = _read(arguments)
    if arguments.export is not None:
        _export(discards, arguments)
        return 0
    from cribev.practice.progress import progress_of, stored_cards, stored_discards

    if arguments.format == "csv":
        table = stored_cards(cards) if arguments.play else stored_discards(discards)
        print(table.to_csv(index=False, lineterminator="\n"), end="")
        return 0
    parts = {"discards": discards, "cards": cards}
    found = {name: progress_of(stored) for name, stored in parts.items() if stored}
    if arguments.format == "json":
        plain = {name: progress.to_dict() for name, progress in found.items()}
        print(json.dumps(plain, indent=2, allow_nan=False))
        return 0
    from cribev.game import render
    from cribev.practice.terminal import ProgressChart

    for at, progress in enumerate(found.values()):
        print(end="\n" if at else "")
        render.show(ProgressChart(progress), least=40)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options that do not go together, and a file that cannot be written."""
    if arguments.export is not None and arguments.delete:
        raise CribevError("--export and --delete: choose one")
    if arguments.format != "table" and (arguments.delete or arguments.export is not None):
        option = "--delete" if arguments.delete else "--export"
        raise CribevError(f"--format shows what was thrown, and {option} does not")
    if arguments.force and arguments.export in (None, STANDARD_STREAM):
        raise CribevError("--force goes with --export FILE")
    if arguments.play and arguments.format != "csv":
        raise CribevError("--play goes with --format csv; all else shows discards and cards")
    if arguments.yes and not arguments.delete:
        raise CribevError("--yes goes with --delete")
    if arguments.export not in (None, STANDARD_STREAM):
        format_of(arguments.export)
        check_writable(arguments.export, force=arguments.force)


def _read(arguments: argparse.Namespace) -> tuple[list["StoredDecision"], list["StoredDecision"]]:
    """Read discards and cards, and say what is damaged; `CribevError` if none is there to show."""
    from cribev.practice.store import Store, store_path

    store, damaged = Store(store_path()), list[str]()
    stored = store.read(warn=damaged.append)
    if damaged and not stored:
        raise CribevError("; ".join(damaged))
    discards, cards = ([one for one in stored if one.is_discard == of] for of in (True, False))
    for line in damaged:
        print(f"cribev: {line}", file=sys.stderr)
    rows_only = arguments.export is not None or arguments.format == "csv"
    if not (cards if arguments.play else discards if rows_only else stored):
        what, how = ("cards are", " --play") if arguments.play else ("throws are", "")
        where = repr(str(store.path))
        raise CribevError(f"no {what} saved in {where} yet: begin with cribev quiz{how}")
    return discards, cards


def _export(discards: list["StoredDecision"], arguments: argparse.Namespace) -> None:
    from cribev.practice.progress import stored_record
    from cribev.rows.files import open_sink

    record = stored_record(discards)
    with open_sink(arguments.export, force=arguments.force) as sink:
        names = [str(name) for name in record]
        sink.write(names, [record[name].tolist() for name in names], {})
    if arguments.export != STANDARD_STREAM:
        print(f"{arguments.export} written", file=sys.stderr)


def _delete(arguments: argparse.Namespace) -> int:
    from cribev.choice import pluralize
    from cribev.practice.store import Store, store_path

    store = Store(store_path())
    if not arguments.yes:
        if not sys.stdin.isatty():
            raise CribevError("--delete asks first, and there is nobody to ask: add --yes")
        damaged: list[str] = []
        number = len(store.read(warn=damaged.append))
        if not number and not damaged:
            print(f"nothing is saved in {str(store.path)!r}", file=sys.stderr)
            return 0
        for line in damaged:
            print(f"cribev: {line}", file=sys.stderr)
        which = pluralize(number, "decision") + " and what is damaged" * bool(damaged)
        answer = prompt(f"delete {which} for good? yes or no: ")
        if answer.strip().lower() not in ("y", "yes"):
            print("nothing is deleted", file=sys.stderr)
            return 0
    print(f"{pluralize(store.clear(), 'decision')} deleted", file=sys.stderr)
    return 0


COMMAND = Command(
    "history",
    "show how practice went over time; export or delete it",
    _EXAMPLES,
    _add_arguments,
    _history,
)
