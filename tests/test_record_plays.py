"""Plays and scores in the record of a game."""

import re
from collections import Counter

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from games import kept, random_games, with_cell, with_play
from strategies import examples

from cribev import RecordError, parse_cards
from cribev.game.play import Play
from cribev.game.score import UNKNOWN
from cribev.reviews.record import as_record


@pytest.fixture(scope="module")
def game():
    """Four deals, both sides, every column: rows 2n and 2n + 1 are dealer and pone of a deal."""
    return with_play(random_games(1, deals=4, seed=5))


def told(record):
    columns = ["pegged", "opponent_pegged", "play", "score"]
    return record.frame[columns].astype(object).to_dict(orient="records")


def test_points_follow_from_the_play(game):
    wanted = game[["pegged", "opponent_pegged"]].to_numpy().tolist()
    points = as_record(game.drop(columns="play"))
    untold = as_record(game.drop(columns=["pegged", "opponent_pegged"]))
    for record in (as_record(game), untold, points):
        assert record.pegged.tolist() == wanted
    assert set(points.frame["play"]) == {""}


@examples(8, 40, st.integers(0, 10**6))
def test_the_play_of_one_side_says_what_the_other_kept(seed):
    games = with_play(random_games(1, deals=2, seed=seed), seed=seed)
    whole = as_record(games)
    for part in (games[games["player"] == "Ann"], games[games["player"] == "Ben"]):
        own = as_record(part.drop(columns=["pegged", "opponent_pegged", "opponent_discard"]))
        assert own.pegged.tolist() == whole.pegged[part.index].tolist()
        assert told(own) == [told(whole)[row] for row in part.index]
        again = as_record(own.frame)
        pd.testing.assert_frame_equal(again.frame, own.frame)


@examples(12, 60, st.integers(0, 10**6), st.data())
def test_a_play_of_other_cards_is_found_out(seed, data):
    games = with_play(random_games(1, deals=1, seed=seed), seed=seed)
    ranks = games.loc[0, "play"].split()
    at = data.draw(st.integers(0, 7))
    rank = data.draw(st.sampled_from([rank for rank in "A23456789TJQK" if rank != ranks[at]]))
    text = " ".join([*ranks[:at], rank, *ranks[at + 1 :]])
    both = games.assign(play=text).drop(columns=["pegged", "opponent_pegged"])
    with pytest.raises(RecordError, match=r"^game '1', deal 1, column 'play', '"):
        as_record(both)
    # Of one side it may be the other's card that is another, if there are enough of its rank.
    missing = Counter("A23456789TJQK"[rank] for rank in kept(games.loc[0]))
    if missing - Counter(text.split()):
        with pytest.raises(RecordError, match="was kept, and is not laid"):
            as_record(both.iloc[[0]])


def one_deal(play, *, role="pone", **others):
    cards = {"pone": ("9D TC AC 5H KD QD", "KD QD"), "dealer": ("TD KC 4C 3C 7S 7H", "7S 7H")}
    dealt, thrown = cards[role]
    row = {"game": 1, "deal": 1, "player": role, "role": role, "cards": dealt, "discard": thrown}
    return pd.DataFrame([{**row, "play": play, **others}])


def test_the_rules_are_kept():
    laid = "T T 9 A 4 5 K 3"
    for text in (laid, "TC TD 9D go AC / 4C 5H KC 3C", "T T (20-2) 9 go A (30-1) / 4 5 K 3 22-1"):
        for role, points in (("pone", [1, 3]), ("dealer", [3, 1])):
            record = as_record(one_deal(text, role=role))
            assert record.pegged.tolist() == [points]
            ranks = re.sub("([A-Z0-9])[CDHS]", r"\1", record.frame.loc[0, "play"])
            assert ranks == "T T 9 go A go 4 5 K 3"
    assert record.frame.loc[0, "play"] == "T T 9 go A go 4 5 K 3"
    suited = as_record(one_deal("TC TD 9D go AC / 4C 5H KC 3C")).frame.loc[0, "play"]
    assert suited == "TC TD 9D go AC go 4C 5H KC 3C"
    with pytest.raises(RecordError, match="there are five Ks with the other cards of this deal"):
        as_record(one_deal("T K 9 A K K 5 K", starter="2C"))
    for text, said in {
        "T T 9 A 4 5 K": "'4', character 9: 4 does not fit a count of 30, and the A that pone kept "
        "does: expected a go wherever one cannot lay",
        "T T 9 A 4 6 K 3": "5 was kept, and is not laid",
    }.items():
        with pytest.raises(RecordError) as caught:
            as_record(one_deal(text))
        assert str(caught.value) == f"game '1', deal 1, column 'play', '{text}': {said}"

    def told(laid, kept):
        return Play.parse(laid, {"dealer": parse_cards(kept).tolist()})

    with pytest.raises(RecordError, match="fit a count of 24, and the 5 that dealer kept does"):
        told("K 5 9 Q", "5C 5D JC QC")
    assert told("K J 9 Q", "TC JC JD QC").points["pone"] == 1


