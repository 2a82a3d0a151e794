"""Two experts, solved, each against the other, and what is shipped of them.

`policies`: what a way to discard comes to over all deals. `solution`: the solved game and its file.
`discards`: how these are solved. `lessons`: what they teach. `packing`: tables made small.

`play`: what is shipped of the play. `play_lessons`: what it teaches. How it is solved, from below:
`play_tables` and `play_ends` are the game, `play_walk` the walk down its tree, `play_choice` what
is done at a choice, `play_sweep` and `play_sample` what then happens, `play_solver` the rounds.
`keeps`: how keeps meet. `turns`: discards and play in turn. What is compiled needs the extra
``solve``.

`race`: who wins from which score. `race_deals`: the deals it is solved from. `race_lessons`: what
it teaches.
"""
