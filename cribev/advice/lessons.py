"""What decides between two choices, put into words from the numbers: starters, cribs, replies."""

import numpy as np

from cribev.advice.decisions import Decision, Difference
from cribev.advice.options import Option
from cribev.game.cards import DECK_SIZE, RANKS, SUITLESS_OFFSET, format_cards, rank_of
from cribev.game.play import Peg, Play
from cribev.game.roles import crib_owner, crib_sign
from cribev.game.scorer import score_hands
from cribev.game.words import join_words, one_of
from cribev.solution.strategy import GameSize
from cribev.values.holdings import Belief, believe

_RANKS_TOLD = 4
_APART = 0.03  # chances nearer than this are told as none
_POINT = 1.0
_SKUNKS_TOLD = 0.01
_FORCED = ("go", "last")


def lesson(decision: Decision, best: Option | None = None) -> str:
    """Say in a sentence or two what decides between a choice and the best one; empty if it is best.

    For discards: the starters, or the crib. For cards: what each pegs at once, and how likely the
    opponent holds a card that pegs on it. `best` is by default the best choice for the verdict. If
    it is given, cards that differ in neither are compared by what each player pegs.

    >>> from cribev import advise, advise_play
    >>> lesson(Decision.of(advise("5H 5D JS QC 2H 8D", role="pone").options, "5H 5D"))
    'Your hand makes 6 to 14 more whatever is cut, most with a 5, 10, J or Q.'
    >>> lesson(Decision.of(advise_play("4H 5C JD JS", role="pone").options, "5"))
    'Your opponent can peg at once 67% of the time after the 5, and 33% after the J.'
    """
    told, best = best is not None, decision.best if best is None else best
    own = best.options.option(decision.chosen)
    if own.rank == 1:
        return ""
    reason = _of_discards(best, own) if best.options.is_discard else _of_cards(best, own)
    if told and not (reason or best.options.is_discard):
        reason = f"{Difference(best, own).parts}."
    return " ".join(filter(None, [reason[:1].upper() + reason[1:], _skunks(best, own)]))


def _skunks(best: Option, own: Option) -> str:
    """Say how much more or less often a game ends in a skunk, if it is likely enough."""
    gains = Difference(best, own)
    kinds = {"skunk": "win by a skunk", "skunked": "are skunked"}
    if best.options.counts_doubles:
        kinds |= {"double_skunk": "win by a double skunk", "double_skunked": "are double skunked"}
    texts = []
    for kind, event in kinds.items():
        gain = getattr(gains, kind) or 0.0
        if abs(gain) >= _SKUNKS_TOLD:
            texts.append(f"{event} {abs(gain):.1%} {'more' if gain > 0 else 'less'} often")
    return f"You {join_words(texts, 'and')}." if texts else ""


def _of_discards(best: Option, own: Option) -> str:
    """Say what decides, where the gain is largest: in hand, in the crib, or in the play."""
    role, gain = best.options.role, Difference(best, own)
    gains = {
        "hand": gain.hand_mean,
        "crib": crib_sign(role) * gain.crib_mean,
        "play": gain.play_mean or 0.0,
    }
    most = max(gains, key=lambda name: gains[name])
    if most == "crib":
        means = [
            f"{option.crib_mean:.2f} with {format_cards(option.cards)}" for option in (best, own)
        ]
        return f"{crib_owner(role)} averages {', '.join(means)}."
    if most == "play":
        kept = " ".join(RANKS[rank_of(card)] for card in best.kept)
        return f"Most is in the play: {kept} pegs {gains['play']:.2f} more than what you kept."
    if max(best.options.position.held.dealt) >= SUITLESS_OFFSET:
        return ""
    return _starters(best, own)


def _starters(best: Option, own: Option) -> str:
    """Say with which starters the better hand counts more."""
    cut = np.setdiff1d(np.arange(DECK_SIZE, dtype=np.uint8), best.options.position.held.dealt)
    better, worse = (
        score_hands(np.array(option.kept, dtype=np.uint8), cut).astype(int)
        for option in (best, own)
    )
    more, ranks = better - worse, cut >> 2
    low, high, mean = int(more.min()), int(more.max()), float(more.mean())
    if low == high:
        return f"Your hand makes {low} more whatever is cut."
    means = {rank: float(more[ranks == rank].mean()) for rank in np.unique(ranks).tolist()}
    helpful = [rank for rank, own_mean in means.items() if own_mean >= mean + _POINT]
    helpful = helpful or [max(means, key=lambda rank: means[rank])]
    helpful = sorted(sorted(helpful, key=lambda rank: -means[rank])[:_RANKS_TOLD])
    texts = ["10" if RANKS[rank] == "T" else RANKS[rank] for rank in helpful]
    told = one_of(texts)
    if low > 0:
        return f"Your hand makes {low} to {high} more whatever is cut, most with {told}."
    inside = np.isin(ranks, helpful)
    others = float(more[~inside].mean()) if not inside.all() else 0.0
    rest = f"{abs(others):.1f} {'more' if others >= 0 else 'less'}"
    return (
        f"Your hand makes {more[inside].mean():.1f} more with {told} cut "
        f"({inside.sum()} of {len(cut)} starters), {rest} with others."
    )


def _of_cards(best: Option, own: Option) -> str:
    """Say what each card pegs at once, and how likely the opponent has what pegs on it."""
    position = best.options.position
    plays = [position.play.play(option.cards[0]) for option in (best, own)]
    pegs = [
        sum(peg.points for peg in _last_pegs(play) if peg.role == position.role) for play in plays
    ]
    faces = ["10" if option.card == "T" else option.card for option in (best, own)]
    sentences = []
    if pegs[0] != pegs[1]:
        points = [str(peg) if peg else "nothing" for peg in pegs]
        sentences.append(f"The {faces[0]} pegs {points[0]} now, the {faces[1]} {points[1]}.")
    if all(not play.over and play.turn != position.role for play in plays):
        across = best.options.question.opponent
        belief = believe(position, across.discards.keeps(position.role), across.play.strategy())
        there = [_holds(play, belief) for play in plays]
        gain, but = Difference(best, own), ""
        if there[0] > there[1]:  # what the best has in spite of it
            later = gain.own - (pegs[0] - pegs[1])
            but = f", but you peg {later:.2f} more later" if later > 0 else ""
            but = but or (f", but {-gain.opponent:.2f} less in all" if gain.opponent < 0 else "")
        if abs(there[0] - there[1]) >= _APART:
            sentences.append(
                f"Your opponent can peg at once {there[1]:.0%} of the time after the {faces[1]}, "
                f"and {there[0]:.0%} after the {faces[0]}{but}."
            )
    return " ".join(sentences)


def _last_pegs(play: Play) -> tuple[Peg, ...]:
    """Return what the last card pegs, for whom, and for what."""
    return next(step.pegs for step in reversed(play.steps) if step.card is not None)


def _holds(play: Play, belief: Belief) -> float:
    """Return how likely the opponent holds a card that pegs now, apart from a last card."""
    pegging = [
        rank
        for rank in range(len(RANKS))
        if play.fits(rank + SUITLESS_OFFSET)
        and any(peg.kind not in _FORCED for peg in _last_pegs(play.play(rank + SUITLESS_OFFSET)))
    ]
    holdings = GameSize().holdings(belief.left)
    return float(belief.chance @ np.isin(holdings, pegging).any(axis=1))
