"""What a page gives to take away can be read again."""

from __future__ import annotations

import csv
import json
from xml.etree import ElementTree as Xml

import pytest

from tests.report.page.browsing import CLASSES, assert_score, downloaded, open_page, predictions
from wager.compare import head_to_head
from wager.rewards import Tally

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def found():
    y, sets = predictions()
    return head_to_head(y, sets, classes=CLASSES)


@pytest.fixture(scope="module")
def shown(module_tab, found, tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "report.html"
    found.report(file, title="Four classifiers")
    page = open_page(module_tab, file)
    page.evaluate("wager.page.buildAll()")
    page.locator("#downloads").scroll_into_view_if_needed()
    page.wait_for_selector("#drawings button")
    return page


def test_the_leaderboard_as_csv(shown, found):
    name, text = downloaded(shown, "#download-csv")
    assert name == "leaderboard.csv"
    rows = {row["classifier"]: row for row in csv.DictReader(text.splitlines())}
    for classifier in found.names:
        texts = [rows[classifier][key] for key in ("utility", "utility_lower", "utility_upper")]
        assert_score(texts, found.score(classifier, "u65"))


def test_the_leaderboard_as_latex(shown, found):
    name, text = downloaded(shown, "#download-latex")
    assert name == "leaderboard.tex"
    lines = text.splitlines()
    assert lines[0] == r"\begin{tabular}{lrrrr}"
    assert lines[-1] == r"\end{tabular}"
    body = [line for line in lines if line.endswith(r"\\")]
    assert len(body) == 1 + len(found.names)
    assert all(line.count("&") == 4 for line in body)
    best = max(found.names, key=lambda name: found.score(name, "u65").value)
    low, high = found.score(best, "u65").interval(0.95)
    value = found.score(best, "u65").value
    assert body[1].startswith(f"{best} & {value:.4f} ({low:.4f} to {high:.4f}) & ")
    assert f"{100 * found.tallies[best].score('coverage').value:.1f}\\%" in body[1]


@pytest.mark.parametrize("units", ["rows", "weights", "clusters"])
def test_tallies_are_those_that_python_reads(tab, tmp_path, units):
    y, sets = predictions(n=90)
    options = {
        "rows": {},
        "weights": {"sample_weight": [0.5 + i % 4 for i in range(90)]},
        "clusters": {"groups": [i // 3 for i in range(90)]},
    }[units]
    found = head_to_head(y, sets, classes=CLASSES, **options)
    found.report(tmp_path / "report.html")
    shown = open_page(tab, tmp_path / "report.html")
    shown.evaluate("wager.page.buildAll()")
    for classifier in found.names:
        name, text = downloaded(shown, f'[data-tally="{classifier}"]')
        assert name == f"{classifier}.json"
        read = Tally.from_json(text)
        assert read.table.tolist() == found.tallies[classifier].table.tolist()
        assert read.estimate("u65").standard_error == pytest.approx(
            found.tallies[classifier].estimate("u65").standard_error, rel=1e-12
        )


def test_the_whole_data_as_json(shown):
    _, text = downloaded(shown, "#download-json")
    stored = shown.evaluate("document.getElementById('wager-data').textContent")
    assert json.loads(text) == json.loads(stored)


def test_every_drawing_as_svg(shown):
    known = shown.evaluate("wager.charts.figures.map((figure) => figure.id)")
    assert {"risk-profile", "differences", "set-sizes", "coverage-by-size", "by-class"} <= set(
        known
    )
    for figure in known:
        name, text = downloaded(shown, f'[data-drawing="{figure}"]')
        assert name == f"{figure}.svg"
        root = Xml.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(list(root.iter())) > 10
        for page_only in ("var(", "light-dark", "class=", "style="):
            assert page_only not in text


def test_every_figure_has_its_numbers_as_csv_and_as_a_table(shown):
    figures = shown.locator("[data-csv]").all()
    assert len(figures) >= 5
    for button in figures:
        with shown.expect_download() as waiting:
            button.click()
        rows = list(csv.reader(waiting.value.path().read_text(encoding="utf-8").splitlines()))
        assert len(rows) > 1
        assert len({len(row) for row in rows}) == 1
        figure = shown.locator(f"#figure-{button.get_attribute('data-csv')}")
        figure.locator("summary").last.click()
        figure.locator("table").wait_for()
        assert figure.locator("table tbody tr").count() == len(rows) - 1
