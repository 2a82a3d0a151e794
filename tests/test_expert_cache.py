"""The strategy in the cache folder: missing, damaged, outdated, shared, not to be written."""

import subprocess
import sys
from zlib import crc32

import numpy as np
import pytest

from cribev.classes.numbers import DEALS
from cribev.solved.expert import cache_folder, expert_strategy
from cribev.solved.solution import shipped_checksum

unpack = expert_strategy.__wrapped__  # without what this process remembers


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CRIBEV_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def right(strategy):
    return len(strategy) == DEALS and crc32(strategy.data) == shipped_checksum("pone")


def test_it_is_unpacked_once_and_then_mapped(folder):
    assert right(unpack("pone"))
    (file,) = folder.iterdir()
    assert f"{shipped_checksum('pone'):08x}" in file.name
    made = file.stat().st_mtime_ns
    again = unpack("pone")
    assert isinstance(again, np.memmap)
    assert right(again)
    assert file.stat().st_mtime_ns == made


@pytest.mark.parametrize("damage", ["flipped", "short", "empty", "folder"])
def test_a_damaged_file_does_no_harm(folder, damage):
    folder.mkdir()
    file = folder / f"expert-pone-{shipped_checksum('pone'):08x}.bin"
    whole = bytearray(expert_strategy("pone").tobytes())
    if damage == "flipped":
        whole[123_456] ^= 1
        file.write_bytes(whole)
    elif damage == "short":
        file.write_bytes(whole[:1000])
    elif damage == "empty":
        file.touch()
    else:
        file.mkdir()
    assert right(unpack("pone"))
    if damage != "folder":
        assert right(np.fromfile(file, dtype=np.uint16))


def test_an_outdated_file_is_left_alone(folder):
    folder.mkdir()
    outdated = folder / "expert-pone-00000000.bin"
    outdated.write_bytes(b"old")
    assert right(unpack("pone"))
    assert outdated.read_bytes() == b"old"


def test_a_folder_that_cannot_be_made(tmp_path, monkeypatch):
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    monkeypatch.setenv("CRIBEV_CACHE_DIR", str(in_the_way / "cache"))
    assert right(unpack("pone"))
    assert in_the_way.read_bytes() == b""


def test_two_processes_at_once(folder):
    code = "from cribev.solved.expert import expert_strategy as e; print(int(e('pone').sum()))"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    outputs = [process.communicate(timeout=120) for process in both]
    assert [errors for _, errors in outputs] == [b"", b""]
    assert len({output for output, _ in outputs}) == 1
    (file,) = folder.iterdir()
    assert right(np.fromfile(file, dtype=np.uint16))


def test_where_it_is(monkeypatch):
    monkeypatch.delenv("CRIBEV_CACHE_DIR")
    assert cache_folder().name == "cribev"
