"""Who discards the other two cards of the crib, and who plays.

`models`: the opponents there are; `to_win`: one more, an expert who plays to win at one score.
`play_strategies`: who plays otherwise than an expert. `expert`: what the solved expert throws over
the whole deck, in a cache. `discard_counts`: how that is counted. `weights`: what is left of it
beside six cards. `keep_chances`: how often an expert keeps which four of six given cards.
"""
