"""Chances to win the game from the middle of a play."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from cribev.classes.canonical import RANK_PAIRS, Floats, Index
from cribev.game.cards import JACK, SUITLESS_OFFSET, rank_of
from cribev.game.deal import Held, Position
from cribev.game.outcomes import Goal, Outcomes, sum_to_one, wins_of
from cribev.game.roles import Role, opposite_role
from cribev.game.score import Score
from cribev.game.scorer import score_hands
from cribev.solution.solved_play import POINT_BINS, KeepFrequencies
from cribev.solution.strategy import RANK_KEEPS, GameSize
from cribev.solution.win_table import (
    LOST,
    WON,
    DealEnds,
    Lines,
    WinTable,
    lines_behind,
    skunk_lines,
)
from cribev.values.holdings import trembling
from cribev.values.pegging import Ends, EndValue, Packing, keeps_of
from cribev.wins.hands import (
    SHOW_BINS,
    crib_pmf,
    crib_suits,
    hand_points,
    opponent_keeps,
    played_hand_suits,
    suitless_crib_pmf,
    suitless_hand_suits,
)

_DIGITS = 12  # round away what floating point leaves


class Shown(NamedTuple):
    """Points shown after the play."""

    own: int  # points of the player's hand
    opponent: Floats  # distribution of the opponent's hand by keep, ``(1820, 30)``
    crib: Floats  # how likely the crib has, ``(1820, 30)``


def shown_by_keep(position: Position, frequencies: KeepFrequencies) -> Shown:
    """Return what is shown by what the opponent keeps; your cards and the starter have suits.

    So may cards that the opponent has played: they are in no crib, and count for nobs and a flush.
    The opponent trembles, as in `believe`. Rows of keeps that lack the cards played mean nothing.
    """
    held, starter = position.held, position.starter or 0
    theirs = position.play.played_by(opposite_role(position.role))
    played = [card for card in theirs if card < SUITLESS_OFFSET]
    cards, discard = np.array([*held.dealt, starter]), np.array([held.discard])
    left = np.ones(52, dtype=bool)
    left[[*cards, *played]] = False
    by_rank = left.reshape(13, 4)
    pairs, flush = opponent_keeps(np.bincount(cards >> 2, minlength=13), trembling(frequencies))
    suits = crib_suits(by_rank, discard, starter)
    (by_pair,) = crib_pmf(discard, cards[-1:] >> 2, suits)
    crib = pairs / np.maximum(pairs.sum(axis=1, keepdims=True), np.finfo(float).tiny) @ by_pair
    own = int(score_hands(np.array([held.kept]), cards[-1:])[0])
    of_hand = played_hand_suits(by_rank, starter, played, flush)
    hands = hand_points(starter >> 2, of_hand, np.arange(RANK_KEEPS))
    return Shown(own, hands.pmf(), crib)


_FEW = 16  # ways to give suits to all cards: up to this many are worked out one by one


def shown_over_suits(
    position: Position, frequencies: KeepFrequencies, own: KeepFrequencies
) -> list[tuple[float, Shown]]:
    """List what may be shown, and how likely, averaged over the suits that can be.

    If there are few, each counts by itself; if many, only the suits of your hand and the starter
    do. An unknown discard is what goes with the keep by `own`, how often a player of the role keeps
    what; points of both hands go together as far as one has nobs.
    """
    assert position.starter is not None
    held, theirs = position.held, position.play.played_by(opposite_role(position.role))
    if held.discard:
        cards = [*held.kept, *held.discard, position.starter]
        if len(suitings := _suitings(cards, theirs, most=_FEW)):
            suited = [
                replace(position, held=Held(kept, (out, other)), starter=cut)
                for *kept, out, other, cut in suitings.tolist()
            ]
            return [
                (1 / len(suitings), shown_by_keep(suited_hand, frequencies))
                for suited_hand in suited
            ]
    hands = _suitings([*held.kept, position.starter], theirs)
    points = score_hands(hands[:, :4], hands[:, 4])
    has_nobs = (hands[:, :4] == (4 * JACK + (hands[:, 4:] & 3))).any(axis=1)
    has_nobs &= hands[:, 4] >> 2 != JACK
    rank, keep = rank_of(position.starter), np.array(sorted(map(rank_of, position.held.kept)))
    discarded = np.array([list(map(rank_of, position.held.discard))], dtype=np.intp)
    often = np.ones(1)
    if not discarded.size:
        pairs, _ = opponent_keeps(np.bincount([rank], minlength=13), trembling(own))
        of_keep = pairs[int(np.flatnonzero((GameSize().holdings(4) == keep).all(axis=1))[0])]
        cells = np.flatnonzero(of_keep)
        discarded, often = RANK_PAIRS[cells], of_keep[cells] / of_keep.sum()
    pairs, flush = opponent_keeps(position.dead_ranks, trembling(frequencies))
    pairs /= np.maximum(pairs.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    jacks, shown = int((keep == JACK).sum()) * (rank != JACK), list[tuple[float, Shown]]()
    for nobs in (True, False):
        if not (has_nobs == nobs).any():
            continue
        likely = np.bincount(points[has_nobs == nobs]) / len(points)
        jack = 0.0 if nobs or rank == JACK else 1 / (4 - jacks)
        suits = suitless_hand_suits(rank, flush, jack)
        theirs_by_keep = hand_points(rank, suits, np.arange(RANK_KEEPS)).pmf()
        by_pair = sum(
            chance * suitless_crib_pmf(pair, rank, jack)
            for pair, chance in zip(discarded, often.tolist(), strict=True)
        )
        crib = pairs @ by_pair
        shown += [
            (float(likely[own]), Shown(own, theirs_by_keep, crib))
            for own in np.flatnonzero(likely).tolist()
        ]
    return shown


def _suitings(cards: Sequence[int], elsewhere: Sequence[int], *, most: int = 1 << 10) -> Index:
    """List all ways to assign suits to cards without one, ``(n, …)``; none if above `most`."""
    seen = {*cards, *elsewhere}
    may = [
        [card]
        if card < SUITLESS_OFFSET
        else [
            other for other in range(4 * rank_of(card), 4 * rank_of(card) + 4) if other not in seen
        ]
        for card in cards
    ]
    if prod(map(len, may)) > most:
        return np.empty((0, len(cards)), dtype=np.intp)
    hands = [hand for hand in product(*may) if len({*hand}) == len(hand)]
    return np.array(hands, dtype=np.intp).reshape(-1, len(cards))


class PlayEnds(NamedTuple):
    """Ends of the play that end the game: each ``(n, m)``."""

    own: Index  # points pegged by the player
    opponent: Index
    out: NDArray[np.bool_]  # the player is out first
    beaten: NDArray[np.bool_]  # the opponent is
    behind: Index  # how many lines the other is behind then

    @property
    def part(self) -> Index:
        """Return the index in `Outcomes`; -1 where the game goes on."""
        over = np.where(self.out, np.take(WON, self.behind), np.take(LOST, self.behind))
        return np.where(self.out | self.beaten, over, -1)


class GameWon(EndValue):
    """Values the end of a play by the chance to win the game, or by all `Outcomes`.

    `needs` is how many points the player and the opponent need; `later` how likely the player wins
    after the play, by the opponent's keep and points pegged from here by both, ``(N(kept), P, Q)``;
    more points than fit count as the most. With `lines`, as `skunk_lines`, there is such a table
    for each of `Outcomes`, ``(6, N(kept), P, Q)``, and `goal` says what the player wants most of.
    With `rows`, ``(N(kept),)``, these tables have no more keeps than there may be.
    """

    packing = Packing(forced_bits=5)

    def __init__(
        self,
        size: GameSize,
        needs: tuple[int, int],
        later: Floats,
        lines: Lines = ((), ()),
        goal: Goal = wins_of,
        rows: Index | None = None,
    ) -> None:
        self._size, self._needs, self._lines, self._goal = size, needs, lines, goal
        self._rows = np.arange(later.shape[-3]) if rows is None else rows
        self._later = later if later.ndim == 4 else later[None]
        self.parts = len(self._later)

    def decided(self, ends: Ends) -> PlayEnds:
        """Return how the game ends with the play."""
        own, other, own_first = np.broadcast_arrays(ends.own, ends.opponent, ends.own_first)
        # Forced points at the end fall after all others, one player's before the other's.
        own_forced, other_forced = map(self.packing.forced, (own, other))
        own, other = map(self.packing.total, (own, other))
        out, beaten = own >= self._needs[0], other >= self._needs[1]
        out, beaten = out & (~beaten | own_first), beaten & ~(out & own_first)
        own_then, other_then = own - own_forced * ~own_first, other - other_forced * own_first
        behind = (
            lines_behind(points, lines)
            for points, lines in zip((own_then, other_then), self._lines, strict=True)
        )
        return PlayEnds(own, other, out, beaten, np.where(beaten, *behind))

    def value(self, ends: Ends) -> Floats:
        """Sum the chances over the opponent's cards."""
        decided = self.decided(ends)
        keeps = keeps_of(self._size, ends.left)[ends.played[:, 0]]
        own, other = (most - 1 for most in self._later.shape[2:])
        cell = self._rows[keeps], np.minimum(decided.own, own), np.minimum(decided.opponent, other)
        over, sums = decided.out | decided.beaten, np.zeros((len(keeps), self.parts))
        ended = [decided.out] if self.parts == 1 else map(decided.part.__eq__, range(self.parts))
        for outcome, (later, now) in enumerate(zip(self._later, ended, strict=True)):
            chance = np.broadcast_to(np.where(over, now, later[cell]), keeps.shape)
            sums[:, outcome] = np.einsum("nm,nm->n", ends.weights, chance)
        return sums

    def is_over(self, own: Index, opponent: Index) -> NDArray[np.bool_]:
        """Mark the plays that end the game."""
        own, opponent = map(self.packing.chosen, (own, opponent))
        over: NDArray[np.bool_] = (own >= self._needs[0]) | (opponent >= self._needs[1])
        return over

    def objective(self, values: Floats) -> Floats:
        """Win."""
        if self.parts == 1:
            return values[..., 0]
        worth = self._goal(Outcomes(*np.moveaxis(values, -1, 0)))
        return worth.round(_DIGITS)  # of what is worth as much the first is chosen, not by rounding

    def outcomes(self, values: Floats) -> Outcomes[Floats]:
        """Name the numbers that ends are worth, ``(..., parts)``, rounded."""
        chances = np.moveaxis(values, -1, 0)
        return Outcomes.of_nested(*chances) if self.parts == 1 else Outcomes(*sum_to_one(chances))


