"""One deal, what one player knows of it, and a game of many deals.

What a position is as text, which `str` writes and `Position.parse` reads, says
``cribev help position``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CardError, CribevError, RecordError, quote
from cribev.game.cards import (
    DECK_SIZE,
    RANKS,
    SUITLESS_OFFSET,
    TEN_CARD,
    CardsLike,
    card_order,
    check_deck,
    format_card,
    format_ranks,
    is_whole,
    parse_some_suits,
    rank_of,
    read_hand,
    require_count,
    take_card,
)
from cribev.game.play import CARDS_KEPT, Play, PlayedLike
from cribev.game.roles import ROLES, Role, as_role, opposite_role
from cribev.game.score import MAX_SCORE_BEFORE, WINNING_SCORE, Score, is_score

ToDo: TypeAlias = Literal["discard", "card", "wait"]
GRAMMAR = "role:cards[/discard][:starter[:play]][@yours-theirs]"  # the text of a position, in short

_DEALT, _DISCARDED = 6, 2
_UNKNOWN_STARTER = "-"
_MEANT = {5: ": which one is the starter?", _DEALT: ": which two of them did you discard?"}
_BLANKS = str.maketrans("", "", " \t\n\r,")
_JACK = re.compile("j(?=ack)", re.IGNORECASE)  # then an ace of clubs and a king: not the word


class Held(NamedTuple("_Held", [("kept", tuple[int, ...]), ("discard", tuple[int, ...])])):
    """The cards of one player: those kept, played or not, and the two discarded; or all dealt.

    Cards are 0..51, or a rank plus `SUITLESS_OFFSET` if the suit is not known; they are given in
    any order, and held ascending. ``kept`` are four, or six before the discard; ``discard`` are
    two, or none if they are unknown, or not yet chosen.

    >>> held = Held.parse("4H5CJDJS/9CKD")
    >>> str(held), len(held.dealt), Held(held.without([49, 14]), [49, 14])
    ('4H5CJDJS/9CKD', 6, Held(kept=(16, 32, 41, 43), discard=(14, 49)))
    >>> Held((0.5, 4, 8, 12))
    Traceback (most recent call last):
    cribev.errors.CardError: invalid card number '0.5': expected 0 to 51
    """

    __slots__ = ()

    def __new__(cls, kept: Iterable[int] = (), discard: Iterable[int] = ()) -> Self:
        """Return held cards; `CardError` if a number is no card."""
        return super().__new__(cls, _ascending(kept), _ascending(discard))

    @classmethod
    def _make(cls, cards: Iterable[Any]) -> Self:  # type: ignore[override]  # as typeshed has it
        return cls(*cards)  # so that `_replace` checks too

    @classmethod
    def parse(cls, text: str) -> Held:
        """Read what ``str`` writes, also ``258-9JK``; `CardError` if a piece is not a card."""
        kept, apart, discard = text.partition("/")
        if apart and not discard.strip():
            raise CardError(f"expected the two cards discarded after the /, got {quote(text)}")
        return cls(parse_some_suits(kept, ten_cards=not apart), parse_some_suits(discard))

    @property
    def dealt(self) -> tuple[int, ...]:
        """All the cards that are known, ascending."""
        return tuple(sorted((*self.kept, *self.discard), key=card_order))

    def without(self, discard: Iterable[int]) -> tuple[int, ...]:
        """Return the cards dealt that a discard leaves, ascending."""
        kept = list(self.dealt)
        for card in discard:
            take_card(kept, card)
        return tuple(kept)

    def __str__(self) -> str:
        texts = ("".join(map(format_card, cards)) for cards in self if cards)
        return "/".join(re.sub("(?=x)", "-", text, count=1) for text in texts)


def _ascending(cards: Iterable[int]) -> tuple[int, ...]:
    """Return cards by rank, then by suit."""
    if not isinstance(cards, Iterable):
        raise CardError(
            f"invalid cards {quote(repr(cards))}: expected numbers from 0 to {DECK_SIZE - 1}"
        )
    return tuple(sorted(map(_as_card, cards), key=card_order))


def _as_card(card: object) -> int:
    """Return the number of a card, which may lack its suit; `CardError` if it is invalid."""
    if is_whole(card):
        number = int(card)
        if number < DECK_SIZE or SUITLESS_OFFSET <= number <= TEN_CARD:
            return number
    raise CardError(f"invalid card number {quote(str(card))}: expected 0 to {DECK_SIZE - 1}")


_NO_CARDS, _NO_CARD_PLAYED = Held(), Play()
_PARTS: dict[str, type | tuple[type, ...]] = {
    "held": Held,
    "play": Play,
    "score": (Score, type(None)),
}


@dataclass(frozen=True, repr=False)
class Position:
    """All that one player knows: cards, role, starter, the play so far, and the score.

    Cards and play are checked against the rules. It need not be the player's turn (`to_do`).

    Parameters
    ----------
    role
        The player's role, in any case; it is kept in lower case.
    held
        The cards dealt, or the four kept, with the two discarded if they are known.
    starter
        The card cut; None if it is not known.
    play
        The cards in the order played.
    score
        The score before the deal, of 0 to 120 points each; None if it does not count.

    Raises
    ------
    CardError
        If the number of cards is wrong, or a card comes twice.
    RecordError
        If the play is against the rules or the cards.
    CribevError
        If the role or the score is invalid, or the game is over.

    Examples
    --------
    >>> position = Position.parse("pone:4H5CJDJS/9CKD:7H:J5@103-104")
    >>> position.to_do, position.play.count, position.left, position.opponent_left
    ('card', 15, (14, 16, 43), 3)
    >>> str(position), Position.parse(str(position)) == position
    ('pone:4H5CJDJS/9CKD:7H:J5@103-104', True)
    >>> Position.parse("dealer: 5h 5d js qc 2h 8d").to_do
    'discard'
    >>> Position.parse("pone:4H5CJDJS:7H:K")
    Traceback (most recent call last):
    cribev.errors.RecordError: 'pone:4H5CJDJS:7H:K': the play: pone plays K, and kept 4 5 J J:
    expected a go wherever one cannot play
    """

    role: Role
    held: Held
    starter: int | None = None
    play: Play = _NO_CARD_PLAYED
    score: Score | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "role", as_role(self.role))
        for name, kinds in _PARTS.items():
            if not isinstance(value := getattr(self, name), kinds):
                raise CribevError(f"{quote(repr(value))}: expected the {name} of a position")
        if self.starter is not None:
            object.__setattr__(self, "starter", _as_card(self.starter))
        if self.score is not None and self.score.over:
            raise CribevError(
                f"invalid score {quote(str(self.score))}: expected points before the deal, each "
                f"from 0 to {MAX_SCORE_BEFORE}; with {WINNING_SCORE} the game is won"
            )
        held = self.held
        if (len(held.kept), len(held.discard)) not in ((6, 0), (4, 0), (4, 2)):
            number = f"{len(held.kept)}" + (f" and {len(held.discard)}" if held.discard else "")
            raise CardError(
                f"expected {_DEALT} cards, or the {CARDS_KEPT} kept and the {_DISCARDED} "
                f"discarded, got {number}"
            )
        if TEN_CARD in held.dealt and len(held.kept) == CARDS_KEPT:
            raise CardError(f"{str(held)!r}: in the play expected which ten-card each x is")
        if len(held.kept) > CARDS_KEPT and (self.starter is not None or self.play.steps):
            raise RecordError(
                "nothing is cut or played before the discard: expected four cards kept"
            )
        _check_apart(held, self.starter)
        if self.play.steps:
            self.play.check({self.role: held.kept}, _reasons(held.discard, self.starter))
            self._give_suits()

    @classmethod
    def read(
        cls,
        hand: CardsLike,
        *,
        role: str | None = None,
        played: PlayedLike = (),
        discard: CardsLike | None = None,
        starter: CardsLike | int | None = None,
        score: object = None,
    ) -> Position:
        """Read what a player knows in the middle of a play, as people write it.

        Parameters
        ----------
        hand
            The four cards kept, played or not, as text or card numbers; suits may be left out.
        role
            The player's role; None if a star in the score says who deals.
        played
            The cards in the order played, in any notation that `cribev.peg` reads, with goes.
        discard
            The two cards discarded, if they are known.
        starter
            The card cut, if known: text or its number.
        score
            The player's points and the opponent's before the deal, as text or two numbers.

        Raises
        ------
        CardError
            If the number of cards is wrong, or a card comes twice.
        RecordError
            If the play is impossible.

        Examples
        --------
        >>> str(Position.read("4H 5C JD JS", role="pone", played="J 5 (15-2)", starter="7H"))
        'pone:4H5CJDJS:7H:J5'
        """
        whose = as_role(Score.role_by_star(score, role))
        kept = read_hand(hand, None)
        text = hand if isinstance(hand, str) else repr(hand)
        meant = _MEANT.get(len(kept), "")
        if (discard if len(kept) == _DEALT else starter) is not None and meant:
            meant = ": leave out what is given beside them"
        require_count(len(kept), CARDS_KEPT, text, meant)
        held = Held(kept, () if discard is None else read_hand(discard, _DISCARDED))
        cut = None if starter is None else read_hand(starter, 1)[0]
        _check_apart(held, cut)  # before the play, which is read by them
        try:
            play = Play.parse(played, {whose: held.kept}, _reasons(held.discard, cut))
        except RecordError as error:
            if not isinstance(played, str) or str(error).startswith("'"):  # the piece is quoted
                raise
            raise RecordError(f"{quote(played)}: {error}") from None
        return cls(whose, held, cut, play, None if score is None else Score.read(score, whose))

    @classmethod
    def parse(cls, text: str) -> Position:
        """Read what ``str`` writes, in any case and with blanks; errors quote the whole text."""
        if not isinstance(text, str):
            raise CribevError(f"invalid position {quote(repr(text))}: expected text as {GRAMMAR}")
        known, separator, points = text.partition("@")
        fields = known.translate(_BLANKS).split(":")
        if not 2 <= len(fields) <= 4:
            raise CribevError(f"invalid position {quote(text, most=90)}: expected {GRAMMAR}")
        what = "the role"
        try:
            role = as_role(fields[0])
            what = "the cards"
            held = Held.parse(fields[1])
            what = "the starter"
            cut = _read_starter(fields[2]) if len(fields) > 2 else None
            what = "the score"
            joined = "".join(points.split())  # blanks mean nothing, but between two numbers
            points = joined if is_score(joined) and not is_score(points) else points.strip()
            score = Score.read(points, role) if separator else None
            what = "the play"
            play = Play()
            if len(fields) > 3:
                if not fields[3]:
                    raise RecordError("expected the cards as they fell after the last colon")
                own = {role: held.kept} if len(held.kept) == CARDS_KEPT else {}
                moves = _JACK.sub("J ", fields[3])
                play = Play.parse(moves, own, _reasons(held.discard, cut))
            what = ""
            return cls(role, held, cut, play, score)
        except CribevError as error:
            where = f"{what}: " if what else ""
            raise type(error)(f"{quote(text, most=90)}: {where}{error}") from None

    def __repr__(self) -> str:
        return f"Position.parse({str(self)!r})"

    def __str__(self) -> str:
        fields = [self.role, str(self.held)]
        if self.starter is not None or self.play.steps:
            cut = self.starter
            fields.append(_UNKNOWN_STARTER if cut is None else format_card(cut))
        if self.play.steps:
            fields.append(str(self.play).replace(" ", ""))
        return ":".join(fields) + ("" if self.score is None else f"@{self.score.text(self.role)}")

    @property
    def to_do(self) -> ToDo:
        """The step the player has to take: discard two cards, play one, or wait."""
        if len(self.held.kept) > CARDS_KEPT:
            return "discard"
        waits = self.play.over or self.play.turn != self.role or self.winner is not None
        return "wait" if waits else "card"

    def require_turn(self) -> None:
        """Raise `RecordError` if it is not the player's turn to play a card or to say go.

        >>> Position.read("4H 5C JD JS", role="dealer").require_turn()
        Traceback (most recent call last):
        cribev.errors.RecordError: pone leads, and you are dealer: expected the cards played so far
        """
        count = self.play.count
        if self.score is not None and self.now is not None and self.winner is not None:
            raise RecordError(
                f"the game is over: from {self.score.text(self.role)} before the deal the score "
                f"is now {self.now.text(self.role)}"
            )
        if self.play.over:
            raise RecordError(f"the play is over: all {2 * CARDS_KEPT} cards are played")
        if self.to_do == "discard":
            raise RecordError(
                f"{quote(str(self))}: two of your six cards are to be discarded first"
            )
        if self.to_do == "wait" and not self.play.steps:
            raise RecordError(
                f"pone leads, and you are {self.role}: expected the cards played so far"
            )
        if self.to_do == "wait":
            raise RecordError(
                f"after {quote(self.play.ranks_text)} it is your opponent's turn at a count of "
                f"{count}: expected the card played next, or go"
            )

    def require_card(self) -> None:
        """Raise `RecordError` if the player cannot play a card now.

        >>> Position.read("T J Q K", role="dealer", played="9 T 7").require_card()
        Traceback (most recent call last):
        cribev.errors.RecordError: none of your cards (J Q K) fits a count of 26: say go
        """
        self.require_turn()
        if not self.legal:
            raise RecordError(f"{self.why_go}: say go")

    @property
    def why_go(self) -> str:
        """Why the player has to say go, where no card fits."""
        left = format_ranks(self.left_ranks)
        return f"none of your cards ({left}) fits a count of {self.play.count}"

    @cached_property
    def left(self) -> tuple[int, ...]:
        """The player's cards that are not played yet, ascending."""
        return self.play.left_of(self.held.kept, self.role)

    @property
    def legal(self) -> tuple[int, ...]:
        """The cards that can be discarded, or played now, ascending."""
        return self.left if self.to_do == "discard" else self.play.legal(self.left)

    @property
    def left_ranks(self) -> list[int]:
        """The ranks of `left`, ascending."""
        return [rank_of(card) for card in self.left]

    @property
    def legal_ranks(self) -> list[int]:
        """The ranks of `legal`, each once, ascending."""
        return sorted({rank_of(card) for card in self.legal})

    @property
    def opponent_left(self) -> int:
        """The number of cards the opponent has left."""
        return self.play.left[opposite_role(self.role)]

    @property
    def now(self) -> Score | None:
        """The score now: with the points for the starter and in the play; None if not known."""
        return self.score and self.score.plus(self.play.points, starter=self.starter)

    @property
    def winner(self) -> Role | None:
        """The winner by heels or in the play, if the score is known."""
        if self.score is None:
            return None
        needed = self.score.plus(starter=self.starter).needed
        out: list[Role] = [role for role in ROLES if needed[role] <= 0]
        return out[0] if out else self.play.first_to_peg(needed)

    @property
    def has_suits(self) -> bool:
        """Whether the suits of all cards held are known."""
        return max(self.held.dealt) < SUITLESS_OFFSET

    @property
    def suits_known(self) -> bool:
        """Whether the suits of all six cards and of the starter are known."""
        return len(self.known) == _DEALT + 1 and max(self.known) < SUITLESS_OFFSET

    @property
    def suits_words(self) -> str:
        """Words for the suits that are not known; empty if all are known."""
        if max(self.known) < SUITLESS_OFFSET and len(self.held.dealt) > CARDS_KEPT:
            return ""
        return "other suits any" if min(self.known) < SUITLESS_OFFSET else "any suits"

    @property
    def known(self) -> tuple[int, ...]:
        """The cards dealt to the player and the starter, as far as they are known."""
        return self.held.dealt if self.starter is None else (*self.held.dealt, self.starter)

    @property
    def dead_ranks(self) -> NDArray[np.int64]:
        """The number of cards of each rank that the opponent cannot have been dealt, ``(13,)``."""
        return np.bincount([*map(rank_of, self.known)], minlength=len(RANKS))

    def to_dict(self) -> dict[str, Any]:
        """Return the position as plain values, ready for JSON; cards have suits if these are known.

        >>> Position.parse("pone:4H5CJDJ:-:J5").to_dict()["hand"]
        ['4H', '5C', 'JD', 'J']
        """
        return {
            "position": str(self),
            "hand": list(map(format_card, self.held.kept)),
            "role": self.role,
            "discard": list(map(format_card, self.held.discard)),
            "starter": None if self.starter is None else format_card(self.starter),
            "played": str(self.play).split(),
            "count": self.play.count,
            **({"doubt": self.play.doubt} if self.play.doubt else {}),
        }

    def _give_suits(self) -> None:
        """Give suits to cards if only one is possible, so that a position has only one text."""
        hand = list(self.held.kept)
        # A hand may learn a suit from a card that was played.
        for card in self.play.played_by(self.role):
            if card < SUITLESS_OFFSET and card not in hand:
                take_card(hand, card)
                hand.append(card)
        object.__setattr__(self, "held", Held(hand, self.held.discard))
        if (play := _with_suits(self.play, self.role, hand)).played != self.play.played:
            object.__setattr__(self, "play", play)


