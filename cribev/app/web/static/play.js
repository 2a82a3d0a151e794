// A game: moves are sent without a new page, and what your opponent does comes card by card.
(() => {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let timers = [];
  const later = (seconds, act) => timers.push(setTimeout(act, 1000 * seconds));

  async function go(address, options) {
    const game = document.getElementById("game"),
      { classList } = document.body;
    if (options && classList.contains("busy")) return; // one move at a time
    if (options) classList.add("busy");
    try {
      const answer = await fetch(address, options);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = page.getElementById("game");
      if (!next) throw new Error("no game");
      timers.forEach(clearTimeout);
      timers = [];
      if (answer.redirected || !options) history.replaceState(null, "", answer.url);
      document.title = page.title;
      show(game, next);
    } catch {
      const said = document.getElementById("said");
      said.className = "news refused";
      said.setAttribute("role", "alert");
      said.textContent = "No answer: is cribev serve still running? The game is kept.";
      if (!options) poll(game);
    } finally {
      if (options) classList.remove("busy");
    }
  }

  // A review that is being made is asked for again.
  function poll(game) {
    if (game?.querySelector("[data-pending]")) later(2, () => go(location.href));
  }

  // What is new comes in turn: cards, the count, the pegs, and what is said.
  function show(game, next) {
    const known = Number(game.dataset.events),
      anew = game.dataset.deal !== next.dataset.deal;
    const before = anew ? 0 : game.querySelectorAll("[data-played]").length;
    const open = game.querySelector(".log")?.open;
    const pegs = [...game.querySelectorAll(".peg")].map((peg) => peg.getAttribute("transform"));
    const said = next.querySelector("#said"),
      line = [...said.childNodes];
    const theirs = game.querySelector("#their-points")?.textContent;
    // Where nothing has changed but a review that is there now, the focus stays, and nothing is read again.
    const same = game.dataset.state === next.dataset.state,
      held = document.activeElement;
    const told = same && game.querySelector("#said").textContent === said.textContent;
    const inside = game.contains(held),
      had = game.querySelector("#line");
    for (const one of next.querySelectorAll("[autofocus]")) {
      // browsers would focus it, and complain
      one.removeAttribute("autofocus");
      one.dataset.first = "";
    }
    game.replaceChildren(...next.childNodes);
    Object.assign(game.dataset, next.dataset);
    copied(game);
    game.querySelectorAll("[data-two]").forEach(two);
    if (open) game.querySelector(".log").open = true;
    // A status that stands already is read when its words change.
    if (!told) said.replaceChildren();
    if (!told) later(0.05, () => said.replaceChildren(...line));
    poll(game);
    const again =
      same &&
      [...game.querySelectorAll("a, button, input, summary")].find((one) => one.isEqualNode(held));
    const best = !had && game.querySelector("#line");
    const focus =
      best ||
      again ||
      game.querySelector(
        "[data-first]:not(:disabled), .play:enabled, .next .go, .six input:enabled, .over button",
      );
    if (inside || !same) focus?.focus({ preventScroll: true });
    if (best) best.scrollIntoView({ block: "center", behavior: still.matches ? "auto" : "smooth" });
    if (still.matches) return;
    const wait = 0.55,
      cards = [...game.querySelectorAll("[data-played]")].slice(before);
    cards.forEach((card, at) => {
      card.classList.add("arrives");
      card.style.animationDelay = `${at * wait}s`;
    });
    const news = [...game.querySelectorAll(".log li")]
      .reverse()
      .filter((one) => Number(one.dataset.event) >= known);
    const count = game.querySelector("#count-now"),
      last = count?.textContent;
    let at = 0;
    for (const one of news.filter((one) => one.dataset.count !== "0")) {
      if (count && at < cards.length)
        later(at * wait, () => (count.textContent = one.dataset.count));
      at++;
    }
    if (count) later(cards.length * wait, () => (count.textContent = last));
    const end = Math.max(0, cards.length - 1) * wait;
    const points = game.querySelector("#their-points"),
      now = points?.textContent;
    if (points && theirs && cards.length) {
      // what a card pegs is not told before the card
      points.textContent = theirs;
      later(end + 0.05, () => (points.textContent = now));
    }
    game.querySelectorAll(".peg").forEach((peg, place) => {
      const to = peg.getAttribute("transform");
      if (!pegs[place] || to === pegs[place]) return;
      peg.setAttribute("transform", pegs[place]);
      peg.getBoundingClientRect(); // a busy browser might not have drawn it here when it leaves
      later(end + 0.05, () => peg.setAttribute("transform", to));
    });
  }

  poll(document.getElementById("game"));

  // Who plays by hand sees no ring around a card: it would look like a hint.
  const quiet = (on) => document.documentElement.classList.toggle("quiet", on);
  quiet(true);
  document.addEventListener("keydown", () => quiet(false), true);
  document.addEventListener("pointerdown", () => quiet(true), true);

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.closest("#game") || event.defaultPrevented) return;
    if (/\/(rematch|swap)$/.test(form.getAttribute("action"))) return;
    event.preventDefault();
    const fields = new URLSearchParams(new FormData(form, event.submitter));
    const address = event.submitter?.getAttribute("formaction") || form.getAttribute("action");
    if (form.method === "get") go(`${address}?${fields}`);
    else go(address, { method: "POST", body: fields });
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#game a.go, #game a.line");
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
    if (!link || elsewhere || link.pathname !== location.pathname) return;
    event.preventDefault();
    go(link.href);
  });
})();
