"""``wager fit``: train a learner on one file, and write its predictions for another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from wager.cli._columns import warn
from wager.cli._engine import Workers, chosen_engine
from wager.cli._errors import one_sentence
from wager.cli._help import examples
from wager.cli._options import (
    Classes,
    CostsFile,
    DaskAddress,
    Engine,
    Quiet,
    argument,
    class_labels,
    option,
    output_option,
)
from wager.cli._progress import file_progress, step_progress
from wager.cli._say import say
from wager.cli._settings import read_settings

if TYPE_CHECKING:
    from wager._dask import DaskEngine
    from wager.experiments import FittedLearner, Preparation
    from wager.prepare import Dataset

EXAMPLES = examples(
    """
    # predicted sets of the naive credal classifier
    wager fit naive-credal train.arff test.arff --discretize mdl -o ncc.csv
    # CSV files: name the column of the class
    wager fit tan train.csv test.csv --target kind --discretize mdl -o tan.csv
    # keep the trained learner: wager predict tan.npz more.csv -o more-tan.csv
    wager fit tan train.arff test.arff --discretize mdl -o tan.csv --save tan.npz
    # sets from any scikit-learn classifier
    wager fit nondeterministic train.csv test.csv --target kind \\
        --set estimator=sklearn.naive_bayes.GaussianNB -o sets.csv
    """
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
    int | None,
    option("--bins", "NUMBER", "Number of intervals of equal-frequency.", default="5", min=1),
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
Save = Annotated[
    Path | None,
    option(
        "--save",
        "FILE",
        "Also save the trained learner, for `wager predict`: a file that ends in .npz.",
        default="not saved",
    ),
]
Rows = Annotated[
    Literal["auto", "memory", "disk"],
    option(
        "--rows",
        "auto|memory|disk",
        "Where the training rows are kept.  auto: those of a large CSV or Parquet file stay on "
        "disk if the learner needs only counts (naive-bayes, naive-credal, aode, tan).",
    ),
]

_BINS = 5  # of equal frequency, unless the user asks for another number
_NUMBERS = 1 << 22  # of a chunk of test rows and their predictions
_LEAST_ROWS = 1024  # of a chunk
_SHOWN = 5  # columns in a warning


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
    bins: Bins = None,
    select: Select = "none",
    impute: Impute = False,
    encode: Encode = "codes",
    seed: Seed = 0,
    save: Save = None,
    rows: Rows = "auto",
    engine: Engine = "local",
    dask_address: DaskAddress = None,
    jobs: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Train on one file and predict another.

    Writes a prediction file for `wager score` and `wager compare`: the true class, the predicted
    set, and the probabilities and probability intervals of learners that provide them.
    Rows whose class is missing are left out.
    With --engine dask the rows of a Parquet file are counted by the workers of a cluster.
    """
    with one_sentence(), ExitStack() as stack:
        from wager._atomic import replacing, require_writable
        from wager.predictions import file_format

        file_format(output)  # refuses an unknown file ending before the work begins
        require_writable(output)
        if save is not None and (save.suffix.lower() != ".npz" or not save.parent.is_dir()):
            raise ValueError(f"cannot save {save}: name a file that ends in .npz, in a folder")
        # the learner appears at the end: not if its predictions cannot be written
        saved = None if save is None else stack.enter_context(replacing(save))
        if bins is not None and discretize != "equal-frequency":
            raise ValueError(
                "--bins is for --discretize equal-frequency: add it, or leave out --bins"
            )
        if train == test == "-":
            raise ValueError(
                "only one of the two files can be standard input: name a file for the other"
            )
        if engine == "dask":
            rows = _rows_on_disk(rows, train)
        cluster = stack.enter_context(chosen_engine(engine, dask_address, jobs))
        from wager.experiments import Preparation  # after the address, which may be wrong

        job = FitJob(
            learner,
            read_settings(learner, setting or []),
            Preparation(
                discretize=discretize,
                n_bins=_BINS if bins is None else bins,
                select=select,
                impute="fold" if impute else "none",
                encode=encode,
            ),
            target,
            class_labels(classes),
            costs,
            seed,
        )
        model = job.train(train, rows, quiet, cluster)
        if saved is not None:
            from wager.cli._saved import save_model

            save_model(saved, model)
        n_rows, contents, seconds = predict_file(model, test, target, output, quiet)
        say(
            f"{output}: {n_rows} rows, {', '.join(contents)}; trained in "
            f"{model.fit_seconds:.2g} s, predicted in {seconds:.2g} s"
        )
        if save is not None:
            say(f"{save}: {learner}, for wager predict {save}")


