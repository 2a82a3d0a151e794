"""Two experts, each the best against the other, as they are shipped, and tables derived from them.

`solution`: the solved game, what it tells of discards, the play and who wins, and its file. `tree`:
the play as all can see it, what a strategy of it is, and how the expert's is stored. `tables`:
what they teach.
"""
