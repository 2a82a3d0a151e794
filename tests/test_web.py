"""The pages and the JSON of a server, asked over the loopback."""

import re
import threading
from urllib.parse import urlencode

import pytest
from asking import DEAL, HOSTILE, with_file
from games import game_against_casual, miscounted_table, random_games, review_by_wins, with_play
from markup import Whole
from shell import printed

from cribev import advise, advise_play, review
from cribev.advice.decisions import Decision
from cribev.advice.verdicts import COSTLY, WIN_BANDS
from cribev.app.web import api, guard
from cribev.app.web import review as reviewing
from cribev.app.web.kept_reviews import ReviewCache
from cribev.evaluation import against
from cribev.evaluation.by_habits import ByHabits, tables_against
from cribev.game.words import format_chance, true_minus
from cribev.opponents.habits import HABITS
from cribev.opponents.people import HABIT_RANGES, habits_of
from cribev.records.record import RECORD_TEMPLATE
from cribev.rows.names import COLUMN_DESCRIPTIONS


def test_shared_links_work(get):
    for path in ("/", "/ask", f"/ask?cards={DEAL}&role=pone&fbclid=x&utm_source=mail"):
        get(path).says("Which two cards go to the crib?", "needs JavaScript")
    assert get(f"/ask?cards={DEAL}&role=pone&card=x").status == 400


def test_pages_refuse_unknown_and_repeated_parameters(get):
    unknown = "unknown parameter 'cut': expected position, cards, role, score"
    for address, told in (
        (f"/ask?cards={DEAL}&cards=AHAD", "'cards' is given more than once"),
        (f"/ask?cards={DEAL}&cut=5C", unknown),
        ("/review?fast=1", "unknown parameter 'fast': expected opponent"),
        ("/ten?ten=a&ten=b", "'ten' is given more than once"),
        ("/api?cards=5H", "unknown parameter 'cards'"),
        ("/play?first=ann", "unknown first 'ann'"),
        ("/ask?opponent=nobody", "unknown opponent 'nobody'"),
        ("/review?opponent={", "cannot read the habits in '{': it is not JSON"),
        ("/ten?ten=a&opponent=nobody", "unknown opponent 'nobody'"),
    ):
        assert told in get(address).refusal
    kind, body = "application/x-www-form-urlencoded", "seed=1&seed=2"
    refused = get("/play", method="POST", body=body, Content_Type=kind).refusal
    assert "'seed' is given more than once" in refused


def test_the_api_judges_as_a_review_does(get):
    deal, discard = "dealer:4S5D6HJCJDKC@113-117", ["4S", "5D"]
    rows = get(f"/api/advice?position={deal}&explain=1").json["discards"]
    (own,) = (row for row in rows if row["discard"] == discard)
    assert own["verdict"] == Decision.of(advise(deal).options, " ".join(discard)).verdict == "close"
    comparison = advise(deal).compare("4S 5D")
    assert own["starters_behind"] == (comparison.starters["gain"] < 0).sum()


def test_waiting_program_is_told_exact_limit(get):
    game = random_games(3, deals=9, seed=1)
    score = game["player"].map({"Ann": "95-110", "Ben": "110-95"})
    content = game.assign(score=score).to_csv(index=False).encode()
    refused = get("/api/review", method="POST", body=content)
    assert refused.status == 400
    most = f"where {reviewing.MAX_EXACT_WITH_SCORES} is the most"
    assert f"{most}: fast=1 takes the class tables and leaves the scores" in refused.text
    get("/api").says("48 discards with scores", "200 without")


@pytest.mark.slow
def test_a_record_brought_and_its_mistakes(get, data):
    brought = with_file(get, "game.csv", (data / "game.csv").read_bytes())
    assert brought.status == 303
    address = brought.headers["Location"]
    assert "Ann : 2 to look at" in get(address).words
    reviewed = review(data / "game.csv")
    worst = reviewed.decisions.iloc[reviewed.costliest(1)[0].row]
    asked = [get(f"{address}/1/{number}").text for number in (1, 2)]
    assert not any(worst["best_discard"] in page or "expected" in page for page in asked)
    discarded = "&".join(f"discard={card}" for card in worst["best_discard"].split())
    number = next(
        number for number, page in enumerate(asked, 1) if f"deal {worst['deal']}." in page
    )
    shown = get(f"{address}/1/{number}?{discarded}")
    shown.holds("Found now!", f"<b>{worst['loss']:.2f} lost</b>", 'data-ask="position=')
    held = [f"discard={card}" for card in re.findall('name="discard" value="(..)"', asked[0])]
    for chosen in ([], held[:1], held[:3]):
        again = get(f"{address}/1/1?{'&'.join(['discarded=1', *chosen])}")
        assert "choose two of the six cards" in again.words
        assert again.text.count(" checked") == len(chosen)
    assert get(f"{address}/1/3").status == get("/review/nothing").status == 404


