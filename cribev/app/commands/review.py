"""The command ``cribev review``, which can keep a player's decisions for practice."""

from typing import TYPE_CHECKING

from cribev.commands.review import review_command

if TYPE_CHECKING:
    from cribev.records.record import Record
    from cribev.reviews.findings import Review


def _keep(found: "Review", player: str, record: "Record") -> int:
    from cribev.app.practice.store import keep_for_practice  # loads slowly

    return keep_for_practice(found, player, record)


REVIEW = review_command(_keep)
