"""Opponents of every strength: what each level looks at, and how often it chooses what."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.advice.cards import play_advice
from cribev.advice.decisions import Options
from cribev.advice.discards import advise
from cribev.choice import DiscardValues
from cribev.classes.canonical import Floats
from cribev.errors import CribevError, quote
from cribev.game.cards import RANKS, SUITLESS_OFFSET, SUITS, CardsLike, rank_of
from cribev.game.deal import Position
from cribev.game.score import WIN_STAKES, Role, Score, Stakes, StakesLike, crib_sign, opposite_role
from cribev.games import players
from cribev.games.game import Game, choice_seed
from cribev.opponents.counts import keep_chances
from cribev.solution.solution import shipped_strategy

_SHARP = 1e-6  # a temperature at which only what is best is chosen
_WIN_OF_POINT = 0.02  # what a point is worth near the end of a game, in chance to win


class Habits(NamedTuple):
    """What a level looks at, and how evenly it errs."""

    words: str  # what it does, in a player's words
    loses: float  # points a deal that our own review finds, measured by ``benchmarks.levels``
    discards: float = 0.0  # the temperature of its discards, in points: 0 chooses the best
    cards: float = 0.0  # the temperature of its cards
    crib: float = 1.0  # how much of the average crib it counts
    play: float = 1.0  # how much of the play it counts when it discards
    danger: float | None = None
    """None if it sees every card to the end of the play. Else it sees what a card pegs at once,
    less so much of what each card your opponent has left would peg on it, if it were any card."""
    to_win: bool = True  # whether it looks at chances to win near the end of a game


LEVELS: Mapping[str, Habits] = {
    "beginner": Habits(
        "Keeps the most points in hand, throws the rest whoever has the crib, and lays what pegs "
        "now. Often overlooks something.",
        3.1, discards=2.1, cards=2.1, crib=0.0, play=0.0, danger=0.0, to_win=False,
    ),
    "casual": Habits(
        "Knows whose crib it is, sees a pair or a fifteen coming, and still lets things slip.",
        1.4, discards=0.98, cards=0.95, crib=0.5, play=0.0, danger=0.5, to_win=False,
    ),
    "club": Habits(
        "Throws with the crib in mind, lays with care, and counts who gets home first. Errs where "
        "it is close.",
        0.7, discards=0.53, cards=0.45, play=0.5, danger=1.0,
    ),
    "greedy": Habits(
        "Keeps the best hand by a printed table of cribs, and lays whatever pegs most now. Never "
        "slips: learn to trap it.",
        0.6, play=0.0,
    ),
    "strong": Habits(
        "Weighs hand, crib and play together, and sees every card to the end. Wrong only where it "
        "hardly matters.",
        0.25, discards=0.34, cards=0.34,
    ),
    "expert": Habits(
        "Over many deals nobody does better than break even against it.", 0.04
    ),
}  # fmt: skip
"""The levels by their names, the weakest first."""

NEWCOMER = "club"  # whom somebody plays who has not chosen yet


class Level:
    """An opponent of a strength: a `Player` who errs as people of that level do.

    Most choose by quantal response: with chances as ``exp(value / temperature)``. The upper levels
    value each choice exactly, the lower ones look at less: the hand without the crib, the points a
    card pegs at once. ``"greedy"`` is `cribev.GreedyPlayer`; ``"expert"`` chooses as the solved
    game does. From club up, all but these choose near the end of a game by what wins most.

    Parameters
    ----------
    name
        ``"beginner"``, ``"casual"``, ``"club"``, ``"greedy"``, ``"strong"`` or ``"expert"``.
    seed
        What its choices are drawn by.
    stakes
        What is played for where the score decides, as for `cribev.advise`.

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
    cribev.errors.CribevError: 'clubs' is no level: expected beginner, casual, club, greedy, strong
    or expert
    """

    def __init__(
        self, name: str, seed: players.SeedLike = None, *, stakes: StakesLike = WIN_STAKES
    ) -> None:
        if (name := str(name)) not in LEVELS:
            *most, last = LEVELS
            expected = f"expected {', '.join(most)} or {last}"
            raise CribevError(f"{quote(name)} is no level: {expected}")
        self.name, self._habits, self._stakes = name, LEVELS[name], Stakes.read(stakes)
        # Who chooses without temperatures.
        self._player: players.GreedyPlayer | players.RacingExpert | None = None
        if name == "greedy":
            self._player = players.GreedyPlayer()
        elif name == "expert":
            self._player = players.RacingExpert(seed, stakes=stakes)
        self._generator = players.seeded_generator(seed)

    def __repr__(self) -> str:
        return f"Level({self.name!r})"

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
            raise CribevError(f"{quote(repr(options))} are no options: {expected}")
        if self.name == "expert":
            return _chances_of_expert(options)
        if self.name == "greedy":
            return _chances_of_greedy(options)
        habits = self._habits
        temperature = habits.discards if options.is_discard else habits.cards
        if habits.to_win and options.decided:
            assert options.value is not None
            value, temperature = options.value, temperature * _WIN_OF_POINT * options.stakes.swing
        elif options.is_discard:
            value = _seen_of_discards(options.columns, crib_sign(options.role), habits)
        elif habits.danger is None:
            value = options.expected
        else:
            value = _seen_of_cards(options, habits.danger)
        weights: Floats = np.exp((value - value.max()) / temperature)
        weights /= weights.sum()
        return weights

    def discard_losses(self, values: DiscardValues, dealer: NDArray[np.bool_]) -> Floats:
        """Return the points its discards lose on average where points decide, of many deals.

        Takes what all 15 are worth, and who deals, ``(N,)``. An expert is taken to make the best,
        greedy to know the average cribs.
        """
        habits = self._habits
        sign = np.where(dealer, crib_sign("dealer"), crib_sign("pone"))[:, None]
        exact = self.name == "expert"
        seen = values.expected if exact else _seen_of_discards(values.columns(), sign, habits)
        weights = np.exp((seen - seen.max(axis=1, keepdims=True)) / (habits.discards or _SHARP))
        lost = values.expected.max(axis=1, keepdims=True) - values.expected
        average: Floats = (weights * lost).sum(axis=1) / weights.sum(axis=1)
        return average

    def discard(self, deal: CardsLike, *, role: Role, score: tuple[int, int]) -> list[int]:
        """Discard what the level discards."""
        if self._player:
            return self._player.discard(deal, role=role, score=score)
        if self._habits.to_win and self._stakes.decide(Score.read(score, role)):
            return self._choice(advise(deal, role=role, score=score, stakes=self._stakes).options)
        return self._choice(advise(deal, role=role).options)

    def lay(self, position: Position) -> int:
        """Lay what the level lays."""
        if self._player:
            return self._player.lay(position)
        if len(position.legal_ranks) == 1:
            return position.legal[0]
        if self._habits.to_win and self._stakes.decide(position.score):
            options = play_advice(position, stakes=self._stakes).options
        elif self._habits.danger is None:
            options = play_advice(replace(position, score=None)).options
        else:  # what it sees takes no values
            options = Options.of_cards(position, {})
        return self._choice(options)[0]

    def _choice(self, options: Options) -> list[int]:
        return list(options.choices[players.draw_choice(self.chances(options), self._generator)])


def _chances_of_expert(options: Options) -> Floats:
    """Return how often `RacingExpert` makes each choice; the best, where that is not known."""
    held = options.position.held.dealt
    if not options.decided:
        if options.frequency is not None:
            return options.frequency
        if options.is_discard and max(held) < SUITLESS_OFFSET:
            return keep_chances(held, role=options.role)
    best = options.rank == 1
    chances: Floats = best / best.sum()
    return chances


def _chances_of_greedy(options: Options) -> Floats:
    """Return 1 for what `GreedyPlayer` chooses, else 0."""
    if options.is_discard:
        at = players.greedy_discard(options.columns["hand_mean"], options.choices, options.role)
    else:
        at = options.index((players.GreedyPlayer().lay(options.position),))
    chances: Floats = np.eye(len(options.choices))[at]
    return chances


def _seen_of_discards(columns: Mapping[str, Floats], sign: Any, habits: Habits) -> Floats:
    """Return what a level takes the discards to be worth, in points."""
    seen = columns["hand_mean"] + habits.crib * sign * columns["crib_mean"]
    seen = seen + habits.play * columns.get("play_mean", 0.0)
    return np.asarray(seen, dtype=np.float64)


def _seen_of_cards(options: Options, danger: float) -> Floats:
    """Return what a level takes cards to be worth that looks one card ahead, in points."""
    position, play = options.position, options.position.play
    strategy = shipped_strategy()
    node, states = strategy.node(play.history), strategy.states
    ranks = [rank_of(card) for (card,) in options.choices]
    points: Floats = states.points[node.state, ranks].astype(np.float64)
    if node.go:
        return points
    known = map(rank_of, (*position.known, *play.laid_by(opposite_role(position.role))))
    unseen = len(SUITS) - np.bincount([*known], minlength=len(RANKS))
    replies = states.points[states.next_state[node.state, ranks]] @ (unseen / unseen.sum())
    points -= danger * position.opponent_left * replies
    return points


_OTHER_SEAT = 10_000  # choices there are drawn apart, from these numbers on


def answer_moves(
    game: Game, level: str = "expert", *, player: int = players.EXPERT, stakes: Stakes = WIN_STAKES
) -> None:
    """Let the player's opponent, of a level, do all it has to, until it is the player's turn.

    It is told what it may see, and nothing else. What it draws depends on the seed and on how often
    it has moved: two who do the same with the same seed get the same answers.
    """
    while game.to_do(player) in ("discard", "play"):
        moved = sum(move.player == player for move in game.moves)
        moved += _OTHER_SEAT * (player != players.EXPERT)
        opponent = Level(level, choice_seed(game.seed, moved), stakes=stakes)
        game.make(players.decide(opponent, game, player))


@lru_cache(64)
def duplicate_score(seed: int, dealer: int) -> tuple[int, int]:
    """Return the points of a player and the opponent on the cards of a seed, both of them experts.

    ``dealer``, 0 for the player, deals first; the opponent is drawn as in games with that seed.
    """
    game = Game(seed, dealer=dealer)
    while game.winner is None:
        for player in (players.EXPERT, players.PLAYER):
            answer_moves(game, player=player)
        if game.phase == "next":
            game.next_deal(players.PLAYER)
    return game.score