@dataclass(frozen=True)
class Deal:
    """One deal, as far as it is known: from a record, a game in progress, or a problem.

    ``score`` is the score before the deal; ``number`` counts the deals of a game from 1.

    >>> pone, dealer = Held.parse("4H5CJDJS/9CKD"), Held.parse("5S6C7CTC/2C2D")
    >>> deal = Deal(pone, dealer, 26, Play.parse("JD 5S 5C"))
    >>> [str(position) for position, chosen in deal.decisions("pone")]
    ['pone:4H5C9CJDJSKD', 'pone:4H5CJDJS/9CKD:7H', 'pone:4H5CJDJS/9CKD:7H:JD5S']
    """

    pone: Held = _NO_CARDS
    dealer: Held = _NO_CARDS
    starter: int | None = None
    play: Play = _NO_CARD_PLAYED
    score: Score | None = None
    number: int = 1

    def held(self, role: Role) -> Held:
        """Return the cards of a player."""
        return self.pone if role == "pone" else self.dealer

    def with_held(self, role: Role, held: Held) -> Deal:
        """Return the deal with other cards for a player."""
        return replace(self, pone=held) if role == "pone" else replace(self, dealer=held)

    def with_play(self, text: str) -> Deal:
        """Return the deal with a play from text, checked against the rules and known cards."""
        hands = {role: self.held(role).kept for role in ROLES if self.held(role).kept}
        play = Play.parse(text, hands, _reasons(self.crib, self.starter))
        if not play.steps:
            raise RecordError("no card is played")
        return replace(self, play=play)

    @property
    def crib(self) -> tuple[int, ...]:
        """The cards in the crib that are known, ascending."""
        return tuple(sorted((*self.pone.discard, *self.dealer.discard), key=card_order))

    def seen_by(self, role: Role) -> Position:
        """Return the deal as the player of a role knows it."""
        return Position(role, self.held(role), self.starter, self.play, self.score)

    def left(self, role: Role) -> tuple[int, ...]:
        """Return the cards that a player holds now, ascending."""
        return self.play.left_of(self.held(role).kept, role)

    def decisions(self, role: Role) -> Iterator[tuple[Position, tuple[int, ...]]]:
        """List each position in which a player had a choice, and what was chosen.

        Cards played have suits if a hand tells them.
        """
        held = self.held(role)
        if held.discard:
            yield Position(role, Held(held.dealt), score=self.score), held.discard
        before, play = Play(), self.play
        for who in ROLES:
            play = _with_suits(play, who, self.held(who).kept)
        for step in play.steps:
            position = replace(self, play=before).seen_by(role)
            if position.winner is not None:
                return
            if step.silent:
                continue
            if step.role == role and step.card is not None:
                yield position, (step.card,)
            card = step.card
            before = before.go(renege=step.renege) if card is None else before.play(card)


