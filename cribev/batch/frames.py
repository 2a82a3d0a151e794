"""Tables of deals: rows, evaluated a chunk at a time; what comes in, and what goes out."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Literal, Self
from warnings import warn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.advice.names import OpponentLike, as_opponent
from cribev.advice.question import check_asked
from cribev.batch.evaluate import (
    ANSWER_COLUMNS,
    BEST_COLUMNS,
    EVERY_COLUMNS,
    PLAY,
    WIN,
    WIN_METHOD,
    answered_columns,
    as_table,
    best_discards,
    every_discards,
    planned,
)
from cribev.classes.canonical import Index, as_deals
from cribev.errors import CardError, CribevError, quote
from cribev.evaluation.plan import Report, deal_text
from cribev.game.cards import SUITLESS_OFFSET, CardsLike, require_numbering
from cribev.game.outcomes import SCORED_COLUMNS
from cribev.game.roles import as_role
from cribev.game.score import as_score
from cribev.game.stakes import Stakes, StakesLike
from cribev.game.words import require_flags
from cribev.rows import columns
from cribev.rows.columns import OPPONENT_SCORE, SCORE, RowErrors, from_arrow
from cribev.rows.files import Chunk
from cribev.rows.headings import Headings, missing_column, named_columns, normalised_header
from cribev.rows.lines import format_hands

ROLE_COLUMN = "role"
VERSION = "cribev"  # the column of the version
REASON = "reason"  # why a row is bad
OPPONENT, STAKES = "opponent", "stakes"  # no columns are read: all rows have the same
ANSWER = "answer"  # the discard that somebody else gives
ERRORS = ("raise", "skip", "null")
_FORMER = {
    BEST_COLUMNS: {"best_discard", "best_keep", "expected", "margin"},
    EVERY_COLUMNS: {"rank", "discard", "keep", "expected", "behind"},
}
"""Columns by which an evaluated table is recognized: a new evaluation replaces all it added."""


def evaluate_chunk(
    chunk: Chunk,
    *,
    cards: Hashable | list[Hashable] = "cards",
    role: str | None = None,
    opponent: OpponentLike = "expert",
    play: bool = True,
    score: bool | str | tuple[int, int] = False,
    stakes: StakesLike | None = None,
    answer: Hashable = None,
    every_discard: bool = False,
    exact: bool = False,
    workers: int = 1,
    errors: str = "raise",
    provenance: bool = False,
    report: Report = None,
) -> tuple[dict[str, NDArray[Any]], Index, RowErrors]:
    """Evaluate rows: return columns to add, the row of the chunk for each, and the bad rows.

    Cards are numbers, ``(n, 2)`` or ``(n, 4)``. Options are those of `evaluate`; `report` is called
    with the number of slow deals done, in place of a progress bar.
    """
    if errors not in ERRORS:
        raise CribevError(f"errors={errors!r}: expected {', '.join(ERRORS)}")
    require_flags(every_discard=every_discard, exact=exact, provenance=provenance)
    cards, role = card_columns(cards), None if role is None else as_role(role)
    against, played_for = as_opponent(opponent, play=play), Stakes.read(stakes)
    scored = score is not False
    check_asked(against, played_for, scored=scored)
    added = _added_names(
        play=play, win=scored, worth=played_for.goal is not None, every_discard=every_discard
    )
    answers = _answer_columns(chunk.names, answer, every_discard=every_discard)
    added += ANSWER_COLUMNS[: 2 + scored] if answers else ()
    if not isinstance(score, bool):
        if there := {SCORE, OPPONENT_SCORE} & {*chunk.names}:
            raise CribevError(
                f"a column {min(there)!r}, and {score!r} for all rows too: choose one"
            )
        own, theirs = as_score(score, role)  # refused as of one deal
        text = score if isinstance(score, str) else f"{own}-{theirs}"
        all_columns = [*chunk.columns, [text] * chunk.size]
        chunk = chunk._replace(names=[*chunk.names, SCORE], columns=all_columns)
    taken = [*added, *[VERSION] * provenance, *[REASON] * (errors == "null")]
    try:
        _check_columns(chunk.names, [*cards, *answers], role, taken)
    except CribevError as error:
        raise CribevError(f"{chunk.source!r}: {error}" if chunk.source else str(error)) from error
    table = dict(zip(chunk.names, chunk.columns, strict=True))
    deals, bad = columns.parse_deals([table[name] for name in cards])
    bad_roles, bad_scores, scores = RowErrors(), RowErrors(), None
    if role is not None:
        dealer = np.full(chunk.size, role == "dealer")
    elif ROLE_COLUMN in table:
        dealer, bad_roles = columns.parse_roles(table[ROLE_COLUMN])
    else:
        dealer, bad_roles = columns.parse_stars(table[SCORE])
    if scored:
        points = table[SCORE], table.get(OPPONENT_SCORE)
        scores, bad_scores = columns.parse_score_columns(*points, dealer)
    if exact:
        for row in np.flatnonzero((deals >= SUITLESS_OFFSET).any(axis=1)).tolist():
            said = "lacks suits: exact counting is for cards with suits"
            bad.setdefault(row, CardError(f"{deal_text(deals[row])!r} {said}"))
    pairs, bad_answers = None, RowErrors()
    for name in answers:
        pairs, bad_answers = columns.parse_answers(str(name), table[name], deals)
    bad = {**bad_answers, **bad_scores, **bad_roles, **bad, **chunk.bad}
    if errors == "raise":
        chunk.require(bad)
    good = np.delete(np.arange(chunk.size), [*bad])
    if bad:
        deals, dealer = deals[good], dealer[good]
        scores = None if scores is None else scores[good]
    rows = deals, dealer, scores
    with planned(rows, played_for, against, exact, workers, report) as (plan, tell):
        if pairs is not None:
            added_columns, deal_rows = answered_columns(plan, pairs[good], report=tell)
        else:
            evaluate = every_discards if every_discard else best_discards
            added_columns, deal_rows = evaluate(plan, report=tell).columns()
    told = provenance_of(against, played_for, scored=scored) if provenance else {}
    same = {name: np.full(len(deal_rows), text, object) for name, text in told.items()}
    return same | added_columns, good[deal_rows], bad


def score_values(chunk: Chunk) -> list[Any]:
    """Return all values of columns `SCORE`."""
    values = list[Any]()
    for name, column in zip(chunk.names, chunk.columns, strict=True):
        if name == SCORE:
            values += columns.as_values(column)
    return values


def holds_scores(chunk: Chunk) -> bool:
    """Return whether any row has a score."""
    return OPPONENT_SCORE in chunk.names or columns.holds_score(score_values(chunk))


def own_columns(
    names: Sequence[Hashable], values: Callable[[int], Iterable[Any]]
) -> dict[int, Hashable]:
    """Name the columns that no evaluation added to a table before, by place.

    A column ``expected`` among them has answers, and is called so: ours has another meaning.
    `values` returns a column. CribevError if rows are discards that are not the best of a deal.
    """
    former = set[Hashable]()
    for added, marks in _FORMER.items():
        if marks <= {*names}:
            former |= {*added, *((OPPONENT, STAKES, VERSION) if VERSION in names else ())}
            former |= {*ANSWER_COLUMNS} if ANSWER_COLUMNS[0] in names else set()
    if "rank" in former:
        for rank in map(columns.as_text, values(names.index("rank"))):
            if rank not in ("", "1"):
                raise CribevError(
                    f"column 'rank', {quote(rank)}: rows are all discards of an earlier "
                    "evaluation: keep one for each deal, of rank 1"
                )
    ends = former & {"margin", "behind", *ANSWER_COLUMNS}
    return {
        place: ANSWER if str(name).casefold() == "expected" and ANSWER not in names else name
        for place, (before, name) in enumerate(pairwise([None, *names]))
        if name not in former and not (name == REASON and before in ends)
    }


def provenance_of(opponent: Any, stakes: Stakes, *, scored: bool) -> dict[str, str]:
    """Say how figures were computed, by column."""
    from cribev import __version__

    played_for = {STAKES: stakes.name} if scored else {}
    return {OPPONENT: opponent.text, **played_for, VERSION: __version__}


def card_columns(cards: Hashable | list[Hashable]) -> list[Hashable]:
    """Take the name of a column of deals, or a list of six names of columns of cards."""
    if not isinstance(cards, list):
        return [cards]
    if len(cards) not in (1, 6):
        raise CribevError(f"cards stand in one column or in six, not {len(cards)}: {cards!r}")
    return cards


def _answer_columns(
    present: Sequence[Hashable], answer: Hashable, *, every_discard: bool
) -> list[Hashable]:
    """List the column of answers: the one that is named, or else `ANSWER` if it is there."""
    if every_discard:
        if answer is not None:
            raise CribevError("answer and every_discard: choose one, for answers go with the best")
        return []
    if answer is None or (answer == "expected" and answer not in present):
        answer = ANSWER
        return [answer] if answer in present else []
    return [answer]


def _added_names(*, play: bool, every_discard: bool, win: bool, worth: bool) -> list[str]:
    counts = dict.fromkeys(SCORED_COLUMNS, win and worth)
    counts |= {PLAY: play, WIN: win, WIN_METHOD: win}
    names = EVERY_COLUMNS if every_discard else BEST_COLUMNS
    return [name for name in names if counts.get(name, True)]


def _check_columns(
    present: Sequence[Hashable], cards: Sequence[Hashable], role: str | None, added: Sequence[str]
) -> None:
    """Check that a table has each column it needs, once, and none that the evaluation adds."""
    starred = WIN in added and SCORE in present and OPPONENT_SCORE not in present
    roles = [ROLE_COLUMN] if role is None and not starred else []
    scores = [SCORE, *(name for name in present if name == OPPONENT_SCORE)] if WIN in added else []
    for name in [*cards, *roles, *scores]:
        if name not in present:
            also = ", or give one role for all" if name == ROLE_COLUMN and role is None else ""
            text = missing_column(str(name), list(map(str, present)))
            raise CribevError(text.replace(":", f"{also}:", 1))
        if list(present).count(name) > 1:
            raise CribevError(f"two columns {quote(str(name))}")
    if role is None and list(present).count(ROLE_COLUMN) > 1:
        raise CribevError(f"two columns {ROLE_COLUMN!r}")
    if role is not None and ROLE_COLUMN in present:
        raise CribevError(f"a column {ROLE_COLUMN!r}, and {role!r} for all rows too: choose one")
    for name in added:
        if name in present:
            raise CribevError(f"there is a column {name!r} already: rename it")
    for name in (OPPONENT, STAKES) if WIN in added else (OPPONENT,):
        if name in normalised_header([str(heading) for heading in present], [name]):
            raise CribevError(
                f"a column {name!r} would stand beside figures that do not go by it: rename it, "
                f"and say {name} once for all rows"
            )


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
        copied: Self = super().__finalize__(other, method=method, **kwargs)  # type: ignore[misc]  # untyped
        tables = getattr(other, "objs", [getattr(other, "left", None)])
        kept_rejects = [
            getattr(table, "rejects", None) for table in tables if type(table) is Evaluated
        ]
        if rejects := [rejected for rejected in kept_rejects if rejected is not None]:
            copied.rejects = pd.concat(rejects)
        return copied


def evaluate(
    frame: pd.DataFrame | pd.Series | Sequence[CardsLike] | NDArray[Any] | Any,
    *,
    cards: Hashable | list[Hashable] = "cards",
    role: str | None = None,
    opponent: OpponentLike = "expert",
    play: bool = True,
    score: bool | str | tuple[int, int] | None = None,
    stakes: StakesLike | None = None,
    answer: Hashable = None,
    every_discard: bool = False,
    exact: bool = False,
    workers: int = 1,
    errors: Literal["raise", "skip", "null"] = "raise",
    provenance: bool = False,
    numbers: str | None = None,
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
    answer
        A column of discards to judge, by default ``expected``, which is then called ``answer``, or
        ``answer``. A rank alone is enough if one card fits; empty ones are not judged.
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
        If cards are numbers from 0 to 51, in text, lists or one column for each card, how they are
        numbered: ``"rank-major"``, 4 times the rank (the ace 0) plus the suit, in the order clubs,
        diamonds, hearts, spades; or ``"suit-major"``, 13 times the suit plus the rank.

    Returns
    -------
    The frame's own columns and index, or the deals of a list as text in a column ``cards``; then
    those of `cribev.Evaluation` that count, cards as text. With `every_discard`, each row of the
    frame is there for each discard, with ``rank``, ``discard`` (a categorical of all pairs, in the
    order of the deck), ``discard_ranks`` (one of all pairs of ranks), ``suited`` (whether both are
    of one suit; False where a suit is missing) and ``keep`` instead of the best, and ``behind``
    (how many points less than the discard that brings most) instead of the margin. With answers,
    ``agrees`` says whether each is the best discard or as good, and ``loss`` how many points it
    loses; with scores, ``win_loss`` how much less it wins. Columns of an earlier evaluation are
    replaced; of every discard, if there is one row for each deal, of rank 1.

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
    >>> table = evaluate(deals).round(2)
    >>> table[["best_discard", "hand_mean", "hand_min", "hand_max", "crib_mean", "expected"]]
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
    >>> evaluate(deals.assign(expected=["JS QC", "J Q"]))[["agrees", "loss"]].round(2)
       agrees  loss
    0   False  1.65
    1    True  0.00
    >>> evaluate(["5H 5D JS QC 2H 8D", "5H 5D"], role="pone", errors="skip").rejects
       row                              reason
    1    1  expected 6 cards, got 2 in '5H 5D'
    """
    whole, wrong = _as_frame(frame)
    own = own_columns([*whole.columns], lambda place: whole.iloc[:, place].tolist())
    frame = whole.iloc[:, [*own]].set_axis(pd.Index([*own.values()]), axis=1)
    require_flags(play=play)
    require_numbering(numbers)
    read = [*card_columns(cards), ANSWER if answer is None else answer]
    chunk = _frame_chunk(frame, read, numbers=numbers)._replace(bad=wrong)
    if score is None:
        score = play and holds_scores(chunk)
        if play and not score and (note := columns.no_score_note(score_values(chunk))):
            warn(note, stacklevel=2)
    values, rows, wrong = evaluate_chunk(
        chunk, cards=cards, role=role, opponent=opponent, play=play, score=score, stakes=stakes,
        answer=answer, every_discard=every_discard, exact=exact, workers=workers, errors=errors,
        provenance=provenance,
    )  # fmt: skip
    new = as_table(values, rows)
    rejected = np.array(sorted(wrong), dtype=np.int64)
    reasons = [str(wrong[row]) for row in rejected.tolist()]
    if errors == "null":
        new = _with_missing(new, rejected)
        new[REASON] = pd.Series(reasons, rejected, dtype="str").reindex(new.index)
    result = frame.iloc[new.index] if every_discard or wrong else frame.copy()
    result = result.assign(**new.set_axis(result.index))  # concat would copy all
    if errors == "raise":
        return result
    told = Evaluated(result)
    told.rejects = pd.DataFrame({"row": rejected}, index=frame.index[rejected])
    told.rejects[REASON] = pd.Series(reasons, index=told.rejects.index, dtype="str")
    return told


