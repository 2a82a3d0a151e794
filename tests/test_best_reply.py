"""What each card is worth now, against an oracle that has every hand on the table."""

from collections import Counter, defaultdict
from functools import cache

import best_reply_oracle as oracle
import numpy as np
import play_oracle
import pytest
import race_oracle
from test_strategy import SMALL, strategy_at_random

from benchmarks.table import Table
from cribev import advise_play
from cribev.game.cards import RANKS, SUITLESS_OFFSET
from cribev.solution.strategy import PARTS, Strategy
from cribev.values.holdings import Belief, believe_after
from cribev.values.pegging import PlayTree
from cribev.wins.exact import pegging_pmf
from cribev.wins.in_play import GameWon
from solver.storage import tabulate_states

pytestmark = pytest.mark.arrays

ROLES = ("pone", "dealer")


@cache
def at_random(name, seed=5):
    """A strategy, and its chances by history and hand, as the oracle asks for them."""
    size = SMALL[name]
    cells, expected = strategy_at_random(size, seed)
    places = {rank + 1: at for at, rank in enumerate(size.ranks)}

    def chances(history, hand, options):
        played = tuple(None if rank is None else places[rank] for rank in history)
        parts = expected[played, tuple(places[rank] for rank in hand)]
        return [parts.get(places[rank], 0) / PARTS for rank in options]

    return Strategy(size, tabulate_states(size.ranks), cells), chances


def hand_of(size, row):
    return tuple(size.ranks[place] + 1 for place in row)


def some_hands(size, rng, number=3):
    rows = size.holdings(size.kept).tolist()
    return [rows[at] for at in rng.choice(len(rows), min(number, len(rows)), replace=False)]


def some_prior(size, mine, rng):
    """How likely each of the opponent's keeps is: not those with a fifth card of a rank."""
    counts = [[*row, *mine] for row in size.holdings(size.kept).tolist()]
    possible = [max(map(cards.count, cards)) <= 4 for cards in counts]
    prior = rng.random(len(counts)) * possible
    return prior / prior.sum()


def dealt(name, me, seed):
    """Some hands of one's own, each with what the opponent may hold, and a table for each."""
    size, rng = SMALL[name], np.random.default_rng(seed)
    for mine in some_hands(size, rng):
        prior, tables = some_prior(size, mine, rng), {}
        for weight, row in zip(prior, size.holdings(size.kept).tolist(), strict=True):
            if weight:
                hands = [hand_of(size, mine), hand_of(size, row)]
                tables[tuple(row)] = weight, play_oracle.start(*hands[:: 1 if me == 0 else -1])
        yield mine, Belief(size.kept, prior, 0, True), tables


@pytest.mark.parametrize("name", SMALL)
def test_a_lead_and_all_after_it(name):
    strategy, chances = at_random(name)
    for mine, belief, tables in dealt(name, 0, 3):
        tree = PlayTree([], "pone", mine, belief, opponent=strategy)
        assert tree.value == pytest.approx(oracle.worth(tables, (), 0, chances), abs=1e-9)
        assert tree.ranks.tolist() == sorted(set(mine))
        for at, values in zip(tree.ranks, tree.worth, strict=True):
            rank = SMALL[name].ranks[at] + 1
            expected = oracle.after_move(tables, (), 0, rank, chances)
            assert values == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", SMALL)
def test_the_dealer_before_and_after_the_lead(name):
    strategy, chances = at_random(name)
    for mine, belief, tables in dealt(name, 1, 4):
        tree = PlayTree([], "dealer", mine, belief, opponent=strategy)
        assert tree.value == pytest.approx(oracle.worth(tables, (), 1, chances), abs=1e-9)
        total, leads = np.zeros(2), dict(oracle.answered(tables, (), 1, chances))
        for lead, rank in enumerate(SMALL[name].ranks):
            found = believe_after([(True, lead)], belief.chance, strategy)
            if found is None or not found.explained:
                assert rank + 1 not in leads
                continue
            after = PlayTree([lead], "dealer", mine, found, opponent=strategy)
            reached = leads[rank + 1]
            often = sum(weight for weight, _ in reached.values())
            reached = {
                hand: (weight, play_oracle.move(table, rank + 1)[0])
                for hand, (weight, table) in reached.items()
            }
            expected = oracle.worth(reached, (rank + 1,), 1, chances)
            assert after.value * often == pytest.approx(expected, abs=1e-9)
            total += after.value * often
        assert tree.value == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("me", [0, 1])
