"""What to say of a throw or a lay: what it cost, why, and what the cards made of it."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from cribev.advice.cards import PlayChoice
from cribev.choice import (
    difference_text,
    format_chance,
    format_points,
    near_ties,
    tied_best,
    wins_text,
    with_article,
)
from cribev.classes.canonical import Floats
from cribev.game.cards import RANKS, Cards
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import crib_sign
from cribev.game.scoring import score
from cribev.practice.hands import Hand
from cribev.practice.lays import Lay, lay_table
from cribev.practice.spots import Spot
from cribev.practice.throws import Throw, grade_throws

_SHOWN = 0.005  # points, and shares: less rounds to nothing

Line: TypeAlias = list[str | Cards]
"""A line of text in pieces, cards apart, so that each place can draw cards in its own way."""


class Verdict(NamedTuple):
    """What to say of a throw or a lay, in lines."""

    verdict: str
    """A word of `cribev.choice.VERDICTS`."""
    cost: Line
    """What was thrown or laid, its verdict, and what it lost."""
    why: Line
    """What the best has over it; or, if it is the best, what it has over the next."""
    luck: Line
    """What the starter and the opponent's discard made of it; or how experts play, and what the
    opponent held."""
    decision: pd.Series
    """Its row of `cribev.practice.throws.grade_throws`, or of `cribev.practice.lays.lay_table`."""


def verdict_of(thrown: Throw) -> Verdict:
    """Judge a throw.

    >>> from cribev.practice.hands import hands_of
    >>> from cribev.practice.throws import throw
    >>> found = verdict_of(throw(next(hands_of(7)), "9H JC"))
    >>> from cribev.advice.decisions import line_text
    >>> for line in (found.cost, found.why, found.luck):
    ...     print(line_text(line))
    threw 9H JC: a mistake, lost 0.99
    best was TD JC: 0.17 more in hand, 0.53 more in your crib, 0.28 more in the play
    cut 7C, your opponent threw 9C JH: hand 5 + crib 5, luck -1.68
    """
    decision = grade_throws([thrown]).iloc[0]
    if thrown.hand.score is not None:
        return _verdict_at_score(thrown, decision)
    (values,) = thrown.valued.discards.expected
    cost: Line = ["threw ", thrown.discard, f": {with_article(decision['verdict'])}"]
    if decision["rank"] > 1:
        near = ", a near-tie" if near_ties(values)[thrown.keep] else ""
        cost += [f"{near}, lost {format_points(decision['ev_loss'])}"]
    return Verdict(
        verdict=str(decision["verdict"]),
        cost=cost,
        why=_why(thrown, values),
        luck=_luck(thrown, decision),
        decision=decision,
    )


def _verdict_at_score(thrown: Throw, decision: pd.Series) -> Verdict:
    """Judge a throw by chances to win."""
    valued, keep, deal = thrown.valued.discards, thrown.keep, thrown.hand.deal
    assert valued.win is not None
    (wins,), (expected,) = valued.win, valued.expected
    tied, places = tied_best(wins), valued.ranking.order[0]
    cost: Line = ["threw ", thrown.discard, f": {with_article(decision['verdict'])}"]
    if not tied[keep]:
        cost += [f", {wins_text(-float(decision['win_loss']))}"]
        other, why = int(places[0]), list[str | Cards](["best was "])
        why += [deal[DISCARDS[other]], f": wins {format_chance(wins[other])}, "]
        why += [f"and not {format_chance(wins[keep])}"]
    elif tied.all():
        why = [f"all discards win {format_chance(wins[keep])}"]
        other = keep
    else:
        other = int(next(place for place in places if not tied[place]))
        why = [f"wins {format_chance(wins[keep])}, {wins_text(wins[keep] - wins[other])} than "]
        why += [deal[DISCARDS[other]]]
    if other != keep:
        more = float(expected[keep] - expected[other]) * (1 if tied[keep] else -1)
        side = "more" if more > 0 else "less"
        if abs(more) >= _SHOWN:
            why += [f"; by points it is worth {format_points(abs(more))} {side}"]
    luck = [*_luck(thrown, decision)[:-1], _shown_text(thrown)]
    return Verdict(str(decision["verdict"]), cost, why, luck, decision)


def verdict_of_lay(one: Lay) -> Verdict:
    """Judge a lay.

    >>> from cribev.practice.lays import lay
    >>> from cribev.practice.spots import spots_of
    >>> found = verdict_of_lay(lay(next(spots_of(7, kinds=["answer"])), "3S"))
    >>> from cribev.advice.decisions import line_text
    >>> for line in (found.cost, found.why, found.luck):
    ...     print(line_text(line))
    laid 3S: a mistake, lost 0.37
    best was AH: you peg 0.21 more, your opponent 0.16 less
    an expert lays 9H 100%; your opponent had 6S 8S JS left
    """
    spot, choices, choice = one.spot, one.advice.choices, one.choice
    cards = {RANKS[card >> 2]: _one_card(card) for card in reversed(spot.legal)}
    cost: Line = ["laid ", _one_card(one.card), f": {with_article(one.verdict)}"]
    if choice.rank > 1:
        cost += [f", lost {_at_least_something(one.ev_loss)}"]
    best = [other for other in choices if other.rank == 1]
    behind = [other for other in choices if other.rank > 1]
    why: Line = []
    if choice.rank > 1:
        why += ["best was ", *_card_list([cards[other.card] for other in best])]
        why += [f": {_pegging_difference(best[0], choice)}"]
    else:
        if len(best) > 1:
            equal = [cards[other.card] for other in best if other is not choice]
            why += ["equal to ", *_card_list(equal), "; " if behind else ""]
        if behind:
            why += [f"{_at_least_something(behind[0].behind)} ahead of ", cards[behind[0].card]]
            why += [f": {_pegging_difference(choice, behind[0])}"]
    return Verdict(
        verdict=one.verdict,
        cost=cost,
        why=why,
        luck=_expert_and_opponent(one, cards),
        decision=lay_table([one]).iloc[0],
    )


def role_text(hand: Hand | Spot) -> str:
    """Say whose crib it is, as "as dealer (your crib)"."""
    owner = "your" if hand.role == "dealer" else "your opponent's"
    return f"as {hand.role} ({owner} crib)"


def _why(thrown: Throw, values: Floats) -> Line:
    """Say what the best has over the throw, or what the best thrown has over the next."""
    tied, keep, deal = tied_best(values), thrown.keep, thrown.hand.deal
    if not tied[keep]:
        best = np.flatnonzero(tied)
        return [
            "best was ",
            *_card_list(deal[DISCARDS[best]]),
            f": {_difference(thrown, int(best[0]), keep)}",
        ]
    if tied.all():
        return ["all discards are worth the same"]
    line: Line = []
    if tied.sum() > 1:
        line = [
            "equal to ",
            *_card_list(deal[DISCARDS[tied & (np.arange(15) != keep)]]),
            "; ",
        ]
    second = int(np.where(tied, -np.inf, values).argmax())
    return [
        *line,
        f"{format_points(values[keep] - values[second])} ahead of ",
        deal[DISCARDS[second]],
        f": {_difference(thrown, keep, second)}",
    ]


def _difference(thrown: Throw, one: int, other: int) -> str:
    """Say how much more one discard has than another, part by part."""
    hand, crib, play = (
        float(part[0, one] - part[0, other]) for part in thrown.valued.discards.averages().values()
    )
    return difference_text(hand, crib, thrown.hand.role, play)


def _luck(thrown: Throw, decision: pd.Series) -> Line:
    """Say what hand and crib were in the end, and how far that is from the average."""
    hand = thrown.hand
    luck = decision["starter_luck"] + decision["crib_swing"]
    return [
        "cut ",
        np.array([hand.starter], np.uint8),
        ", your opponent threw ",
        np.array(hand.opponent_discard, np.uint8),
        f"{_shown_text(thrown)}, luck {format_points(luck, sign=True)}",
    ]


def _shown_text(thrown: Throw) -> str:
    """Say what hand and crib were in the end."""
    hand = thrown.hand
    opponent = np.array(hand.opponent_discard, np.uint8)
    own = score(hand.deal[KEEPS[thrown.keep]], hand.starter)
    crib = score(np.concatenate([thrown.discard, opponent]), hand.starter, crib=True)
    return f": hand {own} {'+' if crib_sign(hand.role) > 0 else '-'} crib {crib}"


def _at_least_something(points: float) -> str:
    return format_points(points) if points >= _SHOWN else "less than 0.01"


def _one_card(card: int) -> Cards:
    return np.array([card], np.uint8)


def _card_list(cards: Iterable[Cards]) -> Line:
    """List cards, or discards, with "or" between them."""
    line: Line = []
    for at, some in enumerate(cards):
        line += [" or "] * (at > 0) + [some]
    return line


def _pegging_difference(one: PlayChoice, other: PlayChoice) -> str:
    """Say how much more one card pegs than another, and how much less the opponent does."""
    own, opponent = one.own - other.own, one.opponent - other.opponent
    parts = [
        f"{who} {format_points(abs(more))} {'more' if more > 0 else 'less'}"
        for who, more in (("you peg", own), ("your opponent", opponent))
        if abs(more) >= _SHOWN
    ]
    if len(parts) == 1 and abs(opponent) >= _SHOWN:
        parts = [parts[0].replace("your opponent", "your opponent pegs")]
    return ", ".join(parts) or "by less than 0.01"


def _expert_and_opponent(one: Lay, cards: Mapping[str, Cards]) -> Line:
    """Say how often an expert lays each card, and what the opponent had."""
    often = sorted(one.advice.choices, key=lambda choice: -choice.share)
    line: Line = ["an expert lays "]
    for at, choice in enumerate(choice for choice in often if choice.share >= _SHOWN):
        line += [", "] * (at > 0) + [cards[choice.card], f" {choice.share:.0%}"]
    left = [card for card in one.spot.opponent_hand if card not in one.spot.laid]
    had: Line = [np.array(left, np.uint8), " left"] if left else ["no cards left"]
    return [*line, "; your opponent had ", *had]
