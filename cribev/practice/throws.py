"""Throws: what you threw from a hand, and what it cost, as a review has it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from threading import BoundedSemaphore, Lock, Thread
from typing import NamedTuple

import numpy as np
import pandas as pd

from cribev.advice.exact import ValuesGivenStarter
from cribev.batch.evaluators import DealBatch, exact_batch_values
from cribev.choice import DEFAULT_BANDS, DiscardValues
from cribev.errors import CardError, quote
from cribev.game.cards import Cards, format_cards, parse_cards
from cribev.game.index_tables import DISCARDS
from cribev.game.play import Play
from cribev.game.roles import Role, opposite_role
from cribev.game.score import UNKNOWN, format_scores
from cribev.opponents.counts import expert_counts
from cribev.opponents.discarders import as_opponent
from cribev.practice.hands import Hand
from cribev.reviews.decomposition import grade_decisions
from cribev.reviews.record import Record
from cribev.reviews.review import Review, review_from_values
from cribev.reviews.seats import format_card_rows
from cribev.rows.columns import PEGGED_COLUMNS
from cribev.solution.solution import load

PLAYER = "you"
"""The player's name in records."""

_DIGITS = "123456"
_AHEAD = BoundedSemaphore(2)  # hands valued before they are answered


class Throw(NamedTuple):
    """Two cards thrown from a hand, and what all 15 discards of it are worth."""

    hand: Hand
    keep: int
    """Which of the 15 keeps is kept."""
    valued: ValuesGivenStarter
    """Of one deal."""

    @property
    def discard(self) -> Cards:
        """The two cards, uint8 ``(2,)``."""
        cards: Cards = self.hand.deal[DISCARDS[self.keep]]
        return cards


def prepare(roles: Iterable[Role]) -> None:
    """Count how often the expert throws what against these roles: seconds, the first time."""
    for role in roles:
        expert_counts(load(play=True), opposite_role(role))


def hand_values(hand: Hand) -> ValuesGivenStarter:
    """Value the discards of a hand exactly, against an expert and with the play."""
    return _valued_once(hand).get()


def value_ahead(hand: Hand) -> bool:
    """Begin to value a hand in a thread, unless it is done; return whether it is.

    A few at most are begun at a time, whoever asks; the rest is left to `hand_values`.
    """
    valued = _valued_once(hand)
    if valued.found is None and _AHEAD.acquire(blocking=False):

        def work() -> None:
            try:
                valued.get()
            finally:
                _AHEAD.release()

        Thread(target=work, daemon=True).start()
    return valued.found is not None


class _ValuedOnce:
    """The values of a hand, worked out by the first thread that asks; others wait for it."""

    def __init__(self, hand: Hand) -> None:
        self.hand, self._lock = hand, Lock()
        self.found: ValuesGivenStarter | None = None

    def get(self) -> ValuesGivenStarter:
        """Return the values."""
        with self._lock:
            if self.found is None:
                hand = self.hand
                scores = None if hand.score is None else np.array([hand.score])
                deals = DealBatch.of(hand.deal[None], np.array([hand.dealer]), scores)
                starters = np.array([hand.starter])
                self.found = exact_batch_values(deals, as_opponent("expert"), starters=starters)
            return self.found


@lru_cache(4096)
def _valued_once(hand: Hand) -> _ValuedOnce:
    return _ValuedOnce(hand)


def parse_discard(text: str, deal: Cards) -> int:
    """Read which two of six cards are thrown, by name or by place; return which keep is kept.

    >>> deal = parse_cards("2H 5D 5H 8D JS QC")
    >>> [parse_discard(text, deal) for text in ("5 6", "61", "qc,js")]
    [0, 10, 0]
    >>> parse_discard("7 8", deal)
    Traceback (most recent call last):
    cribev.errors.CardError: '7 8': expected two of 2H 5D 5H 8D JS QC, or their places, as 1 2
    """
    wrong = f"{quote(text)}: expected two of {format_cards(deal)}, or their places, as 1 2"
    places = "".join(text.replace(",", " ").split())
    if len(places) == 2 and {*places} <= {*_DIGITS}:
        found = sorted(_DIGITS.index(place) for place in places)
    else:
        try:
            found = np.flatnonzero(np.isin(deal, cards := parse_cards(text))).tolist()
        except CardError:
            raise CardError(wrong) from None
        if len(cards) != 2:
            raise CardError(wrong)
    keeps = [keep for keep, two in enumerate(DISCARDS.tolist()) if two == found]
    if not keeps:
        raise CardError(wrong)
    return keeps[0]


