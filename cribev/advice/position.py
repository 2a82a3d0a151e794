"""What a player knows in the middle of a play: the cards in hand, those laid, those elsewhere."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CardError, RecordError, quote
from cribev.game.cards import (
    RANKS,
    SUITLESS_OFFSET,
    Cards,
    CardsLike,
    as_cards,
    format_cards,
    format_ranks,
    parse_hand,
    rank_of,
)
from cribev.game.deal import Position
from cribev.game.play import check_deck, parse_ranks
from cribev.game.play_notation import CARDS_LAID, Pegging, PlayNotation, PlayStep, parse_play
from cribev.game.play_rules import PlayState
from cribev.game.replay import check_suits, replay_ranks
from cribev.game.roles import Role, as_role, opposite_role

LaidLike: TypeAlias = str | PlayNotation | Iterable[int | None]
"""Cards as they fell: text, what `parse_play` makes of it, or ranks 0..12 with None for a go."""


class KnownCards(NamedTuple):
    """The seven cards a player knows, with their suits, uint8 each."""

    hand: Cards
    """The four cards kept."""
    discard: Cards
    starter: Cards
    """One card."""


@dataclass(frozen=True)
class PlayPosition:
    """A play as one player sees it, whose turn it is; ranks are 0..12 throughout."""

    role: Role
    hand: tuple[int, ...]
    """The four kept cards, ascending, laid or not."""
    steps: tuple[PlayStep, ...]
    """The cards laid and the goes, in turn."""
    discard: tuple[int, ...] = ()
    """The two cards thrown, if they are known."""
    starter: int | None = None
    cards: KnownCards | None = field(default=None, compare=False, repr=False)
    """The same with their suits, where all are known."""

    @cached_property
    def state(self) -> PlayState:
        """The play as it stands, by what all can see."""
        return _played(self.steps)

    @property
    def left(self) -> list[int]:
        """The player's cards that are not laid, ascending."""
        return sorted((Counter(self.hand) - Counter(self.laid_by(self.role))).elements())

    @property
    def opponent_left(self) -> int:
        """How many cards the opponent has left."""
        return self.state.left[opposite_role(self.role)]

    @property
    def legal(self) -> list[int]:
        """The ranks the player can lay, ascending."""
        return sorted({*self.left} & {*self.state.legal})

    def check_can_lay(self) -> None:
        """Refuse, with RecordError, a position in which no card fits, and a go is all to say.

        >>> read_position("T J Q K", role="dealer", laid="9 T 7").check_can_lay()
        Traceback (most recent call last):
        cribev.errors.RecordError: none of your cards (J Q K) fits a count of 26: say go
        """
        if not self.legal:
            raise RecordError(
                f"none of your cards ({format_ranks(self.left)}) fits a count of "
                f"{self.state.count}: say go"
            )

    @property
    def history(self) -> list[int | None]:
        """The ranks laid, and None for each go."""
        return [step.rank for step in self.steps]

    def laid_by(self, role: Role) -> list[int]:
        """Return the ranks that a player has laid, in turn."""
        return [one.rank for one in self.steps if one.role == role and one.rank is not None]

    def pegged(self, role: Role) -> int:
        """Return the points a player has pegged."""
        pegs = [one for step in self.steps for one in step.pegs]
        return sum(one.points for one in pegs if one.role == role)

    @property
    def elsewhere(self) -> NDArray[np.int64]:
        """How many cards of each rank the opponent was not dealt, as far as known, ``(13,)``."""
        starter = [] if self.starter is None else [self.starter]
        return np.bincount([*self.hand, *self.discard, *starter], minlength=len(RANKS))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON.

        >>> read_position("4H 5C JD JS", role="pone", laid="J 5").to_dict()["count"]
        15
        """
        starter = None if self.starter is None else RANKS[self.starter]
        return {
            "hand": [RANKS[rank] for rank in self.hand],
            "role": self.role,
            "discard": [RANKS[rank] for rank in self.discard],
            "starter": starter,
            "laid": ["go" if rank is None else RANKS[rank] for rank in self.history],
            "count": self.state.count,
        }


def read_position(
    hand: CardsLike,
    *,
    role: str,
    laid: LaidLike = (),
    discard: CardsLike | None = None,
    starter: CardsLike | int | None = None,
) -> PlayPosition:
    """Read what a player knows, and hold it to the rules.

    Parameters
    ----------
    hand
        The four cards kept, laid or not, as text or card numbers; suits may be left out.
    role
        The player's role.
    laid
        The cards as they fell, in any notation that `cribev.peg` reads, goes included.
    discard
        The two cards thrown, if they are known.
    starter
        The card cut, if it is: text or its number.

    Raises
    ------
    CardError
        If these are not as many cards, or one comes twice.
    RecordError
        If cards are laid that cannot be, the play is over, or it is the opponent's turn.

    Examples
    --------
    >>> position = read_position("4H 5C JD JS", role="pone", laid="J 5 (15-2)", starter="7H")
    >>> position.left, position.legal, position.opponent_left
    ([3, 4, 10], [3, 4, 10], 3)
    >>> read_position("4H 5C JD JS", role="dealer")
    Traceback (most recent call last):
    cribev.errors.RecordError: pone leads, and you are dealer: expected the cards laid so far
    """
    whose = as_role(role)
    texts = {"your hand": hand, "your discard": discard, "the starter": starter}
    counts = {"your hand": 4, "your discard": 2, "the starter": 1}
    cards = {
        what: _read_cards(given, counts[what]) for what, given in texts.items() if given is not None
    }
    _check_apart(cards)
    own, thrown, cut = (cards.get(what, []) for what in texts)
    ranks = {what: [_rank(card) for card in some] for what, some in cards.items()}
    elsewhere = [rank for what, some in ranks.items() if what != "your hand" for rank in some]
    notation = _read_laid(laid)
    steps: tuple[PlayStep, ...] = ()
    if notation.pieces:
        play = replay_ranks(notation, whose, {whose: ranks["your hand"]}, elsewhere)
        known = dict.fromkeys(thrown, "was thrown to the crib")
        known |= dict.fromkeys(cut, "is the starter")
        check_suits(notation, play, {whose: own} if _with_suits(own) else {}, known)
        steps = _with_silent_gos(play)
    every = [np.array(some, dtype=np.uint8) for some in (own, thrown, cut)]
    position = PlayPosition(
        whose,
        tuple(sorted(ranks["your hand"])),
        steps,
        tuple(sorted(ranks.get("your discard", []))),
        ranks["the starter"][0] if cut else None,
        KnownCards(*every) if thrown and cut and _with_suits([*own, *thrown, *cut]) else None,
    )
    _check_turn(position)
    return position


def _read_cards(cards: CardsLike | int, count: int) -> list[int]:
    """Read cards; those without suits are ranks plus `SUITLESS_OFFSET`."""
    if isinstance(cards, str):
        found = parse_hand(cards, count=count, suitless=True)
    else:
        found = as_cards([cards] if isinstance(cards, int) else cards, count=count)
    return [int(card) for card in found]


def _with_suits(cards: list[int]) -> bool:
    return all(card < SUITLESS_OFFSET for card in cards)


def _rank(card: int) -> int:
    return card >> 2 if card < SUITLESS_OFFSET else card - SUITLESS_OFFSET


def _check_apart(cards: dict[str, list[int]]) -> None:
    """Refuse a card that is in two places, or the fifth of a rank."""
    place: dict[int, str] = {}
    for what, some in cards.items():
        for card in some:
            if card < SUITLESS_OFFSET and card in place:
                raise CardError(f"{format_cards([card])} is in {place[card]} and in {what}")
            place[card] = what
    check_deck(_rank(card) for some in cards.values() for card in some)


def _read_laid(laid: LaidLike) -> PlayNotation:
    if isinstance(laid, PlayNotation):
        return laid
    if isinstance(laid, str):
        return parse_play(laid)
    if not isinstance(laid, Iterable):
        raise CardError(f"{quote(repr(laid))} is no play: expected text, or ranks and None for go")
    moves = list(laid)
    ranks = iter(parse_ranks([move for move in moves if move is not None]))
    return parse_play(" ".join("go" if move is None else RANKS[next(ranks)] for move in moves))


def _played(steps: Iterable[PlayStep]) -> PlayState:
    state = PlayState()
    for step in steps:
        _ = state.go() if step.rank is None else state.lay(step.rank)
    return state


def _with_silent_gos(play: Pegging) -> tuple[PlayStep, ...]:
    """Let a player whose cards are all laid say go; nobody writes it."""
    state, steps = _played(play.steps), list(play.steps)
    while not state.over and not state.left[state.turn]:
        who, count = state.turn, state.count
        steps.append(PlayStep(who, None, count, tuple(state.go())))
    return tuple(steps)


def _check_turn(position: PlayPosition) -> None:
    """Refuse a position in which it is not the player's turn."""
    state, role = position.state, position.role
    if state.over:
        raise RecordError(f"the play is over: all {CARDS_LAID} cards are laid")
    if state.turn != role:
        if not position.steps:
            raise RecordError(f"pone leads, and you are {role}: expected the cards laid so far")
        raise RecordError(
            f"it is your opponent's turn at a count of {state.count}: expected the card laid next, "
            "or go"
        )


def as_play_position(position: Position) -> PlayPosition:
    """Return what a player knows in the types that the tree of the play takes."""
    held, cut = position.held, () if position.starter is None else (position.starter,)
    known = KnownCards(*(np.array(some, dtype=np.uint8) for some in (*held, cut)))
    return PlayPosition(
        position.role,
        tuple(map(rank_of, held.kept)),
        tuple(PlayStep(one.role, one.rank, one.count, one.pegs) for one in position.play.steps),
        tuple(map(rank_of, held.discard)),
        None if position.starter is None else rank_of(position.starter),
        known if position.suits_known else None,
    )
