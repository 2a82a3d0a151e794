"""Spots: positions of the play to lay a card from, as they arise between two experts.

A seed deals the same spots to everybody. Both players discard what is best and play as the shipped
strategy does, and you take the place of one of them where the cards that fit are worth different
amounts.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cribev.advice.cards import PlayAdvice, play_advice
from cribev.advice.position import PlayPosition, read_position
from cribev.batch.evaluate import best_discards
from cribev.batch.evaluators import DealBatch, plan_evaluation
from cribev.choice import CARD_BANDS
from cribev.classes.canonical import Floats
from cribev.errors import CribevError, quote
from cribev.game.cards import RANKS, Cards, format_cards, random_hands
from cribev.game.play_rules import PlayState
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.opponents.discarders import as_opponent
from cribev.opponents.players import as_play_strategy
from cribev.solution.solution import shipped_strategy

SPOT_KINDS = {
    "lead": "the lead",
    "answer": "the answer to the lead",
    "third": "the third card",
    "fourth": "the fourth card",
    "ending": "the ending",
}
"""What card of the play it is, and how to say it; an ending is any card from the fifth on."""

_OF_ROLE: dict[str, Role] = {"lead": "pone", "answer": "dealer"}
_BLOCK = 64  # deals drawn at a time: part of what a seed means
_CARDS_DRAWN = 13  # six cards each, and the starter
_CARDS_LAID = 8
_MANTISSA = 53


class Spot(NamedTuple):
    """A position of the play to lay a card from; cards as numbers."""

    role: Role
    hand: tuple[int, ...]
    """The four cards kept, laid or not, ascending."""
    discard: tuple[int, ...]
    starter: int
    laid: tuple[int | None, ...]
    """The cards as they fell, both players', and None for a go."""
    opponent_hand: tuple[int, ...]
    """The four cards the opponent kept."""
    seed: int | None = None
    number: int | None = None
    """Its number among the spots of the seed, from 1; or the number of the deal in a game."""

    @property
    def left(self) -> tuple[int, ...]:
        """The cards of the hand that are not laid, ascending."""
        return tuple(card for card in self.hand if card not in self.laid)

    @property
    def kind(self) -> str:
        """One of `SPOT_KINDS`."""
        return _kind(sum(card is not None for card in self.laid))

    @property
    def laid_text(self) -> str:
        """The cards as they fell, as text, with every go."""
        return " ".join("go" if card is None else format_cards([card]) for card in self.laid)

    @property
    def position(self) -> PlayPosition:
        """What the player knows; `CribevError` if it is no position."""
        return _position(self)

    @property
    def legal(self) -> tuple[int, ...]:
        """The cards that fit, ascending."""
        return tuple(card for card in self.left if card >> 2 in self.position.legal)


def spots_of(
    seed: int, *, kinds: Sequence[str] = (), role: Role | None = None, hard: bool = False
) -> Iterator[Spot]:
    """Deal the spots of a seed, one after another without end, at most one of each deal.

    They are the same on every machine and with every numpy, as long as the solved game is. In each
    at least one card that fits loses an inaccuracy or more; in a hard one, the card that makes most
    points at once does. `CribevError` if the seed is not a whole number from 0 up, or no such spot
    can be.

    >>> spot = next(spots_of(7, kinds=["answer"]))
    >>> spot.role, format_cards(spot.hand), spot.laid_text
    ('dealer', 'AH 2S 3S 9H', '7S')
    """
    if type(seed) is not int or seed < 0:
        raise CribevError(f"{quote(repr(seed))} is no seed: expected a whole number from 0 up")
    asked = check_kinds(kinds, role)
    return _numbered(seed, asked, role, hard)


def check_kinds(kinds: Sequence[str], role: Role | None = None) -> frozenset[str]:
    """Take kinds of spots, all if none is named; `CribevError` if there are none such for a role.

    >>> sorted(check_kinds(["lead", "ending"]))
    ['ending', 'lead']
    >>> check_kinds(["lead"], "dealer")
    Traceback (most recent call last):
    cribev.errors.CribevError: the dealer never leads: expected another kind of card, or no role
    """
    for kind in kinds:
        if kind not in SPOT_KINDS:
            names = ", ".join(SPOT_KINDS)
            raise CribevError(f"{quote(kind)} is no kind of card: expected one of {names}")
    found = frozenset(kinds or SPOT_KINDS)
    if role and all(_OF_ROLE.get(kind, role) != role for kind in found):
        never = "the dealer never leads" if role == "dealer" else "pone never answers the lead"
        raise CribevError(f"{never}: expected another kind of card, or no role")
    return found


@lru_cache(1024)
def spot_advice(spot: Spot) -> PlayAdvice:
    """Value the cards that can be laid in a spot, against an expert."""
    return play_advice(spot.position, shipped_strategy())


