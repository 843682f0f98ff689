"""``wager explain``: every number that ``wager score`` prints can be looked up."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from wager.cli import app
from wager.predictions import ProbabilityIntervals, write_predictions
from wager.report import explain
from wager.rewards import get_utility


@pytest.mark.parametrize("form", ["sets", "proba", "intervals", "memberships"])
def test_every_number_that_is_printed_is_explained(form, tmp_path):
    rng = np.random.default_rng(1)
    proba = rng.dirichlet(np.ones(3), 40)
    proba[0] = [1, 0, 0]
    y = np.array(list("bac"))[rng.integers(0, 3, 40)]  # row 0 may be certain and wrong
    y[0] = "b"
    said = {
        "sets": proba > 0.3,
        "proba": proba,
        "intervals": ProbabilityIntervals.from_contamination(proba, 0.1, ["a", "b", "c"]),
        "memberships": proba,
    }[form]
    path = tmp_path / "predictions.parquet"
    write_predictions(path, y, classes=["a", "b", "c"], **{form: said})
    result = CliRunner().invoke(app, ["score", str(path), "--format", "json", "--by-class"])
    assert result.exit_code == 0, result.stderr
    measures = {entry["measure"] for entry in json.loads(result.stdout)[0]["scores"]}
    assert len(measures) > 10
    for measure in measures:
        assert explain(measure).meaning


@pytest.mark.parametrize(
    ("topic", "page"),
    [
        ("robustness", "docs/guide/robustness.md"),
        ("explain_set", "docs/guide/robustness.md"),
        ("TunedCaution", "docs/guide/tuning-caution.md"),
    ],
)
def test_questions_about_one_prediction_have_a_topic_and_a_page(topic, page):
    said = CliRunner().invoke(app, ["explain", topic])
    assert said.exit_code == 0, said.stderr
    assert page in said.stdout


def test_formulas_keep_their_brackets():
    formula = explain("brier").formula
    assert "[" in formula
    said = CliRunner().invoke(app, ["explain", "brier"], env={"COLUMNS": "200"})
    assert formula in said.stdout


@pytest.mark.parametrize(
    ("name", "formula", "curve"),
    [
        ("u65", "u(x) = 1.6 x - 0.6 x^2", lambda x: 1.6 * x - 0.6 * x**2),
        ("0.9", "u(x) = 2.6 x - 1.6 x^2", lambda x: 2.6 * x - 1.6 * x**2),
        ("f1", "u(x) = 2 x / (x + 1)", lambda x: 2 * x / (x + 1)),
        ("f2", "u(x) = 5 x / (4 x + 1)", lambda x: 5 * x / (4 * x + 1)),
        ("log", "u(x) = log(1 + x)", np.log1p),
        ("log-norm", "u(x) = log2(1 + x)", lambda x: np.log2(1 + x)),
        ("exp:3", "u(x) = 1 - exp(-3 x)", lambda x: 1 - np.exp(-3 * x)),
        ("exp", "u(x) = 1 - exp(-2 x)", lambda x: 1 - np.exp(-2 * x)),
        ("power:0.25", "u(x) = x^0.25", lambda x: x**0.25),
    ],
)
def test_a_utility_has_its_own_formula(name, formula, curve):
    found = explain(name)
    assert formula in found.formula
    assert curve(1 / 3) == pytest.approx(float(get_utility(found.name)(1 / 3)))


def test_a_utility_in_a_file_is_explained_by_its_values(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('kind = "tabulated"\nvalues = [1.0, 0.7, 0.4]\n')
    found = explain(str(file))
    assert found.name == "mine"
    assert "1 for 1, 0.7 for 2, 0.4 for 3" in found.formula


@pytest.mark.parametrize(
    "name",
    ["break_even", "dominance", "risk_profile", "recommended", "coverage_gap", "average_cost",
     "rank", "wins", "standard error", "corrected_t", "Break-even", "prior"],
)  # fmt: skip
def test_what_commands_print_is_explained(name):
    said = CliRunner().invoke(app, ["explain", name])
    assert said.exit_code == 0, said.stderr
    assert said.stdout.splitlines()[0].split()[1] == name.lower().replace(" ", "_").replace(
        "-", "_"
    )
    assert "formula" in said.stdout


# keys of JSON that name no quantity: where a number belongs, and words about it
PLACES = {
    "file", "words", "clusters", "warnings", "scores", "family", "group", "class", "of_class",
    "measure", "value", "classes", "pairs", "first", "second", "verdict", "utility", "utilities",
    "winner", "name", "decided", "classifiers", "datasets", "data set", "learner", "baseline",
    "splits", "overall", "by_group", "by_class", "kind", "rule", "title", "text", "basis", "truths",
    "limits", "checked", "paper", "shows", *map(str, range(1, 11)),
}  # fmt: skip


NAMES = {"one", "two", "all", "a", "b", "proba", "other"}  # of files, learners and classes


def _keys(data):
    if isinstance(data, dict):
        return set(data).union(*map(_keys, data.values()))
    return set().union(*map(_keys, data)) if isinstance(data, list) else set()


def test_every_key_of_json_is_a_place_or_explained(store, tmp_path):
    for name, labels in (("one", "aabba"), ("two", "ababa")):
        lines = "".join(f"{y},{label}\n" for y, label in zip("abbba", labels, strict=True))
        (tmp_path / f"{name}.csv").write_text(f"y_true,y_pred\n{lines}")
    files = [str(tmp_path / "one.csv"), str(tmp_path / "two.csv")]
    costs = tmp_path / "costs.csv"
    costs.write_text("predicted,a,b\na,0,2\nb,1,0\n")
    for name, shift in (("proba", 0.0), ("other", 0.1)):
        lines = "".join(f"{y},{0.6 - shift},{0.4 + shift}\n" for y in "abbba")
        (tmp_path / f"{name}.csv").write_text(f"y_true,p:a,p:b\n{lines}")
        (tmp_path / f"m-{name}.csv").write_text(f"y_true,m:a,m:b\n{lines}")
    proba = [str(tmp_path / "proba.csv"), str(tmp_path / "other.csv")]
    commands = [
        ["score", files[0], "--costs", str(costs)],
        ["score", proba[0], "--by-class"],
        ["score", str(tmp_path / "m-proba.csv")],
        ["compare", *files, "--costs", str(costs)],
        ["compare", *files, "--plan", "--margin", "0.1"],
        ["compare", *proba],
        ["costs", "audit", str(costs)],
        ["study", "list"],
        ["score", files[0], "--by-class"],
        ["compare", *files],
        ["compare", str(store.path)],
        ["results", str(store.path)],
        ["results", str(store.path), "--pivot"],
    ]
    for command in commands:
        said = CliRunner().invoke(app, [*command, "--format", "json"])
        assert said.exit_code == 0, said.stderr
        keys = (
            _keys(json.loads(said.stdout))
            - PLACES
            - {"one", "two", "all", "a", "b", "proba", "other"}
        )
        assert keys
        for key in keys:
            assert explain(key).meaning, key
