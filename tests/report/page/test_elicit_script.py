"""The questions, intervals and files of the page are those of `wager.rewards.elicit`."""

import random

import pytest

from wager.report.page._script import script
from wager.rewards import get_utility
from wager.rewards.elicit import Session

SCRIPTS = (
    "numbers.js",
    "statistics.js",
    "utilities.js",
    "verdict.js",
    "elicit.js",
    "elicit_curves.js",
)
KINDS = ("tabulated", "quadratic", "exponential")
_ASK = """([settings, answers, kinds]) => {
    let session = wager.elicit.session(settings);
    const asked = [];
    for (const word of answers) {
        const { size, chance, again, text } = session.question;
        asked.push([size, chance, again, text]);
        session = session.answer(word);
    }
    if (session.question !== null) return { asked, next: session.question };
    const result = session.result();
    const file = (kind) => wager.elicitCurves.toml(result, { kind, label: "mine" });
    return { asked, result, files: kinds.map(file) };
}"""


@pytest.fixture(scope="module")
def asking(browser):
    context = browser.new_context()
    page = context.new_page()
    page.add_script_tag(content=script(SCRIPTS))
    yield lambda settings, answers: page.evaluate(_ASK, [settings, list(answers), KINDS])
    context.close()


def person(rng):
    """Answers of somebody with a quadratic utility and some noise, or at random."""
    half, noise = rng.uniform(0.4, 0.98), rng.choice([0, 0.02, 0.05, 0.15])
    is_random = rng.random() < 0.1

    def answer(question):
        if is_random:
            return rng.choice(["set", "chance", "same"])
        worth = (2 - 4 * half) / question.size**2 + (4 * half - 1) / question.size
        gap = worth + rng.gauss(0, noise) - question.chance
        return "same" if abs(gap) < 0.01 else "set" if gap > 0 else "chance"

    return answer


@pytest.mark.parametrize("seed", range(30))
def test_the_page_asks_and_concludes_as_python_does(asking, tmp_path, seed):
    rng = random.Random(seed)
    n_classes = rng.choice([2, 2, 3, 4, 5, 8, 12])
    sizes = [2] if rng.random() < 0.3 else None
    options = {
        "resolution": rng.choice([0.03, 0.05, 0.1]),
        "check": rng.random() < 0.8,
        "level": rng.choice([0.9, 0.95]),
    }
    session, answer, asked = Session(n_classes, sizes, **options), person(rng), []
    while (question := session.question) is not None:
        asked.append([question.size, question.chance, question.again, str(question)])
        session = session.answer(answer(question))
    expected = session.result()
    settings = {"nClasses": n_classes, **options}
    found = asking(settings | ({"sizes": sizes} if sizes else {}), session.answers)
    assert found["asked"] == asked
    result = found["result"]
    assert [[b["size"], b["low"], b["high"], b["value"]] for b in result["brackets"]] == [
        [b.size, b.low, b.high, b.value] for b in expected.brackets
    ]
    assert result["halfInterval"] == list(expected.half_interval)
    assert result["contradictions"] == list(expected.contradictions)
    assert result["isConcave"] == expected.is_concave
    assert result["nQuestions"] == expected.n_questions
    assert result["values"] == pytest.approx(list(expected.utility().values), abs=1e-12)
    for kind, text in zip(KINDS, found["files"], strict=True):
        assert_same_file(tmp_path, kind, text, expected)


def assert_same_file(folder, kind, text, expected):
    """The same notes, and a utility with the same values."""
    ours, theirs = folder / "ours" / "mine.toml", folder / "theirs" / "mine.toml"
    for path in (ours, theirs):
        path.parent.mkdir(exist_ok=True)
    ours.write_text(text, encoding="utf-8")
    expected.write(theirs, kind)
    notes = [line for line in text.splitlines() if line.startswith("#")]
    written = theirs.read_text(encoding="utf-8")
    assert notes == [line for line in written.splitlines() if line.startswith("#")]
    one, other = get_utility(ours), get_utility(theirs)
    assert (type(one), one.half_interval) == (type(other), other.half_interval)
    assert one.name.split(":")[0].rstrip(".0123456789") == other.name.split(":")[0].rstrip(
        ".0123456789"
    )
    sizes = range(1, expected.n_classes + 1)
    assert one.of_size(list(sizes)).tolist() == pytest.approx(
        other.of_size(list(sizes)).tolist(), abs=1e-9
    )


def test_a_session_does_not_change_and_can_be_continued_from_any_answer(asking):
    first = asking({"nClasses": 3}, ["set"])
    again = asking({"nClasses": 3}, ["set", "chance"])
    assert again["asked"][0] == first["asked"][0]
    assert again["asked"][1][:2] == [first["next"]["size"], first["next"]["chance"]]
