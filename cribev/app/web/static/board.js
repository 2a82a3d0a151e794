"use strict";
// The recorder on a page: taps and typed cards become entries, and every entry is kept at once.
(() => {
  const root = document.getElementById("recorder");
  if (!root) return;
  const { ASKED, replay, confirmed } = Recorder;
  const KEY = "cribev.board.",
    LAST = "cribev.board",
    TWO_NAMES = "two players need two names",
    TAKEN_OUT = "Taken out.";
  let game = null,
    state = null,
    edit = null, // the place of an entry that is changed: index, number, words, and until which event
    flip = false, // true where a count is asked by the other of its two pads
    forgotten = null, // the game that was deleted last
    forcedMoves = { moves: [], until: 0 }; // cards and goes that were entered by themselves just now

  // ---- View: elements.

  // An element of a page, with attributes, or with a class alone. Text becomes text, never HTML.
  function element(tag, attributes, ...children) {
    const created = document.createElement(tag),
      named = typeof attributes === "string" ? { class: attributes } : attributes;
    for (const [name, value] of Object.entries(named)) {
      if (name.startsWith("on")) created.addEventListener(name.slice(2), value);
      else if (value != null && value !== false)
        created.setAttribute(name, value === true ? "" : value);
    }
    return append(created, children);
  }
  function append(parent, children) {
    for (const child of children.flat(Infinity))
      if (child instanceof Markup) parent.insertAdjacentHTML("beforeend", child);
      else if (child != null && child !== false) parent.append(child);
    return parent;
  }
  function button(words, act, attributes = "plain") {
    const key = typeof words === "string" ? words : null,
      plain = { type: "button", class: "plain", "data-key": key, onclick: act },
      more = typeof attributes === "string" ? { class: attributes } : attributes;
    return element("button", { ...plain, ...more }, words);
  }
  const rowOf = (...children) => element("p", "row", children);
  const drawFace = (card, kind = "") =>
    markup`<span class="face ${drawRed(card)} ${kind}" role="img" aria-label="${aloud(card)}">${inSigns(card)}</span>`;
  const eventText = ({ words, cards, after }) => [words, ...cards.map(inSigns)].join(" ") + after;
  const capitalized = (words) => words[0].toUpperCase() + words.slice(1);

  root.innerHTML = markup`<h1 class="hidden">A game at a real board</h1><div></div>
    <p class="news" role="status"></p><div class="pad"></div>
    <form class="row typing"><label for="typed">Or type</label><input id="typed" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="200" placeholder="5H 5D J Q 2 8, go, or what is counted"><button class="plain">Enter</button></form>
    <div></div>`;
  const [, top, news, pad, typing, more] = root.children,
    { typed } = typing.elements;

  // ---- View: the state of a game.

  function drawTop(shown, over) {
    const deal = shown.deals.at(-1),
      sides = [0, 1].map((player) => drawSide(shown, player)),
      parts = [deal.starter && drawTable(deal), !shown.cards && drawHand(shown)];
    return [element("div", "sides", sides), ...(over ? [] : parts)];
  }

  function drawSide({ score, deals }, player) {
    const [name, points] = [player ? game.them : game.you, score[player]],
      crib = player === deals.at(-1).dealer && markup`<span class="chip">crib</span>`;
    return markup`<div class="side ${player ? "they" : "you"}"><b class="name">${name}</b>${crib}
      <b class="points">${points}</b><progress max="121" value="${points}" aria-label="${name}: ${points} of 121"></progress></div>`;
  }

  function drawTable({ starter, play, dealer }) {
    const past = play.played.length - play.table.length,
      steps = play.steps.filter((step) => step.card);
    const cards = steps.map(({ seat, card }, i) => {
      const side = (seat === 1) === (dealer === 0) ? "you" : "they";
      return markup`<span class="${side}">${drawFace(card, i < past ? "past" : "")}</span>`;
    });
    const count = play.over ? "–" : play.count;
    return markup`<div class="cut"><span class="starter">${drawFace(starter)}<small>cut</small></span>
      <div class="played" role="group" aria-label="Cards played">${cards}</div>
      <span class="count"><small>count</small><b>${count}</b></span></div>`;
  }

  // Your six cards: changed before the cut, played after it.
  function drawHand({ asks, deals }) {
    const deal = deals.at(-1),
      { play } = deal,
      left = Recorder.left(deal),
      mayPlay = asks === "mine" || (asks === "theirs" && play.count > ANY_FITS);
    const isPlayed = Recorder.kept(deal).map((card) => {
      const index = left.indexOf(card);
      if (index >= 0) left.splice(index, 1);
      return index < 0;
    });
    const slot = (i) => {
      const card = deal.hand[i],
        isKept = i < 4,
        isDone = isKept && isPlayed[i],
        kind = isKept ? "own" : "own discarded",
        key = { "data-key": `hand ${i}` };
      if (!card) return element("span", isKept ? "slot" : "slot discarded");
      const face = drawFace(card),
        words = `the ${aloud(card)}`,
        change = () => changeAt({ index: deal.handEntries[i], number: 1, words }),
        mayFit = mayPlay && isKept && !isDone && (asks === "theirs" || play.fits(card));
      if (!deal.starter)
        return button(face, change, { class: kind, "aria-label": `Change ${words}`, ...key });
      if (!mayFit) return element("span", `${kind} ${isDone ? "done" : ""}`, face);
      const label = { "aria-label": `Play ${words}`, ...key };
      return button(face, () => tap(`m${card}`), { class: "own may", ...label });
    };
    const group = (from, to, words) => {
      const cards = element("div", "cards", range(from, to).map(slot)),
        attributes = { class: "group", role: "group", "aria-label": words };
      return element("div", attributes, cards, element("small", "", words));
    };
    const crib = deal.dealer ? `${game.them}’s crib` : "your crib";
    return element("div", "hand", group(0, 4, "you keep"), group(4, 6, crib));
  }

  // The pad that is shown: numbers, counts to confirm, or cards.
  function padOf(asked) {
    if (asked.asks === "crib") return flip ? "numbers" : "cards";
    if (asked.asks !== "count") return "cards";
    const isOwn = asked.player === 0 && asked.pile === "hand",
      isFlipped = isOwn && ahead(asked) ? !flip : flip;
    return isFlipped ? "numbers" : "counts";
  }

  function questionOf(asked) {
    const { hand, play, theirs } = asked.deals.at(-1),
      verb = play.steps.length ? "play" : "lead",
      questions = {
        keep: hand.length ? `${4 - hand.length} more to keep` : "Which four do you keep?",
        discard: hand.length > 4 ? "And the other?" : "Which two do you discard?",
        starter: "Which card is cut?",
        mine: play.steps.length ? "What do you play?" : "You lead",
        theirs: `What does ${game.them} ${verb}?`,
      };
    if (asked.asks in questions) return questions[asked.asks];
    const shownPad = padOf(asked),
      whose = Recorder.whose(game, asked.player, asked.pile);
    if (shownPad === "cards")
      return theirs.length ? "And the other?" : `What did ${game.them} discard to the crib?`;
    if (shownPad === "numbers") return `${whose}: what does it count?`;
    return `${whose} counts ${joined(asked.counts.ways.map(Recorder.inWords), "or")}`;
  }

  function drawPad(now) {
    const next = flip ? null : ahead(now),
      asked = next ?? now,
      deal = asked.deals.at(-1),
      isPlain = !edit && !state.problem,
      shownPad = padOf(asked),
      keys = { numbers: drawNumbers, counts: drawCounts, cards: drawRanks }[shownPad],
      attributes = { class: `${shownPad} pads`, role: "group", "aria-labelledby": "asked" };
    const isCrib = next && now.pile === "crib",
      flush = isPlain && flushAt(game.entries.length),
      mayLeavePlayOut = isPlain && deal.starter && !deal.play.steps.length;
    return [
      isCrib && element("p", "", `${questionOf(now)}.`),
      element("h2", { id: "asked" }, edit ? `Change ${edit.words}` : questionOf(asked)),
      state.problem && !edit && drawProblem(state.problem),
      edit && drawEdit(deal),
      flush && drawFlush(flush),
      asked.cards && drawCounted(asked.cards, deal.starter),
      element("div", attributes, keys(asked, now, next)),
      drawSuits(shownPad),
      mayLeavePlayOut && drawBoard("p", "Without the play: the score after this deal", "Next deal"),
    ];
  }

  function drawProblem({ index, text, why }) {
    const entry = /^[kcmtx]/.test(text) ? `the ${aloud(text.slice(1))}` : "an entry";
    return element(
      "p",
      { class: "problem", role: "alert" },
      `After the change ${entry} cannot stay: ${why}. `,
      button("Take it out", () => put(index, 1, [], TAKEN_OUT)),
      button("Take out all from here", () => put(index, Infinity, [], TAKEN_OUT)),
    );
  }

  function drawEdit(deal) {
    const { index, number } = edit,
      mayGo = number > 0 && deal.starter,
      before = { ...edit, number: 0, words: "what is not there yet" };
    return rowOf(
      button("Leave it", () => changeAt(null)),
      mayGo && button("Take it out", () => put(index, number, [], TAKEN_OUT)),
      mayGo && button("Insert before", () => changeAt(before)),
    );
  }

  // Their hand, counted by itself, if a flush that nobody entered would have made it more.
  const flushAt = (index) => state.events.find((event) => event.flush && event.index === index);

  function drawFlush({ index, kind, flush }) {
    const words = `${game.them} had a flush: ${flush}`;
    return rowOf(button(words, () => put(index, 0, [kind + flush], "A flush.")));
  }

  function drawCounted(cards, starter) {
    const faces = cards.map((card) => drawFace(card));
    return element("p", "hand-shown", faces, " ", drawFace(starter, "starter"));
  }

  const turnButton = (words) => button(words, () => show("", !flip), "broad");

  function countButton(asked, points, words, text, kind) {
    const attributes = { class: kind, "data-key": `count ${points}` };
    return button(words, () => enter(Recorder.countKind(asked) + text), attributes);
  }

  function drawNumbers(asked) {
    const words = ahead(asked) ? "go on" : asked.counts ? "tell me" : "its cards",
      drawNumber = (points) => countButton(asked, points, String(points), points, "");
    return [POSSIBLE_COUNTS.map(drawNumber), turnButton(words)];
  }

  const drawCounts = (asked) => [
    asked.counts.ways.map((way, i) =>
      countButton(asked, way[0], Recorder.inWords(way), i ? way[0] : "=", i ? "broad" : "go broad"),
    ),
    turnButton("another count"),
  ];

  function drawRanks(asked, now, next) {
    const deal = asked.deals.at(-1),
      { play } = deal,
      isTheirs = asked.asks === "theirs",
      mayGo = isTheirs && play.count > ANY_FITS;
    // A card of theirs may follow their go, which it tells.
    const afterGo = mayGo && replay(game, { entries: [...asked.entries, "g"] }),
      fitsAfterGo = (rank) => afterGo?.asks === "theirs" && afterGo.deals.at(-1).play.fits(rank);
    const isPossible = (rank) =>
      asked.asks === "mine"
        ? Recorder.left(deal).some((card) => card[0] === rank) && play.fits(rank)
        : Recorder.free(deal, rank) && (!isTheirs || play.fits(rank) || fitsAfterGo(rank));
    const ranks = [...RANKS].map((rank) =>
      button(rankSign(rank), () => tap((ASKED[asked.asks] ?? "x") + rank), {
        class: "",
        disabled: !isPossible(rank),
        "aria-label": aloud(rank),
        "data-key": `rank ${rank}`,
      }),
    );
    const isCrib = asked.asks === "crib" && !deal.theirs.length,
      go = { class: "go", disabled: !mayGo, "aria-label": `${game.them} says go` };
    if (!next && !isCrib) return [ranks, button("go", () => tap("g"), go)];
    const countUnseen = () => {
      if (next) enter(`${Recorder.countKind(now)}=`);
      show(news.textContent, true);
    };
    return [
      ranks,
      next && turnButton(now.pile === "crib" ? "another count" : "count my hand"),
      asked.asks === "crib" && button("only its count", countUnseen, "broad"),
    ];
  }

  // The suits of the card that was entered last, or is changed.
  function drawSuits(shownPad) {
    const last = edit ? game.entries[edit.number ? edit.index : -1] : game.entries.at(-1),
      isCard = (edit || !state.problem) && /^[kctx]/.test(last ?? ""),
      card = edit ? "it" : "the last card";
    const suits = [..."SHDC"].map((mark) =>
      button(SIGNS[mark], () => addSuit(mark), {
        class: `mark ${drawRed(` ${mark}`)}`,
        disabled: !isCard,
        "aria-pressed": String(isCard && last[2] === mark),
        "aria-label": `${card} is of ${SUIT_NAMES[mark]}`,
        "data-key": mark,
      }),
    );
    const isShown = shownPad !== "numbers";
    return element("div", "suits-and-undo", isShown && suits, drawUndoes());
  }

  // A form for both scores, which become an entry of a kind.
  function drawBoard(kind, words, act) {
    const labels = ["your points", `points of ${game.them}`];
    const points = { type: "number", min: 0, max: WINNING_SCORE, required: true };
    const [own, theirs] = labels.map((label, player) =>
      element("input", { ...points, value: state.score[player], "aria-label": label }),
    );
    const onsubmit = (event) => {
      event.preventDefault();
      edit = null;
      enter(`${kind}${own.value}-${theirs.value}`);
    };
    const send = element("button", "plain", act);
    return element("form", { class: "row", onsubmit }, words, own, "–", theirs, send);
  }

  function drawUndoes() {
    const undoButton = (sign, label, act, changes) =>
      button(sign, act, { class: "undo", disabled: !changes.length, "aria-label": label });
    return [
      undoButton("↶", "Undo", () => revise(Recorder.undo, "undo"), game.done),
      undoButton("↷", "Redo", () => revise(Recorder.redo, "do again"), game.undone),
    ];
  }

  function headline() {
    if (state.winner === null) return `The game ended at ${state.score.join("–")}`;
    const winner = state.winner ? `${game.them} won` : "You won",
      points = state.score.toSorted((score, other) => other - score);
    return `${winner} ${points.join("–")}`;
  }

  function drawOver() {
    const mayReview = root.dataset.review,
      saves = navigator.canShare ? "Share or save" : "Save the file";
    return [
      element("h2", "", headline()),
      rowOf(
        mayReview && button("Review", sendToReview, "go"),
        button(saves, () => share([game]), { class: mayReview ? "plain" : "go" }),
        button("Other games", () => open("")),
        element("span", "row", drawUndoes()),
      ),
    ];
  }

  // A part of the page that stays open when it is drawn anew.
  function drawDetails(key, words, children, attributes = {}) {
    const summary = element("summary", "", words);
    return element("details", { "data-key": key, ...attributes }, summary, children);
  }

  function drawMore() {
    const events = [...state.events.entries()].reverse(),
      number = state.deals.length,
      words = `Deal ${number}: tap an entry to change it`,
      ofDeal = events.filter(([, event]) => event.deal === number),
      earlier = events.filter(([, event]) => event.deal < number),
      hasSheet = state.deals.some((deal) => deal.after);
    return [
      element("section", { class: "discards", hidden: true }),
      hasSheet && drawDetails("sheet", "The score sheet", drawSheet()),
      drawDetails("deal", words, drawEvents(ofDeal), { open: true }),
      earlier.length > 0 && drawDetails("earlier", "Earlier deals", drawEvents(earlier)),
      drawDetails("other", "The board, names, the file", drawOther(), { class: "other" }),
    ];
  }

  function drawEvents(events) {
    const items = events.map(([until, event]) => element("li", "", drawEvent(until, event)));
    return element("ol", { reversed: true, class: "events" }, items);
  }

  function drawEvent(until, event) {
    const text = eventText(event),
      { index, kind, auto, hand } = event;
    if (hand) return drawHandEvent(hand);
    if (!kind) return element("span", "plain event", text);
    const place = { index, number: auto ? 0 : 1, until, words: `“${text}”` },
      attributes = { class: "plain event", "data-key": `event ${until}` };
    return button(text, () => changeAt(place), attributes);
  }

  function drawHandEvent(hand) {
    const cards = hand.map(([card, index]) =>
      button(inSigns(card), () => changeAt({ index, number: 1, words: `the ${aloud(card)}` }), {
        class: "plain event",
        "aria-label": `Change the ${aloud(card)}`,
        "data-key": `entry ${index}`,
      }),
    );
    const listed = ["You keep", cards.slice(0, 4), "discard", cards.slice(4)];
    return element("span", "hand-listed", listed);
  }

  function drawOther() {
    const { over, asks, deals } = state,
      hasCut = deals.some((deal) => deal.starter),
      maySayGo = !over && asks === "mine" && deals.at(-1).play.count > ANY_FITS;
    const name = (key, words) => {
      const onchange = (event) => rename(key, event.target);
      return element(
        "label",
        "",
        words,
        element("input", { value: game[key], maxlength: 40, onchange }),
      );
    };
    return [
      !over && drawBoard("s", "The board says", "Put right"),
      element("p", "row names", name("you", "You"), name("them", "Your opponent")),
      rowOf(
        maySayGo && button("I said go", () => enter("w")),
        !over && hasCut && button("End here", () => enter("e")),
        hasCut && button("Save the file", () => share([game])),
        button("Other games", () => open("")),
        deleteButton(game),
      ),
    ];
  }

  // Deleting asks once more, and can be undone.
  function deleteButton(deleted) {
    const yes = () => button("Yes, delete", () => forget(deleted)),
      no = () => button("No", () => show()),
      sure = () => element("span", "row sure", "Delete this game?", yes(), no());
    return button("Delete", (event) => event.target.replaceWith(sure()), {
      "data-key": `delete ${deleted.id}`,
      "aria-label": `Delete the game of ${deleted.you} and ${deleted.them}`,
    });
  }

  const drawScrolled = (headings, rows) =>
    markup`<div class="scroll" tabindex="0" role="group" aria-label="A table, which scrolls"><table class="sheet">
      <thead><tr>${headings.map((words) => markup`<th scope="col">${words}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;

  function drawSheet() {
    const headings = ["deal", "you peg", "hand", "crib", "they peg", "hand", "crib", "score"];
    const rows = state.deals
      .filter((deal) => deal.after)
      .map((deal) => {
        const cells = Recorder.sheetRow(deal).map((points) => markup`<td>${points}</td>`);
        return markup`<tr><th scope="row">${deal.number}</th>${cells}<td><b>${deal.after.join("–")}</b></td></tr>`;
      });
    return drawScrolled(headings, rows);
  }

  // ---- View: the cost of discards, the costliest first, by the tables of this page.

  const COST_WORDS = {
    points: (cost) => `${cost.toFixed(2)} points`,
    wins: (cost) => `${(100 * cost).toFixed(1)}% of wins`,
  };

  // The sum of costs of one unit, as words; nothing where there is none.
  function totalCost(firsts, unit) {
    const costs = firsts.filter((graded) => graded.unit === unit).map((graded) => graded.cost),
      deals = costs.length === 1 ? "one deal" : `${costs.length} deals`,
      where = unit === "wins" ? " near the end" : "";
    return costs.length && `${COST_WORDS[unit](sum(costs))} in ${deals}${where}`;
  }

  function drawCost({ unit, verdict, cost, best }) {
    if (!unit) return markup`<td colspan="2">too near the end</td>`;
    const words = verdict === "best" ? verdict : COST_WORDS[unit](cost);
    return markup`<td class="${verdict}">${words}</td><td>${best.map(inSigns).join(" ")}</td>`;
  }

  // Deals with their grades, one against each opponent.
  function drawGrades(graded) {
    const firsts = graded.map(([, [first]]) => first),
      names = graded[0][1].map(({ opponent }) => opponent),
      against = names.map((name) => (name === "expert" ? "an expert" : name)).join(" and "),
      totals = Object.keys(COST_WORDS)
        .map((unit) => totalCost(firsts, unit))
        .filter(Boolean);
    const notes = [
      totals.length && `${totals.join(" and ")}, against ${against}.`,
      firsts.some(({ unit }) => unit === "wins") &&
        "Chances near the end are about 0.01 off: cribev review is exact.",
      firsts.some(({ unit }) => !unit) &&
        "Where a player needs 7 points or fewer, this page does not grade: cribev review does.",
    ];
    const rows = graded.map(([deal, grades]) => {
      const discard = Recorder.discarded(deal).map(inSigns).join(" ");
      return markup`<tr><th scope="row">${deal.number}</th><td>${discard}</td>${grades.map(drawCost)}</tr>`;
    });
    const headings = ["deal", "discarded", ...names.flatMap((name) => [name, "best"])];
    return markup`<h3>What your discards cost</h3><p>${notes.filter(Boolean).join(" ")}</p>${drawScrolled(headings, rows)}`;
  }

  // ---- View: which game.

  const RULES =
    "Tap the cards as they fall, by rank; a suit is one tap more, where you want it. " +
    "Forced cards and goes are entered for you. The games stay in this browser.";

  function drawLobby() {
    const kept = games(),
      pairs = Object.values(Object.groupBy(kept, ({ you, them }) => `${you}\n${them}`));
    return [
      element("p", "", RULES),
      drawNewGame(kept),
      forgotten && drawForgotten(),
      ...pairs.flatMap(drawPair),
    ];
  }

  function drawForgotten() {
    const words = `The game of ${forgotten.you} and ${forgotten.them} is deleted.`;
    return rowOf(words, button("Put it back", putBack));
  }

  function drawNewGame(kept) {
    const people = [...new Set(kept.map(({ them }) => them))];
    const name = (key, words, value) =>
      markup`<label>${words}<input name="${key}" value="${value}" maxlength="40" autocomplete="off" required></label>`;
    const points = (key, words) =>
      markup`<input name="${key}" type="number" min="0" max="120" placeholder="0" aria-label="${words}">`;
    const dealer = (value, words, note) =>
      markup`<label><input type="radio" name="dealer" value="${value}"${value === 0 && markup` checked`}><span>${words} <small>${note}</small></span></label>`;
    const form = element(
      "form",
      "lobby-form",
      markup`<div class="names">${name("them", "Whom do you play?", "")}${name("you", "You", stored(LAST)?.you ?? "You")}</div><p class="row people"></p>
      <div class="row"><fieldset class="switch"><legend>Who deals first?</legend>${dealer(0, "I do", "first crib")}${dealer(1, "They do", "second crib")}</fieldset>
      <fieldset class="score"><legend>Score</legend><span class="row">${points("own", "your points")}–${points("theirs", "their points")}</span></fieldset></div>
      <button class="go">Record a game</button>`,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      start(form.elements);
    });
    const offer = (them) => button(them, () => (form.elements.them.value = them));
    form.querySelector(".people").append(...people.slice(0, 4).map(offer));
    return form;
  }

  // The games of the same two players.
  function drawPair(pair) {
    const [{ you, them }] = pair,
      winners = pair.map((kept) => replay(kept).winner),
      won = [0, 1].map((player) => winners.filter((winner) => winner === player).length);
    return [
      element("h2", "", `Games won: ${you} ${won[0]}, ${them} ${won[1]}`),
      element("ul", "games", pair.map(drawKept)),
      pair.length > 1 && button(`Save all with ${them}`, () => share(pair)),
    ];
  }

  function drawKept(kept) {
    const { score, over, deals } = replay(kept),
      words = ` ${over ? "over" : `deal ${deals.length}`}, ${kept.at.slice(0, 10)} `;
    const opens = button(score.join("–"), () => open(kept.id), {
      class: over ? "plain" : "go",
      "data-key": kept.id,
      "aria-label": `${kept.you} ${score[0]}, ${kept.them} ${score[1]}`,
    });
    return element("li", "", opens, element("span", "soft", words), deleteButton(kept));
  }

  // ---- Page: the games that the browser keeps, by their keys, each with the number of its last change.

  const memory = new Map(); // of what the browser cannot keep
  let keeps = true;

  function stored(key) {
    try {
      return JSON.parse(memory.get(key) ?? localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  function store(key, value) {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify(value));
      memory.delete(key);
    } catch {
      keeps = false;
      memory.set(key, JSON.stringify(value));
    }
  }

  function games() {
    const keys = new Set(memory.keys());
    try {
      for (const key of Object.keys(localStorage)) keys.add(key);
    } catch {
      keeps = false;
    }
    return [...keys]
      .filter((key) => key.startsWith(KEY))
      .map(stored)
      .filter(Recorder.isGame)
      .sort((kept, other) => other.at.localeCompare(kept.at));
  }

  const newId = () => Date.now().toString(36) + Math.random().toString(36).slice(2, 8);

  const remember = (values) => store(LAST, { ...stored(LAST), ...values });

  // Keep the game. One that another tab has changed meanwhile is kept beside this.
  function keep() {
    const other = stored(KEY + game.id),
      isOther = other && other.revision !== game.revision;
    if (isOther) game = { ...game, id: newId() };
    game.revision++;
    store(KEY + game.id, game);
    remember({ id: game.id, you: game.you, them: game.them });
    return isOther ? "Another tab went on with this game. Both are kept: this is yours. " : "";
  }

  addEventListener("storage", (event) => {
    const other = game && event.key === KEY + game.id && stored(event.key);
    if (!other || other.revision <= game.revision) return;
    [game, edit] = [other, null];
    show("Another tab went on with this game.");
  });

  function open(id) {
    [game, edit] = [games().find((kept) => kept.id === id) ?? null, null];
    remember({ id: game ? id : "" });
    show();
  }

  function start(fields) {
    const [you, them] = [fields.you, fields.them].map((field) => field.value.trim());
    if (!you || !them || you === them) return refuse(TWO_NAMES);
    game = Recorder.begin({
      id: newId(),
      you,
      them,
      dealer: Number(fields.dealer.value),
      start: [fields.own, fields.theirs].map((field) => Number(field.value)),
      revision: 0,
      at: new Date().toISOString(),
    });
    forgotten = null;
    show(keep());
    scrollTo(0, 0);
  }

  function rename(key, field) {
    const name = field.value.trim();
    if (!name || name === game[key === "you" ? "them" : "you"]) return refuse(TWO_NAMES);
    game[key] = name;
    show(keep());
  }

  function forget(deleted) {
    store(KEY + deleted.id, null);
    [forgotten, game] = [deleted, null];
    remember({ id: "" });
    show("Deleted.");
  }

  function putBack() {
    [game, forgotten] = [forgotten, null];
    store(KEY + game.id, game);
    open(game.id);
  }

  // ---- Page: entries.

  // The place of the next entry: its index, and how many it replaces.
  function placeOfEntry() {
    if (edit) return edit;
    if (state.problem) return { index: state.problem.index, number: 1 };
    return { index: game.entries.length, number: 0 };
  }

  // The state in which the next entry is made.
  function stateAsked() {
    if (!edit && !state.problem) return state;
    const entries = game.entries.slice(0, placeOfEntry().index);
    return replay(game, { entries, until: edit?.until });
  }

  // The state after a count that is in no doubt, which the next card confirms.
  const ahead = (asked) => (edit || state.problem ? null : confirmed(asked));

  function enter(entry) {
    const { index, number } = placeOfEntry(),
      events = state.events.length,
      entries = game.entries.toSpliced(index, number, entry),
      { problem } = replay(game, { entries: entries.slice(0, index + 1) });
    if (problem?.index === index) return refuse(problem.why);
    Recorder.change(game, index, number, [entry]);
    const isLast = !edit && !state.problem;
    edit = null;
    const notice = keep();
    state = replay(game);
    const added = isLast ? state.events.slice(events) : [],
      words = added.map((event) => `${eventText(event)}.`).join(" ");
    show(notice + (isLast ? words : "Changed."));
    const moves = added.filter(({ auto }) => auto).map(({ cards }) => cards[0]?.[0] ?? "go");
    forcedMoves = { moves, until: performance.now() + 1000 };
    return true;
  }

  // A tap that comes as its card is entered by itself was meant for that card.
  function tap(entry) {
    const move = { m: entry[1], t: entry[1], g: "go" }[entry[0]],
      isLate = performance.now() > forcedMoves.until;
    if (isLate || !forcedMoves.moves.includes(move)) return enter(entry);
    const name = rankSign(move);
    refuse(`the ${name} was just entered by itself: tap again if there is another`);
  }

  function put(index, number, added, words) {
    Recorder.change(game, index, number, added);
    edit = null;
    show(keep() + words);
  }

  function refuse(why) {
    news.classList.add("refused");
    news.textContent = `${capitalized(why)}.`;
    return false;
  }

  function revise(act, words) {
    if (!act(game)) return refuse(`nothing to ${words}`);
    edit = null;
    show(keep() + (words === "undo" ? "Undone." : "Done again."));
  }

  function changeAt(place) {
    edit = place;
    show("", place?.number === 1 && game.entries[place.index][0] === "b");
    pad.scrollIntoView({ block: "nearest" });
  }

  // A suit goes to the card that was entered last.
  function addSuit(mark) {
    const index = edit?.number ? edit.index : game.entries.length - 1,
      last = game.entries[index],
      card = last.slice(0, 2) + (last[2] === mark ? "" : mark),
      { problem } = replay(game, { entries: game.entries.slice(0, index).concat(card) });
    if (problem) return refuse(problem.why);
    put(index, 1, [card], `${capitalized(aloud(card.slice(1)))}.`);
  }

  // ---- Page: typing.

  typing.addEventListener("submit", (event) => {
    event.preventDefault();
    type();
  });

  // A number may be a card or a count, and is asked about where it may be either.
  function type() {
    const text = typed.value.trim(),
      now = stateAsked(),
      next = flip ? null : ahead(now),
      isPossible = POSSIBLE_COUNTS.includes(Number(text)),
      isUnseenCrib = now.asks === "crib" && now.cards.length < 3;
    const count = () => {
      if (enter(Recorder.countKind(now) + text)) typed.value = "";
    };
    if (!/^\d{1,2}$/.test(text)) return typeCards(text);
    if (!next && (now.asks === "count" || padOf(now) === "numbers")) return count();
    if (!isPossible || !(next || isUnseenCrib)) return typeCards(text);
    const choices = [
      button("A card", () => typeCards(text)),
      button(`The ${now.pile} counts ${text}`, count),
    ];
    news.replaceChildren(`Is ${text} a card, or a count? `, ...choices);
    choices[0].focus();
  }

  // Cards as Ask reads them, one or several, and goes.
  function typeCards(text) {
    let moves;
    try {
      moves = text.split(/\b(go)\b/i).flatMap((words, i) => (i % 2 ? ["g"] : cardsIn(words)));
    } catch (problem) {
      return void refuse(problem.message);
    }
    for (const [i, move] of moves.entries()) {
      typed.value = moves.slice(i).join(" ").replaceAll("g", "go");
      if (!enter(move === "g" ? "g" : kindTyped(move) + move)) return;
    }
    typed.value = "";
  }

  // The kind of a card that is typed: yours too, where they had none and you go on.
  function kindTyped(card) {
    const now = stateAsked(),
      { asks, entries } = ahead(now) ?? now,
      isPossible = (entry) => !replay(game, { entries: [...entries, entry] }).problem,
      isMine = asks === "theirs" && !isPossible(`t${card}`) && isPossible(`m${card}`);
    return isMine ? "m" : (ASKED[asks] ?? "x");
  }

  document.addEventListener("keydown", (event) => {
    const { key, target } = event,
      isShortcut = event.ctrlKey || event.metaKey,
      isElsewhere = target.closest("input, select, textarea") && target !== typed;
    if (!game || root.hidden || event.altKey || isElsewhere) return;
    if (isShortcut && /^[zy]$/i.test(key) && !typed.value) {
      event.preventDefault();
      if (event.shiftKey || /y/i.test(key)) revise(Recorder.redo, "do again");
      else revise(Recorder.undo, "undo");
    } else if (!isShortcut && /^\S$/.test(key)) typed.focus();
  });

  // ---- Page: drawn anew after each change.

  const redraw = (...parts) =>
    [top, pad, more].forEach((place, i) => {
      place.replaceChildren();
      append(place, parts[i]);
    });

  function show(words = "", flipped = false) {
    const key = document.activeElement?.dataset.key,
      opened = [...more.querySelectorAll("details[open]")].map((details) => details.dataset.key);
    flip = flipped;
    forcedMoves.until = 0;
    news.classList.remove("refused");
    news.textContent = words;
    state = game && replay(game);
    const isOver = state?.over && !edit && !state.problem;
    typing.hidden = !game || isOver;
    if (game) {
      const now = stateAsked(),
        shown = (now.pile === "crib" && ahead(now)) || now;
      redraw(drawTop(shown, isOver), isOver ? drawOver() : drawPad(now), drawMore());
      grade();
    } else redraw(drawLobby(), [], []);
    if (!keeps) news.textContent += " This browser keeps nothing: save the file before you leave.";
    for (const details of more.querySelectorAll("details"))
      if (opened.includes(details.dataset.key)) details.open = true;
    if (key)
      root.querySelector(`[data-key="${CSS.escape(key)}"]:enabled`)?.focus({ preventScroll: true });
  }

  const grades = new Map(); // by the question

  async function gradesOf(deal) {
    const isSuited = deal.hand.every((card) => card[1]),
      cards = isSuited ? deal.hand : deal.hand.map((card) => card[0]),
      role = ROLES[Recorder.seatOf(deal, 0)],
      key = `${role} ${cards} ${deal.before}`;
    if (!grades.has(key))
      grades.set(key, engine.grade(cards.slice(0, 4), cards.slice(4), role, deal.before));
    return [deal, await grades.get(key)];
  }

  async function grade() {
    const place = more.querySelector(".discards"),
      deals = state.deals.filter((deal) => deal.after || (state.over && deal.starter));
    if (!engine.grade || !deals.length) return;
    const graded = await Promise.all(deals.map(gradesOf));
    graded.sort(([, [first]], [, [other]]) => other.weight - first.weight);
    place.innerHTML = drawGrades(graded);
    place.hidden = false;
  }

  // ---- Page: the file.

  function fileOf(saved) {
    const [{ them, at: date }] = saved,
      name = `cribbage-${them.replace(/[^\p{L}\p{N}]+/gu, "-")}-${date.slice(0, 10)}.csv`;
    return new File([Recorder.csv(saved)], name, { type: "text/csv" });
  }

  async function share(shared) {
    const file = fileOf(shared);
    if (navigator.canShare?.({ files: [file] }))
      try {
        return await navigator.share({ files: [file], title: file.name });
      } catch (problem) {
        if (problem.name === "AbortError") return;
      }
    const address = URL.createObjectURL(file);
    element("a", { href: address, download: file.name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
    news.textContent = `${file.name} is saved: cribev review reads it.`;
  }

  function sendToReview() {
    const sent = new DataTransfer(),
      field = element("input", { type: "file", name: "record" }),
      action = { action: root.dataset.review, method: "post", enctype: "multipart/form-data" },
      form = element("form", { ...action, hidden: true }, field);
    sent.items.add(fileOf([game]));
    field.files = sent.files;
    document.body.append(form);
    form.submit();
  }

  open(stored(LAST)?.id);
})();
