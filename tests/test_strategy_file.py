"""The strategy in a solution's file and in the cache folder: missing, damaged, foreign, full."""

import errno
import io
import os
import sys
from zipfile import ZIP_STORED, ZipFile

import numpy as np
import pytest
from damaging import damage_file

from cribev.errors import TableError
from cribev.game.roles import ROLES
from cribev.solution import solution as solutions
from cribev.solution.solution import FORMAT, load, load_strategy, shipped_strategy
from cribev.solution.strategy import PARTS, GameSize, Strategy, count_entries
from cribev.system import cache as unpacking
from solver.storage import save, store_strategy, tabulate_states

pytestmark = pytest.mark.arrays

SIZE = GameSize((0, 4, 8, 9, 10), 3)


def strategy_of(size, seed=1):
    states, rng = tabulate_states(size.ranks), np.random.default_rng(seed)
    cells = rng.integers(0, PARTS + 1, size=10**6, dtype=np.uint8)  # again and again: packed soon
    return Strategy(size, states, np.resize(cells, count_entries(size, states)))


SMALL = strategy_of(SIZE)


def write(file, strategy=SMALL, **arrays):
    """A file with all of a solution that `load_strategy` reads."""
    whole = io.BytesIO()
    np.savez(whole, **({"format": np.array(FORMAT)} | arrays))
    if strategy is not None:
        store_strategy(strategy, whole)
    file.write_bytes(whole.getvalue())


@pytest.fixture
def file(cache):
    write(cache.parent / "solution.npz")
    return cache.parent / "solution.npz"


@pytest.fixture
def unpacks(monkeypatch):
    """Say how often it is unpacked."""
    times, unpack = [], unpacking._unpack
    monkeypatch.setattr(unpacking, "_unpack", lambda *args: times.append(args) or unpack(*args))
    return times


def right(strategy, expected=SMALL):
    return (
        strategy.size == expected.size
        and np.array_equal(strategy.cells, expected.cells)
        and all(map(np.array_equal, strategy.states, expected.states))
        and not strategy.cells.flags.writeable
    )


def test_it_is_unpacked_once_and_then_mapped(file, cache, unpacks):
    assert right(load_strategy(file))
    (made,) = cache.iterdir()
    written = made.stat().st_mtime_ns
    assert made.read_bytes() == SMALL.cells.tobytes()
    again = load_strategy(file)
    assert right(again)
    assert type(again.cells.base).__name__ in ("memoryview", "mmap")
    assert made.stat().st_mtime_ns == written
    assert len(unpacks) == 1
    root = again.root
    assert np.array_equal(again.policies(root), SMALL.policies(root))


@pytest.mark.parametrize(
    "damage", ["flipped", "cut", "longer", "empty", "text", "folder", "pipe", "circle"]
)
def test_a_damaged_file_in_the_cache_is_replaced(file, cache, unpacks, damage):
    load_strategy(file)
    (made,) = cache.iterdir()
    whole = made.read_bytes()
    made.unlink()
    if damage == "longer":
        made.write_bytes(whole + b"\0")
    else:
        assert damage_file(made, whole, damage)
    unpacks.clear()
    for _ in range(1 if damage in ("folder", "pipe", "circle") else 2):
        assert right(load_strategy(file))
        assert len(unpacks) == 1


def test_strategies_have_separate_shared_caches(file, cache, tmp_path, started):
    code = "from cribev.solution.solution import load_strategy\n"
    code += f"print(load_strategy({str(file)!r}).cells.sum())"
    both = [started("-c", code) for _ in range(2)]
    outputs = [process.communicate(timeout=300) for process in both]
    assert outputs == [(b"%d\n" % SMALL.cells.sum(), b"")] * 2
    assert len(list(cache.iterdir())) == 1
    another, second = strategy_of(SIZE, seed=2), tmp_path / "another.npz"
    write(second, another)
    assert right(load_strategy(second), another)
    assert right(load_strategy(file))
    assert len(list(cache.iterdir())) == 2


