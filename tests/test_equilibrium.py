"""The solution that is shipped: a fixed point or nearly, near what is published; its tables."""

from functools import cache
from io import BytesIO

import numpy as np
import pytest
from damaging import damage_file

from cribev import random_hands
from cribev.classes.canonical import (
    DEALS,
    RANK_PAIRS,
    canonical_deals,
    classify_deals,
    keep_entries,
    unrank_deals,
)
from cribev.classes.class_tables import ClassTables, best_response
from cribev.classes.crib_averages import uniform_cribs
from cribev.errors import TableError
from cribev.game.cards import RANKS
from cribev.game.index_tables import DISCARDS
from cribev.game.roles import ROLES, crib_sign, opposite_role
from cribev.rows.pairs import published_cribs, read_pair_table
from cribev.solution.solution import FORMAT, load
from cribev.tables.crib_tables import compared_cribs, crib_chart, thrown_pairs
from solver.discards import average_cribs, discard_frequencies
from solver.policies import policy_loss, static_policy
from solver.storage import policy_checksum, save

pytestmark = pytest.mark.arrays


@cache
def thrown_to(role, play):
    """How often an expert opponent throws what, and what that makes of the cribs of a role."""
    frequencies = discard_frequencies(load(play=play).policies()[opposite_role(role)])
    return frequencies, average_cribs(frequencies)


@pytest.mark.slow
def test_one_more_round_gains_nothing():
    solution = load()
    policies = solution.policies()
    for role in ROLES:
        loss = policy_loss(policies[role], thrown_to(role, False)[1], role=role)
        # It is the best point of a cycle: see `solver.discard_game`.
        assert loss.points == pytest.approx(solution.exploitability[role], abs=1e-10)
        assert loss.points < 2e-8
        assert loss.deals <= solution.improvable_deals[role] + 100
        assert loss.deals < 5000


def test_averages_are_near_the_published():
    averages = load().averages
    assert averages["dealer"].hand == pytest.approx(7.9, abs=0.15)
    assert averages["pone"].hand == pytest.approx(8.05, abs=0.1)
    for role in ROLES:
        assert 4.5 < averages[role].crib < 4.95
    # The crib is the same crib, seen from both sides.
    assert averages["dealer"].crib == pytest.approx(averages["pone"].crib, abs=1e-3)


@pytest.mark.parametrize("role", ROLES)
def test_discards_sum_to_one_and_match_published_figures(role, data):
    pairs, frame = load().pairs[role], thrown_pairs(role)
    thrown, total = pairs.thrown.sum(axis=1), pairs.thrown * pairs.crib_when_thrown
    people = read_pair_table(data / "discard_frequency.csv", known="")[role]
    # Carte Primus: players who also weigh the play. 0.963 as dealer, 0.939 as pone.
    assert np.corrcoef(thrown, people[tuple(RANK_PAIRS.T)])[0, 1] > 0.93
    # Average cribs of the pairs that make up the commonest four fifths of throws.
    order = np.argsort(-thrown)
    common = order[: np.searchsorted(thrown[order].cumsum(), 0.8) + 1]
    ours = np.nansum(total, axis=1)[common] / thrown[common]
    for name, apart, mean in (("hessel", 0.06, 0.015), ("schell", 0.16, 0.07)):
        difference = ours - published_cribs(name)[role][tuple(RANK_PAIRS[common].T)]
        assert np.abs(difference).max() < apart
        assert abs(difference.mean()) < mean
    assert thrown.sum() == pytest.approx(1)
    assert np.nansum(total) == pytest.approx(load().averages[role].crib)
    assert len(frame) == 169
    assert frame["thrown"].sum() == pytest.approx(1)
    assert not (frame["suited"] & (frame["rank1"] == frame["rank2"])).any()
    # A crib flush is worth something, and what is thrown is held.
    assert frame["crib_mean_held"].notna().all()


def test_written_and_read_again_it_is_the_same(tmp_path):
    solution = load()
    save(solution, tmp_path / "solution")
    again = load(tmp_path / "solution")
    for role in ROLES:
        for name in ("cribs", "actual_cribs"):
            was, is_now = (getattr(one, name)[role] for one in (solution, again))
            for old, new in zip(was[:4], is_now[:4], strict=True):
                assert (old == new).all()
        for old, new in zip(solution.pairs[role], again.pairs[role], strict=True):
            assert np.array_equal(old, new, equal_nan=True)
    assert again.averages == solution.averages
    assert again.exploitability == solution.exploitability
    for name in ("cycle", "history", "improvable_deals", "losses", "checksums"):
        assert getattr(again, name) == getattr(solution, name)


