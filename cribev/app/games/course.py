"""The course of a game to 121, and its telling."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from cribev.advice.decisions import Line
from cribev.game.play import PegKind
from cribev.game.show import Show

EventKind: TypeAlias = Literal[
    "cut", "deal", "discard", "starter", "play", "go", "hand", "crib", "resign", "win"
]


@dataclass(frozen=True)
class GameEvent:
    """One thing that happened."""

    kind: EventKind
    """A card cut for the deal; six cards dealt to each by the dealer; two discarded; the starter; a
    card played; a go said; a hand or the crib counted; the game given up, or won."""
    deal: int  # the number of the deal, from 1; 0 for a card cut before the first
    player: int  # who does it, 0 or 1
    cards: tuple[int, ...] = ()  # the cards that everybody sees with it
    count: int = 0  # the running count after a card, or at a go
    points: int = 0  # what is scored by it, though fewer may be needed to win
    scorer: int | None = None  # who scores it; None if it scores nothing
    pegs: tuple[tuple[PegKind, int], ...] = ()
    """The combination a card or a go scores for, and its points."""
    show: Show | None = None  # how a hand or the crib counts
    score: tuple[int, int] = (0, 0)  # the points of both players after it, at most 121


_PEG_WORDS: dict[str, str] = {
    "fifteen": "fifteen for 2",
    "thirty-one": "thirty-one for 2",
    "go": "1 for the go",
    "last": "1 for the last card",
}
_PAIR_WORDS = {2: "a pair for 2", 6: "three of a kind for 6", 12: "four of a kind for 12"}


def happened(event: GameEvent) -> Line:
    """Say what happened to player 0, text and cards in turn."""
    you, kind = event.player == 0, event.kind
    who, s, whose = ("You", "", "Your") if you else ("Your opponent", "s", "Your opponent’s")
    scorer = "you" if event.scorer == 0 else "your opponent"
    pegs = ", ".join(
        _PEG_WORDS.get(kind) or (_PAIR_WORDS[points] if kind == "pair" else f"a run for {points}")
        for kind, points in event.pegs
    )
    if kind in ("cut", "play"):
        told = f": {event.count}{', ' * bool(pegs)}{pegs}" if kind == "play" else ""
        return [f"{who} {kind}{s} ", event.cards, *([told] if told else [])]
    if kind == "starter":
        two = f": {event.points} for heels, to {scorer}" if event.points else ""
        return ["The starter is ", event.cards, *([two] if two else [])]
    if kind == "go" and pegs and event.scorer == event.player:
        return [f"{who} peg{s} {pegs}"]
    if kind in ("hand", "crib"):
        told = event.show.spoken if event.show else str(event.points)
        return [f"{whose} {kind}: {told}"]
    said: dict[str, str] = {
        "deal": f"{who} deal{s}: the crib is {'yours' if you else whose[0].lower() + whose[1:]}",
        "discard": f"{who} discard{s} two cards to the crib",
        "go": f"{who} say{s} go" + (f": {pegs}, to {scorer}" if pegs else ""),
    }
    return [said.get(kind, f"{who} {kind}{s}")]
