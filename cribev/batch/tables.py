"""Files of dealt hands: read, evaluated and written some rows at a time."""

import glob
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.batch.evaluation import (
    ROLE_COLUMN,
    OpponentLike,
    card_columns,
    check_columns,
    evaluate_columns,
)
from cribev.errors import CribevError, quote
from cribev.files.deal_columns import (
    RowErrors,
    joined_deals,
    no_texts,
    parse_deals,
    parse_roles,
)
from cribev.files.formats import STANDARD, extra, format_of, is_arrow, take_rows
from cribev.files.lines import format_hands
from cribev.files.sinks import Sink, opened_sink
from cribev.files.sources import Chunk, Source
from cribev.files.whole import check_target
from cribev.game.cards import Cards, random_hands
from cribev.game.indices import KEEPS
from cribev.game.roles import ROLES, Role, as_role
from cribev.opponents.models import as_averaged

CHUNK_ROWS = 1 << 16
"""Rows at a time: enough to make what a chunk costs cheap, and some tens of megabytes."""

_DEALT_AT_A_TIME = 1 << 16
_REJECTS = ".rejects.csv"
_FEW_VALUES = {ROLE_COLUMN, "best_discard", "discard", "rank", "hand_mean"}


class Options(NamedTuple):
    """How to evaluate a file; names and meanings as in `cribev.evaluate`."""

    cards: list[str]
    role: str | None = None
    opponent: OpponentLike = "expert"
    spread: bool = False
    every_discard: bool = False
    errors: Literal["raise", "skip"] = "raise"
    """Stop at the first bad row, or put bad rows in a file of their own."""
    input_format: str | None = None
    output_format: str | None = None
    chunk_rows: int = CHUNK_ROWS
    force: bool = False
    """Replace files that are there."""


class Summary(NamedTuple):
    """What came of a file."""

    rows: int
    """Rows evaluated."""
    rejected: int
    rejects: str | None
    """The file of the bad rows, if there are any."""


class Progress(NamedTuple):
    """How far it is."""

    rows: int
    """Rows read since the last report."""
    share: float | None
    """How much of the file has been read, if it can be told."""


def evaluate_file(
    source: str,
    target: str,
    options: Options,
    *,
    report: Callable[[Progress], object] | None = None,
) -> Summary:
    r"""Evaluate a file of deals into another file, which appears whole or not at all.

    Parameters
    ----------
    source
        A file of one of `formats.FORMATS`, with a line of column names where the format has
        one; ``-`` for standard input.
    target
        The file to write; ``-`` for standard output. Bad rows go to the same name with
        ``.rejects.csv`` after it.
    options
        How to evaluate.
    report
        Called after each chunk, to show progress.

    Raises
    ------
    CribevError
        If the files cannot be used as asked, or at the first bad row, with its line.
    OSError
        If the target cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     deals, result = f"{folder}/deals.csv", f"{folder}/result.csv"
    ...     _ = Path(deals).write_text("cards\n5H 5D JS QC 2H 8D\n")
    ...     print(evaluate_file(deals, result, Options(["cards"], role="dealer")))
    ...     print(Path(result).read_text().splitlines()[1][:28])
    Summary(rows=1, rejected=0, rejects=None)
    5H 5D JS QC 2H 8D,2H 8D,5D 5
    """
    rejects = None if target == STANDARD else target + _REJECTS
    if options.errors == "skip" and rejects is None:
        raise CribevError("skipping bad rows needs an output file: the bad rows go beside it")
    if rejects is not None:
        check_target(target, force=options.force, source=source)
        if options.errors == "skip":
            check_target(rejects, force=options.force, source=source)
    opponent = as_averaged(options.opponent)
    role = None if options.role is None else as_role(options.role)
    names = [str(name) for name in card_columns(list(options.cards))]
    kind = {"spread": options.spread, "every_discard": options.every_discard}
    rows = rejected = 0
    with ExitStack() as opened:
        read = opened.enter_context(Source(source, options.input_format))
        written = opened.enter_context(
            opened_sink(target, options.output_format, few_values=_FEW_VALUES)
        )
        bad_rows: Sink | None = None
        for chunk in read.chunks(options.chunk_rows):
            if not rows + rejected:
                try:
                    check_columns(chunk.names, names, role, **kind)
                except CribevError as error:
                    raise CribevError(f"{read.name!r}: {error}") from error
            deals, dealer, errors = _parsed(chunk, names, role)
            columns = chunk.columns
            if errors:
                if options.errors == "raise":
                    row = min(errors)
                    raise type(errors[row])(f"{read.name!r} {chunk.place(row)}: {errors[row]}")
                if bad_rows is None:
                    bad_rows = opened.enter_context(opened_sink(str(rejects), "csv"))
                _write_rejects(bad_rows, chunk, errors)
                good = np.setdiff1d(np.arange(chunk.size), list(errors))
                deals, dealer = deals[good], dealer[good]
                columns = [take_rows(column, good) for column in columns]
            added = evaluate_columns(deals, dealer, opponent=opponent, **kind)
            if options.every_discard:
                each = np.repeat(np.arange(len(deals)), len(KEEPS))
                columns = [take_rows(column, each) for column in columns]
            written.write(chunk.names, columns, added)
            rows, rejected = rows + len(deals), rejected + len(errors)
            if report is not None:
                report(Progress(chunk.size, read.share_read()))
    if options.errors == "skip" and not rejected:
        Path(str(rejects)).unlink(missing_ok=True)  # of an earlier run
    return Summary(rows, rejected, rejects if rejected else None)


