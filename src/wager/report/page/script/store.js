// Learners on many data sets, compared by their ranks, as wager.compare.over_datasets does.

wager.store = (function () {

const { general, listed } = wager.numbers;
const { erfc, normalCdf } = wager.statistics;
const { utilityOf } = wager.utilities;
const { differenceSentence } = wager.verdict;

const SAME = 1e-12; // scores that differ by less are the same except for rounding
const EXACT_UP_TO = 50; // differences of which the signed-rank test is exact

// -- scores and ranks --------------------------------------------------------------------------------------

/** The scores of all learners on all data sets under a utility; NaN where a learner failed. */
function scoresOf(store, dm, utilities = []) {
  const largest = Math.max(1, ...store.shares.flat().filter((cells) => cells).flat().map(([size]) => size));
  const { worth } = utilityOf(dm, largest, utilities);
  const score = (cells) => cells.reduce((sum, [size, hit, share]) => sum + share * worth[hit ? size : 0], 0);
  return store.shares.map((row) => row.map((cells) => (cells === null ? NaN : score(cells))));
}

/** Mean measures of a learner over the data sets that every learner has, as its mean score. */
function measuresOf(store, complete, learner) {
  const known = complete.map((d) => store.shares[d][learner]);
  const mean = (of) => known.reduce((sum, cells) => sum + cells.reduce((part, [size, hit, share]) => part + share * of(size, hit), 0), 0) / known.length;
  return {
    coverage: mean((size, hit) => hit),
    mean_set_size: mean((size) => size),
    determinacy: mean((size) => (size === 1 ? 1 : 0)),
  };
}

/** Ranks of numbers, the smallest first; ties share the average rank. */
function ranksOf(values) {
  const order = values.map((_, i) => i).sort((i, j) => values[i] - values[j]);
  const ranks = new Array(values.length);
  for (let start = 0; start < order.length;) {
    let end = start + 1;
    while (end < order.length && values[order[end]] - values[order[end - 1]] <= SAME) end++;
    for (let at = start; at < end; at++) ranks[order[at]] = (start + 1 + end) / 2;
    start = end;
  }
  return ranks;
}

const meanOfColumn = (rows, column) => rows.reduce((sum, row) => sum + row[column], 0) / rows.length;

// -- tests ---------------------------------------------------------------------------------------------------

/** P(X > x) of a chi-square with a whole number of degrees of freedom. */
function chiSquareTail(x, df) {
  if (!(x > 0)) return 1;
  const half = x / 2;
  let term = df % 2 ? 2 * Math.sqrt(half / Math.PI) * Math.exp(-half) : Math.exp(-half);
  let sum = df % 2 ? erfc(Math.sqrt(half)) : 0;
  for (let k = df % 2 ? 1.5 : 1; k <= df / 2; k++) {
    sum += term;
    term *= half / k;
  }
  return sum;
}

/** Which learners have the best mean rank, as a part of a sentence. */
function bestRanked(names, meanRanks) {
  const least = Math.min(...meanRanks);
  const best = names.filter((_, i) => meanRanks[i] === least);
  return `${listed(best)} ${best.length === 1 ? "ranks" : "rank"} best`;
}

/** Friedman's test with the correction for ties. */
function friedman(ranked, names, alpha) {
  const [N, k] = [ranked.length, names.length];
  const means = names.map((_, column) => meanOfColumn(ranked, column));
  const plain = ((12 * N) / (k * (k + 1))) * means.reduce((sum, mean) => sum + (mean - (k + 1) / 2) ** 2, 0);
  let ties = 0;
  for (const row of ranked) {
    const counts = new Map();
    for (const rank of row) counts.set(rank, (counts.get(rank) ?? 0) + 1);
    for (const count of counts.values()) ties += count ** 3 - count;
  }
  const correction = 1 - ties / (N * k * (k ** 2 - 1));
  const statistic = correction > 0 ? plain / correction : 0;
  const p = chiSquareTail(statistic, k - 1);
  const sentence = p < alpha
    ? `the ${k} classifiers differ over the ${N} data sets (p = ${general(p, 4)}); ${bestRanked(names, means)}`
    : `no significant difference among the ${k} classifiers over ${N} data sets (p = ${general(p, 4)})`;
  return { name: "Friedman test", statistic, p, sentence };
}

/** Wilcoxon's signed-rank test of two learners; zero differences are left out. */
function signedRank(first, second, names, alpha) {
  const gaps = first.map((a, d) => a - second[d]).filter((gap) => Math.abs(gap) > SAME);
  if (!gaps.length) return { name: "Wilcoxon signed-rank test", statistic: 0, p: 1, ahead: 0, sentence: differenceSentence(0, 1, names, alpha) };
  const ranks = ranksOf(gaps.map(Math.abs));
  const total = (sign) => ranks.reduce((sum, rank, i) => sum + (Math.sign(gaps[i]) === sign ? rank : 0), 0);
  const [plus, minus] = [total(1), total(-1)];
  const statistic = Math.min(plus, minus);
  const p = gaps.length <= EXACT_UP_TO ? exactP(ranks, statistic) : normalP(ranks, statistic);
  const ahead = Math.sign(plus - minus);
  return { name: "Wilcoxon signed-rank test", statistic, p, ahead, sentence: differenceSentence(plus - minus, p, names, alpha) };
}

/** Two-sided p over all sign patterns, by convolution over the ranks. */
function exactP(ranks, statistic) {
  const steps = ranks.map((rank) => Math.round(2 * rank)); // average ranks are halves of whole numbers
  const chance = new Float64Array(steps.reduce((sum, step) => sum + step, 0) + 1);
  chance[0] = 1;
  for (const step of steps) {
    for (let at = chance.length - 1; at >= 0; at--) chance[at] = (chance[at] + (at >= step ? chance[at - step] : 0)) / 2;
  }
  let sum = 0;
  for (let at = 0; at <= Math.round(2 * statistic); at++) sum += chance[at];
  return Math.min(1, 2 * sum);
}

function normalP(ranks, statistic) {
  const n = ranks.length;
  const counts = new Map();
  for (const rank of ranks) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  let variance = (n * (n + 1) * (2 * n + 1)) / 24;
  for (const count of counts.values()) variance -= (count ** 3 - count) / 48;
  const z = variance > 0 ? (statistic - (n * (n + 1)) / 4) / Math.sqrt(variance) : 0;
  return Math.min(1, 2 * normalCdf(z));
}

// -- the comparison --------------------------------------------------------------------------------------------

/** Everything about the learners under one utility. */
function compare(store, dm, level, utilities = []) {
  const names = store.learners;
  const alpha = 1 - level;
  const scores = scoresOf(store, dm, utilities);
  const complete = scores.map((row, d) => d).filter((d) => scores[d].every((score) => score === score));
  const rows = complete.map((d) => scores[d]);
  const ranked = rows.map((row) => ranksOf(row.map((score) => -score)));
  const known = rows.length > 0;
  const means = names.map((_, column) => (known ? meanOfColumn(rows, column) : NaN));
  const meanRanks = names.map((_, column) => (known ? meanOfColumn(ranked, column) : NaN));
  const canTest = names.length > 1 && rows.length > 1;
  let test = null;
  if (canTest && names.length === 2) test = signedRank(rows.map((row) => row[0]), rows.map((row) => row[1]), names, alpha);
  if (canTest && names.length > 2) test = friedman(ranked, names, alpha);
  const criticalDifference = canTest && names.length > 2
    ? store.nemenyi_q * Math.sqrt((names.length * (names.length + 1)) / (6 * rows.length))
    : null;
  const beaten = test !== null && test.p < alpha ? beatenPairs(meanRanks, criticalDifference, test) : [];
  const found = { scores, complete, ranked, means, meanRanks, test, criticalDifference, beaten };
  return {
    ...found,
    datasets: store.datasets,
    firsts: names.map((_, column) => ranked.filter((row) => row[column] <= 1 + SAME).length),
    cliques: criticalDifference === null ? [] : cliques(meanRanks, criticalDifference),
    wins: winsOf(rows, names.length),
    measures: names.map((_, learner) => measuresOf(store, complete, learner)),
    recommended: onlyOneLeft(names.length, beaten),
    sentence: test === null ? "" : recommendation(names, found, alpha),
  };
}

/** [better, worse] for every pair with a significant difference. */
function beatenPairs(meanRanks, criticalDifference, test) {
  if (criticalDifference === null) return [test.ahead > 0 ? [0, 1] : [1, 0]];
  const found = [];
  meanRanks.forEach((a, i) => meanRanks.forEach((b, j) => { if (b - a > criticalDifference) found.push([i, j]); }));
  return found;
}

/** Groups of learners that do not differ significantly, by rank, for the critical-difference diagram. */
function cliques(meanRanks, criticalDifference) {
  const order = meanRanks.map((_, i) => i).sort((i, j) => meanRanks[i] - meanRanks[j]);
  const found = [];
  let last = -1;
  order.forEach((i, start) => {
    let end = start;
    while (end + 1 < order.length && meanRanks[order[end + 1]] - meanRanks[i] <= criticalDifference) end++;
    if (end > start && end > last) found.push(order.slice(start, end + 1));
    last = Math.max(last, end);
  });
  return found;
}

/** [won, tied, lost] data sets of each learner (rows) against each other one (columns). */
function winsOf(rows, n) {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => {
    const gaps = rows.map((row) => row[i] - row[j]);
    const wins = gaps.filter((gap) => gap > SAME).length;
    const losses = gaps.filter((gap) => gap < -SAME).length;
    return [wins, rows.length - wins - losses, losses];
  }));
}

