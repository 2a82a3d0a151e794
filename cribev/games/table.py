"""A game against the expert: player 0 is a person or a program, player 1 the expert."""

from cribev.games.game import Game
from cribev.games.players import Expert, decide

PLAYER, EXPERT = 0, 1


def answer_moves(game: Game) -> None:
    """Let the expert do all it has to, until it is the player's turn.

    It is told what it may see, and nothing else. What it draws depends on the seed and on how often
    it has moved: two who do the same with the same seed get the same answers.

    >>> game = Game(7, dealer=0)
    >>> game.discard(PLAYER, "3H KC")
    >>> answer_moves(game)
    >>> game.to_do(PLAYER), len(game.view(PLAYER).laid)
    ('play', 1)
    """
    while game.to_do(EXPERT) in ("discard", "play"):
        moved = sum(move.player == EXPERT for move in game.moves)
        game.make(decide(Expert(seed=[game.seed, moved]), game.view(EXPERT)))