@dataclass(frozen=True)
class GameRecord:
    """A game as far as it is recorded; players are 0 and 1, ``winner`` None if not known."""

    players: tuple[str, str]
    deals: tuple[Deal, ...] = ()
    first_dealer: int = 0
    winner: int | None = None
    name: str = ""

    def dealer(self, number: int) -> int:
        """Return who deals a deal, by its number from 1."""
        return (self.first_dealer + number - 1) % 2

    def role(self, number: int, player: int) -> Role:
        """Return the role of a player in a deal."""
        return "dealer" if self.dealer(number) == player else "pone"


def _with_suits(play: Play, role: Role, hand: Sequence[int]) -> Play:
    """Give suits to the cards a player played, wherever only one card of the hand fits."""
    played, by = play.played, [step.role for step in play.steps if step.card is not None]
    for index, card in enumerate(played):
        if by[index] == role and card >= SUITLESS_OFFSET:
            same = {c for c in hand if rank_of(c) == rank_of(card) and c not in played}
            if len(same) == 1:
                played[index] = same.pop()
    return play.with_cards(played)


def distinct_players(first: str, second: str) -> tuple[str, str]:
    """Tell players with the same name apart."""
    return (first, second) if first != second else (f"{first} 1", f"{second} 2")


def _read_starter(text: str) -> int | None:
    if text == _UNKNOWN_STARTER:
        return None
    cards = parse_some_suits(text)
    if len(cards) != 1:
        raise CardError(f"expected one card, or -, got {quote(text) if text else 'none'}")
    return cards[0]


def _reasons(discarded: Iterable[int], starter: int | None) -> dict[int, str]:
    """Say where each card is that the opponent cannot play."""
    known = dict.fromkeys(discarded, "was discarded to the crib")
    return known if starter is None else known | {starter: "is the starter"}


def _check_apart(held: Held, starter: int | None) -> None:
    """Refuse a card that is in two places, or a fifth card of one rank."""
    place: dict[int, str] = {}
    cut = () if starter is None else (starter,)
    for what, cards in zip(("your hand", "your discard", "the starter"), (*held, cut), strict=True):
        for card in cards:
            if card < SUITLESS_OFFSET and card in place:
                if place[card] == what:
                    raise CardError(f"{format_card(card)} comes twice in {what}")
                raise CardError(f"{format_card(card)} is in {place[card]} and in {what}")
            place[card] = what
    check_deck(map(rank_of, (*held.kept, *held.discard, *cut)))
