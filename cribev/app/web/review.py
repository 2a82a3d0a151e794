"""Reviews: upload a game, see its review, and step through its mistakes."""

import asyncio
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from io import StringIO
from secrets import token_urlsafe
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from cribev.advice.answers import right_against_others
from cribev.advice.decisions import Decision
from cribev.advice.lessons import lesson
from cribev.advice.names import as_opponent
from cribev.advice.question import Question, check_asked
from cribev.advice.verdicts import COSTLY, WIN_BANDS
from cribev.app.games.database import StoreError
from cribev.app.web import forms
from cribev.app.web.ask import question_address
from cribev.app.web.guard import QueueFull
from cribev.app.web.kept_reviews import KeptReview, PendingReview, StoredReview, local_reviews
from cribev.app.web.pages import MAX_HAND, count_result, local_time, render
from cribev.errors import CardError, CribevError, RecordError, quote
from cribev.game.cards import cards_meant, format_cards
from cribev.game.play import CARDS_KEPT
from cribev.game.score import UNKNOWN
from cribev.game.show import explain
from cribev.game.stakes import Stakes
from cribev.game.words import format_games_lost, format_points, parse_integer
from cribev.records.formats import records_from_bytes
from cribev.records.record import RECORD_TEMPLATE, Record, as_record
from cribev.reviews.findings import Miscount
from cribev.reviews.listings import Review
from cribev.reviews.page import OpenedDeals, card_choice, review_context, review_html
from cribev.reviews.review import review

MAX_DECISIONS = 5000  # decisions of a record: some three hundred games of two players
MAX_PLAYERS = 20  # players of a record: each has a part of the page
MAX_EXACT = 200  # decisions that are weighed exactly while a program waits for the answer
MAX_EXACT_WITH_SCORES = 48
"""The same where there are scores: chances to win take a quarter of a second."""
MAX_SKIPPED = 100  # games and rows that cannot be read, after which nothing more is
_TOLD = 3  # reasons that are told where nothing can be read
MAX_PAGE_DECISIONS = 100  # decisions on one page; more are parted, a game or a part of it on a page

SAVED = "review.html"  # the name of a review as one file

REVIEW_PARAMETERS = {
    "format": "what is sent where its content does not say: csv (default), tsv, jsonl or pgn",
    "opponent": forms.OPPONENT_HELP,
    "player": "only this player",
    "errors": "skip leaves out files and games that are impossible, and says in skipped why; raise "
    "(default) refuses them all",
    "show_only": "1 leaves out the play",
    "stakes": "what the games were played for, where scores are known: as for advice",
    "fast": f"1 uses the class tables and leaves scores out, as more than {MAX_EXACT_WITH_SCORES} "
    f"discards with scores need, or more than {MAX_EXACT} without",
}
"""The parameters of a review."""


def read_uploads(
    files: Sequence[forms.UploadedFile], *, skipped: list[str] | None = None
) -> Record:
    """Read files that were sent as one record, and list what is skipped, if a list is given.

    `CribevError` if nothing is left, or it is too long for a page.
    """

    def skip(error: RecordError) -> None:
        assert skipped is not None
        skipped.append(" ".join(str(error).split()))
        if len(skipped) > MAX_SKIPPED:
            raise CribevError(f"{skipped[0]}; and {MAX_SKIPPED} more")

    skips = None if skipped is None else skip
    try:
        frame = records_from_bytes(files, most=MAX_DECISIONS, skip=skips)
    except RecordError as error:
        if not skipped:
            raise
        more = [f"and {len(skipped) - _TOLD} more"] if len(skipped) > _TOLD else []
        raise RecordError("; ".join([*skipped[:_TOLD], *more])) from error
    if len(frame) > MAX_DECISIONS:
        raise CribevError(
            f"more than {MAX_DECISIONS:,} decisions are too many here: cribev review takes them"
        )
    return as_record(frame)


