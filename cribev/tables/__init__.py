"""The lessons of the solved game, in tables to read.

`crib_tables`: average cribs and discards. `play_values`: what keeps peg, leads and answers.
`win_chances`: who wins from each score, and par. `listing`: a table that looks alike everywhere.
"""
