"""Ask, to the end of the deal: the cut, then each card as it falls."""

import random
import re

import pytest

from cribev import advise_play, explain, peg
from cribev.choice import format_chance
from cribev.game.deal import Held, Position

DEAL = "5D5HJSQC/2H8D"


def links(page, kind):
    """Each card that can be clicked, by its name, with where it leads."""
    found = re.findall(rf'<a class="{kind}" href="([^"]*)" aria-label="([^"]*)"', page.text)
    return {name: address.replace("&amp;", "&") for address, name in found}


def headline(advice):
    """What a page says of an advice first."""
    return advice.headline.rstrip(".").replace("-", "−")


def link(page, text):
    """Where a link of a text leads, with its address before it."""
    return re.search(rf'href="([^"]*)">{text}', page.text)[1].replace("&amp;", "&")


def test_a_deal_is_followed_by_clicks(get):
    cut = get(link(get("/ask?cards=5H5DJSQC2H8D&role=pone"), "Go on"))
    assert len(links(cut, "pick")) == 46
    lead = get(links(cut, "pick")["4 of clubs"])
    known = {"role": "pone", "discard": "2H 8D", "starter": "4C"}
    assert headline(advise_play("5D 5H JS QC", **known)) in lead.words
    laid = get(links(lead, "lay")["Lay the jack of spades"])
    assert "Lay the jack of spades" not in laid.text
    theirs = links(laid, "pick")
    assert len(theirs) == 45
    assert {"5 of hearts", "4 of clubs", "2 of hearts"}.isdisjoint(theirs)
    answered = get(theirs["5 of clubs"])
    answered.says("15 +2", "You pegged 0, your opponent 2.")
    advice = advise_play("5D 5H JS QC", laid="J 5", **known)
    assert headline(advice) in answered.words
    made = advice.distribution().to_dict()[advice.best.card]
    pegs = [f"{row['points']}: {row['own']:.0%}" for row in made["at_least"][:2]]
    often = format_chance(made["pegs_first"])
    assert (
        f"you peg first {often} of the time. You peg at least {', '.join(pegs)}" in answered.words
    )
    assert get(link(answered, "← Back")).text == laid.text


def test_goes_and_the_end(get):
    address = f"/ask?position=dealer:{DEAL}:4C:"
    stuck = get(address + "KSQC9H")
    assert "count 29" in stuck.words
    assert "Your opponent says go" in stuck.text
    over = get(address + "KSQC9HgoJSKH5D3C5H")
    assert "The play is over" in over.words
    found = explain("5D 5H JS QC", "4C")
    assert f"Your hand counts {found.total} : {found.spoken}." in over.words


@pytest.mark.parametrize(
    ("role", "score", "end", "before", "told"),
    [
        ("dealer", "119-110", ":4C:5SJS", ":4C:5S", "You are out"),
        ("dealer", "110-119", ":4C:KH5H5S", ":4C:KH5H", "Your opponent is out"),
        ("pone", "120-119", ":JC", "", "Your opponent is out"),
    ],
)
def test_a_game_ends_where_somebody_has_121_points(get, role, score, end, before, told):
    address = f"/ask?position={role}:{DEAL}%s@{score}"
    over = get(address % end)
    assert over.status == 200
    assert told in over.words
    assert not links(over, "pick")
    assert not links(over, "lay")
    assert "The next game" in over.words
    on = get(address % before)
    assert links(on, "pick") or links(on, "lay")


