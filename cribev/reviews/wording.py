"""How figures of a review are written."""

from cribev.choice import format_points


def true_minus(text: str) -> str:
    """Write a hyphen before a number as a minus.

    >>> true_minus("hand 8.00 - crib 4.50")
    'hand 8.00 − crib 4.50'
    """
    return text.replace("-", "−")


def format_percent(value: float, digits: int = 1, *, sign: bool = False) -> str:
    """Write a chance, or a difference of chances, in percent; empty for NaN.

    >>> format_percent(0.0312), format_percent(-0.5, sign=True), format_percent(float("nan"))
    ('3.1%', '-50.0%', '')
    """
    text = format_points(100 * value, digits, sign=sign)
    return text and f"{text}%"


def format_win_total(value: float, games: int, *, sign: bool = False) -> str:
    """Write a sum of chances: in percent of one game, or as a number of games.

    >>> format_win_total(0.124, 1), format_win_total(1.24, 8, sign=True)
    ('12.4%', '+1.24')
    """
    return format_percent(value, sign=sign) if games == 1 else format_points(value, sign=sign)


def format_games_lost(value: float) -> str:
    """Write chances to win that were lost, with their unit.

    >>> format_games_lost(0.147), format_games_lost(1.474)
    ('14.7% of a game', '1.47 games')
    """
    return f"{format_percent(value)} of a game" if value < 1 else f"{format_points(value)} games"


def pluralize(number: int, thing: str) -> str:
    """Write a number of things.

    >>> pluralize(1, "game"), pluralize(2000, "discard")
    ('1 game', '2,000 discards')
    """
    return f"{number:,} {thing}{'s' if number != 1 else ''}"


def join_words(parts: list[str], last: str) -> str:
    """Join words, with ``last`` before the last one.

    >>> join_words(["a", "b", "c"], "or"), join_words(["a"], "or")
    ('a, b or c', 'a')
    """
    *most, end = parts
    return f"{', '.join(most)} {last} {end}" if most else end
