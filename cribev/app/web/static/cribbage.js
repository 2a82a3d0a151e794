"use strict";
// The rules of cribbage, once for all pages: cards, counts, the play, scores and positions. No rule
// knows a page, so that node can hold each to what the package says.

// ---- Numbers and lists.

const range = (from, to) => [...Array(to - from).keys()].map((i) => from + i);
const sum = (values) => values.reduce((total, value) => total + value, 0);
const subsets = (values, size) =>
  size === 0
    ? [[]]
    : values.flatMap((value, i) =>
        subsets(values.slice(i + 1), size - 1).map((rest) => [value, ...rest]),
      );

// ---- Cards. A card is its text: a rank, and a suit where it is known, as 5H or 5.

const RANKS = "A23456789TJQK",
  SUITS = "CDHS",
  SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" },
  SUIT_NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" },
  RANK_NAMES = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };

const rankOf = (card) => RANKS.indexOf(card[0]);
const suitOf = (card) => SUITS.indexOf(card[1]); // -1 where it is not known
const valueOf = (card) => Math.min(rankOf(card) + 1, 10);
const inOrder = (cards) =>
  cards.toSorted((card, other) => rankOf(card) - rankOf(other) || suitOf(card) - suitOf(other));
const DECK = [...RANKS].flatMap((rank) => [...SUITS].map((suit) => rank + suit));
const unseen = (cards) => DECK.filter((card) => !cards.includes(card));

const rankSign = (rank) => (rank === "T" ? "10" : rank);
const inSigns = (card) => rankSign(card[0]) + (SIGNS[card[1]] ?? "");
const isRed = (card) => card[1] === "D" || card[1] === "H";
const aloud = (card) =>
  (RANK_NAMES[card[0]] ?? card[0]) + (card[1] ? ` of ${SUIT_NAMES[card[1]]}` : "");
const allAloud = (cards) => cards.map(aloud).join(", ");

// An input that cannot be read. Its message quotes the text and says what was expected.
class Wrong extends Error {}

const quote = (text) =>
  `'${String(text).slice(0, 60).replace(/\s+/g, " ")}${String(text).length > 60 ? "…" : ""}'`;

const SUIT_OF_SIGN = {
  ...{ C: "C", "♣": "C", "♧": "C", D: "D", "♦": "D", "♢": "D" },
  ...{ H: "H", "♥": "H", "♡": "H", S: "S", "♠": "S", "♤": "S" },
};
const RANK = "10|[A1-9TJQK]",
  SUIT = `[${Object.keys(SUIT_OF_SIGN).join("")}]`,
  BETWEEN = "[\\s,;+/|()[\\]{}'\"“”„‘’«»\\u2010-\\u2015\\u2212\\ufeff-]",
  SUITED = `(?:(${RANK})(?:(${SUIT})|[\\s-]+(${SUIT})(?!${RANK}))|(${SUIT})\\ufe0f?[\\s-]*(${RANK}))\\ufe0f?`,
  PIECES = new RegExp(
    `${SUITED}|(${RANK})(?=${RANK}|${SUIT}|${BETWEEN}|$)|${BETWEEN}+|(?<ten>x)(?=x|${BETWEEN}|$)|(?<bad>[^](?:(?!${BETWEEN}|${SUITED}).){0,29})`,
    "gi",
  );

// Cards in letters and signs, read as game/cards.py reads them. An x stands for any ten-card, where
// ten-cards are averaged.
function cardsIn(text, { tens = false } = {}) {
  const cards = [];
  for (const piece of String(text).matchAll(PIECES)) {
    const { ten, bad } = piece.groups;
    if (bad) throw new Wrong(`invalid card ${quote(bad)}: expected one as 5H or 5`);
    if (ten && !tens) throw new Wrong("x, any ten-card, is averaged by cribev advise, not here");
    if (ten) cards.push("x");
    const rank = (piece[1] ?? piece[5] ?? piece[6])?.toUpperCase(),
      sign = piece[2] ?? piece[3] ?? piece[4],
      suit = sign ? SUIT_OF_SIGN[sign.toUpperCase()] : "";
    if (rank === "1" && suit)
      throw new Wrong(
        `${quote(piece[0])} in ${quote(text)} may be the ace or the ten: write A${suit} or 10${suit}`,
      );
    if (rank) cards.push(({ 10: "T", 1: "A" }[rank] ?? rank) + suit);
  }
  return cards;
}

