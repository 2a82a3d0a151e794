"""The same answers as pages, for a browser on this machine (extra ``web``).

`server`: every page, by its address, and the server behind it. `guard`: who gets in, what a request
may take, and where work waits its turn. `forms`: what a request asks for. `pages`: templates and
static files, and how cards look. `play`: a game, and hints at its table. `ask`: which two cards to
discard. `board`: a game at a real board, entered by taps. `review`: a game uploaded, shown, stepped
through. `kept_reviews`: reviews in memory and in the database.
`practice`: hands to discard from, cards to play, and hands to count. `api`: the JSON of the command
line, and games against a level for programs.
"""
