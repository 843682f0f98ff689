// "What is it worth to you?": an interview that finds a person's utility of sets, as in wager.rewards.elicit.
//
// A person to whom a set is worth v compares the chance q that is offered with v plus a normal error of unknown
// standard deviation s, and now and then answers at random: P(set | v, s, q) = lapse / 2 + (1 - lapse) Phi((v - q) / s).
// The next chance is the one after whose answer the entropy of v is expected to be least (Kontsevich & Tyler, 1999,
// with the noise as a nuisance parameter, as in Prins, 2013).

wager.elicit = (function () {

const { fixed } = wager.numbers;
const { normalCdf } = wager.statistics;

const CELLS = 200;
const EDGES = wager.verdict.linspace(0, 1, CELLS + 1);
const VALUES = Float64Array.from({ length: CELLS }, (_, i) => (EDGES[i] + EDGES[i + 1]) / 2);
const NOISES = Array.from({ length: 8 }, (_, i) => 0.005 * (0.12 / 0.005) ** (i / 7));
const CHANCES = Array.from({ length: 99 }, (_, i) => (i + 1) / 100);
const LAPSE = 0.02;
const INDIFFERENT = 0.025; // "same" means that the chance and the noisy value differ by at most this
const FIRST = [6, 10]; // the least and the largest number of questions about the first size,
const LATER = [4, 8]; // and about others
const UNUSUAL = 0.2; // the density of values below 1/size, relative to those above
const SLACK = 0.1; // "below" begins this much lower, so that 1/size itself is not near an edge
const REFUTED = 0.1; // how often a presumption fails,
const MARGIN = 0.03; // and by how much it is widened
const ALL_UP_TO = 4; // larger sizes are skipped in part: their values are close together
const ROUNDING = 1e-9;
const ANSWERS = ["set", "chance", "same"];

// -- the staircase (_staircase.py) -----------------------------------------------------------------------

const onGrid = new Map();

/** The probability of an answer for each value of the grid (rows) and each noise (columns). */
function likelihood(chance, word) {
  const key = `${chance} ${word}`;
  if (!onGrid.has(key)) onGrid.set(key, likelihoodOf(VALUES, chance, word));
  return onGrid.get(key);
}

function likelihoodOf(values, chance, word) {
  const S = NOISES.length;
  const found = new Float64Array(values.length * S);
  values.forEach((value, v) => {
    NOISES.forEach((noise, s) => {
      const above = (value - chance) / noise;
      const width = INDIFFERENT / noise;
      let given = normalCdf(word === "set" ? above : -above);
      if (word === "same") given = normalCdf(above + width) - normalCdf(above - width);
      found[v * S + s] = LAPSE / 2 + (1 - LAPSE) * given;
    });
  });
  return found;
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** The distribution of the value, from the joint one of value and noise. */
function ofValue(joint) {
  const S = NOISES.length;
  return Float64Array.from(VALUES, (_, v) => sum(joint.subarray(v * S, (v + 1) * S)));
}

/** The distribution of the noise. */
function ofNoise(joint) {
  const found = new Float64Array(NOISES.length);
  joint.forEach((p, at) => { found[at % NOISES.length] += p; });
  return found;
}

/** The joint distributions of value and noise, one for each set size; `history` is a list of [size, answers]. */
function posteriors(history) {
  const S = NOISES.length;
  const evidence = [];
  let noise = new Float64Array(S).fill(1);
  let worth = null;
  history.forEach(([size, answered], place) => {
    const prior = worth === null ? firstPrior(size) : priorAfter(worth, history[place - 1][0] / size);
    const joint = Float64Array.from({ length: CELLS * S }, (_, at) => prior[Math.floor(at / S)]);
    for (const [chance, word] of answered) {
      const given = likelihood(chance, word);
      for (let at = 0; at < joint.length; at++) joint[at] *= given[at];
    }
    worth = Float64Array.from(VALUES, (_, v) => sum(noise.map((p, s) => p * joint[v * S + s])));
    const totals = ofNoise(joint);
    noise = noise.map((p, s) => p * totals[s]);
    const whole = sum(noise);
    noise = noise.map((p) => p / whole);
    evidence.push(joint);
  });
  return evidence.map((joint) => { // the noise of all sizes
    const totals = ofNoise(joint);
    const found = joint.map((p, at) => p * (noise[at % S] / totals[at % S]));
    const whole = sum(found);
    return found.map((p) => p / whole);
  });
}

/** The prior of the first size: a risk-averse person gives it at least 1/size. */
function firstPrior(size) {
  const density = VALUES.map((value) => (1 / size - SLACK < value ? 1 : UNUSUAL));
  const whole = sum(density);
  return density.map((p) => p / whole);
}

/** The prior of a size, given the distribution of a smaller one and the ratio of the sizes. */
function priorAfter(worth, ratio) {
  const whole = sum(worth);
  const presumed = new Float64Array(CELLS);
  worth.forEach((p, v) => {
    const [low, high] = [ratio * VALUES[v] - MARGIN, VALUES[v] + MARGIN];
    const between = [];
    VALUES.forEach((value, w) => { if (low <= value && high >= value) between.push(w); });
    for (const w of between) presumed[w] += p / whole / between.length;
  });
  return presumed.map((p) => (1 - REFUTED) * p + REFUTED / CELLS);
}

/** Linear interpolation, as NumPy's interp: xs ascending. */
function interp(x, xs, ys) {
  if (x <= xs[0]) return ys[0];
  if (x >= xs[xs.length - 1]) return ys[ys.length - 1];
  let [low, high] = [0, xs.length - 1];
  while (high - low > 1) { // the last knot that is not above x
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle;
    else high = middle;
  }
  return ys[low] + ((ys[low + 1] - ys[low]) / (xs[low + 1] - xs[low])) * (x - xs[low]);
}

/** The distribution function at the edges of the grid. */
function below(worth) {
  const whole = sum(worth);
  let total = 0;
  return [0, ...Array.from(worth, (p) => (total += p / whole))];
}

/** Python's round: of the number itself, whose decimals are exact. */
function round(x, digits) {
  return Number(fixed(x, digits));
}

/** NumPy's round: of the number times a power of ten. */
function roundScaled(x, digits) {
  const scaled = x * 10 ** digits;
  const isTie = Math.abs(scaled - Math.trunc(scaled)) === 0.5;
  return (isTie ? 2 * Math.round(scaled / 2) : Math.round(scaled)) / 10 ** digits;
}

/** The shortest interval with a probability of `level`. */
function interval(worth, level) {
  const cdf = below(worth);
  cdf[CELLS] = 1;
  const ends = [...EDGES, ...cdf.map((p) => interp(p - level, cdf, EDGES))]; // one end at an edge
  const lows = ends.filter((end) => interp(end, EDGES, cdf) <= 1 - level + 1e-12);
  const highs = lows.map((low) => interp(interp(low, EDGES, cdf) + level, cdf, EDGES));
  let shortest = 0;
  const width = (i) => roundScaled(highs[i] - lows[i], 9);
  lows.forEach((_, i) => { if (width(i) < width(shortest)) shortest = i; });
  return [round(lows[shortest], 4), round(highs[shortest], 4)];
}

/** The median of a distribution on the grid. */
function median(worth) {
  return round(interp(0.5, below(worth), EDGES), 4);
}

const chancesFound = new Map(); // a session asks again for every question from the first one on

/** The chance to offer next for the last size of the history; null if nothing is to ask. */
function nextChance(history, resolution, level) {
  const key = JSON.stringify([history, resolution, level]);
  if (!chancesFound.has(key)) chancesFound.set(key, newChance(history, resolution, level));
  return chancesFound.get(key);
}

function newChance(history, resolution, level) {
  const [, answered] = history[history.length - 1];
  const [least, most] = history.length === 1 ? FIRST : LATER;
  const joint = posteriors(history)[history.length - 1];
  if (answered.length >= least) {
    const [low, high] = interval(ofValue(joint), level);
    const narrow = high - low <= resolution && isConfirmed(answered, low, high);
    if (narrow || answered.length >= most) return null;
  }
  const asked = new Set(answered.map(([chance]) => chance));
  let best = null;
  let smallest = Infinity;
  for (const chance of CHANCES) {
    const entropy = asked.has(chance) ? Infinity : roundScaled(expectedEntropy(joint, chance), 9);
    if (best === null || entropy < smallest) [best, smallest] = [chance, entropy];
  }
  return best;
}

/** The entropy of the value that is expected after the answer to a chance. */
function expectedEntropy(joint, chance) {
  const S = NOISES.length;
  const given = likelihood(chance, "set");
  const parts = [new Float64Array(CELLS), new Float64Array(CELLS)];
  for (let v = 0; v < CELLS; v++) {
    let [set, all] = [0, 0];
    for (let at = v * S; at < (v + 1) * S; at++) {
      set += given[at] * joint[at];
      all += joint[at];
    }
    [parts[0][v], parts[1][v]] = [set, all - set];
  }
  let entropy = 0;
  for (const part of parts) {
    const total = sum(part);
    let own = 0;
    for (let v = 0; v < CELLS; v++) {
      const share = Math.max(part[v] / total, 1e-300);
      own += share * Math.log(share);
    }
    entropy -= total * own;
  }
  return entropy;
}

/** Whether answers, and not only presumptions, bound the value on both sides. */
function isConfirmed(answered, low, high) {
  const said = (...words) => answered.some(([, word]) => words.includes(word));
  return (low === 0 || said("set", "same")) && (high === 1 || said("chance", "same"));
}

/** The chance nearest to the value among those offered, except the last one. */
function chanceToRepeat(answered, value) {
  const distance = (chance) => round(Math.abs(chance - value), 9);
  const offered = answered.slice(0, -1).map(([chance]) => chance);
  return offered.reduce((best, chance) => {
    const nearer = distance(chance) - distance(best) || chance - best;
    return nearer < 0 ? chance : best;
  });
}

// -- the interview (elicit.py, _bracket.py) -----------------------------------------------------------------

/** The set sizes to ask about: 2, 3, 4, then sizes that grow by about half, and all classes. */
function sizesOf(nClasses) {
  const sizes = [2];
  while (sizes[sizes.length - 1] < nClasses) {
    const last = sizes[sizes.length - 1];
    sizes.push(Math.min(last < ALL_UP_TO ? last + 1 : last + Math.floor(last / 2), nClasses));
  }
  return sizes;
}

/** The interview: yields questions, receives answers, and returns the brackets at the end. */
function* questions({ sizes, resolution, check, level }) {
  let history = [];
  for (const size of sizes) {
    const answers = [];
    for (;;) {
      const chance = nextChance([...history, [size, answers]], resolution, level);
      if (chance === null) break;
      answers.push([chance, yield question(size, chance, false)]);
    }
    history.push([size, answers]);
  }
  if (check) {
    const values = posteriors(history).map((joint) => median(ofValue(joint)));
    const repeated = [];
    for (const [place, [size, answers]] of history.entries()) {
      const chance = chanceToRepeat(answers, values[place]);
      repeated.push([size, [...answers, [chance, yield question(size, chance, true)]]]);
    }
    history = repeated;
  }
  return posteriors(history).map((joint, place) => bracket(...history[place], ofValue(joint), level));
}

function question(size, chance, again) {
  const text = `a set of ${size} classes that always contains the right one, or the right class alone with a ` +
    `chance of ${fixed(100 * chance, 0)}%?`;
  return { size, chance, again, text };
}

/** What the answers say about the value of sets of one size. */
function bracket(size, answers, worth, level) {
  const [low, high] = interval(worth, level);
  return { size, low, high, value: median(worth), answers, contradiction: contradictionOf(size, answers) };
}

const percent = (chance) => `${fixed(100 * chance, 0)}%`;

/** The two answers that contradict each other most: the same question, or wrong order. */
function contradictionOf(size, answers) {
  if (!answers.length) return "";
  const [last, now] = answers[answers.length - 1];
  const earlier = answers.slice(0, -1).find(([chance]) => chance === last);
  const words = [earlier?.[1], now].sort().join(" ");
  if (words === "chance set") {
    return `a set of ${size} classes or a chance of ${percent(last)}: first ${earlier[1]}, then ${now}`;
  }
  const taken = Math.max(0, ...answers.filter(([, word]) => word === "set").map(([chance]) => chance));
  const refused = Math.min(1, ...answers.filter(([, word]) => word === "chance").map(([chance]) => chance));
  if (taken <= refused) return "";
  return `you preferred a set of ${size} classes to a chance of ${percent(taken)}, but a chance of ` +
    `${percent(refused)} to the set`;
}

/** A session after some answers, which determine the next question. */
function session(settings = {}) {
  const { nClasses, resolution = 0.05, check = true, level = 0.95, answers = [] } = settings;
  const sizes = settings.sizes ?? sizesOf(nClasses);
  const asking = questions({ sizes, resolution, check, level });
  let step = asking.next();
  for (const word of answers) step = asking.next(word);
  return Object.freeze({
    answers: Object.freeze([...answers]),
    question: step.done ? null : step.value,
    answer(word) {
      if (!ANSWERS.includes(word)) throw new Error(`an answer must be 'set', 'chance' or 'same', got ${word}`);
      if (step.done) throw new Error("the session is over");
      return session({ ...settings, answers: [...answers, word] });
    },
    result() {
      if (!step.done) throw new Error(`the session is not over after ${answers.length} answers: answer the question`);
      return elicited(nClasses, step.value, answers.length, level);
    },
  });
}

// -- the result (_elicited.py) ------------------------------------------------------------------------------

function elicited(nClasses, brackets, nQuestions, level) {
  const half = brackets.find(({ size }) => size === 2);
  return {
    nClasses,
    nQuestions,
    level,
    brackets,
    halfInterval: half ? [half.low, half.high] : null,
    contradictions: contradictionsOf(brackets),
    isConcave: isConcave(brackets),
    values: tableOf(nClasses, brackets),
  };
}

function contradictionsOf(brackets) {
  const said = brackets.map(({ contradiction }) => contradiction).filter((words) => words);
  brackets.slice(1).forEach((large, place) => {
    // the nearest of the smaller sets with the least upper end
    const small = brackets.slice(0, place + 1).reduceRight((best, one) => (one.high < best.high ? one : best));
    if (large.low > small.high + ROUNDING) {
      said.push(`a set of ${large.size} classes is worth at least ${fixed(large.low, 2)} to you, but one of ` +
        `${small.size} at most ${fixed(small.high, 2)}`);
    }
  });
  return said;
}

/** Rewards 0, 1/k ..., 1, ascending, with the bounds and the values of their utilities. */
function knotsOf(brackets) {
  const found = brackets.map(({ size, low, high, value }) => [1 / size, low, high, value]).sort((a, b) => a[0] - b[0]);
  const rows = [[0, 0, 0, 0], ...found, [1, 1, 1, 1]];
  return [0, 1, 2, 3].map((column) => rows.map((row) => row[column]));
}

/** Whether the answers are consistent with risk aversion (or neutrality). */
function isConcave(brackets) {
  const [x, low, high] = knotsOf(brackets);
  return concaveHull(x, low).every((value, i) => value <= high[i] + ROUNDING);
}

/** The smallest concave function above the points, evaluated at these points. */
function concaveHull(x, y) {
  const kept = [];
  const turnsUp = (i, j, k) => (y[j] - y[i]) * (x[k] - x[j]) <= (y[k] - y[j]) * (x[j] - x[i]);
  x.forEach((_, i) => {
    while (kept.length > 1 && turnsUp(kept[kept.length - 2], kept[kept.length - 1], i)) kept.pop();
    kept.push(i);
  });
  return x.map((value) => interp(value, kept.map((i) => x[i]), kept.map((i) => y[i])));
}

/** The utilities of hits with 1, ..., K classes: concave within the brackets, if that is possible. */
function tableOf(nClasses, brackets) {
  const [x, low, high, best] = knotsOf(brackets);
  let values = best.map((value) => roundScaled(value, 6));
  const fits = (some) => some.every((value, i) => value <= high[i] + ROUNDING);
  if (isConcave(brackets)) {
    const raised = concaveHull(x, values);
    values = fits(raised) ? raised : concaveHull(x, low);
  } else { // a smaller set is worth at least as much, unless the brackets exclude it
    let most = -Infinity;
    const raised = values.map((value) => (most = Math.max(most, value)));
    values = fits(raised) ? raised : values;
  }
  return Array.from({ length: nClasses }, (_, i) => interp(1 / (i + 1), x, values));
}

return {
  session, interval, median, round, // and the grid, on which elicit_curves.js fits curves
  VALUES, NOISES, firstPrior, likelihoodOf, ofValue,
};

})();
