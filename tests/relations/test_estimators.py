"""Estimators of the same rows in another order, under other names and in other forms are the same.

tests/learners/test_order_of_names.py goes on from here: it permutes classes, values and features of
many problems with ties and gaps, for many settings of the learners.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import GaussianNB

import wager
from tests.fuzz.functions import targets
from tests.relations.answers import Allowed, Reader, differences
from tests.relations.calls import ARGUMENTS
from tests.relations.cases import RENAMED, SCALE, Case, drawn

MADE: dict[str, Callable[[Case], Any]] = {
    **{
        kind.__name__: lambda c, kind=kind: kind(categorical_features="all")
        for kind in (wager.C45, wager.CredalTree, wager.NaiveBayes)
    },
    "CausalMML": lambda c: wager.CausalMML(search_factor=0.01, random_state=0),
    "Conformal": lambda c: wager.Conformal(GaussianNB(), alpha=0.3, random_state=0),
    "CredalForest": lambda c: wager.CredalForest(6, random_state=0, categorical_features="all"),
    "CredalIntervals": lambda c: wager.CredalIntervals(wager.NaiveCredal(), costs=c.costs()),
    "CredalNeighbors": lambda c: wager.CredalNeighbors(5),
    "EnsembleCredal": lambda c: wager.EnsembleCredal(
        BaggingClassifier(GaussianNB(), 4, random_state=0)
    ),
    "KRandom": lambda c: wager.KRandom(wager.NaiveCredal(), random_state=0),
    "LazyNaiveCredal": lambda c: wager.LazyNaiveCredal(k=8, step=5),
    "NaiveCredal": lambda c: wager.NaiveCredal(costs=c.costs()),
    "NestedDichotomies": lambda c: wager.NestedDichotomies(
        tree=((c.names[0], c.names[2]), c.names[1])
    ),
    "NestedDichotomyForest": lambda c: wager.NestedDichotomyForest(n_trees=4, random_state=0),
    "Nondeterministic": lambda c: wager.Nondeterministic(GaussianNB()),
    "OptimalSets": lambda c: wager.OptimalSets(GaussianNB(), costs=c.costs()),
    "RandomClass": lambda c: wager.RandomClass(random_state=0),
    "Rejecting": lambda c: wager.Rejecting(GaussianNB(), 0.6),
    "TunedCaution": lambda c: wager.TunedCaution(wager.NaiveCredal(), strengths=[0.5, 1, 2], cv=3),
    "VennAbers": lambda c: wager.VennAbers(GaussianNB(), random_state=0),
}
WITHOUT_ROWS = {"Elicited": "is made of answers of a person"}
_DRAWS = "draws rows, or divides them, by their places"
_CLASSES = "draws among the classes by their places"
_NAMED = "gives frames the names of intervals"
_ON_ROWS = ("Conformal", "CredalForest", "EnsembleCredal", "KRandom", "RandomClass", "TunedCaution")
APART = {
    "rows in another order": {
        **dict.fromkeys((*_ON_ROWS, "VennAbers"), _DRAWS),
        "CredalNeighbors": "has ties between rows at the same distance, of which some are chosen",
    },
    "classes with other names": dict.fromkeys(
        ("KRandom", "NestedDichotomyForest", "RandomClass", "TunedCaution"), _CLASSES
    ),
    **{
        f"as {form}": dict.fromkeys(("EqualFrequencyDiscretizer", "MDLDiscretizer"), _NAMED)
        for form in ("pandas", "polars", "arrow")
    },
}
RELATIONS = {
    "rows in another order": Case.permuted,
    "classes with other names": partial(replace, names=RENAMED),
    **{f"as {form}": partial(replace, form=form) for form in ("list", "pandas", "polars", "arrow")},
}
WEIGHTED = ("Nondeterministic", "OptimalSets", "Rejecting")


def estimators() -> dict[str, Any]:
    """All estimators by name."""
    found = {
        name.rpartition(".")[2]: one.call for name, one in targets().items() if one.is_estimator
    }
    return {name: kind for name, kind in found.items() if name not in WITHOUT_ROWS}


def made(name: str, case: Case) -> Any:
    """An estimator before it is trained."""
    return MADE[name](case) if name in MADE else estimators()[name]()


def said(model: Any, case: Case) -> dict[str, Any]:
    """What a trained estimator says of the rows, by the names of the classes."""
    reader, X, found = Reader(case), case.features(), {}
    for method in ("predict", "predict_set", "predict_proba", "transform"):
        if not hasattr(model, method):
            continue
        values = np.asarray(getattr(model, method)(X))
        if values.ndim == 2 and method != "transform":
            columns = dict(zip(map(reader.text, model.classes_), values.T, strict=True))
            found[method] = {label: reader.plain(column) for label, column in columns.items()}
        else:
            found[method] = reader.plain(values)
    return found


@lru_cache(maxsize=1)
def first_said(name: str) -> dict[str, Any]:
    return trained(name, Case())


def trained(name: str, case: Case, **fit: Any) -> dict[str, Any]:
    """What an estimator says that was trained with the rows of a case."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = made(name, case).fit(case.features(), ARGUMENTS["y"](case), **fit)
        return said(model, case)


@pytest.mark.parametrize("name", estimators())
def test_cases_that_say_the_same_train_the_same_estimator(name):
    for relation, change in RELATIONS.items():
        if name not in APART.get(relation, {}):
            first, second = first_said(name), trained(name, change(Case()))
            if relation == "classes with other names" and len(first) > 1:
                first, second = first | {"predict": None}, second | {"predict": None}  # of ties
            found = list(differences(first, second, Allowed()))
            assert not found, f"{relation}: {found}"


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_of_rows_have_no_unit_and_are_rows_written_out(name):
    count = drawn().count.astype(float)
    weighted = trained(name, Case(), sample_weight=count)
    scaled = trained(name, Case(), sample_weight=SCALE * count)
    assert list(differences(weighted, scaled, Allowed())) == []
    written = trained(name, Case(units=("counts",)).written_out())
    assert list(differences(weighted, written, Allowed(rows=True))) == []


def test_every_estimator_is_trained():
    assert {*MADE, *WITHOUT_ROWS} <= {n.rpartition(".")[2] for n in targets()}
    assert len(estimators()) >= 29
