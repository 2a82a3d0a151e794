"""A player that is a file of Python, in a process of its own: it spoils nothing that others do.

Both sides send texts of JSON: what is asked, with a position as text, and what the program answers.
"""

import io
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from cribev.app.games.players import Player, ask_for_card, ask_for_discard
from cribev.errors import MoveError, PlayerError, describe, quote
from cribev.game.cards import Cards
from cribev.game.deal import Position
from cribev.game.roles import Role
from cribev.system.processes import blocked_in_children, end_group, end_with_parent, lead_group
from cribev.system.signals import ENDING

_SECONDS = 1.0  # between looks whether the process is there, while it thinks
_SILENT = 10  # so many looks before it is said that it thinks


class Program:
    """The class ``Player`` of a file, in a process of its own; `PlayerError` if there is none."""

    def __init__(self, path: str) -> None:
        self._name = path
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, path), daemon=True)
        with blocked_in_children(*ENDING):
            self._process.start()
        theirs.close()
        try:
            self._answer()
        except BaseException as error:
            self.close()
            if isinstance(error, PlayerError):
                raise PlayerError(f"cannot load {quote(path)}: {error}") from error
            raise

    def close(self) -> None:
        """End the process, and those that it started and left in its group."""
        self._pipe.close()
        end_group(self._process)

    def discard(self, deal: Cards, *, role: Role, score: tuple[int, int]) -> list[int]:
        """Ask for the two cards that go to the crib."""
        return self._ask({"deal": deal.tolist(), "role": role, "score": score})

    def lay(self, position: Position) -> int:
        """Ask for the card to lay."""
        (card,) = self._ask({"position": str(position)})
        return card

    def _ask(self, question: dict[str, Any]) -> list[int]:
        with suppress(OSError):  # it has ended, and is told of so
            self._pipe.send_bytes(json.dumps(question).encode())
        return self._answer()

    def _answer(self) -> list[int]:
        """Wait for the answer; a copy of the process may hold the pipe open after its end."""
        looks = 0
        try:
            while not self._pipe.poll(_SECONDS):
                if not self._process.is_alive() and not self._pipe.poll():
                    raise EOFError
                if (looks := looks + 1) == _SILENT:
                    waits = f"has not answered for {_SILENT * _SECONDS:.0f} seconds: waiting for it"
                    sys.stderr.write(f"\ncribev: {quote(self._name, most=300)} {waits}\n")
            answer = json.loads(self._pipe.recv_bytes())
        except (EOFError, OSError) as error:
            self._process.join(_SECONDS)
            status = self._process.exitcode
            raise PlayerError(f"ended its process, with status {status}") from error
        if "cards" not in answer:
            raise (MoveError if "move" in answer else PlayerError)(next(iter(answer.values())))
        cards: list[int] = answer["cards"]
        return cards


class _Printed(io.TextIOWrapper):
    """Standard error, for all that a program prints; the line it is in can be ended."""

    def __init__(self) -> None:
        error = io.FileIO(2, "w", closefd=False)
        super().__init__(cast(BinaryIO, error), errors="backslashreplace", write_through=True)
        self._last = "\n"

    def write(self, text: str) -> int:
        self._last = text[-1:] or self._last
        return super().write(text)

    def end_line(self) -> None:
        """Begin a new line, unless one begins."""
        if self._last != "\n":
            with suppress(OSError, ValueError):  # nobody reads it, or the program has closed it
                self.write("\n")


def _serve(pipe: Connection, path: str) -> None:
    """Answer what is asked, in a process that has no other task."""
    lead_group()
    end_with_parent()
    os.dup2(2, 1)  # what a program prints is no data
    sys.stdout = sys.stderr = printed = _Printed()
    own = os.getpid()
    answer: dict[str, Any] = {"cards": []}
    try:
        player = _load_player(path)
    except PlayerError as error:
        answer = {"player": str(error)}
    except BaseException as error:  # whatever it is: it is told, and the process ends
        answer = {"player": f"it raised {describe(error)}"}
    while os.getpid() == own:  # not a copy that the program has made of itself
        if "cards" not in answer:
            printed.end_line()  # before the line that tells of it
        try:
            pipe.send_bytes(json.dumps(answer).encode())
            question = json.loads(pipe.recv_bytes())
        except (EOFError, OSError):  # one of both has closed it
            break
        try:
            answer = {"cards": _choose(player, question)}
        except MoveError as error:
            answer = {"move": str(error)}
        except BaseException as error:
            answer = {"player": f"raised {describe(error)}"}
    os._exit(0)


def _choose(player: Player, question: dict[str, Any]) -> Sequence[int]:
    if "position" in question:
        return [ask_for_card(player, Position.parse(question["position"]))]
    deal, (own, theirs) = np.array(question["deal"], dtype=np.uint8), question["score"]
    return ask_for_discard(player, deal, role=question["role"], score=(own, theirs))


def _load_player(path: str) -> Player:
    """Make a player by the class ``Player`` of a file."""
    file = Path(path)
    name = f"cribev_player_{file.stem}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise PlayerError("it is no player: expected a file of Python, mine.py")
    module = module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look for it
    sys.path.insert(0, str(file.resolve().parent))  # for what stands beside it
    spec.loader.exec_module(module)
    if not isinstance(found := getattr(module, "Player", None), type):
        raise PlayerError("there is no class Player in it")
    player: Player = found()
    for method in ("discard(deal, role, score)", "lay(position)"):
        if not callable(getattr(player, method.partition("(")[0], None)):
            raise PlayerError(f"the class Player has no method {method}")
    return player