// A hand of a number of cards, or of any, in which no card comes twice.
function parseCards(text, number, { suitless = false } = {}) {
  const cards = cardsIn(text);
  if (number && cards.length !== number)
    throw new Wrong(`${quote(text)}: expected ${number} cards, not ${cards.length}`);
  const bare = cards.filter((card) => !card[1]);
  if (bare.length && (!suitless || bare.length < cards.length))
    throw new Wrong(
      `${quote(text)}: ${bare[0]} has no suit${suitless ? ", and others have one" : ""}`,
    );
  const most = bare.length ? 4 : 1,
    repeated = cards.find((card) => cards.filter((other) => other === card).length > most);
  if (repeated)
    throw new Wrong(`${quote(text)}: ${repeated} comes ${most > 1 ? "five times" : "twice"}`);
  return cards;
}

// The cards of a text; null if there is anything else in it.
function cardsOrNull(text) {
  try {
    return parseCards(text ?? "");
  } catch {
    return null;
  }
}

// ---- Count.

const POSSIBLE_COUNTS = range(0, 30).filter((points) => ![19, 25, 26, 27].includes(points));

const POWERS = range(0, 13).map((rank) => 5 ** rank); // five, because there are four of each rank
const combinationsByRanks = new Map(); // because the same five are counted again and again

// The fifteens, pairs and runs of up to five ranks.
function combinationsOf(ranks) {
  const key = ranks.reduce((number, rank) => number + POWERS[rank], 0);
  if (combinationsByRanks.has(key)) return combinationsByRanks.get(key);
  const copies = range(0, 13).map((rank) => ranks.filter((other) => other === rank).length);
  const ways = [1, ...Array(15).fill(0)]; // to make each sum, one card after the other
  for (const rank of ranks) {
    const value = Math.min(rank + 1, 10);
    for (let total = 15; total >= value; total--) ways[total] += ways[total - value];
  }
  const pairs = copies.filter((number) => number > 1).map((number) => (number * (number - 1)) / 2);
  let length = 0,
    runs = 0;
  for (let low = 0, high; low < 13; low = high + 1) {
    for (high = low; copies[high]; high++);
    if (high - low < 3) continue;
    length = high - low;
    runs = copies.slice(low, high).reduce((ways, number) => ways * number, 1);
  }
  const points = 2 * ways[15] + 2 * sum(pairs) + length * runs;
  combinationsByRanks.set(key, { fifteens: ways[15], pairs, length, runs, points });
  return combinationsByRanks.get(key);
}

const countRanks = (ranks) => combinationsOf(ranks).points;

// The points of suits. The starter may be still to come.
function countSuits(kept, starter, crib = false) {
  const suit = kept[0][1],
    suited = kept.every((card) => card[1] === suit);
  return {
    flush: suited && starter?.[1] === suit ? 5 : suited && !crib ? 4 : 0,
    nobs: Number(kept.some((card) => card[0] === "J" && card[1] === starter?.[1])),
  };
}

const ranksOf = (kept, starter) => [...kept, ...(starter ? [starter] : [])].map(rankOf);

// The points of four cards and the starter, all with their suits.
function countHand(kept, starter, crib = false) {
  const { flush, nobs } = countSuits(kept, starter, crib);
  return countRanks(ranksOf(kept, starter)) + flush + nobs;
}

// Every way to give cards the suits that are not known.
const suitings = (cards) =>
  cards.reduce(
    (ways, card) =>
      ways.flatMap((dealt) =>
        (card[1] ? [card] : [...SUITS].map((suit) => card + suit))
          .filter((suited) => !dealt.includes(suited))
          .map((suited) => [...dealt, suited]),
      ),
    [[]],
  );

