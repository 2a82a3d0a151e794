"""Files of dealt hands, evaluated in chunks of rows; and random hands."""

import glob
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.advice.names import OpponentLike, as_opponent
from cribev.advice.question import check_asked
from cribev.batch import evaluate
from cribev.errors import CardError, CribevError, quote
from cribev.evaluation.plan import DealBatch, plan_evaluation
from cribev.evaluation.spread import Spread
from cribev.game.cards import SUITLESS_OFFSET, Cards, draw_hands, format_card, ranks_of
from cribev.game.index_tables import KEEPS
from cribev.game.roles import ROLES, as_role
from cribev.game.scorer import count_hands
from cribev.game.stakes import Stakes, StakesLike
from cribev.rows import columns
from cribev.rows.columns import OPPONENT_SCORE, SCORE
from cribev.rows.files import Chunk, Sink, Source, Sources, open_sink
from cribev.rows.headings import Headings, missing_column, normalised_header
from cribev.rows.lines import STANDARD_STREAM, format_hands
from cribev.system import files

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
            written.write(["cards", evaluate.ROLE_COLUMN], [cards, roles], {})


def score_file(
    source: str,
    target: str,
    *,
    crib: bool = False,
    force: bool = False,
    headings: Headings | None = None,
) -> int:
    """Count each row's hand, and its crib if there is one, and return how many rows there are.

    Columns are ``hand``, four cards, or five with the starter, and ``starter``; ``crib`` holds four
    cards, or says whether the hand is a crib. What is added is ``points``, and ``crib_points``.
    """
    known, done = ["hand", "starter", "crib"], 0
    with ExitStack() as opened:
        if target != STANDARD_STREAM:
            files.check_writable(target, force=force, source=source)
        read = opened.enter_context(Source(source, known=known, headings=headings))
        written = opened.enter_context(open_sink(target, force=force))
        for chunk in read.chunks(CHUNK_ROWS):
            table = dict(zip(chunk.names, chunk.columns, strict=True))
            if "hand" not in table:
                raise CribevError(f"{read.name!r}: {missing_column('hand', chunk.names)}")
            added, errors = _counted(table, crib=crib)
            if errors := chunk.bad | errors:
                row = min(errors)
                raise type(errors[row])(f"{read.name!r} {chunk.place(row)}: {errors[row]}")
            written.write(chunk.names, chunk.columns, added)
            done += chunk.size
    return done


_YES_OR_NO = {"1": True, "yes": True, "true": True, "0": False, "no": False, "false": False}


def _counted(
    table: Mapping[str, Any], *, crib: bool
) -> tuple[dict[str, NDArray[Any]], dict[int, CribevError]]:
    """Count the hands of a table, ``(N,)`` in columns, and tell what is wrong with which rows."""
    starters = table.get("starter")
    hands, errors = columns.parse_hands(table["hand"], 5 if starters is None else 4)
    cut, bad = (hands[:, :0], {}) if starters is None else columns.parse_hands(starters, 1)
    errors, counted = {**bad, **errors}, {"points": hands}
    said = [
        columns.as_text(one).strip().lower()
        for one in columns.as_printable_values(table.get("crib", []))
    ]
    flags = [_YES_OR_NO.get(one, crib) for one in said] if {*said} <= {*_YES_OR_NO, ""} else None
    if said and flags is None and starters is not None:
        counted["crib_points"], bad = columns.parse_hands(table["crib"], 4)
        errors = {**bad, **errors}
    found = {}
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
        found[name] = count_hands(cards, crib=as_crib).astype(np.int64)
        if name == "points" and flags:
            found[name] = np.where(flags, count_hands(cards, crib=True), found[name])
    return found, errors


