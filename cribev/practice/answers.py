"""Answers: what was chosen in a problem, what that lost, and what the cards made of it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from threading import BoundedSemaphore, Lock, Thread
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cribev.advice.decisions import Decision, Line, Options
from cribev.advice.outcomes import ValuesGivenStarter
from cribev.batch.evaluators import DealBatch, exact_batch_values
from cribev.choice import DEFAULT_BANDS, DiscardValues, format_points
from cribev.errors import CardError
from cribev.game.cards import RANKS, CardsLike, format_cards
from cribev.game.index_tables import DISCARDS
from cribev.game.play import Play
from cribev.game.roles import Role, crib_sign, opposite_role
from cribev.game.score import UNKNOWN, format_scores
from cribev.game.scoring import score
from cribev.opponents.counts import expert_counts
from cribev.opponents.discarders import as_opponent
from cribev.practice.problems import Problem, card_options
from cribev.reviews.record import Record
from cribev.reviews.review import Review, review_from_values
from cribev.reviews.totals import grade_decisions
from cribev.rows.columns import LAY_COLUMNS, PEGGED_COLUMNS
from cribev.solution.solution import load

PLAYER = "you"
"""The player's name in records."""

_AHEAD = BoundedSemaphore(2)  # hands valued before they are answered
_SHOWN = 0.005  # of how often experts do something: less rounds to nothing


class GradedAnswer(NamedTuple):
    """What was chosen in a problem.

    >>> from cribev.advice.decisions import line_text
    >>> from cribev.practice.problems import cards_of, discards_of
    >>> found = grade_answer(next(discards_of(7)), "9H JC")
    >>> for line in (found.decision.cost, found.decision.why, found.luck):
    ...     print(line_text(line))
    threw 9H JC: a mistake, lost 0.99
    best was TD JC: 0.17 more in hand, 0.53 more in your crib, 0.28 more in the play
    cut 7C, your opponent threw 9C JH: hand 5 + crib 5, luck -1.68
    >>> found = grade_answer(next(cards_of(7, kinds=["answer"])), "3S")
    >>> for line in (found.decision.cost, found.decision.why, found.luck):
    ...     print(line_text(line))
    laid 3S: a mistake, lost 0.37
    best was AH: you peg 0.21 more, your opponent 0.16 less
    an expert lays 9H 100%; your opponent had 6S 8S JS left
    """

    problem: Problem
    decision: Decision
    row: Mapping[str, Any]
    """Of a discard as `cribev.reviews.review.Review` grades it; of a card by `LAY_COLUMNS`."""
    valued: ValuesGivenStarter | None = None
    """Of one deal, if it is a discard."""

    @property
    def luck(self) -> Line:
        """What the cards made of a discard; or how experts play, and what was left."""
        problem, decision = self.problem, self.decision
        theirs = problem.opponent_held
        if problem.is_discard:
            cut, crib = problem.starter, (*decision.chosen, *theirs.discard)
            kept = problem.held.of_deal(decision.chosen).kept
            sign = "+" if crib_sign(problem.role) > 0 else "-"
            shown = f": hand {score(kept, cut)} {sign} crib {score(crib, cut, crib=True)}"
            luck = self.row["starter_luck"] + self.row["crib_swing"]
            more = "" if decision.by_wins else f", luck {format_points(luck, sign=True)}"
            return ["cut ", (cut,), ", your opponent threw ", theirs.discard, f"{shown}{more}"]
        options, line = decision.options, list[str | tuple[int, ...]](["an expert lays "])
        assert options.frequency is not None
        # As often, the better comes first.
        often = sorted(options.rows, key=lambda one: -one.share)
        for at, one in enumerate(one for one in often if one.share >= _SHOWN):
            line += [", "] * (at > 0) + [one.cards, f" {one.share:.0%}"]
        left = problem.deal.left(opposite_role(problem.role))
        return [*line, "; your opponent had ", *([left, " left"] if left else ["no cards left"])]


def grade_answer(problem: Problem, chosen: CardsLike) -> GradedAnswer:
    """Answer a problem: cards, or text as people write it; `CardError` if it cannot be chosen."""
    cards = problem.parse(chosen) if isinstance(chosen, str) else tuple(sorted(map(int, chosen)))
    if {*cards} - {*problem.position.legal}:
        expected = format_cards(problem.position.legal)
        raise CardError(f"{format_cards(cards)} cannot be laid: expected one of {expected}")
    return _answered(problem, cards)


@lru_cache(1024)
def _answered(problem: Problem, cards: tuple[int, ...]) -> GradedAnswer:
    if not problem.is_discard:
        decision = Decision.of(card_options(problem.position), cards)
        return GradedAnswer(problem, decision, _card_row(problem, decision))
    valued = discard_values(problem)
    columns = {name: of[0] for name, of in valued.discards.columns().items()}
    decision = Decision.of(Options.of_discards(problem.position, columns), cards)
    found = GradedAnswer(problem, decision, {}, valued)
    graded = grade_decisions(*_recorded([found]), as_opponent("expert"), DEFAULT_BANDS)
    return found._replace(row=dict(graded.iloc[0]))


def prepare(roles: Iterable[Role]) -> None:
    """Count how often the expert discards what against these roles: seconds, the first time."""
    for role in roles:
        expert_counts(load(play=True), opposite_role(role))


def discard_values(problem: Problem) -> ValuesGivenStarter:
    """Value the discards of a hand exactly, against an expert and with the play."""
    return _valued_once(problem).get()


