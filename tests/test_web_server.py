"""The server: who it answers, what it refuses, and how it ends."""

import asyncio
import contextlib
import re
import signal
import socket
import sys
import threading
import time
from concurrent.futures import Future

import pytest
from asking import DEAL, PAGES, ask, preparing, running
from shell import refused

from cribev.errors import CribevError
from cribev.reviews.record import RECORD_TEMPLATE
from cribev.web import guard, server
from cribev.web.guard import QueueFull, WorkQueue
from cribev.web.server import bind


def test_every_answer_is_held_to_itself_and_to_its_own_names_and_other_pages_send_nothing(
    get, site
):
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
        assert get("/api/review?fast=1", method="POST", body=body, **said).status == 200


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
    monkeypatch.setattr("cribev.web.ask.parse_selection", lambda _: 1 / 0)
    answer = get("/ask?cards=%0a")
    assert answer.status == 500
    assert "something broke here" in answer.words
    assert get("/static/web.css").status == 200  # by now it is told
    told = "cribev: error: GET '/ask': ZeroDivisionError: division by zero\n"
    assert capfd.readouterr().err == told


def test_who_finds_a_full_queue_is_asked_to_come_again(get, monkeypatch):
    monkeypatch.setattr("cribev.web.guard.WorkQueue.full", property(lambda _: True))
    for path in (f"/ask?cards={DEAL}", f"/api/advice?cards={DEAL}"):
        answer = get(path)
        assert answer.status == 503
        assert answer.headers["Retry-After"] == "2"


def test_a_queue_has_so_much_capacity_and_who_leaves_makes_some():
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


def test_a_locked_file_of_throws_holds_up_no_answer(monkeypatch):
    begun, go = threading.Semaphore(0), threading.Event()

    def locked():
        begun.release()
        go.wait(300)
        return "locked"

    monkeypatch.setattr("cribev.web.practice.start_page", locked)
    with running("127.0.0.1") as port:
        site = f"127.0.0.1:{port}"
        waiting = [threading.Thread(target=ask, args=[site, "/practice"]) for _ in range(10)]
        for thread in waiting:
            thread.start()
        assert begun.acquire(timeout=300)
        assert begun.acquire(timeout=300)
        assert ask(site, f"/ask?cards={DEAL}").status == 200
        go.set()
        for thread in waiting:
            thread.join()


def test_work_that_nobody_waits_for_keeps_its_thread_until_it_is_done():
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


