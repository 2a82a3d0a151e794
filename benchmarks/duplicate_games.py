"""Discards by the score against discards for points: whole games, each played from both seats.

    python -m benchmarks.duplicate_games [GAMES]

plays games to 121 between two players who throw and play by the shipped strategies. Once either
needs a number of points or less, one of them throws what wins most often at the score. Then the
same cards are dealt with seats exchanged. It prints what that player wins above one of two games,
with its standard error, for several such numbers. As long as both players throw alike, the two
games are the same, and are played once.

What wins most often is estimated from averages, for many deals at once: see `chances_to_win`.
"""

import sys
from typing import NamedTuple

import numpy as np
from numba import njit

from benchmarks.exploitability import adopted
from benchmarks.win_playouts import in_order
from cribev.classes.canonical import RANK_PAIRS, classify_deals, discard_rank_pairs
from cribev.classes.class_tables import ClassTables
from cribev.game.cards import JACK, random_hands
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import ROLES, opposite_role
from cribev.game.score_notation import WINNING_SCORE
from cribev.game.scoring import score_hands
from cribev.solved.keeps import GameSize, rank_keep_numbers
from cribev.solved.solution import load
from cribev.solving.playouts import pegging_events
from cribev.solving.sampling import sample_plays

GAMES = 200_000
NEEDS = (0, 15, 30, 45, 60, 90, 121)
"""The score is weighed once either needs so many points or less; with 0, never."""

_SHOWN = 30  # points of a hand or crib are fewer
_WITHIN = ((15, 8.0), (31, 3.0), (60, 1.5), (121, 1.0))
# Where either needs no more than the first number, discards are left out that are further below
# the best in points than the second.
_CELL = 2e-4  # what is pegged less often is left out
_EQUAL = 1e-6  # of a game: no reason to throw otherwise
_SAMPLE = 6_000  # cribs for each pair and starter
_AT_ONCE = 20_000
_BLOCK = 20_000  # duplicates


class Tables(NamedTuple):
    """What chances to win of a role are estimated from."""

    goes_on: np.ndarray
    """How likely the role wins once both have played and the starter is known: by pair thrown,
    starter's rank, own need after the hand, opponent's need before hand and crib,
    ``(91, 13, 122, 122)``."""
    point: np.ndarray
    """How much another point would bring."""
    cribs: np.ndarray
    """Average crib by pair thrown and starter's rank, ``(91, 13)``."""
    cells: np.ndarray
    """What both peg, most often first, by keep, ``(1820, most, 2)``."""
    often: np.ndarray
    """How often they do, ``(1820, most)``, zeros at the end."""
    first_to: np.ndarray


def thrown(policies, hands, role):
    """Return which keep, the first of equal ones, and its number."""
    classes, patterns = classify_deals(hands)
    sets = policies[role][classes, patterns].astype(np.int64)
    keeps = (sets[:, None] >> np.arange(15) & 1).argmax(axis=1)
    return keeps, rank_keep_numbers()[classes, keeps]


def tables_of(solution, policies, role, *, seed=7):
    """Make the tables of a role from two million deals."""
    rng, opponent = np.random.default_rng(seed), opposite_role(role)
    cards = random_hands(2_000_000, cards=7, seed=seed)
    hands, starters = np.sort(cards[:, :6], axis=1), cards[:, 6]
    keeps, rows = thrown(policies, hands, opponent)[0], np.arange(len(cards))[:, None]
    shown = score_hands(hands[rows, KEEPS[keeps]], starters)
    throws = hands[rows, DISCARDS[keeps]]
    hand = np.zeros((13, _SHOWN))
    crib = np.zeros((91, 13, _SHOWN + 1))
    for rank in range(13):
        of_rank = np.flatnonzero(starters >> 2 == rank)
        hand[rank] = np.bincount(shown[of_rank], minlength=_SHOWN) / len(of_rank)
        for at, ranks in enumerate(RANK_PAIRS):
            some = rng.choice(of_rank, _SAMPLE)
            own = 4 * ranks.astype(np.uint8) + rng.integers(0, 4, (_SAMPLE, 2), dtype=np.uint8)
            five = np.column_stack([own, throws[some], starters[some]])
            five = five[(np.diff(np.sort(five, axis=1), axis=1) > 0).all(axis=1)]
            points = score_hands(five[:, :4], five[:, 4], crib=True)
            crib[at, rank] = np.bincount(points, minlength=_SHOWN + 1) / len(five)
    goes_on = np.stack(
        [
            [_after_the_show(solution.win_table, role, hand[s], c) for s, c in enumerate(row)]
            for row in crib
        ]
    )
    one_more = np.roll(crib, 1 if role == "dealer" else -1, axis=2)
    if role == "pone":
        one_more[..., 0] += one_more[..., -1]  # a crib of zero cannot be less
        one_more[..., -1] = 0
    point = np.stack(
        [
            [_after_the_show(solution.win_table, role, hand[s], c) for s, c in enumerate(row)]
            for row in one_more
        ]
    )
    play = solution.play.statistics[role]
    return Tables(
        goes_on.astype(np.float32),
        (point - goes_on).astype(np.float32),
        crib @ np.arange(_SHOWN + 1),
        *_cells(play.joint_pmf),
        play.first_passage,
    )


