"""What people do with the advisor: games, practice, and pages. The advisor knows nothing of it.

`games`, `practice`, `web` (extra ``web``) and `pocket` are its packages, the lowest first, and
`commands` has the commands for them.
"""
