"""People as opponents: how well their habits explain published figures, and what replying brings.

    python -m benchmarks.people [DEALS]

Published averages are of human online play. The temperature of cards, danger, height and ace were
fitted to every other of the 32 keeps, and to how often an ace is led; the rest is held out. How
much sooner pairs are led, and how much of a flush is seen, were fitted to two more figures. How
much the opponent's crib is feared, and how much of the play counts in a discard, were fitted to the
average cribs of dealers by pair; every third pair is held out.

Then DEALS, 50,000, are played out by the rules for each role and opponent, card by card: by the
best reply to people, in discard and play, and as an expert discards and plays. The race to 121 from
0-0 is solved from these deals, and each of twenty blocks of them gives the error.

    python -m benchmarks.people --games [GAMES]

plays whole games out against people from three scores, 20,000 each, beside the chances that the
shipped win table tells; and solves the race of two people.

    python -m benchmarks.people --near [PLAYOUTS]

plays the best discard of forty deals out against people, each 250,000 times from a score near the
end, and tells how far `advise` is from that.
"""

import csv
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.arguments import run
from benchmarks.win_playouts import dealt, endings, in_order, situations
from cribev import advise
from cribev.advice.names import as_opponent
from cribev.classes.canonical import (
    CLASSES,
    deals_of_classes,
    discard_rank_pairs,
    rank_pair_numbers,
)
from cribev.classes.class_tables import ClassTables, best_response, suit_averaged_values
from cribev.game.cards import RANKS, as_cards
from cribev.game.deal import Position
from cribev.game.roles import ROLES, opposite_role
from cribev.game.score import WINNING_SCORE
from cribev.opponents.people import HabitsDiscards
from cribev.solution.solution import load, shipped_keep_frequencies, shipped_strategy
from cribev.solution.strategy import GameSize, rank_keep_numbers
from cribev.values.holdings import believe, kept_by_chance, reply_chances
from cribev.values.keeps import KeepDistributions
from cribev.values.pegging import PlayTree
from cribev.values.replies import BestReply
from solver.games import OutcomeCounts, count_outcomes, solve_against
from solver.people import deals_against
from solver.playouts import ByWay, by_chance, by_role, deal_and_show, play_out, show_events

DEALS, GAMES, BLOCKS, SEED = 50_000, 20_000, 20, 47
NEAR, PLAYOUTS = 40, 250_000
DATA = Path(__file__).parents[1] / "tests" / "data"
NAMES = ("pone_own", "pone_opp", "dealer_own", "dealer_opp")
OPPONENTS = ("people", "club", "casual", "greedy", "expert")
_CHUNK = 16


