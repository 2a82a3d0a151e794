"""What it wins to discard and to peg at the score: the same cards from both seats, four ways.

    python -m benchmarks.duplicate_games [--minutes 60] [--workers 2] [--seed 23]

draws scores from which both players need 25 points at most, and six cards. A player holds them as
dealer and as pone, at the same score, and all other cards are dealt anew 16 times. Each deal is
played in four ways: the player counts points alone; discards what wins most; lays what wins most;
or does both. The opponent has the same cards every time, and counts points: discards by the shipped
policies, and plays the shipped strategy. So does the player who counts points.

Cards are laid and counted by the rules, heels, the play, pone's hand, the dealer's hand and the
crib in their order, until somebody has 121 points. Else the win table says how likely the game is
won from there. The play is not sampled: whatever the strategies may lay counts as often as they do.
So two ways differ only in what is decided otherwise, and the error comes from the cards alone.
"""

import argparse
import sys
import time
from contextlib import suppress
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from benchmarks.table import Table
from cribev import advise
from cribev.advice.cards import end_of_game
from cribev.advice.tree import PlayTree, believe
from cribev.classes.canonical import classify_deals
from cribev.game.cards import JACK, SUITLESS_OFFSET, unseen
from cribev.game.deal import Held, Position
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.play import Play
from cribev.game.roles import ROLES, opposite_role
from cribev.game.score import WINNING_SCORE, Score
from cribev.game.scoring import score_hands
from cribev.solution.solution import load, shipped_keep_frequencies, shipped_strategy
from cribev.system.processes import process_pool

WAYS = ("neither", "discard", "peg", "both")
"""What the player does at the score."""

MOST = 25
"""Both need so many points at most."""

DEALS = 16
"""How often the other cards are dealt anew, for the same six."""

NEEDS = (5, 10, 15, MOST)
"""Gains are also told by how many points the nearer of the two needs."""

_TOLD = 20  # boards between two lines of progress


class Dealt(NamedTuple):
    """A deal after the discards and the cut; cards are uint8."""

    kept: dict
    """Four cards, by role."""
    thrown: dict
    """Two, by role."""
    starter: int
    score: dict
    """Points before the deal, by role."""


def lay_for_points(steps, play):
    """List ranks that the shipped strategy may lay, and how likely, if some card fits."""
    return _by_strategy(tuple(step.rank for step in steps), tuple(play.hands[play.turn]))


@lru_cache(maxsize=100_000)
def _by_strategy(history, left):
    strategy = shipped_strategy()
    chances = strategy.choices(strategy.node(history), left)
    return [(rank, float(chances[rank])) for rank in np.flatnonzero(chances).tolist()]


class LayToWin:
    """Lays what wins most against the expert, by all that the player knows of a deal."""

    def __init__(self, dealt, role):
        self._role, self._score = role, Score(dealt.score["pone"], dealt.score["dealer"])
        self._held = Held.of(dealt.kept[role], dealt.thrown[role])
        self._starter = int(dealt.starter)
        self._best = {}

    def __call__(self, steps, play):
        """List the rank that is laid; a player left alone goes on as anybody would."""
        if len(play.legal) == 1 or not play.left[opposite_role(self._role)]:
            return lay_for_points(steps, play)
        history = tuple(step.rank for step in steps)
        if history not in self._best:
            for further, rank in self._solve(steps).items():
                self._best.setdefault((*history, *further), rank)
        return [(self._best[history], 1.0)]

    def _solve(self, steps):
        """Find what is best here, and after what the next two moves may be."""
        moves = [None if one.rank is None else one.rank + SUITLESS_OFFSET for one in steps]
        play = Play.of(moves)
        position = Position(self._role, self._held, self._starter, play, self._score)
        strategy = shipped_strategy()
        frequencies = shipped_keep_frequencies(opposite_role(self._role))
        belief = believe(position, frequencies, strategy)
        end = end_of_game(position, belief, frequencies)
        known = position.play.history, self._role, position.left_ranks, belief
        return PlayTree(*known, opponent=strategy, end=end).best_cards()


def chance_won(dealt, players):
    """How likely the dealer wins, if these two play, by role.

    A player is given the steps of the play and the `Table`, and lists ranks to lay with their
    chances.
    """
    play = Table({role: (dealt.kept[role] >> 2).tolist() for role in ROLES})
    starter = np.array([dealt.starter], dtype=np.uint8)
    hands = {role: int(score_hands(dealt.kept[role][None], starter)[0]) for role in ROLES}
    thrown = np.concatenate([dealt.thrown[role] for role in ROLES])
    crib = int(score_hands(thrown[None], starter, crib=True)[0])
    shown = [("pone", hands["pone"]), ("dealer", hands["dealer"] + crib)]
    heels = 2 if dealt.starter >> 2 == JACK else 0
    return _played(play, _more(dealt.score, "dealer", heels), players, shown)


def _played(play, score, players, shown):
    """How likely the dealer wins from the middle of a play, at the score now."""
    if max(score.values()) >= WINNING_SCORE:
        return float(score["dealer"] >= WINNING_SCORE)
    if play.over:
        return _counted(score, shown)
    who, won = play.turn, 0.0
    for rank, chance in players[who](play.steps, play) if play.can_lay() else [(None, 1.0)]:
        after, now = play.copy(), score
        pegs = after.go() if rank is None else after.lay(rank)
        for peg in pegs:
            now = _more(now, peg.role, peg.points)
        won += chance * _played(after, now, players, shown)
    return won


