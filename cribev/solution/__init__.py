"""Two experts, each nearly a best response to the other, as they are shipped.

`solution`: the solved game and its file. `strategy`: the play as all can see it, what a strategy of
it is, and how the expert's is stored. `solved_play`: what experts keep and peg. `win_table`: who
wins from each score. `policies`: what other ways to discard lose.
"""
