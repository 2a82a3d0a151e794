"""Discards of hands in which some cards lack suits, averaged over the suits they can have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.advice import reasons
from cribev.advice.decisions import Difference
from cribev.advice.options import Option, Options
from cribev.advice.question import Question
from cribev.classes import canonical
from cribev.classes.class_tables import ClassTables
from cribev.classes.ranking import tied_best
from cribev.evaluation.plan import DealBatch, any_suits_outcomes, plan_evaluation
from cribev.evaluation.suitings import Suitings
from cribev.game import render
from cribev.game.cards import DECK_SIZE, SUITLESS_OFFSET, ranks_of
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
        found = {"discard": self.choice.discard.split(), "other": other}
        return {**found, **play, "made_of": self.by_kind}

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
    play = reasons.PlayExplanation.of(chosen, question.opponent)
    held = np.array(question.position.held.kept, dtype=np.uint8)
    same = (held[DISCARDS] == [*chosen.cards]).all(axis=1)
    made_of = _made_of(
        Suitings.of(held[None]), np.flatnonzero(same), question.position.role, question.opponent
    )
    return SuitlessExplanation(chosen, other, play, reasons.named_kinds(made_of))


def any_suits_options(question: Question) -> tuple[Options, int]:
    """Average what each discard is worth over unknown suits, and count the deals.

    Columns are averages, except ``expected_min`` and ``expected_max``, with the suits that are
    worst and best for a discard, and ``often_best``, in how many of the deals it is the best by
    points, or equal to the best.
    """
    position, opponent = question.position, question.opponent
    role, held = position.role, np.array(position.held.kept, dtype=np.uint8)
    suitings, dealer = Suitings.of(held[None]), np.array([role == "dealer"])
    _, first = np.unique(held[DISCARDS], axis=0, return_index=True)
    batch = DealBatch.of(suitings.deals, np.repeat(dealer, len(suitings.deals)))
    of_deals = plan_evaluation(batch, opponent, exact=_are_counted(suitings)).values()
    means, each = suitings.values(of_deals, dealer), suitings.by_hand(of_deals.expected)
    if not _some_known(suitings):
        means = plan_evaluation(DealBatch.of(held[None], dealer), opponent).values()
    means = means.take(0)
    best = tied_best(each)
    alike = [np.flatnonzero(suitings.alike[0, at]) for at in first]
    outcomes = None
    if position.score is not None:
        score = np.array([position.score.seen_by(role)])
        hands = DealBatch.of(held[None], dealer, score, wins_of)
        outcomes = _outcomes(suitings, hands, opponent)
        outcomes = Outcomes(*(part[0, first] for part in outcomes))
    pegging = opponent.pegging(role)
    if pegging is not None:
        (of_class,) = canonical.class_numbers(list(ranks_of(held)[:, None]))
        pegging = ExpectedPegging(*(table[of_class][first] for table in pegging))
    columns = {
        "hand_mean": means.hand[first],
        "crib_mean": means.crib[first],
        **({} if pegging is None else pegging.columns()),
        **question.columns(outcomes),
        "expected": means.expected[first],
        "expected_min": np.array([each[:, keeps].min() for keeps in alike]),
        "expected_max": np.array([each[:, keeps].max() for keeps in alike]),
        "often_best": np.array([best[:, keeps].any(axis=1).mean() for keeps in alike]),
    }
    return Options.of_discards(question, columns, first), len(each)


_COUNTED = 32  # deals of which every crib is counted; of more they are averaged by class


def _some_known(suitings: Suitings) -> bool:
    return bool(suitings.held.min() < SUITLESS_OFFSET)


def _are_counted(suitings: Suitings) -> bool:
    """Return whether every crib of each deal is counted: of few deals."""
    return len(suitings.deals) <= _COUNTED and _some_known(suitings)


def _outcomes(
    suitings: Suitings, hands: DealBatch, opponent: opponents.Opponent
) -> Outcomes[canonical.Floats]:
    """Average how games may end with each discard over all suits, ``(1, 15)`` each."""
    if _some_known(suitings):
        return any_suits_outcomes(suitings, hands, opponent)
    ends = plan_evaluation(hands, opponent).values().outcomes
    assert ends is not None
    return ends


def _made_of(
    deals: Suitings, same: canonical.Index, role: Role, opponent: opponents.Opponent
) -> dict[str, canonical.Floats]:
    """Average the points of equal keeps, and of their cribs, by kind: ``(5,)`` each."""
    rows = np.arange(len(deals.deals))
    keeps = deals.keeps[:, same].T
    starter, made = np.arange(DECK_SIZE, dtype=np.uint8), []
    unseen = ~(deals.deals[:, :, None] == starter).any(axis=1)
    for keep in keeps:
        cards = deals.deals[rows[:, None], KEEPS[keep]].T[..., None]
        made.append(points_by_kind((*cards, starter), crib=False)[unseen].mean(axis=0))
    if _are_counted(deals):
        crib = np.zeros(len(KINDS))
        for deal, kept in zip(deals.deals, deals.keeps[:, same].tolist(), strict=True):
            weights = opponent.discards.weights(deal, role)
            for keep in kept:
                crib += mean_by_kind(deal, keep, weights)["crib"] / deals.keeps[:, same].size
        return {"hand": np.mean(made, axis=0), "crib": crib}
    # What the opponent throws hardly goes by your suits: any deal tells which ranks fall together.
    middle = len(rows) // 2
    deal = deals.deals[middle]
    tables = ClassTables(opponent.crib_averages(role), role)
    parts = tables.crib_parts(*canonical.classify_deals(deals.deals))
    ranks, flush, nobs = parts[:, rows, keeps].mean(axis=(1, 2))
    weights = opponent.discards.weights(deal, role)
    kinds = mean_by_kind(deal, int(keeps[0, middle]), weights)["crib"][:3]
    crib = np.array([*(kinds * ranks / max(kinds.sum(), np.finfo(float).tiny)), flush, nobs])
    return {"hand": np.mean(made, axis=0), "crib": crib}
