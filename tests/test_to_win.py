"""An opponent who plays to win at one score: answers, the cache, and what is said without numba."""

import html
import json
import os
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache, partial
from io import StringIO
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from shell import good, printed, refused, run
from test_strategy_file import SMALL

from benchmarks.duplicate_games import Dealt, ending
from cribev import advise, advise_play, advise_ranks, evaluate, evaluate_deals, review, solve_score
from cribev.classes.canonical import classify_deals
from cribev.commands import options as command
from cribev.errors import CribevError
from cribev.game.cards import JACK, parse_cards
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import ROLES
from cribev.game.score import WINNING_SCORE, Score
from cribev.opponents import to_win
from cribev.opponents.counts import rank_weights, thrown_ranks
from cribev.opponents.names import as_play_strategy
from cribev.opponents.opponents import ExpertOpponent, Uniform
from cribev.opponents.to_win import MOST_NEEDED_TO_WIN, ExpertToWin
from cribev.reviews.page import review_html
from cribev.solution.solution import shipped_keep_frequencies, shipped_strategy
from cribev.solution.solved_play import POINT_BINS
from cribev.solution.strategy import RANK_KEEPS, GameSize
from cribev.solve.worth import best_responses
from cribev.values.holdings import Belief
from cribev.values.pegging import PlayTree
from cribev.values.wins_in_play import GameWon

SHIPPED = {role: shipped_keep_frequencies(role) for role in ROLES}
ANYTHING = {role: Uniform().keep_frequencies(role) for role in ROLES}
DEAL, SCORE = "5H 6D JS QC 2H 8D", "118-119"
UNSCORED = pd.DataFrame(
    {"game": [1, 2], "deal": 1, "role": "pone", "cards": DEAL, "discard": "2H 8D"}
)
CARDS = ["4H", "5C", "JD", "JS", "--threw", "9C", "KD", "--starter", "7H"]
KNOWN = {"discard": "9C KD", "starter": "7H"}


def opponent(needs, strategy=None, frequencies=SHIPPED):
    return ExpertToWin(
        score=score_of(needs), strategy=strategy or shipped_strategy(), kept=frequencies
    )


def score_of(needs):
    """The score at which pone and the dealer need so many points."""
    return Score(*(WINNING_SCORE - points for points in needs))


@pytest.fixture(autouse=True)
def nothing_held():
    """Hold nothing from one test to the next."""
    to_win.expert_to_win.cache_clear()
    yield
    to_win.expert_to_win.cache_clear()


@pytest.fixture
def solved(monkeypatch):
    """Say what is solved, and spare the test the solving: it is the shipped strategy."""
    needs_solved = []

    def solve(score):
        needs_solved.append(score.needs("pone"))
        return to_win.shipped_strategy(), ANYTHING

    monkeypatch.setattr(to_win, "offered", lambda _: solve)
    return needs_solved


@pytest.fixture
def small(monkeypatch):
    """Take a small game for the whole."""
    monkeypatch.setattr(to_win, "shipped_strategy", lambda: SMALL)


@pytest.fixture
def uncached(monkeypatch):
    """Store nothing: packing the whole game takes seconds."""
    monkeypatch.setattr(to_win.cache, "write_cached_arrays", lambda *_, **__: None)


def obtain(needs):
    to_win.expert_to_win.cache_clear()  # as another process would
    return to_win.expert_to_win(score_of(needs))


def right(found, needs):
    return (
        found.score == score_of(needs)
        and np.array_equal(found.strategy.cells, SMALL.cells)
        and not found.strategy.cells.flags.writeable
        and all(abs(found.kept[r].share - 1 / 15).max() < 1e-4 for r in ROLES)
    )


# What it answers


