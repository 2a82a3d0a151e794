"""The server: who it answers, what it refuses and bounds, and how it ends."""

import asyncio
import contextlib
import gzip
import re
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest
from asking import DEAL, PAGES, ask, running
from shell import refused
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from cribev.app.web import guard, server
from cribev.app.web.guard import Guard, QueueFull, WorkQueue
from cribev.app.web.play import lobby_page
from cribev.app.web.review import read_uploads
from cribev.app.web.server import bind, make_app
from cribev.errors import CribevError
from cribev.game.roles import ROLES
from cribev.records.record import RECORD_TEMPLATE


def test_answers_are_same_origin_and_foreign_posts_refused(get, site):
    for path in (*PAGES, "/static/web.js?1", "/api/score?cards=1", "/api/nothing"):
        headers = get(path).headers
        rules = headers["Content-Security-Policy"]
        assert all(f"{of} 'none'" in rules for of in ("default-src", "frame-ancestors"))
        assert "unsafe" not in rules
        for name, value in (
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("Server", None),
        ):  # fmt: skip
            assert headers[name] == value
    assert "default-src 'none'" in get("/", Host="evil.example").headers["Content-Security-Policy"]
    port = site.partition(":")[2]
    for host in (site, f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}"):
        assert get("/api/score?cards=5C6D7DQH6H", Host=host).status == 200
    for host in ("evil.example", f"evil.example:{port}", "localhost", f"127.0.0.1.evil:{port}", ""):
        assert get("/api/score?cards=5C6D7DQH6H", Host=host).status == 421
    body = RECORD_TEMPLATE.encode()
    for origin in ("http://evil.example", "null", f"http://{site}.evil.example"):
        assert get("/api/review", method="POST", body=body, Origin=origin).status == 403
    for fetched in ("cross-site", "same-site"):  # some browsers leave the origin out
        assert get("/api/review", method="POST", body=body, Sec_Fetch_Site=fetched).status == 403
    own = {"Origin": f"http://{site}", "Sec_Fetch_Site": "same-origin"}
    for said in ({}, own, {"Sec_Fetch_Site": "same-origin"}, {"Sec_Fetch_Site": "none"}):
        answer = get("/api/review", method="POST", body=b"", **said)
        assert (answer.status, "is empty" in answer.json["error"]) == (400, True)


def test_what_is_too_long_is_refused(get, site):
    assert get("/ask?cards=" + "5" * guard.MAX_ADDRESS).status == 414
    too_much = b"x" * (guard.MAX_BODY + 1)
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


def test_other_methods_and_addresses(get):
    assert get("/api/review").status == 405
    assert get("/", method="POST", body=b"").status == 405
    assert get("/static/../app.py").status == get("/static/nothing").status == 404
    assert get("/api/nothing").json == {"error": "there is no such page"}
    assert get("/", method="HEAD").body == b""
    found = get("/static/web.css")  # remembered by what is in it
    assert get("/static/web.css", If_None_Match=found.headers["ETag"]).status == 304
    assert found.headers["Cache-Control"] == "no-cache"
    version = re.search(r"/static/web\.css\?\w+", get("/ask").text)[0]
    assert "immutable" in get(version).headers["Cache-Control"]


def test_what_breaks_is_told_in_a_line(get, capfd, monkeypatch):
    monkeypatch.setattr("cribev.app.web.ask.render", lambda *_: 1 / 0)
    answer = get("/ask?cards=%0a")
    assert answer.status == 500
    assert "something broke here" in answer.words
    assert get("/static/web.css").status == 200  # by now it is told
    told = "cribev: error: GET '/ask': ZeroDivisionError: division by zero\n"
    assert capfd.readouterr().err == told


def test_full_queue_asks_to_come_again(get, monkeypatch):
    monkeypatch.setattr("cribev.app.web.guard.WorkQueue.full", property(lambda _: True))
    for path in ("/ask?position=pone:4H5CJDJS", f"/api/advice?cards={DEAL}"):
        answer = get(path)
        assert (answer.status, answer.headers["Retry-After"]) == (503, "2")


def test_queue_capacity_is_freed_on_leaving():
    begun, go = [], threading.Event()

    def work(name):
        begun.append(name)
        go.wait(300)
        return name

    async def ask():
        queue = WorkQueue(threads=1, capacity=1)
        first = asyncio.ensure_future(queue.run(work, "first"))
        second = asyncio.ensure_future(queue.run(work, "second"))
        while not begun:
            await asyncio.sleep(0.01)
        with pytest.raises(QueueFull):
            await queue.run(work, "third")
        second.cancel()
        await asyncio.wait([second])
        last = asyncio.ensure_future(queue.run(work, "last"))
        await asyncio.sleep(0)
        go.set()
        return await first, await last

    assert asyncio.run(ask()) == ("first", "last")
    assert begun == ["first", "last"]


