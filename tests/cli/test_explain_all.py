"""``wager explain`` knows every word that an output mentions; the words are collected here."""

import ast
import inspect
import json
from collections import Counter
from typing import get_args

import numpy as np
import pytest
from typer.testing import CliRunner

import wager.compare
import wager.plots
from tests.shared import PROJECT
from wager.cli import app
from wager.cli.costs import RuleOption
from wager.costs import PROPERTIES
from wager.credal import DecisionRule
from wager.learners import learner_names
from wager.predictions.files._column_names import ROLES
from wager.report import GROUPS, MEASURES, explain, search_topics, topics
from wager.report._topic import PAGES, squeezed

EVERY = topics()
A = np.array([0.82, 0.91, 0.77, 0.85, 0.93, 0.71, 0.88, 0.79, 0.9, 0.86])
B = A - np.array([0.02, 0.05, -0.01, 0.03, 0.04, 0.02, 0.01, 0.06, -0.02, 0.03])


def outcomes():
    """Results of tests, whose names are printed."""
    from wager.compare import (
        bayesian_correlated_t,
        bayesian_signed_rank,
        corrected_t,
        five_by_two_cv,
        friedman,
        mcnemar,
        paired_t,
        sign_test,
        wilcoxon,
    )

    yield from (paired_t(A, B), wilcoxon(A, B), sign_test(A, B))
    yield corrected_t(A, B, n_train=9, n_test=1)
    yield bayesian_correlated_t(A, B, rho=0.1)
    yield bayesian_signed_rank(A, B)
    yield five_by_two_cv(A.reshape(5, 2), B.reshape(5, 2))
    yield mcnemar([True, True, False, True], [False, True, False, True])
    yield friedman(np.column_stack([A, B, B - 0.1]))


