"""Evaluating tables of deals: as `advise` does, in other orders and shapes, and with scores."""

import itertools
import pickle
import re
from contextlib import nullcontext
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from shell import ADDED, ENDS, HAND, batched, read_table, refused
from strategies import crowded_hands, hands

import cribev
from cribev import CribevError, advise, evaluate, evaluate_deals, format_cards, parse_cards
from cribev.batch.frames import meta
from cribev.classes.ranking import DiscardValues
from cribev.commands.cli import main
from cribev.evaluation.exact import ValuesGivenStarter
from cribev.game.index_tables import KEEPS
from cribev.game.outcomes import Outcomes
from cribev.opponents.opponents import Frequencies, Opponent, Solved
from cribev.solution.solution import load
from cribev.values.counts import crib_outcomes, hand_scores

pytestmark = [pytest.mark.arrays, pytest.mark.usefixtures("in_a_folder")]

FREQUENCIES = str(Path(__file__).parent / "data" / "discard_frequency.csv")


def dealt(number, *, seed=1):
    frame = pd.DataFrame({"game": np.arange(number) * 10})
    cards = format_cards(cribev.random_hands(number, seed=seed))
    return frame.assign(cards=cards, role=np.where(frame.index % 3, "dealer", "pone"))


@pytest.mark.parametrize(
    ("opponent", "most"), [("uniform", 1e-9), ("expert", 0.04), (FREQUENCIES, 0.02)]
)
def test_every_discard_is_as_advised(opponent, most):
    """But for the average crib, which may be off by so many points."""
    suited = pd.DataFrame({"game": [5000], "cards": ["3H 4H 6H 9H JH KH"], "role": "dealer"})
    frame = pd.concat([dealt(1, seed=3), suited])
    long = evaluate(frame, opponent=opponent, every_discard=True)
    assert list(long) == [
        *frame, "rank", "discard", "discard_ranks", "suited", "keep", *ADDED[2:-1], "behind",
    ]  # fmt: skip
    for (_, rows), deal in zip(long.groupby("game"), frame.itertuples(), strict=True):
        table = advise(deal.cards, role=deal.role, opponent=opponent).table.set_index("discard")
        own = rows.set_index("discard")
        table = table.loc[own.index]
        assert (own["keep"] == table["keep"]).all()
        exact = ["hand_mean", "hand_sd", "play_mean", *ENDS]
        np.testing.assert_allclose(own[exact], table[exact], atol=1e-9)
        assert np.abs(own["crib_mean"] - table["crib_mean"]).max() <= most
        assert np.abs(own["crib_sd"] - table["crib_sd"]).max() < 0.1
        expected = own["expected"].to_numpy()
        assert (np.diff(expected) <= 1e-9).all()
        better = (expected > expected[:, None] + 1e-9).sum(axis=1)
        assert own["rank"].tolist() == (1 + better).tolist()
    best, first = evaluate(frame, opponent=opponent), long[::15]
    assert list(best) == [*frame, *ADDED]
    assert best["best_keep"].tolist() == first["keep"].tolist()
    for name in ADDED[2:-1]:
        np.testing.assert_allclose(best[name], first[name], atol=1e-9)


HOSTILE = [
    "5C 5D 5H 5S JC JD", "JC JD JH JS 5C 5D", "5C 5D 5S JH 5H KD", "JC 5C AC 2C 3C 4C",
    "5S 6S 7S 8S JS QS", "AC AD AH AS 2C 2D", "JC JD QC QD KC KD",
]  # fmt: skip


@settings(max_examples=10)
@given(st.one_of(st.sampled_from(HOSTILE).map(parse_cards), hands(6), crowded_hands(6)))
def test_min_and_max_cover_every_outcome(deal):
    deal = np.sort(deal)
    table = evaluate([deal], role="dealer", opponent="uniform", play=False, every_discard=True)
    table = table.set_index("keep").loc[format_cards(deal[KEEPS])]
    hand, crib = hand_scores(deal), crib_outcomes(deal)
    ends = hand.min(axis=1), hand.max(axis=1), crib.min(axis=(1, 2)), crib.max(axis=(1, 2))
    np.testing.assert_array_equal(table[ENDS], np.transpose(ends))
    np.testing.assert_allclose(table["hand_sd"], hand.std(axis=1), atol=1e-9)


