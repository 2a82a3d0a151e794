"""The names of the columns that are read and written, and what each holds."""

REQUIRED_COLUMNS = ("deal", "role", "cards", "discard")  # what every record has

RECORD_COLUMNS = (
    *("game", "deal", "player", "role", "cards", "discard"),
    *("starter", "opponent_discard"),
)
"""The columns of a record of discards alone: neither the play nor the score."""

PEGGED_COLUMNS = ("pegged", "opponent_pegged")
SCORE_COLUMNS = (*PEGGED_COLUMNS, "play", "score", "score_after")
"""The play and the score, where a record has them."""

FINAL_SCORE = "final_score"  # what a record says of a whole game, which its deals may contradict

SYNONYMS = {
    "game": "game_number game_no game_id",
    "deal": "hand_number hand_no deal_number deal_no deal_id",
    "player": "player_name",
    "role": "dealer is_dealer is_crib own_crib my_crib crib_owner",
    "crib": "is_crib type hand_type",
    "cards": "hand dealt dealt_cards cards_dealt dealt_hand six_cards",
    "discard": "discards discarded discarded_cards thrown throw",
    "keep": "keeps kept kept_cards",
    "starter": "cut start starter_card cut_card start_card turn_up upcard",
    "opponent_discard": "opponent_discards opponent_discarded opp_discard",
    "pegged": "pegging pegs pegged_points pegging_points",
    "opponent_pegged": "opponent_pegging opponent_pegs opp_pegged",
    "play": "pegging_play laid cards_played",
    "score": "score_before",
    "final_score": "final result game_result final_result",
}
"""Other names of columns, used if no column has the name itself."""

GRADE_COLUMNS = (
    *("best_discard", "expected", "best_expected", "loss", "rank", "verdict", "margin"),
    *("deal_luck", "starter_luck", "crib_swing", "play_swing", "result"),
)
"""The columns that a review adds to each row of a record, in points."""

CUT_COLUMNS = ("cut_luck", "cut_sd")
"""The columns it adds on the cut, in points."""

WIN_COLUMNS = (
    *("judged_by", "win_before", "win", "best_win", "win_discard", "win_loss"),
    *("win_deal_luck", "win_luck", "win_after", "win_unknown"),
)
"""The columns it adds in chances to win."""

VALUE_COLUMNS = ("value_before", "value", "best_value", "value_after")
"""The columns it adds where games are played for more than to win them."""

PLAY_COLUMNS = ("play_luck", "play_lost", "opponent_play_lost")
"""The columns it adds in points where cards are graded."""

WIN_PLAY_COLUMN = "win_play_lost"  # what it adds in chances to win where cards are graded

DISCARD_GROUPS = tuple(
    f"group_{kind}"
    for kind in ("role", "crib", "pair", "run", "fifteen", "flush", "weighed", "end")
)
"""The group of each kind that a discard is in, as in a review's leaks."""

CARD_GROUPS = ("group_role", "group_situation", "group_end")  # and those of a card

COLUMN_DESCRIPTIONS = {
    "game": "any name; one game needs none",
    "deal": "its number in the game, from 1",
    "player": "a name; one player needs none",
    "role": "dealer or pone",
    "cards": "the six cards dealt",
    "discard": "the two cards discarded",
    "answer": "the discard to judge",
    "agrees": "whether the answer is the best discard, or as good; False where it is empty",
    "discard_ranks": "their ranks",
    "suited": "whether they are of one suit; False where a suit is missing",
    "keep": "the four cards kept",
    "starter": "the card cut",
    "opponent_discard": "the two cards the opponent discarded",
    "pegged": "points pegged in the play",
    "opponent_pegged": "points the opponent pegged",
    "play": "the cards in the order played, all unless the game ends; pegged follows from it",
    "score": "the score before the deal, the player's points first, a star at the dealer's",
    "opponent_score": "the opponent's points, if score has the player's alone",
    "score_after": "the score after the deal, if the cards or the next deal's score tell it",
    "rank": "rank among the 15 discards; equal ones share it",
    "best_discard": "the best discard",
    "best_keep": "the cards it keeps",
    "hand_mean": "average hand",
    "hand_min": "the lowest it can be",
    "hand_max": "the highest it can be",
    "hand_sd": "its standard deviation",
    "crib_mean": "average crib",
    "crib_min": "the lowest it can be",
    "crib_max": "the highest it can be",
    "crib_sd": "its standard deviation",
    "play_own": "points you peg on average if two experts play",
    "play_opponent": "points your opponent pegs then",
    "play_mean": "your points in the play minus your opponent's",
    "win": "chance to win the game from the score, 0 to 1",
    "skunk": "of that by a skunk: the opponent has fewer than 91 then",
    "double_skunk": "of that by a double skunk: fewer than 61",
    "lose": "chance to lose the game",
    "skunked": "of that by a skunk: you have fewer than 91 then",
    "double_skunked": "of that by a double skunk",
    "value": "what these are worth by the stakes",
    "win_method": "exact; or approximate, to about 0.0005",
    "expected": "average hand plus average crib as dealer, minus it as pone, plus play_mean",
    "margin": "how much more the best discard is worth than the second best",
    "behind": "how many points it is behind the discard with the most",
    "best_expected": "what the best discard is worth",
    "loss": "how much less the discard chosen is worth than the best",
    "verdict": "best, close, inaccuracy, mistake or blunder",
    "deal_luck": "what the best discard is worth, minus the average for the role",
    "starter_luck": "what the cut adds",
    "crib_swing": "the crib as counted, minus its average; as pone, the reverse",
    "cut_luck": "luck of the cut: what hands, crib and heels come to, yours less your opponent's, "
    "minus the average over all cards that could have come",
    "cut_sd": "its standard deviation over these cards",
    "play_swing": "points pegged minus the opponent's, minus its average",
    "play_luck": "luck in the play, and the opponent's errors: play_swing plus play_lost",
    "play_lost": "what the player's cards lost in the play",
    "opponent_play_lost": "what the opponent's cards lost, if those six are recorded too",
    "win_play_lost": "what the player's cards lost in the play, in chances to win",
    "judged_by": "what decides the verdict: win where the score is known and a player needs 31 or "
    "fewer (with stakes, 61 or fewer), else points",
    "win_before": "chance to win the game before the deal, 0 to 1, if two experts play on",
    "win_discard": "the discard that wins most, or is worth most by the stakes",
    "best_win": "chance to win with that discard",
    "win_loss": "how much less the discard chosen wins",
    "win_unknown": "which score is missing, where chances are not known",
    "win_deal_luck": "best_win minus win_before",
    "win_luck": "luck after the discard, and the opponent's errors: win_after minus win, plus "
    "win_play_lost where cards are graded",
    "win_after": "chance to win after the deal, 1 or 0 if the game is over",
    "value_before": "what win_before is worth, with skunks; win_loss, win_deal_luck, win_luck and "
    "win_play_lost are in this unit then",
    "best_value": "what the best discard is worth by the stakes",
    "value_after": "what the score after the deal is worth",
    "result": "hand and crib as counted, and the play if it is recorded, else its average; all "
    "minus the average for the role",
}
"""Each column with its meaning; numbers are points, of the discard the row is about."""

