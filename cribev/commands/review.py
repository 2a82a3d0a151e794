"""The command ``cribev review``: its arguments, and what it prints."""

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING

from cribev.commands import options
from cribev.errors import CribevError, quote
from cribev.game.words import printable
from cribev.rows.lines import STANDARD_STREAM
from cribev.rows.names import (
    CARD_COLUMN_DESCRIPTIONS,
    CARD_COLUMNS,
    CARD_VALUE_COLUMNS,
    CARD_WIN_COLUMNS,
    CUT_COLUMNS,
    GRADE_COLUMNS,
    LEAK_COLUMNS,
    PLAY_COLUMNS,
    RECORD_COLUMNS,
    SCORE_COLUMNS,
    VALUE_COLUMNS,
    WIN_COLUMNS,
    WIN_PLAY_COLUMN,
)
from cribev.system.files import check_writable

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from rich.console import RenderableType

    from cribev.reviews.listings import Review

_cards_help = partial(options.columns_help, descriptions=CARD_COLUMN_DESCRIPTIONS)

_EXAMPLES = f"""\
examples:
  cribev review --template > game.csv
  cribev review game.csv
  cribev review games/ monday.pgn 'c*.csv' --player Ann --as Ann=annie --errors skip
  cribev review game.csv --player Ann --html game.html
  cribev review game.csv --deals --cards
  cribev review games.parquet --fast --format json | jq '.players[]'
  cribev review game.csv --format pgn > game.pgn
  cribev review games/ --fit Ann -o ann.json

A record has a row for each discard: game, deal, player, role, cards, discard.
One game of one player needs neither game nor player. Where you know them, add
starter, opponent_discard, pegged and opponent_pegged (or play, as cribev peg reads
it), and score, as 109-108*. If both players have a row for a deal, each row fills
in what the other lacks. Scores follow from deal to deal; score_after, 121-115, may
say who won. Files from spreadsheets work too: headings may have capitals, and
semicolons or tabs may replace commas.

PGN for cribbage (.pgn) is read too, several games in a file. What is in a file tells
its format, and its name only where that does not. --format csv makes a record of any.
{options.FORMULAS}

Where a record has the play, every card is graded by what its player knew then: how
much less it is worth than the best card. It is an inaccuracy from 0.1 points, a
mistake from 0.3, a blunder from 0.8. Accuracy says in one number, 0 to 100, what
discards and cards lost a deal: 100 * 0.5^loss, with a loss of 1 for each point, or
near the end of a game for each 2% of it, hints apart. Experts have about 95; a player who
keeps the best hand and takes the most points at once, about 50; one at random, 2.

columns of a record and of --format csv, numbers in points:
{options.columns_help(*RECORD_COLUMNS, *SCORE_COLUMNS, *GRADE_COLUMNS, *CUT_COLUMNS)}
in chances to win, empty without scores or with --show-only,
{options.columns_help(*WIN_COLUMNS)}
with stakes,
{options.columns_help(*VALUE_COLUMNS)}
and where cards are graded,
{options.columns_help(*PLAY_COLUMNS, WIN_PLAY_COLUMN)}

columns of --format csv --cards, a row for each card:
{_cards_help(*CARD_COLUMNS)}
in chances to win, empty without scores, and the last two only with stakes,
{_cards_help(*CARD_WIN_COLUMNS, *CARD_VALUE_COLUMNS)}

Both end with columns group_…: the group of each kind, as --leaks names it.

columns of --format csv --leaks, a row for each group of decisions, what to mend first on top:
{options.columns_help(*LEAK_COLUMNS, descriptions=LEAK_COLUMNS)}
"""


