"""The same answers as pages, for a browser on this machine (extra ``web``).

`server`: all pages by address, and the server. `guard`: checks and limits on requests, and the
queues for slow work. `forms`: what a request asks for. `pages`: templates and static files, and how
cards look. `play`: a game, with hints. `ask`: which two cards to discard, or which to play.
`board`: the recorder of games at a real board, which runs in the browser. `review`: upload a game,
see its review, and step through it. `kept_reviews`: reviews in memory and in the database.
`ten`: ten hands in a row to discard from. `api`: the JSON of the command line.
"""
