"""The page on which you click six cards and get an answer, and then follow the deal to its end."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, TypeAlias

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cribev.advice.answers import SuitlessAdvice, answer
from cribev.advice.cards import PlayAdvice, play_advice
from cribev.advice.decisions import Difference
from cribev.advice.discards import Advice
from cribev.advice.names import OPPONENTS
from cribev.advice.options import Option
from cribev.advice.reasons import grouped_starters, needs_text, score_effect, stakes_text
from cribev.advice.verdicts import DEFAULT_BANDS
from cribev.app.web import forms
from cribev.app.web.pages import ask_address, card_faces, page_headline, place_laid, render
from cribev.batch.by_score import discards_by_score
from cribev.errors import CardError, CribevError, quote
from cribev.game import cards
from cribev.game.deal import Held, Position
from cribev.game.roles import Role, as_role, crib_sign, opposite_role
from cribev.game.score import ANY_POINTS, WINNING_SCORE, Score
from cribev.game.show import explain
from cribev.game.stakes import NAMED_STAKES, WIN_STAKES, Stakes
from cribev.game.words import at_least_text, format_chance, true_minus
from cribev.opponents.people import Person
from cribev.reviews import charts
from cribev.values.wins_exact import PLAY_PARTS

_STRIP_TONES = 5  # colours of a strip of scores; more discards begin again with the first

_PARAMETERS = (
    "position", "cards", "role", "score", "own", "theirs", "mine", "opponent", "stakes",
    "players", "crib", "toggle", "random",
)  # fmt: skip


def position_address(
    position: Position,
    discard: str = "",
    opponent: str | Person = "expert",
    stakes: Stakes = WIN_STAKES,
    players: int = 2,
    crib: str | None = None,
) -> str:
    """Return the link to what there is to know of a position, beside a discard of your own."""
    more = {"mine": discard.replace(" ", "")} if discard else {}
    if opponent != "expert":
        more["opponent"] = opponent_text(opponent)
    if stakes != WIN_STAKES:
        more["stakes"] = stakes.name
    if players > 2:
        more["players"] = str(players)
    if crib == "partner":
        more["crib"] = crib
    return ask_address(position, **more)


def opponent_text(opponent: str | Person) -> str:
    """Return what names an opponent in an address."""
    return opponent.text if isinstance(opponent, Person) else opponent


def parse_seats(given: Mapping[str, str]) -> dict[str, Any]:
    """Read how many ``players`` there are, and whose ``crib``; a form may say it for a role."""
    role, crib = (given.get(name, "").strip().lower() for name in ("role", "crib"))
    crib = crib or role if role == "partner" else crib
    return {"players": forms.parse_players(given), "crib": crib or None}


def parse_question(given: Mapping[str, str]) -> tuple[Position, str]:
    """Read a position and your own discard from an address; `CribevError` if it is none."""
    discard, seats = given.get("mine", "").strip(), parse_seats(given)
    if "position" in given:
        for name in ("cards", "role", "score", "own", "theirs"):
            if given.get(name, "").strip():
                raise CribevError(f"'position' is given, and {name!r} besides")
        position = Position.parse(given["position"])
    else:
        deal = cards.read_hand(given.get("cards", ""), _size(given))
        said = given.get("role", "").strip()
        said = "" if said.lower() == seats["crib"] else said
        starred = Score.role_by_star(given.get("score", ""), said or None)
        role = as_role(starred or ("pone" if seats["crib"] == "theirs" else "dealer"))
        position = Position(role, Held.of(deal), score=parse_score(given, role))
    if not discard:
        return position, ""
    thrown = 1 if len(position.held.dealt) == 5 else 2
    return position, card_texts(cards.cards_meant(discard, position.held.dealt, count=thrown))


def card_texts(dealt: Iterable[int]) -> str:
    """Write cards, by their ranks alone where suits are not known."""
    return " ".join(map(cards.format_card, dealt))


def parse_score(given: Mapping[str, str], role: Role) -> Score | None:
    """Read a score, from one parameter or from two; `CribevError` if both are given, or half."""
    text = given.get("score", "").strip()
    own, theirs = given.get("own", "").strip(), given.get("theirs", "").strip()
    if own or theirs:
        if text:
            raise CribevError(f"'score' is given, {quote(text)}, and 'own' and 'theirs' besides")
        if not (own and theirs):
            whose, empty = ("you", "the opponent") if own else ("the opponent", "you")
            raise CribevError(
                f"the score has {quote(own or theirs)} for {whose} and nothing for {empty}: "
                "expected both, or neither"
            )
        text = f"{own}-{theirs}"
    return Score.read(text, role) if text else None


@lru_cache(64)  # a click on a row asks about the same cards again
def answer_question(
    position: Position,
    opponent: str | Person = "expert",
    stakes: Stakes = WIN_STAKES,
    players: int = 2,
    crib: str | None = None,
) -> Advice | SuitlessAdvice:
    """Answer which cards to discard."""
    played_for = None if stakes == WIN_STAKES else stakes
    return answer(position, opponent=opponent, stakes=played_for, players=players, crib=crib)


def parse_selection(text: str) -> list[str]:
    """Read the cards that are selected in the deck, up to six, past what is none."""
    return list(map(cards.format_card, cards.readable_cards(text)[:6]))


def answer_context(
    position: Position,
    own: str,
    opponent: str | Person = "expert",
    stakes: Stakes = WIN_STAKES,
    players: int = 2,
    crib: str | None = None,
) -> dict[str, Any]:
    """Gather what ``answer.html`` shows of an answer, beside your own discard if there is one."""
    advice = answer_question(position, opponent, stakes, players, crib)
    choices, best, options = advice.choices, advice.best, advice.options
    compared = _own(advice, own) if own else None  # refuses what is no discard
    parts = [_parts(choice) for choice in choices]
    axis = charts.discard_axis(parts)
    rows = [
        {
            "choice": choice,
            "mark": mark,
            "win": win,
            "wins_lost": lost,
            "worth": f"{choice.value:.3f}" if options.is_staked else "",
            "behind": best.expected - choice.expected,
            "parts": part,
            "bars": charts.discard_bars(part, axis),
            "at": axis.at(choice.expected),
            "own": choice.discard == own,
            "skunks": [texts[at] for texts in options.skunk_texts.values()],
            "address": position_address(position, choice.discard, opponent, stakes, players, crib),
        }
        for at, (choice, part, mark, (win, lost)) in enumerate(
            zip(choices, parts, options.marks, options.win_texts, strict=True)
        )
    ]
    wins = "" if best.win is None else f"wins {format_chance(best.win)}, "
    return {
        "advice": advice,
        "best": best,
        "six": _six_faces(best, own),
        "sum": true_minus(best.sum_text),
        "answer": f"Discard {best.discard} and keep {best.keep}: {wins}{best.sum_text} on average.",
        "rows": rows,
        "skunks": list(options.skunk_texts),
        "zero": axis.at(0),
        "notes": options.mark_notes(options.marks),
        "follow": _follow(position, own or best.discard, opponent, stakes) if players == 2 else "",
        "own": compared,
        "score": advice.position.score and _score(advice, advice.position.score, opponent),
        **_explanation(advice, own),
    }


def _six_faces(best: Option, own: str) -> list[dict[str, Any]]:
    """Tell how the six cards are drawn: the best discard lifted, your own marked."""
    thrown = own.split()
    six = sorted(
        [(face, "") for face in card_faces(best.keep)]
        + [(face, "up") for face in card_faces(best.discard)],
        key=lambda one: cards.RANKS.index(one[0]["text"][0]),
    )
    faces = []
    for face, kind in six:
        if face["text"] in thrown:
            thrown.remove(face["text"])
            kind = f"{kind} own".strip()
        faces.append({**face, "kind": kind})
    return faces


def _follow(
    position: Position, discard: str, opponent: str | Person, stakes: Stakes
) -> str | dict[str, str]:
    """Return what begins a game at a board with this deal; a link to its rest without suits.

    A game at a board is against whoever sits there, and its advice against an expert.
    """
    held = position.held.of_deal(cards.parse_some_suits(discard))
    if opponent != "expert" or max(held.dealt) >= cards.SUITLESS_OFFSET:
        return position_address(replace(position, held=held), "", opponent, stakes)
    score = (position.score or Score(0, 0)).text(position.role)
    given = {"role": position.role, "cards": card_texts(held.dealt), "discard": discard}
    return given | {"score": score, "stakes": stakes.name, "advice": "1"}


def _parts(choice: Option) -> dict[str, float]:
    found = {"hand": choice.hand_mean, "crib": crib_sign(choice.options.role) * choice.crib_mean}
    return found if choice.play_mean is None else found | {"play": choice.play_mean}


def _own(advice: Advice | SuitlessAdvice, own: str) -> dict[str, Any]:
    """Say what your own discard costs against the best, or by how much it is the best."""
    compared: Any = advice.beside(own)
    choice, other = compared.choice, compared.other or compared.choice
    loss = other.expected - choice.expected if choice.rank > 1 else 0.0
    (verdict,) = DEFAULT_BANDS.verdicts([loss], [choice.rank == 1]).tolist()
    return {
        "discard": choice.discard,
        "sum": true_minus(choice.sum_text),
        "cost": loss,
        "verdict": verdict,
        "best": choice.rank == 1,
        "rival": Difference(choice, other),
        "ahead": getattr(compared, "starters_ahead", None),
    }


def _score(advice: Advice | SuitlessAdvice, score: Score, opponent: str | Person) -> dict[str, Any]:
    """Say what score and stakes do to the answer, and where to ask about others that may matter."""

    def shown(discard: str) -> str:
        suited = advice.has_suits
        return cards.format_cards(cards.as_cards(discard), symbols=True) if suited else discard

    def aloud(discard: str) -> str:
        return " and ".join(face["name"] for face in card_faces(discard))

    options, position, best = advice.options, advice.position, advice.best.discard
    at, played = score_effect(options), options.stakes.text if options.is_staked else ""
    staked = stakes_text(options, f"discard {shown(best)}")
    others = [stakes for stakes in NAMED_STAKES if stakes != options.stakes] if staked else []
    usual = advice.has_suits and opponent == "expert"
    return {
        "points": score.text(advice.role),
        "needs": needs_text(score, advice.role),
        "par": advice.par.text if advice.par else "",
        "changes": at.changes or played,
        "text": at.text(shown(at.by_points)),
        "played": played,
        "staked": staked,
        "others": [(one.unit, position_address(position, "", opponent, one)) for one in others],
        "over": [
            (whose, scores_address(position, runs, options.stakes))
            for whose, runs in (("yours", "yours"), ("your opponent's", "theirs"))
            if usual
        ],
        "aloud": stakes_text(options, f"discard {aloud(best)}")
        if played
        else at.text(aloud(at.by_points)),
    }


def _explanation(advice: Advice | SuitlessAdvice, own: str) -> dict[str, Any]:
    if not isinstance(advice, Advice):
        return {"why": None, "by_kind": advice.explain().by_kind}
    why = advice.explain()
    starters = why.starters
    other = advice.distribution(own)["total"] if own and own != why.discard else None
    return {
        "why": why,
        "by_kind": why.by_kind,
        "ends": why.ends.text(advice.role) if why.ends else "",
        "helpful": [
            (cards.format_cards(cut), *values)
            for cut, *values in grouped_starters(starters, ["hand", "crib_mean"])
        ],
        "starters": charts.starter_grid(starters["starter"].tolist(), starters["gain"].to_numpy()),
        "distribution": charts.distribution(why.distribution["total"], other),
        "pegs": [at_least_text(why.distribution[part].loc[0:]) for part in PLAY_PARTS[:2]]
        if why.play
        else [],
    }


def _before(
    position: Position, opponent: str | Person = "expert", stakes: Stakes = WIN_STAKES
) -> str:
    """Return the link to what was before the last card; to the discard if there was none."""
    held, play = position.held, position.play
    address = partial(position_address, opponent=opponent, stakes=stakes)
    chosen = [
        at
        for at, step in enumerate(play.steps)
        if not step.silent and (step.card is not None or step.role != position.role)
    ]
    if chosen:
        return address(replace(position, play=play.before(chosen[-1])))
    if position.starter is not None:
        return address(replace(position, starter=None))
    if not held.discard:
        return "/ask"
    six = Position(position.role, Held.of(held.dealt), score=position.score)
    return address(six, card_texts(held.discard))


def _way_back(given: Mapping[str, str]) -> str:
    """Return the link to the last position before one that leads nowhere; empty without one."""
    if {"opponent", "stakes"} & given.keys():
        with suppress(CribevError):
            return position_address(*parse_question(given))
    known, at, score = (text := given.get("position", "")).partition("@")
    with suppress(CribevError):
        return _before(Position.parse(text))
    for size in range(min(len(known), 150) - 1, 0, -1):  # none is longer but for blanks
        with suppress(CribevError):
            return position_address(Position.parse(known[:size] + at + score))
    return ""


def followed_context(position: Position, opponent: str | Person, stakes: Stakes) -> dict[str, Any]:
    """Gather what ``followed.html`` shows of a deal."""
    play, role, cut, kept = position.play, position.role, position.starter, position.held.kept
    address = partial(position_address, opponent=opponent, stakes=stakes)
    links = {card: address(position.then(card)) for card in position.may_follow}
    at_cut = cut is None and not play.steps
    own_turn = not at_cut and position.to_do == "card"
    state = "cut" if at_cut else "own" if own_turn else "theirs"
    if position.winner is not None:
        state = "won" if position.winner == role else "lost"
    elif play.over:
        state = "over"
    advice = _advice(position, opponent, stakes) if own_turn else None
    best = [] if advice is None else [one.card for one in advice.choices if one.rank == 1]
    points, pegs = play.points, None
    if advice is not None:
        made = advice.distribution()
        pegs = format_chance(made.first[0]), *map(at_least_text, (made.own[0], made.opponent[0]))
    return {
        "here": "ask",
        "address": address(position),
        "position": position,
        "before": _before(position, opponent, stakes),
        "state": state,
        "pegged": (points[role], points[opposite_role(role)]),
        "laid": place_laid(play, role),
        "links": links,
        "best": best,
        "advice": advice,
        "pegs": pegs,
        "headline": "" if advice is None else page_headline(advice.headline),
        "staked": advice
        and page_headline(stakes_text(advice.options, f"lay the {advice.best.card}")),
        "against": opponent.name if isinstance(opponent, Person) else "",
        "show": explain(list(kept), cut)
        if state == "over" and cut is not None and max(*kept, cut) < cards.DECK_SIZE
        else None,
    }


def _advice(position: Position, opponent: str | Person, stakes: Stakes) -> PlayAdvice:
    """Say what to lay, by chances to win where score and starter are known."""
    known = position if position.starter is not None else replace(position, score=None)
    played_for = None if known.score is None else stakes
    return play_advice(known, "expert" if opponent == "uniform" else opponent, played_for)


def _typed_position(given: Mapping[str, str]) -> dict[str, str]:
    """Take the text of a position from where cards are typed, with the score beside it."""
    text, score = given["cards"], [given.get(name, "").strip() for name in ("own", "theirs")]
    if all(score) and "@" not in text:
        text += f"@{score[0]}-{score[1]}"
    also = "mine", "opponent", "stakes", "players", "crib"
    known = {name: given[name] for name in also if name in given}
    return {"position": text, **known}


async def _ask(request: Request) -> Response:
    """Show the page; what takes time, an answer, waits in a queue."""
    given = forms.parse_query(request, *_PARAMETERS)
    typed = given.get("cards", "")
    with suppress(CribevError):
        typed = typed or card_texts(Position.parse(given.get("position", "")).held.dealt)
    selected = parse_selection(typed)[: _size(given)]
    show = partial(_page, given, selected)
    try:
        if "random" in given:
            dealt = cards.format_cards(cards.random_hands(1, cards=_size(given))[0])
            return _redirect({**given, "cards": dealt, "mine": ""})
        if ":" in typed:  # the text of a position, typed where cards are
            return _redirect(_typed_position(given))
        if "toggle" in given:
            return _toggle(given, selected)
        if not (given.get("cards", "").strip() or "position" in given):
            forms.parse_opponent(given)
            return show()
        if {"own", "theirs"} & given.keys():
            return _redirect(given)
        position, discard = parse_question(given)
        opponent = forms.parse_opponent(given)
        stakes = forms.parse_stakes(given, scored=position.score is not None)
        queue = request.app.state.queues.for_question(given)
        seats = parse_seats(given)
        question = position, discard, opponent, stakes, seats["players"], seats["crib"]
        answered: Response = await queue.run_for(request, _answer, selected, question)
        return answered
    except CribevError as error:
        return show(error=error)


def _toggle(given: Mapping[str, str], selected: list[str]) -> Response:
    """Take a card, or put it back, without a script."""
    card = cards.format_cards(cards.as_cards(given["toggle"], count=1))
    left = [one for one in selected if one != card]
    chosen, size = left if card in selected else [*left, card], _size(given)
    if len(chosen) > size:
        raise CardError(f"{_SIZES[size]} cards are chosen: put one back before {card}")
    changed = {**given, "cards": " ".join(chosen), "mine": ""}
    return _redirect(changed) if len(chosen) == size else _page(changed, chosen)


_SIZES = {5: "five", 6: "six"}


def _size(given: Mapping[str, str]) -> int:
    """Return how many cards are dealt, also where how many play is not to be read."""
    return 6 if given.get("players", "").strip() in ("", "2") else 5


def _redirect(given: Mapping[str, str]) -> Response:
    opponent = forms.parse_opponent(given)
    position, discard = parse_question(given)
    stakes = forms.parse_stakes(given, scored=position.score is not None)
    seats = parse_seats(given)
    return forms.see_other(position_address(position, discard, opponent, stakes, **seats))


_Question: TypeAlias = tuple[Position, str, str | Person, Stakes, int, str | None]


def _answer(selected: list[str], question: _Question) -> Response:
    """Show what to discard, or a deal after that: the starter, the cards laid, and what to lay."""
    position, _, opponent, stakes, *_ = question
    if position.to_do == "discard":
        return _page({}, selected, question=question, found=answer_context(*question))
    values = followed_context(position.after_goes(), opponent, stakes)
    return HTMLResponse(render("followed.html", values))


def _page(
    given: Mapping[str, str],
    selected: list[str],
    *,
    question: _Question | None = None,
    found: dict[str, Any] | None = None,
    error: CribevError | None = None,
) -> Response:
    position = question[0] if question else None
    score = position.score.seen_by(position.role) if position and position.score else None
    own, theirs = map(str, score) if score else (given.get("own", ""), given.get("theirs", ""))
    role = position.role if position else given.get("role", "").strip().lower()
    players, crib = question[4:] if question else (given.get("players"), given.get("crib"))
    size = _size({"players": str(players or "")})
    values = {
        "here": "ask",
        "cards": card_texts(position.held.dealt) if position else given.get("cards", ""),
        "selected": selected,
        "role": crib if crib == "partner" else role,
        "players": str(players or "2").strip(),
        "size": size,
        "dealt": _SIZES[size],
        "own": own,
        "theirs": theirs,
        "opponents": OPPONENTS,
        "stakes": question[3].name if question else given.get("stakes", ""),
        **forms.chosen_opponent({"opponent": opponent_text(question[2])} if question else given),
        "error": " ".join(str(error).split()) if error else "",
        "back": _way_back(given) if error else "",
        "found": found,
        "address": position_address(*question) if question else "",
    }
    return HTMLResponse(render("ask.html", values), 400 if error else 200)


def _ask_over_scores(asked: forms.Asked) -> Response:
    """Show where the best discard changes as the points of one player run from 0 to 120."""
    given = asked.given
    position, _ = parse_question(given)
    runs = forms.parse_choice(given, "runs", ("yours", "theirs"), "theirs")
    stakes = forms.parse_stakes(given, scored=position.score is not None)
    suited = max(position.held.dealt) < cards.SUITLESS_OFFSET
    if position.to_do != "discard" or position.score is None or not suited:
        raise CribevError(
            f"{quote(given['position'])}: expected six cards with suits at a score, as "
            "dealer:5H5DJSQC2H8D@95-110"
        )
    own, theirs = position.score.seen_by(position.role)
    score = f"{ANY_POINTS}-{theirs}" if runs == "yours" else f"{own}-{ANY_POINTS}"
    dealt = position.held.dealt
    table = discards_by_score(dealt, role=position.role, score=score, stakes=stakes).table
    rows: list[Any] = table.to_dict(orient="records")
    discards = [one for one in table["discard"].unique() if isinstance(one, str)]
    now, ranges = own if runs == "yours" else theirs, []
    for row in rows:
        first, last, discard = row["first"], row["last"], row["discard"]
        near = min(max(now, first), last)
        at = (near, theirs) if runs == "yours" else (own, near)
        known = isinstance(discard, str)
        worth = [f"{row[end]:.3f}" for end in ("value_first", "value_last") if end in row]
        ranges.append(
            {
                "first": first,
                "wide": last - first + 1,
                "points": str(near) if first == last else f"{first} to {last}",
                "tone": discards.index(discard) % _STRIP_TONES + 1 if known else 0,
                "discard": discard if known else "",
                "keep": row["keep"] if known else "",
                "worth": [*dict.fromkeys(worth)],
                "wins": [*dict.fromkeys(map(format_chance, (row["win_first"], row["win_last"])))],
                "now": first <= now <= last,
                "address": position_address(
                    replace(position, score=Score.read(at, position.role)), "", stakes=stakes
                ),
            }
        )
    values = {
        "here": "ask",
        "cards": card_texts(dealt),
        "role": position.role,
        "points": f"{own}–{theirs}",
        "now": now,
        "whose": "your points" if runs == "yours" else "your opponent's points",
        "ranges": ranges,
        "size": WINNING_SCORE,
        "stakes": stakes.text if stakes != WIN_STAKES else "",
        "back": position_address(position, stakes=stakes),
        "other": scores_address(position, "theirs" if runs == "yours" else "yours", stakes),
        "other_whose": "your opponent's points" if runs == "yours" else "your points",
    }
    return HTMLResponse(render("ask_scores.html", values))


def scores_address(position: Position, runs: str, stakes: Stakes) -> str:
    """Return the link to what is best as the points of one player run."""
    address = position_address(position, stakes=stakes)
    return address.replace("/ask?", f"/ask/scores?runs={runs}&", 1)


async def _old_address(request: Request) -> Response:
    """Lead from where questions were asked before version 0.3, and from the address alone."""
    asked = request.url.query
    return RedirectResponse(f"/ask?{asked}" if asked else "/play", 307)


ROUTES = [
    Route("/", _old_address),
    Route("/ask", _ask),
    Route("/opponent", forms.choose_opponent, methods=["POST"]),
    forms.route("/ask/scores", _ask_over_scores, "position", "runs", "stakes", queue="scored"),
]
