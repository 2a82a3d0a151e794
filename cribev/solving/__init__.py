"""The game solved from nothing: discards, play and race, an hour of work and the extra ``solve``.

`discards`: each side's best response to the other's. `meetings`: how the keeps they lead to meet.
The play, from below: `play_tables` and `play_ends` are the game, `play_walk` the walk down its
tree, `play_choice` what is done at a choice, `play_sweep` and `play_sample` what then happens,
`play_solver` the rounds, `play_leanings` what chances lean on. `race_deals`: deals played out for
the race to 121. `turns`: all of it.
"""