@given(st.lists(hands(6), min_size=1, max_size=8), st.permutations(range(6)))
@settings(max_examples=10)
def test_order_of_cards_and_rows_does_not_matter(deals, order):
    deals = np.array(deals)
    best = evaluate_deals(deals, role="dealer")
    turned = evaluate_deals(deals[::-1, list(order)], role="dealer")
    for name, values in vars(best).items():
        if values is not None:
            np.testing.assert_array_equal(values, getattr(turned, name)[::-1])


def test_own_columns_index_and_types_are_kept():
    frame = dealt(4).set_index(pd.Index(list("aabb"), name="who"))
    frame["role"] = frame["role"].astype("category")
    before = frame.copy()
    best = evaluate(frame)
    pd.testing.assert_frame_equal(best[list(frame)], before)
    pd.testing.assert_frame_equal(frame, before)
    assert best.index.name == "who"
    assert {str(best[name].dtype) for name in ENDS} == {"int64"}
    long = evaluate(frame, every_discard=True)
    assert long.index.tolist() == list(np.repeat(list("aabb"), 15))


@pytest.mark.parametrize("options", [{}, {"every_discard": True}])
def test_no_rows_and_meta(options):
    frame = dealt(2)
    empty = evaluate(frame.iloc[:0], **options)
    full = evaluate(frame, **options)
    assert len(empty) == 0
    assert empty.dtypes.astype(str).to_dict() == full.dtypes.astype(str).to_dict()
    pd.testing.assert_frame_equal(meta(frame, **options), empty)


def test_discards_of_all_tables_have_one_type():
    deals = ["5H 5D JS QC 2H 8D", "5H 5 5 Q 2 8D", "AC 2C 3D 4H 9S KS"]
    tables = [evaluate([deal], role="pone", every_discard=True) for deal in deals]
    tables.append(evaluate_deals([SIX], role="pone", every_discard=True).to_frame())
    dtype = pd.concat(tables)["discard"].dtype
    for name in ("discard", "discard_ranks", "suited"):
        assert {table[name].dtype for table in tables} == {pd.concat(tables)[name].dtype}
    assert {table["keep"].dtype for table in tables} == {tables[0]["keep"].astype("str").dtype}
    deck = [format_cards(pair) for pair in itertools.combinations(range(52), 2)]
    assert dtype.categories[:1326].tolist() == deck
    for table in tables[:3]:
        discards = table["discard"].astype("str")
        ranks = discards.str.replace("[CDHS]", "", regex=True)
        assert table["discard_ranks"].tolist() == ranks.tolist()
        assert table["suited"].tolist() == discards.str.fullmatch(r".([CDHS]) .\1").tolist()
    bare = tables[1].set_index("discard")["keep"]
    assert (bare["2 Q"], bare["5H 8D"], bare["5 5"]) == ("5H 5 5 8D", "2 5 5 Q", "2 5H 8D Q")
    other = evaluate(deals[::-1], role="pone", every_discard=True)["discard"]
    assert (other[2].to_numpy() == tables[0]["discard"].to_numpy()).all()


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"margin": 1}, {}, "there is a column 'margin' already"),
        ({"rank": 1}, {"every_discard": True}, "there is a column 'rank' already"),
        ({}, {"cards": "hand"}, "no column 'hand'"),
        ({}, {"cards": ["cards", "game"]}, "in one column or in six, not 2"),
        ({}, {"role": "dealer"}, "a column 'role', and 'dealer' for all rows too"),
        ({"role": "eldest"}, {}, r"row 0 \(index 0\): invalid role 'eldest'"),
        ({"role": None}, {}, "whose crib is it"),
        ({"cards": None}, {}, "cards are missing"),
        ({"cards": 5}, {}, "expected cards as text, got '5'"),
        ({"cards": ""}, {}, "expected 6 cards, got none in ''"),
        ({}, {"opponent": "nobody"}, "unknown opponent 'nobody': expected expert"),
        ({"score": "9-5", "win": 1}, {}, "there is a column 'win' already: rename it"),
        ({"opponent_score": 5}, {}, "no column 'score': there are "),
    ],
)
def test_what_cannot_be_evaluated_is_said(change, options, message):
    frame = dealt(3).assign(**change)
    with pytest.raises(CribevError, match=message):
        evaluate(frame, **options)


