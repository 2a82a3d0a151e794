"""What is lost after an error: how well the strategies answer cards that they do not play.

That neither player can gain says little about what follows a card that nobody plays. So follow the
strategies to any node, let who moves play a rare card there, and ask how much less the other's
average gains from then on than a best response. The other believes that who erred trembles [1]_:
at each choice so far, the error among them, each holding played a rank as often as by its strategy,
but for a small chance to play any rank that fits, evenly.

References
----------
.. [1] R. Selten: Reexamination of the Perfectness Concept for Equilibrium Points in Extensive
   Games. International Journal of Game Theory 4, 1975.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.game.roles import Role
from solver import play_tree
from solver.play_solver import DEALER, PONE, RARE, TREMBLE, PlaySolver
from solver.play_tree import (
    ZERO,
    Node,
    after_card,
    after_go,
    compiled,
    count_cells,
    helper,
    new_scratch,
)
from solver.worth import best_response_values, best_responses

_DRAWS = 20  # plays drawn at most for each error looked for
_Played: TypeAlias = tuple[int | None, ...]


@helper
def _average_of_two(context, node):
    """Write the value of two cards left when they are played as often as on average."""
    tables, scratch = context.tables, context.scratch
    policy, gain, fits = scratch.policy_of_two, scratch.value_of_two, tables.fits[node.state]
    for rank in range(fits):
        for left in range(rank, tables.next_state.shape[1]):
            mean = policy[rank, left] * gain[rank, left]
            if rank < left < fits:
                mean += policy[left, rank] * gain[left, rank]
            scratch.value[node.depth, tables.add_card[2, rank, left]] = mean


@helper
def _take_average(context, node, rank):
    """Take the value of a rank played, from one deeper, as often as it is played on average."""
    tables, scratch, depth = context.tables, context.scratch, node.depth
    below = tables.width[node.own_left - 1]
    for left in range(below):
        holding = tables.add_card[node.own_left, rank, left]
        scratch.value[depth, holding] += (
            scratch.policy[depth, rank * below + left] * scratch.value[depth + 1, left]
        )


@compiled
def average_values(context, node):
    """Write ``scratch.value[depth]`` where both play their averages."""
    tables, sets, scratch = context.tables, context.sets, context.scratch
    if play_tree.end_walk(context, node):
        return
    fits = tables.fits[node.state]
    if play_tree.is_last_choice(node):
        row = play_tree.take_row(context, node)
        play_tree.match_two(context, fits, sets.sum_rows[row : row + fits])
        if node.own_turn:
            play_tree.value_two(context, node)
            _average_of_two(context, node)
        else:
            play_tree.value_against_two(context, node)
    else:
        play_tree.match_regrets(context, node, sets.sums)
        for holding in range(tables.width[node.own_left]):
            scratch.value[node.depth, holding] = 0
        for rank in range(fits):
            play_tree.reach_after_card(context, node, rank)
            average_values(context, after_card(tables, node, rank))
            if node.own_turn:
                _take_average(context, node, rank)
            else:
                play_tree.add_child(context, node)
    if fits < tables.next_state.shape[1]:
        play_tree.reach_after_go(context, node)
        average_values(context, after_go(node))
        play_tree.take_go(context, node)


def best_response_gains(solver: PlaySolver) -> dict[Role, float]:
    """Return the points a deal that each could gain by a best response; both: `exploitability`."""
    leads, answers = solver.average_first_cards()
    values = solver.walk(PONE, leads, answers, average_values).sum(axis=1)
    value = float((values * leads[0] * solver.keeps.marginal["pone"][solver.keep_of]).sum())
    pone, dealer = best_responses(solver)
    return {
        "pone": float(pone @ solver.keeps.marginal["pone"]) - value,
        "dealer": float(dealer @ solver.keeps.marginal["dealer"]) + value,
    }


class ErrorLoss(NamedTuple):
    """One error, and what the other loses after it."""

    played: _Played
    """Places of the ranks played, None for a go; the error is the last."""
    card: int
    """Which card of the play the error is: 1 for the lead."""
    rate: float
    """How often the strategy plays it there, over all holdings."""
    loss: float
    """Points that the other's average gains less than a best response, over its holdings."""