def _after_the_show(win_table, role, hand, crib):
    """How likely the role wins, by both needs: the show in its order, then the next deal."""
    needs = np.arange(WINNING_SCORE + 1)
    made = np.maximum(needs[:, None] - np.arange(_SHOWN + 1), 0)
    of_hand, of_crib = np.zeros((2, WINNING_SCORE + 1, WINNING_SCORE + 1))  # from need to need
    for points, chance in enumerate(crib):
        of_crib[needs, made[:, points]] += chance
    for points, chance in enumerate(hand):
        of_hand[needs, made[:, points]] += chance
    value = np.zeros((WINNING_SCORE + 1, WINNING_SCORE + 1))  # by own and opponent's need
    if role == "dealer":
        value[1:, 1:] = 1 - win_table.win[::-1, ::-1].T
        value[0] = 1
        after = of_crib @ value
        after[:, 0] = 0
        return after @ of_hand.T
    value[1:, 1:] = win_table.win[::-1, ::-1]
    value = value @ of_crib.T @ of_hand.T
    value[0] = 1
    return value


def _cells(chances):
    flat = np.where(chances < _CELL, 0, chances).reshape(len(chances), -1)
    order = np.argsort(-flat, axis=1, kind="stable")[:, : (flat > 0).sum(axis=1).max()]
    often = np.take_along_axis(flat, order, axis=1)
    cells = np.stack(np.divmod(order, chances.shape[2]), axis=2)
    return cells.astype(np.int16), (often / often.sum(axis=1, keepdims=True)).astype(np.float32)


@njit(nogil=True)
def _chances(
    goes_on, point, cells, often, first_to,
    dealer, pairs, keeps, own, opponent, ranks, shown, net, found,
):  # fmt: skip
    """Write how likely each discard wins into `found`: see `chances_to_win`."""
    seen = np.zeros((13, 30), dtype=np.int64)
    for one in range(len(pairs)):
        seen[:] = 0
        for at in range(ranks.shape[1]):
            seen[ranks[one, at], shown[one, at]] += 1
        pair, keep, total = pairs[one], keeps[one], 0.0
        for rank in range(13):
            need, opponent_need = own[one], opponent[one]
            if rank == 10:
                if dealer:
                    need -= 2
                else:
                    opponent_need -= 2
            number = seen[rank].sum()
            if need <= 0:
                total += number
            if need <= 0 or opponent_need <= 0:
                continue
            if need < 32:
                total += number * first_to[keep, need, min(opponent_need, 31)]
            for points in range(30):
                times = seen[rank, points]
                if not times:
                    continue
                after, more = goes_on[pair, rank], point[pair, rank]
                later = np.float32(0)
                for cell in range(cells.shape[1]):
                    if often[keep, cell] == 0:
                        break
                    left = need - cells[keep, cell, 0]
                    opponent_left = opponent_need - cells[keep, cell, 1]
                    if left > 0 and opponent_left > 0:
                        left = max(left - points, 0)
                        later += often[keep, cell] * (
                            after[left, opponent_left] + net[one] * more[left, opponent_left]
                        )
                total += times * later
        found[one] = total / ranks.shape[1]


