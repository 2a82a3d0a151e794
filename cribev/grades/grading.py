"""Discards and cards graded, and results split into losses and luck.

A decision passes through levels. Each is an expected number of points (the player's, net of the
crib), given a little more knowledge. All come from one evaluation, so losses and luck add up.

- before the deal: the average of the role;
- after the deal: the best discard of the six cards;
- after the discard: the discard that was made;
- after the starter: the same, given the starter;
- after the show: what hand and crib made, and the play at its average;
- after the play: what hand, crib and play made.

`COMPONENTS` lead from one level to the next and add up to the result: luck of the deal, minus what
was lost, plus luck of the starter, plus the swings of crib and play. The starter decides the hand,
so the crib swing is what the crib made beyond its average. Swings are not called luck, because they
mix chance with the choices of both players. Heels count only in the score.

Few records have the play, so it comes last here. Without it the last level is missing, and the
result takes the play at its average. A review of the show alone leaves it out of all levels.

A choice of a card is a turn in which more than one rank fits. It is valued by what the player knew
then, as in `cribev.advise_play`: the cards kept and discarded, the starter, the cards played so
far, and how the review's opponent keeps and plays. A card lost how much less it is worth than
the best card; in chances to win too if the score and the starter are known.

If cards are graded, the play swing is split too: into play luck, which is what the opponent and
chance did, minus what the player's own cards lost. If both hands are known, the opponent's loss is
given as well; it is part of the luck.

If the score is known, `WIN_COMPONENTS` split the change in chances to win: before the deal, with
the best discard, with the one made, and after the deal, when the game may be over. What the cards
lost is taken from the last step. The chances before and after assume two experts who play for
points, so the best discard may be worth more than the cards on average.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise, takewhile
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.advice.cards import advise_card
from cribev.advice.options import Options
from cribev.advice.question import Question
from cribev.advice.verdicts import CARD_BANDS, DEFAULT_BANDS, FORCED, verdicts
from cribev.classes.canonical import Floats, Index
from cribev.classes.ranking import (
    TIE_TOLERANCE,
    DiscardValues,
    best_by_points,
    competition_ranks,
    net_points,
    without_repeats,
)
from cribev.errors import RecordError, TableError
from cribev.evaluation.exact import ValuesGivenStarter
from cribev.game.cards import DECK_SIZE, RANKS, SUITLESS_OFFSET, rank_of
from cribev.game.deal import Position
from cribev.game.index_tables import DISCARDS
from cribev.game.outcomes import Outcomes
from cribev.game.play import Play
from cribev.game.roles import ROLES, crib_sign
from cribev.game.score import UNKNOWN, WINNING_SCORE, heels_of, near_end, skunks
from cribev.game.scorer import score_hands
from cribev.game.stakes import WIN_STAKES, Stakes
from cribev.opponents.opponents import Opponent
from cribev.opponents.strategies import GreedyPlay, UniformPlay
from cribev.records.cells import format_card_rows, split_deals
from cribev.records.record import Record
from cribev.records.tally import show_points
from cribev.rows.names import (
    CARD_COLUMNS,
    CARD_VALUE_COLUMNS,
    CARD_WIN_COLUMNS,
    CUT_COLUMNS,
    DISCARD_GROUPS,
    GRADE_COLUMNS,
    PLAY_COLUMNS,
    VALUE_COLUMNS,
    WIN_COLUMNS,
    WIN_PLAY_COLUMN,
)
from cribev.solution.solution import shipped_strategy
from cribev.solution.strategy import PlayStrategy
from cribev.solution.win_table import WinTable
from cribev.system.processes import process_pool

DECISION_KINDS = ("lead", "answer", "later")
"""Kinds of cards: pone's first, the dealer's first, or a later one."""

BASELINE_PLAY: Mapping[str, type[PlayStrategy]] = {"greedy": GreedyPlay, "random": UniformPlay}
"""Strategies whose loss at the same choices is shown for comparison."""

_HANDS_LISTED = 5  # that the opponent likeliest holds
_CUTS_BLOCK = 4096  # deals whose cuts are counted at a time, so that they fit in cache
_FEW_SEATS = 6  # starting processes takes as long as valuing this many seats


class ValuedCards(NamedTuple):
    """The values of the cards that a player could play in one turn, and the position."""

    options: Options
    baselines: Floats  # how often the strategies of `BASELINE_PLAY` play each, ``(2, k)``
    held: Floats  # how likely the opponent has at least one card of each rank, ``(13,)``
    hands: tuple[tuple[str, float], ...]
    """The likeliest of what the opponent has left, and how likely each is; none without cards."""
    explained: bool  # whether such an opponent does all that was done


_WHOLE_NUMBERS = ("deal", "number", "count", "points", "choices")
_IN_POINTS, _IN_VALUE = (
    (own, f"best_{own}", best, loss, *(f"{who}_{loss}" for who in BASELINE_PLAY))
    for own, best, loss in (("expected", "best_card", "loss"), ("value", "win_card", "win_loss"))
)  # columns of a choice: what the card is worth, what the best is, which it is, what was lost
_WINS = ("win", "best_win")
_BEST_CARDS = ("best_card", "win_card")
_FIGURES = [name for name in ("share", *_IN_POINTS, *_IN_VALUE, *_WINS) if name not in _BEST_CARDS]


class GradedCards(NamedTuple):
    """The cards played in a record, by game and deal, in the order played."""

    frame: pd.DataFrame
    """One row for each card of a player whose six cards are recorded: `CARD_COLUMNS` and
    `CARD_WIN_COLUMNS`."""
    rows: Index  # the row of the record whose player played each card, ``(M,)``
    valued: list[ValuedCards | None]  # what could be played; None where nothing was to choose

    @classmethod
    def none(cls, games: Any) -> "GradedCards":
        """Return no cards, in columns of the types that cards have, and of `games`."""
        kinds = dict.fromkeys([*CARD_COLUMNS, *CARD_WIN_COLUMNS], "str")
        kinds |= dict.fromkeys(_WHOLE_NUMBERS, "int64")
        kinds |= {name: "float64" for name in _FIGURES if name in kinds} | {"game": games}
        frame = pd.DataFrame(columns=list(kinds)).astype(kinds)
        return cls(frame, np.zeros(0, dtype=np.intp), [])

    def lost(self, record: Record) -> tuple[Floats, Floats]:
        """Sum what the cards of each row lost, in points and in chances to win, ``(N,)`` each.

        NaN if no cards are graded, or the chances are not known.
        """
        number = len(record.keeps)
        played = np.bincount(self.rows, minlength=number) > 0
        scored = played & (record.scores != UNKNOWN).all(axis=1) & (record.starters != UNKNOWN)
        sums = []
        for name, known in (("loss", played), ("win_loss", scored)):
            total = np.bincount(self.rows, np.nan_to_num(self.frame[name].to_numpy()), number)
            sums.append(np.where(known, total, np.nan))
        return sums[0], sums[1]

    def take(self, rows: Sequence[int]) -> "GradedCards":
        """Return the cards played in some rows of the record, which are renumbered."""
        new = {row: place for place, row in enumerate(rows)}
        kept = [place for place, row in enumerate(self.rows.tolist()) if row in new]
        return GradedCards(
            self.frame.iloc[kept].reset_index(drop=True),
            np.array([new[row] for row in self.rows[kept].tolist()], dtype=np.intp),
            [self.valued[place] for place in kept],
        )


_Played: TypeAlias = tuple[int, Position, int, ValuedCards | None]
"""A card as it fell: the row of who played it, what the player knew, its rank, and all that fit."""


def grade_cards(
    record: Record,
    *,
    wins: bool = True,
    opponent: Opponent,
    stakes: Stakes = WIN_STAKES,
    workers: int = 1,
    report: Callable[[int], object] | None = None,
) -> GradedCards:
    """Grade every card; ``report`` the seats done. Scores count with `wins`, by `stakes`."""
    seats = [
        [
            (row, position, rank_of(chosen[0]))
            for position, chosen in record.decisions(row)
            if position.to_do == "card"
        ]
        for row, play in enumerate(record.plays)
        if play.steps
    ]
    tasks = [([_known(position, wins=wins) for _, position, _ in played],) for played in seats]
    value = partial(_value_choices, opponent=opponent, stakes=stakes)
    graded = list[_Played]()
    with ExitStack() as stack:
        valued: Iterator[list[ValuedCards | None]]
        if workers > 1 and len(tasks) > _FEW_SEATS:
            shipped_strategy()  # fill the cache, so that not every process unpacks it
            pool = process_pool(value, tasks, workers=min(workers, len(tasks)))
            valued = stack.enter_context(pool)
        else:
            valued = (value(*task) for task in tasks)
        for played, values in zip(seats, valued, strict=True):
            graded += [(*card, value) for card, value in zip(played, values, strict=True)]
            if report is not None:
                report(1)
    return _graded(record, graded, stakes)


def _value_choices(
    positions: Iterable[Position], opponent: Opponent, stakes: Stakes
) -> list[ValuedCards | None]:
    """Value each position's cards as `cribev.advise_play` does, if at least two ranks fit."""
    valued = list[ValuedCards | None]()
    for position in positions:
        if len(position.legal_ranks) < 2:
            valued.append(None)
            continue
        played_for = WIN_STAKES if position.score is None else stakes
        advice = advise_card(Question(position, opponent, played_for))
        held, ranks = advice.range, position.legal_ranks
        hands = held.hands.head(_HANDS_LISTED if held.left else 0)
        played = [
            strategy.choices(strategy.node(position.play.history), position.left_ranks)[ranks]
            for strategy in _baselines()
        ]
        valued.append(
            ValuedCards(
                advice.options,
                np.stack(played),
                held.ranks["chance"].to_numpy(),
                tuple(zip(hands["cards"], hands["chance"].tolist(), strict=True)),
                held.belief.explained,
            )
        )
    return valued


