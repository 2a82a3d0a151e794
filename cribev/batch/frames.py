"""Tables of deals: what comes in, and what goes out."""

from collections.abc import Hashable, Iterator, Sequence
from itertools import chain
from typing import Any, Literal, Self
from warnings import warn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.advice.names import OpponentLike, as_opponent
from cribev.advice.question import check_asked
from cribev.batch.evaluate import (
    REASON,
    ROLE_COLUMN,
    VERSION,
    added_names,
    as_table,
    card_columns,
    check_columns,
    evaluate_columns,
    own_columns,
    parse_rows,
    planned,
    provenance_of,
)
from cribev.classes.canonical import Index, as_deals
from cribev.errors import CardError, CribevError, quote
from cribev.game.cards import CardsLike, as_cards, format_card, format_cards
from cribev.game.roles import as_role
from cribev.game.score import as_score
from cribev.game.stakes import Stakes, StakesLike
from cribev.game.words import require_flags
from cribev.rows import columns
from cribev.rows.columns import OPPONENT_SCORE, SCORE, RowErrors
from cribev.rows.headings import Headings, named_columns
from cribev.rows.lines import format_hands
from cribev.rows.tables import from_arrow


class Evaluated(pd.DataFrame):
    """A table of best discards, with the rows that have none, which methods of pandas keep."""

    _metadata = ["rejects"]  # noqa: RUF012  (pandas looks for this list)
    rejects: pd.DataFrame
    """The bad rows by their labels: ``row``, counted from 0, and ``reason``."""

    @property
    def _constructor(self) -> type["Evaluated"]:
        return Evaluated

    def __finalize__(self, other: Any, method: str | None = None, **kwargs: Any) -> Self:
        """Keep the rejects of all tables that are concatenated, and of the left of two merged."""
        made: Self = super().__finalize__(other, method=method, **kwargs)  # type: ignore[misc]  # untyped
        tables = getattr(other, "objs", [getattr(other, "left", None)])
        every = [getattr(table, "rejects", None) for table in tables if type(table) is Evaluated]
        if rejects := [rejected for rejected in every if rejected is not None]:
            made.rejects = pd.concat(rejects)
        return made


