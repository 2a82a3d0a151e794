"""What the solved game teaches, in tables: cribs and discards, what keeps peg, who wins.

Without a solution they are of the shipped one whose discards weigh the play; what needs the play is
refused with TableError if a solution is for the show alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.choice import at_least_text
from cribev.classes.canonical import DEALS, RANK_PAIRS, Floats
from cribev.errors import CribevError, TableError, quote
from cribev.game import render
from cribev.game.cards import RANKS, CardsLike, format_ranks, is_masked, rank_of
from cribev.game.deal import Position
from cribev.game.play import LaidLike, RanksLike, keep_ranks
from cribev.game.score import (
    MAX_SCORE_BEFORE,
    ROLES,
    SHOWN_SKUNKS,
    WINNING_SCORE,
    Role,
    Score,
    as_role,
    as_score,
    opposite_role,
)
from cribev.rows.pairs import PUBLISHED_CRIBS, published_cribs
from cribev.solution.solution import (
    POINT_BINS,
    Par,
    PeggingStatistics,
    Solution,
    SolvedPlay,
    WinTable,
    load,
    losses_against,
    shipped_strategy,
)
from cribev.solution.tree import GameSize

POLICY_NAMES = {
    "random": "any two cards",
    "hand": "for the best hand alone",
    "show": "as an expert for hand and crib alone",
    "uniform": "what is best against any two cards",
}
for _name in PUBLISHED_CRIBS:
    POLICY_NAMES[_name] = f"by {_name.capitalize()}'s published table of average cribs"

_FULL = 0.5  # points: differences of so much or more have the full colour


def thrown_pairs(role: Role, *, solution: Solution | None = None) -> pd.DataFrame:
    """Tabulate what an expert throws, and the average crib it makes.

    There are 169 rows, for each pair of ranks unsuited and suited: ``role, rank1, rank2, suited``;
    ``thrown``, the share of all deals that throw it; ``crib_mean``, the average crib in points over
    the deals that throw it (missing where none does); ``crib_mean_held``, the same over all deals
    that hold it, whatever they throw.
    """
    pairs = (solution or load(play=True)).pairs[role]
    frames = [
        _by_pair(
            role,
            suited=bool(suited),
            thrown=pairs.thrown[:, suited],
            crib_mean=pairs.crib_when_thrown[:, suited],
            crib_mean_held=pairs.crib_when_held[:, suited],
        )
        for suited in (0, 1)
    ]
    frames[1] = frames[1][RANK_PAIRS[:, 0] < RANK_PAIRS[:, 1]]
    return pd.concat(frames, ignore_index=True)


def _by_pair(role: Role, **columns: Any) -> pd.DataFrame:
    """Put a role and each pair of ranks before columns."""
    low, high = (np.array(list(RANKS), dtype=object)[ranks] for ranks in RANK_PAIRS.T)
    return pd.DataFrame({"role": role, "rank1": low, "rank2": high, **columns})


def compared_cribs(role: Role, name: str, *, solution: Solution | None = None) -> pd.DataFrame:
    """Compare the expert's average cribs with one of `PUBLISHED_CRIBS`.

    There are 91 rows, for each pair of ranks, suited and unsuited together: ``role, rank1, rank2,
    thrown, crib_mean, published`` and ``difference``, the expert's less the published, in points.
    """
    pairs = (solution or load(play=True)).pairs[role]
    thrown = pairs.thrown.sum(axis=1)
    total = np.nansum(pairs.thrown * pairs.crib_when_thrown, axis=1)
    crib = np.divide(total, thrown, out=np.full(len(thrown), np.nan), where=thrown > 0)
    published = published_cribs(name)[role][tuple(RANK_PAIRS.T)]
    columns = {"thrown": thrown, "crib_mean": crib, "published": published}
    return _by_pair(role, **columns, difference=crib - published)


def policy_losses(*, solution: Solution | None = None) -> pd.DataFrame:
    """Tabulate what ways to discard lose against an expert, over all 20,358,520 deals.

    There is a row for each policy and role: ``policy, role, loss`` (points per deal), ``deals``
    (the share of deals in which it throws something worse), least loss first.
    """
    rows = [
        {"policy": name, "role": role, "loss": loss.points, "deals": loss.deals / DEALS}
        for role in ROLES
        for name, loss in losses_against(solution or load(play=True), role).items()
    ]
    frame = pd.DataFrame(rows)
    order = frame.groupby("policy")["loss"].transform("sum")
    return frame.iloc[np.lexsort((frame["role"], order))].reset_index(drop=True)


Cell: TypeAlias = str | Text | float | tuple[str, float]
"""Text; a part of a bar, from 0 to 1; or text and its shade on a heat map, from 0 to 1."""


@dataclass(frozen=True, eq=False)
class Listing(render.Displayable):
    """A table to look at, and the rows it shows."""

    title: str
    columns: Sequence[str]  # their headings; text stands left under no heading too, figures right
    rows: Sequence[Sequence[Cell]]
    table: pd.DataFrame  # every number in full
    notes: Sequence[str] = ()
    colour_note: str = ""  # what is said of colours where there are any
    left: int = 1  # how many columns stand left
    narrow: Listing | None = None
    """What is shown instead where there are fewer than `_WIDE` columns of text."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.narrow is not None and options.max_width < _WIDE:
            yield from self.narrow.__rich_console__(console, options)
            return
        yield Text(self.title, style="bold")
        for note in (*self.notes, self.colour_note if console.color_system else ""):
            if note:
                yield Text(note, style="dim")
        listed = render.table(
            console,
            *(
                (name, "right" if name and at >= self.left else "left")
                for at, name in enumerate(self.columns)
            ),
        )

        def drawn(cell: Cell) -> str | Text:
            if isinstance(cell, tuple):
                return render.heat(console, *cell)
            return cell if isinstance(cell, str | Text) else render.bar(console, cell, width=30)

        for row in self.rows:
            listed.add_row(*map(drawn, row))
        if self.rows:
            yield listed


