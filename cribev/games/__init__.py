"""Games to 121, dealt and played to the end.

`moves`: what a player does; `played_deal`: the cards of a deal, and what was done with them.
`game`: the state of one game by the rules, and what may be done. `view`: what one player sees of
it. `events`: what happens in it, as both see it. `players`: who plays: experts, greedy and random
players, and what a player of your own needs. `table`: a game against the expert. `store`: games
kept in the data folder. `match`: two players measured by each other.
"""
