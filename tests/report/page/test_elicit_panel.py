"""Questions in the page, answered by keys or clicks: the slider, and the advice of Python."""

import numpy as np
import pytest

from tests.report.page.browsing import downloaded, open_page
from wager.compare import head_to_head
from wager.compare._recommendation import recommend_for
from wager.report.page import page
from wager.rewards import get_utility
from wager.rewards.elicit import Session

pytestmark = pytest.mark.long

CLASSES = ["ant", "bee", "cat", "dog", "eel"]
# the set and the chance of the present question, null after the last one
QUESTION = """() => document.querySelector("[data-answer=set]") && [
  document.querySelector("[data-answer=set] strong").innerText,
  document.querySelector("[data-answer=chance] span").innerText,
]"""


def comparison(n, seed=0):
    """One that names a class, and one that often names two: better for u(0.5) above about 0.65."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 5, n)
    plain = np.where(rng.random(n) < 0.6, y, rng.integers(0, 5, n))
    cautious = np.eye(5, dtype=bool)[plain]
    pair = rng.random(n) < 0.6
    other = np.where(rng.random(n) < 0.55, y, rng.integers(0, 5, n))
    cautious[pair, other[pair]] = True
    labels = np.array(CLASSES)
    return head_to_head(labels[y], {"plain": labels[plain], "cautious": cautious}, classes=CLASSES)


@pytest.fixture(scope="module")
def found():
    return comparison(3000)


@pytest.fixture(scope="module")
def file(found, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    page(found).save(path)
    return path


@pytest.fixture
def shown(tab, file):
    open_page(tab, file)
    yield tab
    assert tab.said == []


def answer_all(tab, worth, by_key=True):
    """Answer every question for a person to whom sets are worth this; the answers."""
    answers = []
    while question := tab.evaluate(QUESTION):
        size = int(question[0].split()[3])
        chance = int(question[1].split()[-1].rstrip("%"))
        word = "set" if 100 * worth(size) > chance else "chance"
        if by_key:
            tab.keyboard.press({"set": "s", "chance": "c"}[word])
        else:
            tab.click(f"[data-answer={word}]")
        answers.append(word)
    return answers


def quadratic(half):
    return lambda size: (2 - 4 * half) / size**2 + (4 * half - 1) / size


def advice_in_python(found, result):
    """The sentence for a user whose u(0.5) lies in the interval of the answers."""
    return recommend_for(found._results, result.half_interval, "elicited:mine")


@pytest.mark.parametrize(
    ("half", "by_key"),
    [(0.53, True), (0.62, True), (0.72, True), (0.95, True), (0.62, False)],
    ids=["0.53", "0.62", "0.72", "0.95", "0.62 by clicks"],
)
def test_answers_set_the_slider_and_give_the_advice_of_python(shown, found, half, by_key):
    shown.click("[data-elicit=start]")
    answers = answer_all(shown, quadratic(half), by_key)
    session = Session(5, [2], answers=tuple(answers))
    result = session.result()
    low, high = result.half_interval
    value = result.brackets[0].value
    assert float(shown.input_value("#u-half")) == pytest.approx(min(max(value, 0.5), 1), abs=5e-4)
    person = shown.evaluate("wager.page.state.person.interval")
    assert person == pytest.approx([max(low, 0.5), min(high, 1)])
    line = advice_in_python(found, result)
    who = next((name for name in found.names if line.endswith(f"): take {name}")), None)
    advice = shown.inner_text("[data-elicit=advice]")
    if who is None:
        assert advice == f"With your answers: {line.split('): ', 1)[1]}."
    else:
        assert advice == f"With your answers: prefer {who}."
    assert advice.split(": ", 1)[1] in shown.inner_text("#verdict-more")
    assert shown.locator("#person").is_visible()


def test_the_advice_is_as_careful_as_the_data(tab, tmp_path):
    few = comparison(40)
    file = tmp_path / "page.html"
    page(few).save(file)
    open_page(tab, file)
    tab.click("[data-elicit=start]")
    answer_all(tab, quadratic(0.62))
    assert "the data do not distinguish" in tab.inner_text("[data-elicit=advice]")


def test_the_file_is_read_by_utility_and_has_the_interval(shown, tmp_path):
    shown.select_option("[data-elicit=scope]", "all")
    shown.click("[data-elicit=start]")
    answers = answer_all(shown, quadratic(0.7))
    expected = Session(5, answers=tuple(answers)).result()
    for kind in ("tabulated", "quadratic", "exponential"):
        shown.select_option("[data-elicit=kind]", kind)
        name, text = downloaded(shown, "[data-elicit=download]")
        assert name == "mine.toml"
        (tmp_path / name).write_text(text, encoding="utf-8")
        found, wanted = get_utility(tmp_path / name), expected.utility(kind, "mine")
        assert type(found) is type(wanted)
        assert found.half_interval == wanted.half_interval
        assert found.of_size([1, 2, 3, 4, 5]).tolist() == pytest.approx(
            wanted.of_size([1, 2, 3, 4, 5]).tolist(), abs=1e-9
        )


def test_the_pictures_show_the_bets_and_the_keyboard_is_enough(shown):
    shown.focus("[data-elicit=start]")
    shown.keyboard.press("Enter")
    pictures = shown.locator("#elicit svg[role=img]")
    labels = [pictures.nth(i).get_attribute("aria-label") for i in range(pictures.count())]
    chance = int(shown.locator("[data-answer=chance] span").inner_text().split()[-1].rstrip("%"))
    assert labels == [
        "2 classes, of which one is certainly right",
        f"In {chance} of 100 cases the right class, in {100 - chance} a wrong one",
    ]
    filled = shown.locator('[data-answer=chance] circle[fill="var(--good)"]').count()
    assert filled == chance
    assert shown.evaluate("document.activeElement.dataset.answer") == "set"
    shown.keyboard.press("Enter")  # the focus stays on the answer
    assert shown.evaluate("document.activeElement.dataset.answer") == "set"
    shown.keyboard.press("=")
    assert "Question 3" in shown.inner_text("#elicit")
    shown.click("[data-elicit=back]")
    assert "Question 2" in shown.inner_text("#elicit")
    shown.click("[data-elicit=stop]")
    assert shown.locator("[data-elicit=start]").is_visible()


def test_contradictions_are_said(shown):
    shown.click("[data-elicit=start]")
    words = []
    while shown.locator("[data-answer=set]").count():
        again = "once more" in shown.inner_text("#elicit .asked")
        chance = int(
            shown.locator("[data-answer=chance] span").inner_text().split()[-1].rstrip("%")
        )
        word = "set" if (chance < 65) != again else "chance"
        shown.keyboard.press(word[0])
        words.append(word)
    expected = Session(5, [2], answers=tuple(words)).result().contradictions
    assert expected
    shown_words = shown.locator("#elicit .warning").all_inner_texts()
    assert shown_words == [f"Contradiction: {text}" for text in expected]
