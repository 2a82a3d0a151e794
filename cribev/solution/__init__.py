"""Two experts, each the best against the other, as they are shipped, and tables derived from them.

`solution`: the solved game and its file; `statistics`: what it tells of discards, the play and who
wins. `tree`: the play as all can see it, and what a strategy of it is; `strategy`: how often an
expert plays which card, everywhere, and how that is stored. `tables`: what they teach.
"""
