"""One deal: which two cards go to the crib, and why.

`outcomes`: every hand and every crib that can follow. `choices`: the discards, and how two differ;
`ranked_discards`: the best first, and how that looks; `advice` and `suitless_advice`: of six cards,
and of six ranks. `explanation`: why; `comparison`: one discard beside another; `score_effect`: what
the score changes; `formatting`: how differences are written. `faced`: what the opponent's hand and
the crib may be; `winning`: the chance to win from a score, and `lead_chances`, of pone's leads.
`answers`: any question, and its answer as plain values. `many`: many deals on several cores.
"""
