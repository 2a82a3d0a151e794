"""What a player is advised in a game: by chances to win where the score decides, else by points."""

from dataclasses import replace

from cribev.advice.answers import advise
from cribev.advice.cards import PlayAdvice, play_advice
from cribev.advice.discards import Advice
from cribev.game.deal import Position
from cribev.game.stakes import Stakes
from cribev.solution.solution import shipped_strategy


def advised(position: Position, stakes: Stakes) -> Advice | PlayAdvice:
    """Advise who is to discard or to lay a card, for what the game is played for."""
    if not stakes.decide(position.score):
        position = replace(position, score=None)
    played_for = None if position.score is None else stakes
    return (
        advise(position, stakes=played_for)
        if position.to_do == "discard"
        else play_advice(position, shipped_strategy(), played_for)
    )
