"""Pages in a browser: data to show, moves of the slider, and what can be read from a page."""

from __future__ import annotations

from math import isclose
from urllib.parse import unquote

import numpy as np
import pytest

from wager.rewards import Exponential, FBeta, Quadratic

CLASSES = ["ant", "bee", "cat", "dog"]
FAMILIES = ("quadratic", "fbeta", "exponential")
PLACES = 40  # of a slider
EXACT = {"rel": 1e-9, "abs": 1e-9}

READ_ROWS = """() => Object.fromEntries(Array.from(
  document.querySelectorAll("tr[data-classifier]"),
  (row) => [row.dataset.classifier, Object.fromEntries(Array.from(
    row.querySelectorAll("td[data-measure]"),
    ({ dataset }) => [dataset.measure, [dataset.value, dataset.lower, dataset.upper]]))]))"""

MOVE = """([id, places]) => {
  const slider = document.getElementById(id), root = document.getElementById("page");
  return places.map((place) => {
    slider.value = String(place);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    return {
      place: Number(slider.value),
      parameter: Number(root.dataset.parameter),
      recommended: root.dataset.recommended,
      verdict: document.getElementById("verdict").textContent,
      rows: (READ_ROWS)(),
    };
  });
}""".replace("READ_ROWS", READ_ROWS)

READ_BREAK_EVENS = """() => Object.fromEntries(Array.from(
  document.querySelectorAll("[data-break-even]"),
  ({ dataset }) => [dataset.breakEven, [dataset.value, dataset.lower, dataset.upper]]))"""


def predictions(n=400, seed=5):
    """Four classifiers of different caution and skill, over four classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, n)
    found = {}
    for name, skill, caution in (
        ("plain", 0.6, 0.0), ("wary", 0.6, 0.35), ("timid", 0.6, 0.9), ("sharp", 0.84, 0.1),
    ):  # fmt: skip
        best = np.where(rng.random(n) < skill, y, rng.integers(0, 4, n))
        matrix = np.eye(4, dtype=bool)[best]
        wide = rng.random(n) < caution
        second = np.where(rng.random(n) < 0.95, y, rng.integers(0, 4, n))
        matrix[wide, second[wide]] = True
        matrix[rng.random(n) < caution / 6] = True
        found[name] = matrix
    return np.array(CLASSES)[y], found


def open_page(tab, file, address=""):
    """Open a page in a tab that loads nothing else, and remember requests and messages."""
    if not hasattr(tab, "said"):  # a tab serves for many pages
        tab.on("request", lambda request: tab.requests.append(request.url))
        tab.on("console", lambda message: tab.said.append(message.text))
    tab.requests, tab.said = [], []
    tab.route("**/*", lambda route: route.continue_() if _is(route, file) else route.abort())
    tab.goto(file.as_uri() + address)
    return tab


def _is(route, file):
    return unquote(route.request.url).split("#")[0].endswith(file.name)


def move(tab, places, slider="u-half"):
    """Move a slider to each of the places, and read the page after each move."""
    return tab.evaluate(MOVE, [slider, places])


def choose(tab, family):
    """Choose a family of utilities."""
    tab.select_option("#family", family)
    chosen = "family => document.getElementById('page').dataset.family === family"
    tab.wait_for_function(chosen, arg=family)


def read_break_evens(tab):
    """The value and the interval of each pair, once the page has computed them."""
    tab.wait_for_selector("#break-evens:not([aria-busy])", state="attached")
    return tab.evaluate(READ_BREAK_EVENS)


def random_places(seed, low=500, n=PLACES):
    """Places of a slider: the usual ones, the ends, and others."""
    places = np.random.default_rng(seed).integers(low, 1001, n) / 1000
    return [low / 1000, 0.65, 0.8, 1.0, *places[4:].tolist()]


def utility_of(family, parameter):
    """The utility of a family, as in Python."""
    if family == "quadratic":
        return Quadratic(parameter)
    return FBeta(parameter) if family == "fbeta" else Exponential(parameter, normalized=True)


def numbers(texts):
    """The numbers of attributes; None where there is none."""
    return [float(text) if text else None for text in texts]


def assert_score(texts, estimate, level=0.95):
    """That attributes have the value of an estimate and the ends of its interval."""
    expected = [estimate.value, *estimate.interval(level)]
    for number, wanted in zip(numbers(texts), expected, strict=True):
        assert isclose(number, wanted, rel_tol=1e-9, abs_tol=1e-9), (texts, expected)


def serious_problems(tab, part=None):
    """What axe finds serious on a page, or in the part of it that a selector names.

    All parts are opened; a table keeps its first rows, since the others are made in the same way.
    """
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    tab.evaluate("for (const box of document.querySelectorAll('details')) box.open = true")
    tab.wait_for_timeout(100)
    tab.evaluate(
        "for (const row of document.querySelectorAll('details tr:nth-child(n + 6)')) row.remove()"
    )
    only = {"resultTypes": ["violations"]}  # to describe all that is right takes most of the time
    violations = axe.Axe().run(tab, part, only).response["violations"]
    serious = [v for v in violations if v["impact"] in ("serious", "critical")]
    return [(v["id"], v["nodes"][0]["html"][:200]) for v in serious]


def downloaded(tab, selector):
    """The name and the text of the file that a button offers."""
    with tab.expect_download() as waiting:
        tab.locator(selector).first.click()
    return waiting.value.suggested_filename, waiting.value.path().read_text(encoding="utf-8")
