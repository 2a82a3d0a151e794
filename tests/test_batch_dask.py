"""`cribev batch` on a Dask cluster."""

import errno
import os
import signal
from pathlib import Path

import pandas as pd
import pytest
from batching import GOOD, files, read, run
from shell import group, heard, refused, wait_until

from cribev import CribevError, evaluate
from cribev.batch.stream import FileOptions, evaluate_files, list_files
from cribev.commands.cli import main

pytestmark = pytest.mark.usefixtures("in_a_folder")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning")
def test_dask_on_two_workers(deals, tmp_path):
    distributed = pytest.importorskip("distributed")
    import dask.dataframe as dd

    from cribev.batch import evaluate as batch

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
        for more in ({"spread": True}, {"every_discard": True}):
            found = frame.map_partitions(evaluate, **more, meta=batch.meta(frame, **more))
            pd.testing.assert_frame_equal(
                found.compute(scheduler=client), evaluate(pd.read_csv(deals), **more),
                check_dtype=False,
            )  # fmt: skip
        sources = [str(tmp_path / "in" / name) for name in ("a.csv", "b.csv")]
        done = evaluate_files(
            sources, str(tmp_path / "out"), options, cluster=cluster.scheduler_address
        )
        assert sum(summary.rows for summary in done.values()) == 300
        assert [summary.rejected for _, summary in sorted(done.items())] == [0, 1]
        assert done[sources[1]].rejects == str(tmp_path / "out" / "b.csv.rejects.csv")
        assert files(tmp_path / "out") == ["a.csv", "b.csv", "b.csv.rejects.csv"]
        found = pd.concat([read(tmp_path / "out" / name) for name in ("a.csv", "b.csv")])
        pd.testing.assert_frame_equal(
            found.reset_index(drop=True), whole, atol=5.1e-7, check_dtype=False
        )
        strict = options._replace(errors="raise", force=True)
        with pytest.raises(CribevError, match=r"b\.csv' line 202: '1X' is not a card"):
            evaluate_files(
                sources, str(tmp_path / "new"), strict, cluster=cluster.scheduler_address
            )
        assert files(tmp_path / "new") == []
        # What stands there stays where an error comes, and is replaced where none does.
        (tmp_path / "out" / "a.csv").write_text("old")
        on_it = {"folder": str(tmp_path / "out"), "cluster": cluster.scheduler_address}
        with pytest.raises(CribevError, match="line 202"):
            evaluate_files(sources, options=strict, **on_it)
        assert (tmp_path / "out" / "a.csv").read_text() == "old"
        (tmp_path / "in" / "b.csv").write_text(lines[0] + "".join(lines[101:]))
        evaluate_files(sources, options=options._replace(force=True), **on_it)
        assert files(tmp_path / "out") == ["a.csv", "b.csv"]
        assert len(read(tmp_path / "out" / "a.csv")) == 100


@pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning")
def test_whether_scores_count_is_decided_for_all_files(capsys, tmp_path):
    distributed = pytest.importorskip("distributed")
    (tmp_path / "in").mkdir()
    for name, score in (("a", ""), ("b", "95-110"), ("c", "A+")):
        (tmp_path / "in" / f"{name}.csv").write_text(f"cards,role,score\n{GOOD},pone,{score}\n")
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        on_it = ["--dask", cluster.scheduler_address]
        assert main(["batch", "in/[ab].csv", "-o", "both", *on_it]) == 0
        assert capsys.readouterr().err == ""
        found = pd.concat([read(f"both/{name}.csv") for name in ("a", "b")])
        assert found["win"].isna().tolist() == [True, False]
        assert list(read("both/a.csv")) == list(read("both/b.csv"))
        alone = pd.concat([pd.read_csv(f"in/{name}.csv") for name in ("a", "b")])
        found["win_method"] = found["win_method"].fillna("")  # nothing in a file of text
        pd.testing.assert_frame_equal(found, evaluate(alone), atol=5.1e-7, check_dtype=False)

        assert main(["batch", "in/[ac].csv", "-o", "none", *on_it]) == 0
        assert "no row has a score" in capsys.readouterr().err
        assert "win" not in read("none/a.csv")

        (tmp_path / "in" / "a.csv").write_text(f"cards,role\n{GOOD},pone\n")
        message = refused("batch", "in/[ab].csv", "-o", "refused", *on_it)
        assert message.startswith("'in/a.csv' has no column 'score', and 'in/b.csv' has scores")
        assert files(tmp_path / "refused") == []


@pytest.mark.slow
def test_dask_from_the_command_line(deals, tmp_path):
    pytest.importorskip("distributed")
    (tmp_path / "in").mkdir()
    for name in ("a.csv", "b.csv"):
        (tmp_path / "in" / name).write_bytes(deals.read_bytes())
    done = run("batch", "in", "-o", "out", "--dask", "local", "--format", "parquet")
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert files(tmp_path / "out") == ["a.parquet", "b.parquet"]
    expected = evaluate(pd.read_csv(deals))
    pd.testing.assert_frame_equal(read("out/a.parquet"), expected, check_dtype=False)
    (tmp_path / "in" / "b.csv").write_text(deals.read_text() + "1X,pone\n")
    done = run("batch", "in", "-o", "bad", "--dask", "local")
    assert done.returncode == 2
    (line,) = done.stderr.decode().splitlines()
    assert "line 302" in line
    assert not list((tmp_path / "bad").iterdir())
    message = refused("batch", "in", "-o", "new", "--dask", "local", "--opponent", "nobody")
    assert message.startswith("'nobody' is neither an opponent")
    assert not (tmp_path / "new").exists()


def test_files_for_dask_are_found_by_their_names(deals):
    deals.with_name("a[1].csv").touch()
    assert list_files("a[1].csv") == ["a[1].csv"]
    assert list_files("[a-c]*.csv") == ["a[1].csv"]


def test_folders_that_are_none(deals, monkeypatch):
    message = refused("batch", "deals.csv", "-o", "deals.csv", "--dask", "local")
    assert message == "'deals.csv' is a file: expected a folder for the results"
    message = refused("batch", "deals.csv", "-o", "deals.csv/x", "--dask", "local")
    assert message == "'deals.csv/x' is a file: expected a folder for the results"
    assert files(deals.parent) == ["deals.csv"]

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
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out, err) == (128 + how, b"", b"")
    assert not list(tmp_path.glob("out/.*"))
