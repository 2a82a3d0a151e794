import re

import pytest
from browsing import asked_for, contrast, inks, sized, until
from games import game_against_casual, miscounted_table, random_games, review_by_wins, with_play
from markup import Whole
from shell import whole

from cribev import CribevError, review
from cribev.advice.verdicts import COSTLY
from cribev.game.cards import as_cards, card_face
from cribev.game.words import format_points, true_minus
from cribev.records.formats import read_record
from cribev.reviews.page import review_html, write_page

BEST = ("best", "best to win", "best by points")
HOSTILE = "<script>fetch('http://127.0.0.1:9/')</script>\"'&{{ 7*7 }}\u202e"


@pytest.fixture(scope="module")
def game(data):
    return review(read_record(data / "game.csv"), fast=True)


@pytest.fixture(scope="module")
def page(game):
    return review_html(game)


def test_the_page_is_whole_and_needs_nothing(page, tmp_path):
    read = Whole(page)
    assert not read.tags & {"script", "iframe", "object", "img", "style link"}
    for tag, name, value in read.attributes:
        assert not name.startswith("on")
        if name in ("src", "href"):
            assert value.startswith(("#", "data:,")), (tag, value)
    for outside in ("url(", "@import", "http:", "https:"):
        assert outside not in page
    with pytest.raises(CribevError, match=r"^'3' is not a review: expected what"):
        write_page(3, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def test_page_figures_match_the_review(game, page):
    sections = page.split("<section ")[1:]
    for totals, own in zip(game.players.to_dict(orient="records"), sections, strict=True):
        figures = dict(re.findall(r'data-figure="([\w-]+)">([^<]*)<', own.replace("−", "-")))
        totals["luck"] = totals["deal_luck"] + totals["starter_luck"]
        for name in ("luck", "result", "luck_adjusted"):
            assert figures[name] == format_points(totals[name], sign=True)
        assert figures["lost"] == format_points(totals["loss"])
        assert figures["blunder-count"] == str(totals["blunder"])
    for decision in game.decisions.to_dict(orient="records"):
        faces = map(card_face, as_cards(decision["discard"]).tolist())
        assert "discarded " + " ".join(face["rank"] + face["suit"] for face in faces) in page
    assert page.count('class="discarded"') == len(game.decisions)
    rows = re.findall(r'<tr(?: class="discarded")?><td>(\d+)<th>(.*)', page)
    assert len(rows) == 15 * 16
    shown = [[rank, *re.findall(r"<td>([−\d.]+)(?=<|$)", row)] for rank, row in rows]
    own = game.of_player("Ann")
    names = ("hand_mean", "crib_mean", "play_mean", "expected", "behind")
    wanted = [
        [str(option["rank"]), *(true_minus(format_points(option[name])) for name in names)]
        for row in range(8)
        for option in own.options(row).to_dict(orient="records")
    ]
    assert shown[: 15 * 8] == wanted  # of Ann, deal by deal


@pytest.mark.slow
def test_page_says_what_best_goes_by(page):
    start = {"Ann": 80, "Ben": 80}
    played = with_play(random_games(2, deals=2, seed=3), seed=3, start=start)
    text = review_html(review_by_wins(played, cards=False))
    by = {by: len(re.findall(f"(?:, |; ){by} [A2-9TJQK1]", text)) for by in BEST}
    assert by["best to win"] > 2
    assert by["best by points"] > 2
    assert by["best"] == 0
    assert not re.search("best was|was best[.;]", text)
    assert len(re.findall("best (?:to win|by points) was", text)) > 2
    halves = text.split('<details class="half"><summary>The review of <bdi>')
    assert [half.count("<h3>Study this first</h3>") for half in halves] == [1, 1]
    assert not any(said in page for said in BEST[1:])
    assert "best was" in page


def test_hostile_names_stay_text(data):
    frame = read_record(data / "game.csv").head(4).replace({"Ann": HOSTILE})
    frame["game"] = "</title><img src=x>"
    text = review_html(review(frame, fast=True))
    read = Whole(text)
    assert not read.tags & {"script", "img"}
    assert "&lt;script&gt;" in text
    assert "{{ 7*7 }}" in text


def test_missing_figures_are_dashes(data):
    frame = read_record(data / "game.csv").drop(columns="starter").query("player == 'Ann'")
    text = review_html(review(frame, fast=True))
    assert "nan" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    assert "Not known: starter luck, crib swing and result; the record lacks" in text
    assert set(re.findall(r'data-end="(\w+)"', text)) == {"luck", "lost"}
    assert text.count("<small>not known</small>") == 2
    assert "starter luck <b" not in text  # the line is that of the deals' luck alone
    Whole(text)


@pytest.mark.slow
def test_pages_of_many_and_long_games_are_linked(monkeypatch):
    games = review(random_games(3, deals=4, seed=2), fast=True)
    text = review_html(games)
    assert "<h3>Games</h3>" in text
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)
    assert text.count('href="#p2-g3"') == 1  # from the table of games
    monkeypatch.setattr("cribev.reviews.page.MAX_LISTED", len(games.decisions) - 1)
    with pytest.raises(CribevError, match="too many for a page"):
        review_html(games)
    monkeypatch.undo()
    games = random_games(1, deals=60, seed=2)
    long = review(games[games["player"] == "Ann"], fast=True)
    parts = re.findall(r"deals (\d+) to (\d+) <", review_html(long))
    assert parts == [("1", "24"), ("25", "48"), ("49", "60")]


