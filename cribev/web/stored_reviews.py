"""Games reviewed: dropped or typed in, looked at, and stepped through mistake by mistake."""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from secrets import token_urlsafe
from threading import Lock
from typing import Any, NamedTuple

import pandas as pd

from cribev.errors import CribevError, quote
from cribev.game.score_notation import UNKNOWN
from cribev.reviews.page import review_context
from cribev.reviews.record_files import record_from_bytes
from cribev.reviews.records import Record, as_record
from cribev.reviews.review import Review, review
from cribev.reviews.wording import COSTLY, format_percent, format_points
from cribev.web.parameters import OPPONENTS, parse_choice, parse_flag, reject_unknown
from cribev.web.templating import templates

MOST = 1000
"""Decisions of a record; it is some sixty games of two players."""
EXACT = 200
"""Decisions that are weighed exactly; the class tables weigh more."""
EXACT_AT_SCORES = 48
"""The same where the record has scores: chances to win take a quarter of a second each."""

_KEPT = 12
_BLANK = b"\xef\xbb\xbf \t\r\n"  # and the mark that some put before UTF-8
_JSON = (".jsonl", ".ndjson")


REVIEW_PARAMETERS = {
    "format": "what is sent: csv (default), tsv or jsonl, as UTF-8 text",
    "opponent": "who is taken to throw the other two cards: expert (default) or uniform",
    "player": "only this player",
    "show_only": "1 leaves out the play",
    "fast": f"1 takes the class tables and leaves scores out, as more than {EXACT_AT_SCORES} "
    f"discards with scores need, or more than {EXACT} without",
}
"""What can be asked of a review."""


class Mistake(NamedTuple):
    """A discard that is worth another look."""

    game: str
    deal: int
    player: str
    role: str
    cards: str
    thrown: str
    verdict: str
    lost: str
    """Points, or a part of the game where it is judged by that."""
    score: str
    judged_at: str
    """The score once more, if that is what it is judged by."""


class StoredReview(NamedTuple):
    """A review that is looked at."""

    key: str
    name: str
    page: str
    players: dict[str, list[Mistake]]
    """The mistakes of each player, in the order of the record."""
    fast: bool


class ReviewCache:
    """The latest reviews, by keys that nobody guesses; older ones make room."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, StoredReview] = OrderedDict()
        self._lock = Lock()

    def put(self, kept: StoredReview) -> None:
        """Keep a review.

        >>> review_cache = ReviewCache()
        >>> review_cache.put(StoredReview("k", "game.csv", "<p>", {}, False))
        >>> review_cache.get("k").name, review_cache.get("no")
        ('game.csv', None)
        """
        with self._lock:
            self._kept[kept.key] = kept
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)

    def get(self, key: str) -> StoredReview | None:
        """Return a review, if it is still there."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)


def parse_record(content: bytes, name: str) -> pd.DataFrame:
    """Read a record that was sent.

    Raises
    ------
    CribevError
        If it is no record, is of another format than it is said to be, or is too long.

    Examples
    --------
    >>> parse_record(b'{"game": 1}', "game.csv")
    Traceback (most recent call last):
    cribev.errors.CribevError: 'game.csv' is JSON: format=jsonl, or a name in .jsonl, takes it, an
    object on each line
    """
    if b"\0" in content:
        raise CribevError(f"{quote(name)} is not text: it has a byte 0; expected CSV, TSV or JSONL")
    if content.lstrip(_BLANK)[:1] in (b"{", b"[") and not name.lower().endswith(_JSON):
        raise _is_json(name)
    return check_size(record_from_bytes(content, name))


def _is_json(name: str) -> CribevError:
    return CribevError(
        f"{quote(name)} is JSON: format=jsonl, or a name in .jsonl, takes it, an object on each "
        "line"
    )


