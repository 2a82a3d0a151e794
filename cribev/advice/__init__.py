"""What to do, and why: which two cards go to the crib, and which card is played now.

`question`: what is asked, read from texts, keywords or a position; of three or four players in
`multiplayer`. `answers` takes a question to its answer: `discards`, with `any_suits` where suits
are missing, or `cards`. `options`: what each choice is worth, in numbers. `advised`: what all
answers tell. `reasons` say why, and what decides between two choices. `decisions`: what was made of
a choice, by `verdicts`. `levels`: how often each level makes each choice.
`names`: opponents by name.
"""
