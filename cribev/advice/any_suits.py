"""Discards of hands in which some cards lack suits, averaged over the suits they can have.

A `TEN_CARD`, x, is any ten, jack, queen or king that is left, by how many of each are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.advice import reasons
from cribev.advice.decisions import Difference
from cribev.advice.options import Option, Options
from cribev.advice.question import Question
from cribev.classes import canonical
from cribev.classes.class_tables import ClassTables
from cribev.classes.ranking import alike_discards, net_points, tied_best
from cribev.evaluation.plan import DealBatch, any_suits_outcomes, plan_evaluation
from cribev.evaluation.suitings import Suitings
from cribev.game import render
from cribev.game.cards import (
    DECK_SIZE,
    PIP_VALUES,
    RANKS,
    SUITLESS_OFFSET,
    TEN_CARD,
    Cards,
    ranks_of,
    sort_by_rank,
)
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.outcomes import Outcomes, wins_of
from cribev.game.roles import Role
from cribev.game.scorer import points_by_kind
from cribev.game.show import KINDS
from cribev.opponents import opponents
from cribev.solution.solved_play import ExpectedPegging
from cribev.values.counts import mean_by_kind


@dataclass(frozen=True, eq=False)
class SuitlessExplanation(render.Displayable):
    """Why a discard is worth what it is, if some suits are not known."""

    choice: Option
    other: Option | None  # what it is compared with, if there is anything
    play: reasons.PlayExplanation | None  # what the play does, if it counts
    by_kind: dict[str, dict[str, float]]  # what ``hand`` and ``crib`` are made of on average

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, ready for JSON."""
        play = {} if self.play is None else {"play": self.play.to_dict()}
        other = self.other and self.other.to_dict()
        values = {"discard": self.choice.discard.split(), "other": other}
        return {**values, **play, "made_of": self.by_kind}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text()
        if self.other is not None:
            both = f"{self.choice.discard} against {self.other.discard}"
            yield Text(f"{both}: {Difference(self.choice, self.other).text}")
        if self.play is not None:
            yield self.play
        yield from reasons.made_of_texts(self.by_kind)


def explain_any_suits(
    question: Question, chosen: Option, other: Option | None
) -> SuitlessExplanation:
    """Say why a discard is worth what it is, beside another."""
    held = np.array(question.position.held.kept, dtype=np.uint8)
    is_known = TEN_CARD not in held  # which ranks can be led
    play = reasons.PlayExplanation.of(chosen, question.opponent) if is_known else None
    same = (held[DISCARDS] == [*chosen.cards]).all(axis=1)
    made_of = _made_of(
        _Meant.of(held), np.flatnonzero(same), question.position.role, question.opponent
    )
    return SuitlessExplanation(chosen, other, play, reasons.named_kinds(made_of))


class _Meant(NamedTuple):
    """The hands that six cards can be, all ranks known, and the deals of these."""

    held: Cards  # with a `TEN_CARD` or without, ``(6,)``
    weights: canonical.Floats  # how likely each hand is, ``(H,)``
    keeps: canonical.Index  # which keep of each hand has the cards of each of those held, (H, 15)
    suitings: Suitings  # of the hands

    @classmethod
    def of(cls, held: Cards) -> _Meant:
        """List the hands that cards can be; one if there is no `TEN_CARD`."""
        known = held[held != TEN_CARD]
        left = 4 - np.bincount(ranks_of(known), minlength=len(RANKS))
        tens = [rank for rank, value in enumerate(PIP_VALUES) if value == 10]
        choices = [*combinations_with_replacement(tens, len(held) - len(known))]
        ways = [[comb(int(left[rank]), ranks.count(rank)) for rank in tens] for ranks in choices]
        weights = np.prod(ways, axis=1) / sum(np.prod(ways, axis=1))
        ranks = np.array(choices, dtype=np.uint8)[weights > 0] + np.uint8(SUITLESS_OFFSET)
        cards = np.concatenate([np.tile(known, (len(ranks), 1)), ranks], axis=1)
        hands = sort_by_rank(cards)
        keeps = np.array([_places_of_keeps(*both) for both in zip(cards, hands, strict=True)])
        return cls(held, weights[weights > 0], keeps, Suitings.of(hands))

    @property
    def are_ranks(self) -> bool:
        """Whether no suit is known."""
        return bool(self.held.min() >= SUITLESS_OFFSET)

    @property
    def are_counted(self) -> bool:
        """Whether every crib of each deal is counted: of few deals."""
        return len(self.suitings.deals) <= _COUNTED and not self.are_ranks

    @property
    def deal_keeps(self) -> canonical.Index:
        """The keep of each deal that has the cards of each of those held, ``(M, 15)``."""
        return np.take_along_axis(self.suitings.keeps, self.keeps[self.suitings.rows], axis=1)

    @property
    def deal_weights(self) -> canonical.Floats:
        """Chances of each deal, ``(M,)``."""
        rows = self.suitings.rows
        each: canonical.Floats = (self.weights / np.bincount(rows))[rows]
        return each

    def average(self, of_hands: canonical.Floats) -> canonical.Floats:
        """Average values of the keeps of each hand, ``(H, 15)``, over the hands: ``(15,)``."""
        means = self.weights @ np.take_along_axis(of_hands, self.keeps, axis=1)
        (alike,) = alike_discards(self.held[None])
        averaged: canonical.Floats = alike @ means / alike.sum(axis=1)
        return averaged


