"""The command line: for each command its arguments, what it calls, and what it prints.

`cli` finds the command and runs it, those of other houses too: `advise` (and play), `score` (peg,
deal), `review`, `batch`, `tables`. A module has each of its commands by its name in capitals.
`options`: what commands have in common.
"""
