"""Every hand and crib that can follow the 15 discards of a deal, and what they come to."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.choice import net_points, ranking
from cribev.classes.canonical import classify_deals
from cribev.deal.crib import MAX_POINTS, CribScores, crib_scores
from cribev.deal.hand import hand_scores
from cribev.deal.winning import Chances, win_chances
from cribev.game.cards import Cards, format_cards, unseen
from cribev.game.index_tables import DISCARDS, KEEPS, Points
from cribev.game.roles import Role
from cribev.opponents.models import Opponent
from cribev.solved.play import ExpectedPegging

PLAY = ("play_own", "play_opponent", "play_mean")


class Choice(NamedTuple):
    """One of the 15 discards: a row of `Advice.table`."""

    rank: int
    discard: str
    keep: str
    hand_mean: float
    hand_min: int
    hand_max: int
    hand_sd: float
    crib_mean: float
    crib_min: int
    crib_max: int
    crib_sd: float
    play_own: float | None
    """Points the player pegs on average; like the next two, None where the play does not count."""
    play_opponent: float | None
    play_mean: float | None
    """The player's less the opponent's."""
    win: float | None
    """How likely the game is won, from 0 to 1; None without a score."""
    expected: float

    @classmethod
    def of(cls, row: Mapping[Any, Any]) -> "Choice":
        """Take a row of the table, in which what does not count is missing."""
        values: dict[str, Any] = dict.fromkeys((*PLAY, "win"))
        return cls(**(values | dict(row)))

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values at full precision, ready for JSON."""
        row = {name: value for name, value in self._asdict().items() if value is not None}
        return row | {"discard": self.discard.split(), "keep": self.keep.split()}


class DealOutcomes(NamedTuple):
    """Every hand and every crib that can follow the 15 discards of a deal."""

    deal: Cards
    """The six cards, uint8 ``(6,)``, ascending."""
    role: Role
    hands: Points
    """Points of each keep with each starter, uint8 ``(15, 46)``."""
    cribs: CribScores
    play: ExpectedPegging | None
    """What each keep pegs on average, ``(15,)``, if it counts."""
    chances: Chances | None = None
    """How the game may end, if there is a score."""

    @property
    def hand_mean(self) -> NDArray[np.float64]:
        """Average hand in points, ``(15,)``."""
        mean: NDArray[np.float64] = self.hands.mean(axis=1)
        return mean

    def table(self, crib_mean: NDArray[np.float64]) -> pd.DataFrame:
        """Put the discards in order, given the average crib of each, ``(15,)``: rows `Choice`.

        With a score those that win alike stand in the order of points.
        """
        hands, cribs = self.hands, self.cribs
        expected = net_points(self.hand_mean, crib_mean, self.role, self.play and self.play.net)
        places = ranking(expected, None if self.chances is None else self.chances.win)
        columns = {
            "rank": places.rank,
            "discard": [format_cards(self.deal[positions]) for positions in DISCARDS],
            "keep": [format_cards(self.deal[positions]) for positions in KEEPS],
            "hand_mean": self.hand_mean,
            "hand_min": hands.min(axis=1).astype(np.int64),
            "hand_max": hands.max(axis=1).astype(np.int64),
            "hand_sd": hands.std(axis=1),
            "crib_mean": crib_mean,
            "crib_min": cribs.min,
            "crib_max": cribs.max,
            "crib_sd": cribs.sd,
            **play_columns(self.play),
            **({} if self.chances is None else {"win": self.chances.win}),
            "expected": expected,
        }
        frame = pd.DataFrame(columns)
        return frame.iloc[places.order].reset_index(drop=True)

    def distribution(self, at: int) -> pd.DataFrame:
        """Tell how likely each number of points is, as `cribev.deal.advice.Advice` has it."""
        hand = self.hands[at].astype(np.int64)
        crib = np.arange(MAX_POINTS + 1)
        chance = self.cribs.chance[at]
        total = net_points(hand[:, None], crib, self.role)
        points = np.arange(min(total.min(), 0), 2 * MAX_POINTS + 1)
        size, first = len(points), points[0]
        parts = {
            "hand": np.bincount(hand - first, minlength=size) / len(hand),
            "crib": np.bincount(crib - first, chance.sum(axis=0), minlength=size),
            "total": np.bincount((total - first).ravel(), chance.ravel(), minlength=size),
        }
        frame = pd.DataFrame(parts, index=pd.RangeIndex(first, first + size, name="points"))
        possible = np.flatnonzero(frame.to_numpy().any(axis=1))
        return frame.iloc[possible[0] : possible[-1] + 1]

    def by_starter(self, at: int) -> pd.DataFrame:
        """Tell what each starter makes of a discard, as `cribev.deal.advice.Advice` has it."""
        hand = self.hands[at].astype(np.int64)
        crib = self.cribs.mean_by_starter[at]
        expected = net_points(
            hand, crib, self.role, None if self.play is None else self.play.net[at]
        )
        frame = pd.DataFrame(
            {
                "starter": format_cards(unseen(self.deal)).split(),
                "hand": hand,
                "crib_mean": crib,
                "expected": expected,
                "gain": expected - expected.mean(),
            }
        )
        return frame.sort_values("gain", ascending=False, kind="stable", ignore_index=True)


def play_columns(play: ExpectedPegging | None) -> dict[str, NDArray[np.float64]]:
    """Name what is pegged, if it counts.

    >>> list(play_columns(ExpectedPegging(np.ones(15), np.ones(15))))
    ['play_own', 'play_opponent', 'play_mean']
    """
    return {} if play is None else dict(zip(PLAY, (*play, play.net), strict=True))


def deal_outcomes(
    deal: Cards,
    role: Role,
    opponent: Opponent,
    *,
    score: tuple[int, int] | None = None,
) -> DealOutcomes:
    """Work out every hand and every crib that can follow each discard of a deal.

    Parameters
    ----------
    deal
        Six cards, uint8 ``(6,)``, ascending.
    role
        Who asks.
    opponent
        Who throws the other two cards.
    score
        The player's points before the deal and the opponent's, if wins count; the play then must.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> from cribev.opponents.models import as_opponent
    >>> deal = parse_cards("2H 5D 5H 8D JS QC")
    >>> found = deal_outcomes(deal, "pone", as_opponent("uniform"))
    >>> found.hand_mean.max().round(2)
    np.float64(12.7)
    """
    pegged = opponent.pegging(role)
    if pegged is not None:
        of_class = int(classify_deals(deal[None])[0][0])
        pegged = ExpectedPegging(*(table[of_class] for table in pegged))
    hands, weights = hand_scores(deal), opponent.weights(deal, role)
    outcomes = DealOutcomes(deal, role, hands, crib_scores(deal, weights), pegged)
    if score is None or pegged is None:
        return outcomes
    chances = win_chances(deal, role, score, weights=weights, own=hands, opponent=opponent)
    return outcomes._replace(chances=chances)
