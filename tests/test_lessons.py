import numpy as np
import pandas as pd
import pytest

from cribev import random_hands
from cribev.classes.canonical import classify_deals, keep_entries
from cribev.classes.class_tables import ClassTables
from cribev.game.cards import RANKS
from cribev.game.index_tables import DISCARDS
from cribev.game.score import ROLES, crib_sign
from cribev.opponents.players import ExpertOpponent
from cribev.rows.pairs import published_cribs
from cribev.solution.solution import load, policy_loss, static_policy
from cribev.solution.tables import compared_cribs, crib_chart, policy_losses, thrown_pairs


@pytest.mark.parametrize("role", ROLES)
def test_throws_are_shares_of_all_deals(role):
    frame = thrown_pairs(role)
    assert len(frame) == 169
    assert frame["thrown"].sum() == pytest.approx(1)
    assert not (frame["suited"] & (frame["rank1"] == frame["rank2"])).any()
    # A crib flush is worth something, and what is thrown is held.
    assert frame["crib_mean_held"].notna().all()


@pytest.mark.parametrize("role", ROLES)
def test_a_comparison_is_ours_less_theirs(role):
    frame = compared_cribs(role, "schell")
    assert len(frame) == 91
    (difference,) = frame.query("rank1 == '7' and rank2 == '8'")["difference"]
    apart = thrown_pairs(role).query("rank1 == '7' and rank2 == '8'")
    ours = (apart["thrown"] * apart["crib_mean"]).sum() / apart["thrown"].sum()
    assert difference == pytest.approx(ours - published_cribs("schell")[role][6, 7])
    assert frame["difference"].abs().max() < 0.6


def test_policies_lose_more_the_less_they_know():
    weighed = policy_losses().set_index(["policy", "role"])["loss"]
    loss = policy_losses(solution=load()).set_index(["policy", "role"])["loss"]
    for role in ROLES:
        assert 0.02 < weighed["show", role] < weighed["hand", role] / 5
        assert weighed["hand", role] < weighed["random", role]
        assert 0 < loss["hessel", role] < loss["uniform", role] < loss["hand", role]
        assert loss["hand", role] < loss["random", role]


@pytest.mark.parametrize("role", ROLES)
def test_shipped_losses_are_those_of_the_policies(role):
    cribs = load().cribs[role]
    best_hand = static_policy(np.zeros((13, 13)), role=role)
    assert policy_loss(best_hand, cribs, role=role) == pytest.approx(load().losses[role]["hand"])
    # Throwing at random loses what the 15 discards lose on average, here over sampled deals.
    values = ClassTables(cribs, role).values(*classify_deals(random_hands(50_000, seed=8))).expected
    losses = values.max(axis=1) - values.mean(axis=1)
    error = losses.std() / np.sqrt(len(losses))
    assert abs(losses.mean() - load().losses[role]["random"].points) < 5 * error


def test_a_table_published_since_is_worked_out():
    shipped = load()
    since = {
        role: {k: v for k, v in shipped.losses[role].items() if k != "schell"} for role in ROLES
    }
    before = shipped._replace(losses=since)
    pd.testing.assert_frame_equal(policy_losses(solution=before), policy_losses(solution=shipped))
    told = load().losses["pone"]
    for name, loss in ExpertOpponent(before).policy_losses("pone").items():
        assert loss == pytest.approx(told[name], rel=1e-12), name


@pytest.mark.parametrize("role", ROLES)
def test_a_static_policy_throws_by_hand_and_table(role):
    rng = np.random.default_rng(3)
    crib = rng.random((13, 13)) * 6
    crib = crib + crib.T
    policy = static_policy(crib, role=role)
    deals = np.sort(random_hands(2000, seed=5), axis=1)
    rows, keeps, _ = keep_entries(policy[classify_deals(deals)])
    hand = ClassTables(load().cribs[role], role).values(*classify_deals(deals)).hand
    ranks = deals[:, DISCARDS] >> 2
    static = hand + crib_sign(role) * crib[ranks[..., 0], ranks[..., 1]]
    equal = np.zeros(static.shape, dtype=bool)
    equal[rows, keeps] = True
    assert (equal == (static > static.max(axis=1, keepdims=True) - 1e-9)).all()


def test_a_chart_puts_one_suit_below_the_diagonal():
    chart = crib_chart("dealer")
    frame = thrown_pairs("dealer").set_index(["rank1", "rank2", "suited"])["crib_mean"]
    ace, king = RANKS.index("A"), RANKS.index("K")
    assert chart.rows[ace][1 + king][0] == f"{frame['A', 'K', False]:.2f}"
    assert chart.rows[king][1 + ace][0] == f"{frame['A', 'K', True]:.2f}"
    assert all(text for row in chart.rows for text, _ in row[1:])
