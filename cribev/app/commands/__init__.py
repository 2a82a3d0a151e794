"""The commands of the app: `pocket`, `quiz` (history), `review`, `serve`.

Each module holds its commands, named in capitals. `practice`: what quiz and history do.
"""
