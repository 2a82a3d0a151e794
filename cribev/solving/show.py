"""The show by what both keep, and what the end of a play is worth in chances to win.

After the play pone's hand counts, then the dealer's hand, then the crib, and the win table says how
the game goes on. By keeps and the rank of the starter, what pone's hand makes and what the dealer's
hand and crib make together are independent but for suits, and for what pone discards: that counts
as it is on average. A starter of a rank is as likely as cards of it are left.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from cribev.classes.canonical import (
    RANK_PAIRS,
    Floats,
    deals_of_classes,
    discard_rank_pairs,
)
from cribev.game.cards import JACK
from cribev.game.index_tables import rank_point_table
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.game.score import WINNING_SCORE
from cribev.solution.statistics import KeepFrequencies
from cribev.solution.tree import (
    RANK_KEEPS,
    keep_rank_counts,
    kept_points,
    rank_keep_numbers,
)
from cribev.solving.discards import KEPT_ANYHOW
from cribev.solving.ends import TERMS

_SHOWN = 30  # numbers of points a hand or a crib can have
_RANKS = 13
_FLOOR = 0.1  # how much of the weight of keeps in `factor_table` all of them share
_SUITS = 4


class ShowChances(NamedTuple):
    """How likely which points are shown, by the rank of the starter."""

    pone_hand: Floats
    """By pone's keep, ``(1820, 13, 30)``."""
    dealer_hand: Floats
    """By the dealer's keep, ``(1820, 13, 30)``."""
    pairs: dict[Role, Floats]
    """How often which pair of ranks is discarded with each keep, ``(1820, 91)``."""
    cribs: Floats
    """By the dealer's pair and pone's, ``(91, 91, 13, 30)``."""


def show_chances(frequencies: Mapping[Role, KeepFrequencies]) -> ShowChances:
    """Tell how likely which points are shown between two who keep so."""
    deals, keeps = deals_of_classes(), rank_keep_numbers()
    hands, pairs = {}, {}
    for role in ROLES:
        weights = deals[:, None] * (frequencies[role].share + KEPT_ANYHOW)
        cells = keeps * len(RANK_PAIRS) + discard_rank_pairs()
        discarded = np.bincount(cells.ravel(), weights.ravel(), RANK_KEEPS * len(RANK_PAIRS))
        discarded = discarded.reshape(RANK_KEEPS, -1)
        kept = discarded.sum(axis=1)
        suited = np.bincount(
            keeps.ravel(),
            (deals[:, None] * frequencies[role].flush).ravel(),
            RANK_KEEPS,
        )
        hands[role] = _hand_chances(suited / kept)
        pairs[role] = discarded / kept[:, None]
    return ShowChances(hands["pone"], hands["dealer"], pairs, _crib_chances())


def _hand_chances(flush: Floats) -> Floats:
    """Tell how likely each keep makes so many points, ``(1820, 13, 30)``.

    ``flush`` says how often each keep is of one suit, ``(1820,)``.
    """
    counts, starters = keep_rank_counts(), np.arange(_RANKS)
    nobs = np.where(starters == JACK, 0, counts[:, [JACK]] / _SUITS)
    with_starter = np.where(counts == 0, 1 / _SUITS, 0)
    has_jack = (counts[:, [JACK]] > 0) & (starters != JACK)
    found = np.zeros((RANK_KEEPS, _RANKS, _SHOWN))
    keep, starter = np.indices(counts.shape)
    of_one_suit = flush[:, None]
    for gained, chance in (
        (0, (1 - of_one_suit) * (1 - nobs)),
        (1, (1 - of_one_suit) * nobs),
        (4, of_one_suit * (1 - with_starter)),
        (5 + has_jack, of_one_suit * with_starter),
    ):
        points = np.minimum(kept_points() + gained, _SHOWN - 1)
        np.add.at(found, (keep, starter, points), chance)
    return found


def _crib_chances() -> Floats:
    """Tell how likely the crib makes so many points, but for flushes: ``(91, 91, 13, 30)``."""
    places = 13 ** np.arange(4, -1, -1)
    one, other, starter = np.ogrid[: len(RANK_PAIRS), : len(RANK_PAIRS), :_RANKS]
    cards = [RANK_PAIRS[one, 0], RANK_PAIRS[one, 1], RANK_PAIRS[other, 0], RANK_PAIRS[other, 1]]
    number = sum(card * place for card, place in zip([*cards, starter], places, strict=True))
    points = rank_point_table()[number].astype(np.intp)
    jacks = sum((card == JACK).astype(int) for card in cards)
    nobs = np.where(starter == JACK, 0, jacks / _SUITS)
    found = np.zeros((*points.shape, _SHOWN))
    at_one, at_other, at_starter = np.indices(points.shape)
    for gained, chance in ((0, 1 - nobs), (1, nobs)):
        shown = np.minimum(points + gained, _SHOWN - 1)
        np.add.at(found, (at_one, at_other, at_starter, shown), chance)
    return found