def throw(hand: Hand, keep: int | str) -> Throw:
    """Throw two cards from a hand: the number of a keep, or text for `parse_discard`."""
    if isinstance(keep, str):
        keep = parse_discard(keep, hand.deal)
    return Throw(hand, keep, hand_values(hand))


def record_of(throws: Sequence[Throw]) -> Record:
    """Return throws as a checked record: one game, of which the play is unknown."""
    hands = [one.hand for one in throws]
    deals = np.stack([hand.deal for hand in hands])
    starters = np.array([hand.starter for hand in hands])
    opponent_discards = np.array([hand.opponent_discard for hand in hands])
    unknown = np.full((len(hands), 2), UNKNOWN)
    scores = np.array([hand.score or (UNKNOWN, UNKNOWN) for hand in hands])
    frame = pd.DataFrame(
        {
            "game": [  # scores do not follow from one another
                "practice" if hand.score is None else f"practice {number}"
                for number, hand in enumerate(hands, 1)
            ],
            "deal": deal_numbers([hand.role for hand in hands]),
            "player": PLAYER,
            "role": [hand.role for hand in hands],
            "cards": format_card_rows(deals),
            "discard": format_card_rows(np.stack([one.discard for one in throws])),
            "starter": format_card_rows(starters[:, None]),
            "opponent_discard": format_card_rows(opponent_discards),
            **{name: pd.array([pd.NA] * len(hands), "Int64") for name in PEGGED_COLUMNS},
            "play": "",
            "score": format_scores(scores, np.array([hand.dealer for hand in hands])),
            "score_after": "",
            "seed": ["" if hand.seed is None else str(hand.seed) for hand in hands],
            "number": [hand.number for hand in hands],
        }
    )
    keeps = np.array([one.keep for one in throws])
    dealer = np.array([hand.dealer for hand in hands])
    plays = np.full(len(hands), Play(), dtype=object)
    return Record(
        frame, deals, keeps, starters, opponent_discards, dealer, unknown, scores, unknown, plays
    )


def deal_numbers(roles: Sequence[str]) -> list[int]:
    """Find numbers for deals so that the deal alternates and the player deals the odd ones.

    >>> deal_numbers(["dealer", "pone", "pone", "dealer", "dealer"])
    [1, 2, 4, 5, 7]
    """
    numbers, last = [], 0
    for role in roles:
        last += 1 if (last % 2 == 0) == (role == "dealer") else 2
        numbers.append(last)
    return numbers


def grade_throws(throws: Sequence[Throw]) -> pd.DataFrame:
    """Grade one or more throws, as `cribev.reviews.review.Review.decisions` has them.

    >>> from cribev.practice.hands import hands_of
    >>> found = grade_throws([throw(next(hands_of(7)), "9H JC")])
    >>> found[["rank", "verdict", "best_discard"]].to_numpy().tolist()
    [[3, 'mistake', 'TD JC']]
    """
    return grade_decisions(*_recorded(throws), as_opponent("expert"), DEFAULT_BANDS)


def review_throws(throws: Sequence[Throw]) -> Review:
    """Review one or more throws: what each lost, what was luck, and what they add up to."""
    return review_from_values(*_recorded(throws), as_opponent("expert"))


def _recorded(throws: Sequence[Throw]) -> tuple[Record, ValuesGivenStarter]:
    discards, cribs = zip(*(one.valued for one in throws), strict=True)
    if any(one.win is not None for one in discards):
        none = np.full_like(discards[0].expected, np.nan)
        discards = tuple(replace(one, win=none) if one.win is None else one for one in discards)
    valued = ValuesGivenStarter(DiscardValues.concatenate(discards), np.concatenate(cribs))
    return record_of(throws), valued
