"""Why a naive credal classifier keeps the classes that it keeps, for one row, in words.

Class a dominates b if the least ratio P(a | x) / P(b | x) over all priors exceeds 1.  At the prior
where the ratio is least it is a product of one factor for the classes and one for each feature, so
the factors say which feature speaks against a.  A value that never occurs with a in training makes
the ratio 0, whatever the other features say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, inf
from typing import Any, TypeVar

import numpy as np

from wager._tables import Schema, Table
from wager._typing import Bools, Floats, Ints
from wager.learners._base import feature_names
from wager.learners._explain import SetExplanation, shown_label, shown_number
from wager.learners.naive._row_counts import PairCountsOfRows, RowCountsByClass

__all__ = [
    "AveragingExplanation",
    "Factor",
    "RatioExplanation",
    "Terms",
    "explain_row",
    "naive_terms",
    "value_of",
]

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
        The same factor without a prior, by relative frequencies; in model averaging with the
        inclusion probability 1/2.
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
class RatioExplanation(SetExplanation):
    """Why a row has its predicted set, by a ratio that is a product of one factor per feature.

    Of several classes that remain, ``pair`` has the two that come closest to a decision.

    Attributes
    ----------
    ratio : float
        The least ratio of their probabilities; the first class dominates if it exceeds 1.
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

    ratio: float
    factors: tuple[Factor, ...]
    zero_counts: tuple[str, ...]
    without: tuple[tuple[str, Any], ...]
    changes: tuple[tuple[str, Any, Any], ...]

    def _why_alone(self) -> list[str]:
        first, second = map(shown_label, self.pair)
        said = [
            f"The prediction is {first} alone: it is more probable than every other class for "
            f"{self._every_prior()}. The closest rival is {second}, with a least ratio of "
            f"{shown_number(self.ratio)}, above 1."
        ]
        features = [one for one in self.factors if one.value is not None]
        if features:
            most = max(features, key=lambda one: one.factor)
            if most.factor > 1.005:  # not 1 when it is written with three digits
                said.append(
                    f"{most.name} = {shown_label(most.value)} speaks most for {first}: it "
                    f"multiplies the ratio by {shown_number(most.factor)}."
                )
        return said

    def _every_prior(self) -> str:
        return f"every prior of strength s = {self.s:g}"

    def _why_several(self) -> list[str]:
        first, second = map(shown_label, self.pair)
        said = [
            f"{first} does not dominate {second}: the least ratio of their probabilities is "
            f"{shown_number(self.ratio)}, which does not exceed 1."
        ]
        if self.zero_counts:
            zero = [one for one in self.factors if one.name in self.zero_counts][:MOST]
            shown = " and ".join(
                f"{one.name} = {shown_label(one.value)} (0 of {one.total:g} rows)" for one in zero
            )
            said.append(f"No training row of class {first} has {shown}, so the ratio can be 0.")
        else:
            worst = min(self.factors, key=lambda one: one.factor, default=None)
            if worst is not None and worst.factor < 1:
                given = "" if worst.value is None else f" = {shown_label(worst.value)}"
                verb = "multiply" if worst.value is None else "multiplies"
                said.append(
                    f"{worst.name}{given} {verb} the ratio by {shown_number(worst.factor)}, the "
                    f"strongest evidence against {first}."
                )
        return said + self._why_not_the_second() + self._remedies()

    def _why_not_the_second(self) -> list[str]:
        first, second = map(shown_label, self.pair)
        absent = [one for one in self.factors if one.value is not None and one.rival_count == 0]
        if not absent:
            return []
        shown = " and ".join(f"{one.name} = {shown_label(one.value)}" for one in absent[:MOST])
        return [f"{second} does not dominate {first} either: none of its rows has {shown}."]

    def _remedies(self) -> list[str]:
        said = []
        if self.without:
            shown = "; ".join(
                f"{name} would leave {shown_label(label)} alone"
                for name, label in self.without[:MOST]
            )
            said.append(f"Leaving out {shown}.")
        if self.changes:
            shown = "; ".join(
                f"{name} = {shown_label(value)} would leave {shown_label(label)} alone"
                for name, value, label in self.changes[:MOST]
            )
            said.append(f"Instead, {shown}.")
        return said

    def _table(self) -> Table:
        rows = [
            [
                one.name,
                "" if one.value is None else str(one.value),
                f"{one.count:g} of {one.total:g}",
                f"{one.rival_count:g} of {one.rival_total:g}",
                shown_number(one.frequency_factor),
                shown_number(one.factor),
            ]
            for one in self.factors
        ]
        rows.append(["least ratio", "", "", "", "", shown_number(self.ratio)])
        first, second = map(str, self.pair)
        header = ["feature", "value", first, second, self._plain, "at the worst prior"]
        return Table(header, rows, "<<>>>>")

    @property
    def _plain(self) -> str:
        """What the factors are compared with."""
        return "by frequencies"


