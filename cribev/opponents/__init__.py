"""Who throws the other two cards of the crib, and with what weight.

`models`: the opponents there are. `expert`: what the solved expert throws over the whole deck, kept
in a cache. `discard_counts`: how that is counted. `weights`: what of it is left beside six cards.
"""
