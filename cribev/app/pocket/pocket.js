"use strict";
// Advice without a server. Hands are counted here; cribs and the play are looked up in tables.

// Cards, as everywhere: 4 * rank + suit. A card without a suit has the suit -1.
const RANKS = "A23456789TJQK",
  SUITS = "CDHS",
  JACK = 10,
  STARTERS = 46,
  EQUAL = 1e-9,
  NEAR = 0.05,
  CLOSE = 0.002,
  EXACT = 32;
const UNSURE = 7,
  MARGIN = 0.03; // where a player needs so few points, chances are given or taken so much
const SHOWN = 30,
  PEGS = 16,
  FIRSTS = 6; // numbers of points in the tables of a show, and of a play
const KEEPS = subsets(range(0, 6), 4),
  DISCARDS = KEEPS.map((keep) => range(0, 6).filter((at) => !keep.includes(at)));
const pairNumber = (low, high) => low * 13 - (low * (low - 1)) / 2 + high - low;
const choose = (n, k) => (k === 0 ? 1 : n < k ? 0 : (choose(n - 1, k - 1) * n) / k);
const CHOOSE = range(0, 20).map((n) => range(0, 7).map((k) => choose(n, k)));
const quote = (text) =>
  `'${String(text).slice(0, 60).replace(/\s+/g, " ")}${String(text).length > 60 ? "…" : ""}'`;

class Wrong extends Error {}

// ---- What people write.

const SUIT_OF = {
  C: 0,
  "♣": 0,
  "♧": 0,
  D: 1,
  "♦": 1,
  "♢": 1,
  H: 2,
  "♥": 2,
  "♡": 2,
  S: 3,
  "♠": 3,
  "♤": 3,
};
const RANK = "10|[A1-9TJQK]",
  SUIT = `[${Object.keys(SUIT_OF).join("")}]`,
  BETWEEN = "[\\s,;+\\u2010-\\u2015\\u2212\\ufeff-]";
const SUITED = `(?:(${RANK})(?:(${SUIT})|[\\s-]+(${SUIT})(?!${RANK}))|(${SUIT})\\ufe0f?[\\s-]*(${RANK}))\\ufe0f?`;
const PIECES = new RegExp(
  `${SUITED}|(${RANK})(?=${RANK}|${SUIT}|${BETWEEN}|$)|${BETWEEN}+|(?<bad>[^](?:(?!${BETWEEN}|${SUITED}).){0,29})`,
  "gi",
);

// Cards, in any of the ways that game/cards.py reads.
function parse(text, number, suitless = false) {
  const cards = [];
  for (const piece of String(text).matchAll(PIECES)) {
    if (piece.groups.bad)
      throw new Wrong(`invalid card ${quote(piece.groups.bad)}: expected one as 5H`);
    const rank = piece[1] || piece[5] || piece[6],
      suit = SUIT_OF[(piece[2] || piece[3] || piece[4] || "").toUpperCase()] ?? -1;
    if (!rank) continue;
    if (rank === "1" && suit >= 0)
      throw new Wrong(
        `${quote(piece[0])} in ${quote(text)} may be the ace or the ten: write A${SUITS[suit]} or 10${SUITS[suit]}`,
      );
    const at = RANKS.indexOf({ 10: "T", 1: "A" }[rank] || rank.toUpperCase());
    cards.push({ rank: at, suit, text: RANKS[at] + (SUITS[suit] || "") });
  }
  if (cards.length !== number)
    throw new Wrong(`${quote(text)}: expected ${number} cards, not ${cards.length}`);
  const bare = cards.filter((card) => card.suit < 0);
  if (bare.length && (!suitless || bare.length < number))
    throw new Wrong(
      `${quote(text)}: ${bare[0].text} has no suit${suitless ? ", and others have one" : ""}`,
    );
  for (const card of cards) {
    const most = bare.length ? 4 : 1,
      alike = cards.filter((other) => other.text === card.text);
    if (alike.length > most)
      throw new Wrong(`${quote(text)}: ${card.text} comes ${most > 1 ? "five times" : "twice"}`);
  }
  return cards;
}

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
    all = suited && starter.suit === kept[0].suit;
  return {
    flush: all ? 5 : suited && !crib ? 4 : 0,
    nobs: +kept.some((card) => card.rank === JACK && card.suit === starter.suit),
  };
}

