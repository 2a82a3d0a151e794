"""What the engine answers, frozen: a change that should move no figure is held to it.

``python -m benchmarks.frozen`` compares all answers with ``tests/data/frozen.csv``, in some twenty
minutes; ``--write`` makes that file anew, after a change that moves figures. A row is one answer:
what was asked, the best choice, what it is worth, and each column of the answer by its name, with a
sum of its numbers, each times a factor of its own, and a digest of their bits. A column that is new
or gone is counted and moves nothing. Sums round by where arrays lie in memory and by the processor,
so answers that differ in their last bits alone are counted apart.
"""

import csv
import hashlib
import io
from itertools import islice

import numpy as np
import pandas as pd
from tqdm import tqdm

import cribev
from benchmarks.arguments import run
from benchmarks.match import RandomPlayer, Solved, match
from benchmarks.measuring import ROOT
from benchmarks.table import Table
from cribev.advice.players import Level
from cribev.app.games.game import Game
from cribev.app.games.levels import decide
from cribev.records.games import games_table

FILE = ROOT / "tests" / "data" / "frozen.csv"
HEADER = ("asked", "best", "worth", "columns")
ROLES = ("dealer", "pone")
SCORES = ((0, 0), (95, 110), (117, 113))
STAKED = (70, 85)
DEALS, SUITLESS, POSITIONS, ROWS, EXACT = 300, 60, 300, 20_000, 200


def answers(every=1):
    """Yield a row of the file for each answer, or for every so many of a kind."""
    for kind in (_discards, _discards_by_ranks, _cards, _tables, _reviews, _matches):
        for asked, answer in islice(kind(), None, None, every):
            yield _row(asked, *answer())


