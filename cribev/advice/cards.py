"""A position in the play: which card to lay, and what the opponent may hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.advice.belief import Belief, believe
from cribev.advice.card_reasons import OpponentRange, PlayReasons, range_before
from cribev.advice.endings import keeps_of
from cribev.advice.evaluation import PlayTree
from cribev.advice.play_wins import GameWon, game_won, shown_by_keep
from cribev.advice.position import KnownCards, LaidLike, PlayPosition, read_position
from cribev.advice.replies import replies_to
from cribev.choice import format_chance, mark_notes, ranking, tie_marks, wins_text
from cribev.errors import RecordError, TableError
from cribev.game import render
from cribev.game.cards import JACK, RANKS, CardsLike, format_cards, format_ranks
from cribev.game.roles import Role, opposite_role
from cribev.game.score import HEELS, WINNING_SCORE, as_score, needs_by_role
from cribev.opponents.models import Goal
from cribev.opponents.play_strategies import PlayStrategyLike, as_play_strategy
from cribev.opponents.to_win import ExpertToWin
from cribev.solution.keeps import GameSize
from cribev.solution.play import KeepFrequencies
from cribev.solution.public_tree import PlayStrategy
from cribev.solution.score_strategy import ScoreStrategy
from cribev.solution.solution import load, shipped_keep_frequencies, shipped_strategy

_DIGITS = 12  # beyond them stands what rounding leaves


class PlayChoice(NamedTuple):
    """What one card is worth: points are pegged from here to the end of the play, on average."""

    rank: int
    """1 for the best; equal cards share a rank."""
    card: str
    """The rank of the card, as text."""
    expected: float
    """The player's points less the opponent's."""
    own: float
    opponent: float
    behind: float
    """Points less than the best."""
    share: float
    """How often an expert lays it, who has the same cards left and knows no more than the play;
    one who plays to win, if the opponent does."""
    win: float | None = None
    """The chance to win the game, if a score was given."""

    def to_dict(self) -> dict[str, Any]:
        """Return the values that are known by name, ready for JSON."""
        return {name: value for name, value in self._asdict().items() if value is not None}


@dataclass(frozen=True, eq=False, repr=False)
class PlayAdvice(render.Displayable):
    """What each card is worth that a player can lay now.

    Attributes
    ----------
    position
        What the player knows.
    strategy
        How the opponent plays; `opponent` is the name.
    frequencies
        What the opponent keeps.
    belief
        How likely the opponent has which cards left; `range` lists it.
    columns
        The numbers of `table`, arrays in its order.
    table
        A row for each rank that can be laid, best first, columns as in `PlayChoice`. Points are
        those pegged from here to the end of the play, if both go on: the player as well as can be,
        the opponent by the strategy. With a score, the best is what wins most.
    score
        Points of the player and the opponent before the deal, if they were given.
    plays_for
        What the opponent plays for at the score: ``"points"``, or ``"wins"``. Points are against
        one who plays for points in any case.
    choices, best
        The rows of the table, and the first of them.
    """

    position: PlayPosition
    strategy: PlayStrategy
    frequencies: KeepFrequencies
    belief: Belief
    columns: Mapping[str, NDArray[Any]]
    score: tuple[int, int] | None = None
    plays_for: Goal = "points"

    @property
    def role(self) -> Role:
        """The player's role."""
        return self.position.role

    @property
    def opponent(self) -> str:
        """The name of who plays against the player."""
        return self.strategy.name

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each rank that can be laid, best first."""
        return pd.DataFrame(dict(self.columns))

    @cached_property
    def choices(self) -> list[PlayChoice]:
        """The rows of the table."""
        columns = {name: column.tolist() for name, column in self.columns.items()}
        rows = zip(*columns.values(), strict=True)
        return [PlayChoice(**dict(zip(columns, row, strict=True))) for row in rows]

    @property
    def best(self) -> PlayChoice:
        """The first row of the table."""
        return self.choices[0]

    @cached_property
    def range(self) -> OpponentRange:
        """What the opponent may hold.

        >>> held = advise_play("4H 5C JD JS", role="pone", laid="J 5").range
        >>> held.holdings.columns.tolist(), held.ranks.columns.tolist()
        (['cards', 'chance'], ['card', 'chance', 'expected'])
        """
        return OpponentRange.of(self.belief)

    def to_dict(self) -> dict[str, Any]:
        """Return the advice as plain values, ready for JSON.

        >>> [card["card"] for card in advise_play("9 9 9 J", role="pone").to_dict()["cards"]]
        ['9', 'J']
        """
        scored = {} if self.score is None else {
            "score": list(self.score), "opponent_plays_for": self.plays_for
        }  # fmt: skip
        return {
            **self.position.to_dict(),
            "opponent": self.opponent,
            **scored,
            "cards": [choice.to_dict() for choice in self.choices],
        }

    def __repr__(self) -> str:
        position = self.position
        hand, discard = format_ranks(position.hand), format_ranks(position.discard)
        starter = "" if position.starter is None else RANKS[position.starter]
        if position.cards is not None:
            hand, discard, starter = map(format_cards, position.cards)
        known = f"advise_play({hand!r}, role={self.role!r}"
        if position.steps:
            laid = ("go" if rank is None else RANKS[rank] for rank in position.history)
            known += f", laid={' '.join(laid)!r}"
        known += f", discard={discard!r}" if discard else ""
        known += f", starter={starter!r}" if starter else ""
        score = "" if self.score is None else f", score={self.score}"
        return f"{known}, opponent={self.opponent!r}{score})"

    def explain(self) -> PlayReasons:
        """Say what the opponent may hold, and what can follow each card.

        >>> why = advise_play("4H 5C JD JS", role="pone", laid="J 5").explain()
        >>> why.last, len(why.replies)
        ('5', 3)
        """
        end = None
        if self.score is not None:
            end = end_of_game(self.position, self.belief, self.score, self.frequencies)
        known = (self.position.history, self.role, self.position.left, self.belief)
        answers = PlayTree(*known, opponent=self.strategy, end=end).best_cards()
        last, before = range_before(self.position, self.strategy, self.frequencies)
        return PlayReasons(
            range=self.range,
            last=last,
            before=before,
            replies=tuple(
                replies_to(
                    self.position, RANKS.index(one.card), self.belief, self.strategy, answers
                )
                for one in self.choices
            ),
        )

    @property
    def headline(self) -> str:
        """What to lay, in one sentence."""
        best = [one.card for one in self.choices if one.rank == 1]
        lays = "Lead" if not self.position.state.laid else "Lay"
        cards = " or ".join(f"the {card}" for card in best)
        wins = "" if self.best.win is None else f"wins {format_chance(self.best.win)}, "
        worth = f"{wins}{self.best.expected:+.2f} from here"
        if len(self.choices) == 1:
            last = len(self.position.left) == 1
            only = "your last card" if last else "nothing else fits"
            if len({*self.position.left}) == 1 and not last:
                only = "you have nothing else"
            return f"{lays} {cards}, {only}: {worth}."
        ahead = next((one for one in self.choices if one.rank > 1), None)
        if ahead is None:
            return f"{lays} {cards}: {worth}; all are alike."
        if self.best.win is not None and ahead.win is not None:
            more = wins_text(self.best.win - ahead.win)
            return f"{lays} {cards}: {worth}; {more} than the {ahead.card}."
        more = f"{ahead.behind:.2f}" if ahead.behind >= 0.005 else "less than 0.01"
        return f"{lays} {cards}: {worth}, {more} better than the {ahead.card}."

    def _asked(self, console: Console) -> Text:
        """Say what is known, in one line."""
        position = self.position
        ranks = position.hand, position.discard, [position.starter or 0]
        hand, discard, starter = (
            [Text(format_ranks(some)) for some in ranks]
            if position.cards is None
            else [render.styled_cards(console, some) for some in position.cards]
        )
        known = Text.assemble(hand, f" as {self.role}")
        if position.discard:
            known.append_text(Text.assemble(", threw ", discard))
        if position.starter is not None:
            known.append_text(Text.assemble(", starter ", starter))
        if position.state.laid:
            laid = format_ranks(position.state.laid)
            known.append(f", count {position.state.count} after {laid}")
        to_win = ", who plays to win" if self.plays_for == "wins" else ""
        known.append(f", opponent: {render.printable(self.opponent)}{to_win}")
        known.stylize("dim")
        return known

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self.headline, style="bold green")
        if len(self.choices) == 1:
            return
        yield self._asked(console)
        if not self.belief.explained:
            name = render.printable(self.opponent)
            yield Text(
                f"your opponent did what {name} play never does, and is thought to err", "dim"
            )
        columns = self.columns
        marks = tie_marks(columns["rank"], columns["expected"], columns.get("win"))
        scored = self.score is not None
        heads = ["", "card", *(["wins"] if scored else []), "expected", "behind", "own"]
        listed = render.table(
            console, *((head, "right" if at > 1 else "left") for at, head in enumerate(heads)),
            ("opponent", "right"), ("experts", "right"),
        )  # fmt: skip
        for one, mark in zip(self.choices, marks, strict=True):
            listed.add_row(
                f"{one.rank}{mark}", one.card,
                *([] if one.win is None else [format_chance(one.win)]),
                f"{one.expected:+.2f}", f"{one.behind:.2f}" if one.rank > 1 else "",
                f"{one.own:.2f}", f"{one.opponent:.2f}", f"{one.share:.0%}",
                style="bold" if one.rank == 1 else "",
            )  # fmt: skip
        yield Text()
        yield listed
        if notes := mark_notes(marks, scored=scored):
            yield Text("   ".join(notes), style="dim")


def advise_play(
    hand: CardsLike,
    *,
    role: Role,
    laid: LaidLike = (),
    discard: CardsLike | None = None,
    starter: CardsLike | int | None = None,
    score: tuple[int, int] | str | None = None,
    opponent: PlayStrategyLike | ExpertToWin = "expert",
) -> PlayAdvice:
    """Work out what each card is worth that you can lay now.

    The value of a card is what you peg from here to the end of the play less what your opponent
    does, if you go on as well as you can with all you know, and your opponent by a strategy. It is
    exact: every hand the opponent may hold counts as often as an expert keeps it, of any six cards
    beside those you know, times how often the strategy lays with it what was laid. Where one of you
    has no cards left, the other lays the rest in the order that pegs most.

    Parameters
    ----------
    hand
        The four cards you kept, laid or not, as text or card numbers. Suits may be left out: they
        do not count in the play.
    role
        ``"dealer"`` or ``"pone"``, who leads.
    laid
        The cards as they fell, pone's first, in any notation that `cribev.peg` reads, goes
        included; or ranks 0..12, and None for a go.
    discard
        The two cards you threw to the crib.
    starter
        The card cut.
    score
        Your points and your opponent's before the deal, as two numbers or as text, ``"95-110"``.
        Then the best card is what wins most: the play and the show end where someone has 121, and
        the win table says how likely you win later. It takes your cards, your discard and the
        starter with their suits. The opponent plays for points, but for one whom
        `cribev.solve_score` returns for this score.
    opponent
        Who plays against you: ``"expert"``; ``"greedy"``, who takes the most points at once and
        else lays the highest card that fits; ``"uniform"``, who lays any card that fits; or a
        function, see `cribev.opponents.play_strategies.PlayFunction`. What is kept is what an
        expert keeps, whoever plays. Or what `cribev.solve_score` returns: an expert who discards
        and pegs to win at the score.

    Returns
    -------
    A `PlayAdvice`.

    Raises
    ------
    CardError
        If these are not such cards.
    RecordError
        If cards are laid that cannot be, or you have no card to lay now.
    CribevError
        If the role or the opponent is unknown.

    Examples
    --------
    >>> advice = advise_play("4H 5C JD JS", role="pone", discard="9C KD", starter="7H")
    >>> advice.best.card, advice
    ('J', advise_play('4H 5C JD JS', role='pone', discard='9C KD', starter='7H', opponent='expert'))
    """
    position = read_position(hand, role=role, laid=laid, discard=discard, starter=starter)
    position.check_can_lay()
    before = None if score is None else as_score(score, position.role)
    if isinstance(opponent, ExpertToWin):
        return play_advice(position, shipped_strategy(), score=before, to_win=opponent.at)
    return play_advice(position, as_play_strategy(opponent), score=before)


def play_advice(
    position: PlayPosition,
    strategy: PlayStrategy,
    *,
    score: tuple[int, int] | None = None,
    to_win: ScoreStrategy | None = None,
) -> PlayAdvice:
    """Work out what each card is worth in a position that was read.

    At a score the opponent keeps and plays as `to_win` says, if it is given; it must be of what
    both need when the play begins. Points are against the strategy and an expert's keeps.
    """
    role, other = position.role, opposite_role(position.role)
    frequencies = shipped_keep_frequencies(other)
    belief = believe(position, frequencies, strategy)
    known = (position.history, role, position.left)
    ranks, values = PlayTree(*known, belief, opponent=strategy).cards
    expected, win = values[:, 0] - values[:, 1], None
    if score is None:
        to_win = None
    else:
        if to_win is not None:
            heels = position.starter == JACK
            to_win.check_needs(needs_by_role(score, role, heels=heels))
            strategy, frequencies = to_win.strategy, to_win.keep_frequencies[other]
            belief = believe(position, frequencies, strategy)
        end = end_of_game(position, belief, score, frequencies)
        _, wins = PlayTree(*known, belief, opponent=strategy, end=end).cards
        win = np.clip(wins[:, 0].round(_DIGITS), 0, 1)
    places, order = ranking(expected, win)
    expert = shipped_strategy() if to_win is None else to_win.strategy
    share = expert.choices(expert.node(position.history), position.left)[ranks]
    columns = {
        "rank": places, "card": np.array(list(RANKS))[ranks], "expected": expected,
        "own": values[:, 0], "opponent": values[:, 1],
        "behind": np.where(places > 1, expected[order[0]] - expected, 0.0), "share": share,
    }  # fmt: skip
    columns |= {} if win is None else {"win": win}
    rows = {name: column[order] for name, column in columns.items()}
    goal: Goal = "points" if to_win is None else "wins"
    return PlayAdvice(position, strategy, frequencies, belief, rows, score, goal)


def end_of_game(
    position: PlayPosition,
    belief: Belief,
    score: tuple[int, int],
    frequencies: KeepFrequencies,
) -> GameWon:
    """Work out what the ends of this play are worth in chances to win.

    The opponent keeps four cards as often as `frequencies` say.
    """
    known, now = known_at_score(position, score)
    win_table = load(play=True).win_table
    if win_table is None:
        raise TableError("the solution is for the show alone: nobody wins by it")
    shown = shown_by_keep(known, frequencies)
    keeps = keeps_of(GameSize(), belief.left)[belief.laid][belief.chance > 0]
    return game_won(position.role, now, shown, keeps, win_table)


def known_at_score(
    position: PlayPosition, score: tuple[int, int]
) -> tuple[KnownCards, tuple[int, int]]:
    """Return the player's cards with suits, and the points of both now, from those before the deal.

    Raises RecordError if a card is not known, or the game is over.
    """
    role, cards = position.role, position.cards
    if cards is None:
        raise RecordError(
            "chances to win depend on the show: expected your cards, your discard and the starter, "
            "with their suits"
        )
    now = []
    for who, points in zip((role, opposite_role(role)), score, strict=True):
        heels = HEELS if who == "dealer" and position.starter == JACK else 0
        now.append(points + heels + position.pegged(who))
    if max(now) >= WINNING_SCORE:
        raise RecordError(
            f"the game is over: from {score[0]}-{score[1]} before the deal the score is now "
            f"{now[0]}-{now[1]}"
        )
    return cards, (now[0], now[1])
