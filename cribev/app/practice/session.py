"""A session: problems answered one after another, each answer graded, and their total.

The points of a deal are hand plus crib as counted (minus the crib for pone), plus the average play
of the cards kept, since the play is not played out. The best is the average of the best discards.
Others are players of four levels, and what they lose on the same problems.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache, partial
from itertools import chain, islice
from threading import BoundedSemaphore, Lock, Thread
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from cribev.advice.decisions import Decision, Line
from cribev.advice.levels import choice_chances
from cribev.advice.names import as_opponent
from cribev.advice.options import Options
from cribev.advice.verdicts import DEFAULT_BANDS, VERDICTS
from cribev.app.games.clock import day_seed, numbered_day, today
from cribev.app.games.database import StoreError
from cribev.app.practice.problems import (
    CARD_KINDS,
    Problem,
    cards_of,
    check_role,
    discards_of,
)
from cribev.app.practice.store import (
    AGAIN,
    DEALT,
    HARD,
    SCORED,
    Store,
    StoredDecision,
    new_session_name,
    stored_decision,
)
from cribev.classes.ranking import DiscardValues
from cribev.errors import CardError, CribevError, quote
from cribev.evaluation.exact import ValuesGivenStarter
from cribev.evaluation.plan import DealBatch, exact_batch_values
from cribev.game.cards import RANKS, CardsLike, format_cards
from cribev.game.index_tables import DISCARDS
from cribev.game.play import Play
from cribev.game.roles import Role, crib_sign, opposite_role
from cribev.game.score import UNKNOWN, as_score
from cribev.game.score_texts import format_scores
from cribev.game.scorer import score
from cribev.game.words import format_games_lost, format_points, join_words
from cribev.grades.grading import grade_decisions
from cribev.leaks import groups as leaks
from cribev.leaks.groups import GROUPS, is_of_cards, practised_group
from cribev.opponents.counts import expert_counts
from cribev.records.record import Record
from cribev.rows.names import LAY_COLUMNS, PEGGED_COLUMNS
from cribev.solution.solution import load

PLAYER = "you"  # the player's name in records

STANDS = "what you answer today counts: it stands"  # where an answer is to be taken back

TEN = 10  # problems of a session, if nobody says how many; those of a day

SQUARES = dict(zip(VERDICTS, "🟩⬜🟨🟧🟥", strict=True))  # verdicts in a result to share

_OTHERS = "greedy", "casual", "club", "expert"
_AHEAD = BoundedSemaphore(2)  # hands valued before they are answered
_SHOWN = 0.005  # of how often experts do something: less rounds to nothing


class GradedAnswer(NamedTuple):
    """An answer to a problem, graded."""

    problem: Problem
    decision: Decision
    row: Mapping[str, Any]
    """Of a discard as `cribev.reviews.findings.Review` grades it; of a card by `LAY_COLUMNS`."""
    valued: ValuesGivenStarter | None = None  # of one deal, if it is a discard

    @property
    def luck(self) -> Line:
        """The luck after a discard; or how experts play a position, and what was left."""
        problem, decision = self.problem, self.decision
        theirs = problem.opponent_held
        if problem.is_discard:
            cut, crib = problem.starter, (*decision.chosen, *theirs.discard)
            kept = problem.held.of_deal(decision.chosen).kept
            if not theirs.discard:
                return ["cut ", (cut,), f": hand {score(kept, cut)}; nobody saw the crib"]
            sign = "+" if crib_sign(problem.role) > 0 else "-"
            shown = f": hand {score(kept, cut)} {sign} crib {score(crib, cut, crib=True)}"
            luck = self.row["starter_luck"] + self.row["crib_swing"]
            more = "" if decision.by_wins else f", luck {format_points(luck, sign=True)}"
            return ["cut ", (cut,), ", your opponent discarded ", theirs.discard, f"{shown}{more}"]
        options = decision.options
        lacks = f", who does not know {lacks}," if (lacks := options.experts_lack) else ""
        line: list[str | tuple[int, ...]] = [f"an expert{lacks} plays "]
        assert options.frequency is not None
        # As often, the better comes first.
        often = sorted(options.rows, key=lambda one: -one.share)
        for at, one in enumerate(one for one in often if one.share >= _SHOWN):
            line += ([", "] if at > 0 else []) + [one.cards, f" {one.share:.0%}"]
        left = problem.deal.left(opposite_role(problem.role))
        return [*line, "; your opponent had ", *([left, " left"] if left else ["no cards left"])]


def grade_answer(problem: Problem, chosen: CardsLike) -> GradedAnswer:
    """Grade an answer, as cards or as text; `CardError` if it is not a legal choice."""
    cards = problem.parse(chosen) if isinstance(chosen, str) else tuple(sorted(map(int, chosen)))
    if {*cards} - {*problem.position.legal}:
        expected = format_cards(problem.position.legal)
        raise CardError(f"{format_cards(cards)} cannot be played: expected one of {expected}")
    return _answered(problem, cards)


@lru_cache(1024)
def _answered(problem: Problem, cards: tuple[int, ...]) -> GradedAnswer:
    if not problem.is_discard:
        decision = Decision.of(problem.card_advice().options, cards)
        return GradedAnswer(problem, decision, _card_row(problem, decision))
    valued = discard_values(problem)
    columns = {name: of[0] for name, of in valued.discards.columns().items()}
    decision = Decision.of(Options.of_discards(problem.question, columns), cards)
    found = GradedAnswer(problem, decision, {}, valued)
    return found._replace(row=dict(grade_answers([found]).iloc[0]))


def prepare(roles: Iterable[Role]) -> None:
    """Load the expert's discards against these roles, for which the first answer would wait."""
    for role in roles:
        expert_counts(load(play=True), opposite_role(role))


