"""A strategy of the play that a function says, to be walked and replied to."""

import numpy as np

from cribev.opponents.strategies import any_card
from cribev.solution.strategy import PlayStrategy, PublicNode, numbers_with_card


class LockedPlay(PlayStrategy):
    """Play as a function of the ranks played, with None for a go, and of what may be held says.

    It returns weights of the ranks for each holding, ``(n, 13)``; a holding without any plays every
    card that fits equally often.
    """

    name = "locked"

    def __init__(self, size, states, function):
        super().__init__(size, states)
        self.function = function

    def place_after(self, node, move):
        """Return the play so far: four bits for each move, 0 for none and 15 for a go."""
        return node.place * 16 + (move + 1) % 16

    def policies(self, nodes):
        """Ask the function node by node."""
        cards = int(np.ravel(nodes.mover_left)[0])
        if cards == 1:
            return any_card(self.fits[nodes.state], self.size, cards)
        parts = np.broadcast_arrays(*nodes)
        flat = zip(*(part.ravel() for part in parts), strict=True)
        of_nodes = np.stack([self._ask(PublicNode(*map(int, node))) for node in flat])
        return of_nodes.reshape(*parts[0].shape, *of_nodes.shape[1:])

    def _ask(self, node):
        cards, ranks = int(node.mover_left), np.array(self.size.ranks)
        holdings = self.size.holdings(cards)
        weights = self.function(self._played(int(node.place)), ranks[holdings])
        held = (holdings[:, :, None] == np.arange(len(ranks))).sum(axis=1)
        held[:, int(self.fits[node.state]) :] = 0
        weights = weights[:, ranks] * (held > 0)
        weights = np.where(weights.any(axis=1, keepdims=True), weights, held)
        chances = weights / np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        return np.take_along_axis(chances.T, numbers_with_card(self.size, cards), axis=1)

    def _played(self, place):
        played = []
        while place:
            place, move = divmod(place, 16)
            played.append(None if move == 15 else self.size.ranks[move - 1])
        return tuple(played[::-1])
