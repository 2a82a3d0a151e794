"""Columns in the help of commands."""

from textwrap import wrap

from cribev.files.column_descriptions import COLUMN_DESCRIPTIONS


def columns_help(*names: str) -> str:
    """List columns and what they are, for the end of a command's help.

    >>> print(columns_help("cards", "keep"))
      cards             the six cards dealt
      keep              the four cards kept
    """
    lines = []
    for name in names:
        first, *more = wrap(COLUMN_DESCRIPTIONS[name], 60)
        lines += [f"  {name:16}  {first}", *(f"{'':20}{line}" for line in more)]
    return "\n".join(lines)
