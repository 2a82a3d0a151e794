"""The page of a review: one HTML file that needs nothing else.

It shows the figures of each player, each with a note; the discards; and the cards: each play in
order, each choice, and what the opponent may have held. Cards have the colour of their verdict, and
a sign as in chess notation, so that readers need not rely on colour.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cribev.advice.lessons import lesson
from cribev.advice.options import Option
from cribev.advice.verdicts import CARD_BANDS, COSTLY, DEFAULT_BANDS, VERDICTS, WIN_BANDS
from cribev.classes.canonical import Floats
from cribev.classes.ranking import best_first, competition_ranks, without_repeats
from cribev.errors import CribevError, quote
from cribev.game.cards import (
    PIP_VALUES,
    RANKS,
    card_face,
    card_order,
    format_card,
    format_cards,
    parse_some_suits,
)
from cribev.game.deal import Position
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import ROLES, role_of
from cribev.game.score import UNKNOWN
from cribev.game.words import (
    WINS,
    format_games_lost,
    format_points,
    format_win_total,
    format_worth,
    say_chance,
    true_minus,
)
from cribev.grades import grading as grades
from cribev.grades import summary
from cribev.grades.totals import ACCURACY_FORMULA, Totals, hint_notes
from cribev.leaks import groups as leaks
from cribev.records.cells import ALL_COLUMNS
from cribev.records.games import contradicted_results
from cribev.records.record import deal_order
from cribev.records.tally import tally_deals
from cribev.reviews import charts
from cribev.reviews.findings import Miscount, Mistake
from cribev.reviews.listings import RATE_HEADINGS, Review, rate_cells
from cribev.system.files import atomic_write

if TYPE_CHECKING:
    import jinja2

MAX_LISTED = 5000  # decisions a page can have: each brings a table of 15 discards

_WORST = 8
_OPEN = 3  # of these, which a page shows at once; another answer on each would take too long
_MAX_IN_GROUP = 24  # decisions that open at once, of one game


def write_page(review: Review, path: str | PathLike[str], *, force: bool = True) -> None:
    """Write the page of a review, all of it or nothing.

    Parameters
    ----------
    review
        As `cribev.review` returns it.
    path
        The file, one of HTML that loads nothing.
    force
        Replace a file that is there.

    Raises
    ------
    CribevError
        If it is not a review, there are more decisions than a page can have, or a file that may not
        be replaced.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> from cribev import review
    >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
    ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["5H 5D"]})
    >>> with TemporaryDirectory() as folder:
    ...     write_page(review(frame), f"{folder}/game.html")
    ...     Path(folder, "game.html").read_text()[:15]
    '<!doctype html>'
    """
    if not isinstance(review, Review):
        raise CribevError(
            f"{quote(repr(review))} is not a review: expected what cribev.review returns"
        )
    text = review_html(review)
    with atomic_write(Path(path), force=force) as file:
        file.write(text.encode("utf-8", "replace"))


def review_html(review: Review) -> str:
    """Draw the page of a review, as HTML that loads nothing."""
    return page_environment().get_template("review.html").render(review_context(review))


def review_context(
    review: Review, address_of: Callable[[str], str] = lambda _: ""
) -> dict[str, Any]:
    """Gather what ``review.html`` and ``review_group.html`` show, groups at `address_of`."""
    require_page_fits(len(review.decisions))
    deals = OpenedDeals(review)
    steps, graded = grades.known_components(review.decisions), review.cards["choices"] > 1
    luck_steps = [*steps[:-1], *grades.PLAY_PARTS] if graded.any() else steps
    return {
        "review": review,
        "deals": deals,
        "players": _players(review, deals, address_of),
        "verdicts": VERDICTS,
        "bands": DEFAULT_BANDS,
        "card_bands": CARD_BANDS,
        "win_bands": WIN_BANDS,
        "steps": steps,
        "win_steps": grades.known_win_components(review.decisions),
        "graded": bool(graded.any()),
        "rate_headings": RATE_HEADINGS,
        "total_steps": review.total_steps,
        "accuracy_formula": true_minus(ACCURACY_FORMULA),
        "opponent_headings": summary.OPPONENT_HEADINGS,
        "opponent_note": summary.OPPONENT_NOTE,
        "leak_headings": leaks.leak_headings(review.leaks, review.win_unit),
        "leaks_note": leaks.LEAKS_NOTE,
        "contradicted": contradicted_results(review.record),
        "learner": None,
        "unknown": UNKNOWN,
        "formula": true_minus(grades.component_formula(luck_steps)),
        "wide": charts.WIDE,
        "high": charts.HIGH,
        "parted": False,
    }


def require_page_fits(decisions: int) -> None:
    """Refuse a review of more decisions than a page can have."""
    if decisions > MAX_LISTED:
        raise CribevError(
            f"{decisions:,} decisions are too many for a page, which holds {MAX_LISTED:,}: "
            "choose a player, or fewer games"
        )


def _players(
    review: Review, deals: "OpenedDeals", address_of: Callable[[str], str]
) -> list[dict[str, Any]]:
    """Gather what the page says of each player."""
    decisions = _decisions(review)
    order = deal_order(review.decisions).tolist()
    hints = hint_notes(review.decisions)
    first, mendable = leaks.first_leaks(review.leaks), leaks.mendable(review.leaks)
    tallies, players = tally_deals(review.record), list[dict[str, Any]]()
    played = summary.games_by_player(review.games, review.record)
    for number_of_player, totals in enumerate(review.players.to_dict(orient="records"), start=1):
        name, mark = totals["player"], f"p{number_of_player}"
        alone, rows = review.of_player(name), review.record.rows_of(name).tolist()
        own = [decisions[row] for row in order if decisions[row]["player"] == name]
        for number, decision in enumerate(own, start=1):
            decision["anchor"] = f"{mark}-d{number}"
        groups = _groups(review, own, deals, mark, address_of)
        costly = [decision for decision in own if decision["costly"]]
        for before, after in pairwise(costly):
            before["next"], after["previous"] = after["href"], before["href"]
        first_of = {group["game"]: group["href"] for group in reversed(groups)}
        cards = alone.cards["verdict"][alone.cards["choices"] > 1].value_counts()
        known, worst = review if review.counts_wins else alone, list[dict[str, Any]]()
        for number, mistake in enumerate(known.to_study(_WORST, player=name)):
            row = mistake.row if known is review else rows[mistake.row]
            shown: dict[str, Any]
            if isinstance(mistake, Miscount):
                lost = f"{format_games_lost(mistake.lost, review.win_unit)} lost"
                shown = mistake._asdict() | {"lost": lost}
            else:
                shown = shown_choice(known, mistake, deals.played(row))
                shown["turned"] = known.turned(mistake) if number < _OPEN else ""
            worst.append(decisions[row] | shown)
        player = {
            "name": name,
            "mark": mark,
            "totals": totals,
            "tiles": player_tiles(totals, own, hints.get(name, ""), review.win_unit),
            "missing": review.missing(totals),
            "games": [
                game | {"href": first_of[game["game"]]} for game in alone.games.to_dict("records")
            ],
            "opponents": [
                [true_minus(cell) for cell in summary.opponent_cells(opponent)]
                for opponent in alone.opponents.to_dict("records")
            ],
            "costly": len(costly),
            "groups": groups,
            "cards": {verdict: int(cards.get(verdict, 0)) for verdict in VERDICTS if len(cards)},
            "rates": [
                [true_minus(cell) or "–" for cell in rate_cells(rate, review.win_unit)]
                for rate in alone.error_rates.to_dict("records")
            ],
            "best_said": review.best_words(review.counts_wins),
            "leaks": [
                {**leak, "text": true_minus(leaks.leak_text(leak, review.win_unit))}
                for leak in first.get(name, [])
            ],
            "no_leak": leaks.no_leak_text(review.leaks, name),
            "trend": charts.games([game for game in played if game["player"] == name]),
            "groups_lost": [
                leaks.leak_cells(leak, review.win_unit)
                for leak in mendable[mendable["player"] == name].to_dict("records")
            ],
            "summary": review.summary(name),
            "skill": review.skill(name),
            "sheet": [
                (deal, tallies[deal["row"]], review.record.scores_after[deal["row"]].tolist())
                for deal in (own if len(alone.games) == 1 else ())
            ],
            "worst": worst,
            "ledger": charts.ledger(own),
        }
        players.append(player)
    return players


def shown_choice(review: Review, mistake: Mistake, played: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what a page shows of a discard or a card, with the cards of its play, in one unit."""
    of_game, position = review.counts_wins, mistake.position
    best, why = review.best_of(mistake), review.compared_with_best(mistake)
    graded = review.row_of(mistake)
    own, is_card = best.options.option(mistake.chosen), mistake.card is not None
    lost = points_text(mistake.lost)
    if of_game:
        lost = true_minus(format_games_lost(mistake.lost, review.win_unit))

    def worth(option: Option) -> str:
        points = points_text(option.expected, sign=is_card)
        if not of_game:
            return points
        if not review.is_staked:
            return f"{chance_text(option.win)} ({points})"
        return f"{true_minus(f'{option.value:.3f}')} ({points})"

    own_worth, best_worth = worth(own), worth(best)
    return {
        "lost": f"{lost} lost",
        "verdict": graded["verdict"],
        "has_verdict": review.has_verdict(graded),
        "is_card": is_card,
        "own": format_cards(own.cards),
        "own_worth": own_worth,
        "best": format_cards(best.cards),
        "best_said": review.best_words(of_game),
        "best_worth": best_worth,
        "left": format_cards(position.left),
        "discarded": format_cards(position.held.discard),
        "cut": "" if position.starter is None else format_card(position.starter),
        "played": played[: len(position.play.steps)],
        "count": position.play.count,
        "why": true_minus(f"The best has {why}." if not is_card else f"Best: {why}."),
        "lesson": lesson(mistake, best),
        "position": str(position),
    }


