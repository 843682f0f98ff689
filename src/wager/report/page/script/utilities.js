// Utilities: what a reward is worth to a decision maker, as in wager.rewards.
//
// A prediction of k classes that contains the true one earns 1/k, any other earns 0 (Zaffalon, Corani
// & Mauá, 2012, Theorem 1).  `worth` lists the utility of a miss and of hits with 1, ..., K classes.

wager.utilities = (function () {

const { general } = wager.numbers;

/** The parabola through u(0) = 0, u(1/2) and u(1) = 1. */
function quadratic(half) {
  const [a, b] = [2 - 4 * half, 4 * half - 1];
  return { name: `u${general(100 * half, 10)}`, of: (x) => (a * x + b) * x, inverse: (v) => quadraticInverse(a, b, v) };
}

/** The least reward with this utility, without cancellation. */
function quadraticInverse(a, b, v) {
  if (a === 0) return v;
  const square = b * b + 4 * a * v; // the maximum itself may be too high by a rounding error
  const root = Math.sqrt(Math.abs(square) < 1e-15 ? 0 : square);
  const q = -(b + (b >= 0 ? root : -root)) / 2;
  const found = [q / a, v === 0 ? 0 : -v / q].filter((x) => x >= 0);
  return found.length ? Math.min(...found) : NaN;
}

/** The F measure of a set, as in information retrieval: (1 + b^2) x / (b^2 x + 1). */
function fbeta(beta) {
  const b2 = beta * beta;
  return {
    name: `f${general(beta, 10)}`,
    of: (x) => ((1 + b2) * x) / (b2 * x + 1),
    inverse: (v) => v / (1 + b2 - b2 * v),
  };
}

/** The exponential utility with risk aversion a, divided by u(1); linear for a = 0. */
function exponential(a) {
  const isLinear = Math.abs(a) < 1e-12;
  const scale = -1 / Math.expm1(-a);
  return {
    name: `exp-norm:${general(a, 10)}`,
    of: (x) => (isLinear ? x : -scale * Math.expm1(-a * x)),
    inverse: (v) => (isLinear ? v : -Math.log1p(-v / scale) / a),
  };
}

/** The risk aversion of the exponential utility with this u(1/2): a = 2 log(u / (1 - u)). */
function riskAversion(half) {
  return 2 * Math.log(half / (1 - half));
}

/** A curve through u(1/2), u(1/3), ...; a set that is larger earns in proportion to 1/size. */
function free(values, nClasses) {
  const table = [1, ...values].slice(0, nClasses);
  const last = table.length;
  while (table.length < nClasses) table.push((table[last - 1] * last) / (table.length + 1));
  return tabulated(`tabulated:${table.map((v) => general(v)).join(",")}`, [0, ...table]);
}

/** A utility that is given by set size, with linear interpolation of the reward in between. */
function tabulated(name, worth) {
  const K = worth.length - 1;
  const knots = [0, ...Array.from({ length: K }, (_, i) => 1 / (K - i))];
  const values = [worth[0], ...Array.from({ length: K }, (_, i) => worth[K - i])];
  return { name, worth, of: (x) => interpolate(x, knots, values), inverse: (v) => firstCrossing(v, knots, values) };
}

function interpolate(x, knots, values) {
  let i = 1;
  while (i < knots.length - 1 && knots[i] < x) i++;
  const share = (x - knots[i - 1]) / (knots[i] - knots[i - 1]);
  return values[i - 1] + share * (values[i] - values[i - 1]);
}

/** The least reward at which a curve of straight lines has this value. */
function firstCrossing(v, knots, values) {
  for (let i = 1; i < knots.length; i++) {
    const [low, high] = [values[i - 1], values[i]];
    if (Math.abs(low - v) <= 1e-12) return knots[i - 1];
    if ((low - v) * (high - v) <= 0) return knots[i - 1] + ((v - low) / (high - low)) * (knots[i] - knots[i - 1]);
  }
  return NaN;
}

/** The certain reward that is worth v: 1 where v = u(1), as utilities may have that value twice. */
function certaintyEquivalent(utility, v) {
  const top = utility.of(1);
  if (Math.abs(v - top) <= 4 * 2.220446049250313e-16 * Math.max(Math.abs(top), 1)) return 1;
  return Math.max(utility.inverse(v), 0);
}

/** The utility of a decision maker over so many classes, with its worth by size. */
function utilityOf(dm, nClasses, named = []) {
  const found = formula(dm, nClasses, named);
  const sizes = Array.from({ length: nClasses + 1 }, (_, k) => k);
  const worth = Float64Array.from(found.worth ?? sizes.map((k) => found.of(k > 0 ? 1 / k : 0)));
  return { ...found, worth, half: found.of(0.5), low: smallest(worth), high: largest(worth) };
}

function formula(dm, nClasses, named) {
  switch (dm.family) {
    case "quadratic": return quadratic(dm.u_half);
    case "fbeta": return fbeta(dm.beta);
    case "exponential": return exponential(dm.a ?? riskAversion(dm.u_half));
    case "free": {
      const curve = free(dm.worth, nClasses);
      return dm.name ? { ...curve, name: dm.name } : curve;
    }
    case "named": {
      const known = named.find((utility) => utility.name === dm.name);
      if (known === undefined) throw new Error(`there is no utility called ${dm.name} in this report`);
      return tabulated(known.name, known.worth.map((value) => value ?? NaN));
    }
    default: throw new Error(`${dm.family} is not a family of utilities`);
  }
}

/** The smallest and the largest utility, without those that are not defined. */
function smallest(worth) {
  return worth.reduce((least, value) => (value < least ? value : least), Infinity);
}

function largest(worth) {
  return worth.reduce((most, value) => (value > most ? value : most), -Infinity);
}

// -- families along one parameter (wager.compare._utility_families) ------------------------------------

const FAMILIES = {
  quadratic: { name: "quadratic", parameter: "u(0.5)", low: 0.5, high: 1, bends: 2, at: (value) => ({ family: "quadratic", u_half: value }) },
  exponential: { name: "exponential", parameter: "a", low: 0, high: 5, bends: 21, at: (value) => ({ family: "exponential", a: value }) },
  fbeta: { name: "fbeta", parameter: "beta", low: 0, high: 3, bends: 21, at: (value) => ({ family: "fbeta", beta: value }) },
};

/** Whether every utility is a straight line between its neighbours: the quadratic ones from 0.5 to 1. */
function isOnTheLine(dm) {
  return dm.family === "quadratic" && dm.u_half >= 0.5 && dm.u_half <= 1;
}

return { FAMILIES, utilityOf, quadratic, fbeta, exponential, riskAversion, free, tabulated, certaintyEquivalent, isOnTheLine };

})();
