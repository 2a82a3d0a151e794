"""The pages of play by HTTP, as a browser without a script sends its forms."""

import html
import io
import re
from functools import partial

import pandas as pd
import pytest
from asking import HOSTILE
from games import deal_by_players, deals_by_players, play_until

from cribev import Position, advise, advise_play
from cribev.advice.decisions import Decision
from cribev.app.games.database import FILE
from cribev.app.games.game import PLAYER, Game
from cribev.app.games.levels import answer_moves
from cribev.app.games.store import GameStore, local_games
from cribev.app.web.guard import QueueFull
from cribev.app.web.pages import card_faces
from cribev.app.web.play import hint_context, hole_at, table_context
from cribev.game.cards import format_cards
from cribev.records.pgn import parse_pgn
from cribev.records.record import as_record

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def begun(ask):
    def begun(**fields):
        answer = ask("/play", {"seed": "", "first": "", "count": "page"} | fields)
        assert answer.status == 303
        return answer.headers["Location"]

    return begun


def fields_of(page, kind):
    return re.findall(rf'name="{kind}" value="([^"]*)"', page.text)


def step(ask, address, *, cards=0):
    """Do what the page asks for, without a script; nothing once the game is over."""
    page = ask(address)
    assert page.status == 200
    at = fields_of(page, "at")[:1]
    if 'class="six"' in page.text:
        chosen = fields_of(page, "card")[cards : cards + 2]
        return ask(f"{address}/discard", {"at": at, "card": chosen})
    if 'class="play"' in page.text:
        legal = re.findall(r'value="(..)" class="play" aria', page.text)
        return ask(f"{address}/play", {"at": at, "card": legal[0]})
    shown = 0
    while re.search(rf'\?show={shown + 1}"', page.text):
        shown += 1
        page = ask(f"{address}?show={shown}")
    if f'action="{address}/next"' not in page.text:
        return None
    return ask(f"{address}/next", {"at": at})


def game_at(address):
    return local_games().find(address.rpartition("/")[2]).game


@pytest.mark.slow
def test_whole_game_plays_without_a_script(ask, begun, monkeypatch):
    # A whole game is reviewed for ten seconds of a processor, whether anybody waits or not.
    monkeypatch.setattr("cribev.app.web.play.review_figures", lambda *_: ([], ""))
    address = begun(seed="12")
    steps = 0
    while answer := step(ask, address, cards=steps % 5):
        assert (answer.status, answer.headers["Location"]) == (303, address)
        steps += 1
    game = game_at(address)
    assert max(game.score) == 121
    assert "/resign" in ask(begun()).text
    assert "/resign" not in ask(address).text
    over = ask(f"{address}?show=9")
    words = "You won" if game.winner == PLAYER else "You lost"
    behind = sum(min(game.score) < line for line in (91, 61))
    ends = [", a skunk", ", a double skunk"] if game.winner == PLAYER else [", skunked"]
    ends = ["", *ends, ", double skunked"]
    assert f"{words} {game.score[0]}–{game.score[1]}{ends[behind]}" in over.words
    assert game.skunks == behind > 0  # of a player who plays what comes first
    assert f"{game.score[0]}–{game.score[1]}{ends[behind]}" in ask("/play").words
    assert over.text.count('class="skunk"') == 2
    first = "dealer" if game.first_dealer == PLAYER else "pone"
    assert html.escape(f"/play?seed=12&first={first}") in over.text
    again = ask(f"{address}/rematch", {}).headers["Location"]
    assert game_at(again).first_dealer == 1 - game.first_dealer
    for what in ("next", "resign", "hint", "play", "discard"):
        refused = ask(f"{address}/{what}", {"card": ["AH", "2H"][: 1 + (what == "discard")]})
        assert refused.status == 409