def _decisions(review: Review) -> list[dict[str, Any]]:
    """List the decisions in the order of the record."""
    cards: dict[int, list[Any]] = defaultdict(list)
    chosen = (review.cards["choices"] > 1).to_numpy()
    rows, records = review.graded.rows[chosen].tolist(), review.cards[chosen].to_dict("records")
    for row, card in zip(rows, records, strict=True):
        cards[row].append(card | {"lost": _lost(card, review.win_unit)})
    names = [name for name in review.decisions if name in (*ALL_COLUMNS, *grades.RESULT_COLUMNS)]
    columns: list[Any] = review.decisions[names].to_dict(orient="records")
    seats = zip(columns, review.record.pegged.tolist(), strict=True)
    return [
        {
            **values,
            "pegged": "" if UNKNOWN in points else "–".join(map(str, points)),
            "row": row,
            "choices": cards[row],
            "by_win": (by_win := values["judged_by"] == "win"),
            "best_said": review.best_words(by_win),
            "lost": _lost(values, review.win_unit),
            "costly": any(choice["verdict"] in COSTLY for choice in [values, *cards[row]]),
            "previous": "",
            "next": "",
        }
        for row, (values, points) in enumerate(seats)
    ]


def _groups(
    review: Review,
    decisions: list[dict[str, Any]],
    deals: "OpenedDeals",
    mark: str,
    address_of: Callable[[str], str],
) -> list[dict[str, Any]]:
    """Gather decisions that open together: those of a game, or part of a long one."""
    groups: list[list[dict[str, Any]]] = []
    for decision in decisions:
        last = groups[-1] if groups else []
        if last and last[0]["game"] == decision["game"] and len(last) < _MAX_IN_GROUP:
            last.append(decision)
        else:
            groups.append([decision])
    for number, group in enumerate(groups, start=1):
        for decision in group:
            decision["href"] = f"{address_of(f'{mark}-g{number}')}#{decision['anchor']}"
    return [
        {
            "anchor": (anchor := f"{mark}-g{number}"),
            "href": f"{address_of(anchor)}#{anchor}",
            "game": group[0]["game"],
            "deals": (group[0]["deal"], group[-1]["deal"]),
            "decisions": group,
            "costly": sum(decision["costly"] for decision in group),
            "lost": _lost_by(group, review.win_unit),
            "wins": charts.wins(group, review.win_unit, review.worths),
            "strip": charts.strip(group, deals.behind),
        }
        for number, group in enumerate(groups, start=1)
    ]


