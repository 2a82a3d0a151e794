"""The values of the choices of a position, discards or cards, and their tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribev.advice.question import Question
from cribev.advice.verdicts import CARD_BANDS, DEFAULT_BANDS, verdicts
from cribev.classes.canonical import Floats
from cribev.classes.ranking import TIE_TOLERANCE, Ranking, mark_notes, ranking, tie_marks
from cribev.errors import CardError, quote
from cribev.game.alike import Value
from cribev.game.cards import (
    RANKS,
    SUITLESS_OFFSET,
    CardsLike,
    as_cards,
    cards_meant,
    format_card,
    parse_some_suits,
    rank_of,
)
from cribev.game.deal import Held, Position
from cribev.game.index_tables import DISCARDS
from cribev.game.outcomes import SCORED_COLUMNS, SHOWN_SKUNKS
from cribev.game.roles import Role
from cribev.game.stakes import WIN_STAKES, Stakes
from cribev.game.words import format_chance, join_words, say_chance

if TYPE_CHECKING:
    import pandas as pd

_SKUNK_HEADINGS = {"skunks": "skunk", "skunked": "skunked"}
_SKUNK_HEADINGS |= {f"double\n{one}": f"double_{name}" for one, name in _SKUNK_HEADINGS.items()}

_ABSENT: Any = None  # what a choice of this kind has not, or what does not count


@dataclass(frozen=True, repr=False)
class Option:
    """One choice of a position, a row of `Options.table`: its columns are attributes."""

    options: Options
    at: int  # its place in `Options.choices`

    discard: str = _ABSENT
    keep: str = _ABSENT
    card: str = _ABSENT
    expected: float = _ABSENT
    win: float | None = None
    skunk: float | None = None
    double_skunk: float | None = None
    lose: float | None = None
    skunked: float | None = None
    double_skunked: float | None = None
    value: float | None = None
    hand_mean: float = _ABSENT
    hand_min: int = _ABSENT
    hand_max: int = _ABSENT
    hand_sd: float = _ABSENT
    crib_mean: float = _ABSENT
    crib_min: int = _ABSENT
    crib_max: int = _ABSENT
    crib_sd: float = _ABSENT
    play_own: float | None = None
    play_opponent: float | None = None
    play_mean: float | None = None
    expected_min: float = _ABSENT
    expected_max: float = _ABSENT
    often_best: float = _ABSENT
    own: float = _ABSENT
    opponent: float = _ABSENT
    share: float = _ABSENT
    behind: float = _ABSENT

    def __repr__(self) -> str:
        row = self.to_dict() | {name: text[self.at] for name, text in self.options.texts.items()}
        return f"Option({', '.join(f'{name}={value!r}' for name, value in row.items())})"

    @property
    def cards(self) -> tuple[int, ...]:
        """The cards to discard, or the card to play."""
        return self.options.choices[self.at]

    @property
    def kept(self) -> tuple[int, ...]:
        """The four cards that a discard leaves."""
        return self.options.position.held.without(self.cards)

    @property
    def rank(self) -> int:
        """1 for the best; equal choices share a rank."""
        return int(self.options.rank[self.at])

    @property
    def sum_text(self) -> str:
        """The sum of a discard: ``hand 8.00 - crib 4.50 + play 0.50 = 4.00``."""
        text = f"hand {self.hand_mean:.2f} {'+' if self.options.role == 'dealer' else '-'} "
        text += f"crib {self.crib_mean:.2f}"
        if self.play_mean is not None:
            text += f" {'-' if self.play_mean < 0 else '+'} play {abs(self.play_mean):.2f}"
        return f"{text} = {self.expected:.2f}"

    @property
    def worth_text(self) -> str:
        """Say how often it wins, or what that is worth by the stakes: ``wins 84.1%``."""
        if self.options.is_staked:
            return f"worth {self.value:.3f}"
        return f"wins {say_chance(self.win)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values at full precision, ready for JSON."""
        texts = {name: texts[self.at] for name, texts in self.options.texts.items()}
        of_discard = self.options.is_discard
        split = {name: text.split() if of_discard else text for name, text in texts.items()}
        columns = {name: column[self.at].item() for name, column in self.options.columns.items()}
        return {"rank": self.rank, **split, **columns}


