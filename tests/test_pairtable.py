import numpy as np
import pytest

from cribev import TableError
from cribev.game.cards import RANKS
from cribev.rows.pairs import PUBLISHED_CRIBS, published_cribs, read_pair_table

HEAD = "rank1,rank2,dealer_pct,pone_pct"


def read(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_pair_table(path, known="x")


def test_published_tables_are_whole():
    for name in PUBLISHED_CRIBS:
        for values in published_cribs(name).values():
            assert np.isfinite(values).all()
            assert (values == values.T).all()
            assert not values.flags.writeable
    seven, nine, king = (RANKS.index(rank) for rank in "79K")
    assert published_cribs("hessel")["dealer"][seven, nine] == 4.06
    assert published_cribs("hessel")["pone"][king, king] == 5.72
    assert published_cribs("colvert")["pone"][0, king] == 4.3


def test_pair_tables_accept_any_order_and_spelling(tmp_path):
    head = "\ufeff# mine\n\nnote,PONE_PCT,rank2, dealer_pct,rank1\r\n"
    text = head + "x,1,10,2,k\r\n\n y ,3.5,a,0,A\n"
    table = read(tmp_path, text)
    assert table["dealer"][12, 9] == table["dealer"][9, 12] == 2
    assert table["pone"][0, 0] == 3.5
    assert np.isnan(table["pone"][5, 5])
    with pytest.raises(TableError, match=r"neither x nor a file.*: it is a folder"):
        read_pair_table(tmp_path, known="x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (HEAD + "\n", "has no rows"),
        ("a,b\n1,2\n", "no column 'rank1': there are 'a, b'"),
        (f"# c\n{HEAD}\nA,Z,2,3\n", "line 3: invalid rank 'Z'"),
        (HEAD + "\nA,2,x,3\n", "line 2: 'x' is not a number"),
        (HEAD + "\nA,2,-1,3\n", "line 2: '-1' is not a number"),
        ("rank1,rank2,pone_pct,dealer_pct,pone_pct\nA,2,1,1,1\n", "two columns 'pone_pct'"),
        (HEAD + "\nA,2,1\n", "line 2: expected 4 values, got 3"),
        (HEAD + "\nA,2,1,1\n\n2,A,1,1\n", "line 4: the pair A,2 stands in line 2"),
        (HEAD.encode() + b"\n\xff,2,1,1\n", "line 2: not UTF-8 text"),
        (f"{HEAD}\n" + "A" * 200_000, "line 2: a value of more than 131,072 char"),
    ],
)
def test_bad_tables_say_where(tmp_path, text, message):
    with pytest.raises(TableError, match=message):
        read(tmp_path, text)
