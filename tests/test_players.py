"""Players: the expert mixes as the solution does, and what others return is held to the rules."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from test_game import moves_of

from cribev import advise, advise_play
from cribev.classes.canonical import class_numbers, classify_deals, deals_of_classes
from cribev.classes.class_tables import pattern_shares
from cribev.errors import MoveError
from cribev.game.cards import format_cards, parse_cards, random_hands
from cribev.game.deal import Position
from cribev.game.index_tables import DISCARDS
from cribev.game.score import NEAR_END, WINNING_SCORE, Score
from cribev.games.game import Game
from cribev.games.levels import answer_moves
from cribev.games.players import EXPERT, Expert, GreedyPlayer, RacingExpert, RandomPlayer, decide
from cribev.opponents.counts import chances_of_class, keep_chances
from cribev.solution.solution import shipped_keep_frequencies
from cribev.solution.tables import strategy_listing
from cribev.solution.tree import rank_keep_numbers

DEAL = parse_cards("2H 5D 5H 8D JS QC")
TO_LAY = Position.read("4H 5C JD JS", role="pone", laid="J 5 J go", discard="9C KD", starter="7H")


def by_ranks(often, number):
    """What stands at keeps, added up over keeps of the same ranks."""
    ranks = rank_keep_numbers()[number]
    return np.array([often[ranks == kept].sum() for kept in np.unique(ranks)])


@pytest.mark.parametrize("role", ["dealer", "pone"])
def test_experts_keep_as_often_as_the_play_was_solved_for(role):
    frequencies = shipped_keep_frequencies(role)
    apart = deals = 0
    for number in np.random.default_rng(7).choice(18395, 120, replace=False):
        often = pattern_shares(number) * deals_of_classes()[number]
        chances = chances_of_class(int(number), role)
        assert chances.min() >= 0
        assert chances.sum(axis=1) == pytest.approx((often > 0).astype(float), abs=1e-12)
        found = by_ranks(often @ chances / often.sum(), number)
        wanted = by_ranks(frequencies.share[number], number)
        apart += np.abs(found - wanted).sum() / 2 * often.sum()
        deals += often.sum()
    assert apart / deals < 0.001  # the policy alone is 0.007 and 0.019 apart


def test_deals_of_a_class_by_pattern():
    ranks = [4, 4, 9, 9, 9, 12]
    fives, tens, kings = (range(4 * rank, 4 * rank + 4) for rank in (4, 9, 12))
    parts = product(combinations(fives, 2), combinations(tens, 3), combinations(kings, 1))
    every = [sum(part, ()) for part in parts]
    (number,) = class_numbers(np.array([ranks], dtype=np.uint8).T)
    _, patterns = classify_deals(every)
    shares = np.bincount(patterns, minlength=187) / len(every)
    assert pattern_shares(number) == pytest.approx(shares)


def test_an_expert_throws_and_lays_each_as_often_as_it_says():
    chances = keep_chances(DEAL, role="dealer")
    assert keep_chances(DEAL[::-1], role="dealer").tolist() == chances.tolist()
    assert chances.sum() == 1
    deals = np.sort(random_hands(400, seed=2), axis=1)
    mixed = [deal for deal in deals if 0.2 < keep_chances(deal, role="pone").max() < 0.8]
    deal, expert = mixed[0], Expert(seed=3)
    drawn = Counter(tuple(expert.discard(deal, role="pone", score=(0, 0))) for _ in range(500))
    for keep, chance in enumerate(keep_chances(deal, role="pone")):
        assert drawn[tuple(deal[DISCARDS[keep]].tolist())] / 500 == pytest.approx(chance, abs=0.08)
    position = Position.read("4H 5C JD JS", role="dealer", laid="J")
    shares = strategy_listing("4 5 J J", role="dealer", laid="J").table["share"].to_numpy()
    expert = Expert(seed=4)
    drawn = Counter(expert.lay(position) for _ in range(500))
    for rank, share in zip(position.legal_ranks, shares, strict=True):
        often = sum(drawn[card] for card in position.legal if card >> 2 == rank)
        assert often / 500 == pytest.approx(share, abs=0.08)


def test_greedy_takes_what_counts_random_anything_and_the_same_seed_plays_the_same():
    greedy = GreedyPlayer()
    assert greedy.lay(TO_LAY) == 16  # nothing scores: the highest that fits
    pair = Position.read("4H 5C JD JS", role="dealer", laid="4")
    assert greedy.lay(pair) == 14
    thirty_one = Position.read("4H AC JD JS", role="dealer", laid="J J T")
    assert greedy.lay(thirty_one) == 0
    assert format_cards(greedy.discard(DEAL, role="dealer", score=(0, 0))) == "2H 8D"
    player, deal = RandomPlayer(seed=1), list(DEAL)
    drawn = {tuple(player.discard(DEAL, role="pone", score=(0, 0))) for _ in range(400)}
    assert drawn == set(combinations(deal, 2))
    assert {player.lay(TO_LAY) for _ in range(60)} == {*TO_LAY.legal}
    one, another = Expert(seed=[7, 2]), Expert(seed=[7, 2])
    deals = np.sort(random_hands(30, seed=1), axis=1)
    for deal in deals:
        throws = [player.discard(deal, role="pone", score=(0, 0)) for player in (one, another)]
        assert throws[0] == throws[1]


class Returns:
    """Says the same whatever is asked."""

    def __init__(self, what):
        self.what = what

    def discard(self, *_, **__):
        return self.what

    def lay(self, _):
        return self.what


def in_play():
    game = Game(7, dealer=0)
    game.discard(0, "3H KC")
    game.discard(1, "3C 9H")
    return game


def test_cards_in_any_form():
    for text in ("7", "7C", "7c", "7♣", " 7C "):
        assert decide(Returns(text), in_play(), 1).cards == (24,)
    for given in ("7C 7H", ["7H", "7C"], [24, 26], (26, 24), np.array([24, 26])):
        assert sorted(decide(Returns(given), Game(7, dealer=0), 1).cards) == [24, 26]


@pytest.mark.parametrize(
    ("what", "text"),
    [
        (None, "None' is no card: expected one of 4D 6D 7C 7H"),
        (True, "True' is no card"),
        (4.0, "4.0' is no card"),
        (12, "'4C' cannot be laid: expected one of 4D 6D 7C 7H"),
        (99, "'99' cannot be laid"),
        (-1, "'-1' cannot be laid"),
        ("go", "'go' is not a card"),
        ("7C 7H", "expected 1 card, got 2"),
        ([3], "is no card"),
    ],
)
def test_no_card_to_lay(what, text):
    with pytest.raises(MoveError, match=text):
        decide(Returns(what), in_play(), 1)


@pytest.mark.parametrize("what", [None, "", "7C", "7C 7C", [24], [24, 26, 3], 5, [1.5, 2], {}, "x"])
def test_no_discard(what):
    with pytest.raises(MoveError):
        decide(Returns(what), Game(7, dealer=0), 1)


def test_who_knows_the_score_does_what_wins_most_near_the_end():
    deal, far, near = [0, 4, 11, 15, 43, 47], (60, 70), (117, 118)
    for seed in range(3):
        experts = RacingExpert(seed), Expert(seed)
        assert len({tuple(one.discard(deal, role="pone", score=far)) for one in experts}) == 1
    best = advise(deal, role="pone", score=near).best.cards
    assert tuple(RacingExpert().discard(deal, role="pone", score=near)) == best
    assert best != advise(deal, role="pone").best.cards
    known = Position.parse("pone:4H5CJDJS/9CKD:7H@117-118")
    assert RacingExpert().lay(known) == advise_play(known).best.cards[0]
    alone = replace(known, score=Score(60, 70))
    assert RacingExpert(5).lay(alone) == Expert(5).lay(alone)
    game, seen = Game(3, dealer=0), 0
    while not seen:
        before = game.copy()
        answer_moves(game)
        for move in game.moves[len(before.moves) :]:
            position = before.position(EXPERT)
            if move.kind == "discard" and max(before.score) >= WINNING_SCORE - NEAR_END:
                assert move.cards == advise(position).best.cards
                seen += 1
            before.make(move)
        game.make(moves_of(game)[0])
