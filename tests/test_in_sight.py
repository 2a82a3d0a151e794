"""What lies on the table counts: chances to win by every card the opponent may have, one by one."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, combinations_with_replacement
from math import comb, prod
from pathlib import Path

import numpy as np
import oracle
import play_oracle
import pytest
from games import published

from cribev import advise_play
from cribev.advice.names import as_opponent
from cribev.advice.options import Options
from cribev.advice.question import Question
from cribev.classes.canonical import class_ranks
from cribev.game.cards import format_card
from cribev.game.deal import Deal, Held, Position
from cribev.game.outcomes import Outcomes
from cribev.game.play import Play
from cribev.game.roles import opposite_role
from cribev.game.score import Score
from cribev.game.stakes import Stakes
from cribev.values.holdings import trembling

RANK_PAIRS = ["".join(sorted(pair)) for pair in combinations_with_replacement(oracle.RANKS, 2)]
CLASS = {tuple(ranks): row for row, ranks in enumerate(class_ranks().tolist())}
card_of = oracle.DECK.index
EXAMPLES = [  # what is known, and how likely the game is won, by the rules alone
    ("dealer:4C7D7H8S/2CQD:7C:KC7D7S7H6D8SQH@103-115", 1),  # no flush: two, then twelve
    ("dealer:8C4D3HKS/AC5D:9S:JS8CTD3H5CKSQH@114-110", 0),  # eleven, with nobs
    ("dealer:8C4D3HKS/AC5D:9S:JH8CTD3H5CKSQC@114-110", 1),  # ten
    ("dealer:AC2S4H7C/THKS:8D:TC7C7DACAS2SgogoKD@114-112", 0.913),
]


@pytest.mark.parametrize(("text", "win"), EXAMPLES)
def test_suits_of_what_is_played_decide(text, win):
    assert advise_play(text).best.win == pytest.approx(win, abs=5e-4 * (0 < win < 1))


ENDGAMES = published(Path(__file__).with_name("data") / "endgames.csv")


def asked(row, **more):
    known = {"discard": row["discard"], "starter": row["starter"], "played": row["played"]}
    return advise_play(row["kept"], role=row["role"], **known, **more)


@pytest.mark.parametrize("row", ENDGAMES, ids=lambda row: row["id"])
def test_the_best_card_of_published_endgames(row):
    advice = asked(row, score=f"{row['yours']}-{row['theirs']}")
    if row["dominates"]:
        assert advice.best.card == row["dominates"]
    if row["source"] == "rules":
        assert advice.best.win == int(row["note"][-1])


def test_what_sets_equal_cards_apart_is_said():
    rows = {row["id"]: row for row in ENDGAMES}
    said = "Equal against an expert; the 8 wins more often against a 5 or 7."
    advice = asked(rows["B8-2c"], score="105-115")
    assert advice.against_errors == said
    assert advice.to_dict()["against_errors"] == said
    assert said in str(advice)
    staked = asked(rows["B8-2c"], score="105-115", stakes="acc")
    assert staked.against_errors == said.replace("wins more often", "is worth more")
    assert asked(rows["B8-2c"]).against_errors == (
        "Equal against an expert; the 8 brings 2 to 4 more against a 5 or 7, "
        "the 7 brings 2 to 4 more against a 4 or 8."
    )
    no_three = advise_play("dealer:7S8C8H9D/3HTD:6C:9C8H2S9Dgogo4H")  # for go was said at 28
    assert "; the 7 brings 4 more against an 8, " in no_three.against_errors
    alone = asked(rows["B17-26"], score="114-95")
    assert alone.against_errors == ""
    assert "against_errors" not in alone.to_dict()


def test_first_tied_card_is_best_against_any_cards():
    position = Position.parse("pone:4H5CJDJS/9CKD:7H:J5")
    tied = {"expected": np.array([0.5, 0.25, 0.5])}
    options = Options.of_cards(Question(position), tied)
    assert (options.best.card, options.rank.tolist()) == ("4", [1, 3, 1])
    options = replace(options, value_against_any=np.array([0.1, 0.9, 0.2]))
    assert [option.card for option in options.rows] == ["J", "4", "5"]
    assert options.rank.tolist() == [1, 3, 1]


def ends_of(points, counts, role, table):
    """Add counts up in order, (who, points) with 0 the player: how it ends, as `Outcomes`."""
    points = list(points)
    for who, gained in counts:
        points[who] += gained
        if points[who] > 120:
            skunks = sum(points[1 - who] < line for line in (91, 61))
            return np.eye(6)[3 + skunks if who else 2 - skunks]
    return np.array([part[tuple(points)] for part in table.outcomes_as(opposite_role(role))])


class Keeps:
    """How likely an opponent keeps and discards cards, one by one, beside cards that are known."""

    def __init__(self, role, known, opponent="expert"):
        frequencies = as_opponent(opponent).discards.keeps(opposite_role(role))
        self.share, self.flush = trembling(frequencies)
        self.left = Counter(card[0] for card in oracle.rest(known))

    def of_six(self, keep, pair):
        """How often ranks are kept of a class, and of that as a flush; how many ways to it."""
        six = tuple(sorted(oracle.RANKS.index(rank) for rank in keep + pair))
        counts = Counter(keep + pair)
        if any(self.left[rank] < many for rank, many in counts.items()):
            return 0, 0, 0
        row, chosen = CLASS[six], sorted(oracle.RANKS.index(rank) for rank in keep)
        of = [at for at, some in enumerate(combinations(six, 4)) if list(some) == chosen]
        ways = prod(comb(self.left[rank], many) for rank, many in counts.items())
        return sum(self.share[row][at] for at in of), sum(self.flush[row][at] for at in of), ways

    def discarded(self, keep):
        """How likely each two ranks are discarded with cards that are kept, for each two cards."""
        kept = Counter(keep)
        return {
            pair: self.of_six(keep, pair)[0]
            / prod(comb(many, kept[rank]) for rank, many in Counter(keep + pair).items())
            for pair in RANK_PAIRS
        }

    def suited(self, keep):
        """How much likelier any flush of four ranks is kept than other cards of these ranks."""
        every = [self.of_six(keep, pair) for pair in RANK_PAIRS]
        flush = sum(flush * ways for _, flush, ways in every)
        kept = sum(share * ways for share, _, ways in every)
        return flush / (4 / 256) / ((kept - flush) / (252 / 256))


def last_cards(position, keeps, theirs, opponent):
    """How likely each rank is the opponent's last card, by all it kept and each card it played."""
    strategy, other = as_opponent(opponent).play.strategy(), opposite_role(position.role)
    found = {}
    for last in oracle.RANKS:
        keep = "".join(card[0] for card in theirs) + last
        of_pairs = (keeps.of_six(keep, pair) for pair in RANK_PAIRS)
        found[last] = sum(share * ways for share, _, ways in of_pairs)
        left, played = sorted(map(oracle.RANKS.index, keep)), []
        for step in position.play.steps:
            rank = None if step.card is None else step.card >> 2
            if step.role == other and rank is not None:
                found[last] *= strategy.choices(strategy.node(played), left)[rank]
                left.remove(rank)
            elif step.role == other and not step.silent and left:
                found[last] *= all(min(card, 9) + 1 + step.count > 31 for card in left)
            played.append(rank)
    return {rank: chance / sum(found.values()) for rank, chance in found.items()}


