"""How likely each discard wins the game, from the score before the deal.

Points count in the order they fall: heels, the play, pone's hand, the dealer's hand, the crib. Who
is not out by then goes on from the win table, the roles exchanged. The play of each keep is walked
card by card, both by the solved strategy, against every keep of the opponent. The starter is taken
by its rank and by what the player's hand makes with it; the opponent's hand and discard, as they go
together, by their ranks; suits that nobody sees are as likely as cards are left.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import RANK_PAIRS, Floats, Index, rank_pair_numbers
from cribev.deal.outcomes import DealOutcomes
from cribev.errors import TableError
from cribev.game.cards import JACK, Cards, unseen
from cribev.game.index_tables import DISCARDS, KEEPS, UNSEEN_PAIRS
from cribev.game.roles import Role
from cribev.game.score_notation import WINNING_SCORE
from cribev.opponents.models import Opponent
from cribev.play.belief import opponent_keeps
from cribev.play.pegging_pmf import PeggingPmf, pegging_pmf
from cribev.play.show_pmf import SHOW_BINS, crib_pmf, hand_pmf
from cribev.solved.keeps import keep_rank_counts
from cribev.solved.play import POINT_BINS
from cribev.solved.win_table import WinTable

_HEELS = 2
_DIGITS = 12  # beyond them stands what rounding leaves: what cannot be is to have no chance


class Chances(NamedTuple):
    """How a deal may end, for each of 15 discards, ``(15,)`` each."""

    win: Floats
    """The game is won, now or later."""
    out: Floats
    """The player gets out in this deal."""
    beaten: Floats
    """The opponent does."""


def win_chances(
    outcomes: DealOutcomes, role: Role, score: tuple[int, int], opponent: Opponent
) -> Chances:
    """Work out how likely each discard wins, from your points before the deal and the opponent's.

    Raises
    ------
    TableError
        If the opponent's solution is without what this takes.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> from cribev.deal.outcomes import deal_outcomes
    >>> from cribev.opponents.models import as_opponent
    >>> expert = as_opponent("expert")
    >>> outcomes = deal_outcomes(parse_cards("2H 5D 5H 8D JS QC"), "pone", expert)
    >>> float(win_chances(outcomes, "pone", (115, 110), expert).win.max().round(2))
    1.0
    """
    solution = opponent.solved_game()
    if solution.play is None or solution.win_table is None or solution.play.strategy is None:
        raise TableError("the solution is for the show alone: nobody wins by it")
    faced = _faced(outcomes.deal, role, opponent)
    total, played = np.zeros((3, 15)), dict[tuple[Any, ...], PeggingPmf]()
    ranks = np.sort(outcomes.deal[KEEPS] >> 2).tolist()
    for heels in (0, _HEELS):
        own_need, other_need = (WINNING_SCORE - points for points in score)
        if role == "dealer":
            own_need -= heels
        else:
            other_need -= heels
        starters = [rank for rank in range(13) if (rank == JACK) == (heels > 0)]
        if min(own_need, other_need) <= 0:
            total[[0, 1] if own_need <= 0 else [2]] += faced.given_starter(starters).sum()
            continue
        needs = min(own_need, POINT_BINS), min(other_need, POINT_BINS)
        for discard in range(15):
            asked = (*ranks[discard], needs)
            if asked not in played:
                played[asked] = pegging_pmf(
                    ranks[discard], role, faced.keeps, needs, solution.play.strategy
                )
            pegged = played[asked]
            weights = faced.given_starter(starters).sum(axis=(0, 2))
            out, beaten = weights @ pegged.out, weights @ pegged.beaten
            points = _points_made(outcomes, discard, role, faced, pegged, starters)
            ends = _ends(solution.win_table, role, own_need, other_need, points.shape)
            total[:, discard] += np.tensordot(ends, points, 2) + (out, out, beaten)
    win, out, beaten = np.clip(total.round(_DIGITS) + 0.0, 0, 1)  # and no nought below nought
    return Chances(np.clip(win, out, 1 - beaten), out, beaten)


class _Faced(NamedTuple):
    """What the opponent may keep and throw beside six cards."""

    left: NDArray[np.bool_]
    """The cards unseen, by rank and suit, ``(13, 4)``."""
    keeps: Index
    """The keeps there may be, numbers, ``(n,)``."""
    chance: Floats
    """How likely each goes with each pair thrown and each rank cut, ``(13, n, 91)``."""
    flush: Floats
    """How often each of all keeps is of one suit if all cards are left, ``(1820,)``."""

    def given_starter(self, ranks: list[int]) -> Floats:
        """Return `chance` of some ranks cut."""
        return self.chance[ranks]


def _faced(deal: Cards, role: Role, opponent: Opponent) -> _Faced:
    """Put together what the opponent keeps, and throws as often as the opponent's weights say."""
    left = np.ones(52, dtype=bool)
    left[deal] = False
    by_rank = left.reshape(13, 4)
    ways, flush = opponent_keeps(4 - by_rank.sum(axis=1), opponent.keep_frequencies(role))
    ranks = (unseen(deal) >> 2)[UNSEEN_PAIRS]
    pairs = rank_pair_numbers()[ranks[:, 0], ranks[:, 1]]
    thrown = np.bincount(pairs, opponent.weights(deal, role).sum(axis=1), len(RANK_PAIRS))
    # A pair that these frequencies never throw goes with what is kept beside any other.
    never = ~ways.any(axis=0)
    ways[:, never] = ways.sum(axis=1, keepdims=True)
    ways *= thrown / np.maximum(ways.sum(axis=0), np.finfo(float).tiny)
    keeps = np.flatnonzero(ways.any(axis=1))
    held = keep_rank_counts()[keeps].T[:, :, None] + (RANK_PAIRS[:, :, None] == np.arange(13)).sum(axis=1).T[:, None]
    chance = ways[keeps] * np.maximum(by_rank.sum(axis=1)[:, None, None] - held, 0)
    return _Faced(by_rank, keeps, chance / chance.sum(), flush)


