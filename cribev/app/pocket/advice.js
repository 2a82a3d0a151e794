"use strict";
// Advice without a server. Hands are counted here, cribs and the play looked up in tables. No page
// is known here, so that node can hold each figure to what `cribev.evaluate` says.

const STARTERS = 46,
  EQUAL = 1e-9,
  NEAR_END = 31, // where a player needs so few points, chances to win decide
  UNSURE = 7, // where a player needs so few, chances are MARGIN off
  MARGIN = 0.03,
  SHOWN = 30, // numbers of points in the tables of a show,
  PEGS = 16, // of a play,
  FIRSTS = 6, // and of who is out first
  JACK = RANKS.indexOf("J");
const KEEPS = subsets(range(0, 6), 4),
  DISCARDS = KEEPS.map((keep) => range(0, 6).filter((place) => !keep.includes(place)));
const pairNumber = (low, high) => low * 13 - (low * (low - 1)) / 2 + high - low;
const choose = (number, size) =>
  size === 0 ? 1 : number < size ? 0 : (choose(number - 1, size - 1) * number) / size;
const CHOOSE = range(0, 20).map((number) => range(0, 7).map((size) => choose(number, size)));

function oneOf(value, names, kind) {
  const name = String(value).trim().toLowerCase();
  if (names.includes(name)) return name;
  throw new Wrong(`invalid ${kind} ${quote(value)}: expected ${names.join(" or ")}`);
}

// ---- Every deal by its ranks: 18,395 classes.

const classes = new Int16Array(18564); // of six ascending ranks, by their colexicographic number
function colex(ranks) {
  let number = 0;
  for (let i = 0; i < 6; i++) number += CHOOSE[ranks[i] + i][i + 1];
  return number;
}
// Of keeps that differ from some card on, those with a higher card have a higher number.
function keepNumber(ranks) {
  let number = 1819;
  for (let i = 0; i < 4; i++) number -= CHOOSE[15 - i - ranks[i]][4 - i];
  return number;
}

// Of discards of the same ranks the first stands for all; those of a class follow each other.
const starts = new Int32Array(18395); // the first discard of each class
let byPair, byKeep; // all discards, in the order of what is discarded, and of what is kept

function orderOf(numbers) {
  const before = new Int32Array(1821),
    sorted = new Int32Array(numbers.length);
  for (const number of numbers) before[number + 1]++;
  for (let i = 1; i < before.length; i++) before[i] += before[i - 1];
  numbers.forEach((number, i) => (sorted[before[number]++] = i));
  return sorted;
}

function listClasses() {
  const pairs = [],
    keeps = [],
    seen = new Int32Array(91).fill(-1),
    six = [0, 0, 0, 0, 0, 0];
  let number = 0;
  const list = () => {
    classes[colex(six)] = number;
    starts[number] = pairs.length;
    for (let i = 0; i < KEEPS.length; i++) {
      const pair = pairNumber(six[DISCARDS[i][0]], six[DISCARDS[i][1]]);
      if (seen[pair] === number) continue;
      seen[pair] = number;
      pairs.push(pair);
      keeps.push(keepNumber(KEEPS[i].map((place) => six[place])));
    }
    number++;
  };
  // The highest place is filled first, and no rank comes five times.
  const fill = (place) => {
    for (six[place] = 0; six[place] <= (place < 5 ? six[place + 1] : 12); six[place]++) {
      if (place < 2 && six[place] === six[place + 4]) continue;
      if (place) fill(place - 1);
      else list();
    }
  };
  fill(5);
  [byPair, byKeep] = [orderOf(pairs), orderOf(keeps)];
}

// ---- The tables, as solver/pocket.py packs them.

let packed, directory, facts, verdictBands;
const tables = new Map(); // by their names

