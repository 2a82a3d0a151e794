"""A played game: what was lost by discarding, and what was luck.

Everything rests on one identity, from the player's side, net of the crib, with one evaluator for
error and luck:

- V0, before the deal: what the role comes to on average;
- V1, after the deal: the best expected average of the six cards;
- V2, after the discard: the expected average of what was thrown;
- V3, after the starter: the same, given the starter;
- V4, after the show: what hand and crib really made.

V4 - V0 = (V1 - V0) - (V1 - V2) + (V3 - V2) + (V4 - V3): the result is the luck of the deal, less
what the discard lost, plus the luck of the starter, plus the swing of the crib. The swing is not
called luck, for it mixes chance with what the opponent chose. His heels are counted nowhere, and
neither is the play: points pegged are not part of any of it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.choice import best_of, net, order_of, ranks_of
from cribev.deal.explanation import difference
from cribev.errors import CribevError
from cribev.game import render
from cribev.game.cards import as_cards, format_cards
from cribev.game.indices import DISCARDS, KEEPS
from cribev.game.roles import ROLES, role_of
from cribev.game.scoring import score_hands
from cribev.opponents.models import Opponent, as_opponent
from cribev.reviews.records import UNKNOWN, Record, as_record, cards_text
from cribev.reviews.totals import ROUNDING, VERDICTS, totals_by
from cribev.reviews.worth import Worth, average_before, class_worth, exact_worth
from cribev.solved.lessons import POLICY_NAMES

CONTESTED = 0.5
"""Best and second within this many points make a decision contested."""

RESULTS = (
    *("best_discard", "expected", "best_expected", "ev_loss", "rank", "verdict", "margin"),
    *("deal_luck", "starter_luck", "crib_swing", "result"),
)
"""The columns a review adds to the record."""

_WITH_ARTICLE = {
    "close": "close",
    "inaccuracy": "an inaccuracy",
    "mistake": "a mistake",
    "blunder": "a blunder",
}
_SHOWN = 10  # of the discards that cost most


class Bands(NamedTuple):
    """From how many points of expected average lost a discard is called what.

    There is no standard in cribbage; these are modelled on the bands in which backgammon and chess
    programs sort errors, spread over what cribbage discards cost. Anything less than an inaccuracy
    is close, a tie with the best is best.
    """

    inaccuracy: float = 0.3
    mistake: float = 0.6
    blunder: float = 1.2


DEFAULT_BANDS = Bands()


@dataclass(frozen=True, eq=False, repr=False)
class Review(render.Look):
    """What a record's discards lost, and what was luck.

    Attributes
    ----------
    decisions
        A row for each discard in the order of the record: the record's columns, its cards in one
        form; then, in points, ``best_discard, expected, best_expected, ev_loss, rank`` (of 15),
        ``verdict, margin`` (of the best over the second best), ``deal_luck, starter_luck,
        crib_swing, result``. What the record does not allow to be known is missing.
    players
        A row for each player: ``decisions``; how many of each of `VERDICTS`; ``ev_loss`` (total),
        ``ev_loss_mean``, ``ev_loss_se`` (its standard error); ``contested`` (how many), and of them
        ``contested_best, contested_ev_loss, contested_ev_loss_mean``; ``shown``, the decisions
        whose result is known, and over these the totals ``shown_ev_loss, deal_luck, starter_luck,
        crib_swing, result``; ``luck_adjusted``, the result less deal luck and starter luck; and,
        against an expert, ``beaten``, how many of the policies of `lessons.policy_losses`
        lose more on average, ``next_better`` and ``next_worse``, those nearest.
    games
        The same for each game and player.
    opponent
        The name of who was taken to throw the other two cards.
    fast
        Whether values come from the class tables.
    bands
        What the verdicts mean.
    contested
        The greatest margin of a contested decision, in points.
    worth
        The value of all 15 discards of each decision.
    record
        The record as arrays.
    """

    decisions: pd.DataFrame
    players: pd.DataFrame
    games: pd.DataFrame
    opponent: str
    fast: bool
    bands: Bands
    contested: float
    worth: Worth
    record: Record

    def of_player(self, name: str) -> "Review":
        """Return the review of one player's discards alone.

        Raises
        ------
        RecordError
            If there is no such player.
        """
        rows = self.record.rows_of(name)
        return replace(
            self,
            decisions=self.decisions.iloc[rows].reset_index(drop=True),
            players=self.players[self.players["player"] == name].reset_index(drop=True),
            games=self.games[self.games["player"] == name].reset_index(drop=True),
            worth=self.worth.of(rows),
            record=self.record.of(rows),
        )

    def options(self, row: int) -> pd.DataFrame:
        """Return all 15 discards of a decision, best first.

        Parameters
        ----------
        row
            Which of the decisions, from 0.

        Returns
        -------
        15 rows: ``rank, discard, keep, hand_mean, crib_mean, expected, behind, thrown``.

        Examples
        --------
        >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
        ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["5H 5D"]})
        >>> review(frame).options(0)["discard"].iloc[0]
        '2H 8D'
        """
        deal = self.record.deals[row]
        hand, crib = self.worth.hand_mean[row], self.worth.crib_mean[row]
        expected = net(hand, crib, role_of(self.record.dealer[row]))
        ranks = ranks_of(expected)
        frame = pd.DataFrame(
            {
                "rank": ranks,
                "discard": [format_cards(deal[positions]) for positions in DISCARDS],
                "keep": [format_cards(deal[positions]) for positions in KEEPS],
                "hand_mean": hand,
                "crib_mean": crib,
                "expected": expected,
                "behind": expected.max() - expected,
                "thrown": np.arange(15) == self.record.keeps[row],
            }
        )
        return frame.iloc[order_of(ranks)].reset_index(drop=True)

    def reason(self, row: int) -> str:
        """Say in a line what the best discard of a decision has over the one thrown.

        Examples
        --------
        >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
        ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["5H 5D"]})
        >>> review(frame).reason(0)
        "10.61 more in hand, 4.53 less in the opponent's crib"
        """
        best = best_of(self.worth.expected(self.record.dealer)[row]).keep
        thrown = self.record.keeps[row]
        hand, crib = (
            float(values[row, best] - values[row, thrown])
            for values in (self.worth.hand_mean, self.worth.crib_mean)
        )
        return difference(hand, crib, role_of(self.record.dealer[row]))

    def costliest(self, most: int) -> list[int]:
        """Return the rows of the discards that lost most, those that lost nothing left out."""
        loss = self.decisions["ev_loss"].to_numpy()
        order = np.argsort(-loss, kind="stable")[:most]
        return [int(row) for row in order if loss[row] > 0]

    def standing(self, players: pd.Series) -> str:
        """Say where the mean loss of a row of `players` or `games` stands among the policies.

        Returns
        -------
        One line; empty if the opponent is not the expert.
        """
        if pd.isna(players["beaten"]):
            return ""
        error = players["ev_loss_se"]
        mean = f"{players['ev_loss_mean']:.3f}" + (f" ± {error:.3f}" if error == error else "")
        words = [
            f"{word} than throwing {POLICY_NAMES[players[near]]} ({players[near + '_loss']:.3f})"
            for word, near in (("worse", "next_better"), ("better", "next_worse"))
            if isinstance(players[near], str)
        ]
        return f"loses {mean} a deal, {', '.join(words)}"

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """Return players, games and decisions as plain values, ready for JSON.

        Of other columns of the record, what JSON has no word for comes as text.

        Examples
        --------
        >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
        ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["2H 8D"]})
        >>> review(frame).to_dict()["players"][0]["best"]
        1
        """
        return {
            name: _plain_rows(frame)
            for name, frame in (
                ("players", self.players),
                ("games", self.games),
                ("decisions", self.decisions),
            )
        }

    def __repr__(self) -> str:
        return (
            f"<Review: {len(self.decisions)} decisions, {len(self.players)} players, "
            f"{self.games['game'].nunique()} games, opponent={self.opponent!r}>"
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        how = "class tables" if self.fast else "exact"
        yield Text(
            f"{_many(self.games['game'].nunique(), 'game')}, "
            f"{_many(len(self.decisions), 'discard')}; "
            f"opponent: {render.name(self.opponent)}, {how}",
            style="dim",
        )
        yield Text()
        yield from self._summary(console)
        if rows := self.costliest(_SHOWN):
            yield Text()
            yield Text("Discards that cost most", style="bold")
            for row in rows:
                yield from self._costly(console, row)
        yield Text()
        yield Text(
            f"Points at the show, on average; the play is not counted. Contested: best and second "
            f"within {self.contested:g}."
            + " Starter luck is that of the hand; the crib's is in its swing."
            * self.fast,
            style="dim",
        )

    def _summary(self, console: Console) -> RenderResult:
        discards = render.table(
            console, ("player", "left"), *((name, "right") for name in ("discards", *VERDICTS)),
            ("lost", "right"), ("a deal", "right"),
        )  # fmt: skip
        ledger = render.table(
            console, ("player", "left"), ("deal luck", "right"), ("lost", "right"),
            ("starter luck", "right"), ("crib swing", "right"), ("result", "right"),
            ("luck-adjusted", "right"),
        )  # fmt: skip
        contested = render.table(
            console, ("player", "left"), ("contested", "right"), ("best", "right"),
            ("lost", "right"), ("a deal", "right"),
        )  # fmt: skip
        for made in (discards, contested, ledger):
            # A long name is folded, so that no figure is cut off.
            made.columns[0].no_wrap, made.columns[0].overflow = False, "fold"
        for player in self.players.to_dict(orient="records"):
            name = Text(render.name(player["player"]))  # not read as markup
            discards.add_row(
                name, str(player["decisions"]), *(str(player[verdict]) for verdict in VERDICTS),
                f"{player['ev_loss']:.2f}", f"{player['ev_loss_mean']:.3f}",
            )  # fmt: skip
            contested.add_row(
                name, str(player["contested"]), str(player["contested_best"]),
                f"{player['contested_ev_loss']:.2f}",
                _figure(player["contested_ev_loss_mean"], ".3f"),
            )  # fmt: skip
            ledger.add_row(
                name, _figure(player["deal_luck"], "+.2f"),
                _figure(-player["shown_ev_loss"], "+.2f"),
                *(_figure(player[column], "+.2f")
                  for column in ("starter_luck", "crib_swing", "result", "luck_adjusted")),
            )  # fmt: skip
        yield discards
        yield Text()
        yield contested
        yield Text()
        yield ledger
        for _, row in self.players.iterrows():
            if row["shown"] < row["decisions"]:
                yield Text(
                    f"{render.name(row['player'])}: luck and result are over {row['shown']} of "
                    f"{row['decisions']} discards; the result of the others is not known",
                    style="dim",
                )
        for _, row in self.players.iterrows():
            if standing := self.standing(row):
                yield Text.assemble((render.name(row["player"]), "bold"), f" {standing}")

    def _costly(self, console: Console, row: int) -> RenderResult:
        decision = self.decisions.iloc[row]
        yield Text.assemble(
            (f"{decision['ev_loss']:5.2f}", "bold"),
            f"  {render.name(decision['player'])}, game {render.name(decision['game'])}, "
            f"deal {decision['deal']}, {decision['role']}: ",
            render.cards(console, self.record.deals[row]),
        )
        yield Text.assemble(
            " " * 7,
            "threw ",
            render.cards(console, as_cards(decision["discard"])),
            f", {_WITH_ARTICLE[decision['verdict']]}",
        )
        yield Text.assemble(
            " " * 7,
            "best  ",
            render.cards(console, as_cards(decision["best_discard"])),
            f": {self.reason(row)}",
        )


def review(
    frame: pd.DataFrame,
    *,
    opponent: str | PathLike[str] | Opponent = "expert",
    fast: bool = False,
    bands: Sequence[float] = DEFAULT_BANDS,
    contested: float = CONTESTED,
    workers: int = 1,
) -> Review:
    """Grade every discard of a played game and balance its books.

    Parameters
    ----------
    frame
        A row for each discard, as `records.as_record` has it: ``game, deal, player, role,
        cards, discard`` and where known ``starter, opponent_discard``; others are kept.
    opponent
        Who is taken to throw the other two cards, as in `cribev.advise`. What a role comes to
        before the deal is not known for an object of your own: deal luck and result are missing.
    fast
        Use the class tables, for very many decisions: average cribs within some hundredths of a
        point, and starter luck that of the hand alone, its part in the crib left to the swing.
    bands
        From how many points lost a discard is an inaccuracy, a mistake, a blunder.
    contested
        Decisions whose best and second discard are this close, in points, are contested.
    workers
        Processes that share the exact work. With more than one, a script keeps its own doings under
        ``if __name__ == "__main__"``, as `multiprocessing` has it.

    Returns
    -------
    A `Review`.

    Raises
    ------
    RecordError
        If the record cannot be; it names game, deal, column and text.
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
    if len(bands) != len(Bands._fields) or not 0 < bands[0] <= bands[1] <= bands[2]:
        raise CribevError(f"three verdict bands ascend from above 0, not {tuple(bands)}")
    levels = Bands(*bands)
    record = as_record(frame)
    thrower = as_opponent(opponent)
    worth = class_worth(record, thrower) if fast else exact_worth(record, thrower, workers=workers)
    decisions = _decisions(record, worth, thrower, levels)
    return Review(
        decisions=decisions,
        players=totals_by(decisions, ["player"], contested, thrower),
        games=totals_by(decisions, ["game", "player"], contested, thrower),
        opponent=thrower.name,
        fast=fast,
        bands=levels,
        contested=contested,
        worth=worth,
        record=record,
    )