def test_hidden_cards_are_on_no_page(ask, begun):
    address = begun(first="dealer")  # a cut for the deal is of another deck
    for _ in range(60):
        game = game_at(address)
        deal = deal_by_players(game)
        if len(game.deals) > 2:
            break
        hidden = {*deal.left[1], *deal.discards[1]}
        hidden |= {deal.cut} - {deal.starter}
        if game.phase == "play" or game.phase == "discard":
            page = ask(address).text
            seen = {face["name"] for face in card_faces(format_cards(sorted(hidden)))}
            named = set(re.findall(r"(?:Play the |>|\")([a-z0-9]+ of [a-z]+)", page))
            assert not named & seen
        step(ask, address)
    seed = game_at(address).seed
    ask(f"{address}/hint", {})
    exports = [f"{address}/{what}" for what in ("game.csv", "game.pgn", "review")]
    for path in (address, "/play", *exports):
        told = ask(path)
        assert told.status == (409 if path in exports else 200)
        for written in (str(seed), f"{seed:x}", f"{seed ^ 1 << 128:x}"):
            assert written not in f"{told.headers}{told.text}"


def test_illegal_moves_are_refused_and_change_nothing(ask, begun):
    address = begun(seed="7", first="dealer")
    six, before = fields_of(ask(address), "card"), game_at(address).moves
    for cards in ([], six[:1], six[:3], ["AH", "AD"], ["x", HOSTILE]):
        refused = ask(f"{address}/discard", {"card": cards})
        assert refused.status == 422
        assert 'role="alert"' in refused.text
        assert "<img" not in refused.text
    for early in ("play", "next", "swap"):
        assert ask(f"{address}/{early}", {"card": six[0]} if early == "play" else {}).status == 409
    assert game_at(address).moves == before
    stale = {"at": str(len(before)), "card": six[:2]}
    assert ask(f"{address}/discard", stale).status == 303
    assert ask(f"{address}/discard", stale).status == 409
    assert ask(f"{address}/nonsense", {}).status == 404
    assert ask(f"{address}/play", {"card": six[0]}, Origin="http://evil.example").status == 403
    assert ask("/play/nothing").status == ask("/play/" + "x" * 16).status == 404
    for query in ("show=10", "show=x", "counted=x", "nonsense=1"):
        assert ask(f"{address}?{query}").status == 400


def test_hints_are_noted(ask, begun):
    address = begun(seed="7", first="dealer")
    first = ask(address)
    assert "Hint: discard" not in first.words
    assert "autofocus" not in first.text  # no card looks chosen, and none is
    card = fields_of(first, "card")[2]
    asked = ask(f"{address}/hint", {"card": card})
    assert asked.status == 303
    told = ask(asked.headers["Location"])
    assert "Hint: discard" in told.words
    assert told.text.count(" checked") == told.text.count(f'value="{card}" checked') == 1
    assert told.text.count(", in the hint") == 2
    step(ask, address)
    ask(f"{address}/hint", {})
    assert re.search("Hint: (play|lead) the", ask(address).words)
    assert [whose for _, whose, _ in game_at(address).hints] == [PLAYER, PLAYER]
    rows = hint_context(Position.parse("pone:5H5DJSQC2H8D"))["rows"]
    assert [row["is_best"] for row in rows] == [True, False, False, False]


@pytest.mark.slow
def test_best_line_is_shown_after_the_deal(ask, begun):
    address = begun(seed="7", first="pone")
    assert "best line" not in ask(f"{address}?line=1").words
    with local_games().playing(address.rpartition("/")[2]) as game:
        play_until(game, "next")
    link = re.search(r'class="plain line" href="([^"]*)"', ask(f"{address}?show=2").text)[1]
    page = ask(link.replace("&amp;", "&"))
    line = page.text.partition("The best line of this deal")[2]
    chosen = [
        (position, advise_play(position) if position.to_do == "card" else advise(position))
        for position, _ in game.deal.decisions("pone")
        if len(position.legal_ranks) > 1
    ]
    shown = re.findall(r'<li class="worst (\w+)">.*?href="/ask\?position=([^"@]*)', line)
    assert [text for _, text in shown] == [str(one).partition("@")[0] for one, _ in chosen]
    assert shown[0][0] == Decision.of(chosen[0][1].options, game.deal.pone.discard).verdict
    assert ("show=2" in link, "Your opponent’s" in page.words) == (True, True)


