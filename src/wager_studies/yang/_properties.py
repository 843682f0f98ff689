"""Which of the ten properties each extension of costs to sets has, by a search over matrices.

Yang, Destercke & Masson (2017), Sections IV to VI.  An extension has a property if every matrix of
the search has it; otherwise the simplest matrix without it is kept, with the set that violates it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from wager.costs import CostMatrix, PropertyReport, audit
from wager.experiments.study import StudyTable
from wager_studies.yang._matrices import (
    SIZES,
    Case,
    Kind,
    free_errors,
    nothing_free,
    show_matrix,
    usual,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["NUMBERS", "Search", "draw_properties", "property_tables", "searches"]

NUMBERS = range(1, 11)
STRENGTHS = (0.1, 0.5, 0.9)  # of r, one after the other over the matrices
UTILITIES = ("u65", "u80", "f1", "f2", "log-norm", "exp-norm:2")


@dataclass(frozen=True)
class Search:
    """An extension, the matrices on which it was checked, and what the paper says of it.

    Attributes
    ----------
    name : str
    cases : sequence of Case
        The simplest first.
    has, lacks : tuple of int
        The properties that the paper says the extension has, and those it says it lacks.
    known : sequence of PropertyReport, optional
        The properties of each matrix, if they were found before.
    """

    name: str
    cases: Sequence[Case]
    has: tuple[int, ...] = ()
    lacks: tuple[int, ...] = ()
    known: Sequence[PropertyReport] | None = None

    @cached_property
    def reports(self) -> Sequence[PropertyReport]:
        """The properties of each matrix."""
        if self.known is not None:
            return self.known
        return [audit(case.extended) for case in self.cases]

    @property
    def n(self) -> int:
        """The number of matrices."""
        return len(self.cases)

    def count(self, number: int) -> int:
        """The number of matrices that have a property."""
        return sum(report.holds[number] for report in self.reports)

    def always(self, *numbers: int) -> bool:
        """Whether every matrix has these properties."""
        return all(self.count(number) == self.n for number in numbers)

    def agrees(self, number: int) -> bool:
        """Whether our counts agree with the paper; true if the paper makes no statement."""
        if number in self.has:
            return self.always(number)
        return number not in self.lacks or not self.always(number)

    def counterexample(self, number: int) -> str:
        """The simplest matrix without a property, and the set that violates it."""
        for case, report in zip(self.cases, self.reports, strict=True):
            if not report.holds[number]:
                reason = report.witnesses.get(number) or "no set has it"
                return f"{show_matrix(case.extended.determinate.costs)}, {report.title}: {reason}"
        return ""

    def counts(self, *numbers: int) -> str:
        """The numbers of matrices with each property, in words."""
        found = {number: self.count(number) for number in numbers}
        if set(found.values()) == {self.n}:
            return f"all {self.n} matrices have {_listing(numbers)}"
        each = (f"{number} in {count} of {self.n}" for number, count in found.items())
        return f"properties hold: {', '.join(each)}"

    def suits(self, setting: str) -> int:
        """For how many matrices Table VIII finds fewer faults for this setting than the other."""
        (other,) = {"filtering", "choice"} - {setting}
        return sum(_faults(r, setting) < _faults(r, other) for r in self.reports)

    def fits(self, setting: str) -> int:
        """For how many matrices every necessary property of this setting holds."""
        return sum(report.verdicts[setting].fits for report in self.reports)

    def of(self, choose: Callable[[Case], bool]) -> Search:
        """The same search on some of its matrices."""
        kept = [i for i, case in enumerate(self.cases) if choose(case)]
        cases, known = [self.cases[i] for i in kept], [self.reports[i] for i in kept]
        return Search(self.name, cases, self.has, known=known)

    def row(self) -> tuple[Any, ...]:
        """A row of the table, with an exclamation mark where the paper says otherwise."""
        words = {0: "none", self.n: "all"}
        cells = (
            words.get(self.count(n), str(self.count(n))) + ("" if self.agrees(n) else " !")
            for n in NUMBERS
        )
        return self.name, self.n, *cells


def searches(obstacles: CostMatrix, seed: int | None = None) -> dict[str, Search]:
    """The extensions of the paper, each on its matrices."""
    kinds = usual(obstacles, seed)
    few = [CostMatrix.zero_one(list("abcde"[:k])) for k in SIZES]
    cautious, averse = (
        [_p_discounted(kind, STRENGTHS[i % 3], mode) for i, kind in enumerate(kinds)]
        for mode in ("cautious", "mistake-averse")
    )
    basic = (2, 3, 4, 5, 10)
    return {
        "discounted": Search("discounted costs", [_by(k, "discounted") for k in kinds], (), (1,)),
        "utility": Search(
            "utility-discounted accuracy",
            [Case("zero-one", c.extend("utility", utility=u)) for c in few for u in UTILITIES],
            (1, 2, 3, 4, 5, 6, 7, 8, 10), (9,),
        ),
        "ha": Search("Ha's costs, delta below eta/2", _ha(2), (2, 3, 4, 5, 6, 8), (10,)),
        "ha-n": Search("Ha's costs, delta below eta/n", _ha(None), (2, 3, 4, 5, 6, 8), (10,)),
        "am": Search(
            "Abellán and Masegosa's costs", [_by(k, "abellan-masegosa") for k in kinds],
            (4, 5, 6, 8, 10), (2, 3),
        ),
        "am-original": Search(
            "the same beside the original costs of single classes",
            [Case(k.name, _beside_original(k.costs)) for k in kinds], (4, 5, 6, 8, 10), (2, 3),
        ),
        "cautious": Search("p-discounted, cautious, 0 < r < 1", cautious, (*basic, 7, 9)),
        "averse": Search("p-discounted, mistake-averse, 0 < r < 1", averse, (*basic, 6, 9)),
        **{
            f"r = {r}": Search(
                f"p-discounted, r = {r}", [_p_discounted(k, r) for k in kinds], (*basic, 7, 9)
            )
            for r in (0, 1)
        },
        "nothing free": Search(
            "both modes, r = 0.5, correct predictions cost 1", _both_modes(nothing_free()),
            (*basic, 9),
        ),
        "free errors": Search(
            "both modes, r = 0.5, some errors are free", _both_modes(free_errors()), (*basic, 9)
        ),
    }  # fmt: skip


def _by(kind: Kind, rule: str) -> Case:
    return Case(kind.name, kind.costs.extend(rule))


def _p_discounted(kind: Kind, r: float, mode: str = "cautious") -> Case:
    return Case(kind.name, kind.costs.extend("p-discounted", r=r, mode=mode))


def _both_modes(kinds: list[Kind]) -> list[Case]:
    modes = ("cautious", "mistake-averse")
    return [_p_discounted(kind, 0.5, mode) for kind in kinds for mode in modes]


def _ha(divisor: int | None) -> list[Case]:
    """Ha's costs just inside the condition delta < min(eta) / divisor; None: the number of classes.

    Equal and unequal eta, and delta at 40, 80 and 99 hundredths of the bound.
    """
    cases = []
    for k in SIZES:
        for eta in ([1.0] * k, [1.0, *[2.0] * (k - 1)], [1.0, 2.0, 4.0, 3.0, 1.5][:k]):
            for share in (0.4, 0.8, 0.99):
                delta = round(share * min(eta) / (divisor or k), 4)
                labels = list("abcde"[:k])
                cases.append(
                    Case("by true class", CostMatrix.ha(eta, labels).extend("ha", delta=delta))
                )
    return cases


def _beside_original(costs: CostMatrix) -> Any:
    """Abellán and Masegosa's costs of sets, without their change to the costs of single classes."""
    changed = costs.extend("abellan-masegosa")
    cells = zip(changed.subsets(), changed.matrix(), strict=True)
    return costs.extend({labels: row for labels, row in cells if len(labels) > 1})


