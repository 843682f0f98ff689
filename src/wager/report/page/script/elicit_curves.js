// The curve with one parameter that fits a person's answers best, as in wager.rewards (_curve_fit.py).
//
// The quadratic and the normalized exponential utility have one parameter each, which u(0.5) fixes.  So the
// answers about all set sizes together give a distribution of u(0.5), on the grid of the interview.
wager.elicitCurves = (() => {
  const { normalCdf } = wager.statistics;
  const { interval, median } = wager.elicit;
  const CELLS = 200;
  const VALUES = Float64Array.from({ length: CELLS }, (_, i) => (i * (1 / CELLS) + (i + 1 < CELLS ? (i + 1) * (1 / CELLS) : 1)) / 2);
  const NOISES = Float64Array.from({ length: 8 }, (_, i) => 0.005 * (0.12 / 0.005) ** (i / 7));
  const LAPSE = 0.02;
  const INDIFFERENT = 0.025; // "same": the chance and the noisy value differ by at most this
  const LOWEST = 0.4; // below this u(0.5) is unusual
  const UNUSUAL = 0.2;
  const MOST_AVERSE = 50; // beyond this risk aversion every set is as good as the class itself
  const SLACK = 1e-9;

  const clip = (x, low, high) => Math.min(Math.max(x, low), high);

  const CURVES = {
    quadratic: {
      kind: "elicited-quadratic",
      of: (half) => (x) => ((2 - 4 * half) * x + 4 * half - 1) * x,
      through(size, worth) {
        const x = 1 / size;
        return clip((worth - (2 * x * x - x)) / (4 * (x - x * x)), 0, 1);
      },
      atHalf: (half) => half,
      lines: (half) => [`u_half = ${float(half)}`],
    },
    exponential: {
      kind: "elicited-exp",
      of: (a) => (x) => (Math.abs(a) < 1e-12 ? x : Math.expm1(-a * x) / Math.expm1(-a)),
      through: (size, worth) => riskAversionThrough(size, worth),
      atHalf: (half) => clip(2 * (Math.log(half) - Math.log1p(-half)), -MOST_AVERSE, MOST_AVERSE),
      lines: (a) => [`a = ${float(a)}`, "normalized = true"],
    },
  };

  /** The risk aversion at which a set of this size has its value, by bisection. */
  function riskAversionThrough(size, worth) {
    let low = -MOST_AVERSE, high = MOST_AVERSE;
    for (let step = 0; step < 60; step++) {
      const middle = (low + high) / 2;
      if (CURVES.exponential.of(middle)(1 / size) < worth) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }

  /** The parameter that fits best, and the interval of u(0.5) if the curve is right. */
  function fitted(kind, { brackets, level }) {
    const curve = CURVES[kind];
    const least = Math.max(...brackets.map((b) => curve.through(b.size, b.low)));
    const most = Math.min(...brackets.map((b) => curve.through(b.size, b.high)));
    const found = distributionOfHalf(curve, brackets);
    const ends = interval(found, level).map(curve.atHalf);
    let parameter = rounded(curve.atHalf(rounded(median(found), 3)), 3);
    if (least <= most + SLACK) parameter = clip(parameter, least, most);
    return { parameter, halfInterval: ends.map((end) => rounded(clip(curve.of(end)(0.5), 0, 1), 6)) };
  }

  const rounded = (x, digits) => Number(x.toFixed(digits));

  /** The distribution of u(0.5) on the grid if a curve gives all sets their values. */
  function distributionOfHalf(curve, brackets) {
    const joint = VALUES.map((half) => (LOWEST < half ? 1 : UNUSUAL));
    const byNoise = Array.from(NOISES, () => joint.slice());
    const curves = Array.from(VALUES, (half) => curve.of(curve.atHalf(half)));
    for (const { size, answers } of brackets) {
      const worths = curves.map((of) => of(1 / size));
      for (const [chance, word] of answers) {
        byNoise.forEach((column, s) => {
          for (let v = 0; v < CELLS; v++) column[v] *= likelihood(worths[v], NOISES[s], chance, word);
        });
      }
      const total = byNoise.reduce((sum, column) => sum + column.reduce((a, b) => a + b, 0), 0);
      for (const column of byNoise) for (let v = 0; v < CELLS; v++) column[v] /= total;
    }
    return VALUES.map((_, v) => byNoise.reduce((sum, column) => sum + column[v], 0));
  }

  /** The probability of an answer of a person to whom the set has this value, with this noise. */
  function likelihood(value, noise, chance, word) {
    const above = (value - chance) / noise, width = INDIFFERENT / noise;
    const given = word === "same"
      ? normalCdf(above + width) - normalCdf(above - width) : normalCdf(word === "set" ? above : -above);
    return LAPSE / 2 + (1 - LAPSE) * given;
  }

  /** A number as Python and TOML write a float. */
  function float(x) {
    return Number.isInteger(x) ? `${x}.0` : String(x);
  }

  /** The text of a file for --utility: a table of values, or the curve that fits best. */
  function toml(result, { kind, label }) {
    const table = wager.elicit.toml(result, { label });
    if (kind === "tabulated") return table;
    const { parameter, halfInterval } = fitted(kind, result);
    const lines = table.split("\n").filter((line) => line.startsWith("#") || line.startsWith("label"));
    const about = [`kind = "${CURVES[kind].kind}"`, ...CURVES[kind].lines(parameter), `half_interval = [${halfInterval.map(float).join(", ")}]`];
    const notes = lines.filter((line) => line.startsWith("#")), named = lines.filter((line) => !line.startsWith("#"));
    return `${[...notes, ...about, ...named].join("\n")}\n`;
  }

  return { fitted, toml };
})();
