"""Games that were played here, as records to review."""

from dataclasses import replace

import numpy as np
import pandas as pd

from cribev.app.games.game import Game
from cribev.records.games import games_table
from cribev.records.record import HINTS


def game_table(game: Game, *, players: tuple[str, str] = ("You", "Expert")) -> pd.DataFrame:
    """Write a game as the table of a record, as `cribev.review` takes it.

    It tells the cards of both as far as they are known, so a game played here must be over. In
    each deal the first player's row is first, whoever deals, so that a review begins with that
    player. A deal that ends before both have discarded is left out. Where a player asked for hints,
    there is a column ``hints``: "discard", and the numbers of the cards asked about, counted from 1
    over all that are played in the deal.

    Raises `RecordError` if nobody has discarded, or both players have one name.
    """
    played = game.record
    deals = tuple(deal for deal in played.deals if deal.starter is not None)
    table = games_table([replace(played, players=players, name="1", deals=deals)])
    if any(number == deal.number for deal in deals for number, _, _ in game.hints):
        seats = zip(table["deal"].map(int), table["player"].map(players.index), strict=True)
        table[HINTS] = [_hints(game, number, player) for number, player in seats]
    order = np.lexsort((table["player"] != players[0], table["deal"].map(int)))
    return table.iloc[order].reset_index(drop=True)


def _hints(game: Game, number: int, player: int) -> str:
    """List what a player asked for hints on in a deal."""
    asked = [played for deal, whose, played in game.hints if (deal, whose) == (number, player)]
    return " ".join("discard" if played < 0 else str(played + 1) for played in asked)
