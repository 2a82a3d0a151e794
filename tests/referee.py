"""A referee in plain Python: told every move of a game as text, it counts along by the rules.

It shares nothing with the package; it learns cards only when they are discarded, played or shown.
"""

import oracle
import play_oracle

RANKS = "A23456789TJQK"


def rank(card):
    return RANKS.index(card[0]) + 1


class Referee:
    """Follows a game of players 0 and 1; ``score`` is what it should be now."""

    def __init__(self):
        self.score = [0, 0]
        self.winner = None

    def gain(self, player, points):
        if self.winner is None:
            self.score[player] += points
            if self.score[player] >= 121:
                self.score[player] = 121
                self.winner = player

    def deal(self, dealer, hands):
        cards = [card for hand in hands for card in hand]
        assert len(set(cards)) == 12
        assert set(cards) <= set(oracle.DECK)
        self.dealer, self.hands = dealer, [list(hand) for hand in hands]
        self.crib, self.discarded = [], [False, False]

    def discard(self, player, cards):
        assert self.winner is None
        assert not self.discarded[player]
        assert len(set(cards)) == 2
        for card in cards:
            self.hands[player].remove(card)
        self.crib += cards
        self.discarded[player] = True

    def cut(self, starter):
        assert all(self.discarded)
        assert starter not in [*self.crib, *self.hands[0], *self.hands[1]]
        self.starter = starter
        pone = [rank(card) for card in self.hands[1 - self.dealer]]
        dealer = [rank(card) for card in self.hands[self.dealer]]
        self.table = play_oracle.start(pone, dealer)
        self.left = [list(hand) for hand in self.hands]
        if starter[0] == "J":
            self.gain(self.dealer, 2)

    @property
    def turn(self):
        """Who is to play a card."""
        return 1 - self.dealer if self.table[1] == 0 else self.dealer

    @property
    def count(self):
        return sum(map(play_oracle.pips, self.table[2]))

    @property
    def legal(self):
        if self.winner is not None or play_oracle.is_over(self.table):
            return []
        fits = play_oracle.options(self.table)
        return [card for card in self.left[self.turn] if rank(card) in fits]

    def play(self, player, card):
        assert self.winner is None
        assert player == self.turn
        assert card in self.legal
        self.left[player].remove(card)
        self.move(rank(card))
        while self.winner is None and not (
            play_oracle.is_over(self.table) or play_oracle.options(self.table)
        ):
            self.move(None)
        if play_oracle.is_over(self.table):
            pone = 1 - self.dealer
            self.gain(pone, oracle.points(self.hands[pone], self.starter))
            self.gain(self.dealer, oracle.points(self.hands[self.dealer], self.starter))
            self.gain(self.dealer, oracle.points(self.crib, self.starter, crib=True))

    def move(self, played):
        self.table, (pone, dealer) = play_oracle.move(self.table, played)
        self.gain(1 - self.dealer, pone)
        self.gain(self.dealer, dealer)
