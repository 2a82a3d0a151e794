"""What to do, and why: which two cards go to the crib, and which card is laid now.

`discards` answers which two of six cards, or ranks, are discarded, `cards` which card is laid;
`reasons` say why, and what decides between two choices. `decisions`: what each choice is worth, and
what was made of one, discard or card. `levels`: how often each level makes each choice.
"""
