"""The answers: two cards to discard or a card to play, and the reasons.

`question`: what you ask, read from text, keywords or a position. `answers` turns a question into
its answer: `discards`, with `any_suits` if suits are missing, or `cards`. `options`: what each
choice is worth, in numbers. `advised`: what all answers have in common. `reasons`: why;
`lessons`: what decides between two choices. `decisions`: a choice that was made, and its grade from
`verdicts`. `levels`: how often each level makes each choice; `players`: one of a level, who
discards and plays. `names`: opponents by name.
"""
