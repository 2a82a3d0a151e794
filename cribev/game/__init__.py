"""The game itself: its cards, its rules, and all that belongs to one deal.

`cards`: card numbers and their text. `index_tables`: all index tables, and the one place that knows
fifteens, pairs and runs of hands. `scorer`: counts by the million. `show`: one count explained.
`play`: the rules and the state of the play; `play_text`: its notation. `roles`: dealer and pone.
`score`: the score of a game; `score_texts`: columns of scores. `outcomes`: how a game may end.
`stakes`: what that is worth. `deal`: one deal, what a player knows of it, and games of many deals.
`words`: how numbers are read and written. `alike`: equality by value. `render`: how cards and
tables look in a terminal, a pipe, a notebook; `plots`, by matplotlib.
"""