def game_won(
    role: Role,
    score: Score,
    shown: list[tuple[float, Shown]],
    keeps: Index,
    win_table: WinTable,
    goal: Goal = wins_of,
) -> GameWon:
    """Work out how likely a player wins after the play, against one who counts points.

    The score is that now; the opponent has one of the `keeps`, numbers, and `shown` is what may be
    shown, and how likely. Where somebody may be skunked, how likely that is too; `goal` is what the
    player wants most of.
    """
    lines, needs = skunk_lines(score, role), score.needs(role)
    is_open = max(map(max, lines)) > 0
    ends = DealEnds.of(win_table, role, score, (POINT_BINS + 2 * SHOW_BINS,) * 2)
    tables = ends.now + ends.later if is_open else ends.win(role)[None]
    rows = np.full(RANK_KEEPS, len(keeps))  # the last is of keeps that cannot be
    rows[keeps] = np.arange(len(keeps))
    pegs = min(needs[0], POINT_BINS), min(needs[1], POINT_BINS)  # with more the play ends the game
    later = np.zeros((len(tables), len(keeps) + 1, *pegs))
    own, other = np.ogrid[: pegs[0], : pegs[1]]
    for often, hands_shown in shown:
        _add_after_show(
            role, tables[:, hands_shown.own :], hands_shown, keeps, often, later[:, :-1]
        )
        if is_open and role == "pone":
            is_out, behind = own + hands_shown.own >= needs[0], lines_behind(other, lines[1])
            for skunks, outcome in enumerate(WON):
                later[outcome, :-1] += often * (is_out & (behind == skunks))
        elif is_open:
            at_least = hands_shown.opponent[keeps, ::-1].cumsum(axis=1)[:, ::-1]
            at_least = np.column_stack([at_least, np.zeros(len(keeps))])
            out = often * at_least[:, np.clip(needs[1] - other, 0, SHOW_BINS)]
            behind = lines_behind(own, lines[0])
            for skunks, outcome in enumerate(LOST):
                later[outcome, :-1] += out * (behind == skunks)
    return GameWon(GameSize(), needs, later, lines if is_open else ((), ()), goal, rows)


