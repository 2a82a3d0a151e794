"""A review in a terminal: what cost most, its tables, its deals, its cards and its leaks."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from textwrap import fill
from typing import Any, TypeAlias

import pandas as pd
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.advice.lessons import lesson
from cribev.advice.verdicts import FORCED, VERDICTS, with_article
from cribev.game import render
from cribev.game.score import SKUNK_LINES, WINNING_SCORE
from cribev.game.words import (
    MANY_GAMES,
    WINS,
    format_chance,
    format_points,
    format_win_total,
    format_worth,
    pluralize,
    printable,
)
from cribev.grades import grading as grades
from cribev.grades.summary import OPPONENT_HEADINGS, OPPONENT_NOTE, opponent_cells
from cribev.grades.totals import ACCURACY_FORMULA, NEAR_END_WORDS, RATE_WORDS, Totals, hint_notes
from cribev.leaks.groups import (
    LEAKS_NOTE,
    first_leaks,
    leak_cells,
    leak_headings,
    leak_text,
    mendable,
    no_leak_text,
)
from cribev.records.record import deal_order
from cribev.reviews.findings import Findings, Miscount, Mistake
from cribev.rows.names import PLAY_COLUMNS

Cell: TypeAlias = str | Text
Named: TypeAlias = tuple[str, Iterable[Cell]]  # what stands in a row beside a player's name
_Row: TypeAlias = Mapping[Any, Any]

_FIRST_SHOWN, _ROWS_SHOWN = 3, 10  # of what cost a player most, and of what cost most after that
_LEFT = ("player", "of", "lost per", "group")  # columns of words
TONES = {
    "best": "green",
    "close": "",
    "inaccuracy": "yellow",
    "mistake": "magenta",
    "blunder": "bold red",
    FORCED: "dim",
}


def player_table(console: Console, headings: Iterable[str], rows: Iterable[Named]) -> Table:
    """Make a table of cells with the player before them, who is named once."""
    columns: list[tuple[str, JustifyMethod]]
    names = "player", *headings
    columns = [(_folded(name), "left" if name in _LEFT else "right") for name in names]
    listed, before = render.table(console, *columns), None
    # A long name is folded, so that no figure is cut off.
    listed.columns[0].no_wrap, listed.columns[0].overflow = False, "fold"
    for column in listed.columns[1:]:
        column.no_wrap = column.header != "group"
    for name, cells in rows:
        texts = (Text(cell) if isinstance(cell, str) else cell for cell in cells)
        listed.add_row(Text(printable(name) if name != before else ""), *texts)
        before = name
    return listed


def _folded(heading: str) -> str:
    """Part a heading into lines, so that a table fits a screen."""
    return fill(heading, 8, break_long_words=False)


RATE_HEADINGS = ["lost per", "number", "lost", "±", *grades.BASELINE_PLAY]


def rate_cells(rate: Totals, unit: str) -> list[str]:
    """Write what a kind of choice lost in the unit it is judged by, and others would have."""
    loss, write = "loss_mean", partial(format_points, digits=3)
    kind: str = RATE_WORDS.get(rate["decision"]) or rate["decision"]
    if rate["judged_by"] == "win":
        loss, write = f"win_{loss}", partial(format_worth, digits=2, staked=unit != WINS)
        kind += NEAR_END_WORDS
    names = [loss, f"{loss}_se", *(f"{who}_{loss}" for who in grades.BASELINE_PLAY)]
    return [kind, str(rate["decisions"]), *(write(rate[name]) for name in names)]


def play_cells(player: Totals) -> Iterator[Cell]:
    """Write what luck and errors in the play came to, and the accuracy."""
    for name in PLAY_COLUMNS:
        yield total_cell(player, name, format_points(player[name], sign=name == "play_luck"))
    yield format_points(player["accuracy"], 1)


def total_cell(player: Totals, name: str, written: str = "", deals: str = "") -> Text:
    """Write a total, and of how many deals if they are not all."""
    known = player[deals or f"{name}_deals"]
    if not known:
        return Text("-", style="dim")
    text = Text(written or format_points(player[name], sign=True))
    if known != player["decisions"]:
        text.append(f" of {known}", style="dim")
    return text


def deal_ledger(decisions: pd.DataFrame) -> render.Drawn:
    """Draw each deal's result, parted into losses and luck, of `Review.decisions`."""
    return render.Drawn(partial(_deal_ledger, decisions))


