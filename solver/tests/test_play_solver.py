"""The solver of the play, for points and to win, against a linear programme and brute force."""

from collections import Counter
from functools import cache
from itertools import product
from math import comb, floor, prod
from unittest.mock import patch

import numpy as np
import play_oracle
import pytest
from linear_programme import solve_by_linear_programme

from benchmarks.play_deals import looked_up, played
from cribev.solution.strategy import PARTS, GameSize
from cribev.values.keeps import KeepBeliefs
from solver import worth as worths
from solver.play_solver import TREMBLE, PlaySolver, adopt, forget_off_path, rounded
from solver.play_tree import TERMS, wins_count
from solver.playouts import by_chance, play_out
from solver.worth import best_responses, expected_points, exploitability

SMALL = {
    "two of four": GameSize((0, 4, 9, 10), 2),
    "three of four": GameSize((0, 4, 9, 10), 3),
    "three in a row": GameSize((5, 6, 7, 8), 3),
    "three of two": GameSize((4, 9), 3),
}
SIZES = SMALL | {
    "four of three": GameSize((0, 3, 10), 4),
    "four of two": GameSize((4, 9), 4),
    "four of neighbours": GameSize((6, 7), 4),
}


def dealt(deck, copies=4):
    """Return how often keeps face each other, dealt from a deck with so many of each rank."""
    size = len(deck.ranks)
    counts = [np.bincount(row, minlength=size) for row in deck.holdings(deck.kept)]
    ways = [
        [
            prod(comb(copies, a) * comb(max(copies - a, 0), b) for a, b in zip(x, y, strict=True))
            for y in counts
        ]
        for x in counts
    ]
    return np.array(ways) / np.sum(ways)


def beliefs(joint):
    """Return what the solver takes, of how often keeps face each other, pone's first."""
    pone, dealer = joint.sum(axis=1), joint.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_pone, of_dealer = np.nan_to_num(joint / pone[:, None]), joint.T / dealer[:, None]
    faces = {"pone": of_pone, "dealer": np.nan_to_num(of_dealer)}
    return KeepBeliefs({"pone": pone, "dealer": dealer}, faces)


def hands(deck):
    return [tuple(deck.ranks[at] + 1 for at in row) for row in deck.holdings(deck.kept).tolist()]


def short_solve(name, rounds=5, threads=1):
    """A solver of its own after a few rounds: many holdings are never reached."""
    solver = PlaySolver(beliefs(dealt(SIZES[name])), size=SIZES[name], threads=threads)
    for _ in range(rounds):
        solver.round()
    return solver


@cache
def solved(name, rounds, tremble=0.0):
    with patch("solver.play_solver.TREMBLE", tremble):
        return short_solve(name, rounds)


class Averages:
    """The average strategies read from the tables of choices, in the order they are written."""

    def __init__(self, solver):
        self.deck, self.solver = solver.size, solver
        self.ranks = [rank + 1 for rank in self.deck.ranks]
        self.numbers = [
            {tuple(row): at for at, row in enumerate(self.deck.holdings(cards).tolist())}
            for cards in range(self.deck.kept + 1)
        ]
        self.starts, self.at = {}, 0
        for lead, answer in product(self.ranks, repeat=2):
            left, pips = (self.deck.kept - 1,) * 2, map(play_oracle.pips, (lead, answer))
            self.visit((lead, answer), sum(pips), 0, left, 0)
        assert self.at == solver.sums.size or self.at == 0

    def visit(self, history, count, turn, left, alone):
        if 0 in left or left == (1, 1):
            return
        fits = [rank for rank in self.ranks if count + play_oracle.pips(rank) <= 31]
        if left[turn] >= 2:
            self.starts[history] = self.at
            self.at += len(fits) * int(self.solver.tables.width[left[turn] - 1])
        fewer = (left[0] - 1, left[1]) if turn == 0 else (left[0], left[1] - 1)
        for rank in fits:
            after = count + play_oracle.pips(rank)
            if after == 31:
                self.visit((*history, rank), 0, 1 - turn, fewer, 0)
            else:
                self.visit((*history, rank), after, turn if alone else 1 - turn, fewer, alone)
        if len(fits) < len(self.ranks):
            self.visit((*history, None), 0 if alone else count, 1 - turn, left, 1 - alone)

    def chances(self, history, hand, options):
        """Return how often a hand plays each of its options after what was played and said."""
        if len(options) == 1:
            return [1.0]
        weights = []
        for rank in options:
            rest = [self.ranks.index(held) for held in hand]
            rest.remove(self.ranks.index(rank))
            at, number = self.ranks.index(rank), self.numbers[len(rest)][tuple(rest)]
            if not history:
                weights.append(self.solver.lead_sums[0, at, number])
            elif len(history) == 1:
                lead = self.ranks.index(history[0])
                weights.append(self.solver.answer_sums[lead, at, number])
            else:
                width = int(self.solver.tables.width[len(rest)])
                weights.append(self.solver.sums[self.starts[history] + at * width + number])
        total = sum(weights)
        return [w / total for w in weights] if total > 1e-30 else [1 / len(weights)] * len(weights)