def evaluate(
    frame: pd.DataFrame | pd.Series | Sequence[CardsLike] | NDArray[Any] | Any,
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
    errors: Literal["raise", "skip", "null"] = "raise",
    provenance: bool = False,
    numbers: bool = False,
) -> pd.DataFrame:
    """Find the best discard of each deal of a table.

    Parameters
    ----------
    frame
        One row for each deal: a DataFrame, or a table from another library with the Arrow
        interface, such as polars, pyarrow and duckdb (this needs pyarrow); or a Series or list of
        deals, each as text or as cards; or card numbers 0..51 in an array ``(N, 6)``. Names of
        columns may have capitals and blanks; levels of the index count as columns.
    cards
        The column of six cards as text or as lists, or a list of six columns with one card each.
        Without a column ``cards``, other names are read as by ``cribev batch``, such as ``hand``,
        or ``c1`` to ``c6``. If cards lack suits, as in ``5H 5 J Q 2 8``, values are averages over
        all possible suits.
    role
        ``"dealer"`` or ``"pone"`` for all; if None, a column ``role`` or the star of each score
        says it.
    opponent, play
        As in `evaluate_deals`.
    score
        The score before each deal, your points first, as ``"83-64"`` or ``(83, 64)``: the best
        discard is then the one that wins most. Or True, to read it from a column ``score``, as
        ``95-110``, ``109-108*`` or ``(95, 110)``, or your points from there and your opponent's
        from ``opponent_score``. Rows without a score go by points. If None, such columns are read
        if they have scores and the play counts, and a `UserWarning` says if a column ``score`` has
        none. If False, such columns are ignored.
    stakes
        What the games are played for, as in `evaluate_deals`; only where there are scores.
    every_discard
        Return a row for each of the 15 discards, best first; without suits, equal ones are one.
    exact, workers
        As in `evaluate_deals`.
    errors
        What to do about bad rows: ``"raise"`` at the first; ``"skip"`` them; or ``"null"``, to keep
        them with missing values and a column ``reason``, missing in good rows; whole numbers are
        then ``Int64``, and flags ``boolean``. The last two return a table whose attribute
        ``rejects`` is a table of the bad rows: ``row``, counted from 0, and ``reason``, by the
        labels of the frame. Methods of pandas, such as ``query`` and ``merge``, keep it.
    provenance
        Add columns that say how rows were evaluated: ``opponent``, ``stakes`` (with scores) and
        ``cribev``, the version.
    numbers
        Whether cards are numbers from 0 to 51, in text, lists or one column for each card.

    Returns
    -------
    The frame's own columns and index, or the deals of a list as text in a column ``cards``; then
    those of `cribev.Evaluation` that count, cards as text. With `every_discard`, each row of the
    frame is there for each discard, with ``rank``, ``discard`` (a categorical of all pairs, in the
    order of the deck), ``discard_ranks`` (one of all pairs of ranks), ``suited`` (whether both are
    of one suit; False where a suit is missing) and ``keep`` instead of the best, and ``behind``
    (how many points less than the discard that brings most) instead of the margin. Columns of an
    earlier evaluation are replaced; of every discard, if there is one row for each deal, of rank 1.

    Raises
    ------
    CribevError
        If it is not such a table, a column is missing or its name is taken; if there is a column
        ``opponent``, or with scores ``stakes``, which could contradict the figures; or at the first
        bad row, with the reason.
    TableError
        If the opponent cannot be read, or has nothing to discard against a deal.

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
    >>> evaluate(["5H 5D JS QC 2H 8D", "5H 5D"], role="pone", errors="skip").rejects
       row                              reason
    1    1  expected 6 cards, got 2 in '5H 5D'
    """
    if errors not in _ERRORS:
        raise CribevError(f"errors={errors!r}: expected {', '.join(_ERRORS)}")
    whole, wrong = _as_frame(frame)
    places = own_columns([*whole.columns], lambda place: whole.iloc[:, place].tolist())
    frame = whole.iloc[:, places]
    require_flags(every_discard=every_discard, exact=exact, provenance=provenance, numbers=numbers)
    role = None if role is None else as_role(role)
    for_all = None if score is None or isinstance(score, bool | np.bool_) else score
    table = _Columns(frame, card_columns(cards), numbers=numbers)
    win = (play and table.has_scores()) if score is None else for_all is not None or bool(score)
    thrower, played_for = as_opponent(opponent, play=play), Stakes.read(stakes)
    check_asked(thrower, played_for, scored=win)
    if not win and play and score is None and (note := columns.no_score_note(table.scores())):
        warn(note, stacklevel=2)
    added = added_names(
        play=play, win=win, worth=played_for.goal is not None, every_discard=every_discard
    )
    if for_all is not None and (there := {SCORE, OPPONENT_SCORE} & {*table.names}):
        raise CribevError(f"a column {min(there)!r}, and {for_all!r} for all rows too: choose one")
    present = table.names if for_all is None else [*table.names, SCORE]
    taken = [*added, *[VERSION] * provenance, *[REASON] * (errors == "null")]
    check_columns(present, table.cards, role, taken)
    wanted = [*table.cards, ROLE_COLUMN, *([SCORE, OPPONENT_SCORE] if win else [])]
    read = {name: table[name] for name in wanted if name in table.names}
    for name in table.cards:
        read[name], bad = _texts(read[name], _DEALT // len(table.cards))
        wrong = bad | wrong
    if for_all is not None:
        own, opponents = as_score(for_all, role)
        text = for_all if isinstance(for_all, str) else f"{own}-{opponents}"
        read[SCORE] = [text] * len(frame)
    found, bad = parse_rows(read, len(frame), table.cards, role, win=win, exact=exact)
    wrong = bad | wrong
    if wrong and errors == "raise":
        row = min(wrong)
        label = frame.index[[row]].tolist()[0]
        raise type(wrong[row])(f"row {row} (index {label!r}): {wrong[row]}")
    if wrong:
        good = np.delete(np.arange(len(frame)), [*wrong])
        deals, dealer, scores = found
        found = deals[good], dealer[good], None if scores is None else scores[good]
    with planned(found, played_for, thrower, exact, workers) as (plan, report):
        values, rows = evaluate_columns(plan, report=report, every_discard=every_discard)
    new, rows = as_table(values), good[rows] if wrong else rows
    if errors == "null":
        new, rows = _with_missing(new, rows, sorted(wrong))
        reasons = [str(wrong[row]) if row in wrong else None for row in rows.tolist()]
        new[REASON] = pd.Series(reasons, index=new.index, dtype="str")
    result = frame.iloc[rows] if every_discard or wrong else frame.copy()
    how = provenance_of(thrower, played_for, scored=win) if provenance else {}
    said = {name: pd.Series(text, index=result.index, dtype="str") for name, text in how.items()}
    result = result.assign(**said, **new.set_axis(result.index))  # concat would copy all
    if errors == "raise":
        return result
    told = Evaluated(result)
    rejected = np.array(sorted(wrong), dtype=np.int64)
    told.rejects = pd.DataFrame({"row": rejected}, index=frame.index[rejected])
    reasons = [str(wrong[row]) for row in rejected.tolist()]
    told.rejects[REASON] = pd.Series(reasons, index=told.rejects.index, dtype="str")
    return told


_ERRORS = ("raise", "skip", "null")
_DEALT = 6


class _Columns:
    """The columns of a table, and the levels of its index, by the names that are read."""

    def __init__(
        self, frame: pd.DataFrame, cards: list[Hashable], *, numbers: bool = False
    ) -> None:
        levels = [
            at for at, name in enumerate(frame.index.names) if name not in (None, *frame.columns)
        ]
        own = [*frame.columns, *(frame.index.names[at] for at in levels)]
        every: list[Any] = [frame.iloc[:, at] for at in range(len(frame.columns))]
        every += [frame.index.get_level_values(at) for at in levels]
        others = {f"\0{at}": one for at, one in enumerate(own) if not isinstance(one, str)}
        names = [one if isinstance(one, str) else f"\0{at}" for at, one in enumerate(own)]
        known = [
            one for one in (*cards, ROLE_COLUMN, SCORE, OPPONENT_SCORE) if isinstance(one, str)
        ]
        meant, self._columns = named_columns(names, every, known, Headings(numbers=numbers))
        self.cards = cards
        self.names: list[Hashable] = [others.get(name, name) for name in meant]

    def __getitem__(self, name: Hashable) -> list[Any]:
        return self._column(self.names.index(name))

    def _column(self, at: int) -> list[Any]:
        column = self._columns[at]
        return [*column] if isinstance(column, tuple) else column.tolist()

    def scores(self) -> Iterator[Any]:
        """Yield all values of columns `SCORE`."""
        return chain.from_iterable(
            self._column(at) for at, name in enumerate(self.names) if name == SCORE
        )

    def has_scores(self) -> bool:
        """Return whether there are scores."""
        return OPPONENT_SCORE in self.names or columns.holds_score(self.scores())


def _as_frame(given: Any) -> tuple[pd.DataFrame, RowErrors]:
    """Turn what is given into a table, and say what is wrong with deals of a list."""
    given = from_arrow(given)
    if isinstance(given, np.ndarray) and given.ndim == 2 and given.dtype.kind in "iu":
        texts = format_hands(as_deals(given)).astype(str).tolist()
        return pd.DataFrame({"cards": pd.Series(texts, dtype="str")}), {}
    if isinstance(given, list | tuple | np.ndarray | pd.Series):
        index = given.index if isinstance(given, pd.Series) else pd.RangeIndex(len(given))
        texts, errors = _texts([*given], _DEALT)
        dtype = None if errors or not all(isinstance(one, str) for one in texts) else "str"
        return pd.DataFrame({"cards": pd.Series(texts, index=index, dtype=dtype)}), errors
    if not isinstance(given, pd.DataFrame):
        shown = quote(given if isinstance(given, str) else repr(given))
        raise CribevError(f"expected a table, a Series, a list or an array of deals, got {shown}")
    if given.columns.nlevels > 1:
        raise CribevError(f"columns of {given.columns.nlevels} levels: expected names of one")
    return pd.DataFrame(given) if isinstance(given, Evaluated) else given, {}


def _texts(values: list[Any], count: int) -> tuple[list[Any], RowErrors]:
    """Write lists of cards, or single card numbers, as text; leave text as it is."""
    errors: RowErrors = {}
    if all(isinstance(value, str) for value in values):
        return values, errors
    texts = [*values]
    for row, value in enumerate(values):
        try:
            if not isinstance(value, str) and hasattr(value, "__len__"):
                texts[row] = format_cards(as_cards(value, count=count))
            elif count == 1 and type(value) is int and 0 <= value < 52:
                texts[row] = format_card(value)
        except CardError as error:
            cards = np.array(value, dtype=object).ravel().tolist()
            missing = CardError(f"a card is missing in {quote(repr(value))}")
            errors[row] = missing if any(map(columns.is_missing, cards)) else error
            texts[row] = ""
    return texts, errors


def _with_missing(new: pd.DataFrame, rows: Index, bad: list[int]) -> tuple[pd.DataFrame, Index]:
    """Put a row of missing values where a row of a table is bad."""
    kinds = {"i": "Int64", "b": "boolean"}  # that can be missing
    new = new.astype(
        {name: kinds[kind.kind] for name, kind in new.dtypes.items() if kind.kind in kinds}
    )
    every = np.concatenate([rows, np.array(bad, dtype=rows.dtype)])
    order = every.argsort(kind="stable")
    return new.reindex(np.where(order < len(rows), order, -1)), every[order]


def meta(frame: Any, **options: Any) -> pd.DataFrame:
    """Make the empty table that tells Dask what `evaluate` returns.

    Parameters
    ----------
    frame
        A Dask or pandas frame.
    options
        Those of `evaluate`. If a Dask frame has a text column ``score``, set `score` to True or
        False, here and in `evaluate`: its values are not known yet.

    Returns
    -------
    A table without rows, with the columns and types of the result.

    Raises
    ------
    CribevError
        If `score` is needed and not set.

    Examples
    --------
    >>> empty = meta(pd.DataFrame({"cards": ["5H 5D JS QC 2H 8D"]}), role="pone")
    >>> list(empty)[:3], len(empty)
    (['cards', 'best_discard', 'best_keep'], 0)
    """
    rows = frame if isinstance(frame, pd.DataFrame) else frame._meta
    if options.get("score") is None and options.get("play", True):
        options["score"] = _Columns(rows, []).has_scores()
        text = SCORE in rows.columns and not pd.api.types.is_numeric_dtype(rows[SCORE])
        if rows is not frame and not options["score"] and text:
            raise CribevError(
                f"a column {SCORE!r}: say score=True if it holds the score before each deal, "
                "score=False if it does not"
            )
    return evaluate(rows.iloc[:0], **options)
