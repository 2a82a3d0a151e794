"""Which card to lay: what each is worth, what the opponent may hold, and what can follow.

How often an expert lays each is looked up in the solution, nothing is worked out for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.advice.belief import Belief, believe, reply_chances
from cribev.advice.position import KnownCards, LaidLike, PlayPosition, read_position
from cribev.advice.tree import PlayTree, keeps_of, left_alone
from cribev.advice.wins import GameWon, game_won, shown_by_keep
from cribev.choice import MIN_SHOWN_CHANCE, format_chance, mark_notes, ranking, tie_marks, wins_text
from cribev.classes.canonical import Floats
from cribev.errors import RecordError, TableError
from cribev.game import render
from cribev.game.cards import JACK, RANKS, CardsLike, format_cards, format_ranks
from cribev.game.play import Peg, PegKind
from cribev.game.play_rules import PlayState
from cribev.game.roles import Role, opposite_role
from cribev.game.score import HEELS, WINNING_SCORE, as_score, needs_by_role
from cribev.opponents.discarders import Objective
from cribev.opponents.players import ExpertToWin, PlayStrategyLike, ScoreStrategy, as_play_strategy
from cribev.solution.solution import load, shipped_keep_frequencies, shipped_strategy
from cribev.solution.statistics import KeepFrequencies
from cribev.solution.tree import GameSize, PlayStrategy, numbers_with_card

_NEVER = 1e-12  # what is less likely is what rounding leaves

GO = "go"
"""In place of a card, where none fits."""


class Reply(NamedTuple):
    """What the opponent does next."""

    card: str
    """The rank of the card laid, or ``"go"``."""
    chance: float
    kinds: tuple[PegKind, ...]
    """What the opponent pegs for."""
    points: int
    """How much that is, to the opponent."""
    answer: str | None
    """What you lay best then, or ``"go"``; None where you have no cards left."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return self._asdict() | {"kinds": list(self.kinds)}


