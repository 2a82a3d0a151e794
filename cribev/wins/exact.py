"""Chances to win the game: with each discard, each lead, and from the middle of a play.

Points count in this order: heels, the play, pone's hand, the dealer's hand, the crib. If nobody is
out by then, the game goes on from the win table, with roles exchanged. Before the cut, the play of
each keep is followed card by card against every keep of the opponent: both play by the solved
strategy, or the opponent by habits and the player by the best response. The starter enters by its
rank and by what the player's hand makes with it. The opponent's hand and discard, as they go
together, enter by ranks. Unseen suits are as likely as cards are left, except that a flush is kept
as often as the opponent keeps one. Six ranks without suits have every suit equally often. Cards of
two ranks then have independent suits, so the averages over all suits are products.

In the middle of a play, hand and crib of each of the opponent's keeps count independently. All pmfs
of hands and cribs are over 0 to 29 points.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import add
from typing import Any, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from cribev.classes.canonical import Floats, Index
from cribev.classes.ranking import net_points
from cribev.errors import TableError
from cribev.game.cards import JACK, Cards
from cribev.game.index_tables import KEEPS, Points
from cribev.game.outcomes import Outcomes, sum_to_one
from cribev.game.roles import Role, opposite_role
from cribev.game.score import SKUNK_LINES, Score
from cribev.game.words import MIN_SHOWN_CHANCE, say_chance
from cribev.opponents.opponents import Opponent
from cribev.solution.solution import shipped_strategy
from cribev.solution.solved_play import POINT_BINS
from cribev.solution.strategy import RANK_KEEPS, GameSize, PlayStrategy
from cribev.solution.win_table import (
    LOST,
    WON,
    DealEnds,
    Lines,
    WinTable,
    lines_behind,
    skunk_lines,
)
from cribev.system.blas import one_blas_thread
from cribev.values.counts import hand_scores
from cribev.values.holdings import Belief
from cribev.values.pegging import Ends, PlayTree, keeps_of
from cribev.values.replies import BestReply
from cribev.wins.hands import SHOW_BINS, OpponentHands, StarterGroup, SuitedDeal, SuitlessDeal
from cribev.wins.in_play import GameWon

_Chance = TypeVar("_Chance", bound=Any)  # numbers, one or many
_MIN_GOES_ON = 0.001  # of deals: if the game goes on less often, the text leaves out what follows


class PeggingPmf(NamedTuple):
    """Points pegged against each keep; ``(m,)`` entries of keep and points while nobody is out."""

    place: Index  # of the keep among those asked for
    own: Index
    opponent: Index
    chance: Floats
    over: Floats
    """Chances of each end of the game in the play, as `Outcomes`, by the keep asked for, ``(6,
    n)``; without lines nobody is skunked."""

    @property
    def out(self) -> Floats:
        """The chance that the player is out first, by the keep asked for, ``(n,)``."""
        return np.asarray(self.over[:3].sum(axis=0))

    @property
    def beaten(self) -> Floats:
        """The chance that the opponent is, ``(n,)``."""
        return np.asarray(self.over[3:].sum(axis=0))


def pegging_pmf(
    keeps: Index,
    role: Role,
    against: Index,
    needs: tuple[int, int],
    strategy: PlayStrategy,
    *,
    own: PlayStrategy | None = None,
) -> list[PeggingPmf]:
    """Play keeps ``(hands, 4)`` against others, ``(n,)``; needs above 31 count as 32.

    The player plays by the opponent's strategy too, unless by an ``own`` one.
    """
    return _PeggingTally.of_play(keeps, role, against, needs, strategy, own).pmfs(needs)


class _PeggingTally(GameWon):
    """Records each end of a play, up to the point that wins, with its chance."""

    def __init__(
        self, hands: int, role: Role, against: Index, needs: tuple[int, int], size: GameSize
    ) -> None:
        needed = min(needs[0], POINT_BINS), min(needs[1], POINT_BINS)
        super().__init__(size, needed, np.empty((1, 0, 0, 0)))
        self._role, self._against, self._noted = role, against, list[tuple[Any, ...]]()
        self._shape = hands, size.holding_count(size.kept)  # and keeps there can be
        self._ends = list[Any]()

    @classmethod
    def of_play(
        cls,
        keeps: Index,
        role: Role,
        against: Index,
        needs: tuple[int, int],
        strategy: PlayStrategy,
        own: PlayStrategy | None = None,
    ) -> Self:
        """Walk the play of keeps, ``(hands, 4)``, against others, and record how each ends."""
        tally = cls(len(keeps), role, against, needs, strategy.size)
        chance = np.zeros(tally._shape[1])
        chance[against] = 1
        belief = Belief(strategy.size.kept, chance, 0, explained=True)
        _ = PlayTree([], role, keeps, belief, opponent=strategy, own=own or strategy, end=tally)
        tally._ends = list(map(np.concatenate, zip(*tally._noted, strict=True)))
        return tally

    def value(self, ends: Ends) -> Floats:
        """Record the chance that the play ends with each number of points."""
        cells = np.flatnonzero(ends.weights)
        row, column = np.divmod(cells, ends.weights.shape[1])
        keeps = keeps_of(self._size, ends.left)[ends.played[row, 0], column]
        pairs = ends.hand[row, 0] * self._shape[1] + keeps
        points = (
            np.broadcast_to(column_points, ends.weights.shape)[row, column]
            for column_points in (ends.own, ends.opponent, ends.own_first)
        )
        self._noted.append((pairs, ends.weights.ravel()[cells], *points))
        worth: Floats = ends.weights.sum(axis=1, keepdims=True)
        return worth

    def is_reached(self, need: int) -> bool:
        """Return whether the dealer ever pegs what is needed."""
        code = self._ends[2 if self._role == "dealer" else 3]
        return bool((self.packing.total(code) >= need).any())

    def pmfs(self, needs: tuple[int, int], lines: Lines = ((), ())) -> list[PeggingPmf]:
        """Combine what was recorded for each hand.

        The dealer may need less than in the walk, if that is never reached or there are no lines.
        A dealer who gets there within the walk got there before pone.
        """
        (hands, keeps), against = self._shape, self._against
        pairs, weights, own, other, own_first = self._ends
        is_dealer, self._needs, self._lines = self._role == "dealer", needs, lines
        enough = self.packing.chosen(own if is_dealer else other) >= needs[not is_dealer]
        own_first = np.where(enough, is_dealer, own_first)
        decided = self.decided(Ends(weights, own, other, own_first, pairs, pairs, 0))
        outcome = decided.part
        on = outcome < 0
        cells = pairs[~on] * _PARTS + outcome[~on]
        over = np.bincount(cells, weights[~on], hands * keeps * _PARTS)
        over = over.reshape(hands, keeps, _PARTS)[:, against].swapaxes(1, 2)
        place = np.full(keeps, -1)
        place[against] = np.arange(len(against))
        hand, keep = np.divmod(pairs[on], keeps)
        order = hand.astype(np.int16).argsort(kind="stable")
        points = (np.minimum(pegs[on], POINT_BINS - 1) for pegs in decided[:2])
        entries = [column[order] for column in (place[keep], *points, weights[on])]
        starts = hand[order].searchsorted(np.arange(hands + 1))
        pmfs = []
        for (start, stop), over_of_hand in zip(pairwise(starts), over, strict=True):
            columns = (column[start:stop] for column in entries)
            pmfs.append(PeggingPmf._make([*columns, over_of_hand]))
        return pmfs


POINTS_MADE = (POINT_BINS + 2 * SHOW_BINS,) * 2
"""Numbers of points of both, more than anyone makes of a deal."""

WIN_DIGITS = 12  # round, so that impossible outcomes are exactly 0


class Chances(NamedTuple, Generic[_Chance]):
    """Chances of how a deal ends, 0 to 1, for each of 15 discards, ``(15,)``, or for one."""

    now: Outcomes[_Chance]  # how the game may end in this deal
    later: Outcomes[_Chance]  # and how after it; together they are one
    out_in_play: _Chance  # the player gets out by heels or in the play; part of `out`
    beaten_in_play: _Chance  # the opponent does; part of `beaten`
    dealer_by_hand: _Chance
    """The dealer, on either side, goes out with the hand, before the crib; part of the others."""

    @property
    def outcomes(self) -> Outcomes[_Chance]:
        """The chances of each end of the game, now or later."""
        return Outcomes(*map(add, self.now, self.later))

    @property
    def win(self) -> _Chance:
        """The game is won, now or later."""
        return self.outcomes.win

    @property
    def out(self) -> _Chance:
        """The player gets out in this deal."""
        return self.now.win

    @property
    def beaten(self) -> _Chance:
        """The opponent does."""
        return self.now.lose

    def of(self, discard: int) -> "Chances[float]":
        """Return the chances of one discard."""
        now, later = (Outcomes(*(float(chances[discard]) for chances in ends)) for ends in self[:2])
        return Chances(now, later, *(float(chances[discard]) for chances in self[2:]))

    def by_part(self, role: Role) -> dict[str, dict[str, _Chance]]:
        """Split how likely the player gets out in this deal, and the opponent, by what it is."""
        of_player = (self.out, self.out_in_play), (self.beaten, self.beaten_in_play)
        chances = dict[str, dict[str, _Chance]]()
        for name, whose, (total, in_play) in zip(
            ("out_by", "beaten_by"), (role, opposite_role(role)), of_player, strict=True
        ):
            in_show: Any = np.round(total - in_play, WIN_DIGITS - 1) + 0.0
            by_hand: Any = self.dealer_by_hand if whose == "dealer" else in_show
            crib = np.round(in_show - by_hand, WIN_DIGITS - 1) + 0.0
            chances[name] = {"play": in_play, "hand": by_hand}
            chances[name] |= {"crib": crib} if whose == "dealer" else {}
        return chances

    def to_dict(self, role: Role) -> dict[str, Any]:
        """Return the chances by name, ready for JSON."""
        named = self.outcomes.to_dict()
        named = {"win": named.pop("win"), "out": self.out, "beaten": self.beaten, **named}
        del named["lose"]
        return {**named, **self.by_part(role)}

    def text(self, role: Role) -> str:
        """Describe how the game may end with one discard."""
        of_player = []
        for total, by_part in zip(
            (self.out, self.beaten), self.by_part(role).values(), strict=True
        ):
            told = [
                f"{name} {say_chance(chance)}"
                for name, chance in by_part.items()
                if chance >= MIN_SHOWN_CHANCE
            ]
            of_player.append((say_chance(total), f" ({', '.join(told)})" if told else ""))
        (own, own_parts), (other, other_parts) = of_player
        text = f"You win in this deal {own} of the time{own_parts}"
        text += f", your opponent {other}{other_parts}"
        on = self.later.win + self.later.lose
        if on < _MIN_GOES_ON:
            return f"{text}."
        return f"{text}; if the game goes on you win {say_chance(self.later.win / on)}."


_PARTS = len(Outcomes._fields)
_OUT_IN_PLAY, _BEATEN_IN_PLAY, _DEALER_BY_HAND = range(2 * _PARTS, 2 * _PARTS + 3)
"""Rows of an array of `Chances`, after those of how the game ends now, and later."""


# A question comes again: as text, as a table, from a page, and in a review.
@lru_cache(maxsize=256)
@one_blas_thread()
def win_chances(
    deal: tuple[int, ...], role: Role, score: Score, opponent: Opponent
) -> Chances[Floats]:
    """Return how likely each discard of six ascending cards wins: read-only arrays, ``(15,)``."""
    cards = np.array(deal, dtype=np.uint8)
    return _chances(SuitedDeal(cards, hand_scores(cards), role, opponent), role, score, opponent)


@one_blas_thread()
def suitless_win_chances(
    ranks: Cards, discards: Index, role: Role, score: Score, opponent: Opponent
) -> Chances[Floats]:
    """Return how likely each discard of six ascending ranks wins, averaged over suits."""
    return _chances(SuitlessDeal(ranks, discards, role, opponent), role, score, opponent)


def _chances(
    dealt: SuitedDeal | SuitlessDeal, role: Role, score: Score, opponent: Opponent
) -> Chances[Floats]:
    """Return the chances for a deal with or without suits."""
    strategy, win_table = solved_play(opponent)
    keeps, keep_of_discard = np.unique(dealt.keeps.astype(np.intp), axis=0, return_inverse=True)
    own = _own_play(dealt, keeps, role, opponent, strategy)
    total, walked = np.zeros((_DEALER_BY_HAND + 1, len(keep_of_discard))), list[_PeggingTally]()
    is_open = min(score) < SKUNK_LINES[0]
    for starters, kept, now in _by_heels(dealt, score):
        if not kept.any():  # one player has all the jacks
            continue
        (own_need, other_need), lines = now.needs(role), skunk_lines(now, role)
        if min(own_need, other_need) <= 0:
            own_out = own_need <= 0
            skunks = sum(line > 0 for line in lines[own_out])
            outcome = (WON if own_out else LOST)[skunks]
            total[[outcome, _OUT_IN_PLAY if own_out else _BEATEN_IN_PLAY]] += kept.sum()
            continue
        needs = min(own_need, POINT_BINS), min(other_need, POINT_BINS)
        ends = DealEnds.of(win_table, role, now, POINTS_MADE)
        # Lines matter only if a player can be out in the play. With heels the dealer needs less:
        # without lines, or if the play never brings as much, the same walk serves.
        lines = lines if is_open and min(needs) < POINT_BINS else ((), ())
        is_reached = not walked or walked[0].is_reached(needs[role == "pone"])
        if not walked or (is_reached and any(lines)):
            against = dealt.opponent.keeps
            walked = [_PeggingTally.of_play(keeps, role, against, needs, strategy, own)]
        if is_reached or any(lines):
            played = walked[0].pmfs(needs, lines)
        pegged = [played[keep] for keep in keep_of_discard.ravel().tolist()]
        _add_after_play(dealt, pegged, starters, ends, now, role, total)
        for discard, pmf in enumerate(pegged):
            over = pmf.over @ kept
            total[:_PARTS, discard] += over
            total[[_OUT_IN_PLAY, _BEATEN_IN_PLAY], discard] += over[:3].sum(), over[3:].sum()
    total[:_OUT_IN_PLAY] = sum_to_one(total[:_OUT_IN_PLAY])
    total[_OUT_IN_PLAY:] = total[_OUT_IN_PLAY:].round(WIN_DIGITS)
    total.flags.writeable = False
    now_or_later = (Outcomes(*total[first : first + _PARTS]) for first in (0, _PARTS))
    return Chances(*now_or_later, *total[_OUT_IN_PLAY:])


def _own_play(
    dealt: SuitedDeal | SuitlessDeal,
    keeps: Index,
    role: Role,
    opponent: Opponent,
    strategy: PlayStrategy,
) -> PlayStrategy:
    """Return the strategy for keeps, ``(hands, 4)``: the opponent's, or the best response."""
    if not opponent.is_replied_to:
        return strategy
    chance = np.zeros(RANK_KEEPS)
    chance[dealt.opponent.keeps] = dealt.opponent.kept.sum(axis=0)
    return BestReply(keeps, role, chance, strategy)