def evaluate_files(
    sources: list[str],
    folder: str,
    options: Options,
    *,
    cluster: str,
    report: Callable[[str, Summary], object] | None = None,
) -> dict[str, Summary]:
    """Evaluate files on a Dask cluster, a task a file, each into a file of its name.

    Parameters
    ----------
    sources
        Files that every worker can read.
    folder
        Where the results go; every worker must be able to write there. It is made if need be.
    options
        How to evaluate.
    cluster
        ``local`` starts workers here; otherwise the address of a scheduler, ``tcp://…``.
    report
        Called as files are done.

    Raises
    ------
    CribevError
        If two results would have one name, the cluster cannot be reached, or as `evaluate_file`
        does. The results of the files already done stay.
    """
    distributed = extra("distributed", "dask")
    targets = _targets(sources, folder, options)
    options = options._replace(opponent=as_averaged(options.opponent))
    Path(folder).mkdir(parents=True, exist_ok=True)
    for source, target in targets.items():
        check_target(target, force=options.force, source=source)
    done: dict[str, Summary] = {}
    with ExitStack() as opened:
        try:
            where: Any = cluster
            if cluster == "local":
                # A bad row is told here, in one line; workers would log it with a traceback.
                where = opened.enter_context(
                    distributed.LocalCluster(dashboard_address=None, silence_logs=logging.CRITICAL)
                )
            client = opened.enter_context(distributed.Client(where, timeout="30s"))
        except (OSError, ValueError, TimeoutError) as error:
            raise CribevError(
                f"cannot reach a Dask cluster at {quote(cluster)}: {error}"
            ) from error
        tasks = {
            client.submit(
                evaluate_file,
                str(Path(source).resolve()),
                str(Path(target).resolve()),
                options,
                pure=False,
            ): source
            for source, target in targets.items()
        }
        try:
            for task in distributed.as_completed(tasks):
                done[tasks[task]] = task.result()
                if report is not None:
                    report(tasks[task], done[tasks[task]])
        finally:
            client.cancel(list(tasks))
    return done


def listed_files(pattern: str) -> list[str]:
    """List the files of a folder, or those that match a pattern.

    Raises
    ------
    CribevError
        If there are none.

    Examples
    --------
    >>> listed_files("no-such-folder/*.csv")
    Traceback (most recent call last):
    cribev.errors.CribevError: no files match 'no-such-folder/*.csv'
    """
    if Path(pattern).is_dir():
        found = [str(path) for path in Path(pattern).iterdir() if not path.name.startswith(".")]
    else:
        found = glob.glob(pattern, recursive=True)  # noqa: PTH207  (an absolute pattern is as good)
    files = sorted(path for path in found if Path(path).is_file())
    if not files:
        raise CribevError(f"no files match {quote(pattern)}")
    return files


def write_dealt(
    number: int, target: str, *, seed: int | None, form: str | None, force: bool
) -> None:
    """Write random dealt hands with roles.

    Parameters
    ----------
    number
        How many.
    target
        A file, or ``-`` for standard output.
    seed
        The same seed gives the same deals everywhere, and more deals begin with the same; None
        deals afresh.
    form
        One of `formats.FORMATS`; if None, the suffix says it.
    force
        Replace a file that is there.

    Raises
    ------
    CribevError
        If the file may not be written.
    OSError
        If it cannot be written.

    Examples
    --------
    >>> write_dealt(2, "-", seed=1, form="csv", force=False)
    cards,role
    3D 2H JD AS 3H 6H,dealer
    4H AC QS 2D KH 7D,dealer
    """
    if target != STANDARD:
        check_target(target, force=force)
    with opened_sink(target, form) as written:
        for deals, dealer in dealt(number, seed=seed):
            roles = tuple(np.where(dealer, *ROLES).tolist())
            cards = tuple(format_hands(deals).astype(str).tolist())
            written.write(["cards", ROLE_COLUMN], [cards, roles], {})


