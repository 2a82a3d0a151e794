"use strict";
// Advice without a server. Hands are counted here; cribs and the play are looked up in tables.

const JACK = 10,
  STARTERS = 46,
  EQUAL = 1e-9,
  EXACT = 32;
const UNSURE = 7,
  MARGIN = 0.03; // where a player needs so few points, chances are given or taken so much
const SHOWN = 30,
  PEGS = 16,
  FIRSTS = 6; // numbers of points in the tables of a show, and of a play
const KEEPS = subsets(range(0, 6), 4),
  DISCARDS = KEEPS.map((keep) => range(0, 6).filter((at) => !keep.includes(at)));
const inOrder = (cards) =>
  cards.sort((one, other) => one.rank - other.rank || one.suit - other.suit);
const pairNumber = (low, high) => low * 13 - (low * (low - 1)) / 2 + high - low;
const choose = (n, k) => (k === 0 ? 1 : n < k ? 0 : (choose(n - 1, k - 1) * n) / k);
const CHOOSE = range(0, 20).map((n) => range(0, 7).map((k) => choose(n, k)));
function oneOf(value, known, what) {
  const found = known.find((name) => name === String(value).trim().toLowerCase());
  if (!found) throw new Wrong(`invalid ${what} ${quote(value)}: expected ${known.join(" or ")}`);
  return found;
}

function parseScore(text, role) {
  const [, own, star, theirs, other] =
    /^\s*(\d{1,3})(\*?)\s*[-–:\s]\s*(\d{1,3})(\*?)\s*$/.exec(text) || [];
  if (!own || Math.max(own, theirs) > 120)
    throw new Wrong(
      `invalid score ${quote(text)}: expected points from 0 to 120, yours first, as 95-110`,
    );
  if (role === "dealer" ? other : star)
    throw new Wrong(`${quote(text)}: the star is not at the dealer's points, and you are ${role}`);
  return [Number(own), Number(theirs)];
}

// ---- The count.

function countSuits(kept, starter, crib) {
  const suited = kept.every((card) => card.suit === kept[0].suit),
    all = suited && starter?.suit === kept[0].suit;
  return {
    flush: all ? 5 : suited && !crib ? 4 : 0,
    nobs: +kept.some((card) => card.rank === JACK && card.suit === starter?.suit),
  };
}

// The starter may be still to come.
const ranksOf = (cards) => cards.filter(Boolean).map((card) => card.rank);

function count(kept, starter, crib = false) {
  const { flush, nobs } = countSuits(kept, starter, crib);
  return countRanks(ranksOf([...kept, starter])) + flush + nobs;
}

const WORDS = (
  "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
  "seventeen eighteen nineteen twenty"
).split(" ");
const word = (number) => WORDS[number] || `twenty-${WORDS[number - 20]}`;

// The count as players call it out.
function spoken(kept, starter, crib = false) {
  const { fifteens, pairs, long, runs } = scored(ranksOf([...kept, starter]));
  const { flush, nobs } = countSuits(kept, starter, crib),
    named = { 1: "a pair", 3: "a pair royal", 6: "a double pair royal" };
  const called = [...range(0, fifteens).map(() => ["fifteen", 2])];
  if (runs < 2) called.push(...pairs.map((number) => [named[number], 2 * number])); // else all pairs are in the run
  if (runs) {
    const kind = ["", "", "double ", "triple ", "double double "][runs];
    called.push([`a ${kind}run of ${word(long)}`, long * runs + (runs < 2 ? 0 : 2 * sum(pairs))]);
  }
  if (flush) called.push(["a flush", flush]);
  if (nobs) called.push(["his nobs", 1]);
  let total = 0;
  const parts = called.map(
    ([name, points]) => `${name} ${name === "fifteen" ? "" : "is "}${word((total += points))}`,
  );
  if (parts.length > 1 && !parts.at(-1).startsWith("fifteen")) parts.push(`and ${parts.pop()}`);
  return parts.join(", ") || "no points";
}

// ---- Every deal by its ranks: 18,395 classes.

const places = new Int16Array(18564); // the class of six ascending ranks, by their colexicographic number
const colex = (six) =>
  six[0] +
  CHOOSE[six[1] + 1][2] +
  CHOOSE[six[2] + 2][3] +
  CHOOSE[six[3] + 3][4] +
  CHOOSE[six[4] + 4][5] +
  CHOOSE[six[5] + 5][6];
const pairOf = (ranks, keep) => pairNumber(ranks[DISCARDS[keep][0]], ranks[DISCARDS[keep][1]]);
// Of those that differ by what they hold up to a card the higher stand later.
const keepNumber = (a, b, c, d) =>
  1819 - CHOOSE[15 - a][4] - CHOOSE[14 - b][3] - CHOOSE[13 - c][2] - CHOOSE[12 - d][1];

// Of discards of the same ranks the first stands for all; those of a class follow each other.
const starts = new Int32Array(18395); // where those of a class start
let byPair, byKeep; // all of them, in the order of what is discarded, and of what is kept

