"use strict";
// Cards, read as people write them and drawn, and the elements and numbers of pages. What people
// wrote is text, never HTML.

// HTML, in which every value that is not HTML itself is text.
class Markup {
  constructor(text) {
    this.text = text;
  }
  toString() {
    return this.text;
  }
}
const escape = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const written = (value) =>
  Array.isArray(value)
    ? value.map(written).join("")
    : value == null || value === false
      ? ""
      : value instanceof Markup
        ? value.text
        : escape(value);
const markup = (texts, ...values) =>
  new Markup(texts.map((text, at) => (at ? written(values[at - 1]) : "") + text).join(""));

const SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };
const SPELT = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
const SUIT_NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const rankSign = (rank) => (rank === "T" ? "10" : rank);
const inSigns = (card) => rankSign(card[0]) + (SIGNS[card[1]] || "");
const isRed = (card) => /[DH]/.test(card[1] || "");
const aloud = (card) => (SPELT[card[0]] || card[0]) + (card[1] ? ` of ${SUIT_NAMES[card[1]]}` : "");
const allAloud = (cards) => cards.map(aloud).join(", ");

// Cards in a line of text.
const small = (cards) =>
  markup`<span class="k">${cards.map(
    (card) =>
      markup`<b class="${isRed(card) && "red"}" role="img" aria-label="${aloud(card)}">${inSigns(card)}</b>`,
  )}</span>`;

// A text in which cards are written, as 5H, with these drawn.
const withCards = (text) =>
  text
    .split(/((?<!\w)[A2-9TJQK][CDHS](?: [A2-9TJQK][CDHS])*(?!\w))/)
    .map((piece, at) => (at % 2 ? small(piece.split(" ")) : minus(piece)));

// A card as it lies on the table. Its name stands beside it.
function drawCard(card, kind = "") {
  const suit = card[1] && `<use href="#suit-${card[1]}" transform="translate`,
    [x, y] = suit ? [27, 47] : [50, 86],
    narrow = card[0] === "T" && markup` textLength="44" lengthAdjust="spacingAndGlyphs"`;
  return markup`<svg class="card ${isRed(card) && "red"} ${kind}" viewBox="0 0 100 140" aria-hidden="true"><text
    class="large" x="${x}" y="${y}" text-anchor="middle"${narrow}>${rankSign(card[0])}</text>${
      suit && new Markup(`${suit}(27 72) scale(.32)"/>${suit}(66 100) scale(.52)"/>`)
    }</svg>`;
}

const minus = (text) => String(text).replace(/(?<!\w)-|-(?!\w)/g, "−");
const points = (value, digits = 2) =>
  minus((Math.round(value * 10 ** digits) / 10 ** digits + 0).toFixed(digits));
const signed = (value) => (points(value).startsWith("−") ? "" : "+") + points(value);
const percent = (chance) => {
  const [rare, sure] = [chance < 0.0005 && chance > 1e-9, chance > 0.9995 && chance < 1 - 1e-9];
  return rare ? "under 0.1%" : sure ? "over 99.9%" : `${(100 * chance).toFixed(1)}%`;
};
const joined = (parts, last = "and") =>
  parts.length > 1 ? `${parts.slice(0, -1).join(", ")} ${last} ${parts.at(-1)}` : parts[0] || "";

// ---- What people write.

// Cards are 4 * rank + suit. A card without a suit has the suit -1.
const RANKS = "A23456789TJQK",
  SUITS = "CDHS";

class Wrong extends Error {}

const quote = (text) =>
  `'${String(text).slice(0, 60).replace(/\s+/g, " ")}${String(text).length > 60 ? "…" : ""}'`;

const SUIT_OF = { C: 0, "♣": 0, "♧": 0, D: 1, "♦": 1, "♢": 1, H: 2, "♥": 2, "♡": 2, S: 3 };
Object.assign(SUIT_OF, { "♠": 3, "♤": 3 });
const RANK = "10|[A1-9TJQK]",
  SUIT = `[${Object.keys(SUIT_OF).join("")}]`,
  BETWEEN = "[\\s,;+/|()[\\]{}'\"“”„‘’«»\\u2010-\\u2015\\u2212\\ufeff-]";
const SUITED = `(?:(${RANK})(?:(${SUIT})|[\\s-]+(${SUIT})(?!${RANK}))|(${SUIT})\\ufe0f?[\\s-]*(${RANK}))\\ufe0f?`;
const PIECES = new RegExp(
  `${SUITED}|(${RANK})(?=${RANK}|${SUIT}|${BETWEEN}|$)|${BETWEEN}+|(?<ten>x)(?=x|${BETWEEN}|$)|(?<bad>[^](?:(?!${BETWEEN}|${SUITED}).){0,29})`,
  "gi",
);

// Cards in letters and signs as game/cards.py reads them; x, any ten-card, where it is averaged.
function cardsIn(text, tens = false) {
  const cards = [];
  for (const piece of String(text).matchAll(PIECES)) {
    if (piece.groups.ten) {
      if (!tens) throw new Wrong("x, any ten-card, is averaged by cribev advise, not here");
      cards.push({ rank: RANKS.length, suit: -1, text: "x" });
      continue;
    }
    if (piece.groups.bad)
      throw new Wrong(`invalid card ${quote(piece.groups.bad)}: expected one as 5H or 5`);
    const rank = piece[1] || piece[5] || piece[6],
      suit = SUIT_OF[(piece[2] || piece[3] || piece[4] || "").toUpperCase()] ?? -1;
    if (!rank) continue;
    if (rank === "1" && suit >= 0)
      throw new Wrong(
        `${quote(piece[0])} in ${quote(text)} may be the ace or the ten: write A${SUITS[suit]} or 10${SUITS[suit]}`,
      );
    const place = RANKS.indexOf({ 10: "T", 1: "A" }[rank] || rank.toUpperCase());
    cards.push({ rank: place, suit, text: RANKS[place] + (SUITS[suit] || "") });
  }
  return cards;
}

// A hand of a number of cards, or of any.
function parse(text, number, suitless = false) {
  const cards = cardsIn(text);
  if (number && cards.length !== number)
    throw new Wrong(`${quote(text)}: expected ${number} cards, not ${cards.length}`);
  const bare = cards.filter((card) => card.suit < 0);
  if (bare.length && (!suitless || bare.length < cards.length))
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
