"""``wager compare``: which of several classifiers is better, and for which users."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wager.cli._columns import (
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
from wager.cli._engine import Workers, chosen_engine, refuse_engine
from wager.cli._errors import one_sentence
from wager.cli._help import examples
from wager.cli._kinds import (
    Clip,
    as_probabilities,
    holds_parquet,
    opened,
    refuse_for_sets,
    with_kinds,
)
from wager.cli._memberships import ComparedMemberships
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
    Level,
    OutputFile,
    OutputFormat,
    Prior,
    Quiet,
    RuleName,
    Utilities,
    argument,
    check_level,
    class_labels,
    labels,
    numbers,
    option,
)
from wager.cli._outlook import with_outlook
from wager.cli._pictures import check_picture, draw_critical_differences
from wager.cli._progress import file_progress
from wager.cli._render import Grid, Printout, printing
from wager.cli._utilities import chosen_utilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wager._typing import Floats
    from wager.compare import HeadToHead, OverDatasets, ProbabilityComparison
    from wager.rewards import Utility

EXAMPLES = examples(
    """
    # which classifier is better, and for which users
    wager compare cautious.csv plain.csv
    # with names for the two files, and a plot of the risk profile
    wager compare cautious.csv plain.csv --names ncc,nbc --plot profile.png
    # by what mistakes cost
    wager compare cautious.csv plain.csv --costs costs.toml --unit EUR
    # the learners of a run, as a table for a paper
    wager compare results -u u65 --format latex -o table.tex
    """
)

Files = Annotated[
    list[Path],
    argument(
        "FILE",
        "Prediction files of the same rows, matched by their id column or else by order (- is "
        "standard input); or the results folder of a run.",
    ),
]
Names = Annotated[
    str | None,
    option(
        "--names",
        "NAMES",
        "Names for the files, such as ncc,nbc; or the learners of a run to compare.",
    ),
]
Plot = Annotated[
    Path | None,
    option(
        "--plot",
        "FILE",
        "Draw the risk profile to this PNG, SVG or PDF file; for a run, the critical-difference "
        "diagram of its learners, or the scores of two learners against each other.",
    ),
]
PlanRows = Annotated[
    bool,
    typer.Option("--plan", help="Also show how many rows would decide between the classifiers."),
]
_POWER = 0.8
Power = Annotated[
    float | None,
    option(
        "--power",
        "NUMBER",
        "With --plan: the probability with which the planned rows decide.",
        default=str(_POWER),
    ),
]
Margin = Annotated[
    float | None,
    option(
        "--margin",
        "NUMBER",
        "Also test whether the classifiers are within this margin of each other.",
    ),
]


def compare(
    files: Files,
    utility: Utilities = None,
    names: Names = None,
    classes: Classes = None,
    form: Form = None,
    truth: TruthColumn = None,
    pred: PredColumn = None,
    sets: SetColumn = None,
    proba_prefix: ProbaPrefix = None,
    row_id: IdColumn = None,
    weight: WeightColumn = None,
    count: CountColumn = None,
    cluster: Cluster = None,
    na: MissingValues = "error",
    rule: RuleName = None,
    costs: Costs = None,
    empty_cost: EmptyCost = None,
    unit: CostUnit = None,
    prior: Prior = None,
    clip: Clip = None,
    memberships: ComparedMemberships = None,
    level: Level = 0.95,
    plan: PlanRows = False,
    power: Power = None,
    margin: Margin = None,
    plot: Plot = None,
    output_format: Format = OutputFormat.text,
    output: OutputFile = None,
    engine: Engine = "local",
    dask_address: DaskAddress = None,
    jobs: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Compare classifiers by their prediction files, or the learners of a run.

    Shows scores, paired differences, break-even points, dominance and a recommendation.
    With --costs the average costs decide, together with the utilities of --utility if given.
    Files with probabilities (p: or class_1, p_1, ... columns) are compared by information reward,
    log loss and Brier score, unless an option about sets such as --utility or --costs is given.
    With --plan or --margin, also how many rows would decide, and which classifiers are equivalent.
    """
    with one_sentence(), printing(output_format, output) as show, ExitStack() as stack:
        from wager.compare import compare_files, compare_probability_files
        from wager.predictions import refuse_without

        check_level(level)
        check_picture(plot)
        if power is not None and not plan:
            raise ValueError("--power is the power of planned rows: add --plan, or leave it out")
        prices = cost_option(costs, unit, empty_cost)
        utilities = chosen_utilities(utility, DEFAULT_UTILITIES if prices is None else ())
        # one folder alone is a run: predictions are compared with others
        if any(path.is_dir() and (len(files) == 1 or not holds_parquet(path)) for path in files):
            _refuse_for_a_run(
                costs=costs, plan=plan, margin=margin, cluster=cluster, classes=classes, form=form,
                truth=truth, pred=pred, set=sets, proba_prefix=proba_prefix, id=row_id,
                weight=weight, count=count, memberships=memberships,
                na=None if na == "error" else na, rule=rule,
            )  # fmt: skip
            refuse_engine(engine, dask_address, jobs)
            refuse_for_sets(prior=prior, clip=clip)
            learners = _learners(files, labels(names), utilities, level)
            if plot is not None:
                _draw(learners, plot)
            show(_printout(learners))
            return
        columns = column_names(truth, pred, sets, proba_prefix, row_id, weight, count)
        if cluster is not None:
            columns["cluster"] = cluster
        refuse_twice(files)
        declared = class_labels(classes)
        scanned = opened(files, declared, form, columns)
        kinds = [file.kind for file in scanned]
        refuse_without(scanned, "intervals", rule=rule)
        refuse_without(scanned, "memberships", memberships=memberships)
        common: dict[str, Any] = {
            "names": labels(names), "classes": declared, "columns": columns, "na": na,
            "confidence": level,
            "engine": stack.enter_context(chosen_engine(engine, dask_address, jobs)),
        }  # fmt: skip
        about_sets = {"costs": costs, "plan": plan, "margin": margin, "plot": plot}
        if as_probabilities(kinds, utility=utility, **about_sets):
            frequencies = numbers(prior, float, "--prior", "0.5,0.3,0.2")
            with file_progress(*files, quiet=quiet) as progress:
                of_probabilities = compare_probability_files(
                    scanned, frequencies, clip=clip, progress=progress, **common
                )
            warn(of_probabilities.warnings)
            printout = _printout(of_probabilities)
            show(replace(printout, remarks=[of_probabilities.note, *printout.remarks]))
            return
        refuse_for_sets(prior=prior, clip=clip)
        with file_progress(*files, quiet=quiet) as progress:
            found = compare_files(
                scanned, utilities, rule=rule or USUAL_RULE, costs=prices, empty_cost=empty_cost,
                progress=progress, **common,
            )  # fmt: skip
        warn(found.warnings)
        if plot is not None:
            _draw(found, plot)
        printout = with_kinds(_printout(found), kinds, found.names)
        planned = (_POWER if power is None else power) if plan else None
        outlook = plan or margin is not None
        show(with_outlook(printout, found, planned, margin) if outlook else printout)


