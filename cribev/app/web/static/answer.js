"use strict";
// Cards, numbers and answers, drawn. What the engine of an answer does not know is absent from its
// JSON, and is left out here.

// ---- Markup, cards and numbers.

// HTML, in which every value that is not HTML itself is text.
class Markup {
  constructor(text) {
    this.text = text;
  }
  toString() {
    return this.text;
  }
}
const escape = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
function asMarkup(value) {
  if (Array.isArray(value)) return value.map(asMarkup).join("");
  if (value == null || value === false) return "";
  return value instanceof Markup ? value.text : escape(value);
}
const markup = (texts, ...values) =>
  new Markup(texts.map((text, i) => (i ? asMarkup(values[i - 1]) : "") + text).join(""));

const drawRed = (card) => (isRed(card) ? "red" : "");

// Cards in a line of text.
const small = (cards) =>
  markup`<span class="k">${cards.map(
    (card) =>
      markup`<b class="${drawRed(card)}" role="img" aria-label="${aloud(card)}">${inSigns(card)}</b>`,
  )}</span>`;

// A text in which cards are written, as 5H, with these drawn.
const withCards = (text) =>
  text
    .split(/((?<!\w)[A2-9TJQK][CDHS](?: [A2-9TJQK][CDHS])*(?!\w))/)
    .map((piece, i) => (i % 2 ? small(piece.split(" ")) : minus(piece)));

// A card as it lies on the table. Its name stands beside it.
function drawCard(card, kind = "") {
  const [rank, suit] = card,
    [left, top] = suit ? [27, 47] : [50, 86],
    narrow = rank === "T" && markup` textLength="44" lengthAdjust="spacingAndGlyphs"`;
  const sign = (transform) => markup`<use href="#suit-${suit}" transform="${transform}"/>`,
    signs = suit && [sign("translate(27 72) scale(.32)"), sign("translate(66 100) scale(.52)")];
  return markup`<svg class="card ${drawRed(card)} ${kind}" viewBox="0 0 100 140" aria-hidden="true"><text
    class="large" x="${left}" y="${top}" text-anchor="middle"${narrow}>${rankSign(rank)}</text>${signs}</svg>`;
}

const minus = (text) => String(text).replace(/(?<!\w)-|-(?!\w)/g, "−");
const formatPoints = (value, digits = 2) =>
  minus((Math.round(value * 10 ** digits) / 10 ** digits + 0).toFixed(digits));
const formatSigned = (value) =>
  (formatPoints(value).startsWith("−") ? "" : "+") + formatPoints(value);
function formatPercent(chance) {
  if (chance < 0.0005 && chance > 1e-9) return "under 0.1%";
  if (chance > 0.9995 && chance < 1 - 1e-9) return "over 99.9%";
  return `${(100 * chance).toFixed(1)}%`;
}
const joined = (words, last = "and") =>
  words.length > 1 ? `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}` : (words[0] ?? "");

// ---- Answers.

