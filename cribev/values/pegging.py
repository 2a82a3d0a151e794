"""Cards that the opponent may hold, and the value of each card to a player who sees one hand.

A belief combines what is kept from six unseen cards with what the play says about it.

The player's cards are known, so the public tree has few branches. It is laid out in layers, one for
each card or go. On the way down, each node gets how likely the opponent is to arrive there with
each holding: the belief times the strategy's chances. On the way up, each node gets one value, the
sum over those holdings. The player takes the best card, or plays a strategy too. The values after
each move of the opponent add up. This is the best response with all the player knows [1]_.

Forced play is not searched. If each player has one card left, neither has a choice. If one has
none, the other plays the rest in the order that pegs most. The solver does the same.

References
----------
.. [1] M. Johanson, K. Waugh, M. Bowling, M. Zinkevich: Accelerating Best Response Calculation in
   Large Extensive Games. IJCAI, 2011.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, Index
from cribev.game.roles import Role
from cribev.solution.strategy import (
    GameSize,
    Integers,
    PlayStrategy,
    PublicNode,
    left_alone,
    lowest_ranks,
    numbers_with_card,
    numbers_without_card,
    one_card_each,
)
from cribev.values.holdings import Belief
from cribev.values.last_three import one_against_two, two_against_one

_CHANCES_AT_ONCE = 2**16  # more do not fit in a processor's cache


class Ends(NamedTuple):
    """Ends of the play, by how the play went and the opponent's last cards, ``(n, m)`` each."""

    weights: Floats  # how likely it is
    own: NDArray[np.integer]  # points the player has pegged
    opponent: NDArray[np.integer]
    own_first: NDArray[np.bool_]
    """Whether, of the last points that both have pegged, the player's came first."""
    hand: Index  # which of the player's hands it is, ``(n, 1)``
    played: Index  # the number of the holding of what the opponent played before, ``(n, 1)``
    left: int
    """The number of the opponent's last cards: ``m`` holdings, as `GameSize.holdings` lists
    them."""


class Packing(NamedTuple):
    """The packing of a player's pegs in a play into one number; by default they are added up.

    The lowest bits are for what is forced in the end, the next for the first card, and so on.
    """

    card_bits: int = 0  # of each card; 0 if the points of all cards are added up
    forced_bits: int = 0  # of what is forced; 0 if that is added too

    def pack(self, points: Integers, cards: int) -> Any:
        """Pack what is pegged with a card, by how many were played before it."""
        return points << self.forced_bits + self.card_bits * cards

    def forced(self, codes: Index) -> Index:
        """Return what was forced."""
        return codes & (1 << self.forced_bits) - 1

    def chosen(self, codes: Index) -> Index:
        """Return the rest: the sum over cards, or theirs in bits."""
        return codes >> self.forced_bits

    def of_card(self, codes: Index, card: int) -> Index:
        """Return what was pegged with a card, by how many were played before it."""
        return self.chosen(codes) >> self.card_bits * card & (1 << self.card_bits) - 1

    def total(self, codes: Index) -> Index:
        """Add up all that was pegged."""
        total, cards = self.forced(codes), self.chosen(codes)
        if not self.card_bits:
            return total + cards
        while cards.any():
            total, cards = total + (cards & (1 << self.card_bits) - 1), cards >> self.card_bits
        return total


class EndValue:
    """The value of the end of a play: own points and the opponent's, or what is made of them."""

    parts = 2  # how many numbers an end is worth

    packing = Packing()
    """The packing of points that come to `value`; if they are plain, an end is worth the sum over
    the cards."""

    def value(self, ends: Ends) -> Floats:
        """Sum what ends are worth over the opponent's cards, weighted, ``(n, parts)``."""
        return np.stack(
            [np.einsum("nm,nm->n", ends.weights, points) for points in (ends.own, ends.opponent)],
            axis=-1,
        )

    def is_over(self, own: Index, opponent: Index) -> NDArray[np.bool_] | None:
        """Mark the plays that end at once with these points, ``(n,)``; None if none ever does."""

    def objective(self, values: Floats) -> Floats:
        """Return what the player wants most of, ``(...)`` of ``(..., parts)``."""
        return values[..., 0] - values[..., 1]


