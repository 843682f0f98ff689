"""Files dropped on the empty page: the numbers of `wager score`, Python's sentences, no network."""

import base64
import json

import pytest
from typer.testing import CliRunner

from tests.report.page.test_csv_files import PAIRS_WRONG, WRONG
from tests.report.page.test_drop_data import MAKERS, UNITS, make_files
from wager.cli import app
from wager.compare import break_even, match_files
from wager.report.page import Page, empty_data

pytestmark = pytest.mark.long

MEASURES = {
    "utility": "u65",
    "coverage": "coverage",
    "mean_set_size": "mean_set_size",
    "determinacy": "determinacy",
}
DONE = ".drop .said[data-state=done], .drop .said[data-state=problem]"


@pytest.fixture(scope="module")
def empty_page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "try.html"
    Page(empty_data()).save(path)
    return path


@pytest.fixture(scope="module")
def only_tab(context):
    """A tab for all tests, with what it has requested, said and complained about."""
    tab = context.new_page()
    tab.set_viewport_size({"width": 1000, "height": 800})
    tab.problems = []
    tab.on("pageerror", lambda error: tab.problems.append(str(error)))
    tab.on("console", lambda message: tab.problems.append(message.text))
    tab.on("request", lambda request: tab.problems.append(request.url))
    yield tab
    tab.close()


@pytest.fixture
def opened(only_tab, empty_page):
    """The empty page; an error, a message on the console or a request fails the test."""
    only_tab.problems.clear()
    only_tab.goto(empty_page.as_uri())
    yield only_tab
    only_tab.goto("about:blank")
    assert only_tab.problems == [empty_page.as_uri()]


def choose(tab, paths):
    """Choose files, and wait until they are counted or refused."""
    tab.set_input_files("#files", [str(path) for path in paths])
    tab.wait_for_selector(DONE, state="attached")
    return tab.locator(".drop .said").text_content()


def scores(path, *options):
    """The scores of all rows of a file by `wager score`: value and interval by measure."""
    found = CliRunner().invoke(app, ["score", str(path), "--format", "json", *options])
    assert found.exit_code == 0, found.output
    (only,) = json.loads(found.stdout)
    return {
        one["measure"]: (one["value"], *(one["interval"] or (None, None)))
        for one in only["scores"]
        if one["family"] == "sets" and not one["group"] and not one["class"]
    }


def leaderboard(tab):
    """By classifier and measure: value and ends of the interval, unrounded."""
    cells = tab.evaluate(
        """() => [...document.querySelectorAll("tr[data-classifier]")].map((row) => [
            row.dataset.classifier,
            [...row.querySelectorAll("td[data-measure]")].map((cell) => [
                cell.dataset.measure, cell.dataset.value,
                cell.dataset.lower, cell.dataset.upper])])"""
    )
    return {name: {key: tuple(map(float, numbers)) for key, *numbers in row} for name, row in cells}


@pytest.mark.parametrize("units", UNITS)
def test_the_leaderboard_of_dropped_files_is_that_of_wager_score(opened, tmp_path, units):
    paths = make_files(tmp_path, ["sets", "proba"], UNITS[units], seed=7)
    assert choose(opened, paths) == "300 rows of 2 files are counted." or units != "rows"
    found = leaderboard(opened)
    assert set(found) == {path.stem for path in paths}
    classes = "--classes", "cat,dog,fox,owl"
    for path in paths:
        expected = scores(path, *classes)
        for shown, measure in MEASURES.items():
            assert found[path.stem][shown] == pytest.approx(expected[measure], abs=1e-9), measure


@pytest.mark.parametrize("maker", MAKERS)
def test_one_file_is_scored_as_by_wager_score(opened, tmp_path, maker):
    (path,) = make_files(tmp_path, [maker], {}, seed=11)
    choose(opened, [path])
    expected, found = scores(path), leaderboard(opened)[path.stem]
    for shown, measure in MEASURES.items():
        assert found[shown] == pytest.approx(expected[measure], abs=1e-9)


def test_break_even_points_of_dropped_files_are_those_of_python(opened, tmp_path):
    paths = make_files(tmp_path, ["labels", "sets"], {}, seed=5, ids=True)
    choose(opened, paths)
    opened.evaluate("wager.page.buildAll()")
    names = [path.stem for path in paths]
    matched = match_files(paths)
    expected = break_even(matched.pairs[tuple(names)])
    assert expected.value is not None
    shown = opened.locator(f'[data-break-even="{names[0]}|{names[1]}"]').get_attribute("data-value")
    assert float(shown) == pytest.approx(expected.value, abs=1e-9)


