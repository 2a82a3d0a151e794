"""What the averages of a solver are worth.

A best response is worked out for all holdings at once on the public tree [1]_. What both players
gain by theirs, added up, is the exploitability of the two. Policy evaluation walks the tree once by
both, and adds up at each end what happens there: points, chances to win, and how often each keep
comes to the show with which points pegged, where the crib still decides.

References
----------
.. [1] M. Johanson, K. Waugh, M. Bowling, M. Zinkevich: Accelerating Best Response Calculation in
   Large Extensive Games. IJCAI, 2011.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.game.roles import ROLES, Role
from cribev.solution.solved_play import POINT_BINS
from solver import play_tree
from solver.play_solver import DEALER, PONE, PlaySolver, by_keep

_WORST = np.float32(-1e30)
_MIN_CHANCE, _MIN_WIN_CHANCE = np.float32(1e-10), np.float32(1e-9)
_MIN_LEAD_FREQUENCY = 1e-7  # what is led to a keep less often is not worth a figure


@play_tree.helper
def _best_of_two(context, node):
    """Write the value of two cards left when the better is played."""
    tables, value, gain = context.tables, context.scratch.value, context.scratch.value_of_two
    fits = tables.fits[node.state]
    for rank in range(fits):
        for left in range(rank, tables.next_state.shape[1]):
            best = gain[rank, left]
            if left < fits:
                best = max(best, gain[left, rank])
            value[node.depth, tables.add_card[2, rank, left]] = best


@play_tree.helper
def _take_best(context, node, rank):
    """Take the value of a rank played, from one deeper, where it is better than those before."""
    tables, value = context.tables, context.scratch.value
    for left in range(tables.width[node.own_left - 1]):
        holding = tables.add_card[node.own_left, rank, left]
        value[node.depth, holding] = max(value[node.depth, holding], value[node.depth + 1, left])


@play_tree.compiled
def best_response_values(context, node):
    """Write ``scratch.value[depth]`` where the player does best against the other's average."""
    tables, sets, scratch = context.tables, context.sets, context.scratch
    if play_tree.end_walk(context, node):
        return
    fits = tables.fits[node.state]
    if play_tree.is_last_choice(node):
        row = play_tree.take_row(context, node)
        if node.own_turn:
            play_tree.value_two(context, node)
            _best_of_two(context, node)
        else:
            play_tree.match_two(context, fits, sets.sum_rows[row : row + fits])
            play_tree.value_against_two(context, node)
    else:
        play_tree.match_regrets(context, node, sets.sums)
        least = _WORST if node.own_turn else np.float32(0)
        for holding in range(tables.width[node.own_left]):
            scratch.value[node.depth, holding] = least
        for rank in range(fits):
            play_tree.reach_after_card(context, node, rank)
            best_response_values(context, play_tree.after_card(tables, node, rank))
            if node.own_turn:
                _take_best(context, node, rank)
            else:
                play_tree.add_child(context, node)
    if fits < tables.next_state.shape[1]:
        play_tree.reach_after_go(context, node)
        best_response_values(context, play_tree.after_go(node))
        play_tree.take_go(context, node)


def _values_of_first_cards(solver: PlaySolver) -> tuple[Floats, Floats]:
    """Return what pone's leads and the dealer's answers gain by best responses from there."""
    policies = solver.average_first_cards()
    pone = solver.walk(PONE, *policies, best_response_values).sum(axis=1)[None]
    return pone, solver.walk(DEALER, *policies, best_response_values)


def best_responses(solver: PlaySolver) -> tuple[Floats, Floats]:
    """Return what pone and dealer gain, by keep, who respond best to the other's average."""
    pone, dealer = (
        by_keep(solver, values, -np.inf).max(axis=2).sum(axis=1)
        for values in _values_of_first_cards(solver)
    )
    return pone, dealer


def exploitability(solver: PlaySolver) -> float:
    """Return the points a deal that both together could gain by best responses."""
    pone, dealer = best_responses(solver)
    return float(pone @ solver.keeps.marginal["pone"] + dealer @ solver.keeps.marginal["dealer"])


