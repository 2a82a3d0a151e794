"""Columns that are read and written: one name means the same everywhere.

Between reading and writing a column is a sequence of Python values, or an Arrow array from Parquet.
Deals, roles and scores are read from whole columns; only what is wrong in them is read row by row.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CardError, CribevError, quote
from cribev.game import roles, score_texts
from cribev.game.cards import SUITLESS_OFFSET, Cards, format_card, parse_hand
from cribev.game.roles import ROLES
from cribev.game.score import MAX_SCORE_BEFORE, UNKNOWN, Score
from cribev.rows.lines import parse_lines
from cribev.system.cache import import_optional

REQUIRED_COLUMNS = ("deal", "role", "cards", "discard")  # what every record has

RECORD_COLUMNS = (
    *("game", "deal", "player", "role", "cards", "discard"),
    *("starter", "opponent_discard"),
)
"""What a record of throws alone holds: neither the play nor the score."""

PEGGED_COLUMNS = ("pegged", "opponent_pegged")
SCORE_COLUMNS = (*PEGGED_COLUMNS, "play", "score", "score_after")
"""The play and the score, where a record has them."""

GRADE_COLUMNS = (
    *("best_discard", "expected", "best_expected", "ev_loss", "rank", "verdict", "margin"),
    *("deal_luck", "starter_luck", "crib_swing", "play_swing", "result"),
)
"""What a review adds to each row of a record, in points."""

WIN_COLUMNS = (
    *("judged_by", "win_before", "win", "best_win", "win_discard", "win_loss"),
    *("win_deal_luck", "win_luck", "win_after"),
)
"""What it adds in chances to win."""

VALUE_COLUMNS = ("value_before", "value", "best_value", "value_after")
"""What it adds where games are played for more than to win them."""

PLAY_COLUMNS = ("play_luck", "play_lost", "opponent_play_lost")
"""What it adds in points where cards are graded."""

WIN_PLAY_COLUMN = "win_play_lost"  # what it adds in chances to win where cards are graded

COLUMN_DESCRIPTIONS = {
    "game": "any name; one game needs none",
    "deal": "its number in the game, from 1",
    "player": "a name; one player needs none",
    "role": "dealer or pone",
    "cards": "the six cards dealt",
    "discard": "the two cards discarded",
    "keep": "the four cards kept",
    "starter": "the card cut",
    "opponent_discard": "the two cards the opponent discarded",
    "pegged": "points pegged in the play",
    "opponent_pegged": "points the opponent pegged",
    "play": "the cards in the order played, all unless the game ends; pegged follows from it",
    "score": "the score before the deal, the player's points first, a star at the dealer's",
    "opponent_score": "the opponent's points, if score has the player's alone",
    "score_after": "the score after the deal, if the cards or the next deal's score tell it",
    "rank": "rank among the 15 discards; equal ones share it",
    "best_discard": "the best discard",
    "best_keep": "the cards it keeps",
    "hand_mean": "average hand",
    "hand_min": "the least the hand can be",
    "hand_max": "the most it can be",
    "hand_sd": "its standard deviation",
    "crib_mean": "average crib",
    "crib_min": "the least the crib can be",
    "crib_max": "the most it can be",
    "crib_sd": "its standard deviation",
    "play_own": "points you peg on average if two experts play",
    "play_opponent": "points your opponent pegs then",
    "play_mean": "your points in the play minus your opponent's",
    "win": "chance to win the game from the score, 0 to 1",
    "skunk": "of that by a skunk: the opponent has fewer than 91 then",
    "double_skunk": "of that by a double skunk: fewer than 61",
    "lose": "chance to lose the game",
    "skunked": "of that by a skunk: you have fewer than 91 then",
    "double_skunked": "of that by a double skunk",
    "value": "what these are worth by the stakes",
    "win_method": "exact; or approximate, to about 0.0005",
    "expected": "average hand plus average crib as dealer, minus it as pone, plus play_mean",
    "margin": "how much more the best discard is worth than the second best",
    "best_expected": "what the best discard is worth",
    "ev_loss": "how much less the discard chosen is worth than the best",
    "verdict": "best, close, inaccuracy, mistake or blunder",
    "deal_luck": "what the best discard is worth, minus the average for the role",
    "starter_luck": "what the cut adds",
    "crib_swing": "the crib as counted, minus its average; as pone, the reverse",
    "play_swing": "points pegged minus the opponent's, minus the average of that",
    "play_luck": "what opponent and chance did in the play: play_swing plus play_lost",
    "play_lost": "what the player's cards lost in the play",
    "opponent_play_lost": "what the opponent's cards lost, if those six are recorded too",
    "win_play_lost": "what the player's cards lost in the play, in chances to win",
    "judged_by": "what decides the verdict: win where the score is known and a player needs 31 or "
    "fewer (with stakes, 61 or fewer), else points",
    "win_before": "chance to win the game before the deal, 0 to 1, if two experts play on",
    "win_discard": "the discard that wins most, or is worth most by the stakes",
    "best_win": "chance to win with that discard",
    "win_loss": "how much less the discard chosen wins",
    "win_deal_luck": "best_win minus win_before",
    "win_luck": "what cards and opponent did after the discard: win_after minus win, plus "
    "win_play_lost where cards are graded",
    "win_after": "chance to win after the deal, 1 or 0 if the game is over",
    "value_before": "what win_before is worth, with skunks; win_loss, win_deal_luck, win_luck and "
    "win_play_lost are in this unit then",
    "best_value": "what the best discard is worth by the stakes",
    "value_after": "what the score after the deal is worth",
    "result": "hand and crib as counted, and the play if it is recorded, else its average; all "
    "minus the average for the role",
}
"""Each column with its meaning; numbers are points, of the discard the row is about."""

CARD_COLUMNS = {
    **{name: COLUMN_DESCRIPTIONS[name] for name in ("game", "deal", "player", "role")},
    "number": "which card of the play it is, from 1 to 8",
    "laid": "the cards as they fell before, goes included",
    "count": "the count before the card",
    "card": "the rank played",
    "points": "points the card pegs, and a go that follows it",
    "decision": "lead, answer (the dealer's first card) or later",
    "choices": "how many ranks fit; with one there was no choice, and nothing is graded",
    "best": "the card that is worth most",
    "expected": "what you peg from this card to the end of the play minus what your opponent pegs, "
    "on average, by what you know",
    "best_expected": "what you peg less what your opponent pegs with the best card",
    "loss": "how much less the card played is worth than the best",
    "share": "how often an expert plays it, who knows the cards kept and played",
    "greedy_loss": "what a greedy player would have lost here",
    "random_loss": "what a player would have lost who plays any card that fits",
    "verdict": "best, close, inaccuracy, mistake or blunder; forced without a choice",
}
"""What a review says of each card laid, worth points by the rest of the play alone."""

CARD_WIN_COLUMNS = {
    "judged_by": COLUMN_DESCRIPTIONS["judged_by"],
    "win_best": "the card that wins most",
    "win": "chance to win the game after the card, 0 to 1",
    "best_win": "chance to win the game with the card that wins most",
    "win_loss": "how much less the card played wins",
    "greedy_win_loss": "what a greedy player would have lost here, in chances to win",
    "random_win_loss": "what a player would have lost who plays any card that fits, in chances to "
    "win",
}
"""What it adds in chances to win."""

CARD_VALUE_COLUMNS = {
    "value": "what chances are worth by the stakes, and win_loss with them",
    "best_value": "what the best card is worth by the stakes",
}
"""What it adds where games are played for more than to win them."""

CARD_COLUMN_DESCRIPTIONS = CARD_COLUMNS | CARD_WIN_COLUMNS | CARD_VALUE_COLUMNS

LEAK_COLUMNS = {
    "player": "whose decisions they are",
    "decision": "discard or card",
    "kind": "the way to group them: each decision is in one group of each kind",
    "group": "its name, which quiz --leak takes",
    "words": "what the decisions have in common",
    "place": "1, 2 or 3 for what to mend first, as it loses most beyond the share that it has of "
    "what a club player would lose; else 0",
    "number": "how many decisions",
    "errors": "how often another choice was best",
    "loss": "points lost in all",
    "loss_se": "its standard error",
    "loss_mean": "points lost each",
    "loss_mean_se": "its standard error",
    "club_loss": "points that a club player would lose each on average, if points decided",
    "expert_loss": "points that an expert would lose each on average, if points decided",
    "loss_a_game": "points a game that mending it would gain",
    "win_loss": "chances to win lost in all, where they are known for each",
    "win_loss_se": "its standard error",
    "win_loss_a_game": "games of one that mending it would gain",
    "rule": "a rule of thumb",
    "holds": "how often it holds, in a million deals",
    "example": "the costliest decision, as a position",
    "chosen": "what was chosen there",
    "best": "what was best there",
    "lost": "what that lost, in chances to win if they are known for each decision, else points",
}
"""Each column of a player's leaks, with its meaning."""

