"""``wager score``: what the predictions in a file are worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wager.cli._costs import cost_option
from wager.cli._errors import one_sentence
from wager.cli._memberships import (
    Depth,
    Kind,
    Sharpness,
    Ties,
    membership_choice,
    refuse_without_memberships,
)
from wager.cli._options import (
    DEFAULT_UTILITIES,
    Classes,
    Cluster,
    Costs,
    CostUnit,
    EmptyCost,
    Form,
    Format,
    OutputFile,
    OutputFormat,
    Prior,
    Quiet,
    RuleName,
    Utilities,
    argument,
    examples,
    labels,
    numbers,
    option,
)
from wager.cli._progress import file_progress
from wager.cli._render import Grid, Printout, printing

if TYPE_CHECKING:
    from wager.report import FileScores, Score

ROUNDING_ERROR = 1e-12  # a value up to this size is shown as 0

EXAMPLES = examples(
    "wager score predictions.csv",
    "wager score cautious.csv plain.csv -u u65 -u u80 --by-class",
    "wager score decision-values.csv --memberships rank",
    "wager score predictions.csv --costs costs.toml --by-class",
    "wager score predictions.parquet --classes 'a,b,\"c,d\"' --format json -o scores.json",
)

Files = Annotated[
    list[Path],
    argument(
        "FILE",
        "Prediction files (CSV, Parquet, Arrow, JSON Lines): a column y_true, and one of "
        "y_pred, set, mask, in:<class>, p:<class>, lower:/upper:<class>, m:<class>.",
    ),
]
ByClass = Annotated[bool, typer.Option("--by-class", help="Also score each true class.")]
By = Annotated[
    str | None,
    option("--by", "COLUMN", "Also score each value of this column."),
]
ScoreLevel = Annotated[
    float | None,
    option(
        "--level --confidence",
        "NUMBER",
        "Show confidence intervals of this level, such as 0.95, instead of standard errors.",
    ),
]


def score(
    files: Files,
    utility: Utilities = None,
    by_class: ByClass = False,
    by: By = None,
    cluster: Cluster = None,
    classes: Classes = None,
    form: Form = None,
    prior: Prior = None,
    rule: RuleName = "maximality",
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
    quiet: Quiet = False,
) -> None:
    """Score prediction files by every measure that applies.

    Several files are shown side by side. `wager explain MEASURE` says what a measure means.
    """
    with one_sentence(), printing(output_format, output) as show:
        from wager.predictions import scan_all_predictions
        from wager.report import comparison_words, score_file
        from wager.rewards import get_utility

        if level is not None and not 0 < level < 1:
            raise ValueError(f"--level must lie between 0 and 1, got {level:g}")
        utilities = [get_utility(name) for name in utility or DEFAULT_UTILITIES]
        declared = labels(classes)
        frequencies = numbers(prior, float, "--prior", "0.5,0.3,0.2")
        choice = membership_choice(memberships, sharpness, depth, ties)
        opened = []
        prices = cost_option(costs, unit, empty_cost)
        files = list(dict.fromkeys(files))
        found = []
        for path, name in zip(files, _short_names(files), strict=True):
            with file_progress(path, quiet) as progress:
                stated = scan_all_predictions(path, declared, form=form, by=by, cluster=cluster)
                opened += stated
                for scanned in stated:
                    title = name if len(stated) == 1 else f"{name} ({scanned.form})"
                    found.append(
                        score_file(
                            scanned, title, utilities, by_class=by_class, by_group=by is not None,
                            prior=frequencies, rule=rule, memberships=choice, costs=prices,
                            empty_cost=empty_cost, progress=progress,
                        )
                    )  # fmt: skip
        refuse_without_memberships(
            opened, memberships=memberships, sharpness=sharpness, depth=depth, ties=ties
        )
        show(_printout(found, comparison_words(found, [u.name for u in utilities]), level))


def _short_names(files: list[Path]) -> list[str]:
    """File names without folder and ending, unless two of them are the same."""
    stems = [path.stem for path in files]
    return stems if len(set(stems)) == len(stems) else [str(path) for path in files]


def _printout(found: list[FileScores], comparison: list[str], level: float | None) -> Printout:
    scores = [score for file in found for score in file.scores]
    ends = {} if level is None else {id(s): s.interval(level) for s in scores}
    header = ["file", "family", "group", "class", "measure", "value", "standard_error"]
    records = [
        [s.file, s.family, s.group, s.of_class, s.measure, s.value, s.standard_error]
        for s in scores
    ]
    if level is not None:
        header += ["lower", "upper"]
        for record, s in zip(records, scores, strict=True):
            record += ends[id(s)] or (float("nan"), float("nan"))
    families = dict.fromkeys(score.family for score in scores)
    return Printout(
        about=f"scores of {', '.join(file.file for file in found)}",
        grids=[
            *(_side_by_side([s for s in scores if s.family == name], ends) for name in families),
            *_error_grids(found),
        ],
        remarks=[f"{f.file}: {words}" for f in found for words in f.sentences] + comparison,
        records=Grid(header, records),
        data=[_plain(file, ends) for file in found],
    )


def _error_grids(found: list[FileScores]) -> list[Grid]:
    """What each kind of error costs, one table per file with costs."""
    from wager.report import error_table

    grids = []
    for file in found:
        if file.costs is not None and file.costs.errors:
            header, rows = error_table(file.costs)
            name = f"{file.file}: {header[0]}" if len(found) > 1 else header[0]
            grids.append(Grid([name, *header[1:]], rows, "<<>>>>"))
    return grids


Ends = dict[int, tuple[float, float] | None]  # the intervals that were asked for, by id of score


def _side_by_side(scores: list[Score], ends: Ends) -> Grid:
    """The scores of one family: a row per measure and class, a column per file and group."""
    columns = list(dict.fromkeys((s.file, s.group) for s in scores))
    cells = {(s.file, s.group, s.of_class, s.measure): s for s in scores}
    rows = []
    for of_class, measure in dict.fromkeys((s.of_class, s.measure) for s in scores):
        title = measure.replace("_", " ")
        label = f"  {title} of {of_class}" if of_class else title
        found = (cells.get((f, g, of_class, measure)) for f, g in columns)
        rows.append([label, *(_cell(score, ends) for score in found)])
    titles = [file if not group else f"{file} [{group}]" for file, group in columns]
    family = scores[0].family if scores[0].unit is None else f"costs in {scores[0].unit}"
    return Grid([family, *titles], rows)


def _cell(score: Score | None, ends: Ends) -> str:
    from wager._tables import format_number

    if score is None:
        return "-"
    value = format_number(_without_rounding_error(score.value))
    interval = ends.get(id(score))
    if interval is not None:
        low, high = (format_number(_without_rounding_error(end)) for end in interval)
        return f"{value} ({low} to {high})"
    if score.standard_error != score.standard_error:
        return value
    return f"{value} ± {format_number(_without_rounding_error(score.standard_error))}"


def _without_rounding_error(value: float) -> float:
    return 0.0 if abs(value) <= ROUNDING_ERROR else value


def _plain(file: FileScores, ends: Ends) -> dict[str, Any]:
    """The scores of a file as plain data, for JSON."""
    shown = ("family", "group", "of_class", "measure", "value", "standard_error")
    scores = []
    for score in file.scores:
        scores.append({name: getattr(score, name) for name in shown})
        if ends:
            scores[-1]["interval"] = ends[id(score)]
    data: dict[str, Any] = {"file": file.file, "words": list(file.sentences)}
    data |= {"warnings": list(file.warnings), "clusters": file.clusters}
    if file.memberships is not None:
        data["memberships"] = file.memberships.to_dict()
    if file.costs is not None:
        data["costs"] = file.costs.to_dict()
    return data | {"scores": scores}
