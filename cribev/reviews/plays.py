"""The plays in a record, held to the rules and to the cards."""

from collections.abc import Mapping, Sequence
from itertools import takewhile

import numpy as np

from cribev.errors import CribevError
from cribev.game.cards import JACK, RANKS, format_cards
from cribev.game.play_notation import Pegging, PlayNotation
from cribev.game.replay import replay
from cribev.game.roles import ROLES, role_of
from cribev.game.score import HEELS, UNKNOWN, WINNING_SCORE
from cribev.reviews.cells import Cells
from cribev.reviews.deals import Ints, PairedDeals
from cribev.reviews.seats import Seats
from cribev.rows.columns import PEGGED_COLUMNS


def laid_texts(seats: Seats, deals: PairedDeals, plays: Mapping[int, Pegging]) -> dict[int, str]:
    """Write every play by its deal, every go written, with the suits that were given."""
    suits: dict[int, list[int | None]] = {}
    for row, notation in seats.plays.items():
        own = suits.setdefault(int(deals.of_rows[row]), notation.cards)
        if notation.cards.count(None) < own.count(None):
            suits[int(deals.of_rows[row])] = notation.cards
    texts = {}
    for deal, play in plays.items():
        cards = iter(suits[deal])
        texts[deal] = " ".join(
            "go"
            if step.rank is None
            else RANKS[step.rank]
            if (card := next(cards)) is None
            else format_cards([card])
            for step in play.steps
        )
    return texts


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
    heels = HEELS * (starter >> 2 == JACK)
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
    score[:, 0] += HEELS * (deals.starters >> 2 == JACK)
    score = np.where(deals.before == UNKNOWN, deals.after, score)
    ended = (score >= WINNING_SCORE).any(axis=1) & last
    for row in seats.plays:
        deal = int(deals.of_rows[row])
        if not plays[deal].over and not ended[deal]:
            why = "the play ends before all cards are laid: expected the last go if there is"
            cells.fail(row, "play", f"{why} one, or a score by which the game ends in it")