def by_every_card(position, advice, opponent="expert"):
    """How likely each of `Outcomes` is after the only card left, over all the opponent may have."""
    role, other = position.role, opposite_role(position.role)
    mine, discard = ([format_card(card) for card in some] for some in position.held)
    starter, own = format_card(position.starter), format_card(position.left[0])
    theirs = [
        format_card(step.card)
        for step in position.play.steps
        if step.role == other and step.card is not None
    ]
    known, table = [*mine, *discard, starter], as_opponent(opponent).play.game().win_table
    keeps, unseen = Keeps(other, known, opponent), oracle.rest([*known, *theirs])
    cribs = {
        pair: oracle.points([*discard, *pair], starter, crib=True)
        for pair in combinations(unseen, 2)
    }
    chances = dict(zip(oracle.RANKS, advice.belief.chance, strict=False))
    if position.opponent_left and opponent != "expert":
        chances = last_cards(position, keeps, theirs, opponent)
    found = np.zeros(6)
    for last in oracle.RANKS if position.opponent_left else [""]:
        chance, cards = 1.0, [None]
        if last:
            chance, cards = chances[last], [card for card in unseen if card[0] == last]
        if chance < 1e-9:
            continue
        keep = "".join(card[0] for card in theirs) + last
        ranks = [[oracle.RANKS.index(card[0]) + 1 for card in some] for some in (mine, keep)]
        game = play_oracle.start(*(ranks if role == "pone" else ranks[::-1]))
        for rank in position.play.history:
            game, _ = play_oracle.move(game, None if rank is None else rank + 1)
        counts, rank = [], oracle.RANKS.index(own[0]) + 1
        while not play_oracle.is_over(game):
            here = play_oracle.options(game)
            game, gains = play_oracle.move(game, here[0] if here else None)
            counts += [(int(at != (role == "dealer")), gained) for at, gained in enumerate(gains)]
        discarded = keeps.discarded(keep)
        hands = [[*theirs, *filter(None, [card])] for card in cards]
        odds, alike = [1.0] * len(hands), [len({card[1] for card in hand}) == 1 for hand in hands]
        if any(alike) and len(set(keep)) == 4:
            odds = [keeps.suited(keep) if flush else 1.0 for flush in alike]
        for hand, odd in zip(hands, odds, strict=True):
            points = (1, oracle.points(hand, starter)), (0, oracle.points(mine, starter))
            points, weights = points[:: 1 if role == "dealer" else -1], Counter()
            for pair, crib in cribs.items():
                if not {*pair} & {*hand}:
                    weights[crib] += discarded["".join(sorted(card[0] for card in pair))]
            for crib, weight in weights.items():
                often = chance * odd / sum(odds) * weight / weights.total()
                shown = *counts, *points, (int(role == "pone"), crib)
                found += often * ends_of(position.now.seen_by(role), shown, role, table)
    return found