def read_for_page(files: Sequence[forms.UploadedFile], player: str, skipped: list[str]) -> Record:
    """Read files for a page, on which a player is named or all; `CribevError` if too much."""
    whole = read_uploads(files, skipped=skipped)
    if player:
        whole.rows_of(player)  # refuses one who is not there
        return whole
    players = whole.frame["player"].nunique()
    if players > MAX_PLAYERS:
        raise CribevError(
            f"{players:,} players are too many here, where {MAX_PLAYERS} is the most: "
            "cribev review takes them"
        )
    return whole


def draw_reviewed(
    reviewed: Review,
    name: str,
    key: str,
    *,
    learner: str | None = None,
    skipped: Sequence[str] = (),
    opponent: str = "expert",
) -> StoredReview:
    """Draw the pages of a review, and lead through the mistakes of the ``learner``.

    The first page names the files that were ``skipped``.
    """
    players = {
        str(player): list_mistakes(reviewed, player) for player in reviewed.players["player"]
    }
    parted, address = len(reviewed.decisions) > MAX_PAGE_DECISIONS, f"/review/{key}"
    values = review_context(reviewed, lambda anchor: f"{address}/{anchor}" if parted else address)
    tiles = {player["name"]: player["tiles"] for player in values["players"]}
    values |= {"file": name, "parted": parted, "learner": learner, "skipped": skipped, "key": key}
    values |= forms.chosen_against({"opponent": opponent})
    pages = _pages(values, address, players)
    pages[SAVED] = zlib.compress(review_html(reviewed).encode("utf-8", "replace"), 1)
    own = next((totals for totals in values["players"] if totals["name"] == learner), None)
    end = render("review_end.html", values | {"player": own}) if own else ""
    summary = own["summary"] if own else ""
    return StoredReview(key, pages, players, tiles, summary, end, opponent)


def _pages(
    values: dict[str, Any], address: str, players: dict[str, list[dict[str, Any]]]
) -> dict[str, bytes]:
    """Draw the pages of a review: one, or if it is long one for each group of its decisions."""
    values |= {
        "here": "review",
        "address": address,
        "links": [
            {"name": player, "number": len(mistakes), "address": f"{address}/{number}/1"}
            for number, (player, mistakes) in enumerate(players.items(), start=1)
            if values["learner"] in (None, player)
        ],
    }
    pages = {"": render("reviewed.html", values)}
    for player in values["players"] if values["parted"] else ():
        groups = player["groups"]
        links = ["", *(group["href"] for group in groups), ""]
        for group, before, after in zip(groups, links, links[2:], strict=False):
            beside = {"player": player, "group": group, "before": before, "after": after}
            pages[group["anchor"]] = render("review_part.html", values | beside)
    return {path: zlib.compress(text.encode(), 1) for path, text in pages.items()}


def _has_scores(record: Record) -> bool:
    return bool((record.scores != UNKNOWN).any())


def list_mistakes(reviewed: Review, player: object) -> list[dict[str, Any]]:
    """List what a player may look at again, deal by deal: discards, cards and counts."""
    decisions, cards, rows = reviewed.decisions, reviewed.cards, reviewed.graded.rows
    games, deals = pd.factorize(decisions["game"])[0], decisions["deal"].tolist()
    own, opened = decisions["player"] == player, OpenedDeals(reviewed)
    costly = np.flatnonzero(decisions["verdict"].isin(COSTLY)).tolist()
    costly_cards = np.flatnonzero(cards["verdict"].isin(COSTLY)).tolist()
    least = WIN_BANDS.inaccuracy * reviewed.stakes.swing
    places: list[tuple[int, int, int | Miscount | None]] = [(row, 0, None) for row in costly]
    places += [(int(rows[card]), int(cards["number"].iloc[card]), card) for card in costly_cards]
    places += [
        (miscount.row, 2 * CARDS_KEPT + 1, miscount)
        for miscount in reviewed.miscounted
        if miscount.lost >= least
    ]
    shown = list[dict[str, Any]]()
    for row, _, lapse in sorted(
        places, key=lambda place: (games[place[0]], deals[place[0]], place[1])
    ):
        if not own[row]:
            continue
        seat = {name: decisions.iloc[row][name] or "" for name in _SHOWN}
        if isinstance(lapse, Miscount):
            shown.append(
                {
                    **seat,
                    "decision": None,
                    "choice": None,
                    "lesson": "",
                    "verdict": "mistake",
                    "lost": format_games_lost(lapse.lost, reviewed.win_unit),
                    "own": lapse.own,
                    "told": lapse.counted_text,
                    "shows": [
                        (*map(format_cards, (show.hand, show.cut)), show.crib)
                        for show in lapse.shows
                    ],
                }
            )
            continue
        decision = reviewed.mistake(row, lapse)
        shown.append(
            {
                **seat,
                "decision": decision,
                "held": format_cards(decision.position.left),
                "verdict": reviewed.row_of(decision)["verdict"],
                "lost": format_games_lost(decision.win_loss, reviewed.win_unit)
                if decision.by_wins and decision.win_loss is not None
                else format_points(decision.loss),
                "played": opened.played(row)[: len(decision.position.play.steps)],
                "lesson": lesson(decision, reviewed.best_of(decision)),
                "choice": None if lapse is None else card_choice(reviewed, decision),
            }
        )
    return shown


