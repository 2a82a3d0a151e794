"""Tables and arrays of deals: what to discard from each deal, and what that brings."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, Literal, TypeAlias, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.advice.names import OpponentLike, as_opponent
from cribev.advice.question import check_asked
from cribev.classes.canonical import Floats, Index, as_deals
from cribev.classes.ranking import DiscardValues, Ranking, ranking
from cribev.errors import CribevError
from cribev.evaluation.best import best_and_spread
from cribev.evaluation.plan import BLOCK, DealBatch, EvaluationPlan, Report, plan_evaluation
from cribev.evaluation.spread import spread_of_keeps
from cribev.game.alike import Value
from cribev.game.cards import (
    DECK_SIZE,
    RANKS,
    SUITLESS_OFFSET,
    CardArray,
    Cards,
    card_order,
    is_masked,
    ranks_of,
)
from cribev.game.index_tables import DISCARDS, KEEPS, Points
from cribev.game.outcomes import SCORED_COLUMNS
from cribev.game.roles import ROLES, as_role, role_of
from cribev.game.score import MAX_SCORE_BEFORE, UNKNOWN, Score
from cribev.game.stakes import Stakes, StakesLike
from cribev.game.words import pluralize, require_flags
from cribev.opponents.opponents import Opponent
from cribev.rows import columns
from cribev.rows.lines import format_hands
from cribev.system.bars import tqdm

PLAY = "play_mean"
WIN = "win"
WIN_METHOD = "win_method"
_HAND, _CRIB = (
    tuple(f"{part}_{what}" for what in ("mean", "min", "max", "sd")) for part in ("hand", "crib")
)
_MEANS = (*_HAND, *_CRIB, PLAY, *SCORED_COLUMNS, WIN_METHOD, "expected")
BEST_COLUMNS = ("best_discard", "best_keep", *_MEANS, "margin")
ANSWER_COLUMNS = ("agrees", "loss", "win_loss")
EVERY_COLUMNS = ("rank", "discard", "discard_ranks", "suited", "keep", *_MEANS, "behind")

DealRows: TypeAlias = tuple[Cards, NDArray[np.bool_], NDArray[np.int64] | None]
"""Deals as they were read, as `DealBatch.of` takes them."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _Valued(Value):
    """The points that discards bring, float64."""

    hand_mean: Floats
    """Average hand."""
    crib_mean: Floats
    """Average crib."""
    play_mean: Floats | None
    """Average points in the play minus the opponent's; None without the play."""
    expected: Floats
    """Hand plus crib as dealer, hand minus crib as pone, plus the play."""
    win: Floats | None = None
    """Chance to win the game, 0 to 1; NaN if the score is not known; None without scores."""
    win_method: NDArray[np.str_] | None = None
    """The method of `win`: ``exact``; ``approximate``, to about 0.0005 against an expert; or
    empty if the score is not known, text ``(N,)``; None without scores."""
    skunk: Floats | None = None
    """The part of `win` by a skunk; like the next five, None unless it counts."""
    double_skunk: Floats | None = None
    """Of that, by a double skunk."""
    lose: Floats | None = None
    """Chance to lose the game."""
    skunked: Floats | None = None
    """Of that, by a skunk."""
    double_skunked: Floats | None = None
    """Of that, by a double skunk."""
    value: Floats | None = None
    """The value of these ends by the stakes."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {pluralize(len(self.expected), 'deal')}>"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Evaluation(_Valued):
    """The best discard of each of N deals, and what it brings, arrays ``(N,)``."""

    best_discard: Cards
    """Two cards, ascending, uint8 ``(N, 2)``."""
    best_keep: Cards
    """Four cards, ascending, uint8 ``(N, 4)``."""
    hand_min: Points
    """The least the hand can be, uint8, like the next three."""
    hand_max: Points
    """The most it can be."""
    hand_sd: Floats
    """Its standard deviation, over the starters."""
    crib_min: Points
    """The least the crib can be, whatever is discarded."""
    crib_max: Points
    """The most it can be."""
    crib_sd: Floats
    """Its standard deviation, over what your opponent may discard and the starters, to some
    hundredths of a point: it is looked up by ranks."""
    margin: Floats
    """`expected` minus that of the second best, 0 if they tie; below 0 if another discard brings
    more points than the best at the score."""

    def to_frame(self) -> "pd.DataFrame":
        """Return the columns that `evaluate` adds, one row for each deal."""
        return as_table(*self.columns())

    def columns(self) -> tuple[dict[str, NDArray[Any]], Index]:
        """Return these columns, cards as numbers, and the deal of each row."""
        columns = {name: getattr(self, name) for name in BEST_COLUMNS}
        present = {name: values for name, values in columns.items() if values is not None}
        return present, np.arange(len(self.expected))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EveryDiscard(_Valued):
    """The points that all 15 discards of each of N deals bring, arrays ``(N, 15)``.

    Discards are in the order of the keeps, ``itertools.combinations`` of the sorted deal, four at a
    time. Without suits, some repeat others, and have an `expected` of minus infinity.
    """

    deals: Cards
    """The deals, ascending, uint8 ``(N, 6)``."""
    dealer: NDArray[np.bool_]
    """Whether the crib is yours, ``(N,)``."""
    opponent: Opponent
    """The other player."""

    @property
    def discard(self) -> Cards:
        """The cards discarded, uint8 ``(N, 15, 2)``."""
        return self.deals[:, DISCARDS]

    @property
    def keep(self) -> Cards:
        """The cards kept, uint8 ``(N, 15, 4)``."""
        return self.deals[:, KEEPS]

    @property
    def rank(self) -> NDArray[np.int64]:
        """Ranks ``(N, 15)``, 1 for the best: by chances to win if the score is known."""
        ranks = [self._ranking(slice(start, start + BLOCK)).rank for start in self._starts()]
        return np.concatenate(ranks)

    def _starts(self) -> range:
        return range(0, max(len(self.deals), 1), BLOCK)

    def _ranking(self, block: slice) -> Ranking:
        counts = self.win if self.value is None else self.value
        return ranking(self.expected[block], None if counts is None else counts[block])

    def _ranked(self, block: slice) -> dict[str, NDArray[Any]]:
        """List the discards of some deals in columns; ``row`` is the deal."""
        rank, order = self._ranking(block)
        number, width = rank.shape
        rows, keep = np.repeat(np.arange(number), width), order.ravel()
        cells = rows * width + keep
        expected = self.expected[block].take(cells)
        listed = np.isfinite(expected)
        if not listed.all():
            rows, keep, cells = rows[listed], keep[listed], cells[listed]
            expected = expected[listed]
        deals = self.deals[block]
        columns = {"row": rows + block.start, "rank": rank.take(cells)}
        columns["behind"] = self.expected[block].max(axis=1, initial=-np.inf).take(rows) - expected
        for name, places in (("discard", DISCARDS), ("keep", KEEPS)):
            columns[name] = deals.take(places.take(keep, axis=0) + rows[:, None] * deals.shape[1])
        columns["discard_ranks"] = ranks_of(columns["discard"]) + np.uint8(SUITLESS_OFFSET)
        first, second = columns["discard"].T
        columns["suited"] = ((first ^ second) & 3 == 0) & (np.maximum(first, second) < DECK_SIZE)
        for name in ("hand_mean", "crib_mean", PLAY, *SCORED_COLUMNS, "expected"):
            if (values := getattr(self, name)) is not None:
                columns[name] = values[block].take(cells)
        if self.win_method is not None:
            columns[WIN_METHOD] = self.win_method[block].take(rows)
        batch = DealBatch(np.ascontiguousarray(deals.T)[:, rows], self.dealer[block][rows])
        return columns | spread_of_keeps(batch, keep, columns["hand_mean"], self.opponent)

    def to_frame(self) -> "pd.DataFrame":
        """Return the columns that `evaluate` adds, one row for each discard, best first.

        The index, ``deal``, is the place of the deal. ``discard`` is a categorical of all pairs of
        cards, ``discard_ranks`` of all pairs of ranks.
        """
        columns, rows = self.columns()
        return as_table(columns, pd.Index(rows, name="deal"))

    def columns(self) -> tuple[dict[str, NDArray[Any]], Index]:
        """Return these columns, cards as numbers, and the deal of each row."""
        blocks = (self._ranked(slice(start, start + BLOCK)) for start in self._starts())
        whole: dict[str, NDArray[Any]] = {}
        done = 0
        for block in blocks:
            for name, own in block.items():
                if name not in whole:
                    whole[name] = np.empty((self.expected.size, *own.shape[1:]), own.dtype)
                whole[name][done : done + len(own)] = own
            done += len(own)
        return {name: whole[name][:done] for name in EVERY_COLUMNS if name in whole}, whole["row"][
            :done
        ]


def as_table(arrays: Mapping[str, NDArray[Any]], index: "pd.Index | Index") -> pd.DataFrame:
    """Make a table of columns: discards are categoricals, other cards are text."""
    index = pd.Index(index)
    columns = {name: _series(name, values).set_axis(index) for name, values in arrays.items()}
    return pd.DataFrame(columns, index=index, copy=False)


def _series(name: str, values: NDArray[Any]) -> "pd.Series":
    if name in ("discard", "discard_ranks"):
        dtype, codes = _pair_categories(ranks_alone=name == "discard_ranks")
        return pd.Series(pd.Categorical.from_codes(codes[values[:, 0], values[:, 1]], dtype=dtype))
    if values.ndim == 2:
        return _text_column(values)
    if values.dtype.kind in "UO":
        return pd.Series(values.tolist(), dtype="str")
    return pd.Series(values.astype(np.int64) if values.dtype == np.uint8 else values)


def _text_column(cards: Cards) -> "pd.Series":
    """Write cards ``(n, count)`` as text."""
    texts, empty = format_hands(cards), pd.Series(dtype="str")
    in_arrow = getattr(empty.dtype, "storage", "") == "pyarrow"
    return pd.Series(columns.arrow_texts(texts) if in_arrow else texts.astype(str), dtype="str")


@cache
def _pair_categories(*, ranks_alone: bool) -> tuple[pd.CategoricalDtype, NDArray[np.int16]]:
    """Return the dtype of all pairs as text, and the code of each two cards, ``(77, 77)``.

    The 1,326 pairs of a deck are first, in its order, then the 767 in which suits are missing.
    With `ranks_alone`, the 91 pairs of ranks are all.
    """
    bare = range(SUITLESS_OFFSET, SUITLESS_OFFSET + len(RANKS))
    cards = bare if ranks_alone else sorted([*range(DECK_SIZE), *bare], key=card_order)
    both = [*combinations(cards, 2), *((card, card) for card in bare)]
    pairs = np.array(sorted(both, key=lambda pair: (max(pair) in bare, *map(card_order, pair))))
    codes = np.full((bare.stop, bare.stop), -1, dtype=np.int16)
    codes[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
    texts = format_hands(pairs.astype(np.uint8)).astype(str).tolist()
    return pd.CategoricalDtype(pd.Index(texts, dtype="str")), codes


def best_discards(plan: EvaluationPlan, *, report: Report = None) -> Evaluation:
    """Find the best discard of each deal."""
    return _evaluation(plan, *best_and_spread(plan, report=report))


def answered_columns(
    plan: EvaluationPlan, answers: Cards, *, report: Report = None
) -> tuple[dict[str, NDArray[Any]], Index]:
    """Return the columns of the best discards, and of what the answers, ``(N, 2)``, lose.

    Answers that are none of a deal's discards are not known.
    """
    values = plan.values(report)
    best = values.of_best()
    spread = spread_of_keeps(plan.deals, best.best.keep, best.hand, plan.opponent)
    best_columns, rows = _evaluation(plan, best, spread).columns()
    same = (plan.deals.columns.T[:, DISCARDS] == answers[:, None]).all(axis=2)
    chosen, known = same.argmax(axis=1)[:, None], same.any(axis=1)

    def lost(worth: Floats) -> Floats:
        own = np.take_along_axis(worth, chosen, axis=1)[:, 0]
        return np.where(known, worth.max(axis=1, initial=-np.inf) - own, np.nan)

    rank = np.take_along_axis(values.ranking.rank, chosen, axis=1)[:, 0]
    wins = {} if values.value is None else {"win_loss": lost(values.value)}
    return {
        **best_columns,
        "agrees": known & (rank == 1),
        "loss": lost(values.expected),
        **wins,
    }, rows


def _evaluation(
    plan: EvaluationPlan, best: DiscardValues, spread: Mapping[str, NDArray[Any]]
) -> Evaluation:
    """Name the best discards, and what they bring."""
    keep, margin = best.best
    deals = plan.deals.columns
    places = np.concatenate([DISCARDS, KEEPS], axis=1).T
    cards = np.empty((len(keep), len(deals)), np.uint8)  # the discard, then the keep
    for start in range(0, len(keep), BLOCK):
        block = slice(start, start + BLOCK)
        dealt, number = deals[:, block].ravel(), len(keep[block])  # by cards, then by deals
        numbers = np.arange(number)
        for place, position in enumerate(places * number):
            cards[block, place] = dealt.take(position.take(keep[block]) + numbers)
    discarded, kept = np.split(cards, [DISCARDS.shape[1]], axis=1)
    return Evaluation(
        best_discard=discarded, best_keep=kept, margin=margin,
        **spread, **_valued(best, plan.win_methods),
    )  # fmt: skip


def every_discards(plan: EvaluationPlan, *, report: Report = None) -> EveryDiscard:
    """Value all discards of each deal."""
    values = _valued(plan.values(report), plan.win_methods)
    return EveryDiscard(
        deals=np.ascontiguousarray(plan.deals.columns.T),
        dealer=plan.deals.dealer, opponent=plan.opponent, **values,
    )  # fmt: skip


def _valued(values: DiscardValues, methods: NDArray[np.bytes_] | None) -> dict[str, Any]:
    """Name what both results have in common."""
    how = None if methods is None else methods.astype(str)
    return {**dict.fromkeys((PLAY, *SCORED_COLUMNS)), WIN_METHOD: how, **values.columns()}


@overload
def evaluate_deals(
    deals: CardArray,
    *,
    role: str | Sequence[str] | NDArray[Any],
    opponent: OpponentLike = ...,
    play: bool = ...,
    score: Sequence[Any] | NDArray[Any] | str | None = ...,
    stakes: StakesLike | None = ...,
    every_discard: Literal[False] = ...,
    exact: bool = ...,
    workers: int = ...,
) -> Evaluation: ...
@overload
def evaluate_deals(
    deals: CardArray,
    *,
    role: str | Sequence[str] | NDArray[Any],
    opponent: OpponentLike = ...,
    play: bool = ...,
    score: Sequence[Any] | NDArray[Any] | str | None = ...,
    stakes: StakesLike | None = ...,
    every_discard: Literal[True],
    exact: bool = ...,
    workers: int = ...,
) -> EveryDiscard: ...
def evaluate_deals(
    deals: CardArray,
    *,
    role: str | Sequence[str] | NDArray[Any],
    opponent: OpponentLike = "expert",
    play: bool = True,
    score: Sequence[Any] | NDArray[Any] | str | None = None,
    stakes: StakesLike | None = None,
    every_discard: bool = False,
    exact: bool = False,
    workers: int = 1,
) -> Evaluation | EveryDiscard:
    """Find the best discard of many deals, or value every discard.

    Parameters
    ----------
    deals
        Card numbers 0..51, ``(N, 6)``, in any order within a deal.
    role
        ``"dealer"`` or ``"pone"``: one for all deals, or one for each, ``(N,)``.
    opponent
        ``"expert"``, ``"people"`` or a level, ``"uniform"``, a file of habits, a CSV file
        of how often each pair of ranks is discarded (``rank1,rank2,dealer_pct,pone_pct``), or
        `cribev.opponents.opponents.Frequencies`.
    play
        Count the points of the play: between two experts, or your best response to an opponent with
        habits. If False, only hand and crib count, and an expert discards for these alone.
    score
        Points before the deal, each 0..120, yours first: ``(95, 110)`` or ``"95-110"`` for all, or
        whole numbers for each, ``(N, 2)``, below 0 if not known. The best discard is then the one
        that wins most. Chances to win against an expert are approximate (`Evaluation.win_method`):
        a few thousand a second, or some 80 on each core near the end, where a player needs less
        than 32 points. If fewer than 32 deals are near the end, they are counted one by one, as
        with `exact`. Against an opponent with habits, so are all where both need 20 or fewer; the
        others wait some minutes, once. Against any other opponent, all deals are counted.
    stakes
        What the games are played for, as for `cribev.advise`; only with scores. The best discard is
        then the one worth most; this takes two to four times as long.
    every_discard
        Value all 15 discards of each deal.
    exact
        Count every crib that can follow each deal, as `cribev.advise` does, instead of the class
        tables, with a progress bar on a terminal's standard error.
    workers
        Processes that share the exact work. With more than one, guard your script by
        ``if __name__ == "__main__":``, as `multiprocessing` asks.

    Returns
    -------
    An `Evaluation`: best discards ``(N, 2)``, best keeps ``(N, 4)``, and what they bring, ``(N,)``;
    with `every_discard` an `EveryDiscard`: what all bring, ``(N, 15)``. Each has ``to_frame()``.
    Of tied keeps, the first is best, in the order of ``itertools.combinations`` of the sorted deal.
    Average hands, and the lowest and highest, are exact. Average cribs are exact except for suits;
    with `exact`, for these too.

    Raises
    ------
    CardError
        If they are not deals of six different cards.
    TableError
        If the opponent cannot be read, or has nothing to discard against a deal.
    CribevError
        If a role or a score is invalid, or missing for a deal; if scores are given for the show
        alone; or if stakes are given without scores.

    Examples
    --------
    >>> from cribev import format_cards
    >>> values = evaluate_deals([[18, 17, 43, 44, 6, 29]], role="dealer")
    >>> format_cards(values.best_discard[0]), values.hand_mean.round(2), values.hand_max
    ('2H 8D', array([12.7]), array([21], dtype=uint8))
    >>> evaluate_deals([[18, 17, 43, 44, 6, 29]], role="dealer", score=(95, 110)).win.round(2)
    array([0.24])
    >>> every = evaluate_deals([[18, 17, 43, 44, 6, 29]], role="dealer", every_discard=True)
    >>> every.expected.shape, every.expected.max().round(2)
    ((1, 15), np.float64(17.19))
    """
    require_flags(every_discard=every_discard, exact=exact)
    deals = as_deals(deals)
    dealer = _as_dealers(role, len(deals))
    scores = None if score is None else _as_scores(score, dealer)
    rows, played_for = (deals, dealer, scores), Stakes.read(stakes)
    against = as_opponent(opponent, play=play)
    check_asked(against, played_for, scored=scores is not None)
    with planned(rows, played_for, against, exact, workers) as (plan, report):
        return (every_discards if every_discard else best_discards)(plan, report=report)


def _as_scores(
    score: Sequence[Any] | NDArray[Any] | str, dealer: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Read the scores of all deals, ``(N, 2)``, `UNKNOWN` where they are not known."""
    number = len(dealer)
    if np.ndim(score) < 2:
        scores = np.empty((number, 2), dtype=np.int64)
        for deals in (False, True):
            if (own := dealer == deals).any():
                role = role_of(deals)
                scores[own] = Score.read(score, role).seen_by(role)
        return scores
    points = np.asarray(score)
    if points.shape != (number, 2):
        raise CribevError(f"expected a score for each of {number} deals, got shape {points.shape}")
    if points.dtype.kind not in "iu" or is_masked(score):
        raise CribevError(f"expected scores as whole numbers, got {points.dtype}")
    bad = (points > MAX_SCORE_BEFORE).any(axis=1) | ((points < 0).sum(axis=1) == 1)
    if bad.any():
        row, most = int(bad.argmax()), MAX_SCORE_BEFORE
        raise CribevError(
            f"row {row}: invalid score {points[row].tolist()}: expected your points and the "
            f"opponent's, each from 0 to {most}, or both below 0 where they are not known"
        )
    return np.where(points < 0, UNKNOWN, points).astype(np.int64)


