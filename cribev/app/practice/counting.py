"""Counting hands and cribs: the hands of a seed, what you missed, and what you miss most often."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from cribev.advice.decisions import Line
from cribev.app.practice.problems import deals_of
from cribev.app.practice.store import StoredCount
from cribev.game.show import KINDS, Kind, Show, explain
from cribev.game.words import join_words, pluralize

PLURALS: dict[Kind, str] = {
    "fifteen": "fifteens", "pair": "pairs", "run": "runs", "flush": "flushes", "nobs": "nobs",
}  # fmt: skip

_MOST_WAYS = 2  # to have missed something that are named


def count_verdict(show: Show, counted: int) -> str:
    """Say whether a hand is counted ``right``, or what is wrong: ``missed`` or ``too many``."""
    if counted == show.total:
        return "right"
    return "missed" if counted < show.total else "too many"


def count_result(show: Show, counted: int) -> Line:
    """Describe what a hand counts, beside your count."""
    if counted == show.total:
        return [f"{counted} it is: {show.spoken}"]
    if counted > show.total:
        return [f"counted {counted}, {counted - show.total} too many: {show.spoken}"]
    ways = missed_line(show, counted)
    return [f"counted {counted}, missed {show.total - counted}{': ' * bool(ways)}", *ways]


def pace_text(seconds: Sequence[float]) -> str:
    """Say how long a hand took to count, or each of several on average; empty if not timed.

    >>> pace_text([6.6]), pace_text([4, 9]), pace_text([])
    ('7 seconds', '6.5 seconds each', '')
    """
    if len(seconds) < 2:
        return "".join(pluralize(round(one), "second") for one in seconds)
    return f"{sum(seconds) / len(seconds):.1f} seconds each"


def missed_line(show: Show, counted: int) -> Line:
    """Suggest what was missed, unless too many combinations fit."""
    line, ways = list[str | tuple[int, ...]](), show.missed(counted)
    for at, way in enumerate(ways if len(ways) <= _MOST_WAYS else ()):
        line += [", or "] if at > 0 else []
        for after, (kind, number) in enumerate(Counter(way).items()):
            line += ([" and "] if after > 0 else []) + _named(show, kind, number)
    return line


def _named(show: Show, kind: Kind, number: int) -> Line:
    """Name combinations of a kind, with their cards if there are no others."""
    every = [one for one in show.combinations if one.kind == kind]
    if number < len(every):
        return [f"a {kind}" if number == 1 else f"{number} {PLURALS[kind]}"]
    name = kind if number == 1 else PLURALS[kind]
    line: Line = [f"{'the ' * (kind != 'nobs')}{name} "]
    for at, one in enumerate(every):
        line += ([", "] if at > 0 else []) + [one.cards]
    return line


def counts_of(seed: int) -> Iterator[Show]:
    """Deal the hands of a seed to count, deal by deal: pone's, the dealer's and the crib."""
    for deal in deals_of(seed):
        for cards in (deal.pone.kept, deal.dealer.kept, deal.crib):
            yield explain(list(cards), deal.starter, crib=cards == deal.crib)


class CountProgress(NamedTuple):
    """How counting went."""

    hands: int
    right: int
    too_many: int
    missed: int  # points missed, or counted too high, in all
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
            f"{PLURALS[kind]} ({max(1, round(self.kinds[kind]['missed']))} of "
            f"{pluralize(int(self.kinds[kind]['hands']), 'hand')})"
            for kind in self.most
        ]
        return text + (f". Missed most often: {join_words(words, 'and')}" if words else "")

    def to_dict(self) -> dict[str, Any]:
        """Return how counting went as plain values, ready for JSON."""
        return self._asdict()


def count_progress(counted: Sequence[StoredCount]) -> CountProgress | None:
    """Return how counting went; None without any counts."""
    if not counted:
        return None
    kinds = {kind: {"hands": 0.0, "missed": 0.0} for kind in KINDS}
    verdicts, missed = Counter[str](), 0
    for one in counted:
        show = one.show
        ways = show.missed(one.counted)
        for kind, number in show.counts.items():
            kinds[kind]["hands"] += number > 0
            kinds[kind]["missed"] += sum(kind in way for way in ways) / max(len(ways), 1)
        verdicts[count_verdict(show, one.counted)] += 1
        missed += abs(show.total - one.counted)
    kinds = {kind: found for kind, found in kinds.items() if found["hands"]}
    return CountProgress(len(counted), verdicts["right"], verdicts["too many"], missed, kinds)
