"""The command ``cribev quiz``: its arguments."""

import argparse

from cribev.commands.options import Command, add_roles, columns_help, natural, positive
from cribev.errors import CribevError
from cribev.rows.columns import GRADE_COLUMNS, LAY_COLUMNS, RECORD_COLUMNS

_KINDS = ("lead", "answer", "third", "fourth", "ending")  # CARD_KINDS, which loads slowly

_EXAMPLES = f"""\
examples:
  cribev quiz
  cribev quiz --hands 20 --hard --pone
  cribev quiz --seed 7
  cribev quiz --again
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
discard by your opponent, so friends can throw one set and compare:
  points = par - lost + luck
Points are your hand, plus the crib if you deal or minus it if you are pone, plus
the average play of the cards you keep. Par is the average of the best discards;
lost is how much less yours are worth; luck is what starter and crib then change.

A hard hand has a best discard at most 0.5 ahead of the second, and throwing for
the best hand, or for hand and crib without the play, loses 0.3 or more: one in ten.

With --score chances to win the game decide: at your points and your opponent's
before the deal, or at a close score drawn for each hand. An inaccuracy loses 2.5 %
of a game or more, a mistake 5 %, a blunder 10 %.

With --play you lay a card in positions as they arise between two experts, where at
least one card that fits loses 0.1 points or more; you know your hand, your discard,
the starter and what was laid. Name kinds to have these alone: the lead, the answer
to it, the third or the fourth card, or the ending, from the fifth card on. In a
hard one the greedy card, which makes most points at once, loses 0.1 or more.

Every answer is saved in your data folder (CRIBEV_DATA_DIR names another); cribev
history shows how practice goes. --again deals the hands where your last throw was
an inaccuracy (0.3 points) or worse, the costliest first, until you throw them well;
with --play the positions where what you laid last was one (0.1 points).

columns of --format csv, numbers in points (as a record for cribev review):
{columns_help(*RECORD_COLUMNS, *GRADE_COLUMNS)}

columns of --play --format csv, after seed and number:
{columns_help(*LAY_COLUMNS, descriptions=LAY_COLUMNS)}
"""


def _add_arguments(quiz: argparse.ArgumentParser) -> None:
    quiz.add_argument(
        "--hands", type=positive, default=10, metavar="N",
        help="how many hands, or positions (default: 10)",
    )  # fmt: skip
    quiz.add_argument(
        "--play", nargs="*", choices=_KINDS, metavar="KIND",
        help=f"lay a card in positions of the play: any, or {', '.join(_KINDS)}",
    )  # fmt: skip
    quiz.add_argument(
        "--seed", type=natural, metavar="N",
        help="deal the same hands to everybody; without it, a new seed, which the quiz tells you",
    )  # fmt: skip
    add_roles(quiz)
    quiz.add_argument(
        "--score", metavar="YOURS-THEIRS|close",
        help="judge discards by chances to win, at this score or at close ones",
    )  # fmt: skip
    quiz.add_argument("--hard", action="store_true", help="hard ones only")
    quiz.add_argument(
        "--again", action="store_true", help="those you lost most on, instead of new ones"
    )
    quiz.add_argument("--no-save", dest="save", action="store_false", help="save nothing")
    quiz.add_argument(
        "--format", choices=["table", "csv", "json"], default="table",
        help="text to read (default); or, at the end, a row for each throw, or everything",
    )  # fmt: skip


def _quiz(arguments: argparse.Namespace) -> int:
    if arguments.again and (arguments.seed is not None or arguments.hard):
        option = "--hard" if arguments.hard else "--seed"
        raise CribevError(f"--again brings back hands of your own: {option} deals others")
    if arguments.score is not None:
        for option in ("play", "hard", "again"):
            if getattr(arguments, option) not in (None, False):
                raise CribevError(
                    f"--score is for discards as they are dealt, and not for --{option}"
                )
    from cribev.commands.quiz_dialogue import run_quiz  # loads slowly

    run_quiz(arguments)
    return 0


COMMAND = Command(
    "quiz",
    "practise: discard from dealt hands, or lay cards, and see what each choice costs",
    _EXAMPLES,
    _add_arguments,
    _quiz,
)
