"""The page on which you click six cards and get an answer."""

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cribev.advice.discards import Answer, answer
from cribev.errors import CardError, CribevError, quote
from cribev.game.cards import (
    SUITLESS_OFFSET,
    as_cards,
    format_cards,
    format_ranks,
    parse_cards,
    parse_hand,
    parse_suitless,
    random_hands,
)
from cribev.game.roles import Role, as_role
from cribev.game.score import as_score
from cribev.web.answer_page import answer_context
from cribev.web.followed_deal import PARAMETERS as FOLLOWED
from cribev.web.followed_deal import followed_context, parse_followed
from cribev.web.parameters import parse_query
from cribev.web.templating import render

_PARAMETERS = ("cards", "role", "score", "own", "theirs", "mine", "toggle", "random")


class Question(NamedTuple):
    """What an address asks."""

    cards: str
    """Six cards, or six ranks, with blanks between them."""
    role: Role
    score: tuple[int, int] | None
    """Your points and your opponent's."""
    discard: str
    """Your discard, or nothing."""

    def parameters(self) -> dict[str, str]:
        """Return the parameters of its address, without the discard.

        >>> Question("5H 5D JS QC 2H 8D", "pone", (95, 110), "").parameters()
        {'cards': '5H5DJSQC2H8D', 'role': 'pone', 'score': '95-110'}
        """
        found = {"cards": self.cards.replace(" ", ""), "role": str(self.role)}
        return found if self.score is None else found | {"score": "{}-{}".format(*self.score)}

    @property
    def address(self) -> str:
        """The link to its answer."""
        own = {"mine": self.discard.replace(" ", "")} if self.discard else {}
        return "/ask?" + urlencode(self.parameters() | own)


def parse_question(given: Mapping[str, str]) -> Question:
    """Read a question from the parameters of an address; `CribevError` if it is none.

    >>> parse_question({"cards": "5h 5djsqc2h8d", "score": "95-110", "mine": "5d 5h"})
    Question(cards='5H 5D JS QC 2H 8D', role='dealer', score=(95, 110), discard='5D 5H')
    """
    deal = parse_hand(given.get("cards", ""), count=6, suitless=True)
    discard = given.get("mine", "").strip()
    if deal[0] >= SUITLESS_OFFSET:
        cards = format_ranks(deal - SUITLESS_OFFSET)
        if discard:
            ranks = parse_suitless(discard, count=2)
            if ranks is None:
                raise CardError(f"{quote(discard)} are not two of the ranks {cards}")
            discard = format_ranks(ranks)
    else:
        cards = format_cards(deal)
        discard = format_cards(sorted(as_cards(discard, count=2).tolist())) if discard else ""
    role = as_role(given.get("role") or "dealer")
    return Question(cards, role, parse_score(given, role), discard)


def parse_score(given: Mapping[str, str], role: Role) -> tuple[int, int] | None:
    """Read a score, from one parameter or from two; `CribevError` if both are given, or half.

    >>> parse_score({"own": "7", "theirs": "0"}, "dealer")
    (7, 0)
    """
    text = given.get("score", "").strip()
    own, theirs = given.get("own", "").strip(), given.get("theirs", "").strip()
    if own or theirs:
        if text:
            raise CribevError(f"'score' is given, {quote(text)}, and 'own' and 'theirs' besides")
        if not (own and theirs):
            whose, empty = ("you", "the opponent") if own else ("the opponent", "you")
            raise CribevError(
                f"the score has {quote(own or theirs)} for {whose} and nothing for {empty}: "
                "expected both, or neither"
            )
        text = f"{own}-{theirs}"
    return as_score(text, role) if text else None


def answer_question(question: Question) -> Answer:
    """Answer a question; `CribevError` if the discard is not of the cards.

    >>> answer_question(Question("5H 5D JS QC 2H 8D", "dealer", None, "")).advice.best.discard
    '2H 8D'
    """
    return _cached_answer(question._replace(discard="")).beside(question.discard or None)


@lru_cache(64)  # a click on a row asks about the same cards again
def _cached_answer(question: Question) -> Answer:
    deal = parse_hand(question.cards, count=6, suitless=True)
    return answer(deal, question.role, score=question.score)


def parse_selection(text: str) -> list[str]:
    """Read the cards that are selected in the deck, none if there is anything else.

    >>> parse_selection("5h jS"), parse_selection("5h 1x")
    (['5H', 'JS'], [])
    """
    try:
        selected: list[str] = format_cards(parse_cards(text)).split()
        return selected
    except CardError:
        return []


async def _ask(request: Request) -> Response:
    """Show the page; what takes time, an answer, waits in a queue."""
    given = parse_query(request, *_PARAMETERS)
    selected = parse_selection(given.get("cards", ""))
    show = partial(_page, given, selected)
    try:
        if "random" in given:
            return _redirect({**given, "cards": format_cards(random_hands(1)[0]), "mine": ""})
        if "toggle" in given:
            return _toggle(given, selected)
        if not given.get("cards", "").strip():
            return show()
        if {"own", "theirs"} & given.keys():
            return _redirect(given)
        question = parse_question(given)
        queue = request.app.state.queues.for_question(given)
        answered: Response = await queue.run_for(request, _answer, question, selected)
        return answered
    except CribevError as error:
        return show(error=error)


def _toggle(given: Mapping[str, str], selected: list[str]) -> Response:
    """Take a card, or put it back, without a script."""
    card = format_cards(as_cards(given["toggle"], count=1))
    cards = [one for one in selected if one != card] if card in selected else [*selected, card]
    if len(cards) > 6:
        raise CardError(f"six cards are chosen: put one back before {card}")
    changed = {**given, "cards": " ".join(cards), "mine": ""}
    return _redirect(changed) if len(cards) == 6 else _page(changed, cards)


def _redirect(given: Mapping[str, str]) -> Response:
    return RedirectResponse(parse_question(given).address, 303)


def _answer(question: Question, selected: list[str]) -> Response:
    found = answer_context(answer_question(question), question.parameters(), question.discard)
    return _page({"cards": question.cards}, selected, question=question, found=found)


def _page(
    given: Mapping[str, str],
    selected: list[str],
    *,
    question: Question | None = None,
    found: dict[str, Any] | None = None,
    error: CribevError | None = None,
) -> Response:
    score = question.score if question else None
    own, theirs = map(str, score) if score else (given.get("own", ""), given.get("theirs", ""))
    values = {
        "here": "ask",
        "cards": given.get("cards", ""),
        "selected": selected,
        "role": question.role if question else given.get("role", "").strip().lower(),
        "own": own,
        "theirs": theirs,
        "error": " ".join(str(error).split()) if error else "",
        "found": found,
        "address": question.address if question else "",
    }
    return HTMLResponse(render("ask.html", values), 400 if error else 200)


async def _follow(request: Request) -> Response:
    """Show a deal after the discard: the starter, the cards as they fall, and what to lay."""
    given = parse_query(request, *FOLLOWED)
    deal = parse_followed(given)
    queue = request.app.state.queues.for_question(given)
    values: dict[str, Any] = await queue.run_for(request, followed_context, deal)
    return HTMLResponse(render("followed.html", values))


async def _old_address(request: Request) -> Response:
    """Lead from where questions were asked before version 0.3, and from the address alone."""
    asked = request.url.query
    return RedirectResponse(f"/ask?{asked}" if asked else "/play", 307)


ROUTES = [Route("/", _old_address), Route("/ask", _ask), Route("/ask/deal", _follow)]
