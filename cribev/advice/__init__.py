"""What to do, and why: which two cards go to the crib, and which card is laid now.

`discards` answers which two of six cards, or of six ranks, are discarded, `reasons` why; `cards`
which card is laid, and why. Below them, `outcomes` are every hand and every crib that can follow a
discard, and `exact` values many deals by them, on several cores. `belief` is what the opponent may
hold, and `tree` what each card is worth by the best response to the opponent's strategy. `wins` are
chances to win the game: what hands and cribs show, what two peg, and what follows from the score.
`decisions`: what each choice is worth, and what was made of one, discard or card.
"""