class PublicHistory(NamedTuple):
    """What was played, and how often the strategies play it with each holding."""

    played: _Played
    node: Node
    """Where it has led, as pone sees it."""
    reach: tuple[Floats, Floats]
    """How often pone's and the dealer's own choices come here, by holding left."""
    trembling: tuple[Floats, Floats]
    """The same if they tremble."""
    cursor: int
    """The node's first cell in the solver's sums; 0 for the first two cards."""


class MoveRates(NamedTuple):
    """How often each move is made at a node, over all holdings that come there."""

    moves: Floats
    """By rank, and the go last, ``(R + 1,)``; 0 where it does not fit."""
    held: Floats
    """How likely who moves holds each rank, ``(R,)``."""


def sample_errors(solver: PlaySolver, *, number: int, seed: int) -> list[ErrorLoss]:
    """Sample errors, one to a play, and work out what the other loses after each.

    Plays are drawn from the average strategies, but for rare cards. A node of the play where some
    error can be made is drawn, then one of the errors, all alike. Errors after which the other has
    no choice are left out. If errors are too few, so are the results.
    """
    errors, generator = _Errors(solver, TREMBLE), np.random.default_rng(seed)
    losses: list[ErrorLoss] = []
    for _ in range(_DRAWS * number):
        if len(losses) == number:
            break
        history, candidates = errors.start(), []
        while not errors.is_over(history):
            if ranks := errors.possible(history):
                candidates.append((history, ranks))
            moves = errors.usual(history)
            history = errors.after(history, int(generator.choice(len(moves), p=moves)))
        if candidates:
            history, ranks = candidates[generator.integers(len(candidates))]
            losses.append(errors.loss_after(history, ranks[generator.integers(len(ranks))]))
    return losses


def every_error(solver: PlaySolver, *, tremble: float = TREMBLE) -> list[ErrorLoss]:
    """List every error that one player can make where no rare card was played: of small games.

    ``tremble`` is the small chance: 0 for averages of rounds, which tremble themselves.
    """
    errors = _Errors(solver, tremble)

    def visit(history: PublicHistory) -> Iterator[ErrorLoss]:
        if errors.is_over(history):
            return
        for rank in errors.possible(history):
            yield errors.loss_after(history, rank)
        for move in np.flatnonzero(errors.usual(history)).tolist():
            yield from visit(errors.after(history, move))

    return list(visit(errors.start()))


