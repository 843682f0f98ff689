"""The page as a thing to use: keyboard, addresses, colours, phones, paper, and no network."""

from __future__ import annotations

import numpy as np
import pytest

from tests.report.page.browsing import (
    CLASSES,
    READ_BREAK_EVENS,
    READ_ROWS,
    choose,
    move,
    numbers,
    open_page,
    predictions,
    serious_problems,
)
from wager.compare import break_even, head_to_head, sequential
from wager.costs import CostMatrix
from wager.report import page
from wager.report.page import report_data
from wager.report.page._render import render
from wager.report.page._rows import sequence_to_dict
from wager.rewards import Tally

pytestmark = pytest.mark.long

EUROS = CostMatrix([[0, 1, 4, 9], [1, 0, 2, 6], [5, 2, 0, 1], [9, 7, 1, 0]], CLASSES, unit="EUR")


TWO_FRAMES = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"""


@pytest.fixture(scope="module")
def found():
    y, sets = predictions()
    return head_to_head(y, sets, classes=CLASSES)


@pytest.fixture(scope="module")
def file(found, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    found.report(path, title="Four classifiers")
    return path


@pytest.fixture(scope="module")
def priced_file(tmp_path_factory):
    y, sets = predictions()
    path = tmp_path_factory.mktemp("priced") / "report.html"
    head_to_head(y, sets, ["u65"], costs=EUROS, classes=CLASSES).report(path)
    return path


@pytest.fixture
def shown(tab, file):
    return open_page(tab, file)


def names_in_order(shown):
    return shown.evaluate(
        "Array.from(document.querySelectorAll('tr[data-classifier]'), (r) => r.dataset.classifier)"
    )


def test_nothing_is_requested_and_the_console_is_clean(shown):
    shown.evaluate("wager.page.buildAll()")
    shown.mouse.wheel(0, 20000)
    for family in ("fbeta", "exponential", "free", "quadratic"):
        choose(shown, family)
        move(shown, [0.5, 0.7, 1.0])
    shown.evaluate(TWO_FRAMES)
    assert len(shown.requests) == 1
    assert shown.said == []


def test_the_policy_stops_a_request(shown):
    stopped = shown.evaluate(
        "() => new Promise((done) => { addEventListener('securitypolicyviolation', "
        "(event) => done(event.effectiveDirective)); new Image().src = 'https://example.org/x'; })"
    )
    assert stopped == "img-src"


def test_the_address_remembers_the_slider_and_the_family(tab, file):
    shown = open_page(tab, file, "#u=0.8")
    assert shown.input_value("#u-half") == "0.8"
    choose(shown, "exponential")
    move(shown, [0.7])
    shown.wait_for_function("() => location.hash === '#u=0.7&family=exponential'")
    shown.reload()
    assert shown.input_value("#u-half") == "0.7"
    assert shown.get_attribute("#page", "data-family") == "exponential"


def test_large_costs_and_many_sections_fit_into_a_window(tab, tmp_path):
    y, sets = predictions()
    large = CostMatrix(1e11 * np.array(EUROS.costs), CLASSES, unit="EUR")
    found = head_to_head(y, {"b": sets["wary"], "a": sets["sharp"]}, costs=large, classes=CLASSES)
    data = report_data(found)
    data["sequences"] = [dict(sequence_to_dict(sequential(y, sets["wary"], sets["sharp"]), 0, 1))]
    data["rows"] = {"n": 1, "shown": 1, "id": ["1"], "truth": [0], "sets": [[0]],
                    "columns": [[0], [0]]}  # fmt: skip
    (tmp_path / "report.html").write_text(render(data, title="large"), encoding="utf-8")
    tab.set_viewport_size({"width": 1200, "height": 720})
    shown = open_page(tab, tmp_path / "report.html")
    wide = "(found) => found.filter((one) => one.scrollWidth > one.clientWidth).length"
    assert shown.locator("#board td.number").evaluate_all(wide) == 0
    assert shown.locator("nav.contents ul").evaluate_all(wide) == 0
    assert shown.inner_text("#verdict").startswith("By cost")  # although one is called b


def state_of(shown):
    rows = {
        f"{name} {measure}": numbers(texts)
        for name, cells in shown.evaluate(READ_ROWS).items()
        for measure, texts in cells.items()
    }
    return shown.inner_text("#verdict-where"), shown.inner_text("#u-value"), rows


@pytest.mark.parametrize("kind", ["plain", "cost only", "both"])
def test_a_shared_address_shows_the_same_page(tab, tmp_path, kind):
    y, sets = predictions()
    given = {"plain": ["u65"], "cost only": [], "both": ["u65", "f1"]}[kind]
    costs = None if kind == "plain" else EUROS
    file = tmp_path / "report.html"
    head_to_head(y, sets, given, costs=costs, classes=CLASSES).report(file)
    shown = open_page(tab, file)
    start = state_of(shown)
    seen = {}
    changes = [
        {"u": 0.8},
        {"utility": "fbeta"},
        {"utility": "quadratic", "u": 0.7},
        {"utility": "free"},
    ]
    if kind == "both":
        changes += [{"utility": "named:f1"}]
    if costs is not None:
        other = (np.array(EUROS.costs) * 1.5).tolist()
        changes = [{"criterion": "utility"} | one for one in changes]
        changes += [{"criterion": "cost"}, {"r": 0.2}, {"mode": "mistake-averse"}]
        changes += [{"matrix": other}, {"utility": "exponential"}]
    for change in changes:
        shown.evaluate("(change) => wager.page.set(change)", change)
        seen[shown.evaluate("wager.page.address()")] = state_of(shown)
    assert len(seen) == len(changes)
    for address, state in seen.items():  # in a page that shows something else, and in a new one
        shown.evaluate("(address) => { location.hash = address; }", address)
        shown.wait_for_function("(address) => wager.page.address() === address", arg=address)
        for again in (shown, None):
            if again is None:
                shown.goto("about:blank")
                open_page(tab, file, address)
            *words, rows = state_of(shown)
            assert words == list(state[:2])
            assert rows.keys() == state[2].keys()
            for cell, values in state[2].items():  # addresses have six decimals
                assert rows[cell] == pytest.approx(values, abs=1e-5)
    if costs is not None:
        matrix = shown.evaluate(
            "() => { wager.page.buildAll(); return Array.from(document.querySelectorAll("
            "'#costs input'), (input) => Number(input.value)); }"
        )
        assert matrix == np.ravel(other).tolist()
        assert shown.input_value("#costs select") == "mistake-averse"
        shown.get_by_role("button", name="As in the report").click()
        assert shown.input_value("#costs select") == "cautious"
        assert numbers(shown.evaluate(READ_ROWS)["wary"]["cost"]) == start[2]["wary cost"]


def test_a_utility_of_the_report_shows_its_own_half(tab, tmp_path):
    y, sets = predictions()
    head_to_head(y, sets, ["u65", "f1"], classes=CLASSES).report(tmp_path / "report.html")
    shown = open_page(tab, tmp_path / "report.html")
    choose(shown, "named:f1")
    assert shown.inner_text("#u-value").endswith("0.667")
    choose(shown, "quadratic")
    assert shown.inner_text("#u-value").endswith("0.650")
    move(shown, [0.9])
    choose(shown, "free")  # the curve begins at u65
    assert shown.inner_text("#u-value").endswith("0.650")
    assert shown.inner_text("#verdict-where").endswith("0.650")


@pytest.mark.parametrize("address", ["#u=2&family=nonsense&curve=x", "#leaderboard", "#u=", "#%%%"])
def test_an_odd_address_is_ignored(tab, file, address):
    shown = open_page(tab, file, address)
    assert shown.input_value("#u-half") == "0.65"
    assert shown.get_attribute("#page", "data-family") == "quadratic"


def test_the_leaderboard_sorts_by_every_column(shown, found):
    utility = {name: found.score(name, "u65").value for name in found.names}
    assert names_in_order(shown) == sorted(utility, key=utility.get, reverse=True)
    button = shown.get_by_role("button", name="Mean size", exact=True)
    button.click()
    sizes = {name: found.tallies[name].score("mean_set_size").value for name in found.names}
    assert names_in_order(shown) == sorted(sizes, key=sizes.get)
    assert shown.locator('th[aria-sort="ascending"]').inner_text().startswith("Mean size")
    button.press("Enter")
    assert names_in_order(shown) == sorted(sizes, key=sizes.get, reverse=True)
    shown.get_by_role("button", name="Classifier", exact=True).click()
    assert names_in_order(shown) == sorted(found.names)


def test_the_leaderboard_stays_sorted_while_the_slider_moves(shown, found):
    orders = set()
    for half in (0.5, 0.7, 1.0):
        move(shown, [half])
        utility = {name: found.score(name, half).value for name in found.names}
        order = names_in_order(shown)
        assert order == sorted(utility, key=utility.get, reverse=True)
        orders.add(tuple(order))
    assert len(orders) > 1


def test_what_a_measure_means_is_shown_on_demand(shown):
    meaning = shown.locator("#meaning")
    assert not meaning.is_visible()
    shown.get_by_role("button", name="What does coverage mean?").click()
    assert "contain the true class" in meaning.inner_text()
    shown.get_by_role("button", name="What does coverage mean?").click()
    assert not meaning.is_visible()


def test_the_keyboard_moves_everything(shown):
    shown.focus("#u-half")
    shown.keyboard.press("ArrowRight")
    assert shown.input_value("#u-half") == "0.651"
    shown.locator("#ticks button", has_text="u80").press("Enter")
    assert shown.input_value("#u-half") == "0.8"
    shown.locator("#own-curve").press("Enter")
    point = shown.locator('#attitude [role="slider"]').first
    before = float(point.get_attribute("aria-valuenow"))
    point.press("ArrowDown")
    shown.evaluate(TWO_FRAMES)
    assert float(point.get_attribute("aria-valuenow")) == pytest.approx(before - 0.01, abs=1e-9)
    assert shown.evaluate("document.activeElement.getAttribute('role')") == "slider"
    shown.locator("#pairs h2").scroll_into_view_if_needed()
    shown.locator('#pairs-matrix td[tabindex="0"]').press("ArrowRight")
    assert shown.locator('#pairs-matrix [aria-selected="true"]').count() == 1
    assert shown.evaluate("document.activeElement.closest('#pairs-matrix') !== null")


def test_every_control_is_reached_with_the_tab_key(shown):
    shown.evaluate("wager.page.buildAll()")
    wanted = set(
        shown.evaluate(
            "Array.from(document.querySelectorAll('button, select, input, summary'), (node, i) => {"
            " node.dataset.number = i; return node.checkVisibility() && !node.disabled ? i : -1; })"
        )
    ) - {-1}
    shown.evaluate(
        "window.reached = []; addEventListener('focusin', "
        "({ target }) => reached.push(Number(target.dataset.number ?? -1)))"
    )
    for _ in range(2 * len(wanted) + 60):
        shown.keyboard.press("Tab")
    assert wanted <= set(shown.evaluate("reached"))


def test_a_point_of_the_own_curve_can_be_dragged(shown):
    shown.locator("#own-curve").click()
    point = shown.locator('#attitude [role="slider"]').nth(1)
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = shown.evaluate("wager.page.state.worth.slice()")
    shown.mouse.move(x, y)
    shown.mouse.down()
    shown.mouse.move(x, y - 25, steps=5)
    shown.mouse.up()
    after = shown.evaluate("wager.page.state.worth.slice()")
    assert after[1] > before[1] + 0.03


def test_a_drag_in_the_profile_moves_the_slider(shown):
    plot = shown.locator("#figure-risk-profile svg")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    shown.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 120)
    shown.mouse.down()
    first = float(shown.input_value("#u-half"))
    shown.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 120, steps=4)
    shown.mouse.up()
    assert float(shown.input_value("#u-half")) > first + 0.05


def test_the_baseline_of_the_differences_can_be_chosen(shown, found):
    shown.select_option("#baseline", label="sharp")
    shown.wait_for_function(
        "() => /sharp/.test(document.querySelector('#figure-differences figcaption').textContent)"
    )
    labels = shown.locator("#figure-differences svg [data-label]").all_text_contents()
    assert sorted(labels) == sorted(set(found.names) - {"sharp"})


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_serious(browser, priced_file, scheme, width):
    size = {"width": width, "height": 900}
    context = browser.new_context(bypass_csp=True, color_scheme=scheme, viewport=size)
    page = context.new_page()
    page.goto(priced_file.as_uri())
    page.evaluate("wager.page.buildAll()")
    page.locator("#own-curve").click()
    found = serious_problems(page)
    context.close()
    assert found == []


def test_nothing_is_wider_than_the_window(browser, priced_file):
    context = browser.new_context()
    page = context.new_page()
    page.goto(priced_file.as_uri())
    sizes = [(1280, "screen"), (768, "screen"), (390, "screen"), (320, "screen"), (690, "print")]
    over = {}
    for width, media in sizes:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(media=media)
        page.evaluate("wager.page.buildAll()")
        page.evaluate(TWO_FRAMES)
        over[width] = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    context.close()
    assert max(over.values()) <= 0, over


def test_the_page_prints_without_its_controls(browser, file):
    context = browser.new_context()
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="print")
    assert not page.locator("#u-half").is_visible()
    assert not page.locator("#family").is_visible()
    assert page.locator("#verdict").is_visible()
    context.close()


def test_the_colours_can_be_chosen(shown):
    schemes = []
    for _ in range(3):
        shown.locator("#theme").click()
        schemes.append(shown.evaluate("getComputedStyle(document.documentElement).colorScheme"))
    assert schemes == ["light", "dark", "light dark"]


def test_without_scripts_the_scores_are_a_table(browser, file, found):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    text = page.locator("body").inner_text()
    context.close()
    for name in found.names:
        assert name in text
        assert f"{found.score(name, 'u65').value:.4f}" in text


def test_an_own_curve_in_the_address_moves_the_slider(tab, file):
    shown = open_page(tab, file, "#family=free&curve=0.9_0.75")
    assert shown.input_value("#u-half") == "0.9"
    worth = shown.evaluate("wager.page.state.worth")
    assert worth[:2] == [0.9, 0.75]
    assert len(worth) == len(CLASSES) - 1  # points that the address lacks keep their place


def test_long_names_are_readable_and_the_leaderboard_sorts_on_a_phone(tab, tmp_path):
    y, sets = predictions(60)
    start = "a random forest of which the name says every setting, as programs often write them: "
    named = {f"{start}{name}": sets[name] for name in sets}
    found = head_to_head(y, named, classes=CLASSES)
    found.report(tmp_path / "report.html")
    tab.set_viewport_size({"width": 390, "height": 800})
    shown = open_page(tab, tmp_path / "report.html")
    for head in shown.locator("tr[data-classifier] th").all():
        assert head.evaluate("node => node.scrollWidth <= node.clientWidth")
        name = head.evaluate("node => node.closest('tr').dataset.classifier")
        assert head.locator("bdi").inner_text().endswith(name.split(": ")[1])
    button = shown.get_by_role("button", name="Mean size", exact=True)
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    assert min(box["width"], box["height"]) > 20
    button.click()
    sizes = {name: found.tallies[name].score("mean_set_size").value for name in found.names}
    assert names_in_order(shown) == sorted(sizes, key=sizes.get)


def test_tallies_of_different_rows_are_compared_in_pairs(tab, tmp_path):
    y, sets = predictions(300)
    tallies = {name: Tally.of(y, sets[name], classes=CLASSES) for name in ("plain", "timid")}
    page(tallies, tmp_path / "report.html")
    shown = open_page(tab, tmp_path / "report.html")
    there = shown.evaluate(READ_BREAK_EVENS)["plain|timid"]
    even = break_even(tallies["plain"], tallies["timid"], names=("plain", "timid"))
    assert even.value is not None
    assert numbers(there) == pytest.approx([even.value, *even.interval], abs=1e-9)
    assert not shown.locator("#pairs", has_text="on the same rows").count()


def test_the_text_below_the_risk_profile_explains_only_what_is_drawn(tab, file, tmp_path):
    caption = "#figure-risk-profile figcaption"
    words = "Bars below the axis: where two classifiers break even"
    assert words in open_page(tab, file).text_content(caption)
    y = [0, 1, 1, 0] * 20
    path = tmp_path / "report.html"
    head_to_head(y, {"right": y, "wrong": [1] * 80}).report(path)  # no break-even point
    said = open_page(tab, path).text_content(caption)
    assert said.startswith("Each line is one classifier.")
    assert words not in said


# -- costs that list those of sets ---------------------------------------------------------------


@pytest.fixture(scope="module")
def listed_file(tmp_path_factory):
    y, sets = predictions()
    listed = {("ant", "bee"): [1, 1, 3, 8], ("cat", "dog"): [8, 7, 1, 1]}
    costs = EUROS.extend({key: dict(zip(CLASSES, row, strict=True)) for key, row in listed.items()})
    path = tmp_path_factory.mktemp("listed") / "report.html"
    best = {name: sets[name] for name in ("plain", "sharp")}
    head_to_head(y, best, (), costs=costs, classes=CLASSES).report(path)
    return path


def test_the_costs_of_listed_sets_are_shown(tab, listed_file):
    shown = open_page(tab, listed_file)
    shown.evaluate("wager.page.buildAll()")
    rows = shown.locator("#costs tbody tr").all_inner_texts()
    assert [row.split("\t") for row in rows[4:]] == [
        ["{ant, bee}", "1", "1", "3", "8"],
        ["{cat, dog}", "8", "7", "1", "1"],
    ]
    words = shown.locator("#costs").inner_text()
    assert (
        "The costs of sets are those that the table of costs gives. The costs that it leaves out "
        "follow by the rule p-discounted, r = 0.5." in words
    )
    assert (
        "These costs cannot be changed on this page, because the table of costs lists the costs "
        "of sets." in words
    )


def test_a_verdict_by_cost_is_said_once(tab, listed_file):
    shown = open_page(tab, listed_file)
    assert shown.inner_text("#verdict") == "By cost, take sharp: it costs less than plain."
    assert shown.inner_text("#verdict-more") == ""
    choose(shown, "quadratic")
    assert shown.inner_text("#verdict-more") == (
        "With the costs of the report: take sharp: it costs less than plain."
    )


def test_costs_without_r_have_no_curve_and_utilities_have_one(tab, listed_file):
    shown = open_page(tab, listed_file)
    shown.evaluate("wager.page.buildAll()")
    assert "These costs do not depend on r" in shown.locator("#profile").inner_text()
    assert not shown.locator("#figure-risk-profile").is_visible()
    assert "For every r" not in shown.locator("#pairs").inner_text()
    choose(shown, "quadratic")
    shown.wait_for_selector("#figure-risk-profile svg")
    assert "What each classifier earns" in shown.locator("#profile").inner_text()
    assert shown.locator("#figure-risk-profile h3").inner_text() == "Utility by attitude"


def test_the_words_and_the_drawn_intervals_follow_the_criterion(tab, priced_file):
    shown = open_page(tab, priced_file)
    before = "() => document.querySelector('td.drawn svg').closest('td').previousSibling.dataset"
    for family, measure, words, title in (
        ("cost", "cost", "What each classifier costs", "Cost by reward for caution"),
        ("quadratic", "utility", "What each classifier earns", "Utility by attitude"),
    ):
        choose(shown, family)
        shown.wait_for_function(f"(key) => ({before})().measure === key", arg=measure)
        assert shown.locator("td.main").first.get_attribute("data-measure") == measure
        assert words in shown.locator("#profile").inner_text()
        assert shown.locator("#figure-risk-profile h3").inner_text() == title