def rows(name):
    """Read a table of published figures."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def kept(player):
    """Return what a player keeps, by role."""
    if player == "expert":
        return {role: shipped_keep_frequencies(role) for role in ROLES}
    return {role: as_opponent(player).discards.keeps(opposite_role(role)) for role in ROLES}


def pegged(player):
    """Return what such players peg with the published keeps, ``(32, 4)``."""
    strategy, frequencies = as_opponent(player).play.strategy(), kept(player)
    table = []
    for row in rows("pegging_by_keep.csv"):
        line = []
        for role in ROLES[::-1]:
            held = Position.read(" ".join(row["keep"]), role="pone").held
            position = Position(role, held)
            belief = believe(position, frequencies[opposite_role(role)], strategy, fallible=False)
            cards = position.left_ranks, belief
            line += [*PlayTree([], role, *cards, opponent=strategy, own=strategy).value[:2]]
        table.append(line)
    return np.array(table)


def tell_pegging(player):
    """Say how far what such players peg is from what people peg."""
    people = np.array([[float(row[name]) for name in NAMES] for row in rows("pegging_by_keep.csv")])
    model = pegged(player)
    off, rms = model - people, lambda differences: np.sqrt((differences**2).mean())
    r = [np.corrcoef(model[:, column], people[:, column])[0, 1] for column in range(4)]
    return (
        f"{player:8} rms {rms(off):.3f} (fitted {rms(off[::2]):.3f}, held out {rms(off[1::2]):.3f})"
        f"  bias {' '.join(f'{bias:+.2f}' for bias in off.mean(axis=0))}"
        f"  r {' '.join(f'{coefficient:.2f}' for coefficient in r)}"
    )


def led(player):
    """Return how often an ace is led from A-4-X-X, and how often a led 4 and ace are paired."""
    strategy, frequencies = as_opponent(player).play.strategy(), kept(player)
    hands = GameSize().holdings(4)
    share = np.bincount(
        rank_keep_numbers().ravel(),
        (deals_of_classes()[:, None] * frequencies["pone"].share).ravel(),
        len(hands),
    )
    tens = (hands >= 9).sum(axis=1)
    such = ((hands == 0).any(axis=1)) & ((hands == 3).any(axis=1)) & (tens == 2)
    ace = [strategy.choices(strategy.root, hand)[0] for hand in hands[such]]
    paired = []
    for rank in (3, 0):
        position = Position.read("A 4 J Q", role="pone")
        belief = believe(position, frequencies["dealer"], strategy, fallible=False)
        paired.append(reply_chances([rank], belief, strategy)[rank])
    return float(np.average(ace, weights=share[such])), *map(float, paired)


def led_from_pairs(player):
    """Return how often a led rank is from a pair, if the dealer has another: percent, ``(13,)``."""
    strategy, hands = as_opponent(player).play.strategy(), GameSize().holdings(4)
    kept_by = (deals_of_classes()[:, None] * kept(player)["pone"].share).ravel()
    keeps = np.bincount(rank_keep_numbers().ravel(), kept_by, len(hands))
    leads = keeps[:, None] * [strategy.choices(strategy.root, hand) for hand in hands]
    held = (hands[:, :, None] == np.arange(13)).sum(axis=1)
    leads *= 4 - held
    return 100 * (leads * (held > 1)).sum(axis=0) / leads.sum(axis=0)


def flushes_kept(player, role):
    """Return how often a player keeps four cards of a suit, in percent."""
    flush = kept(player)[role].flush.sum(axis=1)
    return 100 * (deals_of_classes() @ flush) / deals_of_classes().sum()


def cribs_by_pair(player):
    """Return the average cribs of dealers among such players, by pair discarded, ``(91,)``."""
    tables = ClassTables(as_opponent(player).crib_averages("dealer"), "dealer")
    crib = np.nan_to_num(suit_averaged_values(tables, np.arange(CLASSES)).crib)
    share = kept(player)["dealer"].share * deals_of_classes()[:, None]
    pairs = discard_rank_pairs().ravel()
    return np.bincount(pairs, (share * crib).ravel()) / np.bincount(pairs, share.ravel())


def tell_cribs(player):
    """Say how far the average cribs of dealers are from those of people."""
    published = rows("cribs_by_pair.csv")
    ranks = [tuple(RANKS.index(row[name]) for name in ("rank1", "rank2")) for row in published]
    model = cribs_by_pair(player)[rank_pair_numbers()[tuple(np.transpose(ranks))]]
    off = model - [float(row["crib"]) for row in published]
    held_out = np.arange(len(off)) % 3 == 2
    rms = [np.sqrt((differences**2).mean()) for differences in (off, off[~held_out], off[held_out])]
    return (
        f"{player:8} rms {rms[0]:.3f} (fitted {rms[1]:.3f}, held out {rms[2]:.3f})"
        f"  bias {off.mean():+.2f}"
    )


def holds(player, role):
    """Return how often a player keeps at least one card of each rank, in percent, ``(13,)``."""
    share = kept(player)[role].share * deals_of_classes()[:, None]
    keeps = np.bincount(rank_keep_numbers().ravel(), share.ravel(), 1820)
    hands = GameSize().holdings(4)
    has = (hands[:, :, None] == np.arange(13)).any(axis=1)
    return 100 * (keeps @ has) / keeps.sum()


def discards(player, role):
    """Return how often a player discards each pair of ranks, in percent, ``(91,)``."""
    share = kept(player)[role].share * deals_of_classes()[:, None]
    pairs = np.bincount(discard_rank_pairs().ravel(), share.ravel(), 91)
    return 100 * pairs / pairs.sum()


def tell_kept(player):
    """Say how far keeps and discards are from published figures: RMS, in percent."""
    published = rows("keep_card_frequency.csv")
    texts = []
    for role in ROLES:
        figures = [
            (RANKS.index("T" if row["rank"] == "10" else row["rank"]), float(text))
            for row in published
            for who, text in row.items()
            if who and who.startswith(role) and text
        ]
        ranks, percent = (np.array(column) for column in zip(*figures, strict=True))
        off = holds(player, role)[ranks] - percent
        discarded = discards(player, role)
        pairs = [
            discarded[rank_pair_numbers()[RANKS.index(row["rank1"]), RANKS.index(row["rank2"])]]
            - float(row[f"{role}_pct"])
            for row in rows("discard_frequency.csv")
        ]
        rms = [np.sqrt(np.mean(np.square(differences))) for differences in (off, pairs)]
        texts.append(f"as {role} holds a rank {rms[0]:.2f}, discards a pair {rms[1]:.2f}")
    return f"{player:8} " + "; ".join(texts)


@cache
def reply_to_people(role):
    """Return the best reply of every keep of a role to people, as one strategy."""
    person, other = as_opponent("people"), opposite_role(role)
    frequencies = {role: shipped_keep_frequencies(role), other: kept("people")[other]}
    faced = KeepDistributions(frequencies).beliefs.conditional[role]
    hands, strategy = GameSize().holdings(4), person.play.strategy()
    replies = [
        BestReply(hands[start : start + _CHUNK], role, faced[start : start + _CHUNK], strategy)
        for start in range(0, len(hands), _CHUNK)
    ]
    whole = replies[0]
    keys = np.concatenate([reply._keys for reply in replies])
    order = np.argsort(keys)
    whole._keys = keys[order]
    whole._ranks = np.concatenate([reply._ranks.astype(np.int8) for reply in replies])[order]
    return whole


def own_ways(role, *, replies):
    """Return how the player discards and plays: as the best reply to people, or as an expert."""
    if not replies:
        return load(play=True).policies()[role], shipped_strategy()
    cribs = as_opponent("people").crib_averages(role)
    return best_response(cribs, role=role), reply_to_people(role)


def play_deals(role, opponent, *, replies, deals=DEALS):
    """Play deals out; return what each event brings in turn, the player's positive, ``(n, 20)``."""
    other, (policy, own) = opposite_role(role), own_ways(role, replies=replies)
    across = as_opponent(opponent)
    theirs = across.play.strategy()
    keeps = (
        load(play=True).policies()[other]
        if opponent == "expert"
        else HabitsDiscards(across.discards.habits, other)
    )
    shown = deal_and_show({role: policy, other: keeps}, deals, seed=SEED)
    if replies and opponent == "expert":
        theirs = ByWay(theirs)
    generator = np.random.default_rng(SEED)
    theirs, yours = by_chance(theirs, generator), by_chance(own, generator)
    pick = by_role(yours, theirs) if role == "dealer" else by_role(theirs, yours)
    events = play_out(own, shown.pone, shown.dealer, pick).events.astype(np.int64)
    points = np.column_stack([shown.heels.astype(np.int64), events, *show_events(shown)])
    return points if role == "dealer" else -points


