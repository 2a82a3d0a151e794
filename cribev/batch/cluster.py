"""Files of dealt hands on a Dask cluster, a task a file."""

import glob
import logging
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from cribev.batch.stream import (
    FileOptions,
    FileSummary,
    evaluate_file,
    file_has_scores,
    rejects_path,
)
from cribev.errors import CribevError, quote
from cribev.opponents.discarders import as_opponent
from cribev.rows.columns import SCORE
from cribev.rows.lines import format_of
from cribev.system.cache import import_optional
from cribev.system.files import check_writable, remove_stale_parts
from cribev.system.processes import blocked_in_children


def evaluate_files(
    sources: list[str],
    folder: str,
    options: FileOptions,
    *,
    cluster: str,
    report: Callable[[str, FileSummary], object] | None = None,
) -> dict[str, FileSummary]:
    """Evaluate files on a Dask cluster, a task a file, each into a file of its name in a folder.

    Every worker must be able to read the files and write to the folder, which is made if need be.
    The cluster ``local`` starts workers here; else it is the address of a scheduler, ``tcp://…``.
    Whether scores count is decided once, for all files. `report` is called as files are done.

    `CribevError` if two results would have one name, if some files have scores and others no column
    for them, if the cluster cannot be reached, or as `evaluate_file` does. Files already done stay.
    """
    distributed = import_optional("distributed", "dask")
    targets = _targets(sources, folder, options)
    options = options._replace(opponent=as_opponent(options.opponent, play=options.play))
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise CribevError(f"{quote(folder)} is a file: expected a folder for the results") from None
    for source, target in targets.items():
        check_writable(target, force=options.force, source=source)
    done: dict[str, FileSummary] = {}
    with ExitStack() as opened:
        opened.callback(remove_stale_parts, Path(folder))  # of workers that were ended
        try:
            where: Any = cluster
            if cluster == "local":
                # This process reports a bad row, in one line; workers would log a traceback.
                # It also handles interrupts, so workers ignore them.
                with blocked_in_children("SIGINT"):
                    where = opened.enter_context(
                        distributed.LocalCluster(
                            dashboard_address=":0", silence_logs=logging.CRITICAL
                        )
                    )
            client = opened.enter_context(distributed.Client(where, timeout="30s"))
        except (OSError, ValueError, TimeoutError) as error:
            raise CribevError(
                f"cannot reach a Dask cluster at {quote(cluster)}: {error}"
            ) from error
        paths = {source: str(Path(source).resolve()) for source in targets}
        if options.play:
            found = client.gather(
                client.map(file_has_scores, list(paths.values()), options=options, pure=False)
            )
            options = options._replace(score=_scores_count(dict(zip(paths, found, strict=True))))
        tasks = {
            client.submit(
                evaluate_file, paths[source], str(Path(target).resolve()), options, pure=False
            ): source
            for source, target in targets.items()
        }  # fmt: skip
        try:
            for task in distributed.as_completed(tasks):
                done[tasks[task]] = task.result()
                if report is not None:
                    report(tasks[task], done[tasks[task]])
        finally:
            client.cancel(list(tasks))
    return done


def list_files(pattern: str) -> list[str]:
    """List the files of a folder, or those that match a pattern.

    >>> list_files("no-such-folder/*.csv")
    Traceback (most recent call last):
    cribev.errors.CribevError: no files match 'no-such-folder/*.csv'
    """
    path = Path(pattern)
    if path.is_file():  # by its name, whatever letters that has
        return [pattern]
    if path.is_dir():
        try:
            found = [str(one) for one in path.iterdir() if not one.name.startswith(".")]
        except OSError as error:
            raise CribevError(f"cannot read {quote(pattern)}: {error.strerror}") from error
    else:
        found = glob.glob(pattern, recursive=True)  # noqa: PTH207  (Path.glob: no absolute one)
    files = sorted(path for path in found if Path(path).is_file())
    if not files:
        raise CribevError(f"no files match {quote(pattern)}")
    return files


def _scores_count(has_scores: dict[str, bool | None]) -> bool:
    """Decide for all files whether scores count: the results are to have the same columns.

    >>> _scores_count({"a.csv": True, "b.csv": False}), _scores_count({"a.csv": None})
    (True, False)
    """
    scored = [source for source, has in has_scores.items() if has]
    without = [source for source, has in has_scores.items() if has is None]
    if scored and without:
        raise CribevError(
            f"{quote(without[0])} has no column {SCORE!r}, and {quote(scored[0])} has scores: add "
            "the column, which may be empty, or evaluate them apart"
        )
    return bool(scored)


def _targets(sources: list[str], folder: str, options: FileOptions) -> dict[str, str]:
    """Name the result of each file: as the file, or with the suffix of another format."""
    targets: dict[str, str] = {}
    taken: set[str] = set()
    for source in sources:
        name = Path(source).name
        format_of(source, options.input_format)
        if options.output_format is not None and options.output_format != format_of(
            source, options.input_format
        ):
            name = f"{name.removesuffix('.gz').rpartition('.')[0] or name}.{options.output_format}"
        target = str(Path(folder) / name)
        for written in [target, rejects_path(target)] if options.errors == "skip" else [target]:
            if written in taken:
                raise CribevError(f"{quote(written)} would be written twice: rename {quote(name)}")
            taken.add(written)
        targets[source] = target
    return targets
