// Every two classifiers: by how much one is better than the other, and whether that is certain.
wager.sections.push((() => {
  const { el, name, amount, signed, signedNonzero, short, sentence, clear } = wager.dom;
  const LIVE = 10; // classifiers up to which the matrix follows the slider at once
  let cells = new Map(), detail = null, picked = null, timer = null;

  /** A difference; if it is significant, neither it nor an end of its interval looks like 0. */
  function show(page, value, side) {
    if (page.byCost()) return (value > 0 ? "+" : "") + amount(value);
    return side ? signedNonzero(value, 3) : signed(value, 3);
  }

  function refresh(page) {
    const n = page.names.length, dm = page.criterion();
    for (let i = 0; i < n; i++) {
      for (let j = i + 1; j < n; j++) {
        const found = page.model.difference(i, j, dm);
        put(page, cells.get(i * n + j), found.mean, found.side);
        put(page, cells.get(j * n + i), -found.mean, -found.side);
      }
    }
    describe(page);
  }

  /** Green and + where the row is better, red where it is worse, with a star if that is significant. */
  function put(page, cell, mean, side) {
    const text = `${show(page, mean === 0 ? 0 : mean, side)}${side ? "*" : ""}`;
    if (cell.textContent !== text) cell.textContent = text;
    const colour = side > 0 ? "color-mix(in srgb, var(--good) 20%, var(--card))" : side < 0 ? "color-mix(in srgb, var(--bad) 20%, var(--card))" : "";
    if (cell.dataset.side !== String(side)) {
      cell.style.setProperty("background", colour);
      cell.dataset.side = String(side);
    }
  }

  function describe(page) {
    if (!picked) return;
    const [i, j] = picked, { model, names } = page;
    const found = model.difference(i, j, page.criterion());
    const even = page.hasCurve() ? model.breakEven(Math.min(i, j), Math.max(i, j), page.family(), page.criterion()) : null;
    const isKnown = !model.lacksCounts(page.criterion(), i, j), hasTest = found.p === found.p;
    const said = [[page.byCost() ? "At these costs" : "For your utility", isKnown ? found.sentence : ""]];
    const parameter = page.byCost() || !model.isLeftOut(i, j) ? model.curve(page.family(), []).parameter : "u(0.5)";
    if (page.hasCurve()) said.push([`For every ${parameter}`, even.sentence]);
    if (!page.byCost()) said.push(["For everyone averse or neutral to risk", model.dominance(i, j).sentence]);
    clear(detail).append(
      el("h3", null, `${short(names[i])} and ${short(names[j])}`),
      el("p", null, !hasTest ? `Difference ${show(page, found.mean, found.side)}; the page does not hold the counts for its interval and p-value.` : `Difference ${show(page, found.mean, found.side)} (${show(page, found.lower, found.side)} to ${show(page, found.upper, found.side)}), p ${found.p < 1e-4 ? "< 0.0001" : `= ${found.p.toFixed(4)}`}, adjusted for all pairs.`),
      el("dl", { class: "facts-of-pair" }, said.filter(([, text]) => text).map(([where, text]) => [el("dt", null, where), el("dd", null, `${page.capital(sentence(text, names))}.`)])));
  }

  function pick(page, i, j, focus = true) {
    if (picked) {
      const before = cells.get(picked[0] * page.names.length + picked[1]);
      before.setAttribute("aria-selected", "false");
      before.tabIndex = -1;
    }
    picked = [i, j];
    const cell = cells.get(i * page.names.length + j);
    cell.setAttribute("aria-selected", "true");
    cell.tabIndex = 0;
    if (focus) cell.focus();
    describe(page);
  }

  function onKey(page, event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step || !picked) return;
    event.preventDefault();
    const n = page.names.length;
    let [i, j] = [picked[0] + step[0], picked[1] + step[1]];
    if (i === j) [i, j] = [i + step[0], j + step[1]];
    if (i >= 0 && j >= 0 && i < n && j < n && i !== j) pick(page, i, j);
  }

  return {
    id: "pairs",
    title: "Every pair",
    intro: (page) => `The score of the row minus the score of the column${page.model.hasPairs ? ", on the same rows" : ""}. A star marks differences that are significant after adjustment for all pairs and utilities.`,
    applies: (page) => page.hasPairs(),
    build(page) {
      const n = page.names.length;
      cells = new Map();
      picked = null;
      detail = el("div", { class: "meaning", "aria-live": "polite" });
      const rows = page.names.map((one, i) => el("tr", { role: "row" },
        el("th", { scope: "row", class: "name", role: "rowheader" }, name(one)),
        page.names.map((other, j) => {
          if (i === j) return el("td", { class: "self", role: "gridcell" });
          const cell = el("td", { role: "gridcell", tabindex: "-1", "aria-selected": "false", on: { click: () => pick(page, i, j) } });
          cells.set(i * n + j, cell);
          return cell;
        })));
      const grid = el("table", { class: "matrix", id: "pairs-matrix", role: "grid", "aria-label": "Differences of all pairs; choose one with the arrow keys", on: { keydown: (event) => onKey(page, event) } },
        el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, el("td", { role: "gridcell" }), page.names.map((one) => el("th", { scope: "col", class: "name", role: "columnheader" }, name(one, 12))))), el("tbody", { role: "rowgroup" }, rows));
      refresh(page);
      pick(page, 0, 1, false);
      return el("div", { class: "card" }, wager.dom.scroll("Differences of all pairs", grid, n > 14), detail);
    },
    update(page, what) {
      if (!["u", "utility", "worth", "r", "mode", "matrix", "criterion"].some((key) => what.has(key))) return;
      clearTimeout(timer);
      timer = null;
      if (page.names.length <= LIVE) refresh(page);
      else timer = setTimeout(() => this.finish(page), 150);
    },
    finish(page) {
      if (timer === null) return;
      clearTimeout(timer);
      timer = null;
      if (this.node.isConnected) refresh(page); // not the table of another page
    },
  };
})());
