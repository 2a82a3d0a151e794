"""The record of a played game: read, checked against the rules, and completed.

Each cell is read on its own. The two rows of a deal are matched, plays are checked against the
rules and the cards, and scores are inferred where the cards allow it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from operator import gt
from typing import Any, NamedTuple, NoReturn, TypeAlias, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.classes.canonical import Index
from cribev.errors import CribevError, RecordError, quote
from cribev.game.cards import RANKS, SUITLESS_OFFSET, Cards, cards_meant, format_cards, ranks_of
from cribev.game.deal import Deal, Held, Position
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.play import Play
from cribev.game.roles import ROLES, Role, role_of
from cribev.game.score import UNKNOWN, WINNING_SCORE, Score, heels, heels_of
from cribev.game.score_texts import format_scores, parse_points, parse_scores, parse_scores_after
from cribev.game.words import join_words
from cribev.records.cells import (
    Cells,
    Ints,
    format_card_rows,
    known_points,
    nearest_points,
    split_deals,
)
from cribev.rows.columns import as_text, parse_roles
from cribev.rows.names import PEGGED_COLUMNS

HINTS = "hints"  # the column of a game played here that says where its player asked what to do

_MAX_PEGGED = 60  # two double pairs royal are 40, and nothing brings half as much again
_MAX_DEALS = 2**53  # beyond it not every whole number is a float


class Seats(NamedTuple):
    """The seats of a record in columns of N rows, each cell read on its own, or `UNKNOWN`."""

    game: Index  # which game, in the order of their first rows
    number: NDArray[np.int64]  # which deal of it
    player: Index
    dealer: NDArray[np.bool_]
    deals: Cards  # six cards ascending, ``(N, 6)``
    keeps: Index  # which of the 15 keeps
    kept: Cards  # ``(N, 4)``
    discards: Cards  # ``(N, 2)``
    starters: NDArray[np.int64]
    opponent_discards: NDArray[np.int64]  # ``(N, 2)``
    pegged: NDArray[np.int64]  # the player's points in the play and the opponent's, ``(N, 2)``
    plays: dict[int, str]  # as they are written, by row, of those that have one


def read_seats(cells: Cells) -> Seats:
    """Read the cells of a record; refuse one that cannot be read."""
    texts = pd.Series(cells.texts["deal"], dtype=object)
    numbers = pd.to_numeric(texts, errors="coerce").to_numpy(np.float64)
    good = (numbers >= 1) & (numbers < _MAX_DEALS)
    number = np.where(good, numbers, 0).astype(np.int64)
    cells.refuse(~good | (number != numbers), "deal", "not a whole number from 1 up")
    named = list[Index]()
    for column in ("game", "player"):
        names = np.array(cells.texts[column], dtype=object)
        cells.refuse(names == "", column, "empty")
        named.append(pd.factorize(names)[0])
    dealer, errors = parse_roles(cells.texts["role"])
    cells.require("role", dealer, dict.fromkeys(errors, "expected dealer or pone"))
    deals = cells.cards("cards", 6).astype(np.uint8)
    discarded = _discarded(cells, deals)
    cells.refuse(np.asarray(~discarded.any(axis=1)), "discard", "not two of the six cards", deals)
    starters, opponent_discards = cells.cards("starter", 1), cells.cards("opponent_discard", 2)
    pegged = [
        cells.require(column, *parse_points(cells.texts[column], "points pegged", most=_MAX_PEGGED))
        for column in PEGGED_COLUMNS
    ]
    keeps: Index = discarded.argmax(axis=1)
    return Seats(
        *(named[0], number, named[1], dealer),
        *(deals, keeps, *split_deals(deals, keeps)),
        *(starters[:, 0], opponent_discards, np.stack(pegged, axis=1)),
        {row: text for row, text in enumerate(cells.texts["play"]) if text.strip()},
    )


def _discarded(cells: Cells, deals: Cards) -> NDArray[np.bool_]:
    """Return which of the 15 discards of each deal was made, ``(N, 15)``; a rank fits any suit."""
    read, pairs = cells.cards("discard", 2), deals[:, DISCARDS]
    discarded = np.asarray((pairs == read[:, None]).all(axis=2))
    bare = (read >= SUITLESS_OFFSET).any(axis=1) & ~discarded.any(axis=1)
    for row in np.flatnonzero(bare).tolist():
        try:
            meant = cards_meant(format_cards(read[row]), deals[row].tolist())
        except CribevError as error:
            cells.fail(row, "discard", str(error))
        discarded[row] = (pairs[row] == meant).all(axis=1)
    return discarded


class PairedDeals(NamedTuple):
    """D deals of two sides, ``(D, 2)``, dealer and pone, each completed by the other."""

    game: Index
    number: Ints
    rows: Index  # the row of each seat, -1 where it is not recorded, ``(D, 2)``
    of_rows: Index  # the deal of each row, ``(N,)``
    kept: Ints  # ``(D, 2, 4)``
    discards: Ints  # ``(D, 2, 2)``
    starters: Ints
    pegged: Ints  # points in the play, ``(D, 2)``; what the seats wrote, where no play says it
    before: Ints  # points in the game before the deal, ``(D, 2)``
    after: Ints  # points in the game after the deal, ``(D, 2)``

    def deal(self, row: int) -> Deal:
        """Return the cards of a deal, as far as they are known."""
        sides = zip(self.kept[row].tolist(), self.discards[row].tolist(), strict=True)
        dealer, pone = (
            Held(*(cards if UNKNOWN not in cards else () for cards in side)) for side in sides
        )
        starter = int(self.starters[row])
        return Deal(pone, dealer, None if starter == UNKNOWN else starter)

    def by_row(self, values: Ints) -> Ints:
        """Turn both sides' values ``(D, 2, …)`` to each row's own and opponent's ``(N, 2, …)``."""
        turned = values[self.of_rows]
        pone = self.rows[self.of_rows, 1] == np.arange(len(turned))
        turned[pone] = turned[pone, ::-1]
        return turned


