"""A played game reviewed: discards and cards graded, every result split into losses and luck."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from os import PathLike
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import pandas as pd

from cribev.advice.names import as_opponent
from cribev.advice.question import check_asked
from cribev.classes.ranking import DiscardValues, net_points
from cribev.errors import CribevError, RecordError
from cribev.evaluation.exact import ValuesGivenStarter
from cribev.evaluation.plan import DealBatch, Report, exact_batch_values, plan_evaluation
from cribev.game.cards import SUITLESS_OFFSET
from cribev.game.score import UNKNOWN
from cribev.game.stakes import WIN_STAKES, Stakes, StakesLike
from cribev.game.words import require_flags
from cribev.grades.grading import GradedCards, grade_cards, grade_decisions, require_free_columns
from cribev.grades.totals import accuracy, tabulate_error_rates, totals_by
from cribev.leaks.groups import with_groups
from cribev.opponents.opponents import Opponent
from cribev.records.formats import game_type, good_games, read_records
from cribev.records.record import Record, as_record
from cribev.reviews.listings import Review
from cribev.rows.columns import from_arrow
from cribev.system.bars import tqdm
from cribev.system.processes import shared_processes

ProgressReport: TypeAlias = Callable[[int, int], object] | None
"""Called with the number of discards and hands graded so far, and their total."""


def review(
    record: pd.DataFrame | Record | str | PathLike[str] | Sequence[str | PathLike[str]] | Any,
    *,
    opponent: str | PathLike[str] | Opponent = "expert",
    play: bool = True,
    fast: bool = False,
    cards: bool = True,
    stakes: StakesLike | None = None,
    workers: int = 1,
    errors: Literal["raise", "skip"] = "raise",
    progress: ProgressReport = None,
) -> Review:
    """Grade discards and cards of a played game, and split each result into losses and luck.

    Parameters
    ----------
    record
        One row for each discard: a DataFrame, or a table from another library, as for
        `cribev.evaluate`; or a file, folder or pattern that `cribev.read_record` reads; or a list
        of these, in which a name is the same player in all files. Columns are ``game`` (kept as it
        is if a table has whole numbers there, else text), ``deal`` (a whole number from 1 up),
        ``player``, ``role`` (dealer or pone), ``cards`` (six), ``discard`` (two of them); and if
        known ``starter``, ``opponent_discard``, ``pegged`` and ``opponent_pegged`` (points in the
        play) or ``play`` (as `cribev.peg` reads it), ``score`` (before the deal, the player's
        points first: ``109-108*``, with a star at the dealer's), and ``score_after``. The two rows
        of a deal complete each other, and so do the scores of deals. Cards are text that
        `cribev.parse_cards` reads, or lists of such texts. Names of columns may have capitals and
        blanks. Other columns are kept.
    opponent
        The opponent, as in `cribev.advise`. Discards and cards are graded against them.
    play
        Count the play; otherwise only the show.
    fast
        Use the class tables, for very many decisions. Average cribs are then within some hundredths
        of a point, and starter luck is only that of the hand: its part in the crib goes to the
        swing. Chances to win are within about 0.0005. Near the end, where a player needs less than
        32 points, fewer than 32 decisions are computed one by one. Cards are not graded.
    cards
        Grade every card of the recorded plays, if the play counts.
    stakes
        What the games were played for, as for `cribev.advise`. If scores are known, losses and luck
        are in that unit; they decide the verdict if a player needs 61 points or fewer.
    workers
        Processes that share the exact work. With more than one, guard your script by
        ``if __name__ == "__main__":``, as `multiprocessing` requires.
    errors
        What to do about a file that cannot be read, or a game that is impossible: ``"raise"`` at
        the first, or ``"skip"`` them if others are good; `Review.rejects` says why.
    progress
        Called with the number of discards and hands graded so far, and their total. Without it, a
        bar on a terminal's standard error shows the progress.

    Returns
    -------
    A `Review`.

    Raises
    ------
    RecordError
        If the record cannot be read or is impossible (the error names game, deal, column and text),
        or has some columns with names of results. If it has them all, they are replaced.
    TableError
        If the opponent cannot be read.
    CribevError
        If there are no class tables for the opponent, the stakes are invalid, or there are stakes
        and no score is known.

    Examples
    --------
    >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["dealer"],
    ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["5H 5D"],
    ...                       "starter": ["4C"], "opponent_discard": ["9S KD"]})
    >>> decision = review(frame).decisions.iloc[0]
    >>> decision["best_discard"], decision["verdict"], int(decision["rank"])
    ('2H 8D', 'blunder', 15)
    """
    require_flags(fast=fast, cards=cards)
    played_for = Stakes.read(stakes)
    if errors not in ("raise", "skip"):
        raise CribevError(f"errors={errors!r}: expected raise or skip: games count whole or not")
    left_out = list[RecordError]()
    skip = left_out.append if errors == "skip" else None
    record = from_arrow(record)
    dtype = game_type(record) if isinstance(record, pd.DataFrame) else None
    if not isinstance(record, pd.DataFrame | Record):
        sources = record if isinstance(record, list | tuple) else [cast("str", record)]
        record = read_records(sources, skip=skip)
    elif isinstance(record, pd.DataFrame) and skip is not None:
        record = good_games(record, skip)
    checked = record if isinstance(record, Record) else as_record(record)
    if dtype is not None:
        numbers = checked.frame["game"].map(int).astype(dtype)
        checked = checked._replace(frame=checked.frame.assign(game=numbers))
    require_free_columns(checked)
    against = as_opponent(opponent, play=play)
    graded, plays = None, int((checked.frame["play"] != "").sum())
    plays *= cards and not fast and against.counts_play
    shared = nullcontext() if workers == 1 else shared_processes(workers)
    with _reported(len(checked.deals) + plays, progress) as report, shared:
        values = value_discards(
            checked, against, fast=fast, stakes=played_for, workers=workers, report=report
        )
        if plays:
            graded = grade_cards(
                checked,
                wins=values.discards.win is not None,
                stakes=played_for,
                opponent=against,
                workers=workers,
                report=report,
            )
    decisions = grade_decisions(checked, values, against, stakes=played_for, graded=graded)
    played = graded or GradedCards.none(checked.frame["game"].dtype)
    decisions, played = with_groups(checked, decisions, values.discards, played)
    players, games = (
        totals_by(decisions, by).assign(
            accuracy=accuracy(decisions, played, by, played_for.swing).to_numpy()
        )
        for by in (["player"], ["game", "player"])
    )
    return Review(
        decisions=decisions,
        players=players,
        games=games,
        error_rates=tabulate_error_rates(decisions, values.discards, played),
        against=against,
        play=against.counts_play,
        fast=fast,
        discards=values.discards,
        stakes=played_for,
        record=checked,
        graded=played,
        rejects=pd.DataFrame({"reason": [str(error) for error in left_out]}, dtype="str"),
    )


@contextmanager
def _reported(total: int, progress: ProgressReport) -> Iterator[Callable[[int], object]]:
    """Report the work done, to `progress` or a bar on a terminal."""
    if progress is None:
        with tqdm(total=total, desc="reviewing", unit=" decisions", disable=None) as bar:
            yield bar.update
        return
    done = 0

    def report(number: int) -> None:
        nonlocal done
        done += number
        progress(done, total)

    report(0)
    yield report


def value_discards(
    record: Record,
    opponent: Opponent,
    *,
    fast: bool = False,
    stakes: Stakes = WIN_STAKES,
    workers: int = 1,
    report: Report = None,
) -> ValuesGivenStarter:
    """Value every discard of a record: exactly, or from the class tables."""
    scored = opponent.counts_play and (record.scores != UNKNOWN).any()
    scores = record.scores if scored else None
    check_asked(opponent, stakes, scored=scores is not None)
    deals = DealBatch.of(record.deals, record.dealer, scores, stakes.goal)
    suited = np.asarray((record.deals < SUITLESS_OFFSET).all(axis=1))
    cut = np.where(record.starters < SUITLESS_OFFSET, record.starters, UNKNOWN)
    exact = suited & (not fast)
    if exact.all():
        return exact_batch_values(deals, opponent, starters=cut, workers=workers, report=report)
    shape = len(exact), 15
    room = DiscardValues.blank(
        shape, play=opponent.counts_play, win=bool(scored), worth=deals.goal is not None
    )
    valued = ValuesGivenStarter(room, np.full(shape, np.nan))
    rest = deals.take(~exact)
    values = plan_evaluation(rest, opponent, workers=workers).values(report if fast else None)
    # An opponent who discards any two cards makes a discard as often as it repeats.
    net = net_points(values.hand, values.crib, rest.dealer, values.play)
    valued.discards.put(~exact, replace(values, expected=net))
    known = (suited & (cut != UNKNOWN))[~exact, None]
    valued.crib_given_starter[~exact] = np.where(known, values.crib, np.nan)
    if report is not None and not fast:
        report(len(rest.dealer))
    if exact.any():
        one_by_one = exact_batch_values(
            deals.take(exact), opponent, starters=cut[exact], workers=workers, report=report
        )
        valued.discards.put(exact, one_by_one.discards)
        valued.crib_given_starter[exact] = one_by_one.crib_given_starter
    return valued
