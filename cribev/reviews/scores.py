"""Scores from deal to deal: completed where the cards tell them, and held to what can be."""

from collections.abc import Iterator
from itertools import groupby, pairwise
from operator import gt
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.game.cards import JACK, Cards
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.play_notation import peg
from cribev.game.roles import ROLES
from cribev.game.score_notation import UNKNOWN, WINNING_SCORE
from cribev.game.scoring import score_hands
from cribev.reviews.cells import Cells
from cribev.reviews.wording import join_words

Both: TypeAlias = tuple[int, int]
"""Points of the dealer and of pone."""
Event: TypeAlias = tuple[int, int | None]
"""Who counts, 0 the dealer and 1 pone, and how many points, None if it is not known."""

_DEALER, _PONE = 0, 1


class Rows(NamedTuple):
    """What of a record the scores follow from, as in `cribev.reviews.records.Record`."""

    game: list[str]
    number: list[int]
    dealer: NDArray[np.bool_]
    deals: Cards
    keeps: NDArray[np.intp]
    starters: NDArray[np.int64]
    theirs: NDArray[np.int64]
    pegged: NDArray[np.int64]
    plays: list[str]
    scores: NDArray[np.int64]
    after: NDArray[np.int64]


class InferredScores(NamedTuple):
    """The scores of each row, the player's points first, `UNKNOWN` where they are not known."""

    before: NDArray[np.int64]
    """Before the deal, ``(N, 2)``."""
    after: NDArray[np.int64]
    """After it, ``(N, 2)``; who has 121 has won."""
    notes: list[str]
    """Deals in which the score does not move as the cards count."""


class _Deal:
    """A deal: its rows, the dealer's and pone's, and the score before and after it."""

    def __init__(self, game: str, number: int) -> None:
        self.game, self.number = game, number
        self.rows = [UNKNOWN, UNKNOWN]
        self.before: Both | None = None
        self.after: Both | None = None

    def follows(self, other: "_Deal") -> bool:
        return self.number == other.number + 1

    @property
    def name(self) -> str:
        return f"game {self.game}, deal {self.number}"

    @property
    def over(self) -> bool:
        return self.after is not None and WINNING_SCORE in self.after


def infer_scores(record: Rows, cells: Cells) -> InferredScores:
    """Follow the score of each game from deal to deal.

    What stands in a record goes before what its cards come to, for people miscount. Where it says
    nothing, the score after a deal is that before the next, or what heels, play, hands and crib
    make of the score before in the order they count, if all of them are known and no later score
    speaks against it.

    Parameters
    ----------
    record
        Rows that hold together otherwise.
    cells
        Their cells, to be refused by their place.

    Raises
    ------
    RecordError
        If a score falls, if there are two of one moment, or deals after a game is over.
    """
    before, after = record.scores.copy(), record.after.copy()
    notes: list[str] = []
    if (before == UNKNOWN).all() and (after == UNKNOWN).all():
        return InferredScores(before, after, notes)
    counts = _Counts(record)
    for _, game in groupby(_deals(record), key=lambda deal: deal.game):
        deals = list(game)
        _check(deals, cells)
        _join(deals, cells)
        for at, (deal, most) in enumerate(zip(deals, _most_after(deals), strict=True)):
            if at and deal.before is None and deal.follows(deals[at - 1]):
                deal.before = _turned(deals[at - 1].after)
            if deal.before is None:
                continue
            if deal.after is None:
                deal.after = _sum(deal.before, counts.events(deal))
                if deal.after is not None and any(map(gt, deal.after, most)):
                    why = "by the cards it is the last, and there are more"
                    if not deal.over:
                        why = f"by the cards it is {_score(deal.after)}, and a later score is less"
                    notes.append(f"{deal.name}: {why}")
                    deal.after = None
            else:
                notes += counts.differing(deal)
        for deal in deals:
            for side, row in enumerate(deal.rows):
                if row != UNKNOWN:
                    for points, score in ((before, deal.before), (after, deal.after)):
                        if score is not None:
                            points[row] = score[side], score[1 - side]
    return InferredScores(before, after, notes)


def _deals(record: Rows) -> list[_Deal]:
    """List the deals by game, in the order of the record, and number."""
    found: dict[tuple[str, int], _Deal] = {}
    first: dict[str, int] = {}
    for row, (game, number) in enumerate(zip(record.game, record.number, strict=True)):
        first.setdefault(game, row)
        deal = found.setdefault((game, number), _Deal(game, number))
        side = _DEALER if record.dealer[row] else _PONE
        deal.rows[side] = row
        for name, points in (("before", record.scores), ("after", record.after)):
            own, theirs = points[row].tolist()
            if own != UNKNOWN:
                setattr(deal, name, (own, theirs) if side == _DEALER else (theirs, own))
    return sorted(found.values(), key=lambda deal: (first[deal.game], deal.number))


def _turned(score: Both | None) -> Both | None:
    """See a score as the next deal has it, unless the game is over."""
    return None if score is None or WINNING_SCORE in score else (score[1], score[0])


def _join(deals: list[_Deal], cells: Cells) -> None:
    """Have the score after each deal be that before the next."""
    for deal, following in pairwise(deals):
        if not following.follows(deal) or following.before is None:
            continue
        across = (following.before[1], following.before[0])
        if deal.after is not None and deal.after != across and not deal.over:
            _refuse(cells, deal, "score_after", "the next deal has another score")
        if not deal.over:
            deal.after = across


