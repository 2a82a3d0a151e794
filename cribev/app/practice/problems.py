"""Problems: six cards to discard from, or a position of the play.

A seed deals the same to everybody, hidden cards included. Two players who answer the problems of a
seed have the same luck up to their choices, so their losses can be compared. Positions of the play
arise between two experts, where the cards that fit are worth different amounts.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from secrets import randbelow
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cribev.advice.cards import PlayAdvice, advise_card
from cribev.advice.levels import choice_chances
from cribev.advice.names import as_opponent
from cribev.advice.question import Question
from cribev.advice.verdicts import CARD_BANDS, DEFAULT_BANDS
from cribev.batch.evaluate import best_discards
from cribev.classes.canonical import Floats
from cribev.classes.ranking import NEAR_TIE, TIE_TOLERANCE, net_points
from cribev.errors import CardError, CribevError, quote, unknown
from cribev.evaluation.plan import DealBatch, class_table_values, plan_evaluation
from cribev.game import cards
from cribev.game.deal import Deal, Held, Position
from cribev.game.index_tables import DISCARDS
from cribev.game.play import Play
from cribev.game.roles import ROLES, Role, opposite_role, role_of
from cribev.game.score import MAX_SCORE_BEFORE, NEAR_END, Score
from cribev.leaks.groups import Group, cards_in, discards_in, is_of_cards
from cribev.opponents.opponents import Opponent
from cribev.solution.solution import shipped_strategy

SEED_LIMIT = 10**6  # seeds that are drawn are below this, short enough to tell a friend

CARD_KINDS = {
    "lead": "the lead",
    "answer": "the answer to the lead",
    "third": "the third card",
    "fourth": "the fourth card",
    "ending": "the ending",
}
"""What card of the play it is, and how to say it; an ending is any card from the fifth on."""

_OF_ROLE: dict[str, Role] = {"lead": "pone", "answer": "dealer"}
_DEALT = 6
_CLOSE = 10  # points apart, at most
_HARD = 0.5  # points that the best of a hard discard is ahead, at most
_CARDS_DRAWN = 13  # six cards each, and the starter
_CARDS_LAID = 8
_MANTISSA = 53
# How many deals are drawn at a time is part of what a seed means.
_DISCARDS_BLOCK, _CARDS_BLOCK = 256, 64


@dataclass(frozen=True)
class Problem:
    """A deal between two experts with its hidden cards, and a role; at a score wins decide."""

    deal: Deal
    role: Role
    seed: int | None = None

    @classmethod
    def of(
        cls, role: Role, own: Held, opponent: Held, deal: Deal, seed: int | None = None
    ) -> "Problem":
        """Combine the cards of both players with the rest of a deal."""
        pone, dealer = (own, opponent) if role == "pone" else (opponent, own)
        return cls(replace(deal, pone=pone, dealer=dealer), role, seed)

    @cached_property
    def position(self) -> Position:
        """What the player knows; `CribevError` if it is not a position."""
        if self.is_discard:
            return Position(self.role, self.held, score=self.deal.score)
        return self.deal.seen_by(self.role)

    @property
    def question(self) -> Question:
        """The question that is asked."""
        return Question(self.position)

    @property
    def held(self) -> Held:
        """The player's cards."""
        return self.deal.held(self.role)

    @property
    def opponent_held(self) -> Held:
        """The opponent's cards."""
        return self.deal.held(opposite_role(self.role))

    @property
    def is_discard(self) -> bool:
        """Whether it asks for a discard, rather than a card to play."""
        return len(self.held.kept) == _DEALT

    @property
    def thing(self) -> str:
        """What the answer is about, ``hand`` or ``card``."""
        return "hand" if self.is_discard else "card"

    @property
    def number(self) -> int:
        """The number of the problem, from 1."""
        return self.deal.number

    @property
    def starter(self) -> int:
        """The card cut, which is hidden before the discard."""
        assert self.deal.starter is not None
        return self.deal.starter

    @property
    def kind(self) -> str:
        """Which card of the play is asked for, one of `CARD_KINDS`."""
        return list(CARD_KINDS)[min(len(self.deal.play.laid), len(CARD_KINDS) - 1)]

    @property
    def score_text(self) -> str:
        """The score, the player's points first; empty if points decide."""
        return "" if self.deal.score is None else self.deal.score.text(self.role)

    def card_advice(self) -> PlayAdvice:
        """Value the cards that can be laid."""
        return card_advice(self.position)

    def parse(self, text: str) -> tuple[int, ...]:
        """Read an answer: two cards by name or position, or one, also by rank."""
        if self.is_discard:
            return _parse_discard(text, self.held.kept)
        return (_parse_card(text, self.position),)