@pytest.mark.parametrize("role", ROLES)
def test_discards_at_a_score_are_those_that_win_against_what_is_kept(role):
    """Who keeps anything is `uniform`, whom the same play and other sums value."""
    own, other = (3, 2) if role == "pone" else (2, 3)
    found = advise(DEAL, role=role, score=SCORE, opponent=opponent((own, other), None, ANYTHING))
    anybody = advise(DEAL, role=role, score=SCORE, opponent="uniform")
    assert found.chances.win == pytest.approx(anybody.chances.win, abs=1e-9)
    by_points = advise(DEAL, role=role)
    for name in ("expected", "hand_mean", "crib_mean", "play_mean"):
        means = [one.table.set_index("discard")[name].to_dict() for one in (found, by_points)]
        assert means[0] == pytest.approx(means[1])
    assert (found.plays_for, anybody.plays_for) == ("wins", "points")
    assert str(found).splitlines()[1].endswith(", who plays to win")
    assert "to win" not in str(anybody)
    if role == "pone":
        leads = found.explain().play.leads
        same = anybody.explain(found.best.discard).play.leads
        assert leads["win"].to_numpy() == pytest.approx(same["win"].to_numpy(), abs=1e-9)
        assert leads["share"] @ leads["win_mean"] == pytest.approx(found.best.win, abs=1e-6)


def test_hands_without_suits_and_what_is_thrown_are_counted_by_ranks():
    asked = {"ranks": "5 6 J Q 2 8", "role": "pone", "score": SCORE}
    found = advise_ranks(**asked, opponent=opponent((3, 2), None, ANYTHING))
    anybody = advise_ranks(**asked, opponent="uniform")
    assert found.best.win == pytest.approx(anybody.best.win, abs=1e-9)
    assert found.to_dict()["opponent_plays_for"] == "wins"
    deal = parse_cards(DEAL)
    deal.sort()
    weights = rank_weights(deal, thrown_ranks(ANYTHING["pone"]))
    assert weights[weights > 0] == pytest.approx(weights.max())
    of_expert = rank_weights(deal, thrown_ranks(SHIPPED["dealer"]))
    assert of_expert.sum(axis=0) == pytest.approx(np.full(46, 8145060))
    # Suits make a difference to single cards, and hardly any to ranks.
    exact = advise(DEAL, role="pone").thrower.weights(deal, "pone")
    assert abs(of_expert.sum(axis=1) - exact.sum(axis=1)).sum() < 0.05 * exact.sum()


@pytest.mark.parametrize(
    ("laid", "score", "needs"), [("", SCORE, (3, 2)), ("J 5", "117-118", (4, 3))]
)
def test_cards_at_a_score_are_those_that_win_against_how_it_plays(laid, score, needs):
    asked = {"role": "pone", "score": score, "laid": laid, **KNOWN}
    greedy = opponent(needs, as_play_strategy("greedy"))
    found, same, expert = (
        advise_play("4H 5C JD JS", **asked, opponent=one)
        for one in (greedy, as_play_strategy("greedy"), "expert")
    )
    for name, other in (("win", same), ("expected", expert)):
        values = [one.table.set_index("card")[name].to_dict() for one in (found, other)]
        assert values[0] == pytest.approx(values[1])
    assert found.explain().to_dict() == same.explain().to_dict()
    assert sorted(found.table["share"]) == [0] * (len(found.table) - 1) + [1]  # as the greedy do
    assert found.to_dict()["opponent_plays_for"] == "wins"
    assert expert.to_dict()["opponent_plays_for"] == "points"
    assert ", opponent: greedy, who plays to win" in str(found)


