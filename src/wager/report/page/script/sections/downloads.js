// Everything to take away: tables, counts, drawings, and the lines that make the same page.
wager.sections.push((() => {
  const { el, button, download, csv, plain, short, fileName } = wager.dom;

  /** The counts of a classifier as `Tally.from_json` reads them. */
  function tallyOf(page, i) {
    const K = page.model.nClasses, { cells, squares } = page.data.classifiers[i].tally;
    const table = Array.from({ length: K + 1 }, () => [0, 0]);
    const order = cells.map((_, k) => k).sort((x, y) => cells[x][0] - cells[y][0] || cells[x][1] - cells[y][1]);
    for (const [size, hit, total] of cells) table[size][hit] = total;
    if (squares === null || squares === undefined) return { table };
    const moments = wager.numbers.unpack(squares);
    if (page.data.facts.units !== "clusters") return { table, squares: order.map((k) => moments[k]) };
    const at = (r, c) => (r >= c ? moments[(r * (r + 1)) / 2 + c] : moments[(c * (c + 1)) / 2 + r]);
    return { table, squares: order.map((r) => order.map((c) => at(r, c))) };
  }

  function code(title, lines, id) {
    const text = lines.join("\n");
    const copy = button("Copy", async () => {
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        const range = document.createRange();
        range.selectNodeContents(shown);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        return;
      }
      copy.textContent = "Copied";
      setTimeout(() => { copy.textContent = "Copy"; }, 1500);
    }, { class: "quiet no-print", "aria-label": `Copy the ${title} lines` });
    const shown = el("code", null, lines.map((line) => plain(line)).join("\n"));
    return el("div", { class: "code", id }, el("div", { class: "head" }, el("h3", null, title), copy), el("pre", { tabindex: "0" }, shown));
  }

  let list = null;

  return {
    id: "downloads",
    title: "Take it with you",
    intro: "The numbers of this page, at the place of the slider.",
    applies: (page) => page.names.length > 0,
    build(page) {
      const board = page.sections.find((s) => s.id === "leaderboard");
      const tallies = page.data.classifiers && page.data.classifiers.length ? el("div", { class: "chips" }, page.data.classifiers.map((c, i) => button([wager.dom.name(c.name)], () => download(`${fileName(c.name)}.json`, `${JSON.stringify(tallyOf(page, i))}\n`, "application/json"), { "data-tally": c.name, "aria-label": `Counts of ${short(c.name)} as JSON` }))) : null;
      const drawings = el("div", { class: "chips", id: "drawings" });
      list = () => drawings.replaceChildren(...wager.charts.figures.filter((f) => !f.node.closest("[hidden]")).map((f) => button(f.title, () => {
        f.redraw();
        download(`${fileName(f.id)}.svg`, f.source(), "image/svg+xml");
      }, { "data-drawing": f.id, "aria-label": `Download ${f.title} as SVG` })));
      const lines = page.data.reproduce || { shell: [], python: [] };
      setTimeout(() => {
        page.buildAll();
        list();
      }, 0);
      return el("div", { class: "stack-of" },
        el("div", { class: "card no-print" }, el("h3", null, "Tables and data"), el("div", { class: "chips" },
          button("Leaderboard, CSV", () => download("leaderboard.csv", csv(board.asRows(page)), "text/csv"), { id: "download-csv" }),
          button("Leaderboard, LaTeX", () => download("leaderboard.tex", board.latex(page), "text/x-tex"), { id: "download-latex" }),
          button("Everything, JSON", () => download("report.json", `${JSON.stringify(page.data)}\n`, "application/json"), { id: "download-json" })),
        tallies ? [el("h3", null, "Counts of each classifier, JSON"), el("p", { class: "note" }, "Read them with Tally.from_json, or give them to wager report."), tallies] : null,
        el("h3", null, "Drawings, SVG"), drawings),
        lines.shell.length || lines.python.length ? el("div", { class: "card" }, lines.shell.length ? code("Shell", lines.shell, "shell") : null, lines.python.length ? code("Python", lines.python, "python") : null) : null);
    },
    update(page, what) {
      if (what.has("criterion")) list(); // some drawings belong to utilities only
    },
  };
})());