class CardReplies(NamedTuple):
    """What can follow one of your cards."""

    card: str
    replies: tuple[Reply, ...]
    """By rank, the go last. None where it is not the opponent's turn: you go on, or all is laid."""
    then: str | None
    """What you lay best next if the opponent has said go or has no cards left; else None."""

    def chance(self, kind: PegKind) -> float:
        """Tell how likely the reply pegs for a pair, a fifteen, a run …."""
        return sum((reply.chance for reply in self.replies if kind in reply.kinds), 0.0)

    @property
    def go(self) -> float:
        """How likely the opponent has to say go."""
        return sum((reply.chance for reply in self.replies if reply.card == GO), 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {
            "card": self.card,
            "paired": self.chance("pair"),
            "fifteen": self.chance("fifteen"),
            "thirty_one": self.chance("thirty-one"),
            "run": self.chance("run"),
            "go": self.go,
            "replies": [reply.to_dict() for reply in self.replies],
            "then": self.then,
        }


def replies_to(
    position: PlayPosition,
    rank: int,
    belief: Belief,
    strategy: PlayStrategy,
    best_cards: Mapping[tuple[int | None, ...], int],
) -> CardReplies:
    """List what can follow a rank, 0..12, that the player lays in a position.

    `best_cards` tells what the player lays best after that, as `PlayTree.best_cards`.
    """
    left, history = [*position.left], [*position.history, rank]
    left.remove(rank)
    state = position.state.copy()
    _ = state.lay(rank)
    _skip_silent_goes(state)

    def answer(after: PlayState, *moves: int | None) -> str | None:
        """Say what the player does after moves that follow the history."""
        if not left or after.turn != position.role:
            return GO if left else None
        fitting = {*left} & {*after.legal}
        if len(fitting) < 2:
            return RANKS[fitting.pop()] if fitting else GO
        best = best_cards.get((rank, *moves))
        if best is None:  # left alone
            node = strategy.node([*history, *moves])
            best = int(strategy.choices(node, left).argmax())
        return RANKS[best]

    if state.over or state.turn == position.role:
        return CardReplies(RANKS[rank], (), None if state.over else answer(state))
    chances = (
        reply_chances(history, belief, strategy) if left else _laid_alone(history, belief, strategy)
    )
    found = []
    for card in [*np.flatnonzero(chances > _NEVER).tolist(), None]:
        chance = 1 - float(chances.sum()) if card is None else float(chances[card])
        if chance < _NEVER:
            continue
        after = state.copy()
        pegs = after.go() if card is None else after.lay(card)
        _skip_silent_goes(after)
        theirs = [peg for peg in pegs if peg.role != position.role]
        found.append(_reply(card, chance, theirs, answer(after, card)))
    return CardReplies(RANKS[rank], tuple(found), None)


def _reply(card: int | None, chance: float, pegs: Sequence[Peg], answer: str | None) -> Reply:
    name = GO if card is None else RANKS[card]
    points = sum(peg.points for peg in pegs)
    return Reply(name, chance, tuple(peg.kind for peg in pegs), points, answer)


def _skip_silent_goes(state: PlayState) -> None:
    """Let a player without cards say go."""
    while not state.over and not state.left[state.turn]:
        _ = state.go()


def _laid_alone(history: Sequence[int | None], belief: Belief, strategy: PlayStrategy) -> Floats:
    """Tell how likely the opponent, left alone, lays each rank next, ``(R,)``.

    The rest is laid in the order that pegs most, of equal ones the lowest card first.
    """
    size, states, cards = strategy.size, strategy.states, belief.left
    state = strategy.node(history).state
    ranks = np.arange(len(size.ranks))
    numbers, rest = numbers_with_card(size, cards), size.holdings(cards - 1)
    most = left_alone(states, np.array(state), size.holdings(cards)).mover
    after = states.next_state[state, ranks].astype(np.int64)
    alone = left_alone(states, np.maximum(after, 0)[:, None], rest[None], laid_last=True)
    points = states.points[state, ranks].astype(np.int64)[:, None] + alone.mover
    best = (after >= 0)[:, None] & (points == most[numbers])
    lowest = np.full(len(most), len(ranks))
    np.minimum.at(lowest, numbers[best], np.nonzero(best)[0])
    laid = lowest[numbers] == ranks[:, None]
    chances: Floats = (belief.chance[numbers] * laid).sum(axis=1)
    return chances


_BARS = 30  # columns for bars
_HANDS = 5  # that are likeliest


@dataclass(frozen=True, eq=False, repr=False)
class OpponentRange(render.Displayable):
    """What the opponent may hold.

    Attributes
    ----------
    holdings
        A row for each, the likeliest first: ``cards``, ranks as text, and ``chance``.
    ranks
        A row for each rank: ``card``; ``chance``, of at least one; ``expected``, how many.
    explained
        Whether the opponent's strategy does what the opponent did. If not, it is thought to err.
    left
        How many cards the opponent has left.
    """

    holdings: pd.DataFrame
    ranks: pd.DataFrame
    explained: bool
    left: int

    @classmethod
    def of(cls, belief: Belief) -> "OpponentRange":
        """List a belief in the whole game."""
        every = GameSize().holdings(belief.left)
        order = np.argsort(-belief.chance, kind="stable")[: np.count_nonzero(belief.chance)]
        counts = (every[:, :, None] == np.arange(len(RANKS))).sum(axis=1)
        cards = [format_ranks(row) for row in every[order]]
        holdings = pd.DataFrame({"cards": cards, "chance": belief.chance[order]})
        ranks = {
            "card": list(RANKS),
            "chance": belief.chance @ (counts > 0),
            "expected": belief.chance @ counts,
        }
        return cls(holdings, pd.DataFrame(ranks), belief.explained, belief.left)

    def to_dict(self) -> dict[str, Any]:
        """Return the range as plain values, ready for JSON: every rank, and the likeliest hands."""
        return {
            "left": self.left,
            "explained": self.explained,
            "ranks": self.ranks.to_dict(orient="records"),
            "hands": self.holdings.head(_HANDS).to_dict(orient="records"),
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.shown(console, None, "")

    def shown(
        self, console: Console, before: "OpponentRange | None", last: str
    ) -> Iterator[Text | Table]:
        """Show it, beside what it was before the opponent's last card."""
        cards = f"{self.left} card{'s' if self.left > 1 else ''}"
        yield Text(f"Your opponent has {cards} left: how likely at least one is", style="bold")
        was = [] if before is None else before.ranks["chance"].tolist()
        columns: list[tuple[str, JustifyMethod]] = [("card", "left"), ("now", "right")]
        if before is not None:
            columns.append((f"before the {last}", "right"))
        listed = render.table(console, *columns, ("", "left"))
        chances = self.ranks["chance"].tolist()
        for at, (card, chance) in enumerate(zip(RANKS, chances, strict=True)):
            earlier = was[at : at + 1]
            bar = render.bar(console, chance / max(chances), width=_BARS)
            listed.add_row(card, *map(format_chance, [chance, *earlier]), bar)
        yield listed
        hands = self.holdings.head(_HANDS)
        told = [
            f"{cards} {format_chance(chance)}"
            for cards, chance in zip(hands["cards"], hands["chance"], strict=True)
        ]
        yield Text.assemble(("Likeliest: ", "bold"), ", ".join(told))


@dataclass(frozen=True, eq=False, repr=False)
class PlayReasons(render.Displayable):
    """Why cards are worth what they are.

    Attributes
    ----------
    range
        What the opponent may hold.
    last, before
        The card the opponent laid last, or ``"go"``, and what the opponent might hold before it;
        None at the first.
    replies
        What can follow each card, the best card first.
    """

    range: OpponentRange
    last: str | None
    before: OpponentRange | None
    replies: tuple[CardReplies, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {
            "range": self.range.to_dict(),
            "last": self.last,
            "before": self.before and self.before.to_dict(),
            "replies": [one.to_dict() for one in self.replies],
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text()
        if not self.range.left:
            yield Text("Your opponent has no cards left.")
        else:
            yield from self.range.shown(console, self.before, self.last or "")
        yield Text()
        answered = [one for one in self.replies if one.replies]
        for one in self.replies:
            if not one.replies:
                yield Text(_unanswered(one))
        if not answered:
            return
        yield Text("How often your opponent answers with", style="bold")
        listed = render.table(
            console, ("your card", "left"),
            *((name, "right") for name in ("a pair", "fifteen", "thirty-one", "a run", "go")),
        )  # fmt: skip
        for one in answered:
            kinds = [one.chance(kind) for kind in ("pair", "fifteen", "thirty-one", "run")]
            listed.add_row(
                one.card,
                *(
                    "" if chance < MIN_SHOWN_CHANCE else format_chance(chance)
                    for chance in (*kinds, one.go)
                ),
            )
        yield listed
        yield Text()
        yield _side_by_side(console, answered[:2])


def range_before(
    position: PlayPosition, strategy: PlayStrategy, frequencies: KeepFrequencies
) -> tuple[str | None, OpponentRange | None]:
    """Return the opponent's last card, or ``"go"``, and what the opponent might hold before it."""
    own = [step.role == position.role for step in position.steps]
    if all(own):
        return None, None
    at = len(own) - 1 - own[::-1].index(False)
    rank = position.steps[at].rank
    earlier = replace(position, steps=position.steps[:at])
    belief = believe(earlier, frequencies, strategy)
    return GO if rank is None else RANKS[rank], OpponentRange.of(belief)


def _unanswered(card: CardReplies) -> str:
    if card.then is None:
        return f"No card is laid after the {card.card}."
    does = "say go" if card.then == GO else f"lay the {card.then}"
    return f"After the {card.card} your opponent cannot answer, and you {does}."


def _side_by_side(console: Console, cards: list[CardReplies]) -> Table:
    """Show what is laid on each card, for how much, and what you lay then."""
    tables = [{reply.card: reply for reply in one.replies} for one in cards]
    heading = "chance  pegs  you lay"
    heads = [
        f"{render.ruled_heading(console, f'on your {one.card}', width=len(heading))}\n{heading}"
        for one in cards
    ]
    listed = render.table(console, ("\nanswer", "left"), *((head, "right") for head in heads))
    for name in [*RANKS, GO]:
        both = [table.get(name) for table in tables]
        if any(reply is not None and reply.chance >= MIN_SHOWN_CHANCE for reply in both):
            listed.add_row(name, *map(_reply_text, both))
    return listed


def _reply_text(reply: Reply | None) -> str:
    if reply is None:
        return " " * 21
    pegs = str(reply.points) if reply.points else ""
    return f"{format_chance(reply.chance):>6}  {pegs:>4}  {reply.answer or '':>7}"


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
    plays_for: Objective = "points"

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
        function, see `cribev.opponents.players.PlayFunction`. What is kept is what an
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
    goal: Objective = "points" if to_win is None else "wins"
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


_BAR = 30


@dataclass(frozen=True, eq=False, repr=False)
class ExpertShares(render.Displayable):
    """How often an expert plays each card of a position, knowing only the keep and what was laid.

    Attributes
    ----------
    position
        The cards kept, and those laid.
    table
        A row for each rank that can be laid, the lowest first: ``card`` and ``share``, which sum to
        one.
    """

    position: PlayPosition
    table: pd.DataFrame

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        position = self.position
        laid = " ".join("go" if rank is None else RANKS[rank] for rank in position.history)
        does = f"after {laid} an expert plays" if laid else "an expert leads"
        kept = f"{format_ranks(position.hand)} as {position.role}"
        yield Text(f"{kept}: {does}", style="bold")
        listed = render.table(console, ("card", "left"), ("share", "right"), ("", "left"))
        for card, share in zip(self.table["card"], self.table["share"], strict=True):
            listed.add_row(card, f"{share:.1%}", render.bar(console, share, width=_BAR))
        yield listed


def expert_shares(keep: CardsLike, *, role: str, laid: LaidLike = ()) -> ExpertShares:
    """Look up how often an expert plays each card.

    Parameters
    ----------
    keep
        The four cards kept, laid or not, as text or card numbers; suits may be left out.
    role
        ``"dealer"`` or ``"pone"``.
    laid
        The cards as they fell, in any notation that `cribev.peg` reads, goes included.

    Returns
    -------
    An `ExpertShares`.

    Raises
    ------
    CardError
        If these are not four cards, or no play.
    RecordError
        If cards are laid that cannot be, it is the opponent's turn, or no card fits.
    TableError
        If the strategy cannot be read.

    Examples
    --------
    >>> expert_shares("5 J Q K", role="dealer", laid="4 J")
    Traceback (most recent call last):
    cribev.errors.RecordError: it is your opponent's turn at a count of 14: expected the card laid
    next, or go
    """
    position = read_position(keep, role=role, laid=laid)
    position.check_can_lay()
    strategy = shipped_strategy()
    share = strategy.choices(strategy.node(position.history), position.left)
    cards = [RANKS[rank] for rank in position.legal]
    return ExpertShares(position, pd.DataFrame({"card": cards, "share": share[position.legal]}))