def pair_chart(
    title: str,
    cells: Floats,
    table: pd.DataFrame,
    *,
    signed: bool = False,
    notes: Sequence[str] = (),
) -> Listing:
    """Chart rank pairs, ``(13, 13)``, suited below the diagonal; ``signed`` ones around zero."""
    if signed:
        colour_note = f"colours are full at {_FULL} points"
        shades = np.clip(cells / (2 * _FULL) + 0.5, 0, 1)
    else:
        notes, colour_note = (*notes, "different suits above the diagonal, the same suit below"), ""
        shown = cells[np.isfinite(cells)]
        shades = np.searchsorted(np.sort(shown), cells) / max(len(shown) - 1, 1)
    rows: list[list[Cell]] = []
    for rank, values, row in zip(RANKS, cells.round(2) + 0.0, shades, strict=True):
        rows.append([Text(rank, style="bold")])  # no minus before nothing
        for value, shade in zip(values, row, strict=True):
            sign = "+" if signed and value else ""
            rows[-1].append((f"{value:{sign}.2f}", shade) if np.isfinite(value) else "")
    return Listing(title, ("", *RANKS), rows, table, notes, colour_note)


def crib_chart(role: Role, published: str | None, solution: Solution) -> Listing:
    """Chart the average crib of what an expert throws, or that less a published table's."""
    title = f"average crib by what the {role} throws, points"
    if published is None:
        table = thrown_pairs(role, solution=solution)
        return pair_chart(title, _cells(table, "crib_mean"), table, notes=_notes(solution))
    table = compared_cribs(role, published, solution=solution)
    cells = _cells(table.assign(suited=False), "difference")
    title += f": the expert's less {published.capitalize()}'s"
    return pair_chart(title, cells, table, signed=True, notes=_notes(solution))


