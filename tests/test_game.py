"""A game to 121, by the rules."""

import random
from collections import Counter
from functools import reduce
from itertools import combinations
from operator import and_, or_

import pytest
from games import deal_by_players, deals_by_players, names
from hypothesis import given, settings
from hypothesis import strategies as st
from referee import Referee

from cribev.app.games.game import (
    Game,
    Move,
    MoveError,
    TurnError,
    choice_seed,
    draw_cards,
    draw_seed,
)
from cribev.errors import CribevError
from cribev.game.cards import format_cards
from cribev.game.deal import Position

SEEDS = st.integers(0, 10**6)


def moves_of(game):
    """All moves but hints and giving up."""
    if game.phase == "discard":
        return [
            Move("discard", player, cards)
            for player in (0, 1)
            if game.to_do(player) == "discard"
            for cards in combinations(deal_by_players(game).hands[player], 2)
        ]
    if game.phase == "play":
        return [Move("play", game.turn, (card,)) for card in game.legal(game.turn)]
    return [Move("next", player) for player in (0, 1)] if game.phase == "next" else []


def tell(referee, game, move):
    """Tell the referee of a move that was made."""
    if move.kind == "discard":
        referee.discard(move.player, names(move.cards))
        if game.deal.starter is not None:
            referee.cut(*names([game.deal.starter]))
    elif move.kind == "play":
        referee.play(move.player, *names(move.cards))
    else:
        referee.deal(game.dealer, [names(hand) for hand in deal_by_players(game).hands])


def played(seed, *, dealer=None, most=10**6, chooser=None):
    """Play at random, or as is chosen, so many moves."""
    game, rng = Game(seed, dealer=dealer), random.Random(seed)
    while (moves := moves_of(game)) and len(game.moves) < most:
        game.make((chooser or rng.choice)(moves))
    return game


@settings(max_examples=5, deadline=None)
@given(SEEDS, st.sampled_from([None, 0, 1]))
def test_referee_agrees_and_views_parse(seed, dealer):
    game, referee, rng = Game(seed, dealer=dealer), Referee(), random.Random(seed)
    referee.deal(game.dealer, [names(hand) for hand in deal_by_players(game).hands])
    while moves := moves_of(game):
        if game.phase == "play":
            player, known = game.turn, game.position(game.turn)
            assert player == referee.turn
            assert known.legal == game.legal(player)
            assert set(names(known.legal)) == set(referee.legal)
            assert known.play.count == referee.count
            read = Position.read(
                list(known.held.kept), role=game.role(player), played=str(known.play),
                discard=list(known.held.discard), starter=known.starter, score=game.deal.score,
            )  # fmt: skip
            assert known == read == Position.parse(str(known))
            assert known.now.seen_by(game.role(0)) == game.score
            for card in {*known.left} - {*known.legal}:
                with pytest.raises(MoveError, match="does not fit a count of"):
                    game.play(player, card)
        move = rng.choice(moves)
        game.make(move)
        tell(referee, game, move)
        assert list(game.score) == referee.score
        assert game.winner == referee.winner
    assert referee.winner is not None
    assert max(game.score) == 121 > min(game.score)


def test_a_seed_deals_the_same_whatever_is_done():
    one, other_end = (deals_by_players(played(5, dealer=dealer)) for dealer in (0, 1))
    another = deals_by_players(played(5, dealer=0, chooser=lambda moves: moves[0]))
    for first, second, third in zip(one, another, other_end, strict=False):
        assert (first.hands, first.cut, first.dealer) == (second.hands, second.cut, second.dealer)
        assert (first.hands, first.cut) == (third.hands[::-1], third.cut)
    assert one[0].hands != one[1].hands
    assert [deal.dealer for deal in one[:3]] == [0, 1, 0]
    # Friends compare what a seed deals, over versions.
    first, second = deals_by_players(played(7, dealer=0, most=17))[:2]
    assert format_cards(first.hands) == ["3H 5C 6S 8H 8S KC", "3C 4D 6D 7C 7H 9H"]
    assert format_cards(second.hands) == ["AC 2C 2D 4C TC KC", "5S 7H 7S 8H 8S JD"]
    assert format_cards([first.cut, second.cut]) == "7D 8D"


def test_drawn_game_has_128_random_bits():
    seeds = [draw_seed() for _ in range(100)]
    both = reduce(or_, seeds) & ~reduce(and_, seeds)  # bits that are 0 in some and 1 in others
    assert both.bit_count() == 128
    # Every bit counts: no half of the seed can be found by itself, nor by what else it decides.
    seed = seeds[0]
    others = [seed ^ 1 << bit for bit in range(128)]
    assert len({draw_cards(one, 1) for one in (seed, *others)}) == 129
    assert len({choice_seed(one, 0) for one in (seed, *others)}) == 129
    assert draw_cards(seed, 1) == draw_cards(seed, 1) != draw_cards(seed, 2)
    assert str(seed) not in repr(Game(seed))
    deals = 4000
    drawn = [draw_cards(seed, number) for number in range(deals)]
    for place in range(13):
        count = Counter(cards[place] for cards in drawn)
        # Chi-square of 51 degrees of freedom: beyond 130 once in a hundred million.
        assert sum((count[card] - deals / 52) ** 2 for card in range(52)) * 52 / deals < 130


