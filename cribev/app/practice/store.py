"""What you chose in every session, saved in the database in the user's data folder.

Rows that were changed after they were written are ignored.
"""

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b, sha256
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple, TypeAlias

from cribev.advice.verdicts import CARD_BANDS, DEFAULT_BANDS, VERDICTS, WIN_BANDS
from cribev.app.games.database import Database, StoreError, database_path
from cribev.app.practice.problems import Problem, card_advice
from cribev.classes.ranking import TIE_TOLERANCE
from cribev.game.cards import RANKS, format_cards, parse_card_text, rank_of
from cribev.game.deal import Deal, Held, Position
from cribev.game.roles import opposite_role, role_of
from cribev.game.words import pluralize
from cribev.leaks import groups as leaks
from cribev.records.record import HINTS, Record
from cribev.reviews.findings import Review

DEALT, HARD, SCORED, AGAIN, GAME = "dealt", "hard", "scored", "again", "game"
"""What kind of decision it was: of any problem, of a hard one, of a hand at a score, of one that
came back, or of a game that was played."""

SESSION_NAME = re.compile(r"[0-9a-f]{1,32}")  # what `new_session_name` draws is like

_MAX_PENDING = 1000
_LUCK = ("margin", "deal_luck", "starter_luck", "crib_swing", "result")
_CHANCES = ("win", "best_win", "win_loss")
_SEAL = "seal"  # the column that tells whether a row is as it was written
_TYPES: dict[Any, str] = {
    str: "TEXT NOT NULL",
    float: "REAL NOT NULL",
    int: "INTEGER NOT NULL",
    str | None: "TEXT",
    float | None: "REAL",
}
"""The types of columns, by those of a row."""


class StoredDecision(NamedTuple):
    """A decision as a row of the store; points are as in `cribev.reviews.findings.Review`."""

    session: str  # a name that the decisions of one session share
    at: str  # when, in UTC
    kind: str  # `DEALT`, `HARD`, `SCORED`, `AGAIN` or `GAME`
    position: str
    """What the player knew, as `cribev.Position` writes it; with a score if chances to win decide
    the verdict."""
    opponent: str
    """The cards the opponent kept and discarded, as `cribev.game.deal.Held` writes them."""
    starter: str
    seed: str | None
    number: int
    chosen: str  # the two cards discarded, or the card laid
    best: str  # the best discard by points, or the ranks that are best to lay
    expected: float
    best_expected: float
    loss: float
    rank: int
    margin: float | None  # of a discard, as all that is luck
    deal_luck: float | None
    starter_luck: float | None
    crib_swing: float | None
    result: float | None
    win: float | None  # chances to win, if they decide the verdict
    best_win: float | None
    win_best: str | None  # the discard that wins most
    win_loss: float | None

    @property
    def problem(self) -> Problem:
        """The problem; `CribevError` if the row is damaged."""
        return _problem(self.position, self.opponent, self.starter, self.seed, self.number)

    @property
    def unscored(self) -> str:
        """The position without its score."""
        return self.position.partition("@")[0]

    @property
    def is_discard(self) -> bool:
        """Whether it is a discard, rather than a card played."""
        return len(self.chosen.split()) > 1

    @property
    def verdict(self) -> str:
        """One of `cribev.advice.verdicts.VERDICTS`, by chances to win where these decide."""
        bands = DEFAULT_BANDS if self.is_discard else CARD_BANDS
        lost, tied = self.loss, self.rank == 1
        if self.win_loss is not None:
            lost, tied, bands = self.win_loss, self.win_loss <= TIE_TOLERANCE, WIN_BANDS
        level = sum(lost >= least - TIE_TOLERANCE for least in bands)
        return VERDICTS[0 if tied else level + 1]


_KEY = "session", "number", "position"  # by what a row is known
_PLACE = f"FROM decisions WHERE ({', '.join(_KEY)}) IS (?, ?, ?)"
_DECISIONS = (
    "CREATE TABLE IF NOT EXISTS decisions (id INTEGER PRIMARY KEY, "
    + ", ".join(f"{name} {_TYPES[of]}" for name, of in StoredDecision.__annotations__.items())
    + f", {_SEAL} TEXT, UNIQUE ({', '.join(_KEY)}))"
)
_CARD_LEVELS = """CREATE TABLE IF NOT EXISTS card_levels (
    position TEXT PRIMARY KEY, club REAL NOT NULL, expert REAL NOT NULL)"""
_DEFINITIONS = _DECISIONS, _CARD_LEVELS


def new_session_name() -> str:
    """Draw a name for a session."""
    return token_hex(8)