def _check(deals: list[_Deal], cells: Cells) -> None:
    """Hold the scores of a game to what can be."""
    least = (0, 0)
    for at, deal in enumerate(deals):
        if at:
            if deals[at - 1].over:
                _refuse(cells, deal, "deal", "the game was over with the deal before")
            if (deal.number - deals[at - 1].number) % 2:
                least = (least[1], least[0])
        for column, score in (("score", deal.before), ("score_after", deal.after)):
            if score is None:
                continue
            if score[0] < least[0] or score[1] < least[1]:
                _refuse(cells, deal, column, "less than before: a score does not fall")
            least = score


def _most_after(deals: list[_Deal]) -> list[Both]:
    """Tell how much each can have after each deal, by the scores written later."""
    found: list[Both] = []
    most: Both = (WINNING_SCORE, WINNING_SCORE)
    for at in reversed(range(len(deals))):
        found.append(most)
        deal = deals[at]
        most = deal.before or deal.after or most
        most = min(most[0], WINNING_SCORE - 1), min(most[1], WINNING_SCORE - 1)
        if at and (deal.number - deals[at - 1].number) % 2:
            most = most[1], most[0]
    return found[::-1]


def _refuse(cells: Cells, deal: _Deal, column: str, why: str) -> None:
    """Refuse a cell of a deal, of the row in which something stands."""
    rows = [row for row in deal.rows if row != UNKNOWN]
    cells.fail(
        next((row for row in rows if cells.texts[column][row].strip()), rows[0]), column, why
    )


class _Counts:
    """What heels, play, hands and cribs come to."""

    def __init__(self, record: Rows) -> None:
        kept = np.take_along_axis(record.deals, KEEPS[record.keeps], axis=1)
        thrown = np.take_along_axis(record.deals, DISCARDS[record.keeps], axis=1)
        cut = record.starters != UNKNOWN
        full = cut & (record.theirs[:, 0] != UNKNOWN)
        cribs = np.concatenate([thrown, record.theirs], axis=1)
        self._hands, self._cribs = np.full((2, len(cut)), UNKNOWN)
        self._hands[cut] = score_hands(kept[cut], record.starters[cut])
        self._cribs[full] = score_hands(cribs[full], record.starters[full], crib=True)
        self._record = record

    def events(self, deal: _Deal) -> list[Event]:
        """List who counts what, in turn."""
        record, (dealers, pones) = self._record, deal.rows
        row = max(deal.rows)
        starter = int(record.starters[row])
        heels = 2 if starter >> 2 == JACK else 0
        hands = [_points(self._hands, dealers), _points(self._hands, pones)]
        return [
            (_DEALER, None if starter == UNKNOWN else heels),
            *self._play(deal, heels),
            (_PONE, hands[_PONE]),
            (_DEALER, hands[_DEALER]),
            (_DEALER, _points(self._cribs, row)),
        ]

    def _play(self, deal: _Deal, heels: int) -> Iterator[Event]:
        row = max(deal.rows)
        points = self._record.pegged[row].tolist()
        if not self._record.dealer[row]:
            points.reverse()
        out = [
            deal.before is not None
            and points[side] != UNKNOWN
            and deal.before[side] + heels * (side == _DEALER) + points[side] >= WINNING_SCORE
            for side in (_DEALER, _PONE)
        ]
        laid = self._record.plays[row].split()
        if laid and all(out):
            for step in peg(" ".join(laid)).steps:
                for one in step.pegs:
                    yield ROLES.index(one.role), one.points
            return
        # Whoever is out had the last point; if both are, nobody knows who came first.
        for side in (_PONE, _DEALER) if out[_DEALER] else (_DEALER, _PONE):
            yield side, None if points[side] == UNKNOWN or all(out) else points[side]

    def differing(self, deal: _Deal) -> list[str]:
        """Say where the score moves otherwise than the cards count."""
        assert deal.before is not None
        assert deal.after is not None
        events = self.events(deal)
        said = []
        counted = _sum(deal.before, events)
        if deal.over or (counted is not None and WINNING_SCORE in counted):
            if counted is not None and _winner(counted) != _winner(deal.after):
                said.append(f"by the cards it is {_score(counted)}")
        else:
            for side, role in enumerate(ROLES):
                own = [points for who, points in events if who == side]
                moved = deal.after[side] - deal.before[side]
                known = [points for points in own if points is not None]
                if len(known) == len(own) and sum(known) != moved:
                    said.append(f"{role} scores {moved}, and {sum(known)} by the cards")
        return [f"{deal.name}: {join_words(said, 'and')}"] if said else []


def _points(of_rows: NDArray[np.integer], row: int) -> int | None:
    points = int(of_rows[row]) if row != UNKNOWN else UNKNOWN
    return None if points == UNKNOWN else points


def _sum(before: Both, events: list[Event]) -> Both | None:
    """Count on from a score until somebody has 121, or something is not known.

    >>> _sum((110, 100), [(0, 2), (1, 25), (0, 12)]), _sum((0, 0), [(0, None)])
    ((112, 121), None)
    """
    score = list(before)
    for side, points in events:
        if points is None:
            return None
        score[side] += points
        if score[side] >= WINNING_SCORE:
            score[side] = WINNING_SCORE
            break
    return score[0], score[1]


def _winner(score: Both) -> int | None:
    return score.index(WINNING_SCORE) if WINNING_SCORE in score else None


def _score(score: Both) -> str:
    return f"{score[0]}*-{score[1]}"
