"""The race to 121: the rules slowly, and what must hold."""

import random

import numpy as np
import pytest
from race_oracle import (
    DEALER,
    GAME,
    PONE,
    endings,
    merged,
    played,
    race,
    text,
    who_is_first,
    whole_deal,
)

from cribev.classes.canonical import CLASSES, PATTERNS
from cribev.game.cards import format_cards, random_hands
from cribev.opponents.strategies import UniformPlay
from cribev.solution.strategy import GameSize
from solver.games import OutcomeCounts, count_outcomes
from solver.playouts import deal_and_show, play_out
from solver.policies import ANY_KEEP
from solver.race import before_cut, chance_after_deal, solve_win_table
from solver.storage import tabulate_states

pytestmark = pytest.mark.arrays

FEW = GameSize((0, 1, 2, 4, 8, 9), 4)  # A 2 3 5 9 T: goes, runs, fifteens and 31 come often


def random_events(number, seed, most=12):
    """Deals in which both score now and then, as arrays have them."""
    draw = np.random.default_rng(seed)
    events = draw.integers(-most, most + 1, (number, 9)).astype(np.int8)
    events[draw.random(events.shape) < 0.4] = 0
    events[:, -1] = draw.choice([-1, 1], number)
    return events


def listed(row):
    """One row of events as the oracle has them."""
    return merged([(DEALER if gained > 0 else PONE, abs(gained)) for gained in row if gained])


def counts_of(*blocks):
    return OutcomeCounts(*map(np.array, zip(*map(count_outcomes, blocks), strict=True)))


def plays(deck, number, seed):
    """Keeps, what is played of them at random, and the points by the slow rules."""
    draw = random.Random(seed)
    cards = [place for place in range(len(deck.ranks)) for _ in range(4)]
    hands = np.sort(np.reshape([draw.sample(cards, 8) for _ in range(number)], (number, 2, 4)))
    ranks_played, events = np.full((number, 8), -1, dtype=np.int8), []
    for at, (pone, dealer) in enumerate(hands.tolist()):
        ranks = [[deck.ranks[place] + 1 for place in hand] for hand in (pone, dealer)]
        choices, found = played(*ranks, draw.choice)
        ranks_played[at, : len(choices)] = [deck.ranks.index(rank - 1) for rank in choices]
        events.append(found)
    return hands, ranks_played, events


def events_of(size, pone, dealer, played):
    """Return what is pegged in plays that are played so."""

    def pick(plays, nodes, _rests):
        return played[plays, 2 * size.kept - nodes.mover_left - nodes.other_left].astype(int)

    strategy = UniformPlay(size, tabulate_states(size.ranks))
    return play_out(strategy, pone, dealer, pick).events


def test_pegging_points_follow_order_of_rules():
    hands, played, events = plays(FEW, 400, 1)
    found = events_of(FEW, *FEW.holding_numbers(hands).T, played)
    assert [listed(row) for row in found.tolist()] == events
    played[:, 2] = 5  # a ten, which most do not hold
    with pytest.raises(ValueError, match="not in hand"):
        events_of(FEW, *FEW.holding_numbers(hands).T, played)


def test_full_deck_solves_to_slow_table():
    """A hundred thousand deals, played at random: each need, the race, and games one by one."""
    number, policy = 100_000, np.full((CLASSES, PATTERNS), ANY_KEEP, dtype=np.uint16)
    shown = deal_and_show({"pone": policy, "dealer": policy}, number, seed=3)
    draw, ranks = random.Random(4), GameSize().holdings(4)
    numbers = shown.pone, shown.dealer
    keeps = [ranks[some] for some in numbers]
    ranks_played, deals = np.full((number, 8), -1, dtype=np.int8), []
    for at in range(number):
        cards, play = played(*((keep[at] + 1).tolist() for keep in keeps), draw.choice)
        ranks_played[at, : len(cards)] = np.array(cards) - 1
        theirs = int(shown.dealer_hand[at]) + int(shown.crib[at])
        show = [(PONE, int(shown.pone_hand[at])), (DEALER, theirs)]
        deals.append(merged([(DEALER, int(shown.heels[at])), *play, *show]))
    hands = [-shown.pone_hand.astype(np.int8), shown.dealer_hand, shown.crib]
    columns = [shown.heels, events_of(GameSize(), *numbers, ranks_played), *hands]
    events = np.column_stack([column.astype(np.int8) for column in columns])
    assert [listed(row) for row in events.tolist()] == deals
    tally = counts_of(*np.split(events, 20))
    for dealer, pone in ((1, 1), (5, 3), (12, 9), (20, 11), (30, 30), (121, 12)):
        first = [who_is_first(events, (pone, dealer)) for events in deals]
        assert tally.first[:, dealer, pone].sum() == first.count(DEALER)
    found, games, won = solve_win_table(tally), 40_000, 0
    for _ in range(games):
        scores, dealer = [0, 0], 0
        while max(scores) < GAME:
            for who, gained in draw.choice(deals):
                player = dealer if who == DEALER else 1 - dealer
                scores[player] += gained
                if scores[player] >= GAME:
                    break
            dealer = 1 - dealer
        won += scores[0] >= GAME
    assert abs(won / games - found.win[0, 0]) < 4 * (0.25 / games) ** 0.5