def _points_made(
    outcomes: DealOutcomes,
    discard: int,
    role: Role,
    faced: _Faced,
    pegged: PeggingPmf,
    starters: list[int],
) -> Floats:
    """Tell how likely the two make so many points of a deal that nobody ends in the play."""
    rest, own_points = unseen(outcomes.deal), outcomes.hands[discard]
    row, own, other = np.nonzero(pegged.joint)
    often = pegged.joint[row, own, other]
    _, most_own, most_other = pegged.joint.shape
    total = np.zeros((most_own + 2 * SHOW_BINS, most_other + 2 * SHOW_BINS))
    across = most_other + SHOW_BINS
    for points in np.unique(own_points).tolist():
        joint = np.zeros(most_own * across * SHOW_BINS)
        for rank in starters:
            cut = rest[(own_points == points) & (rest >> 2 == rank)].tolist()
            if not cut:
                continue
            crib = crib_pmf(faced.left, outcomes.deal[DISCARDS[discard]], cut)
            cribs = faced.chance[rank] @ crib * (len(cut) / faced.left[rank].sum())
            hands = hand_pmf(faced.left, cut, faced.flush)[faced.keeps][row]
            cell, shown = np.nonzero(hands)
            key = (own[cell] * across + other[cell] + shown) * SHOW_BINS
            weights = (often[cell] * hands[cell, shown])[:, None] * cribs[row[cell]]
            joint += np.bincount((key[:, None] + np.arange(SHOW_BINS)).ravel(), weights.ravel(), len(joint))
        joint = joint.reshape(most_own, across, SHOW_BINS)
        for crib in range(SHOW_BINS):
            if role == "dealer":
                total[points + crib : points + crib + most_own, :across] += joint[..., crib]
            else:
                total[points : points + most_own, crib : crib + across] += joint[..., crib]
    return total


def _ends(
    race: WinTable, role: Role, own_need: int, other_need: int, points: tuple[int, ...]
) -> Floats:
    """How a deal ends by the points that each makes of it, ``(3, own, other)``.

    Returns
    -------
    How likely the player wins, whether the player gets out, and whether the opponent does.
    """
    own, other = np.ogrid[: points[0], : points[1]]
    left, other_left = np.broadcast_arrays(own_need - own, other_need - other)
    # Pone's hand counts first; then all that the dealer has.
    out = left <= 0 if role == "pone" else (left <= 0) & (other_left > 0)
    beaten = other_left <= 0 if role == "dealer" else (other_left <= 0) & (left > 0)
    scores = (np.clip(WINNING_SCORE - need, 0, WINNING_SCORE - 1) for need in (left, other_left))
    now, other_now = scores
    later = race.win[now, other_now] if role == "pone" else 1 - race.win[other_now, now]
    win = np.where(out, 1.0, np.where(beaten, 0.0, later))
    return np.stack([win, out, beaten]).astype(np.float64)
