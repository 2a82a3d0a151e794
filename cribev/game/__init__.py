"""The game itself: its cards, its rules, and what there is to know of one deal.

`cards`: card numbers and their text. `index_tables`: every index table, and the one place that
knows fifteens, pairs and runs. `scorer`: hands counted by the million. `show`: one count explained.
`play`: the rules of the play and its state; `play_text`: its notation. `roles`: dealer and pone.
`score`: the points of a game; `score_texts`: columns of them. `outcomes`: how a game may end.
`stakes`: what that is worth. `deal`: one deal, what a player knows of it, and games of many.
`words`: how numbers are read and written. `alike`: what is equal to what. `render`: how cards and
tables look in a terminal, a pipe, a notebook.
"""
