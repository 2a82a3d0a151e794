"""The commands of the app: `match`, `pocket`, `quiz` (history), `record`, `review`, `serve`.

Each module holds its commands, named in capitals. `practice`: what quiz and history do.
"""