@dataclass(frozen=True)
class FitJob:
    """What is trained: a learner, its parameters, and the preparation of its rows."""

    learner: str
    params: dict[str, Any]
    preparation: Preparation
    target: str | None
    classes: list[str] | None
    costs: Path | None
    seed: int

    def _require_possible(self, option: str) -> None:
        from wager.experiments import can_fit_file

        if not can_fit_file(self.learner, self.params, self.preparation):
            raise ValueError(
                f"{self.learner} with this preparation needs all rows in memory: leave out "
                f"{option}, or use naive-bayes, naive-credal, aode or tan, prepared by "
                "--discretize alone"
            )

    def train(
        self, source: str, where: str, quiet: bool, engine: DaskEngine | None = None
    ) -> FittedLearner:
        """Train in memory, or on a file that stays on disk."""
        from wager.experiments import NumericColumnError, can_fit_file
        from wager.prepare import is_large_file

        possible = can_fit_file(self.learner, self.params, self.preparation)
        if where == "disk":
            self._require_possible("--rows" if engine is None else "--engine dask")
        if where == "disk" or (where == "auto" and possible and is_large_file(source)):
            try:
                return self._train_on_disk(source, quiet, engine)
            except NumericColumnError:
                if where == "disk" or self.learner != "naive-bayes":
                    raise
        elif where == "auto" and is_large_file(source):
            _say(f"reading {source} into memory, since {self.learner} needs all rows", quiet)
        return self._train_in_memory(source, quiet)

    def _train_on_disk(self, source: str, quiet: bool, engine: DaskEngine | None) -> FittedLearner:
        from wager.experiments import fit_learner_on_file

        _say(f"training {self.learner} from counts: the rows of {source} stay on disk", quiet)
        with file_progress(Path(source), quiet=quiet) as progress:
            return fit_learner_on_file(
                source,
                self.target,
                self.learner,
                self._all_params,
                self.preparation,
                classes=self.classes,
                random_state=self.seed,
                progress=progress,
                engine=engine,
                counted=partial(_warn_of_left_out, source, classes=self.classes or ()),
            )

    def _train_in_memory(self, source: str, quiet: bool) -> FittedLearner:
        from wager.experiments import fit_learner

        with step_progress(quiet) as report:
            report(f"reading {source}")
            rows = _read(source, self.target, self.classes)
            report(f"training {self.learner} on {(rows.target_codes >= 0).sum()} rows")
            return fit_learner(
                rows, self.learner, self._all_params(rows), self.preparation, self.seed
            )

    def _all_params(self, data: Dataset) -> dict[str, Any]:
        if self.costs is None:
            return self.params
        return {**self.params, "costs": _cost_matrix(self.costs, data)}


def _rows_on_disk(rows: str, source: str) -> Literal["disk"]:
    """Where the rows are for a cluster; anything but a Parquet file on disk is refused."""
    if rows == "memory":
        raise ValueError("--engine dask counts rows on disk: leave out --rows memory")
    if not source.lower().endswith(".parquet"):
        raise ValueError(
            f"{source}: only a Parquet file can be divided between workers: save it as Parquet, or "
            "leave out --engine dask"
        )
    return "disk"


