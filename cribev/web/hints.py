"""What the table says to a player: what to do now, and after a deal the best line of it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cribev.advice.cards import PlayAdvice, play_advice
from cribev.advice.decisions import Decision
from cribev.advice.discards import Advice, advise
from cribev.choice import format_chance, format_points, true_minus
from cribev.game.cards import format_cards
from cribev.game.deal import Position
from cribev.game.score import Stakes
from cribev.games.game import Game
from cribev.games.players import PLAYER
from cribev.reviews.page import decision_text
from cribev.solution.solution import shipped_strategy
from cribev.web.pages import page_headline

_MOST_LISTED = 4


def hint_context(game: Game, stakes: Stakes) -> dict[str, Any]:
    """Say what to do now: by what is played for where the score decides, else by points."""
    found = _advised(game.position(PLAYER), stakes)
    options, legal = found.options, format_cards(found.position.legal).split()
    headline = "throw " + format_cards(options.best.cards, symbols=True)
    if isinstance(found, PlayAdvice):
        headline = page_headline(found.headline[0].lower() + found.headline[1:])
    rows: list[dict[str, Any]] = [
        {
            "cards": one.discard.split()
            if options.is_discard
            else [card for card in legal if card[0] == one.card],
            "worth": true_minus(
                format_points(one.expected, sign=True)
                if one.win is None
                else f"{one.value:.3f}"
                if options.is_staked
                else format_chance(one.win)
            ),
            "is_best": one.rank == 1,
        }
        for one in options.rows[:_MOST_LISTED]
    ]
    return {
        "headline": headline,
        "is_discard": options.is_discard,
        "unit": stakes.aim if options.win is not None else "points",
        "rows": rows,
        "best": rows[0]["cards"]
        if options.is_discard
        else {card for row in rows if row["is_best"] for card in row["cards"]},
        "worth": {card: row["worth"] for row in rows for card in row["cards"]},
    }


def best_line(game: Game, stakes: Stakes) -> list[dict[str, Any]]:
    """Say of each choice of the player's in the last deal what it was worth, and what was best."""
    return [
        {
            "verdict": decision.verdict,
            "line": [*decision.cost, "; ", *decision.why],
            "position": decision.position,
            "answer": decision_text(decision),
        }
        for decision in _decided(game, stakes)
    ]


def _decided(game: Game, stakes: Stakes) -> Iterator[Decision]:
    role = game.record.role(game.deal.number, PLAYER)
    for position, chosen in game.deal.decisions(role):
        if position.to_do == "discard" or len(position.legal_ranks) > 1:
            yield Decision.of(_advised(position, stakes).options, list(chosen))


def _advised(position: Position, stakes: Stakes) -> Advice | PlayAdvice:
    """Advise the player; the score counts near the end."""
    if position.score is not None and not position.score.is_near(stakes.near_end):
        position = replace(position, score=None)
    played_for = None if position.score is None else stakes
    return (
        advise(position, stakes=played_for)
        if position.to_do == "discard"
        else play_advice(position, shipped_strategy(), played_for)
    )
