"""One deal: which two cards go to the crib, and why.

`hand` and `crib`: every hand and every crib that can follow. `advice`: what each discard is worth.
`explanation`: why.
"""
