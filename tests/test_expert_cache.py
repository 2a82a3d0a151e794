"""The expert's counts in the cache folder: missing, damaged, outdated, not to be written."""

import subprocess

import numpy as np
import pytest
from damaging import damage_file

from cribev.opponents.counts import CACHE_FORMAT, expert_counts
from cribev.solution.solution import load
from cribev.system.cache import cache_folder


def count(role):
    return expert_counts.__wrapped__(load(), role)  # without what this process remembers


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("CRIBEV_CACHE_DIR", str(folder))
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The file as it should be."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("whole")
        patch.setenv("CRIBEV_CACHE_DIR", str(folder))
        assert right(count("pone"))
        assert list(folder.iterdir()) == [file_in(folder)]
        made = file_in(folder).stat().st_mtime_ns
        assert right(count("pone"))  # it is read, and no longer counted
        assert file_in(folder).stat().st_mtime_ns == made
    return file_in(folder).read_bytes()


@pytest.fixture
def counting(monkeypatch):
    """Say how often all is counted, and spare the test the counting."""
    times, found = [], expert_counts(load(), "pone")
    monkeypatch.setattr(
        "cribev.opponents.counts.discard_counts",
        lambda _policy, *, report: times.append(report) or found,
    )
    return times


def file_in(folder):
    return folder / f"expert-pone-{load().checksums['pone']:08x}-{CACHE_FORMAT}.npz"


def right(counts):
    return all(
        np.array_equal(one, another)
        for one, another in zip(counts, expert_counts(load(), "pone"), strict=True)
    )


def test_a_folder_may_lie_as_deep_as_a_path_goes(tmp_path, monkeypatch, counting):
    try:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("CRIBEV_CACHE_DIR", "a/" * 1100)
        assert right(count("pone"))
        assert list(cache_folder().iterdir()) == [file_in(cache_folder())]
        assert len(counting) == 1
    finally:
        subprocess.run(["rm", "-r", tmp_path / "a"], check=True)


@pytest.mark.parametrize(
    "damage",
    [
        *("flipped", "cut", "empty", "text", "part missing", "one array", "other role"),
        *("folder", "pipe", "circle", "none"),
    ],
)
def test_a_damaged_file_does_no_harm(folder, counting, whole, damage):
    assert len(whole) < 14e6
    folder.mkdir()
    file = file_in(folder)
    if damage == "part missing":
        np.savez(file, name=np.array(file.name), parts=np.array(12))
    elif damage == "one array":
        with file.open("wb") as opened:
            np.save(opened, np.array(12))
    elif damage == "other role":
        name = np.array(file.name.replace("pone", "dealer"))
        counts = expert_counts(load(), "pone")
        np.savez(file, name=name, **counts._replace(parts=counts.parts * 2)._asdict())
    elif damage == "circle":
        file.symlink_to(file)
    elif damage == "none":
        file.write_bytes(whole)
    else:
        assert damage_file(file, whole, damage)
    assert right(count("pone"))
    assert len(counting) == (damage != "none")
    if damage not in ("folder", "pipe", "circle"):
        assert right(count("pone"))
        assert len(counting) == (damage != "none")


def test_files_in_the_way_are_left_alone(folder, counting, monkeypatch):
    folder.mkdir()
    outdated = folder / f"expert-pone-00000000-{CACHE_FORMAT}.npz"
    outdated.write_bytes(b"old")
    assert right(count("pone"))
    assert len(counting) == 1
    monkeypatch.setenv("CRIBEV_CACHE_DIR", str(outdated / "cache"))  # a folder that cannot be
    assert right(count("pone"))
    assert outdated.read_bytes() == b"old"
    assert len(counting) == 2


@pytest.mark.slow
def test_two_processes_at_once(started, folder):
    code = (
        "from cribev.opponents.counts import expert_counts\n"
        "from cribev.solution.solution import load\n"
        "print(expert_counts(load(), 'pone').with_two.sum())"
    )
    both = [started("-c", code) for _ in range(2)]
    outputs = [process.communicate(timeout=300) for process in both]
    assert [errors for _, errors in outputs] == [b"", b""]
    assert len({output for output, _ in outputs}) == 1
    assert list(folder.iterdir()) == [file_in(folder)]
    assert right(count("pone"))


@pytest.mark.parametrize("home", ["", "not/absolute", None])
def test_without_a_home_nothing_is_kept(tmp_path, monkeypatch, counting, home):
    def found(name):
        if home is None:  # as for a user who is nobody
            raise RuntimeError("could not determine the home directory")
        return f"{home}/.cache/{name}"[1:]

    monkeypatch.delenv("CRIBEV_CACHE_DIR")
    assert cache_folder().name == "cribev"
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, home or "")
    monkeypatch.setattr("platformdirs.user_cache_dir", found)
    monkeypatch.chdir(tmp_path)
    assert cache_folder() is None
    assert right(count("pone"))
    assert list(tmp_path.iterdir()) == []
    assert len(counting) == 1
