"""Chances of each end of a game: chances to win and skunks, for one deal or for many.

`exact`: one deal, by everything that can follow; `in_play`: from the middle of a play. For many
deals, `near` is used near the end of a game, and `far` for the others. `orders`: the order in which
two keeps peg points. `hands`: what both players may show, and how likely a hand and a crib make
each number of points.
"""