def _decisions(record: Record, worth: Worth, opponent: Opponent, bands: Bands) -> pd.DataFrame:
    expected = worth.expected(record.dealer)
    rows = np.arange(len(expected))
    thrown = np.take_along_axis(record.deals, DISCARDS[record.keeps], axis=1)
    kept = np.take_along_axis(record.deals, KEEPS[record.keeps], axis=1)
    best = best_of(expected)
    best_expected = expected[rows, best.keep]
    rank = ranks_of(expected)[rows, record.keeps]
    # What ties with the best comes to as much, before anything is rounded.
    own = np.where(rank == 1, best_expected, expected[rows, record.keeps])

    before = np.where(record.dealer, *(average_before(opponent, role) for role in ROLES))
    cut = record.starters != UNKNOWN
    hand = np.full(len(rows), np.nan)
    hand[cut] = score_hands(kept[cut], record.starters[cut])
    given_starter = net(hand, worth.crib_cut, record.dealer)
    full = cut & (record.theirs[:, 0] != UNKNOWN)
    crib = np.full(len(rows), np.nan)
    cribs = np.concatenate([thrown, record.theirs], axis=1)
    crib[full] = score_hands(cribs[full], record.starters[full], crib=True)
    made = net(hand, crib, record.dealer)

    loss = best_expected - own
    level = np.searchsorted(np.array(bands) - ROUNDING, loss, side="right")
    thrown_best = np.take_along_axis(record.deals, DISCARDS[best.keep], axis=1)
    results = {
        "best_discard": cards_text(thrown_best),
        "expected": own,
        "best_expected": best_expected,
        "ev_loss": loss,
        "rank": rank,
        "verdict": np.array(VERDICTS)[np.where(rank == 1, 0, level + 1)],
        "margin": best.margin,
        "deal_luck": best_expected - before,
        "starter_luck": given_starter - own,
        "crib_swing": made - given_starter,
        "result": made - before,
    }
    # A review reviewed again: what it found before gives way to what is found now.
    kept_columns = record.frame.drop(columns=list(results), errors="ignore")
    return pd.concat([kept_columns, pd.DataFrame(results, columns=RESULTS)], axis=1)


def _plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    plain = frame.astype(object).where(frame.notna(), None)
    return [
        {str(name): _plain(value) for name, value in row.items()}
        for row in plain.to_dict(orient="records")
    ]


def _plain(value: object) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    text = json.dumps(value, default=lambda one: getattr(one, "tolist", one.__str__)())
    return json.loads(text)


def _figure(value: float, form: str) -> str:
    return "" if np.isnan(value) else format(round(value, 4) + 0.0, form)  # and no -0.00


def _many(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' * (number != 1)}"
