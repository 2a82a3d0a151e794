"use strict";
// The form of Ask, answers on any page, and the texts that a page lets one copy.

// ---- Engines: the server, or a file that works out its answers itself.

const SERVER = {
  isSlow: true, // at a score
  place: "/ask?",

  async ask({ cards, role, mine, ...question }, { brief, signal } = {}) {
    if (isHand(cards)) {
      const shows = ["", "1"].map((crib) =>
        fromServer("score", { cards, crib, explain: "1" }, signal),
      );
      const [hand, crib] = await Promise.all(shows);
      return { hand, crib };
    }
    const whose = role || (/\*/.test(question.score) ? "" : "dealer"),
      dealt = question.position ? {} : { cards, role: whose },
      more = brief ? {} : { versus: mine, explain: "1" };
    return fromServer("advice", { ...question, ...dealt, ...more }, signal);
  },
};
const engine = window.pocket ?? SERVER;

async function fromServer(name, question, signal) {
  const answer = await fetch(`/api/${name}?${addressText(question)}`, { signal }).catch(() => {
    signal?.throwIfAborted();
    throw new Wrong("No answer: is cribev serve still running?");
  });
  if (answer.status === 503) {
    const seconds = Number(answer.headers.get("Retry-After")) || 2;
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
    signal?.throwIfAborted();
    return fromServer(name, question, signal);
  }
  const json = await answer.json();
  if (!answer.ok) throw new Wrong(json.error);
  return json;
}

// The parts of a question that are known, as an address has them.
const addressText = (question) =>
  new URLSearchParams(Object.entries(question).filter(([, text]) => text));

function addressOf({ stakes, opponent, ...question }) {
  const unusual = {
    stakes: stakes !== "win" && stakes,
    opponent: opponent !== "expert" && opponent,
  };
  const text = addressText({ ...question, ...unusual }).toString();
  return engine.place + text.replace(/%(3A|40|2F)/g, decodeURIComponent);
}

// ---- View.

// An answer with links to others.
function drawn(answer, { mine, opponent, stakes, show_only }) {
  const { position } = answer,
    link = (other) => addressOf({ position, mine, opponent, stakes, show_only, ...other });
  return answer.html ? answer : Answer.draw(answer, { mine, link });
}

const SIX_OR_MORE =
  "Six cards to ask which two to discard; five, the starter last, to count them; " +
  "four and the play, as pone:4H5CJDJS/9CKD:7H:J5, to ask which card.";

const PROMPTS = {
  keep: "Tap the four cards you kept",
  discard: "Tap the two you discarded",
  starter: "Tap the cut",
  mine: "Your turn",
  theirs: "Tap what your opponent played",
  count: "The play is over",
};

const drawDeck = () =>
  markup`${[..."SHDC"].map(
    (suit) =>
      markup`<div class="suit" role="group" aria-label="${SUIT_NAMES[suit]}">${[...RANKS].map(
        (rank) =>
          markup`<button type="button" value="${rank + suit}" class="pick" aria-label="${aloud(rank + suit)}" aria-pressed="false">${drawCard(rank + suit)}</button>`,
      )}</div>`,
  )}`;

// The buttons of a card to play that are no cards.
function drawSteps({ asks, deals }, taps, used) {
  const mayPass = used.length === 4 || (asks === "starter" && !taps.starter.length),
    mayGo = asks === "theirs" && deals[0].play.count > ANY_FITS;
  const steps = {
    [Recorder.PASS]: mayPass && "Not known",
    go: mayGo && "Go",
    undo: used.length > 0 && "Undo",
  };
  return markup`${Object.entries(steps).map(
    ([tap, words]) =>
      words && markup`<button type="button" class="plain" data-tap="${tap}">${words}</button>`,
  )}`;
}

const drawUnanswered = (position) =>
  markup`<section class="worst counted"><p>This file does not know the play. <code>cribev serve</code> and <code>cribev play</code> answer</p>
    <p class="row"><code class="position">${position}</code><button type="button" class="plain" data-text="${position}">Copy</button></p></section>`;

const scrollBehavior = () =>
  matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";

// ---- Page: texts that can be copied.

// The buttons and links of a page that copy, named as before they were pressed.
function copied(page) {
  for (const link of page.querySelectorAll("[data-copy]")) link.textContent = link.dataset.copy;
  for (const button of page.querySelectorAll("button[data-text]")) {
    button.hidden = false;
    button.textContent = "Copy";
  }
}

