"""Why a naive credal classifier keeps the classes that it keeps, for one row, in words.

Class a dominates b if the least ratio P(a | x) / P(b | x) over all priors exceeds 1.  At the prior
where the ratio is least it is a product of one factor for the classes and one for each feature, so
the factors say which feature speaks against a.  A value that never occurs with a in training makes
the ratio 0, whatever the other features say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, inf, isinf
from typing import Any

import numpy as np

from wager._tables import Schema, Table, View, Viewed, format_label
from wager._typing import Array, Bools, Floats, Ints
from wager.learners.naive._row_counts import PairCountsOfRows, RowCountsByClass

__all__ = ["Factor", "SetExplanation", "explain_row", "value_of"]

MOST = 3  # changes that a sentence names


@dataclass(frozen=True)
class Factor:
    """What one feature, or the class frequencies, contributes to the ratio of two classes.

    Attributes
    ----------
    name : str
        The feature; "class frequencies" for the part of the classes themselves.
    value : object
        The row's value; None for the classes.
    count, total : float
        Training rows of the first class with this value, and with any value.
    rival_count, rival_total : float
        The same for the second class.
    factor : float
        The factor of the least ratio, at the prior where it is attained.
    frequency_factor : float
        The same factor without a prior, by relative frequencies.
    """

    name: str
    value: Any
    count: float
    total: float
    rival_count: float
    rival_total: float
    factor: float
    frequency_factor: float


@dataclass(frozen=True, repr=False)
class SetExplanation(Viewed):
    """Why a row has its predicted set: the closest pair of classes, and what each feature adds.

    Attributes
    ----------
    kept, ruled_out : tuple
        The classes of the predicted set, and the others.
    pair : tuple
        The classes that decide: for a set of several classes the two that come closest to a
        decision, for a single class the class and its closest rival; empty if there is one class.
    ratio : float
        The least ratio of their probabilities; the first class dominates if it exceeds 1.
    s : float
        The strength of the fitted model.
    robustness : float
        The largest strength at which the prediction is a single class.
    factors : tuple of Factor
        Their product is ``ratio``.
    zero_counts : tuple of str
        Features whose value never occurs with the first class in training.
    without : tuple
        Pairs (feature, class): without this value the prediction would be that class alone.
    changes : tuple
        Triples (feature, value, class): with this value instead, the prediction would be that
        class alone.
    """

    kept: tuple[Any, ...]
    ruled_out: tuple[Any, ...]
    pair: tuple[Any, ...]
    ratio: float
    s: float
    robustness: float
    factors: tuple[Factor, ...]
    zero_counts: tuple[str, ...]
    without: tuple[tuple[str, Any], ...]
    changes: tuple[tuple[str, Any, Any], ...]

    def __str__(self) -> str:
        return " ".join(self._sentences())

    def _sentences(self) -> list[str]:
        if not self.pair:
            return [f"The prediction is {_label(self.kept[0])}: there is no other class."]
        if len(self.kept) == 1:
            return self._of_one_class()
        return self._of_several_classes()

    def _of_one_class(self) -> list[str]:
        first, second = map(_label, self.pair)
        said = [
            f"The prediction is {first} alone: it is more probable than every other class for "
            f"every prior of strength s = {self.s:g}. The closest rival is {second}, with a least "
            f"ratio of {_number(self.ratio)}, above 1."
        ]
        features = [one for one in self.factors if one.value is not None]
        if features:
            most = max(features, key=lambda one: one.factor)
            if most.factor > 1:
                said.append(
                    f"{most.name} = {_label(most.value)} speaks most for {first}: it multiplies "
                    f"the ratio by {_number(most.factor)}."
                )
        if isinf(self.robustness):
            said.append("It stays a single class at every strength.")
        else:
            said.append(f"It stays a single class up to s = {_number(self.robustness)}.")
        return said

    def _of_several_classes(self) -> list[str]:
        first, second = map(_label, self.pair)
        shown = ", ".join(map(_label, self.kept))
        said = [f"The classes {shown} remain, with s = {self.s:g}."]
        said.append(
            f"{first} does not dominate {second}: the least ratio of their probabilities is "
            f"{_number(self.ratio)}, which does not exceed 1."
        )
        if self.zero_counts:
            zero = [one for one in self.factors if one.name in self.zero_counts][:MOST]
            shown = " and ".join(
                f"{one.name} = {_label(one.value)} (0 of {one.total:g} rows)" for one in zero
            )
            said.append(f"No training row of class {first} has {shown}, so the ratio can be 0.")
        else:
            worst = min(self.factors, key=lambda one: one.factor, default=None)
            if worst is not None and worst.factor < 1:
                given = "" if worst.value is None else f" = {_label(worst.value)}"
                verb = "multiply" if worst.value is None else "multiplies"
                said.append(
                    f"{worst.name}{given} {verb} the ratio by {_number(worst.factor)}, the "
                    f"strongest evidence against {first}."
                )
        absent = [one for one in self.factors if one.value is not None and one.rival_count == 0]
        if absent:
            shown = " and ".join(f"{one.name} = {_label(one.value)}" for one in absent[:MOST])
            said.append(f"{second} does not dominate {first} either: none of its rows has {shown}.")
        return said + self._remedies()

    def _remedies(self) -> list[str]:
        said = []
        if self.without:
            shown = "; ".join(
                f"{name} would leave {_label(label)} alone" for name, label in self.without[:MOST]
            )
            said.append(f"Leaving out {shown}.")
        if self.changes:
            shown = "; ".join(
                f"{name} = {_label(value)} would leave {_label(label)} alone"
                for name, value, label in self.changes[:MOST]
            )
            said.append(f"Instead, {shown}.")
        if self.robustness > 0:
            said.append(f"Up to s = {_number(self.robustness)} a single class is predicted.")
        else:
            said.append("No strength s, however small, makes the prediction a single class.")
        return said

    def _view(self) -> View:
        shown = ", ".join(map(_label, self.kept))
        rows = [
            [
                one.name,
                "" if one.value is None else str(one.value),
                f"{one.count:g} of {one.total:g}",
                f"{one.rival_count:g} of {one.rival_total:g}",
                _number(one.frequency_factor),
                _number(one.factor),
            ]
            for one in self.factors
        ]
        tables = []
        if self.pair:
            rows.append(["least ratio", "", "", "", "", _number(self.ratio)])
            first, second = map(str, self.pair)
            header = ["feature", "value", first, second, "by frequencies", "at the worst prior"]
            tables = [Table(header, rows, "<<>>>>")]
        return View(f"Prediction: {shown}", tables, verdict=[str(self)])


def explain_row(
    counts: RowCountsByClass,
    codes: Ints,
    kept: Bools,
    *,
    s: float,
    floor: float,
    local: bool,
    robustness: float,
    classes: Array,
    schema: Schema,
    names: Sequence[str],
    sets: Callable[[Ints], Bools],
) -> SetExplanation:
    """The explanation of one row, which is given as codes (1, m) and as counts."""
    labels = classes.tolist()
    known = [labels[c] for c in np.flatnonzero(kept)]
    others = [labels[c] for c in np.flatnonzero(~kept)]
    values = [value_of(schema, j, int(codes[0, j])) for j in range(codes.shape[1])]
    shared: dict[str, Any] = {
        "kept": tuple(known), "ruled_out": tuple(others), "s": s, "robustness": robustness,
    }  # fmt: skip
    if len(labels) < 2:
        return SetExplanation(
            **shared, pair=(), ratio=inf, factors=(), zero_counts=(), without=(), changes=()
        )
    first, second, logs = _closest(counts, kept, s, floor, local)
    pair = counts.pair(np.zeros(1, int), np.array([first]), np.array([second]))
    own, each = (part[0] for part in logs)
    plain_own, plain_each = (part[0] for part in _frequency_terms(pair))
    factors = [
        Factor(
            "class frequencies", None, float(pair.class1[0]), float(counts.n_class[0].sum()),
            float(pair.class2[0]), float(counts.n_class[0].sum()), _exp(own), _exp(plain_own),
        )
    ]  # fmt: skip
    for j in np.flatnonzero(pair.seen[0]).tolist():
        n1, total1, n2, total2 = (
            float(part[0, j]) for part in (pair.n1, pair.total1, pair.n2, pair.total2)
        )
        both = _exp(each[j]), _exp(plain_each[j])
        factors.append(Factor(names[j], values[j], n1, total1, n2, total2, *both))
    zero = [names[j] for j in np.flatnonzero(pair.seen[0] & (each == -inf)).tolist()]
    without, changes = (
        ((), ()) if kept.sum() == 1 else _single_changes(codes, schema, names, labels, sets)
    )
    return SetExplanation(
        **shared,
        pair=(labels[first], labels[second]),
        ratio=_exp(own + float(each.sum())),
        factors=tuple(factors),
        zero_counts=tuple(zero),
        without=without,
        changes=changes,
    )


def _closest(
    counts: RowCountsByClass, kept: Bools, s: float, floor: float, local: bool
) -> tuple[int, int, tuple[Floats, Floats]]:
    """The pair that decides, and the logarithms of its factors at the worst prior.

    For a single class its closest rival; else the kept pair with the greatest least ratio, and
    among ratios of 0 the one that is greatest by frequencies.
    """
    c1, c2 = np.nonzero(~np.eye(len(kept), dtype=bool))
    single = kept.sum() == 1
    chosen = kept[c1] if single else kept[c1] & kept[c2]
    c1, c2 = c1[chosen], c2[chosen]
    pairs = counts.pair(np.zeros(len(c1), int), c1, c2)
    strength = np.full(len(c1), s)
    own, each = (
        _local_terms(pairs, strength)
        if local
        else pairs.terms(pairs.worst_prior(strength, floor), strength, floor)
    )
    ratio = own + each.sum(axis=1)
    plain_own, plain_each = _frequency_terms(pairs)
    finite = np.where(np.isneginf(plain_each), -30.0, np.minimum(plain_each, 30.0))
    by_frequency = np.clip(plain_own, -30.0, 30.0) + finite.sum(axis=1)
    order = np.lexsort((by_frequency, ratio))
    at = order[0] if single else order[-1]
    return int(c1[at]), int(c2[at]), (own[[at]], each[[at]])


def _local_terms(pairs: PairCountsOfRows, s: Floats) -> tuple[Floats, Floats]:
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.log(pairs.class1) - np.log(pairs.class2 + s)
        low = np.where(pairs.n1 > 0, np.log(pairs.n1 / (pairs.total1 + s[:, None])), -inf)
        whole = pairs.total2 + s[:, None]
        most = np.where(whole > 0, (pairs.n2 + s[:, None]) / np.where(whole > 0, whole, 1.0), 1.0)
        term = np.where(np.isneginf(low), low, low - np.log(most))
    return own, np.where(pairs.seen, term, 0.0)


def _frequency_terms(pairs: PairCountsOfRows) -> tuple[Floats, Floats]:
    """The factors by relative frequencies, without a prior; 0 wins over infinity."""
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.log(pairs.class1) - np.log(pairs.class2)
        first = np.where(pairs.n1 > 0, np.log(pairs.n1 / pairs.total1), -inf)
        second = np.where(pairs.n2 > 0, np.log(pairs.n2 / pairs.total2), -inf)
        term = np.where(np.isneginf(first), first, first - second)
    return np.nan_to_num(own, nan=0.0, posinf=inf, neginf=-inf), np.where(pairs.seen, term, 0.0)


def _single_changes(
    codes: Ints, schema: Schema, names: Sequence[str], labels: list[Any], sets: Any
) -> tuple[tuple[tuple[str, Any], ...], tuple[tuple[str, Any, Any], ...]]:
    """Which values, left out or replaced one at a time, make the prediction a single class."""
    tried, what = [], []
    for j in range(codes.shape[1]):
        for value in range(-1, int(schema.n_values[j])):
            if value != codes[0, j]:
                row = codes[0].copy()
                row[j] = value
                tried.append(row)
                what.append((j, value))
    if not tried:
        return (), ()
    found = sets(np.array(tried, dtype=codes.dtype))
    alone, label = found.sum(axis=1) == 1, found.argmax(axis=1)
    without, changes = [], []
    for (j, value), single, c in zip(what, alone, label, strict=True):
        if single and value < 0:
            without.append((names[j], labels[c]))
        elif single:
            changes.append((names[j], value_of(schema, j, value), labels[c]))
    return tuple(without), tuple(changes)


def value_of(schema: Schema, j: int, code: int) -> Any:
    levels = schema.levels[j]
    if code < 0:
        return "missing"
    if levels is None:
        return code
    if code >= len(levels):
        return "a value that training did not have"
    return levels[code].item() if isinstance(levels[code], np.generic) else levels[code]


def _exp(log: float) -> float:
    return inf if log > 700 else exp(log) if log > -inf else 0.0


def _label(label: Any) -> str:
    return format_label(label)


def _number(value: float) -> str:
    if value == 0 or isinf(value):
        return "0" if value == 0 else "infinity"
    return f"{value:.3g}"
