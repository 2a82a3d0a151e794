"""The command line, a module for each command: its arguments, what it calls, what it prints.

`cli` finds the command and runs it: `advise`, `score`, `peg`, `review`, `serve`, `quiz`,
`history`, `batch` (and deal), `tables`, `solve`. `arguments` and `input`: what commands have in
common. `column_help`: what columns are. `signals`: what ends them.
"""
