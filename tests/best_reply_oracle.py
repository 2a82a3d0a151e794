"""The best reply to a strategy in plain Python, with every hand the opponent may hold on the table.

It shares nothing with the package but how often the strategy plays which card. Ranks are 1 to 13,
as in `play_oracle`. The same play is on as many tables as there are hands: `tables` maps each of
the opponent's hands to how likely it is and to its table.
"""

from collections import defaultdict

from play_oracle import is_over, move, options
from race_oracle import most_alone as played_alone


def worth(tables, history, me, chances, own_chances=None):
    """Sum what I peg, and the opponent, over the tables, each as likely as it is.

    `chances(history, hand, options)` says how often the opponent plays each of these; so does
    `own_chances` of me, and without it I play what is best.
    """
    (_, table), *_ = tables.values()
    mine, turn = table[0][me], table[1]
    if not mine or (turn == me and not table[0][1 - me]):
        return alone(tables, me if mine else 1 - me, me)
    if turn != me:
        return total(
            after_move(answered_tables, history, me, rank, chances, own_chances)
            for rank, answered_tables in answered(tables, history, me, chances)
        )
    worths = {
        rank: after_move(tables, history, me, rank, chances, own_chances)
        for rank in options(table) or [None]
    }
    if own_chances is None or len(worths) == 1:
        return max(worths.values(), key=lambda points: points[0] - points[1])
    often = own_chances(history, mine, list(worths))
    return total(
        [share * points for points in worths[rank]]
        for share, rank in zip(often, worths, strict=True)
    )


def answered(tables, history, me, chances):
    """Each move that the opponent may make, with the tables on which it is made, as likely."""
    by_move = defaultdict(dict)
    for hand, (weight, table) in tables.items():
        ranks = options(table) or [None]
        often = chances(history, table[0][1 - me], ranks) if len(ranks) > 1 else [1]
        for rank, share in zip(ranks, often, strict=True):
            if share:
                by_move[rank][hand] = weight * share, table
    return by_move.items()


def after_move(tables, history, me, rank, chances, own_chances=None):
    """Make the same move on all tables, go with None, and sum what is pegged from it on."""
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
    """Have a player alone play the rest in the best order, on each table for itself."""
    return total(
        [weight * points for points in most_alone(table, player, me)]
        for weight, table in tables.values()
    )


def most_alone(table, player, me):
    if is_over(table):
        return [0, 0]
    totals = []
    for rank in options(table) or [None]:
        after, gains = move(table, rank)
        totals.append(total([[gains[me], gains[1 - me]], most_alone(after, player, me)]))
    return max(totals, key=lambda points: points[0] if player == me else points[1])


def total(terms):
    return [sum(points) for points in zip(*terms, strict=True)] or [0, 0]


def wins(tables, points, history, me, chances, game):
    """Return how often I win if I play what wins most; ``points`` are mine and theirs so far.

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
        return sum(
            wins_alone(hand, weighted, points, me, game) for hand, weighted in tables.items()
        )

    def after(held, rank):
        following = {
            hand: (weight, move(theirs, rank)[0]) for hand, (weight, theirs) in held.items()
        }
        gains = move(next(iter(held.values()))[1], rank)[1]
        pegged = points[0] + gains[me], points[1] + gains[1 - me]
        return wins(following, pegged, (*history, rank), me, chances, game)

    if turn == me:
        return max(after(tables, rank) for rank in options(table) or [None])
    return sum(after(held, rank) for rank, held in answered(tables, history, me, chances))


def wins_alone(hand, weighted, points, me, game):
    """Have a player alone play the rest in the best order, until the game ends."""
    (weight, table), (needs, later), score = weighted, game, list(points)
    for who, gained in played_alone(table):
        score[who != me] += gained
        if score[0] >= needs[0] or score[1] >= needs[1]:
            return weight * (score[0] >= needs[0])
    return weight * later[hand][tuple(score)]
