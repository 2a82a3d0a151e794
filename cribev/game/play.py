"""The play: its rules, its state and its history, in one type.

From the rules of the American Cribbage Congress (https://www.cribbage.org/rules), rule 7. Pone
leads, and the count runs to 31. Two points for 15 and for 31; two, six and twelve for pairs; one
point for each card in a run of the last cards played, three or more in any order; one for the go or
the last card. Suits never matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

from cribev.errors import RecordError, quote
from cribev.game.cards import (
    PIP_VALUES,
    RANKS,
    SUITLESS_OFFSET,
    RanksLike,
    check_deck,
    format_card,
    format_ranks,
    parse_ranks,
    rank_of,
    take_card,
)
from cribev.game.play_text import RENEGE, Piece, read_pieces
from cribev.game.roles import ROLES, Role, opposite_role

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

LIMIT = 31  # what the count may not pass
_ANY_FITS = LIMIT - max(PIP_VALUES)  # at a count up to this any card fits
CARDS_KEPT = 4  # cards each player keeps, and plays
PegKind: TypeAlias = Literal["fifteen", "thirty-one", "pair", "run", "go", "last"]
Hands: TypeAlias = Mapping[Role, Sequence[int]]
"""The cards that each player kept, if known; a card may lack its suit."""

_OF_THE_DEAL = " with the other cards of this deal"
_PEG_NAMES = {kind: kind for kind in ("fifteen", "thirty-one", "run", "go")} | {"last": "last card"}
_PAIR_NAMES = {2: "pair", 3: "pair royal", 4: "double pair royal"}


class Peg(NamedTuple):
    """Points pegged for one combination, a go, or the last card."""

    role: Role  # who pegs them
    kind: PegKind
    points: int
    cards: int  # how many of the last cards played make it; 0 for a go or the last card

    @property
    def name(self) -> str:
        """The name that players use."""
        return _PAIR_NAMES[self.cards] if self.kind == "pair" else _PEG_NAMES[self.kind]


def points_for_last_card(played: Sequence[int], count: int) -> list[tuple[PegKind, int, int]]:
    """Find what the last of ranks 0..12 scores at a count: kinds, points, numbers of cards."""
    pegs: list[tuple[PegKind, int, int]] = []
    if count == 15:
        pegs.append(("fifteen", 2, len(played)))
    if count == LIMIT:
        pegs.append(("thirty-one", 2, len(played)))
    alike = 1
    while alike < len(played) and played[-1 - alike] == played[-1]:
        alike += 1
    if alike > 1:
        pegs.append(("pair", alike * (alike - 1), alike))
        return pegs
    longest, low, high, seen = 0, played[-1], played[-1], set[int]()
    for length, rank in enumerate(reversed(played), 1):
        if rank in seen:
            break
        seen.add(rank)
        low, high = min(low, rank), max(high, rank)
        if high - low == length - 1:
            longest = length
    if longest > 2:
        pegs.append(("run", longest, longest))
    return pegs


@dataclass(frozen=True, slots=True)
class Step:
    """A card that was played, or a go."""

    role: Role
    card: int | None
    """0..51, or a rank plus `SUITLESS_OFFSET` if the suit is not known; None for a go."""
    count: int  # the running count, this card included
    pegs: tuple[Peg, ...] = ()
    silent: bool = False
    """Whether it is the go of a player without cards: nobody says it aloud."""
    renege: bool = False
    """Whether it is a go although a card fits, which nobody noticed: ``go!!``."""

    @property
    def rank(self) -> int | None:
        """The rank 0..12; None for a go."""
        return None if self.card is None else rank_of(self.card)

    @property
    def may_be_passed(self) -> bool:
        """Whether a player could say go here instead of playing this card."""
        before = self.count - (0 if self.rank is None else PIP_VALUES[self.rank])
        return before > _ANY_FITS

    @property
    def text(self) -> str:
        """The card, or ``go``."""
        go = f"go{RENEGE if self.renege else ''}"
        return go if self.card is None else format_card(self.card)


class Play:
    """The cards in the order played, and what may follow: state, history and notation in one.

    It is immutable: `play` and `go` return the play that follows. It does not know the hands: give
    them to `legal` to ask what a player may play, or to `parse` to check a play against them. A
    player without cards says go automatically.

    Parameters
    ----------
    pone, dealer
        How many cards each keeps.

    Attributes
    ----------
    steps
        The cards played and the goes, in turn.
    turn
        Who is to play a card or say go.
    count
        The running count.
    on_table
        The cards played since the count began.
    left
        How many cards each player has left.
    doubt
        If the text can be read in another way, how, in one sentence; else empty.

    Examples
    --------
    >>> play = Play().play(16).play(36)  # a five of clubs, and a ten on it
    >>> play
    Play.parse('5C TC')
    >>> play.turn, play.count, play.points
    ('pone', 15, {'dealer': 2, 'pone': 0})
    >>> play.go()
    Traceback (most recent call last):
    cribev.errors.RecordError: pone cannot say go at a count of 15: any card fits
    >>> print(Play.parse("T T 9 / 4"), "=", Play.parse("tt9gogo4"))
    T T 9 go go 4 = T T 9 go go 4
    """

    __slots__ = ("_alone", "_last", "count", "doubt", "left", "on_table", "steps", "turn")

    def __init__(self, *, pone: int = CARDS_KEPT, dealer: int = CARDS_KEPT) -> None:
        self.steps: tuple[Step, ...] = ()
        self.turn: Role = "pone"
        self.count = 0
        self.on_table: tuple[int, ...] = ()
        self.left: dict[Role, int] = {"dealer": dealer, "pone": pone}
        self._alone = False  # whether the other has said go
        self._last: Role = "pone"  # who played last
        self.doubt = ""

    @classmethod
    def of(cls, moves: Iterable[int | None], *, cards: int = CARDS_KEPT) -> Play:
        """Make a play from cards, with None for each go; silent goes may be left out.

        `cards` is how many each keeps. Raises `RecordError` as `play` and `go` do.

        >>> Play.of([73, 73, 72, None, None])
        Play.parse('T T 9 go go')
        """
        play = cls(pone=cards, dealer=cards)
        for move in moves:
            if move is not None:
                play = play.play(move)
            elif not (play.steps and play.steps[-1].silent):
                play = play.go()
        return play

    @classmethod
    def parse(
        cls,
        text: PlayedLike,
        hands: Hands | None = None,
        elsewhere: Mapping[int, str] | None = None,
    ) -> Play:
        """Read a play, and check it against the rules and the known cards.

        Goes may be left out where a card would pass 31. With both hands, or one hand and a complete
        play, they may be left out wherever a player cannot play. A go of a player without cards
        says nothing. A card may be followed by its
        count and points, ``15-2`` or ``(15-2)``, which are checked. ``!!`` after a card says that
        it fitted where its player said go, and nobody noticed; after that go, it says the same.

        Parameters
        ----------
        text
            Cards in the order played; or a list of texts or of ranks 0..12, None for a go.
        hands
            The cards that one player kept, or both players.
        elsewhere
            Cards that nobody can play, and why, such as ``is the starter``.

        Raises
        ------
        CardError
            If a piece of text is not part of a play.
        RecordError
            If the play is against the rules or the cards.

        Examples
        --------
        >>> play = Play.parse("T T 9 A 4 5 K 3", {"pone": [36, 32, 0, 16]})
        >>> str(play), play.points
        ('T T 9 go A go 4 5 K 3', {'dealer': 3, 'pone': 1})
        >>> Play.parse("5H J (15-3)")
        Traceback (most recent call last):
        cribev.errors.RecordError: '(15-3)', character 6: dealer pegs 2 for the J
        """
        known, away = hands or {}, elsewhere or {}
        pieces, places = list[Piece](), list[int]()
        for piece in read_pieces(str(text) if isinstance(text, Play) else text):
            if piece.card is not None:
                places.append(len(pieces))
                with _naming(piece):
                    if len(places) > 2 * CARDS_KEPT:
                        name = RANKS[rank_of(piece.card)]
                        raise RecordError(f"{name} is a ninth card: all eight are played")
            pieces.append(piece)
        reneged = (index for index, piece in enumerate(pieces) if piece.renege and piece.card)
        late = next(reneged, None)
        if late is not None:
            return cls._read_renege(pieces, late, known, away)
        if not isinstance(text, str) or len(known) == 2:
            return cls._read(pieces, known, away)
        try:
            play, wrong = cls._read(pieces, known, away), None
        except RecordError as error:
            play, wrong = None, error
            for index in range(1, len(pieces)):
                if pieces[index - 1].text == pieces[index].text == "go":
                    with suppress(RecordError):
                        begun = cls._read(pieces[:index], known, away)
                        if not (begun.count or all(begun.left.values())):
                            return cls._read(pieces[:index] + pieces[index + 1 :], known, away)
        if play is not None:  # elsewhere any card fits
            placed = zip(places, play._cards, strict=True)
            places = [index for index, step in placed if step.may_be_passed]
        else:
            played = [PIP_VALUES[rank_of(cast("int", pieces[index].card))] for index in places]
            most = accumulate(played, initial=0)  # that the count can be before each card
            places = [
                index for index, count in zip(places, most, strict=False) if count > _ANY_FITS
            ]
        others = list[Play]()
        for index in places:
            before = next((piece for piece in reversed(pieces[:index]) if not piece.note), None)
            if before is None or before.card is not None:  # else a go is written
                with suppress(RecordError):
                    with_go = [*pieces[:index], Piece("go", pieces[index].at), *pieces[index:]]
                    others.append(cls._read(with_go, known, away))
        others = [other for other in others if other != play]
        if play is not None and others:
            play = play._copy()
            steps = zip(play.steps, others[0].steps, strict=False)
            step = next(step for step, other in steps if step != other)
            play.doubt = (
                f"The {step.text} is taken as played by {step.role}; if {step.role} said go before "
                f"it, write {quote(str(others[0]))}."
            )
        elif play is None and len({str(other) for other in others}) == 1:
            play = others[0]
        if play is None:
            assert wrong is not None
            raise wrong
        return play

    @classmethod
    def _read_renege(
        cls, pieces: list[Piece], late: int, hands: Hands, elsewhere: Mapping[int, str]
    ) -> Play:
        """Read a play in which a card fitted at the last go of its player before it."""
        wrong: RecordError | None = None
        for index in reversed(range(late)):
            if pieces[index].text == "go":
                with_go = [*pieces]
                with_go[index] = pieces[index]._replace(renege=True)
                try:
                    play = cls._read(with_go, hands, elsewhere)
                except RecordError as error:
                    wrong = wrong or error
                    continue
                if any(step.renege and play.belies(step) for step in play.steps):
                    return play
        if wrong is not None:
            raise wrong
        with _naming(pieces[late]):
            raise RecordError("expected the go before it where this card fitted")

    @classmethod
    def _read(cls, pieces: Sequence[Piece], hands: Hands, elsewhere: Mapping[int, str]) -> Play:
        """Read pieces of text, and check them against the rules and the known cards."""
        played = [piece.card for piece in pieces if piece.card is not None]
        known = {role: list(cards) for role, cards in hands.items()}
        if len(known) == 1 and len(played) == 2 * CARDS_KEPT:
            _add_other_hand(known, played)
            check_deck(map(rank_of, [*played, *elsewhere]), _OF_THE_DEAL)
        both = len(known) == 2
        play = cls(**{role: len(held) for role, held in known.items()}) if both else cls()
        seen, notes = set[int](), list[tuple[Piece, int]]()
        told = play  # where a silent go is written too
        for piece, following in zip(pieces, [*pieces, None][1:], strict=True):
            with _naming(piece):
                if piece.card is not None and piece.card < SUITLESS_OFFSET:
                    if piece.card in seen:
                        raise RecordError(f"{format_card(piece.card)} is played twice")
                    seen.add(piece.card)
                silent = bool(play.steps) and play.steps[-1].silent
                if piece.text == "go" and silent and play is not told:
                    told = play
                elif piece.note is None:
                    play = play._do(piece, known)
                else:
                    notes.append((piece, len(play.steps) - 1))
                    if play._is_ended_by(piece) and (following is None or following.text != "go"):
                        play = play._say_gos_to_end(known)
        if both:
            play = play._say_gos(known)
        for piece, index in notes:
            with _naming(piece):
                _check_note(piece, index, play.steps)
        check_deck(map(rank_of, play.played))
        play._check_gos()
        if not both:  # a known hand has been held to the rules
            play._check_ranks(hands, elsewhere)
        play._check_suits(hands, elsewhere)
        return play

    def check(self, hands: Hands, elsewhere: Mapping[int, str] | None = None) -> None:
        """Check the play against the cards that players kept; `RecordError`, as in `parse`.

        >>> Play.parse("TH 5").check({"pone": [36, 32, 0, 16]})
        Traceback (most recent call last):
        cribev.errors.RecordError: pone plays TH, and kept TC 9C AC 5C
        """
        self._check_ranks(hands, elsewhere or {})
        self._check_suits(hands, elsewhere or {})

    def play(self, card: int) -> Play:
        """Return the play after a card; `RecordError` if it does not fit, or no card is due.

        >>> play = Play.parse("T T 9")
        >>> play.play(16)
        Traceback (most recent call last):
        cribev.errors.RecordError: 5 does not fit a count of 29
        """
        who, across, name = self.turn, opposite_role(self.turn), RANKS[rank_of(card)]
        if self.over:
            raise RecordError(f"{name} cannot be played: all cards are")
        if not self.fits(card):
            raise RecordError(f"{name} does not fit a count of {self.count}")
        after = self._copy()
        after.left[who] -= 1
        after.on_table, after._last = (*self.on_table, card), who
        after.count = count = self.count + PIP_VALUES[rank_of(card)]
        ranks = [rank_of(other) for other in after.on_table]
        pegs = [Peg(who, *pegged) for pegged in points_for_last_card(ranks, count)]
        if count == LIMIT:
            after._begin(across)
        elif after.over:
            pegs.append(Peg(who, "last", 1, 0))
        elif not self._alone and after.left[across]:
            after.turn = across
        after.steps = (*self.steps, Step(who, card, count, tuple(pegs)))
        return after if after.over or after.left[after.turn] else after._end_count(silent=True)

    def go(self, *, renege: bool = False) -> Play:
        """Return the play after a go; `RecordError` if any card would fit, or all are played.

        >>> play = Play.parse("T T 9").go()
        >>> play.turn, play.count, play.go().turn, play.go().count
        ('pone', 29, 'dealer', 0)
        """
        who, across = self.turn, opposite_role(self.turn)
        if self.over:
            raise RecordError(f"{who} cannot say go: all cards are played")
        if self.count <= _ANY_FITS:
            raise RecordError(f"{who} cannot say go at a count of {self.count}: any card fits")
        if self._alone or not self.left[across]:
            return self._end_count(renege=renege)
        after = self._copy()
        after.steps = (*self.steps, Step(who, None, self.count, renege=renege))
        after._alone, after.turn = True, across
        return after

    def go_while_stuck(self, left: Hands) -> Play:
        """Return the play after the goes of players who have no card that fits."""
        play = self
        while not play.over and not play.legal(left[play.turn]):
            play = play.go()
        return play

    def fits(self, card: int) -> bool:
        """Return whether a card keeps the count at 31 or less."""
        return self.count + PIP_VALUES[rank_of(card)] <= LIMIT

    def legal(self, cards: Iterable[int]) -> tuple[int, ...]:
        """Return the cards that fit.

        >>> from cribev import format_cards
        >>> format_cards(Play.parse("T T 9").legal([0, 4, 8]))
        'AC 2C'
        """
        return tuple(card for card in cards if self.fits(card))

    def before(self, step: int) -> Play:
        """Return the play before a step, numbered from 0.

        >>> Play.parse("T T 9 / 4").before(4)
        Play.parse('T T 9 go')
        """
        play = type(self)(**{role: self.left[role] + len(self.played_by(role)) for role in ROLES})
        for earlier in self.steps[:step]:
            if not earlier.silent:
                play = (
                    play.go(renege=earlier.renege)
                    if earlier.card is None
                    else play.play(earlier.card)
                )
        return play

    def belies(self, go: Step) -> bool:
        """Return whether a player who said go has played a card since that fitted there."""
        later = self.steps[self.steps.index(go) :]
        ranks = [step.rank for step in later if step.role == go.role and step.rank is not None]
        return any(go.count + PIP_VALUES[rank] <= LIMIT for rank in ranks)

    def with_cards(self, cards: Sequence[int]) -> Play:
        """Return the same play with other cards of the same ranks, in turn."""
        others, play = iter(cards), self._copy()
        play.steps = tuple(
            step if step.card is None else replace(step, card=next(others)) for step in self.steps
        )
        play.on_table = tuple(play.played[len(self.played) - len(self.on_table) :])
        return play

    @property
    def over(self) -> bool:
        """Whether all cards are played.

        >>> Play.parse("2 5 5 7 6 6").over
        False
        """
        return not (self.left["pone"] or self.left["dealer"])

    @property
    def _cards(self) -> list[Step]:
        return [step for step in self.steps if step.card is not None]

    @property
    def played(self) -> list[int]:
        """The cards played, in order."""
        return [step.card for step in self.steps if step.card is not None]

    def played_by(self, role: Role) -> list[int]:
        """Return the cards that a player has played, in order."""
        return [step.card for step in self.steps if step.role == role and step.card is not None]

    def left_of(self, held: Sequence[int], role: Role) -> tuple[int, ...]:
        """Return the cards of a hand that are not played yet, by rank where suits differ."""
        left = list(held)
        for card in self.played_by(role):
            if not take_card(left, card):
                take_card(left, rank_of(card) + SUITLESS_OFFSET)
        return tuple(left)

    @property
    def history(self) -> list[int | None]:
        """The ranks played, and None for each go, also for silent ones."""
        return [step.rank for step in self.steps]

    @property
    def points(self) -> dict[Role, int]:
        """The points that each player pegs.

        >>> Play.parse("5 J 5 5").points
        {'dealer': 4, 'pone': 0}
        """
        pegs = [peg for step in self.steps for peg in step.pegs]
        return {role: sum(peg.points for peg in pegs if peg.role == role) for role in ROLES}

    def first_to_peg(self, needed: Mapping[Role, int]) -> Role | None:
        """Return the player who first pegs the points they need; None if nobody does.

        >>> Play.parse("5 J 5 5").first_to_peg({"pone": 9, "dealer": 3})
        'dealer'
        """
        pegged = dict.fromkeys(ROLES, 0)
        for scored in (peg for step in self.steps for peg in step.pegs):
            pegged[scored.role] += scored.points
            if pegged[scored.role] >= needed[scored.role]:
                return scored.role
        return None

    @property
    def ranks_text(self) -> str:
        """The ranks and every go, also silent ones.

        >>> Play.parse("TH TC 9D / 4").ranks_text
        'T T 9 go go 4'
        """
        return " ".join("go" if rank is None else RANKS[rank] for rank in self.history)

    @property
    def full_text(self) -> str:
        """The cards and every go, also silent ones."""
        return " ".join(step.text for step in self.steps)

    def __str__(self) -> str:
        return " ".join(step.text for step in self.steps if not step.silent)

    def __repr__(self) -> str:
        return f"Play.parse({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Play) and (self.steps, self.left) == (other.steps, other.left)

    def __hash__(self) -> int:
        return hash(tuple(step.card for step in self.steps))

    def to_dict(self) -> dict[str, Any]:
        """Return the play as plain values, ready for JSON; cards are ranks.

        >>> Play.parse("5 J").to_dict()["steps"][1]["pegs"]
        [{'role': 'dealer', 'kind': 'fifteen', 'points': 2, 'cards': ['5', 'J']}]
        """
        steps, played = [], []
        for step in self.steps:
            rank = None if step.rank is None else RANKS[step.rank]
            played += [] if rank is None else [rank]
            pegs = [
                {**peg._asdict(), "cards": played[len(played) - peg.cards :]} for peg in step.pegs
            ]
            steps.append({"role": step.role, "card": rank, "count": step.count, "pegs": pegs})
        doubt = {"doubt": self.doubt} if self.doubt else {}
        return {"points": self.points, "steps": steps} | doubt

    @property
    def listing(self) -> str:
        """The play card by card, with who pegs how much, and for what."""
        from cribev.game.render import to_text

        return to_text(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.table import Table
        from rich.text import Text

        listed = Table.grid(padding=(0, 2, 0, 0))
        for step in self.steps:
            pegs = ", ".join(
                f"{peg.name} {peg.points}{'' if peg.role == step.role else f' to {peg.role}'}"
                for peg in step.pegs
            )
            go = step.text, ""
            card, count = go if step.rank is None else (RANKS[step.rank], str(step.count))
            listed.add_row(step.role, card, count, pegs)
        if self.steps:
            yield listed
        yield Text(", ".join(f"{role} {points}" for role, points in self.points.items()))
        if not self.over:
            played = len(self.played)
            number = played + sum(self.left.values())
            yield Text(f"the play is not over: {played} of {number} cards are played")
        if self.doubt:
            yield Text(self.doubt)

    def _repr_html_(self) -> str:
        from cribev.game.render import to_html

        return to_html(self)

    def _copy(self) -> Play:
        after = object.__new__(Play)
        for name in Play.__slots__:
            setattr(after, name, getattr(self, name))
        after.left = {**self.left}
        return after

    def _end_count(self, *, silent: bool = False, renege: bool = False) -> Play:
        after, last = self._copy(), self._last
        go = Step(self.turn, None, self.count, (Peg(last, "go", 1, 0),), silent, renege)
        after.steps = (*self.steps, go)
        after._begin(opposite_role(last))
        return after

    def _begin(self, leads: Role) -> None:
        self.on_table, self.count, self._alone = (), 0, False
        self.turn = leads if self.left[leads] else opposite_role(leads)

    def _do(self, piece: Piece, hands: Hands) -> Play:
        """Make the move that a piece of text says, after the goes that it implies."""
        play = self
        if piece.card is None:
            if piece.text == "go":
                return play.go(renege=True) if piece.renege else play._say_go(hands)
            return play._say_gos_to_end(hands)
        rank = rank_of(piece.card)
        if len(hands) == 2:
            play = play._say_gos(hands)
            held = sorted(map(rank_of, play.left_of(hands[play.turn], play.turn)))
            if rank not in held and not play.over:
                left = format_ranks(held) or "nothing"
                raise RecordError(f"{play.turn} has no {RANKS[rank]} left: {left}")
        else:
            while play.count and not play.over and not play.fits(piece.card):
                if lowest := play._lowest_that_fits(hands):
                    raise RecordError(
                        f"{RANKS[rank]} does not fit a count of {play.count}, and the {lowest} "
                        f"that {play.turn} kept does: expected a go wherever one cannot play"
                    )
                play = play.go()
        return play.play(piece.card)

    def _lowest_that_fits(self, hands: Hands) -> str:
        """Return the lowest rank that the player to move can play; empty if none or unknown."""
        fits = self.legal(self.left_of(hands.get(self.turn, ()), self.turn))
        return RANKS[min(map(rank_of, fits))] if fits else ""

    def _say_go(self, hands: Hands) -> Play:
        """Say go, if both hands are known and no card fits."""
        if len(hands) == 2 and (lowest := self._lowest_that_fits(hands)):
            raise RecordError(
                f"{self.turn} cannot say go at a count of {self.count}: {lowest} fits"
            )
        return self.go()

    def _say_gos_to_end(self, hands: Hands) -> Play:
        """Say the goes that end a count."""
        play = self
        while play.count and not play.over:
            play = play._say_go(hands)
        return play

    def _is_ended_by(self, piece: Piece) -> bool:
        """Return whether a count with points gives the last card the point for a go."""
        step = self.steps[-1] if self.steps else None
        may_end = self.count > _ANY_FITS and not self.over
        if step is None or step.card is None or not may_end:
            return False
        return piece.note == (self.count, 1 + sum(peg.points for peg in step.pegs))

    def _say_gos(self, hands: Hands) -> Play:
        return self.go_while_stuck({role: self.left_of(hands[role], role) for role in ROLES})

    def _check_gos(self) -> None:
        """Refuse a go if a card fits that the same player plays later."""
        for index, go in enumerate(self.steps):
            checked = go.card is None and not go.silent and not go.renege
            for later in self.steps[index:] if checked else ():
                rank = later.rank if later.role == go.role else None
                if rank is not None and go.count + PIP_VALUES[rank] <= LIMIT:
                    raise RecordError(
                        f"{go.role} cannot say go at a count of {go.count}: the {RANKS[rank]} "
                        f"played later fits (write {RANKS[rank]}{RENEGE} if nobody noticed)"
                    )

    def _check_ranks(self, hands: Hands, elsewhere: Mapping[int, str]) -> None:
        """Check the cards and the goes of players against the ranks they kept."""
        for role, held in hands.items():
            left = Counter(map(rank_of, held))
            if extra := Counter(map(rank_of, self.played_by(role))) - left:
                plays, kept = (format_ranks(sorted(ranks.elements())) for ranks in (extra, left))
                raise RecordError(
                    f"{role} plays {plays}, and kept {kept}: expected a go wherever one cannot play"
                )
            for step in self.steps:
                if step.role != role or step.silent or step.renege:
                    continue
                if step.rank is not None:
                    left[step.rank] -= 1
                elif fits := [rank for rank in +left if step.count + PIP_VALUES[rank] <= LIMIT]:
                    raise RecordError(
                        f"{role} cannot say go at a count of {step.count}: {RANKS[min(fits)]} fits"
                    )
            known = [*held, *self.played_by(opposite_role(role)), *elsewhere]
            check_deck(map(rank_of, known), _OF_THE_DEAL)

    def _check_suits(self, hands: Hands, elsewhere: Mapping[int, str]) -> None:
        """Check cards written with suits against where each card is."""
        left = {role: list(cards) for role, cards in hands.items()}
        for role, card in ((step.role, step.card) for step in self.steps if hands):
            if card is None or card >= SUITLESS_OFFSET:
                continue
            name, across = format_card(card), opposite_role(role)
            if card in elsewhere:
                raise RecordError(f"{name} is played, and {elsewhere[card]}")
            if role in hands and not take_card(left[role], card):
                kept = " ".join(map(format_card, hands[role]))
                raise RecordError(f"{role} plays {name}, and kept {kept}")
            if card in hands.get(across, ()):
                raise RecordError(f"{role} plays {name}, which {across} kept")


PlayedLike: TypeAlias = str | Play | Iterable[int | str | None]
"""Cards in the order played: text, a play, or texts or ranks 0..12 with None for a go."""


def peg(
    played: RanksLike, *, pone: RanksLike | None = None, dealer: RanksLike | None = None
) -> Play:
    """Return who pegs how much, and for what, as cards are played.

    Pone leads, and the two play in turn. If the next card would pass 31, or after a ``/``, both
    have said go and the count starts again at 0. ``go`` means that a player cannot play and the
    other continues. If you give the hands, you can leave out goes.

    Parameters
    ----------
    played
        Cards in the order played, as text or ranks 0..12. You may write suits; they do not score. A
        card may be followed by its count and points, ``15-2`` or ``(15-2)``, which are checked.
    pone, dealer
        The cards that each player kept, as text or ranks 0..12: both or neither.

    Returns
    -------
    A `Play`.

    Raises
    ------
    CardError
        If a piece of text is not part of a play.
    RecordError
        If a card cannot be played or is played twice, a go cannot be said, or a count or its points
        are wrong.

    Examples
    --------
    >>> play = peg("2 5 5 (12-2) 7 6 (25-3) 6 (31-4)")
    >>> play.points
    {'dealer': 4, 'pone': 5}
    >>> print(play.listing)
    pone    2  2
    dealer  5  7
    pone    5  12  pair 2
    dealer  7  19
    pone    6  25  run 3
    dealer  6  31  thirty-one 2, pair 2
    dealer 4, pone 5
    the play is not over: 6 of 8 cards are played
    The 6 is taken as played by dealer; if dealer said go before it, write '2 5 5 7 6 go 6'.
    """
    if (pone is None) != (dealer is None):
        raise RecordError("one hand alone is given: expected both or neither")
    hands: dict[Role, list[int]] = {}
    if pone is not None and dealer is not None:
        ranks: dict[Role, list[int]] = {"pone": parse_ranks(pone), "dealer": parse_ranks(dealer)}
        for role, held in ranks.items():
            if len(held) > CARDS_KEPT:
                raise RecordError(f"{role} has {len(held)} cards: expected four, or those left")
        check_deck([*ranks["pone"], *ranks["dealer"]])
        hands = {role: [rank + SUITLESS_OFFSET for rank in held] for role, held in ranks.items()}
    return Play.parse(played, hands)


@contextmanager
def _naming(piece: Piece) -> Iterator[None]:
    """Begin errors with the piece they are about, and its place."""
    try:
        yield
    except RecordError as error:
        place = f"{quote(piece.text)}, character {piece.at}: " if piece.at else ""
        raise RecordError(f"{place}{error}") from None


def _add_other_hand(known: dict[Role, list[int]], played: Sequence[int]) -> None:
    """Add the other hand by a complete play: the cards that the known hand did not play."""
    ((role, own),) = known.items()
    ranks, held = Counter(map(rank_of, played)), Counter(map(rank_of, own))
    if missing := held - ranks:
        raise RecordError(f"{format_ranks(sorted(missing.elements()))} was kept, and is not played")
    known[opposite_role(role)] = [rank + SUITLESS_OFFSET for rank in (ranks - held).elements()]


def _check_note(piece: Piece, index: int, steps: Sequence[Step]) -> None:
    """Check a count, and its points if given, against the last card up to step `index`."""
    while index >= 0 and steps[index].silent:  # nobody says it, so the card before it is meant
        index -= 1
    earlier = steps[index::-1] if index >= 0 else ()
    last_step = next((step for step in earlier if step.card is not None), None)
    if last_step is None or last_step.rank is None or piece.note is None:
        raise RecordError("there is no card before it")
    count, points = piece.note
    if count != last_step.count:
        raise RecordError(f"the count is {last_step.count} with the {RANKS[last_step.rank]}")
    pegged = sum(peg.points for peg in last_step.pegs)
    # The point for the last card, or for a go that follows, may be written with the card or not.
    after = [step for step in steps[index + 1 :] if step.card is not None or step.pegs]
    last = any(peg.kind == "last" for peg in last_step.pegs)
    may_end = _ANY_FITS < count < LIMIT
    go = not last and (not after or after[0].card is None) and may_end
    if points is not None and points not in (pegged - last, pegged, pegged + go):
        raise RecordError(f"{last_step.role} pegs {pegged} for the {RANKS[last_step.rank]}")
