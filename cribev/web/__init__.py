"""The same answers as pages, for a browser on this machine (extra ``web``).

`serving`: the address, and the server behind it. `app`: every page there is, by its address.
`guard`: what is let in, and what goes out with every page. `lanes`: work that waits its turn.
`incoming`: what a request brings. `looks`: how pages are drawn. `ask` and `answer`: which two
cards. `pictures`: bars, chances and starters as drawings. `review_pages` and `reviews`: a game
brought, looked at, stepped through. `forms`: what is typed or sent for it. `practice_pages`
and `practice_sessions`: hands to throw, ten a run. `api`: the command line's JSON.
"""
