"""The play in plain Python, written from the rules and sharing nothing with the package.

Ranks are 1 to 13. A table is ``(hands, turn, played, alone, last)``: the cards each has left as
sorted tuples, pone's first; who is to move, 0 or 1; the cards of this count; whether the other has
said go; who played last. Slow on purpose: it only has to be right and easy to check.
"""


def pips(rank):
    return min(rank, 10)


def last_card(played):
    """Points of the last card played, a go and the last card of all apart."""
    points = 0
    total = sum(map(pips, played))
    if total in (15, 31):
        points += 2
    for many, worth in ((4, 12), (3, 6), (2, 2)):
        if len(played) >= many and len(set(played[-many:])) == 1:
            points += worth
            break
    for many in range(len(played), 2, -1):
        if sorted(played[-many:]) == list(range(min(played[-many:]), min(played[-many:]) + many)):
            points += many
            break
    return points


def start(pone, dealer):
    return (tuple(sorted(pone)), tuple(sorted(dealer))), 0, (), False, None


def options(table):
    """List what the player to move may play; nothing if that is to say go."""
    hands, turn, played, _, _ = table
    room = 31 - sum(map(pips, played))
    return sorted({rank for rank in hands[turn] if pips(rank) <= room})


def move(table, rank):
    """Play a rank, or say go with None: the table after it, and what pone and dealer peg."""
    hands, turn, played, alone, last = table
    gains = [0, 0]
    if rank is None:
        assert not options(table)
        if hands[1 - turn] and not alone:
            return (hands, 1 - turn, played, True, last), gains
        gains[last] += 1
        return led_by((hands, 1 - last, (), False, None)), gains
    left = list(hands[turn])
    left.remove(rank)
    hands = (tuple(left), hands[1]) if turn == 0 else (hands[0], tuple(left))
    played = (*played, rank)
    gains[turn] += last_card(played)
    if sum(map(pips, played)) == 31:
        return led_by((hands, 1 - turn, (), False, None)), gains
    if not any(hands):
        gains[turn] += 1
        return (hands, turn, played, alone, turn), gains
    stays = alone or not hands[1 - turn]
    return (hands, turn if stays else 1 - turn, played, alone, turn), gains


def led_by(table):
    """A new count: who has no cards leaves the lead to the other."""
    hands, turn, played, alone, last = table
    return (hands, turn if hands[turn] else 1 - turn, played, alone, last)


def is_over(table):
    return not any(table[0])


def play_in_order(pone, dealer):
    """Each plays the first held that fits: what is played in turn (None for go), and points."""
    orders, table = (pone, dealer), start(pone, dealer)
    played, points = [], [0, 0]
    while not is_over(table):
        fits, turn = options(table), table[1]
        waiting = list(table[0][turn])
        order = [rank for rank in orders[turn] if rank in waiting]
        rank = next((rank for rank in order if rank in fits), None)
        table, gains = move(table, rank)
        played.append((turn, rank))
        points = [points[0] + gains[0], points[1] + gains[1]]
    return played, points