def frequency_chart(role: Role, solution: Solution) -> Listing:
    """Chart how often an expert throws each pair, in percent of deals."""
    table = thrown_pairs(role, solution=solution).drop(columns=["crib_mean", "crib_mean_held"])
    title = f"how often the {role} throws each pair, percent"
    return pair_chart(title, 100 * _cells(table, "thrown"), table, notes=_notes(solution))


def _notes(solution: Solution) -> Sequence[str]:
    return ["both throw as experts who weigh hand, crib and play"] * (solution.play is not None)


def policy_listing(solution: Solution) -> Listing:
    """List `policy_losses`."""
    frame = policy_losses(solution=solution)
    counted = "" if solution.play is None else ", hand, crib and play"
    rows = []
    for name, losses in frame.groupby("policy", sort=False):
        rows.append([POLICY_NAMES[str(name)]])
        for _, loss, deals in losses[["role", "loss", "deals"]].itertuples(index=False):
            rows[-1] += [f"{loss:.4f}", f"{deals:.0%}"]
    title = f"points lost per deal against an expert{counted}, over all 20,358,520 deals"
    return Listing(title, ("throw", "as dealer", "deals", "as pone", "deals"), rows, frame)


def _cells(frame: pd.DataFrame, column: str) -> Floats:
    cells = np.full((13, 13), np.nan)
    low, high = (frame[rank].map(RANKS.index).to_numpy() for rank in ("rank1", "rank2"))
    suited = frame["suited"].to_numpy()
    cells[np.where(suited, high, low), np.where(suited, low, high)] = frame[column].to_numpy()
    return cells


_FEW_POINTS = 5  # points that are tabulated how likely somebody pegs so many
_ROWS_SHOWN = 8  # keeps at each end of the list
_MIN_SHARE = 1e-4  # of all deals: keeps seen less often are not shown there


def play_of(solution: Solution | None = None) -> SolvedPlay:
    """Return the play of a solution."""
    play = (solution or load(play=True)).play
    if play is None:
        raise TableError("the solution is for the show alone: the play is not in it")
    return play


@cache
def keep_names() -> tuple[str, ...]:
    """Name the 1,820 multisets of ranks that can be kept, in their order."""
    return tuple("".join(RANKS[rank] for rank in row) for row in GameSize().holdings(4).tolist())


def play_by_keep(role: Role, *, solution: Solution | None = None) -> pd.DataFrame:
    """Tabulate what each keep of a role pegs between experts, 1,820 rows with its ``share``."""
    keeps = play_of(solution).statistics[role]
    return pd.DataFrame(
        {
            "keep": list(keep_names()),
            "role": role,
            "share": keeps.share,
            "play_own": keeps.own,
            "play_opponent": keeps.opponent,
            "play_mean": keeps.own - keeps.opponent,
            "play_sd": _deviation(keeps.joint_pmf),
        }
    )


def first_cards(*, answer: bool = False) -> pd.DataFrame:
    """Tabulate how pone leads from each keep, or with ``answer`` what the dealer answers.

    A row for each card that can be laid, averages over all deals with the keep: ``keep, lead``, of
    answers also ``answer``; ``share``, how often an expert lays it; ``play_mean``, the player's net
    points in the whole play if all that follows is best. Leads a keep never meets are left out.
    """
    return _laid_first(play_of().statistics["dealer" if answer else "pone"], slice(None))


def _laid_first(keeps: PeggingStatistics, rows: slice) -> pd.DataFrame:
    """Tabulate the first cards of some keeps: a lead, or a lead and its answer."""
    worth, share = keeps.first_card_value[rows], keeps.first_card[rows]
    held = np.nonzero(np.isfinite(worth))
    names, ranks = np.array(keep_names()[rows]), np.array(list(RANKS))
    columns: dict[str, Any] = {"keep": names[held[0]]}
    for name, laid in zip(("lead", "answer"), held[1:], strict=False):
        columns[name] = ranks[laid]
    return pd.DataFrame(columns | {"share": share[held], "play_mean": worth[held]})


