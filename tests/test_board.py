"""Games at a real board, as they are entered: on the page by its forms, and on the terminal."""

import html
import re
from collections import Counter
from functools import partial

import pandas as pd
import pytest
from asking import with_file
from games import play_until
from shell import refused, run

from cribev import format_cards, review
from cribev.app.games.board import BoardGame, local_boards
from cribev.app.games.game import Game
from cribev.app.games.records import board_table, game_table
from cribev.app.practice.store import stored_decisions
from cribev.errors import CribevError
from cribev.records.record import as_record

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(scope="module")
def played():
    """A whole game of two, whose cards are all known."""
    game = Game(12, dealer=0)
    play_until(game)
    return game


def entered(game, *, seen=True):
    """What player 0 enters of a game: a list for each deal, an entry for each tap."""
    deals = []
    for deal in game.deals:
        own, theirs = (deal.held(role) for role in roles(game, deal))
        entries = format_cards(own.dealt).split() + format_cards(own.discard).split()
        entries.append(format_cards([deal.starter]))
        entries += [
            step.text
            for step in deal.play.steps
            if not step.silent and (step.card is not None or step.role != roles(game, deal)[0])
        ]
        shown = [one for one in game.events if one.deal == deal.number and one.show]
        entries += ["="] * min(len(shown), 2)
        if len(shown) == 3:
            entries += [*format_cards(theirs.discard).split(), "="] if seen else ["-"]
        if len(shown) == 3 and not seen:
            entries.append(str(shown[2].show.total))
        deals.append(entries)
    return deals


def roles(game, deal):
    return [game.record.role(deal.number, player) for player in (0, 1)]


def flat(deals):
    return [entry for entries in deals for entry in entries]


def known(table):
    """What a record says of the cards and the scores of the rows that a board has too."""
    frame = as_record(table).frame
    return frame[["deal", "player", "cards", "discard", "starter", "play", "score", "score_after"]]


def by_taps(ask, address, entries, *, at=0):
    """Enter on the page, a tap after the other; return the link to where that leads."""
    here = address
    for number, entry in enumerate(entries, at + 1):
        answer = ask(address, {"at": number - 1, "entry": entry})
        assert answer.status == 303, (entry, answer.words)
        here = answer.headers["Location"]
        assert here == f"{address}?at={number}"
    return here


def lines_of(game):
    """The same as `entered`, as people type it: several cards a line, and ranks where they do."""
    lines = []
    for entries in entered(game):
        lines += [" ".join(entries[:6]).lower(), ", ".join(entries[6:8]), *entries[8:]]
    text = "\n".join(lines)
    return re.sub(r"\n=", "\n", text).split("\n")


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("seen", [True, False])
def test_what_is_entered_is_the_game(player, seen):
    game = Game(12, dealer=player)
    play_until(game)
    entries = flat(entered(game, seen=seen))
    board = BoardGame.replay(game.record.role(1, 0), (0, 0), entries)
    assert (board.score, board.winner, board.asks) == (game.score, game.winner, "over")
    table, whole = board_table(board), game_table(game, players=("You", "Opponent"))
    both = known(table).merge(known(whole))
    assert len(both) == len(table)
    own, theirs = (both["player"].tolist().count(name) for name in ("You", "Opponent"))
    deals = len(game.deals)
    assert own == deals
    assert theirs in ((deals - 1, deals) if seen else (0,))
    events = [(one.kind, one.player, one.score) for one in game.events if one.kind in _TOLD]
    assert [(one.kind, one.player, one.score) for one in board.events if one.kind in _TOLD] == (
        events
    )


def test_deals_with_unseen_crib_are_practised():
    game = Game(12, dealer=0)
    play_until(game)
    entries = entered(game, seen=False)[0]
    table = board_table(BoardGame.replay(game.record.role(1, 0), (0, 0), entries))
    found = review(table.drop(columns=["score", "score_after"]))
    rows = stored_decisions(found, "You", found.record)
    assert [(one.chosen, one.opponent, one.problem.thing) for one in rows] == [
        ("9H", "AS5D9C9D", "card"),
        ("4H", "AS5D9C9D", "card"),
    ]


_TOLD = ("deal", "starter", "lay", "go", "hand", "crib", "win")


