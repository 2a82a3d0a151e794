"""Deals played out by two experts, and the race to 121 solved from what they decide.

Points count in the order they fall. So a deal decides for every two needs, the dealer's and pone's,
who makes theirs first, or that neither does; then the next deal goes on with the roles exchanged.
Scores only rise: one pass from the highest down solves the race. A player who needs less can only
win more of the same deals, so the table is monotone in both scores. Whether the loser is skunked is
a race to two lines: the winner's is at 121, the loser's at 91 or 61.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, Index, Policy, classify_deals
from cribev.game.cards import JACK, Cards, random_hands
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.outcomes import Outcomes
from cribev.game.roles import ROLES, Role
from cribev.game.score import HEELS, SKUNK_LINES, WINNING_SCORE
from cribev.game.scorer import score_hands
from cribev.solution.solved_play import KeepFrequencies
from cribev.solution.strategy import (
    PlayStrategy,
    PublicNode,
    left_alone,
    lowest_ranks,
    numbers_without_card,
    rank_keep_numbers,
)
from cribev.solution.win_table import WinTable
from solver.play_tree import compiled

WIN_TABLE_DEALS = 10_000_000  # how many deals the shipped win table is from

_BLOCKS = 40  # flat in memory; how far they are apart gives the standard error
_SEED = 121
_BLOCK = 1 << 16  # hands at a time: what is made for them stays small
_MOST_STEPS = 16  # cards and goes in a play, and more

Discards: TypeAlias = Policy | KeepFrequencies
"""How a role discards: a policy, uint16 ``(18395, 187)``, equal keeps equally often; or how often
each keep of a class is kept."""


class ShownDeals(NamedTuple):
    """Deals discarded and shown, each array by deal, ``(n,)``."""

    pone: NDArray[np.intp]  # Pone's keep, a number of `GameSize.holdings`
    dealer: NDArray[np.intp]
    heels: NDArray[np.uint8]  # the dealer's points for the starter: 2 where it is a jack
    pone_hand: NDArray[np.uint8]  # points, as those that follow
    dealer_hand: NDArray[np.uint8]
    crib: NDArray[np.uint8]


def deal_and_show(policies: Mapping[Role, Discards], deals: int, *, seed: int) -> ShownDeals:
    """Deal, discard as each role does, and show."""
    cards = random_hands(deals, cards=13, seed=seed)
    generator = np.random.default_rng([seed, 1])
    starters = cards[:, 12]
    numbers, kept, discarded = {}, {}, {}
    for at, role in enumerate(ROLES[::-1]):
        hands = np.sort(cards[:, 6 * at : 6 * at + 6], axis=1)
        numbers[role], keeps = _sample_keeps(policies[role], hands, generator)
        rows = np.arange(deals)[:, None]
        kept[role], discarded[role] = hands[rows, KEEPS[keeps]], hands[rows, DISCARDS[keeps]]
    cribs = np.concatenate([discarded["pone"], discarded["dealer"]], axis=1)
    return ShownDeals(
        numbers["pone"],
        numbers["dealer"],
        np.where(starters >> 2 == JACK, HEELS, 0).astype(np.uint8),
        score_hands(kept["pone"], starters),
        score_hands(kept["dealer"], starters),
        score_hands(cribs, starters, crib=True),
    )


def _sample_keeps(
    policy: Discards, hands: Cards, generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the number of the ranks kept, 0..1819, and of the keep, 0..14."""
    numbers, keeps = (np.empty(len(hands), dtype=np.intp) for _ in range(2))
    for start in range(0, len(hands), _BLOCK):
        part = slice(start, start + _BLOCK)
        classes, patterns = classify_deals(hands[part])
        if isinstance(policy, KeepFrequencies):
            below = policy.share[classes].cumsum(axis=1)
            chance = generator.random((len(classes), 1)) * below[:, -1:]
            keeps[part] = (below[:, :-1] <= chance).sum(axis=1)
        else:
            sets = policy[classes, patterns].astype(np.int64)
            order = generator.random((len(sets), 15), dtype=np.float32)
            keeps[part] = np.where(sets[:, None] >> np.arange(15) & 1, order, -1).argmax(axis=1)
        numbers[part] = rank_keep_numbers()[classes, keeps[part]]
    return numbers, keeps


Pick: TypeAlias = Callable[[Index, PublicNode, Index], Index]
"""Picks the ranks that are laid in plays ``(m,)`` at nodes, by `tree.numbers_without_card`."""


