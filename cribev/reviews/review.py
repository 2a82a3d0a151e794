"""A played game reviewed: discards and cards graded, every result split into losses and luck."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from cribev.advice.outcomes import ValuesGivenStarter
from cribev.batch.evaluators import DealBatch, exact_batch_values, plan_evaluation
from cribev.choice import (
    CARD_BANDS,
    DEFAULT_BANDS,
    WIN_BANDS,
    DiscardValues,
    VerdictBands,
    best_by_points,
    best_first,
    competition_ranks,
    difference_text,
    format_chance,
    format_points,
)
from cribev.errors import CribevError, quote
from cribev.game.cards import format_cards
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import role_of
from cribev.game.score import UNKNOWN
from cribev.opponents.discarders import Opponent, as_opponent
from cribev.reviews.cards import GradedCards, grade_cards
from cribev.reviews.formats import read_record
from cribev.reviews.record import Record, as_record
from cribev.reviews.terminal import TerminalReview
from cribev.reviews.totals import (
    CostlyChoice,
    Totals,
    compare_with_baselines,
    comparison_text,
    grade_decisions,
    missing_text,
    require_free_columns,
    tabulate_error_rates,
    totals_by,
    with_accuracy,
)

_BY = ["player"], ["game", "player"]  # whose totals there are

CONTESTED_MARGIN = 0.5
"""Best and second within this many points make a decision contested."""


@dataclass(frozen=True, eq=False, repr=False)
class Review(TerminalReview):
    """What a record's discards and cards lost, and what was luck, in points.

    Attributes
    ----------
    decisions
        A row for each discard: the record's columns, cards in one notation; ``best_discard``;
        ``expected`` and ``best_expected``, what the discard and the best are worth; ``ev_loss``;
        ``rank`` of 15; ``verdict``; ``margin`` of the best over the second; ``deal_luck,
        starter_luck, crib_swing, play_swing, result``. What the record does not tell is missing,
        but the result takes a play that is not recorded at its average. Where cards are graded,
        ``play_luck`` and ``play_lost``, which part the play swing, and ``opponent_play_lost``.

        If the record has scores, and the review counts the play, in chances to win:
        ``judged_by`` (the verdict goes by ``win`` where a player needs
        `cribev.choice.NEAR_END` points or fewer, else by ``points``); ``win_before`` and
        ``win_after`` the deal; ``win`` with the discard, ``best_win`` with the best,
        ``win_discard``; ``win_loss, win_deal_luck``, and ``win_luck`` after the discard, without
        what the cards lost: ``win_play_lost``, where they are graded.
    players
        A row for each player: ``decisions``; the number of each verdict; ``ev_loss``,
        ``ev_loss_mean`` and its standard error ``ev_loss_se``; ``contested`` decisions, and of
        them ``contested_best, contested_ev_loss, contested_ev_loss_mean``; the totals ``deal_luck,
        starter_luck, crib_swing, play_swing, result``, each over ``deal_luck_deals`` and so on,
        the deals where it is known; ``luck_adjusted``, the result less the luck; with chances to
        win ``win_loss, win_deal_luck, win_luck, win_change`` in the same way; ``accuracy`` from 0
        to 100, where cards are graded, by `cribev.reviews.totals.accuracy`; against an expert,
        ``beaten``, how many of the policies of `cribev.solution.tables.policy_losses` lose
        more, and the nearest, ``next_better`` and ``next_worse``, as far as two standard errors
        tell them apart.
    games
        The same for each game and player.
    cards
        A row for each card laid by a player whose six cards are recorded, as they fell: ``game,
        deal, player, role``; its ``number`` in the play, 1 to 8; ``laid`` and the ``count`` before
        it; the ``card`` and the ``points`` it pegs; ``decision``, lead, answer or later;
        ``choices``, how many ranks fit. Where there are more than one: the ``best`` card;
        ``expected`` and ``best_expected``, what card and best are worth from there, as
        `cribev.advise_play` has it; ``loss``; ``share``, how often an expert lays it;
        ``greedy_loss`` and ``random_loss``, what these players would have lost; ``verdict``. With
        chances to win ``judged_by, win_best, win, best_win, win_loss, greedy_win_loss,
        random_win_loss``. Empty if no play is recorded, or cards are not graded.
    error_rates
        What was lost per choice, a row for each player and ``decision``: ``discard``, ``lead``,
        ``answer``, ``later`` (cards) and ``deal``, all in one. ``number`` of choices, or of deals
        whose cards are graded; ``loss``, the mean in points, its standard error ``loss_se``;
        ``greedy_loss`` and ``random_loss``, what these players would have lost at the same choices;
        ``win_loss, win_loss_se, greedy_win_loss, random_win_loss``, NaN unless known for all.
    opponent
        The opponent's name.
    play
        Whether the play counts; else there is no ``play_swing``.
    fast
        Whether values come from the class tables.
    bands, card_bands, win_bands
        The least losses of the verdicts: of discards and of cards in points, of both in chances to
        win.
    contested
        The greatest margin of a contested decision, in points.
    discards
        What all 15 discards of each decision are worth.
    record
        The record as arrays.
    graded
        The cards, and what could be laid in their place.
    """

    decisions: pd.DataFrame
    players: pd.DataFrame
    games: pd.DataFrame
    error_rates: pd.DataFrame
    opponent: str
    play: bool
    fast: bool
    bands: VerdictBands
    card_bands: VerdictBands
    win_bands: VerdictBands
    contested: float
    discards: DiscardValues
    record: Record
    graded: GradedCards

    def of_player(self, name: str) -> "Review":
        """Return the review of one player's discards; `RecordError` if there is no such player."""
        rows = self.record.rows_of(name)
        return replace(
            self,
            decisions=self.decisions.iloc[rows].reset_index(drop=True),
            players=self.players[self.players["player"] == name].reset_index(drop=True),
            games=self.games[self.games["player"] == name].reset_index(drop=True),
            error_rates=self.error_rates[self.error_rates["player"] == name].reset_index(drop=True),
            discards=self.discards.take(rows),
            record=self.record.take(rows),
            graded=self.graded.take(rows.tolist()),
        )

    def options(self, row: int) -> pd.DataFrame:
        """Return all 15 discards of the decision in a row, the best first.

        Columns: ``rank, discard, keep, hand_mean, crib_mean, play_mean, win, expected, behind,
        thrown``, without ``play_mean`` or ``win`` where these do not count.

        >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
        ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["5H 5D"]})
        >>> review(frame).options(0)["discard"].iloc[0]
        '2H 8D'
        """
        deal = self.record.deals[row]
        own = self.discards.take(row)
        expected = own.expected
        ranks = competition_ranks(expected)
        frame = pd.DataFrame(
            {
                "rank": ranks,
                "discard": [format_cards(deal[positions]) for positions in DISCARDS],
                "keep": [format_cards(deal[positions]) for positions in KEEPS],
                **own.columns(),
                "behind": expected.max() - expected,
                "thrown": np.arange(15) == self.record.keeps[row],
            }
        )
        return frame.iloc[best_first(ranks)].reset_index(drop=True)

    def reason(self, row: int) -> str:
        """Say what the best discard of a decision has over the one thrown.

        >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
        ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["5H 5D"]})
        >>> review(frame, play=False).reason(0)
        "10.61 more in hand, 4.53 less in the opponent's crib"
        """
        by_win = self.counts_wins
        values = self.discards.win if by_win else self.discards.expected
        assert values is not None
        best = best_by_points(values[row]).keep
        thrown = self.record.keeps[row]
        gains = {
            name: float(values[row, best] - values[row, thrown])
            for name, values in self.discards.averages().items()
        }
        text = difference_text(
            gains["hand_mean"],
            gains["crib_mean"],
            role_of(self.record.dealer[row]),
            gains.get("play_mean"),
        )
        if not by_win:
            return text
        with_best, with_thrown = (
            format_chance(float(values[row, keep])) for keep in (best, thrown)
        )
        return f"{with_best} to win against {with_thrown}; {text}"

    def card_reason(self, at: int) -> str:
        """Name the best card in place of one that was laid, and say what both are worth.

        >>> frame = pd.DataFrame({"deal": [1], "role": ["pone"], "cards": ["4H 5C JD JS 9C KD"],
        ...                       "discard": ["9C KD"], "play": ["J 5 J 4 4 9 5 9"]})
        >>> found = review(frame)
        >>> found.cards["card"].tolist(), found.card_reason(1)
        (['J', 'J', '4', '5'], '5: -0.58 from here against -1.40; an expert lays it 100%')
        """
        card, values = self.cards.iloc[at], self.graded.valued[at]
        if values is None:
            return "no other card fits"
        name = card["win_best" if self.counts_wins else "best"]
        best, own = (values.options.option(one) for one in (name, card["card"]))
        points = [format_points(one.expected, sign=True) for one in (best, own)]
        text = f"{points[0]} from here against {points[1]}"
        if self.counts_wins and best.win is not None:
            won = [format_chance(one.win) for one in (best, own)]
            text = f"{won[0]} to win against {won[1]}; {text}"
        return f"{name}: {text}; an expert lays it {best.share:.0%}"

    @property
    def counts_wins(self) -> bool:
        """Whether chances to win are known for every discard and every card that was a choice.

        Then what cost most is measured by them, else all of it by points.
        """
        if self.discards.win is None or self.decisions["win_loss"].isna().any():
            return False
        choices = self.cards["choices"] > 1
        return not choices.any() or bool(
            "win_loss" in self.cards and self.cards.loc[choices, "win_loss"].notna().all()
        )

    def costliest(self, most: int) -> list[CostlyChoice]:
        """Return the discards and cards that lost most, without those that lost nothing.

        All are measured in one unit: chances to win if `counts_wins`, else points.

        >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
        ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["5H 5D"]})
        >>> [(one.row, one.card, round(one.lost, 2)) for one in review(frame).costliest(5)]
        [(0, None, 15.53)]
        """
        thrown, laid = ("win_loss",) * 2 if self.counts_wins else ("ev_loss", "loss")
        lost = self.decisions[thrown].tolist()
        every = [CostlyChoice(row, None, loss) for row, loss in enumerate(lost)]
        if laid in self.cards:
            cards = zip(self.graded.rows.tolist(), self.cards[laid].tolist(), strict=True)
            every += [CostlyChoice(row, at, loss) for at, (row, loss) in enumerate(cards)]
        costly = [one for one in every if one.lost > 0]
        return sorted(costly, key=lambda one: -one.lost)[:most]

    def comparison(self, totals: Totals) -> str:
        """Compare the mean loss in a row of `players` or `games` with well-known policies.

        One line; empty if the opponent is not the expert, or there is no standard error.
        """
        return comparison_text(totals)

    def missing(self, totals: Totals) -> str:
        """Say which totals in a row of `players` or `games` are not over all decisions, and why.

        One line; empty if everything is known.
        """
        return missing_text(totals)

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """Return players, games, error rates, decisions and cards as plain values, ready for JSON.

        Values of the record's other columns that JSON does not have become text.

        >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
        ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["2H 8D"]})
        >>> review(frame).to_dict()["players"][0]["best"]
        1
        """
        tables = {
            "players": self.players,
            "games": self.games,
            "error_rates": self.error_rates,
            "decisions": self.decisions,
            "cards": self.cards,
        }
        return {
            name: [
                {str(column): _plain(value) for column, value in row.items()}
                for row in frame.astype(object).to_dict(orient="records")
            ]
            for name, frame in tables.items()
        }

    def __repr__(self) -> str:
        return (
            f"<Review: {len(self.decisions)} decisions, {len(self.players)} players, "
            f"{self.games['game'].nunique()} games, opponent={self.opponent!r}>"
        )


