"""Deals played out side by side: dealt, discarded, shown, and played card by card."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, Index, Policy, classify_deals
from cribev.game.cards import JACK, Cards, random_hands
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import ROLES, Role
from cribev.game.score import HEELS
from cribev.game.scorer import score_hands
from cribev.solution.strategy import (
    PlayStrategy,
    PublicNode,
    left_alone,
    lowest_ranks,
    numbers_without_card,
    rank_keep_numbers,
)
from cribev.values.replies import GONE, MOVE_BITS

_BLOCK = 1 << 16  # hands at a time: what is made for them stays small
_MOST_STEPS = 16  # cards and goes in a play, and more


class KeepChances(Protocol):
    """A player who keeps by chance."""

    def chances(self, classes: Index, patterns: Index) -> Floats:
        """Return how often each keep is kept of deals by class and pattern, ``(n, 15)``."""
        ...


Discards: TypeAlias = Policy | KeepChances
"""How a role discards: a policy, uint16 ``(18395, 187)``, of equal keeps each as often; or how
often each keep is kept."""


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
    for seat, role in enumerate(ROLES[::-1]):
        hands = np.sort(cards[:, 6 * seat : 6 * seat + 6], axis=1)
        numbers[role], keeps = sample_keeps(policies[role], hands, generator)
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


def sample_keeps(
    policy: Discards, hands: Cards, generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the number of the ranks kept, 0..1819, and of the keep, 0..14."""
    numbers, keeps = (np.empty(len(hands), dtype=np.intp) for _ in range(2))
    for start in range(0, len(hands), _BLOCK):
        block = slice(start, start + _BLOCK)
        classes, patterns = classify_deals(hands[block])
        if isinstance(policy, np.ndarray):
            sets = policy[classes, patterns].astype(np.int64)
            order = generator.random((len(sets), 15), dtype=np.float32)
            keeps[block] = np.where(sets[:, None] >> np.arange(15) & 1, order, -1).argmax(axis=1)
        else:
            below = policy.chances(classes, patterns).cumsum(axis=1)
            chance = generator.random((len(classes), 1)) * below[:, -1:]
            keeps[block] = (below[:, :-1] <= chance).sum(axis=1)
        numbers[block] = rank_keep_numbers()[classes, keeps[block]]
    return numbers, keeps


Pick: TypeAlias = Callable[[Index, PublicNode, Index], Index]
"""Picks the ranks that are played in plays ``(m,)`` at nodes, by `tree.numbers_without_card`."""


def by_chance(strategy: PlayStrategy, generator: np.random.Generator) -> Pick:
    """Pick as often as a strategy does."""

    def pick(_plays: Index, nodes: PublicNode, rests: Index) -> Index:
        chances = strategy.chances_of_rests(nodes, rests)
        under = chances.cumsum(axis=1)
        picked: Index = (under <= generator.random((len(under), 1)) * under[:, -1:]).sum(axis=1)
        return picked

    return pick


class ByWay(PlayStrategy):
    """A stored strategy, on the tree of a best response, whose places are the cards played."""

    def __init__(self, strategy: PlayStrategy) -> None:
        super().__init__(strategy.size, strategy.states)
        self.strategy, self.name, self._places = strategy, strategy.name, dict[int, int]()

    def policies(self, nodes: PublicNode) -> Floats:
        """Look up what every holding plays."""
        return np.asarray(self.strategy.policies(self._on_its_tree(nodes)), dtype=np.float64)

    def chances_of_rests(self, nodes: PublicNode, rests: Index) -> Floats:
        """Look up what holdings play."""
        chances = self.strategy.chances_of_rests(self._on_its_tree(nodes), rests)
        return np.asarray(chances, dtype=np.float64)

    def _on_its_tree(self, nodes: PublicNode) -> PublicNode:
        ways, of = np.unique(nodes.place, return_inverse=True)
        return nodes._replace(place=np.array([*map(self._place, ways.tolist())])[of])

    def _place(self, way: int) -> int:
        if way not in self._places:
            self._places[way] = int(self.strategy.node(_moves(way)).place)
        return self._places[way]


def _moves(place: int) -> list[int | None]:
    """Return the ranks played on the way to a place of a best response, and None for each go."""
    moves = list[int | None]()
    while place:
        place, move = divmod(place, 1 << MOVE_BITS)
        moves.append(None if move == GONE else move - 1)
    return moves[::-1]


def by_role(dealer: Pick, pone: Pick) -> Pick:
    """Pick as one does for the dealer, and as another does for pone."""

    def pick(plays: Index, nodes: PublicNode, rests: Index) -> Index:
        ranks = np.zeros(len(rests), dtype=np.intp)
        for moves, choose in ((nodes.dealer_moves == 1, dealer), (nodes.dealer_moves == 0, pone)):
            if len(rows := np.flatnonzero(np.broadcast_to(moves, len(rests)))):
                here = PublicNode(*(np.broadcast_to(field, len(rests))[rows] for field in nodes))
                ranks[rows] = choose(plays[rows], here, rests[rows])
        return ranks

    return pick


class PlayedOut(NamedTuple):
    """Plays of keeps against keeps."""

    played: NDArray[np.int8]
    """Places played in turn, ``(n, 2 * kept)``; -1 from where a player is left alone."""
    events: NDArray[np.int8]
    """What each card or go pegs, the dealer's positive, ``(n, 16)``."""


def play_out(strategy: PlayStrategy, pone: Index, dealer: Index, pick: Pick) -> PlayedOut:
    """Play keeps out side by side, numbers ``(n,)``, along the tree of a strategy."""
    size, states = strategy.size, strategy.states
    held = np.stack([pone, dealer], axis=1).astype(np.int64)
    played = np.full((len(held), 2 * size.kept), -1, dtype=np.int8)
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
                lone = plays[alone]
                most = left_alone(states, before.state[lone], size.holdings(cards)[own[alone]])
                events[lone, step] = -sign[lone] * most.waiter
                events[lone, step + 1] = sign[lone] * most.mover
                nodes.mover_left[lone] = 0
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
            played[plays, 2 * size.kept - left[plays]] = rank
            go_on(plays, after)
    return PlayedOut(played, events)


def show_events(shown: ShownDeals) -> list[NDArray[np.int8]]:
    """List what is counted after the play in turn, the dealer's positive, ``(n,)`` each."""
    hands = zip((-1, 1, 1), (shown.pone_hand, shown.dealer_hand, shown.crib), strict=True)
    return [sign * points.astype(np.int8) for sign, points in hands]