def by_chance(strategy: PlayStrategy, generator: np.random.Generator) -> Pick:
    """Pick as often as a strategy does."""

    def pick(_plays: Index, nodes: PublicNode, rests: Index) -> Index:
        chances = strategy.chances_of_rests(nodes, rests)
        under = chances.cumsum(axis=1)
        picked: Index = (under <= generator.random((len(under), 1)) * under[:, -1:]).sum(axis=1)
        return picked

    return pick


class PlayedOut(NamedTuple):
    """Plays of keeps against keeps."""

    laid: NDArray[np.int8]
    """Places laid in turn, ``(n, 2 * kept)``; -1 from where a player is left alone."""
    events: NDArray[np.int8]
    """What each card or go pegs, the dealer's positive, ``(n, 16)``."""


def play_out(strategy: PlayStrategy, pone: Index, dealer: Index, pick: Pick) -> PlayedOut:
    """Play keeps out side by side, numbers ``(n,)``, along the tree of a strategy."""
    size, states = strategy.size, strategy.states
    held = np.stack([pone, dealer], axis=1).astype(np.int64)
    laid = np.full((len(held), 2 * size.kept), -1, dtype=np.int8)
    events = np.zeros((len(held), _MOST_STEPS), dtype=np.int8)
    nodes: Any = PublicNode(*(np.full(len(held), field) for field in strategy.root))

    def nodes_of(plays: Index) -> Any:
        return PublicNode(*(field[plays] for field in nodes))

    def go_on(plays: Index, after: PublicNode) -> None:
        for field, new in zip(nodes, after, strict=True):
            field[plays] = new

    for step in range(_MOST_STEPS):
        before = nodes_of(np.arange(len(held)))
        left, sign = before.mover_left + before.other_left, 2 * before.dealer_moves - 1
        for cards in range(size.kept + 1):
            plays = np.flatnonzero((before.mover_left == cards) & (left > 0))
            own = held[plays, before.dealer_moves[plays]]
            if len(alone := np.flatnonzero(left[plays] == cards)) and cards > 1:
                some = plays[alone]
                most = left_alone(states, before.state[some], size.holdings(cards)[own[alone]])
                events[some, step] = -sign[some] * most.waiter
                events[some, step + 1] = sign[some] * most.mover
                nodes.mover_left[some] = 0
                plays, own = np.delete(plays, alone), np.delete(own, alone)
            must_go = lowest_ranks(size)[cards][own] >= strategy.fits[before.state[plays]]
            here = nodes_of(plays[must_go])
            events[plays[must_go], step] = sign[plays[must_go]] * here.go
            go_on(plays[must_go], strategy.after_go(here))
            plays, own = plays[~must_go], own[~must_go]
            if not len(plays):
                continue
            here, rests = nodes_of(plays), numbers_without_card(size, cards)[own]
            rank = pick(plays, here, rests) if cards > 1 else own
            held[plays, here.dealer_moves] = rest = rests[np.arange(len(plays)), rank]
            if (rest < 0).any():
                raise ValueError("a card is played that is not in hand")
            after = strategy.after_card(here, rank)
            last = (left[plays] == 1) & (after.state != 0)
            events[plays, step] = sign[plays] * (states.points[here.state, rank] + last)
            laid[plays, 2 * size.kept - left[plays]] = rank
            go_on(plays, after)
    return PlayedOut(laid, events)


def played_events(strategy: PlayStrategy, shown: ShownDeals, *, seed: int) -> NDArray[np.int8]:
    """Play deals by a strategy, and list points as `PlayedOut` has them, then the show."""
    pick = by_chance(strategy, np.random.default_rng([seed, 2]))
    play = play_out(strategy, shown.pone, shown.dealer, pick).events
    hands = [shown.pone_hand, shown.dealer_hand, shown.crib]
    signed = [sign * points.astype(np.int8) for sign, points in zip((-1, 1, 1), hands, strict=True)]
    return np.column_stack([play, *signed])


class OutcomeCounts(NamedTuple):
    """What blocks of deals decide; needs and points above 121 count as 121."""

    dealer_first: NDArray[np.int64]
    """Deals in which the dealer makes a need before pone makes another, ``(blocks, 122, 122)``."""
    totals: NDArray[np.int64]
    """Deals that bring the dealer and pone so many points in all, ``(blocks, 122, 122)``."""


