// One prediction file: which columns it has, and its rows as small numbers.
//
// The rows become typed arrays: the true class, the predicted set, weight, count, cluster, group.
// Sets and labels are numbered in the order of their appearance; each distinct one is taken apart
// once.  Mistakes are collected while the file is read, because Python says how many rows lack a
// value before it complains about the first wrong cell.
wager.csvFile = (() => {
  const { strip } = wager.csv;
  const words = wager.csvWords;
  const MOST_COLUMNS = 50; // columns whose missing cells are counted one by one
  const CHUNK = 1 << 20; // probabilities that are checked together, as in Python
  const SLACK = 1e-6; // what exceeds 1 by less is rounded down to it
  const PRINTED = 5e-4; // the rounding error of a probability printed with three decimals
  const COMPUTED = 1e-6; // the rounding error of a computed sum
  const MOST_COUNT = 2 ** 53;
  const LARGEST_WEIGHT = 1e100;

  // -- columns --------------------------------------------------------------------------------

  const ROLES = ["y_true", "weight", "count", "cluster", "group", "id"];
  // In the order in which Python looks for them.
  const FORMS = [
    { name: "label", column: "y_pred", kind: "labels" },
    { name: "set", column: "set", kind: "sets", isSetValued: true },
    { name: "mask", column: "mask", isSetValued: true },
    { name: "in", prefix: "in:", kind: "sets", isSetValued: true },
    { name: "p", prefix: "p:", kind: "probabilities" },
    { name: "top_k", pattern: /^class_[1-9][0-9]*$/, usage: "class_1 and p_1" },
    { name: "interval", prefix: "lower:", usage: "lower:<class>" },
    { name: "m", prefix: "m:", usage: "m:<class>" },
  ];

  /** The columns of a file, and the forms in which it states predictions. */
  function layoutOf(file, names) {
    const layout = { file, names, truth: findColumn(file, names, "y_true") };
    if (layout.truth === null) throw words.noTruth(file, names);
    for (const role of ROLES.slice(1)) layout[role] = findColumn(file, names, role);
    layout.forms = FORMS.map((form) => statedForm(file, names, form)).filter((form) => form !== null);
    if (!layout.forms.length) throw words.noPredictions(file, names);
    return layout;
  }

  function findColumn(file, names, name) {
    const first = names.indexOf(name);
    if (first >= 0 && names.indexOf(name, first + 1) >= 0) throw words.duplicateColumn(file, name);
    return first < 0 ? null : first;
  }

  function statedForm(file, names, form) {
    if (form.column) {
      const place = findColumn(file, names, form.column);
      return place === null ? null : { ...form, columns: [{ place, name: form.column }] };
    }
    if (form.pattern) {
      return names.some((name) => form.pattern.test(name)) ? { ...form, columns: [] } : null;
    }
    const columns = [];
    names.forEach((name, place) => {
      if (!name.startsWith(form.prefix)) return;
      const label = strip(name.slice(form.prefix.length));
      if (columns.some((one) => one.label === label)) throw words.duplicateColumn(file, name);
      columns.push({ place, name, label });
    });
    return columns.length ? { ...form, columns } : null;
  }

  /** The form that is read: sets if there are some, else the first one. */
  function chosenForm(layout) {
    const form = layout.forms.find((one) => one.isSetValued) || layout.forms[0];
    if (form.name === "mask") {
      throw new wager.csv.Fault(
        `${layout.file}: a mask does not name its classes: list them in the order of the bits with ` +
          "classes= (--classes a,b,c)",
      );
    }
    if (!form.kind) {
      throw new wager.csv.Fault(
        `${layout.file}: this page reads labels, sets, 0/1 columns and probabilities, not the ` +
          `columns ${form.usage}: run wager report on the file`,
      );
    }
    return form;
  }

  // -- growing columns ------------------------------------------------------------------------

  /** A typed array that grows. */
  class Numbers {
    constructor(Type) {
      this.all = new Type(4096);
      this.length = 0;
    }

    push(value) {
      if (this.length === this.all.length) {
        const longer = new this.all.constructor(2 * this.length);
        longer.set(this.all);
        this.all = longer;
      }
      this.all[this.length++] = value;
    }

    get values() {
      return this.all.subarray(0, this.length);
    }
  }

  /** Texts that are numbered in the order of their appearance, under the names that they mean. */
  class Names {
    constructor(meaning) {
      this.meaning = meaning; // the name that a cell means; null if it is missing
      this.known = new Map();
      this.numbers = new Map();
      this.list = [];
    }

    /** The number of a cell; -1 if it is missing. */
    of(cell) {
      const known = this.known.get(cell);
      if (known !== undefined) return known;
      const name = this.meaning(cell);
      let number = -1;
      if (name !== null) {
        number = this.numbers.get(name);
        if (number === undefined) {
          number = this.list.length;
          this.list.push(name);
          this.numbers.set(name, number);
        }
      }
      this.known.set(cell, number);
      return number;
    }
  }

  const labelIn = (cell) => (words.isMissing(cell) ? null : strip(cell));

  // -- mistakes -------------------------------------------------------------------------------

  /** What is wrong with the rows so far. */
  class Mistakes {
    constructor(required) {
      this.missing = { n: 0, first: 0, name: "", text: "", isLabel: false, columns: new Map() };
      if (required.length <= MOST_COLUMNS) {
        for (const { name } of required) this.missing.columns.set(name, 0);
      }
      this.wrong = null; // the first wrong cell
      this.incomplete = null; // the first set with a missing label
    }

    lacks(row, cells) {
      const found = this.missing;
      if (!found.n) Object.assign(found, { first: row, ...cells[0] });
      found.n += 1;
      for (const { name } of cells) {
        if (found.columns.has(name)) found.columns.set(name, found.columns.get(name) + 1);
      }
    }

    get isFaulty() {
      return this.missing.n > 0 || this.wrong !== null;
    }
  }

  // -- rows -----------------------------------------------------------------------------------

  /** Reads the rows of a file in one form; the columns that all forms have in common. */
  class Reader {
    constructor(file, dialect, layout, form, { needsId = false, drop = false } = {}) {
      Object.assign(this, { file, dialect, layout, form, drop });
      this.name = file.name;
      this.nRows = 0;
      this.used = [];
      this.slots = new Int32Array(dialect.names.length).fill(-1);
      this.truthAt = this.use(layout.truth);
      for (const role of ROLES.slice(1)) {
        this[`${role}At`] = layout[role] === null ? -1 : this.use(layout[role]);
      }
      if (!needsId) this.idAt = -1;
      this.formAt = form.columns.map(({ place }) => this.use(place));
      this.required = this.requiredColumns();
      this.mistakes = new Mistakes(this.required);
      this.droppedRows = [];
      this.droppedIds = [];
      this.truths = new Names(labelIn);
      this.truth = new Numbers(Int32Array);
      this.row = new Numbers(Float64Array);
      this.weight = this.weightAt < 0 ? null : new Numbers(Float64Array);
      this.count = this.countAt < 0 ? null : new Numbers(Float64Array);
      this.clusters = new Names(words.nameIn);
      this.cluster = this.clusterAt < 0 ? null : new Numbers(Int32Array);
      this.groups = new Names(words.nameIn);
      this.group = this.groupAt < 0 ? null : new Numbers(Int32Array);
      this.id = this.idAt < 0 ? null : [];
      this.firstOfTruth = []; // the first row of each true class, for messages
    }

    /** The slot of a column among the cells that are kept. */
    use(place) {
      if (this.slots[place] < 0) {
        this.slots[place] = this.used.length;
        this.used.push(place);
      }
      return this.slots[place];
    }

    requiredColumns() {
      const at = [["y_true", this.truthAt], ["weight", this.weightAt], ["count", this.countAt],
        ["cluster", this.clusterAt], ["id", this.idAt]];
      const columns = at.filter(([, slot]) => slot >= 0)
        .map(([name, slot]) => ({ name, slot, isLabel: name === "y_true", mayBeEmpty: false }));
      const isLabel = this.form.column !== undefined, mayBeEmpty = this.form.name === "set";
      this.form.columns.forEach(({ name }, i) => {
        columns.push({ name, slot: this.formAt[i], isLabel, mayBeEmpty });
      });
      return columns;
    }

    async read(progress) {
      await wager.csv.readRows(
        this.file, this.dialect, this.slots, (cells) => this.take(cells), progress,
      );
      if (!this.nRows) throw words.noRows(this.name);
      this.finish();
      if (this.drop && this.droppedRows.length === this.nRows) {
        throw new wager.csv.Fault(`${this.name}: no row is left: ${this.omission}`);
      }
      this.refuseNothingCounted();
    }

    /** Take account of a row. */
    take(cells) {
      this.nRows += 1;
      const isRead = this.takeUnits(cells) && this.takePrediction(cells);
      if (!isRead && this.noteMissing(cells)) return;
      if (!isRead) this.noteWrong(cells);
      this.keep(cells, isRead);
    }

    /** Read truth, weight, count and cluster; false if one of them is wrong or missing. */
    takeUnits(cells) {
      const comma = this.dialect.decimalComma;
      this.nowTruth = this.truths.of(cells[this.truthAt]);
      let isRight = this.nowTruth >= 0;
      if (this.weight !== null) {
        this.nowWeight = weightIn(cells[this.weightAt], comma);
        isRight = isRight && this.nowWeight !== null;
      }
      if (this.count !== null) {
        this.nowCount = countIn(cells[this.countAt], comma);
        isRight = isRight && this.nowCount !== null;
      }
      if (this.cluster !== null) {
        this.nowCluster = this.clusters.of(cells[this.clusterAt]);
        isRight = isRight && this.nowCluster >= 0;
      }
      return isRight && (this.id === null || words.nameIn(cells[this.idAt]) !== null);
    }

    /** Note which cells of a row are missing; whether there is one. */
    noteMissing(cells) {
      const lacking = [];
      for (const { name, slot, isLabel, mayBeEmpty } of this.required) {
        const text = cells[slot];
        const isMissing = mayBeEmpty
          ? words.MISSING_WORDS.includes(strip(text)) : words.isMissing(text);
        if (isMissing) lacking.push({ name, text, isLabel });
      }
      if (!lacking.length) return false;
      this.mistakes.lacks(this.nRows, lacking);
      if (this.drop) {
        this.droppedRows.push(this.nRows);
        const id = this.id === null ? null : words.nameIn(cells[this.idAt]);
        if (id !== null) this.droppedIds.push(id);
      }
      return true;
    }

    /** Note the first wrong cell of the file. */
    noteWrong(cells) {
      if (this.mistakes.wrong !== null) return;
      const comma = this.dialect.decimalComma, row = this.nRows;
      const at = (name, slot, wanted) => ({ name, text: cells[slot], row, wanted });
      if (this.weight !== null && weightIn(cells[this.weightAt], comma) === null) {
        const wanted = "a weight must be a number from 0 to 1e+100";
        this.mistakes.wrong = at("weight", this.weightAt, wanted);
      } else if (this.count !== null && countIn(cells[this.countAt], comma) === null) {
        const wanted = "a count must be a whole number from 0 to 2^53; other numbers are for weight";
        this.mistakes.wrong = at("count", this.countAt, wanted);
      } else {
        const wrong = this.wrongPrediction(cells);
        if (wrong !== null) this.mistakes.wrong = at(...wrong);
      }
    }

    /** The name, the slot and the sentence of the first wrong cell of a prediction; or null. */
    wrongPrediction() {
      return null;
    }

    keep(cells, isRead) {
      this.truth.push(this.nowTruth);
      if (this.firstOfTruth[this.nowTruth] === undefined) {
        this.firstOfTruth[this.nowTruth] = this.nRows;
      }
      this.row.push(this.nRows);
      if (this.weight !== null) this.weight.push(isRead ? this.nowWeight : 0);
      if (this.count !== null) this.count.push(isRead ? this.nowCount : 0);
      if (this.cluster !== null) this.cluster.push(this.nowCluster);
      if (this.group !== null) this.group.push(this.groups.of(cells[this.groupAt]));
      if (this.id !== null) this.id.push(words.nameIn(cells[this.idAt]));
      this.keepPrediction(isRead);
    }

    get omission() {
      return words.leftOut({ ...this.mistakes.missing, nRows: this.nRows });
    }

    /** Raise for missing values, unless such rows are dropped, and for wrong cells. */
    refuseMistakes(unknown = null, classes = null) {
      const { missing, wrong } = this.mistakes;
      if (missing.n && !this.drop) throw words.missingRows(this.name, { ...missing, nRows: this.nRows });
      if (unknown !== null) throw words.unknownLabel(this.name, { name: "y_true", ...unknown }, classes);
      if (wrong !== null) throw words.wrongCell(this.name, wrong);
    }

    /** The first true class that is not among the classes; null if there is none. */
    unknownTruth(classes) {
      const known = new Set(classes.labels);
      let first = null;
      this.truths.list.forEach((label, number) => {
        const row = this.firstOfTruth[number];
        if (!known.has(label) && row !== undefined && (first === null || row < first.row)) {
          first = { label, row };
        }
      });
      return first;
    }

    refuseNothingCounted() {
      if (this.weight === null && this.count === null) return;
      const n = this.truth.length;
      for (let i = 0; i < n; i++) {
        const weight = this.weight === null ? 1 : this.weight.all[i];
        if (weight * (this.count === null ? 1 : this.count.all[i]) > 0) return;
      }
      throw words.noRowsCount(this.name, this.weight !== null, this.count !== null);
    }
  }

  function weightIn(text, comma) {
    const number = words.numberIn(text, comma);
    return number !== null && number >= 0 && number <= LARGEST_WEIGHT ? number : null;
  }

  function countIn(text, comma) {
    const number = words.numberIn(text, comma);
    return number !== null && number >= 0 && number <= MOST_COUNT && Number.isInteger(number)
      ? number : null;
  }

  // -- labels and written sets ----------------------------------------------------------------

  /** The forms y_pred and set: each distinct cell is taken apart once. */
  class WrittenReader extends Reader {
    constructor(...given) {
      super(...given);
      this.labels = new Names((label) => label); // of all predictions
      this.cells = new Map(); // the number of the set that a cell means; -1 if it is wrong
      this.setNumbers = new Map();
      this.sets = []; // distinct sets as lists of label numbers
      this.set = new Numbers(Int32Array);
      this.firstOfSet = []; // the first row of each set
      this.isWrittenSet = this.form.name === "set";
    }

    takePrediction(cells) {
      const cell = cells[this.formAt[0]];
      const known = this.cells.get(cell);
      this.nowSet = known === undefined ? this.takeApart(cell) : known;
      return this.nowSet >= 0;
    }

    takeApart(cell) {
      const bare = strip(cell);
      let number = -1;
      if (this.isWrittenSet ? !words.MISSING_WORDS.includes(bare) : !words.isMissing(bare)) {
        const labels = this.isWrittenSet ? words.splitLabels(bare).map(strip) : [bare];
        number = labels.some(words.isMissing) ? -2 : this.setOf(labels);
      }
      this.cells.set(cell, number);
      return number;
    }

    setOf(labels) {
      const members = [...new Set(labels.map((label) => this.labels.of(label)))].sort((a, b) => a - b);
      const key = members.join(",");
      let number = this.setNumbers.get(key);
      if (number === undefined) {
        number = this.sets.length;
        this.sets.push(members);
        this.setNumbers.set(key, number);
      }
      return number;
    }

    noteWrong(cells) {
      super.noteWrong(cells);
      if (this.nowSet === -2 && this.mistakes.incomplete === null) {
        const text = cells[this.formAt[0]];
        const lacking = words.splitLabels(strip(text)).map(strip).filter(words.isMissing);
        const label = lacking.sort(words.compareTexts)[0];
        this.mistakes.incomplete = { name: "set", text, row: this.nRows, label };
      }
    }

    keepPrediction() {
      this.set.push(this.nowSet);
      if (this.nowSet >= 0 && this.firstOfSet[this.nowSet] === undefined) {
        this.firstOfSet[this.nowSet] = this.nRows;
      }
    }

    finish() {
      this.refuseMistakes();
      if (this.mistakes.incomplete !== null) {
        throw words.incompleteSet(this.name, this.mistakes.incomplete);
      }
      this.refuseSeparators();
      this.refuseMixedKinds();
    }

    refuseSeparators() {
      const joined = new Set(words.joinedLabels(this.truths.list, this.labels.list));
      if (!joined.size) return;
      const others = [...this.truths.list, ...this.labels.list].filter((one) => !joined.has(one));
      const classes = { labels: [...new Set(others)].sort(words.compareTexts), areNumbers: false };
      let first = null;
      this.sets.forEach((members, number) => {
        const found = members.find((one) => joined.has(this.labels.list[one]));
        const row = this.firstOfSet[number];
        if (found !== undefined && (first === null || row < first.row)) {
          first = { name: this.form.column, label: this.labels.list[found], row };
        }
      });
      throw words.unknownLabel(this.name, first, classes);
    }

    refuseMixedKinds() {
      const [truths, predicted] = [this.truths.list, this.labels.list];
      for (const [these, those] of [[truths, predicted], [predicted, truths]]) {
        if (these.length && those.length && these.every(words.isWhole) && !those.some(words.isWhole)) {
          throw words.mixedKinds(this.name, this.form.column, truths, predicted);
        }
      }
    }

    get classes() {
      return words.classesOf([...this.truths.list, ...this.labels.list]);
    }

    /** The sets as ascending codes of classes. */
    setsOver(codes) {
      const code = this.labels.list.map((label) => codes.get(label));
      return this.sets.map((members) => members.map((one) => code[one]).sort((a, b) => a - b));
    }
  }

  // -- 0/1 columns ----------------------------------------------------------------------------

  /** The form in:<class>; a set is known by its flags. */
  class IndicatorReader extends Reader {
    constructor(...given) {
      super(...given);
      this.cells = new Map(); // the number of the set that the flags of a row mean
      this.sets = [];
      this.set = new Numbers(Int32Array);
    }

    takePrediction(cells) {
      let key = "";
      for (const slot of this.formAt) {
        const flag = words.flagIn(cells[slot]);
        if (flag === null) return false;
        key += flag;
      }
      this.nowSet = this.cells.get(key);
      if (this.nowSet === undefined) {
        this.nowSet = this.sets.length;
        this.cells.set(key, this.nowSet);
        this.sets.push([...key].flatMap((flag, column) => (flag === "1" ? [column] : [])));
      }
      return true;
    }

    wrongPrediction(cells) {
      const place = this.formAt.findIndex((slot) => words.flagIn(cells[slot]) === null);
      const wanted = "write 1 if the set contains the class and 0 if not";
      return place < 0 ? null : [this.form.columns[place].name, this.formAt[place], wanted];
    }

    keepPrediction(isRead) {
      this.set.push(isRead ? this.nowSet : -1);
    }

    finish() {}

    get classes() {
      return words.classesOf(this.form.columns.map(({ label }) => label));
    }

    /** Raise for mistakes, given the classes of all files. */
    settle(classes) {
      const unknown = this.unknownTruth(classes);
      if (unknown !== null || this.mistakes.isFaulty) this.refuseMistakes(unknown, classes);
    }

    setsOver(codes) {
      const code = this.form.columns.map(({ label }) => codes.get(label));
      return this.sets.map((members) => members.map((one) => code[one]).sort((a, b) => a - b));
    }
  }

  // -- probabilities --------------------------------------------------------------------------

  /** The form p:<class>, over known classes: the most probable class, and sums of rewards. */
  class ProbabilityReader extends Reader {
    constructor(file, dialect, layout, form, options) {
      super(file, dialect, layout, form, options);
      const { labels } = options.classes;
      this.settled = options.classes;
      const codes = new Map(labels.map((label, code) => [label, code]));
      this.codeOfColumn = form.columns.map(({ label }) => codes.get(label));
      this.codes = codes;
      this.K = labels.length;
      this.set = new Numbers(Int32Array);
      this.sets = labels.map((_, code) => [code]);
      this.rowsPerChunk = Math.max(1, Math.floor(CHUNK / form.columns.length));
      this.p = new Float64Array(Math.min(this.rowsPerChunk, 4096) * this.K);
      this.nHeld = 0; // rows in `p`
      this.hasFailed = false; // a mistake was found: only look for others
      this.sink = options.sink || null; // takes the probabilities of each row
      this.wanted = "a probability is a number from 0 to 1";
    }

    takePrediction(cells) {
      if ((this.nHeld + 1) * this.K > this.p.length) this.grow();
      const start = this.nHeld * this.K, comma = this.dialect.decimalComma;
      for (let i = 0; i < this.formAt.length; i++) {
        const value = words.numberIn(cells[this.formAt[i]], comma);
        if (!(value !== null && value >= 0 && value <= 1 + SLACK)) return false;
        this.p[start + this.codeOfColumn[i]] = value > 1 ? 1 : value;
      }
      return true;
    }

    grow() {
      const longer = new Float64Array(2 * this.p.length);
      longer.set(this.p);
      this.p = longer;
    }

    wrongPrediction(cells) {
      const comma = this.dialect.decimalComma;
      const place = this.formAt.findIndex((slot) => {
        const value = words.numberIn(cells[slot], comma);
        return !(value !== null && value >= 0 && value <= 1 + SLACK);
      });
      return place < 0 ? null : [this.form.columns[place].name, this.formAt[place], this.wanted];
    }

    keepPrediction(isRead) {
      this.hasFailed = this.hasFailed || !isRead || !this.codes.has(this.truths.list[this.nowTruth]);
      this.nHeld += 1;
      if (this.nHeld === this.rowsPerChunk) this.finishChunk();
    }

    /** Check the sums of the rows that are held, and pass them on. */
    finishChunk() {
      const { K, p, nHeld } = this;
      this.nHeld = 0;
      if (this.hasFailed || (this.mistakes.isFaulty && !this.drop)) {
        this.hasFailed = true;
        p.fill(0);
        return;
      }
      const first = this.truth.length - nHeld;
      const isRounded = this.checkSums(nHeld, first);
      for (let i = 0; i < nHeld; i++) {
        if (isRounded) normalise(p, i * K, K);
        this.set.push(firstLargest(p, i * K, K));
        if (this.sink !== null) this.sink(this, first + i, p, i * K);
      }
      p.fill(0);
    }

    /** Whether a sum differs from 1 by rounding in print. */
    checkSums(n, first) {
      const { K, p } = this, nColumns = this.K;
      let isRounded = false;
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let k = 0; k < K; k++) sum += p[i * K + k];
        const error = Math.abs(sum - 1);
        if (error > PRINTED * nColumns) {
          throw words.wrongSum(this.name, this.row.all[first + i], sum);
        }
        isRounded = isRounded || error > COMPUTED;
      }
      return isRounded;
    }

    finish() {
      if (this.nHeld) this.finishChunk();
      const unknown = this.unknownTruth(this.settled);
      if (unknown !== null || this.mistakes.isFaulty) this.refuseMistakes(unknown, this.settled);
    }

    settle() {}

    setsOver() {
      return this.sets;
    }
  }

  function normalise(p, start, K) {
    let sum = 0;
    for (let k = 0; k < K; k++) sum += p[start + k];
    for (let k = 0; k < K; k++) p[start + k] /= sum;
  }

  function firstLargest(p, start, K) {
    let best = 0;
    for (let k = 1; k < K; k++) if (p[start + k] > p[start + best]) best = k;
    return best;
  }

  const READERS = { label: WrittenReader, set: WrittenReader, in: IndicatorReader, p: ProbabilityReader };

  /** Open a file: how it is written, its columns, and the form that is read. */
  async function open(file) {
    const dialect = await wager.csv.openFile(file);
    const layout = layoutOf(file.name, dialect.names.map(strip));
    const form = chosenForm(layout);
    return { file, dialect, layout, form };
  }

  /** A reader of an open file. */
  function reader({ file, dialect, layout, form }, options) {
    return new READERS[form.name](file, dialect, layout, form, options);
  }

  /** The classes that the columns of an open file name; null if only its rows show them. */
  function namedClasses({ form }) {
    return form.column ? null : words.classesOf(form.columns.map(({ label }) => label));
  }

  return { Names, Numbers, namedClasses, open, reader };
})();