def discard_values(problem: Problem) -> ValuesGivenStarter:
    """Value the discards of a hand exactly, with the play."""
    return _Valued(problem).get()


def value_ahead(problem: Problem) -> bool:
    """Value a hand in a background thread; return whether it is done already."""
    valued = _Valued(problem)
    if valued.found is None and _AHEAD.acquire(blocking=False):

        def work() -> None:
            try:
                valued.get()
            finally:
                _AHEAD.release()

        Thread(target=work, daemon=True).start()
    return valued.found is not None


@lru_cache(4096)
class _Valued:
    """The values of a hand, computed by the first thread that asks; other threads wait."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self._lock = problem, Lock()
        self.found: ValuesGivenStarter | None = None

    def get(self) -> ValuesGivenStarter:
        with self._lock:
            if self.found is None:
                scores = None if self.problem.deal.score is None else _scores([self.problem])
                six = np.array([self.problem.held.kept], np.uint8)
                dealer = np.array([self.problem.role == "dealer"])
                deals = DealBatch.of(six, dealer, scores)
                starters = np.array([self.problem.starter])
                expert = as_opponent("expert")
                self.found = exact_batch_values(deals, expert, starters=starters)
            return self.found


def record_of(answers: Sequence[GradedAnswer]) -> Record:
    """Return discards as a checked record of one game whose play is unknown."""
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
    theirs = np.array([one.opponent_held.discard or unknown[0] for one in problems])
    return Record(frame, deals, keeps, starters, theirs, dealer, unknown, scores, unknown, plays)


def deal_numbers(roles: Iterable[str]) -> list[int]:
    """Assign numbers to deals so that the deal alternates and the player deals the odd ones."""
    numbers, last = [], 0
    for role in roles:
        last += 1 if (last % 2 == 0) == (role == "dealer") else 2
        numbers.append(last)
    return numbers


def grade_answers(answers: Sequence[GradedAnswer]) -> pd.DataFrame:
    """Grade discards as a review does, with their luck."""
    return grade_decisions(*_recorded(answers), as_opponent("expert"), DEFAULT_BANDS)


def card_table(answers: Sequence[GradedAnswer]) -> pd.DataFrame:
    """Return a row for each card laid: `LAY_COLUMNS`, after the seed and the number."""
    rows = [
        {"seed": "" if one.problem.seed is None else str(one.problem.seed)}
        | {"number": one.problem.number, **one.row}
        for one in answers
    ]
    return pd.DataFrame(rows, columns=["seed", "number", *LAY_COLUMNS])


def _card_row(problem: Problem, decision: Decision) -> dict[str, Any]:
    """Return what there is to tell of a card played, by `LAY_COLUMNS`."""
    best = sorted(one.cards[0] >> 2 for one in decision.judged.rows if one.rank == 1)
    wins = {"win_loss": decision.win_loss} if decision.by_wins else {}
    return {
        "role": problem.role,
        "hand": format_cards(problem.held.kept),
        "discard": format_cards(problem.held.discard),
        "starter": format_cards([problem.starter]),
        "laid": str(problem.deal.play),
        "opponent_hand": format_cards(problem.opponent_held.kept),
        "card": format_cards(decision.chosen),
        "best_card": " ".join(RANKS[rank] for rank in best),
        "expected": decision.option.expected,
        "best_expected": decision.option.expected + decision.loss,
        "loss": decision.loss,
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
    """Return discards as a record, and the values of all choices, with chances to win if known."""
    valued = [one.valued for one in answers if one.valued is not None]
    scored = any(one.discards.win is not None for one in valued)
    shape = len(valued), len(DISCARDS)
    every = DiscardValues.blank(shape, play=True, win=scored)
    for row, one in enumerate(valued):
        every.put([row], one.discards)
    cribs = np.concatenate([one.crib_given_starter for one in valued])
    return record_of(answers), ValuesGivenStarter(every, cribs)


class Selection(NamedTuple):
    """Which problems a session has: those of a seed or, without one, some that come back."""

    seed: int | None = None
    hard: bool = False
    role: Role | None = None
    play: bool = False  # whether cards are to be laid, and not thrown
    cards: tuple[str, ...] = ()  # the kinds of cards, `CARD_KINDS`; all if empty
    score: tuple[int, int] | Literal["close"] | None = None
    """The score of all hands, or of each a close one; then chances to win decide."""
    leak: str = ""  # the kind of decisions, a name in `cribev.leaks.groups.GROUPS`; all if empty
    daily: bool = False
    """Whether they are the ten of a day, discards and cards in turn; its digits are the seed."""
    again: int = 0  # how many that come back are before those of the seed

    @classmethod
    def of_day(cls, day: date) -> "Selection":
        """Return the ten of a day."""
        return cls(int(f"{day:%Y%m%d}"), daily=True)

    @classmethod
    def of_leak(cls, seed: int, leak: str, role: Role | None) -> "Selection":
        """Select problems with a decision of a group; `CribevError` if no deal has one.

        >>> Selection.of_leak(3, "discard-to-win", "pone").score
        'close'
        """
        role, play = check_role(practised_group(leak), role), is_of_cards(leak)
        if not leaks.is_to_win(leak):
            return cls(seed, role=role, play=play, leak=leak)
        if play:
            raise CribevError(f"{quote(leak)}: only your own come back, and none does so now")
        return cls(seed, role=role, score="close", leak=leak)

    @property
    def kind(self) -> str:
        """`DEALT`, `HARD`, `SCORED` or `AGAIN`."""
        if self.seed is None:
            return AGAIN
        chosen = self.hard or self.leak  # so that they are harder than others
        return SCORED if self.score is not None else HARD if chosen else DEALT

    @property
    def score_text(self) -> str:
        """The score as it is typed; empty if there is none."""
        return "-".join(map(str, self.score)) if isinstance(self.score, tuple) else self.score or ""

    @property
    def thing(self) -> str:
        """What each answer is about, ``hand`` or ``card``; ``problem`` if these differ."""
        return "problem" if self.daily else "card" if self.play else "hand"

    @property
    def leak_words(self) -> str:
        """A description of the group of decisions; empty without a group."""
        return GROUPS[self.leak].words if self.leak else ""

    def is_discard(self, at: int) -> bool:
        """Whether a discard is asked for in a problem, counted from 0."""
        return at % 2 == 0 if self.daily else not self.play

    def problems(self) -> Iterator[Problem]:
        """Deal the problems of the seed."""
        assert self.seed is not None
        if self.daily:  # other deals for the cards, or they would tell what was cut
            day = numbered_day(self.seed)
            assert day is not None
            dealt = discards_of(day_seed(day, "discards")), cards_of(day_seed(day, "cards"))
            # They keep the day's number alone, and not what deals them.
            pairs = chain.from_iterable(zip(*dealt, strict=False))
            return (replace(one, seed=self.seed) for one in pairs)
        if self.play:
            deal = partial(cards_of, kinds=self.cards)
        else:
            deal = partial(discards_of, score=self.score)
        leak = "" if leaks.is_to_win(self.leak) else self.leak  # a close score is what it asks
        return deal(self.seed, role=self.role, hard=self.hard, leak=leak)

    def __str__(self) -> str:
        """Say which problems these are, after how many."""
        if self.daily:
            return f", {numbered_day(self.seed)}"
        first = " again" if self.seed is None else f", seed {self.seed}"
        if self.again and self.seed is not None:
            first = f", {self.again} of them your own again, then seed {self.seed}"
        more = ["hard"] * self.hard + [kind for kind in CARD_KINDS if kind in self.cards]
        more += [self.leak_words] if self.leak else []
        more += [f"score {self.score_text}"] if self.score else []
        more += [f"as {self.role}"] if self.role else []
        return ", ".join([first, *more])


def parse_quiz_score(text: str) -> tuple[int, int] | Literal["close"]:
    """Read a score to practise at, or ``close``; `CribevError` if it is neither."""
    return "close" if text.strip().lower() == "close" else as_score(text)


class Session:
    """Problems answered one after another, kept in the store, if there is one."""

    def __init__(
        self,
        selection: Selection,
        problems: Iterable[Problem],
        number: int,
        *,
        store: Store | None = None,
        name: str = "",
    ) -> None:
        self.selection, self.number, self.store = selection, number, store
        self.name = name or new_session_name()
        self.answers: list[GradedAnswer] = []
        self._dealt = list[Problem]()
        self._problems = iter(problems)

    @property
    def counts(self) -> bool:
        """Whether it is the one attempt at the ten of a day that counts."""
        name = str(self.selection.seed)
        return self.selection.daily and self.name == name and self.store is not None

    @property
    def over(self) -> bool:
        """Whether all problems are answered."""
        return len(self.answers) >= self.number

    def problem(self, number: int) -> Problem:
        """Return a problem by its number, from 1."""
        while len(self._dealt) < number:
            self._dealt.append(next(self._problems))
        return self._dealt[number - 1]

    @property
    def next_problem(self) -> Problem:
        """The problem to answer now."""
        return self.problem(len(self.answers) + 1)

    def answer(self, chosen: CardsLike) -> GradedAnswer:
        """Grade the answer to the next problem and save it; `last_error` says if that failed."""
        found = grade_answer(self.next_problem, chosen)
        self.answers.append(found)
        if self.store is not None:
            back = len(self.answers) <= self.selection.again
            back |= self.selection.daily and not self.counts
            kind = AGAIN if back else self.selection.kind
            with suppress(StoreError):
                self.store.save(
                    stored_decision(found.problem, found.row, session=self.name, kind=kind)
                )
        return found

    def take_back(self) -> None:
        """Undo the last answer; `StoreError` if it cannot be removed from the store."""
        last = self.answers.pop()
        if self.store is not None:
            self.store.remove(self.name, last.problem)

    def stored(self) -> dict[Problem, StoredDecision]:
        """Return what the store has of this session, by problem."""
        return {one.problem: one for one in (self.store.read(self.name) if self.store else [])}


@lru_cache(256)
def dealt_problems(selection: Selection) -> tuple[Problem, ...]:
    """Deal the first ten problems of a seed."""
    return tuple(islice(selection.problems(), TEN))


def daily_session(store: Store | None) -> Session:
    """Return today's ten, continued from the store; first answers count."""
    selection = Selection.of_day(today())
    name = str(selection.seed)
    session = Session(selection, dealt_problems(selection), TEN, store=store, name=name)
    with suppress(StoreError):
        stored = session.stored()
        while not session.over and (one := stored.get(session.next_problem)):
            session.answers.append(grade_answer(session.next_problem, one.chosen))
    return session


