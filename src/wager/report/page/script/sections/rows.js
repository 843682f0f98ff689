// Single rows, if the author of the report asked for them: where A is right and B is wrong.
wager.sections.push((() => {
  const { el, select, name, short, amount, button } = wager.dom;
  const STEP = 50;
  return {
    id: "rows",
    title: "Rows",
    intro: (page) => `${amount(page.data.rows.shown)} of ${amount(page.data.rows.n)} rows. A prediction is right if the true class is among those it names.`,
    applies: (page) => Boolean(page.data.rows),
    build(page) {
      const { data, names } = page, rows = data.rows, n = rows.truth.length;
      let a = 0, b = names.length > 1 ? 1 : 0, which = names.length > 1 ? "first" : "all", most = STEP;
      const right = (i, k) => rows.sets[rows.columns[i][k]].includes(rows.truth[k]);
      const TESTS = {
        first: (k) => right(a, k) && !right(b, k), second: (k) => right(b, k) && !right(a, k),
        neither: (k) => !right(a, k) && !right(b, k), differ: (k) => rows.columns[a][k] !== rows.columns[b][k], all: () => true,
      };
      [a, b] = mostDifferent();
      /** The pair with the most rows on which the first is right and the second is not. */
      function mostDifferent() {
        let best = [a, b], most_ = -1;
        for (let i = 0; i < Math.min(names.length, 12); i++) {
          for (let j = 0; j < Math.min(names.length, 12); j++) {
            let found = 0;
            for (let k = 0; k < n; k++) found += right(i, k) && !right(j, k);
            if (i !== j && found > most_) [best, most_] = [[i, j], found];
          }
        }
        return best;
      }
      const setOf = (i, k) => {
        const found = rows.sets[rows.columns[i][k]];
        return el("span", { class: right(i, k) ? "hit" : "miss" }, `${right(i, k) ? "\u2713" : "\u2717"} `, found.length ? found.map((c, j) => [j ? ", " : "", name(data.classes[c])]) : "\u2205");
      };
      const count = el("p", { class: "note", role: "status" }), holder = el("div", null);
      const more = button("Show more", () => { most += STEP; show(); }, { class: "no-print" });
      function show() {
        const found = [];
        for (let k = 0; k < n; k++) if (TESTS[which](k)) found.push(k);
        count.textContent = `${amount(found.length)} ${found.length === 1 ? "row" : "rows"}`;
        const own = a === b ? [a] : [a, b];
        holder.replaceChildren(wager.dom.scroll("Rows", wager.dom.table(["row", { title: "true class", name: true }, ...own.map((i) => name(names[i]))],
          found.slice(0, most).map((k) => [rows.id ? short(String(rows.id[k]), 30) : String(k + 1), name(data.classes[rows.truth[k]]), ...own.map((i) => setOf(i, k))]))));
        more.hidden = found.length <= most;
      }
      const options = names.map((one, i) => [i, one]);
      const change = (apply) => (value) => { apply(value); most = STEP; show(); };
      show();
      return el("div", { class: "card", id: "rows-box" }, el("div", { class: "row no-print" },
        names.length > 1 ? [select("A", options, a, change((v) => { a = Number(v); })), select("B", options, b, change((v) => { b = Number(v); })),
          select("Show", [["first", "A right, B wrong"], ["second", "B right, A wrong"], ["neither", "both wrong"], ["differ", "different predictions"], ["all", "all rows"]], which, change((v) => { which = v; }))] : null), count, holder, more);
    },
    update() {},
  };
})());
