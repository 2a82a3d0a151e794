"""Whatever two commands say of one deal by one method is the same: they are compared here."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cribev import advise, evaluate, evaluate_deals, format_cards, parse_cards, random_hands, review
from cribev.classes.canonical import canonical_deals
from cribev.classes.class_tables import canonical_values
from cribev.classes.crib_averages import uniform_cribs
from cribev.game.roles import ROLES

pytestmark = pytest.mark.arrays

FREQUENCIES = str(Path(__file__).parent / "data" / "discard_frequency.csv")
CONTESTED = "QD 4C KD 3S 3H 7S"  # as pone, two discards 3/45540 apart
TIED = ["5H 5D 5C 5S JH JD", "AC AD AH 9S 9H KD", "9H TD QS QD 8C 4C", "6C 6D TC TD JH JS"]
WITHIN = 1e-9
MEANS = ["hand_mean", "crib_mean", "expected", "play_mean"]


def table_of(deals):
    """Deals as a record of games, in which something is discarded."""
    games = np.arange(len(deals))
    frame = pd.DataFrame({"game": games, "deal": 1, "player": "Ann", "cards": format_cards(deals)})
    discarded = format_cards(np.array(deals)[:, [0, 3]])
    return frame.assign(role=np.where(games % 2, *ROLES), discard=discarded)


def both_roles(texts):
    deals = [text for text in texts for _ in ROLES]
    frame = pd.DataFrame({"game": range(len(deals)), "deal": 1, "player": "Ann", "cards": deals})
    discarded = [" ".join(deal.split()[1:3]) for deal in deals]
    return frame.assign(role=ROLES * len(texts), discard=discarded)


def check(frame, opponent, *, exact, play=False):
    """Compare evaluate, evaluate by arrays, every discard, and the review of the same deals."""
    rows = frame[["cards", "role"]]
    best = evaluate(rows, opponent=opponent, exact=exact, play=play)
    every = evaluate(rows, opponent=opponent, exact=exact, play=play, every_discard=True)
    arrays = evaluate_deals(
        parse_cards(frame["cards"], count=6),
        role=frame["role"].tolist(), opponent=opponent, exact=exact, play=play,
    )  # fmt: skip
    first = every[::15]
    for name in MEANS[: 4 if play else 3]:
        np.testing.assert_allclose(best[name], first[name], rtol=0, atol=WITHIN)
        np.testing.assert_allclose(best[name], getattr(arrays, name), rtol=0, atol=WITHIN)
    assert best["best_discard"].tolist() == first["discard"].tolist()
    assert best["best_discard"].tolist() == [format_cards(two) for two in arrays.best_discard]
    np.testing.assert_allclose(best["margin"], arrays.margin, rtol=0, atol=WITHIN)

    by_deal = every["expected"].to_numpy().reshape(-1, 15)
    ranks = every["rank"].to_numpy().reshape(-1, 15)
    assert (np.diff(by_deal, axis=1) <= WITHIN).all()
    assert (np.diff(ranks, axis=1) >= 0).all()
    assert ((ranks[:, 1] == 1) == (best["margin"] == 0)).all()
    apart = np.where(ranks[:, 1] == 1, 0, by_deal[:, 0] - by_deal[:, 1])
    np.testing.assert_allclose(best["margin"], apart, rtol=0, atol=WITHIN)

    found = review(frame, opponent=opponent, fast=not exact, play=play).decisions
    assert best["best_discard"].tolist() == found["best_discard"].tolist()
    np.testing.assert_allclose(best["expected"], found["best_expected"], rtol=0, atol=WITHIN)
    np.testing.assert_allclose(best["margin"], found["margin"], rtol=0, atol=WITHIN)
    # What was discarded has the rank and the worth that it has among the 15.
    own = every[every["discard"].to_numpy() == np.repeat(found["discard"].to_numpy(), 15)]
    assert own["rank"].tolist() == found["rank"].tolist()
    np.testing.assert_allclose(own["expected"], found["expected"], rtol=0, atol=WITHIN)
    assert ((found["verdict"] == "best") == (found["rank"] == 1)).all()
    assert (found["loss"] >= 0).all()
    return every


def check_advice(frame, every, **options):
    """Compare what was evaluated with the advice for each deal."""
    scores = frame.get("score", [None] * len(frame))
    for at, (deal, score) in enumerate(zip(frame.itertuples(), scores, strict=True)):
        advice = advise(str(deal.cards), role=deal.role, score=score, **options).table
        own = every.iloc[15 * at : 15 * at + 15]
        assert advice["discard"].tolist() == own["discard"].tolist()
        assert advice["rank"].tolist() == own["rank"].tolist()
        for name in {*MEANS, "win"} & {*advice}:
            np.testing.assert_allclose(advice[name], own[name], rtol=0, atol=WITHIN)


@pytest.mark.parametrize(
    ("opponent", "play", "number"),
    [
        ("expert", True, 100),
        pytest.param("uniform", False, 1000, marks=pytest.mark.slow),
        pytest.param(FREQUENCIES, True, 1000, marks=pytest.mark.slow),
    ],
)
def test_class_tables_agree_with_themselves(opponent, play, number):
    check(table_of(random_hands(number, seed=11)), opponent, exact=False, play=play)


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_near_ties_of_all_deals(role):
    """The deals whose best and second are closest, against any two cards, of all there are."""
    forms = canonical_deals()
    margins = np.empty(len(forms.deals))
    for rows, values in canonical_values(uniform_cribs(), role=role):
        two = np.partition(values.expected, -2, axis=1)[:, -2:]
        margins[rows] = two[:, 1] - two[:, 0]
    closest = np.argsort(np.where(margins < 1e-12, np.inf, margins), kind="stable")[:10]
    frame = both_roles([CONTESTED, *TIED, *map(format_cards, forms.examples[closest])])
    check_advice(frame, check(frame, "uniform", exact=False), opponent="uniform", play=False)


@pytest.mark.slow
@pytest.mark.parametrize(("opponent", "play"), [("uniform", False), ("expert", True)])
def test_what_is_counted_deal_by_deal_agrees(opponent, play):
    frame = pd.concat([both_roles([CONTESTED, TIED[0]]), table_of(random_hands(1, seed=5))])
    frame = frame.assign(game=range(len(frame)))
    every = check(frame, opponent, exact=True, play=play)
    check_advice(frame, every, opponent=opponent, play=play)


@pytest.mark.slow
def test_wins_at_a_score_agree():
    frame = table_of(random_hands(4, seed=3))
    rows = frame[["cards", "role"]].assign(score=["118-112", "110-119", "95-110", "119-100"])
    best, every = evaluate(rows), evaluate(rows, every_discard=True)
    found = review(frame.assign(score=rows["score"])).decisions
    assert best["best_discard"].tolist() == found["win_discard"].tolist()
    np.testing.assert_allclose(best["win"], found["best_win"], rtol=0, atol=WITHIN)
    discarded = every[every["discard"].to_numpy() == np.repeat(found["discard"].to_numpy(), 15)]
    np.testing.assert_allclose(discarded["win"], found["win"], rtol=0, atol=WITHIN)
    changed = best["best_discard"] != found["best_discard"]  # which is by points
    assert changed.any()
    assert ((best["margin"] < 0) == changed).all()
    check_advice(rows, every)
