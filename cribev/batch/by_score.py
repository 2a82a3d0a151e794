"""One deal at every score of one player: where the best discard changes."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from cribev.advice.names import OpponentLike
from cribev.advice.question import read_discard
from cribev.classes.canonical import Floats
from cribev.errors import CardError, CribevError, quote
from cribev.evaluation.plan import DealBatch, plan_evaluation
from cribev.game.cards import SUITLESS_OFFSET, CardsLike, format_card
from cribev.game.deal import Position
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import Role
from cribev.game.score import ANY_POINTS, WINNING_SCORE, as_score
from cribev.game.stakes import Stakes, StakesLike
from cribev.game.words import format_chance
from cribev.opponents.opponents import ExpertOpponent
from cribev.system.bars import tqdm
from cribev.tables.listing import Cell, Listing

_ALIKE = 0.001  # what differs by less is not told apart: that far chances to win may be off
_EXPECTED = "a score with one question mark, your points first, from 0 to 120, as 103-? or ?-103"


def discards_by_score(
    deal: CardsLike | Position,
    *,
    score: str,
    role: str | None = None,
    opponent: OpponentLike = "expert",
    stakes: StakesLike | None = None,
    workers: int = 1,
) -> Listing:
    """Show where the best discard changes as the points of one player go from 0 to 120.

    Parameters
    ----------
    deal
        Six cards; or a `Position` of six cards or its text, which gives the role.
    score
        Your points before the deal and the opponent's, one of them a question mark: ``"103-?"``,
        ``"?-103"``.
    role
        ``"dealer"`` or ``"pone"``; a star in the score also gives it.
    opponent
        ``"expert"``, an expert with another solution, or an opponent with habits, like
        ``"people"``. Chances to win are approximate, as in `evaluate_deals`.
    stakes
        What the game is played for, as for `cribev.advise`.
    workers
        Processes that share the work on cards without suits, as for `evaluate_deals`.

    Returns
    -------
    An object that prints as a table. Its ``table`` has one row for each range of scores, ascending:
    ``role``, ``first`` and ``last``, the points of the player marked by ``?``; ``discard`` and
    ``keep``, missing if all discards win equally often; ``win_first`` and ``win_last``, how often
    the discard wins at each end of the range; with stakes ``value_first`` and ``value_last``. A
    discard stays the best until another wins 0.1 % of games more, or is worth 0.001 more.

    Raises
    ------
    CardError
        If they are not six different cards.
    CribevError
        If the score, the role or the stakes are invalid, or the opponent cannot be used.

    Examples
    --------
    >>> found = discards_by_score("3D 3S 5C 7C QC QS", role="dealer", score="?-104")
    >>> found.table[["first", "last", "discard"]][2:3]
       first  last discard
    2    101   109   3D 3S
    """
    at_none, own_runs = _at_no_points(score)
    question = read_discard(deal, role=role, score=at_none, opponent=opponent, stakes=stakes)
    player, across, played_for = question.position.role, question.opponent, question.stakes
    cards = np.array(question.position.held.kept, dtype=np.uint8)
    if cards.min() < SUITLESS_OFFSET <= cards.max():
        raise CardError(f"expected six cards with suits, or six without, got {_text(cards)}")
    assert question.position.score is not None
    fixed = question.position.score.seen_by(player)[own_runs]
    is_known = isinstance(across, ExpertOpponent) or across.is_replied_to
    if not is_known:
        raise CribevError(
            f"{quote(across.name)}: a score with a question mark is for an expert or an opponent "
            "with habits"
        )
    scores = np.stack([np.arange(WINNING_SCORE), np.full(WINNING_SCORE, fixed)], axis=1)
    dealer = np.full(len(scores), player == "dealer")
    scores = scores if own_runs else scores[:, ::-1]
    batch = DealBatch.of(np.tile(cards, (len(scores), 1)), dealer, scores, played_for.goal)
    with tqdm(total=len(scores), desc="evaluating", unit=" scores", disable=None) as bar:
        plan = plan_evaluation(batch, across, many_near=1, workers=workers)
        values = plan.values(bar.update)
    assert values.win is not None
    listed = {"win": values.win} | ({} if values.worth is None else {"value": values.worth})
    ranges = _ranges(listed.get("value", values.win))
    return _listing(cards, player, score.strip(), ranges, listed, played_for)


def _text(cards: Any) -> str:
    return " ".join(map(format_card, cards.tolist()))


def _at_no_points(score: object) -> tuple[str, bool]:
    """Replace the question mark by 0, and tell whether it is for the player's own points."""
    if not isinstance(score, str):
        raise CribevError(f"{quote(repr(score))} is not {_EXPECTED}")
    text = score.replace(ANY_POINTS, "000")  # beside three digits none fits
    with suppress(CribevError):
        as_score(text)
        if score.count(ANY_POINTS) == 1:
            return text, score.lstrip().startswith(ANY_POINTS)
    raise CribevError(f"{quote(score)} is not {_EXPECTED}")


def _ranges(worth: Floats) -> Iterator[tuple[int, int, int | None]]:
    """Split scores by which discard is worth most, ``(121, 15)``; None if all are equal."""
    first, held = 0, _best(worth[0])
    for at, row in enumerate(worth[1:], 1):
        best = _best(row)
        if best is not None and held is not None and row[best] - row[held] < _ALIKE:
            continue
        if best != held:
            yield first, at - 1, held
            first, held = at, best
    yield first, len(worth) - 1, held


def _best(worth: Floats) -> int | None:
    return None if np.ptp(worth) < _ALIKE else int(worth.argmax())


def _listing(
    cards: Any,
    role: Role,
    score: str,
    ranges: Iterable[tuple[int, int, int | None]],
    worth: dict[str, Floats],
    stakes: Stakes,
) -> Listing:
    """List ranges with what they are worth at their ends, ``(121, 15)`` each, by name."""
    every, rows = [], list[list[Cell]]()
    *_, most = worth.values()
    for first, last, at in ranges:
        best = int(most[first].argmax()) if at is None else at
        parts = [_text(cards[part[best]]) for part in (DISCARDS, KEEPS)]
        thrown, keep = (None, None) if at is None else parts
        ends = {
            name: [float(part[points, best]) for points in (first, last)]
            for name, part in worth.items()
        }
        every.append((role, first, last, thrown, keep, *chain(*ends.values())))
        scores = str(first) if first == last else f"{first}–{last}"
        told = {"win": map(format_chance, ends["win"])}
        told |= {"value": map("{:.3f}".format, ends["value"])} if "value" in ends else {}
        shown = (" – ".join(dict.fromkeys(texts)) for texts in told.values())
        rows.append([scores, thrown or "any", keep or "", *shown])
    names = ["role", "first", "last", "discard", "keep"]
    names += [f"{name}_{end}" for name in worth for end in ("first", "last")]
    whose = "your points" if score.lstrip().startswith(ANY_POINTS) else "their points"
    goal = "wins most" if len(worth) == 1 else "is worth most"
    title = f"{_text(cards)} as {role} at {score}: what {goal}"
    table = pd.DataFrame(every, columns=names)
    notes = ["chances to win are approximate; any: all discards are as good"]
    columns = [whose, "discard", "keep", "wins", "worth"][: 3 + len(worth)]
    notes = ([f"stakes {stakes.text}"] if len(worth) > 1 else []) + notes
    return Listing(title, columns, rows, table, notes, left=3)
