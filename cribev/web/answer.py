"""An answer, as the page has it."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import numpy as np

from cribev.choice import CLOSE, near_ties
from cribev.deal.advice import Advice
from cribev.deal.advice_look import sum_of
from cribev.deal.answers import Answer
from cribev.deal.comparison import Comparison
from cribev.deal.explanation import better, difference, difference_of, starters_alike
from cribev.deal.in_the_play import InThePlay
from cribev.deal.outcomes import Choice
from cribev.deal.suitless import SuitlessAdvice, SuitlessChoice
from cribev.game.cards import RANKS, as_cards, format_cards
from cribev.game.roles import Role, crib_sign
from cribev.reviews.page import face_of
from cribev.reviews.words import DEFAULT_BANDS
from cribev.web import pictures

_HELPFUL = 5


def faces(text: str) -> list[dict[str, Any]]:
    """Tell how cards are drawn, with suits or without.

    >>> [face["name"] for face in faces("5H TD")], faces("5 T")[1]["rank"]
    (['5 of hearts', 'ten of diamonds'], '10')
    """
    parts = text.split()
    if parts and all(len(part) == 1 for part in parts):
        ranks = [face_of(4 * RANKS.index(rank)) for rank in parts]
        return [{**face, "suit": "", "name": face["name"].partition(" of ")[0]} for face in ranks]
    return [face_of(int(card)) for card in as_cards(text)] if parts else []


def shown(found: Answer, asked: dict[str, str], mine: str) -> dict[str, Any]:
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
    choices: Sequence[Choice | SuitlessChoice] = advice.choices
    best = choices[0]
    values = np.array([choice.expected for choice in choices])
    often = Counter(choice.rank for choice in choices)
    near = near_ties(values)
    parts = [_parts(choice, advice.role) for choice in choices]
    scale = pictures.scale_of(parts)
    rows = []
    for choice, part, close in zip(choices, parts, near, strict=True):
        rows.append(
            {
                "rank": choice.rank,
                "mark": "=" * (often[choice.rank] > 1) + "~" * bool(close),
                "discard": faces(choice.discard),
                "keep": faces(choice.keep),
                "text": choice.discard,
                "expected": choice.expected,
                "behind": best.expected - choice.expected if choice.rank > 1 else None,
                "win": getattr(choice, "win", None),
                "parts": part,
                "bars": pictures.bars(part, scale),
                "at": scale.at(choice.expected),
                "mine": choice.discard == mine,
                "address": "/?" + urlencode({**asked, "mine": choice.discard.replace(" ", "")}),
            }
        )
    return {
        "role": advice.role,
        "cards": faces(advice.cards),
        "opponent": advice.opponent,
        "deals": advice.deals if isinstance(advice, SuitlessAdvice) else None,
        "best": {"discard": faces(best.discard), "keep": faces(best.keep)},
        "sum": _true_minus(sum_of(best, advice.role)),
        "rows": rows,
        "zero": scale.at(0),
        "marks": {row["mark"] for row in rows},
        "close": CLOSE,
        "win": rows[0]["win"],
        "mine": _mine(found, mine) if mine else None,
        **(_why(advice, mine) if isinstance(advice, Advice) else {"why": None}),
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
    gains = (
        choice.hand_mean - other.hand_mean,
        choice.crib_mean - other.crib_mean,
        found.advice.role,
        difference_of(choice.play_mean, other.play_mean),
    )
    ahead = None
    if isinstance(compared, Comparison):
        ahead = int((compared.starters["gain"] > 0).sum()), len(compared.starters)
    return {
        "discard": faces(choice.discard),
        "other": faces(other.discard),
        "keep": faces(choice.keep),
        "sum": _true_minus(sum_of(choice, found.advice.role)),
        "cost": loss,
        "verdict": verdict,
        "best": choice.rank == 1,
        "better": better(choice.expected - other.expected),
        "difference": difference(*gains),
        "ahead": ahead,
        "text": mine,
    }


def _why(advice: Advice, mine: str) -> dict[str, Any]:
    """Say why the best is the best: what is sure, what the play does, which starters help."""
    why = advice.explain()
    total = why.distribution["total"]
    own = advice.distribution(mine)["total"] if mine and mine != why.discard else None
    starters = why.starters
    drawn = pictures.starters(starters["starter"].tolist(), starters["gain"].to_numpy())
    for cell in drawn["cells"]:
        cell["name"] = face_of(cell["card"])["name"]
    return {
        "why": {
            "locked_in": why.locked_in.total,
            "spoken": why.locked_in.spoken,
            "hand_min": why.hand_min,
            "rival": why.rival
            and {
                "discard": faces(why.rival.discard),
                "difference": difference(why.rival.hand, why.rival.crib, why.role, why.rival.play),
                "better": better(why.rival.expected),
            },
            "play": why.play and _play(why.play),
            "helpful": [
                {"cards": faces(format_cards(cards)), "hand": hand, "crib": crib, "gain": gain}
                for cards, hand, crib, gain in starters_alike(starters, ["hand", "crib_mean"])
            ][:_HELPFUL],
            "starters": drawn,
            "chances": pictures.chances(total, own),
        }
    }


def _play(play: InThePlay) -> dict[str, Any]:
    return {
        "own": play.own,
        "opponent": play.opponent,
        "leads": []
        if play.leads is None
        else [
            {"lead": "10" if lead == "T" else lead, "share": share, "worth": worth}
            for lead, share, worth in play.leads.itertuples(index=False)
        ],
        "show": play.at_the_show
        and {"discard": faces(play.at_the_show.discard), "ahead": play.at_the_show.ahead},
    }


def _true_minus(text: str) -> str:
    return text.replace(" - ", " − ").replace("-", "−")