function order(numbers) {
  const before = new Int32Array(1821),
    sorted = new Int32Array(numbers.length);
  for (const number of numbers) before[number + 1]++;
  for (let at = 1; at < before.length; at++) before[at] += before[at - 1];
  numbers.forEach((number, at) => (sorted[before[number]++] = at));
  return sorted;
}

function listClasses() {
  const pairs = [],
    keeps = [],
    seen = new Int32Array(91).fill(-1),
    six = [0, 0, 0, 0, 0, 0];
  const parted = KEEPS.map(([a, b, c, d], at) => [a, b, c, d, ...DISCARDS[at]]);
  let number = 0;
  const list = () => {
    places[colex(six)] = number;
    starts[number] = pairs.length;
    for (const at of parted) {
      const pair = pairNumber(six[at[4]], six[at[5]]);
      if (seen[pair] === number) continue;
      seen[pair] = number;
      pairs.push(pair);
      keeps.push(keepNumber(six[at[0]], six[at[1]], six[at[2]], six[at[3]]));
    }
    number++;
  };
  const fill = (at) => {
    // the highest first: never five of a rank
    for (six[at] = 0; six[at] <= (at < 5 ? six[at + 1] : 12); six[at]++) {
      if (at < 2 && six[at] === six[at + 4]) continue;
      if (at) fill(at - 1);
      else list();
    }
  };
  fill(5);
  [byPair, byKeep] = [order(pairs), order(keeps)];
}

// ---- The tables, as small_tables.py packs them.

let packed, directory, facts, verdictBands;
const read = new Map(); // arrays that were asked for

async function unpack(text) {
  const letters = atob(text),
    bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  packed = new Uint8Array(await new Response(stream).arrayBuffer());
  const end = packed.indexOf(10);
  facts = JSON.parse(new TextDecoder().decode(packed.subarray(0, end)));
  directory = new Map();
  let start = end + 1;
  for (const [name, shape, step] of facts.arrays) {
    const size = shape.reduce((all, one) => all * one, 1);
    directory.set(name, { start, size, step, wide: shape.at(-1) });
    start += 2 * size;
  }
  listClasses();
  for (const role of ["dealer", "pone"]) {
    for (const opponent of facts.opponents) tablesOf(opponent, role);
    table(`${role} first`);
  }
  table("win");
  packed = null; // all is read
}

// An array, ``wide`` for what has rows.
function table(name) {
  if (!read.has(name)) {
    const { start, size, step, wide } = directory.get(name),
      values = new Float32Array(size);
    for (let at = 0, whole = 0; at < size; at++) {
      const written = packed[start + at] + 256 * packed[start + size + at];
      whole += (written >> 1) ^ -(written & 1);
      values[at] = whole * step;
    }
    read.set(name, Object.assign(values, { wide }));
  }
  return read.get(name);
}

// What stands in a table by discards, those of a class after each other.
function byClass(name, sorted) {
  const key = `${name} by class`;
  if (!read.has(key)) {
    const values = table(name),
      spread = new Float32Array(values.length);
    sorted.forEach((to, at) => (spread[to] = values[at]));
    read.set(key, spread);
    read.delete(name);
  }
  return read.get(key);
}

// What is looked up for a role that faces an opponent.
function tablesOf(opponent, role) {
  const name = (part) => `${opponent} ${role} ${part}`,
    plain = [
      "flush",
      "nobs",
      "jacks",
      "ends",
      "cribs",
      "by_starter",
      "of_keep",
      "of_pair",
      "usual",
      "hands",
      "pegs",
      "spread",
      "with_hand",
    ];
  const found = Object.fromEntries(plain.map((part) => [part, table(name(part))]));
  return {
    ...found,
    crib: byClass(name("crib"), byPair),
    play: byClass(name("play"), byKeep),
    own: byClass(name("own"), byKeep),
  };
}

// ---- What discards are worth.

// What suits add to each of the 15: the points of hand and crib, on average over starters and cribs.
function ofSuits(ranks, suits, tables, jacksDiscarded) {
  const held = [0, 0, 0, 0],
    jacks = [1, 1, 1, 1];
  suits.forEach((suit, at) => {
    held[suit]++;
    if (ranks[at] === JACK) jacks[suit] = 0;
  });
  const unseen = sum(jacks),
    starters = (suit) => (13 - held[suit]) / STARTERS;
  const theirs =
    unseen &&
    (jacksDiscarded * sum(jacks.map((jack, suit) => jack * tables.nobs[held[suit]]))) / unseen;
  const nobs = (places) => {
    let all = 0;
    for (const at of places) if (ranks[at] === JACK) all += starters(suits[at]);
    return all;
  };
  return KEEPS.map((keep, which) => {
    const [a, b, c, d] = keep,
      [e, f] = DISCARDS[which],
      suit = suits[a];
    const flush =
      suit === suits[b] && suit === suits[c] && suit === suits[d] ? 4 + starters(suit) : 0;
    const discarded = suits[e] === suits[f] ? tables.flush[held[suits[e]]] : 0;
    return [nobs(keep) + flush, nobs(DISCARDS[which]) + discarded + theirs];
  });
}

