"""Plays and scores in a record, held to the rules: scores inferred where the cards allow it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile
from operator import gt
from typing import NamedTuple, TypeAlias

import numpy as np

from cribev.errors import CribevError, RecordError
from cribev.game.cards import SUITLESS_OFFSET
from cribev.game.play import Play
from cribev.game.roles import ROLES
from cribev.game.score import UNKNOWN, WINNING_SCORE, Score, heels, heels_of
from cribev.reviews.seats import Cells, Ints, PairedDeals, Seats, known_points
from cribev.reviews.wording import join_words
from cribev.rows.columns import PEGGED_COLUMNS


def check_plays(seats: Seats, deals: PairedDeals, cells: Cells) -> dict[int, Play]:
    """Read every play, by its deal; refuse one written in two ways, or against rules or cards."""
    plays: dict[int, Play] = {}
    read: dict[int, str] = {}
    for row, text in seats.plays.items():
        deal = int(deals.of_rows[row])
        if read.setdefault(deal, text) == text and deal in plays:
            continue
        hands = {
            role: deals.kept[deal, side].tolist()
            for side, role in enumerate(ROLES)
            if deals.rows[deal, side] >= 0
        }
        elsewhere = dict.fromkeys(deals.discards[deal].flatten().tolist(), "was thrown to the crib")
        elsewhere[int(deals.starters[deal])] = "is the starter"
        elsewhere.pop(UNKNOWN, None)
        try:
            play = Play.parse(text, hands, elsewhere)
            if not play.steps:
                raise RecordError("no card is laid")
        except CribevError as error:
            cells.fail(row, "play", str(error))
        other = plays.setdefault(deal, play)
        if other.history != play.history:
            cells.fail(row, "play", f"the other player's row has {other.ranks_text}")
        if _suits_missing(play) < _suits_missing(other):
            plays[deal] = play
    return plays


def _suits_missing(play: Play) -> int:
    return sum(card >= SUITLESS_OFFSET for card in play.laid)


def pegged_points(
    seats: Seats, deals: PairedDeals, plays: Mapping[int, Play], cells: Cells
) -> Ints:
    """Return what both sides pegged ``(D, 2)``, by the play where there is one.

    A row may leave out points that fall after the game is over.
    """
    pegged = deals.pegged.copy()
    for deal, play in plays.items():
        points = pegged[deal] = list(play.points.values())
        least = _least_pegged(play, deals.before[deal].tolist(), int(deals.starters[deal]))
        for side, row in enumerate(deals.rows[deal].tolist()):
            sides = (side, 1 - side) if row >= 0 else ()
            for at, of in enumerate(sides):
                recorded = seats.pegged[row, at]
                if recorded != UNKNOWN and not least[of] <= recorded <= points[of]:
                    cells.fail(row, PEGGED_COLUMNS[at], f"by the play it is {points[of]}")
    return pegged


def _least_pegged(play: Play, before: Sequence[int], starter: int) -> list[int]:
    """Return the least each side may say it pegs: points after the game is over, or not."""
    points = list(play.points.values())
    if UNKNOWN in before:
        last_go = takewhile(lambda step: step.card is None, reversed(play.steps))
        of_go = [one for step in last_go for one in step.pegs]
        return [
            pegged - sum(one.points for one in of_go if one.role == role)
            for pegged, role in zip(points, ROLES, strict=True)
        ]
    needed = Score(before[1], before[0]).plus(starter=starter).needed.values()
    out = [pegged >= need for pegged, need in zip(points, needed, strict=True)]
    if not any(out):
        return points
    return [max(need, 0) if won else 0 for need, won in zip(needed, out, strict=True)]


def check_whole(seats: Seats, deals: PairedDeals, plays: Mapping[int, Play], cells: Cells) -> None:
    """Refuse a play that stops before all cards are laid, unless the game ends in it."""
    last = np.append(deals.game[1:] != deals.game[:-1], True)
    score = deals.before + deals.pegged
    score[:, 0] += heels_of(deals.starters)
    score = np.where(deals.before == UNKNOWN, deals.after, score)
    ended = (score >= WINNING_SCORE).any(axis=1) & last
    for row in seats.plays:
        deal = int(deals.of_rows[row])
        if not plays[deal].over and not ended[deal]:
            why = "the play ends before all cards are laid: expected the last go if there is"
            cells.fail(row, "play", f"{why} one, or a score by which the game ends in it")


BothPoints: TypeAlias = tuple[int, int]
"""Points of the dealer and of pone."""
Count: TypeAlias = tuple[int, int | None]
"""Who counts, 0 the dealer and 1 pone, and how many points, None if it is not known."""

_DEALER, _PONE = 0, 1


class InferredScores(NamedTuple):
    """The scores of both sides ``(D, 2)``, `UNKNOWN` where they are not known."""

    before: Ints
    """Before the deal."""
    after: Ints
    """After it; who has 121 has won."""
    notes: list[str]
    """Deals in which the score does not move as the cards count."""


@dataclass
class _Deal:
    """A deal and the score before and after it."""

    at: int
    """Which of the record's deals."""
    game: str
    number: int
    rows: list[int]
    before: BothPoints | None
    after: BothPoints | None

    def follows(self, other: "_Deal") -> bool:
        return self.number == other.number + 1

    @property
    def name(self) -> str:
        return f"game {self.game}, deal {self.number}"

    @property
    def over(self) -> bool:
        return self.after is not None and WINNING_SCORE in self.after


