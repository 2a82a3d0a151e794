"""The pages of practice at the play: a position, the verdict on a card, and the summary."""

from collections.abc import Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any
from urllib.parse import urlencode

from cribev.advice.cards import PlayAdvice
from cribev.choice import VERDICTS
from cribev.errors import CardError, CribevError
from cribev.game.cards import RANKS, format_cards
from cribev.practice.lays import Lay, lay_table, parse_lay
from cribev.practice.progress import spots_to_repeat
from cribev.practice.session import LaySession
from cribev.practice.spots import SPOT_KINDS, Spot, spot_advice
from cribev.practice.store import StoreError
from cribev.practice.summary import summarize_lays
from cribev.practice.verdicts import Line, verdict_of_lay
from cribev.reviews.wording import true_minus
from cribev.web.pages import card_faces, render
from cribev.web.practice_sessions import (
    HANDS,
    SessionAddress,
    card_session_at,
    local_store,
    saving_notes,
    selection_parameters,
)

SQUARES = dict(zip(VERDICTS, "🟩⬜🟨🟧🟥", strict=True))
"""Verdicts in a result to share."""

_HIDDEN = 0.005  # chances below it are not drawn


def card_page(address: SessionAddress, *, error: str = "") -> str:
    """Draw what an address shows: a spot to lay a card in, a lay judged, or the summary."""
    session = card_session_at(address)
    if address.at > session.number:
        return _summary(address, session)
    spot = session.problem(address.at)
    spot_advice(spot)  # so that the verdict comes at once
    values: dict[str, Any] = {
        "here": "practice",
        "address": address,
        "spot": spot,
        "what": SPOT_KINDS[spot.kind],
        "laid": laid_context(spot),
        "hand": [
            {"face": face, "fits": card in spot.legal}
            for card, face in zip(spot.left, card_faces(format_cards(spot.left)), strict=True)
        ],
        "discard": format_cards(spot.discard),
        "starter": format_cards([spot.starter]),
        "error": error,
        "verdict": None,
        "so_far": sum(one.ev_loss for one in session.answers),
        "graded": [one.verdict for one in session.answers],
        "over": address.at == session.number,
    }
    if address.at <= len(session.answers):
        values |= _verdict_context(session.answers[address.at - 1])
        values |= _notes(session, [address.at])
    return render("practice_card.html", values)


def lay_from_form(address: SessionAddress, laid: Sequence[str]) -> tuple[str, str]:
    """Lay the card of a form, and save it.

    Returns the address of its verdict; or nothing, and the spot once more with what is wrong.
    """
    session = card_session_at(address)
    if session.over:
        raise CribevError("all cards of this session are laid")
    spot = session.next_problem
    try:
        if len(laid) != 1:
            raise CardError("choose one of your cards")
        card = parse_lay(laid[0], spot)
    except CardError as error:
        return "", card_page(address, error=str(error))
    session.answer(card)
    place = str(spot.hand.index(card) + 1)
    address = address._replace(answers=(*address.answers, place))
    return address.to(len(address.answers)), ""


def laid_context(spot: Spot) -> list[dict[str, Any]]:
    """List the cards and goes as they fell: whose, the card, the count, and points by whom."""
    cards = [card for card in spot.laid if card is not None]
    found = []
    for step in spot.position.steps:
        own = step.role == spot.role
        pegs = {
            whose: sum(peg.points for peg in step.pegs if (peg.role == spot.role) == mine)
            for whose, mine in (("you", True), ("they", False))
        }
        face = None if step.rank is None else card_faces(format_cards([cards.pop(0)]))[0]
        found.append({"own": own, "face": face, "count": step.count, "pegs": pegs})
    return found


def line_context(line: Line) -> list[dict[str, Any]]:
    """Take a line of a verdict apart, for a template."""
    return [
        {"text": true_minus(piece), "cards": ""}
        if isinstance(piece, str)
        else {"text": "", "cards": format_cards(piece)}
        for piece in line
    ]


def _verdict_context(one: Lay) -> dict[str, Any]:
    found = verdict_of_lay(one)
    best = {choice.card for choice in one.advice.choices if choice.rank == 1}
    return {
        "verdict": found.verdict,
        "chosen": format_cards([one.card]),
        "best": [format_cards([card]) for card in one.spot.legal if RANKS[card >> 2] in best],
        "cost": line_context(found.cost),
        "why": line_context(found.why),
        "luck": line_context(found.luck),
        "choices": one.advice.choices,
        "held": _range_context(one.advice),
    }


def _range_context(advice: PlayAdvice) -> dict[str, Any]:
    """Tell how likely the opponent has each rank."""
    ranks = advice.range.ranks.to_dict(orient="records")
    most = max(one["chance"] for one in ranks) or 1.0
    return {
        "left": advice.range.left,
        "ranks": [
            {"card": one["card"], "chance": one["chance"], "part": one["chance"] / most}
            for one in ranks
            if one["chance"] >= _HIDDEN
        ],
    }


def _notes(session: LaySession, numbers: Sequence[int]) -> dict[str, Any]:
    answers = {number: session.answers[number - 1] for number in numbers}
    laid = {number: (one.spot, format_cards([one.card])) for number, one in answers.items()}
    return saving_notes(
        session, laid, attrgetter("card"), noun="card", before="In position {} you laid {}"
    )


def _summary(address: SessionAddress, session: LaySession) -> str:
    found = summarize_lays(session.answers)
    rows = lay_table(session.answers).to_dict(orient="records")
    for number, (row, one) in enumerate(zip(rows, session.answers, strict=True), 1):
        best = [card for card in one.spot.legal if RANKS[card >> 2] in str(row["best_card"])]
        row |= {
            "number": number,
            "kind": SPOT_KINDS[one.spot.kind],
            "left": format_cards(one.spot.left),
            "best": format_cards(best[:1]),
        }
    back = 0
    with suppress(StoreError):  # the notes say what is wrong
        back = len(spots_to_repeat(local_store().read_lays()))
    others = selection_parameters(address.selection._replace(seed=None))
    values = {
        "here": "practice",
        "address": address,
        "found": found,
        "rows": rows,
        "verdicts": VERDICTS,
        "squares": "".join(SQUARES[str(row["verdict"])] for row in rows),
        "back": back,
        "hands": HANDS,
        "more": f"/practice/new?{urlencode(others)}",
        **_notes(session, [row["number"] for row in rows]),
    }
    return render("practice_cards.html", values)
