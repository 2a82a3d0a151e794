"use strict";
// What ranks count in a hand, for whatever counts on a page.
const range = (from, to) => Array.from({ length: to - from }, (_, at) => from + at);
const sum = (values) => values.reduce((total, value) => total + value, 0);
const subsets = (values, size) =>
  size === 0
    ? [[]]
    : values.flatMap((value, at) =>
        subsets(values.slice(at + 1), size - 1).map((rest) => [value, ...rest]),
      );

const found = new Map(); // what five ranks score, by the ranks

function scored(ranks) {
  const sorted = [...ranks].sort((one, other) => one - other),
    key = sorted.reduce((all, rank) => all * 13 + rank, 0);
  if (found.has(key)) return found.get(key);
  const counts = range(0, 13).map((rank) => sorted.filter((one) => one === rank).length);
  const sets = [2, 3, 4, 5].flatMap((size) => subsets(sorted, size));
  const isFifteen = (set) => sum(set.map((rank) => Math.min(rank + 1, 10))) === 15;
  const fifteens = sets.filter(isFifteen).length;
  const pairs = counts.filter((count) => count > 1).map((count) => (count * (count - 1)) / 2);
  let long = 0,
    runs = 0;
  for (let low = 0, high; low < 13; low = high + 1) {
    for (high = low; counts[high]; high++);
    if (high - low >= 3)
      [long, runs] = [high - low, counts.slice(low, high).reduce((ways, count) => ways * count, 1)];
  }
  const points = 2 * fifteens + 2 * sum(pairs) + long * runs;
  const scores = { fifteens, pairs, long, runs, points };
  found.set(key, scores);
  return scores;
}

const countRanks = (ranks) => scored(ranks).points;
