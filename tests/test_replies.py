"""What the opponent may hold, and what can follow a card, against every hand on the table."""

from collections import defaultdict

import best_reply_oracle as oracle
import numpy as np
import play_oracle
import pytest
from test_best_reply import play_into, players, tables_of

from cribev import advise_play
from cribev.game.cards import RANKS

KNOWN = {"discard": "9C KD", "starter": "7H"}


def position_at_random(seed):
    """A position with one to four cards left, and who plays against it."""
    rng = np.random.default_rng(seed)
    while True:
        deck, role = rng.permutation(52), ("pone", "dealer")[rng.integers(2)]
        history = play_into(deck, role, rng.integers(12, size=24), 1 + seed % 4)
        if history is not None:
            own = deck[:4] if role == "pone" else deck[4:8]
            known = {"discard": deck[8:10], "starter": int(deck[10])}
            return own, {"role": role, "laid": history, **known}, players()[seed // 4 % 4]


def kinds_of(laid):
    """What the last card of a count pegs for, written from the rules."""
    total, kinds = sum(map(play_oracle.pips, laid)), set()
    kinds |= {"fifteen"} if total == 15 else {"thirty-one"} if total == 31 else set()
    if len(laid) > 1 and laid[-1] == laid[-2]:
        kinds.add("pair")
    for many in range(3, len(laid) + 1):
        low = min(laid[-many:])
        if sorted(laid[-many:]) == list(range(low, low + many)):
            kinds.add("run")
    return kinds


@pytest.mark.parametrize("seed", range(12))
def test_what_follows_is_what_follows_on_every_table(seed):
    own, known, strategy = position_at_random(seed)
    advice, role = advise_play(own, opponent=strategy, **known), known["role"]
    if not advice.belief.explained:
        return
    tables, moves, chances = tables_of(advice.position, strategy)
    me = 0 if role == "pone" else 1
    found = {one.card: one for one in advice.explain().replies}
    assert list(found) == advice.table["card"].tolist()
    for card, one in found.items():
        rank = RANKS.index(card) + 1
        after = {held: (w, play_oracle.move(table, rank)[0]) for held, (w, table) in tables.items()}
        history = (*moves, rank)
        (_, first), *_ = after.values()
        if play_oracle.is_over(first) or first[1] == me:
            assert one.replies == ()
            assert one.then == best_card(after, history, me, chances)
            continue
        replies = defaultdict(dict)
        for held, (weight, table) in after.items():
            options = play_oracle.options(table) or [None]
            if not table[0][me]:
                often = laid_alone(table, options, me)
            else:
                often = chances(history, table[0][1 - me], options) if len(options) > 1 else [1]
            for reply, share in zip(options, often, strict=True):
                if share:
                    replies[reply][held] = weight * share, table
        cards = {"go" if reply is None else RANKS[reply - 1] for reply in replies}
        assert {reply.card for reply in one.replies} == cards
        for reply in one.replies:
            theirs = None if reply.card == "go" else RANKS.index(reply.card) + 1
            some = replies[theirs]
            assert reply.chance == pytest.approx(sum(w for w, _ in some.values()), abs=1e-9)
            moved = {h: (w, *play_oracle.move(table, theirs)) for h, (w, table) in some.items()}
            (_, _, gains), *_ = moved.values()
            assert reply.points == gains[1 - me]
            if theirs is not None:
                (_, table), *_ = some.values()
                assert {*reply.kinds} - {"last"} == kinds_of([*table[2], theirs])
            then = {held: (w, table) for held, (w, table, _) in moved.items()}
            assert reply.answer == best_card(then, (*history, theirs), me, chances)
        assert sum(reply.chance for reply in one.replies) == pytest.approx(1)
        same = sum(w for w, _ in replies.get(rank, {}).values())
        assert one.chance("pair") == pytest.approx(same * (len(first[2]) > 0))


def best_card(tables, history, me, chances):
    """The card that is worth most to me; go if none fits, None if I have none."""
    (_, table), *_ = tables.values()
    if not table[0][me]:
        return None
    options = play_oracle.options(table) if table[1] == me else []
    if not options:
        return "go"
    if not table[0][1 - me]:
        return RANKS[first_alone(table, options, me) - 1]
    worth = {r: np.subtract(*oracle.after_move(tables, history, me, r, chances)) for r in options}
    return RANKS[max(options, key=lambda rank: (round(worth[rank], 9), -rank)) - 1]


def laid_alone(table, options, me):
    best = None if options == [None] else first_alone(table, options, 1 - me)
    return [float(rank == best) for rank in options]


def first_alone(table, options, player):
    """The first card of the order that pegs most for who has cards left, the lowest of equals."""

    def most(table, rank):
        after, gains = play_oracle.move(table, rank)
        return gains[player] + oracle.most_alone(after, player, player)[0]

    return max(options, key=lambda rank: (most(table, rank), -rank))


def test_what_the_opponent_may_hold_before_and_now_and_that_nobody_answers_after_a_go():
    why = advise_play("4H 5C JD JS", role="pone", laid="J 5", **KNOWN).explain()
    lead = advise_play("4H 5C JD JS", role="pone", **KNOWN)
    assert (why.last, why.before.left, why.range.left) == ("5", 4, 3)
    # Before the five was laid, the dealer might hold what may be held before the lead.
    assert why.before.ranks["chance"].tolist() == pytest.approx(lead.range.ranks["chance"].tolist())
    assert lead.explain().before is None
    text = str(why)
    assert "before the 5" in text
    assert "on your 5" in text
    assert why.to_dict()["replies"][0]["card"] == why.replies[0].card
    assert "<pre" in why._repr_html_()
    why = advise_play("A A J J", role="pone", laid="J 9 J go", discard="8 Q").explain()
    assert (why.last, why.range.left) == ("go", 3)
    assert [(one.replies, one.then) for one in why.replies] == [((), "A")]
    assert "After the A your opponent cannot answer, and you lay the A." in str(why)
    why = advise_play("A 2 J J", role="pone", laid="J 9 J go", discard="8 Q").explain()
    assert "After the A your opponent cannot answer, and you say go." in str(why)
    assert "on your 2" in str(why)
    advice = advise_play("4H 5C JD JS", role="pone", laid="J 6 J 2 go 3 4 T", **KNOWN)
    assert (advice.best.own, advice.best.opponent) == (1, 0)  # the last card
    assert "No card is laid after the 5." in str(advice.explain())