def test_custom_strategies_and_end_values_are_supported(name, me):
    size, (strategy, chances), (own, own_chances) = SMALL[name], at_random(name), at_random(name, 8)
    for mine, belief, tables in dealt(name, me, 6):
        tree = PlayTree([], ROLES[me], mine, belief, opponent=strategy, own=own)
        expected = oracle.worth(tables, (), me, chances, own_chances)
        assert tree.value == pytest.approx(expected, abs=1e-9)
    keeps, rng = size.holdings(size.kept).tolist(), np.random.default_rng(7)
    for seed, needs in enumerate(((99, 99), (3, 9), (6, 5), (1, 2))):
        mine, belief, tables = next(dealt(name, me, seed))
        later = rng.random((len(keeps), 60, 60))
        end = GameWon(size, needs, later)
        tree = PlayTree([], ROLES[me], mine, belief, opponent=strategy, end=end)
        game = needs, {tuple(keep): later[at] for at, keep in enumerate(keeps)}
        expected = oracle.wins(tables, (0, 0), (), me, chances, game)
        assert tree.value == pytest.approx([expected], abs=1e-9)


def play_into(deck, role, picks, most):
    """Play until a player is to play one of the few cards left; None if that never comes."""
    ranks = [int(card) >> 2 for card in deck]
    play, history = Table({"pone": ranks[:4], "dealer": ranks[4:8]}), []
    while not play.over:
        if play.turn == role and play.legal and sum(play.left.values()) <= most:
            return history
        if play.legal:
            history.append(play.legal[picks[len(history)] % len(play.legal)])
            play.play(history[-1])
        else:
            history.append(None)
            play.go()
    return None


def outcomes(table, history, needs, me, chances, made=(0, 0)):
    """How likely it ends so: points of both, or who is out, by strategies (own, opponent)."""

    def end(made):
        if made[me] >= needs[0]:
            return "out"
        return "beaten" if made[1 - me] >= needs[1] else (made[me], made[1 - me])

    if isinstance(end(made), str) or play_oracle.is_over(table):
        return Counter({end(made): 1.0})
    left = [len(hand) for hand in table[0]]
    if not min(left) and max(left) > 1:  # who is alone plays the rest for the most points
        made = list(made)
        for who, gained in race_oracle.most_alone(table):
            if not isinstance(end(made), str):
                made[who] += gained
        return Counter({end(made): 1.0})
    ranks = play_oracle.options(table) or [None]
    often = [1.0]
    if len(ranks) > 1:
        of_whom = chances[0] if table[1] == me else chances[1]
        often = of_whom(history, table[0][table[1]], ranks)
    found = Counter()
    for share, rank in zip(often, ranks, strict=True):
        if share:
            after, gains = play_oracle.move(table, rank)
            now = made[0] + gains[0], made[1] + gains[1]
            later = outcomes(after, (*history, rank), needs, me, chances, now)
            for ending, chance in later.items():
                found[ending] += share * chance
    return found


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("me", [0, 1])
def test_pegging_with_keep_pairs_matches_the_tree(name, me):
    size, rng = SMALL[name], np.random.default_rng(12)
    strategy, chances = at_random(name)
    rows = size.holdings(size.kept).tolist()
    for needs in ((99, 99), (5, 4), (2, 9)):
        mine = some_hands(size, rng, 1)[0]
        faced = np.flatnonzero(some_prior(size, mine, rng))[::2]
        (found,) = pegging_pmf(np.array([mine]), ROLES[me], faced, needs, strategy)
        for at, number in enumerate(faced):
            hands = [hand_of(size, mine), hand_of(size, rows[number])][:: 1 if me == 0 else -1]
            expected = outcomes(play_oracle.start(*hands), (), needs, me, (chances, chances))
            assert found.out[at] == pytest.approx(expected.pop("out", 0), abs=1e-9)
            assert found.beaten[at] == pytest.approx(expected.pop("beaten", 0), abs=1e-9)
            entries = found.place == at
            chances_found = defaultdict[tuple[int, int], float](float)
            for own, other, chance in zip(*(part[entries] for part in found[1:4]), strict=True):
                chances_found[own, other] += chance
            assert chances_found == pytest.approx(dict(expected), abs=1e-9)