def test_what_is_kept_is_part_of_the_belief_and_it_is_of_one_score():
    anything, known = opponent((3, 2), None, ANYTHING), {"role": "pone", "score": SCORE, **KNOWN}
    found, expert = (advise_play("4H 5C JD JS", **known, opponent=o) for o in (anything, "expert"))
    fives = [one.range.ranks["expected"][4] for one in (found, expert)]
    assert fives[0] == pytest.approx(4 * 3 / 45, abs=1e-3)  # any four of the cards unseen
    assert fives[1] > fives[0] + 0.01
    assert found.best.win != expert.best.win
    for ask, cards in ((advise_play, "4H 5C JD JS"), (advise, DEAL)):
        found, expert = (ask(cards, role="pone", opponent=o) for o in (anything, "expert"))
        assert found.table.equals(expert.table)
        assert "opponent_plays_for" not in found.to_dict()
    wrong = "plays to win where pone needs 3, the dealer 2; here pone needs 2, the dealer 2"
    for ask, cards in ((advise, DEAL), (advise_play, "4H 5C JD JS")):
        known = {} if ask is advise else KNOWN
        with pytest.raises(CribevError, match=wrong):
            ask(cards, role="pone", score="119-119", opponent=opponent((3, 2)), **known)
    # After a jack is cut the dealer needs two less.
    known = {"role": "pone", "score": "118-117", "discard": "9C KD", "starter": "JH"}
    with pytest.raises(CribevError, match="here pone needs 3, the dealer 2"):
        advise_play("4H 5C JD JS", **known, opponent=opponent((3, 4)))
    assert advise_play("4H 5C JD JS", **known, opponent=opponent((3, 2))).plays_for == "wins"
    assert repr(opponent((3, 2))) == "<ExpertToWin: pone needs 3, the dealer 2>"


# Where it is kept


@pytest.mark.usefixtures("small")
def test_it_is_solved_once_and_then_read_without_numba_too(solved, cache, monkeypatch):
    assert right(obtain((3, 2)), (3, 2))
    (made,) = cache.glob("*.npz")
    assert made.name.startswith("score-3-2-")
    os.utime(made, (1, 1))
    assert right(obtain((3, 2)), (3, 2))
    assert made.stat().st_mtime > 1  # used now
    assert solved == [(3, 2)]
    assert right(obtain((2, 3)), (2, 3))
    assert solved == [(3, 2), (2, 3)]
    next(cache.glob("score-2-3-*")).replace(made)  # of another score: it does no harm
    for _ in range(2):
        assert right(obtain((3, 2)), (3, 2))
    assert solved == [(3, 2), (2, 3), (3, 2)]
    with monkeypatch.context() as other:
        other.setattr(to_win, "_shipped_checksum", lambda: 7)  # of another solution
        obtain((3, 2))
    assert len(solved) == 4
    assert len(list(cache.glob("*.npz"))) == 2
    to_win.expert_to_win.cache_clear()
    monkeypatch.setattr(to_win, "offered", lambda _: None)
    monkeypatch.setitem(sys.modules, "numba", None)
    assert solve_score(SCORE, role="pone").score == score_of((3, 2))


def test_a_score_is_solved_anew_for_another_table_of_who_wins(monkeypatch):
    checksum, table = to_win._shipped_checksum.__wrapped__, to_win.load(play=True).win_table
    before = checksum()
    other = SimpleNamespace(win_table=table._replace(win=table.win / 2))
    monkeypatch.setattr(to_win, "load", lambda **_: other)
    assert checksum() != before


@pytest.mark.usefixtures("small", "cache")
def test_who_asks_for_what_is_being_solved_waits_for_it(solved, monkeypatch):
    solve, begun, go = to_win.offered("a score solved to win"), threading.Event(), threading.Event()

    def slowly(score):
        begun.set()
        assert go.wait(60)
        return solve(score)

    monkeypatch.setattr(to_win, "offered", lambda _: slowly)
    ask = to_win.expert_to_win.__wrapped__  # as another process would
    with ThreadPoolExecutor() as threads:
        first = threads.submit(ask, score_of((3, 2)))
        assert begun.wait(60)
        others = [threads.submit(ask, score_of((3, 2))) for _ in range(2)]
        assert not wait(others, 0.1).done
        go.set()
        assert all(right(one.result(60), (3, 2)) for one in (first, *others))
    assert solved == [(3, 2)]


@pytest.mark.usefixtures("small", "cache")
def test_who_waits_for_one_that_is_killed_says_so_and_goes_on(started, solved, capfd):
    code = "from cribev.system.cache import one_at_a_time\n"
    code += "with one_at_a_time('score.lock', doing='x'): print(flush=True), input()"
    other = started("-c", code)
    other.stdout.readline()
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(obtain, (3, 2))
        assert not wait([waiting], 0.1).done
        other.kill()
        assert right(waiting.result(60), (3, 2))
    assert solved == [(3, 2)]
    assert capfd.readouterr().err == "cribev: another process is solving a score: waiting\n"


