"""What to do, and why: which two cards go to the crib, and which card is laid now.

`discards` answers which two of six cards, or ranks, are discarded, `cards` which card is laid;
`reasons` say why, and what decides between two choices. Below them, `outcomes` are every hand and
every crib that can follow a discard, of one deal or of many, on several cores. `wins` are chances
to win the game: what `hands` and cribs show, what two peg, and what follows from the score. `tree`
is what the opponent may hold, and what each card is worth by the best response to the opponent's
strategy. `orders`: in which order points fall between any two keeps. `decisions`: what each choice
is worth, and what was made of one, discard or card.
"""
