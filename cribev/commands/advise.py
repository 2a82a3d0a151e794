"""``cribev advise`` and ``cribev play``: which cards to discard, and which to play."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from cribev.commands import options
from cribev.errors import CribevError, quote
from cribev.game.cards import SUITLESS_OFFSET, Cards, format_ranks, read_hand
from cribev.game.roles import ROLES, as_role, cards_dealt, require_two_players, role_of_crib
from cribev.game.score import ANY_POINTS, Score
from cribev.game.stakes import SCORED_COLUMNS, Stakes
from cribev.rows.pairs import PUBLISHED_CRIBS

if TYPE_CHECKING:
    from cribev.advice.answers import SuitlessAdvice, SuitlessExplanation
    from cribev.advice.discards import Advice
    from cribev.advice.reasons import Comparison
    from cribev.game.deal import Position

    Answer: TypeAlias = tuple[Advice | SuitlessAdvice, Comparison | SuitlessExplanation | None]

_COLUMNS = (
    *("cards", "role", "rank", "discard", "keep", "hand_mean", "hand_min", "hand_max", "hand_sd"),
    *("crib_mean", "crib_min", "crib_max", "crib_sd", "play_own", "play_opponent", "play_mean"),
    *SCORED_COLUMNS,
    "expected",
)
_FORMATS = "a table to read (default), or every number in full"
_AT_ONE_SCORE = ("versus", "explain", "distribution", "top", "crib_table", "random")
_NARROW = 58  # columns that the least of an advice takes

_EXAMPLES = f"""\
examples:
  cribev advise 5H 5D JS QC 2H 8D --dealer
  cribev advise "5h 5d js qc 2h 8d" --pone --top 5 --explain
  cribev advise 5h5djsqc2h8d --dealer --versus "JS QC"
  cribev advise 5h5djsqc2h8d --pone --score 115-110
  cribev advise 5h5djsqc2h8d --score '119*-113'
  cribev advise 5h5djsqc2h8d --pone --score 70-88 --stakes games
  cribev advise 5h5djsqc2h8d --pone --opponent people
  cribev advise 5h5djsqc2h8d --pone --score '103-?'
  cribev advise 5h5djsqc2h8d --crib-table schell --show-only
  cribev advise 5 5 J Q 2 8 --pone
  cribev advise 5H 5D JS QC 2H --players 4 --crib partner
  cribev advise pone:5H5DJSQC2H8D@115-110
  cribev advise --random --seed 7
  cribev advise --dealer --top 1 < deals.txt
  cribev advise 5H 5D JS QC 2H 8D --dealer --format json | jq .discards[0]

Without --dealer or --pone you get both answers. One text can say cards, role and
score: cribev help position.

