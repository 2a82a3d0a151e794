"""Ask, to the end of the deal: the cut, then each card as it falls."""

import random
import re

import pytest
from markup import Whole

from cribev import advise_play, explain, peg
from cribev.game.cards import format_cards
from cribev.web.ask import FollowedPlay, parse_followed

DEAL = "cards=5H5DJSQC2H8D&threw=2H8D"


def links(page, kind):
    """Each card that can be clicked, by its name, with where it leads."""
    found = re.findall(rf'<a class="{kind}" href="([^"]*)" aria-label="([^"]*)"', page.text)
    return {name: address.replace("&amp;", "&") for address, name in found}


def test_a_deal_is_followed_by_clicks(get):
    asked = get("/ask?cards=5H5DJSQC2H8D&role=pone")
    address = re.search(r'href="(/ask/deal[^"]*)"', asked.text)[1].replace("&amp;", "&")
    cut = get(address)
    Whole(cut.text)
    assert len(links(cut, "pick")) == 46
    lead = get(links(cut, "pick")["4 of clubs"])
    Whole(lead.text)
    known = {"role": "pone", "discard": "2H 8D", "starter": "4C"}
    advice = advise_play("5D 5H JS QC", **known)
    assert advice.headline.rstrip(".").replace("-", "−") in lead.words
    laid = get(links(lead, "lay")["Lay the jack of spades"])
    assert "Lay the jack of spades" not in laid.text
    theirs = links(laid, "pick")
    assert len(theirs) == 45
    assert {"5 of hearts", "4 of clubs", "2 of hearts"}.isdisjoint(theirs)
    answered = get(theirs["5 of clubs"])
    assert "15 +2" in answered.words
    assert "You pegged 0, your opponent 2." in answered.words
    advice = advise_play("5D 5H JS QC", laid="J 5", **known)
    assert advice.headline.rstrip(".").replace("-", "−") in answered.words
    back = re.search(r'href="([^"]*)">← Back', answered.text)[1].replace("&amp;", "&")
    assert get(back).text == laid.text


def test_goes_and_the_end(get):
    address = f"/ask/deal?{DEAL}&role=dealer&starter=4C&laid="
    stuck = get(address + "KS.QC.9H")
    assert "count 29" in stuck.words
    assert "Your opponent says go" in stuck.text
    over = get(address + "KS.QC.9H.go.JS.KH.5D.3C.5H")
    Whole(over.text)
    assert "The play is over" in over.words
    found = explain("5D 5H JS QC", "4C")
    assert f"Your hand counts {found.total} : {found.spoken}." in over.words


@pytest.mark.parametrize(
    ("role", "score", "end", "before", "told"),
    [
        ("dealer", "119-110", "4C&laid=5S.JS", "4C&laid=5S", "You are out"),
        ("dealer", "110-119", "4C&laid=KH.5H.5S", "4C&laid=KH.5H", "Your opponent is out"),
        ("pone", "120-119", "JC", "", "Your opponent is out"),
    ],
)
def test_a_game_ends_where_somebody_has_121_points(get, role, score, end, before, told):
    address = f"/ask/deal?{DEAL}&role={role}&score={score}&starter="
    over = get(address + end)
    Whole(over.text)
    assert over.status == 200
    assert told in over.words
    assert not links(over, "pick")
    assert not links(over, "lay")
    assert "The next game" in over.words
    on = get((address + before).removesuffix("&starter="))
    assert links(on, "pick") or links(on, "lay")


@pytest.mark.parametrize("seed", range(20))
def test_pegs_and_goes_are_those_of_the_rules(seed):
    drawn = random.Random(seed)
    deck = drawn.sample(range(52), 13)
    hands = {"pone": deck[:4], "dealer": deck[4:8]}
    role = drawn.choice(["pone", "dealer"])
    cards, laid = format_cards(hands[role] + deck[8:10]), []
    given = {"cards": cards, "threw": format_cards(deck[8:10]), "role": role}
    given["starter"] = format_cards([deck[12]])
    while True:
        play = FollowedPlay(parse_followed(given | {"laid": ".".join(laid)}))
        if play.state.over:
            break
        who = play.state.turn
        left = [card for card in hands[who] if format_cards([card]) not in laid]
        fits = [card for card in left if card in play.possible]
        assert fits or who != role
        laid.append(format_cards([drawn.choice(fits)]) if fits else "go")
    told = {who: [card >> 2 for card in held] for who, held in hands.items()}
    expected = peg([card >> 2 for card in play.cards if card is not None], **told)
    other = "pone" if role == "dealer" else "dealer"
    assert play.pegged == (expected.points[role], expected.points[other])


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("cards=5H5DJSQC2H8D", "expected 2 cards"),
        ("cards=5H5DJSQC2H8D&threw=2H9D", "expected two of the six cards"),
        (f"{DEAL}&starter=5H", "the starter is none of your six cards"),
        (f"{DEAL}&laid=5C", "cards are laid after the starter is cut"),
        (f"{DEAL}&role=pone&starter=4C&laid=KS", "it is your turn"),
        (f"{DEAL}&role=dealer&starter=4C&laid=4C", "your opponent cannot have it"),
        (f"{DEAL}&role=dealer&starter=4C&laid=go", "any card fits"),
        (f"{DEAL}&role=dealer&starter=4C&laid=KH.JS.5S.go", "you cannot say go: expected one of 5"),
        (f"{DEAL}&role=dealer&starter=4C&laid=<b>", "'<b>' is not a card"),
        (f"{DEAL}&cut=4C", "no such parameter: 'cut'"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(get, query, told):
    answer = get(f"/ask/deal?{query.replace('<b>', '%3Cb%3E')}")
    assert answer.status == 400
    assert told in answer.words
    Whole(answer.text)


def test_addresses_of_before_lead_on(get):
    old = get("/?cards=5H5DJSQC2H8D&role=pone&utm_source=mail")
    assert old.status == 307
    assert old.headers["Location"] == "/ask?cards=5H5DJSQC2H8D&role=pone&utm_source=mail"
