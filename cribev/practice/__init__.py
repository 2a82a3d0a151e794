"""Hands to discard from and cards to lay, what you chose, and how it went.

`problems`: what a seed deals, discards and positions of the play. `answers`: what you chose and
what it costs. `store`: all of it in the user's data folder. `session`: one after another, and games
that were played. `summary`: what a session adds up to, and what well-known ways to discard and to
play lose on the same problems. `progress`: how practice went over time, and what comes back.
"""