async function unpack(text, bands) {
  verdictBands = bands;
  const letters = atob(text),
    bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  packed = new Uint8Array(await new Response(stream).arrayBuffer());
  const end = packed.indexOf("\n".charCodeAt(0));
  facts = JSON.parse(new TextDecoder().decode(packed.subarray(0, end)));
  directory = new Map();
  let start = end + 1;
  for (const [name, shape, step] of facts.arrays) {
    const size = shape.reduce((product, length) => product * length, 1);
    directory.set(name, { start, size, step, wide: shape.at(-1) });
    start += 2 * size;
  }
  listClasses();
  for (const role of ROLES) {
    for (const opponent of facts.opponents) tablesOf(opponent, role);
    tableOf(`${role} first`);
  }
  tableOf("win");
  packed = null; // every table is read
}

// A table, with the length of its rows as `wide`.
function tableOf(name) {
  if (!tables.has(name)) {
    const { start, size, step, wide } = directory.get(name),
      values = new Float32Array(size);
    for (let i = 0, whole = 0; i < size; i++) {
      const written = packed[start + i] + 256 * packed[start + size + i];
      whole += (written >> 1) ^ -(written & 1);
      values[i] = whole * step;
    }
    tables.set(name, Object.assign(values, { wide }));
  }
  return tables.get(name);
}

// A table of discards, with those of a class after each other.
function byClass(name, order) {
  const key = `${name} by class`;
  if (!tables.has(key)) {
    const values = tableOf(name),
      sorted = new Float32Array(values.length);
    order.forEach((slot, i) => (sorted[slot] = values[i]));
    tables.set(key, sorted);
    tables.delete(name);
  }
  return tables.get(key);
}

const TABLES =
  "flush nobs jacks ends cribs by_starter of_keep of_pair usual hands pegs spread with_hand";

// The tables of a role that faces an opponent.
function tablesOf(opponent, role) {
  const prefix = `${opponent} ${role}`;
  return {
    ...Object.fromEntries(TABLES.split(" ").map((name) => [name, tableOf(`${prefix} ${name}`)])),
    crib: byClass(`${prefix} crib`, byPair),
    play: byClass(`${prefix} play`, byKeep),
    own: byClass(`${prefix} own`, byKeep),
  };
}

// ---- The worth of discards.

// The points that suits add to hand and crib of each of the 15, on average over starters and cribs.
function suitPoints(ranks, suits, roleTables, jacksDiscarded) {
  const held = [0, 0, 0, 0],
    jacks = [1, 1, 1, 1];
  suits.forEach((suit, i) => {
    held[suit]++;
    if (ranks[i] === JACK) jacks[suit] = 0;
  });
  const jacksUnseen = sum(jacks),
    cutChance = (suit) => (13 - held[suit]) / STARTERS;
  const theirNobs =
    jacksUnseen &&
    (jacksDiscarded * sum(jacks.map((jack, suit) => jack * roleTables.nobs[held[suit]]))) /
      jacksUnseen;
  const nobs = (places) =>
    sum(places.filter((place) => ranks[place] === JACK).map((place) => cutChance(suits[place])));
  const flushOf = (suit) => roleTables.flush[held[suit]];
  return KEEPS.map((keep, i) => {
    const [first, second] = DISCARDS[i],
      suit = suits[keep[0]];
    const flush = keep.every((place) => suits[place] === suit) ? 4 + cutChance(suit) : 0,
      cribFlush = suits[first] === suits[second] ? flushOf(suits[first]) : 0;
    return [nobs(keep) + flush, nobs(DISCARDS[i]) + cribFlush + theirNobs];
  });
}

// Ways to give six ascending ranks suits that are as likely. The cards of the first rank have the
// first suits, because nothing depends on the names of suits.
function likelySuits(ranks) {
  const first = ranks.lastIndexOf(ranks[0]) + 1;
  let ways = [range(0, first)];
  for (let i = first; i < 6; i++)
    ways = ways.flatMap((suits) => {
      const least = ranks[i] === ranks[i - 1] ? suits[i - 1] + 1 : 0;
      return range(least, 4).map((suit) => [...suits, suit]);
    });
  return ways;
}

const keptOf = (cards, row) => KEEPS[row.place].map((place) => cards[place]);

