"""The values of the choices of a deal in points, as arrays without text.

Start with `cribev.game.index_tables`, then `cribev.game.scorer`, then `counts` here. Six cards
become 15 numbers. The sorted deal is indexed by `KEEPS`, ``(15, 4)``, and `DISCARDS`, ``(15, 2)``.
Each keep is scored with each of 46 starters. Each discard is scored with each pair that the
opponent may discard, as often as they do, and each starter left. Two averages, ``(15,)`` each, are
hand and crib. What each keep pegs is looked up by its ranks. The 15 numbers are hand, plus or minus
crib, plus play. Least and most come from the same arrays; a table is only made on request.

`counts`: every hand and crib that can follow a discard. `holdings`: what the opponent may hold.
`pegging`: what each card is worth by the best response to the opponent; `last_three`: the same once
three cards are left. `replies`: the best response to a strategy; `keeps`: which keeps face each
other.
"""
