"""The rules in JavaScript say what the package says, in node."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from node import in_node

from cribev import CardError, explain, format_cards, score
from cribev.classes.canonical import class_ranks
from cribev.game.cards import RANKS, SUIT_SYMBOLS, SUITS, format_card, parse_some_suits
from cribev.game.index_tables import rank_points
from cribev.game.play import Play
from cribev.game.score import read_points

rules = partial(in_node, ["web/static/cribbage"])


def test_all_ranks_count_alike():
    five = np.unique(class_ranks()[:, :5], axis=0)
    counted = rules("return arguments[0].map(countRanks)", five.tolist())
    assert counted == rank_points(five).tolist()


def read(text):
    """The cards of a text, as texts; None if it is refused."""
    try:
        return [format_card(card) for card in parse_some_suits(text)]
    except CardError as error:
        return [] if "comes" in str(error) else None


def test_cards_are_read_alike():
    random = np.random.default_rng(7)
    ranks, suits = [*RANKS, "10", "1", "q", "X", "0"], [*SUITS, *SUIT_SYMBOLS, "h", "", ""]
    joints, gaps = ["", "", " ", "-"], [" ", ", ", "", "  ", "+", "/"]
    pieces = ["".join(map(random.choice, (ranks, joints, suits, gaps))) for _ in range(4500)]
    texts = ["".join(written) for written in np.split(np.array(pieces), 1500)]
    texts += ["5♥️5♦️J♠️Q♣️2♥️8♦️", "H-5-D-5-S-J", "5 H, J S; Q C + 2 H", "5H–5D—JS QC\n2H"]
    script = """return arguments[0].map((text) => {
        try { return cardsIn(text); } catch { return null; } })"""
    theirs = dict(zip(texts, rules(script, texts), strict=True))
    ours = {text: read(text) for text in texts}
    assert {text for text in texts if ours[text] != [] and theirs[text] != ours[text]} == set()
    assert sum(cards is None for cards in theirs.values()) > 100 < sum(map(bool, theirs.values()))


def suited_hands(number):
    """Five cards of any suits and of two, of which many have a flush, and the perfect hand."""
    random = np.random.default_rng(number)
    hands = [random.permutation(52)[:5] for _ in range(number)]
    hands += [random.permutation(26)[:5] * 2 + index % 2 for index in range(number)]
    return [format_cards(hand).split() for hand in hands] + [["5H", "5D", "5C", "JS", "5S"]]


def test_hands_and_cribs_count_with_their_suits():
    cases = [(hand[:4], hand[4], crib) for hand in suited_hands(400) for crib in (False, True)]
    shows = [explain(kept, starter, crib=crib) for kept, starter, crib in cases]
    script = "return arguments[0].map((show) => [countHand(...show), spoken(...show)])"
    assert rules(script, cases) == [[show.total, show.spoken] for show in shows]
    assert sum(" flush" in show.spoken for show in shows) > 20


@pytest.mark.parametrize("crib", [False, True])
def test_counts_that_suits_leave_open_are_all_listed(crib):
    cases, totals = [], []
    for number, hand in enumerate(suited_hands(20)):
        bare = [card[0] if (number >> place) % 2 else card for place, card in enumerate(hand)]
        suits = [[card] if card[1:] else [card + suit for suit in SUITS] for card in bare]
        dealt = [five for five in product(*suits) if len({*five}) == 5]
        cases.append((bare[:4], bare[4], crib))
        totals.append(sorted({score(five[:4], five[4], crib=crib) for five in dealt}))
    script = """return arguments[0].map((show) =>
        possibleCounts(...show).ways.map(([total]) => total))"""
    assert rules(script, cases) == totals


def random_play(random):
    """A whole play of random cards: any that fits, and a go where none does."""
    hand = random.permutation(52)[:8]
    left = {"pone": [*map(int, hand[:4])], "dealer": [*map(int, hand[4:])]}
    play = Play()
    while not (play := play.go_while_stuck(left)).over:
        card = int(random.choice(play.legal(left[play.turn])))
        left[play.turn].remove(card)
        play = play.play(card)
    return play


PLAYED = """return arguments[0].map((moves) => {
    const play = new Play(), after = [];
    for (const move of moves) {
      move === "go" ? play.go() : play.play(move);
      after.push([ROLES[play.turn], play.count, {pone: play.left[0], dealer: play.left[1]}]);
    }
    const pegs = play.steps.map((step) => step.pegs);
    return [play.text, after, play.steps.map(({seat, count}) => [ROLES[seat], count]),
      pegs.map((step) => step.map(({seat, kind, points}) => [ROLES[seat], kind, points]))];
})"""


def test_each_card_and_go_pegs_alike():
    number = 300
    plays = [random_play(random) for random in [np.random.default_rng(number)] * number]
    moves = [[step.text for step in play.steps if not step.silent] for play in plays]
    for play, played in zip(plays, rules(PLAYED, moves), strict=True):
        moved = [index + 1 for index, step in enumerate(play.steps) if not step.silent]
        after = [[now.turn, now.count, {**now.left}] for now in map(play.before, moved)]
        pegs = [[[peg.role, peg.name, peg.points] for peg in step.pegs] for step in play.steps]
        steps = [[step.role, step.count] for step in play.steps]
        assert played == [play.full_text, after, steps, pegs]


def test_scores_are_read_alike():
    own, other = ["0", "95", "121", "1234", "", "-5"], ["110", "7*", " 3 ", "٣", "9.0*"]
    joints = ["-", " ", "–", ":", "/", " to ", "to", "--", "*-", " - ", "", "x", ".0-"]
    texts = ["".join(parts) for parts in product(own, joints, other)]
    starred = {None: -1, True: 0, False: 1}
    scores = [score and [[*score[0]], starred[score[1]]] for score in map(read_points, texts)]
    script = "return arguments[0].map(scoreIn).map((read) => read && [read.points, read.starred])"
    assert rules(script, texts) == scores != [None] * len(scores)