def predict_file(
    model: FittedLearner, test: str, target: str | None, output: Path, quiet: bool
) -> tuple[int, list[str], float]:
    """Write the predictions, some rows at a time; returns their number, kinds and time."""
    from wager.predictions import writing_predictions
    from wager.prepare import dataset_chunks

    n_rows, n_read, seconds, contents = 0, 0, 0.0, ["sets"]
    unknown = Counter[str]()
    numbers = len(model.data.columns) + 4 * len(model.data.classes)
    step = max(_NUMBERS // numbers, _LEAST_ROWS)
    with step_progress(quiet) as report, writing_predictions(output) as write:
        report(f"reading {test}")
        for rows in dataset_chunks(test, target, step, missing_class="keep"):
            before, n_read = n_read, n_read + len(rows)
            if (rows.target_codes < 0).all():
                continue
            found = model.predict(rows, before)
            n_rows += len(found.y_true)
            seconds += found.predict_seconds
            unknown.update(found.unknown)
            contents = ["sets"]
            contents += ["probabilities"] * (found.proba is not None)
            contents += ["intervals"] * (found.intervals is not None)
            report(f"writing {output}: {n_rows} rows")
            write(
                found.y_true,
                sets=found.sets,
                proba=found.proba,
                intervals=found.intervals,
                classes=found.classes,
            )
        if not n_rows:
            raise ValueError(f"{test} has no row with a class: is --target the right column?")
    _warn_of_left_out(test, n_read, n_rows, classes=list(map(str, model.data.classes)))
    _warn_of_unknown(test, unknown, n_rows, model.data.name)
    return n_rows, contents, seconds


def _say(text: str, quiet: bool) -> None:
    if not quiet:
        say(text, err=True)


def _warn_of_left_out(source: str, n_rows: int, n_kept: int, *, classes: Sequence[str]) -> None:
    """Say how many rows of a data set are left out because their class is missing.

    A class with the name of a missing value is refused where a CSV file may mean either.
    """
    n = n_rows - n_kept
    if n:
        from wager._visible import brief
        from wager.prepare import MISSING_TEXTS, is_csv

        word = next((word for word in MISSING_TEXTS if word in classes), None)
        if word is not None and is_csv(source):
            raise ValueError(
                f"{source}: the class {brief(word)} is a missing value in the CSV file of a data "
                f"set, and {n:,} of {n_rows:,} rows have none: call it otherwise, or use ARFF or "
                "Parquet"
            )
        what = "is left out because it has" if n == 1 else "are left out because they have"
        warn([f"{source}: {n:,} of {n_rows:,} row{'s' if n_rows > 1 else ''} {what} no class"])


def _warn_of_unknown(test: str, unknown: Counter[str], n_rows: int, train: str) -> None:
    """Say which columns have values that the training data lacks, those with most rows first."""
    if unknown:
        from wager._visible import in_one_line

        listed = [f"of {in_one_line(name)} in {n:,}" for name, n in unknown.most_common(_SHOWN)]
        listed += ["..."] * (len(unknown) > _SHOWN)
        rows = f"of {n_rows:,} row{'s' if n_rows > 1 else ''}"
        warn([f"{test} has values that {train} lacks: {', '.join(listed)} {rows}"])


def _read(source: str, target: str | None, classes: list[str] | None = None) -> Dataset:
    """All rows, over the declared classes if there are any."""
    from wager.experiments import declare_classes
    from wager.prepare import load_dataset

    every = load_dataset(source, target=target, missing_class="keep")
    n_kept = int((every.target_codes >= 0).sum())
    _warn_of_left_out(source, len(every), n_kept, classes=classes or ())
    if not n_kept:
        raise ValueError(f"{source} has no row with a class: is --target the right column?")
    return every if classes is None else declare_classes(every, classes)


def _cost_matrix(path: Path, rows: Dataset) -> Any:
    """The costs of single classes, in the order of the classes."""
    from wager.costs import CostMatrix
    from wager.credal import determinate_costs

    costs = CostMatrix.from_file(path)
    by_name = {str(label): label for label in rows.classes.tolist()}
    names = [by_name.get(str(label), label) for label in costs.classes.tolist()]
    matrix = determinate_costs(CostMatrix(costs.costs, names), rows.classes)
    return costs.costs if matrix is None else matrix