def _places_of_keeps(cards: Cards, hand: Cards) -> list[int]:
    """Return which keep of a hand has the cards of each keep of the same cards in another order."""
    order = cards.argsort(kind="stable")
    places = np.empty_like(order)
    places[order] = hand.argsort(kind="stable")
    numbers = {tuple(keep): number for number, keep in enumerate(KEEPS.tolist())}
    return [numbers[tuple(sorted(keep))] for keep in places[KEEPS].tolist()]


def any_suits_options(question: Question) -> tuple[Options, int]:
    """Average what each discard is worth over unknown suits, and count the deals.

    Columns are averages, except ``expected_min`` and ``expected_max``, with the suits that are
    worst and best for a discard, and ``often_best``, in how many of the deals it is the best by
    points, or equal to the best.
    """
    position, opponent = question.position, question.opponent
    role, held = position.role, np.array(position.held.kept, dtype=np.uint8)
    meant = _Meant.of(held)
    suitings, hands = meant.suitings, meant.suitings.held
    dealer = np.full(len(hands), role == "dealer")
    _, first = np.unique(held[DISCARDS], axis=0, return_index=True)
    batch = DealBatch.of(suitings.deals, dealer[suitings.rows])
    of_deals = plan_evaluation(batch, opponent, exact=meant.are_counted).values()
    means = suitings.values(of_deals, dealer)
    if meant.are_ranks:
        means = plan_evaluation(DealBatch.of(hands, dealer), opponent).values()
    hand, crib = (meant.average(values)[first] for values in (means.hand, means.crib))
    play = None if means.play is None else meant.average(means.play)[first]
    each = np.take_along_axis(of_deals.expected, meant.deal_keeps, axis=1)
    best, weights = tied_best(each), meant.deal_weights
    alike = [np.flatnonzero(same) for same in alike_discards(held[None])[0, first]]
    outcomes = None
    if position.score is not None:
        score = np.tile(position.score.seen_by(role), (len(hands), 1))
        outcomes = _outcomes(meant, DealBatch.of(hands, dealer, score, wins_of), opponent)
        outcomes = Outcomes(*(meant.average(chances)[first] for chances in outcomes))
    pegging = opponent.pegging(role)
    if pegging is not None:
        classes = canonical.class_numbers(list(ranks_of(hands).T))
        pegging = ExpectedPegging(*(meant.average(table[classes])[first] for table in pegging))
    columns = {
        "hand_mean": hand,
        "crib_mean": crib,
        **({} if pegging is None else pegging.columns()),
        **question.columns(outcomes),
        "expected": net_points(hand, crib, role, play),
        "expected_min": np.array([each[:, keeps].min() for keeps in alike]),
        "expected_max": np.array([each[:, keeps].max() for keeps in alike]),
        "often_best": np.array([weights @ best[:, keeps].any(axis=1) for keeps in alike]),
    }
    return Options.of_discards(question, columns, first), len(each)


_COUNTED = 32  # deals of which every crib is counted; of more they are averaged by class


def _outcomes(
    meant: _Meant, hands: DealBatch, opponent: opponents.Opponent
) -> Outcomes[canonical.Floats]:
    """Average how games may end with each discard over all suits, ``(H, 15)`` each."""
    if not meant.are_ranks:
        return any_suits_outcomes(meant.suitings, hands, opponent)
    ends = plan_evaluation(hands, opponent).values().outcomes
    assert ends is not None
    return ends


def _made_of(
    meant: _Meant, same: canonical.Index, role: Role, opponent: opponents.Opponent
) -> dict[str, canonical.Floats]:
    """Average the points of equal keeps, and of their cribs, by kind: ``(5,)`` each."""
    deals, rows, chance = meant.suitings.deals, meant.suitings.rows, meant.deal_weights
    keeps, places = meant.deal_keeps[:, same], np.arange(len(deals))
    starter, hand = np.arange(DECK_SIZE, dtype=np.uint8), np.zeros(len(KINDS))
    unseen = ~(deals[:, :, None] == starter).any(axis=1)
    for keep in keeps.T:
        cards = deals[places[:, None], KEEPS[keep]].T[..., None]
        points = points_by_kind((*cards, starter), crib=False)[unseen]
        hand += chance @ points.reshape(len(deals), -1, len(KINDS)).mean(axis=1) / len(same)
    # Your suits hardly change what the opponent discards: any deal of a hand tells which ranks fall
    # together.
    told, likely = places, chance
    if not meant.are_counted:
        told, likely = np.searchsorted(rows, np.arange(len(meant.weights))), meant.weights
        told = (told + np.searchsorted(rows, np.arange(len(meant.weights)), side="right")) // 2
    crib = np.zeros(len(KINDS))
    for place, share in zip(told, likely / len(same), strict=True):
        weights = opponent.discards.weights(deals[place], role)
        for keep in keeps[place].tolist():
            crib += share * mean_by_kind(deals[place], keep, weights)["crib"]
    if not meant.are_counted:
        tables = ClassTables(opponent.crib_averages(role), role)
        averages = tables.crib_parts(*canonical.classify_deals(deals))
        ranks, flush, nobs = averages[:, places[:, None], keeps].mean(axis=2) @ chance
        by_rank = crib[:3] * ranks / max(crib[:3].sum(), np.finfo(float).tiny)
        crib = np.array([*by_rank, flush, nobs])
    return {"hand": hand, "crib": crib}
