// Drawings: each function takes plain numbers and a width in pixels, and returns an SVG element.
wager.charts = (() => {
  const { el, svg, short, middle, plain, colour, fixed, isNumber, button } = wager.dom;
  const DASHES = [null, "7 4", "2 4", "9 4 2 4"]; // changes after every eight colours
  const LABEL = 15; // pixels between two labels
  const figures = [];

  const pen = document.createElement("canvas").getContext("2d");
  /** The width of a text in pixels, in the font of the drawings. */
  function widthOf(text, size = 12) {
    if (pen === null) return 0.56 * size * text.length;
    pen.font = `${size}px ui-sans-serif, system-ui, sans-serif`;
    return pen.measureText(text).width;
  }

  /** A name that fits into so many pixels, cut in the middle. */
  function fit(name, pixels, size = 12) {
    const shown = short(name), letters = Array.from(shown);
    if (widthOf(shown, size) <= pixels) return shown;
    let most = letters.length - 1;
    while (most > 2 && widthOf(middle(letters, most), size) > pixels) most = Math.min(most - 1, Math.floor(most * 0.9));
    return middle(letters, Math.max(2, most));
  }

  /** A text that fits into so many pixels. */
  function cut(label, pixels, size = 12) {
    const shown = plain(label);
    if (widthOf(shown, size) <= pixels) return shown;
    let letters = Array.from(shown.replace(/\u2026$/, ""));
    while (letters.length > 1 && widthOf(letters.join("") + "\u2026", size) > pixels) {
      letters = letters.slice(0, Math.max(1, Math.min(letters.length - 1, Math.floor(letters.length * 0.9))));
    }
    return letters.join("") + "\u2026";
  }

  /** Round numbers that divide a range. */
  function ticks(low, high, wanted = 5) {
    if (!(high > low)) return [low];
    const rough = (high - low) / Math.max(1, wanted);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
    const found = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) found.push(Number((i * step).toPrecision(12)));
    return found;
  }

  /** As many digits as distinguish the ticks. */
  function digitsFor(values) {
    if (values.length < 2) return 2;
    const step = Math.abs(values[1] - values[0]);
    for (let digits = 0; digits < 8; digits++) {
      if (Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) < 1e-6) return digits;
    }
    return 3;
  }

  /** The smallest range of round numbers that holds all values, with a little air. */
  function extent(lists, { air = 0.05, least = null, most = null } = {}) {
    let low = Infinity, high = -Infinity;
    for (const list of lists) {
      for (const value of list) {
        if (!isNumber(value)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (low > high) return [0, 1];
    const space = (high - low || Math.abs(high) || 1) * air;
    low -= space;
    high += space;
    if (least !== null) low = Math.max(low, least);
    if (most !== null) high = Math.min(high, most);
    return low < high ? [low, high] : [low - 0.5, high + 0.5];
  }

  function scale([low, high], [from, to], { log = false } = {}) {
    const f = log ? Math.log : (v) => v;
    const span = f(high) - f(low) || 1;
    const place = (value) => from + ((f(value) - f(low)) / span) * (to - from);
    place.invert = (pixel) => {
      const t = f(low) + ((pixel - from) / (to - from)) * span;
      return log ? Math.exp(t) : t;
    };
    place.domain = [low, high];
    return place;
  }

  function text(x, y, content, attributes = {}) {
    return svg("text", { x: round(x), y: round(y), ...attributes }, content);
  }

  const round = (value) => Math.round(value * 100) / 100;

  /** Axes with a light grid: the frame of most drawings. */
  function plane({ width, height, x, y, margin, label }) {
    const m = { top: 12, right: 14, bottom: 42, left: 52, ...margin };
    const right = Math.max(m.left + 40, width - m.right), bottom = height - m.bottom;
    const root = svg("svg", {
      width: round(width), height: round(height), viewBox: `0 0 ${round(width)} ${round(height)}`, role: "img", "aria-label": plain(label),
    });
    const sx = scale(x.domain, [m.left, right], x), sy = scale(y.domain, [bottom, m.top], y);
    const xs = x.ticks || ticks(...x.domain, Math.max(3, Math.floor((right - m.left) / 90)));
    const ys = y.ticks || ticks(...y.domain, Math.max(2, Math.floor((bottom - m.top) / 55)));
    const showX = x.format || ((v) => fixed(v, digitsFor(xs))), showY = y.format || ((v) => fixed(v, digitsFor(ys)));
    const below = xs.map((v) => text(sx(v), bottom + 17, showX(v), { "text-anchor": "middle" }));
    root.append(
      svg("g", { class: "grid" },
        ys.map((v) => svg("line", { x1: m.left, x2: right, y1: round(sy(v)), y2: round(sy(v)) })),
        x.grid === false ? null : xs.map((v) => svg("line", { x1: round(sx(v)), x2: round(sx(v)), y1: m.top, y2: bottom }))),
      svg("g", { class: "axis" },
        svg("line", { x1: m.left, x2: right, y1: bottom, y2: bottom }),
        below,
        ys.map((v) => text(m.left - 8, sy(v) + 4, showY(v), { "text-anchor": "end" }))),
    );
    if (x.label) root.append(text((m.left + right) / 2, height - 6, cut(x.label, width - 16, 12.5), { class: "title", "text-anchor": "middle" }));
    if (y.label) root.append(text(2, Math.max(11, m.top - 16), cut(y.label, width - 8, 12.5), { class: "title" }));
    return { root, sx, sy, left: m.left, right, top: m.top, bottom, below };
  }

  function pathOf(xs, ys, sx, sy) {
    let d = "", open = false;
    for (let i = 0; i < xs.length; i++) {
      if (!isNumber(ys[i])) {
        open = false;
        continue;
      }
      d += `${open ? "L" : "M"}${round(sx(xs[i]))} ${round(sy(ys[i]))}`;
      open = true;
    }
    return d;
  }

  function bandOf(xs, lower, upper, sx, sy) {
    const known = xs.map((_, i) => i).filter((i) => isNumber(lower[i]) && isNumber(upper[i]));
    if (known.length < 2) return "";
    const there = known.map((i) => `${round(sx(xs[i]))} ${round(sy(upper[i]))}`);
    const back = known.reverse().map((i) => `${round(sx(xs[i]))} ${round(sy(lower[i]))}`);
    return `M${there.join("L")}L${back.join("L")}Z`;
  }

  function strokeOf(index) {
    const dash = DASHES[Math.floor(index / 8) % DASHES.length];
    return { stroke: colour(index), "stroke-dasharray": dash };
  }

  /** Heights at which labels do not overlap, as near as possible to where they belong. */
  function apart(wanted, low, high, gap = LABEL) {
    const order = wanted.map((y, i) => i).sort((a, b) => wanted[a] - wanted[b]);
    const placed = wanted.slice();
    let last = low - gap;
    for (const i of order) {
      placed[i] = Math.max(wanted[i], last + gap);
      last = placed[i];
    }
    let next = high + gap;
    for (const i of order.reverse()) {
      placed[i] = Math.min(placed[i], next - gap);
      next = placed[i];
    }
    return placed;
  }

  /**
   * Curves over a common grid, with bands, labels at their ends and a cursor.
   *
   * series: [{name, index, values, lower, upper}]; important: names in the order in which labels
   * are given if there is no place for all; marks: [{x, label}] vertical lines;
   * intervals: [{low, high, value, names, words, index}] bars below the axis.
   */
  function curves({ width, height = 340, grid, series, x, y, label, bands = true, marks = [], intervals = [], zero = false, important = null, person = null, shade = null }) {
    const narrow = width < 520;
    const most = Math.max(1, Math.floor((height - 70) / LABEL));
    const wanted = important || series.map((s) => s.name);
    const named = new Set(wanted.slice(0, most));
    const side = narrow ? Math.min(92, width * 0.25) : Math.min(170, 24 + Math.max(0, ...series.filter((s) => named.has(s.name)).map((s) => widthOf(short(s.name, 26)))));
    const left = narrow ? 42 : 54;
    const bars = barPlaces(intervals, scale(x.domain, [left, width - side - 10]), width);
    const strip = bars.length ? 12 + bars.at(-1).bottom : 0;
    const at = plane({
      width, height: height + strip, x, y, label,
      margin: { top: y.label ? 32 : 14, right: side + 10, bottom: 44 + strip, left },
    });
    const { root, sx, sy } = at;
    for (const mark of marks) {
      const px = round(sx(mark.x));
      root.append(svg("line", { x1: px, x2: px, y1: at.top, y2: at.bottom, class: "zero", "stroke-opacity": 0.4 }),
        text(px + 4, at.top + 11, mark.label, { class: "title halo" }));
    }
    if (person) root.append(svg("rect", { class: "person", x: round(sx(person[0])), width: round(Math.max(1, sx(person[1]) - sx(person[0]))), y: at.top, height: at.bottom - at.top }));
    if (zero) root.append(svg("line", { x1: at.left, x2: at.right, y1: round(sy(0)), y2: round(sy(0)), class: "zero" }));
    const clip = `clip-${Math.random().toString(36).slice(2, 9)}`;
    root.append(svg("defs", null, svg("clipPath", { id: clip }, svg("rect", { x: at.left, y: at.top, width: at.right - at.left, height: at.bottom - at.top }))));
    const inside = svg("g", { "clip-path": `url(#${clip})` });
    const groups = new Map();
    for (const s of series) {
      const group = svg("g", { "data-series": s.index });
      if (bands && s.lower && (shade === null || shade.has(s.name))) {
        group.append(svg("path", { class: "band", d: bandOf(grid, s.lower, s.upper, sx, sy), fill: colour(s.index) }));
      }
      group.append(svg("path", { class: "series", d: pathOf(grid, s.values, sx, sy), ...strokeOf(s.index) }));
      groups.set(s.index, group);
      inside.append(group);
    }
    root.append(inside);
    const ends = series.filter((s) => named.has(s.name) && s.values.some(isNumber));
    const last = ends.map((s) => sy(s.values.findLast(isNumber)));
    const placed = apart(last, at.top + 4, at.bottom - 2);
    ends.forEach((s, i) => {
      const g = svg("g", { "data-label": s.index });
      if (Math.abs(placed[i] - last[i]) > 3) {
        g.append(svg("path", { d: `M${round(at.right + 1)} ${round(last[i])}L${round(at.right + 9)} ${round(placed[i])}`, stroke: colour(s.index), fill: "none", "stroke-width": 1 }));
      }
      g.append(
        svg("circle", { cx: round(at.right + 13), cy: round(placed[i]), r: 3.6, fill: colour(s.index) }),
        text(at.right + 21, placed[i] + 4, fit(s.name, side - 14)));
      root.append(g);
      if (groups.has(s.index)) g.addEventListener("pointerenter", () => highlight(s.index));
      g.addEventListener("pointerleave", () => highlight(null));
    });
    if (named.size < series.length && !important) root.append(text(at.right + 12, at.bottom + 17, `+ ${series.length - named.size}`, { class: "title" }));
    bars.forEach(({ bar, bottom, words }) => {
      const py = at.bottom + 18 + bottom;
      const g = svg("g", null,
        svg("line", { x1: round(sx(bar.low)), x2: round(Math.max(sx(bar.high), sx(bar.low) + 1)), y1: py, y2: py, stroke: colour(bar.index), "stroke-width": 4, "stroke-linecap": "round", "stroke-opacity": 0.55 }));
      if (isNumber(bar.value)) g.append(svg("circle", { cx: round(sx(bar.value)), cy: py, r: 4, fill: "var(--card)", stroke: colour(bar.index), "stroke-width": 2 }));
      g.append(text(words.x, py + words.dy, words.text, { class: "title", "font-size": 11, "text-anchor": words.anchor }));
      root.append(g);
    });
    const cursor = svg("g", { class: "cursor", visibility: "hidden" },
      svg("line", { y1: at.top, y2: at.bottom }), svg("rect", { y: at.bottom + 3, width: 46, height: 18, rx: 4 }),
      text(0, at.bottom + 16, "", { "text-anchor": "middle" }));
    root.append(cursor);
    const [line, flag, value] = cursor.childNodes;
    root.setCursor = (px, shown) => {
      const visible = isNumber(px) && px >= sx.domain[0] - 1e-9 && px <= sx.domain[1] + 1e-9;
      cursor.setAttribute("visibility", visible ? "visible" : "hidden");
      if (!visible) return;
      const at_ = round(sx(px));
      line.setAttribute("x1", at_);
      line.setAttribute("x2", at_);
      flag.setAttribute("x", round(Math.min(Math.max(at_ - 23, at.left - 6), at.right - 40)));
      value.setAttribute("x", round(Math.min(Math.max(at_, at.left + 17), at.right - 17)));
      value.textContent = shown;
      for (const mark of at.below) { // the flag hides what it would only cover in part
        mark.setAttribute("visibility", Math.abs(Number(mark.getAttribute("x")) - at_) < 38 ? "hidden" : "visible");
      }
    };
    function highlight(index) {
      for (const [i, group] of groups) {
        group.classList.toggle("dim", index !== null && i !== index);
        group.lastChild.classList.toggle("strong", i === index);
      }
    }
    root.highlight = highlight;
    root.toValue = (event) => {
      const box = root.getBoundingClientRect();
      return sx.invert(((event.clientX - box.left) / box.width) * width);
    };
    root.plotArea = at;
    return root;
  }

  /** Where bars below an axis and their labels go: beside the bar if there is space, else above it. */
  function barPlaces(intervals, sx, width) {
    let bottom = 0;
    return intervals.map((bar) => {
      const whole = `${bar.names.map((name) => short(name)).join(" | ")}: ${bar.words}`;
      const after = width - sx(bar.high) - 14, before = sx(bar.low) - 14, needed = widthOf(whole, 12.5);
      bottom += 17;
      if (needed <= after) return { bar, bottom, words: { x: sx(bar.high) + 10, dy: 4, anchor: "start", text: whole } };
      if (needed <= before) return { bar, bottom, words: { x: sx(bar.low) - 10, dy: 4, anchor: "end", text: whole } };
      bottom += 15;
      const each = (width - 16 - widthOf(` | : ${bar.words}`, 12.5)) / 2;
      const text = `${bar.names.map((name) => fit(name, each, 12.5)).join(" | ")}: ${bar.words}`;
      const most = Math.max(2, width - 8 - widthOf(text, 12.5));
      return { bar, bottom, words: { x: Math.min(sx(bar.low), most), dy: -8, anchor: "start", text } };
    });
  }

  /** Horizontal rows of points with intervals: [{label, points: [{index, value, lower, upper, name}]}]. */
  function dots({ width, rows, x, label, zero = null, row = 26 }) {
    const narrow = width < 520;
    const side = Math.min(narrow ? width * 0.42 : 240, 16 + Math.max(40, ...rows.map((r) => widthOf(short(r.label)))));
    const each = rows.map((r) => Math.max(row, 10 + 9 * r.points.length));
    const total = each.reduce((a, b) => a + b, 0);
    const height = total + 56;
    const at = plane({ width, height, x, y: { domain: [0, 1], ticks: [] }, label, margin: { left: side, top: 8, right: 18, bottom: 46 } });
    const { root, sx } = at;
    if (zero !== null) root.append(svg("line", { class: "zero", x1: round(sx(zero)), x2: round(sx(zero)), y1: at.top, y2: at.bottom }));
    let top = at.top;
    rows.forEach((r, i) => {
      const middle = top + each[i] / 2;
      root.append(text(side - 10, middle + 4, fit(r.label, side - 14), { "text-anchor": "end" }));
      if (i) root.append(svg("g", { class: "grid" }, svg("line", { x1: 0, x2: at.right, y1: round(top), y2: round(top) })));
      const step = r.points.length > 1 ? Math.min(9, (each[i] - 12) / (r.points.length - 1)) : 0;
      r.points.forEach((p, j) => {
        if (!isNumber(p.value)) return;
        const y = middle + (j - (r.points.length - 1) / 2) * step;
        const clampX = (v) => round(Math.min(Math.max(sx(v), at.left), at.right));
        if (isNumber(p.lower) && isNumber(p.upper)) {
          root.append(svg("line", { x1: clampX(p.lower), x2: clampX(p.upper), y1: round(y), y2: round(y), stroke: colour(p.index), "stroke-width": 2, "stroke-opacity": 0.55 }));
        }
        root.append(svg("circle", { cx: clampX(p.value), cy: round(y), r: 4, fill: colour(p.index) },
          svg("title", null, `${plain(r.label)}${p.name ? `, ${short(p.name)}` : ""}: ${fixed(p.value, 4)}`)));
      });
      top += each[i];
    });
    return root;
  }

  /** Stacked columns by set size: hits below, misses above, one small drawing per classifier. */
  function sizes({ width, series, label, sizeNames }) {
    const columns = Math.max(1, Math.min(series.length, Math.floor(width / 270)));
    const each = width / columns, high = 168, lines = Math.ceil(series.length / columns);
    const root = svg("svg", { width: round(width), height: lines * high, viewBox: `0 0 ${round(width)} ${lines * high}`, role: "img", "aria-label": plain(label) });
    const top = Math.max(1e-9, ...series.flatMap((s) => s.hit.map((h, i) => h + s.miss[i])));
    series.forEach((s, k) => {
      const x0 = (k % columns) * each, y0 = Math.floor(k / columns) * high;
      const left = x0 + 34, right = x0 + each - 16, bottom = y0 + high - 32, peak = y0 + 30;
      const sy = scale([0, top], [bottom, peak]);
      const step = (right - left) / Math.max(1, s.hit.length), bar = Math.min(34, step * 0.72);
      root.append(svg("circle", { cx: round(x0 + 10), cy: y0 + 13, r: 4, fill: colour(s.index) }), text(x0 + 20, y0 + 17, fit(s.name, each - 40, 13), { "font-weight": 600 }));
      const marks = ticks(0, top, 2);
      root.append(svg("g", { class: "grid" }, marks.map((v) => svg("line", { x1: round(left), x2: round(right), y1: round(sy(v)), y2: round(sy(v)) }))),
        svg("g", { class: "axis" }, marks.map((v) => text(left - 6, sy(v) + 4, `${Math.round(100 * v)}%`, { "text-anchor": "end", "font-size": 10.5 }))));
      const every = Math.ceil((sizeNames.length * 17) / Math.max(1, right - left));
      s.hit.forEach((hit, i) => {
        const x = left + step * (i + 0.5) - bar / 2, miss = s.miss[i];
        if (hit > 0) root.append(svg("rect", { x: round(x), width: round(bar), y: round(sy(hit)), height: round(bottom - sy(hit)), fill: colour(s.index) }, svg("title", null, `${sizeNames[i]}: ${fixed(100 * hit, 1)}% contain the true class`)));
        if (miss > 0) root.append(svg("rect", { x: round(x), width: round(bar), y: round(sy(hit + miss)), height: round(sy(hit) - sy(hit + miss)), fill: colour(s.index), "fill-opacity": 0.16, stroke: colour(s.index), "stroke-width": 1.2 }, svg("title", null, `${sizeNames[i]}: ${fixed(100 * miss, 1)}% miss it`)));
        if (i % every === 0) root.append(svg("g", { class: "axis" }, text(x + bar / 2, bottom + 15, sizeNames[i], { "text-anchor": "middle", "font-size": 11 })));
      });
      root.append(svg("g", { class: "axis" }, svg("line", { x1: round(left), x2: round(right), y1: bottom, y2: bottom })));
    });
    return root;
  }

  /** Points on a square with the diagonal: reliability, or scores of two learners. */
  function square({ width, points, x, y, label, lines = [], size = null }) {
    const side = Math.min(width, size || 460);
    if (x.domain.join() === y.domain.join()) {
      const both = ticks(...x.domain, Math.max(2, Math.floor(side / 110)));
      [x, y] = [{ ...x, ticks: both }, { ...y, ticks: both }];
    }
    const at = plane({ width: side, height: side * 0.94, x, y, label, margin: { top: 32, left: 50, right: 16 } });
    const { root, sx, sy } = at;
    const low = Math.max(x.domain[0], y.domain[0]), high = Math.min(x.domain[1], y.domain[1]);
    root.append(svg("line", { class: "zero", "stroke-dasharray": "4 4", x1: round(sx(low)), y1: round(sy(low)), x2: round(sx(high)), y2: round(sy(high)) }));
    for (const line of lines) root.append(svg("path", { class: "series", d: pathOf(line.x, line.y, sx, sy), ...strokeOf(line.index) }));
    for (const p of points) {
      if (!isNumber(p.x) || !isNumber(p.y)) continue;
      if (isNumber(p.lower) && isNumber(p.upper)) root.append(svg("line", { x1: round(sx(p.x)), x2: round(sx(p.x)), y1: round(sy(p.lower)), y2: round(sy(p.upper)), stroke: colour(p.index), "stroke-width": 1.5, "stroke-opacity": 0.6 }));
      root.append(svg("circle", { cx: round(sx(p.x)), cy: round(sy(p.y)), r: p.r || 4, fill: colour(p.index), "fill-opacity": p.faint ? 0.55 : 0.9 }, svg("title", null, plain(p.title || ""))));
    }
    return root;
  }

  /** Mean ranks on a line; learners joined by a bar do not differ significantly (Demšar, 2006). */
  function ranks({ width, names, means, groups, distance, label }) {
    const order = means.map((_, i) => i).sort((a, b) => means[a] - means[b]);
    const half = Math.ceil(order.length / 2);
    const narrow = width < 560, side = narrow ? width * 0.28 : Math.min(230, width * 0.28);
    const low = 1, high = names.length, left = side + 14, right = width - side - 14;
    const bars = groups.length * 9, axis = isNumber(distance) ? 52 : 32, first = axis + 22 + bars;
    const height = first + 22 * half + 6;
    const sx = scale([low, high], [left, right]);
    const root = svg("svg", { width: round(width), height: round(height), viewBox: `0 0 ${round(width)} ${round(height)}`, role: "img", "aria-label": plain(label) });
    root.append(svg("g", { class: "axis" }, svg("line", { x1: left, x2: right, y1: axis, y2: axis }),
      [...new Set([low, ...ticks(low, high, narrow ? 3 : 8).filter(Number.isInteger), high])].filter((v) => v === low || v === high || (sx(v) - left > 22 && right - sx(v) > 22)).map((v) => [svg("line", { x1: round(sx(v)), x2: round(sx(v)), y1: axis - 5, y2: axis }), text(sx(v), axis - 9, String(v), { "text-anchor": "middle" })])));
    if (isNumber(distance)) {
      const end = Math.min(right, sx(low + distance));
      root.append(svg("line", { x1: left, x2: round(end), y1: 14, y2: 14, stroke: "var(--ink)", "stroke-width": 3 }), text(round(end) + 8, 18, `critical difference ${fixed(distance, 2)}`, { class: "title" }));
    }
    groups.forEach((group, i) => {
      const inside = group.map((g) => means[g]);
      root.append(svg("line", { x1: round(sx(Math.min(...inside)) - 4), x2: round(sx(Math.max(...inside)) + 4), y1: axis + 10 + 9 * i, y2: axis + 10 + 9 * i, stroke: "var(--ink)", "stroke-width": 4, "stroke-linecap": "round", "stroke-opacity": 0.75 }));
    });
    order.forEach((i, place) => {
      const isLeft = place < half;
      const y = first + 22 * (isLeft ? place : order.length - 1 - place) + 8;
      const x = round(sx(means[i]));
      root.append(svg("path", { d: `M${x} ${axis}V${y}H${isLeft ? left - 4 : right + 4}`, fill: "none", stroke: colour(i), "stroke-width": 1.4 }),
        text(isLeft ? left - 9 : right + 9, y + 4, `${fit(names[i], side - 36)} ${fixed(means[i], 2)}`, { "text-anchor": isLeft ? "end" : "start" }));
    });
    return root;
  }

  // -- figures -----------------------------------------------------------------------------------

  /** An SVG element with all colours and fonts written out, for use outside the page. */
  function standalone(drawn) {
    const copy = drawn.cloneNode(true);
    const own = [drawn, ...drawn.querySelectorAll("*")], copies = [copy, ...copy.querySelectorAll("*")];
    const kept = ["fill", "stroke", "stroke-width", "fill-opacity", "stroke-opacity", "opacity", "stroke-dasharray", "font-size", "font-weight", "paint-order"];
    own.forEach((node, i) => {
      const style = getComputedStyle(node);
      for (const name of kept) {
        const value = style.getPropertyValue(name);
        if (value) copies[i].setAttribute(name, value);
      }
      copies[i].removeAttribute("class");
      copies[i].removeAttribute("style");
      copies[i].removeAttribute("tabindex");
    });
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("font-family", "system-ui, sans-serif");
    const paper = getComputedStyle(document.documentElement).getPropertyValue("--card");
    const box = svg("rect", { width: "100%", height: "100%", fill: resolved(paper) });
    copy.insertBefore(box, copy.firstChild);
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
  }

  /** A colour with the page's scheme applied. */
  function resolved(value) {
    const probe = el("span", { css: { color: value } });
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  }

  /**
   * A figure: heading, drawing that follows the width of the page, caption, downloads, and the
   * numbers as a table.  `rows` gives a header and the rows of the table, unrounded.
   */
  function figure({ id, title, caption = null, draw, rows = null, controls = null, level = "h3" }) {
    const { details, scroll, table, download, csv, fileName } = wager.dom;
    const plot = el("div", { class: "plot" }), heading = el(level, null, title);
    const tools = el("div", { class: "row tools" },
      button("SVG", () => download(`${fileName(id)}.svg`, standalone(plot.firstChild), "image/svg+xml"), { class: "quiet", "aria-label": `Download ${title} as SVG`, "data-svg": id }),
      rows ? button("CSV", () => download(`${fileName(id)}.csv`, csv(rows()), "text/csv"), { class: "quiet", "aria-label": `Download ${title} as CSV`, "data-csv": id }) : null);
    const holder = el("div", null);
    const numbers = rows ? details("Numbers as a table", () => holder) : null;
    numbers?.addEventListener("toggle", refill); // also when it is opened again: the numbers may have changed
    function refill() {
      if (numbers?.open) fillTable();
    }
    function fillTable() {
      const [head, ...body] = rows();
      const numeric = head.map((_, j) => body.length > 0 && body.every((r) => typeof r[j] !== "string"));
      holder.replaceChildren(scroll(`${made.title}, numbers`, table(
        head.map((h, j) => ({ title: plain(h), number: numeric[j] })),
        body.map((r) => r.map((v) => (typeof v === "number" ? fixed(v, Number.isInteger(v) ? 0 : 4) : v === null || v === undefined ? "\u2013" : wager.dom.name(v)))),
        { caption: made.title }), true));
    }
    function rename(to) {
      if (made.title === to) return;
      made.title = heading.textContent = to;
      for (const [one, form] of [["svg", "SVG"], ["csv", "CSV"]]) tools.querySelector(`[data-${one}]`)?.setAttribute("aria-label", `Download ${to} as ${form}`);
    }
    const words = el("figcaption", null, caption);
    const node = el("figure", { class: "card", id: `figure-${id}` },
      el("div", { class: "head" }, heading, tools), controls, plot, words, numbers);
    let width = 0;
    function redraw(hasNewNumbers = true) {
      width = plot.clientWidth;
      if (width < 60) return;
      plot.replaceChildren(draw(width));
      if (hasNewNumbers && holder.firstChild) refill();
    }
    const watch = new ResizeObserver(() => {
      if (Math.abs(plot.clientWidth - width) >= 2) redraw(false);
    });
    watch.observe(plot);
    const made = { id, title, node, redraw, refill, rename, caption: (...said) => { words.replaceChildren(...said); }, drawn: () => plot.firstChild, source: () => standalone(plot.firstChild) };
    figures.push(made);
    return made;
  }

  return { curves, dots, sizes, square, ranks, figure, figures, standalone, plane, ticks, extent, scale, fit, apart, widthOf, pathOf, text, round, strokeOf };
})();
