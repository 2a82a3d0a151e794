"""The page where you pick six cards and get an answer, or ask which card to play."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cribev.advice.cards import PlayAdvice, advise_card
from cribev.advice.decisions import Decision, Difference
from cribev.advice.discards import Advice, advise_discard
from cribev.advice.options import Option
from cribev.advice.question import Question, read_card
from cribev.advice.reasons import (
    Explanation,
    grouped_starters,
    needs_text,
    score_effect,
    stakes_text,
)
from cribev.app.web import forms
from cribev.app.web.pages import ask_address, card_faces, page_headline, place_laid, render
from cribev.errors import CardError, CribevError, quote
from cribev.game import cards
from cribev.game.deal import Position
from cribev.game.roles import crib_sign, opposite_role
from cribev.game.score import Score
from cribev.game.stakes import NAMED_STAKES
from cribev.game.words import at_least_text, format_chance, true_minus
from cribev.reviews import charts
from cribev.wins.exact import PLAY_PARTS

_DEALT = 6

_PARAMETERS = (
    "position", "cards", "role", "score", "own", "theirs", "mine", "opponent", "stakes",
    "show_only", "toggle", "random",
)  # fmt: skip


def question_address(question: Question, discard: str = "") -> str:
    """Return the link to the answer to a question, beside a discard of your own."""
    mine = {"mine": discard.replace(" ", "")} if discard else {}
    return ask_address(**question.texts, **mine)


def parse_question(given: Mapping[str, str]) -> tuple[Question, str]:
    """Read a question and your own discard from an address; `CribevError` if they are invalid."""
    given = _with_score(given)
    if _is_of_card(given):
        return _parse_card(given), ""
    if not given.get("position", "").strip():
        said = Score.role_by_star(given.get("score", ""), given.get("role", "").strip() or None)
        if said is None:
            given = {**given, "role": "dealer"}
    (question,) = forms.asked_discards(given)
    discard = given.get("mine", "").strip()
    if not discard:
        return question, ""
    dealt = question.position.held.dealt
    return question, card_texts(cards.cards_meant(discard, dealt))


def _is_of_card(given: Mapping[str, str]) -> bool:
    """Return whether a position after the discard is given."""
    with suppress(CribevError):
        position = given.get("position", "").partition("?")[0]
        return Position.parse(position).to_do != "discard"
    return False


def _parse_card(given: Mapping[str, str]) -> Question:
    for name in ("cards", "show_only"):
        if given.get(name, "").strip():
            raise CribevError(f"'position' is given, and {name!r} besides")
    return read_card(
        given["position"],
        role=given.get("role", "").strip(),
        score=given.get("score", "").strip(),
        opponent=forms.named_opponent(given),
        stakes=given.get("stakes", "").strip(),
    )


def card_texts(dealt: Iterable[int]) -> str:
    """Write cards, by their ranks alone where suits are not known."""
    return " ".join(map(cards.format_card, dealt))


def _with_score(given: Mapping[str, str]) -> Mapping[str, str]:
    """Combine two parameters into a score; `CribevError` if one is missing or there is a score."""
    text = given.get("score", "").strip()
    own, theirs = given.get("own", "").strip(), given.get("theirs", "").strip()
    if not (own or theirs):
        return given
    if text:
        raise CribevError(f"'score' is given, {quote(text)}, and 'own' and 'theirs' besides")
    if not (own and theirs):
        whose, empty = ("you", "the opponent") if own else ("the opponent", "you")
        raise CribevError(
            f"the score has {quote(own or theirs)} for {whose} and nothing for {empty}: "
            "expected both, or neither"
        )
    return {**given, "score": f"{own}-{theirs}"}


_advised = lru_cache(64)(advise_discard)  # a click on a row asks about the same cards again


def parse_selection(text: str) -> list[str]:
    """Read the cards that are selected in the deck, up to six; skip what is not a card."""
    return list(map(cards.format_card, cards.readable_cards(text)[:_DEALT]))


def answer_context(question: Question, own: str) -> dict[str, Any]:
    """Gather what ``answer.html`` shows of an answer, beside your own discard if there is one."""
    advice = _advised(question)
    choices, best, options = advice.choices, advice.best, advice.options
    compared = _own(advice, own) if own else None  # refuses what is not a discard
    parts = [_parts(choice) for choice in choices]
    axis = charts.discard_axis(parts)
    rows = [
        {
            "choice": choice,
            "mark": mark,
            "win": win,
            "wins_lost": lost,
            "worth": f"{choice.value:.3f}" if options.is_staked else "",
            "behind": best.expected - choice.expected,
            "parts": part,
            "bars": charts.discard_bars(part, axis),
            "at": axis.at(choice.expected),
            "own": choice.discard == own,
            "skunks": [texts[at] for texts in options.skunk_texts.values()],
            "address": question_address(question, choice.discard),
        }
        for at, (choice, part, mark, (win, lost)) in enumerate(
            zip(choices, parts, options.marks, options.win_texts, strict=True)
        )
    ]
    return {
        "advice": advice,
        "best": best,
        "six": _six_faces(best, own),
        "sum": true_minus(best.sum_text),
        "rows": rows,
        "skunks": list(options.skunk_texts),
        "zero": axis.at(0),
        "notes": options.mark_notes(options.marks),
        "own": compared,
        "score": advice.position.score and _score(advice, advice.position.score),
        **_explanation(advice, own),
    }


def _six_faces(best: Option, own: str) -> list[dict[str, Any]]:
    """Return how the six cards are drawn: the best discard lifted, your own marked."""
    thrown = own.split()
    six = sorted(
        [(face, "") for face in card_faces(best.keep)]
        + [(face, "up") for face in card_faces(best.discard)],
        key=lambda one: cards.RANKS.index(one[0]["text"][0]),
    )
    faces = []
    for face, kind in six:
        if face["text"] in thrown:
            thrown.remove(face["text"])
            kind = f"{kind} own".strip()
        faces.append({**face, "kind": kind})
    return faces


def _parts(choice: Option) -> dict[str, float]:
    found = {"hand": choice.hand_mean, "crib": crib_sign(choice.options.role) * choice.crib_mean}
    return found if choice.play_mean is None else found | {"play": choice.play_mean}


def _own(advice: Advice, own: str) -> dict[str, Any]:
    """Describe what your own discard costs, or by how much it is the best."""
    compared: Any = advice.beside(own)
    choice, other = compared.choice, compared.other or compared.choice
    return {
        "discard": choice.discard,
        "sum": true_minus(choice.sum_text),
        "cost": other.expected - choice.expected if choice.rank > 1 else 0.0,
        "verdict": Decision.of(advice.options, own).verdict,
        "best": choice.rank == 1,
        "rival": Difference(choice, other),
        "ahead": getattr(compared, "starters_ahead", None),
    }


def _score(advice: Advice, score: Score) -> dict[str, Any]:
    """Describe what score and stakes change, and link to others that may matter."""
    question = advice.question

    def shown(discard: str) -> str:
        suited = advice.has_suits
        return cards.format_cards(cards.as_cards(discard), symbols=True) if suited else discard

    def aloud(discard: str) -> str:
        return " and ".join(face["name"] for face in card_faces(discard))

    options, best = advice.options, advice.best.discard
    at, played = score_effect(options), options.stakes.text if options.is_staked else ""
    staked = stakes_text(options, f"discard {shown(best)}")
    others = [stakes for stakes in NAMED_STAKES if stakes != options.stakes] if staked else []
    return {
        "points": score.text(advice.role),
        "needs": needs_text(score, advice.role),
        "par": advice.par.text if advice.par else "",
        "changes": at.changes or played,
        "text": at.text(shown(at.by_points)),
        "played": played,
        "staked": staked,
        "others": [(one.unit, question_address(replace(question, stakes=one))) for one in others],
        "aloud": stakes_text(options, f"discard {aloud(best)}")
        if played
        else at.text(aloud(at.by_points)),
    }


def _explanation(advice: Advice, own: str) -> dict[str, Any]:
    why = advice.explain()
    if not isinstance(why, Explanation):
        return {"why": None, "by_kind": why.by_kind}
    starters = why.starters
    other = advice.distribution(own)["total"] if own and own != why.discard else None
    return {
        "why": why,
        "by_kind": why.by_kind,
        "ends": why.ends.text(advice.role) if why.ends else "",
        "helpful": [
            (cards.format_cards(cut), *values)
            for cut, *values in grouped_starters(starters, ["hand", "crib_mean"])
        ],
        "starters": charts.starter_grid(starters["starter"].tolist(), starters["gain"].to_numpy()),
        "distribution": charts.distribution(why.distribution["total"], other),
        "pegs": [at_least_text(why.distribution[part].loc[0:]) for part in PLAY_PARTS[:2]]
        if why.play
        else [],
    }


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
        "laid": place_laid(play, position.role),
    }
    if question.must_go:
        return {**table, "headline": f"Say go: {position.why_go}.", "best": [], "advice": None}
    advice: PlayAdvice = advise_card(question)
    made = advice.distribution()
    return {
        **table,
        "best": [one.card for one in advice.choices if one.rank == 1],
        "advice": advice,
        "pegs": (format_chance(made.first[0]), at_least_text(made.own[0])),
        "opponent_pegs": at_least_text(made.opponent[0]),
        "headline": page_headline(advice.headline),
        "staked": page_headline(stakes_text(advice.options, f"play the {advice.best.card}")),
        "against": opponent.name if opponent.is_replied_to else "",
    }


def _typed_position(given: Mapping[str, str]) -> dict[str, str]:
    """Read a position that was typed in place of cards, with the score beside it."""
    text, score = given["cards"], [given.get(name, "").strip() for name in ("own", "theirs")]
    if all(score) and "@" not in text:
        text += f"@{score[0]}-{score[1]}"
    also = "mine", "opponent", "stakes", "show_only"
    known = {name: given[name] for name in also if name in given}
    return {"position": text, **known}


async def _ask(request: Request) -> Response:
    """Show the page; what takes time, an answer, waits in a queue."""
    given = forms.parse_query(request, *_PARAMETERS)
    typed = given.get("cards", "")
    with suppress(CribevError):
        typed = typed or card_texts(Position.parse(given.get("position", "")).held.dealt)
    selected = parse_selection(typed)
    show = partial(_page, given, selected)
    try:
        if "random" in given:
            dealt = cards.format_cards(cards.random_hands(1)[0])
            return _redirect({**given, "cards": dealt, "mine": ""})
        if ":" in typed:  # the text of a position, typed where cards are
            return _redirect(_typed_position(given))
        if "toggle" in given:
            return _toggle(given, selected)
        if not (given.get("cards", "").strip() or "position" in given):
            forms.parse_opponent(given)
            return show()
        if {"own", "theirs"} & given.keys():
            return _redirect(given)
        question, discard = parse_question(given)
        queue = request.app.state.queues.short
        answered: Response = await queue.run_for(request, _answer, selected, question, discard)
        return answered
    except CribevError as error:
        return show(error=error)


def _toggle(given: Mapping[str, str], selected: list[str]) -> Response:
    """Select a card or deselect it, without a script."""
    card = cards.format_cards(cards.as_cards(given["toggle"], count=1))
    left = [one for one in selected if one != card]
    chosen = left if card in selected else [*left, card]
    if len(chosen) > _DEALT:
        raise CardError(f"six cards are chosen: put one back before {card}")
    changed = {**given, "cards": " ".join(chosen), "mine": ""}
    return _redirect(changed) if len(chosen) == _DEALT else _page(changed, chosen)


def _redirect(given: Mapping[str, str]) -> Response:
    return forms.see_other(question_address(*parse_question(given)))


def _answer(selected: list[str], question: Question, discard: str) -> Response:
    """Show what to discard, or what to play."""
    if not question.is_discard:
        return HTMLResponse(render("card.html", card_context(question)))
    found = answer_context(question, discard)
    return _page({"mine": discard}, selected, question=question, found=found)


def _page(
    given: Mapping[str, str],
    selected: list[str],
    *,
    question: Question | None = None,
    found: dict[str, Any] | None = None,
    error: CribevError | None = None,
) -> Response:
    position = question.position if question else None
    asked = question.texts if question else given
    score = position.score.seen_by(position.role) if position and position.score else None
    own, theirs = map(str, score) if score else (given.get("own", ""), given.get("theirs", ""))
    role = position.role if position else given.get("role", "").strip().lower()
    values = {
        "here": "ask",
        "cards": card_texts(position.held.dealt) if position else given.get("cards", ""),
        "selected": selected,
        "role": role,
        "own": own,
        "theirs": theirs,
        "opponents": forms.LISTED,
        "stakes": asked.get("stakes", ""),
        "show_only": asked.get("show_only", ""),
        **forms.chosen_opponent(asked),
        "error": " ".join(str(error).split()) if error else "",
        "found": found,
        "address": question_address(question, given["mine"]) if question else "",
    }
    return HTMLResponse(render("ask.html", values), 400 if error else 200)


async def _to_play(request: Request) -> Response:
    """Lead to a game; a question in the address was asked there once."""
    asked = request.url.query
    return RedirectResponse(f"/ask?{asked}" if asked else "/play", 307)


ROUTES = [
    Route("/", _to_play),
    Route("/ask", _ask),
]