def _as_dealers(role: str | Sequence[str] | NDArray[Any], number: int) -> NDArray[np.bool_]:
    if np.ndim(role) == 0:
        return np.full(number, as_role(role) == "dealer")
    if is_masked(role):
        raise CribevError("some roles of the array are masked: expected all to be known")
    words = np.asarray(role)
    if words.shape != (number,):
        raise CribevError(f"expected a role for each of {number} deals, got shape {words.shape}")
    if words.dtype.kind == "U":  # a million words are compared at once
        dealer: NDArray[np.bool_] = words == ROLES[0]
        if (dealer | (words == ROLES[1])).all():
            return dealer
    dealer, errors = columns.parse_roles(words.tolist())
    if errors:
        raise errors[min(errors)]
    return dealer


@contextmanager
def planned(
    rows: DealRows,
    stakes: Stakes,
    opponent: Opponent,
    exact: bool,
    workers: int,
    report: Report = None,
) -> Iterator[tuple[EvaluationPlan, Report]]:
    """Plan an evaluation, and show a progress bar if deals take time, unless they are reported."""
    plan = plan_evaluation(DealBatch.of(*rows, stakes.goal), opponent, exact=exact, workers=workers)
    if report is not None:
        yield plan, report
        return
    hidden = None if plan.reported else True
    with tqdm(total=plan.reported, desc="evaluating", unit=" deals", disable=hidden) as bar:
        yield plan, bar.update
