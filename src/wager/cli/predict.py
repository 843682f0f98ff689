"""``wager predict``: write the predictions of a learner that ``wager fit --save`` saved."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wager.cli._errors import one_sentence
from wager.cli._help import examples
from wager.cli._options import Quiet, argument
from wager.cli._say import say
from wager.cli.fit import Predictions, Target, Test, predict_file

EXAMPLES = examples(
    """
    # train once and keep the learner, then predict other files
    wager fit tan train.arff test.arff --discretize mdl -o tan.csv --save tan.npz
    wager predict tan.npz more.arff -o more.csv
    """
)

_MEMORY, _PER_MODEL_BYTE, _PER_TEST_BYTE = 2 << 30, 1000, 50

Model = Annotated[Path, argument("MODEL", "A file that wager fit --save wrote.")]


def predict(
    model: Model, test: Test, output: Predictions, target: Target = None, quiet: Quiet = False
) -> None:
    """Predict a file with a learner that was saved.

    Reading a saved learner runs no code from the file, so it may come from others. It must have
    been saved with the same versions of wager and scikit-learn.
    """
    with one_sentence():
        from wager._jit import checked_bounds
        from wager.cli._memory import at_most_more_memory
        from wager.cli._saved import load_model
        from wager.experiments import FittedLearner
        from wager.predictions import file_format

        file_format(output)  # refuses an unknown file ending before the work begins
        with at_most_more_memory(_enough(model, test)):
            found = load_model(model, FittedLearner)
            try:
                with checked_bounds():
                    n_rows, contents, _ = predict_file(found, test, target, output, quiet)
            except (ValueError, OSError, ImportError):
                raise
            except Exception as problem:  # the learner may have any attribute of any kind
                what = " ".join(f"{type(problem).__name__}: {problem}".split())
                raise ValueError(
                    f"the learner in {model} cannot predict {test} ({what}): save it again with "
                    "wager fit --save"
                ) from None
        say(f"{output}: {n_rows} rows, {', '.join(contents)}")


def _enough(model: Path, test: str) -> int:
    """Bytes of memory that suffice for any learner of this size, and for reading these rows."""
    return _MEMORY + _PER_MODEL_BYTE * _size(model) + _PER_TEST_BYTE * _size(Path(test))


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
