"""Leaks: what a player loses in each kind of decision.

`KINDS` are ways to group discards, or cards that were a choice, by what was decided. Each decision
is in exactly one group of each kind, so the losses of its groups add up to the whole. A group has a
rule of thumb, with how often the rule holds. For discards: in random deals that offer both such a
discard and another, how often such a discard is best. For cards: in turns of experts where both
such a card and another fit, how often they play such a card.

A group with a rule is a leak if it loses more than a player of the same strength who errs alike
everywhere, by quantal response, would lose by such choices. All groups are compared and the largest
are told, so chance is corrected for their number as Bonferroni did [1]_: of players without a leak,
at most one in twenty is told any.

References
----------
.. [1] O. Dunn: Multiple Comparisons Among Means. Journal of the American Statistical Association
   56, 1961.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from math import ceil
from statistics import NormalDist
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.advice.levels import choice_chances, discard_losses
from cribev.advice.options import Options
from cribev.classes.canonical import Floats, Index
from cribev.classes.ranking import TIE_TOLERANCE, DiscardValues, net_points, tied_best
from cribev.game.cards import PIP_VALUES, RANKS, SUITLESS_OFFSET, Cards, rank_of, ranks_of
from cribev.game.deal import Position
from cribev.game.play import LIMIT
from cribev.game.words import WINS, format_points, format_worth, pluralize
from cribev.grades.grading import GradedCards, judged_by_wins
from cribev.opponents.strategies import quantal_chances
from cribev.records.cells import split_deals
from cribev.records.record import Record
from cribev.rows.names import CARD_GROUPS, DISCARD_GROUPS, LEAK_COLUMNS

_PIPS = np.array(PIP_VALUES)
_SUMS = ((np.arange(1, 64)[:, None] >> np.arange(6)) & 1).T  # which of six cards are added up
_FIVE, _LOW, _TEN = RANKS.index("5"), RANKS.index("4"), RANKS.index("T")
_LEVELS = ("club", "expert")  # who is compared with
_ORDINALS = ("first", "second", "third", "fourth")
_NEAR = 20  # times as many games, after which nobody asks
_FIRST = 3  # leaks that are told first
_LEAST = 10  # decisions of a leak that is told
_BY_CHANCE = 0.05  # of players without a leak, the share who may be told one
_TEMPERATURES = 1e-4, 1e2  # of all players
_SEEN = 0.5  # a leak is dropped if larger ones lost this share of what it did


class Group(NamedTuple):
    """Decisions that are alike."""

    name: str
    words: str
    rule: str = ""  # a rule of thumb, if there is one, with a place for how often it holds
    holds: float = np.nan  # how often it holds, of all that it is about

    @property
    def told(self) -> str:
        """The rule and how often it holds."""
        return self.rule.format(f"{self.holds:.0%}") if self.rule else ""


class Kind(NamedTuple):
    """One way to group decisions."""

    name: str
    decision: Literal["discard", "card"]
    groups: tuple[Group, ...]


_CRIBS = {"own": "your own crib", "their": "your opponent's crib"}
_DISCARDED = {
    "five": "fives",
    "pair": "pairs",
    "fifteen": "fifteens",
    "touching": "touching cards",
    "others": "two other cards",
}


def _discarded(crib: str, role: str, *holds: float) -> tuple[Group, ...]:
    rule = "are the best discard in {} of the deals where you can."
    return tuple(
        Group(
            f"{name}-to-{crib}-crib",
            f"{cards} discarded to {_CRIBS[crib]}",
            f"As {role}, {cards} {rule}" if often else "",
            often or np.nan,
        )
        for (name, cards), often in zip_longest(_DISCARDED.items(), holds)
    )


def _held(name: str, holds: float) -> tuple[Group, ...]:
    return (
        Group(f"{name}-kept", f"hands that keep a {name}"),
        Group(
            f"{name}-broken",
            f"hands that give up a {name}",
            f"Keep a {name}: right in {{}} of the hands with one.",
            holds,
        ),
        Group(f"no-{name}", f"hands without a {name}"),
    )


_LEAD, _TURN = "Experts lead {} in {{}} of the hands with a choice.", "of the turns with a choice."

KINDS = (
    Kind("role", "discard", (
        Group("discard-as-dealer", "discards as dealer"),
        Group("discard-as-pone", "discards as pone"),
    )),
    Kind("crib", "discard", (
        *_discarded("own", "dealer", 0.278, 0.248, 0.231, 0.281),
        *_discarded("their", "pone", 0.032, 0.043, 0.027, 0.101),
    )),
    Kind("pair", "discard", _held("pair", 0.856)),
    Kind("run", "discard", _held("run", 0.882)),
    Kind("fifteen", "discard", _held("fifteen", 0.856)),
    Kind("flush", "discard", _held("flush", 0.614)),
    Kind("weighed", "discard", (
        Group("hand-decides", "hands where the fattest hand was right"),
        Group("hand-over-crib", "best hands kept where the crib decides",
              "The crib, and not the hand, decides in {} of the deals.", 0.236),
        Group("hand-over-play", "best hands kept where the play decides",
              "The play, and not the show, decides in {} of the deals.", 0.100),
        Group("hand-weighed", "hands where crib or play was worth more"),
    )),
    Kind("end", "discard", (
        Group("discard-for-points", "discards far from the end"),
        Group("discard-to-win", "discards near the end, where wins decide",
              "The discard that is best by points wins most in {} of deals near the end.", 0.634),
    )),
    Kind("role", "card", (
        Group("card-as-dealer", "cards played as dealer"),
        Group("card-as-pone", "cards played as pone"),
    )),
    Kind("situation", "card", (
        Group("lead-pair", "leads from a pair", _LEAD.format("from a pair"), 0.660),
        Group("lead-low", "low cards led", _LEAD.format("an ace to a four"), 0.606),
        Group("lead-five", "fives led", _LEAD.format("a five"), 0.000),
        Group("lead-middle", "sixes to nines led", _LEAD.format("a six to a nine"), 0.220),
        Group("lead-ten", "ten-cards led", _LEAD.format("a ten-card"), 0.276),
        Group("answer-fifteen", "leads answered by a fifteen",
              "Experts answer by a fifteen in {} " + _TURN, 0.769),
        Group("answer-pair", "leads answered by a pair",
              "Experts pair a lead in {} " + _TURN, 0.586),
        Group("answer-near", "leads answered by a card that opens a run",
              "Experts answer so in {} " + _TURN, 0.148),
        Group("answer-safe", "leads answered by a card far from it"),
        Group("missed", "15 or 31 missed", "Experts pass one by in {} " + _TURN, 0.071),
        Group("made", "15 or 31 made"),
        Group("pair-or-run", "pairs and runs played", "Experts play one in {} " + _TURN, 0.889),
        Group("pair-missed", "pairs missed", "Experts pass a pair by in {} " + _TURN, 0.108),
        Group("after-go", "cards after your opponent's go"),
        Group("leaves-5", "counts of 5 left", "Experts leave it in {} " + _TURN, 0.246),
        Group("leaves-21", "counts of 21 left", "Experts leave it in {} " + _TURN, 0.101),
        Group("opens-run", "cards that open a run", "Experts play one in {} " + _TURN, 0.272),
        Group("last-cards", "cards when your opponent has one or none"),
        Group("other-card", "other cards"),
    )),
    Kind("end", "card", (
        Group("card-for-points", "cards far from the end"),
        Group("card-to-win", "cards near the end, where wins decide"),
    )),
)  # fmt: skip
"""Every way to group decisions. How often a rule holds was measured by `python -m benchmarks.rules`
on 2026-11-23, over a million deals, and near the end over 2,000."""


Codes: TypeAlias = dict[str, Index]
"""The group of each decision, ``(N,)``, by name of the kind."""


def discard_groups(
    deals: Cards,
    dealer: NDArray[np.bool_],
    keeps: Index,
    values: DiscardValues,
    to_win: NDArray[np.bool_],
) -> Codes:
    """Group discards: deals ``(N, 6)`` ascending, keeps, values, and whether wins decide."""
    kept, gone = split_deals(deals, keeps)
    discarded = ranks_of(gone)
    apart = discarded[:, 1] - discarded[:, 0]
    crib = np.select(
        [
            (discarded == _FIVE).any(axis=1),
            apart == 0,
            _PIPS[discarded].sum(axis=1) == 15,
            apart == 1,
        ],
        [0, 1, 2, 3],
        4,
    )
    return {
        "role": np.where(dealer, 0, 1),
        "crib": crib + np.where(dealer, 0, 5),
        **{name: np.where(has(deals), np.where(has(kept), 0, 1), 2) for name, has in _HELD.items()},
        "weighed": _weighed(dealer, keeps, values),
        "end": to_win.astype(np.intp),
    }


def _has_pair(cards: Cards) -> NDArray[np.bool_]:
    ranks = ranks_of(cards)
    return np.asarray((ranks[:, 1:] == ranks[:, :-1]).any(axis=1))


def _has_run(cards: Cards) -> NDArray[np.bool_]:
    held = np.bitwise_or.reduce(1 << ranks_of(cards), axis=1)
    return np.asarray((held & held >> 1 & held >> 2) > 0)


def _has_fifteen(cards: Cards) -> NDArray[np.bool_]:
    sums = _PIPS[ranks_of(cards)] @ _SUMS[: cards.shape[1]]
    return np.asarray((sums == 15).any(axis=1))


def _has_flush(cards: Cards) -> NDArray[np.bool_]:
    suits = np.where(cards < SUITLESS_OFFSET, cards & 3, 4)
    return np.asarray(((suits[:, :, None] == np.arange(4)).sum(axis=1) >= 4).any(axis=1))


_HELD = {"pair": _has_pair, "run": _has_run, "fifteen": _has_fifteen, "flush": _has_flush}
"""Kinds of discards that keep something, give it up, or have nothing of the sort."""


def _weighed(dealer: NDArray[np.bool_], keeps: Index, values: DiscardValues) -> Index:
    """Return what decides, the hand alone, the crib or the play, and what the player did."""
    best, hand = tied_best(values.expected), tied_best(values.hand)
    show = tied_best(net_points(values.hand, values.crib, dealer))
    by_hand, by_crib = ((best & tied).any(axis=1) for tied in (hand, show))
    held = hand[np.arange(len(keeps)), keeps]
    return np.select([by_hand, held & by_crib, held], [0, 1, 2], 3)


class Turns(NamedTuple):
    """The positions in which M cards were played."""

    dealer: NDArray[np.bool_]  # whether the dealer played it, ``(M,)``
    number: Index  # how many cards were played before, ``(M,)``
    counts: Index  # the count before it, ``(M,)``
    table: Index
    """The ranks played since the count began, the last on the right, padded by -1, ``(M, 8)``."""
    left: Index  # how many cards of each rank the player has, ``(M, 13)``
    opponent_left: Index  # how many cards the opponent has, ``(M,)``
    gone: NDArray[np.bool_]  # whether the opponent has said go at this count, ``(M,)``

    @classmethod
    def of(cls, positions: Sequence[Position]) -> "Turns":
        """Read positions in which a card is to be played."""
        plays, width = [position.play for position in positions], 8
        tables = [[rank_of(card) for card in play.on_table] for play in plays]
        tables = [[*[-1] * (width - len(table)), *table] for table in tables]
        gone = [play.count > 0 and play.steps[-1].card is None for play in plays]
        left = [np.bincount(position.left_ranks, minlength=len(RANKS)) for position in positions]
        return cls(
            np.array([position.role == "dealer" for position in positions], dtype=bool),
            np.array([len(play.played) for play in plays], dtype=np.intp),
            np.array([play.count for play in plays], dtype=np.intp),
            np.array(tables, dtype=np.intp).reshape(-1, width),
            np.array(left, dtype=np.intp).reshape(-1, len(RANKS)),
            np.array([position.opponent_left for position in positions], dtype=np.intp),
            np.array(gone, dtype=bool),
        )


def card_groups(turns: Turns, cards: Index, to_win: NDArray[np.bool_]) -> Codes:
    """Group cards played, ranks ``(M,)``, and whether chances to win decide."""
    rows, last = np.arange(len(cards)), turns.table[:, -1]
    after = turns.counts + _PIPS[cards]
    scores = np.isin(after, (15, LIMIT))
    could = np.isin(turns.counts[:, None] + _PIPS, (15, LIMIT)) & (turns.left > 0)
    pair, near = cards == last, (last >= 0) & (np.abs(cards - last) <= 2)
    led, answered = turns.number == 0, turns.number == 1
    situations = [
        led & (turns.left[rows, cards] > 1),
        led & (cards <= _LOW),
        led & (cards == _FIVE),
        led & (cards < _TEN),
        led,
        answered & scores,
        answered & pair,
        answered & near,
        answered,
        could.any(axis=1) & ~scores,
        scores,
        pair | _makes_run(turns.table, cards),
        (turns.left[rows, np.maximum(last, 0)] > 0)
        & (last >= 0)
        & (turns.counts + _PIPS[last] <= LIMIT),
        turns.gone,
        after == 5,
        after == 21,
        near & (after < LIMIT),
        turns.opponent_left <= 1,
    ]
    return {
        "role": np.where(turns.dealer, 0, 1),
        "situation": np.select(situations, list(range(len(situations))), len(situations)),
        "end": to_win.astype(np.intp),
    }


def _makes_run(table: Index, cards: Index) -> NDArray[np.bool_]:
    every = np.concatenate([table, cards[:, None]], axis=1)
    is_run = np.zeros(len(cards), dtype=bool)
    for length in range(3, every.shape[1]):
        last_cards = np.sort(every[:, -length:], axis=1)
        is_run |= (last_cards[:, 0] >= 0) & (np.diff(last_cards, axis=1) == 1).all(axis=1)
    return is_run


class _Decisions(NamedTuple):
    """The discards of a review, or its cards that were a choice."""

    decision: Literal["discard", "card"]
    table: pd.DataFrame  # a row for each
    best: str  # the column of what was best
    codes: Codes
    players: Index
    losses: dict[str, Floats]  # in points, ``loss``, and in chances to win, ``win_loss``
    others: dict[str, Floats]  # what players of `_LEVELS` would lose on average, in points
    position: Callable[[int], Position]
    values: Floats  # of all choices in the unit of leaks, ``(N, K)``; -inf where there are fewer
    codes_of_all: Codes  # the group of each, ``(N, K)``

    @property
    def by_points(self) -> NDArray[np.bool_]:
        """Whether points decide the verdict, not wins."""
        return np.asarray(self.codes["end"] == 0)

    def judged(self, unit: str) -> Floats:
        """Return losses in one unit; decisions by wins have none in points."""
        return self.losses[unit] * (self.by_points if unit == "loss" else 1.0)

    def lost_alike(self, rows: Index, unit: str) -> Floats:
        """Return what a player of the same strength loses by each choice on average, ``(n, K)``.

        Such a player errs by quantal response, at the temperature that loses as much in all.
        """
        values = self.values[rows]
        behind = np.where(np.isfinite(values), values.max(axis=1, keepdims=True) - values, 0.0)
        if unit == "loss":
            behind *= self.by_points[rows, None]
        coldest, hottest = _TEMPERATURES
        while hottest > coldest * 1.001:
            temperature = (coldest * hottest) ** 0.5
            lost = quantal_chances(values, temperature) * behind
            if lost.sum() < self.judged(unit)[rows].sum():
                coldest = temperature
            else:
                hottest = temperature
        return lost


def tabulate_leaks(
    record: Record,
    decisions: pd.DataFrame,
    discards: DiscardValues,
    graded: GradedCards,
    *,
    by_wins: bool,
) -> pd.DataFrame:
    """Add up what each player lost by group, the costliest first, as `LEAK_COLUMNS`.

    Decisions and cards have the columns of `with_groups`.
    """
    players, names = pd.factorize(decisions["player"])
    games = decisions.groupby(players)["game"].nunique().tolist()
    unit = "win_loss" if by_wins else "loss"
    discarded = _Decisions(
        "discard",
        decisions,
        "win_discard" if by_wins else "best_discard",
        _codes(decisions, DISCARD_GROUPS),
        players,
        _losses(decisions),
        {name: discard_losses(name, discards, record.dealer) for name in _LEVELS},
        lambda row: next(record.decisions(row))[0],
        discards.value if by_wins and discards.value is not None else discards.expected,
        _codes_of_discards(record, discards, judged_by_wins(decisions)),
    )
    places, options = _chosen_cards(graded)
    cards = graded.frame.iloc[places]
    played = _Decisions(
        "card",
        cards,
        "win_card" if by_wins else "best_card",
        _codes(cards, CARD_GROUPS),
        players[graded.rows[places]],
        _losses(cards),
        {name: _card_losses(name, options) for name in _LEVELS},
        lambda row: options[row].position,
        *_all_cards(options, judged_by_wins(cards), by_wins=by_wins),
    )
    leaks = [
        (row, decided, inside)
        for decided in (discarded, played)
        for row, inside in _rows(decided, names, games, unit)
    ]
    leaks.sort(key=lambda leak: -leak[0][unit])
    _place(leaks, unit, dict(zip(names, games, strict=True)))
    leaks.sort(key=lambda leak: leak[0]["place"] or _FIRST + 1)
    frame = pd.DataFrame([row for row, _, _ in leaks], columns=list(LEAK_COLUMNS))
    order = np.argsort(pd.Index(names).get_indexer(frame["player"]), kind="stable")
    return frame.iloc[order].reset_index(drop=True)


def with_groups(
    record: Record, decisions: pd.DataFrame, discards: DiscardValues, graded: GradedCards
) -> tuple[pd.DataFrame, GradedCards]:
    """Add the group of each kind to discards and cards, as `DISCARD_GROUPS` and `CARD_GROUPS`.

    They are categoricals; a card without a choice is in no group.
    """
    places, options = _chosen_cards(graded)
    cards = graded.frame.iloc[places]
    ranks = np.array([RANKS.index(card) for card in cards["card"]], dtype=np.intp)
    turns = Turns.of([choices.position for choices in options])
    by_wins = judged_by_wins(decisions)
    discarded = discard_groups(record.deals, record.dealer, record.keeps, discards, by_wins)
    played = card_groups(turns, ranks, judged_by_wins(cards))
    decisions = decisions.assign(
        **_named("discard", discarded, np.arange(len(by_wins)), len(by_wins))
    )
    frame = graded.frame.assign(**_named("card", played, places, len(graded.frame)))
    return decisions, graded._replace(frame=frame)


def _named(decision: str, codes: Codes, rows: Index, number: int) -> dict[str, pd.Categorical]:
    named = dict[str, pd.Categorical]()
    for kind in KINDS:
        if kind.decision == decision:
            every = np.full(number, -1)
            every[rows] = codes[kind.name]
            names = pd.Index([group.name for group in kind.groups], dtype="str")
            named[f"group_{kind.name}"] = pd.Categorical.from_codes(every, names)
    return named


def _codes(table: pd.DataFrame, names: Iterable[str]) -> Codes:
    """Return the groups of `with_groups` as numbers."""
    codes = {name: np.asarray(table[name].cat.codes, dtype=np.intp) for name in names}
    return {name.removeprefix("group_"): each for name, each in codes.items()}


def _chosen_cards(graded: GradedCards) -> tuple[Index, list[Options]]:
    """List the cards that were a choice: their places, and what could be played."""
    places = np.flatnonzero([valued is not None for valued in graded.valued])
    return places, [valued.options for valued in graded.valued if valued]


def _codes_of_discards(record: Record, values: DiscardValues, to_win: NDArray[np.bool_]) -> Codes:
    """Return the group of each discard that could be made, ``(N, 15)``."""
    shape = values.expected.shape
    every = [
        discard_groups(record.deals, record.dealer, np.full(shape[0], keep), values, to_win)
        for keep in range(shape[1])
    ]
    return {name: np.stack([codes[name] for codes in every], axis=1) for name in every[0]}


def _all_cards(
    options: Sequence[Options], to_win: NDArray[np.bool_], *, by_wins: bool
) -> tuple[Floats, Codes]:
    """Return what each card that could be played is worth, and its group, ``(M, K)`` each."""
    turns = Turns.of([of_turn.position for of_turn in options])
    most = max((len(of_turn.choices) for of_turn in options), default=1)
    values, cards = np.full((len(options), most), -np.inf), np.zeros((len(options), most), np.intp)
    for row, of_turn in enumerate(options):
        worth = of_turn.value if by_wins and of_turn.value is not None else of_turn.expected
        values[row, : len(worth)] = worth
        cards[row, : len(worth)] = [rank_of(card) for (card,) in of_turn.choices]
    every = [card_groups(turns, cards[:, place], to_win) for place in range(most)]
    return values, {name: np.stack([codes[name] for codes in every], axis=1) for name in every[0]}


def _card_losses(level: str, options: Sequence[Options]) -> Floats:
    """Return what a level loses on average at each choice of a card."""
    lost = [float(choice_chances(level, own.by_points) @ own.losses) for own in options]
    return np.array(lost, dtype=np.float64)


def _place(
    leaks: list[tuple[dict[str, Any], "_Decisions", Index]], unit: str, games: Mapping[str, int]
) -> None:
    """Choose what each player should mend first: groups with a rule, and a loss beyond chance.

    First is the group that loses most beyond what it would if the player erred alike everywhere. So
    neither hard decisions nor a group of nearly all decisions come first.
    """
    told = [leak for leak in leaks if leak[0]["rule"] and leak[0]["decisions"] >= _LEAST]
    compared = Counter(row["player"] for row, _, _ in told)
    covered = {
        id(decisions): np.zeros(len(decisions.table), dtype=bool) for _, decisions, _ in leaks
    }
    placed = Counter[str]()
    for row, decisions, inside in sorted(told, key=lambda leak: -leak[0]["beyond"]):
        player, lost = row["player"], decisions.judged(unit)[inside]
        seen = covered[id(decisions)][inside]
        if not row["beyond"] > 0 or lost[seen].sum() > _SEEN * lost.sum():
            continue
        apart = NormalDist().inv_cdf(1 - _BY_CHANCE / compared[player])
        row["certain_after"] = games[player] * (apart * row["beyond_se"] / row["beyond"]) ** 2
        if row["certain_after"] <= games[player] and placed[player] < _FIRST:
            placed[player] += 1
            row["place"] = placed[player]
            covered[id(decisions)][inside] = True


def _losses(table: pd.DataFrame) -> dict[str, Floats]:
    return {unit: table[unit].to_numpy(np.float64) for unit in ("loss", "win_loss")}


def _rows(
    decisions: _Decisions, names: pd.Index, games: list[int], unit: str
) -> Iterator[tuple[dict[str, Any], Index]]:
    """List the groups that have decisions, and the decisions of each."""
    judged, erred = decisions.judged(unit), (decisions.table["verdict"] != "best").to_numpy()
    owns = [np.flatnonzero(decisions.players == player) for player in range(len(names))]
    alike = [decisions.lost_alike(rows, unit) for rows in owns]
    for kind in KINDS:
        if kind.decision != decisions.decision:
            continue
        keys = decisions.players * len(kind.groups) + decisions.codes[kind.name]
        order = np.argsort(keys, kind="stable")
        starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
        for inside in np.split(order, starts[1:]) if len(order) else ():
            player, number_of_group = divmod(int(keys[inside[0]]), len(kind.groups))
            group, number = kind.groups[number_of_group], len(inside)
            row: dict[str, Any] = {
                "player": names[player], "decision": decisions.decision, "kind": kind.name,
                "group": group.name, "words": group.words, "place": 0, "decisions": number,
                "errors": int(erred[inside].sum()), "rule": group.told, "holds": group.holds,
            }  # fmt: skip
            own, expected = owns[player], alike[player]
            among = (expected * (decisions.codes_of_all[kind.name][own] == number_of_group)).sum(
                axis=1
            )
            share = among.sum() / max(expected.sum(), TIE_TOLERANCE)
            apart = (decisions.codes[kind.name][own] == number_of_group) * judged[own] - among
            apart -= share * (judged[own] - expected.sum(axis=1))
            row |= {"beyond": apart.sum(), "beyond_se": (apart**2).sum() ** 0.5}
            decided = inside[decisions.by_points[inside]]
            row["by_wins"] = number - len(decided)
            for name, rows in (("loss", decided), ("win_loss", inside)):
                lost = decisions.losses[name][rows]
                spread = lost.std(ddof=1) if len(rows) > 1 else np.nan
                row |= {name: lost.sum(), f"{name}_se": spread * len(rows) ** 0.5}
                row[f"{name}_a_game"] = lost.sum() / games[player]
            divisor = len(decided) or np.nan
            row |= {f"loss_mean{se}": row[f"loss{se}"] / divisor for se in ("", "_se")}
            row |= {
                f"{name}_loss_mean": lost[decided].sum() / divisor
                for name, lost in decisions.others.items()
            }
            worst = int(inside[judged[inside].argmax()])
            if judged[worst] > TIE_TOLERANCE:
                chosen, best = decisions.table[[decisions.decision, decisions.best]].iloc[worst]
                row |= {
                    "example": str(decisions.position(worst)),
                    "chosen": chosen,
                    "best_choice": best,
                }
                row["lost"] = judged[worst]
            yield row, inside


def mendable(leaks: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `Review.leaks` that lost something, have a rule, and decisions enough."""
    told = (leaks["rule"] != "") & (leaks["decisions"] >= _LEAST) & (leaks["loss"] > 0)
    return leaks[told]


