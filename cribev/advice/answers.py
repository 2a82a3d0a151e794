"""Which cards to discard, whatever of their suits is known: `advise`, and averages over suits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath
from typing import Any, cast

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.advice import names, reasons
from cribev.advice.decisions import Difference
from cribev.advice.discards import Advice, DiscardAdvice, advise_cards, asked_of, seated
from cribev.advice.options import Option, Options
from cribev.advice.questions import asked_position, dealt_cards
from cribev.classes import canonical
from cribev.classes.class_tables import ClassTables
from cribev.classes.ranking import net_points, tied_best
from cribev.errors import CardError, quote
from cribev.game import render
from cribev.game.cards import (
    DECK_SIZE,
    SUITLESS_OFFSET,
    Cards,
    CardsLike,
    ranks_of,
    read_hand,
)
from cribev.game.deal import Position
from cribev.game.index_tables import DISCARDS, DISCARDS_OF, KEEPS_OF
from cribev.game.roles import Role, cards_dealt
from cribev.game.scorer import points_by_kind
from cribev.game.show import KINDS
from cribev.game.stakes import Outcomes, Stakes, StakesLike
from cribev.opponents import opponents
from cribev.rows.pairs import crib_table as read_crib_table
from cribev.solution.solved_play import ExpectedPegging
from cribev.values.counts import mean_by_kind
from cribev.values.more_players import any_crib_parts
from cribev.values.plan import DealBatch, any_suits_outcomes, plan_evaluation
from cribev.values.suitings import Suitings


@dataclass(frozen=True, eq=False, repr=False)
class SuitlessAdvice(DiscardAdvice):
    """What each discard is worth of cards of which some lack suits, averaged over all suits.

    Attributes
    ----------
    ranks
        The ranks 0..12, uint8 ``(6,)``, ascending; `cards` are the cards as text.
    deals
        How many deals the cards can be; each counts alike.
    role, opponent, play_name, crib_table, score
        As in `cribev.Advice`.
    table
        A row for each two cards that can go, those alike once, best first: columns as in
        `cribev.Advice`, averages alone; ``expected_min`` and ``expected_max``, with the suits that
        are worst and best for it; and ``often_best``, in how many of the deals it is the best by
        points, or equal to it.
        Points throughout, of the class tables; without the columns of the play where it does not
        count, and of wins without a score.
    choices, best
        The rows of the table, and the first of them.
    """

    @property
    def ranks(self) -> Cards:
        """The ranks 0..12, uint8 ``(6,)``, ascending."""
        return np.array(self.position.left_ranks, dtype=np.uint8)

    def explain(
        self, discard: CardsLike | None = None, *, versus: CardsLike | None = None
    ) -> SuitlessExplanation:
        """Say why a discard is worth what it is.

        Parameters
        ----------
        discard
            Two of the six ranks; the best discard if None.
        versus
            Another two, to compare it with. If None, the best discard; or, for the best, the next.

        Raises
        ------
        CardError
            If they are not two of the ranks.

        Examples
        --------
        >>> why = advise_ranks("5 5 J Q 2 8", role="dealer", play=False).explain("J Q")
        >>> why.other.discard, round(why.other.expected - why.choice.expected, 2)
        ('2 8', 2.53)
        """
        chosen, other = self._compared(discard, versus)
        play = reasons.PlayExplanation.of(chosen, self.thrower)
        held = np.array(self.position.held.kept, dtype=np.uint8)
        thrown = [*chosen.cards]
        same = (held[DISCARDS_OF[len(held)]] == thrown).all(axis=1)
        suitings = Suitings.of(held[None])
        made_of = _made_of(suitings, np.flatnonzero(same), self.role, self.thrower)
        return SuitlessExplanation(chosen, other, play, reasons.named_kinds(made_of))

    def _asked_again(self, position: Position, **options: Any) -> SuitlessAdvice:
        return _advise_any_suits(position, **options)


@dataclass(frozen=True, eq=False)
class SuitlessExplanation(render.Displayable):
    """Why a discard is worth what it is where some suits are not known."""

    choice: Option
    other: Option | None  # what it is compared with, if there is anything
    play: reasons.PlayExplanation | None  # what the play does, if it counts
    by_kind: dict[str, dict[str, float]]  # what ``hand`` and ``crib`` are made of on average

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, ready for JSON."""
        play = {} if self.play is None else {"play": self.play.to_dict()}
        other = self.other and self.other.to_dict()
        found = {"discard": self.choice.discard.split(), "other": other}
        return {**found, **play, "made_of": self.by_kind}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text()
        if self.other is not None:
            both = f"{self.choice.discard} against {self.other.discard}"
            yield Text(f"{both}: {Difference(self.choice, self.other).text}")
        if self.play is not None:
            yield self.play
        yield from reasons.made_of_texts(self.by_kind)


