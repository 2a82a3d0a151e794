"""Lays: the card you laid in a spot, and what it cost."""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from cribev.advice.cards import PlayAdvice, PlayChoice
from cribev.choice import CARD_BANDS, TIE_TOLERANCE, WIN_BANDS
from cribev.errors import CardError, quote
from cribev.game.cards import RANKS, as_cards, format_cards, parse_cards, parse_rank
from cribev.practice.spots import Spot, spot_advice
from cribev.rows.columns import LAY_COLUMNS


class Lay(NamedTuple):
    """A card laid in a spot, and what every card that fits is worth."""

    spot: Spot
    card: int
    advice: PlayAdvice
    """At a score, its chances to win decide the verdict."""

    @property
    def choice(self) -> PlayChoice:
        """What the card is worth."""
        rank = RANKS[self.card >> 2]
        return next(one for one in self.advice.choices if one.card == rank)

    @property
    def ev_loss(self) -> float:
        """How much less it is worth than the card that pegs best, points."""
        lost = max(one.expected for one in self.advice.choices) - self.choice.expected
        return lost if lost > TIE_TOLERANCE else 0.0

    @property
    def win_loss(self) -> float | None:
        """How much less often it wins than the card that wins most; None without a score."""
        best, own = self.advice.best.win, self.choice.win
        if best is None or own is None:
            return None
        return best - own if best - own > TIE_TOLERANCE else 0.0

    @property
    def verdict(self) -> str:
        """A word of `cribev.choice.VERDICTS`."""
        lost, bands = self.ev_loss, CARD_BANDS
        if self.win_loss is not None:
            lost, bands = self.win_loss, WIN_BANDS
        return str(bands.verdicts(lost, not lost))


def lay(spot: Spot, card: int | str) -> Lay:
    """Lay a card in a spot: its number, or text for `parse_lay`.

    >>> from cribev.practice.spots import spots_of
    >>> found = lay(next(spots_of(7, kinds=["answer"])), "3S")
    >>> found.verdict, round(found.ev_loss, 2)
    ('mistake', 0.37)
    """
    number = parse_lay(card, spot) if isinstance(card, str) else card
    if number not in spot.legal:
        name = format_cards(as_cards([number]))
        raise CardError(f"{name} cannot be laid: expected one of {format_cards(spot.legal)}")
    return Lay(spot, number, spot_advice(spot))


def parse_lay(text: str, spot: Spot) -> int:
    """Read which card is laid, by name, by rank or by its place among the cards left.

    >>> from cribev import parse_cards
    >>> hand, discard, starter = (parse_cards(text) for text in ("2H 3D 3H JS", "8D KC", "7S"))
    >>> spot = Spot("pone", tuple(hand.tolist()), tuple(discard.tolist()), int(starter[0]), (), ())
    >>> [format_cards([parse_lay(text, spot)]) for text in ("JS", "j", "1", "3")]
    ['JS', 'JS', '2H', '3H']
    >>> parse_lay("2", spot)
    Traceback (most recent call last):
    cribev.errors.CardError: '2' can be the 2H or your card number 2, the 3D: write 2H or 3D
    """
    left = spot.left
    wrong = f"{quote(text)}: expected one of {format_cards(left)}, or its number, as 1"
    given = text.strip()
    found = {}
    if given.isascii() and given.isdigit() and len(given) == 1 and 0 < int(given) <= len(left):
        found["place"] = left[int(given) - 1]
    rank = parse_rank(given)
    if rank is not None and (same := [card for card in left if card >> 2 == rank]):
        found["rank"] = same[0]
    if len({card >> 2 for card in found.values()}) > 1:
        one, other = (format_cards([found[name]]) for name in ("rank", "place"))
        raise CardError(
            f"{quote(text)} can be the {one} or your card number {given}, the {other}: "
            f"write {one} or {other}"
        )
    if not found:
        try:
            (card,) = parse_cards(given, count=1).tolist()
        except CardError:
            raise CardError(wrong) from None
        if card not in left:
            raise CardError(wrong)
        found["card"] = card
    card = next(iter(found.values()))
    if card >> 2 not in spot.position.legal:
        count = spot.position.state.count
        raise CardError(f"{quote(text)}: the {RANKS[card >> 2]} does not fit a count of {count}")
    return card


def best_ranks(advice: PlayAdvice) -> str:
    """Write the ranks that are best.

    >>> from cribev import advise_play
    >>> best_ranks(advise_play("9 9 9 J", role="pone"))
    '9'
    """
    return " ".join(sorted((one.card for one in advice.choices if one.rank == 1), key=RANKS.index))


def lay_table(lays: Sequence[Lay]) -> pd.DataFrame:
    """Return a row for each lay: `LAY_COLUMNS`, after the seed and the number of its spot.

    >>> from cribev.practice.spots import spots_of
    >>> lay_table([lay(next(spots_of(7, kinds=["answer"])), "1")]).columns[-1]
    'verdict'
    """
    rows = [
        {
            "seed": "" if one.spot.seed is None else str(one.spot.seed),
            "number": one.spot.number,
            "role": one.spot.role,
            "hand": format_cards(one.spot.hand),
            "discard": format_cards(one.spot.discard),
            "starter": format_cards([one.spot.starter]),
            "laid": one.spot.laid_text,
            "opponent_hand": format_cards(one.spot.opponent_hand),
            "card": format_cards([one.card]),
            "best_card": best_ranks(one.advice),
            "expected": one.choice.expected,
            "best_expected": one.choice.expected + one.ev_loss,
            "ev_loss": one.ev_loss,
            "rank": one.choice.rank,
            "verdict": one.verdict,
        }
        for one in lays
    ]
    return pd.DataFrame(rows, columns=["seed", "number", *LAY_COLUMNS])