@pytest.fixture(scope="module")
def opened(game, tmp_path_factory):
    """Pages of a game judged by points, with a hostile name, and of one judged by wins."""
    folder = tmp_path_factory.mktemp("page")
    hostile = game.decisions.replace({"Ben": HOSTILE})
    write_page(review(hostile, fast=True), folder / "points.html")
    two = with_play(random_games(1, deals=2, seed=10, noise=1.5), start={"Ann": 98, "Ben": 95})
    played = two.query("player == 'Ann'")
    write_page(review_by_wins(played), folder / "wins.html")
    return {name: (folder / f"{name}.html").as_uri() for name in ("points", "wins")}


@pytest.mark.slow
@pytest.mark.parametrize(("width", "dark"), [(360, True), (1200, False)])
@pytest.mark.parametrize("judged", ["points", "wins"])
def test_the_page_in_a_browser(browser, opened, game, judged, width, dark):
    sized(browser, width, scheme="dark" if dark else "light")
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(opened[judged])
    if judged == "points":
        read = browser.execute_script(
            """return [...document.querySelectorAll('section.player')].map(section => [
                 section.querySelector('h2').textContent,
                 section.querySelectorAll('svg circle.dot').length,
                 section.querySelectorAll('figure > svg path:not(.other)').length])"""
        )
        names = ["Ann", HOSTILE.rstrip("\u202e")]
        decisions = game.players["decisions"]
        assert read == [[name, dots, 4] for name, dots in zip(names, decisions, strict=True)]
    needed, cut, heads, captions, paper = browser.execute_script(
        """for (const details of document.querySelectorAll('details')) details.open = true;
           const box = element => element.getBoundingClientRect();
           const ink = head => {
             const range = document.createRange();
             range.selectNodeContents(head);
             return range.getBoundingClientRect();
           };
           const inks = [...document.querySelector('.verdicts thead tr').children].map(ink);
           const details = [...document.querySelectorAll('.more *')];
           return [document.documentElement.scrollWidth,
                   details.filter(one => box(one).right > innerWidth + 1
                     && !one.closest('.scroll')).length,
                   inks.slice(1).map((one, at) => one.left - inks[at].right),
                   [...document.querySelectorAll('caption, .caption')].map(one => box(one).right),
                   getComputedStyle(document.body).backgroundColor]"""
    )
    assert (needed <= width, cut) == (True, 0)
    assert min(heads) > 5  # pixels between one and the next
    assert 0 < max(captions) <= width  # words scroll away with no table
    assert (sum(map(int, re.findall(r"\d+", paper)[:3])) < 200) == dark
    pairs = inks(browser)  # every text stands out
    assert len(pairs) > 5
    for pair in pairs:
        assert contrast(*pair.split("|")) >= 4.5, pair
    assert browser.get_log("browser") == []
    assert [url for url in asked_for(browser) if not url.startswith("data:")] == [opened[judged]]