@pytest.mark.parametrize("seed", range(20))
def test_pegs_and_goes_are_those_of_the_rules(seed):
    drawn = random.Random(seed)
    deck = drawn.sample(range(52), 13)
    hands = {"pone": deck[:4], "dealer": deck[4:8]}
    role = drawn.choice(["pone", "dealer"])
    position = Position(role, Held.of(hands[role], deck[8:10]), deck[12])
    while not position.play.over:
        play = position.play
        left = [card for card in hands[play.turn] if card not in play.laid]
        fits = play.legal(left)
        assert fits or play.turn != role
        position = position.then(drawn.choice(fits) if fits else None)
    told = {who: [card >> 2 for card in held] for who, held in hands.items()}
    expected = peg([card >> 2 for card in position.play.laid], **told)
    assert position.play.points == expected.points
    assert position.play.history == expected.history


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("dealer:5H5DJSQC/2H", "got 4 and 1"),
        (f"dealer:{DEAL}:5H", "5H is in your hand and in the starter"),
        (f"pone:{DEAL}:4C:KS", "pone lays K, and kept 5 5 J Q"),
        (f"dealer:{DEAL}:4C:4C", "4C is laid, and is the starter"),
        (f"dealer:{DEAL}:4C:go", "any card fits"),
        (f"dealer:{DEAL}:4C:KHJS5Sgo", "dealer cannot say go at a count of 25: 5 fits"),
        (f"dealer:{DEAL}:4C:<b>", "'<b>' is not part of a play"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(get, text, told):
    answer = get(f"/ask?position={text.replace('<b>', '%3Cb%3E')}")
    assert told in answer.refusal


@pytest.mark.parametrize("seed", range(4))
def test_what_is_offered_leads_to_no_dead_end(get, seed):
    drawn = random.Random(seed)
    six = drawn.sample(range(52), 6)
    role = drawn.choice(["pone", "dealer"])
    page, gos = get(f"/ask?position={Position(role, Held.of(six[:4], six[4:]))}"), 0
    while "The play is over" not in page.words:
        if "Your opponent says go</a>" in page.text:
            gos += 1
            page = get(link(page, "Your opponent says go"))
        else:
            offered = {**links(page, "pick"), **links(page, "lay")}
            page = get(drawn.choice(sorted(offered.values())))
        assert page.status == 200
    assert gos


def test_what_fitted_at_a_go_is_not_offered(get):
    # A go at 26 says that no card from ace to five is held.
    after = get("/ask?position=pone:6H9STHQC/5HKC:TC:9S7CTHgogo")
    theirs = links(after, "pick")
    assert {name.partition(" ")[0] for name in theirs}.isdisjoint(("ace", "2", "3", "4", "5"))
    assert "6 of clubs" in theirs


@pytest.mark.parametrize(
    ("text", "back"),
    [
        (f"pone:{DEAL}:4C:KS", f"pone:{DEAL}:4C"),
        (f"dealer:{DEAL}:4C:KHJSzz", f"dealer:{DEAL}:4C:KHJS"),
        (f"dealer:{DEAL}:4C:KHJS" + "J" * 1900, f"dealer:{DEAL}:4C:KHJSJ"),
        (f"dealer:{DEAL}:4C:KHJS5Sgo@9-8", f"dealer:{DEAL}:4C:KHJS5S@9-8"),
        ("pone:2C6H9STH/5HKC:TC:9S8C6Hgo2Cgo2S", "pone:2C6H9STH/5HKC:TC:9S8C6Hgo2Cgo"),
    ],
)
def test_from_what_cannot_be_a_link_leads_back(get, text, back):
    wrong = get(f"/ask?position={text}")
    assert wrong.status == 400
    address = link(wrong, "← Back")
    assert address == f"/ask?position={Position.parse(back)}"
    assert get(address).status == 200


@pytest.mark.parametrize(
    "text",
    [
        *("pone:4H5CJDJS/9CKD:7H:J5@103-104", "pone:45JJ:7:J5", "dealer:68JK:-:2JT8gogo2"),
        *("dealer:6H8JK/99:-:2", "pone:4H5CJDJS"),
    ],
)
def test_what_is_not_known_is_no_hindrance(get, text):
    page = get(f"/ask?position={text}")
    assert page.status == 200
    if "Lay the" in page.text:
        assert headline(advise_play(text)) in page.words
    following = {**links(page, "pick"), **links(page, "lay")}
    assert following
    for address in sorted(following.values())[:3]:
        assert get(address).status == 200


def test_a_position_is_asked_once_and_addresses_of_before_lead_on(get):
    six = get("/ask?position=pone:5H5DJSQC2H8D@95-110")
    assert six.status == 200
    assert "position=pone:2H5D5H8DJSQC@95-110" in six.text
    twice = get("/ask?position=pone:5H5DJSQC2H8D&score=95-110")
    assert "'position' is given, and 'score' besides" in twice.refusal
    old = get("/?cards=5H5DJSQC2H8D&role=pone&utm_source=mail")
    assert old.status == 307
    assert old.headers["Location"] == "/ask?cards=5H5DJSQC2H8D&role=pone&utm_source=mail"
