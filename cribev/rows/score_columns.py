"""Scores before a deal: one column of scores, or a column of points for each player."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError, quote
from cribev.game.score_notation import (
    MAX_SCORE_BEFORE,
    UNKNOWN,
    is_score,
    parse_points,
    parse_scores,
)
from cribev.rows.columns import as_text
from cribev.rows.deal_columns import RowErrors

SCORE = "score"
OPPONENT_SCORE = "opponent_score"


def holds_score(values: Iterable[Any]) -> bool:
    """Tell whether any value of a column is a score of both players."""
    return any(is_score(value) for value in values if isinstance(value, str))


def parse_score_columns(
    own: Sequence[Any], opponent: Sequence[Any] | None, dealer: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], RowErrors]:
    """Read the scores of many deals.

    `own` holds scores as ``95-110`` or ``109-108*``, the player's points first; or the player's
    points alone, and `opponent` the opponent's. `dealer` says whether the player deals, ``(N,)``.
    Returns both players' points, ``(N, 2)``, `UNKNOWN` where a row is empty or bad; and what is
    wrong with the bad rows.

    >>> scores, errors = parse_score_columns([95, "", 12], ["110", None, 121], np.zeros(3, bool))
    >>> scores.tolist()
    [[95, 110], [-1, -1], [-1, -1]]
    >>> errors[2]
    CribevError("column 'opponent_score', '121': expected points before the deal, a whole number
    from 0 to 120")
    """
    texts = [as_text(value) for value in own]
    if opponent is None:
        scores, wrong = parse_scores(texts, dealer)
        return scores, _named(SCORE, texts, wrong)
    errors: RowErrors = {}
    columns = {SCORE: texts, OPPONENT_SCORE: [as_text(value) for value in opponent]}
    points = []
    for name, column in columns.items():
        found, wrong = parse_points(column, "points before the deal", most=MAX_SCORE_BEFORE)
        points.append(found)
        errors = _named(name, column, wrong) | errors
    scores = np.stack(points, axis=1)
    known = scores != UNKNOWN
    for row in np.flatnonzero(known[:, 0] != known[:, 1]).tolist():
        there, empty = list(columns) if known[row, 0] else list(columns)[::-1]
        errors.setdefault(
            row,
            CribevError(
                f"column {there!r}, {quote(columns[there][row])}: nothing in {empty!r} beside it: "
                "expected both or neither"
            ),
        )
        scores[row] = UNKNOWN
    return scores, errors


def _named(column: str, texts: Sequence[str], wrong: dict[int, str]) -> RowErrors:
    return {
        row: CribevError(f"column {column!r}, {quote(texts[row])}: {why}")
        for row, why in wrong.items()
    }