@cache
def _baselines() -> list[PlayStrategy]:
    expert = shipped_strategy()
    return [strategy(expert.size, expert.states) for strategy in BASELINE_PLAY.values()]


def _points(play: Play, number: int) -> int:
    """Count what a card pegs, including the goes that follow it."""
    goes = takewhile(lambda step: step.card is None, play.steps[number + 1 :])
    pegs = [peg for step in (play.steps[number], *goes) for peg in step.pegs]
    return sum(peg.points for peg in pegs if peg.role == play.steps[number].role)


def _known(position: Position, *, wins: bool) -> Position:
    """Leave out the score if chances to win do not count, or cannot be computed."""
    return position if wins and position.starter is not None else replace(position, score=None)


def _graded(record: Record, played_cards: list[_Played], stakes: Stakes) -> GradedCards:
    """Make the table of the cards, by game and deal, in the order played."""
    games = pd.factorize(record.frame["game"])[0]
    deals = record.frame["deal"].to_numpy()
    played_cards.sort(key=lambda turn: (games[turn[0]], deals[turn[0]], len(turn[1].play.played)))
    rows = np.array([row for row, *_ in played_cards], dtype=np.intp)
    plays = [position.play for _, position, *_ in played_cards]
    points = [
        _points(record.plays[row], len(play.steps)) for row, play in zip(rows, plays, strict=True)
    ]
    names = ["game", "deal", "player", "role"]
    columns: dict[str, Any] = {name: record.frame[name].array.take(rows) for name in names}
    columns |= {
        "number": np.array([len(play.played) + 1 for play in plays], dtype=np.int64),
        "played": [play.ranks_text for play in plays],
        "count": np.array([play.count for play in plays], dtype=np.int64),
        "card": [RANKS[rank] for _, _, rank, _ in played_cards],
        "points": np.array(points, dtype=np.int64),
        "decision": [DECISION_KINDS[min(len(play.played), 2)] for play in plays],
        "choices": np.array(
            [len(position.legal_ranks) for _, position, *_ in played_cards], dtype=np.int64
        ),
    }
    graded = [_grade(rank, values) for _, _, rank, values in played_cards]
    for name in _BEST_CARDS:
        columns[name] = pd.Series([grades.get(name) for grades in graded], dtype="str")
    for name in _FIGURES:
        columns[name] = np.array([grades.get(name, np.nan) for grades in graded], np.float64)
    frame = pd.DataFrame(columns)
    loss, win_loss = (frame[name].fillna(0) for name in ("loss", "win_loss"))
    near = near_end(record.scores[rows], stakes.near_end)
    by_win = (frame["win_loss"].notna() & near).to_numpy()
    frame["judged_by"] = np.where(by_win, "win", "points")
    verdict = verdicts(loss, CARD_BANDS, win_losses=win_loss, by_wins=by_win, swing=stakes.swing)
    frame["verdict"] = np.where(frame["loss"].isna(), FORCED, verdict)
    staked = [*CARD_VALUE_COLUMNS] if stakes != WIN_STAKES else []
    frame = frame[[*CARD_COLUMNS, *CARD_WIN_COLUMNS, *staked]]
    return GradedCards(frame, rows, [values for *_, values in played_cards])


