"""A review on a terminal, in all, deal by deal and card by card."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.choice import (
    FORCED,
    VERDICTS,
    format_chance,
    format_percent,
    format_points,
    format_win_total,
    pluralize,
    with_article,
)
from cribev.game import render
from cribev.game.cards import as_cards
from cribev.game.index_tables import KEEPS
from cribev.game.score import NEAR_END
from cribev.reviews.cards import BASELINE_PLAY, GradedCards
from cribev.reviews.record import Record
from cribev.reviews.totals import (
    ACCURACY_FORMULA,
    PLAY_PARTS,
    PLAY_SWING,
    RATE_WORDS,
    WIN_CHANGE,
    CostlyChoice,
    Totals,
    comparison_text,
    component_formula,
    known_components,
    known_win_components,
    missing_text,
)

_Cell: TypeAlias = str | Text

_ROWS_SHOWN = 10  # of what cost most
TONES = {
    "best": "green",
    "close": "",
    "inaccuracy": "yellow",
    "mistake": "magenta",
    "blunder": "bold red",
    FORCED: "dim",
}


class TerminalReview(render.Displayable):
    """What a terminal shows of a review."""

    decisions: pd.DataFrame
    players: pd.DataFrame
    games: pd.DataFrame
    error_rates: pd.DataFrame
    opponent: str
    play: bool
    fast: bool
    contested: float
    record: Record
    graded: GradedCards

    @property
    def cards(self) -> pd.DataFrame:
        """A row for each card laid, as it fell."""
        return self.graded.frame

    @property
    def counts_wins(self) -> bool:
        """Whether what cost most is measured by chances to win."""
        raise NotImplementedError

    def costliest(self, most: int) -> list[CostlyChoice]:
        """Return the discards and cards that lost most."""
        raise NotImplementedError

    def reason(self, row: int) -> str:
        """Say what the best discard has over the one thrown."""
        raise NotImplementedError

    def card_reason(self, at: int) -> str:
        """Say what the best card has over the one laid."""
        raise NotImplementedError

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        how, steps = "class tables" if self.fast else "exact", known_components(self.decisions)
        yield Text(
            f"{pluralize(self.games['game'].nunique(), 'game')}, "
            f"{pluralize(len(self.decisions), 'discard')}; "
            f"opponent: {render.printable(self.opponent)}, {how}",
            style="dim",
        )
        tables = [
            (["contested", "best of these", "lost in these", "a deal"], _contested),
            ([*(step.words for step in steps), "result", "luck-adjusted"], self._components),
        ]
        if self._played:
            words = (step.words for step in PLAY_PARTS)
            tables.append(([*words, "opponent lost in play", "accuracy"], _play))
        if WIN_CHANGE in self.players:
            first, *others = (step.words for step in known_win_components(self.players))
            tables.append(([f"to win: {first}", *others, "change"], self._wins))
        yield Text()
        yield self._verdicts(console)
        for headings, cells in tables:
            yield Text()
            yield self._table(console, headings, cells)
        if self._played:
            yield Text()
            yield self._rates(console)
        for player in self._players():
            if missing := missing_text(player):
                yield Text(f"{render.printable(player['player'])}: {missing}", style="dim")
        for player in self._players():
            if compared := comparison_text(player):
                yield Text.assemble((render.printable(player["player"]), "bold"), f" {compared}")
        if notes := self.record.notes:
            yield Text()
            yield Text("Scores that differ from the cards' count", style="bold")
            yield from map(Text, notes[:_ROWS_SHOWN])
            if len(notes) > _ROWS_SHOWN:
                yield Text(f"and {pluralize(len(notes) - _ROWS_SHOWN, 'deal')} more", style="dim")
        if choices := self.costliest(_ROWS_SHOWN):
            what = "Discards and cards" if self._played else "Discards"
            unit = "chances to win" if self.counts_wins else "points"
            yield Text()
            yield Text(f"{what} that cost most, in {unit}", style="bold")
            for choice in choices:
                yield from self._costly(console, choice)
        yield Text()
        yield Text(self._note(), style="dim")

    def _table(
        self, console: Console, headings: list[str], cells: Callable[[Totals], Iterable[_Cell]]
    ) -> Table:
        made = _player_table(console, *_right(headings))
        for player in self.players.to_dict(orient="records"):
            name = Text(render.printable(player["player"]))  # not read as markup
            made.add_row(name, *cells(player))
        return made

    @property
    def _played(self) -> bool:
        """Whether any card was graded."""
        return bool((self.cards["choices"] > 1).any())

    def _verdicts(self, console: Console) -> Table:
        """Count verdicts, discards and cards side by side."""
        headings = ["number", *VERDICTS, "lost", "each"]
        made = _player_table(console, ("of", "left"), *_right(headings))
        parts = [("discards", self.decisions, "ev_loss")]
        parts += [("cards", self.cards[self.cards["choices"] > 1], "loss")] * self._played
        for name in self.players["player"]:
            for what, frame, loss in parts:
                own = frame[frame["player"] == name]
                counts = own["verdict"].value_counts()
                cells = [_tally(counts.get(verdict, 0), verdict) for verdict in VERDICTS]
                mean = format_points(own[loss].mean(), 3)
                shown = Text(render.printable(name) if what == "discards" else "")
                lost = format_points(own[loss].sum())
                made.add_row(shown, what, str(len(own)), *cells, lost, mean)
        return made

    def _rates(self, console: Console) -> Table:
        """Show what was lost per choice, beside what others would have lost there."""
        wins = bool(self.error_rates["win_loss"].notna().any())
        units = [("points", "", partial(format_points, digits=3))]
        units += [("to win", "win_", partial(format_percent, digits=2))] * wins
        headings = ["number"]
        for unit, _, _ in units:
            headings += [unit, "±", *BASELINE_PLAY]
        made = _player_table(console, ("lost per", "left"), *_right(headings))
        before = None
        for rate in self.error_rates.to_dict(orient="records"):
            cells = list[str]()
            for _, prefix, write in units:
                loss = f"{prefix}loss"
                names = [loss, f"{loss}_se", *(f"{who}_{loss}" for who in BASELINE_PLAY)]
                cells += [write(rate[name]) for name in names]
            name, kind = rate["player"], rate["decision"]
            shown = Text(render.printable(name) if name != before else "")
            made.add_row(shown, RATE_WORDS.get(kind, kind), str(rate["number"]), *cells)
            before = name
        return made

    def _components(self, player: Totals) -> Iterator[_Cell]:
        for step in known_components(self.decisions):
            if step.kind == "lost":
                yield format_points(player[step.name])
            else:
                yield _total(player, step.name, f"{step.name}_deals")
        yield _total(player, "result", "result_deals")
        yield _total(player, "luck_adjusted", "result_deals")

    def _wins(self, player: Totals) -> Iterator[_Cell]:
        games = self.games["game"].nunique()
        for step in known_win_components(self.players):
            written = format_win_total(player[step.name], games, sign=step.kind != "lost")
            yield _total(player, step.name, f"{step.name}_deals", written)
        written = format_win_total(player[WIN_CHANGE], games, sign=True)
        yield _total(player, WIN_CHANGE, f"{WIN_CHANGE}_deals", written)

    def _note(self) -> str:
        counted = "Hand, crib and play" if self.play else "Hand and crib, without the play"
        notes = [
            f"{counted}, in points. Contested: best and second within {self.contested:g}.",
            f"Lost: how much less a discard{' or a card' * self._played} is worth than the best.",
            f"Where all is known, {component_formula(known_components(self.decisions))}.",
            *self._play_notes(),
            "Luck-adjusted: the result less deal luck and starter luck."
            + " Starter luck is the hand's alone; the crib's is in crib swing." * self.fast,
        ]
        if WIN_CHANGE in self.players:
            in_games = ", in games" * (len(self.games["game"].unique()) > 1)
            notes.append(
                f"Chances to win{in_games}: those of two experts from the score. "
                f"Verdicts go by them where a player needs {NEAR_END} or fewer."
            )
        if self._played or any(map(comparison_text, self._players())):
            notes.append("The figure after ± is one standard error.")
        return "\n".join(notes)

    def _play_notes(self) -> list[str]:
        if not self._played:
            return []
        formula = component_formula(PLAY_PARTS, of=PLAY_SWING.words)
        return [
            f"Where cards are graded, {formula}; what the opponent lost is a part of that luck.",
            "Greedy keeps the best hand and takes the most points now; random does anything.",
            f"Accuracy: {ACCURACY_FORMULA}.",
        ]

    def _players(self) -> list[pd.Series]:
        return [player for _, player in self.players.iterrows()]

    def _costly(self, console: Console, choice: CostlyChoice) -> Iterator[Text]:
        decision = self.decisions.iloc[choice.row]
        lost = format_percent(choice.lost) if self.counts_wins else format_points(choice.lost)
        score = f" at {decision['score']}" if self.counts_wins else ""
        where = (
            f"  {render.printable(decision['player'])}, game {render.printable(decision['game'])}, "
            f"deal {decision['deal']}, {decision['role']}{score}: "
        )
        deal = self.record.deals[choice.row]
        if choice.card is not None:
            kept = deal[KEEPS[self.record.keeps[choice.row]]]
            cards = render.styled_cards(console, kept)
            yield Text.assemble((f"{lost:>5}", "bold"), where, cards)
            yield from self._costly_card(choice.card)
            return
        cards = render.styled_cards(console, deal)
        yield Text.assemble((f"{lost:>5}", "bold"), where, cards)
        thrown = render.styled_cards(console, as_cards(decision["discard"]))
        yield Text.assemble(" " * 7, "threw ", thrown, ", ", *self._verdict(decision))
        best = decision["win_discard" if self.counts_wins else "best_discard"]
        yield Text.assemble(
            " " * 7,
            "best  ",
            render.styled_cards(console, as_cards(best)),
            f": {self.reason(choice.row)}",
        )

    def _verdict(self, choice: pd.Series) -> Iterator[tuple[str, str]]:
        """Name a verdict, and what it goes by if that is not the unit of the list."""
        verdict = choice["verdict"]
        yield with_article(verdict), TONES[verdict]
        if self.counts_wins and choice["judged_by"] == "points":
            yield " by points", ""

    def _costly_card(self, at: int) -> Iterator[Text]:
        card = self.cards.iloc[at]
        where = f" on {card['laid']}, count {card['count']}" if card["laid"] else " first"
        yield Text.assemble(" " * 7, f"laid  {card['card']}{where}, ", *self._verdict(card))
        yield Text(f"{' ' * 7}best  {self.card_reason(at)}")


def _player_table(console: Console, *columns: tuple[str, JustifyMethod]) -> Table:
    made = render.table(console, ("player", "left"), *columns)
    # A long name is folded, so that no figure is cut off.
    made.columns[0].no_wrap, made.columns[0].overflow = False, "fold"
    return made


def _right(headings: Iterable[str]) -> list[tuple[str, JustifyMethod]]:
    return [(name, "right") for name in headings]


def _tally(number: int, verdict: str) -> Text:
    return Text(str(number), style=TONES[verdict] if number else "dim")


def _play(player: Totals) -> Iterator[_Cell]:
    for name in ("play_luck", "play_lost", "opponent_play_lost"):
        lost = name != "play_luck"
        written = format_points(player[name], sign=not lost)
        yield _total(player, name, f"{name}_deals", written)
    yield format_points(player["accuracy"], 1)


def _contested(player: Totals) -> Iterator[_Cell]:
    yield str(player["contested"])
    yield str(player["contested_best"])
    yield format_points(player["contested_ev_loss"])
    yield format_points(player["contested_ev_loss_mean"], 3)


def _total(player: Totals, name: str, deals: str, written: str | None = None) -> Text:
    """Write a total, and of how many deals if they are not all."""
    known = player[deals]
    if not known:
        return Text("-", style="dim")
    text = Text(format_points(player[name], sign=True) if written is None else written)
    if known != player["decisions"]:
        text.append(f" of {known}", style="dim")
    return text


_Row: TypeAlias = Mapping[Any, Any]


@dataclass(frozen=True, eq=False, repr=False)
class DealLedger(render.Displayable):
    """Each deal's result, parted into losses and luck.

    Attributes
    ----------
    decisions
        As `Review.decisions` has them.
    """

    decisions: pd.DataFrame

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        known, rows = known_components(self.decisions), _by_deal(self.decisions)
        parted = PLAY_SWING in known and PLAY_PARTS[0].name in self.decisions
        steps = [*known, *PLAY_PARTS] if parted else known
        signed = {step.name: step.kind != "lost" for step in steps} | {"result": True}
        yield Text("Deal by deal, in points", style="bold")
        points = [
            [format_points(row[name], sign=sign) for name, sign in signed.items()] for row in rows
        ]
        yield _listed(console, rows, [*(step.words for step in steps), "result"], points)
        yield Text(component_formula(known), style="dim")
        if parted:
            yield Text(component_formula(PLAY_PARTS, of=PLAY_SWING.words), style="dim")
        wins = known_win_components(self.decisions)
        if not wins:
            return
        yield Text()
        yield Text("Deal by deal, in chances to win", style="bold")
        yield _listed(
            console, rows, ["score", "before", *(step.words for step in wins), "after"],
            [
                [
                    row["score"],
                    format_chance(row["win_before"]),
                    *(format_percent(row[step.name], sign=step.kind != "lost") for step in wins),
                    format_chance(row["win_after"]),
                ]
                for row in rows
            ],
        )  # fmt: skip
        yield Text(component_formula(wins, of="after - before"), style="dim")


@dataclass(frozen=True, eq=False, repr=False)
class CardList(render.Displayable):
    """Every card as it fell, with what it lost, the best card and the verdict.

    Attributes
    ----------
    cards
        As `Review.cards` has them.
    """

    cards: pd.DataFrame

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wins, rows = "win_loss" in self.cards, self.cards.to_dict(orient="records")
        yield Text("Card by card", style="bold")
        if not rows:
            yield Text("No card is graded: the play is not recorded.")
            return
        headings = ["count", "card", "pegs", "lost", *(["to win"] * wins), "best", "experts"]
        cells = [_card_cells(row, wins=wins) for row in rows]
        yield _listed(console, rows, [*headings, "verdict"], cells)
        note = "Count: before the card. Experts: how often they lay it, by cards kept and laid."
        yield Text(note, style="dim")


def _card_cells(row: _Row, *, wins: bool) -> list[str | Text]:
    by_win = wins and row["judged_by"] == "win"
    chosen = row["choices"] > 1
    return [
        str(row["count"]),
        row["card"],
        str(row["points"] or ""),
        format_points(row["loss"]),
        *([format_percent(row["win_loss"])] if wins else []),
        row["win_best" if by_win else "best"] if chosen else "",
        f"{row['share']:.0%}" if chosen else "",
        Text(row["verdict"], style=TONES[row["verdict"]]),
    ]


def _by_deal(decisions: pd.DataFrame) -> Sequence[_Row]:
    """List the rows by game, in the order of the record, and deal."""
    order = np.lexsort((decisions["deal"], pd.factorize(decisions["game"])[0]))
    rows: Sequence[_Row] = decisions.iloc[order].to_dict(orient="records")
    return rows


def _listed(
    console: Console,
    rows: Sequence[_Row],
    headings: Iterable[str],
    cells: Iterable[Iterable[str | Text]],
) -> Table:
    """Make a table of cells, the game, deal, player and role before them; deals stand apart."""
    where: list[tuple[str, JustifyMethod]]
    where = [("game", "left"), ("deal", "right"), ("player", "left"), ("role", "left")]
    folded: list[tuple[str, JustifyMethod]]
    folded = [(name.replace(" ", "\n", 1), "right") for name in headings]  # to fit a screen
    made = render.table(console, *where, *folded)
    before: tuple[Any, ...] | None = None
    for row, own in zip(rows, cells, strict=True):
        deal = row["game"], row["deal"]
        names = [render.printable(str(name)) if deal != before else "" for name in deal]
        made.add_row(*map(Text, names), Text(render.printable(row["player"])), row["role"], *own)
        before = deal
    return made
