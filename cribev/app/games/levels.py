"""The moves of a level in a game."""

from dataclasses import replace

from cribev.advice.answers import answer
from cribev.advice.cards import PlayAdvice
from cribev.advice.discards import Advice
from cribev.advice.players import Level, is_near_end
from cribev.advice.question import Question
from cribev.app.games.game import EXPERT, Game, Move, choice_seed
from cribev.game.deal import Position

NEWCOMER = "club"  # the level of a player who has not chosen yet


def decide(level: Level, game: Game, player: int) -> Move:
    """Ask a level for a move, given its position alone."""
    position = game.position(player)
    if position.to_do == "discard":
        score = game.score[player], game.score[1 - player]
        discard = level.discard(list(position.held.dealt), role=position.role, score=score)
        return Move("discard", player, tuple(discard))
    return Move("play", player, (level.play(position),))


def advised(position: Position) -> Advice | PlayAdvice:
    """Advise a player who is to discard or play: near the end by chances to win, else by points."""
    if not is_near_end(position.score):
        position = replace(position, score=None)
    return answer(Question(position))


def answer_moves(game: Game, level: str = "expert") -> None:
    """Let the player's opponent, of a level, do all it has to, until it is the player's turn.

    It is told what it may see, and nothing else. What it draws depends on the seed and on how often
    it has moved: two who do the same with the same seed get the same answers.
    """
    while game.to_do(EXPERT) in ("discard", "play"):
        moved = sum(move.player == EXPERT for move in game.moves)
        opponent = Level(level, choice_seed(game.seed, moved))
        game.make(decide(opponent, game, EXPERT))
