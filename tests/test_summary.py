"""The sentence at the end of a game, in Python, in a terminal and on a page, and its charts."""

import re

import pandas as pd
import pytest
from games import random_games, with_play

from cribev import review
from cribev.reviews.page import review_html

HTML = re.compile(r"<[^>]*>")


@pytest.fixture(scope="module")
def played():
    """A game to its end, which is near when it begins."""
    start = {"Ann": 75, "Ben": 106}
    return review(with_play(random_games(1, deals=4, seed=3), seed=1, start=start))


def test_a_game_ends_with_one_sentence_that_adds_up(played):
    own, score = played.players.iloc[0], played.record.scores_after[-1].tolist()
    said = played.summary("Ann")
    found = re.fullmatch(
        r"Ann (won|lost) (\d+)–(\d+)([a-z, ]*): errors cost ([\d.]+)% of the game, "
        r"luck (brought|cost) ([\d.]+)%,? (?:despite )?the opponent’s errors of ([\d.]+)%[a-z ]*.",
        said,
    )  # fmt: skip
    assert found, said
    points = [int(found[2]), int(found[3])]
    assert sorted(points) == sorted(score)
    assert (found[1] == "won") == (points[0] == 121)
    assert ("skunk" in found[4]) == (min(points) < 91)
    luck = float(found[7]) * (1 if found[6] == "brought" else -1)
    assert luck - float(found[5]) == pytest.approx(100 * own["win_change"], abs=0.11)
    other = played.players.iloc[1]
    errors = other["win_loss"] + other["win_play_lost"]
    assert float(found[8]) == pytest.approx(100 * errors, abs=0.051)
    worst = played.costliest(1, player="Ann")[0]
    for shown in (str(played), HTML.sub("", review_html(played))):
        assert " ".join(said.split()) in " ".join(shown.split())
        first = shown.partition("Study this first")[2]
        assert str(worst.position) in first[:800]


def test_every_card_that_was_a_choice_is_on_the_charts(played):
    page = review_html(played)
    cards = played.cards[(played.cards["choices"] > 1) & (played.cards["player"] == "Ann")]
    rows = played.decisions[played.decisions["player"] == "Ann"]
    section = page.partition('id="p2"')[0]
    chart = section.partition('class="wins"')[2].partition("</svg>")[0]
    assert chart.count('class="dot ') == len(cards) + len(rows)
    bars = section.partition("Lost by each discard and card")[2].partition("</svg>")[0]
    lost = (cards["loss"] > 0).sum() + (rows["ev_loss"] > 0).sum()
    assert bars.count('class="bar ') == lost
    total = cards["loss"].sum() + rows["ev_loss"].sum()
    assert f'data-figure="lost">{total:.2f}<' in section


@pytest.mark.parametrize(
    ("games", "columns", "words"),
    [
        (1, ["score"], r"stood at \d+–\d+ after 8 deals: errors cost [\d.]+% of the game, luck "),
        (1, [], r"threw 8 hands: errors cost [\d.]+ points, luck (cost|brought) [\d.]+, the "),
        (3, [], r"threw 24 hands: errors cost [\d.]+ points, luck"),
        (12, ["score"], r"threw 96 hands: errors cost [\d.]+ games, luck (cost|brought) [\d.]+, "),
    ],
)
def test_the_sentence_says_what_is_known(games, columns, words):
    record = random_games(games, seed=2)
    if columns:
        record["score"] = ["0-0*" if role == "pone" else "0*-0" for role in record["role"]]
        record.loc[record["deal"].astype(int) > 1, "score"] = ""
        record = record.assign(pegged=0, opponent_pegged=0)
    found = review(record, fast=True)
    assert re.match(f"Ann {words}", found.summary("Ann")), found.summary("Ann")
    alone = found.of_player("Ann").summary("Ann")
    assert "luck and the opponent’s errors" in alone


@pytest.mark.slow
def test_each_player_is_told_of_their_own_games():
    """Whoever else plays in the record, and whether their scores are known."""
    games = [with_play(random_games(1, deals=2, seed=seed), seed=seed) for seed in (1, 2)]
    named = games[1].replace({"player": {"Ann": "Cy", "Ben": "Di"}}).assign(game="2", score="")
    alone, both = review(games[0]), review(pd.concat([games[0], named], ignore_index=True))
    shown = [" ".join(str(one).split()) for one in (alone, both)]
    for name in ("Ann", "Ben"):
        assert both.summary(name) == alone.summary(name)
        first = [one.partition(f"{name} stood")[2].partition("Study this")[2] for one in shown]
        assert first[0][:120] == first[1][:120] != ""
