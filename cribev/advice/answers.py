"""The answer to a question: which two cards to discard, or which card to play."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from cribev.advice.cards import PlayAdvice, advise_card
from cribev.advice.decisions import Decision
from cribev.advice.discards import Advice, advise_discard
from cribev.advice.multiplayer import MultiplayerQuestion, discard_questions
from cribev.advice.names import OpponentLike, PlayerLike, as_opponent
from cribev.advice.question import Question, read_card
from cribev.game.cards import CardsLike
from cribev.game.deal import Position
from cribev.game.play import LaidLike
from cribev.game.roles import Role, as_role
from cribev.game.stakes import StakesLike
from cribev.game.words import printable
from cribev.opponents.opponents import Uniform


def answer(question: Question | MultiplayerQuestion) -> Advice | PlayAdvice:
    """Return what each choice is worth: an `Advice` of discards, a `PlayAdvice` of cards.

    Raises
    ------
    RecordError
        If no card fits, so that the only answer is go.

    Examples
    --------
    >>> answer(Question.read("pone:4H5CJDJS/9CKD:7H?opponent=people")).best.cards
    (41,)
    """
    if isinstance(question, MultiplayerQuestion) or question.is_discard:
        return advise_discard(question)
    return advise_card(question)


def advise(
    deal: CardsLike | Position,
    *,
    role: Role | None = None,
    opponent: OpponentLike | None = None,
    play: bool = True,
    score: tuple[int, int] | str | None = None,
    stakes: StakesLike | None = None,
    players: int = 2,
    crib: str | None = None,
) -> Advice:
    """Work out what each of the 15 discards of six cards is worth, or each of five cards.

    Parameters
    ----------
    deal
        Six cards, as text or card numbers; or a `Position` of six cards or its text, which says
        role and score. Five cards if `players` are 3 or 4. Any card may lack its suit.
    role
        ``"dealer"`` (the crib is yours) or ``"pone"``.
    opponent
        Whom you play: by default ``"expert"``, who discards what is best against you; ``"people"``
        or a level, such as ``"club"``; a JSON file of habits; ``"uniform"``, who discards any two
        cards alike; a CSV file of how often each pair of ranks is discarded
        (``rank1,rank2,dealer_pct,pone_pct``); a published table of average cribs, ``"colvert"``,
        ``"hessel"``, ``"rasmussen"``, ``"schell"`` or a CSV file (``rank1,rank2,dealer,pone``); or
        an `Opponent`. A table replaces the averages of an expert's cribs alone: their spread stays
        the expert's, and no score goes with it.
    play
        Count what the play brings: between two experts, or your best response to an opponent with
        habits. If False, hand and crib alone count, and the expert discards for them alone.
    score
        Your points before the deal and the opponent's, each 0..120, such as ``(95, 110)`` or
        ``"95-110"``. The table then has a column ``win``, how likely the discard wins the game, and
        is ranked by it. Heels, the play, pone's hand, the dealer's hand and the crib count in this
        order, and the game goes on from the score they leave (`cribev.win_probability`). The
        opponent discards and plays for points, and the other columns are by points. Of the wins
        some are by a ``skunk``, the opponent having fewer than 91 points, and of those some by a
        ``double_skunk``, fewer than 61; likewise ``lose``, ``skunked`` and ``double_skunked``.
    stakes
        What the game is played for: ``"win"``, the default; ``"acc"``, 2 for a win and 3 for a
        skunk, your own; ``"games"``, 1, 2 for a skunk and 3 for a double skunk, less your
        opponent's; or two or three numbers, ``"1,2"`` or ``(1, 2, 4)``, less your opponent's too.
        The column ``value`` is what the outcomes are worth then, and ranks. Only with a score.
    players
        2; or 3 or 4, who are dealt five cards and throw one to the crib, which for three has a card
        of the deck too. Hand and crib are counted, exactly, against any cards: no play, opponent,
        score or stakes go with that.
    crib
        Whose crib it is, in place of `role`: ``"mine"`` is as dealer and ``"theirs"`` as pone; of
        four players also ``"partner"``, whose points are yours.

    Returns
    -------
    An `Advice`, in points throughout. Where some suits are not known, it averages over all deals
    that the cards can be.

    Raises
    ------
    CardError
        If they are not six different cards.
    TableError
        If the opponent cannot be read.
    CribevError
        If the role is no role, the score no score or the stakes no stakes, or a score is given for
        the show alone, or with average cribs, which do not say who wins, or stakes without a score.

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
    >>> advise("5H 5D JS QC 2H", players=4, crib="partner").best.discard
    '2H'
    >>> advise("5H 5 J Q 2 8", role="pone").best.discard
    '2 8'
    >>> advise("5H 5D JS QC 2H", role="dealer")
    Traceback (most recent call last):
    cribev.errors.CardError: expected 6 cards, got 5 in '5H 5D JS QC 2H' (five where three or four
    play: say how many players)
    """
    asked = discard_questions(
        deal,
        players=players,
        crib=crib,
        role=role,
        opponent=opponent,
        play=play,
        score=score,
        stakes=stakes,
    )
    if len(asked) > 1:
        as_role(None)
    return advise_discard(asked[0])


def advise_play(
    hand: CardsLike | Position,
    *,
    role: Role | None = None,
    laid: LaidLike = (),
    discard: CardsLike | None = None,
    starter: CardsLike | int | None = None,
    score: tuple[int, int] | str | None = None,
    opponent: PlayerLike | None = None,
    stakes: StakesLike | None = None,
) -> PlayAdvice:
    """Work out what each card is worth that you can lay now.

    The value of a card is what you peg from here to the end of the play less what your opponent
    does, if you go on as well as you can with all you know, and your opponent by a strategy. It is
    exact: every hand the opponent may hold counts as often as an expert keeps it, of any six cards
    beside those you know, times how often the strategy lays with it what was laid. Nothing is
    certain: we assume one error per 4,000 decisions. Where one of you has no cards left, the other
    lays the rest in the order that pegs most.

    Parameters
    ----------
    hand
        The four cards you kept, laid or not, as text or card numbers. Suits may be left out: they
        do not count in the play. Or a `cribev.Position`, or its text: that says all of the next
        five.
    role
        ``"dealer"`` or ``"pone"``, who leads.
    laid
        The cards as they fell, pone's first, in any notation that `cribev.peg` reads, goes
        included; or ranks 0..12, and None for a go. With a score the suits of your opponent's cards
        count for nobs, flushes and the crib, where they are given.
    discard
        The two cards you threw to the crib.
    starter
        The card cut.
    score
        Your points and your opponent's before the deal, as two numbers or as text, ``"95-110"``.
        Then the best card is what wins most: the play and the show end where someone has 121, and
        the win table says how likely you win later. It takes the starter. Where suits are not
        known it averages over any, and where your discard is not over what goes with such a keep.
    opponent
        Who plays against you: by default ``"expert"``; ``"people"``, or a level by name, such as
        ``"club"`` or ``"greedy"``, or a JSON file of habits, who keep and play by their habits;
        ``"uniform"``, who plays any card that fits; or a function, see
        `cribev.opponents.strategies.PlayFunction`. The last two keep what an expert keeps, and all
        play for points at a score too.
    stakes
        What the game is played for, as for `cribev.advise`; only with a score.

    Returns
    -------
    A `PlayAdvice`.

    Raises
    ------
    CardError
        If these are not such cards.
    RecordError
        If cards are laid that cannot be, or you have no card to lay now.
    CribevError
        If the role or the opponent is unknown.

    Examples
    --------
    >>> advice = advise_play("4H 5C JD JS", role="pone", discard="9C KD", starter="7H")
    >>> advice.best.card, advice
    ('J', advise_play('pone:4H5CJDJS/9CKD:7H'))
    """
    return advise_card(
        read_card(
            hand,
            role=role,
            laid=laid,
            discard=discard,
            starter=starter,
            score=score,
            opponent=opponent,
            stakes=stakes,
        )
    )


def turned_text(decision: Decision) -> str:
    """Say where what was wrong against an opponent is right against people, or an expert."""
    asked = decision.judged.question
    assert isinstance(asked, Question)
    if isinstance(asked.opponent, Uniform):
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
