// The model of a page: the dictionary, decoded, and everything the page asks for.
//
// Nothing is computed before it is asked for.  What does not depend on the decision maker, such as joint
// counts, adjustments and break-even points, is kept; of the rest, the results of the last few decision makers.

wager.model = (function () {

const { unpack, fromSteps, general, grouped } = wager.numbers;
const { cellSums, clusterSums, meanOf, meanInterval, meanPValue, estimateMean, isKnown } = wager.statistics;
const { FAMILIES, utilityOf, certaintyEquivalent, isOnTheLine } = wager.utilities;
const {
  Adjustment, linspace, PairedLead, UnpairedLead, withoutRounding, unpairedPValue, curveFacts, flipped, breakEvenSentence,
  differenceSentence, savingSentence, dominanceWinner, dominanceLeads, refuted, dominanceSentence, dominanceFact,
  proposition, bestRanges, Advice,
} = wager.verdict;
const { exponents, costsOf, rangeOf } = wager.costs;

const FORMAT = "wager-report";
const VERSION = 1;
const BENDS = 21; // points that follow the bends of a curve that is not a straight line
const KEPT = 4; // decision makers whose results are kept
const COST = "average_cost";

// -- decoding ----------------------------------------------------------------------------------------------

/** The sums of cells, whose second moments depend on what is independent. */
function decodeSums(totals, squares, units) {
  const counts = Float64Array.from(unpack(totals));
  switch (units) {
    case "weights": return cellSums(counts, Float64Array.from(squares));
    case "clusters": return clusterSums(counts, fullMatrix(unpack(squares), counts.length));
    case "known": return cellSums(counts, new Float64Array(counts.length).fill(NaN));
    default: return cellSums(counts);
  }
}

/** A symmetric matrix, row by row, from its lower triangle. */
function fullMatrix(triangle, J) {
  const matrix = new Float64Array(J * J);
  let at = 0;
  for (let row = 0; row < J; row++) {
    for (let column = 0; column <= row; column++, at++) {
      matrix[row * J + column] = triangle[at];
      matrix[column * J + row] = triangle[at];
    }
  }
  return matrix;
}

/** A tally: size and hit of each cell, the size that a hit earns for, and the sums. */
function decodeTally(cells, sums) {
  const size = Int32Array.from(cells, (cell) => cell[0]);
  const hit = Uint8Array.from(cells, (cell) => cell[1]);
  return { size, hit, won: size.map((k, j) => (hit[j] ? k : 0)), sums };
}

/** The tallies of parts of the rows, from cells numbered by part, size and hit. */
function decodeParts({ cells, totals, squares }, nParts, nClasses, units) {
  const width = 2 * nClasses + 2;
  const numbers = fromSteps(cells);
  const counts = unpack(totals);
  const parts = Array.from({ length: nParts }, () => ({ cells: [], totals: [], squares: [] }));
  numbers.forEach((number, j) => {
    const part = parts[Math.floor(number / width)];
    const cell = number % width;
    part.cells.push([Math.floor(cell / 2), cell % 2]);
    part.totals.push(counts[j]);
    if (units === "weights") part.squares.push(squares[j]);
  });
  let place = 0;
  return parts.map((part) => {
    if (!part.cells.length) return null;
    const moments = units === "clusters" ? squares[place++] : part.squares;
    const sums = decodeSums(part.totals, moments, units);
    return decodeTally(part.cells, sums);
  });
}

/**
 * The joint counts of classifiers, by pairs: positions in their lists of outcomes, and sums.
 *
 * `joint` is the section of the data, in the form of pairs or of rows.
 */
class JointCounts {
  constructor(joint, units) {
    this.outcomes = joint.outcomes.map((numbers) => unpack(numbers));
    this.units = units;
    this.found = new Map();
    this.single = joint.cells ?? null;
    this.pairs = new Map((joint.pairs ?? []).map((pair) => [`${pair.a} ${pair.b}`, pair]));
    if (joint.rows) {
      const { columns, totals, squares, clusters } = joint.rows;
      this.columns = columns.map((column) => Int32Array.from(unpack(column)));
      const n = this.columns[0].length;
      this.totals = totals === null ? new Float64Array(n).fill(1) : Float64Array.from(unpack(totals));
      this.squares = squares === null ? null : Float64Array.from(squares);
      this.clusters = clusters === null || clusters === undefined ? null : fromSteps(clusters);
    }
  }

  /** {first, second, sums} of the pair i < j, or {facts} if its counts were left out. */
  of(i, j) {
    const key = `${i} ${j}`;
    if (!this.found.has(key)) this.found.set(key, this.columns ? this.count(i, j) : this.decode(this.pairs.get(key)));
    return this.found.get(key);
  }

  /** {first, sums} of one classifier: its outcomes, from the rows or from any pair. */
  alone(i) {
    const key = `${i}`;
    if (this.found.has(key)) return this.found.get(key);
    let found;
    if (this.single !== null) {
      found = { first: this.outcomes[0].map((_, at) => at), sums: decodeSums(this.single.totals, this.single.squares, this.units) };
    } else {
      const [a, b] = i === 0 ? [0, 1] : [0, i];
      const pair = this.of(a, b);
      found = joined(i === a ? pair.first : pair.second, pair.sums);
    }
    this.found.set(key, found);
    return found;
  }

  decode(pair) {
    if (pair.facts) return { facts: pair.facts };
    const width = this.outcomes[pair.b].length;
    const cells = fromSteps(pair.cells);
    return {
      first: Int32Array.from(cells, (cell) => Math.floor(cell / width)),
      second: Int32Array.from(cells, (cell) => cell % width),
      sums: decodeSums(pair.totals, pair.squares, this.units),
    };
  }

  /** Count two classifiers from the rows of all. */
  count(i, j) {
    const width = this.outcomes[j].length;
    const [a, b] = [this.columns[i], this.columns[j]];
    const place = new Int32Array(this.outcomes[i].length * width).fill(-1);
    const cells = [];
    const at = new Int32Array(a.length);
    for (let row = 0; row < a.length; row++) {
      const cell = a[row] * width + b[row];
      if (place[cell] < 0) place[cell] = cells.push(cell) - 1;
      at[row] = place[cell];
    }
    const J = cells.length;
    return {
      first: Int32Array.from(cells, (cell) => Math.floor(cell / width)),
      second: Int32Array.from(cells, (cell) => cell % width),
      sums: this.sumsOf(at, J),
    };
  }

  sumsOf(at, J) {
    const totals = added(at, this.totals, J);
    if (this.clusters !== null) return clusterSums(totals, this.clusterMoments(at, J));
    return this.squares === null ? cellSums(totals) : cellSums(totals, added(at, this.squares, J));
  }

  /** The sum over the clusters of the products of their totals by cell. */
  clusterMoments(at, J) {
    const moments = new Float64Array(J * J);
    const own = new Map();
    const finish = () => {
      for (const [j, x] of own) for (const [k, y] of own) moments[j * J + k] += x * y;
      own.clear();
    };
    this.clusters.forEach((cluster, row) => {
      if (row && cluster !== this.clusters[row - 1]) finish();
      own.set(at[row], (own.get(at[row]) ?? 0) + this.totals[row]);
    });
    finish();
    return moments;
  }
}

function added(at, each, J) {
  const sums = new Float64Array(J);
  for (let row = 0; row < at.length; row++) sums[at[row]] += each[row];
  return sums;
}

/** Cells with the same outcome joined, where intervals do not depend on it: not with weights. */
function joined(first, sums) {
  if (sums.squares !== null && !sums.clustered) return { first, sums };
  const known = [...new Set(first)];
  const place = new Map(known.map((outcome, at) => [outcome, at]));
  const at = Int32Array.from(first, (outcome) => place.get(outcome));
  const J = known.length;
  const totals = added(at, sums.totals, J);
  if (sums.squares === null) return { first: known, sums: cellSums(totals) };
  const moments = new Float64Array(J * J);
  const n = first.length;
  for (let j = 0; j < n; j++) for (let k = 0; k < n; k++) moments[at[j] * J + at[k]] += sums.squares[j * n + k];
  return { first: known, sums: clusterSums(totals, moments) };
}

// -- measures of sets (rewards/_metrics.py) ----------------------------------------------------------------

const MEASURES = {
  coverage: (size, hit) => hit,
  determinacy: (size) => (size === 1 ? 1 : 0),
  single_accuracy: (size, hit) => (size === 1 ? hit : NaN),
  set_accuracy: (size, hit) => (size > 1 ? hit : NaN),
  mean_set_size: (size) => size,
  indeterminate_set_size: (size) => (size > 1 ? size : NaN),
  empty_rate: (size) => (size === 0 ? 1 : 0),
  discounted_accuracy: (size, hit) => hit / Math.max(size, 1),
};
const SIZES = new Set(["mean_set_size", "indeterminate_set_size"]); // allow for sets one class larger

/** The smallest and the largest value of a measure for predictions that are possible. */
function rangeOfMeasure(name, observed, nClasses) {
  const largest = Math.min(SIZES.has(name) ? observed + 1 : nClasses, nClasses);
  let [low, high] = [Infinity, -Infinity];
  for (let size = 0; size <= largest; size++) {
    for (const hit of [0, 1]) {
      if ((hit && size === 0) || (!hit && size === nClasses)) continue;
      const value = MEASURES[name](size, hit);
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : [0, 0];
}

// -- the model -------------------------------------------------------------------------------------------

class Model {
  constructor(data) {
    this.data = data;
    this.names = data.store ? data.store.learners : data.classifiers.map((one) => one.name);
    this.n = this.names.length;
    this.nClasses = data.facts.n_classes;
    this.level = data.facts.level;
    this.alpha = 1 - this.level;
    this.units = data.facts.units;
    this.hasPairs = data.joint !== null;
    this.hasCosts = data.costs !== null;
    this.nPairs = (this.n * (this.n - 1)) / 2;
    this.kept = { tallies: [], facts: new Map(), adjustments: new Map(), lengths: new Map(), dominance: new Map() };
    this.joint = data.joint === null ? null : new JointCounts(data.joint, this.units);
    this.byDecisionMaker = new Map();
    this.costs = this.hasCosts ? costsOfData(data.costs, this.units) : null;
  }

  /** The same model with another cost matrix or mode. */
  withCosts({ matrix, mode, r }) {
    const twin = Object.create(Model.prototype);
    Object.assign(twin, this);
    twin.costs = { ...this.costs, matrix: matrix ?? this.costs.matrix, mode: mode ?? this.costs.mode, r: r ?? this.costs.r, priced: new Map() };
    const { tallies } = this.kept;
    twin.kept = { tallies, facts: new Map(), adjustments: new Map(), lengths: new Map(), dominance: new Map() };
    twin.byDecisionMaker = new Map();
    return twin;
  }

  get families() {
    const found = Object.values(FAMILIES).map(({ name, parameter, low, high }) => ({ name, parameter, low, high }));
    if (this.hasCosts && this.costs.isCurve) found.push({ name: "p-discounted", parameter: "r", low: 0, high: 1 });
    return found;
  }

  // -- decision makers -----------------------------------------------------------------------------------

  /** What is known about a decision maker so far. */
  of(dm) {
    const key = keyOf(dm);
    const known = this.byDecisionMaker;
    if (!known.has(key)) {
      if (known.size >= KEPT) known.delete(known.keys().next().value);
      const about = { dm, scores: [], differences: new Map(), values: [] };
      if (dm.family === "cost") about.model = this.costModel(dm);
      else about.utility = utilityOf(dm, this.nClasses, this.data.utilities);
      known.set(key, about);
    }
    return known.get(key);
  }

  /** The model whose matrix and mode are those of the decision maker. */
  costModel(dm) {
    if (!this.hasCosts) throw new Error("this report has no costs");
    const isSame = (dm.matrix ?? this.costs.matrix) === this.costs.matrix && (dm.mode ?? this.costs.mode) === this.costs.mode;
    if (isSame) return this;
    if (this.other?.matrix !== dm.matrix || this.other?.mode !== dm.mode) {
      this.other = { matrix: dm.matrix, mode: dm.mode, model: this.withCosts({ matrix: dm.matrix, mode: dm.mode }) };
    }
    return this.other.model;
  }

  utility(dm) {
    return this.of(dm).utility;
  }

  // -- one classifier --------------------------------------------------------------------------------------

  tally(i) {
    const { tallies } = this.kept;
    if (tallies[i] === undefined) {
      const { cells, squares, units } = this.data.classifiers[i].tally;
      const totals = cells.map((cell) => cell[2]);
      const sums = decodeSums(totals, squares, units ?? this.units);
      tallies[i] = decodeTally(cells, sums);
    }
    return tallies[i];
  }

  /** The expected utility, or average cost, of a classifier. */
  score(i, dm) {
    if (this.data.store) return withoutInterval(this.storeOf(dm).means[i]);
    const about = this.of(dm);
    if (about.scores[i] === undefined) {
      about.scores[i] = dm.family === "cost"
        ? about.model.costScore(i, dm.r ?? about.model.costs.r)
        : this.tallyScore(this.tally(i), about.utility);
    }
    return about.scores[i];
  }

  /** The mean only, which is much faster than the interval. */
  value(i, dm) {
    const about = this.of(dm);
    if (about.values[i] === undefined) {
      if (about.scores[i] !== undefined) about.values[i] = about.scores[i].value;
      else if (dm.family === "cost") about.values[i] = this.score(i, dm).value;
      else about.values[i] = meanOf(earned(about.utility.worth, this.tally(i).won), this.tally(i).sums);
    }
    return about.values[i];
  }

  tallyScore(tally, utility) {
    return estimateMean(earned(utility.worth, tally.won), tally.sums, utility.low, utility.high, this.level);
  }

  certaintyEquivalent(i, dm) {
    const { utility } = this.of(dm);
    const mean = this.score(i, dm);
    const [value, lower, upper] = [mean.value, mean.lower, mean.upper].map((v) => certaintyEquivalent(utility, v));
    return { value, lower, upper, standardError: NaN, n: mean.n };
  }

  measure(tally, name) {
    const values = Float64Array.from(tally.size, (size, j) => MEASURES[name](size, tally.hit[j]));
    const [low, high] = rangeOfMeasure(name, Math.max(...tally.size), this.nClasses);
    return estimateMean(values, tally.sums, low, high, this.level);
  }

  measures(i) {
    if (this.data.store) {
      const means = this.storeOf({ family: "quadratic", u_half: 0.5 }).measures[i];
      return Object.fromEntries(Object.entries(means).map(([name, value]) => [name, withoutInterval(value)]));
    }
    const tally = this.tally(i);
    tally.measures ??= Object.fromEntries(Object.keys(MEASURES).map((name) => [name, this.measure(tally, name)]));
    return tally.measures;
  }

  /** Misses and hits by set size, and the coverage of each size. */
  sizes(i) {
    const tally = this.tally(i);
    const sizes = [...new Set(tally.size)].sort((a, b) => a - b);
    return sizes.map((size) => {
      const values = Float64Array.from(tally.size, (k, j) => (k === size ? tally.hit[j] : NaN));
      const total = (hit) => tally.size.reduce((sum, k, j) => sum + (k === size && tally.hit[j] === hit ? tally.sums.totals[j] : 0), 0);
      const coverage = estimateMean(values, tally.sums, 0, 1, this.level);
      return { size, misses: total(0), hits: total(1), coverage };
    });
  }

  byClass(i, dm) {
    const section = this.data.classifiers[i].by_class;
    return section === null ? null : this.parts(i, "by_class", section, this.data.classes, dm);
  }

  byGroup(i, dm) {
    const section = this.data.classifiers[i].groups;
    return section === null ? null : this.parts(i, "groups", section, section.labels, dm);
  }

  parts(i, key, section, labels, dm) {
    const tally = this.tally(i);
    tally[key] ??= decodeParts(section, labels.length, this.nClasses, this.data.classifiers[i].tally.units ?? this.units);
    return tally[key].map((part, place) => {
      if (part === null) return { label: labels[place], n: 0, coverage: null, mean_set_size: null, determinacy: null, utility: null };
      part.measures ??= Object.fromEntries(["coverage", "mean_set_size", "determinacy"].map((name) => [name, this.measure(part, name)]));
      const utility = dm === undefined || dm.family === "cost" ? null : this.tallyScore(part, this.of(dm).utility);
      return { label: labels[place], n: part.sums.n, ...part.measures, utility };
    });
  }

  /** True classes against kinds of prediction, without kinds that never occur. */
  confusion(i) {
    const section = this.data.classifiers[i].confusion;
    if (section === null) return null;
    const K = this.nClasses;
    const names = [...this.data.classes];
    for (let size = 2; size < K; size++) names.push(`${size} classes`);
    if (K > 1) names.push("all");
    names.push("none");
    const table = this.data.classes.map(() => new Float64Array(2 * K));
    const totals = unpack(section.totals);
    fromSteps(section.cells).forEach((cell, j) => { table[Math.floor(cell / (2 * K))][cell % (2 * K)] = totals[j]; });
    const used = names.map((_, column) => column).filter((column) => column < K || table.some((row) => row[column] > 0));
    return { rows: this.data.classes, columns: used.map((column) => names[column]), table: table.map((row) => used.map((column) => row[column])) };
  }

  // -- two classifiers: leads and their adjustment ------------------------------------------------------------

  /** The joint counts of i < j: what both hits earn for, and the sums; {facts} if they were left out. */
  pair(i, j) {
    const found = this.joint.of(i, j);
    if (found.facts === undefined && found.wonA === undefined) {
      const won = (outcomes) => Int32Array.from(outcomes, (number) => (number % 2 ? Math.floor(number / 2) : 0));
      this.joint.won ??= this.joint.outcomes.map(won);
      found.wonA = found.first.map((at) => this.joint.won[i][at]);
      found.wonB = found.second.map((at) => this.joint.won[j][at]);
    }
    return found;
  }

  isLeftOut(i, j) {
    return this.hasPairs && this.joint.of(Math.min(i, j), Math.max(i, j)).facts !== undefined;
  }

  /** The lead of i over j, i < j, along decision makers: `at(point)` gives one. */
  lead(i, j, at) {
    const worthAt = (point) => utilityOf(at(point), this.nClasses, this.data.utilities);
    if (this.hasPairs) {
      const pair = this.pair(i, j);
      return new PairedLead((point) => gapsOf(pair, worthAt(point)), pair.sums);
    }
    const means = ({ worth, low, high }, k) => ({ values: earned(worth, this.tally(k).won), sums: this.tally(k).sums, low, high });
    return new UnpairedLead((point) => {
      const utility = worthAt(point);
      return [means(utility, i), means(utility, j)];
    });
  }

  familyLead(i, j, family) {
    if (family === "quadratic" && this.hasPairs) return this.quadraticLead(i, j);
    return this.lead(i, j, FAMILIES[family].at);
  }

  /** Along u(0.5) every difference is a straight line between those at both ends. */
  quadraticLead(i, j) {
    const pair = this.pair(i, j);
    if (pair.quadratic === undefined) {
      const { low, high, at } = FAMILIES.quadratic;
      const [first, last] = [low, high].map((point) => utilityOf(at(point), this.nClasses));
      const start = gapsOf(pair, first).gaps;
      const slope = gapsOf(pair, last).gaps.map((gap, c) => gap - start[c]);
      pair.quadratic = new PairedLead((point) => {
        const share = (point - low) / (high - low);
        const gaps = new Float64Array(start.length);
        for (let c = 0; c < gaps.length; c++) gaps[c] = start[c] + share * slope[c];
        return { gaps, largest: largestDifference(share, first.worth, last.worth) };
      }, pair.sums);
    }
    return pair.quadratic;
  }

  /** The length of the curve of standardised differences of a pair along a family. */
  length(i, j, family) {
    const key = `${family} ${i} ${j}`;
    if (!this.kept.lengths.has(key)) {
      const { low, high, bends } = family === "p-discounted" ? { low: 0, high: 1, bends: BENDS } : FAMILIES[family];
      const lead = family === "p-discounted" ? this.costLead(i, j) : this.familyLead(i, j, family);
      this.kept.lengths.set(key, lead.length(linspace(low, high, bends)));
    }
    return this.kept.lengths.get(key);
  }

  /** How the statements about i < j are adjusted: for the report, a family, or one utility more. */
  adjustment(i, j, kind) {
    const key = `${kind} ${i} ${j}`;
    if (!this.kept.adjustments.has(key)) this.kept.adjustments.set(key, this.makeAdjustment(i, j, kind));
    return this.kept.adjustments.get(key);
  }

  makeAdjustment(i, j, kind) {
    if (kind === "exponential" || kind === "fbeta") return new Adjustment(this.length(i, j, kind), 1, this.nPairs);
    const withUtilities = kind !== "cost" || this.data.utilities.length > 0;
    let [length, single] = [0, 0];
    if (withUtilities) {
      length = this.length(i, j, "quadratic");
      single = 1 + this.data.utilities.filter((utility) => !utility.on_the_line).length;
    }
    if (this.hasCosts && this.hasPairs) {
      single += Number(this.costs.isCurve) + Number(this.costs.r0 === null);
      if (this.costs.isCurve) length += this.length(i, j, "p-discounted");
    }
    return new Adjustment(length, single + Number(kind === "one more"), this.nPairs);
  }

  /** What the statements about a decision maker hold together for. */
  kindOf(dm) {
    if (dm.family === "cost") return "cost";
    if (isOnTheLine(dm) || dm.family === "named") return "report";
    const { name } = this.of(dm).utility;
    if (this.data.utilities.some((utility) => utility.name === name)) return "report";
    const family = FAMILIES[dm.family];
    if (family === undefined || dm.family === "quadratic") return "one more";
    const value = dm.family === "fbeta" ? dm.beta : dm.a ?? wager.utilities.riskAversion(dm.u_half);
    return value >= family.low && value <= family.high ? dm.family : "one more";
  }

  /** The single level at which all statements about a pair hold together. */
  pairLevel(i, j, kind) {
    const adjustment = this.adjustment(i, j, kind);
    adjustment.ofAlpha ??= adjustment.level(this.alpha);
    return adjustment.ofAlpha;
  }

  /** The difference of i and j: adjusted test and interval. */
  difference(i, j, dm) {
    if (i > j) return this.turned(this.difference(j, i, dm), i, j, dm);
    const about = this.of(dm);
    const key = i * this.n + j;
    if (!about.differences.has(key)) about.differences.set(key, this.newDifference(i, j, dm));
    return about.differences.get(key);
  }

  newDifference(i, j, dm) {
    if (dm.family === "cost") return this.of(dm).model.costDifference(i, j, dm.r ?? this.costs.r);
    if (this.isLeftOut(i, j)) return this.differenceFromFacts(i, j, dm);
    const kind = this.kindOf(dm);
    const adjustment = this.adjustment(i, j, kind);
    const { utility } = this.of(dm);
    const lead = this.lead(i, j, () => dm);
    const mean = lead.lead(0);
    let raw;
    let ends;
    if (this.hasPairs) {
      const pair = this.pair(i, j);
      const { gaps, largest } = gapsOf(pair, utility);
      raw = meanPValue(gaps, pair.sums, -largest, largest);
      ends = () => meanInterval(gaps, pair.sums, -largest, largest, this.pairLevel(i, j, kind));
    } else {
      raw = unpairedPValue(lead, 0);
      ends = () => lead.interval(0, this.pairLevel(i, j, kind));
    }
    const p = adjustment.p(raw);
    return withInterval({ mean, p, side: p < this.alpha ? Math.sign(mean) : 0 }, ends,
      () => differenceSentence(mean, p, [this.names[i], this.names[j]], this.alpha));
  }

  /** A pair whose counts were left out: its mean, and on which side of a break-even point it is. */
  differenceFromFacts(i, j, dm) {
    const mean = this.value(i, dm) - this.value(j, dm);
    const { facts } = this.joint.of(i, j);
    const { half } = this.of(dm).utility;
    const here = this.isOnTheLine(dm) ? facts.decided.find(([low, high]) => low <= half && half <= high) : undefined;
    return { mean, p: NaN, side: here ? here[2] : 0, lower: NaN, upper: NaN, sentence: facts.sentence };
  }

  isOnTheLine(dm) {
    const { name } = this.of(dm).utility;
    return isOnTheLine(dm) || this.data.utilities.some((utility) => utility.name === name && utility.on_the_line);
  }

  /** Whether tests under a decision maker need counts of i and j, or of any pair, that were left out. */
  lacksCounts(dm, i = null, j = null) {
    if (dm.family === "cost" || !this.hasPairs || this.n < 2 || this.isOnTheLine(dm)) return false;
    if (i !== null) return this.isLeftOut(i, j);
    return this.names.some((_, a) => this.names.some((_, b) => a < b && this.isLeftOut(a, b)));
  }

  turned(found, i, j, dm) {
    const sentence = () => {
      if (this.isLeftOut(i, j)) return found.sentence;
      if (dm.family !== "cost") return differenceSentence(-found.mean, found.p, [this.names[i], this.names[j]], this.alpha);
      return savingSentence(-found.mean, [-found.upper, -found.lower], found.p, [this.names[i], this.names[j]], this.alpha, this.costs.unit);
    };
    return withInterval({ mean: -found.mean, p: found.p, side: -found.side }, () => [-found.upper, -found.lower], sentence);
  }

  // -- break-even points ---------------------------------------------------------------------------------------

  /** Where i and j earn, or cost, the same along a family. */
  breakEven(i, j, family = "quadratic", dm = undefined) {
    if (dm !== undefined && family === "p-discounted") {
      const model = this.costModel(dm);
      if (model !== this) return model.breakEven(i, j, family);
    }
    const [a, b] = [Math.min(i, j), Math.max(i, j)];
    const known = this.curveFacts(a, b, family);
    const facts = i < j || known.known ? known : flipped(known);
    const curve = this.curve(family, [this.names[i], this.names[j]]);
    let sentence = known.sentence;
    if (known.isZero) sentence = `${curve.names[0]} and ${curve.names[1]} ${curve.verb} the same in every row, for every ${curve.parameter}`;
    else if (!known.known) sentence = breakEvenSentence(facts, curve);
    const [lower, upper] = known.isZero ? curve.within : facts.undecided ?? [null, null];
    const value = known.crossings.length ? known.crossings[0] : null;
    return { value, lower, upper, crossings: known.crossings, decided: i < j ? known.decided : flipped(known).decided, sentence };
  }

  curve(family, names) {
    const { parameter, low, high } = family === "p-discounted" ? { parameter: "r", low: 0, high: 1 } : FAMILIES[family];
    return { parameter, within: [low, high], names, verb: family === "p-discounted" ? "cost" : "earn", confidence: this.level };
  }

  /** The facts about the lead of i < j along a family. */
  curveFacts(i, j, family) {
    const key = `${family} ${i} ${j}`;
    if (!this.kept.facts.has(key)) this.kept.facts.set(key, this.newFacts(i, j, family));
    return this.kept.facts.get(key);
  }

  newFacts(i, j, family) {
    if (this.isLeftOut(i, j)) {
      const { value, lower, upper, decided, sentence } = this.joint.of(i, j).facts;
      const undecided = lower === null ? null : [lower, upper];
      const none = family !== "quadratic";
      return { crossings: none || value === null ? [] : [value], undecided: none ? null : undecided, decided: none ? [] : decided, sentence, known: true, first: 0, last: 0, middle: 0 };
    }
    const { within } = this.curve(family, []);
    const isCost = family === "p-discounted";
    const lead = isCost ? this.costLead(i, j) : this.familyLead(i, j, family);
    const points = linspace(...within, isCost ? BENDS : FAMILIES[family].bends);
    if (lead.isZero(points)) return { crossings: [], undecided: within, decided: [], isZero: true, first: 0, last: 0, middle: 0 };
    const kind = isCost ? "cost" : family === "quadratic" ? "report" : family;
    return curveFacts(lead, within, this.pairLevel(i, j, kind));
  }

  // -- dominance -------------------------------------------------------------------------------------------------

  dominance(i, j) {
    const [a, b] = [Math.min(i, j), Math.max(i, j)];
    const key = `${i} ${j}`;
    if (!this.kept.dominance.has(key)) {
      this.kept.dominance.set(key, this.isLeftOut(a, b) ? this.dominanceFromFacts(i, j) : this.newDominance(i, j));
    }
    return this.kept.dominance.get(key);
  }

  dominanceFromFacts(i, j) {
    const { winner, p, sentence } = this.joint.of(Math.min(i, j), Math.max(i, j)).facts.dominance;
    const turn = { a: "b", b: "a" };
    return { winner: i < j ? winner : turn[winner] ?? winner, p, sentence };
  }

  newDominance(i, j) {
    const [one, other] = [this.tally(i), this.tally(j)];
    const hits = (tally) => {
      const found = new Map();
      tally.won.forEach((size, c) => { if (size) found.set(size, (found.get(size) ?? 0) + tally.sums.totals[c]); });
      return found;
    };
    const isWhole = (tally) => tally.sums.totals.every(Number.isSafeInteger);
    const exact = this.data.facts.total_weight === null && isWhole(one) && isWhole(other);
    const winner = dominanceWinner(hits(one), hits(other), one.sums.n, other.sums.n, exact);
    const leads = this.dominanceLeads(i, j);
    const adjustment = this.adjustment(Math.min(i, j), Math.max(i, j), "report");
    const p = winner === "a" || winner === "b" ? adjustment.p(Math.max(...leads.map((level) => level.p))) : 1;
    const refutations = [1, -1].map((sign) => adjustment.p(refuted(leads, sign)));
    const names = [this.names[i], this.names[j]];
    const known = isKnown(one.sums) && isKnown(other.sums);
    let sentence = known ? dominanceFact(winner, names) : dominanceSentence(winner, p, refutations, names, this.alpha);
    const theorem = proposition(this.summary(i), this.summary(j));
    if (theorem !== null && winner !== "equal") sentence += known ? `; ${theorem}` : `; in this sample, ${theorem}`;
    return { winner, p, sentence };
  }

  dominanceLeads(i, j) {
    const reward = (size) => (size ? 1 / size : 0);
    if (this.hasPairs) {
      const [a, b] = [Math.min(i, j), Math.max(i, j)];
      const pair = this.pair(a, b);
      const [first, second] = [pair.wonA, pair.wonB].map((won) => Float64Array.from(won, reward));
      return i < j ? dominanceLeads(first, second, pair.sums) : dominanceLeads(second, first, pair.sums);
    }
    const tallies = [this.tally(i), this.tally(j)];
    const rewards = tallies.map((tally) => Float64Array.from(tally.won, reward));
    const positive = [...new Set(rewards.flatMap((some) => [...some]))].filter((value) => value > 0).sort((a, b) => a - b);
    const known = tallies.every((tally) => isKnown(tally.sums));
    return (positive.length ? positive : [1]).map((level) => {
      const means = tallies.map((tally, side) => ({ values: rewards[side].map((value) => Math.min(value, level)), sums: tally.sums, low: 0, high: level }));
      const lead = new UnpairedLead(() => means);
      return { lead: lead.lead(0), p: known ? 0 : unpairedPValue(lead, 0) };
    });
  }

  /** What propositions 2 and 3 look at. */
  summary(i) {
    const { size, hit, sums } = this.tally(i);
    const total = (of) => sums.totals.reduce((sum, count, c) => sum + of(size[c], hit[c]) * count, 0);
    return {
      name: this.names[i],
      mean: total((k, is) => (is ? 1 / k : 0)) / sums.n,
      single: total((k) => (k === 1 ? 1 : 0)),
      whole: this.nClasses > 1 ? total((k) => (k === this.nClasses ? 1 : 0)) : 0,
      indeterminate: total((k, is) => (is && k > 1 ? 1 / k : 0)) / sums.n,
      n: sums.n,
      nClasses: this.nClasses,
    };
  }

  // -- curves ------------------------------------------------------------------------------------------------------

  /** The expected utility, or cost, of each classifier along a family, with intervals. */
  riskProfile(family, points, dm = undefined) {
    const at = this.decisionMakers(family, dm);
    const lines = this.names.map((_, index) => {
      const found = points.map((point) => this.profilePoint(index, at(point)));
      return { index, value: found.map((e) => e.value), lower: found.map((e) => e.lower), upper: found.map((e) => e.upper) };
    });
    return { family, parameter: this.curve(family, []).parameter, points, lines };
  }

  /** A score that is not kept, since a profile has many points. */
  profilePoint(i, dm) {
    if (dm.family === "cost") return this.costModel(dm).costScore(i, dm.r);
    return this.tallyScore(this.tally(i), utilityOf(dm, this.nClasses));
  }

  decisionMakers(family, dm) {
    if (family !== "p-discounted") return FAMILIES[family].at;
    return (r) => ({ ...(dm ?? { family: "cost" }), r });
  }

  /** Paired differences from a baseline, positive if better; the bands hold together along the family. */
  differenceProfile(baseline, family, points, dm = undefined) {
    if (family === "p-discounted" && dm !== undefined && this.costModel(dm) !== this) {
      return this.costModel(dm).differenceProfile(baseline, family, points);
    }
    const others = this.names.map((_, i) => i).filter((i) => i !== baseline && !this.isLeftOut(i, baseline));
    const lines = others.map((index) => {
      const [a, b] = [Math.min(index, baseline), Math.max(index, baseline)];
      const isCost = family === "p-discounted";
      const lead = isCost ? this.costLead(a, b) : this.familyLead(a, b, family);
      const level = this.pairLevel(a, b, isCost ? "cost" : family === "quadratic" ? "report" : family);
      const found = points.map((point) => {
        const [lower, upper] = this.leadInterval(lead, point, level);
        const value = lead.lead(point);
        return index < baseline ? [value, lower, upper] : [-value, -upper, -lower];
      });
      return { index, value: found.map((f) => f[0]), lower: found.map((f) => f[1]), upper: found.map((f) => f[2]) };
    });
    return { family, parameter: this.curve(family, []).parameter, points, baseline, lines };
  }

  leadInterval(lead, point, level) {
    if (lead instanceof UnpairedLead) return lead.interval(point, level);
    const { gaps, largest } = lead.gapsAt(point);
    return meanInterval(gaps, lead.sums, -largest, largest, level);
  }

  bestRanges() {
    this.kept.best ??= bestRanges(this.names.map((_, i) => this.line(i)));
    return this.kept.best;
  }

  /** Expected quadratic utility as intercept + slope * u(0.5). */
  line(i) {
    const { won, sums } = this.tally(i);
    const rewards = Float64Array.from(won, (size) => (size ? 1 / size : 0));
    return [meanOf(rewards.map((x) => 2 * x * x - x), sums), meanOf(rewards.map((x) => 4 * (x - x * x)), sums)];
  }

  // -- verdicts ---------------------------------------------------------------------------------------------------

  /** The advice by these criteria: decision makers by their names in sentences. */
  advice(criteria, withCosts) {
    const dms = new Map(criteria.map((dm) => [dm.family === "cost" ? COST : this.of(dm).utility.name, dm]));
    const sign = (criterion) => (criterion === COST ? -1 : 1);
    return new Advice({
      names: this.names,
      memo: this.kept,
      utilities: [...dms.keys()].filter((name) => name !== COST),
      costs: withCosts,
      betterBy: (criterion, i, j) => {
        const dm = dms.get(criterion);
        const ahead = sign(criterion) * (this.value(i, dm) - this.value(j, dm));
        if (!this.isLeftOut(i, j) && ahead <= -1e-9 * Math.max(1, Math.abs(this.value(i, dm)))) return false;
        return this.difference(i, j, dm).side === 1;
      },
      ranked: (criterion) => {
        const dm = dms.get(criterion);
        const all = this.names.map((_, i) => i);
        return all.sort((i, j) => sign(criterion) * (this.value(j, dm) - this.value(i, dm)));
      },
      decided: (i, j) => this.curveFacts(i, j, "quadratic").decided,
      isDraw: (criterion, i, j) => {
        if (criterion !== COST) return this.curveFacts(i, j, "quadratic").isZero === true;
        const dm = dms.get(criterion);
        const { gaps, size } = this.of(dm).model.costGaps(i, j, dm.r ?? this.costs.r);
        return gaps.every((gap) => Math.abs(gap) <= 1e-12 * Math.max(size, 1e-300));
      },
      dominates: (i, j) => {
        const { winner, p } = this.dominance(i, j);
        return winner === "a" && p < this.alpha;
      },
    });
  }

  /** The comparison of the learners of a run under one utility. */
  storeOf(dm) {
    const about = this.of(dm);
    about.store ??= wager.store.compare(this.data.store, dm, this.level, this.data.utilities);
    return about.store;
  }

  storeVerdict(dm) {
    const { recommended, sentence, test } = this.storeOf(dm);
    const said = sentence && `under ${this.utility(dm).name} ${sentence}`;
    return { recommended, sentence: said, recommendation: said, sentences: () => (test ? [test.sentence] : []) };
  }

  /** The verdict for one decision maker, and the advice for all u(0.5). */
  verdict(dm) {
    if (this.data.store) return this.storeVerdict(dm);
    if (this.n < 2) return { recommended: null, sentence: "", recommendation: "", sentences: () => [] };
    const about = this.of(dm);
    if (this.lacksCounts(dm)) {
      const said = `the page does not say who is better under ${about.utility.name}: that needs counts that were left out because of its size`;
      return { recommended: null, sentence: said, recommendation: "", sentences: () => [] };
    }
    if (about.verdict === undefined) {
      const isCost = dm.family === "cost";
      const advice = (isCost ? about.model : this).advice([dm], isCost);
      const criterion = isCost ? COST : about.utility.name;
      about.verdict = {
        recommended: advice.bestBy(criterion),
        sentence: advice.verdictBy(criterion),
        get recommendation() { return advice.recommendation; },
        sentences: () => this.sentences(dm),
      };
    }
    return about.verdict;
  }

  /** The advice of the report, by all its utilities and its costs. */
  get report() {
    if (this.kept.report === undefined) {
      const criteria = this.data.utilities.map(({ name }) => ({ family: "named", name }));
      if (this.hasCosts) criteria.push({ family: "cost", r: this.costs.r ?? undefined });
      this.kept.report = this.advice(criteria, this.hasCosts);
    }
    return this.kept.report;
  }

  /** The advice for a person whose u(0.5) lies in an interval. */
  verdictFor(interval, name) {
    return this.advice([], false).recommendFor(interval, name);
  }

  /** Break-even, dominance and savings of every two classifiers. */
  sentences(dm) {
    const found = [];
    for (let i = 0; i < this.n; i++) {
      for (let j = i + 1; j < this.n; j++) {
        if (dm === undefined || dm.family !== "cost") {
          found.push(this.breakEven(i, j).sentence, this.dominance(i, j).sentence);
        }
        if (dm !== undefined && dm.family === "cost") {
          found.push(this.difference(i, j, dm).sentence);
          if (this.costs.isCurve && this.isCautious(i, j)) found.push(this.breakEven(i, j, "p-discounted", dm).sentence);
        }
      }
    }
    return found;
  }

  /** Whether one of the two names several classes, so that r matters. */
  isCautious(i, j) {
    return [i, j].some((k) => this.tally(k).size.some((size) => size >= 2));
  }

  /** What the intervals and tests about a decision maker hold together for. */
  note(dm) {
    const pairs = this.nPairs > 1 ? ` all ${this.nPairs} pairs,` : "";
    const kind = this.kindOf(dm);
    const parts = [];
    if (kind === "fbeta" || kind === "exponential") {
      const { parameter, low, high } = FAMILIES[kind];
      parts.push(`every ${parameter} from ${general(low)} to ${general(high)}`);
    } else {
      const withUtilities = kind !== "cost" || this.data.utilities.length > 0;
      if (withUtilities) parts.push("these utilities and every u(0.5) from 0.5 to 1");
      if (this.hasCosts) parts.push(this.costs.isCurve ? "these costs (p-discounted) and every r from 0 to 1" : `these costs (${this.costs.rule.name})`);
      if (kind === "one more") parts.push("this curve if it was chosen before looking at the results");
    }
    const why = { weights: "weights", clusters: "dependence within clusters" }[this.units];
    const units = why ? `; errors allow for ${why} (${grouped(this.data.facts.effective_n, 0)} independent units)` : "";
    return `${general(100 * this.level)}% intervals of scores. Intervals of differences, p-values and sentences are adjusted ` +
      `to hold together for${pairs} ${parts.join(", ")}${units}`;
  }

  // -- costs ---------------------------------------------------------------------------------------------------------

  /** What each outcome of a classifier costs, for some r. */
  prices(i, r) {
    const { costs } = this;
    const key = `${i} ${r}`;
    if (!costs.priced.has(key)) {
      if (costs.priced.size > 64 * this.n) costs.priced.clear();
      costs.priced.set(key, this.newPrices(i, r));
    }
    return costs.priced.get(key);
  }

  newPrices(i, r) {
    const { costs } = this;
    if (costs.values) return costs.values[i];
    const powers = r === null || r === undefined ? costs.rule : exponents(r, costs.mode);
    return costsOf(costs.matrix, costs.sets, costs.outcomes[i], powers, costs.emptyCost);
  }

  get priceRange() {
    if (this.costs.range) return this.costs.range;
    return rangeOf(this.costs.matrix, this.costs.emptyCost);
  }

  costScore(i, r) {
    if (this.costs.estimates) {
      const { value, lower, upper, standard_error: standardError, n } = this.costs.estimates[i];
      return { value, lower, upper, standardError, n };
    }
    const { first, sums } = this.costs.joint.alone(i);
    const prices = this.prices(i, r);
    const { low, high } = this.priceRange;
    return estimateMean(Float64Array.from(first, (at) => prices[at]), sums, low, high, this.level);
  }

  costGaps(i, j, r) {
    const { first, second, sums } = this.costs.joint.of(i, j);
    const [a, b] = [this.prices(i, r), this.prices(j, r)];
    let size = 0; // of what is subtracted, beside which a difference may be a rounding error
    first.forEach((at, c) => { size = Math.max(size, Math.abs(a[at]), Math.abs(b[second[c]])); });
    return { gaps: Float64Array.from(first, (at, c) => a[at] - b[second[c]]), sums, largest: this.priceRange.largest, size };
  }

  /** How much more j costs than i, along r. */
  costLead(i, j) {
    const { sums } = this.costs.joint.of(i, j);
    return new PairedLead((r) => {
      const { gaps, largest, size } = this.costGaps(i, j, r);
      return { gaps: gaps.map((gap) => -gap), largest, size };
    }, sums);
  }

  costDifference(i, j, r) {
    const { gaps, sums, largest, size } = this.costGaps(i, j, r);
    const adjustment = this.adjustment(i, j, "cost");
    const mean = withoutRounding(meanOf(gaps, sums), size);
    const p = adjustment.p(meanPValue(gaps, sums, -largest, largest));
    const found = withInterval({ mean, p, side: p < this.alpha ? -Math.sign(mean) : 0 },
      () => meanInterval(gaps, sums, -largest, largest, this.pairLevel(i, j, "cost")),
      () => savingSentence(mean, [found.lower, found.upper], p, [this.names[i], this.names[j]], this.alpha, this.costs.unit));
    return found;
  }
}

// -- small helpers ---------------------------------------------------------------------------------------------------

/** The section of costs, decoded. */
function costsOfData(section, units) {
  const K = section.classes.length;
  const joint = section.joint === null ? null : new JointCounts(section.joint, units);
  const isCurve = section.rule.kind === "p-discounted";
  const outcome = (number) => ({ set: Math.floor(number / K), truth: number % K });
  return {
    ...section,
    rule: { ...section.rule, inside: Number(section.rule.inside), outside: Number(section.rule.outside) },
    joint,
    isCurve,
    r0: section.r,
    emptyCost: section.empty_cost,
    values: section.values ? section.values.map((some) => Float64Array.from(some)) : null,
    range: section.range ? { low: section.range[0], high: section.range[1], largest: section.range[2] } : null,
    outcomes: joint && isCurve ? joint.outcomes.map((numbers) => numbers.map(outcome)) : null,
    priced: new Map(),
  };
}

/** The utility of each cell. */
function earned(worth, won) {
  const values = new Float64Array(won.length);
  for (let c = 0; c < values.length; c++) values[c] = worth[won[c]];
  return values;
}

/** The difference of each joint outcome under a utility, and the largest possible difference. */
function gapsOf(pair, { worth, low, high }) {
  const { wonA, wonB } = pair;
  const gaps = new Float64Array(wonA.length);
  for (let c = 0; c < gaps.length; c++) gaps[c] = worth[wonA[c]] - worth[wonB[c]];
  return { gaps, largest: high - low };
}

/** The largest difference between two utilities on the straight line between two others. */
function largestDifference(share, first, last) {
  let [low, high] = [Infinity, -Infinity];
  for (let k = 0; k < first.length; k++) {
    const value = first[k] + share * (last[k] - first[k]);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high - low;
}

/** A mean over data sets, which has no interval. */
function withoutInterval(value) {
  return { value, lower: NaN, upper: NaN, standardError: NaN, n: NaN };
}

/** A result whose interval and sentence are computed when they are read. */
function withInterval(result, ends, sentence) {
  let known = null;
  const interval = () => (known ??= ends());
  Object.defineProperties(result, {
    lower: { enumerable: true, get: () => interval()[0] },
    upper: { enumerable: true, get: () => interval()[1] },
    sentence: { enumerable: true, get: sentence },
  });
  return result;
}

const numbersOfMatrices = new WeakMap();
let nMatrices = 0;

/** A key for a decision maker; a matrix is known by its identity and must not be changed afterwards. */
function keyOf(dm) {
  if (!dm.matrix) return JSON.stringify(dm);
  if (!numbersOfMatrices.has(dm.matrix)) numbersOfMatrices.set(dm.matrix, ++nMatrices);
  return JSON.stringify({ ...dm, matrix: numbersOfMatrices.get(dm.matrix) });
}

/** The model of a dictionary. */
function load(data) {
  if (data.format !== FORMAT) throw new Error("this is not the data of a wager report");
  if (data.version !== VERSION) throw new Error(`this page reads version ${VERSION} of the data, not ${data.version}`);
  return new Model(data);
}

return { load, Model, JointCounts, MEASURES, decodeSums };

})();
