"""Hands to throw and cards to lay, what you did, and how it went.

`hands`: hands that a seed deals; `spots`: positions of the play. `throws`, `lays`: what you did and
what it costs, and `verdicts` how to say it. `session`: one after another. `stored`: one as it is
saved; `store`: all of them in the user's data folder; `games`: with what you did in games that were
played. `summary`: what a session adds up to, and `baselines` what well-known ways to discard lose
on the same hands. `progress`: how practice went over time. `displays`: how all that looks on a
terminal.
"""
