"""Files of dealt hands, evaluated in chunks of rows, bad rows set aside; and random hands."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.advice.names import OpponentLike, as_opponent
from cribev.batch.evaluate import PLAY
from cribev.batch.frames import (
    ANSWER,
    ROLE_COLUMN,
    card_columns,
    evaluate_chunk,
    holds_scores,
    own_columns,
    provenance_of,
    score_values,
)
from cribev.errors import CardError, CribevError, quote
from cribev.evaluation.spread import Spread
from cribev.game.cards import SUITLESS_OFFSET, Cards, draw_hands, format_card, ranks_of
from cribev.game.index_tables import KEEPS
from cribev.game.play import Play
from cribev.game.roles import ROLES
from cribev.game.scorer import count_hands
from cribev.game.stakes import Stakes, StakesLike
from cribev.rows.columns import (
    OPPONENT_SCORE,
    SCORE,
    RowErrors,
    as_text,
    as_values,
    no_score_note,
    parse_hands,
    take_rows,
)
from cribev.rows.files import CHUNK_ROWS, Chunk, FileLike, input_files, read_chunks, require_stream
from cribev.rows.headings import PLAIN, Headings, missing_column
from cribev.rows.lines import STANDARD_STREAM, format_hands, is_url
from cribev.rows.writing import Sink, open_sink
from cribev.system import files
from cribev.system.bars import tqdm

_BLOCK = 1 << 16


def write_random_deals(
    number: int, target: str, *, seed: int | None, form: str | None, force: bool
) -> None:
    """Write random deals with roles to a file or ``-``, by a seed the same and each a beginning."""
    if target != STANDARD_STREAM:
        files.check_writable(target, force=force)
    with open_sink(target, form, force=force) as written:
        for deals, dealer in random_deals(number, seed=seed):
            roles = tuple(np.where(dealer, *ROLES).tolist())
            cards = tuple(format_hands(deals).astype(str).tolist())
            written.write(["cards", ROLE_COLUMN], [cards, roles])


class FileSummary(NamedTuple):
    """The result of evaluating a file."""

    rows: int
    """The number of rows that were evaluated."""
    rejected: int
    """The number of bad rows."""
    seconds: float
    target: str
    """The file written."""
    rejects: str | None
    """The file of the bad rows, if there are any."""
    note: str | None
    """A note on a column ``score`` in which no row has a score."""


def score_file(
    source: str,
    target: str,
    *,
    crib: bool = False,
    errors: Literal["raise", "skip"] = "raise",
    force: bool = False,
    headings: Headings = PLAIN,
) -> FileSummary:
    """Count each row's hand, and its crib if there is one; bad rows stop it, or are set aside.

    Columns are ``hand``, four cards, or five with the starter, and ``starter``; ``crib`` holds four
    cards, or says whether the hand is a crib. The columns ``points`` and ``crib_points`` are added.
    """
    known = ["hand", "starter", "crib"]
    return _add_points(
        source, target, known, partial(_counted, crib=crib),
        errors=errors, force=force, headings=headings,
    )  # fmt: skip


def peg_file(
    source: str,
    target: str,
    *,
    errors: Literal["raise", "skip"] = "raise",
    force: bool = False,
    headings: Headings = PLAIN,
) -> FileSummary:
    """Add ``pone_points`` and ``dealer_points`` of each row's ``play``, as `score_file` does."""
    return _add_points(
        source, target, ["play"], _pegged, errors=errors, force=force, headings=headings
    )


_Counts: TypeAlias = tuple[dict[str, NDArray[Any]], dict[int, CribevError]]
"""Columns of points, ``(N,)``, and what is wrong with which rows."""


