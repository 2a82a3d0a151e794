"""The same answers as pages, for a browser on this machine (extra ``web``).

`server`: the address, and the server behind it. `app`: every page, by its address. `guard`: who
gets in, what a request may take, and the headers of every page. `work_queue`: work that waits its
turn. `forms`: what a request asks for. `pages`: templates and static files. `play` and `table`: a
game against the expert, and how it looks. `ask`: which two cards to discard, and the rest of that
deal card by card. `review`: a game uploaded, shown, stepped through. `practice_pages`: hands to
discard from and cards to lay, and `practice_sessions` their addresses. `api`:
the JSON of the command line, and games against the expert for programs.
"""
