"""The command line, a module for each command: its arguments, what it calls, what it prints.

`cli` finds the command and runs it: `advise`, `play`, `score`, `peg`, `review`, `serve`, `quiz`,
`history`, `batch`, `deal`, `match`, `tables`, `solve`. Each module ends in its `Command`;
`quiz_dialogue` asks and answers. `options`: what commands have in common.
"""