def _add_points(
    source: str,
    target: str,
    known: Sequence[str],
    count: Callable[[Mapping[str, Any]], _Counts],
    *,
    errors: str,
    force: bool,
    headings: Headings,
) -> FileSummary:
    """Add columns of points to a file, of which the first known column is needed."""
    begun, rejects, rows, rejected = perf_counter(), f"{target}.rejects.csv", 0, 0
    if errors == "skip" and target == STANDARD_STREAM:
        raise CribevError(_NEEDS_FILE)
    bad_rows: Sink | None = None
    with ExitStack() as opened:
        if target != STANDARD_STREAM:
            for path in [target, *[rejects] * (errors == "skip")]:
                files.check_writable(path, force=force, source=source)
        chunks = read_chunks([source], known=known, headings=headings)
        opened.enter_context(closing(chunks))
        outputs = opened.enter_context(files.AtomicWrites())
        written = opened.enter_context(open_sink(target, force=force, outputs=outputs))
        for chunk in chunks:
            table = dict(zip(chunk.names, chunk.columns, strict=True))
            if known[0] not in table:
                raise CribevError(f"{chunk.source!r}: {missing_column(known[0], chunk.names)}")
            added, wrong = count(table)
            bad = {**wrong, **chunk.bad}
            if errors == "raise":
                chunk.require(bad)
            own, points = chunk.columns, [*added.values()]
            if bad:
                if bad_rows is None:
                    sink = open_sink(rejects, "csv", force=force, outputs=outputs)
                    bad_rows = opened.enter_context(sink)
                _write_rejects(bad_rows, chunk, bad, several=False)
                good = np.delete(np.arange(chunk.size), [*bad])
                own = [take_rows(column, good) for column in own]
                points = [column[good] for column in points]
            written.write([*chunk.names, *added], [*own, *points])
            rows, rejected = rows + chunk.size - len(bad), rejected + len(bad)
    seconds = perf_counter() - begun
    return FileSummary(rows, rejected, seconds, target, rejects if rejected else None, None)


_YES_OR_NO = dict.fromkeys(("1", "yes", "true", "crib"), True)
_YES_OR_NO |= dict.fromkeys(("0", "no", "false", "hand"), False)


def _pegged(table: Mapping[str, Any]) -> _Counts:
    """Peg the plays of a table."""
    plays = as_values(table["play"])
    points, errors = np.zeros((len(ROLES), len(plays)), np.int64), dict[int, CribevError]()
    for row, play in enumerate(plays):
        try:
            pegged = Play.parse(as_text(play)).points
            points[:, row] = [pegged[role] for role in ROLES]
        except CribevError as error:
            errors[row] = error
    return {f"{role}_points": own for role, own in zip(ROLES, points, strict=True)}, errors


def _counted(table: Mapping[str, Any], *, crib: bool) -> _Counts:
    """Count the hands of a table."""
    starters = table.get("starter")
    hands, errors = parse_hands(table["hand"], 5 if starters is None else 4)
    cut, bad = (hands[:, :0], {}) if starters is None else parse_hands(starters, 1)
    errors, counted = {**bad, **errors}, {"points": hands}
    said = [as_text(cell).strip().lower() for cell in as_values(table.get("crib", []))]
    flags = [_YES_OR_NO.get(cell, crib) for cell in said] if {*said} <= {*_YES_OR_NO, ""} else None
    if said and flags is None and starters is not None:
        counted["crib_points"], bad = parse_hands(table["crib"], 4)
        errors = {**bad, **errors}
    points = {}
    for name, four in counted.items():
        cards = np.concatenate([four, cut], axis=1)
        same = np.sort(cards, axis=1)
        twice = ((same[:, 1:] == same[:, :-1]) & (same[:, 1:] < SUITLESS_OFFSET)).any(axis=1)
        ranks = ranks_of(cards)
        for row in np.flatnonzero(twice | (ranks == ranks[:, :1]).all(axis=1)).tolist():
            text = " ".join(map(format_card, cards[row].tolist()))
            errors.setdefault(row, CardError(f"{quote(text)}: expected five different cards"))
        cards[list(errors)] = np.arange(5)
        as_crib = crib or name == "crib_points"
        points[name] = count_hands(cards, crib=as_crib).astype(np.int64)
        if name == "points" and flags:
            points[name] = np.where(flags, count_hands(cards, crib=True), points[name])
    return points, errors


def random_deals(number: int, *, seed: int | None) -> Iterator[tuple[Cards, NDArray[np.bool_]]]:
    """Yield random deals ``(n, 6)``, some at a time, and whether each is the dealer's.

    The deals of a seed are those of `random_hands`.
    """
    hands, dealers = np.random.PCG64(seed), np.random.PCG64(None if seed is None else [seed, 1])
    for start in range(0, max(number, 1), _BLOCK):
        size = min(number - start, _BLOCK)
        yield draw_hands(hands, size), dealers.random_raw(size) >> np.uint64(63) == 1


_NEEDS_FILE = "skipping bad rows needs an output file: the bad rows go beside it"
_EXACT_ROWS = 1 << 12  # rows at a time where each is counted by itself: some minutes
_REJECT_ROWS = 1 << 10
_FEW_VALUES = {ROLE_COLUMN, "best_discard", "discard", "rank", "hand_mean", PLAY, "hand_sd"}
_FEW_VALUES |= {*Spread._fields}


