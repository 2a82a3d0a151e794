"""The play that is shipped: near what people do and others have published, and whole."""

import json
import re
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import oracle
import pandas as pd
import pytest
from shell import good, printed

import cribev
from cribev.classes.canonical import canonical_deals, classify_deals
from cribev.classes.class_tables import points_to_grid
from cribev.errors import CardError, CribevError, TableError
from cribev.game.cards import RANKS, parse_card_text
from cribev.game.index_tables import DISCARDS
from cribev.game.roles import ROLES
from cribev.solution.solution import load, shipped_expected_pegging, shipped_strategy
from cribev.solution.solved_play import PEGGING_STEP, POINT_BINS
from cribev.solution.strategy import RANK_KEEPS, GameSize, rank_keep_numbers
from cribev.tables.play_values import first_cards, keep_names, play_by_keep, play_of, play_values
from cribev.values.keeps import KeepBeliefs, pegging_statistics

pytestmark = pytest.mark.arrays

DATA = Path(__file__).parent / "data"
HOLDINGS = GameSize().holdings(4)


def published(name):
    return pd.read_csv(DATA / name, comment="#", dtype={"keep": str})


@pytest.fixture(scope="module")
def play():
    return play_of()


def test_little_is_left_to_gain_and_averages_match(play):
    assert 0 <= play.exploitability <= 0.002
    assert play.rms_changes[-1] <= 0.015
    assert max(load(play=True).exploitability.values()) < 5e-4
    # Dealer 3.5 and pone 2.1 by everything2.com (Rook) and 3.5 and 2.0 by Chambers; 3.199 and 1.968
    # by self-play of github.com/cribbager/cribbager.
    dealer, pone = play.averages("dealer"), play.averages("pone")
    assert 3.2 < dealer[0] < 3.5
    assert 1.95 < pone[0] < 2.1
    assert dealer == pytest.approx(pone[::-1], abs=1e-3)


@pytest.mark.parametrize("role", ROLES)
def test_keeps_are_as_common_as_published_and_peg_as_for_people(role, play):
    for rank, row in published("keep_card_frequency.csv").iterrows():
        ours = 100 * play.statistics[role].share[(rank == HOLDINGS).any(axis=1)].sum()
        theirs = row.filter(like=role).dropna()
        if len(theirs):
            assert theirs.min() - 4 < ours < theirs.max() + 4
    people = published("pegging_by_keep.csv").set_index("keep")
    ours = play_by_keep(role).set_index("keep").loc[people.index]
    net = people[f"{role}_own"] - people[f"{role}_opp"]
    assert np.corrcoef(ours["play_mean"], net)[0, 1] > 0.9
    assert abs((ours["play_mean"] - net).mean()) < 0.15


def test_worked_example_and_good_leads_agree(play):
    # cribbageforum.com, HALSCRIB: from 2-5-8-9-J-K as dealer, keeping 2-5-8-K after 9-J pegs 0.7 to
    # 0.8 more than keeping 2-5-J-K after 8-9.
    deal = np.sort(parse_card_text("2H 5S 8C 9D JH KC"))
    (at,), _ = classify_deals(deal[None])
    net = shipped_expected_pegging("dealer").net[at]
    names = ["".join(RANKS[card >> 2] for card in deal[two]) for two in DISCARDS]
    assert 0.55 < net[names.index("9J")] - net[names.index("89")] < 0.9
    leads = play.statistics["pone"]
    share = leads.share[:, None] * leads.first_card
    led = pd.Series(share.sum(axis=0), list(RANKS))
    assert led["5"] < 0.002
    table = first_cards().set_index(["keep", "lead"])["share"]
    assert table["4566", "6"] > 0.9
    for keep, lead in (("4478", "4"), ("33TK", "3"), ("228Q", "2")):
        assert table[keep, lead] > 0.8


