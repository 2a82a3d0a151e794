"""``cribev advise`` and ``cribev play``: which cards to discard, and which to play."""

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from cribev.commands import options
from cribev.errors import CribevError, quote
from cribev.game.outcomes import SCORED_COLUMNS
from cribev.game.stakes import Stakes

if TYPE_CHECKING:
    from cribev.advice.discards import Advice
    from cribev.advice.question import Question

_FORMATS = "a table to read (default), or every number in full"
DISTRIBUTED = ("total", "play", "hand", "crib")
_NARROW = 58  # columns that the least of an advice takes

_EXAMPLES = """\
examples:
  cribev advise 5H 5D JS QC 2H 8D --dealer
  cribev advise "5h 5d js qc 2h 8d" --pone --top 5 --explain
  cribev advise 5h5djsqc2h8d --dealer --versus "JS QC"
  cribev advise 5h5djsqc2h8d --pone --score 115-110 --stakes games
  cribev advise 5h5djsqc2h8d --pone --opponent people
  cribev advise 5 5 J Q 2 8
  cribev advise pone:5H5DJSQC2H8D@115-110
  cribev advise --dealer --top 1 < deals.txt

Without --dealer or --pone you get both answers. cribev help position says how one
text has cards, role and score, and cribev help columns what each column is.
"""


def _add_arguments(advise: options.Parser) -> None:
    advise.add(
        "cards CARD", "six cards, or ranks without suits, x any ten-card; or a position. Without "
        "any, or with -, deals are read from standard input, a line each, or asked for", nargs="*",
    )  # fmt: skip
    options.add_roles(advise)
    options.add_opponent(advise)
    advise.set_defaults(opponent=None)  # the text of a question may say it
    options.add_show_only(advise)
    advise.add(
        "--score YOURS-THEIRS", "rank by the chance to win from this score; a star is at the "
        "dealer's, 119*-113",
    )  # fmt: skip
    options.add_stakes(advise)
    advise.add("--top N", "show the best N discards only", type=options.positive)
    advise.add("--explain", "why: points you are sure of, what to lead, the starters that help")
    advise.add("--versus CARDS", "compare two cards, such as your own discard, with the best")
    advise.add(
        "--distribution PART", "how likely each total of hand and crib is, with the play, and each "
        f"alone; or first of one: {', '.join(DISTRIBUTED)}", nargs="?", const=DISTRIBUTED[0],
    )  # fmt: skip
    options.add_format(advise, _FORMATS)


def _advise(arguments: argparse.Namespace) -> None:
    if arguments.format == "csv" and (option := options.given(arguments, "explain", "versus")):
        raise CribevError(f"{option} goes with --format table or json, not csv")
    if arguments.distribution and arguments.format != "table":
        raise CribevError("--distribution goes with --format table; --explain has it in json")
    if "?" in (arguments.score or ""):
        raise CribevError(
            f"invalid score {quote(arguments.score)}: expected one score, as 95-110; for many, "
            "give cribev batch a row for each"
        )
    if arguments.distribution not in (None, *DISTRIBUTED):  # a card that follows it
        arguments.cards.append(arguments.distribution)
        arguments.distribution = DISTRIBUTED[0]
    listed = arguments.cards in ([], ["-"])
    Stakes.read(arguments.stakes)  # before a line is blamed for it
    advices: Iterator[list[Advice]]
    if listed:
        advices = options.answers(
            partial(_line_answers, arguments=arguments, answered=[]),
            lambda: "6 cards, or nothing to end: ",
            end="",
            expected="cards on standard input: expected 6",
        )
    else:
        advices = iter([_answers(_asked(" ".join(arguments.cards), arguments), arguments)])
    for index, answers in enumerate(advices):
        _print(answers, arguments, a_line=listed, first=index == 0)
        sys.stdout.flush()
        print(end="\n" * (listed and sys.stdin.isatty()), file=sys.stderr)


def _asked(cards: str, arguments: argparse.Namespace) -> "list[Question]":
    from cribev.advice.question import read_discards

    return read_discards(
        cards, role=arguments.role, opponent=arguments.opponent, play=arguments.play,
        score=arguments.score, stakes=arguments.stakes,
    )  # fmt: skip


def _line_answers(
    text: str, arguments: argparse.Namespace, answered: "list[Question]"
) -> "list[Advice]":
    """Answer a line; in CSV, it must have the columns of the lines before it."""
    asked = _asked(text, arguments)
    position = asked[0].position
    for other in answered[:1] if arguments.format == "csv" else []:
        for what, differ in (
            ("suits", position.has_suits != other.position.has_suits),
            ("a score", (position.score is None) != (other.position.score is None)),
        ):
            if differ:
                raise CribevError(
                    f"{quote(text)}: hands with and without {what} have other columns: choose one"
                )
    answers = _answers(asked, arguments)
    answered += asked
    return answers


def _answers(asked: "list[Question]", arguments: argparse.Namespace) -> "list[Advice]":
    if arguments.distribution and not asked[0].position.has_suits:
        raise CribevError("--distribution needs cards with suits: give all of them")
    from cribev.advice.discards import advise_discard  # numpy and rich load slowly

    answers = [advise_discard(question) for question in asked]
    for advice in answers:
        # This refuses what is not a discard before anything is printed.
        advice.compare_with_best(arguments.versus)
    return answers


