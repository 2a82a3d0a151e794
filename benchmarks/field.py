"""What is measured, and with which other programs."""

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import count, cycle
from pathlib import Path

import numpy as np
from tqdm import tqdm

from benchmarks.compiled import compiled
from benchmarks.measuring import installed, peak_of_command, side_by_side
from benchmarks.scorers import ORACLE, oracle_points, scorers
from cribev import Position, advise, advise_play, format_cards, parse_cards, random_hands
from cribev.advice.names import as_opponent
from cribev.advice.players import Level
from cribev.evaluation.plan import FAR_NEED, DealBatch, approximate_values, exact_batch_values
from cribev.game.cards import unseen
from cribev.game.index_tables import KEEPS, PAIR_HAS
from cribev.game.score import WINNING_SCORE
from cribev.opponents.counts import expert_counts
from cribev.opponents.opponents import Solved, Uniform
from cribev.solution.solution import load
from cribev.values.counts import crib_scores, hand_scores
from cribev.wins import exact as wins_exact

DEAL = "AH 2C 7D 9S JH QC"
SEED = 1
_SEEDS = count(SEED)


def measure(*, quick):
    """Measure everything; with `quick` less of it, to see that it works."""
    sections = [
        ("Scoring hands", "hands", partial(_scoring, 200 if quick else 1)),
        ("One deal, average hands", "deals", _hands_of_one_deal),
        ("One deal, hands and cribs, any two discarded", "deals",
         partial(_uniform, slow=not quick)),
        ("One deal, hands and cribs, exact expert", "deals", _expert),
        ("One deal at a score, chances to win", "deals", _at_a_score),
        ("Many deals at scores, chances to win, one core", "deals",
         partial(_at_scores, 10 if quick else 1)),
        ("Rows near the end of a game, whole processes", "rows",
         partial(_near_end_files, 40 if quick else 1200)),
        ("One card to play, by all a player knows", "cards", _cards_to_play),
        ("The expert at the table near the end of a game", "choices", _expert_at_the_table),
        ("Whole processes", "runs", _processes),
        ("Best discards, arrays, one core", "deals",
         partial(_arrays, (10**3, 10**4) if quick else (10**3, 10**4, 10**5, 10**6, 10**7))),
        ("Best discards, files, whole processes", "deals",
         partial(_files, {"csv": (10**3,), "parquet": (10**3,)} if quick else
                 {"csv": (10**5, 10**6), "parquet": (10**5, 10**6, 10**7)})),
        ("Reviews, whole processes", "discards", partial(_reviews, 1 if quick else 19)),
    ]  # fmt: skip
    if not quick:
        sections.append(("Discards solved from nothing", "runs", _solving))
    done = []
    for title, unit, rows in tqdm(sections, desc="measuring", unit=" tables", disable=None):
        done.append({"title": title, "unit": unit, "rows": rows(rounds=1 if quick else 7)})
    return {"speed": done, "errors": _errors(500 if quick else 20_000)}


def _row(who, work, seconds, *, beside=None, peak=None):
    """Make a row; with a row of ours as `beside`, also how many times as long this one takes."""
    row = {"who": who, "work": work, "seconds": seconds, "rate": work / seconds}
    if beside:
        row["times_ours"] = beside["rate"] / row["rate"]
    if peak:
        row["peak_mib"] = peak
    return row


def _rows(works, *, rounds):
    """Measure ``{who: (amount of work, function)}``, ours first."""
    seconds = side_by_side({who: work for who, (_, work) in works.items()}, rounds=rounds)
    ours, *others = works
    first = _row(ours, works[ours][0], seconds[ours])
    return [first, *(_row(who, works[who][0], seconds[who], beside=first) for who in others)]


def _scoring(fraction, *, rounds):
    hands = random_hands(10**6, cards=5, seed=SEED)
    works = {}
    for scorer in scorers():
        number = scorer.number // fraction
        prepared = scorer.prepare(hands[:number])
        works[scorer.name] = number, partial(scorer.score, prepared, False)
    return _rows(works, rounds=rounds)


