"""Which two of six cards to discard, or which of five: the answer, best first, and how it looks.

Where no suits are known, of six ranks: averages over all suits. Five cards are dealt where three or
four play; then hand and crib count, against any cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.advice import reasons
from cribev.advice.decisions import Difference
from cribev.advice.options import Advised, Option, Options
from cribev.advice.questions import asked_position
from cribev.classes import canonical
from cribev.classes.class_tables import ClassTables, all_suitings, suit_averaged_values
from cribev.classes.ranking import DiscardValues, net_points, tied_best
from cribev.errors import CardError, CribevError, TableError, quote
from cribev.game import render
from cribev.game.cards import (
    SUITLESS_OFFSET,
    Cards,
    CardsLike,
    as_cards,
    format_card,
    format_cards,
    format_ranks,
    parse_suitless,
    unseen,
)
from cribev.game.deal import Position
from cribev.game.index_tables import DISCARDS, DISCARDS_OF, KEEPS_OF, Points
from cribev.game.roles import Role, cards_dealt, crib_owner, require_two_players
from cribev.game.show import Show, explain
from cribev.game.stakes import Stakes, StakesLike, stakes_at
from cribev.game.words import format_chance
from cribev.opponents import names, opponents, to_win
from cribev.rows.pairs import crib_table as read_crib_table
from cribev.solution.solution import load
from cribev.solution.solved_play import ExpectedPegging
from cribev.solution.win_table import Par
from cribev.values import wins_exact
from cribev.values.counts import MAX_POINTS, CribScores, deal_outcomes, mean_by_kind
from cribev.values.more_players import any_card_values

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class DiscardAdvice(Advised):
    """What the discards of six cards or ranks are worth: all that does not take suits."""

    thrower: opponents.Opponent
    crib_table: str | None
    shown: int | None = field(default=None, kw_only=True)  # how many of the best; all if None
    deals: int = field(default=1, kw_only=True)  # how many deals the cards can be
    players: int = field(default=2, kw_only=True)
    crib: str | None = field(default=None, kw_only=True)
    """Whose crib it is where three or four play: ``"mine"``, ``"partner"`` or ``"theirs"``."""

    @property
    def opponent(self) -> str:
        """The name of who throws the other two cards."""
        return self.thrower.name

    @property
    def play_name(self) -> str | None:
        """The name of who plays; None for the show alone."""
        return self.thrower.play_name if self.thrower.counts_play else None

    @property
    def plays_for(self) -> opponents.Objective:
        """What the opponent discards and plays for at the score."""
        score = self.position.score
        return "points" if score is None else self.thrower.at_score(score).plays_for

    @property
    def par(self) -> Par | None:
        """Which score would be even, and how far the player is ahead of it; None without one."""
        score, table = self.position.score, self.thrower.solved_game().win_table
        return None if score is None or table is None else table.par(score, self.role)

    @cached_property
    def _against_people(self) -> Options | None:
        thrower = self.thrower
        is_expert = type(thrower) is opponents.ExpertOpponent and thrower.solution is load(
            play=True
        )
        if not (is_expert and thrower.counts_play) or self.crib_table is not None:
            return None
        if not self.options.decided:  # far from the end points say as much, and at once
            return answer(replace(self.position, score=None), opponent="people").options
        return answer(self.position, opponent="people", stakes=self.options.stakes_asked).options

    @property
    def has_suits(self) -> bool:
        """Whether suits are known."""
        return self.position.held.kept[0] < SUITLESS_OFFSET

    @property
    def cards(self) -> str:
        """The cards as text."""
        return " ".join(map(format_card, self.position.held.kept))

    def top(self, number: int) -> Self:
        """Show only the best few discards."""
        return replace(self, shown=number)

    def beside(
        self, versus: CardsLike | None
    ) -> reasons.Comparison | reasons.SuitlessExplanation | None:
        """Set a discard beside the best, if there is one."""
        return None if versus is None else self.explain(versus)

    def explain(self, discard: CardsLike | None = None) -> Any:
        """Say why a discard is worth what it is; the best if None."""
        raise NotImplementedError

    def _compared(
        self, discard: CardsLike | None, other: CardsLike | None
    ) -> tuple[Option, Option | None]:
        """Find a discard, the best if None, and what it is compared with."""
        chosen = self.options.option(discard)
        if other is not None:
            return chosen, self.options.option(other)
        return chosen, self.options.alternative_to(chosen)

    def to_dict(
        self, *, top: int | None = None, versus: CardsLike | None = None, explain: bool = False
    ) -> dict[str, Any]:
        """Return the advice as plain values at full precision, ready for JSON.

        Parameters
        ----------
        top
            Only the best few discards; all if None.
        versus
            Two of the cards, to set beside the best under ``comparison``.
        explain
            Say why the best is the best, under ``explanation``.
        """
        found: dict[str, Any] = {
            "position": str(self.position),
            "deal" if self.has_suits else "ranks": self.cards.split(),
            "role": self.role,
            "opponent": self.opponent,
            "crib_table": self.crib_table,
            **({} if self.players == 2 else {"players": self.players, "crib": self.crib}),
        }
        if self.score is not None:
            found |= {"score": list(self.score), "opponent_plays_for": self.plays_for}
            found["par"] = self.par and self.par.to_dict()
            found["stakes"] = self.options.stakes._asdict()
            if self.options.is_staked:
                found["at_the_stakes"] = reasons.stakes_effect(self.options).to_dict()
            found["at_the_score"] = reasons.score_effect(self.options).to_dict()
        if not self.has_suits:
            found["deals"] = self.deals
        found["people"] = self.people and self.people.to_dict()
        found |= self.options.to_dict(top=top)
        if (comparison := self.beside(versus)) is not None:
            found["comparison"] = comparison.to_dict()
        return found | ({"explanation": self.explain().to_dict()} if explain else {})

    def __repr__(self) -> str:
        more = f", crib_table={self.crib_table!r}" if self.crib_table else ""
        more += ", play=False" if self.play_name is None else ""
        more += f", stakes={self.options.stakes.name!r}" if self.options.is_staked else ""
        top = "" if self.shown is None else f".top({self.shown})"
        asked = "advise" if self.has_suits else "advise_ranks"
        if self.players > 2:
            more = f"players={self.players}, crib={self.crib!r}"
            return f"{asked}('{self.position}', {more}){top}"
        return f"{asked}('{self.position}', opponent={self.opponent!r}{more}){top}"

    @property
    def whose_text(self) -> str:
        """Whose crib it is, and who plays."""
        owner = crib_owner(self.role, self.players, self.crib)
        if self.players == 2:
            return f" as {self.role} ({owner})"
        return f", {'three' if self.players == 3 else 'four'} players, {owner}"

    @property
    def others_text(self) -> str:
        """What comes to the crib beside the card thrown, where three or four play."""
        if self.players == 2:
            return ""
        deck = ", two thrown and one of the deck" * (self.players == 3)
        return f"the other three cards of the crib: any{deck}; the play is not counted"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        best, score = self.best, self.position.score
        any_suits = "" if self.has_suits else f", any suits: {self.deals:,} deals"
        whose = f"{self.whose_text}{any_suits}"
        yield Text.assemble(render.styled_cards(console, self.position.held.kept), whose)
        goal = "" if score is None else to_win.plays_for_text(self.opponent, self.plays_for, score)
        # Who plays, if not who discards, and where average cribs are from.
        one = isinstance(self.thrower, opponents.ExpertOpponent) or self.thrower.is_replied_to
        plays = None if one else self.play_name
        named = (("play", plays), ("crib averages", self.crib_table))
        sources = "".join(f", {what}: {render.printable(name)}" for what, name in named if name)
        across = f"opponent: {render.printable(self.opponent)}{goal}{sources}"
        yield Text(self.others_text or across, style="dim")
        if score is not None:
            par = f"; {self.par.words}" if self.par else ""
            needs = reasons.needs_text(score, self.role)
            yield Text(f"score {score.text(self.role)}: {needs}{par}")
        ends = f"wins {format_chance(best.win)}, " if score else ""
        if self.options.is_staked:
            yield Text(f"stakes {self.options.stakes.text}")
            ends += f"worth {best.value:.3f}, "
        yield Text.assemble(
            ("Discard ", "bold green"),
            render.styled_cards(console, best.cards),
            (" and keep ", "bold green"),
            render.styled_cards(console, best.kept),
            (f": {ends}{best.sum_text} on average", "bold green"),
        )
        does = f"discard {render.styled_cards(console, best.cards).plain}"
        if stakes := reasons.stakes_text(self.options, does) if score else "":
            yield Text(stakes, style="bold" if self.options.is_staked else "dim")
        if score is not None and not self.options.is_staked:
            effect = reasons.score_effect(self.options)
            other = reasons.styled_discard(console, effect.by_points).plain
            yield Text(effect.text(other), style="bold" if effect.changes else "dim")
        if self.against_people:
            yield Text(self.against_people)
        yield Text()
        yield from self._listing(console, options.max_width, self.shown)
        if not self.has_suits:
            suits = "flushes and nobs depend on suits: they count as often as they occur"
            yield Text(suits, style="dim")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Advice(DiscardAdvice):
    """What each of the 15 discards of a deal is worth, or of the five where three or four play.

    Of five cards all that has 15 rows here has five, and there are 47 starters.

    Attributes
    ----------
    deal
        The six cards as numbers, uint8 ``(6,)``, ascending; `cards` are the same as text, and
        `starters` the 46 others, uint8 ``(46,)``, any of which can be cut.
    players, crib
        How many play; and whose crib it is where three or four do: ``"mine"``, ``"partner"`` or
        ``"theirs"``.
    role
        ``"dealer"`` (the crib is yours) or ``"pone"``.
    opponent, play_name
        The names of who throws the other two cards, and of who plays; None for the show alone.
    crib_table
        The name of the published table `crib_mean` comes from, or None where it is computed.
    table
        A row for each discard, best first: ``rank``, ``discard`` and ``keep``; the average hand and
        crib, their least, their most and their standard deviation, ``hand_mean`` and so on; what
        you peg on average, ``play_own``, ``play_opponent``, and ``play_mean``, the first less the
        second, where the play counts; with a score ``win``, how likely you win the game, from 0 to
        1. Points throughout; ``expected`` is the average hand plus (as dealer) or minus (as pone)
        the average crib, plus the play if it counts. Equal discards share a rank and stand in the
        order of the keeps.
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
    chances: wins_exact.Chances[canonical.Floats] | None = None

    @property
    def deal(self) -> Cards:
        """The six cards as numbers, uint8 ``(6,)``, ascending."""
        return np.array(self.position.held.kept, dtype=np.uint8)

    @property
    def starters(self) -> Cards:
        """The 46 cards that can be cut, uint8 ``(46,)``, ascending."""
        return unseen(self.deal)

    @property
    def order(self) -> canonical.Index:
        """The place in the order of the keeps of each row of the table."""
        return self.options.order

    @property
    def _weights(self) -> canonical.Floats | None:
        """How likely the opponent throws what, if anybody is to be known to."""
        return None if self.players > 2 else self.thrower.weights(self.deal, self.role)

    def distribution(self, discard: CardsLike | None = None, *, play: bool = False) -> pd.DataFrame:
        """Return how likely each number of points is, for hand, crib and both together.

        Parameters
        ----------
        discard
            Two of the six cards; the best discard if None.
        play
            Tell of the play too; it takes a tenth of a second.

        Returns
        -------
        Probabilities: columns ``hand``, ``crib`` and ``total``, index ``points``. The total is
        hand plus crib as dealer, hand minus crib as pone, for one and the same starter. With the
        play ``play_own`` and ``play_opponent``, what each pegs, ``play``, yours less theirs, and
        ``with_play``, the total and that. Their averages are within some hundredths of those in
        the table, which are for all suits alike.

        Raises
        ------
        CardError
            If they are not two cards of the deal.
        TableError
            If the play is to be told of, and does not count.

        Examples
        --------
        >>> chances = advise("5H 5D JS QC 2H 8D", role="pone").distribution()
        >>> int(chances["hand"].idxmax()), int(chances.index[0])
        (10, -6)
        """
        import pandas as pd

        at = self.options.index(discard)
        hand = self.hand_scores[at].astype(np.int64)
        chance = self.crib_scores.chance[at]
        crib = np.arange(MAX_POINTS + 1)
        total = net_points(hand[:, None], crib, self.role)
        first = wins_exact.FIRST_TOTAL
        size = 1 + 2 * MAX_POINTS - wins_exact.FIRST_PEGGED - first
        parts = {
            "hand": np.bincount(hand - first, minlength=size) / len(hand),
            "crib": np.bincount(crib - first, chance.sum(axis=0), minlength=size),
            "total": np.bincount((total - first).ravel(), chance.ravel(), minlength=size),
        }
        if play:
            if self.play is None:
                raise TableError("hand and crib alone count here: nothing is known of the play")
            score = self.position.score
            across = self.thrower if score is None else self.thrower.at_score(score)
            made = wins_exact.deal_pmfs(self.deal, self.hand_scores, at, self.role, across)
            begin = (0, 0, wins_exact.FIRST_PEGGED, wins_exact.FIRST_TOTAL)
            for name, pmf, least in zip(wins_exact.PLAY_PARTS, made, begin, strict=True):
                parts[name] = np.zeros(size)
                parts[name][least - first :][: len(pmf)] = pmf
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
        import pandas as pd

        at = self.options.index(discard)
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
        return explain(self.deal[KEEPS_OF[len(self.deal)][self.options.index(discard)]])

    def explain(
        self, discard: CardsLike | None = None, *, versus: CardsLike | None = None
    ) -> reasons.Explanation:
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
        chosen, rival = self._compared(discard, versus)
        leads, score = None, self.position.score
        if score is not None and self.role == "pone":
            leads = wins_exact.lead_win_chances(
                self.deal, self.hand_scores, chosen.at, score, self.thrower
            )
        note = (
            f"below, cribs are those of the {render.printable(self.opponent)} opponent: "
            f"{render.printable(self.crib_table or '')} gives averages only"
        )
        return reasons.Explanation(
            discard=chosen.discard,
            role=self.role,
            locked_in=self.locked_in(discard),
            hand_min=chosen.hand_min,
            rival=None if rival is None else Difference(chosen, rival),
            starters=self.by_starter(discard),
            chances_of=partial(self.distribution, play=self.play is not None),
            beside_rival=versus is not None,
            note=note if self.crib_table else "",
            play=reasons.PlayExplanation.of(chosen, self.thrower, leads),
            ends=None if self.chances is None else self.chances.of(chosen.at),
            made_of=mean_by_kind(self.deal, chosen.at, self._weights),
        )

    def compare(self, discard: CardsLike, other: CardsLike | None = None) -> reasons.Comparison:
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
        import pandas as pd

        chosen, found = self._compared(discard, other)
        beside = found or self.best
        starters, others = (
            self.by_starter(one.discard).drop(columns="gain").set_index("starter")
            for one in (chosen, beside)
        )
        both = starters.join(others.add_prefix("other_")).reset_index()
        both["gain"] = both["expected"] - both["other_expected"]
        sides = {"total": chosen, "other_total": beside}
        totals = {name: self.distribution(one.discard)["total"] for name, one in sides.items()}
        return reasons.Comparison(
            choice=chosen,
            other=beside,
            starters=both.sort_values("gain", ascending=False, kind="stable", ignore_index=True),
            distribution=pd.DataFrame(totals).fillna(0).rename_axis("points"),
        )

    def beside(self, versus: CardsLike | None) -> reasons.Comparison | None:
        """Set a discard beside the best, if there is one."""
        return None if versus is None else self.compare(versus)


