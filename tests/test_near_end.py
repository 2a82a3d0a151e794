"""Chances to win of many deals by the quick methods, beside those worked out deal by deal."""

import numpy as np
import pytest

from cribev.advice.names import as_opponent
from cribev.evaluation.exact import exact_values
from cribev.evaluation.plan import (
    BLENDED_NEED,
    CLOSE_NEED,
    FAR_NEED,
    MANY,
    DealBatch,
    approximate_values,
    class_table_values,
    plan_evaluation,
    quick_ends,
)
from cribev.game.cards import random_hands
from cribev.game.outcomes import Outcomes, wins_of
from cribev.opponents.opponents import Opponent, Uniform
from cribev.solution.solution import shipped_strategy
from cribev.solution.strategy import RANK_KEEPS
from cribev.wins import orders
from cribev.wins.exact import pegging_pmf
from cribev.wins.far import FarEnds
from cribev.wins.near import NearEnds
from cribev.wins.orders import peg_orders

pytestmark = pytest.mark.arrays


def dealt(number, seed):
    """Deals, whether the player deals, and scores at which somebody needs few."""
    rng = np.random.default_rng(seed)
    needs = rng.integers(1, 61, (8 * number, 2))
    scores = 121 - needs[needs.min(axis=1) <= 31][:number]
    deals = np.sort(random_hands(number, seed=seed), axis=1)
    return deals, rng.random(number) < 0.5, scores


def apart(deals, dealer, scores, opponent="expert"):
    """Approximate less exact chances, ``(number, 15)``."""
    opponent = as_opponent(opponent)
    exact = exact_values(deals, dealer, opponent, scores=scores).discards.win
    return approximate_values(DealBatch.of(deals, dealer, scores), opponent).win - exact


@pytest.mark.slow
def test_against_people_the_play_goes_by_what_replies():
    off = apart(*dealt(6, seed=2), opponent="people")
    assert 0 < np.sqrt(np.mean(off**2)) < 0.002
    assert abs(off).max() < 0.02


@pytest.mark.slow
def test_many_are_as_advised():
    off = apart(*dealt(MANY + 8, seed=4))
    assert np.sqrt(np.mean(off**2)) <= 0.0005
    assert abs(off).max() < 0.004
    assert abs(off.mean()) < 0.0002


@pytest.mark.slow
@pytest.mark.parametrize("dealer", [False, True])
def test_more_points_never_hurt(dealer):
    own, other = np.mgrid[104:121:2, 104:121:2].reshape(2, -1)
    deals = np.repeat(np.sort(random_hands(1, seed=7), axis=1), len(own), axis=0)
    batch = DealBatch.of(deals, np.full(len(own), dealer), np.stack([own, other], axis=1))
    won = approximate_values(batch, as_opponent("expert")).win.reshape(9, 9, 15)
    assert (np.diff(won, axis=0) > -1e-6).all()
    assert (np.diff(won, axis=1) < 1e-6).all()
    assert (np.diff(won, axis=0).mean(axis=(0, 1)) > 0.01).all()
    deals = np.array([[22, 25, 40, 41, 42, 43], [0, 1, 2, 3, 40, 44]], dtype=np.uint8)
    dealers, scores = np.full(2, dealer), np.array([[92, 67], [110, 112]])
    assert abs(apart(deals, dealers, scores)).max() < 0.004


@pytest.mark.parametrize(
    ("role", "own", "other"),
    [
        ("pone", 103, 97),
        pytest.param("dealer", 40, 31, marks=pytest.mark.slow),
        pytest.param("pone", 119, 88, marks=pytest.mark.slow),
        pytest.param("dealer", 85, 83, marks=pytest.mark.slow),
    ],
)
def test_ways_to_win_agree(role, own, other):
    """Two deals at one score: exactly, and by the method that the score asks for."""
    columns = np.sort(random_hands(2, seed=own), axis=1).T
    scores, dealer = np.array([[own, other]] * 2), np.full(2, role == "dealer")
    batch, expert = DealBatch(columns, dealer, scores), as_opponent("expert")
    batch, values = batch._replace(goal=wins_of), class_table_values(batch, expert)
    method = FarEnds if 121 - max(own, other) >= FAR_NEED else NearEnds
    exact = exact_values(columns.T, dealer, expert, scores=scores).discards.outcomes
    quick = Outcomes.of_nested(*quick_ends(method, expert, batch, values))
    assert exact.win.shape == (2, 15)
    for name, chances in exact.to_dict().items():
        assert abs(getattr(quick, name) - chances).max() < 0.003