def _grade(rank: int, values: ValuedCards | None) -> dict[str, Any]:
    """Grade one card, by columns; nothing if there was no choice."""
    if values is None:
        return {}
    options, order = values.options, values.options.order
    ranks = np.array(options.position.legal_ranks)[order]
    own = ranks.tolist().index(rank)
    graded: dict[str, Any] = {"share": options.columns["share"][order[own]]}
    for column, names in ((options.expected, _IN_POINTS), (options.value, _IN_VALUE)):
        if column is None:
            continue
        worth = column[order]
        best = float(worth.max())
        tied = worth >= best - TIE_TOLERANCE
        # A choice that ties with the best is worth as much, before anything is rounded.
        played = best if tied[own] else float(worth[own])
        lost = (best - values.baselines[:, order] @ worth).tolist()
        grade = (played, best, RANKS[ranks[int(tied.argmax())]], best - played, *lost)
        graded |= dict(zip(names, grade, strict=True))
    if options.win is not None:
        wins = (options.option(RANKS[rank]).win, options.best.win)
        wins = wins if options.is_staked else (graded["value"], graded["best_value"])
        graded |= dict(zip(_WINS, wins, strict=True))
    return graded


class Component(NamedTuple):
    """A step from one level of a deal to the next."""

    name: str  # its column, in points
    words: str
    kind: Literal["luck", "lost", "swing"]  # what is lost is subtracted, all else is added
    needs: str = ""  # what a record lacks that leaves it open; if empty, the result does without

    @property
    def sign(self) -> int:
        """1 if it is added, -1 if it is subtracted."""
        return -1 if self.kind == "lost" else 1


