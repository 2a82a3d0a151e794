"""Which card to play: what each is worth, what the opponent may hold, and what can follow.

How often an expert plays each card is looked up in the solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.advice.advised import Advised
from cribev.advice.decisions import Difference
from cribev.advice.options import Options
from cribev.advice.question import Question
from cribev.advice.reasons import stakes_effect, stakes_text
from cribev.classes.canonical import Floats
from cribev.classes.ranking import TIE_TOLERANCE
from cribev.errors import TableError
from cribev.game import render
from cribev.game.cards import RANKS, SUITLESS_OFFSET, format_ranks, rank_of
from cribev.game.deal import Position
from cribev.game.outcomes import Outcomes, sum_to_one
from cribev.game.play import PegKind, Play
from cribev.game.roles import opposite_role
from cribev.game.words import (
    MIN_SHOWN_CHANCE,
    format_chance,
    one_of,
    printable,
    say_chance,
    wins_text,
)
from cribev.solution import solution, solved_play
from cribev.solution.solved_play import KeepFrequencies
from cribev.solution.strategy import GameSize, PlayStrategy
from cribev.system.blas import one_blas_thread
from cribev.values.holdings import Belief, believe, believe_anything, reply_chances
from cribev.values.pegging import EndValue, PlayTree, keeps_of
from cribev.wins.in_play import GameWon, game_won, shown_by_keep, shown_over_suits
from cribev.wins.orders import PegChances

if TYPE_CHECKING:
    import pandas as pd

_APART = 1e-6  # a chance or points that tell one card from another
_HIGHEST = SUITLESS_OFFSET + len(RANKS) - 1  # where a king fits any card does
_ROUNDED = 1e-7  # what single precision leaves of a go that cannot be
_NEVER = 1e-12  # what is less likely is what rounding leaves

GO = "go"  # in place of a card, where none fits


class Reply(NamedTuple):
    """The next moves of the opponent."""

    card: str  # the rank of the card played, or ``"go"``
    chance: float
    kinds: tuple[PegKind, ...]  # what the opponent pegs for
    points: int  # how much that is, to the opponent
    answer: str | None  # what you play best then, or ``"go"``; None where you have no cards left

    def to_dict(self) -> dict[str, Any]:
        """Return the reply as plain values, ready for JSON."""
        return self._asdict() | {"kinds": list(self.kinds)}


class CardReplies(NamedTuple):
    """The course of the play after one of your cards."""

    card: str
    replies: tuple[Reply, ...]
    """By rank, the go last. Empty unless the opponent is to move: you continue, or it is over."""
    then: str | None
    """Your best next card if the opponent has said go or has no cards left; else None."""

    def chance(self, kind: PegKind) -> float:
        """Return how likely the reply pegs for a pair, a fifteen, a run …."""
        return sum((reply.chance for reply in self.replies if kind in reply.kinds), 0.0)

    @property
    def go(self) -> float:
        """The chance that the opponent has to say go."""
        return sum((reply.chance for reply in self.replies if reply.card == GO), 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return what can follow a card as plain values, ready for JSON."""
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


_BARS = 30  # columns for bars
_HANDS = 5  # that are likeliest
_PEGS_SHOWN = 8  # points or more