function rowsOf(cards, role, opponent) {
  const ranks = cards.map(rankOf),
    number = classes[colex(ranks)],
    roleTables = tablesOf(opponent, role),
    left = range(0, 13).map((rank) => 4 - ranks.filter((other) => other === rank).length);
  const suitless = !cards[0][1],
    ways = suitless ? likelySuits(ranks) : [cards.map(suitOf)];
  const added = KEEPS.map(() => [0, 0]);
  for (const suits of ways)
    suitPoints(ranks, suits, roleTables, roleTables.jacks[number]).forEach(([hand, crib], i) => {
      added[i][0] += hand / ways.length;
      added[i][1] += crib / ways.length;
    });
  const pairs = DISCARDS.map(([first, second]) => pairNumber(ranks[first], ranks[second])),
    distinct = [...new Set(pairs)],
    cardsOf = (places) => places.map((place) => cards[place]);
  const rows = KEEPS.map((keep, i) => {
    const kept = keep.map((place) => ranks[place]),
      alike = suitless ? range(0, 15).filter((other) => pairs[other] === pairs[i]) : [i];
    const mean = (show) => sum(alike.map((other) => added[other][show])) / alike.length;
    const counted = left.map((copies, rank) => copies && copies * countRanks([...kept, rank])),
      hand = sum(counted) / STARTERS + mean(0);
    const slot = starts[number] + distinct.indexOf(pairs[i]),
      crib = roleTables.crib[slot] + mean(1),
      play = roleTables.play[slot];
    return {
      discard: cardsOf(DISCARDS[i]),
      keep: cardsOf(keep),
      hand,
      crib,
      play,
      expected: hand + cribSign(role) * crib + play,
      place: i,
      slot,
      number,
      pair: pairs[i],
      keepNumber: keepNumber(kept),
      isFirst: alike[0] === i,
    };
  });
  return rows.filter((row) => row.isFirst);
}

// ---- Chances to win far from the end, by an expansion simpler than that of wins/far.py.

function farChances(cards, rows, role, opponent, [own, other]) {
  const roleTables = tablesOf(opponent, role),
    { ends, cribs, of_keep: ofKeep, of_pair: ofPair, usual, hands } = roleTables,
    isDealer = role === "dealer",
    lengths = cribs.length / 91,
    high = ends.length / ends.wide,
    starters = unseen(cards);
  return rows.map((row) => {
    const memo = new Map(),
      kept = keptOf(cards, row),
      cut = (rank) => roleTables.by_starter[13 * row.pair + rank];
    // The chance by the points of both, with the crib to come. Below 0 it goes on as it begins.
    const chance = (mine, theirs) => {
      if (mine < 0) return 2 * chance(0, theirs) - chance(-mine, theirs);
      if (theirs < 0) return 2 * chance(mine, 0) - chance(mine, -theirs);
      const key = 1000 * mine + theirs;
      if (memo.has(key)) return memo.get(key);
      let total = 0;
      for (let i = 0; i < lengths; i++) {
        const line = Math.min(mine + (isDealer ? i : 0), high - 1),
          column = Math.min(theirs + (isDealer ? 0 : i), ends.wide - 1);
        total += cribs[91 * i + row.pair] * ends[ends.wide * line + column];
      }
      memo.set(key, total);
      return total;
    };
    const [ownVariance, otherVariance, covariance] = range(0, 3).map(
      (moment) => ofKeep[1820 * moment + row.keepNumber] + ofPair[91 * moment + row.pair],
    );
    const pegged = roleTables.own[row.slot],
      cuts = sum(starters.map((starter) => cut(rankOf(starter)))) / STARTERS,
      shift = row.crib - cuts - sum(range(0, 13).map(cut)) / 13;
    const wins = starters.map((starter) => {
      const rank = rankOf(starter),
        crib = cut(rank) + shift + heels(starter),
        theirHand = hands[starts.length * rank + row.number],
        mine = pegged - usual[0] + (isDealer ? crib : 0),
        theirs = pegged - row.play + theirHand - usual[1] + (isDealer ? 0 : crib);
      const ownPoints = own + countHand(kept, starter) + Math.round(mine),
        otherPoints = other + Math.round(theirs),
        near = (more, across) => chance(ownPoints + more, otherPoints + across);
      const [ownOff, otherOff] = [mine - Math.round(mine), theirs - Math.round(theirs)],
        middle = 2 * near(0, 0);
      return (
        near(0, 0) +
        (ownOff * (near(1, 0) - near(-1, 0))) / 2 +
        (otherOff * (near(0, 1) - near(0, -1))) / 2 +
        ((near(2, 0) - middle + near(-2, 0)) / 8) * (ownVariance + ownOff ** 2) +
        ((near(0, 2) - middle + near(0, -2)) / 8) * (otherVariance + otherOff ** 2) +
        ((near(1, 1) - near(-1, 1) - near(1, -1) + near(-1, -1)) / 4) *
          (covariance + ownOff * otherOff)
      );
    });
    return Math.min(Math.max(sum(wins) / STARTERS, 0), 1);
  });
}

