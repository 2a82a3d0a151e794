"""Opponents of every strength: what each level considers, and how often it makes each choice."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from cribev.advice.answers import advise, answer
from cribev.advice.levels import choice_chances, greedy_card, greedy_discard
from cribev.advice.options import Options
from cribev.advice.question import Question
from cribev.classes.canonical import Floats
from cribev.errors import CribevError, quote, unknown
from cribev.evaluation.by_habits import parse_person
from cribev.game.cards import CardsLike, as_cards, rank_of
from cribev.game.deal import Position
from cribev.game.index_tables import DISCARDS
from cribev.game.roles import Role
from cribev.game.score import NEAR_END, Score
from cribev.opponents.counts import keep_chances
from cribev.opponents.habits import HABITS, LEVELS
from cribev.solution.solution import shipped_strategy
from cribev.values.counts import hand_scores

SeedLike: TypeAlias = int | Sequence[int] | None
"""A seed of `numpy.random.default_rng`; None draws afresh."""

PLAYED = (*(name for name in LEVELS if name != "greedy"), "people")
"""The levels that can be played by name on the page; others by their habits."""


class Level:
    """An opponent of some strength, who makes the mistakes of that level.

    Most choose by quantal response: with chances as ``exp(value / temperature)``. The upper levels
    value each choice exactly, the lower ones look at less: the hand without the crib, the points a
    card pegs at once. ``"greedy"`` keeps the best hand by a published table of average cribs, and
    plays what makes the most points at once, of equals the highest card; ``"expert"`` chooses as
    the solved game does. From club up, all but greedy choose by what wins most where a player
    needs 31 points or fewer.

    Parameters
    ----------
    name
        ``"beginner"``, ``"casual"``, ``"club"``, ``"greedy"``, ``"strong"`` or ``"expert"``;
        ``"people"``, or the habits of somebody as JSON, as `cribev.fit_habits` writes them.
    seed
        What its choices are drawn by.

    Raises
    ------
    CribevError
        If there is no such level.

    Examples
    --------
    >>> Level("expert", seed=1).discard([7, 16, 18, 29, 43, 46], role="dealer", score=(0, 0))
    [7, 29]
    >>> Level("clubs")
    Traceback (most recent call last):
    cribev.errors.CribevError: unknown level 'clubs'; did you mean 'club'?
    """

    def __init__(self, name: str, seed: SeedLike = None) -> None:
        self.title = str(name)
        if self.title.lstrip().startswith("{"):
            person = parse_person(self.title, "the level")
            name, self.title, self.habits = person.text, person.name, person.habits
        elif self.title in HABITS:
            self.habits = HABITS[self.title]
        else:
            raise CribevError(unknown("level", self.title, [*LEVELS, "people"]))
        self.name = str(name)
        try:
            self._generator = np.random.default_rng(seed)
        except (TypeError, ValueError) as error:
            expected = "expected whole numbers from 0 up, or None"
            raise CribevError(f"invalid seed {quote(repr(seed))}: {expected}") from error

    def __repr__(self) -> str:
        return f"Level({self.title!r})"

    def chances(self, options: Options) -> Floats:
        """Return how often the level makes each choice of a position.

        Parameters
        ----------
        options
            What the choices are worth: ``cribev.advise(…).options``, of cards
            ``cribev.advise_play(…).options``, and those of a review's decisions.

        Returns
        -------
        float64 ``(n,)``, in the order of ``options.choices``; the sum is 1. So
        ``chances @ options.losses`` are the points that the level loses there.

        Examples
        --------
        >>> options = advise("5H 5D JS QC 2H 8D", role="dealer").options
        >>> for name in ("beginner", "club", "greedy"):
        ...     print(name, round(Level(name).chances(options) @ options.losses, 2))
        beginner 1.79
        club 0.07
        greedy 0.0
        """
        if not isinstance(options, Options):
            expected = "expected what choices are worth, advise(…).options"
            raise CribevError(f"invalid options {quote(repr(options))}: {expected}")
        return choice_chances(self.name if self.name in LEVELS else self.habits, options)

    def discard(self, deal: CardsLike, *, role: Role, score: tuple[int, int]) -> list[int]:
        """Discard what the level discards; ``score`` has its own points first."""
        hand = np.sort(as_cards(deal, count=6))
        if self.name == "greedy":
            hands, choices = hand_scores(hand).mean(axis=1), hand[DISCARDS].tolist()
            return list(choices[greedy_discard(hands, choices, role)])
        if self._is_to_win(Score.read(score, role)):
            return self._choice(advise(hand, role=role, score=score).options)
        if self.name == "expert":  # which needs no values
            discard: list[int] = hand[DISCARDS[self._draw(keep_chances(hand, role=role))]].tolist()
            return discard
        return self._choice(advise(hand, role=role).options)

    def play(self, position: Position) -> int:
        """Play what the level plays, one of ``position.legal``."""
        if self.name == "greedy":
            return greedy_card(position)
        to_win, alone = self._is_to_win(position.score), len(position.legal_ranks) == 1
        if self.name == "expert" and (alone or not to_win):
            strategy = shipped_strategy()
            node = strategy.node(position.play.history)
            rank = self._draw(strategy.choices(node, position.left_ranks))
            return next(card for card in position.legal if rank_of(card) == rank)
        if alone:
            return position.legal[0]
        if not to_win:
            position = replace(position, score=None)
        if to_win or self.habits.danger is None:
            return self._choice(answer(Question(position)).options)[0]
        return self._choice(Options.of_cards(Question(position), {}))[0]  # it takes no values

    def _is_to_win(self, score: Score | None) -> bool:
        return self.habits.to_win and is_near_end(score)

    def _choice(self, options: Options) -> list[int]:
        if self.name == "expert":
            return list(options.best.cards)
        return list(options.choices[self._draw(self.chances(options))])

    def _draw(self, chances: Floats) -> int:
        """Draw an index with these chances."""
        below = np.cumsum(chances)
        index = int(np.searchsorted(below, self._generator.random() * below[-1], side="right"))
        return min(index, int(np.flatnonzero(chances)[-1]))


def is_near_end(score: Score | None) -> bool:
    """Return whether a player needs 31 points or fewer, who then plays to win."""
    return score is not None and score.is_near(NEAR_END)
