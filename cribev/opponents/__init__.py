"""Who discards the other two cards of the crib, and who plays.

`players`: the opponents there are, an expert who plays to win at one score among them. `counts`:
what the solved expert discards over the whole deck, what is left of it beside six cards, and how
often which four of six given cards are kept.
"""
