"""Games that were played here, as records: to be reviewed, or written as CSV or PGN."""

import numpy as np
import pandas as pd

from cribev.game.cards import format_card, format_cards
from cribev.games.game import Game
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
    record = game.record
    deals = [deal for deal in record.deals if deal.starter is not None]
    imported = []
    for deal in deals:
        held = [deal.held(record.role(deal.number, player)) for player in (0, 1)]
        imported.append(
            ImportedDeal(
                number=deal.number,
                dealer=record.dealer(deal.number),
                hands=(format_cards(held[0].dealt), format_cards(held[1].dealt)),
                discards=(format_cards(held[0].discard), format_cards(held[1].discard)),
                starter=format_card(deal.starter or 0),
                play=deal.play.full_text,
            )
        )
    table = imported_table([ImportedGame(name, players, imported, record.winner)])
    if any(number == deal.number for deal in deals for number, _, _ in game.hints):
        table[HINTS] = [
            _hints(game, deal.number, player)
            for deal in deals
            for player in (record.dealer(deal.number), 1 - record.dealer(deal.number))
        ]
    leads = table["player"].to_numpy()[::2] == players[0]
    pairs = np.arange(len(table)).reshape(-1, 2)
    order = np.where(leads[:, None], pairs, pairs[:, ::-1]).ravel()
    return table.iloc[order].reset_index(drop=True)


def _hints(game: Game, number: int, player: int) -> str:
    """Write where a player asked in a deal."""
    asked = [laid for deal, whose, laid in game.hints if (deal, whose) == (number, player)]
    return " ".join("discard" if laid < 0 else str(laid + 1) for laid in asked)
