"""Leaks: the kinds of decisions in which a player keeps losing.

`groups` groups decisions by what was decided, and adds up what each group lost.
"""
