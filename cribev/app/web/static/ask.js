"use strict";
// What a page lets one copy, the form of Ask, and answers on any page.

// What is shown is copied: its text, or a link to it. A page that is not safe has no clipboard but a selection.
function copied(part) {
  for (const link of part.querySelectorAll("[data-copy]")) link.textContent = link.dataset.copy;
  for (const button of part.querySelectorAll("button[data-text]")) {
    button.hidden = false;
    button.textContent = "Copy";
  }
}
async function copy(text, from) {
  try {
    return await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.className = "hidden";
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    from.focus({ preventScroll: true });
    if (!done) throw new Error("nothing can be copied");
  }
}
document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-copy], button[data-text]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  // Nobody else can follow a link to this machine, unless it has a name.
  const own =
    link.href &&
    ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname) &&
    !document.body.dataset.named;
  const named = link.href?.replace(location.origin, document.body.dataset.named || location.origin);
  const text = [link.dataset.text, named].filter(Boolean).join(" ");
  try {
    await copy(text, link);
    link.textContent = own ? "Copied: works on this machine" : "Copied";
    setTimeout(() => copied(document), 2000);
  } catch {
    if (link.href) location.assign(link.href);
    else prompt("Copy this:", text);
  }
});
copied(document);

// What a server knows, which a file works out itself.
const SERVER = {
  isSlow: true, // at a score
  place: "/ask?",

  async ask({ cards, role, mine, ...question }, { brief, signal } = {}) {
    if (isHand(cards)) {
      const [hand, crib] = await Promise.all(
        ["", "1"].map((crib) => fromServer("score", { cards, crib, explain: "1" }, signal)),
      );
      return { hand, crib };
    }
    const whose = role || (/\*/.test(question.score) ? "" : "dealer"),
      given = question.position ? {} : { cards, role: whose };
    const more = brief ? {} : { versus: mine, explain: "1" };
    return fromServer("advice", { ...question, ...given, ...more }, signal);
  },
};
const engine = window.pocket || SERVER;

async function fromServer(name, given, signal) {
  const answer = await fetch(`/api/${name}?${known(given)}`, { signal }).catch(() => {
    signal?.throwIfAborted();
    throw new Wrong("No answer: is cribev serve still running?");
  });
  if (answer.status === 503) {
    const seconds = Number(answer.headers.get("Retry-After")) || 2;
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
    signal?.throwIfAborted();
    return fromServer(name, given, signal);
  }
  const found = await answer.json();
  if (!answer.ok) throw new Wrong(found.error);
  return found;
}

// Whether five cards are given, to be counted.
function isHand(text) {
  try {
    return parse(text ?? "", 5).length === 5;
  } catch {
    return false;
  }
}

// The question in an address; a score stands apart from its position.
function questionIn(text) {
  const question = Object.fromEntries(new URLSearchParams(text));
  const [, position, score, more] = /^([^@?]*)(?:@([^?]*))?(.*)$/.exec(question.position || "");
  if (position) question.position = position + more;
  if (score) question.score = score;
  return question;
}

const SIX_OR_MORE =
  "Six cards to ask which two to discard; five, the starter last, to count them; " +
  "four and the play, as pone:4H5CJDJS/9CKD:7H:J5, to ask which card.";

// A position of six cards: which two to discard.
const SIX_CARDS = /^[^:]*:(?:\W*(?:10|[A1-9TJQKX])\W*[CDHS♣♦♥♠]?){6}\W*(?:[@?]|$)/i;

// What is known of a question, as an address has it.
const known = (given) => new URLSearchParams(Object.entries(given).filter(([, text]) => text));
const addressOf = ({ stakes, opponent, ...given }) => {
  const [plain, other] = [stakes === "win", opponent === "expert"],
    text = known({ ...given, stakes: !plain && stakes, opponent: !other && opponent });
  return engine.place + text.toString().replace(/%(3A|40|2F)/g, decodeURIComponent);
};

// An answer, and the addresses of others.
function drawn(answer, { mine, opponent, stakes, show_only }) {
  const { position } = answer,
    link = (other) => addressOf({ position, mine, opponent, stakes, show_only, ...other });
  return answer.html ? answer : Answer.draw(answer, { mine, link });
}

