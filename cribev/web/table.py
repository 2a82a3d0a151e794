"""What the page of a game shows: the table as one player sees it, in words and in places."""

from collections.abc import Mapping, Sequence
from typing import Any

from cribev.game.cards import format_card, format_cards
from cribev.game.play import PegKind, Play
from cribev.game.roles import Role, opposite_role
from cribev.game.score import WINNING_SCORE
from cribev.games.game import Game, GameEvent
from cribev.games.players import PLAYER
from cribev.web.pages import card_faces

_LANE = 60  # holes of a lane, out or back
_PEGS: Mapping[PegKind, str] = {
    "fifteen": "fifteen for 2", "thirty-one": "thirty-one for 2", "go": "1 for the go",
    "last": "1 for the last card",
}  # fmt: skip
_PAIRS = {2: "a pair for 2", 6: "three of a kind for 6", 12: "four of a kind for 12"}


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


def table_context(game: Game, number: int, counted: int | None, *, counts: bool) -> dict[str, Any]:
    """Gather what ``game.html`` shows to the player; nothing that the player may not see.

    Takes which hand of the show is counted, from 1, and what the player counted it for, None
    before; ``counts`` tells whether the player counts the own hands.
    """
    position, to_do, hands = game.position(PLAYER), game.to_do(PLAYER), game.shown
    number = min(max(number, 1), len(hands) + 1)
    events, asks = [*game.events], False
    show: dict[str, Any] | None = None
    if to_do in ("next", "over") and number <= len(hands):
        to_show = hands[number - 1]
        own, found = to_show.player == PLAYER, to_show.show
        assert found is not None
        asks = counts and own and counted is None
        # What happened before, and so many of the hands of this deal.
        over = sum(event.kind in ("win", "resign") for event in events)
        events = events[: len(events) - over - len(hands) + number - asks]
        show = {
            "own": own,
            "crib": to_show.kind == "crib",
            "cards": card_faces(format_cards(found.hand)),
            "combinations": [] if asks else [
                {"kind": one.kind, "cards": format_cards(one.cards), "points": one.points}
                for one in found.combinations
            ],
            "spoken": "" if asks else found.spoken,
            "total": 0 if asks else found.total,
            "asks": asks,
            "counted": counted if counts and own else None,
            "number": number,
            "last": number == len(hands),
        }  # fmt: skip
    scores = [(0, 0), *(event.score for event in events)]
    legal = game.legal(PLAYER)
    return {
        "to_do": "show" if show else to_do,
        "number": game.deal.number,
        "dealer": position.role == "dealer",
        "score": scores[-1],
        "board": BOARD,
        "pegs": pegs_at(scores),
        "six": card_faces(format_cards(position.held.dealt)),
        "hand": [
            {**face, "fits": card in legal}
            for face, card in zip(
                card_faces(format_cards(position.left)), position.left, strict=True
            )
        ],
        "discard": card_faces(format_cards(position.held.discard)),
        "backs": len(game.deal.left(opposite_role(position.role))),
        "crib": len(game.deal.crib),
        "starter": None
        if position.starter is None
        else card_faces(format_card(position.starter))[0],
        "laid": place_laid(position.play, position.role, other="the expert"),
        "count": position.play.count,
        "show": show,
        "decided": game.winner is not None,
        "won": game.winner == PLAYER if to_do == "over" and not show else None,
        "resigned": game.resigned,
        "log": [
            {
                "number": at,
                "deal": event.deal,
                "kind": event.kind,
                "count": event.count,
                "line": event_line(event, PLAYER),
            }
            for at, event in enumerate(events)
        ],
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
