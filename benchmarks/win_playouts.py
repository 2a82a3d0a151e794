"""Deals played out: how often each of two discards wins at close scores, and who is skunked.

    python -m benchmarks.win_playouts [PLAYOUTS] [FILE] [SEED]

plays 40 deals out by the shipped strategy, a million times for each of the best two discards by
points; another seed has other deals. The opponent is dealt six unseen cards and discards by the
shipped policy, a starter is cut, the play is sampled card by card, and hands and crib count in
their order. The first player to reach 121 wins; if neither does, the win table says
how likely each is to win from there. It writes a table of wins and their standard errors, and
updates it as it goes; beside it the win table, which may be another one later. Some thousands of
plays are repeated by `cribev.game.play`.

    python -m benchmarks.win_playouts --skunks [PLAYOUTS] [FILE] [SEED]

plays the positions of `tests/data/skunks.csv` out in the same way, and writes how they end: won,
lost, and by a skunk or two, the loser's points being those at the moment the winner is out.
"""

from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.arguments import run
from benchmarks.table import Table
from cribev import advise
from cribev.game.cards import JACK, PIP_VALUES, as_cards, format_cards, random_hands, unseen
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.outcomes import OUTCOME_COLUMNS, Outcomes
from cribev.game.play import LIMIT
from cribev.game.roles import ROLES, opposite_role
from cribev.game.score import MAX_SCORE_BEFORE, WINNING_SCORE
from cribev.game.score import skunks as lines_short
from cribev.game.scorer import score_hands
from cribev.solution.solution import load
from cribev.solution.strategy import GameSize
from cribev.system.files import atomic_write
from solver.playouts import by_chance, play_out, sample_keeps

PLAYOUTS = 1_000_000
SITUATIONS = 40
SEED = 121
AT_ONCE = 25_000
CHECKED = 30  # plays of each discard that are repeated by the rules
FILE = Path(__file__).parents[1] / "tests" / "data" / "win_playouts.csv"
SKUNKS = FILE.with_name("skunks.csv")


class Situation(NamedTuple):
    """A deal to discard at a score, the player's own points first."""

    deal: str
    role: str
    score: tuple[int, int]


