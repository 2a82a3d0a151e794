"""The solution that is shipped: a fixed point or nearly, near what is published; its tables."""

import pickle  # by which processes send what they answer

import numpy as np
import pytest

from cribev.classes.canonical import RANK_PAIRS
from cribev.game.cards import RANKS
from cribev.game.roles import ROLES
from cribev.rows.pairs import published_cribs, read_pair_table
from cribev.solution.solution import load
from cribev.tables.crib_tables import compared_cribs, crib_chart, discarded_pairs
from solver.provenance import load_provenance
from solver.storage import save

pytestmark = pytest.mark.arrays


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
    pairs, frame = load().pairs[role], discarded_pairs(role)
    discarded, total = pairs.discarded.sum(axis=1), pairs.discarded * pairs.crib_when_discarded
    people = read_pair_table(data / "discard_frequency.csv", known="")[role]
    # Carte Primus: players who also weigh the play. 0.963 as dealer, 0.939 as pone.
    assert np.corrcoef(discarded, people[tuple(RANK_PAIRS.T)])[0, 1] > 0.93
    # Average cribs of the pairs that make up the commonest four fifths of discards.
    order = np.argsort(-discarded)
    common = order[: np.searchsorted(discarded[order].cumsum(), 0.8) + 1]
    ours = np.nansum(total, axis=1)[common] / discarded[common]
    for name, apart, mean in (("hessel", 0.06, 0.015), ("schell", 0.16, 0.07)):
        difference = ours - published_cribs(name)[role][tuple(RANK_PAIRS[common].T)]
        assert np.abs(difference).max() < apart
        assert abs(difference.mean()) < mean
    assert discarded.sum() == pytest.approx(1)
    assert np.nansum(total) == pytest.approx(load().averages[role].crib)
    assert len(frame) == 169
    assert frame["discarded"].sum() == pytest.approx(1)
    assert not (frame["suited"] & (frame["rank1"] == frame["rank2"])).any()
    # A crib flush is worth something, and what is discarded is held.
    assert frame["crib_mean_held"].notna().all()


def test_written_and_read_again_it_is_the_same(tmp_path):
    solution = load()
    save(solution, tmp_path / "solution", provenance=load_provenance())
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
    assert again.checksums == solution.checksums
    assert pickle.loads(pickle.dumps(again)) == again != again._replace(exploitability={})
    assert load_provenance(tmp_path / "solution") == load_provenance()


@pytest.mark.parametrize("role", ROLES)
def test_a_comparison_is_ours_less_theirs(role):
    frame = compared_cribs(role, "schell")
    assert len(frame) == 91
    (difference,) = frame.query("rank1 == '7' and rank2 == '8'")["difference"]
    apart = discarded_pairs(role).query("rank1 == '7' and rank2 == '8'")
    ours = (apart["discarded"] * apart["crib_mean"]).sum() / apart["discarded"].sum()
    assert difference == pytest.approx(ours - published_cribs("schell")[role][6, 7])
    assert frame["difference"].abs().max() < 0.6


def test_a_chart_puts_one_suit_below_the_diagonal():
    chart = crib_chart("dealer", None, load(play=True))
    frame = discarded_pairs("dealer").set_index(["rank1", "rank2", "suited"])["crib_mean"]
    ace, king = RANKS.index("A"), RANKS.index("K")
    assert chart.rows[ace][1 + king][0] == f"{frame['A', 'K', False]:.2f}"
    assert chart.rows[king][1 + ace][0] == f"{frame['A', 'K', True]:.2f}"
    assert all(text for row in chart.rows for text, _ in row[1:])
