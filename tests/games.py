"""Games played at random, to be reviewed."""

import csv
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import oracle
import pandas as pd

from benchmarks.table import Table
from cribev import format_cards, random_hands, review
from cribev.advice.players import Level
from cribev.app.games.game import PLAYER, Game, draw_cards
from cribev.app.games.levels import answer_moves, decide
from cribev.classes.canonical import classify_deals
from cribev.classes.class_tables import ClassTables
from cribev.game.cards import RANKS
from cribev.game.index_tables import DISCARDS
from cribev.game.outcomes import Outcomes
from cribev.game.roles import ROLES, opposite_role
from cribev.game.score import UNKNOWN
from cribev.opponents.opponents import Opponent, Solved
from cribev.records.cells import format_card_rows
from cribev.records.games import games_table
from cribev.records.record import as_record
from cribev.reviews.review import value_discards
from cribev.solution.solution import load


def random_games(games, *, deals=8, seed=0, noise=None, fellow_noise=None):
    """Deal and play games of two, both sides recorded.

    The players discard by the expert's values, the play among them, plus noise of that many points;
    with None they discard any two cards.
    """
    total = games * deals
    cards = random_hands(total, cards=13, seed=seed).astype(np.int64)
    number = np.arange(total) % deals + 1
    rng = np.random.default_rng(seed)
    dealers = np.sort(cards[:, :6], axis=1), np.sort(cards[:, 6:12], axis=1)
    ann_deals = number % 2 == 1
    discarded = []
    for role, deal in zip(("dealer", "pone"), dealers, strict=True):
        values = (
            ClassTables(load(play=True).cribs[role], role).values(*classify_deals(deal)).expected
        )
        ann = ann_deals if role == "dealer" else ~ann_deals
        for mine, level in ((ann, noise), (~ann, fellow_noise)):
            spread = rng.normal(size=values[mine].shape)
            values[mine] = spread if level is None else values[mine] + level * spread
        discarded.append(np.take_along_axis(deal, DISCARDS[values.argmax(axis=1)], axis=1))
    rows = []
    for role, deal, own, theirs in zip(ROLES, dealers, discarded, discarded[::-1], strict=True):
        columns = {
            "game": np.arange(total) // deals + 1, "deal": number,
            "player": np.where(ann_deals == (role == "dealer"), "Ann", "Ben"), "role": role,
            "cards": format_card_rows(deal), "discard": format_card_rows(own),
            "starter": format_card_rows(cards[:, 12:]),
            "opponent_discard": format_card_rows(theirs),
        }  # fmt: skip
        rows.append(pd.DataFrame(columns))
    return pd.concat(rows).sort_values(["game", "deal"], kind="stable", ignore_index=True)


def played_at_random(hands, rng, need):
    """Play cards at random until all are played, or one makes the need: the cards, what each
    pegs."""
    play, played, goes = Table(hands), [], []
    points = dict.fromkeys(ROLES, 0)
    while not play.over and all(points[role] < need[role] for role in ROLES):
        fits = [rank for rank in play.hands[play.turn] if play.count + min(rank + 1, 10) <= 31]
        if fits:
            rank = int(rng.choice(fits))
            played.append(RANKS[rank])
            pegs, goes = play.play(rank), []
        else:
            pegs = play.go()
            goes.append("go")
        for peg in pegs:
            points[peg.role] += peg.points
    return " ".join(played if play.over else played + goes), points


def hand(row):
    """The cards a row of a record kept."""
    return [card for card in row["cards"].split() if card not in row["discard"].split()]


def kept(row):
    """Their ranks, 0..12."""
    return [RANKS.index(card[0]) for card in hand(row)]


def with_play(games, *, seed=0, start=None):
    """Have every deal of a record of both sides played at random, to the end of its game.

    Scores begin at nothing, or at `start` of each player; they count as the second scorer does.
    """
    rng = np.random.default_rng(seed)
    frame = games.assign(pegged=0, opponent_pegged=0, play="", score="")
    over = []
    for _, rows_of_game in games.groupby("game", sort=False):
        total = dict.fromkeys(rows_of_game["player"], 0) | (start or {})
        for _, rows in rows_of_game.groupby("deal", sort=False):
            if max(total.values()) >= 121:
                over += [*rows.index]
                continue
            of = {row["role"]: row for row in rows.to_dict(orient="records")}
            who = {role: of[role]["player"] for role in ROLES}
            score = {role: f"{total[who[role]]}{'*' * (role == 'dealer')}" for role in ROLES}
            starter = of["dealer"]["starter"]
            total[who["dealer"]] += 2 * (starter[0] == "J")
            need = {role: 121 - total[who[role]] for role in ROLES}
            text, points = played_at_random({role: kept(of[role]) for role in ROLES}, rng, need)
            for row_label, role in rows["role"].items():
                other = opposite_role(role)
                frame.loc[row_label, ["pegged", "opponent_pegged"]] = points[role], points[other]
                frame.loc[row_label, ["play", "score"]] = text, f"{score[role]}-{score[other]}"
            crib = of["dealer"]["discard"].split() + of["pone"]["discard"].split()
            for role, scored in (
                *points.items(),
                ("pone", oracle.points(hand(of["pone"]), starter)),
                ("dealer", oracle.points(hand(of["dealer"]), starter)),
                ("dealer", oracle.points(crib, starter, crib=True)),
            ):
                if max(total.values()) < 121:
                    total[who[role]] += scored
    return frame.drop(index=over).reset_index(drop=True)