// Ways to give six ascending ranks suits that are as likely: the first rank has the first suits, whatever they are called.
function suitings(ranks) {
  const first = ranks.lastIndexOf(ranks[0]) + 1;
  let every = [range(0, first)];
  for (let at = first; at < 6; at++)
    every = every.flatMap((suits) => {
      const above = ranks[at] === ranks[at - 1] ? suits[at - 1] + 1 : 0;
      return range(above, 4).map((suit) => [...suits, suit]);
    });
  return every;
}

function values(cards, role, opponent) {
  const ranks = cards.map((card) => card.rank),
    number = places[colex(ranks)],
    tables = tablesOf(opponent, role);
  const left = range(0, 13).map((rank) => 4 - ranks.filter((one) => one === rank).length);
  const suitless = cards[0].suit < 0,
    ways = suitless ? suitings(ranks) : [cards.map((card) => card.suit)];
  const added = KEEPS.map(() => [0, 0]);
  for (const suits of ways)
    ofSuits(ranks, suits, tables, tables.jacks[number]).forEach(([hand, crib], at) => {
      added[at][0] += hand / ways.length;
      added[at][1] += crib / ways.length;
    });
  const pairs = KEEPS.map((_, keep) => pairOf(ranks, keep)),
    distinct = [...new Set(pairs)];
  return KEEPS.map((keep, at) => {
    const kept = keep.map((place) => ranks[place]);
    const alike = suitless ? range(0, 15).filter((other) => pairs[other] === pairs[at]) : [at];
    const mean = (part) => sum(alike.map((other) => added[other][part])) / alike.length;
    const hand =
      sum(left.map((copies, rank) => copies && copies * countRanks([...kept, rank]))) / STARTERS +
      mean(0);
    const slot = starts[number] + distinct.indexOf(pairs[at]),
      crib = tables.crib[slot] + mean(1),
      play = tables.play[slot];
    const text = (places) => places.map((place) => cards[place].text).join(" ");
    return {
      discard: text(DISCARDS[at]),
      keep: text(keep),
      hand,
      crib,
      play,
      expected: hand + (role === "dealer" ? crib : -crib) + play,
      at,
      slot,
      number,
      pair: pairs[at],
      first: alike[0] === at,
    };
  }).filter((row) => row.first);
}

// ---- Chances to win far from the end, by an expansion simpler than that of wins/far.py.

function chances(cards, rows, role, opponent, [own, other]) {
  const {
    ends,
    cribs,
    by_starter: byStarter,
    of_keep: ofKeep,
    of_pair: ofPair,
    usual,
    hands,
    own: pegs,
  } = tablesOf(opponent, role);
  const dealer = role === "dealer",
    lengths = cribs.length / 91,
    wide = ends.wide,
    high = ends.length / wide;
  const starters = unseen(cards);
  return rows.map((row) => {
    const known = new Map(),
      cut = (rank) => byStarter[13 * row.pair + rank];
    // The chance by what both have, with the crib still to come; below 0 it goes on as it begins.
    const value = (i, j) => {
      if (i < 0) return 2 * value(0, j) - value(-i, j);
      if (j < 0) return 2 * value(i, 0) - value(i, -j);
      const key = 1000 * i + j;
      if (!known.has(key)) {
        let total = 0;
        for (let points = 0; points < lengths; points++) {
          const at = Math.min(i + (dealer ? points : 0), high - 1),
            to = Math.min(j + (dealer ? 0 : points), wide - 1);
          total += cribs[91 * points + row.pair] * ends[wide * at + to];
        }
        known.set(key, total);
      }
      return known.get(key);
    };
    const kept = KEEPS[row.at].map((place) => cards[place]),
      keep = keepNumber(...kept.map((card) => card.rank));
    const [ownVariance, otherVariance, both] = range(0, 3).map(
      (part) => ofKeep[1820 * part + keep] + ofPair[91 * part + row.pair],
    );
    const pegged = pegs[row.slot];
    const shift =
      row.crib -
      sum(starters.map((card) => cut(card.rank))) / STARTERS -
      sum(range(0, 13).map(cut)) / 13;
    const win =
      sum(
        starters.map((starter) => {
          const crib = cut(starter.rank) + shift + (starter.rank === JACK ? 2 : 0);
          let mine = pegged - usual[0] + (dealer ? crib : 0);
          let theirs =
            pegged -
            row.play +
            hands[starts.length * starter.rank + row.number] -
            usual[1] +
            (dealer ? 0 : crib);
          const i = own + count(kept, starter) + Math.round(mine),
            j = other + Math.round(theirs);
          [mine, theirs] = [mine - Math.round(mine), theirs - Math.round(theirs)];
          const by = (x, y) => value(i + x, j + y);
          return (
            by(0, 0) +
            (mine * (by(1, 0) - by(-1, 0))) / 2 +
            (theirs * (by(0, 1) - by(0, -1))) / 2 +
            ((by(2, 0) - 2 * by(0, 0) + by(-2, 0)) / 8) * (ownVariance + mine ** 2) +
            ((by(0, 2) - 2 * by(0, 0) + by(0, -2)) / 8) * (otherVariance + theirs ** 2) +
            ((by(1, 1) - by(-1, 1) - by(1, -1) + by(-1, -1)) / 4) * (both + mine * theirs)
          );
        }),
      ) / STARTERS;
    return Math.min(Math.max(win, 0), 1);
  });
}

