"""The page that advises without a server: one file, or the files of a site."""

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files

from markupsafe import Markup

import cribev
from cribev.advice.advised import MORE_POINTS, MORE_WINS
from cribev.advice.verdicts import DEFAULT_BANDS, WIN_BANDS
from cribev.app.web.pages import static_files, web_environment
from cribev.classes.ranking import CLOSE_WINS, NEAR_TIE

_STYLES = ("reviews/templates/review.css", "app/web/static/web.css", "app/web/static/board.css")
_SCRIPTS = (
    *(f"app/web/static/{name}.js" for name in ("cribbage", "answer", "recorder")),
    *(f"app/pocket/{name}.js" for name in ("advice", "pocket")),
    *(f"app/web/static/{name}.js" for name in ("ask", "board")),
)

TABLES = files("cribev") / "data" / "pocket.gz"
"""The values of every discard against `OPPONENTS`, as `solver.pocket` packs it."""

OPPONENTS = ("expert", "people")
"""Whom the page knows."""

BANDS = {
    "points": DEFAULT_BANDS,
    "wins": WIN_BANDS,
    "near_tie": NEAR_TIE,
    "close_wins": CLOSE_WINS,
    "more_points": MORE_POINTS,
    "more_wins": MORE_WINS,
}
"""From where on a loss has a verdict, choices differ, and others are better against people."""

SITE_FILES = ("icon.svg", "index.html", "manifest.webmanifest", "worker.js")
"""The names of what `site_files` returns."""


def pocket_page(*, is_site: bool = False) -> str:
    """Return a page, in HTML, that advises against an expert, or against people.

    All is in the page, and its policy lets nothing be asked for elsewhere. The page of a site has a
    manifest and keeps itself, as `site_files` has them beside the page.
    """
    environment = web_environment("cribev.app.pocket")
    style, scripts = ("\n".join(map(_text, _STYLES)), [*map(_text, _SCRIPTS)])
    policy = {
        "default-src": "'none'",
        "script-src": " ".join(map(_allowed, scripts)),
        "style-src": _allowed(style),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    if is_site:
        policy |= {"manifest-src": "'self'", "worker-src": "'self'", "img-src": "'self' data:"}
    values = {
        "policy": Markup("; ".join(f"{name} {allowed}" for name, allowed in policy.items())),
        "icon": Markup("data:image/svg+xml;base64," + b64encode(_icon()).decode()),
        "is_site": is_site,
        "style": Markup(style),
        "scripts": list(map(Markup, scripts)),
        "bands": Markup(json.dumps(BANDS)),
        "tables": Markup(b64encode(TABLES.read_bytes()).decode()),
        "version": cribev.__version__,
        "opponents": OPPONENTS,
        # Elements of a served page that this one lacks.
        **dict.fromkeys(("asks_at", "home"), "#"),
        "pages": (("ask", "#", "Ask"), ("board", "#board", "Board")),
        "here": "ask",
        **dict.fromkeys(("error", "served"), ""),
    }
    text: str = environment.get_template("pocket.html").render(values)
    return text


def site_files() -> Mapping[str, bytes]:
    """Return the files of a site, by their names: a phone that has opened it once keeps it."""
    page = pocket_page(is_site=True).encode()
    manifest = {
        "name": "cribev: which two cards go to the crib?",
        "short_name": "cribev",
        "start_url": ".",
        "display": "standalone",
        "background_color": "#17553a",
        "theme_color": "#17553a",
        "icons": [{"src": "icon.svg", "type": "image/svg+xml", "sizes": "any"}],
    }
    worker = _text("app/pocket/worker.js")
    return {
        "icon.svg": _icon(),
        "manifest.webmanifest": json.dumps(manifest, indent=2).encode(),
        "worker.js": worker.replace("«version»", sha256(page).hexdigest()[:16]).encode(),
        "index.html": page,
    }


def _allowed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _text(path: str) -> str:
    return files("cribev").joinpath(path).read_text(encoding="utf-8")


def _icon() -> bytes:
    return static_files()["icon.svg"][2]
