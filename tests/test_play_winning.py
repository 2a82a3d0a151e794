"""What is shown after the play, by what the opponent keeps, and how likely the game is won."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import oracle
import pytest

from cribev.advice.wins import Shown, game_won, shown_by_keep
from cribev.classes.canonical import RANK_PAIRS, classify_deals
from cribev.game.cards import parse_cards, unseen
from cribev.game.deal import Position
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.score import ROLES, Score, opposite_role
from cribev.game.scoring import score_hands
from cribev.solution.pmfs import crib_pmf, crib_suits
from cribev.solution.solution import WinTable, load, shipped_keep_frequencies
from cribev.solution.tree import GameSize

KNOWN = [
    ("5H 5D JS QC", "2H 8D", "5S"),
    ("4H 5H 6H KH", "9S TS", "7S"),
    ("AC 2D 3H 4C", "JS 5S", "8S"),
    ("AC 2D 3H 4C", "JS 5H", "JC"),
    ("9C 9D JH JC", "KS QS", "AS"),
]


def known_cards(texts):
    return np.concatenate([*map(parse_cards, texts)])


def position_of(texts, role):
    hand, discard, starter = texts
    return Position.read(hand, role=role, discard=discard, starter=starter)


def suits_of(ranks, left):
    """All cards of these ranks that are left, as texts."""
    ranks = Counter(ranks)
    parts = [
        combinations([card for card in left if card[0] == rank], many)
        for rank, many in ranks.items()
    ]
    return [sum(cards, ()) for cards in product(*parts)]


@pytest.mark.parametrize("texts", KNOWN)
def test_hands_and_cribs_by_every_suit_left(texts):
    known = known_cards(texts)
    left = [card for card in oracle.DECK if card not in " ".join(texts).split()]
    shown = shown_by_keep(position_of(texts, "pone"), shipped_keep_frequencies("dealer"))
    assert shown.own == oracle.points(texts[0].split(), texts[2])
    rng, holdings = np.random.default_rng(1), GameSize().holdings(4)
    pairs = np.flatnonzero((np.diff(holdings, axis=1) == 0).any(axis=1))  # never of one suit
    for at in [*rng.choice(pairs, 40), 1539]:
        keeps = suits_of([oracle.RANKS[rank] for rank in holdings[at]], left)
        if keeps and len(set(holdings[at])) < 4:
            found = np.bincount([oracle.points(keep, texts[2]) for keep in keeps], minlength=30)
            assert shown.opponent[at] == pytest.approx(found / len(keeps))
    by_rank = np.ones(52, dtype=bool)
    by_rank[known] = False
    suits = crib_suits(by_rank.reshape(13, 4), known[None, 4:6], int(known[6]))
    (cribs,) = crib_pmf(known[None, 4:6], known[6:] >> 2, suits)
    for row, chances in zip(RANK_PAIRS, cribs, strict=True):
        thrown = suits_of([oracle.RANKS[rank] for rank in row], left)
        if thrown:
            own = texts[1].split()
            points = [oracle.points([*own, *pair], texts[2], crib=True) for pair in thrown]
            assert chances == pytest.approx(np.bincount(points, minlength=30) / len(thrown))


@pytest.mark.slow
@pytest.mark.parametrize("texts", KNOWN)
@pytest.mark.parametrize("role", ROLES)
def test_hands_and_cribs_that_experts_keep_and_throw(texts, role):
    deals = 200_000
    rng, known = np.random.default_rng(5), known_cards(texts)
    other = opposite_role(role)
    shown = shown_by_keep(position_of(texts, role), shipped_keep_frequencies(other))
    rest = np.tile(unseen(known), (deals, 1))
    cards = np.sort(rng.permuted(rest, axis=1)[:, :6], axis=1)
    sets = load(play=True).policies()[other][classify_deals(cards)].astype(np.int64)
    best = ((sets[:, None] >> np.arange(15) & 1) * rng.random((deals, 15))).argmax(axis=1)
    kept, thrown = (np.take_along_axis(cards, part[best], axis=1) for part in (KEEPS, DISCARDS))
    numbers = GameSize().holding_numbers((kept >> 2).astype(np.int64))
    crib = np.concatenate([np.tile(known[4:6], (deals, 1)), thrown], axis=1)
    often = np.bincount(numbers, minlength=1820) / deals
    for found, chances in (
        (score_hands(kept, known[6:]), shown.opponent),
        (score_hands(crib, known[6:], crib=True), shown.crib),
    ):
        expected = often @ chances @ np.arange(30)
        assert found.mean() == pytest.approx(expected, abs=0.06)  # suits of the crib as left


@pytest.mark.parametrize("role", ROLES)
def test_who_wins_after_the_play(role):
    rng = np.random.default_rng(3)
    skunks = rng.random((4, 121, 121))
    table = WinTable(rng.random((121, 121)), np.zeros((121, 121)), 1, skunks=skunks)
    hand, crib = rng.random((2, 1820, 30)) * (rng.random((2, 1820, 30)) < 0.2)
    hand[:, 4] += 0.1
    crib[:, 7] += 0.1
    hand, crib = (part / part.sum(axis=1, keepdims=True) for part in (hand, crib))
    shown = Shown(11, hand, crib)
    for score in ((80, 94), (103, 104), (120, 117), (85, 110), (118, 58), (56, 117)):
        keeps = rng.choice(1820, 5, replace=False)
        end = game_won(role, Score.of(*score, role), shown, keeps, table)
        for keep in keeps:
            own, opponent = (int(rng.integers(0, min(20, 121 - points))) for points in score)
            expected = np.zeros(5)
            for (h, in_hand), (c, in_crib) in product(enumerate(hand[keep]), enumerate(crib[keep])):
                points = [score[0] + own, score[1] + opponent]
                counts = [(0, 11), (1, h), (1, c)]
                if role == "dealer":
                    counts = [(1, h), (0, 11), (0, c)]
                expected += in_hand * in_crib * after_counts(points, counts, role, table)
            found = end._later[:, keep, own, opponent]
            assert found == pytest.approx(expected[: 5 if min(score) < 91 else 1])


def after_counts(points, counts, role, table):
    """How the game ends: who is at 121 first, where the other is; or the table, roles exchanged."""
    for who, gained in ((0, 0), (1, 0), *counts):
        points[who] += gained
        if points[who] > 120:
            behind = [points[1 - who] < line for line in (91, 61)]
            return np.array([0, 0, 0, *behind] if who else [1, *behind, 0, 0])
    return np.array([part[tuple(points)] for part in table.outcomes_as(opposite_role(role))])