@pytest.mark.usefixtures("small")
def test_no_more_than_so_many_stay(solved, cache, monkeypatch):
    monkeypatch.setattr(to_win, "SCORES_CACHED", 2)
    for at, needs in enumerate([(1, 1), (1, 2), (2, 1)]):
        obtain(needs)
        for file in cache.glob(f"score-{needs[0]}-{needs[1]}-*"):
            os.utime(file, (at + 1, at + 1))
    obtain((1, 1))
    assert len(list(cache.glob("*.npz"))) == 2
    assert right(obtain((1, 1)), (1, 1))
    assert solved == [(1, 1), (1, 2), (2, 1), (1, 1)]
    obtain((1, 2))
    assert solved[4:] == [(1, 2)]


def test_a_solving_cut_short_leaves_nothing(cache, monkeypatch):
    def interrupted(_needs):
        raise KeyboardInterrupt

    monkeypatch.setattr(to_win, "offered", lambda _: interrupted)
    with pytest.raises(KeyboardInterrupt):
        obtain((3, 2))
    assert [one.name for one in cache.iterdir()] == ["score.lock"]


# On the command line


@pytest.mark.usefixtures("uncached")
def test_commands_solve_the_score_they_are_asked_at(solved):
    to_win = ["--opponent", "to-win"]
    asked = ["play", *CARDS, "--pone", "--score", SCORE, *to_win]
    first = good(*asked)
    assert first.splitlines()[1].endswith(", opponent: to-win, who plays to win")
    assert solved == [(3, 2)]
    assert good(*asked) == first
    assert printed(*asked)["opponent_plays_for"] == "wins"
    found = good("advise", DEAL, "--pone", "--score", SCORE, *to_win, "--format", "json")
    assert json.loads(found)["opponent_plays_for"] == "wins"
    assert json.loads(found) == advise(DEAL, role="pone", score=SCORE, opponent="to-win").to_dict()
    assert solved == [(3, 2)]
    both = printed("advise", DEAL, "--score", SCORE, *to_win)
    assert [one["opponent_plays_for"] for one in both] == ["wins", "wins"]
    assert solved == [(3, 2), (2, 3)]
    jack = [*CARDS[:-1], "JH"]
    good("play", *jack, "--pone", "--score", "118-118", *to_win)  # heels
    assert solved[2:] == [(3, 1)]


def test_it_solves_nothing_that_is_not_asked_or_far_from_the_end(solved):
    to_win = ["--opponent", "to-win"]
    for opponent in ("expert", "greedy"):
        good("play", *CARDS, "--pone", "--score", SCORE, "--opponent", opponent)
    for opponent in ("expert", "uniform"):
        good("advise", DEAL, "--pone", "--score", SCORE, "--opponent", opponent)
    for wrong in (
        ["play", *CARDS, "--pone", "--score", "118-119", "--laid", "J K A 5"],
        ["play", *CARDS[:-1], "JH", "--pone", "--score", "118-119"],  # heels end the game
        ["play", "4", "5", "J", "J", "--pone", "--score", SCORE],
        ["play", *CARDS, "--pone"],
        ["advise", DEAL, "--pone", "--score", SCORE, "--show-only"],
        ["advise", DEAL, "--pone", "--score", SCORE, "--crib-table", "schell"],
        ["advise", DEAL, "--pone", "--score", "118*-119"],
        ["advise", DEAL, "--pone"],
        ["advise", "5 6 J Q 2 8", "--pone"],
    ):
        assert run(*wrong, *to_win).returncode == 2
    assert solved == []
    far = f"{120 - MOST_NEEDED_TO_WIN}-120"
    for verb, cards in (("advise", [DEAL]), ("play", CARDS)):
        asked = [verb, *cards, "--pone", "--score"]
        expert, to_win = (good(*asked, far, "--opponent", name) for name in ("expert", "to-win"))
        assert "counts points: one of you needs more than 8" in to_win
        assert "to-win" not in expert
        assert expert.splitlines()[3:] == to_win.splitlines()[3:]
        assert "counts points here (to-win plays to win)" in " ".join(good(*asked, SCORE).split())
    assert solved == []