def test_no_answer_waits_for_the_one_who_asked_to_say_that_it_came(monkeypatch):
    held_back = []
    made = server._ClosesIdle.connection_made

    def connection_made(self, transport):
        taken = transport.get_extra_info("socket")
        held_back.append(not taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        made(self, transport)

    monkeypatch.setattr(server._ClosesIdle, "connection_made", connection_made)
    with running("127.0.0.1") as port:
        assert ask(f"127.0.0.1:{port}", "/static/icon.svg").status == 200
    assert held_back == [False]


def test_a_server_for_every_machine_goes_by_the_names_it_is_reached_by():
    with running("0.0.0.0") as port:
        for host, status in (
            *((name, 200) for name in ("127.0.0.1", "localhost", socket.gethostname())),
            *((name, 421) for name in ("192.0.2.1", "evil.example")),
        ):
            answer = ask(f"127.0.0.1:{port}", "/static/icon.svg", Host=f"{host}:{port}")
            assert answer.status == status, host


def test_slow_and_lost_clients_hurt_nobody(get, site, monkeypatch):
    monkeypatch.setattr(server, "_IDLE_SECONDS", 3600)
    monkeypatch.setattr(guard, "STALL_SECONDS", 3600)
    with contextlib.ExitStack() as stack:
        for _ in range(30):
            slow = stack.enter_context(socket.create_connection(site.split(":")))
            slow.sendall(b"POST /api/review HTTP/1.1\r\nHost: " + site.encode() + b"\r\nContent-Le")
            slow = stack.enter_context(socket.create_connection(site.split(":")))
            head = f"POST /api/review HTTP/1.1\r\nHost: {site}\r\nContent-Length: 100\r\n\r\ngame"
            slow.sendall(head.encode())
        for _ in range(30):
            with socket.create_connection(site.split(":")) as lost:
                lost.sendall(f"GET /ask?cards={DEAL} HTTP/1.1\r\nHost: {site}\r\n\r\n".encode())
        assert get(f"/ask?cards={DEAL}").status == 200


def test_who_neither_asks_nor_listens_is_left(monkeypatch):
    monkeypatch.setattr(server, "_IDLE_SECONDS", 0.2)
    with running("127.0.0.1") as port, socket.create_connection(("127.0.0.1", port)) as slow:
        slow.settimeout(300)
        slow.sendall(b"GET / HTT")
        with contextlib.suppress(ConnectionResetError):
            assert slow.recv(1) == b""


def test_the_command_serves_until_it_is_told_to_end(started):
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


def test_pages_are_there_before_the_tables(monkeypatch):
    with preparing(monkeypatch) as (site, go):
        for path in ("/ask", "/review", "/static/web.css"):
            assert ask(site, path).status == 200
        assert ask(site, "/ask?cards=5H5D&role=pone").status == 400
        for path in (f"/ask?cards={DEAL}&role=pone", "/api", "/practice"):
            early = ask(site, path)
            assert (early.status, early.headers["Refresh"]) == (503, "2")
            assert "The tables that every answer needs are being worked out" in early.words
        answers = []
        path = f"/api/advice?cards={DEAL}"
        waiting = threading.Thread(target=lambda: answers.append(ask(site, path)))
        waiting.start()
        waiting.join(0.5)
        assert answers == []
        go.set()
        waiting.join(300)
        assert answers[0].status == 200
        assert ask(site, f"/ask?cards={DEAL}&role=pone").status == 200
    prepared = Future()  # nobody waits for tables that cannot be made
    monkeypatch.setattr(server, "_warm_up", lambda **_: 1 / 0)
    server._prepare(prepared)
    assert prepared.done()


def test_what_threads_still_do_does_not_break_the_end(started):
    # Libraries in other threads may abort where the interpreter is taken down.
    code = """
import atexit, os, sys, time
from cribev.__main__ import entry_point
from cribev.web import server
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
def test_a_signal_ends_the_server_soon_and_another_at_once_whatever_it_does(
    started, number, seconds
):
    code = f"""
from cribev.web import ask, server
server._END = {seconds}
def stuck(_):
    print("stuck", flush=True)
    while True:
        pass
ask.parse_selection = stuck
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
def test_who_can_reach_the_pages_is_told(host, said, monkeypatch, capsys):
    async def nothing(*_):
        pass

    monkeypatch.setattr(server._Server, "serve", nothing)
    monkeypatch.setattr(server, "_prepare", lambda _: None)
    try:
        server.serve(host, 0, browser=False)
    except CribevError as error:
        pytest.skip(f"this machine has no such address: {error}")  # without IPv6
    shown = capsys.readouterr()
    assert ("whoever reaches this machine" in shown.err) == said
    assert re.fullmatch(r"http://(127\.0\.0\.1|localhost):\d+/\n", shown.out)


def test_the_command_says_what_it_needs_and_refuses_what_cannot_be(monkeypatch):
    for option, value, told in (
        ("--port", "70000", "'70000' is not a whole number from 0 to 65535"),
        ("--host", "no such host", "'no such host' is no address of this machine"),
        ("--host", "", "'' is no address"),
    ):
        assert told in refused("serve", "--no-browser", option, value)
    monkeypatch.setitem(sys.modules, "starlette", None)
    told = r"this needs starlette: .* -m pip install 'cribev\[web\]'"
    assert re.fullmatch(told, refused("serve"))