def _frame_chunk(
    frame: pd.DataFrame, cards: Sequence[Hashable], *, numbers: str | None = None
) -> Chunk:
    """Take the columns of a table, and the levels of its index, by the names that are read."""
    index = frame.index
    levels = [place for place, name in enumerate(index.names) if name not in (None, *frame.columns)]
    own = [*frame.columns, *(index.names[place] for place in levels)]
    all_columns: list[Any] = [frame.iloc[:, place] for place in range(len(frame.columns))]
    all_columns += [index.get_level_values(place) for place in levels]
    others = {f"\0{place}": name for place, name in enumerate(own) if not isinstance(name, str)}
    names = [name if isinstance(name, str) else f"\0{place}" for place, name in enumerate(own)]
    names_read = [
        name for name in (*cards, ROLE_COLUMN, SCORE, OPPONENT_SCORE) if isinstance(name, str)
    ]
    meant, all_columns = named_columns(names, all_columns, names_read, Headings(numbers=numbers))
    return Chunk(
        [others.get(name, name) for name in meant], all_columns, len(frame),
        lambda row: f"row {row} (index {index[[row]].tolist()[0]!r})", str,
    )  # fmt: skip


def _as_frame(source: Any) -> tuple[pd.DataFrame, RowErrors]:
    """Turn what is given into a table, and say what is wrong with deals of a list."""
    source = from_arrow(source)
    if isinstance(source, np.ndarray) and source.ndim == 2 and source.dtype.kind in "iu":
        texts = format_hands(as_deals(source)).astype(str).tolist()
        return pd.DataFrame({"cards": pd.Series(texts, dtype="str")}), {}
    if isinstance(source, list | tuple | np.ndarray | pd.Series):
        index = source.index if isinstance(source, pd.Series) else pd.RangeIndex(len(source))
        texts, errors = columns.texts_of_cards([*source], 6)
        return pd.DataFrame({"cards": pd.Series(texts, index=index, dtype="str")}), errors
    if not isinstance(source, pd.DataFrame):
        shown = quote(source if isinstance(source, str) else repr(source))
        raise CribevError(f"expected a table, a Series, a list or an array of deals, got {shown}")
    if source.columns.nlevels > 1:
        raise CribevError(f"columns of {source.columns.nlevels} levels: expected names of one")
    return pd.DataFrame(source) if isinstance(source, Evaluated) else source, {}