const countsByCards = new Map(); // because a game is counted anew with every entry

// The points of four cards and the starter, of which suits may not be known: the least first, then
// every other total with what makes it more.
function possibleCounts(kept, starter, crib = false) {
  const key = `${kept}:${starter}:${crib}`;
  if (countsByCards.has(key)) return countsByCards.get(key);
  const reasons = new Map();
  for (const [first, second, third, fourth, cut] of suitings([...kept, starter])) {
    const { flush, nobs } = countSuits([first, second, third, fourth], cut, crib);
    reasons.set(flush + nobs, flush === 5 ? "five in suit" : flush ? "a flush" : "nobs");
  }
  const points = countRanks(ranksOf(kept, starter)),
    totals = [...reasons.keys()].sort((extra, other) => extra - other),
    ways = totals.map((extra, i) => [points + extra, i ? reasons.get(extra) : ""]);
  countsByCards.set(key, { points: ways[0][0], ways });
  return countsByCards.get(key);
}

const NUMBER_WORDS = (
  "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
  "sixteen seventeen eighteen nineteen twenty"
).split(" ");
const numberWord = (number) => NUMBER_WORDS[number] ?? `twenty-${NUMBER_WORDS[number - 20]}`;

// The count as players call it out.
function spoken(kept, starter, crib = false) {
  const { fifteens, pairs, length, runs } = combinationsOf(ranksOf(kept, starter)),
    { flush, nobs } = countSuits(kept, starter, crib),
    pairNames = { 1: "a pair", 3: "a pair royal", 6: "a double pair royal" };
  const called = range(0, fifteens).map(() => ["fifteen", 2]);
  // All pairs are in a run that comes more than once.
  if (runs < 2) called.push(...pairs.map((number) => [pairNames[number], 2 * number]));
  if (runs) {
    const kind = ["", "", "double ", "triple ", "double double "][runs],
      inRun = runs < 2 ? 0 : 2 * sum(pairs);
    called.push([`a ${kind}run of ${numberWord(length)}`, length * runs + inRun]);
  }
  if (flush) called.push(["a flush", flush]);
  if (nobs) called.push(["his nobs", 1]);
  let total = 0;
  const calls = called.map(([name, points]) => {
    total += points;
    return `${name} ${name === "fifteen" ? "" : "is "}${numberWord(total)}`;
  });
  if (calls.length > 1 && !calls.at(-1).startsWith("fifteen")) calls.push(`and ${calls.pop()}`);
  return calls.join(", ") || "no points";
}

// ---- The play. Pone has seat 0 and leads, the dealer has seat 1.

const ROLES = ["pone", "dealer"],
  LIMIT = 31,
  ANY_FITS = LIMIT - 10; // up to this count nobody can say go

const cribSign = (role) => (role === "dealer" ? 1 : -1);
const heels = (starter) => (starter?.[0] === "J" ? 2 : 0);

// The pegs for the last of the cards on the table.
function pegsOf(table, count) {
  const pegs = [],
    ranks = table.map(rankOf).reverse();
  if (count === 15) pegs.push(["fifteen", 2]);
  if (count === LIMIT) pegs.push(["thirty-one", 2]);
  let alike = 1;
  while (ranks[alike] === ranks[0]) alike++;
  if (alike > 1) {
    const kind = ["pair", "pair royal", "double pair royal"][alike - 2];
    return [...pegs, [kind, alike * (alike - 1)]];
  }
  for (let length = ranks.length; length > 2; length--) {
    const latest = ranks.slice(0, length),
      isRun = Math.max(...latest) - Math.min(...latest) === length - 1;
    if (isRun && new Set(latest).size === length) return [...pegs, ["run", length]];
  }
  return pegs;
}

// A play of four cards each, card by card. The go of a player who has no cards is silent.
class Play {
  steps = [];
  turn = 0;
  count = 0;
  table = [];
  left = [4, 4];
  alone = false; // whether the other player has said go
  last = 0; // the seat that played the last card

