"""What all 20,358,520 deals are worth at once, by ranks and by pattern of suits.

`enumeration`: all deals by number. `canonical`: ranks and suit patterns. `class_tables`: what every
keep is worth. `crib_averages`: the average crib against a policy; `frequency_cribs`: against a
table of how often each pair of ranks is thrown. `suit_averages`: deals known by their ranks alone.
`spread`: the least and the most that hand and crib can be.
"""
