"""Opponents: who discards the other two cards of the crib, and who plays against you.

`opponents`: an opponent, made of discards and cards: an expert's, at random, or by frequencies.
`strategies`: other ways to play, and how likely choices are. `habits`: the mistakes of people and
levels, in numbers; `people`: what they then discard and play. `counts`: what the solved expert
discards from the whole deck, from the cards you do not hold, and how often the expert keeps each
four of six cards.
"""