def _deal():
    return np.sort(parse_cards(DEAL))


def _hands_of_one_deal(*, rounds):
    deal = _deal()
    keeps = np.repeat(deal[KEEPS], 46, axis=0)
    hands = np.column_stack([keeps, np.tile(unseen(deal), 15)])

    def averages(scorer, prepared):
        return np.reshape(scorer.score(prepared, False), (15, 46)).mean(axis=1)

    ours, *others = scorers()
    works = {ours.name: (1, lambda: hand_scores(deal).mean(axis=1))}
    works |= {other.name: (1, partial(averages, other, other.prepare(hands))) for other in others}
    wanted = works[ours.name][1]()
    assert all(np.array_equal(work(), wanted) for _, work in works.values())  # exactly
    return _rows(works, rounds=rounds)


def _uniform(*, rounds, slow):
    deal = _deal()
    works = {"cribev": (1, partial(advise, DEAL, role="dealer", opponent="uniform"))}
    if slow:
        works[ORACLE] = 1, partial(_advise_as_oracle, deal)
    if library := compiled():
        alike = (~PAIR_HAS).astype(np.int64)
        _check(library.average(deal, alike), deal, Uniform())
        works["our C, averages alone"] = 1, partial(library.average, deal, alike)
    return _rows(works, rounds=rounds)


def _advise_as_oracle(deal):
    """Advise as a program in plain Python does: 690 hands, and 683,100 cribs."""
    from oracle import crib_mean, rest

    cards = format_cards(deal).split()
    for keep in KEEPS.tolist():
        held = [cards[place] for place in keep]
        discarded = [card for card in cards if card not in held]
        _ = sum(oracle_points(held, starter) for starter in rest(cards)) / 46
        _ = crib_mean(cards, discarded)


def _on_other_deals(choose, **options):
    """Ask about another deal each time, nobody else's: what is kept of the last is no help."""
    deals = cycle(random_hands(64, seed=next(_SEEDS)))
    return lambda: choose(next(deals), **options)


def _expert(*, rounds):
    from slow_count import written_out

    works = {"cribev": (1, _on_other_deals(advise, role="dealer"))}
    if library := compiled():
        solution, deal = load(play=True), _deal()
        parts = int(expert_counts(solution, "pone").parts)
        strategy = written_out(solution.policies()["pone"])

        def averages():
            return library.average(deal, library.discards(deal, strategy, parts))

        _check(averages(), deal, Solved(solution))
        works["our C, averages alone"] = 1, averages
    return _rows(works, rounds=rounds)


def _at_a_score(*, rounds):
    works = {
        who: _on_other_deals(advise, role="dealer", score=score)
        for who, score in (("95-110", (95, 110)), ("117-113", (117, 113)), ("no score", None))
    }
    return [_row(who, 1, time) for who, time in side_by_side(works, rounds=rounds).items()]


def _counted_anew(batch, opponent):
    """Count deals that may have been counted before."""
    wins_exact.win_chances.cache_clear()
    return exact_batch_values(batch, opponent)


