// Rows counted by cell: totals, and the second moments of what independent units add to them.
//
// A unit is a row, a weighted row or a cluster of rows; see `CellSums` in Python.  Numbers are
// written as the data of a page has them: packed texts, steps, triangles (docs/how-to/report-format.md).
wager.csvCells = (() => {
  const { pack, toSteps } = wager.numbers;
  const DENSE = 1 << 22; // cells that are counted in an array

  /** What a row adds to a total. */
  function totalOf({ weights, counts }, i) {
    return (weights === null ? 1 : weights[i]) * (counts === null ? 1 : counts[i]);
  }

  /**
   * Count some rows by the number of their cell.
   *
   * The result has the numbers of the cells that occur, ascending, their totals, and the squares:
   * null for plain rows, one number per cell for weights, a matrix by rows for clusters.
   */
  function count(cell, units, rows = null) {
    const n = rows === null ? cell.length : rows.length, at = (i) => (rows === null ? i : rows[i]);
    const place = places(cell, rows, n);
    const totals = new Float64Array(place.numbers.length);
    const isWeighted = units.weights !== null && units.clusters === null;
    const squares = isWeighted ? new Float64Array(totals.length) : null;
    for (let i = 0; i < n; i++) {
      const total = totalOf(units, at(i));
      totals[place.of[i]] += total;
      if (isWeighted) squares[place.of[i]] += total * units.weights[at(i)];
    }
    const kept = [];
    totals.forEach((total, j) => { if (total > 0) kept.push(j); });
    const found = { numbers: kept.map((j) => place.numbers[j]), totals: kept.map((j) => totals[j]), squares: null };
    if (isWeighted) found.squares = kept.map((j) => squares[j]);
    if (units.clusters !== null) found.squares = momentsOfClusters(place.of, kept, units, rows, n, totals.length);
    return found;
  }

  /** The distinct numbers, ascending, and the place of each row among them. */
  function places(cell, rows, n) {
    const of = new Int32Array(n), value = (i) => cell[rows === null ? i : rows[i]];
    let most = -1;
    for (let i = 0; i < n; i++) if (value(i) > most) most = value(i);
    const known = most < DENSE ? new Int32Array(most + 1).fill(-1) : new Map();
    const get = most < DENSE ? (x) => known[x] : (x) => (known.has(x) ? known.get(x) : -1);
    const set = most < DENSE ? (x, y) => { known[x] = y; } : (x, y) => known.set(x, y);
    const seen = [];
    for (let i = 0; i < n; i++) {
      const x = value(i);
      if (get(x) < 0) {
        set(x, seen.length);
        seen.push(x);
      }
    }
    seen.sort((a, b) => a - b);
    seen.forEach((x, j) => set(x, j));
    for (let i = 0; i < n; i++) of[i] = get(value(i));
    return { numbers: seen, of };
  }

  /** The sum over clusters of the products of their totals in two cells, as a lower triangle. */
  function momentsOfClusters(place, kept, units, rows, n, nCells) {
    const slot = new Int32Array(nCells).fill(-1);
    kept.forEach((j, k) => { slot[j] = k; });
    const moments = new Float64Array((kept.length * (kept.length + 1)) / 2);
    const totals = new Float64Array(kept.length);
    for (const members of byCluster(units, rows, n)) {
      const touched = [];
      for (const i of members) {
        const k = slot[place[i]], total = totalOf(units, rows === null ? i : rows[i]);
        if (k < 0 || total === 0) continue;
        if (totals[k] === 0) touched.push(k);
        totals[k] += total;
      }
      for (const a of touched) {
        for (const b of touched) if (b <= a) moments[(a * (a + 1)) / 2 + b] += totals[a] * totals[b];
      }
      for (const k of touched) totals[k] = 0;
    }
    return moments;
  }

  /** The positions of the rows of each cluster. */
  function* byCluster(units, rows, n) {
    const start = new Int32Array(units.nClusters + 1);
    const cluster = (i) => units.clusters[rows === null ? i : rows[i]];
    for (let i = 0; i < n; i++) start[cluster(i) + 1] += 1;
    for (let g = 0; g < units.nClusters; g++) start[g + 1] += start[g];
    const order = new Int32Array(n), next = start.slice();
    for (let i = 0; i < n; i++) order[next[cluster(i)]++] = i;
    for (let g = 0; g < units.nClusters; g++) {
      if (start[g] < start[g + 1]) yield order.subarray(start[g], start[g + 1]);
    }
  }

  // -- as plain data ----------------------------------------------------------------------------

  const steps = (numbers) => pack(toSteps(numbers));

  /** Counts as a packed text, or weights as a list. */
  function totalsOf(totals, units) {
    return units.weights === null ? pack(totals) : Array.from(totals);
  }

  /** Squares as a list, or a triangle that is packed if it has whole numbers. */
  function squaresOf(squares, units) {
    if (squares === null) return null;
    const isWhole = units.clusters !== null && squares.length > 0 && squares.every(Number.isInteger);
    return isWhole ? pack(squares) : Array.from(squares);
  }

  /** Cells, totals and squares of a count. */
  function section(found, units) {
    return { cells: steps(found.numbers), totals: totalsOf(found.totals, units), squares: squaresOf(found.squares, units) };
  }

  /** The rows of each part, such as a true class, in order. */
  function partsOf(member, nParts) {
    const sizes = new Int32Array(nParts);
    for (const part of member) sizes[part] += 1;
    const rows = Array.from(sizes, (size) => new Int32Array(size)), next = new Int32Array(nParts);
    member.forEach((part, i) => { rows[part][next[part]++] = i; });
    return rows;
  }

  /** The cells of parts of the rows, numbered by part; with clusters one triangle per part. */
  function byPart(member, nParts, outcome, K, units) {
    const width = 2 * K + 2;
    if (units.clusters === null) {
      const cell = new Float64Array(member.length);
      for (let i = 0; i < cell.length; i++) cell[i] = member[i] * width + outcome[i];
      return section(count(cell, units), units);
    }
    const numbers = [], totals = [], squares = [];
    partsOf(member, nParts).forEach((rows, part) => {
      const found = count(outcome, units, rows);
      if (!found.numbers.length) return;
      numbers.push(...found.numbers.map((number) => part * width + number));
      totals.push(...found.totals);
      squares.push(squaresOf(found.squares, units));
    });
    return { cells: steps(numbers), totals: totalsOf(totals, units), squares: squares.length ? squares : null };
  }

  return { byPart, count, partsOf, section, squaresOf, steps, totalOf, totalsOf };
})();
