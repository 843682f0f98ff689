// The cost matrix, which the reader can change.
wager.sections.push((() => {
  const { el, name, amount, button, plain, short } = wager.dom;
  const MOST = 15; // classes up to which a matrix can be edited
  let inputs = [], status = null, modes = null;

  function changed(page) {
    const matrix = inputs.map((row) => row.map((input) => Number(input.value)));
    const wrong = inputs.flat().find((input) => input.value.trim() === "" || !(Number(input.value) >= 0) || !Number.isFinite(Number(input.value)));
    for (const input of inputs.flat()) input.setAttribute("aria-invalid", String(input === wrong));
    if (wrong) {
      status.textContent = "A cost is a number that is not negative.";
      return;
    }
    status.textContent = "";
    page.set({ matrix, criterion: "cost" });
  }

  /** Show the costs and the rule of the state; what is being typed stays. */
  function show({ state }) {
    if (!inputs.length) return;
    inputs.forEach((row, i) => row.forEach((input, j) => {
      const isOther = input.value.trim() === "" || Number(input.value) !== state.matrix[i][j];
      if (isOther && input !== document.activeElement) input.value = String(state.matrix[i][j]);
      input.setAttribute("aria-invalid", "false");
    }));
    status.textContent = "";
    if (modes) modes.querySelector("select").value = state.mode;
  }

  /** Who lists the costs of sets. */
  const lister = (page) => ((page.data.facts.inputs || []).length ? "the cost file" : "the table of costs");

  function rest({ otherwise }) {
    return otherwise ? ` The costs that it leaves out follow by the rule ${plain(otherwise)}.` : "";
  }

  function aboutSets(page) {
    const { rule } = page.data.costs;
    if (rule.kind === "p-discounted") return "A set costs a mean of the costs of its classes, less if it contains the true class: r says how much less.";
    if (rule.listed) return `The costs of sets are those that ${lister(page)} gives.${rest(rule)}`;
    return `The costs of sets follow by the rule ${plain(rule.name)}.`;
  }

  /** Why the reader cannot change the costs. */
  function whyFixed(page) {
    const { rule } = page.data.costs;
    if (rule.kind === "p-discounted") return "The matrix is too large to be edited here.";
    if (rule.listed) return `These costs cannot be changed on this page, because ${lister(page)} lists the costs of sets.`;
    return "These costs cannot be changed on this page: that needs the rule p-discounted.";
  }

  /** A row for each set whose costs are listed. */
  function listedRows({ listed = [], n_listed: n = 0 }, classes) {
    const rows = listed.map(([set, costs]) => [el("span", null, set.flatMap((k, i) => [i ? ", " : "{", name(classes[k])]), "}"), ...costs.map((cost) => amount(cost))]);
    if (n > listed.length) rows.push([`and ${amount(n - listed.length)} more sets`, ...classes.map(() => "")]);
    return rows;
  }

  return {
    id: "costs",
    title: "Costs",
    intro: (page) => `What each prediction costs${page.data.costs.unit ? `, in ${plain(page.data.costs.unit)}` : ""}: rows are predictions, columns the truth. ${aboutSets(page)}`,
    applies: (page) => Boolean(page.model.hasCosts && page.data.costs.matrix),
    build(page) {
      const { rule } = page.data.costs, { matrix } = page.state, classes = page.data.costs.classes || page.data.classes;
      const editable = rule.kind === "p-discounted" && classes.length <= MOST;
      inputs = [];
      const rows = matrix.map((costs, i) => {
        const own = costs.map((cost, j) => (editable ? el("input", { type: "number", min: 0, step: "any", value: cost, "aria-label": `Cost of predicting ${short(classes[i], 30)} if ${short(classes[j], 30)} is true`, on: { change: () => changed(page) } }) : amount(cost)));
        if (editable) inputs.push(own);
        return [name(classes[i]), ...own];
      });
      rows.push(...listedRows(rule, classes));
      status = el("p", { class: "note", role: "status" });
      modes = editable && page.state.mode ? wager.dom.select("Rule", [["cautious", "cautious"], ["mistake-averse", "mistake-averse"]], page.state.mode, (mode) => page.set({ mode, r: page.state.r ?? 0.5, criterion: "cost" })) : null;
      return el("div", { class: "card" },
        wager.dom.scroll("Cost matrix", wager.dom.table([{ title: "predicted", name: true }, ...classes.map((c) => ({ title: name(c), number: true }))], rows, { className: "costs-table" }), classes.length > 20),
        editable ? el("div", { class: "row no-print" }, modes, button("As in the report", () => {
          const { costs } = page.data;
          page.set({ matrix: costs.matrix, criterion: "cost", r: costs.r, mode: costs.mode });
          show(page);
        })) : el("p", { class: "note" }, whyFixed(page)), status);
    },
    update(page, what) {
      if (what.has("matrix") || what.has("mode")) show(page);
    },
  };
})());
