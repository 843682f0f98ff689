"""What `wager compare` and `wager score` print is what the library found in the same rows."""

import json
import re

import numpy as np
import pytest

from tests.compare import claims
from tests.compare.test_claims import comparison, probabilities
from wager.compare import compare_probabilities, head_to_head
from wager.metrics import evaluate_probabilities, evaluate_sets
from wager.predictions import write_predictions

NUMBER = claims.NUMBER
UNITS = {"sample_weight": "weight", "counts": "count", "groups": "cluster"}


def written(folder, y, said, options, kind):
    """A file for each classifier, and the options that the command line needs."""
    units = {column: options[name] for name, column in UNITS.items() if name in options}
    classes, files = list(map(str, options["classes"])), []
    for name, predicted in said.items():
        files.append(folder / f"{name}.csv")
        truth = np.asarray(y).astype(str)
        write_predictions(files[-1], truth, classes=classes, **{kind: predicted}, **units)
    return [*files, "--classes", ",".join(classes)]


def flat(text):
    return " ".join(text.split())


def check_printed(printed, data, found):
    """The text has the advice and every sentence, the table its stars, JSON the same."""
    words = flat(printed)
    assert f"recommendation: {found.recommendation}" in words
    for sentence in found.sentences():
        assert flat(sentence) in words
    assert data["recommended"] == found.recommended
    assert data["recommendation"] == found.recommendation
    for pair in data["pairs"]:
        for name, test in pair["differences"].items():
            mine = found.difference(pair["first"], pair["second"], name)
            assert test["p"] == pytest.approx(mine.p, rel=1e-6)
            assert test["mean"] == pytest.approx(mine.effect, rel=1e-9, abs=1e-12)
    stars = sum(o < found.alpha for o in p_values(found))
    assert len(re.findall(r"[\d]\*(?=\s|$)", printed)) == stars


def p_values(found):
    _, rows = found.difference_table()
    data = found.to_dict()["pairs"]
    p = [test["p"] for pair in data for test in pair["differences"].values()]
    assert len(rows) == len(p)
    return p


@pytest.mark.parametrize("seed", range(4))
def test_the_printed_comparison_of_sets_is_that_of_the_library(seed, tmp_path, wager):
    y, said, _, options = comparison(np.random.default_rng(700 + seed), most=200)
    if len(y) < 20:
        return
    options = {k: v for k, v in options.items() if k not in ("costs", "empty_cost")}
    arguments = written(tmp_path, y, said, options, "sets")
    level = ("--level", options["confidence"])
    found = head_to_head(y, said, ["u50", "u65", "u80"], **options)
    printed = wager("compare", *arguments, *level, env={"COLUMNS": "200"})
    data = wager("compare", *arguments, *level, "--format", "json")
    assert printed.exit_code == data.exit_code == 0, printed.output + data.output
    claims.check_recommendation(found)
    check_printed(printed.stdout, json.loads(data.stdout), found)


@pytest.mark.parametrize("seed", range(4))
def test_the_printed_comparison_of_probabilities_is_that_of_the_library(seed, tmp_path, wager):
    y, said, options = probabilities(np.random.default_rng(800 + seed))
    options.pop("clip", None)
    said = {
        name: proba.clip(1e-6) / proba.clip(1e-6).sum(axis=1)[:, None]
        for name, proba in said.items()
    }
    arguments = written(tmp_path, y, said, options, "proba")
    level = ("--level", options["confidence"])
    found = compare_probabilities(y, said, **options)
    printed = wager("compare", *arguments, *level, env={"COLUMNS": "200"})
    data = wager("compare", *arguments, *level, "--format", "json")
    assert printed.exit_code == data.exit_code == 0, printed.output + data.output
    words, data = flat(printed.stdout), json.loads(data.stdout)
    assert f"recommendation: {found.recommendation}" in words
    assert all(flat(sentence) in words for sentence in found.sentences())
    assert (data["recommended"], data["recommendation"]) == (
        found.recommended,
        found.recommendation,
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_printed_summaries_of_files_are_those_of_their_numbers(seed, tmp_path, wager):
    rng = np.random.default_rng(900 + seed)
    y, said, _, options = comparison(rng, most=600)
    units = {k: v for k, v in options.items() if k in (*UNITS, "classes")}
    arguments = written(tmp_path, y, said, options, "sets")
    printed = wager("score", *arguments, env={"COLUMNS": "200"})
    assert printed.exit_code == 0, printed.output
    words = flat(printed.stdout)
    found = {name: evaluate_sets(y, sets, **units) for name, sets in said.items()}
    for evaluation in found.values():
        claims.check_summary(evaluation)
        assert flat(evaluation.sentence()) in words
    for who, utility, most in re.findall(
        rf"((?:[A-E]|, | and )+) earns? most under (u\d\d) \(({NUMBER})\)", words
    ):
        best = max(one[utility] for one in found.values())
        assert abs(float(most) - best) < 1e-4
        winners = [name for name, one in found.items() if one[utility] >= best - 1e-9]
        assert claims.named(who) == winners
    lowest = re.findall(rf"The class (\S+) has the lowest coverage: ({NUMBER})%", words)
    for label, percent in lowest:
        place = options["classes"].index(int(label))
        assert any(
            abs(100 * one.class_coverage[place] - float(percent)) < 0.06
            and one.class_coverage[place] <= np.nanmin(one.class_coverage) + 1e-9
            for one in found.values()
        )


@pytest.mark.parametrize("seed", range(4))
def test_the_printed_summaries_of_probabilities_are_those_of_their_numbers(seed, tmp_path, wager):
    y, said, options = probabilities(np.random.default_rng(950 + seed))
    units = {k: v for k, v in options.items() if k in (*UNITS, "classes")}
    name, proba = next(iter(said.items()))
    printed = wager("score", *written(tmp_path, y, {name: proba}, options, "proba"))
    assert printed.exit_code == 0, printed.output
    words, found = flat(printed.stdout), evaluate_probabilities(y, proba, **units)
    right = re.search(rf"class is right ({NUMBER})% of the time", words)
    claims.require_number(right[1], 100 * found.accuracy, words)
    if more := re.search(rf"contain ({NUMBER}) bits (more|less) information than the prior", words):
        claims.require_number(more[1], abs(found.information_reward), words)
        assert (more[2] == "more") == (found.information_reward > 0)