TREND_COLUMNS = {
    "player": "whose decisions they are",
    "first": "the number of the first, in the order of the record",
    "number": "how many decisions: a hundred, or more of very many",
    "errors": "how many of them were an inaccuracy or worse",
    "loss": "points lost each",
    "loss_se": "its standard error",
    "deals": "in how many deals luck is known",
    "luck": "luck of deal and starter, points a deal",
    "luck_se": "its standard error",
}
"""Each column of a player's decisions over time, with its meaning."""

LAY_COLUMNS = {
    "role": "dealer or pone",
    "hand": "the four cards kept",
    "discard": "the two cards discarded",
    "starter": "the card cut",
    "laid": "the cards as they fell, and go",
    "opponent_hand": "the four cards the opponent kept",
    "card": "the card played now",
    "best_card": "the rank of the best card",
    "expected": "what the card is worth: points pegged from here less the opponent's",
    "best_expected": "what the best card is worth",
    "ev_loss": "how much less the card played is worth than the best",
    "rank": "rank among the cards that fit; equal ones share it",
    "verdict": "best, close, inaccuracy, mistake or blunder",
}
"""Each column of a table of cards laid in the play, with its meaning; numbers are points."""


def arrow_with(part: str) -> tuple[Any, Any]:
    """Import pyarrow, and a part of it."""
    return import_optional("pyarrow", "parquet"), import_optional(f"pyarrow.{part}", "parquet")


