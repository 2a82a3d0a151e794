"""What well-known ways to discard, and to play, lose on the very same problems."""

from collections.abc import Mapping, Sequence

import numpy as np

from cribev.choice import TIE_TOLERANCE, format_points, net_points, tied_best
from cribev.classes.canonical import Floats
from cribev.game.index_tables import DISCARDS
from cribev.game.roles import ROLES
from cribev.opponents.players import as_play_strategy
from cribev.practice.lays import Lay
from cribev.practice.spots import rank_losses
from cribev.reviews.review import Review
from cribev.rows.pairs import PUBLISHED_CRIBS, published_cribs
from cribev.solution.tables import POLICY_NAMES
from cribev.solution.tree import PlayStrategy


def baseline_losses(review: Review) -> dict[str, Floats]:
    """Work out what each way to discard loses on each hand of an exact review, points ``(N,)``.

    A way that finds several discards alike throws any of them, and loses their mean. By the names
    of `discard_tables.POLICY_NAMES`: any two cards; for the best hand alone; for hand
    and crib without the play; by each published table of average cribs.

    >>> from cribev.practice.hands import hands_of
    >>> from cribev.practice.throws import review_throws, throw
    >>> found = review_throws([throw(next(hands_of(7)), "9H JC")])
    >>> {name: round(float(lost[0]), 2) for name, lost in baseline_losses(found).items()}
    {'random': 4.32, 'hand': 0.41, 'show': 0.0, 'colvert': 1.15, 'hessel': 0.0, 'rasmussen': 0.0,
    'schell': 0.0}
    """
    dealer, discards = review.record.dealer, review.discards
    expected = discards.expected
    ranks = review.record.deals[:, DISCARDS] >> 2
    estimates = {
        "random": np.zeros_like(expected),
        "hand": discards.hand,
        "show": net_points(discards.hand, discards.crib, dealer),
    }
    for name in PUBLISHED_CRIBS:
        table = published_cribs(name)
        by_role = np.where(
            dealer[:, None], *(table[role][ranks[..., 0], ranks[..., 1]] for role in ROLES)
        )
        estimates[name] = net_points(discards.hand, by_role, dealer)
    losses = {}
    for name, values in estimates.items():
        chosen = tied_best(values)
        found = np.where(chosen, expected, 0.0).sum(axis=1) / chosen.sum(axis=1)
        losses[name] = np.maximum(expected.max(axis=1) - found, 0.0)
    return losses


def lay_baselines(lays: Sequence[Lay]) -> dict[str, float]:
    """Average what simple players lose in the spots of one or more lays, points a card.

    ``greedy`` takes the most points at once and else lays the highest card that fits; ``uniform``
    lays any card that fits.

    >>> from cribev.practice.lays import lay
    >>> from cribev.practice.spots import spots_of
    >>> found = lay_baselines([lay(next(spots_of(7, kinds=["answer"])), "3S")])
    >>> {name: round(lost, 2) for name, lost in found.items()}
    {'greedy': 0.05, 'uniform': 0.21}
    """
    return {
        name: float(np.mean([_lay_loss(as_play_strategy(name), one) for one in lays]))
        for name in ("greedy", "uniform")
    }


def _lay_loss(player: PlayStrategy, one: Lay) -> float:
    position = one.spot.position
    share = player.choices(player.node(position.history), position.left)
    return float(share @ np.nan_to_num(rank_losses(one.advice)))


def nearest_baselines(lost: float, baselines: Mapping[str, float]) -> str:
    """Say which baselines lose as much a hand, or else the next less and the next more.

    >>> nearest_baselines(0.7, {"random": 2.4, "hand": 0.5, "show": 0.01})
    'throwing for the best hand alone loses 0.50 a hand; throwing any two cards loses 2.40 a hand'
    >>> nearest_baselines(0, {"random": 2.4, "hand": 0})
    'throwing for the best hand alone loses 0.00 a hand'
    """
    order = sorted(baselines, key=lambda name: baselines[name])
    alike = [name for name in order if abs(baselines[name] - lost) <= TIE_TOLERANCE]
    less = [name for name in order if baselines[name] < lost]
    more = [name for name in order if baselines[name] > lost]
    return "; ".join(
        f"throwing {POLICY_NAMES[name]} loses {format_points(baselines[name])} a hand"
        for name in alike[-1:] or less[-1:] + more[:1]
    )
