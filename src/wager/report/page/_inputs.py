"""Pages about files: predictions, tallies as JSON, or the data of another page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from wager._tables import SHOWN_INPUT, STANDARD_INPUT, RowUnits, limited_text
from wager._typing import Array, ArrayLike, Ints
from wager.compare import HeadToHead, compare_files, given_names, head_to_head, sets_of
from wager.costs import CostMatrix, ExtendedCosts
from wager.predictions import (
    PredictionFile,
    Predictions,
    PredictionSets,
    joint_classes,
    preferred_form,
    refuse_without,
    scan_all_predictions,
    scan_sets,
)
from wager.report._row_tallies import ALL, TallySettings, group_name, tally_rows
from wager.report.page._classifiers import Classifier, Parts, classifier_of_rows
from wager.report.page._data import (
    FORMAT,
    USUAL,
    VERSION,
    Draft,
    Plain,
    ReportOptions,
    _evaluation,
    _of_classifiers,
    _whole,
    comparison,
    fitted,
    plain,
    report_data,
)
from wager.report.page._probabilities import probability_section
from wager.report.page._rows import membership_section, row_section, sequence_section
from wager.report.page._stored import check_stored
from wager.report.page._summary import summary_tables
from wager.rewards import (
    CheckedRows,
    ProbabilityEvaluation,
    Tally,
    class_tallies_of_file,
    evaluate_probabilities,
    file_sums,
)

Progress = Callable[[float], None]
FileName = str | PathLike[str]
_IN_MEMORY = 1_000_000  # rows of files that are read as a whole, to show more about them
_MOST_GROUPS = 500
_KINDS = {"proba": "probabilities", "intervals": "intervals", "memberships": "memberships"}
_BLOCK = 1 << 20
_LARGEST_JSON = 1 << 28  # characters of a tally, or of the data of a page
_DATABASE = "results.sqlite"  # of a run
# options for prediction files alone
_ABOUT_ROWS = (
    "costs", "empty_cost", "by", "rows", "form", "columns", "cluster", "prior", "classes", "na",
    "rule",
)  # fmt: skip

_OPTIONS = {  # that have another name at the command line
    "empty_cost": "--empty-cost",
    "columns": "the name of a column",
    "utilities": "--utility",
    "confidence": "--level",
}


@dataclass(frozen=True)
class FileOptions:
    """How files are read and compared.

    Parameters
    ----------
    names : sequence of str, optional
        Names for the files.
    utilities : sequence of utilities, optional
        The utilities of the report; by default u50, u65 and u80.
    classes : sequence of str, optional
        All classes, including those that never occur.
    costs : CostMatrix or ExtendedCosts, optional
        Costs of predictions.
    empty_cost : float, optional
        The cost of an empty set.
    confidence : float, default=0.95
        The level of the intervals.
    by : str, optional
        The column with the group of each row; by default ``group``, if there is one.
    rows : int, default=0
        How many rows the page shows at most.
    form, columns, cluster, na
        As in `wager.compare.match_files`.
    rule : str, optional
        The rule that turns probability intervals into sets; by default ``"maximality"``.
    prior : sequence of float, optional
        The prior of information rewards.
    progress : callable, optional
        Called with the share of the work that is done.
    """

    names: Sequence[str] | None = None
    utilities: Sequence[Any] | None = None
    classes: ArrayLike | None = None
    costs: CostMatrix | ExtendedCosts | None = None
    empty_cost: float | None = None
    confidence: float = 0.95
    by: str | None = None
    rows: int = 0
    form: str | None = None
    columns: Mapping[str, str] | None = None
    cluster: str | None = None
    na: str = "error"
    rule: str | None = None
    prior: Sequence[float] | None = None
    progress: Progress | None = None

    @property
    def set_rule(self) -> str:
        """The rule that turns probability intervals into sets."""
        return "maximality" if self.rule is None else self.rule

    @property
    def column_names(self) -> dict[str, str]:
        """What the files call their columns."""
        given = {"cluster": self.cluster, "group": self.by}
        return {**(self.columns or {}), **{k: v for k, v in given.items() if v is not None}}


def file_data(paths: Sequence[FileName], options: FileOptions, report: ReportOptions) -> Plain:
    """The data of a page about files.

    Parameters
    ----------
    paths : sequence of path
        Prediction files, or tallies as JSON, or one file with the data of a page.
    options : FileOptions
    report : ReportOptions
    """
    runs = list(store_folders(paths))
    if runs:
        return _run_data(runs, paths, options, report)
    report = replace(report, inputs=[about_input(path) for path in paths])
    if all(Path(path).suffix.lower() == ".json" for path in paths):
        return _json_data(paths, options, report)
    return plain(fitted(_prediction_draft(paths, options, report)))


def about_input(path: FileName) -> Plain:
    """Name, SHA-256 and size of a file, by which a reader can check what was reported."""
    place = Path(path)
    if place in (STANDARD_INPUT, SHOWN_INPUT) or not place.is_file():
        return {"name": place.name or str(place), "sha256": None, "bytes": None}
    digest = hashlib.sha256()
    with place.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return {"name": place.name, "sha256": digest.hexdigest(), "bytes": place.stat().st_size}


# -- the results of a run --------------------------------------------------------------------------


def store_folders(paths: Sequence[FileName]) -> Iterator[Path]:
    """Those of the paths that are folders with the results of a run."""
    for path in map(Path, paths):
        if (path / _DATABASE).is_file():
            yield path


def _run_data(
    runs: Sequence[Path], paths: Sequence[FileName], options: FileOptions, report: ReportOptions
) -> Plain:
    from wager.experiments import Store

    if len(paths) > 1:
        raise ValueError("name the results folder of one run, or prediction files, but not both")
    _refuse_options(options, _ABOUT_ROWS, "is for prediction files: leave it out for a run")
    about = about_input(runs[0] / _DATABASE)
    return report_data(
        Store(runs[0]),
        title=report.title,
        full=report.full,
        level=options.confidence,
        utilities=options.utilities or USUAL,
        learners=options.names,
        inputs=[about | {"name": f"{runs[0].name}/{_DATABASE}"}],
        reproduce=report.reproduce,
    )


def _refuse_options(options: FileOptions, names: Sequence[str], why: str) -> None:
    """Raise if one of the options is given."""
    usual = FileOptions()
    for name in names:
        value, default = getattr(options, name), getattr(usual, name)
        comparable = isinstance(value, str | int | float | Mapping | None)
        if not (comparable and value in (default, {})):
            raise ValueError(f"{_OPTIONS.get(name, f'--{name}')} {why}")


# -- JSON ------------------------------------------------------------------------------------------


def _json_data(paths: Sequence[FileName], options: FileOptions, report: ReportOptions) -> Plain:
    texts = [_read(Path(path)) for path in paths]
    if len(texts) == 1 and (stored := _stored_page(texts[0], paths[0])) is not None:
        _check_summary(stored, paths[0])
        settled = ("names", "utilities", "confidence", *_ABOUT_ROWS)
        _refuse_options(options, settled, f"is settled by the data of the page in {paths[0]}")
        return stored | ({} if report.title is None else {"title": report.title})
    names = given_names(_stems(paths) if options.names is None else options.names, len(paths))
    tallies = {}
    for name, path, text in zip(names, paths, texts, strict=True):
        try:
            tallies[name] = Tally.from_json(text)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    _refuse_options(options, _ABOUT_ROWS, "is for prediction files: leave it out for tallies")
    return report_data(
        tallies if len(tallies) > 1 else next(iter(tallies.values())),
        title=report.title or (None if len(tallies) > 1 else names[0]),
        full=report.full,
        level=options.confidence,
        utilities=options.utilities or USUAL,
        inputs=report.inputs,
        reproduce=report.reproduce,
    )


def _read(path: Path) -> str:
    try:
        return limited_text(path, _LARGEST_JSON)
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text: it is not a tally as JSON") from None


def _stored_page(text: str, path: FileName) -> Plain | None:
    """The data of a page that were downloaded from it; None if it is something else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        return None
    if found.get("version") != VERSION:
        raise ValueError(
            f"{path} has data of version {found.get('version')} of the report, and this is version "
            f"{VERSION}: make the report again"
        )
    return found


