"""Fifty clients at once, each with other deals: do all get answers, whatever others do?

``python -m benchmarks.serve_load [SECONDS]`` starts ``cribev serve`` and sends it requests from
fifty clients: alone, in games against each level, in two hundred games against all of them, beside
slow clients, beside clients that leave early, and during reviews.
"""

import http.client
import os
import random
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from tempfile import TemporaryDirectory

from benchmarks.arguments import run
from cribev import format_cards, random_hands

CLIENTS = 50
SLOW = 100


@contextmanager
def served(folder):
    """Start the command, which keeps games in a folder, and yield host and port."""
    program = [sys.executable, "-m", "cribev", "serve", "--port", "0", "--no-browser"]
    own = {**os.environ, "CRIBEV_DATA_DIR": folder}
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=own)
    try:
        site = process.stdout.readline().decode().strip().removeprefix("http://").rstrip("/")
        asked(site, "/api/advice?cards=5H5DJSQC2H8D")  # comes once the tables are there
        yield site
    finally:
        process.terminate()
        process.wait()


def asked(site, path):
    """Send a request; return the seconds it took, or why there was no answer."""
    began = time.perf_counter()
    connection = http.client.HTTPConnection(site, timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
    except OSError as error:
        return repr(error)
    finally:
        connection.close()
    return time.perf_counter() - began if answer.status == 200 else f"status {answer.status}"


def crowd(site, seconds, *, path):
    """Let fifty clients ask again and again; return the results of `asked`, and the seconds."""
    answers, until = [], time.perf_counter() + seconds

    def ask(seed):
        hands = random_hands(5000, seed=seed)
        drawn = random.Random(seed)
        while time.perf_counter() < until:
            cards = format_cards(hands[drawn.randrange(len(hands))]).replace(" ", "")
            role = drawn.choice(["dealer", "pone"])
            answers.append(asked(site, path.format(cards=cards, role=role)))

    threads = [threading.Thread(target=ask, args=[seed]) for seed in range(CLIENTS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers, time.perf_counter() - began


def report(name, answers, seconds):
    """Print how long answers took, and what went wrong."""
    good = sorted(answer for answer in answers if isinstance(answer, float))
    bad = [answer for answer in answers if not isinstance(answer, float)]
    if not good:
        raise SystemExit(f"{name}: no answer at all: {bad[:3]}")
    middle, late = (good[int(share * (len(good) - 1))] for share in (0.5, 0.95))
    print(
        f"{name:32} {len(good):5} answers, {len(good) / seconds:5.1f} a second; "
        f"half within {middle * 1e3:5.0f} ms, 95 % within {late * 1e3:5.0f} ms, "
        f"all within {good[-1] * 1e3:5.0f} ms; {len(bad)} without an answer"
    )
    if bad:
        print(f"    {sorted(set(bad))}")
    return not bad


@contextmanager
def slow_clients(site):
    """Open connections that begin a request and never end it."""
    with ExitStack() as stack:
        for number in range(SLOW):
            client = stack.enter_context(socket.create_connection(site.split(":")))
            request = (
                "GET /ask?cards=5H"
                if number % 2
                else f"POST /api/review HTTP/1.1\r\nHost: {site}\r\n"
            )
            client.sendall(request.encode())
            if not number % 2:
                client.sendall(b"Content-Length: 1000\r\n\r\ngame")
        yield


@contextmanager
def meanwhile(act):
    """Call a function again and again in the background."""
    over = threading.Event()

    def go():
        while not over.is_set():
            with suppress(OSError):
                act()

    thread = threading.Thread(target=go)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def drop(site):
    """Send a request, and leave before the answer."""
    cards = format_cards(random_hands(1)[0]).replace(" ", "")
    with socket.create_connection(site.split(":")) as client:
        client.sendall(f"GET /ask?cards={cards} HTTP/1.1\r\nHost: {site}\r\n\r\n".encode())
        time.sleep(0.005)


def long_review(site):
    """Ask for an exact review of two hundred discards."""
    lines = ["game,deal,player,role,cards,discard"]
    for number, hand in enumerate(random_hands(200, seed=3)):
        cards = format_cards(hand)
        role = "pone" if number % 2 else "dealer"
        lines.append(f"1,{number + 1},Ann,{role},{cards},{cards[:5]}")
    connection = http.client.HTTPConnection(site, timeout=60)
    try:
        connection.request("POST", "/api/review", "\n".join(lines).encode())
        answer = connection.getresponse()
        if answer.status != 200:
            raise SystemExit(f"the review: {answer.status} {answer.read()}")
        answer.read()
    finally:
        connection.close()


def main(seconds=10.0):
    """Measure everything; status 1 if a client got no answer."""
    good = []
    with TemporaryDirectory() as folder, served(folder) as site:
        print(f"one client: {asked(site, '/ask?cards=5H5DJSQC2H8D') * 1e3:.0f} ms")
        for name, path in (
            ("50 at once, the page", "/ask?cards={cards}&role={role}"),
            ("50 at once, /api/advice", "/api/advice?cards={cards}&role={role}"),
        ):
            good.append(report(name, *crowd(site, seconds, path=path)))
        path = "/ask?cards={cards}&role={role}"
        with slow_clients(site):
            good.append(report("and 100 slow clients", *crowd(site, seconds, path=path)))
        with meanwhile(lambda: drop(site)):
            good.append(report("and many that leave", *crowd(site, seconds, path=path)))
        with meanwhile(lambda: asked(site, "/ask?cards=5H5DJSQC2H8D&score=95-110")):
            good.append(report("and one that asks at a score", *crowd(site, seconds, path=path)))
        with meanwhile(lambda: long_review(site)):
            good.append(report("and reviews of 200 discards", *crowd(site, seconds, path=path)))
    return 0 if all(good) else 1


if __name__ == "__main__":
    run(main)
