"""A person's habits, estimated by maximum likelihood from their discards and cards.

A player with `Habits` chooses a discard or a card with chances as ``exp(x · β)``, where x is what
the player sees of it, and β the habits over the temperature: a conditional logit [1]_. Where few
choices tell little, a weak prior holds β near that of `PEOPLE`. The likeliest β is found by
Newton's method, and the curvature there gives the standard errors.

References
----------
.. [1] D. McFadden: Conditional Logit Analysis of Qualitative Choice Behavior. Frontiers in
   Econometrics, 1974.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.advice.levels import choice_chances, discard_chances, keep_flush_points
from cribev.advice.names import OPPONENTS
from cribev.advice.options import Options
from cribev.classes.canonical import Floats, Index
from cribev.classes.ranking import DiscardValues
from cribev.errors import CribevError, quote
from cribev.evaluation.by_habits import ByHabits
from cribev.game import render
from cribev.game.cards import RANKS, Cards, ranks_of
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import ROLES, crib_sign
from cribev.game.words import printable
from cribev.opponents.habits import LEVELS, PEOPLE
from cribev.opponents.people import HABIT_RANGES, habits_of
from cribev.opponents.strategies import quantal_chances, seen_of_cards
from cribev.records.record import Record
from cribev.reviews.listings import Review
from cribev.rows.columns import as_text
from cribev.solution.solution import shipped_strategy
from cribev.solution.strategy import PublicNode
from cribev.system.files import atomic_write

LEAST_DECISIONS = 30
"""The least number of discards, and of cards that were a choice, from which to find habits."""

_STEPS = 60  # of Newton's method
_SPREAD = {"high": 0.1}  # of the prior, for numbers that are not about 1
_FAR, _TIMES = 4, 2  # standard errors, and how many times as often, that are unlike the model
_RARE = 1e-4  # what is less likely is an error that anybody may make


@dataclass(frozen=True, eq=False, repr=False)
class FittedHabits(render.Displayable):
    """The habits of a player, as estimated from their decisions."""

    person: ByHabits
    """The opponent with these habits, for `cribev.advise` and wherever you can name one."""
    errors: Mapping[str, float]  # the standard error of each number of the habits, by name
    discards: int  # how many were used
    cards: int
    nearest: str  # the level whose choices are most similar
    lost: tuple[float, float]  # points lost a deal, from the review, with the standard error
    explained: Mapping[str, float]
    """The geometric mean of how likely each choice was: by these ``habits``, for an ``expert``,
    and by ``chance``."""
    unlike: Sequence[str]
    """Choices that the habits do not explain: ranks chosen twice or half as often."""

    def __repr__(self) -> str:
        return f"<FittedHabits of {self.person.name}: like {self.nearest}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the habits as plain values: what `save` writes, and ``opponent`` reads."""
        return {
            "name": self.person.name,
            **{name: getattr(self.person.habits, name) for name in HABIT_RANGES},
            "errors": dict(self.errors),
            "decisions": {"discards": self.discards, "cards": self.cards},
            "nearest": self.nearest,
            "lost_a_deal": self.lost[0],
            "explained": dict(self.explained),
            "unlike": list(self.unlike),
            "at_bounds": [name for name in HABIT_RANGES if self._is_bound(name)],
        }

    def _is_bound(self, name: str) -> bool:
        return getattr(self.person.habits, name) in HABIT_RANGES[name]

    @property
    def traits(self) -> str:
        """Differences from a club player of more than two standard errors, in words."""
        said = []
        for name, words in _TRAITS.items():
            off = getattr(self.person.habits, name) - getattr(_COMPARED, name)
            if abs(off) > 2 * self.errors[name]:
                said.append(words[off > 0])
        return ", ".join(said) or "plays much like a club player"

    @property
    def told(self) -> tuple[str, str]:
        """The sentences after the name: the habits, and the traits."""
        lost, error = self.lost
        how = f" plays like {self.nearest}, and loses {lost:.2f} ± {error:.2f} points a deal"
        counted = f"{self.discards:,} discards, {self.cards:,} cards"
        return f"{how}: {counted}", f"{self.traits[0].upper()}{self.traits[1:]}."

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write the habits as JSON, complete or not at all; only `force` replaces a file."""
        with atomic_write(Path(path), force=force) as opened:
            opened.write((json.dumps(self.to_dict(), indent=2) + "\n").encode())

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(printable(self.person.name) + self.told[0], style="bold")
        yield Text(self.told[1])
        habits, expert, chance = (f"{self.explained[by]:.0%}" for by in _BY)
        yield Text(
            f"Each choice made has a chance of {habits} by these habits; {expert} for an expert, "
            f"{chance} at random."
        )
        if self.unlike:
            yield Text(f"Unlike the model: {'; '.join(self.unlike)}. Use the numbers with care.")
        listed = render.table(
            console, ("habit", "left"), ("", "right"), ("±", "right"), ("means", "left")
        )
        for name, meaning in _MEANINGS.items():
            value = f"{getattr(self.person.habits, name):.2f}"
            meaning += "; at its bound" if self._is_bound(name) else ""
            listed.add_row(name, value, f"{self.errors[name]:.2f}", meaning)
        yield listed


_MEANINGS = {
    "discards": "how often discards are errors, and how large (temperature, in points)",
    "crib": "how much the crib counts, 1 for as much as it is worth",
    "play": "how much the play counts, 1 for as much as it is worth",
    "cards": "how often cards are errors, and how large (temperature, in points)",
    "danger": "how much the opponent's reply to a card counts",
    "high": "points for each pip, for which a card is played sooner",
    "ace": "points for which an ace is held back",
}


_COMPARED = LEVELS["club"]._replace(crib=1.0)
_TRAITS = {  # where a habit is less than that, and more
    "discards": ("discards better than a club player", "discards worse than a club player"),
    "crib": ("counts the crib too little", "counts the crib too much"),
    "cards": ("makes fewer errors in the play", "makes more errors in the play"),
    "danger": ("fears your reply less", "fears your reply more"),
    "high": ("plays low cards first", "plays high cards first"),
    "ace": ("plays aces early", "holds back aces"),
}
_BY = ("habits", "expert", "chance")


DISCARD_HABITS, CARD_HABITS = ("discards", "crib", "play"), ("cards", "danger", "high", "ace")
"""The numbers of habits that discards tell, and cards."""


class Choices(NamedTuple):
    """The features that the player saw of each choice, and the choice made."""

    seen: Floats  # ``(n, choices, features)``
    is_choice: Any  # bool ``(n, choices)``
    chosen: Index  # ``(n,)``
    ranks: Floats  # how many of each rank each takes, ``(n, choices, 13)``


_Played: TypeAlias = list[tuple[Options, str]]  # what could be played, and the rank that was


def fit_habits(review: Review, player: str) -> FittedHabits:
    """Return the habits of a player of a review, with their standard errors.

    The temperature and the shares of crib and play are those that make the player's discards most
    likely. For the cards played, these are temperature, danger, height and ace. The nearest level
    is the one that makes all of these decisions most likely.

    Parameters
    ----------
    review
        What `cribev.review` returns against an expert, with the cards graded.
    player
        Whose decisions they are.

    Raises
    ------
    RecordError
        If there is no such player.
    CribevError
        If there are fewer than 30 discards or 30 cards that were a choice, the review has no play,
        or is not against an expert.
    """
    if review.discards.play is None:
        raise CribevError("habits need the play: review without --show-only")
    if not review.against.is_expert:
        name = quote(review.against.name)
        raise CribevError(f"habits are found in a review against an expert, not against {name}")
    require_decisions(review.record, player)
    alone = review.of_player(as_text(player))
    played = [
        (valued.options.by_points, card)
        for valued, card in zip(alone.graded.valued, alone.cards["card"], strict=True)
        if valued is not None
    ]
    record = alone.record
    discarded = discards_seen(alone.discards, record.dealer, record.deals, record.keeps)
    values, errors, unlike = dict[str, float](), dict[str, float](), list[str]()
    likely = by_chance = 0.0
    for names, word, choices in (
        (DISCARD_HABITS, "discards", discarded),
        (CARD_HABITS, "plays", _cards(played)),
    ):
        likeliest, off, chances = estimate_habits(choices, names)
        values |= dict(zip(names, likeliest.tolist(), strict=True))
        errors |= dict(zip(names, off.tolist(), strict=True))
        likely += float(np.log(chances[np.arange(len(chances)), choices.chosen]).sum())
        by_chance -= float(np.log(choices.is_choice.sum(axis=1)).sum())
        unlike += _unexplained(choices, chances, word)
    numbers = {name: float(np.clip(values[name], *ends)) for name, ends in HABIT_RANGES.items()}
    name = as_text(player)
    name = f"{name} in games" if name.lower() in OPPONENTS else name
    person = ByHabits(name, habits_of(numbers))
    levels, number = _likelihoods(alone, played), len(record.keeps) + len(played)
    totals = zip(_BY, (likely, levels["expert"], by_chance), strict=True)
    explained = {by: float(np.exp(total / number)) for by, total in totals}
    nearest, lost = max(levels, key=levels.__getitem__), _lost(alone)
    discards = len(record.keeps)
    return FittedHabits(person, errors, discards, len(played), nearest, lost, explained, unlike)


def require_decisions(record: Record, player: str) -> None:
    """Refuse a player with too few decisions."""
    rows = record.rows_of(player)
    positions = (position for row in rows.tolist() for position, _ in record.decisions(row))
    choices = (len(position.legal_ranks) for position in positions if position.to_do == "card")
    numbers = {"discards": len(rows), "cards that were a choice": sum(map((1).__lt__, choices))}
    for what, number in numbers.items():
        if number < LEAST_DECISIONS:
            raise CribevError(
                f"{quote(as_text(player))} has {number} {what}: expected {LEAST_DECISIONS} or more "
                "to find habits by"
            )


def discards_seen(
    values: DiscardValues, dealer: NDArray[np.bool_], deals: Cards, chosen: Index
) -> Choices:
    """Return what players saw of their discards: hand, crib with its sign, and play."""
    assert values.play is not None
    sign = np.where(dealer, *map(crib_sign, ROLES))[:, None]
    hand = values.hand - (1 - PEOPLE.flush) * keep_flush_points(deals, deals[:, KEEPS])
    features = np.broadcast_arrays(hand, sign * values.crib, values.play)
    ranks = np.eye(len(RANKS))[ranks_of(deals)[:, DISCARDS]].sum(axis=2)
    seen = np.nan_to_num(np.stack(features, axis=-1))
    return Choices(seen, np.isfinite(values.expected), chosen.astype(np.intp), ranks)


def _cards(played: _Played) -> Choices:
    positions = [options.position for options, _ in played]
    nodes = [shipped_strategy().node(position.play.history) for position in positions]
    held = np.array(
        [np.bincount(position.left_ranks, minlength=len(RANKS)) for position in positions]
    )
    chosen = np.array([RANKS.index(card) for _, card in played])
    return cards_seen(PublicNode(*np.array(nodes).T), held, chosen)


def cards_seen(nodes: PublicNode, held: Index, chosen: Index) -> Choices:
    """Return what players saw of cards at nodes: points, danger, pips, and whether it is an ace.

    They hold so many of each rank, ``(n, 13)``, and chose a rank, ``(n,)``.
    """
    strategy, state = shipped_strategy(), np.asarray(nodes.state)
    every = seen_of_cards(strategy.size, strategy.states)
    replies = np.where(nodes.go, 0, nodes.other_left)[:, None]
    leads = np.equal(nodes.mover_left + nodes.other_left, 2 * strategy.size.kept)[:, None]
    points = every.points[state] + PEOPLE.pairs * (leads & (held > 1))
    features = np.broadcast_arrays(points, -replies * every.reply[state], every.pips, -every.aces)
    is_choice = (held > 0) & (np.arange(len(RANKS)) < strategy.fits[state][:, None])
    ranks = np.broadcast_to(np.eye(len(RANKS)), (len(held), len(RANKS), len(RANKS)))
    return Choices(np.stack(features, axis=-1), is_choice, chosen, ranks)


def _unexplained(choices: Choices, chances: Floats, word: str) -> list[str]:
    """Name ranks that are chosen twice as often as by these chances, or half as often."""
    mean = np.einsum("nc,ncr->nr", chances, choices.ranks)
    square = np.einsum("nc,ncr->nr", chances, choices.ranks**2)
    expected, error = mean.sum(axis=0), np.sqrt((square - mean**2).sum(axis=0))
    often = choices.ranks[np.arange(len(chances)), choices.chosen].sum(axis=0)
    times = np.maximum(often, expected) / np.maximum(np.minimum(often, expected), 1)
    far = (np.abs(often - expected) > _FAR * error) & (times > _TIMES)
    return [
        f"{word} {RANKS[rank].replace('T', '10')} {often[rank]:.0f} times, not {expected[rank]:.0f}"
        for rank in np.flatnonzero(far)
    ]


def estimate_habits(choices: Choices, names: Sequence[str]) -> tuple[Floats, Floats, Floats]:
    """Return the likeliest numbers of habits, ``(k,)``, their errors, and chances of choices."""
    seen, is_choice, chosen, _ = choices
    chosen_features = seen[np.arange(len(chosen)), chosen].sum(axis=0)
    usual = np.array([1.0, *(getattr(PEOPLE, name) for name in names[1:])])
    usual /= getattr(PEOPLE, names[0])
    firmness = (usual[0] * np.array([_SPREAD.get(name, 1.0) for name in names])) ** -2

    def at(beta: Floats) -> tuple[float, Floats]:
        chances = quantal_chances(np.where(is_choice, seen @ beta, -np.inf))
        likelihood = float(np.log(chances[np.arange(len(chosen)), chosen]).sum())
        return likelihood - float(firmness @ (beta - usual) ** 2) / 2, chances

    beta = usual
    likelihood, chances = at(beta)
    for _ in range(_STEPS):
        mean = np.einsum("nc,nck->nk", chances, seen)
        slope = chosen_features - mean.sum(axis=0) - firmness * (beta - usual)
        curve = np.einsum("nc,nck,ncl->kl", chances, seen, seen) - mean.T @ mean
        curve += np.diag(firmness)
        step, fraction = np.linalg.solve(curve, slope), 1.0
        while (tried := at(beta + fraction * step))[0] < likelihood and fraction > 1e-6:
            fraction /= 2
        if abs(fraction * step).max() < 1e-8 or fraction <= 1e-6:
            break
        beta, (likelihood, chances) = beta + fraction * step, tried
    # The temperature is 1 / β₀, the others are over β₀; their errors are by the delta method.
    first = max(beta[0], 1 / HABIT_RANGES["cards"][1])  # who chooses at random has none
    values = np.concatenate([[1 / first], beta[1:] / first])
    slopes = np.eye(len(beta)) / first
    slopes[:, 0] = -values / first
    return values, np.sqrt(np.diag(slopes @ np.linalg.inv(curve) @ slopes.T)), chances


def _likelihoods(alone: Review, played: _Played) -> dict[str, float]:
    """Return the logarithm of how likely each level makes a player's discards, and the cards."""
    keeps, likelihood = alone.record.keeps, dict[str, float]()
    for level in LEVELS:
        discarded = discard_chances(level, alone.discards, alone.record.dealer)
        chances = [*discarded[np.arange(len(keeps)), keeps].tolist()]
        chances += [
            float(choice_chances(level, options)[options.index(card)]) for options, card in played
        ]
        likelihood[level] = float(np.log(np.maximum(chances, _RARE)).sum())
    return likelihood


def _lost(alone: Review) -> tuple[float, float]:
    """Return the points lost a deal, in discards and cards, and the standard error."""
    each = alone.decisions["loss"].to_numpy()
    each = each + np.nan_to_num(alone.graded.lost(alone.record)[0])
    return float(each.mean()), float(each.std(ddof=1) / len(each) ** 0.5)
