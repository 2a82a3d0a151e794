"""Hands to discard from and cards to play, what you chose, and how it went.

`problems`: the discards and positions that a seed deals. `session`: problems in a row, what you
chose, what it cost, and the total beside players of four levels. `store`: all of
it, and what you chose in games, in the user's data folder. `progress`: how practice went over time,
and what is repeated. `mending`: what to mend first over all games.
"""