def review_by_wins(frame, *, seed=0, **options):
    """Review games with chances to win of discards made up where scores are known: that is fast."""
    record = as_record(frame)
    silent = record._replace(scores=np.full_like(record.scores, UNKNOWN))
    valued = value_discards(silent, Opponent.of(Solved()), fast=True)
    win = np.random.default_rng(seed).uniform(0, 1, (len(record.deals), 15))
    win[(record.scores < 0).any(axis=1)] = np.nan
    values = valued._replace(discards=valued.discards.with_outcomes(Outcomes.of_nested(win)))
    with patch("cribev.reviews.review.value_discards", lambda *_, **__: values):
        return review(record, **options)


def published(file):
    """The rows of a table from elsewhere, whose first lines say where it is from."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [*csv.DictReader(line for line in lines if not line.startswith("#"))]


def names(cards):
    return format_cards(cards).split()


def with_cell(frame, row, column, value):
    """Write another value into a cell of a record."""
    cells = [value if place == row else cell for place, cell in frame[column].items()]
    return frame.assign(**{column: pd.Series(cells, index=frame.index, dtype=object)})


def play_until(game, *phases):
    """Play on until such a phase or the end, the player as one who takes what counts now."""
    while game.phase not in phases and game.winner is None:
        if game.phase == "next":
            game.next_deal(PLAYER)
        else:
            turn = game.turn if game.phase == "play" else int(game.to_do(PLAYER) == "wait")
            game.make(decide(Level("greedy"), game, turn))


def game_against_casual(seed, *, resigned=False):
    """Play a game in which the player takes what counts now; a resigned one ends in its play."""
    game, greedy = Game(seed), Level("greedy")
    while game.winner is None and not (resigned and len(game.deal.play.played) == 3):
        answer_moves(game, "casual")
        if game.phase == "next":
            game.next_deal(PLAYER)
        elif game.winner is None:
            game.make(decide(greedy, game, PLAYER))
    if game.winner is None:
        game.resign(PLAYER)
    return game


def miscounted_table(game, *, seed=1):
    """The record of a game that You lost, whose hands You counted a point or two low at times."""
    rng, loser = np.random.default_rng(seed), 1 - game.winner
    missed, cells = [0, 0], {}
    deals = tuple(deal for deal in game.deals if deal.starter is not None)
    for deal in deals:
        of_deal = [event for event in game.events if event.deal == deal.number]
        before, last = list(missed), deal.number == game.deal.number
        for event in of_deal:
            if event.show is not None and event.player == loser and not last:
                missed[loser] += min(event.show.total, int(rng.integers(3)))
        for player in (0, 1):
            role = game.record.role(deal.number, player)
            own, other = (
                f"{points[player] - gone[player]}-{points[1 - player] - gone[1 - player]}"
                for points, gone in (
                    (_before(game, deal.number), before),
                    (of_deal[-1].score, missed),
                )
            )
            broken_off = game.resigned and last
            cells[deal.number, role] = {"score": own, "score_after": "" if broken_off else other}
    players = ("Expert", "You") if loser else ("You", "Expert")
    played = replace(game.record, players=players, name="1", deals=deals)
    table = games_table([played], [cells])
    order = np.lexsort((table["player"] != "You", table["deal"].map(int)))
    return table.iloc[order].reset_index(drop=True)


def _before(game, number):
    return [(0, 0), *(event.score for event in game.events if event.deal < number)][-1]


def deal_by_players(game, deal=None):
    """A deal of a game as its rules have it, all of it, pairs by player."""
    deal = deal or game.deal
    roles = [game.record.role(deal.number, player) for player in (0, 1)]
    return SimpleNamespace(
        number=deal.number,
        dealer=game.record.dealer(deal.number),
        score=deal.score.seen_by(roles[0]),
        hands=tuple(deal.held(role).dealt for role in roles),
        discards=tuple(deal.held(role).discard for role in roles),
        left=tuple(deal.left(role) for role in roles),
        cut=draw_cards(game.seed, deal.number)[12],
        starter=deal.starter,
        steps=[(roles.index(step.role), step.card) for step in deal.play.steps],
        played=deal.play.played,
    )


def deals_by_players(game):
    return [deal_by_players(game, deal) for deal in game.deals]