def _deal_ledger(decisions: pd.DataFrame, console: Console) -> RenderResult:
    steps = grades.known_components(decisions)
    rows = decisions.iloc[deal_order(decisions)].to_dict(orient="records")
    if grades.PLAY_SWING in steps and grades.PLAY_PARTS[0].name in decisions:
        steps = [*steps[:-1], *grades.PLAY_PARTS]
    signed = {step.name: step.kind != "lost" for step in steps} | {"result": True}
    yield Text("Deal by deal, in points", style="bold")
    points = [
        [format_points(row[name], sign=sign) for name, sign in signed.items()] for row in rows
    ]
    headings = [*(step.words for step in steps), "result"]
    yield _listed(console, rows, headings, points)
    yield Text(f"{grades.component_formula(steps)}; * marks the dealer", style="dim")
    wins = grades.known_win_components(decisions)
    if not wins:
        return
    staked = "value_before" in decisions
    measure, write = ("value", format_points) if staked else ("win", format_chance)
    changes = {step.name: step.kind != "lost" for step in wins}
    yield Text()
    unit = "what is played for" if staked else "chances to win"
    yield Text(f"Deal by deal, in {unit}", style="bold")
    worth = partial(format_worth, staked=staked)
    chances = [
        [
            row["score"] or row["win_unknown"],
            write(row[f"{measure}_before"]),
            *(worth(row[name], sign=sign) for name, sign in changes.items()),
            write(row[f"{measure}_after"]) or row["win_unknown"] * bool(row["score"]),
        ]
        for row in rows
    ]
    headings = ["score", "before", *(step.words for step in wins), "after"]
    yield _listed(console, rows, headings, chances)
    yield Text(grades.component_formula(wins, of="after - before"), style="dim")


def card_list(cards: pd.DataFrame) -> render.Drawn:
    """Draw every card of `Review.cards` as it fell, with its loss, the best card and verdict."""
    return render.Drawn(partial(_card_list, cards))


def _card_list(cards: pd.DataFrame, console: Console) -> RenderResult:
    rows = cards.to_dict(orient="records")
    wins = bool(cards["win_loss"].notna().any())
    yield Text("Card by card", style="bold")
    if not rows:
        yield Text("No card is graded: the play is not recorded.")
        return
    unit = "worth" if "value" in cards else "to win"
    headings = ["count", "card", "pegs", "lost", *([unit] * wins), "best", "experts"]
    cells = [_card_cells(row, wins=wins) for row in rows]
    yield _listed(console, rows, [*headings, "verdict"], cells)
    note = "Count: before the card. Experts: how often they play it, by cards kept and played."
    yield Text(f"* marks the dealer. {note}", style="dim")


def leak_list(leaks: pd.DataFrame, unit: str) -> render.Drawn:
    """Draw what can be mended of `Review.leaks`, with what it lost."""
    return render.Drawn(partial(_leak_list, leaks, unit))


def _leak_list(leaks: pd.DataFrame, unit: str, console: Console) -> RenderResult:
    yield Text("Leaks: what to mend first, then the costliest", style="bold")
    rows = mendable(leaks).to_dict(orient="records")
    if not rows:
        yield Text("No kind of decision that you can mend has been met often enough.")
        return
    cells = ((row["player"], leak_cells(row, unit)) for row in rows)
    yield player_table(console, leak_headings(leaks, unit), cells)
    yield Text(LEAKS_NOTE, style="dim")


def _card_cells(row: _Row, *, wins: bool) -> list[str | Text]:
    by_win = wins and row["judged_by"] == "win"
    chosen, best = row["choices"] > 1, row["win_card" if by_win else "best_card"]
    if by_win and best != row["best_card"]:
        best += " to win"
    return [
        str(row["count"]),
        row["card"],
        str(row["points"] or ""),
        format_points(row["loss"]),
        *([format_worth(row["win_loss"], staked="value" in row)] if wins else []),
        best if chosen else "",
        f"{row['share']:.0%}" if chosen else "",
        Text(row["verdict"], style=TONES[row["verdict"]]),
    ]


def _listed(
    console: Console,
    rows: Sequence[_Row],
    headings: Iterable[str],
    cells: Iterable[Iterable[str | Text]],
) -> Table:
    """Make a table of cells, the game, deal and player before them, a star at the dealer's name."""
    folded: list[tuple[str, JustifyMethod]] = [(_folded(name), "right") for name in headings]
    table = render.table(console, ("game", "left"), ("deal", "right"), ("player", "left"), *folded)
    before: tuple[Any, ...] | None = None
    for row, own in zip(rows, cells, strict=True):
        deal = row["game"], row["deal"]
        names = [printable(str(name)) if deal != before else "" for name in deal]
        player = printable(row["player"]) + "*" * (row["role"] == "dealer")
        table.add_row(*map(Text, [*names, player]), *own)
        before = deal
    return table


class Review(Findings, render.Displayable):
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
    discards
        What all 15 discards of each decision are worth.
    record
        The record as arrays.
    graded
        The cards, and what could be played instead.
    """

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
            ([*steps, "result", "luck-adjusted"], self._each(self._components))
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
                counts = own["verdict"].value_counts().reindex(VERDICTS, fill_value=0)
                cells = [
                    Text(str(number), style=TONES[verdict] if number else "dim")
                    for verdict, number in counts.items()
                ]
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
