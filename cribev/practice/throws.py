"""What was thrown from a hand, and what it cost, in the words and by the books of a review."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from cribev.batch.evaluators import Deals, ExactEvaluator
from cribev.choice import DiscardValues
from cribev.deal.many import ValuesGivenStarter
from cribev.errors import CardError, quote
from cribev.game.cards import Cards, as_cards, format_cards, parse_cards
from cribev.game.index_tables import DISCARDS
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.opponents.expert import expert_counts
from cribev.opponents.models import as_opponent
from cribev.practice.hands import Hand
from cribev.reviews.decomposition import grade_decisions
from cribev.reviews.records import Record, as_record
from cribev.reviews.review import Review, review_from_values
from cribev.reviews.wording import DEFAULT_BANDS
from cribev.solved.solution import load

PLAYER = "you"
"""The player's name in records."""

_DIGITS = "123456"


class Question(NamedTuple):
    """A hand, and what each of its 15 discards is worth."""

    hand: Hand
    worth: ValuesGivenStarter
    """Of this one deal."""


class Throw(NamedTuple):
    """What was thrown from a hand, and what all 15 discards of it are worth."""

    hand: Hand
    keep: int
    """Which of the 15 keeps was kept."""
    worth: ValuesGivenStarter
    """Of this one deal."""

    @property
    def discard(self) -> str:
        """The two cards."""
        text: str = format_cards(self.hand.deal[DISCARDS[self.keep]])
        return text


def prepare(roles: Iterable[Role]) -> None:
    """Have the expert's throws counted for who plays these roles: a few seconds, the first time.

    >>> prepare(["pone"])
    """
    for role in roles:
        expert_counts(load(play=True), opposite_role(role))


def question_of(hand: Hand) -> Question:
    """Work out what a hand's discards are worth, exactly, against an expert and with the play.

    Examples
    --------
    >>> from cribev.practice.hands import hands_of
    >>> float(question_of(next(hands_of(7))).worth.discards.hand.max().round(2))
    8.07
    """
    deals = Deals.of(hand.deal[None], np.array([hand.role == ROLES[0]]))
    starter = as_cards(hand.starter, count=1)
    return Question(hand, ExactEvaluator(as_opponent("expert")).given_starters(deals, starter))


def read_discard(text: str, deal: Cards) -> Cards:
    """Read which two of six cards are thrown: the cards, or their places from 1 to 6.

    Parameters
    ----------
    text
        As ``JS QC``, or ``4 5`` or ``45``.
    deal
        The six cards, ascending.

    Returns
    -------
    Two cards, ascending.

    Raises
    ------
    CardError
        If it is neither.

    Examples
    --------
    >>> deal = parse_cards("2H 5D 5H 8D JS QC")
    >>> [format_cards(read_discard(text, deal)) for text in ("5 6", "61", "qc,js")]
    ['JS QC', '2H QC', 'JS QC']
    >>> read_discard("7 8", deal)
    Traceback (most recent call last):
    cribev.errors.CardError: '7 8': expected two of 2H 5D 5H 8D JS QC, or their places, as 1 2
    """
    expected = f"{quote(text)}: expected two of {format_cards(deal)}, or their places, as 1 2"
    bare = text.replace(",", " ")
    places = "".join(bare.split())
    if len(places) == 2 and set(places) <= set(_DIGITS):
        if places[0] == places[1]:
            raise CardError(expected)
        return np.sort(deal[[_DIGITS.index(place) for place in places]])
    try:
        cards = parse_cards(text)
    except CardError:
        raise CardError(expected) from None
    if len(cards) != 2 or not np.isin(cards, deal).all():
        raise CardError(expected)
    return np.sort(cards)


def throw(question: Question, discard: str | Cards) -> Throw:
    """Throw two cards from a hand.

    Parameters
    ----------
    question
        The hand.
    discard
        Two of its cards.

    Raises
    ------
    CardError
        If they are not.

    Examples
    --------
    >>> from cribev.practice.hands import hands_of
    >>> throw(question_of(next(hands_of(7))), "TD JC").discard
    'TD JC'
    """
    hand = question.hand
    cards = np.sort(as_cards(discard, count=2))
    found = np.flatnonzero((hand.deal[DISCARDS] == cards).all(axis=1))
    if not found.size:
        raise CardError(f"{format_cards(cards)} are not two of the cards dealt: {hand.cards}")
    keep = int(found[0])
    return Throw(hand, keep, question.worth)


def record_of(throws: Sequence[Throw], *, game: str = "practice") -> pd.DataFrame:
    """Write throws as the record of a game that `cribev.review` reads.

    Hands that are not dealt in turn, as when all are the dealer's, skip deals between them.

    Parameters
    ----------
    throws
        What was thrown, one after another.
    game
        The name of the game.

    Examples
    --------
    >>> from cribev.practice.hands import hands_of
    >>> dealer = hands_of(7, role="dealer")
    >>> throws = [throw(question_of(next(dealer)), cards) for cards in ("TD JC", "9C TD")]
    >>> record_of(throws)[["deal", "role", "discard", "starter", "opponent_discard"]]
       deal    role discard starter opponent_discard
    0     1  dealer   TD JC      7C            9C JH
    1     3  dealer   9C TD      9S            TC KD
    """
    return pd.DataFrame(
        {
            "game": game,
            "deal": turns([one.hand.role for one in throws]),
            "player": PLAYER,
            "role": [one.hand.role for one in throws],
            "cards": [one.hand.cards for one in throws],
            "discard": [one.discard for one in throws],
            "starter": [one.hand.starter for one in throws],
            "opponent_discard": [one.hand.opponent_discard for one in throws],
            "seed": ["" if one.hand.seed is None else str(one.hand.seed) for one in throws],
            "number": [one.hand.number for one in throws],
        }
    )


def turns(roles: Sequence[str]) -> list[int]:
    """Find numbers for deals so that the deal goes in turn, the player dealing the odd ones.

    >>> turns(["dealer", "pone", "pone", "dealer", "dealer"])
    [1, 2, 4, 5, 7]
    """
    numbers, last = [], 0
    for role in roles:
        last += 1 if (last % 2 == 0) == (role == "dealer") else 2
        numbers.append(last)
    return numbers


def decided(throws: Sequence[Throw]) -> pd.DataFrame:
    """Grade throws and balance their books, as `cribev.reviews.review.Review.decisions` has them.

    Parameters
    ----------
    throws
        One or more.

    Examples
    --------
    >>> from cribev.practice.hands import hands_of
    >>> found = decided([throw(question_of(next(hands_of(7))), "9H JC")])
    >>> found[["rank", "verdict", "best_discard"]].to_numpy().tolist()
    [[3, 'mistake', 'TD JC']]
    """
    return grade_decisions(*_recorded(throws), as_opponent("expert"), DEFAULT_BANDS)


def reviewed(throws: Sequence[Throw]) -> Review:
    """Review throws: what each lost, what was luck, and what they add up to.

    Parameters
    ----------
    throws
        One or more.

    Examples
    --------
    >>> from cribev.practice.hands import hands_of
    >>> found = reviewed([throw(question_of(next(hands_of(7))), "9H JC")])
    >>> float(found.players["ev_loss"].iloc[0].round(2))
    0.98
    """
    return review_from_values(*_recorded(throws), as_opponent("expert"))


def _recorded(throws: Sequence[Throw]) -> tuple[Record, ValuesGivenStarter]:
    values, cribs = zip(*(one.worth for one in throws), strict=True)
    worth = ValuesGivenStarter(DiscardValues.concatenate(values), np.concatenate(cribs))
    return as_record(record_of(throws)), worth
