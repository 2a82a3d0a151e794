"""`cribev play` on the command line."""

import re
import shlex
from dataclasses import replace

import numpy as np
import pytest
from shell import COLOUR, csv_rows, good, on_a_terminal, printed, refused, run

from cribev import advise_play

HAND = ["4H", "5C", "JD", "JS"]
KNOWN = ["--threw", "9C", "KD", "--starter", "7H"]
ASKED = {"role": "pone", "discard": "9C KD", "starter": "7H"}


def test_which_card_to_lead_and_to_lay():
    lead = advise_play("4H 5C JD JS", **ASKED)
    text = good("play", *HAND, "--pone", *KNOWN)
    assert text == f"{lead}\n"
    first, asked, blank, heads, *rows = text.splitlines()
    best, second, *_ = lead.choices
    better = f"{second.behind:.2f} better than the {second.card}."
    assert first == f"Lead the {best.card}: {best.expected:+.2f} from here, {better}"
    assert asked == "4H 5C JD JS as pone, threw 9C KD, starter 7H, opponent: expert"
    assert blank == ""
    assert heads.split() == ["card", "expected", "behind", "own", "opponent", "experts"]
    assert [row.split()[1] for row in rows[:3]] == lead.table["card"].tolist()
    laid = good("play", "4h5cjdjs", "--pone", *KNOWN, "--laid", "J 5 (15-2)")
    assert laid == f"{advise_play('4H 5C JD JS', laid='J 5', **ASKED)}\n"
    assert laid.startswith("Lay the ")
    assert laid.splitlines()[1].endswith(", starter 7H, count 15 after J 5, opponent: expert")
    ranks = good("play", "5JQK", "--dealer", "--laid", "4", "--opponent", "greedy")
    assert ranks.splitlines()[1] == "5 J Q K as dealer, count 4 after 4, opponent: greedy"
    assert good("play", "--pone", *KNOWN, "--laid", "J", "5", "--pone", *HAND) == laid


def test_equals_and_near_ties_are_marked():
    advice = advise_play("4H 5C JD JS", **ASKED)

    def changed(**columns):
        arrays = {name: np.array(values) for name, values in columns.items()}
        return replace(advice, options=replace(options, columns=options.columns | arrays))

    options = advice.options
    one, other, third = options.texts["card"]
    close = changed(expected=[0.5, 0.5, 0.47], behind=[0, 0, 0.03])
    better = f"0.03 better than the {third}."
    assert close.headline == f"Lead the {one} or the {other}: +0.50 from here, {better}"
    assert [line.split()[0] for line in str(close).splitlines()[4:]] == ["1=", "1=", "3~", "="]
    alike = changed(expected=[0.5] * 3)
    assert alike.headline.endswith(": +0.50 from here; all are alike.")
    hardly = changed(expected=[0.5, 0.499, 0.47], behind=[0, 0.001, 0.03])
    assert hardly.headline.endswith(f", less than 0.01 better than the {other}.")
    scored = changed(expected=[0.5, 0.5, 0.47], win=[0.62, 0.6, 0.3])
    assert scored.headline.endswith(
        f" {one}: wins 62.0%, +0.50 from here; 2.0% more wins than the {other}."
    )
    even = changed(expected=[0.5, 0.5, 0.47], win=[0.62, 0.6198, 0.3])
    assert even.headline.endswith(f"; as many wins as the {other}.")


def test_one_card_that_fits_or_none():
    asked = ["play", *["2H", "9D", "TC", "JS"], "--pone", "--laid", "9 T T go"]
    text = good(*asked)
    assert text.startswith("Lay the 2, nothing else fits: ")
    assert len(text.splitlines()) == 1
    found = printed(*asked)
    assert ([card["card"] for card in found["cards"]], found["count"]) == (["2"], 29)
    last = good("play", *HAND, "--pone", "--laid", "J 6 J 2 go 3 4 T")
    assert last == "Lay the 5, your last card: +1.00 from here.\n"
    alike = good("play", *["9H", "9D", "TC", "JS"], "--pone", "--laid", "J A T A")
    assert alike.startswith("Lay the 9, you have nothing else: ")
    asked = ["play", *["4H", "9D", "TC", "JS"], "--pone", "--laid", "9 T T go"]
    assert good(*asked) == "Say go: none of your cards (4 J) fits a count of 29.\n"
    found = printed(*asked)
    assert (found["cards"], found["count"], found["opponent"]) == ([], 29, "expert")
    assert good(*asked, "--format=csv") == "rank,card,expected,own,opponent,behind,share\n"


