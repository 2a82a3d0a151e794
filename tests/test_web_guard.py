"""What is bounded: the size and the time of requests, and of answers that are not read."""

import asyncio
import gzip
import selectors
import subprocess
import sys
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from uvicorn.config import Config
from uvicorn.server import ServerState

from cribev.errors import CribevError
from cribev.reviews.record import RECORD_TEMPLATE
from cribev.web import guard, server
from cribev.web.guard import Guard
from cribev.web.review import read_uploads
from cribev.web.server import make_app

NAME = b"127.0.0.1:8121"


def scope_of(path="/", method="GET", *, host=NAME, headers=(), address="127.0.0.1"):
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", host), *headers],
        "server": (address, 8121),
    }


class Client:
    """Sends a body in parts, each after a pause, and reads answers with one."""

    def __init__(self, *parts, pause=0.0, reading=0.0):
        self.parts, self.pause, self.reading = list(parts) or [b""], pause, reading
        self.status, self.body, self.complete = None, b"", False
        self.pieces = []

    async def receive(self):
        if not self.parts:
            await asyncio.sleep(3600)
        await asyncio.sleep(self.pause)
        part = self.parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(self.parts)}

    async def send(self, message):
        await asyncio.sleep(self.reading)
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.pieces.append(len(message["body"]))
            self.body += message["body"]
            self.complete = not message["more_body"]

    async def ask(self, app, scope=None):
        await app(scope or scope_of(), self.receive, self.send)
        return self


class Hurried(selectors.DefaultSelector):
    """Lets time pass at once where nothing else is to be done."""

    now = 0.0

    def select(self, timeout=None):
        self.now += timeout or 0.0
        return super().select(timeout and 0)


def run(coroutine):
    """Run, in a time that no other program can take; not for what works in threads."""
    hurried = Hurried()
    loop = asyncio.SelectorEventLoop(hurried)
    loop.time = lambda: hurried.now
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(coroutine)


def guarded(answer=b"5H", names=()):
    """An application that reads the body and answers."""

    async def app(scope, receive, send):
        body = await Request(scope, receive).body()
        await PlainTextResponse(answer or body)(scope, receive, send)

    return Guard(app, names=names)


def test_an_answer_goes_as_fast_as_it_is_read_and_a_body_may_come_slowly_but_must_come(monkeypatch):
    large = bytes(range(256)) * 1024
    slow = run(Client(reading=5).ask(guarded(large)))
    assert slow.body == large
    assert slow.complete
    assert max(slow.pieces) == guard.PIECE_BYTES
    app = guarded(large)
    stuck = run(Client(reading=30).ask(app))
    assert (stuck.body, app.held) == (b"", 0)
    scope = scope_of("/api/score", "POST")
    slow = run(Client(*[b"5"] * 30, pause=3).ask(guarded(b""), scope))
    assert (slow.status, slow.body) == (200, b"5" * 30)
    monkeypatch.setattr(guard, "STALL_SECONDS", 0.2)
    app = make_app()
    stuck = asyncio.run(Client(b"5", pause=600).ask(app, scope_of("/api/review", "POST")))
    assert (stuck.status, stuck.body) == (408, b'{"error":"nothing came for 0.2 seconds"}')


def test_what_waits_to_be_sent_is_bounded_in_all(monkeypatch):
    monkeypatch.setattr(guard, "MAX_HELD", 100_000)

    async def crowd():
        app = guarded(b"x" * 40_000)
        clients = [Client(reading=0.05) for _ in range(5)]
        asked = [asyncio.ensure_future(client.ask(app)) for client in clients]
        await asyncio.sleep(0.06)
        held = app.held
        await asyncio.gather(*asked)
        return held, [client.status for client in clients], app, await Client().ask(app)

    held, statuses, app, after = run(crowd())
    assert held == 80_000
    assert sorted(statuses) == [200, 200, 503, 503, 503]
    assert (after.status, app.held) == (200, 0)


def test_bodies_that_wait_are_bounded_and_headers_too(monkeypatch):
    monkeypatch.setattr(guard, "MAX_HELD", 100)
    full = asyncio.run(Client(b"x" * 60, b"x" * 60).ask(make_app(), scope_of("/review", "POST")))
    assert full.status == 503
    for size, status in ((1 << 13, 200), (1 << 14, 431)):
        headers = [(b"content-type", b'form-data; name="' + b";" * size + b'"')]
        asked = Client().ask(guarded(), scope_of(headers=headers))
        assert asyncio.run(asked).status == status


DISPOSITION = b"Content-Disposition: form-data; name="
FORM = "application/x-www-form-urlencoded"
HEADINGS = b",".join(b"c%d" % number for number in range(1_000))
MULTIPART = "multipart/form-data; boundary=x"


@pytest.mark.parametrize("length", [1_000, 40_000, 200_000])
@pytest.mark.parametrize("kind", ["name", "filename*999", "other"])
def test_headers_of_a_part_are_limited_and_read_in_a_line(get, length, kind):
    header = {
        "name": DISPOSITION + b'"' + b";" * length + b'"',
        "filename*999": DISPOSITION + b'"record"; filename*' + b"9" * length + b"*=x",
        "other": DISPOSITION + b'"record"\r\nContent-Type: ' + b"a;" * length,
    }[kind]
    body = b"--x\r\n" + header + b"\r\n\r\n5H\r\n--x--\r\n"
    answer = get("/review", method="POST", body=body, Content_Type=MULTIPART)
    assert ("Invalid multipart data" in answer.refusal) == (length > 4_300)


