// Probabilities: what the information was worth, and whether reported probabilities are reliable.
wager.sections.push((() => {
  const { el, select, plain, percent, amount, name, swatch } = wager.dom;
  const { figure, square, dots, extent } = wager.charts;

  const TITLES = {
    information_reward: "information reward (bits)", log_loss: "log loss", brier: "Brier score",
    information_reward_2002: "information reward, 2002 (bits)", good_reward: "Good's reward (bits)", kononenko_bratko: "Kononenko and Bratko (bits)",
  };
  const titleOf = (key) => TITLES[key] || plain(key).replace(/_/g, " ");

  function rewardFigure(page, known) {
    const keys = [...new Set(known.flatMap((i) => Object.keys(page.data.classifiers[i].probabilities.measures)))];
    let measure = keys.includes("information_reward") ? "information_reward" : keys[0];
    const of = (i) => page.data.classifiers[i].probabilities.measures[measure] || {};
    const made = figure({
      id: "information-reward", title: "What the probabilities are worth",
      caption: "Information reward is what a forecaster earns against the prior, in bits per row: 0 says nothing new, more is better. For log loss and Brier score, less is better. Lines are intervals.",
      controls: el("div", { class: "row no-print" }, select("Score", keys.map((k) => [k, titleOf(k)]), measure, (value) => { measure = value; made.redraw(); })),
      draw: (width) => dots({
        width, label: titleOf(measure), x: { domain: extent(known.map((i) => [of(i).value, of(i).lower, of(i).upper])), label: titleOf(measure) },
        zero: measure === "information_reward" ? 0 : null,
        rows: known.map((i) => ({ label: page.names[i], points: [{ index: i, value: of(i).value, lower: of(i).lower, upper: of(i).upper }] })),
      }),
      rows: () => [["classifier", "score", "value", "lower", "upper"], ...known.flatMap((i) => Object.entries(page.data.classifiers[i].probabilities.measures).map(([k, e]) => [page.names[i], k, e.value, e.lower, e.upper]))],
    });
    return made;
  }

  function reliabilityFigure(page, known) {
    const labels = Object.keys(page.data.classifiers[known[0]].probabilities.reliability.by_class || {});
    let of = "";
    const bins = (i) => {
      const found = page.data.classifiers[i].probabilities.reliability;
      return (of === "" ? found.top_label : (found.by_class || {})[labels[of]]) || [];
    };
    const made = figure({
      id: "reliability", title: "Reliability",
      caption: "On the dashed line, events happen as often as the classifier says. Below it, the classifier is too confident. Lines are intervals; larger points are bins with more rows.",
      controls: labels.length ? el("div", { class: "row no-print" }, select("Probabilities of", [["", "the predicted class"], ...labels.map((l, k) => [k, l])], of, (value) => { of = value; made.redraw(); })) : null,
      draw(width) {
        const most = Math.max(1, ...known.flatMap((i) => bins(i).map((b) => b[2])));
        return square({
          width, label: "Reliability diagram", size: 480, x: { domain: [0, 1], label: "reported probability" }, y: { domain: [0, 1], label: "observed frequency" },
          lines: known.map((i) => ({ index: i, x: bins(i).map((b) => b[3]), y: bins(i).map((b) => b[4]) })),
          points: known.flatMap((i) => bins(i).map((b) => ({ index: i, x: b[3], y: b[4], lower: b[5], upper: b[6], r: 2.5 + 4 * Math.sqrt(b[2] / most), title: `${page.names[i]}: ${amount(b[2])} rows, reported ${percent(b[3])}, observed ${percent(b[4])}` }))),
        });
      },
      rows: () => [["classifier", "from", "to", "rows", "reported", "observed", "lower", "upper"], ...known.flatMap((i) => bins(i).map((b) => [page.names[i], ...b]))],
    });
    made.node.querySelector(".plot").before(el("ul", { class: "legend" }, known.map((i) => el("li", null, swatch(i), name(page.names[i])))));
    return made;
  }

  return {
    id: "probabilities",
    title: "Probabilities",
    intro: "For classifiers that state probabilities: what their information is worth, and whether events happen as often as they say.",
    applies: (page) => (page.data.classifiers || []).some((c) => c.probabilities),
    build(page) {
      const known = page.names.map((_, i) => i).filter((i) => page.data.classifiers[i].probabilities);
      return el("div", { class: "columns" }, rewardFigure(page, known).node, reliabilityFigure(page, known).node);
    },
    update() {},
  };
})());

// Memberships: the simplex, drawn by a separate script.
wager.sections.push((() => {
  const { el, select } = wager.dom;
  return {
    id: "memberships",
    title: "Memberships",
    intro: "Each row as a point: the nearer to a corner, the more it belongs to that class.",
    applies: (page) => Boolean(wager.simplex) && (page.data.classifiers || []).some((c) => c.memberships),
    build(page) {
      const known = page.names.map((n, i) => [i, n]).filter(([i]) => page.data.classifiers[i].memberships);
      const root = el("div", { id: "simplex" });
      const show = (i) => wager.simplex.build(wager.dom.clear(root), page, Number(i));
      const node = el("div", { class: "card" }, known.length > 1 ? select("Classifier", known, known[0][0], show) : null, root);
      show(known[0][0]);
      return node;
    },
    update() {},
  };
})());