def test_seed_deals_same_cards_to_both_seats(ask, begun):
    games = [game_at(begun(seed="7", first=first)) for first in ("dealer", "pone", "dealer")]
    hands = [deal_by_players(game).hands for game in games]
    assert hands[0] == hands[1][::-1] == hands[2]
    lobby = ask("/play?seed=7&first=pone")
    assert '<input type="hidden" name="seed" value="7">' in lobby.text
    assert "you have the hands your friend had" in lobby.words
    for wrong in (
        *({"seed": seed} for seed in ("x", "-1", str(2**129))),
        {"first": "king"}, {"level": "clubs"}, {"a": "b"},
    ):  # fmt: skip
        assert ask("/play", {"seed": "", **wrong}).status == 400


def test_opponents_have_a_level(ask, begun):
    assert 'value="club" checked' in ask("/play").text
    address = begun(seed="7", first="dealer", level="beginner")
    assert 'value="beginner" checked' in ask("/play").text  # who was played last
    assert 'value="expert" checked' in ask("/play?seed=7&first=pone&level=expert").text
    assert ask("/play?level=x").status == 400
    table = ask(address)
    assert "A game against Beginner" in table.words
    assert "The expert" not in table.words
    ask(f"{address}/resign", {})
    over = ask(f"{address}?show=9")
    over.says("Play the other side", "Try these cards again")
    over.holds('href="/play?seed=7&amp;first=dealer')
    swapped = ask(f"{address}/swap", {}).headers["Location"]
    hands = [deal_by_players(game_at(at)).hands for at in (address, swapped)]
    assert hands[0] == hands[1][::-1]
    assert local_games().find(swapped.rpartition("/")[2]).level == "beginner"


def test_a_game_left_goes_on_in_any_browser(ask):
    answer = ask("/play", {"seed": "7", "first": "dealer", "count": "me"})
    address = answer.headers["Location"]
    given = answer.headers.get_all("Set-Cookie")
    assert all("HttpOnly" in line and "strict" in line.lower() for line in given)
    cookies = "; ".join(line.partition(";")[0] for line in given)
    assert "Let the page count" in ask(address, Cookie=cookies).words
    lobby = ask("/play")
    assert f'href="{address}"' in lobby.text
    assert "in one list for all who play here" in lobby.words
    resigned = ask(f"{address}/resign", {}, Cookie=cookies)
    assert resigned.headers["Location"] == f"{address}?show=9"
    assert "You resigned at 0–0" in ask(f"{address}?show=9").words
    refused = ask(f"{address}/review")
    assert (refused.status, "given up before the first cut" in refused.words) == (409, True)
    assert "resigned at 0–0 –" in ask("/play").words


def test_play_is_shown_before_hands_are_counted(ask, begun):
    address = begun(seed="7", first="pone", count="me")
    with local_games().playing(address.rpartition("/")[2]) as game:
        play_until(game, "next")
    played = game.deal.play
    before = [event.score for event in game.events if event.show is None][-1]
    page = ask(address)
    assert page.text.count("data-played") == len(played.played) == 8
    assert [int(points) for points in re.findall(r'-points">(\d+)<', page.text)] == [*before[::-1]]
    assert "How many points" not in page.words
    assert "/resign" not in page.text  # else its absence would tell that the hands decide
    counting = ask(re.search(r'class="go" href="([^"]*)"', page.text)[1])
    assert "hand" in counting.words
    told = re.search(r'id="said"[^>]*>(.*?)</p>', counting.text, re.DOTALL)[1]
    assert told.count(" hand: ") == 1
    assert " play " not in told
    assert "data-played" not in counting.text
    # The page on which games begin tells no more than that.
    lobby = ask("/play").words
    assert f"Go on at {before[0]}–{before[1]} Club, deal 1" in lobby
    assert "the hands are to be counted" in lobby