function count(kept, starter, crib = false) {
  const { flush, nobs } = countSuits(kept, starter, crib);
  return countRanks([...kept, starter].map((card) => card.rank)) + flush + nobs;
}

const WORDS = (
  "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
  "seventeen eighteen nineteen twenty"
).split(" ");
const word = (number) => WORDS[number] || `twenty-${WORDS[number - 20]}`;

// The count as players call it out.
function spoken(kept, starter, crib = false) {
  const { fifteens, pairs, long, runs } = scored([...kept, starter].map((card) => card.rank));
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
let byPair, byKeep; // all of them, in the order of what is thrown, and of what is kept

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

let packed, directory, facts;
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
function ofSuits(ranks, suits, tables, jacksThrown) {
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
    (jacksThrown * sum(jacks.map((jack, suit) => jack * tables.nobs[held[suit]]))) / unseen;
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
    const thrown = suits[e] === suits[f] ? tables.flush[held[suits[e]]] : 0;
    return [nobs(keep) + flush, nobs(DISCARDS[which]) + thrown + theirs];
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
  const cards = parse(text, 6, true).sort(
    (one, other) => one.rank - other.rank || one.suit - other.suit,
  );
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

// ---- The page. Its parts are those of Ask, with names where figures go: ``«discard»``.

const escape = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const minus = (text) => text.replace("-", "−");
const points = (value, digits = 2) =>
  minus(String((Math.round(value * 10 ** digits) / 10 ** digits + 0).toFixed(digits)));
const signed = (value) => (points(value).startsWith("−") ? "" : "+") + points(value);
const percent = (chance) =>
  chance < 0.0005 ? "under 0.1%" : chance > 0.9995 ? "over 99.9%" : `${(100 * chance).toFixed(1)}%`;
const whole = (chance) =>
  chance < 0.005 ? "under 1%" : chance > 0.995 ? "over 99%" : `${Math.round(100 * chance)}%`;
const small = (text) =>
  `<span class="k">${text
    .split(" ")
    .map((card) => shown.cards[card].small)
    .join("")}</span>`;
const aloud = (text) =>
  text
    .split(" ")
    .map((card) => shown.cards[card].name)
    .join(", ");
let shown; // the parts, and how cards look

function part(name, values) {
  return shown.parts[name].replace(/«(\w+)»/g, (_, key) => values[key]);
}

function sumText(row, role) {
  const play = `${row.play < 0 ? "−" : "+"} play ${points(Math.abs(row.play))}`;
  return `hand ${points(row.hand)} ${role === "dealer" ? "+" : "−"} crib ${points(row.crib)} ${play} = ${points(row.expected)}`;
}

function difference(row, other, role) {
  const whose = role === "dealer" ? "your crib" : "your opponent's crib";
  const gains = [
    [row.hand - other.hand, "hand"],
    [row.crib - other.crib, whose],
    [row.play - other.play, "the play"],
  ];
  const texts = gains
    .filter(([gain]) => Math.abs(gain) >= 0.005)
    .map(([gain, place]) => `${points(Math.abs(gain))} ${gain > 0 ? "more" : "less"} in ${place}`);
  const ahead = row.expected - other.expected;
  const better = `${points(Math.abs(ahead))} ${ahead < 0 ? "worse" : "better"}`;
  const wins =
    row.win === undefined
      ? ""
      : `; ${(100 * Math.abs(row.win - other.win)).toFixed(1)}% ${row.win < other.win ? "fewer" : "more"} wins`;
  return `${texts.join(", ") || "the same in hand, crib and play"}, ${better}${wins}`;
}

// What is even at a score, and how likely the player wins before the deal.
function stand([own, other], role) {
  const win = table("win"),
    chance = (mine) => (role === "dealer" ? win[121 * mine + other] : 1 - win[121 * other + mine]);
  const chances = range(0, 121).map(chance),
    off = chances.map((one) => Math.abs(one - 0.5));
  const even = chances[0] <= 0.5 && chances[120] >= 0.5 ? off.indexOf(Math.min(...off)) : null;
  const ahead = even === null ? null : own - even,
    side = chance(own) > 0.5 ? "ahead of" : "behind";
  const number = ahead ? `${Math.abs(ahead)} point${Math.abs(ahead) > 1 ? "s" : ""} ` : "";
  const place = ahead === 0 ? "at par" : `${number}${side} par`;
  const told = even === null ? (chance(own) > 0.5 ? "below 0" : "beyond 120") : even;
  const needs =
    role === "pone"
      ? `you need ${121 - own} and count first, the opponent needs ${121 - other}`
      : `you need ${121 - own}, the opponent needs ${121 - other} and counts first`;
  return {
    needs,
    par: `You are ${place}: ${ahead === 0 ? `${told} is even` : `even would be ${told}`} as ${role}.`,
    win: chance(own),
  };
}

// Marks each row, and says what the marks mean; `rough` chances are close up to `MARGIN`.
function ranked(rows, rough) {
  const scored = rows[0].win !== undefined,
    by = (row) => (scored ? row.win : row.expected);
  const most = Math.max(...rows.map((row) => row.expected)),
    best = by(rows[0]),
    near = rough ? MARGIN : scored ? CLOSE : NEAR;
  for (const row of rows) {
    row.rank = 1 + rows.filter((other) => by(other) > by(row) + EQUAL).length;
    const equal = rows.filter((other) => Math.abs(by(other) - by(row)) <= EQUAL).length > 1;
    row.mark =
      (equal ? "=" : "") +
      (row.rank > 1 && by(row) + near >= best ? "~" : "") +
      (scored && row.expected + NEAR >= most ? "." : "");
  }
  const close = `within ${NEAR} of the best`,
    marks = rows.map((row) => row.mark).join("");
  const notes = {
    "=": "= equal",
    "~": scored ? `~ within ${100 * near}% of the most wins` : `~ ${close}`,
    ".": `. ${close} by points`,
  };
  return Object.keys(notes)
    .filter((mark) => marks.includes(mark))
    .map((mark) => part("note", { text: notes[mark] }))
    .join("");
}

function discards(rows, role, mine, address, rough) {
  const scored = rows[0].win !== undefined,
    sign = role === "dealer" ? 1 : -1,
    notes = ranked(rows, rough),
    best = rows[0];
  const lost = (row) =>
    rough ? Math.round(100 * (best.win - row.win)) || "" : (100 * (best.win - row.win)).toFixed(1);
  const all = rows.map((row) => ({ hand: row.hand, crib: sign * row.crib, play: row.play }));
  const add = (values, side) => sum(Object.values(values).filter((value) => side * value > 0));
  const low = Math.min(...all.map((values) => add(values, -1))),
    high = Math.max(...all.map((values) => add(values, 1)));
  const at = (value) => ((100 * (value - low)) / (high - low)).toFixed(2);
  const drawn = rows
    .map((row, number) => {
      let left = 0,
        right = 0;
      const bars = Object.entries(all[number])
        .map(([name, value]) => {
          const start = value >= 0 ? right : left + value;
          if (value >= 0) right += value;
          else left += value;
          return part("bar", {
            part: name,
            x: at(start),
            wide: ((100 * Math.abs(value)) / (high - low)).toFixed(2),
          });
        })
        .join("");
      const cell = (kind, text) => part("cell", { kind, text }),
        strong = (text) => cell("", `<b>${text}</b>`);
      const cells =
        ["hand", "crib", "play"]
          .map((name) =>
            cell("wide", name === "hand" ? points(row.hand) : signed(all[number][name])),
          )
          .join("") +
        (scored
          ? strong((rough ? whole : percent)(row.win)) +
            cell("wide", row.rank > 1 ? lost(row) : "") +
            cell("", points(row.expected))
          : strong(points(row.expected)) +
            cell("", row.rank > 1 ? points(best.expected - row.expected) : ""));
      const own = row.discard === mine?.discard;
      return part("row", {
        kind: own ? "thrown" : row.rank === 1 ? "first" : "",
        rank: row.rank + row.mark,
        address: address(row.discard),
        current: own ? ' aria-current="true"' : "",
        discard: small(row.discard),
        bars,
        zero: at(0),
        at: at(row.expected),
        cells,
      });
    })
    .join("");
  return part(scored ? "table_wins" : "table", {
    number: rows.length,
    rows: drawn,
    sign: sign > 0 ? "plus" : "minus",
    notes,
  });
}

const nearEnd = (score) => Math.max(...score) > 121 - EXACT;
const unsure = (score) => Math.max(...score) >= 121 - UNSURE;

// The verdict of a loss, as advice/verdicts.py has it.
function verdictOf(lost, unit) {
  if (lost <= EQUAL) return "best";
  return ["close", "inaccuracy", "mistake", "blunder"][
    shown.bands[unit].filter((least) => lost >= least - EQUAL).length
  ];
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
  if (unsure(score))
    return facts.opponents.map((opponent) => ({
      opponent,
      unit: "",
      cost: 0,
      weight: 0,
      best: "",
      verdict: "",
    }));
  const key = (cards) => [...cards].sort().join(" "),
    near = nearEnd(score);
  return facts.opponents.map((opponent) => {
    const rows = advise([...keep, ...discard].join(" "), {
      role,
      opponent,
      score: near ? score.join("-") : null,
    });
    const judged = judge(
      rows,
      rows.find((row) => key(row.discard.split(" ")) === key(discard)),
      near,
    );
    return {
      opponent,
      ...judged,
      weight: judged.cost / shown.bands[judged.unit][0],
      best: rows[0].discard,
    };
  });
}

// What the cut does to the hand that is kept.
function cut(cards, best) {
  const kept = KEEPS[best.at].map((place) => cards[place]);
  const made = unseen(cards).map((card) => ({
    ...card,
    points: count(kept, card),
    gain: count(kept, card) - best.hand,
  }));
  const most = Math.max(...made.map((card) => Math.abs(card.gain)), 0.01),
    totals = made.map((card) => card.points);
  const cells = made
    .map((card) =>
      part("starter", {
        shade: Math.round((4 * card.gain) / most),
        x: shown.places[card.text][0],
        y: shown.places[card.text][1],
        name: aloud(card.text),
        gain: signed(card.gain),
      }),
    )
    .join("");
  const groups = Object.values(Object.groupBy(made, (card) => `${card.rank} ${card.points}`)).sort(
    (one, other) => other[0].gain - one[0].gain,
  );
  const listed = groups.length > 8 ? [...groups.slice(0, 5), ...groups.slice(-3)] : groups;
  const rows = listed
    .map((group) =>
      part("made", {
        starter: small(group.map((card) => card.text).join(" ")),
        cells:
          part("cell", { kind: "", text: group[0].points }) +
          part("cell", { kind: "", text: signed(group[0].gain) }),
      }),
    )
    .join("");
  return `<section aria-labelledby="why"><h3 id="why">What the cut does to ${small(best.keep)}</h3>
    <p>At least ${Math.min(...totals)} in hand whatever is cut, at most ${Math.max(...totals)}, ${points(best.hand)} on average.</p>
    ${part("grid", { cells })}${part("starters", { rows })}</section>`;
}

function answer(given) {
  let [text, role, score] = [
    given.get("position") || given.get("cards") || "",
    given.get("role") || "dealer",
    given.get("score"),
  ];
  if (text.includes(":")) {
    const [, who, cards, , at] = /^\s*(\w+):([^:@/]+)(@(.*))?$/.exec(text) || [];
    if (!cards)
      throw new Wrong(`${quote(text)}: expected a role and six cards, as dealer:5H5DJSQC2H8D`);
    [role, text, score] = [who, cards, at ?? score];
  }
  const own = given.get("own") || "",
    theirs = given.get("theirs") || "";
  if (own || theirs)
    throw new Wrong(
      `the score has ${quote(own || theirs)} for one of you: expected both, or neither`,
    );
  if (hand(text)) return counted(text);
  const opponent = given.get("opponent") || facts.opponents[0],
    rows = advise(text, { role, opponent, score: score || null });
  const cards = parse(text, 6, true).sort(
    (one, other) => one.rank - other.rank || one.suit - other.suit,
  );
  const dealt = cards.map((card) => card.text).join(""),
    at = score ? parseScore(score, role) : null;
  const position = `${role}:${dealt}${at ? `@${at.join("-")}` : ""}`,
    best = rows[0],
    scored = best.win !== undefined;
  const address = (discard) =>
    "#" + escape(new URLSearchParams({ position, mine: discard.replace(" ", ""), opponent }));
  const thrown =
    given.get("mine") &&
    parse(given.get("mine"), 2, cards[0].suit < 0)
      .map((card) => card.text)
      .sort()
      .join();
  const mine = thrown && rows.find((row) => row.discard.split(" ").sort().join() === thrown);
  if (thrown && !mine) throw new Wrong(`${quote(given.get("mine"))} are not two of ${dealt}`);
  const rough = at !== null && unsure(at),
    close = rough ? rows.filter((row) => row.win + MARGIN >= best.win) : [best],
    open = close.length > 1;
  const list = discards(rows, role, mine, address, rough),
    rival = rows[1] && rows.find((row) => row.rank > 1),
    facing = at && stand(at, role);
  const marked = cards.map((_, place) => (!open && DISCARDS[best.at].includes(place) ? "up" : ""));
  for (const card of mine ? mine.discard.split(" ") : [])
    marked[cards.findIndex((one, place) => one.text === card && !marked[place].includes("own"))] +=
      " own";
  const six = cards
    .map((card, place) => shown.cards[card.text].drawn.replace("«kind»", marked[place].trim()))
    .join("");
  const total = sumText(best, role),
    byPoints = rows.reduce((most, row) => (row.expected > most.expected + EQUAL ? row : most));
  const about = rough ? `, give or take ${100 * MARGIN}` : "",
    figure = rough ? `about ${whole(best.win)}` : scored && percent(best.win);
  const chance = `${figure}${about}`;
  let body = scored
    ? part("wins", {
        chance: figure,
        score: `${at.join("–")}${about}: ${facing.needs}. ${facing.par}`,
      })
    : part("expected", { points: points(best.expected) });
  if (!open) body += `<p class="sum">${total}</p>`;
  if (facing) body += `<p>Before the deal you win ${(rough ? whole : percent)(facing.win)}.</p>`;
  if (rough)
    body += `<p>So near the end this page cannot tell for sure: ask <code>cribev advise ${escape(position)}</code>, which is exact.</p>`;
  else if (scored && nearEnd(at)) {
    const off = 121 - Math.max(...at) < facts.far ? 0.01 : 0.005;
    body += `<p>So near the end chances are about ${off} off: <code>cribev advise ${escape(position)}</code> is exact.</p>`;
  }
  if (scored && !rough && byPoints !== best)
    body += `<p class="changes">The score changes the answer: by points ${small(byPoints.discard)} is best.</p>`;
  if (rival && !rough)
    body += `<p>Rather than ${small(rival.discard)}: ${difference(best, rival, role)}.</p>`;
  if (cards[0].suit < 0)
    body +=
      '<p class="soft">Without suits: an average over all the suits these cards can have.</p>';
  const named = close.map((row) => row.discard).join(", "),
    wins = scored ? `wins ${chance}, ` : "";
  const says = open
    ? `Too close to tell: ${named}; the best wins ${chance}`
    : `Discard ${best.discard} and keep ${best.keep}: ${wins}${total} on average.`;
  body += `<p class="share row"><button type="button" class="plain" data-text="${escape(`${position}\n${says}`)}" hidden>Copy</button></p>`;
  let html = open
    ? part("too_close", {
        hand: six,
        discards: close.map((row) => small(row.discard)).join(", "),
        body,
        announce: `Too close for this page: ${close.map((row) => aloud(row.discard)).join("; ")}. The best wins ${chance}.`,
      })
    : part("verdict", {
        hand: six,
        discard: small(best.discard),
        keep: small(best.keep),
        body,
        announce: `Discard ${aloud(best.discard)}; keep ${aloud(best.keep)}. ${scored ? `Wins ${chance}. ` : ""}${total} on average.`,
      });
  if (mine && rough) {
    const told = `about ${whole(mine.win)}, give or take ${100 * MARGIN}`;
    html += part("mine", {
      verdict: "",
      discard: small(mine.discard),
      says: ` wins ${told}`,
      text: sumText(mine, role),
      announce: `Your discard, ${aloud(mine.discard)}: wins ${told}.`,
    });
  } else if (mine) {
    const first = mine.rank === 1,
      cost = best.expected - mine.expected,
      other = first ? rival : best,
      fewer = scored && percent(best.win - mine.win);
    const { verdict } = judge(rows, mine, scored && nearEnd(at));
    const costs = scored
      ? `: <b>${fewer} fewer wins</b>`
      : part("costs", { cost: points(cost), verdict });
    html += part("mine", {
      verdict,
      discard: small(mine.discard),
      says: first ? part("is_best", {}) : costs,
      announce: `Your discard, ${aloud(mine.discard)}: ${first ? "best" : scored ? `${fewer} fewer wins` : `costs ${points(cost)}, ${verdict}`}.`,
      text: `${sumText(mine, role)}. ${other ? `${first ? "Rather than" : "Against"} ${small(other.discard)}: ${difference(mine, other, role)}.` : ""}`,
    });
  }
  const why = cards[0].suit < 0 ? "" : cut(cards, best);
  return [`${dealt} as ${role}`, `${html}<div class="two-parts">${list}${why}</div>`];
}

function hand(text) {
  try {
    return parse(text, 5);
  } catch {
    return null;
  }
}

function counted(text) {
  const cards = parse(text, 5),
    kept = cards.slice(0, 4),
    starter = cards[4];
  const told = (crib) => `<b>${count(kept, starter, crib)}</b>: ${spoken(kept, starter, crib)}.`;
  const crib =
    count(kept, starter) === count(kept, starter, true) ? "" : `<p>As a crib ${told(true)}</p>`;
  return [
    "A hand",
    `<section class="worst best">
    <p>${small(kept.map((card) => card.text).join(" "))} and the starter ${small(starter.text)} count ${told(false)}</p>${crib}</section>`,
  ];
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
  return {
    role: at % 2 ? "pone" : "dealer",
    cards: cards
      .sort((one, other) => one.rank - other.rank || one.suit - other.suit)
      .map((card) => card.text),
  };
}

function inARow(given) {
  const ten = given.get("ten"),
    opponent = oneOf(given.get("opponent") || facts.opponents[0], facts.opponents, "opponent");
  if (!/^[A-Za-z0-9-]{1,40}$/.test(ten))
    throw new Wrong(`ten=${quote(ten)}: expected up to 40 letters, digits and dashes`);
  const discards = (given.get("discards") || "").split(".").filter(Boolean),
    at = discards.length - 1;
  if (discards.length > TEN)
    throw new Wrong(`discards=${quote(given.get("discards"))}: expected at most ${TEN}`);
  const address = (discards, more = {}) =>
    new URLSearchParams({
      ten,
      opponent,
      ...(discards.length ? { discards: discards.join(".") } : {}),
      ...more,
    }).toString();
  const graded = discards.map((text, number) => {
    const { cards, role } = dealtIn(ten, number),
      thrown = parse(text, 2).map((card) => card.text);
    if (!thrown.every((card) => cards.includes(card)))
      throw new Wrong(`${quote(text)} are not two of ${cards.join(" ")}`);
    return grade(
      cards.filter((card) => !thrown.includes(card)),
      thrown,
      role,
    ).find((one) => one.opponent === opponent);
  });
  const lost = points(sum(graded.map((one) => one.cost))),
    colours = { best: "🟩", close: "🟩", inaccuracy: "🟨", mistake: "🟧", blunder: "🟥" };
  const squares = `<span class="squares">${graded.map((one) => `<i class="${one.verdict}" role="img" aria-label="${one.verdict}"></i>`).join("")}</span>`;
  if (given.get("show") && graded.length) {
    const { cards, role } = dealtIn(ten, at),
      last = graded.length === TEN;
    const [, html] = answer(
      new URLSearchParams({ position: `${role}:${cards.join("")}`, mine: discards[at], opponent }),
    );
    return [
      `Hand ${at + 1} of ${TEN}`,
      `<section class="felt table ten"><h2 class="told">Hand ${at + 1} of ${TEN} ${graded[at].cost > 0.005 ? `cost ${points(graded[at].cost)}` : "was best"}, ${lost} in all</h2>${squares}
      <p><a class="go" href="#${escape(address(discards))}">${last ? "The score" : "Next hand"}</a></p></section>${html}`,
    ];
  }
  if (graded.length === TEN) {
    const link =
      location.protocol === "file:"
        ? ""
        : `\n${location.origin}${location.pathname}#${address([])}`;
    const text = `${TEN} hands of cribbage, ${lost} points lost\n${graded.map((one) => colours[one.verdict]).join("")}${link}`;
    return [
      `${TEN} hands`,
      `<section class="felt table ten" data-announce="${lost} points lost in ${TEN} hands"><h2 class="told">${TEN} hands, ${lost} points lost</h2>${squares}
      <p>Against ${opponent === "expert" ? "an expert" : opponent}. Whoever opens <a href="#${escape(address([]))}">these ten</a> is dealt the same.</p>
      <p class="row"><button type="button" class="plain" data-text="${escape(text)}" hidden>Copy</button><a class="go" href="#${escape(new URLSearchParams({ ten: anySeed(), opponent }))}">Ten others</a></p></section>`,
    ];
  }
  const { cards, role } = dealtIn(ten, graded.length),
    whose = role === "dealer" ? "The crib is yours" : "The crib is your opponent’s";
  const six = cards
    .map(
      (card) =>
        `<button type="button" class="lays" data-throw="${card}" aria-pressed="false" aria-label="${shown.cards[card].name}">${document.querySelector(`#deck [value="${card}"]`).innerHTML}</button>`,
    )
    .join("");
  return [
    `Hand ${graded.length + 1} of ${TEN}`,
    `<section class="felt table ten drill" data-announce="${whose}: ${aloud(cards.join(" "))}" data-next="${escape(address([...discards, "*"], { show: 1 }))}">
    <h2 class="told">Hand ${graded.length + 1} of ${TEN}. ${whose}: which two do you discard?</h2><div class="six">${six}</div>${graded.length ? squares : ""}</section>`,
  ];
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
  const card = event.target.closest("[data-throw]"),
    hand = card?.closest("[data-next]");
  if (!card) return;
  card.setAttribute("aria-pressed", card.getAttribute("aria-pressed") !== "true");
  const thrown = [...hand.querySelectorAll("[aria-pressed=true]")].map((one) => one.dataset.throw);
  if (thrown.length === 2) location.hash = hand.dataset.next.replace("*", thrown.join(""));
}

// Ask's form asks here where it would ask a server.
async function answerHere(address) {
  await ready;
  const given = new URLSearchParams(address.replace(/^#(board$)?/, ""));
  let [title, html] = ["Which two cards?", ""];
  try {
    if (given.get("ten")) [title, html] = inARow(given);
    else if (given.get("position") || given.get("cards")?.trim()) [title, html] = answer(given);
  } catch (problem) {
    if (!(problem instanceof Wrong)) throw problem;
    html = `<p class="wrong" role="alert">${escape(problem.message)}</p>`;
  }
  return new Response(`<title>${escape(title)} · cribev</title><div id="answer">${html}</div>`);
}

let ready;

function begin() {
  shown = JSON.parse(document.getElementById("shown").textContent);
  ready = unpack(document.getElementById("tables").textContent);
  // Until the tables are unpacked an answer is a promise.
  const rows = (question) =>
    advise(...question).map(({ discard, keep, hand, crib, play, expected, win }) => ({
      discard,
      keep,
      hand,
      crib,
      play,
      expected,
      ...(win === undefined ? {} : { win }),
    }));
  window.cribev = {
    advise: (...question) => ready.then(() => rows(question)),
    score,
    grade: (...deal) => ready.then(() => grade(...deal)),
  };
  window.answerHere = answerHere;
  ready.then(() => {
    window.cribev.advise = (...question) => rows(question);
    dispatchEvent(new PopStateEvent("popstate")); // what the address asks
  });
  const field = document.getElementById("cards"),
    type = (text) => {
      field.value = text;
      field.dispatchEvent(new Event("input"));
    };
  document.getElementById("answer").addEventListener("click", throwCard);
  const deal = (ten) =>
    (location.hash = new URLSearchParams({
      ten,
      opponent: document.getElementById("ask").elements.opponent?.value || facts.opponents[0],
    }));
  for (const [selector, seed] of [
    ["[name=random]", anySeed],
    ["#today", today],
  ])
    document.querySelector(selector).addEventListener("click", (event) => {
      event.preventDefault();
      deal(seed());
    });
  document.getElementById("clear").addEventListener("click", () => type(""));
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
