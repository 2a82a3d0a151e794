"""What is kept by a policy, beside what is shipped."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from cribev.classes.canonical import canonical_deals, class_ranks, classify_deals
from cribev.game.roles import ROLES
from cribev.solution.solution import load
from cribev.solution.strategy import GameSize, rank_keep_numbers
from cribev.values.keeps import rank_keep_frequencies
from solver.discard_game import iterate_best_responses, keep_frequencies
from solver.provenance import load_provenance

HOLDINGS = GameSize().holdings(4)


def test_policy_frequencies_match_deal_by_deal_counts():
    policies, ranks, deck = load(play=True).policies(), class_ranks(), HOLDINGS
    every = np.indices((4,) * 6).reshape(6, -1).T
    for role in ROLES:
        keeping = keep_frequencies(policies[role])
        assert keeping.share.sum(axis=1) == pytest.approx(1)
        assert (keeping.flush <= keeping.share + 1e-5).all()
        assert rank_keep_frequencies(keeping).sum(axis=1) == pytest.approx(1)
        for of in (9000, 9417, 13311):
            hands = np.sort(4 * ranks[of].astype(int) + every, axis=1)
            hands = np.unique(hands[(np.diff(hands, axis=1) > 0).all(axis=1)], axis=0)
            share, flush = Counter(), Counter()
            sets = policies[role][classify_deals(hands)].tolist()
            for hand, best in zip(hands.tolist(), sets, strict=True):
                keeps = [k for at, k in enumerate(combinations(hand, 4)) if best >> at & 1]
                for keep in keeps:
                    held = tuple(card >> 2 for card in keep)
                    share[held] += 1 / len(keeps) / len(hands)
                    flush[held] += (len({c & 3 for c in keep}) == 1) / len(keeps) / len(hands)
            for found, expected in ((keeping.share, share), (keeping.flush, flush)):
                total = Counter()
                for number, part in zip(rank_keep_numbers()[of], found[of].tolist(), strict=True):
                    total[tuple(deck[number].tolist())] += part
                assert all(total[held] == pytest.approx(expected[held], abs=3e-5) for held in total)


def test_experts_keep_what_the_policy_keeps():
    forms = canonical_deals()
    often = np.bincount(forms.classes, forms.deals) / forms.deals.sum()
    for role, policy in load(play=True).policies().items():
        keeping, pure = load(play=True).play.keep_frequencies[role], keep_frequencies(policy)
        apart = often @ np.maximum(keeping.share - pure.share, 0).sum(axis=1)
        assert 0 < apart < 0.03


def test_first_round_from_uniform_discards_is_as_it_was():
    _, history, _ = iterate_best_responses(rounds=1)
    for one, known in zip(history, load_provenance().history[:2], strict=True):
        assert (one.number, one.role) == (known.number, known.role)
        # A gain at the limit of what is counted may fall on either side by rounding.
        assert one.changed == pytest.approx(known.changed, rel=1e-5)
        assert one.gain == pytest.approx(known.gain)


def test_a_round_beside_the_play_gains_what_is_left_to_gain():
    solution, improvable = load(play=True), load_provenance(play=True).improvable_deals
    nets = {role: solution.play.expected_pegging[role].net for role in ROLES}
    _, history, _ = iterate_best_responses(rounds=1, net_pegging=nets, start=solution.cribs)
    for one in history:
        assert one.gain == pytest.approx(solution.exploitability[one.role])
        assert one.changed == pytest.approx(improvable[one.role], rel=1e-5)
