"""How likely each discard wins the game, from the score before the deal.

Points count in the order they fall: heels, the play, pone's hand, the dealer's hand, the crib. Who
is not out by then goes on from the win table, the roles exchanged. The play of each keep is walked
card by card, both by the solved strategy, against every keep of the opponent. The starter is taken
by its rank and by what the player's hand makes with it; the opponent's hand and discard, as they go
together, by their ranks; suits that nobody sees are as likely as cards are left. Six ranks without
suits have every suit, and each as often.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from cribev.classes.canonical import RANK_PAIRS, Floats, Index, rank_pair_numbers
from cribev.classes.suit_averages import all_suitings
from cribev.deal.outcomes import DealOutcomes
from cribev.errors import CribevError, TableError
from cribev.game.cards import JACK, Cards, unseen
from cribev.game.index_tables import DISCARDS, KEEPS, UNSEEN_PAIRS, Points
from cribev.game.roles import Role
from cribev.game.score_notation import WINNING_SCORE, as_score
from cribev.opponents.models import Opponent
from cribev.play.belief import Belief, opponent_keeps
from cribev.play.evaluation import PlayTree
from cribev.play.pegging_pmf import PeggingPmf, pegging_pmf
from cribev.play.show_pmf import (
    SHOW_BINS,
    crib_pmf,
    hand_pmf,
    suitless_crib_pmf,
    suitless_hand_pmf,
    suitless_keep_points,
)
from cribev.play.winning import GameWon
from cribev.solved.keeps import RANK_KEEPS, keep_rank_counts
from cribev.solved.play import POINT_BINS
from cribev.solved.public_tree import PlayStrategy
from cribev.solved.win_table import WinTable

HEELS = 2
"""Points of a jack that is cut."""

_MADE = (POINT_BINS + 2 * SHOW_BINS,) * 2  # more points than a player makes of a deal
_NEGLIGIBLE = 1e-14  # the square of what matters little to the chances
_USUAL, _TENTH = 10, 7  # points that are usual, and how many more are a tenth as likely
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
    return _chances(_KnownDeal(outcomes, role, opponent), role, score, opponent)


def suitless_win_chances(
    ranks: Cards, discards: Index, role: Role, score: tuple[int, int], opponent: Opponent
) -> Chances:
    """Work out how likely discards of six ranks win, averaged over the suits they can have.

    Parameters
    ----------
    ranks
        Six ranks 0..12, uint8 ``(6,)``, ascending.
    discards
        Places in the order of the keeps, ``(n,)``.
    role, score, opponent
        As for `win_chances`.

    Returns
    -------
    The chances of each discard, ``(n,)`` each. What is kept, thrown and cut goes by ranks, and what
    suits add to it by how often they do. With suits it is within some 0.001 of the average.

    Raises
    ------
    TableError
        As for `win_chances`.

    Examples
    --------
    >>> from cribev.opponents.models import as_opponent
    >>> ranks = np.array([1, 4, 4, 7, 10, 11], dtype=np.uint8)
    >>> discard = np.array([2])
    >>> suitless_win_chances(ranks, discard, "pone", (115, 110), as_opponent("expert")).win.round(1)
    array([1.])
    """
    return _chances(_Ranks(ranks, discards, role, opponent), role, score, opponent)


def valid_score(
    score: tuple[int, int] | str | None, role: Role, opponent: Opponent, *, averages: bool
) -> tuple[int, int] | None:
    """Read the score that advice is asked at, if it is.

    `CribevError` if it is no score, or the play does not count, or cribs are known as averages.
    """
    points = None if score is None else as_score(score, role)
    if points and not opponent.counts_play:
        raise CribevError("a score takes the play into account: leave out one of the two")
    if points and averages:
        raise CribevError("average cribs do not say who wins: give a score, or a crib table")
    return points


def _chances(
    dealt: "_KnownDeal | _Ranks", role: Role, score: tuple[int, int], opponent: Opponent
) -> Chances:
    """Work the chances out for what is dealt, with suits or without."""
    strategy, win_table = _solved_play(opponent)
    faced, keeps = dealt.faced, dealt.keeps.tolist()
    total, played = np.zeros((3, len(keeps))), dict[tuple[Any, ...], PeggingPmf]()
    for heels in (0, HEELS):
        own_need, other_need = (WINNING_SCORE - points for points in score)
        if role == "dealer":
            own_need -= heels
        else:
            other_need -= heels
        starters = [rank for rank in range(13) if (rank == JACK) == (heels > 0)]
        kept = faced.kept[starters].sum(axis=0)
        if min(own_need, other_need) <= 0:
            total[[0, 1] if own_need <= 0 else [2]] += kept.sum()
            continue
        needs = min(own_need, POINT_BINS), min(other_need, POINT_BINS)
        ends = end_chances(win_table, role, (own_need, other_need), _MADE)
        end = _EndByCrib.of(ends, role)
        for at, keep in enumerate(keeps):
            asked = (*keep, *needs)
            if asked not in played:
                played[asked] = pegging_pmf(keep, role, faced.keeps, needs, strategy)
            pegged = played[asked]
            out, beaten = kept @ pegged.out, kept @ pegged.beaten
            cuts = dealt.cuts(at, starters)
            total[:, at] += _after_play(faced, pegged, cuts, end)
            total[:, at] += out, out, beaten
    win, out, beaten = np.clip(total.round(_DIGITS) + 0.0, 0, 1)  # and no nought below nought
    return Chances(np.clip(win, out, 1 - beaten), out, beaten)


def _solved_play(opponent: Opponent) -> tuple[PlayStrategy, WinTable]:
    """Return how the opponent plays, and how likely the dealer wins from each score."""
    solution = opponent.solved_game()
    if solution.play is None or solution.win_table is None or solution.play.strategy is None:
        raise TableError("the solution is for the show alone: nobody wins by it")
    return solution.play.strategy, solution.win_table


class LeadChances(NamedTuple):
    """How likely the game is won with each lead, by rank, ``(13,)`` each; nan if it is not kept."""

    win: Floats
    """Pone goes on as well as can be."""
    win_mean: Floats
    """Pone goes on as an expert does."""


def lead_win_chances(
    deal: Cards, discard: int, own_points: Points, score: tuple[int, int], opponent: Opponent
) -> LeadChances:
    """Work out how likely pone wins with each lead, before the cut.

    An average over the starters. In the play after the lead, pone knows of the starter only whether
    it is a jack. Averaged as an expert leads, `LeadChances.win_mean` comes to `Chances.win`.

    Parameters
    ----------
    deal
        Pone's six cards, uint8 ``(6,)``, ascending.
    discard
        The place of the discard, 0..14.
    own_points
        Points of the keep with each starter, ``(46,)``.
    score
        Pone's points before the deal and the dealer's.
    opponent
        The dealer.

    Raises
    ------
    TableError
        If the opponent's solution is without what this takes.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> from cribev.deal.outcomes import hand_scores
    >>> from cribev.opponents.models import as_opponent
    >>> deal = parse_cards("2H 5D 5H 8D JS QC")
    >>> points = hand_scores(deal)[0]  # the keep is 2 5 5 8
    >>> found = lead_win_chances(deal, 0, points, (117, 118), as_opponent("expert"))
    >>> np.flatnonzero(found.win > 0).tolist()
    [1, 4, 7]
    """
    strategy, win_table = _solved_play(opponent)
    faced = _Faced(deal, "pone", opponent)
    keep = (deal[KEEPS[discard]] >> 2).tolist()
    ranks = np.unique(keep)
    chances = np.full((2, 13), np.nan)
    chances[:, ranks] = 0
    for heels in (0, HEELS):
        needs = WINNING_SCORE - score[0], WINNING_SCORE - score[1] - heels
        starters = [rank for rank in range(13) if (rank == JACK) == (heels > 0)]
        kept = faced.kept[starters].sum(axis=0)
        if needs[1] <= 0 or not kept.any():
            continue
        later = _later_by_keep(deal, discard, own_points, faced, starters, needs, win_table)
        end = GameWon(strategy.size, needs, later)
        belief = Belief(4, np.zeros(len(later)), 0, explained=True)
        belief.chance[faced.keeps] = kept
        best = PlayTree([], "pone", keep, belief, opponent=strategy, end=end)
        chances[0, ranks] += best.cards.values[:, 0]
        for rank in ranks.tolist():
            left = list(keep)
            left.remove(rank)
            after = PlayTree([rank], "pone", left, belief, opponent=strategy, own=strategy, end=end)
            chances[1, rank] += after.value[0]
    return LeadChances(*np.clip(chances.round(_DIGITS), 0, 1))


class _Faced:
    """What the opponent may keep, throw and show beside six cards.

    Discards are as likely as the opponent's weights say; the keeps that go with them are as likely
    as the opponent's keep frequencies say.

    Attributes
    ----------
    left
        The cards unseen, by rank and suit, ``(13, 4)``.
    keeps
        The keeps there may be, numbers, ``(n,)``.
    chance
        How likely each goes with each pair of ranks thrown and each rank cut, ``(13, n, 91)``.
    kept
        The same for whatever is thrown, ``(13, n)``.
    """

    def __init__(self, deal: Cards, role: Role, opponent: Opponent) -> None:
        unseen_cards = np.ones(52, dtype=bool)
        unseen_cards[deal] = False
        self.left = unseen_cards.reshape(13, 4)
        number = self.left.sum(axis=1)
        ways, self._flush = opponent_keeps(4 - number, opponent.keep_frequencies(role))
        ranks = (unseen(deal) >> 2)[UNSEEN_PAIRS]
        pairs = rank_pair_numbers()[ranks[:, 0], ranks[:, 1]]
        thrown = np.bincount(pairs, opponent.weights(deal, role).sum(axis=1), len(RANK_PAIRS))
        # A pair that these frequencies never throw goes with what is kept beside any other.
        never = ~ways.any(axis=0)
        ways[:, never] = ways.sum(axis=1, keepdims=True)
        ways *= thrown / np.maximum(ways.sum(axis=0), np.finfo(float).tiny)
        self.keeps = np.flatnonzero(ways.any(axis=1))
        counts = keep_rank_counts()[self.keeps].T
        in_pairs = (np.arange(13)[:, None, None] == RANK_PAIRS).sum(axis=2)
        rest = number[:, None, None] - counts[:, :, None] - in_pairs[:, None]
        chance = ways[self.keeps] * np.maximum(rest, 0)
        self.chance: Floats = chance / chance.sum()
        self.kept: Floats = self.chance.sum(axis=2)
        self._hands = dict[tuple[float, ...], tuple[Index, Index, Floats]]()

    def hands(self, starters: tuple[int, ...]) -> tuple[Index, Index, Floats]:
        """List which of the keeps may make how many points with starters of a rank, and how likely.

        The arrays are ``(m,)``, by keep.
        """
        if starters not in self._hands:
            self._hands[starters] = self._list(hand_pmf(self.left, starters, self._flush))
        return self._hands[starters]

    def suitless_hands(self, rank: int, jack: float) -> tuple[Index, Index, Floats]:
        """List the same where your cards have no suits, as for `suitless_hand_pmf`."""
        if (rank, jack) not in self._hands:
            self._hands[rank, jack] = self._list(suitless_hand_pmf(rank, self._flush, jack))
        return self._hands[rank, jack]

    def _list(self, pmf: Floats) -> tuple[Index, Index, Floats]:
        pmf = pmf[self.keeps]
        row, points = np.nonzero(pmf)
        return row, points, pmf[row, points]


class _Cut(NamedTuple):
    """Starters of a rank, with what suits can add to the player's hand, and all that follows."""

    rank: int
    own: list[tuple[int, float]]
    """Points of the player's hand, and how often of all starters of the rank it makes them."""
    crib: Floats
    """How likely the crib makes so many points, by the pair thrown, ``(91, 30)``."""
    shown: tuple[Index, Index, Floats]
    """What the opponent's hand makes, as `_Faced.hands`."""