// ---- Chances to win near the end: what both peg, then hands and crib in the order they count.

const meanOf = (chances) => sum(chances.map((chance, points) => chance * points));
const varianceOf = (chances) =>
  Math.max(
    sum(chances.map((chance, points) => chance * points ** 2)) - meanOf(chances) ** 2,
    0.1, // so that what is nearly certain can be divided by
  );
function normalized(chances) {
  const total = sum(chances);
  return chances.map((chance) => chance / total);
}

// Points as likely as before, but for their mean.
function moved(chances, shift) {
  const mean = meanOf(chances),
    slope = shift / varianceOf(chances);
  return normalized(
    chances.map((chance, points) => chance * Math.max(1 + slope * (points - mean), 0)),
  );
}

// The chance of each number of points that both peg with a keep, `PEGS` rows of own points, with
// the means of a class.
function peggedChances(pegs, keep, means) {
  let both = normalized(range(0, PEGS * PEGS).map((cell) => pegs[1820 * cell + keep]));
  const share = (seat) =>
    range(0, PEGS).map((points) =>
      sum(range(0, PEGS).map((more) => both[seat ? PEGS * more + points : PEGS * points + more])),
    );
  for (const seat of [0, 1]) {
    const shares = share(seat),
      off = means[seat] - meanOf(shares),
      step = Math.sign(off),
      edge = shares[step < 0 ? 0 : PEGS - 1],
      fraction = Math.min(Math.abs(off) / (1 - edge), 0.9),
      next = both.map((chance) => chance * (1 - fraction));
    both.forEach((chance, cell) => {
      const points = [Math.floor(cell / PEGS), cell % PEGS];
      points[seat] = Math.min(Math.max(points[seat] + step, 0), PEGS - 1);
      next[PEGS * points[0] + points[1]] += chance * fraction;
    });
    both = next;
  }
  return { both, own: share(0), other: share(1) };
}

