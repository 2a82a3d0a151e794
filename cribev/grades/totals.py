"""Totals of decisions: sums, accuracy and error rates.

A mean loss is shown beside what two simple players would have lost at the same choices. *greedy*
keeps the four cards with the highest average hand, any of equal ones, and plays the card that takes
the most points now. *random* discards any two cards, and plays any card that fits. Accuracy sums it
all up in one number.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.advice.verdicts import VERDICTS
from cribev.classes.canonical import Floats
from cribev.classes.ranking import TIE_TOLERANCE, DiscardValues
from cribev.game.words import join_words, pluralize
from cribev.grades.grading import (
    BASELINE_PLAY,
    COMPONENTS,
    DECISION_KINDS,
    GIVEN_UP,
    PLAY_SWING,
    WIN_CHANGE,
    WIN_COMPONENTS,
    GradedCards,
    judged_by_wins,
)
from cribev.records.record import HINTS
from cribev.rows.names import CUT_COLUMNS, PLAY_COLUMNS, VALUE_COLUMNS

Totals: TypeAlias = pd.Series | Mapping[Any, Any]  # a row of totals

CUT_LUCK, CUT_SD = CUT_COLUMNS


def totals_by(decisions: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Add up decisions by player, or game and player, as in `Review.players`; NaN if not known.

    Losses in points are of decisions that points decide. Where wins decide, points given up are not
    a loss, and have their own columns.
    """
    by_wins = judged_by_wins(decisions)
    given_up = dict[str, pd.Series]()
    for name, step in zip(("loss", PLAY_COLUMNS[1]), GIVEN_UP, strict=True):
        if name in decisions:
            given_up[step.name] = decisions[name].where(by_wins | decisions[name].isna(), 0.0)
    judged = {
        name: decisions[name].mask(by_wins & decisions[name].notna(), 0.0)
        for name in ("loss", *PLAY_COLUMNS[1:])
        if name in decisions
    }
    decisions = decisions.assign(**judged)
    gains = [step.name for step in COMPONENTS if step.kind != "lost" and step.name in decisions]
    gains += [name for name in PLAY_COLUMNS if name in decisions]
    wins = [step.name for step in WIN_COMPONENTS if step.name in decisions]
    of = "value" if VALUE_COLUMNS[0] in decisions else "win"
    change = decisions[f"{of}_after"] - decisions[f"{of}_before"]
    decisions = decisions.assign(**{WIN_CHANGE: change})
    wins.append(WIN_CHANGE)
    columns = [*gains, "result", *wins]
    luck = decisions[[step.name for step in COMPONENTS if step.kind == "luck"]].sum(axis=1)
    in_points = sum(lost.fillna(0.0) for lost in given_up.values())
    counts = {
        "decisions": pd.Series(True, index=decisions.index),
        "by_wins": pd.Series(by_wins, index=decisions.index),
        **{verdict: decisions["verdict"] == verdict for verdict in VERDICTS},
        **{f"{name}_deals": decisions[name].notna() for name in (*columns, CUT_LUCK)},
    }
    sums = {
        "loss": decisions["loss"],
        **{name: decisions[name] for name in columns},
        **given_up,
        CUT_LUCK: decisions[CUT_LUCK],
        CUT_SD: decisions[CUT_SD] ** 2,
        "luck_adjusted": decisions["result"] - luck + in_points,
    }
    keys = [decisions[name] for name in by]
    counted = pd.DataFrame(counts).groupby(keys, sort=False).sum()
    summed = pd.DataFrame(sums).groupby(keys, sort=False).sum(min_count=1)
    totals = pd.concat([counted, summed], axis=1)
    totals[CUT_SD] = totals[CUT_SD] ** 0.5  # of deals that do not depend on each other
    means = []
    for name, over in (("loss", ~by_wins), ("win_loss", by_wins)):
        grouped = decisions[name].where(over).groupby(keys, sort=False)
        totals[f"{name}_mean"], totals[f"{name}_mean_se"] = grouped.mean(), grouped.sem()
        means += [f"{name}_mean", f"{name}_mean_se"]
    order = [
        *("decisions", *VERDICTS, "by_wins", "loss", *means),
        *(f"{name}{end}" for name in columns for end in ("", "_deals")),
        *given_up,
        "luck_adjusted",
        *(CUT_LUCK, f"{CUT_LUCK}_deals", CUT_SD),
    ]
    return totals.reset_index()[[*by, *order]]


