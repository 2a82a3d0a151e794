"""`cribev batch` cut short, by full disks, interrupts, little memory; and on a Dask cluster."""

import errno
import gzip
import os
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pandas as pd
import pytest
from shell import HAND, assert_ended, files, group, heard, read_table, refused, run, wait_until

from benchmarks.measuring import peak_of_command
from cribev import CribevError, evaluate
from cribev.batch.stream import FileOptions, evaluate_file, evaluate_files, list_files
from cribev.commands.cli import main
from cribev.rows.lines import MAX_LINE_BYTES

pytestmark = [pytest.mark.python, pytest.mark.usefixtures("in_a_folder")]


def test_files_that_may_not_be_written(deals):
    folder = deals.parent
    deals.with_name("there.csv").write_text("mine")
    deals.with_name("link.csv").symlink_to(deals)
    deals.with_name("sub").mkdir()
    before = files(folder)
    for target, message in {
        "there.csv": "'there.csv' is there already: --force replaces it",
        "deals.csv": "'deals.csv' is the input: write to another file",
        "link.csv": "'link.csv' is the input: write to another file",
        "sub": "'sub' is a folder: expected a file to write",
        "nowhere/out.csv": "there is no folder 'nowhere'",
        "out.xls": "what format is 'out.xls'? expected",
        "out.parquet.gz": "what format is 'out.parquet.gz'? expected",
    }.items():
        assert refused("batch", "deals.csv", "-o", target).startswith(message)
        if target != "there.csv":
            assert refused("batch", "deals.csv", "-o", target, "--force").startswith(message)
    assert files(folder) == before
    assert deals.with_name("there.csv").read_text() == "mine"
    assert main(["batch", "deals.csv", "-o", "there.csv", "--force"]) == 0
    assert len(read_table("there.csv")) == 300


