// The leaderboard: every measure of every classifier, with intervals, sorted as the reader likes.
wager.sections.push((() => {
  const { el, svg, name, swatch, short, fixed, amount, percent, between, isNumber, button } = wager.dom;

  const MEASURES = {
    utility: {
      title: "Utility", greater: true, show: (v) => fixed(v, 4),
      words: ["The mean worth of a prediction to you: 1 for the true class alone, 0 for a miss, and what your curve says for a set that contains the true class. It moves with the slider."],
    },
    cost: {
      title: "Cost", greater: false, show: amount,
      words: ["What a prediction costs on average, by the cost matrix. The cost of a set lies between the costs of its classes: r says how much caution is rewarded."],
    },
    coverage: {
      title: "Coverage", greater: true, show: (v) => percent(v, 1),
      words: ["The share of predictions that contain the true class. Naming every class covers everything, so read it together with the size."],
    },
    mean_set_size: {
      title: "Mean size", greater: false, show: (v) => fixed(v, 3),
      words: ["How many classes a prediction names on average. 1 is a classifier that always names one class."],
    },
    determinacy: {
      title: "Determinacy", greater: true, show: (v) => percent(v, 1),
      words: ["The share of predictions that name exactly one class."],
    },
  };
  let body = null, heads = null, drawnHead = null, rows = [], meaning = null, note = null, shownMeaning = null, timer = null;

  function put(node, text) {
    if (node.textContent !== text) node.textContent = text;
  }

  function columns(page) {
    return ["utility", ...(page.model.hasCosts ? ["cost"] : []), "coverage", "mean_set_size", "determinacy"];
  }

  function chosen(page) {
    return page.state.sort || { key: page.byCost() ? "cost" : "utility", down: !page.byCost() };
  }

  /** One cell: number, interval, and both unrounded in its attributes. */
  function cell(key, label) {
    const value = el("span", { class: "value" }), ends = el("span", { class: "between" });
    const node = el("td", { "data-measure": key, "data-label": label, class: "number", role: "cell" }, value, ends);
    node.put = (estimate) => {
      const raw = (v) => (isNumber(v) ? String(v) : "");
      node.dataset.value = raw(estimate.value);
      node.dataset.lower = raw(estimate.lower);
      node.dataset.upper = raw(estimate.upper);
      node.estimate = estimate;
    };
    node.write = () => {
      const { show } = MEASURES[key], { estimate } = node;
      put(value, show(estimate.value));
      put(ends, between(estimate.lower, estimate.upper, show));
    };
    return node;
  }

  function buildRow(page, i) {
    const cells = Object.fromEntries(columns(page).map((key) => [key, cell(key, MEASURES[key].title)]));
    const line = svg("line", { y1: 9, y2: 9, stroke: wager.dom.colour(i), "stroke-width": 5, "stroke-linecap": "round", "stroke-opacity": 0.4 });
    const dot = svg("circle", { cy: 9, r: 5, fill: wager.dom.colour(i) });
    const range = svg("svg", { class: "range", "aria-hidden": "true", focusable: "false" }, svg("line", { x1: 0, x2: "100%", y1: 9, y2: 9, stroke: "var(--faint)" }), line, dot);
    const rank = el("td", { class: "rank", role: "cell" });
    const tag = el("span", { class: "tag", hidden: true }, "preferred");
    const measures = columns(page).slice(1);
    const node = el("tr", { "data-classifier": page.names[i], role: "row" },
      rank, el("th", { scope: "row", class: "name", role: "rowheader" }, swatch(i), name(page.names[i]), tag),
      cells.utility, el("td", { class: "drawn", role: "cell" }, range), measures.map((key) => cells[key]));
    const fixedMeasures = page.measuresOf(i);
    for (const key of ["coverage", "mean_set_size", "determinacy"]) {
      cells[key].put(fixedMeasures[key]);
      cells[key].write();
    }
    return { index: i, node, cells, range: range.parentNode, line, dot, rank, tag };
  }

  /** Numbers and order at once; what is written and drawn may wait while it is out of sight. */
  function score(page, isVisible) {
    const dm = page.dm(), costs = page.model.hasCosts ? page.costDm() : null;
    for (const row of rows) {
      row.cells.utility.put(page.scoreOf(row.index, dm));
      if (costs) row.cells.cost.put(page.model.score(row.index, costs));
    }
    sort(page);
    clearTimeout(timer);
    timer = null;
    if (isVisible) write(page);
    else timer = setTimeout(() => finish(page), 120);
  }

  function finish(page) {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    write(page);
  }

  function write(page) {
    for (const row of rows) {
      row.cells.utility.write();
      row.cells.cost?.write();
    }
    drawRanges(page);
  }

  /** The intervals of the criterion on a common scale. */
  function drawRanges(page) {
    const key = page.byCost() ? "cost" : "utility";
    besideColumn(key);
    const found = rows.map((row) => row.cells[key].estimate);
    const ends = found.flatMap((e) => [e.lower, e.upper, e.value]).filter(isNumber);
    const step = key === "cost" ? (Math.max(...ends) - Math.min(...ends)) / 10 || 1 : 0.05;
    const low = Math.floor(Math.min(...ends) / step - 0.01) * step, high = Math.ceil(Math.max(...ends) / step + 0.01) * step;
    const place = (v) => `${(2 + (96 * (v - low)) / (high - low || 1)).toFixed(2)}%`;
    rows.forEach((row, i) => {
      const e = found[i];
      const known = isNumber(e.lower) && isNumber(e.upper);
      row.line.setAttribute("visibility", known ? "visible" : "hidden");
      row.dot.setAttribute("visibility", isNumber(e.value) ? "visible" : "hidden");
      if (known) {
        row.line.setAttribute("x1", place(e.lower));
        row.line.setAttribute("x2", place(e.upper));
      }
      if (isNumber(e.value)) row.dot.setAttribute("cx", place(e.value));
    });
  }

  /** The drawn intervals stand beside the numbers that they show. */
  function besideColumn(key) {
    if (!rows.length || rows[0].cells[key].classList.contains("main")) return;
    heads.get(key).after(drawnHead);
    for (const { cells, range } of rows) {
      cells[key].after(range);
      for (const measure of ["utility", "cost"]) cells[measure]?.classList.toggle("main", measure === key);
    }
  }

  function sort(page) {
    const { key, down } = chosen(page);
    const value = (row) => (key === "name" ? page.names[row.index] : row.cells[key].estimate.value);
    const order = rows.slice().sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (key === "name") return (down ? -1 : 1) * (x < y ? -1 : x > y ? 1 : a.index - b.index);
      if (!isNumber(x) || !isNumber(y)) return isNumber(y) - isNumber(x) || a.index - b.index;
      return (down ? y - x : x - y) || a.index - b.index;
    });
    let at = body.firstChild;
    for (const { node } of order) { // only rows that change their place are moved
      if (node === at) at = at.nextSibling;
      else body.insertBefore(node, at);
    }
    const best = page.found ? page.found.recommended : null;
    order.forEach((row, i) => {
      put(row.rank, String(i + 1));
      const preferred = rows.length > 1 && row.index === best;
      row.node.classList.toggle("best", preferred);
      row.tag.hidden = !preferred;
    });
    for (const [column, head] of heads) {
      const sorted = column === key;
      head.classList.toggle("sorted", sorted);
      if (sorted) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  }

  /** What the intervals hold together for. */
  function say(page) {
    note.textContent = page.data.store || page.names.length < 2 ? "" : `${wager.dom.sentence(page.model.note(page.criterion()), page.names)}.`;
  }

  function sortBy(page, key) {
    const now = chosen(page);
    const first = key === "name" ? false : MEASURES[key].greater;
    page.set({ sort: { key, down: now.key === key ? !now.down : first } });
  }

  /** What a measure means; costs of sets that follow no r are said to be as they are. */
  function wordsOf(page, key) {
    if (key !== "cost" || page.data.costs.rule.kind === "p-discounted") return MEASURES[key].words;
    return ["What a prediction costs on average, by the costs of this report."];
  }

  function explain(page, key, opener) {
    const same = shownMeaning === key;
    shownMeaning = same ? null : key;
    meaning.hidden = same;
    for (const head of heads.values()) head.querySelector(".help")?.setAttribute("aria-expanded", "false");
    if (same) return;
    opener.setAttribute("aria-expanded", "true");
    meaning.replaceChildren(el("h3", null, MEASURES[key].title), ...wordsOf(page, key).map((text) => el("p", null, text)));
  }

  function head(page, key) {
    if (key === "name") return el("th", { scope: "col", class: "name", role: "columnheader" }, button("Classifier", () => sortBy(page, key), { class: "sort" }));
    const help = button("?", () => explain(page, key, help), { class: "help", "aria-label": `What does ${MEASURES[key].title.toLowerCase()} mean?`, "aria-expanded": "false", "aria-controls": "meaning" });
    return el("th", { scope: "col", class: "number", role: "columnheader" }, button(MEASURES[key].title, () => sortBy(page, key), { class: "sort" }), help);
  }

  function latex(page) {
    const escape = (text) => text.replace(/[\\&%$#_{}~^<>|]/g, (c) => ({ "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}" })[c] || `\\${c}`).replace(/\u2212/g, "$-$").replace(/[\r\n]+/g, " ");
    const keys = columns(page);
    const lines = sortedRows(page).map((row) => {
      const text = [short(page.names[row.index], 200), ...keys.map((key) => {
        const e = row.cells[key].estimate, { show } = MEASURES[key];
        return isNumber(e.lower) ? `${show(e.value)} (${between(e.lower, e.upper, show)})` : show(e.value);
      })].map(escape).join(" & ");
      return `${/^\s*[[*]/.test(text) ? "{}" : ""}${text} \\\\`;
    });
    return [`\\begin{tabular}{l${"r".repeat(keys.length)}}`, "\\toprule", `${["classifier", ...keys.map((k) => MEASURES[k].title.toLowerCase())].join(" & ")} \\\\`, "\\midrule", ...lines, "\\bottomrule", "\\end{tabular}", ""].join("\n");
  }

  function sortedRows(page) {
    return Array.from(body.children, (node) => rows.find((row) => row.node === node));
  }

  function asRows(page) {
    const keys = columns(page);
    return [["classifier", ...keys.flatMap((key) => [key, `${key}_lower`, `${key}_upper`])],
      ...sortedRows(page).map((row) => [page.names[row.index], ...keys.flatMap((key) => { const e = row.cells[key].estimate; return [e.value, e.lower, e.upper]; })])];
  }

  return {
    id: "leaderboard",
    title: "Leaderboard",
    intro(page) {
      const what = page.data.store ? "Means over the data sets" : `Scores with ${percent(page.model.level, page.model.level * 100 % 1 ? 1 : 0)} intervals`;
      return [`${what}, for the worth that you chose.`, wager.dom.hint(" Choose a heading to sort.")];
    },
    eager: true,
    applies: (page) => page.names.length > 0,
    asRows,
    latex,
    build(page) {
      const keys = columns(page);
      heads = new Map(["name", ...keys].map((key) => [key, head(page, key)]));
      rows = page.names.map((_, i) => buildRow(page, i));
      body = el("tbody", { role: "rowgroup" }, rows.map((row) => row.node));
      meaning = el("div", { class: "meaning", id: "meaning", hidden: true, "aria-live": "polite" });
      note = el("p", { class: "note" });
      const [first, utility, ...others] = heads.values();
      drawnHead = el("td", { class: "drawn", role: "cell" });
      const board = el("table", { class: page.model.hasCosts ? "board stack costed" : "board stack", id: "board", role: "table" },
        el("caption", { class: "visually-hidden" }, "Scores of the classifiers"),
        el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, el("td", { class: "rank", role: "cell" }), first, utility, drawnHead, others)), body);
      score(page, true);
      say(page);
      return el("div", { class: "card" },
        el("div", { class: "row tools no-print" },
          button("CSV", () => wager.dom.download("leaderboard.csv", wager.dom.csv(asRows(page)), "text/csv"), { class: "quiet", id: "board-csv", "aria-label": "Download the leaderboard as CSV" }),
          button("LaTeX", () => wager.dom.download("leaderboard.tex", latex(page), "text/x-tex"), { class: "quiet", id: "board-latex", "aria-label": "Download the leaderboard as LaTeX" })),
        wager.dom.scroll("Scores of the classifiers", board), meaning, note);
    },
    finish,
    update(page, what) {
      if (["u", "utility", "worth", "r", "mode", "matrix", "criterion", "sort"].some((key) => what.has(key))) score(page, this.visible);
      if (what.has("criterion") || what.has("utility")) say(page);
    },
  };
})());
