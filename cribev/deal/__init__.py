"""One deal: which two cards go to the crib, and why.

`hand` and `crib`: every hand and every crib that can follow. `outcomes`: what they come to for each
discard. `advice`: the discards in order. `advice_table`: how that looks. `explanation`: why.
`play_explanation`: what the play does to it.
`facing`: the opponent's hand. `winning`: the chance to win from a score. `score_effect`: what that
does to the answer. `comparison`: one discard beside another. `suitless_advice`: a
deal known by its ranks alone. `answers`: any question, and its answer as plain values. `many`: many
deals, one by one as advice has them, on several cores.
"""
