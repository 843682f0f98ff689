// From prediction files to the data of a page: the dictionary that Python's `report_data` builds.
//
// The format is described in docs/how-to/report-format.md.  The files are read one after the other; then
// everything is counted from small arrays.
wager.csvData = (() => {
  const { Fault } = wager.csv;
  const words = wager.csvWords;
  const cells = wager.csvCells;
  const LEVEL = 0.95;
  const MOST_HASHED = 1 << 28; // bytes of a file whose hash is computed
  const MOST_CURVES = 12; // classes that have a reliability curve each
  const MOST_CELLS = 1500; // joint cells whose moments over clusters are written out

  // -- reading ----------------------------------------------------------------------------------

  /**
   * The data of a page about files.
   *
   * `drop` leaves out rows that lack a value; `progress` is called with the share that is done.
   */
  async function dataOf(files, { drop = false, version = null, progress = () => {} } = {}) {
    const names = namesOf(files);
    const opened = [];
    for (const file of files) opened.push(await wager.csvFile.open(file));
    const isById = files.length > 1 && opened.every(({ layout }) => layout.id !== null);
    const total = files.reduce((sum, file) => sum + file.size, 0) || 1;
    let before = 0;
    const report = (file) => (share) => progress((before + share * file.size) / total);
    const options = { needsId: isById, drop };
    const readers = new Array(files.length).fill(null);
    const read = async (i, more) => {
      const tally = more.classes ? new wager.csvProbabilities.Tally(more.classes.labels.length) : null;
      const sink = tally === null ? null : sinkOf(tally, more.classes);
      readers[i] = wager.csvFile.reader(opened[i], { ...options, ...more, sink });
      readers[i].tally = tally;
      await readers[i].read(report(files[i]));
      before += files[i].size;
    };
    for (let i = 0; i < files.length; i++) if (opened[i].form.name !== "p") await read(i, {});
    const known = opened.map((one, i) => wager.csvFile.namedClasses(one) || readers[i].classes);
    const classes = sharedClasses(files, known);
    for (let i = 0; i < files.length; i++) if (opened[i].form.name === "p") await read(i, { classes });
    for (const reader of readers) if (reader.settle) reader.settle(classes);
    await pause();
    const found = wager.csvMatch.together(readers, classes, isById);
    await pause();
    for (let i = 0; i < files.length; i++) {
      if (readers[i].tally === null || !needsOthers(readers[i], found, i)) continue;
      const tally = new wager.csvProbabilities.Tally(classes.labels.length);
      await wager.csvFile.reader(opened[i], { ...options, classes, sink: matchedSink(tally, found, i) }).read(() => {});
      readers[i].tally = tally;
    }
    const inputs = await Promise.all(files.map(inputOf));
    return documentOf({ files, names, opened, readers, classes, found, isById, inputs, version, drop });
  }

  /** Let the page answer its reader before the work goes on. */
  function pause() {
    return new Promise((go) => { setTimeout(go, 0); });
  }

  /** The names of the files: without their endings, unless two would be the same. */
  function namesOf(files) {
    const stems = files.map((file) => file.name.split(".")[0]);
    const names = new Set(stems).size === stems.length ? stems : files.map((file) => file.name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) {
      throw new Fault(`${twice} is given more than once: compare files with the predictions of one classifier each`);
    }
    return names;
  }

  function sharedClasses(files, known) {
    if (known.length === 1) return known[0];
    const first = new Set(known[0].labels), areNumbers = known.every((one) => one.areNumbers);
    const shown = known.map((one) => (areNumbers ? one : words.asTexts(one)));
    known.forEach((one, i) => {
      if (i && !one.labels.some((label) => first.has(label))) {
        throw words.otherClasses(files[0].name, shown[0], files[i].name, shown[i]);
      }
    });
    return words.jointClasses(known);
  }

  /** Passes the probabilities of rows on to a tally. */
  function sinkOf(tally, classes) {
    const codes = new Map(classes.labels.map((label, code) => [label, code]));
    const codeOf = [];
    return (reader, i, p, start) => {
      const number = reader.truth.all[i];
      if (codeOf[number] === undefined) codeOf[number] = codes.get(reader.truths.list[number]);
      const weight = reader.weight === null ? 1 : reader.weight.all[i];
      const count = reader.count === null ? 1 : reader.count.all[i];
      const cluster = reader.cluster === null ? -1 : reader.cluster.all[i];
      tally.add(p, start, codeOf[number], reader.set.all[i], weight, count, cluster);
    };
  }

  /** Whether only the other files show which rows of a file are kept, or what they count for. */
  function needsOthers(reader, { at, units }, i) {
    return at[i].length < reader.truth.length
      || (units.weights !== null && reader.weight === null)
      || (units.counts !== null && reader.count === null)
      || (units.clusters !== null && reader.cluster === null);
  }

  /** Passes the probabilities of the rows that all files have on to a tally. */
  function matchedSink(tally, { at, truth, units }, i) {
    const placeOf = new Map();
    at[i].forEach((row, place) => { placeOf.set(row, place); });
    return (reader, row, p, start) => {
      const place = placeOf.get(row);
      if (place === undefined) return;
      const weight = units.weights === null ? 1 : units.weights[place];
      const count = units.counts === null ? 1 : units.counts[place];
      const cluster = units.clusters === null ? -1 : units.clusters[place];
      tally.add(p, start, truth[place], reader.set.all[row], weight, count, cluster);
    };
  }

  async function inputOf(file) {
    return { name: file.name, sha256: await hashOf(file), bytes: file.size };
  }

  async function hashOf(file) {
    if (file.size > MOST_HASHED || !globalThis.crypto || !crypto.subtle) return null;
    const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // -- the document -----------------------------------------------------------------------------

  async function documentOf(read) {
    const { names, classes, found, readers, opened } = read;
    const K = classes.labels.length, { units } = found;
    const single = names.length === 1;
    const first = cells.count(found.said[0].outcome, units);
    const grouped = membersOf(readers, found.at), classifiers = [];
    for (let i = 0; i < names.length; i++) {
      await pause();
      classifiers.push(classifierOf(names[i], opened[i].form, readers[i].tally, found, i, classes, grouped));
    }
    const data = {
      format: "wager-report",
      version: 1,
      kind: single ? "evaluation" : "comparison",
      title: single ? names[0] : titleOf(names, units, first, K),
      facts: factsOf(read, first),
      classes: classes.labels,
      classifiers,
      joint: single ? null : await jointOf(found.said.map(({ outcome }) => outcome), units),
      utilities: [0.5, 0.65, 0.8].map((half) => utilityOf(half, K)),
      costs: null,
      sequences: await sequencesOf(names, found, K),
      store: null,
      rows: null,
      left_out: leftOutOf(grouped),
      reproduce: reproduceOf(read),
    };
    return plain(data);
  }

  /** The course of the difference of two files; rows with weights have no order. */
  async function sequencesOf(names, { said, units }, K) {
    if (names.length !== 2 || units.weights !== null || units.counts !== null || units.clusters !== null) return [];
    await pause();
    return wager.csvSequence.sectionOf(names, said.map(({ outcome }) => outcome), utilityOf(0.65, K), LEVEL);
  }

  function titleOf(names, units, first, K) {
    const n = sum(first.totals), shown = wager.numbers.general(n, 10);
    const rows = units.weights === null
      ? `${shown} row${n === 1 ? "" : "s"}` : `${nRowsOf(units)} rows of total weight ${shown}`;
    return `${wager.numbers.listed(names)} on the same ${rows}, ${K} class${K === 1 ? "" : "es"}`;
  }

  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

  /** The number of observations: rows, or the sum of their counts; rows of weight 0 are none. */
  function nRowsOf({ n, weights, counts }) {
    let rows = 0;
    for (let i = 0; i < n; i++) {
      if (weights === null || weights[i] > 0) rows += counts === null ? 1 : counts[i];
    }
    return rows;
  }

  function factsOf(read, first) {
    const { found, classes, version, inputs } = read, { units } = found;
    const n = sum(first.totals);
    return {
      rows: nRowsOf(units),
      total_weight: units.weights === null ? null : n,
      n_classes: classes.labels.length,
      units: kindOf(units),
      effective_n: effectiveOf(units, n, first),
      clusters: units.clusters === null ? null : units.nClusters,
      level: LEVEL,
      versions: { wager: version },
      inputs,
      warnings: warningsOf(read),
      paired: true,
    };
  }

  /** What is independent: rows, weighted rows or clusters. */
  function kindOf({ weights, clusters }) {
    if (clusters !== null) return "clusters";
    return weights === null ? "rows" : "weights";
  }

  /** The equivalent number of equally large independent units. */
  function effectiveOf(units, n, first) {
    if (units.clusters === null) return units.weights === null ? n : (n * n) / sum(first.squares);
    const totals = new Float64Array(units.nClusters);
    for (let i = 0; i < units.n; i++) totals[units.clusters[i]] += cells.totalOf(units, i);
    return (n * n) / totals.reduce((a, total) => a + total * total, 0);
  }

  function warningsOf({ names, readers, classes, found, isById, drop }) {
    const said = [], prefix = (i) => (names.length > 1 ? `${names[i]}: ` : "");
    if (drop) {
      readers.forEach((reader, i) => {
        if (reader.droppedRows.length) said.push(`${prefix(i)}${reader.omission}`);
      });
      const all = new Set(readers.flatMap((one) => (isById ? one.droppedIds : one.droppedRows)));
      if (names.length > 1) said.push(...words.leftOutOfAll(all.size, isById));
    }
    found.said.forEach(({ sets, set }, i) => {
      said.push(...oddities(classes, found.truth, sets, set).map((text) => `${prefix(i)}${text}`));
    });
    return said;
  }

  function oddities(classes, truth, sets, set) {
    const K = classes.labels.length, isUsed = new Uint8Array(sets.length);
    const isTrue = new Uint8Array(K), isPredicted = new Uint8Array(K), sizes = new Set();
    for (const code of truth) isTrue[code] = 1;
    for (const number of set) isUsed[number] = 1;
    sets.forEach((members, number) => {
      if (!isUsed[number]) return;
      sizes.add(members.length);
      for (const code of members) isPredicted[code] = 1;
    });
    return words.oddities(classes, isTrue, isPredicted, sizes);
  }

  function utilityOf(half, K) {
    const worth = [0];
    for (let k = 1; k <= K; k++) worth.push(((2 - 4 * half) * (1 / k) + (4 * half - 1)) * (1 / k));
    return {
      kind: "quadratic", u_half: half, name: `u${Math.round(100 * half)}`, worth, on_the_line: true, half_interval: null,
    };
  }

  /** The lines that make the same page from the same files. */
  function reproduceOf({ files, drop }) {
    const names = files.map((file) => (file.name.startsWith("-") ? `./${file.name}` : file.name));
    const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\"'\"'")}'`);
    const shell = ["wager", "report", ...names, "-o", "report.html", ...(drop ? ["--na", "drop"] : [])];
    const list = `[${names.map(words.repr).join(", ")}]`, argument = drop ? ", na='drop'" : "";
    return {
      shell: [shell.map(quoted).join(" ")],
      python: ["import wager", `wager.report.page(${list}, 'report.html'${argument})`],
    };
  }

  // -- classifiers ------------------------------------------------------------------------------

  function classifierOf(name, form, tally, found, i, classes, grouped) {
    const { truth, units } = found, { outcome, sets, set } = found.said[i];
    const K = classes.labels.length;
    const counted = cells.count(outcome, units);
    return {
      name,
      kind: form.kind,
      tally: {
        cells: counted.numbers.map((number, j) => [number >> 1, number & 1, counted.totals[j]]),
        squares: cells.squaresOf(counted.squares, units),
        units: kindOf(units),
      },
      by_class: cells.byPart(truth, K, outcome, K, units),
      confusion: confusionOf(truth, sets, set, units, K),
      groups: groupsOf(grouped, outcome, units, K),
      probabilities: tally === null ? null : probabilitiesOf(tally, classes),
      memberships: null,
    };
  }

  /** Counts by true class and kind of prediction: a class alone, sets of 2, ..., K, the empty set. */
  function confusionOf(truth, sets, set, units, K) {
    const column = sets.map((members) => {
      if (members.length === 1) return members[0];
      return members.length ? K + members.length - 2 : 2 * K - 1;
    });
    const cell = new Float64Array(truth.length);
    for (let i = 0; i < cell.length; i++) cell[i] = truth[i] * 2 * K + column[set[i]];
    const found = cells.count(cell, { ...units, clusters: null });
    return { cells: cells.steps(found.numbers), totals: cells.totalsOf(found.totals, units) };
  }

  const NO_GROUP = "(no group)";
  const MOST_GROUPS = 500;

  /** The group of each row, in the first file that has them; null without groups. */
  function membersOf(readers, at) {
    const first = readers.findIndex((reader) => reader.group !== null);
    if (first < 0) return null;
    const { groups, group } = readers[first], names = [...groups.list, NO_GROUP];
    const numbers = Array.from(at[first], (row) => (group.all[row] < 0 ? groups.list.length : group.all[row]));
    const labels = [...new Set([...new Set(numbers)].map((number) => names[number]))].sort(words.compareTexts);
    const rank = new Map(labels.map((label, place) => [label, place]));
    const rankOf = names.map((name) => rank.get(name));
    return { labels, member: Int32Array.from(numbers, (number) => rankOf[number]) };
  }

  /** The results of groups of rows; null if there are none, or too many to show. */
  function groupsOf(grouped, outcome, units, K) {
    if (grouped === null || grouped.labels.length > MOST_GROUPS) return null;
    const { labels, member } = grouped;
    return { name: "group", labels, ...cells.byPart(member, labels.length, outcome, K, units) };
  }

  /** A sentence if there are too many groups to show. */
  function leftOutOf(grouped) {
    if (grouped === null || grouped.labels.length <= MOST_GROUPS) return [];
    return [
      `The groups are left out: there are ${wager.numbers.grouped(grouped.labels.length, 0)}, and a page shows up to ` +
        `${MOST_GROUPS}; choose another column with --by.`,
    ];
  }

  function probabilitiesOf(tally, classes) {
    const { K } = tally, curves = [];
    if (K <= MOST_CURVES) {
      classes.labels.forEach((label, code) => curves.push([label, tally.curve(code, LEVEL)]));
    }
    return {
      measures: Object.fromEntries(tally.measures(LEVEL).map(({ name, ...rest }) => [name, rest])),
      reliability: { top_label: tally.curve(K, LEVEL), by_class: Object.fromEntries(curves) },
      prior: new Array(K).fill(1 / K),
      base: 2,
    };
  }

  // -- joint counts -----------------------------------------------------------------------------

  /** What every two classifiers did on the same rows, in the shorter of two forms. */
  async function jointOf(outcomes, units) {
    const isWeighted = units.weights !== null && units.clusters === null;
    // what a prediction earns does not depend on the size of a miss
    const joined = isWeighted ? outcomes : outcomes.map((column) => column.map((x) => (x % 2 ? x : 0)));
    const known = joined.map((column) => outcomesOf(column, units));
    const place = joined.map((column, i) => positions(column, known[i]));
    const byRow = { outcomes: known, rows: rowsOf(place, known, units), pairs: null };
    const pairs = await pairsOf(place, known, units);
    if (pairs === null) return byRow;
    const byPair = { outcomes: known, rows: null, pairs };
    return JSON.stringify(byPair).length <= JSON.stringify(byRow).length ? byPair : byRow;
  }

  /** The outcomes that occur, the most frequent ones first. */
  function outcomesOf(column, units) {
    const { numbers, totals } = cells.count(column, { ...units, clusters: null });
    return numbers.map((number, j) => [number, totals[j]]).sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .map(([number]) => number);
  }

  function positions(column, known) {
    const place = new Map(known.map((number, j) => [number, j]));
    // rows of weight 0 may have an outcome that does not count
    return column.map((number) => (place.has(number) ? place.get(number) : 0));
  }

  async function pairsOf(place, known, units) {
    const found = [];
    for (let a = 0; a < place.length; a++) {
      for (let b = a + 1; b < place.length; b++) {
        const cell = new Float64Array(units.n), width = known[b].length;
        if (units.clusters !== null && known[a].length * width > MOST_CELLS) return null;
        await pause();
        for (let i = 0; i < units.n; i++) cell[i] = place[a][i] * width + place[b][i];
        found.push({ a, b, ...cells.section(cells.count(cell, units), units) });
      }
    }
    return found;
  }

  /** The distinct rows of outcomes of all classifiers; those of different clusters are apart. */
  function rowsOf(place, known, units) {
    let row = units.clusters === null ? new Int32Array(units.n) : Int32Array.from(units.clusters);
    place.forEach((column, j) => {
      const next = new Float64Array(units.n);
      for (let i = 0; i < units.n; i++) next[i] = row[i] * known[j].length + column[i];
      row = renumbered(next);
    });
    const counted = cells.count(row, { ...units, clusters: null });
    const first = new Map();
    for (let i = 0; i < units.n; i++) if (!first.has(row[i])) first.set(row[i], i);
    const rows = counted.numbers.map((number) => first.get(number));
    const isOnce = units.weights === null && counted.totals.every((total) => total === 1);
    return {
      columns: place.map((column) => wager.numbers.pack(rows.map((i) => column[i]))),
      totals: isOnce ? null : cells.totalsOf(counted.totals, units),
      squares: units.clusters === null && counted.squares !== null ? counted.squares : null,
      clusters: units.clusters === null ? null : cells.steps(rows.map((i) => units.clusters[i])),
    };
  }

  /** Numbers as places among the distinct ones, ascending. */
  function renumbered(numbers) {
    const distinct = [...new Set(numbers)].sort((a, b) => a - b);
    const place = new Map(distinct.map((number, j) => [number, j]));
    return Int32Array.from(numbers, (number) => place.get(number));
  }

  /** Plain data without numbers that are not finite: these become null. */
  function plain(value) {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value === "number") return Number.isFinite(value) ? value : null;
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
  }

  return { dataOf };
})();