def infer_scores(deals: PairedDeals, plays: Mapping[int, Play], cells: Cells) -> InferredScores:
    """Infer the scores of each game from deal to deal.

    A score that is written stands, for people miscount. Otherwise the score after a deal is that
    before the next; or else what heels, play, hands and crib add to the score before, in the order
    they count, if all are known and no later score contradicts it.
    """
    before, after = deals.before.copy(), deals.after.copy()
    notes: list[str] = []
    if (before == UNKNOWN).all() and (after == UNKNOWN).all():
        return InferredScores(before, after, notes)
    counts = _Counts(deals, plays)
    for _, group in groupby(_score_deals(deals, cells), key=lambda deal: deal.game):
        game = list(group)
        _check(game, cells)
        _link_deals(game, cells)
        notes += _count(game, counts)
        for deal in game:
            for scores, score in ((before, deal.before), (after, deal.after)):
                if score is not None:
                    scores[deal.at] = score
    return InferredScores(before, after, notes)


def _score_deals(deals: PairedDeals, cells: Cells) -> Iterator[_Deal]:
    columns = (deals.number, deals.rows, deals.before, deals.after)
    for at, (number, rows, *scores) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        before, after = (None if UNKNOWN in score else tuple(score) for score in scores)
        yield _Deal(at, cells.texts["game"][max(rows)], number, rows, before, after)


def _count(game: list[_Deal], counts: "_Counts") -> list[str]:
    """Count on where no score is written; return where counts and scores differ."""
    notes = []
    for at, (deal, most) in enumerate(zip(game, _most_after(game), strict=True)):
        if at and deal.before is None and deal.follows(game[at - 1]):
            deal.before = _swapped(game[at - 1].after)
        if deal.before is None:
            continue
        if deal.after is not None:
            notes += counts.differing(deal)
            continue
        deal.after = _add_events(deal.before, counts.events(deal))
        if deal.after is not None and any(map(gt, deal.after, most)):
            why = "by the cards it is the last, and there are more"
            if not deal.over:
                why = f"by the cards it is {_score_text(deal.after)}, and a later score is less"
            notes.append(f"{deal.name}: {why}")
            deal.after = None
    return notes


def _swapped(score: BothPoints | None) -> BothPoints | None:
    """See a score as the next deal has it, unless the game is over."""
    return None if score is None or WINNING_SCORE in score else (score[1], score[0])


def _link_deals(deals: list[_Deal], cells: Cells) -> None:
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


