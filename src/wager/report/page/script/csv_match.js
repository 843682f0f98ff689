// Several prediction files on the same rows: matched by id if every file has one, else by order.
//
// The result has one entry per row, in the order of the first file: the true class, what the row
// counts for, and the set that each file predicts.
wager.csvMatch = (() => {
  const words = wager.csvWords;
  /** A typed array of what a function gives for each of some rows; faster than `from`. */
  function mapped(Type, rows, of) {
    const values = new Type(rows.length);
    for (let i = 0; i < rows.length; i++) values[i] = of(rows[i]);
    return values;
  }

  const UNITS = ["weight", "count", "cluster"];

  /** The place of each row of every file, in the order of the first; see `byId` and `byOrder`. */
  function places(readers, isById) {
    const kept = readers.map((reader) => keptRows(reader, readers, isById));
    if (!isById || sameIds(readers, kept)) return byOrder(readers, kept, isById);
    return byId(readers, kept);
  }

  /** The rows that no file leaves out because a value is missing. */
  function keptRows(reader, readers, isById) {
    const n = reader.truth.length;
    if (!readers.some((one) => one.droppedRows.length)) return everyRow(n);
    const left = new Set(readers.flatMap((one) => (isById ? one.droppedIds : one.droppedRows)));
    const kept = [];
    for (let i = 0; i < n; i++) {
      if (!left.has(isById ? reader.id[i] : reader.row.all[i])) kept.push(i);
    }
    return Int32Array.from(kept);
  }

  function everyRow(n) {
    const rows = new Int32Array(n);
    for (let i = 0; i < n; i++) rows[i] = i;
    return rows;
  }

  function sameIds(readers, kept) {
    const [first, ...others] = readers;
    return others.every((reader, j) => {
      const rows = kept[j + 1];
      if (rows.length !== kept[0].length) return false;
      for (let i = 0; i < rows.length; i++) {
        if (reader.id[rows[i]] !== first.id[kept[0][i]]) return false;
      }
      return true;
    });
  }

  function byOrder(readers, kept, isById) {
    readers.forEach((reader, j) => {
      if (!isById && kept[j].length !== kept[0].length) {
        throw words.otherLength(readers[0].name, kept[0].length, reader.name, kept[j].length);
      }
    });
    return kept;
  }

  function byId(readers, kept) {
    const rowOf = readers.map((reader, j) => rowsById(reader, kept[j]));
    for (let j = 1; j < readers.length; j++) {
      for (const [have, lack] of [[0, j], [j, 0]]) {
        for (const i of kept[have]) {
          const id = readers[have].id[i];
          if (!rowOf[lack].has(id)) {
            throw words.lonelyId(readers[have].name, id, readers[have].row.all[i], readers[lack].name);
          }
        }
      }
    }
    return readers.map((_, j) => kept[0].map((i) => rowOf[j].get(readers[0].id[i])));
  }

  function rowsById(reader, kept) {
    const found = new Map();
    let twice = null;
    for (const i of kept) {
      const id = reader.id[i], before = found.get(id);
      if (before === undefined) found.set(id, i);
      else if (twice === null || reader.row.all[before] <= twice.first) {
        // the id that occurs first, and its last row
        twice = { id, first: reader.row.all[before], last: reader.row.all[i] };
      }
    }
    if (twice !== null) throw words.duplicateId(reader.name, twice.id, twice.first, twice.last);
    return found;
  }

  /** Raise if files on the same rows differ in the true class, or in what a row counts for. */
  function checkAlike(readers, at, isById) {
    const where = (i) => {
      const row = `row ${readers[0].row.all[at[0][i]]}`;
      return isById ? `${row} (id ${readers[0].id[at[0][i]]})` : row;
    };
    const label = (reader, i) => reader.truths.list[reader.truth.all[i]];
    for (let j = 1; j < readers.length; j++) {
      const i = firstDifference(at[0], at[j], (a, b) => label(readers[0], a) === label(readers[j], b));
      if (i >= 0) {
        const values = [label(readers[0], at[0][i]), label(readers[j], at[j][i])];
        throw words.disagreement(readers[0].name, readers[j].name, "y_true", values, where(i));
      }
    }
    for (const unit of UNITS) {
      const having = readers.map((_, j) => j).filter((j) => readers[j][unit] !== null);
      for (const j of having.slice(1)) checkUnit(readers, at, having[0], j, unit, where);
    }
  }

  function checkUnit(readers, at, one, other, unit, where) {
    const value = (j, i) => {
      const number = readers[j][unit].all[at[j][i]];
      return unit === "cluster" ? readers[j].clusters.list[number] : number;
    };
    for (let i = 0; i < at[0].length; i++) {
      const values = [value(one, i), value(other, i)];
      if (values[0] !== values[1]) {
        throw words.disagreement(readers[one].name, readers[other].name, unit, values, where(i));
      }
    }
  }

  function firstDifference(these, those, areSame) {
    for (let i = 0; i < these.length; i++) if (!areSame(these[i], those[i])) return i;
    return -1;
  }

  /** What the rows count for: the columns of the first file that has them. */
  function unitsOf(readers, at) {
    const column = (unit) => {
      const j = readers.findIndex((reader) => reader[unit] !== null);
      return j < 0 ? null : [readers[j], at[j]];
    };
    const [weight, count, cluster] = UNITS.map(column);
    const take = ([reader, rows], unit) => mapped(Float64Array, rows, (i) => reader[unit].all[i]);
    const units = {
      n: at[0].length,
      weights: weight === null ? null : take(weight, "weight"),
      counts: count === null ? null : take(count, "count"),
      clusters: null,
      nClusters: 0,
    };
    if (cluster !== null) Object.assign(units, sortedClusters(...cluster));
    return units;
  }

  /** The cluster of each row, numbered in the order of their names. */
  function sortedClusters(reader, rows) {
    const used = new Set();
    for (const i of rows) used.add(reader.cluster.all[i]);
    const order = [...used].sort((a, b) => words.compareTexts(reader.clusters.list[a], reader.clusters.list[b]));
    const number = new Int32Array(reader.clusters.list.length);
    order.forEach((one, place) => { number[one] = place; });
    return { clusters: mapped(Int32Array, rows, (i) => number[reader.cluster.all[i]]), nClusters: order.length };
  }

  /** All files together: classes, truth, units, and sizes and hits of the sets of each file. */
  function together(readers, classes, isById) {
    const at = places(readers, isById);
    if (readers.length > 1) checkAlike(readers, at, isById);
    const codes = new Map(classes.labels.map((label, code) => [label, code]));
    const code = readers[0].truths.list.map((label) => codes.get(label));
    const truth = mapped(Int32Array, at[0], (i) => code[readers[0].truth.all[i]]);
    const units = unitsOf(readers, at);
    if (!someCount(units)) {
      const one = readers.find((reader) => reader.weight !== null || reader.count !== null);
      throw words.noRowsCount(one.name, one.weight !== null, one.count !== null);
    }
    const said = readers.map((reader, j) => predictionsOf(reader, at[j], truth, codes));
    return { at, truth, units, said };
  }

  function someCount({ n, weights, counts }) {
    for (let i = 0; i < n; i++) {
      if ((weights === null ? 1 : weights[i]) * (counts === null ? 1 : counts[i]) > 0) return true;
    }
    return false;
  }

  /** The set of each row, and its outcome: twice the size, plus one for a hit. */
  function predictionsOf(reader, rows, truth, codes) {
    const sets = reader.setsOver(codes), n = rows.length, K = codes.size;
    const set = mapped(Int32Array, rows, (i) => reader.set.all[i]);
    const outcome = new Int32Array(n);
    const has = sets.length * K <= 1 << 24 ? membership(sets, K) : null;
    for (let i = 0; i < n; i++) {
      const members = sets[set[i]];
      const hit = has === null ? members.includes(truth[i]) : has[set[i] * K + truth[i]] === 1;
      outcome[i] = 2 * members.length + (hit ? 1 : 0);
    }
    return { sets, set, outcome };
  }

  function membership(sets, K) {
    const has = new Uint8Array(sets.length * K);
    sets.forEach((members, number) => {
      for (const code of members) has[number * K + code] = 1;
    });
    return has;
  }

  return { together };
})();
