// The page: one state, the sections that show it, and the address that remembers it.
//
// A section is {id, title, intro, applies(page), eager, build(page) -> element, update(page, what), finish(page)};
// it is built when it comes near the window, and updated while it is visible; what update has put off, finish does.  What others hook in:
//
//   wager.drop.build(root, page)           file drop; calls page.show(data) with a new dictionary
//   wager.elicitPanel.build(root, page)    questions; calls page.setPerson({interval, worth, name})
//   wager.simplex.build(root, page, i)     the memberships of classifier i
//
// `page` has: data, model, names, state, dm() (the utility), costDm(), set(changes), show(data).
wager.page = (() => {
  const { el, clear, sentence, fixed, percent, amount, name, plain } = wager.dom;
  const LOW = 0.5, HIGH = 1;
  const QUICK = 12; // classifiers up to which everything is computed before the page is shown
  const byId = (id) => document.getElementById(id);
  const SECTIONS = wager.sections;

  const page = { data: null, model: null, names: [], state: {}, sections: [] };

  // -- the decision maker ------------------------------------------------------------------------

  const FAMILY_TITLES = {
    quadratic: "Quadratic utility",
    fbeta: "F-beta",
    exponential: "Exponential utility",
    free: "My own curve",
    cost: "Average cost",
  };

  /** The parameter of a family whose member has u(0.5) = u: the slider serves all families. */
  function parameterAt(family, u) {
    if (family === "fbeta") return u >= 1 ? 1e6 : Math.sqrt(Math.max(0, 2 * u - 1) / (1 - u));
    if (family === "exponential") return u >= 1 ? 50 : u <= 0.5 ? 0 : 2 * Math.log(u / (1 - u));
    return u;
  }

  /** The u(0.5) of a family's member. */
  function halfAt(family, parameter) {
    if (family === "fbeta") return (1 + parameter ** 2) / (2 + parameter ** 2);
    if (family === "exponential") return 1 / (1 + Math.exp(-parameter / 2));
    return parameter;
  }

  page.parameterAt = parameterAt;
  page.halfAt = halfAt;
  page.familyTitle = (family) => FAMILY_TITLES[family] || family;

  /** The utility that the reader has chosen, also while costs decide. */
  page.dm = () => {
    const { utility, u, worth } = page.state;
    if (utility === "fbeta") return { family: "fbeta", beta: parameterAt("fbeta", u) };
    if (utility === "exponential") return { family: "exponential", a: parameterAt("exponential", u) };
    if (utility === "free") return { family: "free", worth: worth.slice() };
    if (utility.startsWith("named:")) return { family: "named", name: utility.slice(6) };
    return { family: "quadratic", u_half: u };
  };

  page.costDm = () => ({ family: "cost", r: page.state.r, mode: page.state.mode, matrix: page.state.matrix });
  page.byCost = () => page.state.criterion === "cost";
  /** By what the verdict decides. */
  page.criterion = () => (page.byCost() ? page.costDm() : page.dm());
  /** The family along which curves are drawn: the one that is chosen, or else the quadratic one. */
  page.family = () => (page.byCost() ? "p-discounted" : ["fbeta", "exponential"].includes(page.state.utility) ? page.state.utility : "quadratic");
  page.hasCurve = () => !page.byCost() || page.model.families.some((f) => f.name === "p-discounted");

  /** Whether pairs of classifiers are compared, on the same rows or on different ones. */
  page.hasPairs = () => page.names.length > 1 && !page.data.store;

  const alone = (value) => ({ value, lower: NaN, upper: NaN });
  /** Measures and scores of a classifier; of a learner, means over the data sets. */
  page.measuresOf = (i) => {
    if (!page.data.store) return page.model.measures(i);
    return Object.fromEntries(Object.entries(page.storeOf(page.dm()).measures[i]).map(([key, value]) => [key, alone(value)]));
  };
  page.scoreOf = (i, dm) => (page.data.store ? alone(page.storeOf(dm).means[i]) : page.model.score(i, dm));

  /** The learners of a run under a utility. */
  page.storeOf = (dm) => {
    const key = JSON.stringify(dm);
    if (page.stored?.key !== key || page.stored.data !== page.data) {
      page.stored = { key, data: page.data, found: wager.store.compare(page.data.store, dm, page.data.facts.level, page.data.utilities) };
    }
    return page.stored.found;
  };

  // -- state and address -------------------------------------------------------------------------

  function startState() {
    const { model, data } = page;
    const first = data.utilities && data.utilities.find((u) => u.on_the_line);
    const worth = [];
    for (let k = 2; k <= Math.min(Math.max(model.nClasses, 2), 6); k++) worth.push(quadratic(0.65, k));
    return {
      u: first && data.utilities.length === 1 ? firstHalf(first) : 0.65,
      utility: "quadratic",
      criterion: data.costs && !data.utilities.length ? "cost" : "utility",
      worth,
      r: data.costs?.r ?? null, // null: the exponents of the report, which follow no r
      mode: data.costs ? data.costs.mode : null,
      matrix: data.costs ? data.costs.matrix : null,
      baseline: 0,
      bands: model.names.length <= 4,
      sort: null,
      person: null,
    };
  }

  function firstHalf(utility) {
    const worth = utility.worth ? utility.worth[2] : utility.u_half;
    return typeof worth === "number" ? Math.min(HIGH, Math.max(LOW, worth)) : 0.65;
  }

  function quadratic(u, k) {
    const x = 1 / k;
    return (2 - 4 * u) * x * x + (4 * u - 1) * x;
  }

  /** The nearest concave, increasing curve, from the pair outwards. */
  page.concave = (worth) => {
    const found = [1];
    worth.forEach((w, i) => {
      const k = i + 2;
      const low = (found[k - 2] * (k - 1)) / k;
      let high = found[k - 2];
      if (k > 2) {
        const x = (n) => 1 / n;
        const slope = (found[k - 3] - found[k - 2]) / (x(k - 2) - x(k - 1));
        high = Math.min(high, found[k - 2] - slope * (x(k - 1) - x(k)));
      }
      found.push(Math.min(Math.max(w, low), Math.max(low, high)));
    });
    return found.slice(1);
  };

  function readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    const changes = {};
    const number = (key, low, high) => {
      const value = Number(given.get(key));
      return given.has(key) && Number.isFinite(value) && value >= low && value <= high ? value : null;
    };
    const u = number("u", LOW, HIGH), r = number("r", 0, 1);
    if (u !== null) changes.u = u;
    if (page.model.hasCosts && (u !== null || r !== null)) Object.assign(changes, costsIn(given, r));
    // an address that the page has written has u, and leaves out what is usual
    const usual = u === null ? null : "quadratic", family = given.get("family") ?? usual;
    const utility = family === "cost" ? given.get("utility") ?? usual : family;
    if (family === "cost" && page.model.hasCosts) changes.criterion = "cost";
    if (["quadratic", "fbeta", "exponential", "free"].includes(utility) || (utility && (page.data.utilities ?? []).some((x) => `named:${x.name}` === utility))) {
      changes.utility = utility;
      changes.criterion ??= "utility";
    }
    const curve = given.get("curve") ? given.get("curve").split("_").map(Number) : [];
    if (curve.length && curve.length <= 9 && curve.every((v) => v >= 0 && v <= 1)) {
      changes.worth = page.concave(page.state.worth.map((before, i) => curve[i] ?? before));
    }
    return changes;
  }

  /** The costs in an address: those of the report, unless it names others. */
  function costsIn(given, r) {
    const { costs } = page.data;
    if (costs.rule.kind !== "p-discounted") return {};
    const found = { r: r ?? costs.r, mode: costs.mode, matrix: costs.matrix };
    const mode = given.get("mode"), n = costs.matrix.length;
    if (found.r !== null && ["cautious", "mistake-averse"].includes(mode)) found.mode = mode;
    const listed = given.get("costs") ? given.get("costs").split("_").map((cost) => (cost.trim() === "" ? NaN : Number(cost))) : [];
    if (listed.length === n * n && listed.every((cost) => cost >= 0 && cost < Infinity)) {
      found.matrix = costs.matrix.map((_, i) => listed.slice(i * n, (i + 1) * n));
    }
    return found;
  }

  let addressTimer = null;
  function writeAddress() {
    clearTimeout(addressTimer);
    addressTimer = setTimeout(() => {
      try {
        history.replaceState(null, "", page.address());
      } catch {
        // some browsers limit how often the address may change: the next change writes it
      }
    }, 120);
  }

  page.address = () => {
    const s = page.state;
    const parts = [`u=${Number(s.u.toFixed(6))}`];
    const family = page.byCost() ? "cost" : s.utility;
    if (family !== "quadratic") parts.push(`family=${encodeURIComponent(family)}`);
    if (page.byCost() && s.utility !== "quadratic") parts.push(`utility=${encodeURIComponent(s.utility)}`);
    if (s.utility === "free") parts.push(`curve=${s.worth.map((w) => Number(w.toFixed(6))).join("_")}`);
    if (page.model.hasCosts && s.r !== null) parts.push(`r=${Number(s.r.toFixed(6))}`);
    if (page.model.hasCosts && s.mode !== page.data.costs.mode) parts.push(`mode=${s.mode}`);
    if (page.model.hasCosts && s.matrix !== page.data.costs.matrix) parts.push(`costs=${encodeURIComponent(s.matrix.flat().join("_"))}`);
    return `#${parts.join("&")}`;
  };

  // -- changes -----------------------------------------------------------------------------------

  /** Change the state; an own curve and the slider agree on u(0.5).  Gives what has changed. */
  function change(changes) {
    const what = new Set(Object.keys(changes));
    Object.assign(page.state, changes);
    if (page.state.utility === "free" && what.has("u") && !what.has("worth")) {
      page.state.worth = page.concave([page.state.u, ...page.state.worth.slice(1)]);
      what.add("worth");
    } else if (page.state.utility === "free" && (what.has("worth") || what.has("utility"))) {
      page.state.u = Math.min(HIGH, Math.max(LOW, page.state.worth[0]));
      what.add("u");
    }
    return what;
  }

  let pending = null; // what has changed since the last frame
  /** Change the state: the verdict and the leaderboard at once, drawings in the next frame. */
  page.set = (changes, from = null) => {
    const what = change(changes);
    showControls(from);
    if (page.model && page.names.length) {
      showVerdict();
      for (const section of page.sections) if (section.eager && section.node) section.update(page, what);
    }
    writeAddress();
    if (pending !== null) {
      for (const key of what) pending.add(key);
      return;
    }
    pending = what;
    requestAnimationFrame(updateSections);
  };

  function updateSections() {
    const all = pending;
    pending = null;
    if (all === null) return;
    for (const section of page.sections) {
      if (section.eager || !section.node) continue;
      if (section.visible) section.update(page, all);
      else section.stale = new Set([...(section.stale ?? []), ...all]);
    }
  }

  /** What a person's answers say: the interval of u(0.5), and the utilities of sets. */
  page.setPerson = ({ interval, half, worth = null, name: called = "you" }) => {
    const u = Math.min(HIGH, Math.max(LOW, half));
    page.set({ person: { interval: interval.map((v) => Math.min(HIGH, Math.max(LOW, v))), name: called, worth }, u: Math.round(u * 1000) / 1000, utility: "quadratic", criterion: "utility" });
  };

  // -- verdict and controls ----------------------------------------------------------------------

  function criterionWords() {
    const { state, model } = page;
    if (page.byCost()) {
      const unit = page.data.costs.unit ? `, in ${plain(page.data.costs.unit)}` : "";
      return state.r === null ? `By average cost${unit}` : `By average cost${unit}, with r = ${fixed(state.r, 3)}`;
    }
    const half = model.utility(page.dm()).half;
    if (state.utility === "fbeta") return `With F-beta, beta = ${fixed(parameterAt("fbeta", state.u), 3)}: half right is worth ${fixed(half, 3)}`;
    if (state.utility === "exponential") return `With an exponential utility, a = ${fixed(parameterAt("exponential", state.u), 3)}: half right is worth ${fixed(half, 3)}`;
    if (state.utility === "free") return `With your own curve: half right is worth ${fixed(half, 3)}`;
    if (state.utility.startsWith("named:")) return `Under ${plain(state.utility.slice(6))}`;
    return `If a half-right answer is worth ${fixed(state.u, 3)} to you`;
  }

  function put(node, text) {
    if (node.textContent !== text) node.textContent = text;
  }

  /** A sentence with a capital, unless it begins with a name. */
  function capital(text) {
    const isName = page.names.map((one) => wager.dom.short(one)).some((one) => text.startsWith(one) && !/^[\p{L}\p{N}]/u.test(text.slice(one.length)));
    return text && !isName ? text[0].toUpperCase() + text.slice(1) : text;
  }
  page.capital = capital;

  /** The verdict of a comparison; of one classifier, its score. */
  function verdictOf(dm) {
    const { model, names } = page;
    if (page.data.store) {
      const found = page.storeOf(dm), losers = new Set(found.beaten.map(([, worse]) => worse));
      const left = names.map((_, i) => i).filter((i) => !losers.has(i));
      const words = found.test ? found.sentence : "one learner or one data set gives no comparison";
      return { recommended: names.length > 1 && left.length === 1 ? left[0] : null, sentence: words, test: found.test };
    }
    if (names.length > 1) return model.verdict(dm);
    const { value, lower, upper } = page.scoreOf(0, dm);
    const show = page.byCost() ? amount : (v) => fixed(v, 3);
    const words = page.byCost() ? `costs ${show(value)} per case` : `earns ${show(value)} of 1`;
    return { recommended: null, sentence: `${names[0]} ${words} (${percent(model.level, 0)} interval ${show(lower)} to ${show(upper)})` };
  }

  function showVerdict() {
    const { names } = page;
    const found = verdictOf(page.criterion());
    page.found = found;
    put(byId("verdict-where"), criterionWords());
    put(byId("verdict"), `${capital(sentence(found.sentence, names))}${/[.?!]$/.test(found.sentence) ? "" : "."}`);
    put(byId("bar-verdict").firstChild, byId("verdict").textContent);
    const more = byId("verdict-more");
    const said = [];
    if (page.overall && !found.sentence.endsWith(page.overall)) said.push(`${overallWords()}: ${sentence(page.overall, names)}.`);
    if (found.test) said.push(`${found.test.name}: ${sentence(found.test.sentence, names)}.`);
    if (page.state.person && !page.byCost() && page.hasPairs()) {
      const { interval } = page.state.person, digits = wager.numbers.decimals([interval]);
      const where = interval.map((end) => fixed(end, digits)).join(" to ");
      said.push(`With your answers, u(0.5) from ${where}: ${wager.elicitPanel.adviceFor(page, interval)}.`);
    }
    if (more.childNodes.length !== said.length) clear(more).append(...said.map(() => el("p", null)));
    said.forEach((text, i) => put(more.childNodes[i], text));
    byId("page").dataset.recommended = found.recommended === null || found.recommended === undefined ? "" : names[found.recommended];
  }

  /** Whom the advice of the whole report is for; the reader may have changed the costs since. */
  function overallWords() {
    if (!page.model.hasCosts) return "In general";
    return page.data.utilities.length ? "In general, with the costs of the report" : "With the costs of the report";
  }

  /** The advice for users of every attitude, which takes longer: after the page is shown. */
  function adviseAll() {
    const { model, names, data } = page;
    if (names.length < 2 || data.store) return;
    const advise = () => {
      if (page.model !== model) return;
      const isKnown = (data.utilities ?? []).every(({ name: called }) => !model.lacksCounts({ family: "named", name: called }));
      page.overall = isKnown ? model.report.recommendation : null;
      showVerdict();
    };
    if (names.length <= QUICK) advise();
    else afterPaint(() => setTimeout(advise, 100));
  }

  function showControls(from) {
    const { state } = page;
    const slider = byId("u-half");
    const half = state.utility.startsWith("named:") ? page.model.utility(page.dm()).half : state.u;
    if (from !== slider && Number(slider.value) !== half) slider.value = String(half);
    const parameter = state.utility === "fbeta" || state.utility === "exponential" ? parameterAt(state.utility, state.u) : null;
    const extra = parameter === null ? "" : state.utility === "fbeta" ? `, beta = ${fixed(parameter, 2)}` : `, a = ${fixed(parameter, 2)}`;
    const shown = byId("u-value");
    if (!shown.firstChild) shown.append(el("span", { class: "symbol" }, "u(0.5) = "), el("span", null), el("span", { class: "symbol" }));
    put(shown.childNodes[1], fixed(half, 3));
    put(shown.childNodes[2], extra);
    slider.setAttribute("aria-valuetext", `half right is worth ${fixed(half, 3)}${extra}`);
    const root = byId("page");
    root.dataset.family = page.byCost() ? "cost" : state.utility;
    root.dataset.parameter = String(page.byCost() ? state.r ?? "" : parameter === null ? state.u : parameter);
    const family = byId("family");
    if (family && family !== from) family.value = page.byCost() ? "cost" : state.utility;
    const r = byId("r");
    if (r) {
      if (from !== r && Number(r.value) !== state.r) r.value = String(state.r ?? 0.5);
      put(byId("r-value"), state.r === null ? "as in the report" : `r = ${fixed(state.r, 3)}`);
    }
    const person = byId("person");
    if (state.person) {
      const [low, high] = state.person.interval;
      person.hidden = false;
      person.style.setProperty("left", `${200 * (low - LOW)}%`);
      person.style.setProperty("width", `${Math.max(0.8, 200 * (high - low))}%`);
    } else person.hidden = true;
  }

  function buildBar() {
    const { model, data } = page;
    const options = [["quadratic", FAMILY_TITLES.quadratic], ["fbeta", FAMILY_TITLES.fbeta], ["exponential", FAMILY_TITLES.exponential], ["free", FAMILY_TITLES.free]];
    for (const utility of data.utilities || []) {
      if (!utility.on_the_line) options.push([`named:${utility.name}`, `${utility.name} (of this report)`]);
    }
    if (model.hasCosts) options.push(["cost", FAMILY_TITLES.cost]);
    const family = wager.dom.select("", options, "quadratic", (value) => {
      page.set(value === "cost" ? { criterion: "cost" } : { criterion: "utility", utility: value });
    }, { id: "family", "aria-label": "Family of utilities" });
    const tools = clear(byId("bar-tools"));
    tools.append(family);
    if (wager.elicitPanel) {
      tools.append(wager.dom.button("Ask me", () => {
        const place = byId("elicit");
        buildNow("attitude");
        place?.scrollIntoView({ block: "center" });
        const goal = place?.querySelector("button, input, summary");
        goal?.focus({ preventScroll: true });
      }, { "aria-label": "Ask me questions to find my u(0.5)" }));
    }
    const bar = byId("bar");
    bar.querySelector(".r-box")?.remove();
    if (model.hasCosts && data.costs.rule.kind === "p-discounted") {
      const r = el("input", { type: "range", id: "r", min: 0, max: 1, step: 0.001, value: page.state.r ?? 0.5, on: { input: (event) => page.set({ r: Number(event.target.value), criterion: "cost" }, event.target) } });
      bar.querySelector(".u-box").after(el("div", { class: "slider r-box" },
        el("div", { class: "bar-head" }, el("label", { for: "r" }, "How much is caution rewarded?"), el("output", { id: "r-value", for: "r" })), r,
        el("div", { class: "hint", "aria-hidden": "true" }, el("span", null, "not at all"), el("span", null, "most"))));
    }
    bar.classList.toggle("two", Boolean(byId("r")));
    bar.hidden = data.kind === "empty";
  }

  function buildFacts() {
    const { data, model } = page;
    const facts = data.facts;
    const list = el("dl", { class: "facts" });
    const add = (title, value) => list.append(el("div", null, el("dt", null, title), el("dd", null, value)));
    if (data.store) add("Data sets", amount(data.store.datasets.length));
    add(data.store ? "Learners" : page.names.length === 1 ? "Classifier" : "Classifiers", amount(data.store ? data.store.learners.length : page.names.length));
    if (facts.rows !== null && facts.rows !== undefined) add("Rows", amount(facts.rows));
    if (facts.total_weight) add("Total weight", amount(facts.total_weight));
    if (facts.clusters) add("Clusters", amount(facts.clusters));
    if (facts.n_classes && !data.store) add("Classes", amount(facts.n_classes));
    if (facts.units && facts.units !== "rows" && facts.effective_n) add("Independent units", amount(Math.round(facts.effective_n)));
    add(data.store ? "Level of tests" : "Level of intervals", percent(facts.level, facts.level * 100 % 1 ? 1 : 0));
    const inputs = facts.inputs || [];
    const known = inputs.filter((input) => input.sha256);
    const more = known.length || facts.versions ? wager.dom.details("Inputs and versions", () => el("div", null,
      known.length ? wager.dom.scroll("Inputs", wager.dom.table([{ title: "input", name: true }, { title: "bytes", number: true }, "SHA-256"],
        known.map((input) => [name(input.name), amount(input.bytes), el("code", null, input.sha256)]))) : null,
      el("p", { class: "note" }, Object.entries(facts.versions || {}).map(([what, version]) => `${plain(what)} ${plain(version)}`).join(", ")))) : null;
    clear(byId("facts")).append(el("div", { class: "facts-box" }, list, more));
    const rows = data.rows ? ` and ${amount(data.rows.shown)} rows of the data` : ", no rows of the data";
    const means = (data.sequences || []).length ? " and running means" : "";
    put(byId("holds"), data.kind === "empty" ? "" : `The page holds counts${means}${rows}. `);
    const said = [...(facts.warnings || []), ...(data.left_out || [])];
    clear(byId("warnings")).append(...said.slice(0, 12).map((text) => el("p", { class: "warning small" }, sentence(text, [...page.names, ...(data.classes || []).map(String)]))));
    if (said.length > 12) byId("warnings").append(el("p", { class: "note" }, `and ${said.length - 12} more`));
  }

  // -- sections ----------------------------------------------------------------------------------

  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const section = page.sections.find((s) => s.holder === entry.target);
      if (!section) continue;
      section.visible = entry.isIntersecting;
      if (section.visible) refresh(section);
    }
  }, { rootMargin: "500px 0px" });

  function refresh(section) {
    if (!section.node) build(section);
    else if (section.stale) {
      const what = section.stale;
      section.stale = null;
      section.update(page, what);
    }
  }

  function build(section) {
    section.node = section.build(page);
    section.body.append(section.node);
    section.holder.removeAttribute("aria-busy");
  }

  /** Do something when the browser has shown what there is. */
  function afterPaint(task) {
    const { model } = page;
    requestAnimationFrame(() => setTimeout(() => {
      if (page.model === model) task();
    }, 0));
  }

  function buildNow(id) {
    const section = page.sections.find((s) => s.id === id);
    if (section) refresh(section);
  }

  function buildAll() {
    for (const section of page.sections) refresh(section);
    for (const figure of wager.charts.figures) figure.redraw();
  }

  /** Build and update everything at once, for paper: nothing waits for the next frame. */
  function finishAll() {
    updateSections();
    for (const section of page.sections) refresh(section);
    for (const section of page.sections) section.finish?.(page);
    buildAll();
  }

  function buildSections() {
    const root = clear(byId("sections"));
    watcher.disconnect();
    wager.charts.figures.length = 0;
    page.sections = SECTIONS.filter((make) => make.applies(page)).map((make) => ({ ...make, node: null, stale: null, visible: false }));
    const links = [];
    for (const section of page.sections) {
      section.body = el("div", { class: "body" });
      section.holder = el("section", { id: section.id, "aria-labelledby": `title-${section.id}` },
        el("div", { class: "wide" }, el("h2", { id: `title-${section.id}` }, section.title), section.intro ? el("p", null, typeof section.intro === "function" ? section.intro(page) : section.intro) : null, section.body));
      root.append(section.holder);
      links.push(el("li", null, el("a", { href: `#${section.id}`, on: { click: (event) => { event.preventDefault(); refresh(section); section.holder.scrollIntoView(); section.holder.querySelector("h2").setAttribute("tabindex", "-1"); section.holder.querySelector("h2").focus({ preventScroll: true }); } } }, section.title)));
      if (section.eager && (page.names.length <= QUICK || section.id === "leaderboard")) build(section);
    }
    if (page.names.length > QUICK) afterPaint(() => page.sections.filter((s) => s.eager && !s.node).forEach(build));
    document.querySelector("nav.contents")?.remove();
    if (links.length > 1) byId("page").before(el("nav", { class: "contents", "aria-label": "Contents" }, el("div", { class: "wide" }, el("ul", { tabindex: "0" }, links))));
    for (const section of page.sections) watcher.observe(section.holder);
  }

  // -- start -------------------------------------------------------------------------------------

  /** Show a dictionary: at the start, and after files were dropped. */
  page.show = (data) => {
    page.data = data;
    page.model = wager.model.load(data);
    page.names = data.store ? data.store.learners : page.model.names;
    page.state = startState();
    change(readAddress());
    document.title = plain(data.title || document.title);
    document.querySelector("h1 bdi").textContent = sentence(data.title || "", page.names);
    byId("section-verdict").querySelector(".card").hidden = data.kind === "empty";
    byId("facts").hidden = data.kind === "empty";
    buildBar();
    buildFacts();
    showControls(null);
    page.overall = null;
    if (page.names.length) showVerdict();
    buildSections();
    adviseAll();
    if (wager.drop) {
      const root = clear(byId("drop"));
      wager.drop.build(root, page);
    }
  };

  const THEMES = [["auto", "◐ Auto", "as the system"], ["light", "☀ Light", "light"], ["dark", "☾ Dark", "dark"]];
  function nextTheme() {
    const root = document.documentElement;
    const now = THEMES.findIndex(([theme]) => theme === (root.dataset.theme || "auto"));
    const [theme, title, words] = THEMES[(now + 1) % THEMES.length];
    root.dataset.theme = theme;
    put(byId("theme"), title);
    byId("theme").setAttribute("aria-label", `Colours: ${words}`);
  }

  page.start = () => {
    byId("ticks").append(el("span", { class: "person", id: "person", hidden: true, "aria-hidden": "true" }));
    byId("u-half").addEventListener("input", (event) => {
      const utility = page.state.utility.startsWith("named:") ? "quadratic" : page.state.utility;
      page.set({ u: Number(event.target.value), utility, criterion: "utility" }, event.target);
    });
    for (const tick of byId("ticks").querySelectorAll("button")) {
      tick.addEventListener("click", () => page.set({ u: Number(tick.dataset.u), criterion: "utility", utility: "quadratic" }));
    }
    new IntersectionObserver(([entry]) => {
      byId("bar-verdict").hidden = entry.isIntersecting || entry.boundingClientRect.top > 0;
    }).observe(byId("verdict"));
    byId("theme").addEventListener("click", nextTheme);
    byId("print").addEventListener("click", () => print());
    addEventListener("beforeprint", finishAll);
    addEventListener("hashchange", () => {
      if (location.hash.includes("=") && page.model) page.set(readAddress());
    });
    page.buildAll = buildAll;
    page.show(JSON.parse(byId("wager-data").textContent));
  };

  return page;
})();

wager.page.start();
