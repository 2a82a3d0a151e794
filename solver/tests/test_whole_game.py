"""The whole game, solved for a few rounds, interrupted and gone on with: what is shipped fits."""

import numpy as np
import pytest

from benchmarks.play_deals import average_points
from cribev.advice.names import as_opponent
from cribev.classes.class_tables import best_response
from cribev.errors import TableError
from cribev.game.roles import ROLES
from cribev.solution.solution import load
from cribev.values.keeps import KeepDistributions, keeps_faced
from solver import run
from solver.discard_game import keep_frequencies
from solver.play_solver import adopt
from solver.run import CHECKPOINT_FORMAT, AlternatingSolver
from solver.storage import save
from solver.worth import best_responses, expected_points, exploitability


@pytest.fixture(scope="module")
def keeps():
    """The keeps that are shipped, and how often they face each other: worked out for 40 seconds."""
    return KeepDistributions(load(play=True).play.keep_frequencies)


@pytest.fixture(scope="module")
def short(keeps, tmp_path_factory):
    """A short solve against these keeps, interrupted and resumed; what it solved and reported."""
    said, asked, file = [], [], tmp_path_factory.mktemp("solve") / "checkpoint.npz"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "solve_discards", lambda **given: asked.append(given) or (load(), None))
        patch.setattr(run, "KeepDistributions", lambda kept: asked.append(dict(kept)) or keeps)
        turns = AlternatingSolver(said.append, checkpoint=file)
        turns.cribs = load().cribs
        with pytest.raises(KeyboardInterrupt):
            turns.run(stop=lambda: True)
        turns._solver = None  # another takes as much memory
        again = AlternatingSolver(said.append, win_table_deals=20_000)
        again.resume(file)
        assert again.turn == 0
        solution, _ = again.run(rounds=2)
    *frequencies, discards = asked
    for role in ROLES:
        expected = keep_frequencies(best_response(load().cribs[role], role=role))
        for kept in frequencies:
            np.testing.assert_allclose(kept[role].share, expected.share, atol=1e-6)
        assert (discards["net_pegging"][role] == solution.play.expected_pegging[role].net).all()
        assert (discards["start"][role].ranks == load().cribs[role].ranks).all()
    return again._solver, solution, said


def test_few_keeps_are_faced_as_all_are(keeps):
    for role in ROLES:
        found = keeps_faced(as_opponent("expert"), role, range(0, 1820, 400))
        np.testing.assert_allclose(found, keeps.beliefs.conditional[role][::400], atol=1e-9)


def test_short_solve_brackets_shipped_solution(short):
    solver, found, _ = short
    play = load(play=True).play
    pone, dealer = best_responses(solver)
    own, opponent = play.averages("pone")
    # No strategy of the dealer's holds pone to less than the game's value, and so the other way.
    slack = play.exploitability
    assert -(dealer @ solver.keeps.marginal["dealer"]) - slack <= own - opponent
    assert own - opponent <= pone @ solver.keeps.marginal["pone"] + slack
    gains = pone @ solver.keeps.marginal["pone"] + dealer @ solver.keeps.marginal["dealer"]
    assert gains == pytest.approx(found.play.exploitability, abs=1e-6)
    assert gains < 1.5
    strategy, rng, points = found.play.strategy, np.random.default_rng(5), expected_points(solver)
    for role, mean, error in average_points(strategy, play.keep_frequencies, 20_000, rng):
        share, faces = solver.keeps.marginal[role], solver.keeps.conditional[role]
        expected = share @ (faces * points[role][0]).sum(axis=1)
        assert abs(mean - expected) < 4 * error
    # What is shipped leaves as little to gain as it says.
    adopt(solver, play.strategy)
    assert exploitability(solver) == pytest.approx(slack, rel=0.02)


def test_lookup_play_matches_shipped_averages():
    play, rng = load(play=True).play, np.random.default_rng(17)
    for role, mean, error in average_points(play.strategy, play.keep_frequencies, 20_000, rng):
        assert abs(mean - play.averages(role)[0]) < 4 * error
        assert error < 0.02


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


def test_a_resumed_solve_is_stored_whole(short, tmp_path):
    _, solution, said = short
    assert solution.play.rounds == 2
    save(solution, tmp_path / "solution.npz")
    read = load(tmp_path / "solution.npz")
    assert read.checksums == solution.checksums
    assert np.array_equal(read.play.strategy.cells, solution.play.strategy.cells)
    assert np.abs(read.win_table.win - solution.win_table.win).max() < 1e-5
    assert any("the race to 121, from 20,000 deals" in line for line in said)
    assert read.play.averages("pone") == pytest.approx(solution.play.averages("pone"), abs=1e-3)