@dataclass(frozen=True, repr=False)
class AveragingExplanation(RatioExplanation):
    """Why credal model averaging keeps the classes that it keeps.

    The strengths ``s`` and ``robustness`` are half-widths of the interval of inclusion
    probabilities around 1/2.
    """

    def _every_prior(self) -> str:
        return f"all {self._strength(self.s)}"

    def _strength(self, value: float) -> str:
        least, most = (shown_number(0.5 + side * value) for side in (-1, 1))
        return f"inclusion probabilities between {least} and {most}"

    def _single_up_to(self) -> str:
        if len(self.kept) > 1 and self.robustness <= 0:
            return "Even with all inclusion probabilities equal to 0.5, several classes remain."
        return super()._single_up_to()

    def _why_not_the_second(self) -> list[str]:
        return []  # each model has a prior for its values, so a zero count does not decide

    @property
    def _plain(self) -> str:
        return "at 1/2"


Kind = TypeVar("Kind", bound=RatioExplanation)
# The logarithms of the factors of some pairs of classes: of the classes (q,), and of features
# (q, m).
Terms = Callable[[Ints, Ints], tuple[Floats, Floats]]


def explain_row(
    model: Any,
    counts: RowCountsByClass,
    codes: Ints,
    kept: Bools,
    *,
    s: float,
    terms: tuple[Terms, Terms],
    kind: type[Kind],
) -> Kind:
    """The explanation of the set of one row, which is given as codes (1, m) and as counts.

    ``terms`` are the factors at the worst prior, and those to compare with.
    """
    labels, schema, names = model.classes_.tolist(), model.schema_, feature_names(model)
    robustness = float(model._largest_strengths(codes)[0])
    known = [labels[c] for c in np.flatnonzero(kept)]
    others = [labels[c] for c in np.flatnonzero(~kept)]
    values = [value_of(schema, j, int(codes[0, j])) for j in range(codes.shape[1])]
    shared: dict[str, Any] = {
        "kept": tuple(known), "ruled_out": tuple(others), "s": s, "robustness": robustness,
    }  # fmt: skip
    if len(labels) < 2:
        return kind(
            **shared, pair=(), ratio=inf, factors=(), zero_counts=(), without=(), changes=()
        )
    both = _closest(kept, *terms)
    first, second = (part.item() for part in both)
    pair = counts.pair(np.zeros(1, int), *both)
    (own, each), (plain_own, plain_each) = (
        (classes_part[0], features[0]) for classes_part, features in (of(*both) for of in terms)
    )
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
        sizes = _exp(each[j]), _exp(plain_each[j])
        factors.append(Factor(names[j], values[j], n1, total1, n2, total2, *sizes))
    zero = [names[j] for j in np.flatnonzero(pair.seen[0] & (each == -inf)).tolist()]
    without, changes = (
        ((), ()) if kept.sum() == 1 else _single_changes(codes, schema, names, labels, model._sets)
    )
    return kind(
        **shared,
        pair=(labels[first], labels[second]),
        ratio=_exp(own + float(each.sum())),
        factors=tuple(factors),
        zero_counts=tuple(zero),
        without=without,
        changes=changes,
    )


def _closest(kept: Bools, worst: Terms, plain: Terms) -> tuple[Ints, Ints]:
    """The pair that decides, (1,) each.

    For a single class its closest rival; else the kept pair with the greatest least ratio, and
    among ratios of 0 the one that is greatest by frequencies.
    """
    c1, c2 = np.nonzero(~np.eye(len(kept), dtype=bool))
    single = kept.sum() == 1
    chosen = kept[c1] if single else kept[c1] & kept[c2]
    c1, c2 = c1[chosen], c2[chosen]
    own, each = worst(c1, c2)
    ratio = own + each.sum(axis=1)
    plain_own, plain_each = plain(c1, c2)
    finite = np.where(np.isneginf(plain_each), -30.0, np.minimum(plain_each, 30.0))
    by_frequency = np.clip(plain_own, -30.0, 30.0) + finite.sum(axis=1)
    order = np.lexsort((by_frequency, ratio))
    at = order[:1] if single else order[-1:]
    return c1[at], c2[at]


def naive_terms(
    counts: RowCountsByClass, s: float, *, floor: float = 0.0, local: bool = False
) -> tuple[Terms, Terms]:
    """The factors of naive credal classifiers, and those by frequencies, for one row."""

    def of_pairs(c1: Ints, c2: Ints) -> PairCountsOfRows:
        return counts.pair(np.zeros(len(c1), int), c1, c2)

    def worst(c1: Ints, c2: Ints) -> tuple[Floats, Floats]:
        pairs, strength = of_pairs(c1, c2), np.full(len(c1), s)
        if local:
            return _local_terms(pairs, strength)
        return pairs.terms(pairs.worst_prior(strength, floor), strength, floor)

    return worst, lambda c1, c2: _frequency_terms(of_pairs(c1, c2))


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
