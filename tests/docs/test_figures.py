"""The figures of the documentation: drawn by a command, readable, and in line with the text."""

from __future__ import annotations

import re
from functools import cache

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from tests.docs.figures import (
    IMAGES,
    also_in_svg,
    check,
    check_figures_of,
    saved_texts,
    script,
    stored_figures,
    study_of,
    texts,
)
from tests.docs.pages import PAGES, page_name
from wager.plots import plain_figure

SCREENSHOTS = {"report.png", "report-phone.png"}
LARGEST = 150_000  # bytes
NUMBER = r"(\d[\d.,-]*\d|\d)"
# Reports that take long to compute; the tests of their studies have them, and look at the figures.
ELSEWHERE = {"hope-korb-rewards", "yang-2017-tables"}


@cache
def drawn(name):
    return script("make").FIGURES[name]()


@pytest.mark.parametrize("name", script("make").FIGURES)
def test_a_figure_can_be_read_and_is_the_stored_one(name):
    check(drawn(name)[0], IMAGES / f"{name}.svg")


@pytest.mark.long
@pytest.mark.parametrize("study", sorted(script("studies").DRAWN.keys() - ELSEWHERE))
def test_the_figures_of_a_study_can_be_read_and_are_the_stored_ones(study):
    check_figures_of(study, script("studies").DRAWN[study]())


@pytest.mark.long
def test_the_whole_report_about_bets_has_the_figure_that_is_drawn_from_its_bets():
    check_figures_of("betting-general-costs", script("studies").computed("betting-general-costs"))


def test_what_is_drawn_is_what_a_file_shows(tmp_path):
    figure = plain_figure((5, 4))
    ax = figure.subplots()
    ax.set(title="two\nlines & <more>", xlabel="$x^2$ of $10^{-3}$", ylim=(0, 2e-9), xscale="log")
    ax.text(1, 1e-9, "turned", rotation=30)
    ax.plot([1, 10], [0, 1e-9], label="a line")
    ax.legend()
    with also_in_svg() as written:
        FigureCanvasAgg(figure).draw()
    assert len(texts(written.getvalue())) > 10
    assert texts(written.getvalue()) == saved_texts(figure, tmp_path)


def test_every_stored_figure_of_studies_belongs_to_one():
    assert [path.name for path in stored_figures() if study_of(path) is None] == []


def test_every_figure_is_drawn_by_a_script_and_shown_on_a_page():
    made = {f"{name}.svg" for name in script("make").FIGURES} | SCREENSHOTS
    stored = {path.name for path in IMAGES.iterdir() if path.suffix in (".svg", ".png")}
    assert stored == made
    stored |= {f"studies/{path.name}" for path in stored_figures()}
    shown = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in stored if f"images/{name}" not in shown] == []


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_image_of_a_page_exists(page):
    missing = [
        link
        for link in re.findall(
            r"[(\s]((?:\.\./|docs/)?images/[\w/.-]+)", page.read_text(encoding="utf-8")
        )
        if not (page.parent / link).is_file()
    ]
    assert missing == []


@pytest.mark.parametrize("path", sorted(IMAGES.rglob("*.svg")), ids=lambda path: path.stem)
def test_an_svg_file_is_small_and_opaque(path):
    """White behind the lines: they are dark, and pages may be dark as well."""
    assert path.stat().st_size < LARGEST
    assert 'style="fill: #ffffff"' in path.read_text(encoding="utf-8")[:2500]


def said(page, fact):
    """The numbers that a page has where a fact has its own."""
    before, _, after = fact.partition("{}")
    words = [re.escape(part).replace(r"\ ", r"\s+") for part in (before, after)]
    return re.findall(NUMBER.join(words), page.read_text(encoding="utf-8"))


FACTS = [
    (name, page)
    for name in script("make").FIGURES
    for page in PAGES
    if f"images/{name}.svg" in page.read_text(encoding="utf-8")
]


@pytest.mark.parametrize(
    ("name", "page"), FACTS, ids=lambda value: value if isinstance(value, str) else page_name(value)
)
def test_the_text_beside_a_figure_has_its_numbers(name, page):
    facts = drawn(name)[1]
    found = {fact: said(page, fact) for fact in facts}
    for fact, value in facts.items():
        assert set(found[fact]) <= {value}, fact
    assert any(found.values()) or not facts


def test_a_contradiction_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("It is\ndecided at\nrow 122.", encoding="utf-8")
    assert said(page, "decided at row {}") == ["122"]