const unseen = (cards) =>
  range(0, 52)
    .map((card) => ({ rank: card >> 2, suit: card & 3, text: RANKS[card >> 2] + SUITS[card & 3] }))
    .filter((card) => cards.every((one) => one.text !== card.text));

// ---- Chances to win near the end: what the play of the keep brings, then hands and crib in the order they are counted.

const meanOf = (chance) => sum(chance.map((one, points) => one * points));
const varianceOf = (chance) =>
  Math.max(sum(chance.map((one, points) => one * points ** 2)) - meanOf(chance) ** 2, 0.1);

// Points as likely as before, but for their mean.
function moved(chance, by) {
  const mean = meanOf(chance),
    variance = varianceOf(chance);
  const found = chance.map(
      (one, points) => one * Math.max(1 + (by / variance) * (points - mean), 0),
    ),
    all = sum(found);
  return found.map((one) => one / all);
}

// What both peg with a keep, `PEGS` rows of own points, with the means of a class.
function pegged(pegs, keep, means) {
  let both = range(0, PEGS * PEGS).map((cell) => pegs[1820 * cell + keep]);
  const all = sum(both),
    share = (who) =>
      range(0, PEGS).map((points) =>
        sum(
          range(0, PEGS).map((other) => both[who ? PEGS * other + points : PEGS * points + other]),
        ),
      );
  both = both.map((one) => one / all);
  for (const who of [0, 1]) {
    const shares = share(who),
      off = means[who] - meanOf(shares),
      step = Math.sign(off);
    const part = Math.min(Math.abs(off) / (1 - shares[step < 0 ? 0 : PEGS - 1]), 0.9),
      next = both.map((one) => one * (1 - part));
    both.forEach((one, cell) => {
      const at = [Math.floor(cell / PEGS), cell % PEGS];
      at[who] = Math.min(Math.max(at[who] + step, 0), PEGS - 1);
      next[PEGS * at[0] + at[1]] += one * part;
    });
    both = next;
  }
  return { both, own: share(0), other: share(1) };
}

