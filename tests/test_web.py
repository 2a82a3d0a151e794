"""The pages in a server of their own, asked over the loopback."""

import asyncio
import contextlib
import html
import http.client
import io
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from html.parser import HTMLParser
from urllib.parse import quote, unquote_plus, urlencode

import pytest
from games import random_games

from cribev import advise, advise_ranks, review
from cribev.commands import cli
from cribev.deal.advice_look import sum_of
from cribev.deal.at_the_score import at_the_score, more_wins, percent, spoken
from cribev.errors import CribevError
from cribev.files.meanings import COLUMNS
from cribev.reviews.records import TEMPLATE
from cribev.web import api, guard, incoming, reviews, serving
from cribev.web.app import make_app
from cribev.web.forms import COLUMNS as TYPED
from cribev.web.lanes import Busy, Lane
from cribev.web.serving import bound

DEAL = "5H5DJSQC2H8D"
HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>'


class Answer:
    def __init__(self, answer):
        self.status, self.headers, self.body = answer.status, answer.headers, answer.read()

    @property
    def text(self):
        return self.body.decode()

    @property
    def words(self):
        return " ".join(html.unescape(re.sub("<[^>]*>", " ", self.text)).split())

    @property
    def json(self):
        return json.loads(self.body)


@pytest.fixture
def get(site):
    def get(path, *, method="GET", body=None, **headers):
        connection = http.client.HTTPConnection(site, timeout=60)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    return get


def with_file(get, name, content):
    head = f'--x\r\nContent-Disposition: form-data; name="record"; filename="{name}"\r\n\r\n'
    body = head.encode() + content + b"\r\n--x--\r\n"
    return get("/review", method="POST", body=body, Content_Type="multipart/form-data; boundary=x")


def with_form(get, **fields):
    body = urlencode(fields, doseq=True)
    kind = "application/x-www-form-urlencoded"
    return get("/review", method="POST", body=body, Content_Type=kind)


