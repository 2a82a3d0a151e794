"""What people do with the advisor: games, practice, and pages. The advisor knows nothing of it.

`games`, `practice` and `web` (extra ``web``) are rooms, the lowest first, and `commands` has the
commands for them.
"""