def _check_summary(data: Plain, path: FileName) -> None:
    """Refuse data of which no page can be made, as of a file that was edited."""
    try:
        summary_tables(data)
        check_stored(data)
        if not isinstance(data["title"], str):
            raise TypeError("its title is not text")
        if not all(isinstance(each, str) for each in data["facts"]["warnings"]):
            raise TypeError("a warning is not text")
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as problem:
        kind = " ".join(f"{type(problem).__name__}: {problem}".split())
        raise ValueError(f"{path} has data of a report that are damaged ({kind})") from None


def _stems(paths: Sequence[FileName]) -> list[str]:
    stems = [Path(path).name.split(".")[0] for path in paths]
    return stems if len(set(stems)) == len(stems) else [str(path) for path in paths]


# -- predictions -----------------------------------------------------------------------------------


def _prediction_draft(
    paths: Sequence[FileName], options: FileOptions, report: ReportOptions
) -> Draft:
    if len(paths) == 1:
        stated = scan_all_predictions(
            paths[0], options.classes, form=options.form, columns=options.column_names
        )
        form = preferred_form(stated[0].source, [type(file.stated) for file in stated])
        (chosen,) = (file for file in stated if type(file.stated) is form)
        _refuse_unused([chosen], options)
        return _one_file(chosen, _stems(paths)[0], options, report)
    files: list[PredictionFile] = []
    for path in paths:
        beside = files[0] if files else None
        files.append(
            scan_sets(
                path, options.classes, form=options.form, columns=options.column_names,
                beside=beside,
            )
        )  # fmt: skip
    _refuse_unused(files, options)
    found = compare_files(
        files,
        options.utilities,
        costs=options.costs,
        empty_cost=options.empty_cost,
        names=options.names,
        classes=options.classes,
        confidence=options.confidence,
        columns=options.column_names,
        na=options.na,
        rule=options.set_rule,
        progress=options.progress,
    )
    files = _over_common_classes(files, options)
    if (found.n_rows or 0) > _IN_MEMORY:
        alone = _count_alone(files)
        classifiers = [
            _counted(name, file, found.tallies[name], options)
            if alone
            else Classifier(name, found.tallies[name], _kind(file))
            for name, file in zip(found.names, files, strict=True)
        ]
        draft = comparison(found, classifiers, report)
        if not alone:
            draft.data["left_out"].append(
                "Single classes, groups and probabilities of more than a million rows are shown if "
                "each file has the same columns weight, count and cluster and lacks no value."
            )
        draft.data["left_out"].append(
            "The confusion of classes is shown for files of up to a million rows."
        )
        return draft
    return _in_memory(found, files, options, report)


