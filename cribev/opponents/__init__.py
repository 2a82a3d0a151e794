"""Who discards the other two cards of the crib, and who plays.

`opponents`: an expert, one who discards at random, one known by frequencies. `strategies`: how
others play. `habits`: how somebody errs; `people`: who errs so, as an opponent; `habit_tables`: the
tables against one who does, as they are stored. `counts`: what the solved expert discards over the
whole deck, what is left of it beside six cards, and how often which four of six cards are kept.
"""