def new_seed() -> int:
    """Draw a seed."""
    return randbelow(SEED_LIMIT)


def discards_of(
    seed: int,
    *,
    role: Role | None = None,
    hard: bool = False,
    score: tuple[int, int] | Literal["close"] | None = None,
    leak: str = "",
) -> Iterator[Problem]:
    """Deal the hands of a seed to discard from, one after another without end.

    They are the same on every machine and with every numpy; the opponent's discards, and which
    hands are hard, depend on the solved game that comes with the package. Without a ``role`` the
    deal alternates, and the player deals first. With a score, the player's points first, chances to
    win decide; ``"close"`` draws one for each hand: 91 points or more for the player, and for the
    opponent at most 10 more or fewer. With a ``leak``, a name in `cribev.leaks.groups.GROUPS`, a
    discard of that kind is a close choice. `CribevError` if the score is so far from the end that
    points decide.
    """
    _check_seed(seed)
    if isinstance(score, tuple) and not Score(*score).is_near(NEAR_END):
        raise CribevError(
            f"{score[0]}-{score[1]} is far from the end, and points decide: expected a score at "
            f"which a player needs {NEAR_END} points or fewer"
        )
    problems = _numbered_discards(seed, _drawn_discards(seed, role, hard, leak), role)
    return problems if score is None else (_at_score(one, seed, score) for one in problems)