FIRST_PEGGED = 1 - POINT_BINS
"""The least of the player's points pegged less the opponent's that is told."""
FIRST_TOTAL = 1 - SHOW_BINS + FIRST_PEGGED  # the least of hand, crib with its sign, and that
PLAY_PARTS = {"play_own": 0, "play_opponent": 0, "play": FIRST_PEGGED, "with_play": FIRST_TOTAL}
"""The names in tables of the points that each player pegs, of the player's less the opponent's, and
of hand, crib with its sign, and that; with the least number of each."""


@one_blas_thread()
def deal_pmfs(
    deal: Cards, points: Points, discard: int, role: Role, opponent: Opponent
) -> list[Floats]:
    """Return how likely a discard brings how much of each of `PLAY_PARTS`, without heels."""
    dealt, (strategy, _) = SuitedDeal(deal, points, role, opponent), solved_play(opponent)
    across, most = dealt.opponent, (POINT_BINS, POINT_BINS)
    keep = dealt.keeps[[discard]].astype(np.intp)
    own_play = _own_play(dealt, keep, role, opponent, strategy)
    (pegged,) = pegging_pmf(keep, role, across.keeps, most, strategy, own=own_play)
    weights = pegged.chance * across.kept.sum(axis=0)[pegged.place]
    own, other = (np.bincount(pegs, weights, POINT_BINS) for pegs in (pegged.own, pegged.opponent))
    width = 2 * POINT_BINS - 1
    cell = pegged.place * width + pegged.own - pegged.opponent - FIRST_PEGGED
    net = np.bincount(cell, pegged.chance, len(across.keeps) * width).reshape(-1, width)
    shown = np.zeros((len(across.keeps), 3 * SHOW_BINS - 2))
    for group in dealt.starter_groups(discard, range(13)):
        cribs = across.with_cribs([(group.rank, group.crib)])[0].T
        for hand, share in group.own:
            place = net_points(np.array(hand), np.arange(SHOW_BINS), role) + SHOW_BINS - 1
            shown[:, place] += share * cribs
    both = shown.T @ net
    total = np.bincount(np.add(*np.indices(both.shape)).ravel(), both.ravel())
    pmfs = own, other, np.bincount(cell % width, weights, width), total
    return [sum_to_one(pmf.astype(np.float64)) for pmf in pmfs]