/** The learner that is significantly better than some, if all others are beaten; or null. */
function onlyOneLeft(n, beaten) {
  const losers = new Set(beaten.map(([, worse]) => worse));
  return losers.size === n - 1 ? Array.from({ length: n }, (_, i) => i).find((i) => !losers.has(i)) : null;
}

/** Which learners to take, as a sentence. */
function recommendation(names, { meanRanks, beaten, test }, alpha) {
  const losers = new Set(beaten.map(([, worse]) => worse));
  const left = names.map((_, i) => i).filter((i) => !losers.has(i));
  const best = left.filter((i) => meanRanks[i] === Math.min(...meanRanks));
  if (!losers.size && Math.max(...meanRanks) === Math.min(...meanRanks)) return "take any";
  if (test.p >= alpha) return `take any (${bestRanked(names, meanRanks)}, not significantly)`;
  if (left.length === 1) return `take ${names[left[0]]}`;
  const near = left.filter((i) => !best.includes(i)).map((i) => names[i]);
  const beside = best.length === 1 ? [] : ["they rank best"];
  if (near.length) beside.push(`${listed(near)} ${near.length === 1 ? "is" : "are"} not significantly worse`);
  return `take ${best.map((i) => names[i]).join(" or ")} (${beside.join("; ")})`;
}

return { compare, scoresOf, ranksOf, chiSquareTail, friedman, signedRank, cliques };

})();
