"""Games to 121, dealt and played to the end.

`course`: what happens in a game, in words. `game`: one game by the rules, the legal moves, and what
one player sees. `levels`: opponents of every strength, who answer your moves, and advice during a
game. `store`: games stored in the data folder, and your results against each level. `records`:
games as records to review. `database`: where games and practice are stored. `clock`: what day it
is. `errors`: what can go wrong.
"""
