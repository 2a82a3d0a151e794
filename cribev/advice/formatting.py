"""How differences are written."""

from cribev.game.roles import Role, crib_owner


def difference_text(hand: float, crib: float, role: Role, play: float | None = None) -> str:
    """Say how much more one discard has than another in hand, crib and play, in points.

    >>> difference_text(0.3, -0.271, "pone")
    "0.30 more in hand, 0.27 less in the opponent's crib"
    >>> difference_text(0.3, 0, "dealer", 0.733)
    '0.30 more in hand, 0.73 more in the play'
    """
    parts = [(hand, "hand"), (crib, crib_owner(role))]
    if play is not None:
        parts.append((play, "the play"))
    texts = [
        f"{abs(gain):.2f} {'more' if gain > 0 else 'less'} in {place}"
        for gain, place in parts
        if round(gain, 2)
    ]
    same = "hand and crib" if play is None else "hand, crib and play"
    return ", ".join(texts) or f"the same in {same}"