def advise(
    deal: CardsLike | Position,
    *,
    role: Role | None = None,
    opponent: names.OpponentLike = "expert",
    crib_table: str | PathLike[str] | None = None,
    play: bool = True,
    score: tuple[int, int] | str | None = None,
    stakes: StakesLike | None = None,
    players: int = 2,
    crib: str | None = None,
) -> Advice:
    """Work out what each of the 15 discards of six cards is worth, or each of five cards.

    Parameters
    ----------
    deal
        Six cards, as text or card numbers; or a `Position` of six cards or its text, which says
        role and score. Five cards if `players` are 3 or 4.
    role
        ``"dealer"`` (the crib is yours) or ``"pone"``.
    opponent
        Who throws the other two cards: ``"expert"``, who throws what is best against you;
        ``"uniform"``, who throws any two alike; a CSV file of how often each pair of ranks is
        thrown (``rank1,rank2,dealer_pct,pone_pct``); an `cribev.opponents.opponents.Opponent`; or,
        at a score, ``"to-win"``, an expert who discards and pegs to win where both of you need 8 or
        fewer. That is solved once, in up to two minutes (`cribev.solve_score`).
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
        opponent discards, and both play, for points; or to win, if the opponent is ``"to-win"`` or
        what `cribev.solve_score` returns for this score. The other columns are by points in any
        case. Of the wins some are by a ``skunk``, the opponent having fewer than 91 points, and of
        those some by a ``double_skunk``, fewer than 61; likewise ``lose``, ``skunked`` and
        ``double_skunked``.
    stakes
        What the game is played for: ``"win"``, the default; ``"acc"``, 2 for a win and 3 for a
        skunk, your own; ``"games"``, 1, 2 for a skunk and 3 for a double skunk, less your
        opponent's; or two or three numbers, ``"1,2"`` or ``(1, 2, 4)``, less your opponent's too.
        The column ``value`` is what the outcomes are worth then, and ranks. Only with a score.
    players
        2; or 3 or 4, who are dealt five cards and throw one to the crib, which for three has a card
        of the deck too. Hand and crib are counted, exactly, against any cards: no play, opponent,
        crib table, score or stakes go with that.
    crib
        Whose crib it is, in place of `role`: ``"mine"`` is as dealer and ``"theirs"`` as pone; of
        four players also ``"partner"``, whose points are yours.

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
        If the role is no role, the score no score or the stakes no stakes, or a score is given for
        the show alone, or with average cribs, which do not say who wins, or stakes without a score.

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
    >>> advise("dealer:5H5DJSQC2H8D@95-110").best.discard
    '2H 8D'
    >>> advise("5H 5D JS QC 2H", players=4, crib="partner").best.discard
    '2H'
    >>> advise("5H 5D JS QC 2H", role="dealer")
    Traceback (most recent call last):
    cribev.errors.CardError: expected 6 cards, got 5 in '5H 5D JS QC 2H' (five where three or four
    play: --players 4)
    """
    read = partial(as_cards, count=cards_dealt(players))
    asked = asked_position(deal, role, score, read, suits=True, players=players, crib=crib)
    role, six = asked.role, np.array(asked.held.kept, dtype=np.uint8)
    thrower = _thrower(players, opponent, play, score=score, stakes=stakes, crib_table=crib_table)
    played_for = _played_for(asked, stakes, thrower, crib_table)
    outcomes = deal_outcomes(six, role, thrower)
    hands, cribs, crib_mean = outcomes.hands, outcomes.cribs, outcomes.cribs.mean
    if crib_table is not None:
        crib_mean = read_crib_table(crib_table)[role][tuple((six[DISCARDS] >> 2).T)]
    pegged = {} if outcomes.play is None else outcomes.play.columns()
    chances = None
    if asked.score is not None:
        chances = wins_exact.win_chances(six, hands, role, asked.score, thrower)
    columns = {
        "hand_mean": outcomes.hand_mean,
        "hand_min": hands.min(axis=1).astype(np.int64),
        "hand_max": hands.max(axis=1).astype(np.int64),
        "hand_sd": hands.std(axis=1),
        "crib_mean": crib_mean,
        "crib_min": cribs.min,
        "crib_max": cribs.max,
        "crib_sd": cribs.sd,
        **pegged,
        **({} if chances is None else played_for.columns(chances.outcomes)),
        "expected": net_points(outcomes.hand_mean, crib_mean, role, pegged.get("play_mean")),
    }
    return Advice(
        options=Options.of_discards(asked, columns, stakes=played_for),
        thrower=thrower,
        crib_table=None if crib_table is None else fspath(crib_table),
        hand_scores=hands,
        crib_scores=cribs,
        play=outcomes.play,
        chances=chances,
        **_seated(players, crib, role),
    )