def first_card_values(solver: PlaySolver) -> dict[Role, tuple[Floats, Floats]]:
    """Return how often first cards are played, and their worth: leads, and answers by lead."""
    led, answered = (by_keep(solver, table, 0.0) for table in solver.average_first_cards())
    often = solver.keeps.conditional["dealer"] @ led[:, 0]  # how often keeps meet the lead
    pone, dealer = _values_of_first_cards(solver)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = by_keep(solver, dealer, np.nan) / often[..., None]
    value[often <= _MIN_LEAD_FREQUENCY] = np.nan
    return {
        "pone": (led[:, 0], by_keep(solver, pone, np.nan)[:, 0]),
        "dealer": (np.where(np.isnan(value), 0, answered), value),
    }


class EvaluationTotals(NamedTuple):
    """What policy evaluation adds up, pone's first; empty where it is not asked for."""

    points: NDArray[np.float32]
    """Points where each has a card left, ``(2, played * played, 13 * 16)``: by the holdings of all
    cards but one, pone's first; dealer's last card; pone's."""
    points_alone: NDArray[np.float32]
    """Points where one has no cards before that, by pone's and dealer's keep, ``(2, W, W)``."""
    pegs: NDArray[np.float32]
    """How often each keep pegs so much and the other so much, ``(2, W, 32, 32)``; more than 31
    points count as 31."""
    wins: NDArray[np.float32]  # how often pone wins, by both keeps, ``(W, W)``
    pegged: NDArray[np.float64]
    """How often each keep comes to the show by the ends' cell, ``(2, W, cells)``."""


class EvaluationContext(NamedTuple):
    """What every step of policy evaluation can see; the player is pone, the other the dealer."""

    tables: play_tree.PlayTables
    sets: play_tree.InformationSets
    ends: play_tree.WinEnds
    scratch: play_tree.Scratch
    totals: EvaluationTotals
    dealer_given_pone: NDArray[np.float32]
    """How likely the dealer has each keep by pone's, ``(W, W)``."""
    pone_given_dealer: NDArray[np.float32]


_NONE = np.zeros((2, 0, 0), np.float32)
_NO_TOTALS = EvaluationTotals(_NONE, _NONE, _NONE[..., None], _NONE[0], _NONE.astype(np.float64))


@play_tree.helper
def _count_pegs(context, keeps, chance, points):
    """Count what both peg in the end; pone's keep and points first."""
    pegs, (pone, dealer) = context.totals.pegs, keeps
    most = pegs.shape[2] - 1
    own, other = min(points[0], most), min(points[1], most)
    pegs[0, pone, own, other] += chance * context.dealer_given_pone[pone, dealer]
    pegs[1, dealer, other, own] += chance * context.pone_given_dealer[dealer, pone]


@play_tree.helper
def _count_wins(context, keeps, chance, points, first):
    """Count who wins in the end; if the play takes both out, pone was ``first`` or not."""
    ends, totals, (pone, dealer) = context.ends, context.totals, keeps
    cell, columns = play_tree.win_cell(ends, points[0], points[1]), ends.other_need + 1
    if cell // columns == ends.own_need:
        if first or cell % columns < ends.other_need:
            totals.wins[pone, dealer] += chance
        return
    if cell % columns == ends.other_need:
        return
    total = np.float32(0)
    for term in range(ends.own_keeps.shape[2]):
        total += ends.own_keeps[pone, cell, term] * ends.other_keeps[dealer, cell, term]
    totals.wins[pone, dealer] += chance * total
    totals.pegged[0, pone, cell] += chance * context.dealer_given_pone[pone, dealer]
    totals.pegged[1, dealer, cell] += chance * context.pone_given_dealer[dealer, pone]


