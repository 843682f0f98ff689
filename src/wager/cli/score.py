"""``wager score``: what the predictions in a file are worth."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wager.cli._columns import (
    STANDARD_INPUT,
    CountColumn,
    IdColumn,
    MissingValues,
    PredColumn,
    ProbaPrefix,
    SetColumn,
    TruthColumn,
    WeightColumn,
    column_names,
    refuse_twice,
    warn,
)
from wager.cli._costs import cost_option
from wager.cli._engine import Workers, chosen_engine
from wager.cli._errors import one_sentence
from wager.cli._groups import Sort, Top, refuse_without_groups, with_groups
from wager.cli._help import examples
from wager.cli._memberships import (
    Depth,
    Kind,
    Sharpness,
    Ties,
    membership_choice,
)
from wager.cli._options import (
    DEFAULT_UTILITIES,
    USUAL_RULE,
    Classes,
    Cluster,
    Costs,
    CostUnit,
    DaskAddress,
    EmptyCost,
    Engine,
    Form,
    Format,
    OutputFile,
    OutputFormat,
    Prior,
    Quiet,
    RuleName,
    Utilities,
    argument,
    check_level,
    class_labels,
    numbers,
    option,
)
from wager.cli._progress import file_progress
from wager.cli._render import printing
from wager.cli._score_tables import score_printout
from wager.cli._utilities import chosen_utilities

if TYPE_CHECKING:
    from wager.predictions import PredictionFile

EXAMPLES = examples(
    """
    # the main measures, with 95% intervals; --all shows every measure
    wager score predictions.csv
    # two files side by side, and one row per true class
    wager score cautious.csv plain.csv -u u65 -u u80 --by-class
    # what the predictions cost; `wager costs new` writes the cost file
    wager score predictions.csv --costs costs.toml --unit EUR
    # the ten groups of rows with the lowest u65
    wager score predictions.parquet --by hospital --sort u65 --top 10
    """
)

Files = Annotated[
    list[Path],
    argument(
        "FILE",
        "Prediction files (CSV, Parquet, Arrow, JSON Lines): a column y_true, and one of "
        "y_pred, set, mask, in:<class>, p:<class>, class_1, p_1, ..., lower:/upper:<class>, "
        "m:<class>; - is standard input.",
    ),
]
AllMeasures = Annotated[
    bool,
    typer.Option("--all", help="Also show rare measures in the tables; CSV and JSON have all."),
]
ByClass = Annotated[
    bool, typer.Option("--by-class", help="Also score each true class: one row per class.")
]
By = Annotated[
    str | None,
    option("--by", "COLUMN", "Also score each group of rows: each value of this column."),
]
ScoreLevel = Annotated[
    float | None,
    option(
        "--level --confidence",
        "NUMBER",
        "Confidence level of the intervals; if given, classes and groups get intervals as well.",
        default="0.95",
    ),
]


def score(
    files: Files,
    utility: Utilities = None,
    show_all: AllMeasures = False,
    by_class: ByClass = False,
    by: By = None,
    top: Top = None,
    sort: Sort = None,
    truth: TruthColumn = None,
    pred: PredColumn = None,
    sets: SetColumn = None,
    proba_prefix: ProbaPrefix = None,
    row_id: IdColumn = None,
    weight: WeightColumn = None,
    count: CountColumn = None,
    cluster: Cluster = None,
    na: MissingValues = "error",
    classes: Classes = None,
    form: Form = None,
    prior: Prior = None,
    rule: RuleName = None,
    memberships: Kind = None,
    sharpness: Sharpness = None,
    depth: Depth = None,
    ties: Ties = None,
    costs: Costs = None,
    empty_cost: EmptyCost = None,
    unit: CostUnit = None,
    level: ScoreLevel = None,
    output_format: Format = OutputFormat.text,
    output: OutputFile = None,
    engine: Engine = "local",
    dask_address: DaskAddress = None,
    jobs: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Score prediction files by the measures that apply.

    Prints a summary in sentences, then the main measures; --all shows every one. Several files are
    shown side by side. `wager explain MEASURE` says what a measure means.
    """
    with one_sentence(), printing(output_format, output) as show, ExitStack() as stack:
        from wager.predictions import refuse_without, scan_all_predictions
        from wager.report import comparison_words, score_file, score_groups

        check_level(level)
        refuse_without_groups(by, by_class=by_class, top=top, sort=sort)
        utilities = chosen_utilities(utility, DEFAULT_UTILITIES)
        declared = class_labels(classes)
        frequencies = numbers(prior, float, "--prior", "0.5,0.3,0.2")
        choice = membership_choice(memberships, sharpness, depth, ties)
        columns = column_names(truth, pred, sets, proba_prefix, row_id, weight, count)
        opened: list[PredictionFile] = []
        prices = cost_option(costs, unit, empty_cost)
        refuse_twice(files)
        files = list(dict.fromkeys(files))
        found, groups = [], []
        cluster_engine = stack.enter_context(chosen_engine(engine, dask_address, jobs))
        drop = "error" if cluster_engine is not None else na  # workers leave rows out themselves
        for path, name in zip(files, _short_names(files), strict=True):
            with file_progress(path, quiet=quiet) as progress:
                stated = scan_all_predictions(
                    path, declared, form=form, by=by, cluster=cluster, columns=columns, na=drop,
                    beside=opened[0] if opened else None,
                )  # fmt: skip
                opened += stated
                for scanned in stated:
                    title = name if len(stated) == 1 else f"{name} ({scanned.form})"
                    how: dict[str, Any] = {
                        "prior": frequencies, "rule": rule or USUAL_RULE, "memberships": choice,
                        "costs": prices, "empty_cost": empty_cost, "progress": progress,
                        "engine": cluster_engine, "na": na,
                    }  # fmt: skip
                    each = by is not None and by_class
                    found.append(
                        score_file(
                            scanned, title, utilities, by_class=by_class, by_group=each, **how
                        )
                    )
                    if by is not None and not by_class:
                        groups.append(score_groups(scanned, title, utilities, **how))
        refuse_without(opened, "proba", prior=prior)
        refuse_without(opened, "intervals", rule=rule)
        refuse_without(
            opened, "memberships",
            memberships=memberships, sharpness=sharpness, depth=depth, ties=ties,
        )  # fmt: skip
        warn(f"{file.file}: {sentence}" for file in found for sentence in file.oddities)
        remarks = _kinds_words(opened) + comparison_words(found, [u.name for u in utilities])
        printout = score_printout(
            found, remarks, level, rare=show_all, of_labels=utility is not None
        )
        show(with_groups(printout, groups, top, sort, level) if groups else printout)


def _kinds_words(opened: list[PredictionFile]) -> list[str]:
    """That a file has several kinds of predictions, which are shown side by side."""
    forms: dict[Path, list[str]] = {}
    for file in opened:
        forms.setdefault(file.path, []).append(file.stated.heading)
    return [
        f"{path} has {len(kinds)} kinds of predictions ({', '.join(kinds)}), which are scored side "
        "by side; --form chooses one."
        for path, kinds in forms.items()
        if len(kinds) > 1
    ]


def _short_names(files: list[Path]) -> list[str]:
    """File names without folder and ending, unless two of them are the same."""
    stems = ["stdin" if path == STANDARD_INPUT else path.name.split(".")[0] for path in files]
    return stems if len(set(stems)) == len(stems) else [str(path) for path in files]
