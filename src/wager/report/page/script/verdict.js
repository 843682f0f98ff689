// Comparison of two classifiers and of many, as in wager.compare: adjusted tests, break-even points,
// dominance, and sentences that claim only what the tests support.

wager.verdict = (function () {

const { fixed, decimals, general, grouped, listed } = wager.numbers;
const {
  normalCdf, normalQuantile, meanOf, meanPValue, meanInterval, product, isKnown, differenceInterval,
} = wager.statistics;

const ROUNDING = 1e-12; // numbers that differ by less are equal except for rounding

// -- one adjustment for all statements about two classifiers (_simultaneous.py) --------------------------

/** The standard normal quantile that a two-sided p-value belongs to. */
function zValue(p) {
  return p === p ? -normalQuantile(Math.max(p, 1e-300) / 2) : p;
}

/**
 * How p-values of single statements become p-values of a report: Naiman's (1986) tube formula for a
 * curve of the given length, and Bonferroni for further single statements and pairs.
 */
class Adjustment {
  constructor(length = 0, nSingle = 1, nPairs = 1) {
    Object.assign(this, { length, nSingle, nPairs });
  }

  /** The adjusted p-value. */
  p(p) {
    if (p !== p) return p;
    const z = this.length > 0 ? zValue(p) : 0;
    const curve = this.length > 0 ? (this.length / Math.PI) * Math.exp((-z * z) / 2) : 0;
    return Math.min(1, this.nPairs * (this.nSingle * p + curve));
  }

  /** The level of a single interval, so that all statements together have level 1 - alpha. */
  level(alpha) {
    const { length, nSingle, nPairs } = this;
    if (length === 0) return 1 - alpha / (nPairs * nSingle);
    let [low, high] = [0, 40];
    let z = zValue(alpha / (nPairs * (nSingle + 1)));
    for (let step = 0; step < 60; step++) { // Newton's method within a bracket
      const tail = 2 * normalCdf(-z);
      const bell = Math.exp((-z * z) / 2);
      const curve = (length / Math.PI) * bell;
      const excess = nPairs * (nSingle * tail + curve) - alpha;
      if (Math.abs(excess) < 1e-14) break;
      if (excess > 0) low = z;
      else high = z;
      z -= excess / (-nPairs * (nSingle * bell * Math.sqrt(2 / Math.PI) + z * curve));
      if (!(low < z && z < high)) z = (low + high) / 2;
    }
    return 1 - 2 * normalCdf(-z);
  }
}

const NO_VARIATION = 1e-26; // a relative variance that is a rounding error

/** Deviations of cells from the means of several rows of values, per row of the data. */
function deviations(rows, sums) {
  const ones = new Float64Array(sums.totals.length).fill(1);
  const whole = product(sums, ones, ones) / sums.n ** 2;
  return rows.map((values) => {
    const mean = meanOf(values, sums);
    const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    const own = values.map((value) => (value - mean) / sums.n);
    return { own, sums, variance: product(sums, own, own), largest: most ** 2 * whole };
  });
}

/**
 * The length of the curve that standardised means describe on the unit sphere.
 *
 * `parts` are the deviations of one sample, or of several independent ones; distances of neighbouring
 * points are precise for small angles, of which correlations lose half the digits.
 */
function curveLength(parts) {
  if (!parts.length) return 0;
  const n = parts[0].length;
  const sum = (i, key) => parts.reduce((total, part) => total + part[i][key], 0);
  const spread = Array.from({ length: n }, (_, i) => {
    const variance = sum(i, "variance");
    return variance > NO_VARIATION * sum(i, "largest") ? Math.sqrt(variance) : null;
  });
  let length = 0;
  for (let i = 1; i < n; i++) {
    if (spread[i] === null || spread[i - 1] === null) continue; // rows that do not vary do not turn it
    let square = 0;
    for (const part of parts) {
      const step = part[i].own.map((value, j) => value / spread[i] - part[i - 1].own[j] / spread[i - 1]);
      square += product(part[i].sums, step, step);
    }
    length += 2 * Math.asin(Math.min(Math.sqrt(Math.max(square, 0)) / 2, 1));
  }
  return length;
}

// -- lead curves (_lead_curves.py) ----------------------------------------------------------------------

/** Evenly spaced numbers, as NumPy's linspace. */
function linspace(low, high, n) {
  const step = (high - low) / (n - 1);
  return Array.from({ length: n }, (_, i) => (i === n - 1 ? high : i * step + low));
}

/** A lead, or 0 if it is a rounding error beside the size of what is subtracted. */
function withoutRounding(lead, size) {
  return Math.abs(lead) <= ROUNDING * size ? 0 : lead;
}

/** By how much a test of level 1 - `level` rejects, on the scale of log p. */
function excessOf(p, level) {
  return Math.log(1 - level) - Math.log(Math.max(p, 1e-300));
}

/**
 * The lead of a classifier over another one on the same rows, along a parameter.
 *
 * `gapsAt(point)` gives the difference of each joint outcome, the largest possible difference, and the size of
 * what is subtracted, by default the same.
 */
class PairedLead {
  constructor(gapsAt, sums) {
    Object.assign(this, { gapsAt, sums });
  }

  lead(point) {
    const { gaps, largest, size = largest } = this.gapsAt(point);
    return withoutRounding(meanOf(gaps, this.sums), size);
  }

  excess(point, level) {
    const { gaps, largest } = this.gapsAt(point);
    return excessOf(meanPValue(gaps, this.sums, -largest, largest), level);
  }

  /** The length of the curve of standardised leads, for simultaneous statements. */
  length(points) {
    return curveLength([deviations(points.map((point) => this.gapsAt(point).gaps), this.sums)]);
  }

  /** Whether every row is a draw at all of these values. */
  isZero(points) {
    return points.every((point) => {
      const { gaps, largest, size = largest } = this.gapsAt(point);
      return gaps.every((gap) => Math.abs(gap) <= 1e-12 * Math.max(size, 1e-300));
    });
  }
}

const SAME = 1e-9; // two known means that differ by less are the same at a crossing

/** The lead of a classifier over another one that was scored on different rows. */
class UnpairedLead {
  /** `meansAt(point)` gives {values, sums, low, high} of both classifiers. */
  constructor(meansAt) {
    this.meansAt = meansAt;
  }

  lead(point) {
    const [a, b] = this.meansAt(point);
    return withoutRounding(meanOf(a.values, a.sums) - meanOf(b.values, b.sums), 1);
  }

  interval(point, level) {
    return differenceInterval(...this.meansAt(point).map((means) => intervalOf(means, level)));
  }

  excess(point, level) {
    const lead = this.lead(point);
    if (Math.abs(lead) <= SAME) return -SAME;
    const [low, high] = this.interval(point, level);
    return lead > 0 ? low : -high;
  }

  length(points) {
    const means = points.map((point) => this.meansAt(point));
    const parts = [0, 1].filter((side) => !isKnown(means[0][side].sums));
    return curveLength(parts.map((side) => deviations(means.map((both) => both[side].values), means[0][side].sums)));
  }

  isZero(points) {
    const known = this.meansAt(points[0]).every(({ sums }) => isKnown(sums));
    return known && points.every((point) => Math.abs(this.lead(point)) <= 1e-12);
  }
}

/** A mean with its interval; a known mean is its own interval. */
function intervalOf({ values, sums, low, high }, level) {
  const value = meanOf(values, sums);
  if (isKnown(sums)) return { value, lower: value, upper: value };
  const [lower, upper] = meanInterval(values, sums, low, high, level);
  return { value, lower, upper };
}

/** The p-value of equal means on different rows: the level at which the interval begins to exclude 0. */
function unpairedPValue(lead, point) {
  if (Math.abs(lead.lead(point)) <= 1e-12) return 1;
  let [low, high] = [0, 40];
  for (let step = 0; step < 30; step++) {
    const z = (low + high) / 2;
    const [start, end] = lead.interval(point, Math.min(2 * normalCdf(z) - 1, 1 - 1e-15));
    if (start > 0 || end < 0) low = z;
    else high = z;
  }
  return 2 * normalCdf(-low);
}

// -- where a curve crosses zero, and where a test does not distinguish it from zero (_curve_crossings.py) --

const POINTS = 17; // at which a curve is evaluated before crossings and edges are refined
const CLOSE = 1e-12;
const PATIENCE = 20; // steps of regula falsi before bisection
const STEPS = 60;

/** Crossings of a curve, and where it differs significantly from zero. */
function curveFacts(curve, [start, end], level) {
  const points = linspace(start, end, POINTS);
  const crossings = crossingsOf(curve, points);
  const everywhere = [...new Set([...points, ...crossings])].sort((a, b) => a - b);
  const excess = everywhere.map((point) => curve.excess(point, level));
  const edges = zeros((point) => curve.excess(point, level), everywhere, excess, (value) => value > 0);
  const pieces = [start, ...edges].map((from, i) => [from, i < edges.length ? edges[i] : end]);
  const isUndecided = (i) => (excess[0] <= 0) === (i % 2 === 0);
  const undecided = pieces.filter((_, i) => isUndecided(i));
  const decided = pieces
    .map(([from, to]) => [from, to, Math.sign(curve.lead((from + to) / 2))])
    .filter((_, i) => !isUndecided(i));
  return {
    crossings,
    undecided: undecided.length ? [undecided[0][0], undecided[undecided.length - 1][1]] : null,
    first: isUndecided(0) ? 0 : decided[0][2],
    last: isUndecided(pieces.length - 1) ? 0 : decided[decided.length - 1][2],
    middle: Math.sign(curve.lead((start + end) / 2)),
    decided,
  };
}

function crossingsOf(curve, points) {
  const lead = points.map((point) => curve.lead(point));
  const away = lead.map((value) => value !== 0);
  if (!away.includes(true)) return [];
  const kept = points.filter((_, i) => away[i]);
  const found = zeros((point) => curve.lead(point), kept, lead.filter((_, i) => away[i]), (value) => value > 0);
  // a lead that begins or ends with 0 meets zero there, but does not change its sign
  const last = points.length - 1;
  return [...(away[0] ? [] : [points[0]]), ...found, ...(away[last] ? [] : [points[last]])];
}

/** Where a function is 0, in each step in which `isAbove` changes. */
function zeros(of, points, values, isAbove) {
  const found = [];
  for (let i = 1; i < points.length; i++) {
    if (isAbove(values[i]) !== isAbove(values[i - 1])) {
      found.push(zeroBetween(of, points[i - 1], points[i], values[i - 1], values[i]));
    }
  }
  return found;
}

/** Regula falsi in its Illinois form, then bisection if that has not converged. */
function zeroBetween(of, a, b, atA, atB) {
  let c = (a + b) / 2;
  let side = 0;
  for (let step = 0; step < STEPS; step++) {
    c = (a * atB - b * atA) / (atB - atA);
    const inner = Number.isFinite(c) && c > Math.min(a, b) && c < Math.max(a, b);
    if (!(inner && step < PATIENCE)) c = (a + b) / 2;
    const value = of(c);
    if (value > 0 === atA > 0) {
      if (side === 1) atB /= 2;
      [a, atA, side] = [c, value, 1];
    } else {
      if (side === -1) atA /= 2;
      [b, atB, side] = [c, value, -1];
    }
    if (Math.abs(b - a) < CLOSE || Math.abs(value) < CLOSE) break;
  }
  return c;
}

/** The same facts, seen from the second classifier. */
function flipped(facts) {
  return {
    ...facts,
    first: -facts.first,
    last: -facts.last,
    middle: -facts.middle,
    decided: facts.decided.map(([from, to, side]) => [from, to, -side]),
  };
}

// -- a break-even point as a sentence (_break_even_sentence.py) --------------------------------------------

/** `curve` is {parameter, within: [low, high], names: [a, b], verb: "earn" | "cost", confidence}. */
function breakEvenSentence(facts, curve) {
  const [low, high] = curve.within;
  const inner = facts.crossings.filter((x) => Math.min(x - low, high - x) > 1e-6 * (high - low));
  const says = sayer(curve);
  if (facts.undecided === null) {
    const [better, worse] = ordered(facts.first, curve);
    return `${better} ${says.beats} than ${worse} for every ${curve.parameter} from ${general(low)} to ` +
      `${general(high)} (${general(100 * curve.confidence)}% confidence)`;
  }
  if (hasIslands(facts)) return pieces(facts, curve, says);
  const [first, last] = visibleSides(facts, curve, says);
  if (first === 0 && last === 0) return undecidedSentence(facts, inner, curve, says);
  const [start, end, point] = says.ends(facts.undecided, inner);
  if (first === last) {
    const [better, worse] = ordered(first, curve);
    return `${better} ${says.beats} than ${worse} for ${curve.parameter} below ${start} and above ` +
      `${end}; between them, the data do not distinguish the two`;
  }
  if (first === 0 || last === 0) {
    const [better, worse] = ordered(last || first, curve);
    const [side, edge, other] = last ? ["above", end, "below"] : ["below", start, "above"];
    return `${better} ${says.beats} than ${worse} for ${curve.parameter} ${side} ${edge}; ${other} that, ` +
      `the data do not distinguish them${point}`;
  }
  const [better, worse] = ordered(last, curve);
  const between = start !== end ? `; in between, the data do not distinguish them${point}` : "";
  return `${better} ${says.beats} than ${worse} for ${curve.parameter} above ${end}, ` +
    `${worse} below ${start}${between}`;
}

/** The sides at both ends of the range; 0 also where a decided part is too short to be shown. */
function visibleSides(facts, curve, says) {
  const [low, start, end, high] = says.show(curve.within[0], ...facts.undecided, curve.within[1]);
  return [start !== low ? facts.first : 0, end !== high ? facts.last : 0];
}

function sayer(curve) {
  const [low, high] = curve.within;
  /** Ascending values of the parameter, with so many digits that no two look equal. */
  const show = (...values) => {
    const pairs = values.slice(1).map((value, i) => [values[i], value]);
    const digits = decimals(pairs, high - low >= 0.4 ? 2 : 3);
    return values.map((value) => fixed(value, digits));
  };
  /** Ascending values that also look different from the ends of the range. */
  const edges = (...values) => show(low, ...values, high).slice(1, -1);
  return {
    show,
    /** The ends of the interval, and in words the break-even point if there is only one. */
    ends(undecided, inner) {
      if (inner.length !== 1) return [...edges(...undecided), ""];
      const [start, here, end] = edges(undecided[0], inner[0], undecided[1]);
      const level = `${general(100 * curve.confidence)}%`;
      return [start, end, ` (break-even at ${here}, ${level} interval ${start}-${end})`];
    },
    beats: curve.verb === "earn" ? "scores higher" : "costs less",
  };
}

/** Whether the test rejects somewhere between two parts in which it does not. */
function hasIslands(facts) {
  const [low, high] = facts.undecided;
  return facts.decided.some(([start, end]) => low < start && end < high);
}

/** The better and the worse classifier. */
function ordered(sign, { names: [a, b] }) {
  return sign > 0 ? [a, b] : [b, a];
}

function undecidedSentence(facts, inner, curve, says) {
  const [a, b] = curve.names;
  const [low, high] = curve.within;
  let here = inner.length ? `; in this sample both ${curve.verb} the same at ` : "";
  if (!inner.length && facts.middle) here = `; in this sample ${ordered(facts.middle, curve)[0]} is ahead`;
  const where = `between ${curve.parameter} = ${general(low)} and ${general(high)}`;
  return `the data do not distinguish ${a} from ${b} ${where}${here}${says.show(...inner).join(", ")}`;
}

/** The parts of the range in which each of the two is better. */
function pieces(facts, curve, says) {
  const said = [];
  for (const sign of [1, -1]) {
    const [better, worse] = ordered(sign, curve);
    const parts = facts.decided
      .filter(([, , side]) => side === sign)
      .map(([start, end]) => `from ${says.show(start, end).join(" to ")}`);
    if (parts.length) said.push(`${better} ${says.beats} than ${worse} for ${curve.parameter} ${parts.join(" and ")}`);
  }
  return `${said.join(", ")}; elsewhere the data do not distinguish them`;
}

// -- sentences of tests (_outcome.py, _cost_comparison.py) -------------------------------------------------

function showP(p) {
  return p < 1e-4 ? "p < 0.0001" : `p = ${fixed(p, 4)}`;
}

/** The verdict of a two-sided test of one difference in utility. */
function differenceSentence(mean, p, [a, b], alpha) {
  if (mean === 0 || p >= alpha) return `no significant difference between ${a} and ${b} (${showP(p)})`;
  const [better, worse] = mean > 0 ? [a, b] : [b, a];
  return `${better} scores higher than ${worse} (${showP(p)})`;
}

/** An amount with at least two significant digits, and with its unit. */
function formatAmount(amount, unit = null, digits = 2, least = 1e-9) {
  const isSmall = Math.abs(amount) > least && Math.abs(amount) < 10 ** (1 - digits);
  const shown = isSmall ? general(amount, 2) : grouped(amount, digits);
  return unit === null ? shown : `${shown} ${unit}`;
}

/** What one classifier saves compared with another, as far as the interval supports it. */
function savingSentence(mean, [low, high], p, [a, b], alpha, unit = null) {
  if (mean === 0 || !(p < alpha)) {
    const said = `no significant difference in cost between ${a} and ${b}`;
    if (low !== low) return said; // one row has no interval
    return `${said} (${formatAmount(low)} to ${formatAmount(high, unit)} per case, ${showP(p)})`;
  }
  if (mean > 0) [a, b, low, high] = [b, a, -high, -low];
  const shown = (amount, of = null) => formatAmount(amount, of, 2, 0); // what is significant is no rounding error
  return `${a} saves ${shown(Math.abs(mean), unit)} per case compared with ${b} (${shown(-high)} to ${shown(-low)})`;
}

// -- stochastic dominance (_dominance.py, rewards/_dominance.py) -------------------------------------------

const EVERYONE = "everyone who is averse or neutral to risk";

/**
 * Which classifier everyone averse or neutral to risk prefers: "a", "b", "equal" or "none".
 *
 * The area under the distribution function of its rewards is never larger.  Counts are compared
 * exactly, weights up to 1e-12.
 */
function dominanceWinner(hitsA, hitsB, totalA, totalB, exact) {
  const sizes = [...new Set([...hitsA.keys(), ...hitsB.keys()])].sort((a, b) => b - a);
  const found = exact ? exactGaps(sizes, hitsA, hitsB, totalA, totalB) : plainGaps(sizes, hitsA, hitsB, totalA, totalB);
  const { gaps, areas, slack } = found;
  if (gaps.every((gap) => gap <= slack && -gap <= slack)) return "equal";
  if (areas.every((area) => area <= slack)) return "a";
  return areas.every((area) => -area <= slack) ? "b" : "none";
}

/** Differences of the distribution functions at 0 and at 1/size, and the areas between them. */
function plainGaps(sizes, hitsA, hitsB, totalA, totalB) {
  const sum = (hits) => sizes.reduce((total, size) => total + (hits.get(size) ?? 0), 0);
  let gap = (totalA - sum(hitsA)) / totalA - (totalB - sum(hitsB)) / totalB;
  const gaps = [gap];
  const areas = [];
  let area = 0;
  let before = 0;
  for (const size of sizes) {
    area += (1 / size - before) * gap;
    areas.push(area);
    gap += (hitsA.get(size) ?? 0) / totalA - (hitsB.get(size) ?? 0) / totalB;
    gaps.push(gap);
    before = 1 / size;
  }
  return { gaps, areas, slack: 1e-12 };
}

/** The same in whole numbers: times both totals, and times a common multiple of the sizes. */
function exactGaps(sizes, hitsA, hitsB, totalA, totalB) {
  const count = (hits, size) => BigInt(hits.get(size) ?? 0);
  const [nA, nB] = [BigInt(totalA), BigInt(totalB)];
  const sum = (hits) => sizes.reduce((total, size) => total + count(hits, size), 0n);
  const multiple = sizes.reduce((least, size) => commonMultiple(least, BigInt(size)), 1n);
  let gap = (nA - sum(hitsA)) * nB - (nB - sum(hitsB)) * nA;
  const gaps = [gap];
  const areas = [];
  let area = 0n;
  let before = 0n;
  for (const size of sizes) {
    const reward = multiple / BigInt(size);
    area += (reward - before) * gap;
    areas.push(area);
    gap += count(hitsA, size) * nB - count(hitsB, size) * nA;
    gaps.push(gap);
    before = reward;
  }
  return { gaps, areas, slack: 0n };
}

function commonMultiple(a, b) {
  let [x, y] = [a, b];
  while (y) [x, y] = [y, x % y];
  return (a / x) * b;
}

/** The leads that second-order dominance requires to be positive, and their p-values. */
function dominanceLeads(rewardA, rewardB, sums) {
  const positive = [...new Set([...rewardA, ...rewardB])].filter((reward) => reward > 0).sort((a, b) => a - b);
  const levels = positive.length ? positive : [1];
  return levels.map((level) => {
    const gain = Float64Array.from(rewardA, (reward, j) => Math.min(reward, level) - Math.min(rewardB[j], level));
    const isNeutral = gain.every((value) => value === 0); // no row differs: it does not stand in the way
    return { lead: meanOf(gain, sums), p: isNeutral ? 0 : meanPValue(gain, sums, -level, level) };
  });
}

/** The p-value that a classifier does dominate, from the levels at which it is behind. */
function refuted(leads, sign) {
  const behind = leads.filter(({ lead, p }) => sign * lead < -ROUNDING && p !== 0);
  return behind.length ? Math.min(1, leads.length * Math.min(...behind.map(({ p }) => p))) : 1;
}

function dominanceSentence(winner, p, refutations, [a, b], alpha) {
  if (winner === "equal") return `the rewards of ${a} and ${b} have the same distribution in this sample`;
  if (winner === "none") {
    const neither = `neither ${a} nor ${b} is preferred by all`;
    if (Math.max(...refutations) < alpha) return `opinions differ significantly: ${neither}`;
    return `in this sample opinions differ: ${neither}`;
  }
  const [better, worse] = winner === "a" ? [a, b] : [b, a];
  const words = `${EVERYONE} prefers ${better} to ${worse}`;
  return p < alpha ? `${words} (${showP(p)})` : `in this sample ${words}, but not significantly (${showP(p)})`;
}

/** The verdict about two known distributions. */
function dominanceFact(winner, [a, b]) {
  if (winner === "equal") return `the rewards of ${a} and ${b} have the same distribution`;
  if (winner === "none") return `opinions differ: neither ${a} nor ${b} is preferred by all`;
  const [better, worse] = winner === "a" ? [a, b] : [b, a];
  return `${EVERYONE} prefers ${better} to ${worse}`;
}

/**
 * Proposition 2 or 3 of Zaffalon, Corani & Mauá (2012) in words, if it applies; else null.
 *
 * `a` and `b` are {name, mean, single, whole, indeterminate, n, nClasses}: the mean reward, the rows with one
 * class and with all classes, and the mean reward of sets of several classes.
 */
function proposition(a, b) {
  if (Math.abs(a.mean - b.mean) > ROUNDING) return null;
  const precise = [a, b].map((one) => one.single === one.n);
  if (precise[0] !== precise[1]) {
    const [credal, other] = precise[1] ? [a, b] : [b, a];
    if (!(credal.indeterminate > 0)) return worthTheSame(2, a, b);
    return `by Proposition 2 everyone who is averse to risk prefers the credal ${credal.name} to the precise ${other.name}`;
  }
  const isOneOrAll = (one) => one.nClasses > 1 && one.single + one.whole === one.n;
  if (precise[0] || a.nClasses !== b.nClasses || !(isOneOrAll(a) && isOneOrAll(b))) return null;
  const [first, second] = [a, b].map((one) => one.single / one.n);
  if (Math.abs(first - second) <= ROUNDING) return worthTheSame(3, a, b);
  const [cautious, other] = first < second ? [a, b] : [b, a];
  return `by Proposition 3 everyone who is averse to risk prefers ${cautious.name}, more often vacuous, to ${other.name}`;
}

function worthTheSame(number, a, b) {
  return `by Proposition ${number} ${a.name} and ${b.name} are worth the same to everyone`;
}

// -- the recommendation (_recommendation.py) ---------------------------------------------------------------

const [LOW, HIGH] = [0.5, 1];
const MOST_NAMES = 6; // that a short verdict lists

/** The best classifier for each u(0.5): the upper envelope of lines [intercept, slope]. */
function bestRanges(lines) {
  const worth = (i, q) => lines[i][0] + lines[i][1] * q;
  const steepest = (some) => { // the first of those that rise alike
    const most = Math.max(...some.map((i) => lines[i][1]));
    return some.find((i) => lines[i][1] >= most - ROUNDING);
  };
  const all = lines.map((_, i) => i);
  // in a tie at the start the steepest line is ahead immediately afterwards
  const top = Math.max(...all.map((i) => worth(i, LOW)));
  let best = steepest(all.filter((i) => worth(i, LOW) >= top - ROUNDING));
  let start = LOW;
  const found = [];
  for (;;) {
    const rivals = all
      .filter((i) => lines[i][1] > lines[best][1] + ROUNDING)
      .map((i) => [i, (worth(best, start) - worth(i, start)) / (lines[i][1] - lines[best][1]) + start]);
    const end = Math.min(HIGH, ...rivals.map(([, q]) => q));
    if (end > start + ROUNDING) found.push({ index: best, low: start, high: end });
    if (end >= HIGH - ROUNDING) return found;
    best = steepest(rivals.filter(([, q]) => q <= end + ROUNDING).map(([i]) => i));
    start = end;
  }
}

/**
 * The advice of a comparison.
 *
 * `results` has `names`; `betterBy(criterion, i, j)`: whether i is significantly better than j;
 * `ranked(criterion)`: all classifiers, the best one of the sample first; `decided(i, j)` for i < j: the
 * parts of [0.5, 1] in which one of them is better; `isDraw(criterion, i, j)`: whether both earn, or cost, the
 * same in every row; `dominates(i, j)`; `memo`, an object that keeps what
 * depends on `decided` only; `utilities`, the names of utilities, and `costs`, whether there are costs.  A criterion is the name of a
 * utility, or "average_cost".
 */
class Advice {
  constructor(results) {
    Object.assign(this, results);
    this.all = this.names.map((_, i) => i);
    this.rest = this.all.map((i) => this.all.filter((j) => j !== i));
  }

  others(i) {
    return this.rest[i];
  }

  said(some) {
    return listed(some.map((i) => this.names[i]));
  }

  /** Whether i is significantly better than j for every u(0.5) from low to high. */
  betterAt(i, j, low, high) {
    const wanted = i < j ? 1 : -1;
    return this.decided(Math.min(i, j), Math.max(i, j))
      .some(([start, end, side]) => start <= low && high <= end && side === wanted);
  }

  /** The classifier that is better than every other one by one criterion, or null. */
  bestBy(criterion) {
    const [first] = this.ranked(criterion);
    return this.others(first).every((j) => this.betterBy(criterion, first, j)) ? first : null;
  }

  /** The classifier that is better than every other one by every criterion, or null. */
  get recommended() {
    const criteria = [...this.utilities, ...(this.costs ? ["average_cost"] : [])];
    const isBest = (i) => this.others(i).every((j) => criteria.every((criterion) => this.betterBy(criterion, i, j)));
    return this.all.find(isBest) ?? null;
  }

  /** The classifier to take: for everyone averse or neutral to risk, by u(0.5), or by costs. */
  get recommendation() {
    const best = this.recommended;
    if (best !== null) return this.take(best);
    if (!this.costs) return this.byUtility();
    return this.utilities.length ? `${this.byUtility()}; by cost, ${this.byCosts()}` : this.byCosts();
  }

  take(best) {
    const others = this.said(this.others(best));
    if (!this.utilities.length) return `take ${this.names[best]}: it costs less than ${others}`;
    if (this.others(best).every((j) => this.dominates(best, j))) {
      const too = this.costs ? ", and it costs less" : "";
      return `take ${this.names[best]}: everyone averse or neutral to risk prefers it to ${others}${too}`;
    }
    const too = this.costs ? ", and costs less" : "";
    return `take ${this.names[best]}: it scores higher than ${others} under ${listed(this.utilities)}${too}`;
  }

  /** The classifier that costs significantly less than every other one, if there is one. */
  byCosts() {
    const best = this.bestBy("average_cost");
    if (best !== null) return `take ${this.names[best]}: it costs less than ${this.said(this.others(best))}`;
    const left = this.unbeatenBy("average_cost");
    if (this.areDraws("average_cost", left)) return this.takeAny(left, "cost");
    if (this.differ(left, ["average_cost"])) return `the data do not show which of ${this.said(left)} costs least: collect more rows`;
    return `the data do not distinguish ${this.apart(left)}: collect more rows`;
  }

  /** The classifiers that no other one beats by a criterion; all of them if that leaves one. */
  unbeatenBy(criterion) {
    const first = this.ranked(criterion); // the best ones are the most likely to beat another one
    const left = this.all.filter((i) => !first.some((j) => j !== i && this.betterBy(criterion, j, i)));
    return left.length > 1 ? left : this.all;
  }

  /** The classifier to take for each u(0.5), as far as the data support it. */
  byUtility() {
    const supported = this.supportedRanges();
    if (!supported.length) {
      const left = this.bestOf();
      if (this.areDraws(this.utilities[0], left)) return this.takeAny(left, "earn");
      if (this.areDecided(left) || this.differ(left)) {
        return `for no u(0.5) do the data show which of ${this.said(left)} is best: collect more rows`;
      }
      return `the data do not distinguish ${this.apart(left)}: collect more rows, or take ${this.anyOf(left)}`;
    }
    const said = supported.map(({ index, low, high }) => {
      const digits = decimals([[LOW, low], [low, high], [high, HIGH]]); // an end is not shown as 0.5 or 1
      let where = `u(0.5) from ${fixed(low, digits)} to ${fixed(high, digits)}`;
      if (low <= LOW && high >= HIGH) where = "every u(0.5) from 0.5 to 1";
      else if (low <= LOW) where = `u(0.5) below ${fixed(high, digits)}`;
      else if (high >= HIGH) where = `u(0.5) above ${fixed(low, digits)}`;
      return `${this.names[index]} for ${where}`;
    });
    const covered = supported.reduce((sum, { low, high }) => sum + high - low, 0);
    const rest = covered < HIGH - LOW - 1e-6 ? "; otherwise the data do not distinguish the best of them" : "";
    return `take ${said.join(", ")}${rest}`;
  }

  /** The classifiers that no other one beats for every u(0.5) from low to high. */
  bestOf(low = LOW, high = HIGH) {
    const left = this.all.filter((i) => !this.others(i).some((j) => this.betterAt(j, i, low, high)));
    return left.length > 1 ? left : this.all;
  }

  /** Whether two of these classifiers differ significantly for some u(0.5) from low to high. */
  areDecided(some, low = LOW, high = HIGH) {
    return pairsOf(some).some(([i, j]) => this.decided(i, j).some(([start, end]) => start <= high && low <= end));
  }

  /** Whether two of these classifiers differ significantly by one of these criteria. */
  differ(some, criteria = this.utilities) {
    return pairsOf(some).some(([i, j]) => criteria.some((criterion) => this.betterBy(criterion, i, j) || this.betterBy(criterion, j, i)));
  }

  /** The classifiers that are not distinguished: the first one from the others. */
  apart([first, ...others]) {
    return `${this.names[first]} from ${this.said(others)}`;
  }

  /** Whether these classifiers earn, or cost, the same in every row. */
  areDraws(criterion, [first, ...others]) {
    return others.every((j) => this.isDraw(criterion, Math.min(first, j), Math.max(first, j)));
  }

  /** The advice about classifiers between which more rows decide nothing. */
  takeAny(some, verb) {
    return `${this.said(some)} ${verb} the same in every row: take ${this.anyOf(some)}`;
  }

  anyOf(some) {
    return some.length === 2 ? "either" : "any";
  }

  /** Where one classifier is significantly better than all others, by u(0.5). */
  supportedRanges() {
    this.memo.ranges ??= this.newRanges();
    return this.memo.ranges;
  }

  newRanges() {
    const better = this.all.map(() => this.all.map(() => [])); // the parts in which i is better than j
    const edges = new Set([LOW, HIGH]);
    for (const i of this.all) {
      for (const j of this.all.slice(i + 1)) {
        for (const [start, end, side] of this.decided(i, j)) {
          edges.add(start).add(end);
          if (side > 0) better[i][j].push([start, end]);
          if (side < 0) better[j][i].push([start, end]);
        }
      }
    }
    const sorted = [...edges].sort((a, b) => a - b);
    const ranges = [];
    sorted.slice(1).forEach((high, place) => {
      const low = sorted[place];
      const middle = (low + high) / 2;
      const isBest = (i) => this.rest[i].every((j) => better[i][j].some(([start, end]) => start <= middle && middle <= end));
      for (const i of this.all) {
        if (!isBest(i)) continue;
        const last = ranges[ranges.length - 1];
        if (last && last.index === i && last.high === low) last.high = high;
        else ranges.push({ index: i, low, high });
      }
    });
    return ranges;
  }

  /** The classifier to take for a user whose u(0.5) is known up to an interval. */
  recommendFor([from, to], utility) {
    const [low, high] = [from, to].map((end) => Math.min(Math.max(end, LOW), HIGH));
    const who = `for the user of ${utility} (u(0.5) ${[from, to].map((end) => fixed(end, decimals([[from, to]]))).join("-")})`;
    const best = this.all.find((i) => this.others(i).every((j) => this.betterAt(i, j, low, high)));
    if (best !== undefined) return `${who}: take ${this.names[best]}`;
    const left = this.bestOf(low, high);
    const own = this.utilities.filter((name) => name === utility); // the page may know only the interval
    if (this.areDecided(left, low, high) || this.differ(left, own)) return `${who}: the data do not show which of ${this.said(left)} is best`;
    return `${who}: the data do not distinguish ${this.apart(left)}`;
  }

  /** The verdict by one criterion in a short sentence. */
  verdictBy(criterion) {
    const isCost = criterion === "average_cost";
    const start = isCost ? "by cost" : `under ${criterion}`;
    const best = this.bestBy(criterion);
    if (best !== null) {
      const others = this.others(best).map((i) => this.names[i]);
      const beats = isCost ? "costs less" : "scores higher";
      return `${start}, take ${this.names[best]}: it ${beats} than ${listedInPart(others)}`;
    }
    const left = this.unbeatenBy(criterion);
    const [first, ...others] = left.map((i) => this.names[i]);
    if (this.differ(left, [criterion])) {
      return `${start}, the data do not show which of ${listedInPart([first, ...others])} ${isCost ? "costs least" : "is best"}`;
    }
    return `${start}, the data do not distinguish ${first} from ${listedInPart(others)}`;
  }
}

/** Every two of some classifiers, in their order. */
function pairsOf(some) {
  return some.flatMap((i, place) => some.slice(place + 1).map((j) => [i, j]));
}

/** Names in a sentence; of many names, only the first ones and the number of the others. */
function listedInPart(names) {
  if (names.length <= MOST_NAMES) return listed(names);
  const shown = names.slice(0, MOST_NAMES - 1);
  return `${shown.join(", ")} and ${names.length - shown.length} others`;
}

return {
  Adjustment, zValue, linspace, PairedLead, UnpairedLead, withoutRounding, intervalOf, unpairedPValue, curveFacts, flipped,
  breakEvenSentence, showP, differenceSentence, savingSentence, formatAmount, dominanceWinner,
  dominanceLeads, refuted, dominanceSentence, dominanceFact, proposition, bestRanges, Advice, listedInPart,
};

})();
