"""Two experts, each the best against the other, as they are shipped, and what they teach.

`solution`: the solved game and its file; `packing`: tables made small. `policies`: what a way to
discard comes to over all deals. `play`: what each keep pegs; `leanings`: how that leans on
what the opponent keeps; `keeps`: how keeps are numbered.
`race`: who wins from which score. `lessons`, `play_lessons` and `race_lessons`: what they teach.
"""
