"""People as opponents: who errs by habits is replied to, named everywhere, and found from games."""

import json
import math
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from games import random_games, with_play
from shell import HAND, good, printed, refused
from test_in_sight import ENDGAMES
from test_in_sight import asked as asked_of

from cribev import advise, advise_play, evaluate, fit_habits, play_values, review
from cribev.advice import levels
from cribev.advice.names import OPPONENTS, as_opponent
from cribev.advice.players import Level
from cribev.app.games.game import Game
from cribev.app.games.levels import decide
from cribev.app.games.records import game_table
from cribev.classes.canonical import classify_deals
from cribev.classes.class_tables import ClassTables
from cribev.errors import CribevError, TableError
from cribev.evaluation import against
from cribev.evaluation.by_habits import ByHabits, tables_against
from cribev.game.cards import PIP_VALUES, RANKS, SUITLESS_OFFSET, random_hands
from cribev.game.index_tables import KEEPS
from cribev.game.play import Play
from cribev.game.roles import ROLES
from cribev.opponents.habits import HABITS, LEVELS, PEOPLE
from cribev.opponents.people import HABIT_RANGES, habits_of, play_by_habits
from cribev.records.record import as_record
from cribev.solution.solution import shipped_strategy
from cribev.solution.strategy import GameSize, PublicNode, numbers_without_card
from cribev.values.counts import deal_outcomes
from cribev.values.holdings import Belief, kept_by_chance
from cribev.values.keeps import keeps_faced
from cribev.values.pegging import PlayTree
from cribev.values.replies import BestReply, reply_pegging

people = as_opponent("people")
DEALS = np.sort(random_hands(25, seed=47), axis=1)


def seen_by_hand(habits, played, rank, replies):
    """What a card seems worth, by the rules alone: points now, less what may be pegged on it."""

    def gained(play, card):
        steps = play.play(card + SUITLESS_OFFSET).steps
        (*_, last) = (step for step in steps if step.card is not None)
        return sum(peg.points for peg in last.pegs if peg.cards)

    play = Play.of([card + SUITLESS_OFFSET for card in played if card is not None])
    if None in played:  # the opponent has said go
        play, replies = play.go(), 0
    after = play.play(rank + SUITLESS_OFFSET)
    fits = [card for card in range(13) if after.count + PIP_VALUES[card] <= 31]
    danger = 0.0 if after.count in (0, 31) else sum(gained(after, card) for card in fits) / 13
    return (
        gained(play, rank)
        - habits.danger * replies * danger
        + habits.high * PIP_VALUES[rank]
        - habits.ace * (rank == 0)
    )


@pytest.mark.parametrize("name", ["people", "club"])
@pytest.mark.parametrize(
    ("played", "held"),
    [
        ((), (0, 3, 9, 12)),
        ((), (2, 2, 9, 9)),
        ((6, 2), (4, 4, 7)),
        ((6,), (0, 4, 6, 7)),
        ((6, 7, 4), (2, 5, 11)),
        ((9, 12, 8, None), (0, 1)),
    ],
)
def test_habits_play_by_what_they_see(name, played, held):
    habits = HABITS[name]
    strategy = play_by_habits(name, habits)
    node = strategy.node(played)
    ranks = sorted(set(held))
    seen = np.array([seen_by_hand(habits, played, rank, int(node.other_left)) for rank in ranks])
    seen += [habits.pairs * (not played and held.count(rank) > 1) for rank in ranks]
    weights = np.exp(seen / habits.cards)
    expected = dict(zip(ranks, weights / weights.sum(), strict=True))
    found = strategy.choices(node, held)
    assert {rank: found[rank] for rank in ranks} == pytest.approx(expected, abs=1e-5)
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("cards", HABIT_RANGES["cards"])
@pytest.mark.parametrize(
    "more", [{}, {name: HABIT_RANGES[name][1] for name in ("danger", "high", "ace")}]
)
def test_no_hand_is_lost_at_any_temperature(cards, more):
    habits = PEOPLE._replace(cards=cards, **more)
    strategy = play_by_habits("anybody", habits)
    states, size = np.arange(0, len(strategy.fits), 97), strategy.size
    for left in (2, 3, 4):
        held = size.holdings(left)
        rests = numbers_without_card(size, left)
        found = strategy.policies(PublicNode(states, 0, 0, np.int64(left), 3, 0))
        every = found[:, np.arange(13), np.maximum(rests, 0)] * (rests >= 0)
        some_fit = held[:, 0] < strategy.fits[states][:, None]
        assert np.allclose(every.sum(axis=2), some_fit, atol=1e-5)


