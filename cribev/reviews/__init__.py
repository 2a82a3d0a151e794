"""Reviews of played games: in a terminal, and as a page.

`review` grades a record. `findings` holds what it found, and shows it in a terminal; `listings`
shows its deals, cards and leaks there, and `miscounts` finds hands that were counted wrong. `page`
draws all, with `charts`. `fits` estimates a player's habits.
"""
