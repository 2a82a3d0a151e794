"""The last points of a game: what is shown by keeps, discards to win, and the table with them."""

from functools import lru_cache
from io import BytesIO
from itertools import product

import numpy as np
import oracle
import pytest
from test_race import counts_of, random_events

from benchmarks.duplicate_games import Dealt, ending
from cribev.classes.canonical import RANK_PAIRS, classify_deals, discard_rank_pairs
from cribev.errors import TableError
from cribev.game.cards import JACK
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import ROLES
from cribev.solution.solution import load, shipped_keep_frequencies, shipped_strategy
from cribev.solution.solved_play import POINT_BINS
from cribev.solution.strategy import RANK_KEEPS, GameSize, rank_keep_numbers
from cribev.values.holdings import Belief
from cribev.values.pegging import PlayTree
from cribev.wins.in_play import GameWon
from solver import last_points
from solver.discard_game import mixed_frequencies
from solver.last_points import (
    AfterPlay,
    DiscardRegrets,
    ScoreSolution,
    ScoreSolver,
    factor_table,
    keep_beliefs,
    show_chances,
    solve_last_points,
)
from solver.play_solver import rounded
from solver.play_tree import TERMS
from solver.race import before_cut, chance_after_deal, no_gains, solve_win_table
from solver.worth import best_responses


@pytest.fixture(scope="module")
def experts():
    frequencies = {role: shipped_keep_frequencies(role) for role in ROLES}
    return frequencies, show_chances(frequencies), keep_beliefs(frequencies)


def test_gains_at_later_scores_carry_back():
    counts = counts_of(*np.split(random_events(6000, 40, most=3), 60))
    before, gains = solve_win_table(counts), no_gains()
    stake = before.win[120, 120] * (1 - before.win[120, 120])
    gains.part[120, 120], gains.error[120, 120], gains.known[120, 120] = 0.02 / stake, 0.08, True
    after = solve_win_table(counts, gains)
    assert after.win[120, 120] == pytest.approx(before.win[120, 120] + 0.02)
    error = 0.08 * after.win[120, 120] * (1 - after.win[120, 120])
    assert after.standard_error[120, 120] == pytest.approx(
        np.hypot(error, before.standard_error[120, 120]), rel=1e-3
    )
    assert after.to_win.sum() == 1
    assert after.to_win[120, 120]
    # From 119-119 a deal of a point each comes to it, the roles exchanged; few go by 119-120.
    goes_on = counts.totals.sum(axis=0)[1, 1] / counts.totals.sum()
    expected = -0.02 * goes_on
    assert after.win[119, 119] - before.win[119, 119] == pytest.approx(expected, rel=0.05)
    assert after.standard_error[119, 119] > before.standard_error[119, 119]
    assert (after.win[:60, :60] != before.win[:60, :60]).any()


@pytest.mark.parametrize("needs", [(1, 1), (4, 7), (9, 3)])
def test_show_ends_game_in_order_of_rules(experts, needs):
    """Against hands drawn from whole decks, and counted by the slow rules."""
    _, shows, beliefs = experts
    win = load(play=True).win_table.win
    after = AfterPlay(shows, beliefs.marginal, win)
    rng, holdings = np.random.default_rng(3), GameSize().holdings(4)
    pone, dealer = (holdings.tolist().index(keep) for keep in ([4, 4, 9, 11], [6, 6, 7, 8]))
    discarded = {
        "dealer": shows.pairs["dealer"][dealer],
        "pone": beliefs.marginal["pone"] @ shows.pairs["pone"],
    }
    values: list[float] = []
    while len(values) < 4000:
        pairs = [RANK_PAIRS[rng.choice(91, p=chance)] for chance in discarded.values()]
        deck, cards = rng.permutation(oracle.DECK).tolist(), []
        for rank in (*holdings[pone], *holdings[dealer], *pairs[0], *pairs[1]):
            cards.append(
                next((c for c in deck if c[0] == oracle.RANKS[rank] and c not in cards), None)
            )
        starter = next(c for c in deck if c not in cards)
        if None in cards or starter[0] == "J":
            continue
        own = oracle.points(cards[:4], starter)
        other = oracle.points(cards[4:8], starter) + oracle.points(cards[8:], starter, crib=True)
        if own >= needs[0]:
            values.append(1.0)
        elif other >= needs[1]:
            values.append(0.0)
        else:
            values.append(win[121 - needs[0] + own, 121 - needs[1] + other])
    found = after.wins(*needs)[pone, dealer]
    assert found == pytest.approx(np.mean(values), abs=4 * np.std(values) / 60 + 0.005)


