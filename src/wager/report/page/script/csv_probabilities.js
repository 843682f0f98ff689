// Reported probabilities: rewards of each row added up, and the bins of the reliability curve.
//
// The formulas are those of `wager.rewards`: means with Student's interval, extended for skewed
// rewards by Hall's and for rewards of a known range by rows that the sample happens to lack.
wager.csvProbabilities = (() => {
  const N_BINS = 15;
  const LOG2 = Math.LN2;
  const EDGES = Float64Array.from({ length: N_BINS + 1 }, (_, i) => (i === N_BINS ? 1 : i * (1 / N_BINS)));
  const ROUNDING = 1e-14; // a spread this small, relative to the squares, is a rounding error
  const NO_SKEWNESS = 1e-9;

  // -- rewards ----------------------------------------------------------------------------------

  /** The rewards in the order in which `Tally` computes them, and their range. */
  function rewardsFor(K) {
    const prior = 1 / K, against = Math.log1p(-prior);
    const bound = -(Math.log(prior) + (K - 1) * against) / K;
    return [
      { name: "information_reward", low: -Infinity, high: bound / LOG2 },
      { name: "information_reward_2002", low: -Infinity, high: 1 },
      { name: "kononenko_bratko", low: against / LOG2, high: -Math.log(prior) / LOG2 },
      { name: "good_reward", low: -Infinity, high: 1 },
      { name: "accuracy", low: 0, high: 1, isProportion: true },
      { name: "log_loss", isLoss: true, low: -Infinity, high: 0 },
      { name: "brier", isLoss: true, low: -2, high: 0 },
    ];
  }

  /** The rewards of a row under a uniform prior; losses are negative. */
  function rewardsOf(values, K, row) {
    const { trueP, largest, isRight, squares, logTrue, logOthers } = row;
    const prior = 1 / K, logPrior = Math.log(prior), against = Math.log1p(-prior);
    const bound = -(logPrior + (K - 1) * against) / K;
    values[0] = (bound + (logTrue + logOthers) / K) / LOG2;
    values[1] = 1 - (logTrue / logPrior + logOthers / against) / K;
    values[2] = (trueP >= prior ? logTrue - logPrior : against - Math.log(1 - trueP)) / LOG2;
    values[3] = 1 + Math.log(isRight ? largest : 1 - largest) / LOG2;
    values[4] = isRight ? 1 : 0;
    values[5] = logTrue;
    values[6] = 2 * trueP - squares - 1;
  }

  const N_SUMS = 9; // w, wx; and over units W^2, WX, X^2, W^3, W^2 X, W X^2, X^3

  function addMoments(sums, at, w, x, times) {
    sums[at] += times * w * w;
    sums[at + 1] += times * w * x;
    sums[at + 2] += times * x * x;
    sums[at + 3] += times * w * w * w;
    sums[at + 4] += times * w * w * x;
    sums[at + 5] += times * w * x * x;
    sums[at + 6] += times * x * x * x;
  }

  /** The sums of all rewards: over rows, and the totals of clusters if rows have them. */
  class RewardSums {
    constructor(nRewards) {
      this.nRewards = nRewards;
      this.sums = new Float64Array(N_SUMS * nRewards);
      this.infinite = new Float64Array(nRewards);
      this.byCluster = [];
    }

    add(values, weight, count, cluster) {
      const total = weight * count;
      if (total === 0) return;
      const { sums } = this;
      for (let i = 0; i < this.nRewards; i++) {
        const value = values[i];
        if (!Number.isFinite(value)) {
          this.infinite[i] += count;
          continue;
        }
        sums[N_SUMS * i] += total;
        sums[N_SUMS * i + 1] += total * value;
        if (cluster < 0) addMoments(sums, N_SUMS * i + 2, weight, weight * value, count);
        else this.addToCluster(i, total, value, cluster);
      }
    }

    addToCluster(i, total, value, cluster) {
      const known = this.byCluster[cluster] || (this.byCluster[cluster] = new Float64Array(2 * this.nRewards));
      known[2 * i] += total;
      known[2 * i + 1] += total * value;
    }

    get isClustered() {
      return this.byCluster.length > 0;
    }

    /** Mean, standard error, effective number of units and skewness of a reward. */
    estimate(i, nRows) {
      const [weight, first] = this.sums.subarray(N_SUMS * i, N_SUMS * i + 2);
      let units = nRows, m = this.sums.subarray(N_SUMS * i + 2, N_SUMS * (i + 1));
      if (this.isClustered) [units, m] = this.momentsOfClusters(i);
      const mean = first / weight;
      let spread = m[2] - 2 * mean * m[1] + mean * mean * m[0];
      if (!(spread > ROUNDING * m[2])) spread = 0;
      const third = m[6] - mean * (3 * m[5] - mean * (3 * m[4] - mean * m[3]));
      const isInfinite = this.infinite[i] > 0;
      const error = isInfinite || units < 2 ? NaN : Math.sqrt((spread * units) / (units - 1)) / weight;
      const skewness = spread > 0 ? third / spread ** 1.5 : 0;
      return {
        value: isInfinite ? -Infinity : mean, error, n: weight > 0 ? (weight * weight) / m[0] : 0,
        skewness: Number.isFinite(skewness) ? skewness : 0,
      };
    }

    momentsOfClusters(i) {
      const moments = new Float64Array(7);
      let units = 0;
      for (const totals of this.byCluster) {
        if (totals === undefined) continue;
        if (totals[2 * i] > 0) units += 1;
        addMoments(moments, 0, totals[2 * i], totals[2 * i + 1], 1);
      }
      return [units, moments];
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
    let place = Math.max(0, Math.ceil(p * N_BINS) - 1) | 0;
    if (place > 0 && !(EDGES[place] < p)) place -= 1;
    else if (place < N_BINS - 1 && EDGES[place + 1] < p) place += 1;
    return place;
  }

  // The sums of a bin: weight, p, p^2, event, p event; with squared weights 1 and (p - event)^2.
  const WEIGHT = 0, P = 1, P2 = 2, EVENT = 3, P_EVENT = 4, WEIGHT2 = 5, GAP2 = 6, PER_BIN = 7;

  /** Sums over the bins of several kinds of events: each class, and the most probable class last. */
  class Bins {
    constructor(nEvents) {
      this.sums = new Float64Array(nEvents * N_BINS * PER_BIN);
      this.byCluster = new Map(); // totals of p - event, and of weight, by cluster and bin
    }

    add(event, p, happens, weight, count, cluster) {
      const bin = event * N_BINS + binOf(p), at = bin * PER_BIN, total = weight * count;
      const gap = p - happens, { sums } = this;
      sums[at + WEIGHT] += total;
      sums[at + P] += total * p;
      sums[at + P2] += total * p * p;
      sums[at + EVENT] += total * happens;
      sums[at + P_EVENT] += total * p * happens;
      sums[at + WEIGHT2] += total * weight;
      sums[at + GAP2] += total * weight * gap * gap;
      if (cluster >= 0) this.addToCluster(cluster, bin, total, gap);
    }

    addToCluster(cluster, bin, total, gap) {
      let known = this.byCluster.get(cluster);
      if (known === undefined) this.byCluster.set(cluster, (known = new Map()));
      const totals = known.get(bin) || [0, 0];
      totals[0] += total * gap;
      totals[1] += total;
      known.set(bin, totals);
    }

    /** The bins of an event that have rows, with the moments of clusters if rows have them. */
    of(event) {
      const s = this.sums, found = [];
      for (let bin = 0; bin < N_BINS; bin++) {
        const at = (event * N_BINS + bin) * PER_BIN;
        if (!(s[at] > 0)) continue;
        const weight = s[at + WEIGHT];
        found.push({
          bin, weight, p: s[at + P], p2: s[at + P2], event: s[at + EVENT], pEvent: s[at + P_EVENT],
          weight2: s[at + WEIGHT2], gap2: s[at + GAP2], gap: s[at + P] - s[at + EVENT],
          reported: s[at + P] / weight, observed: s[at + EVENT] / weight,
          own: s[at + GAP2], units2: s[at + WEIGHT2], // second moments of units
        });
      }
      if (this.byCluster.size) this.addMomentsOfClusters(event, found);
      return withEffectiveRows(found, this.byCluster.size > 0);
    }

    addMomentsOfClusters(event, bins) {
      for (const one of bins) {
        one.own = 0;
        one.units2 = 0;
        for (const totals of this.byCluster.values()) {
          const known = totals.get(event * N_BINS + one.bin);
          if (known === undefined) continue;
          one.own += known[0] * known[0];
          one.units2 += known[1] * known[1];
        }
      }
    }
  }

  /** The equivalent number of independent rows of equal weight in each bin. */
  function withEffectiveRows(bins, isClustered) {
    let ratio = 1;
    if (isClustered) {
      const together = bins.reduce((sum, one) => sum + one.own / one.weight, 0);
      const apart = bins.reduce((sum, one) => sum + one.gap2 / one.weight, 0);
      ratio = Math.max(apart > 0 ? together / apart : 0, 1);
    }
    for (const one of bins) {
      const rows = (one.weight * one.weight) / one.weight2;
      one.effective = isClustered ? Math.max(rows / ratio, 1) : rows;
    }
    return bins;
  }

  // -- calibration ------------------------------------------------------------------------------

  const total = (bins, of) => bins.reduce((sum, one) => sum + of(one), 0);
  const mean = (numbers) => numbers.reduce((a, b) => a + b, 0) / numbers.length;
  const signedRoot = (square) => Math.sign(square) * Math.sqrt(Math.abs(square));

  function calibrationError(bins) {
    return total(bins, (one) => Math.abs(one.gap)) / total(bins, (one) => one.weight);
  }

  /** The calibration error to expect of calibrated probabilities in so many rows. */
  function errorIfCalibrated(bins) {
    const gaps = total(bins, (one) => {
      const p = Math.min(Math.max(one.reported, 0), 1);
      return (one.weight * binomialDeviation(one.effective, p)) / one.effective;
    });
    return gaps / total(bins, (one) => one.weight);
  }

  /** The mean squared gap, from pairs of independent rows only. */
  function squaredErrorDebiased(bins) {
    let gaps = 0, weights = 0;
    for (const one of bins) {
      const pairs = one.weight ** 2 - one.units2;
      if (pairs <= 1e-12 * one.weight ** 2) continue;
      gaps += (one.weight * (one.gap ** 2 - one.own)) / pairs;
      weights += one.weight;
    }
    return gaps / weights;
  }

  /** The mean absolute deviation of a binomial variable (De Moivre), also for fractional n. */
  function binomialDeviation(n, p) {
    if (!(p > 0 && p < 1)) return 0;
    const k = Math.floor(n * p) + 1;
    if (n - k + 1 <= 0) return 0; // 1 / gamma of a number that is not positive
    const logarithm = logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1) +
      k * Math.log(p) + (n - k + 1) * Math.log1p(-p);
    return 2 * k * Math.exp(logarithm);
  }

  /** The logarithm of the gamma function of a positive number: Stirling's series. */
  function logGamma(x) {
    let shift = 0, y = x;
    for (; y < 16; y += 1) shift += Math.log(y);
    const z = 1 / (y * y);
    const series = (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z * (1 / 1188 - (z * 691) / 360360))))) / y;
    return (y - 0.5) * Math.log(y) - y + 0.5 * Math.log(2 * Math.PI) + series - shift;
  }

  /** The parts of the Brier score over bins (Murphy, 1973), summed over classes. */
  function brierSplit(byClass) {
    const parts = { reliability: 0, resolution: 0, uncertainty: 0, within: 0 };
    for (const bins of byClass) {
      const all = total(bins, (one) => one.weight), rate = total(bins, (one) => one.event) / all;
      const brier = total(bins, (one) => one.p2 - 2 * one.pEvent + one.event) / all;
      const reliability = total(bins, (one) => one.weight * (one.reported - one.observed) ** 2) / all;
      const resolution = total(bins, (one) => one.weight * (one.observed - rate) ** 2) / all;
      const uncertainty = rate * (1 - rate);
      parts.reliability += reliability;
      parts.resolution += resolution;
      parts.uncertainty += uncertainty;
      parts.within += brier - (reliability - resolution + uncertainty);
    }
    return parts;
  }

  // -- the tally --------------------------------------------------------------------------------

  /** All sums of a file of probabilities over K classes. */
  class Tally {
    constructor(K) {
      this.K = K;
      this.rewards = rewardsFor(K);
      this.sums = new RewardSums(this.rewards.length);
      this.bins = new Bins(K + 1);
      this.nRows = 0;
      this.values = new Float64Array(this.rewards.length);
      this.row = { trueP: 0, largest: 0, isRight: false, squares: 0, logTrue: 0, logOthers: 0 };
    }

    /** Take account of the probabilities p[start], ..., p[start + K - 1] of a row. */
    add(p, start, truth, named, weight, count, cluster) {
      const { K, row, bins } = this;
      let others = 1, squares = 0;
      for (let k = 0; k < K; k++) {
        const value = p[start + k];
        squares += value * value;
        if (k !== truth) others *= 1 - value;
        bins.add(k, value, k === truth ? 1 : 0, weight, count, cluster);
      }
      row.trueP = p[start + truth];
      row.largest = p[start + named];
      row.isRight = named === truth;
      row.squares = squares;
      row.logTrue = Math.log(row.trueP);
      row.logOthers = Math.log(others);
      bins.add(K, row.largest, row.isRight ? 1 : 0, weight, count, cluster);
      rewardsOf(this.values, K, row);
      this.sums.add(this.values, weight, count, cluster);
      if (weight > 0) this.nRows += count;
    }

    /** Every measure, with its interval if it is a mean over rows. */
    measures(level) {
      const byClass = Array.from({ length: this.K }, (_, code) => this.bins.of(code));
      const top = this.bins.of(this.K), split = brierSplit(byClass);
      const values = {
        brier_reliability: split.reliability,
        brier_resolution: split.resolution,
        brier_uncertainty: split.uncertainty,
        brier_within_bins: split.within,
        top_label_calibration_error: calibrationError(top),
        classwise_calibration_error: mean(byClass.map(calibrationError)),
        top_label_calibration_error_debiased: signedRoot(squaredErrorDebiased(top)),
        classwise_calibration_error_debiased: signedRoot(mean(byClass.map(squaredErrorDebiased))),
        top_label_calibration_error_if_calibrated: errorIfCalibrated(top),
        classwise_calibration_error_if_calibrated: mean(byClass.map(errorIfCalibrated)),
      };
      const without = { standard_error: null, lower: null, upper: null };
      return [...this.estimates(level), ...Object.entries(values).map(([name, value]) => ({ name, value, ...without }))];
    }

    /** The reliability curve of a class, or of the most probable class (K), bin by bin. */
    curve(event, level) {
      return this.bins.of(event).map((one) => {
        const e = { value: one.observed, error: 0, n: one.effective };
        return [one.bin / N_BINS, (one.bin + 1) / N_BINS, one.weight, one.reported, one.observed, ...wilson(e, level)];
      });
    }

    /** The mean of each reward with its uncertainty; of the loss, if the reward is one. */
    estimates(level) {
      return this.rewards.map((reward, i) => {
        const found = this.sums.estimate(i, this.nRows);
        const signed = reward.isLoss
          ? { ...found, value: -found.value, skewness: -found.skewness, low: -reward.high, high: -reward.low }
          : { ...found, low: reward.low, high: reward.high };
        const e = { ...signed, isProportion: Boolean(reward.isProportion), isClustered: this.sums.isClustered };
        const [lower, upper] = interval(e, level);
        return { name: reward.name, value: e.value, standard_error: e.error, lower, upper };
      });
    }
  }

  return { EDGES, N_BINS, Tally, binOf, interval, logGamma };
})();