def test_level_plays_as_its_opponent_model():
    options = advise_play("A 5 7 8", role="dealer", played="7").options
    strategy = play_by_habits("casual", LEVELS["casual"])
    chances = strategy.choices(strategy.node([6]), [0, 4, 6, 7])
    assert Level("casual").chances(options) == pytest.approx(chances[[0, 4, 6, 7]])


def test_expert_play_habits_leave_expert_unchanged():
    strong = as_opponent("strong").play.strategy()
    assert (strong.name, shipped_strategy().name) == ("strong", "expert")
    assert (pickle.loads(pickle.dumps(strong))).name == "strong"
    experts = shipped_strategy().choices(shipped_strategy().root, [0, 3, 9, 12])
    assert strong.choices(strong.root, [0, 3, 9, 12]) == pytest.approx(experts)


@pytest.mark.parametrize("role", ROLES)
def test_best_response_matches_tree_and_beats_expert(role):
    kept = people.discards.keeps(role)
    assert kept.share.sum(axis=1) == pytest.approx(1)
    strategy, six = people.play.strategy(), DEALS[0] >> 2
    hands = np.unique(np.sort(six[KEEPS], axis=1), axis=0)
    chance = kept_by_chance(np.bincount(six, minlength=13), kept)
    reply, belief = BestReply(hands, role, chance, strategy), Belief(4, chance, 0, explained=True)
    known = {"belief": belief, "opponent": strategy}
    replied, by_expert = (
        PlayTree([], role, hands, own=own, **known).values  # noqa: PD011
        for own in (reply, shipped_strategy())
    )
    assert replied == pytest.approx(reply.points, abs=1e-12)
    gain = (replied - by_expert) @ [1, -1]
    assert (gain > -1e-12).all()
    assert gain.mean() > 0.05
    if role == "pone":
        played = reply.choices(reply.root, hands[0].tolist())
        assert sorted(played.tolist())[-2:] == [0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_tables_against_people_are_near_what_is_exact(role):
    tables = ClassTables(people.crib_averages(role), role).values(*classify_deals(DEALS))
    exact = [deal_outcomes(deal, role, people) for deal in DEALS]
    cribs = tables.crib - np.array([one.cribs.mean for one in exact])
    assert np.sqrt((cribs**2).mean()) < 0.003
    assert abs(cribs).max() < 0.03
    pegged = np.array([reply_pegging(deal, role, people).net for deal in DEALS[:5]])
    off = tables.play[:5] - pegged
    assert np.sqrt((off**2).mean()) < 0.025
    assert abs(off).max() < 0.1
    assert off.mean() == pytest.approx(0, abs=0.015)


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_the_tables_shipped_are_what_their_command_makes(role):
    every = GameSize().holdings(4)
    some = every[:: len(every) // 15][:16]
    numbers = GameSize().holding_numbers(some)
    faced = keeps_faced(people, role, numbers)
    reply = BestReply(some, role, faced, people.play.strategy())
    kept = tables_against(people.discards)["statistics"][role]
    shipped = np.stack([kept.own, kept.opponent], axis=1)[numbers]
    assert reply.points == pytest.approx(shipped, abs=1e-4)


@pytest.mark.parametrize("row", ENDGAMES, ids=lambda row: row["id"])
def test_published_endgames_are_right_against_people(row):
    advice = asked_of(row, opponent="people", score=f"{row['yours']}-{row['theirs']}")
    if card := row["dominates"] or row["published"]:
        assert advice.best.card == card
        if row["source"] != "rules":
            first, second = advice.choices[:2]
            assert first.win > second.win


def test_differences_against_people_are_told_everywhere():
    advice = advise("AS 5C 6D 9H TS KS", role="pone")
    better, instead = advice.people
    assert instead.discard == advice.best.discard
    assert better.expected - instead.expected >= 0.05
    assert advice.against_people == (
        f"Against ordinary players discard {better.discard} instead: "
        f"{better.expected - instead.expected:.2f} better."
    )
    assert advice.against_people in str(advice)
    assert advice.to_dict(explain=True)["people"]["best"]["discard"] == better.discard.split()
    asked = printed("advise", advice.cards, f"--{advice.role}", "--explain")
    assert asked["people"]["text"] == advice.against_people
    ranks = advise("A 4 7 9 T K", role="pone")
    assert ranks.people is None or ranks.people.text


@pytest.fixture(scope="module")
def experts_best():
    """What the best discard and the best card bring against an expert."""
    return [advise(HAND, role="pone").best, advise_play("4H 5C JD JS", role="pone").best]


@pytest.mark.parametrize("name", OPPONENTS)
def test_every_opponent_is_named_alike(name, experts_best):
    assert as_opponent(name.upper()).name == name
    discards = advise(HAND, role="pone", opponent=name)
    card = advise_play("4H 5C JD JS", role="pone", opponent=name)
    assert discards.opponent == card.opponent == name
    assert str(discards).splitlines()[1].endswith(name) or name == "uniform"
    if as_opponent(name).is_replied_to:
        for advice, best in zip((discards, card), experts_best, strict=True):
            assert advice.best.expected > best.expected


@pytest.mark.slow
def test_batch_against_people_matches_single_answers():
    hands = ["5H 5D JS QC 2H 8D", "AH 2C 7D 9S JH QC", "4H 5S 6D 6C 9H KD"]
    table = pd.DataFrame({"cards": hands, "role": ["dealer", "pone", "pone"]})
    values = evaluate(table, opponent="people")
    for hand, role, row in zip(hands, table["role"], values.itertuples(), strict=True):
        single = advise(hand, role=role, opponent="people")
        assert row.best_discard == single.best.discard
        assert row.expected == pytest.approx(single.best.expected, abs=0.02)
    keep = play_values("2559", role="dealer", opponent="people")
    expert = play_values("2559", role="dealer")
    assert keep.play_mean > expert.play_mean + 0.2
    assert keep.chances.to_numpy().sum() == pytest.approx(1, abs=0.02)
    assert "against people" in good("tables", "play", "2559", "--opponent", "people")


def habits_file(tmp_path, **changes):
    numbers = {name: getattr(PEOPLE, name) for name in HABIT_RANGES}
    file = tmp_path / "ann.json"
    file.write_text(json.dumps({"name": "Ann", **numbers} | changes))
    return str(file)


def test_habits_are_read_from_a_file(tmp_path):
    for name in OPPONENTS:
        assert as_opponent(f" {name.title()} ").name == name
    file = habits_file(tmp_path)
    Path(file).write_bytes(b"\xef\xbb\xbf" + Path(file).read_bytes())
    assert as_opponent(file).discards.habits[2:] == PEOPLE._replace(feared=1.0)[2:]
    advice = advise_play("4H 5C JD JS", role="pone", opponent=file)
    same = advise_play("4H 5C JD JS", role="pone", opponent="people")
    assert advice.opponent == "Ann"
    pd.testing.assert_frame_equal(advice.table, same.table)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"cards": "much"}, "expected a number 'cards', got 'much'"),
        ({"discards": -1}, "discards is -1: expected 0.01 to 20"),
        ({"cards": math.nan}, "cards is nan: expected 0.01 to 20"),
        ({"crib": 10**400}, "crib is inf: expected -5 to 5"),
        ({"ace": True}, "expected a number 'ace', got True"),
        ({"name": 3}, "expected an object with a name and discards, cards"),
    ],
)
def test_invalid_habits_are_refused(tmp_path, changes, text):
    file = habits_file(tmp_path, **changes)
    with pytest.raises(TableError, match=text):
        as_opponent(file)
    assert text in refused("advise", HAND, "--opponent", file)