COMPONENTS = (
    Component("deal_luck", "deal luck", "luck", "the average of the role against this opponent"),
    Component("loss", "lost", "lost"),
    Component("starter_luck", "starter luck", "luck", "the starter"),
    Component("crib_swing", "crib swing", "swing", "the opponent's discard"),
    Component("play_swing", "play swing", "swing"),
)
"""From the deal to the result."""

PLAY_SWING = COMPONENTS[-1]

PLAY_PARTS = (
    Component("play_luck", "play luck", "swing"),
    Component("play_lost", "lost in play", "lost"),
)
"""The parts of the play swing, if cards are graded."""

GIVEN_UP = (
    Component("given_up", "given up to win", "lost"),
    Component("play_given_up", "given up in play", "lost"),
)
"""Points that discards and cards gave up where wins decide the verdict, as in totals."""

WIN_COMPONENTS = (
    Component("win_deal_luck", "cards dealt", "luck"),
    Component("win_loss", "lost", "lost"),
    Component(WIN_PLAY_COLUMN, "lost in play", "lost"),
    Component("win_luck", "cut and opponent", "luck"),
)
"""The parts of a result in chances to win. The last is what follows the discard: chance, what the
opponent does, and the player's own play if its cards are not graded."""

WIN_CHANGE = "win_change"  # the column of totals for their sum


