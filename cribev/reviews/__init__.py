"""Reviews of played games: in a terminal, and as a page.

`review` grades a record. `findings` holds what it found, hands that were counted wrong too.
`listings` shows all of it in a terminal, and `page` draws it, with `charts`. `fits` estimates a
player's habits.
"""