@pytest.mark.slow
def test_page_says_where_people_change_a_verdict():
    games = with_play(random_games(1, deals=2, seed=13, noise=3.0), seed=13).drop(columns="score")
    reviewed = review(games)
    told = "That is against an expert: against people you chose right."
    alone = [reviewed.of_player(name) for name in reviewed.players["player"]]
    turned = [own.turned(mistake) for own in alone for mistake in own.costliest(3)]
    assert review_html(reviewed).count(told) == turned.count(told) > 0


def test_score_sheet_comes_first_and_rest_is_folded():
    games = with_play(random_games(1, deals=4, seed=2), seed=2)
    sections = review_html(review(games, fast=True)).split("<section")[1:]
    for player, section in zip(("Ann", "Ben"), sections, strict=True):
        first, folded, rest = section.split('<details class="rest">')
        assert ('class="wins"' in first, 'class="options"' in first) == (True, False)
        assert ('class="wins"' in rest, 'class="options"' in rest) == (False, True)
        assert 1 <= first.count('<article class="worst') <= 3
        sheet = re.findall(r"<tr><th .*?>(\d+)(\*?)</a></th>(.*?)</tr>", folded)
        own = games[games["player"] == player]
        assert [deal for deal, *_ in sheet] == own["deal"].astype(str).tolist()
        assert [bool(star) for _, star, _ in sheet] == own["role"].eq("dealer").tolist()
        before = [0, 0]
        rows = zip(sheet, own.to_dict(orient="records"), strict=True)
        for (_, _, cells), row in rows:
            *points, after = re.findall(r"<td>(.*?)</td>", cells)
            points = [int(cell or 0) for cell in points]
            assert (points[0], points[4]) == (row["pegged"], row["opponent_pegged"])
            made = [sum(points[at : at + 4]) for at in (0, 4)]
            before = [was + more for was, more in zip(before, made, strict=True)]
            assert after == "–".join(map(str, before))


@pytest.mark.slow
def test_miscounts_have_their_place_with_cards_and_counts(monkeypatch):
    monkeypatch.setattr("cribev.reviews.page._WORST", 99)
    monkeypatch.setattr("cribev.reviews.listings._ROWS_SHOWN", 99)
    game = game_against_casual(5)
    table, you = miscounted_table(game), 1 - game.winner
    scores = table[table["player"] == "You"].set_index("deal")[["score", "score_after"]]
    written = scores.map(lambda text: int(text.partition("-")[0]))
    reviewed = review_by_wins(table[table["deal"].astype(int) <= 6], cards=False)
    text = review_html(reviewed)
    own = text.partition('<details class="half">')[0]
    listed = re.findall(
        r"<b>([\d.]+)% of a game lost</b>, <span[^>]*>miscount.*?deal (\d+)</a>"
        r".*?counted for (\d+): .*?<p>(\d+)[^<]*</p></details>",
        own,
        re.DOTALL,
    )
    assert len(listed) > 1
    for _, deal, said, there in listed:
        events = [event for event in game.events if event.deal == int(deal)]
        mine = [event.show.total for event in events if event.show and event.player == you]
        assert sum(mine) == int(there) > int(said)
        scored = sum(event.points for event in events if event.scorer == you)
        before, after = written.loc[deal]
        assert int(there) - int(said) == scored - (after - before)
    every = re.findall(r"<b>([\d.]+)% of a game lost</b>", own)
    assert every == sorted(every, key=float, reverse=True)
    assert "Miscounts: " not in text
    assert re.search(r"hand counted for \d+: \d+ were there\n +hand ", whole(reviewed))