def _refuse_unused(files: Sequence[PredictionFile], options: FileOptions) -> None:
    """Refuse options about kinds of predictions that the page does not show."""
    refuse_without(files, "proba", prior=options.prior)
    refuse_without(files, "intervals", rule=options.rule)


def _count_alone(files: Sequence[PredictionFile]) -> bool:
    """Whether each file shows without the others which rows are kept and what they count for."""
    units = {
        tuple(getattr(file.layout, name) is None for name in ("weight", "count", "cluster"))
        for file in files
    }
    return len(units) == 1 and all(file.missing is None for file in files)


def _over_common_classes(files: list[PredictionFile], options: FileOptions) -> list[PredictionFile]:
    if options.na == "drop":
        files = [file.without_missing() for file in files]
    if options.classes is not None:
        return files
    known = [file.settled_classes() for file in files]
    if not all(labels.dtype.kind in "iu" for labels in known):
        known = [labels.astype(str) for labels in known]
    together = joint_classes(known)
    return [file.with_classes(together) for file in files]


@dataclass(frozen=True, eq=False)
class _Matched:
    """The rows that all files have, in the order of the first one."""

    parts: list[Predictions]
    places: list[Ints]  # of these rows in each file

    @classmethod
    def of(cls, files: Sequence[PredictionFile]) -> _Matched:
        by_id = len(files) > 1 and all(file.layout.id is not None for file in files)
        parts = [(file.with_ids() if by_id else file).read() for file in files]
        keys: list[Any] = [part.id if by_id else part.row for part in parts]
        if all(np.array_equal(keys[0], other) for other in keys[1:]):
            return cls(parts, [np.arange(len(parts[0]))] * len(parts))
        places = [{key: i for i, key in enumerate(_listed(each))} for each in keys]
        common = [key for key in places[0] if all(key in other for other in places[1:])]
        return cls(parts, [np.array([own[key] for key in common], dtype=int) for own in places])

    def column(self, name: str) -> Any:
        """A column of the first file that has it."""
        for part, place in zip(self.parts, self.places, strict=True):
            values = getattr(part, name)
            if values is not None:
                return values[place]
        return None


