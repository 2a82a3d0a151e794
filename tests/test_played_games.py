"""Games played here, as records: what the review reads is what was played, point for point."""

from io import StringIO

import pandas as pd
import pytest
from games import deals_by_players, game_against_casual, miscounted_table, names
from test_game import played

from cribev import review
from cribev.app.games.game import Game
from cribev.app.games.records import game_table
from cribev.errors import RecordError
from cribev.game.roles import opposite_role
from cribev.records.pgn import format_pgn, parse_pgn
from cribev.records.record import as_record
from cribev.records.tally import tally_deals


def check(game, record):
    """The record has the cards, the points in the play and the scores of the game."""
    rows = record.frame.to_dict(orient="records")
    every = deals_by_players(game)
    deals = [deal for deal in every if all(deal.discards)]
    assert len(rows) == 2 * len(deals)
    for deal, pair in zip(deals, zip(rows[::2], rows[1::2], strict=True), strict=True):
        after = every[deal.number].score if deal.number < len(game.deals) else game.score
        for row in pair:
            player = 0 if row["player"] == "You" else 1
            assert (row["role"] == "dealer") == (deal.dealer == player)
            assert row["cards"].split() == names(deal.hands[player])
            assert row["discard"].split() == names(deal.discards[player])
            assert row["opponent_discard"].split() == names(deal.discards[1 - player])
            own, other = deal.score[player], deal.score[1 - player]
            assert row["score"].replace("*", "") == f"{own}-{other}"
            if not game.resigned or deal.number < len(game.deals):
                assert row["score_after"] == f"{after[player]}-{after[1 - player]}"
            if deal.number < len(game.deals):
                pegged = sum(
                    event.points for event in game.events
                    if event.deal == deal.number and event.kind in ("play", "go")
                    and event.scorer == player
                )  # fmt: skip
                assert row["pegged"] == pegged


@pytest.mark.slow
def test_the_record_is_the_game_however_it_ends():
    ends = set()
    for seed in range(16):
        game = played(seed)
        record = as_record(game_table(game))
        assert record.notes == ()
        check(game, record)
        if (kind := game.events[-2].kind) not in ends:
            ends.add(kind)
            again = pd.read_csv(StringIO(record.frame.to_csv(index=False)), dtype=str)
            check(game, as_record(again))
            check(game, as_record(parse_pgn(format_pgn(record))))
    assert ends >= {"play", "hand"}


@pytest.fixture(scope="module")
def against_casual():
    """Games by seed: the second is resigned in the play, a jack cut ends the last."""
    return {seed: game_against_casual(seed, resigned=seed == 3) for seed in (0, 3, 22)}


@pytest.mark.parametrize("miscounts", [False, True])
def test_every_score_sheet_adds_up(against_casual, miscounts):
    """The points of a sheet, and what it cannot tell apart, are how far each player moved."""
    unexplained = 0
    for seed, game in against_casual.items():
        record = as_record(miscounted_table(game, seed=seed) if miscounts else game_table(game))
        for row, tallies in enumerate(tally_deals(record)):
            number, role = int(record.frame["deal"][row]), record.frame["role"][row]
            moves = (record.scores_after[row] - record.scores[row]).tolist()
            for player, moved in zip((role, opposite_role(role)), moves, strict=True):
                tally = tallies[player]
                if tally.other is None:  # the play is broken off
                    assert game.resigned
                    assert number == game.deal.number
                    continue
                parts = zip(("pegged", "hand", "crib"), tally, strict=False)
                counted = {part: points for part, points in parts if part not in tally.uncounted}
                assert sum(counted.values()) + tally.other == moved
                seat = 0 if game.record.role(number, 0) == player else 1
                assert counted["pegged"] == sum(
                    event.points for event in game.events
                    if event.deal == number and event.kind in ("starter", "play", "go")
                    and event.scorer == seat
                )  # fmt: skip
                unexplained += bool(tally.other)
    assert (unexplained > 2) == miscounts


@pytest.mark.parametrize("most", [0, 2, 9, 30])
def test_a_game_given_up(most):
    game = played(3, most=most)
    game.resign(0)
    if most:
        check(game, as_record(game_table(game)))
    else:  # nobody has discarded in it
        with pytest.raises(RecordError, match="there is no deal with a discard"):
            game_table(game)


def test_hints_stand_beside_the_discards():
    game = Game(7, dealer=0)
    game.hint(0)
    game.discard(0, "3H KC")
    game.discard(1, "3C 9H")
    game.play(1, "4D")
    game.hint(0)
    game.resign(0)
    assert game_table(game)["hints"].tolist() == ["discard 2", ""]
    assert as_record(game_table(game)).frame["hints"].tolist() == ["discard 2", ""]


@pytest.mark.parametrize("dealer", [0, 1])
def test_review_begins_with_the_first_player(dealer):
    game = played(11, most=20, dealer=dealer)
    game.resign(0)
    found = review(game_table(game, players=("Me", "A")), fast=True)
    assert found.players["player"].tolist() == ["Me", "A"]