def _thrower(
    players: int, opponent: names.OpponentLike, play: bool, **given: object
) -> opponents.Opponent:
    """Take the opponent; where three or four play any cards are thrown, and the show counts."""
    if players == 2:
        return names.as_opponent(opponent, play=play)
    named = opponent not in (opponents.ExpertOpponent.name, opponents.Uniform.name)
    require_two_players(players, opponent=named, **given)
    return names.as_opponent(opponents.Uniform.name, play=False)


def _seated(players: int, crib: str | None, role: Role) -> dict[str, Any]:
    """Say who plays, and whose crib it is where that is more than a role."""
    if players == 2:
        return {}
    whose = crib.strip().lower() if crib else "mine" if role == "dealer" else "theirs"
    return {"players": players, "crib": whose}


def _played_for(
    asked: Position, stakes: StakesLike | None, opponent: opponents.Opponent, crib_table: object
) -> Stakes:
    """Read the stakes; `CribevError` where they, or the score, cannot count."""
    score = asked.score
    to_win.require_score(opponent, known=score is not None)
    if score is not None and not opponent.counts_play:
        raise CribevError("a score takes the play into account: leave out one of the two")
    if score is not None and crib_table is not None:
        raise CribevError("average cribs do not say who wins: give a score, or a crib table")
    return stakes_at(stakes, score)