def missing_text(totals: Totals, bare: int = 0) -> str:
    """Say which totals do not cover all decisions, and what the record lacks; empty if nothing.

    In `bare` of the player's deals, suits are not known.
    """
    number, missing = totals["decisions"], list[str]()
    short = [step for step in COMPONENTS if step.needs and totals[f"{step.name}_deals"] < number]
    if short:
        known = [(step.words, totals[f"{step.name}_deals"]) for step in short]
        known.append(("result", totals["result_deals"]))
        lacks = join_words([step.needs for step in short] + (["suits"] if bare > 0 else []), "or")
        if any(deals for _, deals in known):
            (first, of), *more = known
            texts = [f"{first} is known for {of} of {pluralize(number, 'discard')}"]
            texts += [f"{words} for {deals}" for words, deals in more]
            missing.append(f"{', '.join(texts)}; the others lack {lacks}")
        else:
            words = join_words([words for words, _ in known], "and")
            missing.append(f"not known: {words}; the record lacks {lacks}")
    played = totals.get(f"{PLAY_SWING.name}_deals", number)
    if played < number and totals["result_deals"]:
        missing.append(
            f"{PLAY_SWING.words} is known for {played} of {pluralize(number, 'discard')}; "
            "elsewhere the result counts average play"
            if played
            else "the play is not recorded: the result counts average play"
        )
    if bare:
        missing.append(f"any suits in {pluralize(bare, 'deal')}: discards are averages over these")
    return "; ".join(missing)


RATE_KINDS = ("discard", *DECISION_KINDS, "deal")
"""The kinds of decisions that losses are averaged over, and whole deals."""

RATE_WORDS = {"later": "later card", "deal": "deal in all"}
"""The words that people read, if these are not the name of the kind."""

NEAR_END_WORDS = ", wins decide"
"""The words after it, if that decides the verdict."""

POINTS_HALVING = 1.0  # points lost a deal that halve the accuracy

WINS_HALVING = 0.02
"""Chances to win lost a deal that also halve it. By the win table, a point is worth 0.0195 of a
game, averaged over the scores of 4,000 games."""

ACCURACY_FORMULA = (
    f"100 * 0.5^loss, where a loss of 1 is {POINTS_HALVING:g} point a deal, or near the end of a "
    f"game {WINS_HALVING:.0%} of it"
)
"""The definition of accuracy."""

_UNITS = ("loss", "win_loss")
_LOSSES = [f"{who}{unit}" for unit in _UNITS for who in ("", *(f"{one}_" for one in BASELINE_PLAY))]


def accuracy(
    decisions: pd.DataFrame, graded: GradedCards, by: list[str], swing: float = 1.0
) -> pd.Series:
    """Turn what discards and cards lost a deal into a number from 0 to 100, by the same keys.

    Each loss counts in the unit of its verdict, points or chances to win. Choices after a hint are
    left out. NaN if no cards are graded, or nothing is left.

    The formula is 100 · 2^(−loss), with a loss of 1 for `POINTS_HALVING` or `WINS_HALVING`, times
    `swing`, the difference between a win and a loss. Like the accuracy of lichess
    (https://lichess.org/page/accuracy), it falls exponentially, and never below 0. The scale
    separates all kinds of players: experts have about 95, a greedy player about 50, and a player
    who discards and plays any cards 2.
    """
    hints = _hints(decisions)
    discarded = np.array(["discard" not in asked for asked in hints])
    unhinted = [
        str(number) not in hints[row]
        for row, number in zip(graded.rows, graded.frame["number"], strict=True)
    ]
    played = (graded.frame["choices"] > 1).to_numpy() & np.array(unhinted, dtype=bool)
    halving = WINS_HALVING * swing
    lost = np.where(discarded, _judged_loss(decisions, halving), 0.0)
    np.add.at(lost, graded.rows[played], _judged_loss(graded.frame, halving)[played])
    left = discarded | (np.bincount(graded.rows[played], minlength=len(lost)) > 0)
    known = left & (np.bincount(graded.rows, minlength=len(lost)) > 0)
    keys = [decisions[name] for name in by]
    loss = pd.Series(np.where(known, lost, np.nan), decisions.index).groupby(keys, sort=False)
    return 100 * 0.5 ** loss.mean()


def hint_notes(decisions: pd.DataFrame) -> dict[str, str]:
    """Say, for each player who asked for hints, that these choices are left out of accuracy."""
    asked = pd.Series([*map(len, _hints(decisions))], decisions.index)
    counts = asked.groupby(decisions["player"], sort=False).sum()
    return {
        str(player): f"without what came after {pluralize(number, 'hint')}"
        for player, number in counts.items()
        if number
    }