def is_arrow(column: object) -> bool:
    """Tell whether a column is an Arrow array."""
    return type(column).__module__.split(".")[0] == "pyarrow"


def as_values(column: Any) -> Sequence[Any]:
    """Take a column as Python values; `CribevError` if Arrow holds what Python has no value for."""
    try:
        values: Sequence[Any] = column.to_pylist() if is_arrow(column) else column
    except (OverflowError, ValueError) as error:  # a date after the year 9999, say
        raise CribevError(f"cannot take {column.type} as text: {error}") from error
    return values


def as_printable_values(column: Any) -> Sequence[Any]:
    """Take a column as Python values; bytes of a text that are not UTF-8 are spelled out."""
    try:
        return as_values(column)
    except CribevError:
        kinds = import_optional("pyarrow", "parquet").types
        if kinds.is_dictionary(column.type):
            column = column.dictionary_decode()
        if not (kinds.is_string(column.type) or kinds.is_large_string(column.type)):
            raise
        binary = "binary" if kinds.is_string(column.type) else "large_binary"
        return [
            value if value is None else value.decode("utf-8", "backslashreplace")
            for value in column.view(binary).to_pylist()
        ]


def take_rows(column: Any, rows: NDArray[np.intp]) -> Any:
    """Pick rows of a column."""
    if not is_arrow(column):
        return type(column)(column[row] for row in rows.tolist())
    arrow = import_optional("pyarrow", "parquet")
    try:
        return column.take(arrow.array(rows))
    except arrow.ArrowNotImplementedError:  # of views of text and what holds them
        values = as_values(column)
        return arrow.array([values[row] for row in rows.tolist()], type=column.type)


def byte_size(column: Any) -> int:
    """Count the bytes that picked rows of an Arrow column take; 0 for other columns."""
    if not is_arrow(column):
        return 0
    dictionary = getattr(column, "indices", None)
    return int((column if dictionary is None else dictionary).nbytes)


def as_text(value: object) -> str:
    """Write any value as text: nothing where it is missing, the cards of a list side by side."""
    if isinstance(value, str):
        # Half a surrogate pair, from JSON, fits in no column of text.
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list | tuple | np.ndarray):
        return " ".join(str(one) for one in value)
    if value is None or type(value).__name__ == "NAType" or value != value:  # that of pandas
        return ""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))  # a column of whole numbers with gaps comes as floats
    return str(value)


