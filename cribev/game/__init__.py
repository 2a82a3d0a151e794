"""The game itself: its cards, its roles, and every count.

`cards`: card numbers and their text. `roles`: dealer and pone. `index_tables`: every index table,
and the one place that knows fifteens, pairs and runs. `scoring`: hands counted by the million.
`show`: one count explained. `play_rules`: the rules of the play. `play_notation`: a play told card
by card. `replay`: a play held to the cards. `score_notation`: points and scores as people write
them. `integers`: whole numbers from text. `render`: how cards and tables look in a terminal, a
pipe, a notebook.
"""
