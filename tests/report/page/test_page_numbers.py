"""The page in a browser shows the numbers, intervals and verdicts of Python, at every place."""

from __future__ import annotations

import csv
from io import StringIO
from itertools import combinations

import numpy as np
import pytest

from tests.report.page.browsing import (
    CLASSES,
    EXACT,
    FAMILIES,
    PLACES,
    READ_ROWS,
    assert_score,
    choose,
    downloaded,
    move,
    numbers,
    open_page,
    predictions,
    random_places,
    read_break_evens,
    utility_of,
)
from wager.compare import break_even, head_to_head
from wager.costs import CostMatrix, evaluate_costs
from wager.report import page
from wager.report.page import report_data
from wager.report.page._data import _facts_of_pairs
from wager.report.page._render import render
from wager.rewards import FBeta, Tabulated, evaluate_probabilities

TWO_FRAMES = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"""
EUROS = CostMatrix([[0, 1, 4, 9], [1, 0, 2, 6], [5, 2, 0, 1], [9, 7, 1, 0]], CLASSES, unit="EUR")
PRICED = predictions(seed=8)


@pytest.fixture(scope="module")
def found():
    y, sets = predictions()
    return head_to_head(y, sets, classes=CLASSES)


@pytest.fixture(scope="module")
def priced():
    y, sets = PRICED
    return head_to_head(y, sets, ["u65"], costs=EUROS, classes=CLASSES)


@pytest.fixture(scope="module")
def files(found, priced, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    found.report(folder / "report.html")
    priced.report(folder / "priced.html")
    return folder


@pytest.fixture(scope="module")
def shown(module_tab, files):
    """The page for all tests: each chooses the family that it needs."""
    return open_page(module_tab, files / "report.html")


@pytest.fixture
def shown_costs(tab, files):
    return open_page(tab, files / "priced.html")


def best_under(found, utility):
    """The classifier that is significantly better than every other one."""
    for name in found.names:
        others = [other for other in found.names if other != name]
        tests = [found.difference(name, other, utility) for other in others]
        if all(test.p < found.alpha and test.effect > 0 for test in tests):
            return name
    return ""


@pytest.mark.parametrize("n", [PLACES, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_leaderboard_has_the_numbers_of_python_at_every_place(shown, found, family, n):
    choose(shown, family)
    moved = move(shown, random_places(FAMILIES.index(family), n=n))
    assert len(moved) == n
    for place in moved:
        utility = utility_of(family, place["parameter"])
        assert float(utility(0.5)) == pytest.approx(place["place"], abs=1e-6)
        for name in found.names:
            assert_score(place["rows"][name]["utility"], found.score(name, utility))
    for name in found.names:
        for measure in ("coverage", "mean_set_size", "determinacy"):
            assert_score(moved[-1]["rows"][name][measure], found.tallies[name].score(measure))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_verdict_takes_the_side_of_python(shown, found, family):
    choose(shown, family)
    sides = set()
    for place in move(shown, random_places(10 + FAMILIES.index(family), n=12)):
        best = best_under(found, utility_of(family, place["parameter"]))
        assert place["recommended"] == best
        assert (f"ake {best}" in place["verdict"]) == (best != "")
        sides.add(best)
    assert len(sides) > 1  # the places show both a clear verdict and an open one


def test_an_own_curve_has_the_numbers_of_python(shown, found):
    choose(shown, "free")
    curves = shown.evaluate(
        """curves => curves.map((curve) => {
          wager.page.set({ worth: wager.page.concave(curve) });
          return { worth: wager.page.state.worth, rows: (READ_ROWS)() };
        })""".replace("READ_ROWS", READ_ROWS),
        np.random.default_rng(3).random((PLACES, 3)).tolist(),
    )
    for curve in curves:
        utility = Tabulated([1, *curve["worth"]])
        assert utility.is_concave(4)
        for name in found.names:
            assert_score(curve["rows"][name]["utility"], found.score(name, utility))


def test_a_change_of_bands_in_the_frame_of_a_change_of_utility_loses_neither(shown):
    choose(shown, "quadratic")
    read_break_evens(shown)
    shown.evaluate(
        """() => {
          wager.page.set({ utility: "fbeta" });
          wager.page.set({ bands: !wager.page.state.bands });
        }"""
    )
    found = read_break_evens(shown)
    choose(shown, "quadratic")
    assert read_break_evens(shown) != found
    choose(shown, "fbeta")
    assert read_break_evens(shown) == found


def test_the_curve_of_a_single_classifier_follows_the_family(tab, found, tmp_path):
    (tmp_path / "wary.json").write_text(found.tallies["wary"].to_json())
    page([tmp_path / "wary.json"], tmp_path / "one.html")
    shown = open_page(tab, tmp_path / "one.html")
    choose(shown, "fbeta")
    shown.evaluate(TWO_FRAMES)
    (_, *rows) = csv.reader(StringIO(downloaded(shown, "[data-csv=risk-profile]")[1]))
    for half, _, *cells in rows[1::10]:
        beta = np.sqrt((2 * float(half) - 1) / (1 - float(half)))
        assert_score(cells, found.score("wary", FBeta(beta)))


def test_a_change_of_baseline_in_the_frame_of_a_change_of_bands_loses_neither(shown):
    choose(shown, "quadratic")
    shown.evaluate(
        """() => {
          wager.page.set({ bands: false });
          wager.page.set({ baseline: 1 });
        }"""
    )
    shown.evaluate(TWO_FRAMES)
    assert shown.locator("#figure-risk-profile .band").count() == 0
    shown.evaluate("wager.page.set({ bands: true, baseline: 0 })")
    shown.evaluate(TWO_FRAMES)
    assert shown.locator("#figure-risk-profile .band").count() == len(CLASSES)


@pytest.mark.parametrize("place", ["profile risk-profile", "where by-class", "attitude utility"])
def test_the_numbers_of_a_figure_are_those_of_its_file(shown, place):
    section, figure = place.split()
    box = f"#figure-{figure} details"
    choose(shown, "quadratic")
    shown.locator(f"#{section} h2").scroll_into_view_if_needed()
    shown.wait_for_selector(f"#figure-{figure} svg")
    for family, is_open in (("quadratic", True), ("fbeta", False), ("exponential", True)):
        shown.evaluate(f"document.querySelector('{box}').open = {str(is_open).lower()}")
        choose(shown, family)
        move(shown, [0.6 if is_open else 0.9])
        shown.wait_for_timeout(150)
        shown.evaluate(f"document.querySelector('{box}').open = true")
        shown.wait_for_timeout(50)
        (_, *rows) = csv.reader(StringIO(downloaded(shown, f"[data-csv={figure}]")[1]))
        there = shown.evaluate(
            f"Array.from(document.querySelectorAll('{box} tbody tr'), "
            "(row) => Array.from(row.cells, (cell) => cell.textContent))"
        )
        assert len(there) == len(rows)
        for cells, values in zip(there, rows, strict=True):
            for cell, value in zip(cells, values, strict=True):
                is_number = value.replace(".", "").replace("e-", "").isdigit()
                wanted = f"{float(value):.4f}" if is_number and "." in cell else value
                assert cell == wanted


def test_pairs_whose_counts_were_left_out_have_no_verdict_that_needs_them(tab, found, tmp_path):
    data = report_data(found)
    data["joint"] = _facts_of_pairs(found)
    (tmp_path / "report.html").write_text(render(data, title="left out"), encoding="utf-8")
    shown = open_page(tab, tmp_path / "report.html")
    shown.evaluate("wager.page.buildAll()")
    assert best_under(found, "u65") in shown.inner_text("#verdict")
    choose(shown, "fbeta")
    shown.evaluate(TWO_FRAMES)
    shown.evaluate("wager.page.buildAll()")
    assert "does not say who is better" in shown.inner_text("#verdict")
    words = shown.inner_text("#pairs .meaning")
    assert "does not hold the counts" in words
    assert "NaN" not in words
    assert "For your utility" not in words
    choose(shown, "quadratic")
    assert best_under(found, "u65") in shown.inner_text("#verdict")


def test_a_pair_is_described_by_the_parameter_of_its_family(shown):
    for family, parameter in (("fbeta", "beta"), ("exponential", "a"), ("quadratic", "u(0.5)")):
        choose(shown, family)
        shown.evaluate(TWO_FRAMES)
        shown.evaluate("wager.page.buildAll()")
        assert f"For every {parameter}\n" in shown.inner_text("#pairs .meaning")


def test_what_is_significant_does_not_look_like_0(tab, tmp_path):
    # 1 of 5,000 rows differs, which costs 0.0001 EUR per case
    counts, y, first = [999_600, 200, 200], ["a", "a", "b"], ["a", "a", "b"]
    second, costs = ["a", "b", "b"], CostMatrix([[0, 2], [0.5, 0]], ["a", "b"], unit="EUR")
    predicted = {"first": first, "second": second}
    found = head_to_head(y, predicted, ["u65"], counts=counts, costs=costs, classes=["a", "b"])
    file = tmp_path / "page.html"
    found.report(file)
    open_page(tab, file)
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    shown = tab.inner_text("#pairs")
    assert "+0.00020*" in shown
    low, high = found.difference("first", "second", "u65").interval
    assert f"Difference +0.00020 ({low:+.5f} to {high:+.5f}), p < 0.0001" in shown
    tab.select_option("#family", "cost")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert "0.0001*" in tab.inner_text("#pairs")
    assert "0.0001" in tab.inner_text("tr[data-classifier=second] td[data-measure=cost]")


def test_the_reliability_of_a_class_without_a_name_can_be_chosen(tab, tmp_path):
    proba = np.random.default_rng(1).dirichlet([1, 1, 1], 60)
    found = evaluate_probabilities(np.array(["", "b", "a"] * 20), proba, classes=["", "a", "b"])
    (tmp_path / "p.html").write_text(render(report_data(found), title="p"), encoding="utf-8")
    shown = open_page(tab, tmp_path / "p.html")
    shown.evaluate("wager.page.buildAll()")
    texts = set()
    for k in range(4):
        shown.locator("#figure-reliability select").select_option(index=k)
        texts.add(downloaded(shown, "[data-csv=reliability]")[1])
    assert len(texts) == 4


SHOWN = """() => ["verdict", "board", "break-evens", "pairs-matrix"].map(
  (id) => document.getElementById(id).innerText)"""


def test_paper_and_rows_that_are_being_filled_show_nothing_old(tab, tmp_path):
    y, sets = predictions(200)
    many = {
        f"{name} {i}": np.roll(matrix, i, axis=0) | matrix
        for name, matrix in sets.items()
        for i in range(5)
    }
    head_to_head(y, many, classes=CLASSES).report(tmp_path / "report.html")
    shown = open_page(tab, tmp_path / "report.html")
    for section in ("leaderboard", "profile", "pairs"):
        shown.locator(f"#{section} h2").scroll_into_view_if_needed()
    shown.wait_for_selector("#pairs-matrix")
    read_break_evens(shown)
    filling, printed = shown.evaluate(
        """async () => {
          const read = SHOWN;
          wager.page.set({ utility: "fbeta", u: 0.9 });
          await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          const filling = Array.from(document.querySelectorAll("#break-evens tbody tr"),
            ({ dataset: { value, lower }, cells }) =>
              [value, lower, cells[2].innerText, cells[4].innerText]);
          wager.page.set({ utility: "exponential", u: 0.6 });
          dispatchEvent(new Event("beforeprint"));
          return [filling, read()];
        }""".replace("SHOWN", SHOWN)
    )
    assert all(
        bool(words) or (value, lower, point) == ("", "", "")
        for value, lower, point, words in filling
    )
    assert not all(words for *_, words in filling)
    assert not shown.get_attribute("#break-evens", "aria-busy")
    shown.wait_for_timeout(500)
    assert shown.evaluate(SHOWN) == printed


@pytest.mark.parametrize("family", FAMILIES)
def test_break_even_points_are_those_of_python(shown, found, family):
    choose(shown, family)
    there = read_break_evens(shown)
    assert list(there) == ["|".join(pair) for pair in combinations(found.names, 2)]
    known = 0
    for a, b in combinations(found.names, 2):
        even = break_even(
            found.paired(a, b),
            family=family,
            names=(a, b),
            confidence=found.confidence,
            adjustment=found.adjustment(a, b, utility_of(family, 1.0)),
        )
        wanted = [even.value, *((None, None) if even.interval is None else even.interval)]
        for shown_number, number in zip(numbers(there[f"{a}|{b}"]), wanted, strict=True):
            assert shown_number == (None if number is None else pytest.approx(number, **EXACT))
        known += even.value is not None
    assert known


def test_costs_follow_the_reward_for_caution(shown_costs, priced):
    for place in move(shown_costs, random_places(1, low=0), "r"):
        costs = EUROS.extend("p-discounted", r=place["place"])
        for name in priced.names:
            assert_score(place["rows"][name]["cost"], cost_score(name, costs))


def test_the_note_on_costs_names_no_other_r_than_the_one_that_was_chosen(shown_costs):
    for place in (0.2, 0.5):
        move(shown_costs, [place], "r")
        note = shown_costs.inner_text("#leaderboard .note")
        assert "these costs (p-discounted) and every r from 0 to 1" in note
        assert "r = " not in note


def test_costs_follow_the_edited_matrix(shown_costs):
    shown_costs.locator("#costs h2").scroll_into_view_if_needed()
    box = shown_costs.get_by_label("Cost of predicting ant if dog is true")
    box.fill("30")
    box.press("Tab")
    changed = np.array(EUROS.costs)
    changed[0, 3] = 30
    costs = CostMatrix(changed, CLASSES).extend("p-discounted", r=0.5)
    rows = shown_costs.evaluate(READ_ROWS)
    for name, cells in rows.items():
        assert_score(cells["cost"], cost_score(name, costs))
    box.fill("-1")
    box.press("Tab")
    assert shown_costs.evaluate(READ_ROWS) == rows
    assert "not negative" in shown_costs.locator("#costs [role=status]").inner_text()


@pytest.mark.parametrize("options", [{"p": 3}, {"p": -2, "epsilon": 0.5}, {"p": np.inf}])
def test_costs_with_an_exponent_of_their_own_follow_it_until_r_is_chosen(tab, tmp_path, options):
    y, sets = PRICED
    costs = EUROS.extend(**options)
    head_to_head(y, sets, costs=costs, classes=CLASSES).report(tmp_path / "report.html")
    shown = open_page(tab, tmp_path / "report.html")
    as_written = shown.evaluate(READ_ROWS)
    for name, cells in as_written.items():
        assert_score(cells["cost"], cost_score(name, costs))
    assert "r =" not in shown.inner_text("#verdict-where") + shown.inner_text("#r-value")
    (place,) = move(shown, [0.25], "r")
    assert "r = 0.250" in shown.inner_text("#verdict-where")
    shown.locator("#costs h2").scroll_into_view_if_needed()
    shown.get_by_role("button", name="As in the report").click()
    assert shown.evaluate(READ_ROWS) == as_written != place["rows"]


def cost_score(name, costs):
    y, sets = PRICED
    return evaluate_costs(y, sets[name], costs, classes=CLASSES).overall


def test_break_even_points_of_costs_are_those_of_python(shown_costs, priced):
    choose(shown_costs, "cost")
    there = read_break_evens(shown_costs)
    known = 0
    for a, b in combinations(priced.names, 2):
        even = priced.cost_break_even(a, b)
        wanted = [even.value, *((None, None) if even.interval is None else even.interval)]
        for shown_number, number in zip(numbers(there[f"{a}|{b}"]), wanted, strict=True):
            assert shown_number == (None if number is None else pytest.approx(number, **EXACT))
        known += even.value is not None
    assert known