// A page that is not safe has no clipboard, but a selection can be copied.
async function copy(text, focused) {
  try {
    return await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.className = "hidden";
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    focused.focus({ preventScroll: true });
    if (!isCopied) throw new Error("nothing can be copied");
  }
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-copy], button[data-text]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  // Nobody else can follow a link to this machine, unless it has a name.
  const { named } = document.body.dataset,
    isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname),
    address = link.href?.replace(location.origin, named || location.origin),
    text = [link.dataset.text, address].filter(Boolean).join(" ");
  try {
    await copy(text, link);
    link.textContent = address && isLocal && !named ? "Copied: works on this machine" : "Copied";
    setTimeout(() => copied(document), 2000);
  } catch {
    if (link.href) location.assign(link.href);
    else prompt("Copy this:", text);
  }
});
copied(document);

// ---- Page: answers on a page that asks something else first.

for (const place of document.querySelectorAll("[data-ask]")) {
  const question = questionIn(place.dataset.ask);
  engine
    .ask(question)
    .then((answer) => {
      place.innerHTML = drawn(answer, question).html;
      copied(place);
    })
    .catch((problem) => {
      place.innerHTML = markup`<p class="wrong" role="alert">${problem.message}</p>`;
    });
}

// ---- Page: the form. Cards are tapped and typed, and an answer needs no new page.

