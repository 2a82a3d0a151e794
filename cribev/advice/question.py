"""The question you ask: a position, your opponent, and what the game is played for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypedDict, Unpack, cast
from urllib.parse import parse_qsl, urlencode

from cribev.advice.names import OpponentLike, as_opponent
from cribev.errors import CardError, CribevError, quote, unknown
from cribev.game.cards import CardsLike, read_hand, require_count
from cribev.game.deal import Held, Position
from cribev.game.outcomes import Chance, Outcomes
from cribev.game.play import CARDS_KEPT, PlayedLike
from cribev.game.roles import ROLES, as_role
from cribev.game.score import Score, ScoreLike
from cribev.game.stakes import WIN_STAKES, Stakes, StakesLike
from cribev.game.words import as_flag, printable
from cribev.opponents.opponents import Opponent

_DEALT = 6


class Given(TypedDict, total=False):
    """The options of a question besides its cards; None or empty means not given."""

    role: str | None
    played: PlayedLike | None
    discard: CardsLike | None
    starter: CardsLike | int | None
    score: ScoreLike | None
    opponent: OpponentLike | None
    stakes: StakesLike | None
    play: bool


@dataclass(frozen=True)
class Question:
    """Which two cards to discard, or which card to play: all that an answer depends on.

    Parameters
    ----------
    position
        What you know: six cards, or the four you kept and the play so far.
    opponent
        Your opponent. Its `counts_play` tells whether the play counts.
    stakes
        What the game is played for; anything but a win needs a score.

    Raises
    ------
    CardError
        If there are not six or four cards.
    RecordError
        If it is not your turn to play a card.
    CribevError
        If there are stakes without a score, or a score without the play.

    Examples
    --------
    >>> question = Question.read("5H 5D JS QC 2H 8D", role="dealer", score="95-110", stakes="acc")
    >>> str(question)
    'dealer:2H5D5H8DJSQC@95-110?stakes=acc'
    >>> Question.read(str(question)) == question
    True
    >>> Question.read("5H 5D JS QC 2H 8D", role="dealer", stakes="acc")
    Traceback (most recent call last):
    cribev.errors.CribevError: stakes 'acc' need a score: without one nobody is skunked
    """

    position: Position
    opponent: Opponent = field(default_factory=lambda: as_opponent("expert"))
    stakes: Stakes = WIN_STAKES

    def __post_init__(self) -> None:
        for name, kind in (("position", Position), ("opponent", Opponent), ("stakes", Stakes)):
            if not isinstance(value := getattr(self, name), kind):
                raise CribevError(f"{quote(repr(value))}: expected the {name} of a question")
        position = self.position
        if self.is_discard:
            require_count(len(position.held.kept), _DEALT, str(position))
        else:
            position.require_turn()
        check_asked(self.opponent, self.stakes, scored=position.score is not None)
        if self.is_discard:
            return
        if not self.play:
            raise CribevError("a card to play is asked for: the play cannot be left out")

    @classmethod
    def read(cls, cards: CardsLike | Position, **options: Unpack[Given]) -> Question:
        """Return the question about some cards, and what else is given by name.

        Parameters
        ----------
        cards
            Six cards, or the four you kept, as text or card numbers; any may lack its suit. Or a
            `Position`, or its text, which gives role, discard, starter, play and score; or the text
            of a question, which gives everything.
        given
            ``role``: ``"dealer"`` or ``"pone"``; a star in the score also gives it. ``played``: the
            cards in the order played, pone's first. ``discard`` and ``starter``: the cards you
            discarded and the card cut. ``score``: your points before the deal and your opponent's,
            ``"95-110"`` or ``(95, 110)``. ``opponent``: a name, a file or an `Opponent`.
            ``stakes``: a name. ``play``: whether the play counts, True by default. None and empty
            texts mean not given.

        Raises
        ------
        CribevError
            If a part cannot be read, is given twice, or does not fit the others.

        Examples
        --------
        >>> Question.read("4H 5C JD JS", role="pone", played="J 5", opponent="people").position
        Position.parse('pone:4H5CJDJS:-:J5')
        >>> Question.read("dealer:5H5DJSQC2H8D", role="pone")
        Traceback (most recent call last):
        cribev.errors.CribevError: 'dealer:5H5DJSQC2H8D' is a position, and says the role: leave it
        out
        """
        return _read(cards, options, None)

    @property
    def is_discard(self) -> bool:
        """Whether to discard two cards, or else to play one."""
        return self.position.to_do == "discard"

    @property
    def must_go(self) -> bool:
        """Whether it is your turn and no card fits, so that the only answer is go."""
        return self.position.to_do == "card" and not self.position.legal

    @property
    def play(self) -> bool:
        """Whether the play counts, or only hand and crib."""
        return self.opponent.counts_play

    @property
    def is_against_expert(self) -> bool:
        """Whether the opponent is the expert who plays the solved game."""
        return self.opponent == as_opponent("expert")

    def columns(self, outcomes: Outcomes[Chance] | None) -> dict[str, Chance]:
        """Name how the game may end, and what that is worth, as tables do; nothing if None."""
        return self.stakes.columns(outcomes)

    @property
    def against_text(self) -> str:
        """Your opponent, and who plays the cards if that is another."""
        across = self.opponent
        name = printable(across.name)
        alike = across.cards is None or across.is_replied_to or across.is_expert
        return f"opponent: {name}" + ("" if alike else f", play: {printable(across.play.name)}")

    @property
    def texts(self) -> dict[str, str]:
        """The question as texts by name, as an address has them; ``read`` takes them back."""
        opponent = self.opponent.text
        return {
            "position": str(self.position),
            **({} if opponent == "expert" else {"opponent": opponent}),
            **({} if self.stakes == WIN_STAKES else {"stakes": self.stakes.name}),
            **({} if self.play else {"show_only": "1"}),
        }

    def __str__(self) -> str:
        (_, position), *more = self.texts.items()
        return f"{position}?{urlencode(more, safe=',')}" if more else position


def read_discard(cards: CardsLike | Position, **options: Unpack[Given]) -> Question:
    """Return the question of which two of six cards to discard; `CardError` unless six."""
    return _read(cards, options, _DEALT)


def read_discards(cards: CardsLike | Position, **options: Unpack[Given]) -> list[Question]:
    """Return the question of which two of six cards to discard; for both roles if none is given."""
    if is_position(cards) or Score.role_by_star(options.get("score"), options.get("role") or None):
        return [read_discard(cards, **options)]
    by_role: list[Given] = [{**options, "role": role} for role in ROLES]
    return [read_discard(cards, **asked) for asked in by_role]


def read_card(cards: CardsLike | Position, **options: Unpack[Given]) -> Question:
    """Return the question of which card to play; `CardError` unless four are kept."""
    return _read(cards, options, CARDS_KEPT)


def is_position(cards: object) -> bool:
    """Return whether a position or its text is given, rather than cards."""
    return isinstance(cards, Position) or (isinstance(cards, str) and ":" in cards)


def check_asked(opponent: Opponent, stakes: Stakes, *, scored: bool) -> None:
    """Refuse options of one question, or of many, that do not fit together."""
    if scored and not opponent.counts_play:
        raise CribevError("a score takes the play into account: leave out one of the two")
    if stakes != WIN_STAKES and not scored:
        text = quote(stakes.name)
        raise CribevError(f"stakes {text} need a score: without one nobody is skunked")


def _read(cards: CardsLike | Position, options: Given, count: int | None) -> Question:
    """Read a question about a number of cards; six, or four in the play, if None."""
    options = without_empty(options)
    if isinstance(cards, str) and is_position(cards):
        cards, _, texts = cards.partition("?")
        options = without_empty(_with_texts(options, texts))
    position = read_position(cards, options, count)
    opponent, play = options.get("opponent"), options.get("play", True)
    if opponent is None:
        opponent = "expert"
    return Question(position, as_opponent(opponent, play=play), Stakes.read(options.get("stakes")))


_PARTS = "opponent", "stakes", "show_only"


def _with_texts(options: Given, texts: str) -> Given:
    """Add what the text of a question has after its position; refuse what is given twice."""
    added, pairs = options.copy(), parse_qsl(texts, keep_blank_values=True)
    for name, text in dict(pairs).items():
        if name not in _PARTS:
            raise CribevError(unknown("part of a question", name, _PARTS))
        if options.get("play") is False if name == "show_only" else name in options:
            raise CribevError(f"{quote(texts)} says the {name}: leave it out")
        if sum(name_of_pair == name for name_of_pair, _ in pairs) > 1:
            raise CribevError(f"{quote(texts)} says the {name} twice")
        if name == "opponent":
            added["opponent"] = text
        elif name == "stakes":
            added["stakes"] = text
        else:
            added["play"] = not as_flag(text, name)
    return added


def read_position(cards: CardsLike | Position, options: Given, count: int | None) -> Position:
    """Return what the player knows, from a position or its text, or from cards and options.

    There must be `count` cards; six, or four in the play, if None.
    """
    role, score = options.get("role"), options.get("score")
    played, discard, starter = options.get("played"), options.get("discard"), options.get("starter")
    in_play = {"played": played, "discard": discard, "starter": starter}
    known: dict[str, object] = {"role": role, **in_play, "score": score}
    known = {name: value for name, value in known.items() if value is not None}
    if isinstance(cards, Position) or (isinstance(cards, str) and is_position(cards)):
        position = cards if isinstance(cards, Position) else Position.parse(cards)
        if position.score is None and "score" in known:
            position = replace(position, score=Score.read(known.pop("score"), position.role))
        text = quote(str(cards), most=90)
        for name in known:
            what = "play" if name == "played" else name
            raise CribevError(f"{text} is a position, and says the {what}: leave it out")
        if count == CARDS_KEPT:
            position.require_turn()
        elif count is not None and position.to_do != "discard":
            raise CardError(f"{text}: two cards are discarded already: expected six cards")
        return position
    if (
        known.keys() & in_play.keys()
        or (count or len(read_hand(cards, None, ten_cards=True))) == CARDS_KEPT
    ):
        return Position.read(
            cards,
            role=role,
            played=() if played is None else played,
            discard=discard,
            starter=starter,
            score=score,
        )
    whose = as_role(Score.role_by_star(score, role))
    held = Held(read_hand(cards, count or _DEALT, ten_cards=True))
    return Position(whose, held, score=None if score is None else Score.read(score, whose))


def without_empty(options: Given) -> Given:
    """Return what is given of a question; refuse what is no part of one."""
    for name in options.keys() - Given.__annotations__.keys():
        raise CribevError(unknown("part of a question", name, Given.__annotations__))
    return cast("Given", {name: value for name, value in options.items() if not _is_empty(value)})


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | tuple | list) and not value)
