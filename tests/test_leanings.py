"""How what is pegged leans on what the opponent keeps, as shipped: near what it must come to."""

from math import comb
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

import cribev
from cribev.classes.canonical import canonical_deals, class_counts
from cribev.solved.keeps import RANK_KEEPS, GameSize, rank_keep_numbers
from cribev.solved.leanings import POINTS, SIGNS, leanings_of, packed_leanings, signs
from cribev.solved.pegging_tables import play_of
from cribev.solved.play import POINT_BINS
from cribev.solved.win_table import only_player_reaches

SIDES = [("pone", "dealer"), ("dealer", "pone")]
WAYS = np.array([[comb(free, cards) for cards in range(5)] for free in range(5)])


@pytest.fixture(scope="module")
def play():
    return play_of()


@pytest.mark.parametrize(("role", "opponent"), SIDES)
def test_means_are_of_what_is_faced(play, role, opponent):
    forms, numbers, held = canonical_deals(), rank_keep_numbers(), class_counts()
    deals = np.bincount(forms.classes, forms.deals)
    leanings, theirs = play.statistics[role].leanings, play.statistics[opponent]
    of_all = play.statistics[role].share @ leanings.means
    assert of_all == pytest.approx(theirs.share @ signs(), abs=1e-3)
    of_class = np.einsum("ck,cks->cs", play.keep_frequencies[opponent].share, signs()[numbers])
    for keep in (607, 1215):  # the opponent is dealt six of what is left, and throws
        share = play.keep_frequencies[role].share * (numbers == keep)
        faced = np.zeros(SIGNS + 1)
        for of in np.flatnonzero(share.any(axis=1)):
            ways = WAYS[4 - held[of], held].prod(axis=1)
            often = ways * deals[of] * share[of].sum()
            faced += [often.sum(), *(often @ of_class)]
        assert faced[0] > 0
        assert faced[1:] / faced[0] == pytest.approx(leanings.means[keep], abs=2e-3)


@pytest.mark.parametrize("role", ["pone", "dealer"])
def test_components_go_with_what_they_move(play, role):
    means, coefficients, chances, first_to = play.statistics[role].leanings
    number = len(chances)
    assert means.shape == (RANK_KEEPS, SIGNS)
    assert coefficients.shape == (RANK_KEEPS, SIGNS, number)
    assert chances.shape == first_to.shape == (number, POINT_BINS, POINT_BINS)
    assert chances.sum(axis=(1, 2)) == pytest.approx(0, abs=1e-12)
    assert (first_to[:, 0] == 0).all()
    assert (first_to[:, :, 0] == 0).all()
    only = only_player_reaches(chances)
    for far in (np.s_[:, POINTS:], np.s_[:, 1:, POINTS:]):
        assert (first_to[far] == only[far]).all()
    assert abs(first_to[:, 1:] - only[:, 1:]).max() > 0.01


@pytest.mark.parametrize(("role", "opponent"), SIDES)
def test_they_say_of_an_opponent_what_he_says_himself(play, role, opponent):
    # What an opponent's keep pegs is in his own chances; ours, led by its signs, must come near.
    counts = (GameSize().holdings(4)[:, :, None] == np.arange(13)).sum(axis=1)
    ours = np.repeat(
        play.statistics[role].share[:, None], RANK_KEEPS, axis=1
    )  # by what the opponent keeps
    for mine, his in zip(counts.T[:, :, None], counts.T[:, None, :], strict=True):
        ours *= (WAYS / WAYS[4])[4 - mine, his]
    ours /= ours.sum(axis=0)
    keeps, theirs = play.statistics[role], play.statistics[opponent]
    lean, points = keeps.leanings, np.arange(POINT_BINS)

    def neither(chances, own, other):
        return chances[:, :own, :other].sum(axis=(1, 2))

    def last_to(own, other):
        return 1 - theirs.first_passage[:, other, own] - neither(theirs.joint_pmf, other, own)

    for table, moved, said in (
        (keeps.opponent, lean.chances.sum(axis=1) @ points, theirs.own),
        (keeps.own, lean.chances.sum(axis=2) @ points, theirs.opponent),
        (
            neither(keeps.joint_pmf, 4, 5),
            neither(lean.chances, 4, 5),
            neither(theirs.joint_pmf, 5, 4),
        ),
        (keeps.first_passage[:, 1, 2], lean.first_to[:, 1, 2], last_to(1, 2)),
        (keeps.first_passage[:, 4, 5], lean.first_to[:, 4, 5], last_to(4, 5)),
        (keeps.first_passage[:, 3, 20], lean.first_to[:, 3, 20], last_to(3, 20)),
    ):
        slopes = lean.coefficients @ moved
        base = ours.T @ (table - (lean.means * slopes).sum(axis=1))
        led = base + (signs() * (ours.T @ slopes)).sum(axis=1)
        often = theirs.share
        variance = often @ (said - often @ said) ** 2
        explained, before = (
            1 - often @ (said - guess) ** 2 / variance for guess in (led, ours.T @ table)
        )
        assert explained > max(0.2, before + 0.15)


def test_they_are_small_and_what_is_damaged_is_refused():
    shipped = Path(cribev.__file__).parent / "data" / "equilibrium_play.npz"
    with ZipFile(shipped) as parts:
        sizes = [part.compress_size for part in parts.infolist() if "leaning" in part.filename]
    assert len(sizes) == 8
    assert sum(sizes) < 0.75e6
    with np.load(shipped) as stored:
        arrays = {name: stored[name] for name in stored.files if "pone_leaning" in name}
    with pytest.raises(KeyError):
        leanings_of(arrays, "dealer", most=POINT_BINS)
    for name, part in (("coefficients", np.s_[:, 1:]), ("within", np.s_[:, 1:])):
        damaged = f"play_pone_leaning_{name}"
        with pytest.raises(ValueError, match="of shape"):
            leanings_of(arrays | {damaged: arrays[damaged][part]}, "pone", most=POINT_BINS)
    whole = leanings_of(arrays, "pone", most=POINT_BINS)
    again = packed_leanings(whole, "pone")
    assert all((again[name] == array).all() for name, array in arrays.items())
    with pytest.raises(ValueError, match="two bytes do not hold 5000"):
        packed_leanings(whole._replace(coefficients=whole.coefficients * 0 + 5000), "pone")