def test_deals_follow_policy_and_rules():
    lowest = np.ones((CLASSES, PATTERNS), dtype=np.uint16)  # the first keep: the four lowest
    either = np.full((CLASSES, PATTERNS), 1 | 1 << 14, dtype=np.uint16)  # those, or four highest
    shown = deal_and_show({"pone": lowest, "dealer": either}, 2000, seed=9)
    cards, holdings, low = random_hands(2000, cards=13, seed=9), GameSize().holdings(4), 0
    for at, row in enumerate(cards.tolist()):
        pone, dealer, starter = sorted(row[:6]), sorted(row[6:12]), row[12]
        ranks = (holdings[shown.dealer[at]] * 1).tolist()
        discarded = dealer[4:] if ranks == [card >> 2 for card in dealer[:4]] else dealer[:2]
        low += discarded == dealer[4:]
        kept = [card for card in dealer if card not in discarded]
        assert ranks == [card >> 2 for card in kept]
        assert holdings[shown.pone[at]].tolist() == [card >> 2 for card in pone[:4]]
        hands = ([text(card) for card in cards] for cards in (pone[:4], kept, pone[4:] + discarded))
        expected = whole_deal(*hands, text(starter), [])
        events = (shown.heels, -shown.pone_hand.astype(int), shown.dealer_hand, shown.crib)
        assert listed([int(column[at]) for column in events]) == expected
    assert abs(low - 1000) < 4 * 500**0.5
    assert text(18) == format_cards([18])


def test_race_matches_slow_rules():
    events = random_events(60, 2)
    first, totals = count_outcomes(events)
    deals = [listed(row) for row in events.tolist()]
    for dealer in (*range(1, 70, 3), 121):
        for pone in (*range(1, 70, 3), 121):
            made = [who_is_first(one, (pone, dealer)) for one in deals]
            assert first[dealer, pone] == made.count(DEALER)
    assert totals.sum() == 60
    own, other = np.maximum(events, 0).sum(axis=1), -np.minimum(events, 0).sum(axis=1)
    for dealer, pone in zip(own, other, strict=True):
        assert totals[dealer, pone]
    events = random_events(7, 5)
    found = solve_win_table(counts_of(events))
    slowly = race([listed(row) for row in events.tolist()])
    for dealer in range(80, GAME):
        for pone in range(80, GAME):
            assert found.win[dealer, pone] == pytest.approx(slowly(dealer, pone), abs=1e-12)
    assert np.isnan(found.standard_error).all()


def test_deals_are_counted_after_the_cut_or_before():
    events, jack = random_events(200, 8, most=29), np.arange(200) % 3 == 0
    heels = np.where(jack, 2, 0).astype(np.int8)
    whole = counts_of(*np.split(np.column_stack([heels, events]), 2))
    halves = np.split(np.column_stack([jack, events]), 2)
    parts = [counts_of(*(half[half[:, 0] == cut, 1:] for half in halves)) for cut in (0, 1)]
    for found, expected in zip(before_cut(*parts), whole, strict=True):
        np.testing.assert_array_equal(found, expected)
    win = solve_win_table(whole).win
    for needs in ((1, 1), (3, 2), (30, 17)):
        by_cut = [
            chance_after_deal(*(table.sum(axis=0) for table in counts), some, win)
            for counts, some in zip(parts, (needs, (needs[0], needs[1] - 2)), strict=True)
            if some[1] > 0
        ]
        by_cut.append(1.0)  # a jack is enough
        expected = (by_cut[0] * (~jack).sum() + by_cut[1] * jack.sum()) / len(jack)
        assert win[121 - needs[1], 121 - needs[0]] == pytest.approx(expected)


def test_what_always_holds_of_a_table():
    """At 120 all each needs a point, so who scores first wins, and the error is a binomial's."""
    win = solve_win_table(counts_of(random_events(50, 7, most=29))).win
    assert (np.diff(win, axis=0) >= -1e-12).all()
    assert (np.diff(win, axis=1) <= 1e-12).all()
    number = 60_000
    found = solve_win_table(counts_of(*np.split(random_events(number, 40, most=3), 60)))
    win, error = found.win[120, 120], found.standard_error[120, 120]
    assert error == pytest.approx((win * (1 - win) / number) ** 0.5, rel=0.3)
    assert found.deals == number
    with pytest.raises(ValueError, match="nobody scores"):
        solve_win_table(counts_of(np.zeros((1, 3), dtype=np.int8)))


NAMES = "win", "skunk", "double_skunk", "skunked", "double_skunked"


def test_skunk_table_matches_slow_rules():
    events = random_events(7, 5)
    found, slowly = solve_win_table(counts_of(events)), endings([*map(listed, events.tolist())])
    for dealer in (50, 60, 61, 88, 90, 91, 119):
        for pone in (45, 60, 61, 90, 91, 118):
            expected = slowly(dealer, pone)
            ends = [getattr(found.outcomes, name)[dealer, pone] for name in NAMES]
            assert ends == pytest.approx(expected, abs=1e-12)