function nearChances(cards, rows, role, opponent, [own, other]) {
  const roleTables = tablesOf(opponent, role),
    { cribs, hands, own: owns, pegs, spread, with_hand: withHand } = roleTables,
    first = tableOf(`${role} first`),
    win = tableOf("win"),
    isDealer = role === "dealer",
    starters = unseen(cards),
    ranks = range(0, 13).filter((rank) => starters.some((card) => rankOf(card) === rank));
  const chanceAfter = (mine, theirs) =>
    isDealer ? 1 - win[win.wide * theirs + mine] : win[win.wide * mine + theirs];
  const shows = ranks.map((rank) => {
    const usual = normalized([...spread.subarray(SHOWN * rank, SHOWN * (rank + 1))]);
    return moved(usual, hands[starts.length * rank + rows[0].number] - meanOf(usual));
  });
  const chanceOf = (row) => {
    const kept = keptOf(cards, row),
      cut = (rank) => roleTables.by_starter[13 * row.pair + rank],
      usualCrib = range(0, SHOWN).map((points) => cribs[91 * points + row.pair]),
      cuts = sum(starters.map((starter) => cut(rankOf(starter)))) / STARTERS,
      shift = row.crib - cuts - meanOf(usualCrib);
    const means = [owns[row.slot], owns[row.slot] - row.play],
      play = peggedChances(pegs, row.keepNumber, means),
      [mine, theirs] = [play.own, play.other].map(meanOf),
      tilts = [play.own, play.other].map(
        (chances, seat) => withHand[2 * row.keepNumber + seat] / varianceOf(chances),
      );
    const wins = ranks.map((rank, i) => {
      const cuts = starters.filter((card) => rankOf(card) === rank),
        jack = heels(RANKS[rank]),
        start = [own + (isDealer ? jack : 0), other + (isDealer ? 0 : jack)],
        [ownNeed, otherNeed] = start.map((points) => WINNING_SCORE - points);
      if (ownNeed <= 0) return cuts.length;
      if (otherNeed <= 0) return 0;
      // The chances of own pegs with the opponent's and their hand, while nobody is out.
      const shown = shows[i],
        mean = meanOf(shown),
        variance = varianceOf(shown),
        crib = moved(usualCrib, cut(rank) + shift),
        wide = PEGS + SHOWN,
        joint = new Float64Array(PEGS * wide);
      let [out, bothOut, open] = [0, 0, 0];
      play.both.forEach((chance, cell) => {
        const points = Math.floor(cell / PEGS),
          across = cell % PEGS;
        if (points >= ownNeed && across >= otherNeed) bothOut += chance;
        else if (points >= ownNeed) out += chance;
        else if (across < otherNeed) {
          const tilt = (tilts[0] * (points - mine) + tilts[1] * (across - theirs)) / variance;
          shown.forEach((likely, more) => {
            const weight = likely * Math.max(1 + tilt * (more - mean), 0);
            joint[wide * points + across + more] += chance * weight;
          });
          open += chance;
        }
      });
      const isTabled = ownNeed <= FIRSTS && otherNeed <= FIRSTS,
        cell = FIRSTS * (ownNeed - 1) + otherNeed - 1,
        sooner = isTabled ? first[1820 * cell + row.keepNumber] : 0.5,
        total = sum([...joint]),
        memo = new Map();
      const afterCrib = (points, across) =>
        points >= WINNING_SCORE ? 1 : across >= WINNING_SCORE ? 0 : chanceAfter(points, across);
      // Hands are counted, pone's first, and the crib is to come.
      const chance = (points, across) => {
        if (isDealer && across >= WINNING_SCORE) return 0;
        if (points >= WINNING_SCORE) return 1;
        if (across >= WINNING_SCORE) return 0;
        const key = WINNING_SCORE * points + across;
        if (!memo.has(key)) {
          const worth = (more) =>
            isDealer ? afterCrib(points + more, across) : afterCrib(points, across + more);
          memo.set(key, sum(crib.map((likely, more) => likely * worth(more))));
        }
        return memo.get(key);
      };
      const handCounts = new Map();
      for (const card of cuts) {
        const points = countHand(kept, card);
        handCounts.set(points, (handCounts.get(points) ?? 0) + 1);
      }
      let won = 0;
      joint.forEach((likely, cell) => {
        if (!likely) return;
        const [pegged, across] = [start[0] + Math.floor(cell / wide), start[1] + (cell % wide)];
        for (const [points, number] of handCounts)
          won += likely * number * chance(pegged + points, across);
      });
      return (out + bothOut * sooner) * cuts.length + (total && (won * open) / total);
    });
    return sum(wins) / STARTERS;
  };
  return rows.map(chanceOf);
}

const isFar = (score) => score.every((points) => points <= WINNING_SCORE - facts.far);

