"""``wager predict``: write the predictions of a learner that ``wager fit --save`` saved."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wager.cli._errors import one_sentence
from wager.cli._help import examples
from wager.cli._options import Quiet, argument
from wager.cli.fit import Predictions, Target, Test, predict_file

EXAMPLES = examples(
    """
    # train once and keep the learner, then predict other files
    wager fit tan train.arff test.arff --discretize mdl -o tan.csv --save tan.npz
    wager predict tan.npz more.arff -o more.csv
    """
)

Model = Annotated[Path, argument("MODEL", "A file that wager fit --save wrote.")]


def predict(
    model: Model, test: Test, output: Predictions, target: Target = None, quiet: Quiet = False
) -> None:
    """Predict a file with a learner that was saved.

    Reading a saved learner runs no code from the file, so it may come from others. It must have
    been saved with the same versions of wager and scikit-learn.
    """
    with one_sentence():
        from wager.cli._saved import load_model
        from wager.experiments import FittedLearner
        from wager.predictions import file_format

        file_format(output)  # refuses an unknown file ending before the work begins
        found = load_model(model, FittedLearner)
        n_rows, contents, _ = predict_file(found, test, target, output, quiet)
        typer.echo(f"{output}: {n_rows} rows, {', '.join(contents)}")