@dataclass(frozen=True, eq=False, repr=False)
class SuitlessAdvice(DiscardAdvice):
    """What each discard of six ranks is worth, averaged over the suits they can have.

    Attributes
    ----------
    ranks
        The six ranks 0..12, uint8 ``(6,)``, ascending; `cards` are the same as text.
    deals
        How many deals have these ranks; each counts alike.
    role, opponent, play_name, crib_table, score, plays_for
        As in `cribev.Advice`.
    table
        A row for each two ranks that can go, best first: columns as in `cribev.Advice`, averages
        alone; ``expected_min`` and ``expected_max``, with the suits that are worst and best for it;
        and ``often_best``, in how many of the deals it is the best by points, or equal to it.
        Points throughout, of the class tables; without the columns of the play where it does not
        count, and of wins without a score.
    choices, best
        The rows of the table, and the first of them.
    """

    @property
    def ranks(self) -> Cards:
        """The six ranks 0..12, uint8 ``(6,)``, ascending."""
        return np.array(self.position.left_ranks, dtype=np.uint8)

    def explain(
        self, discard: CardsLike | None = None, *, versus: CardsLike | None = None
    ) -> reasons.SuitlessExplanation:
        """Say why a discard is worth what it is.

        Parameters
        ----------
        discard
            Two of the six ranks; the best discard if None.
        versus
            Another two, to compare it with. If None, the best discard; or, for the best, the next.

        Raises
        ------
        CardError
            If they are not two of the ranks.

        Examples
        --------
        >>> why = advise_ranks("5 5 J Q 2 8", role="dealer", play=False).explain("J Q")
        >>> why.other.discard, round(why.other.expected - why.choice.expected, 2)
        ('2 8', 2.53)
        """
        chosen, other = self._compared(discard, versus)
        play = reasons.PlayExplanation.of(chosen, self.thrower)
        return reasons.SuitlessExplanation(chosen, other, play)


