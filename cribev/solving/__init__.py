"""The game solved from nothing: discards, play and race, an hour of work and the extra ``solve``.

`discards`: each side's best response to the other's. `keep_distributions`: how the keeps they lead
to meet. The play, from below: `tree` and `terminal` are the game, `play_walk` the walk down its
tree, `play_choice` what is done at a choice, `evaluation` and `sampling` what then happens,
`cfr` the rounds, `play_leanings` what chances lean on. `playouts`: deals played out for
the race to 121. `alternating`: all of it.
"""
