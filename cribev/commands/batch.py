"""``cribev batch``: files of deals, each with its best discard."""

import argparse
import sys

from cribev.commands import options
from cribev.errors import CribevError
from cribev.game.outcomes import SCORED_COLUMNS
from cribev.rows.lines import FORMATS

_EXAMPLES = f"""\
examples:
  cribev deal 1000000 --seed 1 -o deals.csv
  cribev batch deals.csv -o best.csv
  cribev batch deals.parquet -o best.parquet --opponent uniform
  cribev batch hands.csv.gz -o best.jsonl --dealer --errors skip
  cribev batch my-hands.csv --exact
  printf 'cards,role,score\\nAH 2C 7D 9S JH QC,dealer,95-110\\n' | cribev batch
  cribev batch scored.csv --stakes games -o best.csv
  cribev deal 1000 | cribev batch | head
  cribev batch 'hands/*.parquet' -o best.parquet

The input has a column "cards", six cards as text, and a column "role", dealer or pone. Other
columns are copied as they are. Text has six decimals.
{options.FORMULAS}

A column "score" has the score before each deal, your points first, as 95-110 or 109-108*, whose
star says who deals where no column "role" does; or it has
your points alone, and a column "opponent_score" has your opponent's. Discards then rank by the
chance to win. It is approximate, within about 0.0005: some thousand rows a second, or some 80 on
each core where a player needs fewer than 32 points. With --exact, against others than the expert,
and where fewer than 32 rows are so near the end, it is as in advise --score, about 3 rows a second
on each core. The column "win_method" says which. Where the score is empty, points decide. With
--stakes skunks count too, at a third to half of the speed. With --show-only, or where no row holds
a score, the column is copied.

A column "opponent", or with scores "stakes", is refused: rename it, for all rows have the same.
Columns of an earlier run are replaced.

columns of the output, numbers in points:
{options.columns_help("best_discard", "best_keep", "hand_mean", "hand_min", "hand_max", "hand_sd")}
{options.columns_help("crib_mean", "crib_min", "crib_max", "crib_sd")}
{options.columns_help("play_mean", "expected", "margin")}
with scores also (margin stays in points, below 0 where the score asks for another discard)
{options.columns_help("win")}
with --stakes also
{options.columns_help(*SCORED_COLUMNS[1:])}
with answers also (loss in points; win_loss with scores)
{options.columns_help("agrees", "loss", "win_loss")}
and with --every-discard, in place of best_discard, best_keep and margin,
{options.columns_help("rank", "discard", "discard_ranks", "suited", "keep", "behind")}
"""


def _add_arguments(batch: options.Parser) -> None:
    batch.add(
        "input INPUT", "a file (default: -, standard input); several with the same columns, a "
        "folder, or a pattern in quotes are one", nargs="*",
    )  # fmt: skip
    batch.add("-o --output OUTPUT", "a file (default: -, standard output)", default="-")
    options.add_roles(batch)
    options.add_opponent(batch)
    options.add_show_only(batch)
    batch.add(
        "--cards COLUMN", "the column of cards, or columns of one card each, with commas "
        "between their names (default: cards)", default="cards",
    )  # fmt: skip
    options.add_headings(batch)
    options.add_stakes(batch, "where there are scores")
    batch.add(
        "--answer COLUMN", "a column of discards, to say whether each agrees with the best, and "
        "what it loses (default: expected, called answer then, or answer)",
    )  # fmt: skip
    batch.add("--every-discard", "15 rows per deal, the best discard first")
    batch.add(
        "--provenance", "add columns opponent, stakes (with scores) and cribev, the version; "
        "Parquet tells them in its metadata too",
    )  # fmt: skip
    batch.add(
        "--exact", "count every crib that can follow each deal, as advise does, on all cores: "
        "dozens of deals a second",
    )  # fmt: skip
    options.add_errors(batch)
    batch.add_argument(
        "--input-format", choices=FORMATS,
        help="format of the input, if its suffix does not say (default for standard input: csv)",
    )  # fmt: skip
    options.add_output_format(batch)
    batch.add("--chunk-rows N", "rows at a time (default: 65536)", type=options.positive)


def _batch(arguments: argparse.Namespace) -> None:
    from cribev.batch.stream import evaluate_file  # pandas loads slowly
    from cribev.system.processes import cpu_count

    sources = arguments.input or ["-"]
    if arguments.stakes is not None and not arguments.play:
        raise CribevError("--stakes and --show-only: choose one, for stakes count the play")
    if "-" in sources and sys.stdin.isatty():
        raise CribevError("no deals: give a file, or send rows to standard input")
    names = "role", "opponent", "play", "stakes", "answer", "every_discard", "exact", "provenance"
    headings = options.headings(arguments)
    summary = evaluate_file(
        sources, arguments.output, cards=arguments.cards.split(","), workers=cpu_count(),
        numbers=headings.numbers, columns=headings.columns, input_format=arguments.input_format,
        output_format=arguments.format, force=arguments.force,
        **{} if arguments.chunk_rows is None else {"chunk_rows": arguments.chunk_rows},
        **{name: getattr(arguments, name) for name in (*names, "errors")},
    )  # fmt: skip
    if summary.note is not None:
        options.warn(summary.note)
    options.tell_rows(summary, "deals evaluated")


BATCH = options.Command(_EXAMPLES, _add_arguments, _batch)