// A row for each discard, the best first.
function advise(text, { role = "dealer", opponent = facts.opponents[0], score = null } = {}) {
  const cards = inOrder(parseCards(text, 6, { suitless: true }));
  role = oneOf(role, ["dealer", "pone"], "role");
  opponent = oneOf(opponent, facts.opponents, "opponent");
  const rows = rowsOf(cards, role, opponent);
  if (score !== null) {
    const points = parseScore(score, role),
      chancesOf = isFar(points) ? farChances : nearChances,
      suited = cards.map((card, i) => (card[1] ? card : card + SUITS[i % 4])); // as if no four were alike
    chancesOf(suited, rows, role, opponent, points).forEach((win, i) => (rows[i].win = win));
  }
  const ahead = (row, other) => (other.win ?? 0) - (row.win ?? 0) || other.expected - row.expected;
  return rows.sort((row, other) => {
    const difference = ahead(row, other);
    return Math.abs(difference) <= EQUAL ? row.place - other.place : difference;
  });
}

// ---- Verdicts.

const isNear = (score) => Math.max(...score) >= WINNING_SCORE - NEAR_END;
const isUnsureAt = (score) => Math.max(...score) >= WINNING_SCORE - UNSURE;

// The verdict of a loss, as advice/verdicts.py has it.
function verdictOf(loss, unit) {
  if (loss <= EQUAL) return "best";
  const passed = verdictBands[unit].filter((least) => loss >= least - EQUAL).length;
  return ["close", "inaccuracy", "mistake", "blunder"][passed];
}

// The loss of one of the rows: near the end in chances to win, else in points.
function judge(rows, own, near) {
  const unit = near ? "wins" : "points",
    worth = (row) => (near ? row.win : row.expected),
    cost = Math.max(...rows.map(worth)) - worth(own);
  return { unit, cost, verdict: verdictOf(cost, unit) };
}

// Ranks each row, and marks those that equal another or are nearly the best.
function rankRows(rows, near) {
  const { near_tie: nearPoints, close_wins: nearWins } = verdictBands,
    worth = (row) => row.win ?? row.expected,
    least = worth(rows[0]) - (rows[0].win === undefined ? nearPoints : nearWins);
  for (const row of rows) {
    row.rank = 1 + rows.filter((other) => worth(other) > worth(row) + EQUAL).length;
    const equals = rows.filter((other) => Math.abs(worth(other) - worth(row)) <= EQUAL);
    row.mark = (equals.length > 1 ? "=" : "") + (row.rank > 1 && worth(row) >= least ? "~" : "");
    row.verdict = judge(rows, row, near).verdict;
  }
}

const cardsKey = (cards) => cards.toSorted().join();
const scoreText = (score, near) => (near ? score.join("-") : null);

// The cost of a discard of a recorded game against each opponent: in points, near the end of a game
// in chances to win, and nothing where these are too rough to grade by.
function grade(keep, discard, role, score = [0, 0]) {
  const near = isNear(score);
  return facts.opponents.map((opponent) => {
    if (isUnsureAt(score)) return { opponent, unit: "", cost: 0, weight: 0, best: [], verdict: "" };
    const question = { role, opponent, score: scoreText(score, near) },
      rows = advise([...keep, ...discard].join(" "), question),
      own = rows.find((row) => cardsKey(row.discard) === cardsKey(discard)),
      judged = judge(rows, own, near),
      weight = judged.cost / verdictBands[judged.unit][0];
    return { opponent, ...judged, weight, best: rows[0].discard };
  });
}

// ---- The answer, in the JSON of the API. It leaves out what the tables do not say.

// The score that is even, and how likely the player wins before the deal.
function parOf([own, other], role) {
  const win = tableOf("win"),
    chanceAt = (points) =>
      role === "dealer" ? win[win.wide * points + other] : 1 - win[win.wide * other + points];
  const chances = range(0, WINNING_SCORE).map(chanceAt),
    off = chances.map((chance) => Math.abs(chance - 0.5)),
    isBetween = chances[0] <= 0.5 && chances.at(-1) >= 0.5,
    even = isBetween ? off.indexOf(Math.min(...off)) : null;
  return { even, ahead: even === null ? null : own - even, win: chanceAt(own) };
}

