"""The same rows in another order, under other names and in other forms have the same answers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pytest

from tests.fuzz.functions import parameters_of, targets
from tests.relations.answers import Allowed, Reader, differences
from tests.relations.calls import (
    UNITS,
    WITHOUT_ROWS,
    arguments,
    call,
    calls,
    function_of,
    is_by_group,
    order_of,
    units_of,
)
from tests.relations.cases import (
    RENAMED,
    RENAMED_CLUSTERS,
    RENAMED_SITES,
    SCALE,
    Case,
    N,
)

SOME = (3, 7, 8, 11)  # rows that get no weight
NAMES = Allowed(orders=True)


@dataclass(frozen=True)
class Relation:
    """How a case is written in two ways, what may differ in the answers, and the units it needs."""

    change: Callable[[Case], Case]
    allowed: Allowed
    needs: str | None = None
    start: Callable[[Case], Case] = replace

    def cases(self, name: str) -> tuple[Case, Case]:
        """Two cases that say the same to a call."""
        first = self.start(Case(units=units_of(name)))
        return first, self.change(first)


RELATIONS = {
    "rows in another order": Relation(Case.permuted, Allowed()),
    "counts are rows written out": Relation(Case.written_out, Allowed(rows=True), "counts"),
    "rows of weight 0 are left out": Relation(
        lambda case: replace(case, rows=tuple(row for row in range(N) if row not in SOME)),
        Allowed(rows=True),
        "sample_weight",
        partial(replace, unweighted=SOME),
    ),
    "weights in another unit": Relation(
        partial(replace, scale=SCALE), Allowed(scale=True), "sample_weight"
    ),
    "classes with other names": Relation(partial(replace, names=RENAMED), NAMES),
    "classes with other names that sort them": Relation(
        partial(replace, names=RENAMED),
        NAMES,
        start=partial(replace, form="pandas", declared=False),
    ),
    "classes in another order": Relation(partial(replace, order=(2, 0, 1)), NAMES),
    "groups and clusters with other names": Relation(
        partial(replace, sites=RENAMED_SITES, clusters=RENAMED_CLUSTERS), NAMES
    ),
    **{
        f"as {form}": Relation(partial(replace, form=form), Allowed())
        for form in ("list", "pandas", "polars", "arrow")
    },
}
LONG = {"as list", "as polars"}
# Calls whose answers take long to read; they have few relations in short runs.
SLOW = {
    "wager.evaluate_sets", "wager.head_to_head", "wager.caution_by_group",
    "wager.indeterminate_gain", "wager.Tally.of_file", "metrics.evaluate_costs",
    "metrics.conditional_coverage_error", "compare.compare_files",
    "compare.compare_probability_files", "report.comparison_words", "report.score_file",
    "report.score_file | probabilities", "report.score_groups",
}  # fmt: skip
FEW = {"rows in another order", "counts are rows written out", "classes in another order"}

# What a relation does not hold for, and why.
_LISTED = "lists the classes in their order"
_PLACES = "divides rows at random, by their places or by the order of their clusters"
APART: dict[str, dict[str, str]] = {
    "rows in another order": {
        "metrics.worst_slice": _PLACES,
        "metrics.worst_slice_coverage": _PLACES,
    },
    "counts are rows written out": {"wager.read_predictions": "keeps the lines of a file"},
    "rows of weight 0 are left out": {
        "wager.read_predictions": "keeps the lines of a file",
        "partitions.class_frequencies": "keeps values that only rows of weight 0 have",
        "wager.standardize": "counts all rows as objects",
        "wager.standardize | depth 2": "counts all rows as objects",
    },
    "weights in another unit": {
        "compare.sample_size": "rounds the weight that is needed up",
        "report.report_data": "writes large numbers in another form",
        "wager.standardize | depth 2": "has a table of fewer columns where numbers are longer",
    },
    "classes with other names that sort them": {
        "wager.audit": "gives numbers of classes that only its text names",
        "wager.to_memberships": "takes no names in another order: tests/test_column_order.py",
        "rewards.game_value": "is of a matrix without names",
    },
    "classes in another order": {
        "costs.cost_template": _LISTED,
        "report.report_data": _LISTED,
        "rewards.game_value": "is of a matrix without names",
        "wager.audit": "shows the first of several witnesses",
        "wager.evaluate_probabilities": "draws random numbers for each class in turn",
    },
    "groups and clusters with other names": {
        "metrics.conditional_coverage_error": _PLACES,
        "metrics.worst_slice": _PLACES,
        "wager.read_predictions": "gives the names of clusters",
        "wager.caution_by_group": "names the first of several groups with the largest gap",
    },
    **{
        f"as {form}": {"wager.to_memberships": "takes no names in another order"}
        for form in ("pandas", "polars", "arrow")
    },
}


# Arguments that a call leaves out, because they are of another kind.
WITHOUT = {
    "wager.evaluate_hierarchy": {"by"},  # how depth is measured
    "metrics.hierarchical_utility": {"by"},
    "wager.ClassHierarchy": {"classes"},
}


@lru_cache(maxsize=3)  # one for each start
def first_answer(name: str, case: Case) -> Any:
    """The answer to a case that several relations start from."""
    return answer(name, case)


def answer(name: str, case: Case) -> Any:
    """What a call answers, as plain values."""
    reader = Reader(case, is_by_group(name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = call(name, case)
        numbers = isinstance(found, np.ndarray)
        classes = [reader.names[label] for label in order_of(name, case)] if numbers else None
        return reader.plain(found, classes)


def check(relation: str, name: str) -> None:
    """Whether a relation holds for a call, if it is not apart and has the units."""
    one = RELATIONS[relation]
    if name in APART.get(relation, {}) or one.needs not in (None, *units_of(name)):
        return
    first, second = one.cases(name)
    found = list(differences(first_answer(name, first), answer(name, second), one.allowed))
    assert not found, f"{relation}: {found}"


def _short(name: str) -> list[str]:
    """The relations that are checked in short runs."""
    return [each for each in RELATIONS if each in FEW or not (name in SLOW or each in LONG)]


@pytest.mark.parametrize("name", calls())
def test_cases_that_say_the_same_have_the_same_answer(name):
    for relation in _short(name):
        check(relation, name)


@pytest.mark.long
@pytest.mark.parametrize("name", calls())
def test_cases_that_say_the_same_in_other_ways_have_the_same_answer(name):
    for relation in RELATIONS:
        if relation not in _short(name):
            check(relation, name)


def test_every_public_function_has_a_call_or_a_reason():
    functions = {name for name, target in targets().items() if not target.is_estimator}
    called = {function_of(name) for name in calls()}
    assert functions == called | set(WITHOUT_ROWS)
    assert not called & set(WITHOUT_ROWS)


def test_what_is_apart_is_called_at_all():
    for relation, names in APART.items():
        assert relation in RELATIONS
        assert set(names) <= set(calls())


@pytest.mark.parametrize("name", calls())
def test_calls_have_the_units_and_the_classes_that_their_function_takes(name):
    units = units_of(name)
    given = arguments(name, Case(units=units))
    own = set(parameters_of(targets()[function_of(name)].call))
    assert own & {*UNITS, "classes", "by", "prior"} - WITHOUT.get(function_of(name), set()) <= set(
        given
    )
