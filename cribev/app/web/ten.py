"""Ten hands in a row to discard from, each answered at once, and a total at the end.

The address has all there is: the seed, and what was discarded. The file of `cribev.app.pocket`
deals the same ten.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from secrets import token_hex
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from cribev.advice.decisions import Decision
from cribev.advice.discards import advise_discard
from cribev.advice.names import as_opponent
from cribev.advice.players import PLAYED, Level
from cribev.advice.question import Question
from cribev.advice.verdicts import VERDICTS
from cribev.app.web import forms
from cribev.app.web.ask import question_address
from cribev.app.web.pages import render
from cribev.errors import CardError, CribevError, quote
from cribev.game.cards import DECK_SIZE, as_cards, format_cards
from cribev.game.deal import Held, Position
from cribev.game.roles import Role
from cribev.game.words import format_points

TEN = 10
_PARAMETERS = "ten", "opponent", "discards", "show", "card"
_SEED = re.compile("[A-Za-z0-9-]{1,40}")
_SQUARES = dict(zip(VERDICTS, "🟩🟩🟨🟧🟥", strict=True))
_WORD = 0xFFFFFFFF  # what a number of 32 bits may hold


def dealt_in(seed: str, number: int) -> tuple[Role, tuple[int, ...]]:
    """Return the role and the six cards, ascending, of a hand in the ten of a seed, from 0.

    The deck is drawn from by mulberry32, begun with the FNV-1a hash of seed and number.

    >>> role, cards = dealt_in("2026-11-28", 0)
    >>> role, format_cards(cards)
    ('dealer', 'AD 2C 5H 6H 7D KC')
    """
    state = 0x811C9DC5
    for sign in f"{seed}/{number}":
        state = (state ^ ord(sign)) * 16777619 & _WORD
    deck, cards = [*range(DECK_SIZE)], list[int]()
    for _ in range(6):
        state = state + 0x6D2B79F5 & _WORD
        mixed = (state ^ state >> 15) * (state | 1) & _WORD
        mixed ^= mixed + (mixed ^ mixed >> 7) * (mixed | 61) & _WORD
        cards.append(deck.pop((mixed ^ mixed >> 14) % len(deck)))
    return "pone" if number % 2 else "dealer", tuple(sorted(cards))


@dataclass(frozen=True)
class TenHands:
    """The ten hands of a seed, as far as they are answered."""

    seed: str
    opponent: str  # whom they are against, as an address names it
    discards: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> "TenHands":
        """Read the parameters of an address; `CribevError` if they are wrong."""
        seed = query["ten"]
        if not _SEED.fullmatch(seed):
            raise CribevError(f"ten={quote(seed)}: expected up to 40 letters, digits and dashes")
        opponent = as_opponent(forms.parse_opponent(query)).text
        discards = list[tuple[int, ...]]()
        for number, text in enumerate(filter(None, query.get("discards", "").split("."))):
            if number == TEN:
                raise CribevError(f"discards={quote(query['discards'])}: expected at most {TEN}")
            discards.append(_two_of(text, dealt_in(seed, number)[1]))
        return cls(seed, opponent, tuple(discards))

    def address(self, *, show: bool = False) -> str:
        """Return the address with all that was discarded, to ``show`` the last answer or go on."""
        parameters = {
            "ten": self.seed,
            "opponent": "" if self.opponent == "expert" else self.opponent,
            "discards": ".".join(format_cards(cards).replace(" ", "") for cards in self.discards),
            "show": "1" if show else "",
        }
        named = {name: value for name, value in parameters.items() if value}
        return f"/ten?{urlencode(named)}"

    def question(self, number: int) -> Question:
        """Return the question about a hand, counted from 0."""
        role, cards = dealt_in(self.seed, number)
        opponent = forms.parse_opponent({"opponent": self.opponent})
        return Question(Position(role, Held(cards)), as_opponent(opponent))

    @property
    def decisions(self) -> list[Decision]:
        """The cards discarded, and the advice on them."""
        return [
            _graded(self.question(index), discard) for index, discard in enumerate(self.discards)
        ]


@lru_cache(256)
def _graded(question: Question, discard: tuple[int, ...]) -> Decision:
    return Decision.of(advise_discard(question).options, discard)


def _two_of(text: str, dealt: tuple[int, ...]) -> tuple[int, ...]:
    """Read two of six cards, ascending; `CardError` if they are others."""
    cards = tuple(sorted(as_cards(text, count=2).tolist()))
    if not {*cards} <= {*dealt}:
        raise CardError(f"{quote(text)} are not two of {format_cards(dealt)}")
    return cards


def _page(
    hands: TenHands, *, show: bool, chosen: tuple[str, ...] = (), error: str = ""
) -> Response:
    """Show the answer to the last hand, the next hand, or the total."""
    decisions, done = hands.decisions, len(hands.discards)
    values: dict[str, Any] = {
        "here": "",
        "hands": hands,
        "done": done,
        "most": TEN,
        "verdicts": [decision.verdict for decision in decisions],
        "lost": sum(decision.loss for decision in decisions),
        "chosen": chosen,
        "error": error,
        "found": False,
    }
    if show and done:
        question, discard = hands.question(done - 1), format_cards(hands.discards[-1])
        values |= {
            "found": True,
            "asks": question_address(question, discard),
            "loss": decisions[-1].loss,
        }
    elif done == TEN:
        lost = format_points(values["lost"])
        squares = "".join(_SQUARES[verdict] for verdict in values["verdicts"])
        values |= {
            "levels": _lost_by_levels(decisions),
            "result": f"{TEN} hands of cribbage, {lost} points lost\n{squares}\n",
            "others": replace(hands, seed=token_hex(3), discards=()),
            "again": replace(hands, discards=()),
        }
    else:
        values["role"], values["dealt"] = dealt_in(hands.seed, done)
    return HTMLResponse(render("ten.html", values), 400 if error else 200)


def _lost_by_levels(decisions: list[Decision]) -> dict[str, float]:
    """Return how many points each level loses on average in the same hands, in all."""
    return {
        name: sum(
            float(Level(name).chances(decision.options) @ decision.options.losses)
            for decision in decisions
        )
        for name in PLAYED
        if name != "people"
    }


def _answer(query: Mapping[str, str], chosen: tuple[str, ...]) -> Response:
    hands = TenHands.parse(query)
    if not chosen:
        return _page(hands, show=forms.parse_flag(query, "show"))
    if len(hands.discards) == TEN:
        raise CribevError(f"all {TEN} hands are answered")
    if len(chosen) != 2:
        return _page(hands, show=False, chosen=chosen, error=forms.CHOOSE_TWO)
    discard = _two_of(" ".join(chosen), dealt_in(hands.seed, len(hands.discards))[1])
    return forms.see_other(replace(hands, discards=(*hands.discards, discard)).address(show=True))


async def _ten(request: Request) -> Response:
    """Deal the ten of a seed, or of a new one."""
    forms.reject_unknown(request.query_params, *_PARAMETERS)
    pairs = request.query_params.multi_items()
    query = forms.reject_repeated([(name, text) for name, text in pairs if name != "card"])
    if not query.get("ten"):
        query["ten"] = token_hex(3)
        return forms.see_other(TenHands.parse(query).address())
    chosen = tuple(text for name, text in pairs if name == "card")
    answer: Response = await request.app.state.short_work.run_for(request, _answer, query, chosen)
    return answer


async def _today(request: Request) -> Response:
    """Lead to the ten of today, by the date here."""
    forms.parse_query(request)
    return forms.see_other(TenHands(f"{date.today()}", "expert").address())


ROUTES = [Route("/ten", _ten), Route("/ten/today", _today)]