def test_abandoned_work_keeps_its_thread():
    running, most, go = [], [], threading.Event()

    def work():
        running.append(1)
        most.append(len(running))
        go.wait(300)
        running.pop()

    async def ask():
        queue = WorkQueue(threads=2, capacity=9)
        for _ in range(5):
            left = asyncio.ensure_future(queue.run(work))
            await asyncio.sleep(0.02)
            left.cancel()
        go.set()
        await queue.run(work)

    asyncio.run(ask())
    assert max(most) <= 2
    with pytest.raises(ZeroDivisionError):  # what goes wrong in a queue comes out of it
        asyncio.run(WorkQueue(threads=1, capacity=0).run(divmod, 1, 0))


def test_open_server_accepts_its_own_names():
    with running("0.0.0.0") as port:
        for host, status in (
            *((name, 200) for name in ("127.0.0.1", "localhost", socket.gethostname())),
            *((name, 421) for name in ("192.0.2.1", "evil.example")),
        ):
            answer = ask(f"127.0.0.1:{port}", "/static/icon.svg", Host=f"{host}:{port}")
            assert answer.status == status, host


def test_slow_and_lost_clients_hurt_nobody(get, site):
    head = f"POST /api/review HTTP/1.1\r\nHost: {site}\r\nContent-Le"
    with contextlib.ExitStack() as stack:
        for part in ("", "ngth: 100\r\n\r\ngame") * 30:
            slow = stack.enter_context(socket.create_connection(site.split(":")))
            slow.sendall(f"{head}{part}".encode())
        for _ in range(30):
            with socket.create_connection(site.split(":")) as lost:
                lost.sendall(f"GET /ask?cards={DEAL} HTTP/1.1\r\nHost: {site}\r\n\r\n".encode())
        assert get(f"/ask?cards={DEAL}").status == 200


def test_serve_runs_until_told_to_end(started):
    process = started("-m", "cribev", "serve", "--port", "0", "--no-browser")
    address = process.stdout.readline().decode().strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
    port = int(address.rstrip("/").rpartition(":")[2])
    with pytest.raises(CribevError, match=f"port {port} of '127.0.0.1' is in use: --port takes"):
        bind("127.0.0.1", port)
    assert ask(f"127.0.0.1:{port}", f"/api/advice?cards={DEAL}").status == 200
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, b"")
    assert err == b"cribev: open this address in a browser; Ctrl-C ends it\n"


def test_running_threads_do_not_break_shutdown(started):
    # Libraries in other threads may abort where the interpreter is taken down.
    code = """
import atexit, os, sys, time
from cribev.__main__ import entry_point
from cribev.app.web import server
atexit.register(os.abort)
def work(**_):
    print("works", flush=True)
    time.sleep(300)
server._warm_up = work
sys.argv = ["cribev", "serve", "--port", "0", "--no-browser"]
sys.exit(entry_point())
"""
    process = started("-c", code)
    assert process.stdout.readline().startswith(b"http://")
    assert process.stdout.readline() == b"works\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(300) == 128 + signal.SIGTERM


@pytest.mark.slow
@pytest.mark.parametrize(("number", "seconds"), [(signal.SIGTERM, 0.2), (signal.SIGINT, 3600)])
def test_signals_end_the_server_promptly(started, number, seconds):
    code = f"""
from cribev.app.web import ask, server
server._EXIT_SECONDS = {seconds}
def stuck(*_):
    print("stuck", flush=True)
    while True:
        pass
ask.render = stuck
server.serve("127.0.0.1", 0, browser=False)
"""
    process = started("-c", code)
    site = process.stdout.readline().decode().strip().removeprefix("http://").rstrip("/")
    with socket.create_connection(site.split(":")) as asked:
        asked.sendall(f"GET /ask HTTP/1.1\r\nHost: {site}\r\n\r\n".encode())
        assert process.stdout.readline() == b"stuck\n"
        process.send_signal(number)
        for _ in range(600 if seconds > 60 else 0):
            if process.poll() is None:
                time.sleep(0.1)  # two that come at once are one
                process.send_signal(number)
        assert process.wait(300) == 128 + number


