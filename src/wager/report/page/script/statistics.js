// Intervals and tests of means, as in wager.rewards: the same formulas, to 1e-9.
//
// A mean is estimated from cells: rows with the same outcome.  `sums` are the totals of the cells and
// the second moments of what independent units add to them (CellSums in Python):
//   {totals, squares, units, n}   squares: null (plain rows), one number per cell (weights), or a
//                                 symmetric matrix, row by row (clusters); NaN for known distributions

wager.statistics = (function () {

// -- the normal distribution ---------------------------------------------------------------------

/** The complementary error function: a series near 0, a continued fraction in the tail. */
function erfc(x) {
  if (x < 0) return 2 - erfc(-x);
  if (x < 2) {
    let term = x;
    let sum = x;
    for (let k = 1; term > 1e-17 * sum; k++) {
      term *= (2 * x * x) / (2 * k + 1);
      sum += term;
    }
    return 1 - (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }
  let fraction = x;
  for (let k = Math.ceil(20 + 160 / (x * x)); k > 0; k--) fraction = x + k / 2 / fraction;
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * fraction);
}

/** The distribution function of the standard normal distribution. */
function normalCdf(x) {
  return erfc(-x / Math.SQRT2) / 2;
}

/** The quantile of the standard normal distribution: an approximation, then Halley's method. */
function normalQuantile(p) {
  if (!(p > 0 && p < 1)) return p === 0 ? -Infinity : p === 1 ? Infinity : NaN;
  if (p > 0.5) return -normalQuantile(1 - p);
  const t = Math.sqrt(-2 * Math.log(p)); // Hastings (1955): to 5e-4
  const above = 2.515517 + t * (0.802853 + t * 0.010328);
  let z = above / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
  for (let step = 0; step < 3; step++) {
    const density = Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
    const off = (normalCdf(z) - p) / density;
    z -= off / (1 + (z * off) / 2);
  }
  return z;
}

// -- Student's t -----------------------------------------------------------------------------------

/** Gamma(a + 1/2) / Gamma(a), by the series for large a. */
function gammaRatio(a) {
  let factor = 1;
  for (; a < 100; a++) factor *= a / (a + 0.5);
  const series = [1, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304];
  let sum = 0;
  for (let k = series.length - 1; k >= 0; k--) sum = sum / a + series[k];
  return factor * Math.sqrt(a) * sum;
}

/**
 * The continued fraction of the incomplete beta function, by Lentz's method.
 *
 * In the form of DiDonato & Morris (1992), which needs both x and y = 1 - x: x close to 1 loses no
 * digits.
 */
function betaFraction(a, b, x, y) {
  const tiny = 1e-300;
  const keep = (value) => (Math.abs(value) < tiny ? tiny : value);
  const denominator = (m) =>
    m + (m * (b - m) * x) / (a + 2 * m - 1) + ((a + m) * (a * y - b * x + 1 + m * (1 + y))) / (a + 2 * m + 1);
  let result = keep((a * (a * y - b * x + 1)) / (a + 1));
  let c = result;
  let d = 0;
  for (let m = 1; m < 100000; m++) {
    const numerator = ((a + m - 1) * (a + b + m - 1) * m * (b - m) * x * x) / (a + 2 * m - 1) ** 2;
    const below = denominator(m);
    d = 1 / keep(below + numerator * d);
    c = keep(below + numerator / c);
    result *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return result;
}

/** P(T > t) of Student's t with any positive number of degrees of freedom, for t >= 0. */
function studentTail(df, t) {
  if (!(t < Infinity)) return t === Infinity ? 0 : NaN;
  const a = df / 2;
  const square = t * t;
  if (square === Infinity) return 0;
  // x^a (1 - x)^(1/2) / B(a, 1/2) with x = df / (df + t^2)
  const front =
    (Math.exp(-a * Math.log1p(square / df)) * Math.sqrt(square / (df + square)) * gammaRatio(a)) /
    Math.sqrt(Math.PI);
  const x = df / (df + square);
  const y = square / (df + square);
  if (square > 1) return front / betaFraction(a, 0.5, x, y) / 2;
  return (1 - front / betaFraction(0.5, a, y, x)) / 2;
}

/** The quantile of Student's t at 1 - tail, for tail < 1/2: Newton's method on the logarithms. */
function studentQuantile(df, tail) {
  let log = Math.log(-normalQuantile(tail));
  const constant = gammaRatio(df / 2) / Math.sqrt(Math.PI * df);
  for (let step = 0; step < 100; step++) {
    const t = Math.exp(log);
    const found = studentTail(df, t);
    const density = constant * Math.exp((-(df + 1) / 2) * Math.log1p((t * t) / df));
    const move = (Math.log(found / tail) * found) / (t * density);
    if (!(Math.abs(move) < Infinity)) break;
    log += move;
    if (Math.abs(move) < 1e-14 * Math.max(1, Math.abs(log))) break;
  }
  return Math.exp(log);
}

// -- sums of cells ---------------------------------------------------------------------------------

const ROUNDING_UNITS = 1e-12;

/** The sums of cells; the effective number of units is (sum of totals)^2 / (sum of squares). */
function cellSums(totals, squares = null) {
  let n = 0;
  for (const total of totals) n += total;
  let units = n;
  if (squares !== null) {
    let sum = 0;
    for (const square of squares) sum += square;
    units = sum > 0 ? (n * n) / sum : sum === sum ? 0 : NaN;
    if (Math.abs(units - 1) < ROUNDING_UNITS) units = 1; // a single unit is not more than one
  }
  return { totals, squares, n, units };
}

const isKnown = (sums) => sums.squares !== null && sums.units !== sums.units;
const isClustered = (sums) => sums.clustered === true;

/** The sums over some of the cells. */
function sumsWhere(sums, kept) {
  const totals = kept.map((j) => sums.totals[j]);
  if (sums.squares === null) return cellSums(Float64Array.from(totals));
  if (!isClustered(sums)) {
    return cellSums(Float64Array.from(totals), Float64Array.from(kept, (j) => sums.squares[j]));
  }
  const J = sums.totals.length;
  const squares = new Float64Array(kept.length ** 2);
  kept.forEach((j, r) => kept.forEach((k, c) => { squares[r * kept.length + c] = sums.squares[j * J + k]; }));
  return clusterSums(Float64Array.from(totals), squares);
}

/** The sums of cells of clusters, also of a single cell. */
function clusterSums(totals, squares) {
  return { ...cellSums(totals, squares), clustered: true };
}

/** x' S y for the second moments of cells. */
function product(sums, x, y) {
  const { totals, squares } = sums;
  const J = totals.length;
  let sum = 0;
  if (!isClustered(sums)) {
    const each = squares === null ? totals : squares;
    for (let j = 0; j < J; j++) sum += x[j] * each[j] * y[j];
    return sum;
  }
  for (let j = 0; j < J; j++) {
    let row = 0;
    for (let k = 0; k < J; k++) row += squares[j * J + k] * y[k];
    sum += x[j] * row;
  }
  return sum;
}

/** The mean of a score of the cells. */
function meanOf(values, sums) {
  let sum = 0;
  for (let j = 0; j < values.length; j++) sum += values[j] * sums.totals[j];
  return sum / sums.n;
}

/** The standard error of a mean, with the correction n / (n - 1) for the estimated mean. */
function standardError(values, sums, mean) {
  if (!(sums.units > 1)) return NaN;
  const deviation = Float64Array.from(values, (value) => value - mean);
  const square = Math.max(product(sums, deviation, deviation), 0);
  return Math.sqrt((square * sums.units) / (sums.units - 1)) / sums.n;
}

// -- the mean of a score whose range is known (wager.rewards._mean_interval) ------------------------

const UNOBSERVED = 1e-7; // rows in the unobserved cell at the end of the range
const STEADY_ROWS = 4; // rows of average weight that steady the mean squared weight of a small cell
const FIRST = -60; // log(s): all probability at the end of the range,
const LAST = 20; // and the sample's
const SCAN = 0.5; // steps of log(s) in which the statistic of clusters is looked at for falling again
const BEYOND = 14; // the scan begins so far below the logarithm of the unobserved share
const NEAR = 2; // half the width in log(s) of the first bracket around a guess
const STEPS = 80;
const CLOSE = 1e-12;

/**
 * The cells, and an unobserved one at x = 0, for distributions p_j proportional to n_j / (x_j + s).
 *
 * x are the scores in units of the range, from one of its ends.
 */
class Tilted {
  constructor(x, sums) {
    const { totals, squares, n } = sums;
    const J = x.length;
    this.x = x;
    this.sums = sums;
    let average = 1;
    if (squares !== null) average = (n * n) / sums.units / n;
    const whole = n + UNOBSERVED * average;
    this.share = new Float64Array(J + 1);
    for (let j = 0; j < J; j++) this.share[j] = totals[j] / whole;
    this.share[J] = (UNOBSERVED * average) / whole;
    this.mean = meanOf(x, sums);
    this.average = average;
    this.ratio = null;
    if (squares !== null && !isClustered(sums)) {
      this.ratio = new Float64Array(J + 1);
      for (let j = 0; j < J; j++) { // the few rows of a small cell say little about its weights
        this.ratio[j] = (squares[j] + STEADY_ROWS * average ** 2) / (totals[j] + STEADY_ROWS * average);
      }
      this.ratio[J] = average;
    }
    if (isClustered(sums)) this.prepareClusters();
  }

  /** The parts of (x - m)' S (x - m), around the observed mean, so that any m needs no sum. */
  prepareClusters() {
    const { x, sums, mean } = this;
    const ones = new Float64Array(x.length).fill(1);
    const off = Float64Array.from(x, (value) => value - mean);
    this.together = [product(sums, off, off), product(sums, off, ones), product(sums, ones, ones)];
    this.apart = [0, 0, sums.n];
    for (let j = 0; j < x.length; j++) {
      this.apart[0] += off[j] * off[j] * sums.totals[j];
      this.apart[1] += off[j] * sums.totals[j];
    }
  }

  /** The mean under the tilted distribution with parameter s, and the smaller statistic. */
  under(logS) {
    const { x, share, ratio } = this;
    const J = x.length;
    const s = Math.exp(logS);
    let total = 0;
    let mean = 0;
    for (let j = 0; j < J; j++) {
      const weight = share[j] / (x[j] + s);
      total += weight;
      mean += weight * x[j];
    }
    const last = share[J] / s;
    total += last;
    mean /= total;
    let observed = 0; // the variance under the distribution,
    let weighted = 0; // with the squared weights,
    let logs = share[J] * Math.log(s * total); // and -log of the likelihood
    for (let j = 0; j < J; j++) {
      const near = x[j] + s;
      const spread = (share[j] / (near * total)) * (x[j] - mean) ** 2;
      observed += spread;
      if (ratio !== null) weighted += spread * ratio[j];
      logs += share[j] * Math.log(near * total);
    }
    const beyond = (last / total) * mean * mean;
    const plain = observed + beyond;
    let variance = plain;
    if (ratio !== null) variance = weighted + beyond * ratio[J];
    else if (this.together !== undefined) {
      variance = observed * this.clusterEffect(mean) + beyond * this.average;
    }
    const { n } = this.sums;
    const score = (n * (this.mean - mean) ** 2) / variance;
    const likelihood = 2 * n * logs * (plain / variance);
    return { mean, statistic: fmin(score, likelihood) };
  }

  /** How much more the observed cells vary together than independent rows would. */
  clusterEffect(mean) {
    const { units } = this.sums;
    const shift = mean - this.mean;
    const square = ([a, b, c]) => a - 2 * shift * b + shift * shift * c;
    const apart = square(this.apart);
    if (!(apart > 0)) return this.average;
    return (square(this.together) / apart) * (units > 1 ? units / (units - 1) : Infinity);
  }

  /** The mean under the tilted distribution, and its derivative with respect to log(s). */
  meanAndSlope(logS) {
    const { x, share } = this;
    const J = x.length;
    const s = Math.exp(logS);
    const last = share[J] / s;
    let total = last;
    let mean = 0;
    for (let j = 0; j < J; j++) {
      const weight = share[j] / (x[j] + s);
      total += weight;
      mean += weight * x[j];
    }
    mean /= total;
    let slope = (last / total) * mean;
    for (let j = 0; j < J; j++) {
      const near = x[j] + s;
      slope -= ((share[j] / (near * total)) * (x[j] - mean) * s) / near;
    }
    return [Math.min(Math.max(mean, 1e-300), 1 - 1e-16), slope];
  }

  /** Roughly the log(s) of a mean at some distance from the observed one, or z standard errors. */
  near(distance, z = 2) {
    const { n } = this.sums;
    let variance = this.share[this.x.length] * this.mean ** 2;
    for (let j = 0; j < this.x.length; j++) variance += this.share[j] * (this.x[j] - this.mean) ** 2;
    variance = Math.max(variance, 1 / (n * n));
    const away = distance === null ? z * Math.sqrt(variance / n) : distance;
    return Math.min(Math.max(Math.log(variance / Math.max(away, 1e-30)), FIRST), LAST);
  }
}

/** The smaller of two numbers; 0/0 decides nothing. */
function fmin(a, b) {
  if (a !== a) return b;
  if (b !== b) return a;
  return Math.min(a, b);
}

/** The statistic beyond which a two-sided test of level alpha rejects. */
function criticalValue(sums, alpha) {
  if (sums.squares === null) return normalQuantile(1 - alpha / 2) ** 2;
  if (!(sums.units > 1)) return Infinity;
  return studentQuantile(sums.units - 1, 1 - (1 - alpha / 2)) ** 2;
}

/** Scores in units of the range, from one of its ends. */
function inUnits(values, of) {
  const x = new Float64Array(values.length);
  for (let j = 0; j < x.length; j++) x[j] = Math.min(Math.max(of(values[j]), 0), 1);
  return x;
}

/** The confidence interval of the mean of scores of cells, within their range. */
function meanInterval(values, sums, low, high, level) {
  if (isKnown(sums) || !(sums.n > 0)) return [NaN, NaN];
  const limit = criticalValue(sums, 1 - level);
  const span = high - low;
  const scale = span > 0 ? span : 1;
  const x = inUnits(values, (value) => (value - low) / scale);
  const lower = low + span * intervalEnd(new Tilted(x, sums), limit);
  const upper = high - span * intervalEnd(new Tilted(inUnits(x, (value) => 1 - value), sums), limit);
  const mean = meanOf(values, sums); // rounding must not put the mean outside its interval
  return [Math.min(lower, mean), Math.max(upper, mean)];
}

/** The smallest mean that is not rejected, in units of the range. */
function intervalEnd(tilted, limit) {
  if (tilted.mean <= 1e-12 || !(limit < Infinity)) return 0;
  const excess = (logS) => Math.log(Math.max(tilted.under(logS).statistic, 1e-300) / limit);
  let logS = decreasingRoot(excess, tilted.near(null, Math.sqrt(limit)));
  if (isClustered(tilted.sums)) logS = farther(tilted, excess, logS);
  return tilted.under(logS).mean;
}

/** The farthest mean that is not rejected: the statistic of clusters may fall again. */
function farther(tilted, excess, logS) {
  const first = scanned(tilted, logS).find((at) => excess(at) <= 0);
  if (first === undefined) return logS;
  let low = first - SCAN;
  let high = first;
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (excess(middle) > 0) low = middle;
    else high = middle;
  }
  return high;
}

/** Steps of log(s) from close to the end of the range up to `logS`. */
function scanned(tilted, logS) {
  const found = [];
  const start = Math.floor(Math.log(tilted.share[tilted.x.length])) - BEYOND;
  for (let at = Math.max(FIRST, start); at < logS; at += SCAN) found.push(at);
  return found;
}

/** The two-sided p-value of the hypothesis that the mean of scores of cells is `at`. */
function meanPValue(values, sums, low, high, at = 0) {
  if (!(sums.n > 0)) return NaN;
  const mean = meanOf(values, sums);
  const same = Math.abs(mean - at) <= 1e-9 * Math.max(Math.abs(low), Math.abs(high));
  if (same) return 1;
  if (isKnown(sums)) return 0;
  const below = mean >= at; // tilt towards the lower end to reach a smaller mean
  const scale = high > low ? high - low : 1;
  const x = inUnits(values, below ? (value) => (value - low) / scale : (value) => (high - value) / scale);
  const goal = (below ? at - low : high - at) / scale;
  if (!(goal > 0 && goal < 1)) return tailOf(Infinity, sums);
  const tilted = new Tilted(x, sums);
  const logS = tiltTo(tilted, goal);
  let { statistic } = tilted.under(logS);
  if (isClustered(sums)) { // a mean is inside the interval if a farther one is
    for (const at of scanned(tilted, logS)) statistic = fmin(statistic, tilted.under(at).statistic);
  }
  return tailOf(statistic, sums);
}

/** The two-sided p-value of a statistic. */
function tailOf(statistic, sums) {
  const root = Math.sqrt(Math.max(statistic, 0));
  if (sums.squares === null) return 2 * normalCdf(-root);
  return sums.units > 1 ? 2 * studentTail(sums.units - 1, root) : 1;
}

/** The log(s) at which the mean is `goal`, by Newton's method within a bracket. */
function tiltTo(tilted, goal) {
  const { x, share } = tilted;
  let low = FIRST;
  let high = LAST;
  const target = Math.log(goal) - Math.log1p(-goal);
  let logS = tilted.near(tilted.mean - goal);
  let needed = 1 / goal;
  for (let j = 0; j < x.length; j++) needed -= share[j] / x[j];
  if (needed > 0) { // a mean that the observed cells cannot have needs the unobserved one
    logS = Math.min(Math.max(Math.log(share[x.length]) - Math.log(needed), FIRST), LAST);
  }
  for (let step = 0; step < STEPS; step++) {
    const [mean, slope] = tilted.meanAndSlope(logS);
    const short = target - (Math.log(mean) - Math.log1p(-mean));
    if (Math.abs(short) < CLOSE) break;
    if (short > 0) low = logS;
    else high = logS;
    const next = logS + (short * mean * (1 - mean)) / slope;
    logS = next > low && next < high ? next : (low + high) / 2;
  }
  return logS;
}

/** Where a function of log(s) that decreases through 0 is 0: regula falsi in its Illinois form. */
function decreasingRoot(decreasing, guess) {
  let a = Math.max(guess - NEAR, FIRST);
  let b = Math.min(guess + NEAR, LAST);
  let atA = decreasing(a);
  let atB = decreasing(b);
  if (!(atA > 0 && atB <= 0)) {
    const [wasA, wasB] = [atA, atB];
    if (wasA <= 0) a = FIRST;
    if (wasB > 0) b = LAST;
    atA = decreasing(a);
    atB = decreasing(b);
  }
  let c = a;
  let side = 0;
  for (let step = 0; step < STEPS; step++) {
    c = (a * atB - b * atA) / (atB - atA);
    if (step % 4 === 3 || !(c > a && c < b)) c = (a + b) / 2;
    const value = decreasing(c);
    if (value > 0) {
      if (side === 1) atB /= 2;
      [a, atA, side] = [c, value, 1];
    } else {
      if (side === -1) atA /= 2;
      [b, atB, side] = [c, value, -1];
    }
    if (Math.abs(value) < CLOSE || b - a < CLOSE) break;
  }
  return c;
}

// -- estimates -------------------------------------------------------------------------------------

/** The mean score of cells with its interval; cells whose score is NaN are left out. */
function estimateMean(values, sums, low, high, level) {
  const undefinedCell = values.some((value) => value !== value);
  if (undefinedCell) {
    const kept = [];
    values.forEach((value, j) => { if (value === value) kept.push(j); });
    return estimateMean(Float64Array.from(kept, (j) => values[j]), sumsWhere(sums, kept), low, high, level);
  }
  if (!(sums.n > 0)) return { value: NaN, lower: NaN, upper: NaN, standardError: NaN, n: 0 };
  const value = meanOf(values, sums);
  const [lower, upper] = meanInterval(values, sums, low, high, level);
  return { value, lower, upper, standardError: standardError(values, sums, value), n: sums.units };
}

/** The difference of two means on different rows: Newcombe's hybrid score interval (MOVER). */
function differenceInterval(a, b) {
  const gap = a.value - b.value;
  const below = Math.hypot(a.value - a.lower, b.upper - b.value);
  const above = Math.hypot(a.upper - a.value, b.value - b.lower);
  return [gap - below, gap + above];
}

return {
  erfc, normalCdf, normalQuantile, studentTail, studentQuantile, betaFraction, gammaRatio,
  cellSums, clusterSums, sumsWhere, isKnown, isClustered, product, meanOf, standardError,
  meanInterval, meanPValue, estimateMean, differenceInterval, decreasingRoot,
};

})();
