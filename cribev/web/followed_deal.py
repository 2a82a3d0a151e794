"""A deal followed at a real board: the starter, then each card as it falls, and what to lay."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np

from cribev.advice.cards import PlayAdvice, play_advice
from cribev.advice.position import KnownCards, PlayPosition
from cribev.choice import format_chance
from cribev.errors import CardError, CribevError, quote
from cribev.game.cards import (
    JACK,
    PIP_VALUES,
    SUITS,
    as_cards,
    format_cards,
    parse_cards,
    parse_hand,
)
from cribev.game.play import LIMIT
from cribev.game.play_notation import PlayStep
from cribev.game.play_rules import PlayState
from cribev.game.roles import Role, as_role, opposite_role
from cribev.game.score import HEELS, WINNING_SCORE, as_score
from cribev.game.show import explain
from cribev.games.view import LaidCard
from cribev.reviews.wording import true_minus
from cribev.solution.solution import shipped_strategy
from cribev.web.laid_cards import place_laid
from cribev.web.templating import card_faces

PARAMETERS = ("cards", "role", "score", "threw", "starter", "laid")
"""The parameters of its address."""

_GO = "go"


class FollowedDeal(NamedTuple):
    """What an address says of a deal; cards are numbers."""

    role: Role
    score: tuple[int, int] | None
    kept: tuple[int, ...]
    """Ascending."""
    discard: tuple[int, ...]
    starter: int | None
    laid: tuple[int | None, ...]
    """The cards as they fell, both players', and None where your opponent said go. Your own goes
    follow from your cards."""

    @property
    def address(self) -> str:
        """The link to it."""
        given = {
            "cards": _written(sorted(self.kept + self.discard)),
            "role": str(self.role),
            "score": "" if self.score is None else "{}-{}".format(*self.score),
            "threw": _written(self.discard),
            "starter": "" if self.starter is None else _written([self.starter]),
            "laid": ".".join(_GO if card is None else _written([card]) for card in self.laid),
        }
        return "/ask/deal?" + urlencode({name: text for name, text in given.items() if text})

    @property
    def before(self) -> str:
        """The link to what was before the last card; to the discard if there was none."""
        if self.laid:
            return self._replace(laid=self.laid[:-1]).address
        if self.starter is not None:
            return self._replace(starter=None).address
        score = {} if self.score is None else {"score": "{}-{}".format(*self.score)}
        cards = {"cards": _written(sorted(self.kept + self.discard)), "role": str(self.role)}
        return "/ask?" + urlencode(cards | score | {"mine": _written(self.discard)})

    def then(self, card: int | None) -> str:
        """Return the link to what follows a card, or a go."""
        if self.starter is None and card is not None:
            return self._replace(starter=card).address
        return self._replace(laid=(*self.laid, card)).address


def parse_followed(given: Mapping[str, str]) -> FollowedDeal:
    """Read a deal from the parameters of an address; `CribevError` if it cannot be.

    >>> found = parse_followed({"cards": "5H5DJSQC2H8D", "threw": "2H 8D", "starter": "4C",
    ...                         "role": "pone", "laid": "JS.5S"})
    >>> found.address
    '/ask/deal?cards=2H5D5H8DJSQC&role=pone&threw=2H8D&starter=4C&laid=JS.5S'
    >>> parse_followed({"cards": "5H5DJSQC2H8D", "threw": "2H 9D"})
    Traceback (most recent call last):
    cribev.errors.CardError: '2H 9D': expected two of the six cards
    """
    deal = as_cards(parse_hand(given.get("cards", ""), count=6)).tolist()
    role = as_role(given.get("role") or "dealer")
    discard = sorted(as_cards(given.get("threw", ""), count=2).tolist())
    if not {*discard} <= {*deal}:
        raise CardError(f"{quote(given['threw'])}: expected two of the six cards")
    starter, text = None, given.get("starter", "").strip()
    if text:
        (starter,) = as_cards(text, count=1).tolist()
        if starter in deal:
            raise CardError(f"{quote(text)}: the starter is none of your six cards")
    laid = tuple(_parse_laid(given.get("laid", "")))
    if laid and starter is None:
        raise CribevError("cards are laid after the starter is cut: expected starter=4C")
    kept = tuple(sorted({*deal} - {*discard}))
    score = given.get("score", "").strip()
    found = FollowedDeal(
        role, as_score(score, role) if score else None, kept, tuple(discard), starter, laid
    )
    FollowedPlay(found)  # is held to the rules
    return found


def _parse_laid(text: str) -> list[int | None]:
    pieces = [piece for piece in text.strip().split(".") if piece]
    return [
        None if piece.lower() == _GO else int(parse_cards(piece, count=1)[0]) for piece in pieces
    ]


def _written(cards: Sequence[int]) -> str:
    text: str = format_cards(cards).replace(" ", "")
    return text


class FollowedPlay:
    """The play of a followed deal, as far as it has come; `CribevError` if it cannot be.

    >>> deal = parse_followed({"cards": "5H5DJSQC2H8D", "threw": "2H 8D", "starter": "4C",
    ...                        "role": "dealer", "laid": "5S.JS"})
    >>> play = FollowedPlay(deal)
    >>> play.state.count, play.own_turn, play.pegged
    (15, False, (2, 0))
    """

    def __init__(self, deal: FollowedDeal) -> None:
        self.deal = deal
        self.state = PlayState()
        self.steps: list[PlayStep] = []
        self.cards: list[int | None] = []
        """The card of each step."""
        seen = {*deal.kept, *deal.discard, deal.starter}
        for card in deal.laid:
            self._pass()
            self._take(card, seen)
        self._pass()

    @property
    def own_turn(self) -> bool:
        """Whether you are to lay a card."""
        return not self.state.over and self.state.turn == self.deal.role

    @property
    def left(self) -> list[int]:
        """Your cards that are not laid, ascending."""
        return [card for card in self.deal.kept if card not in self.cards]

    @property
    def laid(self) -> list[LaidCard]:
        """The cards laid and the goes, in turn."""
        return [
            LaidCard(
                step.role == self.deal.role, card, step.count, sum(peg.points for peg in step.pegs)
            )
            for card, step in zip(self.cards, self.steps, strict=True)
        ]

    @property
    def pegged(self) -> tuple[int, int]:
        """The points you and your opponent have pegged."""
        points = [(peg.role, peg.points) for step in self.steps for peg in step.pegs]
        own = sum(number for role, number in points if role == self.deal.role)
        return own, sum(number for _, number in points) - own

    @property
    def winner(self) -> Role | None:
        """Who has the last point of the game by now, if the score before the deal is known."""
        deal = self.deal
        if deal.score is None:
            return None
        points = dict(zip((deal.role, opposite_role(deal.role)), deal.score, strict=True))
        made: list[tuple[Role, int]] = []
        if deal.starter is not None and deal.starter >> 2 == JACK:
            made.append(("dealer", HEELS))
        made += [(peg.role, peg.points) for step in self.steps for peg in step.pegs]
        for role, number in made:
            points[role] += number
            if points[role] >= WINNING_SCORE:
                return role
        return None

    @property
    def over(self) -> bool:
        """Whether no card can follow."""
        return self.winner is not None or (self.deal.starter is not None and self.state.over)

    @property
    def possible(self) -> list[int | None]:
        """What may come next: the starter, your card, or your opponent's, None for a go."""
        deal, state = self.deal, self.state
        if self.over:
            return []
        if deal.starter is not None and self.own_turn:
            return [card for card in self.left if self._fits(card)]
        seen = {*deal.kept, *deal.discard, deal.starter, *self.cards}
        free = [card for card in range(4 * len(PIP_VALUES)) if card not in seen]
        if deal.starter is None:
            return [*free]
        may_pass = state.count > LIMIT - max(PIP_VALUES)
        return [card for card in free if self._fits(card)] + [None] * may_pass

    @cached_property
    def advice(self) -> PlayAdvice | None:
        """What to lay now; None if it is not your turn."""
        deal = self.deal
        if deal.starter is None or not self.own_turn or self.over:
            return None
        cards = KnownCards(
            *(np.array(some, dtype=np.uint8) for some in (deal.kept, deal.discard, [deal.starter]))
        )
        position = PlayPosition(
            deal.role,
            tuple(card >> 2 for card in deal.kept),
            tuple(self.steps),
            tuple(card >> 2 for card in deal.discard),
            deal.starter >> 2,
            cards,
        )
        return play_advice(position, shipped_strategy(), score=deal.score)

    def _fits(self, card: int) -> bool:
        return self.state.count + PIP_VALUES[card >> 2] <= LIMIT

    def _pass(self) -> None:
        """Say the goes that follow from the cards: yours, and those of a player without cards."""
        state, role = self.state, self.deal.role
        while not state.over:
            own = state.turn == role
            stuck = own and not any(self._fits(card) for card in self.left)
            if not stuck and state.left[state.turn]:
                return
            if self.deal.starter is None or not state.count:
                return
            self._note(None)

    def _take(self, card: int | None, seen: set[int | None]) -> None:
        state = self.state
        if card is None:
            if self.own_turn:
                fits = format_cards([held for held in self.left if self._fits(held)])
                raise CribevError(f"you cannot say go: expected one of {fits}")
            self._note(None)
            return
        text = quote(format_cards([card]))
        if state.over:
            raise CribevError(f"{text} cannot be laid: all cards are")
        own = state.turn == self.deal.role
        if own and card not in self.left:
            raise CardError(f"{text}: it is your turn, expected one of {format_cards(self.left)}")
        if not own and (card in seen or card in self.cards):
            raise CardError(f"{text}: your opponent cannot have it")
        self._note(card)

    def _note(self, card: int | None) -> None:
        state = self.state
        who, count = state.turn, state.count
        if card is None:
            pegs, rank = state.go(), None
        else:
            rank = card >> 2
            count += PIP_VALUES[rank]
            pegs = state.lay(rank)
        self.steps.append(PlayStep(who, rank, count, tuple(pegs)))
        self.cards.append(card)


