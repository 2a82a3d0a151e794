"""Which two of six cards to discard, or which of five: the answer, best first, and how it looks.

Where no suits are known, of six ranks: averages over all suits. Five cards are dealt where three or
four play; then hand and crib count, against any cards.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.advice import names, reasons
from cribev.advice.decisions import Difference
from cribev.advice.options import Advised, Option, Options
from cribev.classes import canonical
from cribev.classes.ranking import net_points
from cribev.errors import CribevError, TableError
from cribev.game import render
from cribev.game.cards import (
    SUITLESS_OFFSET,
    Cards,
    CardsLike,
    format_card,
    format_cards,
    unseen,
)
from cribev.game.deal import Position
from cribev.game.index_tables import DISCARDS, KEEPS_OF, Points
from cribev.game.roles import Role, crib_owner, require_two_players
from cribev.game.score import Score
from cribev.game.show import Show, explain
from cribev.game.stakes import Stakes, StakesLike, stakes_at
from cribev.game.words import format_chance
from cribev.opponents import opponents
from cribev.rows.pairs import crib_table as read_crib_table
from cribev.solution.solution import load
from cribev.solution.solved_play import ExpectedPegging
from cribev.solution.win_table import Par
from cribev.values import wins_exact
from cribev.values.counts import (
    MAX_POINTS,
    CribScores,
    deal_outcomes,
    hand_scores,
    mean_by_kind,
)

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
            return self._asked_again(replace(self.position, score=None), opponent="people").options
        stakes = self.options.stakes_asked
        return self._asked_again(self.position, opponent="people", stakes=stakes).options

    def _asked_again(self, position: Position, **options: Any) -> DiscardAdvice:
        """Advise on the same cards otherwise."""
        raise NotImplementedError

    @property
    def has_suits(self) -> bool:
        """Whether all suits are known."""
        return max(self.position.held.kept) < SUITLESS_OFFSET

    @property
    def cards(self) -> str:
        """The cards as text."""
        return " ".join(map(format_card, self.position.held.kept))

    def top(self, number: int) -> Self:
        """Show only the best few discards."""
        return replace(self, shown=number)

    def beside(self, versus: CardsLike | None) -> Any:
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
            "ranks" if self.position.suits_words == "any suits" else "deal": self.cards.split(),
            "role": self.role,
            "opponent": self.opponent,
            "crib_table": self.crib_table,
            **({} if self.players == 2 else {"players": self.players, "crib": self.crib}),
        }
        if self.score is not None:
            found["score"] = list(self.score)
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
        more = f"opponent={self.opponent!r}{more}"
        if self.players > 2:
            more = f"players={self.players}, crib={self.crib!r}"
        return f"advise('{self.position}', {more}){top}"

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
        deck = ", two discarded and one of the deck" * (self.players == 3)
        return f"the other three cards of the crib: any{deck}; the play is not counted"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        best, score = self.best, self.position.score
        any_suits = "" if self.has_suits else f", {self.position.suits_words}: {self.deals:,} deals"
        whose = f"{self.whose_text}{any_suits}"
        yield Text.assemble(render.styled_cards(console, self.position.held.kept), whose)
        # Who plays, if not who discards, and where average cribs are from.
        one = isinstance(self.thrower, opponents.ExpertOpponent) or self.thrower.is_replied_to
        plays = None if one else self.play_name
        named = (("play", plays), ("crib averages", self.crib_table))
        sources = "".join(f", {what}: {render.printable(name)}" for what, name in named if name)
        across = f"opponent: {render.printable(self.opponent)}{sources}"
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
        >>> from cribev import advise
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
            known = self.deal, self.hand_scores, at, self.role
            made = wins_exact.deal_pmfs(*known, self.thrower)
            begin = (0, 0, wins_exact.FIRST_PEGGED, wins_exact.FIRST_TOTAL)
            for name, pmf, least in zip(wins_exact.PLAY_PARTS, made, begin, strict=True):
                parts[name] = np.zeros(size)
                parts[name][least - first :][: len(pmf)] = pmf
        frame = pd.DataFrame(parts, index=pd.RangeIndex(first, first + size, name="points"))
        possible = np.flatnonzero(frame.to_numpy().any(axis=1))
        return frame.iloc[possible[0] : possible[-1] + 1]

    @property
    def outcomes(self) -> pd.DataFrame:
        """A row for each discard and starter: what the hand makes, and what the crib can make.

        Columns are ``discard`` and ``keep``, the best first, ``starter``, ``hand`` (points) and
        ``crib_mean``, ``crib_min`` and ``crib_max``, of all cribs that can follow once this starter
        is cut. Every starter is as likely, so that averages, least and most over the rows of a
        discard are those of `table`, but for ``crib_mean`` where that is from a published table.

        >>> from cribev import advise
        >>> outcomes = advise("5H 5D JS QC 2H 8D", role="dealer").outcomes
        >>> outcomes.groupby("discard")[["hand"]].agg(["mean", "min", "max"]).loc["2H 8D"].round(2)
        hand  mean    12.7
              min     10.0
              max     21.0
        Name: 2H 8D, dtype: float64
        """
        import pandas as pd

        cribs, order = self.crib_scores, self.order
        points = {
            "hand": self.hand_scores.astype(np.int64),
            "crib_mean": cribs.mean_by_starter,
            "crib_min": cribs.min_by_starter,
            "crib_max": cribs.max_by_starter,
        }
        starters = format_cards(self.starters).split()
        frame = {
            name: np.repeat([texts[at] for at in order], len(starters)).tolist()
            for name, texts in self.options.texts.items()
        }
        frame["starter"] = starters * len(order)
        return pd.DataFrame(frame | {name: made[order].ravel() for name, made in points.items()})

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
        >>> from cribev import advise
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
        >>> from cribev import advise
        >>> advise("5H 5D JS QC 2H 8D", role="dealer").locked_in().total
        10
        """
        return explain(self.deal[KEEPS_OF[len(self.deal)][self.options.index(discard)]])

    def _asked_again(self, position: Position, **options: Any) -> Advice:
        return advise_cards(position, **options)

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
        >>> from cribev import advise
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
        >>> from cribev import advise
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