const RANK_TRIPLES = range(0, 13).flatMap((low) =>
  range(low, 13).flatMap((middle) => range(middle, 13).map((high) => [low, middle, high])),
);

// The fewest and the most points that the crib of two cards can have.
function cribRange(discarded, left) {
  const discardedRanks = discarded.map(rankOf),
    leftOf = range(0, 13).map((rank) => left.filter((card) => rankOf(card) === rank)),
    flush = suitOf(discarded[0]) === suitOf(discarded[1]) ? 5 : 0;
  let [least, most] = [Infinity, 0];
  for (const triple of RANK_TRIPLES) {
    const ranks = [...discardedRanks, ...triple],
      points = countRanks(ranks),
      ofSuits = flush + (ranks.includes(JACK) ? 1 : 0); // at most
    // Suits only add points: without new extremes the cards themselves need no look.
    if (points >= least && points + ofSuits <= most) continue;
    const [firsts, seconds, thirds] = triple.map((rank) => leftOf[rank]);
    for (const first of firsts)
      for (const second of seconds)
        for (const third of thirds) {
          const three = [first, second, third];
          if (new Set(three).size < 3) continue;
          for (const starter of three) {
            const others = three.filter((card) => card !== starter),
              suits = countSuits([...discarded, ...others], starter, true),
              total = points + suits.flush + suits.nobs;
            least = Math.min(least, total);
            most = Math.max(most, total);
          }
        }
  }
  return { crib_min: least, crib_max: most };
}

// Each starter with what it makes of a discard.
function startersOf(cards, row, role, opponent) {
  const { by_starter: byStarter } = tablesOf(opponent, role),
    left = unseen(cards),
    cut = (card) => byStarter[13 * row.pair + rankOf(card)],
    mean = sum(left.map(cut)) / STARTERS;
  return left.map((starter) => {
    const hand = countHand(row.keep, starter),
      crib = row.crib + cut(starter) - mean,
      expected = hand + cribSign(role) * crib + row.play;
    return { starter, hand, crib_mean: crib, expected, gain: expected - row.expected };
  });
}

// A discard that is better against people than the best against an expert.
function peopleOf(cards, best, role, score) {
  const near = score && isNear(score),
    rows = advise(cards, { role, opponent: "people", score: scoreText(score, near) }),
    own = rows.find((row) => row.place === best.place),
    gain = near ? rows[0].win - own.win : rows[0].expected - own.expected;
  if (gain < (near ? verdictBands.more_wins : verdictBands.more_points)) return null;
  const figures = ({ discard, expected, win }) => ({ discard, expected, win });
  return { best: figures(rows[0]), instead_of: figures(own) };
}

const mostBy = (rows, worth) =>
  rows.reduce((most, row) => (worth(row) > worth(most) + EQUAL ? row : most));

function explanationOf(rows, starters) {
  const [best] = rows,
    hand = {};
  for (const row of starters) hand[row.hand] = (hand[row.hand] ?? 0) + 1 / STARTERS;
  const show = (row) => row.expected - row.play,
    first = mostBy(rows, show),
    ahead = show(first) - show(best);
  return {
    locked_in: { points: countHand(best.keep), spoken: spoken(best.keep) },
    play: { at_the_show: ahead > EQUAL ? { discard: first.discard.join(" "), ahead } : null },
    starters,
    distribution: { hand },
  };
}

function scoreFigures(rows, points, role) {
  const byPoints = mostBy(rows, (row) => row.expected),
    fewer = byPoints.expected - rows[0].expected,
    error = isUnsureAt(points) ? MARGIN : isFar(points) ? 0.005 : 0.01;
  return {
    score: points,
    par: parOf(points, role),
    at_the_score: {
      by_points: byPoints.discard.join(" "),
      points: fewer,
      wins: rows[0].win - byPoints.win,
      changes: fewer > EQUAL,
    },
    ...(isNear(points) && { error }),
  };
}