@pytest.mark.slow
def test_the_step_between_far_and_near_is_small():
    """Chances by need where methods are blended, beside those by that near the end alone."""
    number, rng, needs = 8, np.random.default_rng(6), np.arange(BLENDED_NEED - 9, FAR_NEED + 3)
    cards = np.sort(random_hands(number, seed=6), axis=1)
    deals, dealer = np.tile(cards, (len(needs), 1)), np.tile(rng.random(number) < 0.5, len(needs))
    other = np.tile(rng.integers(89, 121, number), len(needs))
    scores = 121 - np.stack([np.repeat(needs, number), other], axis=1)
    mine = np.tile(rng.random(number) < 0.5, len(needs))[:, None]
    scores = np.where(mine, scores, scores[:, ::-1])
    batch, expert = DealBatch.of(deals, dealer, scores), as_opponent("expert")
    blended, values = plan_evaluation(batch, expert).values().win, class_table_values(batch, expert)
    (near,) = quick_ends(NearEnds, expert, batch, values)
    blended, near = np.stack([blended, near]).reshape(2, len(needs), number, 15)
    own = scores[:number, :1] > scores[-number:, :1]
    # What the way to work it out adds to what the point does.
    assert abs(np.diff(blended - near, axis=0)).max() < 0.001
    assert blended[:9] == pytest.approx(near[:9], abs=1e-9)
    assert (np.where(own, -1, 1) * np.diff(blended, axis=0) > -1e-6).all()


@pytest.mark.slow
@pytest.mark.parametrize(("role", "needs"), [("pone", (2, 3)), ("dealer", (9, 5))])
def test_who_is_out_first(role, needs):
    strategy = shipped_strategy()
    every, keep = np.arange(RANK_KEEPS), 1234
    found = peg_orders(as_opponent("expert"), role, every)
    hands = strategy.size.holdings(4)[[0, keep]]
    _, walked = pegging_pmf(hands, role, every, needs, strategy)
    ways = found.ways(keep, every)
    own, other = found.steps.astype(int).transpose(1, 0, 2)
    out, beaten = (
        np.where((pegged >= need).any(axis=1), (pegged >= need).argmax(axis=1), 99)
        for pegged, need in zip((own, other), needs, strict=True)
    )
    for first, expected in ((out < beaten, walked.out), (beaten < out, walked.beaten)):
        chance = np.bincount(ways.opponent, ways.chance * first[ways.order], RANK_KEEPS)
        assert chance == pytest.approx(expected, abs=0.1)
        assert chance.mean() == pytest.approx(expected.mean(), abs=0.001)


@pytest.mark.slow
def test_orders_of_few_keeps_match_all(tmp_path, monkeypatch):
    role, every, few = "dealer", np.arange(RANK_KEEPS), np.array([7, 1234])
    whole = peg_orders(as_opponent("expert"), role, every)
    monkeypatch.setenv("CRIBEV_CACHE_DIR", str(tmp_path))
    found = peg_orders(as_opponent("expert"), role, few)
    assert not [*tmp_path.iterdir()]
    for keep in few.tolist():
        chances = []
        for orders_of in (whole, found):
            ways = orders_of.ways(keep, every)
            own, other = orders_of.steps.astype(int).transpose(1, 0, 2)
            leads = (own > other).sum(axis=1) * 32 + own.max(axis=1)  # tells most orders apart
            size = (RANK_KEEPS, 512)
            at = np.ravel_multi_index((ways.opponent, leads[ways.order]), size)
            chances.append(np.bincount(at, ways.chance, RANK_KEEPS * 512))
        np.testing.assert_allclose(*chances, rtol=0, atol=2e-5)


