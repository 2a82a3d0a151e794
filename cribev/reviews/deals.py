"""A record's deals: seats set across from each other, the cards held to one deck."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Index
from cribev.game.cards import format_cards
from cribev.game.score import UNKNOWN, parse_scores, parse_scores_after
from cribev.game.scoring import score_hands
from cribev.reviews.cells import Cells
from cribev.reviews.seats import Seats
from cribev.rows.columns import PEGGED_COLUMNS

Ints = NDArray[np.int64]


class PairedDeals(NamedTuple):
    """D deals by game and number, the dealer before pone: sides 0 and 1 of ``(D, 2)``.

    What one seat does not know the other completes; else it is `UNKNOWN`.
    """

    game: Index
    number: Ints
    rows: Index
    """The row of each seat, -1 where it is not recorded, ``(D, 2)``."""
    of_rows: Index
    """The deal of each row, ``(N,)``."""
    kept: Ints
    """``(D, 2, 4)``."""
    discards: Ints
    """``(D, 2, 2)``."""
    starters: Ints
    pegged: Ints
    """Points in the play, ``(D, 2)``; what the seats wrote, where no play says it."""
    before: Ints
    """Points in the game before the deal, ``(D, 2)``."""
    after: Ints
    """Points in the game after the deal, ``(D, 2)``."""

    def by_row(self, values: Ints) -> Ints:
        """Turn both sides' values ``(D, 2, …)`` to each row's own and opponent's ``(N, 2, …)``."""
        turned = values[self.of_rows]
        pone = self.rows[self.of_rows, 1] == np.arange(len(turned))
        turned[pone] = turned[pone, ::-1]
        return turned


def pair_seats(seats: Seats, cells: Cells) -> PairedDeals:
    """Set the seats of each deal across from each other; refuse what does not fit together."""
    _check_rows(seats, cells)
    order = np.lexsort((seats.number, seats.game))
    keys = np.stack([seats.game[order], seats.number[order]])
    same = (keys[:, 1:] == keys[:, :-1]).all(axis=0)
    third = np.zeros(len(order), dtype=bool)
    third[order[2:]] = same[1:] & same[:-1]
    cells.refuse(third, "player", "a third row for this deal")
    paired = np.full(len(order), -1, dtype=np.intp)
    first, second = order[:-1][same], order[1:][same]
    paired[first], paired[second] = second, first
    _check_paired(seats, paired, cells)
    _check_turns(seats, cells)
    starts = np.concatenate([[True], ~same])
    of_rows = np.empty(len(order), dtype=np.intp)
    of_rows[order] = np.cumsum(starts) - 1
    rows = np.full((int(starts.sum()), 2), -1, dtype=np.intp)
    rows[of_rows, np.where(seats.dealer, 0, 1)] = np.arange(len(order))
    discards, recorded = (
        _of_seats(rows, cards) for cards in (seats.discards, seats.opponent_discards)
    )
    played = np.zeros((len(rows), 1), dtype=bool)
    played[of_rows[list(seats.plays)]] = True
    scores = parse_scores(cells.texts["score"], seats.dealer)
    scores_after = parse_scores_after(cells.texts["score_after"])
    game, number = keys[:, starts]
    pegged, before, after = (
        _agreed(points, paired, rows, columns, cells)
        for points, columns in (
            (np.where(played[of_rows], UNKNOWN, seats.pegged), PEGGED_COLUMNS),
            (cells.require("score", *scores), ("score", "score")),
            (cells.require("score_after", *scores_after), ("score_after", "score_after")),
        )
    )
    return PairedDeals(
        game,
        number,
        rows,
        of_rows,
        kept=_of_seats(rows, seats.kept),
        discards=np.where(discards == UNKNOWN, recorded[:, ::-1], discards),
        starters=_of_seats(rows, seats.starters).max(axis=1),
        pegged=pegged,
        before=before,
        after=after,
    )


def _of_seats(rows: Index, values: NDArray[np.integer]) -> Ints:
    """Return the values of both seats ``(D, 2, …)``, `UNKNOWN` where there is no row."""
    found = values[rows].astype(np.int64)
    found[rows < 0] = UNKNOWN
    return found


