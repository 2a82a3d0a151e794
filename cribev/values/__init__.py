"""What the choices of a deal bring in points: arrays, and no words.

Start at `cribev.game.index_tables`, then `cribev.game.scorer`, then `counts` here. Six cards become
15 numbers so: the sorted deal is taken at `KEEPS`, ``(15, 4)``, and at `DISCARDS`, ``(15, 2)``.
Each keep is scored with each of 46 starters, each discard with each pair that the opponent may
discard and each starter left, which the opponent weighs; two averages, ``(15,)`` each, are hand and
crib. What each keep pegs is looked up by its ranks. Hand, plus or minus crib, plus play are the 15
numbers. Least and most are taken from the same arrays; a table is made when somebody asks.

`counts`: every hand and crib that can follow a discard. `holdings`: what the opponent may hold.
`pegging`: what each card is worth by the best response to how the opponent plays; `last_three`:
what it is worth once three cards are left. `replies`: the best response to how somebody plays;
`keeps`: which keeps face each other. `more_players`: five cards, where three or four play.
"""