def test_where_there_is_no_folder_nothing_is_kept(file, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("CRIBEV_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert right(load_strategy(file))
    assert (tmp_path / "file").read_bytes() == b""

    def nowhere(_):
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv("CRIBEV_CACHE_DIR")
    monkeypatch.setattr("platformdirs.user_cache_dir", nowhere)
    assert right(load_strategy(file))
    assert {*tmp_path.iterdir()} == {file, tmp_path / "file"}


@pytest.mark.parametrize("why", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_folder_that_takes_no_file(file, cache, monkeypatch, why):
    def write(*_):
        raise OSError(why, os.strerror(why))

    monkeypatch.setattr("cribev.system.cache.atomic_write", write)
    assert right(load_strategy(file))
    assert list(cache.iterdir()) == []


CHANGES = {
    "other parts": ("parts", lambda _: np.array(PARTS // 2)),
    "no states": ("next_state", lambda _: None),
    "other states": ("points", lambda points: points[:-1]),
    "states beyond": ("next_state", lambda states: np.full_like(states, 30_000)),
    "other game": ("kept", lambda _: np.array(2)),
    "short": ("cells", lambda cells: cells[:-1]),
}


@pytest.mark.parametrize(
    "damage", ["cut", "flipped", "checksum", "empty", "text", "missing", "folder", *CHANGES]
)
def test_damaged_files_are_refused_in_one_line(file, cache, damage):
    content = bytearray(file.read_bytes())
    file.unlink()
    if damage == "checksum":
        for at in (i for i in range(len(content)) if content[i : i + 4] == b"PK\1\2"):
            content[at + 16] ^= 1  # the checksum, where the archive lists its members
        file.write_bytes(content)
    elif damage in CHANGES:
        with np.load(io.BytesIO(content)) as stored, ZipFile(file, "w", ZIP_STORED) as archive:
            arrays, (name, change) = dict(stored), CHANGES[damage]
            arrays[f"strategy_{name}"] = change(arrays[f"strategy_{name}"])
            for name, array in arrays.items():
                if isinstance(array, bytes):
                    archive.writestr(name, array)
                elif array is not None:
                    with archive.open(f"{name}.npy", "w") as member:
                        np.lib.format.write_array(member, array)
    else:
        assert damage_file(file, content, damage) or damage == "missing"
    with pytest.raises(TableError) as raised:
        load_strategy(file)
    whys = {"missing": "No such file or directory", "folder": "Is a directory"}
    why = whys.get(damage, "it is damaged, or no solution")
    assert str(raised.value) == f"cannot read the solution in {file}: {why}"
    assert not [found for found in cache.glob("*") if found.suffix == ".part"]


def test_older_files_and_files_without_a_strategy(file):
    write(file, format=np.array(FORMAT - 1))
    with pytest.raises(TableError) as raised:
        load_strategy(file)
    assert str(raised.value).startswith(f"{file} has format {FORMAT - 1}, this version of cribev ")
    write(file, None)
    with pytest.raises(TableError) as raised:
        load_strategy(file)
    told = f"there is no strategy of the play in {file}: python -m solver -o FILE makes one"
    assert str(raised.value) == told


@pytest.mark.slow
def test_a_solution_carries_its_strategy_unread(tmp_path, cache):
    solved = load(play=True)
    play = solved.play._replace(load_strategy=lambda: SMALL)
    first, second = tmp_path / "first.npz", io.BytesIO()
    save(solved._replace(play=play), first)
    read = load(first)
    assert not cache.exists()
    assert read.play.exploitability == play.exploitability
    assert read.checksums == solved.checksums
    for role in ROLES:
        both = read.play.keep_frequencies[role], play.keep_frequencies[role]
        for again, former in zip(*both, strict=True):
            assert np.allclose(again, former, rtol=0, atol=2e-5)
        assert (read.cribs[role].play == solved.cribs[role].play).all()
    with np.load(first) as stored:
        arrays = {name: stored[name] for name in stored.files}
    pegged = "pone_expected_pegging_own"
    np.savez(tmp_path / "cut.npz", **arrays | {pegged: arrays[pegged][:, 1:]})
    with pytest.raises(TableError, match=r"cut\.npz: it is damaged, or no solution$"):
        load(tmp_path / "cut.npz")
    save(read, second)
    second.seek(0)
    again = load(second)
    assert right(again.play.strategy)
    assert right(load_strategy(second))
    assert len(list(cache.iterdir())) == 1


def test_what_is_shipped_is_read_once(file, monkeypatch, capfd):
    monkeypatch.setattr(solutions, "_SHIPPED_PLAY", file)
    shipped_strategy.cache_clear()
    try:
        assert right(shipped_strategy())
        assert shipped_strategy() is shipped_strategy()
    finally:
        shipped_strategy.cache_clear()
    assert capfd.readouterr() == ("", "")  # nothing shows where no terminal is


def test_a_cache_keeps_what_was_used_last(cache):
    for number, name in enumerate(("other-1.npz", "kind-1.npz", "kind-2.npz", "kind-3.npz")):
        unpacking.write_cached_arrays(name, {"n": np.array(number)}, packed=False, most=2)
        assert unpacking.read_cached_arrays(name, lambda stored: int(stored["n"])) == number
        os.utime(cache / name, (number, number))
    assert {path.name for path in cache.iterdir()} == {"other-1.npz", "kind-2.npz", "kind-3.npz"}


@pytest.mark.parametrize(("seconds", "shown"), [(0.1, False), (2, True)])
def test_slow_unpacking_shows_a_bar(file, monkeypatch, seconds, shown):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    clock = iter(np.arange(0, 1000, seconds).tolist())
    monkeypatch.setattr("tqdm.std.time", lambda: next(clock))
    monkeypatch.setattr(unpacking, "_CHUNK", 1 + len(SMALL.cells) // 4)
    monkeypatch.setattr(sys, "stderr", Terminal())
    load_strategy(file)
    assert ("unpacking the strategy of the play" in sys.stderr.getvalue()) == shown
