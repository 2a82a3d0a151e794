"""What a player chose in games that were reviewed, kept so that mistakes come back."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from cribev.game.cards import RANKS, format_cards, rank_of
from cribev.game.deal import Deal
from cribev.game.score import opposite_role, role_of
from cribev.practice.problems import Problem
from cribev.practice.store import GAME, Store, StoredDecision, stored_decision
from cribev.reviews.record import HINTS, Record
from cribev.reviews.reviewed import Review

_SEAT = ("game", "deal", "role")


def stored_decisions(
    found: Review, player: str, record: Record, *, session: str = ""
) -> list[StoredDecision]:
    """List as rows of the store what a player chose in deals whose cards are all known.

    The `record` is the whole of which the review may have one player's rows. Each game is a session
    by itself, named by its cards, unless a name is given. What was chosen after a hint is left out,
    and what skunks decide: practice is judged by points, or by wins.
    """
    names = {
        game: session or sha256("".join(one["cards"] + one["discard"]).encode()).hexdigest()[:16]
        for game, one in record.frame.groupby("game", sort=False)
    }
    seats = zip(*(record.frame[name] for name in _SEAT), strict=True)
    rows = {seat: row for row, seat in enumerate(seats)}
    kept = list[StoredDecision]()
    for row in found.record.rows_of(player).tolist():
        game, number, role = (found.decisions[name].iloc[row] for name in _SEAT)
        deal, other = found.record.deal(row), rows.get((game, number, opposite_role(role)))
        if other is None or deal.starter is None:
            continue
        deal = deal.with_held(opposite_role(role), record.deal(other).held(opposite_role(role)))
        kept += [
            stored_decision(*one, session=names[game], kind=GAME)
            for one in _decisions(found, row, deal)
        ]
    return kept


def save_decisions(store: Store, rows: list[StoredDecision]) -> None:
    """Save rows of games, each game once; or `StoreError`."""
    for session in dict.fromkeys(one.session for one in rows):
        store.save(*(one for one in rows if one.session == session))


def _decisions(found: Review, row: int, deal: Deal) -> Iterator[tuple[Problem, Mapping[str, Any]]]:
    """List what a player chose in a deal, and what the review says of it."""
    role = role_of(found.record.dealer[row])
    seat = {str(name): cell for name, cell in found.decisions.iloc[row].items()}
    asked = set(str(seat.get(HINTS, "")).split())
    laid = {found.cards["number"].iloc[at]: at for at in (found.graded.rows == row).nonzero()[0]}
    for position, chosen in deal.decisions(role):
        of_card = position.to_do == "card"
        number = len(position.play.laid) + 1 if of_card else "discard"
        if str(number) in asked:
            continue
        graded = _graded_card(found, laid.get(number)) if of_card else seat
        by_wins = graded is not None and graded.get("judged_by") == "win"
        if graded is None or (found.is_staked and by_wins):
            continue
        if of_card:  # by rank, where the record tells no suit
            same = [card for card in position.legal if card >> 2 == rank_of(chosen[0])]
            graded["card"] = format_cards(chosen if chosen[0] in same else same[:1])
        known = replace(deal, play=position.play, score=deal.score if by_wins else None)
        theirs = deal.held(opposite_role(role))
        yield Problem.of(role, position.held, theirs, known), graded


def _graded_card(found: Review, at: int | None) -> dict[str, Any] | None:
    """Return what the review says of a card; None without a choice."""
    valued = None if at is None else found.graded.valued[at]
    if at is None or valued is None:
        return None
    row: dict[str, Any] = {str(name): cell for name, cell in found.cards.iloc[at].items()}
    options = valued.options if row.get("judged_by") == "win" else valued.options.by_points
    best = sorted(RANKS.index(one.card) for one in options.rows if one.rank == 1)
    return row | {
        "best_card": " ".join(RANKS[rank] for rank in best),
        "ev_loss": row["loss"],
        "rank": options.option(row["card"]).rank,
    }