def test_numbers_in_full_and_why():
    asked = ["play", *HAND, "--pone", *KNOWN, "--laid", "J 5"]
    advice = advise_play("4H 5C JD JS", laid="J 5", **ASKED)
    assert printed(*asked) == advice.to_dict()
    found = [float(row["expected"]) for row in csv_rows(*asked)]
    assert found == advice.table["expected"].tolist()
    scored = printed(*asked, "--score", "103-104", "--explain")
    assert scored["score"] == [103, 104]
    assert ", 103-104 before the deal" in " ".join(good(*asked, "--score", "103-104").split())
    assert 0 <= scored["cards"][0]["win"] <= 1
    why = scored["explanation"]
    assert why["range"]["left"] == 3
    assert sum(reply["chance"] for reply in why["replies"][0]["replies"]) == pytest.approx(1)
    text = good(*asked, "--explain")
    assert text == f"{advice}\n{advice.explain()}\n"
    assert good(*asked, "--opponent", "greedy") != f"{advice}\n"
    assert not COLOUR.search(text)
    status, shown = on_a_terminal(*asked, "--explain")
    assert status == 0
    plain = COLOUR.sub("", shown)
    assert max(map(len, plain.splitlines())) <= 80
    assert "█" in plain


def test_an_error_is_told():
    erred = "your opponent did what {} play never does, and is thought to err"
    for name in ("expert", "greedy", "uniform"):
        advice = advise_play("A 2 5 T", role="dealer", laid="5 T 9 5 go", opponent=name)
        assert (erred.format(name) in str(advice)) == (not advice.belief.explained)


def test_examples_in_the_help():
    examples = re.findall(r"^  cribev (play .*)", good("play", "--help"), re.MULTILINE)
    assert len(examples) > 4
    for example in examples:
        assert good(*shlex.split(example))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([*HAND], "whose crib is it? Expected --dealer, or --pone, who leads"),
        (["--pone"], "no cards: expected the four you kept, as cribev play 4 5 J J --pone"),
        ([*HAND, "3C", "--pone"], "expected 4 cards, got 5 in '4H 5C JD JS 3C'"),
        ([*HAND, "--dealer"], "pone leads, and you are dealer: expected the cards laid so far"),
        ([*HAND, "--pone", "--laid", "J 5 J"], "after 'J 5 J' it is your opponent's turn at a "),
        ([*HAND, "--pone", "--laid", "JD 5 JD"], "'JD', character 6: JD is laid twice"),
        ([*HAND, "--pone", "--laid", "J go"], "'go', character 3: dealer cannot say go at a "),
        ([*HAND, "--pone", "--laid", "J X"], "'X' is not part of a play: character 3, expected "),
        ([*HAND, "--pone", "--threw", "9C"], "expected 2 cards, got 1 in '9C'"),
        ([*HAND, "--pone", "--opponent", "fool"], "'fool' is no player: expected 'expert', "),
        ([*HAND, "--pone", *KNOWN, "--score", "121-3"], "'121-3' is not a score: expected your "),
        ([*HAND, "--pone", "--score", "3-4"], "chances to win depend on the show: expected your"),
        ([*HAND, "--pone", "--explain", "--format=csv"], "--explain goes with --format table or "),
        ([*HAND, "--pone", "--dealer"], "argument --dealer: not allowed with argument --pone"),
        ([*HAND, "--pone", "--lead"], "no such option: '--lead'"),
    ],
)
def test_what_cannot_be_is_one_line(asked, said):
    assert refused("play", *asked).startswith(said)


def test_play_says_who_pegs_first():
    asked = ["play", "4", "4", "9", "Q", "--pone", "--distribution"]
    said = "Who pegs first, and how likely each pegs so many points or more"
    assert said in good(*asked)
    found = printed(*asked)
    assert list(found["pegs"]) == ["4", "9", "Q"]
    assert found["pegs"]["4"]["at_least"][0]["points"] == 1
    assert run(*asked, "--format", "csv").returncode == 2
