"""The 15 keeps of a deal against the 46 starters."""

from cribev.game.cards import Cards, unseen
from cribev.game.index_tables import KEEPS, Points
from cribev.game.scoring import score_hands


def hand_scores(deal: Cards) -> Points:
    """Score every keep of a deal with every starter.

    Parameters
    ----------
    deal
        Six cards, uint8 ``(6,)``, ascending.

    Returns
    -------
    Points, uint8 ``(15, 46)``: keeps in the order of `indices.KEEPS`, starters ascending.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> scores = hand_scores(parse_cards("5C 5D 5S JH QC KC"))
    >>> scores.shape, int(scores.max())
    ((15, 46), 29)
    """
    return score_hands(deal[KEEPS][:, None, :], unseen(deal))
