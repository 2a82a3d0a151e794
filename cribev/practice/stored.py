"""What is saved of a throw and of a card laid, and whether what is read back can be right."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from cribev import __version__
from cribev.choice import CARD_BANDS, DEFAULT_BANDS, TIE_TOLERANCE, VERDICTS, WIN_BANDS
from cribev.errors import CribevError
from cribev.game.cards import DECK_SIZE, RANKS, format_cards
from cribev.game.integers import parse_integer
from cribev.game.roles import ROLES, Role
from cribev.game.score import WINNING_SCORE, as_score, is_score
from cribev.practice.hands import Hand
from cribev.practice.lays import Lay, lay_table
from cribev.practice.spots import Spot
from cribev.solution.solution import load

DEALT, HARD, SCORED, AGAIN, GAME = "dealt", "hard", "scored", "again", "game"
"""What kind of decision it was: of any hand or spot, of a hard one, of a hand at a score, of one
that came back, or of a game that was played."""

SESSION_NAME = re.compile(r"[0-9a-f]{1,32}")
"""What `new_session_name` draws is like."""

_CHANCES = ("win", "best_win", "win_discard", "win_loss")
_CARDS = {card: number for number, card in enumerate(format_cards(range(DECK_SIZE)).split())}


class StoredThrow(NamedTuple):
    """A throw as a row of the store; points are as in `cribev.reviews.review.Review`."""

    session: str
    """A name that the throws of one session share."""
    at: str
    """When, in UTC."""
    kind: str
    """`DEALT`, `HARD`, `SCORED`, `AGAIN` or `GAME`."""
    role: Role
    cards: str
    opponent_cards: str
    opponent_discard: str
    starter: str
    seed: str | None
    number: int | None
    discard: str
    best_discard: str
    expected: float
    best_expected: float
    ev_loss: float
    rank: int
    margin: float
    deal_luck: float
    starter_luck: float
    crib_swing: float
    result: float
    solution: str
    """The checksums of the solved game that valued it, the dealer's and pone's."""
    version: str
    """The version of the package."""
    score: str | None = None
    """The score before the deal, if chances to win decide the verdict, and what they are."""
    win: float | None = None
    best_win: float | None = None
    win_discard: str | None = None
    win_loss: float | None = None

    @property
    def hand(self) -> Hand:
        """The hand it was thrown from."""
        return Hand(
            role=self.role,
            cards=tuple(_numbers(self.cards)),
            opponent_cards=tuple(_numbers(self.opponent_cards)),
            opponent_discard=tuple(_numbers(self.opponent_discard)),
            starter=_CARDS[self.starter],
            seed=None if self.seed is None else int(self.seed),
            number=self.number,
            score=None if self.score is None else as_score(self.score),
        )

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes another throw one from the same hand."""
        return self.role, self.cards, self.score