  get over() {
    return !this.left[0] && !this.left[1];
  }
  get played() {
    return this.steps.filter((step) => step.card).map((step) => step.card);
  }
  get text() {
    return this.steps.map((step) => step.card ?? (step.renege ? "go!!" : "go")).join(" ");
  }
  fits(card) {
    return this.count + valueOf(card) <= LIMIT;
  }
  playedBy(seat) {
    return this.steps.filter((step) => step.card && step.seat === seat).map((step) => step.card);
  }
  play(card) {
    const seat = this.turn,
      across = 1 - seat;
    this.left[seat]--;
    this.table.push(card);
    this.last = seat;
    this.count += valueOf(card);
    const pegs = pegsOf(this.table, this.count).map(([kind, points]) => ({ seat, kind, points }));
    if (this.over && this.count < LIMIT) pegs.push({ seat, kind: "last card", points: 1 });
    this.steps.push({ seat, card, count: this.count, pegs });
    if (this.count === LIMIT) this.begin(across);
    else if (!this.alone && this.left[across]) this.turn = across;
    if (!this.over && !this.left[this.turn]) this.end({ silent: true });
  }
  go() {
    if (this.alone || !this.left[1 - this.turn]) return this.end({ silent: false });
    this.steps.push({ seat: this.turn, count: this.count, pegs: [] });
    this.alone = true;
    this.turn = 1 - this.turn;
  }
  end({ silent }) {
    const pegs = [{ seat: this.last, kind: "go", points: 1 }];
    this.steps.push({ seat: this.turn, count: this.count, pegs, silent });
    this.begin(1 - this.last);
  }
  begin(seat) {
    this.table = [];
    this.count = 0;
    this.alone = false;
    this.turn = this.left[seat] ? seat : 1 - seat;
  }
}

// ---- Scores and positions.

const WINNING_SCORE = 121;

// The points in a text, yours first, and which of them is starred as the dealer's; null if it is no score.
function scoreIn(text) {
  const [, own, star, other, otherStar] =
    /^\s*(\d{1,3})(?:\.0*)?\s*(\*?)\s*(?:(?:[-:/\u2010-\u2015\u2212]|to\b)\s*|(?<=\s))(\d{1,3})(?:\.0*)?\s*(\*?)\s*$/.exec(
      text,
    ) ?? [];
  if (!own || (star && otherStar)) return null;
  return { points: [Number(own), Number(other)], starred: [star, otherStar].indexOf("*") };
}

// The points of a score before a deal, as the player of a role gives it.
function parseScore(text, role) {
  const score = scoreIn(text);
  if (!score || Math.max(...score.points) >= WINNING_SCORE)
    throw new Wrong(
      `invalid score ${quote(text)}: expected points from 0 to 120, yours first, as 95-110`,
    );
  if (score.starred === (role === "dealer" ? 1 : 0))
    throw new Wrong(`${quote(text)}: the star is not at the dealer's points, and you are ${role}`);
  return score.points;
}

// The texts that a position is made of: six cards, or four and a play; null if there is no role.
function positionIn(text) {
  const [, role, cards, discarded, starter, played] =
    /^\s*(\w+)\s*:([^/:@?]*)(?:\/([^:@?]*))?(?::([^:@?]*))?(?::([^:@?]*))?(?:[@?].*)?$/.exec(
      text,
    ) ?? [];
  return role ? { role: role.toLowerCase(), cards, discarded, starter, played } : null;
}

// A position of six cards: which two to discard.
const SIX_CARDS = /^[^:]*:(?:\W*(?:10|[A1-9TJQKX])\W*[CDHS♣♦♥♠]?){6}\W*(?:[@?]|$)/i;

// The question in an address. A score stands apart from its position.
function questionIn(text) {
  const question = Object.fromEntries(new URLSearchParams(text));
  const [, position, score, more] = /^([^@?]*)(?:@([^?]*))?(.*)$/.exec(question.position ?? "");
  if (position) question.position = position + more;
  if (score) question.score = score;
  return question;
}

// Five cards are counted, and no question of a discard.
const isHand = (text) => cardsOrNull(text)?.length === 5;