def _print(
    answers: "list[Advice]", arguments: argparse.Namespace, *, a_line: bool, first: bool
) -> None:
    if arguments.format == "json":
        asked = {name: getattr(arguments, name) for name in ("top", "versus", "explain")}
        answers_as_json = [advice.to_dict(**asked) for advice in answers]
        options.print_json(
            answers_as_json if len(answers_as_json) > 1 else answers_as_json[0],
            indent=None if a_line else 2,
        )
        return
    for advice in answers:
        if arguments.format == "csv":
            frame = advice.table.head(arguments.top or 15)
            frame.insert(0, "role", advice.role)
            frame.insert(0, "cards", advice.cards)
            options.print_csv(frame, header=first)
        else:
            print(end="" if first else "\n")
            _show(advice, arguments)
        first = False


def _show(advice: "Advice", arguments: argparse.Namespace) -> None:
    from cribev.game import render

    render.show(advice.top(arguments.top), least=_NARROW)
    if comparison := advice.compare_with_best(arguments.versus):
        from cribev.advice.reasons import Comparison

        # The explanation compares the best with the next, and without suits with any.
        explained = not isinstance(comparison, Comparison) or comparison.choice.rank == 1
        if not (explained and arguments.explain):
            render.show(comparison)
    if arguments.explain:
        render.show(advice.explain(versus=None if advice.has_suits else arguments.versus))
    if arguments.distribution:
        from cribev.advice.reasons import Explanation

        why = advice.explain(versus=arguments.versus)
        assert isinstance(why, Explanation)
        render.show(why.chart(first=arguments.distribution))


ADVISE = options.Command(_EXAMPLES, _add_arguments, _advise)

_PLAY_COLUMNS = ("rank", "card", "expected", "own", "opponent", "behind", "share")

_PLAY_EXAMPLES = """\
examples:
  cribev play 4H 5C JD JS --pone --discard 9C KD --starter 7H
  cribev play 4H 5C JD JS --pone --discard 9C KD --starter 7H --played "J 5" --explain
  cribev play 5 J Q K --dealer --played 4
  cribev play 4H 5C JD JS --pone --discard 9C KD --starter 7H --score 103-104
  cribev play 4H 5C JD JS --pone --discard 9C KD --starter 7H --score 110-80 --stakes acc
  cribev play 4 4 9 Q --pone --opponent people
  cribev play 4 4 9 Q --pone --distribution
  cribev play A 2 5 T --dealer --played "5 T 9 5 go" --format json
  cribev play pone:4H5CJDJS/9CKD:7H:J5@103-104

Give the four cards you kept, played or not. Your discard and the starter make the
answer better, but it can do without them. Suits count only for --score.
Or give all you know as one text: cribev help position.

columns of --format csv and json, points from here to the end of the play:
  rank              1 for the best; equal cards share a rank
  card              the rank of the card you can play
  expected          what you peg less what your opponent pegs
  own, opponent     what each pegs
  behind            how many points less than the best
  share             how often an expert plays it, of 1
  win               with --score: your chance to win the game, of 1
  skunk, double_skunk      of that by a skunk: your opponent has fewer than 91
                    then, or than 61
  lose              the chance to lose
  skunked, double_skunked  of that by a skunk
  value             what these are worth by --stakes
Without a card that fits, you must say go: the list is empty.
"""


def _add_play_arguments(play: options.Parser) -> None:
    play.add("cards CARD", "the four cards you kept; or a position as text", nargs="*")
    options.add_roles(play)
    play.add(
        "--played CARD", "the cards as they fell, pone's first, as cribev peg reads them, with go "
        'where a player could not play: "J 5 J 2 go"', nargs="+",
    )  # fmt: skip
    play.add("--discard CARD", "the two cards you discarded", nargs="+", dest="discard")
    play.add("--starter CARD", "the card cut")
    play.add(
        "--score YOURS-THEIRS", "the score before the deal, your points first; a star "
        "at the dealer's says who deals: ranks cards by the chance to win the game",
    )  # fmt: skip
    options.add_stakes(play)
    options.add_opponent(play)
    play.set_defaults(opponent=None)  # the text of a question may say it
    play.add("--explain", "what your opponent may hold now, and what can follow each card")
    play.add(
        "--distribution", "with each card, who pegs first, and how likely each pegs at "
        "least that many points",
    )  # fmt: skip
    options.add_format(play, _FORMATS)


def _play(arguments: argparse.Namespace) -> None:
    option = options.given(arguments, "explain", "distribution")
    if arguments.format == "csv" and option:
        raise CribevError(f"{option} goes with --format table or json, not csv")
    from cribev.advice.cards import advise_card, card_answer
    from cribev.advice.question import read_card

    question = read_card(
        " ".join(arguments.cards), role=arguments.role,
        played=" ".join(arguments.played or ()), discard=" ".join(arguments.discard or ()),
        starter=arguments.starter, score=arguments.score, opponent=arguments.opponent,
        stakes=arguments.stakes,
    )  # fmt: skip
    if arguments.format == "json":
        asked = {name: getattr(arguments, name) for name in ("explain", "distribution")}
        options.print_json(card_answer(question, **asked))
        return
    position = question.position
    if question.must_go:
        if arguments.format == "csv":
            print(",".join(_PLAY_COLUMNS + SCORED_COLUMNS * (position.score is not None)))
        else:
            print(f"Say go: {position.why_go}.")
        return
    advice = advise_card(question)
    if arguments.format == "csv":
        options.print_csv(advice.table)
    else:
        from cribev.game import render

        render.show(advice)
        if arguments.explain:
            render.show(advice.explain())
        if arguments.distribution:
            render.show(advice.distribution())


PLAY = options.Command(_PLAY_EXAMPLES, _add_play_arguments, _play)