def test_to_win_as_opponent_needs_a_score(tmp_path):
    for asked in (
        lambda: advise(DEAL, role="pone", opponent="to-win"),
        lambda: evaluate([DEAL], role="pone", opponent="to-win"),
        lambda: evaluate_deals([parse_cards(DEAL)], role="pone", opponent="to-win"),
        *(partial(review, UNSCORED, opponent="to-win", **how)
          for how in ({}, {"fast": True}, {"play": False})),
    ):  # fmt: skip
        with pytest.raises(CribevError, match="from a score on: expected a score"):
            asked()
    (tmp_path / "deals.csv").write_text(f"cards,role\n{DEAL},pone\n")
    told = refused("batch", str(tmp_path / "deals.csv"), "--opponent", "to-win")
    assert "from a score on: expected a score" in told


@pytest.mark.usefixtures("uncached")
def test_a_pipe_hears_what_takes_two_minutes(monkeypatch):
    class Solver:
        def __init__(self, *_, **__):
            self.strategy = to_win.shipped_strategy

        def learn(self, *_, **__):
            return ANYTHING

    monkeypatch.setattr("cribev.solve.last_points.ScoreSolver", Solver)
    asked = ["play", *CARDS, "--pone", "--score", SCORE, "--opponent", "to-win"]
    first, again = run(*asked), run(*asked)
    line = b"cribev: solving this score to win, once: up to two minutes\n"
    assert (first.stderr, again.stderr) == (line, b"")
    assert first.stdout == again.stdout


def test_whether_scores_can_be_solved_changes_no_answer(monkeypatch):
    asked = ["advise", DEAL, "--pone", "--score", SCORE]
    first = good(*asked)
    monkeypatch.setitem(sys.modules, "numba", None)
    assert good(*asked) == first
    for arguments in (asked, ["play", *CARDS, "--pone", "--score", SCORE]):
        told = refused(*arguments, "--opponent", "to-win")
        assert told.startswith("this needs numba: ")
        assert told.endswith("[solve]'")
    with pytest.raises(CribevError, match="this needs numba"):
        solve_score(SCORE, role="pone")


@pytest.mark.usefixtures("uncached")
def test_batch_rows_and_reviews_are_against_this_opponent_too(solved):
    """As each row is advised alone, and each card."""
    rows = {"cards": [DEAL, DEAL], "role": ["pone", "dealer"], "score": [118, 119]}
    frame = pd.DataFrame(rows | {"opponent_score": [119, 118]})
    found = evaluate(frame, opponent="to-win")
    for at, role in enumerate(frame["role"]):
        score = (frame["score"][at], frame["opponent_score"][at])
        best = advise(DEAL, role=role, score=score, opponent="to-win").best
        assert found["win"][at] == pytest.approx(best.win, abs=1e-9)
    hand = {"cards": "4H 5C JD JS 9C KD", "discard": "9C KD", "starter": "7H", "play": "J 5"}
    record = pd.DataFrame([{"game": 1, "deal": 1, "role": "pone", **hand, "score": SCORE}])
    reviewed = review(record, opponent="to-win")
    asked = {"role": "pone", "score": SCORE, "opponent": "to-win"}
    (card,) = reviewed.cards.itertuples()
    cards = advise_play("4H 5C JD JS", **asked, **KNOWN).table.set_index("card")
    assert card.win == pytest.approx(cards["win"]["J"])
    best = advise(hand["cards"], **asked).best
    (discard,) = reviewed.decisions.itertuples()
    assert discard.win + discard.win_loss == pytest.approx(best.win, abs=1e-9)
    assert solved == [(3, 2)]


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ((SCORE,), ""),
        ((SCORE, "60-61"), ", who counts points in 1 of 2 discards: one of you needs more than 8"),
        (("", "60-61"), " in 2 of 2 discards: one of you needs more than 8 or the score is not k"),
    ],
)
@pytest.mark.usefixtures("uncached", "solved")
def test_a_review_says_at_which_score_points_count(scores, said):
    found = review(UNSCORED.head(len(scores)).assign(score=scores), opponent="to-win", fast=True)
    console = Console(width=200, record=True, file=StringIO())
    console.print(found)
    line = console.export_text().splitlines()[0]
    assert said in line
    assert line.endswith("opponent: to-win, class tables") is (said == "")
    assert f"opponent{found.where_points_count}; by the" in review_html(found)