function closeChances(cards, rows, role, opponent, [own, other]) {
  const {
      cribs,
      by_starter: byStarter,
      hands,
      own: owns,
      pegs,
      spread,
      with_hand: withHand,
    } = tablesOf(opponent, role),
    first = table(`${role} first`);
  const dealer = role === "dealer",
    win = table("win"),
    starters = unseen(cards),
    ranks = range(0, 13).filter((rank) => starters.some((card) => card.rank === rank));
  const after = (i, j) => (dealer ? 1 - win[121 * j + i] : win[121 * i + j]);
  const shows = ranks.map((rank) => {
    const usual = [...spread.subarray(SHOWN * rank, SHOWN * (rank + 1))],
      all = sum(usual),
      chance = usual.map((one) => one / all);
    return moved(chance, hands[starts.length * rank + rows[0].number] - meanOf(chance));
  });
  return rows.map((row) => {
    const kept = KEEPS[row.at].map((place) => cards[place]),
      keep = keepNumber(...kept.map((card) => card.rank)),
      cut = (rank) => byStarter[13 * row.pair + rank];
    const usual = range(0, SHOWN).map((points) => cribs[91 * points + row.pair]),
      shift = row.crib - sum(starters.map((card) => cut(card.rank))) / STARTERS - meanOf(usual);
    const play = pegged(pegs, keep, [owns[row.slot], owns[row.slot] - row.play]),
      [mine, theirs] = [play.own, play.other].map(meanOf);
    const tilts = [play.own, play.other].map(
      (chance, who) => withHand[2 * keep + who] / varianceOf(chance),
    );
    return (
      sum(
        ranks.map((rank, at) => {
          const cuts = starters.filter((card) => card.rank === rank),
            heels = rank === JACK ? 2 : 0,
            start = [own + (dealer ? heels : 0), other + (dealer ? 0 : heels)];
          const [needs, need] = start.map((points) => 121 - points);
          if (needs <= 0 || need <= 0) return needs <= 0 ? cuts.length : 0;
          // How likely own pegs go with the opponent's and the hand, nobody being out.
          const shown = shows[at],
            mean = meanOf(shown),
            wide = PEGS + SHOWN,
            made = new Float64Array(PEGS * wide),
            known = new Map();
          const spreads = varianceOf(shown),
            crib = moved(usual, cut(rank) + shift);
          let out = 0,
            both = 0,
            open = 0;
          play.both.forEach((chance, cell) => {
            const points = Math.floor(cell / PEGS),
              across = cell % PEGS;
            if (points >= needs) across >= need ? (both += chance) : (out += chance);
            else if (across < need) {
              const tilt = (tilts[0] * (points - mine) + tilts[1] * (across - theirs)) / spreads;
              shown.forEach(
                (one, more) =>
                  (made[wide * points + across + more] +=
                    chance * one * Math.max(1 + tilt * (more - mean), 0)),
              );
              open += chance;
            }
          });
          const sooner =
              needs <= FIRSTS && need <= FIRSTS
                ? first[1820 * (FIRSTS * (needs - 1) + need - 1) + keep]
                : 0.5,
            total = sum([...made]);
          const value = (i, j) => {
            if ((dealer && j >= 121) || i >= 121) return +(dealer ? j < 121 : true);
            if (j >= 121) return 0;
            const key = 121 * i + j;
            if (!known.has(key))
              known.set(
                key,
                sum(
                  crib.map((chance, points) => {
                    const [to, across] = [i + (dealer ? points : 0), j + (dealer ? 0 : points)];
                    return chance * (to >= 121 ? 1 : across >= 121 ? 0 : after(to, across));
                  }),
                ),
              );
            return known.get(key);
          };
          const ways = Object.values(
            Object.groupBy(
              cuts.map((card) => count(kept, card)),
              (points) => points,
            ),
          ).map((some) => [some[0], some.length]);
          let found = 0;
          made.forEach((chance, cell) => {
            if (chance)
              for (const [points, number] of ways)
                found +=
                  chance *
                  number *
                  value(start[0] + Math.floor(cell / wide) + points, start[1] + (cell % wide));
          });
          return (out + both * sooner) * cuts.length + (total && (found * open) / total);
        }),
      ) / STARTERS
    );
  });
}

const far = (score) => score.every((points) => points <= 121 - facts.far);

function advise(text, { role = "dealer", opponent = facts.opponents[0], score = null } = {}) {
  const cards = inOrder(parse(text, 6, true));
  role = oneOf(role, ["dealer", "pone"], "role");
  opponent = oneOf(opponent, facts.opponents, "opponent");
  const rows = values(cards, role, opponent),
    points = score === null ? null : parseScore(score, role);
  if (points) {
    // without suits as if no four were alike
    const suited = cards.map((card, at) =>
      card.suit < 0 ? { ...card, suit: at % 4, text: card.text + SUITS[at % 4] } : card,
    );
    (far(points) ? chances : closeChances)(suited, rows, role, opponent, points).forEach(
      (win, at) => (rows[at].win = win),
    );
  }
  const better = (one, other) => (other.win ?? 0) - (one.win ?? 0) || other.expected - one.expected;
  return rows.sort((one, other) => {
    const ahead = better(one, other);
    return Math.abs(ahead) <= EQUAL ? one.at - other.at : ahead;
  });
}

// ---- The answer, in the JSON of the API; what the tables do not say is left out.

const nearEnd = (score) => Math.max(...score) > 121 - EXACT;
const unsure = (score) => Math.max(...score) >= 121 - UNSURE;

// What is even at a score, and how likely the player wins before the deal.
function par([own, other], role) {
  const win = table("win"),
    chance = (mine) => (role === "dealer" ? win[121 * mine + other] : 1 - win[121 * other + mine]);
  const chances = range(0, 121).map(chance),
    off = chances.map((one) => Math.abs(one - 0.5));
  const even = chances[0] <= 0.5 && chances[120] >= 0.5 ? off.indexOf(Math.min(...off)) : null;
  return { even, ahead: even === null ? null : own - even, win: chance(own) };
}

// Ranks each row, and marks what equals another or nearly the best.
function rank(rows, near) {
  const { near_tie: nearly, close_wins: often } = verdictBands;
  const by = (row) => row.win ?? row.expected,
    best = by(rows[0]),
    least = best - (rows[0].win === undefined ? nearly : often);
  for (const row of rows) {
    row.rank = 1 + rows.filter((other) => by(other) > by(row) + EQUAL).length;
    const equal = rows.filter((other) => Math.abs(by(other) - by(row)) <= EQUAL).length > 1;
    row.mark = (equal ? "=" : "") + (row.rank > 1 && by(row) >= least ? "~" : "");
    row.verdict = judge(rows, row, near).verdict;
  }
}

// The verdict of a loss, as advice/verdicts.py has it.
function verdictOf(lost, unit) {
  if (lost <= EQUAL) return "best";
  const passed = verdictBands[unit].filter((least) => lost >= least - EQUAL).length;
  return ["close", "inaccuracy", "mistake", "blunder"][passed];
}