def test_deleted_game_is_gone(ask, begun):
    kept, gone = begun(seed="7", first="pone"), begun(seed="8", first="pone")
    ask(f"{gone}/resign", {})
    assert f'<summary>Delete</summary><form action="{gone}/forget"' in ask("/play").text
    assert ask(f"{gone}/forget", {}).headers["Location"] == "/play"
    lobby = ask("/play")
    assert (gone in lobby.text, kept in lobby.text) == (False, True)
    assert ask(gone).status == ask(f"{gone}/forget", {}).status == 404


def test_a_result_is_listed_once_it_was_seen(ask, begun, monkeypatch):
    monkeypatch.setattr("cribev.app.web.play.review_figures", lambda *_: ([], ""))
    address = begun(seed="7", first="pone")
    name = address.rpartition("/")[2]
    with local_games().playing(name) as game:
        play_until(game)
    assert "Games played" not in ask("/play").words
    assert "win" not in ask(address).words.partition("Resign")[0]
    ask(f"{address}?show=9")
    lobby = ask("/play").words
    assert "Games to go on with" not in lobby
    assert f"Club {'won' if game.winner == PLAYER else 'lost'} {game.score[0]}–" in lobby
    assert f"{game.score[0]}–{game.score[1]} – same cards , other side" in lobby


def test_who_counts_types_the_points():
    game = Game(7, dealer=0)
    play_until(game, "next")
    own = next(at for at, hand in enumerate(game.shown, 1) if hand.player == 0)
    asks, told = (table_context(game, own, counted, counts=True) for counted in (None, 1))
    show, points = asks["show"], game.shown[own - 1].show.total
    assert (show["asks"], show["combinations"], show["total"]) == (True, [], 0)
    assert told["show"]["total"] == points == told["score"][0] - asks["score"][0]
    assert not table_context(game, own, None, counts=False)["show"]["asks"]
    last = table_context(game, 9, None, counts=True)
    assert (last["to_do"], last["score"]) == ("next", game.score)


@pytest.mark.parametrize("player", [0, 1])
def test_every_hole_is_another(player):
    holes = [hole_at(player, score) for score in range(122)]
    assert len({*holes}) == 122
    between = [hole_at(1 - player, score) for score in range(121)]
    assert {*holes[:121]}.isdisjoint(between)


@pytest.mark.slow
def test_finished_game_is_reviewed(ask, begun):
    address = begun(seed="7", first="dealer")
    assert ask(f"{address}/review").status == ask(f"{address}/game.csv").status == 409
    ask(f"{address}/hint", {})
    while len(game_at(address).deals) < 3:
        step(ask, address, cards=4)
    ask(f"{address}/resign", {})
    over = ask(f"{address}?show=9")
    assert "Every discard and every card is being graded." in over.words
    assert 'http-equiv="refresh"' in over.text
    reviewed = ask(f"{address}/review").headers["Location"]
    page = ask(reviewed)
    page.says("Learn from mistakes", "You :")
    assert "Club : " not in page.words.partition("Review another game")[0]
    told = ask(f"{address}?show=9")
    assert "data-pending" not in told.text
    told.says("You reached ", "of the game, the opponent’s errors brought ", "You asked for a hint")
    study = told.text.partition("Study this first")[2]
    assert f'href="{reviewed}#p1-d' in study
    assert 'href="/ask?position=' in study
    assert told.text.partition("Study this first")[0].count('class="dot ') >= 3
    for words in ("Accuracy", "Points lost", "by cards", "Luck"):
        assert words in told.words
    game = game_at(address)
    frame = pd.read_csv(io.StringIO(ask(f"{address}/game.csv").text), dtype=str)
    again = pd.DataFrame(as_record(parse_pgn(ask(f"{address}/game.pgn").text)).frame)
    hands = deals_by_players(game)[0].hands[:: 1 - 2 * game.first_dealer]
    for record in (frame, again):
        assert record["cards"].tolist()[:2] == [format_cards(hand) for hand in hands]
    assert frame["hints"].tolist()[0] == "discard"
    assert {*frame["player"]} == {"You", "Club"}
    assert ask(f"{address}/game.exe").status == 404
    assert re.search(r"Club resigned at \d+–\d+ [\d.]+ same cards", ask("/play").words)


