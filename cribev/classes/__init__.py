"""Every deal at once: what 20,358,520 deals are worth, by ranks and by pattern of suits.

`numbers`: all deals by number. `forms`: ranks and suit patterns. `values`: what every keep is
worth. `cribs`: the average crib against a policy; `frequencies`: and against one known by how often
he throws each pair of ranks. `suitless`: deals known by their ranks alone. `spread`: the least and
the most that hand and crib can be.
"""
