"use strict";
// An answer, drawn from its JSON. What its engine does not know is absent there, and here.
const Answer = (() => {
  const TOLD = 0.005, // points: less rounds to nothing
    RARE = 0.0005, // a chance that rounds to nothing
    LIKELY_SKUNK = 0.1,
    SHOWN_SKUNK = 0.005,
    CLOSE_WINS = 0.002,
    UNSURE = 0.03; // chances so far off do not say which is best
  const STAKES = { acc: "ACC game points", games: "a money game", win: "the win alone" };

  const total = (values) => values.reduce((all, value) => all + value, 0);
  const whole = (chance) => `${Math.round(100 * chance)}%`;
  const roughly = (chance) =>
    chance < 0.005 ? "under 1%" : chance > 0.995 ? "over 99%" : whole(chance);
  // How far off chances are, as a player says it: 3 in 100.
  const oneIn = (error) =>
    error >= 0.01 ? `${Math.round(100 * error)} in 100` : `1 in ${Math.round(1 / error)}`;
  const cribSign = (answer) => (answer.role === "dealer" ? 1 : -1);
  const isScored = (answer) => answer.score !== undefined;
  const isStaked = (answer) => isScored(answer) && (answer.stakes?.name ?? "win") !== "win";
  const isUnsure = (answer) => answer.error >= UNSURE;
  const chanceOf = (answer) => (isUnsure(answer) ? roughly : percent);
  const afterCuts = (number, { explanation: { starters } }) =>
    number === starters.length
      ? "whatever is cut"
      : `after ${number} of the ${starters.length} starters`;

  // ---- Sentences.

  const oftener = (gain) =>
    Math.abs(gain) < RARE
      ? "as many wins"
      : `${percent(Math.abs(gain))} ${gain < 0 ? "fewer" : "more"} wins`;

  // What a discard gains and loses beside another: "you give 4.00 in hand for 1.40 in your crib".
  function exchange(row, other, answer) {
    const crib = answer.role === "dealer" ? "in your crib" : "in your opponent’s crib";
    const parts = [
      [row.hand_mean - other.hand_mean, "in hand"],
      [cribSign(answer) * (row.crib_mean - other.crib_mean), crib],
      [(row.play_mean ?? 0) - (other.play_mean ?? 0), "in the play"],
    ].filter(([gain]) => Math.abs(gain) >= TOLD);
    const [lost, gained] = [-1, 1].map((side) =>
      joined(
        parts
          .filter(([gain]) => side * gain > 0)
          .map(([gain, place]) => `${points(Math.abs(gain))} ${place}`),
      ),
    );
    if (lost) return `you give ${lost} ${gained ? `for ${gained}` : "and get nothing for it"}`;
    return gained ? `you get ${gained} and give nothing` : "hand, crib and play are the same";
  }

  function inAll(row, other, answer) {
    const ahead = row.expected - other.expected,
      told = [`${points(Math.abs(ahead))} ${ahead < 0 ? "less" : "more"} in all`];
    if (isStaked(answer)) {
      const worth = row.value - other.value;
      told.push(`worth ${points(Math.abs(worth), 3)} ${worth < 0 ? "less" : "more"}`);
    }
    return joined(isScored(answer) ? [...told, oftener(row.win - other.win)] : told);
  }

  function sumOf(row, answer) {
    const side = row.play_mean < 0 ? "−" : "+",
      play = row.play_mean === undefined ? "" : ` ${side} play ${points(Math.abs(row.play_mean))}`,
      crib = `${answer.role === "dealer" ? "+" : "−"} crib ${points(row.crib_mean)}`;
    return `hand ${points(row.hand_mean)} ${crib}${play} = ${points(row.expected)}`;
  }

  function needs({ role, score }) {
    const [own, other] = score.map((held) => 121 - held);
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
      const less = `${points(fewer)} points less than ${by_points}`;
      return `The score changes the answer: ${less} for ${oftener(wins)}.`;
    }
    const less = wins >= RARE ? ` (${percent(wins)} less)` : "",
      often = wins > 1e-9 ? `nearly as often${less}` : "as often";
    return `Discarding ${by_points} wins ${often} and brings ${points(fewer)} points more.`;
  }

  function againstPeople({ best, instead_of: other }, staked) {
    const gain = staked
      ? `worth ${points(best.value - other.value, 3)} more`
      : best.win === undefined
        ? `${points(best.expected - other.expected)} better`
        : oftener(best.win - other.win);
    return markup`Against ordinary players discard ${small(best.discard)} instead: ${gain}.`;
  }

  function ending({ win, out, beaten, out_by: own, beaten_by: theirs }) {
    const told = (all, by) => {
      const known = Object.entries(by || {}).filter(([, often]) => often >= RARE);
      const parts = known.map(([part, often]) => `${part} ${percent(often)}`).join(", ");
      return percent(all) + " of the time" + (parts && ` (${parts})`);
    };
    const on = 1 - out - beaten,
      after = on < RARE ? "" : `; if the game goes on you win ${percent((win - out) / on)}`;
    return `You win in this deal ${told(out, own)}, your opponent ${told(beaten, theirs)}${after}.`;
  }

  // ---- The best discard.

  const typed = (cards) => cards.join("").replace("x", "-x");

  function six(answer, best, mine) {
    const dealt = [...best.keep, ...best.discard].sort(
      (one, other) => `${RANKS}x`.indexOf(one[0]) - `${RANKS}x`.indexOf(other[0]),
    );
    const own = [...(mine?.discard || [])],
      up = isUnsure(answer) ? [] : [...best.discard];
    const take = (cards, card) => cards.includes(card) && cards.splice(cards.indexOf(card), 1);
    return dealt.map((card) =>
      drawCard(card, `${take(up, card) ? "up" : ""} ${take(own, card) ? "own" : ""}`),
    );
  }

  function hero(answer, mine, link) {
    const close = closeOf(answer),
      [best] = close,
      say = announce(answer, close);
    const label = answer.pending
      ? "Best by points so far: chances to win follow …"
      : close.length < 2 && "Best discard at this score";
    return markup`<section class="verdict felt hero" aria-labelledby="verdict" data-announce="${say.aloud}">
      <div class="hand" aria-hidden="true">${six(answer, best, mine)}</div><div>
      <h2 id="verdict">${
        close.length > 1
          ? ["Too close to tell: ", close.map((row, at) => [at ? ", " : "", small(row.discard)])]
          : markup`Discard ${small(best.discard)} <span class="hidden">and keep ${small(best.keep)}</span>`
      }</h2>
      ${isScored(answer) ? markup`<p class="soft">${label}</p>` : beside(answer)}
      ${(answer.ranks || answer.deals) && markup`<p class="soft">Suits that you left out are averaged over.</p>`}
      <p class="share row">${share(answer, say, link({ mine: mine && typed(mine.discard) }))}</p>
      </div></section>`;
  }

  // Those that may be best.
  function closeOf({ discards, error = 0 }) {
    const [best] = discards;
    return error >= UNSURE ? discards.filter((row) => row.win + error >= best.win) : [best];
  }

  // How often the best is ahead of the next, and what is better against people.
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

  // What the score means and changes, beside the table: what comes later pushes nothing away.
  function atScore(answer, link) {
    if (!isScored(answer)) return "";
    const { par, stakes, at_the_stakes: staked, at_the_score: effect, error } = answer,
      [best] = answer.discards,
      skunks = (best.skunk ?? 0) + (best.skunked ?? 0),
      others = Object.keys(STAKES).filter((name) => name !== stakes?.name);
    const told = staked ? staked.text : effect && scoreEffect(effect),
      asks = stakes && (staked || skunks >= LIKELY_SKUNK),
      often = `${roughly(skunks)} of games from here end in a skunk. `,
      ends = answer.explanation?.ends;
    return markup`<section aria-labelledby="score"><h3 id="score">At ${answer.score.join("–")}</h3>
      <p>${needs(answer)} ${
        par && `${position(par)}, and win ${chanceOf(answer)(par.win)} before the deal.`
      }</p>
      ${told && !isUnsure(answer) && markup`<p>${withCards(told)}</p>`}
      ${
        asks &&
        markup`<p>${skunks >= LIKELY_SKUNK && often}Ask for ${others.map((name, at) => [
          at ? " or " : "",
          linked(link({ stakes: name }), STAKES[name]),
        ])}.</p>`
      }
      ${
        error &&
        markup`<p class="soft">So near the end chances here may be ${oneIn(error)} off. <code>cribev advise ${answer.position}</code> is exact.</p>`
      }
      ${!isUnsure(answer) && beside(answer)}
      ${ends && ends.out + ends.beaten >= RARE && markup`<p>${ending(ends)}</p>`}</section>`;
  }

  const linked = (address, words) => markup`<a href="${address}">${words}</a>`;

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
    const sum = `${sumOf(best, answer)} on average.`;
    return {
      written: `Discard ${text(best)} and keep ${best.keep.join(" ")}: ${sum} ${wins}`,
      aloud: `Discard ${allAloud(best.discard)}; keep ${allAloud(best.keep)}. ${wins}${sum}`,
    };
  }

  // A link, where others can follow it; in a file the text of the answer.
  const share = (answer, say, address) =>
    location.protocol === "file:"
      ? markup`<button type="button" class="plain" data-text="${`${answer.position}\n${say.written}`}">Copy</button>`
      : markup`<a class="plain" href="${address}" data-copy="Copy link">Copy link</a>`;

  // ---- All discards.

  // Each column: its class, its heading, and what stands in a row.
  function columnsOf(answer) {
    const [best] = answer.discards,
      [scored, staked, often] = [isScored(answer), isStaked(answer), chanceOf(answer)];
    const strong = (text) => markup`<b>${text}</b>`,
      note = (text) => markup`<small>${text}</small>`;
    const part = (row, name, mean) => [
      mean,
      row[`${name}_min`] !== undefined && note(`${row[`${name}_min`]}–${row[`${name}_max`]}`),
    ];
    const later = (tell) => (row) => (answer.pending ? "…" : tell(row));
    const tie = ({ mark }) =>
      mark.includes("=") ? note("equal") : mark.includes("~") && note("nearly equal");
    const loss = (row) => {
      if (isUnsure(answer)) return String(Math.round(100 * (best.win - row.win)) || "");
      if (row.rank === 1) return tie(row);
      if (!scored) return [points(best.expected - row.expected), tie(row)];
      const lost = staked
        ? points(best.value - row.value, 3)
        : `${points(100 * (best.win - row.win), 1)}%`;
      return [lost, tie(row)];
    };
    const skunks = Object.entries({ skunk: "skunks", skunked: "skunked" }).filter(
      ([name]) => staked && answer.discards.some((row) => row[name] > SHOWN_SKUNK),
    );
    const worth = staked && ["", "worth", later((row) => strong(points(row.value, 3)))];
    return [
      scored && ["", "wins", later((row) => strong(often(row.win)))],
      worth,
      ...skunks.map(([name, words]) => ["wide", words, later((row) => percent(row[name]))]),
      scored && ["", "loses", later(loss)],
      ["", "hand", (row) => part(row, "hand", points(row.hand_mean))],
      ["", "crib", (row) => part(row, "crib", signed(cribSign(answer) * row.crib_mean))],
      best.play_mean !== undefined && [scored && "wide", "play", (row) => signed(row.play_mean)],
      ["", "average", (row) => (scored ? points : (mean) => strong(points(mean)))(row.expected)],
      !scored && ["", "loses", loss],
    ].filter(Boolean);
  }

  // What each row is made of, drawn on one scale.
  function barsOf(answer) {
    const values = answer.discards.map((row) => ({
      hand: row.hand_mean,
      crib: cribSign(answer) * row.crib_mean,
      play: row.play_mean ?? 0,
    }));
    const side = (parts, sign) => total(Object.values(parts).filter((value) => sign * value > 0));
    const low = Math.min(...values.map((parts) => side(parts, -1))),
      high = Math.max(...values.map((parts) => side(parts, 1)));
    const width = (value) => `${((100 * value) / (high - low || 1)).toFixed(2)}%`,
      place = (value) => width(value - low);
    const upright = (kind, value) =>
      markup`<line class="${kind}" x1="${place(value)}" x2="${place(value)}" y1="0" y2="18"/>`;
    return (row, at) => {
      let [left, right] = [0, 0];
      const drawn = Object.entries(values[at]).map(([part, value]) => {
        const start = value >= 0 ? right : left + value;
        if (value >= 0) right += value;
        else left += value;
        return markup`<rect class="${part}" x="${place(start)}" width="${width(Math.abs(value))}" y="3" height="12"/>`;
      });
      return markup`<svg width="100%" height="18" aria-hidden="true">${drawn}${upright("zero", 0)}${upright("expected", row.expected)}</svg>`;
    };
  }

  function table(answer, mine, link) {
    const columns = columnsOf(answer),
      bars = barsOf(answer),
      parts = ["hand", "crib", answer.discards[0].play_mean !== undefined && "play"];
    const rows = answer.discards.map((row, at) => {
      const kind = row === mine ? "discarded" : row.rank === 1 && !isUnsure(answer) && "first";
      const current = row === mine && markup` aria-current="true"`;
      return markup`<tr class="${kind}"><th scope="row" class="left"><a href="${link({
        mine: typed(row.discard),
      })}"${current}>${small(row.discard)}</a></th><td class="bars">${bars(row, at)}</td>${columns.map(
        ([kind, , tell]) => markup`<td class="${kind}">${tell(row)}</td>`,
      )}</tr>${row === mine && !answer.pending && opened(answer, row, columns.length + 2)}`;
    });
    return markup`<section aria-labelledby="all">
      <h3 id="all">All ${rows.length} discards</h3>
      <p class="soft lead">Choose one to compare it with the best. <span class="key">${parts
        .filter(Boolean)
        .map((name) => markup`<span class="${name}">${name}</span>`)}</span></p>
      <div class="scroll"><table class="rows ${isStaked(answer) && "crowded"}">
      <thead><tr><th scope="col" class="left">discard</th><th scope="col" class="bars"><span class="hidden">drawn</span></th>${columns.map(
        ([kind, words]) => markup`<th scope="col" class="${kind}">${words}</th>`,
      )}</tr></thead><tbody>${rows}</tbody></table></div></section>`;
  }

  // Beneath its row, a discard beside the best, or the best beside the next.
  function opened(answer, row, wide) {
    const [best] = answer.discards,
      isBest = row.rank === 1,
      other = isBest ? answer.discards.find((one) => one.rank > 1) : best,
      behind = (isBest ? other : row)?.starters_behind;
    let cost = isBest ? "is best" : `costs ${points(best.expected - row.expected)}`;
    if (isScored(answer) && !isBest) cost = `brings ${oftener(row.win - best.win)}`;
    if (isUnsure(answer)) cost = `wins about ${roughly(row.win)}, up to ${oneIn(answer.error)} off`;
    const verdict = isUnsure(answer) || isBest ? "" : row.verdict;
    const beside = isUnsure(answer)
      ? ""
      : !other
        ? "All are worth the same."
        : markup`Beside ${!isBest && "the best, "}${small(other.discard)}${!isBest && ","} ${exchange(
            row,
            other,
            answer,
          )}: ${inAll(row, other, answer)}. ${
            behind >= 0 && `${isBest ? "It" : "The best"} is ahead ${afterCuts(behind, answer)}.`
          }`;
    return markup`<tr class="opened"><td colspan="${wide}"><div class="worst mine ${isUnsure(answer) || row.verdict}"
      data-announce="Your discard, ${allAloud(row.discard)}: ${cost}${verdict && `, ${verdict}`}.">
      <p>${small(row.discard)} ${isBest && !isUnsure(answer) ? markup`is <span class="verdict best">best</span>` : markup`<b>${cost}</b>`}${
        verdict && markup`: <span class="verdict ${verdict}">${verdict}</span>`
      }. ${beside}</p></div></td></tr>`;
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
    const told = (of) =>
      Object.entries(of)
        .filter(([, value]) => value >= TOLD)
        .map(([kind, value]) => `${kind === "nobs" ? "his nobs" : kind} ${points(value)}`)
        .join(", ");
    const all = Object.entries(kinds).map(([part, of]) => `${part}: ${told(of)}`);
    return markup`<p><b>On average made of</b> ${all.join("; ")}.</p>`;
  }

  const atLeast = (chances, least) =>
    total(
      Object.entries(chances)
        .filter(([number]) => Number(number) >= least)
        .map(([, often]) => often),
    );

  function ofPlay(best, { leads = [], at_the_show: show }) {
    const lead = leads.map((row) => {
      const wins = row.win === undefined ? "" : `wins ${percent(row.win)}, `;
      return `${rankSign(row.lead)} (${wins}${signed(row.play_best)})`;
    });
    const experts = leads
      .filter((row) => row.share >= TOLD)
      .sort((one, other) => other.share - one.share)
      .map((row) => `${rankSign(row.lead)} ${whole(row.share)}`);
    return markup`<p><b>In the play</b> you peg ${points(best.play_own)} and your opponent ${points(best.play_opponent)}.
      ${show && markup`For hand and crib alone the best would be ${small(show.discard.split(" "))}, by ${points(show.ahead)}.`}</p>
      ${lead.length > 0 && markup`<p><b>Lead</b> ${lead.join(", ")}: best first. Experts lead ${experts.join(", ")}.</p>`}`;
  }

  const WIDE = 360,
    [CELL_WIDE, CELL_HIGH, HEAD, LEFT] = [25, 24, 16, 25];
  const tick = (x, y, words, anchor = "middle", kind = "") =>
    markup`<text class="tick ${kind}" x="${x}" y="${y}" text-anchor="${anchor}">${words}</text>`;
  const rule = (kind, x1, x2, y1, y2 = y1) =>
    markup`<line class="${kind}" x1="${x1}" x2="${x2}" y1="${y1}" y2="${y2}"/>`;
  const bar = (kind, x, y, wide, high, title) =>
    markup`<rect class="${kind}" x="${x}" y="${y}" width="${wide}" height="${high}"><title>${title}</title></rect>`;
  const figure = (heading, high, label, drawn, caption) =>
    markup`<h4>${heading}</h4><figure><svg viewBox="0 0 ${WIDE} ${high}" role="img" aria-label="${label}">${drawn}</svg>
      <figcaption>${caption}</figcaption></figure>`;

  // What each starter adds to the average, as shades, and those that help most.
  function startersOf(starters) {
    const most = Math.max(...starters.map((row) => Math.abs(row.gain)), 0.01);
    const x = (rank) => LEFT + CELL_WIDE * rank,
      y = (suit) => HEAD + CELL_HIGH * "SHDC".indexOf(suit);
    const drawn = [
      [...RANKS].map((rank, at) => tick(x(at + 0.5) - 1, 11, rankSign(rank))),
      [..."SHDC"].map((suit) =>
        tick(3, y(suit) + 16, SIGNS[suit], "start", isRed(`5${suit}`) && "red"),
      ),
      starters.map(({ starter: [rank, suit], gain }) => {
        const shade = `shade shade${Math.round((4 * gain) / most)}`,
          title = `${aloud(rank + suit)}: ${signed(gain)}`;
        return bar(shade, x(RANKS.indexOf(rank)), y(suit), CELL_WIDE - 2, CELL_HIGH - 2, title);
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
      .map((rows) => ({ ...rows[0], rows, gain: total(rows.map((row) => row.gain)) / rows.length }))
      .filter((group) => group.gain > 0)
      .sort((one, other) => other.gain - one.gain);
    const rows = groups.slice(0, 5).map(({ rows, hand, crib_mean: crib, gain }) => {
      const cards = small(rows.map((row) => row.starter).sort());
      return markup`<tr><th scope="row" class="left">${cards}</th><td>${hand}</td><td>${points(crib)}</td><td>${signed(gain)}</td></tr>`;
    });
    return markup`<div class="scroll"><table class="helpful"><thead><tr><th scope="col" class="left">starter</th><th
      scope="col">hand</th><th scope="col">crib</th><th scope="col">gain</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  }

  // How likely each total is, and the outline of a discard beside it.
  function outcomes(answer, { total: best, play_own: own, play_opponent: theirs }) {
    const other = answer.comparison?.distribution?.total ?? {},
      outlined = Object.keys(other).length > 0,
      [high, bottom, top, left] = [150, 128, 8, 30];
    const often = (of, number) => of[number] ?? 0;
    const likely = [...Object.keys(best), ...Object.keys(other)]
      .map(Number)
      .filter((number) => Math.max(often(best, number), often(other, number)) >= RARE);
    const [from, to] = [Math.min(...likely), Math.max(...likely)],
      numbers = [...Array(to - from + 1).keys()].map((number) => from + number);
    const most = Math.max(...Object.values(best), ...Object.values(other)),
      unit = (WIDE - 4 - left) / numbers.length;
    const round = (place) => Number(place.toFixed(2)),
      x = (number) => round(left + unit * (number - from + 0.5)),
      y = (chance) => round(bottom - ((bottom - top) * chance) / most);
    const mean = total(Object.entries(best).map(([number, chance]) => number * chance));
    const step = [0.01, 0.02, 0.05, 0.1, 0.2].find((size) => size >= most / 4) ?? 0.5,
      rules = [...Array(Math.floor(most / step) + 1).keys()].map((number) => number * step);
    const drawn = [
      rules.map((chance) => [
        rule("grid", left, WIDE, y(chance)),
        tick(left - 4, y(chance) + 4, whole(chance), "end"),
      ]),
      rule("zero", left, WIDE, bottom),
      numbers.map((number) => {
        const [chance, more] = [often(best, number), percent(atLeast(best, number))],
          title = `${minus(number)} points: ${percent(chance)}, at least that ${more}`,
          height = round(bottom - y(chance));
        return bar(
          "chance",
          round(x(number) - 0.4 * unit),
          y(chance),
          round(0.8 * unit),
          height,
          title,
        );
      }),
      outlined &&
        markup`<path class="own" d="M${left} ${bottom}${numbers.map(
          (number) => `V${y(often(other, number))}H${x(number + 0.5)}`,
        )}V${bottom}"/>`,
      rule("mean", x(mean), x(mean), top, bottom),
      numbers
        .filter((number) => number % (numbers.length > 12 ? 5 : 1) === 0)
        .map((number) => tick(x(number), bottom + 15, minus(number))),
    ];
    const sum = `hand ${answer.role === "dealer" ? "plus" : "minus"} crib`,
      label = `How likely each total of ${sum} is: ${points(mean)} on average`,
      beside = outlined ? "; the outline is your discard" : "",
      caption = `Chance of each total, ${sum}; the dashed line is the average${beside}.`;
    const pegs = (of) =>
      [1, 2, 3, 4, 5].map((least) => `${least}: ${whole(atLeast(of, least))}`).join(", ");
    return [
      figure("How it may turn out", high, label, drawn, caption),
      own &&
        markup`<p class="soft">In the play you peg at least ${pegs(own)}; your opponent ${pegs(theirs)}.</p>`,
    ];
  }

  // ---- Answers of each kind, with a title.

  function discards(answer, { mine, link }) {
    const key = (cards) => [...cards].sort().join();
    const own = mine && key(cardsIn(mine, true).map((card) => card.text));
    const row = answer.discards.find((one) => key(one.discard) === own);
    return {
      title: `${answer.position.split(/[:@]/)[1]} as ${answer.role}`,
      html: markup`${hero(answer, row, link)}<div class="two-parts">${table(answer, row, link)}<div>${atScore(answer, link)}${why(answer)}</div></div>`,
    };
  }

  // Five cards are counted, the starter last.
  function count({ hand, crib }) {
    const told = (show) => markup`<b>${show.points}</b>: ${show.spoken}.`;
    const other = crib.points !== hand.points && markup`<p>As a crib ${told(crib)}</p>`;
    return {
      title: "A hand",
      html: markup`<section class="worst best counted"><p>${small(hand.hand)} and the starter ${small([hand.starter])} count ${told(hand)}</p>${other}</section>`,
    };
  }

  return { draw: (answer, how) => (answer.discards ? discards : count)(answer, how) };
})();