def situations(number, seed=SEED):
    """Yield deals at scores within 20 points of the end; in a third a player needs six or less."""
    rng = np.random.default_rng(seed)
    for place, deal in enumerate(random_hands(number, seed=seed)):
        most = [20, 20]
        if place % 3 == 0:
            most[place // 6 % 2] = 6
        needs = [int(rng.integers(1, need + 1)) for need in most]
        yield Situation(
            format_cards(np.sort(deal)),
            ROLES[place % 2],
            (WINNING_SCORE - needs[0], WINNING_SCORE - needs[1]),
        )


def best_two(situation):
    """The best two discards by points that keep different ranks: discard and keep as text."""
    table = advise(situation.deal, role=situation.role).table
    rows = zip(table["discard"], table["keep"], strict=True)
    by_ranks = {tuple(as_cards(keep) >> 2): (discard, keep) for discard, keep in [*rows][::-1]}
    return list(by_ranks.values())[::-1][:2]


class Playouts(NamedTuple):
    """Deals of one discard, each array by deal."""

    keeps: dict
    """Numbers of `GameSize.holdings`, by role."""
    heels: np.ndarray
    hands: dict
    """Points shown, by role."""
    crib: np.ndarray


def dealt(situation, discard, keep, policies, number, rng):
    """Deal the rest, let the opponent discard, and count hands and crib."""
    deal, role, opponent = as_cards(situation.deal), situation.role, opposite_role(situation.role)
    drawn = rng.random((number, 46), dtype=np.float32).argpartition(6, axis=1)[:, :7]
    cards = unseen(deal)[drawn]
    hands, starters, rows = np.sort(cards[:, :6], axis=1), cards[:, 6], np.arange(number)[:, None]
    ranks_kept, best = sample_keeps(policies[opponent], hands, rng)
    own = np.tile(as_cards(keep), (number, 1))
    kept = {role: own, opponent: hands[rows, KEEPS[best]]}
    discarded = [np.tile(as_cards(discard), (number, 1)), hands[rows, DISCARDS[best]]]
    (number_of_own,) = np.flatnonzero((GameSize().holdings(4) == np.sort(own[0] >> 2)).all(axis=1))
    return Playouts(
        {role: np.full(number, number_of_own), opponent: ranks_kept},
        np.where(starters >> 2 == JACK, 2, 0),
        {who: score_hands(kept[who], starters) for who in ROLES},
        score_hands(np.concatenate(discarded, axis=1), starters, crib=True),
    )


def played_by_the_rules(hands, played):
    """Points as they fall in one play, the dealer's positive; who is alone pegs the most."""
    play, fallen = Table(hands), []
    for rank in played[played >= 0].tolist():
        while not play.can_play():
            fallen += signed(play.go())
        fallen += signed(play.play(rank))
    ends = []
    for order in set(permutations([*play.hands["pone"], *play.hands["dealer"]])):
        end, later = play.copy(), []
        while not end.over:
            fits = [
                r for r in order if r in end.hands[end.turn] and PIP_VALUES[r] <= LIMIT - end.count
            ]
            later += signed(end.play(fits[0]) if fits else end.go())
        ends.append((end, later))
    alone = max(play.left, key=play.left.get)
    return fallen + max(ends, key=lambda end: end[0].points[alone])[1]


def signed(pegs):
    return [peg.points if peg.role == "dealer" else -peg.points for peg in pegs]


def merged(fallen):
    """Merge points that one player scores in a row."""
    joined = []
    for points in fallen:
        if joined and (joined[-1] > 0) == (points > 0):
            joined[-1] += points
        elif points:
            joined.append(points)
    return joined


def endings(situation, shown, play, win_table):
    """Return the player's outcomes after each deal: 0 or 1 where somebody is out."""
    columns = [shown.heels, play, -shown.hands["pone"].astype(int), shown.hands["dealer"]]
    scores = dict(
        zip((situation.role, opposite_role(situation.role)), situation.score, strict=True)
    )
    own, other = in_order(np.column_stack([*columns, shown.crib]), **scores)
    if situation.role == "pone":
        own, other = other, own
    won, lost = own >= WINNING_SCORE, other >= WINNING_SCORE
    now = np.minimum(own, MAX_SCORE_BEFORE), np.minimum(other, MAX_SCORE_BEFORE)
    later = win_table.outcomes_as(opposite_role(situation.role))  # the deal passes on
    at_once = Outcomes.over(won, lines_short(np.where(won, other, own)))
    return Outcomes(
        *(np.where(won | lost, over, on[now]) for over, on in zip(at_once, later, strict=True))
    )


def in_order(events, *, dealer, pone):
    """Scores of both when one is out, or at the end.

    Points as they fall, ``(n, m)``, are added to scores before the deal, numbers or ``(n,)``: the
    dealer's positive, pone's negative.
    """
    dealer = np.transpose(dealer + np.maximum(events, 0).cumsum(axis=1).T)
    pone = np.transpose(pone - np.minimum(events, 0).cumsum(axis=1).T)
    out = (dealer >= WINNING_SCORE) | (pone >= WINNING_SCORE)
    last = np.where(out.any(axis=1), out.argmax(axis=1), -1)[:, None]
    return tuple(np.take_along_axis(points, last, axis=1)[:, 0] for points in (dealer, pone))


def checked(holdings, keeps, played, play):
    """Repeat some plays by the rules."""
    for pone, dealer, cards, points in zip(*keeps, played, play.tolist(), strict=True):
        hands = {"pone": holdings[pone].tolist(), "dealer": holdings[dealer].tolist()}
        if merged(played_by_the_rules(hands, cards)) != merged(points):
            raise ValueError(f"{hands}, {cards}: {points} is against the rules")


def played_out(strategy, policies, win_table, discards, number, rng):
    """Return how each deal ends, by discard, as `endings`.

    Each of ``discards`` is a situation, a discard and a keep.
    """
    holdings = GameSize().holdings(4)
    shown = [dealt(*discard, policies, number, rng) for discard in discards]
    keeps = [
        np.concatenate([playouts.keeps[role] for playouts in shown]) for role in ("pone", "dealer")
    ]
    played, play = play_out(strategy, *keeps, by_chance(strategy, rng))
    sample = np.arange(len(played)) % number < CHECKED
    checked(holdings, [keep[sample] for keep in keeps], played[sample], play[sample])
    events = np.split(play.astype(int), len(discards))
    return [
        endings(discard[0], playouts, events_of_discard, win_table)
        for discard, playouts, events_of_discard in zip(discards, shown, events, strict=True)
    ]


def main(playouts=PLAYOUTS, file=Path(), seed=SEED, *, skunks=False):
    """Play the deals out and write the table; or the stored positions, until somebody has won."""
    if skunks:
        play_skunks(playouts, file if file.name else SKUNKS, seed)
        return
    file = file if file.name else FILE
    solution = load(play=True)
    policies, strategy = solution.policies(), solution.play.strategy
    discards = [
        (situation, *discard)
        for situation in situations(SITUATIONS, seed)
        for discard in best_two(situation)
    ]
    with atomic_write(Path(file).with_suffix(".npz")) as opened:
        np.savez_compressed(opened, win=solution.win_table.win.astype(np.float32))
    rng, sums, done = np.random.default_rng([seed, 2]), np.zeros((2, len(discards))), 0
    while done < playouts:
        number = min(AT_ONCE, playouts - done)
        outcomes = played_out(strategy, policies, solution.win_table, discards, number, rng)
        sums += [[ends.win.sum() for ends in outcomes], [(ends.win**2).sum() for ends in outcomes]]
        done += number
        mean, square = sums / done
        error = np.sqrt((square - mean**2) / done)
        with atomic_write(Path(file)) as opened:
            opened.write(_table(discards, done, seed, mean, error).encode())
        print(f"{done:,} playouts, standard errors up to {error.max():.5f}", flush=True)


def _table(discards, done, seed, mean, error):
    lines = [
        f"# How often a discard wins, of {done:,} playouts by the solved strategies.",
        f"# Made by python -m benchmarks.win_playouts {done} FILE {seed}",
        "deal,role,score,opponent_score,discard,win,error",
    ]
    for (situation, discard, _), win, off in zip(discards, mean, error, strict=True):
        score = ",".join(map(str, situation.score))
        lines.append(f"{situation.deal},{situation.role},{score},{discard},{win:.6f},{off:.6f}")
    return "\n".join(lines) + "\n"


def play_skunks(playouts, file, seed):
    """Play the stored positions out and write how they end."""
    solution = load(play=True)
    policies, strategy = solution.policies(), solution.play.strategy
    head = [line for line in SKUNKS.read_text().splitlines() if line.startswith("#")]
    stored = pd.read_csv(SKUNKS, comment="#")
    discards = []
    for row in stored.itertuples():
        score = tuple(map(int, row.score.split("-")))
        keep = format_cards(np.setdiff1d(as_cards(row.cards), as_cards(row.discard)))
        discards.append((Situation(row.cards, row.role, score), row.discard, keep))
    rng, done = np.random.default_rng([seed, 3]), 0
    names = [name for name in OUTCOME_COLUMNS if name != "lose"]
    sums = np.zeros((len(discards), len(names)))
    while done < playouts:
        number = min(AT_ONCE, playouts - done)
        outcomes = played_out(strategy, policies, solution.win_table, discards, number, rng)
        sums += [[getattr(ends, name).sum() for name in names] for ends in outcomes]
        done += number
        stored["deals"], stored[names] = done, sums / done
        text = stored.to_csv(index=False, float_format="%.5f")
        with atomic_write(Path(file)) as opened:
            opened.write("\n".join([*head, text]).encode())
        print(f"{done:,} playouts", flush=True)


if __name__ == "__main__":
    run(main)
