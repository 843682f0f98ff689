"""The report page: how fast it answers its reader in a browser, and how fast it is made.

The browser itself reports its times; they are shown for information.  Without an installed browser
only the rows about making pages are measured.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bench.measure import Row, cpu_seconds
from wager.compare import head_to_head

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MOVES = 60
MOVE = """async (n) => {
  const slider = document.getElementById("u-half"), times = [];
  for (let k = 0; k < n; k++) {
    slider.value = String(0.5 + 0.5 * ((k * 37) % 101) / 100);
    const start = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    times.push(performance.now() - start);
  }
  return times;
}"""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"


def comparison(n_classifiers: int, n_classes: int, n_rows: int) -> Any:
    """Classifiers of different skill and caution on the same rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n_rows)
    found = {}
    for i in range(n_classifiers):
        right = rng.random(n_rows) < 0.5 + 0.4 * i / n_classifiers
        matrix = np.zeros((n_rows, n_classes), dtype=bool)
        matrix[np.arange(n_rows), np.where(right, y, rng.integers(0, n_classes, n_rows))] = True
        wide = np.flatnonzero(rng.random(n_rows) < 0.4 * rng.random())
        for _ in range(3):
            matrix[wide, rng.integers(0, n_classes, len(wide))] = True
        found[f"classifier {i + 1}"] = matrix
    return head_to_head(y, found, classes=list(range(n_classes)))


def in_browser(path: Path) -> tuple[float, float]:
    """Seconds until the first paint, and the median from a move of the slider to the next frame."""
    from playwright.sync_api import sync_playwright

    program = next(found for name in BROWSERS if (found := shutil.which(name)))
    arguments = ["--no-sandbox", "--headless=new", "--disable-gpu"]
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program, args=arguments)
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.goto(path.as_uri())
        tab.wait_for_timeout(3000)  # what is computed after the first paint
        paint = tab.evaluate(PAINT) / 1000
        tab.locator("#leaderboard").evaluate("node => node.scrollIntoView()")
        tab.wait_for_timeout(1000)
        times = tab.evaluate(MOVE, MOVES)
        browser.close()
    return paint, median(times) / 1000


def rows() -> Iterator[Row]:
    with TemporaryDirectory(prefix="wager-bench-") as folder:
        path = Path(folder) / "report.html"
        many, large = comparison(50, 10, 2000), comparison(20, 100, 20_000)
        seconds = cpu_seconds(lambda: large.report(path), repeat=2)
        size = path.stat().st_size / 1e6
        what = "20 classifiers, 100 classes"
        yield Row(f"report page, {what}: size", size, 1.0, "the limit of 1 MB", 1.0, "MB")
        yield Row(f"report page, {what}: make it", seconds, 5.0, "the limit of 5 s", 1.0)
        if not any(map(shutil.which, BROWSERS)):
            return
        paint, _ = in_browser(path)
        yield Row(f"report page, {what}: first paint", paint, 0.5, "500 ms by the browser's clock")
        many.report(path)
        _, answer = in_browser(path)
        what = "report page, 50 classifiers: answer to the slider"
        yield Row(what, answer, 0.05, "50 ms by the browser's clock")
