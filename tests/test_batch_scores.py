"""Tables and files of deals with the score before each."""

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from batching import ADDED, GOOD, read
from shell import refused

from cribev import CribevError, advise, evaluate, evaluate_deals, parse_cards
from cribev.advice.outcomes import ValuesGivenStarter
from cribev.batch.evaluate import meta
from cribev.choice import DiscardValues
from cribev.commands.cli import main

pytestmark = pytest.mark.usefixtures("in_a_folder")

OTHER = "KC KS JC 4S 5H 7D"  # as dealer at 118-112 points and wins ask for two discards
WITH_WIN = [*ADDED[:5], "win", "win_method", *ADDED[5:]]


@pytest.fixture
def quick(monkeypatch):
    """Counting that takes no time: the less is kept, the more it wins, and more points win more."""

    def values(deals, dealer, _opponent, *, scores=None, report, **_):
        points = np.tile(np.arange(15.0), (len(deals), 1))
        win = None
        if scores is not None:
            known = (scores >= 0).all(axis=1)[:, None]
            win = np.where(known, (scores[:, :1] + 1) / 122 - points / 100, np.nan)
        if report is not None:
            report(len(deals))
        found = DiscardValues.of(points, points, dealer, np.zeros_like(points), win)
        return ValuesGivenStarter(found, np.full_like(points, np.nan))

    monkeypatch.setattr("cribev.batch.evaluators.exact_values", values)


def frame_of(score, **columns):
    return pd.DataFrame({"cards": GOOD, "role": "dealer", "score": score, **columns})


def written(*rows, head="cards,role,score"):
    Path("in.csv").write_text("\n".join([head, *rows]) + "\n")


def told(found):
    """What is read of a file, empty text as text."""
    return found.assign(win_method=found["win_method"].fillna(""))


def test_a_file_with_scores_is_as_advised():
    rows = f"{OTHER},dealer,118*-112,x", f"{GOOD},pone,,y", "5 5 J Q 2 8,pone,,z"
    written(*rows, head="cards,role,Score,note")
    advice = advise(OTHER, role="dealer", score=(118, 112))
    table = evaluate(read("in.csv").rename(columns={"Score": "score"}))
    bare = evaluate(read("in.csv"))  # in a table of one's own names are as they stand
    assert table["best_discard"].tolist() == [advice.best.discard, *bare["best_discard"][1:]]
    assert table["best_discard"][0] != bare["best_discard"][0]
    assert table["margin"][0] < 0
    assert table["win"].isna().tolist() == [False, True, True]
    assert table["win"][0] == pytest.approx(advice.best.win, abs=1e-12)
    for form in ("csv", "parquet"):
        assert main(["batch", "in.csv", "-o", f"out.{form}"]) == 0
        found = read(f"out.{form}")
        assert list(found) == ["cards", "role", "score", "note", *WITH_WIN]
        pd.testing.assert_frame_equal(
            told(found).drop(columns="score"), table.drop(columns="score"),
            atol=5.1e-7, check_dtype=False,
        )  # fmt: skip
    assert ",-1.902344,,,6." in Path("out.csv").read_text().splitlines()[2]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("made", ["csv", "jsonl", "parquet", "tsv"])
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_scores_in_every_format(made, form):
    more = ["--every-discard"] * (form == "jsonl")
    both = {"score": [95, None, 0], "opponent_score": [110, None, 120]}
    for columns in ({"score": ["95*-110", "", "0-120"]}, both):
        frame = frame_of(**columns)
        table = evaluate(frame, every_discard=bool(more)).reset_index(drop=True)
        unknown = table["win"].isna()
        assert unknown.sum() * 3 == len(table)
        if made == "parquet":
            frame.to_parquet("in.parquet")
        elif made == "jsonl":
            frame.to_json("in.jsonl", orient="records", lines=True)
        else:
            frame.to_csv(f"in.{made}", index=False, sep="," if made == "csv" else "\t")
        command = ["batch", f"in.{made}", "-o", f"out.{form}", "--chunk-rows", "2", "--force"]
        assert main([*command, *more]) == 0
        found = read(f"out.{form}")
        assert list(found) == list(table)
        pd.testing.assert_frame_equal(
            told(found).drop(columns=list(columns)), table.drop(columns=list(columns)),
            atol=5.1e-7, check_dtype=False,
        )  # fmt: skip