def review(
    record: pd.DataFrame | Record | str | PathLike[str],
    *,
    opponent: str | PathLike[str] | Opponent = "expert",
    play: bool = True,
    fast: bool = False,
    cards: bool = True,
    bands: Sequence[float] = DEFAULT_BANDS,
    card_bands: Sequence[float] = CARD_BANDS,
    win_bands: Sequence[float] = WIN_BANDS,
    contested: float = CONTESTED_MARGIN,
    workers: int = 1,
) -> Review:
    """Grade discards and cards of a played game, and split each result into losses and luck.

    Parameters
    ----------
    record
        A row for each discard, or a file of them as `cribev.read_record` reads it: ``game``,
        ``deal`` (a whole number from 1 up), ``player``, ``role`` (dealer or pone), ``cards`` (six),
        ``discard`` (two of them); and where known ``starter``, ``opponent_discard``, ``pegged`` and
        ``opponent_pegged`` (points in the play) or ``play`` (as `cribev.peg` reads it), ``score``
        (before the deal, the player's points first: ``109-108*``, a star at the dealer's), and
        ``score_after``. The two rows of a deal complete each other; scores follow from deal to
        deal. Cards are text as `cribev.parse_cards` reads it, or lists of such texts. Names of
        columns may be in capitals, with blanks. Other columns are kept.
    opponent
        Who discards the other two cards, as in `cribev.advise`. For an object of your own without
        ``cribs``, deal luck and result are missing.
    play
        Count the play; else the show alone.
    fast
        Use the class tables, for very many decisions: average cribs within some hundredths of a
        point, and starter luck that of the hand alone, its part in the crib left to the swing.
        Chances to win are within about 0.001 where both need 32 points or more, and are worked out
        one by one nearer to the end. Cards are not graded then.
    cards
        Grade every card of the plays that are recorded, if the play counts: as against one who
        keeps and plays as an expert, whoever `opponent` is.
    bands
        The least loss in points of an inaccuracy, a mistake and a blunder, of a discard.
    card_bands
        The same of a card.
    win_bands
        The same of both in chances to win, where the score is known and a player needs
        `cribev.choice.NEAR_END` points or fewer.
    contested
        Decisions whose best and second discard are this close, in points, are contested.
    workers
        Processes that share the exact work. With more than one, a script keeps its own code under
        ``if __name__ == "__main__"``, as `multiprocessing` requires.

    Returns
    -------
    A `Review`.

    Raises
    ------
    RecordError
        If the record cannot be read or cannot be (it names game, deal, column and text), or has
        columns with the names of results. All those of a former review are replaced.
    TableError
        If the opponent cannot be read.
    CribevError
        If the class tables do not know the opponent, or the bands do not ascend.

    Examples
    --------
    >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["dealer"],
    ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["5H 5D"],
    ...                       "starter": ["4C"], "opponent_discard": ["9S KD"]})
    >>> decision = review(frame).decisions.iloc[0]
    >>> decision["best_discard"], decision["verdict"], int(decision["rank"])
    ('2H 8D', 'blunder', 15)
    """
    levels, card_levels, win_levels = map(_as_bands, (bands, card_bands, win_bands))
    if isinstance(record, Record):
        checked = record
    else:
        checked = as_record(record if isinstance(record, pd.DataFrame) else read_record(record))
    require_free_columns(checked)
    thrower = as_opponent(opponent, play=play)
    values, graded = value_discards(checked, thrower, fast=fast, workers=workers), None
    plays = int((checked.frame["play"] != "").sum())
    if plays and cards and not fast and thrower.counts_play:
        with tqdm(total=plays, desc="cards", unit=" hands", disable=None) as bar:
            graded = grade_cards(
                checked,
                bands=card_levels,
                win_bands=win_levels,
                wins=values.discards.win is not None,
                workers=workers,
                report=bar.update,
            )
    return review_from_values(
        checked,
        values,
        thrower,
        graded=graded,
        fast=fast,
        bands=levels,
        card_bands=card_levels,
        win_bands=win_levels,
        contested=contested,
    )