@pytest.fixture
def work_out(monkeypatch):
    """Stand in for what works tables out: it takes no time, and makes those against people."""
    stand_in = mock.Mock(return_value=tables_against(people.discards))
    monkeypatch.setattr(against, "work_out", stand_in)
    return stand_in


def asked(work_out):
    """The habits for which tables were worked out, by what the crib counts."""
    return [call.args[0].discards.habits.crib for call in work_out.call_args_list]


def obtain(crib):
    """Return the tables against one of certain habits, as another process would."""
    return tables_against.__wrapped__(ByHabits("Ann", PEOPLE._replace(crib=crib)))


def right(tables):
    pegging = tables_against(people.discards)["pegging"]
    return all(np.array_equal(tables["pegging"][role].own, pegging[role].own) for role in ROLES)


@pytest.mark.slow
@pytest.mark.usefixtures("cache", "work_out")
def test_review_against_person_compares_with_expert(tmp_path):
    person = as_opponent(habits_file(tmp_path, name="Ann"))
    assert pickle.loads(pickle.dumps(person)).name == "Ann"
    assert as_opponent(person.text) == person
    frame = {"game": 1, "deal": 1, "player": "Bob", "role": "pone"}
    frame |= {"cards": HAND, "discard": "2H 8D"}
    reviewed = review(pd.DataFrame([frame]), opponent=person)
    told = "That is against Ann: against an expert it is right."
    assert reviewed.turned(reviewed.mistake(0, None)) == told
    by_chance = review(pd.DataFrame([frame]), opponent="uniform")
    assert by_chance.turned(by_chance.mistake(0, None)) == ""