@dataclass(frozen=True, eq=False, repr=False)
class OpponentRange(render.Displayable):
    """The cards that the opponent may hold: tables of a belief."""

    belief: Belief

    @property
    def left(self) -> int:
        """The number of cards the opponent has left."""
        return self.belief.left

    @property
    def explained(self) -> bool:
        """Whether the opponent's strategy explains the play so far."""
        return self.belief.explained

    @property
    def holdings(self) -> pd.DataFrame:
        """One row for each holding, likeliest first: ``cards``, ranks as text, and ``chance``."""
        return self._likeliest(len(self.belief.chance))

    @property
    def hands(self) -> pd.DataFrame:
        """The first few of the `holdings`."""
        return self._likeliest(_HANDS)

    @cached_property
    def ranks(self) -> pd.DataFrame:
        """A row for each rank: ``card``; ``chance``, of at least one; ``expected``, how many."""
        import pandas as pd

        every, chance = GameSize().holdings(self.left), self.belief.chance
        counts = (every[:, :, None] == np.arange(len(RANKS))).sum(axis=1)
        ranks = {"chance": chance @ (counts > 0), "expected": chance @ counts}
        return pd.DataFrame({"card": list(RANKS)} | ranks)

    def _likeliest(self, number: int) -> pd.DataFrame:
        import pandas as pd

        every, chance = GameSize().holdings(self.left), self.belief.chance
        order = np.argsort(-chance, kind="stable")[: min(number, np.count_nonzero(chance))]
        cards = [format_ranks(row) for row in every[order]]
        return pd.DataFrame({"cards": cards, "chance": chance[order]})

    def to_dict(self) -> dict[str, Any]:
        """Return the range as plain values, ready for JSON: every rank, and the likeliest hands."""
        return {
            "left": self.left,
            "explained": self.explained,
            "ranks": self.ranks.to_dict(orient="records"),
            "hands": self.hands.to_dict(orient="records"),
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.shown(console, None, "")

    def shown(
        self, console: Console, before: OpponentRange | None, last: str
    ) -> Iterator[Text | Table]:
        """Show it, beside the range before the opponent's last card."""
        cards = f"{self.left} card{'s' if self.left > 1 else ''}"
        yield Text(f"Your opponent has {cards} left: how likely at least one is", style="bold")
        was = [] if before is None else before.ranks["chance"].tolist()
        columns: list[tuple[str, JustifyMethod]] = [("card", "left"), ("now", "right")]
        if before is not None:
            columns.append((f"before the {last}", "right"))
        listed = render.table(console, *columns, ("", "left"))
        chances = self.ranks["chance"].tolist()
        for place, (card, chance) in enumerate(zip(RANKS, chances, strict=True)):
            earlier = was[place : place + 1]
            bar = render.bar(console, chance / max(chances), width=_BARS)
            listed.add_row(card, *map(format_chance, [chance, *earlier]), bar)
        yield listed
        hands = self.hands
        known = zip(hands["cards"], map(format_chance, hands["chance"]), strict=True)
        yield Text.assemble(("Likeliest: ", "bold"), ", ".join(map(" ".join, known)))


@dataclass(frozen=True, eq=False, repr=False)
class PlayReasons(render.Displayable):
    """Why cards are worth what they are."""

    range: OpponentRange
    last: str | None
    """The opponent's last card, or ``"go"``; like the next field, None at the first move."""
    before: OpponentRange | None  # what the opponent might hold before it
    replies: tuple[CardReplies, ...]  # what can follow each card, the best card first

    def to_dict(self) -> dict[str, Any]:
        """Return the reasons as plain values, ready for JSON."""
        return {
            "range": self.range.to_dict(),
            "last": self.last,
            "before": self.before and self.before.to_dict(),
            "replies": [reply.to_dict() for reply in self.replies],
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text()
        if not self.range.left:
            yield Text("Your opponent has no cards left.")
        else:
            yield from self.range.shown(console, self.before, self.last or "")
        yield Text()
        answered = [answers for answers in self.replies if answers.replies]
        for answers in self.replies:
            if not answers.replies and answers.then is None:
                yield Text(f"No card is played after the {answers.card}.")
            elif not answers.replies:
                does = "say go" if answers.then == GO else f"play the {answers.then}"
                yield Text(f"After the {answers.card} your opponent cannot answer, and you {does}.")
        if not answered:
            return
        yield Text("How often your opponent answers with", style="bold")
        listed = render.table(
            console, ("your card", "left"),
            *((name, "right") for name in ("a pair", "fifteen", "thirty-one", "a run", "go")),
        )  # fmt: skip
        for answers in answered:
            often = [answers.chance(kind) for kind in ("pair", "fifteen", "thirty-one", "run")]
            texts = (
                "" if chance < MIN_SHOWN_CHANCE else format_chance(chance)
                for chance in (*often, answers.go)
            )
            listed.add_row(answers.card, *texts)
        yield listed
        yield Text()
        yield _side_by_side(console, answered[:2])


def _side_by_side(console: Console, answered: list[CardReplies]) -> Table:
    """Show the replies to each card, what they peg, and what you then play."""
    tables = [{reply.card: reply for reply in answers.replies} for answers in answered]
    heading = "chance  pegs  you play"
    heads = [
        f"{render.ruled_heading(console, f'on your {answers.card}', width=len(heading))}\n{heading}"
        for answers in answered
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


@dataclass(frozen=True, eq=False, repr=False)
class PegDistribution(render.Displayable):
    """For each card, how likely each number of points is, to the end of the play."""

    cards: tuple[str, ...]  # the ranks that can be played, best first
    first: Floats  # how likely the player pegs before the opponent does, ``(k,)``
    own: Floats  # distribution of the player's points, ``(k, 32)``
    opponent: Floats  # and of the opponent's, ``(k, 32)``

    @property
    def _at_least(self) -> list[Floats]:
        """Chances of each number of points or more, for each player."""
        return [pegs[:, ::-1].cumsum(axis=1)[:, ::-1] for pegs in (self.own, self.opponent)]

    @property
    def table(self) -> pd.DataFrame:
        """Chances that each player pegs ``points`` or more, for each card and number from 1 up."""
        import pandas as pd

        own, other = self._at_least
        row, points = np.nonzero(np.maximum(own, other)[:, 1:] > _NEVER)
        points += 1
        known = {"card": [self.cards[place] for place in row], "points": points}
        return pd.DataFrame(known | {"own": own[row, points], "opponent": other[row, points]})

    def to_dict(self) -> dict[str, Any]:
        """Return the chances of pegging at least so much, by card, ready for JSON."""
        by_card = self.table.groupby("card", sort=False)
        return {
            str(card): {
                "pegs_first": first,
                "at_least": likely.drop(columns="card").to_dict("records"),
            }
            for (card, likely), first in zip(by_card, self.first.tolist(), strict=True)
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        most = int(self.table.query("own >= 0.005 or opponent >= 0.005")["points"].max())
        heads = ["card", "pegs", "first", *map(str, range(1, min(most, _PEGS_SHOWN) + 1))]
        listed = render.table(
            console, *((head, "left" if place < 2 else "right") for place, head in enumerate(heads))
        )
        for card, first, yours, theirs in zip(self.cards, self.first, *self._at_least, strict=True):
            for who, name, often, chances in (
                ("you", card, first, yours), ("your opponent", "", 1 - first, theirs)
            ):  # fmt: skip
                texts = [f"{chance:.0%}" for chance in (often, *chances[1 : len(heads) - 2])]
                listed.add_row(name, who, *texts)
        title = "Who pegs first, and how likely each pegs at least that many points"
        yield from (Text(), Text(title, style="bold"), listed)


@dataclass(frozen=True, eq=False, repr=False)
class PlayAdvice(Advised):
    """The values of each card that a player can play now.

    Attributes
    ----------
    table
        One row for each rank that can be played, best first. Points are pegged from here to the end
        of the play: by the player with the best response, by the opponent with the strategy.
        ``expected`` is the player's points minus the opponent's, ``behind`` how many fewer than the
        best. ``share`` is how often an expert plays the card, who has the same cards left and knows
        only the play. With a score, ``win`` is the chance to win the game, and the best card is the
        one that wins most.
    """

    strategy: PlayStrategy  # how the opponent plays
    frequencies: KeepFrequencies  # what the opponent keeps
    belief: Belief  # what the opponent may have left, with chances; `range` lists it

    @cached_property
    def range(self) -> OpponentRange:
        """The cards that the opponent may hold.

        >>> from cribev import advise_play
        >>> held = advise_play("4H 5C JD JS", role="pone", played="J 5").range
        >>> held.holdings.columns.tolist(), held.ranks.columns.tolist()
        (['cards', 'chance'], ['card', 'chance', 'expected'])
        """
        return OpponentRange(self.belief)

    def to_dict(self, *, explain: bool = False, distribution: bool = False) -> dict[str, Any]:
        """Return the advice as plain values, ready for JSON.

        `explain` adds the reasons under ``explanation``, and what is better against people, if
        anything, under ``people``; `distribution` adds the chances of points under ``pegs``.

        >>> from cribev import advise_play
        >>> [card["card"] for card in advise_play("9 9 9 J", role="pone").to_dict()["cards"]]
        ['9', 'J']
        """
        told: dict[str, Any] = self.position.to_dict() | {"opponent": self.opponent}
        if self.score is not None:
            told["score"] = list(self.score)
            told["suits"] = "known"
            if not self.position.suits_known:
                told["suits"] = "any" if self.position.suits_words == "any suits" else "some"
            told["stakes"] = self.options.stakes.to_dict()
        if self.against_errors:
            told["against_errors"] = self.against_errors
        if self.options.is_staked:
            told["at_the_stakes"] = stakes_effect(self.options).to_dict()
        told |= self.options.to_dict()
        if explain:
            told["people"] = self.people and self.people.to_dict()
            told["explanation"] = self.explain().to_dict()
        if distribution:
            told["pegs"] = self.distribution().to_dict()
        return told

    def __repr__(self) -> str:
        return f"advise_play({self._asked_text})"

    def explain(self) -> PlayReasons:
        """Say what the opponent may hold, and what can follow each card.

        >>> from cribev import advise_play
        >>> why = advise_play("4H 5C JD JS", role="pone", played="J 5").explain()
        >>> why.last, len(why.replies)
        ('5', 3)
        """
        position, steps, end = self.position, self.position.play.steps, self._end()
        best_cards = _tree(position, self.belief, self.strategy, end).best_cards()
        last = before = None
        theirs = [number for number, step in enumerate(steps) if step.role != self.role]
        if theirs:
            earlier = replace(position, play=position.play.before(theirs[-1]))
            before = OpponentRange(believe(earlier, self.frequencies, self.strategy))
            rank = steps[theirs[-1]].rank
            last = GO if rank is None else RANKS[rank]
        replies = tuple(self._replies_to(choice.cards[0], best_cards) for choice in self.choices)
        return PlayReasons(range=self.range, last=last, before=before, replies=replies)

    def _replies_to(
        self, card: int, best_cards: Mapping[tuple[int | None, ...], int]
    ) -> CardReplies:
        """List what can follow a card played now; `best_cards` as in `PlayTree.best_cards`."""
        position, strategy = self.position, self.strategy
        rank, left, play = rank_of(card), position.left_ranks, position.play.play(card)
        history = [*position.play.history, rank]
        left.remove(rank)

        def answer(after: Play, *moves: int | None) -> str | None:
            """Say what the player does after moves that follow the history."""
            if not left or after.turn != self.role:
                return GO if left else None
            fitting = {one for one in left if after.fits(one + SUITLESS_OFFSET)}
            if len(fitting) < 2:
                return RANKS[fitting.pop()] if fitting else GO
            best = best_cards.get((rank, *moves))
            if best is None:  # left alone
                node = strategy.node([*history, *moves])
                best = int(strategy.choices(node, left).argmax())
            return RANKS[best]

        if play.over or play.turn == self.role:
            return CardReplies(RANKS[rank], (), None if play.over else answer(play))
        chances = reply_chances(history, self.belief, strategy)
        replies, go = [], 0.0 if play.fits(_HIGHEST) else 1 - float(chances.sum())
        for reply in [*np.flatnonzero(chances > _NEVER).tolist(), *[None] * (go > _ROUNDED)]:
            chance = go if reply is None else float(chances[reply])
            after = play.go() if reply is None else play.play(reply + SUITLESS_OFFSET)
            pegs = [peg for peg in after.steps[len(play.steps)].pegs if peg.role != self.role]
            kinds, points = tuple(peg.kind for peg in pegs), sum(peg.points for peg in pegs)
            name = GO if reply is None else RANKS[reply]
            replies.append(Reply(name, chance, kinds, points, answer(after, reply)))
        return CardReplies(RANKS[rank], tuple(replies), None)

    def distribution(self) -> PegDistribution:
        """Return for each card how likely each number of points is, and who pegs first.

        It takes some tenths of a second at the first card.

        >>> from cribev import advise_play
        >>> made = advise_play("4H 5C JD JS", role="pone", played="J 5").distribution()
        >>> made.cards[0], made.table.columns.tolist()
        ('5', ['card', 'points', 'own', 'opponent'])
        """
        tree = _tree(self.position, self.belief, self.strategy, PegChances())
        worth = tree.worth[self.options.order]
        _, first, own, other = np.split(worth, [2, 3, 3 + solved_play.POINT_BINS], axis=1)
        return PegDistribution(
            tuple(choice.card for choice in self.choices), first[:, 0], own, other
        )

    def _second_answer(self, question: Question) -> Options:
        return advise_card(question).options

    @property
    def _any_starter(self) -> bool:
        """Whether chances to win are averages over the starter."""
        return self.score is not None and self.position.starter is None

    def _end(self) -> GameWon | None:
        """Work out what ends of the play are worth; None in points, or for any starter."""
        if self.score is None or self._any_starter:
            return None
        return end_of_game(self.question, self.belief, self.frequencies)

    @cached_property
    def against_errors(self) -> str:
        """The difference between the best card and an equal one against an expert, in one sentence.

        It is empty if there is no equal card, or no difference.
        """
        position, (best, *others) = self.position, self.options.order.tolist()
        explained = self.belief.left and self.belief.explained and not self._any_starter
        if not (others and explained):
            return ""
        value = partial(_worth, position, strategy=self.strategy, end=self._end())
        worth = value(believe(position, self.frequencies, self.strategy, fallible=False))
        equal = next(
            (index for index in others if abs(worth[best] - worth[index]) <= TIE_TOLERANCE), None
        )
        if equal is None:
            return ""
        name = printable(self.strategy.name)
        said = f"Equal against {'an expert' if name == 'expert' else f'{name} play'}; "
        pair, texts = [best, equal], self.options.texts["card"]
        if self.belief.left > 1:
            gain = np.subtract(*value(believe_anything(position, self.strategy))[pair])
            better = f"{said}the {texts[best]} is better if your opponent has erred."
            return better if gain > _APART else ""
        gains = dict[str, float]()
        for rank in np.flatnonzero(self.belief.chance > 0).tolist():
            held = self.belief._replace(chance=np.eye(len(RANKS))[rank])
            gains[RANKS[rank]] = float(np.subtract(*value(held)[pair]))
        differences = []
        for index, sign in zip(pair, (1, -1), strict=True):
            more = {rank: sign * gain for rank, gain in gains.items() if sign * gain > _APART}
            differences += [f"the {texts[index]} {self._better_text(more)}"] if more else []
        return f"{said}{', '.join(differences)}." if differences else ""

    def _better_text(self, gains: Mapping[str, float]) -> str:
        """Say against which last cards of the opponent a card is better, and how much."""
        least, most = min(gains.values()), max(gains.values())
        if self.score is None:
            amount = f"{least:.0f}" if most - least < _APART else f"{least:.0f} to {most:.0f}"
            does = f"brings {amount} more"
        elif self.options.is_staked:
            does = "is worth more"
        else:
            does = "also wins" if least > 1 - _APART else "wins more often"
        return f"{does} against {one_of(list(gains))}"

    @property
    def headline(self) -> str:
        """The card to play, in one sentence."""
        best = [choice.card for choice in self.choices if choice.rank == 1]
        plays = "Lead" if not self.position.play.on_table else "Play"
        cards = " or ".join(f"the {card}" for card in best)
        wins = "" if self.best.win is None else f"wins {say_chance(self.best.win)}, "
        wins += f"worth {self.best.value:.3f}, " if self.options.is_staked else ""
        worth = f"{wins}{self.best.expected:+.2f} from here"
        if len(self.choices) == 1:
            last = len(self.position.left) == 1
            only = "your last card" if last else "nothing else fits"
            if len({*self.position.left_ranks}) == 1 and not last:
                only = "you have nothing else"
            return f"{plays} {cards}, {only}: {worth}."
        ahead = next((choice for choice in self.choices if choice.rank > 1), None)
        if ahead is None:
            return f"{plays} {cards}: {worth}; all are alike."
        gain = Difference(self.best, ahead)
        if gain.value is not None and self.options.is_staked:
            return f"{plays} {cards}: {worth}; {gain.value:.3f} more than the {ahead.card}."
        if gain.win is not None:
            more = wins_text(gain.win, f"the {ahead.card}")
            return f"{plays} {cards}: {worth}; {more}."
        more = f"{ahead.behind:.2f}" if ahead.behind >= 0.005 else "less than 0.01"
        return f"{plays} {cards}: {worth}, {more} better than the {ahead.card}."

    def _asked(self, console: Console) -> Text:
        """Say what is known, in one line."""
        position = self.position
        known = Text.assemble(render.styled_cards(console, position.held.kept), f" as {self.role}")
        cut = () if position.starter is None else (position.starter,)
        for what, cards in ((", discarded ", position.held.discard), (", starter ", cut)):
            if cards:
                known.append_text(Text.assemble(what, render.styled_cards(console, cards)))
        if self._any_starter:
            known.append(", any starter")
        if position.play.on_table:
            played = format_ranks(map(rank_of, position.play.on_table))
            played = render.shown_ranks(console, played)
            known.append(f", count {position.play.count} after {played}")
        if position.score is not None:
            known.append(f", {position.score.text(self.role)} before the deal")
        known.append(f", opponent: {printable(self.opponent)}")
        if position.score is not None:
            known.append(f", {words}" if (words := position.suits_words) else "")
            if self.options.is_staked:
                known.append(f"\nstakes {self.options.stakes.text}")
        known.stylize("dim")
        return known

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(render.shown_ranks(console, self.headline), style="bold green")
        if self.position.play.doubt:
            yield Text(render.shown_ranks(console, self.position.play.doubt))
        if len(self.choices) == 1:
            return
        if stakes := stakes_text(self.options, f"play the {self.best.card}"):
            yield Text(stakes, style="bold" if self.options.is_staked else "dim")
        yield self._asked(console)
        if self.against_errors:
            yield Text(self.against_errors)
        if self.against_people:
            yield Text(render.shown_ranks(console, self.against_people))
        if not self.belief.explained:
            name = printable(self.strategy.name)
            said = f"{name} play is never like this: from here your opponent may make mistakes"
            yield Text(said, "dim")
        yield Text()
        yield from self._listing(console, options.max_width)
        if lacks := self.options.experts_lack:
            yield Text(
                f"experts go by the cards kept and played: they do not know {lacks}", style="dim"
            )


def card_answer(
    question: Question, *, explain: bool = False, distribution: bool = False
) -> dict[str, Any]:
    """Return what each card is worth as plain values, ready for JSON; empty if you say go."""
    if question.must_go:
        return {**question.position.to_dict(), "opponent": question.opponent.name, "cards": []}
    return advise_card(question).to_dict(explain=explain, distribution=distribution)


@one_blas_thread()
def advise_card(question: Question) -> PlayAdvice:
    """Work out what each card is worth, as `cribev.advise_play` says."""
    position = question.position
    if position.score is not None and position.starter is None:
        return _over_starters(question)
    position.require_card()
    role = position.role
    strategy = question.opponent.play.strategy()
    frequencies = question.opponent.discards.keeps(role)
    belief = believe(position, frequencies, strategy)
    tree = _tree(position, belief, strategy)
    ranks, values, outcomes = tree.ranks, tree.worth, None
    expected, end = values[:, 0] - values[:, 1], None
    if position.score is not None:
        end, outcomes = _ends_of_cards(question, belief, frequencies)
    expert = solution.shipped_strategy()
    share = expert.choices(expert.node(position.play.history), position.left_ranks)[ranks]
    columns = {
        "expected": expected, "own": values[:, 0], "opponent": values[:, 1],
        "behind": np.zeros_like(expected), "share": share,
    }  # fmt: skip
    options = _ranked(question, columns, outcomes)
    if (options.rank == 1).sum() > 1 and belief.left:
        value_against_any = _worth(position, believe_anything(position, strategy), strategy, end)
        options = replace(options, value_against_any=value_against_any)
    return PlayAdvice(options, strategy, frequencies, belief)


def _over_starters(question: Question) -> PlayAdvice:
    """Average the chances to win over the starter's rank, by how likely each is after the play.

    Where heels would have ended the game it was not cut.
    """
    from cribev.system.bars import tqdm

    position = question.position
    unscored = replace(position, score=None)
    points = advise_card(Question(unscored, question.opponent))
    theirs = position.play.played_by(opposite_role(position.role))
    unseen = 4 - position.dead_ranks - np.bincount([*map(rank_of, theirs)], minlength=len(RANKS))
    often, chances = list[float](), list[Outcomes[Floats]]()
    ranks = np.flatnonzero(unseen).tolist()
    for rank in tqdm(ranks, desc="starters", leave=False, disable=None, delay=0.5):
        with_starter = replace(position, starter=SUITLESS_OFFSET + rank)
        if with_starter.winner is None:
            belief = believe(with_starter, points.frequencies, points.strategy)
            known = replace(question, position=with_starter)
            often.append((4 - position.dead_ranks[rank]) * belief.evidence)
            chances.append(_ends_of_cards(known, belief, points.frequencies)[1])
    outcomes = Outcomes(*sum_to_one(np.average(chances, axis=0, weights=often)))
    return replace(points, options=_ranked(question, points.options.columns, outcomes))


def _ends_of_cards(
    question: Question, belief: Belief, frequencies: KeepFrequencies
) -> tuple[GameWon, Outcomes[Floats]]:
    """Return what ends of the play are worth, and how the game may end with each card."""
    end, strategy = end_of_game(question, belief, frequencies), question.opponent.play.strategy()
    return end, end.outcomes(_tree(question.position, belief, strategy, end).worth)


def _ranked(
    question: Question, columns: Mapping[str, NDArray[Any]], outcomes: Outcomes[Floats] | None
) -> Options:
    """Make options of cards, and say how far each is behind the best."""
    columns = {**columns, **question.columns(outcomes)}
    options = Options.of_cards(question, columns)
    behind = np.where(options.rank > 1, options.best.expected - options.expected, 0.0)
    return replace(options, columns={**options.columns, "behind": behind})


def _tree(
    position: Position, belief: Belief, strategy: PlayStrategy, end: EndValue | None = None
) -> PlayTree:
    """Return what can follow the position, by what the opponent may hold; in points without end."""
    known = position.play.history, position.role, position.left_ranks, belief
    return PlayTree(*known, opponent=strategy, end=end)


def _worth(
    position: Position, belief: Belief, strategy: PlayStrategy, end: GameWon | None
) -> Floats:
    """Return what each card is worth, ``(k,)``, in points or by the ends."""
    worth = _tree(position, belief, strategy, end).worth
    return worth[:, 0] - worth[:, 1] if end is None else end.objective(worth)


def end_of_game(question: Question, belief: Belief, frequencies: KeepFrequencies) -> GameWon:
    """Compute what ends are worth in chances to win; the starter is known."""
    position, win_table = question.position, question.opponent.play.game().win_table
    if win_table is None or position.now is None:
        raise TableError("the solution is for the show alone: nobody wins by it")
    if position.suits_known:
        shown = [(1.0, shown_by_keep(position, frequencies))]
    else:
        own = solution.shipped_keep_frequencies(position.role)
        shown = shown_over_suits(position, frequencies, own)
    keeps = keeps_of(GameSize(), belief.left)[belief.played][belief.chance > 0]
    return game_won(position.role, position.now, shown, keeps, win_table, question.stakes.value)
