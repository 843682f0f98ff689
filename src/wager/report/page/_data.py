"""The data of a page: one plain, versioned dictionary from which the page computes everything.

The format is described in docs/how-to/report-format.md.  The same input gives the same dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from itertools import combinations
from math import isfinite
from typing import Any

import numpy as np

from wager._typing import Array, ArrayLike
from wager._visible import shortened
from wager.compare import HeadToHead, family_of, listed
from wager.report.page._classifiers import Classifier, Parts, classifier_of_rows, units_of
from wager.report.page._costs import cost_section, fixed_costs
from wager.report.page._joint import PairCells, joint_section
from wager.report.page._probabilities import probability_section
from wager.report.page._render import embedded
from wager.report.page._script import script
from wager.report.page._store import store_section
from wager.rewards import (
    CellSums,
    PairedTally,
    ProbabilityEvaluation,
    ProbabilityTally,
    SetEvaluation,
    Tally,
    Utility,
    UtilityLike,
    get_utility,
)

FORMAT, VERSION = "wager-report", 1
USUAL = ("u50", "u65", "u80")
PAGE_LIMIT = 1_000_000  # characters of a page of up to 20 classifiers
_AROUND = 60_000  # characters of a page beside its data and its script
PAIR_LIMIT = 2_500  # characters for each pair of classifiers, if there are more than 20 of them
Plain = dict[str, Any]


@dataclass(frozen=True)
class ReportOptions:
    """How a report is made.

    Parameters
    ----------
    title : str, optional
        The title of the page; by default it names the classifiers.
    by : array-like, optional
        The group of each row, for data in memory.
    full : bool, default=False
        Keep every section, whatever its size.
    limit : int, optional
        The largest number of characters of the data, unless it is `full`: by default what is left
        of a page of 1 MB beside its script.
    pair_limit : int
        The same for each pair of classifiers, if that is more.
    level : float, default=0.95
        The level of intervals and tests, where the source has none.
    utilities : sequence of utilities, optional
        The utilities, where the source has none: by default u50, u65 and u80.
    learners : sequence of str, optional
        The learners of a run that are compared; by default all.
    inputs : sequence of dict
        Name, hash and size of each input.
    reproduce : mapping
        The shell and Python lines that make the same page.
    """

    title: str | None = None
    by: ArrayLike | None = None
    full: bool = False
    limit: int | None = None
    pair_limit: int = PAIR_LIMIT
    level: float = 0.95
    utilities: Sequence[UtilityLike] = USUAL
    learners: Sequence[str] | None = None
    inputs: Sequence[Plain] = ()
    reproduce: Mapping[str, Sequence[str]] = field(default_factory=dict)


def report_data(source: Any, **options: Any) -> Plain:
    """The data of a report page.

    Parameters
    ----------
    source : HeadToHead, SetEvaluation, ProbabilityEvaluation, Tally, PairedTally, mapping or Store
        What is reported: a comparison, an evaluation, counts, or the results of a run; a mapping
        from names to tallies is a comparison of classifiers that were counted on different rows.
    title : str, optional
        The title of the page.
    by : array-like of shape (n,), optional
        The group of each row, if the source has its rows in memory.
    full : bool, default=False
        Keep every section.  By default sections are left out, with a sentence, if the page would
        be larger than 1 MB.
    level, utilities, learners, inputs, reproduce
        As in `ReportOptions`.

    Returns
    -------
    dict
        Plain data; its keys are described in docs/how-to/report-format.md.

    Examples
    --------
    >>> from wager.compare import head_to_head
    >>> found = head_to_head([0, 1, 1], {"ncc": [[0], [0, 1], [1]], "nbc": [0, 0, 1]})
    >>> data = report_data(found)
    >>> data["format"], data["version"], [one["name"] for one in data["classifiers"]]
    ('wager-report', 1, ['ncc', 'nbc'])
    """
    return plain(fitted(_data_of(source, ReportOptions(**options))))


def empty_data() -> Plain:
    """The data of a page that waits for files."""
    return document("empty", "your predictions", {}, [], [])


@singledispatch
def _data_of(source: Any, options: ReportOptions) -> Draft:
    if hasattr(source, "outcome_shares"):  # a Store, whose package need not be loaded otherwise
        return _of_store(source, options)
    raise ValueError(
        f"cannot report an object of type {type(source).__name__}: pass a comparison, an "
        "evaluation, tallies, prediction files or the folder of a run"
    )


@dataclass
class _Section:
    """A section that may be left out, and the sentence that says so."""

    words: str
    read: Callable[[Plain], Any]
    write: Callable[[Plain, Any], None]
    instead: Callable[[], Any] = lambda: None
    kept: Any = None
    is_out: bool = False

    def leave_out(self, data: Plain) -> None:
        """Remove the section, but keep it."""
        self.kept = self.read(data)
        self.is_out = self.kept is not None
        if self.is_out:
            self.write(data, self.instead())

    def bring_back(self, data: Plain) -> None:
        """Put the section back."""
        if self.is_out:
            self.write(data, self.kept)
        self.is_out = False


@dataclass
class Draft:
    """The data of a page, and the sections that may be left out, the least important one first."""

    data: Plain
    options: ReportOptions
    optional: Sequence[_Section] = ()


def fitted(draft: Draft) -> Plain:
    """The data, without sections that do not fit.

    The least important section is left out first; one that was left out returns if there is space
    for it in the end.
    """
    data, n = draft.data, len(draft.data["classifiers"])
    limit = PAGE_LIMIT - _AROUND - len(script().encode())
    if draft.options.limit is not None:
        limit = draft.options.limit
    limit = max(limit, draft.options.pair_limit * n * (n - 1) // 2)
    if draft.options.full or size_of(data) <= limit:
        return data
    left_out: list[_Section] = []
    for section in draft.optional:
        section.leave_out(data)
        left_out.append(section)
        if size_of(data) <= limit:
            break
    for section in reversed(left_out[:-1]):
        section.bring_back(data)
        if size_of(data) > limit:
            section.leave_out(data)
    data["left_out"] += [section.words for section in left_out if section.is_out]
    return data


def size_of(data: Plain) -> int:
    """The number of characters of the data inside a page, all of which are ASCII."""
    return len(embedded(plain(data)))


def plain(value: Any) -> Any:
    """Plain data without numbers that are not finite: these become None."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value


