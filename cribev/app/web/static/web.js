"use strict";
// Scripts of the other pages. Every page works without them; with them, a click needs no new page,
// and the opponent of a game plays card by card.

const fetchPage = async (address, options) => {
  const answer = await fetch(address, options);
  return { answer, page: new DOMParser().parseFromString(await answer.text(), "text/html") };
};

// ---- Page: reviews.

// Files may be dropped anywhere on the page.
(() => {
  const form = document.getElementById("drop");
  if (!form) return;
  for (const name of ["dragover", "dragenter"])
    document.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.add("over");
    });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) form.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    form.elements.record.files = event.dataTransfer.files;
    form.querySelector("button").focus();
  });
})();

// A table that is wider than the page says so.
(() => {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries)
      target.classList.toggle("wider", target.scrollWidth > target.clientWidth + 1);
  });
  for (const table of document.querySelectorAll(".scroll")) observer.observe(table);
})();

// A review that is being made grows until it is whole.
(() => {
  const graded = document.getElementById("graded");
  const update = async () => {
    const { page } = await fetchPage(location.href),
      next = page.getElementById("graded");
    if (!next) return location.reload();
    graded.replaceChildren(...next.childNodes);
    setTimeout(() => update().catch(() => location.reload()), 1000);
  };
  if (graded) setTimeout(update, 1000);
})();

// ---- Page: cards in the hand.

// Two of six cards are chosen: a third one waits until another is put back.
function chooseTwo(six) {
  const boxes = [...six.querySelectorAll("input")],
    button = six.form.querySelector(".go");
  const limit = () => {
    const isFull = boxes.filter((box) => box.checked).length === 2;
    for (const box of boxes) box.disabled = isFull && !box.checked;
    button.classList.toggle("unready", !isFull);
  };
  six.addEventListener("change", limit);
  limit();
  // With a script one may begin with the keys; others see no ring before they choose.
  if (six.dataset.two && document.activeElement === document.body)
    boxes[0].focus({ preventScroll: true });
}
document.querySelectorAll("[data-two]").forEach(chooseTwo);