def pair_seats(seats: Seats, cells: Cells) -> PairedDeals:
    """Match the two seats of each deal; refuse what does not fit together."""
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
    kept, cut = _of_seats(rows, seats.kept), _of_seats(rows, seats.starters).max(axis=1)
    discards = _of_seats(rows, seats.discards)
    recorded = _of_seats(rows, seats.opponent_discards)[:, ::-1]
    discards = np.where(discards == UNKNOWN, recorded, discards)
    _check_ranks(np.column_stack([kept.reshape(-1, 8), discards.reshape(-1, 4), cut]), rows, cells)
    return PairedDeals(
        *(game, number, rows, of_rows), *(kept, discards, cut, pegged, before, after)
    )


def _of_seats(rows: Index, values: NDArray[np.integer]) -> Ints:
    """Return the values of both seats ``(D, 2, …)``, `UNKNOWN` where there is no row."""
    both = values[rows].astype(np.int64)
    both[rows < 0] = UNKNOWN
    return both


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
        why = "among the player's own cards"
        cells.refuse(_share_card(cards, seats.deals), column, why, seats.deals)
    bad = _share_card(starters, seats.opponent_discards)
    cells.refuse(bad, "starter", "the opponent discarded it to the crib")


def _check_paired(seats: Seats, paired: Index, cells: Cells) -> None:
    """Refuse two rows of one deal that contradict each other."""
    has, refuse, otherwise = paired >= 0, cells.refuse, "the other player's row has"
    starters, recorded = seats.starters, seats.opponent_discards
    across, discards, cut = seats.deals[paired], seats.discards[paired], starters[paired]
    why = (
        "two rows of one deal are of one player: two players need the column 'player', and several "
        "games the column 'game'"
    )
    refuse(has & (seats.player == seats.player[paired]), "player", why)
    why = "both players: a deal has one dealer and one pone"
    refuse(has & (seats.dealer == seats.dealer[paired]), "role", why)
    shared, dealt = _share_card(seats.deals, across), _share_card(starters[:, None], across)
    refuse(has & shared, "cards", "some are the other player's too, who has", across)
    refuse(has & dealt, "starter", "among the other player's cards", across)
    has_cut = has & (starters != UNKNOWN) & (cut != UNKNOWN)
    refuse(has_cut & (starters != cut), "starter", otherwise, cut[:, None])
    differ = (recorded[:, 0] != UNKNOWN) & (recorded != discards).any(axis=1)
    refuse(has & differ, "opponent_discard", otherwise, discards)