class _Errors:
    """The public tree of a solver's averages, node by node, and the errors at each."""

    def __init__(self, solver: PlaySolver, tremble: float) -> None:
        self.solver, self.tables, self.tremble = solver, solver.tables, tremble
        self.ranks, self.kept = len(solver.size.ranks), solver.size.kept
        self.counts = [solver.size.holding_count(cards) for cards in range(self.kept + 1)]
        self.first_cards = solver.average_first_cards()
        self.joint = solver.keeps.marginal["pone"][:, None] * solver.keeps.conditional["pone"]
        self.scratch = new_scratch(self.tables)
        self._cells: dict[tuple[int, ...], int] = {}  # by what `count_cells` depends on
        self._rates: dict[_Played, MoveRates] = {}
        self._losses: dict[_Played, float] = {}

    def start(self) -> PublicHistory:
        """Return the history before the lead."""
        node = Node(0, 1, 0, self.kept, self.kept, 0, 0, 0, 0, 0, 0, 0)
        ones = np.ones(self.counts[self.kept])
        return PublicHistory((), node, (ones, ones), (ones, ones), 0)

    def is_over(self, history: PublicHistory) -> bool:
        """Return whether all is forced from here, or one has no cards."""
        left = history.node.own_left, history.node.other_left
        return min(left) == 0 or max(left) == 1

    def possible(self, history: PublicHistory) -> list[int]:
        """List the errors that some holding can make, and that leave the other a choice."""
        _, cards, other = self._mover(history)
        if other < 2:
            return []
        held = self.rates(history).held
        return [rank for rank in self._rare(history) if held[rank] > 0 and cards > 1]

    def usual(self, history: PublicHistory) -> Floats:
        """Return how often each move is made if it is no error, ``(R + 1,)``."""
        moves = self.rates(history).moves.copy()
        moves[self._rare(history)] = 0
        moves /= moves.sum()
        return moves

    def rates(self, history: PublicHistory) -> MoveRates:
        """Return how often each move is made."""
        if history.played not in self._rates:
            player, cards, _ = self._mover(history)
            weights = self._weights(history)[player]
            weights, fits = weights / weights.sum(), int(self.tables.fits[history.node.state])
            holdings = self.tables.add_card[cards, :, : self.counts[cards - 1]]
            moves = np.zeros(self.ranks + 1)
            moves[:fits] = (weights[holdings[:fits]] * self._policy(history)).sum(axis=1)
            moves[-1] = weights[self.tables.lowest[cards, : self.counts[cards]] >= fits].sum()
            self._rates[history.played] = MoveRates(moves, weights[holdings].sum(axis=1))
        return self._rates[history.played]

    def after(self, history: PublicHistory, move: int) -> PublicHistory:
        """Return the history after a rank, or after a go: the number of ranks."""
        tables, node, (player, cards, _) = self.tables, history.node, self._mover(history)
        fits = int(tables.fits[node.state])
        if move == self.ranks:
            following = after_go.py_func(node)
            goes = tables.lowest[cards, : self.counts[cards]] >= fits
            reach, trembling = history.reach[player] * goes, history.trembling[player] * goes
        else:
            following = after_card.py_func(tables, node, move)
            holdings = tables.add_card[cards, move, : self.counts[cards - 1]]
            policy, choices = self._policy(history)[move], self._choices(history)[move]
            reach = history.reach[player][holdings] * policy
            policy = policy + self.tremble * (1 / choices - policy)
            trembling = history.trembling[player][holdings] * policy
        played = (*history.played, None if move == self.ranks else move)
        if len(played) <= 2:  # no go is said so early
            cursor = int(self.solver.starts[played]) if len(played) == 2 else 0
        else:
            cursor = history.cursor + (fits * int(tables.width[cards - 1]) if cards > 1 else 0)
            for rank in range(min(move, fits)):
                cursor += self._count(after_card.py_func(tables, node, rank))
        if player == PONE:
            both = (reach, history.reach[DEALER]), (trembling, history.trembling[DEALER])
        else:
            both = (history.reach[PONE], reach), (history.trembling[PONE], trembling)
        return PublicHistory(played, following, *both, cursor)

    def loss_after(self, history: PublicHistory, rank: int) -> ErrorLoss:
        """Work out what the other loses after a rank is played by an error."""
        after = self.after(history, rank)
        if after.played not in self._losses:
            self._losses[after.played] = self._loss(history, after)
        card = 2 * self.kept - after.node.own_left - after.node.other_left
        rate = float(self.rates(history).moves[rank])
        return ErrorLoss(after.played, card, rate, self._losses[after.played])

    def _loss(self, history: PublicHistory, after: PublicHistory) -> float:
        player, _, _ = self._mover(history)
        other, reach = 1 - player, list(after.reach)
        reach[player] = after.trembling[player] / after.trembling[player].max()
        erred = after._replace(reach=(reach[PONE], reach[DEALER]))
        keeps, faced = self._keeps(erred, other), self._weights(erred)[other].sum()
        marginal = self.solver.keeps.marginal["dealer" if other == DEALER else "pone"]
        best, average = self._values(erred, other)
        return float((marginal[keeps] * reach[other]) @ (best - average) / faced)

    def _values(self, history: PublicHistory, player: int) -> tuple[Floats, Floats]:
        """Return what each holding of a player gains by a best response and by its average."""
        if len(history.played) > 1:
            node = history.node._replace(depth=0, own_row=0, other_row=0)
            if player == DEALER:
                node = Node(
                    node.state, 1 - node.own_turn, node.go, node.other_left, node.own_left,
                    node.other_played, node.own_played, node.other_points, node.own_points, 0, 0, 0,
                )  # fmt: skip
            return self._walk(node, history, player)
        lead = history.played[0] or 0  # the answers stand apart from the solver's sums
        best, average = np.full(self.counts[-1], -np.inf), np.zeros(self.counts[-1])
        for answer, keeps in enumerate(self.solver.keep_of):
            below = history._replace(cursor=int(self.solver.starts[lead, answer]))
            values = self._walk(self.solver.root(DEALER, lead, answer), below, DEALER)
            best[keeps] = np.maximum(best[keeps], values[0])
            average[keeps] += self.first_cards[1][lead, answer] * values[1]
        return best, average

    def _walk(self, node: Node, history: PublicHistory, player: int) -> tuple[Floats, Floats]:
        """Do what `_values` does from a node that is not before the answer."""
        scratch, values = self.scratch, []
        for step in (best_response_values, average_values):
            for rows, reach in (
                (scratch.own_reach, history.reach[player]),
                (scratch.other_reach, history.reach[1 - player]),
            ):
                rows[0] = 0
                rows[0, : len(reach)] = reach
            scratch.cursor[0] = history.cursor
            step(self.solver.context(player, scratch), node)
            values.append(scratch.value[0, : self.counts[node.own_left]].astype(np.float64))
        return values[0], values[1]

    def _mover(self, history: PublicHistory) -> tuple[int, int, int]:
        """Return who moves, and how many cards that player and the other have left."""
        node = history.node
        if node.own_turn:
            return PONE, node.own_left, node.other_left
        return DEALER, node.other_left, node.own_left

    def _rare(self, history: PublicHistory) -> list[int]:
        """List the ranks that fit and are rarely played, where there is a choice."""
        if self._mover(history)[1] < 2:
            return []
        fits = int(self.tables.fits[history.node.state])
        return np.flatnonzero(self.rates(history).moves[:fits] < RARE).tolist()

    def _policy(self, history: PublicHistory) -> Floats:
        """Return how often each rank is played on average, ``(fits, N(cards - 1))``."""
        tables, node, (_, cards, _) = self.tables, history.node, self._mover(history)
        if len(history.played) < 2:
            leads, answers = self.first_cards
            return answers[history.played[0]] if history.played else leads[0]
        fits, rests = int(tables.fits[node.state]), self.counts[cards - 1]
        if cards == 1:
            return np.ones((fits, 1))
        width, start = int(tables.width[cards - 1]), history.cursor
        cells = self.solver.sums[start : start + fits * width].reshape(fits, width)
        weights = cells[:, :rests].astype(np.float64)
        holdings, even = tables.add_card[cards, :fits, :rests], 1 / self._choices(history)
        total = np.bincount(holdings.ravel(), weights.ravel(), self.counts[cards])[holdings]
        return np.where(total > ZERO, weights / np.maximum(total, ZERO), even)

    def _choices(self, history: PublicHistory) -> NDArray[np.integer]:
        """Count the ranks among which the holding of a rank and a rest has the choice."""
        _, cards, _ = self._mover(history)
        fits = int(self.tables.fits[history.node.state])
        holdings = self.tables.add_card[cards, :fits, : self.counts[cards - 1]]
        return np.bincount(holdings.ravel(), minlength=self.counts[cards])[holdings]

    def _weights(self, history: PublicHistory) -> tuple[Floats, Floats]:
        """Return how likely pone and the dealer have each holding here, ``(N(left),)`` each."""
        pone, dealer = history.reach
        joint = self.joint[np.ix_(self._keeps(history, PONE), self._keeps(history, DEALER))]
        return pone * (joint @ dealer), (pone @ joint) * dealer

    def _keeps(self, history: PublicHistory, player: int) -> NDArray[np.integer]:
        """Return the keep of each holding a player can have left."""
        left, played = history.node.own_left, history.node.own_played
        if player == DEALER:
            left, played = history.node.other_left, history.node.other_played
        if left == self.kept:
            return np.arange(self.counts[left])
        return self.tables.keep_of[left, played, : self.counts[left]]

    def _count(self, node: Node) -> int:
        """Count the cells from a node down."""
        key = tuple(int(field) for field in node[:5])
        if key not in self._cells:
            self._cells[key] = int(count_cells(self.tables, node))
        return self._cells[key]