def test_the_lower_cut_deals():
    for seed in range(60):
        game = Game(seed)
        cuts = [event for event in game.events if event.kind == "cut"]
        assert [event.player for event in cuts] == [0, 1] * (len(cuts) // 2)
        ranks = [event.cards[0] >> 2 for event in cuts]
        assert all(a == b for a, b in zip(ranks[:-2:2], ranks[1:-2:2], strict=True))
        assert game.dealer == (0 if ranks[-2] < ranks[-1] else 1)


@settings(max_examples=6, deadline=None)
@given(SEEDS, st.integers(0, 200), st.sampled_from([0, 1]))
def test_replay_and_copy(seed, most, dealer):
    game = played(seed, dealer=dealer, most=most)
    texts = [str(move) for move in game.moves]
    again = Game.replay(seed, map(Move.parse, texts), dealer=dealer)
    copied = game.copy()
    for player in (0, 1):
        for state in (again, copied):
            assert state.position(player) == game.position(player)
    assert (again.events, again.deals, repr(again)) == (game.events, game.deals, repr(game))
    if game.phase != "over":
        before = repr(game), game.position(0), [*game.events]
        copied.make(moves_of(copied)[0])
        assert (repr(game), game.position(0), game.events) == before
        assert copied.moves != game.moves


@settings(max_examples=2, deadline=None)
@given(SEEDS)
def test_nothing_hidden_is_in_a_view(seed):
    game, rng = Game(seed), random.Random(seed)
    while True:
        for player in (0, 1):
            deal = deal_by_players(game)
            now = [event for event in game.events if event.deal == deal.number]
            assert not any(event.cards for event in now if event.kind in ("deal", "discard"))
            told = {card for event in now for card in event.cards}
            seen = {*deal.played, deal.starter}.union(*(event.cards for event in game.shown))
            hidden = {*deal.hands[1 - player], deal.cut} - seen
            position = game.position(player)
            given = {*position.held.dealt, *position.left, *position.legal, position.starter}
            assert not told & hidden
            # Nor in what a player is given.
            assert not hidden & {*given, *position.play.played, *position.play.on_table}
        if not (moves := moves_of(game)):
            break
        game.make(rng.choice(moves))


def test_moves_against_the_rules():
    game = Game(7, dealer=0)
    for wrong, error, text in (
        (lambda: game.play(0, "3H"), TurnError, "no card to play: the discards come first"),
        (lambda: game.next_deal(0), TurnError, "no next deal yet: the discards come first"),
        (lambda: game.discard(0, "3H"), MoveError, "expected 2 cards"),
        (lambda: game.discard(0, "3H 1X"), MoveError, "invalid card '1X'"),
        (lambda: game.discard(0, None), MoveError, "None"),
        (lambda: game.discard(2, "3H KC"), MoveError, "invalid player 2|invalid player '2'"),
        (lambda: game.discard(0, "3H 4D"), MoveError, "4D is not among your cards"),
    ):
        with pytest.raises(error, match=text):
            wrong()
    assert not game.moves
    game.discard(0, "3H KC")
    with pytest.raises(TurnError, match="you have discarded 3H KC"):
        game.discard(0, "5C 6S")
    game.discard(1, "3C 9H")
    with pytest.raises(TurnError, match="the play goes on"):
        game.discard(1, "3C 9H")
    with pytest.raises(TurnError, match="it is not your turn"):
        game.play(0, "5C")
    with pytest.raises(MoveError, match="3C is not among your cards"):
        game.play(1, "3C")
    game.resign(1)
    assert (game.winner, game.resigned, game.phase) == (0, True, "over")
    for wrong in (lambda: game.play(1, "7C"), lambda: game.resign(0), lambda: game.next_deal(0)):
        with pytest.raises(TurnError, match="the game is over"):
            wrong()


def test_bad_seeds_and_bad_moves_in_a_file():
    for seed in (-1, 1.5, None, "7", True, 2**129):
        said = r"invalid seed .*: expected a whole number from 0 up"
        with pytest.raises(CribevError, match=said):
            Game(seed)
    for text in ("", "0", "2 play 5H", "0 fly 5H", "0 play 1X", "x"):
        with pytest.raises(CribevError):
            Move.parse(text)


def test_events_add_up():
    game = played(78)  # it is won by a card, and nobody says go after it
    score = [0, 0]
    for event in game.events:
        if event.scorer is not None:
            score[event.scorer] = min(121, score[event.scorer] + event.points)
        assert event.score == tuple(score)
        if event.kind == "play":
            assert sum(points for _, points in event.pegs) == event.points
    assert game.events[-1].kind == "win"
    assert str(game.deal.play).endswith(" AD")
    kinds = [event.kind for event in game.events if event.deal == 1]
    assert kinds.count("play") == 8
    assert kinds[-3:] == ["hand", "hand", "crib"]
