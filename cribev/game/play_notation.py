"""A play written down: read, checked against the rules, and told card by card."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.errors import CardError, RecordError, quote
from cribev.game import render
from cribev.game.cards import PIP_VALUES, RANKS, format_cards, parse_cards, parse_rank
from cribev.game.play import LIMIT, Peg, check_deck, parse_ranks
from cribev.game.play_rules import PlayState
from cribev.game.roles import ROLES, Role

RanksLike: TypeAlias = str | Iterable[int]

_NUMBER = "[0-9]{1,9}"  # longer ones are no part of a play
_NOTE = rf"{_NUMBER}\s*(?:-|for)\s*{_NUMBER}"
_TOKEN = re.compile(
    rf"""(?P<note>[(\[]\s*(?:{_NOTE}|{_NUMBER})\s*[)\]]|{_NOTE})
    |(?P<go>go\b)
    |(?P<end>[/|])
    |(?P<card>10|[a2-9tjqk])(?P<suit>[cdhs♣♦♥♠♧♢♡♤])?""",
    re.IGNORECASE | re.VERBOSE,
)
CARDS_LAID = 8
"""Cards laid in a whole play."""
_BETWEEN = re.compile(r"[\s,;.]*")
_EXPECTED = (
    "expected ranks (A 2 3 4 5 6 7 8 9 T J Q K), go, / where the count starts again, "
    "and counts with points such as 15-2"
)
_PEG_NAMES = {kind: kind for kind in ("fifteen", "thirty-one", "run", "go")} | {"last": "last card"}
_PAIR_NAMES = {2: "pair", 3: "pair royal", 4: "double pair royal"}


@dataclass(frozen=True)
class PlayStep:
    """A card laid, or a go."""

    role: Role
    rank: int | None
    """0..12; None for a go."""
    count: int
    """The running count, this card included."""
    pegs: tuple[Peg, ...]


@dataclass(frozen=True, repr=False)
class Pegging(render.Displayable):
    """Who pegs what for what in a play.

    Attributes
    ----------
    steps
        The cards laid and the goes, in turn.
    cards
        How many cards there are to lay.

    Examples
    --------
    >>> print(peg_steps("T 5 6 T 9"))
    pone    T  10
    dealer  5  15  fifteen 2
    pone    6  21
    dealer  T  31  thirty-one 2
    pone    9  9
    dealer 4, pone 0
    the play is not over: 5 of 8 cards are laid
    """

    steps: tuple[PlayStep, ...]
    cards: int = CARDS_LAID

    @property
    def points(self) -> dict[Role, int]:
        """What each pegs.

        >>> peg_steps("5 J 5 5").points
        {'dealer': 4, 'pone': 0}
        """
        pegs = [found for step in self.steps for found in step.pegs]
        return {role: sum(found.points for found in pegs if found.role == role) for role in ROLES}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        listed = Table.grid(padding=(0, 2, 0, 0))
        for step in self.steps:
            pegs_text = ", ".join(
                f"{_peg_name(one)} {one.points}{'' if one.role == step.role else f' to {one.role}'}"
                for one in step.pegs
            )
            card, count = ("go", "") if step.rank is None else (RANKS[step.rank], str(step.count))
            listed.add_row(step.role, card, count, pegs_text)
        if self.steps:
            yield listed
        yield Text(", ".join(f"{role} {points}" for role, points in self.points.items()))
        if not self.over:
            laid = _laid(self.steps)
            yield Text(f"the play is not over: {laid} of {self.cards} cards are laid")

    @property
    def over(self) -> bool:
        """Whether all cards are laid.

        >>> peg_steps("2 5 5 7 6 6").over
        False
        """
        return _laid(self.steps) == self.cards

    @property
    def laid(self) -> str:
        """The play as `peg` reads it, every go written.

        >>> peg_steps("T T 9 A", pone="T 9", dealer="T A").laid
        'T T 9 A'
        >>> peg_steps("T T 9 / 4").laid
        'T T 9 go go 4'
        """
        return " ".join("go" if step.rank is None else RANKS[step.rank] for step in self.steps)

    def __repr__(self) -> str:
        return f"peg_steps({self.laid!r})"

    def to_dict(self) -> dict[str, Any]:
        """Return the play as plain values, ready for JSON.

        >>> peg_steps("5 J").to_dict()["steps"][1]["pegs"]
        [{'role': 'dealer', 'kind': 'fifteen', 'points': 2, 'cards': ['5', 'J']}]
        """
        steps, laid = [], []
        for step in self.steps:
            if step.rank is not None:
                laid.append(RANKS[step.rank])
            pegs = [{**one._asdict(), "cards": laid[len(laid) - one.cards :]} for one in step.pegs]
            card = None if step.rank is None else RANKS[step.rank]
            steps.append({"role": step.role, "card": card, "count": step.count, "pegs": pegs})
        return {"points": self.points, "steps": steps}


class _Piece(NamedTuple):
    text: str
    at: int
    """Its first character, counted from 1; 0 if it comes from no text."""
    rank: int | None = None
    card: int | None = None
    """The card's number, if its suit is written."""
    note: tuple[int, int | None] | None = None
    """Count, and points if they are written."""


