"""The best reply to a strategy in plain Python, with every hand the opponent may hold on the table.

It shares nothing with the package but how often the strategy plays which card. Ranks are 1 to 13,
as in `play_oracle`. The same play is on as many tables as there are hands: `tables` maps each of
the opponent's hands to how likely it is and to its table.
"""

from collections import defaultdict

from play_oracle import is_over, move, options
from race_oracle import most_alone as played_alone


def worth(tables, history, me, chances, own_chances=None):
    """What I peg and what the opponent does, summed over the tables, each as likely as it is.

    `chances(history, hand, options)` says how often the opponent plays each of these; so does
    `own_chances` of me, and without it I play what is best.
    """
    (_, table), *_ = tables.values()
    mine, turn = table[0][me], table[1]
    if not mine or (turn == me and not table[0][1 - me]):
        return alone(tables, me if mine else 1 - me, me)
    if turn != me:
        return total(
            after_move(some, history, me, rank, chances, own_chances)
            for rank, some in answered(tables, history, me, chances)
        )
    found = {
        rank: after_move(tables, history, me, rank, chances, own_chances)
        for rank in options(table) or [None]
    }
    if own_chances is None or len(found) == 1:
        return max(found.values(), key=lambda points: points[0] - points[1])
    often = own_chances(history, mine, list(found))
    return total(
        [share * points for points in found[rank]] for share, rank in zip(often, found, strict=True)
    )


def answered(tables, history, me, chances):
    """Each move that the opponent may make, with the tables on which it is made, as likely."""
    by_move = defaultdict(dict)
    for hand, (weight, one) in tables.items():
        ranks = options(one) or [None]
        often = chances(history, one[0][1 - me], ranks) if len(ranks) > 1 else [1]
        for rank, share in zip(ranks, often, strict=True):
            if share:
                by_move[rank][hand] = weight * share, one
    return by_move.items()


def after_move(tables, history, me, rank, chances, own_chances=None):
    """The same move on all tables, go with None: what it pegs, and what all that follows does."""
    after, pegged = {}, [0, 0]
    for hand, (weight, table) in tables.items():
        following, gains = move(table, rank)
        after[hand] = weight, following
        pegged[0] += weight * gains[me]
        pegged[1] += weight * gains[1 - me]
    if is_over(following):
        return pegged
    return total([pegged, worth(after, (*history, rank), me, chances, own_chances)])


def alone(tables, player, me):
    """One plays the rest in the order that pegs most, on each table for itself."""
    return total(
        [weight * points for points in most_alone(table, player, me)]
        for weight, table in tables.values()
    )


def most_alone(table, player, me):
    if is_over(table):
        return [0, 0]
    found = []
    for rank in options(table) or [None]:
        after, gains = move(table, rank)
        found.append(total([[gains[me], gains[1 - me]], most_alone(after, player, me)]))
    return max(found, key=lambda points: points[0] if player == me else points[1])


def total(parts):
    return [sum(points) for points in zip(*parts, strict=True)] or [0, 0]


def wins(tables, points, history, me, chances, game):
    """How often I win if I play what wins most; ``points`` are mine and the opponent's so far.

    ``game`` is what both need, and how likely I win after the play by the opponent's hand and the
    points of both.
    """
    (needs, later), ((_, table), *_) = game, tables.values()
    mine, turn = table[0][me], table[1]
    if points[0] >= needs[0] or points[1] >= needs[1]:
        return sum(weight for weight, _ in tables.values()) * (points[0] >= needs[0])
    if is_over(table):
        return sum(weight * later[hand][tuple(points)] for hand, (weight, _) in tables.items())
    if not mine or (turn == me and not table[0][1 - me]):
        return sum(wins_alone(hand, one, points, me, game) for hand, one in tables.items())

    def after(some, rank):
        following = {hand: (weight, move(one, rank)[0]) for hand, (weight, one) in some.items()}
        gains = move(next(iter(some.values()))[1], rank)[1]
        made = points[0] + gains[me], points[1] + gains[1 - me]
        return wins(following, made, (*history, rank), me, chances, game)

    if turn == me:
        return max(after(tables, rank) for rank in options(table) or [None])
    return sum(after(some, rank) for rank, some in answered(tables, history, me, chances))


def wins_alone(hand, one, points, me, game):
    """One plays the rest in the order that pegs most, until the game ends."""
    (weight, table), (needs, later), made = one, game, list(points)
    for who, gained in played_alone(table):
        made[who != me] += gained
        if made[0] >= needs[0] or made[1] >= needs[1]:
            return weight * (made[0] >= needs[0])
    return weight * later[hand][tuple(made)]