columns of --format csv and json, numbers in points:
{options.columns_help(*_COLUMNS)}
"""


def _add_arguments(advise: options.Parser) -> None:
    advise.add(
        "cards CARD", "six cards, or six ranks without suits; five with --players 3 or 4; or a "
        "position as text; if you give none, or -, it reads these from standard input, one per "
        "line, or asks for them on a terminal; each line is answered before the next is read, so "
        "answers stay if a later line is bad", nargs="*",
    )  # fmt: skip
    options.add_roles(advise)
    options.add_players(advise)
    options.add_opponent(advise)
    options.add_show_only(advise)
    advise.add(
        "--crib-table NAME|FILE",
        f"take average cribs from a published table ({', '.join(PUBLISHED_CRIBS)}) or from a "
        "CSV file (rank1,rank2,dealer,pone)",
    )
    advise.add(
        "--score YOURS-THEIRS", "the score before the deal, your points first; a star "
        "at the dealer's, 119*-113, says who deals: ranks discards by the "
        "chance to win the game; heels, play, hands and crib count in that order. Your "
        "opponent discards and plays for points. With a question "
        "mark, 103-? or ?-103, it says where the best discard changes as these points run from 0 "
        "to 120, approximately",
    )  # fmt: skip
    options.add_stakes(advise)
    advise.add("--top N", "show the best N discards only", type=options.positive)
    advise.add(
        "--explain", "for the best discard: points you are sure of, the play and what to lead, "
        "and the starters that help",
    )  # fmt: skip
    advise.add(
        "--versus CARDS", "compare two cards, such as your own discard, with the best discard"
    )
    advise.add(
        "--distribution", "how likely each total of hand and crib is, for the best discard and "
        "for --versus",
    )  # fmt: skip
    options.add_random(advise)
    options.add_format(advise, _FORMATS)


def _advise(arguments: argparse.Namespace) -> None:
    if arguments.format == "csv" and (option := options.given(arguments, "explain", "versus")):
        raise CribevError(f"{option} goes with --format table or json, not csv")
    if arguments.distribution and arguments.format != "table":
        raise CribevError("--distribution goes with --format table; --explain has it in json")
    options.check_seed(arguments)
    count = cards_dealt(arguments.players)
    require_two_players(arguments.players, score=arguments.score)
    if ANY_POINTS in (arguments.score or ""):
        _over_scores(arguments)
        return
    listed = not arguments.random and arguments.cards in ([], ["-"])
    if arguments.stakes is not None:
        Stakes.read(arguments.stakes)  # before a line is blamed for it
    found: Iterator[list[Answer]]
    if listed:
        found = options.answers(
            partial(_line_answers, arguments=arguments, answered=[]),
            lambda: f"{count} cards, or nothing to end: ",
            end="",
            expected=f"cards on standard input: expected {count}",
        )
    else:
        six = options.random_cards(arguments, count=count) if arguments.random else None
        cards = " ".join(arguments.cards) if six is None else six
        found = iter([_answers(_asked(cards, arguments), arguments)])
    for at, answers in enumerate(found):
        _print(answers, arguments, a_line=listed, first=at == 0)
        sys.stdout.flush()
        print(end="\n" * (listed and sys.stdin.isatty()), file=sys.stderr)


def _over_scores(arguments: argparse.Namespace) -> None:
    """Say where the best discard changes as the points of one player run."""
    if option := options.given(arguments, *_AT_ONE_SCORE):
        raise CribevError(f"{option} goes with one score, not {quote(arguments.score)}")
    if not arguments.play:
        raise CribevError("a score takes the play into account: leave out --show-only")
    role = Score.role_by_star(arguments.score, arguments.role)
    alone = argparse.Namespace(role=role, crib=arguments.crib, score=None, players=2)
    asked = _asked(" ".join(arguments.cards), alone)
    if asked[0].score is not None:
        raise CribevError(f"{quote(str(asked[0]))} says the score: leave out {arguments.score!r}")

    from cribev.advice.questions import dealt_cards
    from cribev.batch.by_score import discards_by_score
    from cribev.system.processes import cpu_count

    known = {"score": arguments.score, "opponent": arguments.opponent}
    known |= {} if arguments.stakes is None else {"stakes": arguments.stakes}
    known["workers"] = cpu_count()
    found = (discards_by_score(dealt_cards(it), role=it.role, **known) for it in asked)
    options.print_listings(arguments.format, list(found))


def _asked(cards: Cards | str, arguments: argparse.Namespace) -> "list[Position]":
    """Take the cards for a role, or for both; or a position, which says role and score."""
    from cribev.advice.questions import given_position
    from cribev.game.deal import Held, Position

    score = arguments.score
    role = Score.role_by_star(score, arguments.role)
    if isinstance(cards, str):
        if (position := given_position(cards, role=role, score=score)) is not None:
            return [position]
        dealt: Iterable[int] = read_hand(cards, cards_dealt(arguments.players))
    else:
        dealt = cards.tolist()
    said = None if role is None else as_role(role)
    role = role_of_crib(arguments.crib, said, arguments.players)
    return [
        Position(one, Held.of(dealt), score=None if score is None else Score.read(score, one))
        for one in ([role] if role else ROLES)
    ]


def _line_answers(
    text: str, arguments: argparse.Namespace, answered: "list[Position]"
) -> "list[Answer]":
    """Answer a line, which in CSV has to have the columns of those that are answered."""
    asked = _asked(text, arguments)
    for other in answered[:1] if arguments.format == "csv" else []:
        for what, differ in (
            ("suits", _is_suitless(asked[0]) != _is_suitless(other)),
            ("a score", (asked[0].score is None) != (other.score is None)),
        ):
            if differ:
                raise CribevError(
                    f"{quote(text)}: hands with and without {what} have other columns: choose one"
                )
    answers = _answers(asked, arguments)
    answered += asked
    return answers


def _is_suitless(position: "Position") -> bool:
    return max(position.held.dealt) >= SUITLESS_OFFSET


def _answers(asked: "list[Position]", arguments: argparse.Namespace) -> "list[Answer]":
    from cribev.advice.answers import answer  # pandas and rich load slowly

    if _is_suitless(asked[0]) and arguments.distribution:
        raise CribevError("--distribution needs cards with suits: give all of them")
    names = "opponent", "crib_table", "play", "stakes", "players", "crib"
    known = {name: getattr(arguments, name) for name in names}
    advised = [answer(position, **known) for position in asked]
    return [(advice, advice.beside(arguments.versus)) for advice in advised]


def _print(
    answers: "list[Answer]", arguments: argparse.Namespace, *, a_line: bool, first: bool
) -> None:
    if arguments.format == "json":
        asked = {name: getattr(arguments, name) for name in ("top", "versus", "explain")}
        found = [advice.to_dict(**asked) for advice, _ in answers]
        options.print_json(found if len(found) > 1 else found[0], indent=None if a_line else 2)
        return
    for advice, comparison in answers:
        if arguments.format == "csv":
            frame = advice.table.head(arguments.top or 15)
            frame.insert(0, "role", advice.role)
            frame.insert(0, "cards", advice.cards)
            options.print_csv(frame, header=first)
        else:
            print(end="" if first else "\n")
            _show((advice, comparison), arguments)
        first = False


def _show(answer: "Answer", arguments: argparse.Namespace) -> None:
    from cribev.advice.discards import Advice
    from cribev.advice.reasons import Comparison
    from cribev.game import render

    advice, comparison = answer
    render.show(advice.top(arguments.top), least=_NARROW)
    # The explanation compares the best with the next, and without suits with any.
    explained = not isinstance(comparison, Comparison) or comparison.choice.rank == 1
    if comparison and not (explained and arguments.explain):
        render.show(comparison)
    if arguments.explain:
        versus = None if isinstance(advice, Advice) else arguments.versus
        render.show(advice.explain(versus=versus))
    if arguments.distribution:
        assert isinstance(advice, Advice)
        render.show(advice.explain(versus=arguments.versus).chart())


ADVISE = options.Command(_EXAMPLES, _add_arguments, _advise)


_PLAY_COLUMNS = ("rank", "card", "expected", "own", "opponent", "behind", "share")

_PLAY_EXAMPLES = """\
examples:
  cribev play 4H 5C JD JS --pone --threw 9C KD --starter 7H
  cribev play 4H 5C JD JS --pone --threw 9C KD --starter 7H --laid "J 5" --explain
  cribev play 5 J Q K --dealer --laid 4
  cribev play 4H 5C JD JS --pone --threw 9C KD --starter 7H --score 103-104
  cribev play 4H 5C JD JS --pone --threw 9C KD --starter 7H --score 110-80 --stakes acc
  cribev play 4 4 9 Q --pone --opponent people
  cribev play 4 4 9 Q --pone --distribution
  cribev play A 2 5 T --dealer --laid "5 T 9 5 go" --format json
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
        "--laid CARD", "the cards as they fell, pone's first, as cribev peg reads them, with go "
        'where a player could not play: "J 5 J 2 go"', nargs="+",
    )  # fmt: skip
    play.add("--threw CARD", "the two cards you discarded", nargs="+")
    play.add("--starter CARD", "the card cut")
    play.add(
        "--score YOURS-THEIRS", "the score before the deal, your points first; a star "
        "at the dealer's says who deals: ranks cards by the chance to win the game",
    )  # fmt: skip
    options.add_stakes(play)
    options.add_opponent(play, discards=False)
    play.add("--explain", "what your opponent may hold now, and what can follow each card")
    play.add(
        "--distribution", "with each card, who pegs first, and how likely each pegs so many "
        "points or more",
    )  # fmt: skip
    options.add_format(play, _FORMATS)