def games_won(by_role):
    """Tell how often the player wins, from deals of both roles, and the standard error."""
    table = solve_against({role: blocks_of(deals) for role, deals in by_role.items()})
    share = np.mean([table.outcomes_as(role).win[0, 0] for role in ROLES])
    return 100 * share, 100 * table.standard_error[0, 0]


def games_played_out(deals, role, score, games):
    """Return the share of games won from a score, deals drawn by role, and its standard error."""
    generator, won = np.random.default_rng(SEED), 0
    own, other = (np.full(games, points) for points in score)
    while len(own):
        drawn = deals[role][generator.integers(len(deals[role]), size=len(own))]
        own, other = in_order(drawn.astype(int), dealer=own, pone=other)
        won += (own >= WINNING_SCORE).sum()
        left = np.maximum(own, other) < WINNING_SCORE
        own, other, role = own[left], other[left], opposite_role(role)
    share = won / games
    return share, np.sqrt(share * (1 - share) / games)


def tell_games(games):
    """Print chances to win against people, told and played out, and who wins of two people."""
    people = as_opponent("people")
    deals = {role: deals_against(people.discards, role, 4 * games, seed=SEED) for role in ROLES}
    table = people.play.game().win_table
    print(f"games won against people, told and of {games:,} played out")
    for score in ((0, 0), (60, 60), (100, 105)):
        for role in ROLES:
            share, error = games_played_out(deals, role, score, games)
            told = table.outcomes_as(role).win[score]
            print(
                f"{score[0]}-{score[1]} as {role:6} {told:.3f}   {share:.3f} ± {error:.3f}"
                f"   {(share - told) / error:+.1f} errors"
            )
    first, error = two_people(10 * games)
    print(f"the first dealer of two people wins {first:.1%} ± {error:.2%} (published: 55.5%)")


def near_the_end(situation, option, playouts, generator):
    """Return the share won with a discard near the end, replying to people, and its error."""
    people, role = as_opponent("people"), situation.role
    other, strategy = opposite_role(role), people.play.strategy()
    keeps = {other: HabitsDiscards(people.discards.habits, other)}
    shown = dealt(situation, option.discard, option.keep, keeps, playouts, generator)
    dead = np.bincount(as_cards(situation.deal) >> 2, minlength=len(RANKS))
    chance = kept_by_chance(dead, people.discards.keeps(role))
    reply = BestReply(np.sort(as_cards(option.keep) >> 2)[None], role, chance, strategy)
    theirs, yours = by_chance(ByWay(strategy), generator), by_chance(reply, generator)
    pick = by_role(yours, theirs) if role == "dealer" else by_role(theirs, yours)
    play = play_out(reply, shown.keeps["pone"], shown.keeps["dealer"], pick).events
    win = endings(situation, shown, play.astype(int), people.play.game().win_table).win
    return win.mean(), win.std() / playouts**0.5


