// The risk profile: what each classifier earns for every user, where they break even, and how
// they differ from a baseline.
wager.sections.push((() => {
  const { el, name, fixed, percent, select, checkbox, isNumber, between, plain, short, hint } = wager.dom;
  const { figure, curves, extent } = wager.charts;
  const POINTS = 51;
  const SLOW = 150; // pairs above which break-even points are computed piece by piece
  let intro = null, charts = null, profile = null, differences = null, table = null, lines = null, leads = null, bars = [], run = 0, fillRest = null, evens = new Map();

  /** Where the curves are computed: places on the axis, and parameters of the family. */
  function grid(page) {
    const family = page.family();
    const [low, high] = family === "p-discounted" ? [0, 1] : [0.5, family === "quadratic" ? 1 : 0.99];
    const xs = Array.from({ length: POINTS }, (_, i) => low + ((high - low) * i) / (POINTS - 1));
    return { family, xs, points: xs.map((x) => page.parameterAt(family, x)) };
  }

  const toAxis = (page, family, parameter) => (parameter === null ? null : page.halfAt(family, parameter));
  const cursorAt = (page) => (page.byCost() ? page.state.r : page.model.utility(page.dm()).half);

  function axis(page, family) {
    if (family === "p-discounted") return { domain: [0, 1], label: "r: how much caution is rewarded" };
    return { domain: [0.5, 1], label: "u(0.5): what a half-right answer is worth" };
  }

  const usual = (page) => (page.byCost() ? [] : [{ x: 0.5, label: "u50" }, { x: 0.65, label: "u65" }, { x: 0.8, label: "u80" }]);
  const person = (page) => (page.state.person && !page.byCost() ? page.state.person.interval : null);
  const unit = (page) => (page.data.costs && page.data.costs.unit ? ` (${plain(page.data.costs.unit)})` : "");

  /** The classifiers in the order in which labels matter: the best at the cursor first. */
  function order(page, found, isLess = page.byCost()) {
    const at = cursorAt(page);
    const near = found.xs.reduce((best, x, i) => (Math.abs(x - at) < Math.abs(found.xs[best] - at) ? i : best), 0);
    const sign = isLess ? 1 : -1;
    return found.lines.slice().sort((a, b) => sign * (a.value[near] - b.value[near])).map((l) => page.names[l.index]);
  }

  function compute(page) {
    const { family, xs, points } = grid(page);
    const found = page.model.riskProfile(family, points, page.byCost() ? page.costDm() : page.dm());
    lines = { family, xs, lines: found.lines };
    leads = null;
  }

  function drawProfile(page, width) {
    const shaded = page.state.bands;
    const top = order(page, lines);
    const drawn = curves({
      width, height: width < 520 ? 300 : 380, grid: lines.xs, label: `Risk profile of ${page.names.length} classifiers along ${axis(page, lines.family).label}`,
      series: lines.lines.map((l) => ({ name: page.names[l.index], index: l.index, values: l.value, lower: l.lower, upper: l.upper })),
      x: axis(page, lines.family),
      y: { domain: extent(lines.lines.flatMap((l) => (shaded ? [l.value, l.lower, l.upper] : [l.value])), { least: 0, most: page.byCost() ? null : 1 }), label: page.byCost() ? `average cost${unit(page)}` : "expected utility" },
      bands: shaded, marks: usual(page), intervals: bars, important: top, person: person(page),
    });
    pickable(page, drawn);
    drawn.setCursor(cursorAt(page), fixed(cursorAt(page), 3));
    return drawn;
  }

  /** A click or a drag in the drawing moves the slider. */
  function pickable(page, drawn) {
    drawn.classList.add("pickable");
    let held = false;
    const move = (event) => {
      const value = drawn.toValue(event);
      const [low, high] = page.byCost() ? [0, 1] : [0.5, 1];
      const near = Math.round(Math.min(high, Math.max(low, value)) * 1000) / 1000;
      page.set(page.byCost() ? { r: near } : { u: near, utility: page.state.utility.startsWith("named:") ? "quadratic" : page.state.utility });
    };
    const inside = (event) => {
      const box = drawn.getBoundingClientRect(), at = drawn.plotArea;
      const x = event.clientX - box.left, y = event.clientY - box.top;
      return x >= at.left - 4 && x <= at.right + 4 && y >= at.top && y <= at.bottom + 20;
    };
    drawn.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !inside(event) || event.pointerType === "touch") return;
      held = true;
      drawn.setPointerCapture(event.pointerId);
      move(event);
    });
    drawn.addEventListener("pointermove", (event) => held && move(event));
    drawn.addEventListener("pointerup", () => { held = false; });
    drawn.addEventListener("click", (event) => inside(event) && move(event));
  }

  function leadLines(page) {
    if (leads && leads.baseline === page.state.baseline) return leads;
    const { family, xs, points } = grid(page);
    const found = page.model.differenceProfile(page.state.baseline, family, points, page.byCost() ? page.costDm() : page.dm());
    leads = { baseline: page.state.baseline, family, xs, lines: found.lines.filter((l) => l.index !== page.state.baseline) };
    return leads;
  }

  function drawDifferences(page, width) {
    const found = leadLines(page);
    const shaded = page.state.bands || found.lines.length <= 3;
    const drawn = curves({
      width, height: width < 520 ? 280 : 330, grid: found.xs, label: `Differences from ${short(page.names[page.state.baseline])}`,
      series: found.lines.map((l) => ({ name: page.names[l.index], index: l.index, values: l.value, lower: l.lower, upper: l.upper })),
      x: axis(page, found.family),
      y: { domain: extent([[0], ...found.lines.flatMap((l) => (shaded ? [l.value, l.lower, l.upper] : [l.value]))]), label: page.byCost() ? `saved per case${unit(page)}` : "difference in utility" },
      bands: shaded, marks: usual(page), zero: true, important: order(page, found, false), person: person(page),
    });
    pickable(page, drawn);
    drawn.setCursor(cursorAt(page), fixed(cursorAt(page), 3));
    return drawn;
  }

  // -- break-even points -------------------------------------------------------------------------

  function pairs(page) {
    const found = [];
    for (let i = 0; i < page.names.length; i++) for (let j = i + 1; j < page.names.length; j++) found.push([i, j]);
    return found;
  }

  function buildTable(page) {
    const all = pairs(page).map(([i, j]) => {
      const cells = { value: el("td", { class: "number" }), ends: el("td", { class: "number" }), words: el("td", null) };
      const node = el("tr", { "data-break-even": `${page.names[i]}|${page.names[j]}`, "data-value": "", "data-lower": "", "data-upper": "" },
        el("th", { scope: "row", class: "name" }, name(page.names[i])), el("td", { class: "name" }, name(page.names[j])), cells.value, cells.ends, cells.words);
      return { i, j, node, cells };
    });
    const node = el("table", { id: "break-evens", class: "cards" }, el("thead", null, el("tr", null, ["A", "B", "break-even", "interval", "which users each one suits"].map((t, k) => el("th", { scope: "col", class: k === 2 || k === 3 ? "number" : null }, t)))), el("tbody", null, all.map((row) => row.node)));
    return { node, rows: all };
  }

  function fillRow(page, row, family) {
    const even = page.model.breakEven(row.i, row.j, family, page.byCost() ? page.costDm() : page.dm());
    const raw = (v) => (isNumber(v) ? String(v) : "");
    row.node.dataset.value = raw(even.value);
    row.node.dataset.lower = raw(even.lower);
    row.node.dataset.upper = raw(even.upper);
    row.cells.value.textContent = fixed(even.value, 3);
    row.cells.ends.textContent = between(even.lower, even.upper);
    row.cells.words.textContent = wager.dom.sentence(even.sentence, page.names);
    evens.set(row.i * page.names.length + row.j, even);
  }

  /** A row that waits for its numbers, which are not those of another family. */
  function emptyRow({ node, cells }) {
    for (const key of ["value", "lower", "upper"]) node.dataset[key] = "";
    for (const cell of Object.values(cells)) cell.textContent = "";
  }

  /** Fill the table; with many pairs, a piece at a time so that the page stays responsive. */
  function fillTable(page, done) {
    const family = page.family(), mine = ++run;
    evens = new Map();
    let next = 0;
    const piece = (milliseconds) => {
      if (mine !== run) return;
      const stop = performance.now() + milliseconds;
      while (next < table.rows.length && performance.now() < stop) fillRow(page, table.rows[next++], family);
      if (next < table.rows.length) {
        setTimeout(piece, 0, 30);
        return;
      }
      run++;
      fillRest = null;
      table.node.removeAttribute("aria-busy");
      done();
    };
    fillRest = () => piece(Infinity);
    if (table.rows.length > SLOW) {
      table.node.setAttribute("aria-busy", "true");
      for (const row of table.rows) emptyRow(row);
      setTimeout(piece, 0, 30);
    } else fillRest();
  }

  /** The break-even points that are drawn: few pairs all of them, else neighbours of the best. */
  function chooseBars(page) {
    const family = page.family(), n = page.names.length;
    let wanted = pairs(page);
    if (wanted.length > 3) {
      const found = [], at = order(page, lines);
      const first = page.names.indexOf(at[0]);
      for (const other of at.slice(1, 6).map((x) => page.names.indexOf(x))) found.push(first < other ? [first, other] : [other, first]);
      if (!page.byCost()) {
        const ranges = page.model.bestRanges();
        for (let k = 1; k < ranges.length; k++) {
          const [a, b] = [ranges[k - 1].index, ranges[k].index];
          found.unshift(a < b ? [a, b] : [b, a]);
        }
      }
      wanted = found.filter(([a, b], k) => found.findIndex(([x, y]) => x === a && y === b) === k);
    }
    bars = wanted.map(([i, j]) => ({ i, j, even: evens.get(i * n + j) })).filter((p) => p.even && isNumber(p.even.value) && isNumber(p.even.lower)).slice(0, 4).map((p) => ({
      low: toAxis(page, family, p.even.lower), high: toAxis(page, family, p.even.upper), value: toAxis(page, family, p.even.value), index: p.j,
      names: [page.names[p.i], page.names[p.j]], words: fixed(p.even.value, 3),
    }));
  }

  function longRows(page, found) {
    const head = [page.byCost() ? "r" : "u(0.5)", "classifier", page.byCost() ? "cost" : "utility", "lower", "upper"];
    return [head, ...found.lines.flatMap((l) => found.xs.map((x, k) => [x, page.names[l.index], l.value[k], l.lower ? l.lower[k] : null, l.upper ? l.upper[k] : null]))];
  }

  function restart(page) {
    compute(page);
    bars = [];
    if (table) {
      fillTable(page, () => {
        chooseBars(page);
        if (bars.length) profile.redraw();
        captions(page);
      });
    }
    profile.redraw();
    if (differences) differences.redraw();
    captions(page);
  }

  /** What the section shows; costs that do not depend on r have no curve. */
  function about(page) {
    if (!page.byCost()) return "What each classifier earns, for every user: from users who do not mind risk (left) to very cautious users (right).";
    if (page.hasCurve()) return "What each classifier costs, by how much caution is rewarded: from not at all (left) to most (right).";
    return "These costs do not depend on r, the reward for caution, so there is no curve to draw. To see one, choose a family of utilities at the top.";
  }

  const chartTitle = (page) => (page.byCost() ? "Cost by reward for caution" : "Utility by attitude");

  function showCharts(page) {
    profile.rename(chartTitle(page));
    if (intro.textContent !== about(page)) intro.textContent = about(page);
    charts.hidden = !page.hasCurve();
  }

  function captions(page) {
    const level = percent(page.model.level, 0);
    profile.caption("Each line is one classifier.", hint(" Drag in the plot to move the slider."), `${page.state.bands ? ` Shaded: ${level} intervals for each place.` : ""}${bars.length ? " Bars below the axis: where two classifiers break even, with the interval within which the data do not distinguish them." : ""}`);
    if (differences) differences.caption(`Above 0, a classifier is better than ${short(page.names[page.state.baseline])}. The bands ${page.model.hasPairs ? "are computed from the same rows for both and " : ""}hold together for all pairs and every place: where a band excludes 0, the difference is significant.`);
  }

  const moving = (what) => ["u", "worth", "r", "person"].some((key) => what.has(key));

  return {
    id: "profile",
    title: "Risk profile",
    intro(page) {
      intro = el("span", null, about(page));
      return intro;
    },
    eager: true,
    applies: (page) => page.names.length > 0 && !page.data.store,
    build(page) {
      profile = differences = table = fillRest = null;
      run++; // what is left of another page's table is not filled
      bars = [];
      compute(page);
      profile = figure({
        id: "risk-profile", title: chartTitle(page), draw: (width) => drawProfile(page, width), rows: () => longRows(page, lines),
        controls: el("div", { class: "row no-print" }, checkbox("intervals", page.state.bands, (bands) => page.set({ bands }), { id: "bands" })),
      });
      const parts = [profile.node];
      if (page.hasPairs()) {
        differences = figure({
          id: "differences", title: "Differences from a baseline", draw: (width) => drawDifferences(page, width), rows: () => longRows(page, leadLines(page)),
          controls: el("div", { class: "row no-print" }, select("Baseline", page.names.map((n, i) => [i, n]), page.state.baseline, (value) => page.set({ baseline: Number(value) }), { id: "baseline" })),
        });
        table = buildTable(page);
        parts.push(differences.node, el("div", { class: "card" }, el("h3", null, "Break-even points"),
          el("p", { class: "note" }, "The place on the slider at which two classifiers earn the same. Outside the interval the data say which one is better."), wager.dom.scroll("Break-even points", table.node, true)));
        fillTable(page, () => {
          chooseBars(page);
          profile.redraw();
          captions(page);
        });
      }
      captions(page);
      charts = el("div", { class: "stack-of" }, parts);
      showCharts(page);
      return charts;
    },
    update(page, what) {
      const changed = ["criterion", "utility", "matrix", "mode"].some((key) => what.has(key));
      const before = lines.family;
      if (changed) showCharts(page);
      if (changed && (before !== page.family() || what.has("matrix") || what.has("mode"))) {
        table?.node.setAttribute("aria-busy", "true");
        this.later(() => restart(page), "restart");
        return;
      }
      if (what.has("bands") || what.has("person")) this.later(() => { profile.redraw(); captions(page); }, "profile");
      if (["bands", "person", "baseline"].some((key) => what.has(key))) this.later(() => { differences?.redraw(); captions(page); }, "differences");
      if (moving(what) || changed) {
        this.later(() => {
          const at = cursorAt(page);
          for (const chart of [profile, differences]) chart?.drawn()?.setCursor?.(at, fixed(at, 3));
        }, "cursor");
      }
    },
    queue: null,
    doTasks() {
      const tasks = this.queue;
      this.queue = null;
      for (const one of tasks?.values() ?? []) one();
    },
    finish() {
      this.doTasks();
      fillRest?.();
    },
    /** Do something in the next frame, once: what has the same key does the same. */
    later(task, key) {
      if (!this.queue) {
        this.queue = new Map();
        requestAnimationFrame(() => this.doTasks());
      }
      this.queue.set(key, task);
    },
  };
})());