// What one of the rows loses: near the end in chances to win, else in points.
function judge(rows, own, near) {
  const unit = near ? "wins" : "points",
    worth = (row) => (near ? row.win : row.expected);
  const cost = Math.max(...rows.map(worth)) - worth(own);
  return { unit, cost, verdict: verdictOf(cost, unit) };
}

// What a discard of a recorded game costs against each opponent: in points, near the end of a game in chances to win,
// and nothing where these are too rough to grade by.
function grade(keep, discard, role, score = [0, 0]) {
  const none = { unit: "", cost: 0, weight: 0, best: "", verdict: "" };
  if (unsure(score)) return facts.opponents.map((opponent) => ({ opponent, ...none }));
  const key = (cards) => [...cards].sort().join(" "),
    near = nearEnd(score);
  return facts.opponents.map((opponent) => {
    const asked = { role, opponent, score: near ? score.join("-") : null },
      rows = advise([...keep, ...discard].join(" "), asked),
      own = rows.find((row) => key(row.discard.split(" ")) === key(discard)),
      judged = judge(rows, own, near),
      weight = judged.cost / verdictBands[judged.unit][0];
    return { opponent, ...judged, weight, best: rows[0].discard };
  });
}

// The fewest and the most points that the crib of two cards can have.
function cribRange(discarded, left) {
  let [least, most] = [Infinity, 0];
  for (const [at, one] of left.entries())
    for (const [after, other] of left.slice(at + 1).entries())
      for (const third of left.slice(at + after + 2)) {
        const three = [one, other, third],
          ranks = countRanks([...discarded, ...three].map((card) => card.rank));
        if (ranks > least && ranks + 6 < most) continue; // no flush and no nobs make up for it
        for (const starter of three) {
          const four = [...discarded, ...three.filter((card) => card !== starter)],
            { flush, nobs } = countSuits(four, starter, true);
          least = Math.min(least, ranks + flush + nobs);
          most = Math.max(most, ranks + flush + nobs);
        }
      }
  return { crib_min: least, crib_max: most };
}

// What each starter makes of a discard.
function startersOf(cards, row, role, tables) {
  const kept = KEEPS[row.at].map((place) => cards[place]),
    left = unseen(cards),
    cut = (card) => tables.by_starter[13 * row.pair + card.rank],
    mean = sum(left.map(cut)) / STARTERS;
  return left.map((card) => {
    const hand = count(kept, card),
      crib_mean = row.crib + cut(card) - mean,
      expected = hand + (role === "dealer" ? crib_mean : -crib_mean) + row.play;
    return { starter: card.text, hand, crib_mean, expected, gain: expected - row.expected };
  });
}

// What is better against people than what is best against an expert.
function people(cards, best, role, score) {
  const near = score && nearEnd(score),
    rows = advise(cards, { role, opponent: "people", score: near ? score.join("-") : null }),
    own = rows.find((row) => row.at === best.at),
    gain = near ? rows[0].win - own.win : rows[0].expected - own.expected;
  if (gain < (near ? verdictBands.more_wins : verdictBands.more_points)) return null;
  const told = ({ discard, expected, win }) => ({ discard: discard.split(" "), expected, win });
  return { best: told(rows[0]), instead_of: told(own) };
}

function explain(cards, rows, role, starters) {
  const best = rows[0],
    kept = KEEPS[best.at].map((place) => cards[place]);
  const hand = {};
  for (const row of starters[0]) hand[row.hand] = (hand[row.hand] ?? 0) + 1 / STARTERS;
  const show = (row) => row.expected - row.play,
    first = rows.reduce((most, row) => (show(row) > show(most) + EQUAL ? row : most)),
    ahead = show(first) - show(best);
  return {
    locked_in: { points: count(kept), spoken: spoken(kept) },
    play: { at_the_show: ahead > EQUAL ? { discard: first.discard, ahead } : null },
    starters: starters[0],
    distribution: { hand },
  };
}