def test_worth_sums_to_averages_on_its_grid(play):
    numbers = rank_keep_numbers()
    same = numbers[:, :, None] == numbers[:, None, :]
    forms = canonical_deals()
    dealt = np.bincount(forms.classes, forms.deals) / forms.deals.sum()
    for role in ROLES:
        often = dealt[:, None] * play.keep_frequencies[role].share
        worth, again = play.expected_pegging[role], shipped_expected_pegging(role)
        for table, shipped, average in zip(worth, again, play.averages(role), strict=True):
            assert (often * table).sum() == pytest.approx(average, abs=2e-3)
            assert table.shape == (18395, 15)
            assert (table >= 0).all()
            assert (np.rint(table / PEGGING_STEP) * PEGGING_STEP == table).all()
            assert (points_to_grid(table) == table * 46).all()
            assert (shipped == table).all()
        apart = worth.net[:, :, None] - worth.net[:, None, :]
        assert (apart[same] == 0).all()
        keeps = play.statistics[role]
        by_ranks = np.bincount(numbers.ravel(), often.ravel(), RANK_KEEPS)
        assert keeps.share == pytest.approx(by_ranks, abs=1e-6)
        assert keeps.joint_pmf.sum(axis=(1, 2)) == pytest.approx(1)
        for axis, points in ((2, keeps.own), (1, keeps.opponent)):
            mean = keeps.joint_pmf.sum(axis=axis) @ np.arange(POINT_BINS)
            assert mean == pytest.approx(points, abs=0.02)


def test_experts_lead_what_they_hold(play):
    for keeping in play.keep_frequencies.values():
        assert keeping.share.sum(axis=1) == pytest.approx(1)
        assert (keeping.flush <= keeping.share + 1e-4).all()
    holds = (HOLDINGS[:, :, None] == np.arange(13)).any(axis=1)
    pone, dealer = play.statistics["pone"], play.statistics["dealer"]
    assert (np.isfinite(pone.first_card_value) == holds).all()
    assert (pone.first_card[~holds] == 0).all()
    assert pone.first_card.sum(axis=1) == pytest.approx(1, abs=1e-4)
    known = np.isfinite(dealer.first_card_value)
    assert not (known & ~holds[:, None, :]).any()
    assert dealer.first_card.sum(axis=2)[known.any(axis=2)] == pytest.approx(1, abs=1e-4)
    # What is done most is worth most, or nearly.
    best = np.nanmax(pone.first_card_value, axis=1)
    done = np.nansum(pone.first_card * np.nan_to_num(pone.first_card_value), axis=1)
    assert pone.share @ (best - done) < 0.02


def test_show_solution_lacks_play_and_files_are_small():
    assert load().play is None
    with pytest.raises(TableError, match="the play is not in it"):
        play_of(load())
    data = Path(cribev.__file__).parent / "data"
    assert sum(path.stat().st_size for path in data.iterdir()) < 20e6


def test_play_values_add_up_and_are_shown_or_refused():
    values = cribev.play_values("5H TD JC QS", role="Pone")
    assert (values.keep, values.role) == ("5TJQ", "pone")
    assert values.play_mean == pytest.approx(values.play_own - values.play_opponent)
    assert values.first["lead"].tolist() == ["5", "T", "J", "Q"]
    assert values.chances.to_numpy().sum() == pytest.approx(1)
    least = values.at_least
    assert least["own"].sum() == pytest.approx(values.play_own, abs=0.002)  # of tails
    assert least["opponent"].sum() == pytest.approx(values.play_opponent, abs=0.002)
    assert least["own"][0] == pytest.approx(1 - values.chances.loc[0].sum())
    assert values.to_dict()["at_least"][1] == {"points": 2, **least.iloc[1, 1:].to_dict()}
    assert str(values).startswith("5TJQ as pone: pegs ")
    heading = next(line for line in str(values).splitlines() if line.startswith("lead"))
    assert heading.split() == list(values.first)[1:]  # the columns, but for the keep
    assert json.loads(json.dumps(values.to_dict()))["keep"] == "5TJQ"
    assert "answer" in cribev.play_values([0, 1, 2, 3], role="dealer").first
    with pytest.raises(CardError, match="expected 4 cards, got 3"):
        play_values("5 6 7", role="pone")
    with pytest.raises(CribevError, match="invalid role"):
        play_values("5 6 7 8", role="eldest")


