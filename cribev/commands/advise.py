"""``cribev advise``: which two of six cards to discard."""

import argparse
import json

from cribev.commands.arguments import Parser, add_command, add_opponent, add_roles, positive
from cribev.commands.given import add_random, given_cards
from cribev.errors import CribevError
from cribev.files.pair_tables import PUBLISHED_CRIBS
from cribev.game.roles import ROLES

_ADVISE_EXAMPLES = """\
examples:
  cribev advise 5H 5D JS QC 2H 8D --dealer
  cribev advise "5h 5d js qc 2h 8d" --pone --top 5 --explain
  cribev advise 5h5djsqc2h8d --crib-table schell
  cribev advise --random --seed 7
  cribev advise 5H 5D JS QC 2H 8D --dealer --format json | jq .discards[0]

Without --dealer or --pone it answers for both.
"""


def add_to(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the command."""
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
    add_random(advise)
    advise.add_argument(
        "--format", choices=["table", "csv", "json"], default="table",
        help="a table to read (default), or every number in full",
    )  # fmt: skip


def _advise(arguments: argparse.Namespace) -> int:
    if arguments.explain and arguments.format == "csv":
        raise CribevError("--explain goes with --format table or json, not csv")
    cards = given_cards(arguments, count=6)
    from cribev.deal.advice import advise  # pandas and rich load slowly, so after what can go wrong

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
        print(json.dumps(found if len(found) > 1 else found[0], indent=2))
    elif arguments.format == "csv":
        for at, advice in enumerate(advices):
            frame = advice.table.head(arguments.top or 15)
            frame.insert(0, "role", advice.role)
            print(frame.to_csv(index=False, header=at == 0, lineterminator="\n"), end="")
    else:
        from cribev.game import render

        for at, (advice, why) in enumerate(zip(advices, explanations, strict=True)):
            if at:
                print()
            render.show(advice.top(arguments.top or 15))
            if why:
                render.show(why)
    return 0
