"""What decides between two choices, in words made from the numbers: starters, cribs, replies."""

from collections.abc import Sequence

import numpy as np

from cribev.advice.decisions import Decision, Difference, Option
from cribev.advice.tree import Belief, believe
from cribev.choice import join_words
from cribev.game.cards import DECK_SIZE, RANKS, SUITLESS_OFFSET, format_cards, rank_of
from cribev.game.deal import Position
from cribev.game.play import Peg, Play
from cribev.game.score import crib_owner, crib_sign, opposite_role
from cribev.game.scoring import score_hands
from cribev.solution.solution import shipped_keep_frequencies, shipped_strategy
from cribev.solution.tree import GameSize

_RANKS_TOLD = 4
_APART = 0.03  # chances nearer than this are told as none
_POINT = 1.0
_SKUNKS_TOLD = 0.01
_FORCED = ("go", "last")


def lesson(decision: Decision, best: Option | None = None) -> str:
    """Say in a sentence or two what decides between a choice and the best one; empty if it is best.

    Of discards which starters, or what is in the crib; of cards what each pegs at once, and how
    likely the opponent holds what pegs on it. `best` is by default the best as the verdict has it.

    >>> from cribev.advice.discards import advise
    >>> from cribev.advice.cards import advise_play
    >>> lesson(Decision.of(advise("5H 5D JS QC 2H 8D", role="pone").options, "5H 5D"))
    'Your hand makes 6 to 14 more whatever is cut, most with a 5, 10, J or Q.'
    >>> lesson(Decision.of(advise_play("4H 5C JD JS", role="pone").options, "5"))
    'Your opponent can peg at once 67% of the time after the 5, and 33% after the J.'
    """
    best = decision.best if best is None else best
    own = best.options.option(decision.chosen)
    if own.rank == 1:
        return ""
    found = _of_discards(best, own) if best.options.is_discard else _of_cards(best, own)
    return " ".join(filter(None, [found, _skunks(best, own)]))


def _skunks(best: Option, own: Option) -> str:
    """Say how much more or less often a game ends in a skunk, if it is likely enough."""
    texts = []
    for name, more, less in (
        ("skunk", "win by a skunk {} more often", "win by a skunk {} less often"),
        ("skunked", "are skunked {} more often", "are skunked {} less often"),
    ):
        gain = getattr(Difference(best, own), name)
        if gain is not None and abs(gain) >= _SKUNKS_TOLD:
            texts.append((more if gain > 0 else less).format(f"{abs(gain):.1%}"))
    return f"You {join_words(texts, 'and')}." if texts else ""


def _of_discards(best: Option, own: Option) -> str:
    """Say what decides where most is gained: in hand, in the crib, or in the play."""
    role, gain = best.options.role, Difference(best, own)
    gains = {
        "hand": gain.hand_mean,
        "crib": crib_sign(role) * gain.crib_mean,
        "play": gain.play_mean or 0.0,
    }
    most = max(gains, key=lambda name: gains[name])
    if most == "crib":
        worse = f"{own.crib_mean:.2f} with {_cards(own)}"
        owner, mean = crib_owner(role), f"{best.crib_mean:.2f} with {_cards(best)}"
        return f"{owner[0].upper()}{owner[1:]} averages {mean}, {worse}."
    if most == "play":
        kept = " ".join(RANKS[rank_of(card)] for card in best.kept)
        return f"Most is in the play: {kept} pegs {gains['play']:.2f} more than what you kept."
    if max(best.options.position.held.dealt) >= SUITLESS_OFFSET:
        return ""
    return _starters(best, own)


def _cards(option: Option) -> str:
    return format_cards(option.cards)


