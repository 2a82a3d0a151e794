"""What people do with the advisor: games, practice and pages. The advisor does not import it.

Its packages, lowest first, are `games`, `practice`, `web` (extra ``web``) and `pocket`.
`commands` has the commands for them.
"""