def outcome(table, history, player, averages, choose):
    """The player's net points who plays as `choose` says and the other by his average."""
    if play_oracle.is_over(table):
        return 0.0
    mine, turn = table[0][player], table[1]

    def after(rank):
        following, gains = play_oracle.move(table, rank)
        net = gains[player] - gains[1 - player]
        return net + outcome(following, (*history, rank), player, averages, choose)

    options = play_oracle.options(table) or [None]
    if not all(table[0]):  # alone: the best for himself
        return max(map(after, options)) if turn == player else min(map(after, options))
    if len(options) == 1:
        return after(options[0])
    if turn == player:
        return after(choose[history, mine])
    chances = averages.chances(history, table[0][turn], options)
    return sum(c * after(rank) for c, rank in zip(chances, options, strict=True) if c)


def places(hand, others, player):
    """Return where a hand may have to choose, and its options; its cards are in the history."""
    found = {}

    def visit(table, history):
        if play_oracle.is_over(table) or not all(table[0]):
            return
        options = play_oracle.options(table) or [None]
        if table[1] == player and len(options) > 1:
            found[history, table[0][player]] = options
        for rank in options:
            visit(play_oracle.move(table, rank)[0], (*history, rank))

    for other in others:
        visit(play_oracle.start(*((hand, other) if player == 0 else (other, hand))), ())
    return found


def best_by_brute_force(averages, together, player):
    """Return what a player gains whose every hand tries all its pure strategies."""
    every, total = hands(averages.deck), 0.0
    for at, hand in enumerate(every):
        facing = together[at] if player == 0 else together[:, at]
        others = [other for other, chance in zip(every, facing, strict=True) if chance]
        where = places(hand, others, player)
        best = -np.inf
        for plan in product(*where.values()):
            choose = dict(zip(where, plan, strict=True))
            value = 0.0
            for other, chance in zip(every, facing, strict=True):
                if chance:
                    pair = (hand, other) if player == 0 else (other, hand)
                    start = play_oracle.start(*pair)
                    value += chance * outcome(start, (), player, averages, choose)
            best = max(best, value)
        total += best
    return total


@pytest.mark.parametrize("name", ["two of four", "three of two"])
def test_best_response_beats_every_pure_strategy(name):
    solver, together = solved(name, 5), dealt(SMALL[name])
    averages = Averages(solver)
    pone, dealer = best_responses(solver)
    brute = [best_by_brute_force(averages, together, player) for player in (0, 1)]
    assert pone @ solver.keeps.marginal["pone"] == pytest.approx(brute[0], abs=1e-6)
    assert dealer @ solver.keeps.marginal["dealer"] == pytest.approx(brute[1], abs=1e-6)
    assert exploitability(solver) == pytest.approx(sum(brute), abs=1e-6)
    assert sum(brute) > 1e-4


@pytest.mark.parametrize(
    ("name", "rounds"), [("two of four", 600), ("three of four", 600), ("three in a row", 400)]
)
def test_small_games_against_a_linear_programme(name, rounds):
    solver, together = solved(name, rounds), dealt(SMALL[name])
    value = solve_by_linear_programme(hands(SMALL[name]), together)
    pone, dealer = best_responses(solver)
    lowest = -(dealer @ solver.keeps.marginal["dealer"])
    assert lowest - 1e-6 <= value <= pone @ solver.keeps.marginal["pone"] + 1e-6
    assert 0 <= exploitability(solver) < 4e-4
    own, opponent = expected_points(solver)["pone"]
    assert ((own - opponent) * together).sum() == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize("name", ["two of four", "three of four"])