@play_tree.helper
def _add_points_forced(context, node):
    """Add up points where each has one card left."""
    tables, scratch, totals = context.tables, context.scratch, context.totals
    block = node.own_played * tables.keep_of.shape[1] + node.other_played
    turn, state = 2 * node.own_turn + node.go, node.state
    pone, dealer = np.float32(node.own_points), np.float32(node.other_points)
    for other in range(play_tree.ROWS):
        for own in range(play_tree.LANES):
            cell = other * play_tree.LANES + own
            chance = (
                scratch.own_reach[node.own_row, own] * scratch.other_reach[node.other_row, other]
            )
            totals.points[0, block, cell] += chance * (pone + tables.forced_own[turn, state, cell])
            totals.points[1, block, cell] += chance * (
                dealer + tables.forced_other[turn, state, cell]
            )


@play_tree.helper
def _add_ends(context, node):
    """Add up what happens where all is forced, or somebody is out, by both holdings."""
    tables, scratch, ends = context.tables, context.scratch, context.ends
    left, state, totals = max(node.own_left, node.other_left), node.state, context.totals
    won, fits = play_tree.is_won(ends, node), tables.fits[node.state]
    one_each = node.own_left == 1 and node.other_left == 1
    least = _MIN_WIN_CHANCE if ends.own_need else _MIN_CHANCE
    for own in range(tables.width[node.own_left]):
        reach = scratch.own_reach[node.own_row, own]
        if reach <= least:
            continue
        pone = play_tree.keep_held(tables, node.own_left, node.own_played, own)
        for other in range(tables.width[node.other_left]):
            chance = reach * scratch.other_reach[node.other_row, other]
            if chance <= least:
                continue
            dealer = play_tree.keep_held(tables, node.other_left, node.other_played, other)
            gained, conceded, first = np.int64(0), np.int64(0), node.own_points >= ends.own_need
            if not won and one_each:
                turn, cell = 2 * node.own_turn + node.go, other * play_tree.LANES + own
                gained = np.int64(tables.forced_own[turn, state, cell])
                conceded = np.int64(tables.forced_other[turn, state, cell])
                # Who is to move pegs first, unless the card does not fit.
                first = own < fits if node.own_turn else other >= fits
            elif not won:
                cell = tables.alone_start[left] + max(own, other)
                gained = np.int64(tables.alone_own[state, cell])
                conceded = np.int64(tables.alone_other[state, cell])
                first = node.own_left == 0  # who has none left may have a go first
                if node.own_left == 0:
                    gained, conceded = conceded, gained
            points = node.own_points + gained, node.other_points + conceded
            if ends.own_need:
                _count_wins(context, (pone, dealer), chance, points, first)
            elif totals.pegs.size:
                _count_pegs(context, (pone, dealer), chance, points)
            else:
                totals.points_alone[0, pone, dealer] += chance * np.float32(points[0])
                totals.points_alone[1, pone, dealer] += chance * np.float32(points[1])


@play_tree.compiled
def _evaluate(context, node):
    """Walk down from a node by both average strategies, and add to `EvaluationTotals`."""
    tables, own, other = context.tables, node.own_left, node.other_left
    if play_tree.is_won(context.ends, node):
        _add_ends(context, node)
        context.scratch.cursor[0] += play_tree.count_cells(tables, node)
        return
    if own == 1 and other == 1 and context.totals.points.size:
        _add_points_forced(context, node)
        return
    if own == 0 or other == 0 or (own == 1 and other == 1):
        _add_ends(context, node)
        return
    fits = tables.fits[node.state]
    play_tree.match_averages(context, node)
    for rank in range(fits):
        play_tree.reach_after_card(context, node, rank)
        _evaluate(context, play_tree.after_card(tables, node, rank))
    if fits < tables.next_state.shape[1]:
        play_tree.reach_after_go(context, node)
        _evaluate(context, play_tree.after_go(node))


