"""Who discards the other two cards of the crib, and who plays.

`discarders`: the opponents there are. `counts`: what the solved expert discards over the whole
deck, what is left of it beside six cards, and how often which four of six given cards are kept.
`players`: who plays otherwise than an expert, and an expert who plays to win at one score.
"""
