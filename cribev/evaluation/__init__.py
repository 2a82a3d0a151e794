"""Many deals valued, each by the cheapest way that is right.

`plan`: which deals are valued how. `exact`: deals counted one by one, on several cores. `suitings`:
hands of which some cards lack suits. `spread`: the least and the most that can follow the discards
of many deals. `against`: the tables against an opponent with habits.
"""