def _evaluate_all(
    solver: PlaySolver, ends: play_tree.WinEnds, **shapes: tuple[int, ...]
) -> list[EvaluationTotals]:
    """Walk the whole tree by the averages; return what each thread added up, of these shapes."""
    policies = solver.average_first_cards()
    by_own = [beliefs.by_own for beliefs in solver.beliefs]

    def new() -> tuple[play_tree.Scratch, EvaluationTotals]:
        fresh = {
            name: np.zeros(shape, getattr(_NO_TOTALS, name).dtype) for name, shape in shapes.items()
        }
        return play_tree.new_scratch(solver.tables), _NO_TOTALS._replace(**fresh)

    def visit(buffers: tuple[play_tree.Scratch, EvaluationTotals], lead: int, answer: int) -> None:
        node = solver.enter(buffers[0], PONE, (lead, answer), policies)
        _evaluate(EvaluationContext(solver.tables, solver.sets, ends, *buffers, *by_own), node)

    return [totals for _, totals in solver.each_root(new, visit)]


def expected_points(solver: PlaySolver) -> dict[Role, tuple[Floats, Floats]]:
    """Average what a role pegs and what the other does, by both keeps, own first, ``(n, n)``."""
    count, ranks = solver.size.holding_count(solver.size.kept), len(solver.keep_of)
    width, cells = int(solver.tables.width[solver.size.kept]), solver.tables.forced_net.shape[2]
    buffers = _evaluate_all(
        solver,
        play_tree.points_count(),
        points=(2, solver.rests**2, cells),
        points_alone=(2, width, width),
    )
    means = []
    for player in range(2):
        mean: Floats = np.sum([totals.points_alone[player] for totals in buffers], axis=0)
        mean = mean[:count, :count].astype(np.float64)
        blocks = np.sum([totals.points[player] for totals in buffers], axis=0)
        blocks = blocks.reshape(solver.rests, solver.rests, -1, play_tree.LANES)
        for own in range(ranks):
            for other in range(ranks):
                keeps = np.ix_(solver.keep_of[own], solver.keep_of[other])
                mean[keeps] += blocks[:, :, other, own]
        means.append(mean)
    pone, dealer = means
    return {"pone": (pone, dealer), "dealer": (dealer.T, pone.T)}


def joint_pmfs(solver: PlaySolver) -> dict[Role, Floats]:
    """Return by role how likely each keep pegs so much and the other so much, ``(n, 32, 32)``."""
    width = int(solver.tables.width[solver.size.kept])
    count = solver.size.holding_count(solver.size.kept)
    buffers = _evaluate_all(
        solver, play_tree.points_count(), pegs=(2, width, POINT_BINS, POINT_BINS)
    )
    pmfs: dict[Role, Floats] = {}
    for role in ROLES:
        player = DEALER if role == "dealer" else PONE
        pegs = np.sum([totals.pegs[player] for totals in buffers], axis=0)[:count].astype(
            np.float64
        )
        pmfs[role] = pegs / pegs.sum(axis=(1, 2), keepdims=True)
    return pmfs


class WinsByKeep(NamedTuple):
    """What two average strategies are worth in chances to win."""

    wins: Floats  # how likely pone wins, by pone's keep and the dealer's, ``(n, n)``
    pegged: dict[Role, Floats]
    """How likely a keep comes to the show with so many points pegged by pone and the dealer,
    ``(n, pone's need, dealer's need)``."""


def wins_by_keep(solver: PlaySolver) -> WinsByKeep:
    """Evaluate the averages of a solver whose ends are worth wins."""
    count, width = solver.size.holding_count(solver.size.kept), int(solver.tables.width[-1])
    ends = solver.ends[PONE]
    cells = int(ends.own_need) + 1, int(ends.other_need) + 1
    buffers = _evaluate_all(
        solver, ends, wins=(width, width), pegged=(2, width, cells[0] * cells[1])
    )
    wins = np.sum([totals.wins for totals in buffers], axis=0)[:count, :count]
    pegged = np.sum([totals.pegged for totals in buffers], axis=0)[:, :count]
    by_points = pegged.reshape(2, count, *cells)[..., :-1, :-1]
    return WinsByKeep(wins.astype(np.float64), {"pone": by_points[0], "dealer": by_points[1]})
