"""Every card laid in a record, and what each choice of a card lost.

A choice is a turn in which more than one rank fits. It is valued by what the player knew then, as
`cribev.advise_play` values it: the cards kept and thrown, the starter, the cards laid so far, and
an opponent who keeps and plays as an expert does. What a card lost is how much less it is worth
than the best; in chances to win too where the score and the starter are known.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from itertools import takewhile
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from cribev.advice.cards import play_advice
from cribev.advice.decisions import Options
from cribev.choice import FORCED, TIE_TOLERANCE, VerdictBands
from cribev.classes.canonical import Floats, Index
from cribev.game.cards import RANKS, rank_of
from cribev.game.deal import Position
from cribev.game.play import Play
from cribev.game.roles import role_of
from cribev.game.score import UNKNOWN, near_end
from cribev.opponents.players import PlayStrategyLike, ToWin, as_play_strategy
from cribev.reviews.record import Record
from cribev.rows.columns import CARD_COLUMNS, CARD_WIN_COLUMNS
from cribev.solution.solution import shipped_strategy
from cribev.solution.tree import PlayStrategy
from cribev.system.processes import process_pool

DECISION_KINDS = ("lead", "answer", "later")
"""Which card it is: pone's first, the dealer's first, or one after these."""

BASELINE_PLAY = {"greedy": "greedy", "random": "uniform"}
"""Players whose loss at the same choices stands beside, and how they play."""

_HANDS_LISTED = 5  # that the opponent likeliest holds
_FEW_SEATS = 6  # processes take as long to start as so many seats to value


class ValuedCards(NamedTuple):
    """What the cards are worth that a player could lay in one turn, and what was known."""

    options: Options
    baselines: Floats
    """How often the players of `BASELINE_PLAY` lay each, ``(2, k)``."""
    held: Floats
    """How likely the opponent has at least one card of each rank, ``(13,)``."""
    hands: tuple[tuple[str, float], ...]
    """The likeliest of what the opponent has left, and how likely each is; none without cards."""
    explained: bool
    """Whether all the opponent did is something an expert does."""


class GradedCards(NamedTuple):
    """The cards laid in a record, by game and deal as they fell."""

    frame: pd.DataFrame
    """A row for each card of a player whose six cards are recorded; `CARD_COLUMNS`, and
    `CARD_WIN_COLUMNS` if any chance to win is known."""
    rows: Index
    """The row of the record whose player laid each card, ``(M,)``."""
    valued: list[ValuedCards | None]
    """What could be laid; None where nothing was to choose."""

    @classmethod
    def none(cls) -> "GradedCards":
        """Return no cards."""
        return cls(pd.DataFrame(columns=list(CARD_COLUMNS)), np.zeros(0, dtype=np.intp), [])

    def lost(self, record: Record) -> tuple[Floats, Floats]:
        """Sum what the cards of each row lost, in points and in chances to win, ``(N,)`` each.

        NaN where no cards are graded, or the chances are not known.
        """
        number = len(record.keeps)
        laid = np.bincount(self.rows, minlength=number) > 0
        scored = laid & (record.scores != UNKNOWN).all(axis=1) & (record.starters != UNKNOWN)
        sums = []
        for name, known in (("loss", laid), ("win_loss", scored)):
            lost = np.nan_to_num(self.frame[name].to_numpy()) if name in self.frame else 0.0
            total = np.bincount(self.rows, np.broadcast_to(lost, len(self.rows)), number)
            sums.append(np.where(known, total, np.nan))
        return sums[0], sums[1]

    def take(self, rows: Sequence[int]) -> "GradedCards":
        """Return the cards laid in some rows of the record, which are numbered anew."""
        new = {row: at for at, row in enumerate(rows)}
        kept = [at for at, row in enumerate(self.rows.tolist()) if row in new]
        return GradedCards(
            self.frame.iloc[kept].reset_index(drop=True),
            np.array([new[row] for row in self.rows[kept].tolist()], dtype=np.intp),
            [self.valued[at] for at in kept],
        )


_IN_POINTS, _IN_WINS = (
    (own, f"best_{own}", best, loss, *(f"{who}_{loss}" for who in BASELINE_PLAY))
    for own, best, loss in (("expected", "best", "loss"), ("win", "win_best", "win_loss"))
)  # columns of a choice: what the card is worth, what the best is, which it is, what was lost
_NAMES = ("best", "win_best")  # columns of ranks, the others are numbers


_Laid: TypeAlias = tuple[int, Position, int]
"""A card as it fell: the row of who laid it, what the player knew, and its rank."""


def grade_cards(
    record: Record,
    *,
    bands: VerdictBands,
    win_bands: VerdictBands,
    wins: bool = True,
    opponent: PlayStrategyLike | ToWin = "expert",
    workers: int = 1,
    report: Callable[[int], object] | None = None,
) -> GradedCards:
    """Grade every card laid; `report` is called with the number of seats done since the last call.

    Cards laid after the game was over are left out. Without `wins`, scores do not count; with them
    `opponent` may play to win.
    """
    seats = [list(_laid_cards(record, row)) for row, play in enumerate(record.plays) if play.steps]
    tasks = [
        ([_known(position, wins=wins) for _, position, _ in laid if _is_choice(position)], opponent)
        for laid in seats
    ]
    found = list[tuple[_Laid, ValuedCards | None]]()
    with ExitStack() as stack:
        valued: Iterator[list[ValuedCards]]
        if workers > 1 and len(tasks) > _FEW_SEATS:
            shipped_strategy()  # fill the cache, so that not every process unpacks it
            pool = process_pool(value_choices, tasks, workers=min(workers, len(tasks)))
            valued = stack.enter_context(pool)
        else:
            valued = (value_choices(*task) for task in tasks)
        for laid, values in zip(seats, valued, strict=True):
            every = iter(values)
            found += [(one, next(every) if _is_choice(one[1]) else None) for one in laid]
            if report is not None:
                report(1)
    return _graded(record, found, bands, win_bands)


def value_choices(
    positions: Sequence[Position], opponent: PlayStrategyLike | ToWin = "expert"
) -> list[ValuedCards]:
    """Value what could be laid in each position, as `cribev.advise_play` does."""
    return [_value(position, opponent) for position in positions]


def _is_choice(position: Position) -> bool:
    return len(position.legal_ranks) > 1


def _value(position: Position, player: PlayStrategyLike | ToWin) -> ValuedCards:
    advice = play_advice(position, player if position.score else "expert")
    opponent, ranks = advice.range, position.legal_ranks
    hands = opponent.hands.head(_HANDS_LISTED if opponent.left else 0)
    return ValuedCards(
        advice.options,
        np.stack([_choices(one, position)[ranks] for one in _baseline_players()]),
        opponent.ranks["chance"].to_numpy(),
        tuple(zip(hands["cards"], hands["chance"].tolist(), strict=True)),
        opponent.belief.explained,
    )


@cache
def _baseline_players() -> list[PlayStrategy]:
    return [as_play_strategy(name) for name in BASELINE_PLAY.values()]


def _choices(strategy: PlayStrategy, position: Position) -> Floats:
    return strategy.choices(strategy.node(position.play.history), position.left_ranks)


def _laid_cards(record: Record, row: int) -> Iterator[_Laid]:
    """List the cards a row's player laid, and what the player knew before each."""
    for position, chosen in record.deal(row).decisions(role_of(record.dealer[row])):
        if position.to_do == "card":
            yield row, position, rank_of(chosen[0])


