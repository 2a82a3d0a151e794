"""`cribev batch` cut short: full disks, interrupts, readers that leave, little memory."""

import gzip
import resource
import signal
import subprocess
import sys
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest
from batching import GOOD, files, read
from shell import refused, run, wait_until

from benchmarks.measuring import peak_of_command
from cribev.batch.stream import FileOptions, evaluate_file
from cribev.commands.cli import main
from cribev.rows.lines import MAX_LINE_BYTES

pytestmark = pytest.mark.usefixtures("in_a_folder")


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
        for force in ([], ["--force"]):
            if force and target == "there.csv":
                continue
            assert refused("batch", "deals.csv", "-o", target, *force).startswith(message)
    assert files(folder) == before
    assert deals.with_name("there.csv").read_text() == "mine"
    assert main(["batch", "deals.csv", "-o", "there.csv", "--force"]) == 0
    assert len(read("there.csv")) == 300


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
    with few_bytes():
        done = run("batch", "deals.csv", "-o", f"out.{form}")
    assert done.returncode == 1, done.stderr
    assert done.stderr.decode() == f"cribev: error: cannot write 'out.{form}': File too large\n"
    assert done.stderr.count(b"\n") == 1
    assert files(deals.parent) == ["deals.csv"]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_output(started, deals, how):
    words = ["batch", "-", "-o", "out.csv", "--input-format", "csv", "--chunk-rows", "100"]
    process = started("-m", "cribev", *words)
    header, *lines = deals.read_bytes().splitlines(keepends=True)
    process.stdin.write(header)
    block = b"".join(lines) * 30
    for _ in range(3):
        process.stdin.write(block)
    process.stdin.flush()
    wait_until(lambda: any(name.endswith(".part") for name in files(deals.parent)), process)
    process.send_signal(how)
    _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (-how if how == signal.SIGKILL else 128 + how, b"")
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
    most = 1.2 * min(islice(peaks("1000000"), 2))
    assert any(peak <= most for peak in islice(peaks("10000000"), 2))


def test_progress_is_for_terminals(deals):
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
    done = run("batch", "deals.csv", "-o", "b.csv")
    assert done.stderr == b""
    assert done.stdout == b""


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


def test_rejects_come_with_the_output_or_not_at_all(deals):
    deals.write_bytes(b"1X,pone\n".join([deals.read_bytes(), b""]))
    with few_bytes():
        done = run("batch", "deals.csv", "-o", "out.csv", "--errors", "skip")
    assert done.returncode == 1
    assert files(deals.parent) == ["deals.csv"]
    assert main(["batch", "deals.csv", "-o", "out.csv", "--errors", "skip"]) == 0
    assert files(deals.parent) == ["deals.csv", "out.csv", "out.csv.rejects.csv"]


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
        ["score"], ["batch"], ["review", "-"], ["advise", GOOD, "--opponent", "/dev/zero"],
        pytest.param(["advise", "-"], marks=pytest.mark.slow),
        pytest.param(["batch", "--input-format", "jsonl"], marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_what_never_ends_is_refused(command):
    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-m", "cribev", *command], stdin=endless, capture_output=True,
            timeout=300, check=False, preexec_fn=_little_memory,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
    assert b"line 1: longer than 16,777,216 bytes" in done.stderr or b"not a CSV" in done.stderr


def _little_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))


@pytest.mark.slow
def test_every_discard_of_many_deals_takes_no_more_memory(tmp_path):
    def peak(rows):
        assert main(["deal", rows, "-o", f"{rows}.csv"]) == 0
        options = ["--every-discard", "--spread", "--format", "jsonl"]
        return peak_of_command("batch", str(tmp_path / f"{rows}.csv"), "-o", "/dev/null", *options)

    assert peak("140000") <= 1.1 * peak("70000")
