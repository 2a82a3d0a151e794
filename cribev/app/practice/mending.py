"""What to mend first, over all games that were played or recorded here and reviewed."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import pandas as pd

from cribev.app.games.clock import today
from cribev.app.practice.store import GAME, Store, StoredDecision
from cribev.game.cards import parse_card_text
from cribev.game.words import format_points, pluralize
from cribev.leaks import groups as leaks


class Mending(NamedTuple):
    """What decisions in games cost by kind, and what to mend first."""

    games: int
    discards: int
    cards: int  # that were a choice
    table: pd.DataFrame
    """Every kind of decision with what it cost: `cribev.rows.LEAK_COLUMNS`."""

    @property
    def first(self) -> list[tuple[str, str]]:
        """The kinds to mend first, in turn: their names, and what each costs in words."""
        (own,) = leaks.first_leaks(self.table).values() or ([],)
        return [(one["group"], leaks.leak_text(one)) for one in own]

    @property
    def of(self) -> str:
        """Say how many decisions there are."""
        counted = pluralize(self.discards, "discard"), pluralize(self.cards, "card")
        return f"{pluralize(self.games, 'game')}, {counted[0]} and {counted[1]} with a choice"

    @property
    def nothing(self) -> str:
        """Say why nothing stands out to mend; empty if something does."""
        return leaks.no_leak_text(self.table, _YOU)

    @property
    def cells(self) -> tuple[list[str], list[tuple[str, list[str]]]]:
        """The headings of a table of kinds, and the name and cells of each."""
        rows = self.table.to_dict(orient="records")
        cells = [(row["group"], leaks.leak_cells(row)) for row in rows]
        return leaks.leak_headings(self.table), cells

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        table = self.table.drop(columns="player")
        rows = table.astype(object).where(table.notna(), None).to_dict(orient="records")
        return {"games": self.games, "discards": self.discards, "cards": self.cards, "leaks": rows}


def mending(store: Store, stored: Sequence[StoredDecision]) -> Mending | None:
    """Add up what the decisions of games cost; None without any."""
    own = [one for one in stored if one.kind == GAME]
    if not own:
        return None
    levels = store.card_levels(one.unscored for one in own if not one.is_discard)
    chosen = [
        leaks.Chosen(
            one.problem.position,
            tuple(parse_card_text(one.chosen).tolist()),
            one.best,
            one.loss,
            one.verdict != _BEST,
            levels.get(one.unscored, ()),
        )
        for one in own
    ]
    games, discards = len({one.session for one in own}), sum(one.is_discard for one in own)
    table = leaks.tabulate_chosen(chosen, games=games, player=_YOU)
    return Mending(games, discards, len(own) - discards, table)


class Week(NamedTuple):
    """What to do this week, told once, at its beginning."""

    games: str  # what came of last week's games
    mend: str  # one thing to mend, of all games so far
    group: str  # the kind of decision to practise; empty if nothing stands out


def last_week(store: Store, stored: Sequence[StoredDecision]) -> Week | None:
    """Return the lines of this week, from the decisions before it; None without games last week."""
    monday = today() - timedelta(today().weekday())
    before = [one for one in stored if one.kind == GAME and one.at < str(monday)]
    latest = [one for one in before if one.at >= str(monday - timedelta(7))]
    found = mending(store, before)
    if not latest or found is None:
        return None
    games = len({one.session for one in latest})
    lost = format_points(sum(one.loss for one in latest if one.win_loss is None) / games)
    told = f"{pluralize(games, 'game')} last week, {lost} points lost in each"
    group, mend = next(iter(found.first), ("", found.nothing))
    return Week(told, mend, group)


_YOU, _BEST = "You", "best"
