"""Deals played in four ways at a score: counted once more, and held to the advice on each card."""

from itertools import product

import numpy as np
import oracle
import play_oracle
import pytest

from benchmarks import duplicate_games
from benchmarks.duplicate_games import Dealt, PlayToWin, ending, play_for_points
from cribev import advise_play, format_cards, parse_cards, win_probability
from cribev.game.cards import RANKS, random_hands
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import ROLES, opposite_role
from cribev.game.stakes import WIN_STAKES, Stakes

DECIDED_BY_SUITS = (19, 22, 29, 42)


def dealt_at_random(seed, score):
    """A deal with any discards, and its texts: hands and crib."""
    cards = random_hands(1, cards=13, seed=seed)[0]
    hands = {"dealer": cards[:6], "pone": cards[6:12]}
    kept, discarded = (
        {who: hands[who][places[3]] for who in ROLES} for places in (KEEPS, DISCARDS)
    )
    return Dealt(kept, discarded, int(cards[12]), dict(zip(ROLES, score, strict=True)))


def counted(dealt):
    """Return the dealer's chance to win if both play any card that fits, by the slow rules."""
    hands = {who: format_cards(dealt.kept[who]).split() for who in ROLES}
    crib = [card for who in ROLES for card in format_cards(dealt.discarded[who]).split()]
    (starter,) = format_cards([dealt.starter]).split()
    ranks = {who: [RANKS.index(card[0]) + 1 for card in hands[who]] for who in ROLES}
    heels = 2 * (starter[0] == "J")
    shown = [
        (oracle.points(hands["pone"], starter), 0),
        (0, oracle.points(hands["dealer"], starter)),
        (0, oracle.points(crib, starter, crib=True)),
    ]

    def won(table, gains, score, later):
        score = score[0] + gains[0], score[1] + gains[1]
        if max(score) >= 121:
            return float(score[1] >= 121)
        if table is None or play_oracle.is_over(table):
            if not later:
                return 1 - win_probability(dealer=score[0], pone=score[1])
            return won(None, later[0], score, later[1:])
        cards = play_oracle.options(table) or [None]
        after = [won(*play_oracle.move(table, card), score, later) for card in cards]
        return sum(after) / len(after)

    table = play_oracle.start(ranks["pone"], ranks["dealer"])
    return won(table, (0, heels), (dealt.score["pone"], dealt.score["dealer"]), shown)


def play_any(_, play):
    """Play any rank that fits."""
    return [(rank, 1 / len(play.legal)) for rank in play.legal]


@pytest.mark.parametrize("score", [(110, 112), (118, 120), (100, 99), (117, 96)])
@pytest.mark.parametrize("seed", range(2))
def test_a_deal_counts_as_by_the_rules(seed, score):
    dealt = dealt_at_random(seed, score)
    assert ending(dealt, dict.fromkeys(ROLES, play_any)).win == pytest.approx(counted(dealt))


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("seed", [8, *DECIDED_BY_SUITS])
def test_winning_cards_match_advice(role, seed):
    dealt = dealt_at_random(seed, (113, 114))
    best, score = PlayToWin(dealt, role), (dealt.score[role], dealt.score[opposite_role(role)])
    held = {
        "hand": dealt.kept[role], "discard": dealt.discarded[role], "starter": dealt.starter,
        "role": role, "score": score,
    }  # fmt: skip
    asked = []

    def play(steps, whole):
        ((rank, chance),) = best(steps, whole)
        if len(whole.legal) > 1 and len(asked) < 3:
            left = {who: format_cards(dealt.kept[who]).split() for who in ROLES}
            played = ["go"] * len(steps)
            for number, step in enumerate(steps):
                if step.rank is not None:
                    of_rank = [card[0] for card in left[step.role]].index(RANKS[step.rank])
                    played[number] = left[step.role].pop(of_rank)
            advice = advise_play(played=" ".join(played), **held)
            win = {choice.card: choice.win for choice in advice.choices}
            asked.append(win[RANKS[rank]] - advice.best.win)
        assert chance == 1
        return [(rank, chance)]

    ending(dealt, {role: play, opposite_role(role): play_for_points})
    assert asked
    assert asked == pytest.approx([0] * len(asked), abs=1e-9)


@pytest.mark.slow
def test_ways_differ_only_where_a_decision_does(monkeypatch):
    hand = parse_cards("4H 5C 6D JS QC KD")
    (best,) = duplicate_games.best_by_points(hand, "dealer")
    for winning, play in product((best, (best + 1) % 15), (play_highest, play_for_points)):
        monkeypatch.setattr(duplicate_games, "best_at", lambda *_, at=winning: at)
        monkeypatch.setattr(duplicate_games, "PlayToWin", lambda *_, play=play: play)
        rng = np.random.default_rng(2)
        won = duplicate_games.play_board(hand, (22, 24), role="dealer", rng=rng, deals=2)
        neither, discard, peg, both = won.T
        assert ((won >= 0) & (won <= 1)).all()
        for first, second in ((neither, discard), (peg, both)):
            assert (first == second).all() == (winning == best)
        for first, second in ((neither, peg), (discard, both)):
            assert (first == second).all() == (play is play_for_points)


def play_highest(_, play):
    """Play the highest rank that fits."""
    return [(play.legal[-1], 1.0)]


def test_gains_are_told_with_their_errors():
    won = np.full((3, 2, 4), 0.5)
    won[:, 0, 1:] += np.array([[0.01, 0.02, 0.03], [0.03, 0.02, 0.03], [0.02, 0.02, 0.06]])
    lines = [*duplicate_games.report(np.array([[2, 9], [4, 4], [25, 11]]), won)]
    assert lines[0] == "3 boards, 96 deals, each played in four ways"
    assert lines[1] == "who counts points wins 50.0 of a hundred games"
    told = {line[:26].rstrip(): line[26:].split("  ") for line in lines[3:]}
    gains = [gain.strip() for gain in told["as dealer"] if gain]
    assert gains == ["+2.00 ± 0.58", "+2.00 ± 0.00", "+4.00 ± 1.00"]
    assert told["as pone"][-1].strip() == "+0.00 ± 0.00"
    assert told["from both seats"][-1].strip() == "+2.00 ± 0.50"
    assert "the nearer needs 6 to 10" not in told
    assert told["the nearer needs 1 to 5"][-1].strip() == "+1.50 ± 0.00"


@pytest.mark.slow
def test_stakes_are_gained_where_a_skunk_is_open():
    """With every way the same cards; what is gained is what the stakes say of how it ends."""
    stakes, rng = Stakes.read("acc"), np.random.default_rng(5)
    hand = parse_cards("3D 3S 5C 7C QC QS")
    ways = [(WIN_STAKES, WIN_STAKES), (stakes, stakes)]
    gained = duplicate_games.play_board(
        hand, (51, 33), role="pone", rng=rng, deals=2, stakes=stakes, ways=ways
    )
    assert gained.shape == (2, 2)
    assert ((gained > 0) & (gained < 3)).all()
    lines = list(duplicate_games.report_stakes(stakes, gained[:, None].repeat(2, axis=1)))
    assert lines[0] == "2 boards, 64 deals, each played in two ways"
    dealt = dealt_at_random(3, (120, 70))
    ends = ending(dealt, dict.fromkeys(ROLES, play_any))
    assert ends.skunk > 0.9 * ends.win > 0
    assert ends.double_skunk == ends.skunked == 0
