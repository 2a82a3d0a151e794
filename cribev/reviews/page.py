"""The page of a review: one HTML file that needs nothing else."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cribev.errors import CribevError
from cribev.files.extras import extra
from cribev.files.whole import written_whole
from cribev.game.cards import RANKS, SUIT_SYMBOLS, as_cards
from cribev.reviews.ledger import Review
from cribev.reviews.totals import VERDICTS

if TYPE_CHECKING:
    import jinja2

MOST = 5000
"""Decisions a page can have: each brings a table of 15 discards."""

_WORST = 5
_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
_RANK_NAMES = {"A": "ace", "T": "ten", "J": "jack", "Q": "queen", "K": "king"}

_WIDE, _HIGH = 400, 220  # the units pictures are drawn in, near a phone's pixels
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 8, 10, 32


@dataclass(frozen=True)
class _Axis:
    """Where values come to stand in a picture."""

    low: float
    high: float
    near: float
    far: float

    def at(self, value: float) -> float:
        part = (value - self.low) / (self.high - self.low)
        return round(self.near + part * (self.far - self.near), 2)

    def ticks(self, *, most: int = 6, least: float = 0.0) -> list[float]:
        """Choose round values, a few of them."""
        rough = max((self.high - self.low) / most, least, 1e-9)
        power = 10.0 ** np.floor(np.log10(rough))
        step = next(n * power for n in (1, 2, 5, 10) if n * power >= rough * (1 - 1e-9))
        first, last = np.ceil(self.low / step - 1e-9), np.floor(self.high / step + 1e-9)
        return [float(round(n * step, 6)) + 0.0 for n in np.arange(first, last + 1)]


def write_page(review: Review, path: Path) -> None:
    """Write the page of a review; a file that is there is replaced.

    Raises
    ------
    CribevError
        If jinja2 is not there, or there are more decisions than a page can have.
    OSError
        If the file cannot be written.
    """
    text = page(review)
    with written_whole(path) as file:
        file.write(text.encode("utf-8", "replace"))


def page(review: Review) -> str:
    """Draw up the page of a review, as HTML that loads nothing.

    Raises
    ------
    CribevError
        If jinja2 is not there, or there are more decisions than a page can have.

    Examples
    --------
    >>> from cribev import review
    >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["<b>Ann"], "role": ["pone"],
    ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["5H 5D"]})
    >>> "&lt;b&gt;Ann" in page(review(frame))
    True
    """
    check_page(len(review.decisions))
    text: str = _environment().get_template("review.html").render(
        review=review,
        players=[_player(review, player) for player in review.players["player"]],
        verdicts=VERDICTS,
        box={"wide": _WIDE, "high": _HIGH, "left": _LEFT, "right": _WIDE - _RIGHT,
             "top": _TOP, "bottom": _HIGH - _BOTTOM},
    )  # fmt: skip
    return text


def check_page(decisions: int) -> None:
    """Refuse at once what could not be drawn up at the end.

    Raises
    ------
    CribevError
        If jinja2 is not there, or there are more decisions than a page can have.

    Examples
    --------
    >>> check_page(1_000_000)
    Traceback (most recent call last):
    cribev.errors.CribevError: 1,000,000 decisions are too many for a page, which holds 5,000:
    choose a player, or fewer games
    """
    extra("jinja2", "report")
    if decisions > MOST:
        raise CribevError(
            f"{decisions:,} decisions are too many for a page, which holds {MOST:,}: "
            "choose a player, or fewer games"
        )


def _environment() -> "jinja2.Environment":
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("cribev.reviews"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["points"] = _points
    made.filters["signed"] = lambda value, digits=2: _points(value, digits, sign="+")
    made.filters["faces"] = _faces
    return made


def _points(value: float, digits: int = 2, sign: str = "") -> str:
    """Write a number of points with a true minus, a dash where it is missing."""
    if pd.isna(value):
        return "–"
    return f"{round(float(value), digits) + 0.0:{sign}.{digits}f}".replace("-", "−")


def _faces(cards: str, out: str = "") -> list[dict[str, Any]]:
    """Tell how to draw cards, and which of them are thrown."""
    thrown = set(as_cards(out).tolist()) if out else set()
    faces = []
    for card in np.sort(as_cards(cards)).tolist() if cards else []:
        rank, suit = RANKS[card >> 2], card & 3
        faces.append(
            {
                "rank": "10" if rank == "T" else rank,
                "suit": SUIT_SYMBOLS[suit],
                "red": suit in (1, 2),
                "name": f"{_RANK_NAMES.get(rank, rank)} of {_SUIT_NAMES[suit]}",
                "out": card in thrown,
            }
        )
    return faces


def _player(review: Review, name: str) -> dict[str, Any]:
    """Gather what the page says of one player."""
    own = review.of_player(name)
    totals = own.players.iloc[0]
    # Games in the order of the record, deals in their own.
    order = np.lexsort((own.decisions["deal"], pd.factorize(own.decisions["game"])[0]))
    decisions = [
        {**own.decisions.iloc[row].to_dict(), "number": number, "row": int(row)}
        for number, row in enumerate(order, start=1)
    ]
    numbers = {decision["row"]: decision["number"] for decision in decisions}
    return {
        "name": name,
        "totals": totals.to_dict(),
        "standing": own.standing(totals),
        "games": own.games.to_dict(orient="records"),
        "decisions": decisions,
        "options": lambda row: own.options(row).to_dict(orient="records"),
        "reason": own.reason,
        "worst": [
            {**own.decisions.iloc[row].to_dict(), "number": numbers[row], "why": own.reason(row)}
            for row in own.costliest(_WORST)
        ],
        "ledger": _ledger(own.decisions.iloc[order]),
        "losses": _losses(decisions, review),
    }


def _across(deals: int) -> _Axis:
    return _Axis(0, max(deals, 1), _LEFT, _WIDE - _RIGHT)


def _ledger(decisions: pd.DataFrame) -> dict[str, Any]:
    """Draw running totals over the deals; one whose result is not known adds nothing.

    If none is known, what luck and discards there were stands alone.
    """
    shown = decisions["result"].notna()
    if shown.any():
        decisions = decisions.where(shown)
    parts = {
        "luck": decisions["deal_luck"].fillna(0) + decisions["starter_luck"].fillna(0),
        "skill": -decisions["ev_loss"].fillna(0),
    }
    if shown.any():
        parts["swing"] = decisions["crib_swing"].fillna(0)
        parts["result"] = decisions["result"].fillna(0)
    running = {name: np.concatenate([[0.0], part.cumsum()]) for name, part in parts.items()}
    low = min(float(line.min()) for line in running.values())
    high = max(float(line.max()) for line in running.values())
    room = max(high - low, 1.0) * 0.06
    up = _Axis(low - room, high + room, _HIGH - _BOTTOM, _TOP)
    across = _across(len(decisions))
    return {
        "lines": [
            {
                "kind": name,
                "path": " ".join(_path(line, across, up)),
                "end": float(line[-1]),
                "last": (across.at(len(line) - 1), up.at(line[-1])),
            }
            for name, line in running.items()
        ],
        "zero": up.at(0),
        "up": [(up.at(value), f"{value:g}".replace("-", "−")) for value in up.ticks()],
        "across": _deal_ticks(across, len(decisions), middle=False),
    }


def _path(line: Iterable[float], across: _Axis, up: _Axis) -> Iterator[str]:
    for at, value in enumerate(line):
        yield f"{'L' if at else 'M'}{across.at(at)} {up.at(value)}"


def _losses(decisions: list[dict[str, Any]], review: Review) -> dict[str, Any]:
    """Draw a bar for what each deal's discard lost."""
    most = max([review.bands.blunder, *(decision["ev_loss"] for decision in decisions)])
    up = _Axis(0, most * 1.05, _HIGH - _BOTTOM, _TOP)
    across = _across(len(decisions))
    step = (across.far - across.near) / max(len(decisions), 1)
    bars = [
        {
            "x": round(across.at(decision["number"] - 1) + step * 0.1, 2),
            "y": up.at(decision["ev_loss"]),
            "wide": round(step * 0.8, 2),
            "high": round(up.at(0) - up.at(decision["ev_loss"]), 2),
            "decision": decision,
        }
        for decision in decisions
    ]
    return {
        "bars": bars,
        "zero": up.at(0),
        "bands": [(up.at(value), name) for name, value in review.bands._asdict().items()],
        "up": [(up.at(value), f"{value:g}") for value in up.ticks()],
        "across": _deal_ticks(across, len(decisions), middle=True),
    }


def _deal_ticks(across: _Axis, deals: int, *, middle: bool) -> list[tuple[float, int]]:
    return [
        (across.at(value - 0.5 if middle else value), int(value))
        for value in across.ticks(most=8, least=1.0)
        if (0 if not middle else 1) <= value <= deals
    ]
