"""Players: the interface that a player implements, and some players."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from cribev.advice.answers import advise
from cribev.advice.cards import advise_card
from cribev.advice.levels import greedy_card, greedy_discard
from cribev.advice.question import Question
from cribev.app.games.errors import MoveError
from cribev.app.games.game import Game, Move
from cribev.classes.canonical import Floats
from cribev.errors import CribevError, quote
from cribev.game import cards
from cribev.game.deal import Position
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import Role
from cribev.game.score import NEAR_END, Score
from cribev.game.scorer import score_hands
from cribev.opponents.counts import keep_chances
from cribev.solution.solution import shipped_strategy

CardChoice: TypeAlias = int | str
"""A card to lay: its number as in ``position.legal``, or text, ``"5"`` or ``"5H"``."""

SeedLike: TypeAlias = int | Sequence[int] | None
"""What `numpy.random.default_rng` takes as a seed; None draws afresh."""

PLAYER, EXPERT = 0, 1  # who is who in a game against the expert: player 0 is a person


class Player(Protocol):
    """Plays cribbage: any class with these two methods does.

    It never hears of cards it would not see at a table.
    """

    def discard(self, deal: cards.Cards, *, role: Role, score: tuple[int, int]) -> cards.CardsLike:
        """Choose the two cards that go to the crib.

        Parameters
        ----------
        deal
            The six cards, numbers 0..51 ascending, uint8 ``(6,)``; `cribev.format_cards` writes
            them as text.
        role
            ``"dealer"``, whose crib it is, or ``"pone"``.
        score
            Points in the game before this deal, the player's first.

        Returns
        -------
        Two of the cards, as numbers or as text, ``"2H 8D"``.
        """
        ...

    def lay(self, position: Position) -> CardChoice:
        """Choose the card to lay.

        Parameters
        ----------
        position
            What the player knows: ``position.legal`` has the cards that can be laid, and
            ``position.play`` the count and the cards on the table; `cribev.advise_play` values
            the cards of a position.

        Returns
        -------
        One of ``position.legal``, or a card as text.
        """
        ...


class Expert:
    """Discards and plays as the solution does that comes with the package, each choice drawn.

    Discards come as often as in the solved game, near-equal ones mixed, and so do cards. At the
    play nobody gains more than 0.0016 points a deal on it, both roles together. It plays for points
    and pays no heed to the score.

    >>> Expert(seed=1).discard([7, 16, 18, 29, 43, 46], role="dealer", score=(0, 0))
    [7, 29]
    """

    def __init__(self, seed: SeedLike = None) -> None:
        self._generator = seeded_generator(seed)

    def discard(self, deal: cards.CardsLike, *, role: Role, score: tuple[int, int]) -> list[int]:
        """Discard what an expert discards, near-equal discards mixed."""
        hand = np.sort(np.asarray(deal, dtype=np.uint8))
        keep = draw_choice(keep_chances(hand, role=role), self._generator)
        discard: list[int] = hand[DISCARDS[keep]].tolist()
        return discard

    def lay(self, position: Position) -> int:
        """Play what an expert plays."""
        strategy = shipped_strategy()
        chances = strategy.choices(strategy.node(position.play.history), position.left_ranks)
        return _first_of(draw_choice(chances, self._generator), position)


class RacingExpert(Expert):
    """An expert who plays to win where a player needs 31 points or fewer."""

    def discard(self, deal: cards.CardsLike, *, role: Role, score: tuple[int, int]) -> list[int]:
        """Discard what wins most near the end, and else as an expert does."""
        if not is_near_end(Score.read(score, role)):
            return super().discard(deal, role=role, score=score)
        return list(advise(deal, role=role, score=score).best.cards)

    def lay(self, position: Position) -> int:
        """Lay what wins most near the end, and else as an expert does."""
        if not is_near_end(position.score) or len(position.legal_ranks) == 1:
            return super().lay(position)
        return advise_card(Question(position)).best.cards[0]


def is_near_end(score: Score | None) -> bool:
    """Return whether a player needs 31 points or fewer, who then plays to win."""
    return score is not None and score.is_near(NEAR_END)


class GreedyPlayer:
    """Takes the points it can see.

    It keeps the hand that averages most over the starters, plus or minus a published average crib
    (Schell's), and lays what makes the most points at once, of equals the highest card.

    >>> GreedyPlayer().discard([7, 16, 18, 29, 43, 46], role="dealer", score=(0, 0))
    [7, 29]
    """

    def discard(self, deal: cards.CardsLike, *, role: Role, score: tuple[int, int]) -> list[int]:
        """Discard by the average hand and a table of average cribs; of equals the first keep."""
        hand = np.sort(np.asarray(deal, dtype=np.uint8))
        starters = cards.unseen(hand)
        hands = np.repeat(hand[KEEPS], len(starters), axis=0)
        points = score_hands(hands, np.tile(starters, len(KEEPS))).reshape(len(KEEPS), -1)
        choices: list[list[int]] = hand[DISCARDS].tolist()
        return choices[greedy_discard(points.mean(axis=1), choices, role)]

    def lay(self, position: Position) -> int:
        """Lay the card with the most points at once."""
        return greedy_card(position)


class RandomPlayer:
    """Discards any two cards, and plays any card that fits, each as often."""

    def __init__(self, seed: SeedLike = None) -> None:
        self._generator = seeded_generator(seed)

    def discard(self, deal: cards.CardsLike, *, role: Role, score: tuple[int, int]) -> list[int]:
        """Discard any two cards."""
        hand = np.asarray(deal, dtype=np.uint8)
        discard: list[int] = hand[DISCARDS[self._generator.integers(len(DISCARDS))]].tolist()
        return discard

    def lay(self, position: Position) -> int:
        """Lay any card that fits."""
        card = position.legal[self._generator.integers(len(position.legal))]
        return _first_of(cards.rank_of(card), position)


def decide(player: Player, game: Game, number: int) -> Move:
    """Ask a player for a move, given its position alone; `MoveError` for an illegal one."""
    to_do, position = game.to_do(number), game.position(number)
    if to_do == "discard":
        deal = np.array(position.held.dealt, dtype=np.uint8)
        score = game.score[number], game.score[1 - number]
        return Move(
            "discard", number, ask_for_discard(player, deal, role=position.role, score=score)
        )
    if to_do != "play":
        raise MoveError(f"there is nothing to decide: the game waits for {to_do!r}")
    return Move("lay", number, (ask_for_card(player, position),))


def ask_for_discard(
    player: Player, deal: cards.Cards, *, role: Role, score: tuple[int, int]
) -> tuple[int, ...]:
    """Return the two cards that a player discards; `MoveError` if it returns something else."""
    given: Any = player.discard(deal, role=role, score=score)
    try:
        return tuple(cards.as_cards(given, count=2).tolist())
    except CribevError as error:
        raise MoveError(str(error)) from None


def ask_for_card(player: Player, position: Position) -> int:
    """Return the card that a player lays; `MoveError` if it returns something else.

    By a rank the first card of it is meant.
    """
    chosen: Any = player.lay(position)
    expected, name = f"expected one of {cards.format_cards(position.legal)}", ""
    if isinstance(chosen, str):
        if (rank := cards.parse_rank(chosen.strip())) is None:
            try:
                return int(cards.as_cards(chosen, count=1)[0])
            except CribevError as error:
                raise MoveError(str(error)) from None
        chosen, name = _first_of(rank, position), cards.RANKS[rank]
    elif isinstance(chosen, bool) or not isinstance(chosen, int | np.integer):
        raise MoveError(f"invalid card {quote(repr(chosen))}: {expected}")
    if chosen not in position.legal:
        known = 0 <= chosen < cards.DECK_SIZE
        name = name or (cards.format_card(int(chosen)) if known else str(chosen))
        raise MoveError(f"{quote(name)} cannot be played: {expected}")
    return int(chosen)


def _first_of(rank: int, position: Position) -> int:
    """Return the first card of a rank that can be laid, -1 for none: suits never matter."""
    return next((card for card in position.legal if cards.rank_of(card) == rank), -1)


def seeded_generator(seed: SeedLike) -> np.random.Generator:
    """Return a player's random generator; `CribevError` for an invalid seed."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        expected = "expected whole numbers from 0 up, or None"
        raise CribevError(f"invalid seed {quote(repr(seed))}: {expected}") from error


def draw_choice(chances: Floats, generator: np.random.Generator) -> int:
    """Draw an index with these chances."""
    below = np.cumsum(chances)
    at = int(np.searchsorted(below, generator.random() * below[-1], side="right"))
    return min(at, int(np.flatnonzero(chances)[-1]))