def _at_scores(fraction, *, rounds):
    """Time chances to win of many deals: near the end, each by itself, and far from it."""
    rng = np.random.default_rng(SEED)
    works = {}
    for who, number, needs, each in (
        ("near the end", 500, (1, 32), False),
        ("near the end, exact", 20, (1, 32), True),
        ("far from the end", 5000, (FAR_NEED, WINNING_SCORE + 1), False),
    ):
        size = max(number // fraction, 2)
        deals, scores = (
            random_hands(size, seed=SEED),
            WINNING_SCORE - rng.integers(*needs, (size, 2)),
        )
        batch = DealBatch.of(deals, rng.random(size) < 0.5, scores)
        opponent = as_opponent("expert")
        if each:
            works[who] = size, partial(_counted_anew, batch, opponent)
        else:
            works[who] = size, partial(approximate_values, batch, opponent)
    # Scores that are easier are no program to be compared with.
    return [
        {key: figure for key, figure in row.items() if key != "times_ours"}
        for row in _rows(works, rounds=rounds)
    ]


def _near_end_files(number, *, rounds):
    """Time files of rows whose players need 1 to 31 points: best discards, and quick reviews."""
    from games import random_games

    rng = np.random.default_rng(SEED)
    games = random_games(number // 2, deals=1, seed=SEED)
    own, other = 121 - rng.integers(1, 32, (2, number // 2))
    own, other = np.repeat(own, 2), np.repeat(other, 2)
    own, other = (
        np.where(games["player"] == "Ann", *both) for both in ((own, other), (other, own))
    )
    games["score"] = [f"{points}-{across}" for points, across in zip(own, other, strict=True)]
    rows = games[["cards", "role"]].assign(score=own, opponent_score=other)
    timed = []
    with tempfile.TemporaryDirectory() as folder:
        best = str(Path(folder) / "best.parquet")
        for name, frame, options in (
            ("batch", rows, ("-o", best, "--force")),
            ("review --fast", games, ("--format", "csv")),
        ):
            file = str(Path(folder) / "rows.parquet")
            frame.to_parquet(file)
            tries = [_run(*name.split(), file, *options) for _ in range(min(rounds, 3))]
            seconds, peak = sorted(tries)[len(tries) // 2]
            timed.append(_row(f"{len(frame):,}, {name}", len(frame), seconds, peak=peak))
    return timed


def _expert_at_the_table(*, rounds):
    """Time what an opponent in a game chooses, at a score and before anybody is near 121."""
    position = Position.parse("pone:4H6C9DJS/ACKD:7H:4 8@95-110")
    expert = Level("expert", seed=SEED)
    works = {
        "discard": _on_other_deals(expert.discard, role="pone", score=(95, 110)),
        "card": partial(expert.play, position),
        "discard by points": _on_other_deals(expert.discard, role="pone", score=(0, 0)),
        "card by points": partial(expert.play, replace(position, score=None)),
    }
    return [_row(who, 1, time) for who, time in side_by_side(works, rounds=rounds).items()]


def _cards_to_play(*, rounds):
    """Time a lead, the answer to one, and a card in the middle, by points and by wins."""
    held = {"hand": "4H 6C 9D JS", "discard": "AC KD", "starter": "7H"}
    works = {
        "lead": partial(advise_play, role="pone", **held),
        "answer": partial(advise_play, role="dealer", played="3", **held),
        "third card": partial(advise_play, role="pone", played="4 8", **held),
        "lead, chances to win": partial(advise_play, role="pone", score=(95, 110), **held),
        "third card, chances to win": partial(
            advise_play, role="pone", played="4 8", score=(95, 110), **held
        ),
    }
    return [_row(who, 1, time) for who, time in side_by_side(works, rounds=rounds).items()]


def _check(averages, deal, discards):
    hand, crib = averages
    assert np.allclose(hand, hand_scores(deal).mean(axis=1))
    assert np.allclose(crib, crib_scores(deal, discards.weights(deal, "dealer")).mean)


def _processes(*, rounds):
    """Time commands, and the imports they need."""
    commands = {
        'python -c "import numpy"': ["-c", "import numpy"],
        "cribev score 5C 6D 7D QH 6H": ["-m", "cribev", "score", "5C 6D 7D QH 6H"],
        'python -c "import numpy, pandas"': ["-c", "import numpy, pandas"],
        f"cribev advise {DEAL} --dealer": ["-m", "cribev", "advise", DEAL, "--dealer"],
        "cribev advise … --score 95-110": [
            "-m",
            "cribev",
            "advise",
            DEAL,
            "--dealer",
            "--score",
            "95-110",
        ],
    }
    run = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL, env=installed())
    works = {who: partial(run, [sys.executable, *words]) for who, words in commands.items()}
    return [_row(who, 1, time) for who, time in side_by_side(works, rounds=rounds).items()]


def _arrays(sizes, *, rounds):
    command = [sys.executable, "-m", "benchmarks.arrays", str(rounds), *map(str, sizes)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    measured = [json.loads(line) for line in done.stdout.splitlines()]
    return _by_size([(f"{size:,}", size, seconds, peak) for size, seconds, peak in measured])


def _files(sizes, *, rounds):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for form, numbers in sizes.items():
            found = []
            for size in numbers:
                deals, best = (str(Path(folder) / f"{name}.{form}") for name in ("deals", "best"))
                _run("deal", str(size), "--seed", str(SEED), "-o", deals, "--force")
                tries = [_run("batch", deals, "-o", best, "--force") for _ in range(min(rounds, 3))]
                seconds, peak = sorted(tries)[len(tries) // 2]
                found.append((f"{form}, {size:,}", size, seconds, peak))
            rows += _by_size(found)
    return rows


def _reviews(games, *, rounds):
    """Time reviews of random games: exact, at the score, every card, and by the class tables."""
    from games import random_games, with_play

    whole = random_games(games, seed=SEED)
    scored = with_play(random_games(1, deals=20, seed=SEED), seed=SEED)
    many = random_games(330 * games, seed=SEED)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, frame, options in (
            ("exactly", whole, ()),
            ("at the score, --no-cards", scored, ("--no-cards",)),
            ("at the score, every card too", scored, ()),
            ("--fast", many, ("--fast",)),
        ):
            file = str(Path(folder) / "games.parquet")
            frame.to_parquet(file)
            command = ["review", file, *options, "--format", "csv"]
            tries = [_run(*command) for _ in range(min(rounds, 3))]
            seconds, peak = sorted(tries)[len(tries) // 2]
            rows.append(_row(f"{len(frame):,}, {name}", len(frame), seconds, peak=peak))
    return rows


def _solving(*, rounds):
    del rounds  # it takes a minute
    seconds, peak = _run("--discards-only", module="solver.command")
    return [_row("python -m solver --discards-only", 1, seconds, peak=peak)]


def _run(*arguments, **options):
    """Run a command of cribev in its own process: its seconds and its peak memory."""
    start = time.perf_counter()
    peak = peak_of_command(*arguments, **options)
    return time.perf_counter() - start, peak


def _by_size(measured):
    first, *_ = rows = [
        _row(who, size, seconds, peak=peak) for who, size, seconds, peak in measured
    ]
    for row in rows[1:]:
        row["a_further_one"] = (row["seconds"] - first["seconds"]) / (row["work"] - first["work"])
    return rows


def _errors(number):
    """Count the hands that each scorer counts differently from the oracle, as hands and cribs."""
    hands = random_hands(number, cards=5, seed=SEED)
    texts = [format_cards(hand).split() for hand in hands.tolist()]
    kinds = np.array([_kind(hand) for hand in hands.tolist()])
    measured = [scorer for scorer in scorers() if scorer.name != ORACLE]
    wrong = {scorer.name: {} for scorer in measured}
    for name, crib in (("hands", False), ("cribs", True)):
        truth = np.array([oracle_points(text[:4], text[4], crib=crib) for text in texts])
        for scorer in measured:
            missed = truth != scorer.score(scorer.prepare(hands), crib)
            wrong[scorer.name][name] = dict(Counter(kinds[missed].tolist()))
    return {"of": number, "wrong": wrong}


def _kind(hand):
    """Say what makes a hand hard to count."""
    held = Counter(card >> 2 for card in hand)
    for start in range(11):
        if all(start + step in held for step in range(3)) and len(held) < 5:
            return "runs with a pair"
    if len({card & 3 for card in hand[:4]}) == 1:
        return "flushes"
    return "other"
