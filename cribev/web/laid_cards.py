"""The cards laid in a deal, as they lie on the table."""

from collections.abc import Sequence
from typing import Any

from cribev.game.cards import format_cards
from cribev.games.view import LaidCard
from cribev.web.templating import card_faces


def place_laid(laid: Sequence[LaidCard], on_table: int, *, other: str) -> list[dict[str, Any]]:
    """Place the cards laid, each with its count; a go is written under the card before it.

    Takes how many cards lie there since the count began, and who the other player is.

    >>> laid = [LaidCard(True, 51, 30, 0), LaidCard(False, None, 30, 0), LaidCard(True, 3, 31, 2)]
    >>> [(one["notes"], one["past"]) for one in place_laid(laid, 0, other="the expert")]
    [(['30', 'go'], True), (['31', '+2'], True)]
    """
    placed: list[dict[str, Any]] = []
    for one in laid:
        if one.card is not None:
            (face,) = card_faces(format_cards([one.card]))
            placed.append(
                {
                    "face": face,
                    "own": one.own,
                    "past": True,
                    "notes": [str(one.count), *([f"+{one.points}"] if one.points else [])],
                    "says": f"{'you' if one.own else other}, count {one.count}",
                }
            )
        elif placed:
            notes = placed[-1]["notes"]
            notes[:] = [note for note in notes if note != "go"]
            notes.append(f"go +{one.points}" if one.points else "go")
    for one_placed in placed[len(placed) - on_table :] if on_table else ():
        one_placed["past"] = False
    return placed
