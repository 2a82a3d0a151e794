"""Games played at random, to be reviewed."""

import numpy as np
import pandas as pd

from cribev import random_hands
from cribev.classes.values import keep_values
from cribev.game.indices import DISCARDS
from cribev.reviews.cells import cards_text
from cribev.solved.solution import load


def random_games(games, *, deals=8, seed=0, noise=None, fellow_noise=None):
    """Deal and play games of two, both sides recorded.

    The players throw by the expert's values plus noise of that many points; with None they throw
    any two cards.
    """
    total = games * deals
    cards = random_hands(total, cards=13, seed=seed).astype(np.int64)
    number = np.arange(total) % deals + 1
    rng = np.random.default_rng(seed)
    dealers = np.sort(cards[:, :6], axis=1), np.sort(cards[:, 6:12], axis=1)
    ann_deals = number % 2 == 1
    thrown = []
    for role, deal in zip(("dealer", "pone"), dealers, strict=True):
        values = keep_values(deal, load().cribs[role], role=role).expected
        ann = ann_deals if role == "dealer" else ~ann_deals
        for mine, level in ((ann, noise), (~ann, fellow_noise)):
            spread = rng.normal(size=values[mine].shape)
            values[mine] = spread if level is None else values[mine] + level * spread
        thrown.append(np.take_along_axis(deal, DISCARDS[values.argmax(axis=1)], axis=1))
    rows = [
        pd.DataFrame(
            {
                "game": np.arange(total) // deals + 1,
                "deal": number,
                "player": np.where(ann_deals == (role == "dealer"), "Ann", "Ben"),
                "role": role,
                "cards": cards_text(deal),
                "discard": cards_text(own),
                "starter": cards_text(cards[:, 12:]),
                "opponent_discard": cards_text(theirs),
            }
        )
        for role, deal, own, theirs in zip(
            ("dealer", "pone"), dealers, thrown, thrown[::-1], strict=True
        )
    ]
    return pd.concat(rows).sort_values(["game", "deal"], kind="stable", ignore_index=True)
