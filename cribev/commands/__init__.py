"""The command line: for each command its arguments, what it calls, and what it prints.

`cli` finds the command and runs it: `advise` (and play), `score` (peg, deal), `review`, `serve`,
`quiz` (history), `batch`, `match`, `tables`, `solve`. A module has each of its commands by its name
in capitals. `practice`: what quiz and history do. `options`: what commands have in common.
"""
