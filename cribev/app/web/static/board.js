"use strict";
// The recorder on a page: what is tapped and typed becomes an entry, and every entry is kept at once.
(() => {
  const root = document.getElementById("recorder");
  if (!root) return;
  const { RANKS, SUITS, ANY_FITS, ASKED, replay, change } = Recorder;
  const KEY = "cribev.board.",
    LAST = "cribev.board",
    TWO_NAMES = "two players need two names",
    POSSIBLE = [...Array(30).keys()].filter((points) => ![19, 25, 26, 27].includes(points));
  let game = null,
    state = null,
    edit = null,
    flip = false, // whether a count is asked by the other of its two pads
    forgotten = null,
    byItself = { moves: [], until: 0 }; // cards and goes that were entered by themselves just now

  // A part of the page. What people wrote is text, never HTML.
  function h(tag, given, ...parts) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(given || {})) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value !== false && value != null)
        made.setAttribute(name, value === true ? "" : value);
    }
    for (const part of parts.flat(Infinity))
      if (part instanceof Markup) made.insertAdjacentHTML("beforeend", part);
      else if (part != null && part !== false) made.append(part);
    return made;
  }
  const button = (words, act, given) =>
    h(
      "button",
      {
        type: "button",
        class: "plain",
        "data-key": typeof words === "string" ? words : null,
        onclick: act,
        ...given,
      },
      words,
    );
  const red = (card) => (isRed(card) ? " red" : "");
  const face = (card, kind = "") =>
    markup`<span class="face${red(card)} ${kind}" role="img" aria-label="${aloud(card)}">${inSigns(card)}</span>`;
  const [top, more] = [h("div"), h("div")],
    said = h("p", { class: "news", role: "status" }),
    pad = h("div", { class: "pad" });
  const typed = h("input", {
    id: "typed",
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
    maxlength: 200,
    placeholder: "5H 5D J Q 2 8, go, or what is counted",
  });
  const typing = h(
    "form",
    { class: "row typing", onsubmit: (event) => (event.preventDefault(), type()) },
    h("label", { for: "typed" }, "Or type"),
    typed,
    h("button", { class: "plain" }, "Enter"),
  );
  root.append(h("h1", { class: "hidden" }, "A game at a real board"), top, said, pad, typing, more);

  // ---- What the browser keeps: a game by its key, with the number of its last change.

  const memory = new Map();
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
      value === null
        ? localStorage.removeItem(key)
        : localStorage.setItem(key, JSON.stringify(value));
      memory.delete(key);
    } catch {
      keeps = false;
      memory.set(key, JSON.stringify(value));
    }
  }
  const isGame = (one) =>
    Array.isArray(one?.entries) &&
    one.entries.every((entry) => typeof entry === "string") &&
    [one.done, one.undone, one.start].every(Array.isArray) &&
    [one.id, one.at, one.you, one.them].every((text) => typeof text === "string");
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
      .filter(isGame)
      .sort((one, other) => other.at.localeCompare(one.at));
  }
  const newId = () => Date.now().toString(36) + Math.random().toString(36).slice(2, 8);

  // Keep the game; one that another tab has changed meanwhile is kept beside this.
  function keep() {
    const there = stored(KEY + game.id);
    let told = "";
    if (there && there.revision !== game.revision) {
      game = { ...game, id: newId() };
      told = "Another tab went on with this game. Both are kept: this is yours. ";
    }
    game.revision++;
    store(KEY + game.id, game);
    store(LAST, { ...stored(LAST), id: game.id, you: game.you, them: game.them });
    return told;
  }
  addEventListener("storage", (event) => {
    const there = game && event.key === KEY + game.id && stored(event.key);
    if (!there || there.revision <= game.revision) return;
    [game, edit] = [there, null];
    show("Another tab went on with this game.");
  });

  function open(id) {
    [game, edit] = [games().find((one) => one.id === id) || null, null];
    store(LAST, { ...stored(LAST), id: game ? id : "" });
    show();
  }

  // ---- Entries.

  const place = () =>
    edit ||
    (state.problem ? { at: state.problem.at, number: 1 } : { at: game.entries.length, number: 0 });

  function enter(entry) {
    const { at, number } = place(),
      events = state.events.length,
      entries = [...game.entries];
    entries.splice(at, number, entry);
    const after = replay(game, { entries: entries.slice(0, at + 1) });
    if (after.problem?.at === at) return refuse(after.problem.why);
    change(game, at, number, [entry]);
    const own = edit === null && !state.problem;
    edit = null;
    const told = keep();
    state = replay(game);
    const added = own ? state.events.slice(events) : [];
    show(told + (added.map((event) => `${eventText(event)}.`).join(" ") || "Changed."));
    byItself = {
      moves: added.filter(({ auto }) => auto).map(({ cards }) => cards[0]?.[0] || "go"),
      until: performance.now() + 1000,
    };
    return true;
  }

  // A tap that comes as its card is entered by itself was meant for that card.
  function tap(entry) {
    const move = { m: entry[1], t: entry[1], g: "go" }[entry[0]];
    if (performance.now() > byItself.until || !byItself.moves.includes(move)) return enter(entry);
    refuse(`the ${rankSign(move)} was just entered by itself: tap again if there is another`);
  }

  function put(at, number, added, words) {
    change(game, at, number, added);
    edit = null;
    show(keep() + words);
  }

  function refuse(why) {
    said.classList.add("refused");
    said.textContent = `${why[0].toUpperCase()}${why.slice(1)}.`;
    return false;
  }

  function step(act, words) {
    if (!act(game)) return refuse(`nothing to ${words}`);
    edit = null;
    show(keep() + (words === "undo" ? "Undone." : "Done again."));
  }

  // How it stands where an entry goes.
  const here = () =>
    edit
      ? replay(game, { entries: game.entries.slice(0, edit.at), until: edit.until })
      : state.problem
        ? replay(game, { entries: game.entries.slice(0, state.problem.at) })
        : state;

  // What is asked after a count that is in no doubt: the next card confirms it.
  function ahead({ asks, what, show, entries, ...at }) {
    if (asks !== "count" || edit || state.problem || show.ways.length > 1) return null;
    const next = replay(game, { entries: [...entries, `${Recorder.countKind({ what, ...at })}=`] });
    const sure = next.asks === (what === "crib" ? "keep" : "crib") && !next.events.at(-1).flush;
    return sure ? next : null;
  }

  // The numbers, counts to confirm, or the cards.
  function padOf(at) {
    const own = at.by === 0 && at.what === "hand";
    if (at.asks === "crib") return flip ? "numbers" : "cards";
    if (at.asks !== "count") return "cards";
    return (own ? flip === Boolean(ahead(at)) : flip) ? "numbers" : "counts";
  }

  // What is counted; or cards, of which a number may be either.
  function type() {
    const text = typed.value.trim(),
      now = here(),
      next = !flip && ahead(now),
      count = () => enter(Recorder.countKind(now) + text) && (typed.value = "");
    if (!/^\d{1,2}$/.test(text)) return typeCards(text);
    if (!next && (now.asks === "count" || padOf(now) === "numbers")) return count();
    if (
      !POSSIBLE.includes(Number(text)) ||
      !(next || (now.asks === "crib" && now.cards.length < 3))
    )
      return typeCards(text);
    const choices = [
      button("A card", () => typeCards(text)),
      button(`The ${now.what} counts ${text}`, count),
    ];
    said.replaceChildren(`Is ${text} a card, or a count? `, ...choices);
    choices[0].focus();
  }

  // Cards as Ask reads them, one or several; a go.
  function typeCards(text) {
    let entries;
    try {
      entries = text
        .split(/\b(go)\b/i)
        .flatMap((part, at) => (at % 2 ? ["g"] : cardsIn(part).map((card) => card.text)));
    } catch (problem) {
      return void refuse(problem.message);
    }
    for (let at = 0; at < entries.length; at++) {
      typed.value = entries.slice(at).join(" ").replaceAll("g", "go");
      const now = here(),
        there = ahead(now) || now,
        can = (entry) => !replay(game, { entries: [...there.entries, entry] }).problem;
      const mine = there.asks === "theirs" && !can(`t${entries[at]}`) && can(`m${entries[at]}`); // they had no card, and you go on
      if (!enter(entries[at] === "g" ? "g" : (mine ? "m" : ASKED[there.asks] || "x") + entries[at]))
        return;
    }
    typed.value = "";
  }

  // A suit goes to the card that was entered last.
  function suit(mark) {
    const at = edit?.number ? edit.at : game.entries.length - 1,
      last = game.entries[at];
    const card = last.slice(0, 2) + (last[2] === mark ? "" : mark),
      entries = [...game.entries.slice(0, at), card];
    const problem = replay(game, { entries }).problem;
    if (problem) return refuse(problem.why);
    put(at, 1, [card], `${aloud(card.slice(1)).replace(/^./, (first) => first.toUpperCase())}.`);
  }

  document.addEventListener("keydown", (event) => {
    if (!game || root.hidden || event.altKey) return;
    const elsewhere = event.target.closest("input, select, textarea") && event.target !== typed;
    if (
      (event.ctrlKey || event.metaKey) &&
      /^[zy]$/i.test(event.key) &&
      !elsewhere &&
      !typed.value
    ) {
      event.preventDefault();
      event.shiftKey || /y/i.test(event.key)
        ? step(Recorder.redo, "do again")
        : step(Recorder.undo, "undo");
    } else if (
      !event.ctrlKey &&
      !event.metaKey &&
      event.key.length === 1 &&
      /\S/.test(event.key) &&
      !elsewhere
    )
      typed.focus();
  });

  // ---- The view.

  const eventText = ({ words, cards, after }) => [words, ...cards.map(inSigns)].join(" ") + after;

  function show(told = "", flipped = false) {
    flip = flipped;
    byItself.until = 0;
    const key = document.activeElement?.dataset.key,
      opened = [...more.querySelectorAll("details[open]")].map((one) => one.dataset.key);
    said.classList.remove("refused");
    said.textContent = told;
    typing.hidden = !game;
    if (game) {
      state = replay(game);
      const at = here(),
        over = state.over && !edit && !state.problem;
      top.replaceChildren(...drawTop((at.what === "crib" && ahead(at)) || at, over));
      pad.replaceChildren(...(over ? drawOver() : drawPad(at)));
      typing.hidden = over;
      more.replaceChildren(...drawMore());
      grade();
    } else {
      top.replaceChildren(...drawLobby());
      pad.replaceChildren();
      more.replaceChildren();
    }
    if (!keeps) said.textContent += " This browser keeps nothing: save the file before you leave.";
    root.dataset.asks = game
      ? `${game.entries.length}.${state.problem ? "problem" : state.asks}`
      : "";
    for (const part of more.querySelectorAll("details"))
      if (opened.includes(part.dataset.key)) part.open = true;
    if (key)
      root.querySelector(`[data-key="${CSS.escape(key)}"]:enabled`)?.focus({ preventScroll: true });
  }

  function drawTop(at, over) {
    const deal = at.deals.at(-1),
      play = deal.play,
      mine = Recorder.seat(deal, 0),
      past = play.played.length - play.table.length;
    const side = (who) => {
      const [name, points] = [who ? game.them : game.you, at.score[who]];
      return markup`<div class="side ${who ? "they" : "you"}"><b class="name">${name}</b>${who === deal.dealer && markup`<span class="chip">crib</span>`}
        <b class="points">${points}</b><progress max="121" value="${points}" aria-label="${name}: ${points} of 121"></progress></div>`;
    };
    const parts = [h("div", { class: "sides" }, [0, 1].map(side))];
    if (over) return parts;
    if (deal.starter) {
      const cards = play.steps
        .filter((one) => one.card)
        .map(({ by, card }, number) => {
          const drawn = face(card, number < past ? "past" : "");
          return markup`<span class="${by === mine ? "you" : "they"}">${drawn}</span>`;
        });
      const table = markup`<span class="starter">${face(deal.starter)}<small>cut</small></span>
        <div class="played" role="group" aria-label="Cards played">${cards}</div>
        <span class="count"><small>count</small><b>${play.over ? "–" : play.count}</b></span>`;
      parts.push(h("div", { class: "cut" }, table));
    }
    const left = Recorder.left(deal),
      stays = Recorder.kept(deal).map(
        (card) => left.includes(card) && left.splice(left.indexOf(card), 1),
      );
    const plays = at.asks === "mine" || (at.asks === "theirs" && play.count > ANY_FITS);
    const slot = (number) => {
      const card = deal.hand[number],
        done = number < 4 && !stays[number],
        kind = number < 4 ? "" : "discarded";
      if (!card) return h("span", { class: `slot ${kind}` });
      if (!deal.starter)
        return button(
          face(card),
          () => begin({ at: deal.handAt[number], number: 1, words: `the ${aloud(card)}` }),
          {
            class: `own ${kind}`,
            "aria-label": `Change the ${aloud(card)}`,
            "data-key": `hand ${number}`,
          },
        );
      const may = plays && number < 4 && !done && (at.asks === "theirs" || play.fits(card));
      return may
        ? button(face(card), () => tap(`m${card}`), {
            class: "own may",
            "aria-label": `Play the ${aloud(card)}`,
            "data-key": `hand ${number}`,
          })
        : h("span", { class: `own ${kind}${done ? " done" : ""}` }, face(card));
    };
    const group = (from, to, words) =>
      h(
        "div",
        { class: "group", role: "group", "aria-label": words },
        h(
          "div",
          { class: "cards" },
          [...Array(to - from).keys()].map((one) => slot(from + one)),
        ),
        h("small", {}, words),
      );
    if (!at.cards)
      parts.push(
        h(
          "div",
          { class: "hand" },
          group(0, 4, "you keep"),
          group(4, 6, deal.dealer ? `${game.them}’s crib` : "your crib"),
        ),
      );
    return parts;
  }

  function question(at) {
    const deal = at.deals.at(-1),
      pad = padOf(at);
    if (at.asks === "keep")
      return deal.hand.length ? `${4 - deal.hand.length} more to keep` : "Which four do you keep?";
    if (at.asks === "discard")
      return deal.hand.length > 4 ? "And the other?" : "Which two do you discard?";
    if (at.asks === "starter") return "Which card is cut?";
    if (at.asks === "mine") return deal.play.steps.length ? "What do you play?" : "You lead";
    if (at.asks === "theirs")
      return deal.play.steps.length
        ? `What does ${game.them} play?`
        : `What does ${game.them} lead?`;
    if (pad === "cards")
      return deal.theirs.length ? "And the other?" : `What did ${game.them} discard to the crib?`;
    const whose = Recorder.whose(game, at.by, at.what);
    return pad === "numbers"
      ? `${whose}: what does it count?`
      : `${whose} counts ${joined(at.show.ways.map(Recorder.inWords), "or")}`;
  }

  function drawPad(now) {
    const next = flip ? null : ahead(now),
      at = next || now,
      deal = at.deals.at(-1),
      play = deal.play,
      kind = at.cards && Recorder.countKind(at),
      shows = padOf(at);
    const count = (points, words, entry, kindOfButton) => {
      const given = { class: kindOfButton, "data-key": `count ${points}` };
      return button(words, () => enter(kind + entry), given);
    };
    const turn = (words) => button(words, () => show("", !flip), { class: "broad" });
    const unseen = () => {
      if (next) enter(`${Recorder.countKind(now)}=`);
      show(said.textContent, true);
    };
    const parts = [h("h2", { id: "asked" }, edit ? `Change ${edit.words}` : question(at))];
    if (next && now.what === "crib") parts.unshift(h("p", {}, `${question(now)}.`));
    if (state.problem && !edit) {
      const { at: from, text, why } = state.problem;
      parts.push(
        h(
          "p",
          { class: "problem", role: "alert" },
          `After the change ${/^[kcmtx]/.test(text) ? `the ${aloud(text.slice(1))}` : "an entry"} cannot stay: ${why}. `,
          button("Take it out", () => put(from, 1, [], "Taken out.")),
          button("Take out all from here", () => put(from, Infinity, [], "Taken out.")),
        ),
      );
    }
    if (edit) {
      const { at: from, number } = edit;
      parts.push(
        h(
          "p",
          { class: "row" },
          button("Leave it", () => begin(null)),
          number > 0 &&
            deal.starter &&
            button("Take it out", () => put(from, number, [], "Taken out.")),
          number > 0 &&
            deal.starter &&
            button("Insert before", () =>
              begin({ ...edit, number: 0, words: "what is not there yet" }),
            ),
        ),
      );
    }
    const flush =
      !edit &&
      !state.problem &&
      state.events.find((one) => one.flush && one.at === game.entries.length);
    if (flush)
      parts.push(
        h(
          "p",
          {},
          button(`${game.them} had a flush: ${flush.flush}`, () =>
            put(flush.at, 0, [flush.kind + flush.flush], "A flush."),
          ),
        ),
      );
    if (at.cards)
      parts.push(
        h(
          "p",
          { class: "hand-shown" },
          at.cards.map((card) => face(card)),
          " ",
          face(deal.starter, "starter"),
        ),
      );
    let keys;
    if (shows === "numbers")
      keys = [
        POSSIBLE.map((points) => count(points, String(points), points, "")),
        turn(ahead(at) ? "go on" : at.show ? "tell me" : "its cards"),
      ];
    else if (shows === "counts")
      keys = [
        at.show.ways.map((way, number) =>
          count(
            way[0],
            Recorder.inWords(way),
            number ? way[0] : "=",
            number ? "broad" : "go broad",
          ),
        ),
        turn("another count"),
      ];
    else {
      const after =
        at.asks === "theirs" &&
        play.count > ANY_FITS &&
        replay(game, { entries: [...at.entries, "g"] }); // what their go leads to
      const may = (rank) =>
        at.asks === "mine"
          ? Recorder.left(deal).some((card) => card[0] === rank) && play.fits(rank)
          : Recorder.free(deal, rank) &&
            (at.asks !== "theirs" ||
              play.fits(rank) ||
              (after?.asks === "theirs" && after.deals.at(-1).play.fits(rank)));
      const ranks = [...RANKS].map((rank) =>
        button(rankSign(rank), () => tap((ASKED[at.asks] || "x") + rank), {
          class: "",
          disabled: !may(rank),
          "aria-label": aloud(rank),
          "data-key": `rank ${rank}`,
        }),
      );
      const last =
        next || (at.asks === "crib" && !deal.theirs.length)
          ? [
              next && turn(now.what === "crib" ? "another count" : "count my hand"),
              at.asks === "crib" && button("only its count", unseen, { class: "broad" }),
            ]
          : button("go", () => tap("g"), {
              class: "go",
              disabled: at.asks !== "theirs" || play.count <= ANY_FITS,
              "aria-label": `${game.them} says go`,
            });
      keys = [ranks, last];
    }
    parts.push(
      h("div", { class: `${shows} pads`, role: "group", "aria-labelledby": "asked" }, keys),
    );
    const last = edit ? game.entries[edit.number ? edit.at : -1] : game.entries.at(-1),
      suited = (edit || !state.problem) && /^[kctx]/.test(last || "");
    const suits =
      shows === "numbers"
        ? []
        : [...SUITS].reverse().map((mark) =>
            button(SIGNS[mark], () => suit(mark), {
              class: `mark${red(` ${mark}`)}`,
              disabled: !suited,
              "aria-pressed": suited && last[2] === mark ? "true" : "false",
              "aria-label": `${edit ? "it" : "the last card"} is of ${SUIT_NAMES[mark]}`,
              "data-key": mark,
            }),
          );
    parts.push(h("div", { class: "suits-and-undo" }, suits, ...undoes()));
    if (deal.starter && !play.steps.length && !edit && !state.problem)
      parts.push(board("p", "Without the play: the score after this deal", "Next deal"));
    return parts;
  }

  // Both scores, as an entry of a kind.
  function board(kind, words, act) {
    const [own, theirs] = ["your points", `points of ${game.them}`].map((label, who) => {
      const range = { type: "number", min: 0, max: 121, required: true };
      return h("input", { ...range, value: state.score[who], "aria-label": label });
    });
    const onsubmit = (event) => {
      event.preventDefault();
      edit = null;
      enter(`${kind}${own.value}-${theirs.value}`);
    };
    return h(
      "form",
      { class: "row", onsubmit },
      words,
      own,
      "–",
      theirs,
      h("button", { class: "plain" }, act),
    );
  }

  const undoes = () => [
    button("↶", () => step(Recorder.undo, "undo"), {
      class: "undo",
      disabled: !game.done.length,
      "aria-label": "Undo",
    }),
    button("↷", () => step(Recorder.redo, "do again"), {
      class: "undo",
      disabled: !game.undone.length,
      "aria-label": "Redo",
    }),
  ];

  function begin(place) {
    edit = place;
    show("", place?.number === 1 && game.entries[place.at][0] === "b");
    pad.scrollIntoView({ block: "nearest" });
  }

  function headline() {
    if (state.winner === null) return `The game ended at ${state.score.join("–")}`;
    return `${state.winner ? `${game.them} won` : "You won"} ${[...state.score].sort((one, other) => other - one).join("–")}`;
  }

  function drawOver() {
    const review = root.dataset.review && button("Review", sendToReview, { class: "go" });
    return [
      h("h2", {}, headline()),
      h(
        "p",
        { class: "row" },
        review,
        button(navigator.canShare ? "Share or save" : "Save the file", () => share([game]), {
          class: review ? "plain" : "go",
        }),
        button("Other games", () => open("")),
        h("span", { class: "row" }, undoes()),
      ),
    ];
  }

  function drawMore() {
    const events = [...state.events.entries()].reverse(),
      number = state.deals.length;
    const card = ([text, at]) =>
      button(inSigns(text), () => begin({ at, number: 1, words: `the ${aloud(text)}` }), {
        class: "plain event",
        "aria-label": `Change the ${aloud(text)}`,
        "data-key": `entry ${at}`,
      });
    const listedHand = (hand) =>
      h(
        "span",
        { class: "hand-listed" },
        "You keep",
        hand.slice(0, 4).map(card),
        "discard",
        hand.slice(4).map(card),
      );
    const listed = (some) =>
      h(
        "ol",
        { reversed: true, class: "events" },
        some.map(([until, event]) =>
          h(
            "li",
            {},
            event.kind
              ? button(
                  eventText(event),
                  () =>
                    begin({
                      at: event.at,
                      number: event.auto ? 0 : 1,
                      until,
                      words: `“${eventText(event)}”`,
                    }),
                  { class: "plain event", "data-key": `event ${until}` },
                )
              : event.hand
                ? listedHand(event.hand)
                : h("span", { class: "plain event" }, eventText(event)),
          ),
        ),
      );
    const earlier = events.filter(([, event]) => event.deal < number);
    const finished = state.deals.some((deal) => deal.after);
    const name = (who, words) => {
      const onchange = (event) => rename(who, event.target);
      return h("label", {}, words, h("input", { value: game[who], maxlength: 40, onchange }));
    };
    return [
      h("section", { class: "discards", hidden: true }),
      finished && sheet(),
      h(
        "details",
        { open: true, "data-key": "deal" },
        h("summary", {}, `Deal ${number}: tap an entry to change it`),
        listed(events.filter(([, event]) => event.deal === number)),
      ),
      earlier.length > 0 &&
        h("details", { "data-key": "earlier" }, h("summary", {}, "Earlier deals"), listed(earlier)),
      h(
        "details",
        { class: "other", "data-key": "other" },
        h("summary", {}, "The board, names, the file"),
        !state.over && board("s", "The board says", "Put right"),
        h("p", { class: "row names" }, name("you", "You"), name("them", "Your opponent")),
        h(
          "p",
          { class: "row" },
          !state.over &&
            state.asks === "mine" &&
            state.deals.at(-1).play.count > ANY_FITS &&
            button("I said go", () => enter("w")),
          !state.over &&
            state.deals.some((deal) => deal.starter) &&
            button("End here", () => enter("e")),
          state.deals.some((deal) => deal.starter) && button("Save the file", () => share([game])),
          button("Other games", () => open("")),
          remover(game, "Delete"),
        ),
      ),
    ].filter(Boolean);
  }

  function rename(who, field) {
    const name = field.value.trim();
    if (!name || name === game[who === "you" ? "them" : "you"]) return refuse(TWO_NAMES);
    game[who] = name;
    show(keep());
  }

  // Delete asks, and can be undone.
  function remover(one, words) {
    return button(
      words,
      (event) =>
        event.target.replaceWith(
          h(
            "span",
            { class: "row sure" },
            "Delete this game?",
            button("Yes, delete", () => {
              store(KEY + one.id, null);
              [forgotten, game] = [one, null];
              store(LAST, { ...stored(LAST), id: "" });
              show("Deleted.");
            }),
            button("No", () => show()),
          ),
        ),
      {
        "data-key": `delete ${one.id}`,
        "aria-label": `${words} the game of ${one.you} and ${one.them}`,
      },
    );
  }

  const table = (head, rows) =>
    markup`<div class="scroll" tabindex="0" role="group" aria-label="A table, which scrolls"><table class="sheet">
      <thead><tr>${head.map((words) => markup`<th scope="col">${words}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;

  function sheet() {
    const cell = (deal, who, what) =>
      deal.counted.find((one) => one.by === who && one.what === what)?.points ?? "";
    const deals = state.deals.filter((deal) => deal.after),
      head = ["deal", "you peg", "hand", "crib", "they peg", "hand", "crib", "score"];
    const rows = deals.map((deal) => {
      const pegs = Recorder.pegged(deal),
        heels = deal.starter?.[0] === "J" ? 2 : 0;
      const cells = [0, 1].flatMap((who) => [
        pegs[who] + (who === deal.dealer ? heels : 0),
        cell(deal, who, "hand"),
        cell(deal, who, "crib"),
      ]);
      return markup`<tr><th scope="row">${deal.number}</th>${cells.map((points) => markup`<td>${points}</td>`)}<td><b>${deal.after.join("–")}</b></td></tr>`;
    });
    const summary = h("summary", {}, "The score sheet");
    return h("details", { "data-key": "sheet" }, summary, table(head, rows));
  }

  // Discards of deals that are over, graded by the tables of this page, the costliest first.
  const grades = new Map();
  async function grade() {
    const place = more.querySelector(".discards"),
      deals = state.deals.filter((deal) => deal.after || (state.over && deal.starter));
    if (!window.cribev?.grade || !deals.length) return;
    const graded = await Promise.all(
      deals.map(async (deal) => {
        const suited = deal.hand.every((card) => card[1]),
          bare = suited ? deal.hand : deal.hand.map((card) => card[0]);
        const role = Recorder.ROLES[Recorder.seat(deal, 0)],
          key = `${role} ${bare} ${deal.before}`;
        if (!grades.has(key))
          grades.set(key, window.cribev.grade(bare.slice(0, 4), bare.slice(4), role, deal.before));
        return [deal, await grades.get(key)];
      }),
    );
    graded.sort(([, [one]], [, [other]]) => other.weight - one.weight);
    const names = graded[0][1].map((one) => one.opponent),
      text = (cards) => cards.split(" ").map(inSigns).join(" ");
    const told = {
      points: (cost) => `${cost.toFixed(2)} points`,
      wins: (cost) => `${(100 * cost).toFixed(1)}% of wins`,
    };
    const costs = ({ unit, verdict, cost, best }) =>
      unit
        ? markup`<td class="${verdict}">${verdict === "best" ? verdict : told[unit](cost)}</td><td>${text(best)}</td>`
        : markup`<td colspan="2">too near the end</td>`;
    const totals = Object.keys(told)
      .map((unit) => [
        unit,
        graded.map(([, [first]]) => first).filter((first) => first.unit === unit),
      ])
      .filter(([, some]) => some.length)
      .map(
        ([unit, some]) =>
          `${told[unit](some.reduce((sum, one) => sum + one.cost, 0))} in ${some.length === 1 ? "one deal" : `${some.length} deals`}${unit === "wins" ? " near the end" : ""}`,
      );
    const rows = graded.map(
      ([deal, found]) =>
        markup`<tr><th scope="row">${deal.number}</th><td>${deal.hand.slice(4).map(inSigns).join(" ")}</td>${found.map(costs)}</tr>`,
    );
    const notes = [
      totals.length &&
        `${totals.join(" and ")}, against ${names.map((name) => (name === "expert" ? "an expert" : name)).join(" and ")}.`,
      graded.some(([, [first]]) => first.unit === "wins") &&
        "Chances near the end are about 0.01 off: cribev review is exact.",
      graded.some(([, [first]]) => !first.unit) &&
        "Where a player needs 7 points or fewer, this page does not grade: cribev review does.",
    ];
    const head = ["deal", "discarded", ...names.flatMap((name) => [name, "best"])];
    place.innerHTML = markup`<h3>What your discards cost</h3><p>${notes.filter(Boolean).join(" ")}</p>${table(head, rows)}`;
    place.hidden = false;
  }

  // ---- The file.

  function file(games) {
    const [{ them, at }] = games,
      name = `cribbage-${them.replace(/[^\p{L}\p{N}]+/gu, "-")}-${at.slice(0, 10)}.csv`;
    return new File([Recorder.csv(games)], name, { type: "text/csv" });
  }

  async function share(games) {
    const made = file(games);
    if (navigator.canShare?.({ files: [made] }))
      try {
        return await navigator.share({ files: [made], title: made.name });
      } catch (problem) {
        if (problem.name === "AbortError") return;
      }
    const address = URL.createObjectURL(made);
    h("a", { href: address, download: made.name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
    said.textContent = `${made.name} is saved: cribev review reads it.`;
  }

  function sendToReview() {
    const sent = new DataTransfer(),
      field = h("input", { type: "file", name: "record" });
    sent.items.add(file([game]));
    field.files = sent.files;
    const form = h(
      "form",
      { action: root.dataset.review, method: "post", enctype: "multipart/form-data", hidden: true },
      field,
    );
    document.body.append(form);
    form.submit();
  }

  // ---- Which game.

  function drawLobby() {
    const all = games(),
      people = [...new Set(all.map((one) => one.them))];
    const name = (name, words, value) =>
      markup`<label>${words}<input name="${name}" value="${value}" maxlength="40" autocomplete="off" required></label>`;
    const held = (name, words) =>
      markup`<input name="${name}" type="number" min="0" max="120" placeholder="0" aria-label="${words}">`;
    const choice = (value, words, note) =>
      markup`<label><input type="radio" name="dealer" value="${value}"${value === 0 && markup` checked`}><span>${words} <small>${note}</small></span></label>`;
    const form = h("form", { class: "lobby-form" });
    form.onsubmit = (event) => (event.preventDefault(), start(form.elements));
    form.innerHTML = markup`<div class="names">${name("them", "Whom do you play?", "")}${name("you", "You", stored(LAST)?.you || "You")}</div><p class="row people"></p>
      <div class="row"><fieldset class="switch"><legend>Who deals first?</legend>${choice(0, "I do", "first crib")}${choice(1, "They do", "second crib")}</fieldset>
      <fieldset class="score"><legend>Score</legend><span class="row">${held("own", "your points")}–${held("theirs", "their points")}</span></fieldset></div>
      <button class="go">Record a game</button>`;
    const offer = (them) => button(them, () => (form.elements.them.value = them));
    form.querySelector(".people").append(...people.slice(0, 4).map(offer));
    const listed = (one) => {
      const { score, over, deals } = replay(one),
        words = ` ${over ? "over" : `deal ${deals.length}`}, ${one.at.slice(0, 10)} `;
      return h(
        "li",
        {},
        button(score.join("–"), () => open(one.id), {
          class: over ? "plain" : "go",
          "data-key": one.id,
          "aria-label": `${one.you} ${score[0]}, ${one.them} ${score[1]}`,
        }),
        h("span", { class: "soft" }, words),
        remover(one, "Delete"),
      );
    };
    const pairOf = ({ you, them }) => `${you}\n${them}`,
      pairs = new Set(all.map(pairOf));
    return [
      h(
        "p",
        {},
        "Tap the cards as they fall, by rank; a suit is one tap more, where you want it. Forced cards and goes are entered for you. The games stay in this browser.",
      ),
      form,
      forgotten &&
        h(
          "p",
          { class: "row" },
          `The game of ${forgotten.you} and ${forgotten.them} is deleted.`,
          button("Put it back", putBack),
        ),
      ...[...pairs].flatMap((pair) => {
        const games = all.filter((one) => pairOf(one) === pair);
        const won = [0, 1].map((who) => games.filter((one) => replay(one).winner === who).length),
          [{ you, them }] = games;
        return [
          h("h2", {}, `Games won: ${you} ${won[0]}, ${them} ${won[1]}`),
          h("ul", { class: "games" }, games.map(listed)),
          games.length > 1 && button(`Save all with ${them}`, () => share(games)),
        ];
      }),
    ].filter(Boolean);
  }

  function putBack() {
    [game, forgotten] = [forgotten, null];
    store(KEY + game.id, game);
    open(game.id);
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

  open(stored(LAST)?.id);
})();
