"""``cribev solve``: the discard game, solved from nothing."""

import argparse
import sys

from cribev.commands.arguments import Parser, add_command
from cribev.files.whole import check_target
from cribev.game.roles import ROLES

_SOLVE_EXAMPLES = """\
examples:
  cribev solve
  cribev solve -o solution.npz
"""


def add_to(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the command."""
    solve = add_command(
        commands, "solve", "solve the discard game from nothing (a minute)", _SOLVE_EXAMPLES
    )
    solve.set_defaults(run=_solve)
    solve.add_argument("-o", "--output", metavar="FILE", help="write the solution to a file (.npz)")
    solve.add_argument("--force", action="store_true", help="replace a file that is there")


def _solve(arguments: argparse.Namespace) -> int:
    if arguments.output:
        check_target(arguments.output, force=arguments.force)
    from tqdm import tqdm

    from cribev.classes.numbers import DEALS
    from cribev.solved.discards import solve
    from cribev.solved.solution import UNSETTLED, Round, save

    with tqdm(desc="solving", unit=" rounds", disable=None) as bar:

        def report(done: Round) -> None:
            bar.write(
                f"round {done.number}, {done.role}: {done.changed:,} of {DEALS:,} deals changed, "
                f"{done.gain:.3g} points a deal gained",
                file=sys.stderr,
            )
            bar.update(done.role == ROLES[-1])

        solution = solve(report)
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
    if arguments.output:
        save(solution, arguments.output, force=arguments.force)
    return 0
