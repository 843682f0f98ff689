// A person's utility from a few questions: the staircase of wager.rewards.elicit, to the last digit.
//
// Which is better: a set of k classes that always contains the right one, or the right class alone
// with chance q?  A person to whom the set is worth v compares q with v plus a normal error of
// unknown standard deviation s, and now and then answers at random.  The distribution of v and s is
// kept on a grid; the next chance is the one after whose answer the entropy of v is expected to be
// least (Kontsevich & Tyler, 1999; Prins, 2013).

wager.elicit = (function () {

const { normalCdf } = wager.statistics;
const { fixed, general } = wager.numbers;

const CELLS = 200;
const EDGES = Float64Array.from({ length: CELLS + 1 }, (_, i) => (i < CELLS ? i * (1 / CELLS) : 1)); // as in NumPy
const VALUES = Float64Array.from({ length: CELLS }, (_, i) => (EDGES[i] + EDGES[i + 1]) / 2);
const N_NOISES = 8;
const NOISES = Float64Array.from({ length: N_NOISES }, (_, i) => 0.005 * (0.12 / 0.005) ** (i / (N_NOISES - 1)));
const CHANCES = Array.from({ length: 99 }, (_, i) => (i + 1) / 100);
const LAPSE = 0.02;
const INDIFFERENT = 0.025; // "same": the chance and the noisy value differ by at most this
const FIRST = [6, 10]; // the least and the largest number of questions about the first size
const LATER = [4, 8];
const UNUSUAL = 0.2; // the density of values below 1/size, relative to those above
const SLACK = 0.1; // "below" begins this much lower
const REFUTED = 0.1; // how often a presumption fails
const MARGIN = 0.03; // by how much it is widened
const TINY = 1e-9;
const MOST_AVERSE = 50; // beyond this risk aversion every set is as good as the class itself
const ANSWERS = ["set", "chance", "same"];

// -- numbers on the grid -----------------------------------------------------------------------------

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** x rounded to so many decimals; ties of halves go to the even number, as in NumPy. */
function rounded(x, digits) {
  const scaled = x * 10 ** digits, below = Math.floor(scaled);
  const isTie = scaled - below === 0.5;
  return (isTie ? below + (below % 2) : Math.round(scaled)) / 10 ** digits;
}

/** Linear interpolation in an ascending list, which may repeat numbers. */
function interpolated(x, xs, ys) {
  const last = xs.length - 1;
  if (x >= xs[last]) return ys[last];
  if (x < xs[0]) return ys[0];
  let low = 0, high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle;
    else high = middle;
  }
  if (x === xs[low]) return ys[low];
  return ((ys[low + 1] - ys[low]) / (xs[low + 1] - xs[low])) * (x - xs[low]) + ys[low];
}

/** The distribution function of a distribution on the grid, at its edges. */
function below(worth) {
  const total = sum(worth), found = new Float64Array(CELLS + 1);
  for (let i = 0; i < CELLS; i++) found[i + 1] = found[i] + worth[i] / total;
  return found;
}

/** The shortest interval with a probability of `level`. */
function intervalOf(worth, level) {
  const cdf = below(worth);
  cdf[CELLS] = 1;
  const ends = [...EDGES, ...Array.from(cdf, (p) => interpolated(p - level, cdf, EDGES))];
  let best = null;
  for (const low of ends) {
    const at = interpolated(low, EDGES, cdf);
    if (!(at <= 1 - level + 1e-12)) continue;
    const high = interpolated(at + level, cdf, EDGES), width = rounded(high - low, 9);
    if (best === null || width < best.width) best = { low, high, width };
  }
  return [Number(best.low.toFixed(4)), Number(best.high.toFixed(4))];
}

function medianOf(worth) {
  return Number(interpolated(0.5, below(worth), EDGES).toFixed(4));
}

// -- what answers say --------------------------------------------------------------------------------

/** The probability of an answer, for a value and a noise. */
function likelihood(value, noise, chance, word) {
  const above = (value - chance) / noise;
  let given;
  if (word === "same") {
    const width = INDIFFERENT / noise;
    given = normalCdf(above + width) - normalCdf(above - width);
  } else given = normalCdf(word === "set" ? above : -above);
  return LAPSE / 2 + (1 - LAPSE) * given;
}

const GRIDS = new Map();
/** The probability of an answer for each value (rows) and noise (columns) of the grid. */
function onGrid(chance, word) {
  const key = `${word} ${chance}`;
  if (!GRIDS.has(key)) {
    const table = new Float64Array(CELLS * N_NOISES);
    for (let v = 0; v < CELLS; v++) {
      for (let s = 0; s < N_NOISES; s++) table[v * N_NOISES + s] = likelihood(VALUES[v], NOISES[s], chance, word);
    }
    GRIDS.set(key, table);
  }
  return GRIDS.get(key);
}

/** The prior of the first size: a risk-averse person gives it at least 1/size. */
function firstPrior(size) {
  const density = VALUES.map((value) => (1 / size - SLACK < value ? 1 : UNUSUAL));
  const total = sum(density);
  return density.map((x) => x / total);
}

/** The prior of a size, given the distribution of a smaller one and the ratio of the sizes. */
function laterPrior(worth, ratio) {
  const total = sum(worth), presumed = new Float64Array(CELLS);
  for (let i = 0; i < CELLS; i++) {
    const low = ratio * VALUES[i] - MARGIN, high = VALUES[i] + MARGIN;
    let n = 0;
    for (let j = 0; j < CELLS; j++) if (low <= VALUES[j] && high >= VALUES[j]) n += 1;
    const share = worth[i] / total / n;
    for (let j = 0; j < CELLS; j++) if (low <= VALUES[j] && high >= VALUES[j]) presumed[j] += share;
  }
  return presumed.map((x) => (1 - REFUTED) * x + REFUTED / CELLS);
}

/** The joint distributions of value (rows) and noise (columns), one for each set size. */
function posteriors(history) {
  let noise = new Float64Array(N_NOISES).fill(1), worth = null;
  const evidence = history.map(({ size, answered }, place) => {
    const prior = worth === null ? firstPrior(size) : laterPrior(worth, history[place - 1].size / size);
    const joint = spread(prior);
    for (const [chance, word] of answered) {
      const table = onGrid(chance, word);
      for (let i = 0; i < joint.length; i++) joint[i] *= table[i];
    }
    worth = valuesOf(joint, noise);
    const ofNoise = noisesOf(joint);
    noise = noise.map((x, s) => x * ofNoise[s]);
    const total = sum(noise);
    noise = noise.map((x) => x / total);
    return joint;
  });
  return evidence.map((joint) => {
    const ofNoise = noisesOf(joint); // the noise of all sizes
    return normalised(joint.map((x, i) => x * (noise[i % N_NOISES] / ofNoise[i % N_NOISES])));
  });
}

/** A distribution of values with all noises equally likely. */
function spread(prior) {
  return Float64Array.from({ length: CELLS * N_NOISES }, (_, i) => prior[Math.floor(i / N_NOISES)]);
}

function normalised(joint) {
  const total = sum(joint);
  return joint.map((x) => x / total);
}

/** The distribution of the value, with weights for the noises. */
function valuesOf(joint, weights = null) {
  const found = new Float64Array(CELLS);
  for (let i = 0; i < joint.length; i++) {
    found[Math.floor(i / N_NOISES)] += joint[i] * (weights === null ? 1 : weights[i % N_NOISES]);
  }
  return found;
}

function noisesOf(joint) {
  const found = new Float64Array(N_NOISES);
  for (let i = 0; i < joint.length; i++) found[i % N_NOISES] += joint[i];
  return found;
}

// -- the next question -------------------------------------------------------------------------------

/** The chance to offer next for the last size; null if nothing is left to ask. */
function nextChance(history, resolution, level) {
  const { answered } = history[history.length - 1];
  const [least, most] = history.length === 1 ? FIRST : LATER;
  const joint = posteriors(history)[history.length - 1];
  if (answered.length >= least) {
    const [low, high] = intervalOf(valuesOf(joint), level);
    const isNarrow = high - low <= resolution && isConfirmed(answered, low, high);
    if (isNarrow || answered.length >= most) return null;
  }
  const offered = new Set(answered.map(([chance]) => chance));
  let best = null;
  for (const chance of CHANCES) {
    if (offered.has(chance)) continue;
    const entropy = rounded(expectedEntropy(joint, chance), 9);
    if (best === null || entropy < best.entropy) best = { chance, entropy };
  }
  return best.chance;
}

/** Whether answers, and not only presumptions, bound the value on both sides. */
function isConfirmed(answered, low, high) {
  const words = new Set(answered.map(([, word]) => word));
  const fromBelow = low === 0 || words.has("set") || words.has("same");
  return fromBelow && (high === 1 || words.has("chance") || words.has("same"));
}

/** The entropy of the value that is expected after the answer to a chance. */
function expectedEntropy(joint, chance) {
  const table = onGrid(chance, "set");
  const afterSet = new Float64Array(CELLS), afterChance = new Float64Array(CELLS);
  for (let v = 0; v < CELLS; v++) {
    let all = 0, set = 0;
    for (let i = v * N_NOISES; i < (v + 1) * N_NOISES; i++) {
      all += joint[i];
      set += joint[i] * table[i];
    }
    afterSet[v] = set;
    afterChance[v] = all - set;
  }
  return entropyOf(afterSet) + entropyOf(afterChance);
}

function entropyOf(part) {
  const total = sum(part);
  let found = 0;
  for (const x of part) {
    const share = Math.max(x / total, 1e-300);
    found -= share * Math.log(share);
  }
  return total * found;
}

/** The chance nearest to the value among those offered, except the last one. */
function chanceToRepeat(answered, value) {
  const offered = answered.slice(0, -1).map(([chance]) => chance);
  const gap = (chance) => rounded(Math.abs(chance - value), 9);
  return offered.reduce((a, b) => (gap(b) < gap(a) || (gap(b) === gap(a) && b < a) ? b : a));
}

// -- sessions ----------------------------------------------------------------------------------------

const ALL_UP_TO = 4; // larger sizes are skipped in part: their values are close together

function sizesFor(nClasses) {
  const sizes = [2];
  while (sizes[sizes.length - 1] < nClasses) {
    const last = sizes[sizes.length - 1];
    sizes.push(Math.min(last < ALL_UP_TO ? last + 1 : last + Math.floor(last / 2), nClasses));
  }
  return sizes;
}

/** The start of an interview; a session never changes, `answer` returns the next one. */
function session({ nClasses, sizes, resolution = 0.05, check = true, level = 0.95 }) {
  const chosen = sizes ? [...new Set(sizes)].sort((a, b) => a - b) : sizesFor(nClasses);
  const settings = { nClasses, sizes: chosen, resolution, check, level };
  return sessionAt(settings, [], asked(settings, [{ size: chosen[0], answered: [] }]));
}

/** The next question about the sizes in order, then about each of them once more, or the end. */
function asked(settings, history) {
  const { sizes, resolution, check, level } = settings;
  let known = history;
  for (;;) {
    const { size } = known[known.length - 1];
    const chance = nextChance(known, resolution, level);
    if (chance !== null) return { history: known, repeats: null, question: questionOf(size, chance, false) };
    if (known.length === sizes.length) break;
    known = [...known, { size: sizes[known.length], answered: [] }];
  }
  if (!check) return { history: known, repeats: [], question: null };
  const values = posteriors(known).map((joint) => medianOf(valuesOf(joint)));
  const chances = known.map(({ answered }, i) => chanceToRepeat(answered, values[i]));
  return { history: known, repeats: { chances, done: 0 }, question: questionOf(known[0].size, chances[0], true) };
}

function questionOf(size, chance, again) {
  const text =
    `a set of ${size} classes that always contains the right one, or the right class alone with a ` +
    `chance of ${fixed(100 * chance, 0)}%?`;
  return { size, chance, again, text };
}

function sessionAt(settings, answers, state) {
  return Object.freeze({
    question: state.question,
    answers,
    nClasses: settings.nClasses,
    answer(word) {
      if (!ANSWERS.includes(word)) throw new Error(`an answer must be 'set', 'chance' or 'same', got '${word}'`);
      if (state.question === null) throw new Error("the session is over");
      return sessionAt(settings, [...answers, word], afterAnswer(settings, state, word));
    },
    result() {
      if (state.question !== null) {
        throw new Error(`the session is not over after ${answers.length} answers: answer the question`);
      }
      return resultOf(settings, state.history, answers.length);
    },
  });
}

function afterAnswer(settings, { history, repeats, question }, word) {
  const place = repeats === null ? history.length - 1 : repeats.done;
  const added = history.map((one, i) => (i === place ? { ...one, answered: [...one.answered, [question.chance, word]] } : one));
  if (repeats === null) return asked(settings, added);
  const done = repeats.done + 1, { chances } = repeats;
  const next = done < chances.length ? questionOf(added[done].size, chances[done], true) : null;
  return { history: added, repeats: { chances, done }, question: next };
}

// -- the result --------------------------------------------------------------------------------------

function resultOf(settings, history, nQuestions) {
  const { nClasses, level } = settings;
  const brackets = posteriors(history).map((joint, i) => {
    const worth = valuesOf(joint), [low, high] = intervalOf(worth, level), { size, answered } = history[i];
    return { size, low, high, value: medianOf(worth), answers: answered, contradiction: contradictionIn(size, answered) };
  });
  const pair = brackets.find((bracket) => bracket.size === 2);
  const result = {
    nClasses, level, nQuestions, brackets,
    halfInterval: pair ? [pair.low, pair.high] : null,
    contradictions: contradictionsOf(brackets),
    isConcave: isConcave(brackets),
  };
  return { ...result, values: tableOf(result) };
}

const percent = (chance) => `${fixed(100 * chance, 0)}%`;

/** The two answers that contradict each other most: the same question, or the wrong order. */
function contradictionIn(size, answers) {
  const [last, now] = answers[answers.length - 1];
  const before = answers.slice(0, -1).find(([chance]) => chance === last);
  const words = new Set([before && before[1], now]);
  if (words.has("set") && words.has("chance")) {
    return `a set of ${size} classes or a chance of ${percent(last)}: first ${before[1]}, then ${now}`;
  }
  const taken = Math.max(0, ...answers.filter(([, word]) => word === "set").map(([chance]) => chance));
  const refused = Math.min(1, ...answers.filter(([, word]) => word === "chance").map(([chance]) => chance));
  if (taken <= refused) return "";
  return `you preferred a set of ${size} classes to a chance of ${percent(taken)}, but a chance of ${percent(refused)} to the set`;
}

function contradictionsOf(brackets) {
  const said = brackets.map((bracket) => bracket.contradiction).filter((words) => words !== "");
  brackets.slice(1).forEach((large, i) => {
    const small = brackets[i];
    if (large.low > small.high + TINY) {
      said.push(
        `a set of ${large.size} classes is worth at least ${fixed(large.low, 2)} to you, but one of ` +
          `${small.size} at most ${fixed(small.high, 2)}`,
      );
    }
  });
  return said;
}

/** Rewards 0, 1/k, ..., 1, ascending, and one number of the brackets at each. */
function knotsOf(brackets, key) {
  const inside = [...brackets].sort((a, b) => b.size - a.size);
  return { x: [0, ...inside.map(({ size }) => 1 / size), 1], y: [0, ...inside.map((b) => b[key]), 1] };
}

/** The smallest concave function above the points, at these points. */
function concaveHull(x, y) {
  const kept = [];
  const turnsUp = (i, j, k) => (y[j] - y[i]) * (x[k] - x[j]) <= (y[k] - y[j]) * (x[j] - x[i]);
  for (let i = 0; i < x.length; i++) {
    while (kept.length > 1 && turnsUp(kept[kept.length - 2], kept[kept.length - 1], i)) kept.pop();
    kept.push(i);
  }
  const xs = kept.map((i) => x[i]), ys = kept.map((i) => y[i]);
  return x.map((at) => interpolated(at, xs, ys));
}

/** Whether the answers are consistent with risk aversion (or neutrality). */
function isConcave(brackets) {
  const { x, y } = knotsOf(brackets, "low"), high = knotsOf(brackets, "high").y;
  return concaveHull(x, y).every((value, i) => value <= high[i] + TINY);
}

/** The utilities of hits with 1, ..., K classes: a table with linear interpolation in the reward. */
function tableOf({ brackets, nClasses, isConcave: concave }) {
  const { x, y } = knotsOf(brackets, "value"), high = knotsOf(brackets, "high").y;
  let values = y.map((value) => rounded(value, 6));
  const fits = (raised) => raised.every((value, i) => value <= high[i] + TINY);
  if (concave) {
    const raised = concaveHull(x, values);
    values = fits(raised) ? raised : concaveHull(x, knotsOf(brackets, "low").y);
  } else {
    const raised = values.map((_, i) => Math.max(...values.slice(0, i + 1)));
    values = fits(raised) ? raised : values;
  }
  return Array.from({ length: nClasses }, (_, i) => interpolated(1 / (i + 1), x, values));
}

// -- curves with one parameter -----------------------------------------------------------------------

const clip = (x, low, high) => Math.min(Math.max(x, low), high);

const CURVES = {
  quadratic: {
    of: (half) => (x) => ((2 - 4 * half) * x + 4 * half - 1) * x,
    through: (size, worth) => {
      const x = 1 / size;
      return clip((worth - (2 * x * x - x)) / (4 * (x - x * x)), 0, 1);
    },
    atHalf: (half) => half,
  },
  exponential: {
    of: (a) => (x) => (Math.abs(a) < 1e-12 ? x : Math.expm1(-a * x) / Math.expm1(-a)),
    through: (size, worth) => exponentialThrough(size, worth),
    atHalf: (half) => clip(2 * (Math.log(half) - Math.log1p(-half)), -MOST_AVERSE, MOST_AVERSE),
  },
};

/** The risk aversion at which a set of this size has its value, by bisection. */
function exponentialThrough(size, worth) {
  let low = -MOST_AVERSE, high = MOST_AVERSE;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (CURVES.exponential.of(middle)(1 / size) < worth) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The curve of a kind that fits the answers about all sizes best, and its interval of u(0.5). */
function fitted(kind, { brackets, level }) {
  const curve = CURVES[kind];
  const least = Math.max(...brackets.map((b) => curve.through(b.size, b.low)));
  const most = Math.min(...brackets.map((b) => curve.through(b.size, b.high)));
  const found = posteriorOfHalf(curve, brackets);
  const ends = intervalOf(found, level).map(curve.atHalf);
  let best = Number(curve.atHalf(Number(medianOf(found).toFixed(3))).toFixed(3));
  if (least <= most + TINY) best = clip(best, least, most);
  const half = ends.map((end) => Number(clip(curve.of(end)(0.5), 0, 1).toFixed(6)));
  return { parameter: best, halfInterval: half };
}

/** The distribution of u(0.5) on the grid if a curve gives all sets their values. */
function posteriorOfHalf(curve, brackets) {
  let joint = spread(firstPrior(2));
  const curves = Array.from(VALUES, (half) => curve.of(curve.atHalf(half)));
  for (const { size, answers } of brackets) {
    const worths = curves.map((of) => of(1 / size));
    for (const [chance, word] of answers) {
      for (let i = 0; i < joint.length; i++) {
        joint[i] *= likelihood(worths[Math.floor(i / N_NOISES)], NOISES[i % N_NOISES], chance, word);
      }
    }
    joint = normalised(joint);
  }
  return valuesOf(joint);
}

// -- the file ----------------------------------------------------------------------------------------

/** A number as Python and TOML write a float. */
function float(x) {
  const text = String(x);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

const list = (numbers) => `[${numbers.map(float).join(", ")}]`;

/** The text of a TOML file that `--utility` reads, as `wager elicit` writes it. */
function toml(result, { kind = "tabulated", label = "utility" } = {}) {
  const named = label.replace(/[^\p{L}\p{N}_.-]+/gu, "-");
  const notes = [`# elicited by ${result.nQuestions} questions about ${result.nClasses} classes`];
  for (const b of result.brackets) {
    notes.push(
      `# a set of ${b.size} with the right class is worth ${fixed(b.value, 2)}, between ${fixed(b.low, 2)} ` +
        `and ${fixed(b.high, 2)} with probability ${general(result.level)}`,
    );
  }
  notes.push(...result.contradictions.map((words) => `# contradiction: ${words}`));
  return [...notes, ...linesOf(result, kind), named ? `label = "${named}"` : null].filter((line) => line !== null).join("\n") + "\n";
}

function linesOf(result, kind) {
  if (kind === "tabulated") {
    const half = result.halfInterval === null ? [] : [`half_interval = ${list(result.halfInterval)}`];
    return ['kind = "elicited"', `values = ${list(result.values)}`, "miss = 0.0", ...half];
  }
  const { parameter, halfInterval } = fitted(kind, result);
  const half = `half_interval = ${list(halfInterval)}`;
  if (kind === "quadratic") return ['kind = "elicited-quadratic"', `u_half = ${float(parameter)}`, half];
  return ['kind = "elicited-exp"', `a = ${float(parameter)}`, "normalized = true", half];
}

return { session, toml, fitted };

})();
