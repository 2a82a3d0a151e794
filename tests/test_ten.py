"""Ten hands in a row: dealt by a seed, answered one by one, and nothing stored."""

import re
from collections import Counter
from datetime import date
from urllib.parse import parse_qs, urlsplit

import hypothesis.strategies as st
import pytest
from hypothesis import given

from cribev import Level, advise, format_cards
from cribev.app.web.ten import dealt_in


def hand_of(seed, number):
    role, cards = dealt_in(seed, number)
    return role, format_cards(cards)


def test_everybody_is_dealt_the_same(ten_cases):
    for seed, hands in ten_cases.items():
        assert [[*hand_of(seed, number)] for number in range(10)] == hands


@given(st.text("abcdefghijklmnopqrstuvwxyz0123456789-", min_size=1, max_size=40), st.integers(0, 9))
def test_a_hand_has_six_cards_of_a_deck(seed, number):
    role, cards = dealt_in(seed, number)
    assert role == ("dealer", "pone")[number % 2]
    assert list(cards) == sorted({*cards})
    assert (len(cards), cards[0] >= 0, cards[-1] < 52) == (6, True, True)


def test_every_card_is_dealt_as_often():
    dealt = Counter(card for seed in range(2000) for card in dealt_in(f"{seed}", 0)[1])
    assert len(dealt) == 52
    assert max(abs(often - 2000 * 6 / 52) for often in dealt.values()) < 5 * (2000 * 6 / 52) ** 0.5


def test_ten_are_answered_one_by_one(get, folder):
    page, lost, levels = get("/ten?ten=abc&opponent=people"), 0.0, Counter()
    for number in range(10):
        role, hand = hand_of("abc", number)
        page.says(f"Hand {number + 1} of 10.")
        cards = re.findall(r'name="card" value="(..)"', page.text)
        assert " ".join(cards) == hand
        fields = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.text)
        query = "&".join(f"{name}={value}" for name, value in dict(fields).items())
        answer = get(f"/ten?{query}&card={cards[0]}&card={cards[1]}")
        assert answer.status == 303
        shown = get(answer.headers["Location"])
        advice = advise(hand, role=role, opponent="people")
        own = next(row for row in advice.choices if row.discard == " ".join(cards[:2]))
        loss = advice.best.expected - own.expected
        lost += loss
        cost = f"cost {loss:.2f}" if loss >= 0.005 else "was best"
        shown.says(f"Hand {number + 1} of 10 {cost}, {lost:.2f} in all")
        shown.holds("data-ask=")
        for level in ("beginner", "casual", "club", "strong", "expert"):
            levels[level] += Level(level).chances(advice.options) @ advice.options.losses
        page = get(re.search(r'class="go" href="([^"]*)"', shown.text)[1].replace("&amp;", "&"))
    told = ", ".join(f"{name} loses {points:.2f}" for name, points in levels.items())
    page.says(f"10 hands, {lost:.2f} points lost", told[0].upper() + told[1:])
    (text,) = re.findall(r'data-copy="Copy" data-text="([^"]*)"', page.text)
    assert re.fullmatch(rf"10 hands of cribbage, {lost:.2f} points lost\n[🟩🟨🟧🟥]{{10}}\n", text)
    assert not folder.exists()


def test_new_and_daily_seeds_are_led_to(get):
    today = get("/ten/today").headers["Location"]
    assert today == f"/ten?ten={date.today()}"
    seeds = [parse_qs(urlsplit(get("/ten").headers["Location"]).query)["ten"] for _ in range(2)]
    assert seeds[0] != seeds[1]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("ten=a_b", "ten='a_b': expected up to 40 letters, digits and dashes"),
        ("ten=" + "a" * 41, "expected up to 40 letters, digits and dashes"),
        ("ten=abc&discards=AHAD", "'AHAD' are not two of 3D 5C 5D 8H QH KD"),
        ("ten=abc&discards=AH1X", "1X"),
        ("ten=abc&discards=3D5C.x", "'x'"),
        ("ten=abc&card=3D", "choose two of the six cards"),
        ("ten=abc&card=3D&card=AH", "are not two of"),
        ("ten=abc&show=maybe", "'maybe'"),
        ("ten=abc&choices=3D5C", "unknown parameter 'choices'"),
    ],
)
def test_what_cannot_be_read_is_told(get, query, told):
    assert told in get(f"/ten?{query}").refusal
