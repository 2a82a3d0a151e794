"""What it wins to discard and to peg at the score: the same cards from both seats, several ways.

    python -m benchmarks.duplicate_games [--minutes 60] [--workers 2] [--seed 23] [--stakes acc]

draws scores from which both players need 25 points at most, and six cards. A player holds them as
dealer and as pone, at the same score, and all other cards are dealt anew 16 times. Each deal is
played in four ways: the player counts points alone; discards what wins most; plays what wins most;
or does both. The opponent has the same cards every time, and counts points: discards by the shipped
policies, and plays the shipped strategy. So does the player who counts points.

Cards are played and counted by the rules, heels, the play, pone's hand, the dealer's hand and the
crib in their order, until somebody has 121 points. Else the win table says how likely the game is
won from there. The play is not sampled: what the strategies may play counts as often as they do.
So two ways differ only in what is decided otherwise, and the error comes from the cards alone.

With stakes the scores are such that somebody may be skunked, and there are two ways: discards and
cards by what wins most, and by what the stakes make best. What they gain is what the stakes say.
"""

import sys
import time
from contextlib import suppress
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from benchmarks.arguments import run
from benchmarks.table import Table
from cribev import advise
from cribev.advice.cards import end_of_game
from cribev.advice.question import Question
from cribev.classes.canonical import classify_deals
from cribev.game.cards import JACK, unseen
from cribev.game.deal import Held, Position
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.outcomes import Outcomes
from cribev.game.play import Play
from cribev.game.roles import ROLES, opposite_role
from cribev.game.score import WINNING_SCORE, Score, skunks
from cribev.game.scorer import score_hands
from cribev.game.stakes import WIN_STAKES, Stakes
from cribev.solution.solution import load, shipped_keep_frequencies, shipped_strategy
from cribev.system.processes import process_pool
from cribev.values.holdings import believe
from cribev.values.pegging import PlayTree

WAYS = {
    "neither": (None, None),
    "discard": (WIN_STAKES, None),
    "peg": (None, WIN_STAKES),
    "both": (WIN_STAKES, WIN_STAKES),
}
"""What the player discards for at the score, and what the player pegs for; None for points."""

MOST = 25
"""Both need so many points at most."""

SKUNK_OPEN = range(70, 121), range(55, 91)
"""Points of a leader and of the other from which a skunk is open, where stakes are given."""

DEALS = 16
"""How often the other cards are dealt anew, for the same six."""

NEEDS = (5, 10, 15, MOST)
"""Gains are also told by how many points the nearer of the two needs."""

_TOLD = 20  # boards between two lines of progress


class Dealt(NamedTuple):
    """A deal after the discards and the cut; cards are uint8."""

    kept: dict
    """Four cards, by role."""
    discarded: dict
    """Two, by role."""
    starter: int
    score: dict
    """Points before the deal, by role."""


def play_for_points(steps, play):
    """List ranks that the shipped strategy may play, and how likely, if some card fits."""
    return _by_strategy(tuple(step.rank for step in steps), tuple(play.hands[play.turn]))


@lru_cache(maxsize=100_000)
def _by_strategy(history, left):
    strategy = shipped_strategy()
    chances = strategy.choices(strategy.node(history), left)
    return [(rank, float(chances[rank])) for rank in np.flatnonzero(chances).tolist()]


class PlayToWin:
    """Plays what wins most, or what stakes make best, by all that the player knows of a deal."""

    def __init__(self, dealt, role, stakes=WIN_STAKES):
        self._stakes = stakes
        self._role, self._score = role, Score(dealt.score["pone"], dealt.score["dealer"])
        self._held = Held(dealt.kept[role], dealt.discarded[role])
        self._starter = int(dealt.starter)
        self._kept = {role: dealt.kept[role].tolist() for role in ROLES}
        self._best = {}

    def __call__(self, steps, play):
        """List the rank that is played; a player left alone goes on as anybody would."""
        if len(play.legal) == 1 or not play.left[opposite_role(self._role)]:
            return play_for_points(steps, play)
        history = tuple(step.rank for step in steps)
        if history not in self._best:
            self._best[history] = self._solve(steps)
        return [(self._best[history], 1.0)]

    def _solve(self, steps):
        """Find what is best here, by every card on the table with its suit."""
        left = {role: list(kept) for role, kept in self._kept.items()}
        moves = [
            None if step.rank is None else _taken(left[step.role], step.rank) for step in steps
        ]
        play = Play.of(moves)
        position = Position(self._role, self._held, self._starter, play, self._score)
        strategy = shipped_strategy()
        frequencies = shipped_keep_frequencies(opposite_role(self._role))
        belief = believe(position, frequencies, strategy)
        end = end_of_game(Question(position, stakes=self._stakes), belief, frequencies)
        asked = position.play.history, self._role, position.left_ranks, belief
        return PlayTree(*asked, opponent=strategy, end=end).best_cards()[()]


