"""What to do, and why: which two cards go to the crib, and which card is laid now.

`outcomes`: every hand and every crib that can follow. `choices`: the discards, and how two differ;
`ranked_discards`: the best first, and how that looks; `discards` and `suitless_advice`: of six
cards, and of six ranks. `reasons`: why; `comparison`: one discard beside another; `score_effect`:
what the score changes; `faced`: what the opponent's hand
and the crib may be; `deal_wins`: the chance to win from a score, and `lead_chances`, of pone's
leads. `answers`: any question, and its answer as plain values. `many`: many deals on several cores.

`position`: what a player knows in the middle of a play. `belief`: what the opponent may hold.
`endings`: what is forced where few cards are left, and what the end is worth. `evaluation`: what
each card is worth, by the best response to the opponent's strategy. `pegging_pmf`: what two peg
who both play by a strategy. `show_pmf`: what the opponent's hand and the crib show. `play_wins`:
chances to win in place of points. `replies`: what can follow a card. `card_reasons`: that, and what
the opponent may hold, for people to read. `cards`: all that, as an answer. `leads`: what to lead
before the cut. `shares`: how often an expert plays each card.
"""
