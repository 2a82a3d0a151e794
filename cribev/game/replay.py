"""A play held to the cards: those that a player kept, and those that are elsewhere."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from cribev.errors import RecordError
from cribev.game.cards import PIP_VALUES, RANKS, format_cards
from cribev.game.play import LIMIT, check_deck
from cribev.game.play_notation import CARDS_LAID, Pegging, PlayNotation
from cribev.game.play_notation import peg_steps as peg
from cribev.game.roles import Role, opposite_role


def replay(
    notation: PlayNotation,
    role: Role,
    kept: Mapping[Role, Sequence[int]],
    elsewhere: Mapping[int, str],
) -> Pegging:
    """Hold a play to the cards that one player kept, or both, and that are elsewhere.

    If the play is whole, the opponent kept what the player of `role` did not lay.

    >>> from cribev.game.play_notation import (parse_play)
    >>> play = parse_play("T T 9 A 4 5 K 3")
    >>> replay(play, "pone", {"pone": [36, 32, 0, 16]}, {}).points
    {'dealer': 3, 'pone': 1}
    >>> replay(play, "pone", {"pone": [36, 32, 0, 20]}, {})
    Traceback (most recent call last):
    cribev.errors.RecordError: 6 was kept, and is not laid
    """
    hands = {role: [card >> 2 for card in cards] for role, cards in kept.items()}
    play = replay_ranks(notation, role, hands, [card >> 2 for card in elsewhere])
    check_suits(notation, play, kept, elsewhere)
    return play


def replay_ranks(
    notation: PlayNotation,
    role: Role,
    kept: Mapping[Role, Sequence[int]],
    elsewhere: Sequence[int],
) -> Pegging:
    """Do what `replay` does with ranks 0..12, whatever suits are written.

    >>> from cribev.game.play_notation import (parse_play)
    >>> replay_ranks(parse_play("T T 9 go A"), "pone", {"pone": [9, 8, 0, 4]}, []).points
    {'dealer': 2, 'pone': 0}
    """
    laid, hands, own = notation.ranks, dict(kept), kept[role]
    why = " with the other cards of this deal"
    if not laid:
        raise RecordError("no card is laid")
    if len(hands) == 1 and len(laid) == CARDS_LAID:
        if missing := Counter(own) - Counter(laid):
            raise RecordError(f"{_ranks_text(missing.elements())} was kept, and is not laid")
        hands[opposite_role(role)] = list((Counter(laid) - Counter(own)).elements())
        check_deck([*laid, *elsewhere], why)
    if len(hands) == 2:
        return peg(notation, pone=hands["pone"], dealer=hands["dealer"])
    play = peg(notation)
    _check_hand(play, role, own)
    opponent_laid = [step.rank for step in play.steps if step.role != role]
    known = [*own, *(rank for rank in opponent_laid if rank is not None)]
    check_deck([*known, *elsewhere], why)
    return play


def _check_hand(play: Pegging, role: Role, own: Sequence[int]) -> None:
    """Hold what one player lays and where that player says go to the cards kept."""
    steps = [step for step in play.steps if step.role == role]
    if extra := Counter(step.rank for step in steps if step.rank is not None) - Counter(own):
        raise RecordError(
            f"{role} lays {_ranks_text(extra.elements())}, and kept {_ranks_text(own)}: expected "
            "a go wherever one cannot lay"
        )
    left = Counter(own)
    for step in steps:
        if step.rank is not None:
            left[step.rank] -= 1
        elif fits := [rank for rank in left.elements() if step.count + PIP_VALUES[rank] <= LIMIT]:
            raise RecordError(
                f"{role} cannot say go at a count of {step.count}: {RANKS[min(fits)]} fits"
            )


def check_suits(
    notation: PlayNotation,
    play: Pegging,
    kept: Mapping[Role, Sequence[int]],
    elsewhere: Mapping[int, str],
) -> None:
    """Hold the cards whose suits are written to where each card is."""
    roles = [step.role for step in play.steps if step.rank is not None]
    for card, role in zip(notation.cards, roles, strict=True):
        if card is None:
            continue
        name, across = format_cards([card]), opposite_role(role)
        if card in elsewhere:
            raise RecordError(f"{name} is laid, and {elsewhere[card]}")
        if role in kept and card not in kept[role]:
            raise RecordError(f"{role} lays {name}, and kept {format_cards(kept[role])}")
        if card in kept.get(across, ()):
            raise RecordError(f"{role} lays {name}, which {across} kept")


def _ranks_text(ranks: Iterable[int]) -> str:
    return " ".join(RANKS[rank] for rank in sorted(ranks))
