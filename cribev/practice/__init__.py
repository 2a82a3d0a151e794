"""Hands to throw, what you threw, and how it went.

`hands`: hands that a seed deals. `throws`: what a throw costs, and `verdicts` how to say it.
`session`: hands thrown one after another. `store`: the throws in the user's data folder. `summary`:
what some throws add up to, and `baselines` what well-known ways to discard lose on the same hands.
`progress`: how practice went over time. `displays`: how all that looks on a terminal.
"""