@pytest.mark.usefixtures("quick")
def test_every_discard_is_ranked_by_wins():
    every = evaluate(frame_of(["95-110", None]), every_discard=True)
    won, counted = every[:15], every[15:]
    assert won["rank"].tolist() == list(range(1, 16))
    assert (won["win"].diff()[1:] < 0).all()
    assert (won["expected"].diff()[1:] > 0).sum() > 10
    assert counted["win"].isna().all()
    assert (counted["expected"].diff()[1:] <= 1e-9).all()
    best = evaluate(frame_of(["95-110", None]))
    assert best["best_discard"].tolist() == every[::15]["discard"].tolist()
    assert best["margin"][0] < 0


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("head", "row", "reason"),
    [
        ("score", "95-121", "column 'score', '95-121': nobody has more than 120 points"),
        ("score", "A", "column 'score', 'A': expected a score, the player's first"),
        ("score", "95-110*", "column 'score', '95-110*': the star is at the points of the oppone"),
        ("score,opponent_score", "121,5", "column 'score', '121': expected points before the deal"),
        ("score,opponent_score", "5,x", "column 'opponent_score', 'x': expected points before"),
        ("score,opponent_score", "5,", "column 'score', '5': nothing in 'opponent_score' beside"),
        ("score,opponent_score", ",5", "column 'opponent_score', '5': nothing in 'score' beside"),
    ],
)
def test_a_bad_score_is_named_with_its_line(head, row, reason):
    good = "9,5" if "," in head else "9-5"
    written(f"{GOOD},dealer,{good}", f"{GOOD},dealer,{row}", head=f"cards,role,{head}")
    assert refused("batch", "in.csv").startswith(f"'in.csv' line 3: {reason}")
    with pytest.raises(CribevError, match=r"row 1 \(index 1\): column "):
        evaluate(read("in.csv"))
    assert main(["batch", "in.csv", "-o", "out.csv", "--errors", "skip"]) == 0
    assert len(read("out.csv")) == 1
    rejected = read("out.csv.rejects.csv")
    assert rejected["line"].tolist() == [3]
    assert rejected["reason"][0].startswith(reason)


@pytest.mark.usefixtures("quick")
def test_cards_without_suits_have_no_chances_to_win():
    written(f"{GOOD},dealer,9-5", "5 5 J Q 2 8,dealer,", "5 5 J Q 2 8,dealer,9-5")
    reason = "'2 5 5 8 J Q' has no suits: chances to win are for cards with suits"
    assert refused("batch", "in.csv") == f"'in.csv' line 4: {reason}"
    with pytest.raises(CribevError, match=f"row 2 .*{reason}"):
        evaluate(read("in.csv"))
    for more in ([], ["--every-discard"]):
        command = ["batch", "in.csv", "-o", "out.csv", "--errors", "skip", "--force"]
        assert main([*command, *more]) == 0
        found = read("out.csv")
        assert found["win"].isna().sum() == (11 if more else 1)


@pytest.mark.parametrize(("score", "said"), [("95;110", True), ("95", True), ("", False)])
def test_a_score_that_is_none_is_told_of(capsys, score, said):
    written(f"AH 2C 7D 9S JH QC,pone,{score}")
    assert main(["batch", "in.csv"]) == 0
    note = f"cribev: column 'score', '{score}': no row has a score such as 95-110, so rows are"
    assert capsys.readouterr().err.startswith(note) is said


@pytest.mark.usefixtures("quick")
def test_two_numbers_are_a_score():
    texts = evaluate(frame_of(["95-110", "9-5"]))
    for pair in (tuple, list, np.array):
        found = evaluate(frame_of([pair([95, 110]), pair([9, 5])]))
        pd.testing.assert_frame_equal(found.drop(columns="score"), texts.drop(columns="score"))


@pytest.mark.parametrize("scores", [["A+", ""], [12.5, None], [95, 110], [None, None]])
def test_a_column_of_ones_own_is_carried_along(scores):
    frame = frame_of(scores)
    frame.to_csv("in.csv", index=False)
    noted = nullcontext() if scores[0] is None else pytest.warns(match="no row has a score such as")
    with noted:
        found = evaluate(frame)
    assert list(found) == [*frame, *ADDED]
    pd.testing.assert_series_equal(found["score"], frame["score"])
    assert list(meta(frame)) == list(found)
    written(f"{GOOD},dealer,{scores[0]}", head="cards,role,SCORE")
    assert main(["batch", "in.csv", "-o", "out.csv"]) == 0
    assert list(read("out.csv")) == ["cards", "role", "SCORE", *ADDED]