def _points(play: Play, at: int) -> int:
    """Count what a card pegs, the goes that follow it included."""
    goes = takewhile(lambda step: step.card is None, play.steps[at + 1 :])
    pegs = [one for step in (play.steps[at], *goes) for one in step.pegs]
    return sum(one.points for one in pegs if one.role == play.steps[at].role)


def _known(position: Position, *, wins: bool) -> Position:
    """Leave out the score where chances to win do not count, or cannot be worked out."""
    return position if wins and position.starter is not None else replace(position, score=None)


def _graded(
    record: Record,
    found: list[tuple[_Laid, ValuedCards | None]],
    bands: VerdictBands,
    win_bands: VerdictBands,
) -> GradedCards:
    """Make the table of the cards, by game and deal as they fell."""
    games = pd.factorize(record.frame["game"])[0]
    deals = record.frame["deal"].to_numpy()
    found = sorted(
        found, key=lambda one: (games[one[0][0]], deals[one[0][0]], len(one[0][1].play.laid))
    )
    rows = np.array([row for (row, _, _), _ in found], dtype=np.intp)
    positions = [position for (_, position, _), _ in found]
    plays = [position.play for position in positions]
    points = [
        _points(record.plays[row], len(play.steps))
        for row, play in zip(rows.tolist(), plays, strict=True)
    ]
    names = ["game", "deal", "player", "role"]
    columns: dict[str, Any] = {name: record.frame[name].to_numpy()[rows] for name in names}
    columns |= {
        "number": np.array([len(play.laid) + 1 for play in plays], dtype=np.int64),
        "laid": [play.ranks_text for play in plays],
        "count": np.array([play.count for play in plays], dtype=np.int64),
        "card": [RANKS[rank] for (_, _, rank), _ in found],
        "points": np.array(points, dtype=np.int64),
        "decision": [DECISION_KINDS[min(len(play.laid), 2)] for play in plays],
        "choices": np.array([len(one.legal_ranks) for one in positions], dtype=np.int64),
    }
    graded = [_grade(rank, values) for (_, _, rank), values in found]
    for name in ("share", *_IN_POINTS, *_IN_WINS):
        blank = None if name in _NAMES else np.nan
        columns[name] = [one.get(name, blank) for one in graded]
    frame = pd.DataFrame(columns)
    floats = [name for name in ("share", *_IN_POINTS, *_IN_WINS) if name not in _NAMES]
    frame[floats] = frame[floats].astype(np.float64)
    loss, win_loss = (frame[name].fillna(0) for name in ("loss", "win_loss"))
    verdict = bands.verdicts(loss, loss == 0)
    by_wins = win_bands.verdicts(win_loss, win_loss == 0)
    by_win = (frame["win_loss"].notna() & near_end(record.scores[rows])).to_numpy()
    frame["judged_by"] = np.where(by_win, "win", "points")
    verdict = np.where(by_win, by_wins, verdict)
    frame["verdict"] = np.where(frame["loss"].isna(), FORCED, verdict)
    wins = CARD_WIN_COLUMNS if frame["win_loss"].notna().any() else ()
    return GradedCards(frame[[*CARD_COLUMNS, *wins]], rows, [values for _, values in found])


def _grade(rank: int, values: ValuedCards | None) -> dict[str, Any]:
    """Grade one card, by columns; nothing if there was no choice."""
    if values is None:
        return {}
    options, order = values.options, values.options.order
    ranks = np.array(options.position.legal_ranks)[order]
    own = ranks.tolist().index(rank)
    graded: dict[str, Any] = {"share": options.columns["share"][order[own]]}
    for column, names in ((options.expected, _IN_POINTS), (options.win, _IN_WINS)):
        if column is None:
            continue
        worth = column[order]
        best = float(worth.max())
        tied = worth >= best - TIE_TOLERANCE
        # What ties with the best is worth as much, before anything is rounded.
        laid = best if tied[own] else float(worth[own])
        lost = (best - values.baselines[:, order] @ worth).tolist()
        found = (laid, best, RANKS[ranks[int(tied.argmax())]], best - laid, *lost)
        graded |= dict(zip(names, found, strict=True))
    return graded