@pytest.mark.parametrize(
    ("host", "said"), [("127.0.0.1", False), ("::ffff:127.0.0.1", False), ("0.0.0.0", True)]
)
@pytest.mark.usefixtures("folder")
def test_who_can_reach_the_pages_is_told(host, said, monkeypatch, capsys):
    async def nothing(*_):
        pass

    monkeypatch.setattr(server._Server, "serve", nothing)
    monkeypatch.setattr(server, "_warm_up", lambda: None)
    try:
        server.serve(host, 0, browser=False)
    except CribevError as error:
        pytest.skip(f"this machine has no such address: {error}")  # without IPv6
    shown = capsys.readouterr()
    assert ("whoever reaches this machine" in shown.err) == said
    assert ("Whoever can open this page shares its games" in lobby_page({}, counts=False)) == said
    assert re.fullmatch(r"http://(127\.0\.0\.1|localhost):\d+/\n", shown.out)


def test_serve_reports_needs_and_bad_options(monkeypatch):
    for option, value, told in (
        ("--port", "70000", "'70000' is not a whole number from 0 to 65535"),
        ("--host", "no such host", "'no such host' is not an address of this machine"),
        ("--host", "", "invalid address ''"),
    ):
        assert told in refused("serve", "--no-browser", option, value)
    monkeypatch.setitem(sys.modules, "starlette", None)
    told = r"this needs starlette: .* -m pip install .*'starlette>=\S+' .*"
    assert re.fullmatch(told, refused("serve"))


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
    """Sends a body in parts, each after a pause."""

    def __init__(self, *parts, pause=0.0):
        self.parts, self.pause = list(parts) or [b""], pause
        self.status, self.body, self.complete = None, b"", False

    async def receive(self):
        if not self.parts:
            await asyncio.sleep(3600)
        await asyncio.sleep(self.pause)
        part = self.parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(self.parts)}

    async def send(self, message):
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.body += message["body"]
            self.complete = not message.get("more_body", False)

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


def guarded(answer=b"5H"):
    """An application that reads the body and answers."""

    async def app(scope, receive, send):
        body = await Request(scope, receive).body()
        await PlainTextResponse(answer or body)(scope, receive, send)

    return Guard(app, names=())


def test_slow_bodies_are_read_but_must_come():
    scope = scope_of("/api/score", "POST")
    slow = run(Client(*[b"5"] * 30, pause=3).ask(guarded(b""), scope))
    assert (slow.status, slow.body) == (200, b"5" * 30)
    stuck = run(Client(b"5", pause=600).ask(guarded(), scope))
    assert (stuck.status, stuck.body) == (503, b'{"error":"this takes too long"}')


def test_connections_beyond_the_limit_get_503(monkeypatch):
    monkeypatch.setattr(server, "_CONNECTIONS", 3)
    with running("127.0.0.1") as port, contextlib.ExitStack() as opened:
        for _ in range(3):
            opened.enter_context(socket.create_connection(("127.0.0.1", port)))
        for path in ("/api/score", "/"):
            assert ask(f"127.0.0.1:{port}", path).status == 503


