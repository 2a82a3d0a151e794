"""Games to 121, dealt and played to the end.

`game`: the state of one game by the rules, and what may be done. `view`: what one player sees of
it. `events`: what happens in it, as both see it.
"""