def axis_labels():
    """The texts that plots write at their axes, as far as they are constant."""
    for path in sorted((PROJECT / "src" / "wager" / "plots").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", "")
            given = [k.value for k in node.keywords if k.arg in ("xlabel", "ylabel")]
            given += node.args if name in ("set_xlabel", "set_ylabel") else []
            for text in given:
                if isinstance(text, ast.Constant):
                    yield text.value


WORDS = {
    "measures": [word for m in MEASURES.values() for word in (m.name, m.title, *m.aliases)],
    "functions that compare": [name for name in wager.compare.__all__ if name.islower()],
    "tests that are printed": [outcome.test for outcome in outcomes()],
    "learners": [word for names in learner_names().items() for word in names],
    "learners in the tables of studies": [
        "NBC", "NCC", "LNCC", "CMA", "CDT", "NDC", "J48", "CaMML", "AODE", "TAN", "LAC", "APS",
        "REJ",
    ],
    "decision rules": get_args(DecisionRule),
    "rules for costs of sets": get_args(get_args(RuleOption.__args__[0])[0]),
    "properties of costs": [w for p in PROPERTIES for w in (p.name, f"property {p.number}")],
    "columns": [*(set(ROLES) - {"p_"}), "p:cat", "lower:cat", "class_2", "p_2"],
    "verdicts": [
        "no significant difference", "significant", "the data do not distinguish", "recommended",
        "recommendation", "break-even", "dominance", "equivalent", "undecided", "identical",
        "holds", "does not hold", "open", "fails", "filtering", "choice", "necessary",
        "undesirable", "win/tie/loss", "star",
    ],
    "measures of plans": ["true:u65", "certainty_equivalent:u65", "cost:0.5", "fit_seconds",
                          "predict_seconds", "prepare_seconds", "kl_divergence", "average_cost"],
    "utilities": ["u50", "u65", "u80", "f1", "f2", "log", "log-norm", "exp:2", "exp-norm:2",
                  "power:0.5", "0.7", "u(0.5)", "utility", "expected utility"],
}  # fmt: skip


@pytest.mark.parametrize("kind", WORDS)
def test_every_word_is_explained(kind):
    assert WORDS[kind]
    for word in WORDS[kind]:
        assert explain(word).meaning, word


@pytest.mark.parametrize("label", sorted(set(axis_labels())))
def test_every_axis_of_a_plot_mentions_a_topic(label):
    words = label.replace(",", " ").split()
    known = {squeezed(word) for topic in EVERY for word in topic.words}
    parts = {
        squeezed(" ".join(words[i:j]))
        for i in range(len(words))
        for j in range(i + 1, len(words) + 1)
    }
    assert parts & known


@pytest.mark.parametrize("topic", EVERY, ids=lambda topic: f"{topic.group}-{topic.name}")
def test_every_topic_says_what_how_when_and_where(topic):
    for text in (topic.meaning, topic.formula, topic.use, topic.source):
        assert text.strip()
        assert "  " not in text.strip()
    assert topic.meaning.endswith(".")
    assert explain(topic.name) == topic
    for alias in topic.aliases:
        assert explain(alias).meaning


def test_no_two_topics_have_the_same_name():
    names = Counter(squeezed(topic.name) for topic in EVERY)
    assert [name for name, number in names.items() if number > 1] == []


def test_no_word_leads_to_two_topics():
    """A measure may share a word with another topic: the measure is explained then."""
    words = Counter(
        word
        for topic in EVERY
        if topic.name not in MEASURES
        for word in {squeezed(word) for word in topic.words}
    )
    assert [word for word, number in words.items() if number > 1] == []


@pytest.mark.parametrize("page", sorted({topic.page for topic in EVERY}))
def test_the_pages_of_topics_exist(page):
    assert (PROJECT / "docs" / page).is_file()


def test_the_topics_with_a_page_of_their_own_exist():
    assert {name for names in PAGES.values() for name in names} <= {t.name for t in EVERY}


@pytest.mark.parametrize("name", ["Break-even", "break_even", "BREAK EVEN", "breakeven"])
def test_the_spelling_is_free(name):
    assert explain(name).name == "break_even"


@pytest.mark.parametrize(
    ("wrong", "right"), [("friedmann", "friedman"), ("naiv credal", "naive-credal"),
                         ("maximalty", "maximality"), ("covrage", "coverage")]
)  # fmt: skip
def test_a_misspelt_name_gets_a_suggestion(wrong, right):
    said = CliRunner().invoke(app, ["explain", wrong])
    assert said.exit_code == 2
    assert said.stderr.startswith(f"wager: there is no topic '{wrong}': did you mean {right}")


def test_the_list_is_compact_and_complete():
    said = CliRunner().invoke(app, ["explain"]).stdout
    assert max(map(len, said.splitlines())) <= 80
    assert len(said.splitlines()) < 90
    listed = {squeezed(word) for word in said.replace("\n", " ").replace(",", " , ").split(",")}
    for title, _ in GROUPS.values():
        assert f"{title}\n" in said
    for topic in EVERY:
        assert any(squeezed(topic.name) in text for text in listed)


def test_the_list_as_data_has_group_and_meaning():
    said = json.loads(CliRunner().invoke(app, ["explain", "-f", "json"]).stdout)
    assert {entry["topic"] for entry in said} == {topic.name for topic in EVERY}
    assert all(entry["group"] and entry["meaning"] for entry in said)


def test_a_search_finds_names_first_and_then_texts():
    found = search_topics("coverage")
    assert found[0].name == "coverage"
    assert "conformal" in {topic.name for topic in found}
    said = CliRunner().invoke(app, ["explain", "--search", "Coverage"])
    assert said.exit_code == 0
    assert "class_coverage" in said.stdout


def test_a_search_without_result_is_one_sentence():
    said = CliRunner().invoke(app, ["explain", "--search", "beauty"])
    assert (said.exit_code, said.stderr) == (
        2,
        "wager: no topic mentions 'beauty': `wager explain` lists all topics\n",
    )
    both = CliRunner().invoke(app, ["explain", "u65", "--search", "u80"])
    assert (both.exit_code, both.stderr) == (
        2,
        "wager: name a topic, or look for a word with --search, not both\n",
    )


def test_texts_of_learners_are_those_of_their_docstrings():
    from wager.learners import NaiveCredal

    found = explain("NCC")
    assert inspect.getdoc(NaiveCredal).startswith(found.meaning)
    assert found.use.startswith("Use it where rows are few")
