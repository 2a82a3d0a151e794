"""An answer, as the page has it."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from cribev.deal.advice import Advice
from cribev.deal.answers import Answer
from cribev.deal.comparison import Comparison
from cribev.deal.explanation import PlayExplanation, grouped_starters
from cribev.deal.ranked_discards import sum_text
from cribev.deal.score_effect import needs_text, score_effect
from cribev.deal.suitless_advice import SuitlessAdvice
from cribev.deal.wording import Alternative, Valued
from cribev.game.cards import RANKS, as_cards, format_cards
from cribev.game.roles import Role, crib_sign
from cribev.reviews import charts
from cribev.reviews.page import card_face
from cribev.reviews.wording import DEFAULT_BANDS


def card_faces(text: str) -> list[dict[str, Any]]:
    """Tell how cards are drawn, with suits or without.

    >>> [face["name"] for face in card_faces("5H TD")], card_faces("5 T")[1]["rank"]
    (['5 of hearts', 'ten of diamonds'], '10')
    """
    parts = text.split()
    if parts and all(len(part) == 1 for part in parts):
        ranks = [card_face(4 * RANKS.index(rank)) for rank in parts]
        return [{**face, "suit": "", "name": face["name"].partition(" of ")[0]} for face in ranks]
    return [card_face(int(card)) for card in as_cards(text)] if parts else []


def answer_context(found: Answer, asked: dict[str, str], mine: str) -> dict[str, Any]:
    """Gather what the page says of an answer.

    Parameters
    ----------
    found
        The answer.
    asked
        The question, as its address has it, without `mine`.
    mine
        What was thrown or would be, if it is known.

    Returns
    -------
    What the template ``answer.html`` draws.
    """
    advice = found.advice
    choices: Sequence[Valued] = advice.choices
    best = choices[0]
    table = advice.top(len(choices))
    marks, scored = table.marks, advice.score is not None
    wins = table.wins if scored else [("", "")] * len(choices)
    parts = [_parts(choice, advice.role) for choice in choices]
    axis = charts.discard_axis(parts)
    rows = []
    for choice, part, mark, (win, lost) in zip(choices, parts, marks, wins, strict=True):
        rows.append(
            {
                "rank": choice.rank,
                "mark": mark,
                "discard": card_faces(choice.discard),
                "keep": card_faces(choice.keep),
                "text": choice.discard,
                "expected": choice.expected,
                "behind": best.expected - choice.expected if choice.rank > 1 else None,
                "win": win,
                "wins_lost": lost,
                "parts": part,
                "bars": charts.discard_bars(part, axis),
                "at": axis.at(choice.expected),
                "mine": choice.discard == mine,
                "address": "/?" + urlencode({**asked, "mine": choice.discard.replace(" ", "")}),
            }
        )
    return {
        "role": advice.role,
        "cards": card_faces(advice.cards),
        "opponent": advice.opponent,
        "deals": advice.deals if isinstance(advice, SuitlessAdvice) else None,
        "best": {"discard": card_faces(best.discard), "keep": card_faces(best.keep)},
        "sum": _true_minus(sum_text(best, advice.role)),
        "rows": rows,
        "zero": axis.at(0),
        "notes": table.mark_notes(marks),
        "score": _at_the_score(advice) if isinstance(advice, Advice) else None,
        "mine": _mine(found, mine) if mine else None,
        **(_why(advice, mine) if isinstance(advice, Advice) else {"why": None}),
    }


def _at_the_score(advice: Advice) -> dict[str, Any] | None:
    """Say what the score does to the answer."""
    if advice.score is None:
        return None
    at = score_effect(advice.choices)
    ends = advice.explain().ends
    return {
        "points": "{}-{}".format(*advice.score),
        "needs": needs_text(advice.score, advice.role),
        "changes": at.changes,
        "spoken": at.text(format_cards(as_cards(at.by_points), symbols=True)),
        "aloud": at.text(" and ".join(face["name"] for face in card_faces(at.by_points))),
        "ends": ends.text() if ends else "",
    }


def _parts(choice: Any, role: Role) -> dict[str, float]:
    found = {"hand": choice.hand_mean, "crib": crib_sign(role) * choice.crib_mean}
    return found if choice.play_mean is None else found | {"play": choice.play_mean}


def _mine(found: Answer, mine: str) -> dict[str, Any]:
    """Say what a throw costs against the best, or by how much it is the best."""
    compared: Any = found.comparison
    choice, other = compared.choice, compared.other or compared.choice
    loss = other.expected - choice.expected if choice.rank > 1 else 0.0
    (verdict,) = DEFAULT_BANDS.verdicts([loss], [choice.rank == 1]).tolist()
    rival = Alternative.of(other, choice)
    return {
        "discard": card_faces(choice.discard),
        "other": card_faces(other.discard),
        "keep": card_faces(choice.keep),
        "sum": _true_minus(sum_text(choice, found.advice.role)),
        "cost": loss,
        "verdict": verdict,
        "best": choice.rank == 1,
        "better": rival.better,
        "wins": rival.wins,
        "difference": rival.parts(found.advice.role),
        "ahead": compared.starters_ahead if isinstance(compared, Comparison) else None,
        "text": mine,
    }


def _why(advice: Advice, mine: str) -> dict[str, Any]:
    """Say why the best is the best: what is sure, what the play does, which starters help."""
    why = advice.explain()
    total = why.distribution["total"]
    own = advice.distribution(mine)["total"] if mine and mine != why.discard else None
    starters = why.starters
    drawn = charts.starter_grid(starters["starter"].tolist(), starters["gain"].to_numpy())
    for cell in drawn["cells"]:
        cell["name"] = card_face(cell["card"])["name"]
    return {
        "why": {
            "locked_in": why.locked_in.total,
            "spoken": why.locked_in.spoken,
            "hand_min": why.hand_min,
            "rival": why.rival
            and {
                "discard": card_faces(why.rival.discard),
                "difference": why.rival.parts(why.role),
                "better": why.rival.better,
                "wins": why.rival.wins,
            },
            "play": why.play and _play(why.play),
            "helpful": [
                {"cards": card_faces(format_cards(cards)), "hand": hand, "crib": crib, "gain": gain}
                for cards, hand, crib, gain in grouped_starters(starters, ["hand", "crib_mean"])
            ],
            "starters": drawn,
            "chances": charts.distribution(total, own),
        }
    }


def _play(play: PlayExplanation) -> dict[str, Any]:
    return {
        "own": play.own,
        "opponent": play.opponent,
        "play_name": play.play_name,
        "leads": []
        if play.leads is None
        else [
            {"lead": "10" if lead == "T" else lead, "share": share, "worth": worth}
            for lead, share, worth in play.leads.itertuples(index=False)
        ],
        "show": play.at_the_show
        and {"discard": card_faces(play.at_the_show.discard), "ahead": play.at_the_show.ahead},
    }


def _true_minus(text: str) -> str:
    return text.replace(" - ", " − ").replace("-", "−")