@cache
def keeps_of(size: GameSize, left: int) -> Index:
    """Return the number of a keep by what of it is played and left, ``(N(played), N(left))``."""
    numbers = np.arange(size.holding_count(size.kept - left))[:, None]
    numbers = np.repeat(numbers, size.holding_count(left), axis=1)
    for place, rank in enumerate(size.holdings(left).T):
        numbers = numbers_with_card(size, size.kept - left + place + 1)[rank, numbers]
    return numbers


class _Kind(NamedTuple):
    """The properties that nodes of a group share."""

    own_turn: bool
    own_left: int
    opponent_left: int

    @property
    def ends(self) -> bool:
        """Whether all is forced from here."""
        return self.own_left + self.opponent_left == 2 or not (self.own_left and self.opponent_left)

    def after_card(self, *, again: bool) -> "_Kind":
        """Return what follows a card, if who played it goes on or not."""
        return _Kind(
            self.own_turn == again,
            self.own_left - self.own_turn,
            self.opponent_left - (not self.own_turn),
        )


class _Nodes(NamedTuple):
    """Public nodes, each with one hand of the player's and all of the opponent's."""

    state: Index  # ``(n,)``, as are those below
    go: Index
    hand: Index  # which of the player's hands this is
    own: Index  # the number of the holding the player has left
    played: Index  # the number of the holding the opponent has played
    own_points: Index
    opponent_points: Index
    places: Index  # where each strategy finds what it does, ``(n, strategies)``
    weight_row: Index  # which of the weights are each node's
    weights: Floats
    """Chances that the opponent comes here with each holding, ``(k, N(opponent_left))``. Hands that
    play the same have the same."""

    def take(self, rows: Index) -> "_Nodes":
        """Return some of them."""
        columns: tuple[NDArray[Any], ...] = self[:-1]
        return _Nodes._make([*(column[rows] for column in columns), self.weights])

    @property
    def likely(self) -> Floats:
        """Chances that the opponent comes to each with each holding, ``(n, N(opponent_left))``."""
        return self.weights[self.weight_row]


def _joined(groups: Sequence[_Nodes]) -> _Nodes:
    """Put nodes together."""
    if len(groups) == 1:
        return groups[0]
    starts, weights, number = dict[int, int](), list[Floats](), 0
    for nodes in groups:
        if id(nodes.weights) not in starts:  # cards of the player's leave them as they are
            starts[id(nodes.weights)] = number
            weights.append(nodes.weights)
            number += len(nodes.weights)
    columns = map(np.concatenate, zip(*(nodes[:-2] for nodes in groups), strict=True))
    weight_rows = np.concatenate([nodes.weight_row + starts[id(nodes.weights)] for nodes in groups])
    return _Nodes._make([*columns, weight_rows, np.concatenate(weights)])


_Rows: TypeAlias = tuple[Floats, Index]  # where the values of some nodes go: rows of an array


@dataclass
class _Group:
    """The nodes of a kind in one layer, what follows them, and what that is worth."""

    own_turn: bool
    number: int  # of nodes
    sent: list[tuple[_Rows, slice]]  # where the values of which nodes go
    rows: Index  # which node a card is played at, ascending, ``(m,)``
    ranks: Index  # which, ``(m,)``
    maximised: bool
    """Whether a node is worth its best card, for the player chooses; else it is the sum of all."""
    played: Floats  # what each card and what follows it are worth, ``(m, parts)``
    gone_rows: Index  # nodes where a go is said, ``(g,)``
    gone: Floats  # what that is worth, ``(g, parts)``


def _rows_of(seen: Index, of: Index) -> tuple[Index, Index]:
    """Return, by nodes, which of ``seen``, ascending, are theirs: the nodes and the places."""
    starts = seen.searchsorted(np.arange(of.max(initial=-1) + 2))
    number = np.diff(starts)[of]
    rows = np.repeat(np.arange(len(of)), number)
    return rows, np.arange(len(rows)) + (starts[of] - number.cumsum() + number)[rows]