def test_trembles_cost_little_and_reach_every_history(name):
    still, trembling = solved(name, 600), solved(name, 600, TREMBLE)
    assert exploitability(trembling) < exploitability(still) + 2 * TREMBLE
    least = {
        solver: min(solver.normalized(s).min() for s in (solver.lead_sums, solver.answer_sums))
        for solver in (still, trembling)
    }
    assert least[still] < least[trembling] / 3
    assert least[trembling] > 0.99 * TREMBLE / still.size.kept


def test_no_card_exceeds_its_average_frequency():
    deck, played = SMALL["three of four"], {}
    free, capped = (short_solve("three of four", 10) for _ in range(2))
    for solver in (free, capped):
        solver.cap = 1.5 if solver is capped else 0
        average, sums = solver.normalized(solver.answer_sums), solver.answer_sums.copy()
        solver.round()
        played[solver] = (solver.answer_sums - sums) / solver.averaged**2
    # What is above the cap goes to all cards, as often as on average.
    assert (played[capped] <= (1 + capped.cap) * average + TREMBLE).all()
    assert (played[free] > (1 + capped.cap) * average + TREMBLE).any()
    for rank_sums in played.values():
        total = np.zeros((len(average), deck.holding_count(deck.kept)))
        for rank, keeps in enumerate(capped.keep_of):
            total[:, keeps] += rank_sums[:, rank]
        assert total == pytest.approx(1)


def test_only_rare_continuations_are_forgotten():
    solver = short_solve("three of four", 60)
    share = solver.keeps.marginal["pone"][solver.keep_of]
    led = (solver.average_first_cards()[0][0] * share).sum(axis=1)
    threshold = float(np.sort(led)[:2].mean())
    rare = led < threshold
    assert rare.sum() == 1
    before, answers = solver.sums.copy(), solver.answer_sums.copy()
    forget_off_path(solver, rare=threshold)
    assert (solver.answer_sums[rare] == 0).all()
    assert (solver.answer_sums[~rare] == answers[~rare]).all()
    ends = np.append(solver.starts.ravel()[1:], len(before)).reshape(solver.starts.shape)
    for lead, answer in product(range(len(led)), repeat=2):
        part = slice(solver.starts[lead, answer], ends[lead, answer])
        kept = solver.sums[part] == before[part]
        assert (kept | (solver.sums[part] == 0)).all()
        assert (solver.regrets[part][~kept] == 0).all()
        assert not (rare[lead] and solver.sums[part].any())
    assert 0.05 < (solver.sums[before > 0] == 0).mean() < 0.95


def test_averages_agree_by_chances_and_keep_pairs():
    solver = solved("three of four", 600)
    points = expected_points(solver)
    chances = worths.joint_pmfs(solver)
    count = np.arange(chances["pone"].shape[1])
    for role, faces in solver.keeps.conditional.items():
        for axis, table in zip((2, 1), points[role], strict=True):
            means = (faces * table).sum(axis=1)
            assert chances[role].sum(axis=axis) @ count == pytest.approx(means, abs=1e-5)


def test_first_cards_are_worth_best_response_gain():
    solver = solved("three of four", 600)
    pone, dealer = best_responses(solver)
    (led, lead_worth), (answered, answer_worth) = worths.first_card_values(solver).values()
    assert np.nanmax(lead_worth, axis=1) == pytest.approx(pone, abs=1e-6)
    assert led.sum(axis=1) == pytest.approx(1)
    met = solver.keeps.conditional["dealer"] @ led
    best = np.nan_to_num(np.nanmax(np.where(np.isnan(answer_worth), -99, answer_worth), axis=2))
    assert (met * best).sum(axis=1) == pytest.approx(dealer, abs=1e-4)
    assert answered.sum(axis=2)[met > 1e-7] == pytest.approx(1)


def test_unused_keeps_still_play_their_best():
    deck = SMALL["three of four"]
    together = dealt(deck)
    rare = together.copy()
    rare[7] = 0
    keeps = beliefs(rare / rare.sum())
    faces = keeps.conditional["pone"]
    faces[7] = together[7] / together[7].sum()
    solver = PlaySolver(keeps, size=deck, threads=1)
    for _ in range(200):
        solver.round()
    own, opponent = expected_points(solver)["pone"]
    best, _ = best_responses(solver)
    assert (faces[7] * (own - opponent)[7]).sum() == pytest.approx(best[7], abs=0.01)


