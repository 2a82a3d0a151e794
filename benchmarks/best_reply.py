"""What is gained by all that a player knows: the best reply to the expert, less the expert itself.

    python -m benchmarks.best_reply [DEALS [PLAYED]]

deals hands to both roles, discards as experts do, and cuts. For each of 1,000 deals a role it works
out, both exactly, what the best reply to the expert's strategy is worth with all the player knows,
and what the expert's own strategy is: the difference is what is gained. The strategy knows the
cards a player has left; the reply knows the keep, the discard and the starter too. Two thousand
deals are then played out by the rules, card by card, once with each of the two against the same
hand, and what is pegged is compared with what was worked out. So are chances to win, at scores
within 20 points of the end, where the hands are counted as they are, suits and all.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from benchmarks.arguments import run
from benchmarks.table import Table
from cribev.advice.cards import advise_card
from cribev.advice.question import Question
from cribev.classes.canonical import classify_deals
from cribev.game.cards import RANKS
from cribev.game.deal import Held, Position
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.play import Play
from cribev.game.roles import ROLES, opposite_role
from cribev.game.score import WINNING_SCORE, Score
from cribev.game.scorer import score_hands
from cribev.game.stakes import WIN_STAKES
from cribev.solution.solution import load, shipped_keep_frequencies, shipped_strategy
from cribev.values.holdings import believe
from cribev.values.pegging import PlayTree
from cribev.wins.in_play import game_won, shown_by_keep

DEALS, PLAYED = 1000, 2000


class Dealt(NamedTuple):
    """A deal after the cut, as one player sees it, and the opponent's cards."""

    position: Position
    opponent: np.ndarray
    """The four cards the opponent keeps."""
    discarded: np.ndarray
    """The two the opponent discards."""


def dealt(role, number, rng):
    """Deal and discard by the shipped policies, equal keeps at random."""
    policies, other = load(play=True).policies(), opposite_role(role)
    cards = rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (number, 1)), axis=1)[:, :13]
    hands = {role: np.sort(cards[:, :6]), other: np.sort(cards[:, 6:12])}
    kept = {}
    for who, own in hands.items():
        sets = policies[who][classify_deals(own)].astype(np.int64)
        kept[who] = ((sets[:, None] >> np.arange(15) & 1) * rng.random((number, 15))).argmax(axis=1)
    for row in range(number):
        (hand, discarded), theirs = (
            (hands[who][row][KEEPS[kept[who][row]]], hands[who][row][DISCARDS[kept[who][row]]])
            for who in (role, other)
        )
        score = Score.of(*(WINNING_SCORE - rng.integers(3, 21, 2)).tolist(), role)
        held, starter = Held(hand, discarded), int(cards[row, 12])
        yield Dealt(Position(role, held, starter, score=score), *theirs)


def worth(deal, *, own=None, wins=False):
    """Return what the best reply to the expert, or another strategy, is worth: points, or wins."""
    role, expert = deal.position.role, shipped_strategy()
    frequencies = shipped_keep_frequencies(opposite_role(role))
    belief = believe(deal.position, frequencies, expert)
    end = None
    if wins:
        position, keeps = deal.position, np.flatnonzero(belief.chance)
        shown, win_table = [(1.0, shown_by_keep(position, frequencies))], load(play=True).win_table
        end = game_won(role, position.now, shown, keeps, win_table, WIN_STAKES.value)
    hand = deal.position.left_ranks
    value = PlayTree([], role, hand, belief, opponent=expert, own=own, end=end).value
    return float(value[0] if wins else value[0] - value[1])


def play_out(deal, rng, *, best, wins=False):
    """Play by the rules, the opponent's cards drawn from the strategy: points after each step."""
    position, expert = deal.position, shipped_strategy()
    role = position.role
    hands = {role: position.left_ranks, opposite_role(role): (deal.opponent >> 2).tolist()}
    play, history = Table(hands), []
    while not play.over:
        rank, legal = None, play.legal
        drawn = rng.random()  # one for each step, so that both plays draw alike while they can
        if len(legal) == 1:
            rank = legal[0]
        elif legal and play.turn == role and best:
            turn = replace(
                position, play=Play.parse(history), score=position.score if wins else None
            )
            advice = advise_card(Question(turn))
            rank = RANKS.index(advice.best.card)
        elif legal:
            chances = expert.choices(expert.node(history), play.hands[play.turn])
            rank = int(np.searchsorted(np.cumsum(chances), drawn * chances.sum(), side="right"))
        history.append(rank)
        _ = play.go() if rank is None else play.play(rank)
        yield play.points[role], play.points[opposite_role(role)]


def net_points(deal, rng, *, best):
    """Net points of a play by the rules."""
    *_, (own, opponent) = play_out(deal, rng, best=best)
    return own - opponent


def won(deal, rng, *, best):
    """Return how likely the game is won after a play by the rules and the show."""
    role, held = deal.position.role, deal.position.held
    starter = np.array([deal.position.starter])
    now = np.array(deal.position.now.seen_by(role))
    events = []
    for points in play_out(deal, rng, best=best, wins=True):
        events.append(now + points)
        if events[-1].max() >= WINNING_SCORE:
            return float(events[-1][0] >= WINNING_SCORE)
    crib = np.concatenate([held.discard, deal.discarded])
    shown = [
        (0, score_hands(np.array([held.kept]), starter)),
        (1, score_hands(deal.opponent[None], starter)),
        (int(role == "pone"), score_hands(crib[None], starter, crib=True)),
    ]
    for who, points in shown if role == "pone" else [shown[1], shown[0], shown[2]]:
        gained = np.zeros(2, dtype=np.int64)
        gained[who] = points[0]
        events.append(events[-1] + gained)
        if events[-1].max() >= WINNING_SCORE:
            return float(events[-1][0] >= WINNING_SCORE)
    own, opponent = events[-1]
    win = load(play=True).win_table.win
    return float(win[own, opponent] if role == "pone" else 1 - win[opponent, own])


def mean(values):
    """A mean and its standard error, as text."""
    values = np.asarray(values)
    return f"{values.mean():+.4f} ± {values.std(ddof=1) / len(values) ** 0.5:.4f}"


def compare(name, worked_out, played):
    """Print what was worked out of the best reply and the expert, and what was played."""
    for what, of in (("worked out", worked_out), ("played out", played)):
        reply, expert = np.transpose(of)
        print(f"  {name} {what}, {len(of):,} deals:")
        print(f"    best reply {mean(reply)}, expert {mean(expert)}, gained {mean(reply - expert)}")
    first = np.array(worked_out)[: len(played)] - played[: len(worked_out)]
    print(f"    worked out less played: {mean(first[:, 0])} and {mean(first[:, 1])}")


def main(deals=DEALS, played=PLAYED, seed=22):
    """Print what is gained by role."""
    expert = shipped_strategy()
    for role in ROLES:
        print(role)
        for name, wins, outcome in (("points", False, net_points), ("wins", True, won)):
            rng, worked_out, by_rules = np.random.default_rng([seed, len(role)]), [], []
            for number, deal in enumerate(dealt(role, max(deals, played), rng)):
                if number < deals:
                    worked_out.append([worth(deal, own=own, wins=wins) for own in (None, expert)])
                if number < played:
                    by_rules.append(
                        [
                            outcome(deal, np.random.default_rng([seed, number]), best=best)
                            for best in (True, False)
                        ]
                    )
            compare(name, worked_out, by_rules)


if __name__ == "__main__":
    run(main)
