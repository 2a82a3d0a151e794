"""Which two of six cards to discard: the answer, and how it is shown.

If no suits are known, values are averages over all suits.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.advice.advised import MORE_POINTS, Advised
from cribev.advice.options import Option, Options
from cribev.advice.question import Question
from cribev.classes import canonical
from cribev.classes.class_tables import ClassTables
from cribev.classes.ranking import TIE_TOLERANCE, net_points
from cribev.errors import CardError, TableError
from cribev.game import render
from cribev.game.cards import TEN_CARD, Cards, CardsLike, format_card, format_cards, unseen
from cribev.game.index_tables import KEEPS, Points
from cribev.game.roles import crib_owner
from cribev.game.words import say_chance
from cribev.opponents import opponents
from cribev.solution.solved_play import ExpectedPegging
from cribev.solution.win_table import Par
from cribev.values.counts import MAX_POINTS, CribScores, DealOutcomes, deal_outcomes, mean_by_kind

if TYPE_CHECKING:
    import pandas as pd

    from cribev.advice.any_suits import SuitlessExplanation
    from cribev.advice.reasons import Comparison, Explanation
    from cribev.game.show import Show
    from cribev.wins.exact import Chances

# Imported where it is used: `any_suits`, `reasons` and `wins`, which load most of the package.

_TABLE_ERROR = 0.04
"""The error of the class tables, in points, where they compare two discards: in 3,000 deals the
largest error was 0.021."""


@dataclass(frozen=True, eq=False, repr=False)
class Advice(Advised):
    """The values of the 15 discards of six cards.

    If some cards lack suits, discards of the same ranks are one discard, and columns are averages
    over all deals that the cards can be. What needs a single deal then raises `CardError`: hands,
    cribs, and what each starter makes of them.

    Where a method takes a discard, it is two of the six cards, as text or numbers; `CardError` if
    these are not among them. If it is left out, it is the best discard.

    Attributes
    ----------
    question
        What was asked: the position, your opponent, and the stakes.
    deals
        How many deals the cards can be, all equally likely; 1 if all suits are known.
    table
        One row for each discard, best first: ``rank``, ``discard`` and ``keep``; the mean, least,
        most and standard deviation of hand and crib, ``hand_mean`` and so on. If the play counts,
        ``play_own`` and ``play_opponent`` are what each of you pegs on average, and ``play_mean``
        is their difference. With a score, ``win`` is your chance to win the game, from 0 to 1. All
        else is in points. ``expected`` is the average hand plus (as dealer) or minus (as pone) the
        average crib, plus the play if it counts. Equal discards share a rank, and are in the order
        of the keeps. If suits are missing, there are only averages, ``expected_min`` and
        ``expected_max`` (with the worst and the best suits for a discard), and ``often_best``: the
        share of deals in which it is the best by points, or equal to the best.
    choices, best
        The rows of the table, and the first of them.
    """

    deals: int = 1
    counted: DealOutcomes | None = field(default=None, kw_only=True)
    """All that can follow, in the order of the keeps; None if suits are missing."""
    chances: Chances[canonical.Floats] | None = field(default=None, kw_only=True)
    """Chances of each end of the game with each discard, ``(15,)`` each, in the order of the keeps;
    None without a score, or if suits are missing."""
    shown: int | None = field(default=None, kw_only=True)  # how many of the best; all if None

    @property
    def against(self) -> opponents.Opponent:
        """The opponent, who discards the other two cards."""
        return self.question.opponent

    @property
    def par(self) -> Par | None:
        """The even score, and how far the player is ahead of it; None without a score."""
        score, table = self.position.score, self.against.play.game().win_table
        return None if score is None or table is None else table.par(score, self.role)

    @property
    def has_suits(self) -> bool:
        """Whether all suits are known."""
        return self.position.has_suits

    @property
    def cards(self) -> str:
        """The cards as text."""
        return " ".join(map(format_card, self.position.held.kept))

    def top(self, number: int) -> Self:
        """Show only the best few discards."""
        return replace(self, shown=number)

    def _compared(
        self, discard: CardsLike | None, other: CardsLike | None
    ) -> tuple[Option, Option | None]:
        """Find a discard (the best if None), and the one to compare it with."""
        chosen = self.options.option(discard)
        if other is not None:
            return chosen, self.options.option(other)
        return chosen, self.options.alternative_to(chosen)

    def to_dict(
        self, *, top: int | None = None, versus: CardsLike | None = None, explain: bool = False
    ) -> dict[str, Any]:
        """Return the advice as plain values at full precision, ready for JSON.

        Only the best few discards, `top`, if that is given. ``comparison`` has a discard, `versus`,
        beside the best; with `explain`, ``explanation`` says why the best is the best, and
        ``people`` what is better against people, if anything.
        """
        values: dict[str, Any] = {
            "position": str(self.position),
            "ranks" if self.position.suits_words == "any suits" else "deal": self.cards.split(),
            "role": self.role,
            "opponent": self.opponent,
        }
        if self.score is not None:
            values["score"] = list(self.score)
            values["par"] = self.par and self.par.to_dict() | {"win": self.par.win}
            values["stakes"] = self.options.stakes.to_dict()
            from cribev.advice import reasons

            if self.options.is_staked:
                effect = reasons.stakes_text(self.options, f"discard {self.best.discard}")
                at_stakes = reasons.stakes_effect(self.options).to_dict()
                values["at_the_stakes"] = at_stakes | {"text": effect}
            values["at_the_score"] = reasons.score_effect(self.options).to_dict()
        if not self.has_suits:
            values["deals"] = self.deals
        values |= self.options.to_dict(top=top)
        if (comparison := self.compare_with_best(versus)) is not None:
            values["comparison"] = comparison.to_dict()
        if explain:
            if self.counted is not None:
                for row, number in zip(values["discards"], self.starters_behind, strict=False):
                    row["starters_behind"] = number
            values["people"] = self.people and self.people.to_dict()
            values["explanation"] = self.explain().to_dict()
        return values

    def __repr__(self) -> str:
        top = "" if self.shown is None else f".top({self.shown})"
        return f"advise({self._asked_text}){top}"

    def plot(self) -> NDArray[Any]:
        """Plot hand and crib of each discard, the best on top; return the two axes of matplotlib.

        A dot is the average, a thick line reaches one standard deviation to each side, a thin one
        from the least to the most. `CribevError` if matplotlib is missing, with what to install.

        >>> import cribev
        >>> panels = cribev.advise("5H 5D JS QC 2H 8D", role="dealer").top(5).plot()
        >>> [axes.get_xlabel() for axes in panels]
        ['hand, points', 'crib, points']
        """
        from cribev.game.plots import plot_discards

        table = self.table.head(self.shown or len(self.table))
        return plot_discards(table, cards=self.cards, role=self.role)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        best, score = self.best, self.position.score
        any_suits = "" if self.has_suits else f", {self.position.suits_words}: {self.deals:,} deals"
        if TEN_CARD in self.position.held.kept:
            any_suits = f", x any ten-card{any_suits}"
        whose = f" as {self.role} ({crib_owner(self.role)}){any_suits}"
        yield Text.assemble(render.styled_cards(console, self.position.held.kept), whose)
        yield Text(self.question.against_text, style="dim")
        if score is not None:
            from cribev.advice import reasons

            par = f"; {self.par.words}" if self.par else ""
            needs = reasons.needs_text(score, self.role)
            yield Text(f"score {score.text(self.role)}: {needs}{par}")
        ends = f"wins {say_chance(best.win)}, " if score else ""
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
        if score is not None:
            does = f"discard {render.styled_cards(console, best.cards).plain}"
            if stakes := reasons.stakes_text(self.options, does):
                yield Text(stakes, style="bold" if self.options.is_staked else "dim")
            if not self.options.is_staked:
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

    @property
    def _one_deal(self) -> DealOutcomes:
        if self.counted is None:
            raise CardError(f"{self.cards!r} lack suits: expected all of them for one deal")
        return self.counted

    @property
    def deal(self) -> Cards:
        """The six cards as numbers, uint8 ``(6,)``, ascending; `cards` are the same as text."""
        return self._one_deal.deal

    @property
    def hand_scores(self) -> Points:
        """Points of each keep with each starter, uint8 ``(15, 46)``.

        Keeps are in the order of ``itertools.combinations(deal, 4)``, starters ascending.
        """
        return self._one_deal.hands

    @property
    def crib_scores(self) -> CribScores:
        """The points that each discard's crib can score, discards in the order of the keeps."""
        return self._one_deal.cribs

    @property
    def play(self) -> ExpectedPegging | None:
        """The average pegs of each keep, ``(15,)`` for both players; None for the show alone."""
        return self._one_deal.play

    @property
    def starters(self) -> Cards:
        """The 46 cards that can be cut, uint8 ``(46,)``, ascending."""
        return unseen(self.deal)

    @property
    def order(self) -> canonical.Index:
        """For each row of the table, its place in the order of the keeps."""
        return self.options.order

    def distribution(self, discard: CardsLike | None = None, *, play: bool = False) -> pd.DataFrame:
        """Return how likely each number of points is, for hand, crib and both together.

        Probabilities: columns ``hand``, ``crib`` and ``total``, index ``points``. The total is
        hand plus crib as dealer, hand minus crib as pone, with the same starter. With the play,
        which takes a tenth of a second, ``play_own`` and ``play_opponent`` are what each of you
        pegs, ``play`` is yours minus theirs, and ``with_play`` adds that to the total. Their
        averages differ by some hundredths from those in the table, which ignore suits.
        `TableError` if you ask for the play, and it does not count.

        >>> from cribev import advise
        >>> chances = advise("5H 5D JS QC 2H 8D", role="pone").distribution()
        >>> int(chances["hand"].idxmax()), int(chances.index[0])
        (10, -6)
        """
        import pandas as pd

        from cribev.wins import exact as wins_exact

        index = self.options.index(discard)
        hand = self.hand_scores[index].astype(np.int64)
        chance = self.crib_scores.chance[index]
        crib = np.arange(MAX_POINTS + 1)
        total = net_points(hand[:, None], crib, self.role)
        first = wins_exact.FIRST_TOTAL
        size = 1 + 2 * MAX_POINTS - wins_exact.FIRST_PEGGED - first
        pmfs = {
            "hand": np.bincount(hand - first, minlength=size) / len(hand),
            "crib": np.bincount(crib - first, chance.sum(axis=0), minlength=size),
            "total": np.bincount((total - first).ravel(), chance.ravel(), minlength=size),
        }
        if play:
            if self.play is None:
                raise TableError("hand and crib alone count here: nothing is known of the play")
            known = self.deal, self.hand_scores, index, self.role
            totals = wins_exact.deal_pmfs(*known, self.against)
            parts = wins_exact.PLAY_PARTS.items()
            for (name, least), pmf in zip(parts, totals, strict=True):
                pmfs[name] = np.zeros(size)
                pmfs[name][least - first :][: len(pmf)] = pmf
        frame = pd.DataFrame(pmfs, index=pd.RangeIndex(first, first + size, name="points"))
        possible = np.flatnonzero(frame.to_numpy().any(axis=1))
        return frame.iloc[possible[0] : possible[-1] + 1]

    @property
    def outcomes(self) -> pd.DataFrame:
        """A row for each discard and starter: what the hand makes, and what the crib can make.

        Columns are ``discard`` and ``keep``, the best first, ``starter``, ``hand`` (points) and
        ``crib_mean``, ``crib_min`` and ``crib_max``, of all cribs that can follow once this starter
        is cut. Every starter is as likely, so that averages, least and most over the rows of a
        discard are those of `table`.

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
            name: np.repeat([texts[index] for index in order], len(starters)).tolist()
            for name, texts in self.options.texts.items()
        }
        frame["starter"] = starters * len(order)
        return pd.DataFrame(
            frame | {name: column[order].ravel() for name, column in points.items()}
        )

    def by_starter(self, discard: CardsLike | None = None) -> pd.DataFrame:
        """Return what each starter makes of a discard, the most helpful first.

        46 rows: ``starter``, ``hand`` (points), ``crib_mean`` (points on average, once this
        starter is cut), ``expected`` (hand and crib, signed as everywhere, and the play, which no
        starter changes here) and ``gain`` over the average starter.

        >>> from cribev import advise
        >>> advise("5H 5D JS QC 2H 8D", role="dealer").by_starter()["starter"].iloc[0]
        '5S'
        """
        import pandas as pd

        index = self.options.index(discard)
        hand, crib = (
            self.hand_scores[index].astype(np.int64),
            self.crib_scores.mean_by_starter[index],
        )
        play = None if self.play is None else self.play.net[index]
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

    @property
    def starters_behind(self) -> list[int]:
        """For each row of the table, after how many starters it is behind the best.

        >>> from cribev import advise
        >>> advise("5H 5D JS QC 2H 8D", role="dealer").starters_behind[:3]
        [0, 40, 46]
        """
        play = None if self.play is None else self.play.net[:, None]
        cribs = self.crib_scores.mean_by_starter
        points = net_points(self.hand_scores.astype(np.int64), cribs, self.role, play)
        ranked = points[self.order]
        behind: list[int] = (ranked < ranked[0] - TIE_TOLERANCE).sum(axis=1).tolist()
        return behind

    def locked_in(self, discard: CardsLike | None = None) -> Show:
        """Count what the keep of a discard scores whatever is cut.

        >>> from cribev import advise
        >>> advise("5H 5D JS QC 2H 8D", role="dealer").locked_in().total
        10
        """
        from cribev.game.show import explain

        return explain(self.deal[KEEPS[self.options.index(discard)]])

    def _second_answer(self, question: Question) -> Options | None:
        if self.counted is not None and question.position.score is None:
            tables = ClassTables(question.opponent.crib_averages(self.role), self.role)
            place = canonical.classify_deals(self.deal[None])
            crib, play = tables.crib_parts(*place).sum(axis=0), tables.play(place[0])
            (values,) = net_points(self.counted.hand_mean[None], crib, self.role, play)
            if values.max() - values[self.best.at] < MORE_POINTS - _TABLE_ERROR:
                return None
        return advise_discard(question).options

    def explain(
        self, discard: CardsLike | None = None, *, versus: CardsLike | None = None
    ) -> Explanation | SuitlessExplanation:
        """Say why a discard is worth what it is, compared with another, total by total.

        The other is by default the best discard; or, for the best, the next that is not its equal.

        >>> from cribev import advise
        >>> why = advise("5H 5D JS QC 2H 8D", role="dealer").explain()
        >>> why.rival.discard, round(why.rival.expected, 2)
        ('JS QC', 1.65)
        """
        chosen, rival = self._compared(discard, versus)
        if self.counted is None:
            from cribev.advice.any_suits import explain_any_suits

            return explain_any_suits(self.question, chosen, rival)
        from cribev.advice import reasons
        from cribev.advice.decisions import Difference
        from cribev.wins.exact import lead_win_chances

        weights = self.against.discards.weights(self.deal, self.role)
        leads, score = None, self.position.score
        if score is not None and self.role == "pone":
            leads = lead_win_chances(self.deal, self.hand_scores, chosen.at, score, self.against)
        return reasons.Explanation(
            discard=chosen.discard,
            role=self.role,
            locked_in=self.locked_in(discard),
            hand_min=chosen.hand_min,
            rival=None if rival is None else Difference(chosen, rival),
            starters=self.by_starter(discard),
            chances_of=partial(self.distribution, play=self.play is not None),
            beside_rival=versus is not None,
            play=reasons.PlayExplanation.of(chosen, self.against, leads),
            ends=None if self.chances is None else self.chances.of(chosen.at),
            made_of=mean_by_kind(self.deal, chosen.at, weights),
        )

    def compare(self, discard: CardsLike, other: CardsLike | None = None) -> Comparison:
        """Set a discard, such as your own, beside another: by default as `explain` does.

        >>> from cribev import advise
        >>> comparison = advise("AH 2C 7D 9S JH QC", role="dealer").compare("7D 9S")
        >>> comparison.other.discard, comparison.choice.discard
        ('JH QC', '7D 9S')
        >>> round(comparison.other.expected - comparison.choice.expected, 2)
        0.81
        """
        import pandas as pd

        from cribev.advice.reasons import Comparison

        chosen, beside_best = self._compared(discard, other)
        beside = beside_best or self.best
        starters, others = (
            self.by_starter(option.discard).drop(columns="gain").set_index("starter")
            for option in (chosen, beside)
        )
        both = starters.join(others.add_prefix("other_")).reset_index()
        both["gain"] = both["expected"] - both["other_expected"]
        sides = {"total": chosen, "other_total": beside}
        totals = {
            name: self.distribution(option.discard)["total"] for name, option in sides.items()
        }
        return Comparison(
            choice=chosen,
            other=beside,
            starters=both.sort_values("gain", ascending=False, kind="stable", ignore_index=True),
            distribution=pd.DataFrame(totals).fillna(0).rename_axis("points"),
        )

    def compare_with_best(
        self, versus: CardsLike | None
    ) -> Comparison | SuitlessExplanation | None:
        """Set a discard beside the best, if there is one."""
        if versus is None:
            return None
        if self.counted is None:
            from cribev.advice.any_suits import explain_any_suits

            return explain_any_suits(self.question, *self._compared(versus, None))
        return self.compare(versus)


def advise_discard(question: Question) -> Advice:
    """Work out what each discard is worth, as `cribev.advise` says."""
    position, opponent = question.position, question.opponent
    if not position.has_suits:
        from cribev.advice.any_suits import any_suits_options

        return Advice(*any_suits_options(question))
    role, six = position.role, position.held.kept
    counted = deal_outcomes(np.array(six, dtype=np.uint8), role, opponent)
    hands, cribs = counted.hands, counted.cribs
    pegged = {} if counted.play is None else counted.play.columns()
    chances = None
    if position.score is not None:
        from cribev.wins.exact import win_chances

        chances = win_chances(six, role, position.score, opponent)
    columns = {
        "hand_mean": counted.hand_mean,
        "hand_min": hands.min(axis=1).astype(np.int64),
        "hand_max": hands.max(axis=1).astype(np.int64),
        "hand_sd": hands.std(axis=1),
        "crib_mean": cribs.mean,
        "crib_min": cribs.min,
        "crib_max": cribs.max,
        "crib_sd": cribs.sd,
        **pegged,
        **question.columns(chances and chances.outcomes),
        "expected": net_points(counted.hand_mean, cribs.mean, role, pegged.get("play_mean")),
    }
    return Advice(Options.of_discards(question, columns), counted=counted, chances=chances)
