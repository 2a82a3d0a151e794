"""Games that were played here, as records that a review takes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cribev.game.deal import Deal
from cribev.game.roles import ROLES
from cribev.game.score_texts import format_scores
from cribev.reviews.record import HINTS

if TYPE_CHECKING:
    from cribev.app.games.game import Game
from cribev.reviews.games import CellTexts, games_table


def game_table(game: "Game", *, players: tuple[str, str] = ("You", "Expert")) -> pd.DataFrame:
    """Write a game played here as the table of a record, as `cribev.review` takes it.

    It tells the cards of both, so it is for a game that is over. In each deal the first player's
    row is first, whoever deals, so that a review begins with that player. A deal that ends before
    both have thrown is left out. Where a player asked for hints, there is a column ``hints``:
    "discard", and the numbers of the cards asked about, counted from 1 over all that are laid in
    the deal.

    Raises `RecordError` if nobody has thrown, or both players have one name.
    """
    played = game.record
    deals = tuple(deal for deal in played.deals if deal.starter is not None)
    cells = [] if game.muggins is None else [_scores(game, deals)]
    table = games_table([replace(played, players=players, name="1", deals=deals)], cells)
    if any(number == deal.number for deal in deals for number, _, _ in game.hints):
        table[HINTS] = [
            _hints(game, deal.number, player)
            for deal in deals
            for player in (played.dealer(deal.number), 1 - played.dealer(deal.number))
        ]
    leads = table["player"].to_numpy()[::2] == players[0]
    pairs = np.arange(len(table)).reshape(-1, 2)
    order = np.where(leads[:, None], pairs, pairs[:, ::-1]).ravel()
    return table.iloc[order].reset_index(drop=True)


def _scores(game: "Game", deals: Sequence[Deal]) -> CellTexts:
    """Write the scores of a game in which hands do not count all they have."""
    cells = dict[tuple[int, str], dict[str, str]]()
    for deal in deals:
        ends = [one.score for one in game.events if one.deal == deal.number][-1]
        for role in ROLES:
            player = [game.record.role(deal.number, player) for player in (0, 1)].index(role)
            after = np.array([(ends[player], ends[1 - player])])
            assert deal.score is not None
            before = np.array([deal.score.seen_by(role)])
            dealer = np.array([role == "dealer"])
            cells[deal.number, role] = {
                "score": format_scores(before, dealer)[0],
                "score_after": format_scores(after)[0],
            }
    return cells


def _hints(game: "Game", number: int, player: int) -> str:
    """Write where a player asked in a deal."""
    asked = [laid for deal, whose, laid in game.hints if (deal, whose) == (number, player)]
    return " ".join("discard" if laid < 0 else str(laid + 1) for laid in asked)
