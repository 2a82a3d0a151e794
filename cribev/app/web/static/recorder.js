"use strict";
// A game at a real board: what was entered, the game that it makes, and the file that a review reads.
const Recorder = (() => {
  const RANKS = "A23456789TJQK",
    SUITS = "CDHS",
    LIMIT = 31,
    ANY_FITS = 21,
    OUT = 121,
    ROLES = ["pone", "dealer"];
  const named = (card) => card.replace("T", "10"),
    rankOf = (card) => RANKS.indexOf(card[0]),
    pip = (card) => Math.min(rankOf(card) + 1, 10);
  const inOrder = (cards) =>
    [...cards].sort(
      (one, other) =>
        rankOf(one) - rankOf(other) ||
        SUITS.indexOf(one[1] ?? "~") - SUITS.indexOf(other[1] ?? "~"),
    );

  // What the last of cards scores at a count.
  function pegsOf(played, count) {
    const found = [],
      ranks = played.map(rankOf).reverse();
    if (count === 15) found.push(["fifteen", 2]);
    if (count === LIMIT) found.push(["thirty-one", 2]);
    let alike = 1;
    while (ranks[alike] === ranks[0]) alike++;
    if (alike > 1)
      return [
        ...found,
        [["pair", "pair royal", "double pair royal"][alike - 2], alike * (alike - 1)],
      ];
    for (let length = ranks.length; length > 2; length--) {
      const last = ranks.slice(0, length);
      if (new Set(last).size === length && Math.max(...last) - Math.min(...last) === length - 1)
        return [...found, ["run", length]];
    }
    return found;
  }

  // The play: pone is 0 and leads, the dealer is 1. A go of one who has no cards is silent.
  class Play {
    constructor() {
      Object.assign(this, {
        steps: [],
        turn: 0,
        count: 0,
        table: [],
        left: [4, 4],
        alone: false,
        last: 0,
      });
    }
    get over() {
      return !this.left[0] && !this.left[1];
    }
    get played() {
      return this.steps.filter((step) => step.card).map((step) => step.card);
    }
    fits(card) {
      return this.count + pip(card) <= LIMIT;
    }
    playedBy(who) {
      return this.steps.filter((step) => step.card && step.by === who).map((step) => step.card);
    }
    play(card) {
      const by = this.turn,
        across = 1 - by;
      this.left[by]--;
      this.table.push(card);
      this.last = by;
      const count = (this.count += pip(card)),
        pegs = pegsOf(this.table, count).map(([kind, points]) => ({ by, kind, points }));
      if (count === LIMIT) this.begin(across);
      else if (this.over) pegs.push({ by, kind: "last card", points: 1 });
      else if (!this.alone && this.left[across]) this.turn = across;
      this.steps.push({ by, card, count, pegs });
      if (!this.over && !this.left[this.turn]) this.end(true);
    }
    go() {
      if (this.alone || !this.left[1 - this.turn]) return this.end(false);
      this.steps.push({ by: this.turn, count: this.count, pegs: [] });
      this.alone = true;
      this.turn = 1 - this.turn;
    }
    end(silent) {
      this.steps.push({
        by: this.turn,
        count: this.count,
        pegs: [{ by: this.last, kind: "go", points: 1 }],
        silent,
      });
      this.begin(1 - this.last);
    }
    begin(leads) {
      Object.assign(this, {
        table: [],
        count: 0,
        alone: false,
        turn: this.left[leads] ? leads : 1 - leads,
      });
    }
    get text() {
      return this.steps.map((step) => step.card || (step.renege ? "go!!" : "go")).join(" ");
    }
  }

  // What four cards and the starter count, and what else they may where suits are not known: totals,
  // each with what makes it more than the first.
  function shown(kept, starter, crib) {
    const ranks = [...kept, starter].map(rankOf);
    let points = countRanks(ranks);
    const suits = new Set(kept.map((card) => card[1])),
      suited = kept.every((card) => card[1]);
    const jacks = kept.filter((card) => card[0] === "J");
    const certain = jacks.some((card) => card[1] && card[1] === starter[1]),
      nobs = !certain && jacks.some((card) => !card[1] || !starter[1]),
      more = nobs ? [[1, "nobs"]] : [];
    if (certain) points++;
    const same =
      new Set([...suits, starter[1]].filter(Boolean)).size < 2 && new Set(ranks).size === 5;
    const five = (extra) => (same ? [[extra + nobs, "five in suit"]] : []); // a jack of it is nobs
    if (suited && suits.size === 1 && starter[1])
      points += suits.has(starter[1]) ? 5 : crib ? 0 : 4;
    else if (suited && suits.size === 1) {
      points += crib ? 0 : 4;
      more.splice(0, 1, ...five(crib ? 5 : 1));
    } else if (
      !suited &&
      new Set(kept.map(rankOf)).size === 4 &&
      suits.size <= 2 &&
      (suits.size < 2 || suits.has(undefined))
    ) {
      if (!crib && !(starter[1] && suits.has(starter[1]))) more.push([4, "a flush"]);
      more.push(...five(5));
    }
    const ways = [[0, ""], ...more].map(([extra, words]) => [points + extra, words]);
    return { points, nobs: more[0]?.[1] === "nobs", ways };
  }

  // ---- A game from its entries. Player 0 enters it; an entry is its kind and its text:
  // k a card of your six, the four you keep before the two you discard; c the starter; m a card you
  // play, t one of theirs; g their go, w yours though a card fitted; x a card they discarded; n what your
  // hand is counted, o theirs, b a crib, = as the cards count; s the score on the board, yours
  // first, and p after a deal whose play is left out; e an early end.
  const ASKED = { keep: "k", discard: "k", starter: "c", mine: "m", theirs: "t", crib: "x" };
  const inWords = ([total, words]) => (words ? `${total} with ${words}` : `${total}`);
  const countKind = ({ by, what }) => (what === "crib" ? "b" : "no"[by]);
  const whose = (game, by, word) => (by === 0 ? `Your ${word}` : `${game.them}’s ${word}`);
  const subject = (game, by, you, they) => (by === 0 ? `You ${you}` : `${game.them} ${they}`);

  function replay(game, { entries = game.entries, until = Infinity } = {}) {
    const state = {
      game,
      entries,
      score: [...game.start],
      deals: [],
      events: [],
      over: false,
      winner: null,
      problem: null,
    };
    newDeal(state);
    for (let at = 0; at <= entries.length; at++) {
      while (!state.over && state.events.length < until && ofItself(state, entries[at], at));
      if (at === entries.length) break;
      const why = take(state, entries[at], at);
      if (why) {
        state.problem = { at, text: entries[at], why };
        break;
      }
    }
    Object.assign(state, asked(state));
    return state;
  }

  function newDeal(state) {
    const number = state.deals.length + 1,
      dealer = (state.game.dealer + number - 1) % 2;
    state.deals.push({
      number,
      dealer,
      hand: [],
      handAt: [],
      starter: null,
      play: new Play(),
      theirs: [],
      counted: [],
      before: [...state.score],
      after: null,
      notes: [],
      least: [OUT, OUT],
    });
  }

  const dealOf = (state) => state.deals.at(-1);
  const seat = (deal, player) => (player === deal.dealer ? 1 : 0),
    player = (deal, at) => (at === 1 ? deal.dealer : 1 - deal.dealer);
  const kept = (deal) => deal.hand.slice(0, 4),
    discarded = (deal) => deal.hand.slice(4);
  const takeCard = (cards, card) => {
    const at = cards.findIndex((one) => one === card);
    return cards.splice(at < 0 ? cards.findIndex((one) => one[0] === card[0]) : at, 1);
  };
  const left = (deal, played = deal.play.playedBy(seat(deal, 0))) =>
    played.reduce((cards, card) => (takeCard(cards, card), cards), kept(deal));
  const known = (deal) => [
    ...deal.hand,
    ...(deal.starter ? [deal.starter] : []),
    ...deal.play.playedBy(seat(deal, 1)),
    ...deal.theirs,
  ];

  // Whether a card may be one of those that are not known yet.
  function free(deal, card) {
    const there = known(deal);
    return (
      there.filter((one) => one[0] === card[0]).length < 4 && !(card[1] && there.includes(card))
    );
  }

  function asked(state) {
    const deal = dealOf(state),
      play = deal.play;
    if (state.over) return { asks: "over" };
    if (deal.hand.length < 4) return { asks: "keep" };
    if (deal.hand.length < 6) return { asks: "discard" };
    if (!deal.starter) return { asks: "starter" };
    if (!play.over) return { asks: play.turn === seat(deal, 0) ? "mine" : "theirs" };
    const at = deal.counted.length,
      by = at === 0 ? 1 - deal.dealer : deal.dealer,
      crib = at === 2;
    const cards = crib
      ? [...discarded(deal), ...deal.theirs]
      : by === 0
        ? kept(deal)
        : play.playedBy(seat(deal, 1));
    if (crib && deal.theirs.length < 2) return { asks: "crib", by, what: "crib", cards };
    const show = shown(cards, deal.starter, crib);
    return { asks: "count", by, what: crib ? "crib" : "hand", show, cards };
  }

  // Who pegged how much in a deal, by player.
  function pegged(deal) {
    const points = [0, 0];
    for (const one of deal.play.steps.flatMap((step) => step.pegs))
      points[player(deal, one.by)] += one.points;
    return points;
  }

  // What happened: words, cards between them, and the kind of entry that may stand there.
  function tell(
    state,
    at,
    words,
    { cards = [], after = "", kind = "", auto = false, hand = null, flush = 0 } = {},
  ) {
    state.events.push({
      at,
      words,
      cards,
      after,
      kind,
      auto,
      hand,
      flush,
      deal: dealOf(state).number,
    });
  }

  function score(state, by, points) {
    if (state.over) return;
    state.score[by] = Math.min(state.score[by] + points, OUT);
    if (state.score[by] === OUT) finish(state, by);
  }

  function finish(state, winner) {
    Object.assign(state, { over: true, winner });
    dealOf(state).after = [...state.score];
  }

  // What needs nobody: a go, a card that is the only one, a count that the cards leave no doubt of.
  function ofItself(state, next, at) {
    const { asks, by, what, show } = asked(state),
      deal = dealOf(state),
      said = (kind) => next?.[0] === kind;
    if (said("p")) return false;
    if (asks === "mine") {
      const may = left(deal).filter((card) => deal.play.fits(card)),
        ranks = new Set(may.map((card) => card[0]));
      if (said("w") || ranks.size > 1 || (ranks.size === 1 && said("m"))) return false;
      ranks.size ? playCard(state, at, may[0], true) : go(state, at, true);
      return true;
    }
    if (
      asks === "theirs" &&
      !said("g") &&
      !said("t") &&
      deal.play.count > ANY_FITS &&
      ![...RANKS].some((rank) => deal.play.fits(rank) && free(deal, rank))
    ) {
      go(state, at, true);
      return true;
    }
    // Your hand and a crib are counted by you, or the next entry confirms what they count.
    const doubtful = what === "crib" ? !next : show?.nobs || (by === 0 && !said("x") && !said("b"));
    if (asks !== "count" || doubtful || said(countKind({ by, what }))) return false;
    counted(state, at, "=", true);
    return true;
  }

  function playCard(state, at, card, auto = false) {
    const deal = dealOf(state),
      play = deal.play,
      by = player(deal, play.turn);
    step(state, at, auto, () => play.play(card), subject(state.game, by, "play", "plays"), card);
  }

  function go(state, at, auto = false) {
    const deal = dealOf(state),
      by = player(deal, deal.play.turn);
    step(state, at, auto, () => deal.play.go(), subject(state.game, by, "say go", "says go"));
  }

  function step(state, at, auto, act, words, card) {
    const deal = dealOf(state),
      before = deal.play.steps.length;
    act();
    for (const one of deal.play.steps.slice(before)) {
      const by = player(deal, one.by),
        takes = one.pegs.find((peg) => peg.kind === "go");
      const scored = [one.count, ...one.pegs.map(({ kind, points }) => `${kind} ${points}`)].join(
        ", ",
      );
      if (one.card)
        tell(state, at, words, {
          cards: [one.card],
          after: `: ${scored}`,
          auto,
          kind: by ? "t" : "m",
        });
      else {
        const taken =
          takes && (one.silent || takes.by === one.by)
            ? `${subject(state.game, player(deal, takes.by), "take", "takes")} the go: 1`
            : "";
        tell(state, at, taken || words + (takes ? `: 1 to ${by ? "you" : state.game.them}` : ""), {
          kind: auto || one.silent ? "" : "g",
          auto,
        });
      }
      for (const { by, points } of one.pegs) score(state, player(deal, by), points);
      if (state.over) break;
    }
    for (const [go, one] of deal.play.steps.entries()) {
      const fitted = !one.card && !one.silent && !one.renege && fitting(deal, go);
      if (!fitted) continue;
      one.renege = true;
      deal.notes.push(`a wrong go at ${one.count}, where the ${named(fitted[0])} fitted`);
      tell(state, at, `A wrong go at ${one.count}: the ${named(fitted[0])} fitted`);
    }
  }

  // A card that fitted at a go: one that the same player played later, or of yours any.
  function fitting({ play, ...deal }, go) {
    const { by, count } = play.steps[go],
      played = (steps) =>
        steps.filter((step) => step.card && step.by === by).map((step) => step.card);
    const held = player(deal, by)
      ? played(play.steps.slice(go))
      : left(deal, played(play.steps.slice(0, go)));
    return held.find((card) => count + pip(card) <= LIMIT);
  }

  function counted(state, at, text, auto = false) {
    const { by, what, show } = asked(state),
      deal = dealOf(state),
      points = text === "=" ? show?.points : Number(text);
    const ways = show?.ways || [[points, ""]],
      way = ways.find(([total]) => total === points),
      others = ways.filter((other) => other !== way),
      whom = whose(state.game, by, what);
    const besides = others.map((other) =>
      other[1] || !way ? inWords(other) : `${other[0]} without`,
    );
    const told = way
      ? besides.length && ` (${besides.join(", ")})`
      : `; by the cards ${besides.join(", ")}`;
    tell(state, at, `${whom} counts ${inWords(way || [points])}${told || ""}`, {
      auto,
      kind: countKind({ by, what }),
      flush: auto && what === "hand" && others[0]?.[0], // if suits that nobody entered are alike
    });
    if (!way) deal.notes.push(`${whom} was counted ${points}, and has ${show.points} by the cards`);
    deal.counted.push({ by, what, points });
    score(state, by, points);
    if (what === "crib" && !state.over) {
      deal.after = [...state.score];
      newDeal(state);
    }
  }

  // Take an entry; return why it cannot be, or nothing.
  function take(state, entry, at) {
    const kind = entry[0],
      text = entry.slice(1),
      { asks, show, by } = asked(state),
      deal = dealOf(state),
      play = deal.play;
    if (asks === "over") return "the game is over";
    if (kind === "s" || kind === "p") return correct(state, kind, text, at);
    if (kind === "e") {
      tell(state, at, "The game ended here", { kind });
      if (deal.play.steps.length && !deal.play.over)
        deal.notes.push(`the play broke off: ${play.text}`);
      state.over = state.ended = true;
      return "";
    }
    if (kind === "g" || kind === "w") {
      if (asks !== (kind === "g" ? "theirs" : "mine")) return "something else is asked here";
      if (play.count <= ANY_FITS) return `at ${play.count} any card fits`;
      go(state, at);
      return "";
    }
    // A card of yours in their turn tells their go, and so does one of theirs that does not fit.
    if (
      asks === "theirs" &&
      play.count > ANY_FITS &&
      (kind === "m" || (kind === "t" && !play.fits(text)))
    ) {
      go(state, at);
      while (!state.over && kind === "t" && ofItself(state, entry, at));
    }
    const now = asked(state),
      counts = now.asks === "count" || (kind === "b" && now.asks === "crib" && !deal.theirs.length);
    if (kind !== (counts ? countKind(now) : ASKED[now.asks])) return "something else is asked here";
    if (counts) {
      if (text === "=" ? !show : !/^([12]?\d)$/.test(text)) return "expected points from 0 to 29";
      counted(state, at, text);
      return "";
    }
    if (!/^[A2-9TJQK][CDHS]?$/.test(text)) return "expected a card, as 5 or 5H";
    if (
      kind === "m"
        ? !left(deal).some((card) => card === text || card[0] === text)
        : !free(deal, text)
    )
      return `the ${named(text)} is ${kind === "m" ? "not among your cards" : "known already"}`;
    if ((kind === "m" || kind === "t") && !play.fits(text))
      return `the ${named(text)} does not fit a count of ${play.count}`;
    if (kind === "k")
      [deal.hand, deal.handAt] = [
        [...deal.hand, text],
        [...deal.handAt, at],
      ];
    else if (kind === "x") {
      deal.theirs.push(text);
      tell(state, at, `${state.game.them} discarded`, { cards: [text], kind });
    } else if (kind === "m")
      playCard(
        state,
        at,
        left(deal).includes(text) ? text : left(deal).find((card) => card[0] === text),
      );
    else if (kind === "t") playCard(state, at, text);
    else {
      deal.starter = text;
      const heels =
        text[0] === "J" ? `: his heels, 2 to ${deal.dealer ? state.game.them : "you"}` : "";
      tell(state, at, "The starter is", { cards: [text], after: heels, kind });
      score(state, deal.dealer, text[0] === "J" ? 2 : 0);
    }
    if (kind === "k" && deal.hand.length === 6)
      tell(state, at, "You keep", {
        cards: inOrder(kept(deal)),
        hand: deal.hand.map((card, number) => [card, deal.handAt[number]]),
      });
    return "";
  }

  function correct(state, kind, text, at) {
    const points = text.split("-").map(Number),
      was = state.score.join("–");
    if (!/^\d{1,3}-\d{1,3}$/.test(text) || Math.min(...points) >= OUT || Math.max(...points) > OUT)
      return "expected two scores up to 121, yours first";
    const deal = dealOf(state);
    if (kind === "p") {
      if (!deal.starter || deal.play.steps.length) return "only a deal without any play is left so";
      if (points.some((own, who) => own < state.score[who])) return "a score does not fall";
      tell(state, at, `Without the play: ${points.join("–")}`, { kind });
      [state.score, deal.after] = [points, [...points]];
      points.includes(OUT) ? finish(state, points.indexOf(OUT)) : newDeal(state);
      return "";
    }
    if (!points.includes(OUT) && `${deal.before}` === `${state.score}`) {
      // it was so when this deal began
      deal.before = [...points];
      if (state.deals.length > 1) state.deals.at(-2).after = [...points];
    }
    deal.least = deal.least.map((least, who) => Math.min(least, points[who]));
    state.score = points;
    deal.notes.push(`the board says ${points.join("-")}, not ${was.replace("–", "-")}`);
    tell(state, at, `The board says ${points.join("–")}, not ${was}`, { kind: "s" });
    if (points.includes(OUT)) finish(state, points.indexOf(OUT));
    return "";
  }

  // ---- The file: a row for each discard, as game_table writes them.

  function table(game, number) {
    const state = replay(game),
      deals = state.deals.filter((deal) => deal.starter),
      rows = [];
    const before = deals.map((deal) => [...deal.before]),
      after = deals.map((deal) => deal.after && [...deal.after]);
    // A score does not fall: one that the board corrects downwards was too high before.
    for (let at = deals.length - 1, most = [OUT, OUT]; at >= 0; at--)
      for (const [score, least] of [
        [after[at], most],
        [before[at], deals[at].least],
      ]) {
        if (!score) continue;
        for (const who of [0, 1]) score[who] = Math.min(score[who], most[who], least[who]);
        most = score;
      }
    deals.forEach((deal, at) => {
      const play = deal.play,
        roles = [0, 1].map((who) => ROLES[seat(deal, who)]),
        pegs = pegged(deal),
        notes = [...deal.notes];
      const sum = pegs.map(
        (points, who) =>
          before[at][who] + points + (who === deal.dealer && deal.starter[0] === "J" ? 2 : 0),
      );
      const told =
        play.steps.length && (play.over || (Math.max(...sum) >= OUT && deal === deals.at(-1)));
      if (play.steps.length && !told && !state.ended)
        notes.push(`the play is not over: ${play.text}`);
      const hands = [
        deal.hand,
        play.left[seat(deal, 1)] || deal.theirs.length < 2
          ? null
          : [...play.playedBy(seat(deal, 1)), ...deal.theirs],
      ];
      for (const who of [0, 1]) {
        if (!hands[who]) continue;
        const star = who === deal.dealer ? ["*", ""] : ["", "*"],
          other = hands[1 - who];
        rows.push({
          game: number + 1,
          deal: deal.number,
          player: who ? game.them : game.you,
          role: roles[who],
          cards: inOrder(hands[who]).join(" "),
          discard: inOrder(hands[who].slice(4)).join(" "),
          starter: deal.starter,
          opponent_discard: other ? inOrder(other.slice(4)).join(" ") : "",
          play: told ? play.text : "",
          score: `${before[at][who]}${star[0]}-${before[at][1 - who]}${star[1]}`,
          score_after: after[at] ? `${after[at][who]}-${after[at][1 - who]}` : "",
          note: who ? "" : notes.join("; "),
        });
      }
    });
    return rows;
  }

  const cell = (value) =>
    /[",\n\r]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value);

  function csv(games) {
    const rows = games.flatMap(table),
      names = Object.keys(rows[0] || {}).filter(
        (name) => name !== "note" || rows.some((row) => row.note),
      );
    return [names, ...rows.map((row) => names.map((name) => row[name]))]
      .map((row) => row.map(cell).join(",") + "\n")
      .join("");
  }

  // ---- Changes that can be undone. An operation puts some entries in the place of others.

  function change(game, at, number, added) {
    const old = game.entries.splice(at, number, ...added);
    game.done.push({ at, old, added });
    game.undone = [];
  }

  function back(game, from = "done", to = "undone") {
    const last = game[from].pop();
    if (!last) return false;
    const [out, put] = from === "done" ? [last.added, last.old] : [last.old, last.added];
    game.entries.splice(last.at, out.length, ...put);
    game[to].push(last);
    return true;
  }

  const begin = ({ you = "You", them = "Opponent", dealer = 0, start = [0, 0], ...more } = {}) => ({
    you,
    them,
    dealer,
    start,
    entries: [],
    done: [],
    undone: [],
    ...more,
  });

  const undo = (game) => back(game),
    redo = (game) => back(game, "undone", "done"),
    rules = { Play, shown, begin, replay, left, kept, discarded, free, seat, player, pegged };
  const words = { ASKED, countKind, inWords, whose };
  return { RANKS, SUITS, ROLES, ANY_FITS, ...words, ...rules, csv, change, undo, redo };
})();
