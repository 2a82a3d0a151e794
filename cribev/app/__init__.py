"""Games and pages for people who use the advisor. The advisor does not import it.

Its packages, lowest first, are `games`, `web` (extra ``web``) and `pocket`.
`commands` has the commands for them.
"""