function adviceOf(text, role, opponent, score, mine) {
  const rows = advise(text, { role, opponent, score }),
    cards = inOrder(parse(text, 6, true)),
    points = score ? parseScore(score, role) : undefined,
    suited = cards[0].suit >= 0,
    tables = tablesOf(opponent, role),
    dealt = cards.map((card) => card.text);
  const own = mine && parse(mine, 2, !suited).map((card) => card.text);
  if (
    own &&
    !rows.some((row) => row.discard === own.join(" ") || row.discard === own.toReversed().join(" "))
  )
    throw new Wrong(`${quote(mine)} are not two of ${dealt.join(" ")}`);
  rank(rows, points && nearEnd(points));
  const starters = suited ? rows.map((row) => startersOf(cards, row, role, tables)) : [];
  const ofSuits = (row, number) => {
    if (!suited) return {};
    const made = starters[number].map((starter) => starter.hand);
    return {
      hand_min: Math.min(...made),
      hand_max: Math.max(...made),
      ...cribRange(
        DISCARDS[row.at].map((place) => cards[place]),
        unseen(cards),
      ),
      starters_behind: starters[number].filter(
        ({ expected }, at) => expected < starters[0][at].expected - EQUAL,
      ).length,
    };
  };
  const discards = rows.map((row, number) => ({
    rank: row.rank,
    discard: row.discard.split(" "),
    keep: row.keep.split(" "),
    hand_mean: row.hand,
    crib_mean: row.crib,
    play_own: tables.own[row.slot],
    play_opponent: tables.own[row.slot] - row.play,
    play_mean: row.play,
    expected: row.expected,
    ...(row.win === undefined ? {} : { win: row.win }),
    ...ofSuits(row, number),
    verdict: row.verdict,
    mark: row.mark,
  }));
  const byPoints = rows.reduce((most, row) => (row.expected > most.expected + EQUAL ? row : most)),
    fewer = byPoints.expected - rows[0].expected;
  const atScore = points && {
    score: points,
    par: par(points, role),
    at_the_score: {
      by_points: byPoints.discard,
      points: fewer,
      wins: rows[0].win - byPoints.win,
      changes: fewer > EQUAL,
    },
    ...(nearEnd(points)
      ? { error: unsure(points) ? MARGIN : 121 - Math.max(...points) < facts.far ? 0.01 : 0.005 }
      : {}),
  };
  return {
    position: `${role}:${dealt.join("")}${points ? `@${points.join("-")}` : ""}`,
    [suited ? "deal" : "ranks"]: dealt,
    role,
    opponent,
    ...atScore,
    discards,
    people:
      opponent === "expert" && !(points && unsure(points))
        ? people(text, rows[0], role, points)
        : null,
    explanation: suited ? explain(cards, rows, role, starters) : null,
  };
}

function answer({ position, cards, role = "dealer", score, mine, opponent = facts.opponents[0] }) {
  if (isHand(cards)) {
    const five = parse(cards, 5),
      [hand, starter] = [five.slice(0, 4), five[4]];
    const show = (crib) => ({
      hand: hand.map((card) => card.text),
      starter: starter.text,
      points: count(hand, starter, crib),
      spoken: spoken(hand, starter, crib),
    });
    return { hand: show(false), crib: show(true) };
  }
  if (position === undefined) return adviceOf(cards, role, opponent, score, mine);
  const [, who, six] = /^\s*(\w+)\s*:([^:/?]+)$/.exec(position) || [];
  if (!six)
    throw new Wrong(`${quote(position)}: expected a role and six cards, as dealer:5H5DJSQC2H8D`);
  return adviceOf(six, who, opponent, score, mine);
}

// ---- Ten hands in a row. Two cards are chosen before anything is told, and an address has it all:
// who has the same `ten` is dealt the same hands.

const TEN = 10;

function dealtIn(ten, at) {
  let state = [...`${ten}/${at}`].reduce(
    (hash, sign) => Math.imul(hash ^ sign.codePointAt(0), 16777619),
    0x811c9dc5,
  );
  const draw = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const deck = unseen([]),
    cards = range(0, 6).map(() => deck.splice(draw() % deck.length, 1)[0]);
  return { role: at % 2 ? "pone" : "dealer", cards: inOrder(cards).map((card) => card.text) };
}

