"""Opponents: who discards the other two cards of the crib, and who plays against you.

`opponents`: an expert, an opponent who discards at random or by given frequencies, a published
table of cribs. `strategies`: other ways to play. `habits`: the mistakes of people and levels, in
numbers; `people`: an opponent who makes them; `habit_tables`: the stored tables against such an
opponent. `counts`: what the solved expert discards from the whole deck, from the cards you do not
hold, and how often the expert keeps each four of six cards.
"""