def test_suits_that_are_written_are_held_to_the_cards():
    own = "TC TD 9D AC 4C 5H KC 3C"
    assert as_record(one_deal(own)).pegged.tolist() == [[1, 3]]
    for text, said in {
        "TC TD 9D AC 4C 5H KD 3C": "KD is laid, and was thrown to the crib",
        "TC TD 9D AC 4C 5H KC 3S": "3S is laid, and was thrown to the crib",
        "TC TD 9D AC 4H 5H KC 3C": "4H is laid, and is the starter",
        "TC TD 9D AH 4C 5H KC 3C": "pone lays AH, and kept AC 5H 9D TC",
    }.items():
        with pytest.raises(RecordError) as caught:
            as_record(one_deal(text, starter="4H", opponent_discard="3S 7H"))
        assert str(caught.value) == f"game '1', deal 1, column 'play', '{text}': {said}"
    both = pd.concat([one_deal(own), one_deal(own, role="dealer", player="Ann")])
    assert as_record(both).pegged.tolist() == [[1, 3], [3, 1]]
    with pytest.raises(RecordError, match="dealer lays 3D, and kept 3C 4C TD KC"):
        as_record(both.assign(play=own.replace("3C", "3D")))
    with pytest.raises(RecordError, match="dealer lays TC, which pone kept"):
        as_record(one_deal("T TC 9D AC 4C 5H KC 3C"))


def test_only_the_last_play_may_break_off(game):
    short = game.assign(play=[" ".join(text.split()[:4]) for text in game["play"]])
    said = r"deal {}, column 'play'.*: the play ends before all cards are laid"
    with pytest.raises(RecordError, match=said.format(1)):
        as_record(short.drop(columns=["pegged", "opponent_pegged"]))
    points = game.drop(columns=["pegged", "opponent_pegged"])
    last = points.assign(play=points["play"].where(points["deal"] < 4, short["play"]))
    for wrong in (last, last.iloc[-1:]):
        for one in (wrong, wrong.drop(columns="score")):
            with pytest.raises(RecordError, match=said.format(4)):
                as_record(one)
    alone = last.iloc[-1:].drop(columns=["score", "starter"])
    assert as_record(alone.assign(score_after="121-60")).frame["score_after"].tolist() == ["121-60"]
    pegged = as_record(alone.assign(score_after="121-60")).pegged.tolist()
    out = [121 - points for points in pegged[0]]
    as_record(alone.assign(score=f"{min(out[0], 120)}-{min(out[1], 120)}"))
    with pytest.raises(RecordError, match=said.format(4)):
        as_record(alone.assign(score=f"{out[0] - 3}-{out[1] - 3}"))


def test_a_play_that_ends_the_game_may_break_off_or_end_with_a_go_that_is_understood():
    ending = with_play(random_games(1, deals=4, seed=5), seed=3, start={"Ann": 119, "Ben": 119})
    last = ending.drop(columns=["pegged", "opponent_pegged"])
    assert len(last["play"].iloc[-1].replace(" go", "").split()) < 8
    record = as_record(last)
    assert record.pegged[-1].tolist() == record.pegged[-2, ::-1].tolist()
    # What is completed is understood again, of one side too.
    own = as_record(record.take(record.rows_of("Ann")).frame)
    assert told(own) == [told(record)[row] for row in record.rows_of("Ann")]
    deal = {"game": 1, "deal": 1, "starter": "TH", "play": "QD KH 4S 5D TS JD JC"}
    ben = {"player": "Ben", "role": "dealer", "cards": "6C 5D 7H KH 9C JD", "discard": "7H 9C"}
    ann = {"player": "Ann", "role": "pone", "cards": "6H 8S JC 4S TS QD", "discard": "6H 8S"}
    frame = pd.DataFrame([{**deal, **ben, "score": "93-118"}, {**deal, **ann, "score": "118-93"}])
    record = as_record(frame)  # a pair and a go are three, for his six does not fit
    assert record.pegged.tolist() == [[1, 3], [3, 1]]
    assert record.frame["score_after"].tolist() == ["94-121", "121-94"]
    # One side alone does not know what the other has left.
    with pytest.raises(RecordError, match="expected the last go if there is one"):
        as_record(frame.iloc[1:])
    own = as_record(frame.iloc[1:].assign(play=deal["play"] + " go"))
    assert own.pegged.tolist() == [[3, 1]]


