"""Counting hands and cribs: what a seed deals to count, what was missed, and what most often."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from cribev.advice.decisions import Line
from cribev.choice import join_words, pluralize
from cribev.errors import CribevError, quote
from cribev.game.cards import format_card, format_cards
from cribev.game.score import parse_integer
from cribev.game.show import KINDS, MAX_HAND, Kind, Show, explain
from cribev.practice.problems import deals_of
from cribev.practice.store import DEALT, StoredCount

PLURALS: dict[Kind, str] = {
    "fifteen": "fifteens", "pair": "pairs", "run": "runs", "flush": "flushes", "nobs": "nobs",
}  # fmt: skip

_MOST_WAYS = 2  # to have missed something that are named


@dataclass(frozen=True)
class Counted:
    """A hand or a crib, and what it was counted for."""

    show: Show
    points: int

    @property
    def verdict(self) -> str:
        """``right``, ``missed`` or ``too many``."""
        total = self.show.total
        return "right" if self.points == total else "missed" if self.points < total else "too many"

    @property
    def result(self) -> Line:
        """Say whether it is right, and what may have been missed."""
        total = self.show.total
        if self.points == total:
            return [f"{total} it is: {self.show.spoken}"]
        if self.points > total:
            return [f"counted {self.points}, {self.points - total} too many: {self.show.spoken}"]
        ways = self.ways
        return [f"counted {self.points}, missed {total - self.points}{': ' * bool(ways)}", *ways]

    @property
    def ways(self) -> Line:
        """Say what may have been missed, unless too much fits."""
        line, ways = list[str | tuple[int, ...]](), self.show.missed(self.points)
        for at, way in enumerate(ways if len(ways) <= _MOST_WAYS else ()):
            line += [", or "] * (at > 0)
            for after, (kind, number) in enumerate(Counter(way).items()):
                line += [" and "] * (after > 0) + self._named(kind, number)
        return line

    def _named(self, kind: Kind, number: int) -> Line:
        """Name so many combinations of a kind, with their cards if there are no others."""
        every = [one for one in self.show.combinations if one.kind == kind]
        if number < len(every):
            return [f"a {kind}" if number == 1 else f"{number} {PLURALS[kind]}"]
        line: Line = [
            f"the {kind if number == 1 else PLURALS[kind]} " if kind != "nobs" else "nobs "
        ]
        for at, one in enumerate(every):
            line += [", "] * (at > 0) + [one.cards]
        return line

    def stored(self, *, session: str, number: int, kind: str = DEALT) -> StoredCount:
        """Make its row of the store."""
        show = self.show
        return StoredCount(
            session=session,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            kind=kind,
            number=number,
            cards=format_cards(show.hand),
            starter="" if show.starter is None else format_card(show.starter),
            crib=int(show.crib),
            counted=self.points,
        )


def counts_of(seed: int) -> Iterator[Show]:
    """Deal hands of a seed to count, deal by deal: pone's, the dealer's and the crib."""
    for deal in deals_of(seed):
        for cards in (deal.pone.kept, deal.dealer.kept, deal.crib):
            yield explain(list(cards), deal.starter, crib=cards == deal.crib)


def parse_count(text: str) -> int:
    """Read what a hand is counted for; `CribevError` if it is no whole number from 0 to 29."""
    points = parse_integer(text.strip(), most=MAX_HAND)
    if points is None:
        raise CribevError(f"{quote(text.strip())}: expected points, from 0 to {MAX_HAND}")
    return points


class CountProgress(NamedTuple):
    """How counting went."""

    hands: int
    right: int
    too_many: int
    missed: int  # points missed in all
    kinds: dict[Kind, dict[str, float]]
    """Of each kind the hands that have some, and in how many of them some were missed; where it
    cannot be told which were, every way has its share."""

    @property
    def most(self) -> list[Kind]:
        """The kinds that were missed, the one that is missed most often first."""
        rate = {kind: found["missed"] / found["hands"] for kind, found in self.kinds.items()}
        return sorted((kind for kind in rate if rate[kind]), key=lambda kind: -rate[kind])

    def __str__(self) -> str:
        text = f"{pluralize(self.hands, 'hand')} counted, {self.right / self.hands:.0%} right"
        text += f"; {pluralize(self.missed, 'point')} missed" if self.missed else ""
        text += f"; too many in {self.too_many}" if self.too_many else ""
        words = [
            f"{PLURALS[kind]} ({self.kinds[kind]['missed']:.3g} of "
            f"{pluralize(int(self.kinds[kind]['hands']), 'hand')})"
            for kind in self.most
        ]
        return text + (f". Missed most often: {join_words(words, 'and')}" if words else "")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return self._asdict()


def count_progress(counted: Sequence[Counted]) -> CountProgress:
    """Tell how counting went, from one hand or more."""
    kinds = {kind: {"hands": 0.0, "missed": 0.0} for kind in KINDS}
    for one in counted:
        ways = one.show.missed(one.points)
        for kind, number in one.show.counts.items():
            kinds[kind]["hands"] += number > 0
            kinds[kind]["missed"] += sum(kind in way for way in ways) / max(len(ways), 1)
    verdicts = Counter(one.verdict for one in counted)
    return CountProgress(
        hands=len(counted),
        right=verdicts["right"],
        too_many=verdicts["too many"],
        missed=sum(max(one.show.total - one.points, 0) for one in counted),
        kinds={kind: found for kind, found in kinds.items() if found["hands"]},
    )


def stored_progress(stored: Sequence[StoredCount]) -> CountProgress | None:
    """Tell how counting went from what is stored; None from nothing."""
    counted = [Counted(one.show, one.counted) for one in stored]
    return count_progress(counted) if counted else None