def test_near_end_method_depends_on_count_and_opponent():
    deals, dealer, scores = dealt(MANY + 2, seed=5)
    scores[-2:] = [40, 45], [-1, -1]
    expert = as_opponent("expert")

    def methods(rows=slice(None), opponent=expert, **options):
        batch = DealBatch.of(deals, dealer, scores, rows=rows)
        return plan_evaluation(batch, opponent, **options).win_methods.tolist()

    near = [b"approximate"] * MANY
    assert methods() == [*near, b"approximate", b""]
    assert methods(slice(1, None)) == [b"exact"] * (MANY - 1) + [b"approximate", b""]
    assert methods(exact=True) == [b"exact"] * (MANY + 1) + [b""]
    people = as_opponent("people")
    # Those that are counted anyhow are not many.
    assert methods(opponent=people) == [b"exact"] * MANY + [b"approximate", b""]
    close = (scores[:MANY] >= 121 - CLOSE_NEED).all(axis=1)
    assert methods(opponent=people, many=0) == methods()
    expected = np.where(close, b"exact", b"approximate").tolist()
    assert methods(opponent=people, many=MANY - close.sum()) == [*expected, b"approximate", b""]
    assert 0 < close.sum() < MANY
    assert methods(opponent=Opponent.of(Uniform())) == [b"exact"] * (MANY + 1) + [b""]


@pytest.mark.slow
def test_orders_are_cached_and_damage_repaired(tmp_path, monkeypatch):
    known = as_opponent("expert"), "dealer", np.arange(RANK_KEEPS)
    of_dealer, walks = peg_orders(*known), []
    monkeypatch.setenv("CRIBEV_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(orders, "walked", lambda *_: walks.append(None) or of_dealer)

    def walks_to_open():
        orders._orders_of.cache_clear()
        walks.clear()
        found = peg_orders(*known)
        assert all((one == other).all() for one, other in zip(found, of_dealer, strict=True))
        assert walks or not any(one.flags.writeable for one in found)
        return len(walks)

    assert [walks_to_open(), walks_to_open()] == [1, 0]
    files = {file: file.read_bytes() for file in tmp_path.glob("orders_*")}
    assert len(files) == len(of_dealer) + 1
    for file, whole in files.items():
        middle = len(whole) // 2
        for content in (whole[:-1], whole[:middle] + b"?" + whole[middle + 1 :], b""):
            file.write_bytes(content)
            assert [walks_to_open(), walks_to_open()] == [1, 0]
        assert file.read_bytes() == whole
    monkeypatch.setattr(orders, "CACHE_VERSION", orders.CACHE_VERSION + 1)
    assert walks_to_open() == 1
    newer = {*tmp_path.glob("orders_*")}  # and the older are gone
    assert (len(newer), newer & {*files}) == (len(files), set())
    (tmp_path / "taken").touch()
    monkeypatch.setenv("CRIBEV_CACHE_DIR", str(tmp_path / "taken"))
    assert [walks_to_open(), walks_to_open()] == [1, 1]
    orders._orders_of.cache_clear()


@pytest.mark.slow
def test_shared_scores_change_no_figure():
    (one, other), expert = np.sort(random_hands(2, seed=4), axis=1), as_opponent("expert")
    deals = np.stack([one, one, one, other, one])
    dealer, scores = np.ones(5, bool), np.array([[90, 119], [80, 80], [85, 40], [80, 80], [80, 80]])
    together = approximate_values(DealBatch.of(deals, dealer, scores), expert).win
    for row in range(5):
        at = slice(row, row + 1)
        alone = approximate_values(DealBatch.of(deals[at], dealer[at], scores[at]), expert).win
        assert (alone == together[at]).all()
