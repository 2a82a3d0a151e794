"""Policies of the discards, and the shipped ones: what they discard, and what they lose."""

from functools import cache

import numpy as np
import pytest
from slow_count import unrank_deals

from cribev import random_hands
from cribev.classes.canonical import DEALS, canonical_deals, classify_deals, keep_entries
from cribev.classes.class_tables import ClassTables, best_response
from cribev.classes.crib_averages import uniform_cribs
from cribev.game.index_tables import DISCARDS
from cribev.game.roles import ROLES, crib_sign, opposite_role
from cribev.solution.solution import load
from solver.discards import average_cribs, discard_frequencies
from solver.policies import policy_loss, static_policy
from solver.provenance import load_provenance
from solver.storage import policy_checksum


@cache
def discarded_to(role, play):
    """Return an expert opponent's discards, and the average cribs of a role that follow."""
    frequencies = discard_frequencies(load(play=play).policies()[opposite_role(role)])
    return frequencies, average_cribs(frequencies)


def test_one_more_round_gains_nothing():
    solution = load()
    policies = solution.policies()
    for role in ROLES:
        loss = policy_loss(policies[role], discarded_to(role, False)[1], role=role)
        # It is the best point of a cycle: see `solver.discard_game`.
        assert loss.points == pytest.approx(solution.exploitability[role], abs=1e-10)
        assert loss.points < 2e-8
        assert loss.deals <= load_provenance().improvable_deals[role] + 100
        assert loss.deals < 5000


@pytest.mark.parametrize("play", [False, True])
def test_what_is_met_is_what_the_other_discards(play):
    for role, actual in load(play=play).actual_cribs.items():
        discarded = discarded_to(role, play)[1]
        # For the show alone a few thousand of all deals go in a circle, and are let go.
        far = np.abs(actual.ranks - discarded.ranks).max() / 46
        assert far <= (0 if play else 0.01)
        for name in ("flush", "jacks", "nobs"):
            assert getattr(actual, name) == pytest.approx(
                getattr(discarded, name), abs=1e-6 if play else 0.05
            )


def test_shipped_policies_are_the_same_on_every_platform():
    sums = {role: policy_checksum(policy) for role, policy in load().policies().items()}
    assert sums == load().checksums == {"dealer": 2895398808, "pone": 3222204013}


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


def test_a_policy_discards_once_a_deal():
    discarded, cribs = discarded_to("dealer", False)
    assert discarded.ranks.sum(axis=1) == pytest.approx(1)
    forms = canonical_deals()
    # Each role's cards are drawn from the same deck: jacks the opponent discards, over all deals.
    jacks = np.bincount(forms.classes, forms.deals) @ cribs.jacks / DEALS
    assert jacks == pytest.approx(discarded.jacks.sum() / DEALS)


@pytest.mark.parametrize("role", ROLES)
def test_shipped_losses_are_those_of_the_policies(role):
    cribs, losses_shipped = load().cribs[role], load_provenance().losses[role]
    best_hand = static_policy(np.zeros((13, 13)), role=role)
    assert policy_loss(best_hand, cribs, role=role) == pytest.approx(losses_shipped["hand"])
    # Discarding at random loses what the 15 discards lose on average, here over sampled deals.
    values = ClassTables(cribs, role).values(*classify_deals(random_hands(10_000, seed=8))).expected
    losses = values.max(axis=1) - values.mean(axis=1)
    error = losses.std() / np.sqrt(len(losses))
    assert abs(losses.mean() - losses_shipped["random"].points) < 5 * error


@pytest.mark.parametrize("role", ROLES)
def test_a_static_policy_discards_by_hand_and_table(role):
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


def test_policies_lose_more_the_less_they_know():
    for role in ROLES:
        weighed, loss = (
            {name: one.points for name, one in load_provenance(play=play).losses[role].items()}
            for play in (True, False)
        )
        assert 0.02 < weighed["show"] < weighed["hand"] / 5
        assert weighed["hand"] < weighed["random"]
        assert 0 < loss["hessel"] < loss["uniform"] < loss["hand"] < loss["random"]