def _by_heels(
    dealt: SuitedDeal | SuitlessDeal, score: Score
) -> Iterator[tuple[list[int], Floats, Score]]:
    """Split the starters by heels: their ranks, how likely each keep goes with them, the score."""
    for jack in (None, 4 * JACK):
        starters = [rank for rank in range(13) if (rank == JACK) == (jack is not None)]
        yield starters, dealt.opponent.kept[starters].sum(axis=0), score.plus(starter=jack)


def solved_play(opponent: Opponent) -> tuple[PlayStrategy, WinTable]:
    """Return the opponent's strategy of play, and the dealer's chance to win by score."""
    solution = opponent.play.game()
    if solution.play is None or solution.win_table is None or solution.play.strategy is None:
        raise TableError("the solution is for the show alone: nobody wins by it")
    return solution.play.strategy, solution.win_table


def _add_after_play(
    dealt: SuitedDeal | SuitlessDeal,
    pegged: Sequence[PeggingPmf],
    starters: Sequence[int],
    ends: DealEnds,
    now: Score,
    role: Role,
    total: Floats,
) -> None:
    """Add how deals end that nobody ends in the play to the rows of `Chances`."""
    likely, lines = np.empty((len(pegged), ends.by_pone.size)), skunk_lines(now, role)
    by_pone = list(WON if role == "pone" else LOST)
    for discard, pmf in enumerate(pegged):
        groups = list(dealt.starter_groups(discard, starters))
        shown = _HandsShown(dealt.opponent, groups, now.needs(role))
        by_dealer, by_lines = shown.out_by_hand(pmf, role, lines)
        total[_DEALER_BY_HAND, discard] += by_dealer
        total[by_pone, discard] += by_lines
        likely[discard] = shown.points_made(pmf, role).ravel()
    tables = np.concatenate([ends.now, ends.later])
    possible = np.flatnonzero(tables.any(axis=(1, 2)))
    total[possible] += tables[possible].reshape(len(possible), -1) @ likely.T