class PlayTree:
    """The play from a public history of places and goes on, as one player sees it.

    ``left`` are the places of the player's ranks, ``(cards,)``, or of several hands, ``(hands,
    cards)``; the player plays by ``own``, or as well as can be. The belief has one row for all
    hands, or a row each. A strategy that is ``noting`` has its places kept too. `ranks` are the
    places that can be played, ``(k,)``, `worth` what each is worth or adds, ``(k, parts)``, `value`
    what all is worth.
    """

    _layers_kept = 3  # of those nearest the root, for `best_cards`

    def __init__(
        self,
        history: Sequence[int | None],
        role: Role,
        left: Sequence[int] | Index,
        belief: Belief,
        *,
        opponent: PlayStrategy,
        own: PlayStrategy | None = None,
        end: EndValue | None = None,
        noting: PlayStrategy | None = None,
    ) -> None:
        self._size, self._states, self._fits = opponent.size, opponent.states, opponent.fits
        self._strategies = [opponent, *filter(None, (own, noting))]
        self._own, self._end, self._role = own, end or EndValue(), role
        starts = [strategy.node(history) for strategy in self._strategies]
        start = starts[0]
        own_turn = bool(start.dealer_moves) == (role == "dealer")
        hands = np.sort(np.atleast_2d(np.array(left, dtype=np.int64)), axis=1)
        number, cards = hands.shape
        nought, rows = np.zeros(number, dtype=np.int64), np.arange(number)
        places = np.tile([int(node.place) for node in starts], (number, 1))
        root = _Nodes(
            nought + start.state, nought + start.go, rows, self._size.holding_numbers(hands),
            nought + belief.played, nought, nought, places,
            rows if belief.chance.ndim > 1 else nought, np.atleast_2d(belief.chance),
        )  # fmt: skip
        kind = _Kind(own_turn, cards, belief.left)
        whole = np.zeros((number, self._end.parts))
        first = self._solve(kind, root, (whole, rows))
        self.ranks, self.worth = first.ranks, first.played
        self.values = whole
        """The value of the play to each of the hands, ``(hands, parts)``."""
        self.value: Floats = whole[0]

    def _solve(self, kind: _Kind, root: _Nodes, values: _Rows) -> _Group:
        """Lay the tree out by layers, and bring the values up to its root."""
        groups, ends = list[_Group](), list[int]()
        layer = {kind: [(root, values)]}
        while layer:
            self._is_deep = len(ends) >= self._layers_kept - 1
            below: dict[_Kind, list[tuple[_Nodes, _Rows]]] = defaultdict(list)
            for kind, groups_of_nodes in layer.items():
                groups.append(self._expand(kind, groups_of_nodes, below))
            ends.append(len(groups))
            layer = below
        for group in reversed(groups):
            self._value(group)
        self._nearest = groups[: ends[: self._layers_kept][-1]]
        return groups[0]

    def best_cards(self) -> dict[tuple[int | None, ...], int]:
        """Return what the player plays best, by places played up to two moves from here."""
        cards = dict[tuple[int | None, ...], int]()
        moves = dict[int, list[tuple[int | None, ...]]]()
        for group in self._nearest:
            ways: list[tuple[int | None, ...]] = [()] * group.number
            for (into, rows), block in group.sent:
                if before := moves.get(id(into)):
                    ways[block] = [before[row] for row in rows.tolist()]
            after = zip(group.rows.tolist(), group.ranks.tolist(), strict=True)
            moves[id(group.played)] = [(*ways[row], rank) for row, rank in after]
            moves[id(group.gone)] = [(*ways[row], None) for row in group.gone_rows.tolist()]
            if group.own_turn:
                objective = self._end.objective(group.played)
                for place in np.lexsort((-objective, group.rows)).tolist():
                    cards.setdefault(ways[group.rows[place]], int(group.ranks[place]))
        return cards

    def _expand(
        self,
        kind: _Kind,
        groups: list[tuple[_Nodes, _Rows]],
        below: dict[_Kind, list[tuple[_Nodes, _Rows]]],
    ) -> _Group:
        """Find what follows nodes of a kind, and put it to the layer below."""
        sent, start = [], 0
        for group, values in groups:
            sent.append((values, slice(start, start + len(group.state))))
            start += len(group.state)
        nodes, maximised = _joined([group for group, _ in groups]), False
        if kind.own_turn:
            rows, ranks, chances = self._own_cards(kind, nodes)
            after, maximised = nodes.take(rows), chances is None
            if chances is not None:
                weights = after.likely * chances[:, None]
                after = after._replace(weight_row=np.arange(len(rows)), weights=weights)
            gone_rows = np.flatnonzero(np.bincount(rows, minlength=len(nodes.state)) == 0)
            goers = nodes.take(gone_rows)
        else:
            seen, node_of = self._public(nodes)
            rows, ranks, weights = self._opponent_cards(kind, seen)
            goes = seen.likely * (
                lowest_ranks(self._size)[kind.opponent_left] >= self._fits[seen.state][:, None]
            )
            rows, place = _rows_of(rows, node_of)
            ranks = ranks[place]
            after = nodes.take(rows)._replace(weight_row=place, weights=weights)
            going = np.flatnonzero(goes.any(axis=1))
            gone_rows, place = _rows_of(going, node_of)
            goers = nodes.take(gone_rows)._replace(weight_row=place, weights=goes[going])
        played, gone = (np.zeros((len(places), self._end.parts)) for places in (rows, gone_rows))
        if len(rows):
            self._play(kind, after, ranks, played, below)
        if len(gone_rows):
            self._go(kind, goers, gone, below)
        return _Group(kind.own_turn, start, sent, rows, ranks, maximised, played, gone_rows, gone)

    def _own_cards(self, kind: _Kind, nodes: _Nodes) -> tuple[Index, Index, Floats | None]:
        """List nodes and ranks the player can play there, and how often the own strategy does."""
        rest = numbers_without_card(self._size, kind.own_left)[nodes.own]
        fits = (rest >= 0) & (self._states.next_state[nodes.state] >= 0)
        if self._own is None or kind.own_left == 1 or not kind.opponent_left:
            rows, ranks = np.nonzero(fits)
            return rows, ranks, None
        (_, (own, seen)) = self._seen(kind, nodes.state, nodes.go, nodes.places)
        chances = own.chances_of_rests(seen, rest)
        rows, ranks = np.nonzero(fits & (chances > 0))
        return rows, ranks, chances[rows, ranks].astype(np.float64)

    def _public(self, nodes: _Nodes) -> tuple[_Nodes, Index]:
        """Return the nodes that are one to the opponent, once, and which of them each is."""
        if not self._strategies[0].by_count:
            return nodes, np.arange(len(nodes.state))
        key = (nodes.weight_row * len(self._fits) + nodes.state) * 2 + nodes.go
        _, first, node_of = np.unique(key, return_index=True, return_inverse=True)
        return nodes.take(first), node_of

    def _opponent_cards(self, kind: _Kind, nodes: _Nodes) -> tuple[Index, Index, Floats]:
        """List nodes, ranks the opponent plays there, and how likely, by what is left after it."""
        number, plays = numbers_with_card(self._size, kind.opponent_left), list[tuple[Any, ...]]()
        step = max(1, _CHANCES_AT_ONCE // number.size)
        for start in range(0, len(nodes.state), step):
            block = slice(start, start + step)
            state, weights = nodes.state[block], nodes.weights[nodes.weight_row[block]][:, number]
            if kind.opponent_left == 1:
                weights *= (self._states.next_state[state] >= 0)[..., None]
            else:
                opponent, seen = self._seen(kind, state, nodes.go[block], nodes.places[block])[0]
                weights *= opponent.policies(seen)
            rows, ranks = np.nonzero(weights.any(axis=2))
            plays.append((rows + start, ranks, weights[rows, ranks]))
        rows, ranks, weights = map(np.concatenate, zip(*plays, strict=True))
        return rows, ranks, weights

    def _play(
        self,
        kind: _Kind,
        nodes: _Nodes,
        ranks: Index,
        into: Floats,
        below: dict[_Kind, list[tuple[_Nodes, _Rows]]],
    ) -> None:
        """Follow a card at each of some nodes: value what ends ``into`` ``(m, parts)``."""
        state = nodes.state
        points = self._states.points[state, ranks].astype(np.int64)
        after = self._states.next_state[state, ranks].astype(np.int64)
        own, played = nodes.own, nodes.played
        own_points, opponent_points = nodes.own_points, nodes.opponent_points
        points = self._packed(points, kind.own_left + kind.opponent_left - 1)
        if kind.own_turn:
            own = numbers_without_card(self._size, kind.own_left)[own, ranks]
            own_points = own_points + points
        else:
            number = self._size.kept - kind.opponent_left + 1
            played = numbers_with_card(self._size, number)[ranks, played]
            opponent_points = opponent_points + points
        go = nodes.go * (after != 0)
        children = nodes._replace(
            state=after, go=go, own=own, played=played,
            own_points=own_points, opponent_points=opponent_points,
        )  # fmt: skip
        if self._has_tables(kind.after_card(again=False)):
            into[:] = self._last_three(kind, children, ranks)
            return
        on = self._without_ended(children, kind.after_card(again=False), into)
        if not len(on):
            return
        if kind.after_card(again=False).ends:
            into[on] = self._ending(kind, children.take(on))
            return
        for again in (False, True):
            going = on[(go[on] == 1) == again]
            if len(going):
                child = children.take(going)
                places = [
                    strategy.after_card(before, ranks[going]).place
                    for strategy, before in self._seen(
                        kind, state[going], nodes.go[going], child.places
                    )
                ]
                child = child._replace(places=np.stack(places, axis=1))
                below[kind.after_card(again=again)].append((child, (into, going)))

    def _go(
        self,
        kind: _Kind,
        before: _Nodes,
        into: Floats,
        below: dict[_Kind, list[tuple[_Nodes, _Rows]]],
    ) -> None:
        """Follow goes as `_play` follows cards; the second one ends the count, for a point."""
        places = [
            strategy.after_go(node).place
            for strategy, node in self._seen(kind, before.state, before.go, before.places)
        ]
        point = self._packed(before.go, kind.own_left + kind.opponent_left)
        children = before._replace(
            state=before.state * (1 - before.go),
            go=1 - before.go,
            own_points=before.own_points + point * kind.own_turn,
            opponent_points=before.opponent_points + point * (not kind.own_turn),
            places=np.stack(places, axis=1),
        )
        on = self._without_ended(children, kind, into)
        if len(on):
            below[kind._replace(own_turn=not kind.own_turn)].append((children.take(on), (into, on)))

    def _packed(self, points: Index, left: int) -> Index:
        """Pack what the last card played pegged, by how many cards are left."""
        packed: Index = self._end.packing.pack(points, 2 * self._size.kept - left - 1)
        return packed

    def _without_ended(self, nodes: _Nodes, kind: _Kind, into: Floats) -> Index:
        """Value the plays that end at once by their points; return the rows of the others."""
        over = self._end.is_over(nodes.own_points, nodes.opponent_points)
        if over is None:
            return np.arange(len(nodes.state))
        ended = nodes.take(np.flatnonzero(over))
        into[over] = self._end.value(
            Ends(
                ended.likely, ended.own_points[:, None], ended.opponent_points[:, None],
                np.array(True), ended.hand[:, None], ended.played[:, None], kind.opponent_left,
            )
        )  # fmt: skip
        return np.flatnonzero(~over)

    def _ending(self, kind: _Kind, nodes: _Nodes) -> Floats:
        """Value nodes after a card of a kind of nodes, all being forced from there."""
        after = kind.after_card(again=False)
        if after.own_left and after.opponent_left:
            own, opponent, own_first = self._last_cards(kind, nodes)
        elif not after.opponent_left:
            held, last = self._size.holdings(after.own_left)[nodes.own], not kind.opponent_left
            alone = left_alone(self._states, nodes.state, held, played_last=last)
            own, opponent, own_first = alone.mover, alone.waiter, alone.mover_first
            own, opponent, own_first = own[:, None], opponent[:, None], own_first[:, None]
        else:
            states, state_of = np.unique(nodes.state, return_inverse=True)
            held = self._size.holdings(after.opponent_left)
            alone = left_alone(self._states, states[:, None], held[None])
            own, opponent, own_first = (
                alone.waiter[state_of],
                alone.mover[state_of],
                ~alone.mover_first[state_of],
            )
        return self._end.value(
            Ends(
                nodes.likely,
                nodes.own_points[:, None] + own,
                nodes.opponent_points[:, None] + opponent,
                own_first,
                nodes.hand[:, None],
                nodes.played[:, None],
                after.opponent_left,
            )
        )

    def _has_tables(self, kind: _Kind) -> bool:
        """Whether what follows nodes of a kind is the same wherever the count stands alike."""
        cards = kind.own_left, kind.opponent_left
        return (
            self._is_deep
            and self._end.packing == Packing()
            and (
                (cards == (2, 1) and self._own is None)
                or (cards == (1, 2) and self._strategies[0].by_count)
            )
        )

    def _last_three(self, kind: _Kind, nodes: _Nodes, played: Index) -> Floats:
        """Value nodes after ranks that were played at nodes of a kind, three cards being left."""
        goes_on, opponent = nodes.go == 1, self._strategies[0]
        turn = goes_on == kind.own_turn
        size = self._size.holding_count(kind.after_card(again=False).own_left)
        codes, code_of = np.unique(
            ((turn * len(self._fits) + nodes.state) * 2 + nodes.go) * size + nodes.own,
            return_inverse=True,
        )
        rest, own = np.divmod(codes, size)
        rest, go = np.divmod(rest, 2)
        whose, state = np.divmod(rest, len(self._fits))
        others = int(np.searchsorted(whose, 1))  # of these the opponent moves
        blocks = [slice(others), slice(others, None)]
        tabulate = two_against_one if size > len(self._size.ranks) else one_against_two
        tables = [
            tabulate(opponent, state[block], go[block], own[block], own_turn=bool(own_turn))
            for own_turn, block in enumerate(blocks)
            if len(state[block])
        ]
        own_points, opponent_points, goes = map(np.concatenate, zip(*tables, strict=True))
        net, best, values = (
            own_points - opponent_points,
            np.zeros(len(code_of), dtype=np.intp),
            np.empty((len(code_of), 2)),
        )
        step = max(1, _CHANCES_AT_ONCE // net[0].size)
        for start in range(0, len(code_of), step):
            rows = slice(start, start + step)
            code, weights = code_of[rows], nodes.weights[nodes.weight_row[rows]]
            gained = np.einsum("ncm,nm->nc", net[code], weights)
            which = best[rows] = gained.argmax(axis=1)
            total, of_best = weights.sum(axis=1), gained[np.arange(len(which)), which]
            own_part = np.einsum("nm,nm->n", own_points[code, which], weights)
            values[rows, 0] = own_part + nodes.own_points[rows] * total
            values[rows, 1] = own_part - of_best + nodes.opponent_points[rows] * total
        if net.shape[1] > 1:
            ranks = self._size.holdings(2)[nodes.own, best]
            self._note(nodes, played, goes[code_of], ranks)
        return values

    def _note(self, nodes: _Nodes, played: Index, goes: Index, ranks: Index) -> None:
        """Take note of ranks chosen, by the goes since others were played at nodes."""

    def _last_cards(self, kind: _Kind, nodes: _Nodes) -> tuple[Index, Index, NDArray[np.bool_]]:
        """Play out where each has one card: own points, the opponent's, whether own come first."""
        ranks = len(self._size.ranks)
        own_turn = (nodes.go == 1) == kind.own_turn
        # Many nodes are alike in what is forced; unlike rows, whole numbers are sorted fast.
        code = ((nodes.state * 2 + nodes.go) * 2 + own_turn) * ranks + nodes.own
        codes, code_of = np.unique(code, return_inverse=True)
        rest, own_card = np.divmod(codes[:, None], ranks)
        rest, moves = np.divmod(rest, 2)
        state, go = np.divmod(rest, 2)
        other_card = np.arange(ranks)
        forced = one_card_each(
            self._states, state, go,
            np.where(moves, own_card, other_card), np.where(moves, other_card, own_card),
        )  # fmt: skip
        own = np.where(moves, forced.mover, forced.waiter)
        opponent = np.where(moves, forced.waiter, forced.mover)
        own_first = np.where(moves, forced.mover_first, ~forced.mover_first)
        return own[code_of], opponent[code_of], own_first[code_of]

    def _value(self, group: _Group) -> None:
        """Value the nodes of a group by what follows, and send the values up."""
        number, values = group.number, np.zeros((group.number, self._end.parts))
        if group.maximised:
            objective = np.full((number, len(self._size.ranks)), -np.inf)
            objective[group.rows, group.ranks] = self._end.objective(group.played)
            which = np.zeros(objective.shape, dtype=np.intp)
            which[group.rows, group.ranks] = np.arange(len(group.rows))
            plays = np.bincount(group.rows, minlength=number) > 0
            values[plays] = group.played[which[plays, objective[plays].argmax(axis=1)]]
        else:
            for place, column in enumerate(group.played.T):
                values[:, place] = np.bincount(group.rows, column, minlength=number)
        values[group.gone_rows] += group.gone
        for (into, rows), column in group.sent:
            into[rows] = values[column]

    def _seen(
        self, kind: _Kind, state: Index, go: Index, places: Index
    ) -> list[tuple[PlayStrategy, PublicNode]]:
        """Return nodes as each strategy sees them."""
        left = kind.own_left, kind.opponent_left
        mover, waiter = left if kind.own_turn else left[::-1]
        dealer_moves = int((self._role == "dealer") == kind.own_turn)
        return [
            (strategy, PublicNode(state, go, dealer_moves, mover, waiter, place))
            for strategy, place in zip(self._strategies, places.T, strict=True)
        ]