class PlayNotation(NamedTuple):
    """A play as it is written, read but not held to the rules; `peg` takes it in place of text."""

    pieces: tuple[_Piece, ...]

    @property
    def ranks(self) -> list[int]:
        """The cards in turn, 0..12."""
        return [piece.rank for piece in self.pieces if piece.rank is not None]

    @property
    def cards(self) -> list[int | None]:
        """Their card numbers, None where no suit is written."""
        return [piece.card for piece in self.pieces if piece.rank is not None]


def parse_play(text: str) -> PlayNotation:
    """Read a play; raises `CardError` if a piece of text is no part of one.

    >>> parse_play("5H J (15-2) go AC").cards
    [18, None, 0]
    """
    return PlayNotation(tuple(_pieces(text)))


def peg_steps(
    laid: RanksLike | PlayNotation,
    *,
    pone: RanksLike | None = None,
    dealer: RanksLike | None = None,
) -> Pegging:
    """Tell who pegs what for what as cards are laid.

    Pone leads, and the two lay in turn. Where the next card would pass 31, or after a ``/``, both
    have said go and the count starts again at 0. A ``go`` says that a player cannot lay and the
    other goes on. If you give the hands, you can leave goes out.

    Parameters
    ----------
    laid
        Cards in the order they are laid, as text or ranks 0..12. Suits may be written; they do not
        score. A card's count and points may follow it, ``15-2`` or ``(15-2)``, and are checked.
    pone, dealer
        The cards each keeps, in the same way: both or neither.

    Returns
    -------
    A `Pegging`.

    Raises
    ------
    CardError
        If a piece of text is none of this.
    RecordError
        If a card cannot be laid or is laid twice, a go cannot be said, or a count or its points are
        wrong.

    Examples
    --------
    >>> print(peg_steps("2 5 5 (12-2) 7 6 (25-3) 6 (31-4)"))
    pone    2  2
    dealer  5  7
    pone    5  12  pair 2
    dealer  7  19
    pone    6  25  run 3
    dealer  6  31  thirty-one 2, pair 2
    dealer 4, pone 5
    the play is not over: 6 of 8 cards are laid
    """
    if (pone is None) != (dealer is None):
        raise RecordError("one hand alone is given: expected both or neither")
    hands: dict[Role, list[int]] | None = None
    if pone is not None and dealer is not None:
        hands = {"pone": parse_ranks(pone), "dealer": parse_ranks(dealer)}
        for role, held in hands.items():
            if len(held) > 4:
                raise RecordError(f"{role} has {len(held)} cards: expected four, or those left")
        check_deck([*hands["pone"], *hands["dealer"]])
    play, steps, notes = PlayState(hands), list[PlayStep](), list[tuple[_Piece, int]]()
    if isinstance(laid, str):
        laid = parse_play(laid)
    pieces: Iterable[_Piece] = (
        laid.pieces
        if isinstance(laid, PlayNotation)
        else [_Piece(RANKS[rank], 0, rank) for rank in parse_ranks(laid)]
    )
    seen = set[int]()
    for piece in pieces:
        if piece.card is not None:
            with _naming(piece):
                if piece.card in seen:
                    raise RecordError(f"{format_cards([piece.card])} is laid twice")
            seen.add(piece.card)
        if piece.note is not None:
            notes.append((piece, len(steps) - 1))
        else:
            with _naming(piece):
                _take(piece, play, steps)
    if hands is not None:
        _add_gos(play, steps)
    for piece, at in notes:
        with _naming(piece):
            _check_note(piece, at, steps)
    check_deck([step.rank for step in steps if step.rank is not None])
    _check_gos(steps)
    return Pegging(tuple(steps), CARDS_LAID if hands is None else sum(map(len, hands.values())))