def _hints(decisions: pd.DataFrame) -> list[set[str]]:
    """List where each row's player asked for hints: ``discard``, and the numbers of cards."""
    if HINTS not in decisions:
        return [set() for _ in range(len(decisions))]
    return [set(str(asked).split()) for asked in decisions[HINTS]]


def _judged_loss(decisions: pd.DataFrame, wins_halving: float) -> Floats:
    """Return what decisions lost, in the unit of each, scaled so that 1 a deal halves accuracy."""
    points, wins = (decisions[name].to_numpy(np.float64) for name in ("loss", "win_loss"))
    return np.where(judged_by_wins(decisions), wins / wins_halving, points / POINTS_HALVING)


def tabulate_error_rates(
    decisions: pd.DataFrame, discards: DiscardValues, graded: GradedCards
) -> pd.DataFrame:
    """Average what was lost, by player, by kind of decision, and by what decides the verdict.

    Columns: ``player``; ``decision``, one of `RATE_KINDS`; ``judged_by``, ``points`` or ``win``;
    ``decisions``, how many, or of how many deals the cards are graded; where points decide
    ``loss_mean``, its standard error ``loss_mean_se``, ``greedy_loss_mean, random_loss_mean``;
    where wins decide ``win_loss_mean, win_loss_mean_se, greedy_win_loss_mean,
    random_win_loss_mean``, in chances to win. The other unit is NaN. Kinds that do not occur have
    no row.
    """
    choices = _choices(decisions, discards, graded)
    players = pd.factorize(decisions["player"].iloc[choices["row"].to_numpy()])[0]
    kinds = pd.Categorical(choices["decision"], RATE_KINDS)
    judges = pd.Categorical(choices["judged_by"], ("points", "win"))
    grouped = choices.groupby([players, kinds, judges], observed=True)
    means, errors = grouped[_LOSSES].mean(), grouped[list(_UNITS)].sem()
    rates = pd.DataFrame({"decisions": grouped.size()})
    for name in _LOSSES:
        rates[f"{name}_mean"] = means[name]
        if name in _UNITS:
            rates[f"{name}_mean_se"] = errors[name]
    first = grouped["row"].first().to_numpy()
    table = rates.reset_index(level=[1, 2], names=["", "decision", "judged_by"])
    table = table.reset_index(drop=True).astype({"decision": str, "judged_by": str})
    return pd.concat([decisions[["player"]].iloc[first].reset_index(drop=True), table], axis=1)


def _choices(decisions: pd.DataFrame, discards: DiscardValues, graded: GradedCards) -> pd.DataFrame:
    """List discards, choices of a card and deals: the ``row`` of the record and what was lost."""
    discarded = pd.DataFrame({"row": np.arange(len(decisions)), "decision": RATE_KINDS[0]})
    discarded["judged_by"] = _judge(decisions)
    greedy = discards.hand >= discards.hand.max(axis=1, keepdims=True) - TIE_TOLERANCE
    for unit, values in zip(_UNITS, (discards.expected, discards.value), strict=True):
        if values is None:
            continue
        best = values.max(axis=1)
        discarded[unit] = decisions[unit].to_numpy()
        discarded[f"greedy_{unit}"] = best - values.mean(axis=1, where=greedy)
        discarded[f"random_{unit}"] = best - values.mean(axis=1)
    played = graded.frame.assign(row=graded.rows, judged_by=_judge(graded.frame))
    played = played[played["choices"] > 1]
    both = pd.concat([_typed(discarded), _typed(played)], ignore_index=True)
    both.loc[both["judged_by"] == "win", _LOSSES[: len(_LOSSES) // 2]] = np.nan
    both.loc[both["judged_by"] == "points", _LOSSES[len(_LOSSES) // 2 :]] = np.nan
    by_card = both[both["row"].isin(graded.rows)].groupby("row")
    # A deal is judged by one unit: that of the score before it.
    deals = by_card[_LOSSES].sum(min_count=1)
    deals = deals.assign(judged_by=by_card["judged_by"].first(), decision=RATE_KINDS[-1])
    return pd.concat([both, _typed(deals.reset_index())], ignore_index=True)


def _judge(table: pd.DataFrame) -> NDArray[np.str_]:
    return np.where(judged_by_wins(table), "win", "points")


def _typed(choices: pd.DataFrame) -> pd.DataFrame:
    """Give choices all columns, and types that do not depend on whether there are any."""
    columns = ["row", "decision", "judged_by", *_LOSSES]
    types = {"row": np.int64, "decision": object, "judged_by": object}
    types |= dict.fromkeys(_LOSSES, np.float64)
    return choices.reindex(columns=columns).astype(types)