def _taken(cards, rank):
    """Take a card of a rank out of some."""
    return cards.pop(next(place for place, card in enumerate(cards) if card >> 2 == rank))


def ending(dealt, players):
    """Return how the game ends if these two play, by role: `Outcomes` as the dealer sees them.

    A player is given the steps of the play and the `Table`, and lists ranks to play with their
    chances.
    """
    play = Table({role: (dealt.kept[role] >> 2).tolist() for role in ROLES})
    starter = np.array([dealt.starter], dtype=np.uint8)
    hands = {role: int(score_hands(dealt.kept[role][None], starter)[0]) for role in ROLES}
    discarded = np.concatenate([dealt.discarded[role] for role in ROLES])
    crib = int(score_hands(discarded[None], starter, crib=True)[0])
    shown = [("pone", hands["pone"]), ("dealer", hands["dealer"] + crib)]
    heels = 2 if dealt.starter >> 2 == JACK else 0
    return Outcomes(*_played(play, _more(dealt.score, "dealer", heels), players, shown))


def _played(play, score, players, shown):
    """Return the dealer's outcomes of the game from the middle of a play, at the score now."""
    if max(score.values()) >= WINNING_SCORE:
        return _over(score)
    if play.over:
        return _counted(score, shown)
    who, ends = play.turn, np.zeros(len(Outcomes._fields))
    for rank, chance in players[who](play.steps, play) if play.can_play() else [(None, 1.0)]:
        after, now = play.copy(), score
        pegs = after.go() if rank is None else after.play(rank)
        for peg in pegs:
            now = _more(now, peg.role, peg.points)
        ends += chance * _played(after, now, players, shown)
    return ends


def _counted(score, shown):
    """Return how the game ends after the play: the show in its order, then the next deal."""
    for role, points in shown:
        score = _more(score, role, points)
        if score[role] >= WINNING_SCORE:
            return _over(score)
    return np.array([chances[score["dealer"], score["pone"]] for chances in _next_deal()])


def _over(score):
    """Return how the game ended, as the dealer sees it."""
    won = score["dealer"] >= WINNING_SCORE
    return np.array(Outcomes.over(won, skunks(score["pone" if won else "dealer"])))


@cache
def _next_deal():
    """Return how games end for who deals now, and is pone in the next deal."""
    return load(play=True).win_table.outcomes_as("pone")


def _more(score, role, points):
    return {**score, role: score[role] + points}


def best_by_points(hand, role):
    """Return which keeps an expert thinks equal and best, by their places."""
    keeps = int(_policies()[role][classify_deals(hand[None])][0])
    return [keep for keep in range(len(KEEPS)) if keeps >> keep & 1]


@cache
def _policies():
    return load(play=True).policies()


def best_at(hand, role, score, stakes):
    """Return which keep the stakes make best at a score, by its place."""
    return int(advise(hand, role=role, score=score, stakes=stakes).order[0])


def boards(seed, *, skunks=False):
    """Yield six cards, the need of who holds them, and the opponent's."""
    rng = np.random.default_rng(seed)
    while True:
        hand = np.sort(rng.permutation(52)[:6]).astype(np.uint8)
        needs = rng.integers(1, MOST + 1, 2).tolist()
        if skunks:
            needs = [WINNING_SCORE - int(rng.choice(points)) for points in SKUNK_OPEN]
            needs = needs[:: rng.choice((1, -1))]
        yield hand, tuple(needs)