function inARow(given) {
  const { ten, opponent: named = facts.opponents[0], show } = given,
    opponent = oneOf(named, facts.opponents, "opponent");
  if (!/^[A-Za-z0-9-]{1,40}$/.test(ten))
    throw new Wrong(`ten=${quote(ten)}: expected up to 40 letters, digits and dashes`);
  const discards = (given.discards || "").split(".").filter(Boolean),
    at = discards.length - 1;
  if (discards.length > TEN)
    throw new Wrong(`discards=${quote(given.discards)}: expected at most ${TEN}`);
  const address = (discards, more = {}) =>
    `#${new URLSearchParams({
      ten,
      opponent,
      ...(discards.length ? { discards: discards.join(".") } : {}),
      ...more,
    })}`;
  const graded = discards.map((text, number) => {
    const { cards, role } = dealtIn(ten, number),
      discarded = parse(text, 2).map((card) => card.text);
    if (!discarded.every((card) => cards.includes(card)))
      throw new Wrong(`${quote(text)} are not two of ${cards.join(" ")}`);
    return grade(
      cards.filter((card) => !discarded.includes(card)),
      discarded,
      role,
    ).find((one) => one.opponent === opponent);
  });
  const lost = points(sum(graded.map((one) => one.cost))),
    colours = { best: "🟩", close: "🟩", inaccuracy: "🟨", mistake: "🟧", blunder: "🟥" },
    squares = markup`<span class="squares">${graded.map(
      ({ verdict }) => markup`<i class="${verdict}" role="img" aria-label="${verdict}"></i>`,
    )}</span>`;
  const told = (title, announce, html) => ({
    title,
    html: markup`<section class="felt table ten drill" data-announce="${announce}">${html}</section>`,
  });
  if (show && graded.length) {
    const { cards, role } = dealtIn(ten, at),
      question = { position: `${role}:${cards.join("")}`, mine: discards[at], opponent },
      title = `Hand ${at + 1} of ${TEN}`,
      cost = graded[at].cost > 0.005 ? `cost ${points(graded[at].cost)}` : "was best";
    const { html } = told(
      title,
      `${title} ${cost}`,
      markup`<h2 class="told">${title} ${cost}, ${lost} in all</h2>${squares}
      <p><a class="go" href="${address(discards)}">${graded.length === TEN ? "The score" : "Next hand"}</a></p>`,
    );
    return { title, html: markup`${html}${drawn(answer(question), question).html}` };
  }
  if (graded.length === TEN) {
    const link =
        location.protocol === "file:"
          ? ""
          : `\n${location.origin}${location.pathname}${address([])}`,
      text = `${TEN} hands of cribbage, ${lost} points lost\n${graded.map((one) => colours[one.verdict]).join("")}${link}`,
      others = `#${new URLSearchParams({ ten: anySeed(), opponent })}`;
    return told(
      `${TEN} hands`,
      `${lost} points lost in ${TEN} hands`,
      markup`<h2 class="told">${TEN} hands, ${lost} points lost</h2>${squares}
      <p>Against ${opponent === "expert" ? "an expert" : opponent}. Whoever opens <a href="${address([])}">these ten</a> is dealt the same.</p>
      <p class="row"><button type="button" class="plain" data-text="${text}" hidden>Copy</button><a class="go" href="${others}">Ten others</a></p>`,
    );
  }
  const { cards, role } = dealtIn(ten, graded.length),
    whose = role === "dealer" ? "The crib is yours" : "The crib is your opponent’s",
    title = `Hand ${graded.length + 1} of ${TEN}`;
  const six = cards.map(
    (card) =>
      markup`<button type="button" class="plays" data-discard="${card}" aria-pressed="false" aria-label="${aloud(card)}">${drawCard(card)}</button>`,
  );
  return told(
    title,
    `${whose}: ${allAloud(cards)}`,
    markup`<h2 class="told" data-next="${address([...discards, "*"], { show: 1 })}">${title}. ${whose}: which two do you discard?</h2>
    <div class="six">${six}</div>${graded.length > 0 && squares}`,
  );
}

const anySeed = () => Math.random().toString(36).slice(2, 8);

// The date here, which is the seed of today's ten.
function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}

function throwCard(event) {
  const card = event.target.closest("[data-discard]");
  if (!card) return;
  card.setAttribute("aria-pressed", card.getAttribute("aria-pressed") !== "true");
  const hand = card.closest(".ten"),
    discarded = [...hand.querySelectorAll("[aria-pressed=true]")].map((one) => one.dataset.discard);
  if (discarded.length === 2)
    location.hash = hand.querySelector("[data-next]").dataset.next.replace("*", discarded.join(""));
}

let ready;

const deal = (ten) =>
  (location.hash = new URLSearchParams({
    ten,
    opponent: document.getElementById("ask").elements.opponent?.value || facts.opponents[0],
  }));

// What Ask asks here where it would ask a server.
window.pocket = {
  place: "#",
  asks: (question) => question.ten,
  deal: () => deal(anySeed()),
  ask: async (question) => {
    await ready;
    return question.ten ? inARow(question) : answer(question);
  },
};

function begin() {
  verdictBands = JSON.parse(document.getElementById("bands").textContent);
  ready = unpack(document.getElementById("tables").textContent);
  // Until the tables are unpacked an answer is a promise.
  const later =
    (work) =>
    (...question) =>
      ready.then(() => work(...question));
  window.cribev = { advise: later(advise), score, grade: later(grade) };
  ready.then(() => (window.cribev.advise = advise));
  document.getElementById("answer").addEventListener("click", throwCard);
  document.getElementById("today").addEventListener("click", (event) => {
    event.preventDefault();
    deal(today());
  });
  const turn = () => {
    // to the recorder, or back to Ask
    const board = location.hash === "#board";
    document.getElementById("recorder").hidden = !board;
    document.getElementById("asking").hidden = board;
    for (const link of document.querySelectorAll(".top nav a"))
      (link.getAttribute("href") === "#board") === board
        ? link.setAttribute("aria-current", "page")
        : link.removeAttribute("aria-current");
    if (board) document.title = "A game at a real board · cribev";
  };
  addEventListener("popstate", turn);
  turn();
  if (document.querySelector("link[rel=manifest]")) navigator.serviceWorker?.register("worker.js");
}

function score(text, { crib = false } = {}) {
  const cards = parse(text, 5);
  return count(cards.slice(0, 4), cards[4], crib);
}

begin();