def is_hard(deals: cards.Cards, dealer: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which deals ``(N, 6)`` are hard: close, and misleading; a tenth of all deals.

    The best discard is ahead of the second by at most half a point points but by more than a
    near-tie; and the discard with the best hand, or the best hand and crib, loses an inaccuracy
    or more. ``dealer`` says whether the crib is the player's, ``(N,)``.
    """
    values = class_table_values(DealBatch.of(deals, dealer), _expert())
    margin = values.best.margin
    best = values.expected.max(axis=1)
    misled = np.zeros(len(deals), dtype=bool)
    for estimate in (values.hand, net_points(values.hand, values.crib, dealer)):
        tempting = estimate + TIE_TOLERANCE >= estimate.max(axis=1, keepdims=True)
        found = np.where(tempting, values.expected, -np.inf).max(axis=1)
        misled |= best - found >= DEFAULT_BANDS.inaccuracy
    return misled & (margin > NEAR_TIE) & (margin <= _HARD)


def is_of_kind(leak: str, deals: cards.Cards, dealer: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell in which deals ``(N, 6)`` a discard of a group loses no blunder, and another neither."""
    values = class_table_values(DealBatch.of(deals, dealer), _expert())
    inside = discards_in(leak, deals, dealer, values, np.zeros(len(deals), dtype=bool))
    best = values.expected.max(axis=1, keepdims=True)
    near = values.expected > best - DEFAULT_BANDS.blunder
    chosen = inside.all(axis=1) | (~inside & near).any(axis=1)
    found: NDArray[np.bool_] = chosen & (inside & near).any(axis=1)
    return found


def stored_in(leak: str, decisions: Sequence[tuple[Position, tuple[int, ...]]]) -> list[bool]:
    """Return which decisions are of a group, by position and what was chosen."""
    if not decisions:
        return []
    positions = [position for position, _ in decisions]
    if is_of_cards(leak):
        places = [cards.rank_of(chosen[0]) for _, chosen in decisions]
        within = cards_in(leak, positions)
    else:
        deals = np.array([one.held.kept for one in positions], dtype=np.uint8)
        dealer = np.array([one.role == "dealer" for one in positions])
        values = class_table_values(DealBatch.of(deals, dealer), _expert())
        thrown = np.sort(np.array([chosen for _, chosen in decisions], dtype=np.uint8), axis=1)
        places = (deals[:, DISCARDS] == thrown[:, None]).all(axis=2).argmax(axis=1).tolist()
        to_win = np.array([one.score is not None for one in positions])
        within = discards_in(leak, deals, dealer, values, to_win)
    return [bool(row[place]) for row, place in zip(within, places, strict=True)]


def cards_of(
    seed: int,
    *,
    kinds: Sequence[str] = (),
    role: Role | None = None,
    hard: bool = False,
    leak: str = "",
) -> Iterator[Problem]:
    """Deal positions of a seed to lay a card in, one after another, at most one of each deal.

    They are the same everywhere as long as the solved game is. In each at least one card that fits
    loses an inaccuracy or more; in a hard one, the card that makes most points at once does. With a
    ``leak``, as in `discards_of`, such a card is one of those that fit.
    """
    _check_seed(seed)
    return _numbered_cards(seed, check_kinds(kinds, role), role, hard, leak)


def check_kinds(kinds: Sequence[str], role: Role | None = None) -> frozenset[str]:
    """Check kinds of cards; all if none is named. `CribevError` if a role has none of a kind."""
    for kind in kinds:
        if kind not in CARD_KINDS:
            raise CribevError(unknown("kind of card", kind, CARD_KINDS))
    found = frozenset(kinds or CARD_KINDS)
    if role and all(_OF_ROLE.get(kind, role) != role for kind in found):
        never = "the dealer never leads" if role == "dealer" else "pone never answers the lead"
        raise CribevError(f"{never}: expected another kind of card, or no role")
    return found


def check_role(group: Group, role: Role | None) -> Role | None:
    """Return the role whose decisions a group has; `CribevError` if it has none.

    >>> from cribev.leaks.groups import GROUPS
    >>> check_role(GROUPS["lead-five"], "dealer")
    Traceback (most recent call last):
    cribev.errors.CribevError: fives led are pone's: expected another leak, or no role
    """
    if group.role and role and group.role != role:
        raise CribevError(f"{group.words} are {group.role}'s: expected another leak, or no role")
    return group.role or role


@lru_cache(1024)
def card_advice(position: Position) -> PlayAdvice:
    """Value the cards that can be laid."""
    return advise_card(Question(position))


def _check_seed(seed: object) -> None:
    if type(seed) is not int or seed < 0:
        raise CribevError(f"invalid seed {quote(repr(seed))}: expected a whole number from 0 up")


def _expert() -> Opponent:
    return as_opponent("expert")


def _at_score(problem: Problem, seed: int, score: tuple[int, int] | Literal["close"]) -> Problem:
    if score == "close":
        entropy = [seed, problem.number, _CLOSE]
        raw = np.random.SeedSequence(entropy).generate_state(2, np.uint64).tolist()
        one = MAX_SCORE_BEFORE - raw[0] % (NEAR_END - 1)
        score = one, min(one + raw[1] % (2 * _CLOSE + 1) - _CLOSE, MAX_SCORE_BEFORE)
    at = Score.of(*score, problem.role)
    return replace(problem, deal=replace(problem.deal, score=at))


def _drawn_discards(
    seed: int, role: Role | None, hard: bool, leak: str
) -> Iterator[tuple[bool, cards.Cards, cards.Cards]]:
    """Deal block by block: whether the player deals, the cards drawn, the opponent's discard."""
    block = 0
    while True:
        (drawn_by,) = np.random.SeedSequence([seed, block]).generate_state(1, np.uint64)
        drawn = cards.random_hands(_DISCARDS_BLOCK, cards=_CARDS_DRAWN, seed=int(drawn_by))
        turns = np.arange(_DISCARDS_BLOCK) % 2 == 0
        dealer = turns if role is None else np.full(_DISCARDS_BLOCK, role == ROLES[0])
        for tells in [is_hard] * hard + ([partial(is_of_kind, leak)] if leak else []):
            wanted = tells(np.sort(drawn[:, :6], axis=1), dealer)
            drawn, dealer = drawn[wanted], dealer[wanted]
        others = DealBatch.of(drawn[:, 6:12], ~dealer)
        discards = best_discards(plan_evaluation(others, _expert())).best_discard
        yield from zip(dealer.tolist(), drawn, discards, strict=True)
        block += 1


def _numbered_discards(
    seed: int, drawn: Iterator[tuple[bool, cards.Cards, cards.Cards]], role: Role | None
) -> Iterator[Problem]:
    waiting: dict[bool, deque[tuple[cards.Cards, cards.Cards]]] = {True: deque(), False: deque()}
    dealer, number = role != ROLES[1], 1
    for own, dealt, discard in drawn:
        waiting[own].append((dealt, discard))
        while waiting[dealer]:
            dealt, theirs = waiting[dealer].popleft()
            opponent = Held.of(dealt[6:12]).of_deal(theirs.tolist())
            deal = Deal(starter=int(dealt[12]), number=number)
            yield Problem.of(role_of(dealer), Held.of(dealt[:6]), opponent, deal, seed)
            number += 1
            dealer = dealer if role else not dealer


def _numbered_cards(
    seed: int, kinds: frozenset[str], role: Role | None, hard: bool, leak: str
) -> Iterator[Problem]:
    number = 1
    for problems in _drawn_cards(seed):
        for one in problems:
            if one.kind not in kinds or role not in (None, one.role):
                continue
            if leak and not cards_in(leak, [one.position])[0].any():
                continue
            options = card_advice(one.position).options
            if options.losses.max() < CARD_BANDS.inaccuracy:
                continue
            # In a hard one the card that makes most points at once is an error.
            lost = choice_chances("greedy", options) @ options.losses if hard else np.inf
            if lost >= CARD_BANDS.inaccuracy:
                yield replace(one, deal=replace(one.deal, number=number), seed=seed)
                number += 1
                break


def _drawn_cards(seed: int) -> Iterator[list[Problem]]:
    """Deal and play block by block: the problems of each deal, in a drawn order."""
    for deals, state in _experts_deals(seed):
        # Raw output is fixed for ever; see `random_hands`.
        raw = np.random.PCG64(state).random_raw((_CARDS_BLOCK, 2 * _CARDS_LAID))
        chances = (raw >> np.uint64(64 - _MANTISSA)) / 2.0**_MANTISSA
        for deal, chance in zip(deals, chances, strict=True):
            problems = list(_played(deal, chance[:_CARDS_LAID]))
            order = chance[_CARDS_LAID:].argsort(kind="stable").tolist()
            yield [problems[place] for place in order if place < len(problems)]


def _experts_deals(seed: int) -> Iterator[tuple[list[Deal], int]]:
    """Deal block by block, with a seed for the play of each."""
    block = 0
    while True:
        states = np.random.SeedSequence([seed, block]).generate_state(2, np.uint64)
        drawn = cards.random_hands(_CARDS_BLOCK, cards=_CARDS_DRAWN, seed=int(states[0]))
        held: dict[Role, list[Held]] = {}
        for role, six in zip(ROLES, (drawn[:, :6], drawn[:, 6:12]), strict=True):
            deals = DealBatch.of(six, np.full(_CARDS_BLOCK, role == ROLES[0]))
            best = best_discards(plan_evaluation(deals, _expert()))
            held[role] = list(map(Held.of, best.best_keep, best.best_discard))
        starters = drawn[:, -1].tolist()
        yield [*map(Deal, held["pone"], held["dealer"], starters)], int(states[1])
        block += 1


def _played(deal: Deal, chances: Floats) -> Iterator[Problem]:
    """Play a deal as experts do, from eight random numbers; list where two or more ranks fit."""
    strategy, play = shipped_strategy(), Play()
    while not play.over:
        now = replace(deal, play=play)
        play = play.go_while_stuck({role: now.left(role) for role in ROLES})
        now = replace(deal, play=play)
        left = now.left(play.turn)
        if len({card >> 2 for card in play.legal(left)}) > 1:
            yield Problem(now, play.turn)
        share = strategy.choices(strategy.node(play.history), [card >> 2 for card in left])
        chance = chances[len(play.laid)] * share.sum()
        rank = int(np.searchsorted(share.cumsum(), chance, side="right"))
        play = play.lay(next(card for card in left if card >> 2 == rank))


def _parse_discard(text: str, six: tuple[int, ...]) -> tuple[int, ...]:
    wrong = CardError(
        f"{quote(text)}: expected two of {cards.format_cards(six)}, or their places, as 1 2"
    )
    places = "".join(text.replace(",", " ").split())
    if len(places) == 2 and {*places} <= {*"123456"}:
        chosen = [six[int(place) - 1] for place in places]
    else:
        try:
            chosen = list(cards.cards_meant(text, six))
        except CardError:
            raise wrong from None
    if len(chosen) != 2 or len({*chosen} & {*six}) != 2:
        raise wrong
    return tuple(sorted(chosen))


def _parse_card(text: str, position: Position) -> int:
    left = position.left
    wrong = f"{quote(text)}: expected one of {cards.format_cards(left)}, or its number, as 1"
    given = text.strip()
    found: dict[str, int] = {}
    if given.isascii() and given.isdigit() and len(given) == 1 and 0 < int(given) <= len(left):
        found["place"] = left[int(given) - 1]
    rank = cards.parse_rank(given)
    if rank is not None and (same := [card for card in left if card >> 2 == rank]):
        found["rank"] = same[0]
    if len({card >> 2 for card in found.values()}) > 1:
        one, other = (cards.format_cards([found[name]]) for name in ("rank", "place"))
        raise CardError(
            f"{quote(text)} can be the {one} or your card number {given}, the {other}: "
            f"write {one} or {other}"
        )
    if not found:
        try:
            (card,) = cards.parse_card_text(given, count=1).tolist()
        except CardError:
            raise CardError(wrong) from None
        if card not in left:
            raise CardError(wrong)
        found["card"] = card
    card = next(iter(found.values()))
    if not position.play.fits(card):
        count = position.play.count
        raise CardError(
            f"{quote(text)}: the {cards.RANKS[card >> 2]} does not fit a count of {count}"
        )
    return card
