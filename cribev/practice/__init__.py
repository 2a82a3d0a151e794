"""Hands to throw, what you threw, and how it went.

`hands`: hands that a seed deals. `throws`: what a throw costs, and `verdicts` how to say it.
`session`: hands thrown one after another. `store`: the throws in the user's data folder. `summary`:
what some throws add up to, `baselines` what well-known ways to discard lose on the same hands, and
`session_look` how a session looks. `progress`: how practice went over time, and `progress_look` how
that looks.
"""
