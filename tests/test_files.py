import pytest

from cribev.files import written_whole


def test_a_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "new"
    with written_whole(path) as file:
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
        with written_whole(path) as file:
            file.write(b"half")
            raise stop

    with pytest.raises(stop):
        write_half()
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["old"]


def test_it_gets_the_permissions_of_any_new_file(tmp_path):
    plain = tmp_path / "plain"
    plain.touch()
    with written_whole(tmp_path / "new"):
        pass
    assert (tmp_path / "new").stat().st_mode == plain.stat().st_mode
