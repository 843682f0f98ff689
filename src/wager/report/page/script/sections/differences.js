// Where the classifiers differ: set sizes, coverage by size, confusion, classes and groups.
wager.sections.push((() => {
  const { el, svg, percent, amount, select, button, short, plain, isNumber, colour } = wager.dom;
  const { figure, sizes, dots, extent, fit, round, text, widthOf } = wager.charts;
  const FEW = 6; // classifiers that are shown at first
  const ROWS = 12; // classes or groups that are shown at first
  const MOST = 60; // that are drawn; the table has all
  const MEASURES = { utility: "utility", coverage: "coverage", mean_set_size: "mean size", determinacy: "determinacy" };
  let shown = null, parts = {}, timer = null, frame = null;

  /** Buttons that choose which classifiers the drawings show. */
  function chooser(page) {
    if (page.names.length < 2) return null;
    const box = el("div", { class: "chips no-print", role: "group", "aria-label": "Classifiers in these figures" });
    page.names.forEach((one, i) => {
      const chip = button([wager.dom.swatch(i), wager.dom.name(one)], () => {
        if (shown.has(i)) shown.delete(i);
        else shown.add(i);
        if (!shown.size) shown.add(i);
        chip.setAttribute("aria-pressed", String(shown.has(i)));
        redrawSoon();
      }, { "aria-pressed": String(shown.has(i)), class: "chip" });
      box.append(chip);
    });
    return box;
  }

  /** Draw again, once per frame; the tables always have all classifiers, and confusion has its own choice. */
  function redrawSoon() {
    frame ??= requestAnimationFrame(() => {
      frame = null;
      for (const chart of [parts.sizes, parts.coverage, parts.classes, parts.groups]) chart?.redraw(false);
    });
  }

  const chosen = (page) => page.names.map((_, i) => i).filter((i) => shown.has(i));

  // -- sizes -------------------------------------------------------------------------------------

  function sizeTable(page) {
    return page.names.map((_, i) => page.model.sizes(i));
  }

  function shares(page, found) {
    const most = Math.max(1, ...chosen(page).flatMap((i) => found[i].map((s) => s.size)));
    const least = chosen(page).some((i) => found[i].some((s) => s.size === 0)) ? 0 : 1;
    const cut = Math.min(most, 12); // larger sets share the last column
    const labels = [];
    for (let k = least; k <= cut; k++) labels.push(k === cut && most > cut ? `${k}+` : String(k));
    const series = chosen(page).map((i) => {
      const total = found[i].reduce((a, s) => a + s.hits + s.misses, 0) || 1;
      const hit = labels.map(() => 0), miss = labels.map(() => 0);
      for (const s of found[i]) {
        const at = Math.min(s.size, cut) - least;
        hit[at] += s.hits / total;
        miss[at] += s.misses / total;
      }
      return { name: page.names[i], index: i, hit, miss };
    });
    return { labels, series };
  }

  function sizeFigure(page) {
    const found = sizeTable(page);
    return figure({
      id: "set-sizes", title: "Set sizes, by hit and miss",
      caption: "How many classes each prediction names. Full colour: the true class is among them; outlined: it is not.",
      draw(width) {
        const { labels, series } = shares(page, found);
        return sizes({ width, series, sizeNames: labels, label: "Share of predictions by the number of classes named" });
      },
      rows: () => [["classifier", "size", "hits", "misses"], ...page.names.flatMap((n, i) => found[i].map((s) => [n, s.size, s.hits, s.misses]))],
    });
  }

  function coverageFigure(page) {
    const found = sizeTable(page);
    return figure({
      id: "coverage-by-size", title: "Coverage by set size",
      caption: "How often the true class is among the classes named, for sets of each size, with intervals.",
      draw(width) {
        const own = chosen(page);
        const all = [...new Set(own.flatMap((i) => found[i].map((s) => s.size)))].filter((k) => k > 0).sort((a, b) => a - b).slice(0, 10);
        const rows = all.map((k) => ({
          label: k === 1 ? "one class" : `${k} classes`,
          points: own.map((i) => {
            const s = found[i].find((one) => one.size === k);
            return s ? { index: i, name: page.names[i], value: s.coverage.value, lower: s.coverage.lower, upper: s.coverage.upper } : { index: i, value: null };
          }),
        }));
        return dots({ width, rows, x: { domain: extent([[1], ...rows.flatMap((r) => r.points.map((p) => [p.value, p.lower]))], { least: 0, most: 1, air: 0.02 }), label: "coverage" }, label: "Coverage by set size" });
      },
      rows: () => [["classifier", "size", "coverage", "lower", "upper", "rows"], ...page.names.flatMap((n, i) => found[i].filter((s) => s.size > 0).map((s) => [n, s.size, s.coverage.value, s.coverage.lower, s.coverage.upper, s.hits + s.misses]))],
    });
  }

  // -- confusion ---------------------------------------------------------------------------------

  function confusionFigure(page) {
    let at = 0;
    const known = page.names.map((n, i) => [i, n]).filter(([i]) => page.data.classifiers[i].confusion);
    if (!known.length) return null;
    at = known[0][0];
    const made = figure({
      id: "confusion", title: "Set-valued confusion",
      caption: "Rows: the true class. Columns: the class that was named alone, and predictions of several classes by their number. Shades are shares of a row.",
      controls: el("div", { class: "row no-print" }, select("Classifier", known, at, (value) => { at = Number(value); made.redraw(); })),
      draw: (width) => drawConfusion(page.model.confusion(at), width, short(page.names[at])),
      rows: () => {
        const found = page.model.confusion(at);
        return [["true class", ...found.columns.map(String)], ...found.table.map((cells, i) => [String(found.rows[i]), ...cells])];
      },
    });
    return made;
  }

  function drawConfusion(found, width, who) {
    const n = found.rows.length, m = found.columns.length;
    const side = Math.min(width * 0.3, 150, 14 + Math.max(20, ...found.rows.map((r) => widthOf(short(String(r))))));
    const cell = Math.max(5, Math.min(46, (width - side - 6) / m));
    const high = Math.min(cell, 30), write = cell >= 26;
    const longest = Math.max(...found.columns.map((c) => widthOf(short(String(c), 16), 11)));
    const slant = longest > cell - 4, top = slant ? Math.min(100, 18 + longest * 0.75) : 24;
    const height = top + n * high + 6, full = side + m * cell + (slant ? 34 : 6);
    const root = svg("svg", { width: round(Math.min(full, width)), height: round(height), viewBox: `0 0 ${round(full)} ${round(height)}`, role: "img", "aria-label": `Set-valued confusion of ${plain(who)}` });
    if (m <= 60) found.columns.forEach((c, j) => {
      const x = side + (j + 0.5) * cell;
      const label = fit(String(c), slant ? 100 : cell - 2, 11);
      root.append(svg("text", { x: round(x), y: round(top - 6), "font-size": 11, "text-anchor": slant ? "start" : "middle", transform: slant ? `rotate(-45 ${round(x)} ${round(top - 6)})` : null }, label));
    });
    found.table.forEach((cells, i) => {
      const total = cells.reduce((a, b) => a + b, 0) || 1;
      const y = top + i * high;
      if (high >= 9) root.append(text(side - 8, y + high / 2 + 4, fit(String(found.rows[i]), side - 10), { "text-anchor": "end", "font-size": Math.min(12, high + 1) }));
      cells.forEach((count, j) => {
        if (!count) return;
        const share = count / total;
        const right = String(found.columns[j]) === String(found.rows[i]);
        root.append(svg("rect", { x: round(side + j * cell + 0.5), y: round(y + 0.5), width: round(cell - 1), height: round(high - 1), rx: 2, fill: right ? "var(--s0)" : "var(--s1)", "fill-opacity": round(0.06 + 0.44 * share) }, svg("title", null, plain(`${found.rows[i]} predicted as ${found.columns[j]}: ${amount(count)} (${percent(share, 1)})`))));
        if (write) root.append(text(side + (j + 0.5) * cell, y + high / 2 + 4, count >= 10000 ? percent(share, 0) : amount(Math.round(count * 10) / 10), { "text-anchor": "middle", "font-size": 11, "font-weight": right ? 600 : null }));
      });
    });
    return root;
  }

  // -- classes and groups ------------------------------------------------------------------------

  function partFigure(page, id, title, of, what) {
    let measure = "utility", all = false, cached = null, key = "";
    const data = () => {
      const now = JSON.stringify(page.dm());
      if (now !== key) {
        cached = page.names.map((_, i) => of(i, page.dm()));
        key = now;
      }
      return cached;
    };
    if (!data().some(Boolean)) return null;
    const known = () => page.names.map((_, i) => i).filter((i) => data()[i]);
    const labels = () => data()[known()[0]].map((r) => r.label);
    function ordered() {
      const found = data(), own = chosen(page).filter((i) => found[i]);
      const rows = labels().map((label, k) => {
        const values = own.map((i) => found[i][k]?.[measure]?.value).filter(isNumber);
        return { label, k, spread: values.length ? Math.max(...values) - Math.min(...values) : -1, n: Math.max(...known().map((i) => (found[i][k] ? found[i][k].n : 0))) };
      });
      return rows.sort((a, b) => (own.length > 1 ? b.spread - a.spread : b.n - a.n) || a.k - b.k);
    }
    const more = button("", () => {
      all = !all;
      say();
      made.redraw();
    }, { class: "quiet no-print" });
    function say() {
      more.hidden = labels().length <= ROWS;
      const n = labels().length;
      more.textContent = all ? `Show ${ROWS}` : n > MOST ? `Show ${MOST} of ${n}` : `Show all ${n}`;
    }
    const made = figure({
      id, title,
      caption: `${what} in which the classifiers differ most come first. Lines are intervals.`,
      controls: el("div", { class: "row no-print" }, select("Measure", Object.entries(MEASURES), measure, (value) => { measure = value; made.redraw(); }), more),
      draw(width) {
        const found = data(), own = chosen(page).filter((i) => found[i]);
        const rows = ordered().slice(0, all ? MOST : ROWS).map(({ label, k, n }) => ({
          label: `${short(String(label), 34)} (${amount(n)})`,
          points: own.map((i) => {
            const e = found[i][k]?.[measure] ?? {};
            return { index: i, name: page.names[i], value: e.value, lower: e.lower, upper: e.upper };
          }),
        }));
        const domain = extent(rows.flatMap((r) => r.points.map((p) => [p.value, p.lower, p.upper])), { least: 0, most: measure === "mean_set_size" ? null : 1 });
        return dots({ width, rows, x: { domain, label: MEASURES[measure] }, label: `${title}: ${MEASURES[measure]}` });
      },
      rows: () => [["classifier", "part", "rows", ...Object.keys(MEASURES).flatMap((m) => [m, `${m}_lower`, `${m}_upper`])],
        ...known().flatMap((i) => data()[i].map((r) => [page.names[i], String(r.label), r.n, ...Object.keys(MEASURES).flatMap((m) => [r[m]?.value, r[m]?.lower, r[m]?.upper])]))],
    });
    say();
    made.depends = true;
    return made;
  }

  return {
    id: "where",
    title: "Where they differ",
    intro: "Two classifiers with the same score can be right in different places.",
    applies: (page) => page.names.length > 0 && !page.data.store,
    build(page) {
      shown = new Set(page.names.map((_, i) => i).slice(0, FEW));
      const group = page.data.classifiers.find((c) => c.groups);
      parts = {
        sizes: sizeFigure(page), coverage: coverageFigure(page), confusion: confusionFigure(page),
        classes: partFigure(page, "by-class", "By true class", (i, dm) => page.model.byClass(i, dm), "The classes"),
        groups: group ? partFigure(page, "by-group", `By ${plain(short(group.groups.name))}`, (i, dm) => page.model.byGroup(i, dm), "The groups") : null,
      };
      return el("div", { class: "stack-of" }, chooser(page), parts.sizes.node,
        el("div", { class: "columns" }, parts.coverage.node, parts.classes?.node), el("div", { class: "columns" }, parts.confusion?.node, parts.groups?.node));
    },
    update(page, what) {
      if (!["u", "utility", "worth"].some((key) => what.has(key))) return;
      clearTimeout(timer); // many classes: when the slider rests
      timer = setTimeout(() => {
        for (const chart of [parts.classes, parts.groups]) chart?.redraw();
      }, 80);
    },
  };
})());