def _refuse_for_a_run(
    *, costs: Any, plan: bool, margin: float | None, **about_files: object
) -> None:
    """Refuse the options that are about prediction files."""
    if costs is not None:
        raise ValueError(
            "--costs compares prediction files: `wager results FOLDER --costs FILE` shows what the "
            "learners of a run cost"
        )
    for name, value in about_files.items():
        if value is not None:
            raise ValueError(
                f"--{name.replace('_', '-')} is for prediction files: leave it out for the results "
                "of a run"
            )
    if plan or margin is not None:
        raise ValueError(
            "--plan and --margin are for prediction files: leave them out for the results of a run"
        )


def _learners(
    folders: list[Path], wanted: list[str] | None, utilities: Sequence[Utility], level: float
) -> OverDatasets:
    """The learners of a run, by their ranks over its data sets."""
    from wager.compare import over_datasets
    from wager.experiments import Store, require_learners

    if len(folders) > 1:
        raise ValueError("compare the results folder of one run, or prediction files, not both")
    store = Store(folders[0])
    learners = list(store.learners) if wanted is None else wanted
    require_learners(learners, store.learners)
    tables = {u.name: store.scores(u.name) for u in utilities}
    places = [tables[utilities[0].name].columns.index(name) for name in learners]
    scores = {name: _complete_rows(table.values[:, places]) for name, table in tables.items()}
    warn(filter(None, [store.uneven(learners)]))
    return over_datasets(scores, names=learners, alpha=1 - level)


def _complete_rows(values: Floats) -> Floats:
    """The data sets on which every learner has a score."""
    return values[(values == values).all(axis=1)]


def _printout(found: HeadToHead | OverDatasets | ProbabilityComparison) -> Printout:
    data = found.to_dict()
    return Printout(
        about=found.title,
        title=found.title,
        grids=[_grid(*table) for table in found.tables()],
        legend=getattr(found, "note", ""),
        remarks=found.sentences(),
        advice=found.recommendation,
        text=lambda: repr(found),
        records=_pair_records(data) if "pairs" in data else _rank_records(data),
        data=data,
    )


def _grid(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Grid:
    """A table; the second column is aligned to the left as well if it names a utility or score."""
    in_words = 2 if header[1] in ("under", "score") else 1
    return Grid(header, rows, "<" * in_words + ">" * (len(header) - in_words))


def _pair_records(data: dict[str, Any]) -> Grid:
    """One row per score and per paired difference."""
    criterion = "score" if data.get("kind") == "probabilities" else "utility"
    rows = [
        [name, "", utility, found["mean"], *(found["interval"] or ("", "")), ""]
        for name, scores in data["scores"].items()
        for utility, found in scores.items()
    ]
    rows += [
        [
            pair["first"],
            pair["second"],
            utility,
            found["mean"],
            *(found["interval"] or ("", "")),
            found["p"],
        ]
        for pair in data["pairs"]
        for utility, found in pair["differences"].items()
    ]
    return Grid(["classifier", "minus", criterion, "mean", "low", "high", "p"], rows)


def _rank_records(data: dict[str, Any]) -> Grid:
    """One row per utility and classifier."""
    rows = [
        [name, utility, mean, rank]
        for utility, found in data["utilities"].items()
        for name, mean, rank in zip(
            data["classifiers"], found["means"], found["mean_ranks"], strict=True
        )
    ]
    return Grid(["classifier", "utility", "mean", "mean_rank"], rows)


def _draw(found: HeadToHead | OverDatasets, path: Path) -> None:
    from wager.compare import HeadToHead, risk_profile
    from wager.plots import plain_figure, plot_risk_profile, save

    if not isinstance(found, HeadToHead):
        draw_critical_differences(found.scores, found.names, path, alpha=found.alpha)
        return
    ax = plain_figure((7.0, 4.5)).subplots()
    if found.costs is not None and not found.utilities:
        profile = found.costs.profile()
        crossings = {(a, b): found.cost_break_even(a, b) for a, b in found.shown_pairs}
        known = {pair: even for pair, even in crossings.items() if even is not None}
        save(plot_risk_profile(profile, known, ax), path)
        return
    break_evens = {(a, b): found.break_even(a, b) for a, b in found.shown_pairs}
    save(plot_risk_profile(risk_profile(found.tallies), break_evens, ax), path)
