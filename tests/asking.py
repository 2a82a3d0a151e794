"""Asking a server of pages as programs and forms do."""

import contextlib
import html
import http.client
import json
import re
import threading

from markup import Whole

from cribev.app.web import review
from cribev.app.web.server import bind, make_server

DEAL = "5H5DJSQC2H8D"

PAGES = [
    "/play",
    "/ask",
    f"/ask?cards={DEAL}&role=pone&mine=5H5D",
    "/ask?cards=258-9JK",
    "/review",
    "/ten?ten=a",
    "/api",
    "/no",
]


HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>'


def words_of(markup):
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", markup)).split())


class Answer:
    def __init__(self, answer):
        self.status, self.headers, self.body = answer.status, answer.headers, answer.read()
        if "text/html" in (self.headers["Content-Type"] or ""):
            Whole(self.text)  # every page is

    @property
    def text(self):
        return self.body.decode()

    @property
    def words(self):
        return words_of(self.text)

    def says(self, *words):
        """Hold the page to say all this."""
        for phrase in words:
            assert phrase in self.words, f"{phrase!r}: {self.words[:2000]}"

    def holds(self, *texts):
        """Hold the page to have all this in it, as it is written."""
        for text in texts:
            assert text in self.text

    @property
    def refusal(self):
        """The words of a refusal."""
        assert self.status == 400, self.status
        return self.words

    @property
    def wrong(self):
        """The error that a page tells, or all its words."""
        wrong = r'<p (?:id="wrong" )?class="wrong" role="alert"[^>]*>(.+?)</p>'
        told = re.search(wrong, self.text, re.DOTALL)
        return words_of(told[1]) if told else self.words

    @property
    def json(self):
        return json.loads(self.body)


def ask(site, path, *, method="GET", body=None, **headers):
    connection = http.client.HTTPConnection(site, timeout=300)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        return Answer(connection.getresponse())
    finally:
        connection.close()


def with_files(get, files, path="/review", of="record", **fields):
    """Send files, by name and content, and fields of a form."""
    head = 'Content-Disposition: form-data; name="'
    sections = [f'{head}{field}"\r\n\r\n{value}'.encode() for field, value in fields.items()]
    sections += [
        f'{head}{of}"; filename="{name}"\r\n\r\n'.encode() + content for name, content in files
    ]
    body = b"".join(b"--x\r\n" + section + b"\r\n" for section in sections) + b"--x--\r\n"
    return get(path, method="POST", body=body, Content_Type="multipart/form-data; boundary=x")


def with_file(get, name, content, **fields):
    return with_files(get, [(name, content)], **fields)


@contextlib.contextmanager
def running(host):
    """A server of its own, by its port."""
    review.PATIENCE = 60  # tests ask once
    with bind(host, 0) as taken:
        served = make_server(taken, host=host)
        thread = threading.Thread(target=served.run, args=[[taken]], daemon=True)
        thread.start()
        try:
            yield taken.getsockname()[1]
        finally:
            served.should_exit = True
            thread.join()
