"""What the columns are that commands read and write: one name means the same everywhere."""

from textwrap import wrap

COLUMNS = {
    "game": "any name",
    "deal": "its number in the game, from 1",
    "player": "a name",
    "role": "dealer or pone",
    "cards": "the six cards dealt",
    "discard": "the two cards thrown",
    "keep": "the four cards kept",
    "starter": "the card cut",
    "opponent_discard": "what the opponent threw",
    "pegged": "points pegged in the play",
    "opponent_pegged": "points the opponent pegged",
    "play": "the cards as they fell, from which these follow",
    "score": "the game before the deal, the player's points first, the dealer's with a star",
    "score_after": "the game after it, which the cards tell or the next deal's score",
    "rank": "its place among the 15 discards, equals sharing one",
    "best_discard": "what to throw",
    "best_keep": "what to keep then",
    "hand_mean": "average hand",
    "hand_min": "the least the hand can be",
    "hand_max": "the most",
    "hand_sd": "its standard deviation",
    "crib_mean": "average crib",
    "crib_min": "the least the crib can be",
    "crib_max": "the most",
    "crib_sd": "its standard deviation",
    "play_own": "points you peg on average, if two experts play",
    "play_opponent": "points the opponent pegs then",
    "play_mean": "your points in the play less the opponent's",
    "win": "chance to win the game from the score, 0 to 1",
    "expected": "average hand plus average crib as dealer, minus it as pone, plus play_mean",
    "margin": "how much more the best discard brings than the second best",
    "best_expected": "what the best discard brings",
    "ev_loss": "how much less the discard thrown brings",
    "verdict": "best, close, inaccuracy, mistake or blunder",
    "deal_luck": "what the best discard brings, over the average of the role",
    "starter_luck": "what the cut adds",
    "crib_swing": "what the crib then made beyond its average, as pone taken off",
    "play_swing": "points pegged, the opponent's taken off, over their average",
    "judged_by": "win where the score is known and a player needs 31 or fewer, else points: what "
    "the verdict goes by",
    "win_before": "chance to win the game before the deal, 0 to 1, as two experts play on",
    "best_win": "chance to win with the discard that wins most",
    "win_discard": "that discard",
    "win_loss": "how much less the discard thrown wins",
    "win_deal_luck": "best_win over win_before",
    "win_luck": "what cards and opponent did after the discard: win_after over win",
    "win_after": "chance to win after the deal, 1 or 0 if the game is over",
    "result": "hand and crib as counted, and the play if it is recorded, else its average, over "
    "the average of the role",
}
"""Each column with its meaning; numbers are points, of the discard the row is about."""


def columns_help(*names: str) -> str:
    """List columns and what they are, for the end of a command's help.

    >>> print(columns_help("cards", "keep"))
      cards             the six cards dealt
      keep              the four cards kept
    """
    lines = []
    for name in names:
        first, *more = wrap(COLUMNS[name], 60)
        lines += [f"  {name:16}  {first}", *(f"{'':20}{line}" for line in more)]
    return "\n".join(lines)
