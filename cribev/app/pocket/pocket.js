"use strict";
// The page that advises without a server: ten hands in a row, and the engine that Ask asks.

// ---- View.

const SQUARES = { best: "🟩", close: "🟩", inaccuracy: "🟨", mistake: "🟧", blunder: "🟥" };

// Each of a ten's addresses has its seed, the opponent and the discards made so far.
const tenAddress = ({ ten, opponent }, discards = [], show = "") =>
  `#${addressText({ ten, opponent, discards: discards.join("."), show })}`;

const drawTen = (title, announcement, html) => ({
  title,
  html: markup`<section class="felt table ten drill" data-announce="${announcement}">${html}</section>`,
});

const drawSquares = (grades) =>
  markup`<span class="squares">${grades.map(
    ({ verdict }) => markup`<i class="${verdict}" role="img" aria-label="${verdict}"></i>`,
  )}</span>`;

const lostBy = (grades) => formatPoints(sum(grades.map((graded) => graded.cost)));

// The discard that was just made, and the answer to its question.
function drawDiscard(question, discards, grades) {
  const { ten, opponent } = question,
    { cards, role } = dealtIn(ten, grades.length - 1),
    asked = { position: `${role}:${cards.join("")}`, mine: discards.at(-1), opponent },
    title = `Hand ${grades.length} of ${TEN}`,
    { cost } = grades.at(-1),
    verdict = `${title} ${cost > 0.005 ? `cost ${formatPoints(cost)}` : "was best"}`,
    words = grades.length === TEN ? "The score" : "Next hand";
  const { html } = drawTen(
    title,
    verdict,
    markup`<h2 class="told">${verdict}, ${lostBy(grades)} in all</h2>${drawSquares(grades)}
    <p><a class="go" href="${tenAddress(question, discards)}">${words}</a></p>`,
  );
  return { title, html: markup`${html}${drawn(answerTo(asked), asked).html}` };
}

function drawTotal(question, grades) {
  const lost = lostBy(grades),
    same = tenAddress(question),
    others = tenAddress({ ...question, ten: anySeed() }),
    link = location.protocol === "file:" ? "" : `\n${location.origin}${location.pathname}${same}`,
    squares = grades.map((graded) => SQUARES[graded.verdict]).join(""),
    text = `${TEN} hands of cribbage, ${lost} points lost\n${squares}${link}`;
  return drawTen(
    `${TEN} hands`,
    `${lost} points lost in ${TEN} hands`,
    markup`<h2 class="told">${TEN} hands, ${lost} points lost</h2>${drawSquares(grades)}
    <p>Against ${question.opponent === "expert" ? "an expert" : question.opponent}. Whoever opens <a href="${same}">these ten</a> is dealt the same.</p>
    <p class="row"><button type="button" class="plain" data-text="${text}" hidden>Copy</button><a class="go" href="${others}">Ten others</a></p>`,
  );
}

function drawNextHand(question, discards, grades) {
  const { cards, role } = dealtIn(question.ten, grades.length),
    crib = role === "dealer" ? "The crib is yours" : "The crib is your opponent’s",
    title = `Hand ${grades.length + 1} of ${TEN}`,
    next = tenAddress(question, [...discards, "*"], 1);
  const buttons = cards.map(
    (card) =>
      markup`<button type="button" class="plays" data-discard="${card}" aria-pressed="false" aria-label="${aloud(card)}">${drawCard(card)}</button>`,
  );
  return drawTen(
    title,
    `${crib}: ${allAloud(cards)}`,
    markup`<h2 class="told" data-next="${next}">${title}. ${crib}: which two do you discard?</h2>
    <div class="six">${buttons}</div>${grades.length > 0 && drawSquares(grades)}`,
  );
}

// Two cards are chosen before anything is said of them.
function drawInARow({ ten, opponent = facts.opponents[0], discards: text = "", show }) {
  const question = { ten, opponent: oneOf(opponent, facts.opponents, "opponent") },
    discards = text.split(".").filter(Boolean);
  if (!/^[A-Za-z0-9-]{1,40}$/.test(ten))
    throw new Wrong(`ten=${quote(ten)}: expected up to 40 letters, digits and dashes`);
  if (discards.length > TEN) throw new Wrong(`discards=${quote(text)}: expected at most ${TEN}`);
  const grades = gradesOf(ten, discards, question.opponent);
  if (show && grades.length) return drawDiscard(question, discards, grades);
  if (grades.length === TEN) return drawTotal(question, grades);
  return drawNextHand(question, discards, grades);
}

// ---- Page.

const anySeed = () => Math.random().toString(36).slice(2, 8);

// The date here, which is the seed of today's ten. Swedish dates are written as 2026-11-28.
const today = () => new Date().toLocaleDateString("sv-SE");

function dealTen(ten) {
  const { opponent } = document.getElementById("ask").elements;
  location.hash = tenAddress({ ten, opponent: opponent?.value || facts.opponents[0] });
}

function chooseDiscard(event) {
  const card = event.target.closest("[data-discard]");
  if (!card) return;
  card.ariaPressed = String(card.ariaPressed !== "true");
  const hand = card.closest(".ten"),
    chosen = [...hand.querySelectorAll("[aria-pressed=true]")],
    discard = chosen.map((button) => button.dataset.discard).join("");
  if (chosen.length === 2)
    location.hash = hand.querySelector("[data-next]").dataset.next.replace("*", discard);
}

// The address shows the recorder, or Ask.
function turn() {
  const isBoard = location.hash === "#board";
  document.getElementById("recorder").hidden = !isBoard;
  document.getElementById("asking").hidden = isBoard;
  for (const link of document.querySelectorAll(".top nav a"))
    link.ariaCurrent = (link.getAttribute("href") === "#board") === isBoard ? "page" : null;
  if (isBoard) document.title = "A game at a real board · cribev";
}

const ready = unpack(
  document.getElementById("tables").textContent,
  JSON.parse(document.getElementById("bands").textContent),
);

// The engine that Ask asks here, where it would ask a server.
window.pocket = {
  place: "#",
  asks: (question) => question.ten,
  deal: () => dealTen(anySeed()),
  async ask(question) {
    await ready;
    return question.ten ? drawInARow(question) : answerTo(question);
  },
  async grade(...discard) {
    await ready;
    return grade(...discard);
  },
};

document.getElementById("answer").addEventListener("click", chooseDiscard);
document.getElementById("today").addEventListener("click", (event) => {
  event.preventDefault();
  dealTen(today());
});
addEventListener("popstate", turn);
turn();
if (document.querySelector("link[rel=manifest]")) navigator.serviceWorker?.register("worker.js");
