"""Where a player loses most, again and again.

`groups` groups decisions by what was decided, and adds up what each group lost.
"""
