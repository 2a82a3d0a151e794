"""The cards that the opponent may hold, given how they keep, your cards, and the cards played."""

from collections.abc import Sequence
from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import CLASSES, Floats, class_ways
from cribev.errors import RecordError
from cribev.game.deal import Position
from cribev.game.index_tables import KEEPS
from cribev.opponents.strategies import UniformPlay, any_card
from cribev.solution.solved_play import KeepFrequencies, any_suits
from cribev.solution.strategy import (
    RANK_KEEPS,
    PlayStrategy,
    keep_rank_counts,
    lowest_ranks,
    numbers_with_card,
    rank_keep_numbers,
)

TREMBLE = 1 / 4000
"""The error rate assumed for an opponent's keep, and for each card."""

_DECK = 4  # cards of a rank


class Belief(NamedTuple):
    """The cards that the opponent may have left, and their chances."""

    left: int  # how many cards
    chance: Floats
    """Chances of each holding, as `GameSize.holdings` lists them; they sum to one."""
    played: int  # the number of the holding of the cards that the opponent has played
    explained: bool  # whether the strategy does all that the opponent did, without an error
    evidence: float = 1.0  # how likely the opponent would have played so

    def __repr__(self) -> str:
        return f"<Belief: {self.left} cards left, {np.count_nonzero(self.chance)} holdings>"


def kept_by_chance(dead_ranks: NDArray[np.int64], frequencies: KeepFrequencies) -> Floats:
    """Return how likely each of the 1,820 keeps is, before a card is played, ``(1820,)``.

    The opponent is dealt any six cards except those elsewhere, `dead_ranks` of each rank ``(13,)``,
    and keeps four of them as often as `frequencies` say for their ranks. A class of x_r cards of
    each rank is dealt in ∏ C(4 − e_r, x_r) ways.
    """
    ways = class_ways(dead_ranks)[:, None]
    weights = np.bincount(
        rank_keep_numbers().ravel(), (ways * frequencies.share).ravel(), RANK_KEEPS
    )
    chance: Floats = weights / weights.sum()
    return chance


def any_four_kept(dead_ranks: NDArray[np.int64]) -> Floats:
    """Return how likely each keep is if it is any four cards of those left, ``(1820,)``."""
    ways = np.array([[comb(left, many) for many in range(5)] for left in range(_DECK + 1)])
    chance = np.ones(RANK_KEEPS)
    for left, counts in zip((_DECK - dead_ranks).tolist(), keep_rank_counts().T, strict=True):
        chance *= ways[left, counts]
    chance /= chance.sum()
    return chance


def kept_with_errors(dead_ranks: NDArray[np.int64], kept: Floats) -> Floats:
    """Return how likely each keep is if one deal in 4,000 has any four cards kept, ``(1820,)``."""
    return (1 - TREMBLE) * kept + TREMBLE * any_four_kept(dead_ranks)


@cache
def _any_four_of_six() -> KeepFrequencies:
    return any_suits(np.full((CLASSES, len(KEEPS)), 1 / len(KEEPS)))


def trembling(frequencies: KeepFrequencies) -> KeepFrequencies:
    """Keep by these frequencies, but in one of 4,000 deals any four of the six cards."""
    both = zip(frequencies, _any_four_of_six(), strict=True)
    return KeepFrequencies(*((1 - TREMBLE) * often + TREMBLE * even for often, even in both))


def believe(
    position: Position,
    frequencies: KeepFrequencies,
    strategy: PlayStrategy,
    *,
    fallible: bool = True,
) -> Belief:
    """Work out what the opponent may hold, by Bayes' rule.

    The chance of a keep is how often it is kept, times how often the strategy plays with it what
    the opponent played, if it had to say go where the opponent did. The opponent trembles: they
    keep any four cards in one of 4,000 deals, and play any card that fits at one of 4,000 cards.

    `Belief.explained` tells whether the play is possible without an error; unless the opponent is
    ``fallible``, it must be. `RecordError` if nobody can hold such cards.
    """
    kept = kept_by_chance(position.dead_ranks, frequencies)
    with_errors = kept_with_errors(position.dead_ranks, kept) if fallible else None
    belief = believe_after(_steps(position), kept, strategy, with_errors=with_errors)
    if belief is None:
        raise RecordError("nobody can hold cards with which to play this and to say go here")
    return belief


def believe_anything(position: Position, strategy: PlayStrategy) -> Belief:
    """Compute what a player who keeps and plays any cards may hold, in a strategy's game."""
    any_card_played = UniformPlay(strategy.size, strategy.states)
    belief = believe_after(_steps(position), any_four_kept(position.dead_ranks), any_card_played)
    assert belief is not None, "`believe` has refused it"
    return belief


def _steps(position: Position) -> list[tuple[bool, int | None]]:
    play = position.play
    return [  # a go that a later card belies tells nothing
        (step.role != position.role and not (step.renege and play.belies(step)), step.rank)
        for step in play.steps
    ]


def believe_after(
    steps: Sequence[tuple[bool, int | None]],
    kept: Floats,
    strategy: PlayStrategy,
    *,
    with_errors: Floats | None = None,
) -> Belief | None:
    """Follow steps, the opponent's or not, a place or None, from chances of keeps, ``(n,)``.

    ``with_errors`` are the chances of keeps for a fallible opponent, who then makes errors at each
    card too. Returns None if nobody can hold such cards.
    """
    size, left, played = strategy.size, strategy.size.kept, 0
    weights = np.stack([kept] if with_errors is None else [kept, with_errors])
    for step, (by_opponent, rank) in enumerate(steps):
        if not by_opponent or not left:
            continue
        node = strategy.node([move for _, move in steps[:step]])
        if rank is None:
            weights = weights * (lowest_ranks(size)[left] >= strategy.fits[node.state])
            continue
        policies = [strategy.policies(node)[rank].astype(np.float64)]
        if with_errors is not None:
            any_that_fits = any_card(strategy.fits[node.state], size, left)[rank]
            policies.append((1 - TREMBLE) * policies[0] + TREMBLE * any_that_fits)
        weights = weights[:, numbers_with_card(size, left)[rank]] * policies
        left, played = left - 1, int(numbers_with_card(size, size.kept - left + 1)[rank, played])
    if not weights[-1].any():
        return None
    evidence = float(weights[-1].sum())
    return Belief(left, weights[-1] / evidence, played, bool(weights[0].any()), evidence)


def reply_chances(history: Sequence[int | None], belief: Belief, strategy: PlayStrategy) -> Floats:
    """Return how likely the opponent, to move, plays each rank, ``(R,)``; the rest is a go."""
    weights = belief.chance[numbers_with_card(strategy.size, belief.left)]
    chances: Floats = (weights * strategy.played(strategy.node(history))).sum(axis=1)
    return chances
