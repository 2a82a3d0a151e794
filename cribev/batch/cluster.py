"""Files of dealt hands on a Dask cluster, a task a file."""

import glob
import logging
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from cribev.batch.streams import FileOptions, FileSummary, evaluate_file, rejects_of
from cribev.errors import CribevError, quote
from cribev.files.atomic import check_writable, remove_stale_parts
from cribev.files.formats import format_of
from cribev.files.optional import import_optional
from cribev.opponents.models import as_opponent
from cribev.workers import deaf_processes


def evaluate_files(
    sources: list[str],
    folder: str,
    options: FileOptions,
    *,
    cluster: str,
    report: Callable[[str, FileSummary], object] | None = None,
) -> dict[str, FileSummary]:
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
                # A bad row is told here, in one line; workers would log it with a traceback.
                # An interrupt is for this process to hear.
                with deaf_processes("SIGINT"):
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
    path = Path(pattern)
    if path.is_file():  # by its name, whatever letters that has
        return [pattern]
    if path.is_dir():
        try:
            found = [str(one) for one in path.iterdir() if not one.name.startswith(".")]
        except OSError as error:
            raise CribevError(f"cannot read {quote(pattern)}: {error.strerror}") from error
    else:
        found = glob.glob(pattern, recursive=True)  # noqa: PTH207  (Path.glob takes no absolute one)
    files = sorted(path for path in found if Path(path).is_file())
    if not files:
        raise CribevError(f"no files match {quote(pattern)}")
    return files


def _targets(sources: list[str], folder: str, options: FileOptions) -> dict[str, str]:
    """Name the result of each file: as the file, or with the suffix of another format.

    Raises
    ------
    CribevError
        If two names would be one, be it of results or of rows put aside.
    """
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
        for written in [target, rejects_of(target)] if options.errors == "skip" else [target]:
            if written in taken:
                raise CribevError(f"{quote(written)} would be written twice: rename {quote(name)}")
            taken.add(written)
        targets[source] = target
    return targets
