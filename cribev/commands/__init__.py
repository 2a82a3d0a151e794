"""The command line: for each command its arguments, what it calls, and what it prints.

`cli` finds the command and runs it, those of the app too: `advise` (and play), `score` (peg, deal),
`review`, `batch`, `tables`. Each module holds its commands, named in capitals. `options`: what
commands have in common.
"""
