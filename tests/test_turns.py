"""Discards and play in turn: what is left when it is interrupted, and gone on with."""

import sys
from functools import partial

import numpy as np
import pytest
from shell import refused

from cribev.errors import TableError
from cribev.solution.solution import load, save
from cribev.solving import run
from cribev.solving.discards import solve_discards
from cribev.solving.run import CHECKPOINT_FORMAT, AlternatingSolver


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot read the checkpoint"),
        (b"", "cannot read the checkpoint"),
        (b"no checkpoint\n" * 9, "cannot read the checkpoint"),
        (np.zeros(3), "cannot read the checkpoint"),
        ({"format": 3}, "it is damaged, or no checkpoint"),
        ({"checkpoint": 99}, "has format 99, this version of cribev reads"),
        ({"checkpoint": CHECKPOINT_FORMAT}, "cannot read the checkpoint"),
    ],
)
def test_what_is_no_checkpoint_is_refused(tmp_path, content, said):
    file = tmp_path / "checkpoint.npz"
    if isinstance(content, dict):
        np.savez(file, **{name: np.array(value) for name, value in content.items()})
    elif isinstance(content, np.ndarray):
        with file.open("wb") as opened:
            np.save(opened, content)
    elif content is not None:
        file.write_bytes(content)
    with pytest.raises(TableError) as raised:
        AlternatingSolver(print).resume(file)
    assert said in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_the_command_refuses_what_does_not_go_together(tmp_path, monkeypatch):
    for words, said in (
        (["--discards-only", "--resume"], "leaves no checkpoint"),
        (["--resume", "--checkpoint", str(tmp_path / "none.npz")], "cannot read the checkpoint"),
        (["--checkpoint", str(tmp_path / "no" / "x.npz")], "there is no folder"),
        (["--rounds", "0"], "--rounds"),
    ):
        assert said in refused("solve", *words)
    monkeypatch.setitem(sys.modules, "numba", None)
    assert "cribev[solve]" in refused("solve")


@pytest.mark.slow
@pytest.mark.xdist_group("solved")
def test_interrupted_and_gone_on_with(tmp_path, monkeypatch):
    responses = partial(solve_discards, rounds=2)  # to the end where the command is tried
    monkeypatch.setattr(run, "solve_discards", responses)
    said, file = [], tmp_path / "checkpoint.npz"
    turns = AlternatingSolver(said.append, checkpoint=file)
    turns.cribs = load().cribs  # the discards are solved from nothing where the command is tried
    with pytest.raises(KeyboardInterrupt):
        turns.run(stop=lambda: True)
    again = AlternatingSolver(said.append, win_table_deals=20_000)
    again.resume(file)
    assert again.turn == 0
    solution = again.run(rounds=3)
    assert solution.play.rounds == 3
    assert solution.play.exploitability < 1.5
    save(solution, tmp_path / "solution.npz")
    read = load(tmp_path / "solution.npz")
    assert read.checksums == solution.checksums
    assert np.array_equal(read.play.strategy.cells, solution.play.strategy.cells)
    assert np.abs(read.win_table.win - solution.win_table.win).max() < 1e-5
    assert any("the race to 121, from 20,000 deals" in line for line in said)
    assert read.play.averages("pone") == pytest.approx(solution.play.averages("pone"), abs=1e-3)