class _HandsShown:
    """The hands of both by the opponent's keep, and the crib, for one discard and some starters."""

    def __init__(
        self, opponent: OpponentHands, groups: Sequence[StarterGroup], needs: tuple[int, int]
    ) -> None:
        self._opponent, self._needs = opponent, needs
        self._groups = sorted(groups, key=lambda group: group.own[0])
        # More points than are needed are as good.
        self._own = sorted({min(points, needs[0]) for group in groups for points, _ in group.own})

    def _place(self, points: int) -> int:
        return self._own.index(min(points, self._needs[0]))

    def _at_least(self) -> Floats:
        """Return how likely each keep is, given the player's hand, to make at least each number."""
        keeps, own = len(self._opponent.keeps), len(self._own)
        chances = np.zeros((min(self._needs[1], SHOW_BINS) + 1, own, keeps))
        for group in self._groups:
            keep, points, likely = group.shown
            chance = likely * self._opponent.kept[group.rank].take(keep)
            for own_points, share in group.own:
                row = np.minimum(points, self._needs[1]) * own + self._place(own_points)
                np.add.at(chances.ravel(), row * keeps + keep, share * chance)
        for more, least in pairwise(chances[::-1]):  # faster than a sum over the whole
            least += more
        return chances

    def out_by_hand(self, pegged: PeggingPmf, role: Role, lines: Lines) -> tuple[float, Floats]:
        """Return how likely the dealer goes out by the hand; pone by lines the dealer missed."""
        own_hand, need = np.array(self._own)[:, None], self._needs
        out = own_hand + pegged.own >= need[0]
        if not out.any() and pegged.opponent.max(initial=0) + SHOW_BINS <= need[1]:
            return 0.0, np.zeros(len(SKUNK_LINES) + 1)
        at_least = self._at_least()
        enough = np.clip(need[1] - pegged.opponent, 0, len(at_least) - 1)
        reach = at_least[enough, :, pegged.place].T * pegged.chance
        whole = at_least[0].take(pegged.place, axis=1) * pegged.chance
        if role == "dealer":
            by_dealer, by_pone = (whole - reach) * out, reach
            behind = lines_behind(pegged.own, lines[0])
        else:
            by_dealer, by_pone = reach * ~out, whole * out
            behind = lines_behind(pegged.opponent, lines[1])
        by_lines = np.bincount(behind, by_pone.sum(axis=0), len(SKUNK_LINES) + 1)
        return by_dealer.sum(), by_lines.astype(np.float64)

    def points_made(self, pegged: PeggingPmf, role: Role) -> Floats:
        """Return the joint distribution of what both make of the deal, `POINTS_MADE`."""
        if not len(pegged.place):
            return np.zeros(POINTS_MADE)
        is_pone, most, keeps = role == "pone", POINTS_MADE[0], len(self._opponent.keeps)
        pone, dealer = pegged.own, pegged.opponent
        if not is_pone:
            pone, dealer = dealer, pone
        both = dealer * most + pone
        is_pegged = np.bincount(both) > 0
        pegs = np.flatnonzero(is_pegged)
        cells = pegged.place * len(pegs) + (is_pegged.cumsum() - 1).take(both)
        chance = np.bincount(cells, pegged.chance, keeps * len(pegs)).reshape(keeps, -1)
        # By what the dealer has pegged, pone has in all, and the dealer shows.
        likely = np.zeros(((dealer.max() + 1) * most, 2 * SHOW_BINS))
        for hand, kept, shown in self._dealer_shows(is_pone):
            of_kept = chance if len(kept) == keeps else chance.take(kept, axis=0)
            likely[pegs + hand, : shown.shape[1]] += of_kept.T @ shown
        by_points = np.zeros((most, most + SHOW_BINS))
        for start, of_hand in enumerate(likely.reshape(-1, most, 2 * SHOW_BINS)):
            by_points[:, start : start + 2 * SHOW_BINS] += of_hand
        return by_points[:, :most] if is_pone else by_points[:, :most].T

    def _dealer_shows(self, is_pone: bool) -> Iterator[tuple[int, Index, Floats]]:
        """Return what the dealer shows, by pone's hand and the keeps beside it, ``(m, points)``."""
        most, keeps = min(self._needs[is_pone], 2 * (SHOW_BINS - 1)), len(self._opponent.keeps)
        cribs, columns, starts = list[tuple[int, Floats]](), list[Index](), list[Index]()
        shown, width = np.full((len(self._own) if is_pone else SHOW_BINS) * keeps, is_pone), 0
        for group in self._groups:
            own = [(0, 1.0)]
            if not is_pone:
                own = [(min(own_points, most), share) for own_points, share in group.own]
            first, last = min(own)[0], max(own)[0]
            crib = np.zeros((len(group.crib), SHOW_BINS + last - first))
            for own_points, share in own:
                crib[:, own_points - first :][:, :SHOW_BINS] += share * group.crib
            crib, beyond = np.split(crib, [most + 1 - first], axis=1)
            crib[:, -1] += beyond.sum(axis=1)
            column = np.flatnonzero(crib.any(axis=0))
            cribs.append((group.rank, crib[:, column]))
            columns.append(column[:, None] + first)
            points, row = np.minimum(group.shown.points, self._needs[1]), group.shown.keep
            if not is_pone:
                row = row + points * keeps
                shown[row] = True
            starts.append(row)
            width = max(width, columns[-1][-1, 0] + points.max() * is_pone + 1)
        place, width = np.cumsum(shown) - 1, min(width, most + 1)
        shows = np.zeros((place[-1] + 1) * width)
        chances = self._opponent.with_cribs(cribs)
        of_groups = zip(self._groups, starts, columns, chances, strict=True)
        for group, start, column, chance in of_groups:
            keep, points, likely = group.shown
            chance = chance.take(keep, axis=1, mode="clip")
            if is_pone:
                points = np.minimum(points, self._needs[1])
                if column[-1] + points.max() > most:
                    column = np.minimum(column, most - points)
                column = column + points
            for own_points, share in group.own if is_pone else ((0, 1.0),):
                row = start + self._place(own_points) * keeps if is_pone else place.take(start)
                cell = row * width + column
                np.add.at(shows, cell.ravel(), (chance * (share * likely)).ravel())
        shows, before = shows.reshape(-1, width), 0
        for number, kept in enumerate(map(np.flatnonzero, shown.reshape(-1, keeps))):
            if len(kept):
                hand = self._own[number] if is_pone else number
                yield hand, kept, shows[before : before + len(kept)]
                before += len(kept)