@dataclass(frozen=True, eq=False, repr=False)
class PlayValues(render.Displayable):
    """What one keep pegs between two experts, whatever was thrown with it.

    Attributes
    ----------
    keep
        Its ranks, ``5TJQ``.
    role
        Who keeps it.
    share
        How often it is kept, of all deals.
    play_own, play_opponent
        Points each pegs on average.
    play_sd
        Standard deviation of the first less the second.
    chances
        How often the player pegs so many points (rows) and the opponent so many (columns).
    first
        Pone's leads or dealer's answers, as `first_cards`.
    """

    keep: str
    role: Role
    share: float
    play_own: float
    play_opponent: float
    play_sd: float
    chances: pd.DataFrame
    first: pd.DataFrame

    @property
    def play_mean(self) -> float:
        """The player's points less the opponent's, on average."""
        return self.play_own - self.play_opponent

    @property
    def at_least(self) -> pd.DataFrame:
        """How likely the player (``own``) and the ``opponent`` peg so many ``points`` or more.

        There is a row from one point up to the most that one of them pegs.
        """
        both = self.chances.to_numpy()
        own, other = (both.sum(axis=at)[::-1].cumsum()[::-1] for at in (1, 0))
        points = np.arange(1, 1 + np.flatnonzero((own > 0) | (other > 0))[-1])
        return pd.DataFrame({"points": points, "own": own[points], "opponent": other[points]})

    def __repr__(self) -> str:
        return f"play_values({self.keep!r}, role={self.role!r})"

    def to_dict(self) -> dict[str, Any]:
        """Return the values as plain numbers, ready for JSON."""
        return {
            "keep": self.keep,
            "role": self.role,
            "share": self.share,
            "play_own": self.play_own,
            "play_opponent": self.play_opponent,
            "play_mean": self.play_mean,
            "play_sd": self.play_sd,
            "chances": [
                {"own": own, "opponent": opponent, "chance": chance}
                for own, row in enumerate(self.chances.to_numpy().tolist())
                for opponent, chance in enumerate(row)
                if chance
            ],
            "at_least": self.at_least.to_dict(orient="records"),
            "first": self.first.to_dict(orient="records"),
        }

    @property
    def _at_least_notes(self) -> list[str]:
        """Say how likely each pegs a few points or more."""
        pmfs = (self.chances.to_numpy().sum(axis=at) for at in (1, 0))
        players = _named(self.role), "the opponent"
        return [
            f"{who} pegs at least {at_least_text(pmf.tolist())}"
            for who, pmf in zip(players, pmfs, strict=True)
        ]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        title = (
            f"{self.keep} as {self.role}: pegs {self.play_own:.2f}, the opponent "
            f"{self.play_opponent:.2f}: {self.play_mean:+.2f} on average, standard deviation "
            f"{self.play_sd:.2f}"
        )
        cards = [name for name in ("lead", "answer") if name in self.first]
        rows = [
            [*(getattr(row, name) for name in cards), f"{row.share:.0%}", f"{row.play_mean:+.2f}"]
            for row in self.first.itertuples(index=False)
        ]
        notes = [f"kept in {self.share:.2%} of all deals", *self._at_least_notes]
        columns = (*cards, "share", "play_mean")
        listing = Listing(title, columns, rows, self.first, notes, left=len(cards))
        yield from listing.__rich_console__(console, options)


def play_values(keep: RanksLike, *, role: str, solution: Solution | None = None) -> PlayValues:
    """Return what four kept cards peg between two experts.

    Parameters
    ----------
    keep
        Four cards, as text or ranks 0..12; suits do not matter.
    role
        ``"dealer"`` or ``"pone"``.
    solution
        The solved game; the shipped one if none is given.

    Raises
    ------
    CardError
        If they are not four cards.
    CribevError
        If the role is neither.
    TableError
        If the solution is for the show alone.

    Examples
    --------
    >>> values = play_values("A 2 3 4", role="dealer")
    >>> values, 3.5 < values.play_own < 4.5
    (play_values('A234', role='dealer'), True)
    """
    whose, name = as_role(role), "".join(RANKS[rank] for rank in keep_ranks(keep))
    at = keep_names().index(name)
    keeps = play_of(solution).statistics[whose]
    return PlayValues(
        keep=name,
        role=whose,
        share=float(keeps.share[at]),
        play_own=float(keeps.own[at]),
        play_opponent=float(keeps.opponent[at]),
        play_sd=float(_deviation(keeps.joint_pmf[at : at + 1])[0]),
        chances=pd.DataFrame(keeps.joint_pmf[at]).rename_axis(index="own", columns="opponent"),
        first=_laid_first(keeps, slice(at, at + 1)),
    )