# -- sources ---------------------------------------------------------------------------------------


@_data_of.register
def _of_comparison(found: HeadToHead, options: ReportOptions) -> Draft:
    return comparison(found, comparison_classifiers(found, options.by), options)


def comparison_classifiers(found: HeadToHead, by: ArrayLike | None = None) -> list[Classifier]:
    """What is known of the classifiers of a comparison, from its rows if it has them."""
    if found.rows is None:
        return [Classifier(name, found.tallies[name]) for name in found.names]
    return [
        classifier_of_rows(name, found.rows.read(name), found.tallies[name], by=by)
        for name in found.names
    ]


def comparison(
    found: HeadToHead, classifiers: Sequence[Classifier], options: ReportOptions
) -> Draft:
    """The data of classifiers on the same rows."""
    pairs = [_pair_cells(found.pairs[pair]) for pair in combinations(found.names, 2)]
    outcomes = found.outcomes
    if outcomes is None and found.rows is not None:
        outcomes = found.rows.outcomes()
    labels = _labels(classifiers, found.n_classes)
    if found.rows is not None and not classifiers[0].by_class:
        labels = [str(label) for label in found.rows.read(found.names[0]).sets.classes]
    data = document(
        "comparison",
        options.title or found.title,
        _facts(found.tallies[found.names[0]], found.confidence, options, found.n_rows)
        | {"warnings": list(found.warnings), "paired": True},
        labels,
        classifiers,
        utilities=[_utility_to_dict(u, found.n_classes) for u in found.utilities],
    )
    if found.rows is not None and found.rows.groups is not None:
        data["facts"]["clusters"] = len(np.unique(np.asarray(found.rows.groups)))
    data["joint"] = joint_section(len(found.names), pairs, outcomes)
    data["costs"] = cost_section(found)
    data["reproduce"] = _reproduce(options)
    return Draft(data, options, _optional_sections(found))


@_data_of.register
def _of_evaluation(found: SetEvaluation, options: ReportOptions) -> Draft:
    labels = [str(label) for label in found.classes]
    parts = Parts(labels, list(found.class_tallies.values()))
    title = options.title or "set-valued predictions"
    only = Classifier(title, found.tally, by_class=parts)
    data = _evaluation(only, found.tally, labels, found.utilities, options, found.n_rows)
    if found.costs is not None:
        level = data["facts"]["level"]
        data["costs"] = fixed_costs(found.costs.overall, found.costs.unit, level)
    return Draft(data, options, [_of_classifiers("by_class", "the results of single classes are")])


@_data_of.register
def _of_probabilities(found: ProbabilityEvaluation, options: ReportOptions) -> Draft:
    labels = [str(label) for label in found.classes]
    section = probability_section(found, options.level)
    title = options.title or "probabilities"
    tally = _tally_of_hits(found.tally)
    only = Classifier(title, tally, kind="probabilities", probabilities=section)
    return Draft(_evaluation(only, only.tally, labels, None, options, found.n_rows), options)