def review_json(query: Mapping[str, str], files: Sequence[forms.UploadedFile] | bytes) -> Any:
    """Answer as ``cribev review --format json`` does, by parameters `REVIEW_PARAMETERS`."""
    form = forms.parse_choice(query, "format", ("csv", "tsv", "jsonl", "pgn"), "csv")
    if isinstance(files, bytes):
        files = [forms.UploadedFile(f"record.{form}", files)]
    skips = forms.parse_choice(query, "errors", ("raise", "skip"), "raise") == "skip"
    skipped = list[str]()
    record = read_uploads(files, skipped=skipped if skips else None)
    if "player" in query:
        record = record.take(record.rows_of(query["player"]))
    fast, play = forms.parse_flag(query, "fast"), not forms.parse_flag(query, "show_only")
    scored = play and _has_scores(record)
    number, most = len(record.frame), MAX_EXACT_WITH_SCORES if scored else MAX_EXACT
    if not fast and number > most:
        raise CribevError(
            f"{number} decisions{' with scores' * scored} are too many to weigh exactly here, "
            f"where {most} is the most: fast=1 takes the class tables"
            f"{' and leaves the scores out' * scored}"
        )
    if fast:
        record = record.without_scores()
    opponent = forms.parse_opponent(query)
    stakes = query.get("stakes", "").strip() or None
    reviewed = review(record, opponent=opponent, play=play, fast=fast, stakes=stakes)
    return reviewed.to_dict() | ({"skipped": skipped} if skips else {})


_GONE = "this review is gone: bring the game again"
_AGAINST = " against "  # after the source of a review, before another opponent
PATIENCE = 0.5  # seconds that a page waits for a review before it says that one is being made

PATIENCE_FOR_FIRST = 2.0  # and for what is there first

_MOST_LISTED = 12  # reviews that are kept
_SHOWN = ("game", "deal", "player", "discard", "starter", "score")  # of a mistake


async def _show_form(request: Request) -> Response:
    query = forms.parse_query(request, "opponent")
    with suppress(CribevError):  # whom they chose last
        last = {"opponent": forms.remembered(request, "opponent")}
        query = {"opponent": as_opponent(forms.parse_opponent(last)).text} | query
    forms.parse_opponent(query)
    queue = request.app.state.short_work
    return _form_page(query, kept=await queue.run(local_reviews().listed, _MOST_LISTED))


async def _upload_game(request: Request) -> Response:
    forms.parse_query(request)
    texts, files = await forms.parse_form(request)
    query = {name: " ".join(texts.pop(name, [])) for name in ("stakes", "opponent")}
    player, skipped = " ".join(texts.pop("player", ())).strip(), list[str]()
    try:
        forms.reject_unknown([*texts, *files], "record")
        sent = [file for file in files.get("record", ()) if file.name]
        if not sent:
            raise CribevError("no file was chosen")
        queue = request.app.state.short_work
        record = await queue.run_for(request, read_for_page, sent, player, skipped)
        stakes = Stakes.read(query["stakes"].strip() or None)
        opponent = as_opponent(forms.parse_opponent(query))
        check_asked(opponent, stakes, scored=_has_scores(record))
    except CribevError as error:
        return _form_page(query, player=player, error=" ".join(str(error).split()))
    name = sent[0].name if len(sent) == 1 else f"{len(sent)} files"
    asked = [name, record.frame.to_csv(index=False), player, stakes.name, opponent.text, *skipped]
    source = f"record {sha256(repr(asked).encode()).hexdigest()}"  # the same games, the same review
    key = await recall(request, source)
    if not key:
        begin = partial(begin_review, request, record, name, source=source, player=player)
        key = begin(stakes=stakes.name, opponent=opponent.text, skipped=skipped)
    return forms.see_other(f"/review/{key}")