def keep_listing(keep: RanksLike, *, pegs_first: Mapping[Role, float]) -> Listing:
    """List what a keep pegs, by the roles for which it is known how often it pegs first."""
    known = {role: play_values(keep, role=role) for role in pegs_first}
    name = next(iter(known.values())).keep
    every = pd.concat([play_by_keep(role) for role in known], ignore_index=True)
    table = every[every["keep"] == name].reset_index(drop=True)
    listed = table.itertuples(index=False)
    rows = [[str(row.role), *_pegged(row), f"{row.play_sd:.2f}"] for row in listed]
    notes = []
    for at, (role, values) in enumerate(known.items()):
        notes += [*values._at_least_notes, f"{_named(role)} pegs first {pegs_first[role]:.0%}"]
        table.loc[at, "pegs_first"] = pegs_first[role]
        for points, own, opponent in values.at_least.head(_FEW_POINTS).itertuples(index=False):
            table.loc[at, [f"own_{points}", f"opponent_{points}"]] = own, opponent
    columns = ("role", "kept", "own", "opponent", "net", "sd")
    return Listing(f"points pegged with {name}", columns, rows, table, notes)


def keeps_listing(role: Role) -> Listing:
    """List the keeps of a role that peg most and least, of those that are kept now and then."""
    table = play_by_keep(role)
    share = table["share"]
    means = (table[["play_own", "play_opponent"]].mul(share, axis=0)).sum()
    common = table[share > _MIN_SHARE].sort_values("play_mean", ascending=False)
    listed = [[str(row.keep), *_pegged(row)] for row in common.itertuples(index=False)]
    own, opponent = (means[f"play_{who}"] for who in ("own", "opponent"))
    title = f"points pegged as {role}: own {own:.2f}, opponent's {opponent:.2f} on average"
    columns = ("keep", "kept", "own", "opponent", "net")
    rows = [*listed[:_ROWS_SHOWN], ["…"], *listed[-_ROWS_SHOWN:]]
    return Listing(title, columns, rows, table)


def _pegged(row: Any) -> list[str]:
    """Write what a row of `play_by_keep` has of a keep."""
    return [
        f"{row.share:.2%}", f"{row.play_own:.2f}", f"{row.play_opponent:.2f}",
        f"{row.play_mean:+.2f}",
    ]  # fmt: skip


def lead_listing() -> Listing:
    """List how often each rank is led."""
    keeps = play_of().statistics["pone"]
    led = keeps.share @ keeps.first_card
    holds = keeps.share @ np.isfinite(keeps.first_card_value)
    rows = [
        [rank, f"{often:.1%}", f"{often / held:.0%}", often / led.max()]
        for rank, often, held in zip(RANKS, led, holds, strict=True)
    ]
    title = "how often pone leads each rank, on average over all deals"
    return Listing(title, ("lead", "of all deals", "if held", ""), rows, first_cards())


def answer_listing() -> Listing:
    """List what is answered to each lead."""
    keeps = play_of().statistics["dealer"]
    share = keeps.share[:, None, None]
    laid, holds = keeps.first_card, np.isfinite(keeps.first_card_value)
    with np.errstate(invalid="ignore", divide="ignore"):
        often: Floats = (share * laid).sum(axis=0) / (share * holds).sum(axis=0)
    rows = [
        [rank, *("" if np.isnan(cell) else f"{100 * cell:.0f}" for cell in cells)]
        for rank, cells in zip(RANKS, often, strict=True)
    ]
    title = "how often the dealer answers with each rank, in % of all deals that hold it"
    return Listing(title, ("lead", *RANKS), rows, first_cards(answer=True))


