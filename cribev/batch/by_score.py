"""One deal at every score of one player: where the best discard changes."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from cribev.batch.evaluators import DealBatch, plan_evaluation
from cribev.choice import format_chance
from cribev.classes.canonical import Floats
from cribev.errors import CribevError, quote
from cribev.game.cards import CardsLike, as_cards, format_cards
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import Role, as_role
from cribev.game.score import ANY_POINTS, MAX_SCORE_BEFORE, WINNING_SCORE, parse_integer
from cribev.opponents.players import ExpertOpponent, OpponentLike, as_opponent
from cribev.solution.tables import Cell, Listing

_ALIKE = 0.001  # chances to win that differ by less are not told apart: that far they may be off
_EXPECTED = "a score with one question mark, your points first, as 103-? or ?-103"


class ScoreRange(NamedTuple):
    """Scores in a row at which one discard wins most, or at which all win as often."""

    first: int
    last: int
    discard: int | None  # which of the 15; None if it does not matter


def discards_by_score(
    deal: CardsLike, *, role: str, score: str, opponent: OpponentLike = "expert"
) -> Listing:
    """Say where the best discard changes as the points of one player run from 0 to 120.

    Parameters
    ----------
    deal
        Six cards.
    role
        ``"dealer"`` or ``"pone"``.
    score
        Your points before the deal and the opponent's, one of them a question mark: ``"103-?"``,
        ``"?-103"``.
    opponent
        ``"expert"``, or an expert with another solution: chances to win are approximate, as those
        of `evaluate_deals`.

    Returns
    -------
    What prints as a table; its ``table`` has a row for each range of scores, ascending: ``role``,
    ``first`` and ``last``, the points of the player whose points run; ``discard`` and ``keep``,
    missing where all discards win as often; ``win_first`` and ``win_last``, how often that wins at
    the ends of the range. A discard stays the best until another wins 0.1 % of games more.

    Raises
    ------
    CardError
        If they are not six different cards.
    CribevError
        If the score is none, the role is none, or the opponent is no expert.

    Examples
    --------
    >>> found = discards_by_score("3D 3S 5C 7C QC QS", role="dealer", score="?-104")
    >>> found.table[["first", "last", "discard"]][2:3]
       first  last discard
    2    101   109   3D 3S
    """
    cards, player = np.sort(as_cards(deal, count=6)), as_role(role)
    fixed, own_runs = _parse(score)
    across = as_opponent(opponent)
    if not isinstance(across, ExpertOpponent) or across.plays_for == "wins":
        raise CribevError(f"{quote(across.name)}: a score with a question mark is for an expert")
    points = np.arange(WINNING_SCORE)
    scores = np.stack([points, np.full_like(points, fixed)], axis=1)
    dealer = np.full(len(points), player == "dealer")
    batch = DealBatch.of(
        np.tile(cards, (len(points), 1)), dealer, scores if own_runs else scores[:, ::-1]
    )
    with tqdm(total=len(points), desc="evaluating", unit=" scores", disable=None) as bar:
        wins = plan_evaluation(batch, across, many_near=1).values(bar.update).win
    assert wins is not None
    return _listing(cards, player, score.strip(), [*_ranges(wins)], wins)


def _parse(score: str) -> tuple[int, bool]:
    """Read the points that stay, and whether it is the player's own that run."""
    parts = "".join(score.split()).replace(":", "-").replace("/", "-").split("-")
    if len(parts) == 2 and parts.count(ANY_POINTS) == 1:
        own_runs = parts[0] == ANY_POINTS
        fixed = parse_integer(parts[own_runs], most=MAX_SCORE_BEFORE)
        if fixed is not None:
            return fixed, own_runs
    raise CribevError(f"{quote(score)} is not {_EXPECTED}")


def _ranges(wins: Floats) -> Iterator[ScoreRange]:
    """Part scores by the discard that is best, ``(121, 15)``."""
    first, held = 0, _best(wins[0])
    for at, row in enumerate(wins[1:], 1):
        best = _best(row)
        if best is not None and held is not None and row[best] - row[held] < _ALIKE:
            continue
        if best != held:
            yield ScoreRange(first, at - 1, held)
            first, held = at, best
    yield ScoreRange(first, len(wins) - 1, held)


def _best(wins: Floats) -> int | None:
    return None if np.ptp(wins) < _ALIKE else int(wins.argmax())


def _listing(cards: Any, role: Role, score: str, ranges: list[ScoreRange], wins: Floats) -> Listing:
    every, rows = [], list[list[Cell]]()
    for first, last, at in ranges:
        best = int(wins[first].argmax()) if at is None else at
        parts = [format_cards(cards[part[best]]) for part in (DISCARDS, KEEPS)]
        thrown, keep = (None, None) if at is None else parts
        ends = [float(wins[points, best]) for points in (first, last)]
        every.append((role, first, last, thrown, keep, *ends))
        scores = str(first) if first == last else f"{first}–{last}"
        rows.append(
            [
                scores,
                "any" if thrown is None else thrown,
                keep or "",
                " – ".join(dict.fromkeys(map(format_chance, ends))),
            ]
        )
    names = ("role", "first", "last", "discard", "keep", "win_first", "win_last")
    whose = "your points" if score.lstrip().startswith(ANY_POINTS) else "their points"
    title = f"{format_cards(cards)} as {role} at {score}: what wins most"
    table = pd.DataFrame(every, columns=list(names))
    notes = ["chances to win are approximate; any: all discards win as often"]
    return Listing(title, (whose, "discard", "keep", "wins"), rows, table, notes, left=3)
