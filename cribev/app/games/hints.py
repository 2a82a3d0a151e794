"""Advice during a game: by chances to win where the score decides, else by points."""

from dataclasses import replace

from cribev.advice.answers import answer
from cribev.advice.cards import PlayAdvice
from cribev.advice.discards import Advice
from cribev.advice.question import Question
from cribev.game.deal import Position
from cribev.game.stakes import WIN_STAKES, Stakes


def advised(position: Position, stakes: Stakes) -> Advice | PlayAdvice:
    """Advise who is to discard or to lay a card, for what the game is played for."""
    if not stakes.decide(position.score):
        position, stakes = replace(position, score=None), WIN_STAKES
    return answer(Question(position, stakes=stakes))