def test_stored_state_resumes_unchanged():
    straight, first, again = (
        short_solve("three of four", rounds, threads)
        for rounds, threads in ((6, 1), (3, 1), (0, 2))
    )
    again.restore({name: array.copy() for name, array in first.state().items()})
    for _ in range(3):
        again.round()
    assert exploitability(again) == exploitability(straight)
    with pytest.raises(ValueError, match="of shape"):
        again.restore(solved("three in a row", 400).state() | {"sums": np.zeros(3)})


def test_four_of_a_rank_is_drawn_by_rules():
    deck, solver = SIZES["four of three"], short_solve("four of three", 1)
    held = np.array(deck.ranks)[deck.holdings(4)].tolist()
    every = range(deck.holding_count(4))
    pone, dealer = np.array(
        [(p, d) for p in every for d in every if max(Counter(held[p] + held[d]).values()) <= 4] * 9
    ).T
    strategy = rounded(solver)
    plays = play_out(strategy, pone, dealer, by_chance(strategy, np.random.default_rng(2))).played
    for p, d, cards in zip(pone, dealer, plays, strict=True):
        points = played({"pone": held[p], "dealer": held[d]}, cards, deck.ranks)
        assert min(points.values()) >= 0


@pytest.mark.parametrize("slowly", [False, True])
def test_sampled_plays_match_strategy_averages(slowly):
    """Card by card by the rules, not by the solver's tables."""
    solver, deck = solved("three of four", 600), SMALL["three of four"]
    rng, many = np.random.default_rng(11), 4000
    pairs = rng.choice(400, size=many, p=dealt(deck).ravel())
    pone, dealer = np.divmod(pairs, 20)
    held = np.array(deck.ranks)[deck.holdings(3)]
    strategy = rounded(solver)
    if slowly:
        plays = looked_up(strategy, pone, dealer, rng)
    else:
        plays = play_out(strategy, pone, dealer, by_chance(strategy, rng)).played
    points = [
        played({"pone": held[p].tolist(), "dealer": held[d].tolist()}, cards, deck.ranks)
        for p, d, cards in zip(pone, dealer, plays, strict=True)
    ]
    means = expected_points(solver)
    for role in ("dealer", "pone"):
        expected = means["pone"][role == "dealer"][pone, dealer]
        error = np.array([one[role] for one in points]) - expected
        assert abs(error.mean()) < 4 * error.std() / many**0.5


# Rounded as it is shipped, looked up history by history


def choices(solver):
    """Yield every history that leaves a choice, by places of ranks, with each hand's options."""
    averages, deck = Averages(solver), solver.size
    for history in [(), *((rank,) for rank in averages.ranks), *averages.starts]:
        count, left, turn, alone = 0, [deck.kept, deck.kept], 0, False
        for rank in history:  # what a player who does not look into the tree makes of it
            if rank is None:
                count, turn, alone = 0 if alone else count, 1 - turn, not alone
                continue
            count, left[turn] = count + play_oracle.pips(rank), left[turn] - 1
            stays = alone and count < 31
            turn, alone, count = turn if stays else 1 - turn, stays, count % 31
        places = [None if rank is None else averages.ranks.index(rank) for rank in history]
        for row in deck.holdings(left[turn]).tolist():
            hand = tuple(averages.ranks[at] for at in row)
            fits = sorted({rank for rank in hand if count + play_oracle.pips(rank) <= 31})
            if fits:
                chances = averages.chances(history, hand, fits)
                yield places, row, [averages.ranks.index(rank) for rank in fits], chances