@pytest.mark.usefixtures("uncached")
def test_pages_offer_what_is_solved_here_and_solve_nothing(get, solved, cache):
    """What is not solved is said in a line, and leads back to the usual answer."""
    asked = f"position=pone:2H5H6D8DJSQC@{SCORE}"
    known = f"position=pone:4H5CJDJS/9CKD:7H@{SCORE}"
    path = f"/ask?{asked}"
    usual = get(path)
    assert "Your opponent counts points here; cribev advise --opponent to-win" in usual.words
    for name in ("/ask", "/api/advice"):
        told = get(f"{name}?{asked}&opponent=to-win").refusal
        assert "'to-win' is not solved yet where pone needs 3 and the dealer 2: " in told
    assert links(get(f"{path}&opponent=to-win"), "to what can be") == [path]
    assert "to win, this score is not solved here" in get(f"/ask?{known}&opponent=to-win").words
    assert solved == []
    cache.mkdir(exist_ok=True)
    (cache / to_win._solved_name(score_of((3, 2)))).touch()  # to be solved again, as damaged
    (offered,) = links(get(path), "One who plays to win")
    assert offered == f"{path}&opponent=to-win"
    page = get(offered)
    assert "Your opponent discards and pegs to win." in page.words
    assert links(page, "One who counts points") == [path]
    (on,) = links(page, "Go on: the cut and the play")
    assert on.endswith("&opponent=to-win")
    assert "Your opponent plays to win." in get(f"/ask?{known}&opponent=to-win").words
    found = advise(DEAL, role="pone", score=SCORE, opponent="to-win")
    assert get(f"/api/advice?{asked}&opponent=to-win").json == found.to_dict()
    row = f"game,deal,role,cards,discard,score\n1,1,pone,{DEAL},8D QC,{SCORE}\n"
    reviewed = get("/api/review?opponent=to-win", method="POST", body=row.encode()).json
    (decision,) = reviewed["decisions"]
    assert decision["win"] + decision["win_loss"] == pytest.approx(found.best.win)
    assert solved == [(3, 2)]


def links(page, words):
    """List where the links with these words lead, and what these words stand beside."""
    around = re.findall(r'<a [^>]*href="([^"]*)"[^>]*>([^<]*)</a>([^<]*)', page.text)
    return [html.unescape(to) for to, *said in around if words in " ".join(said)]


def test_scores_that_are_not_solved_and_documents_say_so():
    for score, role, said in (
        ("95-110", "pone", r"pone needs 26 and the dealer 11: .* from 1 to"),
        ("119-118", "dealer", "the dealer 0"),
        ("1-121", "pone", "'1-121' is not a score"),
    ):
        with pytest.raises(CribevError, match=said):
            solve_score(score, role=role, heels=role == "dealer")
    guide = Path(__file__).parent.parent / "docs" / "scores.md"
    said = f"Where both of you need {MOST_NEEDED_TO_WIN} or fewer, `--opponent to-win`"
    assert said in " ".join(guide.read_text(encoding="utf-8").split())
    assert f"more than {MOST_NEEDED_TO_WIN} " in command.TO_WIN_HELP


# Solved for real: who pegs first from 120-120

OUT_AT_ONCE = GameWon(GameSize(), (1, 1), np.zeros((RANK_KEEPS, POINT_BINS, POINT_BINS)))


@pytest.mark.slow
@pytest.mark.xdist_group("solved")
def test_discards_and_play_close_in_on_the_same_chance(who_pegs_first):
    """Bounds from best responses, discards and play, come closer from either side."""
    _, few, more, _ = who_pegs_first
    assert more.error < few.error / 3
    assert more.error < 0.008
    assert more.win == pytest.approx(few.win, abs=2 * few.error)
    heels = 1 / 13 + 12 / 13 * more.win
    assert heels == pytest.approx(0.647, abs=0.015)  # cribbager's self-play