def test_a_table_is_taken_apart_into_products(experts):
    _, shows, beliefs = experts
    after = AfterPlay(shows, beliefs.marginal, load(play=True).win_table.win)
    for needs, most in (((1, 1), 0.003), ((5, 5), 0.02)):
        table = after.wins(*needs)
        factors = factor_table(table, *beliefs.marginal.values(), TERMS)
        assert rms_error(table, factors, beliefs) < most
        mean = [
            beliefs.marginal["pone"] @ some @ beliefs.marginal["dealer"]
            for some in (table, factors[0] @ factors[1].T)
        ]
        assert mean[0] == pytest.approx(mean[1], abs=0.001)
        finer = factor_table(table, *beliefs.marginal.values(), 8)
        assert rms_error(table, finer, beliefs) < rms_error(table, factors, beliefs)
        assert finer.shape == (2, 1820, 8)


def rms_error(table, factors, beliefs):
    """Return how far the product of factors is from a table, by how often keeps are kept."""
    squares = (factors[0] @ factors[1].T - table) ** 2
    return np.sqrt(beliefs.marginal["pone"] @ squares @ beliefs.marginal["dealer"])


def test_keep_pairs_are_symmetric(experts):
    *_, beliefs = experts
    of_pone = beliefs.marginal["pone"][:, None] * beliefs.conditional["pone"]
    of_dealer = beliefs.marginal["dealer"][:, None] * beliefs.conditional["dealer"]
    assert of_pone.sum() == pytest.approx(1)
    np.testing.assert_allclose(of_pone, of_dealer.T, atol=1e-15)
    counts = (GameSize().holdings(4)[:, :, None] == np.arange(13)).sum(axis=1)
    five = (counts[:, None] + counts > 4).any(axis=2)
    assert (of_pone[five] == 0).all()


def test_discards_learn_what_wins_most(experts):
    frequencies, shows, beliefs = experts
    aces = (GameSize().holdings(4) == 0).sum(axis=1)
    learned = DiscardRegrets(frequencies)
    values = {"pone": aces / 5, "dealer": -aces / 5}
    cribs = {role: np.zeros((1820, 91)) for role in ROLES}
    for _ in range(30):
        learned.update(values, cribs)
    kept, held = aces[rank_keep_numbers()], {}
    for role, frequency in learned.average().items():
        np.testing.assert_allclose(frequency.share.sum(axis=1), 1)
        assert ((frequency.flush >= 0) & (frequency.flush <= frequency.share)).all()
        held[role] = (frequency.share * kept).sum(axis=1)
    # Pone keeps as many aces as it can, the dealer as few; early rounds count for little.
    np.testing.assert_allclose(held["pone"], kept.max(axis=1), atol=0.05)
    np.testing.assert_allclose(held["dealer"], kept.min(axis=1), atol=0.05)
    half = mixed_frequencies(frequencies["pone"], learned.kept["pone"], 0.5)
    np.testing.assert_allclose(half.share.sum(axis=1), 1)
    # Where the crib still decides, the dealer discards well to it, and pone badly.
    win = load(play=True).win_table.win
    after = AfterPlay(shows, beliefs.marginal, win)
    pairs = [(4, 4), (3, 12)]
    fives, king_four = (RANK_PAIRS.tolist().index(list(pair)) for pair in pairs)
    discarded = {role: np.zeros((1820, 91)) for role in ROLES}
    for role, sign in (("pone", 1), ("dealer", -1)):
        effect = after.crib_effect(role, np.ones((1820, 6, 12)) / 72)
        more = sign * (effect[:, fives] - effect[:, king_four])
        assert (sign * more).max() < 1e-6
        assert (sign * more).min() < -0.01
        discarded[role] = effect
    learned = DiscardRegrets(frequencies)
    nothing = {role: np.zeros(1820) for role in ROLES}
    for _ in range(30):
        learned.update(nothing, discarded)
    five_pairs = discard_rank_pairs() == fives
    often = {role: (kept.share * five_pairs).sum() for role, kept in learned.average().items()}
    assert often["dealer"] > 2 * often["pone"]


