"""Games to 121, dealt and played to the end.

`course`: what all games have in common: deals, score, and what happens. `game`: one game by the
rules, the legal moves, and what one player sees. `players`: the interface of a player; experts,
greedy and random players. `levels`: opponents of every strength, who answers your moves, and advice
during a game. `programs`: players imported from a file or a module. `store`: games stored in the
data folder, and your results against each level. `match`: two players measured against each other.
`records`: games as records to review. `database`: where games and practice are stored. `clock`:
what day it is. `errors`: what can go wrong.
"""
