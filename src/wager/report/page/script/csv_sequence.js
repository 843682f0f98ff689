// Two classifiers compared row by row: bounds and evidence that are valid after every row at once.
//
// Bets against a mean, as in wager.compare (Waudby-Smith & Ramdas, 2024): a bettor stakes a fraction of the
// capital on each row, and a mean at which the capital reaches 2 / alpha is refuted.  The interval is what is left.
wager.csvSequence = (() => {
  const { fixed, general } = wager.numbers;
  const FRACTIONS = Float64Array.from({ length: 24 }, (_, i) => 0.95 * 1.4 ** -i);
  const SHARES = FRACTIONS.map((f) => f ** 0.85);
  const LOG_CAPITALS = SHARES.map((share) => Math.log(share / SHARES.reduce((a, b) => a + b, 0)));
  const N_BETTORS = FRACTIONS.length;
  const LOW = -1, HIGH = 1; // the bounds of differences in utility
  const STEP = 0.01; // the part of the width by which an end must be able to move
  const PRECISION = 1e-4; // of an end, as a part of the width
  const POINTS = 400;
  const MOST_ROWS = 200000, MOST_VALUES = 400;
  const DIGITS = 5;

  // -- bets -------------------------------------------------------------------------------------

  /** What a row of each value multiplies the capital of each bettor by: logarithms. */
  function logFactors(values, mean, isUp) {
    const table = new Float64Array(values.length * N_BETTORS);
    values.forEach((value, v) => {
      const ratio = isUp ? (value - LOW) / (mean - LOW) : (HIGH - value) / (HIGH - mean);
      for (let f = 0; f < N_BETTORS; f++) {
        table[v * N_BETTORS + f] = Math.log(1 - FRACTIONS[f] + FRACTIONS[f] * ratio);
      }
    });
    return table;
  }

  /** The logarithm of what all bettors own together. */
  function totalCapital(capitals) {
    let most = -Infinity;
    for (let f = 0; f < N_BETTORS; f++) most = Math.max(most, capitals[f] + LOG_CAPITALS[f]);
    let sum = 0;
    for (let f = 0; f < N_BETTORS; f++) sum += Math.exp(capitals[f] + LOG_CAPITALS[f] - most);
    return most + Math.log(sum);
  }

  /** Bets on a mean above m (up) or below m, from the rows so far. */
  class Bettors {
    constructor(values, counts, mean, isUp) {
      this.table = logFactors(values, mean, isUp);
      this.capitals = new Float64Array(N_BETTORS);
      counts.forEach((count, v) => {
        if (count) for (let f = 0; f < N_BETTORS; f++) this.capitals[f] += count * this.table[v * N_BETTORS + f];
      });
    }

    add(v) {
      const at = v * N_BETTORS;
      for (let f = 0; f < N_BETTORS; f++) this.capitals[f] += this.table[at + f];
    }

    get total() {
      return totalCapital(this.capitals);
    }
  }

  /** The last mean, going up from `from` (or down), at which the capital reaches the goal. */
  function refutedUntil(values, counts, goal, from, precision, isUp) {
    const excess = (mean) => new Bettors(values, counts, mean, isUp).total - goal;
    if (excess(from) <= 0) return from;
    let sum = 0, n = 0;
    values.forEach((value, v) => {
      sum += value * counts[v];
      n += counts[v];
    });
    const root = brent(excess, from, sum / n, precision);
    return isUp ? Math.max(root - precision, from) : Math.min(root + precision, from);
  }

  /** A root between two places, by Brent's method in the form of SciPy's brentq. */
  function brent(f, from, to, xtol) {
    let xPre = from, xCur = to, fPre = f(xPre), fCur = f(xCur);
    let xBlk = 0, fBlk = 0, sPre = 0, sCur = 0;
    if (fPre === 0) return xPre;
    if (fCur === 0) return xCur;
    for (let step = 0; step < 100; step++) {
      if (fPre !== 0 && fCur !== 0 && fPre < 0 !== fCur < 0) {
        [xBlk, fBlk] = [xPre, fPre];
        sPre = sCur = xCur - xPre;
      }
      if (Math.abs(fBlk) < Math.abs(fCur)) {
        [xPre, xCur, xBlk] = [xCur, xBlk, xCur];
        [fPre, fCur, fBlk] = [fCur, fBlk, fCur];
      }
      const delta = (xtol + 4 * Number.EPSILON * Math.abs(xCur)) / 2, half = (xBlk - xCur) / 2;
      if (fCur === 0 || Math.abs(half) < delta) return xCur;
      let attempt = null;
      if (Math.abs(sPre) > delta && Math.abs(fCur) < Math.abs(fPre)) {
        attempt = xPre === xBlk ? secant(xPre, xCur, fPre, fCur) : quadratic([xPre, xCur, xBlk], [fPre, fCur, fBlk]);
      }
      const isShort = attempt !== null && 2 * Math.abs(attempt) < Math.min(Math.abs(sPre), 3 * Math.abs(half) - delta);
      [sPre, sCur] = isShort ? [sCur, attempt] : [half, half];
      [xPre, fPre] = [xCur, fCur];
      xCur += Math.abs(sCur) > delta ? sCur : half > 0 ? delta : -delta;
      fCur = f(xCur);
    }
    return xCur;
  }

  function secant(xPre, xCur, fPre, fCur) {
    return (-fCur * (xCur - xPre)) / (fCur - fPre);
  }

  function quadratic([xPre, xCur, xBlk], [fPre, fCur, fBlk]) {
    const dPre = (fPre - fCur) / (xPre - xCur), dBlk = (fBlk - fCur) / (xBlk - xCur);
    return (-fCur * (fBlk * dBlk - fPre * dPre)) / (dBlk * dPre * (fBlk - fPre));
  }

  // -- the course -------------------------------------------------------------------------------

  /** The rows after which the course is given: evenly spaced on a logarithmic scale. */
  function shownRows(n) {
    if (n <= POINTS) return Array.from({ length: n }, (_, i) => i + 1);
    const top = Math.log10(n);
    const all = Array.from({ length: POINTS }, (_, i) => Math.round(i === POINTS - 1 ? n : 10 ** ((i * top) / (POINTS - 1))));
    return [...new Set(all)];
  }

  /** The mean a little inside an end, or 0 if that is nearer. */
  function watched(low, high, isUp) {
    const step = STEP * (high - low);
    if (isUp) return low < 0 ? Math.min(low + step, 0) : low + step;
    return high > 0 ? Math.max(high - step, 0) : high - step;
  }

  /** Bounds after each of the shown rows, and where 0 was refuted. */
  function boundsOf(values, place, shown, alpha) {
    const counts = new Float64Array(values.length), goal = Math.log(2 / alpha);
    const state = { low: LOW, high: HIGH, decidedAt: null, contradictedAt: null };
    const watch = () => [true, false].map((isUp) => new Bettors(values, counts, watched(state.low, state.high, isUp), isUp));
    let bettors = watch(), next = 0;
    const lower = [], upper = [];
    for (let i = 0; i < place.length; i++) {
      counts[place[i]] += 1;
      if (state.contradictedAt === null) {
        for (const side of bettors) side.add(place[i]);
        const reached = bettors.map((side) => side.total >= goal);
        if (reached.some(Boolean)) {
          moveEnds(state, reached, values, counts, goal, i + 1);
          bettors = watch();
        }
      }
      if (shown[next] === i + 1) {
        lower.push(state.low);
        upper.push(state.high);
        next += 1;
      }
    }
    return { ...state, lower, upper };
  }

  /** Leave out the means that are refuted on the sides where bettors have reached the goal. */
  function moveEnds(state, reached, values, counts, goal, n) {
    const precision = PRECISION * (state.high - state.low);
    const [low, high] = [true, false].map((isUp, side) => {
      if (!reached[side]) return isUp ? state.low : state.high;
      return refutedUntil(values, counts, goal, watched(state.low, state.high, isUp), precision, isUp);
    });
    if (low >= high) {
      state.contradictedAt = n;
      return;
    }
    if (state.decidedAt === null && (low >= 0 || high <= 0)) state.decidedAt = n;
    [state.low, state.high] = [low, high];
  }

  /** The logarithms of the evidence for a mean above 0 (or below) after each of the shown rows. */
  function evidenceOf(values, place, shown, isUp) {
    const side = new Bettors(values, new Float64Array(values.length), 0, isUp), found = [];
    let next = 0;
    for (let i = 0; i < place.length; i++) {
      side.add(place[i]);
      if (shown[next] === i + 1) {
        found.push(side.total);
        next += 1;
      }
    }
    return found;
  }

  function verdictOf(state, n, names, score, alpha) {
    if (state.contradictedAt !== null) {
      return `no verdict after ${n} rows: no constant mean difference fits all of them; if it changes over time, ` +
        'use method="mixture"';
    }
    const isSeen = state.low <= 0 && state.high >= 0 && [state.low, state.high].some((x) => Number(fixed(x, 4)) !== 0);
    const shown = (x) => (x && Number(fixed(x, 4)) === 0 && !isSeen ? general(x, 2) : fixed(x, 4)); // not as 0
    const signed = (x) => (x < 0 || Object.is(x, -0) ? shown(x) : `+${shown(x)}`);
    const level = `the ${general(100 * (1 - alpha))}% confidence sequence`;
    const course = `${signed(state.low)} to ${signed(state.high)}`;
    const winner = state.low >= 0 ? 0 : state.high <= 0 ? 1 : null;
    if (winner === null) return `no difference established after ${n} rows: ${level} is ${course}`;
    const when = state.decidedAt || n;
    const now = when < n ? `; after ${n} rows it is ${course}` : `: ${course}`;
    return `${names[winner]} scores higher than ${names[1 - winner]} under ${score}: after ${when} rows ${level} excludes 0${now}`;
  }

  /** A number with five digits; ties go to the even one, as in NumPy. */
  function roundedNumber(x) {
    const scaled = x * 10 ** DIGITS, below = Math.floor(scaled);
    const isTie = scaled - below === 0.5;
    return (isTie ? below + Math.abs(below % 2) : Math.round(scaled)) / 10 ** DIGITS + 0;
  }

  /** The section `sequences` of two files of plain rows, under u65; empty for others. */
  function sectionOf(names, outcomes, utility, level) {
    const n = outcomes[0].length, alpha = 1 - level;
    if (names.length !== 2 || n < 2 || n > MOST_ROWS) return [];
    const worth = (outcome) => (outcome % 2 ? utility.worth[outcome >> 1] : 0);
    const differences = Float64Array.from(outcomes[0], (one, i) => worth(one) - worth(outcomes[1][i]));
    const values = [...new Set(differences)].sort((a, b) => a - b);
    if (values.length > MOST_VALUES) return [];
    const places = new Map(values.map((value, v) => [value, v]));
    const place = Int32Array.from(differences, (value) => places.get(value)), shown = shownRows(n);
    const state = boundsOf(values, place, shown, alpha);
    const rounded = (numbers) => numbers.map(roundedNumber);
    return [{
      a: 0, b: 1, score: utility.name, unit: null, n: shown,
      mean: rounded(meansOf(differences, shown)),
      lower: rounded(state.lower),
      upper: rounded(state.upper),
      log_evidence_a: rounded(evidenceOf(values, place, shown, true)),
      log_evidence_b: rounded(evidenceOf(values, place, shown, false)),
      verdict: verdictOf(state, n, names, utility.name, alpha),
    }];
  }

  function meansOf(differences, shown) {
    const found = [];
    let sum = 0, next = 0;
    differences.forEach((value, i) => {
      sum += value;
      if (shown[next] === i + 1) {
        found.push(sum / (i + 1));
        next += 1;
      }
    });
    return found;
  }

  return { sectionOf };
})();
