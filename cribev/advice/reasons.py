"""Why a choice is worth what it is: sure points, starters that help, the play and the score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.advice.decisions import Difference
from cribev.advice.options import Option, Options
from cribev.classes.canonical import Floats
from cribev.classes.ranking import CLOSE_WINS, TIE_TOLERANCE, net_points, tied_best
from cribev.game import render
from cribev.game.cards import RANKS, as_cards, parse_some_suits, rank_of
from cribev.game.roles import Role
from cribev.game.score import Score
from cribev.game.show import KINDS, Show
from cribev.game.stakes import Stakes
from cribev.game.words import (
    MIN_SHOWN_CHANCE,
    at_least_text,
    format_chance,
    printable,
    say_chance,
    wins_text,
)
from cribev.opponents.opponents import Opponent
from cribev.solution.solution import shipped_keep_frequencies, shipped_strategy
from cribev.solution.strategy import PlayStrategy
from cribev.values.holdings import Belief, kept_by_chance, kept_with_errors
from cribev.values.pegging import PlayTree
from cribev.wins.exact import Chances

if TYPE_CHECKING:
    import pandas as pd


class ScoreEffect(NamedTuple):
    """The best choice by points, compared with the one that wins most."""

    by_points: str  # the discard that is best by points, the first of equals
    points: float  # how many points fewer the one that wins most brings
    wins: float  # how much more often it wins, from 0 to 1

    @property
    def changes(self) -> bool:
        """Whether the score changes the answer."""
        return self.points > TIE_TOLERANCE

    def to_dict(self) -> dict[str, Any]:
        """Return what the score changes as plain values, ready for JSON."""
        return self._asdict() | {"changes": self.changes}

    def text(self, by_points: str | None = None) -> str:
        """Say whether and how the score changes the answer; the discard may be named otherwise."""
        if not self.changes:
            return "Also the best discard by points."
        discard = by_points or self.by_points
        if self.wins >= CLOSE_WINS:
            less = f"{self.points:.2f} points less than {discard} for {wins_text(self.wins)}"
            return f"The score changes the answer: {less}."
        less = f" ({say_chance(self.wins)} less)" if round(1000 * self.wins) else ""
        often = f"nearly as often{less}" if self.wins > TIE_TOLERANCE else "as often"
        return f"Discarding {discard} wins {often} and brings {self.points:.2f} points more."


def score_effect(options: Options) -> ScoreEffect:
    """Compare the discard that wins most with what is best by points."""
    options = options.by_wins
    first, by_points = options.best, options.by_points.rank
    best = next(row for row in options.rows if by_points[row.at] == 1)
    wins = (first.win or 0) - (best.win or 0)
    return ScoreEffect(best.discard, best.expected - first.expected, wins)


_LIKELY = 0.1  # chances of a skunk that one may want to weigh


class StakesEffect(NamedTuple):
    """The best choice by the stakes, compared with the one that wins most."""

    by_wins: str  # the discard, or card, that wins most, the first of equals
    value: float  # how much more the best by the stakes is worth
    wins: float  # how much more often it wins, from 0 to 1: below 0 if less
    skunks: float  # how much more often it wins by a skunk
    skunked: float  # how much more often it loses by one
    double_skunks: float  # how much more often it wins by a double skunk
    double_skunked: float  # how much more often it loses by one

    @property
    def changes(self) -> bool:
        """Whether the stakes change the answer."""
        return self.value > TIE_TOLERANCE

    def to_dict(self) -> dict[str, Any]:
        """Return what the stakes change as plain values, ready for JSON."""
        return self._asdict() | {"changes": self.changes}

    def text(self, stakes: Stakes, does: str) -> str:
        """Say whether and how the stakes change the answer, which `does` says."""
        if not self.changes:
            return f"For {stakes.unit} it is the best, and it wins most."
        gains = [
            f"{say_chance(abs(more))} {'more' if more > 0 else less} {what}"
            for more, less, what in (
                (self.skunks, "fewer", "skunks"),
                (self.skunked, "less", "often skunked"),
                (self.double_skunks * stakes.counts_doubles, "fewer", "double skunks"),
                (self.double_skunked * stakes.counts_doubles, "less", "often double skunked"),
            )
            if round(1000 * abs(more))
        ]
        gained = ", ".join(gains) or "as many skunks"
        return f"For {stakes.unit} {does}: {gained} for {wins_text(self.wins)}."


def stakes_effect(options: Options) -> StakesEffect:
    """Compare what is best by the stakes with what wins most."""
    best, most = options.best, options.option(options.by_wins.best.cards)
    names = ("win", "skunk", "skunked", "double_skunk", "double_skunked")
    gain, name = Difference(best, most), most.discard if options.is_discard else most.card
    assert gain.value is not None
    return StakesEffect(name, gain.value, *(getattr(gain, chance_name) for chance_name in names))


def stakes_text(options: Options, does: str) -> str:
    """Say what the stakes change for what the best `does`, or that they might; or empty."""
    if options.is_staked:
        return stakes_effect(options).text(options.stakes, does)
    skunks = (options.best.skunk or 0) + (options.best.skunked or 0)
    if skunks < _LIKELY:
        return ""
    return (
        f"A skunk ends {skunks:.0%} of games from here. Choose stakes acc or games to count that."
    )


def needs_text(score: Score, role: Role) -> str:
    """Say what each player needs and who counts first."""
    own, opponents = score.needs(role)
    if role == "pone":
        return f"you need {own} and count first, the opponent needs {opponents}"
    return f"you need {own}, the opponent needs {opponents} and counts first"


_NET = np.array([1, -1])


def leads_from(
    keep: Sequence[int], discard: Sequence[int], person: Opponent | None = None
) -> pd.DataFrame:
    """Value pone's leads, given the ranks kept and discarded, 0..12, and no starter.

    The dealer may hold what an expert keeps from any six unseen cards, and plays like an expert; or
    keeps and plays like a person, and then pone plays the best response. There is one row for each
    rank kept, best first: ``lead``; ``share``, how often an expert leads it; ``play_mean``, pone's
    points in the play minus the dealer's if pone goes on like an expert too; and ``play_best``, the
    same if pone makes the best use of all that is known, as in `cribev.advise_play`. Averaged by
    shares, ``play_mean`` is what an advice counts, except for the dealer's rare mistakes: about
    0.0002 points.
    """
    import pandas as pd

    expert = shipped_strategy()
    strategy: PlayStrategy = expert
    frequencies = shipped_keep_frequencies("dealer")
    own: PlayStrategy | None = expert
    if person is not None:
        strategy, frequencies, own = person.play.strategy(), person.discards.keeps("pone"), None
    elsewhere = np.bincount([*keep, *discard], minlength=len(RANKS))
    kept = kept_by_chance(elsewhere, frequencies)
    belief = Belief(expert.size.kept, kept_with_errors(elsewhere, kept), 0, explained=True)
    lead = PlayTree([], "pone", keep, belief, opponent=strategy)
    share, means = expert.choices(expert.root, keep), []
    for rank in lead.ranks.tolist():
        left = sorted(keep)
        left.remove(rank)
        after = PlayTree([rank], "pone", left, belief, opponent=strategy, own=own)
        means.append(after.value @ _NET)  # a lead pegs nothing
    table = pd.DataFrame(
        {
            "lead": [RANKS[rank] for rank in lead.ranks],
            "share": share[lead.ranks],
            "play_mean": means,
            "play_best": lead.worth @ _NET,
        }
    )
    return table.sort_values(
        ["play_best", "share"], ascending=False, kind="stable", ignore_index=True
    )


_BARS = 30  # columns for bars
_HELPFUL = 5  # rows of starters
_MIN_SHARE = 0.005  # leads that experts choose less often round to 0 %, and are left out


@dataclass(frozen=True, eq=False, repr=False)
class PlayExplanation(render.Displayable):
    """The changes that the play makes for a discard."""

    own: float  # points you peg on average
    opponent: float
    leads: pd.DataFrame | None
    """As pone, what to lead with these six cards, before the cut, the best lead first, as
    `leads_from`; at a score with ``win``, ``win_mean`` and ``share`` of
    `cribev.wins.exact.lead_win_chances`, by what wins most. None as dealer."""
    at_the_show: tuple[str, float] | None
    """The best discard for hand and crib alone, if it is another than the best, and its lead over
    that in points."""
    opponent_name: str
    is_replied_to: bool  # or the player plays as the opponent does

    @classmethod
    def of(
        cls, chosen: Option, across: Opponent, lead_chances: Mapping[str, Floats] | None = None
    ) -> PlayExplanation | None:
        """Explain a discard among all, and how likely each lead wins; None where no play counts."""
        own, opponent = chosen.play_own, chosen.play_opponent
        if own is None or opponent is None:
            return None
        leads, options = None, chosen.options
        if options.role == "pone":
            kept, discarded = (list(map(rank_of, cards)) for cards in (chosen.kept, chosen.cards))
            leads = leads_from(kept, discarded, across if across.is_replied_to else None)
        if leads is not None and lead_chances is not None:
            led = [RANKS.index(lead) for lead in leads["lead"]]
            leads = leads.assign(
                **{name: column[led] for name, column in lead_chances.items()}
            ).sort_values(["win", "play_best"], ascending=False, kind="stable", ignore_index=True)
        hand, crib = options.columns["hand_mean"], options.columns["crib_mean"]
        show = net_points(hand, crib, options.role)[options.order]
        ahead = float(show.max() - show[0])
        best = options.rows[int(tied_best(show).argmax())].discard
        at_the_show = (best, ahead) if ahead > TIE_TOLERANCE else None
        return cls(own, opponent, leads, at_the_show, across.play.name, across.is_replied_to)

    @property
    def where(self) -> str:
        """Say against which opponent, or in whose play."""
        name = printable(self.opponent_name)
        return f"Against {name}" if self.is_replied_to else f"In {name} play"

    @property
    def led(self) -> pd.DataFrame:
        """The `leads` that an expert makes now and then, the most frequent first."""
        import pandas as pd

        leads = self.leads if self.leads is not None else pd.DataFrame({"share": []})
        led = leads[leads["share"] >= _MIN_SHARE]
        return led.sort_values("share", ascending=False, kind="stable")

    @property
    def wins(self) -> list[str]:
        """The chances to win with each of the `leads`, as text; empty without a score."""
        if self.leads is None or "win" not in self.leads:
            return []
        return [format_chance(win) for win in self.leads["win"].tolist()]

    @property
    def expert_wins(self) -> str:
        """Chances that an expert wins with these leads, as text; empty without a score."""
        if self.leads is None or "win_mean" not in self.leads:
            return ""
        shares, wins = (self.leads[name].to_numpy() for name in ("share", "win_mean"))
        return format_chance(float(shares @ wins))

    def to_dict(self) -> dict[str, Any]:
        """Return what the play changes as plain values, ready for JSON."""
        values: dict[str, Any] = {"own": self.own, "opponent": self.opponent}
        if self.leads is not None:
            values["leads"] = self.leads.to_dict(orient="records")
        at_the_show = self.at_the_show and dict(
            zip(("discard", "ahead"), self.at_the_show, strict=True)
        )
        return values | {"at_the_show": at_the_show}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.at_the_show is not None:
            discard, ahead = self.at_the_show
            best = styled_discard(console, discard)
            alone = "For hand and crib alone the best would be "
            yield Text.assemble(alone, best, f", by {ahead:.2f}")
        yield Text.assemble(
            (f"{self.where} ", "bold"),
            f"you peg {self.own:.2f} and your opponent {self.opponent:.2f}: "
            f"{self.own - self.opponent:+.2f}",
        )
        if self.leads is not None:
            points = [f"{points:+.2f}" for points in self.leads["play_best"].tolist()]
            worth = [f"wins {win}, {net}" for win, net in zip(self.wins, points, strict=False)]
            texts = zip(self.leads["lead"], worth or points, strict=True)
            known = ", ".join(f"{lead} ({text})" for lead, text in texts)
            goal = "if you then play for the game, " if self.wins else ""
            known += f": best first, {goal}by all you know of the six cards"
            yield Text.assemble(("Lead ", "bold"), render.shown_ranks(console, known))
            shares = ", ".join(f"{row.lead} {row.share:.0%}" for row in self.led.itertuples())
            experts = f"Experts lead {render.shown_ranks(console, shares)}"
            if not self.is_replied_to:
                mean = f"{self.own - self.opponent:+.2f} on average"
                wins = f", and win {self.expert_wins}" if self.wins else ""
                experts += f", without a look at their discard: {mean}{wins}"
            yield Text(experts, style="dim")


def styled_discard(console: Console, discard: str) -> Text:
    """Write a discard as shown by the console, with or without suits."""
    return render.styled_cards(console, parse_some_suits(discard, ten_cards=True))


def distribution_to_dict(chances: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Return chances as plain values: for each column those that are not 0, by points."""
    return {
        str(name): {str(points): chance for points, chance in of_part.items() if chance}
        for name, of_part in chances.items()
    }


