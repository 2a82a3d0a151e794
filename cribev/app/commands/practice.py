"""Practice in a terminal or a pipe: problems, and how practice went."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any

from rich.console import Console, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.advice.decisions import Line
from cribev.advice.reasons import lesson
from cribev.advice.verdicts import CARD_BANDS, DEFAULT_BANDS, WIN_BANDS
from cribev.app.games.database import StoreError, database_path
from cribev.app.games.store import duplicate_text, local_games
from cribev.app.practice import problems, progress
from cribev.app.practice.mending import Mending, last_week, mending
from cribev.app.practice.problems import Problem
from cribev.app.practice.session import (
    STANDS,
    TEN,
    GradedAnswer,
    Selection,
    Session,
    SessionSummary,
    daily_session,
    discard_values,
    parse_quiz_score,
    prepare,
    result_line,
    summaries,
    value_ahead,
)
from cribev.app.practice.store import (
    GAME,
    SCORED,
    Store,
    StoredDecision,
)
from cribev.commands import options
from cribev.errors import CribevError
from cribev.game import render
from cribev.game.cards import format_cards
from cribev.game.roles import ROLES
from cribev.game.words import (
    format_games_lost,
    format_percent,
    format_points,
    pluralize,
)
from cribev.leaks.groups import is_of_cards, practised_group
from cribev.reviews.listings import TONES

_LEAST = 30  # columns: a narrower terminal folds the lines itself
_BARS = 30  # columns for bars
_NARROW = 50  # columns: a narrower terminal has the day alone
_BACK = ()
_VERBS = {"hand": "discard", "card": "play", "problem": "answer"}
_HELP = {
    "hand": "type the two cards to discard, JS QC, or their places, 5 6",
    "card": "type the card to play, JS or J, or its number",
    "problem": "type two cards to discard or a card to play, or their places",
}
_EXPECTED = {"hand": "two cards", "card": "a card", "problem": "two cards or a card"}
_TAKES_BACK = "  u  take the last answer back\n  q  end the quiz"


def run_quiz(arguments: argparse.Namespace) -> None:
    """Ask for an answer to each problem, then say what they add up to."""
    if arguments.today:
        _Quiz(_today(Store(database_path())), arguments).run()
        return
    store, number = Store(database_path()), arguments.hands
    play, role, leak = arguments.play is not None, arguments.role, arguments.leak or ""
    cards = tuple(arguments.play or ())
    problems.check_kinds(cards, role)
    if arguments.leak is not None:
        role = problems.check_role(practised_group(leak), role)
        play = is_of_cards(leak)
    queue: Iterable[Problem]
    back = list[Problem]()
    if arguments.again or (leak and arguments.seed is None):
        stored = store.read(warn=options.warn)
        back = progress.coming_back(stored, play=play, leak=leak, role=role, kinds=cards)[:number]
    selection = Selection(role=role, play=play, cards=cards, leak=leak)
    if arguments.again:
        queue, number = back, len(back)
        if not queue:
            which = "card waits to be played" if play else "hand waits to be discarded"
            print(f"no {which} again", file=sys.stderr)
            return
    else:
        seed = problems.new_seed() if arguments.seed is None else arguments.seed
        score = None if arguments.score is None else parse_quiz_score(arguments.score)
        if not leak:
            selection = Selection(seed, arguments.hard, role, play, cards, score)
        else:
            with suppress(*([CribevError] if back else [])):  # of some kinds no new ones are dealt
                selection = Selection.of_leak(seed, leak, role)
        selection = selection._replace(again=len(back))
        if selection.seed is None:
            queue, number = back, len(back)
        else:  # one's own first
            queue = chain(back, selection.problems())
    save = store if arguments.save else None
    _Quiz(Session(selection, queue, number, store=save), arguments).run()


def _today(store: Store) -> Session:
    """Return today's ten, or what is left of them; or practice on them, and say so."""
    session = daily_session(store)
    done = len(session.answers)
    if session.over:
        print(result_line(session.selection, session.answers), file=sys.stderr)
        print("today's ten are done: this is practice, and does not count", file=sys.stderr)
        return Session(session.selection, session.selection.problems(), TEN, store=store)
    if done:
        print(f"{done} of {TEN} are answered and count: you go on", file=sys.stderr)
    return session


