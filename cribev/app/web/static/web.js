"use strict";
// Every page works without this script; with it, a click needs no new page.

// Files may be dropped anywhere on the page.
(() => {
  const drop = document.getElementById("drop");
  if (!drop) return;
  const file = drop.elements.record;
  for (const name of ["dragover", "dragenter"]) document.addEventListener(name, event => {
    event.preventDefault();
    drop.classList.add("over");
  });
  document.addEventListener("dragleave", event => event.relatedTarget || drop.classList.remove("over"));
  document.addEventListener("drop", event => {
    event.preventDefault();
    drop.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    file.files = event.dataTransfer.files;
    drop.querySelector("button").focus();
  });
})();

// Deals are checked as they are typed, and there is always one more row.
(() => {
  const form = document.getElementById("deals");
  if (!form) return;
  const columns = ["cards", "discard", "starter", "opponent_discard", "pegged", "opponent_pegged", "score", "play"];
  const rows = () => [...form.querySelectorAll(".deal")];
  const roleOf = at => (at + (form.elements.first.value === "pone")) % 2 ? "pone" : "dealer";
  const valueOf = (row, column) => row.querySelector(`[name=${column}]`).value.trim();

  function number() {
    rows().forEach((row, at) => {
      row.querySelector("legend").firstChild.textContent = `Deal ${at + 1} `;
      row.querySelector(".role").textContent = roleOf(at) === "dealer" ? "my crib" : "their crib";
    });
  }

  async function check(row) {
    const message = row.querySelector(".check");
    const at = rows().indexOf(row), values = columns.map(column => valueOf(row, column));
    const state = row.checked = values.join("|") + roleOf(at);
    let answer;
    if (!values.some(Boolean)) {
      message.textContent = "";
      return;
    }
    if (values[0] && !values[1]) {
      answer = fetch("/api/advice?" + new URLSearchParams({cards: values[0], role: roleOf(at), top: 1}));
    } else {
      const cells = ["1", String(at + 1), "Me", roleOf(at), ...values];
      const line = cells.map(cell => `"${cell.replaceAll('"', '""')}"`).join(",");
      answer = fetch("/api/review?fast=1", {method: "POST", body: `game,deal,player,role,${columns}\n${line}\n`});
    }
    let text = "", bad = false;
    try {
      const found = await (await answer).json();
      bad = Boolean(found.error);
      const labelled = (all, column) => row.querySelector(`[name=${column}]`)?.labels[0].textContent || all;
      text = bad ? found.error.replace(/^game '1', deal \d+, /, "").replace(/^column '(\w+)'/, labelled) : values[1] ? "✓" : "";
    } catch {
      return;
    }
    if (row.checked !== state) return;
    message.classList.toggle("bad", bad);
    message.textContent = text;
  }

  form.addEventListener("change", event => {
    if (event.target.name === "first") {
      number();
      rows().forEach(check);
      return;
    }
    const row = event.target.closest(".deal");
    if (row) check(row);
  });

  form.addEventListener("input", event => {
    const all = rows(), last = all.at(-1);
    if (event.target.closest(".deal") !== last || all.length >= Number(form.dataset.most)) return;
    const row = last.cloneNode(true);
    for (const input of row.querySelectorAll("input")) input.value = "";
    row.querySelector(".check").textContent = "";
    row.querySelector(".deck")?.remove();
    last.after(row);
    number();
  });

  // Cards are clicked into the field that is written in; a full one leads to the next.
  const full = {cards: 6, discard: 2, starter: 1, opponent_discard: 2, play: 8}, deck = document.getElementById("deal-deck");
  const cardsIn = field => field.value.toUpperCase().replaceAll("10", "T").match(/[A2-9TJQK][CDHS]/g) || [];
  let field;
  function press() {
    const own = cardsIn(field);
    for (const one of deck.querySelectorAll("button")) one.setAttribute("aria-pressed", own.includes(one.value));
  }
  form.addEventListener("focusin", ({target}) => {
    if (!(target.name in full)) return;  // a button stays where it is clicked
    field = target;
    deck.hidden = false;
    if (deck.parentNode !== field.closest(".deal")) field.closest(".deal").append(deck);
    press();
  });
  form.addEventListener("input", ({target}) => target === field && press());
  deck.addEventListener("pointerdown", event => event.preventDefault());  // the field stays in focus
  deck.addEventListener("click", event => {
    const card = event.target.closest("button")?.value, own = field && cardsIn(field);
    if (!card || (own.length >= full[field.name] && !own.includes(card))) return;
    field.value = (own.includes(card) ? own.filter(one => one !== card) : [...own, card]).join(" ");
    field.dispatchEvent(new Event("input", {bubbles: true}));
    if (cardsIn(field).length < full[field.name]) return;
    field.dispatchEvent(new Event("change", {bubbles: true}));
    const names = Object.keys(full), next = names[names.indexOf(field.name) + 1];
    if (next) field.closest(".deal").querySelector(`[name=${next}]`).focus();
  });
  form.elements.more.hidden = true;
})();

// Two of six cards: a third one waits until another is put back.
function two(six) {
  const boxes = [...six.querySelectorAll("input")], button = six.form.querySelector(".go");
  const hold = () => {
    const full = boxes.filter(box => box.checked).length === 2;
    for (const box of boxes) box.disabled = full && !box.checked;
    button.classList.toggle("unready", !full);
  };
  six.addEventListener("change", hold);
  hold();
  // Who has a script may begin with the keys; others see no ring before they choose.
  if (six.dataset.two && document.activeElement === document.body) boxes[0].focus({preventScroll: true});
}
document.querySelectorAll("[data-two]").forEach(two);

// Wherever the focus is, a number chooses or lays that card; enter throws the two.
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const {target} = event, hand = document.querySelector("[data-two], [data-lay]");
  if (!hand || target.matches("input:not([type=checkbox])")) return;
  const card = hand.querySelectorAll("input, button")[Number(event.key) - 1];
  if (card && !card.disabled && !event.repeat) {
    card.focus();
    card.click();
  } else if (event.key === "Enter" && hand.contains(target) && target.type === "checkbox") {
    event.preventDefault();
    target.form.requestSubmit();
  }
});