def grouped_starters(
    starters: pd.DataFrame, columns: Sequence[str] = ()
) -> Iterator[tuple[Any, ...]]:
    """List up to five starters, or ranks, that gain most: the cards, their parts, mean gain."""
    alike: dict[tuple[Any, ...], list[tuple[str, float]]] = {}
    values = [starters[column].round(2).tolist() for column in columns]
    for card, gain, *points in zip(starters["starter"], starters["gain"], *values, strict=True):
        alike.setdefault((RANKS.index(card[0]), *points), []).append((card, gain))
    groups = [
        (as_cards([card for card, _ in group]), *points, fmean(gain for _, gain in group))
        for (_, *points), group in sorted(alike.items())
    ]
    helpful = sorted((row for row in groups if row[-1] > 0), key=lambda row: -row[-1])
    for cards, *rest in helpful[:_HELPFUL]:
        yield np.sort(cards), *rest


def named_kinds(made_of: dict[str, NDArray[np.float64]]) -> dict[str, dict[str, float]]:
    """Name the parts of ``hand`` and ``crib``: points by `KINDS`, ``(5,)`` each."""
    named = {
        name: zip(KINDS, points_of_kinds.tolist(), strict=True)
        for name, points_of_kinds in made_of.items()
    }
    return {name: dict(kinds) for name, kinds in named.items()}