def result_columns(*, play: bool, cards: bool = False, staked: bool = False) -> list[str]:
    """List the columns that a review adds to a record."""
    grades = [name for name in GRADE_COLUMNS if play or name != PLAY_SWING.name]
    graded = [*PLAY_COLUMNS, WIN_PLAY_COLUMN] if cards else []
    return [*grades, *WIN_COLUMNS, *graded, *(VALUE_COLUMNS if staked else ()), *CUT_COLUMNS]


RESULT_COLUMNS = result_columns(play=True, cards=True, staked=True)
EVERY_COLUMN = [*RESULT_COLUMNS, *DISCARD_GROUPS]
"""The same and the groups that `cribev.leaks.groups.with_groups` adds."""


def known_components(decisions: pd.DataFrame) -> list[Component]:
    """List the components of a result, the play swing only if a play is recorded."""
    played = PLAY_SWING.name in decisions and decisions[PLAY_SWING.name].notna().any()
    steps = [step for step in COMPONENTS if played or step != PLAY_SWING]
    return _apart_from_cards(steps, decisions, PLAY_PARTS[1].name)


def known_win_components(table: pd.DataFrame) -> list[Component]:
    """List the components of the change in chances to win that a review knows of."""
    steps = [
        step for step in WIN_COMPONENTS if step.name in table and table[step.name].notna().any()
    ]
    return _apart_from_cards(steps, table, WIN_PLAY_COLUMN)


def _apart_from_cards(
    steps: Sequence[Component], table: pd.DataFrame, lost: str
) -> list[Component]:
    """Say that a loss is by discards, if cards ``lost`` something of their own."""
    if lost not in table or table[lost].isna().all():
        return [*steps]
    return [
        step._replace(words="lost by discards") if step.words == "lost" else step for step in steps
    ]