@one_blas_thread()
def lead_win_chances(
    deal: Cards, points: Points, discard: int, score: Score, opponent: Opponent
) -> dict[str, Floats]:
    """Work out how likely pone wins with each lead of a discard, before the cut, ``(13,)`` each.

    With ``win`` pone goes on as well as can be; with ``win_mean`` as an expert, or against a
    fallible opponent by the best response; NaN if the rank is not kept. ``share`` is how often an
    expert leads it. An average over the starters: in the play after the lead, pone knows of the
    starter only whether it is a jack. Averaged as an expert leads, ``win_mean`` comes to
    `Chances.win`. Deal, points and score are as for `win_chances`, `TableError` too.
    """
    strategy, win_table = solved_play(opponent)
    dealt = SuitedDeal(deal, points, "pone", opponent)
    keep = (deal[KEEPS[discard]] >> 2).tolist()
    ranks = np.unique(keep)
    chances = np.full((2, 13), np.nan)
    chances[:, ranks] = 0
    for starters, kept, now in _by_heels(dealt, score):
        if now.over or not kept.any():
            continue
        groups = dealt.starter_groups(discard, starters)
        later = _later_by_keep(dealt.opponent, kept, groups, now, win_table)
        end = GameWon(strategy.size, now.needs("pone"), later)
        belief = Belief(4, np.zeros(len(later)), 0, explained=True)
        belief.chance[dealt.opponent.keeps] = kept
        best = PlayTree([], "pone", keep, belief, opponent=strategy, end=end)
        chances[0, ranks] += best.worth[:, 0]
        for rank in ranks.tolist():
            left = list(keep)
            left.remove(rank)
            own = None if opponent.is_replied_to else strategy
            after = PlayTree([rank], "pone", left, belief, opponent=strategy, own=own, end=end)
            chances[1, rank] += after.value[0]
    win, win_mean = chances.round(WIN_DIGITS)
    expert = shipped_strategy() if opponent.is_replied_to else strategy
    return {"win": win, "win_mean": win_mean, "share": expert.choices(expert.root, keep)}


