// Confidence sequences: the difference of two classifiers as rows come in, valid at every row.
wager.sections.push((() => {
  const { el, select, short, sentence } = wager.dom;
  const { figure, curves, extent } = wager.charts;
  return {
    id: "sequences",
    title: "As the rows came in",
    intro: "A confidence sequence may be looked at after every row: the moment it leaves 0, the comparison is decided.",
    applies: (page) => Boolean(page.data.sequences && page.data.sequences.length),
    build(page) {
      const all = page.data.sequences;
      let at = 0;
      const words = el("p", { class: "note" });
      const title = (s) => `${short(page.names[s.a], 24)} \u2212 ${short(page.names[s.b], 24)}${s.score ? `, ${short(s.score, 20)}` : ""}`;
      const made = figure({
        id: "confidence-sequence", title: "Confidence sequence",
        caption: "Shaded: where the mean difference lies, for all rows together at the level of the page.",
        controls: all.length > 1 ? el("div", { class: "row no-print" }, select("Pair", all.map((s, i) => [i, title(s)]), 0, (value) => { at = Number(value); made.redraw(); })) : null,
        draw(width) {
          const s = all[at];
          words.textContent = sentence(s.verdict && s.score ? `for ${s.score}: ${s.verdict}` : s.verdict || "", page.names);
          const late = Math.floor(s.n.length * 0.04);
          return curves({
            width, height: 300, grid: s.n, label: `Confidence sequence of ${title(s)}`, zero: true,
            series: [{ name: title(s), index: s.a, values: s.mean, lower: s.lower, upper: s.upper }],
            x: { domain: [s.n[0], s.n[s.n.length - 1]], label: "rows", format: (v) => v.toLocaleString("en") },
            y: { domain: extent([[0], s.lower.slice(late), s.upper.slice(late)]), label: `difference${s.unit ? ` (${wager.dom.plain(s.unit)})` : ""}` },
          });
        },
        rows: () => [["rows", "mean", "lower", "upper"], ...all[at].n.map((n, k) => [n, all[at].mean[k], all[at].lower[k], all[at].upper[k]])],
      });
      made.node.append(words);
      return made.node;
    },
    update() {},
  };
})());
