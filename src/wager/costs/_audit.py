"""An audit of costs of sets: which of the ten properties hold, each with a proof.

Up to eleven classes every set is checked.  Beyond that, one set of each size is enough if all
classes are interchangeable, some properties follow from the extension rule itself, and the others
are checked on all pairs, the full set and a random sample, with the bound that the sample gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from wager._tables import Table, View, Viewed, ViewedFields, real_number, require_kind
from wager._typing import Bools
from wager._visible import brief
from wager.costs._extended_costs import ExtendedCosts
from wager.costs._properties import PROPERTIES, Evidence, Property, Witness
from wager.costs._property_theorems import decisive_sets, interchangeable, without_witness
from wager.costs._subsets import subset_masks
from wager.predictions import PredictionSets

__all__ = ["PropertyReport", "PropertyResult", "SettingVerdict", "audit"]

ENUMERATED = 11  # up to this number of classes every set is checked
MOST_CLASSES = 100  # the time grows with their fourth power
SETTINGS = ("filtering", "choice")


@dataclass(frozen=True, repr=False)
class PropertyResult(Viewed):
    """Whether one property holds, and the proof.

    Attributes
    ----------
    statement : Property
        The number and the wording of the property.
    holds : bool
        Whether it holds.
    witness : Witness or None
        Sets and classes that violate it.
    basis : {"every set", "theorem", "sample"}
        What the verdict is based on.
    """

    statement: Property
    holds: bool
    witness: Witness | None
    basis: str  # "every set", "theorem" or "sample"

    def _view(self) -> View:
        verdict = ("holds" if self.holds else "fails") + ("" if self.exact else " in a sample")
        proof = "" if self.witness is None else f": {self.witness}"
        words = f"property {self.number}, {self.statement.name}, {verdict}{proof}"
        return View(verdict=[words], notes=[f"it requires: {self.statement.requires}"])

    @property
    def number(self) -> int:
        """The number of the property in the paper."""
        return self.statement.number

    @property
    def exact(self) -> bool:
        """Whether the verdict is certain: a witness always is, a sample without one is not."""
        return self.basis != "sample"


@dataclass(frozen=True, repr=False)
class SettingVerdict(ViewedFields):
    """Whether the costs suit one way of using indeterminate predictions (Table VIII).

    Attributes
    ----------
    setting : {"filtering", "choice"}
        The way of using indeterminate predictions.
    lacks_necessary, lacks_desirable, has_undesirable : tuple of int
        The numbers of the properties that count against the costs.
    """

    setting: str
    lacks_necessary: tuple[int, ...]
    lacks_desirable: tuple[int, ...]
    has_undesirable: tuple[int, ...]

    @property
    def fits(self) -> bool:
        """Whether every necessary property holds."""
        return not self.lacks_necessary

    def __bool__(self) -> bool:
        return self.fits

    def __str__(self) -> str:
        parts = ["fits" if self.fits else "does not fit"]
        for words, numbers in (
            ("lacks the necessary", self.lacks_necessary),
            ("lacks the desirable", self.lacks_desirable),
            ("has the undesirable", self.has_undesirable),
        ):
            if numbers:
                parts.append(f"{words} {', '.join(map(str, numbers))}")
        return "; ".join(parts)


@dataclass(frozen=True, repr=False)
class PropertyReport(Viewed):
    """Which of the ten properties hold, and which of the two settings the costs suit.

    ``report.holds[3]`` is the verdict on Property 3, ``report[3].witness`` its proof and
    ``report.verdicts["choice"]`` the verdict by Table VIII.  The report prints as a table.

    Attributes
    ----------
    title : str
        The costs that were checked.
    checked : str
        How they were checked.
    results : tuple of PropertyResult
        One result per property.
    """

    title: str
    checked: str
    results: tuple[PropertyResult, ...]

    @property
    def holds(self) -> dict[int, bool]:
        """Whether each property holds, by its number."""
        return {result.number: result.holds for result in self.results}

    @property
    def witnesses(self) -> dict[int, Witness]:
        """The witnesses, by number of the property; a property that no set violates has none."""
        return {r.number: r.witness for r in self.results if r.witness is not None}

    def __getitem__(self, number: int) -> PropertyResult:
        if number not in self.holds:
            raise KeyError(
                f"the properties are numbered 1 to {len(self.results)}, got {brief(number)}"
            )
        return self.results[number - 1]

    @property
    def verdicts(self) -> dict[str, SettingVerdict]:
        """Whether the costs suit filtering and choice (Yang et al., 2017, Table VIII)."""
        return {setting: self._verdict(setting) for setting in SETTINGS}

    @property
    def filtering(self) -> SettingVerdict:
        """Whether the costs suit a first step that only excludes classes."""
        return self._verdict("filtering")

    @property
    def choice(self) -> SettingVerdict:
        """Whether the costs suit sets from which a person chooses."""
        return self._verdict("choice")

    def _verdict(self, setting: str) -> SettingVerdict:
        def numbers(need: str, holds: bool) -> tuple[int, ...]:
            return tuple(
                r.number
                for r in self.results
                if getattr(r.statement, setting) == need and r.holds is holds
            )

        return SettingVerdict(setting, numbers("N", False), numbers("D", False), numbers("U", True))

    def rows(self) -> list[tuple[str, ...]]:
        """The rows of the table: number, name, verdict, the two settings, the proof."""
        return [
            (
                str(r.number),
                r.statement.name,
                ("holds" if r.holds else "fails") + ("" if r.exact else " (sample)"),
                r.statement.filtering,
                r.statement.choice,
                str(r.witness) if r.witness else r.statement.requires if r.holds else "no such set",
            )
            for r in self.results
        ]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "title": self.title,
            "checked": self.checked,
            "holds": {str(number): holds for number, holds in self.holds.items()},
            "basis": {str(r.number): r.basis for r in self.results},
            "witnesses": {str(number): _plain(w) for number, w in self.witnesses.items()},
            "verdicts": {name: str(verdict) for name, verdict in self.verdicts.items()},
        }

    def _view(self) -> View:
        head = ["", "property", "verdict", "filtering", "choice", "because"]
        return View(
            f"{self.title}\nchecked on {self.checked}",
            [Table(head, self.rows(), "><<<<<")],
            [
                "N necessary, D desirable, A analyst's choice, U undesirable (Table VIII); "
                "its mean: the mean cost of its classes"
            ],
            [f"{name}: {verdict}" for name, verdict in self.verdicts.items()],
        )


def audit(
    extended: ExtendedCosts,
    *,
    tolerance: float = 1e-9,
    n_samples: int = 20_000,
    random_state: int = 0,
) -> PropertyReport:
    """Check costs of sets: which of Properties 1 to 10 hold, each with a proof.

    Parameters
    ----------
    extended : ExtendedCosts
        The costs, of up to 100 classes.  The rows of single classes are the costs that sets are
        compared with.
    tolerance : float, default=1e-9
        Differences up to this part of the largest cost count as 0, so that the unit of the costs
        changes no verdict.
    n_samples, random_state : int
        For more than eleven classes, where not every set is checked: how many sets are drawn
        (first the size, with equal probabilities, then a set of that size), and the seed.

    Returns
    -------
    PropertyReport

    Examples
    --------
    >>> from wager.costs import CostMatrix
    >>> costs = CostMatrix([[0, 2], [4, 0]], ["h", "n"])
    >>> audit(costs.extend({("h", "n"): {"h": 0.25, "n": 0.75}}))  # Table VII
    1 set with costs of its own
    checked on every set of 2 classes
    <BLANKLINE>
        property               verdict  filtering  choice  because
    ...
     3  rewards caution        holds    N          N       a set with the true class costs less ...
    ...
    filtering: fits; lacks the desirable 8; has the undesirable 7, 9
    choice: fits
    """
    require_kind(extended, "extended", ExtendedCosts)
    tolerance = real_number(tolerance, "tolerance")
    n_classes = extended.n_classes
    if n_classes > MOST_CLASSES:
        raise ValueError(
            f"costs of up to {MOST_CLASSES} classes can be audited, but these have {n_classes:,}: "
            "audit the costs of fewer classes"
        )
    known: Mapping[int, bool] = {}
    if n_classes <= ENUMERATED:
        members, basis = every_set(n_classes), "every set"
        checked = f"every set of {n_classes} classes"
    elif interchangeable(extended):
        members, basis = np.tri(n_classes, dtype=bool)[1:], "every set"
        checked = f"one set of each size: the {n_classes} classes are interchangeable"
    else:
        members, basis = _sample(n_classes, n_samples, random_state), "sample"
        members = np.concatenate([members, decisive_sets(extended)])
        checked = (
            f"all pairs, the full set and {n_samples} random sets of {n_classes} classes (sizes "
            f"equally likely): if none of these is a witness, then with 95% confidence fewer than "
            f"{3 / n_samples:.2g} of such sets are"
        )
        known = without_witness(extended)
    singles, rows = extended.singles, extended.costs_of_members(members)
    slack = tolerance * max(float(singles.max()), float(rows.max()))
    evidence = Evidence(extended.classes, singles, members, rows, slack)
    results = tuple(_decide(p, evidence, basis, known.get(p.number)) for p in PROPERTIES)
    return PropertyReport(extended.rule.name, checked, results)


def _decide(
    prop: Property, evidence: Evidence, basis: str, by_theorem: bool | None
) -> PropertyResult:
    witness = prop.find(evidence)
    holds = (witness is not None) == prop.wants_example
    if witness is not None:
        return PropertyResult(prop, holds, witness, "every set")
    return PropertyResult(prop, holds, None, "theorem" if by_theorem is holds else basis)


def every_set(n_classes: int) -> Bools:
    """All sets of two or more classes, ordered by size, then lexicographically."""
    masks = subset_masks(n_classes)[n_classes:]  # single classes come first
    return PredictionSets.from_masks(masks, np.arange(n_classes)).to_indicator()


def _sample(n_classes: int, n_samples: int, random_state: int) -> Bools:
    """All pairs, the full set, and random sets: first the size is drawn, then the members."""
    if n_samples < 1:
        raise ValueError(f"n_samples must be at least 1, got {n_samples}")
    rng = np.random.default_rng(random_state)
    pairs = np.zeros((n_classes * (n_classes - 1) // 2, n_classes), dtype=bool)
    for row, pair in zip(pairs, combinations(range(n_classes), 2), strict=True):
        row[list(pair)] = True
    ranks = rng.random((n_samples, n_classes)).argsort(axis=1)
    drawn = ranks < rng.integers(2, n_classes + 1, n_samples)[:, None]
    return np.concatenate([pairs, np.ones((1, n_classes), dtype=bool), drawn])


def _plain(witness: Witness) -> dict[str, Any]:
    return {
        "set": list(witness.set),
        "truths": list(witness.truths),
        "costs": list(witness.costs),
        "limits": list(witness.limits),
        "probability": None if witness.probability is None else list(witness.probability),
        "margin": witness.margin,
        "text": witness.text,
    }