(() => {
  const form = document.getElementById("ask");
  if (!form) return;
  const SIX = 6,
    isFile = engine !== SERVER; // a file keeps its question after the # of its address
  const current = () => (isFile ? location.hash || "#" : location.pathname + location.search);
  const question = () => questionIn((isFile ? location.hash : location.search).slice(1));
  const [field, own, theirs] = ["cards", "own", "theirs"].map((name) => form.elements[name]);
  const ids = ["answer", "tray", "count", "deck", "steps", "announcement"],
    [place, tray, count, deck, steps, announcement] = ids.map((id) => document.getElementById(id));
  const loaded = current(),
    hint = place.innerHTML;
  let chosen = [],
    taps = Recorder.NO_TAPS, // where a card to play is asked for
    asking = null, // the controller of the question that is being asked
    shown = "", // the question whose answer is shown
    last = ""; // the address that was shown last

  deck.querySelector(".deck").innerHTML = drawDeck();
  const picks = [...form.querySelectorAll(".pick")];

  const role = () => form.elements.role.value;
  const isOfCard = () => form.elements.asks.value === "card";

  function press(cards) {
    for (const pick of picks) pick.ariaPressed = String(cards.includes(pick.value));
  }

  function clearAnswer() {
    [place.innerHTML, shown] = ["", ""];
    const answered = document.querySelector("h1.answered"); // says what was best before the tap
    if (answered) [answered.textContent, document.title] = ["Which card to play?", "Ask · cribev"];
  }

  function showPlay() {
    const state = Recorder.playOf(taps, role()),
      { asks, deals, events, played } = state,
      used = [taps.kept, taps.discarded, taps.starter, played].flat(),
      words = events.at(-1)?.words ?? "",
      went = /\bgo/.test(words) ? `${words}. ` : "",
      counted = /mine|theirs/.test(asks) ? `, at ${deals[0].play.count}` : "";
    press(used);
    count.textContent = `${went}${PROMPTS[asks]}${counted}.`;
    const others = used
      .slice(taps.kept.length)
      .filter((card) => card !== Recorder.PASS && card !== "go");
    tray.innerHTML = markup`${taps.kept.map((card) => drawCard(card, "up"))}${others.map((card) => drawCard(card))}`;
    steps.innerHTML = drawSteps(state, taps, used);
    deck.open = asks !== "count";
  }

  function showCards() {
    if (isOfCard()) return showPlay();
    const left = SIX - chosen.length,
      words = { 0: "Your six cards", [SIX]: "Six cards" },
      slots = Array(Math.max(left, 0)).fill(markup`<span class="slot"></span>`);
    steps.innerHTML = "";
    press(chosen);
    form.classList.toggle("full", left === 0);
    count.textContent = words[left] ?? (left > 0 ? `${left} more` : "Too many");
    tray.innerHTML = markup`${chosen.map((card) => drawCard(card))}${slots}`;
    if (left > 0) deck.open = true;
  }

  function tap(text) {
    const next = Recorder.tapped(taps, text, role());
    if (next.problem) {
      const { why } = next.problem;
      return tell(`${why[0].toUpperCase()}${why.slice(1)}.`);
    }
    taps = next.taps;
    field.value = next.text;
    changed();
  }

  // The address of the form. It has cards that cannot be read too, so that they are not lost.
  function address() {
    const { opponent, stakes } = form.elements,
      score = own.value.trim() && theirs.value.trim() && `${own.value}-${theirs.value}`,
      typed = field.value.trim(),
      more = { stakes: score && stakes?.value, opponent: opponent.value };
    if (!typed.includes(":") && chosen.length !== SIX)
      return addressOf({ cards: typed || " ", role: role(), score, ...more });
    const asked = typed.includes(":") ? typed : `${role()}:${chosen.join("")}`,
      position = score && !asked.includes("@") ? `${asked}@${score}` : asked;
    return addressOf({ position, ...more });
  }

  function fill() {
    const asked = question(),
      { position = "" } = asked,
      parts = positionIn(position),
      isCard = parts?.cards && cardsOrNull(parts.cards)?.length !== SIX;
    field.value = asked.cards ?? (isCard ? position : parts?.cards) ?? "";
    chosen = isCard ? [] : (cardsOrNull(field.value) ?? []);
    form.elements.asks.value = isCard ? "card" : "two";
    taps = (isCard && Recorder.tapsOf(position)) || Recorder.NO_TAPS;
    [own.value, theirs.value] = scoreIn(asked.score)?.points ?? ["", ""];
    const { opponent, stakes } = form.elements;
    form.elements.role.value = parts?.role || asked.role || "dealer";
    if (stakes) stakes.value = asked.stakes || "win";
    opponent.value = asked.opponent || "expert";
    if (opponent.selectedIndex < 0) opponent.selectedIndex = 0;
    showCards();
  }

  // A problem is told at the field that has it.
  function tell(message) {
    const isOfScore =
      /score|points|stakes/.test(message) && !/'cards'|card|of a play/.test(message);
    for (const [id, isWrong, fields] of [
      ["wrong-score", message && isOfScore, [own, theirs]],
      ["wrong", message && !isOfScore, [field]],
    ]) {
      document.getElementById(id).textContent = isWrong ? message : "";
      for (const input of fields) input.ariaInvalid = isWrong ? "true" : null;
    }
    if (message) clearAnswer();
  }

  function show(answer, asked, focus) {
    const { title, html } = drawn(answer, asked),
      behavior = scrollBehavior();
    place.innerHTML = html;
    copied(place);
    document.title = `${title} · cribev`;
    const verdict = place.querySelector(".ten, .hero, .counted"),
      mine = focus && place.querySelector(".mine");
    if (verdict) {
      // The deck folds away, and must not take the focus with it.
      if (deck.contains(document.activeElement))
        deck.firstElementChild.focus({ preventScroll: true });
      deck.open = false;
    }
    if (!answer.pending)
      announcement.textContent = (mine || verdict)?.dataset.announce || place.textContent.trim();
    if (verdict && !focus && verdict.getBoundingClientRect().top > innerHeight - 80)
      verdict.scrollIntoView({ behavior });
    if (focus) place.querySelector(focus)?.focus({ preventScroll: true });
    if (mine && mine.getBoundingClientRect().bottom > innerHeight)
      mine.scrollIntoView({ behavior, block: "nearest" });
  }

  // Points are there at once, and shown before the chances to win of a slow engine.
  async function showPoints(asked, signal) {
    const pointsOnly = { ...asked, score: "", stakes: "" },
      first = await engine.ask(pointsOnly, { brief: true, signal }),
      score = scoreIn(asked.score)?.points;
    if (!first.discards || !score) return;
    const position = `${first.position}@${asked.score}`;
    tell("");
    show({ ...first, position, score, pending: true }, asked);
  }

  function showUnanswered(position) {
    tell("");
    place.innerHTML = drawUnanswered(position);
    copied(place);
  }

  // Ask the question of an address.
  async function ask(target, { remember = true, focus = null } = {}) {
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    if (remember && current() !== target) history.pushState(null, "", target);
    last = current();
    const asked = question(),
      key = JSON.stringify({ ...asked, mine: "" });
    document.body.classList.add("busy");
    try {
      const number = "cards" in asked ? (cardsOrNull(asked.cards)?.length ?? SIX) : SIX;
      if (number !== SIX && number !== SIX - 1) throw new Wrong(SIX_OR_MORE);
      const isCard = asked.position && !SIX_CARDS.test(asked.position);
      if (isCard && isFile) return showUnanswered(asked.position);
      // The server has said of the page's own address that it cannot be read.
      if (isCard && target !== loaded) return location.assign(target);
      if (engine.isSlow && asked.score && key !== shown) await showPoints(asked, signal);
      const answer = await engine.ask(asked, { signal });
      tell("");
      shown = key;
      show(answer, asked, focus);
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
    clearAnswer();
    asking?.abort();
    document.body.classList.remove("busy");
    if (chosen.length === SIX && !isOfCard()) ask(address());
  }

  function toggle(text) {
    if (isOfCard()) return tap(text);
    if (chosen.includes(text)) chosen = chosen.filter((card) => card !== text);
    else if (chosen.length < SIX) chosen = [...chosen, text];
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
    if (!isOfCard()) chosen = cardsOrNull(field.value) ?? [];
    showCards();
    if (!own.value.trim() !== !theirs.value.trim())
      return tell("The score has points for one of you: both, or neither.");
    ask(address());
  });

  field.addEventListener("input", () => {
    const typed = Recorder.tapsOf(field.value);
    if (typed && typed.kept.length !== SIX) {
      form.elements.asks.value = "card";
      form.elements.role.value = typed.role;
      taps = typed;
      return showCards();
    }
    const cards = cardsOrNull(field.value),
      isNew = cards && cards.length <= SIX && cards.join() !== chosen.join();
    if (!isNew) return;
    chosen = cards;
    changed();
  });

  form.addEventListener("change", (event) => {
    const { target } = event;
    if (target === field || !target.name) return;
    if (target.name === "asks") [chosen, taps, field.value] = [[], Recorder.NO_TAPS, ""];
    if (target.name === "asks" || isOfCard()) {
      if (taps.kept.length) field.value = Recorder.playOf(taps, role()).text;
      return changed();
    }
    const isHalf = (target === own || target === theirs) && !own.value !== !theirs.value;
    if (isHalf) return;
    if (chosen.length === SIX || place.querySelector(".verdict")) ask(address());
  });

  // The deck is one stop for the tab key; arrows, Home and End move within it.
  function rove(pick) {
    for (const other of picks) other.tabIndex = other === pick ? 0 : -1;
    pick.focus({ preventScroll: true });
  }
  for (const pick of picks.slice(1)) pick.tabIndex = -1;
  deck.addEventListener("keydown", (event) => {
    const index = picks.indexOf(event.target),
      inSuit = index % RANKS.length,
      steps = {
        ArrowRight: 1,
        ArrowLeft: -1,
        ArrowDown: RANKS.length,
        ArrowUp: -RANKS.length,
        Home: -inSuit,
        End: RANKS.length - 1 - inSuit,
      };
    if (index < 0 || !(event.key in steps)) return;
    event.preventDefault();
    const pick = picks[index + steps[event.key]];
    if (!pick) return;
    rove(pick);
    pick.scrollIntoView({ block: "nearest" });
  });

  place.addEventListener("click", (event) => {
    const row = event.target.closest(".rows a");
    if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    ask(row.getAttribute("href"), { focus: ".rows a[aria-current]" });
  });

  function start() {
    fill();
    if (form.dataset.served) {
      delete form.dataset.served;
      deck.open = !place.children.length;
      return;
    }
    const asked = question();
    if (asked.position || asked.cards || engine.asks?.(asked))
      return ask(current(), { remember: false });
    tell("");
    clearAnswer();
    place.innerHTML = hint;
    document.title = "Ask · cribev";
  }

  document.getElementById("deal").addEventListener("click", () => {
    if (engine.deal) return engine.deal();
    const cards = [...DECK];
    chosen = range(0, SIX).map(() => cards.splice(Math.floor(Math.random() * cards.length), 1)[0]);
    field.value = chosen.join(" ");
    changed();
  });
  document.getElementById("clear").addEventListener("click", () => {
    history.pushState(null, "", isFile ? "#" : "/ask");
    start();
  });
  addEventListener("popstate", () => {
    if (current() === last) return;
    last = current();
    start();
  });
  last = current();
  start();
})();