def greedy_rank(spot: Spot) -> int:
    """Return the rank that makes most points at once, of equals the highest that fits."""
    greedy = as_play_strategy("greedy")
    position = spot.position
    return int(greedy.choices(greedy.node(position.history), position.left).argmax())


def is_instructive(advice: PlayAdvice) -> bool:
    """Tell whether some card that fits loses an inaccuracy or more."""
    return max(one.behind for one in advice.choices) >= CARD_BANDS.inaccuracy


def is_hard_spot(spot: Spot) -> bool:
    """Tell whether the card that makes most points at once loses an inaccuracy or more."""
    losses = rank_losses(spot_advice(spot))
    return bool(losses[greedy_rank(spot)] >= CARD_BANDS.inaccuracy)


def rank_losses(advice: PlayAdvice) -> Floats:
    """Return what each rank loses against the best, points ``(13,)``, NaN where it does not fit."""
    found = np.full(13, np.nan)
    found[[_rank(one.card) for one in advice.choices]] = [one.behind for one in advice.choices]
    return found


def _numbered(seed: int, kinds: frozenset[str], role: Role | None, hard: bool) -> Iterator[Spot]:
    number = 1
    for spots in _dealt(seed):
        asked = [one for one in spots if one.kind in kinds and role in (None, one.role)]
        for spot in asked:
            if is_instructive(spot_advice(spot)) and (not hard or is_hard_spot(spot)):
                yield spot._replace(seed=seed, number=number)
                number += 1
                break


def _dealt(seed: int) -> Iterator[list[Spot]]:
    """Deal and play block by block: the spots of each deal, in a drawn order."""
    expert, block = as_opponent("expert"), 0
    while True:
        states = np.random.SeedSequence([seed, block]).generate_state(2, np.uint64)
        drawn = random_hands(_BLOCK, cards=_CARDS_DRAWN, seed=int(states[0]))
        kept: dict[Role, Cards] = {}
        thrown: dict[Role, Cards] = {}
        for role, cards in zip(ROLES, (drawn[:, :6], drawn[:, 6:12]), strict=True):
            deals = DealBatch.of(cards, np.full(_BLOCK, role == ROLES[0]))
            best = best_discards(plan_evaluation(deals, expert))
            kept[role], thrown[role] = best.best_keep, best.best_discard
        # Raw output is fixed for ever; see `random_hands`.
        raw = np.random.PCG64(int(states[1])).random_raw((_BLOCK, 2 * _CARDS_LAID))
        chances = (raw >> np.uint64(64 - _MANTISSA)) / 2.0**_MANTISSA
        for deal, chance in enumerate(chances):
            hands = {role: tuple(map(int, kept[role][deal])) for role in ROLES}
            discards = {role: tuple(map(int, thrown[role][deal])) for role in ROLES}
            spots = _played(hands, discards, int(drawn[deal, -1]), chance[:_CARDS_LAID])
            order = chance[_CARDS_LAID:].argsort(kind="stable").tolist()
            yield [spots[at] for at in order if at < len(spots)]
        block += 1


def _played(
    hands: dict[Role, tuple[int, ...]],
    discards: dict[Role, tuple[int, ...]],
    starter: int,
    chances: Floats,
) -> list[Spot]:
    """Play a deal as experts do, and list the spots in it where two ranks fit or more.

    ``chances`` are eight numbers from 0 to 1 that choose the cards.
    """
    strategy = shipped_strategy()
    left = {role: list(hand) for role, hand in hands.items()}
    play = PlayState({role: [card >> 2 for card in hand] for role, hand in hands.items()})
    laid: list[int | None] = []
    spots = []
    while not play.over:
        who = play.turn
        if not play.legal:
            if left[who]:
                laid.append(None)
            play.go()
            continue
        if len(play.legal) > 1:
            other = hands[opposite_role(who)]
            spots.append(Spot(who, hands[who], discards[who], starter, tuple(laid), other))
        history = [None if card is None else card >> 2 for card in laid]
        share = strategy.choices(strategy.node(history), [card >> 2 for card in left[who]])
        number = sum(card is not None for card in laid)
        rank = int(np.searchsorted(share.cumsum(), chances[number] * share.sum(), side="right"))
        card = next(card for card in left[who] if card >> 2 == rank)
        play.lay(rank)
        left[who].remove(card)
        laid.append(card)
    return spots


def _kind(laid: int) -> str:
    """Name the card that follows so many."""
    return list(SPOT_KINDS)[min(laid, len(SPOT_KINDS) - 1)]


@lru_cache(1024)
def _position(spot: Spot) -> PlayPosition:
    return read_position(
        spot.hand, role=spot.role, laid=spot.laid_text, discard=spot.discard,
        starter=spot.starter,
    )  # fmt: skip


def _rank(name: str) -> int:
    return RANKS.index(name)
