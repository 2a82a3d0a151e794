"""A review on a terminal."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import pandas as pd
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.game import render
from cribev.game.cards import as_cards
from cribev.reviews.baseline_comparison import comparison_text
from cribev.reviews.decomposition import (
    WIN_CHANGE,
    WIN_COMPONENTS,
    component_formula,
    known_components,
)
from cribev.reviews.records import Record
from cribev.reviews.totals import missing_text
from cribev.reviews.wording import (
    NEAR_END,
    VERDICTS,
    format_percent,
    format_points,
    format_win_total,
    pluralize,
    with_article,
)

_Totals: TypeAlias = Mapping[Hashable, Any]
_Cell: TypeAlias = str | Text

_ROWS_SHOWN = 10  # of the discards that cost most
TONES = {
    "best": "green",
    "close": "",
    "inaccuracy": "yellow",
    "mistake": "magenta",
    "blunder": "bold red",
}


class TerminalReview(render.Displayable):
    """What a terminal shows of a review."""

    decisions: pd.DataFrame
    players: pd.DataFrame
    games: pd.DataFrame
    opponent: str
    play: bool
    fast: bool
    contested: float
    record: Record

    def costliest(self, most: int) -> list[int]:
        """Return the rows of the discards that lost most."""
        raise NotImplementedError

    def reason(self, row: int) -> str:
        """Say what the best discard has over the one thrown."""
        raise NotImplementedError

    def judged_by_win(self, row: int) -> bool:
        """Tell whether the verdict of a decision goes by chances to win."""
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
            (["discards", *VERDICTS, "lost", "a deal"], _discards),
            (["contested", "best of these", "lost in these", "a deal"], _contested),
            ([*(step.words for step in steps), "result", "luck-adjusted"], self._components),
        ]
        if WIN_CHANGE in self.players:
            first, *others = (step.words for step in WIN_COMPONENTS)
            tables.append(([f"to win: {first}", *others, "change"], self._wins))
        for headings, cells in tables:
            yield Text()
            yield self._table(console, headings, cells)
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
        if rows := self.costliest(_ROWS_SHOWN):
            yield Text()
            yield Text("Discards that cost most", style="bold")
            for row in rows:
                yield from self._costly(console, row)
        yield Text()
        yield Text(self._note(), style="dim")

    def _table(
        self, console: Console, headings: list[str], cells: Callable[[_Totals], Iterable[_Cell]]
    ) -> Table:
        made = render.table(console, ("player", "left"), *((name, "right") for name in headings))
        # A long name is folded, so that no figure is cut off.
        made.columns[0].no_wrap, made.columns[0].overflow = False, "fold"
        for player in self.players.to_dict(orient="records"):
            name = Text(render.printable(player["player"]))  # not read as markup
            made.add_row(name, *cells(player))
        return made

    def _components(self, player: _Totals) -> Iterator[_Cell]:
        for step in known_components(self.decisions):
            if step.kind == "lost":
                yield format_points(player[step.name])
            else:
                yield _total(player, step.name, f"{step.name}_deals")
        yield _total(player, "result", "result_deals")
        yield _total(player, "luck_adjusted", "result_deals")

    def _wins(self, player: _Totals) -> Iterator[_Cell]:
        games = self.games["game"].nunique()
        for name in (*(step.name for step in WIN_COMPONENTS), WIN_CHANGE):
            written = format_win_total(player[name], games, sign=name != "win_loss")
            yield _total(player, name, f"{name}_deals", written)

    def _note(self) -> str:
        counted = "Hand, crib and play" if self.play else "Hand and crib, without the play"
        notes = [
            f"{counted}, in points. Contested: best and second within {self.contested:g}.",
            "Lost: how much less a discard is worth than the best.",
            f"Where all is known, {component_formula(known_components(self.decisions))}.",
            "Luck-adjusted: the result less luck."
            + " Starter luck is the hand's alone; the crib's is in crib swing." * self.fast,
        ]
        if WIN_CHANGE in self.players:
            in_games = ", in games" * (len(self.games["game"].unique()) > 1)
            notes.append(
                f"Chances to win{in_games}: those of two experts from the score. "
                f"Verdicts go by them where a player needs {NEAR_END} or fewer."
            )
        if any(map(comparison_text, self._players())):
            notes[-1] += " The figure after ± is one standard error."
        return "\n".join(notes)

    def _players(self) -> list[pd.Series]:
        return [player for _, player in self.players.iterrows()]

    def _costly(self, console: Console, row: int) -> Iterator[Text]:
        decision, by_win = self.decisions.iloc[row], self.judged_by_win(row)
        lost = (
            format_percent(decision["win_loss"]) if by_win else format_points(decision["ev_loss"])
        )
        score = f" at {decision['score']}" if by_win else ""
        yield Text.assemble(
            (f"{lost:>5}", "bold"),
            f"  {render.printable(decision['player'])}, game {render.printable(decision['game'])}, "
            f"deal {decision['deal']}, {decision['role']}{score}: ",
            render.styled_cards(console, self.record.deals[row]),
        )
        yield Text.assemble(
            " " * 7,
            "threw ",
            render.styled_cards(console, as_cards(decision["discard"])),
            ", ",
            (with_article(decision["verdict"]), TONES[decision["verdict"]]),
        )
        yield Text.assemble(
            " " * 7,
            "best  ",
            render.styled_cards(
                console, as_cards(decision["win_discard" if by_win else "best_discard"])
            ),
            f": {self.reason(row)}",
        )


def _discards(player: _Totals) -> Iterator[_Cell]:
    yield str(player["decisions"])
    for verdict in VERDICTS:
        yield Text(str(player[verdict]), style=TONES[verdict] if player[verdict] else "dim")
    yield format_points(player["ev_loss"])
    yield format_points(player["ev_loss_mean"], 3)


def _contested(player: _Totals) -> Iterator[_Cell]:
    yield str(player["contested"])
    yield str(player["contested_best"])
    yield format_points(player["contested_ev_loss"])
    yield format_points(player["contested_ev_loss_mean"], 3)


def _total(player: _Totals, name: str, deals: str, written: str | None = None) -> Text:
    """Write a total, and of how many deals if they are not all."""
    known = player[deals]
    if not known:
        return Text("-", style="dim")
    text = Text(format_points(player[name], sign=True) if written is None else written)
    if known != player["decisions"]:
        text.append(f" of {known}", style="dim")
    return text
