// Elements, text and files.  Names of classes, files and groups are data: they reach the page as
// text nodes and as values of fixed attributes only, never as markup, style, address or script.
wager.dom = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const LONGEST = 48; // characters of a name that are shown
  // characters that move, hide or reorder other text
  const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

  /** Text in which invisible characters show as a box. */
  function plain(text) {
    return String(text).replace(UNSEEN, "\u25a1");
  }

  /** A name, cut in the middle if it is long: names often differ at their ends. */
  function short(name, most = LONGEST) {
    const text = String(name), far = 4 * most;
    const letters = Array.from(plain(text.length <= 2 * far ? text : text.slice(0, far) + text.slice(-far)));
    return letters.length <= most ? letters.join("") : middle(letters, most);
  }

  /** So many of the letters, from both ends, with dots between them; whole characters are kept. */
  function middle(letters, most) {
    const last = Math.floor(0.4 * (most - 1));
    return `${letters.slice(0, most - 1 - last).join("")}\u2026${last ? letters.slice(-last).join("") : ""}`;
  }

  /** A sentence in which long names are cut. */
  function sentence(text, names = []) {
    let said = String(text);
    for (const name of names) {
      if (name.length > LONGEST) said = said.split(name).join(short(name));
    }
    return plain(said);
  }

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "on") {
        for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
      } else if (name === "css") {
        for (const [property, set] of Object.entries(value)) node.style.setProperty(property, set);
      } else node.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat(Infinity)) {
      if (child !== null && child !== undefined && child !== false) node.append(child);
    }
    return node;
  }

  /** An HTML element: attributes, then children; texts become text nodes. */
  function el(tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
  }

  /** An SVG element. */
  function svg(tag, attributes, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
  }

  /** A name as an isolated piece of text, whole in its tooltip. */
  function name(text, most = LONGEST) {
    const shown = short(text, most);
    return el("bdi", { title: shown === String(text) ? null : plain(String(text).slice(0, 400)) }, shown);
  }

  /** The colour of the i-th classifier, as a CSS value. */
  function colour(i) {
    return `var(--s${((i % 8) + 8) % 8})`;
  }

  function swatch(i) {
    return el("span", { class: "swatch", "aria-hidden": "true", css: { background: colour(i) } });
  }

  // -- numbers -----------------------------------------------------------------------------------

  const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

  /** A number with fixed digits and a real minus sign; a dash where there is none. */
  function fixed(value, digits = 3) {
    if (value === Infinity || value === -Infinity) return value > 0 ? "\u221e" : "\u2212\u221e";
    if (!isNumber(value)) return "\u2013";
    const text = value.toFixed(digits);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "\u2212");
  }

  function signed(value, digits = 3) {
    const text = fixed(value, digits);
    return isNumber(value) && value > 0 && Number(value.toFixed(digits)) !== 0 ? `+${text}` : text;
  }

  /** A number that is certainly not 0, which must not look like 0. */
  function signedNonzero(value, digits = 3) {
    if (!isNumber(value) || value === 0 || Number(value.toFixed(digits)) !== 0) return signed(value, digits);
    return (value > 0 ? "+" : "") + value.toPrecision(2).replace(/-/g, "\u2212");
  }

  /** A share as per cent. */
  function percent(value, digits = 1) {
    return isNumber(value) ? `${fixed(100 * value, digits)}%` : "\u2013";
  }

  /** A count or an amount of money with separated thousands. */
  function amount(value) {
    if (!isNumber(value)) return "\u2013";
    const size = Math.abs(value), digits = Number.isInteger(value) || size >= 1000 ? 0 : size >= 10 ? 1 : 3;
    const isSmall = size > 1e-9 && size < 0.01; // costs of a cent and less
    return value.toLocaleString("en", isSmall ? { maximumSignificantDigits: 2 } : { minimumFractionDigits: digits, maximumFractionDigits: digits })
      .replace("-", "\u2212");
  }

  function between(lower, upper, show = fixed) {
    return isNumber(lower) && isNumber(upper) ? `${show(lower)} to ${show(upper)}` : "";
  }

  // -- tables ------------------------------------------------------------------------------------

  /** A table of texts and elements; columns are {title, number} or titles. */
  function table(columns, rows, { caption = null, head = true, className = null } = {}) {
    const heads = columns.map((c) => (typeof c === "object" && !(c instanceof Node) ? c : { title: c }));
    const body = rows.map((cells) =>
      el("tr", null, cells.map((cell, j) => {
        const classes = heads[j].number ? "number" : heads[j].name ? "name" : null;
        const isHead = head && j === 0;
        return el(isHead ? "th" : "td", { scope: isHead ? "row" : null, class: classes }, cell);
      })));
    return el("table", { class: className },
      caption ? el("caption", null, caption) : null,
      el("thead", null, el("tr", null, heads.map((h) =>
        el("th", { scope: "col", class: h.number ? "number" : null }, h.title)))),
      el("tbody", null, body));
  }

  /** A region that scrolls sideways, which the keyboard reaches. */
  function scroll(label, content, tall = false) {
    return el("div", { class: tall ? "scroll tall" : "scroll", role: "group", tabindex: "0", "aria-label": label }, content);
  }

  /** Content that is made when it is first opened. */
  function details(title, make, open = false) {
    const box = el("details", { class: "more" }, el("summary", null, title));
    let made = false;
    const open_ = () => {
      if (!made && box.open) {
        made = true;
        box.append(make());
      }
    };
    box.addEventListener("toggle", open_);
    box.makeNow = () => {
      if (!made) {
        made = true;
        box.append(make());
      }
    };
    box.open = open;
    if (open) open_();
    return box;
  }

  function select(label, options, value, onChange, attributes = {}) {
    const box = el("select", { on: { change: (event) => onChange(event.target.value) }, ...attributes },
      options.map(([key, title]) => el("option", { value: key }, short(title, 40))));
    box.value = String(value);
    return el("label", { class: "inline" }, `${label} `, box);
  }

  function checkbox(label, value, onChange, attributes = {}) {
    const box = el("input", { type: "checkbox", on: { change: (event) => onChange(event.target.checked) }, ...attributes });
    box.checked = value;
    return el("label", { class: "inline" }, box, label);
  }

  function button(label, onClick, attributes = {}) {
    return el("button", { type: "button", on: { click: onClick }, ...attributes }, label);
  }

  // -- files -------------------------------------------------------------------------------------

  /** Offer a text as a file; nothing leaves the machine. */
  function download(filename, text, type) {
    const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
    const link = el("a", { href: address, download: filename });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  /** A part of a file name made of a title. */
  function fileName(text) {
    return plain(text).normalize("NFKD").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60).toLowerCase() || "figure";
  }

  /** A table of values as CSV; a text that a spreadsheet would run as a formula gets a quote. */
  function csv(rows) {
    const cell = (value) => {
      if (value === null || value === undefined) return "";
      if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
      let text = String(value);
      if (/^(\s*[=+\-@\uff0b\uff0d\uff1d\uff20]|[\t\r\n])/.test(text)) text = `'${text}`;
      return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replace(/"/g, '""')}"` : text;
    };
    return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
  }

  /** Words about how to use the page, which paper does not show. */
  function hint(words) {
    return el("span", { class: "no-print" }, words);
  }

  function clear(node) {
    node.replaceChildren();
    return node;
  }

  return {
    el, svg, plain, short, middle, sentence, name, colour, swatch, isNumber, fixed, signed, signedNonzero, percent, amount, between,
    table, scroll, details, select, checkbox, button, download, fileName, csv, hint, clear,
  };
})();