class AfterPlay:
    """How likely pone wins after a play, by what both need then and by both keeps; no jack is cut.

    ``marginal`` is how often each keep is kept, ``(1820,)``, ``win`` the win table, as
    `WinTable.win`: only scores above those that are asked for are read.
    """

    def __init__(self, shows: ShowChances, marginal: Mapping[Role, Floats], win: Floats) -> None:
        self._win, self._weights, self._shows = win, marginal, shows
        ranks = np.array([rank for rank in range(_RANKS) if rank != JACK])
        left = 1 - keep_rank_counts()[:, ranks] / _SUITS
        either = left @ left.T
        self._possible = np.where(either > 0, either, 1).astype(np.float32)
        self._ranks = ranks
        self._dealer_hand = shows.dealer_hand[:, ranks] * left[..., None]
        self._hand = shows.pone_hand[:, ranks] * left[..., None]
        average = shows.pairs["pone"].T @ marginal["pone"]
        crib = np.einsum("dpsc,p->dsc", shows.cribs[:, :, ranks], average)
        cribs = np.tensordot(shows.pairs["dealer"], crib, axes=1)
        self._both = np.zeros((RANK_KEEPS, len(ranks), 2 * _SHOWN))
        for points in range(_SHOWN):
            self._both[..., points : points + _SHOWN] += (
                shows.dealer_hand[:, ranks, points, None] * left[..., None] * cribs
            )

    def wins(self, pone: int, dealer: int) -> Floats:
        """Return how likely pone wins who still need so much, by keeps, ``(1820, 1820)``."""
        later = self._later(pone, dealer)
        hands = self._hand[..., :pone].copy()
        out = self._hand[..., pone:].sum(axis=2, keepdims=True)
        total = self._both.sum(axis=2, keepdims=True)
        first = np.concatenate([out, hands], axis=2)
        second = np.concatenate([total, self._both[..., :dealer] @ later.T], axis=2)
        shape = len(first), -1
        won = first.reshape(shape).astype(np.float32) @ second.reshape(shape).astype(np.float32).T
        chances: Floats = (won / self._possible).astype(np.float64)
        return chances

    def _later(self, pone: int, dealer: int) -> Floats:
        """Return how likely pone wins who deals next, by points of both in the show."""
        own, other = np.arange(pone), np.arange(dealer)
        found: Floats = self._win[
            WINNING_SCORE - pone + own[:, None], WINNING_SCORE - dealer + other
        ]
        return found

    def factors(self, pone: int, dealer: int) -> Floats:
        """Return factors of `wins` by points pegged of these needs, as `wins_count` takes them."""
        found = np.zeros((2, RANK_KEEPS, pone, dealer, TERMS))
        keeps = self._weights["pone"], self._weights["dealer"]
        for own in range(pone):
            for other in range(dealer):
                if own or other:  # somebody pegs the last card
                    wins = self.wins(pone - own, dealer - other)
                    found[:, :, own, other], _ = factor_table(wins, *keeps, TERMS)
        return found

    def crib_effect(self, role: Role, pegged: Floats) -> Floats:
        """Return how a pair discarded with a keep shifts pone's chance, beside an average one.

        ``pegged`` is the role's, as in `WinsByKeep`; what is returned is ``(1820, 91)``.
        """
        average = self._shows.pairs[opposite_role(role)].T @ self._weights[opposite_role(role)]
        axes = "dpsc,p->dsc" if role == "dealer" else "pdsc,p->dsc"
        crib = np.einsum(axes, self._shows.cribs[:, :, self._ranks], average)
        pone, dealer = pegged.shape[1:]
        own = self._hand if role == "pone" else self._dealer_hand
        across = self._weights[opposite_role(role)] @ (
            self._dealer_hand if role == "pone" else self._hand
        ).reshape(RANK_KEEPS, -1)
        across = across.reshape(own.shape[1:]) / own.sum(axis=2).mean()
        found = np.zeros((RANK_KEEPS, len(RANK_PAIRS)))
        scale = own.sum(axis=(1, 2))[:, None]
        for pegs in np.argwhere(pegged.any(axis=0)):
            needs = pone - pegs[0], dealer - pegs[1]
            later = np.ones((_SHOWN, 3 * _SHOWN))
            later[: needs[0], :] = 0
            table = self._later(*needs)
            rows, columns = min(needs[0], _SHOWN), min(needs[1], 3 * _SHOWN)
            later[:rows, :columns] = table[:rows, :columns]
            windows = sliding_window_view(later, _SHOWN, axis=1)  # pone's hand, dealer's, crib
            won = np.einsum("hgc,dsc->dshg", windows[:, :_SHOWN], crib, optimize=True)
            axes = "dshg,sg->dsh" if role == "pone" else "dshg,sh->dsg"
            by_hand = np.einsum(axes, won, across, optimize=True)
            values = own.reshape(RANK_KEEPS, -1) @ by_hand.reshape(len(by_hand), -1).T / scale
            found += pegged[:, pegs[0], pegs[1], None] * values
        effect: Floats = found - (found * self._shows.pairs[role]).sum(axis=1, keepdims=True)
        return effect


def factor_table(table: Floats, rows: Floats, columns: Floats, terms: int) -> tuple[Floats, float]:
    """Take a table apart into few products, best by weights of rows and columns.

    Returns the factors, ``(2, n, terms)``, and the root mean square of what they miss.
    """
    share = [np.sqrt((1 - _FLOOR) * some + _FLOOR / len(some)) for some in (rows, columns)]
    weighed = table * share[0][:, None].astype(np.float32) * share[1].astype(np.float32)
    generator = np.random.default_rng(0)
    basis = weighed @ generator.normal(size=(len(columns), terms + 4)).astype(np.float32)
    for _ in range(3):
        basis, _r = np.linalg.qr(weighed @ (weighed.T @ basis))
    left, values, right = np.linalg.svd(basis.T @ weighed, full_matrices=False)
    found = np.stack(
        [
            (basis @ left)[:, :terms] * values[:terms] / share[0][:, None],
            right[:terms].T / share[1][:, None],
        ]
    ).astype(np.float64)
    error = (found[0] @ found[1].T - table) ** 2
    return found, float(np.sqrt(rows @ error @ columns))
