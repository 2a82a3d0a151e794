"""A played game: what was lost, and what was luck.

`records`: the record of a game, held to the rules; `record_files` reads them. `worth`: what every
discard of many decisions is worth. `ledger`: what was lost, and what was luck; `totals` adds it up.
`page`: all of it to read in a browser.
"""