@pytest.mark.slow
def test_a_review_is_judged_against_another(get, data):
    # No other test has this game: servers of one folder keep one review of a game between them.
    record = (data / "game.csv").read_bytes().replace(b"Ben", b"Judith")
    first = with_file(get, "game.csv", record).headers["Location"]
    get(first).says("compared with the expert", "At a board you play a person")
    body, kind = b"opponent=people", "application/x-www-form-urlencoded"
    for address in (first, first):  # once
        again = get(f"{address}/against", method="POST", body=body, Content_Type=kind)
        there = again.headers["Location"]
        assert there != first
        get(there).says("compared with people", "2 to look at")
    shown = get("/review", Cookie=again.headers["Set-Cookie"].partition(";")[0])
    assert '<option value="people" selected>' in shown.text
    assert '<option value="people" selected>' not in get("/review").text
    back = get(f"{there}/against", method="POST", body=b"opponent=", Content_Type=kind)
    assert back.headers["Location"] == first
    wrong = get(f"{first}/against", method="POST", body=b"opponent=fool", Content_Type=kind)
    assert "unknown opponent 'fool'" in wrong.refusal
    assert get("/review/nothing/against", method="POST", body=body, Content_Type=kind).status == 404


def test_a_page_says_how_far_its_review_is(get, monkeypatch):
    go = threading.Event()

    def held(record, *, progress, **options):
        def report(done, number):
            progress(done, number)
            assert done < 3 or go.wait(60)

        return review(record, progress=report, **options)

    monkeypatch.setattr(reviewing, "review", held)
    monkeypatch.setattr(reviewing, "PATIENCE", 0.1)
    content = with_play(random_games(1, deals=1)).drop(columns="score").to_csv(index=False).encode()
    address = with_file(get, "a.csv", content).headers["Location"]
    page = get(address)
    while "3 of 4 discards and hands played" not in page.words:
        assert "Reviewing" in page.words
        page = get(address)
    # Discards and the score sheet are there already, and stay while the cards are graded.
    assert page.headers["Refresh"] is None
    assert {"Study this first", "Score sheet"} <= set(re.findall(r"(?<=>)[^<>]+", page.text))
    assert '<progress aria-label="being reviewed" value="3" max="4">' in page.text
    go.set()
    monkeypatch.setattr(reviewing, "PATIENCE", 60)
    assert "Review another game" in get(address).words


@pytest.mark.slow
def test_mistakes_step_through_discards_and_cards(get):
    record = with_play(random_games(1, deals=2, seed=3, noise=1, fellow_noise=1))
    record = record.drop(columns="score")
    brought = with_file(get, "play.csv", record.to_csv(index=False).encode())
    address = brought.headers["Location"]
    own = review(record).of_player(record["player"][0])
    number = own.decisions["verdict"].isin(COSTLY).sum() + own.cards["verdict"].isin(COSTLY).sum()
    assert f"{own.players['player'][0]} : {number} to look at" in get(address).words
    pages = {at: get(f"{address}/1/{at}") for at in range(1, number + 1)}
    asked = {at: page for at, page in pages.items() if "Which card do you play?" in page.words}
    assert len(asked) == own.cards["verdict"].isin(COSTLY).sum() > 0
    for at, page in asked.items():
        assert "experts" not in page.words
        fits = re.findall('name="card" value="(.)">', page.text)
        answers = [get(f"{address}/1/{at}?card={card}") for card in fits]
        for answer in answers:
            answer.says("Played in the game", "what your opponent may hold")
        for judged in ("Found now!", "The same again."):
            assert any(judged in answer.words for answer in answers)
        wrong = get(f"{address}/1/{at}?card=<b>X").text
        assert "&#39;&lt;b&gt;X&#39; cannot be played here: expected one of" in wrong


