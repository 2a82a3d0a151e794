"""The findings of a review: tables of decisions and totals, the costliest, and their text."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.advice.answers import right_against_others
from cribev.advice.decisions import Decision, Difference
from cribev.advice.options import Option, Options
from cribev.advice.question import Question
from cribev.advice.reasons import lesson
from cribev.advice.verdicts import VERDICTS, VerdictBands, with_article
from cribev.classes.ranking import DiscardValues
from cribev.errors import CribevError, quote
from cribev.game import render
from cribev.game.outcomes import SCORED_COLUMNS, Outcomes
from cribev.game.score import SKUNK_LINES, WINNING_SCORE
from cribev.game.stakes import WIN_STAKES, Stakes
from cribev.game.words import (
    MANY_GAMES,
    format_games_lost,
    format_points,
    format_win_total,
    format_worth,
    pluralize,
    printable,
    say_chance,
)
from cribev.grades import grading as grades
from cribev.grades.opponents import (
    OPPONENT_HEADINGS,
    OPPONENT_NOTE,
    games_by_player,
    opponent_cells,
    tabulate_opponents,
)
from cribev.grades.summary import skill_text, summary_text
from cribev.grades.totals import ACCURACY_FORMULA, Totals, hint_notes, missing_text
from cribev.leaks.groups import (
    first_leaks,
    leak_text,
    next_leak_text,
    no_leak_text,
    tabulate_leaks,
)
from cribev.opponents.opponents import Opponent
from cribev.records.record import Record
from cribev.reviews.listings import (
    RATE_HEADINGS,
    TONES,
    Cell,
    Named,
    play_cells,
    player_table,
    rate_cells,
    tally_cell,
    total_cell,
)
from cribev.reviews.miscounts import Miscount, list_miscounts, tabulate_miscounts

_FIRST_SHOWN, _ROWS_SHOWN = 3, 10  # of what cost a player most, and of what cost most after that
_SHOWN_WIN, _SHOWN_POINTS = 0.0005, 0.005  # what is less is written as nothing


@dataclass(frozen=True)
class Mistake(Decision):
    """A discard or a card that lost something."""

    row: int  # the row of `Review.decisions` whose player it is
    card: int | None  # the row of `Review.cards`; None for the discard
    lost: float  # points, or chances to win if `Review.counts_wins`


@dataclass(frozen=True, eq=False, repr=False)
class Review(render.Displayable):
    """The losses of the discards and cards of a record, and luck, in points.

    Attributes
    ----------
    decisions
        One row for each discard: the record's columns, cards in one notation, and what it lost and
        what was luck, by the names of `cribev.rows.names.COLUMN_DESCRIPTIONS`. What is not recorded
        is missing, but an unrecorded play enters the result at its average. With scores, where the
        review counts the play, there are chances to win; with other stakes, losses and luck are in
        what the game is played for. Last come ``group_role``, ``group_crib`` and so on: its group
        in `leaks` of each ``kind``.
    players
        One row for each player: ``decisions``; the number of each verdict; ``by_wins``, how many
        of them wins decide. Where points decide: ``loss``, ``loss_mean`` and its standard error
        ``loss_mean_se``. Where wins decide: ``win_loss_mean`` and ``win_loss_mean_se``; and the
        points that discards and cards gave up there, ``given_up`` and ``play_given_up``, which are
        not losses. The totals ``deal_luck, starter_luck, crib_swing, cut_luck, play_swing,
        result``, each over the deals where it is known, ``deal_luck_deals`` and so on;
        ``luck_adjusted``, the result minus luck, plus what was given up. With chances to win,
        ``win_loss, win_deal_luck, win_luck, win_change`` in the same way; ``accuracy`` from 0 to
        100, if cards are graded, by `cribev.grades.totals.accuracy`.
    games
        The same for each game and player.
    cards
        One row for each card of a player whose six cards are recorded, in the order played, by the
        names of `cribev.rows.names.CARD_COLUMN_DESCRIPTIONS`, with its groups; missing without a
        choice. Empty if no play is recorded, or cards are not graded.
    error_rates
        What was lost per choice, one row for each player, ``decision`` and ``judged_by``:
        ``discard``, ``lead``, ``answer``, ``later`` (cards) and ``deal``, all together, by
        ``points`` or by ``win``. ``decisions``, how many, or of how many deals cards are graded;
        ``loss_mean`` in points, its standard error ``loss_mean_se``; ``greedy_loss_mean`` and
        ``random_loss_mean``, what these players would have lost at the same choices; or, where wins
        decide, the same columns of ``win_loss``. The other unit is NaN.
    leaks
        Decisions grouped by what was decided, one row for each player and group: what to
        mend first, then the costliest:
        `cribev.rows.LEAK_COLUMNS`. Each decision is in one group of each ``kind``.
    opponents
        Games by player and opponent, with the luck of the cut: `cribev.rows.OPPONENT_COLUMNS`.
    against
        The opponent.
    play
        Whether the play counts; if not, there is no ``play_swing``.
    fast
        Whether values come from the class tables.
    bands, card_bands, win_bands
        The least loss for each verdict: of discards and of cards in points, and of both in chances
        to win, or in what the game is played for.
    discards
        What all 15 discards of each decision are worth.
    record
        The record as arrays.
    graded
        The cards, and what could be played instead.
    """

    decisions: pd.DataFrame
    players: pd.DataFrame
    games: pd.DataFrame
    error_rates: pd.DataFrame
    against: Opponent
    play: bool
    fast: bool
    bands: VerdictBands
    card_bands: VerdictBands
    win_bands: VerdictBands
    discards: DiscardValues
    stakes: Stakes
    """The stakes of the games."""
    record: Record
    graded: grades.GradedCards
    rejects: pd.DataFrame
    """Why files and games were left out: ``reason``."""

    def of_player(self, name: str) -> "Review":
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

    def sentence(self, player: str) -> Text:
        """Return the `summary` of a player as a terminal shows it."""
        said = self.summary(player).removeprefix(player)
        return Text(f"{printable(player)}{said}", style="bold")

    def _opening(self, console: Console) -> RenderResult:
        how = f"; stakes {self.stakes.text}" * self.is_staked
        yield Text(
            f"{pluralize(self.games['game'].nunique(), 'game')}, "
            f"{pluralize(len(self.decisions), 'discard')}; "
            f"opponent: {printable(self.opponent)}{', approximate' * self.fast}{how}",
            style="dim",
        )
        for player in self.players["player"]:
            yield Text()
            yield self.sentence(player)
            if said := self.skill(player):
                yield Text(said)
            for place, (alone, mistake) in enumerate(self._first_of(player)):
                if not place:
                    yield Text("Study this first:")
                yield from alone._costly(console, mistake)

    def _first_of(self, player: str) -> Iterator[tuple["Review", Mistake | Miscount]]:
        """Yield what cost a player most, as far as anything did, in the unit known of the games."""
        known = self if self.counts_wins else self.of_player(player)
        most = math.ceil(_FIRST_SHOWN / len(self.players))
        for mistake in known.to_study(min(self._deals, most), player=player):
            yield known, mistake

    def _place(self, error: Mistake | Miscount) -> tuple[object, ...]:
        seat = self.decisions.iloc[error.row]
        what = "count" if isinstance(error, Miscount) else str(error.position)
        return seat["game"], seat["deal"], seat["player"], what

    def plot(self) -> NDArray[Any]:
        """Plot what each player's discards lost, as they add up; return the axes of matplotlib.

        A single game with scores has the first player's chance to win above it. `CribevError` if
        matplotlib is missing, with what to install.
        """
        from cribev.game.plots import plot_losses

        return plot_losses(self.decisions, unit="win_loss" if self.counts_wins else "loss")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self._opening(console)
        if self._deals > 1:
            headings = ["of", "number", *VERDICTS, "lost", "each"]
            yield from (Text(), player_table(console, headings, self._verdicts()))
            for player in self.players.to_dict(orient="records"):
                if missing := self.missing(player):
                    yield Text(f"{printable(player['player'])}: {missing}", style="dim")
        games = self.games["game"].nunique()
        if games > 1:
            book = self.opponents.to_dict(orient="records")
            opponents = ((row["player"], opponent_cells(row)) for row in book)
            yield from (Text(), player_table(console, OPPONENT_HEADINGS, opponents))
            yield Text(OPPONENT_NOTE, style="dim")
        for name, leaks in first_leaks(self.leaks).items():
            yield Text()
            yield Text(f"{printable(name)}: what to mend first", style="bold")
            for leak in leaks:
                yield Text(f"{leak['place']}. {leak_text(leak, self.win_unit)}")
                best = f"{leak['best_choice']} was {self.best_words(self.counts_wins)}"
                worst = f"{leak['chosen']} where {best}, {leak['example']}"
                yield Text(f"   the costliest: {worst}", style="dim")
        if notes := self.notes:
            yield Text()
            yield Text("Other miscounts", style="bold")
            yield from map(Text, notes[:_ROWS_SHOWN])
            if len(notes) > _ROWS_SHOWN:
                yield Text(f"and {pluralize(len(notes) - _ROWS_SHOWN, 'deal')} more", style="dim")

    @property
    def figures(self) -> render.Drawn:
        """The rest of a review in a terminal: its totals, their meaning, and more mistakes."""
        return render.Drawn(self._figures)

    def _figures(self, console: Console) -> RenderResult:
        steps = [step.words for step in self.total_steps]
        tables: list[tuple[list[str], Iterable[Named]]] = [
            ([*steps, "result", "luck-adjusted"], self._each(self._components)),
        ]
        if self._played:
            words = (step.words for step in grades.PLAY_PARTS)
            tables.append(([*words, "opponent lost in play", "accuracy"], self._each(play_cells)))
        if self.players[grades.WIN_CHANGE].notna().any():
            first, *others = (step.words for step in grades.known_win_components(self.players))
            heading = f"{self.win_unit if self.is_staked else 'to win'}: {first}"
            tables.append(([heading, *others, "change"], self._each(self._wins)))
        if self._played:
            rates = self.error_rates.to_dict(orient="records")
            cells = ((rate["player"], rate_cells(rate, self.win_unit)) for rate in rates)
            tables.append((RATE_HEADINGS, cells))
        for headings, rows in tables:
            yield player_table(console, headings, rows)
            yield Text()
        for name, hints in hint_notes(self.decisions).items() if self._played else ():
            yield Text(f"{printable(name)}: accuracy {hints}", style="dim")
        for name in self.players["player"]:
            if told := no_leak_text(self.leaks, name):
                yield Text(f"{printable(name)}: {told}", style="dim")
        yield Text(self._note(), style="dim")
        above = set[tuple[object, ...]]()
        for name in self.players["player"]:
            above |= {alone._place(mistake) for alone, mistake in self._first_of(name)}
        costly = self.to_study(_ROWS_SHOWN + len(above))
        if mistakes := [other for other in costly if self._place(other) not in above]:
            yield Text()
            yield Text(f"What cost most after that, in {self.unit}", style="bold")
            for mistake in mistakes[:_ROWS_SHOWN]:
                yield from self._costly(console, mistake)

    def _each(self, cells: Callable[[Totals], Iterable[Cell]]) -> Iterator[Named]:
        """Write one row for each player."""
        for player in self.players.to_dict(orient="records"):
            yield player["player"], cells(player)

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

    def _verdicts(self) -> Iterator[Named]:
        """Count verdicts of discards, and of cards."""
        tables = {"discards": self.decisions}
        if self._played:
            tables["cards"] = self.cards[self.cards["choices"] > 1]
        tables = {
            what: frame.assign(loss=frame["loss"].mask(grades.judged_by_wins(frame)))
            for what, frame in tables.items()
        }
        for name in self.players["player"]:
            for what, frame in tables.items():
                own = frame[frame["player"] == name]
                counts = own["verdict"].value_counts()
                cells = [tally_cell(counts.get(verdict, 0), verdict) for verdict in VERDICTS]
                lost = format_points(own["loss"].sum()), format_points(own["loss"].mean(), 3)
                yield name, [what, str(len(own)), *cells, *lost]

    def _components(self, player: Totals) -> Iterator[Cell]:
        for step in self.total_steps:
            if step.kind == "lost":
                yield format_points(player[step.name])
            else:
                yield total_cell(player, step.name)
        yield total_cell(player, "result")
        yield total_cell(player, "luck_adjusted", deals="result_deals")

    def _wins(self, player: Totals) -> Iterator[Cell]:
        games = self.games["game"].nunique()
        for step in grades.known_win_components(self.players):
            sign = step.kind != "lost"
            written = format_win_total(player[step.name], games, self.win_unit, sign=sign)
            yield total_cell(player, step.name, written)
        written = format_win_total(player[grades.WIN_CHANGE], games, self.win_unit, sign=True)
        yield total_cell(player, grades.WIN_CHANGE, written)

    def _note(self) -> str:
        counted = "Hand, crib and play" if self.play else "Hand and crib, without the play"
        notes = [
            f"{counted}, in points.",
            f"Lost: how much less a discard{' or a card' * self._played} is worth than the best.",
            f"Where all is known, {grades.component_formula(self.total_steps)}.",
        ]
        if self._played:
            steps = [*grades.PLAY_PARTS, *self._given_up[1:]]
            sums = grades.component_formula(steps, of=grades.PLAY_SWING.words)
            notes += [
                f"Where cards are graded, {sums}; what the opponent lost is a part of that luck.",
                "Greedy keeps the best hand and takes the most points now; random does anything.",
                f"Accuracy: {ACCURACY_FORMULA}.",
            ]
        if self._given_up:
            notes.append(
                "Lost is in points where these decide the verdict, and in chances to win where "
                "those do; points given up there are not a loss."
            )
        notes.append(
            "Luck-adjusted: the result less deal luck and starter luck."
            + " Starter luck is the hand's alone; the crib's is in crib swing." * self.fast
        )
        if self.players[grades.WIN_CHANGE].notna().any():
            games = self.games["game"].nunique()
            unit = ", in games" if games >= MANY_GAMES else ", in percent of one game" * (games > 1)
            what = self.win_unit.capitalize() if self.is_staked else f"Chances to win{unit}"
            notes.append(
                f"{what}: those of two experts from the score. "
                f"Verdicts go by them where a player needs {self.stakes.near_end} or fewer."
            )
            after = self.record.scores_after
            over, behind = after.max(axis=1) == WINNING_SCORE, after.min(axis=1) < SKUNK_LINES[0]
            if (over & behind).any() and not self.is_staked:
                notes.append("A skunk ended a game. Choose stakes acc or games to count that.")
        return "\n".join([*notes, "Figures after ± are one standard error."])

    def _costly(self, console: Console, mistake: Mistake | Miscount) -> Iterator[Text]:
        """Print a mistake: where it was, what was done, and what would have been best."""
        seat = self.decisions.iloc[mistake.row]
        lost = format_points(mistake.lost)
        if self.counts_wins:
            lost = format_worth(mistake.lost, staked=self.is_staked)
        score = f" at {seat['score']}" if self.counts_wins else ""
        where = (
            f"  {printable(seat['player'])}, game {printable(str(seat['game']))}, "
            f"deal {seat['deal']}, {seat['role']}{score}: "
        )
        if isinstance(mistake, Miscount):
            yield Text.assemble((f"{lost:>5}", "bold"), where, mistake.counted_text)
            for show in mistake.shows:
                cut = render.styled_cards(console, show.cut)
                hand = render.styled_cards(console, show.hand)
                what = "crib" if show.crib else "hand"
                yield Text.assemble(f"{'':7}{what:<9} ", hand, " + ", cut, f": {show.spoken}")
            return
        position, graded = mistake.position, self.row_of(mistake)
        cards = render.styled_cards(console, position.held.kept)
        yield Text.assemble((f"{lost:>5}", "bold"), where, cards)
        own, best = (
            render.styled_cards(console, option.cards)
            if mistake.card is None
            else Text(option.card)
            for option in (mistake.option, self.best_of(mistake))
        )
        verb, when, played = "discarded", "", position.play.ranks_text
        if mistake.card is not None:
            verb, when = (
                "played",
                f" on {played}, count {position.play.count}" if played else " first",
            )
        line = Text.assemble(" " * 7, f"{verb:<9} ", own, when)
        if self.has_verdict(graded):
            line.append(", ").append(with_article(graded["verdict"]), TONES[graded["verdict"]])
        yield line
        said = f"{self.best_words(self.counts_wins):<9} "
        yield Text.assemble(" " * 7, said, best, f": {self.compared_with_best(mistake)}")
        for said in filter(None, (lesson(mistake, self.best_of(mistake)), self.turned(mistake))):
            yield Text(f"{'':7}{said}")
        yield Text(f"{'':7}{position}", style="dim")


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
