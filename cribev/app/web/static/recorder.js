"use strict";
// A game at a real board: the entries made, the game that they make, and the file that a review
// reads. Player 0 makes the entries.
const Recorder = (() => {
  // An entry is its kind and its text: k a card of your six, the four you keep before the two you
  // discard; c the starter; m a card you play, t one of theirs; g their go, w yours though a card
  // fitted; x a card they discarded; n the count of your hand, o of theirs, b of a crib, = as the
  // cards count; s the score on the board, yours first, and p after a deal whose play is left out;
  // e an early end.
  const ASKED = { keep: "k", discard: "k", starter: "c", mine: "m", theirs: "t", crib: "x" },
    ELSE = "something else is asked here";

  const withTen = (card) => card.replace("T", "10");
  const inWords = ([total, words]) => (words ? `${total} with ${words}` : `${total}`);
  const countKind = ({ player, pile }) => (pile === "crib" ? "b" : "no"[player]);
  const whose = (game, player, pile) => (player === 0 ? `Your ${pile}` : `${game.them}’s ${pile}`);
  const subject = (game, player, yours, theirs) =>
    player === 0 ? `You ${yours}` : `${game.them} ${theirs}`;

  // ---- A game and its deals.

  function begin({ you = "You", them = "Opponent", dealer = 0, start = [0, 0], ...more } = {}) {
    return { you, them, dealer, start, entries: [], done: [], undone: [], ...more };
  }

  // The state of a game after its entries, or after the first events that these make.
  function replay(game, { entries = game.entries, until = Infinity } = {}) {
    const course = { score: [...game.start], deals: [], events: [] },
      state = { game, entries, ...course, over: false, winner: null, problem: null };
    newDeal(state);
    for (let i = 0; i <= entries.length; i++) {
      while (!state.over && state.events.length < until && forced(state, entries[i], i));
      if (i === entries.length) break;
      const why = take(state, entries[i], i);
      if (!why) continue;
      state.problem = { index: i, text: entries[i], why };
      break;
    }
    return Object.assign(state, asked(state));
  }

  function newDeal(state) {
    const number = state.deals.length + 1;
    state.deals.push({
      number,
      dealer: (state.game.dealer + number - 1) % 2,
      hand: [],
      handEntries: [], // the index of each card's entry
      starter: null,
      play: new Play(),
      theirs: [], // the cards they discarded
      counted: [],
      before: [...state.score],
      after: null,
      notes: [],
      least: [WINNING_SCORE, WINNING_SCORE], // the lowest scores that the board put right
    });
  }

  const dealOf = (state) => state.deals.at(-1);
  const seatOf = (deal, player) => (player === deal.dealer ? 1 : 0);
  const playerAt = (deal, seat) => (seat === 1 ? deal.dealer : 1 - deal.dealer);
  const kept = (deal) => deal.hand.slice(0, 4);
  const discarded = (deal) => deal.hand.slice(4);
  const playedBy = (deal, player) => deal.play.playedBy(seatOf(deal, player));

  // Your cards but those played. One that was played by its rank may be any of that rank.
  function left(deal, played = playedBy(deal, 0)) {
    const cards = kept(deal);
    for (const card of played) {
      const index = cards.indexOf(card);
      cards.splice(index < 0 ? cards.findIndex((other) => other[0] === card[0]) : index, 1);
    }
    return cards;
  }

  // A card is free that may be one of those that are not known yet.
  function free(deal, card) {
    const starter = deal.starter ? [deal.starter] : [],
      known = [...deal.hand, ...starter, ...playedBy(deal, 1), ...deal.theirs],
      alike = known.filter((other) => other[0] === card[0]);
    return alike.length < 4 && !(card[1] && known.includes(card));
  }

  // The entry that is asked for: a card, or the count of a pile, which is a hand or the crib.
  function asked(state) {
    const deal = dealOf(state),
      { play } = deal;
    if (state.over) return { asks: "over" };
    if (deal.hand.length < 4) return { asks: "keep" };
    if (deal.hand.length < 6) return { asks: "discard" };
    if (!deal.starter) return { asks: "starter" };
    if (!play.over) return { asks: play.turn === seatOf(deal, 0) ? "mine" : "theirs" };
    const player = deal.counted.length ? deal.dealer : 1 - deal.dealer,
      pile = deal.counted.length === 2 ? "crib" : "hand",
      hand = player === 0 ? kept(deal) : playedBy(deal, 1),
      cards = pile === "crib" ? [...discarded(deal), ...deal.theirs] : hand;
    if (cards.length < 4) return { asks: "crib", player, pile, cards };
    const counts = possibleCounts(cards, deal.starter, pile === "crib");
    return { asks: "count", player, pile, counts, cards };
  }

  // The points that each player pegged in a deal.
  function pegged(deal) {
    const points = [0, 0];
    for (const peg of deal.play.steps.flatMap((step) => step.pegs))
      points[playerAt(deal, peg.seat)] += peg.points;
    return points;
  }

  const heelsOf = (deal, player) => (player === deal.dealer ? heels(deal.starter) : 0);

  // A row of the score sheet: what each player pegs, and counts in hand and crib.
  const sheetRow = (deal) =>
    [0, 1].flatMap((player) => {
      const counted = (pile) =>
        deal.counted.find((show) => show.player === player && show.pile === pile)?.points ?? "";
      return [pegged(deal)[player] + heelsOf(deal, player), counted("hand"), counted("crib")];
    });

  // ---- Events: words, cards after them, and the kind of entry that may stand there.

  function tell(state, index, words, more = {}) {
    const plain = { cards: [], after: "", kind: "", auto: false, hand: null, flush: 0 };
    state.events.push({ ...plain, index, words, deal: dealOf(state).number, ...more });
  }

  function addPoints(state, player, points) {
    if (state.over) return;
    state.score[player] = Math.min(state.score[player] + points, WINNING_SCORE);
    if (state.score[player] === WINNING_SCORE) finish(state, player);
  }

  function finish(state, winner) {
    Object.assign(state, { over: true, winner });
    dealOf(state).after = [...state.score];
  }

  // Enter what needs nobody: a go, a card that is the only one, a count that the cards leave in no
  // doubt. Return whether there was any.
  function forced(state, next, index) {
    const { asks, player, pile, counts } = asked(state),
      deal = dealOf(state),
      { play } = deal,
      isNext = (kind) => next?.[0] === kind;
    if (isNext("p")) return false;
    if (asks === "mine") {
      const cards = left(deal).filter((card) => play.fits(card)),
        ranks = new Set(cards.map((card) => card[0]));
      if (isNext("w") || ranks.size > 1 || (ranks.size === 1 && isNext("m"))) return false;
      if (ranks.size) playCard(state, index, cards[0], true);
      else sayGo(state, index, true);
      return true;
    }
    if (asks === "theirs") {
      const isTold = isNext("g") || isNext("t"),
        mayFit = [...RANKS].some((rank) => play.fits(rank) && free(deal, rank));
      if (isTold || play.count <= ANY_FITS || mayFit) return false;
      sayGo(state, index, true);
      return true;
    }
    if (asks !== "count" || isNext(countKind({ player, pile }))) return false;
    // Your hand and a crib are counted by you, or the next entry confirms what they count.
    const isOpen = counts.ways.some(([, words]) => words === "nobs"),
      isDoubtful = isOpen || (player === 0 && !isNext("x") && !isNext("b"));
    if (pile === "crib" ? !next : isDoubtful) return false;
    countPile(state, index, "=", true);
    return true;
  }

  // ---- The play.

  function playCard(state, index, card, auto = false) {
    const player = playerAt(dealOf(state), dealOf(state).play.turn),
      words = subject(state.game, player, "play", "plays");
    advance(state, index, words, auto, (play) => play.play(card));
  }

  function sayGo(state, index, auto = false) {
    const player = playerAt(dealOf(state), dealOf(state).play.turn),
      words = subject(state.game, player, "say go", "says go");
    advance(state, index, words, auto, (play) => play.go());
  }

  function advance(state, index, words, auto, act) {
    const deal = dealOf(state),
      before = deal.play.steps.length;
    act(deal.play);
    for (const played of deal.play.steps.slice(before)) {
      if (played.card) tellCard(state, index, words, auto, played);
      else tellGo(state, index, words, auto, played);
      for (const { seat, points } of played.pegs) addPoints(state, playerAt(deal, seat), points);
      if (state.over) break;
    }
    noteReneges(state, index);
  }

  function tellCard(state, index, words, auto, { seat, card, count, pegs }) {
    const scored = [count, ...pegs.map(({ kind, points }) => `${kind} ${points}`)],
      kind = playerAt(dealOf(state), seat) ? "t" : "m";
    tell(state, index, words, { cards: [card], after: `: ${scored.join(", ")}`, auto, kind });
  }

  function tellGo(state, index, words, auto, { seat, pegs: [peg], silent }) {
    const deal = dealOf(state),
      taker = peg && playerAt(deal, peg.seat),
      isTakers = peg && (silent || peg.seat === seat),
      across = playerAt(deal, seat) ? "you" : state.game.them,
      gain = peg ? `: 1 to ${across}` : "",
      sentence = isTakers
        ? `${subject(state.game, taker, "take", "takes")} the go: 1`
        : words + gain;
    tell(state, index, sentence, { kind: auto || silent ? "" : "g", auto });
  }

  // A go is wrong where a card fitted that the same player played later, or that you still held.
  function noteReneges(state, index) {
    const deal = dealOf(state);
    for (const [i, go] of deal.play.steps.entries()) {
      const card = go.card || go.silent || go.renege ? null : cardThatFitted(deal, i);
      if (!card) continue;
      go.renege = true;
      deal.notes.push(`a wrong go at ${go.count}, where the ${withTen(card)} fitted`);
      tell(state, index, `A wrong go at ${go.count}: the ${withTen(card)} fitted`);
    }
  }

  function cardThatFitted(deal, goIndex) {
    const { seat, count } = deal.play.steps[goIndex],
      played = (steps) =>
        steps.filter((step) => step.card && step.seat === seat).map((step) => step.card),
      { steps } = deal.play,
      isTheirs = playerAt(deal, seat) === 1,
      cards = isTheirs ? played(steps.slice(goIndex)) : left(deal, played(steps.slice(0, goIndex)));
    return cards.find((card) => count + valueOf(card) <= LIMIT);
  }

  // ---- The count.

  function countPile(state, index, text, auto = false) {
    const { player, pile, counts } = asked(state),
      deal = dealOf(state),
      points = text === "=" ? counts.points : Number(text),
      ways = counts?.ways ?? [[points, ""]],
      way = ways.find(([total]) => total === points),
      others = ways.filter((other) => other !== way),
      name = whose(state.game, player, pile);
    const besides = others
      .map((other) => (other[1] || !way ? inWords(other) : `${other[0]} without`))
      .join(", ");
    const after = way ? besides && ` (${besides})` : `; by the cards ${besides}`;
    tell(state, index, `${name} counts ${inWords(way ?? [points])}${after}`, {
      auto,
      kind: countKind({ player, pile }),
      flush: auto && pile === "hand" ? others[0]?.[0] : 0, // if suits that nobody entered are alike
    });
    if (!way)
      deal.notes.push(`${name} was counted ${points}, and has ${counts.points} by the cards`);
    deal.counted.push({ player, pile, points });
    addPoints(state, player, points);
    if (pile === "crib" && !state.over) {
      deal.after = [...state.score];
      newDeal(state);
    }
  }

  // The state in which a count that is in no doubt is confirmed, as the next card does; else null.
  function confirmed(state) {
    if (state.asks !== "count" || state.counts.ways.length > 1) return null;
    const entries = [...state.entries, `${countKind(state)}=`],
      next = replay(state.game, { entries }),
      isSure = next.asks === (state.pile === "crib" ? "keep" : "crib");
    return isSure && !next.events.at(-1).flush ? next : null;
  }

  // ---- Entries. Each function takes one, and returns why it cannot be, or nothing.

  function take(state, entry, index) {
    const kind = entry[0],
      text = entry.slice(1),
      { asks } = asked(state),
      deal = dealOf(state),
      { play } = deal;
    if (asks === "over") return "the game is over";
    if (kind === "s") return takeScore(state, text, index);
    if (kind === "p") return takeWithoutPlay(state, text, index);
    if (kind === "e") return takeEnd(state, index);
    if (kind === "g" || kind === "w") {
      if (asks !== (kind === "g" ? "theirs" : "mine")) return ELSE;
      if (play.count <= ANY_FITS) return `at ${play.count} any card fits`;
      sayGo(state, index);
      return "";
    }
    // A card of yours in their turn tells their go, and so does one of theirs that does not fit.
    const isGo = kind === "m" || (kind === "t" && !play.fits(text));
    if (asks === "theirs" && play.count > ANY_FITS && isGo) {
      sayGo(state, index);
      while (!state.over && kind === "t" && forced(state, entry, index));
    }
    const now = asked(state),
      isUnseenCrib = kind === "b" && now.asks === "crib" && !deal.theirs.length;
    if (now.asks === "count" || isUnseenCrib) return takeCount(state, kind, text, index);
    return kind === ASKED[now.asks] ? takeCard(state, kind, text, index) : ELSE;
  }

  function takeCount(state, kind, text, index) {
    const now = asked(state);
    if (kind !== countKind(now)) return ELSE;
    if (text === "=" ? !now.counts : !/^[12]?\d$/.test(text)) return "expected points from 0 to 29";
    countPile(state, index, text);
    return "";
  }

  function takeCard(state, kind, text, index) {
    const deal = dealOf(state),
      { play } = deal;
    if (!/^[A2-9TJQK][CDHS]?$/.test(text)) return "expected a card, as 5 or 5H";
    const own =
      left(deal).find((card) => card === text) ?? left(deal).find((card) => card[0] === text);
    if (kind === "m" && !own) return `the ${withTen(text)} is not among your cards`;
    if (kind !== "m" && !free(deal, text)) return `the ${withTen(text)} is known already`;
    if ((kind === "m" || kind === "t") && !play.fits(text))
      return `the ${withTen(text)} does not fit a count of ${play.count}`;
    if (kind === "m") playCard(state, index, own);
    else if (kind === "t") playCard(state, index, text);
    else if (kind === "k") {
      deal.hand.push(text);
      deal.handEntries.push(index);
      const hand = deal.hand.map((card, i) => [card, deal.handEntries[i]]);
      if (hand.length === 6) tell(state, index, "You keep", { cards: inOrder(kept(deal)), hand });
    } else if (kind === "x") {
      deal.theirs.push(text);
      tell(state, index, `${state.game.them} discarded`, { cards: [text], kind });
    } else {
      deal.starter = text;
      const points = heels(text),
        after = points ? `: his heels, 2 to ${deal.dealer ? state.game.them : "you"}` : "";
      tell(state, index, "The starter is", { cards: [text], after, kind });
      addPoints(state, deal.dealer, points);
    }
    return "";
  }

  function takeEnd(state, index) {
    const { play, notes } = dealOf(state);
    tell(state, index, "The game ended here", { kind: "e" });
    if (play.steps.length && !play.over) notes.push(`the play broke off: ${play.text}`);
    state.over = state.ended = true;
    return "";
  }

  // The two scores of an entry; null if they cannot be.
  function scoresOf(text) {
    const points = /^\d+-\d+$/.test(text) ? scoreIn(text)?.points : null,
      isPossible =
        points && Math.min(...points) < WINNING_SCORE && Math.max(...points) <= WINNING_SCORE;
    return isPossible ? points : null;
  }

  const NO_SCORES = "expected two scores up to 121, yours first";

  function takeWithoutPlay(state, text, index) {
    const points = scoresOf(text),
      deal = dealOf(state);
    if (!points) return NO_SCORES;
    if (!deal.starter || deal.play.steps.length) return "only a deal without any play is left so";
    if (points.some((own, player) => own < state.score[player])) return "a score does not fall";
    tell(state, index, `Without the play: ${points.join("–")}`, { kind: "p" });
    [state.score, deal.after] = [points, [...points]];
    if (points.includes(WINNING_SCORE)) finish(state, points.indexOf(WINNING_SCORE));
    else newDeal(state);
    return "";
  }

  function takeScore(state, text, index) {
    const points = scoresOf(text),
      before = state.score,
      deal = dealOf(state);
    if (!points) return NO_SCORES;
    if (!points.includes(WINNING_SCORE) && deal.before.join() === before.join()) {
      // The board had these points when the deal began.
      deal.before = [...points];
      if (state.deals.length > 1) state.deals.at(-2).after = [...points];
    }
    deal.least = deal.least.map((least, player) => Math.min(least, points[player]));
    state.score = points;
    deal.notes.push(`the board says ${points.join("-")}, not ${before.join("-")}`);
    const words = `The board says ${points.join("–")}, not ${before.join("–")}`;
    tell(state, index, words, { kind: "s" });
    if (points.includes(WINNING_SCORE)) finish(state, points.indexOf(WINNING_SCORE));
    return "";
  }

  // ---- The file: a row for each discard, as game_table writes them.

  // The scores before and after each deal. A score does not fall, so that one which the board
  // corrects downwards was too high before.
  function scoresBeside(deals) {
    const scores = deals.map((deal) => [[...deal.before], deal.after && [...deal.after]]);
    let most = [WINNING_SCORE, WINNING_SCORE];
    const lower = (score, least) => {
      if (!score) return;
      for (const i of [0, 1]) score[i] = Math.min(score[i], most[i], least[i]);
      most = score;
    };
    for (const [i, deal] of [...deals.entries()].reverse()) {
      lower(scores[i][1], most);
      lower(scores[i][0], deal.least);
    }
    return scores;
  }

  function rowsOf(game, gameIndex) {
    const state = replay(game),
      deals = state.deals.filter((deal) => deal.starter),
      scores = scoresBeside(deals);
    return deals.flatMap((deal, i) => {
      const [before, after] = scores[i],
        { play, notes } = deal,
        isLast = i === deals.length - 1;
      const reached = pegged(deal).map((points, j) => before[j] + points + heelsOf(deal, j)),
        isOut = isLast && Math.max(...reached) >= WINNING_SCORE,
        isWhole = play.steps.length && (play.over || isOut),
        isOpen = play.steps.length && !isWhole && !state.ended,
        note = [...notes, ...(isOpen ? [`the play is not over: ${play.text}`] : [])].join("; ");
      const theirs = [...playedBy(deal, 1), ...deal.theirs],
        hands = [deal.hand, theirs.length === 6 ? theirs : null],
        discards = hands.map((hand) => (hand ? inOrder(hand.slice(4)).join(" ") : ""));
      const rowOf = (player) => {
        const other = 1 - player,
          star = player === deal.dealer ? ["*", ""] : ["", "*"];
        return {
          game: gameIndex + 1,
          deal: deal.number,
          player: player ? game.them : game.you,
          role: ROLES[seatOf(deal, player)],
          cards: inOrder(hands[player]).join(" "),
          discard: discards[player],
          starter: deal.starter,
          opponent_discard: discards[other],
          play: isWhole ? play.text : "",
          score: `${before[player]}${star[0]}-${before[other]}${star[1]}`,
          score_after: after ? `${after[player]}-${after[other]}` : "",
          note: player ? "" : note,
        };
      };
      return [0, 1].filter((player) => hands[player]).map(rowOf);
    });
  }

  const cell = (value) =>
    /[",\n\r]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value);

  function csv(games) {
    const rows = games.flatMap(rowsOf),
      hasNotes = rows.some((row) => row.note),
      names = Object.keys(rows[0] ?? {}).filter((name) => name !== "note" || hasNotes);
    return [names, ...rows.map((row) => names.map((name) => row[name]))]
      .map((cells) => cells.map(cell).join(",") + "\n")
      .join("");
  }

  // ---- Changes that can be undone. A change puts some entries in the place of others.

  function change(game, index, number, added) {
    const old = game.entries.splice(index, number, ...added);
    game.done.push({ at: index, old, added });
    game.undone = [];
  }

  // Revert the last change of a list, and put it on another.
  function revert(game, from, to, [out, back]) {
    const last = game[from].pop();
    if (!last) return false;
    game.entries.splice(last.at, last[out].length, ...last[back]);
    game[to].push(last);
    return true;
  }
  const undo = (game) => revert(game, "done", "undone", ["added", "old"]);
  const redo = (game) => revert(game, "undone", "done", ["old", "added"]);

  // A test for a game among the values that a browser kept.
  const isGame = (value) =>
    Array.isArray(value?.entries) &&
    value.entries.every((entry) => typeof entry === "string") &&
    [value.done, value.undone, value.start].every(Array.isArray) &&
    [value.id, value.at, value.you, value.them].every((text) => typeof text === "string");

  // ---- The card to play, asked for by tapping: four cards are kept, two discarded and one cut,
  // which need not be known, and others played. The recorder knows whose turn it is, and enters
  // what is played by itself.

  const PASS = "-", // stands for cards that are not known
    NO_TAPS = { kept: [], discarded: [], starter: [], moves: [] };

  function playOf({ kept, discarded, starter, moves }, role) {
    const game = begin({ dealer: role === "dealer" ? 0 : 1 }),
      used = [kept, discarded, starter, moves].flat(),
      spare = [..."A23456789TQK"].map((rank, i) => rank + SUITS[i % 4]),
      unused = spare.filter((card) => !used.includes(card)); // in place of what is not known
    const enter = (kind, cards, number) =>
      (cards[0] === PASS ? unused.splice(0, number) : cards).map((card) => kind + card);
    const entries = [enter("k", kept), enter("k", discarded, 2), enter("c", starter, 1)].flat();
    let state = replay(game, { entries });
    const steps = () => state.deals[0].play.steps.filter((played) => !played.silent);
    for (const [i, move] of moves.entries()) {
      if (state.problem || steps().length > i) continue;
      const [deal] = state.deals,
        // A card of yours in their turn tells their go.
        isGo = deal.play.count > ANY_FITS && left(deal).includes(move),
        kind = state.asks === "mine" || isGo ? "m" : "t";
      entries.push(move === "go" ? "g" : kind + move);
      state = replay(game, { entries });
    }
    const played = steps().map((step) => step.card ?? "go"),
      isKnown = discarded[0] && discarded[0] !== PASS,
      hand = kept.join("") + (isKnown ? `/${discarded.join("")}` : ""),
      text = [role, hand, ...starter, played.join("")].filter(Boolean).join(":");
    return { ...state, played, text };
  }

  // The taps for the text of a position; null if it is none of a play.
  function tapsOf(text) {
    const position = positionIn(text);
    if (!position || !ROLES.includes(position.role) || !position.cards) return null;
    const { role, cards, starter, played = "" } = position,
      discarded = position.discarded ?? (starter && PASS),
      cardsOf = (text) => (text === PASS ? [PASS] : cardsIn(text ?? ""));
    try {
      const [four, two, cut] = [cards, discarded, starter].map(cardsOf),
        moves = played.split(/(go)/i).flatMap((text, i) => (i % 2 ? ["go"] : cardsOf(text)));
      return { kept: four, discarded: two, starter: cut, moves, role };
    } catch {
      return null;
    }
  }

  // The taps after another, with the play they make: a card, PASS, go, or undo. A tap that cannot
  // be changes nothing, and has a problem.
  function tapped(taps, tap, role) {
    const next = structuredClone(taps),
      { kept, discarded, starter, moves } = next;
    if (tap === "undo") {
      const group = [moves, starter, discarded, kept].find((cards) => cards.length),
        before = playOf(taps, role).played.length;
      do group.pop();
      while (group === moves && moves.length && playOf(next, role).played.length >= before);
    } else if (kept.length < 4) kept.push(tap);
    else if (discarded[0] !== PASS && discarded.length < 2) discarded.push(tap);
    else (starter.length ? moves : starter).push(tap);
    const { problem, played, text } = playOf(next, role);
    if (problem) return { taps, problem };
    return { taps: { ...next, moves: played }, text: kept.length ? text : "" };
  }

  const words = { ASKED, countKind, inWords, whose },
    rules = { begin, replay, confirmed, left, kept, discarded, free, seatOf, pegged, sheetRow },
    files = { csv, change, undo, redo, isGame };
  return { ...words, ...rules, ...files, PASS, NO_TAPS, playOf, tapsOf, tapped };
})();
