"""Errors of commands and pages, and a few answers, kept in `data/phrases.txt` to be read as a diff.

Each case is a line, `$ cribev …` or `> GET /…`, and below it what it answers. To add one, write
its line; `python tests/phrases.py` writes what every case answers now.
"""

import os
import re
import shlex
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from asking import ask, running, words_of
from shell import run

DATA = Path(__file__).parent / "data"
FILE = DATA / "phrases.txt"
CASE = re.compile(r"^(?=[$>] (?:cribev|GET)\b)", re.MULTILINE)
BLOCK_END = re.compile(r"</(?:p|li|tr|h\d|caption|legend|summary|label|button|option|div)>")
FIGURE = re.compile(r"-?\b\d+(?:\.\d{6,}(?:e[+-]\d+)?|\.?\d*e-\d+)")
INPUT = " <<< "


class Case(NamedTuple):
    """A question, and what is answered."""

    asked: str
    told: str

    def __str__(self):
        return f"{self.asked}\n{self.told}\n\n"


def written(text):
    """Write control characters as escapes, and figures without their last digits."""
    shown = (char if char.isprintable() or char == "\n" else repr(char)[1:-1] for char in text)
    text = FIGURE.sub(lambda figure: f"{round(float(figure[0]), 5) + 0.0:.5f}", "".join(shown))
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def plain(text):
    """Read the escapes of a question."""
    return re.sub(r"\\(?:n|t|0|r|x..)", lambda escape: eval(f"'{escape[0]}'"), text)


def command(line):
    """Run a command as it is written, and tell its status unless all is well."""
    line, _, lines = line.partition(INPUT)
    words = [plain(word) for word in shlex.split(line, posix=True)]
    done = run(*words, stdin=plain(lines).encode())
    told = done.stdout.decode() + done.stderr.decode()
    return told if done.returncode == 0 else f"{told.rstrip()}\n[status {done.returncode}]"


def page(site, address):
    """Read a page, a block or a sentence a line; of one that refuses, why."""
    answer = ask(site, address)
    if answer.headers["Location"]:
        return f"[to {answer.headers['Location']}]"
    if "json" in (answer.headers["Content-Type"] or ""):
        told = answer.text.strip()
    else:
        main = answer.text.partition("<main")[2].partition(">")[2].partition("</main>")[0]
        blocks = [answer.wrong] if answer.status >= 400 else map(words_of, BLOCK_END.split(main))
        told = re.sub(r"(?<=[.:;?!]) (?=\S)", "\n", "\n".join(filter(None, blocks)))
    return told if answer.status == 200 else f"{told}\n[status {answer.status}]"


def cases(text):
    """List the cases of a file."""
    for case in CASE.split(text)[1:]:
        asked, _, told = case.partition("\n")
        yield Case(asked, told.strip("\n"))


def answered(asked, site):
    """Answer a case anew, in a folder that has a recorded game."""
    kind, _, rest = asked.partition(" ")
    told = command(rest.removeprefix("cribev")) if kind == "$" else page(site, rest[4:])
    return Case(asked, written(told))


def prepare(folder):
    """Give a folder what the commands of the file read."""
    shutil.copy(DATA / "game.csv", folder)


def main():
    head = CASE.split(FILE.read_text(encoding="utf-8"))[0]
    questions = [case.asked for case in cases(FILE.read_text(encoding="utf-8"))]
    with TemporaryDirectory() as folder, running("127.0.0.1") as port:
        for name in ("CRIBEV_DATA_DIR", "CRIBEV_CACHE_DIR"):
            os.environ[name] = str(Path(folder) / name)
        prepare(folder)
        os.chdir(folder)
        new = [answered(asked, f"127.0.0.1:{port}") for asked in questions]
        FILE.write_text(head + "".join(map(str, new)).rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
