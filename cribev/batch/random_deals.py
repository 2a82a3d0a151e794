"""Random deals with roles, to try things on."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cribev.batch.schema import ROLE_COLUMN
from cribev.game.cards import Cards, random_hands
from cribev.game.roles import ROLES
from cribev.rows.formats import STANDARD_STREAM
from cribev.rows.lines import format_hands
from cribev.rows.sinks import open_sink
from cribev.system.files import check_writable

_BLOCK = 1 << 16


def write_random_deals(
    number: int, target: str, *, seed: int | None, form: str | None, force: bool
) -> None:
    """Write random deals with roles to a file, or to standard output by ``-``.

    The same seed gives the same deals everywhere, and more deals begin with the same; None deals
    afresh. The form is one of `formats.FORMATS`; if None, the suffix says it.

    >>> write_random_deals(2, "-", seed=1, form="csv", force=False)
    cards,role
    3D 2H JD AS 3H 6H,dealer
    4H AC QS 2D KH 7D,dealer
    """
    if target != STANDARD_STREAM:
        check_writable(target, force=force)
    with open_sink(target, form, force=force) as written:
        for deals, dealer in random_deals(number, seed=seed):
            roles = tuple(np.where(dealer, *ROLES).tolist())
            cards = tuple(format_hands(deals).astype(str).tolist())
            written.write(["cards", ROLE_COLUMN], [cards, roles], {})


def random_deals(number: int, *, seed: int | None) -> Iterator[tuple[Cards, NDArray[np.bool_]]]:
    """Yield random deals ``(n, 6)``, some at a time, and whether each is the dealer's.

    >>> [len(cards) for cards, dealer in random_deals(100_000, seed=1)]
    [65536, 34464]
    """
    root = np.random.SeedSequence().entropy if seed is None else seed
    assert isinstance(root, int)
    for block, start in enumerate(range(0, max(number, 1), _BLOCK)):
        size = min(number - start, _BLOCK)
        cards_seed, role_seed = np.random.SeedSequence([root, block]).generate_state(2, np.uint64)
        bits = np.random.PCG64(int(role_seed)).random_raw(size)
        yield random_hands(size, seed=int(cards_seed)), bits >> np.uint64(63) == 1
