"""The commands ``cribev quiz`` and ``cribev history``: their arguments."""

import argparse

from cribev.commands import options
from cribev.errors import CribevError
from cribev.rows.names import GRADE_COLUMNS, RECORD_COLUMNS

_KINDS = ("lead", "answer", "third", "fourth", "ending")  # CARD_KINDS, which loads slowly

_EXAMPLES = """\
examples:
  cribev quiz
  cribev quiz --today
  cribev quiz --hands 20 --hard --pone
  cribev quiz --seed 7
  cribev quiz --again
  cribev quiz --leak five-to-their-crib
  cribev quiz --score 103-104 --pone
  cribev quiz --score close
  cribev quiz --play
  cribev quiz --play lead answer --hard
  cribev quiz --play ending --seed 7
  printf '5 6\\nTC TD\\n' | cribev quiz --seed 7 --no-save
  cribev quiz --seed 7 --format json --no-save < answers.txt | jq .summary

Answer with two cards, JS QC, or with their places among the six, 5 6; with --play,
with the card, JS or J, or its number. On a terminal, ? explains, u takes the last
answer back, and q or the end of the input (Ctrl-D) ends the quiz.

A seed deals the same hands to everybody, with the same starter and the same
discard by your opponent, so friends can discard one set and compare:
  points = best - lost + luck
Points are your hand, plus the crib if you deal or minus it if you are pone, plus
the average play of the cards you keep. Best is the average of the best discards;
lost is how much less yours are worth; luck is what starter and crib then change.

--today has the ten of the day, five discards and five cards in turn, the same for
everybody who has this version of cribev. Your first answers count, and are gone on
with where you left them; after that it is practice. A line of squares to share says
how they went, and another how many days in a row you have done, and how.

A hard hand has a best discard at most 0.5 ahead of the second, and discarding for
the best hand, or for hand and crib without the play, loses 0.3 or more: one in ten.

With --score chances to win the game decide: at your points and your opponent's
before the deal, or at a close score drawn for each hand. An inaccuracy loses 2.5 %
of a game or more, a mistake 5 %, a blunder 10 %.

With --play you play a card in positions as they arise between two experts, where at
least one card that fits loses 0.1 points or more; you know your hand, your discard,
the starter and what was played. Name kinds to have these alone: the lead, the answer
to it, the third or the fourth card, or the ending, from the fifth card on. In a
hard one the greedy card, which makes most points at once, loses 0.1 or more.

Every answer is saved in your data folder (CRIBEV_DATA_DIR names another); cribev
history shows how practice goes. --again deals the hands where your last discard was
an inaccuracy (0.3 points) or worse, the costliest first, until you discard them well;
with --play the positions where what you played last was one (0.1 points).
"""


def _add_arguments(quiz: options.Parser) -> None:
    quiz.add("--today", "the ten of the day, which everybody has")
    quiz.add(
        "--hands N", "how many hands, or positions (default: 10)", type=options.positive, default=10
    )
    quiz.add(
        "--play KIND",
        f"play a card in positions of the play: any, or {', '.join(_KINDS)}",
        nargs="*",
        choices=_KINDS,
    )
    quiz.add(
        "--seed N", "deal the same hands to everybody; without it, a new seed, which the quiz "
        "tells you", type=options.whole,
    )  # fmt: skip
    options.add_roles(quiz)
    quiz.add(
        "--score YOURS-THEIRS|close", "judge discards by chances to win, at this score or at "
        "close ones",
    )  # fmt: skip
    quiz.add(
        "--leak NAME", "decisions of one kind, as cribev review names them in what to mend first: "
        "your own that cost something, then new ones",
    )  # fmt: skip
    quiz.add("--hard", "hard ones only")
    quiz.add("--again", "those you lost most on, instead of new ones")
    quiz.add_argument("--no-save", dest="save", action="store_false", help="save nothing")
    options.add_format(
        quiz, "text to read (default); or, at the end, every number in full", "table", "json"
    )


def _refuse(arguments: argparse.Namespace, why: str, *names: str) -> None:
    if option := options.given(arguments, *names):
        raise CribevError(f"{why}: no {option} with it")


def _quiz(arguments: argparse.Namespace) -> None:
    if arguments.today:
        why, others = "--today is the same ten for everybody", ("play", "score", "hard", "again")
        _refuse(arguments, why, "seed", *others, "role", "leak")
        if not arguments.save:
            raise CribevError("--today is what counts, and is kept: no --no-save with it")
        if arguments.hands not in (None, 10):
            why = f"no --hands {arguments.hands} with it"
            raise CribevError(f"--today is five discards and five cards: {why}")
    if arguments.again:
        _refuse(arguments, "--again brings back hands of your own", "seed", "hard")
    if arguments.leak is not None:
        _refuse(arguments, "--leak says what is asked", "score", "play")
    if arguments.score is not None:
        _refuse(arguments, "--score is for discards as they are dealt", "play", "hard", "again")
    from cribev.app.commands.practice import run_quiz  # loads slowly

    run_quiz(arguments)


QUIZ = options.Command(_EXAMPLES, _add_arguments, _quiz)

_HISTORY_EXAMPLES = f"""\
examples:
  cribev history
  cribev history --format json | jq .cards.periods
  cribev history --format csv > discards.csv && cribev review discards.csv
  cribev history --delete

Says what to mend first over all games kept here, and shows how many points you
lost per discard and per card played over time, and how many were errors (inaccuracies
or worse), in at most 20 periods of whole sessions.
Hard ones, hands at a score and games have charts of their own. A hand or a
position counts only the first time. Also shows how many wait to be tried again, and
how the ten and the games of the last thirty days went.

columns of --format csv, a row for each discard, a record for cribev review:
{options.columns_help(*RECORD_COLUMNS)}
and when it was (at, in UTC), its kind (dealt, hard, scored, again or game), its seed
and number, and in points:
{options.columns_help(*GRADE_COLUMNS)}
and at a score win, best_win, win_discard and win_loss, as cribev review has them.
"""


def _add_history_arguments(history: options.Parser) -> None:
    history.add("--delete", "delete every decision that was saved")
    history.add("--yes", "delete without being asked")
    options.add_format(
        history, "a chart to look at (default), a row for each discard, or the figures in full"
    )


def _history(arguments: argparse.Namespace) -> None:
    if arguments.format != "table" and arguments.delete:
        raise CribevError("--format shows what was discarded, and --delete does not")
    if arguments.yes and not arguments.delete:
        raise CribevError("--yes goes with --delete")
    from cribev.app.commands.practice import delete_history, show_history

    if arguments.delete:
        delete_history(arguments)
    else:
        show_history(arguments)


HISTORY = options.Command(_HISTORY_EXAMPLES, _add_history_arguments, _history)