@pytest.mark.slow
def test_whole_game_grades_alike_on_page_and_terminal(ask, played, tmp_path):
    address = ask("/board", {"role": "dealer", "advice": "0"}).headers["Location"]
    over = ask(by_taps(ask, address, flat(entered(played))))
    own, theirs = played.score
    assert f"You {'won' if own > theirs else 'lost'} {own}–{theirs}" in over.words
    csv = ask(f"{address}/game.csv").text
    typed = "\n".join([*lines_of(played), ""]).encode()
    done = run("record", "--dealer", "-o", str(tmp_path / "game.csv"), stdin=typed)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "game.csv").read_text() == csv
    found = [
        review(one, fast=True).of_player("You")
        for one in (tmp_path / "game.csv", game_table(played, players=("You", "Opponent")))
    ]
    for name in ("decisions", "cards"):
        losses = [getattr(one, name).filter(regex="loss") for one in found]
        pd.testing.assert_frame_equal(*losses)
    assert ask(f"{address}/review").headers["Location"].startswith("/review/")


def test_a_short_game_by_taps(ask, played, tmp_path):
    start = {"role": "dealer", "own": "100", "theirs": "96", "stakes": "games"}
    address = ask("/board", start).headers["Location"]
    first = entered(played)[0]
    here = by_taps(ask, address, first[:5])
    page = ask(here)
    assert "Your six cards: 1 more" in page.words
    assert page.text.count('aria-pressed="true"') == 5
    back = re.search(r'href="([^"]*)">← Back', page.text)[1]
    assert "Your six cards: 2 more" in ask(back).words
    assert "Forward to the latest" in ask(back).words
    put_back = ask(address, {"at": 5, "entry": first[0]}).headers["Location"]
    assert "Your six cards: 2 more" in ask(put_back).words
    here = by_taps(ask, address, [first[0], first[5]], at=4)
    wrong = ask(address, {"at": 6, "entry": "ZZ"})
    assert (wrong.status, "Which two do you discard?" in wrong.words) == (422, True)
    assert "Invalid card 'ZZ'" in html.unescape(wrong.text)
    assert ask(here).words == ask(address).words  # a reload loses nothing
    by_taps(ask, address, first[6:-1], at=6)
    page = ask(address)
    assert "it is" in page.words
    assert "Go on at" in ask("/play").words
    board = local_boards().find(address.rpartition("/")[2]).game()
    rest = [*first[:-1], first[-1], *flat(entered(played)[1:])]
    number = len(first) - 1
    while board.asks != "over":
        answer = ask(address, {"at": number, "entry": rest[number]})
        number = int(answer.headers["Location"].rpartition("=")[2])
        board = local_boards().find(address.rpartition("/")[2]).game()
    assert max(board.score) == 121
    over = ask(address)
    assert ("Review this game" in over.words, "Show the advice" in over.words) == (True, False)
    assert ask(address, {"at": number, "entry": "5H"}).status == 422
    csv = ask(f"{address}/game.csv").text
    assert csv.splitlines()[-1].endswith(f"{min(board.score)}-121") or ",121-" in csv
    assert "Won 121–" in ask("/play").words
    assert ask(f"{address}/forget", {}).headers["Location"] == "/play#board"
    assert (ask(address).status, "Won 121–" in ask("/play").words) == (404, False)
    given = ["record", "--new", "--dealer", "--score", "100-96", "-o", str(tmp_path / "a.csv")]
    done = run(*given, stdin="\n".join([*rest[:number], ""]).encode())
    assert (done.returncode, (tmp_path / "a.csv").read_text()) == (0, csv)


def test_the_advice_is_a_switch_and_is_noted(ask):
    asked = ask("/ask?position=dealer:5H5DJSQC2H8D@10-0&mine=JSQC")
    (form,) = re.findall(r'<form action="/board".*?</form>', asked.text, re.DOTALL)
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    assert fields == {
        "role": "dealer", "cards": "2H 5D 5H 8D JS QC", "discard": "JS QC", "score": "10-0",
        "stakes": "win", "advice": "1",
    }  # fmt: skip
    address = ask("/board", fields).headers["Location"]
    page = ask(address)
    assert "Which card is cut?" in page.words
    assert re.search("You [^0-9]*10", page.words)
    by_taps(ask, address, ["4C", "7S"], at=3)
    assert "Hint: play" in ask(address).words
    ask(address, {"advice": "0"})
    assert "Hint" not in ask(address).words
    ask(address, {"at": 5, "entry": "8D"})
    assert local_boards().find(address.rpartition("/")[2]).game().hints == [(1, 0, -1)]
    ask(address, {"advice": "1"})
    ask(address, {"at": 6, "entry": "6C"})
    ask(address, {"at": 7, "entry": "2H"})
    assert local_boards().find(address.rpartition("/")[2]).game().hints == [(1, 0, -1), (1, 0, 3)]