def random_deals(number: int, *, seed: int | None) -> Iterator[tuple[Cards, NDArray[np.bool_]]]:
    """Yield random deals ``(n, 6)``, some at a time, and whether each is the dealer's.

    The deals of a seed are those of `random_hands`.
    """
    hands, dealers = np.random.PCG64(seed), np.random.PCG64(None if seed is None else [seed, 1])
    for start in range(0, max(number, 1), _BLOCK):
        size = min(number - start, _BLOCK)
        yield draw_hands(hands, size), dealers.random_raw(size) >> np.uint64(63) == 1


CHUNK_ROWS = 1 << 16
"""Rows at a time: enough that the cost of a chunk hardly counts, in some tens of megabytes."""

EXACT_ROWS = 1 << 12  # rows at a time where each is counted by itself: some minutes
_SCORED_ROWS = 1 << 14  # where chances to win are approximate: as many minutes near the end

_PART_BYTES = 1 << 25
_DEAL_BYTES = 500  # what is worked out for a discard, about
_REJECT_ROWS = 1 << 10
_REJECTS = ".rejects.csv"  # what the name of a result has after it, for the rows left out
_FEW_VALUES = {evaluate.ROLE_COLUMN, "best_discard", "discard", "rank", "hand_mean", evaluate.PLAY}
_FEW_VALUES |= {*Spread._fields, "hand_sd"}


class FileOptions(NamedTuple):
    """How to evaluate a file; names and meanings as in `cribev.evaluate`."""

    cards: list[str]
    role: str | None = None
    opponent: OpponentLike = "expert"
    play: bool = True
    stakes: StakesLike | None = None
    every_discard: bool = False
    exact: bool = False
    workers: int = 1
    errors: Literal["raise", "skip"] = "raise"
    """Stop at the first bad row, or put bad rows in a file of their own."""
    input_format: str | None = None
    output_format: str | None = None
    chunk_rows: int = CHUNK_ROWS
    force: bool = False  # replace files that are there
    provenance: bool = False
    headings: Headings = Headings()


class FileSummary(NamedTuple):
    """What came of a file."""

    rows: int  # rows evaluated
    rejected: int
    rejects: str | None  # the file of the bad rows, if there are any
    no_score: str | None = None
    """What there is to say of a column ``score`` if no row has a score in it."""