def _add_after_show(
    role: Role, tables: Floats, shown: Shown, keeps: Index, often: float, later: Floats
) -> None:
    """Add averages of tables by the points of both over what is shown, so ``often``.

    They are by table, keep and points pegged, ``(tables, n, P, Q)``.
    """
    most = later.shape[2:]
    hand, crib = shown.opponent[keeps] * often, shown.crib[keeps]
    possible = [(table, total) for table, total in zip(tables, later, strict=True) if table.any()]
    if role == "pone":  # all is the opponent's
        both = np.zeros((len(keeps), 2 * SHOW_BINS - 1))
        for points in range(SHOW_BINS):
            both[:, points : points + SHOW_BINS] += hand[:, points, None] * crib
        reached = np.flatnonzero(both.any(axis=0))
        both = both[:, : reached.max(initial=0) + 1]
        for table, total in possible:
            windows = sliding_window_view(table, both.shape[1], axis=1)[: most[0], : most[1]]
            averages = both @ windows.reshape(-1, both.shape[1]).T
            total += averages.reshape(total.shape)
        return
    across = most[1] + SHOW_BINS
    makes = [np.flatnonzero(hand[:, points]) for points in range(SHOW_BINS)]  # few of each keep
    for table, total in possible:
        windows = sliding_window_view(table, SHOW_BINS, axis=0)[: most[0], :across]
        with_crib = crib @ windows.reshape(-1, SHOW_BINS).T
        with_crib = with_crib.reshape(len(keeps), most[0], across)
        for points, reached in enumerate(makes):
            if len(reached):
                added = with_crib[reached, :, points : points + most[1]]
                added *= hand[reached, points, None, None]
                total[reached] += added
