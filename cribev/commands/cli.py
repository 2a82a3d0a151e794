"""The command line: finds the command, runs it, and says what went wrong in one line."""

import codecs
import io
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module

import cribev
from cribev.commands.options import Command, Parser, columns_help, with_values
from cribev.errors import CardError, CribevError, quote, unknown
from cribev.game.cards import parse_some_suits
from cribev.rows.names import COLUMN_DESCRIPTIONS

_COMMANDS = {
    "advise": "say which two of six cards to discard, and why",
    "play": "say which card to play now, and why",
    "score": "count a hand of four cards and a starter",
    "peg": "show who pegs what in the play, card by card",
    "review": "review a played game: what was lost, and what was luck",
    "serve": "open pages in the browser: advice, boards, reviews, games",
    "pocket": "write a page that works without a server, on a phone too",
    "batch": "evaluate files of dealt hands",
    "deal": "deal random hands, with roles",
    "tables": "show tables of the solved game: cribs, play, hands, chances to win",
}
_MODULES = {
    "play": "commands.advise", "peg": "commands.score", "deal": "commands.score",
    "serve": "app.commands.serve", "pocket": "app.commands.pocket",
}  # fmt: skip
"""The modules of commands that have none of their own name beside this one."""
_MEANT_BY_CARDS = {6: "advise", 5: "score", 4: "score"}
_IN_ASCII = {
    ord(sign): text
    for signs, texts in (("…–−×±≈’█─", ("...", "-", "-", "x", "+-", "~", "'", "#", "-")),
                         ("♣♦♥♠", "CDHS"), ("♧♢♡♤", "CDHS"))
    for sign, text in zip(signs, texts, strict=True)
}  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status, see `status_of`."""
    words = list(sys.argv[1:] if argv is None else argv)
    return status_of(lambda: _run(words))


def status_of(run: Callable[[], None]) -> int:
    """Run a command; return 0, 2 after a line about bad input, or 1."""
    _open_streams()
    try:
        with suppress(SystemExit):  # how argparse ends help and the version
            run()
        sys.stdout.flush()
        return 0
    except CribevError as error:
        one_line = " ".join(str(error).splitlines())  # arguments may hold line breaks
        with suppress(OSError):
            print(f"cribev: error: {one_line}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        _give_up_output()  # the reader has had enough
        return 0
    except OSError as error:
        with suppress(OSError):
            sys.stdout.flush()  # what was found, where it is a file that cannot be written
        _give_up_output()
        where = "" if error.filename is None else f" {quote(str(error.filename), most=200)}"
        print(f"cribev: error: cannot write{where}: {error.strerror or error}", file=sys.stderr)
        return 1
    except MemoryError:
        with suppress(OSError):
            print("cribev: error: there is not enough memory for this", file=sys.stderr)
        return 1


_POSITION = """\
A position is what one player knows of a deal, as one text:

  role:cards[/discard][:starter[:play]][@yours-theirs]

  dealer:5H5DJSQC2H8D                  six cards, of which two go to the crib
  pone:5H5DJSQC2H8D@95-110             six cards as pone, at a score before the deal
  pone:4H5CJDJS/9CKD:7H:J5@103-104     kept/discarded:starter:cards as they fell
  dealer:68JK:-:2JT8gogo264            no suits, discard and starter not known, two goes

role is dealer or pone. A card is a rank, A23456789TJQK or 10, and a suit, CDHS or
♣♦♥♠; the suit may be missing, card by card. - is a starter that is not known. The
cards fall in turn, pone's first; go is a go that is said. The score has your points
first. Blanks, commas, capitals and dashes between cards mean nothing.

cribev advise and cribev play take it in place of cards and options (advise also
one a line, from standard input), and write it in JSON; so do Ask on the page
(/ask?position=…), and Position.parse in Python.

examples:
  cribev advise dealer:5H5DJSQC2H8D
  cribev play pone:4H5CJDJS/9CKD:7H:J5@103-104 --explain
  cribev play dealer:68JK:-:2JT8gogo2 --format json | jq -r .position
