"""Games to 121, dealt and played to the end.

`course`: what is so in every game: its deals, its score, and what happens in it. `game`: one game
by the rules, what may be done, and what one player sees. `board`: a game at a real board, entered
as it is played, and where it is kept. `hints`: what a player is advised in a game.
`players`: who plays: experts, greedy and random players, and what a player of your own needs.
`levels`: opponents of every strength, and who answers your moves. `programs`: players that are
imported from a file or a module. `store`: games kept in the data folder, and how a player does
against each level. `match`: two players measured by each other.
`records`: a game as a record that is reviewed. `database`: where all that is kept of games and
practice is. `clock`: what day it is. `errors`: what can go wrong.
"""
