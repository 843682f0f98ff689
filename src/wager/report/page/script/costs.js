// Costs of set-valued predictions: costs of single classes, extended to sets by p-discounting.
//
// The cost of a set is a generalized mean of the costs of its members (Yang, Destercke & Masson, 2017,
// Def. 3 and Eqs 12-16), with the exponent 1 - r: r rewards caution.

wager.costs = (function () {

const SMALL = 1e-3; // below this exponent c**p loses digits, so c**p - 1 is summed instead
const FAR = 600; // a power beyond exp(+-600) is outside the range of doubles

/** The exponents for true classes inside and outside the set (Eqs 14 to 16). */
function exponents(r, mode) {
  return { inside: 1 - r, outside: mode === "mistake-averse" ? 1 + r : 1 - r };
}

/**
 * The generalized mean of the members' costs, for each outcome.
 *
 * `matrix[predicted][true]` are the costs, `sets` lists of positions, and an outcome is the pair of
 * sets[set] and truth.  Empty sets give NaN.
 */
function generalizedMeans(matrix, sets, outcomes, p) {
  const total = (of) => {
    const changed = matrix.map((row) => Float64Array.from(row, of));
    return Float64Array.from(outcomes, ({ set, truth }) => sets[set].reduce((sum, k) => sum + changed[k][truth], 0));
  };
  const size = ({ set }) => sets[set].length;
  const finish = (sums, of) => sums.map((sum, j) => of(sum / size(outcomes[j])));
  const plain = total((c) => c);
  let means;
  const positive = matrix.flatMap((row) => Array.from(row)).filter((c) => c > 0);
  const farthest = Math.max(...positive.map((c) => Math.abs(Math.log(c))), 0);
  if (p === 1) means = finish(plain, (mean) => mean);
  else if (!Number.isFinite(p)) means = farthestOf(matrix, sets, outcomes, p > 0 ? Math.max : Math.min);
  else if (!positive.length) means = plain;
  else if (p === 0) means = finish(total((c) => (c > 0 ? Math.log(c) : 0)), Math.exp);
  else if (Math.abs(p) * farthest > FAR) means = byLogarithms(matrix, sets, outcomes, p);
  else if (Math.abs(p) < SMALL) {
    const gains = total((c) => (c > 0 ? Math.expm1(p * Math.log(c)) : -1));
    means = finish(gains, (gain) => (gain > -1 ? Math.exp(Math.log1p(gain) / p) : 0));
  } else {
    means = finish(total((c) => (c > 0 ? c ** p : 0)), (mean) => (mean > 0 ? mean ** (1 / p) : 0));
  }
  if (p <= 0) { // a zero among the values makes the mean 0
    const zeros = total((c) => (c === 0 ? 1 : 0));
    means = means.map((mean, j) => (zeros[j] > 0 ? 0 : mean));
  }
  return means.map((mean, j) => (size(outcomes[j]) === 1 ? plain[j] : size(outcomes[j]) ? mean : NaN));
}

/** The largest or the smallest cost of the members. */
function farthestOf(matrix, sets, outcomes, of) {
  return Float64Array.from(outcomes, ({ set, truth }) => of(...sets[set].map((k) => matrix[k][truth])));
}

/** The same for costs whose powers overflow. */
function byLogarithms(matrix, sets, outcomes, p) {
  return Float64Array.from(outcomes, ({ set, truth }) => {
    const logs = sets[set].map((k) => p * Math.log(matrix[k][truth]));
    const most = Math.max(...logs);
    if (!(Math.abs(most) < Infinity)) return most === -Infinity ? Math.exp(-Infinity / p) : 0;
    const sum = logs.reduce((part, log) => part + Math.exp(log - most), 0);
    return Math.exp((most + Math.log(sum) - Math.log(logs.length)) / p);
  });
}

/** The cost of each outcome under p-discounted costs with the given exponents. */
function costsOf(matrix, sets, outcomes, { inside, outside }, emptyCost) {
  const hit = generalizedMeans(matrix, sets, outcomes, inside);
  const miss = inside === outside ? hit : generalizedMeans(matrix, sets, outcomes, outside);
  return Float64Array.from(outcomes, ({ set, truth }, j) => {
    if (!sets[set].length) return emptyCost ?? NaN;
    return sets[set].includes(truth) ? hit[j] : miss[j];
  });
}

/** The smallest and the largest cost, and the largest difference for one true class. */
function rangeOf(matrix, emptyCost) {
  let [low, high, largest] = [Infinity, -Infinity, -Infinity];
  matrix.forEach((_, truth) => {
    const column = matrix.map((row) => row[truth]);
    if (emptyCost !== null) column.push(emptyCost);
    const [least, most] = [Math.min(...column), Math.max(...column)];
    low = Math.min(low, least);
    high = Math.max(high, most);
    largest = Math.max(largest, most - least);
  });
  return { low, high, largest };
}

return { exponents, generalizedMeans, costsOf, rangeOf };

})();
