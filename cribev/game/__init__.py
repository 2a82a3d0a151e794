"""The game itself: its cards, its rules, and what there is to know of one deal.

`cards`: card numbers and their text. `score`: roles, points, how a game may end, and what
that is worth. `index_tables`: every index table, and the one place that knows fifteens, pairs and
runs. `scoring`: hands counted by the million. `show`: one count explained. `play`: the rules of the
play, its state and its notation. `deal`: one deal, what a player knows of it, and games of many.
`render`: how cards and tables look in a terminal, a pipe, a notebook.
"""