def evaluate_file(
    source: FileLike | list[FileLike],
    target: FileLike | None = None,
    *,
    cards: str | list[str] = "cards",
    role: str | None = None,
    opponent: OpponentLike = "expert",
    play: bool = True,
    score: bool | str | tuple[int, int] | None = None,
    stakes: StakesLike | None = None,
    answer: str | None = None,
    every_discard: bool = False,
    exact: bool = False,
    workers: int = 1,
    errors: Literal["raise", "skip"] = "raise",
    rejects: str | PathLike[str] | None = None,
    provenance: bool = False,
    numbers: str | None = None,
    columns: Mapping[str, str] = MappingProxyType({}),
    input_format: str | None = None,
    output_format: str | None = None,
    chunk_rows: int = CHUNK_ROWS,
    force: bool = False,
) -> FileSummary:
    r"""Find the best discard of each row of a file, and write another, as ``cribev batch`` does.

    A terminal's standard error shows the progress. The file appears whole or not at all.

    Parameters
    ----------
    source
        A file of CSV, TSV, JSON Lines or Parquet (which needs pyarrow), by its suffix or else its
        contents; text may be compressed (``.gz``, ``.zst``). A path, a folder or a pattern; a URL
        such as ``s3://…`` or ``https://…``, if fsspec is installed; an open file; ``-``, standard
        input; or several with the same columns, as one.
    target
        The file to write, or ``-``; by default the name of the source with ``.best`` before its
        suffixes, in the same folder.
    cards, role, opponent, play, score, stakes, answer, every_discard, exact, workers, provenance,
    numbers
        As in `evaluate`. Unless `score` says so, scores are read if they are in the first rows.
    errors
        What to do about bad rows: ``"raise"`` at the first, or ``"skip"`` them and put them, with
        line and reason, in the file `rejects`; by default it is beside the target.
    columns
        What columns mean whose names do not say it, as ``{"Turn": "starter"}``.
    input_format, output_format
        ``"csv"``, ``"tsv"``, ``"jsonl"`` or ``"parquet"``, where the suffix does not say it.
    chunk_rows
        Rows at a time.
    force
        Replace files that are there.

    Returns
    -------
    A `FileSummary`: how many rows were evaluated and rejected, the seconds that it took, and the
    files written.

    Raises
    ------
    CribevError
        If the files cannot be used as asked, or at the first bad row, with its line and the reason.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> deals = "cards,role\n5H 5D JS QC 2H 8D,dealer\n5H 5D,pone\n"
    >>> _ = (folder / "deals.csv").write_text(deals)
    >>> done = evaluate_file(folder / "deals.csv", errors="skip")
    >>> done.rows, done.rejected, Path(done.target).name, Path(done.rejects).name
    (1, 1, 'deals.best.csv', 'deals.best.csv.rejects.csv')
    """
    begun = perf_counter()
    if errors not in ("raise", "skip"):
        raise CribevError(f"errors={errors!r}: expected raise, skip")
    if rejects is not None and errors != "skip":
        raise CribevError("rejects goes with errors='skip': else the first bad row is raised")
    sources = [
        file
        for each in (source if isinstance(source, list | tuple) else [source])
        for file in (input_files(fspath(each)) if isinstance(each, str | PathLike) else [each])
    ]
    target = _best_name(sources) if target is None else target
    named = fspath(target) if isinstance(target, str | PathLike) else ""
    skipped = fspath(rejects) if rejects is not None else f"{named}.rejects.csv"
    if (
        errors == "skip"
        and rejects is None
        and not (named and named != STANDARD_STREAM and files.is_regular_or_new(named))
    ):
        raise CribevError(_NEEDS_FILE)
    for file in sources:
        for path in [named, *[skipped] * (errors == "skip")]:
            if path not in ("", STANDARD_STREAM) and not is_url(path):
                files.check_writable(path, force=force, source=str(file))
    names = [str(name) for name in card_columns([cards] if isinstance(cards, str) else [*cards])]
    asked: dict[str, Any] = {
        "cards": names, "role": role, "opponent": as_opponent(opponent, play=play), "play": play,
        "stakes": Stakes.read(stakes), "answer": answer, "every_discard": every_discard,
        "exact": exact, "workers": workers, "errors": errors, "provenance": provenance,
    }  # fmt: skip
    scores = [SCORE, OPPONENT_SCORE] * (play and score in (None, True))
    size = chunk_rows // len(KEEPS) if every_discard else chunk_rows
    rows = rejected = 0
    note = None
    with ExitStack() as opened:
        bar = opened.enter_context(
            tqdm(desc="evaluating", unit=" rows", unit_scale=True, disable=None)
        )
        outputs = opened.enter_context(files.AtomicWrites())
        into = partial(open_sink, force=force, outputs=outputs)
        written = opened.enter_context(into(target, output_format, few_values=_FEW_VALUES))
        bad_rows: Sink | None = None
        chunks = read_chunks(
            sources, input_format, rows=max(min(size, _EXACT_ROWS) if exact else size, 1),
            known=[*names, ROLE_COLUMN, *scores, ANSWER if answer is None else answer],
            headings=Headings(columns, numbers),
        )  # fmt: skip
        opened.enter_context(closing(chunks))
        ahead = list[Chunk]()
        if score is None:
            ahead, score = _with_scores(chunks, play)
            if play and not score:
                note = no_score_note(score_values(ahead[0]))
        for number, chunk in enumerate(chain(ahead, chunks)):
            if not score and play and number >= len(ahead) and holds_scores(chunk):
                raise CribevError(
                    f"{chunk.source!r} {chunk.place(0)} and on: column {SCORE!r} holds a score, "
                    f"and none in the first {CHUNK_ROWS:,} rows: put a row with a score first, or "
                    "rename it"
                )
            chunk = _without_former(chunk)
            found_columns, places, bad = evaluate_chunk(
                chunk, score=score, report=bar.update, **asked
            )
            added = {
                name: format_hands(values) if values.ndim == 2 else values
                for name, values in found_columns.items()
            }
            own = chunk.columns
            if bad or every_discard:
                own = [take_rows(column, places) for column in own]
            written.write(
                [*chunk.names, *added],
                [*own, *added.values()],
                _metadata(chunk, asked, scored=score is not False),
            )
            if bad:
                if bad_rows is None:
                    bad_rows = opened.enter_context(into(skipped, "csv"))
                _write_rejects(bad_rows, chunk, bad, several=len(sources) > 1)
            rows, rejected = rows + chunk.size - len(bad), rejected + len(bad)
            bar.update(rows + rejected - bar.n)
            if chunk.part_read:
                bar.total = round(bar.n / chunk.part_read)
                bar.refresh()
        if force and errors == "skip" and not rejected and not is_url(skipped):
            outputs.drop(Path(skipped))
    return FileSummary(
        rows, rejected, perf_counter() - begun, named, skipped if rejected else None, note
    )