def test_tables_of_all_keeps_and_of_one():
    text = good("tables", "play", "--role", "dealer", "--format", "csv")
    table = pd.read_csv(StringIO(text), dtype={"keep": str})
    parts = ["play_own", "play_opponent", "play_mean", "play_sd"]
    assert table.columns.tolist() == ["keep", "role", "share", *parts]
    assert table["keep"].tolist() == list(keep_names())
    text = good("tables", "play", "--role", "dealer")
    listed = re.findall(r"^([2-9TJQKA]{4}) ", text, re.MULTILINE)
    common = table[table["share"] > 1e-4].sort_values("play_mean", ascending=False)
    in_order = common["keep"].tolist()
    assert listed == [*in_order[:8], *in_order[-8:]]
    values = play_values("2559", role="dealer")
    least = values.at_least
    shown = good("tables", "play", "9 2 5 5", "--role", "dealer")
    for who, column in (("the dealer", "own"), ("the opponent", "opponent")):
        chances = ", ".join(f"{at}: {least[column][at - 1]:.0%}" for at in range(1, 6))
        assert f"{who} pegs at least {chances}\n" in shown
    assert shown.splitlines()[-1].split()[2] == f"{values.play_own:.2f}"
    rows = printed("tables", "play", "2559")
    assert [row["role"] for row in rows] == ["dealer", "pone"]
    (row,) = table[table["keep"] == "2559"].to_dict(orient="records")
    assert rows[0] == rows[0] | row
    assert [rows[0][f"own_{at}"] for at in range(1, 6)] == least["own"][:5].tolist()


def test_pegging_of_keeps_fits_opposing_hands():
    rng = np.random.default_rng(6)
    own, faced = 1234, np.sort(rng.choice(RANK_KEEPS, 20, replace=False))
    chances = np.zeros((RANK_KEEPS, RANK_KEEPS))
    chances[:, faced] = rng.dirichlet(np.ones(len(faced)), RANK_KEEPS)
    pegged = tuple(rng.integers(0, 15, (RANK_KEEPS, RANK_KEEPS)).astype(float) for _ in range(2))
    beliefs = KeepBeliefs({"pone": np.full(RANK_KEEPS, 1 / RANK_KEEPS)}, {"pone": chances})
    statistics = pegging_statistics(SimpleNamespace(beliefs=beliefs), "pone", pegged, np.zeros(0))
    hands = []
    for number in faced:  # by ranks alone: of four suits is no flush, and of a fifth no nobs
        keep = [*map("".join, zip(keep_names()[number], "CDHS", strict=True))]
        hands.append(np.mean([oracle.points(keep, f"{rank}x") for rank in RANKS]))
    for points, covariance in zip(pegged, statistics.hand_covariance[own], strict=True):
        two = np.cov(points[own, faced], hands, bias=True, aweights=chances[own, faced])
        assert covariance == pytest.approx(two[0, 1], abs=1e-9)


def test_first_cards_are_those_of_the_strategy():
    strategy = shipped_strategy()
    leads = first_cards().set_index(["keep", "lead"])["share"]
    answers = first_cards(answer=True).set_index(["keep", "lead", "answer"])["share"]
    for keep in ("A234", "5JQK", "2559", "6789", "4456"):
        ranks = sorted(RANKS.index(card) for card in keep)
        led = strategy.choices(strategy.node([]), ranks)
        answered = strategy.choices(strategy.node([3]), ranks)
        for rank in ranks:
            assert led[rank] == pytest.approx(leads[keep, RANKS[rank]], abs=1e-3)
            assert answered[rank] == pytest.approx(answers[keep, "4", RANKS[rank]], abs=1e-3)