@pytest.mark.slow
def test_tables_are_worked_out_once_and_then_read(cache, work_out):
    assert right(obtain(0.25))
    (made,) = cache.glob("*.npz")
    os.utime(made, (1, 1))
    assert right(obtain(0.25))
    assert made.stat().st_mtime > 1  # used now
    assert asked(work_out) == [0.25]
    whole = made.read_bytes()
    assert right(obtain(0.5))
    (other,) = set(cache.glob("*.npz")) - {made}
    for content in (other.read_bytes(), whole[:-100], b""):  # of other habits, and damaged
        made.write_bytes(content)
        assert [right(obtain(0.25)) for _ in range(2)] == [True, True]
    assert asked(work_out) == [0.25, 0.5, 0.25, 0.25, 0.25]


@pytest.mark.usefixtures("cache")
def test_callers_wait_for_tables_in_the_making(monkeypatch, work_out):
    begun, go = threading.Event(), threading.Event()

    def slowly(person):
        begun.set()
        assert go.wait(60)
        return work_out(person)

    monkeypatch.setattr(against, "work_out", slowly)
    with ThreadPoolExecutor() as threads:
        first = threads.submit(obtain, 0.25)
        assert begun.wait(60)
        others = [threads.submit(obtain, 0.25) for _ in range(2)]
        assert not wait(others, 0.1).done
        go.set()
        assert all(right(caller.result(60)) for caller in (first, *others))
    assert asked(work_out) == [0.25]


@pytest.mark.usefixtures("cache", "work_out")
def test_killed_table_maker_is_reported_and_replaced(started, capfd):
    code = "from cribev.system.cache import one_at_a_time\n"
    code += "with one_at_a_time('habits.lock', doing='x'): print(flush=True), input()"
    other = started("-c", code)
    other.stdout.readline()
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(obtain, 0.25)
        assert not wait([waiting], 0.1).done
        other.kill()
        assert right(waiting.result(60))
    doing = "another process is working out the tables against habits: waiting"
    assert capfd.readouterr().err == f"cribev: {doing}\n"


