"""The game solved from nothing: discards, play, race, last points. It compiles with numba.

Three entrances: `solve_discards` of `discard_game`, which says as well how likely keeps are to face
each other; `ScoreSolver` of `last_points`, to win at one score, and the last points of the win
table from that; `AlternatingSolver` of `run`, which does all of it in turn. `command` is
``python -m solver``, and `storage` writes its file, with the `provenance`. What it makes is shipped
in ``cribev/data``; cribev imports none of this.

The play: `play_tree` has the rules, the steps down and up and what the ends are worth,
`play_solver` learns on the way and rounds what it has learned to what is shipped, `worth` says what
strategies are worth. `race` plays deals out and solves the win table from them.
"""
