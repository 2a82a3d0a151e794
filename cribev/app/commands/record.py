"""The command ``cribev record``: a game at a real board, entered as it is played."""

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from cribev.commands import options
from cribev.errors import CribevError, quote
from cribev.game import score as scores
from cribev.game.cards import format_cards
from cribev.game.roles import ROLES, Role, as_role
from cribev.game.stakes import Stakes
from cribev.rows.lines import STANDARD_STREAM, format_of
from cribev.system.files import check_writable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cribev.app.games.board import BoardGame, StoredBoard
    from cribev.app.games.course import GameEvent

_EXAMPLES = """\
examples:
  cribev record -o game.csv
  cribev record --pone --score 10-4 -o game.csv
  cribev record --new --dealer -o monday.csv
  cribev record -o game.csv && cribev review game.csv --player You

Type your six cards, 5H 5D JS QC 2H 8D, then the two you discard, the starter, and
each card as it falls. Of your own cards the rank will do. go is your opponent's go;
yours are said for you. After the play each hand is counted: Enter if that is what
was counted, or the points that were. - is a discard that you did not see.

back takes the last answer back. ? shows what is advised, and is noted: a review
leaves such a choice out of the accuracy. quit or the end of the input (Ctrl-D) ends
it for now: what was entered is kept, the next cribev record goes on with it, and so
does Play under cribev serve. Once the game is over its record is written, for
cribev review. end says that it ended before somebody had won: it is graded as far as
it went, but for the cards of a play that was not finished.
"""


def _add_arguments(record: options.Parser) -> None:
    record.add(
        "-o --output FILE", "write the record to a file named .csv, .tsv, .jsonl or .parquet; "
        "without it, CSV to standard output",
    )  # fmt: skip
    record.add("--force", "replace an existing file")
    record.add("--new", "begin a game, though another goes on")
    options.add_roles(record)
    record.add("--score YOURS-THEIRS", "the score at which the game begins (default: 0-0)")
    options.add_stakes(record, "for the advice and the review")


def _record(arguments: argparse.Namespace) -> None:
    output = arguments.output or STANDARD_STREAM
    form = format_of(output, None if output != STANDARD_STREAM else "csv")
    if output != STANDARD_STREAM:
        check_writable(output, force=arguments.force)
    elif arguments.force:
        raise CribevError("--force goes with -o FILE")
    starred = scores.Score.role_by_star(arguments.score, arguments.role)
    stakes = Stakes.read(arguments.stakes)
    from cribev.app.games.board import local_boards

    boards = local_boards()
    going = [] if arguments.new else boards.latest(over=False)
    begins = options.given(arguments, "role", "score", "stakes")
    if going and begins:
        raise CribevError(f"{begins} begins a game, and one goes on: --new begins another")
    if going:
        name, stored = going[0]
        options.warn(f"the game of {stored.at[:10]} goes on; --new begins another")
    else:
        role = as_role(starred) if starred else _asked_role()
        if role is None:
            return
        start = scores.as_score(arguments.score or (0, 0), role)
        name = boards.begin(role, start, stakes)
        stored = boards.find(name)
    _Dialogue(name, stored).run(output, form, force=arguments.force)


def _asked_role() -> Role | None:
    """Ask who deals first; None at the end of the input."""
    while text := options.prompt("Who deals first, you (dealer) or your opponent (pone)? "):
        if (word := text.strip().lower()) in ROLES:
            return as_role(word)
        if word == _QUIT:
            return None
        _say(f"{quote(text.strip())}: expected dealer if you deal, or pone")
    return None


