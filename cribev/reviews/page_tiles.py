"""The figures at the head of a player's part of a page, each with a note."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from cribev.choice import format_points
from cribev.game.roles import ROLES
from cribev.reviews.decomposition import COMPONENTS, PLAY_SWING, Component
from cribev.reviews.templating import points_text
from cribev.reviews.totals import Totals
from cribev.reviews.wording import format_win_total, true_minus

_SWINGS = {
    "crib_swing": "chance and the opponent’s choice",
    "play_swing": "what was pegged, over its average",
}


class Tile(NamedTuple):
    """A figure of a player."""

    name: str
    """The column of `Review.players` it is of."""
    words: str
    value: str
    note: str


def player_tiles(totals: Totals, decisions: list[dict[str, Any]]) -> list[Tile]:
    """Write the figures of a player, from a row of `Review.players` and the player's decisions."""
    number, games = totals["decisions"], len({decision["game"] for decision in decisions})
    played = {decision["role"] for decision in decisions}
    roles = " or ".join(role for role in ROLES if role in played)
    contested = f"{totals['contested_best']} of {totals['contested']} contested"
    steps = [step for step in COMPONENTS if step != PLAY_SWING or totals.get("play_swing_deals")]
    return [
        *_lost(totals, games),
        Tile("best", "Best discards", f"{totals['best']} of {number}", contested),
        _luck(totals, [step for step in steps if step.kind == "luck"]),
        *(
            _signed(totals, step.name, step.words, f"{step.name}_deals", _SWINGS[step.name])
            for step in steps
            if step.kind == "swing"
        ),
        _signed(totals, "result", "result", "result_deals", f"points above an average {roles}"),
        _signed(totals, "luck_adjusted", "luck-adjusted", "result_deals", "result less luck"),
    ]


def _lost(totals: Totals, games: int) -> Iterator[Tile]:
    """Write what was lost: in all, by discarding, in the play, and in wins, as far as known."""
    number = totals["decisions"]
    if not np.isnan(totals["accuracy"]):
        found = f"{totals['accuracy']:.1f}"
        yield Tile("accuracy", "Accuracy", found, "of 100, discards and cards")
    mean = " ± ".join(
        format_points(totals[name], 3)
        for name in ("ev_loss_mean", "ev_loss_se")
        if not np.isnan(totals[name])
    )
    yield Tile("ev_loss", "Lost by discarding", points_text(totals["ev_loss"]), f"{mean} a deal")
    if totals.get("play_lost_deals"):
        opponent = points_text(totals["opponent_play_lost"])
        note = f"the opponent {opponent}" if totals["opponent_play_lost_deals"] else ""
        note = (note + _known_of(totals["play_lost_deals"], number)).strip()
        yield Tile("play_lost", "Lost in the play", points_text(totals["play_lost"]), note)
    if totals.get("win_loss_deals"):
        lost = true_minus(format_win_total(totals["win_loss"], games))
        note = "games" if games > 1 else "of the game"
        if totals.get("win_play_lost_deals"):
            laid = true_minus(format_win_total(totals["win_play_lost"], games))
            note = f"{note} by discarding, {laid} in the play"
        note += _known_of(totals["win_loss_deals"], number)
        yield Tile("win_loss", "Wins lost", lost, note)


def _luck(totals: Totals, steps: list[Component]) -> Tile:
    """Write all luck that is known, and its parts."""
    number = totals["decisions"]
    known = [step for step in steps if totals[f"{step.name}_deals"]]
    parts = [
        f"{step.words} {points_text(totals[step.name], sign=True)}"
        + _known_of(totals[f"{step.name}_deals"], number)
        for step in known
    ]
    every = sum(totals[step.name] for step in known) if known else np.nan
    return Tile("luck", "Luck", points_text(every, sign=True), ", ".join(parts) or "not known")


def _signed(totals: Totals, name: str, words: str, deals: str, note: str) -> Tile:
    """Write a total; ``deals`` is the column of how many deals it is over."""
    if over := _known_of(totals[deals], totals["decisions"]):
        note = f"{note},{over}" if totals[deals] else "not known"
    return Tile(name, words[0].upper() + words[1:], points_text(totals[name], sign=True), note)


def _known_of(known: int, number: int) -> str:
    """Say of how many deals, if they are not all."""
    return "" if known == number else f" {known} of {number} deals"