def count_outcomes(events: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count who makes which need first in ``events``, ``(n, m)``: a block of `OutcomeCounts`."""
    corners = np.zeros((WINNING_SCORE + 2, WINNING_SCORE + 2), dtype=np.int64)
    totals = np.zeros((WINNING_SCORE + 1, WINNING_SCORE + 1), dtype=np.int64)
    _count(events, corners, totals)
    return corners.cumsum(axis=0).cumsum(axis=1)[:-1, :-1], totals


@compiled
def _count(events, corners, totals):
    """Note the corners of the rectangles of needs the dealer makes first, ``(123, 123)``."""
    for one in range(len(events)):
        dealer, pone = 0, 0
        for at in range(events.shape[1]):
            gained = np.int64(events[one, at])
            if gained > 0:  # makes the needs up to the new score, where pone's is yet to be made
                corners[dealer + 1, pone + 1] += 1
                dealer = min(dealer + gained, WINNING_SCORE)
                corners[dealer + 1, pone + 1] -= 1
            else:
                pone = min(pone - gained, WINNING_SCORE)
        totals[dealer, pone] += 1


def before_cut(no_jack: OutcomeCounts, jack: OutcomeCounts) -> OutcomeCounts:
    """Count deals together in which no jack is cut and one is, both counted after the cut."""
    first, totals = (table.copy() for table in no_jack)
    first[:, HEELS + 1 :] += jack.dealer_first[:, 1:-HEELS]
    first[:, 1 : HEELS + 1, 1:] += jack.totals.sum(axis=(1, 2))[:, None, None]
    totals[:, HEELS:] += jack.totals[:, :-HEELS]
    totals[:, -1] += jack.totals[:, -HEELS:].sum(axis=1)
    return OutcomeCounts(first, totals)


def chance_after_deal(
    first: NDArray[Any], totals: NDArray[Any], needs: tuple[int, int], win: Floats
) -> float:
    """Return how likely the dealer wins by a block of counts; pone's need is the first."""
    pone, dealer = needs
    own, other = np.arange(dealer), np.arange(pone)
    # After this deal pone deals.
    later = 1 - win[WINNING_SCORE - pone + other, WINNING_SCORE - dealer + own[:, None]]
    return float((first[dealer, pone] + (totals[:dealer, :pone] * later).sum()) / totals.sum())


class WinGains(NamedTuple):
    """How much likelier the dealer wins if both play a deal to win, not for points.

    It is told in parts of what is at stake: w(1 - w), where w is how likely the dealer wins by
    points. So a chance stays one, and parts change little from score to score.
    """

    part: Floats  # ``(121, 121)``
    error: Floats  # how far off that may be, ``(121, 121)``
    known: NDArray[np.bool_]  # where it is known, ``(121, 121)``; elsewhere the others are nought


def no_gains() -> WinGains:
    """Return gains of which none is known."""
    shape = WINNING_SCORE, WINNING_SCORE
    return WinGains(np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.bool_))


def solve_win_table(counts: OutcomeCounts, gains: WinGains | None = None) -> WinTable:
    """Solve the race with what is gained at scores, and each block alone for standard errors."""
    gains = gains or no_gains()
    whole, deals = solve_race(counts, gains), counts.totals.sum(axis=(1, 2))
    error = np.full(whole.shape, np.nan)
    if len(deals) > 1:
        by_block = [table / deals[:, None, None] for table in counts]
        blocks = _solve(by_block[0], by_block[1], gains.part)
        square = (deals[:, None, None] / deals.sum() * (blocks - whole) ** 2).sum(axis=0)
        totals = counts.totals.sum(axis=0, keepdims=True) / deals.sum()
        carried = _carry_errors(totals, gains.error * whole * (1 - whole))
        error = np.sqrt(square / (len(deals) - 1) + carried)
    skunks = _solve_skunks(counts)
    skunks = np.minimum(skunks, np.stack([whole, whole, 1 - whole, 1 - whole]))
    return WinTable(Outcomes.of_nested(whole, *skunks), error, int(deals.sum()), gains.known)


def _solve_skunks(counts: OutcomeCounts) -> Floats:
    """Return how likely the dealer skunks, does so twice, is skunked, and is so twice.

    Whoever is to lose behind a line has yet to reach it when the other makes 121 first: that is a
    race too. Where a game is played to win nobody is behind a line, so gains count for nothing.
    """
    first, totals = (table.sum(axis=0) / counts.totals.sum() for table in counts)
    neither = totals.cumsum(axis=0).cumsum(axis=1)
    within = _without_margins(totals[None])
    found, as_pone = np.zeros((2, 4, WINNING_SCORE, WINNING_SCORE))
    for dealer, pone in _scores():
        need, other_need = WINNING_SCORE - dealer, WINNING_SCORE - pone
        here = _expect(np.broadcast_to(within, (4, *within.shape[1:])), as_pone, (dealer, pone))
        for at, line in enumerate(SKUNK_LINES):
            if pone < line:
                here[at] += first[need, line - pone]
            if dealer < line:  # pone is first: neither the dealer is, nor nobody
                own = line - dealer
                here[2 + at] += 1 - first[own, other_need] - neither[own - 1, other_need - 1]
        found[:, dealer, pone] = here
        as_pone[:, pone, dealer] = here[[2, 3, 0, 1]]
    return np.clip(found, 0, 1)