def followed_context(deal: FollowedDeal) -> dict[str, Any]:
    """Gather what ``followed.html`` shows of a deal."""
    play = FollowedPlay(deal)
    advice, possible = play.advice, play.possible
    own_turn = deal.starter is not None and play.own_turn
    links = {card: deal.then(card) for card in possible}
    state = "cut" if deal.starter is None else "own" if own_turn else "theirs"
    if play.over:
        state = "over"
        if play.winner is not None:
            state = "won" if play.winner == deal.role else "lost"
    best = [] if advice is None else [one.card for one in advice.choices if one.rank == 1]
    return {
        "here": "ask",
        "address": deal.address,
        "before": deal.before,
        "state": state,
        "dealer": deal.role == "dealer",
        "score": deal.score,
        "discard": card_faces(format_cards(deal.discard)),
        "starter": None if deal.starter is None else card_faces(format_cards([deal.starter]))[0],
        "count": play.state.count,
        "pegged": play.pegged,
        "laid": place_laid(play.laid, len(play.state.laid), other="your opponent"),
        "backs": play.state.left["pone" if deal.role == "dealer" else "dealer"],
        "hand": [
            {**face, "link": links.get(card, "") if own_turn else "", "up": face["text"][0] in best}
            for card, face in zip(play.left, card_faces(format_cards(play.left)), strict=True)
        ],
        "deck": _deck(links) if state in ("cut", "theirs") else [],
        "go": links.get(None, ""),
        "advice": None if advice is None else _advice_context(advice, play.left),
        "show": explain(list(deal.kept), deal.starter) if state == "over" else None,
    }


def _deck(links: Mapping[int | None, str]) -> list[list[dict[str, Any]]]:
    """Lay the deck out, a row for each suit, with a link on each card that may come."""
    return [
        [
            {**face, "link": links.get(4 * rank + suit, "")}
            for rank, face in enumerate(
                card_faces(format_cards([4 * rank + suit for rank in range(len(PIP_VALUES))]))
            )
        ]
        for suit in reversed(range(len(SUITS)))
    ]


def _advice_context(advice: PlayAdvice, left: list[int]) -> dict[str, Any]:
    texts = format_cards(left).split()
    return {
        "headline": true_minus(advice.headline.rstrip(".")),
        "explained": advice.belief.explained,
        "wins": advice.score is not None,
        "rows": [
            {
                "cards": " ".join(text for text in texts if text[0] == one.card),
                "win": "" if one.win is None else format_chance(one.win),
                "expected": one.expected,
                "own": one.own,
                "opponent": one.opponent,
                "behind": one.behind if one.rank > 1 else None,
                "share": one.share,
            }
            for one in advice.choices
        ],
    }