# A question comes again: as text, as a table, and from a page.
@lru_cache(maxsize=32)
def _win_chances(
    deal: bytes, role: Role, score: Score, opponent: opponents.Opponent
) -> wins_exact.Chances[canonical.Floats]:
    cards = np.frombuffer(deal, dtype=np.uint8)
    found = wins_exact.win_chances(cards, hand_scores(cards), role, score, opponent)
    for chance in found:
        chance.flags.writeable = False
    return found


def advise_cards(
    asked: Position,
    *,
    opponent: names.OpponentLike = "expert",
    crib_table: str | PathLike[str] | None = None,
    play: bool = True,
    stakes: StakesLike | None = None,
    players: int = 2,
    crib: str | None = None,
) -> Advice:
    """Work out what each discard of cards with suits is worth, as `cribev.advise` says."""
    role, six = asked.role, np.array(asked.held.kept, dtype=np.uint8)
    thrower, played_for = asked_of(asked, opponent, crib_table, play, stakes, players)
    outcomes = deal_outcomes(six, role, thrower)
    hands, cribs, crib_mean = outcomes.hands, outcomes.cribs, outcomes.cribs.mean
    if crib_table is not None:
        crib_mean = read_crib_table(crib_table)[role][tuple((six[DISCARDS] >> 2).T)]
    pegged = {} if outcomes.play is None else outcomes.play.columns()
    chances = None
    if asked.score is not None:
        chances = _win_chances(six.tobytes(), role, asked.score, thrower)
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
        **seated(players, crib, role),
    )


def asked_of(
    asked: Position,
    opponent: names.OpponentLike,
    crib_table: object,
    play: bool,
    stakes: StakesLike | None,
    players: int,
) -> tuple[opponents.Opponent, Stakes]:
    """Take the opponent, and what is played for; `CribevError` where these cannot be.

    Where three or four play any cards are thrown, and the show alone counts.
    """
    score = asked.score
    if players > 2:
        named = opponent not in (opponents.ExpertOpponent.name, opponents.Uniform.name)
        what = {"score": score, "stakes": stakes, "crib_table": crib_table}
        require_two_players(players, opponent=named, **what)
        opponent, play = opponents.Uniform.name, False
    thrower = names.as_opponent(opponent, play=play)
    if score is not None and not thrower.counts_play:
        raise CribevError("a score takes the play into account: leave out one of the two")
    if score is not None and crib_table is not None:
        raise CribevError("average cribs do not say who wins: give a score, or a crib table")
    return thrower, stakes_at(stakes, score)


def seated(players: int, crib: str | None, role: Role) -> dict[str, Any]:
    """Say who plays, and whose crib it is where that is more than a role."""
    if players == 2:
        return {}
    whose = crib.strip().lower() if crib else "mine" if role == "dealer" else "theirs"
    return {"players": players, "crib": whose}