def first_leaks(leaks: pd.DataFrame) -> dict[str, list[dict[Any, Any]]]:
    """List what each player of `Review.leaks` should mend first, in order, if anything."""
    first: dict[str, list[dict[Any, Any]]] = {}
    for leak in leaks[leaks["place"] > 0].sort_values("place", kind="stable").to_dict("records"):
        first.setdefault(leak["player"], []).append(leak)
    return first


def no_leak_text(leaks: pd.DataFrame, player: str) -> str:
    """Say why `Review.leaks` names nothing to mend first for a player who lost something.

    >>> no_leak_text(pd.DataFrame({"player": "Ann", "place": 0, "kind": ["role"], "decisions": 9,
    ...                            "loss": 0.7}), "Ann")
    'Nothing to mend stands out in 9 decisions.'
    """
    own = leaks[leaks["player"] == player]
    if own["place"].any() or not own["loss"].any():
        return ""
    number = int(own["decisions"][own["kind"] == "role"].sum())
    return f"Nothing to mend stands out in {pluralize(number, 'decision')}."


def next_leak_text(leaks: pd.DataFrame, player: str, games: int) -> str:
    """Say after how many more games the next leak of a player is certain; empty if none is near.

    >>> next_leak_text(pd.DataFrame({"player": "Ann", "beyond": [9.0, 4.0],
    ...                              "certain_after": [5.0, 24.1]}), "Ann", 20)
    '5 more games until the second leak is certain'
    """
    after = leaks[leaks["player"] == player].sort_values("beyond")["certain_after"]
    certain = int((after <= games).sum())
    later = after[(after > games) & (after <= games * _NEAR)]
    if certain >= len(_ORDINALS) or later.empty:
        return ""
    more = pluralize(ceil(float(later.iloc[-1]) - games), "more game")
    return f"{more} until the {_ORDINALS[certain]} leak is certain"


