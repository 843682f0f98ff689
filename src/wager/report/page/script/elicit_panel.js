// "What is it worth to you?": questions about two bets, which find a person's u(0.5) and interval.
//
// The questions, the interval and the file are those of `wager elicit` (see elicit.js).  Each bet is
// a button with a picture; S, C and = answer as at the command line.
wager.elicitPanel = (() => {
  const { el, svg, button, clear, download, fixed, plain, sentence, select, short, table } = wager.dom;
  const KEYS = { s: "set", c: "chance", "=": "same" };
  const FEW = 4; // classes for which all set sizes are asked about by default
  const TILES = 12; // classes of a set that are drawn one by one
  const LABEL = "mine";

  // -- pictures ---------------------------------------------------------------------------------

  const WIDTH = 200, HEIGHT = 132;

  function picture(label, ...parts) {
    return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": label, class: "bet" }, parts);
  }

  /** A set of so many classes, one of which is the right one, nobody knows which. */
  function pictureOfSet(size) {
    const shown = Math.min(size, TILES), columns = shown <= 4 ? shown : Math.ceil(shown / 2);
    const side = Math.min(40, (WIDTH - 34) / columns - 6), lines = Math.ceil(shown / columns);
    const left = (WIDTH - columns * (side + 6) + 6) / 2, top = (HEIGHT - lines * (side + 6) + 6) / 2;
    const tiles = Array.from({ length: shown }, (_, i) => {
      const x = left + (i % columns) * (side + 6), y = top + Math.floor(i / columns) * (side + 6);
      const isMore = size > TILES && i === shown - 1;
      return [
        svg("rect", { x, y, width: side, height: side, rx: 7, fill: "var(--accent-soft)", stroke: "var(--accent)", "stroke-width": 1.5 }),
        svg("text", { x: x + side / 2, y: y + side / 2 + 5, "text-anchor": "middle", "font-size": isMore ? 12 : 16, "font-weight": 600, fill: "var(--accent)" }, isMore ? `+${size - TILES + 1}` : "?"),
      ];
    });
    return picture(`${size} classes, of which one is certainly right`,
      svg("rect", { x: 6, y: 6, width: WIDTH - 12, height: HEIGHT - 12, rx: 16, fill: "none", stroke: "var(--accent)", "stroke-width": 2, "stroke-dasharray": "6 5" }), tiles);
  }

  /** A hundred equally likely cases: in so many of them the right class is named alone. */
  function pictureOfChance(percent) {
    const step = 11.4, r = 4.2, left = (WIDTH - 9 * step) / 2, top = (HEIGHT - 9 * step) / 2;
    const dots = Array.from({ length: 100 }, (_, i) => {
      const isRight = i < percent;
      return svg("circle", {
        cx: left + (i % 10) * step, cy: top + Math.floor(i / 10) * step, r: isRight ? r : r - 0.8,
        fill: isRight ? "var(--good)" : "none", stroke: isRight ? "var(--good)" : "var(--bad)", "stroke-width": 1.2,
      });
    });
    return picture(`In ${percent} of 100 cases the right class, in ${100 - percent} a wrong one`, dots);
  }

  /** Replace the content of an element; what is null is left out. */
  function fill(node, ...children) {
    clear(node).append(...children.flat().filter((child) => child !== null));
  }

  // -- questions --------------------------------------------------------------------------------

  /** The panel; its state is a list of sessions, the last one is now. */
  function build(root, page) {
    const nClasses = Math.max(2, page.model.nClasses);
    const state = { sessions: [], scope: nClasses <= FEW ? "all" : "pairs", nClasses, kind: "tabulated" };
    const live = el("p", { class: "visually-hidden", "aria-live": "polite" });
    const body = el("div", { class: "elicit" });
    root.append(el("h3", null, "Let a few questions find it"), body, live);
    root.addEventListener("keydown", (event) => answerByKey(event));
    let choose = null;

    function answerByKey(event) {
      const word = KEYS[event.key.toLowerCase()];
      if (!word || choose === null || event.ctrlKey || event.metaKey || event.altKey) return;
      if (["SELECT", "INPUT", "TEXTAREA"].includes(event.target.tagName)) return;
      event.preventDefault();
      choose(word);
    }

    function showStart() {
      choose = null;
      const scopes = [["pairs", "sets of two (about 8 questions)"], ["all", "all set sizes (more questions)"]];
      fill(body, 
        el("p", { class: "note" }, "You choose between two bets, several times: a set of classes that always contains the right one, or a chance of the right class alone. The questions get harder on purpose: follow your first impression."),
        el("div", { class: "row" },
          nClasses > 2 ? select("Ask about", scopes, state.scope, (value) => { state.scope = value; }, { "data-elicit": "scope" }) : null,
          button("Start", start, { class: "main", "data-elicit": "start" })));
    }

    function start() {
      const sizes = state.scope === "pairs" || nClasses === 2 ? [2] : undefined;
      state.sessions = [wager.elicit.session({ nClasses: state.nClasses, sizes })];
      showQuestion(true);
    }

    function showQuestion(isFirst) {
      const session = state.sessions[state.sessions.length - 1];
      const { question } = session;
      if (question === null) {
        showResult(session.result());
        return;
      }
      const number = state.sessions.length, percent = Math.round(100 * question.chance);
      choose = (word) => {
        state.sessions.push(session.answer(word));
        showQuestion(false);
      };
      const bets = el("div", { class: "bets" },
        bet("set", `A set of ${question.size} classes`, "always contains the right one", pictureOfSet(question.size)),
        bet("chance", "The right class alone", `with a chance of ${percent}%`, pictureOfChance(percent)));
      const held = document.activeElement && document.activeElement.dataset.answer;
      fill(body, 
        el("p", { class: "asked" }, el("strong", null, `Question ${number}${question.again ? ", once more" : ""}. `), "Which would you prefer?"),
        bets,
        el("div", { class: "row" },
          button("I am indifferent (=)", () => choose("same"), { "data-answer": "same", "aria-keyshortcuts": "=" }),
          number > 1 ? button("Back", back, { class: "quiet", "data-elicit": "back" }) : null,
          button("Stop", showStart, { class: "quiet", "data-elicit": "stop" })));
      live.textContent = `Question ${number}: ${question.text || ""}`;
      const goal = body.querySelector(`[data-answer="${held || (isFirst ? "set" : "")}"]`) || (isFirst ? null : body.querySelector("[data-answer]"));
      if (goal) goal.focus({ preventScroll: true });
    }

    function bet(word, title, words, drawn) {
      const key = word === "set" ? "S" : "C";
      return button([drawn, el("strong", null, title), el("span", null, words), el("kbd", { "aria-hidden": "true" }, key)],
        () => choose(word), { class: "bet", "data-answer": word, "aria-keyshortcuts": key });
    }

    function back() {
      state.sessions.pop();
      showQuestion(false);
    }

    // -- the result -----------------------------------------------------------------------------

    function showResult(result) {
      choose = null;
      const half = result.brackets.find((bracket) => bracket.size === 2);
      page.setPerson({ interval: result.halfInterval, half: half.value, worth: result.values, name: `elicited:${LABEL}` });
      const advice = adviceFor(page, result.halfInterval);
      const shape = result.isConcave ? "consistent" : "not consistent";
      const rows = result.brackets.map((b) => [`a set of ${b.size}`, fixed(b.value, 3), `${fixed(b.low, 2)} to ${fixed(b.high, 2)}`]);
      const kinds = [["tabulated", "a table of your values"], ["quadratic", "the closest quadratic curve"], ["exponential", "the closest exponential curve"]];
      fill(body, 
        advice ? el("p", { class: "advice", "data-elicit": "advice" }, `With your answers: ${advice}.`) : null,
        table(["A hit by", { title: "is worth to you", number: true }, { title: "95% interval", number: true }], rows),
        el("p", { class: "note" }, `${result.nQuestions} questions. Your answers are ${shape} with risk aversion.`),
        result.contradictions.map((words) => el("p", { class: "warning small" }, `Contradiction: ${plain(words)}`)),
        el("div", { class: "row" },
          select("File", kinds, state.kind, (value) => { state.kind = value; }, { "data-elicit": "kind" }),
          button("Download for --utility", () => save(result), { "data-elicit": "download" }),
          button("Ask again", showStart, { class: "quiet", "data-elicit": "again" })));
      live.textContent = advice ? `With your answers: ${advice}` : `Your u(0.5) is ${fixed(half.value, 2)}.`;
      const goal = body.querySelector('[data-elicit="download"]');
      if (goal) goal.focus({ preventScroll: true });
    }

    function save(result) {
      download(`${LABEL}.toml`, wager.elicitCurves.toml(result, { kind: state.kind, label: LABEL }), "application/toml");
    }

    showStart();
  }

  /** What the data say to a person whose u(0.5) lies in an interval; empty without pairs. */
  function adviceFor(page, interval) {
    if (!page.hasPairs()) return "";
    const said = page.model.verdictFor(interval, `elicited:${LABEL}`);
    // the sentence is Python's: "for the user of ... (u(0.5) 0.68-0.72): take B", or that data do not decide
    const taken = page.names.filter((name) => said.endsWith(`): take ${name}`));
    const best = taken.sort((one, other) => other.length - one.length)[0];
    if (best !== undefined) return `prefer ${short(best)}`;
    return sentence(said.slice(said.indexOf("): ") + 3), page.names);
  }

  return { adviceFor, build, pictureOfChance, pictureOfSet };
})();
