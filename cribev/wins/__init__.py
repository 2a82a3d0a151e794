"""How likely a game ends how: chances to win and skunks, for one deal or for many.

`exact`: one deal, by everything that can follow; `in_play`: from the middle of a play. Of many
deals, `near` is for those near the end of a game, and `far` for the others. `orders`: in which
order points fall between any two keeps. `hands`: what both players may show; `pmfs`: how likely a
hand and a crib make each number of points. `endings`: how points end a game.
"""