def printed(*arguments):
    """What the command line prints, as JSON."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert cli.main([*arguments, "--format", "json"]) == 0
    return json.loads(out.getvalue())


@contextlib.contextmanager
def running(host):
    """A server of its own, by its port."""
    with bound(host, 0) as taken:
        server = serving.server_on(taken, host=host)
        thread = threading.Thread(target=server.run, args=[[taken]], daemon=True)
        thread.start()
        yield taken.getsockname()[1]
        server.should_exit = True
        thread.join()


class Whole(HTMLParser):
    """A page whose elements close in order; its tags and attributes."""

    EMPTY = ("meta", "link", "br", "input", "img")

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes = [], set(), []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += [(tag, *pair) for pair in attributes]
        if tag not in self.EMPTY and not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.get_starttag_text().endswith("/>") or self.open[-1:] == [tag]:
            assert self.open.pop() == tag


@pytest.mark.parametrize("role", ["dealer", "pone"])
def test_a_question_by_its_address(get, role):
    answer = get(f"/?cards={DEAL}&role={role}")
    advice = advise(DEAL, role=role)
    assert answer.status == 200
    assert sum_of(advice.best, role).replace("-", "−") in answer.words
    assert re.findall(r"<b>([−\d.]+)</b></td>", answer.text) == [
        f"{choice.expected:.2f}".replace("-", "−") for choice in advice.choices
    ]
    why = advice.explain()
    assert why.locked_in.spoken in answer.words
    assert answer.text.count('class="shade') == 46


def test_what_my_own_throw_would_cost(get):
    advice = advise(DEAL, role="pone")
    words = get(f"/?cards={DEAL}&role=pone&mine=5h5d").words
    lost = advice.best.expected - advice.compare("5H 5D").choice.expected
    assert re.search(rf"Your throw 5♦ 5♥ costs {lost:.2f} : blunder", words)
    assert "Ahead after 0 of the 46 starters" in words
    assert re.search("Your throw 2♥ 8♦ is best", get(f"/?cards={DEAL}&role=pone&mine=2H8D").words)


def test_a_link_that_was_passed_on_still_asks(get):
    assert get(f"/?cards={DEAL}&role=pone&fbclid=x&utm_source=mail").status == 200
    assert get(f"/?cards={DEAL}&role=pone&card=x").status == 400


def test_a_question_at_a_score(get):
    answer = get(f"/?cards={DEAL}&role=pone&own=115&theirs=116")
    assert (answer.status, answer.headers["Location"][-14:]) == (303, "&score=115-116")
    advice = advise(DEAL, role="pone", score=(115, 116))
    answer = get(answer.headers["Location"] + "&mine=5D5H")
    assert re.findall(r"<td><b>([\d.]+%)</b>", answer.text) == [
        percent(choice.win) for choice in advice.choices
    ]
    assert f"Wins {percent(advice.best.win)} at 115-116: you need 6 and count first" in answer.words
    assert spoken(at_the_score(advice.choices), "5D 5H")[4:30] in answer.words
    mine = advice.compare("5D 5H")
    assert f"Your throw 5♦ 5♥ : {more_wins(mine.choice.win - mine.other.win)}" in answer.words
    assert 'name="own" value="115"' in answer.text
    starred = get(f"/?cards={DEAL}&role=pone&score=115%E2%80%93116*")
    assert f"Wins {percent(advice.best.win)} at 115-116" in starred.words
    assert get("/?cards=258-9JK&score=115-116").status == 400


def test_hands_without_suits(get):
    answer = get("/?cards=5+5+J+Q+2+8&role=dealer&mine=JQ")
    best = advise_ranks("5 5 J Q 2 8", role="dealer").best
    assert sum_of(best, "dealer") in answer.words
    assert "averages over 1,536 deals" in answer.words
    assert re.search(r"Your throw J Q costs \d", answer.words)
    assert get("/?cards=55JQ28&mine=5H5D").status == 400


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("cards=5H5D1X", "'1X' is not a card"),
        ("cards=5H5D", "expected 6 cards, got 2 in '5H5D'"),
        (f"cards={DEAL}&role=eldest", "'eldest' is not a role"),
        (f"cards={DEAL}&score=95-130", "'95-130' is not a score: expected your points"),
        (f"cards={DEAL}&score=95:110", "'95:110' is not a score"),
        (f"cards={DEAL}&score=%EF%BC%91-2", "'１-2' is not a score"),
        (f"cards={DEAL}&own=%EF%BC%91&theirs=2", "'１-2' is not a score"),
        (f"cards={DEAL}&role=pone&score=95*-110", "the star is at the points of the player"),
        (f"cards={DEAL}&score=95-110&own=5&theirs=7", "'score' is given, '95-110', and 'own'"),
        (f"cards={DEAL}&mine=AHAD", "are not two of the cards dealt"),
        (f"cards={DEAL}&toggle=AH", "six cards are chosen: put one back before AH"),
        (f"cards={DEAL}&toggle=1X", "'1X' is not a card"),
        ("cards=" + quote(HOSTILE), "is not a card"),
        (f"cards={DEAL}&mine=" + quote(HOSTILE), "is not a card"),
        (f"cards={DEAL}&role=" + quote(HOSTILE), "is not a role"),
    ],
)
def test_what_is_wrong_is_quoted_and_what_was_typed_stays(get, address, told):
    answer = get(f"/?{address}")
    assert answer.status == 400
    assert told in answer.words
    read = Whole(answer.text)
    typed = dict(pair.split("=") for pair in address.split("&"))["cards"]
    assert ("input", "value", unquote_plus(typed)) in read.attributes
    assert "img" not in read.tags
    assert not any(name.startswith("on") for _, name, _ in read.attributes)


def test_pages_pick_none_of_two_contradictory_parameters(get):
    for address, told in (
        (f"/?cards={DEAL}&cards=AHAD", "'cards' is given more than once"),
        (f"/?cards={DEAL}&cut=5C", "no such parameter: 'cut'; expected cards, role, score"),
        ("/review?fast=1", "no such parameter: 'fast'; expected none"),
        ("/practice?seed=1&seed=2", "'seed' is given more than once"),
        ("/practice/new?seed=1&seed=2", "'seed' is given more than once"),
        ("/api?cards=5H", "no such parameter: 'cards'"),
    ):
        answer = get(address)
        assert answer.status == 400
        assert told in answer.words
    throw = get("/practice", method="POST", body="seed=1&seed=2&throw=5H")
    assert (throw.status, "'seed' is given more than once" in throw.words) == (400, True)


def test_cards_are_clicked_without_a_script(get):
    page, cards = get("/").text, []
    for card in ("5H", "5D", "JS", "QC", "2H"):
        assert f'name="toggle" value="{card}"' in page
        page = get(f"/?cards={'+'.join(cards)}&role=pone&toggle={card}").text
        cards.append(card)
        assert page.count('aria-pressed="true"') == len(cards)
        assert f'value="{" ".join(cards)}"' in page
    back = get("/?cards=5H+5D&toggle=5H").text
    assert 'value="5D"' in back
    last = get(f"/?cards={'+'.join(cards)}&role=pone&own=&theirs=&toggle=8D")
    assert (last.status, last.headers["Location"]) == (303, f"/?cards={DEAL}&role=pone")
    dealt = get("/?random=1&role=pone&cards=")
    assert dealt.status == 303
    assert get(dealt.headers["Location"]).status == 200


def test_advice_is_that_of_the_command_line(get):
    cards = "5H 5D JS QC 2H 8D"
    assert get(f"/api/advice?cards={DEAL}").json == printed("advise", cards)
    more = get(f"/api/advice?cards={DEAL}&role=pone&explain=1&versus=5H5D&top=3&show_only=1").json
    options = ("--pone", "--explain", "--versus", "5H5D", "--top", "3", "--show-only")
    assert more == printed("advise", cards, *options)
    table = get(f"/api/advice?cards={DEAL}&role=dealer&opponent=uniform&crib_table=schell").json
    options = ("--dealer", "--opponent", "uniform", "--crib-table", "schell")
    assert table == printed("advise", cards, *options)
    scored = get(f"/api/advice?cards={DEAL}&role=dealer&score=115-110&explain=1").json
    assert scored == printed("advise", cards, "--dealer", "--score", "115-110", "--explain")
    assert get("/api/advice?cards=258-9JK&role=dealer").json == printed(
        "advise", "2 5 8 9 J K", "--dealer"
    )


def test_the_api_is_documented(get):
    words = get("/api").words
    for parameters in (api.ADVICE, api.SCORE, reviews.REVIEW):
        for name, meaning in parameters.items():
            assert f"{name} {meaning}" in words
    for name in ("win", "play_own", "ev_loss", "verdict"):
        assert f"{name} {COLUMNS[name]}" in words


def test_score_is_that_of_the_command_line(get):
    for address, arguments in (
        ("cards=5C6D7DQH6H", ["5C 6D 7D QH 6H"]),
        ("cards=5H6H7H8H&crib=1", ["5H 6H 7H 8H", "--crib"]),
        ("cards=5C6D7DQH6H&explain=1", ["5C 6D 7D QH 6H", "--explain"]),
    ):
        assert get(f"/api/score?{address}").json == printed("score", *arguments)


def test_review_is_that_of_the_command_line(get, data):
    record = (data / "game.csv").read_bytes()
    found = get("/api/review?fast=1", method="POST", body=record)
    assert found.headers["Content-Type"] == "application/json"
    assert found.json == printed("review", str(data / "game.csv"), "--fast")
    found = get("/api/review?player=Ann&show_only=1&fast=1", method="POST", body=record).json
    options = ("--player", "Ann", "--show-only", "--fast")
    assert found == printed("review", str(data / "game.csv"), *options)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("/api/advice", "expected 6 cards, got none in ''"),
        ("/api/advice?card=5H", "no such parameter: 'card'"),
        ("/api/advice?cards=5H&cards=6H", "'cards' is given more than once"),
        (f"/api/advice?cards={DEAL}&top=0", "top='0': expected a whole number from 1 to 15"),
        (f"/api/advice?cards={DEAL}&top=\u00b2", "expected a whole number"),
        (f"/api/advice?cards={DEAL}&opponent=/etc/passwd", "opponent='/etc/passwd': expected"),
        (f"/api/advice?cards={DEAL}&crib_table=/etc/passwd", "crib_table='/etc/passwd': expected"),
        (f"/api/advice?cards={DEAL}&explain=maybe", "explain='maybe': expected 1 or 0"),
        ("/api/score?cards=5C6D7D", "expected four cards and the starter"),
        ("/api/score?cards=%0A5X", "'5X' is not a card"),
    ],
)
def test_the_api_says_in_a_line_what_is_wrong(get, address, told):
    answer = get(quote(address, safe="/?=&%"))
    assert answer.status == 400
    assert list(answer.json) == ["error"]
    assert told in answer.json["error"]
    assert "\n" not in answer.json["error"]


def test_records_that_cannot_be(get):
    for body, told in (
        (b"", "is empty"),
        (b"game,deal\n1,1\n", "no column 'player' in the record"),
        (b"\xff\xfe", "not UTF-8"),
        (b"game,deal\n\0,1\n", "'record.csv' is not text"),
        (b' \n{"game": 1}\n', "'record.csv' is JSON: format=jsonl"),
        (b"[1]", "'record.csv' is JSON: format=jsonl"),
        (TEMPLATE.replace("2H 8D,4C", "2H 9D,4C").encode(), "not two of the six cards"),
    ):
        answer = get("/api/review", method="POST", body=body)
        assert answer.status == 400
        assert told in answer.json["error"]
    said = {"method": "POST", "Content_Type": "application/json"}
    assert "JSON: format=jsonl" in get("/api/review", body=TEMPLATE.encode(), **said).text
    assert get("/api/review?format=csv", body=TEMPLATE.encode(), **said).status == 200
    row = dict(zip(*(line.split(",") for line in TEMPLATE.splitlines()[:2]), strict=True))
    line = json.dumps(row).encode()
    lines = get("/api/review?format=jsonl", body=line, **said)
    assert lines.json == get("/api/review", method="POST", body=TEMPLATE.encode()).json
    assert "'game.csv' is JSON" in with_file(get, "game.csv", line).words
    body = random_games(16, deals=16, seed=1).to_csv(index=False).encode()
    assert "fast=1 takes the class tables" in get("/api/review", method="POST", body=body).text
    with pytest.raises(CribevError, match="too many here"):
        reviews.reviewed(random_games(40, deals=16, seed=1).to_csv(index=False).encode(), "a.csv")


def test_scores_that_are_left_out_are_spoken_of(get, data):
    game = random_games(3, deals=9, seed=1)
    score = game["player"].map({"Ann": "95-110", "Ben": "110-95"})
    content = game.assign(score=score).to_csv(index=False).encode()
    address = with_file(get, "long.csv", content).headers["Location"]
    told = f"Scores were given, and left out: {len(game)} discards are too many"
    assert (
        f"{told} to weigh them here, where {reviews.EXACT_AT_SCORES} is the most"
        in get(address).words
    )
    refused = get("/api/review", method="POST", body=content)
    assert refused.status == 400
    assert (
        "where 48 is the most: fast=1 takes the class tables and leaves the scores" in refused.text
    )
    for limit in ("48 discards with scores", "200 without"):
        assert limit in get("/api").words
    short = with_file(get, "short.csv", (data / "game.csv").read_bytes()).headers["Location"]
    assert "left out" not in get(short).words


def test_a_record_brought_and_its_mistakes(get, data):
    brought = with_file(get, "game.csv", (data / "game.csv").read_bytes())
    assert brought.status == 303
    address = brought.headers["Location"]
    page = get(address)
    Whole(page.text)
    assert "Ann : 2 to look at" in page.words
    found = review(data / "game.csv")
    worst = found.decisions.iloc[found.costliest(1)[0]]
    asked = [get(f"{address}/1/{number}").text for number in (1, 2)]
    assert not any(worst["best_discard"] in page or "expected" in page for page in asked)
    thrown = "&".join(f"throw={card}" for card in worst["best_discard"].split())
    at = next(at for at, page in enumerate(asked, 1) if f"deal {worst['deal']}." in page)
    told = get(f"{address}/1/{at}?{thrown}").text
    Whole(told)
    assert "Found now!" in told
    assert f"<b>{worst['ev_loss']:.2f} lost</b>" in told
    assert "expected 2 cards, got 1" in get(f"{address}/1/1?throw=AH").words
    assert get(f"{address}/1/3").status == get("/review/nothing").status == 404


def test_a_mistake_by_the_score(get):
    row = "game,deal,player,role,cards,discard,score\n1,1,Ann,pone,AH2C7D9SJHQC,9SJH,115-116*\n"
    address = with_file(get, "end.csv", row.encode()).headers["Location"] + "/1/1"
    assert "The score is 115-116, yours first." in get(address).words
    told = get(address + "?throw=9S&throw=JH").words
    wins = advise("AH2C7D9SJHQC", role="pone", score=(115, 116)).compare("9SJH")
    assert f"{100 * (wins.other.win - wins.choice.win):.1f}% of a game lost" in told
    assert f"Wins {percent(wins.other.win)} at 115-116" in told


def test_names_from_outside_stay_text(get, data):
    name = HOSTILE.replace('"', '""')
    record = (data / "game.csv").read_text().replace("Ann", f'"{name}"')
    brought = with_file(get, "%22><img src=x onerror=alert(1)>.csv", record.encode())
    assert brought.status == 303
    for address in (brought.headers["Location"], brought.headers["Location"] + "/1/1"):
        read = Whole(get(address).text)
        assert not read.tags & {"img"}
        assert [pair for pair in read.attributes if pair[1].startswith("on")] == []
        assert [value for tag, name, value in read.attributes if (tag, name) == ("script", "src")]
    refused = with_file(get, "<img src=x>.exe", b"")
    assert refused.status == 400
    assert "what format is '<img src=x>.exe'?" in refused.words


def test_deals_are_typed(get):
    row = {**dict.fromkeys(TYPED, ""), "cards": "5H 5D JS QC 2H 8D", "discard": "JS QC"}
    row["starter"] = "4C"
    brought = with_form(get, player="Ann", first="pone", **row)
    assert brought.status == 303
    words = get(brought.headers["Location"]).words
    assert "as pone (opponent’s crib)" in words
    saved = with_form(get, player="Ann", first="pone", save="1", **row)
    assert saved.headers["Content-Type"].startswith("text/csv")
    lines = saved.text.splitlines()
    assert lines[1] == "1,1,Ann,pone,5H 5D JS QC 2H 8D,JS QC,4C,,,,"
    assert lines[0].startswith(TEMPLATE.splitlines()[0])
    bad = with_form(get, player="Ann", **{**row, "discard": "JS QD"})
    assert bad.status == 400
    assert "column 'discard', 'JS QD': not two of the six cards" in bad.words
    assert 'value="JS QD"' in bad.text
    more = with_form(get, more="1", **{name: [value] * 12 for name, value in row.items()})
    assert more.text.count('<fieldset class="deal">') == 18
    assert with_form(get, player="Ann").status == 400
    king = with_form(get, first="king", **row)
    assert (king.status, "'king' is not a role: expected" in king.words) == (400, True)
    twice = with_form(get, first=["pone", "dealer"], **row)
    assert (twice.status, "'first' is given more than once" in twice.words) == (400, True)
    assert with_form(get, cards=[""] * 61).status == 400
    assert with_file(get, "", b"").status == 400


PAGES = ["/", f"/?cards={DEAL}&role=pone&mine=5H5D", "/?cards=258-9JK", "/review", "/api", "/no"]


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_whole_named_and_of_this_server_alone(get, path):
    read = Whole(get(path).text)
    assert ("html", "lang", "en") in read.attributes
    assert {"main", "header", "nav", "footer", "h1", "title"} <= read.tags
    for tag, name, value in read.attributes:
        assert name != "style"
        assert not name.startswith("on")
        if name in ("src", "href", "action", "formaction"):
            assert re.match(r"/(?!/)|#", value), (tag, value)


def test_cards_have_names(get):
    text = get("/").text
    names = re.findall(r'class="pick[^"]*" aria-label="([^"]+)" aria-pressed="false"', text)
    assert len(set(names)) == 52
    assert {"ace of spades", "5 of hearts", "ten of clubs"} <= set(names)


def test_every_answer_is_held_to_itself(get):
    for path in (*PAGES, "/static/web.js?1", "/api/score?cards=1", "/api/nothing"):
        headers = get(path).headers
        rules = headers["Content-Security-Policy"]
        assert "default-src 'none'" in rules
        assert "frame-ancestors 'none'" in rules
        assert "unsafe" not in rules
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["Server"] is None
    assert "default-src 'none'" in get("/", Host="evil.example").headers["Content-Security-Policy"]


def test_the_server_answers_to_its_own_names_alone(get, site):
    port = site.partition(":")[2]
    for host in (site, f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}"):
        assert get("/api/score?cards=5C6D7DQH6H", Host=host).status == 200
    for host in ("evil.example", f"evil.example:{port}", "localhost", f"127.0.0.1.evil:{port}", ""):
        assert get("/api/score?cards=5C6D7DQH6H", Host=host).status == 421


def test_other_pages_send_nothing(get, site):
    body = TEMPLATE.encode()
    for origin in ("http://evil.example", "null", f"http://{site}.evil.example"):
        assert get("/api/review", method="POST", body=body, Origin=origin).status == 403
    assert get("/api/review", method="POST", body=body, Origin=f"http://{site}").status == 200


def test_what_is_too_long_is_refused(get, site):
    assert get("/?cards=" + "5" * guard.LONGEST_ADDRESS).status == 414
    too_much = b"x" * (incoming.LONGEST_BODY + 1)
    with contextlib.suppress(ConnectionError):  # it may close while we still send
        assert get("/api/review", method="POST", body=too_much).status == 413
    with socket.create_connection(site.split(":")) as endless:
        endless.sendall(b"GET / HTTP/1.1\r\n")
        with contextlib.suppress(ConnectionError):
            for _ in range(1000):
                endless.sendall(b"X-More: " + b"x" * 1000 + b"\r\n")
        with contextlib.suppress(ConnectionError):
            assert endless.recv(100).split()[1:2] in ([b"400"], [])
    assert get("/api/score?cards=5C6D7DQH6H").status == 200


def test_programs_are_refused_in_json(get):
    for status, answer in (
        (414, get("/api/score?cards=" + "5" * guard.LONGEST_ADDRESS)),
        (421, get("/api/score?cards=5C6D7DQH6H", Host="evil.example")),
        (403, get("/api/review", method="POST", body=b"", Origin="http://evil.example")),
    ):
        assert (answer.status, list(answer.json)) == (status, ["error"])
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_who_leaves_while_sending_is_not_spoken_of(capfd):
    messages = [
        {"type": "http.request", "body": b"game", "more_body": True},
        {"type": "http.disconnect"},
    ]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/review",
        "raw_path": b"/api/review",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8121")],
        "server": ("127.0.0.1", 8121),
    }

    async def receive():
        return messages.pop(0)

    async def send(_):
        pass

    asyncio.run(make_app()(scope, receive, send))
    assert messages == []
    assert capfd.readouterr().err == ""


def test_other_methods_and_addresses(get):
    assert get("/api/review").status == 405
    assert get("/", method="POST", body=b"").status == 405
    assert get("/static/../app.py").status == get("/static/nothing").status == 404
    assert get("/api/nothing").json == {"error": "there is no such page"}
    assert get("/", method="HEAD").body == b""


def test_files_are_remembered_by_what_is_in_them(get):
    found = get("/static/web.css")
    assert get("/static/web.css", If_None_Match=found.headers["ETag"]).status == 304
    assert found.headers["Cache-Control"] == "no-cache"
    version = re.search(r"/static/web\.css\?\w+", get("/").text)[0]
    assert "immutable" in get(version).headers["Cache-Control"]


def test_what_breaks_is_told_in_a_line(get, capfd, monkeypatch):
    monkeypatch.setattr("cribev.web.ask.parsed", lambda _: 1 / 0)
    answer = get("/?cards=%0a")
    assert answer.status == 500
    assert "something broke here" in answer.words
    assert get("/static/web.css").status == 200  # by now it is told
    assert capfd.readouterr().err == "cribev: error: GET '/': ZeroDivisionError: division by zero\n"


def test_too_many_wait_their_turn_elsewhere(get, monkeypatch):
    monkeypatch.setattr("cribev.web.lanes.Lane.full", property(lambda _: True))
    for path in ("/", "/api/advice?cards=" + DEAL):
        answer = get(path)
        assert answer.status == 503
        assert answer.headers["Retry-After"] == "2"


def test_a_lane_has_so_much_room_and_who_leaves_makes_some():
    begun, go = [], threading.Event()

    def work(name):
        begun.append(name)
        go.wait(60)
        return name

    async def ask():
        lane = Lane(threads=1, room=1)
        first = asyncio.ensure_future(lane.do(work, "first"))
        second = asyncio.ensure_future(lane.do(work, "second"))
        while not begun:
            await asyncio.sleep(0.01)
        with pytest.raises(Busy):
            await lane.do(work, "third")
        second.cancel()
        await asyncio.wait([second])
        last = asyncio.ensure_future(lane.do(work, "last"))
        await asyncio.sleep(0)
        go.set()
        return await first, await last

    assert asyncio.run(ask()) == ("first", "last")
    assert begun == ["first", "last"]


def test_what_goes_wrong_in_a_lane_comes_out_of_it():
    with pytest.raises(ZeroDivisionError):
        asyncio.run(Lane(threads=1, room=0).do(divmod, 1, 0))


def test_a_server_for_every_machine_goes_by_the_names_it_is_reached_by():
    with running("0.0.0.0") as port:
        for host, status in (
            (f"127.0.0.1:{port}", 200),
            (f"localhost:{port}", 200),
            (f"{socket.gethostname()}:{port}", 200),
            (f"192.0.2.1:{port}", 421),
            (f"evil.example:{port}", 421),
        ):
            with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as asked:
                asked.request("GET", "/static/icon.svg", headers={"Host": host})
                with asked.getresponse() as answer:
                    assert answer.status == status, host


def test_slow_and_lost_clients_hurt_nobody(get, site):
    with contextlib.ExitStack() as stack:
        for _ in range(30):
            slow = stack.enter_context(socket.create_connection(site.split(":")))
            slow.sendall(b"POST /api/review HTTP/1.1\r\nHost: " + site.encode() + b"\r\nContent-Le")
            slow = stack.enter_context(socket.create_connection(site.split(":")))
            head = f"POST /api/review HTTP/1.1\r\nHost: {site}\r\nContent-Length: 100\r\n\r\ngame"
            slow.sendall(head.encode())
        for _ in range(30):
            with socket.create_connection(site.split(":")) as lost:
                lost.sendall(f"GET /?cards={DEAL} HTTP/1.1\r\nHost: {site}\r\n\r\n".encode())
        began = time.monotonic()
        assert get(f"/?cards={DEAL}").status == 200
        assert time.monotonic() - began < 20


def test_who_neither_asks_nor_listens_is_left(monkeypatch):
    monkeypatch.setattr(serving, "_IDLE", 0.2)
    with running("127.0.0.1") as port, socket.create_connection(("127.0.0.1", port)) as slow:
        slow.settimeout(20)
        slow.sendall(b"GET / HTT")
        with contextlib.suppress(ConnectionResetError):
            assert slow.recv(1) == b""


def test_the_command_serves_until_it_is_told_to_end(request):
    program = [sys.executable, "-m", "cribev", "serve", "--port", "0", "--no-browser"]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    request.addfinalizer(process.kill)
    address = process.stdout.readline().decode().strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
    port = int(address.rstrip("/").rpartition(":")[2])
    with pytest.raises(CribevError, match=f"port {port} of '127.0.0.1' is in use"):
        bound("127.0.0.1", port)
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as asked:
        asked.request("GET", f"/?cards={DEAL}")
        with asked.getresponse() as answer:
            assert answer.status == 200
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert err == b"cribev: open this address in a browser; Ctrl-C ends it\n"


def test_the_command_says_what_it_needs(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "starlette", None)
    assert cli.main(["serve"]) == 2
    assert re.fullmatch(
        r"cribev: error: this needs starlette: .* -m pip install 'cribev\[web\]'\n",
        capsys.readouterr().err,
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--port", "70000"], "'70000' is not a whole number from 0 to 65535"),
        (["--host", "no such host"], "'no such host' is no address of this machine"),
        (["--host", ""], "'' is no address"),
    ],
)
def test_the_command_refuses_what_cannot_be(arguments, told, capsys):
    assert cli.main(["serve", "--no-browser", *arguments]) == 2
    assert told in capsys.readouterr().err