def value_discards(
    record: Record, opponent: Opponent, *, fast: bool = False, workers: int = 1
) -> ValuesGivenStarter:
    """Value every discard of a record, with a bar of progress: exactly, or as tables are."""
    scored = opponent.counts_play and (record.scores != UNKNOWN).any()
    deals = DealBatch.of(record.deals, record.dealer, record.scores if scored else None)
    with tqdm(total=len(record.deals), desc="reviewing", unit=" discards", disable=None) as bar:
        if fast:
            values = plan_evaluation(deals, opponent, workers=workers).values(bar.update)
            known = (record.starters != UNKNOWN)[:, None]
            return ValuesGivenStarter(values, np.where(known, values.crib, np.nan))
        return exact_batch_values(
            deals, opponent, starters=record.starters, workers=workers, report=bar.update
        )


def review_from_values(
    record: Record,
    found: ValuesGivenStarter,
    opponent: Opponent,
    *,
    graded: GradedCards | None = None,
    fast: bool = False,
    bands: VerdictBands = DEFAULT_BANDS,
    card_bands: VerdictBands = CARD_BANDS,
    win_bands: VerdictBands = WIN_BANDS,
    contested: float = CONTESTED_MARGIN,
) -> Review:
    """Grade discards whose 15 values are known; the options are those of `review`.

    Without `graded`, no card is graded.
    """
    decisions = grade_decisions(record, found, opponent, bands, win_bands=win_bands, graded=graded)
    laid = GradedCards.none() if graded is None else graded
    players, games = (totals_by(decisions, by, contested) for by in _BY)
    rates, game_rates = (tabulate_error_rates(decisions, found.discards, laid, by) for by in _BY)
    players, games = (
        compare_with_baselines(with_accuracy(totals, of, by), decisions, by, opponent)
        for totals, of, by in zip((players, games), (rates, game_rates), _BY, strict=True)
    )
    return Review(
        decisions=decisions,
        players=players,
        games=games,
        error_rates=rates,
        opponent=opponent.name,
        play=opponent.counts_play,
        fast=fast,
        bands=bands,
        card_bands=card_bands,
        win_bands=win_bands,
        contested=contested,
        discards=found.discards,
        record=record,
        graded=laid,
    )


def _as_bands(bands: Sequence[float]) -> VerdictBands:
    try:
        levels = VerdictBands(*map(float, bands))
    except (TypeError, ValueError):
        levels = None
    if levels is None or not 0 < levels.inaccuracy <= levels.mistake <= levels.blunder:
        shown = quote(repr(bands), most=200)
        raise CribevError(f"three verdict bands ascend from above 0, not {shown}")
    return levels


def _plain(value: object) -> Any:
    """Turn a value into one that JSON has."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(own) for key, own in value.items()}
    if isinstance(value, Sequence | set | frozenset):
        return [_plain(one) for one in value]
    return str(value)