@pytest.mark.parametrize(
    ("deals", "said"),
    [
        (pd.Series([HAND, np.nan], index=["a", "b"]), "row 1 (index 'b'): cards are missing"),
        ([HAND, pd.NA], "row 1 (index 1): cards are missing"),
        ([HAND, ["5H", None]], "row 1 (index 1): a card is missing in \"['5H', None]\""),
        ([HAND, [1.0, np.nan]], "row 1 (index 1): a card is missing in '[1.0, nan]'"),
        (pd.Series([HAND, "1X", np.nan], index=[5, 6, 7]), "row 1 (index 6): invalid card '1X'"),
        (
            pd.Series([HAND, [1, 2, 3, 4, 5, 70]], index=["a", "b"]),
            "row 1 (index 'b'): invalid card number 70",
        ),
        ([HAND, ["5H"]], "row 1 (index 1): expected 6 cards"),
        *(([wrong], "row 0 (index 0): ") for wrong in (5, [5, 6])),
        (HAND, f"expected a table, a Series, a list or an array of deals, got '{HAND}'"),
        *((wrong, "expected a table, a Series, a list") for wrong in (None, 5, HAND.encode())),
    ],
)
def test_first_bad_row_is_named(deals, said):
    with pytest.raises(CribevError, match=f"^{re.escape(said)}"):
        evaluate(deals, role="pone")


def test_bad_row_of_an_index_of_levels_is_named():
    frame = dealt(5).set_index(pd.MultiIndex.from_product([[8], [0.5, 1, 1.5, 2, 3]]))
    frame["cards"] = [*frame["cards"][:2], "1X", *frame["cards"][3:]]
    frame["role"] = [*frame["role"][:3], "nobody", frame["role"].iloc[4]]
    with pytest.raises(CribevError, match=r"^row 2 \(index \(8, 1.5\)\): invalid card '1X'"):
        evaluate(frame)


SIX = [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("deals", "options", "message"),
    [
        ([0, 0, 1, 2, 3, 4], {}, "comes twice"),
        ([0, 1, 2, 3, 4], {}, r"shape \(N, 6\)"),
        (SIX, {"role": ["eldest"]}, "invalid role 'eldest'"),
        (SIX, {"role": [pd.NA]}, "whose crib is it"),
        (SIX, {"role": ["dealer", "pone"]}, "expected a role for each of 1 deals"),
        (SIX, {"score": (95, 121)}, "invalid score"),
        (SIX, {"score": "95"}, "invalid score '95': expected your points"),
        (SIX, {"score": [[95, 110]] * 2}, "expected a score for each of 1 deals, got shape .2, 2."),
        (SIX, {"score": [[95, -1]]}, r"row 0: invalid score \[95, -1\]"),
        (SIX, {"score": [[95.5, 110]]}, "expected scores as whole numbers, got float64"),
        (SIX, {"score": (95, 110), "play": False}, "a score takes the play into account"),
    ],
)
def test_bad_arrays(deals, options, message):
    with pytest.raises(CribevError, match=message):
        evaluate_deals([deals], **{"role": "pone", **options})


@pytest.mark.parametrize(
    ("deal", "role", "discard", "gap"),
    [
        ("4S 5S 6S 7S 8S 9S", "pone", "7S 8S", 0.0337),  # the worst of all deals of one suit
        ("2S 5S TS JS QS KS", "dealer", "JS QS", 0.0179),  # likewise
        ("3C 3D 5D QH KC KH", "dealer", "3D 5D", 0.0157),
    ],
)
def test_how_far_off_average_cribs_are_at_worst(deal, role, discard, gap):
    options = {"opponent": Opponent.of(Solved(load())), "every_discard": True, "play": False}
    exact, average = (
        evaluate([deal], role=role, exact=exact, **options).set_index("discard")["crib_mean"]
        for exact in (True, False)
    )
    gaps = (exact - average).abs()
    assert gaps.idxmax() == discard
    assert gaps.max() == pytest.approx(gap, abs=5e-4)


OTHER = "KC KS JC 4S 5H 7D"  # as dealer at 118-112 points and wins ask for two discards
WITH_WIN = [*ADDED[:-2], "win", "win_method", *ADDED[-2:]]


@pytest.fixture
def quick(monkeypatch):
    """Counting that takes no time: the less is kept, the more it wins, and more points win more."""

    def values(deals, dealer, _opponent, *, scores=None, report, **_):
        points = np.tile(np.arange(15.0), (len(deals), 1))
        found = DiscardValues.of(points, points, dealer, np.zeros_like(points))
        if scores is not None:
            known = (scores >= 0).all(axis=1)[:, None]
            win = np.where(known, (scores[:, :1] + 1) / 122 - points / 100, np.nan)
            found = found.with_outcomes(Outcomes.of_nested(win))
        if report is not None:
            report(len(deals))
        return ValuesGivenStarter(found, np.full_like(points, np.nan))

    monkeypatch.setattr("cribev.evaluation.plan.exact_values", values)


