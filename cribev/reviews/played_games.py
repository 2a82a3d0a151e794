"""Games that were played here, as records: to be reviewed, or written as CSV or PGN."""

import numpy as np
import pandas as pd

from cribev.game.cards import format_cards
from cribev.games.game import Game
from cribev.games.played_deal import PlayedDeal
from cribev.reviews.record import ImportedDeal, ImportedGame, imported_table

HINTS = "hints"
"""The column that says where a player asked what to do."""


def game_table(
    game: Game, *, players: tuple[str, str] = ("You", "Expert"), name: str = "1"
) -> pd.DataFrame:
    """Write a game as the table of a record, a row for each discard, as `cribev.review` takes it.

    It tells the cards of both, so it is for a game that is over. In each deal the first player's
    row is first, whoever deals, so that a review begins with that player. A deal that ends before
    both have thrown is left out. Where a player asked for hints, there is a column ``hints``:
    "discard", and the numbers of the cards asked about, counted from 1 over all that are laid in
    the deal.

    Raises `RecordError` if nobody has thrown, or both players have one name.

    >>> game = Game(7, dealer=0)
    >>> game.discard(0, "3H KC")
    >>> game.discard(1, "3C 9H")
    >>> game.hint(1)
    >>> game.resign(1)
    >>> table = game_table(game)
    >>> table["cards"].tolist(), table["hints"].tolist()
    (['3H 5C 6S 8H 8S KC', '3C 4D 6D 7C 7H 9H'], ['', '1'])
    """
    deals = [deal for deal in game.deals if all(deal.discards)]
    imported = [
        ImportedDeal(
            number=deal.number,
            dealer=deal.dealer,
            hands=(format_cards(deal.hands[0]), format_cards(deal.hands[1])),
            discards=(format_cards(deal.discards[0]), format_cards(deal.discards[1])),
            starter=format_cards([deal.cut]),
            play=" ".join(
                "go" if one.card is None else format_cards([one.card]) for one in deal.laid
            ),
        )
        for deal in deals
    ]
    winner = None if game.resigned else game.winner
    table = imported_table([ImportedGame(name, players, imported, winner)])
    if any(deal.hints for deal in deals):
        hints = [
            _hints(deal, player) for deal in deals for player in (deal.dealer, 1 - deal.dealer)
        ]
        table[HINTS] = hints
    leads = table["player"].to_numpy()[::2] == players[0]
    pairs = np.arange(len(table)).reshape(-1, 2)
    order = np.where(leads[:, None], pairs, pairs[:, ::-1]).ravel()
    return table.iloc[order].reset_index(drop=True)


def _hints(deal: PlayedDeal, player: int) -> str:
    """Write where a player asked in a deal."""
    asked = [laid for whose, laid in deal.hints if whose == player]
    return " ".join("discard" if laid < 0 else str(laid + 1) for laid in asked)