@pytest.mark.parametrize("sent", [b"", b"GET /api/score HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
def test_a_connection_without_headers_makes_room(monkeypatch, sent):
    monkeypatch.setattr(server, "_HEADER_SECONDS", 0.2)
    monkeypatch.setattr(server, "_CONNECTIONS", 3)
    with running("127.0.0.1") as port, contextlib.ExitStack() as opened:
        for _ in range(3):
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.settimeout(60)
            connection.sendall(sent)
        assert connection.recv(1) == b""  # closed by the server
        assert ask(f"127.0.0.1:{port}", "/api/score?cards=5H5D5SJC5C").status == 200


def test_headers_are_bounded_and_a_host_is_known_by_ipv4():
    for size, status in ((1 << 13, 200), (1 << 14, 431)):
        headers = [(b"content-type", b'form-data; name="' + b";" * size + b'"')]
        asked = Client().ask(guarded(), scope_of(headers=headers))
        assert asyncio.run(asked).status == status
    for host, status in (("192.0.2.2", 200), ("[::ffff:192.0.2.2]", 200), ("192.0.2.3", 421)):
        scope = scope_of(host=f"{host}:8121".encode(), address="::ffff:192.0.2.2")
        assert asyncio.run(Client().ask(guarded(), scope)).status == status


DISPOSITION = b"Content-Disposition: form-data; name="
FORM = "application/x-www-form-urlencoded"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_many_questions_stay_below_500_mb(started):
    process = started("-m", "cribev", "serve", "--port", "0", "--no-browser")
    site = process.stdout.readline().decode().removeprefix("http://").strip().rstrip("/")
    deals = [DEAL, "AH2C7D9SJHQC", "6C7C9DJSQCKD"]
    for number in range(12):
        asked = {"opponent": ["expert", "people", "club"][number % 3], "score": "95-110"}
        if number % 4 == 3:
            path = "/api/play?"
            asked["position"] = f"pone:4H5CJDJS/9CKD:7H:J5@{asked.pop('score')}"
        else:
            asked["cards"] = deals[number % 3]
            path = f"/api/advice?role={ROLES[number % 2]}&"
        answer = ask(site, path + urlencode(asked))
        assert answer.status == 200, answer.text
    time.sleep(2)  # what is free goes back after the answer
    status = Path(f"/proc/{process.pid}/status").read_text()
    held = int(re.search(r"VmRSS:\s+(\d+) kB", status)[1])
    assert held < 500_000


HEADINGS = b"deal,role,cards,discard," + b",".join(b"c%d" % number for number in range(4, 1_000))
MULTIPART = "multipart/form-data; boundary=x"


@pytest.mark.parametrize("length", [1_000, 200_000])
@pytest.mark.parametrize("kind", ["name", "filename*999", "other"])
def test_part_headers_are_limited(get, length, kind):
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
def test_form_without_boundary_or_charset_is_refused(get, kind, status, told):
    body = b"--x\r\n" + DISPOSITION + b'"player"\r\n\r\na-' + b"b" * 9_000 + b"\r\n--x--\r\n"
    refused = get("/review", method="POST", body=body, Content_Type=kind)
    assert (refused.status, told in refused.words) == (status, True)
    plain = {"body": b"player=Me", "Content_Type": f"{FORM}; charset=UTF-8"}
    assert "no file was chosen" in get("/review", method="POST", **plain).refusal


def test_oversized_forms_are_refused(get):
    for address, fields in (("/play", {"seed": "9" * 5_000}), ("/review", {"aa": [""] * 2_000})):
        sent = urlencode(fields, doseq=True)
        assert get(address, method="POST", body=sent, Content_Type=FORM).status == 400


ZIPPED = gzip.compress(b"game,deal\n" + b"\n" * 9_999_999, mtime=0)
LONG_SCORE = RECORD_TEMPLATE.encode().replace(b"0*-", b"0" + b" " * 300_000 + b"x")
LONG_PLAY = b"game,deal,player,role,cards,discard,play\n1,1,Ann,pone,5H 5D JS QC 2H 8D,2H 8D,"


@pytest.mark.parametrize(
    ("name", "rows", "told"),
    [
        ("game.csv", HEADINGS + b"\n" + b"1\n" * 500_000, "more than 5,000 decisions"),
        ("game.csv", HEADINGS + b",1000\n" + b"1\n" * 500_000, "expected at most 1,000"),
        ("game.csv", ZIPPED, "more than 4 MiB"),
        ("game.csv", gzip.compress(b"PAR1", mtime=0), "is Parquet: cribev review takes it"),
        ("game.jsonl", b"{}\n" * 50_000, "line 1: expected a JSON object"),
        ("game.json", b'{"events":[]}' * 100_000, "is not JSON"),
        ("game.csv", LONG_SCORE, "more than 131,072 characters"),
        ("game.csv", LONG_PLAY + b'"5 J ' + b"1" * 5_000 + b'-2"\n', "column 'play'"),
    ],
)
def test_short_files_take_neither_long_nor_much_memory(name, rows, told):
    with pytest.raises(CribevError, match=told):
        read_uploads([(name, rows)])


def test_disconnects_and_failures_stay_off_terminal(capfd):
    class Lost(Client):
        async def receive(self):
            if self.parts:
                return {"type": "http.request", "body": self.parts.pop(), "more_body": True}
            return {"type": "http.disconnect"}

    lost = asyncio.run(Lost(b"game").ask(make_app(), scope_of("/api/review", "POST")))
    assert lost.parts == []
    assert capfd.readouterr().err == ""
    code = "import cribev.app.web.forms, python_multipart as p\n"
    code += "p.MultipartParser(b'x', {}).write(b'no boundary')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert b"MultipartParseError" in done.stderr
    assert done.stderr.startswith(b"Traceback")  # and no line of the library before it


def test_slow_answers_are_dropped_and_parts_complete():
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
