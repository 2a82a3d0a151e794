"""Two experts, each the best against the other, as they are shipped, and tables derived from them.

`solution`: the solved game and its file; `quantization`: tables in whole steps. `policies`: what a
way to discard loses over all deals. `public_tree`: the play as all can see it, and what a strategy
of it is; `strategy`: how often an expert plays which card, everywhere; `strategy_file`: how that is
stored; `score_strategy`: one to win at a score, in the cache; `play_states`: the rules of a count
in tables. `play`: what each keep pegs; `keeps`: how keeps are numbered. `win_table`: who wins from
which score. `discard_tables`, `pegging_tables` and `win_probabilities`: what they teach.
"""