// An answer on a page that asks something else first.
for (const part of document.querySelectorAll("[data-ask]")) {
  const question = questionIn(part.dataset.ask);
  engine
    .ask(question)
    .then((answer) => {
      part.innerHTML = drawn(answer, question).html;
      copied(part);
    })
    .catch((problem) => {
      part.innerHTML = markup`<p class="wrong" role="alert">${problem.message}</p>`;
    });
}

// Which card to play? Four cards are kept, two discarded and one cut, which need not be known, and
// others played. The recorder knows whose turn it is, and what is played of itself.
const PASS = "-";

function playOf({ kept, discarded, starter, moves }, role) {
  const game = { dealer: role === "dealer" ? 0 : 1, you: "You", them: "Opponent", start: [0, 0] },
    used = [kept, discarded, starter, moves].flat(),
    spare = [..."A23456789TQK"].map((rank, at) => rank + SUITS[at % 4]);
  const free = spare.filter((card) => !used.includes(card)); // in place of what is not known
  const told = (kind, cards, number) =>
    (cards[0] === PASS ? free.splice(0, number) : cards).map((card) => kind + card);
  const entries = [...told("k", kept), ...told("k", discarded, 2), ...told("c", starter, 1)];
  let state = Recorder.replay(game, { entries });
  const steps = () => state.deals[0].play.steps.filter((step) => !step.silent);
  for (const [number, move] of moves.entries()) {
    if (state.problem || steps().length > number) continue;
    const [deal] = state.deals, // a card of yours in their turn tells their go
      passed = deal.play.count > Recorder.ANY_FITS && Recorder.left(deal).includes(move),
      own = state.asks === "mine" || passed;
    entries.push(move === "go" ? "g" : (own ? "m" : "t") + move);
    state = Recorder.replay(game, { entries });
  }
  const played = steps().map((step) => step.card || "go"),
    before =
      discarded[0] && discarded[0] !== PASS
        ? `${kept.join("")}/${discarded.join("")}`
        : kept.join("");
  return {
    ...state,
    played,
    text: [role, before, ...starter, played.join("")].filter(Boolean).join(":"),
  };
}

// What is tapped for the text of a position; null if it is none.
function tapsOf(text) {
  const [, role, kept, discarded, starter, played = ""] =
    /^\s*(dealer|pone):([^/:@?]+)(?:\/([^:@?]*))?(?::([^:@?]*))?(?::([^@?]*))?([@?].*)?$/i.exec(
      text,
    ) || [];
  const cards = (part) => (part === PASS ? [PASS] : cardsIn(part ?? "").map((card) => card.text));
  try {
    const moves = played.split(/(go)/i).flatMap((part, at) => (at % 2 ? ["go"] : cards(part)));
    const known = {
      kept: cards(kept),
      discarded: cards(discarded ?? (starter && PASS)),
      starter: cards(starter),
    };
    return role && { ...known, moves, role: role.toLowerCase() };
  } catch {
    return null;
  }
}

const PROMPTS = {
  keep: "Tap the four cards you kept",
  discard: "Tap the two you discarded",
  starter: "Tap the cut",
  mine: "Your turn",
  theirs: "Tap what your opponent played",
  count: "The play is over",
};