SIGNS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}
"""The explanation beside a card that lost something."""


class OpenedDeals:
    """The details of a deal, a row of `Review.decisions`, that open on a page."""

    def __init__(self, review: Review) -> None:
        self._review = review
        cards = review.cards[review.cards["choices"] > 1].to_dict("records")
        self._cards = {(card["game"], card["deal"], card["number"]): card for card in cards}
        expected = review.discards.expected
        self.behind: Floats = expected.max(axis=1, keepdims=True) - expected
        self._figures = [*review.discards.averages().values(), expected, self.behind]
        self._ranks = competition_ranks(without_repeats(expected, review.record.deals))
        self._orders = best_first(self._ranks)

    def position(self, row: int) -> Position:
        """Return the position before the discard."""
        return self._review.decision(row).position

    def options(self, row: int) -> Iterator[dict[str, Any]]:
        """List all 15 discards, best first, as `Review.options` does."""
        record, values = self._review.record, self._review.discards
        cards, told = [*map(card_html, record.deals[row].tolist())], set[str]()
        columns = []
        if values.win is not None:
            columns.append([chance_text(win) for win in values.win[row].tolist()])
        if self._review.is_staked and values.value is not None:
            columns.append([points_text(value, 3) for value in values.value[row].tolist()])
        columns += [
            [points_text(worth) for worth in figure[row].tolist()] for figure in self._figures
        ]
        for index in self._orders[row].tolist():
            discard = " ".join(cards[place] for place in DISCARDS[index])
            if discard in told:  # the same ranks, without suits
                continue
            told.add(discard)
            yield {
                "rank": self._ranks[row, index],
                "discard": discard,
                "keep": " ".join(cards[place] for place in KEEPS[index]),
                "figures": [column[index] for column in columns],
                "discarded": index == record.keeps[row],
            }

    def played(self, row: int) -> list[dict[str, Any]]:
        """List the cards of the play as they fell, each with face, verdict and title."""
        record, number = self._review.record, 0
        game, deal = (self._review.decisions[name].iloc[row] for name in ("game", "deal"))
        cards = list[dict[str, Any]]()
        for step in record.plays[row].steps:
            own = step.role == role_of(record.dealer[row])
            if step.rank is None:
                cards.append({"go": True, "own": own})
                continue
            number += 1
            card = self._cards.get((game, deal, number))
            points = sum(peg.points for peg in step.pegs if peg.role == step.role)
            verdict = card["verdict"] if card else ""
            title = f"count {step.count}{f', pegs {points}' * bool(points)}"
            if card:
                lost = _lost(card, self._review.win_unit)
                title += f": {verdict}{f', {lost}' * bool(lost)}"
            cards.append(
                {
                    "go": False, "own": own, "card": RANKS[step.rank],
                    "new": number > 1 and step.count == PIP_VALUES[step.rank],
                    "verdict": verdict, "sign": SIGNS.get(verdict, ""),
                    "title": title,
                }
            )  # fmt: skip
        return cards

    def choices(self, row: int) -> Iterator[dict[str, Any]]:
        """List the choices of a card in the play, with what could be played instead."""
        graded = self._review.graded
        for card in np.flatnonzero(graded.rows == row).tolist():
            if graded.valued[card] is not None:
                yield card_choice(self._review, self._review.mistake(row, card))


