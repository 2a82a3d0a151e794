"""Your own players: a class in a file or a module, imported into the process of the match."""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from cribev.app.games.errors import PlayerError
from cribev.app.games.players import Player
from cribev.errors import describe, quote

_CLASS = "Player"  # what is meant where no name is given


def program_name(text: str) -> str:
    """Return a player's name: the given one, or that of its file.

    >>> program_name("games/mine.py"), program_name("mine.py:Bold"), program_name("bots.greedy:Bot")
    ('mine', 'Bold', 'Bot')
    """
    where, name = _split(text)
    return name or Path(where).stem


def _split(text: str) -> tuple[str, str]:
    """Split a text into the path of a player and its class, if given; drives have colons too."""
    where, _, name = text.rpartition(":")
    return (where, name) if where and name.isidentifier() else (text, "")


def load_player(text: str) -> Player:
    """Import a player, ``file.py``, ``file.py:Name`` or ``module:Name``, and make it if a class.

    It runs in this process, with all its rights. `PlayerError`, a `CribevError`, if it cannot be
    imported or made, or lacks one of the methods ``discard`` and ``lay``.
    """
    where, name = _split(text)
    name = name or _CLASS
    try:
        found: Any = getattr(_module_of(where), name, None)
        player: Player = found() if isinstance(found, type) else found
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PlayerError(f"cannot load {quote(text)}: it raised {describe(error)}") from error
    if found is None:
        raise PlayerError(f"cannot load {quote(text)}: there is no class {name} in it")
    for method in ("discard(deal, role, score)", "lay(position)"):
        if not callable(getattr(player, method.partition("(")[0], None)):
            raise PlayerError(f"cannot load {quote(text)}: {name} has no method {method}")
    return player


def _module_of(where: str) -> ModuleType:
    """Import a file of Python, or a module by name."""
    if not where.endswith(".py"):
        sys.path.insert(0, str(Path.cwd()))  # as ``python -m`` does
        return import_module(where)
    file = Path(where).resolve()
    name = f"cribev_player_{file.stem}"
    spec = spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    sys.path.insert(0, str(file.parent))  # for what stands beside it
    module = sys.modules[name] = module_from_spec(spec)  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module
