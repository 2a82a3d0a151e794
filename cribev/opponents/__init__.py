"""Who discards the other two cards of the crib, and who plays.

`opponents`: an expert, an opponent who discards at random, one known by frequencies, a published
table of cribs. `strategies`: how others play. `habits`: the mistakes of people and levels, in
numbers; `people`: an opponent who makes them; `habit_tables`: the tables against such an opponent,
as they are stored. `counts`: what the solved expert discards over the whole deck, what is left of
it beside six cards, and how often each four of six cards are kept.
"""
