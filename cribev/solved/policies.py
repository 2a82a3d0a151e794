"""What a way to discard comes to over all deals, and what it loses against the best."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from cribev.choice import net_points, tied_best
from cribev.classes.canonical import (
    ANY_KEEP,
    CLASSES,
    PATTERNS,
    RANK_PAIRS,
    STARTERS,
    Floats,
    Policy,
    best_keep_sets,
    canonical_deals,
    discard_rank_pairs,
    keep_entries,
)
from cribev.classes.class_tables import (
    CribAverages,
    best_response,
    canonical_values,
    comparison_values,
)
from cribev.classes.enumeration import DEALS, unrank_deals
from cribev.classes.frequency_cribs import uniform_cribs
from cribev.files.crib_tables import PUBLISHED_CRIBS, published_cribs
from cribev.game.cards import Cards
from cribev.game.roles import Role

COUNTED_GAIN = 1e-6
"""A deal counts as changed where switching gains more points than this."""


class PolicyLoss(NamedTuple):
    """What a policy costs against an expert."""

    points: float
    """Points per deal, over all deals."""
    deals: int
    """Deals in which it costs more than `COUNTED_GAIN`, on average where several are kept."""


def policy_loss(policy: Policy, cribs: CribAverages, *, role: Role) -> PolicyLoss:
    """Average what a policy loses against the best, over all deals.

    Parameters
    ----------
    policy
        Sets of keeps, uint16 ``(18395, 187)``, as from `policy_of` or
        `cribev.classes.class_tables.best_response`. It loses the mean over the keeps of a set.
    cribs
        Average cribs against the opponent.
    role
        Whose policy it is.

    Examples
    --------
    >>> from cribev.classes.class_tables import best_response
    >>> policy = best_response(uniform_cribs(), role="dealer")
    >>> policy_loss(policy, uniform_cribs(), role="dealer")
    PolicyLoss(points=0.0, deals=0)
    """
    forms = canonical_deals()
    points, changed = 0.0, 0.0
    for part, values in comparison_values(cribs, role=role):
        rows, keeps, of = keep_entries(policy[forms.classes[part], forms.patterns[part]])
        losses = (values.max(axis=1)[rows] - values[rows, keeps]) / STARTERS
        losses[tied_best(values, unit=STARTERS)[rows, keeps]] = 0
        deals = forms.deals[part][rows] / of
        points += float(losses @ deals)
        changed += float((losses > COUNTED_GAIN) @ deals)
    return PolicyLoss(points / DEALS, round(changed))


def policy_of(choose: Callable[[Cards], NDArray[np.integer]]) -> Policy:
    """Tabulate a way to discard by asking it about one deal of each form.

    Parameters
    ----------
    choose
        Takes deals, uint8 ``(n, 6)``, each ascending, and returns a keep number for each. It must
        not care which suit is which.

    Returns
    -------
    Sets of the one keep, uint16 ``(18395, 187)``.

    Examples
    --------
    >>> lowest_four = policy_of(lambda deals: np.zeros(len(deals), dtype=np.uint8))
    >>> round(policy_loss(lowest_four, uniform_cribs(), role="pone").points, 3)
    2.436
    """
    forms = canonical_deals()
    policy = np.zeros((CLASSES, PATTERNS), dtype=np.uint16)
    step = 1 << 16
    for start in range(0, len(forms.deals), step):
        part = slice(start, start + step)
        keeps = choose(unrank_deals(forms.examples[part]))
        policy[forms.classes[part], forms.patterns[part]] = 1 << keeps.astype(np.int64)
    return policy


def static_policy(crib: Floats, *, role: Role) -> Policy:
    """Tabulate throwing by average hand and an average crib that ignores the cards kept.

    Parameters
    ----------
    crib
        Average crib in points by the two ranks thrown, ``(13, 13)``.
    role
        Whose policy it is.

    Returns
    -------
    The best keeps of each form, uint16 ``(18395, 187)``.

    Examples
    --------
    >>> static_policy(np.zeros((13, 13)), role="pone").shape
    (18395, 187)
    """
    forms = canonical_deals()
    policy = np.zeros((CLASSES, PATTERNS), dtype=np.uint16)
    by_pair = crib[tuple(RANK_PAIRS.T)]
    for part, values in canonical_values(uniform_cribs(), role=role):
        classes, patterns = forms.classes[part], forms.patterns[part]
        static = net_points(values.hand, by_pair[discard_rank_pairs()[classes]], role)
        policy[classes, patterns] = best_keep_sets(static)
    return policy


def reference_losses(
    cribs: CribAverages,
    *,
    role: Role,
    show: CribAverages | None = None,
    known: Mapping[str, PolicyLoss] | None = None,
) -> dict[str, PolicyLoss]:
    """Average what well-known ways to discard lose against an expert, over all deals.

    Parameters
    ----------
    cribs
        Average cribs against the expert.
    role
        Who discards.
    show
        Average cribs against one who throws for the show alone, if the play counts.
    known
        Losses that need not be worked out again.

    Returns
    -------
    Losses by policy: ``random`` throws any two cards alike, ``hand`` keeps the best hand whatever
    the crib, ``uniform`` throws best against an opponent who throws any two cards alike, and the
    published tables throw by their average cribs: these for the show alone, as does the expert of
    it, ``show``.

    Examples
    --------
    >>> from cribev.solved.solution import load
    >>> shipped = load()
    >>> list(reference_losses(shipped.cribs["pone"], role="pone", known=shipped.losses["pone"]))
    ['random', 'hand', 'colvert', 'hessel', 'rasmussen', 'schell', 'uniform']
    """
    ways: dict[str, Callable[[], Policy]] = {
        "random": lambda: np.full((CLASSES, PATTERNS), ANY_KEEP, dtype=np.uint16),
        "hand": lambda: static_policy(np.zeros((13, 13)), role=role),
    }
    for name in PUBLISHED_CRIBS:
        ways[name] = partial(static_policy, published_cribs(name)[role], role=role)
    ways["uniform"] = lambda: best_response(uniform_cribs(), role=role)
    if show is not None:
        ways["show"] = lambda: best_response(show, role=role)
    known = known or {}
    return {
        name: known[name] if name in known else policy_loss(policy(), cribs, role=role)
        for name, policy in ways.items()
    }


def policy_checksum(policy: Policy) -> int:
    """Give a policy a number by which another can be told from it, the same on every platform.

    Examples
    --------
    >>> policy_checksum(np.full((CLASSES, PATTERNS), ANY_KEEP, dtype=np.uint16))
    2903194728
    """
    return crc32(policy.astype("<u2").tobytes())
