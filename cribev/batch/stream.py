"""Files of dealt hands, read, evaluated and written some rows at a time; and random ones."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.batch.evaluate import (
    PLAY,
    ROLE_COLUMN,
    added_names,
    card_columns,
    check_columns,
    evaluate_columns,
    missing_suits,
)
from cribev.batch.evaluators import DealBatch, partition
from cribev.errors import CribevError
from cribev.game.cards import Cards, random_hands
from cribev.game.index_tables import KEEPS
from cribev.game.roles import ROLES, Role, as_role
from cribev.opponents.discarders import Opponent, OpponentLike, as_opponent
from cribev.rows.columns import (
    OPPONENT_SCORE,
    SCORE,
    RowErrors,
    arrow_lines,
    arrow_roles,
    as_printable_values,
    as_text,
    byte_size,
    holds_score,
    is_arrow,
    parse_deals,
    parse_joined_deals,
    parse_roles,
    parse_score_columns,
    take_rows,
)
from cribev.rows.lines import STANDARD_STREAM, format_hands
from cribev.rows.read import Chunk, Source, normalised_header
from cribev.rows.write import Sink, open_sink
from cribev.system.files import AtomicWrites, check_writable, is_regular_or_new

_BLOCK = 1 << 16


def write_random_deals(
    number: int, target: str, *, seed: int | None, form: str | None, force: bool
) -> None:
    """Write random deals with roles to a file, or to standard output by ``-``.

    The same seed gives the same deals everywhere, and more deals begin with the same; None deals
    afresh. The form is one of `FORMATS`; if None, the suffix says it.

    >>> write_random_deals(2, "-", seed=1, form="csv", force=False)
    cards,role
    3D 2H JD AS 3H 6H,dealer
    4H AC QS 2D KH 7D,dealer
    """
    if target != STANDARD_STREAM:
        check_writable(target, force=force)
    with open_sink(target, form, force=force) as written:
        for deals, dealer in random_deals(number, seed=seed):
            roles = tuple(np.where(dealer, *ROLES).tolist())
            cards = tuple(format_hands(deals).astype(str).tolist())
            written.write(["cards", ROLE_COLUMN], [cards, roles], {})


def random_deals(number: int, *, seed: int | None) -> Iterator[tuple[Cards, NDArray[np.bool_]]]:
    """Yield random deals ``(n, 6)``, some at a time, and whether each is the dealer's.

    >>> [len(cards) for cards, dealer in random_deals(100_000, seed=1)]
    [65536, 34464]
    """
    root = np.random.SeedSequence().entropy if seed is None else seed
    assert isinstance(root, int)
    for block, start in enumerate(range(0, max(number, 1), _BLOCK)):
        size = min(number - start, _BLOCK)
        cards_seed, role_seed = np.random.SeedSequence([root, block]).generate_state(2, np.uint64)
        bits = np.random.PCG64(int(role_seed)).random_raw(size)
        yield random_hands(size, seed=int(cards_seed)), bits >> np.uint64(63) == 1


CHUNK_ROWS = 1 << 16
"""Rows at a time: so many that the cost of a chunk hardly counts, in some tens of megabytes."""

EXACT_ROWS = 1 << 12
"""Rows at a time where each is counted by itself: some minutes."""

_PART_BYTES = 1 << 25
_DEAL_BYTES = 500  # what is worked out for a discard, about
_REJECT_ROWS = 1 << 10
_REJECTS = ".rejects.csv"
_FEW_VALUES = {ROLE_COLUMN, "best_discard", "discard", "rank", "hand_mean", PLAY}


class FileOptions(NamedTuple):
    """How to evaluate a file; names and meanings as in `cribev.evaluate`."""

    cards: list[str]
    role: str | None = None
    opponent: OpponentLike = "expert"
    play: bool = True
    score: bool | None = None
    spread: bool = False
    every_discard: bool = False
    exact: bool = False
    workers: int = 1
    errors: Literal["raise", "skip"] = "raise"
    """Stop at the first bad row, or put bad rows in a file of their own."""
    input_format: str | None = None
    output_format: str | None = None
    chunk_rows: int = CHUNK_ROWS
    force: bool = False
    """Replace files that are there."""


class FileSummary(NamedTuple):
    """What came of a file."""

    rows: int
    """Rows evaluated."""
    rejected: int
    rejects: str | None
    """The file of the bad rows, if there are any."""
    no_score: str | None = None
    """The first value of a column ``score`` if no row has a score in it."""


class FileProgress(NamedTuple):
    """How far a file has been evaluated."""

    rows: int
    """Rows done since the last report."""
    share: float | None
    """How much of the file has been read, if it can be told."""


def rejects_path(target: str) -> str:
    """Name the file of the rows that a result leaves out.

    >>> rejects_path("best.csv")
    'best.csv.rejects.csv'
    """
    return target + _REJECTS


def evaluate_file(
    source: str,
    target: str,
    options: FileOptions,
    *,
    report: Callable[[FileProgress], object] | None = None,
) -> FileSummary:
    r"""Evaluate a file of deals into another file, which appears whole or not at all.

    Either may be ``-``, for standard input and output. `report` is called after each chunk, and,
    where deals take time, after some of them. CribevError if the files cannot be used as asked, or
    at the first bad row, with its line.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     deals, result = f"{folder}/deals.csv", f"{folder}/result.csv"
    ...     _ = Path(deals).write_text("cards\n5H 5D JS QC 2H 8D\n")
    ...     print(evaluate_file(deals, result, FileOptions(["cards"], role="dealer")))
    ...     print(Path(result).read_text().splitlines()[1][:28])
    FileSummary(rows=1, rejected=0, rejects=None, no_score=None)
    5H 5D JS QC 2H 8D,2H 8D,5D 5
    """
    rejects = _check_outputs(source, target, options)
    opponent = as_opponent(options.opponent, play=options.play)
    deals_done = None if report is None else lambda deals: report(FileProgress(deals, None))
    role = None if options.role is None else as_role(options.role)
    names = _card_names(options)
    rows, rejected, no_score = 0, 0, None
    with ExitStack() as opened:
        outputs = opened.enter_context(AtomicWrites())
        into = partial(open_sink, force=options.force, outputs=outputs)
        read = opened.enter_context(_opened(source, options))
        written = opened.enter_context(into(target, options.output_format, few_values=_FEW_VALUES))
        bad_rows: Sink | None = None
        win, chunks = _with_scores(read, options)
        new = added_names(
            play=options.play, win=win, spread=options.spread, every_discard=options.every_discard
        )
        for chunk in chunks:
            if not rows + rejected:
                try:
                    check_columns(chunk.names, names, role, new)
                except CribevError as error:
                    raise CribevError(f"{read.name!r}: {error}") from error
                no_score = _no_score(chunk) if options.play and not win else None
            found, errors = _parse_chunk(chunk, names, role, options, win=win)
            if errors:
                if options.errors == "raise":
                    row = min(errors)
                    raise type(errors[row])(f"{read.name!r} {chunk.place(row)}: {errors[row]}")
                if bad_rows is None:
                    bad_rows = opened.enter_context(into(str(rejects), "csv"))
                _write_rejects(bad_rows, chunk, errors)
                found = found.take(np.setdiff1d(np.arange(chunk.size), list(errors)))
            reported = _evaluate_into(written, chunk.names, found, opponent, options, deals_done)
            rows, rejected = rows + len(found.deals), rejected + len(errors)
            if report is not None:
                report(FileProgress(chunk.size - reported, read.fraction_read()))
        if options.force and options.errors == "skip" and not rejected:
            outputs.drop(Path(str(rejects)))
    return FileSummary(rows, rejected, rejects if rejected else None, no_score)


def file_has_scores(source: str, options: FileOptions) -> bool | None:
    """Tell whether the first rows of a file have scores; None if there is no column for them."""
    with _opened(source, options) as read:
        return _look_for_scores(read.chunks(options.chunk_rows))[0]


def _check_outputs(source: str, target: str, options: FileOptions) -> str | None:
    """Refuse files that cannot be written; name that of the bad rows, if there can be one."""
    rejects = None if target == STANDARD_STREAM else rejects_path(target)
    if options.errors == "skip" and (rejects is None or not is_regular_or_new(target)):
        raise CribevError("skipping bad rows needs an output file: the bad rows go beside it")
    if rejects is not None:
        check_writable(target, force=options.force, source=source)
        if options.errors == "skip":
            check_writable(rejects, force=options.force, source=source)
    return rejects


def _opened(source: str, options: FileOptions) -> Source:
    return Source(source, options.input_format, known=[*_card_names(options), ROLE_COLUMN])


def _card_names(options: FileOptions) -> list[str]:
    return [str(name) for name in card_columns(list(options.cards))]


def _with_scores(read: Source, options: FileOptions) -> tuple[bool, Iterator[Chunk]]:
    """Tell whether scores count, by the first rows unless the options say, and give all chunks.

    The columns of scores get their names only if they count: else they are the user's own.
    """
    size = min(options.chunk_rows, EXACT_ROWS) if options.exact else options.chunk_rows
    chunks, ahead = read.chunks(size), list[Chunk]()
    if not options.play:
        return False, chunks
    win = options.score
    if win is None:
        win, ahead = _look_for_scores(chunks)
    every = chain(ahead, chunks)
    if win:
        return True, map(_named_scores, every)
    return False, _without_scores(every, len(ahead), read.name)


def _look_for_scores(chunks: Iterator[Chunk]) -> tuple[bool | None, list[Chunk]]:
    """Look for scores in the first rows; return what `file_has_scores` tells, and what was read."""
    ahead: list[Chunk] = []
    rows, found = 0, None
    for chunk in chunks:
        ahead.append(chunk)
        rows += chunk.size
        named = _named_scores(chunk)
        if OPPONENT_SCORE in named.names or _holds_score(named):
            return True, ahead
        found = False if SCORE in named.names else None
        if found is None or rows >= CHUNK_ROWS:
            break
    return found, ahead


def _without_scores(chunks: Iterator[Chunk], seen: int, name: str) -> Iterator[Chunk]:
    """Check that no chunk after those that were looked at has a score."""
    for at, chunk in enumerate(chunks):
        if at >= seen and _holds_score(_named_scores(chunk)):
            raise CribevError(
                f"{name!r} {chunk.place(0)} and on: column {SCORE!r} holds a score, and none in "
                f"the first {CHUNK_ROWS:,} rows: put a row with a score first, or rename it"
            )
        yield chunk


def _named_scores(chunk: Chunk) -> Chunk:
    return chunk._replace(names=normalised_header(chunk.names, (SCORE, OPPONENT_SCORE)))


def _holds_score(chunk: Chunk) -> bool:
    return any(map(holds_score, _score_columns(chunk)))


def _no_score(chunk: Chunk) -> str | None:
    values = chain.from_iterable(_score_columns(_named_scores(chunk)))
    return next((text for value in values if (text := as_text(value).strip())), None)


def _score_columns(chunk: Chunk) -> Iterator[Sequence[Any]]:
    columns = zip(chunk.names, chunk.columns, strict=True)
    return (as_printable_values(column) for name, column in columns if name == SCORE)


class _Rows(NamedTuple):
    """Rows of a file, read."""

    columns: list[Any]
    """As the file has them, each ``(n,)``."""
    deals: Cards
    """``(n, 6)``."""
    dealer: NDArray[np.bool_]
    """Whether the player deals, ``(n,)``."""
    scores: NDArray[np.int64] | None
    """The player's points and the opponent's, ``(n, 2)``."""

    def take(self, rows: NDArray[np.int64]) -> "_Rows":
        """Return some of the rows."""
        return _Rows(
            [take_rows(column, rows) for column in self.columns],
            self.deals[rows],
            self.dealer[rows],
            None if self.scores is None else self.scores[rows],
        )


def _parse_chunk(
    chunk: Chunk, names: list[str], role: Role | None, options: FileOptions, *, win: bool
) -> tuple[_Rows, RowErrors]:
    """Read rows, and tell what is wrong with which."""
    columns = [chunk.columns[chunk.names.index(name)] for name in names]
    if is_arrow(columns[0]):
        deals, errors = parse_joined_deals([arrow_lines(column) for column in columns])
    else:
        deals, errors = parse_deals(columns)
    bad_roles: RowErrors = {}
    if role is not None:
        dealer = np.full(chunk.size, role == "dealer")
    else:
        words = chunk.columns[chunk.names.index(ROLE_COLUMN)]
        dealer, bad_roles = arrow_roles(words) if is_arrow(words) else parse_roles(words)
    scores, bad_scores = _parse_scores(chunk, dealer) if win else (None, {})
    suits = missing_suits(deals, spread=options.spread, exact=options.exact, scores=scores)
    errors = suits | bad_scores | bad_roles | errors | chunk.bad
    return _Rows(chunk.columns, deals, dealer, scores), errors


def _parse_scores(chunk: Chunk, dealer: NDArray[np.bool_]) -> tuple[NDArray[np.int64], RowErrors]:
    own, other = (
        as_printable_values(chunk.columns[chunk.names.index(name)]) if name in chunk.names else None
        for name in (SCORE, OPPONENT_SCORE)
    )
    assert own is not None  # `check_columns` requires it
    return parse_score_columns(own, other, dealer)


def _evaluate_into(
    sink: Sink,
    names: Sequence[str],
    rows: _Rows,
    opponent: Opponent,
    options: FileOptions,
    report: Callable[[int], object] | None,
) -> int:
    """Evaluate rows and write them; return how many of them were reported."""
    reported = 0
    for part in _chunk_parts(rows, options):
        scores = None if rows.scores is None else rows.scores[part]
        parted = partition(
            DealBatch.of(rows.deals[part], rows.dealer[part], scores),
            opponent,
            exact=options.exact,
            workers=options.workers,
        )
        added, each = evaluate_columns(
            parted, report=report, spread=options.spread, every_discard=options.every_discard
        )
        reported += parted.reported
        own = [column[part] for column in rows.columns]
        if options.every_discard:
            own = [take_rows(column, each) for column in own]
        sink.write(names, own, added)
    return reported


def _chunk_parts(rows: _Rows, options: FileOptions) -> Iterator[slice]:
    """Cut rows into parts whose results take some tens of megabytes; one part where there are none.

    A row that comes 15 times takes as much room; rows that are counted one by one take long.
    """
    size = len(rows.deals)
    step = max(size, 1)
    if options.every_discard:
        each = len(KEEPS) * (sum(map(byte_size, rows.columns)) // step + _DEAL_BYTES)
        step = max(min(step, _PART_BYTES // each), 1)
    if options.exact or rows.scores is not None:
        step = min(step, EXACT_ROWS)
    for start in range(0, max(size, 1), step):
        yield slice(start, start + step)


def _write_rejects(sink: Sink, chunk: Chunk, errors: RowErrors) -> None:
    every = sorted(errors)
    for start in range(0, len(every), _REJECT_ROWS):
        rows = every[start : start + _REJECT_ROWS]
        places = tuple(chunk.place(row).split()[1] for row in rows)
        reasons = tuple(str(errors[row]) for row in rows)
        sink.write(["line", "reason", "row"], [places, reasons, tuple(map(chunk.text, rows))], {})