def _deviation(chances: Floats) -> Floats:
    net = np.arange(POINT_BINS)[:, None] - np.arange(POINT_BINS)
    chances = chances.reshape(len(chances), -1)
    mean, square = chances @ net.ravel(), chances @ (net**2).ravel()
    return np.asarray(np.sqrt(np.maximum(square - mean**2, 0)))


def strategy_listing(keep: CardsLike, *, role: str, laid: LaidLike = ()) -> Listing:
    """List how often an expert plays each card; CardError or RecordError where none can be laid."""
    position = Position.read(keep, role=role, laid=laid)
    position.require_card()
    strategy, ranks = shipped_strategy(), position.legal_ranks
    node = strategy.node(position.play.history)
    frequencies = strategy.choices(node, position.left_ranks)[ranks]
    table = pd.DataFrame({"card": [RANKS[rank] for rank in ranks], "share": frequencies})
    played = position.play.ranks_text
    kept = format_ranks(map(rank_of, position.held.kept))
    does = f"after {played} an expert plays" if played else "an expert leads"
    rows: list[list[Cell]] = [
        [RANKS[rank], f"{frequency:.1%}", float(frequency)]
        for rank, frequency in zip(ranks, frequencies, strict=True)
    ]
    return Listing(f"{kept} as {position.role}: {does}", ("card", "share", ""), rows, table)


_STEPS = (5, 10)  # points between the scores of a chart, on a wide terminal and on another
_WIDE = 104


def win_table_of(solution: Solution | None = None) -> WinTable:
    """Return the win table of a solution."""
    table = (solution or load(play=True)).win_table
    if table is None:
        raise TableError("the solution is for the show alone: the race to 121 is not in it")
    return table


@overload
def win_probability(*, dealer: int, pone: int, solution: Solution | None = None) -> float: ...
@overload
def win_probability(
    *, dealer: ArrayLike, pone: ArrayLike, solution: Solution | None = None
) -> Floats: ...
def win_probability(
    *, dealer: ArrayLike, pone: ArrayLike, solution: Solution | None = None
) -> float | Floats:
    """Return how likely the dealer wins a game to 121 from a score before the deal.

    Both discard and play as experts: for points, and for the last points of a game to win; pone
    wins otherwise. It is estimated from ten million deals, with a standard error of less than
    0.0006. Where `WinTable.to_win` says so, it is from discards and play solved for the score too,
    or for scores beside it, and may be 0.01 off.

    Parameters
    ----------
    dealer, pone
        Scores 0..120, whole numbers or arrays of them of any shapes that broadcast: ``(n,)`` and
        ``(n,)``, or ``(n, 1)`` and ``(m,)`` for a table ``(n, m)``. Masked arrays are refused.
    solution
        The solved game; the shipped one if none is given.

    Returns
    -------
    A probability, or float64 of the broadcast shape.

    Raises
    ------
    CribevError
        If a score is not a whole number from 0 to 120 or is masked, or shapes do not broadcast.
    TableError
        If the solution is for the show alone.

    Examples
    --------
    >>> round(win_probability(dealer=0, pone=0), 2)
    0.56
    >>> win_probability(dealer=[100, 115], pone=[100, 115]).round(1)
    array([0.8, 0.3])
    >>> win_probability(dealer=[[100], [115]], pone=[90, 100, 110]).shape
    (2, 3)
    >>> win_probability(dealer=121, pone=60)
    Traceback (most recent call last):
    cribev.errors.CribevError: dealer's score 121 is not a whole number from 0 to 120
    """
    scores = _scores("dealer", dealer), _scores("pone", pone)
    try:
        rows, columns = np.broadcast_arrays(*scores)
    except ValueError as error:
        raise CribevError(
            f"scores of shapes {scores[0].shape} and {scores[1].shape} do not broadcast"
        ) from error
    win: Floats = win_table_of(solution).win[rows, columns]
    return win if win.ndim else float(win)