def _counted(score, shown):
    """How likely the dealer wins after the play: the show in its order, then the next deal."""
    for role, points in shown:
        score = _more(score, role, points)
        if score[role] >= WINNING_SCORE:
            return float(role == "dealer")
    win = load(play=True).win_table.win  # of who deals next
    return 1 - float(win[score["pone"], score["dealer"]])


def _more(score, role, points):
    return {**score, role: score[role] + points}


def best_by_points(hand, role):
    """Which keeps an expert thinks equal and best, by their places."""
    keeps = int(_policies()[role][classify_deals(hand[None])][0])
    return [at for at in range(len(KEEPS)) if keeps >> at & 1]


@cache
def _policies():
    return load(play=True).policies()


def best_to_win(hand, role, score):
    """Which keep wins most at a score, by its place."""
    return int(advise(hand, role=role, score=score).order[0])


def boards(seed):
    """Yield six cards, the need of who holds them, and the opponent's."""
    rng = np.random.default_rng(seed)
    while True:
        hand = np.sort(rng.permutation(52)[:6]).astype(np.uint8)
        yield hand, tuple(rng.integers(1, MOST + 1, 2).tolist())


def play_board(hand, needs, *, role, rng, deals=DEALS):
    """Play one hand in all `WAYS`: the chances of the player to win, ``(deals, 4)``."""
    other = opposite_role(role)
    score = {who: WINNING_SCORE - need for who, need in zip((role, other), needs, strict=True)}
    winning = best_to_win(hand, role, (score[role], score[other]))
    equal = best_by_points(hand, role)
    usual = winning if winning in equal else int(rng.choice(equal))
    won = np.empty((deals, len(WAYS)))
    for of_deal in won:
        cards = rng.permutation(unseen(hand))
        theirs = np.sort(cards[:6])
        keeps = {other: int(rng.choice(best_by_points(theirs, other)))}
        hands, found = {role: hand, other: theirs}, []
        for keep in dict.fromkeys((usual, winning)):
            keeps[role] = keep
            dealt = Dealt(
                {who: hands[who][KEEPS[keeps[who]]] for who in ROLES},
                {who: hands[who][DISCARDS[keeps[who]]] for who in ROLES},
                int(cards[6]),
                score,
            )
            for player in (lay_for_points, LayToWin(dealt, role)):
                dealer = chance_won(dealt, {role: player, other: lay_for_points})
                found.append(dealer if role == "dealer" else 1 - dealer)
        points, pegged, *otherwise = found
        discarded, both = otherwise or (points, pegged)
        of_deal[:] = points, discarded, pegged, both
    return won


def play_both_seats(number, hand, needs, seed, until):
    """Play a board as dealer and as pone, unless the time is over: means, ``(2, 4)``."""
    if time.time() >= until:
        return None
    rng = np.random.default_rng([seed, number])
    return [play_board(hand, needs, role=role, rng=rng).mean(axis=0) for role in ROLES]


def mean(values):
    """A mean and its standard error, in wins of a hundred, as text."""
    error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
    return f"{100 * values.mean():+.2f} ± {100 * error:.2f}"


def report(needs, won):
    """Say what is gained beyond counting points.

    Parameters
    ----------
    needs
        What player and opponent needed, ``(boards, 2)``.
    won
        How likely the player won, by seat and way, ``(boards, 2, 4)``.
    """
    gained, nearer = won[..., 1:] - won[..., :1], needs.min(axis=1)
    yield f"{len(won):,} boards, {2 * DEALS * len(won):,} deals, each played in four ways"
    yield f"who counts points wins {100 * won[..., 0].mean():.1f} of a hundred games"
    yield "more wins in a hundred games, at the score:"
    yield f"{'':26}" + "".join(f"{way:>16}" for way in WAYS[1:])
    rows = {"from both seats": gained.mean(axis=1)}
    rows |= {f"as {role}": gained[:, seat] for seat, role in enumerate(ROLES)}
    for least, most in zip((0, *NEEDS), NEEDS, strict=False):
        some = (nearer > least) & (nearer <= most)
        rows[f"the nearer needs {least + 1} to {most}"] = rows["from both seats"][some]
    for name, values in rows.items():
        if len(values):
            yield f"{name:26}" + "".join(f"{mean(column):>16}" for column in values.T)


def main(minutes=60.0, workers=2, seed=23):
    """Play for so long, or until Ctrl-C, and print what was gained."""
    begun = time.time()
    until, needs, won = begun + 60 * minutes, [], []
    tasks = ((number, *board, seed, until) for number, board in enumerate(boards(seed)))
    with (
        suppress(KeyboardInterrupt),
        process_pool(play_both_seats, tasks, workers=workers) as results,
    ):
        for board, found in zip(boards(seed), results, strict=True):
            if found is None:
                break
            needs.append(board[1])
            won.append(found)
            if len(won) % _TOLD == 0:
                spent = (time.time() - begun) / 60
                print(f"{len(won):,} boards, {spent:.1f} of {minutes:g} minutes", file=sys.stderr)
    if not won:
        sys.exit("no time for a single board: expected more minutes")
    print(*report(np.array(needs), np.array(won)), sep="\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0, help="how long (default: 60)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--seed", type=int, default=23, help="of the cards (default: 23)")
    main(**vars(parser.parse_args()))