class StoredLay(NamedTuple):
    """A lay as a row of the store; see `cribev.rows.columns.LAY_COLUMNS`."""

    session: str
    """A name that the decisions of one session share."""
    at: str
    """When, in UTC."""
    kind: str
    """`DEALT`, `HARD`, `AGAIN` or `GAME`."""
    role: Role
    hand: str
    discard: str
    starter: str
    laid: str
    opponent_hand: str
    seed: str | None
    number: int | None
    card: str
    best_card: str
    expected: float
    best_expected: float
    ev_loss: float
    rank: int
    win_loss: float | None
    """What it lost in chances to win, if they decide the verdict."""
    solution: str
    """As in `StoredThrow`."""
    version: str
    """The version of the package."""

    @property
    def spot(self) -> Spot:
        """The spot it was laid in."""
        return Spot(
            role=self.role,
            hand=tuple(_numbers(self.hand)),
            discard=tuple(_numbers(self.discard)),
            starter=_CARDS[self.starter],
            laid=tuple(_CARDS.get(card) for card in self.laid.split()),
            opponent_hand=tuple(_numbers(self.opponent_hand)),
            seed=None if self.seed is None else int(self.seed),
            number=self.number,
        )

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes another lay one in the same spot."""
        return self.role, self.hand, self.discard, self.starter, self.laid


Stored: TypeAlias = StoredThrow | StoredLay
"""A decision as a row of the store."""


def stored_verdicts(rows: Sequence[Stored]) -> list[str]:
    """Name throws or lays by what they lost, by chances to win where these decide.

    >>> stored_verdicts([])
    []
    """
    points, wins = (DEFAULT_BANDS, CARD_BANDS), WIN_BANDS
    found = []
    for one in rows:
        lost, tied = one.ev_loss, one.rank == 1
        bands = points[isinstance(one, StoredLay)]
        if one.win_loss is not None:
            lost, tied, bands = one.win_loss, one.win_loss <= TIE_TOLERANCE, wins
        level = sum(lost >= least - TIE_TOLERANCE for least in bands)
        found.append(VERDICTS[0 if tied else level + 1])
    return found


def new_session_name() -> str:
    """Draw a name for a session."""
    return token_hex(8)


def stored_throw(hand: Hand, decision: pd.Series, *, session: str, kind: str) -> StoredThrow:
    """Make the row of a throw; ``decision`` is its row of a review's decisions.

    At a score, `Hand.score`, the decision has chances to win, and they decide the verdict.
    """
    own = ("seed", "number", "score", *(_CHANCES if hand.score is None else ()))
    of_review: dict[str, Any] = {
        name: value.item() if hasattr(value := decision[name], "item") else value
        for name in StoredThrow._fields
        if name in decision and name not in own
    }
    return StoredThrow(
        session=session,
        at=_now(),
        kind=kind,
        opponent_cards=format_cards(hand.opponent_cards),
        seed=None if hand.seed is None else str(hand.seed),
        number=hand.number,
        solution=_solution(),
        version=__version__,
        score=None if hand.score is None else "-".join(map(str, hand.score)),
        **of_review,
    )


def stored_lay(one: Lay, *, session: str, kind: str) -> StoredLay:
    """Make the row of a lay."""
    (row,) = lay_table([one]).to_dict(orient="records")
    of_lay: dict[str, Any] = {name: row[name] for name in StoredLay._fields if name in row}
    return StoredLay(
        session=session,
        at=_now(),
        kind=kind,
        win_loss=one.win_loss,
        solution=_solution(),
        version=__version__,
        **(of_lay | {"seed": row["seed"] or None, "number": one.spot.number}),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _solution() -> str:
    checksums = load(play=True).checksums
    return "".join(f"{checksums[role]:08x}" for role in ROLES)


def is_sound_throw(one: Any) -> bool:
    """Tell whether a row can be right: others may have written anything there."""
    cards, opponent, threw, starter, discard, best = map(
        _numbers,
        (one.cards, one.opponent_cards, one.opponent_discard, one.starter, one.discard,
         one.best_discard),
    )  # fmt: skip
    return (
        (len(cards), len(opponent), len(starter)) == (6, 6, 1)
        and len({*cards, *opponent, *starter}) == 13
        and cards == sorted(cards)
        and all(len(two) == 2 == len({*two}) for two in (threw, discard, best))
        and {*discard, *best} <= {*cards}
        and {*threw} <= {*opponent}
        and _are_points(one)
        and one.ev_loss >= 0 <= one.margin
        and isinstance(one.rank, int)
        and 1 <= one.rank <= 15
        and one.kind in (DEALT, HARD, SCORED, AGAIN, GAME)
        and _is_scored_soundly(one, cards)
        and _is_session_sound(one)
    )


def _is_scored_soundly(one: Any, cards: list[int]) -> bool:
    """Tell whether score and chances to win can be right."""
    chances = one.win, one.best_win, one.win_loss
    if one.score is None:
        return all(part is None for part in (*chances, one.win_discard)) and one.kind != SCORED
    discard = _numbers(one.win_discard)
    return (
        isinstance(one.score, str)
        and is_score(one.score)
        and max(map(int, one.score.split("-"))) < WINNING_SCORE
        and all(isinstance(part, float) and 0 <= part <= 1 for part in chances)
        and len({*discard}) == 2 == len(discard)
        and {*discard} <= {*cards}
    )


def is_sound_lay(one: Any) -> bool:
    """Tell whether a row can be right, and its spot a position of the play."""
    texts = one.hand, one.discard, one.starter, one.opponent_hand, one.card
    hand, discard, starter, opponent, card = map(_numbers, texts)
    if not (
        (len(hand), len(discard), len(starter), len(card)) == (4, 2, 1, 1)
        and len(opponent) == 4
        and len({*hand, *discard, *starter, *opponent}) == 11
        and hand == sorted(hand)
        and isinstance(one.laid, str)
        and {*one.laid.split()} <= {*_CARDS, "go"}
        and isinstance(one.best_card, str)
        and {*one.best_card.split()} <= {*RANKS}
        and _are_points(one)
        and one.ev_loss >= 0
        and (one.win_loss is None or (isinstance(one.win_loss, float) and 0 <= one.win_loss <= 1))
        and isinstance(one.rank, int)
        and 1 <= one.rank <= 4
        and one.kind in (DEALT, HARD, AGAIN, GAME)
        and _is_session_sound(one)
    ):
        return False
    try:
        return card[0] in one.spot.legal and {*one.spot.laid} <= {None, *hand, *opponent}
    except CribevError:
        return False


def _are_points(one: Any) -> bool:
    """Tell whether all that must be points can be."""
    points = [
        value
        for value, kind in zip(one, type(one).__annotations__.values(), strict=True)
        if kind is float
    ]
    return all(isinstance(value, float) and abs(value) <= WINNING_SCORE for value in points)


def _is_session_sound(one: Any) -> bool:
    """Tell whether the role, when it was and where its cards come from can be right."""
    dealt = one.kind not in (AGAIN, GAME)
    return (
        one.role in ROLES
        and (one.number is None or (isinstance(one.number, int) and one.number > 0))
        and (not dealt if one.seed is None else parse_integer(str(one.seed)) is not None)
        and _is_time(one.at)
        and all(isinstance(text, str) for text in (one.session, one.solution, one.version))
        and SESSION_NAME.fullmatch(one.session) is not None
    )


def _numbers(text: object) -> list[int]:
    """Read cards as they are stored; none if they are not cards."""
    cards = text.split(" ") if isinstance(text, str) else []
    return [_CARDS[card] for card in cards] if _CARDS.keys() >= {*cards} else []


def _is_time(at: object) -> bool:
    try:
        then = datetime.fromisoformat(at) if isinstance(at, str) else None
        return then is not None and then.tzinfo is not None and bool(then.astimezone())
    except (ValueError, OverflowError, OSError):
        return False