def begin_review(
    request: Request,
    record: Record,
    name: str,
    *,
    source: str,
    player: str = "",
    stakes: str = "win",
    opponent: str = "expert",
    then: Callable[[StoredReview], None] | None = None,
    key: str = "",
    **shown: Any,
) -> str:
    """Let a record be reviewed in the queue of long work, and return the key; or `QueueFull`.

    The question is stored by its ``source``, and so is the review; ``shown`` is as in
    `draw_reviewed`.
    """
    state, key = request.app.state, key or token_urlsafe(12)
    asked_record = record.take(record.rows_of(player)) if player else record
    if state.long_work.full:
        raise QueueFull
    pending, kept = PendingReview(name), local_reviews()
    across, address = forms.parse_opponent({"opponent": opponent}), f"/review/{key}"

    def keep() -> None:
        question: dict[str, Any] = {"source": source, "name": name, "player": player}
        question |= {"stakes": stakes, "opponent": opponent, "shown": shown}
        question["csv"] = record.frame.to_csv(index=False, lineterminator="\n")
        kept.begin(key, len(asked_record.frame), question)

    def make() -> StoredReview:
        reviewed = review(asked_record, opponent=across, stakes=stakes, progress=pending.progress)
        drawn = draw_reviewed(reviewed, name, key, opponent=opponent, **shown)
        with suppress(StoreError):
            kept.finish(drawn)
        if then is not None:
            then(drawn)
        return drawn

    async def look() -> None:
        if len(asked_record.frame) <= MAX_PAGE_DECISIONS:
            with suppress(CribevError, QueueFull):
                pending.first = await state.short_work.run(
                    _first_look, asked_record, across, address
                )

    async def work() -> None:
        with suppress(StoreError, QueueFull):  # then it ends with the server
            await state.short_work.run(keep)
        await pending.look
        state.reviews.put(await state.long_work.run(make))

    pending.look, pending.work = map(asyncio.ensure_future, (look(), work()))
    state.reviews.begin(key, pending)
    state.reviews.of_sources[source] = key
    return key


def _first_look(record: Record, opponent: str, address: str) -> str:
    """Draw what takes no time: the discards by points, and the score sheet."""
    by_points = record.without_scores()
    reviewed = review(by_points, opponent=opponent, cards=False, progress=lambda *_: None)
    # Advice against people would take another answer for each.
    values = review_context(replace(reviewed, record=record, fast=True), lambda _: address)
    return render("review_first.html", values | {"sheet_open": True})


async def recall(request: Request, source: str) -> str:
    """Return the key of the review of a source, as it is made or kept; empty if there is none."""
    state, reviews = request.app.state, request.app.state.reviews
    if (key := reviews.of_sources.get(source, "")) in reviews:
        return str(key)
    key = await state.short_work.run(local_reviews().key_of, source)
    stored = await state.short_work.run(local_reviews().find, key)
    if stored is None:
        return ""
    reviews.put(stored)
    reviews.of_sources[source] = key
    return str(key)


async def _load(request: Request, key: str) -> None:
    """Load a review that an earlier server made, or make it if that one was not done."""
    state, kept = request.app.state, local_reviews()
    if key in state.reviews:
        return
    stored = await state.short_work.run(kept.find, key)
    if stored is not None:
        state.reviews.put(stored)
        return
    question = await state.short_work.run(kept.question, key)
    if question is not None:
        _begin_kept(request, question, key)