def _listed(keys: Array | None) -> list[Any]:
    return [] if keys is None else keys.tolist()


def _in_memory(
    counted: HeadToHead,
    files: Sequence[PredictionFile],
    options: FileOptions,
    report: ReportOptions,
) -> Draft:
    """The draft of files whose rows fit into memory: with confusion, rows and sequences."""
    rows = _Matched.of(files)
    classes, codes = rows.parts[0].classes, rows.parts[0].codes[rows.places[0]]
    sets = [
        sets_of(part, options.set_rule)[place]
        for part, place in zip(rows.parts, rows.places, strict=True)
    ]
    units = {
        "sample_weight": rows.column("weight"),
        "counts": rows.column("count"),
        "groups": rows.column("cluster"),
    }
    found = head_to_head(
        classes[codes],
        dict(zip(counted.names, sets, strict=True)),
        counted.utilities or None,
        costs=options.costs,
        empty_cost=options.empty_cost,
        classes=classes,
        confidence=options.confidence,
        **units,
    )
    found = replace(found, warnings=counted.warnings)
    by, words = _groups(rows.column("group"))
    checked = RowUnits.of(len(codes), *units.values())
    classifiers = []
    for i, (name, part) in enumerate(zip(found.names, rows.parts, strict=True)):
        one = classifier_of_rows(
            name, CheckedRows(codes, sets[i], checked), found.tallies[name],
            kind=_kind(files[i]), by=by, by_name=options.by or "group",
        )  # fmt: skip
        classifiers.append(_with_numbers(one, part, rows.places[i], units, options))
    draft = comparison(found, classifiers, report)
    draft.data["left_out"] += words
    draft.data["rows"] = row_section(codes, sets, rows.column("id"), options.rows)
    if all(value is None for value in units.values()):
        draft.data["sequences"] = sequence_section(
            classes[codes], sets, found.names, options.confidence
        )
    return draft


def _groups(group: Array | None) -> tuple[Array | None, list[str]]:
    """The group of each row, unless there are too many; and a sentence if there are."""
    if group is None:
        return None, []
    names = np.array([group_name(name) for name in group.tolist()], dtype=object)
    n_groups = len(set(names.tolist()))
    if n_groups > _MOST_GROUPS:
        return None, [
            f"The groups are left out: there are {n_groups:,}, and a page shows up to "
            f"{_MOST_GROUPS}; choose another column with --by."
        ]
    return names, []


def _kind(file: PredictionFile) -> str:
    return "labels" if file.form == "label" else _KINDS.get(file.kind, "sets")


