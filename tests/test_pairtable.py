from itertools import combinations_with_replacement

import numpy as np
import pytest

from cribev import TableError
from cribev.game.cards import RANKS
from cribev.rows.pairs import PUBLISHED_CRIBS, crib_table, published_cribs, read_pair_table

PAIRS = list(combinations_with_replacement(RANKS, 2))
WHOLE = "rank1,rank2,dealer,pone\n" + "".join(f"{a},{b},4.5,5\n" for a, b in PAIRS)


def read(tmp_path, text, **options):
    path = tmp_path / "table.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_pair_table(path, known="x", **options)


@pytest.mark.parametrize("name", PUBLISHED_CRIBS)
def test_published_tables_are_whole(name):
    for values in published_cribs(name).values():
        assert np.isfinite(values).all()
        assert (values == values.T).all()
        assert not values.flags.writeable


def test_published_figures():
    seven, nine, king = (RANKS.index(rank) for rank in "79K")
    assert published_cribs("hessel")["dealer"][seven, nine] == 4.06
    assert published_cribs("hessel")["pone"][king, king] == 5.72
    assert published_cribs("colvert")["pone"][0, king] == 4.3


def test_pair_tables_accept_any_order_and_spelling(tmp_path):
    text = "\ufeff# mine\n\nnote,PONE,rank2, dealer,rank1\r\nx,1,10,2,k\r\n\n y ,3.5,a,0,A\n"
    table = read(tmp_path, text)
    assert table["dealer"][12, 9] == table["dealer"][9, 12] == 2
    assert table["pone"][0, 0] == 3.5
    assert np.isnan(table["pone"][5, 5])
    path = tmp_path / "mine.csv"
    path.write_text(WHOLE)
    assert crib_table(path)["pone"].tolist() == np.full((13, 13), 5).tolist()
    path.write_text(WHOLE.replace("7,9,4.5,5\n", "7,9,29.5,5\n"))
    with pytest.raises(TableError, match="is not a number from 0 to 29"):
        crib_table(path)
    path.write_text(WHOLE.replace("7,9,4.5,5\n", ""))
    with pytest.raises(TableError, match="no dealer value for 7,9"):
        crib_table(path)
    with pytest.raises(TableError, match=r"neither a published crib table .*schell.* nor a file"):
        crib_table("Shell")
    with pytest.raises(TableError, match="it is a folder"):
        crib_table(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no rows"),
        ("rank1,rank2,dealer,pone\n", "has no rows"),
        ("a,b\n1,2\n", "line 1: no column 'rank1': expected rank1,rank2,dealer,pone"),
        ("rank1,rank2,dealer\nA,A,1\n", "no column 'pone'"),
        ("# c\nrank1,rank2,dealer,pone\nA,Z,2,3\n", "line 3: invalid rank 'Z'"),
        ("rank1,rank2,dealer,pone\nA,2,x,3\n", "line 2: 'x' is not a number"),
        ("rank1,rank2,dealer,pone\nA,2,nan,3\n", "line 2: 'nan' is not a number"),
        ("rank1,rank2,dealer,pone\nA,2,-1,3\n", "line 2: '-1' is not a number"),
        ("rank1,rank2,pone,dealer,pone\nA,2,1,1,1\n", "line 1: two columns 'pone'"),
        ("rank1,rank2,dealer,pone\n" + "x" * 999 + ",2,1,1\n", "line 2: invalid rank 'x{59}…'"),
        ("rank1,rank2,dealer,pone\nA,2,1\n", "line 2: expected 4 values, got 3"),
        ("rank1,rank2,dealer,pone\nA,2,1,1\n\n2,A,1,1\n", "line 4: the pair A,2 stands in line 2"),
        (b"rank1,rank2,dealer,pone\n\xff,2,1,1\n", "not a CSV file in UTF-8"),
        ("rank1,rank2,dealer,pone\n" + "A" * 200_000, "not a CSV file"),
    ],
)
def test_bad_tables_say_where(tmp_path, text, message):
    with pytest.raises(TableError, match=message):
        read(tmp_path, text)