@dataclass(frozen=True, eq=False, repr=False)
class Options(Value):
    """The values of each choice of a position, as numbers only.

    `cribev.Advice` for discards, and `cribev.PlayAdvice` for cards, have Options and explain them.

    >>> question = Question(Position.parse("pone:4H5CJDJS/9CKD:7H:J5"))
    >>> worth = {"expected": np.array([0.25, 0.5, 0.5]), "share": np.array([0.0, 0.9, 0.1])}
    >>> options = Options.of_cards(question, worth)
    >>> options.best.card, options.rank.tolist(), options.frequency.tolist()
    ('5', [3, 1, 1], [0.0, 0.9, 0.1])
    >>> options.option("4H").expected, options.losses.tolist()
    (0.25, [0.25, 0.0, 0.0])
    """

    question: Question
    choices: tuple[tuple[int, ...], ...]
    """The cards of each discard, in the order of the keeps; or the lowest card of each rank that
    can be played, ascending."""
    columns: Mapping[str, NDArray[Any]]
    """The values of each, ``(n,)`` each in this order, named and ordered as tables have them."""
    value_against_any: Floats | None = None
    """The value of each against any cards, in the same unit: of equals, the highest is first."""

    def __repr__(self) -> str:
        return f"<{len(self.choices)} choices of {self.position}>"

    @classmethod
    def of_discards(
        cls,
        question: Question,
        columns: Mapping[str, NDArray[Any]],
        keeps: Iterable[int] | None = None,
    ) -> Options:
        """Make options from what some discards, by default all, are worth, in order of keeps.

        Without suits, only the first of discards with the same ranks is taken.
        """
        dealt = np.array(question.position.held.dealt)
        discarded = dealt[DISCARDS]
        if keeps is None:
            keeps = first = np.sort(np.unique(discarded, axis=0, return_index=True)[1])
            columns = {name: values[first] for name, values in columns.items()}
        choices = tuple(map(tuple, discarded[list(keeps)].tolist()))
        return cls(question, choices, columns)

    @classmethod
    def of_cards(cls, question: Question, columns: Mapping[str, NDArray[Any]]) -> Options:
        """Make options from what the cards that can be played are worth, by rank, ascending."""
        lowest = {rank_of(card): card for card in reversed(question.position.legal)}
        return cls(question, tuple((lowest[rank],) for rank in sorted(lowest)), columns)

    @property
    def position(self) -> Position:
        """The knowledge of the player."""
        return self.question.position

    @property
    def stakes(self) -> Stakes:
        """The stakes of the game."""
        return self.question.stakes

    @property
    def role(self) -> Role:
        """The player's role."""
        return self.position.role

    @property
    def is_discard(self) -> bool:
        """Whether to discard two cards, or else to play one."""
        return self.position.to_do == "discard"

    @property
    def expected(self) -> Floats:
        """The points that each brings on average."""
        return self.columns["expected"]

    @property
    def win(self) -> Floats | None:
        """Chances to win the game with each; None without a score."""
        return self.columns.get("win")

    @property
    def value(self) -> Floats | None:
        """The worth of these by the stakes; None without a score."""
        return self.columns.get("value", self.win)

    @property
    def unit(self) -> str:
        """The unit that is won, in a word or two: ``wins``, ``game points`` or ``games``."""
        return self.stakes.unit

    @property
    def swing(self) -> float:
        """The worth of a win beyond that of a loss, if nobody is skunked."""
        return self.stakes.swing

    @property
    def is_staked(self) -> bool:
        """Whether the game is played for more than to win it."""
        return self.stakes != WIN_STAKES

    @property
    def counts_doubles(self) -> bool:
        """Whether a double skunk counts more than one."""
        return self.stakes.counts_doubles

    @property
    def frequency(self) -> Floats | None:
        """The share of each in an expert's choices, if known."""
        return self.columns.get("share")

    @property
    def experts_lack(self) -> str:
        """The knowledge that an expert who mostly plays another card lacks; or empty.

        >>> question = Question(Position.parse("pone:4H5CJDJS/9CKD:7H:J5"))
        >>> worth = {"expected": np.array([0.25, 0.5, 0.4]), "share": np.array([0.9, 0.1, 0.0])}
        >>> Options.of_cards(question, worth).experts_lack
        'the starter and the discard'
        """
        if self.frequency is None or self.rank[self.frequency.argmax()] == 1:
            return ""
        position = self.position
        known = {
            "the starter": position.starter is not None,
            "the discard": bool(position.held.discard),
            "the score": self.win is not None,
        }
        lacks = [name for name, is_known in known.items() if is_known]
        return join_words(lacks, "and") if lacks else ""

    @cached_property
    def by_points(self) -> Options:
        """These options without chances to win, so that only points compare them."""
        if self.win is None:
            return self
        known = {
            name: values for name, values in self.columns.items() if name not in SCORED_COLUMNS
        }
        return replace(self, columns=known, value_against_any=None)

    @property
    def decided(self) -> bool:
        """Whether the score decides which is best: chances are known, and the end is near."""
        return self.win is not None and self.stakes.decide(self.position.score)

    @cached_property
    def by_wins(self) -> Options:
        """These options as compared where a game is played to win it, whatever the stakes."""
        if not self.is_staked or self.win is None:
            return self
        columns = {**self.columns, "value": self.win}
        to_win = replace(self.question, stakes=WIN_STAKES)
        return replace(self, question=to_win, columns=columns, value_against_any=None)

    @cached_property
    def ranking(self) -> Ranking:
        """The order of the choices: by the worth of chances if these are known, else by points."""
        by_value = ranking(self.expected, self.value)
        if self.value_against_any is None:
            return by_value
        keys = by_value.order.argsort(), -self.value_against_any.round(9), by_value.rank
        return by_value._replace(order=np.lexsort(keys))

    @property
    def rank(self) -> NDArray[np.int64]:
        """1 for the best; equal choices share a rank."""
        return self.ranking.rank

    @property
    def order(self) -> NDArray[np.intp]:
        """The places of the choices, the best first."""
        return self.ranking.order

    @cached_property
    def rows(self) -> list[Option]:
        """The choices, the best first."""
        return [self.row(index) for index in self.order.tolist()]

    @property
    def best(self) -> Option:
        """The first of the best."""
        return self.rows[0]

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """The cards as tables write them: those of a discard and its keep, or the rank played."""
        if not self.is_discard:
            return {"card": [RANKS[rank_of(card)] for (card,) in self.choices]}
        kept = [self.position.held.without(choice) for choice in self.choices]
        discarded, held = (list(map(cards_text, cards)) for cards in (self.choices, kept))
        return {"discard": discarded, "keep": held}

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each choice, the best first."""
        import pandas as pd

        texts = {
            name: [column[index] for index in self.order] for name, column in self.texts.items()
        }
        return pd.DataFrame({"rank": self.rank[self.order], **texts, **self.ranked_columns})

    @property
    def ranked_columns(self) -> dict[str, NDArray[Any]]:
        """The values of each choice, the best first."""
        return {name: column[self.order] for name, column in self.columns.items()}

    def to_dict(self, *, top: int | None = None) -> dict[str, list[dict[str, Any]]]:
        """Return the choices as plain values, the best first: ``discards`` or ``cards``."""
        name, verdicts = "discards" if self.is_discard else "cards", self.verdicts
        judged = zip(self.rows[:top], self.marks, strict=False)
        return {
            name: [
                row.to_dict() | {"verdict": str(verdicts[row.at]), "mark": mark}
                for row, mark in judged
            ]
        }

    @property
    def losses(self) -> Floats:
        """The points each brings less than the one that brings most; 0 for its equals."""
        return _behind(self.expected)

    @property
    def win_losses(self) -> Floats | None:
        """The loss of each against the best by the stakes; None without a score."""
        return None if self.value is None else _behind(self.value)

    @property
    def verdicts(self) -> NDArray[np.str_]:
        """A word of `cribev.advice.verdicts.VERDICTS` for each choice."""
        return verdicts(
            self.losses,
            DEFAULT_BANDS if self.is_discard else CARD_BANDS,
            win_losses=0.0 if self.win_losses is None else self.win_losses,
            by_wins=self.decided,
            swing=self.stakes.swing,
        )

    @property
    def win_texts(self) -> list[tuple[str, str]]:
        """Chances to win, and how far each is below the best, the best first; equals alike."""
        if self.win is None:
            return [("", "")] * len(self.choices)
        wins = self.win[self.order].tolist()
        if self.is_staked:
            return [(format_chance(win), "") for win in wins]
        texts: dict[int, tuple[str, str]] = {}
        for row, win in zip(self.rows, wins, strict=True):
            lost = f"{100 * (wins[0] - win):.1f}" if row.rank > 1 else ""
            texts.setdefault(row.rank, (format_chance(win), lost))
        return [texts[row.rank] for row in self.rows]

    @property
    def skunk_texts(self) -> dict[str, list[str]]:
        """Chances that each ends in a skunk, by heading, if they pass `SHOWN_SKUNKS`."""
        texts = dict[str, list[str]]()
        for heading, name in _SKUNK_HEADINGS.items():
            if name.startswith("double") and not self.counts_doubles:
                continue
            if name in self.columns and self.columns[name].max() > SHOWN_SKUNKS:
                texts[heading] = [format_chance(getattr(row, name)) for row in self.rows]
        return texts

    def index(self, cards: CardsLike | None) -> int:
        """Find the place of a choice, the best if None; `CardError` if it is none of them."""
        if cards is None:
            return int(self.order[0])
        asked = self._read(cards)
        chosen = Held(asked).kept
        by_rank = not self.is_discard and len(chosen) == 1
        for index, option in enumerate(self.choices):
            if option == chosen or (by_rank and rank_of(option[0]) == rank_of(chosen[0])):
                return index
        held = cards_text(self.position.held.dealt if self.is_discard else self.position.legal)
        if not self.is_discard:
            raise CardError(f"{cards_text(asked)} cannot be played: expected one of {held}")
        if isinstance(cards, str) and asked[0] >= SUITLESS_OFFSET:
            raise CardError(f"{quote(cards)} are not two of the ranks {held}")
        raise CardError(f"{cards_text(asked)} are not two of the cards dealt: {held}")

    def option(self, cards: CardsLike | None) -> Option:
        """Find a choice by its cards, as `index` does."""
        return self.row(self.index(cards))

    def row(self, index: int) -> Option:
        """Return a choice by its place."""
        row: dict[str, Any] = {name: texts[index] for name, texts in self.texts.items()}
        row |= {name: column[index].item() for name, column in self.columns.items()}
        return Option(self, index, **row)

    def alternative_to(self, chosen: Option) -> Option | None:
        """Find the best choice; or, for the best, the next that is not its equal."""
        return next((row for row in self.rows if (row.rank == 1) != (chosen.rank == 1)), None)

    @property
    def marks(self) -> list[str]:
        """A mark for each choice, the best first, as `tie_marks`."""
        value = None if self.value is None else self.value[self.order]
        return tie_marks(self.rank[self.order], self.expected[self.order], value)

    def mark_notes(self, marks: list[str]) -> list[str]:
        """Say what these marks mean."""
        return mark_notes(marks, scored=self.win is not None, staked=self.is_staked)

    def _read(self, cards: CardsLike) -> tuple[int, ...]:
        """Read the cards of a choice; ranks if no suits are known."""
        held = self.position.held.dealt
        if isinstance(cards, tuple | list) and all(type(card) is int for card in cards):
            return tuple(map(int, cards))
        if not isinstance(cards, str):
            return tuple(as_cards(cards).tolist())
        if not self.is_discard:
            return parse_some_suits(cards, count=1)
        return cards_meant(cards, held)


def _behind(values: Floats) -> Floats:
    lost = values.max() - values
    return np.where(lost > TIE_TOLERANCE, lost, 0.0)


def cards_text(cards: Iterable[int]) -> str:
    """Write cards separated by blanks; any may lack its suit."""
    return " ".join(map(format_card, cards))
