"""The page on which six cards are clicked, and answered."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cribev.deal.answers import Answer, answer
from cribev.errors import CardError, CribevError, quote
from cribev.files.lines import SUITLESS_OFFSET, parse_hand
from cribev.game.cards import (
    as_cards,
    format_cards,
    format_ranks,
    parse_cards,
    parse_suitless,
    random_hands,
)
from cribev.game.roles import Role, as_role
from cribev.game.score_notation import as_score
from cribev.web.answer_page import answer_context, card_faces
from cribev.web.parameters import read_body, reject_repeated, reject_unknown
from cribev.web.templating import render

_KEPT = 64  # answers: a click on a row asks the same again
_PARAMETERS = ("cards", "role", "score", "own", "theirs", "mine", "toggle", "random")


class Question(NamedTuple):
    """What is asked: it makes the address, and the address it."""

    cards: str
    """Six cards, or six ranks, with blanks between them."""
    role: Role
    score: tuple[int, int] | None
    """Points of the asker and of the opponent."""
    mine: str
    """Two of them, or nothing."""

    def parameters(self) -> dict[str, str]:
        """Return the parameters of its address, without `mine`.

        >>> Question("5H 5D JS QC 2H 8D", "pone", (95, 110), "").parameters()
        {'cards': '5H5DJSQC2H8D', 'role': 'pone', 'score': '95-110'}
        """
        found = {"cards": self.cards.replace(" ", ""), "role": str(self.role)}
        return found if self.score is None else found | {"score": "{}-{}".format(*self.score)}

    @property
    def address(self) -> str:
        """The address, to be sent to a friend."""
        mine = {"mine": self.mine.replace(" ", "")} if self.mine else {}
        return "/?" + urlencode(self.parameters() | mine)


def parse_question(given: Mapping[str, str]) -> Question:
    """Read a question from the parameters of an address.

    Raises
    ------
    CribevError
        If it is none.

    Examples
    --------
    >>> parse_question({"cards": "5h 5djsqc2h8d", "score": "95-110", "mine": "5d 5h"})
    Question(cards='5H 5D JS QC 2H 8D', role='dealer', score=(95, 110), mine='5D 5H')
    >>> parse_question({"cards": "5H"})
    Traceback (most recent call last):
    cribev.errors.CardError: expected 6 cards, got 1 in '5H'
    """
    deal = parse_hand(given.get("cards", ""), count=6, suitless=True)
    mine = given.get("mine", "").strip()
    if deal[0] >= SUITLESS_OFFSET:
        cards = format_ranks(deal - SUITLESS_OFFSET)
        if mine:
            ranks = parse_suitless(mine, count=2)
            if ranks is None:
                raise CardError(f"{quote(mine)} are not two of the ranks {cards}")
            mine = format_ranks(ranks)
    else:
        cards = format_cards(deal)
        mine = format_cards(sorted(as_cards(mine, count=2).tolist())) if mine else ""
    role = as_role(given.get("role") or "dealer")
    return Question(cards, role, parse_score(given, role), mine)


def parse_score(given: Mapping[str, str], role: Role) -> tuple[int, int] | None:
    """Read a score, in one parameter or in two.

    Raises
    ------
    CribevError
        If it is none, or given in both ways.

    Examples
    --------
    >>> parse_score({"own": "7", "theirs": "0"}, "dealer")
    (7, 0)
    >>> parse_score({"score": "95-121"}, "dealer")
    Traceback (most recent call last):
    cribev.errors.CribevError: '95-121' is not a score: expected your points and the opponent's,
    each from 0 to 120, as 95-110
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
    """Answer a question.

    Raises
    ------
    CribevError
        If what was thrown is not of the cards.

    Examples
    --------
    >>> answer_question(Question("5H 5D JS QC 2H 8D", "dealer", None, "")).advice.best.discard
    '2H 8D'
    """
    return _advice(question._replace(mine="")).beside(question.mine or None)


@lru_cache(_KEPT)
def _advice(question: Question) -> Answer:
    deal = parse_hand(question.cards, count=6, suitless=True)
    return answer(deal, question.role, score=question.score)


def question_response(given: Mapping[str, str]) -> Response:
    """Draw the page of an address, or lead to that of what was done on it."""
    picked = parse_selection(given.get("cards", ""))
    if "random" in given:
        cards = format_cards(random_hands(1)[0])
        return _led_to({**given, "cards": cards, "mine": ""}, picked)
    if "toggle" in given:
        return _toggled(given, picked)
    if not given.get("cards", "").strip():
        return _drawn(given, picked)
    if {"own", "theirs"} & given.keys():
        return _led_to(given, picked)
    return _answered(given, picked)


def parse_selection(text: str) -> list[str]:
    """Read the cards that can be seen in the deck, none if there is anything else.

    >>> parse_selection("5h jS"), parse_selection("5h 1x")
    (['5H', 'JS'], [])
    """
    try:
        selected: list[str] = format_cards(parse_cards(text)).split()
        return selected
    except CardError:
        return []


def _toggled(given: Mapping[str, str], picked: list[str]) -> Response:
    """Take a card, or put it back, without a script."""
    try:
        card = format_cards(as_cards(given["toggle"], count=1))
    except CribevError as error:
        return _drawn(given, picked, error=error)
    changed = [one for one in picked if one != card] if card in picked else [*picked, card]
    now = {**given, "cards": " ".join(changed), "mine": ""}
    if len(changed) == 6:
        return _led_to(now, changed)
    if len(changed) > 6:
        full = CardError(f"six cards are chosen: put one back before {card}")
        return _drawn(given, picked, error=full)
    return _drawn(now, changed)


def _led_to(given: Mapping[str, str], picked: list[str]) -> Response:
    try:
        return RedirectResponse(parse_question(given).address, 303)
    except CribevError as error:
        return _drawn(given, picked, error=error)


def _answered(given: Mapping[str, str], picked: list[str]) -> Response:
    try:
        question = parse_question(given)
        found = answer_context(answer_question(question), question.parameters(), question.mine)
    except CribevError as error:
        return _drawn(given, picked, error=error)
    return _drawn({**given, "cards": question.cards}, picked, question=question, found=found)


def _drawn(
    given: Mapping[str, str],
    picked: list[str],
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
        "picked": picked,
        "tray": card_faces(" ".join(picked)),
        "role": question.role if question else given.get("role", "").strip().lower(),
        "own": own,
        "theirs": theirs,
        "error": " ".join(str(error).split()) if error else "",
        "found": found,
        "address": question.address if question else "",
    }
    return HTMLResponse(render("ask.html", values), 400 if error else 200)


async def _ask(request: Request) -> Response:
    await read_body(request)
    queue = request.app.state.queues.for_question(request.query_params)
    given = reject_repeated(request.query_params.multi_items())
    reject_unknown(given, *_PARAMETERS)
    answered_with: Response = await queue.run_for(request, question_response, given)
    return answered_with


ROUTES = [Route("/", _ask)]