def test_the_show_alone_leaves_scores_alone():
    frame = frame_of(["95-110", "x"], opponent_score=[1, "y"], win=0)
    found = evaluate(frame, play=False)
    assert list(found) == [*frame, *(name for name in ADDED if name != "play_mean")]
    frame.to_csv("in.csv", index=False)
    assert main(["batch", "in.csv", "-o", "out.csv", "--show-only"]) == 0
    assert list(read("out.csv")) == list(found)
    assert list(evaluate(frame.drop(columns="win"), score=False))[-7:] == ADDED


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"score": "9-5", "win": 1}, "there is a column 'win' already: rename it"),
        ({"opponent_score": 5}, "no column 'score': there are "),
    ],
)
def test_columns_that_do_not_go_together(columns, message):
    frame = pd.DataFrame({"cards": GOOD, "role": "dealer", **columns}, index=[0])
    with pytest.raises(CribevError, match=message):
        evaluate(frame)
    frame.to_csv("in.csv", index=False)
    assert message in refused("batch", "in.csv")


@pytest.mark.usefixtures("quick")
def test_the_first_score_may_come_late(monkeypatch):
    none, some = f"{GOOD},dealer,", f"{GOOD},dealer,9-5"
    written(none, none, none, some)
    command = ["batch", "in.csv", "-o", "out.csv", "--chunk-rows", "1", "--force"]
    assert main(command) == 0
    assert read("out.csv")["win"].notna().tolist() == [False, False, False, True]
    monkeypatch.setattr("cribev.batch.stream.CHUNK_ROWS", 3)
    assert refused(*command).startswith(
        "'in.csv' line 5 and on: column 'score' holds a score, and none in the first 3 rows: "
    )
    written(none, none, none, none)
    assert main(command) == 0
    assert "win" not in read("out.csv")


@pytest.mark.usefixtures("quick")
def test_what_dask_is_told_is_what_comes():
    class Frame:  # as much of a Dask frame as is looked at
        def __init__(self, frame):
            self._meta = frame.iloc[:0]

    text = frame_of(["9-5", ""])
    numbers = frame_of([9, 9], opponent_score=[5, 5])
    for frame, options in ((text, {"score": True}), (numbers, {}), (text, {"score": False})):
        found = evaluate(frame, **options)
        empty = meta(Frame(frame), **options)
        pd.testing.assert_frame_equal(empty, found.iloc[:0], check_index_type=False)
        pd.testing.assert_frame_equal(meta(frame, **options), empty)
    assert "win" in meta(text)
    assert evaluate(frame_of(["", ""]), score=True)["win"].isna().all()
    with pytest.raises(CribevError, match="a column 'score': say score=True if it holds the score"):
        meta(Frame(text))


@pytest.mark.usefixtures("quick")
def test_scores_of_arrays():
    deals = np.sort(np.stack([parse_cards(GOOD), parse_cards(OTHER), parse_cards(GOOD)]), axis=1)
    each = evaluate_deals(deals, role="pone", score=[[95, 110], [-1, -1], [120, 0]])
    one = evaluate_deals(deals, role="pone", score="95-110")
    none = evaluate_deals(deals, role="pone")
    assert np.isnan(each.win).tolist() == [False, True, False]
    assert each.win[0] == one.win[0] < each.win[2]
    assert none.win is None
    assert each.expected[1] == none.expected[1]
    assert each.margin[1] == pytest.approx(none.margin[1], abs=1e-12)
    unknown = evaluate_deals(deals, role="pone", score=np.full((3, 2), -1))
    assert np.isnan(unknown.win).all()
    assert (unknown.expected == none.expected).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": (95, 121)}, "is not a score"),
        ({"score": "95"}, "'95' is not a score: expected your points"),
        ({"score": [[95, 110]] * 2}, "expected a score for each of 1 deals, got shape .2, 2."),
        ({"score": [[95, 121]]}, r"row 0: \[95, 121\] is no score"),
        ({"score": [[95, -1]]}, r"row 0: \[95, -1\] is no score"),
        ({"score": [[95.5, 110]]}, "expected scores as whole numbers, got float64"),
        ({"score": (95, 110), "play": False}, "a score takes the play into account"),
    ],
)
def test_bad_scores_of_arrays(options, message):
    with pytest.raises(CribevError, match=message):
        evaluate_deals([parse_cards(GOOD)], role="pone", **options)


@pytest.mark.parametrize("score", ["83-64", "83 : 64", (83, 64)])
def test_one_score_for_all_rows(score):
    frame = frame_of(["83-64"] * 2)
    found = evaluate(frame.drop(columns="score"), score=score)
    pd.testing.assert_frame_equal(found, evaluate(frame).drop(columns="score"))
    with pytest.raises(CribevError, match=r"a column 'score', and .* for all rows too: choose one"):
        evaluate(frame, score=score)
    with pytest.raises(CribevError, match="the star is at the points of the player"):
        evaluate([GOOD], role="pone", score="83*-64")
    with pytest.raises(CribevError, match="leave out one of the two"):
        evaluate(frame.drop(columns="score"), score=score, play=False)