def may_judge(session: Session) -> bool:
    """Return whether the answers of a session may be judged: what still counts is to count first.

    Those of a day count until the day after. Where nothing can be saved, nothing counts.
    """
    day = numbered_day(session.selection.seed) if session.selection.daily else None
    if session.store is None or day is None or not counts_still(day):
        return True
    first = Session(
        session.selection, (), TEN, store=session.store, name=str(session.selection.seed)
    )
    try:
        stored = first.stored()
    except StoreError:
        return True
    needed = len(session.answers) if session.counts else TEN
    return bool(session.store.last_error) or all(
        session.problem(number) in stored for number in range(1, needed + 1)
    )


def counts_still(day: date) -> bool:
    """Return whether the ten of a day can be answered: on the day, and the day after."""
    return day >= today() - timedelta(1)


class SessionSummary(NamedTuple):
    """Totals of the answers of a session."""

    thing: str  # what each is about, ``hand`` or ``card``
    table: pd.DataFrame
    """A row for each: the decisions of a review, or `cribev.app.practice.session.card_table`."""
    lost: float  # points lost in all
    win_losses: list[float]  # chances to win lost, where these decide
    verdicts: dict[str, int]  # how many have each verdict
    others: dict[str, float]  # what `_OTHERS` lose on the same problems, points each
    parts: dict[str, float]  # of discards what was luck, as `luck_decomposition` says

    @property
    def number(self) -> int:
        """How many answers there are."""
        return len(self.table)

    @property
    def lost_mean(self) -> float:
        """Points lost by each."""
        return self.lost / self.number

    @property
    def win_lost(self) -> float | None:
        """Chances to win lost in all, where they decide; None if they decide nowhere."""
        return sum(self.win_losses) if self.win_losses else None

    @property
    def win_lost_mean(self) -> float:
        """Chances to win lost by an answer that they decide, on average."""
        return sum(self.win_losses) / max(len(self.win_losses), 1)

    @property
    def all_scored(self) -> bool:
        """Whether chances to win decide everywhere."""
        return len(self.win_losses) == self.number

    @property
    def comparison(self) -> str:
        """What others would have lost, in words."""
        lost = [f"{name} {format_points(mean)}" for name, mean in self.others.items()]
        return f"{join_words(lost, 'and').replace(' ', ' loses ', 1)} a {self.thing}"

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, ready for JSON."""
        wins = {} if self.win_lost is None else {"win_lost": self.win_lost}
        return {
            f"{self.thing}s": self.number,
            **self.parts,
            "lost": self.lost,
            **wins,
            "lost_mean": self.lost_mean,
            "verdicts": self.verdicts,
            "others_lost_mean": self.others,
        }


def summaries(answers: Sequence[GradedAnswer]) -> list[SessionSummary]:
    """Sum up answers: discards and cards apart."""
    parts = ([one for one in answers if one.problem.is_discard is of] for of in (True, False))
    return [summarize(part) for part in parts if part]


def summarize(answers: Sequence[GradedAnswer]) -> SessionSummary:
    """Sum up answers that are all discards or all cards."""
    decisions, parts = [one.decision for one in answers], dict[str, float]()
    if answers[0].problem.is_discard:
        table = grade_answers(answers)
        parts = luck_decomposition(table)
    else:
        table = card_table(answers)
    by_points = [made.options.by_points for made in decisions]
    return SessionSummary(
        thing=answers[0].problem.thing,
        table=table,
        lost=float(table["loss"].sum()),
        win_losses=[
            made.win_loss for made in decisions if made.by_wins and made.win_loss is not None
        ],
        verdicts={verdict: int((table["verdict"] == verdict).sum()) for verdict in VERDICTS},
        others={
            name: float(np.mean([choice_chances(name, one) @ one.losses for one in by_points]))
            for name in _OTHERS
        },
        parts=parts,
    )


def result_line(selection: Selection, answers: Sequence[GradedAnswer]) -> str:
    """Describe a session on one line that reveals no card, to share."""
    which = numbered_day(selection.seed) if selection.daily else selection.seed
    squares = "".join(SQUARES[one.decision.verdict] for one in answers)
    what = "cards " * selection.play
    return f"cribev {what}{which} {squares} lost {lost_text(answers)}"


def lost_text(answers: Sequence[GradedAnswer]) -> str:
    """Describe losses, in points and in chances to win."""
    by_points = [one.decision.loss for one in answers if not one.decision.by_wins]
    by_wins = [one.decision.win_loss or 0.0 for one in answers if one.decision.by_wins]
    lost = [format_points(sum(by_points))] if by_points else []
    lost += [format_games_lost(sum(by_wins))] if by_wins else []
    return " and ".join(lost)


def luck_decomposition(decisions: pd.DataFrame) -> dict[str, float]:
    """Split the points of graded decisions: ``points = best - lost + luck``."""
    best, lost = (float(decisions[name].sum()) for name in ("best_expected", "loss"))
    luck = float(decisions["starter_luck"].sum() + decisions["crib_swing"].sum())  # as far as known
    return {"points": best - lost + luck, "best": best, "lost": lost, "luck": luck}
