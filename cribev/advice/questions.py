"""Positions as they are asked about: one text, or cards and what else is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from cribev.errors import CribevError, quote
from cribev.game.cards import require_count
from cribev.game.deal import Held, Position
from cribev.game.roles import Role, as_role, cards_dealt, role_of_crib
from cribev.game.score import Score

_POSITION_SAYS = {"laid": "play", "threw": "discard"}  # options by other names


def given_position(cards: object, *, score: object = None, **others: object) -> Position | None:
    """Take a position, or its text, which says all but a score; None where cards are given."""
    position = Position.parse(cards) if isinstance(cards, str) and ":" in cards else cards
    if not isinstance(position, Position):
        return None
    if score is not None and position.score is None:
        return replace(position, score=Score.read(score, position.role))
    for name, value in {**others, "score": score}.items():
        if value is not None and value != ():
            what = _POSITION_SAYS.get(name, name)
            text = quote(str(cards), most=90)
            raise CribevError(f"{text} is a position, and says the {what}: leave it out")
    return position


def asked_position(
    given: Any,
    role: Role | None,
    score: object,
    read: Callable[[Any], Iterable[int]],
    *,
    players: int = 2,
    crib: str | None = None,
) -> Position:
    """Take the position that is asked about, or make it of cards that `read` takes."""
    position = given_position(given, role=role, score=score)
    if position is None:
        starred = Score.role_by_star(score, role)
        said = None if starred is None else as_role(starred)
        whose = as_role(role_of_crib(crib, said, players))
        held = Held.of(read(given))
        return Position(whose, held, score=None if score is None else Score.read(score, whose))
    role_of_crib(crib, position.role, players)
    return position


def card_position(
    cards: str,
    *,
    role: str | None = None,
    laid: str | None = None,
    threw: str | None = None,
    starter: str | None = None,
    score: str | None = None,
) -> Position:
    """Take the position in which a card is to be played: one text, or cards and what is known."""
    known = {"starter": starter, "score": score}
    position = given_position(cards, role=role, laid=laid, threw=threw, **known)
    if position is not None:
        return position
    if not cards:
        raise CribevError("no cards: expected the four you kept, as 4 5 J J")
    if (whose := Score.role_by_star(score, role)) is None:
        raise CribevError("whose crib is it? Expected a role: dealer, or pone, who leads")
    return Position.read(cards, role=as_role(whose), laid=laid or "", discard=threw, **known)


def dealt_cards(position: Position, *, players: int = 2) -> tuple[int, ...]:
    """Return the cards to discard from; `CribevError` if they are not as many as are dealt."""
    if position.to_do != "discard":
        text = quote(str(position), most=90)
        raise CribevError(f"{text}: two cards are discarded already: expected six cards")
    require_count(len(position.held.kept), cards_dealt(players), str(position), asks=True)
    return position.held.kept