@pytest.mark.slow
def test_miscounts_are_counted_again(get, monkeypatch):
    table = miscounted_table(game_against_casual(5))
    reviewed = review_by_wins(table, cards=False)
    monkeypatch.setattr(reviewing, "review", lambda *_, **__: reviewed)
    brought = with_file(get, "counts.csv", table.to_csv(index=False).encode())
    address = brought.headers["Location"]
    mine = [
        miscount
        for miscount in reviewed.miscounted
        if reviewed.decisions["player"][miscount.row] == "You"
    ]
    costly = [miscount for miscount in mine if miscount.lost >= WIN_BANDS.inaccuracy]
    number = 0
    while "Mistake" in (page := get(f"{address}/1/{number + 1}")).words:
        number += 1
        if "How many points are there" not in page.words:
            continue
        miscount = costly.pop(0)
        assert page.text.count('name="count"') == len(miscount.shows)
        counts = "&".join(f"count={show.total}" for show in miscount.shows)
        get(f"{address}/1/{number}?{counts}").says("Found now!", f"counted for {miscount.said}:")
        wrong = get(f"{address}/1/{number}?count=0" + "&count=0" * (len(miscount.shows) - 1))
        assert "counted 0, missed" in wrong.words
        assert "from 0 to 29" in get(f"{address}/1/{number}?count=x").words
    assert number
    assert not costly


@pytest.mark.slow
@pytest.mark.usefixtures("fast_reviews")
def test_a_long_review_is_parted(get):
    games = random_games(8, deals=16, seed=1)
    reviewed, content = review(games, fast=True), games.to_csv(index=False).encode()
    assert len(reviewed.decisions) > reviewing.MAX_PAGE_DECISIONS
    address = with_file(get, "long.csv", content).headers["Location"]
    pages = {"": get(address).text}
    for link in re.findall(r'<p class="part"><a href="([^"#]*)#', pages[""]):
        pages[link] = get(link).text
    counts = [page.count("all 15 discards</summary>") for page in pages.values()]
    assert (counts[0], sum(counts)) == (0, len(reviewed.decisions))
    for page in pages.values():
        assert len(page) < 250_000
        for there, anchor in re.findall(rf'href="({address}/p[^"#]*)#([^"]*)"', page):
            assert f' id="{anchor}"' in pages[there]
    assert get(f"{address}/p1-g99").status == 404
    walked, link = [], next(iter(list(pages)[1:]))
    while link:
        walked.append(link)
        link = dict(re.findall(r'<a href="([^"#]*)[^"]*">(Next →)', get(link).text)[:1])
        link = next(iter(link), None)
    assert walked == [page for page in pages if "/p1-" in page]


def test_a_record_of_many_players_is_refused(get):
    row = "{0},1,{0},pone,5H 5D JS QC 2H 8D,2H 8D\n"
    rows = "".join(row.format(game) for game in range(reviewing.MAX_PLAYERS + 1))
    content = f"game,deal,player,role,cards,discard\n{rows}".encode()
    refused = with_file(get, "club.csv", content)
    assert get("/api/review?fast=1", method="POST", body=content).status == 200
    assert "21 players are too many here, where 20 is the most: cribev review" in refused.refusal


@pytest.mark.slow
def test_stored_reviews_are_small_and_the_oldest_go_first():
    cache = ReviewCache()
    content = random_games(8, deals=16, seed=1).to_csv(index=False).encode()
    record = reviewing.read_uploads([("long.csv", content)])
    reviewed = reviewing.draw_reviewed(review(record, fast=True), "long.csv", "key")
    drawn = sum(len(reviewed.page(name)) for name in reviewed.pages)
    assert sum(map(len, reviewed.pages.values())) < drawn / 3
    for key in range(30):
        cache.put(reviewed._replace(key=str(key)))
    assert [key for key in range(30) if cache.get(str(key))] == [*range(18, 30)]
    cache.put(reviewed._replace(key="later"))
    assert ("later" in cache, "18" in cache) == (True, False)


@pytest.mark.slow
def test_a_mistake_by_the_score(get):
    row = "game,deal,player,role,cards,discard,score\n1,1,Ann,pone,AH2C7D9SJHQC,9SJH,115-116*\n"
    address = with_file(get, "end.csv", row.encode()).headers["Location"] + "/1/1"
    assert "The score before the deal is 115-116, yours first." in get(address).words
    page = get(address + "?discard=9S&discard=JH")
    page.holds('data-ask="position=pone:AH2C7D9SJHQC@115-116&amp;mine=9SJH"')
    wins = advise("AH2C7D9SJHQC", role="pone", score=(115, 116)).compare("9SJH")
    assert f"{100 * (wins.other.win - wins.choice.win):.1f}% of a game lost" in page.words


@pytest.mark.slow
def test_foreign_names_stay_text(get, data):
    record = (data / "game.csv").read_text()
    record = record.replace("Ann", '"' + HOSTILE.replace('"', '""') + '"').encode()
    name = "%22><img src=x onerror=alert(1)>größe.csv"
    address = with_file(get, name, record).headers["Location"]
    assert "größe.csv" in get(address).words
    for page in (address, f"{address}/1/1"):
        whole = Whole(get(page).text)
        assert "img" not in whole.tags
        assert [pair for pair in whole.attributes if pair[1].startswith("on")] == []
        assert [value for tag, name, value in whole.attributes if (tag, name) == ("script", "src")]


