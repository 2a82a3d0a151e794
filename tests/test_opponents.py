"""Who discards the other two cards: counted slowly, by symmetry, by brute force."""

from itertools import combinations
from math import comb

import numpy as np
import oracle
import pytest
import slow_count
from hypothesis import given, settings
from strategies import hands, relabel

from cribev import format_cards
from cribev.advice.names import as_opponent
from cribev.classes.canonical import classify_deals
from cribev.classes.class_tables import ClassTables, best_response
from cribev.classes.crib_averages import uniform_cribs
from cribev.errors import CardError, TableError
from cribev.game.cards import RANKS, parse_card_text, random_hands, unseen
from cribev.game.index_tables import DISCARDS, PAIR_HAS, UNSEEN_PAIRS
from cribev.game.roles import ROLES, opposite_role
from cribev.opponents.counts import discard_counts, exact_weights, expert_counts
from cribev.opponents.opponents import Frequencies, Opponent, Solved, Uniform
from cribev.solution.solution import load
from cribev.system.cache import SHIPPED
from cribev.values.counts import crib_scores
from solver.expert import expert_arrays
from solver.policies import static_policy

pytestmark = pytest.mark.arrays

DEAL = np.sort(parse_card_text("5H 5D JS QC 2H 8D"))
CROWDED = ("5C 5D 5H 5S JC JD", "AC AD AH 2S 2H 2D")


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_counts_match_the_slow_count_exactly(role):
    strategy = slow_count.written_out(load().policies()[role])
    for deal in map(parse_card_text, CROWDED):
        slow = slow_count.weights(deal, strategy)
        assert (exact_weights(deal, expert_counts(load(), role)) == slow).all()


@pytest.mark.slow
def test_suit_blind_policies_can_be_counted():
    # Two of a rank go for a table, and all the same is discarded often: many parts of a hand.
    policy = static_policy(np.where(np.eye(13, dtype=bool), 9.0, 0.0), role="dealer")
    counts = discard_counts(policy)
    assert counts.parts % 6 == 0
    slow = slow_count.weights(DEAL, slow_count.written_out(policy))
    assert (exact_weights(DEAL, counts) == slow).all()


@pytest.mark.parametrize("suits", [[1, 0, 3, 2], [3, 0, 1, 2]])
def test_renamed_suits_rename_weights(suits):
    order, counts = np.array(suits, dtype=np.uint8), expert_counts(load(), "pone")
    renamed = relabel(DEAL, order)
    before, after = exact_weights(DEAL, counts), exact_weights(renamed, counts)
    assert before.sum(axis=0) == pytest.approx(comb(45, 6), abs=1e-6)
    moved = np.searchsorted(unseen(renamed), relabel(unseen(DEAL), order))
    pairs, (low, high) = np.zeros((46, 46), dtype=int), UNSEEN_PAIRS.T
    pairs[low, high] = pairs[high, low] = np.arange(1035)
    rows = pairs[moved[low], moved[high]]
    assert (before == after[rows[:, None], moved]).all()
    assert (exact_weights(DEAL[::-1].tolist(), counts) == before).all()
    with pytest.raises(CardError, match="expected 6 cards"):
        exact_weights(DEAL[:5], counts)


@pytest.mark.slow
def test_suit_dependent_policy_is_refused():
    policy = best_response(uniform_cribs(), role="pone")
    first_of_each = policy & -policy.astype(np.int64)
    with pytest.raises(TableError, match="names of suits"):
        discard_counts(first_of_each.astype(np.uint16))


@pytest.mark.parametrize("role", ROLES)
def test_class_tables_agree_with_the_exact_expert(role):
    deals = np.sort(random_hands(12, seed=22), axis=1)
    means = ClassTables(load().cribs[role], role).values(*classify_deals(deals)).crib
    counts = expert_counts(load(), opposite_role(role))
    exact = [crib_scores(deal, exact_weights(deal, counts)).mean for deal in deals]
    gaps = means - np.array(exact)
    assert np.abs(gaps).max() < 0.02
    assert np.sqrt((gaps**2).mean()) < 0.004
    assert abs(gaps.mean()) < 0.002


# By frequencies, any two cards, and others