"""


def _run(words: list[str]) -> None:
    if words == ["help", "position"]:
        print(_POSITION, end="")
        return
    if words == ["help", "columns"]:
        print(f"columns of csv and json, numbers in points:\n{columns_help(*COLUMN_DESCRIPTIONS)}")
        return
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if words[:1] == ["--version"]:
        print(f"cribev {cribev.__version__}")
        return
    if not words or words[0] in ("-h", "--help"):
        _overview().print_help()
        return
    if words[0].startswith("-"):
        raise CribevError(unknown("option", words[0], [], expected="a command first"))
    if words[0] not in _COMMANDS:
        raise CribevError(_no_command(words))
    name, purpose = words[0], _COMMANDS[words[0]]
    module = import_module(f"cribev.{_MODULES.get(name, f'commands.{name}')}")
    purpose = f"{purpose[0].upper()}{purpose[1:]}."
    run_command(getattr(module, name.upper()), f"cribev {name}", purpose, words[1:])


def run_command(command: Command, program: str, purpose: str, words: list[str]) -> None:
    """Run a command with its arguments; `CribevError` if it does not take them."""
    parser = Parser(prog=program, description=purpose, epilog=command.examples)
    command.add_arguments(parser)
    arguments, extra = parser.parse_known_args(with_values(words))
    # argparse takes cards up to the first option only; those after it are cards as well.
    if others := [text for text in extra if text.startswith("-") and text not in ("-", "--")]:
        option, listed = others[0].partition("=")[0], f"one that {program} --help lists"
        raise CribevError(unknown("option", option, parser.option_names, expected=listed))
    if more := [text for text in extra if text != "--"]:
        if not isinstance(getattr(arguments, "cards", None), list):
            raise CribevError(f"{quote(more[0])} is one word too many for {program}")
        arguments.cards += more
    command.run(arguments)


def _overview() -> Parser:
    parser = Parser(
        prog="cribev",
        description="Exact cribbage advice: what to discard, what to play, and what a game lost.\n"
        "cribev help COMMAND shows the options of one, with examples.",
    )
    parser.add("--version", "show program's version number and exit")
    commands = parser.add_subparsers(metavar="COMMAND")
    for name, purpose in _COMMANDS.items():
        commands.add_parser(name, help=purpose)
    return parser


def _no_command(words: list[str]) -> str:
    """Return the error for a first word that is not a command, but cards or a typing error."""
    cards = " ".join(word for word in words if not word.startswith("-"))
    with suppress(CardError):
        meant = _MEANT_BY_CARDS.get(len(parse_some_suits(cards, ten_cards=True)))
        both = "cribev advise and six cards, or cribev score and five"
        likely = f"cribev {meant} {cards}" if meant else both
        return f"unknown command {quote(words[0])}; did you mean {likely}?"
    expected = f"{', '.join(_COMMANDS)}; cribev help shows more"
    return unknown("command", words[0], _COMMANDS, expected=expected)


def _open_streams() -> None:
    """Open the streams that are closed, and let none of them fail on a character."""
    # A failed write to standard output is an error, as on a full disk.
    flags = {"stdin": os.O_RDONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}
    for name, flag in flags.items():
        if getattr(sys, name) is None:  # it stays open for the life of the process
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(os.open(os.devnull, flag), mode, encoding="utf-8"))
    codecs.register_error("cribev", _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="cribev")


def _in_ascii(error: UnicodeError) -> tuple[str | bytes, int]:
    """Write in ASCII what the encoding of an output lacks."""
    if isinstance(error, UnicodeEncodeError):
        if text := _IN_ASCII.get(ord(error.object[error.start])):
            return text, error.start + 1
        error.end = error.start + 1
    return codecs.backslashreplace_errors(error)


def _give_up_output() -> None:
    """Keep the interpreter from flushing into a closed output when it ends."""
    with suppress(OSError):  # standard output may be no file at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
