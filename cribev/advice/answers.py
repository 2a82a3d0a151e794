"""The answer to a question: which two cards to discard, or which card to play."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from cribev.advice.discards import Advice, advise_discard
from cribev.advice.names import OpponentLike, as_opponent
from cribev.advice.question import Question, read_card, read_discard
from cribev.errors import CribevError, quote
from cribev.game.cards import CardsLike
from cribev.game.deal import Position
from cribev.game.play import PlayedLike
from cribev.game.roles import Role
from cribev.game.stakes import StakesLike
from cribev.game.words import printable
from cribev.opponents.opponents import Uniform

if TYPE_CHECKING:
    from cribev.advice.cards import PlayAdvice
    from cribev.advice.decisions import Decision


def answer(question: Question | str) -> Advice | PlayAdvice:
    """Return what each choice is worth: an `Advice` of discards, a `PlayAdvice` of cards.

    Takes a `Question`, or its text, as `Question.read` does.

    Raises
    ------
    RecordError
        If no card fits, so that the only answer is go.
    CribevError
        If it is not a question.

    Examples
    --------
    >>> answer("pone:4H5CJDJS/9CKD:7H?opponent=people").best.cards
    (41,)
    >>> answer(5)
    Traceback (most recent call last):
    cribev.errors.CribevError: invalid question '5': expected a Question, or its text, as
    dealer:5H5DJSQC2H8D
    """
    if isinstance(question, str):
        question = Question.read(question)
    if not isinstance(question, Question):
        expected = "expected a Question, or its text, as dealer:5H5DJSQC2H8D"
        raise CribevError(f"invalid question {quote(repr(question))}: {expected}")
    if question.is_discard:
        return advise_discard(question)
    from cribev.advice.cards import advise_card

    return advise_card(question)


def advise(
    deal: CardsLike | Position,
    *,
    role: Role | None = None,
    opponent: OpponentLike | None = None,
    play: bool = True,
    score: tuple[int, int] | str | None = None,
    stakes: StakesLike | None = None,
) -> Advice:
    """Work out what each of the 15 discards of six cards is worth.

    Parameters
    ----------
    deal
        Six cards, as text or card numbers; or a `Position` of six cards or its text, which gives
        role and score. Any card may lack its suit, and x is any ten-card.
    role
        ``"dealer"`` (the crib is yours) or ``"pone"``.
    opponent
        Your opponent: by default ``"expert"``, who discards what is best against you; ``"people"``
        or a level, such as ``"club"``; a JSON file of habits; ``"uniform"``, who discards any two
        cards with equal chance; a CSV file of how often each pair of ranks is discarded
        (``rank1,rank2,dealer_pct,pone_pct``); or an `Opponent`.
    play
        Count what the play brings: between two experts, or your best response to an opponent with
        habits. If False, only hand and crib count, and the expert discards for these alone.
    score
        Your points before the deal and the opponent's, each 0..120, such as ``(95, 110)`` or
        ``"95-110"``. The table is then ranked by a column ``win``, the chance to win the game.
        Heels, the play, pone's hand, the dealer's hand and the crib count in this order, and the
        game goes on from the score they leave (`cribev.win_probability`). The opponent discards
        and plays for points, and the other columns are in points. A win is a ``skunk`` if the
        opponent has fewer than 91 points, and a ``double_skunk`` if fewer than 61; ``lose``,
        ``skunked`` and ``double_skunked`` are the same for your opponent.
    stakes
        What the game is played for: ``"win"``, the default; ``"acc"``, 2 for a win and 3 for a
        skunk, your own; ``"games"``, 1 for a win, 2 for a skunk and 3 for a double skunk, minus
        your opponent's. The table is then ranked by ``value``, their average. Only with a score.

    Returns
    -------
    An `Advice`, in points throughout. If some suits are not known, it averages over all deals
    that the cards can be.

    Raises
    ------
    CardError
        If they are not six different cards.
    TableError
        If the opponent cannot be read.
    CribevError
        If the role, the score or the stakes are invalid; if a score is given without the play; or
        if stakes are given without a score.

    Examples
    --------
    >>> advice = advise("5H 5D JS QC 2H 8D", role="dealer")
    >>> advice.best.discard, round(advice.best.expected, 1)
    ('2H 8D', 17.2)
    >>> at_score = advise("5H 5D JS QC 2H 8D", role="dealer", score=(95, 110))
    >>> at_score.best.discard, round(at_score.best.win, 2)
    ('2H 8D', 0.24)
    >>> best = advise("5H 5D JS QC 2H 8D", role="dealer", play=False).best  # hand and crib alone
    >>> best.discard, round(best.expected, 2)
    ('2H 8D', 16.09)
    >>> advise("dealer:5H5DJSQC2H8D@95-110").best.discard
    '2H 8D'
    >>> advise("5H 5 J Q 2 8", role="pone").best.discard
    '2 8'
    >>> advise("5H 5D JS QC 2H", role="dealer")
    Traceback (most recent call last):
    cribev.errors.CardError: expected 6 cards, got 5 in '5H 5D JS QC 2H'
    """
    return advise_discard(
        read_discard(deal, role=role, opponent=opponent, play=play, score=score, stakes=stakes)
    )


def advise_play(
    hand: CardsLike | Position,
    *,
    role: Role | None = None,
    played: PlayedLike = (),
    discard: CardsLike | None = None,
    starter: CardsLike | int | None = None,
    score: tuple[int, int] | str | None = None,
    opponent: OpponentLike | None = None,
    stakes: StakesLike | None = None,
) -> PlayAdvice:
    """Work out what each card that you can play now is worth.

    The value of a card is what you peg from here to the end of the play, minus what your opponent
    pegs. You then make the best use of all you know, and your opponent follows a strategy. It is
    exact: every hand that the opponent may hold is weighted by how often an expert keeps it, from
    any six unseen cards, times how often the strategy plays with it what was played. No hand is
    ruled out: we assume one error per 4,000 decisions. If one of you has no cards left, the other
    plays the rest in the order that pegs most.

    Parameters
    ----------
    hand
        The four cards you kept, played or not, as text or card numbers. Suits may be left out: they
        do not count in the play. Or a `cribev.Position`, or its text, which gives the next five.
    role
        ``"dealer"`` or ``"pone"``, who leads.
    played
        The cards as they were played, pone's first, in any notation that `cribev.peg` reads, with
        goes; or ranks 0..12, and None for a go. With a score, the suits of your opponent's cards
        count for nobs, flushes and the crib, if you give them.
    discard
        The two cards you discarded.
    starter
        The card cut.
    score
        Your points and your opponent's before the deal, as two numbers or as text, ``"95-110"``.
        The best card is then the one that wins most often. Play and show end when someone has 121,
        and the win table gives the chances after the deal. Unknown suits are averaged over; so are
        an unknown discard, as it goes with what you kept, and the ranks of an unknown starter,
        which takes some seconds.
    opponent
        Your opponent: by default ``"expert"``; ``"people"``, or a level by name, such as ``"club"``
        or ``"greedy"``, or a JSON file of habits, who keep and play by their habits; ``"uniform"``,
        who keeps what an expert keeps, and plays any card that fits; or an `Opponent`. All play for
        points, even with a score.
    stakes
        What the game is played for, as for `cribev.advise`; only with a score.

    Returns
    -------
    A `PlayAdvice`.

    Raises
    ------
    CardError
        If the cards are invalid.
    RecordError
        If the play is impossible, or you have no card to play now.
    CribevError
        If the role or the opponent is unknown.

    Examples
    --------
    >>> advice = advise_play("4H 5C JD JS", role="pone", discard="9C KD", starter="7H")
    >>> advice.best.card, advice
    ('J', advise_play('pone:4H5CJDJS/9CKD:7H'))
    """
    from cribev.advice.cards import advise_card

    question = read_card(
        hand, role=role, played=played, discard=discard, starter=starter, score=score,
        opponent=opponent, stakes=stakes,
    )  # fmt: skip
    return advise_card(question)


def right_against_others(decision: Decision) -> str:
    """Say if a choice that was wrong against an opponent is right against people, or an expert."""
    asked = decision.judged.question
    if isinstance(asked.opponent.discards, Uniform):
        return ""
    by_expert = asked.opponent.is_expert
    other = as_opponent("people" if by_expert else "expert")
    if not _is_best(replace(asked, opponent=other), decision.option.cards):
        return ""
    if by_expert:
        return "That is against an expert: against people you chose right."
    return f"That is against {printable(asked.opponent.name)}: against an expert it is right."


@lru_cache(256)  # a page and its file say the same
def _is_best(question: Question, cards: tuple[int, ...]) -> bool:
    options = answer(question).options
    return bool(options.rank[options.index(cards)] == 1)