def stored_decision(
    problem: Problem, row: Mapping[str, Any], *, session: str, kind: str
) -> StoredDecision:
    """Make the row of a decision; chances to win are saved where the problem has a score."""
    chosen, best = ("discard", "best_discard") if problem.is_discard else ("card", "best_card")
    names = ["expected", "best_expected", "loss", "rank"]
    names += [*_LUCK] * problem.is_discard + ([*_CHANCES] if problem.deal.score is not None else [])
    known: dict[str, Any] = dict.fromkeys((*_LUCK, *_CHANCES))
    for name in names:
        value: Any = row.get(name)
        value = value.item() if hasattr(value, "item") else value
        known[name] = None if value != value else value  # the luck of a crib that nobody saw
    scored = problem.is_discard and problem.deal.score is not None
    return StoredDecision(
        session=session,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        kind=kind,
        position=str(problem.position),
        opponent=str(problem.opponent_held),
        starter=format_cards([problem.starter]),
        seed=None if problem.seed is None else str(problem.seed),
        number=problem.number,
        chosen=row[chosen],
        best=row[best],
        win_best=row["win_discard"] if scored else None,
        **known,
    )


class Store:
    """Decisions in the database; what cannot be saved is tried again."""

    def __init__(self, path: Path | None, *, wait: float = 5.0) -> None:
        """Use a file, of `database_path`; ``wait`` seconds for another program's lock."""
        self._database = Database(path, wait=wait)
        self.last_error = ""
        self._pending: dict[StoredDecision, None] = {}

    @property
    def path(self) -> Path:
        """The file."""
        return self._database.path

    @property
    def pending(self) -> int:
        """How many decisions could not be saved so far."""
        return len(self._pending)

    def save(self, *rows: StoredDecision) -> None:
        """Save what is new, and what is pending: all or none; of equal problems the first."""
        self._pending |= dict.fromkeys(rows)
        for one in list(self._pending)[:-_MAX_PENDING]:
            self._pending.pop(one, None)
        pending = list(self._pending)
        try:
            self._write(pending)
        except StoreError as error:
            self.last_error = str(error)
            raise
        self.last_error = ""
        for one in pending:
            self._pending.pop(one, None)

    def read(
        self, session: str | None = None, warn: Callable[[str], object] | None = None
    ) -> list[StoredDecision]:
        """Return all decisions, or a session's, the oldest first; ``warn`` of rows left out."""
        where, names = ("", ()) if session is None else (" WHERE session = ?", (session,))
        with self._database.reading("decisions") as database:
            if database is None:
                return []
            # By place, as a column had another name in earlier versions.
            rows = database.execute(f"SELECT * FROM decisions{where} ORDER BY id", names)
            found = [(StoredDecision(*row), seal) for _, *row, seal in rows]
        good = [one for one, seal in found if _sealed(one) == seal]
        if warn is not None and (damaged := len(found) - len(good)):
            are = "is" if damaged == 1 else "are"
            every = pluralize(len(found), "decision")
            warn(f"{self._database.name}: {damaged:,} of {every} {are} damaged, left out")
        return good

    def remove(self, session: str, problem: Problem) -> None:
        """Remove what a session chose in a problem."""
        key = (session, problem.number, str(problem.position))
        for one in list(self._pending):
            if (one.session, one.number, one.position) == key:
                self._pending.pop(one, None)
        if self._database.is_there():
            with self._database.writing(*_DEFINITIONS) as database:
                database.execute(f"DELETE {_PLACE}", key)

    def clear(self) -> int:
        """Delete all decisions, and return how many."""
        self._pending.clear()
        if not self._database.is_there():
            return 0
        with self._database.writing(*_DEFINITIONS) as database:
            database.execute("PRAGMA secure_delete = ON")
            database.execute("DELETE FROM card_levels")
            database.execute("DROP TABLE IF EXISTS counts")  # hands counted in earlier versions
            deleted = database.execute("DELETE FROM decisions").rowcount
            database.commit()
            with suppress(sqlite3.Error):  # what was there is overwritten already
                database.execute("VACUUM")
            return deleted

    def card_levels(self, positions: Iterable[str]) -> dict[str, tuple[float, ...]]:
        """Return what a club player and an expert lose in positions of the play, in points.

        What is not known yet is worked out, a hundredth of a second each, and kept.
        """
        known, wanted = dict[str, tuple[float, ...]](), dict.fromkeys(positions)
        with suppress(StoreError), self._database.reading("card_levels") as database:
            found = database.execute("SELECT * FROM card_levels").fetchall() if database else []
            known = {position: tuple(lost) for position, *lost in found}
        missing = {
            position: leaks.level_losses(card_advice(Position.parse(position)).options)
            for position in wanted
            if position not in known
        }
        with suppress(StoreError):
            if missing:
                self._keep_levels(missing)
        return known | missing

    def _keep_levels(self, levels: Mapping[str, tuple[float, ...]]) -> None:
        with self._database.writing(*_DEFINITIONS) as database:
            database.executemany(
                "INSERT OR REPLACE INTO card_levels VALUES (?, ?, ?)",
                [(position, *lost) for position, lost in levels.items()],
            )

    def _write(self, rows: Sequence[StoredDecision]) -> None:
        values = ", ?" * (len(StoredDecision._fields) + 1)
        with self._database.writing(*_DEFINITIONS) as database:
            for one in rows:  # what is damaged makes room
                place = [getattr(one, name) for name in _KEY]
                old = database.execute(f"SELECT * {_PLACE}", place).fetchone()
                if old and _sealed(old[1:-1]) != old[-1]:
                    database.execute(f"DELETE {_PLACE}", place)
            database.executemany(
                f"INSERT INTO decisions VALUES (NULL{values}) "
                f"ON CONFLICT ({', '.join(_KEY)}) DO NOTHING",
                [(*one, _sealed(one)) for one in rows],
            )