def _starters(best: Option, own: Option) -> str:
    """Say with which starters the better hand counts more."""
    cut = np.setdiff1d(np.arange(DECK_SIZE, dtype=np.uint8), best.options.position.held.dealt)
    better, worse = (
        score_hands(np.array(one.kept, dtype=np.uint8), cut).astype(int) for one in (best, own)
    )
    more, ranks = better - worse, cut >> 2
    low, high, mean = int(more.min()), int(more.max()), float(more.mean())
    if low == high:
        return f"Your hand makes {low} more whatever is cut."
    means = {rank: float(more[ranks == rank].mean()) for rank in np.unique(ranks).tolist()}
    helpful = [rank for rank, own_mean in means.items() if own_mean >= mean + _POINT]
    helpful = helpful or [max(means, key=lambda rank: means[rank])]
    helpful = sorted(sorted(helpful, key=lambda rank: -means[rank])[:_RANKS_TOLD])
    told = _ranks(helpful)
    if low > 0:
        return f"Your hand makes {low} to {high} more whatever is cut, most with {told}."
    inside = np.isin(ranks, helpful)
    others = float(more[~inside].mean()) if not inside.all() else 0.0
    rest = f"{abs(others):.1f} {'more' if others >= 0 else 'less'}"
    return (
        f"Your hand makes {more[inside].mean():.1f} more with {told} cut "
        f"({inside.sum()} of {len(cut)} starters), {rest} with others."
    )


def _ranks(ranks: Sequence[int]) -> str:
    """Write ranks: ``an A, 5 or J``."""
    texts = ["10" if RANKS[rank] == "T" else RANKS[rank] for rank in ranks]
    article = "an" if texts[0] in ("A", "8") else "a"
    return f"{article} {join_words(texts, 'or')}"


def _of_cards(best: Option, own: Option) -> str:
    """Say what each card pegs at once, and how likely the opponent has what pegs on it."""
    position = best.options.position
    plays = [position.play.lay(one.cards[0]) for one in (best, own)]
    pegs = [_pegged(play, position) for play in plays]
    faces = [_face(one) for one in (best, own)]
    sentences = []
    if pegs[0] != pegs[1]:
        points = [str(one) if one else "nothing" for one in pegs]
        sentences.append(f"The {faces[0]} pegs {points[0]} now, the {faces[1]} {points[1]}.")
    if all(not play.over and play.turn != position.role for play in plays):
        opponents = shipped_keep_frequencies(opposite_role(position.role))
        belief = believe(position, opponents, shipped_strategy())
        there = [_holds(play, belief) for play in plays]
        gain, but = Difference(best, own), ""
        if there[0] > there[1]:  # what the best has in spite of it
            later = gain.own - (pegs[0] - pegs[1])
            but = f", but you peg {later:.2f} more later" if later > 0 else ""
            but = but or f", but {-gain.opponent:.2f} less in all" * (gain.opponent < 0)
        if abs(there[0] - there[1]) >= _APART:
            sentences.append(
                f"Your opponent can peg at once {there[1]:.0%} of the time after the {faces[1]}, "
                f"and {there[0]:.0%} after the {faces[0]}{but}."
            )
    return " ".join(sentences)


def _face(option: Option) -> str:
    return "10" if option.card == "T" else str(option.card)


def _pegged(play: Play, position: Position) -> int:
    """Count what the last card laid pegs."""
    return sum(one.points for one in _last_pegs(play) if one.role == position.role)


def _last_pegs(play: Play) -> tuple[Peg, ...]:
    return next(one.pegs for one in reversed(play.steps) if one.card is not None)


def _holds(play: Play, belief: Belief) -> float:
    """Tell how likely the opponent holds a card that pegs more now than for being the last."""
    pegging = [
        rank
        for rank in range(len(RANKS))
        if play.fits(rank + SUITLESS_OFFSET)
        and any(one.kind not in _FORCED for one in _last_pegs(play.lay(rank + SUITLESS_OFFSET)))
    ]
    holdings = GameSize().holdings(belief.left)
    return float(belief.chance @ np.isin(holdings, pegging).any(axis=1))