def evaluate_file(
    source: str | list[str],
    target: str,
    options: FileOptions,
    *,
    report: Callable[[int, float | None], object] | None = None,
) -> FileSummary:
    """Evaluate a file of deals, or ``-``, into another, which appears whole or not at all.

    Several files with the same columns are one.
    `report` is called with the rows done since its last call, and the part of the file that has
    been read. CribevError if the files cannot be used as asked, or at the first bad row.
    """
    sources = [source] if isinstance(source, str) else source
    for one in sources:
        rejects = _check_outputs(one, target, options)
    opponent, stakes = as_opponent(options.opponent, play=options.play), Stakes.read(options.stakes)
    deals_done = None if report is None else lambda deals: report(deals, None)
    role = None if options.role is None else as_role(options.role)
    names = [str(name) for name in evaluate.card_columns(list(options.cards))]
    work: dict[str, Any] = {"exact": options.exact, "workers": options.workers}
    shape = {"every_discard": options.every_discard}
    rows, rejected, no_score = 0, 0, None
    with ExitStack() as opened:
        outputs = opened.enter_context(files.AtomicWrites())
        into = partial(open_sink, force=options.force, outputs=outputs)
        known, headings = [*names, evaluate.ROLE_COLUMN], options.headings
        open_source = partial(Source, form=options.input_format, known=known, headings=headings)
        read = Sources(sources, open_source)
        opened.callback(read.close)
        written = opened.enter_context(into(target, options.output_format, few_values=_FEW_VALUES))
        bad_rows: Sink | None = None
        win, chunks = _with_scores(read, options)
        check_asked(opponent, stakes, scored=win)
        new = evaluate.added_names(
            play=options.play, win=win, worth=stakes.goal is not None, **shape
        )
        how = evaluate.provenance_of(opponent, stakes, scored=win)
        written.keep_metadata(how)
        said = how if options.provenance else {}
        for chunk in map(_without_former, chunks):
            if not rows + rejected:
                try:
                    taken = [*new, *[evaluate.VERSION] * options.provenance]
                    evaluate.check_columns(chunk.names, names, role, taken)
                except CribevError as error:
                    raise CribevError(f"{chunk.source!r}: {error}") from error
                if options.play and not win:
                    no_score = columns.no_score_note(_score_values(chunk))
            found, errors = evaluate.parse_rows(
                dict(zip(chunk.names, chunk.columns, strict=True)), chunk.size, names, role,
                win=win, exact=options.exact,
            )  # fmt: skip
            errors |= chunk.bad
            own, size, good = chunk.columns, chunk.size - len(errors), np.arange(chunk.size)
            if errors:
                if options.errors == "raise":
                    row = min(errors)
                    raise type(errors[row])(f"{chunk.source!r} {chunk.place(row)}: {errors[row]}")
                if bad_rows is None:
                    bad_rows = opened.enter_context(into(str(rejects), "csv"))
                _write_rejects(bad_rows, chunk, errors, several=len(sources) > 1)
                good = np.setdiff1d(np.arange(chunk.size), list(errors))
                own = [columns.take_rows(column, good) for column in own]
            reported = 0
            for part in _chunk_parts(own, size, options, win=win):
                deals = DealBatch.of(*found, stakes.goal, rows=good[part] if errors else part)
                plan = plan_evaluation(deals, opponent, **work)
                found_here, each = evaluate.evaluate_columns(plan, report=deals_done, **shape)
                added = {
                    name: format_hands(values) if values.ndim == 2 else _ascii(values)
                    for name, values in found_here.items()
                }
                copied = [column[part] for column in own]
                if options.every_discard:
                    copied = [columns.take_rows(column, each) for column in copied]
                copied += [(text,) * len(each) for text in said.values()]
                written.write([*chunk.names, *said], copied, added)
                reported += plan.reported
            rows, rejected = rows + size, rejected + len(errors)
            if report is not None:
                report(chunk.size - reported, read.fraction_read())
        if options.force and options.errors == "skip" and not rejected:
            outputs.drop(Path(str(rejects)))
    return FileSummary(rows, rejected, rejects if rejected else None, no_score)


