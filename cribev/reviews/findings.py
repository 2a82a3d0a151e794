"""The findings of a review: tables of decisions and totals, the costliest, and sentences."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.advice.answers import right_against_others
from cribev.advice.decisions import Decision, Difference
from cribev.advice.options import Option, Options
from cribev.advice.question import Question
from cribev.advice.verdicts import VERDICTS
from cribev.classes.ranking import DiscardValues
from cribev.errors import CribevError, quote
from cribev.game.alike import Value
from cribev.game.outcomes import SCORED_COLUMNS, Goal, Outcomes
from cribev.game.roles import opposite_role, role_of
from cribev.game.score import UNKNOWN
from cribev.game.show import Show, explain
from cribev.game.stakes import WIN_STAKES, Stakes
from cribev.game.words import format_games_lost, format_points, pluralize, printable, say_chance
from cribev.grades import grading as grades
from cribev.grades.summary import games_by_player, skill_text, summary_text, tabulate_opponents
from cribev.grades.totals import Totals, missing_text
from cribev.leaks.groups import next_leak_text, tabulate_leaks
from cribev.opponents.opponents import Opponent
from cribev.records.record import Record
from cribev.records.tally import tally_deals
from cribev.solution.win_table import WinTable


class Miscount(NamedTuple):
    """A hand, and the crib of a dealer, for which a player got too few points or gave too many."""

    row: int  # the row of `Review.decisions` whose player it cost
    lost: float  # chances to win, or what the game is played for
    own: bool  # whether the hand is that player's
    said: int  # the points it was counted for, with the crib
    there: int  # the points that were there; where suits lack, the nearest that can have been
    shows: tuple[Show, ...]

    @property
    def counted_text(self) -> str:
        """The hand or crib that was counted, and its owner, in words."""
        whose = "" if self.own else "opponent's "
        what = " and ".join("crib" if show.crib else "hand" for show in self.shows)
        return f"{whose}{what} counted for {self.said}: {self.there} were there"


def tabulate_miscounts(record: Record, goal: Goal, table: WinTable | None) -> pd.DataFrame:
    """Return what was lost where the score does not match the cards, one row for each seat.

    ``row`` of the record; ``points``, how much more the cards would have brought, minus the
    opponent's; and ``win``, what that cost, in what the game is played for.
    """
    if table is None:
        return pd.DataFrame({"row": [], "points": [], "win": []})
    counted, after = record.counted, record.scores_after
    rows = np.flatnonzero((counted != UNKNOWN).all(axis=1))
    won = [
        goal(grades.outcomes_at_scores(score[rows], ~record.dealer[rows], table))
        for score in (counted, after)
    ]
    more = (counted - after)[rows]
    points = more[:, 0] - more[:, 1]
    return pd.DataFrame({"row": rows, "points": points, "win": won[0] - won[1]})


def list_miscounts(record: Record, miscounts: pd.DataFrame) -> Iterator[Miscount]:
    """List those of `tabulate_miscounts` that cost a player something, if it is known by whom."""
    costly = miscounts[miscounts["win"] > 0]
    seats = zip(*(record.frame[name] for name in ("game", "deal", "role")), strict=True)
    row_of = {seat: row for row, seat in enumerate(seats)}
    tallies = tally_deals(record) if len(costly) else []
    for number, cost in zip(costly["row"].astype(int), costly["win"], strict=True):
        role, tally = role_of(record.dealer[number]), tallies[number]
        own = (tally[role].other or 0) < 0
        whose = role if own else opposite_role(role)
        there = row_of.get((*record.frame[["game", "deal"]].iloc[number], whose))
        if not tally[whose].other or there is None:
            continue
        deal = record.deal(there)
        shows = [explain(deal.held(whose).kept, deal.starter)]
        if whose == "dealer":
            theirs = record.opponent_discards[there].tolist()
            shows.append(explain([*deal.dealer.discard, *theirs], deal.starter, crib=True))
        points = tally[whose].hand + tally[whose].crib
        said = points + (tally[whose].other or 0)
        yield Miscount(number, float(cost), own, said, points, tuple(shows))


_SHOWN_WIN, _SHOWN_POINTS = 0.0005, 0.005  # what is less is written as nothing


@dataclass(frozen=True)
class Mistake(Decision):
    """A discard or a card that lost something."""

    row: int  # the row of `Review.decisions` whose player it is
    card: int | None  # the row of `Review.cards`; None for the discard
    lost: float  # points, or chances to win if `Review.counts_wins`


@dataclass(frozen=True, eq=False, repr=False)
class Findings(Value):
    """The tables of a review, what cost most in them, and its sentences: see `Review`."""

    decisions: pd.DataFrame
    players: pd.DataFrame
    games: pd.DataFrame
    error_rates: pd.DataFrame
    against: Opponent
    play: bool
    fast: bool
    discards: DiscardValues
    stakes: Stakes
    """The stakes of the games."""
    record: Record
    graded: grades.GradedCards
    rejects: pd.DataFrame
    """Why files and games were left out: ``reason``."""

    def of_player(self, name: str) -> Self:
        """Return the review of one player's discards; `RecordError` if there is no such player."""
        rows = self.record.rows_of(name)
        return replace(
            self,
            decisions=self.decisions.iloc[rows].reset_index(drop=True),
            players=self.players[self.players["player"] == name].reset_index(drop=True),
            games=self.games[self.games["player"] == name].reset_index(drop=True),
            error_rates=self.error_rates[self.error_rates["player"] == name].reset_index(drop=True),
            discards=self.discards.take(rows),
            record=self.record.take(rows),
            graded=self.graded.take(rows.tolist()),
        )

    @property
    def cards(self) -> pd.DataFrame:
        """One row for each card, in the order played."""
        return self.graded.frame

    @cached_property
    def leaks(self) -> pd.DataFrame:
        """Losses of each player in each group of decisions: to mend first, then the costliest."""
        return tabulate_leaks(
            self.record, self.decisions, self.discards, self.graded, by_wins=self.counts_wins
        )

    @cached_property
    def miscounts(self) -> pd.DataFrame:
        """The losses where the score does not match the cards, see `tabulate_miscounts`."""
        table = None if self.discards.win is None else self.against.play.game().win_table
        return tabulate_miscounts(self.record, self.stakes.value, table)

    @cached_property
    def miscounted(self) -> list[Miscount]:
        """The hands that were counted wrong, if all that was lost is known in chances to win."""
        return [*list_miscounts(self.record, self.miscounts)] if self.counts_wins else []

    @cached_property
    def notes(self) -> list[str]:
        """Other places where the score does not match the cards, and their cost to each player."""
        cost, seats = dict[str, str](), self.decisions
        places = zip(seats["game"], seats["deal"], strict=True)
        where = [f"game {game}, deal {deal}: " for game, deal in places]
        for row, _, lost in self.miscounts.itertuples(index=False):
            place, player = where[int(row)], seats["player"].iloc[int(row)]
            if lost > 0 or place not in cost:
                did = "cost" if lost > 0 else "brought"
                cost[place] = f"; that {did} {player} {format_games_lost(abs(lost), self.win_unit)}"
        listed = {where[miscount.row] for miscount in self.miscounted}
        notes = ((note.partition(": ")[0] + ": ", note) for note in self.record.notes)
        return [note + cost.get(place, "") for place, note in notes if place not in listed]

    @property
    def opponents(self) -> pd.DataFrame:
        """Games by player and opponent, with the luck of the cut: `OPPONENT_COLUMNS`."""
        return tabulate_opponents(games_by_player(self.games, self.record))

    def decision(self, row: int) -> Decision:
        """Return the discard in a row: the values of all 15, the one chosen, and what it lost."""
        _require_row(row, len(self.decisions), "decisions")
        position, chosen = next(self.record.decisions(row))
        if not self.play:
            position = replace(position, score=None)
        scored = position.score is not None
        columns = {
            name: values[row]
            for name, values in self.discards.columns().items()
            if scored or name not in SCORED_COLUMNS
        }
        question = Question(position, self.against, self.stakes if scored else WIN_STAKES)
        return Decision.of(Options.of_discards(question, columns), chosen)

    def card_decision(self, card: int) -> Decision | None:
        """Return the decision in a row of `cards`; None where no other card fitted."""
        _require_row(card, len(self.cards), "cards")
        values = self.graded.valued[card]
        return (
            None if values is None else Decision.of(values.options, self.cards["card"].iloc[card])
        )

    def options(self, row: int) -> pd.DataFrame:
        """Return all 15 discards of the decision in a row, the best first.

        Columns: ``rank, discard, keep, hand_mean, crib_mean, play_mean, win, expected, behind,
        discarded``, without ``play_mean`` or ``win`` where these do not count.

        >>> from cribev import review
        >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
        ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["5H 5D"]})
        >>> review(frame).options(0)["discard"].iloc[0]
        '2H 8D'
        """
        decision = self.decision(row)
        options = decision.options.by_points
        unknown = np.full(len(options.choices), np.nan)
        frame = pd.DataFrame(
            {
                "rank": options.rank,
                **options.texts,
                **{
                    name: decision.options.columns.get(name, unknown)
                    for name in self.discards.columns()
                },
                "behind": options.expected.max() - options.expected,
                "discarded": np.arange(len(unknown)) == options.index(decision.chosen),
            }
        )
        ranked: pd.DataFrame = frame.iloc[options.order].reset_index(drop=True)
        return ranked

    def reason(self, row: int) -> str:
        """Say what the best discard of a decision has over the one discarded.

        >>> from cribev import review
        >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
        ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["5H 5D"]})
        >>> review(frame, play=False).reason(0)
        "10.61 more in hand, 4.53 less in the opponent's crib"
        """
        return self.compared_with_best(self.decision(row))

    def compared_with_best(self, decision: Decision) -> str:
        """Say what the best choice has over the one made, in the unit of `costliest`.

        >>> from cribev import review
        >>> frame = pd.DataFrame({"deal": [1], "role": ["pone"], "cards": ["4H 5C JD JS 9C KD"],
        ...                       "discard": ["9C KD"], "play": ["J 5 J 4 4 9 5 9"]})
        >>> reviewed = review(frame)
        >>> cards = [decision for decision in reviewed.costliest(5) if decision.card is not None]
        >>> [reviewed.compared_with_best(decision) for decision in cards]
        ['-0.58 against -1.40 from here']
        """
        judged = self.best_of(decision).options
        best, own = judged.best, judged.option(decision.chosen)
        if judged.is_discard:
            text: str = Difference(best, own).parts
        else:
            points = [format_points(option.expected, sign=True) for option in (best, own)]
            text = f"{points[0]} against {points[1]}"
        if judged.win is None:
            return text if judged.is_discard else f"{text} from here"
        wins, instead = say_chance(best.win), say_chance(own.win)
        than = "either way" if wins == instead else f"against {instead}"
        text = f"{wins} to win {than}; in points {text}"
        if not judged.is_staked:
            return text
        return f"{best.value:.3f} {self.win_unit} against {own.value:.3f}; {text}"

    def best_of(self, decision: Decision) -> Option:
        """Return the best choice in the unit of `costliest`."""
        return (decision.options if self.counts_wins else decision.options.by_points).best

    def best_words(self, by_wins: bool) -> str:
        """Name the best choice, after what it is best by where the record has scores."""
        if self.discards.win is None:
            return "best"
        if not by_wins:
            return "best by points"
        return "best by worth" if self.is_staked else "best to win"

    @property
    def counts_wins(self) -> bool:
        """Whether chances to win are known for every discard and every card that was a choice.

        Then what cost most is measured by them, else all of it by points.
        """
        if self.discards.win is None or self.decisions["win_loss"].isna().any():
            return False
        chosen = self.cards[self.cards["choices"] > 1]
        return bool(chosen["win_loss"].notna().all())

    def has_verdict(self, graded: pd.Series) -> bool:
        """Whether a row's verdict is in the unit of `costliest`."""
        return not self.counts_wins or graded["judged_by"] == "win"

    def costliest(self, most: int, *, player: str | None = None) -> list[Mistake]:
        """Return the discards and cards, of one player or all, that lost most, if they lost.

        All are measured in one unit: chances to win if `counts_wins`, else points.

        >>> from cribev import review
        >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
        ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["5H 5D"]})
        >>> [(one.row, one.card, round(one.lost, 2)) for one in review(frame).costliest(5)]
        [(0, None, 15.53)]
        """
        if type(most) is not int or most < 0:
            raise CribevError(f"{quote(repr(most))} is not how many: expected 0 or more")
        costly = self._costly_rows(player)[:most]
        return [self.mistake(row, card, lost=loss) for loss, row, card, _ in costly]

    def _costly_rows(self, player: str | None) -> list[tuple[float, int, int | None, str]]:
        """List what was lost, the most first: how much, both rows of `mistake`, and the verdict."""
        unit = "win_loss" if self.counts_wins else "loss"
        players, rows = self.decisions["player"].tolist(), self.graded.rows.tolist()
        lost: list[tuple[float, int, int | None, str]] = [
            (loss, row, None, verdict)
            for row, (loss, verdict) in enumerate(self.decisions[[unit, "verdict"]].to_numpy())
        ]
        cards = self.cards[[unit, "verdict"]].to_numpy()
        lost += ((loss, rows[card], card, verdict) for card, (loss, verdict) in enumerate(cards))
        costly = [error for error in lost if error[0] > 0 and player in (None, players[error[1]])]
        return sorted(costly, key=lambda error: -error[0])

    def to_study(self, most: int, *, player: str | None = None) -> list[Mistake | Miscount]:
        """Return the `costliest` decisions that were wrong, and hands counted wrong, together."""
        least = _SHOWN_WIN * self.stakes.swing if self.counts_wins else _SHOWN_POINTS
        costly = [
            error
            for error in self._costly_rows(player)
            if error[0] >= least and error[-1] != VERDICTS[0]
        ]
        lessons: list[Mistake | Miscount] = [
            self.mistake(row, card, lost=loss) for loss, row, card, _ in costly[:most]
        ]
        players = self.decisions["player"].tolist()
        lessons += (
            error
            for error in self.miscounted
            if error.lost >= least and player in (None, players[error.row])
        )
        return sorted(lessons, key=lambda error: -error.lost)[:most]

    def summary(self, player: str) -> str:
        """Say in one sentence how a player's games ended, and what made the result.

        Errors, the opponent's errors and the cards add up to it.

        >>> from cribev import review
        >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
        ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["5H 5D"]})
        >>> review(frame).summary("Ann")
        'Ann discarded 1 hand: errors cost 15.53 points.'
        """
        own = self.decisions.iloc[self.record.rows_of(player)]
        last = own.groupby("game", sort=False)["deal"].idxmax().to_numpy()
        mine = self.players[self.players["player"] == player].iloc[0].to_dict()
        others = self.games[self.games["game"].isin(own["game"]) & (self.games["player"] != player)]
        met = others.to_dict(orient="records") if set(others["game"]) == set(own["game"]) else []
        scores = self.record.scores_after[last].tolist()
        seats = self.decisions.iloc[self.miscounts["row"].astype(int)]
        return summary_text(
            mine,
            met,
            scores,
            self.win_unit,
            miscounts=float(self.miscounts["win"].to_numpy()[seats["player"] == player].sum()),
            unknown=len(self.record.notes) > len(seats[["game", "deal"]].drop_duplicates()),
        )

    def skill(self, player: str) -> str:
        """Say what a player's errors cost over several games; empty for one, or if not known."""
        games = int((self.games["player"] == player).sum())
        rates = self.error_rates.query("player == @player and judged_by == 'points'")
        for decision in ("deal", "discard"):
            rate = rates[(rates["decision"] == decision) & rates["loss_mean_se"].notna()]
            if games > 1 and len(rate):
                later = next_leak_text(self.leaks, player, games)
                return skill_text(printable(player), rate.iloc[0], later)
        return ""

    def mistake(self, row: int, card: int | None, *, lost: float = math.nan) -> Mistake:
        """Return a decision by its rows in `decisions` and, for a card played, in `cards`."""
        decision = self.decision(row) if card is None else self.card_decision(card)
        assert decision is not None
        return Mistake(decision.options, decision.chosen, row, card, lost)

    def row_of(self, mistake: Mistake) -> pd.Series:
        """Return the row of `decisions`, or of `cards`, with the verdict by the review's bands."""
        if mistake.card is None:
            return self.decisions.iloc[mistake.row]
        return self.cards.iloc[mistake.card]

    def turned(self, mistake: Mistake) -> str:
        """Say where the choice is right against people, or an expert if people were played.

        A fast review does not ask: another answer takes longer than all of its own.
        """
        return "" if self.fast or not self.play else right_against_others(mistake)

    @property
    def opponent(self) -> str:
        """The opponent's name."""
        return self.against.name

    @property
    def is_staked(self) -> bool:
        """Whether games were played for more than a win, and chances are known."""
        return self.discards.worth is not None

    @property
    def win_unit(self) -> str:
        """The unit that is won, in a word or two: ``wins``."""
        return self.stakes.unit

    @property
    def worths(self) -> Outcomes[float]:
        """The worth of each way that a game may end, in that unit."""
        return self.stakes.worth

    @property
    def unit(self) -> str:
        """The measure of costs, see `costliest`."""
        return "points" if not self.counts_wins else self.stakes.aim

    def missing(self, totals: Totals) -> str:
        """Say which totals in a row of `players` or `games` are not over all decisions, and why.

        One line; empty if everything is known.
        """
        own = self.record.rows_of(totals["player"])
        return missing_text(totals, int(self.record.lacks_suits[own].sum()))

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """Return all tables as plain values, ready for JSON.

        Values of the record's other columns that JSON does not have become text.

        >>> from cribev import review
        >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
        ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["2H 8D"]})
        >>> review(frame).to_dict()["players"][0]["best"]
        1
        """
        tables = "players", "games", "opponents", "error_rates", "leaks", "decisions", "cards"
        return {
            name: [
                {str(column): _plain(value) for column, value in row.items()}
                for row in getattr(self, name).astype(object).to_dict(orient="records")
            ]
            for name in tables
        }

    def __repr__(self) -> str:
        return (
            f"<Review: {pluralize(len(self.decisions), 'decision')}, "
            f"{pluralize(len(self.players), 'player')}, "
            f"{pluralize(self.games['game'].nunique(), 'game')}, opponent={self.opponent!r}>"
        )

    def plot(self) -> NDArray[Any]:
        """Plot what each player's discards lost, as they add up; return the axes of matplotlib.

        A single game with scores has the first player's chance to win above it. `CribevError` if
        matplotlib is missing, with what to install.
        """
        from cribev.game.plots import plot_losses

        return plot_losses(self.decisions, unit="win_loss" if self.counts_wins else "loss")

    @property
    def total_steps(self) -> list[grades.Component]:
        """The terms of a result in `players` and `games`."""
        steps = grades.known_components(self.decisions)
        return [*steps[:2], *self._given_up[:1], *steps[2:]]

    @property
    def _given_up(self) -> list[grades.Component]:
        """Totals apart from losses, where wins decide: of discards, then of cards."""
        near = self.players["by_wins"].any()
        return [step for step in grades.GIVEN_UP if near and step.name in self.players]

    @property
    def _deals(self) -> int:
        return len(self.decisions[["game", "deal"]].drop_duplicates())

    @property
    def _played(self) -> bool:
        """Whether any card was graded."""
        return bool((self.cards["choices"] > 1).any())


def _require_row(row: object, number: int, table: str) -> None:
    if type(row) is bool or not isinstance(row, int | np.integer) or not 0 <= row < number:
        raise CribevError(
            f"{quote(repr(row))} is not a row of {table}: there are {number}, from 0 up"
        )


def _plain(value: object) -> Any:
    """Turn a value into one that JSON has."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(own) for key, own in value.items()}
    if isinstance(value, Sequence | set | frozenset):
        return [_plain(item) for item in value]
    return str(value)