def _scores(whose: str, given: ArrayLike) -> NDArray[np.intp]:
    shown = quote(given if isinstance(given, str) else repr(given))
    expected = f"is not a whole number from 0 to {MAX_SCORE_BEFORE}"
    if is_masked(given):
        raise CribevError(f"{whose}'s scores have masked values: leave those out")
    try:
        scores = np.asarray(given)
    except ValueError as error:
        raise CribevError(f"{whose}'s score {shown} {expected}") from error
    if scores.size and scores.dtype.kind not in "ui":
        raise CribevError(f"{whose}'s score {shown} {expected}")
    wrong = (scores < 0) | (scores > MAX_SCORE_BEFORE)
    if wrong.any():
        raise CribevError(f"{whose}'s score {scores[wrong].flat[0]} {expected}")
    return scores.astype(np.intp)


_SKUNK_COLUMNS = ("skunk_dealer", "double_skunk_dealer", "skunked_dealer", "double_skunked_dealer")


def win_probability_table(*, solution: Solution | None = None) -> pd.DataFrame:
    """Tabulate how likely the dealer wins, how far off that may be, and what is solved to win."""
    dealer, pone = np.indices((WINNING_SCORE, WINNING_SCORE))
    table = win_table_of(solution)
    return pd.DataFrame(
        {
            "dealer_score": dealer.ravel(),
            "pone_score": pone.ravel(),
            "win_dealer": table.win.ravel(),
            **dict(zip(_SKUNK_COLUMNS, table.skunks.reshape(4, -1), strict=True)),
            "error": table.standard_error.ravel(),
            "to_win": table.to_win.ravel(),
        }
    )


def win_chance(score: str, role: Role | None = None) -> Listing:
    """Look one score up for a role, whose points come first, or else the dealer's, or by a star."""
    whose: Role = role or ("pone" if score.strip().endswith("*") else "dealer")
    other = opposite_role(whose)
    try:
        as_score(score)
    except CribevError:
        first = role or "dealer"
        raise CribevError(
            f"{quote(score)} is not a score: expected {_named(first)}'s points and "
            f"{_named(opposite_role(first))}'s, each from 0 to {MAX_SCORE_BEFORE}, as 95-110"
        ) from None
    pone, dealer = points = Score.read(score, whose)
    own, opponents = at = points.seen_by(whose)
    wins = win_table_of()
    ends, par, winner = wins.outcomes_as(whose), wins.par(points, whose), _named(whose)
    table = win_probability_table().iloc[[dealer * WINNING_SCORE + pone]]
    known = {name: pd.array([value], dtype="Int64") for name, value in par.to_dict().items()}
    table = table.assign(role=whose, **known)
    error, to_win = (table.iloc[0][name] for name in ("error", "to_win"))
    both_to_win = f"if both play to win; about {error:.1%} off"
    sure = both_to_win if to_win else f"standard error {error:.3%}"
    title = f"{whose} {own}, {other} {opponents} before the deal: "
    title += f"{winner} wins {ends.win[at]:.1%}, {sure}"
    sides = ("skunks", ends.skunk[at]), ("is skunked", ends.skunked[at])
    told_of = [f"{does} {often:.1%}" for does, often in sides if often > SHOWN_SKUNKS]
    skunks = f"Of all games {winner} {' and '.join(told_of)}." if told_of else ""
    told = role is not None or "*" in score
    note = "the dealer's points stand first: with --role pone, pone's" * (not told)
    return Listing(title, (), (), table, [par.text, skunks, note])


COLVERT_HOLES = {26: 18, 52: 44, 78: 70, 104: 96}
"""From which points the dealer is still first to 121 by averages, by pone's points before the deal
where both have made 26 in two deals: 18 and four times 26 are 122. DeLynn Colvert, tips 11 to 16
(http://www.cribbage.org/tips/colvert11.asp)."""


