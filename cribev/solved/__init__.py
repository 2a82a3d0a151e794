"""Two experts, solved, each against the other, and what is shipped of them.

`policies`: what a way to discard comes to over all deals. `solution`: the solved game and its file.
`discards`: how it is solved. `lessons`: what the solved game teaches.
"""
