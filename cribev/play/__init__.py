"""Which card to play now, and why.

`position`: what a player knows in the middle of a play. `belief`: what the opponent may hold.
`endings`: what is forced where few cards are left, and what the end is worth. `evaluation`: what
each card is worth, by the best response to the opponent's strategy. `pegging_pmf`: what two peg
who both play by a strategy. `show_pmf`: what the opponent's hand and the crib show. `winning`:
chances to win in place of points. `replies`: what can follow a card. `explanation`: that, and what
the opponent may hold, for people to read. `advice`: all that, as an answer. `leads`: what to lead
before the cut. `shares`: how often an expert plays each card.
"""
