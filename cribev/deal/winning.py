"""How likely each discard wins the game, from the score before the deal.

Points count in the order they fall: heels, the play, pone's hand, the dealer's hand, the crib. Who
is not out by then goes on from the table of the race, the roles exchanged. What the player shows is
known by starter; what he and the opponent peg, by his keep; the opponent's hand and the crib, by
what the opponent throws. How these hang together is kept: hand and crib by the pair thrown, and
what is pegged with both by what the opponent keeps (`cribev.solved.leanings`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.forms import Floats, Index, classes_and_patterns
from cribev.deal.facing import kept_by, opponents_hands, shows
from cribev.errors import CribevError, TableError, quote
from cribev.game.cards import Cards
from cribev.game.indices import Points
from cribev.game.roles import Role
from cribev.opponents.models import Opponent
from cribev.solved.keeps import keep_numbers
from cribev.solved.play import MOST, KeepPlay, Worth
from cribev.solved.race import GAME, Race

_ROUNDS = 4  # of Newton's method: after three, nothing moves that could be printed
_HEELS = 2
_SELDOM = 1e-5  # points pegged less often than this are left out


class Chances(NamedTuple):
    """How a deal may end, for each of 15 discards, ``(15,)`` each."""

    win: Floats
    """The game is won, now or later."""
    out: Floats
    """The player gets out in this deal."""
    beaten: Floats
    """The opponent does."""


def win_chances(
    deal: Cards,
    role: Role,
    score: tuple[int, int],
    *,
    weights: NDArray[np.float64],
    own: Points,
    worth: Worth,
    opponent: Opponent,
) -> Chances:
    """Work out how likely each discard wins.

    Parameters
    ----------
    deal
        The player's six cards, uint8 ``(6,)``, ascending.
    role
        The player's role.
    score
        His points before the deal and the opponent's, each 0..120.
    weights
        Of each pair the opponent throws and each starter, ``(1035, 46)``.
    own
        The player's hands, ``(15, 46)``.
    worth
        What each discard's keep pegs on average, ``(15,)``.
    opponent
        Who throws the other two cards.

    Raises
    ------
    TableError
        If the opponent's solution is without what this takes.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> from cribev.deal.outcomes import outcomes_of
    >>> from cribev.opponents.models import as_opponent
    >>> deal = parse_cards("2H 5D 5H 8D JS QC")
    >>> found = outcomes_of(deal, "pone", as_opponent("expert"), play=True, score=(115, 110))
    >>> float(found.chances.win.max().round(2))
    1.0
    """
    numbers = keep_numbers()[classes_and_patterns(deal[None])[0][0]]
    solution = opponent.game()
    assert solution.play is not None
    assert solution.race is not None
    pegged, first_to, leaning = _play_of(solution.play.keeps[role], numbers, worth)
    hands = opponents_hands(deal, kept_by(opponent, role))
    shown = shows(deal, role, weights, own, [_led_by(hands, lean) for lean in leaning])
    most = [int(np.flatnonzero(some).max()) + 1 for some in _ever(pegged)]
    pegged = pegged[:, :, : most[0], : most[1]]
    total = np.zeros((3, 15))
    for heels, of_heels in enumerate(shown):
        to_dealer = _HEELS * heels
        mine, his = (GAME - points for points in score)
        mine, his = (mine - to_dealer, his) if role == "dealer" else (mine, his - to_dealer)
        weight = of_heels.sum(axis=(1, 2))
        if min(mine, his) <= 0:
            total[[0, 1] if mine <= 0 else [2]] += weight[:, 0]
            continue
        need, other = (min(points, MOST - 1) for points in (mine, his))
        out = (weight * first_to[:, :, need, other]).sum(axis=1)
        on = pegged[:, :, :mine, :his]
        stays = weight[:, 0] - out
        ends = _ends(solution.race, role, mine, his, on.shape[2:], of_heels.shape[1:3])
        later = np.empty((3, 15))
        flat = of_heels.reshape(15, -1, weight.shape[1]).swapaxes(1, 2)
        for at, end in enumerate(ends):
            later[at] = ((flat @ end) * on.reshape(*weight.shape, -1)).sum(axis=(1, 2))
        beaten_at_play = stays - (weight[..., None, None] * on).sum(axis=(1, 2, 3))
        total += later
        total[:2] += out
        total[2] += beaten_at_play
    return Chances(*np.clip(total, 0, 1))


def _play_of(
    keeps: KeepPlay, numbers: Index, worth: Worth
) -> tuple[Floats, Floats, NDArray[np.float64]]:
    """Give what is pegged, who is first, and how both lean on the opponent's keep, for 15 keeps.

    Returns
    -------
    ``(15, 1 + r, 32, 32)`` twice, the average and what it may lean by; and how much it leans so by
    one and the signs of what the opponent keeps, ``(15, 1 + r, 1 + signs)``.
    """
    if keeps.first_to is None:
        raise TableError("the solution does not say who pegs his need first: solve it anew")
    pegged, first_to = keeps.chances[numbers][:, None], keeps.first_to[numbers][:, None]
    leanings = keeps.leanings
    if leanings is None:
        return _of_average(pegged[:, 0], worth)[:, None], first_to, np.ones((15, 1, 1))
    by_sign = leanings.coefficients[numbers].transpose(0, 2, 1)
    lean = np.zeros((15, 1 + by_sign.shape[1], 1 + by_sign.shape[2]))
    lean[:, 0, 0] = 1
    lean[:, 1:, 1:] = by_sign
    lean[:, 1:, 0] = -np.einsum("nrs,ns->nr", by_sign, leanings.means[numbers])
    return _beside(pegged, leanings.chances), _beside(first_to, leanings.first_to), lean


def _beside(average: Floats, by: Floats) -> Floats:
    return np.concatenate([average, np.broadcast_to(by, (len(average), *by.shape))], axis=1)


def _led_by(hands: Floats, lean: Floats) -> Floats:
    """Weigh hands by how they lean the play, ``(13, 91, 30, n)``."""
    led: Floats = hands[..., : lean.shape[1]] @ lean.T
    return led


def _ever(pegged: Floats) -> tuple[NDArray[np.bool_], ...]:
    average = pegged[:, 0]
    return tuple((average.sum(axis=2 - side) > _SELDOM).any(axis=0) for side in range(2))


def _of_average(chances: Floats, worth: Worth) -> Floats:
    """Tilt chances until both averages are what they are to be.

    Parameters
    ----------
    chances
        How often so much and so much is pegged, ``(n, 32, 32)``.
    worth
        What is pegged on average, ``(n,)`` each.

    Examples
    --------
    >>> chances = np.zeros((1, 32, 32))
    >>> chances[0, :3, :3] = 1 / 9
    >>> tilted = _of_average(chances, Worth(np.array([1.2]), np.array([0.9])))[0]
    >>> (tilted.sum(axis=1) @ np.arange(32)).round(4), (tilted.sum(axis=0) @ np.arange(32)).round(4)
    (np.float64(1.2), np.float64(0.9))
    """
    points = np.arange(float(MOST))
    to_be = np.stack([worth.own, worth.opponent], axis=1)
    tilt = np.zeros_like(to_be)
    tilted = chances
    for _ in range(_ROUNDS):
        of_own, of_other = tilted.sum(axis=2), tilted.sum(axis=1)
        means = np.stack([of_own @ points, of_other @ points], axis=1)
        spread = np.empty((len(chances), 2, 2))
        spread[:, 0, 0] = of_own @ points**2
        spread[:, 1, 1] = of_other @ points**2
        spread[:, 0, 1] = spread[:, 1, 0] = np.einsum("nij,i,j->n", tilted, points, points)
        spread -= means[:, :, None] * means[:, None, :]
        spread += 1e-6 * np.eye(2)  # who always pegs the same has no spread
        tilt += np.linalg.solve(spread, (to_be - means)[..., None])[..., 0]
        tilt = np.clip(tilt, -1, 1)
        own, other = np.exp(np.clip(tilt[:, :, None] * points, -30, 30)).transpose(1, 0, 2)
        tilted = chances * own[:, :, None] * other[:, None, :]
        tilted /= tilted.sum(axis=(1, 2), keepdims=True)
    return tilted


def _ends(
    race: Race,
    role: Role,
    mine: int,
    his: int,
    pegged: tuple[int, ...],
    shown: tuple[int, ...],
) -> list[Floats]:
    """How a deal ends by what is shown and what was pegged, ``(shown, pegged)`` flat.

    Returns
    -------
    How likely the player wins, whether he gets out, and whether the opponent does.
    """
    own, other = np.ogrid[: shown[0], : shown[1]]
    pegs, his_pegs = np.ogrid[: pegged[0], : pegged[1]]
    left = mine - own.reshape(-1, 1, 1, 1) - pegs
    his_left = his - other.reshape(1, -1, 1, 1) - his_pegs
    left, his_left = np.broadcast_arrays(left, his_left)
    # Pone's hand counts first; then all that the dealer has.
    out = left <= 0 if role == "pone" else (left <= 0) & (his_left > 0)
    beaten = his_left <= 0 if role == "dealer" else (his_left <= 0) & (left > 0)
    scores = (np.clip(GAME - need, 0, GAME - 1) for need in (left, his_left))
    now, his_now = scores
    later = race.win[now, his_now] if role == "pone" else 1 - race.win[his_now, now]
    win = np.where(out, 1.0, np.where(beaten, 0.0, later))
    cells = shown[0] * shown[1]
    return [end.astype(np.float64).reshape(cells, -1) for end in (win, out, beaten)]


def as_score(score: object) -> tuple[int, int]:
    """Take the player's points and the opponent's before a deal.

    Parameters
    ----------
    score
        Two whole numbers from 0 to 120, or text such as ``"95-110"``.

    Raises
    ------
    CribevError
        If it is neither.

    Examples
    --------
    >>> as_score((95, 110)), as_score("95-110")
    ((95, 110), (95, 110))
    >>> as_score("95-121")
    Traceback (most recent call last):
    cribev.errors.CribevError: '95-121' is not a score: expected your points and the opponent's,
    each from 0 to 120, as 95-110
    """
    parts: list[object]
    if isinstance(score, str):
        parts = [int(part) if _is_number(part) else None for part in score.strip().split("-")]
    else:
        parts = list(score) if isinstance(score, tuple | list | np.ndarray) else []
    whole = [int(part) for part in parts if isinstance(part, int | np.integer)]
    if len(whole) != 2 or len(parts) != 2 or not all(0 <= part < GAME for part in whole):
        said = quote(score if isinstance(score, str) else repr(score))
        raise CribevError(
            f"{said} is not a score: expected your points and the opponent's, "
            f"each from 0 to {GAME - 1}, as 95-110"
        )
    return whole[0], whole[1]


def _is_number(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdecimal() and len(text.strip()) < 4