def card_choice(review: Review, mistake: Mistake) -> dict[str, Any]:
    """Return what a page shows of one card that was a choice."""
    card, play = review.row_of(mistake), mistake.position.play
    values = review.graded.valued[mistake.card or 0]
    assert values is not None
    return {
        "card": card["card"],
        "sign": SIGNS.get(card["verdict"], ""),
        "played": play.ranks_text,
        "count": play.count,
        "verdict": card["verdict"],
        "lost": _lost(card, review.win_unit),
        "best": mistake.best.card,
        "best_said": review.best_words(card["judged_by"] == "win"),
        "options": mistake.options.rows,
        "held": list(zip(RANKS, values.held.tolist(), strict=True)),
        "hands": values.hands,
        "explained": values.explained,
        "position": str(mistake.position),
    }


def _lost(row: Totals, unit: str) -> str:
    """Say what a discard or a card lost in the unit it is judged by, if it lost anything."""
    by_win = row["judged_by"] == "win"
    lost = row["win_loss" if by_win else "loss"]
    if not lost > 0:
        return ""
    return f"{format_games_lost(lost, unit) if by_win else format_points(lost)} lost"


def _lost_by(group: Iterable[Totals], unit: str) -> str:
    """Say what discards lost: points where these decide, and chances to win where those do."""
    by_win = [row["win_loss"] for row in group if row["by_win"]]
    points = sum(row["loss"] for row in group if not row["by_win"])
    text = f"{points_text(points)} lost by them"
    return text + f", {format_games_lost(sum(by_win), unit)} near the end" * bool(by_win)