@pytest.fixture(scope="module")
def dealt():
    """Deals after the cut, one of thirteen with a jack."""
    events = random_events(1300, 40, most=3)
    return tuple(counts_of(*np.split(some, 20)) for some in (events[100:], events[:100]))


def by_points(dealt, needs, win):
    """Return how likely the dealer wins, with no jack cut and with one."""
    return [
        chance_after_deal(*(table.sum(axis=0) for table in counts), needs, win) for counts in dealt
    ]


def at_stake(dealt, needs, win):
    """Return the variance of a win by points, before the cut."""
    whole = chance_after_deal(*(table.sum(axis=0) for table in before_cut(*dealt)), needs, win)
    return whole * (1 - whole)


def part(pone, dealer):
    """Return the share of the stake that the fake solver gains, more where less is needed."""
    return (31 - pone) * (31 - dealer) / 1e4


class FakeSolver:
    """Gains a part of what is at stake, if no jack is cut, and notes what it was asked for."""

    def __init__(self, dealt):
        self.dealt, self.solved, self.given = dealt, [], []

    def solve(self, needs, win, frequencies=None):
        self.solved.append(needs)
        self.given.append(frequencies)
        no_jack, jack = by_points(self.dealt, needs, win)
        stake = at_stake(self.dealt, needs, win)
        gained = 13 / 12 * part(*needs) * stake
        return ScoreSolution(no_jack + gained, jack, 0.1 * stake, frequencies or self.first)

    def __call__(self, first, **_):
        self.first = first
        return self


def test_scores_are_solved_outward_and_gone_on_with(tmp_path, monkeypatch, experts, dealt):
    said: list[str] = []
    file = tmp_path / "scores"

    def solve(*, stop=lambda: False):
        solver = FakeSolver(dealt)
        monkeypatch.setattr(last_points, "ScoreSolver", solver)
        try:
            return solver, solve_last_points(
                dealt, experts[0], report=said.append, stop=stop, checkpoint=file,
                needs_solved=[(1, 1), (1, 3), (2, 1), (4, 1), (4, 3)],
            )  # fmt: skip
        except KeyboardInterrupt:
            return solver, None

    first, nothing = solve(stop=lambda: len(said) == 3)
    assert nothing is None
    assert first.solved == [(1, 1), (2, 1), (1, 3)]
    assert [given is None for given in first.given] == [True, False, False]
    second, table = solve()
    assert second.solved == [(4, 1), (4, 3)]
    assert None not in second.given
    assert len(said) == 5
    assert said[0].startswith("120-120: ")
    assert said[2].startswith("118-120: ")
    # Parts that change evenly are found between two scores too, where a row has none (2, 3), and on
    # the way to none at 31.
    gains = no_gains()
    for pone in range(1, 31):
        for dealer in range(1, 31):
            gains.part[121 - dealer, 121 - pone] = part(pone, dealer)
    expected = solve_win_table(before_cut(*dealt), gains)
    np.testing.assert_allclose(table.win, expected.win, atol=1e-7)  # shares are stored as float32
    assert table.to_win.sum() == 30**2
    assert table.to_win[91:, 91:].all()
    stake = table.win * (1 - table.win)
    errors = table.standard_error**2 - expected.standard_error**2
    assert errors[120, 120] == pytest.approx((0.1 * stake[120, 120]) ** 2, rel=1e-3)
    assert errors[119, 120] > (0.1 * stake[119, 120]) ** 2  # it is interpolated
    third, again = solve()
    assert (again.win == table.win).all()
    assert third.solved == []
    array = BytesIO()
    np.save(array, np.zeros(3))  # one, where there should be several by name
    for damaged in (array.getvalue(), file.read_bytes()[:-100]):
        file.write_bytes(damaged)
        with pytest.raises(TableError, match="cannot read the solved scores"):
            solve()


# Solved for real: who pegs first from 120-120


@pytest.fixture(scope="module")
def who_pegs_first():
    """120-120 solved to win: the solver, what it found after few rounds and more, the strategy."""
    shipped = {role: shipped_keep_frequencies(role) for role in ROLES}
    solver, win = ScoreSolver(shipped, threads=2), load(play=True).win_table.win
    few, more = (solver.solve((1, 1), win, rounds=rounds, deals=100_000) for rounds in (3, 8))
    return solver.solver, few, more, rounded(solver.solver)


