"""The value of many deals, each by the cheapest method that is accurate.

`plan`: the method for each deal. `exact`: deals counted one by one, on several cores. `suitings`:
hands in which some cards lack suits. `spread`: the least and the most that can follow the discards
of many deals. `best`: the best discard of each of many deals, with that. `by_habits`: an opponent
with habits, and the tables against them; `against`: how these are computed.
"""