def frame_of(score, **columns):
    return pd.DataFrame({"cards": HAND, "role": "dealer", "score": score, **columns})


def written(*rows, head="cards,role,score"):
    Path("in.csv").write_text("\n".join([head, *rows]) + "\n")


def told(table):
    """What is read of a file, empty text as text."""
    return table.assign(win_method=table["win_method"].fillna(""))


def test_a_file_with_scores_is_as_advised():
    rows = f"{OTHER},dealer,118*-112,x", f"{HAND},pone,,y", "5 5 J Q 2 8,pone,,z"
    written(*rows, head="cards,role,Score,note")
    advice = advise(OTHER, role="dealer", score=(118, 112))
    table = evaluate(read_table("in.csv")).rename(columns={"Score": "score"})
    bare = evaluate(read_table("in.csv"), score=False)
    assert table["best_discard"].tolist() == [advice.best.discard, *bare["best_discard"][1:]]
    assert table["best_discard"][0] != bare["best_discard"][0]
    assert table["margin"][0] < 0
    assert table["win"].isna().tolist() == [False, True, True]
    assert table["win"][0] == pytest.approx(advice.best.win, abs=1e-12)
    for form in ("csv", "parquet"):
        found = batched("in.csv", f"out.{form}")
        assert list(found) == ["cards", "role", "score", "note", *WITH_WIN]
        pd.testing.assert_frame_equal(
            told(found).drop(columns="score"), table.drop(columns="score"),
            atol=5.1e-7, check_dtype=False,
        )  # fmt: skip
    assert ",-1.902344,,,6." in Path("out.csv").read_text().splitlines()[2]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("source", "form"), [("csv", "jsonl"), ("jsonl", "parquet"), ("parquet", "csv"), ("tsv", "csv")]
)
def test_scores_in_every_format(source, form):
    more = ["--every-discard"] * (form == "jsonl")
    both = {"score": [95, None, 0], "opponent_score": [110, None, 120]}
    for columns in ({"score": ["95*-110.0", "", "0.0-120"]}, both):
        frame = frame_of(**columns)
        table = evaluate(frame, every_discard=bool(more)).reset_index(drop=True)
        unknown = table["win"].isna()
        assert unknown.sum() * 3 == len(table)
        if source == "parquet":
            frame.to_parquet("in.parquet")
        elif source == "jsonl":
            frame.to_json("in.jsonl", orient="records", lines=True)
        else:
            frame.to_csv(f"in.{source}", index=False, sep="," if source == "csv" else "\t")
        best = batched(f"in.{source}", f"out.{form}", "--chunk-rows", "2", *more)
        assert list(best) == list(table)
        pd.testing.assert_frame_equal(
            told(best).drop(columns=list(columns)), table.drop(columns=list(columns)),
            atol=5.1e-7, check_dtype=False, check_categorical=False,
        )  # fmt: skip


@pytest.mark.usefixtures("quick")
def test_every_discard_at_a_score_ranks_by_wins():
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
    for pair in (tuple, list, np.array):  # two numbers are a score
        found = evaluate(frame_of([pair([95, 110]), None]))
        pd.testing.assert_frame_equal(found.drop(columns="score"), best.drop(columns="score"))


BAD_SCORES = {
    "95-121": "column 'score', '95-121': nobody has more than 120 points",
    "A": "column 'score', 'A': expected a score, the player's first",
    "95-110*": "column 'score', '95-110*': the star is at the points of the opponent",
    "10-Apr": "column 'score', '10-Apr': a date, which a spreadsheet has made of a ",
    "45940": "column 'score', '45940': a date, which a spreadsheet has made of a ",
    "121,5": "column 'score', '121': expected points before the deal",
    "5,x": "column 'opponent_score', 'x': expected points before",
    "5,": "column 'score', '5': nothing in 'opponent_score' beside",
    ",5": "column 'opponent_score', '5': nothing in 'score' beside",
}


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("head", ["score", "score,opponent_score"])
def test_bad_scores_are_named_with_their_lines(head):
    reasons = {row: said for row, said in BAD_SCORES.items() if ("," in row) == ("," in head)}
    scores = ["9,5" if "," in head else "9-5", *reasons]
    written(*(f"{HAND},dealer,{score}" for score in scores), head=f"cards,role,{head}")
    first, *_ = reasons.values()
    assert refused("batch", "in.csv").startswith(f"'in.csv' line 3: {first}")
    with pytest.raises(CribevError, match=r"row 1 \(index 1\): column "):
        evaluate(read_table("in.csv"))
    assert len(batched("in.csv", "out.csv", "--errors", "skip")) == 1
    rejected = read_table("out.csv.rejects.csv")
    assert rejected["line"].tolist() == [*range(3, 3 + len(reasons))]
    for told, reason in zip(rejected["reason"], reasons.values(), strict=True):
        assert told.startswith(reason)