def test_tables_cut_short_leave_nothing(cache, monkeypatch):
    monkeypatch.setattr(against, "work_out", mock.Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        obtain(0.25)
    assert [one.name for one in cache.iterdir()] == ["habits.lock"]


class DiscardsFives(Level):
    """Discards every five, and else as a level does."""

    def discard(self, deal, *, role, score):
        fives = [card for card in deal if card >> 2 == RANKS.index("5")]
        usual = super().discard(deal, role=role, score=score)
        return [*fives, *(card for card in usual if card not in fives)][:2]


@pytest.mark.slow
def test_habits_are_recovered_unless_somebody_has_others(tmp_path, monkeypatch):
    """Ben plays as a level does, and so does Ann, who discards every five too."""
    habits = habits_of({name: getattr(LEVELS["casual"], name) for name in HABIT_RANGES})
    monkeypatch.setitem(levels.HABITS, "casual", habits)  # as a fit can find it
    games = []
    for index in range(6):
        game = Game(3 + index, dealer=index % 2)
        seats = [DiscardsFives("casual", [3, index, 0]), Level("casual", [3, index, 1])]
        while game.winner is None:
            for player in (0, 1):
                while game.winner is None and game.to_do(player) in ("discard", "play"):
                    game.make(decide(seats[player], game, player))
            if game.winner is None and game.phase == "next":
                game.next_deal(0)
        games.append(game_table(game, players=("Ann", "Ben")).assign(game=index + 1))
    reviewed = review(as_record(pd.concat(games, ignore_index=True)).without_scores())
    with pytest.raises(CribevError, match="no player '0' in the record"):
        fit_habits(reviewed, 0)
    (told,) = fit_habits(reviewed, "Ann").unlike
    assert told.startswith("discards 5 ")
    fitted = fit_habits(reviewed, "Ben")
    assert fitted.nearest == "casual"
    assert fitted.traits.startswith("discards worse than a club player, counts the crib too")
    assert fitted.explained["habits"] > max(fitted.explained[by] for by in ("expert", "chance"))
    assert not fitted.unlike
    assert fitted.lost[0] == pytest.approx(LEVELS["casual"].loses, abs=4 * fitted.lost[1])
    off = [
        (getattr(fitted.person.habits, name) - getattr(habits, name)) / fitted.errors[name]
        for name in HABIT_RANGES
    ]
    assert np.abs(off).max() < 3.5
    assert np.mean(np.square(off)) < 3
    file = tmp_path / "ben.json"
    fitted.save(file)
    assert as_opponent(str(file)).discards.habits[2:-1] == pytest.approx(fitted.person.habits[2:-1])
    with pytest.raises(CribevError, match="is there already"):
        fitted.save(file)


def test_too_few_decisions_are_reported_before_grading(tmp_path, monkeypatch):
    monkeypatch.setattr("cribev.reviews.review.review", None)
    record = tmp_path / "game.csv"
    with_play(random_games(1, deals=2)).to_csv(record, index=False)
    text = refused("review", str(record), "--fit", "Ann")
    assert "discards: expected 30 or more to find habits by" in text
    assert "--fit" in refused("review", str(record), "--fit", "Ann", "--fast")
    assert "-o goes with --fit" in refused("review", str(record), "-o", str(tmp_path / "a.json"))


def test_habits_are_found_against_an_expert_alone():
    row = {"game": 1, "deal": 1, "player": "Ann", "role": "pone", "cards": HAND, "discard": "2H 8D"}
    against_people = review(pd.DataFrame([row]), opponent="people", fast=True)
    with pytest.raises(CribevError, match="against an expert, not against 'people'"):
        fit_habits(against_people, "Ann")


def test_names_and_files_that_are_none(tmp_path):
    for command in (["advise", HAND], ["play", "4H 5C JD JS", "--pone"]):
        text = refused(*command, "--opponent", "nobody")
        assert all(name in text for name in OPPONENTS)
    for content in ("", "[1]", "{", "\x00", "[" * 100_000):
        file = tmp_path / "a.json"
        file.write_text(content)
        with pytest.raises(TableError, match="habits"):
            as_opponent(str(file))
    own = {"name": "Ann", **{name: least for name, (least, _) in HABIT_RANGES.items()}}
    pipe = tmp_path / "pipe.json"
    half = as_opponent(json.dumps({**own, "name": "\ud83d"}))  # of a character
    assert str(advise(HAND, role="pone", opponent=half)).encode()
    os.mkfifo(pipe)
    os.mkfifo(tmp_path / "pipe.csv")
    wrong = {
        pipe: "it is not a regular file",
        tmp_path: "it is a folder",
        tmp_path / "pipe.csv": "it is not a regular file",
        "a\0.json": "cannot read the habits",
        "no.json": "cannot read the habits",
        "x" * 5000: "unknown opponent",
        "x" * 5000 + ".json": "File name too long",
    }
    for name in ("expert", "People", " uniform"):
        wrong[json.dumps({**own, "name": name})] = "expected another name"
    for given, said in wrong.items():
        with pytest.raises(TableError, match=said):
            as_opponent(given)
        with pytest.raises(CribevError):
            advise_play("5H TD JC QS", role="pone", opponent=given)
