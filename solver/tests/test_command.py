"""The command ``python -m solver``."""

from functools import partial

import pytest
import shell

from cribev.game.roles import ROLES
from cribev.solution.solution import load
from solver import command, discard_game
from solver.provenance import load_provenance

run, refused = (partial(one, program=command.main) for one in (shell.run, shell.refused))


def test_the_command_refuses_what_does_not_go_together(tmp_path, monkeypatch):
    for words, said in (
        (["--discards-only", "--resume"], "leaves no checkpoint"),
        (["--resume", "--checkpoint", str(tmp_path / "none.npz")], "cannot read the checkpoint"),
        (["--checkpoint", str(tmp_path / "no" / "x.npz")], "there is no folder"),
        (["--rounds", "0"], "--rounds"),
        (["-o", "/"], "'/' is a folder: expected a file to write"),
        (["-o", "/no/such/folder/x.npz"], "there is no folder '/no/such/folder'"),
        (["--round", "3"], "unknown option '--round'; did you mean '--rounds'?"),
        (["more"], "'more' is one word too many for python -m solver"),
    ):
        assert said in refused(*words)
    monkeypatch.setattr(command, "find_spec", lambda _: None)
    assert refused() == "solving the play needs numba: pip install numba"


def test_unwritable_output_is_refused_before_solving(monkeypatch):
    monkeypatch.setattr("solver.discard_game.solve_discards", None)
    told = refused("--discards-only", "-o", "/proc/solution.npz")
    assert told.startswith("cannot write '/proc/solution.npz': ")


def test_unsaved_solution_is_reported(monkeypatch, capfd):
    monkeypatch.setattr(
        "solver.discard_game.solve_discards", lambda *_, **__: (load(), load_provenance())
    )
    monkeypatch.setattr("cribev.commands.cli._give_up_output", lambda: None)
    assert command.main(["--discards-only", "-o", "/dev/full"]) == 1
    out, err = capfd.readouterr()
    assert "dealer: hand 7.9" in out
    assert err.endswith("cribev: error: cannot write '/dev/full': No space left on device\n")


def test_interrupt_exits_like_other_commands(started):
    code = "import sys\nimport solver.command as s\nfrom cribev.__main__ import entry_point\n"
    code += "def _both(_):\n raise KeyboardInterrupt\ns._both = _both\n"
    process = started("-c", f"{code}sys.exit(entry_point('solver.command'))")
    assert process.communicate(timeout=300) == (b"", b"")
    assert process.returncode == 130


def test_module_runs_and_lists_options(started):
    process = started("-m", "solver", "--help")
    shown, told = process.communicate(timeout=300)
    assert (process.returncode, told) == (0, b"")
    assert shown.startswith(b"usage: python -m solver ")
    assert b"python -m solver -o solution.npz --resume" in shown


def test_solve_writes_what_can_be_read(tmp_path, monkeypatch):
    """From what is shipped, a point of the cycle in which the solve ends: it comes to it again."""
    shipped, file = load(), tmp_path / "solution.npz"
    from_shipped = partial(discard_game.solve_discards, start=shipped.cribs)
    monkeypatch.setattr(discard_game, "solve_discards", from_shipped)
    done = run("--discards-only", "-o", str(file))
    assert done.returncode == 0
    assert b"a cycle of 2 rounds" in done.stdout
    again, provenance, known = load(file), load_provenance(file), load_provenance()
    told = f"round 1, dealer: {provenance.history[0].changed:,} of 20,358,520 deals changed"
    assert told.encode() in done.stderr
    # In the cycle a few thousand deals change, each by hardly anything.
    assert max(one.gain for one in provenance.history) < 1e-7
    assert 0 < sum(one.changed for one in provenance.history[-4:]) < 20_000
    assert again.checksums == shipped.checksums
    for name in ("cycle", "improvable_deals"):
        assert getattr(provenance, name) == getattr(known, name)
    for role in ROLES:
        assert again.averages[role] == pytest.approx(shipped.averages[role])
        assert again.exploitability[role] == pytest.approx(shipped.exploitability[role])
        for policy, loss in known.losses[role].items():
            assert provenance.losses[role][policy].points == pytest.approx(loss.points, rel=1e-4)
    assert [path.name for path in tmp_path.iterdir()] == ["solution.npz"]
    assert "--force replaces it" in refused("--discards-only", "-o", str(file))