OUT_AT_ONCE = GameWon(GameSize(), (1, 1), np.zeros((RANK_KEEPS, POINT_BINS, POINT_BINS)))


def test_discards_and_play_converge_to_one_chance(who_pegs_first):
    """Bounds from best responses, discards and play, come closer from either side."""
    _, few, more, _ = who_pegs_first
    assert more.error < few.error / 3
    assert more.error < 0.012
    assert more.win == pytest.approx(few.win, abs=2 * few.error)
    heels = 1 / 13 + 12 / 13 * more.win
    assert heels == pytest.approx(0.647, abs=0.015)  # cribbager's self-play


def test_chances_to_win_lie_within_the_bounds(who_pegs_first):
    """What a keep wins by the best reply is what the solver says, and the mean is in its bounds."""
    solver, _, found, strategy = who_pegs_first
    rng = np.random.default_rng(1)
    holdings = GameSize().holdings(4)
    low, high = found.win - 2 * found.error, found.win + 2 * found.error
    means = {}
    for role, values in zip(("pone", "dealer"), best_responses(solver), strict=True):
        for keep in rng.choice(RANK_KEEPS, 6, p=solver.keeps.marginal[role]):
            belief = Belief(4, solver.keeps.conditional[role][keep], 0, explained=True)
            known = ([], role, holdings[keep].tolist(), belief)
            tree = PlayTree(*known, opponent=strategy, end=OUT_AT_ONCE)
            value = values[keep] if role == "pone" else 1 + values[keep]
            assert tree.value[0] == pytest.approx(value, abs=0.005)
        means[role] = values @ solver.keeps.marginal[role]
    dealer, pone = 1 + means["dealer"], means["pone"]
    assert low - 0.005 <= 1 - pone <= dealer <= high + 0.005


LAST, DEALS = 120, 1000  # where whoever pegs first wins, more hangs on it than anywhere


class Player:
    """Discards and plays cards as two experts keep and play."""

    def __init__(self, frequencies, strategy):
        self.kept = {role: frequencies[role].share for role in ROLES}

        @lru_cache(maxsize=50_000)
        def choices(history, left):
            chances = strategy.choices(strategy.node(history), left)
            return [(rank, float(chances[rank])) for rank in np.flatnonzero(chances).tolist()]

        self.choices = choices

    def keep(self, hand, role, draw):
        share = np.cumsum(self.kept[role][int(classify_deals(hand[None])[0][0])])
        return min(int((share < draw * share[-1]).sum()), len(KEEPS) - 1)

    def __call__(self, steps, play):
        return self.choices(tuple(step.rank for step in steps), tuple(play.hands[play.turn]))


def test_playing_to_win_wins_as_often_as_solved(who_pegs_first):
    """Each has a lower bound against everybody; so who counts points cannot do better."""
    *_, found, strategy = who_pegs_first
    shipped = {role: shipped_keep_frequencies(role) for role in ROLES}
    by_points = Player(shipped, shipped_strategy())
    by_wins = Player(found.frequencies, strategy)
    rng, won = np.random.default_rng(7), []
    while len(won) < DEALS:
        cards = rng.permutation(52).astype(np.uint8)
        draws = dict(zip(ROLES, rng.random(2), strict=True))
        if cards[12] >> 2 == JACK:
            continue
        hands = {role: np.sort(cards[6 * at : 6 * at + 6]) for at, role in enumerate(ROLES)}
        won.append([])
        for dealer, pone in product((by_points, by_wins), repeat=2):
            who = {"dealer": dealer, "pone": pone}
            keeps = {role: who[role].keep(hands[role], role, draws[role]) for role in ROLES}
            held, discarded = (
                {role: hands[role][places[keeps[role]]] for role in ROLES}
                for places in (KEEPS, DISCARDS)
            )
            dealt = Dealt(held, discarded, int(cards[12]), dict.fromkeys(ROLES, LAST))
            won[-1].append(ending(dealt, who).win)
    points, pone_to_win, dealer_to_win, both = np.array(won).T
    for more, less in ((dealer_to_win, points), (points, pone_to_win), (both, pone_to_win)):
        gained = more - less
        assert gained.mean() > 5 * gained.std() / DEALS**0.5
    # Near the middle of the bounds of the solution, without heels.
    assert both.mean() == pytest.approx(0.6145, abs=0.008 + 3 * both.std() / DEALS**0.5)
