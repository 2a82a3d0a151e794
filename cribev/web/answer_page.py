"""What the page shows of an answer."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from cribev.advice.choices import Alternative, AnyChoice, sum_text
from cribev.advice.discards import Advice, Answer, SuitlessAdvice
from cribev.advice.reasons import grouped_starters, needs_text, score_effect
from cribev.choice import DEFAULT_BANDS
from cribev.game.cards import RANKS, as_cards, format_cards
from cribev.game.roles import Role, crib_sign
from cribev.reviews import charts
from cribev.reviews.wording import true_minus
from cribev.web.templating import card_faces


def answer_context(found: Answer, asked: dict[str, str], own: str) -> dict[str, Any]:
    """Gather what ``answer.html`` shows of an answer.

    Takes the parameters of its address, and your own discard if there is one.
    """
    advice = found.advice
    choices: Sequence[AnyChoice] = advice.choices
    best = choices[0]
    table = advice.top(len(choices))
    wins = table.wins if advice.score is not None else [("", "")] * len(choices)
    parts = [_parts(choice, advice.role) for choice in choices]
    axis = charts.discard_axis(parts)
    rows = [
        {
            "choice": choice,
            "mark": mark,
            "win": win,
            "wins_lost": lost,
            "behind": best.expected - choice.expected,
            "parts": part,
            "bars": charts.discard_bars(part, axis),
            "at": axis.at(choice.expected),
            "own": choice.discard == own,
            "address": "/ask?" + urlencode({**asked, "mine": choice.discard.replace(" ", "")}),
        }
        for choice, part, mark, (win, lost) in zip(choices, parts, table.marks, wins, strict=True)
    ]
    return {
        "advice": advice,
        "best": best,
        "six": _six_faces(best, own),
        "sum": true_minus(sum_text(best, advice.role)),
        "rows": rows,
        "zero": axis.at(0),
        "notes": table.mark_notes(table.marks),
        "follow": _follow_address(asked, own or best.discard),
        "own": _own(found) if own else None,
        "score": advice.score and _score(advice, advice.score),
        **(_explanation(advice, own) if isinstance(advice, Advice) else {"why": None}),
    }


def _six_faces(best: AnyChoice, own: str) -> list[dict[str, Any]]:
    """Tell how the six cards are drawn: the best discard lifted, your own marked."""
    thrown = own.split()
    six = sorted(
        [(face, "") for face in card_faces(best.keep)]
        + [(face, "up") for face in card_faces(best.discard)],
        key=lambda one: RANKS.index(one[0]["text"][0]),
    )
    faces = []
    for face, kind in six:
        if face["text"] in thrown:
            thrown.remove(face["text"])
            kind = f"{kind} own".strip()
        faces.append({**face, "kind": kind})
    return faces


def _follow_address(asked: dict[str, str], discard: str) -> str:
    """Return the link to the rest of the deal; empty for cards without suits."""
    if len(discard.split()[0]) == 1:
        return ""
    return "/ask/deal?" + urlencode({**asked, "threw": discard.replace(" ", "")})


def _parts(choice: AnyChoice, role: Role) -> dict[str, float]:
    found = {"hand": choice.hand_mean, "crib": crib_sign(role) * choice.crib_mean}
    return found if choice.play_mean is None else found | {"play": choice.play_mean}


def _own(found: Answer) -> dict[str, Any]:
    """Say what your own discard costs against the best, or by how much it is the best."""
    compared: Any = found.comparison
    choice, other = compared.choice, compared.other or compared.choice
    loss = other.expected - choice.expected if choice.rank > 1 else 0.0
    (verdict,) = DEFAULT_BANDS.verdicts([loss], [choice.rank == 1]).tolist()
    rival = Alternative.of(other, choice)
    return {
        "discard": choice.discard,
        "sum": true_minus(sum_text(choice, found.advice.role)),
        "cost": loss,
        "verdict": verdict,
        "best": choice.rank == 1,
        "rival": rival,
        "difference": rival.parts(found.advice.role),
        "ahead": getattr(compared, "starters_ahead", None),
    }


def _score(advice: Advice | SuitlessAdvice, score: tuple[int, int]) -> dict[str, Any]:
    """Say what the score does to the answer."""
    at = score_effect(advice.choices)
    best = at.by_points
    if advice.has_suits:
        best = format_cards(as_cards(best), symbols=True)
    return {
        "points": "{}-{}".format(*score),
        "needs": needs_text(score, advice.role),
        "changes": at.changes,
        "text": at.text(best),
        "aloud": at.text(" and ".join(face["name"] for face in card_faces(at.by_points))),
    }


def _explanation(advice: Advice, own: str) -> dict[str, Any]:
    """Say why the best is the best."""
    why = advice.explain()
    starters = why.starters
    other = advice.distribution(own)["total"] if own and own != why.discard else None
    return {
        "why": why,
        "ends": why.ends.text() if why.ends else "",
        "helpful": [
            (format_cards(cards), hand, crib, gain)
            for cards, hand, crib, gain in grouped_starters(starters, ["hand", "crib_mean"])
        ],
        "starters": charts.starter_grid(starters["starter"].tolist(), starters["gain"].to_numpy()),
        "distribution": charts.distribution(why.distribution["total"], other),
    }