def _tally_of_hits(found: ProbabilityTally) -> Tally:
    """The tally of the most probable classes, whose units are those of the probabilities."""
    sums = found.sums["accuracy"]
    weight, hit = sums.sums[:2].sum(axis=1)
    both, right, hits = sums.moments.overall[:3]  # second moments of the weight and of the hits
    table = np.zeros((len(found.classes) + 1, 2))
    table[1] = [weight - hit, hit]
    counted = weight == found.n_rows and float(hit).is_integer()
    if sums.clusters is None and counted and both == weight:
        return Tally(table.astype(np.int64))
    occurs = table[1] > 0
    moments = np.array([[both - 2 * right + hits, right - hits], [right - hits, hits]])
    squares = moments[np.ix_(occurs, occurs)]
    if sums.clusters is None:
        return Tally(table, squares.diagonal())
    return Tally(table.astype(np.int64) if counted else table, squares)


@_data_of.register
def _of_tally(tally: Tally, options: ReportOptions) -> Draft:
    only = Classifier(options.title or "predictions", tally)
    labels = _labels([only], tally.n_classes)
    return Draft(_evaluation(only, tally, labels, None, options), options)


@_data_of.register
def _of_paired_tally(tally: PairedTally, options: ReportOptions) -> Draft:
    return _of_comparison(HeadToHead(("A", "B"), {("A", "B"): tally}), options)


@_data_of.register(Mapping)
def _of_tallies(tallies: Mapping[str, Any], options: ReportOptions) -> Draft:
    """Classifiers that were counted on different rows."""
    for name, tally in tallies.items():
        if not isinstance(tally, Tally):
            raise ValueError(
                f"{shortened(name)} is an object of type {type(tally).__name__}, not a Tally: "
                "compare predictions with wager.compare.head_to_head first"
            )
    if not tallies:
        raise ValueError("no tally was given: a report needs at least one classifier")
    classifiers = [Classifier(str(name), tally) for name, tally in tallies.items()]
    if len(classifiers) == 1:
        return _of_tally(classifiers[0].tally, options)
    n_classes = {one.tally.n_classes for one in classifiers}
    if len(n_classes) > 1:
        raise ValueError(
            "the tallies are over different numbers of classes "
            f"({', '.join(map(str, sorted(n_classes)))}): report them one by one"
        )
    first = classifiers[0].tally
    data = document(
        "comparison",
        options.title or f"{listed([one.name for one in classifiers])} on different rows",
        _facts(first, options.level, options) | {"rows": None, "paired": False},
        _labels(classifiers, first.n_classes),
        classifiers,
        utilities=[_utility_to_dict(get_utility(u), first.n_classes) for u in options.utilities],
    )
    data["reproduce"] = _reproduce(options)
    return Draft(data, options)


def _of_store(store: Any, options: ReportOptions) -> Draft:
    """Learners on many data sets."""
    section = store_section(store, options.level, options.learners)
    names, n_datasets = section["learners"], len(section["datasets"])
    cells = [cell for row in section["shares"] for cells in row for cell in cells or ()]
    n_classes = max((size for size, _, _ in cells), default=1)
    facts = _facts(Tally.empty(n_classes), options.level, options) | {"rows": None}
    failed, uneven = section["counts"]["failed"], store.uneven(names)
    warnings = [f"{failed} of {section['counts']['planned']} units of the run failed"]
    facts["warnings"] = [*(warnings if failed else []), *([uneven] if uneven else [])]
    data = document(
        "store",
        options.title or f"{listed(names)} over {n_datasets} data sets",
        facts,
        [],
        [],
        utilities=[_utility_to_dict(get_utility(u), n_classes) for u in options.utilities],
    )
    data["store"] = section
    data["reproduce"] = _reproduce(options)
    return Draft(data, options)


# -- parts of the dictionary -----------------------------------------------------------------------


def _evaluation(
    only: Classifier,
    tally: Tally,
    labels: Sequence[str],
    utilities: Sequence[Utility] | None,
    options: ReportOptions,
    n_rows: int | None = None,
) -> Plain:
    """The data of one classifier."""
    chosen = map(get_utility, options.utilities) if utilities is None else utilities
    data = document(
        "evaluation",
        options.title or only.name,
        _facts(tally, options.level, options, n_rows),
        labels,
        [only],
        utilities=[_utility_to_dict(u, tally.n_classes) for u in chosen],
    )
    data["reproduce"] = _reproduce(options)
    return data


