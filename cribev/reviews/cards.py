"""Every card laid in a record, and what each choice of a card lost.

A choice is a turn in which more than one rank fits. It is valued by what the player knew then, as
`cribev.advise_play` values it: the cards kept and thrown, the starter, the cards laid so far, and
an opponent who keeps and plays as an expert does. What a card lost is how much less it is worth
than the best; in chances to win too where the score and the starter are known.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cribev.advice.cards import play_advice
from cribev.advice.position import KnownCards, PlayPosition
from cribev.choice import FORCED, TIE_TOLERANCE, VerdictBands
from cribev.classes.canonical import Floats, Index
from cribev.game.cards import JACK, RANKS
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.play_notation import PlayStep
from cribev.game.play_notation import peg_steps as peg
from cribev.game.roles import Role, opposite_role, role_of
from cribev.game.score import HEELS, NEAR_END, UNKNOWN, WINNING_SCORE
from cribev.opponents.players import as_play_strategy
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
    """What the ranks are worth that a player could lay in one turn, and what was known."""

    ranks: tuple[int, ...]
    """0..12, the best first."""
    expected: Floats
    """Points from here to the end of the play, less the opponent's, ``(k,)``."""
    win: Floats | None
    """Chances to win, ``(k,)``; None where the score is not known."""
    share: Floats
    """How often an expert lays each, ``(k,)``."""
    baselines: Floats
    """How often the players of `BASELINE_PLAY` do, ``(2, k)``."""
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
        """Return no cards.

        >>> len(GradedCards.none().frame)
        0
        """
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


class _Laid(NamedTuple):
    """A card as it fell."""

    row: int
    number: int
    position: PlayPosition
    rank: int
    points: int