def _later_by_keep(
    opponent: OpponentHands,
    kept: Floats,
    groups: Iterable[StarterGroup],
    score: Score,
    win_table: WinTable,
) -> Floats:
    """Return how likely pone wins after the play, by keep and points pegged, ``(1820, P, Q)``."""
    # The dealer's hand and crib together, by pone's points.
    by_points = dict[int, Floats]()
    for group in groups:
        crib = opponent.with_cribs([(group.rank, group.crib)])[0].T
        row, hand, likely = group.shown
        shown = np.zeros((len(opponent.keeps), 2 * SHOW_BINS))
        for points_of_hand in np.unique(hand).tolist():
            rows = hand == points_of_hand
            shown[row[rows], points_of_hand : points_of_hand + SHOW_BINS] += (
                likely[rows, None] * crib[row[rows]]
            )
        for points, share in group.own:
            by_points[points] = by_points.get(points, 0.0) + share * shown
    ends = DealEnds.of(win_table, "pone", score, POINTS_MADE).win("pone")
    windows = sliding_window_view(ends, 2 * SHOW_BINS, axis=1)
    own_need, need = (min(needed, POINT_BINS) for needed in score.needs("pone"))
    total = np.zeros((len(opponent.keeps), own_need * need))  # with more the play ends the game
    for points, shown in by_points.items():
        by_pegged = windows[points : points + own_need, :need]
        total += shown @ by_pegged.reshape(-1, 2 * SHOW_BINS).T
    later = np.zeros((RANK_KEEPS, own_need, need))
    chances = np.divide(total, kept[:, None], out=np.zeros_like(total), where=kept[:, None] > 0)
    later[opponent.keeps] = chances.reshape(-1, own_need, need)
    return later