const Answer = (() => {
  const TOLD = 0.005, // points: less rounds to nothing
    RARE = 0.0005, // a chance that rounds to nothing
    LIKELY_SKUNK = 0.1,
    SHOWN_SKUNK = 0.005,
    CLOSE_WINS = 0.002,
    UNSURE = 0.03; // chances so far off do not say which is best
  const STAKES = { acc: "ACC game points", games: "a money game", win: "the win alone" };

  const whole = (chance) => `${Math.round(100 * chance)}%`;
  const roughly = (chance) =>
    chance < 0.005 ? "under 1%" : chance > 0.995 ? "over 99%" : whole(chance);
  // The error of chances, as a player says it: 3 in 100.
  const oneIn = (error) =>
    error >= 0.01 ? `${Math.round(100 * error)} in 100` : `1 in ${Math.round(1 / error)}`;
  const isScored = (answer) => answer.score !== undefined;
  const isStaked = (answer) => isScored(answer) && (answer.stakes?.name ?? "win") !== "win";
  const isUnsure = (answer) => answer.error >= UNSURE;
  const chanceOf = (answer) => (isUnsure(answer) ? roughly : formatPercent);
  const afterCuts = (number, { explanation: { starters } }) =>
    number === starters.length
      ? "whatever is cut"
      : `after ${number} of the ${starters.length} starters`;

  // ---- Sentences.

  const oftener = (gain) =>
    Math.abs(gain) < RARE
      ? "as many wins"
      : `${formatPercent(Math.abs(gain))} ${gain < 0 ? "fewer" : "more"} wins`;

  // The gains and losses of a discard beside another: "you give 4.00 in hand for 1.40 in your crib".
  function exchange(row, other, answer) {
    const crib = answer.role === "dealer" ? "in your crib" : "in your opponent’s crib";
    const gains = [
      [row.hand_mean - other.hand_mean, "in hand"],
      [cribSign(answer.role) * (row.crib_mean - other.crib_mean), crib],
      [(row.play_mean ?? 0) - (other.play_mean ?? 0), "in the play"],
    ].filter(([gain]) => Math.abs(gain) >= TOLD);
    const [lost, gained] = [-1, 1].map((side) =>
      joined(
        gains
          .filter(([gain]) => side * gain > 0)
          .map(([gain, place]) => `${formatPoints(Math.abs(gain))} ${place}`),
      ),
    );
    if (lost) return `you give ${lost} ${gained ? `for ${gained}` : "and get nothing for it"}`;
    return gained ? `you get ${gained} and give nothing` : "hand, crib and play are the same";
  }

  function inAll(row, other, answer) {
    const ahead = row.expected - other.expected,
      gains = [`${formatPoints(Math.abs(ahead))} ${ahead < 0 ? "less" : "more"} in all`];
    if (isStaked(answer)) {
      const worth = row.value - other.value;
      gains.push(`worth ${formatPoints(Math.abs(worth), 3)} ${worth < 0 ? "less" : "more"}`);
    }
    return joined(isScored(answer) ? [...gains, oftener(row.win - other.win)] : gains);
  }

  function sumOf(row, answer) {
    const side = row.play_mean < 0 ? "−" : "+",
      play =
        row.play_mean === undefined ? "" : ` ${side} play ${formatPoints(Math.abs(row.play_mean))}`,
      crib = `${answer.role === "dealer" ? "+" : "−"} crib ${formatPoints(row.crib_mean)}`;
    return `hand ${formatPoints(row.hand_mean)} ${crib}${play} = ${formatPoints(row.expected)}`;
  }

  function needs({ role, score }) {
    const [own, other] = score.map((points) => WINNING_SCORE - points);
    return role === "pone"
      ? `You need ${own} and count first, your opponent needs ${other}.`
      : `You need ${own}, your opponent needs ${other} and counts first.`;
  }

  function position({ even, ahead, win }) {
    const holes = `${Math.abs(ahead)} hole${Math.abs(ahead) > 1 ? "s" : ""}`;
    if (even === null) return `You are well ${win > 0.5 ? "past" : "short of"} position`;
    const place = ahead ? `${holes} ${ahead > 0 ? "past" : "short of"} position` : "in position";
    return `You are ${place} (hole ${even})`;
  }

  function scoreEffect({ by_points, points: fewer, wins, changes }) {
    if (!changes) return "Also the best discard by points.";
    if (wins >= CLOSE_WINS) {
      const less = `${formatPoints(fewer)} points less than ${by_points}`;
      return `The score changes the answer: ${less} for ${oftener(wins)}.`;
    }
    const less = wins >= RARE ? ` (${formatPercent(wins)} less)` : "",
      frequency = wins > 1e-9 ? `nearly as often${less}` : "as often";
    return `Discarding ${by_points} wins ${frequency} and brings ${formatPoints(fewer)} points more.`;
  }

  function againstPeople({ best, instead_of: other }, staked) {
    const gain = staked
      ? `worth ${formatPoints(best.value - other.value, 3)} more`
      : best.win === undefined
        ? `${formatPoints(best.expected - other.expected)} better`
        : oftener(best.win - other.win);
    return markup`Against ordinary players discard ${small(best.discard)} instead: ${gain}.`;
  }

  function ending({ win, out, beaten, out_by: own, beaten_by: theirs }) {
    const often = (chance, sources = {}) => {
      const likely = Object.entries(sources).filter(([, share]) => share >= RARE),
        shares = likely.map(([source, share]) => `${source} ${formatPercent(share)}`).join(", ");
      return formatPercent(chance) + " of the time" + (shares && ` (${shares})`);
    };
    const open = 1 - out - beaten,
      after =
        open < RARE ? "" : `; if the game goes on you win ${formatPercent((win - out) / open)}`;
    return `You win in this deal ${often(out, own)}, your opponent ${often(beaten, theirs)}${after}.`;
  }

  // ---- The best discard.

  const typed = (cards) => cards.join("").replace("x", "-x");

  function six(answer, best, mine) {
    const dealt = [...best.keep, ...best.discard].sort(
      (card, other) => `${RANKS}x`.indexOf(card[0]) - `${RANKS}x`.indexOf(other[0]),
    );
    const own = [...(mine?.discard ?? [])],
      up = isUnsure(answer) ? [] : [...best.discard];
    const take = (cards, card) => cards.includes(card) && cards.splice(cards.indexOf(card), 1);
    return dealt.map((card) =>
      drawCard(card, `${take(up, card) ? "up" : ""} ${take(own, card) ? "own" : ""}`),
    );
  }

  function hero(answer, mine, link) {
    const close = closeOf(answer),
      [best] = close,
      sentence = announce(answer, close);
    const label = answer.pending
      ? "Best by points so far: chances to win follow …"
      : close.length < 2 && "Best discard at this score";
    return markup`<section class="verdict felt hero" aria-labelledby="verdict" data-announce="${sentence.aloud}">
      <div class="hand" aria-hidden="true">${six(answer, best, mine)}</div><div>
      <h2 id="verdict">${
        close.length > 1
          ? ["Too close to tell: ", close.map((row, i) => [i ? ", " : "", small(row.discard)])]
          : markup`Discard ${small(best.discard)} <span class="hidden">and keep ${small(best.keep)}</span>`
      }</h2>
      ${isScored(answer) ? markup`<p class="soft">${label}</p>` : beside(answer)}
      ${(answer.ranks || answer.deals) && markup`<p class="soft">Suits that you left out are averaged over.</p>`}
      <p class="share row">${share(answer, sentence, link({ mine: mine && typed(mine.discard) }))}</p>
      </div></section>`;
  }

  // The discards that may be best.
  function closeOf({ discards, error = 0 }) {
    const [best] = discards;
    return error >= UNSURE ? discards.filter((row) => row.win + error >= best.win) : [best];
  }

  // The starters after which the best is ahead of the next, and a better discard against people.
  function beside(answer) {
    const next = answer.discards.find((row) => row.rank > 1),
      behind = next?.starters_behind;
    return [
      behind >= 0 &&
        markup`<p>${isScored(answer) ? "By points ahead of" : "Ahead of"} ${small(next.discard)}, the next best, ${afterCuts(behind, answer)}.</p>`,
      answer.people &&
        markup`<p class="changes">${againstPeople(answer.people, isStaked(answer))}</p>`,
    ];
  }

  // The meaning of the score and what it changes, beside the table, so that it pushes nothing away.
  function atScore(answer, link) {
    if (!isScored(answer)) return "";
    const { par, stakes, at_the_stakes: staked, at_the_score: effect, error } = answer,
      [best] = answer.discards,
      skunks = (best.skunk ?? 0) + (best.skunked ?? 0),
      others = Object.keys(STAKES).filter((name) => name !== stakes?.name);
    const sentence = staked ? staked.text : effect && scoreEffect(effect),
      often = skunks >= LIKELY_SKUNK,
      skunkShare = often && `${roughly(skunks)} of games from here end in a skunk. `,
      links = others.map((name) => markup`<a href="${link({ stakes: name })}">${STAKES[name]}</a>`),
      win = par && `${position(par)}, and win ${chanceOf(answer)(par.win)} before the deal.`,
      ends = answer.explanation?.ends;
    return markup`<section aria-labelledby="score"><h3 id="score">At ${answer.score.join("–")}</h3>
      <p>${needs(answer)} ${win}</p>
      ${sentence && !isUnsure(answer) && markup`<p>${withCards(sentence)}</p>`}
      ${stakes && (staked || often) && markup`<p>${skunkShare}Ask for ${links[0]} or ${links[1]}.</p>`}
      ${error && markup`<p class="soft">So near the end chances here may be ${oneIn(error)} off. <code>cribev advise ${answer.position}</code> is exact.</p>`}
      ${!isUnsure(answer) && beside(answer)}
      ${ends && ends.out + ends.beaten >= RARE && markup`<p>${ending(ends)}</p>`}</section>`;
  }

  // The answer in a sentence, written and read aloud.
  function announce(answer, close) {
    const [best] = close,
      wins = isScored(answer) && !answer.pending ? `Wins ${chanceOf(answer)(best.win)}. ` : "",
      text = (row) => row.discard.join(" ");
    if (close.length > 1)
      return {
        written: `Too close to tell: ${close.map(text).join(", ")}`,
        aloud: `Too close to tell: ${close.map((row) => allAloud(row.discard)).join("; ")}. ${wins}`,
      };
    const average = `${sumOf(best, answer)} on average.`;
    return {
      written: `Discard ${text(best)} and keep ${best.keep.join(" ")}: ${average} ${wins}`,
      aloud: `Discard ${allAloud(best.discard)}; keep ${allAloud(best.keep)}. ${wins}${average}`,
    };
  }

  // A link, where others can follow it; in a file the text of the answer.
  const share = (answer, sentence, address) =>
    location.protocol === "file:"
      ? markup`<button type="button" class="plain" data-text="${`${answer.position}\n${sentence.written}`}">Copy</button>`
      : markup`<a class="plain" href="${address}" data-copy="Copy link">Copy link</a>`;

  // ---- All discards.

  // The columns: a class, a heading, and a function that tells the cell of a row.
  function columnsOf(answer) {
    const [best] = answer.discards,
      [scored, staked, chance] = [isScored(answer), isStaked(answer), chanceOf(answer)];
    const strong = (text) => markup`<b>${text}</b>`,
      note = (text) => markup`<small>${text}</small>`;
    const withRange = (row, name, mean) => {
      const [least, most] = [row[`${name}_min`], row[`${name}_max`]];
      return [mean, least !== undefined && note(`${least}–${most}`)];
    };
    const later = (tell) => (row) => (answer.pending ? "…" : tell(row));
    const tie = ({ mark }) =>
      mark.includes("=") ? note("equal") : mark.includes("~") && note("nearly equal");
    const loss = (row) => {
      if (isUnsure(answer)) return String(Math.round(100 * (best.win - row.win)) || "");
      if (row.rank === 1) return tie(row);
      if (!scored) return [formatPoints(best.expected - row.expected), tie(row)];
      const lost = staked
        ? formatPoints(best.value - row.value, 3)
        : `${formatPoints(100 * (best.win - row.win), 1)}%`;
      return [lost, tie(row)];
    };
    const skunks = Object.entries({ skunk: "skunks", skunked: "skunked" }).filter(
      ([name]) => staked && answer.discards.some((row) => row[name] > SHOWN_SKUNK),
    );
    const crib = (row) => formatSigned(cribSign(answer.role) * row.crib_mean),
      average = (row) => formatPoints(row.expected),
      worth = (row) => strong(formatPoints(row.value, 3)),
      hasPlay = best.play_mean !== undefined;
    return [
      scored && ["", "wins", later((row) => strong(chance(row.win)))],
      staked && ["", "worth", later(worth)],
      ...skunks.map(([name, words]) => ["wide", words, later((row) => formatPercent(row[name]))]),
      scored && ["", "loses", later(loss)],
      ["", "hand", (row) => withRange(row, "hand", formatPoints(row.hand_mean))],
      ["", "crib", (row) => withRange(row, "crib", crib(row))],
      hasPlay && [scored && "wide", "play", (row) => formatSigned(row.play_mean)],
      ["", "average", scored ? average : (row) => strong(average(row))],
      !scored && ["", "loses", loss],
    ].filter(Boolean);
  }

  // The bars of each row, on one scale: points in hand, in the crib and in the play.
  function barsOf(answer) {
    const values = answer.discards.map((row) => ({
      hand: row.hand_mean,
      crib: cribSign(answer.role) * row.crib_mean,
      play: row.play_mean ?? 0,
    }));
    const side = (row, sign) => sum(Object.values(row).filter((value) => sign * value > 0));
    const low = Math.min(...values.map((row) => side(row, -1))),
      high = Math.max(...values.map((row) => side(row, 1)));
    const width = (value) => `${((100 * value) / (high - low || 1)).toFixed(2)}%`,
      place = (value) => width(value - low);
    const upright = (kind, value) =>
      markup`<line class="${kind}" x1="${place(value)}" x2="${place(value)}" y1="0" y2="18"/>`;
    return (row, i) => {
      let [left, right] = [0, 0];
      const bars = Object.entries(values[i]).map(([kind, value]) => {
        const start = value >= 0 ? right : left + value;
        if (value >= 0) right += value;
        else left += value;
        return markup`<rect class="${kind}" x="${place(start)}" width="${width(Math.abs(value))}" y="3" height="12"/>`;
      });
      return markup`<svg width="100%" height="18" aria-hidden="true">${bars}${upright("zero", 0)}${upright("expected", row.expected)}</svg>`;
    };
  }

  function table(answer, mine, link) {
    const columns = columnsOf(answer),
      bars = barsOf(answer),
      kinds = ["hand", "crib", answer.discards[0].play_mean !== undefined && "play"];
    const rows = answer.discards.map((row, i) => {
      const kind = row === mine ? "discarded" : row.rank === 1 && !isUnsure(answer) && "first";
      const current = row === mine && markup` aria-current="true"`;
      return markup`<tr class="${kind}"><th scope="row" class="left"><a href="${link({
        mine: typed(row.discard),
      })}"${current}>${small(row.discard)}</a></th><td class="bars">${bars(row, i)}</td>${columns.map(
        ([kind, , tell]) => markup`<td class="${kind}">${tell(row)}</td>`,
      )}</tr>${row === mine && !answer.pending && opened(answer, row, columns.length + 2)}`;
    });
    return markup`<section aria-labelledby="all">
      <h3 id="all">All ${rows.length} discards</h3>
      <p class="soft lead">Choose one to compare it with the best. <span class="key">${kinds
        .filter(Boolean)
        .map((name) => markup`<span class="${name}">${name}</span>`)}</span></p>
      <div class="scroll"><table class="rows ${isStaked(answer) && "crowded"}">
      <thead><tr><th scope="col" class="left">discard</th><th scope="col" class="bars"><span class="hidden">drawn</span></th>${columns.map(
        ([kind, words]) => markup`<th scope="col" class="${kind}">${words}</th>`,
      )}</tr></thead><tbody>${rows}</tbody></table></div></section>`;
  }

  // A discard compared with the best, or the best with the next, beneath its row.
  function opened(answer, row, wide) {
    const [best] = answer.discards,
      isBest = row.rank === 1,
      other = isBest ? answer.discards.find((next) => next.rank > 1) : best,
      behind = (isBest ? other : row)?.starters_behind;
    let cost = isBest ? "is best" : `costs ${formatPoints(best.expected - row.expected)}`;
    if (isScored(answer) && !isBest) cost = `brings ${oftener(row.win - best.win)}`;
    if (isUnsure(answer)) cost = `wins about ${roughly(row.win)}, up to ${oneIn(answer.error)} off`;
    const verdict = isUnsure(answer) || isBest ? "" : row.verdict;
    const comparison = isUnsure(answer) ? "" : compared(row, other, behind, answer);
    return markup`<tr class="opened"><td colspan="${wide}"><div class="worst mine ${isUnsure(answer) || row.verdict}"
      data-announce="Your discard, ${allAloud(row.discard)}: ${cost}${verdict && `, ${verdict}`}.">
      <p>${small(row.discard)} ${isBest && !isUnsure(answer) ? markup`is <span class="verdict best">best</span>` : markup`<b>${cost}</b>`}${
        verdict && markup`: <span class="verdict ${verdict}">${verdict}</span>`
      }. ${comparison}</p></div></td></tr>`;
  }

  function compared(row, other, behind, answer) {
    if (!other) return "All are worth the same.";
    const isBest = row.rank === 1,
      ahead = behind >= 0 && `${isBest ? "It" : "The best"} is ahead ${afterCuts(behind, answer)}.`;
    return markup`Beside ${!isBest && "the best, "}${small(other.discard)}${!isBest && ","} ${exchange(row, other, answer)}: ${inAll(row, other, answer)}. ${ahead}`;
  }

  // ---- Why.

  function why(answer) {
    const { explanation: reasons } = answer,
      [best] = answer.discards;
    if (!reasons) return "";
    const { locked_in: locked, made_of: kinds, distribution: chances, starters } = reasons;
    return markup`<section aria-labelledby="why"><h3 id="why">Why ${small(best.discard)}</h3>
      ${locked?.points > 0 && markup`<p><b>Locked in ${locked.points}</b>: ${locked.spoken}.</p>`}
      ${kinds && madeOf(kinds)}
      ${best.play_own !== undefined && ofPlay(best, reasons.play || {})}
      ${starters ? startersOf(starters) : markup`<p class="soft">Choose the cards in the deck, with their suits, to see what the cut does.</p>`}
      ${chances?.total && outcomes(answer, chances)}</section>`;
  }

  function madeOf(kinds) {
    const list = (averages) =>
      Object.entries(averages)
        .filter(([, value]) => value >= TOLD)
        .map(([kind, value]) => `${kind === "nobs" ? "his nobs" : kind} ${formatPoints(value)}`)
        .join(", ");
    const shows = Object.entries(kinds).map(([show, averages]) => `${show}: ${list(averages)}`);
    return markup`<p><b>On average made of</b> ${shows.join("; ")}.</p>`;
  }

  function atLeast(chances, least) {
    const likely = Object.entries(chances).filter(([number]) => Number(number) >= least);
    return sum(likely.map(([, chance]) => chance));
  }

  function ofPlay(best, { leads = [], at_the_show: show }) {
    const lead = leads.map((row) => {
      const wins = row.win === undefined ? "" : `wins ${formatPercent(row.win)}, `;
      return `${rankSign(row.lead)} (${wins}${formatSigned(row.play_best)})`;
    });
    const experts = leads
      .filter((row) => row.share >= TOLD)
      .sort((row, other) => other.share - row.share)
      .map((row) => `${rankSign(row.lead)} ${whole(row.share)}`);
    return markup`<p><b>In the play</b> you peg ${formatPoints(best.play_own)} and your opponent ${formatPoints(best.play_opponent)}.
      ${show && markup`For hand and crib alone the best would be ${small(show.discard.split(" "))}, by ${formatPoints(show.ahead)}.`}</p>
      ${lead.length > 0 && markup`<p><b>Lead</b> ${lead.join(", ")}: best first. Experts lead ${experts.join(", ")}.</p>`}`;
  }

  const WIDE = 360,
    [CELL_WIDE, CELL_HIGH, HEAD, LEFT] = [25, 24, 16, 25];
  const tick = (left, top, words, anchor = "middle", kind = "") =>
    markup`<text class="tick ${kind}" x="${left}" y="${top}" text-anchor="${anchor}">${words}</text>`;
  const rule = (kind, left, right, top, bottom = top) =>
    markup`<line class="${kind}" x1="${left}" x2="${right}" y1="${top}" y2="${bottom}"/>`;
  const bar = (kind, left, top, wide, high, title) =>
    markup`<rect class="${kind}" x="${left}" y="${top}" width="${wide}" height="${high}"><title>${title}</title></rect>`;
  const figure = (heading, high, label, drawn, caption) =>
    markup`<h4>${heading}</h4><figure><svg viewBox="0 0 ${WIDE} ${high}" role="img" aria-label="${label}">${drawn}</svg>
      <figcaption>${caption}</figcaption></figure>`;

  // Each starter with what it adds to the average, as shades, and those that help most.
  function startersOf(starters) {
    const most = Math.max(...starters.map((row) => Math.abs(row.gain)), 0.01);
    const column = (rank) => LEFT + CELL_WIDE * rank,
      line = (suit) => HEAD + CELL_HIGH * "SHDC".indexOf(suit);
    const drawn = [
      [...RANKS].map((rank, i) => tick(column(i + 0.5) - 1, 11, rankSign(rank))),
      [..."SHDC"].map((suit) =>
        tick(3, line(suit) + 16, SIGNS[suit], "start", drawRed(`5${suit}`)),
      ),
      starters.map(({ starter, gain }) => {
        const shade = `shade shade${Math.round((4 * gain) / most)}`,
          [left, top] = [column(rankOf(starter)), line(starter[1])],
          title = `${aloud(starter)}: ${formatSigned(gain)}`;
        return bar(shade, left, top, CELL_WIDE - 2, CELL_HIGH - 2, title);
      }),
    ];
    const label = "What each starter adds to the average: the list below has those that help most",
      caption = "Blue is better than the average starter, red worse. Your cards are left out.";
    return [
      figure("Starters that help", HEAD + 4 * CELL_HIGH + 2, label, drawn, caption),
      helpful(starters),
    ];
  }

  function helpful(starters) {
    const alike = (row) => [row.starter[0], row.hand, row.crib_mean.toFixed(2)].join();
    const groups = Object.values(Object.groupBy(starters, alike))
      .map((rows) => ({ ...rows[0], rows, gain: sum(rows.map((row) => row.gain)) / rows.length }))
      .filter((group) => group.gain > 0)
      .sort((group, other) => other.gain - group.gain);
    const rows = groups.slice(0, 5).map(({ rows, hand, crib_mean: crib, gain }) => {
      const cards = small(rows.map((row) => row.starter).sort());
      return markup`<tr><th scope="row" class="left">${cards}</th><td>${hand}</td><td>${formatPoints(crib)}</td><td>${formatSigned(gain)}</td></tr>`;
    });
    return markup`<div class="scroll"><table class="helpful"><thead><tr><th scope="col" class="left">starter</th><th
      scope="col">hand</th><th scope="col">crib</th><th scope="col">gain</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  }

  // The chance of each total, and the outline of a discard beside it.
  function outcomes(answer, { total: best, play_own: own, play_opponent: theirs }) {
    const other = answer.comparison?.distribution?.total ?? {},
      outlined = Object.keys(other).length > 0,
      [high, bottom, top, left] = [150, 128, 8, 30];
    const likely = [...Object.keys(best), ...Object.keys(other)]
      .map(Number)
      .filter((number) => Math.max(best[number] ?? 0, other[number] ?? 0) >= RARE);
    const least = Math.min(...likely),
      numbers = range(least, Math.max(...likely) + 1);
    const most = Math.max(...Object.values(best), ...Object.values(other)),
      unit = (WIDE - 4 - left) / numbers.length;
    const round = (place) => Number(place.toFixed(2)),
      across = (number) => round(left + unit * (number - least + 0.5)),
      height = (chance) => round(bottom - ((bottom - top) * chance) / most);
    const mean = sum(Object.entries(best).map(([number, chance]) => number * chance));
    const path = numbers
      .map((number) => `V${height(other[number] ?? 0)}H${across(number + 0.5)}`)
      .join("");
    const step = [0.01, 0.02, 0.05, 0.1, 0.2].find((size) => size >= most / 4) ?? 0.5,
      rules = range(0, Math.floor(most / step) + 1).map((number) => number * step);
    const drawn = [
      rules.map((chance) => [
        rule("grid", left, WIDE, height(chance)),
        tick(left - 4, height(chance) + 4, whole(chance), "end"),
      ]),
      rule("zero", left, WIDE, bottom),
      numbers.map((number) => {
        const chance = best[number] ?? 0,
          more = formatPercent(atLeast(best, number)),
          title = `${minus(number)} points: ${formatPercent(chance)}, at least that ${more}`,
          start = round(across(number) - 0.4 * unit),
          high = round(bottom - height(chance));
        return bar("chance", start, height(chance), round(0.8 * unit), high, title);
      }),
      outlined && markup`<path class="own" d="M${left} ${bottom}${path}V${bottom}"/>`,
      rule("mean", across(mean), across(mean), top, bottom),
      numbers
        .filter((number) => number % (numbers.length > 12 ? 5 : 1) === 0)
        .map((number) => tick(across(number), bottom + 15, minus(number))),
    ];
    const formula = `hand ${answer.role === "dealer" ? "plus" : "minus"} crib`,
      label = `How likely each total of ${formula} is: ${formatPoints(mean)} on average`,
      outline = outlined ? "; the outline is your discard" : "",
      caption = `Chance of each total, ${formula}; the dashed line is the average${outline}.`;
    const pegged = (chances, number) => `${number}: ${whole(atLeast(chances, number))}`,
      pegs = (chances) =>
        range(1, 6)
          .map((number) => pegged(chances, number))
          .join(", ");
    return [
      figure("How it may turn out", high, label, drawn, caption),
      own &&
        markup`<p class="soft">In the play you peg at least ${pegs(own)}; your opponent ${pegs(theirs)}.</p>`,
    ];
  }

  // ---- Answers of each kind, with a title.

  function discards(answer, { mine, link }) {
    const keyOf = (cards) => cards.toSorted().join(),
      own = mine && keyOf(cardsIn(mine, { tens: true })),
      row = answer.discards.find(({ discard }) => keyOf(discard) === own);
    return {
      title: `${answer.position.split(/[:@]/)[1]} as ${answer.role}`,
      html: markup`${hero(answer, row, link)}<div class="two-parts">${table(answer, row, link)}<div>${atScore(answer, link)}${why(answer)}</div></div>`,
    };
  }

  // Five cards are counted, the starter last.
  function counts({ hand, crib }) {
    const drawShow = (show) => markup`<b>${show.points}</b>: ${show.spoken}.`;
    const other = crib.points !== hand.points && markup`<p>As a crib ${drawShow(crib)}</p>`;
    return {
      title: "A hand",
      html: markup`<section class="worst best counted"><p>${small(hand.hand)} and the starter ${small([hand.starter])} count ${drawShow(hand)}</p>${other}</section>`,
    };
  }

  return { draw: (answer, links) => (answer.discards ? discards : counts)(answer, links) };
})();
