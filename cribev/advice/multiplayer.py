"""Three and four players: which of five cards to discard, against any cards of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

from cribev.advice.question import (
    Given,
    Question,
    is_position,
    read_discard,
    read_position,
    role_is_said,
    without_empty,
)
from cribev.errors import CribevError, quote
from cribev.game.cards import CardsLike, require_count
from cribev.game.deal import Position
from cribev.game.roles import (
    ROLES,
    as_role,
    cards_dealt,
    crib_owner,
    require_two_players,
    role_of_crib,
)
from cribev.game.stakes import WIN_STAKES, Stakes
from cribev.opponents.opponents import ExpertOpponent, Opponent, Uniform, without_play

_DEALT = 5


@dataclass(frozen=True)
class MultiplayerQuestion:
    """Which of five cards to discard, with three or four players.

    Parameters
    ----------
    position
        The five cards; as dealer if the crib counts for you.
    players
        3 or 4. With three, a card from the deck goes to the crib too.
    crib
        Whose crib it is: ``"mine"``, ``"theirs"``, or with four players ``"partner"``.

    Raises
    ------
    CardError
        If there are not five cards.
    CribevError
        If the number of players is not 3 or 4, or the role contradicts the crib.

    Examples
    --------
    >>> MultiplayerQuestion(Position.parse("dealer:5H5DJSQC2H"), 4, "partner").texts
    {'position': 'dealer:2H5D5HJSQC', 'players': '4', 'crib': 'partner'}
    """

    position: Position
    players: int
    crib: str

    def __post_init__(self) -> None:
        if cards_dealt(self.players) != _DEALT:
            raise CribevError(f"{quote(str(self.players))} players: expected 3 or 4")
        require_count(len(self.position.held.kept), _DEALT, str(self.position))
        role_of_crib(self.crib, self.position.role, self.players)

    @property
    def opponent(self) -> Opponent:
        """The others: any cards come to the crib, and the play does not count."""
        return without_play(Uniform())

    @property
    def stakes(self) -> Stakes:
        """The stakes, which do not matter: only points count."""
        return WIN_STAKES

    @property
    def texts(self) -> dict[str, str]:
        """The question as texts by name, as an address has them."""
        crib = {"crib": self.crib} if self.crib == "partner" else {}
        return {"position": str(self.position), "players": str(self.players), **crib}

    @property
    def whose_text(self) -> str:
        """How many play, and whose crib it is."""
        number = "three" if self.players == 3 else "four"
        return f", {number} players, {crib_owner(self.position.role, self.players, self.crib)}"

    @property
    def against_text(self) -> str:
        """What goes to the crib besides your card."""
        deck = ", two discarded and one of the deck" if self.players == 3 else ""
        return f"the other three cards of the crib: any{deck}; the play is not counted"

    def to_dict(self) -> dict[str, object]:
        """Return what is asked beside the position as plain values."""
        return {"opponent": self.opponent.name, "players": self.players, "crib": self.crib}


def discard_questions(
    cards: CardsLike | Position,
    *,
    players: int = 2,
    crib: str | None = None,
    **given: Unpack[Given],
) -> list[Question | MultiplayerQuestion]:
    """Return the questions about a discard, for two players or more; one a role if none is given.

    >>> discard_questions("5H 5D JS QC 2H", players=3, crib="theirs")[0].position.role
    'pone'
    """
    given = without_empty(given)
    role = given.get("role")
    said = role_of_crib(crib, None if role is None else as_role(role), players)
    if said is not None and not is_position(cards):
        given["role"] = said
    if cards_dealt(players) == _DEALT:
        _require_two(players, given)
    is_said = role_is_said(cards, role=given.get("role"), score=given.get("score"))
    found = list[Question | MultiplayerQuestion]()
    for one in [given.get("role")] if is_said else ROLES:
        more: Given = {**given, "role": one}
        if cards_dealt(players) == _DEALT:
            position = read_position(cards, more, _DEALT)
            whose = "mine" if position.role == "dealer" else "theirs"
            asked = MultiplayerQuestion(position, players, (crib or whose).strip().lower())
            found.append(asked)
        else:
            found.append(read_discard(cards, **more))
    for question in found:
        role_of_crib(crib, question.position.role, players)
    return found


def _require_two(players: int, given: Given) -> None:
    asked = given.get("opponent")
    require_two_players(
        players,
        opponent=asked is not None and str(asked) not in ("", ExpertOpponent.name, Uniform.name),
        score=given.get("score"),
        stakes=given.get("stakes"),
    )
