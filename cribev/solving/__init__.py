"""The game solved from nothing, with the extra ``solve``: discards, play, race, last points.

`discard_solver` solves the discards; `keep_distributions`: how likely the keeps they lead to are to
face each other. The play: `tree` has the rules, `walk` the steps down and up the tree, `cfr` learns
on the way, `play_solver` has the rounds, `off_path` learns anew what follows rare cards,
`evaluation` says what strategies are worth, `error_losses` what they lose after errors, `rounding`
makes the strategy that is shipped, `sampling` draws plays. `playouts` plays deals out, and `race`
solves the win table from them.
Where both need few points, `score_solver` solves the game to win: `shows` is the show by keeps,
`win_ends` what the ends of a play are worth with it, `win_evaluation` what two strategies are.
`last_points` puts what it finds into the table. `alternating`: all of it.
"""
