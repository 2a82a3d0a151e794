"""The exact expert: against a slow count, by symmetry, and against the class tables."""

import subprocess
from itertools import combinations
from math import comb

import numpy as np
import pytest
import slow_count
from damaging import damage_file
from strategies import relabel

from cribev.classes.canonical import CLASSES, PATTERNS, classify_deals
from cribev.classes.class_tables import ClassTables, best_response
from cribev.classes.crib_averages import uniform_cribs
from cribev.errors import CardError, TableError
from cribev.game.cards import parse_cards, random_hands, unseen
from cribev.game.index_tables import DISCARDS
from cribev.game.score import ROLES, opposite_role
from cribev.game.scoring import score_card_arrays
from cribev.opponents.counts import CACHE_FORMAT, discard_counts, exact_weights, expert_counts
from cribev.solution.solution import load, static_policy
from cribev.system.cache import cache_folder

PAIRS = np.array(list(combinations(range(46), 2)))
DEAL = np.sort(parse_cards("5H 5D JS QC 2H 8D"))
CROWDED = ("5C 5D 5H 5S JC JD", "2C 4C 6C 8C TC QC", "AC AD AH 2S 2H 2D")


@pytest.mark.parametrize(
    ("role", "number"),
    [("pone", 1), *(pytest.param(role, 7, marks=pytest.mark.slow) for role in ROLES)],
)
def test_it_is_the_slow_count_to_the_last_bit(role, number):
    strategy = slow_count.written_out(load().policies()[role])
    crowded = CROWDED if number > 1 else CROWDED[1:2]
    for deal in (*map(parse_cards, crowded), *random_hands(number, seed=31)):
        slow = slow_count.weights(deal, strategy)
        assert (exact_weights(deal, expert_counts(load(), role)) == slow).all()


@pytest.mark.slow
def test_any_policy_that_does_not_know_suits_is_counted():
    # Two of a rank go for a table, and all the same is thrown often: many parts of a hand.
    policy = static_policy(np.where(np.eye(13, dtype=bool), 9.0, 0.0), role="dealer")
    counts = discard_counts(policy)
    assert counts.parts % 6 == 0
    slow = slow_count.weights(DEAL, slow_count.written_out(policy))
    assert (exact_weights(DEAL, counts) == slow).all()


@pytest.mark.parametrize("suits", [[1, 0, 3, 2], [3, 0, 1, 2]])
def test_renaming_suits_renames_weights_and_order_does_not_matter(suits):
    order, counts = np.array(suits, dtype=np.uint8), expert_counts(load(), "pone")
    renamed = relabel(DEAL, order)
    before, after = exact_weights(DEAL, counts), exact_weights(renamed, counts)
    assert before.sum(axis=0) == pytest.approx(comb(45, 6), abs=1e-6)
    moved = np.searchsorted(unseen(renamed), relabel(unseen(DEAL), order))
    pairs = np.zeros((46, 46), dtype=int)
    pairs[PAIRS[:, 0], PAIRS[:, 1]] = pairs[PAIRS[:, 1], PAIRS[:, 0]] = np.arange(1035)
    rows = pairs[moved[PAIRS[:, 0]], moved[PAIRS[:, 1]]]
    assert (before == after[rows[:, None], moved]).all()
    assert (exact_weights(DEAL[::-1].tolist(), counts) == before).all()
    with pytest.raises(CardError, match="expected 6 cards"):
        exact_weights(DEAL[:5], counts)


def test_a_policy_that_knows_the_names_of_suits_is_refused():
    policy = best_response(uniform_cribs(), role="pone")
    first_of_each = policy & -policy.astype(np.int64)
    with pytest.raises(TableError, match="names of suits"):
        discard_counts(first_of_each.astype(np.uint16))


@pytest.mark.slow
def test_the_slow_count_of_throwing_the_two_highest_cards():
    lowest_kept = slow_count.written_out(np.ones((CLASSES, PATTERNS), dtype=np.uint16))
    weights = slow_count.weights(DEAL, lowest_kept)
    for pair, (low, high) in enumerate(PAIRS.tolist()):
        below = comb(low, 4)
        expected = np.full(46, below)
        expected[:low] = comb(low - 1, 4) if low else 0
        expected[[low, high]] = 0
        assert (weights[pair] == expected).all()


