"""Games to 121, dealt and played to the end.

`course`: what happens in a game, in words. `game`: one game by the rules, the legal moves, and what
one player sees. `levels`: moves of a level, who answers yours, and advice during a
game. `store`: games stored in the data folder. `records`: games as records to review. `database`:
where games and reviews are stored.
"""