# What can follow a card

KNOWN = {"discard": "9C KD", "starter": "7H"}


@pytest.mark.parametrize(
    ("moves", "opponent"),
    [("", "greedy"), ("J5", "expert"), ("J5", "people"), ("J6J2go3", "expert")],
)
def test_replies_are_those_of_every_holding(moves, opponent):
    """Asked again after a reply, the answer is the one that was told before it."""
    text = f"pone:4H5CJDJS/9CKD:7H:{moves}"
    advice = advise_play(text.rstrip(":"), opponent=opponent)
    play, strategy = advice.position.play, advice.strategy
    follows = advice.explain().replies
    assert [after.card for after in follows] == advice.table["card"].tolist()
    hands = strategy.size.holdings(advice.belief.left)
    for after in follows:
        rank = RANKS.index(after.card)
        played = play.play(rank + SUITLESS_OFFSET)
        node = strategy.node(played.history)
        shares = np.array([strategy.choices(node, hand) for hand in hands.tolist()])
        often = advice.belief.chance @ shares
        chances = dict(zip([*RANKS, "go"], [*often, 1 - often.sum()], strict=True))
        likely = {card: chance for card, chance in chances.items() if chance > 1e-6}
        told = {reply.card: reply.chance for reply in after.replies if reply.chance > 1e-6}
        assert told == pytest.approx(likely, abs=1e-6)
        if play.on_table or not moves:
            assert after.chance("pair") == pytest.approx(often[rank], abs=1e-6)
        for reply in after.replies:
            if reply.card != "go":
                step = played.play(RANKS.index(reply.card) + SUITLESS_OFFSET).steps[-1]
                assert reply.points == sum(peg.points for peg in step.pegs)
                assert {*reply.kinds} == {peg.kind for peg in step.pegs}
            if reply.chance > 0.05 and reply.answer in RANKS:
                asked = advise_play(f"{text}{after.card}{reply.card}", opponent=opponent)
                assert asked.options.option(reply.answer).behind < 0.02


def test_what_the_opponent_may_hold_before_and_now():
    why = advise_play("4H 5C JD JS", role="pone", played="J 5", **KNOWN).explain()
    lead = advise_play("4H 5C JD JS", role="pone", **KNOWN)
    assert (why.last, why.before.left, why.range.left) == ("5", 4, 3)
    # Before the five was played, the dealer might hold what may be held before the lead.
    assert why.before.ranks["chance"].tolist() == pytest.approx(lead.range.ranks["chance"].tolist())
    assert lead.explain().before is None
    text = str(why)
    assert "before the 5" in text
    assert "on your 5" in text
    assert why.to_dict()["replies"][0]["card"] == why.replies[0].card
    assert "<pre" in why._repr_html_()


def test_nobody_answers_after_a_go():
    why = advise_play("A A J J", role="pone", played="J 9 J go", discard="8 Q").explain()
    assert (why.last, why.before.left, why.range.left) == ("go", 3, 3)
    assert [(one.replies, one.then) for one in why.replies] == [((), "A")]
    assert "After the A your opponent cannot answer, and you play the A." in str(why)
    why = advise_play("A 2 J J", role="pone", played="J 9 J go", discard="8 Q").explain()
    assert "After the A your opponent cannot answer, and you say go." in str(why)
    assert "on your 2" in str(why)
    advice = advise_play("4H 5C JD JS", role="pone", played="J 6 J 2 go 3 4 T", **KNOWN)
    assert (advice.best.own, advice.best.opponent) == (1, 0)  # the last card
    assert "No card is played after the 5." in str(advice.explain())
