"""The same answers as pages, for a browser on this machine (extra ``web``).

`server`: the address, and the server behind it. `app`: every page, by its address. `guard`: who
gets in, what a request may take, and the headers of every page. `work_queue`: work that waits its
turn. `parameters`: what a request asks for. `templating`: templates and static files.
`play_pages` and `game_table`: a game against the expert, `game_reviews`: once it is over,
`laid_cards`: how cards lie there.
`ask_page` and `answer_page`: which two cards to throw; `followed_deal`: the rest of that deal, card
by card. `review_pages` and `stored_reviews`: a game uploaded, shown, stepped through. `deal_form`:
its deals typed. `practice_pages` and `practice_cards`: hands to throw and cards to lay, and
`practice_sessions` their addresses. `api`: the JSON of the command line. `games_api`: games against
the expert, for programs.
"""