@pytest.mark.parametrize(("told", "score", "right"), [
    *((told, "117-94", told in (4, 5, 6)) for told in (3, 4, 5, 6, 7)),
    *((told, "115-94", told == 6) for told in (5, 6)),
    *((told, "110-94", told == 6) for told in (5, 6)),
    *((told, "", told == 6) for told in (4, 6)),
])  # fmt: skip
def test_what_is_pegged_may_be_counted_to_the_end_of_the_game(told, score, right):
    frame = pd.DataFrame(
        {"game": [17], "deal": 11, "player": "Ann", "role": "dealer", "discard": "2H KC"}
        | {"cards": "2H 7S TD 9S JD KC", "starter": "QD", "opponent_discard": "9C 2C"}
        | {"pegged": told, "play": "4C 9S 5H TD 5S JD 7C 7S", "score": score}
    )
    if right:
        assert as_record(frame).pegged.tolist() == [[6, 0]]
    else:
        with pytest.raises(RecordError, match=r"column 'pegged', .*: by the play it is 6"):
            as_record(frame)


def test_what_is_completed_is_read_again_where_a_later_score_speaks_against_it(game):
    bare = game.assign(score="")
    over = with_cell(bare, 0, "score", "119-119")
    falls = with_cell(with_cell(bare, 0, "score", "60-60"), len(game) - 1, "score", "60-60")
    for frame, note in (
        (over, "game 1, deal 1: by the cards it is the last, and there are more"),
        (falls, r"game 1, deal 1: by the cards it is \d+\*-\d+, and a later score is less"),
    ):
        record = as_record(frame)
        assert re.match(note, record.notes[0])
        again = as_record(record.frame)
        pd.testing.assert_frame_equal(again.frame, record.frame)
        own = record.rows_of("Ann")
        alone = as_record(record.frame.iloc[own])
        assert (alone.scores == record.scores[own]).all()


@pytest.mark.parametrize(("points", "is_last"), [(120, False), (121, True)])
def test_a_deal_after_which_nobody_is_out_is_not_the_last(game, points, is_last):
    whole = as_record(game)
    own, other = (whole.scores_after - whole.scores)[0].tolist()
    score = f"{points - own}-{120 - other}"
    record = as_record(with_cell(game.assign(score=""), 0, "score", score))
    assert record.notes[0].startswith("game 1, deal 1:") is is_last
    assert (record.scores_after[0] == UNKNOWN).all() == is_last


def test_two_rows_tell_one_play_and_scores_in_one_form(game):
    turned = game.loc[3, "play"].split()[::-1]
    bare = game.drop(columns=["pegged", "opponent_pegged"])
    with pytest.raises(RecordError, match=r"deal 2, column 'play'"):
        as_record(with_cell(bare, 3, "play", turned))
    points = game.drop(columns="play")
    wrong = with_cell(points, 3, "pegged", points.loc[3, "pegged"] + 1)
    with pytest.raises(RecordError, match=r"deal 2, column .*pegged', '\d+': the other player's"):
        as_record(wrong)
    shown = game.drop(columns=["play", "pegged", "opponent_pegged"])
    bare = shown.assign(score=["0-0", "", "", "7-3", "", "", "19*-8", None])
    found = as_record(bare)
    scores = ["0*-0", "0-0*", "3*-7", "7-3*", "", "", "19*-8", "8-19*"]
    assert found.frame["score"].tolist() == scores
    assert found.frame["score_after"].tolist() == ["7-3", "3-7", "", "", "8-19", "19-8", "", ""]
    assert found.scores[2].tolist() == [3, 7]
    assert (found.scores[4] == UNKNOWN).all()
    with pytest.raises(RecordError, match=r"deal 1, column 'score'.*the other player's row"):
        as_record(with_cell(game, 1, "score", "0-1*"))


