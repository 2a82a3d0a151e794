"""Tables and arrays of deals: what to discard from each, and what it brings."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple, TypeAlias, TypedDict, Unpack
from warnings import warn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.advice.names import OpponentLike, as_opponent
from cribev.advice.question import check_asked
from cribev.classes.canonical import Floats, Index, as_deals
from cribev.errors import CardError, CribevError, quote
from cribev.evaluation.plan import (
    BLOCK,
    DealBatch,
    EvaluationPlan,
    Report,
    deal_text,
    plan_evaluation,
)
from cribev.evaluation.spread import Spread, spread_of_keeps
from cribev.game.alike import same
from cribev.game.cards import (
    SUITLESS_OFFSET,
    CardArray,
    Cards,
    CardsLike,
    as_cards,
    format_cards,
    is_masked,
)
from cribev.game.index_tables import DISCARDS_OF, KEEPS_OF, Points
from cribev.game.outcomes import SCORED_COLUMNS
from cribev.game.roles import ROLES, as_role, cards_dealt, require_two_players, role_of_crib
from cribev.game.score import MAX_SCORE_BEFORE, UNKNOWN, as_score
from cribev.game.stakes import Stakes, StakesLike
from cribev.opponents.opponents import ExpertOpponent, Opponent, Uniform
from cribev.rows import columns
from cribev.rows.columns import OPPONENT_SCORE, SCORE, STAKES, RowErrors
from cribev.rows.lines import format_hands
from cribev.system.bars import tqdm

ROLE_COLUMN = "role"
PLAY = "play_mean"
WIN = "win"
WIN_METHOD = "win_method"
_SHOWN = ("hand_mean", "hand_min", "hand_max", "crib_mean", "crib_min", "crib_max")
_MEANS = (*_SHOWN, PLAY, *SCORED_COLUMNS, WIN_METHOD, "expected")
_BEST = ("best_discard", "best_keep", *_MEANS, "margin")
_EVERY = ("rank", "discard", "keep", *_MEANS)


def added_names(
    *, play: bool, every_discard: bool, win: bool = False, worth: bool = False
) -> list[str]:
    """List the columns that an evaluation adds."""
    counts = dict.fromkeys(SCORED_COLUMNS, win and worth)
    counts |= {PLAY: play, WIN: win, WIN_METHOD: win}
    return [name for name in (_EVERY if every_discard else _BEST) if counts.get(name, True)]


def card_columns(cards: Hashable | list[Hashable], players: int = 2) -> list[Hashable]:
    """Take the name of a column of deals, or a list of six names of columns of cards."""
    if not isinstance(cards, list):
        return [cards]
    if len(cards) not in (1, cards_dealt(players)):
        many = "six" if players == 2 else "five"
        raise CribevError(f"cards stand in one column or in {many}, not {len(cards)}: {cards!r}")
    return cards


def check_columns(
    present: Sequence[Hashable], cards: Sequence[Hashable], role: str | None, added: Sequence[str]
) -> None:
    """Check that a table has each column it needs, once, and none that the evaluation adds."""
    starred = WIN in added and SCORE in present and OPPONENT_SCORE not in present
    roles = [ROLE_COLUMN] if role is None and not starred else []
    scores = [SCORE, *(name for name in present if name == OPPONENT_SCORE)] if WIN in added else []
    for name in [*cards, *roles, *scores]:
        if name not in present:
            also = ", or give one role for all" if name == ROLE_COLUMN and role is None else ""
            raise CribevError(
                f"no column {quote(str(name))}{also}: "
                f"there are {quote(', '.join(map(str, present)), most=200)}"
            )
        if list(present).count(name) > 1:
            raise CribevError(f"two columns {quote(str(name))}")
    if role is None and list(present).count(ROLE_COLUMN) > 1:
        raise CribevError(f"two columns {ROLE_COLUMN!r}")
    if role is not None and ROLE_COLUMN in present:
        raise CribevError(f"a column {ROLE_COLUMN!r}, and {role!r} for all rows too: choose one")
    for name in added:
        if name in present:
            raise CribevError(f"there is a column {name!r} already: rename it")


DealRows: TypeAlias = tuple[Cards, NDArray[np.bool_], NDArray[np.int64] | None]
"""Deals as they were read, as `DealBatch.of` takes them."""


class Evaluation(NamedTuple):
    """The best discard of each of N deals, and what it brings, in points."""

    best_discard: Cards
    """Two cards, ascending, uint8 ``(N, 2)``; one where three or four play."""
    best_keep: Cards
    """Four cards, ascending, uint8 ``(N, 4)``."""
    hand_mean: Floats
    """Average hand, float64 ``(N,)``."""
    hand_min: Points
    """The least the hand can be, uint8 ``(N,)``."""
    hand_max: Points
    """The most it can be, uint8 ``(N,)``."""
    crib_mean: Floats
    """Average crib, float64 ``(N,)``."""
    crib_min: Points
    """The least the crib can be, whatever is discarded, uint8 ``(N,)``."""
    crib_max: Points
    """The most it can be, uint8 ``(N,)``."""
    play_mean: Floats | None
    """Average points in the play less the opponent's, float64 ``(N,)``; None without the play."""
    expected: Floats
    """Hand plus crib as dealer, hand minus crib as pone, plus the play, float64 ``(N,)``."""
    margin: Floats
    """How much more that is than the second best, 0 where they tie, float64 ``(N,)``; below 0 where
    the score asks for another discard than points do."""
    win: Floats | None = None
    """Chance to win the game, 0 to 1, float64 ``(N,)``, NaN where the score is not known; None
    without scores."""
    win_method: NDArray[np.bytes_] | None = None
    """How that was worked out: ``exact``; ``approximate`` against an expert, to about 0.0005; or
    nothing where the score is not known, ``(N,)``; None without scores."""
    skunk: Floats | None = None
    """Of `win`, by a skunk, float64 ``(N,)`` as the next five; None unless the stakes count it."""
    double_skunk: Floats | None = None
    """Of that, by a double skunk."""
    lose: Floats | None = None
    """Chance to lose the game."""
    skunked: Floats | None = None
    """Of that, by a skunk."""
    double_skunked: Floats | None = None
    """Of that, by a double skunk."""
    value: Floats | None = None
    """What all that is worth by the stakes."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Evaluation) and same(tuple(self), tuple(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.expected.tobytes())


def best_discards(plan: EvaluationPlan, *, report: Report = None) -> Evaluation:
    """Find the best discard of each deal."""
    best = plan.values(report, best=True)
    keep, margin = best.best
    deals = plan.deals.columns
    size, discards = len(deals), DISCARDS_OF[len(deals)]
    places = np.concatenate([discards, KEEPS_OF[size]], axis=1).T
    cards = np.empty((len(keep), size), np.uint8)  # the discard, then the keep
    for start in range(0, len(keep), BLOCK):
        part = slice(start, start + BLOCK)
        dealt, number = deals[:, part].ravel(), len(keep[part])  # card c of deal n: c * number + n
        at = np.arange(number)
        for place, position in enumerate(places * number):
            cards[part, place] = dealt.take(position.take(keep[part]) + at)
    ends = spread_of_keeps(deals, keep)
    scored: dict[str, Any] = {name: best.columns().get(name) for name in SCORED_COLUMNS}
    thrown, kept = np.split(cards, [discards.shape[1]], axis=1)
    return Evaluation(
        thrown, kept, best.hand, ends.hand_min, ends.hand_max, best.crib, ends.crib_min,
        ends.crib_max, best.play, best.expected, margin, win_method=plan.win_methods, **scored,
    )  # fmt: skip


def evaluate_columns(
    plan: EvaluationPlan,
    *,
    every_discard: bool = False,
    report: Report = None,
) -> tuple[dict[str, NDArray[Any]], Index]:
    """Evaluate deals into columns as `added_names` tells, and tell which deal each row is of."""
    deals = plan.deals
    play, win = plan.opponent.counts_play, deals.scores is not None
    names = added_names(
        play=play, win=win, worth=deals.goal is not None, every_discard=every_discard
    )
    if every_discard:
        found, rows = _every_discard(plan, report=report)
    else:
        best = best_discards(plan, report=report)
        found, rows = best._asdict(), np.arange(len(deals.dealer))
        for name in ("best_discard", "best_keep"):
            found[name] = format_hands(found[name])
    if plan.win_methods is not None:
        found[WIN_METHOD] = plan.win_methods[rows]
    for name in Spread._fields:
        found[name] = found[name].astype(np.int64)
    return {name: found[name] for name in names}, rows


def parse_rows(
    table: Mapping[Any, Any],
    number: int,
    cards: Sequence[Hashable],
    role: str | None,
    *,
    win: bool,
    exact: bool,
    players: int = 2,
) -> tuple[DealRows, RowErrors]:
    """Read rows of a table, and tell what is wrong with which."""
    deals, errors = columns.parse_deals([table[name] for name in cards], cards_dealt(players))
    bad_roles, bad_scores = dict[int, CribevError](), dict[int, CribevError]()
    if role is None and ROLE_COLUMN in table:
        dealer, bad_roles = columns.parse_roles(table[ROLE_COLUMN])
    elif role is None:
        dealer, bad_roles = columns.parse_stars(table[SCORE])
    else:
        dealer = np.full(number, as_role(role) == "dealer")
    scores = None
    if win:
        points = table[SCORE], table.get(OPPONENT_SCORE)
        scores, bad_scores = columns.parse_score_columns(*points, dealer)
    suits = _missing_suits(deals) if exact else {}
    return (deals, dealer, scores), suits | bad_scores | bad_roles | errors


def _missing_suits(deals: Cards) -> RowErrors:
    """Say which deals lack the suits that exact counting needs."""
    bare = (deals >= SUITLESS_OFFSET).any(axis=1)
    said = "lacks suits: exact counting is for cards with suits"
    return {
        row: CardError(f"{deal_text(deals[row])!r} {said}") for row in np.flatnonzero(bare).tolist()
    }


def _every_discard(
    plan: EvaluationPlan, *, report: Report
) -> tuple[dict[str, NDArray[Any]], Index]:
    values = plan.values(report)
    rank, order = (np.empty(values.expected.shape, np.int64) for _ in range(2))
    for start in range(0, len(rank), BLOCK):
        part = slice(start, start + BLOCK)
        rank[part], order[part] = values.take(part).ranking
    each = len(order.T)
    rows, keep = np.repeat(np.arange(len(order)), each), order.ravel()
    at = rows * each + keep
    listed = np.isfinite(values.expected.take(at))  # and does not repeat another
    if not listed.all():
        rows, keep, at = rows[listed], keep[listed], at[listed]
    dealt = plan.deals.columns
    size = len(dealt)
    found: dict[str, NDArray[Any]] = {
        "rank": rank.take(at),
        "discard": format_hands(dealt[DISCARDS_OF[size][keep].T, rows].T),
        "keep": format_hands(dealt[KEEPS_OF[size][keep].T, rows].T),
    }
    found |= {name: value.take(at) for name, value in values.columns().items()}
    found |= spread_of_keeps(dealt[:, rows], keep)._asdict()
    return found, rows


_TEXT = ("best_discard", "best_keep", "discard", "keep", "win_method")


def evaluate_deals(
    deals: CardArray,
    *,
    role: str | Sequence[str] | NDArray[Any],
    opponent: OpponentLike = "expert",
    play: bool = True,
    score: Sequence[Any] | NDArray[Any] | str | None = None,
    stakes: StakesLike | None = None,
    exact: bool = False,
    workers: int = 1,
    players: int = 2,
) -> Evaluation:
    """Find the best discard of many deals.

    Parameters
    ----------
    deals
        Card numbers 0..51, ``(N, 6)``, in any order within a deal; ``(N, 5)`` if `players` are 3
        or 4.
    role
        ``"dealer"`` or ``"pone"``: one for all, or one for each, ``(N,)``.
    opponent
        ``"expert"``, ``"people"`` or a level, ``"uniform"``, a file of habits, a CSV file
        of how often each pair of ranks is thrown (``rank1,rank2,dealer_pct,pone_pct``), or
        `cribev.opponents.opponents.Frequencies`.
    play
        Count the points of the play: between two experts, or your best response to an opponent with
        habits. If False, only hand and crib count, and an expert discards for these alone.
    score
        Points before the deal, each 0..120, yours first: ``(95, 110)`` or ``"95-110"`` for all, or
        whole numbers for each, ``(N, 2)``, below 0 where they are not known. The best discard is
        then the one that wins most. Chances to win against an expert are approximate, see
        `Evaluation.win_method`: some thousand a second, and some 80 on each core where a player
        needs less than 76 points, or less than 86 beside such. If fewer than 32 deals are so near
        the end they are counted one by one, as if `exact`. Against an opponent with habits fewer
        than 256 are, and those where both need 20 or fewer; the others wait a minute, once. Against
        anybody else all are.
    stakes
        What the games are played for, as for `cribev.advise`; only with scores. The best discard is
        then the one that is worth most: half as many a second as where only wins count.
    exact
        Count every crib that can follow each deal, as `cribev.advise` does, instead of the class
        tables, with a progress bar on a terminal's standard error.
    workers
        Processes that share the exact work. With more than one, guard your script by
        ``if __name__ == "__main__":``, as `multiprocessing` asks.
    players
        2; or 3 or 4, who are dealt five cards and throw one: hand and crib, exactly, against any
        cards. Nothing else but roles goes with that; a partner's crib is the dealer's.

    Returns
    -------
    An `Evaluation`: best discards ``(N, 2)``, best keeps ``(N, 4)``, and what they bring, ``(N,)``.
    Of tied keeps it is the first, in the order of ``itertools.combinations`` of the sorted deal.
    Average hands, and the least and the most, are exact; average cribs are exact but for suits, and
    with `exact` for these too.

    Raises
    ------
    CardError
        If they are not deals of six different cards.
    TableError
        If the opponent cannot be read, or has nothing to throw beside a deal.
    CribevError
        If a role or a score is none, there is not one for each deal, scores are given for the show
        alone, or there are stakes and no scores.

    Examples
    --------
    >>> found = evaluate_deals([[18, 17, 43, 44, 6, 29]], role="dealer")
    >>> format_cards(found.best_discard[0]), found.hand_mean.round(2), found.hand_max
    ('2H 8D', array([12.7]), array([21], dtype=uint8))
    >>> evaluate_deals([[18, 17, 43, 44, 6, 29]], role="dealer", score=(95, 110)).win.round(2)
    array([0.24])
    """
    deals = as_deals(deals, cards_dealt(players))
    dealer = _as_dealers(role, len(deals))
    if players > 2:
        require_two(players, opponent, score=score, stakes=stakes, exact=exact)
        opponent, play = Uniform.name, False
    scores = None if score is None else _as_scores(score, len(deals))
    rows, played_for = (deals, dealer, scores), Stakes.read(stakes)
    thrower = as_opponent(opponent, play=play)
    check_asked(thrower, played_for, scored=scores is not None)
    with _planned(rows, played_for, thrower, exact, workers) as (plan, report):
        return best_discards(plan, report=report)


def evaluate(
    frame: pd.DataFrame | pd.Series | Sequence[CardsLike],
    *,
    cards: Hashable | list[Hashable] = "cards",
    role: str | None = None,
    opponent: OpponentLike = "expert",
    play: bool = True,
    score: bool | str | tuple[int, int] | None = None,
    stakes: StakesLike | None = None,
    every_discard: bool = False,
    exact: bool = False,
    workers: int = 1,
    players: int = 2,
    crib: str | None = None,
) -> pd.DataFrame:
    """Find the best discard of each deal of a table.

    Parameters
    ----------
    frame
        A row for each deal; or a Series or list of deals, each as text or as cards.
    cards
        The column that holds six cards as text, or a list of six columns of one card each. Where
        cards lack suits, ``5H 5 J Q 2 8``, values are averaged over those they can have.
    role
        ``"dealer"`` or ``"pone"`` for all; if None, a column ``role`` says it, or the star of each
        score.
    opponent, play
        As in `evaluate_deals`.
    score
        The score before each deal, your points first, as ``"83-64"`` or ``(83, 64)``: the best
        discard is the one that wins most. Or whether it stands in a column ``score``, as
        ``95-110``, ``109-108*`` or ``(95, 110)``; or your points are there, and your opponent's in
        ``opponent_score``. Rows without a score go by points. If None, columns count where there
        are scores and the play counts, and a `UserWarning` says where a column ``score`` holds
        none; if False, such columns are your own.
    stakes
        What the games are played for, as in `evaluate_deals`; only where there are scores.
    every_discard
        Return 15 rows a deal, the best discard first.
    exact, workers
        As in `evaluate_deals`.
    players, crib
        3 or 4 ``players`` have deals of five cards, as in `evaluate_deals`; ``crib`` says in place
        of `role` whose it is: ``"mine"``, ``"partner"`` or ``"theirs"``.

    Returns
    -------
    The frame's own columns and index, or the deals of a list as text in a column ``cards``; then
    ``best_discard``, ``best_keep``, ``hand_mean``, ``hand_min``, ``hand_max``, ``crib_mean``,
    ``crib_min``, ``crib_max`` (the least and the most that can follow), ``play_mean`` (where the
    play counts: your points less your opponent's), ``win`` (with scores: the chance to win the
    game, 0 to 1), ``win_method`` (``exact``, or ``approximate`` to about 0.0005), ``expected`` and
    ``margin`` (to the second best; below 0 where the score asks for another discard than points
    do), in points; with `stakes` ``skunk, double_skunk, lose, skunked, double_skunked`` and
    ``value``, what they are worth, after ``win``. With `every_discard`, ``rank``, ``discard`` and
    ``keep`` in place of the best, no margin, and each row of the frame 15 times.

    Raises
    ------
    CribevError
        If it is no such table, a column is missing or its name is taken; or at the first bad row,
        with the reason.
    TableError
        If the opponent cannot be read, or has nothing to throw beside a deal.

    Examples
    --------
    >>> deals = pd.DataFrame({"cards": ["5H 5D JS QC 2H 8D", "ah2c7d9sjhqc"], "role": "dealer"})
    >>> found = evaluate(deals).round(2)
    >>> found[["best_discard", "hand_mean", "hand_min", "hand_max", "crib_mean", "expected"]]
      best_discard  hand_mean  hand_min  hand_max  crib_mean  expected
    0        2H 8D      12.70        10        21       3.41     17.19
    1        JH QC       2.39         0         5       4.89      8.88
    >>> evaluate(["5H 5D JS QC 2H 8D"], role="pone")["best_discard"].tolist()
    ['2H 8D']
    >>> evaluate(deals["cards"], role="dealer", score="83-64")["win"].round(2).tolist()
    [0.99, 0.92]
    >>> evaluate(deals.assign(score=["95*-110", ""]))[["best_discard", "win"]].round(2)
      best_discard   win
    0        2H 8D  0.24
    1        JH QC   NaN
    """
    if isinstance(frame, list | tuple | pd.Series):
        index = frame.index if isinstance(frame, pd.Series) else pd.RangeIndex(len(frame))
        size = cards_dealt(players)
        texts = [_deal_text(deal, row, index, size) for row, deal in enumerate(frame)]
        frame = pd.DataFrame({"cards": texts}, index=index)
    if not isinstance(frame, pd.DataFrame):
        shown = quote(frame if isinstance(frame, str) else repr(frame))
        raise CribevError(
            f"expected a DataFrame, a Series or a list of deals, got {shown}: "
            "evaluate_deals takes arrays"
        )
    if frame.columns.nlevels > 1:
        raise CribevError(f"columns of {frame.columns.nlevels} levels: expected names of one")
    role = role_of_crib(crib, None if role is None else as_role(role), players)
    if players > 2:
        require_two(players, opponent, score=score, stakes=stakes, exact=exact)
        opponent, play = Uniform.name, False
    for_all = None if score is None or isinstance(score, bool | np.bool_) else score
    win = (play and _has_scores(frame)) if score is None else for_all is not None or bool(score)
    thrower, played_for = as_opponent(opponent, play=play), Stakes.read(stakes)
    check_asked(thrower, played_for, scored=win)
    if (
        not win
        and play
        and score is None
        and (note := columns.no_score_note(chain(*_score_columns(frame))))
    ):
        warn(note, stacklevel=2)
    elif win and stakes is None and STAKES in frame:
        warn(f"column {STAKES!r} is not read: stakes= says what is played for", stacklevel=2)
    names = card_columns(cards, players)
    added = added_names(
        play=play, win=win, worth=played_for.goal is not None, every_discard=every_discard
    )
    present = list(frame.columns)
    if for_all is not None and (there := {SCORE, OPPONENT_SCORE} & {*present}):
        raise CribevError(f"a column {min(there)!r}, and {for_all!r} for all rows too: choose one")
    check_columns(present if for_all is None else [*present, SCORE], names, role, added)
    wanted = [*names, ROLE_COLUMN, *([SCORE, OPPONENT_SCORE] if win else [])]
    read = {name: frame[name].tolist() for name in wanted if name in present}
    if for_all is not None:
        own, opponents = as_score(for_all)
        text = for_all if isinstance(for_all, str) else f"{own}-{opponents}"
        read[SCORE] = [text] * len(frame)
    found, errors = parse_rows(read, len(frame), names, role, win=win, exact=exact, players=players)
    if errors:
        row = min(errors)
        raise _of_row(errors[row], row, frame.index)
    with _planned(found, played_for, thrower, exact, workers) as (plan, report):
        new, rows = evaluate_columns(plan, report=report, every_discard=every_discard)
    result = frame.iloc[rows].copy() if every_discard else frame.copy()
    for name, values in new.items():
        if name in _TEXT:
            result[name] = pd.Series(values.astype(str).tolist(), index=result.index, dtype="str")
        else:
            result[name] = values
    return result


class _Options(TypedDict, total=False):
    """The options of `evaluate`."""

    cards: Hashable | list[Hashable]
    role: str | None
    opponent: OpponentLike
    play: bool
    score: bool | str | tuple[int, int] | None
    stakes: StakesLike | None
    every_discard: bool
    exact: bool
    workers: int
    players: int
    crib: str | None


def meta(frame: Any, **options: Unpack[_Options]) -> pd.DataFrame:
    """Make the empty table that tells Dask what `evaluate` returns.

    Parameters
    ----------
    frame
        A Dask or pandas frame.
    options
        Those of `evaluate`. If a Dask frame has a column ``score`` of text, say `score`, True or
        False, here and to `evaluate`: its values are not known yet.

    Returns
    -------
    No rows, with the columns and types of the result.

    Raises
    ------
    CribevError
        If you do not say it.

    Examples
    --------
    >>> empty = meta(pd.DataFrame({"cards": ["5H 5D JS QC 2H 8D"]}), role="pone")
    >>> list(empty)[:3], len(empty)
    (['cards', 'best_discard', 'best_keep'], 0)
    """
    rows = frame if isinstance(frame, pd.DataFrame) else frame._meta
    if options.get("score") is None and options.get("play", True):
        options["score"] = _has_scores(rows)
        text = SCORE in rows.columns and not pd.api.types.is_numeric_dtype(rows[SCORE])
        if rows is not frame and not options["score"] and text:
            raise CribevError(
                f"a column {SCORE!r}: say score=True if it holds the score before each deal, "
                "score=False if it does not"
            )
    return evaluate(rows.iloc[:0], **options)


def _has_scores(frame: pd.DataFrame) -> bool:
    return OPPONENT_SCORE in list(frame.columns) or any(
        map(columns.holds_score, _score_columns(frame))
    )


def _score_columns(frame: pd.DataFrame) -> Iterator[list[Any]]:
    for at, name in enumerate(frame.columns):
        if name == SCORE:
            yield frame.iloc[:, at].tolist()


def require_two(players: int, opponent: OpponentLike, **given: object) -> None:
    """Refuse what is for two players alone; by default nobody is named."""
    name = getattr(opponent, "name", opponent)
    replied = getattr(opponent, "is_replied_to", False)
    named = replied or name not in (ExpertOpponent.name, Uniform.name)
    require_two_players(players, opponent=named, **given)


def _as_scores(score: Sequence[Any] | NDArray[Any] | str, number: int) -> NDArray[np.int64]:
    """Take the scores of all deals, ``(N, 2)``, `UNKNOWN` where they are not known."""
    if np.ndim(score) < 2:
        return np.full((number, 2), as_score(score), dtype=np.int64)
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


def _deal_text(deal: Any, row: int, index: pd.Index, size: int) -> Any:
    """Write cards as text; what is text, or one value and no cards, stays and is read as text."""
    if isinstance(deal, str) or not hasattr(deal, "__len__"):
        return deal
    try:
        return format_cards(as_cards(deal, count=size))
    except CardError as error:
        raise _of_row(error, row, index) from error


def _of_row(error: CribevError, row: int, index: pd.Index) -> CribevError:
    """Say in which row, counted from 0, something is wrong, and its label."""
    return type(error)(f"row {row} (index {index[[row]].tolist()[0]!r}): {error}")


@contextmanager
def _planned(
    rows: DealRows, stakes: Stakes, opponent: Opponent, exact: bool, workers: int
) -> Iterator[tuple[EvaluationPlan, Report]]:
    """Plan an evaluation, and show a progress bar where deals take time."""
    plan = plan_evaluation(DealBatch.of(*rows, stakes.goal), opponent, exact=exact, workers=workers)
    hidden = None if plan.reported else True
    with tqdm(total=plan.reported, desc="evaluating", unit=" deals", disable=hidden) as bar:
        yield plan, bar.update