@pytest.mark.parametrize(
    ("kind", "status", "told"),
    [
        ("multipart/form-data", 400, "Missing boundary"),
        ("multipart/form-data; boundary*" + "9" * 5_000 + "*=x", 400, "Missing boundary"),
        *(
            (f'{MULTIPART}; charset="{charset}"', 415, "expected utf-8")
            for charset in ("punycode", "undefined", "9" * 5_000)
        ),
        ('multipart/form-data; boundary="' + ";" * 60_000 + '"', 431, ""),
    ],
)
def test_a_form_without_a_boundary_or_in_another_charset_is_refused(get, kind, status, told):
    body = b"--x\r\n" + DISPOSITION + b'"player"\r\n\r\na-' + b"b" * 9_000 + b"\r\n--x--\r\n"
    refused = get("/review", method="POST", body=body, Content_Type=kind)
    assert (refused.status, told in refused.words) == (status, True)
    plain = {"body": b"player=Me&more=1", "Content_Type": f"{FORM}; charset=UTF-8"}
    assert get("/review", method="POST", **plain).status == 200


DISCARDED = {"cards": "5H 5D JS QC 2H 8D", "discard": "2H 8D"}


@pytest.mark.parametrize(
    ("address", "body"),
    [
        ("/review", {**DISCARDED, "pegged": "9" * 5_000}),
        ("/review", {**DISCARDED, "score": "9" * 5_000}),
        ("/practice", {"seed": "9" * 5_000, "throw": "5H"}),
        ("/practice", {"seed": "1", "at": "9" * 5_000, "throw": "5H"}),
        ("/review", {"a" * 2: [""] * 2_000}),
    ],
)
def test_a_form_of_many_digits_or_fields_is_refused(get, address, body):
    sent = urlencode(body, doseq=True)
    assert get(address, method="POST", body=sent, Content_Type=FORM).status == 400


ZIPPED = gzip.compress(b"game,deal\n" + b"\n" * 99_999_999, mtime=0)
LONG_SCORE = RECORD_TEMPLATE.encode().replace(b"0*-", b"0" + b" " * 300_000 + b"x")
LONG_PLAY = b"game,deal,player,role,cards,discard,play\n1,1,Ann,pone,5H 5D JS QC 2H 8D,2H 8D,"


@pytest.mark.parametrize(
    ("name", "rows", "told"),
    [
        ("game.csv", HEADINGS + b"\n" + b"1\n" * 500_000, "more than 1,000 decisions"),
        ("game.csv", HEADINGS + b",1000\n" + b"1\n" * 500_000, "expected at most 1,000"),
        ("game.csv", ZIPPED, "more than 4 MiB"),
        ("game.csv", gzip.compress(b"PAR1", mtime=0), "is Parquet: cribev review takes it"),
        ("game.jsonl", b"{}\n" * 200_000, "line 1: expected a JSON object"),
        ("game.json", b'{"events":[]}' * 100_000, "there is no deal"),
        ("game.csv", LONG_SCORE, "score"),
        ("game.csv", LONG_PLAY + b'"5 J ' + b"1" * 5_000 + b'-2"\n', "column 'play'"),
    ],
)
def test_short_files_take_neither_long_nor_much_memory(name, rows, told):
    with pytest.raises(CribevError, match=told):
        read_uploads([(name, rows)])


def test_who_leaves_and_what_breaks_is_not_spoken_of_on_the_terminal(capfd):
    class Lost(Client):
        async def receive(self):
            if self.parts:
                return {"type": "http.request", "body": self.parts.pop(), "more_body": True}
            return {"type": "http.disconnect"}

    lost = asyncio.run(Lost(b"game").ask(make_app(), scope_of("/api/review", "POST")))
    assert lost.parts == []
    assert capfd.readouterr().err == ""
    code = "import cribev.web.forms, python_multipart as p\n"
    code += "p.MultipartParser(b'x', {}).write(b'no boundary')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert b"MultipartParseError" in done.stderr
    assert done.stderr.startswith(b"Traceback")  # and no line of the library before it


@pytest.mark.parametrize(
    ("host", "status"), [("192.0.2.2", 200), ("[::ffff:192.0.2.2]", 200), ("192.0.2.3", 421)]
)
def test_who_calls_by_ipv4_where_both_are_served(host, status):
    scope = scope_of(host=f"{host}:8121".encode(), address="::ffff:192.0.2.2")
    assert asyncio.run(Client().ask(guarded(), scope)).status == status


def test_an_answer_that_takes_too_long_is_given_up_and_one_of_several_parts_is_whole():
    async def slow(*_):
        await asyncio.sleep(3600)

    late = run(Client().ask(Guard(slow, names=())))
    assert (late.status, late.body) == (503, b"this takes too long\n")

    async def app(_, __, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"5H ", "more_body": True})
        await send({"type": "http.response.body", "body": b"5D"})

    found = asyncio.run(Client().ask(Guard(app, names=())))
    assert (found.body, found.complete) == (b"5H 5D", True)


def test_connections_that_ask_nothing_or_read_nothing_are_closed():
    due, closed = [], []

    def call_later(seconds, act):
        due.append((seconds, act))
        return SimpleNamespace(cancel=due.clear)

    transport = SimpleNamespace(
        abort=lambda: closed.append("aborted"), is_closing=lambda: True,
        set_write_buffer_limits=lambda **_: None, get_extra_info=lambda _: None,
    )  # fmt: skip
    loop = SimpleNamespace(call_later=call_later)
    connection = server._ClosesIdle(Config(make_app()), ServerState(), {}, _loop=loop)
    connection.connection_made(transport)
    assert [seconds for seconds, _ in due] == [server._IDLE_SECONDS]
    connection.on_response_complete()
    assert [seconds for seconds, _ in due] == [server._READ_SECONDS]
    due[0][1]()
    assert closed == ["aborted"]