def play_board(hand, needs, *, role, rng, deals=DEALS, stakes=WIN_STAKES, ways=None):
    """Play one hand in all ways: what the player gains by the stakes, ``(deals, ways)``."""
    ways = ways or list(WAYS.values())
    other = opposite_role(role)
    score = {who: WINNING_SCORE - need for who, need in zip((role, other), needs, strict=True)}
    equal = best_by_points(hand, role)
    best = {
        goal: best_at(hand, role, (score[role], score[other]), goal)
        for goal in {discards for discards, _ in ways} - {None}
    }
    winning = best.get(WIN_STAKES)
    best[None] = winning if winning in equal else int(rng.choice(equal))
    gained = np.empty((deals, len(ways)))
    for of_deal in gained:
        cards = rng.permutation(unseen(hand))
        theirs = np.sort(cards[:6])
        keeps = {other: int(rng.choice(best_by_points(theirs, other)))}
        hands, outcomes = {role: hand, other: theirs}, {}
        for column, (discards, pegs) in enumerate(ways):
            keeps[role] = best[discards]
            dealt = Dealt(
                {who: hands[who][KEEPS[keeps[who]]] for who in ROLES},
                {who: hands[who][DISCARDS[keeps[who]]] for who in ROLES},
                int(cards[6]),
                score,
            )
            if (keeps[role], pegs) not in outcomes:
                player = PlayToWin(dealt, role, pegs) if pegs else play_for_points
                ends = ending(dealt, {role: player, other: play_for_points})
                outcomes[keeps[role], pegs] = ends if role == "dealer" else ends.turned
            of_deal[column] = stakes.value(outcomes[keeps[role], pegs])
    return gained


def play_both_seats(number, hand, needs, seed, until, stakes):
    """Play a board as dealer and as pone, unless the time is over: means, ``(2, ways)``."""
    if time.time() >= until:
        return None
    rng, ways = np.random.default_rng([seed, number]), None
    if stakes != WIN_STAKES:
        ways = [(WIN_STAKES, WIN_STAKES), (stakes, stakes)]
    return [
        play_board(hand, needs, role=role, rng=rng, stakes=stakes, ways=ways).mean(axis=0)
        for role in ROLES
    ]


def mean(values):
    """A mean and its standard error, in a hundred games, as text."""
    error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
    return f"{100 * values.mean():+.2f} ± {100 * error:.2f}"


def report_stakes(stakes, gained):
    """Say what is gained beyond playing to win, by seat and way, ``(boards, 2, 2)``."""
    number, (wins, staked) = len(gained), gained.mean(axis=1).T
    yield f"{number:,} boards, {2 * DEALS * number:,} deals, each played in two ways"
    yield f"who plays to win gains {100 * wins.mean():+.1f} {stakes.unit} in a hundred games"
    yield f"more by stakes {stakes.text}: {mean(staked - wins)}"
    for seat, role in enumerate(ROLES):
        yield f"as {role}: {mean(gained[:, seat, 1] - gained[:, seat, 0])}"


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
    yield f"{'':26}" + "".join(f"{way:>16}" for way in list(WAYS)[1:])
    rows = {"from both seats": gained.mean(axis=1)}
    rows |= {f"as {role}": gained[:, seat] for seat, role in enumerate(ROLES)}
    for least, most in zip((0, *NEEDS), NEEDS, strict=False):
        inside = (nearer > least) & (nearer <= most)
        rows[f"the nearer needs {least + 1} to {most}"] = rows["from both seats"][inside]
    for name, values in rows.items():
        if len(values):
            yield f"{name:26}" + "".join(f"{mean(column):>16}" for column in values.T)


def main(*, minutes=60.0, workers=2, seed=23, stakes="win"):
    """Play for so long, or until Ctrl-C, and print what was gained."""
    begun, stakes = time.time(), Stakes.read(stakes)
    until, needs, won = begun + 60 * minutes, [], []
    skunks = stakes != WIN_STAKES
    tasks = (
        (number, *board, seed, until, stakes)
        for number, board in enumerate(boards(seed, skunks=skunks))
    )
    with (
        suppress(KeyboardInterrupt),
        process_pool(play_both_seats, tasks, workers=workers) as results,
    ):
        for board, gained in zip(boards(seed, skunks=skunks), results, strict=True):
            if gained is None:
                break
            needs.append(board[1])
            won.append(gained)
            if len(won) % _TOLD == 0:
                spent = (time.time() - begun) / 60
                print(f"{len(won):,} boards, {spent:.1f} of {minutes:g} minutes", file=sys.stderr)
    if not won:
        sys.exit("no time for a single board: expected more minutes")
    lines = (
        report_stakes(stakes, np.array(won)) if skunks else report(np.array(needs), np.array(won))
    )
    print(*lines, sep="\n")


if __name__ == "__main__":
    run(main)
