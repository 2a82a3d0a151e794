import os

import pytest

from cribev.system.files import atomic_write


def test_a_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "new"
    with atomic_write(path) as file:
        file.write(b"half")
        assert not path.exists()
        file.write(b" and half")
    assert path.read_bytes() == b"half and half"
    assert [found.name for found in tmp_path.iterdir()] == ["new"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, ValueError])
def test_nothing_is_left_where_it_is_stopped(tmp_path, stop):
    path = tmp_path / "old"
    path.write_bytes(b"old")

    def write_half():
        with atomic_write(path) as file:
            file.write(b"half")
            raise stop

    with pytest.raises(stop):
        write_half()
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["old"]


def test_a_device_stays_one_and_a_link_too(tmp_path):
    file, link, pipe = (tmp_path / name for name in ("file", "link", "pipe"))
    link.symlink_to(file)
    with atomic_write(link) as opened:
        opened.write(b"all")
    assert link.is_symlink()
    assert file.read_bytes() == b"all"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with atomic_write(pipe) as opened:
        opened.write(b"all")
    assert os.read(reader, 9) == b"all"
    os.close(reader)
    assert pipe.is_fifo()


def test_it_gets_the_permissions_of_any_new_file(tmp_path):
    plain = tmp_path / "plain"
    plain.touch()
    with atomic_write(tmp_path / "new"):
        pass
    assert (tmp_path / "new").stat().st_mode == plain.stat().st_mode