def _add_arguments(command: options.Parser) -> None:
    command.add(
        "record RECORD", "the game: a file named .csv, .tsv, .jsonl or .parquet, or a game of "
        "another program, text also with .gz; - for standard input; a folder, or a pattern in "
        "quotes; several are reviewed as one", nargs="*",
    )  # fmt: skip
    command.add("--template", "print a record with one example row")
    command.add(
        "--html FILE", "also write the review as a web page; - prints the page instead of the "
        "review",
    )  # fmt: skip
    command.add("--force", "replace an existing page")
    command.add("--player NAME", "show this player's part only")
    command.add(
        "--fit NAME", "in place of the review, say what this player's habits are, and which level "
        "plays like them; -o FILE.json keeps them, to be named as --opponent",
    )  # fmt: skip
    command.add("-o --output FILE", "with --fit: write the habits as JSON")
    command.add(
        "--as NAME=OTHER", "a player called OTHER in some files is NAME; may be given again",
        action="append", default=[], dest="aliases",
    )  # fmt: skip
    options.add_headings(command)
    command.add_argument(
        "--errors", choices=["raise", "skip"], default="raise",
        help="stop at the first file or game that is impossible (default), or name it on standard "
        "error and go on with the others",
    )  # fmt: skip
    options.add_opponent(command)
    options.add_stakes(command, "where the record has scores")
    options.add_show_only(command)
    command.add(
        "--fast", "use the class tables: 100,000 discards in seconds (with scores in minutes), "
        "losses a few thousandths of a point off, starter luck of the hand alone, no cards; "
        "chances to win are approximate",
    )  # fmt: skip
    command.add(
        "--all", "show all there is, of one deal too: figures, deals, cards and kinds of decision",
        dest="everything",
    )  # fmt: skip
    command.add("--deals", "also show losses and luck deal by deal")
    command.add(
        "--leaks", "also show what each kind of decision lost; with --format csv a row for each "
        "kind",
    )  # fmt: skip
    cards = command.add_mutually_exclusive_group()
    cards.add_argument(
        "--cards", dest="listed", action="store_true",
        help="also show every card played; with --format csv a row for each card in place of the "
        "discards",
    )  # fmt: skip
    cards.add_argument(
        "--no-cards", dest="graded", action="store_false", help="do not grade the cards played"
    )
    command.add_argument(
        "--format", choices=["table", "csv", "parquet", "json", "pgn"], default="table",
        help="a table to read (default), a row for each discard (or card) as csv or parquet, "
        "everything; or pgn: the record as PGN, without a review",
    )  # fmt: skip


def _run(arguments: argparse.Namespace) -> None:
    if arguments.template:
        if arguments.record:
            path = quote(arguments.record[0])
            raise CribevError(f"--template takes no record, and {path} is given")
        if arguments.html is not None or arguments.player is not None:
            raise CribevError("--template goes alone: there is nothing to review yet")
        from cribev.records.record import RECORD_TEMPLATE

        print(RECORD_TEMPLATE, end="")
        return
    if arguments.fit is not None:
        _check_fit(arguments)
    elif arguments.output is not None:
        raise CribevError("-o goes with --fit: --html FILE writes the review")
    if not arguments.record:
        raise CribevError("no record: give a file, or --template for a row to begin with")
    if arguments.html is not None and arguments.format == "pgn":
        raise CribevError("--html and --format pgn: choose one")
    page = None if arguments.html == STANDARD_STREAM else arguments.html
    if arguments.html == STANDARD_STREAM and arguments.format != "table":
        raise CribevError(f"--html - and --format {arguments.format}: choose one")
    if page is not None:
        for source in arguments.record:
            check_writable(page, force=arguments.force, source=source)
    elif arguments.force and arguments.html is None and arguments.output is None:
        raise CribevError("--force goes with --html, or -o")
    _check_listings(arguments)
    # pandas and rich load slowly, so after what can go wrong.
    from cribev.records.formats import misspelt_columns, read_records, record_files
    from cribev.records.games import contradicted_results
    from cribev.records.record import as_record
    from cribev.reviews.review import review
    from cribev.system.processes import cpu_count

    if page is not None:
        for file in (file for source in arguments.record for file in record_files(source)[0]):
            check_writable(page, force=arguments.force, source=file)

    def skip(error: CribevError) -> None:
        options.warn(f"skipped: {error}")

    names = _aliases(arguments.aliases)
    skips = skip if arguments.errors == "skip" else None
    headings = options.headings(arguments)
    read = read_records(
        arguments.record, names=names, skip=skips, tell=options.warn, headings=headings
    )
    for name, meant in misspelt_columns(read).items():
        options.warn(f"the column {quote(name)} is kept, and not read: is {meant!r} meant?")
    record = as_record(read)
    for note in contradicted_results(record):
        options.warn(note)
    if (player := arguments.player or arguments.fit) is not None:
        record = record.take(record.rows_of(player))
    if arguments.fit is not None:
        from cribev.reviews.fits import require_decisions

        record = record.without_scores()  # habits go by points
        require_decisions(record, arguments.fit)
    if arguments.format == "pgn":
        from cribev.records.pgn import format_pgn

        print(format_pgn(record), end="")
        return
    if arguments.html is not None:
        from cribev.reviews.page import require_page_fits

        require_page_fits(len(record.frame))
    reviewed = review(
        record, opponent=arguments.opponent, play=arguments.play, stakes=arguments.stakes,
        fast=arguments.fast, cards=arguments.graded, workers=cpu_count(),
    )  # fmt: skip
    if arguments.fit is not None:
        _fit(reviewed, arguments)
        return
    if arguments.format != "table":
        for note in reviewed.record.notes:
            options.warn(f"the score differs from the cards' count: {note}")
    try:
        if page is not None:
            from cribev.reviews.page import write_page

            write_page(reviewed, page, force=arguments.force)
            print(f"{printable(page)} written", file=sys.stderr)
    finally:  # print the review even if the page cannot be written
        _print(reviewed, arguments)


