// Memberships in a segment, a triangle or a tetrahedron whose corners are the classes.
//
// Fill and shape of a mark are the true class, its ring is the assigned one.  The drawing is SVG
// without any style of its own: colours are variables of the page, so it follows light and dark.
// The same file draws the section of a report and the page of `wager.plots.simplex_html`.
wager.simplex = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const MOST = 4000; // marks that are drawn
  const FONT = 13;
  const WIDEST = { 2: 900, 3: 900, 4: 560 }; // pixels
  const LINE = 16; // pixels between two lines of a name
  const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
  const ROOT3 = Math.sqrt(3);

  // -- places -----------------------------------------------------------------------------------

  // As in R's klaR: class 1 lower left, class 2 at the top, class 3 lower right.
  const CORNERS = {
    2: [[0, 0, 0], [1, 0, 0]],
    3: [[-1 / ROOT3, 0, -1 / 3], [0, 0, 2 / 3], [1 / ROOT3, 0, -1 / 3]],
    4: [[1, 0, 0], [0.5, ROOT3 / 2, 0], [0.5, ROOT3 / 6, Math.sqrt(2 / 3)], [0, 0, 0]],
  };

  /** A membership vector as a place in space; the triangle stands upright. */
  function place(memberships) {
    const corners = CORNERS[memberships.length];
    return [0, 1, 2].map((d) => memberships.reduce((sum, m, c) => sum + m * corners[c][d], 0));
  }

  /** Memberships that are 1 / n for these classes and 0 for the others. */
  function between(classes, n) {
    return Array.from({ length: n }, (_, c) => (classes.includes(c) ? 1 / classes.length : 0));
  }

  /** The lines of the frame: edges, borders of assigned classes, borders of second classes. */
  function frame(n) {
    const every = Array.from({ length: n }, (_, c) => c), lines = [];
    const centre = between(every, n);
    for (const i of every) {
      for (const j of every.slice(i + 1)) {
        lines.push({ ends: [between([i], n), between([j], n)], kind: "edge" });
        if (n > 2) lines.push({ ends: [centre, between([i, j], n)], kind: "border" });
      }
      if (n > 2) lines.push({ ends: [centre, between([i], n)], kind: "second" });
    }
    return lines;
  }

  /** Heights on the segment of two classes: marks that coincide are stacked up and down. */
  function stacked(points) {
    const columns = new Map(), heights = new Array(points.length);
    points.forEach((point, i) => {
      const column = Math.round(point[1] * 60);
      if (!columns.has(column)) columns.set(column, []);
      columns.get(column).push([(i * 0.6180339887) % 1, i]);
    });
    let tallest = 1;
    for (const rows of columns.values()) {
      rows.sort((a, b) => a[0] - b[0]);
      rows.forEach(([, i], rank) => {
        heights[i] = (rank % 2 ? 1 : -1) * Math.floor((rank + 1) / 2);
        tallest = Math.max(tallest, Math.abs(heights[i]));
      });
    }
    return heights.map((height) => height * Math.min(0.05, 0.34 / tallest));
  }

  // -- projection -------------------------------------------------------------------------------

  /** How a place becomes a point of the drawing, for the size of the drawing and the view. */
  function projection(n, width, height, view) {
    if (n === 2) {
      const left = 24, span = width - 2 * left;
      return ([x, , z]) => [left + x * span, height / 2 - z * 320, 0];
    }
    if (n === 3) {
      const side = Math.min(width - 2 * 16, (height - 104) / (ROOT3 / 2)), scale = (side / 2) * ROOT3;
      const middle = 48 + (2 / 3) * scale;
      return ([x, , z]) => [width / 2 + x * scale, middle - z * scale, 0];
    }
    const centre = place(between([0, 1, 2, 3], 4));
    const [cosTurn, sinTurn] = [Math.cos(view.turn), Math.sin(view.turn)];
    const [cosTilt, sinTilt] = [Math.cos(view.tilt), Math.sin(view.tilt)];
    // from the centre to a corner it is 0.61; above and below is space for the names
    const scale = (Math.min(width - 16, height - 96) / 2 / 0.62) * view.zoom;
    return (at) => {
      const [x, y, z] = at.map((v, d) => v - centre[d]);
      const a = x * cosTurn - y * sinTurn, b = x * sinTurn + y * cosTurn;
      const depth = b * cosTilt - z * sinTilt, up = b * sinTilt + z * cosTilt;
      const near = scale / (1 + 0.25 * depth);
      return [width / 2 + a * near, height * 0.5 - up * near, depth];
    };
  }

  // -- drawing ----------------------------------------------------------------------------------

  function svg(tag, attributes = {}, ...children) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null) node.setAttribute(name, String(value));
    }
    node.append(...children);
    return node;
  }

  function html(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
    node.append(...children);
    return node;
  }

  const pen = document.createElement("canvas").getContext("2d");
  /** The width of a bold text in pixels. */
  function widthOf(text) {
    if (pen === null) return 0.62 * FONT * text.length;
    pen.font = `600 ${FONT}px ui-sans-serif, system-ui, sans-serif`;
    return pen.measureText(text).width;
  }

  const round = (value) => Math.round(value * 10) / 10;
  const colour = (code) => `var(--s${code})`;

  /** A name of which so many characters are shown. */
  function short(name, most) {
    const letters = Array.from(String(name).slice(0, 4 * most).replace(UNSEEN, "\u25a1"));
    return letters.length <= most ? letters.join("") : `${letters.slice(0, most - 1).join("")}\u2026`;
  }

  /** A name that fits into so many pixels. */
  function fit(name, pixels) {
    let shown = short(name, 60);
    while (shown.length > 2 && widthOf(shown) > pixels) {
      shown = short(shown.replace(/\u2026$/, ""), Math.max(2, Math.floor(0.9 * Array.from(shown).length)));
    }
    return shown;
  }

  /** The outline of a mark: circle, square, triangle or diamond. */
  function outline(code, x, y, r) {
    const at = (dx, dy) => `${round(x + dx * r)} ${round(y + dy * r)}`;
    if (code % 4 === 1) return `M${at(-0.9, -0.9)}L${at(0.9, -0.9)}L${at(0.9, 0.9)}L${at(-0.9, 0.9)}Z`;
    if (code % 4 === 2) return `M${at(0, -1.2)}L${at(1.1, 0.8)}L${at(-1.1, 0.8)}Z`;
    if (code % 4 === 3) return `M${at(0, -1.25)}L${at(1.25, 0)}L${at(0, 1.25)}L${at(-1.25, 0)}Z`;
    return `M${at(-1, 0)}A${round(r)} ${round(r)} 0 1 1 ${at(1, 0)}A${round(r)} ${round(r)} 0 1 1 ${at(-1, 0)}Z`;
  }

  function line(from, to, attributes) {
    return svg("line", { x1: round(from[0]), y1: round(from[1]), x2: round(to[0]), y2: round(to[1]), ...attributes });
  }

  const FRAME = {
    edge: { stroke: "var(--ink)", "stroke-width": 1.4 },
    border: { stroke: "var(--soft)", "stroke-width": 1 },
    second: { stroke: "var(--soft)", "stroke-width": 0.8, "stroke-dasharray": "5 4", "stroke-opacity": 0.75 },
  };

  /** The rows that are drawn: all, or those assigned wrongly; evenly chosen if there are many. */
  function shownRows(content, state) {
    const rows = [];
    content.truth.forEach((truth, i) => {
      if (!state.wrong || truth !== content.assigned[i]) rows.push(i);
    });
    if (rows.length <= MOST) return rows;
    return Array.from({ length: MOST }, (_, i) => rows[Math.floor((i * rows.length) / MOST)]);
  }

  /** The drawing, for a width in pixels. */
  function draw(space, content, state) {
    const n = content.classes.length, width = Math.min(space, WIDEST[n]);
    const height = n === 2 ? 300 : Math.round(Math.min(0.87 * (width - 32) + 104, n === 3 ? 560 : 520));
    const project = projection(n, width, height, state);
    const { points } = content.kinds[state.kind];
    const rows = shownRows(content, state);
    const lifts = n === 2 ? stacked(rows.map((i) => points[i])) : null;
    const places = rows.map((i, k) => {
      const at = place(points[i]);
      return project(lifts === null ? at : [at[0], 0, lifts[k]]);
    });
    const root = svg("svg", {
      width: round(width), height, viewBox: `0 0 ${round(width)} ${height}`, role: "img", tabindex: n === 4 ? 0 : null,
      "aria-label": `Memberships of ${rows.length} rows between the corners of ${n} classes`, "font-size": FONT,
    });
    const corners = CORNERS[n].map((corner) => project(corner));
    for (const { ends, kind } of frame(n)) root.append(line(project(place(ends[0])), project(place(ends[1])), FRAME[kind]));
    if (n === 2) root.append(line(project([0.5, 0, -0.34]), project([0.5, 0, 0.34]), FRAME.border));
    if (state.lines) root.append(distances(rows, places, corners, content[state.lines], n));
    root.append(marks(rows, places, content, width));
    root.append(labels(corners, content, width, height, n));
    root.nearest = (x, y) => nearest(rows, places, x, y);
    return root;
  }

  function distances(rows, places, corners, target, n) {
    const opacity = Math.max(0.05, Math.min(0.6, 40 / rows.length));
    const all = svg("g", { "stroke-opacity": round(100 * opacity) / 100, "stroke-width": 1 });
    rows.forEach((row, k) => {
      const corner = corners[target[row]];
      const end = n === 2 ? [corner[0], places[k][1]] : corner;
      all.append(line(places[k], end, { stroke: colour(target[row]) }));
    });
    return all;
  }

  /** The marks, far ones and right ones first. */
  function marks(rows, places, content, width) {
    const r = Math.max(2.6, Math.min(6, 110 / Math.sqrt(rows.length)) * Math.min(1, 0.3 + width / 900));
    const faint = Math.max(0.45, Math.min(0.95, 300 / rows.length));
    const isWrong = (k) => content.truth[rows[k]] !== content.assigned[rows[k]];
    const order = rows.map((_, k) => k)
      .sort((a, b) => isWrong(a) - isWrong(b) || places[b][2] - places[a][2]);
    const all = svg("g", { "stroke-width": round(0.55 * r) });
    for (const k of order) {
      const row = rows[k], [x, y] = places[k];
      all.append(svg("path", {
        d: outline(content.truth[row], x, y, r), fill: colour(content.truth[row]), stroke: colour(content.assigned[row]),
        opacity: isWrong(k) ? Math.max(faint, 0.8) : faint,
      }));
    }
    return all;
  }

  function nearest(rows, places, x, y) {
    let best = null, gap = 196;
    places.forEach((at, k) => {
      const away = (at[0] - x) ** 2 + (at[1] - y) ** 2;
      if (away <= gap) [gap, best] = [away, rows[k]];
    });
    return best;
  }

  /** Names of the corners, outside of the simplex, so that no mark lies below them. */
  function labels(corners, content, width, height, n) {
    const all = svg("g"), slots = n === 4 ? slotsOf(corners) : null;
    corners.forEach((corner, code) => {
      const rate = content.rates === null ? null : content.rates[code];
      const name = fit(content.classes[code], (n === 3 && code === 1 ? 0.9 : 0.44) * width);
      const shown = rate === null || rate === undefined ? [name] : [name, `CR ${rate.toFixed(2)}`];
      const at = n === 4 ? slotPlace(slots[code], width, height, shown) : besideCorner(corners, code, width, height, n, shown);
      if (at.leader) all.append(line(corner, at.leader, { stroke: colour(code), "stroke-width": 1, "stroke-opacity": 0.55 }));
      const text = svg("text", { x: round(at.x), y: round(at.y), "text-anchor": at.anchor, fill: "var(--ink)", "font-weight": 600 });
      shown.forEach((part, i) => {
        text.append(svg("tspan", { x: round(at.x), dy: i ? LINE : 0, "font-weight": i ? 400 : 600, fill: i ? "var(--soft)" : null }, part));
      });
      all.append(svg("path", { d: outline(code, corner[0], corner[1], 5), fill: colour(code) }), text);
    });
    return all;
  }

  /** Below the lower corners, above the top one. */
  function besideCorner(corners, code, width, height, n, shown) {
    const [cx, cy] = corners[code], isTop = n === 3 && code === 1, isLeft = code === 0;
    if (isTop) return { x: cx, y: Math.max(FONT + 1, cy - 14 - LINE * (shown.length - 1)), anchor: "middle" };
    const x = Math.min(width - 4, Math.max(4, cx + (isLeft ? -10 : 10)));
    return { x, y: n === 2 ? height - 34 : cy + 22, anchor: isLeft ? "start" : "end" };
  }

  /** Which of the four corners of the drawing names a class: the nearest, as far as possible. */
  function slotsOf(corners) {
    const slots = new Array(4), order = corners.map((_, code) => code).sort((a, b) => corners[a][1] - corners[b][1]);
    [order.slice(0, 2), order.slice(2)].forEach((row, isBottom) => {
      const [left, right] = row.sort((a, b) => corners[a][0] - corners[b][0]);
      slots[left] = { isBottom: isBottom === 1, isRight: false };
      slots[right] = { isBottom: isBottom === 1, isRight: true };
    });
    return slots;
  }

  function slotPlace({ isBottom, isRight }, width, height, shown) {
    const wide = Math.max(...shown.map(widthOf));
    const y = isBottom ? height - 6 - LINE * (shown.length - 1) : FONT + 1;
    const x = isRight ? width - 4 : 4, middle = isRight ? x - wide / 2 : x + wide / 2;
    const leader = [middle, isBottom ? y - FONT : y + 5 + LINE * (shown.length - 1)];
    return { x, y, anchor: isRight ? "end" : "start", leader };
  }

  // -- words ------------------------------------------------------------------------------------

  const TITLES = { accuracy: "accuracy Ac", separation: "ability to separate AS", correctness: "correctness", confidence: "confidence" };

  function measuresIn(content, state) {
    const { measures } = content.kinds[state.kind];
    const parts = Object.entries(TITLES)
      .filter(([key]) => typeof measures[key] === "number")
      .map(([key, title]) => `${title} ${measures[key].toFixed(3)}`);
    const all = content.truth.length;
    const drawn = shownRows(content, { ...state, wrong: false }).length;
    const some = drawn < content.n ? ` (${drawn} of them are drawn)` : "";
    return [`${content.n || all} rows${some}`, ...parts].join(", ");
  }

  function rowWords(content, state, row) {
    const name = (code) => short(content.classes[code], 40);
    const values = content.kinds[state.kind].points[row].map((m, c) => `${name(c)} ${m.toFixed(3)}`);
    const number = content.rows === null ? row : content.rows[row];
    return `row ${number}: ${name(content.truth[row])}, assigned to ${name(content.assigned[row])} (${values.join(", ")})`;
  }

  /** Correctness rates of the assignments to each class; null for a class without any. */
  function ratesOf(truth, assigned, n) {
    const all = new Array(n).fill(0), right = new Array(n).fill(0);
    assigned.forEach((code, i) => {
      all[code] += 1;
      if (truth[i] === code) right[code] += 1;
    });
    return all.map((total, code) => (total ? right[code] / total : null));
  }

  // -- controls ---------------------------------------------------------------------------------

  function choice(label, options, change) {
    const box = html("select", {}, ...options.map(([key, title]) => html("option", { value: key }, title)));
    box.addEventListener("change", () => change(box.value));
    return html("label", { class: "inline" }, `${label} `, box);
  }

  /** What is drawn, and buttons that turn a tetrahedron. */
  function controls(content, state, redraw) {
    const box = html("div", { class: "row no-print" });
    const kinds = Object.entries(content.kinds);
    if (kinds.length > 1) {
      box.append(choice("memberships", kinds.map(([key, { title }]) => [key, title]), (key) => {
        state.kind = key;
        redraw();
      }));
    }
    const targets = [["", "no corner"], ["truth", "the true corner"], ["assigned", "the assigned corner"]];
    box.append(choice("lines to", targets, (key) => {
      state.lines = key;
      redraw();
    }));
    const wrong = html("input", { type: "checkbox" });
    wrong.addEventListener("change", () => {
      state.wrong = wrong.checked;
      redraw();
    });
    box.append(html("label", { class: "inline" }, wrong, " only rows assigned wrongly"));
    if (content.classes.length === 4) box.append(html("div", { class: "row turn" }, ...turners(state, redraw)));
    return box;
  }

  const STEPS = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, -0.12], ArrowDown: [0, 0.12] };

  function turners(state, redraw) {
    const names = { ArrowLeft: "\u2190", ArrowRight: "\u2192", ArrowUp: "\u2191", ArrowDown: "\u2193", "+": "+", "-": "\u2212" };
    const said = { ArrowLeft: "Turn left", ArrowRight: "Turn right", ArrowUp: "Tilt up", ArrowDown: "Tilt down", "+": "Zoom in", "-": "Zoom out" };
    return Object.keys(names).map((key) => {
      const box = html("button", { type: "button", "aria-label": said[key] }, names[key]);
      box.addEventListener("click", () => move(state, key) && redraw());
      return box;
    });
  }

  function move(state, key) {
    if (STEPS[key]) {
      state.turn += STEPS[key][0];
      state.tilt += STEPS[key][1];
    } else if (key === "+") state.zoom = Math.min(4, state.zoom * 1.15);
    else if (key === "-") state.zoom = Math.max(0.4, state.zoom / 1.15);
    else return false;
    return true;
  }

  /** Listen to the pointer and the keys on the element around the drawing. */
  function listen(plot, content, state, redraw, say) {
    let held = null;
    const turns = content.classes.length === 4;
    plot.addEventListener("pointerdown", (event) => {
      if (turns) held = [event.clientX, event.clientY];
    });
    addEventListener("pointerup", () => { held = null; });
    plot.addEventListener("pointermove", (event) => {
      if (held !== null) {
        state.turn -= (event.clientX - held[0]) * 0.008;
        state.tilt += (event.clientY - held[1]) * 0.008;
        held = [event.clientX, event.clientY];
        redraw();
        return;
      }
      const drawn = plot.querySelector("svg");
      if (drawn === null || !drawn.nearest) return;
      const box = drawn.getBoundingClientRect();
      const row = drawn.nearest(event.clientX - box.left, event.clientY - box.top);
      if (row !== null) say(rowWords(content, state, row));
    });
    if (!turns) return;
    plot.style.setProperty("touch-action", "pan-y");
    plot.addEventListener("keydown", (event) => {
      if (!move(state, event.key)) return;
      event.preventDefault();
      redraw();
      plot.querySelector("svg").focus({ preventScroll: true });
    });
  }

  function startState(content) {
    return { kind: Object.keys(content.kinds)[0], lines: "", wrong: false, turn: 0.75, tilt: 0.3, zoom: 1 };
  }

  const HINT = "Fill and shape: true class; ring: assigned class. CR: correctness rate of the assignments to a class.";

  // -- in a report ------------------------------------------------------------------------------

  /** The memberships of the i-th classifier of a report. */
  function build(root, page, i) {
    const classifier = page.data.classifiers[i], found = classifier.memberships;
    const whole = found.n === found.points.length;
    const content = {
      classes: page.data.classes.map(String),
      kinds: { all: { title: "all", points: found.points, measures: found.measures || {} } },
      truth: found.truth,
      assigned: found.assigned,
      rates: whole ? ratesOf(found.truth, found.assigned, page.data.classes.length) : null,
      n: found.n,
      rows: null,
    };
    const state = startState(content);
    const said = html("p", { class: "note" });
    const name = wager.dom.short(classifier.name);
    const chart = wager.charts.figure({
      id: `simplex-${i + 1}`,
      title: `Memberships of ${name}`,
      caption: `${HINT} ${measuresIn(content, state)}.`,
      draw: (width) => draw(Math.min(width, 640), content, state),
      controls: controls(content, state, () => chart.redraw()),
      rows: () => tableOf(content, state),
    });
    chart.node.append(said);
    listen(chart.node.querySelector(".plot"), content, state, () => chart.redraw(), (words) => {
      said.textContent = words;
    });
    root.append(chart.node);
  }

  function tableOf(content, state) {
    const { points } = content.kinds[state.kind];
    return [["true class", "assigned class", ...content.classes],
      ...points.map((m, i) => [content.classes[content.truth[i]], content.classes[content.assigned[i]], ...m])];
  }

  // -- on a page of its own ---------------------------------------------------------------------

  /** The page of `simplex_html`, whose data lie in the element #simplex-data. */
  function start() {
    const content = JSON.parse(document.getElementById("simplex-data").textContent);
    const state = startState(content), plot = document.getElementById("plot");
    const said = document.getElementById("said"), measures = document.getElementById("measures");
    let width = 0;
    const redraw = () => {
      width = plot.clientWidth;
      plot.replaceChildren(draw(width, content, state));
      measures.textContent = measuresIn(content, state);
    };
    document.getElementById("controls").append(controls(content, state, redraw));
    const turn = content.classes.length === 4 ? " Drag the picture or use the arrow keys to turn it, + and - to zoom." : "";
    said.textContent = HINT + turn;
    listen(plot, content, state, redraw, (words) => { said.textContent = words; });
    new ResizeObserver(() => {
      if (Math.abs(plot.clientWidth - width) >= 1) redraw();
    }).observe(plot);
    redraw();
  }

  return { build, draw, place, ratesOf, start };
})();