@pytest.mark.parametrize("name", SIZES)
def test_lookups_are_the_averages_rounded(name):
    solver = short_solve(name)
    strategy, deck = rounded(solver), solver.size
    every = (deck.holdings(n).tolist() for n in range(5))
    numbers = [{tuple(row): at for at, row in enumerate(rows)} for rows in every]
    shares = 0
    for places, row, options, chances in choices(solver):
        node = strategy.node(places)
        found = [strategy.choices(node, row)[rank].item() * PARTS for rank in options]
        table = strategy.policies(node)[: strategy.fits[node.state]].astype(np.float64)
        for rank, share in zip(options, found, strict=True):
            rest = list(row)
            rest.remove(rank)
            assert table[rank, numbers[len(rest)][tuple(rest)]] * PARTS == pytest.approx(share)
        assert found == pytest.approx(np.round(found), abs=1e-4)
        found = [round(share) for share in found]
        assert sum(found) == PARTS
        exact = [float(chance) * PARTS for chance in chances]
        pairs = list(zip(exact, found, strict=True))
        assert all(abs(e - f) < 1 for e, f in pairs)
        rounded_up = min((e - floor(e) for e, f in pairs if f > e), default=1)
        assert rounded_up >= max((e - floor(e) for e, f in pairs if f <= e), default=0) - 1e-4
        shares += sum(0 < share < PARTS for share in found)
    assert shares > 0 or name == "three of two"


@pytest.mark.parametrize("name", SIZES)
def test_adopted_strategy_rounds_to_itself(name):
    solver, other = short_solve(name), short_solve(name, rounds=1)
    strategy = rounded(solver)
    adopt(other, strategy)
    for places, row, options, chances in choices(other):
        expected = strategy.choices(strategy.node(places), row)[options]
        assert [float(chance) for chance in chances] == pytest.approx(expected, abs=1e-7)
    assert (rounded(other).cells == strategy.cells).all()
    adopt(solver, strategy)
    assert exploitability(solver) == exploitability(other)


def test_unreached_nodes_are_uniform_and_sum_to_one():
    strategy = rounded(short_solve("three of four", rounds=0))
    third, odd = divmod(PARTS, 3)
    thirds = [third + (odd > place) for place in range(3)]
    assert set(np.unique(strategy.cells)) == {*thirds, PARTS // 2, PARTS}
    assert (strategy.choices(strategy.root, [0, 1, 3])[[0, 1, 3]] * PARTS).tolist() == thirds


# Solved to win


def chance_factors(deck, needs):
    """Chances to win that rise with one's points, and lean on both keeps, as factors."""
    rng, count = np.random.default_rng(7), deck.holding_count(deck.kept)
    pone, dealer = np.ogrid[: needs[0], : needs[1]]
    factors = np.zeros((2, count, *needs, TERMS))
    factors[0, ..., 0], factors[1, ..., 0] = 0.5 + 0.3 * (pone / needs[0] - dealer / needs[1]), 1
    factors[..., 1] = rng.uniform(-0.4, 0.4, (2, count, 1, 1))
    return factors


def worth_of(factors, needs):
    def worth(p, d, pone, dealer, over):
        if pone >= needs[0]:  # one card pegs for one player: nobody else is out with it
            return 1.0
        if dealer >= needs[1]:
            return 0.0
        return factors[0, p, pone, dealer] @ factors[1, d, pone, dealer] if over else None

    return worth


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        *(("two of four", needs) for needs in ((1, 1), (3, 2))),
        *(("three of four", needs) for needs in ((2, 3), (9, 2))),
        ("three in a row", (5, 4)), ("three of two", (2, 20)),
    ],
)  # fmt: skip
def test_small_games_to_win_against_a_linear_programme(name, needs):
    deck, together = SMALL[name], dealt(SMALL[name])
    factors = chance_factors(deck, needs)
    solver = short_solve(name, rounds=0)
    solver.ends = wins_count(needs, factors, solver.tables)
    for _ in range(200):
        solver.round()
    worth = worth_of(factors, needs)
    value = solve_by_linear_programme(hands(deck), together, worth)
    pone, dealer = best_responses(solver)
    highest = pone @ solver.keeps.marginal["pone"]
    lowest = -(dealer @ solver.keeps.marginal["dealer"])
    # A tremble costs the one something, the other gains it.
    assert lowest - 0.002 <= value <= highest + 0.002
    assert 0 <= exploitability(solver) < 0.004
    found = worths.wins_by_keep(solver)
    assert (found.wins * together).sum() == pytest.approx(value, abs=0.002)
    for role in ("pone", "dealer"):
        assert found.pegged[role].shape == (deck.holding_count(deck.kept), *needs)
        assert (found.pegged[role].sum(axis=(1, 2)) < 1 + 1e-6).all()
    pone, dealer = (
        solver.keeps.marginal[role] @ found.pegged[role].sum(axis=(1, 2))
        for role in ("pone", "dealer")
    )
    assert pone == pytest.approx(dealer, abs=1e-5)
