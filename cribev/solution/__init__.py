"""The shipped solution: two experts, each nearly a best response to the other.

`solution`: the solved game and its file. `strategy`: the play as a public tree, strategies for it,
and how the expert's is stored. `solved_play`: what experts keep and peg. `win_table`: who wins from
each score, and how points end a game.
"""
