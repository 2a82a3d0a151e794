import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from strategies import hands

from cribev import CribevError, TableError, format_cards, random_hands
from cribev.advice.outcomes import crib_scores
from cribev.game.cards import RANKS, unseen
from cribev.game.index_tables import DISCARDS, PAIR_HAS, UNSEEN_PAIRS
from cribev.game.score import ROLES, opposite_role
from cribev.opponents.players import ExpertOpponent, Frequencies, Uniform, as_opponent


def read_frequencies(data):
    return as_opponent(str(data / "discard_frequency.csv"))


def test_frequency_cribs_by_brute_force(data):
    opponent = read_frequencies(data)
    deal = np.sort(random_hands(1, seed=9)[0])
    text = format_cards(deal).split()
    table = opponent.table["pone"]  # the player deals, so pone throws

    def each(pair):
        low, high = (RANKS.index(card[0]) for card in pair)
        return table[low, high] / (6 if low == high else 16)

    unseen_texts = oracle.rest(text)
    pairs = [(a, b) for i, a in enumerate(unseen_texts) for b in unseen_texts[i + 1 :]]
    total = {s: sum(each(pair) for pair in pairs if s not in pair) for s in unseen_texts}
    mean = oracle.crib_mean(
        text, [text[i] for i in DISCARDS[3]], lambda pair, starter: each(pair) / total[starter]
    )
    cribs = crib_scores(deal, opponent.weights(deal, "dealer"))
    assert cribs.mean[3] == pytest.approx(mean, abs=1e-9)


@settings(max_examples=8)
@given(hands(6))
def test_weights_of_any_opponent(data, deal):
    deal = np.sort(deal)
    for opponent in (Uniform(), ExpertOpponent(), read_frequencies(data)):
        for role in ROLES:
            weights = opponent.weights(deal, role)
            assert weights.shape == (1035, 46)
            assert (weights >= 0).all()
            assert (weights[PAIR_HAS] == 0).all()
            assert weights.sum(axis=0) == pytest.approx(weights[:, 0].sum())


def test_a_flat_table_is_a_uniform_opponent_and_cards_in_sight_thin_a_pair_out():
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
def test_it_is_the_other_role_that_throws(role):
    table = {one: np.full((13, 13), np.nan) for one in ROLES}
    table[opposite_role(role)][0, 0] = 1.0  # across the table only aces are thrown
    table[role][12, 12] = 1.0
    deal = np.sort(np.array([20, 24, 28, 32, 36, 40], dtype=np.uint8))
    weights = Frequencies("aces", table).weights(deal, role)
    thrown = unseen(deal)[UNSEEN_PAIRS[weights.any(axis=1)]] >> 2
    assert (thrown == 0).all()
    assert len(thrown) == 6
    deal = np.array([0, 1, 2, 24, 28, 32], dtype=np.uint8)  # three of the aces
    with pytest.raises(TableError, match=f"'aces' gives {opposite_role(role)} nothing to throw"):
        Frequencies("aces", table).weights(deal, role)


def test_the_unit_of_frequencies_does_not_matter():
    deal = np.sort(random_hands(1, seed=3)[0])
    one, *others = (
        Frequencies("flat", {role: np.full((13, 13), unit) for role in ROLES}).weights(deal, "pone")
        for unit in (1.0, 5e-324, 1e-300, 1e300)
    )
    for other_unit in others:
        assert one == pytest.approx(other_unit)


def test_weights_that_are_none_are_refused():
    deal = np.sort(random_hands(1, seed=3)[0])
    weights = Uniform().weights(deal, "dealer")
    first = np.arange(len(weights))[:, None] == 7  # with every starter
    spoilt = [np.where(first & ~PAIR_HAS, value, weights) for value in (-1, np.nan, np.inf)]
    for bad in (weights[:40], weights * 0, weights + 1, *spoilt):
        with pytest.raises(CribevError, match="an opponent's weights"):
            crib_scores(deal, bad)


@pytest.mark.parametrize("given", ["expert", "uniform", ExpertOpponent()])
def test_who_plays_goes_with_who_discards(given):
    both, alone = (as_opponent(given, play=play) for play in (True, False))
    deal = np.sort(random_hands(1, seed=3)[0])
    assert both.pegging("pone").own.shape == both.crib_averages("pone").play.shape
    assert alone.counted_pegging("pone") is alone.crib_averages("pone").play is None
    assert (both.counts_play, alone.counts_play) == (True, False)
    assert alone == as_opponent(alone) == as_opponent(alone, play=False) != both
    assert hash(alone) == hash(as_opponent(given, play=False))
    if given != "expert":  # by name it is the expert who discards for the show alone
        assert (both.weights(deal, "pone") == alone.weights(deal, "pone")).all()


def test_weights_alone_are_enough():
    class Bare:
        name = "bare"

        def weights(self, deal, role):
            return Uniform().weights(deal, role)

    opponent = as_opponent(Bare())
    assert opponent.pegging("dealer").own.shape == (18395, 15)
    assert np.isnan(opponent.baseline("dealer"))
    with pytest.raises(CribevError, match="'None' is no opponent"):
        as_opponent(None)
    with pytest.raises(CribevError, match="cannot be averaged"):
        opponent.crib_averages("dealer")