def _exact_cribs(deal, weights):
    left = unseen(deal)
    first, second = (left[column][:, None] for column in PAIRS.T)
    thrown = deal[DISCARDS][:, :, None, None]
    points = score_card_arrays((thrown[:, 0], thrown[:, 1], first, second, left), crib=True)
    return np.tensordot(points.astype(np.float64), weights, axes=2) / weights.sum()


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("deals", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_class_tables_agree_with_the_exact_expert(role, deals):
    deals = np.sort(random_hands(deals, seed=22), axis=1)
    means = ClassTables(load().cribs[role], role).values(*classify_deals(deals)).crib
    counts = expert_counts(load(), opposite_role(role))
    exact = [_exact_cribs(deal, exact_weights(deal, counts)) for deal in deals]
    gaps = means - np.array(exact)
    assert np.abs(gaps).max() < 0.02
    assert np.sqrt((gaps**2).mean()) < 0.004
    assert abs(gaps.mean()) < (0.002 if len(deals) < 200 else 0.0005)


# In the cache folder: missing, damaged, outdated, not to be written


def count(role):
    return expert_counts.__wrapped__(load(), role)  # without what this process remembers


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The file as it should be."""
    with pytest.MonkeyPatch.context() as patch:
        cache = tmp_path_factory.mktemp("whole")
        patch.setenv("CRIBEV_CACHE_DIR", str(cache))
        assert right(count("pone"))
        assert list(cache.iterdir()) == [file_in(cache)]
        made = file_in(cache).stat().st_mtime_ns
        assert right(count("pone"))  # it is read, and no longer counted
        assert file_in(cache).stat().st_mtime_ns == made
    return file_in(cache).read_bytes()


@pytest.fixture
def counting(monkeypatch):
    """Say how often all is counted, and spare the test the counting."""
    times, found = [], expert_counts(load(), "pone")
    monkeypatch.setattr(
        "cribev.opponents.counts.discard_counts",
        lambda _policy, *, report: times.append(report) or found,
    )
    return times


def file_in(cache):
    return cache / f"expert-pone-{load().checksums['pone']:08x}-{CACHE_FORMAT}.npz"


def right(counts):
    return all(
        np.array_equal(one, another)
        for one, another in zip(counts, expert_counts(load(), "pone"), strict=True)
    )


def test_a_folder_may_lie_as_deep_as_a_path_goes(tmp_path, monkeypatch, counting):
    try:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("CRIBEV_CACHE_DIR", "a/" * 1100)
        assert right(count("pone"))
        assert list(cache_folder().iterdir()) == [file_in(cache_folder())]
        assert len(counting) == 1
    finally:
        subprocess.run(["rm", "-r", tmp_path / "a"], check=True)


@pytest.mark.parametrize(
    "damage",
    [
        *("flipped", "cut", "empty", "text", "part missing", "one array", "other role"),
        *("folder", "pipe", "circle", "none"),
    ],
)
def test_a_damaged_file_does_no_harm(cache, counting, whole, damage):
    assert len(whole) < 14e6
    cache.mkdir()
    file, counts = file_in(cache), expert_counts(load(), "pone")
    if damage == "part missing":
        np.savez(file, name=np.array(file.name), parts=np.array(12))
    elif damage == "one array":
        with file.open("wb") as opened:
            np.save(opened, np.array(12))
    elif damage == "other role":
        name = np.array(file.name.replace("pone", "dealer"))
        np.savez(file, name=name, **counts._replace(parts=counts.parts * 2)._asdict())
    elif damage == "none":
        file.write_bytes(whole)
    else:
        assert damage_file(file, whole, damage)
    for _ in range(1 if damage in ("folder", "pipe", "circle") else 2):
        assert right(count("pone"))
        assert len(counting) == (damage != "none")


def test_files_in_the_way_are_left_alone(cache, counting, monkeypatch):
    cache.mkdir()
    outdated = cache / f"expert-pone-00000000-{CACHE_FORMAT}.npz"
    outdated.write_bytes(b"old")
    assert right(count("pone"))
    assert len(counting) == 1
    monkeypatch.setenv("CRIBEV_CACHE_DIR", str(outdated / "cache"))  # a folder that cannot be
    assert right(count("pone"))
    assert outdated.read_bytes() == b"old"
    assert len(counting) == 2


@pytest.mark.parametrize("home", ["", "not/absolute", None])
def test_without_a_home_nothing_is_kept(tmp_path, monkeypatch, counting, home):
    def found(name):
        if home is None:  # as for a user who is nobody
            raise RuntimeError("could not determine the home directory")
        return f"{home}/.cache/{name}"[1:]

    monkeypatch.delenv("CRIBEV_CACHE_DIR")
    assert cache_folder().name == "cribev"
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, home or "")
    monkeypatch.setattr("platformdirs.user_cache_dir", found)
    monkeypatch.chdir(tmp_path)
    assert cache_folder() is None
    assert right(count("pone"))
    assert list(tmp_path.iterdir()) == []
    assert len(counting) == 1
