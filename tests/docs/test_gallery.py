"""The gallery: every plot is in it, scripts run, figures can be read, and texts are true."""

from __future__ import annotations

import ast
import re
import runpy
import tomllib

import numpy as np
import pytest
from matplotlib import pyplot as plt

from tests.docs.pages import DOCS, PROJECT
from tests.examples import examples, extra_of
from tests.plots.legible import faults
from wager import plots
from wager.costs import decision_intervals
from wager.rewards import inversion_point, random_vs_vacuous

GALLERY = DOCS / "gallery"
SCRIPTS = sorted(GALLERY.rglob("*.py"))
FOLDERS = sorted({script.parent for script in SCRIPTS})


def script_name(script):
    return script.relative_to(GALLERY).with_suffix("").as_posix()


def called(script):
    """The names of the functions that a script calls."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {f.id if isinstance(f, ast.Name) else getattr(f, "attr", "") for f in functions}


def prose(script):
    """The text of a script: its docstring and the comments between the blocks, on one line."""
    source = script.read_text(encoding="utf-8")
    between = "\n".join(re.findall(r"^# ?(?!%%)(.*)$", source, re.MULTILINE))
    return " ".join(f"{ast.get_docstring(ast.parse(source))}\n{between}".split())


# ---- what each text says about its figures, as a function of the variables of the script ----

CLAIMS = {
    "compare/plot_risk_profile": {
        "Naive Bayes always names one class, so its line is flat": lambda v: (
            np.ptp(v["profile"].expected[1]) == pytest.approx(0)
        ),
        "it is ahead to the right of the crossing": lambda v: (
            v["profile"].expected[0, -1] > v["profile"].expected[1, -1]
        ),
        "and significantly so only to the right of the bar": lambda v: v["even"].interval[1] < 1,
        "The figure here is made by hand, without bands": lambda v: not v["ax"].collections,
    },
    "compare/plot_confidence_sequence": {
        "When it excludes 0, the comparison is decided": lambda v: (
            v["race"].decided_at is not None and v["race"].low[-1] > 0
        ),
        "It starts wide and narrows": lambda v: np.all(
            np.diff(v["race"].high - v["race"].low) <= 1e-12
        ),
        "its band is wider in exchange": lambda v: (
            _mixture(v).high[-1] - _mixture(v).low[-1] > v["race"].high[-1] - v["race"].low[-1]
        ),
    },
    "compare/plot_scatter": {
        "all pairs of handwritten digits": lambda v: len(v["scores"]) == 45,
        "On most pairs naive Bayes is better under u80": lambda v: (
            np.mean(v["bayes"] > v["credal"]) > 0.5
        ),
        "its scores differ more from pair to pair": lambda v: v["bayes"].std() > v["credal"].std(),
        "is ahead on pairs that are hard for naive Bayes": lambda v: (
            v["bayes"][v["credal"] > v["bayes"]].max() < np.median(v["bayes"])
        ),
    },
    "compare/plot_critical_difference": {
        "eight small data sets with different rows": lambda v: len(v["data"]) == 8,
        "joins only pairs that were compared and do not differ significantly": lambda v: (
            not v["against"].significant.all()
        ),
    },
    "compare/plot_nemenyi_segments": {
        "one naive Bayes classifier is made cautious in four ways": lambda v: (
            len(v["learners"]) == 5
        ),
    },
    "costs/plot_costs": {
        'To predict "low" when it is "high" is twice as bad as to predict "medium"': lambda v: (
            v["costs"].costs[0, 2] == 2 * v["costs"].costs[1, 2]
        ),
        "it is often a set of two neighbours": lambda v: (
            v["counts"][[s in ("high|medium", "low|medium") for s in v["names"]]].sum()
            > v["counts"].sum() / 2
        ),
        'and never "low or high"': lambda v: "high|low" not in v["names"],
    },
    "costs/plot_decision": {
        "A missed malignant tumour is the most expensive error here": lambda v: (
            v["costs"].costs.max() == v["costs"].costs[0, 1]
        ),
        "Most tumours are outside the two thresholds": lambda v: (
            np.mean((v["reported"] > _between(v)[0]) & (v["reported"] < _between(v)[1])) < 0.5
        ),
    },
    "credal/plot_credal": {
        "This is a wine that it cannot decide": lambda v: (
            v["few"].predict_set(v["X_test"])[v["row"]].sum() > 1
        ),
        "With more training rows the credal set shrinks": lambda v: np.all(
            _widths(v["model"], v) < _widths(v["few"], v)
        ),
        "After 100 rows Barbera is ruled out": lambda v: (
            len(v["y"]) == 100
            and not v["model"].predict_set(v["X_test"])[v["row"]][_code(v, "Barbera")]
        ),
    },
    "credal/plot_tree": {
        "predicts all classes that these do not rule out": lambda v: (
            "versicolor|virginica" in v["credal"].to_text()
        ),
    },
    "credal/plot_network": {
        "adds at most one further parent to each feature": lambda v: len(v["tan"].parents_) == 6,
        "it may depend on a feature": lambda v: any(b == "class" for _, b in v["found"].edges_),
    },
    "partitions/plot_standardization": {
        "their mean comes close to the observed rate of correct assignments": lambda v: all(
            abs(_means(v["partition"].scaled, v)[code] - rate)
            < abs(_means(v["partition"].memberships, v)[code] - rate)
            for code, rate in enumerate(_rates(v))
        ),
    },
    "probabilities/plot_reliability": {
        "Here it sees eight pixels": lambda v: v["X"].shape[1] == 8,
        "Naive Bayes is the classical example of overconfidence": lambda v: (
            _promise(v["raw"]) > _kept(v["raw"])
        ),
        "Isotonic regression moves the points towards the diagonal": lambda v: (
            _error(v["after"]) < _error(v["raw"])
        ),
    },
    "probabilities/plot_reward_curves": {
        "the second one those of breast tumours": lambda v: len(v["prior"]) == 2,
    },
    "utilities/plot_random_vs_vacuous": {
        "two classes, wines have three, handwritten digits have ten": lambda v: (
            v["numbers"] == [2, 3, 10]
        ),
        "the largest lead at as many bets as there are classes": lambda v: all(
            random_vs_vacuous(1, n, "log").turning_point == pytest.approx(n) for n in v["numbers"]
        ),
        "in truth it comes later for three or more classes": lambda v: all(
            inversion_point(n, "log") > n for n in v["numbers"][1:]
        ),
    },
    "utilities/plot_utilities": {
        "A credal tree learns from 20 wines": lambda v: len(v["y"]) == 20,
        "and sometimes names several of the three kinds": lambda v: (
            v["sets"].sum(axis=1) > 1
        ).any(),
    },
}


def _mixture(v):
    return v["wager"].sequential(v["y_test"], v["near"], v["bayes"], method="mixture")


def _between(v):
    both = next(part for part in decision_intervals(v["extended"]) if len(part.set) == 2)
    return both.start, both.stop


def _widths(model, v):
    one = model.predict_credal(v["X_test"])[v["row"]]
    return one.upper - one.lower


def _code(v, name):
    return v["few"].classes_.tolist().index(name)


def _means(memberships, v):
    """The mean membership in the assigned class, by assigned class."""
    assigned = v["partition"].assigned
    return [memberships[assigned == code, code].mean() for code in range(3)]


def _rates(v):
    assigned, truth = v["partition"].assigned, v["partition"].truth
    return [(truth[assigned == code] == code).mean() for code in range(3)]


def _promise(evaluation):
    bins = evaluation.reliability_top_label
    return np.average(bins.reported[bins.weight > 0], weights=bins.weight[bins.weight > 0])


def _kept(evaluation):
    bins = evaluation.reliability_top_label
    return np.average(bins.observed[bins.weight > 0], weights=bins.weight[bins.weight > 0])


def _error(evaluation):
    return evaluation.reliability_top_label.calibration_error[0]


@pytest.mark.parametrize("script", examples(SCRIPTS, script_name))
def test_a_script_draws_figures_that_can_be_read_and_says_what_they_show(
    script, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    variables = runpy.run_path(str(script), run_name="__main__")
    assert plt.get_fignums()
    for number in plt.get_fignums():
        assert faults(plt.figure(number)) == []
    claims = CLAIMS.get(script_name(script), {})
    text = prose(script)
    assert [claim for claim in claims if claim not in text] == []
    assert [claim for claim, holds in claims.items() if not holds(variables)] == []


def test_the_scripts_of_all_claims_exist():
    assert set(CLAIMS) <= {script_name(script) for script in SCRIPTS}


def test_every_public_plot_is_in_the_gallery():
    shown = set().union(*map(called, SCRIPTS))
    assert set(plots.__all__) - shown == set()
    assert "report" in shown  # the interactive page of a comparison


def test_the_build_of_the_site_installs_what_scripts_need():
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    installed = settings["project"]["optional-dependencies"]["docs"]
    needed = {extra_of(script.read_text(encoding="utf-8")) for script in SCRIPTS} - {None}
    assert {f"wager[{extra}]" for extra in needed} <= set(installed)


@pytest.mark.parametrize("script", SCRIPTS, ids=script_name)
def test_a_script_begins_with_a_title_and_says_how_to_read_its_plot(script):
    title, line, empty, *rest = ast.get_docstring(
        ast.parse(script.read_text(encoding="utf-8"))
    ).split("\n")
    assert (line, empty) == ("=" * len(title), "")
    assert not title.startswith("plot_")
    assert len(" ".join(rest).split()) >= 40  # a question, and how to read the answer


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_part_of_the_gallery_has_a_heading_and_a_place(folder):
    assert re.match(r"\S.*\n-{5,}\n\n\S", (folder / "README.txt").read_text(encoding="utf-8"))
    assert f'"gallery/{folder.name}"' in (DOCS / "conf.py").read_text(encoding="utf-8")