def _ascii(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(bytes) if values.dtype.kind == "U" else values


def _without_former(chunk: Chunk) -> Chunk:
    """Leave out what an evaluation added before."""

    def values(place: int) -> Sequence[Any]:
        return columns.as_printable_values(chunk.columns[place])

    try:
        left = evaluate.own_columns(chunk.names, values)
    except CribevError as error:
        raise CribevError(f"{chunk.source!r}: {error}") from error
    names, own = ([part[place] for place in left] for part in (chunk.names, chunk.columns))
    return chunk._replace(names=names, columns=own)


def _check_outputs(source: str, target: str, options: FileOptions) -> str | None:
    """Refuse files that cannot be written; name that of the bad rows, if there can be one."""
    rejects = None if target == STANDARD_STREAM else target + _REJECTS
    if options.errors == "skip" and (rejects is None or not files.is_regular_or_new(target)):
        raise CribevError("skipping bad rows needs an output file: the bad rows go beside it")
    if rejects is not None:
        files.check_writable(target, force=options.force, source=source)
        if options.errors == "skip":
            files.check_writable(rejects, force=options.force, source=source)
    return rejects


def _with_scores(read: Sources, options: FileOptions) -> tuple[bool, Iterator[Chunk]]:
    """Return whether scores count, by the first rows, and all chunks."""
    size = min(options.chunk_rows, EXACT_ROWS) if options.exact else options.chunk_rows
    chunks, ahead, rows = read.chunks(size), list[Chunk](), 0
    if not options.play:
        return False, chunks
    win = False
    for chunk in chunks:
        ahead.append(chunk)
        rows += chunk.size
        names = _named_scores(chunk).names
        win = OPPONENT_SCORE in names or columns.holds_score(_score_values(chunk))
        if win or SCORE not in names or rows >= CHUNK_ROWS:
            break
    every = chain(ahead, chunks)
    return win, map(_named_scores, every) if win else _without_scores(every, len(ahead))


def _without_scores(chunks: Iterator[Chunk], seen: int) -> Iterator[Chunk]:
    """Check that no chunk after those that were looked at has a score."""
    for at, chunk in enumerate(chunks):
        if at >= seen and columns.holds_score(_score_values(chunk)):
            raise CribevError(
                f"{chunk.source!r} {chunk.place(0)} and on: column {SCORE!r} holds a score, and "
                f"none in the first {CHUNK_ROWS:,} rows: put a row with a score first, or rename it"
            )
        yield chunk


def _named_scores(chunk: Chunk) -> Chunk:
    return chunk._replace(names=normalised_header(chunk.names, (SCORE, OPPONENT_SCORE)))


def _score_values(chunk: Chunk) -> Iterator[Any]:
    for name, column in zip(_named_scores(chunk).names, chunk.columns, strict=True):
        if name == SCORE:
            yield from columns.as_printable_values(column)


def _chunk_parts(own: list[Any], size: int, options: FileOptions, *, win: bool) -> Iterator[slice]:
    """Cut rows into parts of some megabytes, or some minutes; one part if there are none."""
    step = max(size, 1)
    if options.every_discard:
        each = len(KEEPS) * (sum(map(columns.byte_size, own)) // step + _DEAL_BYTES)
        step = max(min(step, _PART_BYTES // each), 1)
    if options.exact or win:
        step = min(step, EXACT_ROWS if options.exact else _SCORED_ROWS)
    for start in range(0, max(size, 1), step):
        yield slice(start, start + step)


def _write_rejects(sink: Sink, chunk: Chunk, errors: columns.RowErrors, *, several: bool) -> None:
    every = sorted(errors)
    for start in range(0, len(every), _REJECT_ROWS):
        rows = every[start : start + _REJECT_ROWS]
        places = tuple(chunk.place(row).split()[1] for row in rows)
        reasons = tuple(str(errors[row]) for row in rows)
        told: dict[str, Any] = {"file": (chunk.source,) * len(rows)} if several else {}
        told |= {"line": places, "reason": reasons, "row": tuple(map(chunk.text, rows))}
        sink.write([*told], [*told.values()], {})


def _matching(pattern: str) -> Iterator[str]:
    """List what matches a pattern, ``**`` for any folders but links, which may lead in a circle."""
    path = Path(pattern, "*") if pattern.endswith("**") else Path(pattern)
    for match in Path(path.anchor).glob(str(path.relative_to(path.anchor))):
        if not any(part.startswith(".") for part in {*match.parts} - {*path.parts}):
            yield str(match)


def input_files(source: str) -> list[str]:
    """List the files of a folder, or that match a pattern; else what is named itself."""
    path = Path(source)
    several = path.is_dir() or (glob.has_magic(source) and not path.exists())
    return list_files(source) if several and source != STANDARD_STREAM else [source]


def list_files(pattern: str) -> list[str]:
    """List the files of a folder, or those that match a pattern."""
    path = Path(pattern)
    try:
        if path.is_file():  # by its name, whatever letters that has
            return [pattern]
        if path.is_dir():
            names = [str(file) for file in path.iterdir() if not file.name.startswith(".")]
        else:
            names = [*_matching(pattern)]
    except (OSError, ValueError) as error:  # a byte 0 is a ValueError
        shown = quote(pattern, most=300)
        raise CribevError(f"cannot read {shown}: {getattr(error, 'strerror', error)}") from error
    if sources := sorted(name for name in names if Path(name).is_file()):
        return sources
    raise CribevError(f"no files match {quote(pattern)}")
