"""One game to 121, by the rules: its state, what may be done, and what follows by itself.

From the rules of the American Cribbage Congress (https://www.cribbage.org/rules): the lower cut
deals first, the deal alternates, pone cuts and the dealer scores two for a jack, pone's hand is
counted before the dealer's and the crib last. Whoever has 121 has won, at once.

The cards are those of the seed alone, whatever is thrown and laid: as in duplicate bridge, everyone
who plays a seed is dealt the same, and so is everyone at the other end of it.
"""

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from cribev.errors import CribevError, MoveError, TurnError, quote
from cribev.game.cards import JACK, PIP_VALUES, CardsLike, as_cards, format_cards
from cribev.game.play import LIMIT
from cribev.game.play_notation import PlayStep
from cribev.game.play_rules import PlayState
from cribev.game.roles import ROLES
from cribev.game.score import HEELS, WINNING_SCORE
from cribev.game.show import explain
from cribev.games.events import EventKind, GameEvent
from cribev.games.moves import Move
from cribev.games.played_deal import PlayedDeal, draw_cards
from cribev.games.view import GameView, LaidCard, ShownHand, ToDo

Phase: TypeAlias = Literal["discard", "play", "next", "over"]
"""What a game waits for: the discards; a card; that the show is seen; or nothing, it is over."""