def leak_text(leak: Mapping[Any, Any], unit: str = WINS) -> str:
    """Say what a leak costs, and its rule of thumb with how often that holds.

    >>> leak_text({"words": "fives led", "decisions": 12, "errors": 5, "loss": 4.0, "loss_se": 1.25,
    ...            "loss_a_game": 0.4, "win_loss_a_game": float("nan"), "rule": "Lead none.",
    ...            "loss_mean": 0.33, "club_loss_mean": 0.1})
    'Fives led cost 0.40 points a game: 4.00 ± 1.25 in all, 5 of 12 not the best, 0.33 each where a
    club player loses 0.10. Lead none.'
    """
    wins = leak["win_loss_a_game"]
    cost = f"{format_points(leak['loss_a_game'])} points a game"
    if wins == wins:
        of = "of each game" if unit == WINS else unit
        cost = f"{format_worth(wins, 2, staked=unit != WINS)} {of}, {cost}"
    words = leak["words"]
    return (
        f"{words[0].upper()}{words[1:]} cost {cost}: {format_points(leak['loss'])} ± "
        f"{format_points(leak['loss_se'])} in all, {leak['errors']} of {leak['decisions']:,} not "
        f"the best, {format_points(leak['loss_mean'])} each where a club player loses "
        f"{format_points(leak['club_loss_mean'])}. {leak['rule']}"
    )


LEAKS_NOTE = (
    "A decision counts in several groups. Club, expert: what they would lose each. What to mend "
    "first loses beyond chance, corrected for how many groups are compared (Bonferroni)."
)


def leak_headings(leaks: pd.DataFrame, unit: str = WINS) -> list[str]:
    """Name what `leak_cells` says of a leak."""
    to_win = "to win" if unit == WINS else unit
    wins = [f"{to_win} a game"] if leaks["win_loss"].notna().any() else []
    return ["group", "number", "not best", "lost", "±", "each", *_LEVELS, "a game", *wins]


def leak_cells(leak: Mapping[Any, Any], unit: str = WINS) -> list[str]:
    """Write what a group of decisions lost."""
    levels = (f"{name}_loss_mean" for name in _LEVELS)
    points = "loss", "loss_se", "loss_mean", *levels, "loss_a_game"
    cells = [leak["words"], str(leak["decisions"]), str(leak["errors"])]
    cells += [format_points(leak[name], 2 + name.endswith("_mean")) for name in points]
    if (wins := leak["win_loss_a_game"]) == wins:
        cells.append(format_worth(wins, 2, staked=unit != WINS))
    return cells