@pytest.mark.usefixtures("quick")
def test_a_score_that_is_none_is_told_of(capsys):
    for score, said in (("95;110", True), ("95", True), ("", False)):
        written(f"AH 2C 7D 9S JH QC,pone,{score}")
        assert main(["batch", "in.csv"]) == 0
        note = f"cribev: column 'score', '{score}': no row has a score such as 95-110, so rows are"
        assert capsys.readouterr().err.startswith(note) is said


@pytest.mark.parametrize("scores", [["A+", ""], [12.5, None], [95, 110], [None, None]])
def test_a_column_of_ones_own_is_carried_along(scores):
    frame = frame_of(scores)
    frame.to_csv("in.csv", index=False)
    noted = nullcontext() if scores[0] is None else pytest.warns(match="no row has a score such as")
    with noted:
        best = evaluate(frame)
    assert list(best) == [*frame, *ADDED]
    pd.testing.assert_series_equal(best["score"], frame["score"])
    assert list(meta(frame)) == list(best)
    written(f"{HAND},dealer,{scores[0]}", head="cards,role,SCORE")
    assert list(batched("in.csv", "out.csv")) == ["cards", "role", "score", *ADDED]


def test_the_show_alone_leaves_scores_alone():
    frame = frame_of(["95-110", "x"], opponent_score=[1, "y"], win=0)
    best = evaluate(frame, play=False)
    assert list(best) == [*frame, *(name for name in ADDED if name != "play_mean")]
    frame.to_csv("in.csv", index=False)
    assert list(batched("in.csv", "out.csv", "--show-only")) == list(best)
    assert list(evaluate(frame.drop(columns="win"), score=False))[-len(ADDED) :] == ADDED


@pytest.mark.usefixtures("quick")
def test_the_first_score_may_come_late(monkeypatch):
    none, some = f"{HAND},dealer,", f"{HAND},dealer,9-5"
    written(none, none, none, some)
    command = ["batch", "in.csv", "-o", "out.csv", "--chunk-rows", "1", "--force"]
    assert main(command) == 0
    assert read_table("out.csv")["win"].notna().tolist() == [False, False, False, True]
    monkeypatch.setattr("cribev.batch.stream.CHUNK_ROWS", 3)
    late = "'in.csv' line 5 and on: column 'score' holds a score, and none in the first 3 rows: "
    assert refused(*command).startswith(late)
    written(none, none, none, none)
    assert main(command) == 0
    assert "win" not in read_table("out.csv")


@pytest.mark.usefixtures("quick")
def test_what_dask_is_told_is_what_comes():
    class Frame:  # as much of a Dask frame as is looked at
        def __init__(self, frame):
            self._meta = frame.iloc[:0]

    text = frame_of(["9-5", ""])
    numbers = frame_of([9, 9], opponent_score=[5, 5])
    for frame, options in ((text, {"score": True}), (numbers, {}), (text, {"score": False})):
        best = evaluate(frame, **options)
        empty = meta(Frame(frame), **options)
        pd.testing.assert_frame_equal(empty, best.iloc[:0], check_index_type=False)
        pd.testing.assert_frame_equal(meta(frame, **options), empty)
    assert "win" in meta(text)
    assert evaluate(frame_of(["", ""]), score=True)["win"].isna().all()
    with pytest.raises(CribevError, match="a column 'score': say score=True if it holds the score"):
        meta(Frame(text))


@pytest.mark.usefixtures("quick")
def test_scores_of_arrays():
    deals = np.sort(parse_cards([HAND, OTHER, HAND], count=6), axis=1)
    each = evaluate_deals(deals, role="pone", score=[[95, 110], [-1, -1], [120, 0]])
    same = evaluate_deals(deals, role="pone", score="95-110")
    none = evaluate_deals(deals, role="pone")
    assert np.isnan(each.win).tolist() == [False, True, False]
    assert each.win[0] == same.win[0] < each.win[2]
    assert none.win is None
    assert each.expected[1] == none.expected[1]
    assert each.margin[1] == pytest.approx(none.margin[1], abs=1e-12)
    unknown = evaluate_deals(deals, role="pone", score=np.full((3, 2), -1))
    assert np.isnan(unknown.win).all()
    assert (unknown.expected == none.expected).all()