def _agreed(
    points: Ints, paired: Index, rows: Index, columns: tuple[str, str], cells: Cells
) -> Ints:
    """Return both sides' points ``(D, 2)`` from each row's own and opponent's ``(N, 2)``."""
    across = np.where(paired[:, None] >= 0, points[paired, ::-1], UNKNOWN)
    differ = (points != UNKNOWN) & (across != UNKNOWN) & (points != across)
    for column, bad in zip(columns, differ.T, strict=True):
        cells.refuse(bad, column, "the other player's row has it otherwise")
    complete = np.where(points == UNKNOWN, across, points)
    dealer, pone = rows.T
    return np.where(dealer[:, None] >= 0, complete[dealer], complete[pone, ::-1])


def _check_rows(seats: Seats, cells: Cells) -> None:
    """Refuse a card that is twice in one row."""
    starters = seats.starters[:, None]
    for column, cards in (("starter", starters), ("opponent_discard", seats.opponent_discards)):
        cells.refuse(
            _share_card(cards, seats.deals),
            column,
            lambda row: f"among the player's own cards {format_cards(seats.deals[row])}",
        )
    bad = _share_card(starters, seats.opponent_discards)
    cells.refuse(bad, "starter", "the opponent threw it to the crib")


def _check_paired(seats: Seats, paired: Index, cells: Cells) -> None:
    """Refuse two rows of one deal that contradict each other."""
    has, starters = paired >= 0, seats.starters
    refuse = cells.refuse
    same_player = has & (seats.player == seats.player[paired])
    refuse(
        same_player,
        "player",
        "two rows of one deal are of one player: two players need the column 'player', and several "
        "games the column 'game'",
    )
    same_role = has & (seats.dealer == seats.dealer[paired])
    refuse(same_role, "role", "both players: a deal has one dealer and one pone")
    across, discards = seats.deals[paired], seats.discards[paired]
    refuse(
        has & _share_card(seats.deals, across),
        "cards",
        lambda row: f"some are the other player's too, who has {format_cards(across[row])}",
    )
    refuse(
        has & _share_card(starters[:, None], across),
        "starter",
        lambda row: f"among the other player's cards {format_cards(across[row])}",
    )
    known = has & (starters != UNKNOWN) & (starters[paired] != UNKNOWN)
    refuse(
        known & (starters != starters[paired]),
        "starter",
        lambda row: f"the other player's row has {format_cards(starters[paired[[row]]])}",
    )
    known = has & (seats.opponent_discards[:, 0] != UNKNOWN)
    refuse(
        known & (seats.opponent_discards != discards).any(axis=1),
        "opponent_discard",
        lambda row: f"the other player's row has {format_cards(discards[row])}",
    )


def _check_turns(seats: Seats, cells: Cells) -> None:
    """Hold each game to two players, who deal in turn."""
    game, player = seats.game, seats.player
    first = np.unique(game, return_index=True)[1][game]
    others = np.flatnonzero(player != player[first])
    games, at = np.unique(game[others], return_index=True)
    opponent = np.full(int(game.max()) + 1, -1)
    opponent[games] = player[others[at]]
    third = (player != player[first]) & (player != opponent[game])
    cells.refuse(third, "player", "a third player in this game")
    # Whoever sits first deals either all odd deals or all even ones.
    turn = seats.dealer ^ (seats.number % 2 == 1) ^ (player != player[first])
    why = "the deal goes in turn, and by the game's first row it is the other"
    cells.refuse(turn != turn[first], "role", why)


def _share_card(cards: NDArray[np.integer], others: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Tell in which rows a known card is among the others."""
    same = (cards[:, :, None] == others[:, None, :]) & (cards[:, :, None] != UNKNOWN)
    found: NDArray[np.bool_] = same.any(axis=(1, 2))
    return found


def known_points(cards: Ints, starters: Ints, *, crib: bool = False) -> Ints:
    """Count hands or cribs ``(…, 4)`` with their starters, `UNKNOWN` where a card is.

    >>> known_points(np.array([[18, 39, 43, 47], [-1, -1, -1, -1]]), np.array([16, 17])).tolist()
    [17, -1]
    """
    known = (cards != UNKNOWN).all(axis=-1) & (starters != UNKNOWN)
    points = np.full(known.shape, UNKNOWN, dtype=np.int64)
    cut = np.broadcast_to(starters, known.shape)
    points[known] = score_hands(cards[known], cut[known], crib=crib)
    return points
