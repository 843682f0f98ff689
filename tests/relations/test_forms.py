"""Answers do not depend on how data are written: in which library, type, index or memory."""

from __future__ import annotations

import itertools
import re
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from tests.relations.answers import Allowed, Reader, differences
from tests.relations.calls import ARGUMENTS, arguments, call, calls, is_by_group, units_of
from tests.relations.cases import Case, drawn
from tests.relations.forms import FORMS, IN_ORDER, LABELS, REFUSED
from tests.relations.test_estimators import estimators, made
from tests.relations.test_relations import SLOW
from wager._typing import Array


@dataclass(frozen=True)
class Written(Case):
    """A case in one of `FORMS`, or as arrays and lists of NumPy if it has none."""

    written: str = ""
    as_lists: bool = False  # sets as lists of labels, not as tables
    turned: bool = True  # columns are in another order than the classes

    def vector(self, values: Any) -> Any:
        if not self.written:
            return super().vector(values)
        chosen = [values[row] for row in self.rows]
        plain = [each.item() if isinstance(each, np.generic) else each for each in chosen]
        return FORMS[self.written].vector(plain)

    def table(self, values: Array) -> Any:
        if not self.written:
            return super().table(values)
        turned = self.turned and self.written not in IN_ORDER
        order = self.order[1:] + self.order[:1] if turned else self.order
        return self._columns({self.names[code]: values[list(self.rows), code] for code in order})

    def sets(self, values: Array) -> Any:
        if not (self.as_lists and self.written and FORMS[self.written].lists):
            return self.table(values)
        rows = [np.flatnonzero(values[row]) for row in self.rows]
        return FORMS[self.written].lists([[self.names[code] for code in row] for row in rows])

    def features(self) -> Any:
        values = drawn().features[list(self.rows)]
        if not self.written:
            return values
        return self._columns({"height": values[:, 0], "girth": values[:, 1]})

    def _columns(self, columns: dict[Any, Array]) -> Any:
        form = FORMS[self.written]
        return form.table({str(k): v for k, v in columns.items()} if form.text_names else columns)


class Plain(Reader):
    """Reads answers of cases that have the same names in the same order."""

    def __post_init__(self) -> None:
        self.rows, self.first = np.unique(np.array(self.case.rows), return_index=True)
        self.sites = np.arange(len(set(self.case.sites)))

    def text(self, value: str) -> str:
        return re.sub(r" object at 0x\w+|/[\w/]+\.csv", "", value)

    def plain(self, value: Any, classes: list[str] | None = None, depth: int = 0) -> Any:
        """Numbers that no double has are text, because close ones would count as equal."""
        value = value.item() if isinstance(value, np.generic) else value
        if type(value) is int and abs(value) >= 2**53:
            return str(value)
        return super().plain(value, None, depth)

    def array(self, value: Array, classes: list[str] | None) -> Any:
        if value.dtype.kind in "iu" and value.size and max(map(abs, value.flat)) >= 2**53:
            return [str(each) for each in value.flat]
        return super().array(value, None)

    def _classes_of(self, value: Any) -> list[str] | None:
        return None


def answered(make: Any) -> Any:
    """What a function of no arguments gives, or the sentence with which it refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return make()
        except (ValueError, TypeError) as problem:
            return problem


def answer(name: str, case: Written) -> Any:
    reader = Plain(case, is_by_group(name))
    return answered(lambda: reader.plain(call(name, case)))


def trained(name: str, case: Written, rows: Written) -> Any:
    """What an estimator says that was trained with the labels of a case, and with its rows."""

    def said() -> dict[str, Any]:
        y, reader, found = ARGUMENTS["y"](case), Plain(case), {}
        model = made(name, case).fit(rows.features(), y)
        for part in ("predict", "predict_set", "predict_proba"):
            if hasattr(model, part):
                found[part] = reader.plain(np.asarray(getattr(model, part)(rows.features())))
        return found | {"classes": reader.plain(model.classes_.tolist())}

    return answered(said)


def check(first: Any, second: Any, labels: str, form: str) -> None:
    """Whether both answers are the same, or the form is refused for a listed reason."""
    where = f"{labels}, {form}"
    if isinstance(first, Exception):
        assert isinstance(second, Exception), f"{where}: only the plain form is refused: {first}"
        return
    if isinstance(second, Exception):
        assert re.search(REFUSED.get(form, "^$"), str(second)), f"{where}: {second}"
        return
    found = list(differences(first, second, Allowed()))
    assert not found, f"{where}: {found}"


def ways(place: int, forms: list[str]) -> list[tuple[str, Written]]:
    """Each form with one kind of labels, sets as lists or tables, and classes declared or not."""
    kinds = list(itertools.product(LABELS, (True, False), (True, False)))
    found = []
    for step, form in enumerate(forms):
        labels, declared, as_lists = kinds[(11 * place + 5 * step) % len(kinds)]
        case = Written(names=LABELS[labels], declared=declared, as_lists=as_lists, written=form)
        found.append((labels, case))
    return found


def check_call(place: int, name: str, forms: list[str]) -> None:
    for labels, case in ways(place, forms):
        declared = case.declared or name in DECLARED
        turned = declared and "classes" in arguments(name, Case())  # else columns give the order
        known = arguments(name, Case())
        is_text = FORMS[case.written].text_names or "y_true" not in known
        if is_text and not turned:  # columns called "1" are no numbers, and numbers may be places
            labels = "digits of many lengths"
        case = replace(
            case, units=units_of(name), declared=declared, turned=turned, names=LABELS[labels]
        )
        first = answer(name, Written(names=case.names, units=case.units))
        check(first, answer(name, case), labels, case.written)


# Calls that say whether classes are declared, or have them in the order of other arguments.
DECLARED = {"wager.CostMatrix.ha", "predictions.TopKProbabilities"}
# CSV files have no types, and values of features are given as they are.
OF_FILES = {"wager.read_predictions", "partitions.class_frequencies"}
CALLS = list(enumerate(name for name in calls() if name not in SLOW | OF_FILES))
CLASSIFIERS = [name for name, kind in estimators().items() if hasattr(kind, "predict")]
ESTIMATORS = list(enumerate(CLASSIFIERS))
ALL = list(FORMS)


@pytest.mark.parametrize(("place", "name"), CALLS)
def test_forms_that_say_the_same_have_the_same_answer(place, name):
    check_call(place, name, ALL[place % 14 :: 14])


# Wrappers that give rows and labels to estimators of scikit-learn, which know only some forms.
WRAPPERS = {
    "Conformal", "EnsembleCredal", "Nondeterministic", "OptimalSets", "Rejecting", "TunedCaution",
    "VennAbers",
}  # fmt: skip
KINDS = ["text", "numbers from 1", "numbers with gaps", "large numbers", "digits as text"]


def check_estimator(place: int, name: str, forms: list[str]) -> None:
    for step, form in enumerate(forms):
        labels = KINDS[(place + step) % len(KINDS)]
        if name in WRAPPERS and labels == "large numbers":
            continue  # scikit-learn makes doubles of nullable integers
        plain = Written(names=LABELS[labels])
        written = replace(plain, written=form)
        second = trained(name, written, rows=plain if name in WRAPPERS else written)
        is_refused = name in WRAPPERS and "nknown label type" in str(second)
        if not is_refused:
            check(trained(name, plain, rows=plain), second, labels, form)


@pytest.mark.parametrize(("place", "name"), ESTIMATORS)
def test_forms_that_say_the_same_train_the_same_estimator(place, name):
    check_estimator(place, name, ALL[place % 7 :: 7])