// A number chooses or plays that card, wherever the focus is; enter discards the two.
document.addEventListener("keydown", (event) => {
  const { target, key } = event,
    hand = document.querySelector("[data-two], [data-play]"),
    isTyping = target.matches("input:not([type=checkbox])");
  if (!hand || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const card = hand.querySelectorAll("input, button")[Number(key) - 1];
  if (card && !card.disabled && !event.repeat) {
    card.focus();
    card.click();
  } else if (key === "Enter" && hand.contains(target) && target.type === "checkbox") {
    event.preventDefault();
    target.form.requestSubmit();
  }
});

// ---- Page: a game. Moves are sent without a new page.

(() => {
  const SECONDS_A_CARD = 0.55,
    FOCUSED =
      "[data-first]:not(:disabled), .play:enabled, .next .go, .six input:enabled, .over button";
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let timers = [];
  const later = (seconds, act) => timers.push(setTimeout(act, 1000 * seconds));

  async function go(address, options) {
    const game = document.getElementById("game"),
      { classList } = document.body;
    if (options && classList.contains("busy")) return; // one move at a time
    if (options) classList.add("busy");
    try {
      const { answer, page } = await fetchPage(address, options),
        next = page.getElementById("game");
      if (!next) throw new Error("no game");
      timers.forEach(clearTimeout);
      timers = [];
      if (answer.redirected || !options) history.replaceState(null, "", answer.url);
      document.title = page.title;
      show(game, next);
    } catch {
      const news = document.getElementById("said");
      news.className = "news refused";
      news.setAttribute("role", "alert");
      news.textContent = "No answer: is cribev serve still running? The game is kept.";
      if (!options) poll(game);
    } finally {
      if (options) classList.remove("busy");
    }
  }

  // A review that is being made is asked for again.
  function poll(game) {
    if (game?.querySelector("[data-pending]")) later(2, () => go(location.href));
  }

  function show(game, next) {
    const find = (selector) => game.querySelector(selector),
      findAll = (selector) => [...game.querySelectorAll(selector)];
    const known = Number(game.dataset.events),
      isNewDeal = game.dataset.deal !== next.dataset.deal,
      isSame = game.dataset.state === next.dataset.state,
      focused = document.activeElement,
      hadFocus = game.contains(focused),
      hadLine = find("#line"),
      isOpen = find(".log")?.open,
      words = find("#said").textContent,
      points = find("#their-points")?.textContent,
      shown = isNewDeal ? 0 : findAll("[data-played]").length,
      places = findAll(".peg").map((peg) => peg.getAttribute("transform"));
    for (const field of next.querySelectorAll("[autofocus]")) {
      // Browsers would focus it, and complain.
      field.removeAttribute("autofocus");
      field.dataset.first = "";
    }
    game.replaceChildren(...next.childNodes);
    Object.assign(game.dataset, next.dataset);
    copied(game);
    findAll("[data-two]").forEach(chooseTwo);
    if (isOpen) find(".log").open = true;
    const news = find("#said");
    if (!isSame || words !== news.textContent) sayAgain(news);
    poll(game);
    const line = hadLine ? null : find("#line"),
      elements = findAll("a, button, input, summary"),
      kept = isSame && elements.find((element) => element.isEqualNode(focused)),
      focus = line || kept || find(FOCUSED);
    if (hadFocus || !isSame) focus?.focus({ preventScroll: true });
    line?.scrollIntoView({ block: "center", behavior: still.matches ? "auto" : "smooth" });
    if (still.matches) return;
    const cards = findAll("[data-played]").slice(shown),
      end = Math.max(0, cards.length - 1) * SECONDS_A_CARD + 0.05;
    cards.forEach((card, i) => {
      card.classList.add("arrives");
      card.style.animationDelay = `${i * SECONDS_A_CARD}s`;
    });
    showCounts(game, cards.length, known);
    if (cards.length && points) showPoints(points, find("#their-points"), end);
    movePegs(places, findAll(".peg"), end);
  }

  // A status that stands already is read aloud when its words change.
  function sayAgain(news) {
    const words = [...news.childNodes];
    news.replaceChildren();
    later(0.05, () => news.replaceChildren(...words));
  }

  // The count goes on with each card.
  function showCounts(game, number, known) {
    const count = game.querySelector("#count-now");
    if (!count) return;
    const last = count.textContent,
      counts = [...game.querySelectorAll(".log li")]
        .reverse()
        .filter(({ dataset }) => Number(dataset.event) >= known && dataset.count !== "0")
        .map(({ dataset }) => dataset.count);
    counts
      .slice(0, number)
      .forEach((text, i) => later(i * SECONDS_A_CARD, () => (count.textContent = text)));
    later(number * SECONDS_A_CARD, () => (count.textContent = last));
  }

  // The points of a card are not told before the card.
  function showPoints(before, place, seconds) {
    if (!place) return;
    const now = place.textContent;
    place.textContent = before;
    later(seconds, () => (place.textContent = now));
  }

  function movePegs(places, pegs, seconds) {
    pegs.forEach((peg, i) => {
      const target = peg.getAttribute("transform");
      if (!places[i] || target === places[i]) return;
      peg.setAttribute("transform", places[i]);
      peg.getBoundingClientRect(); // a busy browser might not have drawn it here when it leaves
      later(seconds, () => peg.setAttribute("transform", target));
    });
  }

  poll(document.getElementById("game"));

  // With a pointer one sees no ring around a card, which would look like a hint.
  const quiet = (isQuiet) => document.documentElement.classList.toggle("quiet", isQuiet);
  quiet(true);
  document.addEventListener("keydown", () => quiet(false), true);
  document.addEventListener("pointerdown", () => quiet(true), true);

  document.addEventListener("submit", (event) => {
    const { target: form, submitter } = event,
      action = form.getAttribute("action");
    if (!form.closest("#game") || event.defaultPrevented || /\/(rematch|swap)$/.test(action))
      return;
    event.preventDefault();
    const fields = new URLSearchParams(new FormData(form, submitter)),
      address = submitter?.getAttribute("formaction") || action;
    if (form.method === "get") go(`${address}?${fields}`);
    else go(address, { method: "POST", body: fields });
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#game a.go, #game a.line"),
      isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
    if (!link || isElsewhere || link.pathname !== location.pathname) return;
    event.preventDefault();
    go(link.href);
  });
})();
