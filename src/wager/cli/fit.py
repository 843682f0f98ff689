"""``wager fit``: train a learner on one file, and write what it predicts for another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wager.cli._errors import one_sentence

if TYPE_CHECKING:
    from wager.experiments import Fitted
    from wager.prepare import Dataset


class Discretize(StrEnum):
    """How numbers become intervals."""

    none = "none"
    mdl = "mdl"
    equal_frequency = "equal-frequency"


class Select(StrEnum):
    """How features are chosen."""

    none = "none"
    cfs = "cfs"


class Encode(StrEnum):
    """How nominal features are handed over."""

    codes = "codes"
    one_hot = "one-hot"


Learner = Annotated[
    str,
    typer.Argument(
        help="naive-bayes, naive-credal, credal-tree, nondeterministic, ..., or a class as "
        "sklearn.ensemble.RandomForestClassifier.",
        show_default=False,
    ),
]
Train = Annotated[
    str,
    typer.Argument(help="Training rows: a file (ARFF, CSV, Parquet), or the name of a data set.",
                   show_default=False),
]  # fmt: skip
Test = Annotated[
    str, typer.Argument(help="Test rows, with the true classes.", show_default=False)
]  # fmt: skip
Out = Annotated[
    Path,
    typer.Option("--output", "-o", help="Where predictions go: .parquet, .csv, .jsonl, .arrow.",
                 show_default=False),
]  # fmt: skip
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="A parameter of the learner, as s=2 or estimator=naive-bayes; one of the learner "
        "inside it, as estimator__prior=perks; may be repeated.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(help="The column of the class; an ARFF file's last one by default.",
                 show_default=False),
]  # fmt: skip
Classes = Annotated[
    str | None,
    typer.Option(help="All classes in their order, as a,b,c: also those without a row.",
                 show_default=False),
]  # fmt: skip
Costs = Annotated[
    Path | None,
    typer.Option(help="Costs of the classes (CSV or TOML), for learners that take them.",
                 show_default=False),
]  # fmt: skip


def fit(
    learner: Learner,
    train: Train,
    test: Test,
    output: Out,
    setting: Settings = None,
    target: Target = None,
    classes: Classes = None,
    costs: Costs = None,
    discretize: Annotated[
        Discretize, typer.Option(help="Cut numbers into intervals.")
    ] = Discretize.none,
    bins: Annotated[int, typer.Option(min=1, help="Intervals of equal-frequency.")] = 5,
    select: Annotated[Select, typer.Option(help="Choose features.")] = Select.none,
    impute: Annotated[bool, typer.Option("--impute", help="Fill gaps by mean or mode.")] = False,
    encode: Annotated[
        Encode, typer.Option(help="One-hot for learners that know numbers only.")
    ] = Encode.codes,
    seed: Annotated[int, typer.Option(help="Where randomness begins.")] = 0,
) -> None:
    """Train on one file and predict another; wager score and compare take the result.

    The file holds the truth, the predicted set, and the probabilities and intervals of learners
    that give them.
    """
    with one_sentence():
        from wager.experiments import Preparation, fit_and_predict, like
        from wager.predictions import file_format, write_predictions

        file_format(output)  # an ending that cannot be written is refused before the work
        params = _parameters(learner, setting or [])
        how = Preparation(
            discretize=discretize.value,
            n_bins=bins,
            select=select.value,
            impute="fold" if impute else "none",
            encode=encode.value,
        )
        with _status() as tell:
            tell(f"reading {train} and {test}")
            rows = _read(train, target, classes)
            asked = like(_read(test, target, None), rows)
            if costs is not None:
                params["costs"] = _cost_matrix(costs, rows)
            tell(f"training {learner} on {len(rows)} rows")
            found = fit_and_predict(rows, asked, learner, params, how, seed)
            tell(f"writing {output}")
            write_predictions(
                output,
                found.y_true,
                sets=found.sets,
                proba=found.proba,
                intervals=found.intervals,
                classes=found.classes,
            )
        typer.echo(_summary(output, found))


def _read(source: str, target: str | None, classes: str | None) -> Dataset:
    """The rows that have a class, over the declared classes if there are any."""
    from wager.experiments import declare_classes
    from wager.prepare import load_dataset

    data = load_dataset(source, target=target)
    if not len(data):
        raise ValueError(f"{source} has no row with a class")
    if classes is None:
        return data
    return declare_classes(data, [label.strip() for label in classes.split(",")])


def _cost_matrix(path: Path, rows: Dataset) -> Any:
    """The costs of single classes, in the order of the classes."""
    from wager.costs import CostMatrix
    from wager.credal import determinate_costs

    costs = CostMatrix.from_file(path)
    named = {str(label): label for label in rows.classes.tolist()}
    labels = [named.get(str(label), label) for label in costs.classes.tolist()]
    matrix = determinate_costs(CostMatrix(costs.costs, labels), rows.classes)
    return costs.costs if matrix is None else matrix


def _summary(output: Path, found: Fitted) -> str:
    held = ["sets"]
    held += ["probabilities"] * (found.proba is not None)
    held += ["intervals"] * (found.intervals is not None)
    return (
        f"{output}: {len(found.sets)} rows, {', '.join(held)}; trained in "
        f"{found.fit_seconds:.2g} s, predicted in {found.predict_seconds:.2g} s"
    )


def _parameters(learner: str, settings: list[str]) -> dict[str, Any]:
    """The parameters that ``--set`` gives, typed, those of inner learners in tables."""
    from wager.learners import find_learner, is_learner_parameter

    find_learner(learner)
    own: dict[str, str] = {}
    inner: dict[str, list[str]] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key.strip():
            raise ValueError(f"--set takes name=value, got {setting!r}")
        first, below, rest = key.strip().partition("__")
        if below:
            inner.setdefault(first, []).append(f"{rest}={text}")
        else:
            own[first] = text.strip()
    made: dict[str, Any] = {}
    for key, text in own.items():
        if is_learner_parameter(key):
            made[key] = {"learner": text, "params": _parameters(text, inner.pop(key, []))}
        else:
            made[key] = _typed(key, text, _annotation(learner, key))
    if inner:
        first = next(iter(inner))
        raise ValueError(
            f"--set {first}__{inner[first][0]} is about a learner inside: name it first, as "
            f"--set {first}=naive-bayes"
        )
    return made


def _annotation(learner: str, key: str) -> str:
    import inspect

    from wager.learners import find_learner

    parameter = inspect.signature(find_learner(learner)).parameters.get(key)
    known = parameter is not None and parameter.annotation is not parameter.empty
    return str(parameter.annotation) if known and parameter is not None else "Any"


def _typed(key: str, text: str, annotation: str) -> Any:
    """The value that a text stands for, as the parameter's annotation says."""
    kinds = {kind.strip() for kind in annotation.split("|")}
    if "None" in kinds and text.lower() == "none":
        return None
    if "bool" in kinds and text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind, read in (("int", int), ("float", float)):
        if kind in kinds:
            try:
                return read(text)
            except ValueError:
                continue
    if kinds <= {"int", "float", "bool", "None"}:
        wanted = "true or false" if kinds <= {"bool", "None"} else "a number"
        raise ValueError(f"{key} takes {wanted}, got {text!r}")
    return text if "str" in kinds and "Any" not in kinds else _literal(text)


def _literal(text: str) -> Any:
    """A number, truth value, list or table as TOML spells it, or else the text."""
    import tomllib

    spelled = text.lower() if text in ("True", "False") else text
    if text == "None":
        return None
    try:
        return tomllib.loads(f"value = {spelled}")["value"]
    except tomllib.TOMLDecodeError:
        return text


@contextmanager
def _status() -> Iterator[Any]:
    """What is being done, on standard error, where somebody looks at a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda words: None
        return
    with console.status("") as status:
        yield status.update