def _check_turns(seats: Seats, cells: Cells) -> None:
    """Check that each game has two players, who deal in turn."""
    game, player = seats.game, seats.player
    first = np.unique(game, return_index=True)[1][game]
    others = np.flatnonzero(player != player[first])
    games, places = np.unique(game[others], return_index=True)
    opponent = np.full(int(game.max()) + 1, -1)
    opponent[games] = player[others[places]]
    third = (player != player[first]) & (player != opponent[game])
    cells.refuse(third, "player", "a third player in this game")
    # Whoever sits first deals either all odd deals or all even ones.
    turn = seats.dealer ^ (seats.number % 2 == 1) ^ (player != player[first])
    why = "the deal goes in turn, and by the game's first row it is the other"
    cells.refuse(turn != turn[first], "role", why)


def _check_ranks(cards: Ints, rows: Index, cells: Cells) -> None:
    """Refuse a deal, of cards ``(D, 13)``, with a fifth card of a rank."""
    ranks = np.where(cards == UNKNOWN, UNKNOWN, ranks_of(cards))
    many = (ranks[:, :, None] == ranks[:, None]).sum(axis=2) * (ranks != UNKNOWN) > 4
    for deal in np.flatnonzero(many.any(axis=1))[:1].tolist():
        rank = RANKS[ranks[deal, many[deal].argmax()]]
        cells.fail(int(rows[deal].max()), "cards", f"the deal has more than four of rank {rank}")