def par(score: tuple[int, int] | str, *, role: str, solution: Solution | None = None) -> Par:
    """Say at which score of yours a game would be even, and how far you are ahead of that.

    Parameters
    ----------
    score
        Your points before the deal and the opponent's, each 0..120, such as ``(83, 64)`` or
        ``"83-64"``.
    role
        ``"dealer"`` or ``"pone"``: what you are in the next deal.
    solution
        The solved game; the shipped one if none is given.

    Returns
    -------
    A `Par`: ``even``, the points with which your chance to win is nearest to one half; ``ahead``,
    how many more you have; ``win``, your chance; ``text``, which says it. ``even`` and ``ahead``
    are None where no score is even: you win more at 0, or less at 120.

    Raises
    ------
    CribevError
        If the score is no score, or the role no role.
    TableError
        If the solution is for the show alone.

    Examples
    --------
    >>> par("83-64", role="dealer").text
    'You are 21 points ahead of par: even would be 62 as dealer.'
    >>> par((100, 108), role="pone").ahead
    -10
    """
    player = as_role(role)
    return win_table_of(solution).par(Score.read(score, player), player)


def par_listing(role: Role) -> Listing:
    """List which score is even as a role, for each of the opponent's, beside `COLVERT_HOLES`."""
    wins = win_table_of()
    pars = [wins.par(Score.of(0, other, role), role) for other in range(WINNING_SCORE)]
    even, chances = [one.even for one in pars], wins.wins_as(role)
    holes = COLVERT_HOLES if role == "dealer" else {}
    table = pd.DataFrame(
        {
            "role": role,
            "opponent_score": range(WINNING_SCORE),
            "even": pd.array(even, dtype="Int64"),
            "win": [
                np.nan if own is None else chances[own, other] for other, own in enumerate(even)
            ],
            "colvert": pd.array(list(map(holes.get, range(WINNING_SCORE))), dtype="Int64"),
        }
    )
    rows: list[list[Cell]] = [
        [Text(f"{tens:3}", style="bold"), *("-" if own is None else str(own) for own in some)]
        for tens, some in ((at, even[at : at + 10]) for at in range(0, WINNING_SCORE, 10))
    ]
    notes = [f"rows and columns are {_named(opposite_role(role))}'s score: tens and ones"]
    if None in even:
        notes.append("- where no score is even")
    if holes:
        ours = ", ".join(str(even[other]) for other in holes)
        others, theirs = (", ".join(map(str, some)) for some in (holes, holes.values()))
        notes.append(f"Colvert's holes, with pone at {others}: {theirs}; even here: {ours}")
    title = f"which score is even before the deal as {role}"
    return Listing(title, ("", *map(str, range(10))), rows, table, notes)


def _named(role: Role) -> str:
    return "the dealer" if role == "dealer" else "pone"


def win_chart(role: Role = "dealer", *, solution: Solution | None = None) -> Listing:
    """Chart how likely the player of a role wins, in percent, at some of the scores."""
    wins, narrow = win_table_of(solution), None
    table = win_probability_table(solution=solution)
    error = 100 * float(np.where(wins.to_win, 0, wins.standard_error).max())
    note = (
        f"rows {_named(role)}'s score, columns {_named(opposite_role(role))}'s; "
        f"{wins.deals:,} deals, standard error at most {error:.2f}"
    )
    win = wins.wins_as(role)
    for step in reversed(_STEPS):
        scores = range(0, WINNING_SCORE, step)
        rows: list[list[Cell]] = []
        for own in scores:
            chances = win[own, ::step].tolist()
            rows.append([Text(f"{own:3}", style="bold")])
            rows[-1].extend((f"{100 * chance:3.0f}", chance) for chance in chances)
        title = f"how likely {_named(role)} wins from a score before the deal, percent"
        narrow = Listing(title, ("", *map(str, scores)), rows, table, [note], narrow=narrow)
    assert narrow is not None
    return narrow
