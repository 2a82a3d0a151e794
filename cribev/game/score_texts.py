"""Scores in columns of text, also as dates that spreadsheets made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from cribev.game.score import (
    MAX_SCORE_BEFORE,
    UNKNOWN,
    WINNING_SCORE,
    is_score,
    misplaced_star,
    read_points,
)

_POINTS = re.compile(r"([0-9]{1,3})(?:\.0*)?")

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_DATES = (
    re.compile(r"([0-9]{1,2})([-./])([0-9]{1,2})\2(?:[0-9]{4}|[0-9]{2})"),
    re.compile(r"[0-9]{4}()-([0-9]{1,2})-([0-9]{1,2})(?:[T ][0-9:.]+)?"),
    re.compile(r"()([0-9]{1,2})[-./ ]+([a-z]{3,9})\.?(?:[-./ ]+[0-9]{2,4})?", re.IGNORECASE),
    re.compile(r"()([a-z]{3,9})\.?[-./ ]+([0-9]{1,4})", re.IGNORECASE),
)
"""The dates that spreadsheets make of 4-10: 4/10/2026, 2026-04-10, 10-Apr, Apr-10; and the day's
number."""

_SERIAL = re.compile(r"([0-9]{5})(?:\.0*)?")
_SERIALS = 36526, 73051  # 2000 to 2099, as spreadsheets number days
_DAY_ZERO = date(1899, 12, 30)

_IS_DATE = "a date, which a spreadsheet has made of a score"


def parse_points(
    texts: Sequence[str], what: str, *, most: int
) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Read a column of points: ``(N,)``, `UNKNOWN` where it is empty or bad; errors by row."""

    def read(_row: int, text: str) -> tuple[int] | str:
        match = _POINTS.fullmatch(text)
        if match and int(match[1]) <= most:
            return (int(match[1]),)
        return f"expected {what}, a whole number from 0 to {most}"

    points, errors = _read(texts, 1, read)
    return points[:, 0], errors


def is_meant(text: str) -> bool:
    """Return whether a text is a score, or a date that a spreadsheet has made of one."""
    return is_score(text) or _date_points(text.strip()) is not None


def _date_points(text: str) -> tuple[int, int] | None:
    """Return the two numbers of a date, as a score may have had them; None if it is not a date."""
    if (number := _SERIAL.fullmatch(text)) and int(number[1]) in range(*_SERIALS):
        day = _DAY_ZERO + timedelta(days=int(number[1]))
        return day.month, day.day
    for pattern in _DATES:
        if match := pattern.fullmatch(text):
            numbers = [group for group in match.groups() if group.strip("-./")]
            months = {group: group[:3].lower() for group in numbers if group.isalpha()}
            if all(month in _MONTHS for month in months.values()):
                first, second = (
                    _MONTHS.index(months[group]) + 1 if group in months else int(group)
                    for group in numbers
                )
                return first, second
    return None


def parse_scores(
    texts: Sequence[str], dealer: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Read scores before many deals, such as ``109-108*``; the star may be left out.

    `dealer` says whether the player deals, ``(N,)``. Returns the player's points and the
    opponent's, ``(N, 2)``, `UNKNOWN` where the text is empty or bad; and errors by row.
    """

    def read(row: int, text: str) -> tuple[int, int] | str:
        written = read_points(text)
        if written is None:
            if day := _date_points(text):
                either = format_scores(np.array([day, day[::-1]]), dealer[[row, row]])
                return f"{_IS_DATE}: write {' or '.join(either)}, which stay text"
            return "expected a score, the player's first, a star at the dealer's: 109-108*"
        points, first_deals = written
        if max(points) > MAX_SCORE_BEFORE:
            return f"nobody has more than {MAX_SCORE_BEFORE} points before a deal"
        return misplaced_star(first_deals, dealer=bool(dealer[row])) or points

    return _read(texts, 2, read)


def format_scores(scores: NDArray[np.int64], dealer: NDArray[np.bool_] | None = None) -> list[str]:
    """Write scores ``(N, 2)``, a star at the dealer's if `dealer` says who; unknown are empty."""
    stars = [("", "")] * len(scores)
    if dealer is not None:
        stars = [("*", "") if own else ("", "*") for own in dealer.tolist()]
    return [
        f"{own}{star}-{opponent}{other}" if own != UNKNOWN else ""
        for (own, opponent), (star, other) in zip(scores.tolist(), stars, strict=True)
    ]


def parse_scores_after(texts: Sequence[str]) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Read scores after many deals, as `parse_scores` reads those before."""

    def read(_row: int, text: str) -> tuple[int, int] | str:
        written = read_points(text)
        if written and written[1] is None:
            low, high = sorted(points := written[0])
            if low < WINNING_SCORE and high <= WINNING_SCORE:
                return points
        if _date_points(text):
            return f"{_IS_DATE}: make the column text, then write 121-108"
        return "expected a score, the player's first, at most one of them 121: 121-108"

    return _read(texts, 2, read)


def _read(
    texts: Sequence[str], columns: int, read: Callable[[int, str], tuple[int, ...] | str]
) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Read each text that is not empty: `read` returns points, or what is wrong."""
    points = np.full((len(texts), columns), UNKNOWN, dtype=np.int64)
    errors = {}
    for row, text in enumerate(texts):
        if written := text.strip():
            points_read = read(row, written)
            if isinstance(points_read, str):
                errors[row] = points_read
            else:
                points[row] = points_read
    return points, errors