def _share_card(cards: NDArray[np.integer], others: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Tell in which rows a known card is among the others."""
    same = (cards[:, :, None] == others[:, None, :]) & (cards[:, :, None] != UNKNOWN)
    same &= cards[:, :, None] < SUITLESS_OFFSET  # a rank may be another card of it
    shared: NDArray[np.bool_] = same.any(axis=(1, 2))
    return shared


def check_plays(seats: Seats, deals: PairedDeals, cells: Cells) -> dict[int, Play]:
    """Read every play, by its deal; refuse one written in two ways, or against rules or cards."""
    plays: dict[int, Play] = {}
    read: dict[int, str] = {}
    for row, text in seats.plays.items():
        deal = int(deals.of_rows[row])
        if read.setdefault(deal, text) == text and deal in plays:
            continue
        try:
            play = deals.deal(deal).with_play(text).play
        except CribevError as error:
            cells.fail(row, "play", str(error))
        other = plays.setdefault(deal, play)
        if other.history != play.history:
            cells.fail(row, "play", f"the other player's row has {other.ranks_text}")
        plays[deal] = min(
            other, play, key=lambda played: sum(card >= SUITLESS_OFFSET for card in played.played)
        )
    return plays


def pegged_points(
    seats: Seats, deals: PairedDeals, plays: Mapping[int, Play], cells: Cells
) -> Ints:
    """Return what both pegged ``(D, 2)``, from the play if there is one."""
    pegged = deals.pegged.copy()
    for deal, play in plays.items():
        points = pegged[deal] = list(play.points.values())
        least = _least_pegged(play, deals.before[deal].tolist(), int(deals.starters[deal]))
        for side, row in enumerate(deals.rows[deal].tolist()):
            sides = (side, 1 - side) if row >= 0 else ()
            for place, of in enumerate(sides):
                recorded = seats.pegged[row, place]
                if recorded != UNKNOWN and not least[of] <= recorded <= points[of]:
                    cells.fail(row, PEGGED_COLUMNS[place], f"by the play it is {points[of]}")
    return pegged


def _least_pegged(play: Play, before: Sequence[int], starter: int) -> list[int]:
    """Return the least each side may record: points after the end of the game are optional."""
    points = list(play.points.values())
    if UNKNOWN in before:
        last_go = takewhile(lambda step: step.card is None, reversed(play.steps))
        of_go = [peg for step in last_go for peg in step.pegs]
        return [
            pegged - sum(peg.points for peg in of_go if peg.role == role)
            for pegged, role in zip(points, ROLES, strict=True)
        ]
    needed = Score(before[1], before[0]).plus(starter=starter).needed.values()
    out = [pegged >= need for pegged, need in zip(points, needed, strict=True)]
    if not any(out):
        return points
    return [max(need, 0) if won else 0 for need, won in zip(needed, out, strict=True)]


def check_whole(seats: Seats, deals: PairedDeals, plays: Mapping[int, Play], cells: Cells) -> None:
    """Refuse a play that stops before all cards are played, unless the game ends in it."""
    last = np.append(deals.game[1:] != deals.game[:-1], True)
    score = deals.before + deals.pegged
    score[:, 0] += heels_of(deals.starters)
    score = np.where(deals.before == UNKNOWN, deals.after, score)
    ended = (score >= WINNING_SCORE).any(axis=1) & last
    for row in seats.plays:
        deal = int(deals.of_rows[row])
        if not plays[deal].over and not ended[deal]:
            why = "the play ends before all cards are played: expected the last go if there is"
            cells.fail(row, "play", f"{why} one, or a score by which the game ends in it")


Count: TypeAlias = tuple[Role, int]
"""The player who counts, and the points, `UNKNOWN` if they are not known."""


def infer_scores(deals: PairedDeals, plays: Mapping[int, Play], cells: Cells) -> "InferredScores":
    """Infer the scores of each game from deal to deal.

    A written score is kept, because people miscount. Otherwise, the score after a deal is the score
    before the next, or the score before plus heels, play, hands and crib, in the order they count,
    if all are known and no later score contradicts it.
    """
    scores, notes = _Scores(deals, plays, cells), list[str]()
    has_scores = (deals.before != UNKNOWN).any() or (deals.after != UNKNOWN).any()
    ends = np.flatnonzero(deals.game[1:] != deals.game[:-1]) + 1
    for game in np.split(np.arange(len(deals.game)), ends) if has_scores else ():
        notes += scores.infer(game.tolist())
    before, after, counted = (
        np.array([(UNKNOWN,) * 2 if score is None else score[::-1] for score in column])
        for column in (scores.before, scores.after, scores.counted)
    )
    hands, cribs = np.array(scores.hands), np.array(scores.cribs)
    return InferredScores(before, after, hands, cribs, counted, tuple(notes))


class InferredScores(NamedTuple):
    """The scores of each deal, ``(D, 2)`` dealer and pone, `UNKNOWN` where not known."""

    before: Ints
    after: Ints
    hands: Ints  # what they made; where suits lack, as near to the score as suits allow
    cribs: Ints  # the same, ``(D,)``
    counted: Ints  # what the score after would be by the cards, where it does not match them
    notes: tuple[str, ...]  # where it does not match them


class _Scores:
    """The scores before and after each deal, as inferred; a player with 121 has won."""

    def __init__(self, deals: PairedDeals, plays: Mapping[int, Play], cells: Cells) -> None:
        self._rows, self._number = deals.rows.tolist(), deals.number.tolist()
        self._starters, self._pegged = deals.starters.tolist(), deals.pegged.tolist()
        kept, cribs = deals.kept, deals.discards.reshape(-1, 4)
        self._kept, self._crib = kept.tolist(), cribs.tolist()
        self.hands = known_points(kept, deals.starters[:, None]).tolist()
        self.cribs = known_points(cribs, deals.starters, crib=True).tolist()
        self._plays, self._cells = plays, cells
        self.before, self.after = (
            [None if UNKNOWN in score else Score(*score[::-1]) for score in column.tolist()]
            for column in (deals.before, deals.after)
        )
        self.counted: list[Score | None] = [None] * len(self._number)

    def infer(self, game: Sequence[int]) -> list[str]:
        """Infer the scores of one game's deals; return where counts and scores differ."""
        self._check(game)
        self._link(game)
        notes, previous = [], None
        for row, most in zip(game, self._most_after(game), strict=True):
            if previous is not None and self.before[row] is None and self._follows(row, previous):
                score = self.after[previous]
                self.before[row] = None if score is None or score.over else _turned(score)
            previous, before = row, self.before[row]
            if before is None:
                continue
            if (after := self.after[row]) is not None and not after.over:
                self._count_by_score(row, before, after)
            events = self._events(row, before)
            counted = _add_events(before, events)
            if after is not None:
                if differs := self._differing(row, before, after, counted, events):
                    self.counted[row] = counted
                notes += differs
            elif counted is not None and any(map(gt, counted, most)):
                why = "by the cards it is the last, and there are more"
                if not counted.over:
                    why = f"by the cards it is {_score_text(counted)}, and a later score is less"
                notes.append(f"{self._name(row)}: {why}")
            else:
                self.after[row] = counted
        return notes

    def _follows(self, row: int, previous: int) -> bool:
        return bool(self._number[row] == self._number[previous] + 1)

    def _turns(self, row: int, previous: int) -> bool:
        """Return whether another player deals than in a deal before."""
        return bool((self._number[row] - self._number[previous]) % 2)

    def _is_over(self, row: int) -> bool:
        score = self.after[row]
        return score is not None and score.over

    def _check(self, game: Sequence[int]) -> None:
        """Check that the scores of a game are possible."""
        least = Score(0, 0)
        for previous, row in zip([None, *game], game, strict=False):
            if previous is not None:
                if self._is_over(previous):
                    self._refuse(row, "deal", "the game was over with the deal before")
                least = _turned(least) if self._turns(row, previous) else least
            for column, score in (("score", self.before[row]), ("score_after", self.after[row])):
                if score is not None:
                    if any(map(gt, least, score)):
                        self._refuse(row, column, "less than before: a score does not fall")
                    least = score

    def _link(self, game: Sequence[int]) -> None:
        """Make the score after each deal the score before the next."""
        for row, following in pairwise(game):
            score = self.before[following]
            if score is not None and self._follows(following, row) and not self._is_over(row):
                if self.after[row] not in (None, _turned(score)):
                    self._refuse(row, "score_after", "the next deal has another score")
                self.after[row] = _turned(score)

    def _most_after(self, game: Sequence[int]) -> list[Score]:
        """Return the most each player can have after each deal, by the scores written later."""
        scores, most = list[Score](), Score(WINNING_SCORE, WINNING_SCORE)
        for row, previous in zip(game[::-1], [*game[-2::-1], None], strict=True):
            scores.append(most)
            most = self.before[row] or self.after[row] or most
            most = Score(*(min(points, WINNING_SCORE - 1) for points in most))
            if previous is not None and self._turns(row, previous):
                most = _turned(most)
        return scores[::-1]

    def _events(self, row: int, before: Score) -> list[Count]:
        """List who counts what, in order."""
        dealer, pone = self.hands[row]
        shown: list[Count] = [("pone", pone), ("dealer", dealer), ("dealer", self.cribs[row])]
        return [*self._pegs(row, before), *shown]

    def _pegs(self, row: int, before: Score) -> Iterator[Count]:
        """List who pegs what, in order."""
        pegged: dict[Role, int] = dict(zip(ROLES, self._pegged[row], strict=True))
        return play_events(pegged, self._plays.get(row, Play()), before, self._starters[row])

    def _count_by_score(self, row: int, before: Score, after: Score) -> None:
        """Count hands that lack suits as the score says, or as near to that as suits allow."""
        pegs, starter = [*self._pegs(row, before)], self._starters[row]
        for seat, role in enumerate(ROLES):
            pegged = [points for who, points in pegs if who == role]
            shows = [[*self._kept[row][seat], starter]]
            shown = [self.hands[row][seat]]
            if role == "dealer":
                shows.append([*self._crib[row], starter])
                shown.append(self.cribs[row])
            if UNKNOWN in pegged or UNKNOWN not in shown:
                continue
            moved = after.seen_by(role)[0] - before.seen_by(role)[0]
            if points := nearest_points(shows, moved - sum(pegged)):
                self.hands[row][seat] = points[0]
                if role == "dealer":
                    self.cribs[row] = points[1]

    def _differing(
        self, row: int, before: Score, after: Score, counted: Score | None, events: Sequence[Count]
    ) -> list[str]:
        """Say where the score differs from the cards' count."""
        texts = []
        if counted is not None and (counted.over or after.over):
            won, said = (
                [points >= WINNING_SCORE for points in points_of_both]
                for points_of_both in (counted, after)
            )
            if won != said:
                texts.append(f"by the cards it is {_score_text(counted)}")
        elif not after.over:
            for role in ROLES:
                own = [points for who, points in events if who == role]
                moved = after.seen_by(role)[0] - before.seen_by(role)[0]
                if UNKNOWN not in own and sum(own) != moved:
                    texts.append(f"{role} scores {moved}, and {sum(own)} by the cards")
        return [f"{self._name(row)}: {join_words(texts, 'and')}"] if texts else []

    def _name(self, row: int) -> str:
        return f"game {self._cells.texts['game'][max(self._rows[row])]}, deal {self._number[row]}"

    def _refuse(self, deal: int, column: str, why: str) -> NoReturn:
        """Refuse a cell of a deal, in the row where something is written."""
        rows = sorted(row for row in self._rows[deal] if row >= 0)
        texts = self._cells.texts[column]
        self._cells.fail(next((row for row in rows if texts[row].strip()), rows[0]), column, why)


def play_events(
    pegged: Mapping[Role, int], play: Play, before: Score, starter: int
) -> Iterator[Count]:
    """List who pegs what, for heels and in the play, in order as far as that matters."""
    yield "dealer", UNKNOWN if starter == UNKNOWN else heels(starter)
    needed = before.plus(starter=starter).needed
    out = {role: points >= needed[role] for role, points in pegged.items()}
    if play.steps and all(out.values()):
        for step in play.steps:
            yield from ((peg.role, peg.points) for peg in step.pegs)
        return
    # Whoever is out had the last point; if both are, nobody knows who came first.
    for role in ROLES[::-1] if out["dealer"] else ROLES:
        yield role, UNKNOWN if all(out.values()) else pegged[role]


def _turned(score: Score) -> Score:
    """Return a score as seen in the next deal."""
    return Score(*score[::-1])


def _add_events(before: Score, events: Iterable[Count]) -> Score | None:
    """Count on from a score until somebody has 121, or something is not known."""
    score = before._asdict()
    for role, points in events:
        if points == UNKNOWN:
            return None
        score[role] = min(score[role] + points, WINNING_SCORE)
        if score[role] == WINNING_SCORE:
            break
    return Score(**score)


def _score_text(score: Score) -> str:
    return f"{score.dealer}*-{score.pone}"


RECORD_TEMPLATE = """\
game,deal,player,role,cards,discard,starter,opponent_discard,pegged,opponent_pegged,play,score
1,1,Ann,dealer,5H 5D JS QC 2H 8D,2H 8D,4C,9S KD,3,2,7 5 3 5 A J 8 Q,0*-0
"""
"""A record of one row in CSV, to be replaced."""


class Record(NamedTuple):
    """A consistent record, one row for each discard."""

    frame: pd.DataFrame
    """The table, with cards and scores in one notation, and rows completed by their pairs."""
    deals: Cards  # six cards ascending, uint8 ``(N, 6)``
    keeps: Index  # which of the 15 keeps, ``(N,)``
    starters: Ints  # card numbers, `UNKNOWN` where missing, ``(N,)``
    opponent_discards: Ints  # what the opponent discarded, or `UNKNOWN`, ``(N, 2)``
    dealer: NDArray[np.bool_]  # whether the row's player deals, ``(N,)``
    pegged: Ints  # points in the play, the player's and the opponent's, ``(N, 2)``
    scores: Ints  # points before the deal, the player's first, ``(N, 2)``
    scores_after: Ints  # points after the deal, the player's first, ``(N, 2)``
    plays: NDArray[np.object_]  # the `Play`, without cards where it is not recorded, ``(N,)``
    opponent_keeps: Ints  # what the opponent kept, or `UNKNOWN`, ``(N, 4)``
    opponents: NDArray[np.object_]  # their names, empty if not recorded, ``(N,)``
    shown: Ints
    """The points of the player's hand, the opponent's and the crib, ``(N, 3)``, or `UNKNOWN`. Where
    suits lack, they come as near to the score as suits allow."""
    counted: Ints
    """The `scores_after` by the cards, where it does not match them; else `UNKNOWN`."""
    notes: tuple[str, ...]  # where the score does not move as the cards count

    def rows_of(self, player: object) -> Index:
        """Find the rows of a player; `RecordError` if there are none."""
        name = as_text(player)
        rows = np.flatnonzero((self.frame["player"] == name).to_numpy())
        if not rows.size:
            there = quote(", ".join(self.frame["player"].unique()))
            shown = quote(player if isinstance(player, str) else name)
            raise RecordError(f"no player {shown} in the record: there is {there}")
        return rows

    @property
    def lacks_suits(self) -> NDArray[np.bool_]:
        """Whether one of each row's six cards, or the starter, lacks its suit, ``(N,)``."""
        cards = np.column_stack([self.deals, self.starters])
        return np.asarray((cards >= SUITLESS_OFFSET).any(axis=1))

    def take(self, rows: Index) -> "Record":
        """Return some of the rows."""
        frame, *columns, notes = cast("tuple[Any, ...]", self)
        taken = frame.iloc[rows].reset_index(drop=True)
        return Record._make([taken, *(column[rows] for column in columns), notes])

    def deal(self, row: int) -> Deal:
        """Return the deal of a row, as far as that row knows it."""
        keep, role = self.keeps[row], role_of(self.dealer[row])
        own = Held(*(self.deals[row, places[keep]].tolist() for places in (KEEPS, DISCARDS)))
        starter, (points, opponents) = int(self.starters[row]), self.scores[row].tolist()
        return Deal(
            pone=own if role == "pone" else Held(),
            dealer=own if role == "dealer" else Held(),
            starter=None if starter == UNKNOWN else starter,
            play=self.plays[row],
            score=None if UNKNOWN in (points, opponents) else Score.of(points, opponents, role),
            number=int(self.frame["deal"].iloc[row]),
        )

    def decisions(self, row: int) -> Iterator[tuple[Position, tuple[int, ...]]]:
        """List what the player of a row decided: the position, and the cards chosen."""
        return self.deal(row).decisions(role_of(self.dealer[row]))

    def without_scores(self) -> "Record":
        """Return the record without scores."""
        unknown = np.full_like(self.scores, UNKNOWN)
        return self._replace(scores=unknown, scores_after=unknown)


def as_record(frame: pd.DataFrame) -> Record:
    """Check and complete a table of discards; a `RecordError` names game, deal, column and text."""
    cells = Cells(frame)
    seats = read_seats(cells)
    deals = pair_seats(seats, cells)
    plays = check_plays(seats, deals, cells)
    deals = deals._replace(pegged=pegged_points(seats, deals, plays, cells))
    inferred = infer_scores(deals, plays, cells)
    deals = deals._replace(before=inferred.before, after=inferred.after)
    check_whole(seats, deals, plays, cells)
    return _completed_record(cells, seats, deals, plays, inferred)


def deal_order(decisions: pd.DataFrame) -> Index:
    """Order the rows of a record by game, as they first occur, and by deal, ``(N,)``."""
    return np.lexsort((decisions["deal"], pd.factorize(decisions["game"])[0]))


def _completed_record(
    cells: Cells,
    seats: Seats,
    deals: PairedDeals,
    plays: Mapping[int, Play],
    inferred: InferredScores,
) -> Record:
    """Write a record out again, row by row."""
    starters = deals.starters[deals.of_rows]
    opponent_discards = deals.by_row(deals.discards)[:, 1]
    pegged, scores, after = map(deals.by_row, (deals.pegged, deals.before, deals.after))
    played = [plays.get(deal, Play()) for deal in deals.of_rows.tolist()]
    columns = {
        "game": cells.texts["game"],
        "deal": seats.number,
        "player": cells.texts["player"],
        "role": np.where(seats.dealer, *ROLES),
        "cards": format_card_rows(seats.deals),
        "discard": format_card_rows(seats.discards),
        "starter": format_card_rows(starters[:, None]),
        "opponent_discard": format_card_rows(opponent_discards),
        **{
            column: pd.arrays.IntegerArray(points.copy(), points == UNKNOWN)
            for column, points in zip(PEGGED_COLUMNS, pegged.T, strict=True)
        },
        "play": [play.full_text for play in played],
        "score": format_scores(scores, seats.dealer),
        "score_after": format_scores(after),
    }
    others = cells.frame.drop(columns=list(columns), errors="ignore")
    return Record(
        pd.concat([pd.DataFrame(columns), others], axis=1),
        *(seats.deals, seats.keeps, starters, opponent_discards, seats.dealer),
        *(pegged, scores, after, np.array(played, dtype=object)),
        opponent_keeps=deals.by_row(deals.kept)[:, 1],
        opponents=_opponents(cells.texts["game"], cells.texts["player"]),
        shown=np.column_stack([deals.by_row(inferred.hands), inferred.cribs[deals.of_rows]]),
        counted=deals.by_row(inferred.counted),
        notes=inferred.notes,
    )


def _opponents(games: Sequence[str], players: Sequence[str]) -> NDArray[np.object_]:
    """Name the other player in the game of each row; empty if there are none or several."""
    seats = pd.DataFrame({"game": games, "player": players})
    names = seats.drop_duplicates().groupby("game", sort=False)["player"].agg(list)
    others = [[name for name in names[game] if name != own] for game, own in seats.to_numpy()]
    return np.array([name[0] if len(name) == 1 else "" for name in others], dtype=object)
