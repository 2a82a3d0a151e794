"""The commands of the app: `match`, `pocket`, `quiz` (history), `record`, `review`, `serve`.

A module has each of its commands by its name in capitals. `practice`: what quiz and history do.
"""
