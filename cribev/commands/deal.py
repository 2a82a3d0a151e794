"""``cribev deal``: random hands, with roles."""

import argparse

from cribev.commands.options import Command, add_output_format, natural

_EXAMPLES = """\
examples:
  cribev deal 5 --seed 1
  cribev deal 1000000 --seed 1 -o deals.parquet
"""


def _add_arguments(deal: argparse.ArgumentParser) -> None:
    deal.add_argument("number", type=natural, metavar="N", help="how many hands")
    deal.add_argument("--seed", type=natural, metavar="N", help="deal the same hands every time")
    deal.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="a file (default: -, standard output)"
    )
    add_output_format(deal)


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


COMMAND = Command("deal", "deal random hands, with roles", _EXAMPLES, _add_arguments, _deal)
