"""The pages in a server of their own, asked over the loopback."""

import http.client
import json
import re
import threading
import time

import pytest

from cribev import advise, review
from cribev.deal.advice_look import sum_of
from cribev.web.serving import address_of, bound, server_on


@pytest.fixture(scope="session")
def site():
    """The address of a server, as host and port."""
    with bound("127.0.0.1", 0) as taken:
        server = server_on(taken)
        thread = threading.Thread(target=server.run, args=[[taken]], daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield address_of(taken).removeprefix("http://").rstrip("/")
        server.should_exit = True
        thread.join()


class Answer:
    def __init__(self, answer):
        self.status, self.headers, self.body = answer.status, answer.headers, answer.read()

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)


@pytest.fixture
def get(site):
    def get(path, *, method="GET", body=None, **headers):
        connection = http.client.HTTPConnection(site, timeout=60)
        try:
            connection.request(method, path, body, headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    return get


def test_a_question_by_its_address(get):
    answer = get("/?cards=5H5DJSQC2H8D&role=dealer")
    assert answer.status == 200
    best = advise("5H 5D JS QC 2H 8D", role="dealer").best
    assert sum_of(best, "dealer") in answer.text


def test_bad_cards_are_quoted_and_kept(get):
    answer = get("/?cards=5H5D1X&role=pone")
    assert answer.status == 400
    assert "&#39;1X&#39; is not a card" in answer.text
    assert 'value="5H5D1X"' in answer.text


def test_a_record_brought_and_its_mistakes(get, data):
    record = (data / "game.csv").read_bytes()
    body = b'--x\r\nContent-Disposition: form-data; name="record"; filename="game.csv"\r\n\r\n'
    body += record + b"\r\n--x--\r\n"
    brought = get(
        "/review", method="POST", body=body, **{"Content-Type": "multipart/form-data; boundary=x"}
    )
    assert brought.status == 303
    address = brought.headers["Location"]
    assert "Ann: 2 to look at" in re.sub("<[^>]*>", "", get(address).text)
    found = review(data / "game.csv")
    worst = found.decisions.iloc[found.costliest(1)[0]]
    asked = [get(f"{address}/1/{number}").text for number in (1, 2)]
    assert not any(worst["best_discard"] in page or "expected" in page for page in asked)
    thrown = "&".join(f"throw={card}" for card in worst["best_discard"].split())
    at = next(at for at, page in enumerate(asked, 1) if f"deal {worst['deal']}." in page)
    told = get(f"{address}/1/{at}?{thrown}").text
    assert "Found now!" in told
    assert f"<b>{worst['ev_loss']:.2f} lost</b>" in told
    assert get(f"{address}/1/3").status == get("/review/nothing").status == 404