def test_one_score_for_all_rows():
    frame = frame_of(["119-118"] * 2)
    best, bare = evaluate(frame).drop(columns="score"), frame.drop(columns="score")
    for score in ("119 : 118", (119, 118)):
        pd.testing.assert_frame_equal(evaluate(bare, score=score), best)
    with pytest.raises(CribevError, match=r"a column 'score', and .* for all rows too: choose one"):
        evaluate(frame, score="119-118")
    with pytest.raises(CribevError, match="the star is at the points of the player"):
        evaluate([HAND], role="pone", score="119*-118")
    with pytest.raises(CribevError, match="leave out one of the two"):
        evaluate(bare, score="119-118", play=False)


@pytest.mark.slow
def test_many_deals_are_evaluated_as_few_are():
    often = np.random.default_rng(8).random((13, 13))
    opponent = Frequencies("new", {"dealer": often + often.T, "pone": often + often.T})
    deals = cribev.random_hands(1_000_000, seed=8)
    few = evaluate_deals(deals[:20_000], role="pone", opponent=opponent)
    many = evaluate_deals(deals, role="pone", opponent=opponent)
    first = many.to_frame().head(len(few.margin))
    pd.testing.assert_frame_equal(few.to_frame(), first, check_exact=True)


@pytest.mark.parametrize("options", [{}, {"score": (60, 40), "stakes": "acc"}])
def test_arrays_of_every_discard_equal_the_table(options):
    number = 2 if options else 12  # each takes a quarter of a second at a score
    deals, rows = cribev.random_hands(number, seed=5), np.arange(number)
    role = np.where(rows % 2, "dealer", "pone")
    every = evaluate_deals(deals, role=role, every_discard=True, **options)
    best = evaluate_deals(deals, role=role, **options)
    assert every.discard.shape == (number, 15, 2)
    assert every.keep.shape == (number, 15, 4)
    first = every.rank.argmin(axis=1)
    np.testing.assert_array_equal(every.discard[rows, first], best.best_discard)
    for name in ("hand_mean", "crib_mean", "play_mean", "win", "value", "expected"):
        if (values := getattr(best, name)) is not None:
            np.testing.assert_allclose(getattr(every, name)[rows, first], values, atol=1e-12)
    frame = pd.DataFrame({"cards": format_cards(deals), "role": role}, index=rows)
    for found, more in ((every, {"every_discard": True}), (best, {})):
        table = evaluate(frame, **options, **more).drop(columns=["cards", "role"])
        pd.testing.assert_frame_equal(found.to_frame(), table, check_names=False, atol=1e-12)
    long = every.to_frame()
    assert repr(every) == f"<EveryDiscard of {number} deals>"
    points = long.groupby("deal")["expected"].transform("max")
    np.testing.assert_allclose(long["behind"], points - long["expected"])
    np.testing.assert_array_equal(np.sort(long["rank"]), np.sort(every.rank.ravel()))


def test_deals_may_stand_in_many_ways():
    import pyarrow

    deals = cribev.random_hands(20, seed=8)
    frame = pd.DataFrame({"cards": format_cards(deals), "role": "pone"})
    six = {f"c{place}": deals[:, place] for place in range(6)}
    lists = pyarrow.list_(pyarrow.string_view())
    views = pyarrow.array(frame["cards"].str.split(), lists)
    ways = {
        "array": (deals, {"role": "pone"}),
        "six": (frame.assign(**six), {"cards": [*six]}),
        "lists": (frame.assign(cards=frame["cards"].str.split()), {}),
        "numbers": (frame.assign(cards=deals.tolist()), {}),
        "arrow": (pyarrow.table(frame), {}),
        "mixed": ([*frame["cards"][:10], *frame["cards"][10:].str.split()], {"role": "pone"}),
        "column": (pyarrow.chunked_array([frame["cards"]]), {"role": "pone"}),
        "views": (pyarrow.table({"cards": views, "role": frame["role"]}), {}),  # as polars has
        "levels": (frame.assign(at=3).set_index(["cards", "role"]), {}),
        "headings": (frame.rename(columns={"cards": "Cards", "role": " ROLE "}), {}),
        "again": (evaluate(frame, opponent="uniform", provenance=True), {}),
    }
    best = evaluate(frame)[ADDED]
    for way, (table, options) in ways.items():
        read = evaluate(table, **options)[ADDED].reset_index(drop=True)
        pd.testing.assert_frame_equal(read, best, obj=way)