def document(
    kind: str,
    title: str,
    facts: Plain,
    labels: Sequence[str],
    classifiers: Sequence[Classifier],
    utilities: Sequence[Plain] = (),
) -> Plain:
    """The data of a page, with nothing in the sections that are not given."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "title": title,
        "facts": facts,
        "classes": list(labels),
        "classifiers": [one.to_dict() for one in classifiers],
        "joint": None,
        "utilities": list(utilities),
        "costs": None,
        "sequences": [],
        "store": None,
        "rows": None,
        "left_out": [],
        "reproduce": {"shell": [], "python": []},
    }


def _facts(tally: Tally, level: float, options: ReportOptions, n_rows: int | None = None) -> Plain:
    from importlib.metadata import version

    weighted = tally.sums.totals.dtype.kind == "f"
    return {
        "rows": n_rows if n_rows is not None else None if weighted else tally.n,
        "total_weight": tally.n if weighted else None,
        "n_classes": tally.n_classes,
        "units": units_of(tally.sums),
        "effective_n": tally.effective_n,
        "clusters": None,
        "level": level,
        "versions": {"wager": version("wager")},
        "inputs": [dict(entry) for entry in options.inputs],
        "warnings": [],
        "paired": True,
    }


def _labels(classifiers: Sequence[Classifier], n_classes: int) -> list[str]:
    """The classes; numbers if their labels are not known."""
    parts = classifiers[0].by_class
    return [str(i + 1) for i in range(n_classes)] if parts is None else list(parts.labels)


def _pair_cells(paired: PairedTally) -> PairCells:
    first, second = np.divmod(paired.sums.numbers, 2 * paired.n_classes + 2)
    sums = paired.sums
    if sums.clusters is not None:  # totals of clusters are not shown
        sums = CellSums(sums.numbers, sums.totals, sums.squares)
    return PairCells(first, second, sums)


def _utility_to_dict(utility: Utility, n_classes: int) -> Plain:
    known = int(min(n_classes, utility.largest_size))
    worth: Array = np.full(n_classes + 1, np.nan)
    worth[: known + 1] = utility.of_size(np.arange(known + 1))
    try:
        about = utility.to_dict()
    except ValueError:  # a Python function
        about = {"kind": utility.kind}
    return about | {
        "name": utility.name,
        "worth": worth.tolist(),
        "on_the_line": family_of(utility) == "quadratic",
        "half_interval": getattr(utility, "half_interval", None),
    }


def _reproduce(options: ReportOptions) -> Plain:
    return {kind: list(options.reproduce.get(kind, ())) for kind in ("shell", "python")}


# -- what is left out if the page is too large -----------------------------------------------------


def _optional_sections(found: HeadToHead) -> list[_Section]:
    return [
        _whole("rows", "the single rows are"),
        _of_classifiers("confusion", "the confusion of classes is"),
        _whole("costs", "the costs are"),
        _of_classifiers("by_class", "the results of single classes are"),
        _of_classifiers("groups", "the results of groups are"),
        _Section(
            _words("the joint counts of the classifiers are"),
            lambda data: data["joint"],
            lambda data, joint: data.update(joint=joint),
            lambda: _facts_of_pairs(found),
        ),
    ]


def _words(what: str) -> str:
    them = "it" if what.endswith(" is") else "them"
    kept = f"left out because of the size of the page: keep {them} with --full"
    return f"{what[0].upper()}{what[1:]} {kept}."


def _whole(key: str, what: str) -> _Section:
    return _Section(_words(what), lambda data: data[key], lambda data, v: data.update({key: v}))


def _of_classifiers(key: str, what: str) -> _Section:
    def read(data: Plain) -> Any:
        found = [one[key] for one in data["classifiers"]]
        return None if all(section is None for section in found) else found

    def write(data: Plain, found: Any) -> None:
        for place, one in enumerate(data["classifiers"]):
            one[key] = None if found is None else found[place]

    return _Section(_words(what), read, write)


def _facts_of_pairs(found: HeadToHead) -> Plain:
    """Results along u(0.5) in place of the joint counts of every two classifiers."""
    pairs = []
    for i, j in combinations(range(len(found.names)), 2):
        pair = found.names[i], found.names[j]
        even, best = found.break_even(*pair), found.dominance(*pair)
        low, high = even.interval or (None, None)
        facts = {
            "value": even.value,
            "lower": low,
            "upper": high,
            "decided": [list(part) for part in even.decided],
            "sentence": even.verdict,
            "dominance": {
                "winner": best.details["winner"],
                "p": best.p,
                "sentence": best.verdict,
            },
        }
        pairs.append({"a": i, "b": j, "facts": facts})
    return {"outcomes": [[] for _ in found.names], "rows": None, "pairs": pairs}
