// Learners over many data sets: ranks, scores against each other, wins and losses.
wager.sections.push((() => {
  const { el, select, name, fixed, amount, short, sentence } = wager.dom;
  const { figure, ranks, square, extent } = wager.charts;
  let found = null, charts = [], wins = null, words = null, scores = null, scoresHolder = null, pair = [0, 1], profile = null;

  function compute(page) {
    found = page.storeOf(page.dm());
  }

  /** Mean scores along u(0.5), over the data sets that every learner has. */
  function profileFigure(page) {
    const xs = Array.from({ length: 26 }, (_, i) => 0.5 + i / 50);
    const lines = page.names.map(() => []);
    for (const x of xs) {
      const scores = wager.store.scoresOf(page.data.store, { family: "quadratic", u_half: x });
      const rows = found.complete.map((d) => scores[d]);
      lines.forEach((line, i) => line.push(rows.reduce((sum, row) => sum + row[i], 0) / rows.length));
    }
    profile = figure({
      id: "store-profile", title: "Mean utility by attitude",
      caption: "Mean over the data sets, for users of every attitude.",
      draw(width) {
        const drawn = wager.charts.curves({
          width, height: 320, grid: xs, label: "Mean utility of the learners along u(0.5)",
          series: lines.map((values, index) => ({ name: page.names[index], index, values })),
          x: { domain: [0.5, 1], label: "u(0.5): what a half-right answer is worth" }, y: { domain: extent(lines, { least: 0, most: 1 }), label: "mean utility" },
          marks: [{ x: 0.5, label: "u50" }, { x: 0.65, label: "u65" }, { x: 0.8, label: "u80" }],
        });
        drawn.setCursor(page.state.u, fixed(page.state.u, 3));
        return drawn;
      },
      rows: () => [["u(0.5)", ...page.names], ...xs.map((x, k) => [x, ...lines.map((line) => line[k])])],
    });
    return profile;
  }

  function rankFigure(page) {
    return figure({
      id: "mean-ranks", title: "Mean ranks",
      caption: "The best learner has rank 1 on a data set. Learners joined by a bar do not differ significantly by Nemenyi's test.",
      draw: (width) => ranks({ width, names: page.names, means: found.meanRanks, groups: found.cliques, distance: found.criticalDifference, label: "Mean ranks of the learners" }),
      rows: () => [["learner", "mean rank", "mean score"], ...page.names.map((n, i) => [n, found.meanRanks[i], found.means[i]])],
    });
  }

  function scatterFigure(page) {
    const options = page.names.map((n, i) => [i, n]);
    const made = figure({
      id: "scatter", title: "Data set by data set",
      caption: "Each point is one data set. Above the line, the learner of the vertical axis is better.",
      controls: el("div", { class: "row no-print" }, select("Across", options, pair[0], (v) => { pair[0] = Number(v); made.redraw(); }), select("Up", options, pair[1], (v) => { pair[1] = Number(v); made.redraw(); })),
      draw(width) {
        const [a, b] = pair;
        const points = found.scores.map((row, d) => ({ x: row[a], y: row[b], index: row[b] > row[a] ? b : a, title: `${page.data.store.datasets[d]}: ${short(page.names[a])} ${fixed(row[a], 4)}, ${short(page.names[b])} ${fixed(row[b], 4)}` }));
        const domain = extent(points.map((p) => [p.x, p.y]), { least: 0, most: 1 });
        return square({ width, points, label: `Scores of ${short(page.names[b])} against ${short(page.names[a])}`, x: { domain, label: short(page.names[a], 30) }, y: { domain, label: short(page.names[b], 30) } });
      },
      rows: () => [["data set", ...page.names], ...found.scores.map((row, d) => [String(page.data.store.datasets[d]), ...row])],
    });
    return made;
  }

  function fillWins(page) {
    const n = page.names.length;
    wins.replaceChildren(wager.dom.scroll("Wins, ties and losses", wager.dom.table([{ title: "learner", name: true }, ...page.names.map((x) => ({ title: name(x), number: true }))],
      page.names.map((x, i) => [name(x), ...Array.from({ length: n }, (_, j) => (i === j ? "" : found.wins[i][j].join("/")))]))));
    words.textContent = found.test ? `${found.test.name}: ${sentence(found.test.sentence, page.names)}.` : "";
  }

  function fillScores(page) {
    if (!scores.open) return;
    scoresHolder.replaceChildren(wager.dom.scroll("Scores on each data set", wager.dom.table([{ title: "data set", name: true }, ...page.names.map((x) => ({ title: name(x), number: true }))],
      found.scores.map((row, d) => [name(page.data.store.datasets[d]), ...row.map((v) => fixed(v, 4))])), true));
  }

  return {
    id: "store",
    title: "Over the data sets",
    intro: (page) => `${amount(page.data.store.learners.length)} learners on ${amount(page.data.store.datasets.length)} data sets, compared by their ranks.`,
    applies: (page) => Boolean(page.data.store),
    build(page) {
      compute(page);
      pair = [0, Math.min(1, page.names.length - 1)];
      wins = el("div", null);
      words = el("p", { class: "note", id: "store-words" });
      charts = [rankFigure(page), scatterFigure(page)];
      profileFigure(page);
      fillWins(page);
      scoresHolder = el("div", null);
      scores = wager.dom.details("Scores on each data set", () => scoresHolder);
      scores.addEventListener("toggle", () => fillScores(page));
      const failures = page.data.store.failures || [], nFailed = Math.max(failures.length, page.data.store.counts?.failed ?? 0);
      return el("div", { class: "stack-of" }, charts[0].node, profile.node, charts[1].node,
        el("div", { class: "card" }, el("h3", null, "Wins, ties and losses"),
          el("p", { class: "note" }, "On how many data sets the learner of the row wins, ties and loses against that of the column."), wins, words, scores,
          failures.length ? wager.dom.details(`${amount(nFailed)} ${nFailed === 1 ? "failure" : "failures"}`, () => el("ul", null, failures.map((f) => el("li", { class: "small" }, sentence([f.learner, f.dataset, f.error].filter(Boolean).join(": "), page.names))),
            nFailed > failures.length ? el("li", { class: "small" }, `and ${amount(nFailed - failures.length)} more`) : null)) : null));
    },
    update(page, what) {
      if (!["u", "utility", "worth"].some((key) => what.has(key))) return;
      compute(page);
      for (const chart of charts) chart.redraw();
      profile.drawn()?.setCursor(page.state.u, fixed(page.state.u, 3));
      fillWins(page);
      fillScores(page);
    },
  };
})());