def _most_after(deals: list[_Deal]) -> list[BothPoints]:
    """Return the most each can have after each deal, by the scores written later."""
    found: list[BothPoints] = []
    most: BothPoints = (WINNING_SCORE, WINNING_SCORE)
    for at in reversed(range(len(deals))):
        found.append(most)
        deal = deals[at]
        most = deal.before or deal.after or most
        most = min(most[0], WINNING_SCORE - 1), min(most[1], WINNING_SCORE - 1)
        if at and (deal.number - deals[at - 1].number) % 2:
            most = most[1], most[0]
    return found[::-1]


def _refuse(cells: Cells, deal: _Deal, column: str, why: str) -> None:
    """Refuse a cell of a deal, in the row where something is written."""
    rows = sorted(row for row in deal.rows if row >= 0)
    cells.fail(
        next((row for row in rows if cells.texts[column][row].strip()), rows[0]), column, why
    )


class _Counts:
    """What heels, plays, hands and cribs count."""

    def __init__(self, deals: PairedDeals, plays: Mapping[int, Play]) -> None:
        self._starters, self._pegged = deals.starters.tolist(), deals.pegged.tolist()
        self._hands = known_points(deals.kept, deals.starters[:, None]).tolist()
        cribs = deals.discards.reshape(-1, 4)
        self._cribs = known_points(cribs, deals.starters, crib=True).tolist()
        self._plays = plays

    def events(self, deal: _Deal) -> list[Count]:
        """List who counts what, in turn."""
        starter, hands = self._starters[deal.at], self._hands[deal.at]
        counts = [
            (_DEALER, UNKNOWN if starter == UNKNOWN else heels(starter)),
            *self._play(deal, heels(starter)),
            (_PONE, hands[_PONE]),
            (_DEALER, hands[_DEALER]),
            (_DEALER, self._cribs[deal.at]),
        ]
        return [(side, None if points == UNKNOWN else points) for side, points in counts]

    def _play(self, deal: _Deal, cut: int) -> Iterator[tuple[int, int]]:
        points = self._pegged[deal.at]
        out = [
            deal.before is not None
            and points[side] != UNKNOWN
            and deal.before[side] + cut * (side == _DEALER) + points[side] >= WINNING_SCORE
            for side in (_DEALER, _PONE)
        ]
        if deal.at in self._plays and all(out):
            for step in self._plays[deal.at].steps:
                for one in step.pegs:
                    yield ROLES.index(one.role), one.points
            return
        # Whoever is out had the last point; if both are, nobody knows who came first.
        for side in (_PONE, _DEALER) if out[_DEALER] else (_DEALER, _PONE):
            yield side, UNKNOWN if all(out) else points[side]

    def differing(self, deal: _Deal) -> list[str]:
        """Say where the score differs from the cards' count."""
        assert deal.before is not None
        assert deal.after is not None
        events = self.events(deal)
        texts = []
        counted = _add_events(deal.before, events)
        if deal.over or (counted is not None and WINNING_SCORE in counted):
            if counted is not None and _winner(counted) != _winner(deal.after):
                texts.append(f"by the cards it is {_score_text(counted)}")
        else:
            for side, role in enumerate(ROLES):
                own = [points for who, points in events if who == side]
                moved = deal.after[side] - deal.before[side]
                known = [points for points in own if points is not None]
                if len(known) == len(own) and sum(known) != moved:
                    texts.append(f"{role} scores {moved}, and {sum(known)} by the cards")
        return [f"{deal.name}: {join_words(texts, 'and')}"] if texts else []


def _add_events(before: BothPoints, events: list[Count]) -> BothPoints | None:
    """Count on from a score until somebody has 121, or something is not known.

    >>> _add_events((110, 100), [(0, 2), (1, 25), (0, 12)]), _add_events((0, 0), [(0, None)])
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


def _winner(score: BothPoints) -> int | None:
    return score.index(WINNING_SCORE) if WINNING_SCORE in score else None


def _score_text(score: BothPoints) -> str:
    return f"{score[0]}*-{score[1]}"