def advise_ranks(
    ranks: str | Sequence[str] | Position,
    *,
    role: Role | None = None,
    opponent: names.OpponentLike = "expert",
    crib_table: str | PathLike[str] | None = None,
    play: bool = True,
    score: tuple[int, int] | str | None = None,
    stakes: StakesLike | None = None,
    players: int = 2,
    crib: str | None = None,
) -> SuitlessAdvice:
    """Work out what each discard of six cards is worth whose suits are not known.

    Parameters
    ----------
    ranks
        Six ranks, as text or one by one; or a `Position` of six or its text, which says role and
        score.
    role, opponent, crib_table, play, score, stakes, players, crib
        As for `cribev.advise`.

    Returns
    -------
    A `SuitlessAdvice`: averages over all deals of these ranks, each alike, by the class tables.
    Chances to win are within 0.001 of the average.

    Raises
    ------
    CardError
        If they are not six ranks, or five are the same.
    TableError
        If the opponent or the crib table cannot be read, or the opponent has nothing to throw.
    CribevError
        If the role is no role, or the opponent cannot be averaged over all deals, or the score is
        none, or goes with what else is asked as little as in `cribev.advise`.

    Examples
    --------
    >>> advice = advise_ranks("5 5 J Q 2 8", role="dealer", play=False)
    >>> advice.best.discard, round(advice.best.expected, 2), advice.deals
    ('2 8', 16.07, 1536)
    >>> round(advise_ranks("5 5 J Q 2 8", role="dealer", score=(95, 110)).best.win, 2)
    0.23
    >>> advise_ranks("5H 5 J Q 2 8", role="dealer")
    Traceback (most recent call last):
    cribev.errors.CardError: expected six ranks without suits, got '5H 5 J Q 2 8'
    """
    read = partial(_read_ranks, count=cards_dealt(players))
    asked = asked_position(ranks, role, score, read, suits=False, players=players, crib=crib)
    role, six = asked.role, np.array(asked.left_ranks, dtype=np.uint8)
    thrower = _thrower(players, opponent, play, score=score, stakes=stakes, crib_table=crib_table)
    played_for = _played_for(asked, stakes, thrower, crib_table)
    means, each = _suit_averages(six, role, thrower, crib_table)
    thrown = six[DISCARDS_OF[len(six)]].astype(np.int64)
    _, first, which = np.unique(thrown, axis=0, return_index=True, return_inverse=True)
    same = [np.flatnonzero(which.ravel() == number) for number in range(len(first))]
    best = tied_best(each)
    pegging = thrower.counted_pegging(role)
    if pegging is not None:
        (of_class,) = canonical.class_numbers(list(six[:, None]))
        pegging = ExpectedPegging(*(table[of_class][first] for table in pegging))
    chances = None
    if asked.score is not None:
        chances = wins_exact.suitless_win_chances(six, first, role, asked.score, thrower)
    columns = {
        "hand_mean": means.hand[first],
        "crib_mean": means.crib[first],
        **({} if pegging is None else pegging.columns()),
        **({} if chances is None else played_for.columns(chances.outcomes)),
        "expected": means.expected[first],
        "expected_min": np.array([each[:, keeps].min() for keeps in same]),
        "expected_max": np.array([each[:, keeps].max() for keeps in same]),
        "often_best": np.array([best[:, keeps].any(axis=1).mean() for keeps in same]),
    }
    return SuitlessAdvice(
        Options.of_discards(asked, columns, first, played_for),
        thrower,
        None if crib_table is None else fspath(crib_table),
        deals=len(each),
        **_seated(players, crib, role),
    )


