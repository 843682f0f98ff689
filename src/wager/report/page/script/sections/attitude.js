// What sets are worth: the curve of the chosen utility, which can be dragged, and the questions.
wager.sections = wager.sections || [];
wager.sections.push((() => {
  const { el, svg, fixed, button, hint } = wager.dom;
  const { figure, plane, pathOf, text, round } = wager.charts;
  let chart = null, words = null, handles = [], drawnFor = "";

  /** The utilities of hits with 1, ..., k classes. */
  function worths(page) {
    const found = page.model.utility(page.dm()).worth;
    return Array.from(found).slice(1, 1 + Math.min(Math.max(page.model.nClasses, 2), 8));
  }

  const labelOf = (values) => `Utility of a prediction by its size: ${values.map((v, i) => `${i + 1}: ${fixed(v, 3)}`).join(", ")}`;

  function draw(page, width) {
    const values = worths(page), free = page.state.utility === "free";
    const xs = values.map((_, i) => 1 / (i + 1));
    const at = plane({
      width: Math.min(width, 560), height: 300, label: labelOf(values),
      x: { domain: [0, 1], ticks: xs.length > 5 ? [0, 0.2, 1 / 3, 0.5, 1] : [0, ...xs].sort((a, b) => a - b), format: (v) => (v === 0 ? "0" : v === 1 ? "1" : `1/${Math.round(1 / v)}`), label: width < 420 ? "1 / number of classes named" : "1 / number of classes named, if one of them is true" },
      y: { domain: [0, 1], label: "worth", ticks: [0, 0.25, 0.5, 0.75, 1], format: (v) => fixed(v, 2) },
      margin: { top: 32, left: 46, right: 20 },
    });
    const { root, sx, sy } = at;
    root.append(svg("line", { class: "zero", "stroke-dasharray": "4 4", "stroke-opacity": 0.6, x1: sx(0), y1: sy(0), x2: sx(1), y2: sy(1) }),
      text(sx(1), sy(0.72), "neutral to risk", { class: "title", "text-anchor": "end" }));
    const line = svg("path", { class: "series strong", d: curve(values, sx, sy), stroke: "var(--accent)" });
    root.append(line);
    handles = values.map((value, i) => {
      const moves = free && i > 0 && i <= page.state.worth.length;
      const handle = svg("circle", {
        class: moves ? "handle" : "handle fixed", cx: round(sx(xs[i])), cy: round(sy(value)), r: moves ? 8 : 4.5,
        role: moves ? "slider" : null, tabindex: moves ? "0" : null, "aria-label": moves ? `Worth of ${i + 1} classes, one of them true` : null,
        "aria-valuemin": moves ? 0 : null, "aria-valuemax": moves ? 1 : null, "aria-valuenow": moves ? fixed(value, 3) : null, "data-size": i + 1,
      });
      root.append(handle);
      if (moves) movable(page, handle, i, root, sy);
      return handle;
    });
    if (free) root.setAttribute("role", "group");
    root.refresh = (now) => {
      root.setAttribute("aria-label", labelOf(now));
      line.setAttribute("d", curve(now, sx, sy));
      now.forEach((value, i) => {
        handles[i].setAttribute("cy", round(sy(value)));
        if (handles[i].hasAttribute("role")) handles[i].setAttribute("aria-valuenow", fixed(value, 3));
      });
    };
    return root;
  }

  function curve(values, sx, sy) {
    const xs = [0], ys = [0];
    for (let i = values.length - 1; i >= 0; i--) {
      xs.push(1 / (i + 1));
      ys.push(values[i]);
    }
    return pathOf(xs, ys, sx, sy);
  }

  function movable(page, handle, i, root, sy) {
    const move = (value) => {
      const worth = page.state.worth.slice();
      worth[i - 1] = Math.min(1, Math.max(0, value));
      page.set({ worth: page.concave(backwards(worth, i - 1)) });
    };
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      handle.focus();
      event.preventDefault();
    });
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const box = root.getBoundingClientRect();
      move(Math.round(sy.invert(event.clientY - box.top) * 1000) / 1000);
    });
    handle.addEventListener("keydown", (event) => {
      const step = { ArrowUp: 0.01, ArrowRight: 0.01, ArrowDown: -0.01, ArrowLeft: -0.01, PageUp: 0.1, PageDown: -0.1 }[event.key];
      if (!step) return;
      event.preventDefault();
      move(Math.round((page.state.worth[i - 1] + step * (event.shiftKey ? 0.1 : 1)) * 10000) / 10000);
    });
  }

  /** Make space for the i-th value: the smaller sets before it are lifted where they have to be. */
  function backwards(worth, i) {
    const found = worth.slice();
    for (let j = i - 1; j >= 0; j--) found[j] = Math.max(found[j], found[j + 1]);
    return found;
  }

  function say(page) {
    const values = worths(page);
    const parts = values.slice(1, 5).map((v, i) => `${["two", "three", "four", "five"][i]}: ${fixed(v, 3)}`);
    words.textContent = `The true class alone is worth 1, a miss 0. If the true class is among several, they are worth this much: ${parts.join("; ")}.`;
  }

  return {
    id: "attitude",
    title: "What is it worth to you?",
    intro: "A utility says what a prediction that names several classes is worth, if the true one is among them. A curve above the line belongs to a user who prefers caution.",
    applies: (page) => page.names.length > 0,
    build(page) {
      words = el("p", { class: "note" });
      chart = figure({
        id: "utility", title: "Your utility", draw: (width) => draw(page, width),
        caption: hint("To draw your own curve, choose “My own curve” and drag the points, or move them with the arrow keys. The curve cannot bend upwards."),
        controls: el("div", { class: "row no-print" },
          button("My own curve", () => page.set({ utility: "free", criterion: "utility", worth: page.concave(worths(page).slice(1, 1 + page.state.worth.length)) }), { id: "own-curve" })),
        rows: () => [["classes named", "worth"], ...worths(page).map((v, i) => [i + 1, v])],
      });
      chart.node.append(words);
      say(page);
      const ask = el("div", { class: "card", id: "elicit" });
      if (wager.elicitPanel) wager.elicitPanel.build(ask, page);
      drawnFor = page.state.utility;
      return el("div", { class: "columns" }, chart.node, wager.elicitPanel ? ask : null);
    },
    update(page, what) {
      if (!["u", "utility", "worth", "criterion"].some((key) => what.has(key))) return;
      const drawn = chart.drawn();
      if (drawnFor !== page.state.utility || !drawn || !drawn.refresh) chart.redraw();
      else {
        drawn.refresh(worths(page));
        chart.refill();
      }
      drawnFor = page.state.utility;
      say(page);
    },
  };
})());