def grade_cards(
    record: Record,
    *,
    bands: VerdictBands,
    win_bands: VerdictBands,
    wins: bool = True,
    workers: int = 1,
    report: Callable[[int], object] | None = None,
) -> GradedCards:
    """Grade every card laid; `report` is called with the number of seats done since the last call.

    Cards laid after the game was over are left out. Without `wins`, scores do not count.
    """
    seats = [(row, list(_laid_cards(record, row))) for row in _seats(record)]
    scores = record.scores.tolist() if wins else [[UNKNOWN, UNKNOWN]] * len(record.scores)
    tasks = [
        ([one.position for one in laid if _is_choice(one)], _score_of(record, row, scores[row]))
        for row, laid in seats
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
        for (_, laid), values in zip(seats, valued, strict=True):
            every = iter(values)
            found += [(one, next(every) if _is_choice(one) else None) for one in laid]
            if report is not None:
                report(1)
    return _graded(record, found, bands, win_bands)


def value_choices(
    positions: Sequence[PlayPosition], score: tuple[int, int] | None
) -> list[ValuedCards]:
    """Value what could be laid in each position, as `cribev.advise_play` does."""
    return [_value(position, score) for position in positions]


def _value(position: PlayPosition, score: tuple[int, int] | None) -> ValuedCards:
    expert = shipped_strategy()
    advice = play_advice(position, expert, score=score)
    columns, opponent = advice.columns, advice.range
    ranks = [RANKS.index(card) for card in columns["card"].tolist()]
    hands = opponent.holdings.head(_HANDS_LISTED if opponent.left else 0)
    return ValuedCards(
        tuple(ranks),
        columns["expected"],
        columns.get("win"),
        columns["share"],
        np.stack([_choices(player, position)[ranks] for player in _baseline_players()]),
        opponent.ranks["chance"].to_numpy(),
        tuple(zip(hands["cards"], hands["chance"].tolist(), strict=True)),
        opponent.explained,
    )


@cache
def _baseline_players() -> list[PlayStrategy]:
    return [as_play_strategy(name) for name in BASELINE_PLAY.values()]


def _choices(strategy: PlayStrategy, position: PlayPosition) -> Floats:
    return strategy.choices(strategy.node(position.history), position.left)


def _seats(record: Record) -> list[int]:
    """List the rows that have a play."""
    return [row for row, text in enumerate(record.frame["play"].tolist()) if text]


def _laid_cards(record: Record, row: int) -> Iterator[_Laid]:
    """List the cards a row's player laid, and what the player knew before each."""
    role, steps = role_of(record.dealer[row]), peg(record.frame["play"].iloc[row]).steps
    deal, keep = record.deals[row], record.keeps[row]
    hand, thrown = deal[KEEPS[keep]], deal[DISCARDS[keep]]
    starter: int | None = int(record.starters[row])
    cards = None
    if starter == UNKNOWN:
        starter = None
    else:
        cards = KnownCards(hand, thrown, np.array([starter], dtype=np.uint8))
    needs = _needs(record, row, role)
    number = 0
    for at, step in enumerate(steps):
        number += step.rank is not None
        if step.rank is None or step.role != role:
            continue
        position = PlayPosition(
            role,
            tuple((hand >> 2).tolist()),
            steps[:at],
            tuple((thrown >> 2).tolist()),
            None if starter is None else starter >> 2,
            cards,
        )
        if any(position.pegged(who) >= need for who, need in needs.items()):
            return
        yield _Laid(row, number, position, step.rank, _points(steps, at))


def _needs(record: Record, row: int, role: Role) -> dict[Role, int]:
    """Say how many points each needs in the play to win the game, if the score is known."""
    own, opponent = record.scores[row].tolist()
    if UNKNOWN in (own, opponent):
        return {}
    needs = {role: WINNING_SCORE - own, opposite_role(role): WINNING_SCORE - opponent}
    needs["dealer"] -= HEELS * (int(record.starters[row]) >> 2 == JACK)
    return needs


def _points(steps: Sequence[PlayStep], at: int) -> int:
    """Count what a card pegs, the goes that follow it included."""
    after = next((n for n in range(at + 1, len(steps)) if steps[n].rank is not None), len(steps))
    pegs = [one for step in steps[at:after] for one in step.pegs]
    return sum(one.points for one in pegs if one.role == steps[at].role)


def _is_choice(laid: _Laid) -> bool:
    return len(laid.position.legal) > 1


def _score_of(record: Record, row: int, score: list[int]) -> tuple[int, int] | None:
    """Return the points before the deal, if chances to win can be worked out."""
    known = UNKNOWN not in score and record.starters[row] != UNKNOWN
    return (score[0], score[1]) if known else None


def _graded(
    record: Record,
    found: list[tuple[_Laid, ValuedCards | None]],
    bands: VerdictBands,
    win_bands: VerdictBands,
) -> GradedCards:
    """Make the table of the cards, by game and deal as they fell."""
    games = pd.factorize(record.frame["game"])[0]
    deals = record.frame["deal"].to_numpy()
    order = sorted(
        range(len(found)),
        key=lambda at: (games[found[at][0].row], deals[found[at][0].row], found[at][0].number),
    )
    found = [found[at] for at in order]
    rows = np.array([one.row for one, _ in found], dtype=np.intp)
    valued = [values for _, values in found]
    names = ["game", "deal", "player", "role"]
    columns: dict[str, Any] = {name: record.frame[name].to_numpy()[rows] for name in names}
    columns |= {
        "number": np.array([one.number for one, _ in found], dtype=np.int64),
        "laid": [_history_text(one.position) for one, _ in found],
        "count": np.array([one.position.state.count for one, _ in found], dtype=np.int64),
        "card": [RANKS[one.rank] for one, _ in found],
        "points": np.array([one.points for one, _ in found], dtype=np.int64),
        "decision": [_kind(one.number) for one, _ in found],
        "choices": np.array([len(one.position.legal) for one, _ in found], dtype=np.int64),
    }
    graded = [_grade(one.rank, values) for one, values in found]
    for name in ("share", *_IN_POINTS, *_IN_WINS):
        blank = None if name in _NAMES else np.nan
        columns[name] = [one.get(name, blank) for one in graded]
    frame = pd.DataFrame(columns)
    floats = [name for name in ("share", *_IN_POINTS, *_IN_WINS) if name not in _NAMES]
    frame[floats] = frame[floats].astype(np.float64)
    loss, win_loss = (frame[name].fillna(0) for name in ("loss", "win_loss"))
    verdict = bands.verdicts(loss, loss == 0)
    by_wins = win_bands.verdicts(win_loss, win_loss == 0)
    near = record.scores[rows].max(axis=1, initial=UNKNOWN) >= WINNING_SCORE - NEAR_END
    by_win = (frame["win_loss"].notna() & near).to_numpy()
    frame["judged_by"] = np.where(by_win, "win", "points")
    verdict = np.where(by_win, by_wins, verdict)
    frame["verdict"] = np.where(frame["loss"].isna(), FORCED, verdict)
    wins = CARD_WIN_COLUMNS if frame["win_loss"].notna().any() else ()
    return GradedCards(frame[[*CARD_COLUMNS, *wins]], rows, valued)


def _history_text(position: PlayPosition) -> str:
    return " ".join("go" if rank is None else RANKS[rank] for rank in position.history)


def _kind(number: int) -> str:
    return DECISION_KINDS[min(number, len(DECISION_KINDS)) - 1]


def _grade(rank: int, values: ValuedCards | None) -> dict[str, Any]:
    """Grade one card, by columns; nothing if there was no choice."""
    if values is None:
        return {}
    own = values.ranks.index(rank)
    graded: dict[str, Any] = {"share": values.share[own]}
    for worth, names in ((values.expected, _IN_POINTS), (values.win, _IN_WINS)):
        if worth is None:
            continue
        best = float(worth.max())
        tied = worth >= best - TIE_TOLERANCE
        # What ties with the best is worth as much, before anything is rounded.
        laid = best if tied[own] else float(worth[own])
        lost = (best - values.baselines @ worth).tolist()
        found = (laid, best, RANKS[values.ranks[int(tied.argmax())]], best - laid, *lost)
        graded |= dict(zip(names, found, strict=True))
    return graded