def solve_race(counts: OutcomeCounts, gains: WinGains) -> Floats:
    """Return how likely the dealer wins, ``(121, 121)``, as `solve_win_table` without errors."""
    if counts.totals[:, 0, 0].any():
        raise ValueError("a deal in which nobody scores, so that a game need never end")
    deals = counts.totals.sum()
    first, totals = (table.sum(axis=0, keepdims=True) / deals for table in counts)
    whole: Floats = _solve(first, totals, gains.part)[0]
    return whole


def _solve(first: Floats, totals: Floats, parts: Floats) -> Floats:
    """Return how likely the dealer wins, several races at once, ``(races, 121, 121)``."""
    win = np.zeros((len(first), WINNING_SCORE, WINNING_SCORE))
    as_pone = np.zeros_like(win)  # how likely the player of the first score wins as pone
    totals = _without_margins(totals)
    for dealer, pone in _scores():
        needs = WINNING_SCORE - dealer, WINNING_SCORE - pone
        here = first[:, *needs] + _expect(totals, as_pone, (dealer, pone))
        here = here + parts[dealer, pone] * here * (1 - here)
        # A point more is never worse, though gains are not exact.
        if pone + 1 < WINNING_SCORE:
            here = np.maximum(here, win[:, dealer, pone + 1])
        if dealer + 1 < WINNING_SCORE:
            here = np.minimum(here, win[:, dealer + 1, pone])
        win[:, dealer, pone] = here
        as_pone[:, pone, dealer] = 1 - win[:, dealer, pone]
    return win


def _carry_errors(totals: Floats, errors: Floats) -> Floats:
    """Return the squares of what errors come to in all scores before, ``(121, 121)``."""
    square, as_pone = np.zeros((2, 1, WINNING_SCORE, WINNING_SCORE))
    totals = _without_margins(totals) ** 2
    for dealer, pone in _scores():
        later = _expect(totals, as_pone, (dealer, pone))
        square[:, dealer, pone] = errors[dealer, pone] ** 2 + later
        as_pone[:, pone, dealer] = square[:, dealer, pone]
    carried: Floats = square[0]
    return carried


def _scores() -> Iterator[tuple[int, int]]:
    """List the dealer's and pone's scores, those of higher totals first."""
    for both in range(2 * WINNING_SCORE - 2, -1, -1):
        for dealer in range(max(0, both - WINNING_SCORE + 1), min(WINNING_SCORE - 1, both) + 1):
            yield dealer, both - dealer


def _without_margins(totals: Floats) -> Floats:
    """Cut off what no deal brings."""
    most = 1 + np.argwhere(totals.any(axis=0)).max(axis=0)
    return totals[:, : most[0], : most[1]]


def _expect(totals: Floats, values: Floats, score: tuple[int, int]) -> Floats:
    """Average ``values``, ``(races, 121, 121)``, over how a deal goes from a score on."""
    own, other = (
        min(WINNING_SCORE - points, n) for points, n in zip(score, totals.shape[1:], strict=True)
    )
    later: Floats = np.einsum(
        "rij,rij->r",
        totals[:, :own, :other],
        values[:, score[0] : score[0] + own, score[1] : score[1] + other],
    )
    return later


DealtCounts: TypeAlias = tuple[OutcomeCounts, OutcomeCounts]
"""What deals decide after the cut, where no jack is cut and where one is."""


def play_deals_out(
    strategy: PlayStrategy, policies: Mapping[Role, Discards], *, deals: int
) -> DealtCounts:
    """Play deals out by policies and a strategy; every block has a seed of its own."""
    # No jack and a jack; who is first and the points in all.
    shape = 2, 2, _BLOCKS, WINNING_SCORE + 1, WINNING_SCORE + 1
    found = np.zeros(shape, dtype=np.int64)
    for block in range(_BLOCKS):
        shown = deal_and_show(policies, deals // _BLOCKS, seed=_SEED + block)
        events = played_events(strategy, shown, seed=_SEED + block)
        for jack in range(2):
            found[jack, :, block] = count_outcomes(events[(shown.heels > 0) == jack])
    return OutcomeCounts(*found[0]), OutcomeCounts(*found[1])
