"""The simplex in a real browser: where marks lie, labels beside them, names that are only text."""

import re

import numpy as np
import pytest

from tests.report.page.hostile import NAMES
from wager.partitions import standardize
from wager.plots import simplex_coordinates, simplex_html

pytestmark = pytest.mark.long

PHONE, DESKTOP = {"width": 390, "height": 800}, {"width": 1000, "height": 800}


def partition_of(n_classes, labels, n_rows=80, seed=0):
    rng = np.random.default_rng(seed)
    memberships = rng.dirichlet(np.full(n_classes, 0.7), n_rows)
    lots = rng.random((n_rows, 1))
    truth = (memberships.cumsum(axis=1) < lots).sum(axis=1).clip(max=n_classes - 1)
    return standardize(np.array(labels, dtype=object)[truth], memberships, classes=labels)


@pytest.fixture(scope="module")
def only_tab(context):
    """A tab for all pages, with what it has requested, said and complained about."""
    tab = context.new_page()
    tab.problems = []
    tab.on("pageerror", lambda error: tab.problems.append(str(error)))
    tab.on("console", lambda message: tab.problems.append(message.text))
    tab.on("request", lambda request: tab.problems.append(request.url))
    yield tab
    tab.close()


@pytest.fixture
def shown(only_tab, tmp_path):
    """Shows pages; errors, messages and requests for anything else fail the test."""
    path = tmp_path / "page.html"
    only_tab.problems.clear()

    def show(page, viewport, scheme="light"):
        path.write_text(page, encoding="utf-8")
        only_tab.set_viewport_size(viewport)
        only_tab.emulate_media(color_scheme=scheme)
        only_tab.goto(path.as_uri())
        return only_tab

    yield show
    assert set(only_tab.problems) <= {path.as_uri()}


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_places_are_those_of_python(shown, n_classes):
    tab = shown(simplex_html(partition_of(3, ["a", "b", "c"])), DESKTOP)
    points = np.random.default_rng(1).dirichlet(np.ones(n_classes), 20)
    found = np.array(tab.evaluate("(points) => points.map(wager.simplex.place)", points.tolist()))
    flat = simplex_coordinates(points)
    expected = np.linalg.norm(flat[:, None] - flat, axis=-1)
    np.testing.assert_allclose(
        np.linalg.norm(found[:, None] - found, axis=-1), expected, atol=1e-12
    )


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("n_classes", [3, 4])
def test_labels_cover_no_mark_and_stay_in_the_picture(shown, viewport, scheme, n_classes):
    names = ["a rather long name of a class", "b", "Gründüngung", "d"][:n_classes]
    tab = shown(simplex_html(partition_of(n_classes, names)), viewport, scheme)
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    frame, labels, marks = tab.evaluate("""() => {
        const box = (node) => {
            const r = node.getBoundingClientRect();
            return [r.left, r.top, r.right, r.bottom];
        };
        const svg = document.querySelector("#plot svg");
        const groups = [...svg.children].filter((node) => node.tagName === "g");
        return [box(svg), [...svg.querySelectorAll("text")].map(box),
                [...groups[0].querySelectorAll("path")].map(box)];
    }""")
    assert len(marks) == 80
    assert len(labels) == n_classes
    for left, top, right, bottom in labels:
        assert left >= frame[0] - 0.5
        assert right <= frame[2] + 0.5
        assert top >= frame[1] - 0.5
        assert bottom <= frame[3] + 0.5
        for x in marks:  # the middle of a mark
            across, down = (x[0] + x[2]) / 2, (x[1] + x[3]) / 2
            assert not (left < across < right and top < down < bottom)


def luminance(colour):
    parts = [int(x) / 255 for x in re.findall(r"\d+", colour)[:3]]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(("scheme", "is_dark"), [("light", False), ("dark", True)])
def test_colours_follow_the_system_and_labels_are_readable(shown, scheme, is_dark):
    tab = shown(simplex_html(partition_of(3, ["a", "b", "c"])), DESKTOP, scheme)
    paper, *texts = tab.evaluate(
        """() => [getComputedStyle(document.body).backgroundColor,
                  ...[...document.querySelectorAll("#plot tspan, p")].map((node) => {
                      const style = getComputedStyle(node);
                      return node.tagName === "P" ? style.color : style.fill;
                  })]"""
    )
    assert (luminance(paper) < 0.1) == is_dark
    for colour in texts:
        low, high = sorted([luminance(paper), luminance(colour)])
        assert (high + 0.05) / (low + 0.05) >= 4.5


def test_controls_work_with_the_keyboard(shown):
    tab = shown(simplex_html(partition_of(4, ["a", "b", "c", "d"])), DESKTOP)
    marks = "[...document.querySelectorAll('#plot path')].map((p) => p.getAttribute('d')).join()"
    before = tab.evaluate(marks)
    tab.focus("#plot svg")
    tab.keyboard.press("ArrowRight")
    turned = tab.evaluate(marks)
    assert turned != before
    assert tab.evaluate("document.activeElement.tagName") == "svg"
    tab.keyboard.press("ArrowLeft")
    tab.select_option("select >> nth=1", "truth")
    assert tab.locator("#plot line").count() > 80
    tab.check("input[type=checkbox]")
    wrong = int(tab.get_attribute("#plot svg", "aria-label").split(" ")[2])
    assert 0 < wrong < 80
    tab.select_option("select >> nth=0", "before")
    assert "accuracy Ac" in tab.inner_text("#measures")


def test_the_row_under_the_pointer_is_described(shown):
    partition = partition_of(3, ["a", "b", "c"], n_rows=1)
    tab = shown(simplex_html(partition), DESKTOP)
    mark = tab.locator("#plot svg > g >> nth=0").locator("path").bounding_box()
    tab.mouse.move(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    assert tab.inner_text("#said").startswith("row 0: ")


def test_hostile_names_are_text_and_keep_the_layout(shown):
    """All names as classes of pages with three classes each, and as titles."""
    names = [name for name in NAMES if name.strip() and "\x00" not in name]
    names += names[: -len(names) % 3]
    for start in range(0, len(names), 3):
        classes = names[start : start + 3]
        page = simplex_html(partition_of(3, classes, n_rows=12), title=classes[0])
        tab = shown(page, PHONE)
        hacked, fits, corners, height = tab.evaluate(
            """[window.hacked, document.documentElement.scrollWidth <= innerWidth,
                document.querySelectorAll("#plot text").length,
                document.querySelector("h1").getBoundingClientRect().height]"""
        )
        assert (hacked, fits, corners) == (None, True, 3)
        assert 0 < height <= 200