def value_ahead(problem: Problem) -> bool:
    """Begin to value a hand in a thread, unless it is done; return whether it is.

    A few at most are begun at a time, whoever asks; the rest is left to `discard_values`.
    """
    valued = _valued_once(problem)
    if valued.found is None and _AHEAD.acquire(blocking=False):

        def work() -> None:
            try:
                valued.get()
            finally:
                _AHEAD.release()

        Thread(target=work, daemon=True).start()
    return valued.found is not None


class _ValuedOnce:
    """The values of a hand, worked out by the first thread that asks; others wait for it."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self._lock = problem, Lock()
        self.found: ValuesGivenStarter | None = None

    def get(self) -> ValuesGivenStarter:
        """Return the values."""
        with self._lock:
            if self.found is None:
                scores = _scores([self.problem])
                deals = DealBatch.of(
                    np.array([self.problem.held.kept], np.uint8),
                    np.array([self.problem.role == "dealer"]),
                    None if self.problem.deal.score is None else scores,
                )
                starters = np.array([self.problem.starter])
                self.found = exact_batch_values(deals, as_opponent("expert"), starters=starters)
            return self.found


@lru_cache(4096)
def _valued_once(problem: Problem) -> _ValuedOnce:
    return _ValuedOnce(problem)


def record_of(answers: Sequence[GradedAnswer]) -> Record:
    """Return discards as a checked record: one game, of which the play is unknown."""
    problems = [one.problem for one in answers]
    roles = [one.role for one in problems]
    scores, dealer = _scores(problems), np.array([role == "dealer" for role in roles])
    unknown = np.full((len(problems), 2), UNKNOWN)
    plays = np.full(len(problems), Play(), dtype=object)
    deals = np.array([one.held.kept for one in problems], np.uint8)
    frame = pd.DataFrame(
        {
            "game": [  # scores do not follow from one another
                "practice" if one.deal.score is None else f"practice {number}"
                for number, one in enumerate(problems, 1)
            ],
            "deal": deal_numbers(roles),
            "player": PLAYER,
            "role": roles,
            "cards": [format_cards(one.held.kept) for one in problems],
            "discard": [format_cards(one.decision.chosen) for one in answers],
            "starter": [format_cards([one.starter]) for one in problems],
            "opponent_discard": [format_cards(one.opponent_held.discard) for one in problems],
            **{name: pd.array([pd.NA] * len(problems), "Int64") for name in PEGGED_COLUMNS},
            "play": "",
            "score": format_scores(scores, dealer),
            "score_after": "",
            "seed": ["" if one.seed is None else str(one.seed) for one in problems],
            "number": [one.number for one in problems],
        }
    )
    keeps = np.array([one.decision.option.at for one in answers])
    starters = np.array([one.starter for one in problems])
    theirs = np.array([one.opponent_held.discard for one in problems])
    return Record(frame, deals, keeps, starters, theirs, dealer, unknown, scores, unknown, plays)


def deal_numbers(roles: Iterable[str]) -> list[int]:
    """Find numbers for deals so that the deal alternates and the player deals the odd ones.

    >>> deal_numbers(["dealer", "pone", "pone", "dealer", "dealer"])
    [1, 2, 4, 5, 7]
    """
    numbers, last = [], 0
    for role in roles:
        last += 1 if (last % 2 == 0) == (role == "dealer") else 2
        numbers.append(last)
    return numbers


def review_answers(answers: Sequence[GradedAnswer]) -> Review:
    """Review discards: what each lost, what was luck, and what they add up to."""
    return review_from_values(*_recorded(answers), as_opponent("expert"))


def card_table(answers: Sequence[GradedAnswer]) -> pd.DataFrame:
    """Return a row for each card laid: `LAY_COLUMNS`, after the seed and the number."""
    rows = [
        {"seed": "" if one.problem.seed is None else str(one.problem.seed)}
        | {"number": one.problem.number, **one.row}
        for one in answers
    ]
    return pd.DataFrame(rows, columns=["seed", "number", *LAY_COLUMNS])


def card_cells(problem: Problem) -> dict[str, str]:
    """Write where a card is laid, by `LAY_COLUMNS`."""
    return {
        "role": problem.role,
        "hand": format_cards(problem.held.kept),
        "discard": format_cards(problem.held.discard),
        "starter": format_cards([problem.starter]),
        "laid": str(problem.deal.play),
        "opponent_hand": format_cards(problem.opponent_held.kept),
    }


def _card_row(problem: Problem, decision: Decision) -> dict[str, Any]:
    best = sorted(one.cards[0] >> 2 for one in decision.judged.rows if one.rank == 1)
    wins = {"win_loss": decision.win_loss} if decision.by_wins else {}
    return {
        **card_cells(problem),
        "card": format_cards(decision.chosen),
        "best_card": " ".join(RANKS[rank] for rank in best),
        "expected": decision.option.expected,
        "best_expected": decision.option.expected + decision.loss,
        "ev_loss": decision.loss,
        "rank": decision.rank,
        "verdict": decision.verdict,
        **wins,
    }


def _scores(problems: Sequence[Problem]) -> Any:
    unknown = (UNKNOWN, UNKNOWN)
    return np.array(
        [one.deal.score.seen_by(one.role) if one.deal.score else unknown for one in problems]
    )


def _recorded(answers: Sequence[GradedAnswer]) -> tuple[Record, ValuesGivenStarter]:
    """Return discards as a record, and what all are worth, with chances to win if any has."""
    valued = [one.valued for one in answers if one.valued is not None]
    scored = any(one.discards.win is not None for one in valued)
    every = DiscardValues.blank((len(valued), len(DISCARDS)), play=True, win=scored)
    for row, one in enumerate(valued):
        every.put([row], one.discards)
    cribs = np.concatenate([one.crib_given_starter for one in valued])
    return record_of(answers), ValuesGivenStarter(every, cribs)
