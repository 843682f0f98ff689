"""Every public result reads well in a terminal and in a notebook."""

from __future__ import annotations

import inspect
import pickle
import re
import sys
import typing
from copy import copy, deepcopy
from html.parser import HTMLParser
from importlib import import_module

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from tests.result_forms.examples import PLAIN, examples
from wager import compare, costs, metrics, rewards

PACKAGES = (
    *("rewards", "rewards.elicit", "metrics", "costs", "credal", "partitions", "compare"),
    *("experiments", "prepare", "predictions", "report"),
)
NOT_SHOWN = {  # public classes that are not results
    "Answer": "abstract",
    "ExtensionRule": "abstract; a part of ExtendedCosts, which shows its name",
    "Utility": "abstract",
    "ContradictoryAnswersError": "an error",
    "StoreError": "an error",
    "SimplexPage": "a page of its own, in plots",
}
INTERNAL = {  # what methods return that other parts of the library use
    "CellSums", "CheckedRows", "ClusterMoments", "ClusterTotals", "ClusterTable", "DataSource",
    "Keep", "LearnerSpec", "Limits", "Memberships", "OutcomeRows", "Preparation", "RewardSums",
    "SetMetric", "SizeMetric", "SourceSize", "SparseRows", "Task", "Term", "TopKBlock", "Unit",
    "Form", "FileSession", "Kind", "ClassCosts", "Influence", "KnownUnits",
}  # fmt: skip
HOSTILE = ('<script>alert("a")</script>', "b & <i>b</i>", "c' onclick='x")
WIDTH = 88
SIGNIFICANT = 6
DECIMAL = re.compile(r"(?<![\w.])\d+\.(\d+)(?:e[-+]?\d+)?(?![\w.])")


