"""A played game reviewed: on a terminal, and as a page.

`review` grades a record, and `findings` is what it found, as a terminal shows it; `listings` are
its deals, cards and leaks in a terminal. `page` draws it, with `charts`. `fits` finds a player's
habits.
"""