@pytest.mark.parametrize("every", [False, True])
def test_bad_rows_are_skipped_or_null_and_reported(every):
    frame = dealt(6).set_index("game")
    good = evaluate(frame.drop([10, 50]), every_discard=every)
    frame.loc[10, "cards"], frame.loc[50, "role"] = "5H 5D", "nobody"
    skipped = evaluate(frame, every_discard=every, errors="skip")
    pd.testing.assert_frame_equal(pd.DataFrame(skipped), good)
    kept = evaluate(frame, every_discard=every, errors="null")
    assert kept.index.drop_duplicates().tolist() == frame.index.tolist()
    assert kept.loc[[10, 50], "expected"].isna().all()
    assert kept.loc[[10, 50], "hand_min"].isna().all()
    assert kept.loc[10, "cards"] == "5H 5D"
    plain = pd.DataFrame(kept.drop([10, 50]).drop(columns="reason"))
    pd.testing.assert_frame_equal(plain, good, check_dtype=False)
    whole = evaluate(dealt(3), every_discard=every, errors="null")
    assert whole.dtypes.astype(str).to_dict() == kept.reset_index().dtypes.astype(str).to_dict()
    assert whole.rejects.dtypes.tolist() == kept.rejects.dtypes.tolist()
    for found in (skipped, kept):
        rejects = found.rejects
        assert rejects.index.tolist() == [10, 50]
        assert rejects["row"].tolist() == [1, 5]
        assert rejects["reason"].str.contains("'5H 5D'|'nobody'").all()
    with pytest.raises(CribevError, match=r"^row 1 \(index 10\): expected 6 cards"):
        evaluate(frame, every_discard=every)
    with pytest.raises(CribevError, match="errors='ignore': expected raise, skip, null"):
        evaluate(frame, errors="ignore")
    assert evaluate(["5H"], role="pone", errors="skip").rejects["row"].tolist() == [0]


def test_methods_of_pandas_keep_the_rejects():
    frame = dealt(4)
    frame.loc[1, "cards"] = "5H 5D"
    notes = pd.DataFrame({"game": [0, 10], "note": ["a", "b"]})
    for errors in ("skip", "null"):
        found = evaluate(frame, every_discard=errors == "null", errors=errors)
        for made in (
            found.copy(), found.query("game == 0"), found.head(1), found.assign(seen=True),
            found.merge(notes, on="game"), found.join(notes[["note"]]), found.round(2),
            found.sort_values("expected"), found[["cards"]], pickle.loads(pickle.dumps(found)),
        ):  # fmt: skip
            pd.testing.assert_frame_equal(made.rejects, found.rejects)
        assert pd.concat([found, found]).rejects["row"].tolist() == [1, 1]
    reasons = found.drop_duplicates("game")["reason"]
    assert reasons.tolist() == [reasons[0], "expected 6 cards, got 2 in '5H 5D'", *reasons[2:]]
    assert reasons.isna().sum() == 3
    with pytest.raises(CribevError, match="there is a column 'reason' already"):
        evaluate(frame.assign(reason=""), errors="null")


def test_columns_of_an_earlier_evaluation_are_replaced():
    frame = dealt(3).assign(reason="mine")
    best, every = evaluate(frame), evaluate(frame, every_discard=True)
    first = every[every["rank"] == 1]
    ahead = frame[["reason", "cards", "role"]]  # of which the last column is a margin
    for former in (best, first, evaluate(dealt(3), errors="null"), evaluate(ahead)):
        own = frame[[name for name in former if name in frame]]
        own = own if "mine" in former.to_numpy() else dealt(3)
        for more in (False, True):
            found = evaluate(former, every_discard=more)
            assert type(found) is pd.DataFrame  # it has no rejects, whatever those before were
            pd.testing.assert_frame_equal(found, evaluate(own, every_discard=more))
    said = "column 'rank', '2': rows are all discards of an earlier evaluation: keep one for each"
    for more in (False, True):
        with pytest.raises(CribevError, match=said):
            evaluate(every, every_discard=more)
    every.to_csv("in.csv", index=False)
    assert refused("batch", "in.csv").startswith(f"'in.csv': {said}")


