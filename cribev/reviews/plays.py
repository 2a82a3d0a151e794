"""The plays in a record, held to the rules and to the cards."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

import numpy as np

from cribev.errors import CribevError, RecordError
from cribev.files.column_descriptions import PEGGED_COLUMNS
from cribev.game.cards import JACK, PIP_VALUES, RANKS, format_cards
from cribev.game.play_notation import CARDS_LAID, Pegging, PlayNotation, check_deck, peg
from cribev.game.play_rules import LIMIT
from cribev.game.roles import ROLES, Role, opposite_role, role_of
from cribev.game.score_notation import UNKNOWN, WINNING_SCORE
from cribev.reviews.cells import Cells
from cribev.reviews.deals import Ints, PairedDeals
from cribev.reviews.seats import Seats


def check_plays(seats: Seats, deals: PairedDeals, cells: Cells) -> dict[int, Pegging]:
    """Replay every play, by its deal; refuse one written in two ways, or against rules or cards."""
    plays: dict[int, Pegging] = {}
    notations: dict[int, PlayNotation] = {}
    for row, notation in seats.plays.items():
        deal = int(deals.of_rows[row])
        if notations.setdefault(deal, notation) is notation and deal in plays:
            continue
        sides = [side for side in (0, 1) if deals.rows[deal, side] >= 0]
        kept = {ROLES[side]: deals.kept[deal, side].tolist() for side in sides}
        elsewhere = dict.fromkeys(deals.discards[deal].flatten().tolist(), "was thrown to the crib")
        elsewhere[int(deals.starters[deal])] = "is the starter"
        elsewhere.pop(UNKNOWN, None)
        try:
            play = replay(notation, role_of(seats.dealer[row]), kept, elsewhere)
        except CribevError as error:
            cells.fail(row, "play", str(error))
        if plays.setdefault(deal, play) != play:
            cells.fail(row, "play", f"the other player's row has {plays[deal].laid}")
    return plays


def replay(
    notation: PlayNotation,
    role: Role,
    kept: Mapping[Role, Sequence[int]],
    elsewhere: Mapping[int, str],
) -> Pegging:
    """Hold a play to the cards that one player kept, or both, and that are elsewhere.

    If the play is whole, the opponent kept what the player of `role` did not lay.

    >>> from cribev.game.play_notation import parse_play
    >>> play = parse_play("T T 9 A 4 5 K 3")
    >>> replay(play, "pone", {"pone": [36, 32, 0, 16]}, {}).points
    {'dealer': 3, 'pone': 1}
    >>> replay(play, "pone", {"pone": [36, 32, 0, 20]}, {})
    Traceback (most recent call last):
    cribev.errors.RecordError: 6 was kept, and is not laid
    """
    laid = notation.ranks
    hands = {role: [card >> 2 for card in cards] for role, cards in kept.items()}
    own, other_ranks = hands[role], [card >> 2 for card in elsewhere]
    why = " with the other cards of this deal"
    if not laid:
        raise RecordError("no card is laid")
    if len(hands) == 1 and len(laid) == CARDS_LAID:
        if missing := Counter(own) - Counter(laid):
            raise RecordError(f"{_ranks_text(missing.elements())} was kept, and is not laid")
        hands[opposite_role(role)] = list((Counter(laid) - Counter(own)).elements())
        check_deck([*laid, *other_ranks], why)
    if len(hands) == 2:
        play = peg(notation, pone=hands["pone"], dealer=hands["dealer"])
    else:
        play = peg(notation)
        _check_hand(play, role, own)
        opponent_laid = [step.rank for step in play.steps if step.role != role]
        known = [*own, *(rank for rank in opponent_laid if rank is not None)]
        check_deck([*known, *other_ranks], why)
    _check_suits(notation, play, kept, elsewhere)
    return play


def _check_hand(play: Pegging, role: Role, own: Sequence[int]) -> None:
    """Hold what one player lays and where that player says go to the cards kept."""
    steps = [step for step in play.steps if step.role == role]
    if extra := Counter(step.rank for step in steps if step.rank is not None) - Counter(own):
        raise RecordError(
            f"{role} lays {_ranks_text(extra.elements())}, and kept {_ranks_text(own)}: expected "
            "a go wherever one cannot lay"
        )
    left = Counter(own)
    for step in steps:
        if step.rank is not None:
            left[step.rank] -= 1
        elif fits := [rank for rank in left.elements() if step.count + PIP_VALUES[rank] <= LIMIT]:
            raise RecordError(
                f"{role} cannot say go at a count of {step.count}: {RANKS[min(fits)]} fits"
            )


def _check_suits(
    notation: PlayNotation,
    play: Pegging,
    kept: Mapping[Role, Sequence[int]],
    elsewhere: Mapping[int, str],
) -> None:
    """Hold the cards whose suits are written to where each card is."""
    roles = [step.role for step in play.steps if step.rank is not None]
    for card, role in zip(notation.cards, roles, strict=True):
        if card is None:
            continue
        name, across = format_cards([card]), opposite_role(role)
        if card in elsewhere:
            raise RecordError(f"{name} is laid, and {elsewhere[card]}")
        if role in kept and card not in kept[role]:
            raise RecordError(f"{role} lays {name}, and kept {format_cards(kept[role])}")
        if card in kept.get(across, ()):
            raise RecordError(f"{role} lays {name}, which {across} kept")


def _ranks_text(ranks: Iterable[int]) -> str:
    return " ".join(RANKS[rank] for rank in sorted(ranks))


def pegged_points(
    seats: Seats, deals: PairedDeals, plays: Mapping[int, Pegging], cells: Cells
) -> Ints:
    """Return what both sides pegged ``(D, 2)``, by the play where there is one.

    A row may leave out points that fall after the game is over.
    """
    pegged = deals.pegged.copy()
    for deal, play in plays.items():
        points = pegged[deal] = [play.points[role] for role in ROLES]
        least = _least_pegged(play, deals.before[deal].tolist(), int(deals.starters[deal]))
        for side, row in enumerate(deals.rows[deal].tolist()):
            sides = (side, 1 - side) if row >= 0 else ()
            for at, of in enumerate(sides):
                recorded = seats.pegged[row, at]
                if recorded != UNKNOWN and not least[of] <= recorded <= points[of]:
                    cells.fail(row, PEGGED_COLUMNS[at], f"by the play it is {points[of]}")
    return pegged


def _least_pegged(play: Pegging, before: Sequence[int], starter: int) -> list[int]:
    """Return the least each side may say it pegs: points after the game is over, or not."""
    points = [play.points[role] for role in ROLES]
    if UNKNOWN in before:
        last_go = takewhile(lambda step: step.rank is None, reversed(play.steps))
        of_go = [one for step in last_go for one in step.pegs]
        return [
            pegged - sum(one.points for one in of_go if one.role == role)
            for pegged, role in zip(points, ROLES, strict=True)
        ]
    heels = 2 * (starter >> 2 == JACK)
    needs = [WINNING_SCORE - before[0] - heels, WINNING_SCORE - before[1]]
    out = [pegged >= need for pegged, need in zip(points, needs, strict=True)]
    if not any(out):
        return points
    return [max(need, 0) if won else 0 for need, won in zip(needs, out, strict=True)]


def check_whole(
    seats: Seats, deals: PairedDeals, plays: Mapping[int, Pegging], cells: Cells
) -> None:
    """Refuse a play that stops before all cards are laid, unless the game ends in it."""
    last = np.append(deals.game[1:] != deals.game[:-1], True)
    score = deals.before + deals.pegged
    score[:, 0] += 2 * (deals.starters >> 2 == JACK)
    score = np.where(deals.before == UNKNOWN, deals.after, score)
    ended = (score >= WINNING_SCORE).any(axis=1) & last
    for row in seats.plays:
        deal = int(deals.of_rows[row])
        if not plays[deal].over and not ended[deal]:
            why = "the play ends before all cards are laid: expected the last go if there is"
            cells.fail(row, "play", f"{why} one, or a score by which the game ends in it")
