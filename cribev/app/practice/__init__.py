"""Hands to discard from and cards to lay, what you chose, and how it went.

`problems`: what a seed deals, discards and positions of the play. `session`: one after another,
what you chose and what it costs, and what that adds up to beside well-known ways to discard and to
play. `store`: all of it, and what you chose in games, in the user's data folder. `progress`: how
practice went over time, and what comes back. `mending`: what to mend first over all games.
`counting`: hands to count, and what is missed most
often.
"""
