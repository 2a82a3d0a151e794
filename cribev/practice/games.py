"""Games that were played: what you threw and laid in them, for the history."""

from collections.abc import Iterable

import pandas as pd

from cribev.practice.hands import Hand
from cribev.practice.lays import Lay
from cribev.practice.store import Store
from cribev.practice.stored import GAME, new_session_name, stored_lay, stored_throw


def save_game(
    store: Store,
    *,
    throws: Iterable[tuple[Hand, pd.Series]],
    lays: Iterable[Lay],
    name: str = "",
) -> str:
    """Save what you threw and laid in a game, as a session of kind ``game``; return its name.

    Saved twice under one name, a game is in the store once.

    Parameters
    ----------
    store
        Where: ``Store(store_path())``, or another.
    throws
        Each hand with its row of `cribev.reviews.review.Review.decisions`. The hand has the number
        of the deal, and a score only if chances to win decide the verdict; then the row has them.
    lays
        Each card you laid where more than one rank fits: ``Lay(spot, card, advice)``, the advice as
        `advice.cards.play_advice` has it of ``spot.position``, at the score if chances to win
        decide the verdict. The spot has the number of the deal.
    name
        A name of the session, hexadecimal digits; a new one if empty.

    Raises
    ------
    StoreError
        If it cannot be saved. The store keeps it and tries again with the next decision.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> from cribev.practice.hands import hands_of
    >>> from cribev.practice.lays import lay
    >>> from cribev.practice.spots import spots_of
    >>> from cribev.practice.throws import grade_throws, throw
    >>> hand = next(hands_of(7))
    >>> decision = grade_throws([throw(hand, "9H JC")]).iloc[0]
    >>> laid = lay(next(spots_of(7)), "AH")
    >>> with TemporaryDirectory() as folder:
    ...     store = Store(Path(folder) / "practice.sqlite3")
    ...     name = save_game(store, throws=[(hand, decision)], lays=[laid])
    ...     print(len(store.read(name)), len(store.read_lays(name)), store.read(name)[0].kind)
    1 1 game
    """
    session = name or new_session_name()
    store.save(
        *(stored_throw(hand, row, session=session, kind=GAME) for hand, row in throws),
        *(stored_lay(one, session=session, kind=GAME) for one in lays),
    )
    return session
