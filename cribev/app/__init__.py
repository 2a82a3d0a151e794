"""What people do with the advisor: games and pages. The advisor does not import it.

Its packages, lowest first, are `games`, `web` (extra ``web``) and `pocket`.
`commands` has the commands for them.
"""