def judged_by_wins(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Mark the discards or cards whose verdict goes by chances to win, ``(N,)``."""
    return np.asarray(table["judged_by"] == "win", dtype=bool)


def component_formula(steps: Iterable[Component], *, of: str = "result") -> str:
    """Write the result, or what the steps lead to, as a sum."""
    terms = "".join(f" {'-' if step.sign < 0 else '+'} {step.words}" for step in steps)
    return f"{of} ={terms.removeprefix(' +')}"


def require_free_columns(record: Record) -> None:
    """Refuse a record with some columns of a review; if it has all, they are replaced."""
    taken = [name for name in EVERY_COLUMN if name in record.frame]
    if taken and not {*GRADE_COLUMNS} - {PLAY_SWING.name} <= {*taken}:
        raise RecordError(f"there is a column {taken[0]!r} already, which a review adds: rename it")


def grade_decisions(
    record: Record,
    valued: ValuesGivenStarter,
    opponent: Opponent,
    *,
    stakes: Stakes = WIN_STAKES,
    graded: GradedCards | None = None,
) -> pd.DataFrame:
    """Grade every discard: the record's columns, then `result_columns`, NaN if not known."""
    values, crib_given_starter = valued
    expected = values.expected
    rows = np.arange(len(expected))
    keep, margin = best_by_points(expected)
    rank = competition_ranks(without_repeats(expected, record.deals))[rows, record.keeps]
    best = expected[rows, keep]
    # A choice that ties with the best is worth as much, before anything is rounded.
    own = np.where(rank == 1, best, expected[rows, record.keeps])
    play = None if values.play is None else values.play[rows, record.keeps]
    hand, crib = (np.where(of == UNKNOWN, np.nan, of) for of in show_points(record))
    cut = crib_given_starter[rows, record.keeps]
    before = np.where(record.dealer, *(opponent.baseline(role) for role in ROLES))
    shown = net_points(hand, crib, record.dealer, play)
    levels = [before, best, own, net_points(hand, cut, record.dealer, play), shown]
    shown_columns: dict[str, Any] = dict(_decompose(COMPONENTS[:-1], levels))
    if play is not None:
        pegged = record.pegged[:, 0] - record.pegged[:, 1]
        known = (record.pegged != UNKNOWN).all(axis=1)
        shown_columns[PLAY_SWING.name] = np.where(known, pegged - play, np.nan)
        shown = shown + np.where(known, pegged - play, 0.0)
    shown_columns |= {
        "best_discard": format_card_rows(np.take_along_axis(record.deals, DISCARDS[keep], axis=1)),
        "expected": own,
        "best_expected": best,
        "rank": rank,
        "margin": margin,
        "result": shown - before,
        **dict(zip(CUT_COLUMNS, cut_luck(record), strict=True)),
    }
    shown_columns |= _wins(record, values, opponent, stakes)
    shown_columns["verdict"] = verdicts(
        shown_columns["loss"],
        DEFAULT_BANDS,
        win_losses=np.nan_to_num(shown_columns["win_loss"]),
        by_wins=shown_columns["judged_by"] == "win",
        swing=stakes.swing,
    )
    cards = None if graded is None or play is None else graded.lost(record)
    if cards is not None:
        lost, win_lost = cards
        swing = shown_columns[PLAY_SWING.name]
        shown_columns |= dict(
            zip(PLAY_COLUMNS, (swing + lost, lost, _across(record, lost)), strict=True)
        )
        shown_columns[WIN_PLAY_COLUMN] = win_lost
        shown_columns["win_luck"] = shown_columns["win_luck"] + np.nan_to_num(win_lost)
    own_columns = record.frame.drop(columns=EVERY_COLUMN, errors="ignore")
    columns = result_columns(
        play=play is not None, cards=cards is not None, staked=values.worth is not None
    )
    return pd.concat([own_columns, pd.DataFrame(shown_columns, columns=columns)], axis=1)


def _across(record: Record, values: Floats) -> Floats:
    """Return for each row the value of the other player's row in the deal; NaN without one."""
    keys = pd.MultiIndex.from_frame(record.frame[["game", "deal"]]).factorize()[0]
    order = np.argsort(keys, kind="stable")
    second = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    first, other = order[second], order[second + 1]
    values_of_rows = np.full(len(values), np.nan)
    values_of_rows[first], values_of_rows[other] = values[other], values[first]
    return values_of_rows


def cut_luck(record: Record) -> tuple[Floats, Floats]:
    """Return the luck of the cut in each row, and how much it varies, ``(N,)`` each, in points.

    The starter decides both hands, the crib and heels. Their sum, the player's less the opponent's,
    is compared with the average over all cards that could have come: those that
    neither player held. The second array is the standard deviation over these cards. The
    opponent's hand counts where it is recorded. NaN if the starter, the crib, or a suit is not
    known.
    """
    kept, discarded = (cards.astype(np.int64) for cards in split_deals(record.deals, record.keeps))
    theirs = record.opponent_keeps
    cards = np.concatenate([kept, discarded, record.opponent_discards, theirs], axis=1)
    paired = (theirs != UNKNOWN).all(axis=1)
    there = np.column_stack([record.starters, np.where(paired[:, None], cards, cards[:, [0]])])
    there[:, 1:9] = cards[:, :8]
    known = ((there != UNKNOWN) & (there < SUITLESS_OFFSET)).all(axis=1)
    luck, sd = np.full((2, len(kept)), np.nan)
    for shown in (8, 12):  # cards: without the opponent's hand, and with it
        rows = np.flatnonzero(known & (paired == (shown > 8)))
        for block in np.split(rows, range(_CUTS_BLOCK, len(rows), _CUTS_BLOCK)):
            seen = np.zeros((len(block), DECK_SIZE), dtype=bool)
            np.put_along_axis(seen, cards[block, :shown], values=True, axis=1)
            cuts = np.argsort(seen, axis=1, kind="stable")[:, : DECK_SIZE - shown]
            hands = cards[block, None].astype(np.uint8)
            sign = np.where(record.dealer[block], *map(crib_sign, ROLES))[:, None]
            crib = score_hands(hands[..., 4:8], cuts, crib=True) + heels_of(cuts)
            scores = score_hands(hands[..., :4], cuts) + sign * crib
            if shown > 8:
                scores -= score_hands(hands[..., 8:], cuts)
            came = (cuts == record.starters[block, None]).argmax(axis=1)
            luck[block] = scores[np.arange(len(block)), came] - scores.mean(axis=1)
            sd[block] = scores.std(axis=1)
    return luck, sd


def _decompose(steps: Iterable[Component], levels: Iterable[Floats]) -> dict[str, Floats]:
    """Return what each component adds or loses from level to level."""
    return {
        step.name: step.sign * (after - level) + 0.0  # and no -0.0
        for step, (level, after) in zip(steps, pairwise(levels), strict=True)
    }


def _wins(
    record: Record, values: DiscardValues, opponent: Opponent, stakes: Stakes
) -> dict[str, Any]:
    """Split the change in what chances to win are worth; NaN if they are not known."""
    win, value = values.win, values.value
    if win is None or value is None:
        blank = np.full(len(record.keeps), np.nan)
        words = {"judged_by": np.full(len(blank), "points"), "win_discard": [""] * len(blank)}
        words["win_unknown"] = _scores_missing(record)
        return dict.fromkeys(WIN_COLUMNS, blank) | words
    if (table := opponent.play.game().win_table) is None:
        raise TableError("the solution has no table of chances to win")
    known = np.asarray(np.isfinite(win).all(axis=1))
    rows, keep = np.arange(len(win)), values.ranking.order[:, 0]
    own, best = value[rows, record.keeps], value[rows, keep]
    ends = (
        outcomes_at_scores(record.scores, record.dealer, table),
        outcomes_at_scores(record.scores_after, ~record.dealer, table),
    )
    before, after = map(stakes.value, ends)
    tied = own + TIE_TOLERANCE >= best
    best = np.where(tied, own, best)
    near = known & near_end(record.scores, stakes.near_end)
    discarded = np.take_along_axis(record.deals, DISCARDS[keep], axis=1).astype(np.int64)
    steps = [step for step in WIN_COMPONENTS if step.name != WIN_PLAY_COLUMN]
    return {
        "judged_by": np.where(near, "win", "points"),
        "win_before": ends[0].win,
        "win": win[rows, record.keeps],
        "best_win": win[rows, np.where(tied, record.keeps, keep)],
        "win_discard": format_card_rows(np.where(known[:, None], discarded, UNKNOWN)),
        "win_after": ends[1].win,
        "win_unknown": _scores_missing(record),
        **dict(zip(VALUE_COLUMNS, (before, own, best, after), strict=True)),
        **_decompose(steps, [before, best, own, after]),
    }


def _scores_missing(record: Record) -> list[str]:
    """Say of each row which score is not known, if one is not."""
    before, after = (
        (points == UNKNOWN).any(axis=1) for points in (record.scores, record.scores_after)
    )
    deals = record.frame["deal"].tolist()
    missing = np.select([before, after], ["before", "after"], "")
    return [
        f"no score {side} deal {deal}" if side else ""
        for side, deal in zip(missing.tolist(), deals, strict=True)
    ]


def outcomes_at_scores(
    scores: NDArray[np.int64], dealer: NDArray[np.bool_], table: WinTable
) -> Outcomes[Floats]:
    """Return how games may end, before deals ``(N,)``; NaN if the score is `UNKNOWN`."""
    own, opponent = np.clip(scores, 0, WINNING_SCORE - 1).T
    over = (scores == WINNING_SCORE).any(axis=1)
    unknown = (scores == UNKNOWN).any(axis=1)
    ended = Outcomes.over(scores[:, 0] == WINNING_SCORE, skunks(scores.min(axis=1)))
    outcomes = list[Floats]()
    for now, *ends in zip(ended, *map(table.outcomes_as, ROLES), strict=True):
        as_dealer, as_pone = (chances[own, opponent] for chances in ends)
        chance = np.where(over, now, np.where(dealer, as_dealer, as_pone))
        outcomes.append(np.where(unknown, np.nan, chance))
    return Outcomes(*outcomes)