def made_of_texts(by_kind: dict[str, dict[str, float]]) -> Iterator[Text]:
    """Say what makes up hand and crib, in one line each."""
    for name, kinds in by_kind.items():
        text = ", ".join(f"{kind} {points:.2f}" for kind, points in kinds.items() if points)
        yield Text.assemble((f"{name.title()} made of ", "bold"), text)


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(render.Displayable):
    """Why a discard is worth what it is."""

    discard: str
    role: Role
    locked_in: Show  # what the keep scores before the cut
    hand_min: int  # the fewest points of the hand, whatever is cut
    rival: Difference | None
    """The discard it is compared with: the best, or for the best the next that is not its equal,
    unless you asked for another; None if all are equal."""
    starters: pd.DataFrame  # as in `cribev.advice.discards.Advice.by_starter`
    chances_of: Callable[[str], pd.DataFrame]
    """As `cribev.advice.discards.Advice.distribution`; computed on request."""
    beside_rival: bool = False  # whether you asked for the rival: its chances are shown too
    play: PlayExplanation | None = None  # what the play changes, if it counts
    ends: Chances[float] | None = None  # how the game may end, if there is a score
    made_of: dict[str, NDArray[np.float64]] | None = None
    """Points of ``hand`` and ``crib`` by `KINDS`, on average, ``(5,)`` each."""

    @cached_property
    def distribution(self) -> pd.DataFrame:
        """Chances of each number of points."""
        return self.chances_of(self.discard)

    @property
    def by_kind(self) -> dict[str, dict[str, float]]:
        """The average parts of ``hand`` and ``crib``: points by kind."""
        return named_kinds(self.made_of or {})

    @cached_property
    def rival_distribution(self) -> pd.DataFrame | None:
        """Chances of each number of points with the rival discard; None if nobody asked."""
        if self.rival is None or not self.beside_rival:
            return None
        return self.chances_of(self.rival.discard)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, ready for JSON.

        Examples
        --------
        >>> from cribev import advise
        >>> why = advise("5H 5D JS QC 2H 8D", role="dealer").explain().to_dict()
        >>> why["locked_in"]["points"], round(why["distribution"]["hand"]["21"], 2)
        (10, 0.02)
        """
        rival = self.rival_distribution
        return {
            "discard": self.discard.split(),
            "hand_min": self.hand_min,
            "rival": self.rival and self.rival.to_dict(),
            **({} if self.play is None else {"play": self.play.to_dict()}),
            **({} if self.ends is None else {"ends": self.ends.to_dict(self.role)}),
            "locked_in": self.locked_in.to_dict(),
            "made_of": self.by_kind,
            "starters": self.starters.to_dict(orient="records"),
            "distribution": distribution_to_dict(self.distribution),
            "rival_distribution": rival if rival is None else distribution_to_dict(rival),
        }

    def chart(self, *, first: str = "total") -> DistributionChart:
        """Draw how likely each total is, with the play, beside the rival's if you asked for it.

        `first` is what is drawn first: ``total``, ``play`` (with it), ``hand`` or ``crib``.

        Examples
        --------
        >>> from cribev import advise
        >>> chart = advise("5H 5D JS QC 2H 8D", role="dealer").explain().chart()
        >>> str(chart).splitlines()[22]
        '    29    0.3%      0.4%  #'
        """
        chances = {self.discard: self.distribution}
        if self.rival is not None and self.rival_distribution is not None:
            chances[self.rival.discard] = self.rival_distribution
        return DistributionChart(self.role, chances, first)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text()
        if total := self.locked_in.total:
            kept = render.styled_cards(console, self.locked_in.hand)
            points = f" = {total}: {self.locked_in.spoken}"
            yield Text.assemble(("Locked in ", "bold"), kept, points)
        if self.hand_min > total:
            yield Text(f"At least {self.hand_min} in hand whatever is cut")
        if self.rival is None:
            alike = "is worth the same" if self.ends is None else "wins as often"
            yield Text(f"Every discard {alike}")
        else:
            yield Text.assemble(
                ("Against the best, " if self.rival.is_best else "Rather than ", "bold"),
                styled_discard(console, self.rival.discard),
                f": {self.rival.text}",
            )
        if self.ends is not None:
            yield self.ends.text(self.role)
        if self.play is not None:
            yield self.play
        yield from made_of_texts(self.by_kind)
        listed = render.table(
            console, ("starters that help most", "left"), ("hand", "right"), ("crib", "right"),
            ("gain", "right"),
        )  # fmt: skip
        for cards, hand, crib, gain in grouped_starters(self.starters, ["hand", "crib_mean"]):
            shown = render.styled_cards(console, cards)
            listed.add_row(shown, str(hand), f"{crib:.2f}", f"{gain:+.2f}")
        if listed.row_count:
            yield listed


@dataclass(frozen=True, eq=False)
class DistributionChart(render.Displayable):
    """Chances of each total of hand and crib, and with the play, for one or two discards."""

    role: Role
    chances: dict[str, pd.DataFrame]  # by discard, as `cribev.advice.discards.Advice.distribution`
    first: str = "total"  # what comes first

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        title = f"Hand {'plus' if self.role == 'dealer' else 'minus'} crib"
        titles = {"total": title, "play": f"{title} plus play"}
        titles |= {"hand": "Hand alone", "crib": "Crib alone"}
        for name in sorted(titles, key=lambda name: name != self.first):
            column = "with_play" if name == "play" else name
            if not all(column in of_discard for of_discard in self.chances.values()):
                continue
            yield Text()
            yield Text(titles[name], style="bold")
            for discard, of_discard in self.chances.items():
                discarded = styled_discard(console, discard).plain
                if name == "play":
                    told = [
                        at_least_text(of_discard[part].loc[0:])
                        for part in ("play_own", "play_opponent")
                    ]
                    yield Text(f"{discarded}: you peg at least {told[0]}; your opponent {told[1]}")
                elif name == "total" and self.role == "dealer" and of_discard[name].get(0, 0.0):
                    nothing = format_chance(of_discard[name].loc[0])
                    yield Text(f"{discarded}: {nothing} for 0 in hand and crib together")
            yield self._bars(console, column)

    def _bars(self, console: Console, column: str) -> Table:
        import pandas as pd

        shown = pd.DataFrame({name: table[column] for name, table in self.chances.items()}).fillna(
            0
        )
        likely = np.flatnonzero((shown >= MIN_SHOWN_CHANCE).any(axis=1))
        at_least = shown[::-1].cumsum()[::-1]
        columns: list[tuple[str, JustifyMethod]] = [("points", "right")]
        for discard in shown:
            columns += [("chance", "right"), ("at least", "right")]
            columns.append((styled_discard(console, str(discard)).plain, "left"))
        listed = render.table(console, *columns)
        for number in range(likely[0], likely[-1] + 1):
            row = [Text(str(shown.index[number]))]
            for discard in shown:
                chance = shown[discard].iloc[number]
                share = chance / shown.to_numpy().max()
                row += [
                    Text(format_chance(chance)),
                    Text(format_chance(at_least[discard].iloc[number])),
                    render.bar(console, share, width=_BARS // len(self.chances)),
                ]
            listed.add_row(*row)
        return listed


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(render.Displayable):
    """A discard compared with another of the same deal: what each is worth, in points."""

    choice: Option
    other: Option
    starters: pd.DataFrame
    """Points with each of the 46 starters: ``starter``; ``hand``, ``crib_mean`` and
    ``expected`` of the discard, ``other_hand`` and so on of the other; and ``gain``, by how much
    the discard is ahead, the greatest first."""
    distribution: pd.DataFrame
    """Chances of each total: columns ``total`` and ``other_total``, index ``points``."""

    @property
    def role(self) -> Role:
        """Whose discards they are."""
        return self.choice.options.role

    @property
    def starters_ahead(self) -> int | None:
        """The number of starters after which the discard is ahead; None if all or none."""
        ahead = int((self.starters["gain"] > 0).sum())
        return ahead if 0 < ahead < len(self.starters) else None

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, ready for JSON.

        Examples
        --------
        >>> from cribev import advise
        >>> comparison = advise("5H 5D JS QC 2H 8D", role="dealer").compare("JS QC").to_dict()
        >>> list(comparison), comparison["other"]["discard"]
        (['choice', 'other', 'starters', 'distribution'], ['2H', '8D'])
        """
        return {
            "choice": self.choice.to_dict(),
            "other": self.other.to_dict(),
            "starters": self.starters.to_dict(orient="records"),
            "distribution": distribution_to_dict(self.distribution),
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        ahead = Difference(self.choice, self.other)
        yield Text()
        yield Text.assemble(
            render.styled_cards(console, self.choice.cards),
            f" is {ahead.better} than ",
            render.styled_cards(console, self.other.cards),
            ", the best discard" if ahead.is_best else "",
        )
        yield Text("; ".join(filter(None, [ahead.parts, ahead.wins])))
        if self.starters_ahead is not None:
            most, gain = next(grouped_starters(self.starters.query("gain > 0")))
            yield Text.assemble(
                f"ahead after {self.starters_ahead} of the {len(self.starters)} starters, most "
                "after ",
                render.styled_cards(console, most),
                f" ({gain:+.2f})",
            )
