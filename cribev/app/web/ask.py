"""The page where you pick six cards and get an answer, or ask which card to play."""

from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from cribev.advice.cards import PlayAdvice, advise_card
from cribev.advice.question import Question
from cribev.advice.reasons import stakes_text
from cribev.app.web import forms
from cribev.app.web.pages import ask_address, page_headline, place_played, render
from cribev.errors import CribevError
from cribev.game.deal import Position
from cribev.game.roles import opposite_role
from cribev.game.words import at_least_text, format_chance


def question_address(question: Question, discard: str = "") -> str:
    """Return the link to the answer to a question, beside a discard of your own."""
    mine = {"mine": discard.replace(" ", "")} if discard else {}
    return ask_address(**question.texts, **mine)


def card_context(question: Question) -> dict[str, Any]:
    """Gather what ``card.html`` shows of a play: the table, and what each card is worth.

    Where the only answer is go, there is no ``advice``.
    """
    position, opponent, play = question.position, question.opponent, question.position.play
    table = {
        "here": "ask",
        "address": question_address(question),
        "position": position,
        "pegged": (play.points[position.role], play.points[opposite_role(position.role)]),
        "played": place_played(play, position.role),
    }
    if question.must_go:
        return {**table, "headline": f"Say go: {position.why_go}.", "best": [], "advice": None}
    advice: PlayAdvice = advise_card(question)
    distribution = advice.distribution()
    return {
        **table,
        "best": [choice.card for choice in advice.choices if choice.rank == 1],
        "advice": advice,
        "why": advice.explain(),
        "pegs": (format_chance(distribution.first[0]), at_least_text(distribution.own[0])),
        "opponent_pegs": at_least_text(distribution.opponent[0]),
        "headline": page_headline(advice.headline),
        "staked": page_headline(stakes_text(advice.options, f"play the {advice.best.card}")),
        "against": opponent.name if opponent.is_replied_to else "",
    }


async def _ask(request: Request) -> Response:
    """Show the page, in which the browser asks and draws; a card to play is answered here."""
    query = forms.parse_query(request, *forms.QUESTION_PARAMETERS, "mine")
    forms.parse_opponent(query)
    values: dict[str, Any] = {"here": "ask", "error": "", "served": _is_of_card(query)}
    values |= forms.chosen_against(query)
    if not values["served"]:
        return HTMLResponse(render("ask.html", values))
    try:
        queue = request.app.state.short_work
        context = await queue.run_for(request, lambda: card_context(forms.asked_card(query)))
        return HTMLResponse(render("card.html", values | context))
    except CribevError as error:
        return HTMLResponse(
            render("ask.html", values | {"error": " ".join(str(error).split())}), 400
        )


def _is_of_card(query: dict[str, str]) -> bool:
    """Return whether a position after the discard is given."""
    with suppress(CribevError):
        position = query.get("position", "").partition("?")[0]
        return Position.parse(position).to_do != "discard"
    return False


ROUTES = [Route("/", _ask), Route("/ask", _ask)]