def test_opponent_and_stakes_columns_are_refused():
    import json

    import pyarrow.parquet

    frame = dealt(3)
    for name, more in (("opponent", {}), (" Opponent", {}), ("stakes", {"score": "10-20*"})):
        said = frame.drop(columns="role") if more else frame
        with pytest.raises(CribevError, match=f"a column {name.strip().lower()!r} would stand"):
            evaluate(said.assign(**{name: "people"}), **more, **({"role": "pone"} if more else {}))
    assert "stakes" in evaluate(frame.assign(stakes="acc"))  # without scores nobody is skunked
    frame.to_csv("in.csv", index=False)
    told = {"opponent": "uniform", "cribev": cribev.__version__}
    made = batched("in.csv", "out.parquet", "--opponent", "uniform", "--provenance")
    assert made[[*told]].drop_duplicates().to_dict("records") == [told]
    assert json.loads(pyarrow.parquet.read_schema("out.parquet").metadata[b"cribev"]) == told
    # A second run replaces what the first added, and says it of itself.
    again = batched("out.parquet", "again.csv")
    pd.testing.assert_frame_equal(again, batched("in.csv", "other.csv"))
    frame.assign(opponent="Bob").to_csv("named.csv", index=False)
    assert refused("batch", "named.csv").startswith("'named.csv': a column 'opponent' would stand")
    frame.assign(cribev="mine").to_csv("named.csv", index=False)
    taken = "there is a column 'cribev' already: rename it"
    assert refused("batch", "named.csv", "--provenance") == f"'named.csv': {taken}"
    with pytest.raises(CribevError, match=taken):
        evaluate(frame.assign(cribev="mine"), provenance=True)
    scored = evaluate(["5H 5D JS QC 2H 8D"], role="pone", score="119-118", provenance=True)
    assert scored[["opponent", "stakes"]].to_numpy().tolist() == [["expert", "win"]]


@pytest.mark.parametrize("options", [{}, {"score": "119-118"}, {"score": "85-89", "stakes": "acc"}])
def test_answers_lose_what_every_discard_is_behind(options):
    deals = dealt(2 if options else 6)  # a score takes long
    every = evaluate(deals, every_discard=True, **options)
    order = every.groupby("game").cumcount() == deals.index.repeat(15) * 3 % 15
    chosen = every[order].reset_index(drop=True)  # the best, and others
    found = evaluate(deals.assign(expected=chosen["discard"].astype(str)), **options)
    assert (found["agrees"] == (chosen["rank"] == 1)).all()
    np.testing.assert_allclose(found["loss"], chosen["behind"])
    assert ("win_loss" in found) == bool(options)
    if options:
        name = "value" if "stakes" in options else "win"
        best = every[name].groupby(every["game"]).max().to_numpy()
        np.testing.assert_allclose(found["win_loss"], best - chosen[name])
    plain = evaluate(deals, **options)
    columns = [*plain.columns[3:]]
    pd.testing.assert_frame_equal(found[columns], plain[columns])
    assert (found["answer"] == chosen["discard"].astype(str)).all()
    pd.testing.assert_frame_equal(evaluate(found, **options), found)
    by_name = evaluate(deals.assign(book=found["answer"]), answer="book", **options)
    assert list(by_name) == [name.replace("answer", "book") for name in found]


def test_answers_are_read_as_people_write_them(tmp_path):
    problems = tmp_path / "problems.csv"
    rows = "cards,role,Expected", f"{HAND},pone,J-q", f"{HAND},pone,", "5 5 J Q 2 8,dealer,8 2"
    problems.write_text("\n".join(rows))
    best = batched(str(problems), "best.csv")
    assert best["agrees"].tolist() == [False, False, True]
    assert best["loss"].isna().tolist() == [False, True, False]
    every = evaluate([HAND], role="pone", every_discard=True).set_index("discard")
    assert best["loss"][0] == pytest.approx(every["behind"]["JS QC"], abs=1e-6)
    for answer, said in (
        ("5 8", "column 'answer': '5' in '5 8' may be 5H or 5D: write its suit"),
        ("9 8", "column 'answer', '9 8': expected two of 5H 5D JS QC 2H 8D"),
        ("17.2", "column 'answer': invalid card '17.2'"),
    ):
        problems.write_text(f"cards,role,expected\n{HAND},pone,{answer}\n")
        assert said in refused("batch", str(problems))
    assert "choose one" in refused("batch", str(problems), "--answer", "x", "--every-discard")
    assert "no column 'x'" in refused("batch", str(problems), "--answer", "x")
