"""The points of each player in a deal, as a scorer writes them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from cribev.game.roles import ROLES, Role, opposite_role
from cribev.game.score import UNKNOWN, WINNING_SCORE, Score
from cribev.records.cells import Ints, known_points, split_deals
from cribev.records.record import Record, play_events


def show_points(record: Record) -> tuple[Ints, Ints]:
    """Count the hand and the crib of each row, two arrays ``(N,)``, `UNKNOWN` where not known."""
    kept, discarded = split_deals(record.deals, record.keeps)
    cribs = np.concatenate([discarded, record.opponent_discards], axis=1)
    hands = kept.astype(np.int64)
    return known_points(hands, record.starters), known_points(cribs, record.starters, crib=True)


class Tally(NamedTuple):
    """A player's points in a deal, as a scorer writes them; `UNKNOWN` where not recorded.

    All but what is `uncounted` adds up to the points by which the score moved.
    """

    pegged: int = 0  # for heels and in the play
    hand: int = 0
    crib: int = 0
    other: int | None = None  # points the opponent missed and this player took; below 0, missed
    uncounted: tuple[str, ...] = ()  # fields of hands that came after the end of the game


def tally_deals(record: Record) -> list[dict[Role, Tally]]:
    """Tally the deal of each row, for both players."""
    tallies = list[dict[Role, Tally]]()
    for row, role in enumerate(record.frame["role"]):
        across = opposite_role(role)
        own, opponents, crib = record.shown[row].tolist()
        shown = {role: own, across: opponents}
        pegged, before, after = (
            dict(zip((role, across), points[row].tolist(), strict=True))
            for points in (record.pegged, record.scores, record.scores_after)
        )
        start = Score(0, 0) if UNKNOWN in before.values() else Score(**before)
        pegs = play_events(pegged, record.plays[row], start, int(record.starters[row]))
        events: list[tuple[Role, str, int]] = [(who, "pegged", points) for who, points in pegs]
        events += [(who, "hand", shown[who]) for who in ROLES[::-1]]
        events.append(("dealer", "crib", crib))
        tallies.append(_tally(events, start, after if UNKNOWN not in before.values() else None))
    return tallies


def _tally(
    events: Sequence[tuple[Role, str, int]], start: Score, after: Mapping[Role, int] | None
) -> dict[Role, Tally]:
    """Tally what counts until the end of the game; without the score ``after``, nothing else."""
    ends = after is None or not {WINNING_SCORE, UNKNOWN}.isdisjoint(after.values())
    score, tallies = start._asdict(), {role: Tally()._asdict() for role in ROLES}
    for who, kind, points in events:
        own = tallies[who]
        if ends and WINNING_SCORE in score.values():
            if kind != "pegged":
                own[kind] = points
                own["uncounted"] += (kind,)
        elif UNKNOWN in (points, own[kind]):
            own[kind] = UNKNOWN
        else:
            moved = min(points, WINNING_SCORE - score[who]) if ends else points
            own[kind] += moved
            score[who] += moved
    for role, own in tallies.items():
        counted = [own[kind] for kind in Tally._fields[:3] if kind not in own["uncounted"]]
        if after is not None and UNKNOWN not in (*counted, after[role]):
            own["other"] = after[role] - start._asdict()[role] - sum(counted)
    return {role: Tally(**own) for role, own in tallies.items()}