function adviceOf(text, role, opponent, score, mine) {
  const rows = advise(text, { role, opponent, score: score || null }),
    cards = inOrder(parseCards(text, 6, { suitless: true })),
    points = score ? parseScore(score, role) : undefined,
    isSuited = Boolean(cards[0][1]),
    { own: owns } = tablesOf(opponent, role);
  const own = mine && cardsKey(parseCards(mine, 2, { suitless: !isSuited }));
  if (own && !rows.some((row) => cardsKey(row.discard) === own))
    throw new Wrong(`${quote(mine)} are not two of ${cards.join(" ")}`);
  rankRows(rows, points && isNear(points));
  const starters = isSuited ? rows.map((row) => startersOf(cards, row, role, opponent)) : [];
  const suitFigures = (row, i) => {
    const hands = starters[i].map((starter) => starter.hand),
      isBehind = ({ expected }, j) => expected < starters[0][j].expected - EQUAL;
    return {
      hand_min: Math.min(...hands),
      hand_max: Math.max(...hands),
      ...cribRange(row.discard, unseen(cards)),
      starters_behind: starters[i].filter(isBehind).length,
    };
  };
  const discards = rows.map((row, i) => ({
    rank: row.rank,
    discard: row.discard,
    keep: row.keep,
    hand_mean: row.hand,
    crib_mean: row.crib,
    play_own: owns[row.slot],
    play_opponent: owns[row.slot] - row.play,
    play_mean: row.play,
    expected: row.expected,
    ...(points && { win: row.win }),
    ...(isSuited && suitFigures(row, i)),
    verdict: row.verdict,
    mark: row.mark,
  }));
  const isExpert = opponent === "expert" && !(points && isUnsureAt(points));
  return {
    position: `${role}:${cards.join("")}${points ? `@${points.join("-")}` : ""}`,
    [isSuited ? "deal" : "ranks"]: cards,
    role,
    opponent,
    ...(points && scoreFigures(rows, points, role)),
    discards,
    people: isExpert ? peopleOf(text, rows[0], role, points) : null,
    explanation: isSuited ? explanationOf(rows, starters[0]) : null,
  };
}

// The points of five cards, the starter last, as a hand and as a crib.
function countsOf(text) {
  const cards = parseCards(text, 5),
    [hand, starter] = [cards.slice(0, 4), cards[4]];
  const show = (crib) => ({
    hand,
    starter,
    points: countHand(hand, starter, crib),
    spoken: spoken(hand, starter, crib),
  });
  return { hand: show(false), crib: show(true) };
}

function answerTo({
  position,
  cards,
  role = "dealer",
  score,
  mine,
  opponent = facts.opponents[0],
}) {
  if (isHand(cards)) return countsOf(cards);
  if (position === undefined) return adviceOf(cards, role, opponent, score, mine);
  const six = positionIn(position);
  if (!six || six.discarded !== undefined || six.starter !== undefined)
    throw new Wrong(`${quote(position)}: expected a role and six cards, as dealer:5H5DJSQC2H8D`);
  return adviceOf(six.cards, six.role, opponent, score, mine);
}

// ---- Ten hands in a row. An address has all of them: who has the same `ten` is dealt the same.

const TEN = 10;

// A hand and its role, dealt as app/web/ten.py deals them.
function dealtIn(ten, number) {
  let state = [...`${ten}/${number}`].reduce(
    (hash, sign) => Math.imul(hash ^ sign.codePointAt(0), 16777619), // FNV-1a
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
  return { role: number % 2 ? "pone" : "dealer", cards: inOrder(cards) };
}

// The grades of the discards made so far, each two cards in their text.
function gradesOf(ten, discards, opponent) {
  return discards.map((text, i) => {
    const { cards, role } = dealtIn(ten, i),
      discard = parseCards(text, 2),
      keep = cards.filter((card) => !discard.includes(card));
    if (keep.length !== 4) throw new Wrong(`${quote(text)} are not two of ${cards.join(" ")}`);
    return grade(keep, discard, role).find((graded) => graded.opponent === opponent);
  });
}
