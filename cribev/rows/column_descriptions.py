"""What the columns are that are read and written: one name means the same everywhere."""

REQUIRED_COLUMNS = ("deal", "role", "cards", "discard")
"""What every record has."""

RECORD_COLUMNS = (
    *("game", "deal", "player", "role", "cards", "discard"),
    *("starter", "opponent_discard"),
)
"""What a record of throws alone holds: neither the play nor the score."""

PEGGED_COLUMNS = ("pegged", "opponent_pegged")
SCORE_COLUMNS = (*PEGGED_COLUMNS, "play", "score", "score_after")
"""The play and the score, where a record has them."""

GRADE_COLUMNS = (
    *("best_discard", "expected", "best_expected", "ev_loss", "rank", "verdict", "margin"),
    *("deal_luck", "starter_luck", "crib_swing", "play_swing", "result"),
)
"""What a review adds to each row of a record, in points."""

WIN_COLUMNS = (
    *("judged_by", "win_before", "win", "best_win", "win_discard", "win_loss"),
    *("win_deal_luck", "win_luck", "win_after"),
)
"""What it adds in chances to win."""

PLAY_COLUMNS = ("play_luck", "play_lost", "opponent_play_lost")
"""What it adds in points where cards are graded."""

WIN_PLAY_COLUMN = "win_play_lost"
"""What it adds in chances to win where cards are graded."""

CARD_COLUMNS = (
    *("game", "deal", "player", "role", "number", "laid", "count", "card", "points"),
    *("decision", "choices", "best", "expected", "best_expected", "loss", "share"),
    *("greedy_loss", "random_loss", "verdict"),
)
"""What a review says of each card laid, in points."""

CARD_WIN_COLUMNS = (
    *("judged_by", "win_best", "win", "best_win", "win_loss"),
    *("greedy_win_loss", "random_win_loss"),
)
"""What it adds in chances to win."""

COLUMN_DESCRIPTIONS = {
    "game": "any name; one game needs none",
    "deal": "its number in the game, from 1",
    "player": "a name; one player needs none",
    "role": "dealer or pone",
    "cards": "the six cards dealt",
    "discard": "the two cards thrown",
    "keep": "the four cards kept",
    "starter": "the card cut",
    "opponent_discard": "the two cards the opponent threw",
    "pegged": "points pegged in the play",
    "opponent_pegged": "points the opponent pegged",
    "play": "the cards in the order laid, all unless the game ends; pegged follows from it",
    "score": "the score before the deal, the player's points first, a star at the dealer's",
    "opponent_score": "the opponent's points, if score has the player's alone",
    "score_after": "the score after the deal, if the cards or the next deal's score tell it",
    "rank": "rank among the 15 discards; equal ones share it",
    "best_discard": "the best discard",
    "best_keep": "the cards it keeps",
    "hand_mean": "average hand",
    "hand_min": "the least the hand can be",
    "hand_max": "the most it can be",
    "hand_sd": "its standard deviation",
    "crib_mean": "average crib",
    "crib_min": "the least the crib can be",
    "crib_max": "the most it can be",
    "crib_sd": "its standard deviation",
    "play_own": "points you peg on average if two experts play",
    "play_opponent": "points your opponent pegs then",
    "play_mean": "your points in the play minus your opponent's",
    "win": "chance to win the game from the score, 0 to 1",
    "win_method": "exact; or approximate, to about 0.001, where both need 32 points or more",
    "expected": "average hand plus average crib as dealer, minus it as pone, plus play_mean",
    "margin": "how much more the best discard is worth than the second best",
    "best_expected": "what the best discard is worth",
    "ev_loss": "how much less the discard thrown is worth than the best",
    "verdict": "best, close, inaccuracy, mistake or blunder",
    "deal_luck": "what the best discard is worth, minus the average for the role",
    "starter_luck": "what the cut adds",
    "crib_swing": "the crib as counted, minus its average; as pone, the reverse",
    "play_swing": "points pegged minus the opponent's, minus the average of that",
    "play_luck": "what opponent and chance did in the play: play_swing plus play_lost",
    "play_lost": "what the player's cards lost in the play",
    "opponent_play_lost": "what the opponent's cards lost, if those six are recorded too",
    "win_play_lost": "what the player's cards lost in the play, in chances to win",
    "judged_by": "what decides the verdict: win where the score is known and a player needs 31 or "
    "fewer, else points",
    "win_before": "chance to win the game before the deal, 0 to 1, if two experts play on",
    "best_win": "chance to win with the discard that wins most",
    "win_discard": "the discard that wins most",
    "win_loss": "how much less the discard thrown wins",
    "win_deal_luck": "best_win minus win_before",
    "win_luck": "what cards and opponent did after the discard: win_after minus win, plus "
    "win_play_lost where cards are graded",
    "win_after": "chance to win after the deal, 1 or 0 if the game is over",
    "result": "hand and crib as counted, and the play if it is recorded, else its average; all "
    "minus the average for the role",
}
"""Each column with its meaning; numbers are points, of the discard the row is about."""

CARD_COLUMN_DESCRIPTIONS = {
    **{name: COLUMN_DESCRIPTIONS[name] for name in ("game", "deal", "player", "role")},
    "number": "which card of the play it is, from 1 to 8",
    "laid": "the cards as they fell before, goes included",
    "count": "the count before the card",
    "card": "the rank laid",
    "points": "points the card pegs, and a go that follows it",
    "decision": "lead, answer (the dealer's first card) or later",
    "choices": "how many ranks fit; with one there was no choice, and nothing is graded",
    "best": "the card that is worth most",
    "expected": "what you peg from this card to the end of the play minus what your opponent pegs, "
    "on average, by what you know",
    "best_expected": "the same with the best card",
    "loss": "how much less the card laid is worth than the best",
    "share": "how often an expert lays it, who knows the cards kept and laid",
    "greedy_loss": "what a greedy player would have lost here",
    "random_loss": "what a player would have lost who lays any card that fits",
    "verdict": "best, close, inaccuracy, mistake or blunder; forced without a choice",
    "judged_by": COLUMN_DESCRIPTIONS["judged_by"],
    "win_best": "the card that wins most",
    "win": "chance to win the game after the card, 0 to 1",
    "best_win": "the same with the card that wins most",
    "win_loss": "how much less the card laid wins",
    "greedy_win_loss": "what a greedy player would have lost here, in chances to win",
    "random_win_loss": "what a player would have lost who lays any card that fits, the same way",
}
"""Each column of the cards laid; a card is worth points by the rest of the play alone."""

LAY_COLUMNS = {
    "role": "dealer or pone",
    "hand": "the four cards kept",
    "discard": "the two cards thrown",
    "starter": "the card cut",
    "laid": "the cards as they fell, and go",
    "opponent_hand": "the four cards the opponent kept",
    "card": "the card laid now",
    "best_card": "the rank of the best card",
    "expected": "what the card is worth: points pegged from here less the opponent's",
    "best_expected": "what the best card is worth",
    "ev_loss": "how much less the card laid is worth than the best",
    "rank": "rank among the cards that fit; equal ones share it",
    "verdict": "best, close, inaccuracy, mistake or blunder",
}
"""Each column of a table of cards laid in the play, with its meaning; numbers are points."""
