"""A hundred hostile names in a real browser: none runs, none breaks the page or a download.

The policy of a page would stop most of them, so it is switched off here: what protects the page
must be that a name is only ever text.
"""

from __future__ import annotations

import csv
import io
import json
import re
from xml.etree import ElementTree as Xml

import numpy as np
import pytest

from tests.report.page.hostile import NAMES
from wager.compare import head_to_head
from wager.report.page import Page, empty_data, report_data

AT_ONCE = 10  # names of one page
WIDTHS = (390, 1000)
STARTS = list(range(0, len(NAMES), AT_ONCE))
# signs of a formula, also after blanks and in full width
FORMULA = re.compile("^(\\s*[-=+@\uff0b\uff0d\uff1d\uff20]|[\t\r\n])")
# what the page is made of; nothing else may appear in it
# fmt: off
ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "div", "p", "h1", "h2",
    "h3", "h4", "bdi", "button", "noscript", "main", "section", "label", "output", "input",
    "span", "nav", "ul", "li", "select", "option", "optgroup", "details", "summary", "table",
    "caption", "thead", "tbody", "tr", "th", "td", "dl", "dt", "dd", "code", "pre", "figure",
    "figcaption", "strong", "em", "kbd", "svg", "g", "path", "line", "rect", "circle", "text",
    "tspan", "defs", "clippath", "clipPath", "polygon", "polyline", "footer", "script",
    "progress", "fieldset", "legend", "ol", "abbr",
}
# fmt: on
TALL = "h1, h2, h3, th, td, li, summary, label, button, option, legend, dt, dd, bdi"

_STATE = """() => {
    const tall = [];
    for (const node of document.querySelectorAll("TALL")) {
        const box = node.getBoundingClientRect();
        if (box.height > 420) tall.push([node.tagName, node.className, Math.round(box.height)]);
    }
    return {
        hacked: window.hacked === undefined,
        width: document.documentElement.scrollWidth - innerWidth,
        tall,
        tags: [...new Set([...document.querySelectorAll("*")].map((node) => node.localName))],
        scripts: document.querySelectorAll("script").length,
        handlers: [...document.querySelectorAll("*")].filter((node) =>
            [...node.attributes].some((a) => a.name.startsWith("on"))).length,
        addresses: [...document.querySelectorAll("[href], [src], [action]")].map((node) =>
            node.getAttribute("href") || node.getAttribute("src") || node.getAttribute("action"))
            .filter((text) => !text.startsWith("#")),
        verdicts: document.querySelectorAll("#verdict").length,
        classifiers: [...document.querySelectorAll("tr[data-classifier]")].map((row) =>
            row.dataset.classifier),
        height: document.querySelector("h1").getBoundingClientRect().height
            + document.getElementById("section-verdict").getBoundingClientRect().height,
    };
}""".replace("TALL", TALL)


def named_page(names):
    """A page in which the classifiers, the classes and the groups have these names."""
    rng = np.random.default_rng(len(names[0]))
    K = len(names)
    n = 6 * K
    y = np.arange(n) % K
    labels = np.array(names, dtype=object)
    predictions = {}
    for i, name in enumerate(names):
        sets = np.eye(K, dtype=bool)[np.where(rng.random(n) < 0.7, y, (y + 1) % K)]
        if i % 2:
            sets[np.arange(n), (y + 3) % K] = True
        predictions[name] = sets
    found = head_to_head(labels[y], predictions, classes=names)
    groups = labels[rng.permutation(n) % K]
    return Page(report_data(found, by=groups, title=names[0], full=True))


@pytest.fixture(scope="module")
def without_policy(browser):
    """A window in which the policies of pages do not count."""
    context = browser.new_context(bypass_csp=True)
    yield context
    context.close()


@pytest.fixture
def strict(without_policy, tmp_path):
    """Shows a page without its policy; requests and errors fail the test."""
    problems, tabs = [], []

    def show(page, width):
        tab = without_policy.new_page()
        tabs.append(tab)
        tab.set_viewport_size({"width": width, "height": 800})
        path = tmp_path / "page.html"
        page.save(path)
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("dialog", lambda dialog: problems.append(dialog.message))
        tab.on(
            "request",
            lambda r: problems.append(r.url) if not r.url.startswith(("file:", "blob:")) else None,
        )
        tab.goto(path.as_uri())
        return tab

    yield show
    for tab in tabs:
        tab.close()
    assert problems == []


def everything_open(tab):
    """Build all sections and open all parts."""
    tab.evaluate(
        """() => { wager.page.buildAll();
                   for (const part of document.querySelectorAll("details")) part.open = true; }"""
    )


def touch_names(tab):
    """Try what a reader may do with names."""
    tab.evaluate(
        """() => { const named = "tr[data-classifier], bdi, svg text";
                   for (const node of document.querySelectorAll(named)) {
                       for (const kind of ["pointerenter", "mouseover", "click", "focus"]) {
                           node.dispatchEvent(new Event(kind, { bubbles: true }));
                       }
                   } }"""
    )
    tab.wait_for_timeout(150)


def assert_harmless(found):
    assert found["hacked"]
    assert found["width"] <= 0
    assert found["tall"] == []
    assert set(found["tags"]) <= ELEMENTS, set(found["tags"]) - ELEMENTS
    assert found["scripts"] == 2  # the data and the script
    assert found["handlers"] == 0
    assert found["addresses"] == []
    assert found["verdicts"] == 1
    assert found["height"] <= 2400  # three windows