def test_a_game_is_interrupted_and_goes_on(played, tmp_path):
    lines, file = lines_of(played), tmp_path / "game.csv"
    done = run(
        "record",
        "--dealer",
        "--score",
        "110-100",
        "-o",
        str(file),
        stdin="\n".join(lines[:4]).encode(),
    )
    assert (done.returncode, file.exists()) == (0, False)
    assert "what was entered is kept" in done.stderr.decode()
    assert "one goes on: --new begins another" in refused("record", "--pone", "-o", str(file))
    done = run("record", "-o", str(file), stdin=b"back\nback\nquit\n")
    assert "goes on" in done.stderr.decode()
    ((_, stored),) = local_boards().latest(over=False)
    assert len(stored.entries) == 2
    wrong = refused_line("record", "-o", str(file), stdin=(lines[2] + "\n9Z\n").encode())
    assert wrong.startswith("line 2: invalid card '9Z'")
    file.mkdir()
    assert refused("record", "-o", str(file))
    file.rmdir()
    done = run("record", "-o", str(file), stdin="\n".join([*lines[3:], ""]).encode())
    assert done.returncode == 0, done.stderr
    assert as_record(pd.read_csv(file, dtype=str, keep_default_na=False)).scores_after.max() == 121
    assert local_boards().latest(over=False) == []


def refused_line(*arguments, **options):
    done = run(*arguments, **options)
    assert done.returncode == 2
    return done.stderr.decode().rpartition("cribev: error: ")[2]


def test_what_players_count_stands_and_is_told():
    game = BoardGame("pone")
    for text in ("5H 5D JS QC 2H 8D", "2H 8D", "4C", "J", "KD", "5D", "go", "5H", "QH", "Q", "QD"):
        game.enter(text)
    assert (game.asks, game.question) == ("reply", "What does your opponent play?")
    game.enter("8C")  # the go before it is the only thing that can be
    assert game.question == "Your hand counts 10"
    own, theirs = game.score
    game.enter("8")
    hand = game.to_count[2].total
    game.enter("=")
    assert game.asks == "crib"
    game.enter("-")
    with pytest.raises(CribevError, match="not seen: expected what it was counted for"):
        game.enter("=")
    with pytest.raises(CribevError, match="from 0 to 29"):
        game.enter("30")
    game.enter("4")
    assert game.score == (own + 8, theirs + hand + 4)
    assert (game.deal.number, game.role(0), game.asks) == (2, "dealer", "hand")
    record = as_record(board_table(game))
    assert record.scores_after.tolist() == [list(game.score)]
    assert record.notes == (f"game 1, deal 1: pone scores {own + 8}, and {own + 10} by the cards",)


@pytest.mark.parametrize("at", ["discarded", "cut", "playing", "counting"])
def test_unfinished_game_is_graded_as_far_as_played(played, at):
    first, second = entered(played)[:2]
    least = {"discarded": 8, "cut": 9, "playing": 13, "counting": first.index("=")}
    entries = [*first, *second[: least[at] if at != "counting" else second.index("=")]]
    game = BoardGame.replay("dealer", (0, 0), entries)
    score = game.score
    assert (game.asks == "count") == (at == "counting")
    game.enter("end")
    assert (game.asks, game.question, game.winner) == ("over", "The game ended here", None)
    with pytest.raises(CribevError, match="the game is over"):
        game.enter("end")
    found = review(board_table(game), fast=True, play=False).decisions
    you = found[found["player"] == "You"]
    assert you["deal"].tolist() == [1] if at == "discarded" else [1, 2]
    whole = review(game_table(played), fast=True, play=False).decisions
    losses = whole[whole["player"] == "You"]["loss"].tolist()[: len(you)]
    assert you["loss"].tolist() == pytest.approx(losses)
    assert you["score_after"].iloc[-1] in ("", "-".join(map(str, score))) or at == "counting"
    assert bool(you["play"].iloc[-1]) == (at in ("discarded", "counting"))


