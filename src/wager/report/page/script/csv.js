// Read CSV text in pieces: bytes, then text, then records.
//
// A file of any length is read a slice at a time, so that the page stays responsive and memory does
// not grow with the file.  What counts as correct CSV is what `wager` accepts in Python (a comma, a
// semicolon or a tab; quotes that are doubled inside text; one kind of line end), and what is wrong
// is said in the same sentences; tests compare both.
wager.csv = (() => {
  const BLANKS = " \t\r\n\v\f\u00a0"; // what is removed around names and labels
  const DELIMITERS = [",", ";", "\t"];
  const SLICE = 1 << 20; // bytes that are read at a time
  const HEAD = 4096; // characters that show whether a file is text
  const LONGEST_HEADER = 1 << 22;
  const LONGEST_RECORD = 1 << 24;
  const QUOTE = 34, LF = 10, CR = 13, SPACE = 32;

  // A mistake in a file, which the message says in one sentence.
  class Fault extends Error {}

  // -- bytes ----------------------------------------------------------------------------------

  const OTHER_KINDS = [
    ["PK\x03\x04", "a ZIP archive or an Excel workbook: unpack it, or save the sheet as CSV"],
    ["\xd0\xcf\x11\xe0", "an old Excel or Word file: save the sheet as CSV"],
    ["%PDF", "a PDF document: save the table as CSV"],
    ["PAR1", "a Parquet file, which this page does not read: run wager report on it"],
    ["ARROW1", "an Arrow file, which this page does not read: run wager report on it"],
  ];
  const COMPRESSED = [["\x28\xb5\x2f\xfd", "Zstandard"], ["BZh", "bzip2"], ["\xfd7zXZ\x00", "xz"]];
  const MARKS = [["\xff\xfe", "utf-16le"], ["\xfe\xff", "utf-16be"]]; // byte order marks

  // The bytes of a file from its beginning, a slice at a time; a gzip file is unpacked.
  async function* bytesOf(file) {
    if (!(await isGzip(file))) {
      for (let start = 0; start < file.size; start += SLICE) {
        yield new Uint8Array(await file.slice(start, start + SLICE).arrayBuffer());
      }
      return;
    }
    const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
    for (;;) {
      let part;
      try {
        part = await reader.read();
      } catch {
        throw new Fault(`${file.name} cannot be read: the compressed file is truncated or damaged`);
      }
      if (part.done) return;
      yield part.value;
    }
  }

  async function isGzip(file) {
    return (await firstBytes(file, 2)) === "\x1f\x8b";
  }

  async function firstBytes(file, n) {
    return String.fromCharCode(...new Uint8Array(await file.slice(0, n).arrayBuffer()));
  }

  // The encoding that the first bytes declare; files that are not text are refused.
  async function encodingOf(file) {
    const head = await firstBytes(file, 8);
    for (const [mark, what] of OTHER_KINDS) {
      if (head.startsWith(mark)) throw new Fault(`${file.name} is ${what}`);
    }
    for (const [mark, what] of COMPRESSED) {
      if (head.startsWith(mark)) {
        throw new Fault(`${file.name} is compressed with ${what}: unpack it, or use gzip`);
      }
    }
    const found = MARKS.find(([mark]) => head.startsWith(mark));
    return found ? found[1] : "utf-8";
  }

  // -- text -----------------------------------------------------------------------------------

  // The text of a file, a piece at a time; `progress` is called with the share that is read.
  async function* textOf(file, progress = () => {}) {
    const encoding = await encodingOf(file);
    const decoder = new TextDecoder(encoding, { fatal: true });
    let read = 0;
    for await (const bytes of bytesOf(file)) {
      read += bytes.length;
      const text = decode(decoder, bytes, { stream: true });
      if (text === null) throw await wrongEncoding(file);
      yield text;
      progress(Math.min(read / Math.max(file.size, 1), 1));
    }
    const last = decode(decoder, new Uint8Array(0), {});
    if (last === null) throw await wrongEncoding(file);
    if (last) yield last;
  }

  function decode(decoder, bytes, how) {
    try {
      return decoder.decode(bytes, how);
    } catch {
      return null;
    }
  }

  // The error for text that is not UTF-8: which encoding it looks like, and where.
  async function wrongEncoding(file) {
    const found = await firstWrongByte(file);
    if (found === null) return new Fault(`${file.name} is not UTF-8 text: save it as UTF-8`);
    const [byte, line] = found;
    const isWindows = byte >= 0x80 && byte < 0xa0;
    const [kind, codec] = isWindows ? ["Windows-1252", "CP1252"] : ["Latin-1", "LATIN1"];
    const shown = byte.toString(16).toUpperCase().padStart(2, "0");
    return new Fault(
      `${file.name} is not UTF-8 (it looks like ${kind}, byte 0x${shown} at line ${line}): save it ` +
        `as UTF-8, or convert it with iconv -f ${codec} -t UTF-8`,
    );
  }

  // The first byte that is not UTF-8, and its line, counted from 1.
  async function firstWrongByte(file) {
    let wanted = 0, first = 0, line = 1, low = 0x80, high = 0xbf, firstLine = 1;
    for await (const bytes of bytesOf(file)) {
      for (const byte of bytes) {
        if (wanted > 0) {
          if (byte < low || byte > high) return [first, firstLine];
          [low, high] = [0x80, 0xbf];
          wanted -= 1;
          continue;
        }
        if (byte === LF) line += 1;
        if (byte < 0x80) continue;
        [first, firstLine] = [byte, line];
        if (byte >= 0xc2 && byte < 0xe0) wanted = 1;
        else if (byte >= 0xe0 && byte < 0xf0) wanted = 2;
        else if (byte >= 0xf0 && byte < 0xf5) wanted = 3;
        else return [byte, line];
        if (byte === 0xe0) low = 0xa0;
        if (byte === 0xed) high = 0x9f;
        if (byte === 0xf0) low = 0x90;
        if (byte === 0xf4) high = 0x8f;
      }
    }
    return null; // a character that is cut at the end is not a wrong byte
  }

  // -- how a file is written ------------------------------------------------------------------

  const strip = (text) => {
    let start = 0, end = text.length;
    while (start < end && BLANKS.includes(text[start])) start += 1;
    while (end > start && BLANKS.includes(text[end - 1])) end -= 1;
    return start === 0 && end === text.length ? text : text.slice(start, end);
  };

  // The delimiter, the line end, the names of the columns, and what precedes the first row.
  //
  // The delimiter is the one that yields most of the wanted names, then most fields.  A first row
  // with one field more than the header has row names (R), or a delimiter at the end of its lines.
  function dialectOf(head, wanted = ["y_true"]) {
    const declared = /^"?sep=([,;\t])"?(\r\n|\r|\n)/.exec(head);
    const start = declared ? declared[0].length : 0;
    const delimiters = declared ? [declared[1]] : DELIMITERS;
    let best = null;
    for (const delimiter of delimiters) {
      const [names, first] = firstRecords(head.slice(start), delimiter);
      const known = names.filter((name) => wanted.includes(strip(name))).length;
      const merit = [known, names.length];
      if (best === null || merit[0] > best.merit[0] ||
          (merit[0] === best.merit[0] && merit[1] > best.merit[1])) {
        best = { delimiter, names, first, merit };
      }
    }
    return withUnnamedField({
      delimiter: best.delimiter,
      decimalComma: best.delimiter !== ",",
      names: best.names,
      start,
      skip: declared ? 1 : 0,
      first: best.first,
    });
  }

  function withUnnamedField(dialect) {
    const { names, first } = dialect;
    if (first.length !== names.length + 1) return dialect;
    const atEnd = strip(first[first.length - 1]) === "";
    return { ...dialect, names: atEnd ? [...names, ""] : ["", ...names] };
  }

  // The fields of the first two records; an empty line is not a row.
  function firstRecords(text, delimiter) {
    const found = [];
    const records = new Records({ delimiter, lenient: true }, (fields) => {
      if (fields !== null || !found.length) found.push(fields === null ? [] : fields);
      return found.length < 2;
    });
    records.push(text);
    if (found.length < 2) records.finish();
    return [...found, [], []].slice(0, 2);
  }

  // -- records --------------------------------------------------------------------------------

  // Takes text in pieces and calls `take` with the fields of each record, or null for an empty line.
  //
  // With `slots`, only the fields whose slot is not negative are kept, each at its slot, in an array
  // that is used again for the next record.  `take` returns false to stop.  In the lenient mode, in
  // which the header is read, line ends may be mixed and quotes may be followed by text.
  class Records {
    constructor({ delimiter, name = "", nFields = 0, slots = null, lenient = false }, take) {
      this.delimiter = delimiter.charCodeAt(0);
      this.name = name;
      this.nFields = nFields;
      this.nHeader = 0; // fields of the header, where they are known
      this.slots = slots;
      this.lenient = lenient;
      this.take = take;
      this.rest = ""; // the beginning of a record that is not complete
      this.line = 0; // records and empty lines so far
      this.lineEnd = "";
      this.isDone = false;
      this.kept = slots === null ? null : new Array(Math.max(...slots) + 1).fill("");
    }

    push(text) {
      this.rest = this.rest ? this.rest + text : text;
      this.read(false);
    }

    finish() {
      this.read(true);
    }

    read(isEnd) {
      const text = this.rest;
      let place = 0;
      while (place < text.length && !this.isDone) {
        const next = this.record(text, place, isEnd);
        if (next < 0) break; // more text is needed
        place = next;
      }
      this.rest = place === 0 ? text : text.slice(place);
      if (this.rest.length > LONGEST_RECORD && !this.isDone) {
        throw new Fault(
          `${this.name}: line ${this.line + 1} is longer than 16 MB: check that its quotes are closed`,
        );
      }
    }

    // Read a record that begins at `place`; the place after it, or -1 if it is not complete.
    record(text, place, isEnd) {
      const { slots, delimiter } = this;
      const fields = slots === null ? [] : this.kept;
      let nth = 0, at = place;
      for (;;) {
        if (text.charCodeAt(at) === SPACE) at = this.afterSpaces(text, at); // before a quote
        let end = at, value = null;
        if (text.charCodeAt(at) === QUOTE) {
          const quoted = this.quoted(text, at, isEnd);
          if (quoted === null) return -1;
          [value, end] = quoted;
        } else {
          let code = text.charCodeAt(end);
          while (code === code && code !== delimiter && code !== LF && code !== CR) {
            end += 1;
            code = text.charCodeAt(end);
          }
        }
        if (end >= text.length && !isEnd) return -1;
        const isEmptyLine = nth === 0 && value === null && end === at &&
          text.charCodeAt(end) !== delimiter;
        if (!isEmptyLine) {
          if (slots === null) fields.push(value === null ? text.slice(at, end) : value);
          else if (nth < slots.length && slots[nth] >= 0) {
            fields[slots[nth]] = value === null ? text.slice(at, end) : value;
          }
          nth += 1;
        }
        if (text.charCodeAt(end) === delimiter) {
          at = end + 1;
          if (at >= text.length && !isEnd) return -1;
          if (!this.nFields || nth < this.nFields) continue;
          end = this.afterDelimiters(text, at, isEnd); // at the end of a row they mean nothing
          if (end < 0) return -1;
        }
        const after = this.endOfLine(text, end, isEnd);
        if (after < 0) return -1;
        if (after === end && end < text.length) throw this.unclosed(); // text after a quote
        this.finishRecord(isEmptyLine ? null : fields, nth);
        return after;
      }
    }

    /** The place of a quote that follows spaces, else the same place. */
    afterSpaces(text, place) {
      let end = place;
      while (text.charCodeAt(end) === SPACE) end += 1;
      return text.charCodeAt(end) === QUOTE && !this.lenient ? end : place;
    }

    /** The end of a line that has only delimiters left; -1 if more text is needed. */
    afterDelimiters(text, place, isEnd) {
      let end = place;
      while (text.charCodeAt(end) === this.delimiter) end += 1;
      if (end >= text.length) return isEnd ? end : -1;
      if (!this.endsField(text.charCodeAt(end))) throw this.wrongNumber(this.nFields + 1);
      return end;
    }

    finishRecord(fields, n) {
      this.line += 1;
      if (fields !== null && this.nFields && n !== this.nFields) {
        this.line -= 1;
        throw this.wrongNumber(n);
      }
      if (this.take(fields) === false) this.isDone = true;
    }

    // The text of a quoted field, and the place after it; null if more text is needed.
    quoted(text, place, isEnd) {
      let close = place;
      for (;;) {
        close = text.indexOf('"', close + 1);
        if (close < 0 || (close + 1 >= text.length && !isEnd)) {
          if (!isEnd) return null;
          if (this.lenient) return [text.slice(place + 1), text.length];
          throw this.unclosed();
        }
        if (text.charCodeAt(close + 1) !== QUOTE) break;
        close += 1;
      }
      const inside = text.slice(place + 1, close);
      const value = inside.includes('"') ? inside.replaceAll('""', '"') : inside;
      if (this.lenient) return this.withTail(text, close + 1, value);
      let end = close + 1;
      while (text.charCodeAt(end) === SPACE) end += 1;
      return [value, end];
    }

    // Python's reader adds what follows a quoted part to the field; so does the header here.
    withTail(text, from, value) {
      let end = from;
      while (end < text.length && !this.endsField(text.charCodeAt(end))) end += 1;
      return [value + text.slice(from, end), end];
    }

    endsField(code) {
      return code === this.delimiter || code === LF || code === CR;
    }

    // The place after a line end; the same place if there is none, -1 if more text is needed.
    endOfLine(text, place, isEnd) {
      if (place >= text.length) return place;
      let found = "";
      if (text.charCodeAt(place) === LF) found = "\n";
      if (text.charCodeAt(place) === CR) {
        if (place + 1 >= text.length && !isEnd) return -1;
        found = text.charCodeAt(place + 1) === LF ? "\r\n" : "\r";
      }
      if (found && !this.lenient) {
        this.lineEnd = this.lineEnd || found;
        if (found !== this.lineEnd) throw this.irregular();
      }
      return place + found.length;
    }

    wrongNumber(n) {
      const line = this.line + 1, cure = "give every row a value for each column";
      if (this.nHeader && this.nHeader < this.nFields) { // the first row has a field without a name
        return new Fault(
          `${this.name}: the header has ${this.nHeader} fields, but the rows before line ${line} ` +
            `have ${this.nFields} and that line has ${n}: ${cure}`,
        );
      }
      return new Fault(
        `${this.name}: line ${line} has ${n} fields but the header has ${this.nFields}: ${cure}`,
      );
    }

    unclosed() {
      return new Fault(
        `${this.name}: the quote that opens in line ${this.line + 1} is never closed: write quotes ` +
          "inside text twice",
      );
    }

    irregular() {
      return new Fault(
        `${this.name} is not regular CSV: write quotes inside text twice, and end all lines in the ` +
          "same way (not some in LF and some in CRLF)",
      );
    }
  }

  // -- files ----------------------------------------------------------------------------------

  // How a file is written, from its beginning.
  async function openFile(file) {
    let head = "";
    for await (const text of textOf(file)) {
      head += text;
      if (head.length >= LONGEST_HEADER) break;
      if (hasTwoRecords(head)) break;
    }
    if (head.slice(0, HEAD).includes("\0")) {
      throw new Fault(
        `${file.name} is not UTF-8 text (it looks like UTF-16 without a byte order mark, or like ` +
          "a binary file): save it as UTF-8",
      );
    }
    const isMark = file.size === 2 || file.size === 3; // a byte order mark alone: one line without names
    if (head === "" && !isMark) {
      throw new Fault(
        `${file.name} is empty: it needs a column y_true, predictions, and at least one row`,
      );
    }
    return dialectOf(head);
  }

  function hasTwoRecords(head) {
    return firstRecords(head, ",")[1].length > 0;
  }

  // Call `take` with the wanted fields of every row, after the header; see `Records`.
  async function readRows(file, dialect, slots, take, progress) {
    let isHeader = true, isFirst = true;
    const records = new Records(
      { delimiter: dialect.delimiter, name: file.name, nFields: 0, slots: null },
      (fields) => {
        if (!isHeader) return fields === null ? true : take(fields);
        isHeader = false;
        records.nHeader = fields.length;
        records.nFields = dialect.names.length;
        records.slots = slots;
        records.kept = new Array(Math.max(-1, ...slots) + 1).fill("");
        return true;
      },
    );
    records.line = dialect.skip;
    for await (const text of textOf(file, progress)) {
      records.push(isFirst ? text.slice(dialect.start) : text);
      isFirst = false;
      if (records.isDone) return;
    }
    records.finish();
  }

  return { BLANKS, Fault, Records, dialectOf, openFile, readRows, strip };
})();
