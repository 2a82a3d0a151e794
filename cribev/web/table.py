"""What the page of a game shows: the table as one player sees it, in words and in places."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cribev.game.cards import format_card, format_cards
from cribev.game.play import PegKind, Play
from cribev.game.roles import Role
from cribev.game.score import WINNING_SCORE
from cribev.games.view import GameEvent, GameView
from cribev.web.pages import card_faces

_LANE = 60  # holes of a lane, out or back
_PEGS: Mapping[PegKind, str] = {
    "fifteen": "fifteen for 2", "thirty-one": "thirty-one for 2", "go": "1 for the go",
    "last": "1 for the last card",
}  # fmt: skip
_PAIRS = {2: "a pair for 2", 6: "three of a kind for 6", 12: "four of a kind for 12"}


class ShowStage(NamedTuple):
    """How far the show has been counted, which an address says."""

    number: int = 1
    """The hand that is counted, from 1; one more than there are after the last."""
    counted: int | None = None
    """What the player counted it for; None before."""


def hole_at(player: int, score: int) -> tuple[float, float]:
    """Return where a peg of the player (0) or the opponent (1) stands, in units of the board.

    >>> hole_at(0, 0), hole_at(0, 1), hole_at(0, 60)[0] == hole_at(0, 61)[0]
    ((26, 28), (46, 28), True)
    """
    if score >= WINNING_SCORE:
        return 26, 42
    if score <= 0:
        return 26, (28, 14)[player]
    out = score <= _LANE
    step = (score if out else 2 * _LANE + 1 - score) - 1
    return 46 + 10 * step + 4 * (step // 5), ((28, 14) if out else (56, 70))[player]


def _holes() -> str:
    """Draw every hole, as the path of one line."""
    places = [hole_at(player, score) for player in (0, 1) for score in range(WINNING_SCORE + 1)]
    places += [(12, 28), (12, 14)]
    return "".join(f"M{x} {y}h0" for x, y in dict.fromkeys(places))


BOARD: Mapping[str, Any] = {
    "wide": 714,
    "high": 84,
    "holes": _holes(),
    "marks": [
        {"x": hole_at(0, at)[0] + 7, "out": at, "back": 2 * _LANE - at} for at in (15, 30, 45)
    ],
}
"""What the board looks like before a peg is in it."""


def pegs_at(scores: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """Place two pegs a player, the one at the score in front of the one at the score before.

    Takes what both had in turn, the player's points first.

    >>> [(peg["player"], peg["front"], peg["x"]) for peg in pegs_at([(0, 0), (2, 0)])]
    [(0, False, 26), (0, True, 56), (1, False, 12), (1, True, 26)]
    """
    pegs = []
    for player in (0, 1):
        now = scores[-1][player]
        before = max((score[player] for score in scores if score[player] < now), default=None)
        back = (12, hole_at(player, 0)[1]) if before is None else hole_at(player, before)
        for front, (x, y) in ((False, back), (True, hole_at(player, now))):
            pegs.append({"player": player, "front": front, "x": x, "y": y})
    return pegs


def event_line(event: GameEvent, player: int) -> list[dict[str, str]]:
    """Say what happened, in pieces of text and of cards.

    >>> event = GameEvent("lay", 1, 0, (18,), 15, 2, 0, (("fifteen", 2),), None, (2, 7))
    >>> event_line(event, 0)[0]["text"], event_line(event, 1)[-1]["text"]
    ('You lay ', ': 15, fifteen for 2')
    """
    own = event.player == player
    who = "You" if own else "The expert"
    verb = event.kind if own else f"{event.kind}s"
    pieces: list[str | tuple[int, ...]] = []
    if event.kind in ("cut", "lay"):
        pieces = [f"{who} {verb} ", event.cards]
        if event.kind == "lay":
            pieces.append(f": {', '.join([str(event.count), *_peg_words(event)])}")
    elif event.kind == "deal":
        pieces = [f"{who} {verb}: the crib is {'yours' if own else 'the expert’s'}"]
    elif event.kind == "discard":
        pieces = [f"{who} {'throw' if own else 'throws'} two cards to the crib"]
    elif event.kind == "starter":
        scorer = "" if not event.points else ": 2 for heels, to "
        pieces = ["The starter is ", event.cards]
        if scorer:
            pieces.append(scorer + ("you" if event.scorer == player else "the expert"))
    elif event.kind == "go":
        pieces = [f"{who} {'say' if own else 'says'} go"]
        if event.points and event.scorer == event.player:
            pieces = [f"{who} {'peg' if own else 'pegs'} {', '.join(_peg_words(event))}"]
        elif event.points:
            whose = "you" if event.scorer == player else "the expert"
            pieces.append(f": {', '.join(_peg_words(event))}, to {whose}")
    elif event.kind in ("hand", "crib") and event.show is not None:
        pieces = [f"{'Your' if own else 'The expert’s'} {event.kind}: {event.show.spoken}"]
    elif event.kind == "resign":
        pieces = [f"{who} {'resign' if own else 'resigns'}"]
    else:
        pieces = [f"{who} {'win' if own else 'wins'}"]
    return [
        {"text": piece, "cards": ""}
        if isinstance(piece, str)
        else {"text": "", "cards": format_cards(piece)}
        for piece in pieces
    ]


def _peg_words(event: GameEvent) -> list[str]:
    """Say what a card or a go scores for."""
    return [
        _PAIRS[points]
        if kind == "pair"
        else f"a run for {points}"
        if kind == "run"
        else _PEGS[kind]
        for kind, points in event.pegs
    ]


def table_context(view: GameView, stage: ShowStage, *, counts: bool) -> dict[str, Any]:
    """Gather what ``game.html`` shows; ``counts`` tells whether the player counts the own hands.

    Nothing is in it that the player may not see.
    """
    number = min(max(stage.number, 1), len(view.shown) + 1)
    shown = view.to_do in ("next", "over") and number <= len(view.shown)
    to_do = "show" if shown else view.to_do
    events, asks = [*view.events], False
    show: dict[str, Any] | None = None
    if shown:
        hand = view.shown[number - 1]
        asks = counts and hand.own and stage.counted is None
        events = _until_shown(view, number - asks)
        show = {
            "own": hand.own,
            "crib": hand.crib,
            "cards": card_faces(format_cards(hand.show.hand)),
            "combinations": [] if asks else [
                {"kind": one.kind, "cards": format_cards(one.cards), "points": one.points}
                for one in hand.show.combinations
            ],
            "spoken": "" if asks else hand.show.spoken,
            "total": 0 if asks else hand.show.total,
            "asks": asks,
            "counted": stage.counted if counts and hand.own else None,
            "number": number,
            "last": number == len(view.shown),
        }  # fmt: skip
    known = view.position
    pairs = [event.score for event in events]
    scores = [(0, 0), *((pair[view.player], pair[1 - view.player]) for pair in pairs)]
    return {
        "to_do": to_do,
        "number": view.number,
        "dealer": view.role == "dealer",
        "score": scores[-1],
        "board": BOARD,
        "pegs": pegs_at(scores),
        "six": card_faces(format_cards(known.held.dealt)),
        "hand": [
            {**face, "fits": card in view.legal}
            for face, card in zip(card_faces(format_cards(known.left)), known.left, strict=True)
        ],
        "discard": card_faces(format_cards(known.held.discard)),
        "backs": view.opponent_left,
        "crib": view.crib,
        "starter": card_faces(format_cards([known.starter]))[0]
        if known.starter is not None
        else None,
        "laid": place_laid(known.play, view.role, other="the expert"),
        "count": known.play.count,
        "show": show,
        "decided": view.won is not None,
        "won": view.won if to_do == "over" else None,
        "resigned": view.resigned,
        "log": [_logged(event, at, view.player) for at, event in enumerate(events)],
    }


def _until_shown(view: GameView, number: int) -> list[GameEvent]:
    """Return what happened before hands of this deal were counted, and so many of those."""
    first = len(view.events) - len(view.shown)
    first -= sum(event.kind in ("win", "resign") for event in view.events)
    return [*view.events[: first + number]]


def _logged(event: GameEvent, at: int, player: int) -> dict[str, Any]:
    return {
        "number": at,
        "deal": event.deal,
        "kind": event.kind,
        "count": event.count,
        "line": event_line(event, player),
    }


def place_laid(play: Play, role: Role, *, other: str) -> list[dict[str, Any]]:
    """Place the cards laid, each with its count; a go is written under the card before it.

    Takes the role of who looks, and who the other player is.

    >>> found = place_laid(Play.parse("T T T go / 2"), "pone", other="the expert")
    >>> [(one["notes"], one["past"]) for one in found][2:]
    [(['30', '+6', 'go +1'], True), (['2'], False)]
    """
    placed: list[dict[str, Any]] = []
    for step in play.steps:
        own, points = step.role == role, sum(peg.points for peg in step.pegs)
        if step.card is not None:
            (face,) = card_faces(format_card(step.card))
            placed.append(
                {
                    "face": face,
                    "own": own,
                    "past": True,
                    "notes": [str(step.count), *([f"+{points}"] if points else [])],
                    "says": f"{'you' if own else other}, count {step.count}",
                }
            )
        elif placed:
            notes = placed[-1]["notes"]
            notes[:] = [note for note in notes if note != "go"]
            notes.append(f"go +{points}" if points else "go")
    for one_placed in placed[len(placed) - len(play.on_table) :] if play.on_table else ():
        one_placed["past"] = False
    return placed