def _play(arguments: argparse.Namespace) -> None:
    option = options.given(arguments, "explain", "distribution")
    if arguments.format == "csv" and option:
        raise CribevError(f"{option} goes with --format table or json, not csv")
    from cribev.advice.cards import card_answer, play_advice
    from cribev.game.stakes import stakes_at

    position = _position(arguments)
    if arguments.format == "json":
        asked = {name: getattr(arguments, name) for name in ("explain", "distribution")}
        options.print_json(card_answer(position, arguments.opponent, arguments.stakes, **asked))
        return
    stakes_at(arguments.stakes, position.score)
    if position.to_do == "card" and not position.legal:
        if arguments.format == "csv":
            print(",".join(_PLAY_COLUMNS + SCORED_COLUMNS * (position.score is not None)))
        else:
            left, count = format_ranks(position.left_ranks), position.play.count
            print(f"Say go: none of your cards ({left}) fits a count of {count}.")
        return
    advice = play_advice(position, arguments.opponent, arguments.stakes)
    if arguments.format == "csv":
        options.print_csv(advice.table)
    else:
        from cribev.game import render

        render.show(advice)
        if arguments.explain:
            render.show(advice.explain())
        if arguments.distribution:
            render.show(advice.distribution())


def _position(arguments: argparse.Namespace) -> "Position":
    """Read what is known: one text, or cards and options."""
    from cribev.advice.questions import card_position

    known = {name: " ".join(getattr(arguments, name) or ()) or None for name in ("laid", "threw")}
    known |= {name: getattr(arguments, name) for name in ("role", "starter", "score")}
    return card_position(" ".join(arguments.cards), **known)


PLAY = options.Command(_PLAY_EXAMPLES, _add_play_arguments, _play)
