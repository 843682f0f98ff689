"""``wager explain``: every number that ``wager score`` prints can be looked up."""

import csv
import io

import numpy as np
import pytest
from typer.testing import CliRunner

from wager.cli import app
from wager.predictions import ProbabilityIntervals, write_predictions
from wager.report import explain


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
    result = CliRunner().invoke(app, ["score", str(path), "--format", "csv", "--by-class"])
    assert result.exit_code == 0, result.stderr
    measures = {row["measure"] for row in csv.DictReader(io.StringIO(result.stdout))}
    assert len(measures) > 10
    for measure in measures:
        assert explain(measure).meaning


def test_formulas_keep_their_brackets():
    formula = explain("brier").formula
    assert "[" in formula
    said = CliRunner().invoke(app, ["explain", "brier"], env={"COLUMNS": "200"})
    assert formula in said.stdout
