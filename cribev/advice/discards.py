"""One deal: which two cards go to the crib, and why."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from cribev.advice.choices import Alternative, Choice
from cribev.advice.comparison import Comparison
from cribev.advice.deal_wins import Chances, valid_score, win_chances
from cribev.advice.lead_chances import lead_win_chances
from cribev.advice.outcomes import MAX_POINTS, CribScores, deal_outcomes
from cribev.advice.ranked_discards import RankedDiscards, pegging_columns
from cribev.advice.reasons import Explanation, PlayExplanation
from cribev.advice.score_effect import OutcomeProbabilities
from cribev.choice import net_points, ranking
from cribev.errors import CardError
from cribev.game import render
from cribev.game.cards import Cards, CardsLike, as_cards, format_cards, unseen
from cribev.game.index_tables import DISCARDS, KEEPS, Points
from cribev.game.roles import Role, as_role
from cribev.game.show import Show, explain
from cribev.opponents.models import Opponent, OpponentLike, as_opponent
from cribev.rows.pairs import crib_table as read_crib_table
from cribev.solution.play import ExpectedPegging


@dataclass(frozen=True, eq=False, repr=False)
class Advice(RankedDiscards[Choice]):
    """What each of the 15 discards of a deal is worth.

    Attributes
    ----------
    deal
        The six cards as numbers, uint8 ``(6,)``, ascending; `cards` are the same as text, and
        `starters` the 46 others, uint8 ``(46,)``, any of which can be cut.
    role
        ``"dealer"`` (the crib is yours) or ``"pone"``.
    opponent, play_name
        The names of who throws the other two cards, and of who plays; None for the show alone.
    crib_table
        The name of the published table `crib_mean` comes from, or None where it is computed.
    table
        A row for each discard, best first, columns as in `Choice`. Points throughout; ``expected``
        is the average hand plus (as dealer) or minus (as pone) the average crib, plus the play if
        it counts. Equal discards share a rank and stand in the order of the keeps.
    choices, best
        The rows of the table, and the first of them.
    hand_scores
        Points of each keep with each starter, uint8 ``(15, 46)``, in the order of
        ``itertools.combinations(deal, 4)``.
    crib_scores
        What each discard's crib can score, discards in the same order.
    play
        What each keep pegs on average, in the same order, ``(15,)`` for both players; None where
        the show alone is valued.
    score
        Your points before the deal and the opponent's, if the table is by chances to win.
    plays_for
        What the opponent discards and plays for at the score: ``"points"``, or ``"wins"``.
    chances
        How the game may end with each discard, in the same order, ``(15,)`` each; None without a
        score.
    order
        The place in that order of each row of the table, ``(15,)``.
    thrower
        Who throws the other two cards; `explain` needs it at a score.
    """

    hand_scores: Points
    crib_scores: CribScores
    play: ExpectedPegging | None = None
    chances: Chances | None = None
    thrower: Opponent | None = None

    _row: ClassVar[Any] = Choice

    @property
    def starters(self) -> Cards:
        """The 46 cards that can be cut, uint8 ``(46,)``, ascending."""
        return unseen(self.deal)

    def distribution(self, discard: CardsLike | None = None) -> pd.DataFrame:
        """Return how likely each number of points is, for hand, crib and both together.

        Parameters
        ----------
        discard
            Two of the six cards; the best discard if None.

        Returns
        -------
        Probabilities: columns ``hand``, ``crib`` and ``total``, index ``points``. The total is
        hand plus crib as dealer, hand minus crib as pone, for one and the same starter.

        Raises
        ------
        CardError
            If they are not two cards of the deal.

        Examples
        --------
        >>> chances = advise("5H 5D JS QC 2H 8D", role="pone").distribution()
        >>> int(chances["hand"].idxmax()), int(chances.index[0])
        (10, -6)
        """
        at = self._index(discard)
        hand = self.hand_scores[at].astype(np.int64)
        chance = self.crib_scores.chance[at]
        total = net_points(hand[:, None], np.arange(MAX_POINTS + 1), self.role)
        points = np.arange(min(total.min(), 0), 2 * MAX_POINTS + 1)
        size, first = len(points), points[0]
        crib = np.arange(MAX_POINTS + 1) - first
        parts = {
            "hand": np.bincount(hand - first, minlength=size) / len(hand),
            "crib": np.bincount(crib, chance.sum(axis=0), minlength=size),
            "total": np.bincount((total - first).ravel(), chance.ravel(), minlength=size),
        }
        frame = pd.DataFrame(parts, index=pd.RangeIndex(first, first + size, name="points"))
        possible = np.flatnonzero(frame.to_numpy().any(axis=1))
        return frame.iloc[possible[0] : possible[-1] + 1]

    def by_starter(self, discard: CardsLike | None = None) -> pd.DataFrame:
        """Return what each starter makes of a discard, the most helpful first.

        Parameters
        ----------
        discard
            Two of the six cards; the best discard if None.

        Returns
        -------
        46 rows: ``starter``, ``hand`` (points), ``crib_mean`` (points on average, once this
        starter is cut), ``expected`` (hand and crib, signed as everywhere, and the play, which no
        starter changes here) and ``gain`` over the average starter.

        Raises
        ------
        CardError
            If they are not two cards of the deal.

        Examples
        --------
        >>> advise("5H 5D JS QC 2H 8D", role="dealer").by_starter()["starter"].iloc[0]
        '5S'
        """
        at = self._index(discard)
        hand, crib = self.hand_scores[at].astype(np.int64), self.crib_scores.mean_by_starter[at]
        play = None if self.play is None else self.play.net[at]
        expected = net_points(hand, crib, self.role, play)
        frame = pd.DataFrame(
            {
                "starter": format_cards(self.starters).split(),
                "hand": hand,
                "crib_mean": crib,
                "expected": expected,
                "gain": expected - expected.mean(),
            }
        )
        return frame.sort_values("gain", ascending=False, kind="stable", ignore_index=True)

    def locked_in(self, discard: CardsLike | None = None) -> Show:
        """Count what the keep of a discard scores whatever is cut.

        Raises
        ------
        CardError
            If they are not two cards of the deal.

        Examples
        --------
        >>> advise("5H 5D JS QC 2H 8D", role="dealer").locked_in().total
        10
        """
        return explain(self.deal[KEEPS[self._index(discard)]])

    def explain(
        self, discard: CardsLike | None = None, *, versus: CardsLike | None = None
    ) -> Explanation:
        """Say why a discard is worth what it is.

        Parameters
        ----------
        discard
            Two of the six cards; the best discard if None.
        versus
            Another two, to compare it with, total by total. If None, the best discard; or, for the
            best, the next that is not its equal.

        Raises
        ------
        CardError
            If they are not two cards of the deal.

        Examples
        --------
        >>> why = advise("5H 5D JS QC 2H 8D", role="dealer").explain()
        >>> why.rival.discard, round(why.rival.expected, 2)
        ('JS QC', 1.65)
        """
        chosen, at = self._choice(discard), self._index(discard)
        rival = self.alternative_to(chosen) if versus is None else self._choice(versus)
        ends = None
        if self.chances is not None:
            ends = OutcomeProbabilities(*(float(part[at]) for part in self.chances))
        leads = None
        if self.score is not None and self.thrower is not None and self.role == "pone":
            own_points = self.hand_scores[at]
            leads = lead_win_chances(self.deal, at, own_points, self.score, self.thrower)
        note = (
            f"below, cribs are those of the {render.printable(self.opponent)} opponent: "
            f"{render.printable(self.crib_table)} gives averages only"
            if self.crib_table
            else ""
        )
        return Explanation(
            discard=chosen.discard,
            role=self.role,
            locked_in=self.locked_in(discard),
            hand_min=chosen.hand_min,
            rival=rival and Alternative.of(rival, chosen),
            starters=self.by_starter(discard),
            distribution=self.distribution(discard),
            rival_distribution=None if versus is None else self.distribution(versus),
            note=note,
            play=PlayExplanation.of(chosen, self.choices, self.role, self.play_name, leads),
            ends=ends,
        )

    def compare(self, discard: CardsLike, other: CardsLike | None = None) -> Comparison:
        """Set a discard, such as your own, beside another.

        Parameters
        ----------
        discard
            Two of the six cards.
        other
            Another two. If None, the best discard; or, for the best, the next that is not its
            equal.

        Raises
        ------
        CardError
            If they are not two cards of the deal.

        Examples
        --------
        >>> found = advise("AH 2C 7D 9S JH QC", role="dealer").compare("7D 9S")
        >>> found.other.discard, round(found.other.expected - found.choice.expected, 2)
        ('JH QC', 0.81)
        """
        chosen = self._choice(discard)
        beside = self._choice(other) if other is not None else self.alternative_to(chosen)
        beside = beside or self.best
        starters, others = (
            self.by_starter(one.discard).drop(columns="gain").set_index("starter")
            for one in (chosen, beside)
        )
        both = starters.join(others.add_prefix("other_")).reset_index()
        both["gain"] = both["expected"] - both["other_expected"]
        totals = {
            "total": self.distribution(chosen.discard)["total"],
            "other_total": self.distribution(beside.discard)["total"],
        }
        return Comparison(
            role=self.role,
            choice=chosen,
            other=beside,
            starters=both.sort_values("gain", ascending=False, kind="stable", ignore_index=True),
            distribution=pd.DataFrame(totals).fillna(0).rename_axis("points"),
        )

    def to_dict(self, *, top: int | None = None) -> dict[str, Any]:
        """Return the advice as plain values at full precision, ready for JSON.

        Parameters
        ----------
        top
            Only the best few discards; all 15 if None.

        Examples
        --------
        >>> len(advise("5H 5D JS QC 2H 8D", role="dealer").to_dict()["discards"])
        15
        """
        return {"deal": self.cards.split(), **self._asked(), **self._discards(top)}

    def _choice(self, discard: CardsLike | None) -> Choice:
        at = self._index(discard)
        return self.choices[int(np.flatnonzero(self.order == at)[0])]

    def _index(self, discard: CardsLike | None) -> int:
        """Find the place of a discard in the order of the keeps."""
        if discard is None:
            return int(self.order[0])
        cards = as_cards(discard, count=2)
        found = np.flatnonzero((self.deal[DISCARDS] == np.sort(cards)).all(axis=1))
        if not found.size:
            raise CardError(f"{format_cards(cards)} are not two of the cards dealt: {self.cards}")
        return int(found[0])


def advise(
    deal: CardsLike,
    *,
    role: Role,
    opponent: OpponentLike = "expert",
    crib_table: str | PathLike[str] | None = None,
    play: bool = True,
    score: tuple[int, int] | str | None = None,
) -> Advice:
    """Work out what each of the 15 discards of six cards is worth.

    Parameters
    ----------
    deal
        Six cards, as text or card numbers.
    role
        ``"dealer"`` (the crib is yours) or ``"pone"``.
    opponent
        Who throws the other two cards: ``"expert"``, who throws what is best against you;
        ``"uniform"``, who throws any two alike; a CSV file of how often each pair of ranks is
        thrown (``rank1,rank2,dealer_pct,pone_pct``); or an `cribev.opponents.models.Opponent`.
    crib_table
        Average cribs to use in place of the computed ones: ``"hessel"``, ``"schell"``,
        ``"colvert"``, ``"rasmussen"`` or a CSV file (``rank1,rank2,dealer,pone``). Only
        ``crib_mean`` and ``expected`` come from it; the spread of the crib and the distributions
        stay those of the opponent. Not with a score.
    play
        Count what the play brings, as two experts play whoever throws; if False, hand and crib
        alone count, and the expert throws for them alone.
    score
        Your points before the deal and the opponent's, each 0..120, such as ``(95, 110)`` or
        ``"95-110"``. The table then has a column ``win``, how likely the discard wins the game, and
        is ranked by it. Heels, the play, pone's hand, the dealer's hand and the crib count in this
        order, and the game goes on from the score they leave (`cribev.win_probability`). The
        opponent discards, and both play, for points; or to win, against an opponent whom
        `cribev.solve_score` returns for this score. The other columns are by points in any case.

    Returns
    -------
    An `Advice`, in points throughout.

    Raises
    ------
    CardError
        If they are not six different cards.
    TableError
        If the opponent or the crib table cannot be read.
    CribevError
        If the role is no role or the score no score, or a score is given for the show alone,
        or with average cribs, which do not say who wins.

    Examples
    --------
    >>> advice = advise("5H 5D JS QC 2H 8D", role="dealer")
    >>> advice.best.discard, round(advice.best.expected, 1)
    ('2H 8D', 17.2)
    >>> at_score = advise("5H 5D JS QC 2H 8D", role="dealer", score=(95, 110))
    >>> at_score.best.discard, round(at_score.best.win, 2)
    ('2H 8D', 0.24)
    >>> best = advise("5H 5D JS QC 2H 8D", role="dealer", play=False).best  # hand and crib alone
    >>> best.discard, round(best.expected, 2)
    ('2H 8D', 16.09)
    >>> advise("5H 5D JS QC 2H", role="dealer")
    Traceback (most recent call last):
    cribev.errors.CardError: expected 6 cards, got 5 in '5H 5D JS QC 2H'
    """
    role = as_role(role)
    six = np.sort(as_cards(deal, count=6))
    thrower = as_opponent(opponent, play=play)
    points = valid_score(score, role, thrower, averages=crib_table is not None)
    outcomes = deal_outcomes(six, role, thrower)
    hands, cribs, crib_mean = outcomes.hands, outcomes.cribs, outcomes.cribs.mean
    if crib_table is not None:
        crib_mean = read_crib_table(crib_table)[role][tuple((six[DISCARDS] >> 2).T)]
    play_columns = pegging_columns(outcomes.play)
    expected = net_points(outcomes.hand_mean, crib_mean, role, play_columns.get("play_mean"))
    chances = None
    if points is not None:
        chances = win_chances(outcomes, role, points, thrower)
    rank, order = ranking(expected, None if chances is None else chances.win)
    columns = {
        "rank": rank,
        "hand_mean": outcomes.hand_mean,
        "hand_min": hands.min(axis=1).astype(np.int64),
        "hand_max": hands.max(axis=1).astype(np.int64),
        "hand_sd": hands.std(axis=1),
        "crib_mean": crib_mean,
        "crib_min": cribs.min,
        "crib_max": cribs.max,
        "crib_sd": cribs.sd,
        **play_columns,
        **({} if chances is None else {"win": chances.win}),
        "expected": expected,
    }
    return Advice(
        deal=six,
        deals=1,
        role=role,
        opponent=thrower.name,
        play_name=thrower.play_name if thrower.counts_play else None,
        crib_table=None if crib_table is None else fspath(crib_table),
        score=points,
        plays_for=thrower.plays_for,
        order=order,
        columns={name: values[order] for name, values in columns.items()},
        hand_scores=hands,
        crib_scores=cribs,
        play=outcomes.play,
        chances=chances,
        thrower=thrower,
    )
