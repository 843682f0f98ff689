// Reported probabilities: rewards of each row added up, and the bins of the reliability curve.
//
// The formulas are those of `wager.rewards`: means with Student's interval, extended for skewed
// rewards by Hall's and for rewards of a known range by rows that the sample happens to lack.
wager.csvProbabilities = (() => {
  const N_BINS = 15;
  const LOG2 = Math.LN2;
  const EDGES = Array.from({ length: N_BINS + 1 }, (_, i) => (i === N_BINS ? 1 : i * (1 / N_BINS)));
  const ROUNDING = 1e-14; // a spread this small, relative to the squares, is a rounding error
  const NO_SKEWNESS = 1e-9;

  // -- rewards ----------------------------------------------------------------------------------

  /** The rewards, with what they can be at least and at most under a uniform prior. */
  function rewardsFor(K) {
    const prior = 1 / K, against = Math.log1p(-prior);
    const bound = -(Math.log(prior) + (K - 1) * against) / K;
    return [
      { name: "information_reward", low: -Infinity, high: bound / LOG2,
        of: (r) => (bound + (r.logTrue + r.logOthers) / K) / LOG2 },
      { name: "information_reward_2002", low: -Infinity, high: 1,
        of: (r) => 1 - (r.logTrue / Math.log(prior) + r.logOthers / against) / K },
      { name: "kononenko_bratko", low: against / LOG2, high: -Math.log(prior) / LOG2,
        of: (r) => (r.trueP >= prior ? r.logTrue - Math.log(prior) : against - Math.log(1 - r.trueP)) / LOG2 },
      { name: "good_reward", low: -Infinity, high: 1,
        of: (r) => 1 + Math.log(r.isRight ? r.largest : 1 - r.largest) / LOG2 },
      { name: "log_loss", isLoss: true, low: -Infinity, high: 0, of: (r) => r.logTrue },
      { name: "brier", isLoss: true, low: -2, high: 0, of: (r) => 2 * r.trueP - r.squares - 1 },
      { name: "accuracy", low: 0, high: 1, isProportion: true, of: (r) => (r.isRight ? 1 : 0) },
    ];
  }

  /** The sums of one reward: over rows, or over clusters once all rows are known. */
  class RewardSums {
    constructor() {
      this.infinite = 0;
      this.weight = 0;
      this.first = 0;
      this.moments = new Float64Array(7); // W^2, WX, X^2, W^3, W^2 X, W X^2, X^3 over units
      this.byCluster = null;
    }

    add(value, weight, count, cluster) {
      if (weight === 0 || count === 0) return;
      if (!Number.isFinite(value)) {
        this.infinite += count;
        return;
      }
      const total = weight * count;
      this.weight += total;
      this.first += total * value;
      if (cluster >= 0) this.addToCluster(total, value, cluster);
      else this.addMoments(weight, weight * value, count);
    }

    addToCluster(total, value, cluster) {
      this.byCluster = this.byCluster || [];
      const known = this.byCluster[cluster] || (this.byCluster[cluster] = [0, 0]);
      known[0] += total;
      known[1] += total * value;
    }

    addMoments(w, x, times) {
      const m = this.moments;
      m[0] += times * w * w;
      m[1] += times * w * x;
      m[2] += times * x * x;
      m[3] += times * w * w * w;
      m[4] += times * w * w * x;
      m[5] += times * w * x * x;
      m[6] += times * x * x * x;
    }

    /** Mean, standard error, effective number of units and skewness. */
    estimate(nRows) {
      let units = nRows;
      if (this.byCluster !== null) {
        units = 0;
        this.moments.fill(0);
        for (const totals of this.byCluster) {
          if (totals === undefined) continue;
          if (totals[0] > 0) units += 1;
          this.addMoments(totals[0], totals[1], 1);
        }
      }
      const m = this.moments, mean = this.first / this.weight;
      let spread = m[2] - 2 * mean * m[1] + mean * mean * m[0];
      if (!(spread > ROUNDING * m[2])) spread = 0;
      const third = m[6] - mean * (3 * m[5] - mean * (3 * m[4] - mean * m[3]));
      const isInfinite = this.infinite > 0;
      const error = isInfinite || units < 2 ? NaN : Math.sqrt((spread * units) / (units - 1)) / this.weight;
      const skewness = spread > 0 ? third / spread ** 1.5 : 0;
      return {
        value: isInfinite ? -Infinity : mean, error, n: this.weight > 0 ? (this.weight * this.weight) / m[0] : 0,
        skewness: Number.isFinite(skewness) ? skewness : 0,
      };
    }
  }

  // -- intervals of means -----------------------------------------------------------------------

  /** The interval of a mean; see `MeanEstimate` in Python. */
  function interval(e, level) {
    if (e.isClustered && Number.isFinite(e.value) && Number.isNaN(e.error)) {
      return Number.isFinite(e.low) && Number.isFinite(e.high) ? [e.low, e.high] : [NaN, NaN];
    }
    if (e.isProportion && Number.isFinite(e.value) && e.n > 0) return wilson(e, level);
    const isKnown = Number.isFinite(e.low) && Number.isFinite(e.high);
    if (!(Number.isFinite(e.value) && e.n > 1 && (e.error > 0 || isKnown))) return [NaN, NaN];
    const critical = wager.statistics.studentQuantile(e.n - 1, (1 - level) / 2);
    return [endOf(e, e.low, -critical) + 0, endOf(e, e.high, critical) + 0];
  }

  function endOf(e, bound, critical) {
    if (!Number.isFinite(critical)) return bound;
    const farther = critical > 0 ? Math.max : Math.min;
    let end = farther(e.value + critical * e.error, e.value - e.error * hallInverse(e.skewness, -critical));
    const deviation = deviationFrom(e, bound);
    if (deviation < Math.abs(critical)) {
      const share = -Math.expm1((deviation ** 2 - critical ** 2) / (2 * e.n));
      const shifted = e.value + Math.sign(critical) * deviation * e.error;
      end = farther(end, shifted + share * (bound - shifted));
    }
    return Math.min(Math.max(end, Math.min(e.low, e.value)), Math.max(e.high, e.value));
  }

  function deviationFrom(e, bound) {
    const reach = Math.abs(bound - e.value), inside = reach ** 2 - 4 * e.n * e.error ** 2;
    if (!Number.isFinite(reach) || inside <= 0) return Infinity;
    return (2 * e.n * e.error) / (reach + Math.sqrt(inside));
  }

  function hallInverse(a, x) {
    return Math.abs(a) < NO_SKEWNESS ? x : (3 / a) * (Math.cbrt(1 + a * (x - a / 6)) - 1);
  }

  function wilson(e, level) {
    const p = e.value, tail = (1 - level) / 2;
    let n = e.n, critical = -wager.statistics.normalQuantile(tail);
    if (e.error > 0 && p > 0 && p < 1) {
      const rows = (p * (1 - p)) / e.error ** 2 + 1;
      if (Math.abs(rows - n) > 1e-6 * n) {
        critical = wager.statistics.studentQuantile(n - 1, tail);
        n = rows;
      }
    }
    if (!Number.isFinite(critical)) return [0, 1];
    const square = critical * critical, centre = p + square / (2 * n);
    const reach = critical * Math.sqrt(Math.max(p * (1 - p), 0) / n + square / (4 * n * n));
    const low = p > 0 ? (centre - reach) / (1 + square / n) : 0;
    const high = p < 1 ? (centre + reach) / (1 + square / n) : 1;
    return [Math.max(low, 0), Math.min(high, 1)];
  }

  // -- bins -------------------------------------------------------------------------------------

  /** The bin of a probability; a bin is closed on the right, and the first one has 0 as well. */
  function binOf(p) {
    let place = Math.max(0, Math.ceil(p * N_BINS) - 1);
    while (place > 0 && !(EDGES[place] < p)) place -= 1;
    while (place < N_BINS - 1 && EDGES[place + 1] < p) place += 1;
    return place;
  }

  /** Sums over the bins of one kind of event. */
  class Bins {
    constructor() {
      this.weight = new Float64Array(N_BINS);
      this.rows = new Float64Array(N_BINS);
      this.p = new Float64Array(N_BINS);
      this.event = new Float64Array(N_BINS);
      this.weight2 = new Float64Array(N_BINS);
      this.gap2 = new Float64Array(N_BINS);
      this.clusters = null; // by cluster: totals of p - event and of weight in each bin
    }

    add(p, isEvent, weight, count, cluster) {
      const bin = binOf(p), total = weight * count, gap = p - (isEvent ? 1 : 0);
      this.rows[bin] += weight > 0 ? count : 0;
      this.weight[bin] += total;
      this.p[bin] += total * p;
      if (isEvent) this.event[bin] += total;
      this.weight2[bin] += total * weight;
      this.gap2[bin] += total * weight * gap * gap;
      if (cluster >= 0) {
        this.clusters = this.clusters || [];
        const known = this.clusters[cluster] || (this.clusters[cluster] = new Float64Array(2 * N_BINS));
        known[bin] += total * gap;
        known[N_BINS + bin] += total;
      }
    }
  }

  // -- the tally --------------------------------------------------------------------------------

  /** All sums of a file of probabilities over K classes. */
  class Tally {
    constructor(K) {
      this.K = K;
      this.rewards = rewardsFor(K);
      this.sums = this.rewards.map(() => new RewardSums());
      this.top = new Bins();
      this.byClass = Array.from({ length: K }, () => new Bins());
      this.nRows = 0;
    }

    /** Take account of the probabilities p[start], ..., p[start + K - 1] of a row. */
    add(p, start, truth, named, weight, count, cluster) {
      const { K } = this;
      let others = 1, squares = 0;
      for (let k = 0; k < K; k++) {
        const value = p[start + k];
        squares += value * value;
        if (k !== truth) others *= 1 - value;
        this.byClass[k].add(value, k === truth, weight, count, cluster);
      }
      const trueP = p[start + truth], largest = p[start + named], isRight = named === truth;
      this.top.add(largest, isRight, weight, count, cluster);
      const row = { trueP, largest, isRight, squares, logTrue: Math.log(trueP), logOthers: Math.log(others) };
      this.rewards.forEach((reward, i) => this.sums[i].add(reward.of(row), weight, count, cluster));
      if (weight > 0) this.nRows += count;
    }

    /** The mean of each reward with its uncertainty; of the loss, if the reward is one. */
    estimates(level) {
      const isClustered = this.sums.some((sums) => sums.byCluster !== null);
      return this.rewards.map((reward, i) => {
        const found = this.sums[i].estimate(this.nRows);
        const signed = reward.isLoss
          ? { ...found, value: -found.value, skewness: -found.skewness, low: -reward.high, high: -reward.low }
          : { ...found, low: reward.low, high: reward.high };
        const e = { ...signed, isProportion: Boolean(reward.isProportion), isClustered };
        const [lower, upper] = interval(e, level);
        return { name: reward.name, value: e.value, standard_error: e.error, lower, upper };
      });
    }
  }

  return { Bins, EDGES, N_BINS, Tally, binOf, interval };
})();