def _show(result: RenderableType, form: str) -> None:
    """Show it on standard output; to a player on standard error, if output is for numbers."""
    to = sys.stdout if form == "table" else sys.stderr
    if form == "table" or sys.stdin.isatty():
        render.show(result, least=_LEAST, file=to)
        to.flush()


class _Quiz:
    """A session in a dialogue, on a terminal or line by line."""

    def __init__(self, session: Session, arguments: argparse.Namespace) -> None:
        self.session, self.form = session, arguments.format
        self.thing = session.selection.thing
        self.verb = _VERBS[self.thing]
        self.drawn = arguments.seed is None and not arguments.today
        self.asks = sys.stdin.isatty()
        self.show = partial(_show, form=self.form)
        self.last_error = ""

    def run(self) -> None:
        session = self.session
        answers = options.answers(
            self._read,
            lambda: f"{_VERBS[session.next_problem.thing]}: ",
            end="q",
            expected=f"answers on standard input: expected {_EXPECTED[self.thing]}",
        )
        if self.asks:
            # Load what answers take, so that none waits for it.
            role = session.selection.role
            if session.next_problem.is_discard:
                prepare([role] if role else ROLES)
            else:
                session.next_problem.card_advice()
            print(f"{pluralize(session.number, self.thing)}{session.selection}", file=sys.stderr)
            print(f"{_HELP[self.thing]}; ? for help\n", file=sys.stderr)
        while not session.over:
            problem = session.next_problem
            self._ask(problem)
            # Work it out, while the player thinks.
            if not problem.is_discard:
                problem.card_advice()
            elif problem.deal.score is not None and self.asks:
                value_ahead(problem)
            else:
                discard_values(problem)
            if (chosen := next(answers, None)) is None:
                break
            if chosen == _BACK:
                try:
                    session.take_back()
                except StoreError as error:
                    options.warn(f"the first {self.verb} stays in your history: {error}")
                continue
            found = session.answer(chosen)
            if session.store and session.store.last_error not in ("", self.last_error):
                self.last_error = session.store.last_error
                options.warn(f"{self.verb}s are not saved for now: {self.last_error}")
            self.show(render.Drawn(partial(_draw_answer, found)))
            self.show("")
        if session.answers:
            self._end()

    def _ask(self, problem: Problem) -> None:
        place = f"{len(self.session.answers) + 1} of {self.session.number}"
        self.show(render.Drawn(partial(_draw_problem, problem, place, self.asks)))

    def _read(self, text: str) -> tuple[int, ...] | None:
        """Read what is chosen, `_BACK` to take the last answer back; None after help."""
        problem, typed = self.session.next_problem, text.lower() if self.asks else ""
        if typed == "?":
            parts = list(self._explain(problem))
            for part in parts:
                render.show(part, least=_LEAST, file=sys.stderr)
            print(file=sys.stderr)
            if len(parts) > 1:  # the problem has gone from the screen
                self._ask(problem)
        elif typed == "u" and self.session.counts:
            print(STANDS, file=sys.stderr)
        elif typed == "u" and self.session.answers:
            return _BACK
        elif typed == "u":
            print(f"this is the first {self.thing}", file=sys.stderr)
        else:
            chosen = problem.parse(text)
            waits = problem.is_discard and problem.deal.score is not None and self.asks
            if waits and not value_ahead(problem):
                print("counting chances to win …", file=sys.stderr)
            return chosen
        return None

    def _explain(self, problem: Problem) -> Iterator[RenderableType | str]:
        """Say how to answer, and why the last card was judged so."""
        how = f"{_HELP[problem.thing][0].upper()}{_HELP[problem.thing][1:]}.\n{_TAKES_BACK}"
        what, over = "discard", "on average over all that can follow"
        levels, less = [str(least) for least in DEFAULT_BANDS], "how many points less"
        if not problem.is_discard:
            what, levels = "card", [str(least) for least in CARD_BANDS]
            over = "from here to the end of the play, over all that your opponent may hold"
        if problem.deal.score is not None:
            levels = [format_games_lost(least) for least in WIN_BANDS]
            less, over = "how much less chances to win", "if two experts play on"
        yield (
            f"{how}\nThe verdict says {less} your {what} brings than the best, {over}: best, "
            f"close, from {levels[0]} an inaccuracy, from {levels[1]} a mistake, from {levels[2]} "
            "a blunder."
        )
        if self.thing == "card" and self.session.answers:
            advice = self.session.answers[-1].problem.card_advice()
            yield ""
            yield f"Your card number {len(self.session.answers)}:"
            yield advice
            yield advice.explain()

    def _end(self) -> None:
        found, store = summaries(self.session.answers), self.session.store
        if self.form == "json":
            options.print_json(self._plain(found))
        if self.form == "table" or self.asks:
            for summary in found:
                self.show(Group(*_summary_lines(summary, self.session.selection)))
        if store and store.last_error:  # not all is saved: once more
            try:
                store.save()
                options.warn(f"all {self.verb}s are saved now")
            except StoreError as error:
                options.warn(f"{pluralize(store.pending, self.verb)} could not be saved: {error}")
        if self.session.counts:
            self._end_day()
        if self.asks:
            self._suggest_next()

    def _end_day(self) -> None:
        """Say on one line how the ten of the day went, and how those of the last days did."""
        session = self.session
        if not session.over:
            self.show(f"{len(session.answers)} of {TEN}: cribev quiz --today goes on from there")
            return
        counted = daily_session(session.store)  # another program may have answered first
        session = counted if counted.over else session
        self.show("")
        self.show(result_line(session.selection, session.answers))
        with suppress(StoreError):
            if session.store and (days := progress.daily_progress(session.store.read())):
                self.show(str(days))

    def _plain(self, found: Sequence[SessionSummary]) -> dict[str, Any]:
        selection, parts = self.session.selection, dict[str, list[dict[str, Any]]]()
        for summary in found:
            answers = (one for one in self.session.answers if one.problem.thing == summary.thing)
            parts["hands" if summary.thing == "hand" else "positions"] = [
                {
                    "position": str(one.decision.position),
                    "opponent_cards": format_cards(one.problem.opponent_held.dealt),
                    **row,
                    **one.decision.options.to_dict(),
                }
                for one, row in zip(answers, options.records(summary.table), strict=True)
            ]
        plain = {summary.thing: summary.to_dict() for summary in found}
        return {
            **{name: getattr(selection, name) for name in ("seed", "role", "hard")},
            **({"score": selection.score_text} if selection.score else {}),
            "again": selection.seed is None,
            **parts,
            "summary": plain if selection.daily else plain[selection.thing],
        }

    def _suggest_next(self) -> None:
        """Say how to have the same problems, and how many come back."""
        session, selection = self.session, self.session.selection
        if selection.daily:
            return
        play = " ".join(["--play", *selection.cards]) if selection.play else ""
        if selection.seed is not None and self.drawn:
            more = [play] * selection.play + (
                [f"--hands {session.number}"] if session.number != 10 else []
            )
            more += [f"--score {selection.score_text}"] if selection.score else []
            more += ["--hard"] * selection.hard + (
                [f"--{selection.role}"] if selection.role else []
            )
            command = " ".join(["cribev quiz --seed", str(selection.seed), *more])
            print(f"the same {self.thing}s for a friend: {command}", file=sys.stderr)
        with suppress(StoreError):
            stored = session.store.read() if session.store else []
            if back := progress.coming_back(stored, play=selection.play):
                things = pluralize(len(back), self.thing)
                command = f"cribev quiz {'--play ' * selection.play}--again"
                print(f"{things} to {self.verb} again: {command}", file=sys.stderr)


