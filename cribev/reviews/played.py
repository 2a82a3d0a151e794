"""What a record says of the play and of the score, read and held to the rules."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from cribev.errors import RecordError
from cribev.game.cards import RANKS
from cribev.game.pegged import Pegging, laid_ranks, peg
from cribev.game.pegging import LIMIT, PIPS
from cribev.game.roles import ROLES, other, role_of
from cribev.solved.race import GAME

UNKNOWN = -1
"""Stands for a card, or for points, that are not known."""

_KEPT = 4  # cards each
_MOST_PEGGED = 60  # two double pairs royal are 40, and nothing brings half as much again
_MOST_SCORE = GAME - 1
_POINTS = re.compile(r"([0-9]{1,3})(?:\.0*)?")
_SCORE = re.compile(r"([0-9]{1,3})\s*(\*?)\s*[-\u2013\u2212]\s*([0-9]{1,3})\s*(\*?)")


def parse_points(texts: Sequence[str]) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Read the points someone pegged in each of many plays.

    Returns
    -------
    Points, `UNKNOWN` where the text is empty or bad, ``(N,)``; and what is wrong, by row.

    Examples
    --------
    >>> points, errors = parse_points(["3", "", "0", "108"])
    >>> points.tolist(), errors
    ([3, -1, 0, -1], {3: 'expected points pegged, a whole number from 0 to 60'})
    """

    def read(_row: int, text: str) -> tuple[int] | str:
        found = _POINTS.fullmatch(text)
        if found and int(found[1]) <= _MOST_PEGGED:
            return (int(found[1]),)
        return f"expected points pegged, a whole number from 0 to {_MOST_PEGGED}"

    points, errors = _read(texts, 1, read)
    return points[:, 0], errors


def parse_scores(
    texts: Sequence[str], dealer: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Read scores before many deals, the player's points first, a star at the dealer's.

    Parameters
    ----------
    texts
        Such as ``109-108*``; the star may be left out.
    dealer
        Whether the player deals, ``(N,)``.

    Returns
    -------
    The player's points and the opponent's, `UNKNOWN` where the text is empty or bad, ``(N, 2)``;
    and what is wrong, by row.

    Examples
    --------
    >>> scores, errors = parse_scores(["109-108*", "95-110*"], np.array([False, True]))
    >>> scores.tolist()
    [[109, 108], [-1, -1]]
    >>> errors
    {1: "the star is at the points of the opponent, who is pone: expected it at the dealer's"}
    """

    def read(row: int, text: str) -> tuple[int, int] | str:
        found = _SCORE.fullmatch(text)
        if not found or (found[2] and found[4]):
            return "expected a score, the player's first, a star at the dealer's: 109-108*"
        points = int(found[1]), int(found[3])
        if max(points) > _MOST_SCORE:
            return f"nobody has more than {_MOST_SCORE} points before a deal"
        if found[4 if dealer[row] else 2]:
            whose = "opponent" if dealer[row] else "player"
            return (
                f"the star is at the points of the {whose}, who is pone: expected it at the "
                "dealer's"
            )
        return points

    return _read(texts, 2, read)


def score_text(scores: NDArray[np.int64], dealer: NDArray[np.bool_]) -> list[str]:
    """Write scores with the dealer's star, nothing where they are not known.

    >>> score_text(np.array([[109, 108], [-1, -1]]), np.array([False, True]))
    ['109-108*', '']
    """
    return [
        f"{own}{'*' * deals}-{theirs}{'*' * (not deals)}" if own != UNKNOWN else ""
        for (own, theirs), deals in zip(scores.tolist(), dealer.tolist(), strict=True)
    ]


def parse_ends(texts: Sequence[str]) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Read scores after many deals, the player's points first.

    Returns
    -------
    The player's points and the opponent's, `UNKNOWN` where the text is empty or bad, ``(N, 2)``;
    and what is wrong, by row.

    Examples
    --------
    >>> ends, errors = parse_ends(["121-108", "", "121-121"])
    >>> ends.tolist()
    [[121, 108], [-1, -1], [-1, -1]]
    >>> errors
    {2: "expected a score, the player's first, at most one of them 121: 121-108"}
    """

    def read(_row: int, text: str) -> tuple[int, int] | str:
        found = _SCORE.fullmatch(text)
        points = (int(found[1]), int(found[3])) if found else (GAME, GAME)
        if found is None or found[2] or found[4] or max(points) > GAME or min(points) == GAME:
            return f"expected a score, the player's first, at most one of them {GAME}: {GAME}-108"
        return points

    return _read(texts, 2, read)


def _read(
    texts: Sequence[str], columns: int, read: Callable[[int, str], tuple[int, ...] | str]
) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Read what is not empty: points, or what is wrong."""
    points = np.full((len(texts), columns), UNKNOWN, dtype=np.int64)
    errors = {}
    for row, text in enumerate(texts):
        if written := text.strip():
            found = read(row, written)
            if isinstance(found, str):
                errors[row] = found
            else:
                points[row] = found
    return points, errors


def end_text(ends: NDArray[np.int64]) -> list[str]:
    """Write scores after deals, nothing where they are not known.

    >>> end_text(np.array([[121, 108], [-1, -1]]))
    ['121-108', '']
    """
    return [f"{own}-{theirs}" if own != UNKNOWN else "" for own, theirs in ends.tolist()]


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
        elif fits := [rank for rank in left.elements() if step.count + PIPS[rank] <= LIMIT]:
            raise RecordError(
                f"{role} cannot say go at a count of {step.count}: {RANKS[min(fits)]} fits"
            )
    _check_deck([*own, *laid_by[other(role)], *seen])
    return told


def _named(ranks: Iterable[int]) -> str:
    return " ".join(RANKS[rank] for rank in sorted(ranks))


def _check_deck(ranks: Iterable[int]) -> None:
    for rank, many in Counter(ranks).items():
        if many > 4:
            raise RecordError(f"there are {many} {RANKS[rank]} with the other cards of this deal")
