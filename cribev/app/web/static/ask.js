"use strict";
// What a page lets one copy, and the form of Ask. One file without a server has both too.

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

// Cards are clicked and typed, and an answer needs no new page.
(() => {
  const form = document.getElementById("ask");
  if (!form) return;
  const place = form.getAttribute("action"); // a file without a server keeps what is asked after its #
  const current = () =>
    place === "#" ? location.hash || "#" : location.pathname + location.search;
  const field = form.elements.cards;
  const picks = [...form.querySelectorAll(".pick")];
  const byText = new Map(picks.map((pick) => [pick.value, pick]));
  const tray = document.getElementById("tray");
  const count = document.getElementById("count");
  const clear = document.getElementById("clear");
  const deck = document.getElementById("deck");
  const size = 6;
  let chosen = [];
  let asking = null;
  let asked = place === "#" ? "#" : current();

  // The cards in the field, null if there is anything else: the server reads it in full.
  function read(text) {
    const found = text
      .toUpperCase()
      .replaceAll("10", "T")
      .replace(/[♣♧]/g, "C")
      .replace(/[♦♢]/g, "D")
      .replace(/[♥♡]/g, "H")
      .replace(/[♠♤]/g, "S")
      .replace(/[\s,\ufe0f]/g, "");
    const cards = [];
    for (let at = 0; at < found.length; at += 2) {
      const pair = found.slice(at, at + 2);
      const card = byText.has(pair) ? pair : pair[1] + pair[0];
      if (!byText.has(card) || cards.includes(card)) return null;
      cards.push(card);
    }
    return cards;
  }

  function show() {
    for (const pick of picks) pick.setAttribute("aria-pressed", chosen.includes(pick.value));
    form.classList.toggle("full", chosen.length === size);
    const left = size - chosen.length;
    count.textContent =
      left === 0
        ? "Your six cards"
        : !chosen.length
          ? "Six cards"
          : left > 0
            ? `${left} more`
            : "Too many";
    const cards = chosen.map((text) => byText.get(text).firstElementChild.cloneNode(true));
    for (let at = chosen.length; at < size; at++) {
      const slot = document.createElement("span");
      slot.className = "slot";
      cards.push(slot);
    }
    tray.replaceChildren(...cards);
    if (chosen.length < size) deck.open = true;
  }

  function question(more) {
    const values = new URLSearchParams();
    values.set("cards", chosen.length === size ? chosen.join("") : field.value);
    values.set("role", form.elements.role.value);
    const own = form.elements.own?.value.trim(),
      theirs = form.elements.theirs?.value.trim();
    if (own && theirs) {
      values.set("score", `${own}-${theirs}`);
      if (form.elements.stakes && form.elements.stakes.value !== "win")
        values.set("stakes", form.elements.stakes.value);
    } else if (own || theirs) {
      values.set("own", own);
      values.set("theirs", theirs);
    }
    const opponent = form.elements.opponent?.value || "expert";
    if (opponent !== "expert") values.set("opponent", opponent);
    for (const [name, value] of Object.entries(more || {})) values.set(name, value);
    return place + (place === "#" ? "" : "?") + values;
  }

  async function ask(address, { remember = true, focus = null } = {}) {
    asking?.abort();
    const own = (asking = new AbortController());
    document.body.classList.add("busy");
    try {
      const answer = await (window.answerHere || fetch)(address, { signal: own.signal });
      const again = answer.status === 503 && Number(answer.headers.get("Retry-After"));
      if (again)
        setTimeout(() => asking === own && ask(address, { remember, focus }), 1000 * again);
      const text = await answer.text();
      const page = new DOMParser().parseFromString(text, "text/html");
      const part = page.getElementById("answer");
      if (!part && answer.redirected) return location.assign(answer.url); // a position in the play
      if (!part) throw new Error(text);
      const here = document.getElementById("answer");
      here.replaceChildren(...part.childNodes);
      copied(here);
      document.title = page.title;
      if (here.querySelector(".hero, .ten")) {
        // the deck folds away
        if (deck.contains(document.activeElement))
          deck.firstElementChild.focus({ preventScroll: true });
        deck.open = false;
      }
      if (remember && current() !== address) history.pushState(null, "", address);
      asked = current();
      const mine = focus && here.querySelector(".mine");
      document.getElementById("announcement").textContent =
        (mine || here.querySelector(".verdict, .ten"))?.dataset.announce || here.textContent.trim();
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      const verdict = here.querySelector(".verdict, .wrong, .ten");
      if (verdict && verdict.getBoundingClientRect().top > innerHeight - 80)
        verdict.scrollIntoView({ behavior: still ? "auto" : "smooth" });
      if (mine && mine.getBoundingClientRect().top < 0)
        mine.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "start" });
      if (focus) document.querySelector(focus)?.focus({ preventScroll: true });
    } catch (problem) {
      if (problem.name === "AbortError") return;
      const message = document.createElement("p");
      message.className = "wrong";
      message.setAttribute("role", "alert");
      message.textContent = "No answer: is cribev serve still running?";
      document.getElementById("answer").replaceChildren(message);
    } finally {
      if (asking === own) document.body.classList.remove("busy");
    }
  }

  function changed() {
    show();
    if (chosen.length === size) ask(question());
    else document.getElementById("answer").replaceChildren();
  }

  function toggle(text) {
    if (chosen.includes(text)) chosen = chosen.filter((one) => one !== text);
    else if (chosen.length < size) chosen = [...chosen, text];
    else return;
    field.value = chosen.join(" ");
    changed();
  }

  form.addEventListener("click", (event) => {
    const pick = event.target.closest(".pick");
    if (!pick) return;
    event.preventDefault();
    rove(pick);
    toggle(pick.value);
  });

  form.addEventListener("submit", (event) => {
    if (event.submitter?.name === "random") return;
    event.preventDefault();
    if (event.submitter?.name === "toggle") return;
    chosen = read(field.value) || [];
    show();
    ask(question());
  });

  field.addEventListener("input", () => {
    const cards = read(field.value);
    if (!cards || cards.length > size) return;
    const before = chosen.join("");
    chosen = cards;
    if (chosen.join("") !== before) changed();
  });

  form.addEventListener("change", (event) => {
    if (event.target === field || !event.target.name) return;
    const points = [form.elements.own, form.elements.theirs];
    if (
      points.includes(event.target) &&
      points.some((one) => !one.value) &&
      points.some((one) => one.value)
    )
      return;
    if (place !== "#") clear.href = place + "?role=" + form.elements.role.value;
    if (chosen.length === size || document.querySelector("#answer .verdict")) ask(question());
  });

  // One stop for the tab key; arrows, Home and End move within the deck.
  function rove(to) {
    for (const pick of picks) pick.tabIndex = pick === to ? 0 : -1;
    to.focus({ preventScroll: true });
  }
  for (const pick of picks.slice(1)) pick.tabIndex = -1;
  form.querySelector(".deck").addEventListener("keydown", (event) => {
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

  document.getElementById("answer").addEventListener("click", (event) => {
    const row = event.target.closest(".rows a");
    if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    ask(row.getAttribute("href"), { focus: ".rows a[aria-current]" });
  });

  addEventListener("popstate", () => {
    if (current() === asked) return;
    const given = new URLSearchParams((place === "#" ? location.hash : location.search).slice(1));
    const [known, points] = (given.get("position") || "").split("@"),
      [role, cards] = known.split(":");
    field.value = given.get("cards") || cards || "";
    chosen = read(field.value) || [];
    const score = given.get("score") || points;
    const [own, theirs] = score?.match(/\d+/g) || [given.get("own"), given.get("theirs")];
    form.elements.own.value = own;
    form.elements.theirs.value = theirs;
    for (const one of form.elements.role)
      one.checked = one.value === (given.get("role") || role || "dealer");
    show();
    if (form.elements.stakes) form.elements.stakes.value = given.get("stakes") || "win";
    const opponent = form.elements.opponent;
    if (opponent) opponent.value = given.get("opponent") || "expert";
    if (opponent?.selectedIndex < 0) opponent.selectedIndex = 0;
    ask(current(), { remember: false });
  });

  chosen = read(field.value) || [];
  show();
  if (document.querySelector("#answer .hero")) deck.open = false;
})();