class Tile(NamedTuple):
    """A figure of a player."""

    name: str  # the column of `Review.players` it is of
    words: str
    value: str
    note: str


def player_tiles(
    totals: Totals, decisions: list[dict[str, Any]], hints: str, unit: str
) -> list[Tile]:
    """Write the figures of a player, from a row of `Review.players`, decisions and `hint_notes`."""
    games = len({decision["game"] for decision in decisions})
    played = {decision["role"] for decision in decisions}
    roles = " or ".join(role for role in ROLES if role in played)
    return [
        *_lost_tiles(totals, games, hints, unit),
        _luck(totals, [step for step in grades.COMPONENTS if step.kind == "luck"]),
        _signed(totals, "result", f"points above an average {roles}"),
        _signed(totals, "luck_adjusted", "result less luck"),
    ]


def _lost_tiles(totals: Totals, games: int, hints: str, unit: str) -> Iterator[Tile]:
    """Write what was lost: in all, by discarding, in the play, and in wins, as far as known."""
    number = totals["decisions"]
    if hints or not np.isnan(totals["accuracy"]):
        note = f"of 100, {hints or 'discards and cards'}"
        yield Tile("accuracy", "Accuracy", points_text(totals["accuracy"], 1), note)
    means = (format_points(totals[name], 3) for name in ("loss_mean", "loss_mean_se"))
    mean = " ± ".join(filter(None, means))
    near = " that points decide" if totals["by_wins"] else ""
    note = f"{mean} a deal{near}"
    if totals.get("play_lost_deals"):
        texts = (points_text(totals[name]) for name in ("loss", "play_lost"))
        note = _both(*texts) + _known_of(totals["play_lost_deals"], number) + near
    yield Tile("lost", "Points lost", points_text(summary.lost_in_all(totals, "points")), note)
    if totals.get("win_loss_deals"):
        note = summary.win_unit(games, unit)
        if totals.get("win_play_lost_deals"):
            texts = (format_win_total(totals[f"win_{name}"], games, unit) for name in _LOSSES)
            note = f"{note}: {_both(*texts)}"
        note += _known_of(totals["win_loss_deals"], number)
        lost = format_win_total(summary.lost_in_all(totals, "win"), games, unit)
        yield Tile("win_lost", f"{unit.capitalize()} lost", true_minus(lost), note)