def _begin_kept(request: Request, question: dict[str, Any], key: str = "") -> str:
    """Begin the review that answers a question that is kept, and return its key."""
    csv, shown = question.pop("csv"), question.pop("shown")
    frame = pd.read_csv(StringIO(csv), dtype=str, keep_default_na=False)
    return begin_review(request, as_record(frame), key=key, **question, **shown)


async def _judge_against(request: Request) -> Response:
    """Review the same games against another opponent, and remember whom."""
    texts, _ = await forms.parse_form(request)
    forms.reject_unknown(texts, "opponent")
    query = {name: " ".join(values) for name, values in texts.items()}
    opponent = as_opponent(forms.parse_opponent(query)).text
    run, kept = request.app.state.short_work.run, local_reviews()
    question = await run(kept.question, request.path_params["key"])
    if question is None:
        raise HTTPException(404, _GONE)
    first = question["source"].partition(_AGAINST)[0]
    key = await recall(request, first)
    asked = await run(kept.question, key) if key else None
    if asked is None or asked.get("opponent", "expert") != opponent:
        question |= {"source": f"{first}{_AGAINST}{opponent}", "opponent": opponent}
        key = await recall(request, question["source"]) or _begin_kept(request, question)
    answer = forms.see_other(f"/review/{key}")
    forms.remember(answer, "opponent", query.get("opponent", ""))
    return answer


async def _wait_for(request: Request, key: str) -> Response | None:
    """Wait a little for a review; if it is not there then, say how far it is."""
    await _load(request, key)
    pending: PendingReview | None = request.app.state.reviews.pending.get(key)
    if pending is None:
        return None
    await asyncio.wait({pending.work}, timeout=PATIENCE)
    await asyncio.wait({pending.look}, timeout=PATIENCE_FOR_FIRST)
    if pending.work.done():
        if (error := pending.work.exception()) is None:
            return None
        if not isinstance(error, CribevError):
            raise error
        return _form_page(error=" ".join(str(error).split()))
    page = render("reviewing.html", {"here": "review", "pending": pending})
    return HTMLResponse(page, headers={} if pending.first else {"Refresh": "1"})


def _form_page(
    query: Mapping[str, str] = MappingProxyType({}),
    *,
    player: str = "",
    error: str = "",
    kept: Sequence[KeptReview] = (),
) -> Response:
    values = {
        "here": "review", "error": error, "player": player, "kept": kept,
        "local_time": local_time, **forms.chosen_against(query),
    }  # fmt: skip
    return HTMLResponse(render("review_form.html", values), 400 if error else 200)


async def _show_review(request: Request) -> Response:
    forms.parse_query(request)
    if waiting := await _wait_for(request, request.path_params["key"]):
        return waiting
    page = _stored(request).page(part := request.path_params.get("part", ""))
    if page is None:
        raise HTTPException(404)
    saved = {"Content-Disposition": f'attachment; filename="{SAVED}"'} if part == SAVED else {}
    return HTMLResponse(page, headers={"Cache-Control": "private, no-cache"} | saved)


async def _show_mistake(request: Request) -> Response:
    forms.reject_unknown(request.query_params, "discard", "discarded", "card", "count")
    if waiting := await _wait_for(request, request.path_params["key"]):
        return waiting
    stored = _stored(request)
    seat, number = request.path_params["player"], request.path_params["number"]
    players = list(stored.players.values())
    if not 1 <= seat <= len(players) or not 1 <= number <= len(players[seat - 1]):
        raise HTTPException(404)
    mistake, query = players[seat - 1][number - 1], request.query_params
    is_count, is_card = mistake["decision"] is None, mistake["choice"] is not None
    chosen = query.getlist("card" if is_card else "discard")
    values: dict[str, Any] = {"chosen": (), "error": "", "shows": (), "asks": ""}
    values |= {"same": False, "is_best": False, "turned": ""}
    if is_count:
        chosen = query.getlist("count")
        values |= _answer_count(mistake["shows"], chosen)
    elif chosen or (not is_card and "discarded" in query):
        queue = request.app.state.short_work
        answer = _answer_card if is_card else _answer_discard
        values |= await queue.run_for(request, answer, mistake["decision"], chosen)
    here, numbers = f"/review/{stored.key}/{seat}", len(players[seat - 1])
    values |= {
        "here": "review",
        "number": number,
        "numbers": numbers,
        "mistake": mistake,
        "page": f"/review/{stored.key}",
        "previous": f"{here}/{number - 1}" if number > 1 else "",
        "next": f"{here}/{number + 1}" if number < numbers else "",
    }
    return HTMLResponse(render("mistake.html", values))


