// Labels, names and numbers of prediction files, and the sentences about what is wrong with them.
//
// The sentences are those of Python (`wager.predictions.files`), word for word: a person who tries a
// file in the page and then at the command line reads the same.  Tests compare them.
wager.csvWords = (() => {
  const { BLANKS, Fault, strip } = wager.csv;
  const { general } = wager.numbers;
  const thousands = (number) => wager.numbers.grouped(number, 0);
  const MISSING_WORDS = ["NA", "NaN", "nan", "<NA>", "NaT", "null", "NULL", "None"];
  const SHOWN = 8; // names of columns in a sentence
  const MOST_LABELS = 6;
  const NUMBER = /^[ \t\n\v\f\r]*(?:(?:\+?-|\+)?(?:[0-9]+(?:_[0-9]+)*\.?(?:[0-9]+(?:_[0-9]+)*)?|\.[0-9]+(?:_[0-9]+)*)(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?|[-+]?(?:nan|inf(?:inity)?))[ \t\n\v\f\r]*$/i;
  const TENS = Float64Array.from({ length: 16 }, (_, i) => 10 ** i);
  const ZERO = 48, POINT = 46;

  // -- as Python writes them ------------------------------------------------------------------

  const UNPRINTABLE = /[\p{C}\p{Z}\\'"]/u;

  /** A text as Python's repr shows it. */
  function repr(text) {
    const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
    if (!UNPRINTABLE.test(text)) return quote + text + quote;
    let shown = "";
    for (const letter of text) shown += shownLetter(letter, quote);
    return quote + shown + quote;
  }

  function shownLetter(letter, quote) {
    if (letter === quote || letter === "\\") return `\\${letter}`;
    if (letter === "\n") return "\\n";
    if (letter === "\r") return "\\r";
    if (letter === "\t") return "\\t";
    if (letter === " " || !/[\p{C}\p{Z}]/u.test(letter)) return letter;
    const code = letter.codePointAt(0), hex = code.toString(16);
    if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
    return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
  }

  /** Texts in the order of their code points, as Python sorts them. */
  function compareTexts(a, b) {
    const n = Math.min(a.length, b.length);
    for (let i = 0; i < n; i++) {
      const x = a.charCodeAt(i), y = b.charCodeAt(i);
      if (x !== y) {
        // a surrogate stands for a character beyond all others
        const wideX = x >= 0xd800 && x <= 0xdfff, wideY = y >= 0xd800 && y <= 0xdfff;
        return wideX === wideY ? x - y : wideX ? 1 : -1;
      }
    }
    return a.length - b.length;
  }

  // -- classes --------------------------------------------------------------------------------

  const isWhole = (text) => /^(?:0|-?[1-9][0-9]{0,17})$/.test(text);

  /** Labels as the classes of a file: sorted, as numbers if all of them are whole numbers. */
  function classesOf(texts) {
    const labels = [...new Set(texts)], areNumbers = labels.every(isWhole);
    labels.sort(areNumbers ? compareWhole : compareTexts);
    return { labels, areNumbers };
  }

  function compareWhole(a, b) {
    const [x, y] = [BigInt(a), BigInt(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  }

  /** The classes of several files together. */
  function jointClasses(parts) {
    const areNumbers = parts.every((part) => part.areNumbers);
    const labels = [...new Set(parts.flatMap((part) => part.labels))];
    labels.sort(areNumbers ? compareWhole : compareTexts);
    return { labels, areNumbers };
  }

  /** The same classes as texts, if those of another file are texts. */
  function asTexts({ labels }) {
    return { labels, areNumbers: false };
  }

  function formatLabels({ labels, areNumbers }) {
    const shown = labels.slice(0, MOST_LABELS).map((label) => (areNumbers ? label : repr(label)));
    const more = labels.length > MOST_LABELS ? `, ... (${labels.length} in all)` : "";
    return shown.join(", ") + more;
  }

  /** The labels of a set that is written as text, as in a|b; a \| is a part of a label. */
  function splitLabels(text) {
    if (text === "") return [];
    if (!text.includes("\\|")) return text.split("|");
    const labels = [];
    let label = "", start = 0;
    for (const found of text.matchAll(/(\\*)\|/g)) {
      const slashes = found[1].length;
      label += text.slice(start, found.index) + "\\".repeat(slashes >> 1);
      if (slashes % 2) label += "|";
      else {
        labels.push(label);
        label = "";
      }
      start = found.index + found[0].length;
    }
    return [...labels, label + text.slice(start)];
  }

  const OTHER_SEPARATORS = [";", ",", "/", "+", "&", "\t", " "];

  /** The separator in a label that is in fact several classes; null if there is none. */
  function separatorIn(label, classes) {
    if (classes.has(label)) return null;
    const bare = label.replace(/[[\]{}()'"]/g, "");
    for (const separator of OTHER_SEPARATORS) {
      const parts = bare.split(separator).map((part) => part.trim());
      if (parts.length > 1 && parts.every((part) => classes.has(part))) return separator;
    }
    return null;
  }

  /** The predicted labels that are several labels, joined by something else than |. */
  function joinedLabels(truths, predicted) {
    const simple = new Set(truths);
    for (const label of predicted) if (!/[;,/+&\s]/.test(label)) simple.add(label);
    return [...predicted].filter((label) => separatorIn(label, simple) !== null);
  }

  // -- cells ----------------------------------------------------------------------------------

  const isMissing = (text) => {
    const bare = strip(text);
    return bare === "" || MISSING_WORDS.includes(bare);
  };

  /** A number of up to 15 digits, perhaps with a decimal point; -1 for any other text. */
  function shortNumber(text) {
    const n = text.length;
    if (n === 0 || n > 16) return -1;
    let digits = 0, after = -1;
    for (let i = 0; i < n; i++) {
      const digit = text.charCodeAt(i) - ZERO;
      if (digit >= 0 && digit <= 9) digits = 10 * digits + digit;
      else if (digit === POINT - ZERO && after < 0 && i > 0) after = n - 1 - i;
      else return -1;
    }
    if (n - (after >= 0 ? 1 : 0) > 15) return -1;
    return after > 0 ? digits / TENS[after] : digits; // exact numbers: the quotient is rounded once
  }

  /** A number as DuckDB reads it; null if the text is none. */
  function numberIn(text, decimalComma) {
    const short = shortNumber(text);
    if (short >= 0) return short;
    const written = decimalComma ? text.replaceAll(",", ".") : text;
    if (!NUMBER.test(written)) return null;
    const bare = strip(written).replaceAll("_", "").toLowerCase().replace(/^\+/, "");
    if (/^[-+]?nan$/.test(bare)) return NaN;
    if (/^[-+]?inf/.test(bare)) return bare.startsWith("-") ? -Infinity : Infinity;
    return Number(bare);
  }

  const TRUE = ["1", "true", "t", "yes", "y"], FALSE = ["0", "false", "f", "no", "n"];

  /** 1 if a cell says that the set contains the class, 0 if not, null if it says neither. */
  function flagIn(text) {
    if (text === "1") return 1;
    if (text === "0") return 0;
    const word = text.replace(/^\p{Zs}+|\p{Zs}+$/gu, "").toLowerCase();
    return TRUE.includes(word) ? 1 : FALSE.includes(word) ? 0 : null;
  }

  /** The name of a group, a cluster or a row; null if it is missing. */
  function nameIn(text) {
    if (isMissing(text)) return null;
    return text.replace(/^\p{Zs}+|\p{Zs}+$/gu, "");
  }

  // -- sentences about columns ----------------------------------------------------------------

  function someNames(names) {
    const shown = names.slice(0, SHOWN).join(", ");
    return names.length <= SHOWN ? shown : `${shown}, ... (${names.length} in total)`;
  }

  const TRUTHS = [
    "truth", "target", "label", "actual", "y", "true_label", "true_class", "ytrue", "class",
  ];
  const LABELS = [
    "y_hat", "yhat", "ypred", "pred", "predicted", "prediction", "predicted_class", ".pred_class",
    "pred_class", "predicted_label", "pred_label",
  ];
  const SETS = [
    "prediction_set", "predicted_set", "pred_set", "sets", "y_set", "prediction_sets",
  ];
  const PREFIXES = [
    "prob_", "proba_", "prob.", "p_", "p.", "probability_", ".pred_", "pred_proba_",
  ];
  const USAGES =
    "y_pred, set, mask, in:<class>, p:<class>, class_1 with p_1, lower:<class> with " +
    "upper:<class>, m:<class>";

  function firstKnown(known, names) {
    const spelled = new Map();
    for (const name of [...names].reverse()) {
      spelled.set(name.toLowerCase().replaceAll(" ", "_"), name);
    }
    const found = known.find((name) => spelled.has(name));
    return found === undefined ? null : spelled.get(found);
  }

  function noTruth(file, names) {
    if (!names.some((name) => name !== "")) {
      return new Fault(
        `${file}: there is no column y_true, nor any other with a name: write CSV with a header, ` +
          "or one JSON object per line",
      );
    }
    return new Fault(
      `${file}: there is no column y_true among ${someNames(names)}: ${suggestTruth(names)}`,
    );
  }

  function suggestTruth(names) {
    if (/=== Predictions|inst#\s+actual\s+predicted/.test(names[0])) {
      return (
        "this is Weka's output as plain text; let Weka write CSV (-classifications " +
        "weka.classifiers.evaluation.output.prediction.CSV) and score it with --truth actual " +
        "--pred predicted"
      );
    }
    const found = firstKnown(TRUTHS, names);
    const column = found === null ? "COLUMN" : found;
    const hint =
      `name the column of true classes with --truth ${column} (columns={"y_true": "${column}"})`;
    return found === null ? `${hint}, or rename it to y_true` : hint;
  }

  function noPredictions(file, names) {
    const hint = suggestPredictions(names);
    const cure = hint === null ? `add one of ${USAGES}` : `name them with ${hint}`;
    return new Fault(`${file}: none of the columns ${someNames(names)} contains predictions: ${cure}`);
  }

  function suggestPredictions(names) {
    for (const [option, role, known] of [["--set", "set", SETS], ["--pred", "y_pred", LABELS]]) {
      const found = firstKnown(known, names);
      if (found !== null) return `${option} ${found} (columns={"${role}": "${found}"})`;
    }
    for (const prefix of PREFIXES) {
      const alike = names.filter((name) => name.toLowerCase().startsWith(prefix));
      if (alike.length > 1) {
        const found = alike[0].slice(0, prefix.length);
        return `--proba-prefix ${found} (columns={"p:": "${found}"})`;
      }
    }
    return null;
  }

  function duplicateColumn(file, name) {
    return new Fault(`${file}: the column ${name} occurs more than once: keep one`);
  }

  // -- sentences about rows -------------------------------------------------------------------

  function noRows(file) {
    return new Fault(`${file} has a header but no rows: add predictions`);
  }

  /** What is wrong with a cell, and what is wanted. */
  function wrongCell(file, { name, text, row, wanted }) {
    const isNumber = /^(?:[-+]?[0-9.]+(?:e[-+]?[0-9]+)?|[-+]?(?:nan|inf(?:inity)?))$/i.test(text);
    return new Fault(`${file}: ${name} is ${isNumber ? text : repr(text)} in row ${row}: ${wanted}`);
  }

  const share = ({ n, nRows }) =>
    `${thousands(n)} of ${thousands(nRows)} row${nRows > 1 ? "s" : ""}`;

  function lack({ n, columns }) {
    const verb = n === 1 ? "has" : "have";
    const lacking = [...columns].filter(([, count]) => count > 0);
    if (lacking.length === 1) return `${verb} no ${lacking[0][0]}`;
    const counted = lacking.map(([name, count]) => `${name}: ${thousands(count)}`).join(", ");
    return counted ? `${verb} missing values (${counted})` : `${verb} missing values`;
  }

  /** How many rows lack a value, which is the first, and what to do. */
  function missingRows(file, found) {
    const { n, first, name, text, isLabel, columns } = found;
    const shown = MISSING_WORDS.includes(text) ? `, which is ${repr(text)}` : "";
    const lacking = [...columns.values()].filter((count) => count > 0);
    const place = lacking.length === 1 ? `row ${first}` : `${name} in row ${first}`;
    const [them, these] = n === 1 ? ["it", "this row"] : ["them", "these rows"];
    let cure = `fill ${them} in, or leave ${these} out with na="drop" (--na drop)`;
    if (shown && isLabel) cure += `; if ${repr(text)} is a class, list it in classes= (--classes)`;
    return new Fault(`${file}: ${share(found)} ${lack(found)}; the first is ${place}${shown}: ${cure}`);
  }

  /** That rows are left out because they lack a value. */
  function leftOut(found) {
    const what = found.n === 1 ? "it has" : "they have";
    const lacking = lack(found).split(" ").slice(1).join(" ");
    return `${share(found)} ${found.n === 1 ? "is" : "are"} left out because ${what} ${lacking}`;
  }

  function incompleteSet(file, { name, text, row, label }) {
    const cure = label ? `; if ${repr(label)} is a class, list it in classes= (--classes)` : "";
    return new Fault(
      `${file}: ${name} is ${repr(text)} in row ${row}, a set with a missing label: correct ` +
        `it${cure}`,
    );
  }

  /** A label outside the classes, or several classes that are joined by something else than |. */
  function unknownLabel(file, { name, label, row }, classes) {
    const separator = separatorIn(label, new Set(classes.labels));
    if (separator !== null) {
      return new Fault(
        `${file}: ${name} is ${repr(label)} in row ${row}, where classes are joined by ` +
          `${repr(separator)}: join them by '|', or declare ${repr(label)} with classes= (--classes)`,
      );
    }
    return new Fault(
      `${file}: ${name} contains ${repr(label)} in row ${row}, which is not among the classes ` +
        `${formatLabels(classes)}: correct it, or declare it with classes= (--classes)`,
    );
  }

  function mixedKinds(file, name, truths, predicted) {
    const least = (texts) => repr([...texts].sort(compareTexts)[0]);
    return new Fault(
      `${file}: y_true and ${name} do not name the same classes: y_true contains ${least(truths)} ` +
        `and ${name} contains ${least(predicted)}: use names in both or numbers in both`,
    );
  }

  function wrongSum(file, row, sum) {
    return new Fault(
      `${file}: the p: columns of row ${row} sum to ${general(sum)}: probabilities must sum to 1; ` +
        "put other scores into m: columns",
    );
  }

  function noRowsCount(file, hasWeight, hasCount) {
    if (!hasCount) {
      return new Fault(
        `${file}: weight is 0 in every row: at least one row needs a positive weight`,
      );
    }
    const name = hasWeight ? "weight times count" : "count";
    return new Fault(`${file}: ${name} is 0 in every row: at least one row must count`);
  }

  // -- sentences about several files ----------------------------------------------------------

  const SAME_ROWS = "compare predictions of the same rows";

  function otherClasses(first, firstClasses, second, secondClasses) {
    return new Fault(
      `${first} has the classes ${formatLabels(firstClasses)} but ${second} has ` +
        `${formatLabels(secondClasses)}: use the same labels, or list all with classes= (--classes)`,
    );
  }

  function otherLength(first, n, second, m) {
    return new Fault(
      `${first} has ${n} rows but ${second} has ${m}: ${SAME_ROWS}, or add an id column to every ` +
        "file to match them by",
    );
  }

  function duplicateId(file, id, first, last) {
    return new Fault(
      `${file}: duplicate id ${id} in rows ${first} and ${last}: rows are matched by id, so give ` +
        "every row its own",
    );
  }

  function lonelyId(file, id, row, other) {
    return new Fault(`${file} has the id ${id} (row ${row}) but ${other} does not: ${SAME_ROWS}`);
  }

  function disagreement(first, second, column, values, where) {
    const isNumber = column === "weight" || column === "count";
    const [one, other] = values.map((v) => (isNumber ? general(v) : repr(String(v))));
    return new Fault(
      `${column} is ${one} in ${first} but ${other} in ${second}, ${where}: ${SAME_ROWS}`,
    );
  }

  function leftOutOfAll(n, byId) {
    if (n === 0) return [];
    const [plural, are] = n > 1 ? ["s", "are"] : ["", "is"];
    return [
      `${thousands(n)} row${plural}, matched by ${byId ? "id" : "order"}, ${are} left out of all ` +
        "files because one of them lacks a value",
    ];
  }

  /** What is odd about a file that can be read. */
  function oddities(classes, isTrue, isPredicted, sizes) {
    const { labels, areNumbers } = classes, found = [];
    const some = (chosen) => formatLabels({ labels: chosen, areNumbers });
    const never = labels.filter((_, code) => isPredicted[code] && !isTrue[code]);
    const always = labels.filter((_, code) => isTrue[code]);
    const full = labels.length > 1 && [...sizes].every((size) => size === labels.length);
    if (never.length && !full) {
      const verbs = never.length === 1
        ? "is predicted but never occurs" : "are predicted but never occur";
      found.push(`${some(never)} ${verbs} in y_true: check the spelling`);
    }
    if (always.length === 1) {
      found.push(
        `y_true is ${some(always)} in every row: the scores say nothing about other classes`,
      );
    }
    if (full) {
      found.push(`every set names all ${labels.length} classes, so the predictions say nothing`);
    }
    return found;
  }

  return {
    BLANKS, MISSING_WORDS, asTexts, classesOf, compareTexts, disagreement, duplicateColumn, duplicateId, flagIn,
    formatLabels, general, incompleteSet, isMissing, isWhole, jointClasses, joinedLabels, leftOut,
    leftOutOfAll, lonelyId, missingRows, mixedKinds, nameIn, noPredictions, noRows, noRowsCount,
    noTruth, numberIn, oddities, otherClasses, otherLength, repr, splitLabels, thousands,
    unknownLabel, wrongCell, wrongSum,
  };
})();
