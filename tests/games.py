"""Games played at random, to be reviewed."""

import numpy as np
import pandas as pd

from cribev import parse_cards, random_hands
from cribev.classes.values import keep_values
from cribev.game.cards import RANKS
from cribev.game.indices import DISCARDS
from cribev.game.pegging import Play
from cribev.game.roles import ROLES, other
from cribev.reviews.cells import cards_text
from cribev.solved.solution import load


def random_games(games, *, deals=8, seed=0, noise=None, fellow_noise=None):
    """Deal and play games of two, both sides recorded.

    The players throw by the expert's values, the play among them, plus noise of that many points;
    with None they throw any two cards.
    """
    total = games * deals
    cards = random_hands(total, cards=13, seed=seed).astype(np.int64)
    number = np.arange(total) % deals + 1
    rng = np.random.default_rng(seed)
    dealers = np.sort(cards[:, :6], axis=1), np.sort(cards[:, 6:12], axis=1)
    ann_deals = number % 2 == 1
    thrown = []
    for role, deal in zip(("dealer", "pone"), dealers, strict=True):
        values = keep_values(deal, load(play=True).cribs[role], role=role).expected
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


def kept(row):
    """The ranks a row of a record kept, 0..12."""
    thrown = set(parse_cards(row["discard"]).tolist())
    return [card >> 2 for card in parse_cards(row["cards"]).tolist() if card not in thrown]


def played_at_random(hands, rng):
    """Lay cards at random until all are laid: the cards as they fell, and what each pegs."""
    play, laid = Play(hands), []
    while not play.over:
        fits = [rank for rank in play.hands[play.turn] if play.count + min(rank + 1, 10) <= 31]
        if fits:
            rank = int(rng.choice(fits))
            laid.append(RANKS[rank])
            play.lay(rank)
        else:
            play.go()
    return " ".join(laid), play.points


def with_play(games, *, seed=0):
    """Have every deal of a record of both sides played at random, and add a score to each."""
    rng = np.random.default_rng(seed)
    frame = games.assign(pegged=0, opponent_pegged=0, play="", score="")
    total = dict.fromkeys(frame["player"], 0)
    for (_, deal), rows in games.groupby(["game", "deal"], sort=False):
        if deal == 1:
            total = dict.fromkeys(total, 0)
        of = {row["role"]: row for row in rows.to_dict(orient="records")}
        text, points = played_at_random({role: kept(of[role]) for role in ROLES}, rng)
        before = {role: total[of[role]["player"]] for role in ROLES}
        for at, role in rows["role"].items():
            across = other(role)
            score = {one: f"{before[one]}{'*' * (one == 'dealer')}" for one in ROLES}
            frame.loc[at, ["pegged", "opponent_pegged"]] = points[role], points[across]
            frame.loc[at, ["play", "score"]] = text, f"{score[role]}-{score[across]}"
        for role in ROLES:
            total[of[role]["player"]] += points[role]
    return frame


def with_cell(frame, row, column, value):
    """Write another value into a cell of a record."""
    cells = [value if at == row else cell for at, cell in frame[column].items()]
    return frame.assign(**{column: pd.Series(cells, index=frame.index, dtype=object)})