def _answer_count(hands: Sequence[Sequence[Any]], counts: list[str]) -> dict[str, Any]:
    """Show hands that were counted wrong, and compare other counts with what is there."""
    shows = [explain(hand, starter, crib=crib) for hand, starter, crib in hands]
    values: dict[str, Any] = {"shows": shows, "most": MAX_HAND}
    if not counts:
        return values
    numbers = [parse_integer(count.strip(), most=MAX_HAND) for count in counts]
    known = [count for count in numbers if count is not None]
    if len(known) < len(numbers) or len(numbers) != len(shows):
        return values | {"error": f"expected {len(shows)} of the numbers from 0 to {MAX_HAND}"}
    results = [count_result(*pair) for pair in zip(shows, known, strict=True)]
    is_right = known == [show.total for show in shows]
    return values | {"chosen": known, "results": results, "is_best": is_right}


def _answer_card(decision: Decision, chosen: list[str]) -> dict[str, Any]:
    """Compare a card with what was played in the game."""
    fits = {row.card: row for row in decision.judged.rows}
    if (card := chosen[-1]) not in fits:
        expected = " ".join(row.card for row in decision.options.rows)
        return {"error": f"{quote(card)} cannot be played here: expected one of {expected}"}
    return {
        "chosen": [card],
        "same": card == decision.option.card,
        "best": [row.card for row in fits.values() if row.rank == 1],
        "turned": right_against_others(decision),
        "is_best": fits[card].rank == 1,
    }


def _answer_discard(decision: Decision, chosen: list[str]) -> dict[str, Any]:
    """Advise on the six cards, and compare two of them with what was discarded."""
    values: dict[str, Any] = {"chosen": chosen}
    try:
        if len(chosen) != 2:
            raise CardError(forms.CHOOSE_TWO)
        question, position = decision.options.question, decision.position
        assert isinstance(question, Question)
        own = decision.judged.option(cards_meant(" ".join(chosen), position.held.dealt))
        if not decision.by_wins:
            question = Question(replace(position, score=None), question.opponent)
    except CribevError as problem:
        return values | {"error": " ".join(str(problem).split())}
    best = format_cards(decision.judged.best.cards)
    return values | {
        "asks": question_address(question, format_cards(own.cards)),
        "same": own.cards == decision.option.cards, "is_best": own.rank == 1,
        "best": best.split(), "turned": right_against_others(decision),
    }  # fmt: skip


async def _forget(request: Request) -> Response:
    """Remove a review that is kept, and its record."""
    key, state = request.path_params["key"], request.app.state
    await state.short_work.run_for(request, local_reviews().forget, key)
    state.reviews.forget(key)
    return forms.see_other("/review#kept")


async def _template(request: Request) -> Response:
    forms.parse_query(request)
    name = 'attachment; filename="record.csv"'
    return Response(RECORD_TEMPLATE, media_type="text/csv", headers={"Content-Disposition": name})


def _stored(request: Request) -> StoredReview:
    stored: StoredReview | None = request.app.state.reviews.get(request.path_params["key"])
    if stored is None:
        raise HTTPException(404, _GONE)
    return stored


ROUTES = [
    Route("/review", _show_form),
    Route("/review", _upload_game, methods=["POST"]),
    Route("/review/template.csv", _template),
    Route("/review/{key}", _show_review),
    Route("/review/{key}/{part}", _show_review),
    Route("/review/{key}/forget", _forget, methods=["POST"]),
    Route("/review/{key}/against", _judge_against, methods=["POST"]),
    Route("/review/{key}/{player:int}/{number:int}", _show_mistake),
]