def frozen():
    """Return the rows of the file by what was asked."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {row["asked"]: tuple(row.values()) for row in csv.DictReader(file)}


def moved_columns(row, before):
    """Return the names of what moved between two rows: columns of both, the best choice, its worth.

    Numbers that differ by less than rounding can move them are the same.
    """
    moved = []
    if row[1] != before[1]:
        moved.append("best")
    if not _same_number(float.fromhex(row[2]), float.fromhex(before[2])):
        moved.append("worth")
    columns, columns_before = _read_columns(row), _read_columns(before)
    moved.extend(
        name
        for name in sorted(columns.keys() & columns_before.keys())
        if not _same_number(float(columns[name][0]), float(columns_before[name][0]))
    )
    return moved


def other_columns(row, before):
    """Return the names of the columns that only one of two rows has."""
    return _read_columns(row).keys() ^ _read_columns(before).keys()


def _same_number(new, old):
    # Chances near the end are sums in float32, whose order depends on the processor.
    return abs(new - old) <= 1e-6 + 1e-10 * abs(old)


def _read_columns(row):
    """Return sum and digest of each column, as texts, by its name."""
    return {name: (total, bits) for name, total, bits in map(str.split, row[3].split(";"))}


def _row(asked, best, worth, columns):
    """Return a row of the file; ``columns`` are arrays of numbers by name."""
    words = []
    for name, numbers in columns.items():
        numbers = np.ravel(numbers).astype(np.float64)
        digest = hashlib.sha256(numbers.tobytes()).hexdigest()[:6]
        finite = np.nan_to_num(numbers, posinf=0, neginf=0)
        total = float((finite * np.cos(np.arange(len(finite)))).sum())
        words.append(f"{name.replace(' ', '_')} {total:.12g} {digest}")
    return asked, str(best), float(worth).hex(), ";".join(words)


def _of_advice(advice):
    best, columns = advice.best, advice.options.columns
    name = best.discard if advice.options.is_discard else best.card
    return name, best.expected, columns


def _discards():
    deals = cribev.random_hands(DEALS, cards=6, seed=1)
    for cards, role in ((cribev.format_cards(deal), role) for deal in deals for role in ROLES):
        ways = [{}, *({"score": score} for score in SCORES), {"score": STAKED, "stakes": "acc"}]
        for way in ways:
            yield (
                f"advise {cards} {role} {_words(way)}",
                lambda cards=cards, role=role, way=way: _of_advice(
                    cribev.advise(cards, role=role, **way)
                ),
            )


def _discards_by_ranks():
    deals = cribev.random_hands(SUITLESS, cards=6, seed=2)
    for deal in deals:
        ranks = " ".join("A23456789TJQK"[card >> 2] for card in sorted(deal))
        for role in ROLES:
            for way in ({}, {"score": SCORES[1]}):
                yield (
                    f"ranks {ranks} {role} {_words(way)}",
                    lambda ranks=ranks, role=role, way=way: _of_advice(
                        cribev.advise(ranks, role=role, **way)
                    ),
                )


def _cards():
    rng = np.random.default_rng(3)
    for number in range(POSITIONS):
        position = _position(rng)
        scored = number % 2 == 1
        own, other = (int(points) for points in rng.integers(60, 119, 2))
        text = f"{position}@{own}-{other}" if scored else position
        yield f"play {text}", lambda text=text: _of_advice(cribev.advise_play(text))


def _position(rng):
    """Play two hands at random up to a choice of one player; return the position as text."""
    while True:
        cards = rng.permutation(52)[:13]
        kept = {"pone": cards[:4], "dealer": cards[6:10]}
        discarded = {"pone": cards[4:6], "dealer": cards[10:12]}
        table = Table({role: [card >> 2 for card in held] for role, held in kept.items()})
        played = []
        for _ in range(rng.integers(0, 6)):
            if table.state.over:
                break
            if not table.legal:
                table.go()
                played.append("go")
                continue
            rank = int(rng.choice(table.legal))
            table.play(rank)
            played.append("A23456789TJQK"[rank])
        if table.state.over or len({*table.legal}) < 2:
            continue
        role = table.state.turn
        held, out = (cribev.format_cards(cards_of[role]) for cards_of in (kept, discarded))
        starter = cribev.format_cards(cards[12:])
        text = ":".join((role, f"{held}/{out}", starter, *([" ".join(played)] if played else [])))
        return str(cribev.Position.parse(text))


def _tables():
    rng = np.random.default_rng(4)
    deals = cribev.random_hands(ROWS, cards=6, seed=4)
    roles = rng.choice(ROLES, ROWS)
    scores = rng.integers(0, 121, (ROWS, 2))
    for start in range(0, ROWS, ROWS // 40):
        block = slice(start, start + ROWS // 40)
        frame = pd.DataFrame(
            {
                "cards": [cribev.format_cards(deal) for deal in deals[block]],
                "role": roles[block],
                "score": [f"{own}-{other}" for own, other in scores[block]],
            }
        )
        few = frame[: EXACT // 20]
        for name, rows, options in (
            ("by points", frame.drop(columns="score"), {}),
            ("at scores", frame, {}),
            ("at scores, every discard", few, {"every_discard": True, "stakes": "acc"}),
            ("exact", few.drop(columns="score") if start % 1000 else few, {"exact": True}),
        ):
            if name == "exact" and start % (ROWS // 20):
                continue
            yield (
                f"evaluate {name} {start}",
                lambda rows=rows, options=options: _of_table(cribev.evaluate(rows, **options)),
            )


def _of_table(table):
    numbers = table.select_dtypes("number")
    best = table["best_discard"] if "best_discard" in table else table["discard"]
    digest = hashlib.sha256("\n".join(best).encode()).hexdigest()[:12]
    return digest, numbers["expected"].sum(), {name: numbers[name].to_numpy() for name in numbers}


def _reviews():
    pgn = str(ROOT / "tests" / "data" / "cribbage_zero.pgn")
    for name, record, options in (
        ("game", str(ROOT / "tests" / "data" / "game.csv"), {}),
        ("game by wins", _played(10), {}),
        ("game by acc", _played(11), {"stakes": "acc"}),
        ("pgn fast", pgn, {"fast": True}),
    ):
        yield f"review {name}", lambda r=record, o=options: _of_review(cribev.review(r, **o))


def _played(seed):
    """Let two levels play a game; return its record."""
    game, levels = Game(seed), [Level("club", seed=seed), Level("casual", seed=seed)]
    while game.phase != "over":
        for player in (0, 1):
            if game.to_do(player) in ("discard", "play"):
                game.make(decide(levels[player], game, player))
            elif game.to_do(player) == "next":
                game.next_deal(player)
    return games_table([game.record])


def _of_review(review):
    columns = {}
    for word in ("decisions", "players", "cards"):
        numbers = getattr(review, word).select_dtypes("number").astype(float)
        columns |= {f"{word}.{name}": numbers[name].to_numpy() for name in numbers}
    return review.decisions["verdict"].str[0].str.cat(), review.decisions["loss"].sum(), columns


def _matches():
    for name, players, options in (
        ("expert greedy", (Solved(8), Level("greedy")), {"games": 200}),
        ("club casual", (Level("club", seed=1), Level("casual", seed=2)), {"games": 40}),
        ("beginner random", (Level("beginner", seed=3), RandomPlayer(4)), {"games": 40}),
        ("strong expert", (Level("strong", seed=5), Level("expert", seed=6)), {"games": 4}),
    ):
        yield (
            f"match {name}",
            lambda players=players, options=options: _of_match(match(*players, seed=7, **options)),
        )


def _of_match(result):
    columns = {
        "skunks": result.skunks,
        "points": result.points,
        "deals": result.deals,
        "won halves": (result.winners == 0).mean(axis=1),
        "parts": [part[1:] for part in result.parts()],
    }
    won = "-".join(str((result.winners == player).sum()) for player in (0, 1))
    return won, result.points.sum(), columns


def _words(way):
    return " ".join(
        [*("-".join(map(str, way[name])) for name in way if name == "score"), way.get("stakes", "")]
    ).strip()


def main(*, every=1, write=False):
    """Write the file, or compare with it; status 1 if a figure moved."""
    rows = tqdm(answers(every), unit=" answers", disable=None)
    if write:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([HEADER, *rows])
        FILE.write_text(text.getvalue(), encoding="utf-8")
        return 0
    before, moved, rounded, others = frozen(), 0, 0, set()
    for row in rows:
        old = before[row[0]]
        others |= other_columns(row, old)
        if names := moved_columns(row, old):
            moved += 1
            print(f"{row[0]}: {', '.join(names)} moved: {old[1:]} is now {row[1:]}")
        elif not other_columns(row, old):
            rounded += row != old
    print(f"{moved} answers are others; {rounded} differ in their last bits alone")
    if others:
        print(f"columns of one side alone: {', '.join(sorted(others))}")
    return int(moved > 0)


if __name__ == "__main__":
    run(main)