def test_uploads_of_no_file_are_refused(get):
    assert "no file was chosen" in with_file(get, "", b"").refusal
    assert "unknown parameter 'cards'" in with_file(get, "a.csv", b"x", cards=DEAL).refusal


def test_the_api_is_documented_and_refuses_in_json(get):
    words = get("/api").words
    for parameters in (api.ADVICE_PARAMETERS, api.SCORE_PARAMETERS, reviewing.REVIEW_PARAMETERS):
        for name, meaning in parameters.items():
            assert f"{name} {meaning}" in words
    for name in ("win", "play_own", "loss", "verdict"):
        assert f"{name} {COLUMN_DESCRIPTIONS[name]}" in words
    for status, answer in (
        (414, get("/api/score?cards=" + "5" * guard.MAX_ADDRESS)),
        (421, get("/api/score?cards=5C6D7DQH6H", Host="evil.example")),
        (403, get("/api/review", method="POST", body=b"", Origin="http://evil.example")),
    ):
        assert (answer.status, list(answer.json)) == (status, ["error"])
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_api_score_and_review_match_terminal(get, data):
    for address, arguments in (
        ("cards=5C6D7DQH6H", ["5C 6D 7D QH 6H"]),
        ("cards=5H6H7H8H&crib=1", ["5H 6H 7H 8H", "--crib"]),
        ("cards=5C6D7DQH6H&explain=1", ["5C 6D 7D QH 6H", "--explain"]),
    ):
        assert get(f"/api/score?{address}").json == printed("score", *arguments)
    record = (data / "game.csv").read_bytes()
    answer = get("/api/review?fast=1", method="POST", body=record)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json == printed("review", str(data / "game.csv"), "--fast")
    answer = get("/api/review?player=Ann&show_only=1&fast=1", method="POST", body=record).json
    options = ("--player", "Ann", "--show-only", "--fast")
    assert answer == printed("review", str(data / "game.csv"), *options)


@pytest.mark.slow
def test_opponent_file_is_against_whom_pages_advise_and_review(get):
    numbers = {name: getattr(HABITS["club"], name) for name in HABIT_RANGES}
    ann = ByHabits(HOSTILE, habits_of(numbers | {"discards": 0.7})).text
    chosen = urlencode({"opponent": ann})
    for page in ("/ask", "/review"):
        answer = get(f"{page}?{chosen}")
        assert (answer.status, answer.text.count("<img")) == (200, 0)
        assert re.search(r'<option value="\{&#34;name&#34;[^<>]*" selected>against ', answer.text)
    followed = get(f"/ask?position=pone:4H5CJDJS/9CTD:7H&{chosen}")
    best = advise_play("pone:4H5CJDJS/9CTD:7H", opponent=ann).best
    followed.says(
        f"Lead the {best.card}: ", "Your opponent is", true_minus(f"{best.expected:+.2f}")
    )
    advice = get(f"/api/advice?cards={DEAL}&role=pone&{chosen}").json
    assert advice["opponent"] == HOSTILE


def test_no_page_works_out_tables_for_minutes(get, monkeypatch, tmp_path):
    monkeypatch.setenv("CRIBEV_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(against, "work_out", lambda _: pytest.fail("a page worked them out"))
    tables_against.cache_clear()
    told = "cribev tables play --opponent casual does, once, in two to ten minutes"
    answer = get("/api/advice?cards=258-9JK&role=pone&opponent=casual")
    assert told in answer.refusal
    assert get("/api/advice?cards=258-9JK&role=pone&opponent=people").status == 200
    assert get(f"/api/advice?cards={DEAL}&role=pone&opponent=casual").status == 200
    record = RECORD_TEMPLATE.encode()
    assert told in get("/api/review?fast=1&opponent=casual", method="POST", body=record).refusal


def test_card_to_play_is_answered(get):
    asked = "pone:5D5HJSQC/2H8D:4C:J5"
    page, advice = get(f"/ask?position={asked}"), advise_play(asked)
    page.says("15 +2", "You pegged 0, your opponent 2.", true_minus(advice.headline.rstrip(".")))
    distribution = advice.distribution().to_dict()[advice.best.card]
    pegs = [f"{row['points']}: {row['own']:.0%}" for row in distribution["at_least"][:2]]
    often = format_chance(distribution["pegs_first"])
    assert f"you peg first {often} of the time. You peg at least {', '.join(pegs)}" in page.words
    refused = get("/ask?position=pone:5D5HJSQC/2H8D:4C:J").refusal
    assert "it is your opponent's turn" in refused
