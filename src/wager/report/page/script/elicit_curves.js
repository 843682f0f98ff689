// What the answers of an interview leave: curves with one parameter that fit them best, and a file, as in
// wager.rewards (_curve_fit.py, _elicited.py).
//
// The quadratic and the normalized exponential utility have one parameter each, which u(0.5) fixes.  So the
// answers about all set sizes together give a distribution of u(0.5), on the grid of the interview.

wager.elicitCurves = (function () {

const { fixed, general } = wager.numbers;
const { interval, median, round, VALUES, NOISES, firstPrior, likelihoodOf, ofValue } = wager.elicit;

const ROUNDING = 1e-9;
const MOST_AVERSE = 50; // beyond this risk aversion every set is as good as the class itself
const clip = (x, low, high) => Math.min(Math.max(x, low), high);

const CURVES = {
  quadratic: {
    make: (half) => wager.utilities.quadratic(half).of,
    atHalf: (half) => half,
    /** u(0.5) of the parabola through the value of a set. */
    through: (size, worth) => clip((worth - (2 / size ** 2 - 1 / size)) / (4 * (1 / size - 1 / size ** 2)), 0, 1),
    lines: (u) => ['kind = "elicited-quadratic"', `u_half = ${pythonNumber(u)}`],
  },
  exponential: {
    make: (a) => wager.utilities.exponential(a).of,
    atHalf: (half) => clip(2 * (Math.log(half) - Math.log1p(-half)), -MOST_AVERSE, MOST_AVERSE),
    /** The risk aversion at which a set has its value, by bisection. */
    through(size, worth) {
      let [low, high] = [-MOST_AVERSE, MOST_AVERSE];
      for (let step = 0; step < 60; step++) {
        const middle = (low + high) / 2;
        if (wager.utilities.exponential(middle).of(1 / size) < worth) low = middle;
        else high = middle;
      }
      return (low + high) / 2;
    },
    lines: (a) => ['kind = "elicited-exp"', `a = ${pythonNumber(a)}`, "normalized = true"],
  },
};

/** The curve of a kind that fits best: its parameter, and the interval of u(0.5) if the curve is right. */
function fit({ brackets, level }, kind) {
  const curve = CURVES[kind];
  const least = Math.max(...brackets.map(({ size, low }) => curve.through(size, low)));
  const most = Math.min(...brackets.map(({ size, high }) => curve.through(size, high)));
  const found = posteriorOfHalf(curve, brackets);
  const ends = interval(found, level).map(curve.atHalf);
  const best = round(curve.atHalf(round(median(found), 3)), 3);
  const parameter = least <= most + ROUNDING ? clip(best, least, most) : best;
  return { parameter, halfInterval: ends.map((end) => round(clip(curve.make(end)(0.5), 0, 1), 6)), of: curve.make(parameter) };
}

/** The distribution of u(0.5) on the grid if the curve gives sets their values. */
function posteriorOfHalf(curve, brackets) {
  const S = NOISES.length;
  const curves = Array.from(VALUES, (half) => curve.make(curve.atHalf(half)));
  const prior = firstPrior(2);
  let joint = Float64Array.from({ length: VALUES.length * S }, (_, at) => prior[Math.floor(at / S)]);
  for (const { size, answers } of brackets) {
    const values = curves.map((of) => of(1 / size));
    for (const [chance, word] of answers) {
      const given = likelihoodOf(values, chance, word);
      joint = joint.map((p, at) => p * given[at]);
    }
    const whole = joint.reduce((total, p) => total + p, 0);
    joint = joint.map((p) => p / whole);
  }
  return ofValue(joint);
}

// -- the file ------------------------------------------------------------------------------------------------

/**
 * The text of a TOML file with the utility, for --utility.
 *
 * `kind` is "tabulated", or "quadratic" or "exponential" for the closest curve.
 */
function toml(result, { kind = "tabulated", label = "" } = {}) {
  const name = label.replace(/[^\p{L}\p{N}_.-]+/gu, "-");
  const notes = [
    `# elicited by ${result.nQuestions} questions about ${result.nClasses} classes`,
    ...result.brackets.map(({ size, low, high, value }) =>
      `# a set of ${size} with the right class is worth ${fixed(value, 2)}, between ${fixed(low, 2)} and ` +
      `${fixed(high, 2)} with probability ${general(result.level)}`),
    ...result.contradictions.map((words) => `# contradiction: ${words}`),
  ];
  const table = ['kind = "elicited"', `values = [${result.values.map(pythonNumber).join(", ")}]`, "miss = 0.0"];
  const curve = kind === "tabulated" ? null : fit(result, kind);
  const lines = curve === null ? table : CURVES[kind].lines(curve.parameter);
  const half = curve === null ? result.halfInterval : curve.halfInterval;
  if (half) lines.push(`half_interval = [${half.map(pythonNumber).join(", ")}]`);
  if (name) lines.push(`label = "${name}"`);
  return `${[...notes, ...lines].join("\n")}\n`;
}

function pythonNumber(x) {
  return Number.isInteger(x) ? `${x}.0` : String(x);
}

return { fit, toml };

})();
