"""``python -m solver``: discards and play, solved from the rules."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from cribev.commands import cli, options
from cribev.errors import CribevError
from cribev.game.roles import ROLES
from cribev.system.cache import cache_folder
from cribev.system.files import check_writable
from cribev.system.signals import handled_by

if TYPE_CHECKING:
    from cribev.solution.solution import Solution
    from solver.provenance import Provenance, ResponseRound

_EXAMPLES = """\
examples:
  python -m solver --discards-only
  python -m solver -o solution.npz
  python -m solver -o solution.npz --resume
"""


def _add_arguments(command: options.Parser) -> None:
    command.add("--discards-only", "solve for hands and cribs alone (a minute)")
    command.add("-o --output FILE", "write the solution to a file (.npz)")
    command.add("--force", "replace an existing file")
    command.add(
        "--rounds N", "stop after N rounds of the play, or with --discards-only of discards",
        type=options.positive,
    )  # fmt: skip
    command.add(
        "--checkpoint FILE", "the file to resume from, written every few rounds and at Ctrl-C "
        "(1.2 GB, removed when all is solved); in the cache folder if not given",
    )  # fmt: skip
    command.add("--resume", "resume from the checkpoint")


def _solve(arguments: argparse.Namespace) -> None:
    if arguments.discards_only and (arguments.checkpoint or arguments.resume):
        raise CribevError("--discards-only takes a minute and leaves no checkpoint")
    if arguments.output:
        check_writable(arguments.output, force=arguments.force)
    solution, provenance = (_discards if arguments.discards_only else _both)(arguments)
    _report(solution, provenance)
    if arguments.output:
        from solver.storage import save

        save(solution, arguments.output, provenance=provenance, force=arguments.force)


def _discards(arguments: argparse.Namespace) -> "tuple[Solution, Provenance]":
    from cribev.classes.canonical import DEALS
    from cribev.system.bars import tqdm
    from solver.discard_game import solve_discards

    with tqdm(desc="solving", unit=" rounds", disable=None) as bar:

        def report(done: "ResponseRound") -> None:
            changed = f"{done.changed:,} of {DEALS:,} deals changed"
            text = (
                f"round {done.number}, {done.role}: {changed}, {done.gain:.3g} points a deal gained"
            )
            bar.write(text, file=sys.stderr)
            bar.update(done.role == ROLES[-1])

        return solve_discards(report, rounds=arguments.rounds or 60)


def _both(arguments: argparse.Namespace) -> "tuple[Solution, Provenance]":
    if find_spec("numba") is None:
        raise CribevError("solving the play needs numba: pip install numba")
    from solver.run import AlternatingSolver

    if arguments.checkpoint:
        check_writable(arguments.checkpoint, force=True)
        checkpoint = Path(arguments.checkpoint)
    elif folder := cache_folder():
        folder.mkdir(parents=True, exist_ok=True)
        checkpoint = folder / "solving.npz"
    else:
        raise CribevError("there is no cache folder: --checkpoint FILE says where to leave one")
    report = partial(print, file=sys.stderr, flush=True)
    solver = AlternatingSolver(report, checkpoint=checkpoint)
    if arguments.resume:
        solver.resume(checkpoint)
    stopped = False

    def stop(*_: object) -> None:
        """Have the first Ctrl-C wait until a round is done, and the second end it at once."""
        nonlocal stopped
        if stopped:
            raise KeyboardInterrupt
        stopped = True
        options.warn("stopping after this round")

    with handled_by(stop, "SIGINT"):
        try:
            return solver.run(rounds=arguments.rounds, stop=lambda: stopped)
        except KeyboardInterrupt:
            if checkpoint.exists():
                options.warn(f"{checkpoint} is there to --resume from")
            raise


def _report(solution: "Solution", provenance: "Provenance") -> None:
    from solver.provenance import NOT_CONVERGED

    for role in ROLES:
        averages = solution.averages[role]
        print(
            f"{role}: hand {averages.hand:.4f}, crib {averages.crib:.4f}, "
            f"expected {averages.expected:.4f}; left to gain {solution.exploitability[role]:.3g} "
            f"points a deal, in {provenance.improvable_deals[role]:,} deals"
        )
    if provenance.cycle == NOT_CONVERGED:
        print(f"{provenance.rounds} rounds, and not settled")
    else:
        end = f"a cycle of {provenance.cycle} rounds" if provenance.cycle else "a fixed point"
        print(f"{provenance.rounds} rounds, ending in {end}")
    if solution.play is not None:
        pegs = ", ".join(f"{role} pegs {solution.play.averages(role)[0]:.4f}" for role in ROLES)
        print(
            f"play: {pegs}; left to gain, both together, {solution.play.exploitability:.4f} points "
            f"a deal; {solution.play.rounds} rounds in {len(solution.play.rms_changes)} turns"
        )


_SOLVE = options.Command(_EXAMPLES, _add_arguments, _solve)
_PURPOSE = "Solve discards and play from the rules alone (five hours)."


def main(argv: Sequence[str] | None = None) -> int:
    """Solve as the words say; return 0, 2 after a line about bad input, or 1."""
    words = list(sys.argv[1:] if argv is None else argv)
    return cli.status_of(lambda: cli.run_command(_SOLVE, "python -m solver", _PURPOSE, words))
