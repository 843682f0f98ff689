// The cost matrix, which the reader can change.
wager.sections.push((() => {
  const { el, name, amount, button, plain, short } = wager.dom;
  const MOST = 15; // classes up to which a matrix can be edited
  let inputs = [], status = null;

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

  return {
    id: "costs",
    title: "Costs",
    intro: (page) => `What each prediction costs${page.data.costs.unit ? `, in ${plain(page.data.costs.unit)}` : ""}: rows are predictions, columns the truth. ${page.data.costs.rule.kind === "p-discounted" ? "A set costs a mean of the costs of its classes, less if it contains the true class: r says how much less." : `The costs of sets follow by the rule ${plain(page.data.costs.rule.name)}.`}`,
    applies: (page) => Boolean(page.model.hasCosts && page.data.costs.matrix),
    build(page) {
      const { matrix, rule } = page.data.costs, classes = page.data.costs.classes || page.data.classes;
      const editable = rule.kind === "p-discounted" && classes.length <= MOST;
      inputs = [];
      const rows = matrix.map((costs, i) => {
        const own = costs.map((cost, j) => (editable ? el("input", { type: "number", min: 0, step: "any", value: cost, "aria-label": `Cost of predicting ${short(classes[i], 30)} if ${short(classes[j], 30)} is true`, on: { change: () => changed(page) } }) : amount(cost)));
        if (editable) inputs.push(own);
        return [name(classes[i]), ...own];
      });
      status = el("p", { class: "note", role: "status" });
      const modes = editable && page.state.mode ? wager.dom.select("Rule", [["cautious", "cautious"], ["mistake-averse", "mistake-averse"]], page.state.mode, (mode) => page.set({ mode, criterion: "cost" })) : null;
      return el("div", { class: "card" },
        wager.dom.scroll("Cost matrix", wager.dom.table([{ title: "predicted", name: true }, ...classes.map((c) => ({ title: name(c), number: true }))], rows, { className: "costs-table" }), classes.length > 20),
        editable ? el("div", { class: "row no-print" }, modes, button("As in the report", () => {
          inputs.forEach((row, i) => row.forEach((input, j) => { input.value = String(matrix[i][j]); }));
          page.set({ matrix, criterion: "cost", r: page.data.costs.r ?? page.state.r, mode: page.data.costs.mode });
        })) : el("p", { class: "note" }, rule.kind === "p-discounted" ? "The matrix is too large to be edited here." : "Costs of this rule cannot be changed in the page."), status);
    },
    update() {},
  };
})());