def test_game_can_be_ended_on_page_and_terminal(ask, played):
    first, second = entered(played)[:2]
    with pytest.raises(CribevError, match="no card is cut yet"):
        BoardGame.replay("dealer", (0, 0), [*first[:8], "end"])
    name = local_boards().begin("dealer", (0, 0), entries=(*first, *second[:9]))
    at = len(first) + 9
    page = ask(f"/board/{name}")
    assert 'name="entry" value="end"' in page.text
    assert ask(f"/board/{name}", {"at": str(at), "entry": "end"}).status == 303
    page = ask(f"/board/{name}")
    assert "The game ended here" in page.words
    assert "Review this game" in page.words
    assert local_boards().latest(over=False) == []
    words, score = (
        ask("/play").words,
        BoardGame.replay("dealer", (0, 0), [*first, *second[:9]]).score,
    )
    assert f"Ended {score[0]}–{score[1]}" in words
    lines = ask(f"/board/{name}/game.csv").text
    typed = "\n".join([*first, *second[:9], "end"]) + "\n"
    assert "but for the cards of a play that was not finished" in " ".join(
        run("record", "--help").stdout.decode().split()
    )
    done = run("record", "--new", "--dealer", stdin=typed.encode())
    assert (done.returncode, done.stdout.decode()) == (0, lines)


def test_what_cannot_be_is_refused_in_a_line():
    game = BoardGame("dealer")
    wrong = partial(refusal, game)
    assert wrong("5H 5H") == "a card comes twice in '5H 5H'"
    assert wrong("5") == "'5' in '5' may be 5C or 5D or 5H or 5S: write its suit"
    game.enter("5H 5D JS QC 2H 8D")
    assert wrong("7 K") == "7 is not among your cards: 2H 5D 5H 8D JS QC"
    assert wrong("2H 8D JS") == "expected at most 2 cards, got '2H 8D JS'"
    game.enter("2H")
    assert wrong("2H") == "2H is chosen already"
    game.enter("8")
    assert wrong("5D") == "5D is among your own cards"
    game.enter("4C")
    assert wrong("4C") == "4C is the starter"
    assert wrong("go") == "your opponent cannot say go at a count of 0"
    game.enter("KD")
    assert wrong("8") == "8 is not among your cards: 5D 5H JS QC"
    game.enter("J")
    assert wrong("KD") == "KD was played before"
    game.enter("9C")
    assert game.asks == "reply"
    assert wrong("9D") == "9D does not fit a count of 29"
    assert len(game.entries) == 7


def refusal(game, text):
    before = [*game.entries], game.chosen, game.asks
    with pytest.raises(CribevError) as caught:
        game.enter(text)
    assert before == (game.entries, game.chosen, game.asks)
    return str(caught.value)


def test_queen_is_laid_by_rank():
    lines = ["5H 5D JS QC 2H 8D", "2 8", "4C", "7S", "Q"]
    done = run("record", "--dealer", stdin="\n".join(lines).encode())
    assert "You play QC: 17." in done.stderr.decode()


@pytest.mark.slow
def test_game_counts_once_from_any_source(ask, get, played, store, tmp_path):
    address = ask("/board", {"role": "dealer", "own": "100", "theirs": "96"}).headers["Location"]
    board = BoardGame("dealer", (100, 96))
    for number, entry in enumerate(flat(entered(played))):
        if board.asks == "over":
            break
        board.enter(entry)
        ask(address, {"at": number, "entry": entry})
    reviewed = ask(address + "/review").headers["Location"]
    assert "Learn from mistakes" in ask(reviewed).words
    content = ask(f"{address}/game.csv").text.encode()
    (tmp_path / "game.csv").write_bytes(content)
    done = run("review", str(tmp_path / "game.csv"), "--player", "You", "--practise")
    told = re.search(r"(\d+) decisions of 'You' kept", done.stderr.decode())
    # One game, though the review of the whole of it, which another test began, may end here.
    sizes = Counter(one.session for one in store.read())
    assert len(sizes) == 1
    assert sizes.total() >= int(told[1])
    again = with_file(get, "game.csv", content).headers["Location"]
    assert "Learn from mistakes" in ask(again).words
    ask(f"{again}/1/keep", {})
    assert Counter(one.session for one in store.read()).keys() == sizes.keys()