def end_of_play(rng):
    """Play to where one player has a card, and the other one or none, and is at 60 or more."""
    while True:
        cards = [oracle.DECK[at] for at in rng.permutation(52)[:13]]
        if rng.random() < 0.3:  # more flushes
            cards[:4] = [card for card in oracle.rest(cards[4:]) if card[1] == "H"][:4]
        held = {"pone": cards[:6], "dealer": cards[6:12]}
        play = Play()
        while not play.over:
            left = [card for card in map(card_of, held[play.turn][:4]) if card not in play.played]
            if len(left) == 1 and sum(play.left.values()) < 3:
                break
            fits = [card for card in left if play.fits(card)]
            play = play.play(int(rng.choice(fits))) if fits else play.go()
        role = play.turn
        if play.over or not any(play.fits(card) for card in left):
            continue
        hand = Held(*([*map(card_of, some)] for some in (held[role][:4], held[role][4:])))
        score = Score.of(*map(int, rng.integers((60, 60), 121)), role)
        position = Position(role, hand, card_of(cards[12]), play, score)
        if position.winner is None and max(position.now.seen_by(role)) > 95:
            return position


@pytest.mark.parametrize("number", [6, pytest.param(25, marks=pytest.mark.slow)])
def test_play_endings_match_every_opponent_hand(number):
    rng, apart = np.random.default_rng(number), []
    for _ in range(number):
        position = end_of_play(rng)
        advice = advise_play(position, stakes="acc")
        expected = Outcomes(*by_every_card(position, advice)).to_dict()
        apart.append(max(abs(getattr(advice.best, name) - expected[name]) for name in expected))
        assert apart[-1] < (0.0025 if position.opponent_left else 1e-9), position
        assert advise_play(position).best.win == pytest.approx(advice.best.win)
    assert np.sqrt(np.mean(np.square(apart))) < 0.0001


@pytest.mark.slow
def test_stakes_against_people_match_every_hand():
    rng, stakes, others = np.random.default_rng(4), Stakes.read("acc"), []
    for _ in range(4):
        position = end_of_play(rng)
        advice = advise_play(position, opponent="people", stakes="acc")
        expected = Outcomes(*by_every_card(position, advice, "people"))
        assert advice.best.value == pytest.approx(stakes.value(expected), abs=0.002), position
        assert advice.best.win == pytest.approx(expected.win, abs=0.001)
        others.append(advise_play(position, stakes="acc").best.value - advice.best.value)
    assert max(map(abs, others)) > 0.05  # an expert has other cards


def test_record_of_both_hands_supplies_suits():
    pone, dealer = Held.parse("4H5CJDJS/9CKD"), Held.parse("5S6C7CTC/2C2D")
    deal = Deal(pone, dealer, card_of("7H")).with_play("J 5 5 6 4 7 J T")
    *_, (position, _) = deal.decisions("pone")
    assert str(position) == "pone:4H5CJDJS/9CKD:7H:J5S5C6C4Hgogo7C"
    *_, (position, _) = deal.decisions("dealer")  # which jack it was is not known
    assert str(position) == "dealer:5S6C7CTC/2C2D:7H:J5S5C6C4Hgogo7CJ"