class _Dialogue:
    """A game entered line by line; what was entered is kept after each."""

    def __init__(self, name: str, stored: "StoredBoard") -> None:
        self._name, self._stored, self._line = name, stored, 0

    def run(self, output: str, form: str, *, force: bool) -> None:
        """Ask until the game is over, and write its record; or until the player leaves."""
        from cribev.app.games.board import local_boards

        game = self._stored.game()
        self._tell(game, game.events[-_RECALLED:])
        while text := options.prompt(self._question(game)):
            self._line += 1
            word = text.strip()
            if word.lower() == _QUIT:
                break
            try:
                game = self._answered(game, word)
            except CribevError as error:
                if not sys.stdin.isatty():
                    raise CribevError(f"line {self._line}: {error}") from error
                _say(str(error))
                continue
            self._stored = replace(self._stored, entries=tuple(game.entries))
            if game.asks == "over":
                self._tell(game, game.news)
                _write(game, output, form, force=force)  # if it cannot be, the last is asked again
            local_boards().save(self._name, self._stored, over=game.asks == "over")
            if game.asks == "over":
                return
            self._tell(game, game.news)
        _say("what was entered is kept: cribev record goes on with it")

    def _answered(self, game: "BoardGame", word: str) -> "BoardGame":
        """Return the game after a line."""
        if word.lower() in _BACK:
            if not game.entries:
                raise CribevError("there is nothing to take back")
            return self._stored.game(len(game.entries) - 1)
        if word == "?":
            return self._advised(game)
        if not word and game.asks != "count":
            return game
        changed = game.copy()
        changed.enter(word or "=")
        return changed

    def _advised(self, game: "BoardGame") -> "BoardGame":
        """Show what is advised, and note it; or say what is typed."""
        if game.asks not in ("discard", "card"):
            _say(_HELP[game.asks])
            return game
        from cribev.app.games.hints import advised
        from cribev.game import render

        render.show(advised(game.position(0), self._stored.stakes), file=sys.stderr)
        changed = game.copy()
        changed.enter("?")
        return changed

    def _tell(self, game: "BoardGame", events: "Sequence[GameEvent]") -> None:
        """Say what happened, and show the hand that is to be counted."""
        from cribev.advice.decisions import line_text
        from cribev.app.games.course import happened

        for one in events:
            _say(f"{line_text(happened(one))}.")
        if game.asks == "count" and (show := game.to_count[2]):
            from cribev.game import render

            render.show(show, file=sys.stderr)

    def _question(self, game: "BoardGame") -> str:
        """Ask for the next entry, beside what its player has to see for it."""
        own, theirs = game.score
        if game.asks == "count":
            return f"{game.question}; Enter, or the points that were counted: "
        beside = f"{own}-{theirs}"
        if game.asks == "discard":
            beside = format_cards(game.position(0).left)
        elif game.asks in ("card", "reply"):
            position = game.position(0)
            held = format_cards(position.left) or "nothing"
            beside = f"count {position.play.count}, you hold {held}"
        if game.asks == "crib":
            return f"[{beside}] {game.question} (- if not seen) "
        return f"[{beside}] {game.question.rstrip('?')}{'? ' if '?' in game.question else ': '}"


def _write(game: "BoardGame", output: str, form: str, *, force: bool) -> None:
    """Write the record of a game."""
    from cribev.app.games.records import board_table
    from cribev.rows.files import open_sink

    table = board_table(game)
    with open_sink(output, form, force=force) as sink:
        sink.write(list(table.columns), [table[name].tolist() for name in table.columns], {})
    if output != STANDARD_STREAM:
        options.warn(f"{quote(output, most=200)} written: cribev review says how it went")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


_QUIT, _BACK = "quit", ("back", "b", "u")  # q is a queen
_RECALLED = 3  # events that are told again when a game goes on
_HELP = {
    "hand": "type your six cards, 5H 5D JS QC 2H 8D, or some of them",
    "starter": "type the card cut, 4C",
    "reply": "type the card your opponent plays, 7D, or go",
    "crib": "type the two cards your opponent discarded, 9S KD, or - if you did not see them",
    "count": "press Enter if it was counted so, or type the points that were",
    "over": "the game is over",
}

RECORD = options.Command(_EXAMPLES, _add_arguments, _record)