def chances_to_win(tables, solution, hands, role, own, opponent):
    """How likely each of 15 discards wins; nan where it is too far below the best in points.

    Heels, the play of the keep, hand, opponent's hand and crib count in their order.
    The opponent's hand is assumed not to depend on the cards held or on what is pegged, and the
    crib to be that of the pair of ranks thrown. Where these are off on average, the difference is
    weighed by what a point is worth.
    """
    values = ClassTables(solution.cribs[role], role).values(*classify_deals(hands)).expected
    least, within = np.minimum(own, opponent), np.zeros(len(hands))
    for need, points in _WITHIN[::-1]:
        within[least <= need] = points
    rows, which = np.nonzero(values >= values.max(axis=1, keepdims=True) - within[:, None])
    classes, _ = classify_deals(hands)
    numbers, pairs = (
        table[classes[rows], which] for table in (rank_keep_numbers(), discard_rank_pairs())
    )
    sign = 1 if role == "dealer" else -1
    chances = np.full(len(rows), np.nan)
    every = np.arange(52, dtype=np.uint8)
    play = solution.play.statistics[role]
    for start in range(0, len(rows), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        of, kept = hands[rows[part]], hands[rows[part][:, None], KEEPS[which[part]]]
        unseen = (of[:, :, None] != every).all(axis=1)
        starters = np.broadcast_to(every, unseen.shape)[unseen].reshape(len(of), 46)
        shown = score_hands(kept[:, None], starters)
        ranks = (starters >> 2).astype(np.int64)
        crib = np.take_along_axis(tables.cribs[pairs[part]], ranks, axis=1).mean(axis=1)
        keep = numbers[part]
        estimate = shown.mean(axis=1) + sign * crib + (play.own - play.opponent)[keep]
        _chances(
            tables.goes_on, tables.point, tables.cells, tables.often, tables.first_to,
            role == "dealer", pairs[part], keep, own[rows[part]], opponent[rows[part]], ranks,
            shown.astype(np.int64),
            (values[rows[part], which[part]] - estimate).astype(np.float32), chances[part],
        )  # fmt: skip
    found = np.full(values.shape, np.nan)
    found[rows, which] = chances
    return found


class Games(NamedTuple):
    """Games that go on, each array by game; players are 0, who deals first, and 1."""

    duplicate: np.ndarray
    """Which duplicate's cards they have."""
    aware: np.ndarray
    """Which player weighs the score; -1 where neither has thrown otherwise yet, for both seats."""
    needs: np.ndarray
    """For which of `NEEDS`, one bit each."""
    scores: np.ndarray
    """``(n, 2)``."""


def duplicates(solver, solution, tables, number, *, seed):
    """Play all games; return who weighs the score and wins, by seat: ``(number, 2, needs)``."""
    policies, rng = solution.policies(), np.random.default_rng(seed)
    won = np.zeros((number, 2, len(NEEDS)), dtype=bool)
    parted = np.zeros((number, 2), dtype=np.int64)  # for which needs games have gone their own way
    nobody = np.full(number, -1)
    games = Games(np.arange(number), nobody, np.zeros_like(nobody), np.zeros((number, 2), int))
    deal = 0
    while len(games.duplicate):
        cards = random_hands(number, cards=13, seed=seed * 1000 + deal)
        seats = {"dealer": deal % 2, "pone": 1 - deal % 2}
        hands = {"dealer": np.sort(cards[:, :6], axis=1), "pone": np.sort(cards[:, 6:12], axis=1)}
        games, keeps = _throw(games, seats, hands, policies, tables, solution, parted)
        starters = cards[games.duplicate, 12]
        scores = _deal_out(solver, games, seats, hands, keeps, starters, rng)
        over = scores.max(axis=1) >= WINNING_SCORE
        _note(won, parted, games, over, scores.argmax(axis=1))
        games = Games(*(part[~over] for part in games._replace(scores=scores)))
        deal += 1
    return won


def _throw(games, seats, hands, policies, tables, solution, parted):
    """Choose all keeps; a game splits where the score first changes a keep."""
    blind = {role: thrown(policies, hands[role], role)[0][games.duplicate] for role in ROLES}
    keeps = {role: blind[role].copy() for role in ROLES}
    parts = [(games, keeps)]
    for role in ROLES:
        player = seats[role]
        needs = WINNING_SCORE - games.scores
        least = needs.min(axis=1)
        some = np.flatnonzero((games.aware == player) | (games.aware < 0) & (least <= NEEDS[-1]))
        win = chances_to_win(
            tables[role], solution, hands[role][games.duplicate[some]], role,
            needs[some, player], needs[some, 1 - player],
        )  # fmt: skip
        best, at = np.nanargmax(win, axis=1), np.arange(len(some))
        better = win[at, best] > win[at, blind[role][some]] + _EQUAL
        some, best = some[better], best[better]
        own_way = games.aware[some] == player
        keeps[role][some[own_way]] = best[own_way]
        of = games.duplicate[some]
        bits = ((least[some, None] <= np.array(NEEDS)) << np.arange(len(NEEDS))).sum(axis=1)
        bits = np.where(own_way, 0, bits & ~parted[of, player])
        new = bits > 0
        parted[of[new], player] |= bits[new]
        parting = Games(of[new], np.full(new.sum(), player), bits[new], games.scores[some[new]])
        parts.append(
            (parting, {role: best[new], opposite_role(role): blind[opposite_role(role)][some[new]]})
        )
    every = (np.concatenate(arrays) for arrays in zip(*(part for part, _ in parts), strict=True))
    return Games(*every), {
        role: np.concatenate([chosen[role] for _, chosen in parts]) for role in ROLES
    }


def _deal_out(solver, games, seats, hands, keeps, starters, rng):
    """Play and show; return the scores after the deal, or when one is out."""
    holdings, rows = GameSize().holdings(4), np.arange(len(starters))[:, None]
    numbers, shown, crib = {}, {}, []
    for role in ROLES:
        own = hands[role][games.duplicate]
        kept = own[rows, KEEPS[keeps[role]]]
        crib.append(own[rows, DISCARDS[keeps[role]]])
        shown[role] = score_hands(kept, starters).astype(np.int8)
        numbers[role] = rank_keep_numbers()[classify_deals(own)[0], keeps[role]]
    laid = sample_plays(solver, numbers["pone"], numbers["dealer"], rng)
    play = pegging_events(
        solver.tables, holdings[numbers["pone"]], holdings[numbers["dealer"]], laid
    )
    heels = np.where(starters >> 2 == JACK, 2, 0).astype(np.int8)
    in_crib = score_hands(np.concatenate(crib, axis=1), starters, crib=True).astype(np.int8)
    events = np.column_stack([heels, play, -shown["pone"], shown["dealer"], in_crib])
    before = {role: games.scores[:, seats[role]] for role in ROLES}
    dealer, pone = in_order(events.astype(np.int16), **before)
    return np.stack([dealer, pone] if seats["dealer"] == 0 else [pone, dealer], axis=1)


def _note(won, parted, games, over, winner):
    """Note the winner for the needs that a game stands for."""
    bits = 1 << np.arange(len(NEEDS))
    for seat in (0, 1):
        for aware in (seat, -1):
            some = np.flatnonzero(over & (games.aware == aware))
            of = games.duplicate[some]
            needs = games.needs[some] if aware == seat else ~parted[of, seat]
            rows, columns = np.nonzero(needs[:, None] & bits)
            won[of[rows], seat, columns] = winner[some[rows]] == seat


def report(won):
    """Say for each of `NEEDS` what is won above half, and beyond the number before."""
    first_dealer = won[:, 0, 0].mean()
    yield f"{len(won):,} duplicates: the same cards from both seats"
    yield f"the first dealer wins {first_dealer:.4f} of them where nobody weighs the score"
    gained = (won.sum(axis=1) - 1) / 2
    before = gained[:, 0]
    for need, games in zip(NEEDS[1:], gained.T[1:], strict=True):
        further = games - before
        error, off = (part.std() / len(won) ** 0.5 for part in (games, further))
        yield (
            f"from {need:3}: {100 * games.mean():+.3f} ± {100 * error:.3f} wins in a hundred games,"
            f" {100 * further.mean():+.3f} ± {100 * off:.3f} beyond the line above"
        )
        before = games


def main(number=GAMES):
    """Play and print."""
    solution = load(play=True)
    policies, solver = solution.policies(), adopted(solution)
    tables = {role: tables_of(solution, policies, role) for role in ROLES}
    won = np.zeros((0, 2, len(NEEDS)), dtype=bool)
    for seed in range(-(-number // _BLOCK)):
        block = min(_BLOCK, number - len(won))
        won = np.concatenate([won, duplicates(solver, solution, tables, block, seed=seed)])
        print(*report(won), sep="\n", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
