"""Hands to throw, what you threw, and how it went.

`hands`: hands that a seed deals. `throws`: what a throw costs, and `verdicts` how to say it.
`baselines`: what well-known ways to discard lose on the same hands. `summary`: what some throws add
up to, and `session_look` how that looks. `store`: the throws in the user's data folder.
`progress`: how practice went over time, and `progress_look` how that looks.
"""