_NOT_WITH_FIT = (
    "html", "player", "opponent", "stakes", "fast", "everything", "deals", "leaks",
    "listed",
)  # fmt: skip


def _check_fit(arguments: argparse.Namespace) -> None:
    """Check what goes with --fit, and that its file can be written."""
    usual = argparse.Namespace(**vars(arguments))
    usual.opponent = None if arguments.opponent == "expert" else arguments.opponent
    if option := options.given(usual, *_NOT_WITH_FIT):
        option = {"--listed": "--cards", "--everything": "--all"}.get(option, option)
        raise CribevError(f"{option} goes with a review, and --fit is in place of one")
    if not (arguments.play and arguments.graded):
        raise CribevError("--fit takes the play: leave out --show-only and --no-cards")
    if arguments.format not in ("table", "json"):
        raise CribevError(f"--fit and --format {arguments.format}: expected table or json")
    if arguments.output is not None:
        check_writable(arguments.output, force=arguments.force)


def _fit(reviewed: "Review", arguments: argparse.Namespace) -> None:
    """Find a player's habits, keep them if asked, and show them."""
    from cribev.game import render
    from cribev.reviews.fits import fit_habits

    fitted = fit_habits(reviewed, arguments.fit)
    if arguments.output is not None:
        fitted.save(arguments.output, force=arguments.force)
        print(f"{printable(arguments.output)} written", file=sys.stderr)
    if arguments.format == "json":
        options.print_json(fitted.to_dict())
    else:
        render.show(fitted)


def _aliases(pairs: list[str]) -> dict[str, str]:
    """Read other names of players: ``Ann=annie``."""
    names = dict[str, str]()
    for text in pairs:
        name, _, other = (word.strip() for word in text.partition("="))
        if not name or not other:
            raise CribevError(f"{quote(text)}: expected --as NAME=OTHER, as Ann=annie")
        if names.setdefault(other, name) != name:
            raise CribevError(f"{quote(text)}: {quote(other)} is {quote(names[other])} already")
    return names


def _check_listings(arguments: argparse.Namespace) -> None:
    """Refuse options that would have no effect."""
    to_terminal = arguments.format == "table" and arguments.html != STANDARD_STREAM
    for name, on in (("--all", arguments.everything), ("--deals", arguments.deals)):
        if on and not to_terminal:
            raise CribevError(f"{name} goes with a table to read: csv and json have every deal")
    if arguments.listed and not (to_terminal or arguments.format in ("csv", "parquet")):
        raise CribevError(
            "--cards goes with a table to read or csv: json and pages have every card"
        )
    if arguments.leaks and arguments.listed and not to_terminal:
        raise CribevError("--leaks and --cards: choose one table for csv")
    if arguments.leaks and not (to_terminal or arguments.format in ("csv", "parquet")):
        raise CribevError("--leaks goes with a table to read or csv: json and pages have them all")
    for name, on in (("--fast", arguments.fast), ("--show-only", not arguments.play)):
        if arguments.listed and on:
            raise CribevError(f"--cards and {name}: choose one, since {name} grades no card")


def _print(reviewed: "Review", arguments: argparse.Namespace) -> None:
    if arguments.html == STANDARD_STREAM:
        from cribev.reviews.page import review_html

        sys.stdout.flush()
        sys.stdout.buffer.write(review_html(reviewed).encode("utf-8", "replace"))
        return
    options.print_result(
        arguments.format,
        lambda: _shown(reviewed, arguments),
        csv=lambda: _table(reviewed, arguments),
        plain=reviewed.to_dict,
    )


def _table(reviewed: "Review", arguments: argparse.Namespace) -> "pd.DataFrame":
    if arguments.listed:
        return reviewed.cards
    return reviewed.leaks if arguments.leaks else reviewed.decisions


def _shown(reviewed: "Review", arguments: argparse.Namespace) -> "Iterator[RenderableType]":
    from rich.console import Group
    from rich.text import Text

    from cribev.reviews.listings import card_list, deal_ledger, leak_list

    everything = arguments.everything
    if everything:
        yield from (reviewed, reviewed.figures)
    else:
        more = Text("There is more with --deals, --all or --html FILE.", style="dim")
        yield Group(reviewed, more)
    if arguments.deals or everything:
        yield deal_ledger(reviewed.decisions)
    if arguments.listed or (everything and len(reviewed.cards)):
        yield card_list(reviewed.cards)
    if arguments.leaks or everything:
        yield leak_list(reviewed.leaks, reviewed.win_unit)
    longer = arguments.deals or arguments.listed or arguments.leaks or everything
    if longer and sys.stdout.isatty():  # what came first has left the screen
        for player in reviewed.players["player"]:
            yield reviewed.sentence(player)


REVIEW = options.Command(_EXAMPLES, _add_arguments, _run)
