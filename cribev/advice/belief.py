"""What the opponent may hold: what is kept of six unseen cards, and what the play says of it."""

from collections.abc import Sequence
from functools import cache
from math import comb, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import (
    RANK_PAIRS,
    Floats,
    Index,
    class_ways,
    discard_rank_pairs,
)
from cribev.errors import RecordError
from cribev.game.deal import Position
from cribev.opponents.players import UniformPlay
from cribev.solution.statistics import KeepFrequencies
from cribev.solution.tree import (
    RANK_KEEPS,
    GameSize,
    PlayStrategy,
    keep_rank_counts,
    numbers_with_card,
    rank_keep_numbers,
)

TREMBLE = 0.001
"""How often an opponent errs who did what the strategy never does; as often as in its making."""

_DECK = 4  # cards of a rank


class Belief(NamedTuple):
    """How likely the opponent has which cards left."""

    left: int
    """How many cards."""
    chance: Floats
    """Of each holding of so many cards, as `GameSize.holdings` lists them; they sum to one."""
    laid: int
    """The number of the holding of the cards that the opponent has laid."""
    explained: bool
    """Whether all the opponent did is something the strategy does."""


def kept_by_chance(dead_ranks: NDArray[np.int64], frequencies: KeepFrequencies) -> Floats:
    """Tell how likely each of the 1,820 keeps is, before a card is laid, ``(1820,)``.

    The opponent is dealt any six cards but those that are elsewhere, `dead_ranks` of each rank
    ``(13,)``, and keeps four of them as often as `frequencies` say of their ranks. A class of x_r
    cards of each rank is dealt in ∏ C(4 − e_r, x_r) ways.

    >>> from cribev.solution.solution import shipped_keep_frequencies
    >>> seen = np.bincount([4, 4, 4, 4], minlength=13)  # all fives
    >>> chance = kept_by_chance(seen, shipped_keep_frequencies("dealer"))
    >>> holdings = GameSize().holdings(4)
    >>> float(chance.sum().round(9)), float(chance[(holdings == 4).any(axis=1)].sum())
    (1.0, 0.0)
    """
    ways = class_ways(dead_ranks)[:, None]
    weights = np.bincount(
        rank_keep_numbers().ravel(), (ways * frequencies.share).ravel(), RANK_KEEPS
    )
    chance: Floats = weights / weights.sum()
    return chance


class OpponentKeeps(NamedTuple):
    """What the opponent may keep and throw of six unseen cards."""

    ways: Floats
    """In how many ways each keep goes with each pair of ranks thrown, ``(1820, 91)``."""
    flush: Floats
    """How often each keep is of one suit if no card is elsewhere, ``(1820,)``."""


def opponent_keeps(dead_ranks: NDArray[np.int64], frequencies: KeepFrequencies) -> OpponentKeeps:
    """Tell how likely each keep goes with each discard, of any six cards but those elsewhere."""
    ways, keeps = class_ways(dead_ranks)[:, None], rank_keep_numbers()
    cells = (keeps * len(RANK_PAIRS) + discard_rank_pairs()).ravel()
    found = np.bincount(cells, (ways * frequencies.share).ravel(), RANK_KEEPS * len(RANK_PAIRS))
    pairs = found.astype(np.float64).reshape(RANK_KEEPS, -1)
    kept = pairs.sum(axis=1)
    suited = np.bincount(keeps.ravel(), (ways * frequencies.flush).ravel(), RANK_KEEPS)
    return OpponentKeeps(pairs, np.divide(suited, kept, out=np.zeros(RANK_KEEPS), where=kept > 0))


def any_four_kept(dead_ranks: NDArray[np.int64]) -> Floats:
    """Tell how likely each keep is if it is any four cards of those left, ``(1820,)``."""
    left = (_DECK - dead_ranks).tolist()
    counts = keep_rank_counts().tolist()
    ways = np.array([prod(map(comb, left, keep)) for keep in counts], dtype=np.float64)
    chance: Floats = ways / ways.sum()
    return chance


def believe(position: Position, frequencies: KeepFrequencies, strategy: PlayStrategy) -> Belief:
    """Work out what the opponent may hold, by Bayes' rule.

    A keep is as likely as it is kept, times how often the strategy lays with it what the opponent
    has laid, and only if it had to say go where the opponent did.

    Where no keep explains all that by the strategy, the opponent is thought to tremble: in one of
    1,000 keeps and cards any four cards are kept, and any card that fits is laid.
    `Belief.explained` tells.

    Raises
    ------
    RecordError
        If nobody can hold such cards.
    """
    steps = [(step.role != position.role, step.rank) for step in position.play.steps]
    kept = kept_by_chance(position.dead_ranks, frequencies)
    if (found := believe_after(steps, kept, strategy)) is None:
        kept = (1 - TREMBLE) * kept + TREMBLE * any_four_kept(position.dead_ranks)
        found = believe_after(steps, kept, strategy, tremble=TREMBLE)
    if found is None:
        raise RecordError("nobody can hold cards with which to lay this and to say go here")
    return found


def believe_after(
    steps: Sequence[tuple[bool, int | None]],
    kept: Floats,
    strategy: PlayStrategy,
    *,
    tremble: float = 0.0,
) -> Belief | None:
    """Follow a public history from how likely each keep is, ``(n,)``; None where none is left.

    A step is whether the opponent takes it, and the rank's place or None for a go. So often as
    `tremble` any card that fits is laid.
    """
    size, weights, left, laid = strategy.size, kept, strategy.size.kept, 0
    for at, (by_opponent, rank) in enumerate(steps):
        if not by_opponent or not left:
            continue
        node = strategy.node([move for _, move in steps[:at]])
        if rank is None:
            weights = weights * (lowest_ranks(size)[left] >= strategy.fits[node.state])
            continue
        policy = strategy.policies(node)[rank]
        if tremble:
            any_card = UniformPlay(size, strategy.states).policies(node)[rank]
            policy = (1 - tremble) * policy + tremble * any_card
        weights = weights[numbers_with_card(size, left)[rank]] * policy
        left, laid = left - 1, int(numbers_with_card(size, size.kept - left + 1)[rank, laid])
    if not weights.any():
        return None
    return Belief(left, weights / weights.sum(), laid, not tremble)


def reply_chances(history: Sequence[int | None], belief: Belief, strategy: PlayStrategy) -> Floats:
    """Tell how likely the opponent, who is to move, lays each rank, ``(R,)``; the rest is a go.

    >>> from cribev.solution.tree import tabulate_states
    >>> fives_and_tens = GameSize((4, 9), 1)
    >>> strategy = UniformPlay(fives_and_tens, tabulate_states(fives_and_tens.ranks))
    >>> reply_chances([1], Belief(1, np.array([0.25, 0.75]), 0, True), strategy).tolist()
    [0.25, 0.75]
    """
    weights = belief.chance[numbers_with_card(strategy.size, belief.left)]
    chances: Floats = (weights * strategy.policies(strategy.node(history))).sum(axis=1)
    return chances


@cache
def lowest_ranks(size: GameSize) -> list[Index]:
    """Return the lowest rank of each holding by cards; of none it is beyond all ranks."""
    none = np.full(1, len(size.ranks))
    return [none, *(size.holdings(cards)[:, 0] for cards in range(1, size.kept + 1))]
