// "Try it without installing": CSV files dropped on the page, or chosen, are counted in the browser.
//
// The file input is #files.  Nothing leaves the machine: the files are read by this script alone,
// and the page's policy forbids every request.
wager.drop = (() => {
  const { el, clear, checkbox, plain, short } = wager.dom;
  const SHOWN = 600; // characters of a sentence, whose names may be long
  let latest = 0; // only the files that were chosen last are shown

  const FORMS = [
    ["y_pred", "one label per row"],
    ["set", "labels joined by |, such as a|b; empty for the empty set"],
    ["in:<class>", "one column per class, 1 if the set contains it and 0 if not"],
    ["p:<class>", "one column per class with its probability"],
  ];

  function help() {
    return el("details", null, el("summary", null, "What a file looks like"),
      el("p", { class: "note" }, "CSV with a header and one row per test instance: the true class in y_true, and the prediction in one of these forms. Optional: weight, count, cluster, group, id. Several files are compared on the same rows, matched by id or by order."),
      el("dl", { class: "facts" }, FORMS.map(([column, words]) => el("div", null, el("dt", null, el("code", null, column)), el("dd", { class: "small" }, words)))));
  }

  /** The place for files, which shows what happens to them. */
  function build(root, page) {
    const isEmpty = page.data.kind === "empty";
    const options = { drop: false };
    const input = el("input", { type: "file", id: "files", multiple: true, accept: ".csv,.tsv,.txt,.gz,text/csv", "aria-describedby": "files-words" });
    const bar = el("progress", { max: 1, value: 0, hidden: true, "aria-label": "Share of the files that is read" });
    const said = el("p", { class: "said", role: "status", "aria-live": "polite" });
    const words = "Nothing is uploaded: the files are counted on this machine.";
    const box = el("div", { class: "drop" },
      isEmpty ? el("h2", null, "Drop your prediction files here") : null,
      el("p", { class: "note", id: "files-words" }, `${isEmpty ? "Or choose one or more CSV files." : "Compare your own predictions: drop CSV files on the page, or choose them."} ${words}`),
      el("div", { class: "row no-print" }, el("label", { class: "visually-hidden", for: "files" }, "Prediction files"), input,
        checkbox("leave out rows with missing values", false, (value) => { options.drop = value; }, { id: "files-drop" })),
      bar, said, help());
    root.append(isEmpty ? box : el("details", { class: "more no-print" }, el("summary", null, "Try it with your own files"), box));
    input.addEventListener("change", () => {
      if (input.files.length) read([...input.files], { page, bar, said, options });
    });
    listen(box, (files) => read(files, { page, bar, said, options }));
  }

  let target = null;
  /** Files may be dropped anywhere on the page; the box shows that they can be. */
  function listen(box, take) {
    const isFirst = target === null;
    target = { box, take };
    if (!isFirst) return;
    addEventListener("dragover", (event) => {
      event.preventDefault();
      target.box.classList.add("over");
    });
    addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) target.box.classList.remove("over");
    });
    addEventListener("drop", (event) => {
      event.preventDefault();
      target.box.classList.remove("over");
      const files = [...(event.dataTransfer ? event.dataTransfer.files : [])];
      if (files.length) target.take(files);
    });
  }

  /** Count files and show the result, or say what is wrong with them. */
  async function read(files, { page, bar, said, options }) {
    const mine = ++latest;
    bar.hidden = false;
    bar.value = 0;
    say(said, `Reading ${files.length === 1 ? short(files[0].name) : `${files.length} files`} ...`, "reading");
    const progress = (share) => {
      if (mine === latest) bar.value = share;
    };
    let data;
    try {
      data = await wager.csvData.dataOf(files, { ...options, version: versionOf(page), progress });
    } catch (problem) {
      if (mine !== latest) return;
      bar.hidden = true;
      say(said, wordsOf(problem), "problem");
      if (!(problem instanceof wager.csv.Fault)) throw problem;
      return;
    }
    if (mine !== latest) return;
    page.show(data);
    const done = document.querySelector(".drop .said");
    if (done) say(done, `${data.facts.rows.toLocaleString("en")} rows of ${files.length === 1 ? "one file" : `${files.length} files`} are counted.`, "done");
  }

  function versionOf(page) {
    return page.data.facts && page.data.facts.versions ? page.data.facts.versions.wager : null;
  }

  function wordsOf(problem) {
    if (problem instanceof wager.csv.Fault) return problem.message;
    return `These files cannot be read: ${problem.message || problem}`;
  }

  /** Say what happens to the files: "reading", "done" or "problem". */
  function say(node, text, state) {
    const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}\u2026` : text;
    clear(node).append(plain(shown));
    node.classList.toggle("warning", state === "problem");
    node.dataset.state = state;
  }

  return { build, read };
})();