def advise(
    deal: CardsLike | Position,
    *,
    role: Role | None = None,
    opponent: names.OpponentLike = "expert",
    crib_table: str | PathLike[str] | None = None,
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
        Who throws the other two cards: ``"expert"``, who throws what is best against you;
        ``"uniform"``, who throws any two alike; a CSV file of how often each pair of ranks is
        thrown (``rank1,rank2,dealer_pct,pone_pct``); or an `cribev.opponents.opponents.Opponent`.
    crib_table
        Average cribs to use in place of the computed ones: ``"hessel"``, ``"schell"``,
        ``"colvert"``, ``"rasmussen"`` or a CSV file (``rank1,rank2,dealer,pone``). Only
        ``crib_mean`` and ``expected`` come from it; the spread of the crib and the distributions
        stay those of the opponent. Not with a score.
    play
        Count what the play brings, as two experts play whoever throws; if False, hand and crib
        alone count, and the expert throws for them alone.
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
        crib table, score or stakes go with that.
    crib
        Whose crib it is, in place of `role`: ``"mine"`` is as dealer and ``"theirs"`` as pone; of
        four players also ``"partner"``, whose points are yours.

    Returns
    -------
    An `Advice`, in points throughout. Where some suits are not known it is a `SuitlessAdvice`, as
    `advise_ranks` returns it.

    Raises
    ------
    CardError
        If they are not six different cards.
    TableError
        If the opponent or the crib table cannot be read.
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
    play: --players 4)
    """
    read = partial(read_hand, count=cards_dealt(players))
    asked = asked_position(deal, role, score, read, players=players, crib=crib)
    known: Any = {"opponent": opponent, "crib_table": crib_table, "play": play, "stakes": stakes}
    # Typed as the usual answer, so that an editor knows what cards with suits bring.
    return cast("Advice", answer(asked, players=players, crib=crib, **known))


def answer(position: Position, **options: Any) -> Advice | SuitlessAdvice:
    """Advise on a position, by the options of `advise`."""
    dealt_cards(position, players=options.get("players", 2))
    suited = max(position.held.kept) < SUITLESS_OFFSET
    return (advise_cards if suited else _advise_any_suits)(position, **options)


def advise_ranks(ranks: str | Sequence[str] | Position, **options: Any) -> SuitlessAdvice:
    """Work out what each discard of six cards is worth whose suits are not all known.

    Parameters
    ----------
    ranks
        Six ranks, as text or one by one; or a `Position` of six or its text.
    options
        Those of `cribev.advise`.

    Returns
    -------
    A `SuitlessAdvice`, as `cribev.advise` returns it.

    Raises
    ------
    CardError
        If they are not six cards, or five are of a rank, or all have suits.
    CribevError
        As `cribev.advise` does.

    Examples
    --------
    >>> advice = advise_ranks("5 5 J Q 2 8", role="dealer", play=False)
    >>> advice.best.discard, round(advice.best.expected, 2), advice.deals
    ('2 8', 16.07, 1536)
    >>> round(advise_ranks("5 5 J Q 2 8", role="dealer", score=(95, 110)).best.win, 2)
    0.23
    """
    if isinstance(ranks, Iterable) and not isinstance(ranks, str):
        ranks = " ".join(map(str, ranks))
    found: object = advise(ranks, **options)
    if not isinstance(found, SuitlessAdvice):
        raise CardError(f"{quote(str(ranks))} have suits: expected ranks without suits")
    return found


def _advise_any_suits(
    asked: Position,
    *,
    opponent: names.OpponentLike = "expert",
    crib_table: str | PathLike[str] | None = None,
    play: bool = True,
    stakes: StakesLike | None = None,
    players: int = 2,
    crib: str | None = None,
) -> SuitlessAdvice:
    """Average what each discard is worth over the suits that are not known."""
    role, held = asked.role, np.array(asked.held.kept, dtype=np.uint8)
    thrower, played_for = asked_of(asked, opponent, crib_table, play, stakes, players)
    hands = DealBatch.of(held[None], np.array([role == "dealer"]))
    suitings = Suitings.of(held[None])
    _, first = np.unique(held[DISCARDS_OF[len(held)]], axis=0, return_index=True)
    dealer = np.full(len(suitings.deals), role == "dealer")
    of_deals = plan_evaluation(
        DealBatch.of(suitings.deals, dealer), thrower, exact=_are_counted(suitings)
    ).values()
    means, each = suitings.values(of_deals, hands.dealer), suitings.by_hand(of_deals.expected)
    if not _some_known(suitings):
        means = plan_evaluation(hands, thrower).values()
    means = means.take(0)
    crib_mean, expected = means.crib, means.expected
    if crib_table is not None:
        crib_mean = read_crib_table(crib_table)[role][tuple(ranks_of(held)[DISCARDS].T)]
        change = net_points(np.zeros(len(expected)), crib_mean - means.crib, role)
        expected, each = expected + change, each + change
    best = tied_best(each)
    alike = [np.flatnonzero(suitings.alike[0, at]) for at in first]
    outcomes = None
    if asked.score is not None:
        score = np.array([asked.score.seen_by(role)])
        hands = hands._replace(scores=score, stakes=Stakes.read("games"))
        outcomes = _outcomes(suitings, hands, thrower)
        outcomes = Outcomes(*(part[0, first] for part in outcomes))
    pegging = thrower.counted_pegging(role)
    if pegging is not None:
        (of_class,) = canonical.class_numbers(list(ranks_of(held)[:, None]))
        pegging = ExpectedPegging(*(table[of_class][first] for table in pegging))
    columns = {
        "hand_mean": means.hand[first],
        "crib_mean": crib_mean[first],
        **({} if pegging is None else pegging.columns()),
        **({} if outcomes is None else played_for.columns(outcomes)),
        "expected": expected[first],
        "expected_min": np.array([each[:, keeps].min() for keeps in alike]),
        "expected_max": np.array([each[:, keeps].max() for keeps in alike]),
        "often_best": np.array([best[:, keeps].any(axis=1).mean() for keeps in alike]),
    }
    return SuitlessAdvice(
        Options.of_discards(asked, columns, first, played_for),
        thrower,
        None if crib_table is None else fspath(crib_table),
        deals=len(each),
        **seated(players, crib, role),
    )


_COUNTED = 32  # deals of which every crib is counted; of more they are averaged by class


def _some_known(suitings: Suitings) -> bool:
    return bool(suitings.held.min() < SUITLESS_OFFSET)


def _are_counted(suitings: Suitings) -> bool:
    """Tell whether every crib of each deal is counted: where two play, and the deals are few."""
    few, two_play = len(suitings.deals) <= _COUNTED, suitings.deals.shape[1] == 6
    return few and two_play and _some_known(suitings)


def _outcomes(
    suitings: Suitings, hands: DealBatch, opponent: opponents.Opponent
) -> Outcomes[canonical.Floats]:
    """Average how games may end with each discard over all suits, ``(1, 15)`` each."""
    if _some_known(suitings):
        return any_suits_outcomes(suitings, hands, opponent)
    ends = plan_evaluation(hands, opponent).values().outcomes
    assert ends is not None
    return ends


def _made_of(
    deals: Suitings, same: canonical.Index, role: Role, opponent: opponents.Opponent
) -> dict[str, canonical.Floats]:
    """Average what keeps that are alike, and their cribs, make by kind: ``(5,)`` each."""
    size, rows = deals.deals.shape[1], np.arange(len(deals.deals))
    keeps = deals.keeps[:, same].T
    starter, made = np.arange(DECK_SIZE, dtype=np.uint8), []
    unseen = ~(deals.deals[:, :, None] == starter).any(axis=1)
    for keep in keeps:
        cards = deals.deals[rows[:, None], KEEPS_OF[size][keep]].T[..., None]
        made.append(points_by_kind((*cards, starter), crib=False)[unseen].mean(axis=0))
    if _are_counted(deals):
        crib = np.zeros(len(KINDS))
        for deal, kept in zip(deals.deals, deals.keeps[:, same].tolist(), strict=True):
            weights = opponent.weights(deal, role)
            for keep in kept:
                crib += mean_by_kind(deal, keep, weights)["crib"] / deals.keeps[:, same].size
        return {"hand": np.mean(made, axis=0), "crib": crib}
    # What the opponent throws hardly goes by your suits: any deal tells which ranks fall together.
    middle = len(rows) // 2
    one, of_pairs = deals.deals[middle], None
    if size == 6:
        tables = ClassTables(opponent.crib_averages(role), role)
        parts = tables.crib_parts(*canonical.classify_deals(deals.deals))
        of_pairs = opponent.weights(one, role)
    else:
        parts = any_crib_parts(deals.deals.T)
    ranks, flush, nobs = parts[:, rows, keeps].mean(axis=(1, 2))
    kinds = mean_by_kind(one, int(keeps[0, middle]), of_pairs)["crib"][:3]
    crib = np.array([*(kinds * ranks / max(kinds.sum(), np.finfo(float).tiny)), flush, nobs])
    return {"hand": np.mean(made, axis=0), "crib": crib}