@pytest.mark.slow
def test_mistakes_are_linked_without_a_script(browser, tmp_path):
    reviewed = review(random_games(19, deals=16, seed=4, noise=0.5), fast=True).of_player("Ann")
    path = tmp_path / "games.html"
    write_page(reviewed, path)
    for width, most in ((390, 9000), (1200, 5800)):
        sized(browser, width)
        browser.get(path.as_uri())
        browser.execute_script("document.querySelector('.rest').open = true")
        assert browser.execute_script("return document.documentElement.scrollHeight") < most
    count = """[...document.querySelectorAll('tbody.costly, tbody.fine')].filter(
                 e => e.checkVisibility({contentVisibilityAuto: true})).map(e => e.className)"""

    def shown(wanted):
        # What is visible is known once the page has been drawn anew, which a busy machine delays.
        until(browser, f"return {count}.join() === arguments[0]", ",".join(wanted))

    shown([])
    browser.execute_script("document.querySelector('.filter').click()")
    number = reviewed.decisions["verdict"].isin(COSTLY).sum()
    shown(["costly"] * number)
    browser.execute_script("document.querySelector('.filter').click()")
    shown([])
    costly, on, back = browser.execute_script(
        """const on = [], back = [];
           const link = (row, word) => [...row.querySelectorAll('.steps a')].find(
             a => a.textContent.includes(word))?.getAttribute('href');
           let row = document.querySelector('tbody.costly'), last;
           while (row) {
             on.push(row.id);
             last = row;
             const next = link(row, 'next');
             row = next && document.querySelector(next);
           }
           for (row = last; row;) {
             back.push(row.id);
             const before = link(row, 'before');
             row = before && document.querySelector(before);
           }
           return [[...document.querySelectorAll('tbody.costly')].map(e => e.id), on, back]"""
    )
    assert len(costly) == number > 5
    assert on == costly == back[::-1]
    # A link opens what is folded, and leads to what it names.
    browser.get("about:blank")
    browser.get(path.as_uri())
    browser.execute_script("document.querySelector('.worst a').click()")
    until(
        browser,
        """const box = document.querySelector(location.hash)?.getBoundingClientRect();
           return box?.height > 10 && box.top > -1 && box.top < innerHeight""",
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["\u2069\u202eAnn", "\u05d0\u05d1 1"])
def test_right_to_left_names_turn_no_figure(browser, data, tmp_path, name):
    frame = read_record(data / "game.csv").replace({"Ann": name}).assign(game=name)
    write_page(review(frame, fast=True), tmp_path / "game.html")
    browser.get((tmp_path / "game.html").as_uri())
    turned = browser.execute_script(
        """const found = [];
           const walk = document.createTreeWalker(document.querySelector('main'), 4);
           while (walk.nextNode()) {
             const node = walk.currentNode;
             if (node.parentElement.closest('bdi, svg, title, details:not([open])')) continue;
             for (const part of node.textContent.matchAll(/[\\d.]{3,}/g)) {
               const at = i => {
                 const range = document.createRange();
                 range.setStart(node, part.index + i);
                 range.setEnd(node, part.index + i + 1);
                 return range.getBoundingClientRect();
               };
               const first = at(0), last = at(part[0].length - 1);
               if (first.width && first.top === last.top && first.left > last.left)
                 found.push(part[0]);
             }
             const range = document.createRange();
             const start = node.textContent.search(/\\S/);
             if (start < 0) continue;
             const trimmed = node.textContent.trimEnd().length;
             const box = (a, b) => (range.setStart(node, a), range.setEnd(node, b),
                                    range.getBoundingClientRect());
             const head = box(start, start + 1), tail = box(trimmed - 1, trimmed);
             if (trimmed > start + 1 && head.width && head.top === tail.top
                 && head.left > tail.left) found.push(node.textContent);
           }
           return found"""
    )
    assert turned == []
