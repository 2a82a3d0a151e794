"""The game solved from nothing, an hour of work with the extra ``solve``: discards, play, race.

`best_responses` solves the discards; `keep_distributions`: how likely the keeps they lead to are to
face each other. The play: `tree` has the rules, `cfr` the traversal and the update, `evaluation`
what strategies are worth, `sampling` plays drawn from them, `play_leanings` what pegging leans on,
`off_path` learns anew what follows rare cards, `error_losses` measures how well, `rounding` the
strategy as it is shipped. `playouts` plays deals out, and `race` solves the win table from them.
`alternating`: all of it.
"""