// Cards are tapped and typed, and an answer needs no new page.
(() => {
  const form = document.getElementById("ask");
  if (!form) return;
  const isFile = engine !== SERVER; // which keeps what is asked after its #
  const current = () => (isFile ? location.hash || "#" : location.pathname + location.search);
  const loaded = current();
  const asked = () => (isFile ? location.hash : location.search).slice(1);
  const [field, own, theirs] = ["cards", "own", "theirs"].map((name) => form.elements[name]);
  const [here, tray, count, deck] = ["answer", "tray", "count", "deck"].map((id) =>
    document.getElementById(id),
  );
  const [hint, size] = [here.innerHTML, 6];
  const none = { kept: [], discarded: [], starter: [], moves: [] };
  let [chosen, taps, asking] = [[], none, null]; // taps where a card to play is asked for
  let shown = ""; // the question whose answer is there
  let last = "";

  deck.querySelector(".deck").innerHTML = markup`${[..."SHDC"].map(
    (suit) =>
      markup`<div class="suit" role="group" aria-label="${SUIT_NAMES[suit]}">${[...RANKS].map(
        (rank) =>
          markup`<button type="button" value="${rank + suit}" class="pick" aria-label="${aloud(rank + suit)}" aria-pressed="false">${drawCard(rank + suit)}</button>`,
      )}</div>`,
  )}`;
  const picks = [...form.querySelectorAll(".pick")];

  // The cards in the field, null if there is anything else.
  function read(text) {
    try {
      return parse(text).map((card) => card.text);
    } catch {
      return null;
    }
  }

  const isOfCard = () => form.elements.asks.value === "card";

  function showPlay() {
    const { asks, deals, events, played } = playOf(taps, form.elements.role.value),
      used = [taps.kept, taps.discarded, taps.starter, played].flat(),
      passes = used.length === 4 || (asks === "starter" && !taps.starter.length),
      [last] = events.slice(-1);
    for (const pick of picks) pick.setAttribute("aria-pressed", used.includes(pick.value));
    const went = /\bgo/.test(last?.words) ? `${last.words}. ` : "",
      at = /mine|theirs/.test(asks) ? `, at ${deals[0].play.count}` : "";
    count.textContent = `${went}${PROMPTS[asks]}${at}.`;
    const cards = used.slice(taps.kept.length).filter((card) => card !== PASS && card !== "go");
    tray.innerHTML = markup`${taps.kept.map((card) => drawCard(card, "up"))}${cards.map((card) => drawCard(card))}`;
    const go = asks === "theirs" && deals[0].play.count > Recorder.ANY_FITS;
    const steps = {
      [PASS]: passes && "Not known",
      go: go && "Go",
      undo: used.length > 0 && "Undo",
    };
    document.getElementById("steps").innerHTML = markup`${Object.entries(steps).map(
      ([tap, words]) =>
        words && markup`<button type="button" class="plain" data-tap="${tap}">${words}</button>`,
    )}`;
    deck.open = asks !== "count";
  }

  function tap(text) {
    const next = structuredClone(taps),
      { kept, discarded, starter, moves } = next,
      role = form.elements.role.value;
    if (text === "undo") {
      const last = [moves, starter, discarded, kept].find((group) => group.length),
        before = playOf(taps, role).played.length;
      do last.pop();
      while (last === moves && last.length && playOf(next, role).played.length >= before);
    } else if (kept.length < 4) kept.push(text);
    else if (discarded[0] !== PASS && discarded.length < 2) discarded.push(text);
    else (starter.length ? moves : starter).push(text);
    const { problem, played, text: position } = playOf(next, role);
    if (problem) return tell(`${problem.why[0].toUpperCase()}${problem.why.slice(1)}.`);
    taps = { ...next, moves: played };
    field.value = kept.length ? position : "";
    changed();
  }

  function showCards() {
    if (isOfCard()) return showPlay();
    document.getElementById("steps").innerHTML = "";
    for (const pick of picks) pick.setAttribute("aria-pressed", chosen.includes(pick.value));
    form.classList.toggle("full", chosen.length === size);
    const left = size - chosen.length;
    const words = { 0: "Your six cards", [size]: "Six cards" };
    count.textContent = words[left] ?? (left > 0 ? `${left} more` : "Too many");
    const slots = Array(Math.max(left, 0)).fill(markup`<span class="slot"></span>`);
    tray.innerHTML = markup`${chosen.map((card) => drawCard(card))}${slots}`;
    if (chosen.length < size) deck.open = true;
  }

  // The address of the form: of cards that cannot be read too, so that they are still there.
  function address() {
    const { role, opponent, stakes } = form.elements,
      score = own.value.trim() && theirs.value.trim() && `${own.value}-${theirs.value}`,
      typed = field.value.trim();
    const more = { stakes: score && stakes?.value, opponent: opponent.value };
    if (typed.includes(":") || chosen.length === size) {
      const asked = typed.includes(":") ? typed : `${role.value}:${chosen.join("")}`,
        position = score && !asked.includes("@") ? `${asked}@${score}` : asked;
      return addressOf({ position, ...more });
    }
    return addressOf({ cards: typed || " ", role: role.value, score, ...more });
  }

  function fill() {
    const { position = "", score, ...question } = questionIn(asked());
    const [, role, cards] = /^\s*(\w+)\s*:([^:/?]*)/.exec(position) || [];
    const isCard = cards && read(cards)?.length !== size;
    field.value = question.cards ?? (isCard ? position : cards) ?? "";
    chosen = isCard ? [] : read(field.value) || [];
    form.elements.asks.value = isCard ? "card" : "two";
    taps = (isCard && tapsOf(position)) || none;
    [own.value, theirs.value] = score?.match(/\d+/g) || ["", ""];
    const { opponent, stakes } = form.elements;
    for (const one of form.elements.role)
      one.checked = one.value === (role || question.role || "dealer");
    if (stakes) stakes.value = question.stakes || "win";
    opponent.value = question.opponent || "expert";
    if (opponent.selectedIndex < 0) opponent.selectedIndex = 0;
    showCards();
  }

  // What is wrong stands at its field.
  function tell(message) {
    const ofScore = /score|points|stakes/.test(message) && !/'cards'|card|of a play/.test(message);
    for (const [id, at, fields] of [
      ["wrong-score", ofScore, [own, theirs]],
      ["wrong", !ofScore, [field]],
    ]) {
      document.getElementById(id).textContent = message && at ? message : "";
      for (const one of fields) one.ariaInvalid = message && at ? "true" : null;
    }
    if (message) [here.innerHTML, shown] = ["", ""];
  }

  function show(answer, question, focus) {
    const { title, html } = drawn(answer, question);
    here.innerHTML = html;
    copied(here);
    document.title = `${title} · cribev`;
    const verdict = here.querySelector(".ten, .hero, .counted");
    if (verdict) {
      // the deck folds away
      if (deck.contains(document.activeElement))
        deck.firstElementChild.focus({ preventScroll: true });
      deck.open = false;
    }
    const mine = focus && here.querySelector(".mine");
    if (!answer.pending)
      document.getElementById("announcement").textContent =
        (mine || verdict)?.dataset.announce || here.textContent.trim();
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
    if (verdict && !focus && verdict.getBoundingClientRect().top > innerHeight - 80)
      verdict.scrollIntoView({ behavior });
    if (focus) here.querySelector(focus)?.focus({ preventScroll: true });
    if (mine && mine.getBoundingClientRect().bottom > innerHeight)
      mine.scrollIntoView({ behavior, block: "nearest" });
  }

  // Ask what an address asks; at a score by points first, at once.
  async function ask(there, { remember = true, focus = null } = {}) {
    asking?.abort();
    const signal = (asking = new AbortController()).signal;
    if (remember && current() !== there) history.pushState(null, "", there);
    last = current();
    const question = questionIn(asked()),
      same = JSON.stringify({ ...question, mine: "" });
    document.body.classList.add("busy");
    try {
      const number = "cards" in question ? (read(question.cards)?.length ?? size) : size;
      if (number !== size && number !== size - 1) throw new Wrong(SIX_OR_MORE);
      const isCard = question.position && !SIX_CARDS.test(question.position);
      // The server has said of the page's own address that it cannot be read.
      if (isCard && !isFile && there !== loaded) return location.assign(there);
      if (isCard && isFile) {
        tell("");
        here.innerHTML = markup`<section class="worst counted"><p>This file does not know the play. <code>cribev serve</code> and <code>cribev play</code> answer</p>
          <p class="row"><code class="position">${question.position}</code><button type="button" class="plain" data-text="${question.position}">Copy</button></p></section>`;
        return copied(here);
      }
      if (engine.isSlow && question.score && same !== shown) {
        const first = await engine.ask(
          { ...question, score: "", stakes: "" },
          { brief: true, signal },
        );
        const score = (question.score.match(/\d+/g) ?? []).map(Number);
        if (first.discards && score.length === 2) {
          const position = `${first.position}@${question.score}`;
          tell("");
          show({ ...first, position, score, pending: true }, question);
        }
      }
      const answer = await engine.ask(question, { signal });
      tell("");
      shown = same;
      show(answer, question, focus);
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Wrong)) throw problem;
      document.title = "Ask · cribev";
      tell(problem.message);
    } finally {
      if (!signal.aborted) document.body.classList.remove("busy");
    }
  }

  function changed() {
    showCards();
    tell("");
    [here.innerHTML, shown] = ["", ""];
    asking?.abort();
    document.body.classList.remove("busy");
    if (chosen.length === size && !isOfCard()) ask(address());
  }

  function toggle(text) {
    if (isOfCard()) return tap(text);
    if (chosen.includes(text)) chosen = chosen.filter((one) => one !== text);
    else if (chosen.length < size) chosen = [...chosen, text];
    else return;
    field.value = chosen.join(" ");
    changed();
  }

  form.addEventListener("click", (event) => {
    const pick = event.target.closest(".pick"),
      step = event.target.closest("[data-tap]");
    if (step) tap(step.dataset.tap);
    if (!pick) return;
    rove(pick);
    toggle(pick.value);
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!isOfCard()) chosen = read(field.value) || [];
    showCards();
    const points = [own, theirs].filter((one) => one.value.trim());
    if (points.length === 1) return tell("The score has points for one of you: both, or neither.");
    ask(address());
  });

  field.addEventListener("input", () => {
    const position = tapsOf(field.value);
    if (position && position.kept.length !== size) {
      form.elements.asks.value = "card";
      form.elements.role.value = position.role;
      taps = position;
      return showCards();
    }
    const cards = read(field.value);
    if (!cards || cards.length > size) return;
    const before = chosen.join("");
    chosen = cards;
    if (chosen.join("") !== before) changed();
  });

  form.addEventListener("change", (event) => {
    if (event.target === field || !event.target.name) return;
    if (event.target.name === "asks") [chosen, taps, field.value] = [[], none, ""];
    if (event.target.name === "asks" || isOfCard()) {
      if (taps.kept.length) field.value = playOf(taps, form.elements.role.value).text;
      return changed();
    }
    const points = [own, theirs];
    if (points.includes(event.target) && points.filter((one) => one.value).length === 1) return;
    if (chosen.length === size || here.querySelector(".verdict")) ask(address());
  });

  // One stop for the tab key; arrows, Home and End move within the deck.
  function rove(to) {
    for (const pick of picks) pick.tabIndex = pick === to ? 0 : -1;
    to.focus({ preventScroll: true });
  }
  for (const pick of picks.slice(1)) pick.tabIndex = -1;
  deck.addEventListener("keydown", (event) => {
    const at = picks.indexOf(event.target);
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 13, ArrowUp: -13 }[event.key];
    let to = step === undefined ? undefined : at + step;
    if (event.key === "Home") to = at - (at % 13);
    if (event.key === "End") to = at - (at % 13) + 12;
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    if (picks[to]) {
      rove(picks[to]);
      picks[to].scrollIntoView({ block: "nearest" });
    }
  });

  here.addEventListener("click", (event) => {
    const row = event.target.closest(".rows a");
    if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    ask(row.getAttribute("href"), { focus: ".rows a[aria-current]" });
  });

  const start = () => {
    fill();
    if (form.dataset.served)
      return (deck.open = delete form.dataset.served && !here.children.length);
    const question = questionIn(asked());
    if (question.position || question.cards || engine.asks?.(question))
      ask(current(), { remember: false });
    else {
      tell("");
      [here.innerHTML, shown, document.title] = [hint, "", "Ask · cribev"];
    }
  };

  document.getElementById("deal").addEventListener("click", () => {
    if (engine.deal) return engine.deal();
    const cards = picks.map((pick) => pick.value);
    chosen = Array.from({ length: size }, () =>
      cards.splice(Math.floor(Math.random() * cards.length), 1),
    ).flat();
    field.value = chosen.join(" ");
    changed();
  });
  document.getElementById("clear").addEventListener("click", () => {
    history.pushState(null, "", isFile ? "#" : "/ask");
    start();
  });
  addEventListener("popstate", () => current() !== last && ((last = current()), start()));
  last = current();
  start();
})();
