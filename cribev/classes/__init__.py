"""The values of all 20,358,520 deals, by ranks and by pattern of suits.

`ranking`: what 15 discards are worth, and which is best. `canonical`: all deals by number, their
ranks and suit patterns. `class_tables`: what every keep is worth, with suits and without.
`crib_averages`: the average crib against a policy, or against frequencies of discards by ranks.
"""