def show_history(arguments: argparse.Namespace) -> None:
    """Print how practice went, or every discard."""
    discards, cards = _read(arguments)
    if arguments.format == "csv":
        options.print_csv(progress.stored_discards(discards))
        return
    parts, games = {"discards": discards, "cards": cards}, [*local_games().daily()]
    first = mending(Store(database_path()), [*discards, *cards])
    found: dict[str, Any] = {
        **{name: progress.progress_of(stored) for name, stored in parts.items() if stored},
        "days": progress.daily_progress([*discards, *cards]),
    }
    found = {name: one for name, one in found.items() if one}
    plain = {name: one.to_dict() for name, one in found.items()}
    drawn = [_draw_part(one) for one in found.values()]
    if first:
        plain["mend"] = first.to_dict()
        drawn.insert(0, _draw_mending(first))
    if week := last_week(Store(database_path()), [*discards, *cards]):
        plain["week"] = week._asdict()
        ten = f"\nTen problems on it: cribev quiz --leak {week.group}" if week.group else ""
        drawn.insert(0, f"This week: {week.games}.\n{week.mend}{ten}")
    if games:
        plain["daily_games"] = [one._asdict() | {"expert": by} for one, by in games]
        drawn.append(f"The game of the day: {duplicate_text(games)}.")
    nothing = "Nothing is saved yet: cribev quiz asks ten hands, cribev serve has games to play."
    options.print_result(arguments.format, lambda: drawn or [nothing], plain=lambda: plain)


