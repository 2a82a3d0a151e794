"""What a record says of the play, read and held to the rules."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from cribev.errors import RecordError
from cribev.game.cards import PIP_VALUES, RANKS, format_cards
from cribev.game.play_notation import Pegging, laid_cards, laid_ranks, peg
from cribev.game.play_rules import LIMIT
from cribev.game.roles import ROLES, Role, opposite_role, role_of

_KEPT = 4  # cards each


def parse_play(
    text: str,
    *,
    dealer: bool,
    own: Sequence[int],
    theirs: Sequence[int] | None,
    seen: Iterable[int] = (),
) -> Pegging:
    """Read a play as the cards fell, and hold it to what was kept.

    What the opponent kept, if it is not known, is what was laid and the player did not keep; of a
    play that broke off, it stays unknown.

    Parameters
    ----------
    text
        The play as `cribev.peg` reads it.
    dealer
        Whether the player deals.
    own, theirs
        Ranks 0..12 of what each kept.
    seen
        Ranks of every other card that is known: the discards and the starter.

    Raises
    ------
    CardError
        If the text is no play.
    RecordError
        If it breaks the rules, or is not of the cards kept.

    Examples
    --------
    >>> parse_play("T T 9 A 4 5 K 3", dealer=False, own=[9, 8, 0, 4], theirs=None).points
    {'dealer': 3, 'pone': 1}
    >>> parse_play("T T 9 A 4 5 K 3", dealer=False, own=[9, 8, 0, 5], theirs=None)
    Traceback (most recent call last):
    cribev.errors.RecordError: 6 was kept, and is not laid
    """
    role = role_of(dealer)
    laid = laid_ranks(text)
    if not laid:
        raise RecordError("no card is laid")
    if theirs is None and len(laid) == 2 * _KEPT:
        if missing := Counter(own) - Counter(laid):
            raise RecordError(f"{_named(missing.elements())} was kept, and is not laid")
        theirs = list((Counter(laid) - Counter(own)).elements())
        _check_deck([*own, *theirs, *seen])
    if theirs is not None:
        hands = own, theirs
        pone, dealers = hands[::-1] if dealer else hands
        return peg(text, pone=pone, dealer=dealers)
    told = peg(text)
    laid_by = {
        who: [step.rank for step in told.steps if step.role == who and step.rank is not None]
        for who in ROLES
    }
    if extra := Counter(laid_by[role]) - Counter(own):
        raise RecordError(
            f"{role} lays {_named(extra.elements())}, and kept {_named(own)}: expected a go "
            "wherever one cannot lay"
        )
    left = Counter(own)
    for step in told.steps:
        if step.role != role:
            continue
        if step.rank is not None:
            left[step.rank] -= 1
        elif fits := [rank for rank in left.elements() if step.count + PIP_VALUES[rank] <= LIMIT]:
            raise RecordError(
                f"{role} cannot say go at a count of {step.count}: {RANKS[min(fits)]} fits"
            )
    _check_deck([*own, *laid_by[opposite_role(role)], *seen])
    return told


def check_suits(
    text: str, play: Pegging, *, kept: Mapping[Role, Sequence[int]], gone: Mapping[int, str]
) -> None:
    """Hold a play, where its suits are written, to the cards.

    Parameters
    ----------
    text, play
        The play as written and as read.
    kept
        Card numbers of what each kept, if it is known.
    gone
        Other cards that are known, and what became of each.

    Raises
    ------
    RecordError
        If a card is laid that cannot be, as it is elsewhere.

    Examples
    --------
    >>> check_suits("5H J", peg("5H J"), kept={}, gone={18: "is the starter"})
    Traceback (most recent call last):
    cribev.errors.RecordError: 5H is laid, and is the starter
    """
    laid_by = [step.role for step in play.steps if step.rank is not None]
    for card, role in zip(laid_cards(text), laid_by, strict=True):
        if card is None:
            continue
        name, across = format_cards([card]), opposite_role(role)
        if card in gone:
            raise RecordError(f"{name} is laid, and {gone[card]}")
        if role in kept and card not in kept[role]:
            raise RecordError(f"{role} lays {name}, and kept {format_cards(kept[role])}")
        if card in kept.get(across, ()):
            raise RecordError(f"{role} lays {name}, which {across} kept")


def _named(ranks: Iterable[int]) -> str:
    return " ".join(RANKS[rank] for rank in sorted(ranks))


def _check_deck(ranks: Iterable[int]) -> None:
    for rank, many in Counter(ranks).items():
        if many > 4:
            raise RecordError(f"there are {many} {RANKS[rank]} with the other cards of this deal")