def review_upload(content: bytes, name: str) -> StoredReview:
    """Review a record, exactly if it is not too long, and draw its page.

    Parameters
    ----------
    content, name
        A file, as `cribev.reviews.record_files.record_from_bytes` takes it.

    Raises
    ------
    CribevError
        If it cannot be read, or is too long.

    Examples
    --------
    >>> from cribev.reviews.records import RECORD_TEMPLATE
    >>> review_upload(RECORD_TEMPLATE.encode(), "game.csv").players
    {'Ann': []}
    """
    record = as_record(parse_record(content, name))
    number, most = len(record.frame), _exact(record)
    found = review(record, fast=number > most)
    key = token_urlsafe(12)
    players = {str(player): list_mistakes(found, player) for player in found.players["player"]}
    links = [
        {"name": player, "number": len(mistakes), "address": f"/review/{key}/{at}/1"}
        for at, (player, mistakes) in enumerate(players.items(), start=1)
    ]
    page = (
        templates()
        .get_template("reviewed.html")
        .render(
            review_context(found),
            here="review",
            links=links,
            file=name,
            unweighed=_unweighed(number) if found.fast and most == EXACT_AT_SCORES else "",
        )
    )
    return StoredReview(key, name, page, players, found.fast)


def _exact(record: Record, *, play: bool = True) -> int:
    """Return how many decisions of a record, by whether scores are weighed, are weighed exactly."""
    return EXACT_AT_SCORES if play and (record.scores != UNKNOWN).any() else EXACT


def _unweighed(decisions: int) -> str:
    """Say that scores were left out."""
    return (
        f"Scores were given, and left out: {decisions} discards are too many to weigh them here, "
        f"where {EXACT_AT_SCORES} is the most. Every verdict is by points alone. Fewer games at a "
        "time, or cribev review, weigh them."
    )


def check_size(frame: pd.DataFrame) -> pd.DataFrame:
    """Refuse a record that is too long for a page.

    Raises
    ------
    CribevError
        If it is.

    Examples
    --------
    >>> check_size(pd.DataFrame({"deal": range(2000)}))
    Traceback (most recent call last):
    cribev.errors.CribevError: 2,000 decisions are too many here, where 1,000 is the most: cribev
    review takes them
    """
    if len(frame) > MOST:
        raise CribevError(
            f"{len(frame):,} decisions are too many here, where {MOST:,} is the most: "
            "cribev review takes them"
        )
    return frame


def list_mistakes(found: Review, player: object) -> list[Mistake]:
    """List the discards of a player that are worth another look, in the order of the record."""
    rows = found.decisions[
        (found.decisions["player"] == player) & found.decisions["verdict"].isin(COSTLY)
    ]
    return [
        Mistake(
            str(row["game"]), int(row["deal"]), str(row["player"]), row["role"], row["cards"],
            row["discard"], row["verdict"], _lost(row), row["score"] or "",
            _judged_at(row),
        )
        for row in rows.to_dict(orient="records")
    ]  # fmt: skip


def _lost(row: Mapping[Hashable, Any]) -> str:
    if row.get("judged_by") == "win":
        return f"{format_percent(row['win_loss'])} of a game"
    return format_points(row["ev_loss"])


def _judged_at(row: Mapping[Hashable, Any]) -> str:
    return row["score"].replace("*", "") if row.get("judged_by") == "win" else ""


def review_json(given: Mapping[str, str], content: bytes, *, kind: str = "") -> Any:
    """Answer as ``cribev review --format json`` does.

    Parameters
    ----------
    given
        What is wanted, as text, by the names of `REVIEW_PARAMETERS`.
    content
        The record.
    kind
        What type it is said to be.

    Raises
    ------
    CribevError
        If there is no answer.
    """
    reject_unknown(given, *REVIEW_PARAMETERS)
    form = parse_choice(given, "format", ("csv", "tsv", "jsonl"), "csv")
    name = f"record.{form}"
    if "json" in kind.lower() and "format" not in given:
        raise _is_json(name)
    record = as_record(parse_record(content, name))
    if "player" in given:
        record = record.take(record.rows_of(given["player"]))
    fast, play = parse_flag(given, "fast"), not parse_flag(given, "show_only")
    number, most = len(record.frame), _exact(record, play=play)
    if not fast and number > most:
        raise CribevError(
            f"{number} decisions{' with scores' if most == EXACT_AT_SCORES else ''} are too "
            f"many to weigh exactly here, where {most} is the most: fast=1 takes the class tables"
            f"{' and leaves the scores out' if most == EXACT_AT_SCORES else ''}"
        )
    opponent = parse_choice(given, "opponent", OPPONENTS, "expert")
    return review(record, opponent=opponent, play=play, fast=fast).to_dict()
