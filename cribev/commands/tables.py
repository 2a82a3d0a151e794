"""``cribev tables``: tables of the solved game."""

import argparse
import json
from collections.abc import Sequence

from cribev.commands.arguments import Command, add_show_only
from cribev.errors import CribevError
from cribev.files.crib_tables import PUBLISHED_CRIBS
from cribev.game.roles import ROLES, Role

_EXAMPLES = """\
examples:
  cribev tables crib --role dealer
  cribev tables frequency --format csv > frequency.csv
  cribev tables policies
  cribev tables crib --compare hessel --show-only
  cribev tables play --role dealer
  cribev tables leads
  cribev tables leads --answer --format csv > answers.csv
  cribev tables win
  cribev tables win --format csv > win.csv
"""


def _add_arguments(tables: argparse.ArgumentParser) -> None:
    tables.add_argument(
        "what", choices=["crib", "frequency", "policies", "play", "leads", "win"],
        metavar="crib|frequency|policies|play|leads|win",
        help="crib: the average crib for each pair thrown; frequency: how often each pair is "
        "thrown; policies: what other ways to discard lose against an expert; play: what each keep "
        "pegs; leads: which cards pone leads; win: the dealer's chance to win from every score",
    )  # fmt: skip
    tables.add_argument("--role", choices=ROLES, help="whose tables (default: both)")
    tables.add_argument("--answer", action="store_true", help="leads: what the dealer plays next")
    add_show_only(tables)
    tables.add_argument(
        "--compare",
        choices=PUBLISHED_CRIBS,
        help="crib: show the difference from a published table",
    )
    tables.add_argument(
        "--format", choices=["table", "csv", "json"], default="table",
        help="a chart to look at (default), or every number in full",
    )  # fmt: skip


def _tables(arguments: argparse.Namespace) -> int:
    if arguments.compare and arguments.what != "crib":
        raise CribevError(f"--compare goes with tables crib, not {arguments.what}")
    if arguments.role and arguments.what in ("policies", "leads", "win"):
        raise CribevError(f"--role goes with tables crib, frequency and play, not {arguments.what}")
    if arguments.answer and arguments.what != "leads":
        raise CribevError(f"--answer goes with tables leads, not {arguments.what}")
    if not arguments.play and arguments.what in ("play", "leads", "win"):
        raise CribevError(f"--show-only leaves out the play: tables {arguments.what} shows it")
    import pandas as pd

    from cribev.game import render
    from cribev.solved import discard_tables as discards
    from cribev.solved import pegging_tables as pegging
    from cribev.solved import win_probabilities as wins
    from cribev.solved.solution import load

    roles: Sequence[Role] = [arguments.role] if arguments.role else ROLES
    solved = load(play=arguments.play)
    if arguments.what == "policies":
        frames = [discards.policy_losses(solution=solved)]
        charts: list[render.Displayable] = [discards.PolicyList(frames[0], play=arguments.play)]
    elif arguments.what == "play":
        frames = [pegging.play_by_keep(role) for role in roles]
        charts = [pegging.KeepList(frame) for frame in frames]
    elif arguments.what == "leads":
        frames = [pegging.first_cards(answer=arguments.answer)]
        charts = [pegging.LeadList(answer=arguments.answer)]
    elif arguments.what == "win":
        frames = [wins.win_probability_table()]
        charts = [wins.WinChart(wins.win_table_of())]
    elif arguments.compare:
        against = arguments.compare
        frames = [discards.compared_cribs(role, against, solution=solved) for role in roles]
        charts = [discards.comparison_chart(role, against, solution=solved) for role in roles]
    else:
        draw = discards.crib_chart if arguments.what == "crib" else discards.frequency_chart
        frames = [discards.thrown_pairs(role, solution=solved) for role in roles]
        if arguments.what == "frequency":
            frames = [frame.drop(columns=["crib_mean", "crib_mean_held"]) for frame in frames]
        charts = [draw(role, solution=solved) for role in roles]
    if arguments.format == "table":
        for at, chart in enumerate(charts):
            print(end="\n" if at else "")
            render.show(chart)
        return 0
    frame = pd.concat(frames, ignore_index=True)
    if arguments.format == "csv":
        print(frame.to_csv(index=False, lineterminator="\n"), end="")
    else:
        known = frame.astype(object).where(frame.notna(), None)
        print(json.dumps(known.to_dict(orient="records"), indent=2))
    return 0


COMMAND = Command(
    "tables",
    "show tables of the solved game: cribs, discards, play and chances to win",
    _EXAMPLES,
    _add_arguments,
    _tables,
)
