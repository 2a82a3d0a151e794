"""The page that advises without a server: one file, or the files of a site."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any

import numpy as np
from markupsafe import Markup

import cribev
from cribev.advice.verdicts import DEFAULT_BANDS, WIN_BANDS
from cribev.app.web.pages import card_faces, static_files, web_environment
from cribev.game import cards
from cribev.reviews import charts

_PARTS = [("wide", "hand"), ("wide", "crib"), ("wide", "play")]
_COLUMNS = {
    "table": [*_PARTS, ("", "expected"), ("", "behind")],
    "table_wins": [*_PARTS, ("", "wins"), ("wide", "wins lost"), ("", "expected")],
}
"""The columns of all discards, without a score and with one."""

_STYLES = ("reviews/templates/review.css", "app/web/static/web.css", "app/web/static/board.css")
_SCRIPTS = (
    "app/web/static/count.js",
    "app/pocket/pocket.js",
    *(f"app/web/static/{name}.js" for name in ("ask", "recorder", "board")),
)

TABLES = files("cribev") / "data" / "pocket.gz"
"""What every discard is worth against `OPPONENTS`, as `solver.pocket` packs it."""

OPPONENTS = ("expert", "people")
"""Whom the page knows."""

SITE_FILES = ("icon.svg", "index.html", "manifest.webmanifest", "worker.js")
"""The names of what `site_files` returns."""


def pocket_page(*, is_site: bool = False) -> str:
    """Return a page, in HTML, that advises against an expert, or against people.

    All is in the page, and its policy lets nothing be asked for elsewhere. The page of a site has a
    manifest and keeps itself, as `site_files` has them beside the page.
    """
    made = web_environment("cribev.app.pocket")
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
    shown = json.dumps(_shown(), ensure_ascii=False).replace("<", r"\u003c")
    values = {
        "policy": Markup("; ".join(f"{name} {allowed}" for name, allowed in policy.items())),
        "icon": Markup("data:image/svg+xml;base64," + b64encode(_icon()).decode()),
        "is_site": is_site,
        "style": Markup(style),
        "scripts": list(map(Markup, scripts)),
        "shown": Markup(shown),
        "tables": Markup(b64encode(TABLES.read_bytes()).decode()),
        "version": cribev.__version__,
        "opponents": OPPONENTS,
        # What the page of a server has, and this one has not.
        **dict.fromkeys(("asks_at", "home"), "#"),
        "pages": (("ask", "#", "Ask"), ("board", "#board", "Board")),
        "here": "ask",
        **dict.fromkeys(("selected", "found"), ()),
        **dict.fromkeys(("cards", "role", "own", "theirs", "error"), ""),
    }
    text: str = made.get_template("pocket.html").render(values)
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


def _shown() -> dict[str, Any]:
    """Return what the script fills in: parts of an answer, how cards look, from where verdicts go.

    A part is HTML with the names of its arguments where their values go, as ``«discard»``.
    """
    made = web_environment("cribev.app.pocket")
    deck = cards.format_cards(range(cards.DECK_SIZE)).split()
    drawing: Any = charts.starter_grid(deck, np.zeros(len(deck)))
    macros: Any = made.get_template("answer_parts.html").module
    draw: Any = made.get_template("cards.html").module
    parts = {
        name: _part(macro, drawing=drawing, columns=("hand", "gain"))
        for name, macro in vars(macros).items()
        if hasattr(macro, "arguments") and name != "table"
    }
    parts |= {name: _part(macros.table, columns=columns) for name, columns in _COLUMNS.items()}
    return {
        "parts": parts,
        "cards": {
            text: {
                "name": face["name"],
                "small": re.sub("</?span.*?>", "", str(draw.small(text))),
                "drawn": str(draw.drawn(face, named=False, kind="«kind»")),
            }
            for text in [*deck, *cards.RANKS]
            for face in card_faces(text)
        },
        "places": {cell["text"]: (cell["x"], cell["y"]) for cell in drawing["cells"]},
        "bands": {"points": DEFAULT_BANDS, "wins": WIN_BANDS},
    }


def _part(macro: Any, **given: Any) -> str:
    arguments = {name: given.get(name, Markup(f"«{name}»")) for name in macro.arguments}
    if macro.caller:
        arguments["caller"] = lambda: Markup("«body»")
    return str(macro(**arguments))