def _with_numbers(
    one: Classifier, part: Predictions, place: Ints, units: Mapping[str, Any], options: FileOptions
) -> Classifier:
    """A classifier with what is known of its probabilities or memberships."""
    codes = part.codes[place]
    if part.proba is not None:
        found = evaluate_probabilities(
            part.classes[codes], part.proba[place], options.prior, classes=part.classes, **units
        )
        return replace(one, probabilities=probability_section(found, options.confidence))
    if part.memberships is not None:
        return replace(one, memberships=membership_section(codes, part.memberships[place]))
    return one


def _one_file(
    file: PredictionFile, name: str, options: FileOptions, report: ReportOptions
) -> Draft:
    """The draft of one prediction file."""
    if options.names is not None:
        [name] = given_names(options.names, 1)
    [file] = _over_common_classes([file], options)
    rows = _Matched.of([file])
    [part] = rows.parts
    sets = sets_of(part, options.set_rule)
    units: dict[str, Any] = {
        "sample_weight": part.weight,
        "counts": part.count,
        "groups": part.cluster,
    }
    checked = CheckedRows(part.codes, sets, RowUnits.of(len(part), *units.values()))
    tally = Tally.of(part.y_true, sets, part.classes, **units)
    by, words = _groups(part.group)
    one = classifier_of_rows(
        name, checked, tally, kind=_kind(file), by=by, by_name=options.by or "group"
    )
    one = _with_numbers(one, part, rows.places[0], units, options)
    report = replace(report, level=options.confidence, utilities=options.utilities or USUAL)
    labels = [str(label) for label in part.classes]
    n_rows = checked.units.observations(len(part))
    data = _evaluation(one, tally, labels, None, report, n_rows)
    data["facts"]["warnings"] = list(part.warnings)
    if part.cluster is not None:
        data["facts"]["clusters"] = len(set(part.cluster.tolist()))
    data["left_out"] += words
    data["rows"] = row_section(part.codes, [sets], part.id, options.rows)
    if options.costs is not None:
        data["costs"] = _costs_of_one(part, sets, units, options)
    return Draft(
        data,
        report,
        [
            _whole("rows", "the single rows are"),
            _of_classifiers("confusion", "the confusion of classes is"),
            _of_classifiers("by_class", "the results of single classes are"),
            _of_classifiers("groups", "the results of groups are"),
        ],
    )


def _costs_of_one(
    part: Predictions, sets: PredictionSets, units: Mapping[str, Any], options: FileOptions
) -> Plain:
    from wager.costs import costs_for_classes, evaluate_costs
    from wager.report.page._costs import fixed_costs

    assert options.costs is not None
    named = costs_for_classes(options.costs, part.classes.tolist(), "the file")
    extended = named if isinstance(named, ExtendedCosts) else named.extend()
    found = evaluate_costs(
        part.y_true, sets, extended, classes=part.classes, empty_cost=options.empty_cost, **units
    )
    return fixed_costs(found.overall, found.unit, options.confidence)


def _counted(name: str, file: PredictionFile, tally: Tally, options: FileOptions) -> Classifier:
    """What is known of a file that is counted in chunks: its classes, groups and probabilities."""
    by_group = file.layout.group is not None and file.n_groups <= _MOST_GROUPS
    if file.kind == "memberships":
        return Classifier(name, tally, _kind(file))
    found = tally_rows(file, TallySettings(by_group, options.prior, options.set_rule))
    assert found.counts is not None
    counts = found.counts
    n_classes = len(counts.classes)
    labels = [str(label) for label in counts.classes]
    by_class = Parts(labels, class_tallies_of_file(counts))
    groups = None
    if by_group:
        parts = {group_name(each): counts.of_group(each) for each in counts.groups}
        tallies = [Tally.of_sums(n_classes, file_sums(part).by_size) for part in parts.values()]
        groups = Parts(list(parts), tallies, options.by or "group")
    section = None
    if ALL in found.probabilities:
        whole = ProbabilityEvaluation(found.probabilities[ALL])
        section = probability_section(whole, options.confidence)
    return Classifier(name, tally, _kind(file), by_class, groups, None, section)