RowErrors: TypeAlias = dict[int, CribevError]  # what is wrong with each bad row, counted from 0


def parse_deals(columns: Sequence[Any], size: int = 6) -> tuple[Cards, RowErrors]:
    """Read deals from one column or six: uint8 ``(N, 6)``, zeros where bad; and errors by row."""
    count = size // len(columns)
    parsed = []
    errors: RowErrors = {}
    for column in columns:
        numbers, bad = parse_hands(column, count)
        parsed.append(numbers)
        errors = {**bad, **errors}
    deals: Cards = np.concatenate(parsed, axis=1)
    if len(columns) > 1:
        held = np.bitwise_or.reduce(np.uint64(1) << deals % SUITLESS_OFFSET, axis=1)
        doubtful = (np.bitwise_count(held) < size) | (deals >= SUITLESS_OFFSET).any(axis=1)
        for row in (row for row in np.flatnonzero(doubtful).tolist() if row not in errors):
            try:
                deals[row] = _one_deal(deals[row])
            except CardError as error:
                errors[row] = error
                deals[row] = 0
    return deals, errors


def parse_hands(column: Any, count: int) -> tuple[Cards, RowErrors]:
    """Read a column of hands: uint8 ``(N, count)``, zeros where bad; and errors by row."""
    text, no_text = _arrow_lines(column) if is_arrow(column) else _joined(column)
    numbers, bad = parse_lines(text, count=count, suitless=True)
    return numbers, {**bad, **no_text}


def _one_deal(cards: Cards) -> Cards:
    """Check six cards that stood in six columns: all that have suits differ, and fit a deck."""
    return parse_hand(" ".join(map(format_card, cards.tolist())), count=len(cards), suitless=True)


def parse_roles(values: Any) -> tuple[NDArray[np.bool_], RowErrors]:
    """Read a column of roles: whether each is the dealer, and what is wrong with the bad rows."""
    if is_arrow(values):
        arrow, compute = arrow_with("compute")
        with suppress(arrow.ArrowException):  # not a column of texts
            dealer, pone = (
                compute.fill_null(compute.equal(values, role), False).to_numpy(zero_copy_only=False)
                for role in ROLES
            )
            if (dealer | pone).all():
                return dealer, {}
        values = as_printable_values(values)
    try:
        plain = set(values) <= set(ROLES)
    except TypeError:  # a list, say, which no set takes
        plain = False
    words = values
    errors: RowErrors = {}
    if not plain:
        words = [""] * len(values)
        for row, value in enumerate(values):
            try:
                words[row] = roles.as_role(value)
            except CribevError as error:
                errors[row] = error
    return np.fromiter(map("dealer".__eq__, words), dtype=bool, count=len(words)), errors


def parse_stars(scores: Any) -> tuple[NDArray[np.bool_], RowErrors]:
    """Tell by the stars of a column of scores whether each row is the dealer's; errors by row."""
    texts = list(map(as_text, as_printable_values(scores)))
    found = [Score.role_by_star(text) for text in texts]
    return np.array([role == "dealer" for role in found], dtype=bool), {
        row: CribevError(
            f"column {SCORE!r}, {quote(texts[row])}: expected a star at the dealer's, as "
            "119*-113, or a column 'role'"
        )
        for row, role in enumerate(found)
        if role is None
    }


def not_text_errors(values: Iterable[tuple[int, Any]]) -> RowErrors:
    """Say what is wrong with each row whose cards are no text."""
    return {
        row: CardError(f"expected cards as text, got {quote(repr(value))}")
        for row, value in values
        if not isinstance(value, str)
    }


def _joined(values: Sequence[Any]) -> tuple[bytes, RowErrors]:
    errors: RowErrors = {}
    try:
        text = "\n".join(values)
    except TypeError:
        errors = not_text_errors(enumerate(values))
        values = ["" if row in errors else value for row, value in enumerate(values)]
        text = "\n".join(values)
    if text.count("\n") >= max(len(values), 1):  # a line break is as good as a blank
        text = "\n".join([value.replace("\n", " ") for value in values])
    return (text + "\n" * bool(len(values))).encode("utf-8", "replace"), errors