def property_tables(found: dict[str, Search]) -> list[StudyTable]:
    """How many matrices have each property, the counterexamples, and Abellán and Masegosa's."""
    headers = ("extension", "matrices", *(str(number) for number in NUMBERS))
    counterexamples = [
        (each.name, number, f"{each.n - each.count(number)} of {each.n}",
         each.counterexample(number))
        for each in found.values()
        for number in NUMBERS
        if not each.always(number)
    ]  # fmt: skip
    am = found["am"]
    names = list(dict.fromkeys(case.kind for case in am.cases))
    kinds = [am.of(lambda case, name=name: case.kind == name) for name in names]  # type: ignore[misc]
    return [
        StudyTable(
            "How many matrices have Properties 1 to 10 (! where the paper says otherwise)",
            headers, [each.row() for each in found.values()],
        ),
        StudyTable(
            "Abellán and Masegosa's costs, by kind of matrix",
            ("matrices", "number", "Property 1", "Property 2", "Property 3", "fits filtering",
             "fits choice", "filtering before choice"),
            [
                (name, each.n, *(each.count(n) for n in (1, 2, 3)), each.fits("filtering"),
                 each.fits("choice"), each.suits("filtering"))
                for name, each in zip((*names, "all"), (*kinds, am), strict=True)
            ],
        ),
        StudyTable(
            "The simplest matrix without each property",
            ("extension", "property", "matrices without it", "the simplest, and why"),
            counterexamples, shown=False,
        ),
    ]  # fmt: skip


def draw_properties(found: dict[str, Search]) -> Figure:
    """The share of matrices with each property; frames mark what the paper says."""
    from matplotlib.patches import Rectangle

    from wager.plots import plain_figure

    shown = [each for each in found.values() if each.has or each.lacks]
    share = np.array([[each.count(n) / each.n for n in NUMBERS] for each in shown])
    figure = plain_figure((8.6, 4.6))
    ax = figure.subplots()
    ax.imshow(share, cmap="Blues", vmin=0, vmax=2, aspect="auto")
    for row, each in enumerate(shown):
        for column, number in enumerate(NUMBERS):
            value = share[row, column]
            words = {0.0: "no", 1.0: "yes"}.get(value, f"{100 * value:.0f}%")
            ax.text(column, row, words, ha="center", va="center", fontsize=8)
            if number in (*each.has, *each.lacks):
                wrong = not each.agrees(number)
                frame = Rectangle(
                    (column - 0.46, row - 0.42), 0.92, 0.84, fill=False,
                    edgecolor="C3" if wrong else "0.25", linewidth=2.2 if wrong else 1.0,
                    linestyle="-" if number in each.has else "--",
                )  # fmt: skip
                ax.add_patch(frame)
    ax.set_xticks(range(len(NUMBERS)), [str(n) for n in NUMBERS])
    ax.set_yticks(range(len(shown)), [each.name for each in shown], fontsize=8)
    ax.set_xlabel("property")
    ax.set_title(
        "Matrices with each property. Frame: the paper says yes (solid) or no (dashed);\n"
        "thick: the search disagrees",
        fontsize=9,
    )
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return figure


def _faults(report: PropertyReport, setting: str) -> tuple[int, int]:
    """The numbers of missing necessary properties and of other unmet requirements."""
    verdict = report.verdicts[setting]
    others = len(verdict.lacks_desirable) + len(verdict.has_undesirable)
    return len(verdict.lacks_necessary), others


def _listing(numbers: Iterable[int]) -> str:
    return "Properties " + ", ".join(map(str, numbers))