@pytest.mark.slow
@pytest.mark.parametrize("play", [False, True])
def test_what_is_met_is_what_the_other_throws(play):
    for role, actual in load(play=play).actual_cribs.items():
        thrown = thrown_to(role, play)[1]
        # For the show alone a few thousand of all deals go in a circle, and are let go.
        far = np.abs(actual.ranks - thrown.ranks).max() / 46
        assert far <= (0 if play else 0.01)
        for name in ("flush", "jacks", "nobs"):
            assert getattr(actual, name) == pytest.approx(
                getattr(thrown, name), abs=1e-6 if play else 0.05
            )


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "text", "format", "missing"])
def test_damaged_files_are_refused_in_one_line(tmp_path, damage):
    file, whole = tmp_path / "solution.npz", BytesIO()
    told = "cannot read the solution in {}: it is damaged, or no solution"
    if damage == "missing":
        told = "cannot read the solution in {}: No such file or directory"
    elif damage == "format":
        told = f"{{}} has format {FORMAT - 1}, this version of cribev reads {FORMAT}: "
        told += "make the file again with python -m solver -o FILE"
        np.savez(file, format=np.array(FORMAT - 1))
    else:
        save(load(), whole)
        assert damage_file(file, whole.getvalue(), damage)
    with pytest.raises(TableError) as raised:
        load(file)
    assert str(raised.value) == told.format(file)


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_policies_keep_every_best_discard(role):
    policy = load().policies()[role]
    tables = ClassTables(load().cribs[role], role)
    for start in (0, 7_654_321, DEALS - 30_000):
        forms = classify_deals(unrank_deals(np.arange(start, start + 30_000)))
        sets, values = policy[forms].astype(np.int64), tables.values(*forms)
        best = tables.best(*forms)
        first = sets & -sets
        assert (first == 1 << best.best.keep.astype(np.int64)).all()
        assert ((sets == first) == (best.best.margin > 0)).all()
        equal = values.expected > values.expected.max(axis=1, keepdims=True) - 1e-9
        assert (sets == equal @ (1 << np.arange(15))).all()
        for name in ("hand", "crib", "expected"):
            of_best = getattr(values, name)[np.arange(len(sets)), best.best.keep]
            assert getattr(best, name) == pytest.approx(of_best, abs=1e-12)


@pytest.mark.slow
def test_shipped_policies_are_the_same_on_every_platform():
    sums = {role: policy_checksum(policy) for role, policy in load().policies().items()}
    assert sums == load().checksums == {"dealer": 2895398808, "pone": 3222204013}


@pytest.mark.slow
def test_losses_of_policies():
    cribs = uniform_cribs()
    best = best_response(cribs, role="dealer")
    assert policy_loss(best, cribs, role="dealer") == (0.0, 0)
    first = (best & -best.astype(np.int64)).astype(np.uint16)
    assert policy_loss(first, cribs, role="dealer") == (0.0, 0)
    # What is mixed loses the mean of what each of its parts loses.
    mixed, *fixed = (
        policy_loss(np.full_like(best, sum(1 << keep for keep in keeps)), cribs, role="dealer")
        for keeps in ((0, 14), (0,), (14,))
    )
    assert 2 < mixed.points < 8
    assert mixed.points == pytest.approx(np.mean([loss.points for loss in fixed]))


@pytest.mark.slow
def test_a_policy_throws_once_a_deal():
    thrown, cribs = thrown_to("dealer", False)
    assert thrown.ranks.sum(axis=1) == pytest.approx(1)
    forms = canonical_deals()
    # Each role's cards are drawn from the same deck: jacks the opponent throws, over all deals.
    jacks = np.bincount(forms.classes, forms.deals) @ cribs.jacks / DEALS
    assert jacks == pytest.approx(thrown.jacks.sum() / DEALS)


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
    for role in ROLES:
        weighed, loss = (
            {name: one.points for name, one in load(play=play).losses[role].items()}
            for play in (True, False)
        )
        assert 0.02 < weighed["show"] < weighed["hand"] / 5
        assert weighed["hand"] < weighed["random"]
        assert 0 < loss["hessel"] < loss["uniform"] < loss["hand"] < loss["random"]


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_shipped_losses_are_those_of_the_policies(role):
    cribs = load().cribs[role]
    best_hand = static_policy(np.zeros((13, 13)), role=role)
    assert policy_loss(best_hand, cribs, role=role) == pytest.approx(load().losses[role]["hand"])
    # Throwing at random loses what the 15 discards lose on average, here over sampled deals.
    values = ClassTables(cribs, role).values(*classify_deals(random_hands(10_000, seed=8))).expected
    losses = values.max(axis=1) - values.mean(axis=1)
    error = losses.std() / np.sqrt(len(losses))
    assert abs(losses.mean() - load().losses[role]["random"].points) < 5 * error


@pytest.mark.slow
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
    chart = crib_chart("dealer", None, load(play=True))
    frame = thrown_pairs("dealer").set_index(["rank1", "rank2", "suited"])["crib_mean"]
    ace, king = RANKS.index("A"), RANKS.index("K")
    assert chart.rows[ace][1 + king][0] == f"{frame['A', 'K', False]:.2f}"
    assert chart.rows[king][1 + ace][0] == f"{frame['A', 'K', True]:.2f}"
    assert all(text for row in chart.rows for text, _ in row[1:])