@contextmanager
def few_bytes():
    """Let no file be longer than 5000 bytes, as if the disk were full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("form", ["csv", "parquet", "csv.gz"])
def test_a_full_disk_leaves_nothing(deals, form):
    deals.write_bytes(b"1X,pone\n".join([deals.read_bytes(), b""]))
    command = ["batch", "deals.csv", "-o", f"out.{form}", "--errors", "skip"]
    with few_bytes():
        done = run(*command)
    assert done.returncode == 1, done.stderr
    assert done.stderr.decode() == f"cribev: error: cannot write 'out.{form}': File too large\n"
    assert files(deals.parent) == ["deals.csv"]
    assert main(command) == 0
    assert files(deals.parent) == ["deals.csv", f"out.{form}", f"out.{form}.rejects.csv"]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_output(started, deals, how):
    words = ["batch", "-", "-o", "out.csv", "--input-format", "csv", "--chunk-rows", "100"]
    process = started("-m", "cribev", *words)
    header, *lines = deals.read_bytes().splitlines(keepends=True)
    process.stdin.write(header + b"".join(lines) * 90)
    process.stdin.flush()
    wait_until(lambda: any(name.endswith(".part") for name in files(deals.parent)), process)
    process.send_signal(how)
    assert_ended(process, -how if how == signal.SIGKILL else 128 + how)
    assert "out.csv" not in files(deals.parent)
    if how != signal.SIGKILL:
        assert files(deals.parent) == ["deals.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_memory_stays_flat(tmp_path, form):
    def peaks(rows):
        source, result = (str(tmp_path / f"{rows}{end}.{form}") for end in ("", ".out"))
        assert main(["deal", rows, "--seed", "1", "-o", source]) == 0
        while True:
            yield peak_of_command("batch", source, "-o", result, "--force")

    # Arrow's threads share their work otherwise in each run, for a tenth more or less: twice in
    # small, and a second time in large only where the first took more. Eight bytes kept of each
    # row, one number, would be a quarter.
    most = 1.2 * min(islice(peaks("500000"), 2))
    assert any(peak <= most for peak in islice(peaks("5000000"), 2))


def test_progress_is_told(deals):
    done, counted = [], []
    options = FileOptions(["cards"], chunk_rows=100)
    evaluate_file("deals.csv", "a.csv", options, report=lambda *progress: done.append(progress))
    assert [rows for rows, _ in done] == [100, 100, 100]
    assert done[-1][1] == 1.0
    deals.with_name("few.csv").write_text("\n".join(deals.read_text().split("\n")[:51]))
    options = FileOptions(["cards"], chunk_rows=30, opponent="uniform", exact=True)
    evaluate_file("few.csv", "c.csv", options, report=lambda *progress: counted.append(progress))
    assert sum(rows for rows, _ in counted) == 50
    assert sum(rows == 1 for rows, _ in counted) == 50  # as each deal is done
    assert counted[-1][1] == 1.0
    assert run("batch", "deals.csv", "-o", "b.csv") == (0, b"", b"")  # it is for terminals alone


@pytest.mark.slow
def test_results_and_what_is_put_aside_never_meet(deals, tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("x.csv", "x.csv.rejects.csv"):
        (tmp_path / "in" / name).write_bytes(deals.read_bytes() + b"1X,pone\n")
    arguments = ["batch", "in", "-o", "out", "--dask", "local"]
    message = refused(*arguments, "--errors", "skip")
    assert message.startswith("'out/x.csv.rejects.csv' would be written twice: rename 'x.csv.rej")
    (tmp_path / "in" / "w.csv").touch()
    (tmp_path / "in" / "w.jsonl").touch()
    message = refused(*arguments, "--format", "csv")
    assert message == "'out/w.csv' would be written twice: rename 'w.csv'"


@pytest.mark.parametrize("made", ["csv", "jsonl", "csv.gz"])
def test_a_line_beyond_all_measure(tmp_path, made):
    text = b"cards,role\n" + b"5" * (MAX_LINE_BYTES + (1 << 22))
    (tmp_path / f"in.{made}").write_bytes(gzip.compress(text, 1) if made == "csv.gz" else text)
    message = refused("batch", f"in.{made}", "-o", "out.csv")
    assert message == f"'in.{made}' line 2: longer than 16,777,216 bytes"
    assert files(tmp_path) == [f"in.{made}"]


@pytest.mark.parametrize(
    "command",
    [
        ["score"], ["batch"], ["review", "-"],
        pytest.param(["advise", "-"], marks=pytest.mark.slow),
        pytest.param(["batch", "--input-format", "jsonl"], marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_what_never_ends_is_refused(command):
    def little_memory():
        resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))

    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-m", "cribev", *command], stdin=endless, capture_output=True,
            timeout=300, check=False, preexec_fn=little_memory,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
    assert b"line 1: longer than 16,777,216 bytes" in done.stderr or b"not a CSV" in done.stderr


@pytest.mark.slow
def test_every_discard_uses_no_more_memory(tmp_path):
    def peak(rows):
        assert main(["deal", rows, "-o", f"{rows}.csv"]) == 0
        options = ["--every-discard", "--format", "jsonl", "--chunk-rows", "8192"]
        return peak_of_command("batch", str(tmp_path / f"{rows}.csv"), "-o", "/dev/null", *options)

    assert peak("40000") <= 1.1 * peak("16384")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning")
def test_dask_on_two_workers(deals, tmp_path):
    distributed = pytest.importorskip("distributed")
    import dask.dataframe as dd

    from cribev.batch import frames as batch

    options = FileOptions(["cards"], errors="skip")
    (tmp_path / "in").mkdir()
    lines = deals.read_text().splitlines(keepends=True)
    (tmp_path / "in" / "a.csv").write_text("".join(lines[:101]))
    (tmp_path / "in" / "b.csv").write_text(lines[0] + "".join(lines[101:]) + "1X,pone\n")
    whole = evaluate(pd.read_csv(deals))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        frame = dd.from_pandas(pd.read_csv(deals), npartitions=4)
        for more in ({}, {"every_discard": True}):
            found = frame.map_partitions(evaluate, **more, meta=batch.meta(frame, **more))
            pd.testing.assert_frame_equal(
                found.compute(scheduler=client), evaluate(pd.read_csv(deals), **more),
                check_dtype=False, check_categorical=False,
            )  # fmt: skip
        sources = [str(tmp_path / "in" / name) for name in ("a.csv", "b.csv")]
        done = evaluate_files(
            sources, str(tmp_path / "out"), options, cluster=cluster.scheduler_address
        )
        assert sum(summary.rows for summary in done.values()) == 300
        assert [summary.rejected for _, summary in sorted(done.items())] == [0, 1]
        assert done[sources[1]].rejects == str(tmp_path / "out" / "b.csv.rejects.csv")
        assert files(tmp_path / "out") == ["a.csv", "b.csv", "b.csv.rejects.csv"]
        found = pd.concat([read_table(tmp_path / "out" / name) for name in ("a.csv", "b.csv")])
        pd.testing.assert_frame_equal(
            found.reset_index(drop=True), whole, atol=5.1e-7, check_dtype=False
        )
        strict = options._replace(errors="raise", force=True)
        with pytest.raises(CribevError, match=r"b\.csv' line 202: invalid card '1X'"):
            evaluate_files(
                sources, str(tmp_path / "new"), strict, cluster=cluster.scheduler_address
            )
        assert not (tmp_path / "new").exists()
        # What stands there stays where an error comes, and is replaced where none does.
        (tmp_path / "out" / "a.csv").write_text("old")
        on_it = {"folder": str(tmp_path / "out"), "cluster": cluster.scheduler_address}
        with pytest.raises(CribevError, match="line 202"):
            evaluate_files(sources, options=strict, **on_it)
        assert (tmp_path / "out" / "a.csv").read_text() == "old"
        (tmp_path / "in" / "b.csv").write_text(lines[0] + "".join(lines[101:]))
        evaluate_files(sources, options=options._replace(force=True), **on_it)
        assert files(tmp_path / "out") == ["a.csv", "b.csv"]
        assert len(read_table(tmp_path / "out" / "a.csv")) == 100


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning")
def test_whether_scores_count_is_decided_for_all_files(capsys, tmp_path):
    distributed = pytest.importorskip("distributed")
    (tmp_path / "in").mkdir()
    for name, score in (("a", ""), ("b", "95-110"), ("c", "A+")):
        (tmp_path / "in" / f"{name}.csv").write_text(f"cards,role,score\n{HAND},pone,{score}\n")
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        on_it = ["--dask", cluster.scheduler_address]
        assert main(["batch", "in/[ab].csv", "-o", "both", *on_it]) == 0
        assert capsys.readouterr().err == ""
        found = pd.concat([read_table(f"both/{name}.csv") for name in ("a", "b")])
        assert found["win"].isna().tolist() == [True, False]
        assert list(read_table("both/a.csv")) == list(read_table("both/b.csv"))
        alone = pd.concat([pd.read_csv(f"in/{name}.csv") for name in ("a", "b")])
        found["win_method"] = found["win_method"].fillna("")  # nothing in a file of text
        pd.testing.assert_frame_equal(found, evaluate(alone), atol=5.1e-7, check_dtype=False)

        assert main(["batch", "in/[ac].csv", "-o", "none", *on_it]) == 0
        assert "no row has a score" in capsys.readouterr().err
        assert "win" not in read_table("none/a.csv")

        (tmp_path / "in" / "a.csv").write_text(f"cards,role\n{HAND},pone\n")
        message = refused("batch", "in/[ab].csv", "-o", "refused", *on_it)
        assert message.startswith("'in/a.csv' has no column 'score', and 'in/b.csv' has scores")
        assert not (tmp_path / "refused").exists()


@pytest.mark.slow
def test_a_dask_worker_that_is_killed_loses_nothing(tmp_path):
    distributed = pytest.importorskip("distributed")
    (tmp_path / "in").mkdir()
    assert main(["deal", "160", "--seed", "3", "-o", "deals.csv"]) == 0
    frame = pd.read_csv("deals.csv")
    names = [f"{name}.csv" for name in "abcd"]
    for at, name in enumerate(names):
        frame[at::4].to_csv(f"in/{name}", index=False)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        ThreadPoolExecutor() as pool,
    ):
        sources, options = [f"in/{name}" for name in names], FileOptions(["cards"], exact=True)
        address = cluster.scheduler_address
        going = pool.submit(evaluate_files, sources, "out", options, cluster=address)
        while not (begun := [*tmp_path.glob("out/.cribev-*.part/.cribev-*.part")]):
            assert not going.done()
            time.sleep(0.01)
        os.kill(cluster.workers[0].pid, signal.SIGKILL)
        done = going.result()
    assert begun
    rows = {Path(source).name: summary.rows for source, summary in done.items()}
    assert rows == dict.fromkeys(names, 40)
    assert files(tmp_path / "out") == names
    for at, name in enumerate(names):
        pd.testing.assert_frame_equal(
            read_table(f"out/{name}"), evaluate(frame[at::4].reset_index(drop=True), exact=True),
            atol=5.1e-7, check_dtype=False,
        )  # fmt: skip


@pytest.mark.slow
def test_dask_from_the_command_line(deals, tmp_path):
    pytest.importorskip("distributed")
    (tmp_path / "in").mkdir()
    for name in ("a.csv", "b.csv"):
        (tmp_path / "in" / name).write_bytes(deals.read_bytes())
    done = run("batch", "in", "-o", "out", "--dask", "local", "--format", "parquet")
    assert done == (0, b"", b"")
    assert files(tmp_path / "out") == ["a.parquet", "b.parquet"]
    expected = evaluate(pd.read_csv(deals))
    pd.testing.assert_frame_equal(read_table("out/a.parquet"), expected, check_dtype=False)
    (tmp_path / "in" / "b.csv").write_text(deals.read_text() + "1X,pone\n")
    assert "line 302" in refused("batch", "in", "-o", "bad", "--dask", "local")
    assert not (tmp_path / "bad").exists()
    message = refused("batch", "in", "-o", "new", "--dask", "local", "--opponent", "nobody")
    assert message.startswith("unknown opponent 'nobody'")
    assert not (tmp_path / "new").exists()


def test_files_for_dask_and_folders_that_are_none(deals, monkeypatch):
    deals.with_name("a[1].csv").touch()
    assert list_files("a[1].csv") == list_files("[a-c]*.csv") == ["a[1].csv"]
    for folder in ("deals.csv", "deals.csv/x"):
        message = refused("batch", "deals.csv", "-o", folder, "--dask", "local")
        assert message == f"'{folder}' is a file: expected a folder for the results"
    assert files(deals.parent) == ["a[1].csv", "deals.csv"]

    def denied(_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", denied)
    message = refused("batch", ".", "-o", "out", "--dask", "local")
    assert message == "cannot read '.': Permission denied"


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["it loads", "workers start", "files are evaluated"])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_dask_is_interrupted_in_silence(started, tmp_path, how, moment):
    pytest.importorskip("distributed")
    (tmp_path / "in").mkdir()
    for name in ("a.csv", "b.csv"):
        assert main(["deal", "100000", "-o", f"in/{name}"]) == 0
    words = ["batch", "in", "-o", "out", "--dask", "local", "--exact"]  # which takes minutes
    process = started("-m", "cribev", *words, start_new_session=True)
    heard(process)
    if moment == "workers start":
        wait_until(lambda: len(group(process)) > 1, process)
    elif moment == "files are evaluated":
        wait_until(lambda: [*tmp_path.glob("out/.cribev-*.part")], process)
    (os.killpg if how == signal.SIGINT else os.kill)(process.pid, how)
    assert_ended(process, 128 + how)
    assert not (tmp_path / "out").exists()
