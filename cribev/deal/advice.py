"""One deal: which two cards go to the crib, and why."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console, ConsoleOptions, RenderResult

from cribev.deal.advice_table import AdviceTable
from cribev.deal.comparison import Comparison
from cribev.deal.crib import CribScores
from cribev.deal.explanation import Alternative, Explanation, optional_difference
from cribev.deal.outcomes import Choice, DealOutcomes, deal_outcomes
from cribev.deal.play_explanation import Averages, PlayExplanation, lead_table, show_best
from cribev.deal.score_effect import OutcomeProbabilities, score_effect
from cribev.deal.winning import Chances
from cribev.errors import CardError, CribevError
from cribev.files.crib_tables import crib_table as read_crib_table
from cribev.game import render
from cribev.game.cards import Cards, CardsLike, as_cards, format_cards, unseen
from cribev.game.index_tables import DISCARDS, KEEPS, Points
from cribev.game.roles import Role, as_role
from cribev.game.score_notation import as_score
from cribev.game.show import Show, explain
from cribev.opponents.models import OpponentLike, as_opponent
from cribev.solved.play import ExpectedPegging


@dataclass(frozen=True, eq=False, repr=False)
class Advice(render.Displayable):
    """What each of the 15 discards of a deal is worth.

    Attributes
    ----------
    deal
        The six cards, uint8 ``(6,)``, ascending.
    role
        ``"dealer"`` (the crib is yours) or ``"pone"``.
    opponent
        The name of who throws the other two cards.
    crib_table
        The name of the published table `crib_mean` comes from, or None where it is computed.
    table
        A row for each discard, best first, columns as in `Choice`. Points throughout; ``expected``
        is the average hand plus (as dealer) or minus (as pone) the average crib, plus the play if
        it counts: what the player pegs on average less what the opponent does, where both are
        experts. Equal discards share a rank and stand in the order of the keeps.
    starters
        The 46 cards that can be cut, uint8 ``(46,)``, ascending.
    hand_scores
        Points of each keep with each starter, uint8 ``(15, 46)``, in the order of
        ``itertools.combinations(deal, 4)``.
    crib_scores
        What each discard's crib can come to, discards in the same order.
    play
        What each keep pegs on average, in the same order, ``(15,)`` for both players; None where
        the show alone is valued.
    score
        The player's points before the deal and the opponent's, if the table is by chances to win.
    chances
        How the game may end with each discard, in the same order, ``(15,)`` each; None without a
        score.
    """

    deal: Cards
    role: Role
    opponent: str
    crib_table: str | None
    table: pd.DataFrame
    starters: Cards
    hand_scores: Points
    crib_scores: CribScores
    play: ExpectedPegging | None = None
    score: tuple[int, int] | None = None
    chances: Chances | None = None

    @cached_property
    def choices(self) -> list[Choice]:
        """The rows of the table."""
        return [Choice.of(row) for row in self.table.to_dict(orient="records")]

    @property
    def cards(self) -> str:
        """The six cards as text."""
        text: str = format_cards(self.deal)
        return text

    @property
    def best(self) -> Choice:
        """The first row of the table.

        >>> advise("5H 5D JS QC 2H 8D", role="dealer").best.discard
        '2H 8D'
        """
        return self.choices[0]

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
        return self._outcomes.distribution(self._index(discard))

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
        return self._outcomes.by_starter(self._index(discard))

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
        ('JS QC', 1.63)
        """
        chosen = self._choice(discard)
        rival = self._rival_of(chosen) if versus is None else self._choice(versus)
        return Explanation(
            discard=chosen.discard,
            role=self.role,
            locked_in=self.locked_in(discard),
            hand_min=chosen.hand_min,
            rival=rival
            and Alternative(
                discard=rival.discard,
                is_best=rival.rank == 1,
                hand=chosen.hand_mean - rival.hand_mean,
                crib=chosen.crib_mean - rival.crib_mean,
                play=optional_difference(chosen.play_mean, rival.play_mean),
                expected=chosen.expected - rival.expected,
                win=optional_difference(chosen.win, rival.win),
            ),
            starters=self.by_starter(discard),
            distribution=self.distribution(discard),
            rival_distribution=None if versus is None else self.distribution(versus),
            note=f"below, cribs are those of the {render.printable(self.opponent)} opponent: "
            f"{render.printable(self.crib_table)} gives averages only"
            if self.crib_table
            else "",
            play=self._in_the_play(chosen),
            ends=self._ends(self._index(discard)),
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
        ('JH QC', 0.82)
        """
        chosen = self._choice(discard)
        beside = self._choice(other) if other is not None else self._rival_of(chosen) or self.best
        starters = self.by_starter(chosen.discard).drop(columns="gain").set_index("starter")
        others = self.by_starter(beside.discard).drop(columns="gain").set_index("starter")
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

    def __repr__(self) -> str:
        more = f", crib_table={self.crib_table!r}" if self.crib_table else ""
        more += ", play=False" if self.play is None else ""
        more += f", score={self.score}" if self.score else ""
        return (
            f"advise({format_cards(self.deal)!r}, role={self.role!r}, "
            f"opponent={self.opponent!r}{more})"
        )

    def top(self, number: int) -> AdviceTable:
        """Show only the best few discards.

        >>> len(str(advise("5H 5D JS QC 2H 8D", role="dealer").top(2)).splitlines())
        8
        """
        return AdviceTable(
            self.deal, self.role, self.opponent, self.crib_table, self.choices, number, self.score
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
        return {
            "deal": format_cards(self.deal).split(),
            "role": self.role,
            "opponent": self.opponent,
            "crib_table": self.crib_table,
            **self._score_to_dict(),
            "discards": [choice.to_dict() for choice in self.choices[:top]],
        }

    @property
    def _outcomes(self) -> DealOutcomes:
        return DealOutcomes(
            self.deal, self.role, self.hand_scores, self.crib_scores, self.play, self.chances
        )

    def _score_to_dict(self) -> dict[str, Any]:
        if self.score is None:
            return {}
        return {
            "score": list(self.score),
            "at_the_score": score_effect(self.choices).to_dict(),
        }

    def _ends(self, at: int) -> OutcomeProbabilities | None:
        return (
            None
            if self.chances is None
            else OutcomeProbabilities(*(float(part[at]) for part in self.chances))
        )

    def _choice(self, discard: CardsLike | None) -> Choice:
        thrown = format_cards(self.deal[DISCARDS[self._index(discard)]])
        return next(one for one in self.choices if one.discard == thrown)

    def _rival_of(self, chosen: Choice) -> Choice | None:
        """Find the best discard; or, for the best, the next that is not its equal."""
        return next((one for one in self.choices if (one.rank == 1) != (chosen.rank == 1)), None)

    def _in_the_play(self, chosen: Choice) -> PlayExplanation | None:
        if chosen.play_own is None or chosen.play_opponent is None:
            return None
        ranks = (self.deal[KEEPS[self._index(chosen.discard)]] >> 2).tolist()
        means = [Averages(one.discard, one.hand_mean, one.crib_mean) for one in self.choices]
        return PlayExplanation(
            chosen.play_own,
            chosen.play_opponent,
            lead_table(ranks, self.role) if self.role == "pone" else None,
            show_best(means, self.role),
        )

    def _index(self, discard: CardsLike | None) -> int:
        """Find the place of a discard in the order of the keeps."""
        cards = as_cards(self.best.discard if discard is None else discard, count=2)
        found = np.flatnonzero((self.deal[DISCARDS] == np.sort(cards)).all(axis=1))
        if not found.size:
            raise CardError(
                f"{format_cards(cards)} are not two of the cards dealt: {format_cards(self.deal)}"
            )
        return int(found[0])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.top(len(self.table))


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
        Count what the play brings, that of two experts whoever throws; or else value the show
        alone, and have the expert throw for it alone.
    score
        Your points before the deal and the opponent's, each 0..120, such as ``(95, 110)`` or
        ``"95-110"``. The table then has a column ``win``, how likely the discard wins the game, and
        is ranked by it. Heels, the play, pone's hand, the dealer's hand and the crib count in this
        order, and the race goes on from where that leaves both (`cribev.win_probability`). The
        opponent discards, and both play, for points.

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
    ('2H 8D', 0.26)
    >>> best = advise("5H 5D JS QC 2H 8D", role="dealer", play=False).best  # hand and crib alone
    >>> best.discard, round(best.expected, 2)
    ('2H 8D', 16.09)
    >>> advise("5H 5D JS QC 2H", role="dealer")
    Traceback (most recent call last):
    cribev.errors.CardError: expected 6 cards, got 5 in '5H 5D JS QC 2H'
    """
    role = as_role(role)
    six = np.sort(as_cards(deal, count=6))
    points = None if score is None else as_score(score, role)
    if points and not play:
        raise CribevError("a score takes the play into account: leave out one of the two")
    if points and crib_table is not None:
        raise CribevError("average cribs do not say who wins: give a score, or a crib table")
    thrower = as_opponent(opponent, play=play)
    outcomes = deal_outcomes(six, role, thrower, score=points)
    crib_mean = outcomes.cribs.mean
    if crib_table is not None:
        crib_mean = read_crib_table(crib_table)[role][tuple((six[DISCARDS] >> 2).T)]
    return Advice(
        deal=six,
        role=role,
        opponent=thrower.name,
        crib_table=None if crib_table is None else fspath(crib_table),
        table=outcomes.table(crib_mean),
        starters=unseen(six),
        hand_scores=outcomes.hands,
        crib_scores=outcomes.cribs,
        play=outcomes.play,
        score=points,
        chances=outcomes.chances,
    )