class _KnownDeal:
    """Six cards with suits: all 15 discards."""

    def __init__(self, outcomes: DealOutcomes, role: Role, opponent: Opponent) -> None:
        self.outcomes, self.faced = outcomes, _Faced(outcomes.deal, role, opponent)
        self.keeps = np.sort(outcomes.deal[KEEPS] >> 2)

    def cuts(self, discard: int, starters: list[int]) -> Iterator[_Cut]:
        """Go over the starters of these ranks by what they make of the player's hand."""
        deal, faced = self.outcomes.deal, self.faced
        rest, own_points = unseen(deal), self.outcomes.hands[discard]
        for points in np.unique(own_points).tolist():
            for rank in starters:
                cut = tuple(rest[(own_points == points) & (rest >> 2 == rank)].tolist())
                if cut:
                    share = len(cut) / int(faced.left[rank].sum())
                    crib = crib_pmf(faced.left, deal[DISCARDS[discard]], cut)
                    yield _Cut(rank, [(points, share)], crib, faced.hands(cut))


class _Ranks:
    """Six ranks, and some of the discards: each card has any suit."""

    def __init__(self, ranks: Cards, discards: Index, role: Role, opponent: Opponent) -> None:
        # What the opponent throws hardly goes by your suits: any deal of these ranks tells it.
        deals = all_suitings(ranks)
        self.faced = _Faced(deals[len(deals) // 2], role, opponent)
        self.keeps, self.discards = ranks[KEEPS[discards]], ranks[DISCARDS[discards]]

    def cuts(self, discard: int, starters: list[int]) -> Iterator[_Cut]:
        """Go over these ranks of starters, and whether they make nobs of a jack that is kept."""
        keep, thrown = self.keeps[discard], self.discards[discard]
        for rank in starters:
            jacks = 0 if rank == JACK else int((keep == JACK).sum())
            for nobs, share in ((True, jacks / 4), (False, 1 - jacks / 4)):
                if not share:
                    continue
                jack = 0.0 if nobs or rank == JACK else 1 / (4 - jacks)
                own = suitless_keep_points(keep, rank, nobs=nobs)
                yield _Cut(
                    rank,
                    [(points, share * chance) for points, chance in own],
                    suitless_crib_pmf(thrown, rank, jack),
                    self.faced.suitless_hands(rank, jack),
                )


class _EndByCrib(NamedTuple):
    """How a deal ends by the points of both without the crib, a part for each of few features.

    What the crib adds is a dot product of its pmf, as features, and the parts.
    """

    features: Floats
    """What the pmf of a crib is multiplied with, ``(30, f)``."""
    parts: Floats
    """``(3, own, other, f)``: as `end_chances`, by features."""

    @classmethod
    def of(cls, ends: Floats, role: Role) -> "_EndByCrib":
        """Find the few features that matter, where a crib of many points is rare."""
        axis = 1 if role == "dealer" else 2
        windows = sliding_window_view(ends, SHOW_BINS, axis=axis)
        of_own, of_other, of_crib = map(_often_made, windows.shape[1:])
        rows = windows * (of_own[:, None, None] * of_other[:, None] * of_crib)
        rows = rows.reshape(-1, SHOW_BINS)
        values, vectors = np.linalg.eigh(rows.T @ rows)
        vectors = vectors[:, values > _NEGLIGIBLE]
        parts = (windows * of_crib) @ vectors
        return cls(vectors / of_crib[:, None], parts)


def _often_made(points: int) -> Floats:
    """Tell roughly how often so many points are made, of hand and play or of a crib, ``(n,)``."""
    often = 10.0 ** (-np.maximum(np.arange(points) - _USUAL, 0) / _TENTH)
    share: Floats = often / often.sum()
    return share


def _after_play(faced: _Faced, pegged: PeggingPmf, cuts: Iterable[_Cut], end: _EndByCrib) -> Floats:
    """Tell how the deals end that nobody ends in the play, as `end_chances` does, ``(3,)``."""
    entries = np.bincount(pegged.faced, minlength=len(faced.keeps))
    first = entries.cumsum() - entries
    most_own, most_other = (int(part.max(initial=0)) + 1 for part in (pegged.own, pegged.opponent))
    across, features = most_other + SHOW_BINS, end.features.shape[1]
    by_points = dict[int, Floats]()
    for cut in cuts:
        cribs = (faced.chance[cut.rank] @ (cut.crib @ end.features)).T
        row, shown, likely = cut.shown
        often = entries[row]
        hand = np.repeat(np.arange(len(row)), often)
        entry = np.repeat(first[row] + often - often.cumsum(), often) + np.arange(len(hand))
        row, cell = row[hand], pegged.own[entry] * across + pegged.opponent[entry] + shown[hand]
        weights = pegged.chance[entry] * likely[hand]
        joint = np.empty((features, most_own * across))  # of nothing, bincount makes integers
        for part, crib in zip(joint, cribs, strict=True):
            part[:] = np.bincount(cell, weights * crib[row], len(part))
        for points, share in cut.own:
            by_points.setdefault(points, np.zeros_like(joint))[:] += share * joint
    total = np.zeros(3)
    for points, made in by_points.items():
        parts = end.parts[:, points : points + most_own, :across]
        total += np.tensordot(parts, made.reshape(features, most_own, across).transpose(1, 2, 0), 3)
    return total


def _later_by_keep(
    deal: Cards,
    discard: int,
    own_points: Points,
    faced: _Faced,
    starters: list[int],
    needs: tuple[int, int],
    win_table: WinTable,
) -> Floats:
    """Tell how likely pone wins after the play, one of some starters being cut.

    By the dealer's keep and the points that pone and the dealer peg, ``(1820, 32, 32)``.
    """
    ends = end_chances(win_table, "pone", needs, _MADE)[0]
    rest, thrown = unseen(deal), deal[DISCARDS[discard]]
    windows = sliding_window_view(ends, 2 * SHOW_BINS, axis=1)
    total = np.zeros((len(faced.keeps), POINT_BINS**2))
    for points in np.unique(own_points).tolist():
        shown = np.zeros((len(faced.keeps), 2 * SHOW_BINS))  # the dealer's hand and crib together
        for rank in starters:
            cut = tuple(rest[(own_points == points) & (rest >> 2 == rank)].tolist())
            if not cut:
                continue
            share = len(cut) / faced.left[rank].sum()
            crib = faced.chance[rank] @ crib_pmf(faced.left, thrown, cut) * share
            row, hand, likely = faced.hands(cut)
            for made in np.unique(hand).tolist():
                some = hand == made
                of_hand = likely[some, None] * crib[row[some]]
                shown[row[some], made : made + SHOW_BINS] += of_hand
        by_pegged = windows[points : points + POINT_BINS, :POINT_BINS]
        total += shown @ by_pegged.reshape(-1, 2 * SHOW_BINS).T
    kept = faced.kept[starters].sum(axis=0)[:, None]
    later = np.zeros((RANK_KEEPS, POINT_BINS, POINT_BINS))
    given = np.divide(total, kept, out=np.zeros_like(total), where=kept > 0)
    later[faced.keeps] = given.reshape(-1, POINT_BINS, POINT_BINS)
    return later


def end_chances(
    win_table: WinTable, role: Role, needs: tuple[int, int], made: tuple[int, int]
) -> Floats:
    """Tell how a deal ends by the points each makes of it, if nobody is out before the show.

    Parameters
    ----------
    win_table
        How likely the dealer wins from the score before a deal.
    role
        The player's role.
    needs
        How many points the player and the opponent need.
    made
        How many numbers of points to tabulate, from 0 up.

    Returns
    -------
    How likely the player wins, whether the player gets out, and whether the opponent does,
    ``(3, own, other)``.
    """
    own, other = np.ogrid[: made[0], : made[1]]
    left, other_left = np.broadcast_arrays(needs[0] - own, needs[1] - other)
    # Pone's hand counts first; then all that the dealer has.
    out = left <= 0 if role == "pone" else (left <= 0) & (other_left > 0)
    beaten = other_left <= 0 if role == "dealer" else (other_left <= 0) & (left > 0)
    now, other_now = (
        np.clip(WINNING_SCORE - need, 0, WINNING_SCORE - 1) for need in (left, other_left)
    )
    later = win_table.win[now, other_now] if role == "pone" else 1 - win_table.win[other_now, now]
    win = np.where(out, 1.0, np.where(beaten, 0.0, later))
    return np.stack([win, out, beaten]).astype(np.float64)