class Game:
    """A game between players 0 and 1.

    Parameters
    ----------
    seed
        Deals the cards, and cuts for the deal: a whole number from 0 up.
    dealer
        Who deals first, 0 or 1; if None, whoever cuts the lower card. The seed with another dealer
        is the other end of it: each gets the cards the other had.
    play_out
        Whether the deal in which somebody wins is played and counted to its end, so that points a
        deal compare; the score stays as it was when the game was won.

    Attributes
    ----------
    score
        The points of both players, at most 121.
    phase
        What the game waits for.
    moves
        All that was done, in turn; `replay` does it again.
    events
        All that happened, in turn, with its points.
    deals
        The cards of every deal so far. This is what nobody but the rules sees: a player is given
        `view`.
    winner
        Who has won; None while the game goes on.

    Raises
    ------
    CribevError
        If the seed is no whole number from 0 up, or the dealer no player.

    Examples
    --------
    >>> game = Game(7, dealer=0)
    >>> game.discard(0, "3H KC")
    >>> game.discard(1, "3C 9H")
    >>> game
    <Game 7: deal 1, score 0-0, 1 to play>
    >>> [str(move) for move in game.moves]
    ['0 discard 3H KC', '1 discard 3C 9H']
    """

    def __init__(self, seed: int, *, dealer: int | None = None, play_out: bool = False) -> None:
        if dealer not in (None, 0, 1):
            raise CribevError(f"{quote(repr(dealer))} is no dealer: expected 0 or 1")
        cut = draw_cards(seed, 0)
        self.seed, self.play_out = seed, play_out
        self.score = (0, 0)
        self.phase: Phase = "discard"
        self.moves: list[Move] = []
        self.events: list[GameEvent] = []
        self.deals: list[PlayedDeal] = []
        self.winner: int | None = None
        self.resigned = False
        self._play = PlayState()
        self._deal(self._cut_for_deal(cut) if dealer is None else dealer)

    @classmethod
    def replay(cls, seed: int, moves: Iterable[Move], *, dealer: int | None = None) -> "Game":
        """Play a game again; `MoveError` if one of the moves is against the rules.

        >>> Game.replay(7, [Move("resign", 1)], dealer=0).winner
        0
        """
        game = cls(seed, dealer=dealer)
        for move in moves:
            game.make(move)
        return game

    @property
    def deal(self) -> PlayedDeal:
        """The deal that is played."""
        return self.deals[-1]

    @property
    def turn(self) -> int | None:
        """Who is to lay a card; None if nobody is."""
        return self.deal.player(self._play.turn) if self.phase == "play" else None

    def legal(self, player: int) -> tuple[int, ...]:
        """Return the cards that a player can lay now, ascending.

        >>> Game(7, dealer=0).legal(0)
        ()
        """
        if self.turn != player:
            return ()
        return tuple(
            card
            for card in self.deal.left(player)
            if self._play.count + PIP_VALUES[card >> 2] <= LIMIT
        )

    def to_do(self, player: int) -> ToDo:
        """Return what a player is to do."""
        if self.phase == "discard":
            return "wait" if self.deal.discards[player] else "discard"
        if self.phase == "play":
            return "play" if self.turn == player else "wait"
        return self.phase

    def can_discard(self, player: int, cards: CardsLike) -> bool:
        """Tell whether a player may throw these two cards now."""
        return _is_possible(self.verify_discard, player, cards)

    def can_lay(self, player: int, card: CardsLike | int) -> bool:
        """Tell whether a player may lay this card now."""
        return _is_possible(self.verify_lay, player, card)

    def verify_discard(self, player: int, cards: CardsLike) -> tuple[int, ...]:
        """Return two cards, ascending, if the player may throw them now.

        Raises `TurnError` if there is nothing to throw, `MoveError` if they are not two of the six.

        >>> Game(7, dealer=0).verify_discard(0, "3H 9H")
        Traceback (most recent call last):
        cribev.errors.MoveError: 9H is not among your cards: 3H 5C 6S 8H 8S KC
        """
        self._verify_player(player)
        if self.phase != "discard":
            raise TurnError(f"there is nothing to throw: {self._waits_for()}")
        if self.deal.discards[player]:
            raise TurnError(f"you have thrown {format_cards(self.deal.discards[player])}")
        return _among(cards, self.deal.hands[player], 2)

    def discard(self, player: int, cards: CardsLike) -> None:
        """Throw two cards to the crib, as text or card numbers; the second to throw cuts.

        Raises what `verify_discard` does.
        """
        thrown = self.verify_discard(player, cards)
        deal = self.deal
        both = (thrown, deal.discards[1]) if player == 0 else (deal.discards[0], thrown)
        self._change(discards=both)
        self.moves.append(Move("discard", player, thrown))
        self._tell("discard", player)
        if all(both):
            self._start_play()

    def verify_lay(self, player: int, card: CardsLike | int) -> int:
        """Return a card if the player may lay it now.

        Raises `TurnError` if it is not the player's turn, `MoveError` if the card is not in hand
        or does not fit.

        >>> game = Game(7, dealer=0)
        >>> game.discard(0, "3H KC")
        >>> game.discard(1, "3C 9H")
        >>> game.verify_lay(0, "8H")
        Traceback (most recent call last):
        cribev.errors.TurnError: it is not your turn: the opponent is to lay a card
        >>> game.verify_lay(1, "9H")
        Traceback (most recent call last):
        cribev.errors.MoveError: 9H is not among your cards: 4D 6D 7C 7H
        """
        self._verify_player(player)
        if self.phase != "play":
            raise TurnError(f"there is no card to lay: {self._waits_for()}")
        if self.turn != player:
            raise TurnError("it is not your turn: the opponent is to lay a card")
        given: CardsLike = [card] if isinstance(card, int) else card
        (chosen,) = _among(given, self.deal.left(player), 1)
        if chosen not in self.legal(player):
            fits = format_cards(self.legal(player))
            raise MoveError(
                f"{format_cards([chosen])} does not fit a count of {self._play.count}: "
                f"expected one of {fits}"
            )
        return chosen

    def lay(self, player: int, card: CardsLike | int) -> None:
        """Lay a card, as text or its number; goes are said, and the show is counted, by themselves.

        Raises what `verify_lay` does.
        """
        chosen = self.verify_lay(player, card)
        self.moves.append(Move("lay", player, (chosen,)))
        who, count = self._play.turn, self._play.count + PIP_VALUES[chosen >> 2]
        pegs = self._play.lay(chosen >> 2)
        step = PlayStep(who, chosen >> 2, count, tuple(pegs))
        self._take_step(step, chosen)
        while self.phase == "play" and not self._play.over and not self._play.can_lay():
            who, count = self._play.turn, self._play.count
            self._take_step(PlayStep(who, None, count, tuple(self._play.go())), None)
        if self.phase == "play" and self._play.over:
            self._show()

    def verify_next(self, player: int) -> None:
        """Raise `TurnError` unless the show is to be seen, after which the next deal comes."""
        self._verify_player(player)
        if self.phase != "next":
            raise TurnError(f"there is no next deal yet: {self._waits_for()}")

    def next_deal(self, player: int) -> None:
        """Go on to the next deal; `TurnError` if this one is not over, or the game is."""
        self.verify_next(player)
        self.moves.append(Move("next", player))
        self._deal(1 - self.deal.dealer)

    def resign(self, player: int) -> None:
        """Give the game up; `TurnError` if it is won already."""
        self._verify_player(player)
        if self.winner is not None:  # its last deal may still be played out
            raise TurnError("the game is over")
        self.moves.append(Move("resign", player))
        self.resigned = True
        self._tell("resign", player)
        self._win(1 - player)

    def hint(self, player: int) -> None:
        """Note that a player asks what to do; `TurnError` if there is nothing to decide."""
        self._verify_player(player)
        if self.to_do(player) not in ("discard", "play"):
            raise TurnError(f"there is nothing to decide: {self._waits_for()}")
        cards_laid = sum(one.card is not None for one in self.deal.laid)
        place = player, -1 if self.phase == "discard" else cards_laid
        if place not in self.deal.hints:
            self.moves.append(Move("hint", player))
            self._change(hints=(*self.deal.hints, place))

    def make(self, move: Move) -> None:
        """Do what a move says; `MoveError` if it is against the rules."""
        kind, player, cards = move
        if kind == "discard":
            self.discard(player, cards)
        elif kind == "lay":
            self.lay(player, cards)
        elif kind == "next":
            self.next_deal(player)
        elif kind == "resign":
            self.resign(player)
        else:
            self.hint(player)

    def view(self, player: int) -> GameView:
        """Return what a player sees."""
        self._verify_player(player)
        deal, other = self.deal, 1 - player
        on_table = [one.card for one in deal.laid if one.card is not None]
        return GameView(
            player=player,
            to_do=self.to_do(player),
            number=deal.number,
            role=deal.role(player),
            score=(self.score[player], self.score[other]),
            score_before=(deal.score[player], deal.score[other]),
            dealt=deal.hands[player],
            discard=deal.discards[player],
            hand=deal.left(player),
            legal=self.legal(player),
            starter=deal.starter,
            crib=sum(map(len, deal.discards)),
            opponent_left=len(deal.left(other)),
            count=self._play.count,
            on_table=tuple(on_table[len(on_table) - len(self._play.laid) :]),
            laid=tuple(replace(one, own=one.own == (player == 0)) for one in deal.laid),
            steps=deal.steps,
            shown=tuple(
                ShownHand(event.player == player, event.kind == "crib", event.show)
                for event in deal.shown
                if event.show is not None
            ),
            events=tuple(self.events),
            won=None if self.winner is None else self.winner == player,
            resigned=self.resigned,
        )

    def copy(self) -> "Game":
        """Return a copy that goes on by itself.

        >>> game = Game(7)
        >>> game.copy().resign(0)
        >>> game.phase
        'discard'
        """
        copied = copy(self)
        copied.moves, copied.events = [*self.moves], [*self.events]
        copied.deals, copied._play = [*self.deals], self._play.copy()
        return copied

    def __repr__(self) -> str:
        does = {"discard": "to discard", "next": "show", "over": f"{self.winner} has won"}
        doing = does.get(self.phase, f"{self.turn} to play")
        score = f"{self.score[0]}-{self.score[1]}"
        return f"<Game {self.seed}: deal {self.deal.number}, score {score}, {doing}>"

    def _verify_player(self, player: int) -> None:
        if player not in (0, 1):
            raise MoveError(f"{quote(repr(player))} is no player: expected 0 or 1")

    def _waits_for(self) -> str:
        return {
            "discard": "the discards come first",
            "play": "the play goes on",
            "next": "the deal is over, and the next one comes",
            "over": "the game is over",
        }[self.phase]

    def _change(self, **fields: Any) -> None:
        """Change the deal that is played; deals are replaced, so that copies may share them."""
        self.deals[-1] = replace(self.deals[-1], **fields)

    def _tell(self, kind: EventKind, player: int, **fields: Any) -> GameEvent:
        event = GameEvent(kind, len(self.deals), player, score=self.score, **fields)
        self.events.append(event)
        return event

    def _cut_for_deal(self, cards: tuple[int, ...]) -> int:
        """Cut until two ranks differ, and return who has the lower; six ties go by suit."""
        pairs = list(zip(cards[::2], cards[1::2], strict=False))
        for pair in pairs:
            for player, card in enumerate(pair):
                self._tell("cut", player, cards=(card,))
            if pair[0] >> 2 != pair[1] >> 2:
                break
        return int(pair[1] < pair[0])

    def _deal(self, dealer: int) -> None:
        number = len(self.deals) + 1
        cards = draw_cards(self.seed, number)
        hands = [tuple(sorted(cards[start : start + 6])) for start in (0, 6)]
        first, second = hands if dealer == 0 else hands[::-1]
        deal = PlayedDeal(number, dealer, self.score, (first, second), cards[12])
        self.deals.append(deal)
        self._play = PlayState()
        self.phase = "discard"
        self._tell("deal", dealer)

    def _start_play(self) -> None:
        deal = self.deal
        kept = {role: [card >> 2 for card in deal.kept(deal.player(role))] for role in ROLES}
        self._play = PlayState(kept)
        self.phase = "play"
        heels = HEELS if deal.cut >> 2 == JACK else 0
        self._score("starter", 1 - deal.dealer, heels, deal.dealer, cards=(deal.cut,))

    def _take_step(self, step: PlayStep, card: int | None) -> None:
        """Note a card laid or a go, and score it."""
        deal = self.deal
        player, points = deal.player(step.role), sum(peg.points for peg in step.pegs)
        scorer = deal.player(step.pegs[0].role) if step.pegs else player
        self._change(
            steps=(*deal.steps, step),
            laid=(*deal.laid, LaidCard(player == 0, card, step.count, points)),
        )
        self._score(
            "go" if card is None else "lay",
            player,
            points,
            scorer,
            cards=() if card is None else (card,),
            count=step.count,
            pegs=tuple((peg.kind, peg.points) for peg in step.pegs),
        )

    def _show(self) -> None:
        """Count pone's hand, the dealer's, and the crib, until somebody has won."""
        deal = self.deal
        crib = tuple(sorted(deal.discards[0] + deal.discards[1]))
        counted: list[tuple[EventKind, int, tuple[int, ...]]] = [
            ("hand", 1 - deal.dealer, deal.kept(1 - deal.dealer)),
            ("hand", deal.dealer, deal.kept(deal.dealer)),
            ("crib", deal.dealer, crib),
        ]
        self.phase = "next"
        for kind, player, cards in counted:
            show = explain(list(cards), deal.cut, crib=kind == "crib")
            event = self._score(kind, player, show.total, player, cards=cards, show=show)
            self._change(shown=(*self.deal.shown, event))
            if self.winner is not None and not self.play_out:
                return
        if self.winner is not None:
            self.phase = "over"

    def _score(
        self, kind: EventKind, player: int, points: int, scorer: int, **fields: Any
    ) -> GameEvent:
        """Tell what happens, with its points; whoever has 121 by it has won."""
        won = self.winner is not None
        score = [*self.score]
        if not won:
            score[scorer] = min(WINNING_SCORE, score[scorer] + points)
        self.score = (score[0], score[1])
        if points:
            fields |= {"points": points, "scorer": scorer}
        event = self._tell(kind, player, **fields)
        if not won and score[scorer] == WINNING_SCORE:
            self._win(scorer)
        return event

    def _win(self, player: int) -> None:
        self.winner = player
        if self.resigned or not self.play_out:
            self.phase = "over"
        self._tell("win", player)


def _among(cards: CardsLike, held: tuple[int, ...], number: int) -> tuple[int, ...]:
    """Return so many cards, ascending, if they are held."""
    try:
        chosen = sorted(as_cards(cards, count=number).tolist())
    except CribevError as error:
        raise MoveError(str(error)) from error
    for card in chosen:
        if card not in held:
            raise MoveError(f"{format_cards([card])} is not among your cards: {format_cards(held)}")
    return tuple(chosen)


def _is_possible(verify: Callable[..., object], *arguments: object) -> bool:
    try:
        verify(*arguments)
    except MoveError:
        return False
    return True
