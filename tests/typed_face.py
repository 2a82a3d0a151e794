"""What an editor knows of answers: mypy holds each line to the type it names, and none runs."""

from typing import assert_type

import pandas as pd

from cribev import Advice, Comparison, advise, advise_play, evaluate, review

DEAL = "5H 5D JS QC 2H 8D"


def face() -> None:
    advice = advise(DEAL, role="dealer", score="103-104")
    assert_type(advice, Advice)
    assert_type(advice.best.discard, str)
    assert_type(advice.best.cards, tuple[int, ...])
    assert_type(advice.best.expected, float)
    assert_type(advice.best.win, float | None)
    assert_type(advice.best.hand_max, int)
    assert_type(advice.best.play_mean, float | None)
    assert_type(advice.compare("9C 10D"), Comparison)

    play = advise_play("4H 5C JD JS", role="pone", starter="7H", played="J 5")
    assert_type(play.best.card, str)
    assert_type(play.best.own, float)

    assert_type(evaluate([DEAL], role="dealer"), pd.DataFrame)
    assert_type(review("game.csv").decisions, pd.DataFrame)
