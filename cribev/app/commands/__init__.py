"""The commands of the app: `match`, `pocket`, `quiz` (history), `review`, `serve`.

Each module holds its commands, named in capitals. `practice`: what quiz and history do.
"""