def test_frequency_cribs_by_brute_force(data):
    opponent = as_opponent(str(data / "discard_frequency.csv"))
    deal = np.sort(random_hands(1, seed=9)[0])
    text = format_cards(deal).split()
    table = opponent.discards.table["pone"]  # the player deals, so pone discards

    def each(pair):
        low, high = (RANKS.index(card[0]) for card in pair)
        return table[low, high] / (6 if low == high else 16)

    rest = oracle.rest(text)
    weights = {pair: each(pair) for pair in combinations(rest, 2)}
    total = {cut: sum(often for pair, often in weights.items() if cut not in pair) for cut in rest}
    discarded = [text[place] for place in DISCARDS[3]]
    mean = oracle.crib_mean(text, discarded, lambda pair, starter: weights[pair] / total[starter])
    cribs = crib_scores(deal, opponent.discards.weights(deal, "dealer"))
    assert cribs.mean[3] == pytest.approx(mean, abs=1e-9)


@settings(max_examples=8)
@given(hands(6))
def test_weights_of_any_opponent(data, deal):
    deal = np.sort(deal)
    for opponent in map(as_opponent, ("uniform", "expert", data / "discard_frequency.csv")):
        for role in ROLES:
            weights = opponent.discards.weights(deal, role)
            assert weights.shape == (1035, 46)
            assert (weights >= 0).all()
            assert (weights[PAIR_HAS] == 0).all()
            assert weights.sum(axis=0) == pytest.approx(weights[:, 0].sum())


def test_flat_table_is_uniform_and_thins_seen_pairs():
    combinations = np.where(np.eye(13, dtype=bool), 6.0, 16.0)
    flat = Frequencies("flat", {"dealer": combinations, "pone": combinations})
    deal = np.sort(random_hands(1, seed=3)[0])
    uniform = crib_scores(deal, Uniform().weights(deal, "pone"))
    assert crib_scores(deal, flat.weights(deal, "pone")).mean == pytest.approx(uniform.mean)
    table = {role: np.zeros((13, 13)) for role in ROLES}
    for values in table.values():
        values[0, 0], values[12, 12] = 6.0, 6.0
    deal = np.array([0, 1, 20, 24, 28, 32], dtype=np.uint8)  # two aces in sight
    weights = Frequencies("mine", table).weights(deal, "pone")
    ranks = unseen(deal)[UNSEEN_PAIRS] >> 2
    five = np.flatnonzero(unseen(deal) >> 2 == 5)[0]  # a starter that touches neither
    aces, kings = (weights[(ranks == rank).all(axis=1), five].sum() for rank in (0, 12))
    assert kings == pytest.approx(6 * aces)


@pytest.mark.parametrize("role", ROLES)
def test_it_is_the_other_role_that_discards(role):
    table = {one: np.full((13, 13), np.nan) for one in ROLES}
    table[opposite_role(role)][0, 0] = 1.0  # across the table only aces are discarded
    table[role][12, 12] = 1.0
    deal = np.sort(np.array([20, 24, 28, 32, 36, 40], dtype=np.uint8))
    weights = Frequencies("aces", table).weights(deal, role)
    discarded = unseen(deal)[UNSEEN_PAIRS[weights.any(axis=1)]] >> 2
    assert (discarded == 0).all()
    assert len(discarded) == 6
    deal = np.array([0, 1, 2, 24, 28, 32], dtype=np.uint8)  # three of the aces
    with pytest.raises(TableError, match=f"'aces' gives {opposite_role(role)} nothing to discard"):
        Frequencies("aces", table).weights(deal, role)


@pytest.mark.parametrize("given", ["expert", "uniform", Opponent.of(Solved())])
def test_who_plays_goes_with_who_discards(given):
    both, alone = (as_opponent(given, play=play) for play in (True, False))
    deal = np.sort(random_hands(1, seed=3)[0])
    assert both.pegging("pone").own.shape == both.crib_averages("pone").play.shape
    assert alone.pegging("pone") is alone.crib_averages("pone").play is None
    assert (both.counts_play, alone.counts_play) == (True, False)
    assert alone == as_opponent(alone) == as_opponent(alone, play=False) != both
    assert hash(alone) == hash(as_opponent(given, play=False))
    if given != "expert":  # by name it is the expert who discards for the show alone
        assert (both.discards.weights(deal, "pone") == alone.discards.weights(deal, "pone")).all()


@pytest.mark.slow
def test_what_ships_is_what_would_be_worked_out(monkeypatch):
    monkeypatch.setattr("solver.expert.ROLES", ("dealer",))  # each takes 20 seconds
    with np.load(str(SHIPPED)) as stored:
        for name, array in expert_arrays().items():
            assert stored[name] == pytest.approx(array, abs=0.001)
