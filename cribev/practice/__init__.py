"""Hands to throw, what was thrown, and how it went.

`hands`: hands dealt by a seed, with all that follows fixed. `throws`: what a throw cost.
`verdicts`: how that is said. `rivals`: what well-known ways to discard lose on the same hands.
`runs`: what some throws add up to, and `run_look` how that looks. `kept`: every throw, kept in the
user's folder; `progress`: how it went over time, and `progress_look` how that looks.
"""
