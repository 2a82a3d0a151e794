"""What to do, and why: which two cards go to the crib, and which card is laid now.

`answers` says which cards are discarded, `discards` of cards with suits, `cards` which is laid;
`reasons` say why, and what decides between two choices. `options`: what each choice is worth.
`decisions`: what was made of one, discard or card, by `verdicts`. `levels`: how often each level
makes each choice. `questions`: positions as they are asked about; `names`: opponents by name.
"""