def test_files_can_be_dropped_anywhere_on_the_page(opened, tmp_path):
    paths = make_files(tmp_path, ["labels", "sets"], {}, seed=2)
    files = [[path.name, base64.b64encode(path.read_bytes()).decode()] for path in paths]
    opened.evaluate(
        """(files) => {
            const transfer = new DataTransfer();
            for (const [name, text] of files) {
                const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
                transfer.items.add(new File([bytes], name));
            }
            for (const kind of ["dragover", "drop"]) {
                const about = { dataTransfer: transfer, bubbles: true, cancelable: true };
                document.body.dispatchEvent(new DragEvent(kind, about));
            }
        }""",
        files,
    )
    opened.wait_for_selector(DONE, state="attached")
    assert set(leaderboard(opened)) == {path.stem for path in paths}


def test_the_slider_and_further_files_work_after_a_drop(opened, tmp_path):
    paths = make_files(tmp_path, ["labels", "sets"], {}, seed=2)
    choose(opened, paths)
    opened.evaluate(
        """() => { const slider = document.getElementById("u-half");
                   slider.value = "0.8"; slider.dispatchEvent(new Event("input")); }"""
    )
    found = leaderboard(opened)
    for path in paths:
        assert found[path.stem]["utility"][0] == pytest.approx(scores(path)["u80"][0], abs=1e-9)
    opened.evaluate("document.querySelector('#files').value = ''")
    (other,) = make_files(tmp_path, ["flags"], {}, seed=3)
    choose_again(opened, other)
    assert set(leaderboard(opened)) == {other.stem}


def choose_again(tab, path):
    tab.evaluate("document.querySelector('.drop .said').removeAttribute('data-state')")
    choose(tab, [path])


@pytest.mark.parametrize("case", ["a probability above 1", "many missing values", "a workbook"])
def test_a_wrong_file_is_explained_and_the_page_stays(opened, tmp_path, case):
    path = tmp_path / "f.csv"
    text = WRONG[case]
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    said = choose(opened, [path])
    found = CliRunner().invoke(app, ["score", str(path)])
    assert found.exit_code == 2
    shell = said.replace('na="drop" (--na drop)', "--na drop")
    assert found.stderr.replace(f"{tmp_path}/", "") == f"wager: {shell}\n"
    assert opened.locator("tr[data-classifier]").count() == 0
    (right,) = make_files(tmp_path, ["labels"], {})
    choose_again(opened, right)
    assert opened.locator("tr[data-classifier]").count() == 1


def test_rows_with_missing_values_are_left_out_if_the_reader_says_so(opened, tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("y_true,y_pred\na,a\nb,\nb,b\na,b\n")
    opened.check("#files-drop")
    assert choose(opened, [path]) == "3 rows of one file are counted."
    assert "1 of 4 rows is left out because it has no y_pred" in opened.inner_text("#warnings")
    expected = scores(path, "--na", "drop")
    assert leaderboard(opened)["f"]["coverage"] == pytest.approx(expected["coverage"], abs=1e-9)


def test_files_that_do_not_fit_are_explained(opened, tmp_path):
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    for path, text in zip((one, two), PAIRS_WRONG["another truth"], strict=True):
        path.write_text(text)
    assert choose(opened, [one, two]) == (
        "y_true is 'b' in one.csv but 'a' in two.csv, row 2: compare predictions of the same rows"
    )


def test_a_long_file_is_counted_while_the_page_answers(opened, tmp_path):
    """The page draws frames while it counts 200,000 rows; the time is printed, not tested."""
    path = tmp_path / "long.csv"
    rows = ["a,0.25,0.75", "b,0.5,0.5", "b,0.1,0.9", "a,0.9,0.1"] * 50_000
    path.write_text("y_true,p:a,p:b\n" + "\n".join(rows) + "\n")
    opened.evaluate(
        """() => { window.frames_ = 0; window.longest_ = 0; let last = performance.now();
                   const tick = (now) => { window.frames_ += 1;
                       window.longest_ = Math.max(window.longest_, now - last); last = now;
                       requestAnimationFrame(tick); };
                   requestAnimationFrame(tick); window.start_ = performance.now(); }"""
    )
    said = choose(opened, [path])
    took, frames, longest = opened.evaluate(
        "() => [performance.now() - window.start_, window.frames_, window.longest_]"
    )
    print(
        f"200,000 rows of probabilities in {took:.0f} ms, {frames} frames, longest {longest:.0f} ms"
    )
    assert said == "200,000 rows of one file are counted."
    assert frames > 3
    expected = scores(path)
    assert leaderboard(opened)["long"]["coverage"] == pytest.approx(expected["coverage"], abs=1e-9)
