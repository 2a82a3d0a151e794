"""Who throws the other two cards, and with what weight.

`models`: the expert, the uniform opponent, and those known by how often they throw each pair.
"""