def _read_ranks(ranks: Any, *, count: int) -> Cards:
    """Read so many ranks, as text or one by one, as cards without suits."""
    one_by_one = isinstance(ranks, Iterable) and not isinstance(ranks, str)
    text = " ".join(map(str, ranks)) if one_by_one else ranks
    if (six := parse_suitless(text, count=count)) is None:
        shown = quote(text if isinstance(text, str) else repr(text))
        many = "six" if count == 6 else "five"
        raise CardError(f"expected {many} ranks without suits, got {shown}")
    return six + np.uint8(SUITLESS_OFFSET)


def _suit_averages(
    six: Cards, role: Role, opponent: opponents.Opponent, crib_table: str | PathLike[str] | None
) -> tuple[DiscardValues, canonical.Floats]:
    """Average deals of six ranks, ``(15,)``, and say what they are worth in each, ``(n, 15)``.

    Of five ranks, where three or four play, there are five of each.
    """
    suitings = all_suitings(six)
    if len(six) < 6:
        deals = (six + np.uint8(SUITLESS_OFFSET))[:, None], suitings.T
        averaged, every = (
            any_card_values(some, np.full(some.shape[1], role == "dealer")) for some in deals
        )
        return averaged.take(0), every.expected
    valuation = ClassTables(opponent.crib_averages(role), role)
    means = suit_averaged_values(valuation, canonical.class_numbers(list(six[:, None]))).take(0)
    if np.isnan(means.crib).any():
        ranks = format_ranks(six)
        raise TableError(f"{opponent.name!r} gives nothing to throw with {ranks} in sight")
    each = valuation.values(*canonical.classify_deals(suitings)).expected
    if crib_table is None:
        return means, each
    crib = read_crib_table(crib_table)[role][tuple(six[DISCARDS].T)]
    change = net_points(np.zeros(15), crib - means.crib, role)
    return replace(means, crib=crib, expected=means.expected + change), each + change


def answer(position: Position, **options: Any) -> Advice | SuitlessAdvice:
    """Advise on a position of six cards, or five, all with suits or all without."""
    suitless = max(position.held.dealt) >= SUITLESS_OFFSET
    return advise_ranks(position, **options) if suitless else advise(position, **options)