@examples(6, 30, st.integers(0, 10**6), st.sampled_from([0, 60, 100, 115]))
def test_one_score_is_enough_where_all_is_recorded(seed, start):
    game = with_play(random_games(1, seed=seed), seed=seed, start={"Ann": start, "Ben": start})
    whole = as_record(game)
    assert whole.notes == ()
    first = game["score"].where(game.index < 1, "")
    again = as_record(game.assign(score=first))
    pd.testing.assert_frame_equal(again.frame, whole.frame)
    assert (whole.scores != UNKNOWN).all()
    last = whole.frame[whole.frame["deal"] == whole.frame["deal"].max()]
    if len(whole.frame) < 16:
        assert last["score_after"].str.contains("121").all()
    # One side alone is told by the scores that were completed.
    own = as_record(whole.take(whole.rows_of("Ben")).frame)
    assert (own.scores_after == whole.scores_after[whole.rows_of("Ben")]).all()


@examples(8, 40, st.integers(0, 10**6), st.sampled_from([0, 95, 110]), st.data())
def test_whatever_is_left_out_scores_are_completed_as_they_were(seed, start, data):
    game = with_play(random_games(1, seed=seed), seed=seed, start={"Ann": start, "Ben": start})
    whole = as_record(game)
    rng = np.random.default_rng(seed)
    share = data.draw(st.sampled_from([0.1, 0.4, 0.8]))
    bare = game.astype(object)
    for column in ("starter", "opponent_discard", "pegged", "opponent_pegged", "play", "score"):
        bare[column] = bare[column].where(rng.random(len(bare)) > share, None)
    # A play that breaks off says no more than its score does.
    bare["play"] = bare["play"].where(game["play"].str.count(r"\b[A-Z2-9]\b") == 8, None)
    left = np.flatnonzero(rng.random(len(bare)) > share / 2)
    if not left.size:
        return
    found = as_record(bare.iloc[left])
    assert found.notes == ()
    for points, were in ((found.scores, whole.scores), (found.scores_after, whole.scores_after)):
        assert ((points == were[left]) | (points == UNKNOWN)).all()


def test_scores_that_cannot_be(game):
    still = game.loc[2, "score"].replace("*", "")
    for row, column, value, said in (
        (4, "score", "3*-0", "game '1', deal 3, column 'score', '3*-0': less than before: a"),
        (2, "score_after", still, f"deal 2, column 'score_after', '{still}': the next deal has"),
        (0, "score_after", "121-60", "deal 2, column 'deal', '2': the game was over with the deal"),
        (0, "score_after", "121-121", "expected a score, the player's first, at most one of them"),
        (0, "score_after", "60", "expected a score, the player's first, at most one of them"),
    ):
        bare = game if column in game else game.assign(score_after="")
        if row == 4:
            bare = with_cell(bare, 5, "score", "")
        with pytest.raises(RecordError) as caught:
            as_record(with_cell(bare, row, column, value))
        assert said in str(caught.value)


def test_a_score_that_moves_or_ends_otherwise_than_the_cards_is_told_of(game):
    own, theirs = map(int, game.loc[2, "score"].replace("*", "").split("-"))
    mine, others = map(int, as_record(game).frame.loc[2, "score_after"].split("-"))
    moved = game.copy()
    for row, player in moved["player"][4:].items():
        of_ben = r"^\d+" if player == "Ben" else r"(?<=-)\d+"
        score = re.sub(of_ben, lambda points: str(int(points[0]) + 2), moved.loc[row, "score"])
        moved.loc[row, "score"] = score
    assert moved.loc[2, "player"] == "Ben"
    told = f"dealer scores {mine - own + 2}, and {mine - own} by the cards"
    assert as_record(moved).notes == (f"game 1, deal 2: {told}",)
    assert others >= theirs
    ended = with_play(random_games(1, deals=4, seed=5), seed=3, start={"Ann": 100, "Ben": 110})
    record = as_record(ended)
    last = record.frame.iloc[-1]
    assert "121" in last["score_after"]
    turned = "120-121" if last["score_after"].startswith("121") else "121-120"
    bare, at = ended.assign(score_after=""), len(ended) - 1
    found = as_record(with_cell(bare, at, "score_after", turned))
    assert [note.split(": ")[1][:16] for note in found.notes] == ["by the cards it "]
    silent = game.drop(columns=["play", "pegged", "opponent_pegged"])
    assert as_record(silent).frame["score_after"].iloc[-1] == ""