@pytest.mark.slow
@pytest.mark.xdist_group("solved")
def test_chances_to_win_lie_within_the_bounds(who_pegs_first):
    """What a keep wins by the best reply is what the solver says, and the mean is in its bounds."""
    solver, _, found, strategy = who_pegs_first
    rng = np.random.default_rng(1)
    holdings = GameSize().holdings(4)
    low, high = found.win - 2 * found.error, found.win + 2 * found.error
    means = {}
    for role, values in zip(("pone", "dealer"), best_responses(solver), strict=True):
        for keep in rng.choice(RANK_KEEPS, 6, p=solver.keeps.marginal[role]):
            belief = Belief(4, solver.keeps.conditional[role][keep], 0, explained=True)
            known = ([], role, holdings[keep].tolist(), belief)
            tree = PlayTree(*known, opponent=strategy, end=OUT_AT_ONCE)
            value = values[keep] if role == "pone" else 1 + values[keep]
            assert tree.value[0] == pytest.approx(value, abs=0.005)
        means[role] = values @ solver.keeps.marginal[role]
    dealer, pone = 1 + means["dealer"], means["pone"]
    assert low - 0.005 <= 1 - pone <= dealer <= high + 0.005


LAST, DEALS = 120, 1000  # where whoever pegs first wins, more hangs on it than anywhere


class Player:
    """Discards and lays cards as the solved game of an opponent has it."""

    def __init__(self, opponent):
        play = opponent.solved_game().play
        self.kept = {role: play.keep_frequencies[role].share for role in ROLES}

        @lru_cache(maxsize=50_000)
        def choices(history, left):
            chances = play.strategy.choices(play.strategy.node(history), left)
            return [(rank, float(chances[rank])) for rank in np.flatnonzero(chances).tolist()]

        self.choices = choices

    def keep(self, hand, role, draw):
        share = np.cumsum(self.kept[role][int(classify_deals(hand[None])[0][0])])
        return min(int((share < draw * share[-1]).sum()), len(KEEPS) - 1)

    def __call__(self, steps, play):
        return self.choices(tuple(step.rank for step in steps), tuple(play.hands[play.turn]))


@pytest.mark.slow
@pytest.mark.xdist_group("solved")
def test_who_plays_to_win_wins_more_and_as_often_as_solved(who_pegs_first):
    """Each has a lower bound against everybody; so who counts points cannot do better."""
    *_, found, strategy = who_pegs_first
    score = Score(LAST, LAST)
    to_win = ExpertToWin(score=score, strategy=strategy, kept=found.frequencies).at_score(score)
    by_points, by_wins = Player(ExpertOpponent()), Player(to_win)
    rng, won = np.random.default_rng(7), []
    while len(won) < DEALS:
        cards = rng.permutation(52).astype(np.uint8)
        draws = dict(zip(ROLES, rng.random(2), strict=True))
        if cards[12] >> 2 == JACK:
            continue
        hands = {role: np.sort(cards[6 * at : 6 * at + 6]) for at, role in enumerate(ROLES)}
        won.append([])
        for dealer, pone in product((by_points, by_wins), repeat=2):
            who = {"dealer": dealer, "pone": pone}
            keeps = {role: who[role].keep(hands[role], role, draws[role]) for role in ROLES}
            held, thrown = (
                {role: hands[role][places[keeps[role]]] for role in ROLES}
                for places in (KEEPS, DISCARDS)
            )
            dealt = Dealt(held, thrown, int(cards[12]), dict.fromkeys(ROLES, LAST))
            won[-1].append(ending(dealt, who).win)
    points, pone_to_win, dealer_to_win, both = np.array(won).T
    for more, less in ((dealer_to_win, points), (points, pone_to_win), (both, pone_to_win)):
        gained = more - less
        assert gained.mean() > 5 * gained.std() / DEALS**0.5
    # Near the middle of the bounds of the solution, without heels.
    assert both.mean() == pytest.approx(0.6145, abs=0.008 + 3 * both.std() / DEALS**0.5)