_LOSSES = ("loss", "play_lost")


def _both(discards: str, cards: str) -> str:
    return f"{discards} by discards, {cards} by cards"


def _luck(totals: Totals, steps: list[grades.Component]) -> Tile:
    """Write all luck that is known, and its parts."""
    number = totals["decisions"]
    known = [step for step in steps if totals[f"{step.name}_deals"]]
    terms = [
        f"{step.words} {points_text(totals[step.name], sign=True)}"
        + _known_of(totals[f"{step.name}_deals"], number)
        for step in known
    ]
    every = sum(totals[step.name] for step in known) if known else np.nan
    return Tile("luck", "Luck", points_text(every, sign=True), ", ".join(terms) or "not known")


def _signed(totals: Totals, name: str, note: str) -> Tile:
    """Write a total, and of how many deals."""
    known = totals["result_deals"]
    if over := _known_of(known, totals["decisions"]):
        note = f"{note},{over}" if known else "not known"
    words = name.capitalize().replace("_", "-")
    return Tile(name, words, points_text(totals[name], sign=True), note)


def _known_of(known: int, number: int) -> str:
    """Say of how many deals, if they are not all."""
    return "" if known == number else f" in {known} of {number} deals"


_BIDI_CONTROLS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_ISOLATED = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


@cache
def page_environment(*packages: str) -> "jinja2.Environment":
    """Return an environment for templates, those of packages first: all is escaped."""
    import jinja2

    loaders = [jinja2.PackageLoader(package) for package in (*packages, "cribev.reviews")]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        auto_reload=False,  # a server whose files are replaced goes on with the code it has
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["ask_address"] = None  # a page of a server has one
    environment.filters["points"] = points_text
    environment.filters["signed"] = lambda value: points_text(value, sign=True)
    environment.filters["chance"] = chance_text
    environment.filters["worth"] = _worth_text
    environment.filters["faces"] = _faces
    environment.filters["card_texts"] = format_cards
    environment.filters["minus"] = true_minus
    environment.filters["tens"] = lambda ranks: ranks.replace("T", "10")  # as they stand on cards
    environment.filters["name"] = _without_bidi
    environment.filters["isolated"] = lambda name: _without_bidi(name).join(_ISOLATED)
    return environment


def _without_bidi(text: object) -> str:
    """Leave out of a name what would turn the text after it around."""
    return str(text).translate(_BIDI_CONTROLS)


def points_text(value: float, digits: int = 2, *, sign: bool = False) -> str:
    """Write a number of points with a true minus, a dash where it is missing."""
    return true_minus(format_points(value, digits, sign=sign)) or "–"


def _worth_text(value: float, unit: str, digits: int = 1, *, sign: bool = False) -> str:
    """Write a difference of chances, or of what they are worth in another unit; a dash for none."""
    return true_minus(format_worth(value, digits, staked=unit != WINS, sign=sign)) or "–"


def chance_text(value: float | None) -> str:
    """Write a chance in percent; a dash where it is not known."""
    return say_chance(value) or "–"


def _faces(cards: str, out: str = "") -> list[dict[str, Any]]:
    """Return how to draw cards, and which of them are discarded."""
    discarded = parse_some_suits(out)
    drawn = sorted(parse_some_suits(cards), key=card_order)
    return [{**card_face(card), "out": card in discarded} for card in drawn]


def card_html(card: int) -> str:
    """Write a card as it stands in a line."""
    face = card_face(card)
    return ("<i>{}</i>" if face["red"] else "{}").format(face["rank"] + face["suit"])
