"""Opponents of every strength: what each level considers, and how often it makes each choice."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from cribev.advice.answers import advise, answer
from cribev.advice.cards import PlayAdvice, advise_card
from cribev.advice.discards import Advice
from cribev.advice.levels import choice_chances
from cribev.advice.names import HABITS
from cribev.advice.options import Options
from cribev.advice.question import Question
from cribev.app.games import players
from cribev.app.games.game import Game, choice_seed
from cribev.classes.canonical import Floats
from cribev.errors import CribevError, quote, unknown
from cribev.game.cards import CardsLike, format_cards
from cribev.game.deal import Position
from cribev.game.roles import Role
from cribev.game.score import Score
from cribev.opponents.habits import LEVELS
from cribev.opponents.people import parse_person

NEWCOMER = "club"  # the level of a player who has not chosen yet

OVERLOOKS: Mapping[str, float] = {"beginner": 1 / 12, "casual": 1 / 30, "club": 1 / 120}
"""How likely a level overlooks each fifteen, pair, run, flush and nobs of the hands it counts.

Nobody has published how often people do: this is an assumption, of 0.9, 0.3 and 0.1 points a deal.
Other levels overlook nothing, and none counts too much.
"""


PLAYED = (*LEVELS, "people")
"""Who can be played by name; others by their habits."""


class Level:
    """An opponent of some strength: a `Player` who makes the mistakes of that level.

    Most choose by quantal response: with chances as ``exp(value / temperature)``. The upper levels
    value each choice exactly, the lower ones look at less: the hand without the crib, the points a
    card pegs at once. ``"greedy"`` is `cribev.GreedyPlayer`; ``"expert"`` chooses as the solved
    game does. From club up, all but these choose near the end of a game by what wins most.

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

    def __init__(self, name: str, seed: players.SeedLike = None) -> None:
        self.title = str(name)
        if self.title.lstrip().startswith("{"):
            person = parse_person(self.title, "the level")
            name, self.title, self.habits = person.text, person.name, person.habits
        elif self.title in HABITS or self.title in LEVELS:
            self.habits = {**HABITS, **LEVELS}[self.title]
        else:
            raise CribevError(unknown("level", self.title, PLAYED))
        self.name = str(name)
        # Who chooses without temperatures.
        self._player: players.GreedyPlayer | players.RacingExpert | None = None
        if name == "greedy":
            self._player = players.GreedyPlayer()
        elif name == "expert":
            self._player = players.RacingExpert(seed)
        self._generator = players.seeded_generator(seed)

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
        """Discard what the level discards."""
        if self._player:
            return self._player.discard(deal, role=role, score=score)
        if self.habits.to_win and players.is_near_end(Score.read(score, role)):
            return self._choice(advise(deal, role=role, score=score).options)
        return self._choice(advise(deal, role=role).options)

    def lay(self, position: Position) -> int:
        """Lay what the level lays."""
        if self._player:
            return self._player.lay(position)
        if len(position.legal_ranks) == 1:
            return position.legal[0]
        if self.habits.to_win and players.is_near_end(position.score):
            options = advise_card(Question(position)).options
        elif self.habits.danger is None:
            options = advise_card(Question(replace(position, score=None))).options
        else:  # what it sees takes no values
            options = Options.of_cards(Question(position), {})
        return self._choice(options)[0]

    def _choice(self, options: Options) -> list[int]:
        return list(options.choices[players.draw_choice(self.chances(options), self._generator)])


def advised(position: Position) -> Advice | PlayAdvice:
    """Advise who is to discard or to lay a card: near the end by chances to win, else by points."""
    if not players.is_near_end(position.score):
        position = replace(position, score=None)
    return answer(Question(position))


_OTHER_SEAT = 10_000  # choices there are drawn apart, from these numbers on


def answer_moves(game: Game, level: str = "expert", *, player: int = players.EXPERT) -> None:
    """Let the player's opponent, of a level, do all it has to, until it is the player's turn.

    It is told what it may see, and nothing else. What it draws depends on the seed and on how often
    it has moved: two who do the same with the same seed get the same answers.
    """
    while game.to_do(player) in ("discard", "play"):
        moved = sum(move.player == player for move in game.moves)
        moved += _OTHER_SEAT * (player != players.EXPERT)
        opponent = Level(level, choice_seed(game.seed, moved))
        game.make(players.decide(opponent, game, player))


@lru_cache(64)
def duplicate_game(seed: int, dealer: int, level: str = "expert") -> Game:
    """Return the game of an expert against an opponent of a level, on the cards of a seed.

    ``dealer``, 0 for the expert, deals first; the opponent is drawn as in games with that seed.
    """
    game = Game(seed, dealer=dealer)
    while game.winner is None:
        answer_moves(game, level)
        answer_moves(game, player=players.PLAYER)
        if game.phase == "next":
            game.next_deal(players.PLAYER)
    return game


def parting_text(own: Game, expert: Game) -> str:
    """Say where an expert with the same cards first chose otherwise, and what came of that deal.

    Empty if neither did before the end.
    """
    ours, theirs = ([one for one in game.moves if one.kind != "hint"] for game in (own, expert))
    pairs = zip(ours, theirs, strict=False)
    at, (made, other) = next(
        ((at, pair) for at, pair in enumerate(pairs) if pair[0] != pair[1]), (0, (None, None))
    )
    if made is None or other is None or made.kind != other.kind or made.player != players.PLAYER:
        return ""
    number = 1 + sum(move.kind == "next" for move in ours[:at])
    did = "discarded" if made.kind == "discard" else "played"
    cards = [format_cards(one.cards, symbols=True) for one in (made, other)]
    brought = []
    for game in (own, expert):
        ends = [(0, 0), *(one.score for one in game.events if one.deal < number)][-1]
        after = [one.score for one in game.events if one.deal == number][-1]
        brought.append(f"{after[0] - ends[0]}–{after[1] - ends[1]}")
    return (
        f"You parted from the expert first in deal {number}: you {did} {cards[0]}, the expert "
        f"{cards[1]}. That deal brought you {brought[0]}, and the expert {brought[1]}."
    )
