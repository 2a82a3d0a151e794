"""What to mend first over all games: on the page of practice, and on the terminal."""

import json
import re
from datetime import date, timedelta

import numpy as np
import pytest
from games import random_games, with_play
from shell import good

from cribev import review
from cribev.advice.decisions import line_text
from cribev.app.games.clock import DAY_VARIABLE
from cribev.app.practice.mending import last_week, mending
from cribev.app.practice.session import grade_answer, summaries
from cribev.app.practice.store import save_decisions, stored_decisions
from cribev.game.cards import format_cards
from cribev.game.words import format_points
from cribev.leaks.groups import first_leaks, leak_text
from cribev.records.record import as_record

pytestmark = pytest.mark.usefixtures("folder")


def kept(store, record, player, **how):
    """Review a record, keep what a player chose, and return the review of that player."""
    found = review(record, **how)
    save_decisions(store, stored_decisions(found, player, record))
    return found.of_player(player)


def compared(table):
    """The figures of leaks by group."""
    return table.set_index("group")[
        ["decisions", "errors", "loss", "loss_se", "club_loss_mean"]
    ].sort_index()


@pytest.mark.slow
def test_discards_whose_crib_nobody_saw_are_practised(store):
    both = random_games(1, deals=8, seed=5, noise=1.0)
    alone = both[both["player"] == "Ben"].drop(
        columns=["opponent_discard", "play"], errors="ignore"
    )
    found = kept(store, as_record(alone), "Ben", fast=True)
    rows = store.read()
    assert [one.chosen for one in rows] == found.decisions["discard"].tolist()
    assert {(one.opponent, one.crib_swing) for one in rows} == {("", None)}
    answer = grade_answer(rows[0].problem, rows[0].chosen)
    assert answer.decision.loss == pytest.approx(rows[0].loss, abs=0.05)  # by the class tables
    cut, luck = format_cards([rows[0].problem.starter]), line_text(answer.luck)
    assert re.fullmatch(rf"cut {cut}: hand \d+; nobody saw the crib", luck)
    assert summaries([answer])[0].parts["lost"] == answer.decision.loss
    assert good("history", "--format", "csv")
    told = good("quiz", "--again", "--no-save", stdin=b"12\n" * 9)
    assert ("nobody saw the crib" in told, "nan" in told) == (True, False)
    kept(store, as_record(both), "Ben", fast=True)  # the same game, with both hands
    assert len(store.read()) == len(rows)


@pytest.mark.slow
def test_totals_over_games_match_the_review(store, ask, monkeypatch):
    record = as_record(random_games(26, deals=8, seed=5, noise=1.0))
    found = kept(store, record, "Ben", fast=True)
    save_decisions(store, stored_decisions(found, "Ben", record))  # the same games count once
    all_games = mending(store, store.read())
    assert (all_games.games, all_games.discards, all_games.cards) == (26, 208, 0)
    np.testing.assert_allclose(compared(all_games.table), compared(found.leaks))
    first = [(one["group"], leak_text(one)) for one in first_leaks(found.leaks)["Ben"]]
    assert all_games.first == first
    assert 1 <= len(first) <= 3
    told = " ".join(good("history").split())
    for number, (group, text) in enumerate(first, 1):
        assert f"{number}. {text} to practise: cribev quiz --leak {group}" in told
    assert "From 26 games, 208 discards and 0 cards with a choice." in told
    plain = json.loads(good("history", "--format", "json"))
    assert plain["mend"]["discards"] == plain["discards"]["decisions"] == 208
    page = ask("/practice")
    lines = page.words.partition("What to mend first")[2].partition("Discard from ten hands")[0]
    assert "Learn" not in page.words.partition("What to mend first")[0]
    for group, text in first:
        assert text.replace("-", "−").split(":")[0] in lines.replace("-", "−")
        assert f'href="/practice/again?leak={group}">Practise it' in page.text
    assert "discards 208" in page.words
    # A week later, three lines tell what to do, and stay as they are.
    assert last_week(store, store.read()) is None
    begins = date.fromisoformat(store.read()[-1].at[:10]) + timedelta(7)
    monkeypatch.setenv(DAY_VARIABLE, str(begins))
    week = last_week(store, store.read())
    each = format_points(found.decisions["loss"].sum() / 26)
    assert week.games == f"26 games last week, {each} points lost in each"
    assert (week.group, week.mend) == first[0]
    assert f'href="/practice/again?leak={week.group}">Ten problems on it' in ask("/practice").text
    assert good("history").startswith(f"This week: {week.games}.\n")
    monkeypatch.setenv(DAY_VARIABLE, str(begins + timedelta(7)))
    assert last_week(store, store.read()) is None


@pytest.mark.slow
def test_cards_are_counted_too(store):
    games = with_play(random_games(2, deals=1, seed=4, noise=3.0), seed=4)
    found = kept(store, as_record(games), "Ann")
    all_games = mending(store, store.read())
    chosen = int((found.cards["choices"] > 1).sum())
    assert (all_games.games, all_games.discards, all_games.cards) == (2, 2, chosen)
    own = found.leaks[found.leaks["decision"] == "card"]
    table = all_games.table[all_games.table["decision"] == "card"]
    np.testing.assert_allclose(compared(table), compared(own), atol=1e-9)
    store.clear()
    assert mending(store, store.read()) is None


def test_drill_puts_own_mistakes_first(store, ask):
    record = as_record(random_games(3, deals=8, seed=5, noise=3.0))
    found = kept(store, record, "Ben", fast=True)
    group = found.leaks[found.leaks["kind"] == "pair"]["group"].iloc[0]
    address = ask(f"/practice/again?leak={group}").headers["Location"]
    own = address.partition("again=")[2].count(".") + 1
    assert "seed=" in address
    assert own >= 1
    page = ask(address)
    assert (
        f"Hand 1 of 10: {found.leaks.set_index('group').loc[group, 'words']}, again" in page.words
    )
