"""Hands for hypothesis to try."""

import hypothesis.strategies as st
import numpy as np


def hands(cards):
    """Distinct card numbers, any hand alike."""
    return st.lists(st.integers(0, 51), min_size=cards, max_size=cards, unique=True).map(
        lambda numbers: np.array(numbers, dtype=np.uint8)
    )


def crowded_hands(cards):
    """Hands from few neighbouring ranks or few suits: pairs, runs and flushes come often."""
    narrow = st.tuples(st.integers(0, 10), st.integers(3, 5)).flatmap(
        lambda window: st.lists(
            st.integers(4 * window[0], min(4 * (window[0] + window[1]), 52) - 1),
            min_size=cards, max_size=cards, unique=True,
        )
    )  # fmt: skip
    flushes = st.integers(0, 3).flatmap(
        lambda suit: st.lists(
            st.integers(0, 12).map(lambda rank: 4 * rank + suit),
            min_size=cards, max_size=cards, unique=True,
        )
    )  # fmt: skip
    return st.one_of(narrow, flushes).map(lambda numbers: np.array(numbers, dtype=np.uint8))


suit_orders = st.permutations(range(4)).map(lambda order: np.array(order, dtype=np.uint8))


def relabel(cards, order):
    """Rename the suits."""
    return (cards & 0xFC) | order[cards & 3]
