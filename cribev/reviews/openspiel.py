"""Histories of OpenSpiel's game ``cribbage``: every action of a game as a whole number.

A card is 13 times its suit plus its rank; a discard of the cards a and b is 52 + 52 a + b; 2756 is
a pass, which a player says at every turn without a card that fits, until both have said it.
"""

import re
from collections.abc import Iterator

from cribev.errors import RecordError, quote
from cribev.game.cards import DECK_SIZE, PIP_VALUES, RANKS, format_cards
from cribev.game.play import LIMIT
from cribev.game.play_notation import CARDS_LAID
from cribev.reviews.imported_games import ImportedDeal, ImportedGame

_PASS = DECK_SIZE + DECK_SIZE * DECK_SIZE
_PLAYERS = ("Player 0", "Player 1")
_BRACKETED = re.compile(r"[\[(]([^\[\]()]*)[\])]")
_BETWEEN = re.compile(r"[\s,;]+")
_HISTORY = re.compile(r"[\s,;\[\]()]*\d[\s\d,;\[\]()]*", re.ASCII)
_DEALT = 12


def is_history(text: str) -> bool:
    """Tell whether a text has nothing but whole numbers.

    >>> is_history("[3, 17, 2756]"), is_history("game,deal")
    (True, False)
    """
    return _HISTORY.fullmatch(text) is not None


def parse_histories(text: str) -> list[ImportedGame]:
    """Read histories: each in brackets, or else one a line.

    A deal that breaks off before its first discard is left out. Raises `RecordError`, which names
    game, deal, and the action by its number from 1.

    >>> cards = "43 17 50 24 27 20 42 5 32 22 12 51"  # 5S 5D QS QD 2H 8D, 4S 6C 7H TD KC KS
    >>> (game,) = parse_histories(cards + " 1476 727 4")
    >>> game.deals[0].discards, game.deals[0].starter
    (('2H 8D', 'KC KS'), '5C')
    """
    histories = _BRACKETED.findall(text)
    if not histories:
        histories = text.splitlines()
        if all(len(_BETWEEN.split(line.strip())) <= _DEALT for line in histories):
            histories = [text]  # a number or a few on each line
    every = [
        _Actions(str(number), line) for number, line in enumerate(filter(_has_any, histories), 1)
    ]
    return [ImportedGame(one.game, _PLAYERS, list(_deals(one))) for one in every]


def _has_any(history: str) -> bool:
    return bool(history.strip(" ,;\t\r\n"))


class _Actions:
    """The actions of a history, taken one after the other."""

    def __init__(self, game: str, text: str) -> None:
        self.game, self.deal, self._at = game, 1, 0
        self._texts = _BETWEEN.split(text.strip(" ,;\t\r\n"))

    @property
    def left(self) -> int:
        return len(self._texts) - self._at

    def next(self) -> int | None:
        """Return the action that comes next, if there is one, without taking it."""
        if not self.left:
            return None
        text = self._texts[self._at]
        if not (text.isascii() and text.isdecimal() and len(text) < 9):
            raise self.error("is not an action: expected a whole number", at=self._at)
        return int(text)

    def take(self, least: int, most: int, what: str) -> int:
        """Take an action; `RecordError` unless it is from `least` to `most`."""
        action = self.next()
        assert action is not None
        self._at += 1
        if not least <= action <= most:
            raise self.error(f"is not {what}: expected {least} to {most}")
        return action

    def card(self) -> int:
        """Take a card, as this package numbers cards."""
        suit, rank = divmod(self.take(0, DECK_SIZE - 1, "a card"), len(RANKS))
        return _card(suit, rank)

    def discard(self) -> list[int]:
        """Take a discard, as two cards."""
        both = divmod(self.take(DECK_SIZE, _PASS - 1, "a discard") - DECK_SIZE, DECK_SIZE)
        return [_card(*divmod(card, len(RANKS))) for card in both]

    def error(self, why: str, *, at: int | None = None) -> RecordError:
        """Make an error about the action taken last."""
        at = self._at - 1 if at is None else at
        place = f"game {quote(self.game)}, deal {self.deal}, action {at + 1}"
        return RecordError(f"{place}, {quote(self._texts[at])}: {why}")


def _card(suit: int, rank: int) -> int:
    return 4 * rank + suit


def _deals(actions: _Actions) -> Iterator[ImportedDeal]:
    while actions.left > _DEALT:
        cards = [actions.card() for _ in range(_DEALT)]
        hands, discards = [cards[:6], cards[6:]], list[list[int]]()
        while actions.left and len(discards) < 2:
            thrown = actions.discard()
            hand = hands[len(discards)]
            if len(set(thrown)) < 2 or not set(thrown) <= set(hand):
                raise actions.error(
                    f"discards {format_cards(thrown)}, not two of {format_cards(hand)}"
                )
            discards.append(thrown)
        starter = [actions.card()] if actions.left else []
        dealer = (actions.deal - 1) % 2
        kept = [
            [card for card in hand if card not in thrown]
            for hand, thrown in zip(hands, discards, strict=False)
        ]
        laid = _laid(actions, kept, 1 - dealer) if starter else []
        texts = [format_cards(hand) for hand in hands[: len(discards)]]
        yield ImportedDeal(
            number=actions.deal,
            dealer=dealer,
            hands=(texts[0], texts[1] if len(texts) > 1 else ""),
            discards=(
                format_cards(discards[0]),
                format_cards(discards[1]) if len(discards) > 1 else "",
            ),
            starter=format_cards(starter),
            play=format_cards(laid),
        )
        actions.deal += 1


def _laid(actions: _Actions, hands: list[list[int]], turn: int) -> list[int]:
    """Take the play of a deal, up to the passes after the last card; the cards laid."""
    laid = list[int]()
    count, passed, last = 0, set[int](), turn
    while actions.left and (len(laid) < CARDS_LAID or (count and actions.next() == _PASS)):
        if actions.next() == _PASS:
            actions.take(_PASS, _PASS, "a pass")
            fits = [card for card in hands[turn] if count + PIP_VALUES[card >> 2] <= LIMIT]
            if fits:
                raise actions.error(
                    f"{_PLAYERS[turn]} passes at a count of {count}, and {format_cards(fits[:1])} "
                    "fits"
                )
            passed.add(turn)
        else:
            card = actions.card()
            if card not in hands[turn]:
                raise actions.error(
                    f"{_PLAYERS[turn]} lays {format_cards([card])}, and holds "
                    f"{format_cards(hands[turn]) or 'nothing'}"
                )
            hands[turn].remove(card)
            laid.append(card)
            count, last = count + PIP_VALUES[card >> 2], turn
            if count > LIMIT:
                raise actions.error(f"{format_cards([card])} brings the count to {count}")
        if count == LIMIT or len(passed) == 2:
            count, passed, turn = 0, set(), last
        turn = 1 - turn
    return laid
