"""The page of a run: scores, means and failures of learners on many data sets."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tests.report.page.browsing import READ_ROWS, move, open_page
from tests.report.page.test_script_parts import Results
from wager.report.page import report_data
from wager.report.page._render import render
from wager.rewards import Tally


class WithGaps(Results):
    """Random results of which some are missing, with many failures."""

    def __init__(self):
        super().__init__(9, 3, 4)
        for row in ("d2", "d5"):
            del self.shares[row, "l1"]

    def counts(self):
        return {"planned": 99, "done": 64, "failed": 35}

    def failures(self):
        return [SimpleNamespace(dataset=f"d{i}", learner="l1", error="no") for i in range(35)]

    def mean(self, learner, of):
        kept = [row for row in self.rows if (row, "l1") in self.shares]
        return np.mean([of(Tally(self.shares[row, learner])) for row in kept])


@pytest.fixture
def results():
    return WithGaps()


@pytest.fixture
def shown(tab, results, tmp_path):
    (tmp_path / "run.html").write_text(render(report_data(results), title="run"), encoding="utf-8")
    return open_page(tab, tmp_path / "run.html")


def open_details(shown, title):
    shown.locator("#store h2").scroll_into_view_if_needed()
    box = shown.locator("#store details", has_text=title).last
    box.evaluate("(box) => { box.open = true; }")
    return box


def test_means_are_those_over_the_data_sets_that_every_learner_has(shown, results):
    (place,) = move(shown, [0.65])
    for name, cells in place["rows"].items():
        for measure, of in {
            "utility": lambda tally: tally.expected_utility("u65"),
            "coverage": lambda tally: tally.score("coverage").value,
            "mean_set_size": lambda tally: tally.score("mean_set_size").value,
            "determinacy": lambda tally: tally.score("determinacy").value,
        }.items():
            assert float(cells[measure][0]) == pytest.approx(results.mean(name, of), abs=1e-9)
    assert shown.evaluate(READ_ROWS) == place["rows"]


@pytest.mark.parametrize("is_open", [True, False])
def test_the_scores_on_each_data_set_follow_the_slider(shown, results, is_open):
    box = open_details(shown, "Scores on each data set")
    box.locator("td").first.wait_for()
    box.evaluate("(box, is_open) => { box.open = is_open; }", is_open)
    move(shown, [0.9])
    shown.wait_for_timeout(100)
    box.evaluate("(box) => { box.open = true; }")
    shown.wait_for_timeout(100)
    rows = box.evaluate(
        "(box) => Array.from(box.querySelectorAll('tbody tr'), "
        "(row) => Array.from(row.cells, (cell) => cell.textContent))"
    )
    for row, cells in zip(results.rows, rows, strict=True):
        scores = [
            f"{Tally(results.shares[row, name]).expected_utility('u90'):.4f}"
            if (row, name) in results.shares
            else "–"
            for name in results.learners
        ]
        assert cells == [row, *scores]


def test_failures_that_are_not_listed_are_counted(shown):
    box = open_details(shown, "failures")
    assert box.locator("summary").inner_text() == "35 failures"
    box.locator("li").first.wait_for()
    assert box.locator("li").count() == 21
    assert box.locator("li").last.inner_text() == "and 15 more"
