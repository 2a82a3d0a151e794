"""How a review looks on a terminal."""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import pandas as pd
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.game import render
from cribev.game.cards import as_cards
from cribev.reviews import baseline_comparison
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

_SHOWN = 10  # of the discards that cost most
TONES = {
    "best": "green",
    "close": "",
    "inaccuracy": "yellow",
    "mistake": "magenta",
    "blunder": "bold red",
}


class TerminalReview(render.Displayable):
    """The look of a review, from what it says of itself."""

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
        how = "class tables" if self.fast else "exact"
        yield Text(
            f"{pluralize(self.games['game'].nunique(), 'game')}, "
            f"{pluralize(len(self.decisions), 'discard')}; "
            f"opponent: {render.printable(self.opponent)}, {how}",
            style="dim",
        )
        yield Text()
        yield self._discards(console)
        yield Text()
        yield self._contested(console)
        yield Text()
        yield self._ledger(console)
        if WIN_CHANGE in self.players:
            yield Text()
            yield self._wins(console)
        for player in self._players():
            if open_ := missing_text(player):
                yield Text(f"{render.printable(player['player'])}: {open_}", style="dim")
        for player in self._players():
            if stands := baseline_comparison.comparison_text(player):
                yield Text.assemble((render.printable(player["player"]), "bold"), f" {stands}")
        if notes := self.record.notes:
            yield Text()
            yield Text("Scores that move otherwise than the cards count", style="bold")
            yield from map(Text, notes[:_SHOWN])
            if len(notes) > _SHOWN:
                yield Text(f"and {pluralize(len(notes) - _SHOWN, 'deal')} more", style="dim")
        if rows := self.costliest(_SHOWN):
            yield Text()
            yield Text("Discards that cost most", style="bold")
            for row in rows:
                yield from self._costly(console, row)
        yield Text()
        yield Text(self._note(), style="dim")

    def _discards(self, console: Console) -> Table:
        made = _table(console, ["discards", *VERDICTS, "lost", "a deal"])
        for player in self.players.to_dict(orient="records"):
            made.add_row(
                _name(player),
                str(player["decisions"]),
                *(
                    Text(str(player[verdict]), style=TONES[verdict] if player[verdict] else "dim")
                    for verdict in VERDICTS
                ),
                format_points(player["ev_loss"]),
                format_points(player["ev_loss_mean"], 3),
            )
        return made

    def _contested(self, console: Console) -> Table:
        made = _table(console, ["contested", "of them best", "lost in them", "a deal"])
        for player in self.players.to_dict(orient="records"):
            made.add_row(
                _name(player),
                str(player["contested"]),
                str(player["contested_best"]),
                format_points(player["contested_ev_loss"]),
                format_points(player["contested_ev_loss_mean"], 3),
            )
        return made

    def _ledger(self, console: Console) -> Table:
        steps = known_components(self.decisions)
        made = _table(console, [*(step.words for step in steps), "result", "luck-adjusted"])
        for player in self.players.to_dict(orient="records"):
            made.add_row(
                _name(player),
                *(
                    _total(player, step.name, f"{step.name}_deals")
                    if step.kind != "lost"
                    else format_points(player[step.name])
                    for step in steps
                ),
                _total(player, "result", "result_deals"),
                _total(player, "luck_adjusted", "result_deals"),
            )
        return made

    def _wins(self, console: Console) -> Table:
        words = [step.words for step in WIN_COMPONENTS]
        made = _table(console, [f"to win: {words[0]}", *words[1:], "change"])
        games = len(self.games["game"].unique())
        for player in self.players.to_dict(orient="records"):
            made.add_row(
                _name(player),
                *(
                    _total(
                        player,
                        name,
                        f"{name}_deals",
                        format_win_total(player[name], games, sign=name != "win_loss"),
                    )
                    for name in (*(step.name for step in WIN_COMPONENTS), WIN_CHANGE)
                ),
            )
        return made

    def _note(self) -> str:
        counted = "Hand, crib and play" if self.play else "Hand and crib, without the play"
        return (
            f"{counted}, in points. Contested: best and second within {self.contested:g}.\n"
            f"Where all is known, {component_formula(known_components(self.decisions))}.\n"
            "Luck-adjusted: the result less luck."
            + " Starter luck is that of the hand; the crib's is in its swing." * self.fast
            + self._of_wins() * (WIN_CHANGE in self.players)
            + " After ± stands one standard error."
            * any(map(baseline_comparison.comparison_text, self._players()))
        )

    def _of_wins(self) -> str:
        many_games = len(self.games["game"].unique()) > 1
        return (
            f"\nChances to win{', in games' * many_games}: those of two experts from the score; "
            f"discards are judged by them where a player needs {NEAR_END} or fewer."
        )

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


def _table(console: Console, headings: list[str]) -> Table:
    made = render.table(console, ("player", "left"), *((name, "right") for name in headings))
    # A long name is folded, so that no figure is cut off.
    made.columns[0].no_wrap, made.columns[0].overflow = False, "fold"
    return made


def _name(player: Mapping[Hashable, Any]) -> Text:
    return Text(render.printable(player["player"]))  # not read as markup


def _total(
    player: Mapping[Hashable, Any], name: str, deals: str, written: str | None = None
) -> Text:
    """Write a total, and of how many deals if they are not all."""
    known = player[deals]
    if not known:
        return Text("-", style="dim")
    text = Text(format_points(player[name], sign=True) if written is None else written)
    if known != player["decisions"]:
        text.append(f" of {known}", style="dim")
    return text
