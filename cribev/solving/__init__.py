"""The game solved from nothing, with the extra ``solve``: discards, play, race, last points.

Three entrances: `solve_discards` of `discards`, which says as well how likely keeps are to face
each other; `ScoreSolver` of `scores`, to win at one score, and the last points of the win table
from that; `AlternatingSolver` of `run`, which does all of it in turn.

The play: `tree` has the rules, `walk` the steps down and up the tree and what its ends are worth,
`solver` learns on the way, `worth` says what strategies are worth, `strategy` rounds them to what
is shipped. `race` plays deals out and solves the win table from them.
"""
