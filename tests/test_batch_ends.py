"""`cribev batch` cut short, by full disks, interrupts, little memory."""

import errno
import gzip
import resource
import signal
import subprocess
import sys
from functools import partial
from itertools import islice
from pathlib import Path
from unittest import mock

import pytest
from shell import assert_ended, files, on_a_terminal, read_table, refused, run, wait_until

from benchmarks.measuring import peak_of_command
from cribev.commands.cli import main
from cribev.rows.files import list_files
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


@pytest.mark.parametrize("form", ["csv", "parquet", "csv.gz"])
def test_a_full_disk_leaves_nothing(deals, form):
    deals.write_bytes(deals.read_bytes() + b"1X,pone\n")
    command = ["batch", "deals.csv", "-o", f"out.{form}", "--errors", "skip"]
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, before[1]))  # bytes of a file at most
    try:
        done = run(*command)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert done.returncode == 1, done.stderr
    assert done.stderr.decode() == f"cribev: error: cannot write 'out.{form}': File too large\n"
    assert files(deals.parent) == ["deals.csv"]
    assert main(command) == 0
    assert files(deals.parent) == ["deals.csv", f"out.{form}", f"out.{form}.rejects.csv"]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
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
    deals.with_name("few.csv").write_text("\n".join(deals.read_text().split("\n")[:5]))
    exact = ["--exact", "--opponent", "uniform", "--chunk-rows", "2"]
    few, many = ("few.csv", 4, exact), ("deals.csv", 300, ["--chunk-rows", "100"])
    for source, rows, options in (many, few):
        status, shown = on_a_terminal("batch", source, "-o", "out.csv", "--force", *options)
        assert status == 0
        assert "evaluating: 100%" in shown
        assert f"deals evaluated: {rows}; rows rejected: 0" in shown
    assert run("batch", "deals.csv", "-o", "b.csv") == (0, b"", b"")  # it is for terminals alone


@pytest.mark.parametrize("made", ["csv", "jsonl", "csv.gz"])
def test_a_line_beyond_all_measure(tmp_path, made):
    text = b"cards,role\n" + b"5" * (MAX_LINE_BYTES + (1 << 22))
    (tmp_path / f"in.{made}").write_bytes(gzip.compress(text, 1) if made == "csv.gz" else text)
    message = refused("batch", f"in.{made}", "-o", "out.csv")
    assert message == f"'in.{made}' line 2: longer than 16,777,216 bytes"
    assert files(tmp_path) == [f"in.{made}"]


@pytest.mark.parametrize("command", [["score"], ["batch"], ["review", "-"]])
def test_what_never_ends_is_refused(command):
    little_memory = partial(resource.setrlimit, resource.RLIMIT_DATA, (2 << 30, 2 << 30))
    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-m", "cribev", *command], stdin=endless, capture_output=True,
            timeout=300, check=False, preexec_fn=little_memory,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
    assert b"line 1: longer than 16,777,216 bytes" in done.stderr or b"not a CSV" in done.stderr


def test_folders_and_patterns_of_files(deals, monkeypatch):
    deals.with_name("a[1].csv").touch()
    assert list_files("a[1].csv") == list_files("[a-c]*.csv") == ["a[1].csv"]
    assert refused("batch", "[x-z]*.csv", "-o", "out.csv") == "no files match '[x-z]*.csv'"
    assert files(deals.parent) == ["a[1].csv", "deals.csv"]

    denied = mock.Mock(side_effect=PermissionError(errno.EACCES, "Permission denied"))
    monkeypatch.setattr(Path, "iterdir", denied)
    assert refused("batch", ".", "-o", "out.csv") == "cannot read '.': Permission denied"