SCORE = "score"
OPPONENT_SCORE = "opponent_score"
STAKES = "stakes"  # no column is read: all rows are played for the same


def holds_score(values: Iterable[Any]) -> bool:
    """Tell whether any value of a column is a score of both players, or a date made of one."""
    return any(score_texts.is_meant(as_text(value)) for value in values)


def no_score_note(values: Iterable[Any]) -> str | None:
    """Say, by its first value, that a column `SCORE` holds no score; None if it is empty."""
    if first := next(filter(None, (as_text(value).strip() for value in values)), ""):
        none = "no row has a score such as 95-110, so rows are decided by points"
        return f"column {SCORE!r}, {quote(first)}: {none}"
    return None


def parse_score_columns(
    own: Any, opponent: Any, dealer: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], RowErrors]:
    """Read both players' points ``(N, 2)`` from one column or two; and errors by row."""
    texts = list(map(as_text, as_printable_values(own)))
    if opponent is None:
        scores, wrong = score_texts.parse_scores(texts, dealer)
        return scores, _named(SCORE, texts, wrong)
    errors: RowErrors = {}
    columns = {SCORE: texts, OPPONENT_SCORE: list(map(as_text, as_printable_values(opponent)))}
    points = []
    for name, column in columns.items():
        found, wrong = score_texts.parse_points(
            column, "points before the deal", most=MAX_SCORE_BEFORE
        )
        points.append(found)
        errors = _named(name, column, wrong) | errors
    scores = np.stack(points, axis=1)
    known = scores != UNKNOWN
    for row in np.flatnonzero(known[:, 0] != known[:, 1]).tolist():
        there, empty = list(columns) if known[row, 0] else list(columns)[::-1]
        why = f"nothing in {empty!r} beside it: expected both or neither"
        errors = _named(there, columns[there], {row: why}) | errors
        scores[row] = UNKNOWN
    return scores, errors


def _named(column: str, texts: Sequence[str], wrong: dict[int, str]) -> RowErrors:
    return {
        row: CribevError(f"column {column!r}, {quote(texts[row])}: {why}")
        for row, why in wrong.items()
    }


_LONGEST = 1 << 12  # bytes of a text that may be cards; many longer ones would fill no column


def _arrow_lines(column: Any) -> tuple[bytes, RowErrors]:
    """Join an Arrow column of texts into lines, and say which rows are no text."""
    arrow, compute = arrow_with("compute")
    kinds = arrow.types
    errors: RowErrors = {}
    if kinds.is_dictionary(column.type) and _is_text(kinds, column.type.value_type):
        texts, sizes = _shortened(compute, column.dictionary)
        at = column.indices
        column = arrow.DictionaryArray.from_arrays(at, texts).dictionary_decode()
        sizes = sizes.take(at)
    elif _is_text(kinds, column.type):
        column, sizes = _shortened(compute, column)
    else:
        values = as_values(column)
        return b"\n" * len(values), not_text_errors(enumerate(values)) if values else {}
    if column.null_count:
        missing = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
        errors = not_text_errors((row, None) for row in missing.tolist())
        column = column.fill_null("")
    lengths = sizes.fill_null(0).to_numpy(zero_copy_only=False)
    for row in np.flatnonzero(lengths > _LONGEST).tolist():
        errors[row] = CardError(f"expected cards, got a text of {lengths[row]:,} bytes")

    def joined(texts: Any) -> bytes:
        whole = arrow.ListArray.from_arrays(arrow.array([0, len(texts)], arrow.int32()), texts)
        return bytes(compute.binary_join(whole, "\n")[0].as_buffer())

    text = column.cast(arrow.string())
    lines = joined(text)
    if lines.count(b"\n") >= max(len(text), 1):
        lines = joined(compute.replace_substring(text, "\n", " "))
    return lines + b"\n" * bool(len(text)), errors


def _is_text(kinds: Any, kind: Any) -> bool:
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind))


def _shortened(compute: Any, texts: Any) -> tuple[Any, Any]:
    """Empty the texts that are too long, and give the length of each."""
    sizes = compute.binary_length(texts)
    return compute.if_else(compute.greater(sizes, _LONGEST), "", texts), sizes