def tell_near(playouts):
    """Print how far chances near the end are from what playouts of the same deals come to."""
    generator, off = np.random.default_rng([SEED, 1]), []
    print(f"chances against people near the end, told and of {playouts:,} played out")
    for situation in situations(NEAR):
        best = advise(
            situation.deal, role=situation.role, score=situation.score, opponent="people"
        ).best
        share, error = near_the_end(situation, best, playouts, generator)
        off.append((best.win - share, error))
        score = "-".join(map(str, situation.score))
        print(
            f"{situation.deal} {score:7} as {situation.role:6} {best.discard} {best.win:.4f}"
            f"   {share:.4f} ± {error:.4f}",
            flush=True,
        )
    apart, errors = np.array(off).T
    rms, by_chance_alone = (np.sqrt((values**2).mean()) for values in (apart, errors))
    print(f"rms {rms:.4f}, of which by chance {by_chance_alone:.4f}")
    print(f"mean {apart.mean():+.4f}, most {np.abs(apart).max():.4f}")


def two_people(deals):
    """Return how often the first dealer of two people wins, and the standard error."""
    people = as_opponent("people")
    keeps = {role: HabitsDiscards(people.discards.habits, role) for role in ROLES}
    shown = deal_and_show(keeps, deals, seed=SEED)
    strategy = people.play.strategy()
    pick = by_chance(strategy, np.random.default_rng(SEED))
    events = play_out(strategy, shown.pone, shown.dealer, pick).events
    points = np.column_stack([shown.heels.astype(np.int8), events, *show_events(shown)])
    table = solve_against({"dealer": blocks_of(points), "pone": blocks_of(-points)})
    win = table.outcomes_as("dealer").win
    assert np.diff(win, axis=0).min() > -1e-9
    assert np.diff(win, axis=1).max() < 1e-9
    return win[0, 0], table.standard_error[0, 0]


def blocks_of(events):
    """Count what blocks of deals decide."""
    counts = map(count_outcomes, np.array_split(events, BLOCKS))
    return OutcomeCounts(*map(np.stack, zip(*counts, strict=True)))


def main(number=0, *, games=False, near=False):
    """Print the figures, and what the best reply to people brings against each opponent."""
    if games:
        tell_games(number or GAMES)
        return
    if near:
        tell_near(number or PLAYOUTS)
        return
    deals = number or DEALS
    print("what people peg by keep, 32 keeps: pone's own, dealer's; dealer's own, pone's")
    for player in ("people", "expert"):
        print(tell_pegging(player), flush=True)
    print("from A-4-X-X leads the ace (people 7%); a led 4 is paired (19.9%), an ace (12.8%)")
    for player in ("people", "expert"):
        print(f"{player:8} " + ", ".join(f"{often:.1%}" for often in led(player)), flush=True)
    published = [float(row["from_pair_pct"]) for row in rows("leads_from_pairs.csv")]
    print("leads from pairs, off published figures by rank, percent; flushes kept (3.0%, 3.3%)")
    for player in ("people", "expert"):
        off = np.sqrt(np.mean((led_from_pairs(player) - published) ** 2))
        flushes = ", ".join(f"{role} {flushes_kept(player, role):.1f}%" for role in ROLES)
        print(f"{player:8} rms {off:.1f}; {flushes}", flush=True)
    print("average cribs of dealers, 91 pairs")
    for player in ("people", "expert"):
        print(tell_cribs(player), flush=True)
    print("keeps and discards, off published figures, in percent of deals (those are experts')")
    for player in ("people", "expert"):
        print(tell_kept(player), flush=True)
    print(f"the best reply to people, less an expert, {deals:,} deals each; games of a hundred")
    print("opponent      as dealer         as pone    games won: replying, as an expert")
    for opponent in OPPONENTS:
        played = {}
        for replies in (True, False):
            played[replies] = {
                role: play_deals(role, opponent, replies=replies, deals=deals) for role in ROLES
            }
        texts = []
        for role in ROLES:
            both = [played[replies][role].sum(axis=1) for replies in (True, False)]
            gains = both[0] - both[1]  # of the same cards
            texts.append(f"{gains.mean():+.3f} ± {gains.std() / deals**0.5:.3f}")
        won = [games_won(played[replies]) for replies in (True, False)]
        told = ", ".join(f"{share:.1f} ± {error:.1f}" for share, error in won)
        print(f"{opponent:8} {texts[0]:>16} {texts[1]:>16}   {told}", flush=True)


if __name__ == "__main__":
    run(main)