class Reader(HTMLParser):
    """Reads HTML: the text of its cells and paragraphs, and tags that are not closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.texts = [], set(), []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        assert not {name for name, _ in attributes} - {"class", "scope", "style"}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def public_types():
    """The classes that public functions and their results return, by package and name."""
    found, todo = {}, []

    def note(kind, package):
        for part in (kind, typing.get_origin(kind), *typing.get_args(kind)):
            if typing.get_args(part) and part is not kind:
                note(part, package)
            known = part in found or not inspect.isclass(part) or issubclass(part, BaseEstimator)
            if not known and part.__module__.startswith("wager."):
                found[part] = package
                todo.append((part, package))

    for package in PACKAGES:
        module = import_module(f"wager.{package}")
        names = getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
        for thing in (getattr(module, name) for name in names):
            if inspect.isclass(thing):
                note(thing, package)
            elif inspect.isfunction(thing):
                note(_returned(thing), package)
    while todo:
        kind, package = todo.pop()
        for name in (n for n in dir(kind) if n[0] != "_"):
            member = inspect.getattr_static(kind, name)
            function = next(
                (f for a in ("__func__", "fget", "func") if (f := getattr(member, a, None))), member
            )
            if inspect.isfunction(function) and function.__module__.startswith("wager."):
                note(_returned(function), package)
    return found


def _returned(function):
    try:
        hints = typing.get_type_hints(function, vars(sys.modules[function.__module__]))
    except NameError:  # imported for type checkers only
        return None
    return hints.get("return")


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return examples(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return examples(tmp_path_factory.mktemp("hostile"), HOSTILE)


def test_every_public_result_type_has_an_example(shown):
    kinds = {type(value) for value in shown.values()}
    missing = {
        f"{package}.{kind.__name__}"
        for kind, package in public_types().items()
        if kind not in kinds and kind.__name__ not in NOT_SHOWN | dict.fromkeys(INTERNAL, "")
    }
    assert not missing, "add them to examples.py, with a form for terminals and notebooks"


NOT_COPIED = {"predictions.PredictionFile", "report.GroupScores"}  # they read a file again


def test_results_are_the_same_after_pickling_and_copying(shown):
    for name in shown.keys() - NOT_COPIED:
        result = shown[name]
        text = repr(result)  # which may keep what it has computed
        for copied in (pickle.loads(pickle.dumps(result)), deepcopy(result), copy(result)):
            assert type(copied) is type(result)
            assert " at 0x" in text or repr(copied) == text, name


def test_copies_stay_read_only(shown):
    found = deepcopy(shown["compare.Outcome"])
    assert found == shown["compare.Outcome"]
    with pytest.raises(TypeError, match="does not support item assignment"):
        found.details["p"] = 0.0


def test_public_types_are_found():
    names = {kind.__name__ for kind in public_types()}
    assert names >= {
        "BreakEven",
        "Difference",
        "PropertyReport",
        "SetConfusion",
        "Anova",
        "Moments",
    }


def test_every_result_is_well_formed_html_without_colours(shown):
    for name, value in shown.items():
        reader = Reader(value._repr_html_())
        assert not reader.open, name
        assert reader.tags <= ALLOWED, name
        assert not re.search("color|background|font-size", value._repr_html_()), name


ALLOWED = {
    *("div", "p", "strong", "small", "br", "table", "thead", "tbody", "tr", "th", "td"),
}


def test_no_number_has_more_than_six_significant_digits(shown):
    for name, value in shown.items():
        html = " ".join(Reader(value._repr_html_()).texts)
        for text in (repr(value), str(value), html):
            long = [n[0] for n in DECIMAL.finditer(text) if _significant(n[0]) > SIGNIFICANT]
            assert not long, f"{name}: {long}"


def _significant(number):
    return len(number.partition("e")[0].replace(".", "").lstrip("0"))


def test_no_line_is_wider_than_a_terminal(shown):
    for name, value in shown.items():
        wide = [line for line in repr(value).splitlines() if len(line) > WIDTH]
        assert not wide or str(getattr(value, "path", "-")) in repr(value), f"{name}: {wide}"


def test_hostile_names_are_text_in_html(hostile):
    for name, value in hostile.items():
        reader = Reader(value._repr_html_())  # refuses attributes such as onclick
        assert reader.tags <= ALLOWED, name
        assert not reader.open, name


def test_hostile_names_appear_as_they_are(hostile):
    for name in ("compare.HeadToHead", "costs.CostMatrix", "rewards.SetConfusion"):
        text = " ".join(Reader(hostile[name]._repr_html_()).texts)
        assert HOSTILE[0] in text, name


def test_verdicts_come_first_in_notebooks_and_last_in_terminals(shown):
    for name, words in {
        "compare.BreakEven": shown["compare.BreakEven"].verdict,
        "compare.Outcome": shown["compare.Outcome"].verdict,
        "rewards.SetEvaluation": shown["rewards.SetEvaluation"].sentence(),
        "compare.SamplePlan": shown["compare.SamplePlan"].verdict,
    }.items():
        html = shown[name]._repr_html_()
        assert html.index(words[:30]) < html.index("<table"), name
        assert " ".join(repr(shown[name]).split()).endswith(words), name


def test_attributes_keep_full_precision(shown):
    even, gap = shown["compare.BreakEven"], shown["rewards.Difference"]
    value, interval, verdict = even
    assert (value, interval, verdict) == (even.value, even.interval, even.verdict)
    assert len(repr(even.value)) > 10
    assert len(repr(gap.mean)) > 10
    assert repr(gap) == f"Difference(mean={gap.mean:.4f}, variance={gap.variance:.4f}, n=120)"


def test_a_difference_shows_its_interval_in_notebooks(shown):
    gap = shown["rewards.Difference"]
    low, high = gap.interval()
    assert f"{low:.4f} to {high:.4f}" in gap._repr_html_()


def test_a_bayesian_test_shows_probabilities_instead_of_a_p_value():
    rng = np.random.default_rng(0)
    found = compare.bayesian_correlated_t(rng.normal(1, 0.1, 20), rho=0.1)
    rows = dict(re.split(r"\s{2,}", line) for line in repr(found).splitlines()[2:7])
    assert rows["P(first better)"] == "1.0000"
    assert "p" not in rows


def test_a_tiny_p_value_is_a_bound():
    rng = np.random.default_rng(0)
    found = compare.paired_t(rng.normal(9, 0.1, 20), rng.normal(0, 0.1, 20))
    assert re.search(r"^p +<0\.0001$", repr(found), re.MULTILINE)


def test_an_audit_folds_its_proofs():
    matrix = costs.CostMatrix.ordinal([f"stage {i} of the disease" for i in range(4)])
    lines = repr(costs.audit(matrix.extend("p-discounted", r=0.5))).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert sum(bool(re.match(r" ?\d+  \w", line)) for line in lines) == 10


def test_a_confusion_table_of_ten_classes_is_split_by_columns_and_leaves_out_unused_sizes():
    codes, digits = np.arange(10).repeat(3), np.array([f"digit {i}" for i in range(10)])
    sets = np.eye(10, dtype=bool)[codes]
    sets[::4, :2] = True
    found = metrics.set_confusion(digits[codes], sets, classes=digits)
    lines = repr(found).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert sum(line.startswith("true class") for line in lines) == 2
    assert "2 classes" in repr(found)
    assert "9 classes" not in repr(found)
    assert "9 classes" in found.columns


def test_names_of_classes_do_not_change_what_is_shown(shown, tmp_path):
    assert set(shown) == set(examples(tmp_path, PLAIN))


def test_a_registered_measure_describes_itself():
    text = repr(rewards.MEASURES["coverage_gap"])
    assert text.startswith("coverage gap")
    assert "smaller is better" in text