def _draw_part(part: progress.Progress | progress.Days) -> RenderableType:
    if isinstance(part, progress.Progress):
        return render.Drawn(partial(draw_progress, part))
    return render.Drawn(partial(_draw_days, part))


def _draw_days(found: progress.Days, console: Console) -> RenderResult:
    """Draw a bar for each day's ten, the latest first."""
    yield Text.assemble(("The ten of the day: ", "bold"), str(found))
    most = max(day.lost for day in found.days) or 1.0
    for day in found.days:
        head = Text(f"{day.day}  {day.squares}  {format_points(day.lost):>5} lost ")
        yield head + render.bar(console, day.lost / most, width=_BARS // 2)


def _draw_mending(found: Mending) -> RenderableType:
    """Say what to mend first over all games, as a review does."""
    lines = [Text("What to mend first", style="bold")]
    for place, (group, text) in enumerate(found.first, 1):
        lines.append(Text(f"{place}. {text}"))
        lines.append(Text(f"   to practise: cribev quiz --leak {group}", style="dim"))
    more = f"{found.nothing} " if found.nothing else ""
    lines.append(Text(f"{more}From {found.of}.", style="dim"))
    return Group(*lines)


def _read(arguments: argparse.Namespace) -> tuple[list[StoredDecision], list[StoredDecision]]:
    """Read discards and cards, and say what is damaged; `CribevError` if no row can be written."""
    store, damaged = Store(database_path()), list[str]()
    stored = store.read(warn=damaged.append)
    if damaged and not stored:
        raise CribevError("; ".join(damaged))
    discards, cards = ([one for one in stored if one.is_discard == of] for of in (True, False))
    for line in damaged:
        options.warn(line)
    if waiting := len(local_games().unreviewed()):
        which = f"{pluralize(waiting, 'game')} played here {'is' if waiting == 1 else 'are'}"
        options.warn(
            f"{which} not reviewed yet, and not among these: Play under cribev serve does that"
        )
    if arguments.format == "csv" and not discards:
        none = f"no discards are saved in {str(store.path)!r} yet"
        raise CribevError(f"{none}: begin with cribev quiz")
    return discards, cards


def delete_history(arguments: argparse.Namespace) -> None:
    """Delete all decisions, after asking."""
    store, damaged = Store(database_path()), list[str]()
    if not arguments.yes:
        if not sys.stdin.isatty():
            raise CribevError("--delete asks first, and there is nobody to ask: add --yes")
        number = len(store.read(warn=damaged.append))
        if not number and not damaged:
            print(f"nothing is saved in {str(store.path)!r}", file=sys.stderr)
            return
        for line in damaged:
            options.warn(line)
        which = pluralize(number, "decision") + (" and what is damaged" if damaged else "")
        answer = options.prompt(f"delete {which} for good? yes or no: ")
        if answer.strip().lower() not in ("y", "yes"):
            print("nothing is deleted", file=sys.stderr)
            return
    print(f"{pluralize(store.clear(), 'decision')} deleted", file=sys.stderr)


def _draw_problem(problem: Problem, place: str, numbered: bool, console: Console) -> RenderResult:
    """Draw a problem; ``numbered`` as on a table, the places of the cards above them."""
    owner = "your" if problem.role == "dealer" else "your opponent's"
    what = f", as {problem.role} ({owner} crib)"
    if not problem.is_discard:
        what = f", {problems.CARD_KINDS[problem.kind]}{what}"
    if problem.score_text:
        what += f", score {problem.score_text}"
    head = Text(place, style="bold" if numbered else "")
    head.append(what, style="none")
    cards, legal = problem.position.left, {*problem.position.legal}
    drawn, play = render.styled_cards(console, cards), problem.deal.play
    threw = render.styled_cards(console, problem.held.discard)
    cut = render.styled_cards(console, [problem.starter])
    if not numbered and problem.is_discard:
        yield Text.assemble(head, ": ", drawn)
    elif not numbered:
        laid = f", played {play}, count {play.count}" if play.steps else ""
        yield Text.assemble(head, ": ", drawn, ", discarded ", threw, ", starter ", cut, laid)
    else:
        yield head
        if not problem.is_discard:
            yield Text.assemble(("  starter ", "dim"), cut, ("   you discarded ", "dim"), threw)
            if play.steps:
                yield _laid_table(console, problem)
            yield Text()
        places = [str(at) if card in legal else "" for at, card in enumerate(cards, 1)]
        yield Text("  " + "  ".join(f"{at:<2}" for at in places).rstrip(), style="dim")
        hand = drawn.split(" ")
        if not problem.is_discard:
            for card, text in zip(cards, hand, strict=True):
                text.stylize("bold" if card in legal else "dim")
        yield Text.assemble("  ", Text("  ").join(hand))


def _laid_table(console: Console, problem: Problem) -> Table:
    """Lay the cards out as they fell, your opponent's above yours, the count below."""
    # A silent go, of one whose cards are all laid, pegs what the last card does.
    play = problem.deal.play
    steps = [step for step in play.steps if not step.silent]
    rows: list[list[Text]] = [[Text("your opponent", "dim")], [Text("you", "dim")]]
    counts = [Text("count", "dim")]
    for at, step in enumerate(steps):
        lanes = [Text(), Text()]
        own = int(step.role == problem.role)
        if step.card is None:
            lanes[own].append("go", "dim")
        else:
            lanes[own].append_text(render.styled_cards(console, [step.card]))
        for role in ROLES:
            if points := sum(peg.points for peg in step.pegs if peg.role == role):
                mine = role == problem.role
                lanes[int(mine)].append(f" +{points}", "green" if mine else "red")
        for row, lane in zip(rows, lanes, strict=True):
            row.append(lane)
        last = at == len(steps) - 1
        counts.append(Text("" if step.card is None else str(step.count), "bold" if last else ""))
    if play.count == 0:
        counts[-1] = Text("0", "bold")
    listed = Table.grid(padding=(0, 1, 0, 0))
    for row in (*rows, counts):
        listed.add_row(Text(" "), *row)
    return listed


def _draw_answer(answer: GradedAnswer, console: Console) -> RenderResult:
    decision = answer.decision
    first = _drawn(console, decision.cost)
    first.highlight_words([decision.verdict], TONES[decision.verdict])
    yield first
    yield _drawn(console, decision.why)
    if why := lesson(decision):
        yield Text(why)
    luck = _drawn(console, answer.luck)
    luck.style = "dim"
    yield luck


def _summary_lines(found: SessionSummary, selection: Selection) -> Iterator[Text]:
    thing, parts = found.thing, found.parts
    head = Text(f"{pluralize(found.number, thing)}{selection}: ", style="bold")
    yield Text.assemble(head, verdict_counts(found.verdicts))
    if found.win_lost is not None:
        lost, mean = format_games_lost(found.win_lost), format_percent(found.win_lost_mean)
        yield Text(f"lost {lost} in chances to win, {mean} a {thing}")
        if found.all_scored:
            return
    lost, mean = format_points(found.lost), format_points(found.lost_mean)
    yield Text(f"lost {lost} points, {mean} a {thing}; {found.comparison}")
    if parts:
        yield Text(
            "points {points} = best {best} - lost {lost} + luck {luck}".format_map(
                {name: format_points(part) for name, part in parts.items()}
            )
        )


def draw_progress(found: progress.Progress, console: Console) -> RenderResult:
    """Draw points lost over time, errors, and how that compares."""
    thing = found.thing
    decisions, sessions = (pluralize(found.decisions, thing), pluralize(found.sessions, "session"))
    counts = verdict_counts(found.verdicts)
    yield Text.assemble((f"{decisions} in {sessions}: ", "bold"), counts)
    errors = f"errors in {found.error_rate:.0%}"
    if {*found.periods} == {SCORED} and not found.lost:
        yield Text(errors)
    else:
        lost, mean = format_points(found.lost), format_points(found.lost_mean, 3)
        yield Text(f"{lost} points lost, {mean} a {thing}; {errors}")
    for kind in found.periods:
        yield Text()
        yield Text(progress.HEADINGS[thing][kind], style="bold")
        yield _chart(console, found, kind)
    for note in found.notes:
        yield Text(note, style="dim")
    if found.waiting:
        waiting = pluralize(found.waiting, thing)
        does, option = ("discard", "") if thing == "hand" else ("play", "--play ")
        yield Text(f"\n{waiting} to {does} again: cribev quiz {option}--again")


def verdict_counts(verdicts: Mapping[str, int]) -> Text:
    """Write how many decisions have each verdict."""
    return Text(", ").join(
        Text(f"{verdict} {number}", style=TONES[verdict])
        for verdict, number in verdicts.items()
        if number
    )


def _chart(console: Console, found: progress.Progress, kind: str) -> Table:
    """Draw a bar for each period; what is lost most in one fills the width."""
    thing = found.thing
    narrow = console.width < _NARROW
    beside = [] if narrow or kind != GAME else ["±", "luck a deal"]
    chart = render.table(
        console, ("since", "left"), (f"{thing}s", "right"), ("errors", "right"),
        (f"lost a {thing}", "right"), *((name, "right") for name in beside), ("", "left"),
    )  # fmt: skip
    width = max(8, min(_BARS, console.width - (38 if narrow else 44) - 18 * bool(beside)))
    most = found.most(kind) or 1.0
    for one in found.periods[kind]:
        lost = format_percent if kind == SCORED else format_points
        chart.add_row(
            progress.local_time(one.first)[: 10 if narrow else None],
            str(one.decisions),
            f"{one.error_rate:.0%}",
            lost(one.lost_mean),
            *(
                "" if value is None else format_points(value, sign=name != "±")
                for name, value in zip(beside, (one.lost_se, one.luck_mean), strict=False)
            ),
            render.bar(console, one.lost_mean / most, width=width),
        )
    return chart


def _drawn(console: Console, line: Line) -> Text:
    drawn = partial(render.styled_cards, console)
    return Text.assemble(*(one if isinstance(one, str) else drawn(one) for one in line))