CARD_COLUMNS = {
    **{name: COLUMN_DESCRIPTIONS[name] for name in ("game", "deal", "player", "role")},
    "number": "which card of the play it is, from 1 to 8",
    "played": "the cards as they fell before, goes included",
    "count": "the count before the card",
    "card": "the rank played",
    "points": "points the card pegs, and a go that follows it",
    "decision": "lead, answer (the dealer's first card) or later",
    "choices": "how many ranks can be played; with one, nothing is graded",
    "best_card": "the card that is worth most",
    "expected": "what you peg on average from this card to the end of the play, minus what your "
    "opponent pegs",
    "best_expected": "the same for the best card",
    "loss": "how much less the card played is worth than the best",
    "share": "how often an expert with these cards plays it",
    "greedy_loss": "what a greedy player would have lost",
    "random_loss": "what a random card would have lost on average",
    "verdict": "best, close, inaccuracy, mistake or blunder; forced without a choice",
}
"""The columns of a review about each card; values are points in the rest of the play."""

CARD_WIN_COLUMNS = {
    "judged_by": COLUMN_DESCRIPTIONS["judged_by"],
    "win_card": "the card that wins most",
    "win": "chance to win the game after the card, 0 to 1",
    "best_win": "chance to win the game with the card that wins most",
    "win_loss": "how much less the card played wins",
    "greedy_win_loss": "what a greedy player would have lost, in chances to win",
    "random_win_loss": "what a random card would have lost on average, in chances to win",
}
"""The columns it adds in chances to win."""

CARD_VALUE_COLUMNS = {
    "value": "what chances are worth by the stakes, and win_loss with them",
    "best_value": "what the best card is worth by the stakes",
}
"""The columns it adds where games are played for more than to win them."""

CARD_COLUMN_DESCRIPTIONS = CARD_COLUMNS | CARD_WIN_COLUMNS | CARD_VALUE_COLUMNS

LEAK_COLUMNS = {
    "player": "whose decisions they are",
    "decision": "discard or card",
    "kind": "what they are grouped by; each decision is in one group of each kind",
    "group": "its short name",
    "words": "a description of the group",
    "place": "1, 2 or 3 for the groups to mend first, of those that lose beyond chance; else 0",
    "decisions": "how many there are",
    "by_wins": "how many of them are judged by wins",
    "errors": "how often another choice was best",
    "loss": "points lost in all, where points decide",
    "loss_se": "its standard error",
    "loss_mean": "points lost in each, where points decide",
    "loss_mean_se": "its standard error",
    "club_loss_mean": "points that a club player would lose in each on average",
    "expert_loss_mean": "points that an expert would lose in each on average",
    "loss_a_game": "points that mending it would gain in a game",
    "win_loss": "chances to win lost in all, where they are known for each",
    "win_loss_se": "its standard error",
    "win_loss_a_game": "chances to win that mending it would gain in a game",
    "beyond": "how much more that is than one of the same strength loses who errs alike "
    "everywhere, in chances to win if they are known for each decision, else points",
    "beyond_se": "its standard error",
    "certain_after": "after how many games that is certain, if it goes on so, where it can be told",
    "rule": "a rule of thumb",
    "holds": "how often it holds, in a million deals",
    "example": "the costliest decision, as a position",
    "chosen": "what was chosen there",
    "best_choice": "what was best there",
    "lost": "what that lost, in chances to win if they are known for each decision, else points",
}
"""Each column of a player's leaks, with its meaning."""

OPPONENT_COLUMNS = {
    "player": "whose games they are",
    "opponent": "against whom; empty where the record does not say",
    "games": "how many there are",
    "won": "how many of them the player won, of those whose end is known; not known if of none",
    "lost": "how many of them the player lost",
    "ahead": "points ahead at the end, on average",
    "ahead_se": "its standard error",
    "lost_a_deal": "points lost a deal by discards and cards, where points decide",
    "cut_luck": "luck of the cut in all, over the games where it is known of every deal",
    "cut_sd": "its standard deviation",
    "cut_games": "how many of these games are over",
    "cut_decided": "how many of these it decided: it was more than the winner's lead",
}
"""The columns that a review adds up by player and opponent."""