def _best_name(sources: Sequence[FileLike]) -> str:
    """Name the result of a file: ``deals.best.csv.gz``, in its folder or, of a URL, in this one."""
    (source,) = sources if len(sources) == 1 else [STANDARD_STREAM]
    if not isinstance(source, str):
        require_stream(source)
    if not isinstance(source, str) or source == STANDARD_STREAM:
        raise CribevError("there is not one file with a name: expected the file to write")
    path = Path(source.rpartition("/")[2] if is_url(source) else source)
    stem, *suffixes = path.name.split(".")
    return str(path.with_name(".".join([stem, "best", *suffixes])))


def _metadata(chunk: Chunk, asked: Mapping[str, Any], *, scored: bool) -> dict[Any, Any]:
    """Tell facts about all rows as JSON under ``cribev``, beside what the file tells."""
    told = provenance_of(asked["opponent"], asked["stakes"], scored=scored)
    return {**(chunk.metadata or {}), "cribev": json.dumps(told)}


def _without_former(chunk: Chunk) -> Chunk:
    """Leave out what an evaluation added before, as `own_columns` says."""
    try:
        left = own_columns(chunk.names, lambda place: as_values(chunk.columns[place]))
    except CribevError as error:
        raise CribevError(f"{chunk.source!r}: {error}") from error
    return chunk._replace(names=[*map(str, left.values())], columns=chunk.select([*left]))


def _with_scores(chunks: Iterator[Chunk], play: bool) -> tuple[list[Chunk], bool]:
    """Read the first rows, as many as may tell whether scores count, and return whether they do."""
    ahead, rows, scored = list[Chunk](), 0, False
    while play and not scored and rows < CHUNK_ROWS and (chunk := next(chunks, None)):
        ahead.append(chunk)
        rows, scored = rows + chunk.size, holds_scores(chunk)
        if SCORE not in chunk.names:
            break
    return ahead, scored


def _write_rejects(sink: Sink, chunk: Chunk, errors: RowErrors, *, several: bool) -> None:
    bad_rows = sorted(errors)
    for start in range(0, len(bad_rows), _REJECT_ROWS):
        rows = bad_rows[start : start + _REJECT_ROWS]
        told: dict[str, Any] = {"file": (chunk.source,) * len(rows)} if several else {}
        told["line"] = tuple(chunk.place(row).split()[1] for row in rows)
        told["reason"] = tuple(str(errors[row]) for row in rows)
        told["row"] = tuple(map(chunk.text, rows))
        sink.write([*told], [*told.values()])