def dealt(number: int, *, seed: int | None) -> Iterator[tuple[Cards, NDArray[np.bool_]]]:
    """Deal random hands with roles, some at a time: cards ``(n, 6)``, and whether dealer.

    Examples
    --------
    >>> [len(cards) for cards, dealer in dealt(100_000, seed=1)]
    [65536, 34464]
    """
    root = np.random.SeedSequence().entropy if seed is None else seed
    assert isinstance(root, int)
    for block, start in enumerate(range(0, max(number, 1), _DEALT_AT_A_TIME)):
        size = min(number - start, _DEALT_AT_A_TIME)
        cards_seed, role_seed = np.random.SeedSequence([root, block]).generate_state(2, np.uint64)
        bits = np.random.PCG64(int(role_seed)).random_raw(size)
        yield random_hands(size, seed=int(cards_seed)), bits >> np.uint64(63) == 1


def _parsed(
    chunk: Chunk, names: list[str], role: Role | None
) -> tuple[Cards, NDArray[np.bool_], RowErrors]:
    columns = [chunk.columns[chunk.names.index(name)] for name in names]
    if is_arrow(columns[0]):
        deals, errors = joined_deals([_arrow_lines(column) for column in columns])
    else:
        deals, errors = parse_deals(columns)
    bad_roles: RowErrors = {}
    if role is not None:
        dealer = np.full(chunk.size, role == "dealer")
    else:
        words = chunk.columns[chunk.names.index(ROLE_COLUMN)]
        dealer, bad_roles = _arrow_roles(words) if is_arrow(words) else parse_roles(words)
    return deals, dealer, {**bad_roles, **errors, **chunk.bad}


def _arrow_lines(column: Any) -> tuple[bytes, RowErrors]:
    """Join an Arrow column of texts into lines."""
    arrow, compute = extra("pyarrow", "parquet"), extra("pyarrow.compute", "parquet")
    kinds = arrow.types
    if kinds.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not (kinds.is_string(column.type) or kinds.is_large_string(column.type)):
        values = column.to_pylist()
        return b"\n" * len(values), no_texts(enumerate(values)) if values else {}
    errors: RowErrors = {}
    if column.null_count:
        missing = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
        errors = no_texts((row, None) for row in missing.tolist())
        column = column.fill_null("")
    text = column.cast(arrow.string())
    whole = arrow.ListArray.from_arrays(arrow.array([0, len(text)], arrow.int32()), text)
    joined: bytes = compute.binary_join(whole, "\n")[0].as_buffer().to_pybytes()
    if joined.count(b"\n") >= max(len(text), 1):
        text = compute.replace_substring(text, "\n", " ")
        whole = arrow.ListArray.from_arrays(arrow.array([0, len(text)], arrow.int32()), text)
        joined = compute.binary_join(whole, "\n")[0].as_buffer().to_pybytes()
    return joined + b"\n" * bool(len(text)), errors


def _arrow_roles(column: Any) -> tuple[NDArray[np.bool_], RowErrors]:
    arrow, compute = extra("pyarrow", "parquet"), extra("pyarrow.compute", "parquet")
    with suppress(arrow.ArrowException):  # not a column of texts
        dealer, pone = (
            compute.fill_null(compute.equal(column, role), False).to_numpy(zero_copy_only=False)
            for role in ROLES
        )
        if (dealer | pone).all():
            return dealer, {}
    return parse_roles(column.to_pylist())


def _write_rejects(sink: Sink, chunk: Chunk, errors: RowErrors) -> None:
    rows = sorted(errors)
    places = tuple(chunk.place(row).split()[1] for row in rows)
    reasons = tuple(str(errors[row]) for row in rows)
    sink.write(["line", "reason", "row"], [places, reasons, tuple(map(chunk.text, rows))], {})


def _targets(sources: list[str], folder: str, options: Options) -> dict[str, str]:
    """Name the result of each file: as the file, or with the suffix of another format."""
    targets: dict[str, str] = {}
    for source in sources:
        name = Path(source).name
        format_of(source, options.input_format)
        if options.output_format is not None and options.output_format != format_of(
            source, options.input_format
        ):
            name = f"{name.removesuffix('.gz').rpartition('.')[0] or name}.{options.output_format}"
        target = str(Path(folder) / name)
        if target in targets.values():
            raise CribevError(f"two files would both become {quote(target)}")
        targets[source] = target
    return targets
