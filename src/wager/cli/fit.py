"""``wager fit``: train a learner on one file, and write its predictions for another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from wager.cli._errors import one_sentence
from wager.cli._options import (
    Classes,
    CostsFile,
    Quiet,
    argument,
    examples,
    labels,
    option,
    output_option,
)
from wager.cli._progress import step_progress
from wager.cli._settings import read_settings

if TYPE_CHECKING:
    from wager.experiments import Fitted
    from wager.prepare import Dataset

EXAMPLES = examples(
    "wager fit naive-credal train.arff test.arff --discretize mdl --set s=2 -o ncc.csv",
    "wager fit sklearn.ensemble.RandomForestClassifier train.csv test.csv --target kind -o rf.csv",
    "wager score ncc.csv",
)

Learner = Annotated[
    str,
    argument(
        "LEARNER",
        "Name of a learner (naive-bayes, naive-credal, credal-tree, nondeterministic, ...) or "
        "of a class such as sklearn.ensemble.RandomForestClassifier.",
    ),
]
Train = Annotated[
    str,
    argument(
        "TRAIN",
        "Training data: a file (ARFF, CSV, Parquet), - for CSV from standard input, or the name of "
        "a data set.",
    ),
]
Test = Annotated[
    str,
    argument("TEST", "Test data, with the true classes."),
]
Predictions = Annotated[
    Path, output_option("File for the predictions: .parquet, .csv, .jsonl or .arrow.")
]
Settings = Annotated[
    list[str] | None,
    option(
        "--set",
        "NAME=VALUE",
        "A parameter of the learner, such as s=2 or estimator=naive-bayes; or of an inner "
        "learner, such as estimator__prior=perks. May be repeated.",
    ),
]
Target = Annotated[
    str | None,
    option(
        "--target", "COLUMN", "The column of the class.", default="the last column of an ARFF file"
    ),
]
Discretize = Annotated[
    Literal["none", "mdl", "equal-frequency"],
    option("--discretize", "none|mdl|equal-frequency", "Cut numeric features into intervals."),
]
Bins = Annotated[
    int,
    option("--bins", "NUMBER", "Number of intervals of equal-frequency.", min=1),
]
Select = Annotated[
    Literal["none", "cfs"],
    option("--select", "none|cfs", "Select features."),
]
Impute = Annotated[
    bool, typer.Option("--impute", help="Replace missing values by the mean or the mode.")
]
Encode = Annotated[
    Literal["codes", "one-hot"],
    option(
        "--encode",
        "codes|one-hot",
        "How nominal features are encoded; one-hot for learners that only take numbers.",
    ),
]
Seed = Annotated[int, option("--seed", "NUMBER", "Seed of random numbers.")]


def fit(
    learner: Learner,
    train: Train,
    test: Test,
    output: Predictions,
    setting: Settings = None,
    target: Target = None,
    classes: Classes = None,
    costs: CostsFile = None,
    discretize: Discretize = "none",
    bins: Bins = 5,
    select: Select = "none",
    impute: Impute = False,
    encode: Encode = "codes",
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Train on one file and predict another.

    Writes a prediction file for `wager score` and `wager compare`: the true class, the predicted
    set, and the probabilities and probability intervals of learners that provide them.
    """
    with one_sentence():
        from wager.experiments import Preparation, fit_and_predict, like
        from wager.predictions import file_format, write_predictions

        file_format(output)  # refuses an unknown file ending before the work begins
        params = read_settings(learner, setting or [])
        preparation = Preparation(
            discretize=discretize,
            n_bins=bins,
            select=select,
            impute="fold" if impute else "none",
            encode=encode,
        )
        with step_progress(quiet) as report:
            report(f"reading {train} and {test}")
            if train == test == "-":
                raise ValueError("only one of the two files can be standard input")
            rows = _read(train, target, labels(classes))
            asked = like(_read(test, target), rows)
            if costs is not None:
                params["costs"] = _cost_matrix(costs, rows)
            report(f"training {learner} on {len(rows)} rows")
            found = fit_and_predict(rows, asked, learner, params, preparation, seed)
            report(f"writing {output}")
            write_predictions(
                output,
                found.y_true,
                sets=found.sets,
                proba=found.proba,
                intervals=found.intervals,
                classes=found.classes,
            )
        typer.echo(_summary(output, found))


def _read(source: str, target: str | None, classes: list[str] | None = None) -> Dataset:
    """The rows whose class is known, over the declared classes if there are any."""
    from wager.experiments import declare_classes
    from wager.prepare import load_dataset

    data = load_dataset(source, target=target)
    if not len(data):
        raise ValueError(f"{source} has no row with a class")
    return data if classes is None else declare_classes(data, classes)


def _cost_matrix(path: Path, rows: Dataset) -> Any:
    """The costs of single classes, in the order of the classes."""
    from wager.costs import CostMatrix
    from wager.credal import determinate_costs

    costs = CostMatrix.from_file(path)
    by_name = {str(label): label for label in rows.classes.tolist()}
    names = [by_name.get(str(label), label) for label in costs.classes.tolist()]
    matrix = determinate_costs(CostMatrix(costs.costs, names), rows.classes)
    return costs.costs if matrix is None else matrix


def _summary(output: Path, found: Fitted) -> str:
    contents = ["sets"]
    contents += ["probabilities"] * (found.proba is not None)
    contents += ["intervals"] * (found.intervals is not None)
    return (
        f"{output}: {len(found.sets)} rows, {', '.join(contents)}; trained in "
        f"{found.fit_seconds:.2g} s, predicted in {found.predict_seconds:.2g} s"
    )
