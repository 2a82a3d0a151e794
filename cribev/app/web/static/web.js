"use strict";
// Every page works without this script; with it, a click needs no new page.

// Files may be dropped anywhere on the page.
(() => {
  const drop = document.getElementById("drop");
  if (!drop) return;
  const file = drop.elements.record;
  for (const name of ["dragover", "dragenter"])
    document.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  document.addEventListener(
    "dragleave",
    (event) => event.relatedTarget || drop.classList.remove("over"),
  );
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    file.files = event.dataTransfer.files;
    drop.querySelector("button").focus();
  });
})();

// A table that is wider than the page says so.
(() => {
  const sized = new ResizeObserver((entries) => {
    for (const { target } of entries)
      target.classList.toggle("wider", target.scrollWidth > target.clientWidth + 1);
  });
  for (const one of document.querySelectorAll(".scroll")) sized.observe(one);
})();

// Of a review that is being made, what is there stays until all is.
(() => {
  const graded = document.getElementById("graded");
  const ask = async () => {
    const page = await fetch(location.href).then((answer) => answer.text());
    const now = new DOMParser().parseFromString(page, "text/html").getElementById("graded");
    if (!now) return location.reload();
    graded.replaceChildren(...now.childNodes);
    setTimeout(() => ask().catch(() => location.reload()), 1000);
  };
  if (graded) setTimeout(ask, 1000);
})();

// Two of six cards: a third one waits until another is put back.
function two(six) {
  const boxes = [...six.querySelectorAll("input")],
    button = six.form.querySelector(".go");
  const hold = () => {
    const full = boxes.filter((box) => box.checked).length === 2;
    for (const box of boxes) box.disabled = full && !box.checked;
    button.classList.toggle("unready", !full);
  };
  six.addEventListener("change", hold);
  hold();
  // Who has a script may begin with the keys; others see no ring before they choose.
  if (six.dataset.two && document.activeElement === document.body)
    boxes[0].focus({ preventScroll: true });
}
document.querySelectorAll("[data-two]").forEach(two);

// Wherever the focus is, a number chooses or plays that card; enter discards the two.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { target } = event,
    hand = document.querySelector("[data-two], [data-play]");
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