def _with_missing(new: pd.DataFrame, bad: NDArray[np.int64]) -> pd.DataFrame:
    """Put a row of missing values where a row of a table is bad."""
    kinds = {"i": "Int64", "b": "boolean"}  # that can be missing
    new = new.astype(
        {name: kinds[kind.kind] for name, kind in new.dtypes.items() if kind.kind in kinds}
    )
    rows = np.concatenate([new.index, bad])
    order = rows.argsort(kind="stable")
    missing = new.reset_index(drop=True).reindex(np.where(order < len(new), order, -1))
    return missing.set_axis(rows[order])


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
    rows = frame if isinstance(frame, pd.DataFrame) else getattr(frame, "_meta", None)
    if not isinstance(rows, pd.DataFrame):
        raise CribevError(f"expected a Dask or pandas frame, got {quote(repr(frame))}")
    if options.get("score") is None and options.get("play", True):
        options["score"] = holds_scores(_frame_chunk(rows, []))
        text = SCORE in rows.columns and not pd.api.types.is_numeric_dtype(rows[SCORE])
        if rows is not frame and not options["score"] and text:
            raise CribevError(
                f"a column {SCORE!r}: say score=True if it holds the score before each deal, "
                "score=False if it does not"
            )
    return evaluate(rows.iloc[:0], **options)