@pytest.mark.parametrize(
    "start", [STARTS[0], *(pytest.param(start, marks=pytest.mark.long) for start in STARTS[1:])]
)
def test_hostile_names_of_classifiers_classes_and_groups_are_text(strict, start):
    names = NAMES[start : start + AT_ONCE]
    tab = strict(named_page(names), WIDTHS[0])
    everything_open(tab)
    touch_names(tab)
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 800})
        everything_open(tab)
        found = tab.evaluate(_STATE)
        assert_harmless(found)
        assert sorted(found["classifiers"]) == sorted(names)
    assert_harmless_downloads(tab, names)


def assert_harmless_downloads(tab, names):
    """That every file that the page offers has names as data, and can be read again."""
    tab.wait_for_selector("#drawings button")
    files = tab.evaluate(_SAVED, ["#download-csv", "#download-json", "#download-latex"])
    [text], [whole], [latex] = files
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) == 1 + len(names)
    for row in rows[1:]:
        assert not FORMULA.match(row[0]), row[0]
    expected = {f"'{name}" if FORMULA.match(name) else name for name in names}
    assert {row[0] for row in rows[1:]} == expected
    assert [one["name"] for one in json.loads(whole)["classifiers"]] == names
    assert_plain_latex(latex, len(names))
    drawings, tables = tab.evaluate(_SAVED, ["[data-drawing]", "[data-csv]"])
    assert min(len(drawings), len(tables)) > 3
    for text in drawings:
        root = Xml.fromstring(text)  # valid XML, also with control characters
        tags = {node.tag.split("}")[1] for node in root.iter()}
        assert not tags & {"script", "foreignObject", "a", "image", "use", "animate"}
        assert not any(
            key.lower().startswith("on") or "href" in key
            for node in root.iter()
            for key in node.attrib
        )
    for text in tables:
        for row in csv.reader(io.StringIO(text, newline="")):
            for cell in row:
                is_number = re.fullmatch(r"-?[0-9.]+(e[-+]?\d+)?", cell)
                assert is_number or not FORMULA.match(cell), cell


# The texts that the buttons of each selector offer as files, taken from the page: browsers limit
# downloads.
_SAVED = """async (selectors) => {
    const offered = [];
    URL.createObjectURL = (blob) => { offered.push(blob); return "blob:test"; };
    HTMLAnchorElement.prototype.click = () => {};
    const saved = async (button) => {
        const before = offered.length;
        button.click();
        for (let i = 0; offered.length <= before && i < 1000; i++) {
            await new Promise((go) => setTimeout(go, 10));
        }
        return offered[before].text();
    };
    const found = [];
    for (const selector of selectors) {
        const texts = [];
        for (const button of document.querySelectorAll(selector)) texts.push(await saved(button));
        found.push(texts);
    }
    return found;
}"""


def assert_plain_latex(text, n_names):
    """One row per classifier; no command but the table itself and escapes of characters."""
    lines = [line for line in text.splitlines() if line.rstrip().endswith(r"\\")]
    assert len(lines) == 1 + n_names
    commands = set(re.findall(r"\\([a-zA-Z]+)", text))
    allowed = {"begin", "end", "hline", "toprule", "midrule", "bottomrule"}
    escapes = ("backslash", "asciitilde", "asciicircum", "less", "greater", "bar")
    allowed |= {f"text{name}" for name in escapes}
    assert commands <= allowed, commands - allowed
    for line in lines:
        bare = re.sub(r"\\[&%$#_{}\\]|\\text[a-z]+(\{\})?", "", line.rstrip()[:-2])
        assert bare.count("&") == lines[0].rstrip()[:-2].count("&")
        assert not re.search(r"[%$#_~^\\]", bare), line


# -- files -----------------------------------------------------------------------------------------

# Drops files one after the other, and reads the state of the page after each.
_DROP = """async (files) => {
    const drop = async ([name, text]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], name));
        const said = document.querySelector(".drop .said");
        if (said) said.removeAttribute("data-state");
        const about = { dataTransfer: transfer, bubbles: true, cancelable: true };
        document.body.dispatchEvent(new DragEvent("drop", about));
        for (let i = 0; i < 400; i++) {
            await new Promise((go) => setTimeout(go, 10));
            const now = document.querySelector(".drop .said");
            const state = now?.dataset.state;
            if (state === "done" || state === "problem") return [state, now.textContent];
        }
        return ["waiting", ""];
    };
    const found = [];
    for (const file of files) found.push([...await drop(file), (STATE)()]);
    return found;
}""".replace("STATE", _STATE)


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


@pytest.mark.long
def test_hostile_names_in_dropped_files_are_text(strict):
    tab = strict(Page(empty_data()), 390)
    files = []
    for name in NAMES:
        label = quoted(name) if name.strip() else "blank"
        text = (
            f"y_true,y_pred,group\n{label},{label},{label}\nplain,{label},x\nplain,plain,{label}\n"
        )
        files.append([name, text])
    for name, (state, said, found) in zip(NAMES, tab.evaluate(_DROP, files), strict=True):
        if "\x00" in name:
            assert state == "problem"
            assert "is not UTF-8 text" in said
            continue
        assert state == "done", (name, said)
        assert_harmless(found)
        assert found["classifiers"] == [name.split(".")[0]]


@pytest.mark.long
def test_hostile_names_in_wrong_files_are_text(strict):
    tab = strict(Page(empty_data()), 390)
    start = f"y_true,y_pred,{quoted('weight')}\na,a,"
    files = [[f"{name}.csv", f"{start}{quoted(name)}\n"] for name in NAMES]
    for name, (state, said, found) in zip(NAMES, tab.evaluate(_DROP, files), strict=True):
        assert state == "problem", name
        assert len(said) <= 601
        assert_harmless(found)