@lru_cache(10_000)
def _problem(position: str, opponent: str, starter: str, seed: str | None, number: int) -> Problem:
    known = Position.parse(position)
    deal = Deal(
        starter=int(parse_card_text(starter)[0]), play=known.play, score=known.score, number=number
    )
    of_seed = None if seed is None else int(seed)
    return Problem.of(known.role, known.held, Held.parse(opponent), deal, of_seed)


def _sealed(row: Sequence[Any]) -> str:
    """Derive from a row what is written beside it: another text if anything in it is changed."""
    return blake2b(json.dumps([*row], default=repr).encode(), digest_size=8).hexdigest()


_SEAT = ("game", "deal", "role")


def stored_decisions(
    found: Review, player: str, record: Record, *, session: str = ""
) -> list[StoredDecision]:
    """List as rows of the store what a player chose in deals whose starter is known.

    Cards are listed where the opponent's hand is known, or what it played, and discards anyhow.

    The `record` is the whole of which the review may have one player's rows. Each game is a session
    by itself, named by its cards, unless a name is given. What was chosen after a hint is left out,
    and what skunks decide: practice is judged by points, or by wins, and against an expert.
    """
    if not found.thrower.is_expert:
        return []
    names = {game: session or name for game, name in named_games(record).items()}
    every = zip(*(record.frame[name] for name in _SEAT), strict=True)
    rows = {seat: row for row, seat in enumerate(every)}
    kept = list[StoredDecision]()
    for row in found.record.rows_of(player).tolist():
        game, number, role = (found.decisions[name].iloc[row] for name in _SEAT)
        across = opposite_role(role)
        deal, other = found.record.deal(row), rows.get((game, number, across))
        seats = [row] if other is None else [row, other]
        if deal.starter is None or record.lacks_suits[seats].any():
            continue
        laid = deal.play.laid_by(across)
        if other is not None:
            deal = deal.with_held(across, record.deal(other).held(across))
        elif len(laid) == len(deal.held(role).kept) and max(laid) < 4 * len(RANKS):  # with suits
            deal = deal.with_held(across, Held.of(laid, deal.held(across).discard))
        kept += [
            stored_decision(*one, session=names[game], kind=GAME)
            for one in _decisions(found, row, deal)
            if deal.held(across).kept or one[0].is_discard
        ]
    return kept


def named_games(record: Record) -> dict[str, str]:
    """Name each game of a record by its cards, whatever file it comes from."""
    return {
        str(game): sha256("".join(one["cards"] + one["discard"]).encode()).hexdigest()[:16]
        for game, one in record.frame.groupby("game", sort=False)
    }


def save_decisions(store: Store, rows: list[StoredDecision]) -> None:
    """Save rows of games, each game once, whatever file they come from; or `StoreError`."""
    kept = dict[str, set[_Choice]]()
    with suppress(StoreError):  # what cannot be read now waits to be saved
        for one in store.read():
            if one.kind == GAME:
                kept.setdefault(one.session, set()).add(_choice(one))
    for session in dict.fromkeys(one.session for one in rows):
        own = {_choice(one): one for one in rows if one.session == session}
        # The same game has the same discards, as far as both are known.
        known = next((name for name, made in kept.items() if _are_alike(made, {*own})), session)
        new = own.keys() - kept.get(known, set())
        store.save(*(one._replace(session=known) for key, one in own.items() if key in new))
    store.card_levels(one.unscored for one in rows if not one.is_discard)  # for what to mend first


_Choice: TypeAlias = tuple[str, str, str]


def _choice(one: StoredDecision) -> _Choice:
    """Tell a choice by what the player knew, the starter, and what was chosen."""
    return one.unscored, one.starter, one.chosen


def _are_alike(made: set[_Choice], others: set[_Choice]) -> bool:
    """Return whether the discards of one are all among those of the other."""
    fewer, more = sorted(
        ({one for one in some if " " in one[-1]} for some in (made, others)), key=len
    )
    return bool(fewer) and fewer <= more


def keep_for_practice(found: Review, player: str, record: Record) -> int:
    """Save what a player chose in a review of this record or of a part; return how much is kept."""
    rows = stored_decisions(found, player, record)
    save_decisions(Store(database_path()), rows)
    return len(rows)


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
        "rank": options.option(row["card"]).rank,
    }