def _laid(steps: Iterable[PlayStep]) -> int:
    return sum(step.rank is not None for step in steps)


def _take(piece: _Piece, play: PlayState, steps: list[PlayStep]) -> None:
    """Do what a piece says, after the goes that it implies."""
    if piece.rank is not None:
        if play.over and _laid(steps) == CARDS_LAID:
            raise RecordError(f"{RANKS[piece.rank]} is a ninth card: all eight are laid")
        if play.hands is None:
            while play.count and play.count + PIP_VALUES[piece.rank] > LIMIT:
                _go(play, steps)
        else:
            _add_gos(play, steps)
        who, count = play.turn, play.count + PIP_VALUES[piece.rank]
        steps.append(PlayStep(who, piece.rank, count, tuple(play.lay(piece.rank))))
    elif piece.text.lower() == "go":
        _go(play, steps)
    else:
        while play.count and not play.over:
            _go(play, steps)


def _go(play: PlayState, steps: list[PlayStep]) -> None:
    who, count = play.turn, play.count
    steps.append(PlayStep(who, None, count, tuple(play.go())))


def _add_gos(play: PlayState, steps: list[PlayStep]) -> None:
    """Let whoever cannot lay say go."""
    while not play.over and not play.can_lay():
        _go(play, steps)


def _check_gos(steps: Sequence[PlayStep]) -> None:
    """Refuse a go where a card fits that the same player lays later."""
    for at, step in enumerate(steps):
        if step.rank is None:
            later = [one.rank for one in steps[at:] if one.role == step.role]
            fits = [
                one for one in later if one is not None and step.count + PIP_VALUES[one] <= LIMIT
            ]
            if fits:
                raise RecordError(
                    f"{step.role} cannot say go at a count of {step.count}: "
                    f"the {RANKS[fits[0]]} laid later fits"
                )


def _check_note(piece: _Piece, at: int, steps: list[PlayStep]) -> None:
    """Check a count, and points if they are written, against the last card up to step `at`."""
    card = (
        next((step for step in steps[at::-1] if step.rank is not None), None) if at >= 0 else None
    )
    if card is None or card.rank is None or piece.note is None:
        raise RecordError("there is no card before it")
    count, points = piece.note
    if count != card.count:
        raise RecordError(f"the count is {card.count} with the {RANKS[card.rank]}")
    pegged = sum(one.points for one in card.pegs)
    # The point for the last card, or for a go that follows, may be written with the card or not.
    after = [step for step in steps[at + 1 :] if step.rank is not None or step.pegs]
    last = any(one.kind == "last" for one in card.pegs)
    may_end = LIMIT - max(PIP_VALUES) < count < LIMIT
    go = not last and (not after or after[0].rank is None) and may_end
    if points is not None and points not in (pegged - last, pegged, pegged + go):
        raise RecordError(f"{card.role} pegs {pegged} for the {RANKS[card.rank]}")


@contextmanager
def _naming(piece: _Piece) -> Iterator[None]:
    """Begin an error with the piece it is about, and its place."""
    try:
        yield
    except RecordError as error:
        place = f"{quote(piece.text)}, character {piece.at}: " if piece.at else ""
        raise RecordError(f"{place}{error}") from None


def _pieces(text: str) -> Iterator[_Piece]:
    at = _match_end(_BETWEEN, text, 0)
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            bad = text[at:].split()[0]
            raise CardError(
                f"{quote(bad, most=20)} is not part of a play: character {at + 1}, {_EXPECTED}"
            )
        piece = _Piece(found.group(), at + 1)
        if found["card"]:
            (card,) = parse_cards(found.group()).tolist() if found["suit"] else [None]
            piece = piece._replace(rank=parse_rank(found["card"]), card=card)
        elif found["note"]:
            count, *points = map(int, re.findall("[0-9]+", found["note"]))
            piece = piece._replace(note=(count, points[0] if points else None))
        yield piece
        at = _match_end(_BETWEEN, text, found.end())


def _match_end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _peg_name(found: Peg) -> str:
    if found.kind == "pair":
        return _PAIR_NAMES[found.cards]
    return _PEG_NAMES[found.kind]
