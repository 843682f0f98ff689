"""axe on the parts that a report shows only at times: the file drop, the questions, the simplex."""

import numpy as np
import pytest

from tests.report.page.browsing import CLASSES, predictions, serious_problems
from wager.compare import head_to_head
from wager.partitions import standardize
from wager.plots import simplex_html
from wager.report.page import Page, empty_data

pytestmark = pytest.mark.long


@pytest.fixture(params=[("light", 1200), ("dark", 390)], ids=["light", "dark and small"])
def opened(request, browser, tmp_path):
    """Opens a page given as text."""
    scheme, width = request.param
    size = {"width": width, "height": 900}
    context = browser.new_context(bypass_csp=True, color_scheme=scheme, viewport=size)

    def show(text):
        (tmp_path / "page.html").write_text(text, encoding="utf-8")
        page = context.new_page()
        page.goto((tmp_path / "page.html").as_uri())
        return page

    yield show
    context.close()


def test_the_empty_page_and_its_complaints(opened, tmp_path):
    page = opened(Page(empty_data()).html)
    assert serious_problems(page) == []
    (tmp_path / "wrong.csv").write_text("y_true,y_pred\na,\n")
    page.set_input_files("#files", tmp_path / "wrong.csv")
    page.wait_for_selector(".said[data-state=problem]")
    assert serious_problems(page) == []


def test_a_question_and_the_result_of_the_questions(opened):
    y, sets = predictions()
    page = opened(head_to_head(y, sets, classes=CLASSES).report().html)
    page.evaluate("wager.page.buildAll()")
    page.click("[data-elicit=start]")
    assert serious_problems(page, "#elicit") == []
    while page.locator("[data-answer=set]").count():
        page.keyboard.press("=")
    page.wait_for_selector("[data-elicit=advice]")
    assert serious_problems(page, "#elicit") == []


@pytest.mark.parametrize("n_classes", [3, 4])
def test_the_simplex_page(opened, n_classes):
    memberships = np.random.default_rng(0).dirichlet(np.ones(n_classes), 40)
    partition = standardize(np.arange(40) % n_classes, memberships)
    assert serious_problems(opened(simplex_html(partition, title="Forty rows"))) == []