def test_a_review_that_finds_no_room_begins_later(ask, begun):
    def full(*_, **__):
        raise QueueFull

    address = begun(seed="7", first="dealer")
    with local_games().playing(address.rpartition("/")[2]) as game:
        play_until(game, "next")
        game.next_deal(PLAYER)
    ask(f"{address}/resign", {})
    with pytest.MonkeyPatch.context() as crowd:
        crowd.setattr("cribev.app.web.play.begin_review", full)
        over = ask(f"{address}?show=9")
        assert "This game is reviewed after them" in over.words
        assert "data-pending" in over.text  # so that it is asked for again
    assert "Every discard and every card is being graded." in ask(f"{address}?show=9").words


@pytest.mark.slow
def test_next_server_reviews_a_game_that_is_looked_at(ask, folder):
    former = GameStore(folder / FILE)
    name = former.create(seed=7, dealer=PLAYER)
    with former.playing(name) as game:
        while game.phase in ("discard", "play"):
            if game.to_do(PLAYER) != "wait":
                game.hint(PLAYER)
                if game.phase == "discard":
                    game.discard(PLAYER, "3H KC")
                else:
                    game.play(PLAYER, game.legal(PLAYER)[0])
            answer_moves(game)
        game.resign(PLAYER)
    reviewed = ask(ask(f"/play/{name}/review").headers["Location"])
    assert "Club : nothing to look at" not in reviewed.words
    over = ask(f"/play/{name}?show=9")
    assert re.search(r" You resigned at \d+–\d+: errors cost ", over.words)
    assert " You discarded " not in over.words
    for page in (reviewed, over):
        assert re.search("Accuracy – of 100, without what came after [4-5] hints", page.words)


@pytest.mark.slow
@pytest.mark.usefixtures("fast_reviews")
def test_an_example_is_reviewed(ask):
    address = ask("/review/example").headers["Location"]
    assert "Greedy won 121–116: errors cost " in ask(address).words
    assert ask("/review/example").headers["Location"] == address


def test_counting_on_the_page(ask, begun):
    ask = partial(ask, Cookie="cribev_counts=me")
    address = begun(seed="7", first="dealer", count="me")
    name = address.rpartition("/")[2]
    with local_games().playing(name) as game:
        play_until(game, "next")
    to_count = 'name="show" value="'
    assert to_count not in ask(f"{address}?show=1").text
    for number, off in ((2, -2), (3, 1)):
        page = ask(f"{address}?show={number}")
        page.holds(f'{to_count}{number}"')
        show = local_games().find(name).game.shown[number - 1].show
        assert show.spoken not in page.text
        page = ask(f"{address}?show={number}&counted={show.total + off}")
        told = f"{-off} missed" if off < 0 else f"{off} too many"
        assert f"You said {show.total + off}: {told}" in page.words
        assert f"You get {'all ' if off < 0 else ''}{show.total}" in page.words
    for wrong in ("30", "x", "-1"):
        assert ask(f"{address}?show=3&counted={wrong}").status == 400
    assert ask(f"{address}/next", {}).status == 303
    ask("/play").holds('name="count" value="me" checked')
